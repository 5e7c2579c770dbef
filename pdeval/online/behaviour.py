"""Behaviour of users by bucket: what the units of an experiment did, and behaviour measures with intervals."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal
from zlib import crc32

import numpy as np
import pandas as pd

from pdeval.join.rules import outside
from pdeval.online.behaviour_measures import MEASURES, BehaviourMeasure, chosen_measures
from pdeval.online.log import Log, behaviour_of, described_events, read_log, sessions_of, users_of
from pdeval.online.two_sample_tests import (
    Aggregate,
    Estimate,
    Kind,
    bootstrap_ratios,
    clustered_rate,
    drawn_interval,
    estimate,
    linearised,
    ratio_of,
)
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb

Unit = Literal["query", "session", "user"]


table(
    "behaviour",
    "[bucket] measure aggregate n:int value:float ci_low:float ci_high:float",
    "table of behaviour of users",
    row="bucket and behaviour measure",
    sort="bucket",
    then=".plot(); log.ireval.compare_buckets()",
    means={
        "aggregate": "'mean', 'median' or 'ratio'",
        "n": "number of observations: queries, sessions or users",
        "value": "the mean, median or ratio; NaN where n is 0, as are times in a log without clicks",
    },
)


@verb(on="clicks", gives="behaviour")
def behaviour(
    log: Table,
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    interval: Literal["auto", "bootstrap"] = "auto",
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the behaviour measures of every bucket, with confidence intervals.

    Parameters
    ----------
    measures : str or list of str, optional
        Any of abandonment_rate, reformulation_rate, queries_per_session, clicks_per_query, max_reciprocal_rank,
        mean_reciprocal_rank, time_to_first_click, time_to_last_click, first_result_clicks, click_through_rate (CTR),
        conversion_rate, revenue_per_user, sessions_per_user, events_per_user, and your own; of other events than a
        purchase, `conversion_rate(order)`. By default the first nine, your own, and conversion and revenue where the
        log has them.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        The mean or median of the units' own values, or the ratio of sums over all units: clicks of all users over
        impressions of all users, or their abandoned queries over all their queries. By default the median for the two
        times and the ratio for the others, which is the mean where every unit has one observation.
    unit : {'user', 'session', 'query'}, optional
        What counts as one observation: a user or session with all its queries, or an issued query (a session, for
        queries per session). By default the user or, in a log without users, the session: what belongs to one user is
        not independent, so a finer unit than what was randomised finds differences where there are none, and warns.
    interval : {'auto', 'bootstrap'}
        'auto': Wilson's for rates (over queries of which units have several, with as many queries as the delta method
        says), Student's t for other means, the delta method for other ratios, the bootstrap for medians. 'bootstrap':
        for all of them units (users) are drawn with replacement, and the ends are percentiles of what they come to,
        which need not lie as far from the value on both sides.
    draws : int
        Bootstrap samples of every median, and of all others with interval='bootstrap'; 0 leaves out their intervals.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["bm25", "tfidf"])].ireval.simulate_clicks(qrels)
    >>> log.ireval.behaviour(["abandonment_rate", "clicks_per_query"]).round(2)
      bucket           measure aggregate   n  value  ci_low  ci_high
    0   bm25  abandonment_rate      mean  50   0.02    0.00     0.10
    1   bm25  clicks_per_query      mean  50   4.52    3.95     5.09
    2  tfidf  abandonment_rate      mean  50   0.06    0.02     0.16
    3  tfidf  clicks_per_query      mean  50   3.14    2.61     3.67
    """
    experiment = Experiment.of(log, measures, aggregate, unit)
    rows = []
    for number, bucket in enumerate(experiment.buckets):
        for measure in experiment.measures:
            observed = experiment.observed[measure.name].in_bucket(number)
            rng = rng_of(seed, measure.name, number)
            result = _estimated(
                observed, measure, experiment, interval == "bootstrap", confidence, draws, rng
            )
            rows.append(
                (
                    bucket,
                    measure.name,
                    experiment.aggregate[measure.name],
                    len(observed.who),
                    *result,
                )
            )
    names = [
        str(experiment.buckets.name),
        "measure",
        "aggregate",
        "n",
        "value",
        "ci_low",
        "ci_high",
    ]
    frame = pd.DataFrame(rows, columns=names)
    options = {"interval": interval, "confidence": confidence, "draws": draws, "seed": seed}
    frame.attrs.update({**experiment.log.attrs("bucket"), **experiment.attrs, **options})
    return frame if "bucket" in experiment.log.names else frame.drop(columns=names[0])


def _estimated(
    observed: Observed,
    measure: BehaviourMeasure,
    experiment: Experiment,
    bootstrap: bool,
    confidence: float,
    draws: int,
    rng: np.random.Generator,
) -> Estimate:
    """Return the estimate of a measure from the observations of a bucket."""
    aggregate, kind = experiment.aggregate[measure.name], experiment.kind(measure)
    sample = observed.values(aggregate)
    result = estimate(sample, kind, confidence=confidence, draws=draws, rng=rng)
    if aggregate == "ratio":  # to the last bit
        result = result._replace(value=ratio_of(observed.total, observed.over))
        if measure.rate:
            result = clustered_rate(result.value, sample, confidence)
    if not bootstrap or kind == "median":
        return result
    total, over = (
        (observed.total, observed.over) if aggregate == "ratio" else (sample, np.ones(len(sample)))
    )
    return drawn_interval(
        result.value, bootstrap_ratios(total, over, draws, rng), len(sample), confidence
    )


def rng_of(seed: int | None, measure: str, bucket: int) -> np.random.Generator:
    """Return a stream of its own for every cell: an interval does not depend on which others were asked for."""
    # measures that callers declared have no fixed place
    place = list(MEASURES).index(measure) if measure in MEASURES else crc32(measure.encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place, bucket)))


@dataclass(frozen=True)
class Experiment:
    """A click log with the behaviour measures that are observed of it.

    Parameters
    ----------
    log : Log
        The log.
    measures : list of BehaviourMeasure
        Those that can be observed.
    unit : {'query', 'session', 'user'}
        The unit of observation.
    single : bool
        Whether every unit issued one query.
    aggregate : mapping of str to str
        How each measure is summed up.
    bucket : ndarray
        The bucket of every issued query, as a place in `buckets`.
    buckets : Index
        The buckets, sorted; "all" if the log has none.
    """

    log: Log
    measures: list[BehaviourMeasure]
    unit: Unit
    single: bool
    aggregate: dict[str, Aggregate]
    bucket: np.ndarray
    buckets: pd.Index

    @classmethod
    def of(
        cls,
        table: Table,
        measures: Iterable[str] | str | None,
        aggregate: Aggregate | Mapping[str, Aggregate] | None,
        unit: Unit | None,
    ) -> Experiment:
        """Return the experiment of a log; raise if a measure that was asked for cannot be observed."""
        chosen, given = chosen_measures(measures, aggregate)
        log = read_log(table)
        bucket, buckets = (
            np.zeros(len(log.queries), dtype=np.int64),
            pd.Index(["all"], name="bucket"),
        )
        if "bucket" in log.names:
            bucket, buckets = log.codes("bucket")
        unit = unit_of(log.names, log.queries, unit)
        chosen = fitting(log, chosen, unit, required=measures is not None)
        # whether a unit's own mean of yes and no is yes or no
        single = unit == "query" or not log.queries[log.names[unit]].duplicated().any()
        how: dict[str, Aggregate] = {}
        for one in chosen:  # by default so that every observation counts the same
            several = not single and one.per not in (unit, "user")
            how[one.name] = given.get(
                one.name, "ratio" if one.aggregate == "mean" and several else one.aggregate
            )
        return cls(log, chosen, unit, single, how, bucket, buckets)

    @cached_property
    def observed(self) -> dict[str, Observed]:
        """Each measure's observations."""
        return observe(self.log, self.measures, self.unit, self.bucket, self.buckets)

    @property
    def attrs(self) -> dict[Any, Any]:
        """What tables carry: which way each measure is better, how it was summed up, and the unit."""
        known = {
            one.name: {**one.known(), "aggregate": self.aggregate[one.name]}
            for one in self.measures
        }
        return {"measures": known, "unit": self.unit}

    def kind(self, measure: BehaviourMeasure) -> Kind:
        """Return how a measure is estimated: as a rate of single queries or users, a mean or a median."""
        aggregate = self.aggregate[measure.name]
        if aggregate == "mean" and measure.rate and (self.single or measure.per == "user"):
            return "rate"
        return "median" if aggregate == "median" else "mean"


def unit_of(names: Mapping[str, str], queries: pd.DataFrame, unit: Unit | None) -> Unit:
    """Return the unit of observation: as asked, else the user or, in a log without users, the session.

    A unit finer than that warns where it counts anybody several times: observations of one user are alike, so tests of
    them find differences where there are none.

    Examples
    --------
    >>> unit_of({"session": "session", "user": "who"}, pd.DataFrame({"session": [1, 2], "who": ["ann", "bob"]}), None)
    'user'
    """
    default: Unit = "user" if "user" in names else "session"
    if unit in (None, default):
        return default
    if unit == "user":
        raise ValueError(
            "unit='user' needs a user column in the log; bind it: log.ireval(user=...)."
        )
    who = queries[names[default]].nunique()
    counted = len(queries) if unit == "query" else queries[names["session"]].nunique()
    if who < counted:
        several = {"query": "queries", "session": "sessions"}[str(unit)]
        warnings.warn(
            f"{default}s have several {several} ({who:,} {default}s, {counted:,} {several}), which are not "
            "independent: intervals are too narrow and p-values too small. Where "
            f"{default}s were randomised, use unit={default!r}.",
            UserWarning,
            stacklevel=outside(),
        )
    return unit


def fitting(
    log: Log, measures: Iterable[BehaviourMeasure], unit: Unit, *, required: bool
) -> list[BehaviourMeasure]:
    """Return the measures that can be observed of a log; where they are required, raise at the first that cannot."""
    columns = pd.DataFrame()
    columns.attrs = described_events(log)
    observable = []
    for measure in measures:
        reason = measure.lacks(columns)
        if measure.per == "user" and unit != "user":
            reason = f"{measure.name} is observed of users: leave out unit={unit!r}."
            if "user" not in log.names:
                reason = f"{measure.name} is observed of users, and the log has none; bind them: log.ireval(user=...)."
        if not reason:
            observable.append(measure)
        elif required:
            raise ValueError(reason)
    return observable


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

    def in_bucket(self, number: int) -> Observed:
        """Return the observations of one bucket."""
        rows = self.bucket == number
        return Observed(self.bucket[rows], self.who[rows], self.total[rows], self.over[rows])

    def values(self, aggregate: Aggregate) -> np.ndarray:
        """Return a value per unit whose mean (or median) within a bucket is the bucket's; a ratio is linearised."""
        if aggregate != "ratio":
            return np.asarray(self.total / self.over)
        values = np.empty(len(self.total))
        for number in np.unique(self.bucket):
            rows = self.bucket == number
            values[rows] = linearised(self.total[rows], self.over[rows])
        return values


def units_of(log: Log, unit: Unit) -> pd.Index:
    """Return the units of a log, in the order of their numbers."""
    if unit == "query":
        return pd.RangeIndex(len(log.queries))
    frame = log.people if unit == "user" else log.queries
    return pd.Index(pd.factorize(frame[log.names[unit]], sort=True)[1])


def observe(
    log: Log, measures: Iterable[BehaviourMeasure], unit: Unit, code: np.ndarray, buckets: pd.Index
) -> dict[str, Observed]:
    """Return each measure's observations.

    Parameters
    ----------
    code : ndarray of int
        The bucket of every issued query.
    """
    makers = {"query": behaviour_of, "session": sessions_of, "user": users_of}
    rows_per = {per: makers[per](log) for per in {measure.per for measure in measures}}
    units = units_of(log, unit)
    observed = {}
    for measure in measures:
        rows = rows_per[measure.per]
        rows.attrs = described_events(log)
        total, over = measure.parts(rows)
        bucket = _buckets(log, measure.per, rows, code, buckets)
        known = ~np.isnan(total) & (bucket >= 0)  # -1: a bucket that was shown nothing
        who = (
            np.arange(len(rows))
            if unit == "query"
            else units.get_indexer(pd.Index(rows[log.names[unit]]))
        )
        total, over, bucket, who = total[known], over[known], bucket[known], who[known]
        if unit != "query" and measure.per != "user":  # the sums of each unit in a bucket
            # (bucket, unit) as one number
            key = bucket * np.int64(max(len(units), 1)) + who
            sums = pd.DataFrame({"total": total, "over": over}).groupby(key).sum()
            bucket, who = np.divmod(sums.index.to_numpy(), max(len(units), 1))
            total, over = sums["total"].to_numpy(), sums["over"].to_numpy()
        observed[measure.name] = Observed(bucket, who, total, over)
    return observed


def _buckets(
    log: Log, per: str, rows: pd.DataFrame, code: np.ndarray, buckets: pd.Index
) -> np.ndarray:
    """Return the bucket of every row of a table of queries, sessions or users."""
    if per == "query":
        return code
    if per == "session":  # that of its first query
        session = log.codes("session")[0]
        return code[np.append(True, session[1:] != session[:-1])]
    if "bucket" in log.names:
        return buckets.get_indexer(pd.Index(rows[log.names["bucket"]]))
    return np.zeros(len(rows), dtype=np.int64)
