"""A/A tests: every measure by every method errs as often as it says by user, and far more often by session or query."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval  # noqa: F401
from pdeval.online.behavior import MEASURES
from tests.online.test_assignment import people, randomized

DRAWS, ALPHA = 1000, 0.05
LOW, HIGH = stats.binom.interval(0.9999, DRAWS, ALPHA)  # some forty cells are looked at
BUILT_IN = [name for name, one in MEASURES.items() if one.observe.__module__.startswith("pdeval.")]
WAYS = {
    "auto": {},
    "mean": {"aggregate": "mean"},
    "ratio": {"aggregate": "ratio"},
    "mann-whitney": {"test": "mann-whitney"},
    "bootstrap": {"test": "bootstrap"},
}


def shop(n: int = 300, seed: int = 2, start: float = 0.0) -> pd.DataFrame:
    """A log of users who differ in how much they search, click and buy; some buy in sessions without a search."""
    rng = np.random.default_rng(3)  # the same people in every period
    keen, buys = rng.beta(0.6, 1.2, n), rng.beta(1, 8, n)
    searches = rng.integers(2, 41, n)
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(n), searches)
    shown = pd.DataFrame({"user": user, "query_id": np.arange(len(user)) % 50})
    shown["session"] = shown["user"] * 1000 + shown.groupby("user").cumcount() // 3
    shown = shown.assign(
        timestamp=start + np.arange(len(user)) * 60.0, action="impression", rank=np.nan
    )
    row, place = np.nonzero(rng.random((len(user), 5)) < keen[user][:, None])
    clicks = shown.iloc[row].assign(action="click", rank=place + 1.0)
    clicks["timestamp"] += 1 + rng.exponential(15, len(clicks))
    bought = shown[rng.random(len(user)) < buys[user]]
    bought = bought.assign(
        action="purchase", value=rng.lognormal(2, 0.5, len(bought)), query_id=np.nan
    )
    bought["timestamp"] += 50
    return pd.concat([shown, clicks, bought], ignore_index=True)


@pytest.mark.large
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_measure_errs_as_often_as_it_says_by_user(way):
    # the log is too short for retention after 7 days
    measures = [name for name in BUILT_IN if name != "retention_rate"]
    if way == "bootstrap":
        measures = ["CTR", "clicks_per_query", "revenue", "conversion"]
    draws = {"bootstrap": 200, "mann-whitney": 400}.get(way, DRAWS)
    low, high = stats.binom.interval(0.9999, draws, ALPHA)
    found = (
        shop()
        .ireval.compare_buckets.aa_test(measures, draws=draws, seed=1, **WAYS[way])
        .set_index("measure")
    )
    assert found["draws"].eq(draws).all()
    assert found.index.tolist() == measures
    assert found["rejected"].between(low, high).all(), found[["test", "error"]]


@pytest.mark.large
@pytest.mark.slow
def test_with_a_pre_period_too():
    pre, log = shop(seed=4), shop(seed=5, start=1e7)
    for measures, aggregate in (
        (["clicks_per_query", "revenue", "conversion"], "mean"),
        ("CTR", "ratio"),
    ):
        ask = log.ireval.compare_buckets.aa_test
        found = ask(measures, aggregate=aggregate, pre=pre, draws=DRAWS)
        assert found["rejected"].between(LOW, HIGH).all(), found[["test", "error"]]


@pytest.mark.large
@pytest.mark.slow
@pytest.mark.parametrize("unit", ["session", "query"])
def test_sessions_and_queries_taken_for_users_err_far_more_often(unit):
    measures = ["abandonment_rate", "clicks_per_query", "CTR", "first_result_clicks"]
    with pytest.warns(UserWarning, match="are not independent"):
        found = shop().ireval.compare_buckets.aa_test(measures, unit=unit, draws=400)
    assert found.attrs["unit"] == unit
    assert (found["ci_low"] > 3 * ALPHA).all(), found[["measure", "error"]]
    assert not found["includes_alpha"].any()


@pytest.mark.broad
def test_an_assignment_is_compared_as_a_bucket_is():
    """With one draw the verb is compare_buckets of a log whose users were put into two buckets."""
    log = people(40, seed=3)
    draw = np.random.default_rng(7).permutation(40) >= 20
    users = np.sort(log["user"].unique())
    arms = log["user"].map(dict(zip(users, np.where(draw, "b", "a"), strict=True)))
    for measure in ("CTR", "clicks_per_query", "first_result_clicks"):
        p = log.assign(bucket=arms).ireval.compare_buckets(measure)["p_value"].iloc[0]
        for alpha in (p * 0.999, p * 1.001):
            found = log.ireval.compare_buckets.aa_test(measure, draws=1, seed=7, alpha=alpha).iloc[
                0
            ]
            assert found["rejected"] == (alpha > p)


@pytest.mark.broad
def test_the_interval_is_exact_and_buckets_of_the_log_are_ignored():
    log = people(40, seed=3)
    found = log.ireval.compare_buckets.aa_test("CTR", draws=60, confidence=0.9).iloc[0]
    exact = stats.binomtest(int(found["rejected"]), 60).proportion_ci(0.9, method="exact")
    assert found[["ci_low", "ci_high"]].tolist() == pytest.approx([exact.low, exact.high])
    assert found["error"] == found["rejected"] / 60
    assert found["includes_alpha"] == (exact.low <= 0.05 <= exact.high)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = (
            randomized(log, 4)
            .ireval.compare_buckets.aa_test("CTR", draws=60, confidence=0.9)
            .iloc[0]
        )
    pd.testing.assert_series_equal(again, found)


@pytest.mark.broad
def test_unequal_arms_and_sessions_of_nobody():
    log = people(40, seed=3)
    some = log.ireval.compare_buckets.aa_test("CTR", draws=20, share=0.1)
    assert some["draws"].tolist() == [20]
    alone = log.drop(columns="user").ireval.compare_buckets.aa_test("CTR", draws=20)
    assert alone.attrs["unit"] == "session"
    with pytest.raises(
        ValueError, match="an A/A test needs at least two users in each bucket; the log has 3"
    ):
        people(3, seed=3).ireval.compare_buckets.aa_test("CTR")
    with pytest.raises(
        ValueError, match="an A/A test needs at least two users in each bucket; the log has 40"
    ):
        log.ireval.compare_buckets.aa_test("CTR", share=0.01)
