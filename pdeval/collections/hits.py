"""Items that lists have, list by list from the top: sums over a list, and over what stands above an item."""

from __future__ import annotations

import numpy as np


class Hits:
    """Items of the lists of queries and runs, sorted by list and rank.

    Parameters
    ----------
    shape : (int, int)
        How many queries and runs there are.
    query, run, rank : ndarray of shape (hits,)
        Which list has an item, and where.

    Examples
    --------
    >>> hits = Hits((1, 2), np.array([0, 0, 0]), np.array([1, 0, 1]), np.array([2, 1, 1]))
    >>> hits.order.tolist(), hits.total(np.array([5.0, 1.0, 2.0])).tolist()
    ([1, 2, 0], [[5.0, 3.0]])
    >>> hits.above(np.array([5.0, 1.0, 2.0])).tolist()
    [0.0, 0.0, 1.0]
    """

    def __init__(self, shape: tuple[int, int], query: np.ndarray, run: np.ndarray, rank: np.ndarray) -> None:
        cell = query.astype(np.int64) * shape[1] + run
        self.shape, self.order = shape, np.lexsort((rank, cell))
        self.cell, self.rank = cell[self.order], rank[self.order].astype(np.float64)
        self._begins = np.r_[True, self.cell[1:] != self.cell[:-1]] if len(cell) else np.zeros(0, dtype=bool)

    def total(self, terms: np.ndarray) -> np.ndarray:
        """Return the sums of terms over each list, (queries, runs)."""
        return np.bincount(self.cell, terms, minlength=int(np.prod(self.shape))).reshape(self.shape)

    def above(self, terms: np.ndarray) -> np.ndarray:
        """Return the sum of terms over what stands above each item in its list."""
        whole = np.r_[0.0, np.cumsum(terms)[:-1]][: len(terms)]
        first = np.flatnonzero(self._begins)  # a list's own sum begins where it does
        return whole - np.repeat(whole[first], np.diff(np.r_[first, len(terms)]))
