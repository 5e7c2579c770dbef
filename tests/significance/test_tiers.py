"""Tiers: longest stretches of an order in which no run beats one below it, against all stretches."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.significance.leaderboard import stretches_alike, tiers


@st.composite
def orders(draw):
    """Return ranks with ties, and which runs are told apart."""
    n = draw(st.integers(1, 7))
    score = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    rank = (score[None, :] > score[:, None]).sum(axis=1) + 1
    upper = np.array(draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))).reshape(n, n)
    differs = np.triu(upper, k=1)
    return rank, differs | differs.T


@given(orders())
def test_stretches_are_those_that_no_longer_one_holds(given):
    _, differs = given
    n = len(differs)
    alike = [
        (i, j) for i in range(n) for j in range(i, n) if not differs[i : j + 1, i : j + 1].any()
    ]
    longest = [
        (i, j)
        for i, j in alike
        if not any((a, b) != (i, j) and a <= i and j <= b for a, b in alike)
    ]
    assert stretches_alike(differs) == longest


@given(orders())
def test_a_tier_holds_runs_of_neighbouring_ranks_none_of_which_differ(given):
    rank, differs = given
    low, high, _ = tiers(rank, differs)
    assert low.min() == 1
    for tier in range(1, high.max() + 1):
        members = np.flatnonzero((low <= tier) & (tier <= high))
        between = (rank >= rank[members].min()) & (rank <= rank[members].max())
        assert np.flatnonzero(between).tolist() == members.tolist()
        for a, b in itertools.combinations(members, 2):
            assert not differs[a, b] or rank[a] == rank[b]


@given(orders(), st.randoms())
def test_tiers_do_not_depend_on_the_order_of_rows(given, random):
    rank, differs = given
    by = list(range(len(rank)))
    random.shuffle(by)
    shuffled = tiers(rank[by], differs[np.ix_(by, by)])
    for found, again in zip(tiers(rank, differs), shuffled):
        assert found[by].tolist() == again.tolist()


def test_runs_of_equal_rank_are_in_the_same_tiers_though_only_one_of_them_differs():
    differs = np.zeros((3, 3), dtype=bool)
    differs[1, 2] = differs[2, 1] = True
    low, high, top = tiers(np.array([1, 1, 3]), differs)
    assert (low.tolist(), high.tolist()) == ([1, 1, 2], [1, 1, 2])
    assert top.tolist() == [True, True, False]


@pytest.mark.parametrize("n", [1, 3])
def test_where_nothing_differs_there_is_one_tier(n):
    low, high, top = tiers(np.arange(1, n + 1), np.zeros((n, n), dtype=bool))
    assert (set(low), set(high), top.all()) == ({1}, {1}, True)


def test_a_run_that_beats_one_above_it_does_not_open_a_tier():
    beats = np.zeros((2, 2), dtype=bool)
    beats[1, 0] = True
    assert [found.tolist() for found in tiers(np.array([1, 2]), beats)] == [
        [1, 1],
        [1, 1],
        [True, True],
    ]
    assert [found.tolist() for found in tiers(np.array([2, 1]), beats)] == [
        [2, 1],
        [2, 1],
        [False, True],
    ]
