"""The join of runs and judgments: for every judged item, the rank at which each run found it.

Only judged rows survive the ranking. Everything after it (measures, preferences, orderings) reads `Positions`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.join import ids, ranks
from pdeval.join import lists as list_index
from pdeval.join.bitmap import Bitmap
from pdeval.join.judgments import Judgments
from pdeval.join.lists import Lists
from pdeval.join.ranks import Ties
from pdeval.join.run_lists import Compat, NothingJudged, Rows, rows_of
from pdeval.tables.codes import by_code
from pdeval.tables.equal_values import Spans
from pdeval.tables.reader import Table

if TYPE_CHECKING:
    from pdeval.join.list_columns import Listed

_TABLE = 1 << 22
_ROWS = 1 << 18
FEW = 10


@dataclass(frozen=True, eq=False)
class Positions:
    """Where every run found every judged item.

    Parameters
    ----------
    runs : DataFrame
        A row a run: the caller's identifying column(s), sorted.
    queries : Index
        All judged queries, sorted, named as the caller's query column; a topic is a place in it.
    judged : Judgments
        The judged items: topic, document, grade.
    item, run, rank : ndarray of shape (hits,)
        The judged items that were retrieved: which, by which run, where (from 1). Sorted by item.
    start, size : ndarray of shape (hits,)
        The group of tied rows that the hit is in: rows above it, rows in it.
    retrieved : ndarray of shape (topics, runs)
        How many items each run returned; 0 where it did not answer.
    rules : dict
        ties, compat, depth, and judged_only where it holds: what the ranks rest on.
    top_grade : float
        The largest grade of all judgments; a part of the topics or labels keeps the whole's.
    lengths : ndarray of shape (topics, runs), optional
        How many items each list held before those that nobody judged were taken out of it, where they were.
    listed : Listed, optional
        What the lists hold, judged or not, where side tables say what items are.
    gaps : str, optional
        What to say of gaps in the ranks by which the lists were sorted, where there were some.
    """

    runs: pd.DataFrame
    queries: pd.Index
    judged: Judgments
    item: np.ndarray
    run: np.ndarray
    rank: np.ndarray
    start: np.ndarray
    size: np.ndarray
    retrieved: np.ndarray
    doc_name: str = "doc_id"
    rules: dict[str, Any] = field(default_factory=dict)
    source: tuple[Table, Table] | None = None
    complete: bool = True
    extra: int = 0
    top_grade: float = 0.0
    lengths: np.ndarray | None = None
    listed: Listed | None = None
    gaps: str | None = None

    @property
    def list_sizes(self) -> np.ndarray:
        """How many items each list held, whatever was taken out of it."""
        return self.retrieved if self.lengths is None else self.lengths

    @property
    def answered(self) -> np.ndarray:
        """Which (topic, run) has a list."""
        return self.list_sizes > 0

    def relevant(self, level: float | None = None) -> np.ndarray:
        """Return which items are relevant: of positive grade, and at least `level` where that is given.

        Examples
        --------
        >>> import pdeval
        >>> judged = pdeval.datasets.sample_judged()
        >>> bool(judged.positions.relevant(2).sum() < judged.positions.relevant().sum())
        True
        """
        grade = self.judged.grade
        return grade > 0 if level is None else (grade >= level) & (grade > 0)

    def keep_items(self, kept: np.ndarray) -> Positions:
        """Return the positions as if only these items (a mask) had been judged; nothing is joined again."""
        place = np.cumsum(kept) - 1
        hit = kept[self.item]
        was = self.judged
        subtopic = was.subtopic
        if subtopic is not None:
            rows = subtopic[:, kept[subtopic[0].astype(np.int64)]]
            subtopic = np.stack([place[rows[0].astype(np.int64)].astype(np.float64), rows[1], rows[2]])
        judged = replace(was, topic=was.topic[kept], doc=was.doc[kept], grade=was.grade[kept], subtopic=subtopic)
        made = replace(
            self,
            judged=judged,
            item=place[self.item[hit]],
            **{name: getattr(self, name)[hit] for name in ("run", "rank", "start", "size")},
        )
        return made.only_judged() if self.rules.get("judged_only") else made

    def keep_topics(self, kept: np.ndarray) -> Positions:
        """Return the positions of these topics alone (a mask); nothing is joined again."""
        topics, was = np.flatnonzero(kept), self.judged
        # items are sorted by topic and hits by item: what a topic has is a span of each
        items = Spans.of(was.topic, topics, topics + 1)
        hits = Spans.of(self.item, items.first, items.last)
        less = {name: getattr(was, name)[items.rows] for name in ("doc", "grade")}
        if was.subtopic is not None:
            rows = Spans.of(was.subtopic[0], items.first, items.last)
            own = was.subtopic[:, rows.rows]
            less["subtopic"] = np.stack([own[0] - np.repeat(items.moved, rows.size), own[1], own[2]])
        judged = replace(
            was, topic=np.repeat(np.arange(len(topics)), items.size), queries=was.queries.take(topics), **less
        )
        return replace(
            self,
            judged=judged,
            queries=self.queries[topics],
            retrieved=self.retrieved[topics],
            lengths=None if self.lengths is None else self.lengths[topics],
            listed=None if self.listed is None else self.listed.keep_topics(topics),
            item=self.item[hits.rows] - np.repeat(items.moved, hits.size),
            **{name: getattr(self, name)[hits.rows] for name in ("run", "rank", "start", "size")},
        )

    def keep_runs(self, kept: np.ndarray) -> Positions:
        """Return the positions of these runs alone (a mask)."""
        place = np.cumsum(kept) - 1
        hit = kept[self.run]
        return replace(
            self,
            runs=self.runs[kept].reset_index(drop=True),
            retrieved=self.retrieved[:, kept],
            lengths=None if self.lengths is None else self.lengths[:, kept],
            listed=None if self.listed is None else self.listed.keep_runs(kept),
            run=place[self.run[hit]],
            **{name: getattr(self, name)[hit] for name in ("item", "rank", "start", "size")},
        )

    def only_judged(self) -> Positions:
        """Return the positions of lists from which items without a judgment were taken out: those left move up.

        As trec_eval's -J. An item of negative grade counts as one without; what is left of a group of ties stays tied.

        Examples
        --------
        >>> import pandas as pd, pdeval
        >>> runs = pd.DataFrame({"query_id": "1", "doc_id": ["x", "y", "z"], "score": [3, 2, 1]})
        >>> qrels = pd.DataFrame({"query_id": "1", "doc_id": ["y", "z"], "relevance": [0, 1]})
        >>> runs.ireval.join(qrels).positions.only_judged().rank.tolist()
        [1.0, 2.0]
        """
        if not self.complete:
            raise RuntimeError("the join holds relevant items only; join again with complete=True.")
        less = self
        if (unjudged := self.judged.grade[self.item] < 0).any():
            hits = ("item", "run", "rank", "start", "size")
            less = replace(self, **{name: getattr(self, name)[~unjudged] for name in hits})
        cell = less.judged.topic[less.item] * len(less.runs) + less.run
        order = np.lexsort((less.rank, less.start, cell))
        own, tied = cell[order], less.start[order]
        number = np.arange(len(order))
        begins = np.ones((2, len(order)), dtype=bool)  # of a list, of a group of tied items
        begins[0, 1:] = own[1:] != own[:-1]
        begins[1, 1:] = begins[0, 1:] | (tied[1:] != tied[:-1])
        first, group = np.maximum.accumulate(np.where(begins, number, 0), axis=1)
        group_number = np.cumsum(begins[1])
        rank, start, size = np.empty((3, len(order)))
        rank[order] = number - first + 1
        start[order] = group - first
        size[order] = np.bincount(group_number)[group_number]
        count = np.bincount(cell, minlength=self.retrieved.size).reshape(self.retrieved.shape)
        rules = {**self.rules, "judged_only": True}
        return replace(less, rank=rank, start=start, size=size, retrieved=count, lengths=self.list_sizes, rules=rules)


def join(
    runs: Table,
    qrels: Table,
    *,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    judged_only: bool = False,
    validate: bool = True,
    complete: bool = True,
) -> Positions:
    """Return where each run of a run table found the judged items.

    Parameters
    ----------
    ties : {'docid', 'rank', 'first', 'expected'}
        The order inside a list; by default "docid", or "rank" where the table has no scores.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Whose arithmetic; "trec_eval-9" compares scores as 32-bit floats.
    depth : int, optional
        Only the first `depth` items of each list.
    judged_only : bool
        Take items that nobody judged out of the lists, after `depth`; those left move up.
    validate : bool
        Look for duplicate documents. Where nobody looks, the best place of each counts.
    complete : bool
        Keep judged non-relevant items too, which some measures need.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.tables.reader import read
    >>> found = join(read(pdeval.datasets.sample_runs(), "runs"), read(pdeval.datasets.sample_qrels(), "qrels"))
    >>> found.retrieved.shape
    (50, 12)
    """
    complete = complete or judged_only
    rows = rows_of(runs, qrels, ties=ties, compat=compat, depth=depth, validate=validate, complete=complete)
    made = positions_of(rows, compat=compat, depth=depth, validate=validate, complete=complete)
    return made.only_judged() if judged_only else made


def positions_of(
    made: Rows,
    *,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
    complete: bool = True,
    ranked: bool = True,
) -> Positions:
    """Return where each run found the judged items; without `ranked`, only which of them it found, in any order."""
    (runs, qrels), judged, found, topic, doc, score, order, ties, gaps = made
    rows, item, run = _match(doc, order, found, topic, judged, complete)
    where = ranks.of_rows(rows, score, doc, found, ties, order) if ranked else ranks.Ranks(*np.zeros((3, len(rows))))
    del rows
    retrieved = np.zeros((len(judged.queries), len(found.runs)), dtype=np.int64)
    known = topic >= 0
    retrieved[topic[known], found.run[known]] = found.sizes[known]
    if depth is not None:
        retrieved = np.minimum(retrieved, depth)
    # of an item that a list holds twice, and nobody looked for, the best place comes last: it is the one that stays
    kept: Any = np.s_[:]
    if ranked:
        kept = by_code(item) if validate else np.lexsort((-where.rank, run, item))
        kept = kept if depth is None else kept[where.rank[kept] <= depth]
    rank, start, size = where.rank, where.start, where.size
    del where  # what is sorted takes the place of what was not, one after the other
    item = item[kept].astype(np.int64, copy=False)
    run = run[kept].astype(np.int64, copy=False)
    rank = rank[kept].astype(np.float64, copy=False)
    start = start[kept].astype(np.float64, copy=False)
    size = size[kept].astype(np.float64, copy=False)
    return Positions(
        found.runs,
        judged.queries.index().rename(runs.roles["query"]),
        judged,
        item,
        run,
        rank,
        start,
        size,
        retrieved,
        doc_name=runs.roles["doc"],
        rules={"ties": ties, "compat": compat, "depth": depth},
        source=(runs, qrels),
        complete=complete,
        extra=int((~known).sum()),
        top_grade=float(judged.grade.max(initial=0.0)),
        gaps=gaps,
    )


def sharing_nothing(positions: Positions) -> np.ndarray:
    """Return the runs none of whose items is judged for any query; raise where that holds for all of them.

    Of a handful of items none may well be judged: it is an error from `FEW` different items on, on both sides. Looked
    for only where a run has no hit at all, so that it costs nothing otherwise.
    """
    if positions.source is None:
        return np.zeros(0, dtype=np.int64)
    silent = np.flatnonzero(
        (np.bincount(positions.run, minlength=len(positions.runs)) == 0) & positions.answered.any(axis=0)
    )
    if len(silent) == 0:
        return silent
    runs, qrels = positions.source
    judged = ids.column_ids(qrels.column("doc"), "judgments' doc").unique()[0]
    strangers, mine = holding_none(runs, silent, judged)
    if len(strangers) == len(positions.runs) and min(len(mine), len(judged)) >= FEW:
        raise NothingJudged("item", mine, judged)
    return strangers


def holding_none(runs: Table, some: np.ndarray, judged: ids.Ids) -> tuple[np.ndarray, ids.Ids]:
    """Return which of some runs hold no judged item for any query, and the different items that those runs hold."""
    found = list_index.find_lists(runs)
    theirs = np.repeat(np.isin(found.run, some), found.sizes)
    rows = np.flatnonzero(theirs) if found.order is None else found.order[theirs]
    mine = ids.column_ids(runs.column("doc"), "doc").take(rows)
    hit, _ = mine.matches(judged)
    owner = np.repeat(found.run, found.sizes)[theirs]
    return some[np.bincount(owner[hit], minlength=len(found.runs))[some] == 0], mine.unique()[0]


def _match(
    doc: ids.Ids, order: np.ndarray | None, found: Lists, topic: np.ndarray, judged: Judgments, complete: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the judged rows (places in sorted order), the item that each holds, and its run."""
    wanted = np.arange(len(judged.topic)) if complete else np.flatnonzero(judged.grade > 0)
    if complete:
        probed, code = judged.docs, None
    else:
        code = np.unique(judged.doc[wanted])
        probed = judged.docs.take(code)
    place_of = _lookup(judged.key()[wanted], len(judged.queries) * len(judged.docs), len(doc))
    step = max(_ROWS, 16 * len(probed), 16 * len(doc.values or ()))  # parts bound the memory; each reads all of these
    found_rows, found_items, found_runs = [], [], []
    small = np.int32 if max(len(doc), len(judged.topic)) < 2**31 else np.int64
    for at in range(0, len(doc), step):
        rows, held = doc.part(at, at + step).matches(probed)
        held = held if code is None else code[held]
        rows = rows + at
        own = found.of_given(rows)
        about = topic[own]
        known = about >= 0
        if not known.all():
            rows, held, own, about = rows[known], held[known], own[known], about[known]
        item = place_of(about.astype(np.int64) * len(judged.docs) + held)
        hit = item >= 0
        found_runs.append(found.run[own[hit]].astype(small, copy=False))
        found_rows.append(rows[hit].astype(small, copy=False))
        found_items.append(wanted[item[hit]].astype(small, copy=False))
    rows, item, run = (np.concatenate(parts) for parts in (found_rows, found_items, found_runs))
    if order is None:
        return rows, item, run
    # most rows are not judged: one bit of each tells which places are, and only those are looked up
    there = Bitmap(rows, len(order))
    place = np.flatnonzero(there.holds(order)).astype(small)
    by = there.places(order[place])
    return place, item[by], run[by]


def _lookup(keys: np.ndarray, cells: int, rows: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return what tells the place of each key among sorted keys, or -1.

    By a table where that is small; else by bisection, of those alone that a table of bits knows where it pays.
    """
    if cells <= _TABLE:
        table = np.full(cells, -1, dtype=np.int32)
        table[keys] = np.arange(len(keys))
        return table.__getitem__

    def bisected(key: np.ndarray) -> np.ndarray:
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        return np.where(keys[at] == key, at, -1) if len(keys) else np.full(len(key), -1)

    if cells > 2 * rows:
        return bisected
    there = Bitmap(keys, cells)

    def sifted(key: np.ndarray) -> np.ndarray:
        item = np.full(len(key), -1)
        known = np.flatnonzero(there.holds(key))
        item[known] = there.places(key[known])
        return item

    return sifted
