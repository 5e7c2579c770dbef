"""Codes of several columns as one number per row, however many values the columns have together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

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
        code, count = code * max(values, 1) + codes, count * max(values, 1)
    return code
