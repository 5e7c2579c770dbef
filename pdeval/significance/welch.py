"""Two samples by number, mean and standard deviation: Welch's test of their gap, and the rest of a whole."""

from __future__ import annotations

import numpy as np

from pdeval.significance.outcome import ratio, student_interval


def welch_gap(
    one: tuple[np.ndarray, np.ndarray, np.ndarray], two: tuple[np.ndarray, np.ndarray, np.ndarray], confidence: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the difference of two means, Welch's interval of it and his p; NaN of a sample of one.

    Parameters
    ----------
    one, two : (ndarray, ndarray, ndarray)
        Number, mean and standard deviation of each sample.

    Examples
    --------
    >>> found = welch_gap((np.array([9]), np.array([0.5]), np.array([0.1])), (np.array([4]), np.array([0.3]),
    ...                   np.array([0.1])), 0.95)
    >>> [value.round(3).tolist() for value in found]
    [[0.2], [0.052], [0.348], [0.017]]
    """
    from scipy import special

    (n, mean, sd), (m, other, spread) = one, two
    with np.errstate(invalid="ignore"):
        a, b = np.where(n > 1, np.square(sd) / n, np.nan), np.where(m > 1, np.square(spread) / m, np.nan)
        se = np.sqrt(a + b)
        df = np.where(se == 0, n + m - 2.0, np.square(a + b) / (np.square(a) / (n - 1) + np.square(b) / (m - 1)))
        gap = mean - other
        half = special.stdtrit(df, (1 + confidence) / 2) * se
        p = 2 * special.stdtr(df, -np.abs(ratio(gap, se)))
    return gap, gap - half, gap + half, np.where(np.isnan(se), np.nan, p)


def of_others(own: np.ndarray) -> np.ndarray:
    """Return number, mean and standard deviation of all queries but those of each segment."""
    n, mean, sd = own
    mean = np.where(n > 0, mean, 0.0)
    square = np.where(n > 1, np.square(sd) * (n - 1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        count = n.sum(axis=0) - n
        centre = (n * mean).sum(axis=0) / n.sum(axis=0)
        other = centre - n * (mean - centre) / count
        whole = (square + n * np.square(mean - centre)).sum(axis=0)
        left = whole - square - n * np.square(mean - centre) - count * np.square(other - centre)
        spread = np.sqrt(np.maximum(left, 0.0) / (count - 1))
    return np.stack([count, np.where(count > 0, other, np.nan), np.where(count > 1, spread, np.nan)])


def interval_of(n: np.ndarray, mean: np.ndarray, sd: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Student's interval of a mean; NaN of one value."""
    low, high = student_interval(np.maximum(n, 2), mean, sd, confidence)
    return np.where(n > 1, low, np.nan), np.where(n > 1, high, np.nan)


def paired_p(n: np.ndarray, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Return p of the paired t-test; NaN of one query."""
    from scipy import special

    size = np.maximum(n, 2)
    p = 2 * special.stdtr(size - 1, -np.abs(ratio(mean, sd / np.sqrt(size))))
    return np.where(n > 1, p, np.nan)
