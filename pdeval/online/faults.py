"""The columns of a click log, and what can make one unreadable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

ROLES = {
    "session": "session",
    "user": "user",
    "query": "query_id",
    "timestamp": "timestamp",
    "action": "action",
    "rank": "rank",
    "doc": "doc_id",
    "bucket": "bucket",
}
NEEDED = ("session", "query", "timestamp", "action")
IMPRESSION, CLICK = "impression", "click"
_ZONE = r"\d:\d{2}.*(?:[Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$"


class Problem(NamedTuple):
    """Something about a log that its owner should know."""

    problem: str
    rows: int
    handling: str
    example: str


def bound(binding: Mapping[str, str]) -> dict[str, str]:
    """Return the column name of every role, with the caller's own names in place.

    Examples
    --------
    >>> bound({"session": "sid"})["session"], bound({})["doc"]
    ('sid', 'doc_id')
    """
    unknown = [role for role in binding if role not in ROLES]
    if unknown:
        raise TypeError(f"a click log has no role {unknown[0]!r}; name columns with {', '.join(ROLES)}.")
    return {**ROLES, **binding}


def faults_of(log: pd.DataFrame, names: Mapping[str, str]) -> list[Problem]:
    """Return what makes a log unreadable, all of it."""
    if not isinstance(log, pd.DataFrame):
        raise TypeError(f"expected a click log as a pandas DataFrame, got {type(log).__name__}.")
    has = {role: names[role] for role in names if names[role] in log.columns}
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
    for role in has:
        if role in (*NEEDED, "user", "bucket"):
            fault(f"rows without a {names[role]}", log[names[role]].isna())
    if "action" in has:
        action = log[has["action"]]
        fault(
            f"rows with an {names['action']} other than '{IMPRESSION}' and '{CLICK}'",
            action.notna() & ~action.isin([IMPRESSION, CLICK]),
            has["action"],
        )
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
    if "timestamp" in has:
        _, problem = seconds(log[has["timestamp"]])
        if problem:
            faults.append(problem)
    return faults


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
