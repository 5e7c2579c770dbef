"""Ranks: where chosen rows of each list stand, sorting only what is not sorted and comparing ids only among ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from pdeval.join import ids
from pdeval.join.ids import Ids
from pdeval.join.lists import Lists, dense, ranges

BLOCK = 1 << 18
PART = 1 << 16
Ties = Literal["docid", "rank", "first", "expected"]


@dataclass(frozen=True)
class Ranks:
    """Where some rows stand: `rank` from 1; `start` and `size` tell the group of tied rows that each is in."""

    rank: np.ndarray
    start: np.ndarray
    size: np.ndarray


def sort_lists(score: np.ndarray, lists: Lists) -> np.ndarray | None:
    """Return the rows with every list sorted by falling score, or None where all are sorted already.

    Rows with equal scores stay as they stand.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> import pandas as pd
    >>> from pdeval.join.lists import find_lists
    >>> frame = pd.DataFrame({"query_id": 1, "doc_id": [1, 2, 3], "score": [0.1, 0.3, 0.2]})
    >>> sort_lists(frame["score"].to_numpy(), find_lists(read(frame, "runs"))).tolist()
    [1, 2, 0]
    """
    rises = np.zeros(len(score), dtype=bool)
    np.greater(score[1:], score[:-1], out=rises[1:])
    rises[lists.starts[:-1]] = False
    if not rises.any():
        return None
    bad = np.flatnonzero(np.logical_or.reduceat(rises, lists.starts[:-1]))
    order = np.arange(len(score), dtype=np.int32 if len(score) < 2**31 else np.int64)
    for _, rows, real in dense(lists.starts, bad, most=BLOCK):
        whole = bool(real.all())
        if whole and rows[-1, -1] - rows[0, 0] + 1 == rows.size:  # lists that follow each other
            place: slice | np.ndarray = slice(rows[0, 0], rows[-1, -1] + 1)
            held = score[place].reshape(rows.shape)
        else:
            place, held = rows[real], score[rows]
        by = _by_leading_bits(held, None if whole else real)
        by += rows[:, :1]
        held = score.take(by, mode="clip")  # beyond a list stands what is not looked at
        rise = held[:, 1:] > held[:, :-1]
        for one in np.flatnonzero((rise if whole else rise & real[:, 1:]).any(axis=1)):
            alone = rows[one][real[one]]  # scores that differ in their last bits alone
            by[one, : len(alone)] = alone[np.argsort(-score[alone], kind="stable")]
        order[place] = by[real] if isinstance(place, np.ndarray) else by.ravel()  # padding comes last
    return order


def _by_leading_bits(score: np.ndarray, real: np.ndarray | None) -> np.ndarray:
    """Return the places of scores from the largest to the smallest, row by row; rows that are equal as they stand.

    Sorts whole numbers that hold the leading bits of a score and, in the place of its last ones, where it stands:
    faster than an `argsort`. Scores that differ in their last bits alone may come in a wrong order.
    """
    bits = (score.astype(np.float64, copy=False) + 0.0).view(np.int64)  # plus 0: 0 and -0 are one score
    bits ^= ~(bits >> 63) & np.iinfo(np.int64).max  # as unsigned numbers they now rise where scores fall
    low = (1 << score.shape[1].bit_length()) - 1
    bits &= ~low
    if real is not None:
        bits[~real] = ~low
    bits |= np.arange(score.shape[1])
    key = bits.view(np.uint64)
    key.sort(axis=-1)
    bits &= low
    return bits


def of_rows(
    rows: np.ndarray, score: np.ndarray, doc: Ids, lists: Lists, ties: Ties, order: np.ndarray | None = None
) -> Ranks:
    """Return where `rows` stand, every list being sorted by falling score.

    Parameters
    ----------
    rows : ndarray
        Places in the sorted order.
    score : ndarray
        Scores in the sorted order.
    doc : Ids
        The ids in the order of the caller's table; `order` maps the sorted order to it, where they differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.tables.reader import read
    >>> from pdeval.join.lists import find_lists
    >>> frame = pd.DataFrame({"query_id": 1, "doc_id": ["a", "b", "c"], "score": [2.0, 1.0, 1.0]})
    >>> doc = ids.column_ids(frame["doc_id"], "doc")
    >>> lists = find_lists(read(frame, "runs"))
    >>> of_rows(np.array([1, 2]), frame["score"].to_numpy(), doc, lists, "docid").rank.tolist()
    [3, 2]
    """
    small = np.int32 if len(score) < 2**31 else np.int64
    found = Ranks(*(np.empty(len(rows), dtype=small) for _ in range(3)))
    step = PART if (rows[1:] >= rows[:-1]).all() else len(rows)  # parts of rising rows look at few lists each
    for at in range(0, len(rows), step):
        part = slice(at, at + step)
        found.rank[part], found.start[part], found.size[part] = _of_part(rows[part], score, doc, lists, ties, order)
    return found


def _of_part(
    rows: np.ndarray, score: np.ndarray, doc: Ids, lists: Lists, ties: Ties, order: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    own = lists.of_rows(rows)
    begin = lists.starts[own]
    place = rows - begin
    start, size, rank = place, np.ones(len(rows), dtype=np.int64), place + 1
    if ties in ("first", "rank"):
        return rank, start, size
    # the lists that are looked at, and which of their rows has another score than the one before
    starts = lists.starts[own.min() : own.max() + 2]
    since, score = starts[0], score[starts[0] : starts[-1]]
    new = np.empty(len(score) + 1, dtype=bool)
    np.not_equal(score[1:], score[:-1], out=new[1:-1])
    new[starts - since] = True  # the first and the last among them
    tied = np.flatnonzero(~(new[rows - since] & new[rows - since + 1]))
    if len(tied):
        # groups of more than one row: they begin where the next row is not new, and end where it is new again
        begins, ends = np.flatnonzero(new[:-1] & ~new[1:]) + since, np.flatnonzero(~new[:-1] & new[1:]) + 1 + since
        group = np.searchsorted(begins, rows[tied], side="right") - 1
        first = begins[group]
        size[tied] = ends[group] - first
        start[tied] = first - begin[tied]
        if ties == "docid":
            rank[tied] = start[tied] + 1 + _later(rows[tied], first, size[tied], doc, order)
    return rank, start, size


def _later(rows: np.ndarray, first: np.ndarray, size: np.ndarray, doc: Ids, order: np.ndarray | None) -> np.ndarray:
    """Return how many ids of the row's tie group come later in byte order than the row's own."""
    small = size <= 16
    later = np.zeros(len(rows), dtype=np.int64)
    if small.any():
        later[small] = _later_by_pairs(rows[small], first[small], size[small], doc, order)
    if not small.all():
        later[~small] = _later_by_sorting(rows[~small], first[~small], size[~small], doc, order)
    return later


def _later_by_pairs(
    rows: np.ndarray, first: np.ndarray, size: np.ndarray, doc: Ids, order: np.ndarray | None
) -> np.ndarray:
    other = ranges(first, size)
    mine = np.repeat(np.arange(len(rows)), size)
    text, local = _local_text(doc, np.concatenate([rows, other]), order)
    left, right = local[: len(rows)][mine], local[len(rows) :]
    count = np.zeros(len(rows), dtype=np.int64)
    place = 0
    while len(left):
        word, against = ids.words(text, left, place), ids.words(text, right, place)
        count += np.bincount(mine[against > word], minlength=len(count))
        undecided = np.flatnonzero((word == against) & (left != right))
        word, left, right, mine = word[undecided], left[undecided], right[undecided], mine[undecided]
        place += 1
        over = np.flatnonzero((word & np.uint64(0xFF)) == 0)  # padding, or a NUL, which only lengths can tell from it
        over = over[np.maximum(_lengths(text, left[over]), _lengths(text, right[over])) <= 8 * place]
        if len(over):
            more = _lengths(text, right[over]) - _lengths(text, left[over])
            # equal but for NULs at the end: the longer is later; one id twice: as the rows stand
            later = (more > 0) | ((more == 0) & (right[over] < left[over]))
            count += np.bincount(mine[over[later]], minlength=len(count))
            left, right, mine = np.delete(left, over), np.delete(right, over), np.delete(mine, over)
    return count


def _lengths(text: pa.Array, rows: np.ndarray) -> np.ndarray:
    offsets, _ = ids.buffers(text)
    return offsets[rows + 1] - offsets[rows]


def _later_by_sorting(
    rows: np.ndarray, first: np.ndarray, size: np.ndarray, doc: Ids, order: np.ndarray | None
) -> np.ndarray:
    groups, place = np.unique(first, return_inverse=True)
    sizes = np.zeros(len(groups), dtype=np.int64)
    sizes[place] = size
    member = ranges(groups, sizes)
    text, local = _local_text(doc, member, order)
    key = np.repeat(np.arange(len(groups)), sizes)
    by = np.arange(len(member))
    length = _lengths(text, local)
    longest = int(length.max())
    # least significant first: the length, which tells NULs from padding, then word by word; the group comes last
    if length.min() < longest:  # in the fewest bits, which numpy sorts without comparing
        by = np.argsort((longest - length).astype(np.min_scalar_type(longest)), kind="stable")
    for step in reversed(range(-(-longest // 8))):
        word = ids.words(text, local, step)
        if word.min() != word.max():
            by = by[np.argsort(~word[by], kind="stable")]
    by = by[np.argsort(key[by], kind="stable")]
    begin = np.cumsum(sizes) - sizes
    later = np.empty_like(by)
    later[by] = np.arange(len(member)) - begin[key[by]]
    return later[begin[place] + rows - first]


def _local_text(doc: Ids, rows: np.ndarray, order: np.ndarray | None) -> tuple[pa.Array, np.ndarray]:
    """Return text that holds these rows' ids, and each row's place in it, converting only what is compared."""
    rows = rows if order is None else order[rows]
    if doc.text is not None:
        return doc.text, rows
    used, local = np.unique(rows, return_inverse=True)
    return doc.take(used).as_text(), local
