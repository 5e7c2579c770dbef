"""Behavior of users by bucket: what the units of an experiment did, and behavior measures with intervals."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args
from zlib import crc32

import numpy as np
import pandas as pd

from pdeval.catalog import Known, remember
from pdeval.join import outside
from pdeval.online.log import (
    VISIT,
    Log,
    behavior_of,
    described_events,
    read_log,
    sessions_of,
    users_of,
)
from pdeval.online.two_sample_tests import (
    Aggregate,
    Estimate,
    Kind,
    bootstrap_ratios,
    clustered_rate,
    drawn_interval,
    estimate,
    linearized,
    ratio_of,
)
from pdeval.tables import Table, table
from pdeval.verbs import (
    Registry,
    TooFew,
    arguments,
    did_you_mean,
    first_line,
    one_of,
    several,
    verb,
)

Observe = Callable[..., Any]
Unit = Literal["query", "session", "user"]
Function = TypeVar("Function", bound=Observe)


# only on request: they add little to the others
ON_REQUEST = ("click_through_rate", "sessions_per_user", "events_per_user", "retention_rate")

OF_QUERIES = ("reformulation_rate", "queries_per_session")
# other names of measures
ALIASES = {
    "CTR": "click_through_rate",
    "conversion": "conversion_rate",
    "revenue": "revenue_per_user",
    "ARPU": "revenue_per_user",
    "abandonment": "abandonment_rate",
    "retention": "retention_rate",
}
_SPELLED = re.compile(r"(.*?)\s*(?:\((.*)\))?", re.DOTALL)


table(
    "behavior",
    "[bucket] measure aggregate n:int value:float ci_low:float ci_high:float",
    "table of behavior of users",
    row="bucket and behavior measure",
    sort="bucket",
    then=".plot(); log.ireval.compare_buckets()",
    means={
        "aggregate": "'mean', 'median' or 'ratio'",
        "n": "number of observations: queries, sessions or users",
        "value": "the mean, median or ratio; NaN if n is 0, e.g. times in a log without clicks",
    },
)


@dataclass(frozen=True, eq=False)
class BehaviorMeasure:
    """A behavior measure.

    Parameters
    ----------
    name : str
        Name of the measure.
    observe : callable
        Function of the table of `per_query` (or `per_session` or `per_user`, see `per`) that returns one number per
        row, or two: a numerator and a denominator. NaN if there is nothing to observe. The keyword-only parameter
        `event` gets the column of the requested event, `days` the requested number, and `value` the column of the log's
        values.
    worse : {'increase', 'decrease'}
        Change of the measure as results get worse.
    aggregate : {'mean', 'median', 'ratio'}
        Default aggregate: 'mean' is over all observations of all users.
    rate : bool
        Whether the observations are 0 or 1, so their mean is a rate.
    per : {'query', 'session', 'user'}
        What a row of the table represents.
    event : str
        The event that it counts, if it counts one, or the number of days.
    summary : str
        Its description in one sentence.
    """

    name: str
    observe: Observe
    worse: Literal["increase", "decrease"]
    aggregate: Aggregate = "mean"
    rate: bool = False
    per: Unit = "query"
    event: str | int = ""
    summary: str = ""

    @cached_property
    def asks(self) -> dict[str, Any]:
        """The keyword-only parameters of its function, with their defaults."""
        parameters = inspect.signature(self.observe).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def known(self) -> Known:
        """Return its direction, aggregate, family and test, for tables."""
        return {
            "higher": self.worse == "decrease",
            "aggregate": self.aggregate,
            "family": "behavior",
            "test": "t",
        }

    def lacks(self, attrs: Mapping[Any, Any]) -> str:
        """Return what a log with these attributes lacks for it, in a sentence; empty if nothing."""
        kinds = attrs.get("event_columns", [])
        if "event" in self.asks and self.event not in (*kinds, *COUNTED):
            others = ", ".join(map(repr, kinds)) or "none other than impressions and clicks"
            near = f" Use another: {self.name.partition('(')[0]}({kinds[0]})." if kinds else ""
            return f"{self.name} counts {self.event!r} events, but the log has {others}.{near}"
        if "value" in self.asks and "value_column" not in attrs:
            return (
                f"{self.name} adds values, but the log has none. Bind them: log.ireval(value=...)."
            )
        return ""

    def parts(self, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Return the numerator and the denominator of every row; both NaN if there is nothing to observe."""
        if reason := self.lacks(rows.attrs):
            raise TooFew(reason)
        given = {
            "event": COUNTED.get(str(self.event), str(self.event)),
            "value": rows.attrs.get("value_column"),
            "days": self.event,
        }
        result = self.observe(rows, **{name: given[name] for name in self.asks if name in given})
        # a numerator alone has the denominator 1
        both = (
            result
            if isinstance(result, tuple) and len(result) == 2
            else (result, np.ones(len(rows)))
        )
        total, over = (np.asarray(one, dtype=np.float64) for one in both)
        for one in (total, over):
            if one.shape != (len(rows),):
                raise ValueError(
                    f"{self.name} returned an array of shape {one.shape} for {len(rows):,} rows; expected one "
                    "number per row, or two: a numerator and a denominator."
                )
        if (wrong := over[~np.isnan(over) & ~((over >= 0) & (over < np.inf))]).size:
            raise ValueError(
                f"{self.name} has {wrong.size:,} denominators that are negative or infinite, e.g. {wrong[0]:g}. "
                "Return finite numbers of at least 0."
            )
        nothing = np.isnan(total) | np.isnan(over) | (over == 0)
        return np.where(nothing, np.nan, total), np.where(nothing, np.nan, over)


# events that the tables of queries and users count in columns of their own
COUNTED = {"impression": "impressions", "click": "clicks"}
MEASURES: Registry[BehaviorMeasure] = Registry(
    "behavior measure", taken="pdeval has a behavior measure {name!r}. Use another name."
)


def behavior_measure(
    *,
    worse: Literal["increase", "decrease"],
    name: str | None = None,
    aggregate: Aggregate = "mean",
    rate: bool = False,
    per: Unit = "query",
) -> Callable[[Function], Function]:
    """Declare a behavior measure: a function from the table of `per_query` to one number per row.

    A function that returns two, a numerator and a denominator, is a ratio: `return users["clicks"], users["queries"]`.
    Events are columns of these tables under their names, and values a column under the log's name.

    Parameters
    ----------
    worse : {'increase', 'decrease'}
        Change of the measure as results get worse.
    name : str, optional
        Name of the measure; by default the function's name.
    aggregate : {'mean', 'median', 'ratio'}
        Default aggregate: the mean of all observations of all users; the median of the means of users; or the sum of
        numerators over the sum of denominators.
    rate : bool
        Whether the observations are 0 or 1, so their mean is a rate.
    per : {'query', 'session', 'user'}
        Whether the function takes the table of `per_query`, of `per_session` or of `per_user`.

    Examples
    --------
    >>> @behavior_measure(worse="decrease", rate=True)
    ... def clicked_on_top(queries):
    ...     "Whether one of the first three results was clicked."
    ...     return queries["max_reciprocal_rank"] >= 1 / 3
    >>> MEASURES.pop("clicked_on_top").summary
    'Whether one of the first three results was clicked.'
    """

    def declare(function: Function) -> Function:
        made = BehaviorMeasure(
            name or function.__name__,
            function,
            worse,
            aggregate,
            rate,
            per,
            summary=first_line(function),
        )
        if isinstance(event := made.asks.get("event"), str):
            made = replace(made, event=event)
        MEASURES.add(made.name, made, function.__module__)
        remember(made.name, made.known())
        return function

    return declare


# in this order: the random streams of a measure depend on its place
for _measure in (
    BehaviorMeasure(
        "abandonment_rate",
        lambda rows: rows["abandoned"],
        "increase",
        rate=True,
        summary="Whether nothing was clicked.",
    ),
    BehaviorMeasure(
        "reformulation_rate",
        lambda rows: rows["reformulated"],
        "increase",
        rate=True,
        summary="Whether another query followed in the session.",
    ),
    BehaviorMeasure(
        "queries_per_session",
        lambda rows: rows["queries"],
        "increase",
        per="session",
        summary="Number of queries issued in the session.",
    ),
    BehaviorMeasure(
        "clicks_per_query",
        lambda rows: rows["clicks"],
        "decrease",
        summary="Number of different results clicked.",
    ),
    BehaviorMeasure(
        "max_reciprocal_rank",
        lambda rows: rows["max_reciprocal_rank"],
        "decrease",
        summary="Reciprocal rank of the clicked result with the best rank, over queries with a click.",
    ),
    BehaviorMeasure(
        "mean_reciprocal_rank",
        lambda rows: rows["mean_reciprocal_rank"],
        "decrease",
        summary="Mean reciprocal rank of the clicked results, over queries with a click.",
    ),
    BehaviorMeasure(
        "time_to_first_click",
        lambda rows: rows["time_to_first_click"],
        "increase",
        aggregate="median",
        summary="Seconds from the results to the first click, over queries with a click.",
    ),
    BehaviorMeasure(
        "time_to_last_click",
        lambda rows: rows["time_to_last_click"],
        "decrease",
        aggregate="median",
        summary="Seconds from the results to the last click, over queries with a click.",
    ),
    BehaviorMeasure(
        "first_result_clicks",
        lambda rows: rows["max_reciprocal_rank"] == 1,
        "decrease",
        rate=True,
        summary="Whether the first result was clicked: click-through on it, over all queries.",
    ),
    BehaviorMeasure(
        "click_through_rate",
        lambda rows: (rows["clicks"], rows["impressions"]),
        "decrease",
        aggregate="ratio",
        summary="Clicks over impressions: results clicked per page or result shown in the log.",
    ),
    BehaviorMeasure(
        "conversion_rate",
        lambda rows, *, event: rows[event] > 0,
        "decrease",
        rate=True,
        per="user",
        event="purchase",
        summary="Whether the user had an event that counts as success: by default a 'purchase'.",
    ),
    BehaviorMeasure(
        "revenue_per_user",
        lambda rows, *, value: rows[value],
        "decrease",
        per="user",
        summary="Total value of the user's events, 0 for users without any.",
    ),
    BehaviorMeasure(
        "sessions_per_user",
        lambda rows: rows["sessions"],
        "decrease",
        per="user",
        summary="Number of sessions of the user.",
    ),
    BehaviorMeasure(
        "events_per_user",
        lambda rows, *, event: rows[event],
        "decrease",
        per="user",
        event="click",
        summary="Number of the user's events of a kind: by default clicks.",
    ),
    BehaviorMeasure(
        "retention_rate",
        # missing for users who were not observed that long
        lambda rows, *, days: (rows["active_days"] >= days).where(rows["observed_days"] >= days),
        "decrease",
        rate=True,
        per="user",
        event=7,
        summary="Whether the user had an event at least 7 days after the first, of users observed that long.",
    ),
):
    MEASURES.add(_measure.name, _measure, __name__)
    remember(_measure.name, _measure.known())


def measure_of_name(name: object, columns: Collection[str] = ()) -> BehaviorMeasure:
    """Return the measure of a name, of an alias, or of a name with its event; its label is this name.

    In a table of users, the name of a column is the mean of its values, and "clicks / impressions" the ratio of the
    sums of two columns.

    Examples
    --------
    >>> measure_of_name("CTR").aggregate, measure_of_name("conversion(order)").event
    ('ratio', 'order')
    >>> measure_of_name("clicks / shown", ["clicks", "shown"]).aggregate
    'ratio'
    """
    if isinstance(name, str):
        parts = [name] if name in columns else [part.strip() for part in name.split("/")]
        if len(parts) <= 2 and set(parts) <= set(columns):
            aggregate: Aggregate = "ratio" if len(parts) == 2 else "mean"
            return BehaviorMeasure(
                name,
                lambda users: tuple(users[part] for part in parts) if parts[1:] else users[name],
                "decrease",
                aggregate,
                per="user",
            )
        stem, event = _SPELLED.fullmatch(name.strip()).groups()  # type: ignore[union-attr]
        made = MEASURES.get(ALIASES.get(stem, stem))
        if made is not None and event is None:
            return replace(made, name=name)
        if made is not None and "event" in made.asks and event:
            return replace(made, name=name, event=event.strip(" '\""))
        if made is not None and "days" in made.asks and str(event).strip().isdigit():
            return replace(made, name=name, event=int(event))
        if made is not None:
            takes = "a number of days" if "days" in made.asks else "no event"
            raise KeyError(f"{stem} takes {takes} in parentheses. Use {stem!r}.")
    known = [*columns, *MEASURES]
    hint = did_you_mean(name, {**ALIASES, **{one: one for one in known}})
    numeric = " Of a table of users, columns of numbers are measures." if columns else ""
    raise KeyError(f"no behavior measure {name!r}; there are {', '.join(known)}.{hint}{numeric}")


def chosen_measures(
    measures: Iterable[str] | str | None,
    aggregate: Aggregate | Mapping[str, Aggregate] | None,
    columns: Sequence[str] = (),
) -> tuple[list[BehaviorMeasure], dict[str, Aggregate]]:
    """Return the requested measures, and the requested aggregates by measure.

    By default these are the columns of a table of users, if there is one.

    Examples
    --------
    >>> [measure.name for measure in chosen_measures("clicks_per_query", None)[0]]
    ['clicks_per_query']
    """
    default = list(columns) or [name for name in MEASURES if name not in ON_REQUEST]
    chosen = default if measures is None else several("measures", measures)
    given = {} if aggregate is None else aggregate
    how = given if isinstance(given, Mapping) else dict.fromkeys(chosen, given)
    for name in how:
        measure_of_name(name, columns)
    checked = {name: one_of("aggregate", how[name], get_args(Aggregate)) for name in how}
    return [measure_of_name(name, columns) for name in chosen], cast(
        "dict[str, Aggregate]", checked
    )


@verb(on=("clicks", "users"), returns="behavior")
def behavior(
    log: Table,
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    winsorize: float | None = None,
    interval: Literal["auto", "bootstrap"] = "auto",
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return the behavior measures of every bucket, with confidence intervals.

    Parameters
    ----------
    measures : str or list of str, optional
        Any of abandonment_rate, reformulation_rate, queries_per_session, clicks_per_query, max_reciprocal_rank,
        mean_reciprocal_rank, time_to_first_click, time_to_last_click, first_result_clicks, click_through_rate (CTR),
        conversion_rate, revenue_per_user, sessions_per_user, events_per_user, retention_rate, and your own; of other
        events than a purchase, `conversion_rate(order)`; of other days than 7, `retention_rate(14)`. By default the
        first nine, your own, and conversion and revenue if the log has them. In a table of users, its columns, and
        ratios of two: "clicks / impressions"; by default all columns of numbers, of which more is better.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        Mean or median of the values of the units, or the ratio of sums over all units: clicks of all users over
        impressions of all users, or their abandoned queries over all their queries. By default the median for the two
        times and the ratio for the others, which is the mean if every unit has one observation.
    interval : {'auto', 'bootstrap'}
        'auto': Wilson's interval for rates (with the effective number of queries by the delta method if units have
        several queries), Student's t for other means, the delta method for other ratios, the bootstrap for medians.
        'bootstrap': percentiles over bootstrap samples of the units (users), which can be asymmetric; for rates near 0
        they cover too little (79% in place of 95% with 100 users and a rate of .01).
    draws : int
        Number of bootstrap samples of every median, and of all others with interval='bootstrap'; 0 omits intervals.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["bm25", "tfidf"])].ireval.simulate_clicks(qrels)
    >>> log.ireval.behavior(["abandonment_rate", "clicks_per_query"]).round(2)
      bucket           measure aggregate   n  value  ci_low  ci_high
    0   bm25  abandonment_rate      mean  50   0.02    0.00     0.10
    1   bm25  clicks_per_query      mean  50   4.52    3.95     5.09
    2  tfidf  abandonment_rate      mean  50   0.06    0.02     0.16
    3  tfidf  clicks_per_query      mean  50   3.14    2.61     3.67
    """
    experiment = Experiment.of(log, measures, aggregate, unit, winsorize)
    rows = []
    for number, bucket in enumerate(experiment.buckets):
        for measure in experiment.measures:
            every = experiment.observed[measure.name]
            observed = every.of_rows(every.bucket == number)
            rows.append(
                (
                    bucket,
                    measure.name,
                    experiment.aggregate[measure.name],
                    len(observed.who),
                    *_estimated(
                        observed,
                        measure,
                        experiment,
                        interval == "bootstrap",
                        confidence,
                        draws,
                        rng_of(seed, measure.name, number),
                    ),
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
    measure: BehaviorMeasure,
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
    if measure.rate and kind == "mean":
        with_one, without = observed.total > 0, observed.total < observed.over
        events = int(min(with_one.sum(), without.sum()))
        result = clustered_rate(result.value, sample, confidence, events=events)
    if not bootstrap or kind == "median":
        return result
    total, over = (
        (observed.total, observed.over) if aggregate == "ratio" else (sample, np.ones(len(sample)))
    )
    return drawn_interval(
        result.value, bootstrap_ratios(total, over, draws, rng), len(sample), confidence
    )


def rng_of(seed: int | None, measure: str, bucket: int) -> np.random.Generator:
    """Return a separate random stream for every cell: an interval does not depend on the other requested ones."""
    # declared measures have no fixed place
    place = list(MEASURES).index(measure) if measure in MEASURES else crc32(measure.encode())
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place, bucket)))


@dataclass(frozen=True, eq=False)
class Experiment:
    """A click log with the behavior measures to observe.

    Parameters
    ----------
    log : Log
        The log.
    measures : list of BehaviorMeasure
        Those that can be observed.
    unit : {'query', 'session', 'user'}
        The unit of observation.
    single : bool
        Whether every unit issued one query.
    aggregate : mapping of str to str
        Aggregate of each measure.
    bucket : ndarray
        The bucket of every issued query, as a place in `buckets`.
    buckets : Index
        The buckets, sorted; "all" if the log has none.
    winsorize : float, optional
        Quantile of the values of all units at which larger values are cut.
    """

    log: Log
    measures: list[BehaviorMeasure]
    unit: Unit
    single: bool
    aggregate: dict[str, Aggregate]
    bucket: np.ndarray
    buckets: pd.Index
    winsorize: float | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        measures: Iterable[str] | str | None,
        aggregate: Aggregate | Mapping[str, Aggregate] | None,
        unit: Unit | None,
        winsorize: float | None = None,
    ) -> Experiment:
        """Return the experiment of a log or a table of users; raise if a requested measure cannot be observed."""
        winsorize = None if winsorize is None else arguments.share("winsorize", winsorize)
        log = read_log(table)
        columns = log.kinds if log.is_counted else []
        chosen, given = chosen_measures(measures, aggregate, columns)
        binary = {name for name in columns if log.people[name].dropna().isin([0, 1]).all()}
        chosen = [replace(one, rate=True) if one.name in binary else one for one in chosen]
        one_bucket = np.zeros(len(log.queries), np.int64), pd.Index(["all"], name="bucket")
        bucket, buckets = log.codes("bucket") if "bucket" in log.names else one_bucket
        unit = unit_of(log.names, log.queries, unit)
        chosen = fitting(log, chosen, unit, required=measures is not None)
        # whether the mean of a unit's 0 and 1 is 0 or 1
        single = unit == "query" or not log.queries[log.names[unit]].duplicated().any()
        how: dict[str, Aggregate] = {}
        for one in chosen:  # by default every observation has the same weight
            several = not single and one.per not in (unit, "user")
            how[one.name] = given.get(
                one.name, "ratio" if one.aggregate == "mean" and several else one.aggregate
            )
        return cls(log, chosen, unit, single, how, bucket, buckets, winsorize)

    @cached_property
    def observed(self) -> dict[str, Observed]:
        """Each measure's observations, winsorized if requested; rates are not."""
        observed = observe(self.log, self.measures, self.unit, self.bucket, self.buckets)
        if self.winsorize is None:
            return observed
        rates = {measure.name for measure in self.measures if measure.rate}
        return {
            name: one if name in rates else one.winsorized(self.winsorize, self.aggregate[name])
            for name, one in observed.items()
        }

    @property
    def attrs(self) -> dict[Any, Any]:
        """Attributes of tables: direction and aggregate of each measure, and the unit."""
        known = {
            one.name: {**one.known(), "aggregate": self.aggregate[one.name]}
            for one in self.measures
        }
        return {"measures": known, "unit": self.unit}

    def kind(self, measure: BehaviorMeasure) -> Kind:
        """Return how a measure is estimated: as a rate of single queries or users, a mean or a median."""
        aggregate = self.aggregate[measure.name]
        if aggregate == "mean" and measure.rate and (self.single or measure.per == "user"):
            return "rate"
        return "median" if aggregate == "median" else "mean"


def unit_of(names: Mapping[str, str], queries: pd.DataFrame, unit: Unit | None) -> Unit:
    """Return the unit of observation: the requested one, else the user or, in a log without users, the session.

    A finer unit warns if a user has several observations: these are not independent, so the type I error rate is too
    high.

    Examples
    --------
    >>> unit_of({"session": "session", "user": "who"}, pd.DataFrame({"session": [1, 2], "who": ["ann", "bob"]}), None)
    'user'
    """
    default: Unit = "user" if "user" in names else "session"
    if unit in (None, default):
        return default
    if "session" not in names:
        raise ValueError(f"a table of users has no sessions or queries. Omit unit={unit!r}.")
    if unit == "user":
        raise ValueError(
            "unit='user' needs a user column, but the log has none. Bind it: log.ireval(user=...)."
        )
    who = queries[names[default]].nunique()
    counted = len(queries) if unit == "query" else queries[names["session"]].nunique()
    if who < counted:
        several = {"query": "queries", "session": "sessions"}[str(unit)]
        warnings.warn(
            f"{several} of the same {default} are not independent ({who:,} {default}s, {counted:,} {several}): "
            "confidence intervals are too narrow and p-values too small. "
            f"If {default}s were randomized, use unit={default!r}.",
            UserWarning,
            stacklevel=outside(),
        )
    return unit


def fitting(
    log: Log, measures: Iterable[BehaviorMeasure], unit: Unit, *, required: bool
) -> list[BehaviorMeasure]:
    """Return the measures that can be observed of a log; if they are required, raise at the first that cannot."""
    observable = []
    for measure in measures:
        reason = measure.lacks(described_events(log))
        if measure.per == "user" and unit != "user":
            reason = (
                f"{measure.name} is observed per user. Omit unit={unit!r}."
                if "user" in log.names
                else f"{measure.name} needs users, but the log has none. Bind them: log.ireval(user=...)."
            )
        if log.is_counted and measure.per != "user":
            reason = (
                f"{measure.name} needs a click log; the measures of a table of users are its columns: "
                f"{', '.join(log.kinds)}, and ratios such as 'clicks / impressions'."
            )
        if measure.name in OF_QUERIES and log.names.get("query") == VISIT:
            reason = f"{measure.name} needs queries, but the log has none."
        if not reason:
            observable.append(measure)
        elif required:
            raise ValueError(reason)
    return observable


class Observed(NamedTuple):
    """One measure's observations, a unit of a bucket each.

    Parameters
    ----------
    bucket, who : ndarray of int
        The number of the unit's bucket, and of the unit.
    total, over : ndarray of float
        Numerator and denominator of the unit: their quotient is the value of the unit.
    """

    bucket: np.ndarray
    who: np.ndarray
    total: np.ndarray
    over: np.ndarray

    def of_rows(self, rows: np.ndarray) -> Observed:
        """Return some of the observations."""
        return Observed(self.bucket[rows], self.who[rows], self.total[rows], self.over[rows])

    def winsorized(self, quantile: float, aggregate: Aggregate) -> Observed:
        """Return the observations with values cut at a quantile of all buckets; of a ratio, both its parts."""
        parts = (
            (self.total, self.over)
            if aggregate == "ratio"
            else (self.total / self.over, np.ones(len(self.total)))
        )
        total, over = (
            np.minimum(part, np.quantile(part, quantile)) if len(part) else part for part in parts
        )
        return self._replace(total=total, over=over)

    def values(self, aggregate: Aggregate) -> np.ndarray:
        """Return a value per unit whose mean (or median) within a bucket is the bucket's; a ratio is linearized."""
        if aggregate != "ratio":
            return np.asarray(self.total / self.over)
        values = np.empty(len(self.total))
        for number in np.unique(self.bucket):
            rows = self.bucket == number
            values[rows] = linearized(self.total[rows], self.over[rows])
        return values


def units_of(log: Log, unit: Unit) -> pd.Index:
    """Return the units of a log, in the order of their numbers."""
    if unit == "query":
        return pd.RangeIndex(len(log.queries))
    frame = log.people if unit == "user" else log.queries
    return pd.Index(pd.factorize(frame[log.names[unit]], sort=True)[1])


def observe(
    log: Log, measures: Iterable[BehaviorMeasure], unit: Unit, code: np.ndarray, buckets: pd.Index
) -> dict[str, Observed]:
    """Return each measure's observations.

    Parameters
    ----------
    code : ndarray of int
        The bucket of every issued query.
    """
    makers = {"query": behavior_of, "session": sessions_of, "user": users_of}
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
    return (
        buckets.get_indexer(pd.Index(rows[log.names["bucket"]]))
        if "bucket" in log.names
        else np.zeros(len(rows), dtype=np.int64)
    )
