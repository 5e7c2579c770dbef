"""Equality of numbers up to rounding, and runs of equal values in sorted arrays.

Sums of the same numbers in different orders differ by rounding. In all of pdeval - tests, orderings, ties, agreement -
two values of a measure are equal if they differ by at most 1e-12 times the larger one. If values are differences of
larger numbers (differences, preferences, values of both signs), the tolerance is 1e-12 times the size of those numbers:
1 for declared preferences, otherwise the largest value. Equality is thus independent of the unit of a measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike


def begins_along(ordered: np.ndarray, tolerance: float | np.ndarray = 0.0) -> np.ndarray:
    """Return where a value differs from the one before it, along the last axis, which is already sorted.

    Parameters
    ----------
    tolerance : float or ndarray
        Largest difference between equal neighbors.

    Examples
    --------
    >>> begins_along(np.array([1.0, 2.0, 2.0, 5.0])).tolist()
    [True, True, False, True]
    """
    if np.ndim(tolerance) == 0 and tolerance == 0.0:
        return begins(ordered)
    new = np.ones(ordered.shape, dtype=bool)
    with np.errstate(invalid="ignore"):  # infinity minus infinity: equal
        new[..., 1:] = np.abs(ordered[..., 1:] - ordered[..., :-1]) > tolerance
    return new


def firsts(new: np.ndarray) -> np.ndarray:
    """Return the first position of the stretch of equal values of each value, given where stretches begin.

    Examples
    --------
    >>> firsts(np.array([True, True, False, True])).tolist()
    [0, 1, 1, 3]
    """
    # the latest beginning so far
    return np.maximum.accumulate(np.where(new, np.arange(new.shape[-1]), 0), axis=-1)


def lasts(new: np.ndarray) -> np.ndarray:
    """Return the last position of the stretch of equal values of each value, given where stretches begin.

    Examples
    --------
    >>> lasts(np.array([True, True, False, True])).tolist()
    [0, 2, 2, 3]
    """
    # firsts() of the reversed values: a stretch ends where the next one begins
    ends = np.ones(new.shape, dtype=bool)
    ends[..., :-1] = new[..., 1:]
    return new.shape[-1] - 1 - firsts(ends[..., ::-1])[..., ::-1]


def average_ranks(
    ordered: np.ndarray, axis: int = -1, tolerance: float | np.ndarray = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return (average rank, number of equal values) of each value, along an axis that is already sorted.

    Parameters
    ----------
    tolerance : float or ndarray
        Largest difference between equal neighbors; an array of shape (..., 1), with the sorted axis last.

    Examples
    --------
    >>> [x.tolist() for x in average_ranks(np.array([1.0, 2.0, 2.0, 5.0]))]
    [[1.0, 2.5, 2.5, 4.0], [1.0, 2.0, 2.0, 1.0]]
    """
    new = begins_along(np.moveaxis(ordered, axis, -1), tolerance)
    first, last = (np.moveaxis(places, -1, axis) for places in (firsts(new), lasts(new)))
    return (first + last) / 2 + 1, (last - first + 1).astype(float)


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of rows of a sorted column: their first and last rows, and all of their rows concatenated.

    Examples
    --------
    >>> spans = Spans.of(np.array([0, 0, 1, 2, 2, 2]), np.array([0, 2]), np.array([1, 3]))
    >>> spans.rows.tolist(), spans.moved.tolist()
    ([0, 1, 3, 4, 5], [0, 1])
    """

    first: np.ndarray
    last: np.ndarray

    @classmethod
    def of(cls, column: np.ndarray, low: np.ndarray, high: np.ndarray) -> Spans:
        """Return the spans of the values from `low` (included) to `high` (excluded)."""
        return cls(np.searchsorted(column, low), np.searchsorted(column, high))

    @cached_property
    def size(self) -> np.ndarray:
        """The number of rows of each span."""
        return self.last - self.first

    @cached_property
    def moved(self) -> np.ndarray:
        """The number of rows outside of spans before each span."""
        return self.first - np.cumsum(self.size) + self.size

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows of all spans."""
        return np.repeat(self.moved, self.size) + np.arange(int(self.size.sum()))


NOISE = 1e-12  # differences below this fraction of the size of the values are rounding errors


def signs(values: np.ndarray, size: float | np.ndarray) -> np.ndarray:
    """Return the signs of differences; those below 1e-12 times the size of the subtracted numbers are rounding, so 0.

    Examples
    --------
    >>> signs(np.array([0.2, -0.2, 1e-17]), 0.5).tolist()
    [1, -1, 0]
    """
    least = NOISE * size
    return (values > least).view(np.int8) - (values < -least).view(np.int8)


def size_of(*arrays: np.ndarray) -> float:
    """Return the absolute value of the largest finite value, to which rounding is relative; 0 without one.

    Examples
    --------
    >>> size_of(np.array([0.5, -3.0, np.inf]), np.zeros(0))
    3.0
    """
    sizes = [np.abs(values) for values in arrays]
    return max(float(np.max(size, initial=0.0, where=np.isfinite(size))) for size in sizes)


def row_sizes(values: np.ndarray) -> np.ndarray:
    """Return the absolute value of the largest finite value along the last axis, which is kept.

    Examples
    --------
    >>> row_sizes(np.array([[0.5, -3.0, np.inf], [1.0, 2.0, np.nan]])).tolist()
    [[3.0], [2.0]]
    """
    size = np.abs(values)
    largest: np.ndarray = np.max(size, axis=-1, keepdims=True, initial=0.0, where=np.isfinite(size))
    return largest


def gap(a: ArrayLike, b: ArrayLike, least: float | np.ndarray = 0.0) -> np.ndarray:
    """Return a - b, with 0 for differences up to 1e-12 times the larger value; equal infinities give 0.

    Parameters
    ----------
    least : float or ndarray
        Smallest size of the values, if they are sums or means of numbers of that size.

    Examples
    --------
    >>> gap([0.8, 0.8, np.inf], [0.7999999999999999, 0.7, np.inf]).round(2).tolist()
    [0.0, 0.1, 0.0]
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        difference = np.subtract(a, b)
        rounding = np.abs(difference) <= NOISE * np.maximum(np.maximum(np.abs(a), np.abs(b)), least)
    return np.where((rounding & np.isfinite(difference)) | (a == b), 0.0, difference)


def settled(values: np.ndarray, least: float = 0.0) -> np.ndarray:
    """Return the values with those along the last axis that differ only by rounding made equal.

    Neighbors are equal if they differ by at most 1e-12 times the larger one. If values have both signs, those near 0
    may be differences of larger ones, and the tolerance is 1e-12 times the largest value. Other values and NaN do not
    change.

    Parameters
    ----------
    least : float
        Smallest size of the values, if they are sums of numbers of that size.

    Examples
    --------
    >>> settled(np.array([0.1 + 0.2, 0.3, 0.4])).tolist()
    [0.3, 0.3, 0.4]
    """
    if values.shape[-1] < 2:
        return values
    upward = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, upward, axis=-1)
    size = np.abs(ordered)
    both = (
        np.fmin.reduce(ordered, axis=None, initial=0.0)
        < 0
        < np.fmax.reduce(ordered, axis=None, initial=0.0)
    )
    usual = max(size_of(ordered) if both else 0.0, least)
    with np.errstate(invalid="ignore"):
        step = np.diff(ordered, axis=-1)
        near = (
            step <= NOISE * np.maximum(np.maximum(size[..., 1:], size[..., :-1]), usual)
        ) & np.isfinite(step)
    if not (near & (step != 0)).any():
        return values
    new = np.ones(values.shape, dtype=bool)
    new[..., 1:] = ~near  # a difference to NaN is not near
    out = np.empty_like(values)
    np.put_along_axis(out, upward, np.take_along_axis(ordered, firsts(new), axis=-1), axis=-1)
    return out


def cleared(differences: np.ndarray, least: float | np.ndarray) -> np.ndarray:
    """Return differences of shape (..., queries, pairs) with those that are rounding set to 0.

    Parameters
    ----------
    least : float, or ndarray of shape (..., 1, 1)
        Smallest size of the subtracted numbers; the largest difference of the pair is used if it is larger.

    Examples
    --------
    >>> cleared(np.array([[1e-17], [0.5]]), 1.0).tolist()
    [[0.0], [0.5]]
    """
    size = np.abs(differences)
    # most tables have no difference that is small for any pair
    small = size <= NOISE * np.fmax.reduce(size, axis=None, initial=np.max(least))
    if np.count_nonzero(small) == np.count_nonzero(size == 0):
        return differences
    finite = np.where(np.isinf(size), np.nan, size)
    noise = size <= NOISE * np.fmax(
        np.fmax.reduce(finite, axis=-2, keepdims=True, initial=0.0), least
    )
    return np.where(noise, 0.0, differences) if (noise & (size > 0)).any() else differences


def begins(*columns: np.ndarray) -> np.ndarray:
    """Return where rows of sorted columns differ from the row before them, along the last axis.

    Examples
    --------
    >>> begins(np.array([1, 1, 2, 2]), np.array([5, 5, 5, 6])).tolist()
    [True, False, True, True]
    """
    first = np.ones(columns[0].shape, dtype=bool)
    first[..., 1:] = columns[0][..., 1:] != columns[0][..., :-1]
    for column in columns[1:]:
        first[..., 1:] |= column[..., 1:] != column[..., :-1]
    return first


def unique_values(values: np.ndarray) -> np.ndarray:
    """Return the different values, ascending.

    For integers, `np.unique` hashes every value, which takes up to sixty times as long as a sort.

    Examples
    --------
    >>> unique_values(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = np.sort(values)
    return ordered[begins(ordered)]


def pairs_of(count: np.ndarray) -> np.ndarray:
    """Return the number of pairs of `count` items.

    Examples
    --------
    >>> pairs_of(np.array([1, 2, 4])).tolist()
    [0, 1, 6]
    """
    pairs: np.ndarray = count * (count - 1) // 2
    return pairs


def separate_uncounted(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the values with those that do not count made different from all others.

    Examples
    --------
    >>> separate_uncounted(np.array([3.0, 3.0, 3.0]), np.array([True, False, True])).tolist()
    [3.0, -2.0, 3.0]
    """
    return values if counts.all() else np.where(counts, values, -1.0 - np.arange(values.shape[-1]))


def equal_pairs(values: np.ndarray) -> np.ndarray:
    """Return the number of equal pairs along the last axis, without forming the pairs.

    Examples
    --------
    >>> equal_pairs(np.array([[1.0, 2.0, 1.0, 1.0], [1.0, 2.0, 3.0, 3.0]])).tolist()
    [3, 1]
    """
    start = firsts(begins(np.sort(values, axis=-1)))
    # the j-th value of a group of equal values is equal to j - 1 values before it
    pairs: np.ndarray = (np.arange(values.shape[-1]) - start).sum(axis=-1)
    return pairs


def describe(D: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (number, mean, standard deviation) of each column, without NaN.

    The standard deviation divides by n - 1. It is exactly 0 if all values of a column are equal up to rounding.

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
    high, low = (
        np.fmax.reduce(D, axis=0, initial=-np.inf),
        np.fmin.reduce(D, axis=0, initial=np.inf),
    )
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
