"""Ranked rows ready to be shown: the documents of any list in rank order, and the rank of any document in any list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdeval.join import ids
from pdeval.join.ranks import top
from pdeval.join.rules import Compat, Ties
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table


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

    @property
    def names(self) -> pd.Index:
        """One name per run: its id, or its ids joined where several columns name it."""
        return pd.Index(self.runs.iloc[:, 0] if self.runs.shape[1] == 1 else run_labels(self.runs))

    def top(self, run: np.ndarray, query: np.ndarray, depth: int) -> np.ndarray:
        """Return the first `depth` documents of some lists, shape (lists, depth); -1 past a list's end."""
        rank = np.arange(depth)
        inside = rank < self.size[run, query][:, None]
        docs = self.doc[np.where(inside, self.start[run, query][:, None] + rank, 0)]
        return np.where(inside, docs, -1)

    def rank(self, run: np.ndarray, query: np.ndarray, doc: np.ndarray) -> np.ndarray:
        """Return the rank of documents in lists, from 1; infinity where the list does not hold the document."""
        wanted = self.start[run, query] * len(self.docs) + doc
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = (self.keys[at] == wanted) & (doc >= 0) & (self.size[run, query] > 0)
        return np.where(known, self.places[at], np.inf)


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
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"run": "r", "query_id": 1, "doc_id": ["x", "y"], "score": [0.2, 0.9]})
    >>> found = rankings(read(frame, "runs"))
    >>> found.docs[found.doc].tolist()
    ['y', 'x']
    """
    ranked = top(runs, ties=ties, compat=compat)
    lists, queries = ranked.lists, ranked.lists.queries.index().rename(runs.roles["query"])
    doc_ids, code = ids.column_ids(runs.column("doc"), "doc").unique()
    docs = doc_ids.index().rename(runs.roles["doc"])
    shape = (len(lists.runs), len(queries))
    start, size = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    size[lists.run, lists.query] = lists.sizes
    start[lists.run, lists.query] = lists.starts[:-1]  # rows come list after list
    doc = code[ranked.row].astype(np.int64)
    key = lists.starts[:-1].astype(np.int64)[ranked.own] * len(docs) + doc
    # sorted, so that ranks are found by binary search
    by_key = np.argsort(key, kind="stable")
    return Rankings(lists.runs, queries, docs, doc, start, size, key[by_key], ranked.rank[by_key])


def best_ranks(ranked: Rankings, topics: np.ndarray, deep: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the documents among the first `deep` of any run, and the best rank that a run gives each.

    Both of shape (topics, documents), best first, documents of one rank in the order of their numbers; padded with
    document -1 and rank infinity.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> rows = [("r", "x", 1), ("r", "y", 2), ("s", "z", 1), ("s", "x", 2)]
    >>> frame = pd.DataFrame(rows, columns=["run", "doc_id", "rank"]).assign(query_id=1)
    >>> found = rankings(read(frame, "runs"))
    >>> docs, best = best_ranks(found, np.array([0]), 2)
    >>> found.docs[docs[0]].tolist(), best.tolist()
    (['x', 'z', 'y'], [[1.0, 1.0, 2.0]])
    """
    n_runs = len(ranked.runs)
    every = [ranked.top(np.full(len(topics), run), topics, deep) for run in range(n_runs)]
    doc = np.stack(every, axis=1).reshape(len(topics), -1)
    rank = np.broadcast_to(np.tile(np.arange(1.0, deep + 1), n_runs), doc.shape)
    # by document, then by rank: the first row of a document has its best rank
    order = np.lexsort((rank, doc), axis=1)
    doc, rank = np.take_along_axis(doc, order, axis=1), np.take_along_axis(rank, order, axis=1)
    first = np.ones(doc.shape, dtype=bool)
    first[:, 1:] = doc[:, 1:] != doc[:, :-1]
    kept = first & (doc >= 0)
    order = np.lexsort((doc, np.where(kept, rank, np.inf)), axis=1)
    width = int(kept.sum(axis=1).max(initial=0))
    docs, best = np.where(kept, doc, -1), np.where(kept, rank, np.inf)
    return np.take_along_axis(docs, order, axis=1)[:, :width], np.take_along_axis(
        best, order, axis=1
    )[:, :width]
