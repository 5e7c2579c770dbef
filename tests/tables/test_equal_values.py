"""Equal numbers: signs within rounding, and pairs of equals counted without forming them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.tables.equal_values import (
    begins,
    cleared,
    equal_pairs,
    gap,
    pairs_of,
    separate_uncounted,
    settled,
    signs,
    size_of,
)


def test_differences_that_only_rounding_makes_have_no_sign():
    assert signs(np.array([0.1 + 0.2 - 0.3, -1e-13, 1e-11, -1e-11]), 1.0).tolist() == [0, 0, 1, -1]


def test_what_is_not_a_number_has_no_sign_and_infinity_has_one():
    assert signs(np.array([np.nan, np.inf, -np.inf]), 1.0).tolist() == [0, 1, -1]


def test_a_stretch_begins_where_any_column_changes():
    assert begins(np.array([[1, 1, 2], [3, 4, 4]])).tolist() == [
        [True, False, True],
        [True, True, False],
    ]
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
    assert equal_pairs(separate_uncounted(values, np.array(counts))) == pairs_of(
        np.array(sum(counts))
    )


def test_values_that_differ_by_rounding_become_the_same_and_others_stay():
    values = np.array([[0.1 + 0.2, 0.3, 0.5, np.nan], [1e6 * (0.1 + 0.2), 1e6 * 0.3, -1e-17, 0.0]])
    found = settled(values)
    assert found[0].tolist()[:3] == [0.3, 0.3, 0.5]
    assert np.isnan(found[0, 3])
    assert found[1, 0] == found[1, 1]
    assert found[1, 2] == found[1, 3]


def test_small_values_of_one_sign_are_sums_of_small_numbers_and_stay_apart():
    values = np.array(
        [[0.5**70, 0.5**72, 0.0], [0.5, 0.25, 0.125]]
    )  # RBP of a relevant item far down
    assert settled(values) is values


def test_values_apart_by_more_than_rounding_are_left_alone_to_the_bit():
    values = np.random.default_rng(0).uniform(size=(20, 9))
    assert settled(values) is values


def test_one_huge_value_does_not_make_the_others_equal():
    values = np.array([[1.0, 2.0, 1e15], [0.001, 0.002, 0.003]])
    assert settled(values) is values


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9])
def test_what_is_equal_does_not_depend_on_the_unit(scale):
    values = np.array([[0.1 + 0.2, 0.3, 0.31], [0.5, 0.7, 0.9]])
    assert len(np.unique(settled(values * scale)[0])) == 2


def test_signs_take_the_size_of_what_was_subtracted():
    assert signs(np.array([1e-9, 1e-3]), np.array([1e6, 1e6])).tolist() == [0, 1]


def test_differences_that_are_rounding_become_zero():
    found = cleared(np.array([[1e-16, 5e3], [-1e-13, 1e-10], [np.nan, -1e3]]), 1.0)
    assert np.array_equal(found, [[0.0, 5e3], [0.0, 0.0], [np.nan, -1e3]], equal_nan=True)


def test_one_infinite_difference_does_not_make_the_others_rounding():
    assert cleared(np.array([[np.inf], [0.5]]), 0.0).tolist() == [[np.inf], [0.5]]
    assert settled(np.array([-1.0, 1.0, 1.5, np.inf])).tolist() == [-1.0, 1.0, 1.5, np.inf]


def test_a_gap_is_zero_where_the_larger_value_could_not_tell():
    x = np.array([0.1 + 0.2, 1e-15, 3e6 * (0.1 + 0.2), np.inf, np.inf, np.nan])
    y = np.array([0.3, 2e-15, 3e6 * 0.3, np.inf, 1.0, 1.0])
    assert np.array_equal(gap(x, y), [0.0, -1e-15, 0.0, 0.0, np.inf, np.nan], equal_nan=True)
    assert gap(1e-15, 2e-15, 1.0) == 0


def test_the_size_of_values_is_that_of_the_largest_finite_one():
    assert size_of(np.array([np.nan, -2.0, np.inf]), np.array([1.0])) == 2.0
    assert size_of(np.zeros(0)) == 0.0
