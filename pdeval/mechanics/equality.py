"""Which numbers are equal: signs within rounding, stretches of equal values, pairs of equals counted without pairs."""

from __future__ import annotations

import numpy as np

NOISE = 1e-12  # two sums that are equal on paper may differ by their order of addition: nearer than this is tied


def signs(values: np.ndarray) -> np.ndarray:
    """Return +1, -1 or 0 for differences; those below 1e-12 are rounding, so 0.

    Examples
    --------
    >>> signs(np.array([0.2, -0.2, 1e-17])).tolist()
    [1, -1, 0]
    """
    return (values > NOISE).view(np.int8) - (values < -NOISE).view(np.int8)


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
