"""Codes: several columns as one number per row, and the rows of each number, without comparing where counting does."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

SMALL = 1 << 16
FEW = 8
MOST = 2**62  # combinations beyond which a product of counts might not fit 64 bits


def combined_codes(columns: Iterable[tuple[np.ndarray, int]], rows: int) -> np.ndarray:
    """Return one number per row that is equal where all codes are, and rises as they do, the first column first.

    Parameters
    ----------
    columns : iterable of (ndarray, int)
        The codes of each column, from 0, and how many values it has.
    rows : int
        How many rows there are: what a table without columns cannot say.

    Examples
    --------
    >>> combined_codes([(np.array([0, 1, 1]), 2), (np.array([2, 0, 2]), 3)], 3).tolist()
    [2, 3, 5]
    """
    code, count = np.zeros(rows, dtype=np.int64), 1
    for codes, values in columns:
        if count * values > MOST:  # numbered anew: no more numbers than there are rows
            known, code = np.unique(code, return_inverse=True)
            count = len(known)
        if count * values > MOST:
            known, codes = np.unique(codes, return_inverse=True)
            values = len(known)
        code = codes.astype(np.int64, copy=False) if count == 1 else code * max(values, 1) + codes
        count *= max(values, 1)
    return code


def distinct(code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each different code, the least code first, and which of these each row has.

    Counts where the codes are dense, and sorts where they are not.

    Examples
    --------
    >>> [found.tolist() for found in distinct(np.array([7, 3, 7, 3, 9]))]
    [[1, 0, 4], [1, 0, 1, 0, 2]]
    """
    count = int(code.max(initial=-1)) + 1
    if count > 4 * len(code) + SMALL:
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        return first, place
    there = np.zeros(count, dtype=bool)
    there[code] = True
    place = code if there.all() else (np.cumsum(there) - 1)[code]
    first = np.empty(int(there.sum()), dtype=np.int64)
    first[place[::-1]] = np.arange(len(code))[::-1]  # of several rows the last is kept: the first of all
    return first, place


def by_code(code: np.ndarray) -> np.ndarray:
    """Return the rows sorted by their code, those of one code as they stand.

    Sixteen bits at a time, which numpy sorts without comparing: from the lowest on, or in turn for each of a few higher
    ones, so that rows are read from the first to the last.

    Examples
    --------
    >>> by_code(np.array([70000, 3, 70000, 3, 9])).tolist()
    [1, 3, 4, 0, 2]
    """
    low, many = code.astype(np.uint16), int(code.max(initial=0)) // SMALL + 1
    high = code >> 16 if many > 1 else code[:0]
    if 1 < many <= FEW:
        parts = [np.flatnonzero(high == one) for one in range(many)]
        return np.concatenate([rows[np.argsort(low[rows], kind="stable")] for rows in parts])
    order = np.argsort(low, kind="stable")
    while high.any():
        order = order[np.argsort((high & 0xFFFF).astype(np.uint16)[order], kind="stable")]
        high = high >> 16
    return order


def grouped(code: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows sorted by their code, as `by_code` does, how many rows each code has, and which one each row has.

    Examples
    --------
    >>> [found.tolist() for found in grouped(np.array([7, 3, 7, 3, 9]))]
    [[1, 3, 0, 2, 4], [2, 2, 1], [1, 0, 1, 0, 2]]
    """
    if int(code.max(initial=-1)) < 4 * len(code) + SMALL:
        sizes = np.bincount(code)
        there = sizes > 0
        return by_code(code), sizes[there], code if there.all() else (np.cumsum(there) - 1)[code]
    _, place, sizes = np.unique(code, return_inverse=True, return_counts=True)
    return by_code(place), sizes, place
