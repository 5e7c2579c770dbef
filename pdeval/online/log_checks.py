"""What can make a click log unreadable."""

from __future__ import annotations

import difflib
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdeval.tables.reader import Table
from pdeval.tables.vocabularies import names_of

ROLES = ("session", "user", "query", "time", "action", "rank", "doc", "bucket", "value")
NEEDED = ("session", "query", "time", "action")
IMPRESSION, CLICK = "impression", "click"
# columns that tables of queries and users have beside the events
TAKEN = (
    *("sessions", "queries", "impressions", "clicks", "abandoned", "reformulated"),
    *("max_reciprocal_rank", "mean_reciprocal_rank", "time_to_first_click", "time_to_last_click"),
)
_ZONE = r"\d:\d{2}.*(?:[Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$"


class Problem(NamedTuple):
    """Something about a log that its owner should know."""

    problem: str
    rows: int
    handling: str
    example: str


def columns_of(log: Table) -> dict[str, str]:
    """Return the columns of a log by role, those that it has.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame(columns=["session", "qid", "timestamp", "action", "rank", "device"])
    >>> columns_of(read(frame, "clicks"))
    {'session': 'session', 'query': 'qid', 'time': 'timestamp', 'action': 'action', 'rank': 'rank'}
    """
    return {role: log.roles[role] for role in ROLES if role in log}


def faults_of(table: Table) -> list[Problem]:
    """Return what makes a log unreadable, all of it."""
    log, has = table.frame, columns_of(table)
    names = {role: has.get(role, names_of(role)[0]) for role in ROLES}
    faults: list[Problem] = []

    def fault(problem: str, bad: pd.Series | None = None, shown: str = "") -> None:
        rows = len(log) if bad is None else int(bad.sum())
        if rows or bad is None:
            example = log.loc[bad, shown].tolist()[0] if bad is not None and shown else ""
            text = f"e.g. {example!r}" if bad is not None and shown else shown
            faults.append(Problem(problem if bad is None else f"{rows:,} {problem}", rows, "error", text))

    absent = [names[role] for role in NEEDED if role not in has]
    if "rank" not in has and "doc" not in has:
        absent.append(f"{names['rank']} or {names['doc']}")
    if absent:
        fault(f"no column {', '.join(absent)}", shown=f"it has {', '.join(map(str, log.columns))}")
    elif not len(log):
        fault("no rows")
    plain = log[has["action"]].isin([IMPRESSION, CLICK]) if "action" in has else pd.Series(True, index=log.index)
    for role in has:
        if role in (*NEEDED, "user", "bucket"):  # an event of another kind, such as a purchase, needs no query
            fault(f"rows without a {names[role]}", log[names[role]].isna() & (plain | (role != "query")))
    if "action" in has:
        action = log[has["action"]]
        for name in action[~plain].dropna().unique():
            if meant := _nearly(name):
                fault(f"rows with the {names['action']} {name!r}: write {meant!r}", action == name)
            elif str(name) in (*TAKEN, *has.values()):
                words = f"rows with the {names['action']} {name!r}, which is a column of the tables that count events"
                fault(f"{words}: give it another name", action == name)
        if len(log) and not (action == IMPRESSION).any():
            fault("no impressions, so it cannot say which queries got no click")
    for role in ("user", "bucket"):
        if role in has and "session" in has:
            several = log.groupby(has["session"], observed=True)[has[role]].transform("nunique") > 1
            fault(f"rows of sessions that have more than one {names[role]}", several, has["session"])
    if "rank" in has:
        rank = pd.to_numeric(log[has["rank"]].astype(object), errors="coerce")
        wrong = log[has["rank"]].notna() & ~((rank >= 1) & (rank % 1 == 0))
        fault("ranks that are not whole numbers from 1", wrong, has["rank"])
    if "action" in has and not absent:
        unknown = log[[has[role] for role in ("rank", "doc") if role in has]].isna().all(axis=1)
        fault("clicks with neither rank nor doc", (log[has["action"]] == CLICK) & unknown)
    if "value" in has and "action" in has:
        for words, bad in _wrong_values(log[has["action"]], log[has["value"]], names["value"]):
            fault(words, bad, has["value"])
    if "time" in has:
        _, problem = seconds(log[has["time"]])
        if problem:
            faults.append(problem)
    return faults


def _nearly(action: object) -> str:
    """Return which of impression and click an action spells in another way, or nothing."""
    text = str(action).strip().lower()
    near = difflib.get_close_matches(text, [IMPRESSION, CLICK], n=1, cutoff=0.8)
    return near[0] if near else ""


def _wrong_values(action: pd.Series, value: pd.Series, name: str) -> list[tuple[str, pd.Series]]:
    """Return what is wrong with values: no numbers, infinite, or missing for some events of a kind that has them."""
    number = pd.to_numeric(value.astype(object) if value.dtype == object else value, errors="coerce")
    found = [
        (f"{name}s that are not numbers", value.notna() & number.isna()),
        (f"infinite {name}s", number.astype(np.float64).abs() == np.inf),
    ]
    for kind in action[value.notna()].dropna().unique():
        some = (action == kind) & value.isna()
        found.append((f"{kind!r} rows without a {name}, which other {kind!r} rows have: fill in 0, or leave out", some))
    return found


def seconds(column: pd.Series) -> tuple[np.ndarray, Problem | None]:
    """Return times as seconds from the earliest one, and what is wrong with them, if anything.

    Times with zones are compared as moments, so a change of zone or of daylight saving shifts nothing; times
    without a zone are taken to be of one clock.

    Examples
    --------
    >>> seconds(pd.Series(["2024-03-31T00:59:50+00:00", "2024-03-31T03:00:00+02:00"]))[0].tolist()
    [0.0, 10.0]
    """
    column = column.reset_index(drop=True)
    if pd.api.types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        bad = np.isinf(values)
        if bad.any():
            return values, Problem(f"{int(bad.sum()):,} infinite timestamps", int(bad.sum()), "error", "")
        return values - np.fmin.reduce(values, initial=np.inf), None
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        text = column.dropna().astype(str).str.strip()
        zoned = text.str.contains(_ZONE, regex=True)
        if zoned.any() and not zoned.all():
            few = text[~zoned]
            example = f"e.g. {few.iloc[0]!r} beside {text[zoned].iloc[0]!r}"
            words = f"{len(few):,} timestamps without a time zone among {len(text):,}"
            return np.full(len(column), np.nan), Problem(words, len(few), "error", example)
        moments = pd.to_datetime(text, utc=True, errors="coerce", format="ISO8601")
        bad = moments.isna()
        if bad.any():
            words = f"{int(bad.sum()):,} timestamps that are not ISO 8601; convert them with pd.to_datetime"
            example = f"e.g. {text[bad].iloc[0]!r}"
            return np.full(len(column), np.nan), Problem(words, int(bad.sum()), "error", example)
        column = moments.reindex(column.index)
    return (column - column.min()).dt.total_seconds().to_numpy(), None


def span(column: pd.Series) -> tuple[object, object]:
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
