"""Number, mean and standard deviation of columns, and ratios of them, with rounding taken for what it is."""

from __future__ import annotations

import numpy as np

from pdeval.tables.equal_values import NOISE


def describe(D: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (number, mean, standard deviation) of each column, over what is not NaN.

    The deviation divides by n - 1. It is exactly 0 where all values of a column are equal but for
    rounding.

    Examples
    --------
    >>> [x.tolist() for x in describe(np.array([[1.0, 0.1], [3.0, 0.1], [np.nan, 0.1]]))]
    [[2, 3], [2.0, 0.1], [1.4142135623730951, 0.0]]
    """
    counted = ~np.isnan(D)
    n = counted.sum(axis=0)
    filled = D if counted.all() else np.where(counted, D, 0.0)
    with np.errstate(invalid="ignore"):
        mean = filled.sum(axis=0) / n
        away = filled - mean if filled is D else np.where(counted, filled - mean, 0.0)
        sd = np.sqrt(np.square(away).sum(axis=0) / np.where(n > 1, n - 1, np.nan))
    high, low = np.fmax.reduce(D, axis=0, initial=-np.inf), np.fmin.reduce(D, axis=0, initial=np.inf)
    # rounding of the mean would leave a constant column with a tiny deviation and a huge t
    with np.errstate(invalid="ignore"):
        constant = high - low <= NOISE * np.maximum(np.abs(high), np.abs(low))
    return n, np.where(high == low, high, mean), np.where(constant & (n > 1), 0.0, sd)


def ratio(mean: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return mean / spread, with 0 / 0 = 0 and x / 0 = +-infinity.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0, -1.0]), np.array([2.0, 0.0, 0.0])).tolist()
    [0.5, 0.0, -inf]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean == 0, 0.0, mean / spread)
