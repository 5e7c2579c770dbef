"""The description every test begins with, and completed outcomes, against plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pdeval.significance.outcome import completed, describe, student_interval
from tests.examples import examples

values = st.sampled_from([np.nan, 0.0, 0.1, 0.3, 0.1 + 0.2, -0.5, 2.0])


@examples(60)
@given(arrays(np.float64, st.tuples(st.integers(2, 5), st.integers(1, 3)), elements=values))
def test_number_mean_and_deviation_are_those_of_what_is_known_of_a_column(D):
    for n, mean, sd, column in zip(*describe(D), D.T, strict=True):
        known = column[~np.isnan(column)]
        assert n == len(known)
        if n == 0:
            assert np.isnan(mean)
        else:
            assert mean == pytest.approx(known.mean(), abs=1e-15)
        if n < 2:
            assert np.isnan(sd)
        elif np.ptp(known) < 1e-15:
            assert sd == 0  # exactly: rounding would become a huge t
        else:
            assert sd == pytest.approx(known.std(ddof=1), rel=1e-12)


def test_a_constant_column_has_its_own_value_for_mean_also_beside_queries_without_an_answer():
    _, mean, sd = describe(np.array([[0.1], [0.1], [0.1], [np.nan]]))
    assert (mean.item(), sd.item()) == (0.1, 0.0)


def test_the_interval_of_a_mean_is_students():
    # t(.975, 1) = 12.7062: half of the interval is 12.7062 x 2 / sqrt(2)
    low, high = student_interval(np.array([2]), np.array([1.0]), np.array([2.0]), 0.95)
    assert (low.item(), high.item()) == pytest.approx((1 - 17.9693, 1 + 17.9693), abs=1e-4)


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_test_of_your_own_may_be_sure(p):
    found = completed(np.array([p]), lambda: describe(np.array([[0.1], [0.3]])), name="mine", pairs=1, confidence=0.95)
    assert found.p_value.tolist() == [p]
    assert np.isnan(found.statistic).all()


@pytest.mark.parametrize("wrong", [-1e-9, 1.0 + 1e-9, np.nan])
def test_what_is_no_p_value_is_refused_beside_those_that_are(wrong):
    with pytest.raises(ValueError, match="1 p-values that are not between 0 and 1"):
        completed(np.array([0.5, wrong]), lambda: describe(np.zeros((2, 2))), name="mine", pairs=2, confidence=0.95)
