"""Events of any kind and what they are worth: bound once, counted by query and user, and measured."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.online.behavior import MEASURES
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

NAMES = {
    "session": "sid",
    "user": "who",
    "query": "q",
    "time": "at",
    "action": "what",
    "rank": "pos",
    "bucket": "arm",
}
ROWS = [
    # session, user, query, second, action, rank, arm, revenue
    ("s1", "ann", "tea", 0, "impression", None, "new", None),
    ("s1", "ann", "tea", 3, "click", 2, "new", None),
    ("s1", "ann", "tea", 9, "add-to-cart", None, "new", None),
    ("s1", "ann", "cup", 20, "impression", None, "new", None),
    ("s1", "ann", None, 25, "purchase", None, "new", 4.0),  # of the query issued last
    ("s1", "ann", "tea", 30, "purchase", None, "new", 6.5),  # of its own query
    ("s2", "bob", "tea", 0, "impression", None, "new", None),
    ("s3", "cy", "tea", 5, "impression", None, "old", None),
    ("s3", "cy", None, 2, "add-to-cart", None, "old", None),  # before anything was shown
    ("s4", "cy", None, 90, "purchase", None, "old", 1.5),  # a session without a query
    ("s5", "di", None, 95, "view", None, "old", None),  # a user without a query
]
LOG = pd.DataFrame(ROWS, columns=[*NAMES.values(), "revenue"])[[*NAMES.values(), "revenue"]]
LOG.columns = ["sid", "who", "q", "at", "what", "pos", "arm", "revenue"]
BOUND = LOG.ireval(**NAMES, value="revenue")


@pytest.mark.broad
def test_columns_bound_once_serve_every_verb():
    plain = LOG.rename(columns={name: role for role, name in NAMES.items()}).rename(
        columns={"query": "query_id", "time": "timestamp", "revenue": "value"}
    )
    for name in ("check", "per_query", "per_session", "per_user", "behavior", "compare_buckets"):
        ours, theirs = getattr(BOUND, name)(), getattr(plain.ireval, name)()
        pd.testing.assert_frame_equal(ours.set_axis(theirs.columns, axis=1), theirs)
    assert BOUND.check_order(["new", "old"], "conversion").shape == (1, 9)


@pytest.mark.broad
def test_events_are_columns_of_queries_and_users():
    users = BOUND.per_user()
    assert users.drop(columns=["arm", "active_days", "observed_days"]).to_numpy().tolist() == [
        ["ann", 1, 2, 2, 1, 1, 2, 0, 10.5],
        ["bob", 1, 1, 1, 0, 0, 0, 0, 0.0],
        ["cy", 2, 1, 1, 0, 1, 1, 0, 1.5],
        ["di", 1, 0, 0, 0, 0, 0, 1, 0.0],
    ]
    kinds = ["add-to-cart", "purchase", "view"]
    assert users.columns.tolist()[2:] == [
        "sessions",
        "active_days",
        "observed_days",
        "queries",
        "impressions",
        "clicks",
        *kinds,
        "revenue",
    ]
    queries = BOUND.per_query()
    assert queries[["q", *kinds, "revenue"]].to_numpy().tolist() == [
        ["tea", 1, 1, 0, 6.5],
        ["cup", 0, 1, 0, 4.0],
        ["tea", 0, 0, 0, 0.0],
        ["tea", 1, 0, 0, 0.0],
    ]
    roles = {role: [name] for role, name in NAMES.items()} | {"event": kinds, "value": ["revenue"]}
    for frame, table in ((users, "users"), (queries, "issued_queries")):
        assert faults(SCHEMAS[table], frame, roles) == []
        assert frame.attrs["table"] == table


@pytest.mark.broad
def test_measures_of_events_by_hand():
    measures = [
        "conversion",
        "conversion(add-to-cart)",
        "revenue_per_user",
        "events_per_user(view)",
        "CTR",
    ]
    found = BOUND.behavior([*measures, "sessions_per_user"]).set_index(["arm", "measure"])["value"]
    assert found["new"].tolist() == [0.5, 0.5, 5.25, 0.0, 1 / 3, 1.0]
    assert found["old"].tolist() == [0.5, 0.5, 0.75, 0.5, 0.0, 1.5]
    assert set(BOUND.behavior()["measure"]) == {
        *list(MEASURES)[:9],
        "conversion_rate",
        "revenue_per_user",
    }
    rows = BOUND.compare_buckets(["conversion", "CTR", "revenue"])
    assert rows["test"].tolist() == ["z", "delta", "welch"]


def test_the_click_through_rate_is_a_ratio_of_sums_or_the_mean_of_the_users_own():
    log = LOG.assign(arm="all")
    log = log[log["what"].isin(["impression", "click"])].ireval(**NAMES)
    assert log.behavior("CTR")["value"].tolist() == [1 / 4]  # one click, four impressions
    assert log.behavior("CTR", aggregate="mean")["value"].tolist() == [(1 / 2 + 0 + 0) / 3]
    assert log.behavior("clicks_per_query", aggregate="ratio")["value"].tolist() == [1 / 4]


def test_a_measure_of_ones_own_is_one_function_of_queries_or_users():
    try:

        @pdeval.behavior_measure(worse="decrease", per="user")
        def cart_value(users, *, value):
            """What users spent, of those who filled a cart."""
            return users[value].where(users["add-to-cart"] > 0)

        @pdeval.behavior_measure(worse="decrease", aggregate="ratio")
        def purchases_per_click(queries):
            return queries["purchase"], queries["clicks"]

        @pdeval.behavior_measure(worse="increase", rate=True, per="user")
        def gave_up(users, *, event="add-to-cart"):
            return (users[event] > 0) & (users["purchase"] == 0)

        measures = ["cart_value", "purchases_per_click", "gave_up", "gave_up(view)"]
        found = BOUND.behavior(measures).set_index(["arm", "measure"])
        assert found["value"]["new"].tolist() == [10.5, 1.0, 0.0, 0.0]
        assert found["value"]["old"].fillna(-1).tolist() == [1.5, -1, 0.0, 0.5]
        assert found["n"]["old"].tolist() == [1, 0, 2, 2]
        assert BOUND.check_order(["old", "new"], "gave_up(view)")["hypothesis"].tolist() == [
            "old < new"
        ]

        @pdeval.behavior_measure(worse="increase", name="upside_down")
        def negative(queries):
            return queries["clicks"], -queries["impressions"]

        with pytest.raises(
            ValueError,
            match=r"upside_down has 4 denominators that are negative or infinite, e\.g\. -1",
        ):
            BOUND.behavior("upside_down")
    finally:
        for name in ("cart_value", "purchases_per_click", "gave_up", "upside_down"):
            MEASURES.pop(name, None)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {"revenue": LOG["revenue"].where(LOG["at"] != 30)},
            "1 'purchase' rows without a revenue, which other 'purch",
        ),
        ({"revenue": LOG["revenue"].where(LOG["at"] != 30, np.inf)}, "1 infinite revenues"),
        (
            {"revenue": LOG["revenue"].astype(object).where(LOG["at"] != 30, "4 €")},
            "1 revenues that are not numbers",
        ),
        (
            {"what": LOG["what"].replace("view", "Impresion")},
            "1 rows with the what 'Impresion': write 'impression'",
        ),
        (
            {"what": LOG["what"].replace("view", "CLICK")},
            "1 rows with the what 'CLICK': write 'click'",
        ),
        (
            {"what": LOG["what"].replace("view", "queries")},
            "1 rows with the what 'queries', which is a column of the",
        ),
        ({"q": LOG["q"].where(LOG["at"] != 3)}, "1 rows without a q"),
    ],
)
def test_what_is_wrong_with_events_is_said(change, text):
    wrong = LOG.assign(**change).ireval(**NAMES, value="revenue")
    with pytest.raises(ValueError, match=text):
        wrong.behavior()
    assert wrong.check()["handling"].tolist() == ["error"]


@pytest.mark.broad
def test_what_a_log_lacks_for_a_measure_is_said():
    with pytest.raises(
        ValueError,
        match=r"conversion\(order\) counts 'order' events, but the log has 'add-to-cart', ",
    ):
        BOUND.behavior("conversion(order)")
    with pytest.raises(
        ValueError,
        match=r"revenue adds values, but the log has none\. Bind them: log.ireval\(value",
    ):
        LOG.drop(columns="revenue").ireval(**NAMES).behavior("revenue")
    without = {role: name for role, name in NAMES.items() if role != "user"}
    with pytest.raises(ValueError, match="conversion needs users, but the log has none"):
        LOG.drop(columns="who").ireval(**without).behavior("conversion")
    with pytest.raises(ValueError, match=r"per_user\(\) needs a user column"):
        LOG.drop(columns="who").ireval(**without).per_user()
    several = pytest.warns(UserWarning, match="queries of the same user are not independent")
    with (
        several,
        pytest.raises(ValueError, match="conversion is observed per user"),
    ):
        BOUND.behavior("conversion", unit="query")
    with pytest.raises(KeyError, match="CTR takes no event in parentheses"):
        BOUND.behavior("CTR(purchase)")
    with pytest.raises(
        KeyError, match=r"no behavior measure 'revenu'.*Did you mean 'revenue_per_user'"
    ):
        BOUND.behavior("revenu")
