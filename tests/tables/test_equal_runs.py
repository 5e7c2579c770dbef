"""Stretches of equal values, against what scipy says of ranks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from pdeval.tables.equal_values import average_ranks, begins_along, firsts, lasts

values = st.tuples(st.integers(1, 5), st.integers(1, 8)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.5, 1.0, np.inf]))
)


@given(values, st.sampled_from([0, 1]))
def test_ranks_of_equals_are_their_average_along_either_axis(x, axis):
    ordered = np.sort(x, axis=axis)
    rank, equals = average_ranks(ordered, axis=axis)
    np.testing.assert_array_equal(rank, stats.rankdata(ordered, axis=axis))
    np.testing.assert_array_equal(
        equals, np.apply_along_axis(lambda v: [(v == one).sum() for one in v], axis, ordered)
    )


@given(values)
def test_the_first_and_last_places_are_the_least_and_largest_rank(x):
    new = begins_along(np.sort(x))
    np.testing.assert_array_equal(
        firsts(new) + 1, stats.rankdata(np.sort(x), method="min", axis=-1)
    )
    np.testing.assert_array_equal(lasts(new) + 1, stats.rankdata(np.sort(x), method="max", axis=-1))


def test_neighbors_within_the_tolerance_are_equal_and_chain():
    assert begins_along(np.array([0.0, 0.4, 0.8, 2.0]), tolerance=0.5).tolist() == [
        True,
        False,
        False,
        True,
    ]
    rows = begins_along(np.array([[0.0, 1.0], [0.0, 1.0]]), tolerance=np.array([[2.0], [0.5]]))
    assert rows.tolist() == [[True, False], [True, True]]


def test_two_infinities_are_equal_under_a_tolerance():
    assert begins_along(np.array([1.0, np.inf, np.inf]), tolerance=0.1).tolist() == [
        True,
        True,
        False,
    ]


def test_nothing_has_no_stretches():
    assert (
        firsts(begins_along(np.empty((2, 0)))).shape
        == lasts(begins_along(np.empty((2, 0)))).shape
        == (2, 0)
    )
