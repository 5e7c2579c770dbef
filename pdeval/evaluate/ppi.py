"""Prediction-powered means: few values by people, many by a machine, and an interval that stays valid.

The mean over queries of the machine's values is corrected by what people say of the queries that they labelled:

    estimate = lambda mean_N(g) + mean_n(h - lambda g)

with h a value by people, g one by the machine, n queries that have both and N that have the machine's alone. Whatever
lambda is, this estimates the mean of h: a bad machine costs width and never validity. The best lambda is
cov(h, g) / ((1 + n / N) var(g)), here clipped to [0, 1].

A lambda that is chosen by the very queries that it is used on looks better than it is, and with few of them intervals
get too short. So each query gets the lambda of all others (leave-one-out, a fold for every query): a closed form,
without random folds, the same for any order of the rows. Student's interval has the degrees of freedom of Welch and
Satterthwaite: those of the n queries where people's values decide, those of the N where a good machine's do.

References
----------
Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference. Angelopoulos, Duchi and Zrnic 2023,
PPI++ (lambda). Zrnic and Candès 2024, Cross-prediction-powered inference. Särndal, Swensson and Wretman 1992,
Model assisted survey sampling (the difference estimator, weighted).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pdeval.evaluate.statistics import describe, ratio
from pdeval.tables.equal_values import NOISE


@dataclass(frozen=True)
class Powered:
    """Estimates of many means at once, one value per column of the values that they are from.

    Parameters
    ----------
    n, n_machine : ndarray of int
        Queries with values of both kinds, and with the machine's alone.
    mean, variance : ndarray
        The estimate, and its squared standard error.
    df : ndarray
        Degrees of freedom of the variance.
    lam : ndarray
        lambda, the mean over the queries that people labelled.
    human, human_sd : ndarray
        Mean and standard deviation of people's values: what there is without a machine.
    machine : ndarray
        Mean of the machine's values over all queries: what there is without people.
    spread : ndarray
        Variance of people's values over all queries, as far as the machine tells it of those that they did not label.
    """

    n: np.ndarray
    n_machine: np.ndarray
    mean: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    lam: np.ndarray
    human: np.ndarray
    human_sd: np.ndarray
    machine: np.ndarray
    spread: np.ndarray

    @property
    def effective_n(self) -> np.ndarray:
        """How many queries people alone would have to label for the same variance."""
        with np.errstate(divide="ignore", invalid="ignore"):
            worth = np.where(self.variance > 0, self.spread / self.variance, self.n)
        return np.minimum(worth, self.n + self.n_machine)  # no machine is worth more than people on all queries

    @property
    def statistic(self) -> np.ndarray:
        """The estimate over its standard error."""
        return ratio(self.mean, np.sqrt(self.variance))

    @property
    def p_value(self) -> np.ndarray:
        """The two-sided p-value of a mean of 0."""
        from scipy import special

        return np.asarray(2 * special.stdtr(self.df, -np.abs(self.statistic)))

    def interval(self, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of Student's interval of the mean."""
        from scipy import special

        half = special.stdtrit(self.df, (1 + confidence) / 2) * np.sqrt(self.variance)
        return self.mean - half, self.mean + half


@np.errstate(divide="ignore", invalid="ignore")  # a column without enough of both kinds is NaN
def powered(
    human: np.ndarray, machine: np.ndarray, *, probability: np.ndarray | None = None, lam: float | None = None
) -> Powered:
    """Return the prediction-powered means of columns, over queries.

    Parameters
    ----------
    human : ndarray of shape (queries, columns)
        Values by people, NaN where they did not label a query.
    machine : ndarray of shape (queries, columns)
        Values by the machine, NaN where a query does not count.
    probability : ndarray of shape (queries,) or (queries, columns), optional
        The chance with which each query was drawn for people, where chances differed; by default they were equal.
    lam : float, optional
        A lambda that was decided beforehand; by default the best one, of every query by the others.

    Examples
    --------
    >>> human = np.array([[0.2], [0.4], [0.7], [0.9], [np.nan], [np.nan], [np.nan], [np.nan]])
    >>> machine = np.array([[0.1], [0.2], [0.6], [0.7], [0.2], [0.3], [0.5], [0.9]])
    >>> found = powered(human, machine)
    >>> [x.round(3).item() for x in (found.human, found.machine, found.mean, found.lam, found.effective_n)]
    [0.55, 0.438, 0.588, 0.51, 6.444]
    """
    both = ~np.isnan(human) & ~np.isnan(machine)
    alone = np.isnan(human) & ~np.isnan(machine)
    h, g, f = np.where(both, human, np.nan), np.where(both, machine, np.nan), np.where(alone, machine, np.nan)
    n, human_mean, human_sd = describe(h)
    _, whole, whole_sd = describe(np.where(both | alone, machine, np.nan))
    if probability is not None:
        return _weighted(h, g, machine, both, probability, lam, (n, alone.sum(axis=0), whole))
    n_machine, machine_mean, machine_sd = describe(f)
    weights = both * 1.0
    slopes = _slopes(h, g, weights, lam, 1.0 / (1.0 + n / n_machine))
    residual = h - slopes * (g - machine_mean)
    _, mean, residual_sd = describe(residual)
    average = (weights * slopes).sum(axis=0) / n
    parts = residual_sd**2 / n, average**2 * machine_sd**2 / n_machine
    df = degrees(parts, (n - 1, n_machine - 1))
    slope = average * (1.0 + n / n_machine)
    spread = np.maximum(human_sd**2 + slope**2 * (whole_sd**2 - describe(g)[2] ** 2), 0.0)
    return Powered(n, n_machine, mean, parts[0] + parts[1], df, average, human_mean, human_sd, whole, spread)


def _slopes(
    h: np.ndarray, g: np.ndarray, weights: np.ndarray, lam: float | None, factor: np.ndarray | float
) -> np.ndarray:
    """Return the lambda of every query, by all others: the regression of h on g times a factor, clipped to [0, 1]."""
    if lam is not None:
        return np.full(h.shape, float(lam))
    total = weights.sum(axis=0)
    away = [np.where(weights > 0, x - np.nansum(weights * x, axis=0) / total, 0.0) for x in (h, g)]
    # a query that leaves takes its share of both sums along, and moves both means
    share = weights * total / (total - weights)
    products, squares = ((weights * away[1] * x).sum(axis=0) - share * away[1] * x for x in away)
    slope = products / squares
    # nothing is left to learn from where the others are all alike
    known = squares > NOISE * (weights * away[1] ** 2).sum(axis=0)
    return np.clip(np.where(known, slope * factor, 0.0), 0.0, 1.0)


def degrees(parts: tuple[np.ndarray, ...], own: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the degrees of freedom of a sum of independent variances, by Welch and Satterthwaite."""
    whole = parts[0] + parts[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = whole**2 / (parts[0] ** 2 / own[0] + parts[1] ** 2 / own[1])
    return np.where(whole > 0, found, own[0])


def _weighted(
    h: np.ndarray,
    g: np.ndarray,
    machine: np.ndarray,
    both: np.ndarray,
    probability: np.ndarray,
    lam: float | None,
    known: tuple[np.ndarray, ...],
) -> Powered:
    """Return the means where queries were drawn with chances of their own: Hájek's estimate of what people correct.

    The machine's mean is that of all queries; b is the slope of people's values on it, and lambda is b / (1 + n / N),
    as it would be for equal chances.
    """
    n, n_machine, whole = known
    weights = np.where(both, 1.0 / probability.reshape(len(h), -1), 0.0)
    total = weights.sum(axis=0)
    factor = 1.0 / (1.0 + n / n_machine)
    slopes = _slopes(h, g, weights, lam, factor) / factor
    residual = np.where(both, h - slopes * (g - whole), 0.0)
    mean = (weights * residual).sum(axis=0) / total
    average = (weights * slopes).sum(axis=0) / total
    counted = ~np.isnan(machine)
    size = counted.sum(axis=0)
    # what every query adds: its share of the machine's mean, and of the correction where people labelled it
    by_machine = np.where(counted, average * (machine - whole), 0.0)
    by_people = np.where(both, weights * (residual - mean), 0.0) * size / total
    effective = total**2 / (weights**2).sum(axis=0)
    variance = np.square(by_machine + by_people).sum(axis=0) / size**2 * effective / (effective - 1)
    people = np.square(by_people).sum(axis=0) / size**2
    df = degrees((np.minimum(people, variance), np.maximum(variance - people, 0.0)), (effective - 1, size - 1))
    human_mean = np.nansum(weights * h, axis=0) / total
    human_sd = np.sqrt(np.nansum(weights * (h - human_mean) ** 2, axis=0) / total * n / (n - 1))
    return Powered(n, n_machine, mean, variance, df, average * factor, human_mean, human_sd, whole, human_sd**2)
