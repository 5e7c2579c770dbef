"""Ratios of sums by the delta method and by drawing users: against the formula as published, and a plain bootstrap."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pdeval.online.two_sample_tests import (
    bootstrap_ratios,
    clustered_rate,
    linearized,
    ratio_of,
)
from tests.online.test_assignment import people, randomized

RNG = np.random.default_rng(8)
SHOWN = RNG.integers(1, 40, 300).astype(float)
CLICKS = RNG.binomial(SHOWN.astype(int), RNG.beta(2, 5, 300)).astype(float)


def delta_variance(x, y):
    """Variance of sum(x) / sum(y), user by user: Deng, Knoblich and Lu (2018), equation 3."""
    n, mx, my = len(x), x.mean(), y.mean()
    cov = np.cov(x, y, ddof=1)
    return (cov[0, 0] / my**2 - 2 * mx * cov[0, 1] / my**3 + mx**2 * cov[1, 1] / my**4) / n


def by_user(log):
    users = log.ireval.per_user().groupby("bucket")[["clicks", "impressions"]]
    return {bucket: rows.to_numpy(float).T for bucket, rows in users}


def test_the_mean_and_the_error_of_linearized_values_are_those_of_the_delta_method():
    values = linearized(CLICKS, SHOWN)
    assert values.mean() == pytest.approx(CLICKS.sum() / SHOWN.sum(), rel=1e-12)
    assert values.var(ddof=1) / len(values) == pytest.approx(
        delta_variance(CLICKS, SHOWN), rel=1e-10
    )


@pytest.mark.broad
def test_buckets_are_compared_by_the_delta_method():
    log = randomized(people(80, seed=3), 1)
    (x, y), (u, v) = by_user(log).values()
    row = log.ireval.compare_buckets("CTR").iloc[0]
    assert row["test"] == "delta"
    assert row["aggregate"] == "ratio"
    assert row["value_a"] == ratio_of(x, y) == x.sum() / y.sum()
    error = np.sqrt(delta_variance(x, y) + delta_variance(u, v))
    assert row["statistic"] == pytest.approx(
        (x.sum() / y.sum() - u.sum() / v.sum()) / error, rel=1e-10
    )
    # with a thousand users Student's t is the normal distribution of the paper, to three digits
    assert row["p_value"] == pytest.approx(2 * stats.norm.sf(abs(row["statistic"])), abs=0.01)
    alone = log.ireval.behavior("CTR").iloc[0]
    half = stats.t.ppf(0.975, len(x) - 1) * np.sqrt(delta_variance(x, y))
    assert alone[["value", "ci_low", "ci_high"]].tolist() == pytest.approx(
        [x.sum() / y.sum(), x.sum() / y.sum() - half, x.sum() / y.sum() + half]
    )


def test_kinds_of_users_are_drawn_as_users_are():
    """The bootstrap of counts of equal users has the distribution of drawing users one by one."""
    x, y = CLICKS[:60] // 3, np.ceil(SHOWN[:60] / 8)  # few distinct users
    fast = bootstrap_ratios(x, y, 20_000, np.random.default_rng(1))
    drawn = np.random.default_rng(2).integers(0, 60, (20_000, 60))
    slow = x[drawn].sum(axis=1) / y[drawn].sum(axis=1)
    assert stats.ks_2samp(fast, slow).statistic < 1.95 * np.sqrt(2 / 20_000)  # alpha .001


@pytest.mark.broad
def test_the_bootstrap_and_the_delta_method_agree_and_say_which_they_are():
    log = randomized(people(200, seed=6), 2)
    delta, drawn = (
        log.ireval.compare_buckets("CTR", test=test).iloc[0] for test in ("delta", "bootstrap")
    )
    assert (delta["test"], drawn["test"]) == ("delta", "bootstrap")
    assert drawn["difference"] == delta["difference"]
    assert drawn["p_value"] == pytest.approx(delta["p_value"], abs=0.03)
    width = delta["ci_high"] - delta["ci_low"]
    assert [drawn["ci_low"], drawn["ci_high"]] == pytest.approx(
        [delta["ci_low"], delta["ci_high"]], abs=0.06 * width
    )
    again = log.ireval.compare_buckets("CTR", test="bootstrap").iloc[0]
    assert again["p_value"] == drawn["p_value"]
    assert (
        log.ireval.compare_buckets("CTR", test="bootstrap", seed=1).iloc[0]["ci_low"]
        != drawn["ci_low"]
    )


@pytest.mark.broad
@pytest.mark.parametrize("aggregate", ["mean", "median", "ratio"])
def test_the_bootstrap_serves_every_aggregate(aggregate):
    log = randomized(people(60, seed=6), 2)
    row = log.ireval.compare_buckets(
        "clicks_per_query", aggregate=aggregate, test="bootstrap", draws=500
    ).iloc[0]
    assert row["test"] == "bootstrap"
    assert row["ci_low"] < row["difference"] < row["ci_high"]
    assert 0 < row["p_value"] <= 1
    without = log.ireval.compare_buckets(
        "clicks_per_query", aggregate=aggregate, test="bootstrap", draws=0
    ).iloc[0]
    assert without[["p_value", "ci_low"]].isna().all()


@pytest.mark.broad
def test_a_test_that_does_not_suit_the_aggregate_is_refused():
    log = randomized(people(20, seed=6), 2)
    with pytest.raises(
        ValueError,
        match=r"^test='welch' compares means, test='delta' ratios; CTR has aggregate='ratio'\. Use aggregate='mean'\.$",
    ):
        log.ireval.compare_buckets("CTR", test="welch")
    with pytest.raises(
        ValueError,
        match=r"^test='delta' compares ratios of sums; clicks_per_query has aggregate='mean'",
    ):
        log.ireval.compare_buckets("clicks_per_query", test="delta", aggregate="mean")
    assert log.ireval.compare_buckets("CTR", test="mann-whitney")["test"].tolist() == [
        "mann-whitney"
    ]
    assert log.ireval.compare_buckets("CTR", test="welch", aggregate="mean")["test"].tolist() == [
        "welch"
    ]


@pytest.mark.broad
def test_a_bucket_without_units_has_no_ratio():
    log = randomized(people(20, seed=6), 2)
    try:
        import pdeval
        from pdeval.online.behavior import MEASURES

        @pdeval.behavior_measure(worse="decrease", aggregate="ratio")
        def nothing(queries):
            return queries["clicks"], 0 * queries["clicks"]

        for test in ("delta", "bootstrap"):
            row = log.ireval.compare_buckets("nothing", test=test).iloc[0]
            assert row[["value_a", "p_value", "ci_low"]].isna().all()
            assert row["n_a"] == 0
        assert pd.isna(log.ireval.behavior("nothing")["value"]).all()
    finally:
        MEASURES.pop("nothing", None)


class TestIntervalsOfOneBucket:
    @pytest.mark.broad
    def test_users_drawn_again_give_about_the_interval_of_the_delta_method(self):
        log = randomized(people(300, seed=6), 2)
        delta, drawn = (
            log.ireval.behavior("CTR", interval=one).iloc[0] for one in ("auto", "bootstrap")
        )
        assert drawn["value"] == delta["value"]
        width = delta["ci_high"] - delta["ci_low"]
        assert abs(drawn["ci_low"] - delta["ci_low"]) < 0.08 * width
        assert abs(drawn["ci_high"] - delta["ci_high"]) < 0.08 * width
        assert drawn["ci_low"] != delta["ci_low"]

    def test_they_are_the_percentiles_of_ratios_of_users_drawn_with_the_seed(self):
        from pdeval.online.behavior import rng_of

        log = randomized(people(40, seed=3), 1)
        (x, y), _ = by_user(log).values()
        drawn = bootstrap_ratios(x, y, 500, rng_of(7, "click_through_rate", 0))
        row = log.ireval.behavior(
            "click_through_rate", interval="bootstrap", draws=500, seed=7, confidence=0.9
        )
        assert (
            row.loc[0, ["ci_low", "ci_high"]].tolist() == np.quantile(drawn, [0.05, 0.95]).tolist()
        )

    @pytest.mark.broad
    def test_users_of_very_different_activity_are_covered(self):
        """Nine in ten users see few items, the others hundreds: about 95% of intervals hold the truth."""
        rng, inside, times, users = np.random.default_rng(4), np.zeros(2), 400, 120
        truth = (0.1 * 0.1 * 249.5 + 0.9 * 0.3 * 5) / (0.1 * 249.5 + 0.9 * 5)
        for _ in range(times):
            heavy = rng.random(users) < 0.1
            shown = np.where(
                heavy, rng.integers(100, 400, users), rng.integers(1, 10, users)
            ).astype(float)
            clicks = rng.binomial(shown.astype(int), np.where(heavy, 0.1, 0.3)).astype(float)
            ends = np.quantile(bootstrap_ratios(clicks, shown, 400, rng), [0.025, 0.975])
            half = stats.t.ppf(0.975, users - 1) * np.sqrt(delta_variance(clicks, shown))
            inside += [ends[0] <= truth <= ends[1], abs(ratio_of(clicks, shown) - truth) <= half]
        drawn, delta = inside / times
        assert drawn > 0.95 - 3 * np.sqrt(0.95 * 0.05 / times)
        assert abs(drawn - delta) < 0.03

    @pytest.mark.broad
    @pytest.mark.parametrize("measure", ["abandonment_rate", "clicks_per_query"])
    def test_means_and_rates_are_drawn_too(self, measure):
        log = randomized(people(60, seed=6), 2)
        row = log.ireval.behavior(measure, interval="bootstrap", draws=300).iloc[0]
        assert row["ci_low"] <= row["value"] <= row["ci_high"]
        assert row["ci_low"] < row["ci_high"]
        assert log.ireval.behavior(measure, interval="bootstrap", draws=0)["ci_low"].isna().all()

    def test_another_interval_is_refused(self):
        with pytest.raises(ValueError, match="interval='delta'"):
            randomized(people(20, seed=6), 2).ireval.behavior("CTR", interval="delta")


def test_a_rate_of_few_clicks_has_at_most_one_observation_per_user():
    clicks, shown = np.array([1.0, 0, 0, 0, 0, 0, 0, 0]), np.full(8, 100.0)
    linear = linearized(clicks, shown)
    # the clicks of one user look like 800 independent queries
    few = clustered_rate(1 / 800, linear, 0.95, events=1)
    many = clustered_rate(1 / 800, linear, 0.95)
    z = stats.t.ppf(0.975, 7)
    wanted = (1 / 800 + z**2 / 16 + z * np.sqrt(799 / 800**2 / 8 + z**2 / 256)) / (1 + z**2 / 8)
    assert few.high == pytest.approx(wanted, rel=1e-12)
    assert few.high > many.high


@pytest.mark.slow
@pytest.mark.parametrize("alike", [2, 20])  # users differ much, or little
@pytest.mark.parametrize(("rate", "users"), [(0.01, 100), (0.05, 30)])
def test_rates_near_zero_are_covered(rate, users, alike):
    rng, hits = np.random.default_rng(1), np.zeros(2)
    for _ in range(600):
        queries = rng.geometric(0.2, users)
        chance = rng.beta(alike * rate, alike * (1 - rate), users)
        clicks = rng.binomial(queries, chance)
        events = int(min((clicks > 0).sum(), (clicks < queries).sum()))
        mean = clicks / queries
        ratio = ratio_of(clicks, queries)
        for number, (value, linear) in enumerate(
            [(ratio, linearized(clicks, queries)), (float(mean.mean()), mean)]
        ):
            one = clustered_rate(value, linear, 0.95, events=events)
            hits[number] += one.low <= rate <= one.high
    assert stats.binom.cdf(hits, 600, 0.95).min() > 0.001
