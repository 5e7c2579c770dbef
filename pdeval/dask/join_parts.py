"""The join of a run table in parts of complete queries, from any source; Dask is not required.

One part is in memory at a time. Only the positions of its judged items are kept: 40 bytes for each retrieved one, and
8 for every list, as for a Dask table (see `collect`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.accessor import Joined
from pdeval.dask import first_pass
from pdeval.dask.first_pass import Given, Holding
from pdeval.dask.partition_plan import Plan, needed
from pdeval.join import (
    FEW,
    Compat,
    Ids,
    NothingJudged,
    QueryRule,
    Ties,
    checked_level,
    checked_rules,
    column_ids,
    holding_none,
    merge_parts,
    positions,
    read_judgments,
    same_type,
)
from pdeval.tables import Table, listed, reader
from pdeval.verbs import checks_arguments


def _read(parts: Any) -> Iterator[tuple[int, Table]]:
    """Yield the parts as run tables, with their numbers; one table is an error, though it can be iterated over."""
    is_table = isinstance(parts, pd.DataFrame) or hasattr(parts, "_frame")
    is_stream = hasattr(parts, "__arrow_c_stream__") and not hasattr(parts, "__next__")
    if (
        is_table
        or is_stream
        or isinstance(parts, str | bytes | dict)
        or not hasattr(parts, "__iter__")
    ):
        raise TypeError(
            f"join_parts() requires an iterable of tables with complete queries, got {type(parts).__name__}. "
            "For one table, use runs.ireval.join(qrels)."
        )
    source = iter(parts)
    for number in count():
        try:
            part = next(source)
        except StopIteration:
            return
        except Exception as fault:
            fault.add_note(f"while part {number} was read, for join_parts()")
            raise
        try:
            yield number, reader.read(part, "runs")
        except (TypeError, ValueError) as fault:
            raise type(fault)(f"part {number}: {fault}") from fault


def whole_queries_of(parts: Any) -> Iterator[tuple[int, Table]]:
    """Yield the rows of all parts in order, as run tables, each with the number of the part in which it ends.

    The last query of a part is a separate table, because it may continue in the next part.

    Examples
    --------
    >>> frame = pd.DataFrame({"query_id": [1, 1, 2, 2], "doc_id": ["a", "b", "a", "b"], "score": 0.5})
    >>> parts = [frame[:1], frame[1:3], frame[3:]]
    >>> [(number, table.column("query").tolist()) for number, table in whole_queries_of(parts)]
    [(1, [1, 1]), (2, [2, 2])]
    """
    pending: list[Table] = []  # rows of the last query, which may continue in the next part
    last = 0
    for number, table in _read(parts):
        rows = len(table.frame)
        if not rows:
            yield number, table  # its columns are checked
            continue
        query = column_ids(table.column("query"), "query")
        begin = np.append(0, np.flatnonzero(query.changes()) + 1)
        labels = query.take(begin).index()
        start = 0
        if pending and labels[0] == pending[0].column("query").iloc[0]:
            start = int(begin[1]) if len(begin) > 1 else rows
            pending.append(replace(table, frame=table.frame.iloc[:start]))
            last = number
        if pending and start < rows:
            yield last, _together(pending)
            pending = []
        # the last query may continue in the next part, if all its rows are at the end of this one
        end = rows
        if start < rows and not (labels[:-1] == labels[-1]).any():
            end = max(int(begin[-1]), start)
            # a copy: a view would keep all of the part in memory
            tail = table.frame.take(np.arange(end, rows)) if end else table.frame
            pending, last = [replace(table, frame=tail)], number
        if start < end:
            yield number, replace(table, frame=table.frame.iloc[start:end])
    if pending:
        yield last, _together(pending)


def _together(tables: list[Table]) -> Table:
    if len(tables) == 1:
        return tables[0]
    return replace(tables[0], frame=pd.concat([table.frame for table in tables], ignore_index=True))


@checks_arguments
def join_parts(
    parts: Iterable[Any],
    qrels: object,
    *,
    level: float | None = None,
    queries: QueryRule = "relevant",
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    depth: int | None = None,
    judged_only: bool = False,
    validate: bool = True,
    corpus: bool = False,
) -> Joined:
    """Join runs to judgments, from parts of the run table with complete queries.

    The join equals the join of all parts at once, to the last bit, and has the same verbs. Only the rows are not kept:
    verbs that need them (pools, interleaving, checks) raise an error. A query at the end of one part may continue at
    the start of the next, so batches of rows sorted by query may be divided anywhere. Any other query in two parts is
    an error.

    Parameters
    ----------
    parts : iterable of tables
        DataFrames, bound accessors (`frame.ireval(query="topic_no")`), or objects with `__arrow_c_stream__`: record
        batches, Arrow tables, Polars DataFrames. Each is read once, in order; empty ones are skipped. All must have the
        same columns.
    qrels : table
        Judgments: query, doc, grade, and optionally subtopic.
    level : float, optional
        Smallest relevant grade; by default any positive grade is relevant.
    queries : {'relevant', 'judged', 'answered', 'common'}
        Which queries count, as in `runs.ireval.join`.
    ties : {'docid', 'rank', 'first', 'expected'}, optional
        Order of equal scores; by default 'docid' if there are scores, else 'rank'.
    compat : {'trec_eval-10', 'trec_eval-9', 'pref_eval'}
        Tool whose arithmetic is used if tools differ.
    depth : int, optional
        Number of items of each list that are evaluated; by default all.
    judged_only : bool
        Whether to remove unjudged items from the lists before they are ranked, as with -J of trec_eval.
    validate : bool
        Whether to check for duplicate documents.
    corpus : bool
        Whether to count the distinct items of each query. Search length requires it if unretrieved items are placed at
        the end of the corpus.

    Returns
    -------
    Joined
        The join, as returned by `runs.ireval.join(qrels)`.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    >>> parts = (part for _, part in runs.groupby("query_id", observed=True))
    >>> judged = join_parts(parts, qrels, queries="common")
    >>> judged
    runs joined to judgments: 12 runs x 48 of 50 queries; next: .measure(), .prefer(), .order(), .compare()
    >>> judged.measure("AP").head(2)
        run query_id measure     value
    0  bm25      101      AP  0.346994
    1  bm25      102      AP  0.289136
    """
    level = checked_level(level)
    judged = reader.read(qrels, "qrels")
    rules = {"ties": ties, "compat": compat, "depth": depth} | (
        {"judged_only": True} if judged_only else {}
    )
    gathering = _Gathering(first_pass.sent(judged), validate, corpus, **rules)
    for number, table in whole_queries_of(parts):
        try:
            gathering.add(table, number)
        except ValueError as fault:
            raise ValueError(f"part {number}: {fault}") from fault
    at, strangers = gathering.join()
    join = Joined(at, level, queries, set() if queries == "relevant" else {"missing queries"})
    join.warn_of_ids(strangers, lambda: None)
    return join


@dataclass(frozen=True, eq=False)
class RowsLetGo(merge_parts.Pair):
    """The judgments of a join in parts; the rows of its runs are not kept."""

    qrels: Table
    counted: merge_parts.Returned | None = None

    @property
    def returned(self) -> merge_parts.Returned:
        """The items in the rankings, if they were counted."""
        if self.counted is None:
            raise ValueError(
                "the number of items of a query requires the rows of the run table, which join_parts() does not keep. "
                "Count them during the join: pdeval.join_parts(parts, qrels, corpus=True)."
            )
        return self.counted

    @property
    def runs(self) -> Table:
        """The run table, which is not kept."""
        raise ValueError(
            "this verb needs the rows of the run table, which join_parts() does not keep. Use "
            "pd.concat(parts).ireval.join(qrels), with a subset of the queries or runs if memory is short."
        )


class _Kept(NamedTuple):
    """The data kept of one part: its lists, their hits and items, and which of its runs have a judged item."""

    number: int
    holding: Holding
    hits: merge_parts.Piece | None
    items: merge_parts.Piece | None
    is_known: np.ndarray


class _Gathering:
    """The data kept of all parts so far, and their join."""

    def __init__(self, given: Given, validate: bool, corpus: bool, **rules: Any) -> None:
        self.given, self.validate, self.corpus, self.rules = given, validate, corpus, rules
        self.queries = (
            given.queries.index()
        )  # an index hashes its values once, whatever the number of parts
        self.first: Table | None = None
        self.home = np.full(len(given.queries), -1)
        self.kept: list[_Kept] = []
        self.known_runs: set[tuple[Any, ...]] = set()
        self.unknown: list[pd.Index] = []

    @cached_property
    def docs(self) -> Ids:
        """All items that are judged, for any query."""
        return column_ids(self.given.table().column("doc"), "judgments' doc").unique()[0]

    def add(self, table: Table, number: int) -> None:
        """Add the data of a part that the join needs."""
        table = self._check_columns(table)
        if not len(table.frame):
            return
        rank = table.roles["rank"] if self.rules["ties"] == "rank" else None
        holding = first_pass.holding(table.frame, table.roles["query"], table.run_columns, rank)
        query = column_ids(pd.Series(holding.queries), "query")
        same_type("query", query, self.given.queries)
        topics = np.sort(self.queries.get_indexer(query.index()))
        topics = topics[topics >= 0]
        again = topics[self.home[topics] >= 0]
        if len(again):
            raise _in_two_parts(self.queries[again[0]], self.home[again[0]])
        self.home[topics] = number
        # if no query is judged, the rows are still validated, with the judgments of another query
        judged = topics if len(topics) else np.zeros(1, dtype=np.int64)
        frame = self.given.of_topics(judged)
        silent = np.arange(len(holding.runs))
        hits = items = None
        try:
            part = positions.join(
                table, Table("qrels", frame, self.given.roles), validate=self.validate, **self.rules
            )
        except NothingJudged:
            pass
        else:
            hits = merge_parts.hits(part, topics, silent)
            items = merge_parts.items(part, topics) if self.corpus else None
            silent = silent[np.bincount(part.run, minlength=len(silent)) == 0]
        self.kept.append(
            _Kept(number, holding, hits, items, self._is_known(table, holding.runs, silent))
        )

    def _check_columns(self, table: Table) -> Table:
        """Return a part with the required columns; raise if they differ from those of the first part."""
        if self.first is None:
            ties, compat, depth = (self.rules[name] for name in ("ties", "compat", "depth"))
            self.rules["ties"] = checked_rules(ties, compat, depth, table)
            self.first = replace(table, frame=table.frame.iloc[:0].copy())
        part, first = needed(table, self.rules["ties"]), needed(self.first, self.rules["ties"])
        if (part.roles, part.run_columns) != (first.roles, first.run_columns):
            raise ValueError(
                f"the columns {listed(table.frame.columns)} differ from those of the first part, "
                f"{listed(self.first.frame.columns)}. All parts must have the same columns."
            )
        return part

    def _is_known(self, table: Table, runs: pd.DataFrame, silent: np.ndarray) -> np.ndarray:
        """Return which runs have an item that is judged, for any query; runs known from other parts are skipped."""
        is_known, names = (
            np.ones(len(runs), dtype=bool),
            list(runs.itertuples(index=False, name=None)),
        )
        unsure = np.array(
            [run for run in silent.tolist() if names[run] not in self.known_runs], dtype=np.int64
        )
        if len(unsure):
            strangers, items = holding_none(table, unsure, self.docs)
            is_known[strangers] = False
            if sum(map(len, self.unknown)) < FEW:
                self.unknown.append(items.index()[:FEW])
        self.known_runs.update(name for name, known in zip(names, is_known.tolist()) if known)
        return is_known

    def join(self) -> tuple[positions.Positions, np.ndarray]:
        """Return the join of all parts, and the runs none of whose items is judged."""
        if not self.kept or self.first is None:
            raise ValueError("no part has rows; there is nothing to evaluate.")
        census = first_pass.combined([part.holding for part in self.kept])
        twice = np.flatnonzero(census.parts > 1)
        if len(twice):  # a query without judgments, for which no home was kept
            raise _in_two_parts(
                census.queries.index()[twice[0]], self.kept[census.first[twice[0]]].number
            )
        topic = census.queries.probe(self.given.queries)
        if not (topic >= 0).any():
            raise NothingJudged("query", census.queries, self.given.queries)
        is_known = np.zeros(len(census.runs), dtype=bool)
        for part, (_, run, _) in zip(self.kept, census.pieces, strict=True):
            if part.hits is not None:  # from runs of the part to runs of all
                part.hits[1][0] = run[part.hits[1][0].astype(np.int64)]
            is_known[run[part.is_known]] = True
        known = Plan(None, self.first, census, self.given, topic, self.rules, self.validate).known
        qrels = self.given.table()
        judged = read_judgments(qrels)
        items = merge_parts.concatenated([part.items for part in self.kept])
        source = RowsLetGo(
            qrels, merge_parts.Returned(judged, True, items) if self.corpus else None
        )
        hits = merge_parts.concatenated([part.hits for part in self.kept])
        at = merge_parts.joined_hits(known, judged, hits, source)
        strange = ~is_known & at.answered.any(axis=0)
        if strange.all():  # as `sharing_nothing` does on pandas
            unknown = column_ids(pd.Series(np.concatenate(self.unknown)), "doc").unique()[0]
            if min(len(unknown), len(self.docs)) >= FEW:
                raise NothingJudged("item", unknown, self.docs)
        return at, np.flatnonzero(strange)


def _in_two_parts(query: object, first: int) -> ValueError:
    return ValueError(
        f"query {query!r} also has rows in part {first}, but parts must have complete queries. Sort the rows by query "
        "before dividing them (ORDER BY query), or divide them by query."
    )
