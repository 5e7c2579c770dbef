"""The first pass over a Dask run table: which runs and queries each partition holds, from the id columns alone.

What a verb must know of the whole before it can look at a part is known from this: the runs, which queries each of
them answered, and whether some query (or some list) is divided over several partitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pdeval.join import ids, lists
from pdeval.join.ids import Ids
from pdeval.join.ranks import gaps_text, have_gaps
from pdeval.tables.codes import combined_codes
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table, numbers

ROW = "__row__"


@dataclass(frozen=True, eq=False)
class Holding:
    """What one partition holds: its runs, its queries, and the length of each list, (queries, runs).

    Where ranks order the lists, also the first and the last rank of each, (2, queries, runs).
    """

    runs: pd.DataFrame
    queries: pd.Index
    rows: np.ndarray
    ends: np.ndarray | None = None


def holding(frame: pd.DataFrame, query: str, run_columns: tuple[str, ...], rank: str | None = None) -> Holding:
    """Return what a partition holds; with the name of a rank column, also which ranks.

    Examples
    --------
    >>> frame = pd.DataFrame({"run": ["b", "a", "b"], "query_id": [1, 1, 1]})
    >>> holding(frame, "query_id", ("run",)).rows.tolist()
    [[1, 2]]
    """
    found = lists.find_lists(Table("runs", frame, {"query": query}, run_columns))
    rows = np.zeros((len(found.queries), len(found.runs)), dtype=np.int64)
    rows[found.query, found.run] = found.sizes
    ends = None
    if rank is not None and len(frame):
        said = numbers(frame[rank], "rank")
        said = said if found.order is None else said[found.order]
        ends = np.full((2, *rows.shape), [[[np.inf]], [[-np.inf]]])
        for end, least in zip(ends, (np.minimum, np.maximum)):
            end[found.query, found.run] = least.reduceat(said, found.starts[:-1])
    return Holding(found.runs, found.queries.index(), rows, ends)


@dataclass(frozen=True, eq=False)
class Census:
    """What all partitions hold together.

    Parameters
    ----------
    runs : DataFrame
        The identifying column(s) of all runs, sorted.
    queries : Ids
        All queries, sorted.
    pieces : list of (queries, runs, rows)
        For each partition the codes of its queries and runs, and the lengths of its lists.
    gaps : str, optional
        What to say of gaps in the ranks by which lists are ordered, where there are some.
    """

    runs: pd.DataFrame
    queries: Ids
    pieces: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
    gaps: str | None = None

    @cached_property
    def rows(self) -> np.ndarray:
        """The length of every list, (queries, runs)."""
        rows = np.zeros((len(self.queries), len(self.runs)), dtype=np.int64)
        for query, run, held in self.pieces:
            rows[np.ix_(query, run)] += held
        return rows

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many rows each partition has."""
        return np.array([int(rows.sum()) for _, _, rows in self.pieces])

    @cached_property
    def parts(self) -> np.ndarray:
        """How many partitions hold each query."""
        return np.bincount(
            np.concatenate([query for query, _, _ in self.pieces]).astype(np.int64), minlength=len(self.queries)
        )

    @cached_property
    def first(self) -> np.ndarray:
        """The first partition that holds each query."""
        first = np.zeros(len(self.queries), dtype=np.int64)
        for number in reversed(range(len(self.pieces))):
            first[self.pieces[number][0]] = number
        return first

    def split(self, queries: np.ndarray) -> bool:
        """Return whether a list of some of the queries (a mask) is divided over several partitions."""
        seen = np.zeros((len(self.queries), len(self.runs)), dtype=bool)
        for query, run, held in self.pieces:
            cells = np.ix_(query, run)
            if (seen[cells] & (held > 0))[queries[query]].any():
                return True
            seen[cells] |= held > 0
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
    named = {name: _stacked([part.runs[name] for part in full], "run") for name in full[0].runs.columns}
    runs = lists.find_lists(Table("runs", pd.DataFrame({**named, ROW: 0}), {"query": ROW}, tuple(named))).runs
    queries, query = ids.column_ids(_stacked([pd.Series(part.queries) for part in full], "query"), "query").unique()
    each = iter(np.split(query, np.cumsum([len(part.queries) for part in full])[:-1]))
    nothing = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.int64)
    pieces = [(next(each), places(part.runs, runs), part.rows) if len(part.queries) else nothing for part in parts]
    found = Census(runs, queries, pieces)
    return found if full[0].ends is None else replace(found, gaps=_gaps(found, [part.ends for part in parts]))


def _gaps(found: Census, ends: list[np.ndarray | None]) -> str | None:
    """Return what `prepared.closed_gaps` says of all lists, which may be divided over partitions."""
    first, last = np.full(found.rows.shape, np.inf), np.full(found.rows.shape, -np.inf)
    for (query, run, _), own in zip(found.pieces, ends, strict=True):
        if own is not None:
            cells = np.ix_(query, run)
            first[cells], last[cells] = np.minimum(first[cells], own[0]), np.maximum(last[cells], own[1])
    with np.errstate(invalid="ignore"):  # where there is no list
        run, query = np.nonzero(have_gaps(first, last, found.rows).T)
    if not len(run):
        return None
    at, name = (query[0], run[0]), run_labels(found.runs)[run[0]]
    asked = found.queries.index().tolist()[query[0]]
    lists = int(np.count_nonzero(found.rows))
    return gaps_text(name, asked, first[at], last[at], int(found.rows[at]), len(run), lists)


def _stacked(columns: list[pd.Series], role: str) -> pd.Series:
    some = [column for column in columns if not (role == "run" and lists.is_parameter(column))]
    kinds = {ids.column_ids(column, role).type for column in some}
    if len(kinds) > 1:
        raise ValueError(
            f"the {role} ids are integers in some parts and strings in others. Convert them, e.g. with .astype(str)."
        )
    return pd.concat(columns, ignore_index=True)


def places(some: pd.DataFrame, runs: pd.DataFrame) -> np.ndarray:
    """Return the row of each of some runs among all, which are sorted.

    Examples
    --------
    >>> places(pd.DataFrame({"run": ["b", "b"]}), pd.DataFrame({"run": ["a", "b"]})).tolist()
    [1, 1]
    """
    columns = []
    for name in runs.columns:
        if len(runs.columns) > 1 and lists.is_parameter(runs[name]):
            both, known = pd.factorize(pd.concat([runs[name], some[name]]), sort=True, use_na_sentinel=False)
            columns.append((both.astype(np.int64), len(known)))
            continue
        values, code = ids.column_ids(runs[name], "run").unique()
        place = ids.column_ids(some[name], "run").probe(values)
        if (place < 0).any():
            new = some[name].iloc[int(np.flatnonzero(place < 0)[0])]
            raise RuntimeError(_new_text(new))
        columns.append((np.concatenate([code, place]), len(values)))
    key = combined_codes(columns, len(runs) + len(some))  # of both at once: equal runs get equal numbers
    at = np.searchsorted(key[: len(runs)], key[len(runs) :])
    strange = np.flatnonzero(key[: len(runs)][np.minimum(at, len(runs) - 1)] != key[len(runs) :])
    if len(strange):  # known values in a new combination
        raise RuntimeError(_new_text(next(some.iloc[strange[:1]].itertuples(index=False, name=None))))
    return at


def _new_text(run: object) -> str:
    return f"there was no run {run!r} when the run table was first read; persist the table."


def take(frame: Any, query: str, run_columns: tuple[str, ...], rank: str | None = None) -> Census:
    """Return the census of a Dask run table; reads the id columns, that of ranks if it is named, and nothing else.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval
    >>> frame = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=3)
    >>> take(frame, "query_id", ("run",)).rows.shape
    (50, 12)
    """
    import dask

    count = dask.delayed(holding)
    parts = delayed_parts(frame, [*run_columns, query, *([] if rank is None else [rank])])
    return combined(dask.compute(*[count(part, query, run_columns, rank) for part in parts]))


def delayed_parts(frame: Any, columns: list[str]) -> list[Any]:
    """Return the partitions of some columns as delayed frames, as many as the table has.

    Dask reads several partitions as one where few columns are wanted; then one pass would not see the partitions that
    the other sees, and a query that is split might look whole. So the columns are chosen, and nothing else optimised.
    """
    chosen = frame[list(dict.fromkeys(columns))].simplify()
    return chosen.to_delayed(optimize_graph=False)
