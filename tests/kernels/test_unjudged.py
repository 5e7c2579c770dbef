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
