"""The first pass over both tables of a Dask evaluation, before any rows are ranked.

Of the run table only the id columns are read: the runs, the queries that each run answered, and whether a query or a
list is divided over several partitions. Judgments are sent to every worker if they are small, else they stay on Dask
and are divided as the runs are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np
import pandas as pd

from pdeval.dask.delayed import calls, dask, dd, delayed_parts
from pdeval.join import (
    Ids,
    column_ids,
    find_lists,
    gaps_text,
    have_gaps,
    is_parameter,
    ranges,
    read_judgments,
)
from pdeval.tables import Table, combined_codes, is_dask, numbers, reader, run_labels

ROW = "__row__"
SMALL = 1 << 20  # rows of judgments that are sent to every worker


@dataclass(frozen=True, eq=False)
class Holding:
    """The content of one partition: its runs, its queries, and the length of each list, (queries, runs).

    If ranks order the lists, also the first and the last rank of each, (2, queries, runs).
    """

    runs: pd.DataFrame
    queries: pd.Index
    rows: np.ndarray
    ends: np.ndarray | None = None


def holding(
    frame: pd.DataFrame, query: str, run_columns: tuple[str, ...], rank: str | None = None
) -> Holding:
    """Return the content of a partition; with the name of a rank column, also its ranks.

    Examples
    --------
    >>> frame = pd.DataFrame({"run": ["b", "a", "b"], "query_id": [1, 1, 1]})
    >>> holding(frame, "query_id", ("run",)).rows.tolist()
    [[1, 2]]
    """
    lists = find_lists(Table("runs", frame, {"query": query}, run_columns))
    rows = np.zeros((len(lists.queries), len(lists.runs)), dtype=np.int64)
    rows[lists.query, lists.run] = lists.sizes  # each (query, run) is one list
    ends = None
    if rank is not None and len(frame):
        ranks = numbers(frame[rank], "rank")
        ranks = ranks if lists.order is None else ranks[lists.order]
        ends = np.full((2, *rows.shape), [[[np.inf]], [[-np.inf]]])
        for end, extreme in zip(ends, (np.minimum, np.maximum)):
            end[lists.query, lists.run] = extreme.reduceat(ranks, lists.starts[:-1])
    return Holding(lists.runs, lists.queries.index(), rows, ends)


@dataclass(frozen=True, eq=False)
class Census:
    """The content of all partitions together.

    Parameters
    ----------
    runs : DataFrame
        The identifying column(s) of all runs, sorted.
    queries : Ids
        All queries, sorted.
    pieces : list of (queries, runs, rows)
        For each partition the codes of its queries and runs, and the lengths of its lists.
    gaps : str, optional
        The warning about gaps in the ranks by which lists are ordered, if there are any.
    """

    runs: pd.DataFrame
    queries: Ids
    pieces: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
    gaps: str | None = None

    @cached_property
    def rows(self) -> np.ndarray:
        """The length of every list, (queries, runs)."""
        rows = np.zeros((len(self.queries), len(self.runs)), dtype=np.int64)
        for query, run, lengths in self.pieces:
            rows[np.ix_(query, run)] += lengths
        return rows

    @cached_property
    def sizes(self) -> np.ndarray:
        """The number of rows of each partition."""
        return np.array([int(rows.sum()) for _, _, rows in self.pieces])

    @cached_property
    def parts(self) -> np.ndarray:
        """The number of partitions with each query."""
        queries = np.concatenate([query for query, _, _ in self.pieces]).astype(np.int64)
        return np.bincount(queries, minlength=len(self.queries))

    @cached_property
    def first(self) -> np.ndarray:
        """The first partition with each query."""
        first = np.zeros(len(self.queries), dtype=np.int64)
        for number in reversed(range(len(self.pieces))):  # earlier partitions overwrite later ones
            first[self.pieces[number][0]] = number
        return first

    def split(self, queries: np.ndarray) -> bool:
        """Return whether a list of the queries of a mask is divided over several partitions."""
        seen = np.zeros((len(self.queries), len(self.runs)), dtype=bool)
        for query, run, lengths in self.pieces:
            cells = np.ix_(query, run)
            if (seen[cells] & (lengths > 0))[queries[query]].any():
                return True
            seen[cells] |= lengths > 0  # lists of the partitions so far
        return False


def combined(parts: Sequence[Holding]) -> Census:
    """Return the census of all partitions.

    Examples
    --------
    >>> frames = [pd.DataFrame({"run": "a", "query_id": [1, 2]}), pd.DataFrame({"run": "b", "query_id": [2]})]
    >>> census = combined([holding(frame, "query_id", ("run",)) for frame in frames])
    >>> census.rows.tolist(), census.parts.tolist()
    ([[1, 0], [1, 1]], [1, 2])
    """
    full = [part for part in parts if len(part.queries)]
    if not full:
        raise ValueError("the run table is empty; there is nothing to evaluate.")
    names = {
        name: _stacked([part.runs[name] for part in full], "run") for name in full[0].runs.columns
    }
    # one row per run and partition, all of one query: their lists are the different runs
    runs = find_lists(
        Table("runs", pd.DataFrame({**names, ROW: 0}), {"query": ROW}, tuple(names))
    ).runs
    queries, query = column_ids(
        _stacked([pd.Series(part.queries) for part in full], "query"), "query"
    ).unique(natural=True)
    ends = np.cumsum([len(part.queries) for part in parts])
    pieces = []
    for part, codes in zip(parts, np.split(query, ends[:-1])):
        place = places(part.runs, runs) if len(part.queries) else np.zeros(0, dtype=np.int64)
        pieces.append(
            (codes, place, part.rows if len(part.queries) else np.zeros((0, 0), dtype=np.int64))
        )
    census = Census(runs, queries, pieces)
    return (
        census
        if full[0].ends is None
        else replace(census, gaps=_gaps(census, [part.ends for part in parts]))
    )


def _gaps(census: Census, ends: list[np.ndarray | None]) -> str | None:
    """Return the warning of `ranks.closed_gaps` for all lists, which may be divided over partitions."""
    first, last = np.full(census.rows.shape, np.inf), np.full(census.rows.shape, -np.inf)
    for (query, run, _), extremes in zip(census.pieces, ends, strict=True):
        if extremes is not None:
            cells = np.ix_(query, run)
            first[cells] = np.minimum(first[cells], extremes[0])
            last[cells] = np.maximum(last[cells], extremes[1])
    with np.errstate(invalid="ignore"):  # inf - inf if there is no list
        run, query = np.nonzero(have_gaps(first, last, census.rows).T)
    if not len(run):
        return None
    at = query[0], run[0]
    names = run_labels(census.runs)[run[0]], census.queries.index().tolist()[query[0]]
    lists = int(np.count_nonzero(census.rows))
    return gaps_text(*names, first[at], last[at], int(census.rows[at]), len(run), lists)


def _stacked(columns: list[pd.Series], role: str) -> pd.Series:
    id_columns = [column for column in columns if not (role == "run" and is_parameter(column))]
    if len({column_ids(column, role).type for column in id_columns}) > 1:
        raise ValueError(
            f"the {role} ids are integers in some parts and strings in others. Convert them, e.g. with .astype(str)."
        )
    return pd.concat(columns, ignore_index=True)


def places(part: pd.DataFrame, runs: pd.DataFrame) -> np.ndarray:
    """Return the row of each run of a part among all runs, which are sorted.

    Examples
    --------
    >>> places(pd.DataFrame({"run": ["b", "b"]}), pd.DataFrame({"run": ["a", "b"]})).tolist()
    [1, 1]
    """
    columns = []
    for name in runs.columns:
        if len(runs.columns) > 1 and is_parameter(runs[name]):
            codes, known = pd.factorize(
                pd.concat([runs[name], part[name]]), sort=True, use_na_sentinel=False
            )
            columns.append((codes.astype(np.int64), len(known)))
            continue
        values, code = column_ids(runs[name], "run").unique()
        place = column_ids(part[name], "run").probe(values)
        if (place < 0).any():
            raise _unknown_run(part[name].iloc[int(np.flatnonzero(place < 0)[0])])
        columns.append((np.concatenate([code, place]), len(values)))
    # of both tables at once: equal runs get equal numbers
    all_keys, keys = np.split(combined_codes(columns, len(runs) + len(part)), [len(runs)])
    at = np.searchsorted(all_keys, keys)
    unknown = np.flatnonzero(all_keys[np.minimum(at, len(runs) - 1)] != keys)
    if len(unknown):  # known values in a new combination
        raise _unknown_run(next(part.iloc[unknown[:1]].itertuples(index=False, name=None)))
    return at


def _unknown_run(run: object) -> RuntimeError:
    return RuntimeError(
        f"the run table changed after the first pass: it had no run {run!r}. Persist the table."
    )


def take(frame: Any, query: str, run_columns: tuple[str, ...], rank: str | None = None) -> Census:
    """Return the census of a Dask run table; reads the id columns and, if it is named, that of ranks.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval
    >>> frame = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=3)
    >>> take(frame, "query_id", ("run",)).rows.shape
    (50, 12)
    """
    parts = delayed_parts(frame, [*run_columns, query, *([] if rank is None else [rank])])
    return combined(dask.compute(*calls(holding, parts, shared=(query, run_columns, rank))))


@dataclass(frozen=True, eq=False)
class Given:
    """The judgments, and a summary of them for the client.

    Parameters
    ----------
    queries : Ids
        The judged queries, sorted.
    best, items : ndarray of shape (topics,)
        The largest grade of each, and its number of items (of rows, if there are too many to send).
    roles : dict
        Which column plays which role.
    frame : DataFrame or None
        All judgments, sorted by topic; `starts` is the first row of each. None if there are too many to send.
    large : Dask DataFrame or None
        The judgments, if there are too many.
    """

    queries: Ids
    best: np.ndarray
    items: np.ndarray
    roles: dict[str, str]
    frame: pd.DataFrame | None
    starts: np.ndarray | None
    large: Any = None

    def relevant_only(self) -> Self:
        """Return the relevant judgments, and the first judgment of each topic, to send fewer rows."""
        if self.frame is None or self.starts is None or "subtopic" in self.roles:
            return self
        kept = numbers(self.frame[self.roles["grade"]], "judgments' grade") > 0
        kept[self.starts[:-1]] = True  # a topic without judgments would be lost
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        return replace(
            self,
            frame=self.frame[kept].reset_index(drop=True),
            starts=starts,
            items=np.diff(starts),
        )

    @property
    def top_grade(self) -> float:
        """The largest grade of all judgments."""
        return float(self.best.max(initial=0.0))

    def of_topics(self, topics: np.ndarray) -> pd.DataFrame:
        """Return the judgments of some topics, of judgments that are not large."""
        frame, starts = cast(pd.DataFrame, self.frame), cast(np.ndarray, self.starts)
        return frame.iloc[ranges(starts[topics], starts[topics + 1] - starts[topics])]

    def different(self, what: str) -> list[object]:
        """Return the positive grades, or the subtopics, sorted; of large judgments the column is read."""
        if what not in self.roles:
            return []
        column = self.large if self.frame is None else self.frame
        column = column[self.roles[what]].drop_duplicates()
        column = column.compute() if self.frame is None else column
        if what != "grade":
            return list(column_ids(column, what).unique()[0].index())
        grades = np.unique(numbers(column, "judgments' grade"))
        return grades[grades > 0].tolist()

    def table(self) -> Table:
        """Return all judgments as one table; large ones are gathered."""
        return Table(
            "qrels", self.large.compute() if self.frame is None else self.frame, self.roles
        )


def given(qrels: object, small: int | None = None) -> Given:
    """Return the judgments of a pandas or Dask table; more than `small` rows stay on Dask.

    Examples
    --------
    >>> import pdeval
    >>> judged = given(pdeval.datasets.sample_qrels())
    >>> len(judged.queries), int(judged.best.max()), judged.large is None
    (50, 3, True)
    """
    small = SMALL if small is None else small
    frame, table = understood(qrels, "qrels")
    columns, roles = list(table.roles.values()), dict(table.roles)
    if not is_dask(frame):
        if len(frame) <= small:
            return sent(Table("qrels", frame[columns], table.roles))
        frame = dd.from_pandas(frame[columns], npartitions=-(-len(frame) // small), sort=False)
    parts = dask.compute(*calls(best_grades, delayed_parts(frame, columns), shared=(roles,)))
    rows = sum(int(counts.sum()) for _, _, counts in parts)
    if rows == 0:
        raise ValueError("the judgments table is empty; there is nothing to evaluate against.")
    if rows <= small:
        return sent(Table("qrels", frame[columns].compute(), table.roles))
    # a query may be in several parts: the best of its grades, the sum of its rows
    names, grades, counts = zip(*[part for part in parts if len(part[0])])
    queries, topic = column_ids(pd.concat(map(pd.Series, names)), "judgments' query").unique(
        natural=True
    )
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, topic, np.concatenate(grades))
    items = np.bincount(topic, np.concatenate(counts), len(queries)).astype(np.int64)
    return Given(queries, best, items, roles, None, None, frame[columns])


def understood(table: object, kind: str) -> tuple[Any, Table]:
    """Return the DataFrame of a table or bound accessor, and its roles; of a Dask table, no rows are read."""
    frame: Any = getattr(table, "_frame", table)
    lazy = is_dask(frame)
    read = reader.read(frame._meta if lazy else frame, kind, getattr(table, "_binding", {}))
    return (frame if lazy else read.frame), read


def best_grades(
    frame: pd.DataFrame, roles: dict[str, str]
) -> tuple[pd.Index, np.ndarray, np.ndarray]:
    """Return the queries of some judgments, the largest grade of each, and the number of rows of each.

    Examples
    --------
    >>> frame = pd.DataFrame({"query_id": [7, 7], "doc_id": ["a", "b"], "relevance": [0, 2]})
    >>> queries, best, counts = best_grades(frame, {"query": "query_id", "doc": "doc_id", "grade": "relevance"})
    >>> queries.tolist(), best.tolist(), counts.tolist()
    ([7], [2.0], [2])
    """
    queries, topic = column_ids(frame[roles["query"]], "judgments' query").unique(natural=True)
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, topic, numbers(frame[roles["grade"]], "judgments' grade"))
    return queries.index(), best, np.bincount(topic, minlength=len(queries))


def sent(table: Table) -> Given:
    """Return judgments on pandas, sorted by topic."""
    items = np.bincount(
        read_judgments(table).topic
    )  # raises every fault of the judgments before any work begins
    queries, topic = column_ids(table.column("query"), "judgments' query").unique(natural=True)
    order = np.argsort(topic, kind="stable")
    # rows of a topic are adjacent now: its judgments are a slice
    starts = np.searchsorted(topic[order], np.arange(len(queries) + 1))
    best = np.maximum.reduceat(
        numbers(table.column("grade"), "judgments' grade")[order], starts[:-1]
    )
    frame = table.frame.iloc[order].reset_index(drop=True)
    return Given(queries, best, items, dict(table.roles), frame, starts)
