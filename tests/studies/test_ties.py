"""Ties, counted by hand and over all pairs."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval import studies
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import Views
from pdeval.studies.ties import ties, ties_by_first, ties_by_recall
from tests.examples import examples
from tests.studies.rankings import inf, judged, random_judged

pytestmark = pytest.mark.filterwarnings("ignore:.*judged queries are missing")

FOUND = judged(
    {
        "q": {"a": [1, 3, inf], "b": [1, 4, inf], "c": [2, 3, inf], "d": [1, 3, inf]},
        "s": {"a": [2], "b": [inf], "c": [inf], "d": [2]},
    }
)


def test_ties_are_counted_per_measure():
    table = ties(FOUND)
    assert table.columns.tolist() == ["measure", "pairs", "ties", "tied_fraction"]
    # q: RR ties a, b, d (3 pairs), lexicographic precision a, d; s: a, d and b, c
    assert table[["measure", "pairs", "ties"]].to_numpy().tolist() == [
        ["RR", 12, 5],
        ["sgnLP", 12, 3],
    ]
    assert table["tied_fraction"].tolist() == pytest.approx([5 / 12, 3 / 12])


def test_ties_are_counted_per_query_on_request():
    table = ties(FOUND, ["RR", "rrLP"], per="query")
    assert table[["measure", "query_id", "ties"]].to_numpy().tolist() == [
        ["RR", "q", 3],
        ["RR", "s", 2],
        ["rrLP", "q", 1],
        ["rrLP", "s", 2],
    ]


def test_ties_by_recall_level_count_pairs_at_the_same_rank_and_both_unretrieved_as_tied():
    table = ties_by_recall(FOUND)
    # level 1: q 3, s 2; level 2: a, c, d of q; level 3: nobody found it
    assert table.to_numpy().tolist() == [[1, 12, 5, 5 / 12], [2, 6, 3, 0.5], [3, 6, 6, 1.0]]
    assert ties_by_recall(FOUND, levels=1)["ties"].tolist() == [5]


def test_ties_given_the_first_rank_count_ordered_pairs():
    # rank 1: 3 runs of q, each meets 3 others, 2 of them at 1; rank 2: c of q meets none, a and d of s each other
    table = ties_by_first(FOUND)
    assert table[["p1", "pairs", "ties"]].to_numpy().tolist() == [[1, 9, 6], [2, 9, 2]]
    assert table["tied_fraction"].tolist() == pytest.approx([6 / 9, 2 / 9])


def test_ties_of_scores_ignore_rounding_and_pairs_that_do_not_count():
    runs, queries = pd.DataFrame({"run": list("abc")}), pd.Index(["1"], name="query_id")
    cube = Scores(runs, queries, ("AP",), np.array([[[0.1 + 0.2, 0.3, np.nan]]]), np.array([True]))
    assert ties(cube)[["pairs", "ties"]].to_numpy().tolist() == [[1, 1]]


def test_two_infinite_search_lengths_are_tied():
    found = judged({"q": {"a": [1, inf], "b": [2, inf], "c": [2, 3]}})
    assert ties(found, "TSL")["ties"].tolist() == [1]
    assert ties(evaluate.scores(found, "TSL"))[["pairs", "ties"]].to_numpy().tolist() == [[3, 1]]


def test_runs_that_do_not_count_tie_with_nobody():
    found = judged(
        {
            "q": {"a": [1], "b": [1], "c": None, "d": None},
            "s": {"a": [2], "b": [3], "c": [4], "d": [4]},
        }
    )
    table = ties_by_recall(found.at(queries="answered"))
    assert table[["pairs", "ties"]].to_numpy().tolist() == [[7, 2]]
    assert ties_by_recall(found)[["pairs", "ties"]].to_numpy().tolist() == [[12, 3]]
    first = ties_by_first(found.at(queries="answered")).set_index("p1")
    assert first.loc[1, ["pairs", "ties"]].tolist() == [2, 2]


@pytest.mark.filterwarnings("ignore:no item of")
@examples(25)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(2, 7))
def test_counts_without_pairs_equal_counts_over_pairs(seed, queries, runs):
    found = random_judged(np.random.default_rng(seed), queries=queries, runs=runs)
    by_level, by_first = (
        ties_by_recall(found).set_index("recall"),
        ties_by_first(found).set_index("p1"),
    )
    levels, firsts = {}, {}
    for block in Views(found).blocks("binary", None):
        for topic in range(block.shape[0]):
            rank = block["rank"][:, topic]
            for x, y in itertools.combinations(range(runs), 2):
                for i in range(block.size):
                    levels.setdefault(i + 1, []).append(rank[i, x] == rank[i, y])
            for x, y in itertools.permutations(range(runs), 2):
                if rank[0, x] < inf:
                    firsts.setdefault(int(rank[0, x]), []).append(rank[0, x] == rank[0, y])
    assert {i: (len(v), sum(v)) for i, v in levels.items()} == {
        i: (row["pairs"], row["ties"]) for i, row in by_level.iterrows()
    }
    assert {p: (len(v), sum(v)) for p, v in firsts.items()} == {
        p: (row["pairs"], row["ties"]) for p, row in by_first.iterrows()
    }


def test_lexicographic_precision_ties_far_less_often_than_reciprocal_rank():
    joined = pdeval.datasets.sample_judged()
    tied = ties(joined, ["RR", "sgnLP", "rrLP"]).set_index("measure")["tied_fraction"]
    assert tied["sgnLP"] == tied["rrLP"]
    assert tied["sgnLP"] < tied["RR"] / 20


@pytest.mark.broad
def test_ties_on_trec_covid_are_as_known(shared_data):
    from pdeval.files import read_qrels, read_runs

    folder = shared_data / "trec-covid-r3"
    joined = read_runs(folder / "runs").ireval.join(
        read_qrels(folder / "qrels.txt"), level=1, compat="trec_eval-9", validate=False
    )
    table = ties(joined, ["RR", "sgnLP"])
    assert table["pairs"].tolist() == [40 * 79 * 78 // 2] * 2
    assert (100 * table["tied_fraction"]).round(2).tolist() == [54.02, 0.12]
    assert (
        ties_by_recall(joined, levels=1)["tied_fraction"].tolist()
        == table["tied_fraction"].tolist()[:1]
    )


def test_options_that_make_no_sense_are_named():
    with pytest.raises(ValueError, match=r"per='run': choose 'all' or 'query'."):
        FOUND.ties(per="run")
    with pytest.raises(ValueError, match=r"levels=0: expected an integer of at least 1\."):
        FOUND.ties.by_recall(levels=0)


def test_distinct_values_are_the_ranks_of_the_first_item_and_the_sets_of_ranks():
    table = studies.distinct_values(6, [1, 3, 6])
    for m, first, sets in zip(table["m"], table["reciprocal_rank"], table["lexiprecision"]):
        vectors = list(itertools.combinations(range(1, 7), int(m)))
        assert first == len({vector[0] for vector in vectors})
        assert sets == len(vectors)
    assert table["log10_lexiprecision"].tolist() == pytest.approx(np.log10([6, 20, 1]), abs=1e-12)
    large = studies.distinct_values(50_000, 500)
    assert large["lexiprecision"].tolist() == [np.inf]
    exact = math.comb(50_000, 500)
    assert large["log10_lexiprecision"].iloc[0] == pytest.approx(
        math.log10(exact >> 2000) + 2000 * math.log10(2), rel=1e-12
    )


@pytest.mark.parametrize(("n", "m"), [(5, 0), (5, 6), (5, [])])
def test_distinct_values_need_relevant_items(n, m):
    with pytest.raises(ValueError, match=r"distinct_values\(\) requires integers 1 <= m <= n"):
        studies.distinct_values(n, m)
