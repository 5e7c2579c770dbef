"""From a Dask run table and judgments to partitions that can be joined: what to count first, whether rows move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from pdeval.catalog import Measure
from pdeval.dask import broadcast_judgments, partition, partition_ids, shuffle, worker_memory
from pdeval.dask.broadcast_judgments import Given
from pdeval.dask.partition import ByList, Whole
from pdeval.dask.partition_ids import Census
from pdeval.evaluate.scores import call_of
from pdeval.join.id_mismatch import NothingJudged, same_type
from pdeval.join.ids import Ids
from pdeval.join.item_catalog import Catalogue
from pdeval.join.judgments import Judgments
from pdeval.join.positions import Positions
from pdeval.join.rules import checked_rules
from pdeval.tables.reader import Table


@dataclass(frozen=True, eq=False)
class Division:
    """Both tables in partitions that can be joined one by one.

    Parameters
    ----------
    rows : Dask DataFrame
        The run table in partitions of whole queries, or of whole lists.
    judged : Dask DataFrame or None
        The judgments in the same partitions, where they are too many to send to every worker.
    whole : Whole
        What each partition is told.
    """

    rows: Any
    judged: Any
    whole: Whole

    @cached_property
    def told(self) -> Any:
        """What each partition is told, delayed: sent once."""
        import dask

        return dask.delayed(self.whole, traverse=False)

    @cached_property
    def joins(self) -> list[Any]:
        """The join of each partition, delayed."""
        import dask

        rows = self.rows.simplify().to_delayed(optimize_graph=False)
        judged = [None] * len(rows) if self.judged is None else self.judged.to_delayed()
        make = dask.delayed(partition.part_of)
        return [make(part, at, own, self.told) for at, (part, own) in enumerate(zip(rows, judged, strict=True))]

    @cached_property
    def kept_joins(self) -> list[Any]:
        """The joins of all partitions, computed and kept where the workers are; the rows are let go."""
        import dask

        slim = dask.delayed(partition.without_rows)
        return list(dask.persist(*[slim(part) for part in self.joins]))


@dataclass(frozen=True, eq=False)
class Plan:
    """What is known of a Dask run table and its judgments once the id columns were read.

    Parameters
    ----------
    frame : Dask DataFrame
        The run table.
    table : Table
        Its columns.
    found : Census
        Its runs, queries and lists.
    given : Given
        The judgments.
    topic : ndarray
        The place of each of its queries among the judged ones, or -1.
    rules : dict
        ties, compat, depth, and judged_only where it holds.
    validate, complete : bool
        Whether to look for duplicates; whether joins hold judged non-relevant items too.
    catalogue : Catalogue, optional
        What side tables say of items and users; sent to every worker.
    """

    frame: Any
    table: Table
    found: Census
    given: Given
    topic: np.ndarray
    rules: dict[str, Any]
    validate: bool = True
    complete: bool = True
    catalogue: Catalogue | None = None
    made: dict[tuple[bool, bool], Division] = field(default_factory=dict)

    @cached_property
    def retrieved(self) -> np.ndarray:
        """How many rows each list of a judged query has, (topics, runs)."""
        retrieved = np.zeros((len(self.given.queries), len(self.found.runs)), dtype=np.int64)
        retrieved[self.topic[self.topic >= 0]] = self.found.rows[self.topic >= 0]
        return retrieved

    @cached_property
    def known(self) -> Positions:
        """The join as far as the client knows it: all runs, all queries, the best item of each, and no ranks."""
        given, depth = self.given, self.rules["depth"]
        topics = np.arange(len(given.best))
        rows = np.stack([topics.astype(np.float64), np.zeros(len(topics)), given.best])
        items = Judgments(
            given.queries,
            Ids(numbers=np.zeros(1, dtype=np.int64)),
            topics,
            np.zeros(len(topics), dtype=np.int64),
            given.best,
            rows if "subtopic" in given.roles else None,
        )
        none, no_ranks = np.zeros(0, dtype=np.int64), np.zeros(0)
        return Positions(
            self.found.runs,
            given.queries.index().rename(self.table.roles["query"]),
            items,
            none,
            none,
            no_ranks,
            no_ranks,
            no_ranks,
            self.retrieved if depth is None else np.minimum(self.retrieved, depth),
            doc_name=self.table.roles["doc"],
            rules=self.rules,
            complete=self.complete,
            extra=int((self.found.rows[self.topic < 0] > 0).sum()),
            top_grade=float(given.best.max(initial=0.0)),
            gaps=self.found.gaps,
        )

    def division(self, asked: Sequence[Measure] = (), *, pairs: bool = False) -> Division:
        """Return the partitions in which some measures can be computed; made when first asked for.

        Three cases. Every judged query is in one partition: the partitions stay. Every list is, and the measures look
        at single lists, as whoever wants positions alone does: they stay too. Else the rows of judged queries are
        shuffled, by query.
        """
        corpus = asks_corpus(asked, self.rules)
        single = not (pairs or corpus or any(measure.entry.family != "metric" for measure in asked))
        slim = not (self.complete or corpus)
        if (single, slim) not in self.made:
            self.made[single, slim] = self._divided(self.given.relevant_only() if slim else self.given, single)
        return self.made[single, slim]

    def _divided(self, given: Given, single: bool) -> Division:
        found, known, table = self.found, self.topic >= 0, needed(self.table, self.rules["ties"])
        whole = Whole(
            roles=dict(table.roles),
            run_columns=table.run_columns,
            runs=found.runs,
            queries=self.known.queries,
            home=np.zeros(len(self.known.queries), dtype=np.int64),
            common=np.asarray(np.all(self.retrieved > 0, axis=1)),
            top_grade=self.known.top_grade,
            rules={**self.rules, "validate": self.validate, "complete": self.complete},
            qrels=given.frame,
            starts=given.starts,
            qrels_roles=given.roles,
            catalogue=None if self.catalogue is None else self.catalogue.sent(),
        )
        columns = [*table.run_columns, *table.roles.values()]
        if (found.parts[known] == 1).all():
            whole = replace(whole, home=_homes(found, self.topic, len(whole.queries)))
            rows = shuffle.frozen(self.frame, columns)
        elif single and given.frame is not None and not found.split(known):
            whole = replace(whole, lists=ByList(_homes_of_runs(found, known), self.retrieved))
            rows = shuffle.frozen(self.frame, columns)
        else:
            worker_memory.check_partitions(found.sizes, worker_memory.MOVED)
            size = self.retrieved.sum(axis=1)
            home = shuffle.balanced(size, shuffle.wanted_parts(int(size.sum()), self.frame.npartitions))
            whole = replace(whole, home=home, coded=True)
            in_order = self.rules["ties"] in ("first", "expected")  # the others do not look at the order of rows
            rows = shuffle.shuffled(self.frame, table, found.runs, whole.queries, home, in_order=in_order)
        whole = replace(whole, held=self._held(whole, rows.npartitions))
        if not whole.coded:
            worker_memory.check_partitions(found.sizes, worker_memory.KEPT)
        apart = None if given.large is None else given.divided(whole.home, rows.npartitions)
        return Division(rows, apart, whole)

    def _held(self, whole: Whole, count: int) -> np.ndarray:
        """Return what each partition is to hold, by the census: the lists of judged queries, as `parts.tally` does."""
        most = self.rules["depth"] or np.iinfo(np.int64).max
        if whole.coded:  # after a shuffle a topic is at home in one partition
            held = [np.flatnonzero(whole.home == number) for number in range(count)]
            return np.stack([_tally(topics, self.retrieved[topics], most) for topics in held])
        pieces = []
        for query, run, rows in self.found.pieces:
            known = self.topic[query] >= 0
            pieces.append(_tally(self.topic[query][known], rows[known], most, run))
        return np.stack(pieces)


def _tally(topics: np.ndarray, rows: np.ndarray, most: int, runs: np.ndarray | None = None) -> np.ndarray:
    """Return the tally of a matrix of list lengths, of which only the first `most` rows are looked at."""
    topic, run = np.nonzero(rows)
    return partition.tally(topics[topic], run if runs is None else runs[run], np.minimum(rows[topic, run], most))


def plan(
    runs: Any,
    qrels: object,
    *,
    ties: Any = None,
    compat: Any = "trec_eval-10",
    depth: int | None = None,
    judged_only: bool = False,
    validate: bool = True,
    complete: bool = True,
    catalogue: Catalogue | None = None,
) -> Plan:
    """Return what the id columns of a Dask run table and its judgments tell; reads nothing else but ranks.

    Parameters
    ----------
    runs, qrels
        Tables or bound accessors; the judgments on pandas or on Dask.
    ties, compat, depth, judged_only, validate, complete
        The rules of `pdeval.join.positions.join`.
    catalogue
        What side tables say of items and users.
    """
    frame, table = broadcast_judgments.understood(runs, "runs")
    ties = checked_rules(ties, compat, depth, table)
    given = broadcast_judgments.given(qrels)
    found = partition_ids.take(
        frame, table.roles["query"], table.run_columns, table.roles["rank"] if ties == "rank" else None
    )
    same_type("query", found.queries.type, given.queries.type)
    topic = found.queries.probe(given.queries)
    if not (topic >= 0).any():
        raise NothingJudged("query", found.queries, given.queries)
    rules = {"ties": ties, "compat": compat, "depth": depth, **({"judged_only": True} if judged_only else {})}
    return Plan(frame, table, found, given, topic, rules, validate, complete or judged_only, catalogue)


def needed(table: Table, ties: str) -> Table:
    """Return the table with the one column that orders its lists, and no other."""
    by = "rank" if ties == "rank" else "score"
    roles = {role: name for role, name in table.roles.items() if role in ("query", "doc", by)}
    return Table("runs", table.frame, roles, table.run_columns)


def asks_corpus(asked: Sequence[Measure], rules: dict[str, Any]) -> bool:
    """Return whether a measure counts all items returned or judged, for which it needs the rows of both tables."""
    for measure in asked:
        metric = measure.entry.family == "metric"
        columns = call_of(measure, rules)[1] if metric else measure.columns
        if any(name.endswith("corpus") for name in columns):
            return True
    return False


def asks_rows(asked: Sequence[Measure], rules: dict[str, Any]) -> bool:
    """Return whether a measure needs the rows, which joins that are kept let go: their number, or their items."""
    return asks_corpus(asked, rules) or any(measure.kind == "items" for measure in asked)


def _homes(found: Census, topic: np.ndarray, count: int) -> np.ndarray:
    """Return the partition that answers for each topic; topics that no run answered go to the others' in turn."""
    home = np.full(count, -1)
    home[topic[topic >= 0]] = found.first[topic >= 0]
    open_to_all = np.unique(home[home >= 0])
    lost = np.flatnonzero(home < 0)
    home[lost] = open_to_all[np.arange(len(lost)) % len(open_to_all)]
    return home


def _homes_of_runs(found: Census, known: np.ndarray) -> np.ndarray:
    """Return the partition that answers for what each run did not return: the first that holds a judged list of it."""
    home = np.full(len(found.runs), -1)
    for number, (query, run, rows) in reversed(list(enumerate(found.pieces))):
        home[run[(rows[known[query]] > 0).any(axis=0)]] = number
    home[home < 0] = home[home >= 0].min(initial=len(found.pieces))
    return home
