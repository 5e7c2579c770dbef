"""Two samples by number, mean and spread: against scipy, on the values themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pdeval.significance.registry import student_interval, student_test
from pdeval.significance.segments import of_others, welch_gap
from tests.examples import examples

samples = st.lists(st.integers(-9, 9).map(lambda x: x / 8), min_size=1, max_size=5).map(np.array)


def told(*parts):
    """Return number, mean and standard deviation of samples."""
    spread = [x.std(ddof=1) if len(x) > 1 else np.nan for x in parts]
    return np.array([len(x) for x in parts]), np.array([x.mean() for x in parts]), np.array(spread)


def of_gap(one, two, **options):
    """Return the difference, both ends of its interval, and the p-value."""
    gap = welch_gap(one, two, **options)
    return [gap[name] for name in ("difference", "ci_low", "ci_high", "p_value")]


@examples(60)
@given(samples)
def test_p_and_interval_of_few_queries_are_scipys_and_of_one_there_are_none(x):
    n, mean, sd = told(x)
    p, (low, high) = student_test(n, mean, sd)[1].item(), student_interval(n, mean, sd, 0.9)
    if len(x) == 1:
        assert np.isnan([p, low.item(), high.item()]).all()
    elif np.ptp(x) > 0:
        found = stats.ttest_1samp(x, 0)
        assert p == pytest.approx(found.pvalue, abs=1e-12)
        ends = found.confidence_interval(0.9)
        assert (low.item(), high.item()) == pytest.approx((ends.low, ends.high), abs=1e-12)


@examples(60)
@given(samples, samples)
def test_the_gap_of_two_samples_is_scipys_and_of_a_sample_of_one_has_no_p(x, y):
    gap, low, high, p = (one.item() for one in of_gap(told(x), told(y), confidence=0.9))
    assert gap == pytest.approx(x.mean() - y.mean(), abs=1e-12)
    if min(len(x), len(y)) == 1:
        assert np.isnan([low, high, p]).all()
    elif min(np.ptp(x), np.ptp(y)) > 0:
        found = stats.ttest_ind(x, y, equal_var=False)
        ends = found.confidence_interval(0.9)
        assert (low, high, p) == pytest.approx((ends.low, ends.high, found.pvalue), abs=1e-12)


def test_two_constant_samples_differ_surely_or_not_at_all():
    constant = np.array([4]), np.array([0.5]), np.array([0.0])
    other = np.array([3]), np.array([0.25]), np.array([0.0])
    assert [one.item() for one in of_gap(constant, other)] == [0.25, 0.25, 0.25, 0.0]
    assert [one.item() for one in of_gap(constant, constant)] == [0.0, 0.0, 0.0, 1.0]


@examples(60)
@given(st.lists(samples, min_size=2, max_size=4))
def test_the_rest_of_a_whole_is_what_all_others_hold(parts):
    found = of_others(np.array(told(*parts)))
    for at in range(len(parts)):
        rest = np.concatenate([x for other, x in enumerate(parts) if other != at])
        n, mean, sd = found[:, at]
        assert (n, mean) == (len(rest), pytest.approx(rest.mean(), abs=1e-12))
        assert np.isnan(sd) if len(rest) == 1 else sd == pytest.approx(rest.std(ddof=1), abs=1e-7)


def test_a_sample_of_one_has_no_interval_and_no_p_whatever_spread_is_said_of_it():
    one, three = (
        tuple(map(np.array, ([1], [0.5], [0.0]))),
        tuple(map(np.array, ([3], [0.25], [0.5]))),
    )
    alike = tuple(map(np.array, ([3], [0.25], [0.0])))
    for first, second in ((one, three), (three, one), (one, one), (one, alike), (alike, one)):
        gap, low, high, p = of_gap(first, second)
        assert gap.item() == first[1].item() - second[1].item()
        assert np.isnan([low, high, p]).all()
    assert np.isnan(student_interval(*one, 0.95)).all()
    assert np.isnan(student_test(*one)[1])


def test_each_column_has_a_rest_of_its_own_and_segments_without_queries_add_nothing():
    columns = [
        [np.array([0.5, 0.25]), np.array([0.75]), np.array([])],
        [np.array([]), np.array([0.125, 1.0, 0.25]), np.array([0.5, 0.5])],
        [np.array([0.1, 0.1, 0.1]), np.array([]), np.array([])],
        [np.array([0.64, 0.27]), np.array([0.04]), np.array([])],
    ]
    own = np.full((3, 3, 4), np.nan)
    for at, parts in enumerate(columns):
        for segment, x in enumerate(parts):
            own[0, segment, at] = len(x)
            own[1, segment, at] = np.nan if not len(x) else x[0] if np.ptp(x) == 0 else x.mean()
            own[2, segment, at] = x.std(ddof=1) if len(x) > 1 else np.nan
    found = of_others(own)
    for at, parts in enumerate(columns):
        for segment in range(3):
            rest = np.concatenate([x for other, x in enumerate(parts) if other != segment])
            n, mean, sd = found[:, segment, at]
            assert n == len(rest)
            assert mean == pytest.approx(rest.mean(), abs=1e-12) if len(rest) else np.isnan(mean)
            assert (
                sd == pytest.approx(rest.std(ddof=1), abs=1e-7) if len(rest) > 1 else np.isnan(sd)
            )
