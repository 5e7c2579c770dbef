"""Search length: positions, and irrelevant items passed; lower is better."""

import math

import numpy as np
import pytest

from pdeval import kernels as metrics
from tests.kernels.lists import value

RANKING = ["x1", "A", "x2", "B", "x3"]
GRADES = {"A": 1, "B": 1, "C": 1, "n": 0}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ESL", 2),
        ("ESL(i=2)", 4),
        ("ESL(i=3)", math.inf),
        ("ESL(i=4)", math.inf),
        ("ISL", 2),
        ("TSL", math.inf),
        ("TSE", 0),
        ("ASL", (2 + 3 + 3) / 3),
        ("ASL@g1-2", (2 + 3) / 2),
        ("ASL@g1-10", (2 + 3 + 3) / 3),
        ("ASL(unretrieved=corpus)", (2 + 3 + 5) / 3),  # 7 items, 3 of them relevant: 4 irrelevant ones stand above C
    ],
)
def test_a_ranking_worked_by_hand(name, expected):
    assert value(name, RANKING, GRADES) == expected


def test_a_complete_ranking_has_a_total_search_length():
    assert value("TSL", ["A", "x", "B"], {"A": 1, "B": 1}) == 3
    assert value("TSE", ["A", "x", "B"], {"A": 1, "B": 1}) == 1 / 3


def test_a_perfect_ranking_has_a_search_length_of_one():
    assert value("ASL", ["B", "A", "x"], {"A": 1, "B": 1}) == 1.0


def test_an_empty_ranking_is_measured_by_the_corpus_rule():
    # by the paper's rule it would be 0, better than perfect
    assert value("ASL", [], GRADES, corpus=7) == value("ASL(unretrieved=corpus)", [], GRADES, corpus=7) == 5.0


def test_the_length_of_each_item_is_the_base_of_the_mean():
    found = np.array([2.0, 4.0, math.inf])
    assert metrics.atomized(found, 5.0, 7.0).tolist() == [2.0, 3.0, 3.0]
    assert metrics.atomized(found, 5.0, 7.0, unretrieved="corpus").tolist() == [2.0, 3.0, 5.0]


def test_relative_reduction_in_error_is_the_same_for_both_directions():
    assert metrics.relative_reduction_in_error(0.6, 0.8) == pytest.approx(0.5)
    assert metrics.relative_reduction_in_error(11.0, 3.5) == pytest.approx(0.75)
    assert metrics.relative_reduction_in_error(0.8, 0.6) == pytest.approx(-1.0)
    assert np.isnan(metrics.relative_reduction_in_error(1.0, 0.5))
