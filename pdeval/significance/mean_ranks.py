"""Tests of mean ranks: runs are ranked on every query, and what is compared is how they rank on average.

The tests that follow a Friedman test: Nemenyi's, whose critical difference is one number for all pairs, and Conover's.
Values are scores of shape (queries, runs), more is better; nothing may be missing. Rank 1 is the best.
"""

from __future__ import annotations

import numpy as np

from pdeval.significance.hsd import simultaneous_half, upper_point, upper_tail
from pdeval.significance.registry import (
    Outcome,
    described_pairs,
    significance_test,
    student_interval,
)
from pdeval.tables.equal_values import NOISE, average_ranks, ratio


def ranks_of(X: np.ndarray) -> np.ndarray:
    """Return the rank of every run on every query, 1 for the best; equal runs share the mean of their ranks.

    Examples
    --------
    >>> ranks_of(np.array([[0.1, 0.5, 0.3], [0.2, 0.2, 0.0]])).tolist()
    [[3.0, 1.0, 2.0], [1.5, 1.5, 3.0]]
    """
    order = np.argsort(-X, axis=-1)
    sorted_ranks, _ = average_ranks(np.take_along_axis(X, order, axis=-1))
    ranks = np.empty(X.shape)
    np.put_along_axis(ranks, order, sorted_ranks, axis=-1)  # back to the columns of X
    return ranks


def rank_variance(ranks: np.ndarray) -> float:
    """Return the variance of the ranks of a query, summed over queries; ties make it less.

    Examples
    --------
    >>> rank_variance(np.array([[3.0, 1.0, 2.0], [1.5, 1.5, 3.0]]))
    1.75
    """
    runs = ranks.shape[1]
    # ranks are halves, so that the sum of squares is exact
    return float(np.square(ranks - (runs + 1) / 2).sum() / (runs - 1))


def concordance(ranks: np.ndarray) -> float:
    """Return Kendall's coefficient of concordance, corrected for ties: 1 where all queries rank the runs alike.

    Examples
    --------
    >>> concordance(np.array([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0]])), concordance(np.array([[1.0, 2.0], [2.0, 1.0]]))
    (1.0, 0.0)
    """
    queries, runs = ranks.shape
    away = ranks.sum(axis=0) - queries * (runs + 1) / 2
    most = queries * (runs - 1) * rank_variance(ranks)
    share = float(ratio(np.square(away).sum(), np.asarray(most)))
    return (
        1.0 if share > 1 - NOISE else share
    )  # no query differs from another: nothing is left but rounding


def critical_difference_of(runs: int, queries: int, alpha: float = 0.05) -> float:
    """Return the difference of mean ranks from which on Nemenyi's test calls two runs different.

    Examples
    --------
    The 5% point of Demsar's Table 5 for 4 classifiers is 2.569; over 14 data sets, his example, the difference is 1.25.

    >>> round(critical_difference_of(4, 14), 3)
    1.254
    """
    return upper_point(alpha, runs, np.inf) * float(np.sqrt(runs * (runs + 1) / (12 * queries)))


@significance_test(
    family_wise=True,
    scores_only=True,
    reference="Nemenyi 1963; Demsar 2006",
    says="Friedman-Nemenyi test",
)
def nemenyi(X: np.ndarray, a: np.ndarray, b: np.ndarray, *, confidence: float = 0.95) -> Outcome:
    """Return Nemenyi's test of pairs of runs: their mean ranks over queries, against the range of all mean ranks.

    statistic = |difference of mean ranks| / sqrt(runs (runs + 1) / (12 queries)), and p is its upper tail in the
    studentised range distribution of all the runs with infinite degrees of freedom. Ties are not corrected for: they
    make it conservative. The effect size is the difference of the mean ranks, positive where run a ranks better. The
    interval is that of the mean difference, simultaneous over all pairs, by Tukey.

    References
    ----------
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets.

    Examples
    --------
    >>> X = np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]])
    >>> outcome = nemenyi(X, np.array([0, 0]), np.array([1, 2]))
    >>> outcome.effect_size.tolist(), outcome.p_value.round(4).tolist()
    ([-0.5, -1.75], [0.7593, 0.0356])
    """
    queries, runs = X.shape
    n, mean, _ = described_pairs(X, a, b)
    better, sides = _rank_difference(ranks_of(X), a, b)
    statistic = np.abs(better) / np.sqrt(runs * (runs + 1) / (12 * queries))
    half = simultaneous_half(X, confidence)
    return Outcome(
        n,
        mean,
        mean - half,
        mean + half,
        better,
        statistic,
        upper_tail(statistic, runs, np.inf),
        sides,
    )


@significance_test(
    joint=True,
    scores_only=True,
    reference="Conover and Iman 1979; Conover 1999",
    says="Friedman-Conover test",
)
def conover(X: np.ndarray, a: np.ndarray, b: np.ndarray, *, confidence: float = 0.95) -> Outcome:
    """Return Conover's test of pairs of runs: a t-test of their mean ranks over queries, with the error of all runs.

    The statistic is t, positive where run a ranks better, with (queries - 1)(runs - 1) degrees of freedom; its error
    is what the ranks vary beyond what the runs explain, so that ties are accounted for. It is more powerful than
    Nemenyi's, and its p-values are corrected for the number of pairs like those of any test of one pair. The effect
    size is the difference of the mean ranks. The interval is Student's, of the mean difference. All queries ranking
    the runs alike: p = 0, or 1 for equal ranks.

    References
    ----------
    Conover (1999), Practical nonparametric statistics.

    Examples
    --------
    >>> X = np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]])
    >>> outcome = conover(X, np.array([0, 0]), np.array([1, 2]))
    >>> outcome.statistic.round(4).tolist(), outcome.p_value.round(4).tolist()
    ([-1.4142, -4.9497], [0.207, 0.0026])
    """
    from scipy import special

    queries, runs = X.shape
    ranks = ranks_of(X)
    df = (queries - 1) * (runs - 1)
    n, mean, sd = described_pairs(X, a, b)
    better, sides = _rank_difference(ranks, a, b)
    # the residual mean square of the ranks, twice over, per query
    error = np.sqrt(2 * rank_variance(ranks) * (1 - concordance(ranks)) * (runs - 1) / df / queries)
    t = ratio(better, np.asarray(error))
    return Outcome(
        n,
        mean,
        *student_interval(n, mean, sd, confidence),
        effect_size=better,
        statistic=t,
        p_value=2 * special.stdtr(df, -np.abs(t)),
        more=sides,
    )


def _rank_difference(
    ranks: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return by how many places run a ranks better than run b on average, and the mean ranks of both."""
    total = ranks.sum(axis=0)  # of halves, so that equal runs are exactly equal
    return (total[b] - total[a]) / len(ranks), {
        "rank_a": total[a] / len(ranks),
        "rank_b": total[b] / len(ranks),
    }
