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
        (
            "ASL(unretrieved=corpus)",
            (2 + 3 + 5) / 3,
        ),  # 7 items, 3 of them relevant: 4 irrelevant ones stand above C
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
    assert (
        value("ASL", [], GRADES, corpus=7)
        == value("ASL(unretrieved=corpus)", [], GRADES, corpus=7)
        == 5.0
    )


def test_the_length_of_each_item_is_the_base_of_the_mean():
    found = np.array([2.0, 4.0, math.inf])
    assert metrics.atomized(found, 5.0, 7.0).tolist() == [2.0, 3.0, 3.0]
    assert metrics.atomized(found, 5.0, 7.0, unretrieved="corpus").tolist() == [2.0, 3.0, 5.0]


def test_relative_reduction_in_error_is_the_same_for_both_directions():
    assert metrics.relative_reduction_in_error(0.6, 0.8) == pytest.approx(0.5)
    assert metrics.relative_reduction_in_error(11.0, 3.5) == pytest.approx(0.75)
    assert metrics.relative_reduction_in_error(0.8, 0.6) == pytest.approx(-1.0)
    assert np.isnan(metrics.relative_reduction_in_error(1.0, 0.5))


RANKS = np.array([[1.0, 2.0, math.inf], [4.0, math.inf, math.inf], [6.0, math.inf, math.inf]])
RETRIEVED, CORPUS = np.array([8.0, 3.0, 0.0]), np.array([9.0, 9.0, 7.0])


@pytest.mark.parametrize("rule", ["never", "corpus"])
def test_search_lengths_of_many_lists_are_those_of_each_alone(rule):
    # the last places of the corpus are for items that were not retrieved
    places = np.where(
        np.isfinite(RANKS), RANKS, np.array([[7.0, 7.0, 5.0], [8.0, 8.0, 6.0], [9.0, 9.0, 7.0]])
    )
    wanted = RANKS if rule == "never" else places
    for i in (1, 2, 3):
        assert metrics.ESL(RANKS, CORPUS, i=i, unretrieved=rule).tolist() == wanted[i - 1].tolist()
    beyond = [math.inf] * 3 if rule == "never" else CORPUS.tolist()
    found = metrics.ESL(RANKS, CORPUS, i=4, unretrieved=rule)
    assert (found.tolist(), found.dtype) == (beyond, np.float64)
    assert metrics.ISL(RANKS, CORPUS, unretrieved=rule).tolist() == wanted[0].tolist()
    assert metrics.TSL(RANKS, CORPUS, unretrieved=rule).tolist() == wanted[-1].tolist()


def test_without_a_corpus_what_was_not_retrieved_is_never_reached():
    for rule in ("never", "corpus"):
        assert metrics.ESL(RANKS, i=2, unretrieved=rule).tolist() == RANKS[1].tolist()
        assert metrics.ESL(RANKS, i=9, unretrieved=rule).tolist() == [math.inf] * 3
    assert metrics.TSE(RANKS).tolist() == [1 / 6, 0.0, 0.0]
    whole = metrics.ISL(np.array([2, 5]))
    assert (float(whole), whole.dtype) == (2.0, np.float64)


@pytest.mark.parametrize("n", [1, 2, 3, 4, math.inf])
@pytest.mark.parametrize("rule", ["run", "corpus"])
def test_atomized_lengths_of_many_lists_are_averaged_over_the_first_items(rule, n):
    found = metrics.ASL(RANKS, RETRIEVED, CORPUS, unretrieved=rule, n=n)
    # not retrieved: 2 of the run's 3 items are above, or all that are not relevant, as for the empty run
    lost = {"run": [None, 2.0, 5.0], "corpus": [None, 7.0, 5.0]}[rule]
    lengths = [[1.0, 3.0, 4.0], [2.0, lost[1], lost[1]], [lost[2]] * 3]
    first = int(min(n, 3))
    assert found.tolist() == pytest.approx([sum(one[:first]) / first for one in lengths])
    whole = metrics.atomized(np.array([1, 3]), 4, 6, unretrieved=rule)
    assert (whole.tolist(), whole.dtype) == ([1.0, 2.0], np.float64)


def test_the_error_that_goes_away_is_told_for_many_and_for_another_best():
    a, b = [0.5, 1.0, 3.0], [0.75, 0.5, 2.0]
    np.testing.assert_allclose(metrics.relative_reduction_in_error(a, b), [0.5, math.nan, 0.5])
    np.testing.assert_allclose(
        metrics.relative_reduction_in_error(a, b, best=0.0), [-0.5, 0.5, 1 / 3]
    )
    few = np.array([0.1, 0.7], dtype=np.float32)
    wanted = (float(few[1]) - float(few[0])) / (1 - float(few[0]))
    assert metrics.relative_reduction_in_error(few[:1], few[1:])[0] == pytest.approx(
        wanted, rel=1e-14
    )
    assert np.isnan(metrics.relative_reduction_in_error([1, 1], [1, 2])).all()
