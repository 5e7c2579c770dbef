"""The arms of a comparison: the units of a bucket with their values, adjusted for what they did before, and the tests.

CUPED (Deng, Xu, Kohavi and Walker 2013): what users did before an experiment takes variance out of what they did in
it. A user's value y is adjusted to y - theta (x - mean x), x being what the same user did in the pre-period, which no
bucket can have changed. theta is the slope of y on x within buckets, so that adjusted differences are those of the
analysis of covariance. Users without a pre-period stay, unadjusted: x is the mean there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.online.behaviour import Observed, fitting, observe, rng_of, units_of
from pdeval.online.behaviour_measures import BehaviourMeasure
from pdeval.online.log import Log, read_log
from pdeval.online.two_sample_tests import (
    Aggregate,
    Kind,
    Tested,
    always_valid,
    bootstrap_medians,
    bootstrap_ratios,
    bootstrapped,
    linearised,
    mann_whitney,
    ratio_of,
    two_rates,
    welch,
)
from pdeval.tables import reader
from pdeval.tables.equal_values import gap, size_of
from pdeval.tables.reader import Table
from pdeval.verbs.arguments import TooFew

TestName = Literal["auto", "welch", "delta", "mann-whitney", "bootstrap"]
TESTS = ("auto", "welch", "delta", "mann-whitney", "bootstrap")


class Arm(NamedTuple):
    """The units of one bucket.

    Parameters
    ----------
    values : ndarray
        A value per unit, whose mean (or median) is the bucket's; a ratio linearised, a mean maybe adjusted.
    total, over : ndarray
        Each unit's numerator and denominator.
    value : float
        The bucket's mean, median or ratio.
    drawn : ndarray
        Bootstrap estimates of it, where they are needed.
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
        One of `TESTS`.
    aggregate, kind : str
        How the measure is summed up, and estimated.
    confidence : float
        Of the intervals.
    planned : int or None
        Of a sequential test, the number of units at which it is the most powerful.
    """

    test: TestName
    aggregate: Aggregate
    kind: Kind
    confidence: float
    planned: int | None = None

    @property
    def draws_needed(self) -> bool:
        """Whether the test, or its interval, rests on bootstrap samples."""
        return self.planned is None and (self.test == "bootstrap" or self.kind == "median")


def arms_of(
    observed: Observed,
    comparison: Comparison,
    n: int,
    stream: tuple[int | None, str, int],
    moved: np.ndarray | None = None,
) -> list[Arm]:
    """Return the arms of a measure.

    Parameters
    ----------
    n : int
        Number of buckets.
    stream : tuple
        Seed, measure and number of the bootstrap samples.
    moved : ndarray, optional
        What is taken off each unit's value.
    """
    seed, name, draws = stream
    middle = np.median if comparison.kind == "median" else np.mean
    all_values = observed.values(comparison.aggregate)
    moved = np.zeros(len(all_values)) if moved is None else moved
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
        if comparison.draws_needed and draws:
            rng = rng_of(seed, name, number)
            if comparison.kind == "median":
                drawn = bootstrap_medians(values, draws, rng)
            elif is_ratio and not off.any():
                drawn = bootstrap_ratios(total, over, draws, rng)
            else:
                drawn = bootstrap_ratios(values, np.ones(len(values)), draws, rng)
        arms.append(Arm(values, total, over, value, drawn))
    return arms


def adjusted_arms(
    observed: Observed,
    comparison: Comparison,
    places: np.ndarray,
    n: int,
    stream: tuple[int | None, str, int],
    before: np.ndarray,
) -> tuple[list[Arm], np.ndarray]:
    """Return the arms of a measure, adjusted for what units did before; and which units have a past.

    Parameters
    ----------
    places : ndarray of int
        The buckets that are compared: they share one slope.
    before : ndarray
        The past of each unit by its number, NaN where it has none.
    """
    kept = np.isin(observed.bucket, places)
    off, known = np.zeros(len(kept)), np.zeros(len(kept), dtype=bool)
    values = observed.values(comparison.aggregate)[kept]
    change = adjustment(values, observed.bucket[kept], before[observed.who][kept])
    known[kept], off[kept] = change.known, change.off
    return arms_of(observed, comparison, n, stream, off), known


def compared(a: Arm, b: Arm, comparison: Comparison) -> Tested:
    """Return the test between two arms, under its own name.

    Examples
    --------
    >>> one = np.ones(4)
    >>> a, b = (Arm(x, x, one, x.mean()) for x in (np.array([3.0, 4, 5, 6]), np.array([1.0, 2, 3, 2])))
    >>> found = compared(a, b, Comparison("auto", "mean", "mean", 0.95))
    >>> found.test, round(found.p_value, 4)
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


def fitting_test(
    test: TestName, aggregate: Aggregate, name: str, planned: int | None = None
) -> None:
    """Raise where a test does not suit how a measure is summed up."""
    if planned is not None and aggregate == "median":
        raise ValueError(
            f"sequential= compares means and ratios, {name} is summed up by its median: add aggregate='mean'."
        )
    if test == "welch" and aggregate == "median":
        raise ValueError(
            f"welch compares means, {name} is summed up by its median: add aggregate='mean'."
        )
    if test == "welch" and aggregate == "ratio":
        raise ValueError(
            f"welch compares means, {name} is a ratio of sums: test='delta' compares those, or add aggregate='mean'."
        )
    if test == "delta" and aggregate != "ratio":
        raise ValueError(
            f"delta compares ratios of sums, {name} is summed up by its {aggregate}: add aggregate='ratio'."
        )


class Adjustment(NamedTuple):
    """What a pre-period foretells.

    Parameters
    ----------
    off : ndarray
        What is taken off each unit's value.
    known : ndarray of bool
        Which units have a pre-period.
    theta : float
        The slope.
    """

    off: np.ndarray
    known: np.ndarray
    theta: float


def adjustment(values: np.ndarray, bucket: np.ndarray, covariate: np.ndarray) -> Adjustment:
    """Return what a covariate foretells of values; NaN in it stands for units without one.

    Examples
    --------
    >>> found = adjustment(np.array([1.0, 3, 2, 4, 9]), np.array([0, 0, 1, 1, 2]), np.array([0.0, 4, 0, 4, np.nan]))
    >>> found.off.tolist(), found.theta
    ([-1.0, 1.0, -1.0, 1.0, 0.0], 0.5)
    """
    known = ~np.isnan(covariate)
    if not known.any():
        return Adjustment(np.zeros(len(values)), known, 0.0)
    x = np.where(known, covariate - covariate[known].mean(), 0.0)
    # the slope within buckets: both sides minus the means of their bucket
    n = np.maximum(np.bincount(bucket), 1)
    within, response = (side - (np.bincount(bucket, side) / n)[bucket] for side in (x, values))
    spread = float(within @ within)
    theta = float(within @ response) / spread if spread > 1e-24 * max(float(x @ x), 1e-300) else 0.0
    return Adjustment(theta * x, known, theta)


def covariates(
    pre: Table, log: Log, measures: dict[str, BehaviourMeasure], how: dict[str, Aggregate]
) -> dict[str, np.ndarray]:
    """Return, for every measure, what each user of a log did in the pre-period; NaN for users without one.

    Parameters
    ----------
    pre : Table
        The click log of the pre-period.
    measures : mapping of str to BehaviourMeasure
        The measure of the pre-period that foretells each measure.
    """
    past = read_log(pre)
    if "user" not in log.names or "user" not in past.names:
        raise ValueError("pre= needs a user column in both logs; bind it: log.ireval(user=...).")
    _check_before(past, log)
    users, past_users = units_of(log, "user"), units_of(past, "user")
    # -1, the last place of the values below, for users who are not there
    at = past_users.get_indexer(users)
    if not (at >= 0).any():
        raise TooFew(
            f"pre= has no user of the log: there {past_users.tolist()[0]!r}, here {users.tolist()[0]!r}; give both the "
            "same user ids."
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
        value = np.full(len(past_users) + 1, np.nan)  # the last stands for users who are not there
        is_ratio = how[name] == "ratio" and len(one.who)
        value[one.who] = linearised(one.total, one.over) if is_ratio else one.values("mean")
        values[name] = value[at]
    return values


def read_pre(pre: object, log: Table) -> Table:
    """Return the log of a pre-period; columns bound for the log are bound here too, where it has them."""
    frame = getattr(pre, "_frame", pre)
    columns = getattr(frame, "columns", ())
    known = {role: name for role, name in log.roles.items() if name in columns and role != "bucket"}
    return without_buckets(
        reader.read(frame, "clicks", {**known, **(getattr(pre, "_binding", None) or {})})
    )


def without_buckets(log: Table) -> Table:
    """Return a log whose buckets are not read."""
    return replace(log, roles={role: name for role, name in log.roles.items() if role != "bucket"})


def _check_before(past: Log, log: Log) -> None:
    """Raise unless the pre-period ends before the log begins."""
    ends, begins = past.span[1], log.span[0]
    try:
        overlaps = bool(ends >= begins)
    except TypeError:
        raise ValueError(
            f"the times of pre= and of the log are of two kinds, e.g. {ends!r} and {begins!r}; convert one of them."
        ) from None
    if overlaps:
        raise ValueError(
            f"pre= overlaps the log: it ends at {ends}, and the log begins at {begins}. What happened after users were "
            f"assigned cannot adjust: keep the rows before {begins}."
        )
