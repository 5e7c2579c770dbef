"""What users did: the behaviour of every issued query and of every session of a click log."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.online.log import Log, read_log
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb

table(
    "issued_queries",
    "[bucket] session [user] query time:time [impressions:int] clicks:int abandoned:bool reformulated:bool "
    "max_reciprocal_rank:float mean_reciprocal_rank:float time_to_first_click:float time_to_last_click:float "
    "[event:int value:float]",
    "table of issued queries",
    known_by="clicks abandoned reformulated max_reciprocal_rank mean_reciprocal_rank time_to_first_click "
    "time_to_last_click",
    row="issued query",
    sort="session time",
    means={
        "time": "when the query was first shown",
        "impressions": "how many impressions it has in the log: pages, or results shown",
        "clicks": "how many different results were clicked",
        "abandoned": "whether none was",
        "reformulated": "whether another query followed in the session",
        "max_reciprocal_rank": "of the clicked result that stood highest; NaN without a click",
        "mean_reciprocal_rank": "of the clicked results; NaN without a click",
        "time_to_first_click": "in seconds; NaN without a click",
        "time_to_last_click": "in seconds; NaN without a click",
        "event": "for every kind of event beside impressions and clicks, under its name, how many",
        "value": "the sum of what its events were worth, under the caller's column name",
    },
    unreported="it has a row per issued query; report log.ireval.behaviour()",
    undrawn="it has a row per issued query; see log.ireval.behaviour()",
)
table(
    "sessions",
    "[bucket] session [user] queries:int",
    "table of sessions",
    row="session",
    sort="session",
    means={"queries": "how many queries were issued in it"},
    unreported="it has a row per session; report log.ireval.behaviour()",
    undrawn="it has a row per session; see log.ireval.behaviour()",
)
table(
    "users",
    "[bucket] user sessions:int queries:int impressions:int clicks:int [event:int value:float]",
    "table of users",
    known_by="user sessions queries impressions clicks",
    row="user",
    sort="bucket user",
    means={
        "sessions": "how many sessions of the log are theirs",
        "queries": "how many queries they issued",
        "impressions": "how many impressions they were shown",
        "clicks": "how many different results of these queries they clicked",
        "event": "for every kind of event beside impressions and clicks, under its name, how many",
        "value": "the sum of what their events were worth, under the caller's column name",
    },
    unreported="it has a row per user; report log.ireval.behaviour()",
    undrawn="it has a row per user; see log.ireval.behaviour()",
)


@verb(on="clicks", gives="issued_queries")
def per_query(log: Table) -> pd.DataFrame:
    """Return the behaviour after every issued query: clicks, abandonment, reciprocal ranks, times.

    Examples
    --------
    >>> log = pd.DataFrame(
    ...     [("s", "jaguar", 0, "impression", None), ("s", "jaguar", 8, "click", 4), ("s", "jaguar", 31, "click", 2),
    ...      ("s", "jaguar car", 60, "impression", None)],
    ...     columns=["session", "query_id", "timestamp", "action", "rank"])
    >>> log.ireval.per_query()[["query_id", "clicks", "reformulated", "mean_reciprocal_rank", "time_to_last_click"]]
         query_id  clicks  reformulated  mean_reciprocal_rank  time_to_last_click
    0      jaguar       2          True                 0.375                31.0
    1  jaguar car       0         False                   NaN                 NaN
    """
    read = read_log(log)
    frame = behaviour_of(read)
    frame.attrs = {**read.attrs("bucket", "session", "user", "query", "time"), **described_events(read)}
    return frame


@verb(on="clicks", gives="sessions")
def per_session(log: Table) -> pd.DataFrame:
    """Return the number of queries issued in every session.

    Examples
    --------
    >>> log = pd.DataFrame({"session": ["s", "s", "t"], "query_id": ["a", "b", "a"], "timestamp": [0, 5, 3],
    ...                     "action": "impression", "rank": None})
    >>> log.ireval.per_session()
      session  queries
    0       s        2
    1       t        1
    """
    read = read_log(log)
    frame = sessions_of(read)
    frame.attrs = read.attrs("bucket", "session", "user")
    return frame


@verb(on="clicks", gives="users")
def per_user(log: Table) -> pd.DataFrame:
    """Return what every user did: sessions, queries, impressions, clicks, other events and what they were worth.

    A user of several buckets has a row for each. Events count also in sessions that issued no query.

    Examples
    --------
    >>> log = pd.DataFrame(
    ...     [("s", "ann", "jaguar", 0, "impression", None, None), ("s", "ann", "jaguar", 8, "click", 4, None),
    ...      ("s", "ann", None, 31, "purchase", None, 9.5), ("t", "bob", "jaguar", 60, "impression", None, None)],
    ...     columns=["session", "user", "query_id", "timestamp", "action", "rank", "revenue"])
    >>> log.ireval(value="revenue").per_user()
      user  sessions  queries  impressions  clicks  purchase  revenue
    0  ann         1        1            1       1         1      9.5
    1  bob         1        1            1       0         0      0.0
    """
    read = read_log(log)
    if "user" not in read.names:
        raise ValueError("per_user() needs a user column in the log; bind it: log.ireval(user=...).")
    frame = users_of(read)
    frame.attrs = {**read.attrs("bucket", "user"), **described_events(read)}
    return frame


def described_events(log: Log) -> dict[Any, Any]:
    """Return what tables carry about events: the columns that count them, and that of their values."""
    return {**({"event_columns": log.kinds} if log.kinds else {}), **log.attrs("value")}


def behaviour_of(log: Log) -> pd.DataFrame:
    """Return the behaviour after every issued query of a log that has been read."""
    n = len(log.queries)
    session, _ = log.codes("session")
    last = np.append(session[1:] != session[:-1], True)

    issue, rank = _results(log)
    clicks = np.bincount(issue, minlength=n)
    inverse = 1 / rank
    known = ~np.isnan(inverse)
    at, inverse = issue[known], inverse[known]
    best = np.full(n, -np.inf)
    np.maximum.at(best, at, inverse)
    ranked = np.bincount(at, minlength=n)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(at, inverse, minlength=n) / ranked

    timed = ~np.isnan(log.after)
    soonest, latest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(soonest, log.issue[timed], log.after[timed])
    np.maximum.at(latest, log.issue[timed], log.after[timed])
    frame = log.queries.assign(
        impressions=log.shown,
        clicks=clicks,
        abandoned=clicks == 0,
        reformulated=~last,
        max_reciprocal_rank=np.where(np.isinf(best), np.nan, best),
        mean_reciprocal_rank=mean,
        time_to_first_click=np.where(np.isinf(soonest), np.nan, soonest),
        time_to_last_click=np.where(np.isinf(latest), np.nan, latest),
    )
    return _with_events(frame, log, log.events["issue"].to_numpy())


def _results(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Return issued query and rank of every clicked result; one that is clicked twice counts once, at its best rank."""
    order = np.lexsort((log.rank, log.result, log.issue))
    issue, result = log.issue[order], log.result[order]
    once = np.append(True, (issue[1:] != issue[:-1]) | (result[1:] != result[:-1]))[: len(issue)]
    return issue[once], log.rank[order][once]


def users_of(log: Log) -> pd.DataFrame:
    """Return what every user of a log that has been read did."""
    n, clicks = len(log.people), np.bincount(_results(log)[0], minlength=len(log.queries))
    frame = log.people.assign(queries=np.bincount(log.asker, minlength=n))
    for name, count in (("impressions", log.shown), ("clicks", clicks)):
        frame[name] = np.bincount(log.asker, count, n).astype(np.int64)
    return _with_events(frame, log, log.events["person"].to_numpy())


def _with_events(frame: pd.DataFrame, log: Log, row: np.ndarray) -> pd.DataFrame:
    """Return a table with a column for every kind of event, and the sum of values; `row` is the row of each event."""
    kept = row >= 0
    kind = log.events["action"].to_numpy()
    columns: dict[str, np.ndarray] = {
        name: np.bincount(row[kept & (kind == name)], minlength=len(frame)) for name in log.kinds
    }
    if "value" in log.names:
        columns[log.names["value"]] = np.bincount(row[kept], log.events["value"][kept], len(frame))
    return frame.assign(**columns)


def sessions_of(log: Log) -> pd.DataFrame:
    """Return the number of queries of every session of a log that has been read."""
    session, _ = log.codes("session")
    first = np.append(True, session[1:] != session[:-1])[: len(session)]
    columns = [log.names[role] for role in ("bucket", "session", "user") if role in log.names]
    frame = log.queries.loc[first, columns].reset_index(drop=True)
    return frame.assign(queries=np.bincount(session))
