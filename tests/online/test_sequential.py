"""Sequential tests: the published boundary, and errors that hold however often one looks."""

import numpy as np
import pytest
from scipy import stats

from pdeval.online.two_sample_tests import always_valid, welch
from tests.online.test_assignment import people, randomized


def boundary(n, alpha, rho):
    """Half the width of the confidence sequence of n unit variances: Waudby-Smith et al. (2021), theorem 2.2."""
    return np.sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * np.log(np.sqrt(n * rho**2 + 1) / alpha))


def test_the_interval_is_the_published_one():
    rng = np.random.default_rng(0)
    x, y, alpha, planned = rng.normal(size=60), rng.normal(size=90), 0.1, 500
    rho = np.sqrt((-2 * np.log(alpha) + np.log(-2 * np.log(alpha) + 1)) / planned)
    found = always_valid(x, y, confidence=1 - alpha, planned=planned)
    error = np.sqrt(x.var(ddof=1) / 60 + y.var(ddof=1) / 90)
    half = (
        boundary(150, alpha, rho) * np.sqrt(150) * error
    )  # an error of one unit is sqrt(150) times that of the mean
    assert [found.low, found.high] == pytest.approx(
        [x.mean() - y.mean() - half, x.mean() - y.mean() + half]
    )


def test_the_p_value_is_the_confidence_at_which_the_interval_touches_zero():
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.6, size=80), rng.normal(size=80)
    p = always_valid(x, y, confidence=0.95, planned=160).p_value
    assert p < 0.05
    # at alpha = p with the same rho, the end of the interval is zero
    rho = np.sqrt((-2 * np.log(0.05) + np.log(-2 * np.log(0.05) + 1)) / 160)
    error = np.sqrt(x.var(ddof=1) / 80 + y.var(ddof=1) / 80)
    assert boundary(160, p, rho) * np.sqrt(160) * error == pytest.approx(abs(x.mean() - y.mean()))


def test_the_interval_is_about_the_tightest_where_it_was_planned():
    error = {
        planned: always_valid(*_spread(1000), confidence=0.95, planned=planned)
        for planned in (100, 1000, 2000, 9000)
    }
    widths = {planned: found.high - found.low for planned, found in error.items()}
    assert min(widths, key=widths.get) == 2000  # both samples together
    once = welch(*_spread(1000), confidence=0.95)
    assert 1.3 < widths[2000] / (once.high - once.low) < 1.6  # the price of looking at any time


def _spread(n):
    return np.tile([-1.0, 1.0], n // 2), np.tile([-1.0, 1.0], n // 2)


@pytest.mark.slow
def test_looking_after_every_batch_errs_no_more_often_than_said_and_welch_does():
    """600 experiments without a difference, 40 looks each from 100 users an arm on, skewed values."""
    rng = np.random.default_rng(5)
    trials, looks, batch, alpha = 600, 40, 50, 0.05
    wrong = {"sequential": 0, "welch": 0}
    for _ in range(trials):
        x, y = rng.exponential(size=(2, looks * batch + 50))
        ever = {"sequential": False, "welch": False}
        for look in range(1, looks + 1):
            a, b = x[: 50 + look * batch], y[: 50 + look * batch]
            ever["sequential"] |= (
                always_valid(a, b, confidence=1 - alpha, planned=2000).p_value < alpha
            )
            ever["welch"] |= welch(a, b, confidence=1 - alpha).p_value < alpha
        for name, was in ever.items():
            wrong[name] += was
    assert wrong["sequential"] <= stats.binom.ppf(0.999, trials, alpha), wrong
    assert wrong["welch"] > 3 * alpha * trials, wrong


@pytest.mark.broad
def test_the_verb_says_that_it_was_sequential():
    log = randomized(people(60, seed=6), 2)
    found = log.ireval.compare_buckets(["clicks_per_query", "CTR"], sequential=60)
    once = log.ireval.compare_buckets(["clicks_per_query", "CTR"])
    assert set(found["test"]) == {"sequential"}
    assert found.attrs["sequential"] == 60
    assert (found["p_value"] >= once["p_value"]).all()
    assert (found["ci_low"] < once["ci_low"]).all()
    assert found["difference"].tolist() == once["difference"].tolist()
    with pytest.raises(
        ValueError, match=r"^sequential= is itself a test and cannot be combined with test='welch'"
    ):
        log.ireval.compare_buckets("clicks_per_query", sequential=60, test="welch")
    with pytest.raises(
        ValueError,
        match=r"^sequential= compares means and ratios; time_to_first_click has aggregate='median'",
    ):
        log.ireval.compare_buckets("time_to_first_click", sequential=60)


def test_without_any_spread_there_is_nothing_to_test():
    same = np.full(5, 2.0)
    assert always_valid(same, same, confidence=0.95, planned=10).p_value == 1
    assert np.isnan(always_valid(same, same + 1, confidence=0.95, planned=10).p_value)
    assert np.isnan(always_valid(same[:1], same, confidence=0.95, planned=10).p_value)
