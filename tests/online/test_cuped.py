"""CUPED: equal to the analysis of covariance, less variance where the past foretells, unbiased; and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval  # noqa: F401
from pdeval.online.compare_buckets import adjustment
from pdeval.online.two_sample_tests import linearized, welch


def periods(n=120, seed=4, effect=0.0):
    """A pre-period and a test period of the same users, who click as eagerly in both; buckets are by user."""
    rng = np.random.default_rng(seed)
    keen = rng.beta(1.0, 2.0, n)
    new = rng.permutation(n) < n // 2
    logs = []
    for start, lift in ((0.0, 0.0), (1e6, effect)):
        user = np.repeat(np.arange(n), rng.integers(2, 12, n))
        shown = pd.DataFrame({"user": user, "session": user, "query_id": np.arange(len(user))})
        shown = shown.assign(
            timestamp=start + np.arange(len(user)) * 60.0, action="impression", rank=np.nan
        )
        chance = np.clip(keen[user] + lift * new[user], 0, 1)
        row, place = np.nonzero(rng.random((len(user), 5)) < chance[:, None])
        clicks = shown.iloc[row].assign(
            action="click", rank=place + 1.0, timestamp=lambda rows: rows["timestamp"] + 1
        )
        logs.append(pd.concat([shown, clicks], ignore_index=True))
    logs[1]["bucket"] = np.where(new[logs[1]["user"]], "new", "old")
    return logs


def per_user(log):
    return log.ireval.per_query().groupby("user")["clicks"].mean()


def counts(users):
    return users["clicks"].to_numpy(float), users["impressions"].to_numpy(float)


@pytest.mark.broad
def test_adjusted_differences_are_those_of_the_analysis_of_covariance():
    sm = pytest.importorskip("statsmodels.api")
    pre, log = periods()
    y, x = per_user(log), per_user(pre)
    arm = log.groupby("user")["bucket"].first().loc[y.index]
    design = np.column_stack([np.ones(len(y)), arm == "new", x.loc[y.index]]).astype(float)
    fitted = sm.OLS(y.to_numpy(), design).fit()
    row = log.ireval.compare_buckets("clicks_per_query", aggregate="mean", pre=pre).iloc[0]
    assert row["difference"] == pytest.approx(fitted.params[1], rel=1e-10)
    adjusted = y - fitted.params[2] * (x - x.mean())
    found = stats.ttest_ind(adjusted[arm == "new"], adjusted[arm == "old"], equal_var=False)
    assert row[["statistic", "p_value"]].tolist() == pytest.approx(
        [found.statistic, found.pvalue], rel=1e-9
    )
    # the errors differ only in degrees of freedom, unequal variances and the imbalance of x: some percent
    assert row["difference"] / row["statistic"] == pytest.approx(fitted.bse[1], rel=0.03)
    assert row[["covariate", "covered"]].tolist() == ["clicks_per_query", 1.0]
    plain = log.ireval.compare_buckets("clicks_per_query", aggregate="mean").iloc[0]
    errors = [one["difference"] / one["statistic"] for one in (plain, row)]
    assert row["variance_reduction"] == pytest.approx(1 - (errors[1] / errors[0]) ** 2)
    assert row["variance_reduction"] > 0.5


@pytest.mark.broad
def test_three_buckets_share_one_slope():
    sm = pytest.importorskip("statsmodels.api")
    pre, log = periods(n=90)
    log["bucket"] = np.array(["a", "b", "c"])[log["user"] % 3]
    y, x = per_user(log), per_user(pre)
    arm = y.index.to_numpy() % 3
    design = np.column_stack([arm == 0, arm == 1, arm == 2, x.loc[y.index]]).astype(float)
    fitted = sm.OLS(y.to_numpy(), design).fit().params
    found = log.ireval.compare_buckets("clicks_per_query", aggregate="mean", pre=pre)
    a, b, c, _ = fitted
    assert found["difference"].tolist() == pytest.approx([a - b, a - c, b - c])


@pytest.mark.broad
def test_users_without_a_pre_period_stay_unadjusted():
    pre, log = periods()
    some = pre[pre["user"] % 4 > 0]
    row = log.ireval.compare_buckets("clicks_per_query", aggregate="mean", pre=some).iloc[0]
    full = log.ireval.compare_buckets("clicks_per_query", aggregate="mean", pre=pre).iloc[0]
    assert (row["n_a"], row["n_b"]) == (full["n_a"], full["n_b"])
    assert row["covered"] == 0.75
    assert 0 < row["variance_reduction"] < full["variance_reduction"]
    y = per_user(log)
    x = per_user(some).reindex(y.index)
    x = x.fillna(x.mean()).to_numpy()
    arm = (log.groupby("user")["bucket"].first().loc[y.index] == "new").to_numpy()
    slope = np.linalg.lstsq(np.column_stack([np.ones(len(x)), arm, x]), y.to_numpy(), rcond=None)[0]
    assert row["difference"] == pytest.approx(slope[1])


@pytest.mark.broad
def test_a_ratio_is_adjusted_by_its_linearized_past():
    pre, log = periods(n=400, effect=0.02)
    plain, row = (log.ireval.compare_buckets("CTR", pre=one).iloc[0] for one in (None, pre))
    assert row["test"] == plain["test"] == "delta"
    assert row["variance_reduction"] > 0.3
    users, before = log.ireval.per_user(), pre.ireval.per_user()
    z = (
        users["user"]
        .map(dict(zip(before["user"], linearized(*counts(before)), strict=True)))
        .to_numpy()
    )
    y = np.concatenate(
        [linearized(*counts(rows)) for _, rows in users.groupby("bucket")]
    )  # rows come by bucket
    design = np.column_stack([np.ones(len(y)), users["bucket"] == "new", z]).astype(float)
    assert row["difference"] == pytest.approx(np.linalg.lstsq(design, y, rcond=None)[0][1])
    other = log.ireval.compare_buckets("CTR", pre=pre, covariate="clicks_per_query").iloc[0]
    assert other["covariate"] == "clicks_per_query"
    assert 0 < other["variance_reduction"] < 1


def test_a_past_that_says_nothing_changes_nothing():
    values, bucket = np.arange(8.0), np.repeat([0, 1], 4)
    for x in (np.full(8, np.nan), np.full(8, 3.0)):
        assert (adjustment(values, bucket, x) == 0).all()


@pytest.mark.broad
def test_adjusting_is_unbiased_and_errs_as_often_as_it_says():
    pre, log = periods(n=200, seed=7)
    y, rng = per_user(log), np.random.default_rng(1)
    x, y = per_user(pre).loc[y.index].to_numpy(), y.to_numpy()
    found = []
    for _ in range(2000):
        new = rng.permutation(len(y)) < 100
        adjusted = y - adjustment(y, new.astype(int), x)
        a, b = adjusted[new], adjusted[~new]
        found.append((welch(a, b, confidence=0.95).p_value, a.mean() - b.mean()))
    p, difference = np.array(found).T
    low, high = stats.binom.interval(0.999, 2000, 0.05)
    assert low <= (p < 0.05).sum() <= high
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(2000)


@pytest.mark.broad
def test_what_cannot_be_adjusted_is_said():
    pre, log = periods(n=20)
    ask = log.ireval.compare_buckets
    with pytest.raises(
        ValueError, match=r"pre= overlaps the log: it ends at .*, and the log begins at 1000000\.0"
    ):
        ask("clicks_per_query", pre=log)
    with pytest.raises(
        ValueError,
        match=r"pre= and the log have no users in common: pre= has e\.g\. 100, the log 0\.",
    ):
        ask("clicks_per_query", pre=pre.assign(user=pre["user"] + 100))
    with pytest.raises(ValueError, match="pre= needs a user column in both logs"):
        ask("clicks_per_query", pre=pre.drop(columns="user"))
    with pytest.raises(
        ValueError,
        match=r"^pre= adjusts means and ratios; time_to_first_click has aggregate='median'\. Use aggregate='mean'\.$",
    ):
        ask("time_to_first_click", pre=pre)
    with pytest.raises(
        ValueError,
        match=r"^covariate= is a measure of a pre-period\. Pass the log of the pre-period as pre=",
    ):
        ask("clicks_per_query", covariate="CTR")
    with pytest.raises(ValueError, match="the times of pre= and of the log have different types"):
        ask(
            "clicks_per_query", pre=pre.assign(timestamp=pd.to_datetime(pre["timestamp"], unit="s"))
        )
    warned = pytest.warns(UserWarning, match="queries of the same user are not independent")
    with (
        warned,
        pytest.raises(
            ValueError, match=r"^pre= requires unit='user'; found 'query'\. Omit unit=\.$"
        ),
    ):
        ask("clicks_per_query", pre=pre, unit="query")
    with pytest.raises(ValueError, match="expected a click log"):
        ask("clicks_per_query", pre=pd.DataFrame({"x": [1]}))


@pytest.mark.broad
def test_a_pre_period_takes_the_columns_that_the_log_was_bound_with():
    pre, log = periods(n=30)
    names = {"user": "who", "query_id": "q"}
    bound = log.rename(columns=names).ireval(user="who", query="q")
    expected = log.ireval.compare_buckets("clicks_per_query", pre=pre)
    for given in (
        pre.rename(columns=names),
        pre.ireval(user="user"),
        pre.assign(bucket="old").rename(columns=names),
    ):
        found = bound.compare_buckets("clicks_per_query", pre=given)
        pd.testing.assert_frame_equal(found, expected)
