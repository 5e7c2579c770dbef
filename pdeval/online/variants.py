"""The arms of a comparison: the units of a bucket with their values, and the tests between two of them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from pdeval.online.behaviour import rng_of
from pdeval.online.cuped import adjustment
from pdeval.online.observations import Observed
from pdeval.online.two_sample_tests import (
    NAN,
    Aggregate,
    Kind,
    Tested,
    bootstrap_medians,
    bootstrap_ratios,
    bootstrapped,
    mann_whitney,
    ratio_of,
    two_rates,
    welch,
)
from pdeval.tables.equal_values import gap, size_of


def always_valid(x: np.ndarray, y: np.ndarray, *, confidence: float, planned: int) -> Tested:
    """Return the sequential test of two means: interval and p-value hold however often they are looked at.

    Parameters
    ----------
    x, y : ndarray
        The units' values so far.
    planned : int
        Number of units, of both samples, at which the interval is the tightest.

    Examples
    --------
    >>> x, y = np.array([1.0, 2, 3, 4] * 25), np.array([2.0, 3, 4, 5] * 25)
    >>> once, always = welch(x, y, confidence=0.95), always_valid(x, y, confidence=0.95, planned=200)
    >>> [round(end, 2) for end in (once.low, once.high, always.low, always.high)]
    [-1.31, -0.69, -1.48, -0.52]
    """
    if len(x) < 2 or len(y) < 2:
        return Tested("sequential", NAN, NAN, NAN, NAN, NAN)
    n, alpha = len(x) + len(y), 1 - confidence
    error = float(np.sqrt(np.var(x, ddof=1) / len(x) + np.var(y, ddof=1) / len(y)))
    difference = float(gap(np.mean(x), np.mean(y), size_of(x, y)))
    plain = welch(x, y, confidence=confidence)
    if np.isnan(plain.statistic) or plain.statistic == 0 == error:  # without spread
        return plain._replace(test="sequential")
    mixed = n * _mixing(planned, alpha) ** 2
    half = error * float(np.sqrt((mixed + 1) / mixed * np.log((mixed + 1) / alpha**2)))
    statistic = difference / error
    evidence = mixed / (2 * (mixed + 1)) * statistic**2 - np.log(mixed + 1) / 2  # logarithm of the mixture's ratio
    p_value = float(np.exp(-max(evidence, 0.0)))
    return Tested("sequential", difference - half, difference + half, plain.effect_size, statistic, p_value)


def _mixing(planned: int, alpha: float) -> float:
    """Return the rho whose interval is about the tightest at a number of units (the paper's appendix B.2)."""
    return float(np.sqrt((-2 * np.log(alpha) + np.log(-2 * np.log(alpha) + 1)) / planned))


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

    @property
    def own(self) -> np.ndarray:
        """Each unit's own value."""
        found: np.ndarray = self.total / self.over
        return found


class Asked(NamedTuple):
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
    asked: Asked,
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
    middle = np.median if asked.kind == "median" else np.mean
    values = observed.values(asked.aggregate)
    moved = np.zeros(len(values)) if moved is None else moved
    found = []
    for number in range(n):
        rows = observed.bucket == number
        total, over, off = observed.total[rows], observed.over[rows], moved[rows]
        own = values[rows] - off
        value = np.nan
        if len(own):
            value = ratio_of(total, over) - float(off.mean()) if asked.aggregate == "ratio" else float(middle(own))
        drawn = np.zeros(0)
        if asked.draws_needed and draws and len(own):
            rng = rng_of(seed, name, number)
            if asked.kind == "median":
                drawn = bootstrap_medians(own, draws, rng)
            elif asked.aggregate == "ratio" and not off.any():
                drawn = bootstrap_ratios(total, over, draws, rng)
            else:
                drawn = bootstrap_ratios(own, np.ones(len(own)), draws, rng)
        found.append(Arm(own, total, over, value, drawn))
    return found


def adjusted_arms(
    observed: Observed,
    asked: Asked,
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
    kept, off, known = (np.zeros(len(observed.who), dtype=dtype) for dtype in (bool, float, bool))
    kept[:] = np.isin(observed.bucket, places)
    values = observed.values(asked.aggregate)
    change = adjustment(values[kept], observed.bucket[kept], before[observed.who][kept])
    known[kept], off[kept] = change.known, change.off
    return arms_of(observed, asked, n, stream, off), known


def compared(a: Arm, b: Arm, asked: Asked) -> Tested:
    """Return the test between two arms, under its own name.

    Examples
    --------
    >>> one = np.ones(4)
    >>> a, b = (Arm(x, x, one, x.mean()) for x in (np.array([3.0, 4, 5, 6]), np.array([1.0, 2, 3, 2])))
    >>> found = compared(a, b, Asked("auto", "mean", "mean", 0.95))
    >>> found.test, round(found.p_value, 4)
    ('welch', 0.0217)
    """
    test, kind, confidence = asked.test, asked.kind, asked.confidence
    if asked.planned is not None:
        return always_valid(a.values, b.values, confidence=confidence, planned=asked.planned)
    if test == "bootstrap":
        difference = float(gap(a.value, b.value, size_of(a.values, b.values)))
        return bootstrapped(a.values, b.values, confidence=confidence, drawn=(a.drawn, b.drawn), difference=difference)
    if test == "mann-whitney" or (test == "auto" and kind == "median"):
        x, y = (a.own, b.own) if asked.aggregate == "ratio" else (a.values, b.values)
        return mann_whitney(x, y, confidence=confidence, drawn=(a.drawn, b.drawn))
    if test == "auto" and kind == "rate":
        return two_rates(a.values, b.values, confidence=confidence)
    found = welch(a.values, b.values, confidence=confidence)
    return found._replace(test="delta") if asked.aggregate == "ratio" else found


def fitting_test(test: TestName, aggregate: Aggregate, name: str, planned: int | None = None) -> None:
    """Raise where a test does not suit how a measure is summed up."""
    if planned is not None and aggregate == "median":
        raise ValueError(
            f"sequential= compares means and ratios, {name} is summed up by its median: add aggregate='mean'."
        )
    if test == "welch" and aggregate == "median":
        raise ValueError(f"welch compares means, {name} is summed up by its median: add aggregate='mean'.")
    if test == "welch" and aggregate == "ratio":
        raise ValueError(
            f"welch compares means, {name} is a ratio of sums: test='delta' compares those, or add aggregate='mean'."
        )
    if test == "delta" and aggregate != "ratio":
        raise ValueError(
            f"delta compares ratios of sums, {name} is summed up by its {aggregate}: add aggregate='ratio'."
        )
