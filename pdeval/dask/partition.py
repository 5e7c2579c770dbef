"""One partition of a Dask run table, on a worker: its join, and the frames or numbers that it returns.

The join and the kernels are those of pandas. This module does not depend on Dask: its functions take the pandas
DataFrame of the partition, and data about all partitions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.dask.first_pass import ROW, Given, places
from pdeval.evaluate import (
    Preferences,
    Scores,
    Views,
    attributes,
    mean_preferences,
)
from pdeval.evaluate import (
    Request as LabeledRequest,
)
from pdeval.evaluate import (
    pairs as kernels,
)
from pdeval.join import (
    Catalog,
    Judged,
    Positions,
    QueryRule,
    column_ids,
    lists_of,
    merge_parts,
    positions,
)
from pdeval.tables import Table, repeated

MEMORY = 1 << 27
NOTHING = np.zeros(3, dtype=np.uint64)
_MIX = np.array(
    [0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xBF58476D1CE4E5B9], dtype=np.uint64
)  # odd multipliers


class ByList(NamedTuple):
    """The partition responsible for each cell, if the lists of a query are in several partitions.

    Parameters
    ----------
    home : ndarray of shape (runs,)
        The partition responsible for the queries that each run did not answer.
    rows : ndarray of shape (topics, runs)
        The length of every list.
    """

    home: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True, eq=False)
class Context:
    """Data about all partitions that each partition needs; sent to each worker once.

    Parameters
    ----------
    table : Table
        The columns of the run table, without rows.
    runs : DataFrame
        All runs.
    queries : Index
        All judged queries, sorted; a topic is a place in them.
    home : ndarray of shape (topics,)
        The partition responsible for each topic: the one with its rows, or any if no run answered it.
    common : ndarray of bool, shape (topics,)
        Which topics every run answered.
    rules : dict
        ties, compat, depth, judged_only, validate, complete, as in `positions.join`.
    given : Given
        The judgments; without rows if each partition gets its own.
    lists : ByList or None
        The responsible partitions, if partitions have complete lists but not complete queries.
    coded : bool
        Whether the rows have codes of runs and topics instead of ids, as after a shuffle.
    tallies : ndarray of shape (partitions, 3) or None
        The `tally` of each partition when the table was first read.
    catalog : Catalog or None
        Side tables of items and users, for measures that look at all items of a list.
    """

    table: Table
    runs: pd.DataFrame
    queries: pd.Index
    home: np.ndarray
    common: np.ndarray
    rules: dict[str, Any]
    given: Given
    lists: ByList | None = None
    coded: bool = False
    tallies: np.ndarray | None = None
    catalog: Catalog | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """The join of one partition, and the topics and runs (of all) that it is responsible for."""

    positions: Positions
    topics: np.ndarray
    runs: np.ndarray
    common: np.ndarray
    mine: np.ndarray

    def counted(self, rule: QueryRule, level: float | None) -> np.ndarray:
        """Return which cells count, of those that this partition is responsible for."""
        if rule == "common":  # a partition does not have all runs
            return self.common[:, None] & self.mine
        return Judged(self.positions, level, rule).counted() & self.mine

    def without_rows(self) -> Self:
        """Return the join without the rows that it was made from, to be kept in memory."""
        return replace(self, positions=replace(self.positions, source=None, listed=None))

    def cells(self, mask: np.ndarray, runs: int) -> np.ndarray:
        """Return the cells of a mask as numbers: topic of all times the number of runs, plus run of all."""
        return (self.topics[:, None] * runs + self.runs)[mask]


def part_of(
    rows: pd.DataFrame, number: int, judged: pd.DataFrame | None, context: Context
) -> Part | None:
    """Return the join of a partition, or None if it is responsible for no judged query."""
    if context.coded:
        rows = decoded(rows, context)
    table = replace(context.table, frame=rows)
    here = topics = _topics_of(table, context.queries)
    if not len(here):
        _check_unchanged(NOTHING, number, context)
    if context.lists is None:
        topics = np.flatnonzero(context.home == number)
        foreign = here[context.home[here] != number]
        if len(foreign):
            # a query in two partitions would be two short lists, and the numbers wrong without notice
            query = context.queries[foreign[0]]
            raise _changed(
                number, f" It now has rows of query {query!r}, which was in another partition."
            )
    elif len(here):
        unanswered = (context.lists.rows[:, context.lists.home == number] == 0).any(axis=1)
        topics = np.union1d(here, np.flatnonzero(unanswered))
    if not len(topics):
        return None
    known = context.given.of_topics(topics) if judged is None else judged
    qrels = Table("qrels", known, context.given.roles)
    joined = positions.join(table, qrels, catalog=context.catalog, **context.rules)
    if len(joined.queries) != len(topics):
        raise _changed(number)
    return _placed(joined, topics, number, context)


def tally(topic: np.ndarray, run: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the number of lists, of their rows, and a hash that changes with the lists.

    Parameters
    ----------
    topic, run, rows : ndarray of shape (lists,)
        The topic and the run of each list, among those of all partitions, and its length.

    Examples
    --------
    >>> tally(np.array([0, 1]), np.array([3, 3]), np.array([10, 20]))[:2].tolist()
    [2, 30]
    """
    mark = (topic.astype(np.uint64) * _MIX[0] + run.astype(np.uint64)) * _MIX[1] + rows.astype(
        np.uint64
    )
    mark = (mark ^ (mark >> np.uint64(31))) * _MIX[2]
    total = np.sum(mark ^ (mark >> np.uint64(29)))  # a sum does not depend on the order of lists
    return np.array([len(rows), rows.sum(), total], dtype=np.uint64)


def _check_unchanged(now: np.ndarray, number: int, context: Context) -> None:
    """Raise if the judged lists of a partition are not those of the first pass."""
    if context.tallies is None or (now == context.tallies[number]).all():
        return
    lists, rows = context.tallies[number, :2].tolist()
    same_lengths = (now[:2] == context.tallies[number, :2]).all()
    others = "others of the same lengths" if same_lengths else f"{now[0]} of {now[1]}"
    raise _changed(number, f" It had {lists} judged lists of {rows:,} rows, and now has {others}.")


def decoded(rows: pd.DataFrame, context: Context) -> pd.DataFrame:
    """Return shuffled rows with ids instead of codes, as categoricals; in the order of the table if that was kept."""
    if ROW in rows:
        rows = rows.sort_values(ROW, kind="stable")
    columns: dict[str, Any] = {}
    for name in context.table.run_columns:
        code, values = pd.factorize(context.runs[name], sort=True)
        columns[name] = pd.Categorical.from_codes(code[rows["run"]], categories=values)
    columns |= {name: rows[role].array for role, name in context.table.roles.items()}
    columns[context.table.roles["query"]] = pd.Categorical.from_codes(
        rows["query"], categories=context.queries
    )
    return pd.DataFrame(columns, copy=False)


def _topics_of(table: Table, queries: pd.Index) -> np.ndarray:
    """Return the places of the queries of the rows among the judged queries, sorted."""
    query = column_ids(table.column("query"), "query")
    if not len(query):
        return np.zeros(0, dtype=np.int64)
    begins = np.flatnonzero(np.append(True, query.changes()))
    # an index hashes its values once, whatever the number of partitions
    topic = queries.get_indexer(query.take(begins).unique()[0].index())
    return np.sort(topic[topic >= 0]).astype(np.int64)


def _changed(number: int, what: str = "") -> RuntimeError:
    return RuntimeError(
        f"partition {number} of the run table changed after the first pass.{what} Persist the table, or write it "
        "with .ireval.to_parquet(path) and evaluate the written table."
    )


def _placed(joined: Positions, topics: np.ndarray, number: int, context: Context) -> Part:
    """Return the join with the runs of all partitions instead of the partition's runs."""
    at = places(joined.runs, context.runs)
    topic, run = np.nonzero(joined.list_sizes)
    _check_unchanged(tally(topics[topic], at[run], joined.list_sizes[topic, run]), number, context)
    if context.lists is None:
        runs = np.arange(len(context.runs))
        mine = np.ones((len(topics), len(runs)), dtype=bool)
    else:
        # lists of this partition, and missing lists of the runs that it is responsible for
        at_home = context.lists.home == number
        expected = np.minimum(
            context.lists.rows[topics], context.rules["depth"] or np.iinfo(np.int64).max
        )
        mine = (expected == 0) & at_home
        mine[:, at] |= joined.answered
        runs = np.flatnonzero(at_home | mine.any(axis=0))
        mine = mine[:, runs]
    # from the runs of the join to those of the part, -1 for a run that the part does not have
    new_index = np.full(len(context.runs), -1)
    new_index[runs] = np.arange(len(runs))
    place = new_index[at]
    retrieved, lengths = np.zeros((2, *mine.shape), dtype=np.int64)
    retrieved[:, place[place >= 0]] = joined.retrieved[:, place >= 0]
    lengths[:, place[place >= 0]] = joined.list_sizes[:, place >= 0]
    wide = replace(
        joined,
        runs=context.runs.iloc[runs].reset_index(drop=True),
        run=place[joined.run],
        retrieved=retrieved,
        lengths=None if joined.lengths is None else lengths,
        top_grade=context.given.top_grade,
        listed=None if joined.listed is None else joined.listed.placed(place, len(runs)),
    )
    return Part(wide, topics, runs, context.common[topics], mine)


@dataclass(frozen=True, eq=False)
class Request:
    """What every partition computes, and the labels of the results, which are those of all partitions.

    Parameters
    ----------
    measures : tuple of Measure
        What to compute.
    level : float, optional
        Smallest relevant grade.
    queries : {'relevant', 'judged', 'answered', 'common'}
        Which queries count.
    runs, queries
        The labels of all runs and of the queries that count.
    place : ndarray of shape (topics,)
        The place of each topic among those queries, or -1.
    attrs : dict
        The attributes of the result.
    pairs : (ndarray, ndarray) or None
        The two sides of the pairs, for preferences.
    """

    measures: tuple[Measure, ...]
    level: float | None
    query_rule: QueryRule
    runs: pd.DataFrame
    queries: pd.Index
    place: np.ndarray
    attrs: dict[str, Any]
    pairs: tuple[np.ndarray, np.ndarray] | None = None

    def frame(self, values: np.ndarray, queries: np.ndarray, runs: np.ndarray) -> pd.DataFrame:
        """Return values, (measures, queries, runs or pairs), as the tidy frame of these queries and runs."""
        labels, names = (
            self.queries.take(queries),
            tuple(measure.label for measure in self.measures),
        )
        if self.pairs is not None:
            return Preferences(self.runs, labels, names, *self.pairs, values, self.attrs).frame()
        higher = np.array([measure.higher for measure in self.measures])
        return Scores(self.runs.iloc[runs], labels, names, values, higher, self.attrs).frame()

    def empty(self) -> pd.DataFrame:
        """Return the frame without rows: the exact meta."""
        wide = len(self.runs) if self.pairs is None else len(self.pairs[0])
        none = np.zeros(0, dtype=np.int64)
        return self.frame(np.zeros((len(self.measures), 0, wide)), none, np.arange(len(self.runs)))


def request(
    known: Judged,
    kept: np.ndarray,
    measures: Sequence[Measure],
    table: str,
    pairs: tuple[np.ndarray, np.ndarray] | None = None,
) -> Request:
    """Return a request to all partitions, with labels for which results have the same dtypes as on pandas.

    Parameters
    ----------
    known : Judged
        The join without ranks.
    kept : ndarray of bool, shape (topics,)
        The topics that count.
    table : {'scores', 'preferences'}
        The table of the results.
    pairs : (ndarray, ndarray), optional
        The two sides of the pairs, for preferences.
    """
    runs, queries = known.runs, known.queries[kept]
    if pairs is not None:  # every partition needs the categories of all partitions
        rows = np.arange(len(runs))
        runs = pd.DataFrame({name: repeated(runs[name], rows) for name in runs.columns})
        queries = pd.Index(repeated(queries, np.arange(len(queries))), name=queries.name)
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    attrs = {**attributes(known, measures), "table": table}
    return Request(
        tuple(measures), known.level, known.query_rule, runs, queries, place, attrs, pairs
    )


def tidy(
    rows: pd.DataFrame,
    numbers: pd.DataFrame,
    judged: pd.DataFrame | None,
    context: Context,
    requested: Request,
) -> pd.DataFrame:
    """Return the scores or preferences of a partition as a tidy frame."""
    part = part_of(rows, int(numbers["number"].iloc[0]), judged, context)
    if part is None:
        return requested.empty()
    join = Judged(part.positions, requested.level, requested.query_rule)
    place = requested.place[part.topics]
    if requested.pairs is not None:
        source = kernels.Pairs(join, requested.measures, *requested.pairs, MEMORY)
        return requested.frame(source.cube(progress=False).values, place[source.kept], part.runs)
    views = Views(join)
    values = np.stack([views.values(measure) for measure in requested.measures])
    for row, measure in zip(values, requested.measures):
        counts = part.counted(requested.query_rule, views.level(measure))
        row[~(counts & part.positions.answered if measure.kind == "items" else counts)] = np.nan
    return requested.frame(values[:, place >= 0], place[place >= 0], part.runs)


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """What every partition needs for `labeled`; sent to each worker once.

    Parameters
    ----------
    table : Table
        The columns of the run table, without rows.
    queries : Index
        All judged queries.
    given : Given
        The judgments.
    example : DataFrame
        One judgment, for partitions without judged queries.
    request : pdeval.evaluate.labeled.Request
        What to show.
    meta : DataFrame
        The result without rows.
    """

    table: Table
    queries: pd.Index
    given: Given
    example: pd.DataFrame
    request: LabeledRequest
    meta: pd.DataFrame


def labeled_rows(
    rows: pd.DataFrame, judged: pd.DataFrame | None, sent: LabeledRows
) -> pd.DataFrame:
    """Return the documents of a partition with their labels."""
    if not len(rows):
        return sent.meta
    if ROW in rows:
        rows = rows.sort_values(ROW, kind="stable").drop(columns=ROW)
    table = replace(sent.table, frame=rows.reset_index(drop=True))
    if judged is None:
        judged = sent.given.of_topics(_topics_of(table, sent.queries))
    qrels = Table("qrels", judged if len(judged) else sent.example, sent.given.roles)
    rules = {name: sent.request.rules[name] for name in ("ties", "compat", "depth")}
    prepared = positions.rows_of(table, qrels, any_judged=False, **rules)
    place = places(prepared.lists.runs, sent.request.runs)
    frame = sent.request.frame(prepared, place).astype(sent.meta.dtypes)
    frame.attrs = sent.meta.attrs
    return frame


def of_queries(rows: pd.DataFrame, column: str, queries: pd.Index) -> pd.DataFrame:
    """Return the rows of some queries."""
    return rows[rows[column].isin(queries)]


def cells(
    part: Part, requested: tuple[Sequence[Measure], Sequence[Measure], float | None], runs: int
) -> merge_parts.Piece:
    """Return the values of measures and the win rates of preferences: (cell of all, values of each)."""
    metrics, rates, level = requested
    views = Views(Judged(part.positions, level))
    values = [
        *(views.values(measure)[part.mine] for measure in metrics),
        *(mean_preferences.of_measure(views, measure)[part.mine] for measure in rates),
    ]
    return part.cells(part.mine, runs), np.stack(values)


def of_pairs(
    part: Part, requested: tuple[Measure, np.ndarray, np.ndarray, float | None]
) -> merge_parts.Piece:
    """Return the preferences of pairs: (topics of all, values of shape (pairs, topics))."""
    measure, a, b, level = requested
    return part.topics, kernels.of_pairs(Views(Judged(part.positions, level)), measure, a, b).T


def codes(part: Part, depth: int, runs: int) -> merge_parts.Piece:
    """Return the first items of the lists of a partition: (cell of all, codes of the catalog rank by rank)."""
    listed = part.mine & part.positions.answered
    top = lists_of(part.positions, "this").top(depth)[:, listed]
    codes = np.full((depth, top.shape[1]), -1, dtype=np.int32)
    codes[: len(top)] = top
    return part.cells(listed, runs), codes
