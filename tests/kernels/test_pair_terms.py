"""Preferences as sums over cells, worked by hand."""

import numpy as np
import pytest

from pdeval.kernels.terms import PAIR_TERMS, decider

inf, nan = np.inf, np.nan
# one pair decided at the second and the third level, one at the first alone, one nowhere
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, inf], [6.0, 8.0, inf]])
Y = np.array([[1.0, 4.0, 3.0], [2.0, 5.0, inf], [inf, 8.0, inf]])
SOONER = [[0, 1, 0], [-1, 0, 0], [1, 0, 0]]
LOG = np.log2


def test_the_first_cell_that_says_something_decides_in_each_column():
    assert decider(np.array([[0, 2, 0], [-1, 0, 0], [3, 1, 0]])).tolist() == [
        [0, 1, 0],
        [1, 0, 0],
        [0, 0, 0],
    ]


@pytest.mark.parametrize(
    ("name", "terms", "weight"),
    [
        ("sgnLP", SOONER, [[0, 1, 0], [1, 0, 0], [0, 0, 0]]),
        ("sgnLR", SOONER, [[0, 1, 0], [0, 0, 0], [1, 0, 0]]),
        (
            "rrLP",
            [[0, 1 / 4, 0], [1 / 4 - 1 / 2, 0, 0], [1 / 6, 0, 0]],
            [[0, 1, 0], [1, 0, 0], [0, 0, 0]],
        ),
    ],
)
def test_lexicographic_preferences_have_all_their_weight_where_they_are_decided(
    name, terms, weight
):
    found, weighed = PAIR_TERMS[name](X, Y)
    np.testing.assert_allclose(found, terms, rtol=1e-15)
    assert weighed.tolist() == weight
    assert found.dtype == weighed.dtype == np.float64


# relevant at 1 and 3 against 2 and never: ahead at 1, even at 2, ahead from 3 on. The other way round, and shorter
ONE, OTHER = np.array([[1.0, 2.0], [3.0, inf]]), np.array([[2.0, 1.0], [inf, inf]])


@pytest.mark.parametrize(
    ("user", "mass"), [("uniform", [1, 1, 1, 1]), ("dcg", [1, 1 / LOG(3), 1 / 2, 1 / LOG(5)])]
)
def test_a_lead_counts_at_every_rank_to_the_end_of_the_longer_list(user, mass):
    terms, weight = PAIR_TERMS["I"](ONE, OTHER, np.array([4, 1]), np.array([3, 2]), user=user)
    assert terms.tolist() == [[1, -1], [0, 0], [1, 0], [1, 0]]
    whole, short = sum(mass), sum(mass[:2])
    expected = [[one / whole, one / short if at < 2 else nan] for at, one in enumerate(mass)]
    np.testing.assert_allclose(weight, expected, rtol=1e-15)


def test_the_user_looks_at_all_ranks_alike_unless_told_otherwise():
    terms, weight = PAIR_TERMS["I"](ONE[:, 0], OTHER[:, 0], 4, 3)
    assert (terms.tolist(), weight.tolist()) == ([1, 0, 1, 1], [1 / 4] * 4)


def test_two_lists_that_hold_nothing_have_no_cell():
    terms, weight = PAIR_TERMS["I"](
        np.full((1, 1), inf), np.full((1, 1), inf), np.array([0]), np.array([0])
    )
    assert terms.shape == weight.shape == (0, 1)


@pytest.mark.parametrize("user", ["uniform", "dcg"])
def test_no_pairs_have_no_cell_and_no_weight(user):
    none = np.zeros((2, 0))
    terms, weight = PAIR_TERMS["I"](none, none, np.zeros(0), np.zeros(0), user=user)
    assert terms.shape == weight.shape == (0, 0)


def test_a_lead_is_told_by_its_sign_however_long_it_is():
    x, y = [[1, 1], [2, 2], [3, 9]], [[4, 4], [5, 5], [6, 1]]
    terms, _ = PAIR_TERMS["I"](x, y, np.array([6, 6]), np.array([6, 6]))
    assert terms.T.tolist() == [[1, 1, 1, 1, 1, 0], [0, 1, 1, 0, -1, -1]]
    assert terms.dtype == np.float64
