"""Partitions that hold whole queries: kept where the table has them, shuffled into being where not, and written so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pdeval.dask import partition_ids, worker_memory
from pdeval.dask.partition_ids import ROW, delayed_parts, places
from pdeval.join import ids
from pdeval.tables import arrow
from pdeval.tables.reader import Table

NUMBER = "__number__"
ROWS = 1 << 19


def is_dask(frame: object) -> bool:
    """Return whether this is a Dask DataFrame; imports nothing.

    Examples
    --------
    >>> is_dask(pd.DataFrame())
    False
    """
    return hasattr(frame, "dask") and hasattr(frame, "map_partitions") and hasattr(frame, "_meta")


def frozen(frame: Any, columns: list[str]) -> Any:
    """Return some columns of a table in partitions that no optimiser merges: what a census counted stays true."""
    import dask.dataframe as dd

    meta = frame[columns]._meta
    return dd.from_delayed(delayed_parts(frame, columns), meta=meta, verify_meta=False)


def number(at: int) -> pd.DataFrame:
    """Return a partition's number as a frame, to go along with the partition.

    Examples
    --------
    >>> number(3)["number"].tolist()
    [3]
    """
    return pd.DataFrame({"number": [at]})


def numbers(count: int) -> Any:
    """Return a Dask frame whose partitions hold their own number."""
    import dask.dataframe as dd

    return dd.from_map(number, range(count), meta=number(0))


def balanced(rows: np.ndarray, most: int) -> np.ndarray:
    """Return a partition for every query: neighbours together, about equally many rows each, none without rows.

    Examples
    --------
    >>> balanced(np.array([5, 5, 0, 1, 9]), 2).tolist()
    [0, 0, 0, 1, 1]
    """
    held = np.flatnonzero(rows)
    middle = np.cumsum(rows[held]) - rows[held] / 2
    _, home = np.unique(middle * most // rows.sum(), return_inverse=True)
    # a query without rows goes along with the one before it
    return home[np.maximum(np.cumsum(rows > 0) - 1, 0)]


def wanted_parts(rows: int, now: int) -> int:
    """Return into how many partitions to shuffle: as many as there are, more where they would be large for the workers.

    Examples
    --------
    >>> wanted_parts(27_000_000, 8)
    52
    """
    most = worker_memory.most_rows(worker_memory.MOVED, worker_memory.memory())
    return max(now, -(-rows // (ROWS if most is None else min(ROWS, most))))


def by_number(frame: Any, numbered: Callable[..., np.ndarray], options: tuple[Any, ...], count: int) -> Any:
    """Return the rows moved to the partitions whose numbers a function gives them: Dask's own shuffle."""
    import dask

    worker_memory.return_freed_memory()
    meta = _plain(frame._meta).assign(**{NUMBER: np.zeros(0, dtype=np.int64)})
    told = dask.delayed(options, traverse=False)
    moved = frame.map_partitions(_with_number, numbered, told, meta=meta, enforce_metadata=False)
    whole = moved.set_index(NUMBER, divisions=list(range(count + 1)), drop=True)
    return whole.clear_divisions().map_partitions(_unnumbered, meta=_plain(frame._meta))


def _with_number(frame: pd.DataFrame, numbered: Callable[..., np.ndarray], options: tuple[Any, ...]) -> pd.DataFrame:
    return _plain(frame).assign(**{NUMBER: numbered(frame, *options).astype(np.int64)})


def _unnumbered(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.reset_index(drop=True)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with text or numbers for categoricals: partitions need not know the same categories."""
    known = {name: frame[name].dtype for name in frame.columns}
    changed = {
        name: kind.categories.dtype if pd.api.types.is_numeric_dtype(kind.categories.dtype) else arrow.text_dtype()
        for name, kind in known.items()
        if isinstance(kind, pd.CategoricalDtype)
    }
    return frame.astype(changed)


def coded(
    rows: pd.DataFrame,
    numbers: pd.DataFrame,
    roles: dict[str, str],
    run_columns: tuple[str, ...],
    known: tuple[pd.DataFrame, pd.Index],
    in_order: bool,
) -> pd.DataFrame:
    """Return the judged rows with numbers for their runs and queries: half as many bytes to move, or fewer.

    Examples
    --------
    >>> rows = pd.DataFrame({"run": ["b"], "query_id": ["7"], "doc_id": ["d"], "score": [0.5]})
    >>> known = pd.DataFrame({"run": ["a", "b"]}), pd.Index(["6", "7"])
    >>> roles = {"query": "query_id", "doc": "doc_id", "score": "score"}
    >>> coded(rows, number(0), roles, ("run",), known, False).to_dict("records")
    [{'run': 1, 'query': 1, 'doc': 'd', 'score': 0.5}]
    """
    runs, queries = known
    topic = ids.column_ids(rows[roles["query"]], "query").probe(ids.column_ids(pd.Series(queries), "query"))
    kept = np.flatnonzero(topic >= 0)
    run = places(rows[list(run_columns)], runs) if run_columns else np.zeros(len(rows), dtype=np.int64)
    columns: dict[str, Any] = {"run": run[kept].astype(np.int32), "query": topic[kept].astype(np.int32)}
    for role in ("doc", "score", "rank"):
        if role in roles:
            columns[role] = _plain(rows[[roles[role]]])[roles[role]].array.take(kept)
    if in_order:
        columns[ROW] = (int(numbers["number"].iloc[0]) << 40) + kept
    return pd.DataFrame(columns, copy=False)


def shuffled(
    frame: Any, table: Table, runs: pd.DataFrame, queries: pd.Index, home: np.ndarray, *, in_order: bool
) -> Any:
    """Return the rows of judged queries, coded, every query in the partition of its number."""
    import dask

    columns = list(dict.fromkeys([*table.run_columns, *table.roles.values()]))
    rows = frozen(frame, columns)
    options = dict(table.roles), table.run_columns, dask.delayed((runs, queries), traverse=False), in_order
    meta = coded(rows._meta, number(0), dict(table.roles), table.run_columns, (runs.iloc[:0], queries[:0]), in_order)
    moved = rows.map_partitions(coded, numbers(rows.npartitions), *options, meta=meta)
    return by_number(moved, _number_of_query, (home,), int(home.max()) + 1)


def _number_of_query(rows: pd.DataFrame, home: np.ndarray) -> np.ndarray:
    return home[rows["query"].to_numpy()]


def whole_queries(frame: Any, table: Table) -> Any:
    """Return the table with every query in one partition: as it is where it is so already, else shuffled.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval
    >>> frame = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=3)
    >>> from pdeval.tables.reader import read
    >>> whole_queries(frame, read(frame._meta, "runs")).npartitions
    3
    """
    found = partition_ids.take(frame, table.roles["query"], table.run_columns)
    columns = list(frame.columns)
    if found.parts.max() == 1:
        return frozen(frame, columns)
    worker_memory.check_partitions(found.sizes, worker_memory.MOVED)
    rows = found.rows.sum(axis=1)
    home = balanced(rows, wanted_parts(int(rows.sum()), frame.npartitions))
    options = table.roles["query"], found.queries.index(), home
    return by_number(frozen(frame, columns), _number_of_id, options, int(home.max()) + 1)


def _number_of_id(frame: pd.DataFrame, query: str, known: pd.Index, home: np.ndarray) -> np.ndarray:
    return home[ids.column_ids(frame[query], "query").probe(ids.column_ids(pd.Series(known), "query"))]


def lists_together(frame: Any, table: Table) -> Any:
    """Return the table ready to be written: every query in one partition, the rows of a list standing together."""
    whole = whole_queries(frame, table)
    by = [table.roles["query"], *table.run_columns]
    return whole.map_partitions(_ready, by, meta=_plain(whole._meta))


def _ready(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    return _plain(frame.sort_values(by, kind="stable", ignore_index=True))
