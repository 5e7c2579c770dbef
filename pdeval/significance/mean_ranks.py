"""Tests of mean ranks: runs are ranked on every query, and their mean ranks are compared.

These tests follow a Friedman test: Nemenyi's, whose critical difference is one number for all pairs, and Conover's.
Values are scores of shape (queries, runs), higher is better, without missing values. Rank 1 is the best.
"""

import numpy as np

from pdeval.significance.hsd import upper_point, upper_tail
from pdeval.significance.registry import Outcome, described_pairs, significance_test
from pdeval.tables import NOISE, average_ranks, ratio
from pdeval.verbs import special


def ranks_of(X: np.ndarray) -> np.ndarray:
    """Return the rank of every run on every query, 1 for the best; equal runs get the mean of their ranks.

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
    """Return the variance of the ranks of a query, summed over queries; ties reduce it.

    Examples
    --------
    >>> rank_variance(np.array([[3.0, 1.0, 2.0], [1.5, 1.5, 3.0]]))
    1.75
    """
    runs = ranks.shape[1]
    # ranks are multiples of 1/2, so the sum of squares is exact
    return float(np.square(ranks - (runs + 1) / 2).sum() / (runs - 1))


def concordance(ranks: np.ndarray) -> float:
    """Return Kendall's coefficient of concordance, corrected for ties: 1 if all queries have the same order.

    Examples
    --------
    >>> concordance(np.array([[3.0, 1.0, 2.0], [3.0, 1.0, 2.0]])), concordance(np.array([[1.0, 2.0], [2.0, 1.0]]))
    (1.0, 0.0)
    """
    queries, runs = ranks.shape
    away = ranks.sum(axis=0) - queries * (runs + 1) / 2
    most = queries * (runs - 1) * rank_variance(ranks)
    agreement = float(ratio(np.square(away).sum(), np.asarray(most)))
    # 1 up to rounding: all queries have the same order
    return 1.0 if agreement > 1 - NOISE else agreement


def critical_difference_of(runs: int, queries: int, alpha: float = 0.05) -> float:
    """Return the smallest difference of mean ranks that is significant by Nemenyi's test.

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
    description="Friedman-Nemenyi test",
)
def nemenyi(X: np.ndarray, a: np.ndarray, b: np.ndarray, *, confidence: float = 0.95) -> Outcome:
    """Return Nemenyi's test of pairs of runs: their mean ranks over queries, against the range of all mean ranks.

    statistic = |difference of mean ranks| / sqrt(runs (runs + 1) / (12 queries)), and p is its upper tail in the
    studentized range distribution of all runs with infinite degrees of freedom. There is no correction for ties, which
    make the test conservative. Effect size and estimate are the difference of the mean ranks, positive if run a ranks
    better. The interval is the estimate plus and minus the critical difference, simultaneous over all pairs.

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
    half = critical_difference_of(runs, queries, 1 - confidence)
    return Outcome(
        n,
        mean,
        better - half,
        better + half,
        better,
        statistic,
        upper_tail(statistic, runs, np.inf),
        sides,
        estimate=better,
    )


@significance_test(
    joint=True,
    scores_only=True,
    reference="Conover and Iman 1979; Conover 1999",
    description="Friedman-Conover test",
)
def conover(X: np.ndarray, a: np.ndarray, b: np.ndarray, *, confidence: float = 0.95) -> Outcome:
    """Return Conover's test of pairs of runs: a t-test of their mean ranks over queries, with the error of all runs.

    The statistic is t, positive if run a ranks better, with (queries - 1)(runs - 1) degrees of freedom. Its error is
    the residual variance of the ranks, which accounts for ties. It is more powerful than Nemenyi's test, and its
    p-values are corrected for the number of pairs like those of pairwise tests. Effect size and estimate are the
    difference of the mean ranks, with Student's interval. If all queries rank the runs in the same order, p = 0, or 1
    for equal ranks.

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
    queries, runs = X.shape
    ranks = ranks_of(X)
    df = (queries - 1) * (runs - 1)
    n, mean, _ = described_pairs(X, a, b)
    better, sides = _rank_difference(ranks, a, b)
    # the residual mean square of the ranks, twice over, per query
    error = np.sqrt(2 * rank_variance(ranks) * (1 - concordance(ranks)) * (runs - 1) / df / queries)
    t = ratio(better, np.asarray(error))
    half = special.stdtrit(df, (1 + confidence) / 2) * error
    return Outcome(
        n,
        mean,
        better - half,
        better + half,
        effect_size=better,
        statistic=t,
        p_value=2 * special.stdtr(df, -np.abs(t)),
        more=sides,
        estimate=better,
    )


def _rank_difference(
    ranks: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the difference of the mean ranks, positive if run a ranks better, and the mean ranks of both."""
    total = ranks.sum(axis=0)  # multiples of 1/2: equal runs are exactly equal
    return (total[b] - total[a]) / len(ranks), {
        "rank_a": total[a] / len(ranks),
        "rank_b": total[b] / len(ranks),
    }
