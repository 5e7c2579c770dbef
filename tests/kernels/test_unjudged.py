"""Measures for incomplete judgments, by hand."""

import math

import numpy as np
import pytest

from pdeval import kernels as metrics
from tests.kernels.lists import value

#           1    2    3    4    5    6
RANKING = ["A", "n", "u", "B", "p", "C"]
GRADES = {"A": 1, "B": 1, "C": 1, "D": 1, "n": 0, "m": 0, "p": -1}
E = 1e-5


def inferred(j, r, n, u):
    return 1 / (j + 1) + j / (j + 1) * (r + n + u) / j * (r + E) / (r + n + 2 * E)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Bpref", (1 + (1 - 1 / 2) + (1 - 1 / 2)) / 4),
        ("GMbpref", 0.5),
        ("infAP", (1 + inferred(3, 1, 1, 0) + inferred(5, 2, 1, 1)) / 4),
        ("Judged@3", 2 / 3),
        ("Judged@5", 3 / 5),  # p has a negative grade: pooled, not judged
        ("Judged@100", 4 / 6),
        ("Judged", 4 / 6),
        ("Unjudged@3", 1 / 3),
        ("Unjudged@100", 2 / 100),
        ("Unjudged", 2 / 6),
        ("RBPresidual(p=0.5)", 0.5 * (1 / 4 + 1 / 16) + 1 / 64),
    ],
)
def test_a_ranking_worked_by_hand(name, expected):
    assert value(name, RANKING, GRADES) == pytest.approx(expected, abs=1e-15)


def test_bpref_forgives_no_more_non_relevant_items_than_there_are_relevant_ones():
    ranking = ["n1", "n2", "n3", "A", "B"]
    grades = {"A": 1, "B": 1, "n1": 0, "n2": 0, "n3": 0}
    assert value("bpref", ranking, grades) == 0.0


def test_bpref_is_recall_where_nothing_non_relevant_was_judged():
    assert value("bpref", ["x", "A", "y"], {"A": 1, "B": 1}) == 0.5


def test_inferred_ap_is_nearly_ap_where_all_is_judged():
    ranking, grades = ["A", "n", "B", "m"], {"A": 1, "B": 1, "n": 0, "m": 0}
    assert value("infAP", ranking, grades) == pytest.approx(value("AP", ranking, grades), abs=1e-4)


def test_the_residual_is_zero_where_every_retrieved_item_is_judged():
    assert value("RBPresidual", ["A", "n"], GRADES) == 0.0
    assert value("RBPresidual", [], GRADES) == 0.0
    assert value("RBPresidual(p=0.5)", ["u", "A"], GRADES) == pytest.approx(1 - 0.25)


def test_unretrieved_items_add_nothing_and_raise_no_warning():
    nothing = np.full((2, 1), math.inf)
    with np.errstate(all="raise"):
        assert metrics.infAP(nothing, nothing, nothing).tolist() == [0.0]
        assert metrics.Bpref(nothing, nothing, np.array([3.0])).tolist() == [0.0]


def test_queries_without_relevant_items_have_a_judged_share_and_a_floor():
    assert metrics.GMbpref(np.zeros((0, 2)), np.zeros((0, 2)), np.ones(2)).tolist() == [1e-5, 1e-5]
    assert metrics.Judged(np.zeros((0, 2)), np.array([3.0, 0.0])).tolist() == [0.0, 0.0]


def random_lists(lists=24):
    """Return lists of 9 items: 4 of them relevant, 2 judged and not relevant, 2 pooled, 1 unknown."""
    rng = np.random.default_rng(3)
    return [rng.permutation(list("RSTUnmpqx"))[: at % 10].tolist() for at in range(lists)]


def above(shown, kind):
    """Return how many items of a kind stand above each relevant item, by rank; all of them above what is not shown."""
    places = sorted(shown.index(item) if item in shown else 99 for item in "RSTU")
    return [sum(item in kind for item in shown[:place]) for place in places]


def test_many_lists_of_relevant_items_are_measured_one_by_one():
    lists = random_lists()
    ranks = np.array(
        [
            sorted(1.0 + one.index(item) if item in one else math.inf for item in "RSTU")
            for one in lists
        ]
    ).T
    bad, pooled = (
        np.array([above(one, kind) for one in lists], dtype=float).T for kind in ("nm", "pq")
    )
    for judged in (2, 0, 5):  # 5: others were judged that no list holds
        wrong = bad if judged else np.zeros(bad.shape)
        found = metrics.Bpref(ranks, wrong, np.full(len(lists), judged))
        floored = metrics.GMbpref(ranks, wrong, np.full(len(lists), judged))
        for at in range(len(lists)):
            terms = [
                1 - (n / min(judged, 4) if n else 0)
                for n, f in zip(wrong[:, at], ranks[:, at])
                if f < math.inf
            ]
            assert found[at] == pytest.approx(sum(terms) / 4)
            assert floored[at] == max(found[at], 1e-5)
    guessed = metrics.infAP(ranks, bad, pooled)
    for at in range(len(lists)):
        items = zip(ranks[:, at], bad[:, at], pooled[:, at])
        terms = [
            1.0 if f == 1 else inferred(f - 1, r, n, u)
            for r, (f, n, u) in enumerate(items)
            if f < math.inf
        ]
        assert guessed[at] == pytest.approx(sum(terms) / 4, rel=1e-12)
    assert metrics.Bpref(ranks[:, :0], bad[:, :0], np.zeros(0)).shape == (0,)


@pytest.mark.parametrize("k", [math.inf, 1, 4, 30])
def test_many_lists_of_judged_items_are_measured_one_by_one(k):
    lists = random_lists()
    ranks = np.array(
        [sorted(1.0 + one.index(i) if i in one else math.inf for i in "RSTUnm") for one in lists]
    ).T
    retrieved = np.array([len(one) for one in lists])
    judged, unjudged = (
        metrics.Judged(ranks, retrieved, k=k),
        metrics.Unjudged(ranks, retrieved, k=k),
    )
    residual = metrics.RBPresidual(ranks, retrieved, p=0.7)
    for at, one in enumerate(lists):
        first = one[: int(min(k, 99))]
        known = sum(item in "RSTUnm" for item in first)
        assert judged[at] == (known / len(first) if first else 0.0)
        over = len(first) if k == math.inf else k
        assert unjudged[at] == ((len(first) - known) / over if over else 0.0)
        seen = sum(0.3 * 0.7**place for place, item in enumerate(one) if item in "RSTUnm")
        wanted = 0.0 if all(item in "RSTUnm" for item in one) else 1 - seen
        assert residual[at] == pytest.approx(wanted, abs=1e-15)
