"""Tables with one row per user, logs of recommenders, relative lifts, winsorizing, sample sizes and retention."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pdeval
from pdeval.online.two_sample_tests import relative_interval, welch
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults


def users_of(seed=0, n=200):
    rng = np.random.default_rng(seed)
    shown = rng.integers(1, 20, n)
    return pd.DataFrame(
        {
            "user": [f"u{number}" for number in range(n)],
            "bucket": np.where(np.arange(n) % 2, "new", "old"),
            "segment": np.where(np.arange(n) % 3, "phone", "desk"),
            "clicks": rng.binomial(shown, 0.3),
            "impressions": shown,
            "revenue": rng.lognormal(1, 1, n).round(2),
            "converted": rng.random(n) < 0.3,
        }
    )


USERS = users_of()


def test_columns_of_a_user_table_are_measures_tested_without_a_log():
    from scipy import stats

    compared = USERS.ireval.compare_buckets(["revenue", "converted", "clicks / impressions"])
    new, old = (USERS[USERS["bucket"] == bucket] for bucket in ("new", "old"))
    assert compared["test"].tolist() == ["welch", "z", "delta"]
    expected = stats.ttest_ind(new["revenue"], old["revenue"], equal_var=False)
    assert compared["p_value"].iloc[0] == pytest.approx(expected.pvalue, rel=1e-9)
    ratios = [part["clicks"].sum() / part["impressions"].sum() for part in (new, old)]
    assert compared[["value_a", "value_b"]].iloc[2].tolist() == pytest.approx(ratios, abs=1e-15)
    # by default every column of numbers, as a mean
    every = USERS.ireval.compare_buckets()
    assert every["measure"].tolist() == ["clicks", "converted", "impressions", "revenue"]
    assert faults(SCHEMAS["bucket_comparisons"], compared, {"bucket_a": ["bucket_a"]}) == []


def test_a_user_table_gives_the_same_as_the_log_that_it_was_counted_from():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    two = runs[runs["run"].isin(["bm25", "tfidf"])]
    log = two.ireval.simulate_clicks(qrels, sessions=4, users=40)
    counted = log.ireval.per_user().ireval.compare_buckets(["clicks / queries", "sessions"])
    by_log = log.ireval.compare_buckets(["clicks_per_query", "sessions_per_user"])
    numbers = ["n_a", "n_b", "value_a", "value_b", "difference", "ci_low", "ci_high", "p_value"]
    np.testing.assert_allclose(counted[numbers], by_log[numbers], rtol=1e-12)


def test_order_behavior_and_errors_of_tests_work_on_user_tables():
    behavior = USERS.ireval.behavior(["revenue", "clicks / impressions"])
    assert behavior["n"].tolist() == [100] * 4
    means = USERS.groupby("bucket")["revenue"].mean().tolist()
    assert behavior["value"].iloc[::2].tolist() == pytest.approx(means)
    checked = USERS.ireval.check_order(["new", "old"], "revenue")
    assert checked["hypothesis"].tolist() == ["new > old"]
    error = USERS.ireval.compare_buckets.aa_test("clicks / impressions", draws=200)
    assert error["includes_alpha"].tolist() == [True]
    assert USERS.ireval.sample_ratio()["n"].tolist() == [100, 100]


def test_user_segments_are_groups_by_a_column_or_by_metadata():
    by_column = USERS.ireval.compare_buckets("revenue", by="segment")
    plain, about = USERS.drop(columns="segment"), USERS[["user", "segment"]]
    by_metadata = plain.ireval.compare_buckets("revenue", by="segment", metadata=about)
    pd.testing.assert_frame_equal(by_column, by_metadata)
    phone = USERS[USERS["segment"] == "phone"].ireval.compare_buckets("revenue")
    assert by_column["p_value"].iloc[1] == phone["p_value"].iloc[0]


def test_a_column_about_the_time_before_adjusts():
    before = USERS["revenue"] + np.random.default_rng(1).normal(0, 0.5, len(USERS))
    table = USERS.assign(before=before)
    adjusted = table.ireval.compare_buckets("revenue", pre=table, covariate="before")
    assert adjusted["variance_reduction"].iloc[0] > 0.8
    past = table[["user", "before"]].rename(columns={"before": "revenue"}).iloc[:150]
    by_table = table.ireval.compare_buckets("revenue", pre=past)
    assert by_table["covered"].tolist() == [0.75]


def test_faults_of_user_tables_are_errors():
    with pytest.raises(ValueError, match=r"1 rows that repeat a bucket and user.*groupby"):
        USERS.iloc[[0, 0, 1]].ireval.compare_buckets("clicks")
    with pytest.raises(ValueError, match="1 rows without a bucket or user"):
        USERS.assign(user=USERS["user"].where(USERS.index > 0)).ireval.compare_buckets("clicks")
    with pytest.raises(KeyError, match=r"no behavior measure 'clicks / shown'.*clicks"):
        USERS.ireval.compare_buckets("clicks / shown")
    with pytest.raises(ValueError, match="abandonment_rate needs a click log"):
        USERS.ireval.compare_buckets("abandonment_rate")
    with pytest.raises(ValueError, match="no sessions or queries"):
        USERS.ireval.compare_buckets("clicks", unit="session")
    with pytest.warns(UserWarning, match="users in more than one bucket"):
        USERS.assign(user=USERS.index // 2).ireval.compare_buckets("clicks")


def test_a_sample_ratio_mismatch_warns_unless_the_shares_were_intended():
    few = USERS[(USERS["bucket"] == "old") | (USERS.index < 60)]
    with pytest.warns(UserWarning, match=r"sizes mismatch their shares \(new 30, old 100"):
        few.ireval.compare_buckets("clicks")
    few.ireval.compare_buckets("clicks", shares={"new": 0.25, "old": 0.75})


def test_lift_is_the_relative_difference_with_both_intervals():
    for kind in ("delta", "fieller"):
        row = USERS.ireval.compare_buckets("revenue", lift=kind).iloc[0]
        assert row["lift"] == pytest.approx(row["value_a"] / row["value_b"] - 1)
        assert row["lift_low"] < row["lift"] < row["lift_high"]
    # by hand: a 11, b 10, both with a standard error of .5: (110 +- sqrt(211.33)) / 99.0396 - 1
    by_hand = (110 + np.array([-1, 1]) * np.sqrt(110**2 - 99.0396 * 120.0396)) / 99.0396 - 1
    fieller = relative_interval(11, 10, 0.25, 0.25, 1.96, fieller=True)
    assert fieller[1:] == pytest.approx(by_hand)
    # the delta method: variance .25 / 100 + 121 * .25 / 10_000
    half = 1.96 * np.sqrt(0.25 / 100 + 121 * 0.25 / 10_000)
    delta = relative_interval(11, 10, 0.25, 0.25, 1.96, fieller=False)
    assert delta[1:] == pytest.approx((0.1 - half, 0.1 + half))
    assert relative_interval(1, 0.1, 0.25, 0.25, 1.96, fieller=True)[1:] == (-np.inf, np.inf)
    drawn = USERS.ireval.compare_buckets("revenue", test="bootstrap", lift="delta", draws=500).iloc[
        0
    ]
    assert drawn["lift_low"] < drawn["lift"] < drawn["lift_high"]


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1))
def test_fiellers_interval_excludes_no_lift_exactly_if_the_test_is_significant(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(10, 2, 12), rng.normal(10 + rng.random(), 3, 15)
    result = welch(x, y, confidence=0.95)
    var_x, var_y = np.var(x, ddof=1) / 12, np.var(y, ddof=1) / 15
    times = (result.high - result.low) / 2 / np.sqrt(var_x + var_y)
    _, low, high = relative_interval(x.mean(), y.mean(), var_x, var_y, times, fieller=True)
    assert (low > 0 or high < 0) == (result.p_value < 0.05)


def test_winsorizing_cuts_values_at_a_quantile_of_all_users():
    cut = USERS["revenue"].quantile(0.9)
    by_hand = USERS.assign(revenue=USERS["revenue"].clip(upper=cut))
    winsorized = USERS.ireval.compare_buckets(["revenue", "converted"], winsorize=0.9)
    plain = by_hand.ireval.compare_buckets(["revenue", "converted"])
    numbers = ["value_a", "value_b", "p_value"]
    np.testing.assert_allclose(winsorized[numbers], plain[numbers], rtol=1e-12)  # rates are not cut
    ratio = "clicks / impressions"
    both = USERS.assign(
        **{
            name: USERS[name].clip(upper=USERS[name].quantile(0.8))
            for name in ("clicks", "impressions")
        }
    )
    assert (
        USERS.ireval.behavior(ratio, winsorize=0.8)["value"].tolist()
        == both.ireval.behavior(ratio)["value"].tolist()
    )


def test_sample_sizes_and_detectable_differences_equal_those_of_statsmodels():
    from statsmodels.stats.power import NormalIndPower

    row = USERS.ireval.compare_buckets.sample_size("revenue", lift=0.1, share=0.2, power=0.9).iloc[
        0
    ]
    within = USERS["revenue"] - USERS.groupby("bucket")["revenue"].transform("mean")
    assert row["sd"] == pytest.approx(np.sqrt((within**2).sum() / 198))
    assert row["difference"] == pytest.approx(USERS["revenue"].mean() / 10)
    power = NormalIndPower()
    first = power.solve_power(row["difference"] / row["sd"], alpha=0.05, power=0.9, ratio=4)
    assert row["units"] == np.ceil(first * 5)
    detectable = power.solve_power(nobs1=40, alpha=0.05, power=0.9, ratio=4)
    assert row["detectable"] / row["sd"] == pytest.approx(detectable, rel=1e-6)
    # a ratio has the standard deviation of the delta method
    ratio = USERS.ireval.compare_buckets.sample_size("clicks / impressions", difference=0.01)
    assert ratio["units"].iloc[0] > 200
    assert ratio["value"].iloc[0] == USERS["clicks"].sum() / USERS["impressions"].sum()
    with pytest.raises(ValueError, match="exclude each other"):
        USERS.ireval.compare_buckets.sample_size("clicks", lift=0.1, difference=1.0)
    with pytest.raises(ValueError, match="aggregate='median'"):
        USERS.ireval.compare_buckets.sample_size("clicks", aggregate="median")


def recommender_log():
    minute, day = 60, 86_400
    rows = [
        ("ann", "x", 0, "click"),
        ("ann", "y", 10 * minute, "purchase"),
        ("ann", "x", 8 * day, "click"),
        ("bob", "x", minute, "view"),
        ("cid", "z", 6 * day, "click"),
    ]
    log = pd.DataFrame(rows, columns=["user_id", "item_id", "timestamp", "action"])
    return log.assign(bucket=log["user_id"].map({"ann": "new", "bob": "old", "cid": "old"}))


def test_a_recommender_log_has_sessions_by_inactivity_and_no_queries():
    log = recommender_log()
    sessions = log.ireval.add_sessions()
    assert sessions["session"].tolist() == [0, 0, 1, 2, 3]
    assert log.ireval.add_sessions(gap=300)["session"].tolist() == [0, 1, 2, 3, 4]
    users = log.ireval.per_user()
    assert users["user_id"].tolist() == ["ann", "bob", "cid"]
    assert users["sessions"].tolist() == [2, 1, 1]
    assert users["clicks"].tolist() == [2, 0, 1]
    assert users["purchase"].tolist() == [1, 0, 0]
    behavior = log.ireval.behavior().set_index(["measure", "bucket"])["value"]
    assert behavior["clicks_per_query", "new"] == 1  # visits
    assert behavior["conversion_rate", "new"] == 1
    assert "reformulation_rate" not in behavior.index.get_level_values(0)
    with pytest.raises(ValueError, match="reformulation_rate needs queries"):
        log.ireval.behavior("reformulation_rate")
    # the order of rows does not matter
    shuffled = log.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(shuffled.ireval.per_user(), users)


def test_impressions_of_a_recommender_log_are_counted_if_it_has_them():
    log = recommender_log().replace({"action": {"view": "impression"}}).iloc[[0, 1, 3]]
    log.loc[len(log) + 9] = ["ann", "x", 0, "impression", "new"]
    assert log.ireval.per_user()["impressions"].tolist() == [1, 1]
    assert log.ireval.check().empty


def test_sessions_need_users_and_times():
    log = recommender_log()
    with pytest.raises(ValueError, match="has sessions already"):
        log.assign(session=1).ireval.add_sessions()
    with pytest.raises(ValueError, match="but the log has no time column"):
        log.drop(columns="timestamp").ireval.add_sessions()


def test_retention_counts_users_who_were_observed_long_enough():
    log = recommender_log()
    users = log.ireval.per_user()
    assert users["active_days"].tolist() == [8, 0, 0]
    assert users["observed_days"].tolist() == [8, 7, 2]
    retained = log.ireval.behavior("retention_rate").set_index("bucket")
    assert retained["value"].to_dict() == {"new": 1.0, "old": 0.0}
    assert retained["n"].to_dict() == {"new": 1, "old": 1}  # cid was observed for 2 days
    assert log.ireval.behavior("retention(2)")["n"].tolist() == [1, 2]
    with pytest.raises(KeyError, match="retention_rate takes a number of days"):
        log.ireval.behavior("retention_rate(week)")


@pytest.mark.parametrize("name", ["user_id", "userID", "userId", "uid"])
def test_users_and_buckets_have_the_names_of_warehouses(name):
    table = USERS.rename(columns={"user": name, "bucket": "variant"})
    compared = table.ireval.compare_buckets("clicks / impressions")
    assert compared["p_value"].tolist() == (
        USERS.ireval.compare_buckets("clicks / impressions")["p_value"].tolist()
    )


def test_exact_numbers_of_databases_are_numbers():
    from decimal import Decimal

    exact = USERS.assign(revenue=[Decimal(str(value)) for value in USERS["revenue"]])
    assert exact.ireval.compare_buckets("revenue")["p_value"].tolist() == pytest.approx(
        USERS.ireval.compare_buckets("revenue")["p_value"].tolist(), rel=1e-12
    )


def test_columns_that_are_not_finite_numbers_are_errors():
    with pytest.raises(ValueError, match="infinite values in column 'revenue'"):
        USERS.assign(revenue=np.inf).ireval.compare_buckets("revenue")
    with pytest.raises(KeyError, match=r"no behavior measure 'clicks'.* columns of numbers are"):
        USERS.assign(clicks="3").ireval.compare_buckets("clicks")
