"""Comparison of buckets: tests of behavior measures, an expected order of buckets, and A/A tests of the tests.

CUPED (Deng, Xu, Kohavi and Walker 2013) removes variance with what users did before the experiment. A user's value y
is adjusted to y - theta (x - mean x), where x is the user's value in the pre-period, which no bucket can affect. theta
is the slope of y on x within buckets, so that adjusted differences are those of the analysis of covariance. Users
without a pre-period are not adjusted: their x is the mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate import all_pairs, described_frame
from pdeval.join import outside
from pdeval.online.behavior import (
    BehaviorMeasure,
    Experiment,
    Observed,
    Unit,
    fitting,
    measure_of_name,
    observe,
    rng_of,
    units_of,
)
from pdeval.online.log import (
    Log,
    columns_of,
    mismatch,
    read_log,
    span,
    users_in_several,
    with_sessions,
)
from pdeval.online.two_sample_tests import (
    Aggregate,
    Estimate,
    Kind,
    Tested,
    always_valid,
    bootstrap_medians,
    bootstrap_ratios,
    bootstrapped,
    drawn_interval,
    mann_whitney,
    quantile,
    ratio_of,
    relative_interval,
    two_rates,
    welch,
)
from pdeval.significance.corrections import Correction, adjust, single_step_level, which_correction
from pdeval.significance.registry import agreeing, direction
from pdeval.tables import Table, gap, read, settled, size_of, table
from pdeval.verbs import TooFew, arguments, integer, several, special, stats, track, verb

TestName = Literal["auto", "welch", "delta", "mann-whitney", "bootstrap"]
RESAMPLES = 999  # bootstrap samples of each assignment in an A/A test
# of each option: the aggregates that it does not suit, what it does, and the aggregate that it needs
UNSUITED = {
    "sequential": (("median",), "sequential= compares means and ratios", "mean"),
    "pre": (("median",), "pre= adjusts means and ratios", "mean"),
    "welch": (("median", "ratio"), "test='welch' compares means, test='delta' ratios", "mean"),
    "delta": (("mean", "median"), "test='delta' compares ratios of sums", "ratio"),
}


table(
    "bucket_comparisons",
    "bucket_a bucket_b measure aggregate test n_a:int n_b:int value_a:float value_b:float difference:float "
    "ci_low:float ci_high:float effect_size:float statistic:float p_value:float p_adjusted:float significant:bool "
    "[lift:float lift_low:float lift_high:float covariate covered:fraction variance_reduction:float]",
    "comparison of buckets",
    recognized_by="measure aggregate test n_a n_b value_a value_b difference p_value p_adjusted significant",
    row="pair of buckets and behavior measure",
    sort="measure bucket_a bucket_b",
    then=".report()",
    means={
        "bucket_a": "the first bucket of a pair",
        "bucket_b": "the second bucket of a pair",
        "test": "'z', 'welch', 'delta', 'mann-whitney', 'bootstrap' or 'sequential'",
        "n_a": "observations in the first bucket",
        "n_b": "observations in the second bucket",
        "difference": "value_a - value_b; 0 if it is within rounding",
        "ci_low": "lower end of the interval of the difference, simultaneous over pairs of a measure if p-values are "
        "corrected; of medians it may disagree with the test, which is not one of medians",
        "ci_high": "upper end of that interval",
        "effect_size": "Cohen's h for rates, d for means, rank-biserial correlation for Mann-Whitney",
        "p_value": "1 if the buckets do not differ at all; NaN if there is nothing to test",
        "p_adjusted": "p-value corrected for the number of pairs, within each measure",
        "lift": "value_a / value_b - 1, the relative difference",
        "lift_low": "lower end of the interval of the lift",
        "lift_high": "upper end of the interval of the lift",
        "covariate": "the measure of the pre-period that values are adjusted for",
        "covered": "fraction of both buckets' users that have it",
        "variance_reduction": "fraction of the difference's variance that the adjustment removed",
    },
)


table(
    "bucket_sample_sizes",
    "measure aggregate n:int value:float sd:float detectable:float detectable_lift:float "
    "[difference:float units:float]",
    "table of sample sizes of buckets",
    recognized_by="measure aggregate n value sd detectable detectable_lift",
    row="behavior measure",
    means={
        "n": "number of units in the log, of all buckets",
        "value": "their mean or ratio",
        "sd": "standard deviation of the units' values within buckets; of a ratio by the delta method",
        "detectable": "smallest difference that n units detect, with this power",
        "detectable_lift": "detectable / value",
        "difference": "the difference to detect",
        "units": "number of units, of both buckets, that detect it; infinite if the difference is 0",
    },
    no_report="it is a table to read: one sample size per measure",
    no_plot="it is a table to read: one sample size per measure",
)


table(
    "order_checks",
    "measure aggregate hypothesis observed pairs:int as_expected:int significant:int against:int conclusion",
    "table of checks of an order of buckets",
    row="behavior measure",
    means={
        "hypothesis": "the expected order of the buckets' values",
        "observed": "their order in the log",
        "pairs": "number of pairs of buckets",
        "as_expected": "pairs in the expected direction",
        "significant": "those among them that pass the test",
        "against": "pairs that pass the test in the other direction",
        "conclusion": "'confirmed': every pair as expected and significant; 'in order': all pairs as expected, not all "
        "significant; 'contradicted': some pair significantly against; 'not in order': anything else; 'no data': a "
        "bucket without observations",
    },
    no_plot="it is a table to read: one conclusion per measure",
)


table(
    "aa_tests",
    "measure aggregate test n:int draws:int rejected:int error:fraction ci_low:float ci_high:float includes_alpha:bool",
    "table of errors of A/A tests",
    row="behavior measure",
    means={
        "n": "number of observations: users, sessions or queries",
        "draws": "random assignments that could be tested",
        "rejected": "assignments in which the two buckets differ significantly by chance",
        "error": "their fraction: the type I error rate",
        "ci_low": "lower end of the exact binomial interval of the error",
        "ci_high": "upper end of the exact binomial interval of the error",
        "includes_alpha": "whether that interval contains alpha",
    },
    no_plot="it is a table to read: one error per measure",
)


@verb(on=("clicks", "users"), returns="bucket_comparisons", family="compare_buckets")
def compare_buckets(
    log: Table,
    measures: Sequence[str] | str | None = None,
    *,
    order: Sequence[object] | None = None,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    test: TestName = "auto",
    pre: object = None,
    covariate: str | None = None,
    sequential: int | None = None,
    winsorize: float | None = None,
    lift: Literal["delta", "fieller"] | None = None,
    shares: Mapping[object, float] | None = None,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int | None = 0,
) -> pd.DataFrame:
    """Return a two-sample test of every pair of buckets on every behavior measure.

    The table is a click log, or has one row per user: user, bucket, and columns of numbers. A warning is given about
    users in more than one bucket, and about bucket sizes that mismatch their shares (sample-ratio mismatch).

    Parameters
    ----------
    measures : str or list of str, optional
        Any of abandonment_rate, reformulation_rate, queries_per_session, clicks_per_query, max_reciprocal_rank,
        mean_reciprocal_rank, time_to_first_click, time_to_last_click, first_result_clicks, click_through_rate (CTR),
        conversion_rate, revenue_per_user, sessions_per_user, events_per_user, retention_rate, and your own; of other
        events than a purchase, `conversion_rate(order)`; of other days than 7, `retention_rate(14)`. By default the
        first nine, your own, and conversion and revenue if the log has them. In a table of users, its columns, and
        ratios of two: "clicks / impressions"; by default all columns of numbers, of which more is better.
    order : list, optional
        The buckets to compare, in the order in which they become a and b; by default all, sorted.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        Mean or median of the values of the units, or the ratio of sums over all units: clicks of all users over
        impressions of all users, or their abandoned queries over all their queries. By default the median for the two
        times and the ratio for the others, which is the mean if every unit has one observation.
    test : {'auto', 'welch', 'delta', 'mann-whitney', 'bootstrap'}
        'auto': pooled z for rates of single queries or users, Welch's t for other means, the delta method for ratios
        (Deng, Knoblich and Lu 2018), Mann-Whitney for medians. 'bootstrap': units drawn with replacement.
    pre : DataFrame or bound accessor, optional
        The click log of a pre-period, which ends before the log begins, or a table of users. The behavior of each user
        there reduces the variance of means and ratios (CUPED: Deng, Xu, Kohavi and Walker 2013), and differences are
        those of the analysis of covariance. Users without a pre-period are not adjusted; `covered` is the fraction that
        has one. If a column of a table of users is about the pre-period, pass the same table, and this column as
        `covariate`.
    covariate : str, optional
        The behavior measure of the pre-period that adjusts; by default the same measure.
    sequential : int, optional
        Sequential test: intervals and p-values are valid at all times simultaneously, once buckets have some hundred
        users (asymptotic confidence sequences: Waudby-Smith et al. 2021). The value is the number of users, of both
        buckets, at which the intervals are tightest.
    lift : {'delta', 'fieller'}, optional
        Add the relative difference value_a / value_b - 1, with its interval by the delta method or by Fieller's
        theorem. Fieller's excludes 0 if and only if the interval of the difference does; it is infinite if value_b does
        not differ significantly from 0. Lifts of medians, and of test='bootstrap', have the percentiles of bootstrap
        samples.
    shares : mapping of bucket to number, optional
        Intended fraction of the users in each bucket, such as {"control": 0.9, "new": 0.1}; by default equal fractions.
    alpha : float
        Level of the tests; the intervals have confidence 1 - alpha, simultaneously over the pairs of a measure if
        p-values are corrected.
    draws : int
        Number of bootstrap samples of every median, for the intervals, and of test='bootstrap'; 0 omits these.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["rerank-s1", "tfidf"])].ireval.simulate_clicks(qrels, sessions=10)
    >>> result = log.ireval.compare_buckets(["abandonment_rate", "clicks_per_query"])
    >>> result[["bucket_a", "bucket_b", "measure", "test", "value_a", "value_b", "significant"]].round(2)
        bucket_a bucket_b           measure   test  value_a  value_b  significant
    0  rerank-s1    tfidf  abandonment_rate      z      0.0     0.06         True
    1  rerank-s1    tfidf  clicks_per_query  welch      6.3     3.14         True
    """
    correction = which_correction(correction)  # type: ignore[assignment]
    experiment = Experiment.of(log, measures, aggregate, unit, winsorize)
    buckets = experiment.buckets
    places = _places(experiment.log, buckets, order)
    first, second = all_pairs(len(places))
    level = single_step_level(str(correction), alpha, len(first))
    comparisons = _comparisons(experiment, test, level, sequential, adjusted=pre is not None)
    for problem in (*users_in_several(log), *mismatch(with_sessions(log), shares)):
        text = f"click log: {problem.rows:,} {problem.problem} ({problem.example}): {problem.handling}."
        warnings.warn(text, UserWarning, stacklevel=outside())
    before = past_of(pre, covariate, log, experiment)
    rows, lifts, adjustments = [], [], []
    for name, comparison in comparisons:
        observed, stream = experiment.observed[name], (seed, name, draws)
        arms = plain = arms_of(observed, comparison, places, len(buckets), stream)
        if name in before:
            arms = arms_of(observed, comparison, places, len(buckets), stream, before[name])
        for a, b in zip(places[first], places[second], strict=True):  # a handful of buckets
            x, y = arms[a], arms[b]
            result = compared(x, y, comparison)
            rows.append(
                (
                    buckets[a],
                    buckets[b],
                    name,
                    comparison.aggregate,
                    result.test,
                    len(x.values),
                    len(y.values),
                    x.value,
                    y.value,
                    float(gap(x.value, y.value, size_of(x.values, y.values))),
                    *result[1:],
                )
            )
            if lift is not None:
                lifts.append(lift_of(x, y, result, 1 - level, fieller=lift == "fieller"))
            if name in before:
                past = before[name][observed.who[np.isin(observed.bucket, (a, b))]]
                covered = float((~np.isnan(past)).mean()) if len(past) else np.nan
                adjustments.append((covered, _variance_reduction((plain[a], plain[b]), (x, y))))
    bucket = str(buckets.name)
    frame = pd.DataFrame(
        rows,
        columns=[
            f"{bucket}_a",
            f"{bucket}_b",
            "measure",
            "aggregate",
            "test",
            "n_a",
            "n_b",
            "value_a",
            "value_b",
            "difference",
            "ci_low",
            "ci_high",
            "effect_size",
            "statistic",
            "p_value",
        ],
    )
    p_adjusted = adjust(
        frame["p_value"].to_numpy(),
        np.repeat(np.arange(len(comparisons)), len(first)),  # the pairs of a measure
        correction=str(correction),
    )
    frame = frame.assign(p_adjusted=p_adjusted, significant=p_adjusted < alpha)
    _agree(frame, "difference", "ci_low", "ci_high")
    if lift is not None:
        frame[["lift", "lift_low", "lift_high"]] = np.array(lifts)
        _agree(frame, "lift", "lift_low", "lift_high")
    if pre is not None:
        covered_fraction, reductions = np.array(adjustments).T
        names = np.repeat([covariate or name for name, _ in comparisons], len(first))
        frame = frame.assign(
            covariate=names, covered=covered_fraction, variance_reduction=reductions
        )
    return described_frame(
        frame,
        {
            **{f"bucket_{side}_column": f"{bucket}_{side}" for side in "ab"},
            **experiment.attrs,
            "correction": correction,
            "simultaneous": correction != "none" and len(first) > 1,
            "alpha": alpha,
            "confidence": 1 - alpha,
            "draws": draws,
            "seed": seed,
            **({} if sequential is None else {"sequential": sequential}),
            **({} if lift is None else {"lift": lift}),
        },
    )


def _agree(frame: pd.DataFrame, value: str, low: str, high: str) -> None:
    """Make the intervals of a column agree with the verdicts: see `agreeing`.

    Those of medians stay, because the test of Mann and Whitney is not one of medians.
    """
    columns = {"ci_low": low, "ci_high": high, "significant": "significant"}
    arrays = {name: frame[column].to_numpy() for name, column in columns.items()}
    ends, other = (
        agreeing(arrays, np.sign(frame[value].to_numpy())),
        frame["test"] == "mann-whitney",
    )
    frame[low], frame[high] = (
        frame[one].where(other, ends[end]) for one, end in ((low, "ci_low"), (high, "ci_high"))
    )


def lift_of(a: Arm, b: Arm, result: Tested, confidence: float, *, fieller: bool) -> Estimate:
    """Return the relative difference of two arms with its interval.

    Examples
    --------
    >>> one = np.ones(4)
    >>> a, b = (Arm(x, x, one, float(x.mean())) for x in (np.array([3.0, 4, 5, 6]), np.array([1.0, 2, 3, 2])))
    >>> result = compared(a, b, Comparison("auto", "mean", "mean", 0.95))
    >>> [round(value, 2) for value in lift_of(a, b, result, 0.95, fieller=True)]
    [1.25, 0.21, 3.98]
    """
    lift = float(a.value / b.value - 1) if b.value else np.nan
    if len(a.drawn) and len(b.drawn):
        return drawn_interval(
            lift, a.drawn / b.drawn - 1, min(len(a.values), len(b.values)), confidence
        )
    if min(len(a.values), len(b.values)) < 2 or result.test == "mann-whitney":
        return Estimate(lift)
    var_a, var_b = (float(np.var(arm.values, ddof=1)) / len(arm.values) for arm in (a, b))
    # the test's multiple of the standard error; Newcombe's interval of two rates is asymmetric
    error = float(np.sqrt(var_a + var_b))
    times = (
        (result.high - result.low) / 2 / error
        if result.test != "z" and error > 0
        else quantile(confidence)
    )
    return relative_interval(a.value, b.value, var_a, var_b, times, fieller=fieller)


def _comparisons(
    experiment: Experiment, test: TestName, alpha: float, sequential: int | None, *, adjusted: bool
) -> list[tuple[str, Comparison]]:
    """Return the name of each measure and how it is compared, or raise if the test does not suit it."""
    if sequential is not None:
        integer("sequential", sequential, 2)
        if test != "auto":
            raise ValueError(
                f"sequential= is itself a test and cannot be combined with test={test!r}. Omit test=."
            )
    comparisons = []
    for measure in experiment.measures:
        aggregate, kind = experiment.aggregate[measure.name], experiment.kind(measure)
        for option in ("sequential" if sequential is not None else test, "pre" if adjusted else ""):
            unsuited, text, needed = UNSUITED.get(option, ((), "", ""))
            if aggregate in unsuited:
                raise ValueError(
                    f"{text}; {measure.name} has aggregate={aggregate!r}. Use aggregate={needed!r}."
                )
        # an adjusted rate is neither 0 nor 1
        kind = "mean" if adjusted and kind == "rate" else kind
        comparisons.append((measure.name, Comparison(test, aggregate, kind, 1 - alpha, sequential)))
    return comparisons


def past_of(
    pre: object, covariate: str | None, log: Table, experiment: Experiment
) -> dict[str, np.ndarray]:
    """Return the values of users in the pre-period for every measure; empty without a pre-period."""
    if pre is None:
        if covariate is not None:
            raise ValueError(
                "covariate= is a measure of a pre-period. Pass the log of the pre-period as pre=."
            )
        return {}
    if experiment.unit != "user":
        raise ValueError(f"pre= requires unit='user'; found {experiment.unit!r}. Omit unit=.")
    frame = getattr(pre, "_frame", pre)
    columns = getattr(frame, "columns", ())
    how = experiment.aggregate
    predictors = {measure.name: measure for measure in experiment.measures}
    if covariate is not None:
        predictor = measure_of_name(covariate, columns if experiment.log.is_counted else ())
        predictors = dict.fromkeys(predictors, predictor)
        how = dict.fromkeys(predictors, predictor.aggregate)
    # columns bound for the log are bound for the pre-period too, if it has them
    binding = {
        **{
            role: name
            for role, name in columns_of(log).items()
            if name in columns and role != "bucket"
        },
        **(getattr(pre, "_binding", None) or {}),
    }
    if log.kind == "users" and isinstance(frame, pd.DataFrame):
        frame = frame.assign(bucket="all")
    return covariates(
        without_buckets(read(frame, log.kind, binding)), experiment.log, predictors, how
    )


def _variance_reduction(plain: tuple[Arm, Arm], adjusted: tuple[Arm, Arm]) -> float:
    """Return the fraction by which adjusting reduced the variance of a difference."""
    if min(len(arm.values) for arm in plain) < 2:
        return np.nan
    before, after = (
        sum(float(np.var(arm.values, ddof=1)) / len(arm.values) for arm in both)
        for both in (plain, adjusted)
    )
    return 1 - after / before if before > 0 else 0.0


def _places(log: Log, buckets: pd.Index, order: Sequence[object] | None) -> np.ndarray:
    """Return the places of the buckets to compare."""
    if "bucket" not in log.names or len(buckets) < 2:
        raise ValueError(
            "comparing buckets needs a bucket column with at least two buckets. Bind it: log.ireval(bucket=...)."
        )
    if order is None:
        return np.arange(len(buckets))
    order = several("order", order)
    places = np.array([list(buckets).index(one) if one in list(buckets) else -1 for one in order])
    if (places < 0).any() or len(set(places)) != len(order) or len(order) < 2:
        raise ValueError(
            f"order= must have at least two buckets of the log, each once: {', '.join(map(str, buckets))}; "
            f"found {', '.join(map(str, order))}."
        )
    return places


@verb(on=("clicks", "users"), returns="order_checks")
def check_order(
    log: Table,
    order: Sequence[object],
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    test: TestName = "auto",
    correction: Correction | None = "holm",
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Return, per behavior measure, whether the buckets follow a hypothesized order from best to worst.

    Parameters
    ----------
    order : list
        Buckets from best to worst, such as ["ORIG", "FLAT", "RAND"].
    measures : str or list of str, optional
        As in `compare_buckets`.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        Mean or median of the values of the units, or the ratio of sums over all units: clicks of all users over
        impressions of all users, or their abandoned queries over all their queries. By default the median for the two
        times and the ratio for the others, which is the mean if every unit has one observation.
    test : {'auto', 'welch', 'delta', 'mann-whitney', 'bootstrap'}
        'auto': pooled z for rates of single queries or users, Welch's t for other means, the delta method for ratios,
        Mann-Whitney for medians.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["rerank-s1", "tfidf"])].ireval.simulate_clicks(qrels, sessions=10)
    >>> result = log.ireval.check_order(["rerank-s1", "tfidf"], ["abandonment_rate", "clicks_per_query"])
    >>> result[["measure", "hypothesis", "significant", "conclusion"]]
                measure         hypothesis  significant conclusion
    0  abandonment_rate  rerank-s1 < tfidf            1  confirmed
    1  clicks_per_query  rerank-s1 > tfidf            1  confirmed
    """
    pairs = compare_buckets(
        log,
        measures,
        order=order,
        aggregate=aggregate,
        unit=unit,
        test=test,
        correction=correction,
        alpha=alpha,
        draws=10_000 if test == "bootstrap" else 0,
    )
    rows = []
    for name, part in pairs.groupby("measure", sort=False, observed=True):
        sign, mark = (1, ">") if pairs.attrs["measures"][name]["higher"] else (-1, "<")
        toward = direction(part) * sign
        significant = part["significant"].to_numpy()
        # the first bucket is on the left of the first pairs, which have all others on the right
        values = [*part["value_a"].iloc[:1], *part["value_b"].iloc[: len(order) - 1]]
        rows.append(
            {
                "measure": name,
                "aggregate": part["aggregate"].iloc[0],
                "hypothesis": f" {mark} ".join(map(str, order)),
                "observed": _observed_order(values, order, mark),
                "pairs": len(part),
                "as_expected": int((toward > 0).sum()),
                "significant": int(((toward > 0) & significant).sum()),
                "against": int(((toward < 0) & significant).sum()),
                "conclusion": _word(toward, significant),
            }
        )
    return described_frame(
        rows, {name: pairs.attrs[name] for name in ("measures", "unit", "correction", "alpha")}
    )


def _word(toward: np.ndarray, significant: np.ndarray) -> str:
    """Return the conclusion on an order of buckets: the first word whose condition holds."""
    conditions = {
        "no data": np.isnan(toward).any(),
        "contradicted": ((toward < 0) & significant).any(),
        "not in order": not (toward > 0).all(),
        "confirmed": significant.all(),
    }
    return next((word for word, holds in conditions.items() if holds), "in order")


def _observed_order(values: list[float], order: Sequence[object], mark: str) -> str:
    """Return the buckets in the order of their values, e.g. 'ORIG < RAND = FLAT'; those without a value last."""
    value = settled(np.array(values, dtype=np.float64))
    rising = np.argsort(value if mark == "<" else -value, kind="stable")
    text = str(order[rising[0]])
    for before, after in pairwise(rising):
        sign = "=" if value[after] == value[before] else mark
        text += f" {'?' if np.isnan(value[after]) else sign} {order[after]}"
    return text


@verb(on=("clicks", "users"), returns="aa_tests", family="compare_buckets", name="aa_test")
def aa_test(
    log: Table,
    measures: Sequence[str] | str | None = None,
    *,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    test: TestName = "auto",
    pre: object = None,
    covariate: str | None = None,
    sequential: int | None = None,
    share: float = 0.5,
    alpha: float = 0.05,
    confidence: float = 0.95,
    draws: int = 1000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the type I error rate of the tests of two buckets, one row per measure.

    The users of the log (or sessions, in a log without users) are assigned to two buckets at random, `draws` times, and
    compared as in `compare_buckets`; buckets of the log are ignored. If the error rate is above alpha, the test is not
    valid on such a log, e.g. if queries or sessions are treated as independent users, or with few users and rare, large
    values.

    Parameters
    ----------
    measures : str or list of str, optional
        As in `compare_buckets`.
    aggregate : {'mean', 'median', 'ratio'} or mapping of measure to one of them, optional
        As in `compare_buckets`.
    unit : {'user', 'session', 'query'}, optional
        Unit of observation of the tests; by default the user or, in a log without users, the session.
    test : {'auto', 'welch', 'delta', 'mann-whitney', 'bootstrap'}
        As in `compare_buckets`; the bootstrap draws 999 samples of every assignment.
    pre : DataFrame or bound accessor, optional
        The click log of a pre-period, as in `compare_buckets`.
    covariate : str, optional
        The behavior measure of the pre-period that adjusts; by default the same measure.
    sequential : int, optional
        As in `compare_buckets`. With a single look, the error rate of such a test is far below alpha.
    share : float
        Fraction of the users in the first bucket.
    confidence : float
        ... It is the exact binomial interval of the error.
    draws : int
        Number of random assignments.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> log = runs[runs["run"].isin(["bm25", "tfidf"])].ireval.simulate_clicks(qrels, sessions=4, users=40)
    >>> result = log.ireval.compare_buckets.aa_test(["CTR", "clicks_per_query"], draws=200)
    >>> print(result.drop(columns=["aggregate", "n"]).round(3).to_string(index=False))
             measure  test  draws  rejected  error  ci_low  ci_high  includes_alpha
                 CTR delta    200         8   0.04   0.017    0.077            True
    clicks_per_query delta    200         8   0.04   0.017    0.077            True
    """
    draws, share = integer("draws", draws, 1), arguments.share("fraction", share)
    log = without_buckets(log)
    experiment = Experiment.of(log, measures, aggregate, unit)
    assigned: Unit = "user" if "user" in experiment.log.names else "session"
    comparisons = _comparisons(experiment, test, alpha, sequential, adjusted=pre is not None)
    n = len(units_of(experiment.log, assigned))
    first = round(share * n)
    if min(first, n - first) < 2:
        raise TooFew(f"an A/A test needs at least two {assigned}s in each bucket; the log has {n}.")
    owner = _owners(experiment.log, experiment.unit, assigned)
    before = past_of(pre, covariate, log, experiment)
    rng = np.random.default_rng(seed)
    resamples, both = RESAMPLES if test == "bootstrap" else 0, np.arange(2)
    p_values = np.full((draws, len(comparisons)), np.nan)
    names = {}
    for draw in track(range(draws), total=draws, desc="A/A", progress=progress):
        # buckets of the same sizes in every assignment
        bucket = (rng.permutation(n) >= first).astype(np.int64)
        stream = int(rng.integers(2**32))
        for place, (name, comparison) in enumerate(comparisons):
            observed = experiment.observed[name]
            observed = observed._replace(bucket=bucket[owner[observed.who]])
            arms = arms_of(
                observed, comparison, both, 2, (stream, name, resamples), before.get(name)
            )
            result = compared(arms[0], arms[1], comparison)
            names[name], p_values[draw, place] = result.test, result.p_value
    rows = []
    for (name, comparison), p_value in zip(comparisons, p_values.T, strict=True):
        count, rejected = int((~np.isnan(p_value)).sum()), int((p_value < alpha).sum())
        low, high, error = np.nan, np.nan, np.nan
        if count:
            low, high = stats.binomtest(rejected, count).proportion_ci(confidence, method="exact")
            error = rejected / count
        rows.append(
            {
                "measure": name,
                "aggregate": comparison.aggregate,
                "test": names[name],
                "n": len(experiment.observed[name].who),
                "draws": count,
                "rejected": rejected,
                "error": error,
                "ci_low": float(low),
                "ci_high": float(high),
                "includes_alpha": bool(low <= alpha <= high),
            }
        )
    options = {"fraction": share, "alpha": alpha, "confidence": confidence, "seed": seed}
    return described_frame(rows, {**experiment.attrs, **options})


def _owners(log: Log, unit: Unit, assigned: Unit) -> np.ndarray:
    """Return the assigned user or session of each unit."""
    assigned_ids = units_of(log, assigned)
    if unit == assigned:
        return np.arange(len(assigned_ids))
    owner_of_query = assigned_ids.get_indexer(pd.Index(log.queries[log.names[assigned]]))
    if unit == "query":
        return owner_of_query
    units = units_of(log, unit)
    owner = np.zeros(len(units), dtype=np.int64)
    owner[units.get_indexer(pd.Index(log.queries[log.names[unit]]))] = owner_of_query
    return owner


@verb(
    on=("clicks", "users"),
    returns="bucket_sample_sizes",
    family="compare_buckets",
    name="sample_size",
)
def bucket_sample_size(
    log: Table,
    measures: Sequence[str] | str | None = None,
    *,
    difference: float | None = None,
    lift: float | None = None,
    aggregate: Aggregate | Mapping[str, Aggregate] | None = None,
    unit: Unit | None = None,
    winsorize: float | None = None,
    share: float = 0.5,
    alpha: float = 0.05,
    power: float = 0.8,
) -> pd.DataFrame:
    """Return the number of users that a test of two buckets needs, and the difference that the log can detect.

    Both are for means and ratios, by the normal approximation.

    Parameters
    ----------
    measures : str or list of str, optional
        As in `compare_buckets`, without medians.
    difference : float, optional
        Difference between the buckets to detect.
    lift : float, optional
        Relative difference to detect, such as 0.02, in place of `difference`.
    aggregate : {'mean', 'ratio'} or mapping of measure to one of them, optional
        As in `compare_buckets`.
    share : float
        Fraction of the users in the first bucket.
    power : float
        Probability of a significant result if the buckets differ by this much.

    Examples
    --------
    >>> users = pd.DataFrame({"user": range(6), "bucket": list("aabbab"), "clicks": [3, 5, 4, 8, 4, 6]})
    >>> found = users.ireval.compare_buckets.sample_size("clicks", lift=0.1)
    >>> found.drop(columns=["aggregate", "detectable"]).round(3)
      measure  n  value     sd  detectable_lift  difference  units
    0  clicks  6    5.0  1.581            0.723         0.5  314.0
    """
    if difference is not None and lift is not None:
        raise ValueError("difference= and lift= exclude each other. Pass one of them.")
    for name, value in (("difference", difference), ("lift", lift)):
        if value is not None:
            arguments.positive(name, value)
    share, power = arguments.share("share", share), arguments.share("power", power)
    experiment = Experiment.of(log, measures, aggregate, unit, winsorize)
    medians = [name for name, how in experiment.aggregate.items() if how == "median"]
    if medians and measures is not None:
        raise ValueError(
            f"sample sizes are of means and ratios; {medians[0]} has aggregate='median'. Use aggregate='mean'."
        )
    # the variance of a difference of two buckets is sd ** 2 * split / units
    split = 1 / share + 1 / (1 - share)
    times = special.ndtri(1 - alpha / 2) + special.ndtri(power)
    rows = []
    for name, how in experiment.aggregate.items():
        if how == "median":
            continue
        observed = experiment.observed[name]
        values, n = observed.values(how), len(observed.who)
        _, bucket = np.unique(observed.bucket, return_inverse=True)
        size = np.bincount(bucket)
        within = values - (np.bincount(bucket, values) / size)[bucket]
        sd = float(np.sqrt(within @ within / (n - len(size)))) if n > len(size) else np.nan
        value = (
            ratio_of(observed.total, observed.over) if how == "ratio" else float(np.mean(values))
        )
        detectable = times * sd * np.sqrt(split / n)
        row = {
            "measure": name,
            "aggregate": how,
            "n": n,
            "value": value,
            "sd": sd,
            "detectable": detectable,
            "detectable_lift": detectable / abs(value) if value else np.nan,
        }
        if difference is not None or lift is not None:
            goal = difference if lift is None else lift * abs(value)
            units = np.ceil((times * sd / goal) ** 2 * split) if goal else np.inf
            row |= {"difference": goal, "units": float(units)}
        rows.append(row)
    return described_frame(
        rows, {**experiment.attrs, "share": share, "alpha": alpha, "power": power}
    )


class Arm(NamedTuple):
    """The units of one bucket.

    Parameters
    ----------
    values : ndarray
        A value per unit, whose mean (or median) is the bucket's; a ratio linearized, a mean maybe adjusted.
    total, over : ndarray
        Each unit's numerator and denominator.
    value : float
        The bucket's mean, median or ratio.
    drawn : ndarray
        Bootstrap estimates of it, if they are needed.
    """

    values: np.ndarray
    total: np.ndarray
    over: np.ndarray
    value: float
    drawn: np.ndarray = np.zeros(0)


class Comparison(NamedTuple):
    """How arms are compared.

    Parameters
    ----------
    test : str
        Name of the test.
    aggregate, kind : str
        How the measure is aggregated, and estimated.
    confidence : float
        Confidence level of the intervals.
    planned : int or None
        Number of units at which a sequential test is most powerful; None for other tests.
    """

    test: TestName
    aggregate: Aggregate
    kind: Kind
    confidence: float
    planned: int | None = None


def arms_of(
    observed: Observed,
    comparison: Comparison,
    places: np.ndarray,
    n: int,
    stream: tuple[int | None, str, int],
    before: np.ndarray | None = None,
) -> list[Arm]:
    """Return the arms of a measure.

    Parameters
    ----------
    places : ndarray of int
        The buckets that are compared: one slope adjusts them all.
    n : int
        Number of buckets.
    stream : tuple
        Seed, measure and number of bootstrap samples.
    before : ndarray, optional
        Value of each user in the pre-period, which adjusts; NaN for users without one.
    """
    seed, name, draws = stream
    middle = np.median if comparison.kind == "median" else np.mean
    all_values = observed.values(comparison.aggregate)
    moved = np.zeros(len(all_values))
    if before is not None:
        kept = np.isin(observed.bucket, places)
        moved[kept] = adjustment(
            all_values[kept], observed.bucket[kept], before[observed.who][kept]
        )
    arms = []
    for number in range(n):
        rows = observed.bucket == number
        total, over, off = observed.total[rows], observed.over[rows], moved[rows]
        values = all_values[rows] - off
        if not len(values):
            arms.append(Arm(values, total, over, np.nan))
            continue
        is_ratio = comparison.aggregate == "ratio"
        value = ratio_of(total, over) - float(off.mean()) if is_ratio else float(middle(values))
        drawn = np.zeros(0)
        resampled = comparison.test == "bootstrap" or comparison.kind == "median"
        if draws and resampled and comparison.planned is None:
            rng = rng_of(seed, name, number)
            of_ratio = is_ratio and not off.any()
            drawn = (
                bootstrap_medians(values, draws, rng)
                if comparison.kind == "median"
                else bootstrap_ratios(
                    total if of_ratio else values,
                    over if of_ratio else np.ones(len(values)),
                    draws,
                    rng,
                )
            )
        arms.append(Arm(values, total, over, value, drawn))
    return arms


def compared(a: Arm, b: Arm, comparison: Comparison) -> Tested:
    """Return the test between two arms, under its own name.

    Examples
    --------
    >>> one = np.ones(4)
    >>> a, b = (Arm(x, x, one, float(x.mean())) for x in (np.array([3.0, 4, 5, 6]), np.array([1.0, 2, 3, 2])))
    >>> result = compared(a, b, Comparison("auto", "mean", "mean", 0.95))
    >>> result.test, round(result.p_value, 4)
    ('welch', 0.0217)
    """
    test, kind, confidence = comparison.test, comparison.kind, comparison.confidence
    if comparison.planned is not None:
        return always_valid(a.values, b.values, confidence=confidence, planned=comparison.planned)
    if test == "bootstrap":
        return bootstrapped(
            a.values,
            b.values,
            confidence=confidence,
            drawn=(a.drawn, b.drawn),
            difference=float(gap(a.value, b.value, size_of(a.values, b.values))),
        )
    if test == "mann-whitney" or (test == "auto" and kind == "median"):
        x, y = (
            arm.total / arm.over if comparison.aggregate == "ratio" else arm.values
            for arm in (a, b)
        )
        return mann_whitney(x, y, confidence=confidence, drawn=(a.drawn, b.drawn))
    if test == "auto" and kind == "rate":
        return two_rates(a.values, b.values, confidence=confidence)
    result = welch(a.values, b.values, confidence=confidence)
    return result._replace(test="delta") if comparison.aggregate == "ratio" else result


def adjustment(values: np.ndarray, bucket: np.ndarray, covariate: np.ndarray) -> np.ndarray:
    """Return what is subtracted from each value: theta (x - mean x); NaN in the covariate is a unit without one.

    Examples
    --------
    >>> adjustment(np.array([1.0, 3, 2, 4, 9]), np.array([0, 0, 1, 1, 2]), np.array([0.0, 4, 0, 4, np.nan])).tolist()
    [-1.0, 1.0, -1.0, 1.0, 0.0]
    """
    known = ~np.isnan(covariate)
    if not known.any():
        return np.zeros(len(values))
    x = np.where(known, covariate - covariate[known].mean(), 0.0)
    # the slope within buckets: both sides minus the means of their bucket
    n = np.maximum(np.bincount(bucket), 1)
    within, response = (side - (np.bincount(bucket, side) / n)[bucket] for side in (x, values))
    spread = float(within @ within)
    theta = float(within @ response) / spread if spread > 1e-24 * max(float(x @ x), 1e-300) else 0.0
    return theta * x


def covariates(
    pre: Table, log: Log, measures: dict[str, BehaviorMeasure], how: dict[str, Aggregate]
) -> dict[str, np.ndarray]:
    """Return, for every measure, the value of each user in the pre-period; NaN for users without one.

    Parameters
    ----------
    pre : Table
        The click log of the pre-period.
    measures : mapping of str to BehaviorMeasure
        The measure of the pre-period that adjusts each measure.
    """
    past = read_log(pre)
    if "user" not in log.names or "user" not in past.names:
        raise ValueError("pre= needs a user column in both logs. Bind it: log.ireval(user=...).")
    end, start = span(past.times)[1], span(log.times)[0]  # NaN of tables of users
    try:
        overlaps = bool(end >= start)
    except TypeError:
        raise ValueError(
            f"the times of pre= and of the log have different types, e.g. {end!r} and {start!r}. Convert one of them."
        ) from None
    if overlaps:
        raise ValueError(
            f"pre= overlaps the log: it ends at {end}, and the log begins at {start}. Events after users were assigned "
            f"cannot adjust: keep the rows before {start}."
        )
    users, past_users = units_of(log, "user"), units_of(past, "user")
    # -1, the last place of the values below, for users without a pre-period
    at = past_users.get_indexer(users)
    if not (at >= 0).any():
        raise TooFew(
            f"pre= and the log have no users in common: pre= has e.g. {past_users.tolist()[0]!r}, the log "
            f"{users.tolist()[0]!r}. Use the same user ids in both."
        )
    fitting(past, measures.values(), "user", required=True)
    observed = observe(
        past,
        measures.values(),
        "user",
        np.zeros(len(past.queries), dtype=np.int64),
        pd.Index(["all"]),
    )
    values = {}
    for name, measure in measures.items():
        one = observed[measure.name]
        value = np.full(len(past_users) + 1, np.nan)  # the last is for users without a pre-period
        value[one.who] = one.values(how[name])
        values[name] = value[at]
    return values


def without_buckets(log: Table) -> Table:
    """Return a log without its bucket column."""
    return replace(log, roles={role: name for role, name in log.roles.items() if role != "bucket"})
