"""One and two samples: means, rates and medians with their intervals, and tests between two independent groups.

Values that differ only by rounding are equal (`tables.equal_values`), means if they differ by at most 1e-12 of the
largest value. Samples without any difference have p = 1, statistic 0 (Mann-Whitney: half of the pairs) and effect 0.
"""

from typing import Literal, NamedTuple

import numpy as np

from pdeval.tables import NOISE, gap, settled, size_of
from pdeval.verbs import special, stats

Aggregate = Literal["mean", "median", "ratio"]
Kind = Literal["rate", "mean", "median"]
NAN = float("nan")


class Estimate(NamedTuple):
    """A value and its confidence interval."""

    value: float
    low: float = NAN
    high: float = NAN


class Tested(NamedTuple):
    """Result of a two-sample test."""

    test: str
    low: float = NAN
    high: float = NAN
    effect_size: float = NAN
    statistic: float = NAN
    p_value: float = NAN


def estimate(
    values: np.ndarray, kind: Kind, *, confidence: float, draws: int, rng: np.random.Generator
) -> Estimate:
    """Return the mean or median with its interval: Wilson's for a rate, Student's for a mean, bootstrap for a median.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> result = estimate(np.array([1.0, 2, 3, 4]), "mean", confidence=0.95, draws=0, rng=rng)
    >>> [round(number, 3) for number in result]
    [2.5, 0.446, 4.554]
    """
    n = len(values)
    if n == 0:
        return Estimate(NAN)
    value = float(np.median(values) if kind == "median" else np.mean(values))
    if kind == "rate":
        return Estimate(value, *_wilson(value, n, quantile(confidence)))
    if n < 2 or (kind == "median" and draws < 1):
        return Estimate(value)
    if kind == "median":
        return drawn_interval(value, bootstrap_medians(values, draws, rng), n, confidence)
    half = float(quantile(confidence, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return Estimate(value, value - half, value + half)


def drawn_interval(value: float, drawn: np.ndarray, n: int, confidence: float) -> Estimate:
    """Return a value with the interval of its bootstrap estimates, their percentiles; none of fewer than two units.

    Examples
    --------
    >>> drawn_interval(0.5, np.array([0.25, 0.5, 0.75]), 9, 0.5)
    Estimate(value=0.5, low=0.375, high=0.625)
    """
    if n < 2 or not len(drawn):
        return Estimate(value)
    low, high = _percentiles(drawn, confidence)
    return Estimate(value, float(low), float(high))


FEW = 10  # units with a success, or without one


def clustered_rate(
    value: float, linear: np.ndarray, confidence: float, *, events: int = FEW
) -> Estimate:
    """Return a rate over units with several observations each, with Wilson's interval for the effective sample size.

    Student's interval has too low coverage for rates near 0: 77% instead of 95% for 100 users and a rate of .01; that
    of the bootstrap is 79%, that of this interval 96 to 98%. It stays between 0 and 1.

    Parameters
    ----------
    linear : ndarray
        The rate's `linearized` values: their standard error is that of the rate, for any correlation within units.
    events : int
        Number of units with a success, or without one, whichever is smaller. With fewer than 10, the variance is
        unknown, and the effective sample size is at most the number of units.

    Examples
    --------
    >>> linear = linearized(np.array([1.0, 0, 3]), np.array([2.0, 2, 4]))
    >>> [round(number, 3) for number in clustered_rate(0.5, linear, 0.95)]
    [0.5, 0.059, 0.941]
    """
    n = len(linear)
    if n < 2:
        return Estimate(value)
    error = float(np.var(linear, ddof=1)) / n
    alike = (
        value * (1 - value) / error if error > NOISE**2 else float(n)
    )  # all 0 or all 1: each unit is one
    if events < FEW:
        alike = min(alike, float(n))
    return Estimate(value, *_wilson(value, alike, quantile(confidence, n - 1)))


def linearized(total: np.ndarray, over: np.ndarray) -> np.ndarray:
    """Return a value per unit whose mean is sum(total) / sum(over), and whose standard error that of the delta method.

    With r the ratio, unit i has r + (total_i - r over_i) / mean(over): the ratio's first-order expansion (Deng,
    Knoblich and Lu 2018). Tests of their means are tests of the ratio, if the unit was randomized.

    Examples
    --------
    >>> clicks, shown = np.array([1.0, 0, 5]), np.array([2.0, 4, 6])
    >>> result = linearized(clicks, shown)
    >>> result.tolist(), float(result.mean())
    ([0.5, 0.0, 1.0], 0.5)
    """
    ratio = ratio_of(total, over)
    return np.asarray(ratio + (total - ratio * over) / over.mean())


def ratio_of(total: np.ndarray, over: np.ndarray) -> float:
    """Return sum(total) / sum(over); NaN without units.

    Examples
    --------
    >>> ratio_of(np.array([1.0, 0, 5]), np.array([2.0, 4, 6]))
    0.5
    """
    return float(total.sum() / over.sum()) if len(over) else NAN


def bootstrap_ratios(
    total: np.ndarray, over: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return sum(total) / sum(over) of `draws` samples of units, drawn with replacement.

    Units with equal numerators and denominators are of one kind, so a sample is a multinomial count of each kind and
    the work grows with the number of kinds.

    Examples
    --------
    >>> sorted(set(bootstrap_ratios(np.array([0.0, 1]), np.array([1.0, 1]), 50, np.random.default_rng(0)).tolist()))
    [0.0, 0.5, 1.0]
    """
    if not draws or not len(total):
        return np.zeros(0)
    # units of equal values are drawn together
    kinds, times = np.unique(np.stack([total, over], axis=1), axis=0, return_counts=True)
    ratios = np.empty(draws)
    step = max((1 << 22) // len(kinds), 1)
    for first in range(0, draws, step):
        drawn = rng.multinomial(len(total), times / times.sum(), size=min(step, draws - first))
        sums = drawn @ kinds
        ratios[first : first + step] = sums[:, 0] / sums[:, 1]
    return ratios


def bootstrap_medians(values: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return the medians of `draws` samples drawn with replacement, without drawing them.

    The median of a resample is the value at a middle order statistic of n uniform draws, which is a beta variable;
    for an even n the next order statistic is the least of the draws above it. So the work does not grow with n.

    Examples
    --------
    >>> sorted(set(bootstrap_medians(np.array([1.0, 5.0, 9.0]), 100, np.random.default_rng(0)).tolist()))
    [1.0, 5.0, 9.0]
    """
    if not draws:
        return np.zeros(0)
    ordered = np.sort(values)
    n = len(ordered)
    middle = (n + 1) // 2
    # the share of the values below the middle one of n uniform draws has a beta distribution
    below = rng.beta(middle, n - middle + 1, draws)
    lower = ordered[np.minimum((below * n).astype(np.int64), n - 1)]
    if n % 2:
        return np.asarray(lower)
    above = 1 - (1 - below) * rng.random(draws) ** (1 / (n - middle))
    return np.asarray((lower + ordered[np.minimum((above * n).astype(np.int64), n - 1)]) / 2)


def two_rates(x: np.ndarray, y: np.ndarray, *, confidence: float) -> Tested:
    """Return the pooled z test of two rates; interval of the difference by Newcombe (1998), effect size Cohen's h.

    Examples
    --------
    >>> result = two_rates(np.repeat([1, 0], [15, 5]), np.repeat([1, 0], [7, 13]), confidence=0.95)
    >>> round(result.statistic, 3), round(result.p_value, 4)
    (2.543, 0.011)
    """
    if not len(x) or not len(y):
        return Tested("z")
    p, q = float(np.mean(x)), float(np.mean(y))
    pooled = (np.sum(x) + np.sum(y)) / (len(x) + len(y))
    error = float(np.sqrt(pooled * (1 - pooled) * (1 / len(x) + 1 / len(y))))
    difference = float(gap(p, q, 1.0))
    q = p if difference == 0 else q
    statistic = (
        difference / error if error > 0 else 0.0
    )  # without error both rates are 0, or both are 1
    z = quantile(confidence)
    (p_low, p_high), (q_low, q_high) = _wilson(p, len(x), z), _wilson(q, len(y), z)
    return Tested(
        "z",
        difference - float(np.hypot(p - p_low, q_high - q)),
        difference + float(np.hypot(p_high - p, q - q_low)),
        float(2 * np.arcsin(np.sqrt(p)) - 2 * np.arcsin(np.sqrt(q))),
        statistic,
        float(2 * special.ndtr(-abs(statistic))),
    )


def welch(x: np.ndarray, y: np.ndarray, *, confidence: float) -> Tested:
    """Return Welch's t test of two means; effect size Cohen's d.

    Examples
    --------
    >>> round(welch(np.array([1.0, 2, 3]), np.array([2.0, 4, 9]), confidence=0.95).p_value, 3)
    0.284
    """
    if len(x) < 2 or len(y) < 2:
        return Tested("welch")
    size = size_of(x, y)
    difference = float(gap(np.mean(x), np.mean(y), size))
    # a spread within rounding is none
    variances = [
        float(np.var(one, ddof=1)) if np.ptp(one) > NOISE * size else 0.0 for one in (x, y)
    ]
    parts = variances[0] / len(x), variances[1] / len(y)
    error = float(np.sqrt(sum(parts)))
    if error == 0 and difference == 0:
        return Tested("welch", 0.0, 0.0, 0.0, 0.0, 1.0)
    if error == 0:  # both constant: nothing to test against
        return Tested("welch", difference, difference)
    # products and roots are rounded rightly, which powers are not: so they are the same in every unit
    squares = [float(np.square(part)) for part in (sum(parts), *parts)]
    freedom = squares[0] / (squares[1] / (len(x) - 1) + squares[2] / (len(y) - 1))
    pooled = ((len(x) - 1) * variances[0] + (len(y) - 1) * variances[1]) / (len(x) + len(y) - 2)
    half = quantile(confidence, freedom) * error
    statistic = difference / error
    return Tested(
        "welch",
        difference - half,
        difference + half,
        difference / float(np.sqrt(pooled)),
        statistic,
        float(2 * special.stdtr(freedom, -abs(statistic))),
    )


def always_valid(x: np.ndarray, y: np.ndarray, *, confidence: float, planned: int) -> Tested:
    """Return the sequential test of two means: interval and p-value are valid at any number of looks.

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
        return Tested("sequential")
    alpha = 1 - confidence
    error = float(np.sqrt(np.var(x, ddof=1) / len(x) + np.var(y, ddof=1) / len(y)))
    difference = float(gap(np.mean(x), np.mean(y), size_of(x, y)))
    plain = welch(x, y, confidence=confidence)
    if np.isnan(plain.statistic) or plain.statistic == 0 == error:  # without spread
        return plain._replace(test="sequential")
    # the rho whose interval is about the tightest at the planned number of units (the paper's appendix B.2)
    rho = float(np.sqrt((-2 * np.log(alpha) + np.log(-2 * np.log(alpha) + 1)) / planned))
    mixed = (len(x) + len(y)) * rho**2
    half = error * float(np.sqrt((mixed + 1) / mixed * np.log((mixed + 1) / alpha**2)))
    statistic = difference / error
    evidence = (
        mixed / (2 * (mixed + 1)) * statistic**2 - np.log(mixed + 1) / 2
    )  # logarithm of the mixture's ratio
    return Tested(
        "sequential",
        difference - half,
        difference + half,
        plain.effect_size,
        statistic,
        float(np.exp(-max(evidence, 0.0))),
    )


def mann_whitney(
    x: np.ndarray,
    y: np.ndarray,
    *,
    confidence: float,
    drawn: tuple[np.ndarray, np.ndarray] = (np.zeros(0), np.zeros(0)),
) -> Tested:
    """Return the Mann-Whitney test; effect size rank-biserial; interval of `drawn` bootstrap medians' difference.

    Examples
    --------
    >>> result = mann_whitney(np.array([1.0, 2, 3]), np.array([4.0, 5, 6]), confidence=0.95)
    >>> result.effect_size, round(result.p_value, 2)
    (-1.0, 0.1)
    """
    if not len(x) or not len(y):
        return Tested("mann-whitney")
    x, y = np.split(settled(np.concatenate([x, y]).astype(np.float64)), [len(x)])
    low = high = NAN
    if min(len(x), len(y), len(drawn[0])) > 1:
        low, high = gap(_percentiles(drawn[0] - drawn[1], confidence), 0.0, size_of(x, y)).tolist()
    if np.ptp(np.concatenate([x, y])) == 0:  # all equal
        return Tested("mann-whitney", low, high, 0.0, len(x) * len(y) / 2, 1.0)
    result = stats.mannwhitneyu(x, y, alternative="two-sided")
    return Tested(
        "mann-whitney",
        low,
        high,
        2 * float(result.statistic) / (len(x) * len(y)) - 1,
        float(result.statistic),
        float(result.pvalue),
    )


def bootstrapped(
    x: np.ndarray,
    y: np.ndarray,
    *,
    confidence: float,
    drawn: tuple[np.ndarray, np.ndarray],
    difference: float,
) -> Tested:
    """Return the bootstrap test: the fraction of `drawn` differences on the other side of zero, doubled.

    The interval is that of the percentiles; the p-value is twice the smaller share of draws at or beyond zero, the
    sample itself counted among the draws; effect size Cohen's d.

    Examples
    --------
    >>> drawn = np.array([1.0, 2, 3, 4]), np.array([0.0, 1, 1, 5])
    >>> result = bootstrapped(np.arange(9.0), np.arange(9.0), confidence=0.5, drawn=drawn, difference=1.0)
    >>> result.p_value, result.low, result.high
    (0.8, 0.5, 1.25)
    """
    if min(len(x), len(y)) < 2 or not len(drawn[0]):
        return Tested("bootstrap")
    between = gap(drawn[0] - drawn[1], 0.0, size_of(x, y))
    low, high = _percentiles(between, confidence)
    beyond = 1 + min(int((between <= 0).sum()), int((between >= 0).sum()))
    return Tested(
        "bootstrap",
        float(low),
        float(high),
        welch(x, y, confidence=confidence).effect_size,
        difference,
        min(2 * beyond / (len(between) + 1), 1.0),
    )


def _percentiles(drawn: np.ndarray, confidence: float) -> np.ndarray:
    """Return the ends of the percentile interval of bootstrap estimates."""
    return np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])


def relative_interval(
    a: float, b: float, var_a: float, var_b: float, times: float, *, fieller: bool
) -> Estimate:
    """Return a / b - 1 with its interval, by Fieller's theorem or the delta method.

    Fieller's interval has all ratios r with |a - r b| <= times * the standard error of a - r b (Fieller 1954).

    Parameters
    ----------
    var_a, var_b : float
        Squared standard errors of a and b.
    times : float
        Multiple of the standard error, such as 1.96.

    Examples
    --------
    >>> [round(end, 3) for end in relative_interval(11.0, 10.0, 0.25, 0.25, 1.96, fieller=True)]
    [0.1, -0.036, 0.257]
    >>> [round(end, 3) for end in relative_interval(11.0, 10.0, 0.25, 0.25, 1.96, fieller=False)]
    [0.1, -0.046, 0.246]
    """
    if b == 0:
        return Estimate(NAN)
    ratio, g = a / b, times**2 * var_b / b**2
    if fieller and g >= 1:  # b does not differ significantly from 0
        return Estimate(ratio - 1, -np.inf, np.inf)
    g = g if fieller else 0.0
    half = times / abs(b) * float(np.sqrt(var_a * (1 - g) + ratio**2 * var_b))
    return Estimate(ratio - 1, (ratio - half) / (1 - g) - 1, (ratio + half) / (1 - g) - 1)


def quantile(confidence: float, freedom: float | None = None) -> float:
    """Return the quantile of a two-sided interval: Student's t with these degrees of freedom, or normal."""
    upper = (1 + confidence) / 2
    return float(special.ndtri(upper) if freedom is None else special.stdtrit(freedom, upper))


def _wilson(rate: float, n: float, z: float) -> tuple[float, float]:
    """Return Wilson's score interval of a rate."""
    center = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return float(max(center - half, 0.0)), float(min(center + half, 1.0))
