"""What can be wrong with a click log: what makes it unreadable, users in several buckets, sample-ratio mismatch."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import described_frame
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.tables.vocabularies import names_of
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew

ROLES = ("session", "user", "query", "time", "action", "rank", "doc", "bucket", "value")
NEEDED = ("session", "query", "time", "action")
IMPRESSION, CLICK = "impression", "click"


# columns that tables of queries and users have beside the events
TAKEN = (
    *("sessions", "queries", "impressions", "clicks", "abandoned", "reformulated"),
    *("max_reciprocal_rank", "mean_reciprocal_rank", "time_to_first_click", "time_to_last_click"),
)

_ZONE = r"\d:\d{2}.*(?:[Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$"
MISMATCH = 0.001  # below this p-value bucket sizes are reported: the custom of online experiments
IN_EACH = "counted in each of their buckets, which tests take for different users"
SUSPECT = "counted; find the cause before trusting any comparison of the buckets"


table(
    "sample_ratios",
    "bucket n:int expected:float share:share p_value:float mismatch:bool",
    "table of bucket sizes",
    row="bucket",
    sort="bucket",
    means={
        "n": "how many users it has; sessions, in a log without users",
        "expected": "how many it would have by its share",
        "share": "its share of them all",
        "p_value": "of the chi-square test of all buckets' sizes",
        "mismatch": "whether that is below .001, the custom of online experiments",
    },
    unreported="it is a check, to read before any comparison",
    undrawn="it is a check, to read before any comparison",
)


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

    def fault(problem: str, bad: pd.Series, example_column: str = "") -> None:
        """Add a problem of the rows that are bad, if there are any."""
        if rows := int(bad.sum()):
            example = f"e.g. {log.loc[bad, example_column].tolist()[0]!r}" if example_column else ""
            faults.append(Problem(f"{rows:,} {problem}", rows, "error", example))

    absent = [names[role] for role in NEEDED if role not in has]
    if "rank" not in has and "doc" not in has:
        absent.append(f"{names['rank']} or {names['doc']}")
    if absent:
        columns = f"it has {', '.join(map(str, log.columns))}"
        faults.append(Problem(f"no column {', '.join(absent)}", len(log), "error", columns))
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
        if meant := _nearly(name):
            fault(f"rows with the {names['action']} {name!r}: write {meant!r}", action == name)
        elif str(name) in (*TAKEN, *has.values()):
            words = f"rows with the {names['action']} {name!r}, which is a column of the tables that count events"
            fault(f"{words}: give it another name", action == name)
    if len(log) and not (action == IMPRESSION).any():
        problem = "no impressions, so it cannot say which queries got no click"
        faults.append(Problem(problem, len(log), "error", ""))
    for role in ("user", "bucket"):
        if role in has and "session" in has:
            several = log.groupby(has["session"], observed=True)[has[role]].transform("nunique") > 1
            fault(
                f"rows of sessions that have more than one {names[role]}", several, has["session"]
            )
    if "rank" in has:
        rank = pd.to_numeric(log[has["rank"]].astype(object), errors="coerce")
        fault(
            "ranks that are not whole numbers from 1",
            log[has["rank"]].notna() & ~((rank >= 1) & (rank % 1 == 0)),
            has["rank"],
        )
    if not absent:
        unknown = log[[has[role] for role in ("rank", "doc") if role in has]].isna().all(axis=1)
        fault("clicks with neither rank nor doc", (action == CLICK) & unknown)
    if "value" in has and "action" in has:
        for words, bad in _wrong_values(action, log[has["value"]], names["value"]):
            fault(words, bad, has["value"])
    time_problem = seconds(log[has["time"]])[1] if "time" in has else None
    return faults if time_problem is None else [*faults, time_problem]


def _nearly(action: object) -> str:
    """Return which of impression and click an action spells in another way, or nothing."""
    near = difflib.get_close_matches(
        str(action).strip().lower(), [IMPRESSION, CLICK], n=1, cutoff=0.8
    )
    return near[0] if near else ""


def _wrong_values(action: pd.Series, value: pd.Series, name: str) -> list[tuple[str, pd.Series]]:
    """Return what is wrong with values: no numbers, infinite, or missing for some events of a kind that has them."""
    number = pd.to_numeric(
        value.astype(object) if value.dtype == object else value, errors="coerce"
    )
    faults = [
        (f"{name}s that are not numbers", value.notna() & number.isna()),
        (f"infinite {name}s", number.astype(np.float64).abs() == np.inf),
    ]
    for kind in action[value.notna()].dropna().unique():
        faults.append(
            (
                f"{kind!r} rows without a {name}, which other {kind!r} rows have: fill in 0, or leave out",
                (action == kind) & value.isna(),
            )
        )
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
            example = f"e.g. {text[~zoned].iloc[0]!r} beside {text[zoned].iloc[0]!r}"
            return fault(~zoned, f"timestamps without a time zone among {len(text):,}", example)
        moments = pd.to_datetime(text, utc=True, errors="coerce", format="ISO8601")
        bad = moments.isna()
        if bad.any():
            words = "timestamps that are not ISO 8601; convert them with pd.to_datetime"
            return fault(bad, words, f"e.g. {text[bad].iloc[0]!r}")
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


def users_in_several(log: Table) -> list[Problem]:
    """Return the problem that users are in more than one bucket, if any is.

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
            IN_EACH,
            f"e.g. {who!r} in {buckets}",
        )
    ]


def mismatch(log: Table, shares: Mapping[object, float] | None = None) -> list[Problem]:
    """Return the problem that bucket sizes are not what their shares make likely, if so (chi-square, p < .001).

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
                "shares= are those of buckets, and the log has none; bind them: log.ireval(bucket=...)."
            )
        return []
    sizes = _bucket_sizes(log, shares)
    if len(sizes) < 2 or not sizes["mismatch"].any():
        return []
    counts = ", ".join(
        f"{bucket} {n:,}" for bucket, n in zip(sizes.iloc[:, 0], sizes["n"], strict=True)
    )
    expected = ", ".join(f"{size:,.6g}" for size in sizes["expected"])
    example = (
        f"{counts} {sizes.attrs['unit']}s; expected {expected}; p = {sizes['p_value'].iloc[0]:.2g}"
    )
    return [
        Problem(
            "rows of buckets whose sizes mismatch their shares", len(log.frame), SUSPECT, example
        )
    ]


@verb(on="clicks", gives="sample_ratios")
def sample_ratio(log: Table, *, shares: Mapping[object, float] | None = None) -> pd.DataFrame:
    """Return how many users each bucket has and should have, with the test of a sample-ratio mismatch.

    Where it fails, who is in the log depends on the bucket, and no comparison of the buckets can be trusted: look for
    the segment in which it does with `by=`, such as a browser that lost its events. In a log without users, sessions
    are counted.

    Parameters
    ----------
    shares : mapping of bucket to number, optional
        What share of the users each bucket was meant to have, such as {"control": 0.9, "new": 0.1}; by default equal
        shares.

    Examples
    --------
    >>> log = pd.DataFrame({"user": range(100), "session": range(100), "bucket": ["new", "old"] * 50, "query_id": "q"})
    >>> log = log.assign(timestamp=0, action="impression", rank=1, browser=["a"] * 50 + ["b"] * 50)
    >>> lost = log[(log["browser"] == "a") | (log["bucket"] == "old") | (log["user"] > 95)]
    >>> lost.ireval.sample_ratio(by="browser").round(5)
      browser bucket   n  expected    share  p_value  mismatch
    0       a    new  25      25.0  0.50000  1.00000     False
    1       a    old  25      25.0  0.50000  1.00000     False
    2       b    new   2      13.5  0.07407  0.00001      True
    3       b    old  25      13.5  0.92593  0.00001      True
    """
    if faults := faults_of(log):
        raise ValueError(
            f"the click log cannot be read: {faults[0].problem}. log.ireval.check() shows examples."
        )
    if "bucket" not in columns_of(log):
        raise ValueError(
            "sample_ratio() needs a bucket column in the log; bind it: log.ireval(bucket=...)."
        )
    return _bucket_sizes(log, shares, least=2)


def _bucket_sizes(
    log: Table, shares: Mapping[object, float] | None, least: int = 0
) -> pd.DataFrame:
    """Return how many users (or sessions) were shown something in each bucket, and the chi-square test of that."""
    from scipy import special

    has = columns_of(log)
    who = "user" if "user" in has else "session"
    impressions = log.frame.loc[
        log.frame[has["action"]] == IMPRESSION, [has["bucket"], has[who]]
    ].drop_duplicates()
    code, buckets = pd.factorize(impressions[has["bucket"]], sort=True)
    if len(buckets) < least:
        raise TooFew(
            f"sample_ratio() needs at least two buckets; the log has {len(buckets)}: {', '.join(buckets)}."
        )
    sizes = np.bincount(code, minlength=len(buckets))
    expected = _shares(list(buckets), shares) * sizes.sum()
    p_value = float(special.chdtrc(len(sizes) - 1, ((sizes - expected) ** 2 / expected).sum()))
    columns = {
        has["bucket"]: pd.Index(buckets),
        "n": sizes,
        "expected": expected,
        "share": sizes / sizes.sum(),
        "p_value": p_value,
        "mismatch": p_value < MISMATCH,
    }
    return described_frame(columns, {"bucket_column": has["bucket"], "unit": who})


def _shares(buckets: list[object], shares: Mapping[object, float] | None) -> np.ndarray:
    """Return the share of each bucket; equal ones by default."""
    if shares is None:
        return np.full(len(buckets), 1 / max(len(buckets), 1))
    if not isinstance(shares, Mapping) or set(shares) != set(buckets):  # type: ignore[redundant-expr]
        given = ", ".join(map(str, shares)) if isinstance(shares, Mapping) else repr(shares)  # type: ignore[redundant-expr]
        raise ValueError(
            f"shares= maps every bucket to its share: {', '.join(map(str, buckets))}; found {given}."
        )
    for share in (shares[bucket] for bucket in buckets):
        number = isinstance(share, int | float | np.number) and not isinstance(share, bool)  # type: ignore[redundant-expr]
        if not number or not 0 < share < np.inf:
            raise ValueError(f"shares= are positive numbers, such as 0.5; found {share!r}.")
    value = np.array([shares[bucket] for bucket in buckets], dtype=np.float64)
    return value / value.sum()
