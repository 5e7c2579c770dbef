"""Which numbers are equal: the one tolerance of rounding, stretches of equal values, pairs of equals without pairs.

Two sums that are equal on paper differ on the machine by their order of addition. Everywhere in pdeval - tests,
orderings, ties, agreement - two values of a measure are equal where they differ by no more than 1e-12 of the larger
one. Where values are what is left of larger ones (differences, preferences, values of both signs) it is 1e-12 of
the size of those: 1 for declared preferences, else the largest there is. So the unit of a measure decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike


def begins_along(
    ordered: np.ndarray, axis: int = -1, tolerance: float | np.ndarray = 0.0
) -> np.ndarray:
    """Return where a value differs from the one before it, along an axis that is already sorted.

    Parameters
    ----------
    tolerance : float or ndarray
        Neighbours that differ by no more than this are equal.

    Examples
    --------
    >>> begins_along(np.array([1.0, 2.0, 2.0, 5.0])).tolist()
    [True, True, False, True]
    """
    rows = np.moveaxis(ordered, axis, -1)
    new = np.ones(rows.shape, dtype=bool)
    if np.ndim(tolerance) == 0 and tolerance == 0.0:
        new[..., 1:] = rows[..., 1:] != rows[..., :-1]
    else:
        with np.errstate(invalid="ignore"):  # infinity less infinity: equal
            new[..., 1:] = np.abs(rows[..., 1:] - rows[..., :-1]) > tolerance
    return np.moveaxis(new, -1, axis)


def firsts(new: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the first place of the stretch that each value is in, given where stretches begin.

    Examples
    --------
    >>> firsts(np.array([True, True, False, True])).tolist()
    [0, 1, 1, 3]
    """
    rows = np.moveaxis(new, axis, -1)
    # the latest beginning so far
    latest = np.maximum.accumulate(np.where(rows, np.arange(rows.shape[-1]), 0), axis=-1)
    return np.moveaxis(latest, -1, axis)


def lasts(new: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the last place of the stretch that each value is in, given where stretches begin.

    Examples
    --------
    >>> lasts(np.array([True, True, False, True])).tolist()
    [0, 2, 2, 3]
    """
    rows = np.moveaxis(new, axis, -1)
    count = rows.shape[-1]
    ends = np.concatenate(
        [rows[..., 1:], np.ones((*rows.shape[:-1], min(count, 1)), dtype=bool)], axis=-1
    )
    # from the other end, the nearest place before a beginning
    nearest = np.minimum.accumulate(np.where(ends, np.arange(count), count)[..., ::-1], axis=-1)[
        ..., ::-1
    ]
    return np.moveaxis(nearest, -1, axis)


def average_ranks(
    ordered: np.ndarray, axis: int = -1, tolerance: float | np.ndarray = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return (average rank, number of equals) of each value, along an axis that is already sorted.

    Parameters
    ----------
    tolerance : float or ndarray
        Neighbours that differ by no more than this are equal; of shape (..., 1), that axis last.

    Examples
    --------
    >>> [x.tolist() for x in average_ranks(np.array([1.0, 2.0, 2.0, 5.0]))]
    [[1.0, 2.5, 2.5, 4.0], [1.0, 2.0, 2.0, 1.0]]
    """
    new = begins_along(ordered, axis, tolerance)
    first, last = firsts(new, axis), lasts(new, axis)
    return (first + last) / 2 + 1, (last - first + 1).astype(float)


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of rows of a sorted column: where each begins and ends, and all of their rows one after the other.

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
        """Return the rows from each low value up to below the high one."""
        return cls(np.searchsorted(column, low), np.searchsorted(column, high))

    @cached_property
    def size(self) -> np.ndarray:
        """How many rows each has."""
        return self.last - self.first

    @cached_property
    def moved(self) -> np.ndarray:
        """By how much the rows of each span move up where only spans are kept."""
        return self.first - np.cumsum(self.size) + self.size

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows of all spans."""
        return np.repeat(self.moved, self.size) + np.arange(int(self.size.sum()))


NOISE = 1e-12  # the share of a value's size below which a difference is rounding: so the values are equal


def signs(values: np.ndarray, size: float | np.ndarray) -> np.ndarray:
    """Return +1, -1 or 0 for differences; those below 1e-12 of the size of what was subtracted are rounding, so 0.

    Examples
    --------
    >>> signs(np.array([0.2, -0.2, 1e-17]), 0.5).tolist()
    [1, -1, 0]
    """
    least = NOISE * size
    return (values > least).view(np.int8) - (values < -least).view(np.int8)


def size_of(*arrays: np.ndarray) -> float:
    """Return the size of the largest finite value, to which rounding is relative; 0 where there is none.

    Examples
    --------
    >>> size_of(np.array([0.5, -3.0, np.inf]), np.zeros(0))
    3.0
    """
    sizes = [np.abs(values) for values in arrays]
    return max(float(np.max(size, initial=0.0, where=np.isfinite(size))) for size in sizes)


def row_sizes(values: np.ndarray) -> np.ndarray:
    """Return the size of the largest finite value along the last axis, which stays.

    Examples
    --------
    >>> row_sizes(np.array([[0.5, -3.0, np.inf], [1.0, 2.0, np.nan]])).tolist()
    [[3.0], [2.0]]
    """
    size = np.abs(values)
    largest: np.ndarray = np.max(size, axis=-1, keepdims=True, initial=0.0, where=np.isfinite(size))
    return largest


def gap(a: ArrayLike, b: ArrayLike, least: float | np.ndarray = 0.0) -> np.ndarray:
    """Return a - b, or 0 where that is rounding, below 1e-12 of the larger one; two infinite values are equal.

    Parameters
    ----------
    least : float or ndarray
        The size that the values have at least, where they are sums or means of such numbers.

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
    """Return the values with those along the last axis that differ by rounding only made the same.

    Neighbours are equal where they differ by at most 1e-12 of the larger of the two. Where values have both signs,
    those near 0 may be what is left of larger ones: there it is 1e-12 of the largest value of all. Nothing else
    changes, NaN stays.

    Parameters
    ----------
    least : float
        The size that values have at least, where they are known to be sums of such numbers.

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
    new[..., 1:] = ~near  # a gap beside NaN is none
    out = np.empty_like(values)
    np.put_along_axis(out, upward, np.take_along_axis(ordered, firsts(new), axis=-1), axis=-1)
    return out


def cleared(differences: np.ndarray, least: float) -> np.ndarray:
    """Return differences of shape (queries, pairs) with those that are rounding made 0, where only they are known.

    Parameters
    ----------
    least : float
        The size that the subtracted numbers have at least; the pair's largest difference counts too.

    Examples
    --------
    >>> cleared(np.array([[1e-17], [0.5]]), 1.0).tolist()
    [[0.0], [0.5]]
    """
    size = np.abs(differences)
    noise = size <= NOISE * np.fmax.reduce(
        np.where(np.isinf(size), np.nan, size), axis=0, initial=least
    )
    return np.where(noise, 0.0, differences) if (noise & (size > 0)).any() else differences


def begins(*columns: np.ndarray) -> np.ndarray:
    """Return where, along the last axis of sorted columns, a stretch of rows begins that are equal in all of them.

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


def pairs_of(count: np.ndarray) -> np.ndarray:
    """Return how many pairs so many things make.

    Examples
    --------
    >>> pairs_of(np.array([1, 2, 4])).tolist()
    [0, 1, 6]
    """
    pairs: np.ndarray = count * (count - 1) // 2
    return pairs


def apart(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the values with each one that does not count made different from all others.

    Examples
    --------
    >>> apart(np.array([3.0, 3.0, 3.0]), np.array([True, False, True])).tolist()
    [3.0, -2.0, 3.0]
    """
    return values if counts.all() else np.where(counts, values, -1.0 - np.arange(values.shape[-1]))


def equal_pairs(values: np.ndarray) -> np.ndarray:
    """Return how many pairs along the last axis are equal, without forming them.

    Examples
    --------
    >>> equal_pairs(np.array([[1.0, 2.0, 1.0, 1.0], [1.0, 2.0, 3.0, 3.0]])).tolist()
    [3, 1]
    """
    place = np.arange(values.shape[-1])
    start = np.maximum.accumulate(np.where(begins(np.sort(values, axis=-1)), place, 0), axis=-1)
    # the j-th of a group of equals is equal to j - 1 before it
    pairs: np.ndarray = (place - start).sum(axis=-1)
    return pairs


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
