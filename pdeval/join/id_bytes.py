"""The bytes of Arrow texts as numbers: to compare, to hash and to count them without making strings."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def words(text: pa.Array, rows: np.ndarray, place: int) -> np.ndarray:
    """Return bytes 8*place..8*place+7 of some texts as numbers that compare as the bytes do; 0 past the end.

    Examples
    --------
    >>> w = words(pa.array(["b", "ab", "a"]), np.arange(3), 0)
    >>> bool(w[0] > w[1] > w[2])
    True
    """
    offsets, data = buffers(text)
    begin = offsets[rows] + 8 * place
    length = np.clip(offsets[rows + 1] - begin, 0, 8)
    first = np.minimum(begin, len(data) - 8)
    word = unaligned(data)[np.maximum(first, 0)].byteswap()
    shift = (8 * np.minimum(begin - first, 7)).astype(np.uint64)
    spare = (8 * (8 - length)).astype(np.uint64)
    # two steps: a shift by 64 is undefined, and a text may end anywhere in the word
    kept = ((word << shift) >> np.minimum(spare, 63)) << np.minimum(spare, 63)
    return np.where(length > 0, kept, np.uint64(0))


def buffers(text: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the offsets (length n + 1) and the bytes (at least 8) of an Arrow text array, without copying."""
    large = pa.types.is_large_string(text.type)
    _, offsets, data = text.buffers()
    width = np.dtype(np.int64 if large else np.int32)
    ends = np.frombuffer(offsets, dtype=width)[text.offset : text.offset + len(text) + 1]
    raw = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, np.uint8)
    return ends, raw if len(raw) >= 8 else np.concatenate([raw, np.zeros(8 - len(raw), np.uint8)])


def unaligned(data: np.ndarray) -> np.ndarray:
    """Return the eight bytes from each byte on as a number, without copying."""
    return np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))


def words_of_one_width(text: pa.Array) -> tuple[np.ndarray, np.uint64] | None:
    """Return texts as numbers to be masked, copying nothing, where all are of one width of at most 8 bytes; else None.

    Examples
    --------
    >>> number, mask = words_of_one_width(pa.array(["301", "302", "301"]))
    >>> (number & mask).tolist() == [int.from_bytes(text, "little") for text in (b"301", b"302", b"301")]
    True
    """
    if len(text) == 0:
        return None
    offsets, data = buffers(text)
    first, width, count = int(offsets[0]), int(offsets[1] - offsets[0]), len(text)
    if not 0 < width <= 8 or int(offsets[-1]) - first != width * count:
        return None
    for at in range(0, count, CHUNK):  # chunks keep the temporaries in the cache
        if (np.diff(offsets[at : at + CHUNK + 1]) != width).any():
            return None
    if first + width * (count - 1) + 8 > len(data):  # the last words would reach over the end of the buffer
        data, first = np.concatenate([data[first:], np.zeros(8, np.uint8)]), 0
    return np.ndarray((count,), dtype="<u8", buffer=data, offset=first, strides=(width,)), _LOW_BYTES[width]


def texts_of_words(number: np.ndarray, mask: np.uint64, dtype: pa.DataType) -> pa.Array:
    """Return the texts that `words_of_one_width` made numbers of.

    Examples
    --------
    >>> number, mask = words_of_one_width(pa.array(["301", "302"]))
    >>> texts_of_words(number & mask, mask, pa.string()).to_pylist()
    ['301', '302']
    """
    width = int(mask).bit_length() // 8
    raw = np.ascontiguousarray(number, dtype="<u8").view(np.uint8).reshape(-1, 8)[:, :width].tobytes()
    offsets = np.arange(len(number) + 1, dtype=np.int64) * width
    texts = pa.LargeStringArray.from_buffers(len(number), pa.py_buffer(offsets), pa.py_buffer(raw))
    return texts.cast(dtype)


def hashes(text: pa.Array) -> np.ndarray:
    """Return 64 bits per text, of its length and up to four words: equal for equal texts, rarely for others."""
    offsets, data = buffers(text)
    window = unaligned(data)
    mixed = np.empty(len(text), dtype=np.uint64)
    # of all chunks: a text's hash must not depend on the chunk that it is in
    longest = max((int(np.diff(offsets[at : at + CHUNK + 1]).max()) for at in range(0, len(text), CHUNK)), default=0)
    for first in range(0, len(text), CHUNK):
        ends = offsets[first : first + CHUNK + 1]
        mixed[first : first + CHUNK] = _mixed(window, ends[:-1], ends[1:], longest)
    return mixed


def tail_hashes(text: pa.Array) -> np.ndarray:
    """Return 32 bits per text, of its last eight bytes alone: half the work of `hashes`.

    Examples
    --------
    >>> a, b, c, d = tail_hashes(pa.array(["FT911-000001", "b", "XX911-000001", "b"]))
    >>> bool(a == c), bool(b == d), bool(a == b)
    (True, True, False)
    """
    offsets, data = buffers(text)
    window = unaligned(data)
    mixed = np.empty(len(text), dtype=np.uint32)
    for first in range(0, len(text), CHUNK):
        ends = offsets[first : first + CHUNK + 1]
        length, begin = np.diff(ends), ends[1:] - 8
        width = int(length[0])
        if int(begin[0]) < 0:  # texts that end before the eighth byte of all
            word = window[np.maximum(begin, 0)] << (8 * np.maximum(-begin, 0)).astype(np.uint64)
        elif width >= 8 and (length == width).all():  # read step by step, not by address
            word = np.ndarray((len(begin),), "<u8", buffer=data, offset=int(begin[0]), strides=(width,)).copy()
        else:
            word = window[begin]
        if int(length.min()) < 8:  # what stands before a short text is not its own; two steps, as a shift by 64 is none
            spare = (4 * np.maximum(8 - length, 0)).astype(np.uint64)
            word = (word >> spare) >> spare
        word *= _ODD
        word >>= _HALF
        mixed[first : first + CHUNK] = word
    return mixed


def _mixed(window: np.ndarray, begin: np.ndarray, end: np.ndarray, longest: int) -> np.ndarray:
    """Return a hash of each text from its length and up to four words; longer texts are told apart by those alone."""
    length = end - begin
    if int(length.min()) < 8:
        at = np.minimum(begin, len(window) - 1)
        head = window[at] >> (8 * np.minimum(begin - at, 7)).astype(np.uint64)
        head &= _LOW_BYTES[np.minimum(length, 8)]
        tail = window[np.maximum(end - 8, at)]
        tail[length < 8] = 0
    else:
        head, tail = window[begin], window[end - 8]
    mixed = (head ^ length.astype(np.uint64)) * _ODD
    mixed ^= mixed >> _FOLD
    mixed += tail
    mixed *= _ODD
    for place in range(1, min(-(-longest // 8), 4) - 1):
        middle = window[np.minimum(begin + 8 * place, np.maximum(end - 8, begin)).clip(max=len(window) - 1)]
        if int(length.min()) < 8:
            middle[length < 8] = 0
        mixed ^= mixed >> _FOLD
        mixed += middle
        mixed *= _ODD
    return mixed ^ (mixed >> _FOLD)


CHUNK = 1 << 14
_ODD = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)
_LOW_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
_HALF = np.uint64(32)
