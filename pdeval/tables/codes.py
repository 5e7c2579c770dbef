"""Codes: several columns as one integer per row, and sorting and grouping of rows by it."""

from collections.abc import Iterable
from itertools import pairwise
from math import prod

import numpy as np

SMALL = 1 << 16
FEW = 8
BYTE = 1 << 8
CHUNK = 1 << 16  # rows that fit in the cache of the processor
LARGE = 1 << 22  # rows that do not fit in the cache
MOST = 2**62  # largest number of combinations, so that products fit in 64 bits


def combined_codes(
    columns: Iterable[tuple[np.ndarray, int]], rows: int, *, narrow: bool = False
) -> np.ndarray:
    """Return one integer per row that orders rows by all columns; the first column is the primary one.

    Parameters
    ----------
    columns : iterable of (ndarray, int)
        Codes of each column, from 0, and its number of values.
    rows : int
        Number of rows, needed without columns.
    narrow : bool
        Whether to use 16 or 32 bits if these are sufficient.

    Examples
    --------
    >>> combined_codes([(np.array([0, 1, 1]), 2), (np.array([2, 0, 2]), 3)], 3).tolist()
    [2, 3, 5]
    """
    columns = list(columns)
    combinations = prod(max(values, 1) for _, values in columns)
    if narrow and len(columns) > 1 and combinations < 2**31:
        return _narrow_codes(columns, rows, combinations)
    code, count = np.zeros(rows, dtype=np.int64), 1
    for codes, values in columns:
        if count * values > MOST:  # renumber the codes: at most one per row
            known, code = np.unique(code, return_inverse=True)
            count = len(known)
        if count * values > MOST:
            known, codes = np.unique(codes, return_inverse=True)
            values = len(known)
        code = codes.astype(np.int64, copy=False) if count == 1 else code * max(values, 1) + codes
        count *= max(values, 1)
    return code


def _narrow_codes(
    columns: list[tuple[np.ndarray, int]], rows: int, combinations: int
) -> np.ndarray:
    combined = np.empty(rows, dtype=np.uint16 if combinations <= SMALL else np.int32)
    for at in range(0, rows, CHUNK):
        code: int | np.ndarray = 0
        for codes, values in columns:
            code = code * max(values, 1) + codes[at : at + CHUNK].astype(np.int32, copy=False)
        combined[at : at + CHUNK] = code
    return combined


def looked_up(table: np.ndarray, code: np.ndarray) -> np.ndarray:
    """Return `table[code]` for valid codes, without another copy of the codes.

    Examples
    --------
    >>> looked_up(np.array([5, 7], dtype=np.int32), np.array([1, 1, 0], dtype=np.int8))
    array([7, 7, 5], dtype=int32)
    """
    values = np.empty(len(code), dtype=table.dtype)
    for at in range(0, len(code), CHUNK):
        # "clip" writes directly into `out`; the default mode buffers the output
        table.take(code[at : at + CHUNK], out=values[at : at + CHUNK], mode="clip")
    return values


def counts_of(code: np.ndarray, count: int) -> np.ndarray:
    """Return the number of rows of each code below `count`, without a copy of the codes in 64 bits.

    Examples
    --------
    >>> counts_of(np.array([1, 1, 0], dtype=np.int8), 3).tolist()
    [1, 2, 0]
    """
    counts = np.zeros(count, dtype=np.int64)
    step = max(CHUNK, count)
    for at in range(0, len(code), step):
        counts += np.bincount(code[at : at + step], minlength=count)
    return counts


def distinct(code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first row of each distinct code, in the order of codes, and the position of the code of each row.

    Dense codes are counted, others are sorted.

    Examples
    --------
    >>> [part.tolist() for part in distinct(np.array([7, 3, 7, 3, 9]))]
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
    # assignment keeps the last of several rows: in reversed order the first
    first[place[::-1]] = np.arange(len(code))[::-1]
    return first, place


def renumbered(code: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each row's code among the codes in the order of their first rows, and these first rows.

    Examples
    --------
    >>> [part.tolist() for part in renumbered(np.array([7, 3, 7, 3, 9]))]
    [[0, 1, 0, 1, 2], [0, 1, 4]]
    """
    changes = code[1:] != code[:-1]
    # a sorted table: one row per stretch of equal codes is enough
    if 2 * np.count_nonzero(changes) < len(code) - 2:
        begin = np.flatnonzero(np.append(True, changes))
        place, first = renumbered(code[begin])
        return np.repeat(place, np.diff(begin, append=len(code))), begin[first]
    dtype = np.min_scalar_type(-len(code) - 1)
    place_of = np.full(int(code.max(initial=0)) + 1, -1, dtype=dtype)
    place, firsts, count = np.empty(len(code), dtype=dtype), [np.zeros(0, dtype=np.int64)], 0
    for at in range(0, len(code), CHUNK):
        part = code[at : at + CHUNK]
        place[at : at + CHUNK] = known = place_of.take(part, mode="clip")
        new = np.flatnonzero(known < 0)  # rows with codes that no chunk before has
        codes = part[new].astype(np.int64)
        # assignment keeps the last of several rows: in reversed order the first
        place_of[codes[::-1]] = new[::-1].astype(dtype)
        first = np.flatnonzero(place_of[codes] == new)
        place_of[codes[first]] = np.arange(count, count + len(first), dtype=dtype)
        place[at : at + CHUNK][new] = place_of[codes]
        firsts.append(at + new[first])
        count += len(first)
    return place, np.concatenate(firsts)


def by_code(code: np.ndarray) -> np.ndarray:
    """Return the rows in stable order of their code.

    Radix sort with 16 bits at a time, for which numpy uses a radix sort itself: from the lowest bits on, or separately
    for each value of the higher bits if these are few, which reads memory in order.

    Examples
    --------
    >>> by_code(np.array([70000, 3, 70000, 3, 9])).tolist()
    [1, 3, 4, 0, 2]
    """
    most = int(code.max(initial=0))
    if len(code) > LARGE and most < SMALL * BYTE:
        return _by_parts(code, most)
    low, many = code.astype(np.uint16), most // SMALL + 1
    high = code >> 16 if many > 1 else code[:0]
    if 1 < many <= FEW:
        parts = [np.flatnonzero(high == one) for one in range(many)]
        return np.concatenate([rows[np.argsort(low[rows], kind="stable")] for rows in parts])
    order = np.argsort(low, kind="stable")
    while high.any():
        order = order[np.argsort((high & 0xFFFF).astype(np.uint16)[order], kind="stable")]
        high = high >> 16
    return order


def _by_parts(code: np.ndarray, most: int) -> np.ndarray:
    """Return the rows in stable order of codes of up to 24 bits: first by the leading 8 bits, then within each part.

    Chunks and parts fit in the cache of the processor; sorting all rows at once accesses memory at random.
    """
    shift = max(most.bit_length() - 8, 0)
    chunks = range(0, len(code), CHUNK)
    sizes = np.stack([np.bincount(code[at : at + CHUNK] >> shift, minlength=BYTE) for at in chunks])
    # ends[chunk, part]: a part has its rows of the first chunk, then those of the second, ...
    ends = np.cumsum(sizes.T).reshape(BYTE, -1).T
    order = np.empty(len(code), dtype=np.int32 if len(code) < 2**31 else np.int64)
    low = np.empty(len(code), dtype=np.uint8 if shift <= 8 else np.uint16)
    for at, size, end in zip(chunks, sizes, ends):
        part = code[at : at + CHUNK]
        by = np.argsort((part >> shift).astype(np.uint8), kind="stable")
        to = np.repeat(end - np.cumsum(size), size)
        to += np.arange(len(part))
        order[to] = by + at
        low[to] = (part & ((1 << shift) - 1))[by]
    for first, last in pairwise(np.append(0, ends[-1])):
        order[first:last] = order[first:last][np.argsort(low[first:last], kind="stable")]
    return order


def grouped(code: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return (rows in the order of `by_code`, number of rows of each code, code number of each row, codes).

    Examples
    --------
    >>> [part.tolist() for part in grouped(np.array([7, 3, 7, 3, 9]))]
    [[1, 3, 0, 2, 4], [2, 2, 1], [1, 0, 1, 0, 2], [3, 7, 9]]
    """
    count = int(code.max(initial=0)) + 1
    if count <= 4 * len(code) + SMALL:
        sizes = counts_of(code, count)
        codes = np.flatnonzero(sizes)
        if len(codes) < count:
            place = np.zeros(count, dtype=code.dtype)
            place[codes] = np.arange(len(codes))
            code = looked_up(place, code)
        return by_code(code), sizes[codes], code, codes
    codes, place, sizes = np.unique(code, return_inverse=True, return_counts=True)
    return by_code(place), sizes, place, codes
