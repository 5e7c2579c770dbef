"""The click log: its format, its checks, and which click answers which issued query.

One row per event. Columns (bind other names: `log.ireval(session="sid", query="text")`):

session    a search session; belongs to one user and one bucket
user       who searched (optional)
query_id   the query, as text or id
timestamp  when: dates and times with or without a zone, ISO 8601 text, or numbers of seconds
action     'impression': a results page, or one result of it, was shown; 'click': a result was clicked; any other
           event has its own name: 'purchase', 'add-to-cart', 'view'
rank       where the result stood, from 1       } a click has at least one of the two; a click that has only the
doc_id     which result                         } doc takes its rank from the impression rows of its page, if there
bucket     the arm of the experiment (optional)
value      what an event was worth, such as its revenue (optional)

An issued query is a stretch of impressions of one query in a session with no other query in between (a next page
or a reload is not a new query). A click belongs to the latest issue of its query before it; so does any other event
that names a query of its session, and one that does not belongs to the latest issued query of any kind. All events
count for their user, also in sessions that issued no query. The order of rows is immaterial. What is wrong is an error,
or is set right and said so: see `check`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import described_frame
from pdeval.join.rules import outside
from pdeval.online.log_checks import (
    CLICK,
    IMPRESSION,
    Problem,
    columns_of,
    faults_of,
    mismatch,
    seconds,
    span,
    users_in_several,
)
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb

table(
    "log_problems",
    "problem rows:int handling example",
    "table of problems of a click log",
    row="problem",
    means={
        "problem": "what is wrong",
        "rows": "how many rows it concerns",
        "handling": "'error' stops every verb that reads the log; anything else is what is done about it",
        "example": "one of the rows, or of their values",
    },
    unreported="it is a table to read: what to mend in a log",
    undrawn="it is a table to read: what to mend in a log",
)


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


@dataclass(frozen=True)
class Log:
    """A log as issued queries and their clicks.

    Parameters
    ----------
    names : mapping of role to column
        The columns that the log has.
    queries : DataFrame
        One row per issued query, sorted by session and time: the caller's session, [user,] [bucket,] query and
        timestamp columns, where the timestamp is when the query was first shown.
    issue : ndarray of int
        For every click, the row of `queries` that it answers.
    after : ndarray of float
        For every click, the seconds since then; NaN where the log has the click before its query.
    rank : ndarray of float
        For every click, the rank of its result; NaN where unknown.
    result : ndarray of int
        For every click, a number that is the same for clicks on one result.
    impressions, asker : ndarray of int
        For every issued query, how many impressions it has, and the row of `people` who issued it.
    events : DataFrame
        Events of other kinds, and whatever has a value: `action`; `value`, 0 where there is none; `issue`, the row of
        `queries`, -1 in a session without one; `person`, the row of `people`, -1 in a log without users.
    times : Series
        When every event was, as the log has it.
    people : DataFrame
        One row per user (and bucket), sorted: the caller's [bucket and] user column, and `sessions`, how many.
    problems : list of Problem
        What was set right.
    """

    names: Mapping[str, str]
    queries: pd.DataFrame
    issue: np.ndarray
    after: np.ndarray
    rank: np.ndarray
    result: np.ndarray
    impressions: np.ndarray
    asker: np.ndarray
    events: pd.DataFrame
    times: pd.Series
    people: pd.DataFrame
    problems: list[Problem]

    def codes(self, role: str) -> tuple[np.ndarray, pd.Index]:
        """Return each issued query's number among the values of a column, and those values, sorted."""
        codes, values = pd.factorize(self.queries[self.names[role]], sort=True)
        return codes, pd.Index(values, name=self.names[role])

    @cached_property
    def kinds(self) -> list[str]:
        """The kinds of events beside impressions and clicks, sorted."""
        return sorted({str(kind) for kind in self.events["action"].unique()} - {IMPRESSION, CLICK})

    @cached_property
    def span(self) -> tuple[Any, Any]:
        """The first and the last time."""
        return span(self.times)

    def attrs(self, *roles: str) -> dict[Any, Any]:
        """Return which columns play these roles, for the tables that come of the log."""
        return {f"{role}_column": self.names[role] for role in roles if role in self.names}


@verb(on="clicks", gives="log_problems", core=True, formerly="check_log")
def check(log: Table, *, shares: Mapping[object, float] | None = None) -> pd.DataFrame:
    """Return what is wrong with a click log, and what is done about it: one row per problem; none, if it is clean.

    Errors stop every verb that reads the log; only if there is none are the others looked for: duplicate rows count
    once; clicks on a query that their session never showed are left out; clicks before their query was shown count,
    but their times do not. Of an experiment: users in more than one bucket, and a sample-ratio mismatch, that is
    numbers of users (of sessions, in a log without users) which the buckets' shares make unlikely: chi-square test,
    p < .001.

    Parameters
    ----------
    shares : mapping of bucket to number, optional
        What share of the users each bucket was meant to have, such as {"control": 0.9, "new": 0.1}; by default equal
        shares.

    Examples
    --------
    >>> log = pd.DataFrame({"session": [1, 1, 1], "query_id": ["a", "a", "b"], "rank": [None, 2, 1],
    ...                     "timestamp": [0, 9, 12], "action": ["impression", "click", "click"]})
    >>> print(log.ireval.check().drop(columns="example").to_string(index=False))
                                       problem  rows handling
    clicks on a query never shown in their session     1 left out
    """
    problems = faults_of(log) or [
        *_read(log).problems,
        *users_in_several(log),
        *mismatch(log, shares),
    ]
    return pd.DataFrame(problems, columns=list(Problem._fields))


def read_log(table: Table) -> Log:
    """Return the log as issued queries and clicks; an error names every fault, a warning what was set right."""
    if faults := faults_of(table):
        texts = [
            f"{fault.problem} ({fault.example})" if fault.example else fault.problem
            for fault in faults
        ]
        raise ValueError(f"the click log cannot be read: {'; '.join(texts)}.")
    log = _read(table)
    if log.problems:
        text = "; ".join(f"{p.rows:,} {p.problem} ({p.handling})" for p in log.problems)
        warnings.warn(
            f"click log: {text}. log.ireval.check() shows examples.",
            UserWarning,
            stacklevel=outside(),
        )
    return log


def _read(table: Table) -> Log:
    has = columns_of(table)
    events = table.frame[list(has.values())].reset_index(drop=True)
    events.attrs = {}
    problems = []

    def problem(words: str, rows: np.ndarray, handling: str) -> None:
        """Add a problem of these rows, if there are any."""
        if rows.any():
            problems.append(
                Problem(
                    words,
                    int(rows.sum()),
                    handling,
                    f"e.g. {tuple(events[rows].iloc[0].astype(str))}",
                )
            )

    again = events.duplicated().to_numpy()
    problem("duplicate rows", again, "counted once")
    events = events[~again].reset_index(drop=True) if again.any() else events
    when, _ = seconds(events[has["time"]])
    session = pd.factorize(events[has["session"]], sort=True)[0].astype(np.int64)
    query, values = pd.factorize(events[has["query"]], sort=True)
    clicked, appeared = (
        (events[has["action"]] == action).to_numpy() for action in (CLICK, IMPRESSION)
    )
    # (session, query) as one number
    page = session * len(values) + query
    # impressions by session and time; a new issue begins where the page changes
    order = np.flatnonzero(appeared)
    order = order[np.lexsort((query[order], when[order], session[order]))]
    new = np.append(True, page[order][1:] != page[order][:-1])
    issue = np.cumsum(new) - 1  # of every impression, in time order
    first = order[new]
    start = when[first]
    # each click, and each other event that names a query, to the latest issue of its query in its session
    value = (
        pd.to_numeric(events[has["value"]]).to_numpy(np.float64)
        if "value" in has
        else np.full(len(events), np.nan)
    )
    click, other = np.flatnonzero(clicked), np.flatnonzero(~(appeared | clicked) | ~np.isnan(value))
    both = np.concatenate([click, other])
    parts = _answered(page[first], start, page[both], when[both])
    (issue_of_click, issue_of_other), (is_known, other_is_known), (early, _) = (
        np.split(part, [len(click)]) for part in parts
    )
    row = np.arange(len(events))
    problem(
        "clicks on a query never shown in their session", np.isin(row, click[~is_known]), "left out"
    )
    click, issue_of_click, early = click[is_known], issue_of_click[is_known], early[is_known]
    problem(
        "clicks before their query was shown",
        np.isin(row, click[early]),
        "counted without their times",
    )
    doc = (
        pd.factorize(events[has["doc"]], sort=True)[0] if "doc" in has else np.full(len(events), -1)
    )
    rank = np.full(len(events), np.nan)
    if "rank" in has:
        rank = pd.to_numeric(events[has["rank"]].astype(object), errors="coerce").to_numpy(
            dtype=np.float64
        )
    rank_of_click = _ranks(issue_of_click, doc[click], rank[click], issue, doc[order], rank[order])
    people, person = _people(events, has, session)
    issue_of_other = np.where(other_is_known & (query[other] >= 0), issue_of_other, -1)
    free = np.flatnonzero(issue_of_other < 0)  # of the query issued last, whichever it was
    near = np.flatnonzero(np.isin(session[first], session[other[free]]))
    last, known, _ = _answered(
        session[first[near]], start[near], session[other[free]], when[other[free]]
    )
    issue_of_other[free[known]] = near[last[known]]
    others = pd.DataFrame(
        {
            "action": events[has["action"]].to_numpy()[other].astype(str),
            "value": np.nan_to_num(value[other]),
            "issue": issue_of_other,
            "person": person[other],
        }
    )
    columns = [has[role] for role in ("bucket", "session", "user", "query", "time") if role in has]
    return Log(
        names=has,
        queries=events.loc[first, columns].reset_index(drop=True),
        issue=issue_of_click,
        after=np.where(early, np.nan, when[click] - start[issue_of_click]),
        rank=rank_of_click,
        # documents count from 0, results without one by their rank, from -1 down
        result=np.where(doc[click] >= 0, doc[click], -1 - np.nan_to_num(rank_of_click)).astype(
            np.int64
        ),
        impressions=np.bincount(issue, minlength=len(first)),
        asker=person[first],
        events=others.sort_values("value", ignore_index=True),
        times=events[has["time"]],
        people=people,
        problems=problems,
    )


def _people(
    events: pd.DataFrame, has: Mapping[str, str], session: np.ndarray
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the users of a log, each once per bucket, with their numbers of sessions; and every row's user."""
    if "user" not in has:
        return pd.DataFrame({"sessions": np.zeros(0, np.int64)}), np.full(len(events), -1)
    columns = [has[role] for role in ("bucket", "user") if role in has]
    code = np.zeros(len(events), dtype=np.int64)
    for name in columns:
        code_in_column, values = pd.factorize(events[name], sort=True)
        code = code * len(values) + code_in_column
    person, keys = pd.factorize(code, sort=True)
    row = np.zeros(len(keys), dtype=np.int64)
    row[person] = np.arange(len(events))
    person_of_session = np.zeros(int(session.max()) + 1, dtype=np.int64)
    person_of_session[session] = person  # a session is of one user
    return events.loc[row, columns].reset_index(drop=True).assign(
        sessions=np.bincount(person_of_session, minlength=len(keys))
    ), person


def _answered(
    key: np.ndarray, start: np.ndarray, wanted: np.ndarray, when: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the latest issue of the wanted key at or before each time, whether there is one of it, and none before."""
    order = np.lexsort((start, key))  # issues by (key, start): count those not later
    keys, times = key[order], start[order]
    if not len(keys):
        return (
            np.zeros(len(wanted), dtype=np.int64),
            np.zeros(len(wanted), bool),
            np.zeros(len(wanted), bool),
        )
    begin = np.searchsorted(keys, wanted, "left")
    known = keys[np.minimum(begin, len(keys) - 1)] == wanted
    # sorted together; stable: an issue comes before a click of the same moment
    merged = np.lexsort((np.concatenate([times, when]), np.concatenate([keys, wanted])))
    count = np.empty(len(merged), dtype=np.int64)
    count[merged] = np.cumsum(merged < len(keys))
    place = count[len(keys) :] - 1
    return (
        order[np.minimum(np.maximum(place, begin), len(order) - 1)],
        known,
        known & (place < begin),
    )


def _ranks(
    issue: np.ndarray,
    doc: np.ndarray,
    rank: np.ndarray,
    page: np.ndarray,
    seen: np.ndarray,
    seen_rank: np.ndarray,
) -> np.ndarray:
    """Return the clicks' ranks, from the impression rows of their page where the click itself has only a doc."""
    known = (seen >= 0) & ~np.isnan(seen_rank)
    if not np.isnan(rank).any() or not known.any():
        return rank
    impressions = pd.DataFrame({"issue": page[known], "doc": seen[known], "rank": seen_rank[known]})
    best = impressions.groupby(["issue", "doc"])["rank"].min()
    return np.where(
        np.isnan(rank), best.reindex(pd.MultiIndex.from_arrays([issue, doc])).to_numpy(), rank
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
    attrs = {**read.attrs("bucket", "session", "user", "query", "time"), **described_events(read)}
    return described_frame(behaviour_of(read), attrs)


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
    return described_frame(sessions_of(read), read.attrs("bucket", "session", "user"))


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
        raise ValueError(
            "per_user() needs a user column in the log; bind it: log.ireval(user=...)."
        )
    return described_frame(
        users_of(read), {**read.attrs("bucket", "user"), **described_events(read)}
    )


def described_events(log: Log) -> dict[Any, Any]:
    """Return what tables carry about events: the columns that count them, and that of their values."""
    return {**({"event_columns": log.kinds} if log.kinds else {}), **log.attrs("value")}


def behaviour_of(log: Log) -> pd.DataFrame:
    """Return the behaviour after every issued query of a log that has been read."""
    n = len(log.queries)
    session, _ = log.codes("session")
    issue, rank = _results(log)
    clicks = np.bincount(issue, minlength=n)
    ranked = ~np.isnan(rank)
    at, inverse = issue[ranked], 1 / rank[ranked]
    with np.errstate(invalid="ignore"):
        mean = np.bincount(at, inverse, minlength=n) / np.bincount(at, minlength=n)
    timed = ~np.isnan(log.after)
    times = log.issue[timed], log.after[timed]
    frame = log.queries.assign(
        impressions=log.impressions,
        clicks=clicks,
        abandoned=clicks == 0,
        reformulated=~np.append(session[1:] != session[:-1], True),
        max_reciprocal_rank=_extreme(np.fmax, at, inverse, n),
        mean_reciprocal_rank=mean,
        time_to_first_click=_extreme(np.fmin, *times, n),
        time_to_last_click=_extreme(np.fmax, *times, n),
    )
    return _with_events(frame, log, log.events["issue"].to_numpy())


def _extreme(ufunc: np.ufunc, at: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """Return the largest (fmax) or smallest (fmin) value of each of n queries; NaN without one."""
    extreme = np.full(n, np.nan)  # which fmax and fmin take for no value
    ufunc.at(extreme, at, values)
    return extreme


def _results(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Return issued query and rank of every clicked result; one that is clicked twice counts once, at its best rank."""
    # the best rank of each clicked result comes first
    order = np.lexsort((log.rank, log.result, log.issue))
    issue, result = log.issue[order], log.result[order]
    once = np.append(True, (issue[1:] != issue[:-1]) | (result[1:] != result[:-1]))[: len(issue)]
    return issue[once], log.rank[order][once]


def users_of(log: Log) -> pd.DataFrame:
    """Return what every user of a log that has been read did."""
    n, clicks = len(log.people), np.bincount(_results(log)[0], minlength=len(log.queries))
    counts = {
        "queries": np.bincount(log.asker, minlength=n),
        "impressions": np.bincount(log.asker, log.impressions, n).astype(np.int64),
        "clicks": np.bincount(log.asker, clicks, n).astype(np.int64),
    }
    return _with_events(log.people.assign(**counts), log, log.events["person"].to_numpy())


def _with_events(frame: pd.DataFrame, log: Log, row: np.ndarray) -> pd.DataFrame:
    """Return a table with a column for every kind of event, and the sum of values; `row` is the row of each event."""
    kept = row >= 0
    action = log.events["action"].to_numpy()
    columns: dict[str, np.ndarray] = {
        name: np.bincount(row[kept & (action == name)], minlength=len(frame)) for name in log.kinds
    }
    if "value" in log.names:
        columns[log.names["value"]] = np.bincount(row[kept], log.events["value"][kept], len(frame))
    return frame.assign(**columns)


def sessions_of(log: Log) -> pd.DataFrame:
    """Return the number of queries of every session of a log that has been read."""
    session, _ = log.codes("session")
    first = np.append(True, session[1:] != session[:-1])[: len(session)]
    columns = [log.names[role] for role in ("bucket", "session", "user") if role in log.names]
    return (
        log.queries.loc[first, columns].reset_index(drop=True).assign(queries=np.bincount(session))
    )
