"""Measures of the retrieved set and counts, by hand: 2 of 4 relevant items among 5, 3 judged non-relevant."""

import numpy as np
import pytest

from pdeval import kernels as metrics
from tests.kernels.lists import value

RANKING = ["A", "n1", "u1", "B", "n2"]
GRADES = {"A": 1, "B": 2, "C": 1, "D": 3, "n1": 0, "n2": 0, "n3": 0, "p": -1}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SetP", 2 / 5),
        ("SetR", 2 / 4),
        ("SetF", 2 * 0.4 * 0.5 / 0.9),
        ("SetF(beta=2)", 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)),
        ("SetF(x=4)", 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)),
        ("set_F_0.5", 1.5 * 0.4 * 0.5 / (0.5 * 0.4 + 0.5)),
        ("SetRelP", 2 / 4),
        ("SetAP", 4 / 20),
        ("Utility", 2 - 3),
        ("utility_2,-1,-3,0", 4 - 3 - 6),
        (
            "Utility(hit=0,noise=0,rest=1)",
            2,
        ),  # of 9 items, n3 and p are neither retrieved nor relevant
        ("NumQ", 1),
        ("NumRet", 5),
        ("NumRel", 4),
        ("NumRelRet", 2),
        ("NumRelRet@3", 1),
        ("NumNonrelRet", 2),
    ],
)
def test_a_set_worked_by_hand(name, expected):
    assert value(name, RANKING, GRADES) == pytest.approx(expected, abs=1e-15)


def test_a_level_makes_lower_grades_judged_non_relevant():
    assert value("NumNonrelRet", RANKING, GRADES, level=2) == 3
    assert value("SetP", RANKING, GRADES, level=2) == 1 / 5


@pytest.mark.parametrize("name", ["SetP", "SetR", "SetF", "SetRelP", "SetAP"])
def test_an_empty_set_scores_zero(name):
    assert value(name, [], {"A": 1}) == 0.0


def test_counts_exist_for_queries_without_relevant_items():
    nothing = np.zeros((0, 2, 3))
    shape = np.full((2, 3), 7.0)
    assert metrics.NumRel(nothing, shape).tolist() == np.zeros((2, 3)).tolist()
    assert metrics.NumRelRet(nothing).tolist() == np.zeros((2, 3)).tolist()
    assert metrics.NumRet(shape).tolist() == shape.tolist()
    assert metrics.NumQ(shape).tolist() == np.ones((2, 3)).tolist()
    assert metrics.Utility(nothing, shape, np.full((2, 1), 9.0)).tolist() == (-shape).tolist()


def test_many_sets_are_measured_one_by_one():
    rank = np.array([[1.0, 2.0, np.inf], [3.0, np.inf, np.inf]])
    retrieved = np.array([4, 2, 0])
    assert metrics.SetP(rank, retrieved).tolist() == [2 / 4, 1 / 2, 0.0]
    assert metrics.SetP(rank, retrieved, relative=True).tolist() == [1.0, 1 / 2, 0.0]
    assert metrics.SetR(rank).tolist() == [1.0, 0.5, 0.0]
    assert metrics.SetF(rank, retrieved).tolist() == pytest.approx([2 / 3, 1 / 2, 0.0])
    assert metrics.SetF(rank, retrieved, beta=9.0, x=1.0).tolist() == pytest.approx(
        [2 / 3, 1 / 2, 0.0]
    )
    assert metrics.SetAP(rank, retrieved).tolist() == [4 / 8, 1 / 4, 0.0]
    assert metrics.NumRelRet(rank, k=2).tolist() == [1.0, 1.0, 0.0]
    worth = metrics.Utility(
        rank, retrieved, np.array([9, 9, 9]), hit=10.0, noise=-1.0, miss=0.5, rest=0.25
    )
    assert worth.tolist() == [20 - 2 + 5 / 4, 10 - 1 + 0.5 + 6 / 4, 1 + 7 / 4]


def test_counts_are_doubles_whatever_they_were_counted_in():
    few = np.array([200], dtype=np.uint8)
    rank = np.array([[1.0], [2.0], [np.inf]])
    assert float(metrics.SetAP(rank, few)[0]) == 4 / 600
    made = [
        metrics.NumQ(few),
        metrics.NumRet(few),
        metrics.NumRel(rank, few),
        metrics.NumRelRet(rank),
    ]
    for one in [*made, metrics.NumNonrelRet(few), metrics.SetP(rank, few)]:
        assert one.dtype == np.float64
