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

from pdeval.join.rules import outside
from pdeval.online.assignment import mismatch, users_in_several
from pdeval.online.log_checks import CLICK, IMPRESSION, Problem, columns_of, faults_of, seconds, span
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
    shown, asker : ndarray of int
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
    shown: np.ndarray
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
    found = faults_of(log) or [*_read(log).problems, *users_in_several(log), *mismatch(log, shares)]
    return pd.DataFrame(found, columns=list(Problem._fields))


def read_log(table: Table) -> Log:
    """Return the log as issued queries and clicks; an error names every fault, a warning what was set right."""
    faults = faults_of(table)
    if faults:
        raise ValueError(
            "the click log cannot be read: "
            + "; ".join(f"{fault.problem} ({fault.example})" if fault.example else fault.problem for fault in faults)
            + "."
        )
    found = _read(table)
    if found.problems:
        said = "; ".join(f"{p.rows:,} {p.problem} ({p.handling})" for p in found.problems)
        warnings.warn(f"click log: {said}. log.ireval.check() shows examples.", UserWarning, stacklevel=outside())
    return found


def _read(table: Table) -> Log:
    has = columns_of(table)
    events = table.frame[list(has.values())].reset_index(drop=True)
    events.attrs = {}
    problems = []
    again = events.duplicated().to_numpy()
    if again.any():
        problems.append(Problem("duplicate rows", int(again.sum()), "counted once", _shown(events, again)))
        events = events[~again].reset_index(drop=True)
    when, _ = seconds(events[has["time"]])
    session = pd.factorize(events[has["session"]], sort=True)[0].astype(np.int64)
    query, values = pd.factorize(events[has["query"]], sort=True)
    clicked = (events[has["action"]] == CLICK).to_numpy()
    appeared = (events[has["action"]] == IMPRESSION).to_numpy()
    page = session * len(values) + query

    order = np.flatnonzero(appeared)
    order = order[np.lexsort((query[order], when[order], session[order]))]
    new = np.append(True, page[order][1:] != page[order][:-1])
    issue = np.cumsum(new) - 1  # of every impression, in time order
    first = order[new]
    start, key = when[first], page[first]

    # each click, and each other event that names a query, to the latest issue of its query in its session
    value = pd.to_numeric(events[has["value"]]).to_numpy(np.float64) if "value" in has else np.full(len(events), np.nan)
    click, other = np.flatnonzero(clicked), np.flatnonzero(~(appeared | clicked) | ~np.isnan(value))
    both = np.concatenate([click, other])
    parts = _answered(key, start, page[both], when[both])
    (answered, held), (shown, found), (early, _) = (np.split(part, [len(click)]) for part in parts)
    if not shown.all():
        lost = np.isin(np.arange(len(events)), click[~shown])
        words = "clicks on a query never shown in their session"
        problems.append(Problem(words, int(lost.sum()), "left out", _shown(events, lost)))
        click, answered, early = click[shown], answered[shown], early[shown]
    if early.any():
        at = np.isin(np.arange(len(events)), click[early])
        words = "clicks before their query was shown"
        problems.append(Problem(words, int(early.sum()), "counted without their times", _shown(events, at)))
    after = np.where(early, np.nan, when[click] - start[answered])

    doc = pd.factorize(events[has["doc"]], sort=True)[0] if "doc" in has else np.full(len(events), -1)
    rank = np.full(len(events), np.nan)
    if "rank" in has:
        rank = pd.to_numeric(events[has["rank"]].astype(object), errors="coerce").to_numpy(dtype=np.float64)
    ranks = _ranks(answered, doc[click], rank[click], issue, doc[order], rank[order])
    result = np.where(doc[click] >= 0, doc[click], -1 - np.nan_to_num(ranks)).astype(np.int64)
    columns = [has[role] for role in ("bucket", "session", "user", "query", "time") if role in has]
    queries = events.loc[first, columns].reset_index(drop=True)
    shown_times = np.bincount(issue, minlength=len(first))
    people, person = _people(events, has, session)
    of_query = np.where(found & (query[other] >= 0), held, -1)
    free = np.flatnonzero(of_query < 0)  # of the query issued last, whichever it was
    near = np.flatnonzero(np.isin(session[first], session[other[free]]))
    last, here, _ = _answered(session[first[near]], start[near], session[other[free]], when[other[free]])
    of_query[free[here]] = near[last[here]]
    action = events[has["action"]].to_numpy()[other].astype(str)
    others = pd.DataFrame({"action": action, "value": np.nan_to_num(value[other])})
    others = others.assign(issue=of_query, person=person[other]).sort_values("value", ignore_index=True)
    clicks, asker = (answered, after, ranks, result), person[first]
    return Log(has, queries, *clicks, shown_times, asker, others, events[has["time"]], people, problems)


def _people(events: pd.DataFrame, has: Mapping[str, str], session: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the users of a log, each once per bucket, with their numbers of sessions; and every row's user."""
    if "user" not in has:
        return pd.DataFrame({"sessions": np.zeros(0, np.int64)}), np.full(len(events), -1)
    columns = [has[role] for role in ("bucket", "user") if role in has]
    code = np.zeros(len(events), dtype=np.int64)
    for name in columns:
        own, values = pd.factorize(events[name], sort=True)
        code = code * len(values) + own
    person, keys = pd.factorize(code, sort=True)
    row = np.zeros(len(keys), dtype=np.int64)
    row[person] = np.arange(len(events))
    owner = np.zeros(int(session.max()) + 1, dtype=np.int64)
    owner[session] = person  # a session is of one user
    people = events.loc[row, columns].reset_index(drop=True)
    return people.assign(sessions=np.bincount(owner, minlength=len(keys))), person


def _answered(
    key: np.ndarray, start: np.ndarray, wanted: np.ndarray, when: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the latest issue of the wanted key at or before each time, whether there is one of it, and none before."""
    order = np.lexsort((start, key))  # issues by (key, start): count those not later
    keys, times = key[order], start[order]
    if not len(keys):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), bool), np.zeros(len(wanted), bool)
    begin = np.searchsorted(keys, wanted, "left")
    known = keys[np.minimum(begin, len(keys) - 1)] == wanted
    place = _latest(keys, times, wanted, when) - 1
    return order[np.minimum(np.maximum(place, begin), len(order) - 1)], known, known & (place < begin)


def _latest(pages: np.ndarray, times: np.ndarray, page: np.ndarray, when: np.ndarray) -> np.ndarray:
    """Return how many of the (page, time)s, which are sorted, come at or before each (page, when)."""
    # stable: an issue comes before a click of the same moment
    merged = np.lexsort((np.concatenate([times, when]), np.concatenate([pages, page])))
    issued = merged < len(pages)
    count = np.empty(len(merged), dtype=np.int64)
    count[merged] = np.cumsum(issued)
    return count[len(pages) :]


def _ranks(
    issue: np.ndarray, doc: np.ndarray, rank: np.ndarray, page: np.ndarray, seen: np.ndarray, seen_rank: np.ndarray
) -> np.ndarray:
    """Return the clicks' ranks, from the impression rows of their page where the click itself has only a doc."""
    known = (seen >= 0) & ~np.isnan(seen_rank)
    if not np.isnan(rank).any() or not known.any():
        return rank
    shown = pd.DataFrame({"issue": page[known], "doc": seen[known], "rank": seen_rank[known]})
    found = shown.groupby(["issue", "doc"])["rank"].min().reindex(pd.MultiIndex.from_arrays([issue, doc])).to_numpy()
    return np.where(np.isnan(rank), found, rank)


def _shown(events: pd.DataFrame, rows: np.ndarray) -> str:
    return f"e.g. {tuple(events[rows].iloc[0].astype(str))}"
