"""Stretches of equal values in sorted arrays: where each begins and ends, how many are equal, their average rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


def _last(values: np.ndarray, axis: int) -> np.ndarray:
    return values if axis == -1 else np.moveaxis(values, axis, -1)


def _back(values: np.ndarray, axis: int) -> np.ndarray:
    return values if axis == -1 else np.moveaxis(values, -1, axis)


def begins(ordered: np.ndarray, axis: int = -1, tolerance: float | np.ndarray = 0.0) -> np.ndarray:
    """Return where a value differs from the one before it, along an axis that is already sorted.

    Parameters
    ----------
    tolerance : float or ndarray
        Neighbours that differ by no more than this are equal.

    Examples
    --------
    >>> begins(np.array([1.0, 2.0, 2.0, 5.0])).tolist()
    [True, True, False, True]
    """
    rows = _last(ordered, axis)
    new = np.ones(rows.shape, dtype=bool)
    if np.ndim(tolerance) == 0 and tolerance == 0.0:
        new[..., 1:] = rows[..., 1:] != rows[..., :-1]
    else:
        with np.errstate(invalid="ignore"):  # infinity less infinity: equal
            new[..., 1:] = np.abs(rows[..., 1:] - rows[..., :-1]) > tolerance
    return _back(new, axis)


def firsts(new: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the first place of the stretch that each value is in, given where stretches begin.

    Examples
    --------
    >>> firsts(np.array([True, True, False, True])).tolist()
    [0, 1, 1, 3]
    """
    rows = _last(new, axis)
    # the latest beginning so far
    found = np.maximum.accumulate(np.where(rows, np.arange(rows.shape[-1]), 0), axis=-1)
    return _back(found, axis)


def lasts(new: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the last place of the stretch that each value is in, given where stretches begin.

    Examples
    --------
    >>> lasts(np.array([True, True, False, True])).tolist()
    [0, 2, 2, 3]
    """
    rows = _last(new, axis)
    count = rows.shape[-1]
    ends = np.concatenate([rows[..., 1:], np.ones((*rows.shape[:-1], min(count, 1)), dtype=bool)], axis=-1)
    # from the other end, the nearest place before a beginning
    found = np.minimum.accumulate(np.where(ends, np.arange(count), count)[..., ::-1], axis=-1)[..., ::-1]
    return _back(found, axis)


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
    new = begins(ordered, axis, tolerance)
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
