"""Id columns without string work: a column of ids as whole numbers, Arrow text, or codes into either.

The three forms answer the same questions (which neighbours differ, which rows hold one of these ids, which ids are
equal, which comes later in byte order), so that nothing above has to know how a caller stores ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pdeval.join.id_bytes import CHUNK, buffers, hashes, tail_hashes, texts_of_words, words, words_of_one_width
from pdeval.tables.codes import looked_up

__all__ = ["Ids", "buffers", "column_ids", "fingerprints", "marks", "words"]


@dataclass(frozen=True)
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

    def __len__(self) -> int:
        stored = self.numbers if self.numbers is not None else self.text if self.text is not None else self.codes
        return len(stored)  # type: ignore[arg-type]

    @property
    def type(self) -> str:
        """What the ids are: 'integers' or 'strings'."""
        if self.values is not None:
            return self.values.type
        return "integers" if self.numbers is not None else "strings"

    def take(self, rows: np.ndarray) -> Ids:
        """Return the ids of these rows."""
        if self.numbers is not None:
            return Ids(numbers=self.numbers[rows])
        if self.codes is not None:
            return Ids(codes=self.codes[rows], values=self.values)
        return Ids(text=self.text.take(pa.array(rows)))  # type: ignore[union-attr]

    def part(self, first: int, last: int) -> Ids:
        """Return the ids of the rows from `first` up to `last`, without copying."""
        if self.text is not None:
            return Ids(text=self.text.slice(first, last - first))
        if self.numbers is not None:
            return Ids(numbers=self.numbers[first:last])
        return Ids(codes=self.codes[first:last], values=self.values)  # type: ignore[index]

    def changes(self) -> np.ndarray:
        """Return, for every row but the first, whether its id differs from the row before."""
        if self.text is None:
            stored = self.numbers if self.numbers is not None else self.codes
            differ: np.ndarray = stored[1:] != stored[:-1]  # type: ignore[index]
            return differ
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
        differs = pc.not_equal(self.text.slice(done + 1), self.text.slice(done, len(changed) - done))
        changed[done:] = differs.to_numpy(zero_copy_only=False)
        return changed

    def decoded(self) -> Ids:
        """Return the same ids as numbers or text, without codes."""
        return self if self.values is None else self.values.take(self.codes)  # type: ignore[arg-type]

    def as_text(self) -> pa.Array:
        """Return the ids as Arrow text; whole numbers as their digits."""
        plain = self.decoded()
        return plain.text if plain.text is not None else pc.cast(pa.array(plain.numbers), pa.string())

    def index(self) -> pd.Index:
        """Return the ids as a pandas Index."""
        plain = self.decoded()
        if plain.numbers is not None:
            index: pd.Index = pd.Index(plain.numbers)
        else:
            index = pd.Index(plain.as_text().to_pandas().to_numpy(dtype=object), dtype=_text_dtype())
        return index

    def probe(self, known: Ids) -> np.ndarray:
        """Return, for every row, the place of its id among `known` (all different), or -1."""
        if self.values is not None:
            return self.values.probe(known)[self.codes]
        known = known.decoded()
        if self.numbers is not None:
            place = pc.index_in(pa.array(self.numbers), value_set=pa.array(known.numbers))
        else:
            place = pc.index_in(self.text, value_set=known.text.cast(self.text.type))  # type: ignore[union-attr]
        if place.null_count:
            place = pc.fill_null(place, -1)
        return place.to_numpy(zero_copy_only=False)

    def matches(self, known: Ids) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows that hold one of the `known` ids, and its place among them."""
        if self.values is not None:  # few values, many rows: which values are known tells all
            place = self.values.probe(known)
            rows = np.flatnonzero((place >= 0)[self.codes])
            return rows, place[self.codes[rows]]  # type: ignore[index]
        if self.numbers is not None:
            place = self.probe(known)
            rows = np.flatnonzero(place >= 0)
            return rows, place[rows]
        place = pc.index_in(self.text, value_set=known.decoded().text.cast(self.text.type))  # type: ignore[union-attr]
        valid, stored = place.buffers()
        held = np.frombuffer(stored, dtype=np.int32)[place.offset : place.offset + len(place)]
        if place.null_count == 0:
            return np.arange(len(place)), held
        # the bitmap of valid places is read as it is: most rows hold no known id
        bits = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")
        rows = np.flatnonzero(bits[place.offset : place.offset + len(place)])
        return rows, held[rows]

    def unique(self, *, narrow: bool = False) -> tuple[Ids, np.ndarray]:
        """Return the different ids in byte (or number) order, and each row's place among them.

        Places are of 64 bits; of 32 where `narrow` numbers will do: they are to be widened before they are multiplied.
        """
        small = np.int32 if narrow and len(self) < 2**31 else np.int64
        if self.numbers is not None:
            inverse, values = pd.factorize(self.numbers, sort=True)
            return Ids(numbers=values), inverse.astype(small, copy=False)
        if self.values is not None:
            there = np.zeros(len(self.values), dtype=bool)
            there[self.codes] = True
            known, again = self.values.take(np.flatnonzero(there)).unique()
            place = np.zeros(len(there), dtype=small)
            place[there] = again
            return known, looked_up(place, self.codes)  # type: ignore[arg-type]
        text: pa.Array = self.text
        number = words_of_one_width(text)  # told apart as numbers, where texts are short and of one width
        encoded = (text if number is None else pa.array(number[0] & number[1])).dictionary_encode()
        known, code = encoded.dictionary, encoded.indices.to_numpy()
        if number is not None:
            known = texts_of_words(known.to_numpy(), number[1], text.type)
        order = pc.sort_indices(known).to_numpy()
        place = np.empty(len(order), dtype=small)
        place[order] = np.arange(len(order))
        return Ids(text=known.take(pa.array(order))), looked_up(place, code)


def _text_dtype() -> Any:
    return "str" if int(pd.__version__.partition(".")[0]) >= 3 else object


def column_ids(column: pd.Series, role: str) -> Ids:
    """Return a column's ids, copying nothing where it is Arrow-backed, categorical or integer.

    Examples
    --------
    >>> column_ids(pd.Series([3, 4]), "query").type
    'integers'
    >>> column_ids(pd.Series([3.0, 4.0]), "query").numbers.tolist()
    [3, 4]
    >>> column_ids(pd.Series([0.5]), "query")
    Traceback (most recent call last):
    ValueError: the query column holds float64 values, e.g. 0.5; ids must be strings or whole numbers.
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = column.array.codes  # of 8 to 32 bits: to be widened before sums
        if codes.min(initial=0) < 0:
            raise _missing(int((codes < 0).sum()), role)
        return Ids(codes=codes, values=column_ids(pd.Series(column.cat.categories), role))
    plain = isinstance(dtype, np.dtype) and dtype.kind in "iub"
    arrow = None if plain else _arrow(column)
    missing = 0 if plain else int(column.isna().sum()) if arrow is None else arrow.null_count
    if missing:
        raise _missing(missing, role)
    if pd.api.types.is_bool_dtype(dtype):
        raise ValueError(f"the {role} column holds true/false values; ids must be strings or integers.")
    if pd.api.types.is_integer_dtype(dtype):
        if str(dtype).lower().startswith("uint64") and len(column) and column.max() > np.iinfo(np.int64).max:
            raise ValueError(f"the {role} column holds integers too large for 63 bits. Convert with .astype(str).")
        return Ids(numbers=column.to_numpy(dtype=np.int64))
    if pd.api.types.is_float_dtype(dtype):
        # whole numbers that a missing value elsewhere made floats; as text they would be "1.0" and never match "1"
        number = column.to_numpy(dtype=np.float64)
        whole = np.isfinite(number) & (number == np.trunc(number)) & (np.abs(number) < 2.0**53)
        if whole.all():
            return Ids(numbers=number.astype(np.int64))
        first = column[~whole].iloc[0]
        raise ValueError(f"the {role} column holds {dtype} values, e.g. {first}; ids must be strings or whole numbers.")
    if pd.api.types.is_numeric_dtype(dtype):
        raise ValueError(f"the {role} column holds {dtype} values; ids must be strings or whole numbers.")
    return _text(column, arrow, role)


def _missing(count: int, role: str) -> ValueError:
    return ValueError(f"the {role} column has {count:,} missing ids; drop or fill those rows.")


def _arrow(column: pd.Series) -> pa.Array | None:
    """Return a column as one Arrow array, sharing its memory where it is one already; None where types are mixed."""
    try:
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, UnicodeEncodeError):
        return None
    if isinstance(array, pa.ChunkedArray):
        return array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    return array


def _text(column: pd.Series, array: pa.Array | None, role: str) -> Ids:
    if array is not None and pa.types.is_dictionary(array.type):
        return _from_dictionary(array, role)
    try:
        ids = _typed(array)
    except pa.ArrowInvalid:
        raise ValueError(f"the {role} column holds bytes that are not UTF-8 text; decode them first.") from None
    if ids is None:
        kinds = sorted({type(value).__name__ for value in column})
        if kinds == ["str"]:
            raise ValueError(f"the {role} column holds half of a character (a lone surrogate), which no file can hold.")
        large = ", some too large for 63 bits" if kinds in (["int"], ["uint64"]) else ""
        raise ValueError(
            f"the {role} column holds values of type {', '.join(kinds)}{large}; ids must be all strings or all "
            f"integers. Convert with .astype(str)."
        )
    return ids


def _from_dictionary(array: pa.Array, role: str) -> Ids:
    values = column_ids(pd.Series(array.dictionary.to_pandas()), role) if array.dictionary.null_count == 0 else None
    codes = array.indices.to_numpy().astype(np.int32)
    if values is None:
        missing = int(np.isin(codes, np.flatnonzero(array.dictionary.is_null().to_numpy(zero_copy_only=False))).sum())
        raise _missing(missing, role)
    if pc.count_distinct(array.dictionary).as_py() < len(array.dictionary):
        values, place = values.unique()  # Arrow lets a dictionary hold a text twice
        codes = place[codes].astype(np.int32)
    return Ids(codes=codes, values=values)


def _typed(array: pa.Array | None) -> Ids | None:
    if array is None:
        return None
    if pa.types.is_integer(array.type):
        numbers = array.to_numpy()
        return Ids(numbers=numbers.astype(np.int64)) if numbers.max() <= np.iinfo(np.int64).max else None
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
    if ids.text is None:
        return (ids.numbers if ids.numbers is not None else ids.codes).astype(np.uint64)  # type: ignore[union-attr]
    return hashes(ids.text)


def marks(ids: Ids) -> np.ndarray:
    """Return up to 32 bits per row, equal for equal ids and seldom for different ones; cheaper than `fingerprints`.

    Examples
    --------
    >>> marks(column_ids(pd.Series([7, 8, 7]), "doc")).tolist()
    [7, 8, 7]
    """
    if ids.codes is not None:
        return ids.codes.view(f"u{ids.codes.itemsize}")  # codes are not negative: nothing is copied
    if ids.numbers is not None:
        large = ids.numbers.max(initial=0) >> 32 or ids.numbers.min(initial=0) < 0
        return (ids.numbers * np.int64(_LARGE) >> 32 if large else ids.numbers).astype(np.uint32)
    some = ids.text.slice(0, SAMPLE)  # type: ignore[union-attr]
    if len(np.unique(tail_hashes(some))) < len(np.unique(hashes(some))):  # the ends of ids do not tell them apart
        return (hashes(ids.text) >> np.uint64(32)).astype(np.uint32)
    return tail_hashes(ids.text)


SAMPLE = 1024
_LARGE = 0x1E3779B97F4A7C15
