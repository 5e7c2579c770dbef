"""Which labels and queries are kept."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.studies import robustness

QRELS = pd.DataFrame(
    {
        "query_id": ["q"] * 10 + ["s"] * 3,
        "doc_id": [f"d{i}" for i in range(10)] + ["e0", "e1", "e2"],
        "relevance": [1, 1, 2, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0],
    }
)
# d0 is found by three runs, d1 by two, d2 by one, d3 by none
RUNS = pd.DataFrame(
    {
        "run": list("aaabbc"),
        "query_id": "q",
        "doc_id": ["d0", "d1", "d2", "d0", "d1", "d0"],
        "score": [3.0, 2, 1, 2, 1, 1],
    }
)
FOUND = RUNS.ireval.join(QRELS)


def kept(needed, share, positive):
    judged = FOUND.positions.judged
    rows = (needed <= share) & (judged.grade > 0 if positive else judged.grade == 0)
    return np.bincount(judged.topic[rows], minlength=2).tolist()


@pytest.mark.parametrize(
    ("share", "relevant", "other"),
    [(0.01, [1, 1], [0, 0]), (0.5, [2, 1], [3, 1]), (0.9, [4, 1], [5, 2]), (1, [4, 1], [6, 2])],
)
def test_a_share_of_the_labels_is_that_share_of_relevant_and_of_other_items_of_each_query(
    share, relevant, other
):
    needed = robustness.label_order(FOUND, np.random.default_rng(3))
    assert kept(needed, share, True) == relevant
    assert kept(needed, share, False) == other


def test_one_relevant_item_at_the_level_stays():
    for seed in range(10):
        needed = robustness.label_order(FOUND.at(level=2), np.random.default_rng(seed))
        assert ((needed <= 0.01) & (FOUND.positions.judged.grade == 2)).sum() == 1


def test_the_pool_keeps_what_most_runs_returned():
    for seed in range(5):
        needed = robustness.label_order(FOUND, np.random.default_rng(seed), policy="pool")
        relevant = np.flatnonzero(
            (FOUND.positions.judged.topic == 0) & (FOUND.positions.judged.grade > 0)
        )
        assert np.argsort(needed[relevant]).tolist() == [0, 1, 2, 3]


def test_the_order_is_random_otherwise():
    relevant = np.flatnonzero(
        (FOUND.positions.judged.topic == 0) & (FOUND.positions.judged.grade > 0)
    )
    first = {
        int(np.argmin(robustness.label_order(FOUND, rng)[relevant]))
        for rng in robustness.streams(40, seed=0)
    }
    assert first == {0, 1, 2, 3}


@pytest.mark.parametrize("policy", ["random", "pool"])
def test_labels_are_thinned_alike_whether_or_not_the_join_holds_judged_non_relevant_items(policy):
    from pdeval.join.judged import join

    found = [join(RUNS, QRELS, complete=complete) for complete in (True, False)]
    one, other = (
        robustness.label_order(part, np.random.default_rng(1), policy=policy)[
            part.positions.judged.grade > 0
        ]
        for part in found
    )
    assert one.tolist() == other.tolist()


def test_the_numbers_of_a_draw_do_not_depend_on_how_many_draws_there_are():
    few = [rng.random() for rng in robustness.streams(2, seed=5)]
    many = [rng.random() for rng in robustness.streams(4, seed=5)]
    assert many[:2] == few
    assert len(set(many)) == 4


def test_numbers_of_queries_are_counts_or_shares():
    assert [part.tolist() for part in robustness.query_counts(None, 40)] == [
        [4, 8, 12, 16, 20, 24, 28, 32, 36, 40]
    ] * 2
    assert robustness.query_counts(None, 3)[1].tolist() == [1, 2, 3]
    assert robustness.query_counts([1], 40)[1].tolist() == [1]
    assert robustness.query_counts([1.0], 40)[1].tolist() == [40]
    assert robustness.query_counts([0.001, 0.25], 40)[1].tolist() == [1, 10]
    assert robustness.query_counts([5.0, 7.0], 40)[1].tolist() == [5, 7]


@pytest.mark.parametrize("keep", [[], [0], [41], [2.5, 7], ["a"]])
def test_impossible_numbers_of_queries_are_an_error(keep):
    with pytest.raises(
        ValueError, match=r"expected numbers of queries from 1 to 40, or fractions in \(0, 1\]."
    ):
        robustness.query_counts(keep, 40)


@pytest.mark.parametrize("keep", [[], [0.0], [1.5], [-0.1, 0.5]])
def test_impossible_shares_of_labels_are_an_error(keep):
    with pytest.raises(
        ValueError, match=r"expected fractions of the labels in \(0, 1\], e.g. \[0.1, 0.5, 1\]."
    ):
        robustness.shares(keep)


def test_the_sample_collection_thins_evenly():
    joined = pdeval.datasets.sample_judged()
    needed = robustness.label_order(joined, np.random.default_rng(0))
    sizes = [(needed <= share).mean() for share in (0.25, 0.5, 0.75, 1)]
    assert sizes == pytest.approx([0.25, 0.5, 0.75, 1], abs=0.02)
