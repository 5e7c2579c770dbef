"""Search lengths of items, by hand."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate import scores as evaluate
from pdeval.plots import asl_histogram
from pdeval.studies.search_length import histogram
from pdeval.studies.search_length import search_lengths as lengths

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*judged queries are missing", "ignore:lists have unequal depth"
)

QRELS = pd.DataFrame(
    {
        "query_id": ["q"] * 4 + ["s"],
        "doc_id": ["r0", "r1", "r2", "x0", "r9"],
        "relevance": [1, 1, 1, 0, 1],
    }
)
RANKINGS = {
    # r1 at 1 (nothing above), r0 at 4 (x0, x1 above), r2 missing: 4 irrelevant items retrieved
    ("a", "q"): ["r1", "x0", "x1", "r0", "x2", "x3"],
    # only relevant items: r2 missing has length 0
    ("b", "q"): ["r0", "r1"],
    ("a", "s"): ["y0", "r9"],
}
RUNS = pd.DataFrame(
    [
        (run, query, doc, -rank)
        for (run, query), docs in RANKINGS.items()
        for rank, doc in enumerate(docs)
    ],
    columns=["run", "query_id", "doc_id", "score"],
)
FOUND = RUNS.ireval.join(QRELS)


def test_every_relevant_item_has_its_search_length_in_every_run():
    table = lengths(FOUND)
    assert table.columns.tolist() == ["run", "query_id", "doc_id", "asl", "retrieved"]
    assert table.astype({"run": str, "query_id": str, "doc_id": str}).to_numpy().tolist() == [
        ["a", "q", "r0", 3.0, True],
        ["a", "q", "r1", 1.0, True],
        ["a", "q", "r2", 4.0, False],
        ["a", "s", "r9", 2.0, True],
        ["b", "q", "r0", 1.0, True],
        ["b", "q", "r1", 1.0, True],
        ["b", "q", "r2", 0.0, False],
        # b returned nothing for s: behind y0, the only other item that anybody returned
        ["b", "s", "r9", 2.0, False],
    ]


def test_items_not_retrieved_may_stand_behind_the_whole_corpus():
    # q has 7 items in all rankings and judgments, 4 of them irrelevant
    table = lengths(FOUND, unretrieved="corpus")
    missing = table[~table["retrieved"]]
    assert missing["asl"].tolist() == [5.0, 5.0, 2.0]


def test_queries_that_do_not_count_for_a_run_are_left_out():
    table = lengths(FOUND.at(queries="answered"))
    assert table.groupby("run", observed=True).size().to_dict() == {"a": 4, "b": 3}


def test_a_choice_of_runs():
    table = lengths(FOUND, runs=["b"])
    assert table["run"].unique().tolist() == ["b"]
    assert table["asl"].tolist() == [1.0, 1.0, 0.0, 2.0]


@pytest.mark.broad
def test_the_mean_over_items_is_the_measure():
    joined = pdeval.datasets.sample_judged()
    table = lengths(joined)
    means = table.groupby(["query_id", "run"], observed=True)["asl"].mean().unstack()
    cube = evaluate.scores(joined, "ASL")
    np.testing.assert_allclose(means.to_numpy(), cube.values[0])


def test_the_histogram_counts_items_and_those_not_retrieved_come_last():
    table = histogram(FOUND, edges=[1, 2, 4])
    assert table.columns.tolist() == ["run", "bucket", "low", "high", "count", "fraction"]
    assert table["bucket"].tolist()[:4] == ["1", "2-3", "4+", "not retrieved"]
    assert table["count"].tolist() == [1, 2, 0, 1, 2, 0, 0, 2]
    assert table["fraction"].tolist() == [0.25, 0.5, 0, 0.25, 0.5, 0, 0, 0.5]
    assert table["high"].tolist()[:3] == [2, 4, np.inf]


@pytest.mark.broad
def test_the_histogram_is_what_the_plot_makes_of_the_items():
    Figure = pytest.importorskip("matplotlib.figure").Figure

    joined = pdeval.datasets.sample_judged()
    bars = [
        [bar.get_height() for bar in asl_histogram(frame, ax=Figure().subplots()).patches]
        for frame in (
            histogram(joined, runs=["bm25", "ql"]),
            lengths(joined, runs=["bm25", "ql"]),
        )
    ]
    assert bars[0] == bars[1]
    assert sum(bars[0]) == 2 * joined.positions.relevant().sum()


def test_options_that_make_no_sense_are_named():
    with pytest.raises(
        ValueError,
        match=r"edges=\[2, 5\]: expected increasing lower edges of buckets that start at 1.",
    ):
        histogram(FOUND, edges=[2, 5])
    with pytest.raises(ValueError, match=r"unretrieved='worst': choose 'run' or 'corpus'."):
        FOUND.search_lengths(unretrieved="worst")
    with pytest.raises(KeyError, match=r"no run 'c'; the runs are 'a', 'b'."):
        lengths(FOUND, runs=["c"])
