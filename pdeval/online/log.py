"""The click log: its format, its checks, and which click answers which issued query.

One row per event. Columns (bind other names: `log.ireval(session="sid", query="text")`):

session    a search session; belongs to one user and one bucket
user       who searched (optional)
query_id   the query, as text or id
timestamp  when: dates and times with or without a zone, ISO 8601 text, or numbers of seconds
action     'impression': a results page, or one result of it, was shown; 'click': a result was clicked; any other
           event has its own name: 'purchase', 'add-to-cart', 'view'
rank       the rank of the result, from 1       } a click has at least one of the two; a click that has only the
doc_id     which result                         } doc takes its rank from the impression rows of its page, if there
bucket     the arm of the experiment (optional)
value      what an event was worth, such as its revenue (optional)

An issued query is a stretch of impressions of one query in a session with no other query in between (a next page
or a reload is not a new query). A click belongs to the latest issue of its query before it; so does any other event
that names a query of its session, and one that does not belongs to the latest issued query of any kind. All events
count for their user, also in sessions that issued no query. The order of rows is immaterial. Problems of the
log raise an error, or are corrected with a warning: see `check`.

A log without sessions gets those of `add_sessions`: a user's events with at most 30 minutes between two of them. In a
log without queries, such as that of a recommender, a session is one visit, which counts as an issued query; if the log
has no impressions, the visit begins with its first event. A table of users (user, bucket and numbers, one row per user)
needs no log: its columns are measures.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate import described_frame
from pdeval.join import outside
from pdeval.tables import Table, names_of, table
from pdeval.verbs import TooFew, arguments, difflib, is_finite, special, verb

ROLES = ("session", "user", "query", "time", "action", "rank", "doc", "bucket", "value")
NEEDED = ("session", "query", "time", "action")
IMPRESSION, CLICK = "impression", "click"
GAP = 1800.0  # seconds without an event of a user that end a session, as usual in web analytics
DAY = 86_400.0
USERS = ("user_id", "userID", "userId", "uid")
VISIT = "visit"  # the query column of a log without queries


# other columns of the tables of queries and users
TAKEN = (
    *("sessions", "queries", "impressions", "clicks", "abandoned", "reformulated"),
    *("active_days", "observed_days", VISIT),
    *("max_reciprocal_rank", "mean_reciprocal_rank", "time_to_first_click", "time_to_last_click"),
)

_ZONE = r"\d:\d{2}.*(?:[Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$"
MISMATCH = (
    0.001  # bucket sizes with a smaller p-value are reported, as is usual in online experiments
)


table(
    "log_problems",
    "problem rows:int handling example",
    "table of problems of a click log",
    row="problem",
    means={
        "problem": "description of the problem",
        "rows": "number of affected rows",
        "handling": "'error' stops every verb that reads the log; otherwise how the problem is handled",
        "example": "one of the rows, or of their values",
    },
    no_report="it is a table to read: problems of a log",
    no_plot="it is a table to read: problems of a log",
)


table(
    "issued_queries",
    "[bucket] session [user] query time:time [impressions:int] clicks:int abandoned:bool reformulated:bool "
    "max_reciprocal_rank:float mean_reciprocal_rank:float time_to_first_click:float time_to_last_click:float "
    "[event:int value:float]",
    "table of issued queries",
    recognized_by="clicks abandoned reformulated max_reciprocal_rank mean_reciprocal_rank time_to_first_click "
    "time_to_last_click",
    row="issued query",
    sort="session time",
    means={
        "time": "when the query was first shown",
        "impressions": "number of its impressions in the log: pages, or results shown",
        "clicks": "number of different results clicked",
        "abandoned": "whether no result was clicked",
        "reformulated": "whether another query followed in the session",
        "max_reciprocal_rank": "reciprocal rank of the highest-ranked clicked result; NaN without a click",
        "mean_reciprocal_rank": "mean reciprocal rank of the clicked results; NaN without a click",
        "time_to_first_click": "in seconds; NaN without a click",
        "time_to_last_click": "in seconds; NaN without a click",
        "event": "number of events of each kind other than impressions and clicks, in a column of its name",
        "value": "the sum of what its events were worth, under the caller's column name",
    },
    no_report="it has a row per issued query; report log.ireval.behavior()",
    no_plot="it has a row per issued query; see log.ireval.behavior()",
)


table(
    "sessions",
    "[bucket] session [user] queries:int",
    "table of sessions",
    row="session",
    sort="session",
    means={"queries": "number of queries issued in it"},
    no_report="it has a row per session; report log.ireval.behavior()",
    no_plot="it has a row per session; see log.ireval.behavior()",
)


table(
    "users",
    "[bucket] user [sessions:int active_days:int observed_days:int queries:int impressions:int clicks:int event:int "
    "value:float]",
    "table of users",
    recognized_by="user bucket|sessions",
    row="user",
    sort="bucket user",
    then=".compare_buckets(), .behavior()",
    means={
        "sessions": "number of their sessions in the log",
        "active_days": "number of days from their first to their last event, rounded down",
        "observed_days": "number of days from their first event to the end of the log, rounded down",
        "queries": "number of queries issued",
        "impressions": "number of impressions shown to them",
        "clicks": "number of different results of these queries that were clicked",
        "event": "number of events of each kind other than impressions and clicks, in a column of its name",
        "value": "the sum of what their events were worth, under the caller's column name",
    },
    no_report="it has a row per user; report .behavior() or .compare_buckets()",
    no_plot="it has a row per user; see .behavior()",
)


table(
    "sample_ratios",
    "bucket n:int expected:float fraction:fraction p_value:float mismatch:bool",
    "table of bucket sizes",
    row="bucket",
    sort="bucket",
    means={
        "n": "number of users; of sessions, in a log without users",
        "expected": "expected number by its intended fraction",
        "fraction": "fraction of all users",
        "p_value": "p-value of the chi-square test of the sizes of all buckets",
        "mismatch": "whether the p-value is below .001, as is usual in online experiments",
    },
    no_report="it is a check, to read before any comparison",
    no_plot="it is a check, to read before any comparison",
)


class Problem(NamedTuple):
    """A problem of a click log."""

    problem: str
    rows: int
    handling: str
    example: str


@dataclass(frozen=True, eq=False)
class Log:
    """A log as issued queries and their clicks.

    Parameters
    ----------
    names : mapping of role to column
        The columns that the log has.
    queries : DataFrame
        One row per issued query, sorted by session and time: the caller's session, [user,] [bucket,] query and
        timestamp columns. The timestamp is when the query was first shown.
    issue : ndarray of int
        For every click, the row of `queries` that it answers.
    after : ndarray of float
        For every click, the seconds since then; NaN if the click is before its query.
    rank : ndarray of float
        For every click, the rank of its result; NaN if unknown.
    result : ndarray of int
        For every click, a number that is the same for clicks on one result.
    impressions, asker : ndarray of int
        For every issued query, how many impressions it has, and the row of `people` who issued it.
    events : DataFrame
        Events of other kinds, and all with a value: `action`; `value`, 0 if there is none; `issue`, the row of
        `queries`, -1 in a session without one; `person`, the row of `people`, -1 in a log without users.
    times : Series
        When every event was, as the log has it.
    people : DataFrame
        One row per user (and bucket), sorted: the caller's [bucket and] user column, and `sessions`, how many.
    problems : list of Problem
        Problems that were corrected.
    is_counted : bool
        Whether it is a table of users, which has only `people`, with all columns.
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
    is_counted: bool = False

    def codes(self, role: str) -> tuple[np.ndarray, pd.Index]:
        """Return each issued query's (or counted user's) number among the values of a column, and those values."""
        frame = self.people if self.is_counted else self.queries
        codes, values = pd.factorize(frame[self.names[role]], sort=True)
        return codes, pd.Index(values, name=self.names[role])

    @cached_property
    def kinds(self) -> list[str]:
        """The kinds of events other than impressions and clicks, sorted."""
        return sorted({str(kind) for kind in self.events["action"].unique()} - {IMPRESSION, CLICK})

    def attrs(self, *roles: str) -> dict[Any, Any]:
        """Return which columns play these roles, for the tables that come of the log."""
        return {f"{role}_column": self.names[role] for role in roles if role in self.names}


@verb(on="clicks", returns="log_problems", core=True)
def check(log: Table, *, shares: Mapping[object, float] | None = None) -> pd.DataFrame:
    """Return the problems of a click log and how they are handled, one row per problem.

    Errors stop every verb that reads the log. If there are none, other problems are listed: duplicate rows count
    once; clicks on a query that was never shown in their session are dropped; clicks before their query was shown
    count without their times. For experiments: users in more than one bucket, and a sample-ratio mismatch, i.e.
    numbers of users (sessions, in a log without users) that differ from the expected fractions: chi-square test,
    p < .001.

    Parameters
    ----------
    shares : mapping of bucket to number, optional
        Intended fraction of the users in each bucket, such as {"control": 0.9, "new": 0.1}; by default equal
        fractions.

    Examples
    --------
    >>> log = pd.DataFrame({"session": [1, 1, 1], "query_id": ["a", "a", "b"], "rank": [None, 2, 1],
    ...                     "timestamp": [0, 9, 12], "action": ["impression", "click", "click"]})
    >>> print(log.ireval.check().drop(columns="example").to_string(index=False))
                                       problem  rows handling
    clicks on a query never shown in their session     1 left out
    """
    log = with_sessions(log)
    return pd.DataFrame(
        faults_of(log)
        or [
            *_read(log).problems,
            *users_in_several(log),
            *mismatch(log, shares),
        ],
        columns=list(Problem._fields),
    )


def read_log(table: Table) -> Log:
    """Return the log as issued queries and clicks; raise an error with all faults, warn of corrected problems."""
    if table.kind == "users":
        return _read_users(table)
    table = with_sessions(table)
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


def _read_users(table: Table) -> Log:
    """Return a table of users as a log that was counted; raise an error about its faults."""
    names = {role: table.roles[role] for role in ("user", "bucket", "value") if role in table}
    keys = [names[role] for role in ("bucket", "user") if role in names]
    frame = table.frame.sort_values(keys, ignore_index=True)
    # databases return exact numbers as objects
    exact = [name for name in frame if pd.api.types.infer_dtype(frame[name]) == "decimal"]
    frame = frame.astype(dict.fromkeys(exact, "float64"))
    kinds = [name for name in frame.select_dtypes(["number", "bool"]) if name not in keys]
    infinite = [
        name for name in kinds if np.isinf(frame[name].to_numpy("float64", na_value=0)).any()
    ]
    if infinite:
        raise ValueError(
            f"the table of users has infinite values in column {infinite[0]!r}. Replace or drop them."
        )
    if missing := int(frame[keys].isna().any(axis=1).sum()):
        raise ValueError(
            f"the table of users has {missing:,} rows without a {' or '.join(keys)}. Drop them, or fill them in."
        )
    if again := int(frame.duplicated(keys).sum()):
        raise ValueError(
            f"the table of users has {again:,} rows that repeat a {' and '.join(keys)}; expected one row per user. Add "
            f"them up first: df.groupby({keys!r}, as_index=False).sum()."
        )
    return Log(
        names,
        frame.head(0),
        *(np.zeros(0, dtype=np.int64),) * 6,
        events=pd.DataFrame({"action": kinds, "value": 0.0, "issue": -1, "person": -1}),
        times=pd.Series(dtype=float),
        people=frame,
        problems=[],
        is_counted=True,
    )


@verb(on="clicks", returns="clicks", grouped=False)
def add_sessions(log: Table, *, gap: float = GAP) -> pd.DataFrame:
    """Return a log with sessions: a user's events with at most `gap` seconds between two of them.

    Verbs do this by themselves, with the default gap, for a log without sessions.

    Parameters
    ----------
    gap : float, default 1800
        Seconds without an event that end a session.

    Examples
    --------
    >>> log = pd.DataFrame({"user_id": ["ann", "ann", "ann", "bob"], "item_id": list("xyxz"), "action": "view",
    ...                     "timestamp": [0, 1000, 9000, 500]})
    >>> log.ireval.add_sessions()
       session user_id item_id action  timestamp
    0        0     ann       x   view          0
    1        0     ann       y   view       1000
    2        1     ann       x   view       9000
    3        2     bob       z   view        500
    """
    has, gap = columns_of(log), arguments.positive("gap", gap)
    if "session" in has:
        raise ValueError(
            f"the log has sessions already, in column {has['session']!r}. Drop it to make others."
        )
    for role in ("user", "time"):
        if role not in has:
            raise ValueError(
                f"sessions need users and times, but the log has no {role} column. Bind it: log.ireval({role}=...)."
            )
    who = [has[role] for role in ("user", "bucket") if role in has]
    person = log.frame.groupby(who, observed=True, dropna=False).ngroup().to_numpy()
    when, _ = seconds(log.column("time"))
    order = np.lexsort((when, person))
    new = (np.diff(person[order], prepend=-1) != 0) | (np.diff(when[order], prepend=0) > gap)
    session = np.empty(len(order), dtype=np.int64)
    session[order] = np.cumsum(new) - 1
    result = log.frame.copy(deep=False)
    result.insert(0, "session", session)
    return described_frame(result, {f"{role}_column": name for role, name in has.items()})


def with_sessions(log: Table) -> Table:
    """Return a log with sessions and queries, if it has users and times but not these."""
    has = columns_of(log)
    if not {"user", "time", "action"} <= set(has) or {"session", "query"} <= set(has):
        return log
    frame = log.frame if "session" in has else add_sessions(log)
    has.setdefault("session", "session")
    if "query" not in has:
        has["query"], frame = VISIT, frame.assign(**{VISIT: "all"})
        if not (frame[has["action"]] == IMPRESSION).any():
            kept = [has[role] for role in (*NEEDED, "user", "bucket") if role in has]
            first = frame.sort_values(has["time"]).drop_duplicates(has["session"])[kept]
            frame = pd.concat(
                [first.assign(**{has["action"]: IMPRESSION}), frame], ignore_index=True
            )
    return Table(log.kind, frame, has, log.run_columns)


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
    # impressions by session and time; a new issue begins when the page changes
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
    (issue_of_click, issue_of_other), (is_known, other_is_known), (early, _) = (
        np.split(part, [len(click)])
        for part in _answered(page[first], start, page[both], when[both])
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
    rank = (
        pd.to_numeric(events[has["rank"]].astype(object), errors="coerce").to_numpy(np.float64)
        if "rank" in has
        else np.full(len(events), np.nan)
    )
    rank_of_click = _ranks(issue_of_click, doc[click], rank[click], issue, doc[order], rank[order])
    people, person = _people(events, has, when)
    issue_of_other = np.where(other_is_known & (query[other] >= 0), issue_of_other, -1)
    free = np.flatnonzero(
        issue_of_other < 0
    )  # events that name no query belong to the query issued last
    near = np.flatnonzero(np.isin(session[first], session[other[free]]))
    last, known, _ = _answered(
        session[first[near]], start[near], session[other[free]], when[other[free]]
    )
    issue_of_other[free[known]] = near[last[known]]
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
        events=pd.DataFrame(
            {
                "action": events[has["action"]].to_numpy()[other].astype(str),
                "value": np.nan_to_num(value[other]),
                "issue": issue_of_other,
                "person": person[other],
            }
        ).sort_values("value", ignore_index=True),
        times=events[has["time"]],
        people=people,
        problems=problems,
    )


def _people(
    events: pd.DataFrame, has: Mapping[str, str], when: np.ndarray
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the users of a log, each once per bucket, with their sessions and days; and every row's user."""
    if "user" not in has:
        return pd.DataFrame({"sessions": np.zeros(0, np.int64)}), np.full(len(events), -1)
    users = events.groupby([has[role] for role in ("bucket", "user") if role in has], observed=True)
    people = users[has["session"]].nunique().rename("sessions").reset_index()
    person = users.ngroup().to_numpy()
    first, last = (_extreme(ufunc, person, when, len(people)) for ufunc in (np.fmin, np.fmax))
    days = {"active_days": last - first, "observed_days": when.max() - first}
    return people.assign(**{name: (days[name] // DAY).astype(np.int64) for name in days}), person


def _answered(
    key: np.ndarray, start: np.ndarray, wanted: np.ndarray, when: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the latest issue of the wanted key at or before each time, if it has any, and if all are later."""
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
    """Return the clicks' ranks, from the impressions of their page if the click has only a doc."""
    known = (seen >= 0) & ~np.isnan(seen_rank)
    if not np.isnan(rank).any() or not known.any():
        return rank
    impressions = pd.DataFrame({"issue": page[known], "doc": seen[known], "rank": seen_rank[known]})
    best = impressions.groupby(["issue", "doc"])["rank"].min()
    return np.where(
        np.isnan(rank), best.reindex(pd.MultiIndex.from_arrays([issue, doc])).to_numpy(), rank
    )


@verb(on="clicks", returns="issued_queries")
def per_query(log: Table) -> pd.DataFrame:
    """Return the behavior after every issued query: clicks, abandonment, reciprocal ranks, times.

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
    return described_frame(behavior_of(read), attrs)


@verb(on="clicks", returns="sessions")
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


@verb(on="clicks", returns="users")
def per_user(log: Table) -> pd.DataFrame:
    """Return the sessions, queries, impressions, clicks, other events and the total value of every user.

    A user of several buckets has a row for each. Events count also in sessions that issued no query.

    Examples
    --------
    >>> log = pd.DataFrame(
    ...     [("s", "ann", "jaguar", 0, "impression", None, None), ("s", "ann", "jaguar", 8, "click", 4, None),
    ...      ("s", "ann", None, 31, "purchase", None, 9.5), ("t", "bob", "jaguar", 60, "impression", None, None)],
    ...     columns=["session", "user", "query_id", "timestamp", "action", "rank", "revenue"])
    >>> log.ireval(value="revenue").per_user()[["user", "sessions", "queries", "clicks", "purchase", "revenue"]]
      user  sessions  queries  clicks  purchase  revenue
    0  ann         1        1       1         1      9.5
    1  bob         1        1       0         0      0.0
    """
    read = read_log(log)
    if "user" not in read.names:
        raise ValueError(
            "per_user() needs a user column, but the log has none. Bind it: log.ireval(user=...)."
        )
    return described_frame(
        users_of(read), {**read.attrs("bucket", "user"), **described_events(read)}
    )


def described_events(log: Log) -> dict[Any, Any]:
    """Return the attributes of tables with events: the columns that count them, and that of their values."""
    return {**({"event_columns": log.kinds} if log.kinds else {}), **log.attrs("value")}


def behavior_of(log: Log) -> pd.DataFrame:
    """Return the behavior after every issued query of a log."""
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
    extreme = np.full(n, np.nan)  # which fmax and fmin ignore
    ufunc.at(extreme, at, values)
    return extreme


def _results(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Return issued query and rank of every clicked result; a result clicked twice counts once, at its best rank."""
    # the best rank of each clicked result comes first
    order = np.lexsort((log.rank, log.result, log.issue))
    issue, result = log.issue[order], log.result[order]
    once = np.append(True, (issue[1:] != issue[:-1]) | (result[1:] != result[:-1]))[: len(issue)]
    return issue[once], log.rank[order][once]


def users_of(log: Log) -> pd.DataFrame:
    """Return the sessions, queries and events of every user of a log."""
    if log.is_counted:
        return log.people
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
    columns: dict[str, np.ndarray] = {
        name: np.bincount(
            row[kept & (log.events["action"] == name).to_numpy()], minlength=len(frame)
        )
        for name in log.kinds
    }
    if "value" in log.names:
        columns[log.names["value"]] = np.bincount(row[kept], log.events["value"][kept], len(frame))
    return frame.assign(**columns)


def sessions_of(log: Log) -> pd.DataFrame:
    """Return the number of queries of every session of a log."""
    session, _ = log.codes("session")
    first = np.append(True, session[1:] != session[:-1])[: len(session)]
    columns = [log.names[role] for role in ("bucket", "session", "user") if role in log.names]
    return (
        log.queries.loc[first, columns].reset_index(drop=True).assign(queries=np.bincount(session))
    )


def columns_of(log: Table) -> dict[str, str]:
    """Return the columns of a log by role, those that it has.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame(columns=["session", "qid", "timestamp", "action", "rank", "device"])
    >>> columns_of(read(frame, "clicks"))
    {'session': 'session', 'query': 'qid', 'time': 'timestamp', 'action': 'action', 'rank': 'rank'}
    """
    has = {role: log.roles[role] for role in ROLES if role in log}
    # in the log of a recommender this is the user, not a query
    if has.get("query") in USERS and has.get("user", has["query"]) == has["query"]:
        has["user"] = has.pop("query")
    return has


def faults_of(table: Table) -> list[Problem]:
    """Return all faults that make a log unreadable."""
    log, has = table.frame, columns_of(table)
    names = {role: has.get(role, names_of(role)[0]) for role in ROLES}
    faults: list[Problem] = []

    def fault(problem: str, bad: pd.Series, example_column: str = "") -> None:
        """Add a problem of the rows that are bad, if there are any."""
        if rows := int(bad.sum()):
            example = f"e.g. {log.loc[bad, example_column].tolist()[0]!r}" if example_column else ""
            faults.append(Problem(f"{rows:,} {problem}", rows, "error", example))

    has_item = "rank" in has or "doc" in has
    absent = [
        *(names[role] for role in NEEDED if role not in has),
        *([] if has_item else [f"{names['rank']} or {names['doc']}"]),
    ]
    if absent:
        faults.append(
            Problem(
                f"no column {', '.join(absent)}",
                len(log),
                "error",
                f"it has {', '.join(map(str, log.columns))}",
            )
        )
    elif not len(log):
        faults.append(Problem("no rows", 0, "error", ""))
    action = log[has["action"]] if "action" in has else pd.Series(IMPRESSION, index=log.index)
    plain = action.isin([IMPRESSION, CLICK])
    for role in has:
        if role in (
            *NEEDED,
            "user",
            "bucket",
        ):  # an event of another kind, such as a purchase, needs no query
            fault(
                f"rows without a {names[role]}",
                log[names[role]].isna() & (plain | (role != "query")),
            )
    for name in action[~plain].dropna().unique():
        if near := difflib.get_close_matches(
            str(name).strip().lower(), [IMPRESSION, CLICK], n=1, cutoff=0.8
        ):
            fault(f"rows with the {names['action']} {name!r}: write {near[0]!r}", action == name)
        elif str(name) in (*TAKEN, *has.values()):
            fault(
                f"rows with the {names['action']} {name!r}, which is a column of the tables that count events: "
                "rename it",
                action == name,
            )
    if len(log) and not (action == IMPRESSION).any():
        faults.append(
            Problem("no impressions, so queries without clicks are unknown", len(log), "error", "")
        )
    for role in ("user", "bucket"):
        if role in has and "session" in has:
            several = log.groupby(has["session"], observed=True)[has[role]].transform("nunique") > 1
            fault(
                f"rows of sessions that have more than one {names[role]}", several, has["session"]
            )
    if "rank" in has:
        rank = pd.to_numeric(log[has["rank"]].astype(object), errors="coerce")
        fault(
            "ranks that are not integers of at least 1",
            log[has["rank"]].notna() & ~((rank >= 1) & (rank % 1 == 0)),
            has["rank"],
        )
    if not absent:
        unknown = log[[has[role] for role in ("rank", "doc") if role in has]].isna().all(axis=1)
        fault("clicks with neither rank nor doc", (action == CLICK) & unknown)
    if "value" in has and "action" in has:
        value, unit = log[has["value"]], names["value"]
        number = pd.to_numeric(value, errors="coerce")
        fault(f"{unit}s that are not numbers", value.notna() & number.isna(), has["value"])
        fault(f"infinite {unit}s", number.astype(np.float64).abs() == np.inf, has["value"])
        for kind in action[value.notna()].dropna().unique():
            fault(
                f"{kind!r} rows without a {unit}, which other {kind!r} rows have: fill in 0, or drop them",
                (action == kind) & value.isna(),
                has["value"],
            )
    time_problem = seconds(log[has["time"]])[1] if "time" in has else None
    return faults if time_problem is None else [*faults, time_problem]


def seconds(column: pd.Series) -> tuple[np.ndarray, Problem | None]:
    """Return times as seconds from the earliest one, and their problem, or None.

    Times with zones are compared in UTC, so changes of zone or daylight saving have no effect. Times without a zone
    are assumed to be of the same zone.

    Examples
    --------
    >>> seconds(pd.Series(["2024-03-31T00:59:50+00:00", "2024-03-31T03:00:00+02:00"]))[0].tolist()
    [0.0, 10.0]
    """
    column = column.reset_index(drop=True)

    def fault(
        bad: pd.Series | np.ndarray, words: str, example: str = ""
    ) -> tuple[np.ndarray, Problem]:
        return np.full(len(column), np.nan), Problem(
            f"{int(bad.sum()):,} {words}", int(bad.sum()), "error", example
        )

    if pd.api.types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if np.isinf(values).any():
            return fault(np.isinf(values), "infinite timestamps")
        return values - np.fmin.reduce(values, initial=np.inf), None
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        text = column.dropna().astype(str).str.strip()
        zoned = text.str.contains(_ZONE, regex=True)
        if zoned.any() and not zoned.all():
            example = f"e.g. {text[~zoned].iloc[0]!r} and {text[zoned].iloc[0]!r}"
            return fault(~zoned, f"timestamps without a time zone among {len(text):,}", example)
        moments = pd.to_datetime(text, utc=True, errors="coerce", format="ISO8601")
        bad = moments.isna()
        if bad.any():
            return fault(
                bad,
                "timestamps that are not ISO 8601; convert them with pd.to_datetime",
                f"e.g. {text[bad].iloc[0]!r}",
            )
        column = moments.reindex(column.index)
    return (column - column.min()).dt.total_seconds().to_numpy(), None


def span(column: pd.Series) -> tuple[Any, Any]:
    """Return the first and the last time of a column that `seconds` can read.

    Examples
    --------
    >>> span(pd.Series([30, 5, 12]))
    (5.0, 30.0)
    """
    if pd.api.types.is_numeric_dtype(column.dtype):
        return float(column.min()), float(column.max())
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        column = pd.to_datetime(column.astype(str).str.strip(), utc=True, format="ISO8601")
    return column.min(), column.max()


def users_in_several(log: Table) -> list[Problem]:
    """Return the problem that users are in more than one bucket, or an empty list.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> rows = [(1, "ann", "new"), (2, "ann", "old"), (3, "bob", "old")]
    >>> log = pd.DataFrame(rows, columns=["session", "user", "bucket"]).assign(query_id="q", timestamp=0, rank=1)
    >>> users_in_several(read(log.assign(action="impression"), "clicks"))[0].example
    "e.g. 'ann' in new, old"
    """
    if not {"user", "bucket"} <= set(columns_of(log)):
        return []
    user, bucket = log.roles["user"], log.roles["bucket"]
    assigned = log.frame[[user, bucket]].drop_duplicates()
    # a user appears once per bucket
    several = assigned[assigned.duplicated(user, keep=False) & assigned[user].notna()]
    if not len(several):
        return []
    who = several[user].tolist()[0]
    buckets = ", ".join(sorted(map(str, several.loc[several[user] == who, bucket])))
    return [
        Problem(
            "rows of users in more than one bucket",
            int(log.frame[user].isin(several[user].unique()).sum()),
            "counted in each bucket as different users",
            f"e.g. {who!r} in {buckets}",
        )
    ]


def mismatch(log: Table, shares: Mapping[object, float] | None = None) -> list[Problem]:
    """Return the problem that bucket sizes mismatch their fractions (chi-square test, p < .001), or an empty list.

    Sizes are numbers of users or, in a log without them, of sessions. Without shares, buckets are of equal size.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> log = pd.DataFrame({"session": range(100), "bucket": ["new"] * 25 + ["old"] * 75})
    >>> log = read(log.assign(query_id="q", timestamp=0, action="impression", rank=1), "clicks")
    >>> mismatch(log)[0].example
    'new 25, old 75 sessions; expected 50, 50; p = 5.7e-07'
    >>> mismatch(log, {"new": 0.25, "old": 0.75})
    []
    """
    if "bucket" not in columns_of(log):
        if shares is not None:
            raise ValueError(
                "shares= requires buckets, but the log has no bucket column. Bind it: log.ireval(bucket=...)."
            )
        return []
    sizes = _bucket_sizes(log, shares)
    if len(sizes) < 2 or not sizes["mismatch"].any():
        return []
    counts = ", ".join(
        f"{bucket} {n:,}" for bucket, n in zip(sizes.iloc[:, 0], sizes["n"], strict=True)
    )
    expected = ", ".join(f"{size:,.6g}" for size in sizes["expected"])
    return [
        Problem(
            "rows of buckets whose sizes mismatch their shares",
            len(log.frame),
            "counted; comparisons of the buckets are not valid until the cause is known, or shares= are right",
            f"{counts} {sizes.attrs['unit']}s; expected {expected}; p = {sizes['p_value'].iloc[0]:.2g}",
        )
    ]


@verb(on=("clicks", "users"), returns="sample_ratios")
def sample_ratio(log: Table, *, shares: Mapping[object, float] | None = None) -> pd.DataFrame:
    """Return the observed and expected number of users of each bucket, with the test of a sample-ratio mismatch.

    With a mismatch, membership in the log depends on the bucket, and comparisons of the buckets are not valid. Find the
    affected segment with `by=`, such as a browser that lost its events. In a log without users, sessions are counted.

    Parameters
    ----------
    shares : mapping of bucket to number, optional
        Intended fraction of the users in each bucket, such as {"control": 0.9, "new": 0.1}; by default equal
        fractions.

    Examples
    --------
    >>> log = pd.DataFrame({"user": range(100), "session": range(100), "bucket": ["new", "old"] * 50, "query_id": "q"})
    >>> log = log.assign(timestamp=0, action="impression", rank=1, browser=["a"] * 50 + ["b"] * 50)
    >>> lost = log[(log["browser"] == "a") | (log["bucket"] == "old") | (log["user"] > 95)]
    >>> lost.ireval.sample_ratio(by="browser").round(5)
      browser bucket   n  expected  fraction  p_value  mismatch
    0       a    new  25      25.0   0.50000  1.00000     False
    1       a    old  25      25.0   0.50000  1.00000     False
    2       b    new   2      13.5   0.07407  0.00001      True
    3       b    old  25      13.5   0.92593  0.00001      True
    """
    log = with_sessions(log)
    if log.kind == "clicks" and (faults := faults_of(log)):
        raise ValueError(
            f"the click log cannot be read: {faults[0].problem}. log.ireval.check() shows examples."
        )
    if "bucket" not in columns_of(log):
        raise ValueError(
            "sample_ratio() needs a bucket column, but the log has none. Bind it: log.ireval(bucket=...)."
        )
    return _bucket_sizes(log, shares, least=2)


def _bucket_sizes(
    log: Table, shares: Mapping[object, float] | None, least: int = 0
) -> pd.DataFrame:
    """Return how many users (or sessions) were shown something in each bucket, and the chi-square test of that."""
    has = columns_of(log)
    who = "user" if "user" in has else "session"
    rows = log.frame[log.column("action") == IMPRESSION] if "action" in log else log.frame
    counted = rows[[has["bucket"], has[who]]].drop_duplicates()
    code, buckets = pd.factorize(counted[has["bucket"]], sort=True)
    if len(buckets) < least:
        raise TooFew(
            f"sample_ratio() needs at least two buckets; the log has {len(buckets)}: {', '.join(buckets)}."
        )
    sizes = np.bincount(code, minlength=len(buckets))
    expected = _shares(list(buckets), shares) * sizes.sum()
    p_value = float(special.chdtrc(len(sizes) - 1, ((sizes - expected) ** 2 / expected).sum()))
    return described_frame(
        {
            has["bucket"]: pd.Index(buckets),
            "n": sizes,
            "expected": expected,
            "fraction": sizes / sizes.sum(),
            "p_value": p_value,
            "mismatch": p_value < MISMATCH,
        },
        {"bucket_column": has["bucket"], "unit": who},
    )


def _shares(buckets: list[object], shares: Mapping[object, float] | None) -> np.ndarray:
    """Return the share of each bucket; equal ones by default."""
    if shares is None:
        return np.full(len(buckets), 1 / max(len(buckets), 1))
    if not isinstance(shares, Mapping) or set(shares) != set(buckets):  # type: ignore[redundant-expr]
        given = ", ".join(map(str, shares)) if isinstance(shares, Mapping) else repr(shares)  # type: ignore[redundant-expr]
        raise ValueError(
            f"shares= must map each bucket to its fraction: {', '.join(map(str, buckets))}; found {given}."
        )
    for share in (shares[bucket] for bucket in buckets):
        if not is_finite(share) or share <= 0:
            raise ValueError(f"shares= must be positive numbers, such as 0.5; found {share!r}.")
    value = np.array([shares[bucket] for bucket in buckets], dtype=np.float64)
    return value / value.sum()
