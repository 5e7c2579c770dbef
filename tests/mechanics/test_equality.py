"""Equal numbers: signs within rounding, and pairs of equals counted without forming them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.mechanics.equality import apart, begins, equal_pairs, pairs_of, signs


def test_differences_that_only_rounding_makes_have_no_sign():
    assert signs(np.array([0.1 + 0.2 - 0.3, -1e-13, 1e-11, -1e-11])).tolist() == [0, 0, 1, -1]


def test_what_is_not_a_number_has_no_sign_and_infinity_has_one():
    assert signs(np.array([np.nan, np.inf, -np.inf])).tolist() == [0, 1, -1]


def test_a_stretch_begins_where_any_column_changes():
    assert begins(np.array([[1, 1, 2], [3, 4, 4]])).tolist() == [[True, False, True], [True, True, False]]
    assert begins(np.array([1, 1, 1]), np.array([7, 8, 8])).tolist() == [True, True, False]
    assert begins(np.zeros(0)).tolist() == []


@given(st.lists(st.sampled_from([1.0, 2.0, 3.0, np.inf]), max_size=8))
def test_equal_pairs_are_those_that_a_walk_over_all_pairs_finds(values):
    expected = sum(x == y for x, y in itertools.combinations(values, 2))
    assert equal_pairs(np.array(values)) == expected
    assert pairs_of(np.array(len(values))) == len(list(itertools.combinations(values, 2)))


@pytest.mark.parametrize("counts", [[True, True, True], [True, False, True], [False, False, False]])
def test_what_does_not_count_equals_nothing(counts):
    values = np.array([5.0, 5.0, 5.0])
    assert equal_pairs(apart(values, np.array(counts))) == pairs_of(np.array(sum(counts)))
