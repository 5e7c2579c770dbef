"""Behaviour of users by bucket: eight measures of a click log, with confidence intervals.

The measures and their directions are those of Radlinski, Kurup and Joachims (CIKM 2008). As there, the reciprocal
ranks and the times are over queries with a click, so that they do not repeat the abandonment rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.online.clicks import behaviour_of, sessions_of
from pdeval.online.log import Log, read_log
from pdeval.online.samples import Aggregate, Kind, estimate

Unit = Literal["query", "session", "user"]


class Measure(NamedTuple):
    """A behaviour measure: its column per query, how it is summed up, and where it goes as results get worse."""

    column: str
    aggregate: Aggregate
    worse: Literal["increase", "decrease"]
    rate: bool = False


MEASURES = {
    "abandonment_rate": Measure("abandoned", "mean", "increase", rate=True),
    "reformulation_rate": Measure("reformulated", "mean", "increase", rate=True),
    "queries_per_session": Measure("queries", "mean", "increase"),
    "clicks_per_query": Measure("clicks", "mean", "decrease"),
    "max_reciprocal_rank": Measure("max_reciprocal_rank", "mean", "decrease"),
    "mean_reciprocal_rank": Measure("mean_reciprocal_rank", "mean", "decrease"),
    "time_to_first_click": Measure("time_to_first_click", "median", "increase"),
    "time_to_last_click": Measure("time_to_last_click", "median", "decrease"),
}


def behaviour(
    log: pd.DataFrame,
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit = "query",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int | None = 0,
    **binding: str,
) -> pd.DataFrame:
    """Return the behaviour measures of every bucket, with confidence intervals.

    Parameters
    ----------
    log : DataFrame
        A click log; its format is described in `pdeval.online.log`.
    measures : sequence of str, optional
        Any of `MEASURES`; by default all eight.
    aggregate : {'mean', 'median'} or mapping of measure to one of them, optional
        By default the median for the two times and the mean for the others.
    unit : {'query', 'session', 'user'}
        What counts as one observation: an issued query (a session, for queries per session), or each session's or
        user's own mean. Queries of one user are not independent: with many queries per user prefer 'user'.
    confidence : float
        Of the intervals: Wilson's for rates of queries, Student's t for means, bootstrap for medians.
    resamples, seed : int
        Of the bootstrap.
    **binding : str
        Column names by role: session, user, query, timestamp, action, rank, doc, bucket.

    Returns
    -------
    DataFrame
        [bucket,] measure, aggregate, n, value, ci_low, ci_high; sorted by bucket, then measures as asked. A measure
        without observations (times, in a log without clicks) has n = 0 and NaN.

    Examples
    --------
    >>> log = pd.DataFrame(
    ...     [("s", "a", 0, "impression", None, "new"), ("s", "a", 8, "click", 2, "new"),
    ...      ("t", "a", 0, "impression", None, "old")],
    ...     columns=["session", "query_id", "timestamp", "action", "rank", "bucket"])
    >>> found = behaviour(log, ["abandonment_rate", "time_to_first_click"])
    >>> found[["bucket", "measure", "n", "value"]].values.tolist()[:2]
    [['new', 'abandonment_rate', 1, 0.0], ['new', 'time_to_first_click', 1, 8.0]]
    """
    read = read_log(log, binding)
    chosen, how = chosen_measures(measures, aggregate)
    code, buckets = buckets_of(read)
    samples = samples_of(read, chosen, unit, code, len(buckets))
    rows = []
    for number, bucket in enumerate(buckets):
        for name in chosen:
            found = estimate(
                samples[name][number],
                kind_of(name, how[name], unit),
                confidence=confidence,
                resamples=resamples,
                rng=rng_of(seed, name, number),
            )
            rows.append((bucket, name, how[name], len(samples[name][number]), *found))
    columns = [str(buckets.name), "measure", "aggregate", "n", "value", "ci_low", "ci_high"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame if "bucket" in read.names else frame.drop(columns=columns[0])


def chosen_measures(
    measures: Sequence[str] | str | None, aggregate: Aggregate | Mapping[str, Aggregate] | None
) -> tuple[list[str], dict[str, Aggregate]]:
    """Return the measures asked for, and how each is summed up."""
    chosen = list(MEASURES) if measures is None else [measures] if isinstance(measures, str) else list(measures)
    given = {} if aggregate is None else aggregate
    how = given if isinstance(given, Mapping) else dict.fromkeys(chosen, given)
    unknown = [name for name in [*chosen, *how] if name not in MEASURES]
    if unknown:
        raise KeyError(f"no behaviour measure {unknown[0]!r}; there are {', '.join(MEASURES)}.")
    wrong = [value for value in how.values() if value not in ("mean", "median")]
    if wrong:
        raise ValueError(f"aggregate is 'mean' or 'median', not {wrong[0]!r}.")
    return chosen, {name: how.get(name, MEASURES[name].aggregate) for name in chosen}


def buckets_of(read: Log) -> tuple[np.ndarray, pd.Index]:
    """Return the bucket of every issued query as a number, and the buckets."""
    if "bucket" in read.names:
        return read.codes("bucket")
    return np.zeros(len(read.queries), dtype=np.int64), pd.Index(["all"], name="bucket")


def samples_of(read: Log, chosen: list[str], unit: Unit, code: np.ndarray, n: int) -> dict[str, list[np.ndarray]]:
    """Return each measure's observations in every bucket."""
    if unit not in ("query", "session", "user"):
        raise ValueError(f"unit is 'query', 'session' or 'user', not {unit!r}.")
    if unit == "user" and "user" not in read.names:
        raise ValueError("unit='user' needs a user column in the log; name it with user=...")
    queries, sessions = behaviour_of(read), sessions_of(read)
    session = read.codes("session")[0]
    start = np.append(True, session[1:] != session[:-1])
    samples = {}
    for name in chosen:
        source, bucket = (sessions, code[start]) if name == "queries_per_session" else (queries, code)
        values = source[MEASURES[name].column].to_numpy(dtype=np.float64)
        known = ~np.isnan(values)
        values, bucket = values[known], bucket[known]
        if unit != "query":
            who = pd.factorize(source[read.names[unit]])[0][known]
            means = pd.Series(values).groupby([bucket, who]).mean()
            bucket, values = means.index.get_level_values(0).to_numpy(), means.to_numpy()
        samples[name] = [values[bucket == number] for number in range(n)]
    return samples


def kind_of(name: str, aggregate: Aggregate, unit: Unit) -> Kind:
    """Return how a measure is estimated: as a rate of queries, a mean or a median."""
    return "rate" if aggregate == "mean" and MEASURES[name].rate and unit == "query" else aggregate


def rng_of(seed: int | None, measure: str, bucket: int) -> np.random.Generator:
    """Return a stream of its own for every cell: an interval does not depend on which others were asked for."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(list(MEASURES).index(measure), bucket)))
