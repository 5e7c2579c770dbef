"""The join of runs and judgments: for every judged item, the rank at which each run retrieved it.

Only judged rows survive the ranking. Everything after it (measures, preferences, orderings) reads `Positions`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from pdeval.join import ids, ranks
from pdeval.join.duplicates import no_duplicates
from pdeval.join.id_mismatch import NothingJudged, same_type
from pdeval.join.item_catalog import Catalog, Listed, all_lists
from pdeval.join.judgments import Judgments, read_judgments
from pdeval.join.lists import Lists, find_lists
from pdeval.join.rules import Compat, Ties, checked_rules
from pdeval.tables import Spans, Table, by_code, looked_up, noun, together

_TABLE = 1 << 22  # cells of a lookup table that is small
_ROWS = 1 << 18
_NUMBERS = 1 << 16  # numbers of a bitmap at a time
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, so products of different numbers differ
_ONES = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)
_HITS = ("item", "run", "rank", "start", "size")


class Rows(NamedTuple):
    """Both tables prepared, for every verb that looks at all rows of the runs.

    Parameters
    ----------
    tables : (Table, Table)
        The runs and the judgments.
    judged : Judgments
        The judged items.
    lists : Lists
        The lists of the runs; `topic` is that of each, or -1.
    doc : Ids
        The items, in the order of the caller's rows.
    score, order : ndarray, ndarray or None
        Numbers that change where the score does, list after list and best first, and the caller's row of each; the
        scores themselves and None if rows are in that order already.
    ties : str
        The order inside a list.
    gaps : str, optional
        The warning about ranks with gaps, if there are any.
    """

    tables: tuple[Table, Table]
    judged: Judgments
    lists: Lists
    topic: np.ndarray
    doc: ids.Ids
    score: np.ndarray
    order: np.ndarray | None
    ties: Ties
    gaps: str | None = None


def rows_of(
    runs: Table,
    qrels: Table,
    *,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
    complete: bool = True,
    any_judged: bool = True,
    judged: Judgments | None = None,
) -> Rows:
    """Return both tables prepared for the join, under the rules of `join`; by default some query must be judged."""
    ties = checked_rules(ties, compat, depth, runs)
    if len(runs.frame) == 0:
        raise ValueError("the run table is empty; there is nothing to evaluate.")
    judged, lists, doc, score = together(
        lambda: read_judgments(qrels, complete=complete) if judged is None else judged,
        lambda: find_lists(runs),
        lambda: ids.column_ids(runs.column("doc"), "doc"),
        lambda: ranks.scores_of(runs, ties, compat),
    )
    words = {role: noun(role, runs.roles[role]) for role in ("query", "doc")}
    together(
        lambda: same_type(words["query"], lists.queries, judged.queries),
        lambda: same_type(words["doc"], doc, judged.docs),
        lambda: no_duplicates(runs, doc, lists) if validate else None,
    )
    step, order = ranks.sorted_scores(score, lists, ties)
    topic = lists.queries.probe(judged.queries)[lists.query]
    if any_judged and not (topic >= 0).any():
        raise NothingJudged("query", lists.queries, judged.queries, words["query"])
    gaps = ranks.closed_gaps(score, order, lists, ties)
    return Rows((runs, qrels), judged, lists, topic, doc, step, order, ties, gaps)


def unjudged(lists: Lists, doc: ids.Ids) -> tuple[Judgments, np.ndarray]:
    """Return judgments without items, of all queries that have a list, and the topic of each list."""
    queries, place = lists.queries.unique(natural=True)
    nothing = np.zeros(0, dtype=np.int64)
    return Judgments(queries, doc.take(nothing), nothing, nothing, np.zeros(0)), place[lists.query]


@dataclass(frozen=True, eq=False)
class Positions:
    """The rank at which every run retrieved every judged item.

    Parameters
    ----------
    runs : DataFrame
        A row a run: the caller's identifying column(s), sorted.
    queries : Index
        All judged queries, sorted, named as the caller's query column; a topic is a place in it.
    judged : Judgments
        The judged items: topic, document, grade.
    item, run, rank : ndarray of shape (hits,)
        The judged items that were retrieved (hits): the item, the run, the rank from 1. Sorted by item.
    start, size : ndarray of shape (hits,)
        The group of ties of the hit: rows above it, rows in it.
    retrieved : ndarray of shape (topics, runs)
        The number of items that each run returned; 0 if it did not answer.
    rules : dict
        ties, compat, depth, and judged_only if it is set.
    top_grade : float
        The largest grade of all judgments; a part of the topics or labels keeps it.
    lengths : ndarray of shape (topics, runs), optional
        The length of each list before unjudged items were taken out of it, if they were.
    listed : Listed, optional
        All items of the lists, judged or not, if side tables describe items.
    gaps : str, optional
        The warning about gaps in the ranks by which the lists were sorted, if there are any.
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
        """The length of each list, whatever was taken out of it."""
        return self.retrieved if self.lengths is None else self.lengths

    @property
    def answered(self) -> np.ndarray:
        """Which (topic, run) has a list."""
        return self.list_sizes > 0

    def relevant(self, level: float | None = None) -> np.ndarray:
        """Return which items are relevant: of positive grade, and at least `level` if that is given.

        Examples
        --------
        >>> import pdeval
        >>> judged = pdeval.datasets.sample_judged()
        >>> bool(judged.positions.relevant(2).sum() < judged.positions.relevant().sum())
        True
        """
        grade = self.judged.grade
        return grade > 0 if level is None else (grade >= level) & (grade > 0)

    def lists_of(self, hits: Any) -> np.ndarray:
        """Return the list of each hit as one number: topic times the number of runs, plus run."""
        return self.judged.topic[self.item[hits]] * len(self.runs) + self.run[hits]

    def _take_hits(self, hits: Any, **changed: Any) -> Self:
        """Return the positions of these hits (a mask or their places), with other fields changed."""
        columns = {name: getattr(self, name)[hits] for name in _HITS if name not in changed}
        return replace(self, **columns, **changed)

    def keep_items(self, kept: np.ndarray) -> Self:
        """Return the positions as if only these items (a mask) had been judged; nothing is joined again."""
        new_index = np.cumsum(kept) - 1
        hits = kept[self.item]
        judged = self.judged
        subtopic = judged.subtopic
        if subtopic is not None:
            rows = subtopic[:, kept[subtopic[0].astype(np.int64)]]
            subtopic = np.stack(
                [new_index[rows[0].astype(np.int64)].astype(np.float64), rows[1], rows[2]]
            )
        columns = {name: getattr(judged, name)[kept] for name in ("topic", "doc", "grade")}
        judged = replace(judged, **columns, subtopic=subtopic)
        part = self._take_hits(hits, judged=judged, item=new_index[self.item[hits]])
        return part.only_judged() if self.rules.get("judged_only") else part

    def keep_topics(self, kept: np.ndarray) -> Self:
        """Return the positions of these topics (a mask); nothing is joined again."""
        topics, judged = np.flatnonzero(kept), self.judged
        # items are sorted by topic and hits by item: a topic has a span of each, copied without a search
        items = Spans.of(judged.topic, topics, topics + 1)
        hits = Spans.of(self.item, items.first, items.last)
        columns = {name: getattr(judged, name)[items.rows] for name in ("doc", "grade")}
        if judged.subtopic is not None:
            rows = Spans.of(judged.subtopic[0], items.first, items.last)
            item, code, grade = judged.subtopic[:, rows.rows]
            columns["subtopic"] = np.stack([item - np.repeat(items.moved, rows.size), code, grade])
        topic = np.repeat(np.arange(len(topics)), items.size)
        return self._take_hits(
            hits.rows,
            judged=replace(judged, topic=topic, queries=judged.queries.take(topics), **columns),
            queries=self.queries[topics],
            retrieved=self.retrieved[topics],
            lengths=None if self.lengths is None else self.lengths[topics],
            listed=None if self.listed is None else self.listed.keep_topics(topics),
            item=self.item[hits.rows] - np.repeat(items.moved, hits.size),
        )

    def keep_runs(self, kept: np.ndarray) -> Self:
        """Return the positions of these runs (a mask)."""
        new_index = np.cumsum(kept) - 1
        hits = kept[self.run]
        return self._take_hits(
            hits,
            runs=self.runs[kept].reset_index(drop=True),
            retrieved=self.retrieved[:, kept],
            lengths=None if self.lengths is None else self.lengths[:, kept],
            listed=None if self.listed is None else self.listed.keep_runs(kept),
            run=new_index[self.run[hits]],
        )

    def keep_depth(self, depth: int) -> Self:
        """Return the positions in the first `depth` items of each list; nothing is joined again.

        Examples
        --------
        >>> import pdeval
        >>> positions = pdeval.datasets.sample_judged().positions.keep_depth(10)
        >>> float(positions.rank.max()), int(positions.retrieved.max())
        (10.0, 10)
        """
        if self.rules.get("judged_only") or self.rules["ties"] == "expected":
            raise ValueError(
                "the lists of a join with judged_only=True or ties='expected' cannot be shortened. "
                "Join without these options."
            )
        return self._take_hits(
            self.rank <= depth,
            retrieved=np.minimum(self.retrieved, depth),
            listed=None if self.listed is None else replace(self.listed, depth=depth),
            rules={**self.rules, "depth": depth},
        )

    def only_judged(self) -> Self:
        """Return the positions of lists without their unjudged items: the remaining items move up.

        As trec_eval's -J. An item of negative grade is unjudged. The remaining items of a group of ties stay tied.

        Examples
        --------
        >>> import pandas as pd, pdeval
        >>> runs = pd.DataFrame({"query_id": "1", "doc_id": ["x", "y", "z"], "score": [3, 2, 1]})
        >>> qrels = pd.DataFrame({"query_id": "1", "doc_id": ["y", "z"], "relevance": [0, 1]})
        >>> runs.ireval.join(qrels).positions.only_judged().rank.tolist()
        [1.0, 2.0]
        """
        if not self.complete:
            raise RuntimeError("the join has relevant items only. Join again with complete=True.")
        pooled = self.judged.grade[self.item] < 0
        judged = self._take_hits(~pooled) if pooled.any() else self
        cell = judged.lists_of(np.s_[:])
        order = np.lexsort((judged.rank, judged.start, cell))  # the last key is the primary one
        number = np.arange(len(order))
        begins = np.ones((2, len(order)), dtype=bool)  # of a list, of a group of tied items
        begins[0, 1:] = np.diff(cell[order]) != 0
        begins[1, 1:] = begins[0, 1:] | (np.diff(judged.start[order]) != 0)
        # for each row the first row of its list, and of its group of ties
        first, group = np.maximum.accumulate(np.where(begins, number, 0), axis=1)
        group_number = np.cumsum(begins[1])
        rank, start, size = np.empty((3, len(order)))
        rank[order] = number - first + 1
        start[order] = group - first
        size[order] = np.bincount(group_number)[group_number]
        count = np.bincount(cell, minlength=self.retrieved.size).reshape(self.retrieved.shape)
        return replace(
            judged,
            rank=rank,
            start=start,
            size=size,
            retrieved=count,
            lengths=self.list_sizes,
            rules={**self.rules, "judged_only": True},
        )


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
    catalog: Catalog | None = None,
    judged: Judgments | None = None,
) -> Positions:
    """Return the ranks at which each run of a run table retrieved the judged items.

    Parameters
    ----------
    ties : {'docid', 'rank', 'first', 'expected'}
        The order inside a list; by default "docid", or "rank" if the table has no scores.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Whose arithmetic; "trec_eval-9" compares scores as 32-bit floats.
    depth : int, optional
        Only the first `depth` items of each list.
    judged_only : bool
        Remove unjudged items from the lists, after `depth`; the remaining items move up.
    validate : bool
        Look for duplicate documents. Otherwise the best rank of each counts.
    complete : bool
        Keep judged non-relevant items too, which some measures need.
    catalog : Catalog, optional
        Side tables of items: the rows are kept, for measures that look at more than judged items.
    judged : Judgments, optional
        The judgments of `qrels`, if they were read before.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.tables.reader import read
    >>> positions = join(read(pdeval.datasets.sample_runs(), "runs"), read(pdeval.datasets.sample_qrels(), "qrels"))
    >>> positions.retrieved.shape
    (50, 12)
    """
    complete = complete or judged_only
    rules: dict[str, Any] = {"compat": compat, "depth": depth, "validate": validate}
    rows = rows_of(runs, qrels, ties=ties, complete=complete, judged=judged, **rules)
    positions = positions_of(rows, complete=complete, **rules)
    if catalog is not None:
        positions = replace(positions, listed=all_lists(rows, catalog, depth))
    return positions.only_judged() if judged_only else positions


def positions_of(
    prepared: Rows,
    *,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    validate: bool = True,
    complete: bool = True,
    ranked: bool = True,
) -> Positions:
    """Return the ranks of the judged items; without `ranked`, only which of them each run retrieved, in any order."""
    (runs, _), judged, lists, topic, doc, score, order, ties, gaps = prepared
    rows, item, run = _match(doc, order, lists, topic, judged, complete)
    columns: dict[str, Any] = {"item": item, "run": run}
    if ranked:
        columns |= ranks.of_rows(rows, score, doc, lists, ties, order)._asdict()
    else:
        columns |= dict(zip(ranks.Ranks._fields, np.zeros((3, len(rows)))))
    del rows
    retrieved = np.zeros((len(judged.queries), len(lists.runs)), dtype=np.int64)
    known = topic >= 0
    retrieved[topic[known], lists.run[known]] = lists.sizes[known]
    if depth is not None:
        retrieved = np.minimum(retrieved, depth)
    kept: Any = np.s_[:]
    if ranked:
        kept = by_code(item)
        if not validate and not _rises(item[kept], run[kept]):
            # a list may have an item twice: of several hits the best rank comes last, and stays
            kept = np.lexsort((-columns["rank"], run, item))
        kept = kept if depth is None else kept[columns["rank"][kept] <= depth]
    del item, run
    # one column after the other: the sorted one replaces the one before, which is freed
    for name in _HITS:
        columns[name] = columns[name][kept].astype(
            np.int64 if name in ("item", "run") else np.float64, copy=False
        )
    return Positions(
        runs=lists.runs,
        queries=judged.queries.index().rename(runs.roles["query"]),
        judged=judged,
        retrieved=retrieved,
        doc_name=runs.roles["doc"],
        rules={"ties": ties, "compat": compat, "depth": depth},
        source=prepared.tables,
        complete=complete,
        extra=int((~known).sum()),
        top_grade=float(judged.grade.max(initial=0.0)),
        gaps=gaps,
        **columns,
    )


def _rises(first: np.ndarray, second: np.ndarray) -> bool:
    """Return whether pairs of a sorted column and another one are different, and sorted by both."""
    return bool(((first[1:] > first[:-1]) | (second[1:] > second[:-1])).all())


def _match(
    doc: ids.Ids,
    order: np.ndarray | None,
    lists: Lists,
    topic: np.ndarray,
    judged: Judgments,
    complete: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the judged rows (places in sorted order), the item of each, and its run."""
    wanted = np.arange(len(judged.topic)) if complete else np.flatnonzero(judged.grade > 0)
    place_of = _lookup(judged.key()[wanted], len(judged.queries) * len(judged.docs), len(doc))
    # the document of every value of a categorical column: few values, many rows
    code = None if doc.values is None else doc.values.probe(judged.docs)
    mark = doc.marks if code is None else doc.stored
    marks = np.arange(len(judged.docs)) if code is not None else judged.docs.marks_like(doc)
    sieve = Sieve(marks[judged.doc[wanted]], judged.topic[wanted])
    step = max(_ROWS, 16 * len(judged.docs))  # parts bound the memory; each reads all of these
    dtype = np.int32 if max(len(doc), len(judged.topic)) < 2**31 else np.int64
    matches: list[tuple[np.ndarray, ...]] = []
    for at in range(0, len(doc), step):
        # first most rows that are not judged are sifted out, then (query, document) is compared as one integer
        list_of_row = lists.of_given(np.arange(at, min(at + step, len(doc))))
        part = mark[at : at + step]
        rows = sieve.passes(part if code is None else looked_up(code, part), topic[list_of_row])
        docs = doc.part(at, at + step).take(rows)
        place = docs.probe(judged.docs) if code is None else code[docs.stored]
        list_of_row = list_of_row[rows]
        topic_of_row = topic[list_of_row].astype(np.int64)
        known = np.flatnonzero((place >= 0) & (topic_of_row >= 0))
        item = place_of(topic_of_row[known] * len(judged.docs) + place[known])
        hit = item >= 0
        known = known[hit]
        judged_rows = rows[known] + at, wanted[item[hit]], lists.run[list_of_row[known]]
        matches.append(tuple(column.astype(dtype, copy=False) for column in judged_rows))
    rows, item, run = (np.concatenate(parts) for parts in zip(*matches))
    if order is None:
        return rows, item, run
    # most rows are not judged: one bit of each shows which are, and only the places of those are looked up
    is_judged = Bitmap(rows, len(order))
    place = np.flatnonzero(is_judged.holds(order)).astype(dtype)
    by = is_judged.places(order[place])
    return place, item[by], run[by]


def _lookup(keys: np.ndarray, cells: int, rows: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from keys to their places among these sorted keys, or -1.

    It uses a table if that is small, else bisection.
    """
    if cells <= max(_TABLE, rows):
        table = np.full(cells, -1, dtype=np.int32)
        table[keys] = np.arange(len(keys))
        return table.__getitem__

    def bisected(key: np.ndarray) -> np.ndarray:
        order = np.argsort(key)  # rising keys are bisected within the cache of the processor
        at = np.empty(len(key), dtype=np.int64)
        at[order] = np.searchsorted(keys, key[order])
        at[at == len(keys)] = -1
        return np.where(keys[at] == key, at, -1) if len(keys) else np.full(len(key), -1)

    return bisected


class Sieve:
    """A Bloom filter with one bit per hash of (number, topic): few pairs that are not in the set pass it.

    Examples
    --------
    >>> sieve = Sieve(np.array([7, 8]), np.array([0, 1]))
    >>> sieve.passes(np.array([7, 7, 8, 9]), np.array([0, 1, 1, -1])).tolist()
    [0, 2]
    """

    def __init__(self, numbers: np.ndarray, topic: np.ndarray) -> None:
        width = (16 * len(numbers) + 7).bit_length()
        self.shift = np.uint64(64 - width)
        self.bitmap = Bitmap(self._hashes(numbers, topic), 1 << width)

    def _hashes(self, numbers: np.ndarray, topic: np.ndarray) -> np.ndarray:
        """Return the leading bits of the product of both with an odd number."""
        pair = (topic.astype(np.uint64) << np.uint64(32)) + numbers.astype(np.uint64)
        pair *= _SPREAD
        pair ^= pair >> np.uint64(32)  # the topic reaches only the leading bits of a product
        pair *= _SPREAD
        pair >>= self.shift
        return pair.view(np.int64)

    def passes(self, numbers: np.ndarray, topic: np.ndarray) -> np.ndarray:
        """Return the rows that may be in the set."""
        passes = np.empty(len(numbers), dtype=bool)
        for at in range(0, len(numbers), _NUMBERS):  # chunks keep the temporaries in the cache
            part = np.s_[at : at + _NUMBERS]
            passes[part] = self.bitmap.holds(self._hashes(numbers[part], topic[part]))
        return np.flatnonzero(passes)


class Bitmap:
    """A set of integers from 0, one bit for each possible number.

    Parameters
    ----------
    numbers : ndarray
        The numbers.
    count : int
        The number of possible numbers: all are smaller.

    Examples
    --------
    >>> bitmap = Bitmap(np.array([1, 4, 9]), 10)
    >>> bitmap.holds(np.array([9, 0, 1])).tolist(), bitmap.places(np.array([9, 1])).tolist()
    ([True, False, True], [2, 0])
    """

    def __init__(self, numbers: np.ndarray, count: int) -> None:
        holds = np.zeros(count, dtype=bool)
        holds[numbers] = True
        self.bits = np.packbits(holds, bitorder="little")

    @cached_property
    def before(self) -> np.ndarray:
        """The number of set bits before each byte."""
        ones = _ONES[self.bits]
        until: np.ndarray = np.cumsum(ones, dtype=np.int32 if len(ones) < 2**28 else np.int64)
        return until - ones

    def holds(self, numbers: np.ndarray) -> np.ndarray:
        """Return which numbers are in the set."""
        holds = np.empty(len(numbers), dtype=bool)
        for at in range(0, len(numbers), _NUMBERS):
            part = numbers[at : at + _NUMBERS]
            holds[at : at + _NUMBERS] = self.bits[part >> 3] & _bit(
                part
            )  # byte number, then bit in the byte
        return holds

    def places(self, numbers: np.ndarray) -> np.ndarray:
        """Return the place of numbers of the set among all of it."""
        byte = numbers >> 3
        smaller = self.bits[byte] & (_bit(numbers) - np.uint8(1))  # the bits below that of a number
        return self.before[byte] + _ONES[smaller]


def _bit(numbers: np.ndarray) -> np.ndarray:
    """Return the bit of each number in its byte."""
    return np.left_shift(np.uint8(1), (numbers & 7).astype(np.uint8))
