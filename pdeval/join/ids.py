"""Id columns without string work: a column of ids as integers, Arrow text, or codes into either.

The three forms answer the same questions (which neighbors differ, which rows have one of these ids, which ids are
equal, which comes later in byte order), so no other module depends on how a caller stores ids. The bytes of Arrow texts
are compared and hashed as 8-byte numbers, without making strings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.tables import counts_of, looked_up

CHUNK = 1 << 14  # texts whose words stay in the processor's cache
SAMPLE = 1024
# multipliers of the words of a hash: odd, so no bit is lost
_MULTIPLIERS = np.multiply.accumulate(np.full(8, 0x9E3779B97F4A7C15, dtype=np.uint64))
_LOW_BYTES = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Ids:
    """A column of ids; exactly one of `numbers`, `text`, and `codes` with `values`, is set.

    Examples
    --------
    >>> ids = column_ids(pd.Series(["d1", "d2", "d2"]), "doc")
    >>> ids.changes().tolist(), len(ids), ids.type
    ([True, False], 3, 'strings')
    """

    numbers: np.ndarray | None = None
    text: pa.Array | None = None
    codes: np.ndarray | None = None
    values: Ids | None = None

    @property
    def _form(self) -> str:
        """The name of the field with one element per row."""
        if self.text is not None:
            return "text"
        return "numbers" if self.numbers is not None else "codes"

    @property
    def stored(self) -> Any:
        """The array with one element per row: numbers, text or codes."""
        return vars(self)[self._form]

    def __len__(self) -> int:
        return len(self.stored)

    @property
    def type(self) -> str:
        """The type of the ids: 'integers' or 'strings'."""
        if self.values is not None:
            return self.values.type
        return "integers" if self.numbers is not None else "strings"

    def take(self, rows: np.ndarray) -> Ids:
        """Return the ids of these rows."""
        stored = self.stored[rows] if self.text is None else self.text.take(pa.array(rows))
        return replace(self, **{self._form: stored})

    def part(self, first: int, last: int) -> Ids:
        """Return the ids of the rows from `first` up to `last`, without copying."""
        return replace(self, **{self._form: self.stored[first:last]})

    def changes(self) -> np.ndarray:
        """Return, for every row but the first, whether its id differs from the row before."""
        if self.text is None:
            return np.asarray(self.stored[1:] != self.stored[:-1])
        if len(self) < 2:
            return np.zeros(0, dtype=bool)
        changed, done = np.empty(len(self) - 1, dtype=bool), 0
        # all but the last texts, whose words would reach over the end of the buffer, which would be copied
        number = words_of_one_width(self.text.slice(0, max(len(self) - 8, 0)))
        if number is not None:
            done = len(number[0]) - 1
            for at in range(0, done, CHUNK):
                part = number[0][at : at + CHUNK + 1] & number[1]
                np.not_equal(part[1:], part[:-1], out=changed[at : min(at + CHUNK, done)])
        changed[done:] = pc.not_equal(
            self.text.slice(done + 1), self.text.slice(done, len(changed) - done)
        ).to_numpy(zero_copy_only=False)
        return changed

    def decoded(self) -> Ids:
        """Return the same ids as numbers or text, without codes."""
        return self if self.values is None else self.values.take(self.stored)

    def as_text(self) -> pa.Array:
        """Return the ids as Arrow text; integers as their digits."""
        plain = self.decoded()
        return (
            plain.text if plain.text is not None else pc.cast(pa.array(plain.numbers), pa.string())
        )

    def index(self) -> pd.Index:
        """Return the ids as a pandas Index."""
        plain = self.decoded()
        if plain.numbers is not None:
            return pd.Index(plain.numbers.astype(np.int64))
        dtype: Any = "str" if int(pd.__version__.partition(".")[0]) >= 3 else object
        return pd.Index(plain.as_text().to_pandas().to_numpy(dtype=object), dtype=dtype)

    def probe(self, known: Ids) -> np.ndarray:
        """Return, for every row, the place of its id among `known` (all different), or -1."""
        if self.values is not None:  # few values, many rows
            return self.values.probe(known)[self.codes]
        known = known.decoded()
        if self.numbers is not None:
            place = pc.index_in(
                *(pa.array(ids.astype(np.int64)) for ids in (self.numbers, known.stored))
            )
        else:
            place = pc.index_in(self.text, value_set=known.text.cast(self.stored.type))  # type: ignore[union-attr]
        if place.null_count:
            place = pc.fill_null(place, -1)
        return place.to_numpy(zero_copy_only=False)

    @cached_property
    def marks(self) -> np.ndarray:
        """Up to 32 bits per row, equal for equal ids and seldom for different ones.

        Examples
        --------
        >>> Ids(numbers=np.array([7, 8, 7])).marks.tolist()
        [7, 8, 7]
        """
        return self.marks_like(self)

    def marks_like(self, other: Ids) -> np.ndarray:
        """Return marks that are equal to those of equal ids of `other`."""
        if self.codes is not None:
            return self.codes.view(f"u{self.codes.itemsize}")  # codes are not negative
        if self.numbers is None:
            return hashes(self.text, words=other._mark_words, bits=32)
        small = int(self.numbers.min(initial=0)) >= 0 and int(self.numbers.max(initial=0)) < 2**32
        if small and self.numbers.itemsize == 4:
            return self.numbers.view(np.uint32)
        number = self.numbers if small else self.numbers.astype(np.int64)
        return (number if small else number + (number >> 32) * 0x9E3779B1).astype(np.uint32)

    @cached_property
    def _mark_words(self) -> int:
        """The words of eight bytes to hash: one, which is half the work, unless different ids end in the same bytes."""
        sample = self.stored.slice(0, SAMPLE)
        # sorted and compared, since np.unique hashes, which is slower
        tails, texts = (
            np.count_nonzero(np.diff(np.sort(hashes(sample, words=words))))
            for words in (1, len(_MULTIPLIERS))
        )
        return 1 if tails == texts else len(_MULTIPLIERS)

    def unique(self, *, narrow: bool = False, natural: bool = False) -> tuple[Ids, np.ndarray]:
        """Return the different ids in byte (or number) order, and each row's place among them.

        Places have 64 bits, or if `narrow` the fewest that are enough: widen them before multiplication. Texts are in
        natural order if `natural`: 2 before 10.
        """
        if self.numbers is not None:
            return self._unique_numbers(narrow)
        if self.values is not None:  # the values that are used, and the new code of each
            used = np.flatnonzero(counts_of(self.stored, len(self.values)))
            known, code = self.values.take(used).unique(natural=natural)
            place = np.zeros(len(self.values), dtype=_place_dtype(len(known), narrow))
            place[used] = code
            return known, looked_up(place, self.stored)
        number = words_of_one_width(
            self.text
        )  # short texts of one width are encoded as numbers, which is faster
        encoded = (
            self.stored if number is None else pa.array(number[0] & number[1])
        ).dictionary_encode()
        texts = encoded.dictionary
        if number is not None:
            texts = texts_of_words(texts.to_numpy(), number[1], self.stored.type)
            # numbers of one width: their natural order is their byte order
            natural = natural and not pc.all(pc.ascii_is_decimal(texts)).as_py()
        order = natural_order(texts) if natural else pc.sort_indices(texts).to_numpy()
        place = np.empty(len(order), dtype=_place_dtype(len(order), narrow))
        # inverse permutation: from first occurrence to byte order
        place[order] = np.arange(len(order))
        return Ids(text=texts.take(pa.array(order))), looked_up(place, encoded.indices.to_numpy())

    def _unique_numbers(self, narrow: bool) -> tuple[Ids, np.ndarray]:
        numbers = cast(np.ndarray, self.numbers)
        count = int(numbers.max(initial=-1)) + 1
        if numbers.min(initial=0) >= 0 and count <= len(numbers):
            # small integers are counted, which is faster than hashing them
            values = np.flatnonzero(counts_of(numbers, count))
            place = np.zeros(count, dtype=_place_dtype(len(values), narrow))
            place[values] = np.arange(len(values))
            return Ids(numbers=values), looked_up(place, numbers)
        inverse, values = pd.factorize(numbers, sort=True)
        dtype = _place_dtype(len(values), narrow)
        return Ids(numbers=values.astype(np.int64)), inverse.astype(dtype, copy=False)


def _place_dtype(count: int, narrow: bool) -> np.dtype:
    return np.min_scalar_type(count) if narrow else np.dtype(np.int64)


def natural_order(texts: pa.Array) -> np.ndarray:
    """Return the permutation that sorts texts by what precedes their first number, the number, and the rest.

    The order of two texts does not depend on the other texts.

    Examples
    --------
    >>> texts = pa.array(["10", "q2", "2", "q10", "x"])
    >>> texts.take(pa.array(natural_order(texts))).to_pylist()
    ['2', '10', 'q2', 'q10', 'x']
    """
    # 18 digits fit in an integer; a text without a number is all prefix
    parts = pc.extract_regex(
        texts, r"^(?P<prefix>[^0-9]*)(?P<number>[0-9]{1,18})(?P<rest>[^0-9].*)?$"
    )
    has_number = parts.is_valid()
    prefix = pc.if_else(has_number, parts.field("prefix"), texts.cast(parts.field("prefix").type))
    number = pc.if_else(has_number, parts.field("number"), "0").cast(pa.int64())
    keys = pa.table({"prefix": prefix, "number": number, "text": texts})
    return pc.sort_indices(
        keys, sort_keys=[(name, "ascending") for name in keys.column_names]
    ).to_numpy()


def column_ids(column: pd.Series, role: str) -> Ids:
    """Return the ids of a column, copying nothing if it is Arrow-backed, categorical or integer.

    Examples
    --------
    >>> column_ids(pd.Series([3, 4]), "query").type
    'integers'
    >>> column_ids(pd.Series([3.0, 4.0]), "query").numbers.tolist()
    [3, 4]
    >>> column_ids(pd.Series([0.5]), "query")
    Traceback (most recent call last):
    ValueError: the query column has float64 values, e.g. 0.5; ids must be strings or integers.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = column.array.codes  # of 8 to 32 bits: to be widened before sums
        if codes.min(initial=0) < 0:
            raise _missing_ids(int((codes < 0).sum()), role)
        return Ids(codes=codes, values=column_ids(pd.Series(column.cat.categories), role))
    plain = isinstance(dtype, np.dtype) and dtype.kind in "iub"
    array = None if plain else _arrow(column)
    if not plain and (missing := int(column.isna().sum()) if array is None else array.null_count):
        raise _missing_ids(missing, role)
    if pd.api.types.is_integer_dtype(dtype):
        if (
            str(dtype).lower().startswith("uint64")
            and len(column)
            and column.max() > np.iinfo(np.int64).max
        ):
            raise ValueError(
                f"the {role} column has integers too large for 63 bits. Convert with .astype(str)."
            )
        # shorter integers stay as they are; results are of 64 bits
        short = plain and dtype.kind == "i"
        return Ids(numbers=column.to_numpy() if short else column.to_numpy(dtype=np.int64))
    if pd.api.types.is_float_dtype(dtype):
        # integers that a missing value elsewhere made floats; as text they would be "1.0" and never match "1"
        number = column.to_numpy(dtype=np.float64)
        integral = np.isfinite(number) & (number == np.trunc(number)) & (np.abs(number) < 2.0**53)
        if integral.all():
            return Ids(numbers=number.astype(np.int64))
        column = column[~integral]
    if pd.api.types.is_numeric_dtype(dtype):
        example = f", e.g. {column.iloc[0]}" if len(column) else ""
        raise ValueError(
            f"the {role} column has {dtype} values{example}; ids must be strings or integers."
        )
    if array is not None and pa.types.is_dictionary(array.type):
        return _from_dictionary(array, role)
    try:
        ids = None if array is None else _from_arrow(array)
    except pa.ArrowInvalid:
        raise ValueError(
            f"the {role} column has bytes that are not valid UTF-8. Decode them first."
        ) from None
    if ids is None:
        raise _mixed_types(column, role)
    return ids


def _missing_ids(count: int, role: str) -> ValueError:
    return ValueError(f"the {role} column has {count:,} missing ids. Drop or fill these rows.")


def _mixed_types(column: pd.Series, role: str) -> ValueError:
    types = sorted({type(value).__name__ for value in column})
    if types == ["str"]:
        return ValueError(
            f"the {role} column has a lone surrogate, which cannot be encoded. Replace it."
        )
    large = ", some too large for 63 bits" if types in (["int"], ["uint64"]) else ""
    return ValueError(
        f"the {role} column has values of type {', '.join(types)}{large}; ids must be all strings or all "
        f"integers. Convert with .astype(str)."
    )


def _arrow(column: pd.Series) -> pa.Array | None:
    """Return a column as one Arrow array, sharing its memory if it is one already; None if types are mixed."""
    try:
        array = pa.array(column, from_pandas=True)
    except (
        pa.ArrowInvalid,
        pa.ArrowTypeError,
        pa.ArrowNotImplementedError,
        OverflowError,
        UnicodeEncodeError,
    ):
        return None
    if isinstance(array, pa.ChunkedArray):
        return array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    return array


def _from_dictionary(array: pa.Array, role: str) -> Ids:
    codes = array.indices.to_numpy().astype(np.int32)
    if array.dictionary.null_count:
        null_codes = np.flatnonzero(array.dictionary.is_null().to_numpy(zero_copy_only=False))
        raise _missing_ids(int(np.isin(codes, null_codes).sum()), role)
    values = column_ids(pd.Series(array.dictionary.to_pandas()), role)
    if pc.count_distinct(array.dictionary).as_py() < len(array.dictionary):
        values, place = values.unique()  # Arrow lets a dictionary have a text twice
        codes = place[codes].astype(np.int32)
    return Ids(codes=codes, values=values)


def _from_arrow(array: pa.Array) -> Ids | None:
    """Return the ids of an Arrow array, or None if its type has none."""
    if pa.types.is_integer(array.type):
        numbers = array.to_numpy()
        return (
            Ids(numbers=numbers.astype(np.int64))
            if numbers.max() <= np.iinfo(np.int64).max
            else None
        )
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        return Ids(text=array)
    if str(array.type) in ("string_view", "binary", "large_binary"):
        return Ids(text=array.cast(pa.large_string()))
    return Ids(text=pa.array([], pa.string())) if pa.types.is_null(array.type) else None


def fingerprints(ids: Ids) -> np.ndarray:
    """Return a number per row that is equal for equal ids, and rarely equal for different ones.

    Examples
    --------
    >>> a, b, c = fingerprints(column_ids(pd.Series(["doc-1", "doc-2", "doc-1"]), "doc"))
    >>> bool(a == c != b)
    True
    """
    return ids.stored.astype(np.uint64) if ids.text is None else hashes(ids.text)


def buffers(text: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Return the offsets (length n + 1) and the bytes (at least 8) of an Arrow text array, without copying."""
    _, offsets, data = text.buffers()
    dtype = np.int64 if pa.types.is_large_string(text.type) else np.int32
    ends = np.frombuffer(offsets, dtype=dtype)[text.offset : text.offset + len(text) + 1]
    raw = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, np.uint8)
    return ends, raw if len(raw) >= 8 else np.concatenate([raw, np.zeros(8 - len(raw), np.uint8)])


def words_of_one_width(text: pa.Array) -> tuple[np.ndarray, np.uint64] | None:
    """Return texts as numbers to be masked, copying nothing, if all have one width of at most 8 bytes; else None.

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
    if first + width * (count - 1) + 8 > len(
        data
    ):  # the last words would reach over the end of the buffer
        data, first = np.concatenate([data[first:], np.zeros(8, np.uint8)]), 0
    return np.ndarray(
        (count,), dtype="<u8", buffer=data, offset=first, strides=(width,)
    ), _LOW_BYTES[width]


def texts_of_words(number: np.ndarray, mask: np.uint64, dtype: pa.DataType) -> pa.Array:
    """Return the texts that `words_of_one_width` made numbers of.

    Examples
    --------
    >>> number, mask = words_of_one_width(pa.array(["301", "302"]))
    >>> texts_of_words(number & mask, mask, pa.string()).to_pylist()
    ['301', '302']
    """
    width = int(mask).bit_length() // 8
    # the bytes of a little-endian integer are the characters of the id, first character first
    raw = (
        np.ascontiguousarray(number, dtype="<u8").view(np.uint8).reshape(-1, 8)[:, :width].tobytes()
    )
    offsets = np.arange(len(number) + 1, dtype=np.int64) * width
    buffers = pa.py_buffer(offsets), pa.py_buffer(raw)
    return pa.LargeStringArray.from_buffers(len(number), *buffers).cast(dtype)


def hashes(text: pa.Array, *, words: int = len(_MULTIPLIERS), bits: int = 64) -> np.ndarray:
    """Return a hash of each text from its length and its last words of eight bytes: equal for equal texts.

    Examples
    --------
    >>> a, b, c = hashes(pa.array(["FT911-000001", "XX911-000001", "FT911-000001"]))
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    offsets, data = buffers(text)
    # the eight bytes from each byte on as a number: strides of one byte, so the numbers overlap
    window = np.ndarray(len(data) - 7, "<u8", data, strides=(1,))
    hashed = np.empty(len(text), dtype=f"u{bits // 8}")
    for first in range(0, len(text), CHUNK):  # chunks keep the temporaries in the cache
        ends = offsets[first : first + CHUNK + 1]
        length = np.diff(ends)
        shortest, longest = int(length.min()), int(length.max())
        mixed = length.astype(np.uint64)
        for place in range(1, min(words, -(-longest // 8)) + 1):
            begin = ends[1:] - 8 * place
            start = int(begin[0])
            if start < 0:  # near the start of the buffer a word is read later, and shifted
                word = window[np.maximum(begin, 0)] << (8 * np.maximum(-begin, 0)).astype(np.uint64)
            elif shortest == longest:  # read step by step, not by address
                word = np.ndarray(len(begin), "<u8", data, start, strides=(longest,)).copy()
            else:
                word = window[begin]
            if shortest < 8 * place:
                # clears the bytes before a text, in two steps: a shift by 64 is undefined
                spare = (4 * np.clip(8 * place - length, 0, 8)).astype(np.uint64)
                word = (word >> spare) >> spare
            # a sum: words that a text does not have are 0, and add nothing
            word *= _MULTIPLIERS[place - 1]
            mixed += word
        mixed >>= np.uint64(64 - bits)
        hashed[first : first + CHUNK] = mixed
    return hashed
