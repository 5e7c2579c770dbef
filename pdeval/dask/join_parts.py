"""The join of a run table that comes in parts of whole queries, from whatever makes them; no engine is needed.

One part is in memory at a time. What stays of it are the positions of its judged items, 40 bytes for each that a run
found, and 8 for every list: as much as is gathered of a Dask table (see `gathering`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.accessor import Joined
from pdeval.dask import broadcast_judgments, partition_ids
from pdeval.dask.broadcast_judgments import Given
from pdeval.dask.partition_ids import Holding
from pdeval.dask.partition_plan import Plan, needed
from pdeval.join import id_mismatch, ids, judgments, merge_parts, positions, rules
from pdeval.join.id_mismatch import NothingJudged
from pdeval.join.rules import Compat, Ties, Topics, checked_level
from pdeval.tables import reader
from pdeval.tables.reader import Table
from pdeval.tables.vocabularies import listed
from pdeval.verbs.checks import checks_arguments


def _iterable(parts: Any) -> Iterator[Any]:
    """Return the parts one by one; one table is not an iterable of them, though it may be gone through."""
    one = isinstance(parts, pd.DataFrame) or hasattr(parts, "_frame")
    one = one or (hasattr(parts, "__arrow_c_stream__") and not hasattr(parts, "__next__"))
    if one or isinstance(parts, str | bytes | dict) or not hasattr(parts, "__iter__"):
        raise TypeError(
            f"join_parts() takes an iterable of tables, each with whole queries; this is {type(parts).__name__}. "
            "One table is joined with runs.ireval.join(qrels)."
        )
    return iter(parts)


def _read(parts: Iterator[Any]) -> Iterator[tuple[int, Table]]:
    """Yield the parts as run tables, with their numbers."""
    number = 0
    while True:
        try:
            part = next(parts)
        except StopIteration:
            return
        except Exception as fault:
            fault.add_note(f"while part {number} was read, for join_parts()")
            raise
        try:
            yield number, reader.read(part, "runs")
        except (TypeError, ValueError) as fault:
            raise type(fault)(f"part {number}: {fault}") from fault
        number += 1


def whole_queries_of(parts: Any) -> Iterator[tuple[int, Table]]:
    """Yield the rows of all parts in their order, as run tables, each with the number of the part that it ends in.

    The last query of a part is a table of its own, so that it can be put together with the first rows of the next.

    Examples
    --------
    >>> frame = pd.DataFrame({"query_id": [1, 1, 2, 2], "doc_id": ["a", "b", "a", "b"], "score": 0.5})
    >>> parts = [frame[:1], frame[1:3], frame[3:]]
    >>> [(number, table.column("query").tolist()) for number, table in whole_queries_of(parts)]
    [(1, [1, 1]), (2, [2, 2])]
    """
    held: list[Table] = []
    last = 0
    for number, table in _read(_iterable(parts)):
        rows = len(table.frame)
        if not rows:
            yield number, table  # its columns are looked at
            continue
        query = ids.column_ids(table.column("query"), "query")
        begin = np.concatenate([[0], np.flatnonzero(query.changes()) + 1])
        labels = query.take(begin).index()
        start = 0
        if held and labels[0] == held[0].column("query").iloc[0]:
            start = int(begin[1]) if len(begin) > 1 else rows
            held.append(_rows(table, 0, start))
            last = number
        if held and start < rows:
            yield last, _together(held)
            held = []
        # rows of the last query may go on in the next part, if they all stand at the end of this one
        end = rows
        if start < rows and not (labels[:-1] == labels[-1]).any():
            end = max(int(begin[-1]), start)
            held, last = [_tail(table, end)], number
        if start < end:
            yield number, _rows(table, start, end)
    if held:
        yield last, _together(held)


def _rows(table: Table, start: int, end: int) -> Table:
    return Table("runs", table.frame.iloc[start:end], table.roles, table.run_columns)


def _tail(table: Table, start: int) -> Table:
    """Return the last rows of a part, as a copy: a view would keep all of it in memory."""
    frame = table.frame.take(np.arange(start, len(table.frame))) if start else table.frame
    return Table("runs", frame, table.roles, table.run_columns)


def _together(some: list[Table]) -> Table:
    if len(some) == 1:
        return some[0]
    frame = pd.concat([one.frame for one in some], ignore_index=True)
    return Table("runs", frame, some[0].roles, some[0].run_columns)


@checks_arguments
def join_parts(
    parts: Iterable[Any],
    qrels: object,
    *,
    level: float | None = None,
    topics: Topics = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    judged_only: bool = False,
    validate: bool = True,
    corpus: bool = False,
) -> Joined:
    """Return the join of runs with judgments, from parts of the run table that hold whole queries each.

    The join is that of all parts at once, to the last bit, and has its verbs; but the rows are gone: verbs that read
    them (pools, interleaving, checks) say so. A query that ends one part and begins the next is put together again, so
    that batches of rows sorted by query may break anywhere. Any other query in two parts is an error.

    Parameters
    ----------
    parts : iterable of tables
        Frames, bound accessors (`frame.ireval(query="topic_no")`), or anything with `__arrow_c_stream__`: record
        batches, Arrow tables, Polars frames. Each is read once, in order; empty ones are skipped. All have the same
        columns.
    qrels : table
        Judgments: query, doc, grade, maybe subtopic.
    level : float, optional
        The least grade that counts as relevant; by default any positive grade.
    topics : {'relevant', 'judged', 'answered', 'common'}
        Which queries count, as in `runs.ireval.join`.
    ties : {'docid', 'rank', 'first', 'expected'}, optional
        Order of equal scores. By default 'docid' where there are scores, else 'rank'.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Whose arithmetic, where tools differ.
    depth : int, optional
        Look only at the first `depth` items of each list.
    judged_only : bool
        Take items that nobody judged out of the lists before they are ranked, as trec_eval's -J does.
    validate : bool
        Look for duplicate documents.
    corpus : bool
        Count the different items of each query, which some measures need (search length, where it puts items that were
        not returned at the end of the corpus).

    Returns
    -------
    Joined
        The join, as `runs.ireval.join(qrels)` makes it.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> parts = (part for _, part in runs.groupby("query_id", observed=True))
    >>> judged = join_parts(parts, qrels, topics="common")
    >>> judged
    runs joined to judgments: 12 runs x 48 of 50 queries; next: .measure(), .prefer(), .order(), .compare()
    >>> judged.measure("AP").head(2)
        run query_id measure     value
    0  bm25      101      AP  0.346994
    1  bm25      102      AP  0.289136
    """
    level = checked_level(level)
    judged = reader.read(qrels, "qrels")
    rules = {"ties": ties, "compat": compat, "depth": depth, **({"judged_only": True} if judged_only else {})}
    gathering = _Gathering(broadcast_judgments.sent(judged), validate, corpus, **rules)
    for number, table in whole_queries_of(parts):
        try:
            gathering.add(table, number)
        except ValueError as fault:
            raise ValueError(f"part {number}: {fault}") from fault
    at, strangers = gathering.join()
    made = Joined(at, level, topics, set() if topics == "relevant" else {"missing queries"})
    made.warn_of_ids(strangers, lambda: None)
    return made


@dataclass(frozen=True, eq=False)
class RowsLetGo(merge_parts.Pair):
    """The judgments of a join in parts; the rows of its runs are gone."""

    qrels: Table
    counted: merge_parts.Returned | None = None

    @property
    def returned(self) -> merge_parts.Returned:
        """What the rankings held, where it was counted."""
        if self.counted is None:
            raise ValueError(
                "the number of items of a query is counted from all rows, and a join of parts keeps none of them. Have "
                "them counted while they are there: pdeval.join_parts(parts, qrels, corpus=True)."
            )
        return self.counted

    @property
    def runs(self) -> Table:
        """The run table, which is gone."""
        raise ValueError(
            "this needs the rows of the run table, and a join of parts keeps none of them. Ask a join of the rows that "
            "it is about: pd.concat(parts).ireval.join(qrels), of some queries or runs where all are too many."
        )


class _Kept(NamedTuple):
    """What stays of one part: its lists, what they found and hold, and which of its runs hold a judged item."""

    number: int
    holding: Holding
    hits: merge_parts.Piece
    items: merge_parts.Piece
    heard: np.ndarray


class _Gathering:
    """What is kept of the parts so far, and the join that they make."""

    def __init__(self, given: Given, validate: bool, corpus: bool, **rules: Any) -> None:
        self.given, self.validate, self.corpus, self.rules = given, validate, corpus, rules
        self.queries = given.queries.index()  # an index hashes its values once, whatever the number of parts
        self.first: Table | None = None
        self.home = np.full(len(given.queries), -1)
        self.kept: list[_Kept] = []
        self.heard: set[tuple[Any, ...]] = set()
        self.unknown: list[pd.Index] = []

    @cached_property
    def docs(self) -> ids.Ids:
        """All items that are judged, for any query."""
        return ids.column_ids(self.given.table().column("doc"), "judgments' doc").unique()[0]

    def add(self, table: Table, number: int) -> None:
        """Take from a part what is to stay."""
        table = self._alike(table)
        if not len(table.frame):
            return
        rank = table.roles["rank"] if self.rules["ties"] == "rank" else None
        holding = partition_ids.holding(table.frame, table.roles["query"], table.run_columns, rank)
        query = ids.column_ids(pd.Series(holding.queries), "query")
        id_mismatch.same_type("query", query.type, self.given.queries.type)
        topics = np.sort(self.queries.get_indexer(query.index()))
        topics = topics[topics >= 0]
        again = topics[self.home[topics] >= 0]
        if len(again):
            raise _in_two_parts(self.given.queries.index()[again[0]], self.home[again[0]])
        self.home[topics] = number
        # where nothing is judged the rows are looked at all the same, beside the judgments of another query
        beside = topics if len(topics) else np.zeros(1, dtype=np.int64)
        frame = broadcast_judgments.of_topics(self.given.frame, self.given.starts, beside)  # type: ignore[arg-type]
        silent = np.arange(len(holding.runs))
        try:
            part = positions.join(table, Table("qrels", frame, self.given.roles), validate=self.validate, **self.rules)
        except NothingJudged:
            hits: merge_parts.Piece = np.zeros(0, dtype=np.int64), np.zeros((4, 0))
            items = hits[0], hits[1][:1]
        else:
            hits = merge_parts.hits(part, topics, silent)
            items = merge_parts.items(part, topics) if self.corpus else (hits[0][:0], hits[1][:1, :0])
            silent = silent[np.bincount(part.run, minlength=len(silent)) == 0]
        self.kept.append(_Kept(number, holding, hits, items, self._heard(table, holding.runs, silent)))

    def _alike(self, table: Table) -> Table:
        """Return a part with the columns that matter, or raise where they are not those of the first."""
        if self.first is None:
            ties, compat, depth = (self.rules[name] for name in ("ties", "compat", "depth"))
            self.rules["ties"] = rules.checked_rules(ties, compat, depth, table)
            self.first = Table("runs", table.frame.iloc[:0].copy(), table.roles, table.run_columns)
        mine, first = needed(table, self.rules["ties"]), needed(self.first, self.rules["ties"])
        if (mine.roles, mine.run_columns) != (first.roles, first.run_columns):
            raise ValueError(
                f"its columns are {listed(table.frame.columns)}, and those of the parts before "
                f"{listed(self.first.frame.columns)}. Give all parts the same columns."
            )
        return mine

    def _heard(self, table: Table, runs: pd.DataFrame, silent: np.ndarray) -> np.ndarray:
        """Return which runs hold an item that is judged, whatever the query; of runs known to do so it is not asked."""
        heard, names = np.ones(len(runs), dtype=bool), list(runs.itertuples(index=False, name=None))
        asked = np.array([run for run in silent.tolist() if names[run] not in self.heard], dtype=np.int64)
        if len(asked):
            strangers, mine = id_mismatch.holding_none(table, asked, self.docs)
            heard[strangers] = False
            if sum(map(len, self.unknown)) < id_mismatch.FEW:
                self.unknown.append(mine.index()[: id_mismatch.FEW])
        self.heard.update(name for name, known in zip(names, heard.tolist()) if known)
        return heard

    def join(self) -> tuple[positions.Positions, np.ndarray]:
        """Return the join of all parts, and the runs none of whose items is judged."""
        if not self.kept or self.first is None:
            raise ValueError("there is no part with rows; there is nothing to evaluate.")
        found = partition_ids.combined([part.holding for part in self.kept])
        twice = np.flatnonzero(found.parts > 1)
        if len(twice):  # a query without judgments, for which no home was kept
            number = self.kept[found.first[twice[0]]].number
            raise _in_two_parts(found.queries.index()[twice[0]], number)
        topic = found.queries.probe(self.given.queries)
        if not (topic >= 0).any():
            raise NothingJudged("query", found.queries, self.given.queries)
        heard = np.zeros(len(found.runs), dtype=bool)
        for part, (_, run, _) in zip(self.kept, found.pieces, strict=True):
            part.hits[1][0] = run[part.hits[1][0].astype(np.int64)]
            heard[run[part.heard]] = True
        known = Plan(None, self.first, found, self.given, topic, self.rules, self.validate).known
        qrels = self.given.table()
        judged = judgments.read_judgments(qrels)
        items = merge_parts.concatenated([part.items for part in self.kept])
        source = RowsLetGo(qrels, merge_parts.Returned(judged, True, items) if self.corpus else None)
        at = merge_parts.joined_hits(known, judged, merge_parts.concatenated([part.hits for part in self.kept]), source)
        return at, self._strangers(~heard & at.answered.any(axis=0))

    def _strangers(self, strange: np.ndarray) -> np.ndarray:
        """Return the places of runs that hold nothing judged; raise where these are all, as `sharing_nothing` does."""
        if strange.all():
            items = ids.column_ids(pd.Series(np.concatenate(self.unknown)), "doc").unique()[0]
            if min(len(items), len(self.docs)) >= id_mismatch.FEW:
                raise NothingJudged("item", items, self.docs)
        return np.flatnonzero(strange)


def _in_two_parts(query: object, first: int) -> ValueError:
    return ValueError(
        f"query {query!r} has rows in part {first} already: a part must hold whole queries. Sort the rows by "
        "query before they are divided (ORDER BY query), or divide them by query."
    )
