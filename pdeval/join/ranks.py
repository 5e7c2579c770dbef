"""Ranks: the order of the rows of each list under the rules of a join.

Only lists that are not sorted are sorted, and only ids of tied rows are compared. `top` ranks all rows of a run table.
"""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from pdeval.join import ids
from pdeval.join.duplicates import no_duplicates
from pdeval.join.ids import Ids
from pdeval.join.lists import Lists, dense, find_lists, ranges
from pdeval.join.rules import Compat, Ties, checked_rules, outside
from pdeval.tables import Table, begins, numbers, run_labels, together

BLOCK = 1 << 18
PART = 1 << 16
FEW_TIED = 16  # rows of a group of ties that are compared pair by pair


class Ranks(NamedTuple):
    """The ranks of rows, from 1; `start` and `size`: rows above the group of ties of each, and rows in it."""

    rank: np.ndarray
    start: np.ndarray
    size: np.ndarray


def scores_of(runs: Table, ties: Ties, compat: Compat) -> np.ndarray:
    """Return the numbers that lists are sorted by, the largest first."""
    if ties == "rank":
        return -numbers(runs.column("rank"), "rank")
    score = numbers(runs.column("score"), "score", narrow=True)  # compared, and never added up
    # trec_eval 9 stores scores as floats, so scores that differ beyond 24 bits are tied there
    if compat != "trec_eval-9":
        return score
    with np.errstate(over="ignore"):  # beyond a float's range they are infinite there
        return score.astype(np.float32)


def sorted_scores(
    score: np.ndarray, lists: Lists, ties: Ties
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return numbers that change where the score does, list after list and best first, and the row of each.

    The numbers are the scores and the rows None if the rows of the table are in that order already. Otherwise
    `lists.order`, if there is one, is sorted in place, which saves memory.
    """
    step, order = sort_lists(score, lists)
    if ties != "rank":
        return step, order
    equal = np.flatnonzero(step[1:] == step[:-1]) + 1
    # the first row of a list has no row before it
    equal = equal[lists.starts[lists.of_rows(equal)] != equal]
    if len(equal):
        example = lists.of_rows(equal)[0]
        name = " / ".join(map(str, lists.runs.iloc[lists.run[example]]))
        query = lists.queries.index().tolist()[lists.query[example]]
        raise ValueError(
            f"{len(equal):,} rows have the same rank as another row of their list, e.g. in run {name!r}, query "
            f"{query!r}, so the rank column does not define an order. Use ties='docid' or ties='first'."
        )
    return step, order


def sort_lists(score: np.ndarray, lists: Lists) -> tuple[np.ndarray, np.ndarray | None]:
    """Sort every list by falling score; rows with equal scores stay in their order. See `sorted_scores`.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"query_id": 1, "doc_id": [1, 2, 3, 4], "score": [0.1, 0.3, 0.2, 0.2]})
    >>> step, order = sort_lists(frame["score"].to_numpy(), find_lists(read(frame, "runs")))
    >>> step.tolist(), order.tolist()
    ([True, False, False, True], [1, 2, 3, 0])
    """
    starts, order = lists.starts, lists.order
    unsorted: np.ndarray | None = None
    # a bit that changes where the score does: one byte per row instead of a sorted copy of the scores
    step = np.zeros(len(score), dtype=bool)
    if order is None:
        np.greater(score[1:], score[:-1], out=step[1:])
        step[starts[:-1]] = False
        if not step.any():
            return score, None
        # lists in which a score is higher than the one above it
        unsorted = np.flatnonzero(np.logical_or.reduceat(step, starts[:-1]))
        order = np.arange(len(score), dtype=np.int32 if len(score) < 2**31 else np.int64)
        np.not_equal(score[1:], score[:-1], out=step[1:])
        np.logical_xor.accumulate(step, out=step)
    for _, rows, real in dense(starts, unsorted, most=BLOCK):
        adjacent = real.all() and rows[-1, -1] - rows[0, 0] + 1 == rows.size
        place = slice(rows[0, 0], rows[-1, -1] + 1) if adjacent else rows[real]
        given = order[rows]
        by, new = _by_leading_bits(score.take(given, mode="clip"), real)
        by += np.arange(len(rows))[:, None] * rows.shape[1]  # from places in a row to those in all
        # padding comes last
        order[place] = given.ravel().take(by[real], mode="clip")
        step[place] = np.logical_xor.accumulate(new, axis=1)[real]
    return step, order


def _by_leading_bits(score: np.ndarray, real: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of scores from the largest to the smallest, row by row, and where the score changes.

    Equal scores stay in their order. Sorts integers: the leading bits of a score and, instead of its last bits, its
    place. That is faster than an `argsort`. Only rows with scores that differ in their last bits are sorted again.
    """
    # IEEE 754 bit patterns order as the numbers do, except that negative numbers run backwards
    bits = (score.astype(np.float64, copy=False) + 0.0).view(
        np.int64
    )  # plus 0: 0 and -0 are one score
    low = (1 << score.shape[1].bit_length()) - 1
    cut = np.bitwise_or.reduce(bits, axis=1) & low != 0  # 32-bit scores end in zeros
    bits ^= (
        ~(bits >> 63) & np.iinfo(np.int64).max
    )  # as unsigned numbers they now rise where scores fall
    bits &= ~low
    bits[~real] = ~low  # padding: the largest key
    bits |= np.arange(score.shape[1])
    bits.view(np.uint64).sort(axis=-1)
    new = np.ones(bits.shape, dtype=bool)
    np.greater((bits[:, 1:] ^ bits[:, :-1]).view(np.uint64), low, out=new[:, 1:])
    by = np.bitwise_and(bits, low, out=bits)
    if cut.any():
        cut &= (real & ~new).any(axis=1)
        block = np.take_along_axis(score[cut], by[cut], axis=1)
        rises = ((block[:, 1:] > block[:, :-1]) & real[cut, 1:]).any(axis=1)
        for at, row in zip(np.flatnonzero(cut)[rises], np.flatnonzero(rises)):
            size = np.count_nonzero(real[at])
            by[at, :size] = np.argsort(-score[at, :size], kind="stable")
            block[row, :size] = score[at, by[at, :size]]
        new[cut] = begins(block)
    return by, new


def have_gaps(first: np.ndarray, last: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return which lists of different ranks, by the first, the last and their number, are not 0, 1, 2... or 1, 2, 3...

    Examples
    --------
    >>> have_gaps(np.array([1, 0, 9, 1]), np.array([3, 2, 9, 4]), np.array([3, 3, 1, 3])).tolist()
    [False, False, True, True]
    """
    return (size > 0) & ((first * (first - 1) != 0) | (last - first + 1 != size))


def gaps_text(
    run: object, query: object, first: float, last: float, size: int, lists: int, total: int
) -> str:
    """Return the warning about lists whose ranks have gaps: how many of all, and an example."""
    items = "1 item" if size == 1 else f"{size:,} items"
    return (
        f"the ranks of {lists:,} of {total:,} lists have gaps, e.g. {first:g} to {last:g} for {items} in run {run!r}, "
        f"query {query!r}; the gaps are closed, so these items have ranks 1 to {size:,}."
    )


def closed_gaps(
    score: np.ndarray, order: np.ndarray | None, lists: Lists, ties: Ties
) -> str | None:
    """Return the warning about gaps in the ranks by which lists were sorted, or None; `score` is that of the table."""
    if ties != "rank":
        return None
    ends, size = np.stack([lists.starts[:-1], lists.starts[1:] - 1]), lists.sizes
    first, last = -score[ends if order is None else order[ends]]
    gapped = have_gaps(first, last, size)
    if not gapped.any():
        return None
    example = int(
        np.lexsort((lists.query, lists.run, ~gapped))[0]
    )  # the first run, whatever the order of rows
    query = lists.queries.index().tolist()[lists.query[example]]
    name = run_labels(lists.runs)[lists.run[example]]
    of_example = (first[example], last[example], int(size[example]))
    return gaps_text(name, query, *of_example, int(gapped.sum()), len(size))


def of_rows(
    rows: np.ndarray,
    score: np.ndarray,
    doc: Ids,
    lists: Lists,
    ties: Ties,
    order: np.ndarray | None = None,
) -> Ranks:
    """Return the ranks of `rows`, every list being sorted by falling score.

    Parameters
    ----------
    rows : ndarray
        Places in the sorted order.
    score : ndarray
        Scores in the sorted order.
    doc : Ids
        The ids in the order of the caller's table; `order` maps the sorted order to it, if they differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"query_id": 1, "doc_id": ["a", "b", "c"], "score": [2.0, 1.0, 1.0]})
    >>> doc = ids.column_ids(frame["doc_id"], "doc")
    >>> lists = find_lists(read(frame, "runs"))
    >>> of_rows(np.array([1, 2]), frame["score"].to_numpy(), doc, lists, "docid").rank.tolist()
    [3, 2]
    """
    dtype = np.int32 if len(score) < 2**31 else np.int64
    ranks = Ranks(
        *(np.empty(len(rows), dtype=dtype) for _ in range(3))
    )  # three arrays, to be freed one by one
    step = (
        PART if (rows[1:] >= rows[:-1]).all() else len(rows)
    )  # parts of rising rows look at few lists each
    for at in range(0, len(rows), step):
        part = slice(at, at + step)
        for column, values in zip(
            ranks, _ranks_of_part(rows[part], score, doc, lists, ties, order)
        ):
            column[part] = values
    return ranks


def _ranks_of_part(
    rows: np.ndarray,
    score: np.ndarray,
    doc: Ids,
    lists: Lists,
    ties: Ties,
    order: np.ndarray | None,
) -> Ranks:
    list_of_row = lists.of_rows(rows)
    begin = lists.starts[list_of_row]
    start = rows - begin
    ranks = Ranks(start + 1, start, np.ones(len(rows), dtype=np.int64))
    if ties in ("first", "rank"):
        return ranks
    # the lists of these rows; new[i]: row i has another score than row i - 1, or begins a list
    starts = lists.starts[list_of_row.min() : list_of_row.max() + 2]
    offset, score = starts[0], score[starts[0] : starts[-1]]
    new = np.empty(len(score) + 1, dtype=bool)
    np.not_equal(score[1:], score[:-1], out=new[1:-1])
    new[starts - offset] = True  # the first and the last among them
    tied = np.flatnonzero(~(new[rows - offset] & new[rows - offset + 1]))
    if len(tied):
        # groups of more than one row: they begin where the next row is not new, and end where it is new again
        begins = np.flatnonzero(new[:-1] & ~new[1:]) + offset
        ends = np.flatnonzero(~new[:-1] & new[1:]) + 1 + offset
        group = np.searchsorted(begins, rows[tied], side="right") - 1
        first = begins[group]
        ranks.size[tied] = ends[group] - first
        ranks.start[tied] = first - begin[tied]
        if ties == "docid":
            ranks.rank[tied] = (
                ranks.start[tied] + 1 + _later(rows[tied], first, ranks.size[tied], doc, order)
            )
    return ranks


def _later(
    rows: np.ndarray, first: np.ndarray, size: np.ndarray, doc: Ids, order: np.ndarray | None
) -> np.ndarray:
    """Return the number of ids in the row's group of ties that come later in byte order than the row's id.

    Integers are compared as texts, as in trec_eval. Of rows with equal ids, the first is the latest.
    """
    later = np.zeros(len(rows), dtype=np.int64)
    small = size <= FEW_TIED
    # pairs are quadratic in the size of a group; a sort is not
    for mask, count in ((small, _later_by_pairs), (~small, _later_by_sorting)):
        if mask.any():
            later[mask] = count(rows[mask], first[mask], size[mask], doc, order)
    return later


def _later_by_pairs(
    rows: np.ndarray, first: np.ndarray, size: np.ndarray, doc: Ids, order: np.ndarray | None
) -> np.ndarray:
    other = ranges(first, size)
    pair = np.repeat(np.arange(len(rows)), size)
    both = np.concatenate([rows[pair], other])
    text = doc.take(both if order is None else order[both]).as_text()
    mine, others = text.slice(0, len(pair)), text.slice(len(pair))
    later = np.asarray(pc.greater(others, mine))
    later |= np.asarray(pc.equal(others, mine)) & (other < rows[pair])
    return np.bincount(pair[later], minlength=len(rows))


def _later_by_sorting(
    rows: np.ndarray, first: np.ndarray, size: np.ndarray, doc: Ids, order: np.ndarray | None
) -> np.ndarray:
    groups, group_of_row = np.unique(first, return_inverse=True)
    sizes = np.zeros(len(groups), dtype=np.int64)
    sizes[group_of_row] = size
    member = ranges(groups, sizes)
    docs, code = doc.take(member if order is None else order[member]).unique()
    if docs.type == "integers":
        # from the order of numbers to that of their digits: 10 comes before 9
        code = Ids(text=docs.as_text()).unique()[1][code]
    # (group, id) as one integer, the last id first; equal ids stay in the order of rows
    group = np.repeat(np.arange(len(groups)), sizes)
    by = np.argsort(group * len(docs) + (len(docs) - 1 - code), kind="stable")
    begin = np.cumsum(sizes) - sizes
    later = np.empty_like(by)
    later[by] = np.arange(len(by)) - begin[group]  # inverse permutation, counted within each group
    return later[begin[group_of_row] + rows - first]


@dataclass(frozen=True, eq=False)
class Top:
    """The first rows of every list.

    Parameters
    ----------
    lists : Lists
        The lists of the table.
    row : ndarray
        Rows of the caller's table.
    own : ndarray
        The list of each.
    rank : ndarray
        Its rank there, from 1.
    """

    lists: Lists
    row: np.ndarray
    own: np.ndarray
    rank: np.ndarray


def top(
    runs: Table,
    depth: int | None = None,
    *,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> Top:
    """Return the first `depth` rows of every list of a run table, or all.

    Parameters
    ----------
    ties, compat, validate
        As in `positions.join`; the mean over orders of tied items ("expected") has no first rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"run": "x", "query_id": "1", "doc_id": ["a", "b", "c"], "score": [1.0, 1.0, 2.0]})
    >>> first = top(read(frame, "runs"), 2)
    >>> first.row.tolist(), first.rank.tolist()
    ([2, 1], [1, 2])
    """
    ties = checked_rules(ties, compat, depth, runs)
    if ties == "expected":
        raise ValueError(
            "ties='expected' has no definite ranks. Use ties='docid', 'rank' or 'first'."
        )
    if len(runs.frame) == 0:
        raise ValueError("the run table is empty; there is nothing to rank.")
    lists, doc, score = together(
        lambda: find_lists(runs),
        lambda: ids.column_ids(runs.column("doc"), "doc"),
        lambda: scores_of(runs, ties, compat),
    )
    if validate:
        no_duplicates(runs, doc, lists)
    step, order = sorted_scores(score, lists, ties)
    if gaps := closed_gaps(score, order, lists, ties):
        warnings.warn(gaps, UserWarning, stacklevel=outside())
    rows, list_of_row, rank = first_rows(step, order, doc, lists, ties, depth)
    by = np.lexsort((rank, list_of_row))  # the last key is the primary one
    row = rows[by] if order is None else order[rows[by]].astype(np.int64, copy=False)
    return Top(lists, row, list_of_row[by], rank[by])


def first_rows(
    score: np.ndarray,
    order: np.ndarray | None,
    doc: Ids,
    lists: Lists,
    ties: Ties,
    depth: int | None,
    mask: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first rows of every list (or of the lists of a mask): places among sorted rows, list and rank."""
    if depth is None:
        rows = (
            np.arange(len(score)) if mask is None else np.flatnonzero(np.repeat(mask, lists.sizes))
        )
    else:
        rows = _candidates(score, lists, ties, depth, mask)
    rank = of_rows(rows, score, doc, lists, ties, order).rank.astype(np.int64)
    list_of_row = lists.of_rows(rows)
    if depth is not None and ties == "docid":  # the cut may go through a group of ties
        kept = rank <= depth
        return rows[kept], list_of_row[kept], rank[kept]
    return rows, list_of_row, rank


def _candidates(
    score: np.ndarray, lists: Lists, ties: Ties, depth: int, mask: np.ndarray | None
) -> np.ndarray:
    """Return the rows that may be among the first: with ties, all of the group that the cut goes through."""
    begin, end = lists.starts[:-1], lists.starts[1:]
    if mask is not None:
        begin, end = begin[mask], end[mask]
    stop = np.minimum(begin + depth, end)
    if ties == "docid":
        cut = np.flatnonzero(stop < end)
        cut = cut[score[stop[cut]] == score[stop[cut] - 1]]  # most lists are not cut within a group
        below = ranges(stop[cut], end[cut] - stop[cut])
        change = np.append(below[score[below] != score[below - 1]], len(score))
        stop[cut] = np.minimum(change[np.searchsorted(change, stop[cut])], end[cut])
    return ranges(begin, stop - begin)


def ranked(
    runs: Table, *, ties: Ties | None = None, compat: Compat = "trec_eval-10", validate: bool = True
) -> np.ndarray:
    """Return the rank of every row of a run table, from 1, in the order of its rows.

    Parameters
    ----------
    ties, compat, validate
        As in `top`.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"run": "x", "query_id": "1", "doc_id": ["a", "b", "c"], "score": [1.0, 1.0, 2.0]})
    >>> ranked(read(frame, "runs")).tolist(), ranked(read(frame, "runs"), ties="first").tolist()
    ([3, 2, 1], [2, 3, 1])
    """
    first = top(runs, ties=ties, compat=compat, validate=validate)
    rank = np.empty(len(first.row), dtype=np.int64)
    rank[first.row] = first.rank  # inverse permutation
    return rank
