"""The kernels' vocabulary: words along axis 0 that serve one list and many alike."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.kernels import primitives
from pdeval.kernels.primitives import inf

LISTS = st.lists(st.floats(-100, 100), min_size=1, max_size=40)


def test_level_counts_from_one_and_broadcasts():
    assert primitives.level(np.zeros(3)).tolist() == [1.0, 2.0, 3.0]
    assert primitives.level(np.zeros((3, 2, 4))).shape == (3, 1, 1)


def test_cut_keeps_the_rank_of_the_cutoff_itself():
    assert primitives.cut([1.0, 5.0, 6.0], 5).tolist() == [1.0, 5.0, inf]
    assert primitives.cut([1.0, 5.0]).tolist() == [1.0, 5.0]


def test_unretrieved_items_are_not_found_at_any_cutoff():
    assert primitives.found([3.0, inf]).tolist() == [True, False]
    assert primitives.found([3.0, inf], 3).tolist() == [True, False]
    assert primitives.found([3.0, inf], 2).tolist() == [False, False]


@given(LISTS)
def test_total_adds_in_order_like_a_plain_loop(values):
    loop = 0.0
    for value in values:
        loop += value
    assert primitives.total(np.array(values)) == loop
    assert primitives.running(np.array(values))[-1] == loop


def test_total_of_no_levels_is_zero_for_every_list():
    assert primitives.total(np.zeros((0, 2, 3))).tolist() == np.zeros((2, 3)).tolist()


def test_total_of_many_lists_equals_each_list_alone():
    values = np.random.default_rng(0).random((50, 3, 4))
    assert primitives.total(values)[1, 2] == primitives.total(values[:, 1, 2])


def test_share_of_nothing_is_zero():
    assert primitives.share([1.0, 1.0], [2.0, 0.0]).tolist() == [0.5, 0.0]
    assert primitives.share(3, 4) == 0.75


def test_log2_is_the_c_librarys_to_the_last_bit():
    numbers = [1, 2, 3, 7, 10, 999, 1000, 123_457]
    assert primitives.log2(np.array(numbers, dtype=float)).tolist() == [
        math.log2(number) for number in numbers
    ]
    assert primitives.log2(np.array([inf]))[0] == inf


@pytest.mark.broad
def test_log2_keeps_the_shape_and_grows_its_table_on_demand():
    assert primitives.log2(np.full((2, 3), 2.0)).tolist() == [[1.0] * 3] * 2
    assert primitives.log2(np.array([2.0**21]))[0] == 21


def test_closer_is_zero_for_items_that_neither_found():
    assert primitives.closer([1.0, 4.0, inf, inf], [2.0, 3.0, inf, 7.0]).tolist() == [1, -1, 0, -1]


@given(LISTS, LISTS)
def test_closer_is_antisymmetric(x, y):
    n = min(len(x), len(y))
    x, y = np.array(x[:n]), np.array(y[:n])
    assert (primitives.closer(x, y) == -primitives.closer(y, x)).all()


def test_first_nonzero_decides_at_the_lowest_level():
    values = np.array([[0, 1], [-1, 0], [1, -1]])
    assert primitives.first_nonzero(values).tolist() == [-1, 1]
    assert primitives.first_nonzero(np.zeros((3, 2), dtype=int)).tolist() == [0, 0]
    assert primitives.first_nonzero(np.zeros((0, 2), dtype=int)).tolist() == [0, 0]


def test_weighted_mean_normalizes_its_weights():
    values = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert primitives.weighted_mean(values, np.array([3.0, 1.0])).tolist() == [0.75, 0.25]
    assert primitives.weighted_mean([1.0, 0.0], [2.0, 2.0]) == pytest.approx(0.5)


def test_of_nothing_the_first_that_is_not_zero_is_a_zero_of_its_own_type():
    for dtype in (np.int8, np.int64, np.float64):
        found = primitives.first_nonzero(np.ones((0, 3), dtype=dtype))
        assert (found.tolist(), found.dtype) == ([0, 0, 0], dtype)


def test_words_take_plain_lists_of_whole_numbers_and_give_doubles():
    made = [
        (primitives.cut([1, 5], 4), [1.0, inf]),
        (primitives.cut([1, 5]), [1.0, 5.0]),
        (primitives.total([[1, 2], [3, 4]]), [4.0, 6.0]),
        (primitives.total(np.array([[True, False], [True, True]])), [2.0, 1.0]),
        (primitives.running(np.array([True, True])), [1.0, 2.0]),
        (primitives.running([1, 2]), [1.0, 3.0]),
        (primitives.share([1, 2], [2, 0]), [0.5, 0.0]),
        (primitives.share([1, 2], 4), [0.25, 0.5]),
        (primitives.share([1, 2], 0), [0.0, 0.0]),
        (primitives.share(np.array([1, 2], dtype=np.float32), np.float32(4)), [0.25, 0.5]),
        (primitives.share(1, np.array([2, 4])), [0.5, 0.25]),
        (primitives.log2([1, 8]), [0.0, 3.0]),
        (primitives.power_of_two(np.array([0, 3])), [1.0, 8.0]),
        (primitives.weighted_mean([[1, 2], [3, 2]], [1, 1]), [2.0, 2.0]),
    ]
    for number, (found, wanted) in enumerate(made):
        assert (found.tolist(), found.dtype) == (wanted, np.float64), number
    assert primitives.found([[3, 4], [4, 5]], 4).tolist() == [[True, True], [True, False]]
    assert primitives.level([[3, 4], [4, 5]]).tolist() == [[1.0], [2.0]]
    assert primitives.first_nonzero([0, 0, -2, 5]).tolist() == -2
    assert primitives.items([4, 5, inf]) == 3
    assert primitives.items([4, 5, inf], 2) == 2


def test_a_share_of_many_wholes_has_the_shape_of_both():
    assert primitives.share(np.ones((2, 1)), [1.0, 2.0]).tolist() == [[1.0, 0.5], [1.0, 0.5]]
    assert primitives.share(1.0, 0).shape == ()


def test_a_grade_whose_power_no_number_holds_is_refused():
    assert primitives.power_of_two(1023.0) == 2.0**1023
    assert primitives.power_of_two(np.array([-1.0, 0.5])).tolist() == pytest.approx(
        [0.5, math.sqrt(2)]
    )
    assert primitives.power_of_two(np.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(ValueError, match=r"grade 1024 has an exponential gain of 2\^1024"):
        primitives.power_of_two(np.array([1.0, 1024.0]))


def test_logarithms_are_those_of_the_c_library_whatever_was_asked_before(monkeypatch):
    monkeypatch.setattr(primitives, "_LOG2", np.array([-inf]))
    for top in (0, 1, 2, 3, 9, 4):  # the table grows, is large enough, grows again
        found = primitives.log2(np.arange(top + 1.0))
        assert found.tolist() == [-inf, *(math.log2(number) for number in range(1, top + 1))]
    assert primitives.log2(np.zeros((0, 2))).shape == (0, 2)


def test_weights_are_of_levels_whatever_else_there_is_side_by_side():
    values = np.arange(24.0).reshape(3, 2, 4) ** 2
    weight = np.array([1.0, 5.0, 2.0])
    wanted = (values[0] + 5 * values[1] + 2 * values[2]) / 8
    np.testing.assert_allclose(primitives.weighted_mean(values, weight), wanted, rtol=1e-15)
    np.testing.assert_allclose(
        primitives.weighted_mean(values[:, 0], weight), wanted[0], rtol=1e-15
    )
    few, light = np.array([1 / 3, 0.7], dtype=np.float32), np.array([0.1, 0.9], dtype=np.float32)
    products = [float(one) * float(by) for one, by in zip(few, light)]
    assert primitives.weighted_mean(few, light) == pytest.approx(
        sum(products) / sum(map(float, light)), rel=1e-15
    )
