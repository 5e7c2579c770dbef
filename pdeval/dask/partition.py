"""One partition of a Dask run table: the same join and the same kernels as on pandas, told what the whole is.

Nothing here knows Dask: these functions run on the workers, on the partition's pandas frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.dask.broadcast_judgments import of_topics
from pdeval.dask.partition_ids import ROW, places
from pdeval.join import ids, positions
from pdeval.join.item_catalog import Catalogue
from pdeval.join.judged import Judged
from pdeval.join.list_columns import join_lists
from pdeval.join.positions import Positions
from pdeval.join.rules import Topics, counted
from pdeval.tables.reader import Table


class ByList(NamedTuple):
    """Who answers for what, where a query's lists are in several partitions.

    Parameters
    ----------
    home : ndarray of shape (runs,)
        The partition that answers for the queries that each run did not answer.
    rows : ndarray of shape (topics, runs)
        The length of every list.
    """

    home: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True, eq=False)
class Whole:
    """What every partition has to know of the whole; sent to each worker once.

    Parameters
    ----------
    roles, run_columns
        The columns of the run table, as in `tables.Table`.
    runs : DataFrame
        All runs.
    queries : Index
        All judged queries, sorted; a topic is a place in them.
    home : ndarray of shape (topics,)
        The partition that answers for each topic: that which holds it, or any where no run answered it.
    common : ndarray of bool, shape (topics,)
        Which topics every run answered.
    top_grade : float
        The largest grade of all judgments.
    rules : dict
        ties, compat, depth, judged_only, validate, complete, as in `positions.join`.
    qrels : DataFrame or None
        All judgments, sorted by topic, `starts` being where each topic begins; None where each partition gets its own.
    qrels_roles
        The columns of the judgments.
    lists : ByList or None
        Where partitions hold whole lists but not whole queries: who answers for what.
    coded : bool
        Whether the rows hold codes of runs and topics in place of their ids, as they do after a shuffle.
    held : ndarray of shape (partitions, 3) or None
        What each partition held when the table was first read, as `tally` counts it.
    catalogue : Catalogue or None
        What side tables say of items and users, where measures may look at all items of a list.
    """

    roles: dict[str, str]
    run_columns: tuple[str, ...]
    runs: pd.DataFrame
    queries: pd.Index
    home: np.ndarray
    common: np.ndarray
    top_grade: float
    rules: dict[str, Any]
    qrels: pd.DataFrame | None
    starts: np.ndarray | None
    qrels_roles: dict[str, str]
    lists: ByList | None = None
    coded: bool = False
    held: np.ndarray | None = None
    catalogue: Catalogue | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """The join of one partition, and which topics and runs of the whole it speaks for."""

    positions: Positions
    topics: np.ndarray
    runs: np.ndarray
    common: np.ndarray
    mine: np.ndarray

    def under(self, level: float | None, topics: Topics = "relevant") -> Judged:
        """Return the join of this partition under the rules of a question."""
        return Judged(self.positions, level, topics)

    def counted(self, rule: Topics, level: float | None) -> np.ndarray:
        """Return which cells count, of those that this partition speaks for."""
        if rule == "common":
            return self.common[:, None] & self.mine
        return counted(self.positions, rule, level) & self.mine


def part_of(rows: pd.DataFrame, number: int, judged: pd.DataFrame | None, whole: Whole) -> Part | None:
    """Return the join of a partition, or None where it speaks for nothing that is judged."""
    if whole.coded:
        rows = decoded(rows, whole)
    table = Table("runs", rows, whole.roles, whole.run_columns)
    here = _topics(table, whole)
    topics = _by_query(here, number, whole) if whole.lists is None else _by_list(here, number, whole.lists)
    if not len(here):
        _unchanged(NOTHING, number, whole)
    if not len(topics):
        return None
    if judged is None:
        judged = of_topics(whole.qrels, whole.starts, topics)  # type: ignore[arg-type]
    known = Table("qrels", judged, whole.qrels_roles)
    if whole.catalogue is None:
        found = positions.join(table, known, **whole.rules)
    else:
        found = join_lists(table, known, whole.catalogue, **whole.rules)
    if len(found.queries) != len(topics):
        raise RuntimeError(_changed_text(number))
    return _placed(found, topics, number, whole)


def tally(topic: np.ndarray, run: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the number of lists, of their rows, and a number that hardly ever stays if lists of equal counts change.

    Parameters
    ----------
    topic, run, rows : ndarray of shape (lists,)
        The topic and the run of each list, as numbers of the whole, and its length.

    Examples
    --------
    >>> tally(np.array([0, 1]), np.array([3, 3]), np.array([10, 20]))[:2].tolist()
    [2, 30]
    """
    mark = (topic.astype(np.uint64) * _MIX[0] + run.astype(np.uint64)) * _MIX[1] + rows.astype(np.uint64)
    mark = (mark ^ (mark >> np.uint64(31))) * _MIX[2]
    total = np.sum(mark ^ (mark >> np.uint64(29)))
    return np.array([len(rows), rows.sum(), total], dtype=np.uint64)


_MIX = np.array([0x9E3779B97F4A7C15, 0xD1342543DE82EF95, 0xBF58476D1CE4E5B9], dtype=np.uint64)
NOTHING = np.zeros(3, dtype=np.uint64)


def _unchanged(found: np.ndarray, number: int, whole: Whole) -> None:
    """Raise where a partition does not hold the judged lists that it held when the table was first read."""
    if whole.held is not None and (found != whole.held[number]).any():
        lists, rows = whole.held[number, :2].tolist()
        now = (
            "others of the same lengths" if (found[:2] == whole.held[number, :2]).all() else f"{found[0]} of {found[1]}"
        )
        raise RuntimeError(_changed_text(number, f" It held {lists} judged lists of {rows:,} rows, and now {now}."))


def decoded(rows: pd.DataFrame, whole: Whole) -> pd.DataFrame:
    """Return shuffled rows with their ids back, as categoricals; in the order of the table where that was kept."""
    if ROW in rows:
        rows = rows.sort_values(ROW, kind="stable")
    run, query = rows["run"].to_numpy(), rows["query"].to_numpy()
    columns: dict[str, Any] = {}
    for name in whole.run_columns:
        code, values = pd.factorize(whole.runs[name], sort=True)
        columns[name] = pd.Categorical.from_codes(code[run], categories=values)
    columns[whole.roles["query"]] = pd.Categorical.from_codes(query, categories=whole.queries)
    for role in ("doc", "score", "rank"):
        if role in whole.roles:
            columns[whole.roles[role]] = rows[role].array
    return pd.DataFrame(columns, copy=False)


def _topics(table: Table, whole: Whole) -> np.ndarray:
    """Return the topics that the rows hold, sorted."""
    query = ids.column_ids(table.column("query"), "query")
    begins = np.flatnonzero(np.concatenate([[True], query.changes()])) if len(query) else np.zeros(0, dtype=np.int64)
    if not len(query):
        return begins
    # an index hashes its values once, whatever the number of partitions
    topic = whole.queries.get_indexer(query.take(begins).unique()[0].index())
    return np.sort(topic[topic >= 0]).astype(np.int64)


def _by_query(here: np.ndarray, number: int, whole: Whole) -> np.ndarray:
    foreign = here[whole.home[here] != number]
    if len(foreign):
        # a query in two partitions would be two short lists, and the numbers wrong without a word
        query = whole.queries[foreign[0]]
        raise RuntimeError(_changed_text(number, f" It holds rows of query {query!r}, which is another partition's."))
    return np.flatnonzero(whole.home == number)


def _by_list(here: np.ndarray, number: int, lists: ByList) -> np.ndarray:
    unanswered = (lists.rows[:, lists.home == number] == 0).any(axis=1)
    return np.union1d(here, np.flatnonzero(unanswered)) if len(here) else here


def _changed_text(number: int, what: str = "") -> str:
    return (
        f"partition {number} of the run table is not what it was when the table was first read.{what} Persist the "
        "table, or write it with .ireval.to_parquet(path) and evaluate what was written."
    )


def _placed(found: Positions, topics: np.ndarray, number: int, whole: Whole) -> Part:
    """Return the join with the runs of the whole in place of the partition's own."""
    at = places(found.runs, whole.runs)
    topic, run = np.nonzero(found.list_sizes)
    _unchanged(tally(topics[topic], at[run], found.list_sizes[topic, run]), number, whole)
    mine = np.ones((len(topics), len(whole.runs)), dtype=bool)
    if whole.lists is None:
        runs = np.arange(len(whole.runs))
    else:
        own = whole.lists.home == number
        expected = np.minimum(whole.lists.rows[topics], whole.rules["depth"] or np.iinfo(np.int64).max)
        mine = (expected == 0) & own
        mine[:, at] |= found.answered
        runs = np.flatnonzero(own | mine.any(axis=0))
        mine = mine[:, runs]
    place = np.full(len(whole.runs), -1)
    place[runs] = np.arange(len(runs))
    place = place[at]
    retrieved, lengths = np.zeros((2, *mine.shape), dtype=np.int64)
    retrieved[:, place[place >= 0]] = found.retrieved[:, place >= 0]
    lengths[:, place[place >= 0]] = found.list_sizes[:, place >= 0]
    wide = replace(
        found,
        runs=whole.runs.iloc[runs].reset_index(drop=True),
        run=place[found.run],
        retrieved=retrieved,
        lengths=None if found.lengths is None else lengths,
        top_grade=whole.top_grade,
        listed=None if found.listed is None else found.listed.placed(place, len(runs)),
    )
    return Part(wide, topics, runs, whole.common[topics], mine)


def without_rows(part: Part | None) -> Part | None:
    """Return the join without the rows that it was made from, to be kept in memory."""
    return None if part is None else replace(part, positions=replace(part.positions, source=None, listed=None))
