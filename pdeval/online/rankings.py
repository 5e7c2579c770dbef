"""Ranked rows ready to be shown: the documents of any list in rank order, and the rank of any document in any list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdeval.judged import ids
from pdeval.judged.prepared import Compat
from pdeval.judged.ranking import top
from pdeval.judged.ranks import Ties
from pdeval.kinds.tables import Table


@dataclass(frozen=True)
class Rankings:
    """Rankings of all runs and queries, flat: list (run, query) holds `doc[start:start + size]` in rank order.

    Parameters
    ----------
    runs : DataFrame
        One row per run: the column(s) that identify it.
    queries, docs : Index
        The ids, sorted, named as the caller's columns.
    doc : ndarray of int
        Document numbers, list by list.
    start, size : ndarray of int, shape (runs, queries)
        Where each list begins and how long it is; 0 where a run did not answer the query.
    keys, places : ndarray of int
        (list, document) as one number, sorted, and the rank there. A list is numbered by where it begins: the number
        fits 64 bits however many runs and queries there are, answered or not.
    """

    runs: pd.DataFrame
    queries: pd.Index
    docs: pd.Index
    doc: np.ndarray
    start: np.ndarray
    size: np.ndarray
    keys: np.ndarray
    places: np.ndarray

    def top(self, run: np.ndarray, query: np.ndarray, depth: int) -> np.ndarray:
        """Return the first `depth` documents of some lists, shape (lists, depth); -1 past a list's end."""
        rank = np.arange(depth)
        inside = rank < self.size[run, query][:, None]
        found = self.doc[np.where(inside, self.start[run, query][:, None] + rank, 0)]
        return np.where(inside, found, -1)

    def rank(self, run: np.ndarray, query: np.ndarray, doc: np.ndarray) -> np.ndarray:
        """Return the rank of documents in lists, from 1; infinity where the list does not hold the document."""
        wanted = self.start[run, query] * len(self.docs) + doc
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        held = (self.keys[at] == wanted) & (doc >= 0) & (self.size[run, query] > 0)
        return np.where(held, self.places[at], np.inf)


def rankings(runs: Table, *, ties: Ties | None = None, compat: Compat = "trec_eval-10") -> Rankings:
    """Return the rankings of a run table, ranked as the join ranks it.

    Parameters
    ----------
    ties : {'docid', 'rank', 'first'}, optional
        Order of equal scores; by default 'docid' where there are scores, else 'rank'.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Whose arithmetic, where tools differ.

    Examples
    --------
    >>> from pdeval.kinds.tables import read
    >>> frame = pd.DataFrame({"run": "r", "query_id": 1, "doc_id": ["x", "y"], "score": [0.2, 0.9]})
    >>> found = rankings(read(frame, "runs"))
    >>> found.docs[found.doc].tolist()
    ['y', 'x']
    """
    found = top(runs, ties=ties, compat=compat)
    lists, queries = found.lists, found.lists.queries.index().rename(runs.roles["query"])
    known, code = ids.column_ids(runs.column("doc"), "doc").unique()
    docs = known.index().rename(runs.roles["doc"])
    shape = (len(lists.runs), len(queries))
    start, size = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    size[lists.run, lists.query] = lists.sizes
    start[lists.run, lists.query] = lists.starts[:-1]  # rows come list after list
    doc = code[found.row].astype(np.int64)
    key = lists.starts[:-1].astype(np.int64)[found.own] * len(docs) + doc
    by_key = np.argsort(key, kind="stable")
    return Rankings(lists.runs, queries, docs, doc, start, size, key[by_key], found.rank[by_key])
