"""Pairs, blocks of differences, and preferences as matrices."""

import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate.cube import Preferences, Scores
from pdeval.significance.compared import Pairs, additive, square

RUNS = pd.DataFrame({"run": ["a", "b", "c"]})
QUERIES = pd.Index(["1", "2"], name="query_id")


def table():
    values = np.array([[[0.1, 0.2, 0.3], [-0.5, 0.0, 1.0]]])
    return Preferences(RUNS, QUERIES, ("RPP",), np.array([0, 2, 1]), np.array([1, 0, 2]), values)


def test_pairs_are_turned_so_that_the_baseline_comes_second():
    pairs = Pairs.of(table(), baseline="a")
    assert (pairs.a.tolist(), pairs.b.tolist()) == ([1, 2], [0, 0])
    ((numbers, D),) = pairs.blocks(0)
    assert numbers.tolist() == [0, 1]
    assert D.tolist() == [[-0.1, 0.2], [0.5, 0.0]]


def test_a_turned_tie_is_no_negative_zero():
    pairs = Pairs.of(table(), baseline="c")
    ((_, D),) = pairs.blocks(0)
    assert not np.signbit(D[1, 0])
    scores = Scores(RUNS, QUERIES, ("ASL",), np.ones((1, 2, 3)), np.array([False]))
    ((_, D),) = Pairs.of(scores).blocks(0)
    assert not np.signbit(D).any()


def test_a_matrix_has_every_pair_in_both_directions():
    first = square(table(), 0, "hsd")[0]
    assert first.tolist() == [[0.0, 0.1, -0.2], [-0.1, 0.0, 0.3], [0.2, -0.3, 0.0]]


def test_score_differences_are_recognised_and_other_preferences_are_not():
    x = np.random.default_rng(0).random((4, 6)) * 1000
    T = x[:, :, None] - x[:, None, :]
    found = additive(T)
    assert found[:, :, None] - found[:, None, :] == pytest.approx(T, abs=1e-9)
    T[3, 4, 5] += 1e-6
    T[3, 5, 4] -= 1e-6
    assert additive(T) is None


def test_all_ties_are_differences_of_equal_scores():
    assert additive(np.zeros((2, 3, 3))).tolist() == [[0.0, 0.0, 0.0]] * 2


def test_a_table_without_pairs_is_refused():
    empty = Preferences(RUNS, QUERIES, ("RPP",), np.array([], int), np.array([], int), np.empty((1, 2, 0)))
    with pytest.raises(ValueError, match="the preferences table has no pair of runs"):
        Pairs.of(empty)


def test_a_table_without_measures_is_refused():
    with pytest.raises(ValueError, match="the table has no measure"):
        Pairs.of(Scores(RUNS, QUERIES, (), np.empty((0, 2, 3)), np.array([], bool)))
