"""The click log: what is an error, what is set right and said so, and which click answers which query."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pdeval.online.log import seconds
from pdeval.tables.vocabularies import VOCABULARIES, vocabulary

COLUMNS = ["session", "query_id", "timestamp", "action", "rank"]


def log(*rows, columns=COLUMNS):
    return pd.DataFrame(list(rows), columns=columns)


CLEAN = log(
    ("s", "jaguar", 0, "impression", None),
    ("s", "jaguar", 8, "click", 4),
    ("s", "jaguar", 31, "click", 2),
    ("s", "jaguar car", 60, "impression", None),
    ("t", "jaguar", 100, "impression", None),
    ("t", "jaguar", 103, "click", 1),
)


def test_a_clean_log_has_no_problems_and_warns_of_nothing():
    assert CLEAN.ireval.check().empty
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CLEAN.ireval.per_query()["clicks"].tolist() == [2, 0, 1]


@pytest.mark.broad
def test_rows_out_of_order_are_put_in_order_by_their_timestamps():
    for seed in range(5):
        shuffled = CLEAN.sample(frac=1, random_state=seed)
        pd.testing.assert_frame_equal(shuffled.ireval.per_query(), CLEAN.ireval.per_query())


def test_the_callers_frame_is_left_alone():
    before = CLEAN.copy(deep=True)
    CLEAN.ireval.per_query()
    pd.testing.assert_frame_equal(CLEAN, before)


def test_clicks_before_their_query_count_but_their_times_do_not():
    early = log(
        ("s", "a", 10, "impression", None), ("s", "a", 4, "click", 2), ("s", "a", 15, "click", 3)
    )  # fmt: skip
    with pytest.warns(
        UserWarning, match=r"1 clicks before their query was shown \(counted without their times\)"
    ):
        row = early.ireval.per_query().iloc[0]
    assert row[
        ["clicks", "max_reciprocal_rank", "time_to_first_click", "time_to_last_click"]
    ].tolist() == [
        2,
        0.5,
        5,
        5,
    ]


def test_duplicate_rows_count_once():
    twice = pd.concat([CLEAN, CLEAN.iloc[[1, 3]]])
    with pytest.warns(
        UserWarning, match=r"click log: 2 duplicate rows \(counted once\)\. log\.ireval\.check\("
    ):
        found = twice.ireval.per_query()
    pd.testing.assert_frame_equal(found, CLEAN.ireval.per_query())
    assert twice.ireval.check()[["problem", "rows", "handling"]].to_numpy().tolist() == [
        ["duplicate rows", 2, "counted once"]
    ]


def test_clicking_one_result_twice_is_one_result_clicked():
    again = log(
        ("s", "a", 0, "impression", None), ("s", "a", 5, "click", 2), ("s", "a", 50, "click", 2)
    )  # fmt: skip
    row = again.ireval.per_query().iloc[0]
    assert row[["clicks", "mean_reciprocal_rank", "time_to_last_click"]].tolist() == [1, 0.5, 50]


def test_clicks_on_queries_never_shown_are_left_out():
    unknown = pd.concat(
        [
            CLEAN,
            log(
                ("s", "puma", 5, "click", 1),
                ("t", "jaguar car", 101, "click", 1),
                ("u", "jaguar", 1, "click", 1),
            ),
        ]
    )
    with pytest.warns(
        UserWarning, match=r"3 clicks on a query never shown in their session \(left out\)"
    ):
        found = unknown.ireval.per_query()
    pd.testing.assert_frame_equal(found, CLEAN.ireval.per_query())
    assert "puma" in unknown.ireval.check()["example"].iloc[0]


def test_a_log_without_clicks_is_all_abandoned():
    found = CLEAN[CLEAN["action"] == "impression"].ireval.per_query()
    assert found["abandoned"].tolist() == [True, True, True]
    assert found["clicks"].tolist() == [0, 0, 0]
    assert (
        found[["max_reciprocal_rank", "mean_reciprocal_rank", "time_to_first_click"]]
        .isna()
        .all(axis=None)
    )


def test_a_log_without_impressions_cannot_say_what_was_abandoned():
    with pytest.raises(ValueError, match="no impressions, so queries without clicks are unknown"):
        CLEAN[CLEAN["action"] == "click"].ireval.per_query()


def test_every_fault_is_named_in_one_error():
    bad = log(
        ("s", "a", 0, "impression", None),
        ("s", None, 1, "click", 0),
        ("s", "a", None, "Clicks", 1),
        ("s", "a", 3, "click", None),
    )
    with pytest.raises(ValueError, match="the click log cannot be read") as caught:
        bad.ireval.per_query()
    for fault in (
        "1 rows without a query_id",
        "1 rows without a timestamp",
        "1 rows with the action 'Clicks': write 'click'",
        "1 ranks that are not integers of at least 1 (e.g. 0.0)",
        "1 clicks with neither rank nor doc",
    ):
        assert fault in str(caught.value)
    assert bad.ireval.check()["handling"].tolist() == ["error"] * 5


def test_missing_columns_are_named_with_those_that_are_there():
    with pytest.raises(
        ValueError,
        match=r"no column action, rank or doc_id \(it has session, query_id, timestamp\)",
    ):
        CLEAN[["session", "query_id", "timestamp"]].ireval.per_query()
    with pytest.raises(ValueError, match="no rows"):
        CLEAN.iloc[:0].ireval.per_query()


def test_columns_are_renamed_by_role():
    renamed = CLEAN.rename(columns={"session": "sid", "query_id": "q", "rank": "pos"})
    found = renamed.ireval(session="sid", query="q", rank="pos").per_query()
    assert found.columns[:2].tolist() == ["sid", "q"]
    np.testing.assert_array_equal(found["clicks"], CLEAN.ireval.per_query()["clicks"])
    with pytest.raises(TypeError, match=r"no role 'sesion'.*Did you mean 'session'"):
        renamed.ireval(sesion="sid")
    with pytest.raises(KeyError, match="no column 'ssid' for the role 'session'"):
        renamed.ireval(session="ssid")


def test_the_user_of_a_log_is_not_its_query_even_where_a_vocabulary_calls_queries_users():
    vocabulary("example", run="run", query="user", doc="item")
    try:
        found = CLEAN.assign(user="ann").ireval.per_query()
    finally:
        del VOCABULARIES["example"]
    assert found["query_id"].tolist() == ["jaguar", "jaguar car", "jaguar"]


def test_a_log_without_sessions_or_times_is_still_known_as_a_log():
    with pytest.raises(
        ValueError, match=r"cannot be read: no column session, timestamp \(it has query_id, action"
    ):
        CLEAN[["query_id", "action", "rank"]].ireval.per_query()
    assert CLEAN.drop(columns="session").ireval.check()["problem"].tolist() == ["no column session"]
    timed = CLEAN.rename(columns={"timestamp": "time"}).ireval.per_query()
    assert timed.rename(columns={"time": "timestamp"}).equals(CLEAN.ireval.per_query())


def test_a_session_belongs_to_one_bucket_and_one_user():
    split = CLEAN.assign(bucket=["A", "A", "B", "A", "A", "A"], user=["u", "u", "u", "u", "v", "w"])
    with pytest.raises(
        ValueError, match="4 rows of sessions that have more than one bucket"
    ) as caught:
        split.ireval.per_query()
    assert "2 rows of sessions that have more than one user (e.g. 't')" in str(caught.value)


def test_times_with_zones_are_moments():
    # 02:59:50 summer time follows 01:59:50 winter time by nothing but the change of the clock
    zoned = CLEAN.assign(
        timestamp=[
            "2024-03-31T01:59:50+01:00",
            "2024-03-31T03:00:00+02:00",
            "2024-03-31T01:00:20Z",
            "2024-03-31T01:00:50Z",
            "2024-03-30T20:00:00-05:00",
            "2024-03-31T01:00:03+00:00",
        ]
    )
    found = zoned.ireval.per_query()
    assert found["time_to_first_click"].tolist()[0] == 10
    assert found["time_to_last_click"].tolist()[0] == 30
    assert found["time_to_first_click"].tolist()[2] == 3


@pytest.mark.broad
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Helsinki"])
def test_date_columns_numbers_and_text_give_the_same_times(zone):
    dates = pd.Series(
        pd.to_datetime("2024-03-31 00:30") + pd.to_timedelta(CLEAN["timestamp"], unit="s")
    )
    if zone is not None:
        dates = dates.dt.tz_localize("UTC").dt.tz_convert(zone)
    expected = CLEAN.ireval.per_query().drop(columns="timestamp")
    for column in (dates, dates.astype(object), dates.map(lambda moment: moment.isoformat())):
        found = CLEAN.assign(timestamp=column).ireval.per_query().drop(columns="timestamp")
        pd.testing.assert_frame_equal(found, expected)


def test_times_with_and_without_a_zone_do_not_mix():
    mixed = CLEAN.assign(timestamp=["2024-01-01T10:00:00"] * 2 + ["2024-01-01T10:00:00Z"] * 4)
    with pytest.raises(ValueError, match="2 timestamps without a time zone among 6") as caught:
        mixed.ireval.per_query()
    assert "'2024-01-01T10:00:00' and '2024-01-01T10:00:00Z'" in str(caught.value)


def test_text_that_is_no_time_is_refused():
    wrong = CLEAN.assign(timestamp=["2024-01-01T10:00:00"] * 5 + ["yesterday"])
    with pytest.raises(
        ValueError, match=r"1 timestamps that are not ISO 8601.*\(e.g. 'yesterday'\)"
    ):
        wrong.ireval.per_query()
    assert "1 infinite timestamps" in seconds(pd.Series([0.0, np.inf]))[1].problem


def test_a_next_page_is_not_a_new_query_but_coming_back_is():
    pages = log(
        ("s", "a", 0, "impression", None),
        ("s", "a", 20, "impression", None),  # next page
        ("s", "b", 40, "impression", None),
        ("s", "a", 60, "impression", None),  # back to the first query
        ("s", "a", 70, "click", 1),
        ("s", "a", 30, "click", 12),
    )
    found = pages.ireval.per_query()
    assert found["query_id"].tolist() == ["a", "b", "a"]
    assert found["reformulated"].tolist() == [True, True, False]
    assert found["time_to_first_click"].fillna(-1).tolist() == [30, -1, 10]


def test_a_click_in_the_second_of_the_impression_comes_after_it():
    same = log(("s", "a", 5, "click", 1), ("s", "a", 5, "impression", None))
    assert same.ireval.per_query()["time_to_first_click"].tolist() == [0]


def test_a_click_with_a_document_alone_takes_its_rank_from_the_page():
    columns = [*COLUMNS, "doc_id"]
    page = log(
        ("s", "a", 0, "impression", 1, "x"),
        ("s", "a", 0, "impression", 2, "y"),
        ("s", "a", 7, "click", None, "y"),
        ("s", "a", 9, "click", None, "z"),
        columns=columns,
    )
    row = page.ireval.per_query().iloc[0]
    assert row[["clicks", "max_reciprocal_rank"]].tolist() == [2, 0.5]
    without = page.drop(columns="rank").ireval.per_query().iloc[0]
    assert without["clicks"] == 2
    assert np.isnan(without["max_reciprocal_rank"])
