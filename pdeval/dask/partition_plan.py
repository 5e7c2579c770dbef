"""From a Dask run table and judgments to partitions that can be joined: the first pass, and whether rows move."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.dask import first_pass, partition, shuffle
from pdeval.dask.delayed import calls, dask, frozen, number, numbers, of_part
from pdeval.dask.first_pass import Census, Given
from pdeval.dask.partition import ByList, Context
from pdeval.evaluate import call_of
from pdeval.join import Catalog, Ids, Judgments, NothingJudged, Positions, checked_rules, same_type
from pdeval.tables import Table


@dataclass(frozen=True, eq=False)
class Division:
    """Both tables in partitions that can be joined one by one.

    Parameters
    ----------
    rows : Dask DataFrame
        The run table in partitions of complete queries, or of complete lists.
    judged : Dask DataFrame or None
        The judgments in the same partitions, if they are too many to send to every worker.
    context : Context
        Data about all partitions that each partition needs.
    """

    rows: Any
    judged: Any
    context: Context

    @cached_property
    def sent(self) -> Any:
        """The context, delayed: sent once."""
        return dask.delayed(self.context, traverse=False)

    @cached_property
    def joins(self) -> list[Any]:
        """The join of each partition, delayed."""
        rows = self.rows.simplify().to_delayed(optimize_graph=False)
        judged = [None] * len(rows) if self.judged is None else self.judged.to_delayed()
        return calls(partition.part_of, rows, range(len(rows)), judged, [self.sent] * len(rows))

    @cached_property
    def kept_joins(self) -> list[Any]:
        """The joins of all partitions, computed and persisted on the workers, without the rows."""
        return list(
            dask.persist(*calls(of_part, self.joins, shared=(partition.Part.without_rows,)))
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """A Dask run table and its judgments after the first pass over the id columns.

    Parameters
    ----------
    frame : Dask DataFrame
        The run table.
    table : Table
        Its columns.
    census : Census
        Its runs, queries and lists.
    given : Given
        The judgments.
    topic : ndarray
        The place of each of its queries among the judged ones, or -1.
    rules : dict
        ties, compat, depth, and judged_only if it is set.
    validate, complete : bool
        Whether to look for duplicates; whether joins have judged non-relevant items too.
    catalog : Catalog, optional
        Side tables of items and users; sent to every worker.
    """

    frame: Any
    table: Table
    census: Census
    given: Given
    topic: np.ndarray
    rules: dict[str, Any]
    validate: bool = True
    complete: bool = True
    catalog: Catalog | None = None
    made: dict[tuple[bool, bool], Division] = field(default_factory=dict)

    @cached_property
    def retrieved(self) -> np.ndarray:
        """The length of each list of a judged query, (topics, runs)."""
        retrieved = np.zeros((len(self.given.queries), len(self.census.runs)), dtype=np.int64)
        retrieved[self.topic[self.topic >= 0]] = self.census.rows[self.topic >= 0]
        return retrieved

    @cached_property
    def known(self) -> Positions:
        """The join without ranks: all runs, all queries, and the best item of each query."""
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
        no_items, no_ranks = np.zeros(0, dtype=np.int64), np.zeros(0)
        return Positions(
            self.census.runs,
            given.queries.index().rename(self.table.roles["query"]),
            items,
            no_items,
            no_items,
            no_ranks,
            no_ranks,
            no_ranks,
            self.retrieved if depth is None else np.minimum(self.retrieved, depth),
            doc_name=self.table.roles["doc"],
            rules=self.rules,
            complete=self.complete,
            extra=int((self.census.rows[self.topic < 0] > 0).sum()),
            top_grade=given.top_grade,
            gaps=self.census.gaps,
        )

    def division(self, measures: Sequence[Measure] = (), *, pairs: bool = False) -> Division:
        """Return the partitions in which measures can be computed; made on first use.

        Three cases. Every judged query is in one partition: the partitions stay. Every list is, and the measures look
        at single lists, as positions do: they stay too. Else the rows of judged queries are shuffled, by query.
        """
        corpus = asks_corpus(measures, self.rules)
        single = not (
            pairs or corpus or any(measure.entry.family != "metric" for measure in measures)
        )
        slim = not (self.complete or corpus)
        if (single, slim) not in self.made:
            given = self.given.relevant_only() if slim else self.given
            self.made[single, slim] = self._divided(given, single)
        return self.made[single, slim]

    def all_lists(self, queries: pd.Index | None, *, single: bool) -> tuple[Any, Any]:
        """Return the rows of all queries, also of unjudged ones, in partitions of complete queries, and the judgments.

        Parameters
        ----------
        queries : Index or None
            Queries whose rows are kept; None for all.
        single : bool
            Whether partitions of complete lists suffice.

        Returns
        -------
        (Dask DataFrame, Dask DataFrame or None)
            The rows, and the judgments in the same partitions if they are too many to send to every worker.
        """
        census, given, query = self.census, self.given, self.table.roles["query"]
        rows = frozen(self.frame, [*self.table.run_columns, *self.table.roles.values()])
        if self.rules["ties"] == "first":
            numbered = shuffle.with_row(rows._meta, number(0))
            rows = rows.map_partitions(shuffle.with_row, numbers(rows.npartitions), meta=numbered)
        if queries is not None:
            rows = rows.map_partitions(partition.of_queries, query, queries, meta=rows._meta)
        every = np.ones(len(census.queries), dtype=bool)
        if single and given.frame is not None and not census.split(every):
            return rows, None
        rows, home = shuffle.whole_queries(rows, query, census)
        if given.large is None:
            return rows, None
        home_of_topic = np.zeros(len(given.queries), dtype=np.int64)
        home_of_topic[self.topic[self.topic >= 0]] = home[self.topic >= 0]
        options = given.roles["query"], self.known.queries, home_of_topic, "judgments' query"
        return rows, shuffle.by_number(given.large, shuffle.number_of_id, options, rows.npartitions)

    def _divided(self, given: Given, single: bool) -> Division:
        census, known, table = self.census, self.topic >= 0, needed(self.table, self.rules["ties"])
        context = Context(
            table=replace(table, frame=table.frame.iloc[:0]),
            runs=census.runs,
            queries=self.known.queries,
            home=np.zeros(len(self.known.queries), dtype=np.int64),
            common=np.asarray(np.all(self.retrieved > 0, axis=1)),
            rules={**self.rules, "validate": self.validate, "complete": self.complete},
            given=replace(given, large=None),
            catalog=None if self.catalog is None else self.catalog.sent(),
        )
        if (census.parts[known] == 1).all():
            context = replace(context, home=_homes(census, self.topic, len(context.queries)))
        elif single and given.frame is not None and not census.split(known):
            context = replace(context, lists=ByList(_homes_of_runs(census, known), self.retrieved))
        else:
            size = self.retrieved.sum(axis=1)
            parts = shuffle.wanted_parts(int(size.sum()), self.frame.npartitions)
            context = replace(context, home=shuffle.balanced(size, parts), coded=True)
        shuffle.check_partitions(census.sizes, shuffle.MOVED if context.coded else shuffle.KEPT)
        if context.coded:
            # other ties do not depend on the order of rows
            in_order = self.rules["ties"] in ("first", "expected")
            rows = shuffle.shuffled(
                self.frame, table, census.runs, context.queries, context.home, in_order=in_order
            )
        else:
            rows = frozen(self.frame, [*table.run_columns, *table.roles.values()])
        context = replace(context, tallies=self._tallies(context, rows.npartitions))
        judged = None
        if given.large is not None:
            options = given.roles["query"], context.queries, context.home, "judgments' query"
            judged = shuffle.by_number(given.large, shuffle.number_of_id, options, rows.npartitions)
        return Division(rows, judged, context)

    def _tallies(self, context: Context, count: int) -> np.ndarray:
        """Return the `tally` that each partition is to have, by the census: of the lists of judged queries."""
        if context.coded:  # after a shuffle, all runs of a topic are in its partition
            homes = [np.flatnonzero(context.home == number) for number in range(count)]
            runs = np.arange(len(context.runs))
            pieces = [(topics, runs, self.retrieved[topics]) for topics in homes]
        else:
            pieces = [(self.topic[query], run, rows) for query, run, rows in self.census.pieces]
        tallies = []
        for topics, runs, rows in pieces:
            topic, run = np.nonzero(rows * (topics >= 0)[:, None])
            lengths = np.minimum(rows[topic, run], self.rules["depth"] or np.iinfo(np.int64).max)
            tallies.append(partition.tally(topics[topic], runs[run], lengths))
        return np.stack(tallies)


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
    catalog: Catalog | None = None,
) -> Plan:
    """Return a Dask run table and its judgments after the first pass over the id columns (and ranks).

    Parameters
    ----------
    runs, qrels
        Tables or bound accessors; the judgments on pandas or on Dask.
    ties, compat, depth, judged_only, validate, complete
        The rules of `pdeval.join.positions.join`.
    catalog
        Side tables of items and users.
    """
    frame, table = first_pass.understood(runs, "runs")
    ties = checked_rules(ties, compat, depth, table)
    given = first_pass.given(qrels)
    rank = table.roles["rank"] if ties == "rank" else None
    census = first_pass.take(frame, table.roles["query"], table.run_columns, rank)
    same_type("query", census.queries, given.queries)
    topic = census.queries.probe(given.queries)
    if not (topic >= 0).any():
        raise NothingJudged("query", census.queries, given.queries)
    rules = {"ties": ties, "compat": compat, "depth": depth} | (
        {"judged_only": True} if judged_only else {}
    )
    return Plan(
        frame, table, census, given, topic, rules, validate, complete or judged_only, catalog
    )


def needed(table: Table, ties: str) -> Table:
    """Return the table with its id columns and the column that orders its lists."""
    by = "rank" if ties == "rank" else "score"
    roles = {role: name for role, name in table.roles.items() if role in ("query", "doc", by)}
    return Table("runs", table.frame, roles, table.run_columns)


def asks_corpus(measures: Sequence[Measure], rules: dict[str, Any]) -> bool:
    """Return whether a measure counts all items returned or judged, so needs the rows of both tables."""
    columns = [
        call_of(measure, rules)[1] if measure.entry.family == "metric" else measure.columns
        for measure in measures
    ]
    return any(name.endswith("corpus") for names in columns for name in names)


def asks_rows(measures: Sequence[Measure], rules: dict[str, Any]) -> bool:
    """Return whether a measure needs the rows, which kept joins do not have: their number, or their items."""
    return asks_corpus(measures, rules) or any(measure.kind == "items" for measure in measures)


def _homes(census: Census, topic: np.ndarray, count: int) -> np.ndarray:
    """Return the partition responsible for each topic; topics that no run answered go to the others' in turn."""
    home = np.full(count, -1)
    home[topic[topic >= 0]] = census.first[topic >= 0]
    homes = np.unique(home[home >= 0])
    unanswered = np.flatnonzero(home < 0)
    home[unanswered] = homes[np.arange(len(unanswered)) % len(homes)]
    return home


def _homes_of_runs(census: Census, known: np.ndarray) -> np.ndarray:
    """Return the partition responsible for the missing lists of each run: the first with a judged list of it."""
    home = np.full(len(census.runs), -1)
    # backwards, so the first partition is written last
    for place, (query, run, rows) in reversed(list(enumerate(census.pieces))):
        home[run[(rows[known[query]] > 0).any(axis=0)]] = place
    home[home < 0] = home[home >= 0].min(initial=len(census.pieces))
    return home
