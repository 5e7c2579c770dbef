"""Intervals and two-sample tests, against scipy and statsmodels, and the bootstrap against drawing samples."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
    proportions_ztest,
)

from pdeval.online.two_sample_tests import (
    bootstrap_medians,
    estimate,
    mann_whitney,
    two_rates,
    welch,
)

RNG = np.random.default_rng(5)
X, Y = RNG.gamma(2.0, 10.0, 41), RNG.gamma(2.5, 10.0, 30)
P, Q = RNG.random(60) < 0.7, RNG.random(45) < 0.5


def estimated(values, kind, **options):
    options = {"confidence": 0.95, "draws": 4000, "rng": np.random.default_rng(0), **options}
    return estimate(np.asarray(values, dtype=float), kind, **options)


def test_a_mean_has_students_interval():
    low, high = stats.t.interval(0.9, len(X) - 1, loc=X.mean(), scale=stats.sem(X))
    assert estimated(X, "mean", confidence=0.9) == pytest.approx((X.mean(), low, high))


def test_a_rate_has_wilsons_interval_also_at_its_ends():
    for hits, n in ((42, 60), (0, 20), (20, 20)):
        values = np.repeat([1.0, 0.0], [hits, n - hits])
        low, high = proportion_confint(hits, n, method="wilson")
        assert estimated(values, "rate") == pytest.approx((hits / n, low, high), abs=1e-12)


@pytest.mark.parametrize("n", [2, 5, 30, 41])
def test_medians_of_resamples_are_distributed_as_if_the_samples_had_been_drawn(n):
    values = X[:n]
    fast = bootstrap_medians(values, 20_000, np.random.default_rng(1))
    drawn = np.median(np.random.default_rng(2).choice(values, (20_000, n)), axis=1)
    # the same distribution: the largest gap between the two is within chance (Kolmogorov-Smirnov, alpha .001)
    assert stats.ks_2samp(fast, drawn).statistic < 1.95 * np.sqrt(2 / 20_000)


def test_a_median_has_the_quantiles_of_its_bootstrap():
    found = estimated(X, "median", confidence=0.9)
    drawn = bootstrap_medians(X, 4000, np.random.default_rng(0))
    assert found == pytest.approx((np.median(X), *np.quantile(drawn, [0.05, 0.95])))
    assert found == estimated(X, "median", confidence=0.9)


def test_too_few_values_have_no_interval():
    assert np.isnan(estimated([], "mean")).all()
    assert estimated([3.0], "mean")[0] == 3
    assert np.isnan(estimated([3.0], "mean")[1:]).all()
    assert np.isnan(estimated([3.0], "median")[1:]).all()


def test_welch_equals_scipy():
    oracle = stats.ttest_ind(X, Y, equal_var=False)
    found = welch(X, Y, confidence=0.95)
    assert (found.statistic, found.p_value) == pytest.approx((oracle.statistic, oracle.pvalue))
    interval = oracle.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    pooled = np.sqrt((40 * X.var(ddof=1) + 29 * Y.var(ddof=1)) / 69)
    assert found.effect_size == pytest.approx((X.mean() - Y.mean()) / pooled)


def test_two_rates_equal_statsmodels():
    statistic, p_value = proportions_ztest([P.sum(), Q.sum()], [len(P), len(Q)])
    found = two_rates(P, Q, confidence=0.95)
    assert (found.statistic, found.p_value) == pytest.approx((statistic, p_value))
    interval = confint_proportions_2indep(P.sum(), len(P), Q.sum(), len(Q), method="newcomb")
    assert (found.low, found.high) == pytest.approx(interval)


def test_mann_whitney_equals_scipy():
    oracle = stats.mannwhitneyu(X, Y)
    found = mann_whitney(X, Y, confidence=0.95)
    assert (found.statistic, found.p_value) == pytest.approx((oracle.statistic, oracle.pvalue))
    wins = np.sign(X[:, None] - Y).mean()
    assert found.effect_size == pytest.approx(wins)


def test_samples_that_leave_nothing_to_test_have_no_p_value():
    same = np.ones(5)
    for test in (welch, two_rates, mann_whitney):
        assert np.isnan(test(same, same[:0], confidence=0.95).p_value)


# Issue 13, item 1: rounding is never significant


@pytest.mark.parametrize("value", [0.8, 0.1, 1e9 / 3, -7 / 3, 1e-15, 0.0])
@pytest.mark.parametrize("test", [welch, mann_whitney, two_rates])
def test_constant_samples_do_not_differ(test, value):
    for n, m in ((7, 9), (10, 3), (1000, 777)):
        x, y = np.full(n, value), np.full(m, value)
        if test is two_rates:
            x, y = (np.full(size, float(value > 0.5)) for size in (n, m))
        found = test(x, y, confidence=0.95)
        assert (found.effect_size, found.p_value) == (0, 1)
        assert found.statistic == (n * m / 2 if test is mann_whitney else 0)


@pytest.mark.parametrize("test", [welch, mann_whitney])
def test_values_that_differ_by_their_order_of_addition_are_equal(test):
    rng = np.random.default_rng(3)
    parts = rng.random((40, 6)) * 1e6
    x = parts.sum(axis=1)
    y = np.array([sum(rng.permutation(row)) for row in parts])
    assert (x != y).any()
    found, same = test(x, y, confidence=0.95), test(x, x, confidence=0.95)
    assert found.p_value == same.p_value == 1
    assert found.effect_size == same.effect_size == 0
    noisy = 0.8 + rng.choice([0, 1.1e-16, -1.1e-16], 30)
    assert test(noisy, np.full(20, 0.8), confidence=0.95).p_value == 1


def test_differences_beyond_rounding_are_tested_whatever_the_size_of_the_values():
    for size in (1e-14, 1.0, 1e14):
        for test in (welch, mann_whitney):
            assert test(X * size, Y * size, confidence=0.95).p_value == pytest.approx(
                test(X, Y, confidence=0.95).p_value
            )
    assert np.isnan(
        welch(np.full(5, 0.8), np.full(5, 0.9), confidence=0.95).p_value
    )  # constant, and different


def test_medians_that_differ_by_rounding_have_an_interval_of_0():
    x, y = np.full(20, 0.1 + 0.2), np.full(30, 0.3)
    drawn = tuple(bootstrap_medians(one, 200, np.random.default_rng(0)) for one in (x, y))
    found = mann_whitney(x, y, confidence=0.95, drawn=drawn)
    assert (found.low, found.high, found.p_value) == (0, 0, 1)
