"""Sets of integers as bits: which of many numbers are in a set, and at which place, from a table in the cache."""

from __future__ import annotations

from functools import cached_property

import numpy as np

CHUNK = 1 << 16
_ONES = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


class Bitmap:
    """A set of integers from 0, one bit for each possible number.

    Parameters
    ----------
    numbers : ndarray
        The numbers, rising.
    count : int
        The number of possible numbers: all are smaller.

    Examples
    --------
    >>> bitmap = Bitmap(np.array([1, 4, 9]), 10)
    >>> bitmap.holds(np.array([9, 0, 1])).tolist(), bitmap.places(np.array([9, 1])).tolist()
    ([True, False, True], [2, 0])
    """

    def __init__(self, numbers: np.ndarray, count: int) -> None:
        self.bits = np.zeros(count // 8 + 1, dtype=np.uint8)
        byte = numbers >> 3
        first = np.flatnonzero(np.diff(byte, prepend=-1))
        if len(first):  # numbers of one byte are adjacent: their bits are or-ed together
            self.bits[byte[first]] = np.bitwise_or.reduceat(_bit(numbers), first)

    def holds(self, numbers: np.ndarray) -> np.ndarray:
        """Return which numbers are in the set."""
        holds = np.empty(len(numbers), dtype=bool)
        for at in range(0, len(numbers), CHUNK):
            part = numbers[at : at + CHUNK]
            holds[at : at + CHUNK] = self.bits[part >> 3] & _bit(
                part
            )  # byte number, then bit in the byte
        return holds

    def places(self, numbers: np.ndarray) -> np.ndarray:
        """Return the place of numbers of the set among all of it."""
        byte = numbers >> 3
        smaller = self.bits[byte] & (_bit(numbers) - np.uint8(1))  # the bits below that of a number
        return self._before[byte] + _ONES[smaller]

    @cached_property
    def _before(self) -> np.ndarray:
        """The number of set bits before each byte."""
        ones = _ONES[self.bits]
        until: np.ndarray = np.cumsum(ones, dtype=np.int32 if len(self.bits) < 2**28 else np.int64)
        return until - ones


def _bit(numbers: np.ndarray) -> np.ndarray:
    """Return the bit of each number in its byte."""
    return np.left_shift(np.uint8(1), (numbers & 7).astype(np.uint8))
