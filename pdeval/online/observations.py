"""What the units of an experiment did: the observations of each behaviour measure, by unit and bucket."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdeval.online.assignment import Unit
from pdeval.online.behaviour_measures import BehaviourMeasure
from pdeval.online.clicks import behaviour_of, described_events, sessions_of, users_of
from pdeval.online.log import Log
from pdeval.online.two_sample_tests import Aggregate, linearised


@dataclass(frozen=True)
class Observed:
    """One measure's observations, a unit of a bucket each.

    Parameters
    ----------
    bucket, who : ndarray of int
        The number of the unit's bucket, and of the unit.
    total, over : ndarray of float
        Numerator and denominator of the unit: their quotient is the unit's own value.
    """

    bucket: np.ndarray
    who: np.ndarray
    total: np.ndarray
    over: np.ndarray

    def values(self, aggregate: Aggregate) -> np.ndarray:
        """Return a value per unit whose mean (or median) within a bucket is the bucket's; a ratio is linearised."""
        if aggregate != "ratio":
            own: np.ndarray = self.total / self.over
            return own
        found = np.empty(len(self.total))
        for number in np.unique(self.bucket):
            rows = self.bucket == number
            found[rows] = linearised(self.total[rows], self.over[rows])
        return found

    def of_bucket(self, values: np.ndarray, n: int) -> list[np.ndarray]:
        """Return the values of every bucket."""
        return [values[self.bucket == number] for number in range(n)]


def units_of(read: Log, unit: Unit) -> pd.Index:
    """Return the units of a log, in the order of their numbers."""
    frame = read.people if unit == "user" else read.queries
    if unit == "query":
        return pd.RangeIndex(len(read.queries))
    return pd.Index(pd.factorize(frame[read.names[unit]], sort=True)[1])


def observe(
    read: Log, chosen: Iterable[BehaviourMeasure], unit: Unit, code: np.ndarray, buckets: pd.Index
) -> dict[str, Observed]:
    """Return each measure's observations.

    Parameters
    ----------
    code : ndarray of int
        The bucket of every issued query.
    """
    tables = _tables(read, {measure.per for measure in chosen})
    known_units = units_of(read, unit)
    found = {}
    for measure in chosen:
        source = tables[measure.per]
        total, over = measure.parts(source)
        known = ~np.isnan(total)
        bucket = code
        if measure.per == "session":
            session = read.codes("session")[0]
            bucket = code[np.append(True, session[1:] != session[:-1])]
        elif measure.per == "user" and "bucket" in read.names:
            bucket = buckets.get_indexer(pd.Index(source[read.names["bucket"]]))
            known &= bucket >= 0  # a bucket that was shown nothing
        elif measure.per == "user":
            bucket = np.zeros(len(source), dtype=np.int64)
        total, over, bucket = total[known], over[known], bucket[known]
        who = np.arange(len(source))[known]
        if unit != "query":
            who = known_units.get_indexer(pd.Index(source[read.names[unit]]))[known]
            if measure.per != "user":
                key = bucket * np.int64(max(len(known_units), 1)) + who
                sums = pd.DataFrame({"total": total, "over": over}).groupby(key).sum()
                bucket, who = np.divmod(sums.index.to_numpy(), max(len(known_units), 1))
                total, over = sums["total"].to_numpy(), sums["over"].to_numpy()
        found[measure.name] = Observed(bucket, who, total, over)
    return found


def _tables(read: Log, wanted: Iterable[str]) -> dict[str, pd.DataFrame]:
    makers = {"query": behaviour_of, "session": sessions_of, "user": users_of}
    made = {per: makers[per](read) for per in wanted}
    for frame in made.values():
        frame.attrs = described_events(read)
    return made


def fitting(read: Log, measures: Iterable[BehaviourMeasure], unit: Unit, *, named: bool) -> list[BehaviourMeasure]:
    """Return the measures that can be observed of a log; where they were named, raise at the first that cannot."""
    columns = pd.DataFrame()
    columns.attrs = described_events(read)
    found = []
    for measure in measures:
        lacking = measure.lacks(columns)
        if measure.per == "user" and unit != "user":
            lacking = (
                f"{measure.name} is observed of users, and the log has none; bind them: log.ireval(user=...)."
                if "user" not in read.names
                else f"{measure.name} is observed of users: leave out unit={unit!r}."
            )
        if not lacking:
            found.append(measure)
        elif named:
            raise ValueError(lacking)
    return found


def summed_up(
    given: Mapping[str, Aggregate], chosen: Iterable[BehaviourMeasure], unit: Unit, single: bool
) -> dict[str, Aggregate]:
    """Return how each measure is summed up: as asked, or so that every observation counts the same.

    The mean of all queries is a ratio where units have several: of the sums over units and their numbers of queries.
    """
    found = {}
    for one in chosen:
        several = not single and one.per not in (unit, "user")
        found[one.name] = given.get(one.name, "ratio" if one.aggregate == "mean" and several else one.aggregate)
    return found
