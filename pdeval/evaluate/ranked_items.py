"""The judged items of each query and the first items of each list, judged or not, with their ranks in all runs."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.evaluate.unjudged import has_unjudged
from pdeval.join import Ids, Judged, Judgments, Rows, first_rows, positions_of, rows_of
from pdeval.tables import Spans, Table, unique_values


class QueryItems(NamedTuple):
    """The items of one query: ids, grades, whether each is relevant, and ranks of shape (items, runs).

    An unjudged item has a missing grade, an unretrieved item an infinite rank. `of` is the number of items of the
    query.
    """

    docs: list[object]
    grades: np.ndarray
    relevant: np.ndarray
    ranks: np.ndarray
    of: int


@dataclass(frozen=True, eq=False)
class RankedItems:
    """The items of a join, sorted by query; within it by relevance, grade of relevant items, and best rank in any run.

    Parameters
    ----------
    judged : Judged
        The join.
    depth : int or None
        Rank down to which all items of each list are known; None if only judged items are known.
    complete : bool
        Whether items that were judged and are not relevant are among them.
    docs : Ids
        Different ids.
    topic, doc, grade, relevant : ndarray of shape (items,)
        Query of the join, place in `docs`, grade or NaN, and whether the item is relevant.
    item, run, rank : ndarray of shape (hits,)
        Items that were retrieved, sorted by item.
    """

    judged: Judged
    depth: int | None
    complete: bool
    docs: Ids
    topic: np.ndarray
    doc: np.ndarray
    grade: np.ndarray
    relevant: np.ndarray
    item: np.ndarray
    run: np.ndarray
    rank: np.ndarray

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, in the order of the ranks."""
        return self.judged.runs

    def first(self, queries: pd.Index, most: int | None = None) -> Self:
        """Return at most `most` items of each of some queries, in their order; `topic` is then a place in `queries`.

        Examples
        --------
        >>> import pdeval
        >>> items = ranked_items(pdeval.datasets.sample_judged()).first(pd.Index(["102", "101"]), most=2)
        >>> items.topic.tolist(), items.names(), items.grade.tolist()
        ([0, 0, 1, 1], ['news-2019-277', 'web05.3137', 'news-2015-373', 'doc-03516'], [3.0, 3.0, 3.0, 2.0])
        """
        topics = self.judged.queries.get_indexer(queries)
        # items are sorted by topic and hits by item: a topic has a span of each, copied without a search
        items = Spans.of(self.topic, topics, topics + 1)
        if most is not None:
            items = Spans(items.first, np.minimum(items.last, items.first + most))
        hits = Spans.of(self.item, items.first, items.last)
        return replace(
            self,
            topic=np.repeat(np.arange(len(queries)), items.size),
            item=self.item[hits.rows] - np.repeat(items.moved, hits.size),
            run=self.run[hits.rows],
            rank=self.rank[hits.rows],
            **{name: getattr(self, name)[items.rows] for name in ("doc", "grade", "relevant")},
        )

    def sizes(self, queries: pd.Index) -> np.ndarray:
        """Return the number of items of each of some queries."""
        sizes = np.bincount(self.topic, minlength=len(self.judged.queries))
        return sizes[self.judged.queries.get_indexer(queries)]

    def names(self) -> list[object]:
        """Return the id of each item."""
        return self.docs.take(self.doc).index().tolist()

    def ranks(self) -> np.ndarray:
        """Return the rank of each item in each run, infinite if it was not retrieved: shape (items, runs)."""
        ranks = np.full((len(self.topic), len(self.runs)), np.inf)
        ranks[self.item, self.run] = self.rank
        return ranks

    def of_query(self, query: object, most: int | None = None) -> QueryItems:
        """Return the first items of a query, at most `most`.

        Examples
        --------
        >>> import pdeval
        >>> items = ranked_items(pdeval.datasets.sample_judged()).of_query("101", most=2)
        >>> items.docs, items.grades.tolist(), items.ranks[:, :3].tolist()
        (['news-2015-373', 'doc-03516'], [3.0, 2.0], [[8.0, 1.0, 14.0], [1.0, 32.0, 1.0]])
        """
        index = pd.Index([query])
        items = self.first(index, most)
        return QueryItems(
            items.names(), items.grade, items.relevant, items.ranks(), int(self.sizes(index)[0])
        )

    def unjudged(self, queries: pd.Index, depth: int) -> np.ndarray:
        """Return the number of unjudged items among the first `depth` of each list: shape (queries, runs)."""
        hits = (self.rank <= depth) & ~(self.grade[self.item] >= 0)  # a negative grade is unjudged
        shape = (len(self.judged.queries), len(self.runs))
        lists = self.topic[self.item[hits]] * shape[1] + self.run[hits]
        counts = np.bincount(lists, minlength=shape[0] * shape[1]).reshape(shape)
        return counts[self.judged.queries.get_indexer(queries)]


def ranked_items(data: object, depth: int = 10) -> RankedItems | None:
    """Return the judged items of a join and the first `depth` items of each list, or None for other data.

    Lists without definite ranks, and joins without the run table, have judged items only.

    Examples
    --------
    >>> import pdeval
    >>> items = ranked_items(pdeval.datasets.sample_judged())
    >>> int(np.isnan(items.grade).sum()), items.depth
    (175, 10)
    >>> ranked_items(pd.DataFrame()) is None
    True
    """
    if not isinstance(data, Judged):
        return None
    positions, rules = data.positions, data.positions.rules
    source: Any = positions.source
    has_rows = isinstance(source, tuple) and isinstance(source[0], Table)  # not on Dask
    if not has_rows or not has_unjudged(positions):
        judged = positions.judged
        known = np.arange(len(judged.queries)), np.arange(len(positions.runs))
        return _sorted_items(data, None, positions.complete, judged, positions, *known)
    options = {name: rules[name] for name in ("ties", "compat", "depth")}
    rows = rows_of(*source, **options, validate=False)
    deepest = min(depth, rules["depth"] or depth)
    judged = _with_first_items(rows, deepest)
    del options["ties"]
    hits = positions_of(rows._replace(judged=judged), **options, validate=False)
    topic = data.queries.get_indexer(hits.queries)
    run = pd.MultiIndex.from_frame(data.runs).get_indexer(pd.MultiIndex.from_frame(hits.runs))
    return _sorted_items(data, deepest, True, judged, hits, topic, run)


def _with_first_items(rows: Rows, depth: int) -> Judgments:
    """Return the judgments with the unjudged items among the first `depth` of each list; their grade is missing."""
    judged = rows.judged
    place, list_of_row, _ = first_rows(
        rows.score, rows.order, rows.doc, rows.lists, rows.ties, depth, rows.topic >= 0
    )
    first = rows.doc.take(place if rows.order is None else rows.order[place])
    code = first.probe(judged.docs).astype(np.int64)
    unknown = np.flatnonzero(code < 0)
    new, code_of_new = first.take(unknown).unique()
    code[unknown] = len(judged.docs) + code_of_new
    docs = _concatenated(judged.docs.decoded(), new.decoded())
    # one number for each query and document
    judged_key = judged.topic * len(docs) + judged.doc
    key = unique_values(np.append(judged_key, rows.topic[list_of_row] * len(docs) + code))
    grade = np.full(len(key), np.nan)
    grade[np.searchsorted(key, judged_key)] = judged.grade
    return Judgments(judged.queries, docs, key // len(docs), key % len(docs), grade)


def _concatenated(first: Ids, second: Ids) -> Ids:
    if first.numbers is not None:
        return Ids(numbers=np.append(first.numbers, np.asarray(second.numbers)))
    if not len(second):
        return first
    return Ids(
        text=pa.concat_arrays([one.as_text().cast(pa.large_string()) for one in (first, second)])
    )


def _sorted_items(
    data: Judged,
    depth: int | None,
    complete: bool,
    judged: Judgments,
    hits: object,
    new_topic: np.ndarray,
    new_run: np.ndarray,
) -> RankedItems:
    """Return items and hits with the queries and runs of the join, sorted; others are dropped."""
    item, run, rank = (getattr(hits, name) for name in ("item", "run", "rank"))
    topic, run = new_topic[judged.topic], new_run[run]
    kept = (run >= 0) & (topic[item] >= 0)
    item, run, rank = item[kept], run[kept], rank[kept]
    best = np.full(len(topic), np.inf)
    np.minimum.at(best, item, rank)
    level = data.level
    relevant = judged.grade > 0 if level is None else (judged.grade >= level) & (judged.grade > 0)
    # lexsort: the last key is the primary one; items that are not relevant are in the order of ranks
    order = np.lexsort((judged.doc, best, np.where(relevant, -judged.grade, np.inf), topic))
    order = order[topic[order] >= 0]
    new_item = np.full(len(topic), -1)
    new_item[order] = np.arange(len(order))
    item = new_item[item]
    by = np.argsort(item, kind="stable")
    return RankedItems(
        data,
        depth,
        complete,
        judged.docs,
        topic[order],
        judged.doc[order],
        judged.grade[order],
        relevant[order],
        item[by],
        run[by],
        rank[by].astype(np.int64),
    )
