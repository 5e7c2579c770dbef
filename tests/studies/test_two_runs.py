"""Which items one run finds sooner than another."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.plots import asl_wins
from pdeval.studies.search_length import differences, wins
from tests.studies.rankings import inf, judged

pytestmark = pytest.mark.filterwarnings("ignore:.*judged queries are missing")

# search lengths: a 1, 1, 8; b 2, 4, 18 (18 irrelevant items retrieved); query s: a 5, b 5
FOUND = judged(
    {"q": {"a": [1, 2, 10], "b": [2, 5, inf], "c": [1, 2, 3]}, "s": {"a": [5], "b": [5], "c": None}}
)


def test_differences_are_negative_where_the_first_run_is_sooner():
    table = differences(FOUND, "a", "b")
    assert table.columns.tolist() == [
        "run_a",
        "run_b",
        "query_id",
        "doc_id",
        "value_a",
        "value_b",
        "difference",
        "retrieved_a",
        "retrieved_b",
    ]
    assert table["doc_id"].tolist() == ["r0", "r1", "r2", "r0"]
    assert table["value_a"].tolist() == [1, 1, 8, 5]
    assert table["value_b"].tolist() == [2, 4, 18, 5]
    assert table["difference"].tolist() == [-1, -3, -10, 0]
    assert table["retrieved_a"].all()
    assert table["retrieved_b"].tolist() == [True, True, False, True]


def test_differences_turn_with_the_runs():
    one, other = differences(FOUND, "a", "b"), differences(FOUND, "b", "a")
    assert one["difference"].tolist() == (0 - other["difference"]).tolist()
    assert other["run_a"].unique().tolist() == ["b"]


def test_only_queries_that_count_for_both_runs():
    assert len(differences(FOUND.at(queries="answered"), "a", "c")) == 3
    assert len(differences(FOUND, "a", "c")) == 4


def test_wins_and_losses_fall_into_buckets_that_mirror_each_other():
    table = wins(FOUND, "a", "b", edges=[1, 3, 10])
    lacking = ["only run_a", "only run_b", "neither"]
    assert table["bucket"].tolist() == [
        "≤ −10",
        "−9 to −3",
        "−2 to −1",
        "0",
        "1 to 2",
        "3 to 9",
        "≥ 10",
        *lacking,
    ]
    assert table["class"].tolist() == ["earlier"] * 3 + ["same"] + ["later"] * 3 + lacking
    # the item that b lacks is no win by 10
    assert table["count"].tolist() == [0, 1, 1, 1, 0, 0, 0, 1, 0, 0]
    assert table["fraction"].tolist() == [0] + [0.25] * 3 + [0] * 3 + [0.25, 0, 0]
    assert table["low"].tolist()[:7] == [-np.inf, -9, -2, 0, 1, 3, 10]
    assert table["high"].tolist()[:7] == [-10, -3, -1, 0, 2, 9, np.inf]
    assert table[["low", "high"]][7:].isna().all(axis=None)
    turned = wins(FOUND, "b", "a", edges=[1, 3, 10])["count"].tolist()
    assert turned == [*table["count"].tolist()[:7][::-1], 0, 1, 0]


def test_items_that_a_run_lacks_are_neither_sooner_nor_later():  # issue 12, item 5
    found = judged({"q": {"a": [1, inf, inf], "b": [2, 3, inf]}})
    counts = wins(found, "a", "b").groupby("class")["count"].sum()
    assert counts.to_dict() == {
        "earlier": 1,
        "same": 0,
        "later": 0,
        "only run_a": 0,
        "only run_b": 1,
        "neither": 1,
    }
    sample = pdeval.datasets.sample_judged(queries="common")
    table = wins(sample, "bm25", "ql").groupby("class")["count"].sum()
    retrieved = (
        sample.search_lengths(runs=["bm25", "ql"])
        .groupby(["query_id", "doc_id"])["retrieved"]
        .sum()
    )
    assert table[["earlier", "same", "later"]].sum() == (retrieved == 2).sum()
    assert table["only run_a"] + table["only run_b"] == (retrieved == 1).sum()
    assert table["neither"] == (retrieved == 0).sum()


def depths(a, b):
    """Join two runs of so many items; one of two relevant items is found, at rank 2."""
    rows = [
        (run, "q", "r" if at == 2 else f"{run}{at}", -at)
        for run, n in (("a", a), ("b", b))
        for at in range(1, n + 1)
    ]
    qrels = pd.DataFrame(
        [("q", "r", 1), ("q", "z", 1)], columns=["query_id", "doc_id", "relevance"]
    )
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"]).ireval.join(qrels)


LENGTHS = [
    lambda on, **o: on.search_lengths(**o),
    lambda on, **o: on.search_lengths.differences("a", "b", **o),
]


@pytest.mark.parametrize("ask", [*LENGTHS, lambda on: on.search_lengths.wins("a", "b")])
def test_lists_of_unequal_depth_are_warned_of_once(ask):  # issue 12, item 5
    text = (
        r"unequal depth for 1 query, .*'a' returned 5 items for 'q' and another run 20\."
        r".*unretrieved=\"corpus\".*depth="
    )
    with pytest.warns(UserWarning, match=text) as said:
        ask(depths(5, 20))
    assert len(said) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("ask", LENGTHS)
def test_lists_of_equal_depth_or_by_the_corpus_rule_are_not_warned_of(ask):  # issue 12, item 5
    ask(depths(9, 9))
    ask(depths(5, 20), unretrieved="corpus")
    all_found = judged({"q": {"a": [1], "b": [2]}}).tables
    shorter = all_found[0].frame.query("run == 'b' or score > -5")
    ask(shorter.ireval.join(all_found[1].frame))  # nothing is missing from the shorter list


@pytest.mark.broad
def test_the_buckets_are_those_that_the_plot_makes_of_the_differences():
    Figure = pytest.importorskip("matplotlib.figure").Figure

    axes = [
        asl_wins(frame, ax=Figure().subplots())
        for frame in (wins(FOUND, "a", "b"), differences(FOUND, "a", "b"))
    ]
    heights = [[bar.get_height() for bar in ax.patches] for ax in axes]
    names = [[label.get_text() for label in ax.get_xticklabels()] for ax in axes]
    assert heights[0] == heights[1]
    assert names[0] == names[1]


def test_a_run_is_not_compared_with_itself():
    with pytest.raises(ValueError, match=r"a run cannot be compared with itself: 'a'."):
        differences(FOUND, "a", "a")
