"""Pools: which documents were looked at for each query, and by which runs they were found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pdeval.collections.teams import Teams
from pdeval.judged import ids, judgments, ranking
from pdeval.judged.ids import Ids
from pdeval.judged.positions import Compat, _same_type
from pdeval.judged.ranks import Ties
from pdeval.kinds.labels import labels
from pdeval.kinds.tables import Table


@dataclass(frozen=True, eq=False)
class Pool:
    """The items that any run has among its first `depth`, and which runs have them.

    Parameters
    ----------
    depth : int
        How far down each list is read.
    runs : DataFrame
        A row a run (or a team): the identifying column(s), sorted.
    queries : Ids
        The queries, sorted.
    docs : Ids
        The documents, sorted.
    query, doc : ndarray of shape (items,)
        The items, sorted by query and document.
    item, run, rank : ndarray of shape (hits,)
        Which run has which item, and where: sorted by item and run.
    lists : ndarray of shape (queries, runs)
        How many items each run gives to the pool.
    names : (str, str)
        The caller's names of the query and doc columns.
    """

    depth: int
    runs: pd.DataFrame
    queries: Ids
    docs: Ids
    query: np.ndarray
    doc: np.ndarray
    item: np.ndarray
    run: np.ndarray
    rank: np.ndarray
    lists: np.ndarray
    names: tuple[str, str]

    @cached_property
    def count(self) -> np.ndarray:
        """How many runs have each item."""
        return np.bincount(self.item, minlength=len(self.query))

    def by_team(self, teams: Teams) -> Pool:
        """Return the pool with the runs of a team taken together: an item has the best of their ranks."""
        team = teams.of[self.run]
        order = np.lexsort((self.rank, team, self.item))
        item, team, rank = self.item[order], team[order], self.rank[order]
        first = np.ones(len(item), dtype=bool)
        first[1:] = (item[1:] != item[:-1]) | (team[1:] != team[:-1])
        item, team, rank = item[first], team[first], rank[first]
        cell = self.query[item] * len(teams.names) + team
        lists = np.bincount(cell, minlength=len(self.queries) * len(teams.names))
        runs = pd.DataFrame({str(teams.names.name): teams.names})
        return replace(self, runs=runs, item=item, run=team, rank=rank, lists=lists.reshape(-1, len(teams.names)))

    def grades(self, qrels: Table) -> np.ndarray:
        """Return the grade of each item of the pool; NaN where it was not judged."""
        judged = judgments.of(qrels)
        _same_type("query", self.queries.type, judged.queries.type)
        _same_type("doc", self.docs.type, judged.docs.type)
        topic = self.queries.probe(judged.queries)[self.query].astype(np.int64)
        doc = self.docs.probe(judged.docs)[self.doc]
        key, known = judged.key(), topic * len(judged.docs) + doc
        at = np.minimum(np.searchsorted(key, known), len(key) - 1)
        held = (topic >= 0) & (doc >= 0) & (key[at] == known)
        return np.where(held, judged.grade[at], np.nan)


def pooled(
    runs: Table,
    depth: int = 100,
    *,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> Pool:
    """Return the pool of a run table: the first `depth` items of every list, put together.

    Parameters
    ----------
    ties, compat, validate
        As in `pdeval.judged.positions.join`; "expected" has no first items.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.kinds.tables import read
    >>> pool = pooled(read(pdeval.datasets.sample_runs(), "runs"), 20)
    >>> len(pool.item), len(pool.query)
    (11960, 4922)
    """
    if depth is None:
        raise ValueError("depth=None: a pool is made of the first items of each list; give a number, e.g. 100.")
    first = ranking.top(runs, depth, ties=ties, compat=compat, validate=validate)
    lists = first.lists
    docs, doc = ids.of(runs.column("doc"), "doc").take(first.row).unique()
    key = lists.query[first.own].astype(np.int64) * len(docs) + doc
    items, item = np.unique(key, return_inverse=True)
    run = lists.run[first.own]
    order = np.lexsort((run, item))
    size = np.zeros((len(lists.queries), len(lists.runs)), dtype=np.int64)
    size[lists.query, lists.run] = np.minimum(lists.sizes, depth)
    return Pool(
        int(depth),
        lists.runs,
        lists.queries,
        docs,
        items // len(docs),
        items % len(docs),
        item[order],
        run[order],
        first.rank[order],
        size,
        (runs.roles["query"], runs.roles["doc"]),
    )


def frame(pool: Pool, *, qrels: Table | None = None, by_run: bool = False) -> pd.DataFrame:
    """Return the pool as a table: a row an item, or a row an item and run.

    Parameters
    ----------
    qrels : Table, optional
        Judgments, for a column with the grades, named as theirs.
    by_run : bool
        Return who contributed what: query_id, doc_id, run, rank.

    Returns
    -------
    DataFrame
        query_id, doc_id, runs (how many have it), rank (the best of theirs)[, relevance, NaN where not judged]; sorted
        by query and document.

    Examples
    --------
    >>> from pdeval.kinds.tables import read
    >>> table = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abbc"), "score": [2, 1, 2, 1]})
    >>> print(frame(pooled(read(table, "runs"), 2)).to_string(index=False))
    query_id doc_id  runs  rank
           1      a     1     1
           1      b     2     1
           1      c     1     2
    """
    row = pool.item if by_run else np.arange(len(pool.query))
    query, doc = pool.names
    columns: dict[str, Any] = {query: labels(pool.queries.index(), pool.query[row])}
    columns[doc] = pool.docs.index().take(pool.doc[row])
    if by_run:
        columns |= {name: labels(pool.runs[name], pool.run) for name in pool.runs.columns}
        columns["rank"] = pool.rank
    else:
        best = np.full(len(pool.query), np.iinfo(np.int64).max)
        np.minimum.at(best, pool.item, pool.rank)
        columns |= {"runs": pool.count, "rank": best}
    if qrels is not None:
        columns[qrels.roles["grade"]] = pool.grades(qrels)[row]
    return pd.DataFrame(columns, copy=False)
