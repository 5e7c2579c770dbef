"""The join of a run table that comes in parts of whole queries, from whatever makes them; no engine is needed.

One part is in memory at a time. What stays of it are the positions of its judged items, 40 bytes for each that a run
found, and 8 for every list: as much as is gathered of a Dask table (see `gathering`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.accessor import Joined
from pdeval.engines import census, judgments_sent
from pdeval.engines.census import Holding
from pdeval.engines.dividing import Plan, needed
from pdeval.engines.judgments_sent import Given
from pdeval.engines.part_streams import whole_queries_of
from pdeval.judged import ids, judgments, pieces, positions, prepared
from pdeval.judged.judged import checked_level, tell_of_strangers
from pdeval.judged.prepared import Compat, NothingJudged
from pdeval.judged.ranks import Ties
from pdeval.judged.topics import Topics
from pdeval.kinds import tables
from pdeval.kinds.tables import Table
from pdeval.kinds.vocabularies import listed
from pdeval.mechanics.declared import checks_arguments


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
        not returned at the end of the corpus); it takes several times as long as the rest.

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
    judged = tables.read(qrels, "qrels")
    rules = {"ties": ties, "compat": compat, "depth": depth, **({"judged_only": True} if judged_only else {})}
    gathering = _Gathering(judgments_sent.sent(judged), validate, corpus, **rules)
    for number, table in whole_queries_of(parts):
        try:
            gathering.add(table, number)
        except ValueError as fault:
            raise ValueError(f"part {number}: {fault}") from fault
    at, strangers = gathering.join()
    made = Joined(at, level, topics, set() if topics == "relevant" else {"missing queries"})
    tell_of_strangers(made, strangers)
    return made


@dataclass(frozen=True, eq=False)
class RowsLetGo(pieces.Pair):
    """The judgments of a join in parts; the rows of its runs are gone."""

    qrels: Table
    counted: pieces.Returned | None = None

    @property
    def returned(self) -> pieces.Returned:
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
    hits: pieces.Piece
    items: pieces.Piece
    heard: np.ndarray


class _Gathering:
    """What is kept of the parts so far, and the join that they make."""

    def __init__(self, given: Given, validate: bool, corpus: bool, **rules: Any) -> None:
        self.given, self.validate, self.corpus, self.rules = given, validate, corpus, rules
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
        holding = census.holding(table.frame, table.roles["query"], table.run_columns)
        query = ids.column_ids(pd.Series(holding.queries), "query")
        prepared.same_type("query", query.type, self.given.queries.type)
        topics = np.sort(query.probe(self.given.queries))
        topics = topics[topics >= 0]
        again = topics[self.home[topics] >= 0]
        if len(again):
            raise _in_two_parts(self.given.queries.index()[again[0]], self.home[again[0]])
        self.home[topics] = number
        # where nothing is judged the rows are looked at all the same, beside the judgments of another query
        beside = topics if len(topics) else np.zeros(1, dtype=np.int64)
        frame = judgments_sent.of_topics(self.given.frame, self.given.starts, beside)  # type: ignore[arg-type]
        silent = np.arange(len(holding.runs))
        try:
            part = positions.join(table, Table("qrels", frame, self.given.roles), validate=self.validate, **self.rules)
        except NothingJudged:
            hits: pieces.Piece = np.zeros(0, dtype=np.int64), np.zeros((4, 0))
            items = hits[0], hits[1][:1]
        else:
            hits = pieces.hits(part, topics, silent)
            items = pieces.items(part, topics) if self.corpus else (hits[0][:0], hits[1][:1, :0])
            silent = silent[np.bincount(part.run, minlength=len(silent)) == 0]
        self.kept.append(_Kept(number, holding, hits, items, self._heard(table, holding.runs, silent)))

    def _alike(self, table: Table) -> Table:
        """Return a part with the columns that matter, or raise where they are not those of the first."""
        if self.first is None:
            ties, compat, depth = (self.rules[name] for name in ("ties", "compat", "depth"))
            self.rules["ties"] = prepared.checked_rules(ties, compat, depth, table)
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
            strangers, mine = positions.holding_none(table, asked, self.docs)
            heard[strangers] = False
            if sum(map(len, self.unknown)) < positions.FEW:
                self.unknown.append(mine.index()[: positions.FEW])
        self.heard.update(name for name, known in zip(names, heard.tolist()) if known)
        return heard

    def join(self) -> tuple[positions.Positions, np.ndarray]:
        """Return the join of all parts, and the runs none of whose items is judged."""
        if not self.kept or self.first is None:
            raise ValueError("there is no part with rows; there is nothing to evaluate.")
        found = census.combined([part.holding for part in self.kept])
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
        items = pieces.beside([part.items for part in self.kept])
        source = RowsLetGo(qrels, pieces.Returned(judged, True, items) if self.corpus else None)
        at = pieces.joined_hits(known, judged, pieces.beside([part.hits for part in self.kept]), source)
        return at, self._strangers(~heard & at.answered.any(axis=0))

    def _strangers(self, strange: np.ndarray) -> np.ndarray:
        """Return the places of runs that hold nothing judged; raise where these are all, as `sharing_nothing` does."""
        if strange.all():
            items = ids.column_ids(pd.Series(np.concatenate(self.unknown)), "doc").unique()[0]
            if min(len(items), len(self.docs)) >= positions.FEW:
                raise NothingJudged("item", items, self.docs)
        return np.flatnonzero(strange)


def _in_two_parts(query: object, first: int) -> ValueError:
    return ValueError(
        f"query {query!r} has rows in part {first} already: a part must hold whole queries. Sort the rows by "
        "query before they are divided (ORDER BY query), or divide them by query."
    )
