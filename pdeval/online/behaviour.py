"""Behaviour of users by bucket: the behaviour measures of a click log, with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
from zlib import crc32

import numpy as np
import pandas as pd

from pdeval.online.assignment import Unit, unit_of
from pdeval.online.behaviour_measures import MEASURES, BehaviourMeasure, chosen_measures
from pdeval.online.log import Log, read_log
from pdeval.online.observations import fitting, observe, summed_up
from pdeval.online.two_sample_tests import (
    Aggregate,
    Kind,
    bootstrap_ratios,
    clustered_rate,
    drawn_interval,
    estimate,
    ratio_of,
)
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import one_of, share, whole

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
    confidence, draws, seed = share("confidence", confidence), whole("draws", draws, 0), arguments.seed(seed)
    one_of("interval", interval, ("auto", "bootstrap"))
    chosen, given = chosen_measures(measures, aggregate)
    read = read_log(log)
    code, buckets = buckets_of(read)
    unit = unit_of(read.names, read.queries, unit)
    single = one_query_each(read, unit)
    chosen = fitting(read, chosen, unit, named=measures is not None)
    how = summed_up(given, chosen, unit, single)
    seen = observe(read, chosen, unit, code, buckets)
    samples = {name: one.of_bucket(one.values(how[name]), len(buckets)) for name, one in seen.items()}
    rows = []
    for number, bucket in enumerate(buckets):
        for measure in chosen:
            sample, kind = samples[measure.name][number], estimated_as(measure, how[measure.name], single)
            rng = rng_of(seed, measure.name, number)
            one, here = seen[measure.name], seen[measure.name].bucket == number
            total, over = one.total[here], one.over[here]
            found = estimate(sample, kind, confidence=confidence, draws=draws, rng=rng)
            if how[measure.name] == "ratio":  # to the last bit
                found = found._replace(value=ratio_of(total, over))
                if measure.rate:
                    found = clustered_rate(found.value, sample, confidence)
            if interval == "bootstrap" and kind != "median":
                top, bottom = (total, over) if how[measure.name] == "ratio" else (sample, np.ones(len(sample)))
                drawn = bootstrap_ratios(top, bottom, draws, rng)
                found = drawn_interval(found.value, drawn, len(sample), confidence)
            rows.append((bucket, measure.name, how[measure.name], len(sample), *found))
    columns = [str(buckets.name), "measure", "aggregate", "n", "value", "ci_low", "ci_high"]
    frame = pd.DataFrame(rows, columns=columns)
    frame = frame if "bucket" in read.names else frame.drop(columns=columns[0])
    frame.attrs = {
        **read.attrs("bucket"),
        **described(chosen, how),
        "unit": unit,
        "interval": interval,
        "confidence": confidence,
        "draws": draws,
        "seed": seed,
    }
    return frame


def described(chosen: Iterable[BehaviourMeasure], how: Mapping[str, Aggregate]) -> dict[Any, Any]:
    """Return what tables carry about behaviour measures: which way is better, and how each was summed up."""
    return {"measures": {one.name: {**one.known(), "aggregate": how[one.name]} for one in chosen}}


def buckets_of(read: Log) -> tuple[np.ndarray, pd.Index]:
    """Return the bucket of every issued query as a number, and the buckets."""
    if "bucket" in read.names:
        return read.codes("bucket")
    return np.zeros(len(read.queries), dtype=np.int64), pd.Index(["all"], name="bucket")


def one_query_each(read: Log, unit: Unit) -> bool:
    """Return whether every unit issued one query, so that its own mean of yes and no is yes or no."""
    return unit == "query" or not read.queries[read.names[unit]].duplicated().any()


def estimated_as(measure: BehaviourMeasure, aggregate: Aggregate, single: bool) -> Kind:
    """Return how a measure is estimated: as a rate of single queries or users, a mean or a median."""
    if aggregate == "mean" and measure.rate and (single or measure.per == "user"):
        return "rate"
    return "median" if aggregate == "median" else "mean"


def rng_of(seed: int | None, measure: str, bucket: int) -> np.random.Generator:
    """Return a stream of its own for every cell: an interval does not depend on which others were asked for."""
    place = list(MEASURES).index(measure) if measure in MEASURES else crc32(measure.encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place, bucket)))
