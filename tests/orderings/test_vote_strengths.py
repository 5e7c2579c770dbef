"""Votes counted by who met whom: counts, groups that belong together, chains, and who was never beaten."""

import numpy as np
import pytest

from pdeval.orderings.vote_strengths import Counts

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
