"""The ranking of a run table under the rules of the join, for those who need every row and not only judged ones."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from pdeval.join import ids, ranks
from pdeval.join import lists as list_index
from pdeval.join.duplicates import no_duplicates
from pdeval.join.lists import Lists
from pdeval.join.query_rules import outside
from pdeval.join.ranks import Ties
from pdeval.join.run_lists import Compat, checked_rules, closed_gaps, scores_of, sorted_scores
from pdeval.tables.reader import Table, together


@dataclass(frozen=True)
class Top:
    """The first rows of every list.

    Parameters
    ----------
    lists : Lists
        The lists of the table.
    row : ndarray
        Rows of the caller's table.
    own : ndarray
        The list that each is in.
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
    >>> found = top(read(frame, "runs"), 2)
    >>> found.row.tolist(), found.rank.tolist()
    ([2, 1], [1, 2])
    """
    ties = checked_rules(ties, compat, depth, runs)
    if ties == "expected":
        raise ValueError("ties='expected' gives no item a definite rank; choose 'docid', 'rank' or 'first'.")
    if len(runs.frame) == 0:
        raise ValueError("the run table is empty; there is nothing to rank.")
    found, doc, score = together(
        lambda: list_index.find_lists(runs),
        lambda: ids.column_ids(runs.column("doc"), "doc"),
        lambda: scores_of(runs, ties, compat),
    )
    if validate:
        no_duplicates(runs, doc, found)
    score, order = sorted_scores(score, found, ties)
    if gaps := closed_gaps(score, found, ties):
        warnings.warn(gaps, UserWarning, stacklevel=outside())
    rows, own, rank = first_rows(score, order, doc, found, ties, depth)
    by = np.lexsort((rank, own))
    rows, rank, own = rows[by], rank[by], own[by]
    return Top(found, rows if order is None else order[rows].astype(np.int64, copy=False), own, rank)


def first_rows(
    score: np.ndarray,
    order: np.ndarray | None,
    doc: ids.Ids,
    found: Lists,
    ties: Ties,
    depth: int | None,
    which: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first rows of every list (or of those of a mask): places among sorted rows, list and rank."""
    if depth is None:
        rows = np.arange(len(score)) if which is None else np.flatnonzero(np.repeat(which, found.sizes))
    else:
        rows = _candidates(score, found, ties, depth, which)
    rank = ranks.of_rows(rows, score, doc, found, ties, order).rank.astype(np.int64)
    own = found.of_rows(rows)
    if depth is not None and ties == "docid":  # of the group of tied rows that the cut goes through, some stay behind
        kept = rank <= depth
        rows, rank, own = rows[kept], rank[kept], own[kept]
    return rows, own, rank


def _candidates(score: np.ndarray, found: Lists, ties: Ties, depth: int, which: np.ndarray | None = None) -> np.ndarray:
    """Return the rows that may be among the first: with ties, the whole of the group that the cut goes through."""
    begin, end = found.starts[:-1], found.starts[1:]
    if which is not None:
        begin, end = begin[which], end[which]
    stop = np.minimum(begin + depth, end)
    if ties == "docid":
        cut = np.flatnonzero(stop < end)
        cut = cut[score[stop[cut]] == score[stop[cut] - 1]]  # most lists are not cut within a group
        below = list_index.ranges(stop[cut], end[cut] - stop[cut])
        change = np.append(below[score[below] != score[below - 1]], len(score))
        stop[cut] = np.minimum(change[np.searchsorted(change, stop[cut])], end[cut])
    return list_index.ranges(begin, stop - begin)


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
    found = top(runs, ties=ties, compat=compat, validate=validate)
    rank = np.empty(len(found.row), dtype=np.int64)
    rank[found.row] = found.rank
    return rank
