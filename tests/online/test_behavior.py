"""The behavior measures by bucket: by hand, without clicks, by user; and their directions in a simulation."""

import numpy as np
import pandas as pd
import pytest

from pdeval.online.behavior import MEASURES, behavior_measure

# two sessions a bucket: bucket, session, user, query, second, action, rank
ROWS = [
    ("new", "s1", "ann", "a", 0, "impression", None), ("new", "s1", "ann", "a", 4, "click", 1),
    ("new", "s1", "ann", "a", 20, "click", 4),
    ("new", "s2", "ann", "b", 0, "impression", None), ("new", "s2", "ann", "b", 10, "click", 2),
    ("old", "s3", "bob", "a", 0, "impression", None), ("old", "s3", "bob", "b", 30, "impression", None),
    ("old", "s3", "bob", "b", 42, "click", 5),
    ("old", "s4", "cy", "a", 0, "impression", None),
]  # fmt: skip
LOG = pd.DataFrame(
    ROWS, columns=["bucket", "session", "user", "query_id", "timestamp", "action", "rank"]
)

BY_HAND = {
    "abandonment_rate": (2, 0.0, 3, 2 / 3),
    "reformulation_rate": (2, 0.0, 3, 1 / 3),
    "queries_per_session": (2, 1.0, 2, 1.5),
    "clicks_per_query": (2, 1.5, 3, 1 / 3),
    "max_reciprocal_rank": (2, 0.75, 1, 0.2),
    "mean_reciprocal_rank": (2, (0.625 + 0.5) / 2, 1, 0.2),
    "time_to_first_click": (2, 7.0, 1, 12.0),
    "time_to_last_click": (2, 15.0, 1, 12.0),
    "first_result_clicks": (2, 0.5, 3, 0.0),  # of two queries one; queries without a click count
}


def by_query(log, *measures, **options):
    """The measures with every issued query an observation, which warns: ann and bob have two each."""
    with pytest.warns(UserWarning, match="queries of the same user are not independent"):
        return log.ireval.behavior(*measures, unit="query", **options)


def test_every_measure_by_hand():
    found = by_query(LOG).set_index(["measure", "bucket"])
    assert list(MEASURES)[:9] == list(BY_HAND) == found.index.get_level_values(0).unique().tolist()
    for name, (n_new, new, n_old, old) in BY_HAND.items():
        assert found.loc[(name, "new"), ["n", "value"]].tolist() == pytest.approx([n_new, new])
        assert found.loc[(name, "old"), ["n", "value"]].tolist() == pytest.approx([n_old, old])
    assert found.loc["time_to_first_click", "aggregate"].tolist() == ["median", "median"]


def test_rows_come_by_bucket_and_measures_as_asked():
    found = LOG.ireval.behavior(["clicks_per_query", "abandonment_rate"])
    assert found.columns.tolist() == [
        "bucket",
        "measure",
        "aggregate",
        "n",
        "value",
        "ci_low",
        "ci_high",
    ]
    assert found[["bucket", "measure"]].to_numpy().tolist() == [
        ["new", "clicks_per_query"],
        ["new", "abandonment_rate"],
        ["old", "clicks_per_query"],
        ["old", "abandonment_rate"],
    ]


def test_a_log_without_clicks_at_all_has_no_times_and_is_abandoned():
    found = LOG[LOG["action"] == "impression"].ireval.behavior().set_index("measure")
    assert found.loc["abandonment_rate", "value"].tolist() == [1, 1]
    assert found.loc["clicks_per_query", "value"].tolist() == [0, 0]
    assert found.loc["first_result_clicks", "value"].tolist() == [0, 0]
    for name in list(MEASURES)[4:8]:
        assert found.loc[name, "n"].tolist() == [0, 0]
        assert found.loc[name, ["value", "ci_low", "ci_high"]].isna().all(axis=None)


def test_a_log_without_buckets_is_one_group():
    found = by_query(LOG.drop(columns="bucket"), "clicks_per_query")
    assert found.columns.tolist()[0] == "measure"
    assert found["value"].tolist() == [4 / 5]


def test_users_count_once_each_where_they_are_the_unit():
    found = LOG.ireval.behavior("abandonment_rate", unit="user").set_index("bucket")
    # old: bob abandoned one of two queries, cy the only one
    assert found.loc["old", ["n", "value"]].tolist() == [2, 2 / 3]
    own = LOG.ireval.behavior("abandonment_rate", unit="user", aggregate="mean").set_index("bucket")
    assert own.loc["old", ["n", "value"]].tolist() == [2, 0.75]
    assert found.loc["new", "n"] == 1
    with pytest.warns(UserWarning, match="sessions of the same user are not independent"):
        sessions = LOG.ireval.behavior("clicks_per_query", unit="session").set_index("bucket")
    assert sessions.loc["old", ["n", "value"]].tolist() == [2, 1 / 3]
    with pytest.raises(ValueError, match="unit='user' needs a user column"):
        LOG.drop(columns="user").ireval.behavior(unit="user")


def test_mean_and_median_are_chosen_for_all_or_for_some():
    medians = by_query(LOG, "clicks_per_query", aggregate="median")
    assert medians["value"].tolist() == [1.5, 0]
    mixed = LOG.ireval.behavior(
        ["clicks_per_query", "time_to_last_click"], aggregate={"time_to_last_click": "mean"}
    )
    assert mixed["aggregate"].tolist() == ["ratio", "mean"] * 2


@pytest.mark.broad
def test_intervals_are_seeded_and_do_not_depend_on_what_else_is_asked():
    rng = np.random.default_rng(1)
    n = 60
    shown = pd.DataFrame(
        {
            "session": range(n),
            "query_id": "q",
            "timestamp": 0.0,
            "action": "impression",
            "rank": None,
        }
    )
    clicks = shown.assign(action="click", timestamp=rng.exponential(20, n), rank=1)
    log = pd.concat([shown, clicks]).assign(
        bucket=lambda frame: np.where(frame["session"] % 2, "a", "b")
    )
    alone = log.ireval.behavior("time_to_last_click", seed=2)
    together = (
        log.ireval.behavior(seed=2).query("measure == 'time_to_last_click'").reset_index(drop=True)
    )
    pd.testing.assert_frame_equal(alone, together)
    assert not alone.equals(log.ireval.behavior("time_to_last_click", seed=3))
    times = log.ireval.per_query().groupby("bucket")["time_to_last_click"].median()
    assert alone["value"].tolist() == times.tolist()
    assert (alone["ci_low"] < alone["value"]).all()
    assert (alone["value"] < alone["ci_high"]).all()


def test_wrong_names_are_refused():
    with pytest.raises(
        KeyError, match="no behavior measure 'dwell_time'; there are abandonment_rate"
    ):
        LOG.ireval.behavior("dwell_time")
    with pytest.raises(
        ValueError, match=r"^aggregate='mode': choose 'mean', 'median' or 'ratio'\.$"
    ):
        LOG.ireval.behavior(aggregate="mode")
    with pytest.raises(ValueError, match="unit='day': choose 'query', 'session' or 'user'"):
        LOG.ireval.behavior(unit="day")


@pytest.mark.parametrize("name", list(MEASURES))
def test_every_measure_is_documented_and_has_a_direction(name):
    measure = MEASURES[name]
    assert measure.name == name
    assert measure.summary
    assert measure.known()["higher"] == (measure.worse == "decrease")
    assert measure.aggregate in ("mean", "median", "ratio")
    log = LOG.assign(action=LOG["action"].where(LOG["timestamp"] < 40, "purchase"), value=1.0)
    source = getattr(log.ireval, f"per_{measure.per}")()
    values = np.divide(*measure.parts(source))
    assert set(values[~np.isnan(values)]) <= {0.0, 1.0} or not measure.rate


def test_a_measure_of_ones_own_is_computed_compared_and_refused_where_it_reduces():
    try:

        @behavior_measure(worse="decrease", rate=True)
        def clicked_first(queries):
            """Whether the first result was clicked."""
            return queries["max_reciprocal_rank"] == 1

        @behavior_measure(worse="increase", name="broken")
        def total(queries):
            return queries["clicks"].sum()

        assert LOG.ireval.behavior("clicked_first")["value"].tolist() == [0.5, 0]
        found = LOG.ireval.check_order(["new", "old"], "clicked_first")
        assert found["hypothesis"].tolist() == ["new > old"]
        with pytest.raises(ValueError, match=r"broken returned an array of shape \(\) for 5 rows"):
            LOG.ireval.behavior("broken")
    finally:
        for name in ("clicked_first", "broken"):
            MEASURES.pop(name, None)
    with pytest.raises(ValueError, match="pdeval has a behavior measure 'abandonment_rate'"):
        behavior_measure(worse="increase", name="abandonment_rate")(
            lambda queries: queries["clicks"]
        )


def test_rates_are_over_queries_and_their_intervals_over_sessions():
    """Four queries, three abandoned, two reformulated, one click: three in one session, one in another."""
    rows = [("s1", "a", 0, "impression"), ("s1", "b", 10, "impression"), ("s1", "c", 20, "impression"),
            ("s2", "a", 0, "impression"), ("s2", "a", 5, "click")]  # fmt: skip
    log = pd.DataFrame(rows, columns=["session", "query_id", "timestamp", "action"]).assign(rank=1)
    found = log.ireval.behavior(["abandonment_rate", "reformulation_rate", "clicks_per_query"])
    assert found["value"].tolist() == [0.75, 0.5, 0.25]
    assert found["n"].tolist() == [2, 2, 2]
    assert found["aggregate"].tolist() == ["ratio"] * 3
    own = log.ireval.behavior(
        ["abandonment_rate", "reformulation_rate", "clicks_per_query"], aggregate="mean"
    )
    assert own["value"].tolist() == pytest.approx([1 / 2, 1 / 3, 1 / 2])


def test_buckets_are_compared_by_the_values_that_behavior_gives():
    names = ["abandonment_rate", "queries_per_session", "clicks_per_query"]
    values = LOG.ireval.behavior(names).pivot(index="measure", columns="bucket", values="value")
    found = LOG.ireval.compare_buckets(names).set_index("measure")
    assert found["value_a"].to_dict() == values["new"].to_dict()
    assert found["value_b"].to_dict() == values["old"].to_dict()
    assert found["test"].tolist() == ["delta"] * 3


def test_a_rate_without_variation_has_an_interval_of_as_many_units():
    log = LOG[LOG["action"] == "impression"]
    row = log.ireval.behavior("abandonment_rate").iloc[1]
    assert (row["n"], row["value"], row["ci_high"]) == (2, 1, 1)
    assert 0 < row["ci_low"] < 1
