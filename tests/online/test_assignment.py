"""Issue 12, item 6: the unit that tests count, users in several buckets, bucket sizes that mismatch their shares."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pdeval  # noqa: F401

MEASURES = ["abandonment_rate", "clicks_per_query"]


def people(n: int, seed: int) -> pd.DataFrame:
    """A log of users who differ: each has 1 to 60 queries, and an own chance to click on each of five results."""
    rng = np.random.default_rng(seed)
    user = np.repeat(np.arange(n), rng.integers(1, 61, n))
    keen = rng.beta(0.6, 1.2, n)
    shown = pd.DataFrame(
        {"user": user, "session": np.arange(len(user)) // 2, "query_id": np.arange(len(user))}
    )
    shown["session"] = shown["user"] * 1000 + shown.groupby("user").cumcount() // 2
    shown = shown.assign(timestamp=np.arange(len(user)) * 60.0, action="impression", rank=np.nan)
    row, place = np.nonzero(rng.random((len(user), 5)) < keen[user][:, None])
    clicks = shown.iloc[row].assign(
        action="click", rank=place + 1.0, timestamp=lambda rows: rows["timestamp"] + 1
    )
    return pd.concat([shown, clicks], ignore_index=True)


def randomized(log: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The log with its users in two buckets, at random."""
    users = log["user"].unique()
    new = np.random.default_rng(seed).permutation(len(users)) < len(users) // 2
    return log.assign(
        bucket=np.where(log["user"].map(dict(zip(users, new, strict=True))), "new", "old")
    )


@pytest.mark.broad
def test_the_unit_is_the_user_or_else_the_session():
    log = randomized(people(30, seed=2), 0)
    for verb in ("behavior", "compare_buckets"):
        by_user = getattr(log.ireval, verb)(MEASURES)
        assert by_user.attrs["unit"] == "user"
        pd.testing.assert_frame_equal(by_user, getattr(log.ireval, verb)(MEASURES, unit="user"))
        by_session = getattr(log.drop(columns="user").ireval, verb)(MEASURES)
        assert by_session.attrs["unit"] == "session"
    assert log.ireval.behavior(MEASURES)["n"].tolist() == [15] * 4
    assert log.ireval.check_order(["new", "old"], MEASURES).attrs["unit"] == "user"


@pytest.mark.broad
def test_a_finer_unit_warns_once():
    log = randomized(people(30, seed=2), 0)
    finer = [
        (
            log,
            "query",
            r"^queries of the same user are not independent \(30 users, [\d,]+ queries\).* use unit='user'\.$",
        ),
        (log, "session", "sessions of the same user are not independent.* use unit='user'"),
        (
            log.drop(columns="user"),
            "query",
            "queries of the same session are not independent.* use unit='session'",
        ),
    ]
    for rows, unit, text in finer:
        for ask in (
            lambda rows, unit: rows.ireval.behavior(unit=unit),
            lambda rows, unit: rows.ireval.compare_buckets(unit=unit),
            lambda rows, unit: rows.ireval.check_order(["new", "old"], unit=unit),
        ):
            with pytest.warns(UserWarning, match=text) as caught:
                ask(rows, unit)
            assert len(caught) == 1
            assert caught[0].filename == __file__


@pytest.mark.broad
def test_users_of_one_query_each_are_the_queries():
    log = people(400, seed=3)
    log = randomized(log[log["query_id"].isin(log.drop_duplicates("user")["query_id"])], 0)
    by_user, by_query = (
        log.ireval.compare_buckets(MEASURES, unit=unit) for unit in (None, "query")
    )
    assert by_user["test"].tolist() == ["z", "welch"]
    assert by_user.equals(by_query)


@pytest.mark.broad
def test_users_in_several_buckets_are_reported_and_warned_of():
    log = randomized(people(30, seed=2), 0)
    assert log.ireval.check().empty
    both = log.assign(
        bucket=np.where(log["user"].isin([3, 4]) & (log["session"] % 2 > 0), "new", log["bucket"])
    )
    who = sorted(both.groupby("user")["bucket"].nunique().loc[lambda count: count > 1].index)
    assert who
    found = both.ireval.check().iloc[0]
    assert found["problem"] == "rows of users in more than one bucket"
    assert found["rows"] == both["user"].isin(who).sum()
    assert found["example"] == f"e.g. {who[0]} in new, old"
    with pytest.warns(
        UserWarning,
        match="users in more than one bucket .* counted in each bucket as different users",
    ):
        both.ireval.compare_buckets(MEASURES)


@pytest.mark.broad
def test_a_sample_ratio_mismatch_is_reported_against_equal_or_given_shares():
    log, p = people(1000, seed=4), stats.chisquare([100, 900]).pvalue
    few = log.assign(bucket=np.where(log["user"] % 10 == 0, "new", "old"))
    for rows, who in (
        (few, "users"),
        (few[few["session"] % 1000 == 0].drop(columns="user"), "sessions"),
    ):
        found = rows.ireval.check()
        assert found["problem"].tolist() == ["rows of buckets whose sizes mismatch their shares"]
        assert found["rows"].tolist() == [len(rows)]
        assert f"new 100, old 900 {who}; expected 500, 500; p = {p:.2g}" in found["example"].iloc[0]
        assert rows.ireval.check(shares={"new": 0.1, "old": 0.9}).empty
        assert rows.ireval.check(shares={"old": 9, "new": 1}).empty
    fair = randomized(log, 1)
    assert fair.ireval.check().empty
    assert len(fair.ireval.check(shares={"new": 0.4, "old": 0.6})) == 1


@pytest.mark.broad
def test_the_mismatch_is_the_chi_square_test():
    for new in (440, 447, 448, 460):  # p = .001 lies between 447 and 448 of 1,000
        log = people(1000, seed=5).drop_duplicates("user")
        log = log.assign(bucket=np.where(log["user"] < new, "new", "old"))
        p = stats.chisquare([new, 1000 - new]).pvalue
        assert log.ireval.check().empty == (p >= 0.001)


@pytest.mark.broad
def test_sample_ratios_are_tested_in_every_segment():
    log = randomized(people(1000, seed=4), 1)
    log["device"] = np.where(log["user"] % 2, "phone", "desk")
    lost = log[(log["device"] == "desk") | (log["bucket"] == "old") | (log["user"] % 5 > 0)]
    found = lost.ireval.sample_ratio(by="device").set_index(["device", "bucket"])
    users = lost.groupby(["device", "bucket"])["user"].nunique()
    for device in ("desk", "phone"):
        assert found.loc[device, "n"].tolist() == users[device].tolist()
        p = stats.chisquare(users[device]).pvalue
        assert found.loc[device, "p_value"].tolist() == pytest.approx([p, p])
    assert found["mismatch"].tolist() == (found["p_value"] < 0.001).tolist()
    whole = log.ireval.sample_ratio(shares={"new": 1, "old": 1})
    assert whole["fraction"].tolist() == [0.5, 0.5]
    assert whole.attrs["unit"] == "user"
    assert log.drop(columns="user").ireval.sample_ratio().attrs["unit"] == "session"


def test_sample_ratios_need_two_buckets():
    log = people(20, seed=4)
    with pytest.raises(
        ValueError, match=r"sample_ratio\(\) needs a bucket column, but the log has none"
    ):
        log.ireval.sample_ratio()
    with pytest.raises(ValueError, match="needs at least two buckets; the log has 1: all"):
        log.assign(bucket="all").ireval.sample_ratio()
    broken = randomized(log, 1).assign(query_id=log["query_id"].where(log.index > 0))
    with pytest.raises(ValueError, match="the click log cannot be read: 1 rows without a query_id"):
        broken.ireval.sample_ratio()


@pytest.mark.parametrize(
    ("shares", "text"),
    [
        ({"new": 1.0}, "shares= must map each bucket to its fraction: new, old; found new"),
        (0.5, "shares= must map each bucket to its fraction: new, old; found 0.5"),
        ({"new": 0, "old": 1}, "shares= must be positive numbers, such as 0.5; found 0"),
        ({"new": "x", "old": 1}, "shares= must be positive numbers, such as 0.5; found 'x'"),
    ],
)
def test_wrong_shares_are_refused(shares, text):
    with pytest.raises(ValueError, match=text):
        randomized(people(20, seed=2), 0).ireval.check(shares=shares)
    with pytest.raises(
        ValueError, match="shares= requires buckets, but the log has no bucket column"
    ):
        people(20, seed=2).ireval.check(shares=shares)
