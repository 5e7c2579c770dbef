"""Expected utility of users who want i items, worked by hand."""

import numpy as np
import pytest

from pdeval.kernels.expected_utility import (
    expected_utility,
    expected_utility_of_subtopics,
    utility_of,
)
from pdeval.kernels.terms import TERMS

RANK = np.array([[2.0, 1.0], [3.0, 7.0], [np.inf, 8.0]])
UTILITY = {
    "precision": [[1 / 2, 1], [2 / 3, 2 / 7], [0, 3 / 8]],
    "reciprocal": [[1 / 2, 1], [1 / 3, 1 / 7], [0, 1 / 8]],
    "log": [[1 / np.log2(3), 1], [1 / 2, 1 / 3], [0, 1 / np.log2(9)]],
}
SHARES = {
    "uniform": np.ones(3) / 3,
    "inverse": np.array([6, 3, 2]) / 11,  # 1, 1/2, 1/3
    "dcg": np.array([1, 1 / np.log2(3), 1 / 2]) / (1.5 + 1 / np.log2(3)),
}


@pytest.mark.parametrize("utility", UTILITY)
def test_what_a_recall_level_is_worth(utility):
    np.testing.assert_allclose(utility_of(RANK, utility), UTILITY[utility], rtol=1e-15)
    assert utility_of([1, 4], utility).shape == (2,)  # a list of whole numbers will do


@pytest.mark.parametrize("weight", SHARES)
@pytest.mark.parametrize("utility", UTILITY)
def test_the_mean_over_users_and_its_terms(utility, weight):
    expected = (np.array(UTILITY[utility]) * SHARES[weight][:, None]).sum(axis=0)
    for kernel in (expected_utility, expected_utility_of_subtopics):
        np.testing.assert_allclose(
            kernel(RANK, utility=utility, weight=weight), expected, rtol=1e-14
        )
    for name in ("EU", "ST-EU"):
        terms, weighed = TERMS[name](RANK, utility=utility, weight=weight)
        np.testing.assert_allclose(terms, UTILITY[utility], rtol=1e-15)
        np.testing.assert_allclose(weighed.ravel(), SHARES[weight], rtol=1e-14)
        assert weighed.shape == (3, 1, 1)


def test_users_want_any_number_alike_and_look_at_precision_unless_told_otherwise():
    expected = np.mean(UTILITY["precision"], axis=0)
    for kernel in (expected_utility, expected_utility_of_subtopics):
        np.testing.assert_allclose(kernel(RANK), expected, rtol=1e-14)


def test_ranks_of_any_type_are_reckoned_with_as_doubles():
    few = np.array([1, 3, 255], dtype=np.uint8)
    assert utility_of(few, "log").tolist() == pytest.approx([1.0, 1 / 2, 1 / 8], rel=1e-15)
    assert utility_of(few.astype(np.float32), "reciprocal").tolist() == [1.0, 1 / 3, 1 / 255]
    assert utility_of(few, "precision").tolist() == [1.0, 2 / 3, 3 / 255]
