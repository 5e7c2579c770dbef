"""Votes counted by who met whom: counts, groups that belong together, chains, and who was never beaten."""

import numpy as np
import pytest

from pdeval.orderings.vote_strengths import Counts, Fitted, many_fitted

# a against b three times for a and once for b; b ties with c; d beats e
ONE, TWO = np.array([0, 1, 0, 0, 1, 3]), np.array([1, 0, 1, 1, 2, 4])
SIGN = np.array([1, -1, 1, -1, 0, 1])


def test_votes_are_counted_whichever_side_a_system_stood_on():
    counts = Counts.of(ONE, TWO, SIGN, 5)
    met = np.zeros((5, 5))
    net = np.zeros((5, 5))
    for one, two, sign in zip(ONE, TWO, SIGN, strict=True):
        met[one, two] += 1
        met[two, one] += 1
        net[one, two] += sign
        net[two, one] -= sign
    assert counts.met.tolist() == met.tolist()
    assert [one.tolist() for one in counts.tables(counts.times())] == [net.tolist(), met.tolist()]
    assert counts.groups == 6


def test_votes_that_belong_together_are_counted_by_group():
    together = np.array([2, 0, 0, 1, 1, 2])
    counts = Counts.of(ONE, TWO, SIGN, 5, together)
    assert counts.groups == 3
    held = np.zeros((3, counts.kinds))
    held[counts.cell_group, counts.cell_kind] = counts.cell_n
    assert held.sum(axis=1).tolist() == [2, 2, 2]
    assert held.sum(axis=0).tolist() == counts.n.tolist()


def test_systems_fall_into_groups_that_chains_of_votes_join():
    assert [one.tolist() for one in Counts.of(ONE, TWO, SIGN, 6).apart()] == [[0, 1, 2], [3, 4], [5]]


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([(0, 1, 1), (0, 1, 1), (0, 1, -1)], None),  # beaten once
        ([(0, 1, 1), (0, 1, 0)], None),  # tied once
        ([(0, 1, 1), (0, 1, 1)], [0]),
        ([(0, 1, 1), (1, 2, 1), (2, 0, 1)], None),  # a beats b beats c beats a
        ([(0, 1, 1), (1, 0, 1), (0, 2, 1), (1, 2, 1)], [0, 1]),  # both are beaten, by each other alone
    ],
)
def test_systems_that_no_other_beat_or_tied_are_found(votes, expected):
    one, two, sign = np.array(votes).T
    found = Counts.of(one, two, sign, int(max(one.max(), two.max())) + 1).unbeaten()
    assert (None if found is None else found.tolist()) == expected


def test_resamples_without_a_prior_have_strengths_where_every_system_beat_every_other_over_some():
    met = np.ones((3, 3)) - np.eye(3)
    shared = np.stack([4.0 * met] * 4)
    net = np.zeros((4, 3, 3))
    net[0] = [[0, 2, -2], [-2, 0, 2], [2, -2, 0]]  # in a circle: nobody is stronger
    net[1] = [[0, 4, 2], [-4, 0, 0], [-2, 0, 0]]  # the first lost one vote to the third
    net[2] = [[0, 4, 4], [-4, 0, 2], [-4, -2, 0]]  # the first lost none
    net[3] = [[0, 2, 4], [-2, 0, 4], [-4, -4, 0]]  # the last won none
    found = many_fitted(net, shared, met, Fitted(np.zeros(3), np.zeros((3, 3)), 0.0))
    assert np.isnan(found).all(axis=1).tolist() == [False, False, True, True]
    np.testing.assert_allclose(found[0], 0.0, atol=1e-8)
    odds = np.exp(found[1])
    expected = (shared[1] * odds[:, None] / (odds[:, None] + odds)).sum(axis=1)
    np.testing.assert_allclose(expected, ((shared[1] + net[1]) / 2).sum(axis=1), atol=1e-6)
    only = many_fitted(net[2:], shared[2:], met, Fitted(np.zeros(3), np.zeros((3, 3)), 0.0))
    assert np.isnan(only).all()
    kept = many_fitted(net, shared, met, Fitted(np.zeros(3), np.zeros((3, 3)), 1.0))  # a prior keeps all finite
    assert np.isfinite(kept).all()
    assert kept[2].argmax() == 0
    assert kept[3].argmin() == 2
