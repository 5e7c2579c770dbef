"""Who was given which bucket: the unit that tests count, users in several buckets, sample-ratio mismatch."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.join.rules import outside
from pdeval.online.log_checks import IMPRESSION, Problem, columns_of, faults_of
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew, one_of

Unit = Literal["query", "session", "user"]

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
MISMATCH = 0.001  # below this p-value bucket sizes are reported: the custom of online experiments


def unit_of(names: Mapping[str, str], queries: pd.DataFrame, unit: Unit | None) -> Unit:
    """Return the unit of observation: as asked, else the user or, in a log without users, the session.

    A unit finer than that warns where it counts anybody several times: observations of one user are alike, so tests of
    them find differences where there are none.

    Examples
    --------
    >>> unit_of({"session": "session", "user": "who"}, pd.DataFrame({"session": [1, 2], "who": ["ann", "bob"]}), None)
    'user'
    """
    given: Unit = "user" if "user" in names else "session"
    if unit is None:
        return given
    unit = one_of("unit", unit, ("query", "session", "user"))  # type: ignore[assignment]
    if unit == "user" and given != "user":
        raise ValueError("unit='user' needs a user column in the log; bind it: log.ireval(user=...).")
    who = queries[names[given]].nunique()
    counted = len(queries) if unit == "query" else queries[names["session"]].nunique()
    if unit not in (None, given) and who < counted:
        several = {"query": "queries", "session": "sessions"}[str(unit)]
        warnings.warn(
            f"{given}s have several {several} ({who:,} {given}s, {counted:,} {several}), which are not independent: "
            f"intervals are too narrow and p-values too small. Where {given}s were randomised, use unit={given!r}.",
            UserWarning,
            stacklevel=outside(),
        )
    return unit


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
    has, frame = columns_of(log), log.frame
    if not {"user", "bucket"} <= set(has):
        return []
    held = frame[[has["user"], has["bucket"]]].drop_duplicates()
    times = held[has["user"]].value_counts(sort=False)
    several = held[held[has["user"]].isin(times.index[times > 1])]
    if not len(several):
        return []
    who = several[has["user"]].tolist()[0]
    places = sorted(map(str, several.loc[several[has["user"]] == who, has["bucket"]]))
    rows = int(frame[has["user"]].isin(several[has["user"]].unique()).sum())
    return [Problem("rows of users in more than one bucket", rows, IN_EACH, f"e.g. {who!r} in {', '.join(places)}")]


IN_EACH = "counted in each of their buckets, which tests take for different users"
SUSPECT = "counted; find the cause before trusting any comparison of the buckets"


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
            raise ValueError("shares= are those of buckets, and the log has none; bind them: log.ireval(bucket=...).")
        return []
    buckets, sizes, who = _sizes(log)
    expected = _shares(list(buckets), shares) * sizes.sum()
    if len(buckets) < 2:
        return []
    p_value = _chi_square(sizes, expected)
    if p_value >= MISMATCH:
        return []
    found = ", ".join(f"{bucket} {size:,}" for bucket, size in zip(buckets, sizes, strict=True))
    example = f"{found} {who}s; expected {', '.join(f'{size:,.6g}' for size in expected)}; p = {p_value:.2g}"
    return [Problem("rows of buckets whose sizes mismatch their shares", len(log.frame), SUSPECT, example)]


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
    has = columns_of(log)
    faults = faults_of(log)
    if faults:
        raise ValueError(f"the click log cannot be read: {faults[0].problem}. log.ireval.check() shows examples.")
    if "bucket" not in has:
        raise ValueError("sample_ratio() needs a bucket column in the log; bind it: log.ireval(bucket=...).")
    buckets, sizes, who = _sizes(log)
    if len(buckets) < 2:
        raise TooFew(f"sample_ratio() needs at least two buckets; the log has {len(buckets)}: {', '.join(buckets)}.")
    expected = _shares(list(buckets), shares) * sizes.sum()
    p_value = _chi_square(sizes, expected)
    frame = pd.DataFrame({has["bucket"]: buckets, "n": sizes, "expected": expected, "share": sizes / sizes.sum()})
    frame = frame.assign(p_value=p_value, mismatch=p_value < MISMATCH)
    frame.attrs = {"bucket_column": has["bucket"], "unit": who}
    return frame


def _sizes(log: Table) -> tuple[pd.Index, np.ndarray, str]:
    """Return the buckets, how many users (or sessions) were shown something in each, and which of the two."""
    has = columns_of(log)
    who = "user" if "user" in has else "session"
    shown = log.frame.loc[log.frame[has["action"]] == IMPRESSION, [has["bucket"], has[who]]].drop_duplicates()
    code, buckets = pd.factorize(shown[has["bucket"]], sort=True)
    return pd.Index(buckets), np.bincount(code, minlength=len(buckets)), who


def _chi_square(sizes: np.ndarray, expected: np.ndarray) -> float:
    from scipy import special

    return float(special.chdtrc(len(sizes) - 1, ((sizes - expected) ** 2 / expected).sum()))


def _shares(buckets: list[object], shares: Mapping[object, float] | None) -> np.ndarray:
    if shares is None:
        return np.full(len(buckets), 1 / max(len(buckets), 1))
    if not isinstance(shares, Mapping) or set(shares) != set(buckets):  # type: ignore[redundant-expr]
        said = ", ".join(map(str, shares)) if isinstance(shares, Mapping) else repr(shares)  # type: ignore[redundant-expr]
        raise ValueError(f"shares= maps every bucket to its share: {', '.join(map(str, buckets))}; found {said}.")
    given: list[object] = [shares[bucket] for bucket in buckets]
    for one in given:
        if isinstance(one, bool) or not isinstance(one, int | float | np.number) or not 0 < one < np.inf:
            raise ValueError(f"shares= are positive numbers, such as 0.5; found {one!r}.")
    value = np.array([shares[bucket] for bucket in buckets], dtype=np.float64)
    return value / value.sum()
