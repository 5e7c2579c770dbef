"""Max-t: simultaneous tests and intervals of a family of comparisons.

A family is a set of mean differences: all pairs of runs, the pairs with a baseline (Dunnett's comparisons), several
measures, several collections. In each draw, every query gets a random sign, which multiplies its centered differences
in all comparisons, so correlations between comparisons are kept. The largest |t| of each draw is the null distribution
of the largest |t| of the family. An adjusted p-value is its upper tail at |t|; the simultaneous interval is
mean +- c se, with c its quantile.
"""

import numpy as np

from pdeval.evaluate import draw_blocks
from pdeval.tables import NOISE, describe
from pdeval.verbs import track


def maxima(
    D: np.ndarray,
    *,
    draws: int = 10_000,
    seed: int | None = 0,
    rows: np.ndarray | None = None,
    size: int | None = None,
    families: np.ndarray | None = None,
    one_sided: bool = False,
    scores: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
    progress: bool | None = None,
) -> np.ndarray:
    """Return the largest |t| of every draw, of shape (draws,), or (families, draws).

    Parameters
    ----------
    D : ndarray of shape (queries, comparisons)
        Differences; NaN if the query does not count.
    rows, size : optional
        Numbers of the queries of D among all `size` queries. Parts of a family with other queries (measures) then get
        the same signs for the same queries; the family's maxima are the elementwise maximum of those of its parts.
    families : ndarray of int, shape (families, comparisons of each), optional
        Columns of each family; by default all columns are one family.
    one_sided : bool
        Whether to take the largest t instead of the largest |t|.
    scores : (values, a, b), optional
        Scores (queries, runs) without missing values, and the runs whose differences are the columns of D: sums of all
        differences are then differences of the sums of the runs, which is about ten times faster.

    Examples
    --------
    >>> D = np.random.default_rng(0).normal(size=(50, 3))
    >>> maxima(D, draws=2000).shape, maxima(D, draws=9, families=np.array([[0, 1], [1, 2]])).shape
    ((2000,), (2, 9))
    >>> round(critical_value(maxima(D, draws=2000), 0.05).item(), 2)  # one comparison has 2.01
    2.51
    """
    n, mean, sd = describe(D)
    # centered differences divided by sqrt(n times their sum of squares): their sum u with random signs is in [-1, 1],
    # and its t is u sqrt((n - 1) / (1 - u^2)), because signs do not change the sum of squares
    spread = sd * np.sqrt(n * (n - 1.0))
    spread[spread == 0] = np.inf  # differences that do not vary become 0, as missing ones do
    if scores is None:
        unit = np.nan_to_num((D - mean) / spread, nan=0.0)
    else:
        values, a, b = scores
        centered = values - values.mean(axis=0)
    rows = np.arange(len(D)) if rows is None else rows
    size = len(D) if size is None else size
    # t grows with u, so the largest u has the largest t, except if columns have different numbers of queries
    one_n = len(n) > 0 and bool((n == n[0]).all())
    parts = []
    signs_of_queries = draw_blocks(
        lambda rng, count: rng.integers(0, 2, size=(count, size), dtype=np.int8),
        draws,
        seed,
        (size, D.shape[1]),
    )
    for bits in track(signs_of_queries, desc="max-t", progress=progress):
        signs = 2.0 * bits[:, rows] - 1.0
        if scores is None:
            u = signs @ unit
        else:
            sums = signs @ centered
            u = (sums[:, a] - sums[:, b]) * (1.0 / spread)
        u = u if one_sided else np.abs(u, out=u)
        u = u if one_n else _student(u, n)
        part = u.max(axis=1) if families is None else u[:, families].max(axis=2).T
        parts.append(_student(part, n[0]) if one_n else part)
    return np.concatenate(parts, axis=-1)


def _student(u: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Return t of the sums u of unit columns."""
    rest = 1.0 - np.square(u)
    rest[rest < NOISE] = 0.0  # all variance is in the mean
    with np.errstate(divide="ignore"):
        return np.where(u == 0, 0.0, u * np.sqrt((n - 1.0) / rest))


def tail(drawn: np.ndarray, observed: np.ndarray, scale: float | None = None) -> np.ndarray:
    """Return (1 + number of draws >= observed) / (1 + draws): a p-value that is never 0.

    A draw that falls short of the observed value only by rounding, by less than 1e-12 of `scale`, is counted; the
    default scale is the observed value.

    Examples
    --------
    >>> tail(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3.0, 0.0, 9.0])).tolist()
    [0.6, 1.0, 0.2]
    """
    ordered = np.sort(drawn)
    with np.errstate(invalid="ignore"):
        least = observed - NOISE * (np.abs(observed) if scale is None else scale)
    # draws that are smaller; those that are equal count as at least as large
    below = np.searchsorted(ordered, least, side="left")
    return (1 + len(ordered) - below) / (1 + len(ordered))


def critical_value(drawn: np.ndarray, alpha: float | np.ndarray) -> np.ndarray:
    """Return c such that `tail(drawn, x) < alpha` if x > c, and not if x < c; infinite if there are too few draws.

    Draws are along the first axis; `alpha` may have one value per column.

    Examples
    --------
    >>> drawn = np.arange(1.0, 100.0)
    >>> critical_value(drawn, 0.05).item(), tail(drawn, np.array([95.0, 96.0])).tolist()
    (96.0, [0.06, 0.05])
    """
    # the largest number of draws >= x for which (1 + number) / (1 + draws) is below alpha, plus 1
    reached = np.broadcast_to(
        np.ceil(np.asarray(alpha) * (1 + len(drawn)) - 1 - 1e-9).astype(np.int64), drawn.shape[1:]
    )
    place = len(drawn) - np.clip(reached, 1, len(drawn))
    values = np.take_along_axis(np.sort(drawn, axis=0), place[None], axis=0)[0]
    return np.where(reached < 1, np.inf, values)
