"""Partitions of complete queries: kept if the table has them, else shuffled, as far as the workers' memory allows.

Measured on two workers of 512 MiB: with the libraries loaded and the buffers of a shuffle, a worker uses 256 MiB, and
650 bytes more for every row of the partition that it moves (340 MiB at 125,000 rows, 417 at 250,000; at 500,000 it was
repeatedly paused). A partition that is not moved needs half of that. Dask pauses workers at 80% of their memory.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pdeval.dask.delayed import dask, frozen, number, numbers
from pdeval.dask.first_pass import ROW, Census, places, take
from pdeval.join import column_ids
from pdeval.tables import Table, text_dtype

NUMBER = "__number__"
ROWS = 1 << 19
LOADED = 256 << 20
MOVED, KEPT = 650, 325  # bytes of a row
FULL = 0.8
OPTION = "pdeval.partition-rows"


def balanced(rows: np.ndarray, most: int) -> np.ndarray:
    """Return a partition for every query: neighbors together, about equally many rows each, none without rows.

    Examples
    --------
    >>> balanced(np.array([5, 5, 0, 1, 9]), 2).tolist()
    [0, 0, 0, 1, 1]
    """
    filled = np.flatnonzero(rows)
    middle = (
        np.cumsum(rows[filled]) - rows[filled] / 2
    )  # the partition of a query is that of its middle row
    _, home = np.unique(middle * most // rows.sum(), return_inverse=True)
    # a query without rows goes along with the one before it
    return home[np.maximum(np.cumsum(rows > 0) - 1, 0)]


def wanted_parts(rows: int, now: int) -> int:
    """Return the number of partitions to shuffle into: as many as there are, more if those are large for the workers.

    Examples
    --------
    >>> wanted_parts(27_000_000, 8)
    52
    """
    return max(now, -(-rows // min(ROWS, most_rows(MOVED, memory()) or ROWS)))


def by_number(
    frame: Any, numbered: Callable[..., np.ndarray], options: tuple[Any, ...], count: int
) -> Any:
    """Return the rows shuffled by Dask to the partitions that a function assigns to them."""
    return_freed_memory()
    meta = plain(frame._meta).assign(**{NUMBER: np.zeros(0, dtype=np.int64)})
    sent = dask.delayed(options, traverse=False)
    moved = frame.map_partitions(_with_number, numbered, sent, meta=meta, enforce_metadata=False)
    # an index whose divisions are the numbers: Dask's shuffle puts each number in its partition
    indexed = moved.set_index(NUMBER, divisions=list(range(count + 1)), drop=True)
    return indexed.clear_divisions().map_partitions(
        pd.DataFrame.reset_index, drop=True, meta=plain(frame._meta)
    )


def _with_number(
    frame: pd.DataFrame, numbered: Callable[..., np.ndarray], options: tuple[Any, ...]
) -> pd.DataFrame:
    return plain(frame).assign(**{NUMBER: numbered(frame, *options).astype(np.int64)})


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with strings or numbers instead of categoricals, whose categories differ between partitions."""
    categories = {
        name: dtype.categories.dtype
        for name, dtype in frame.dtypes.items()
        if isinstance(dtype, pd.CategoricalDtype)
    }
    return frame.astype(
        {
            name: dtype if pd.api.types.is_numeric_dtype(dtype) else text_dtype()
            for name, dtype in categories.items()
        }
    )


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
    topic = column_ids(rows[roles["query"]], "query").probe(column_ids(pd.Series(queries), "query"))
    kept = np.flatnonzero(topic >= 0)
    run = (
        places(rows[list(run_columns)], runs)
        if run_columns
        else np.zeros(len(rows), dtype=np.int64)
    )
    columns: dict[str, Any] = {
        "run": run[kept].astype(np.int32),
        "query": topic[kept].astype(np.int32),
    }
    columns |= {
        role: plain(rows[[roles[role]]])[roles[role]].array.take(kept)
        for role in ("doc", "score", "rank")
        if role in roles
    }
    if in_order:
        # a partition has fewer than 2**40 rows
        columns[ROW] = (int(numbers["number"].iloc[0]) << 40) + kept
    return pd.DataFrame(columns, copy=False)


def shuffled(
    frame: Any,
    table: Table,
    runs: pd.DataFrame,
    queries: pd.Index,
    home: np.ndarray,
    *,
    in_order: bool,
) -> Any:
    """Return the rows of judged queries, coded, every query in the partition of its number."""
    rows = frozen(frame, list(dict.fromkeys([*table.run_columns, *table.roles.values()])))
    columns = dict(table.roles), table.run_columns
    known = dask.delayed((runs, queries), traverse=False)
    meta = coded(rows._meta, number(0), *columns, (runs.iloc[:0], queries[:0]), in_order)
    moved = rows.map_partitions(
        coded, numbers(rows.npartitions), *columns, known, in_order, meta=meta
    )
    # the queries of coded rows are their topics
    return by_number(
        moved, lambda rows, home: home[rows["query"].to_numpy()], (home,), int(home.max()) + 1
    )


def whole_queries(rows: Any, query: str, census: Census) -> tuple[Any, np.ndarray]:
    """Return the rows with every query in one partition, shuffled if necessary, and the partition of each query.

    Examples
    --------
    >>> import dask.dataframe as dd, pdeval
    >>> frame = dd.from_pandas(pdeval.datasets.sample_runs(), npartitions=3)
    >>> rows, home = whole_queries(frame, "query_id", take(frame, "query_id", ("run",)))
    >>> rows.npartitions, len(home)
    (3, 50)
    """
    if census.parts.max() == 1:
        return rows, census.first
    check_partitions(census.sizes, MOVED)
    sizes = census.rows.sum(axis=1)
    home = balanced(sizes, wanted_parts(int(sizes.sum()), rows.npartitions))
    options = query, census.queries.index(), home, "query"
    return by_number(rows, number_of_id, options, int(home.max()) + 1), home


def with_row(rows: pd.DataFrame, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their number in the table, by which their order is restored after a shuffle."""
    # a partition has fewer than 2**40 rows
    return rows.assign(**{ROW: (int(numbers["number"].iloc[0]) << 40) + np.arange(len(rows))})


def number_of_id(
    frame: pd.DataFrame, query: str, known: pd.Index, home: np.ndarray, role: str
) -> np.ndarray:
    """Return the partition of every row, by the home of its query among the known ones."""
    return home[column_ids(frame[query], role).probe(column_ids(pd.Series(known), "query"))]


def lists_together(frame: Any, table: Table) -> Any:
    """Return the table ready to be written: every query in one partition, the rows of a list adjacent."""
    query = table.roles["query"]
    rows, _ = whole_queries(
        frozen(frame, list(frame.columns)), query, take(frame, query, table.run_columns)
    )
    return rows.map_partitions(_ready, [query, *table.run_columns], meta=plain(rows._meta))


def _ready(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    return plain(frame.sort_values(by, kind="stable", ignore_index=True))


def memory() -> tuple[int, int] | None:
    """Return the memory of the smallest worker of the cluster in use, and its threads; None without such a bound."""
    client = _client()
    if client is None:
        return None
    bounds = [
        (int(one["memory_limit"]), int(one["nthreads"]))
        for one in client.scheduler_info()["workers"].values()
        if one.get("memory_limit")
    ]
    return min(bounds, key=lambda bound: bound[0] / bound[1], default=None)


def _client() -> Any:
    """Return the client of the cluster in use; None if the work is done in this process."""
    chosen = dask.config.get("scheduler", None)  # a client sets its own name here
    if "distributed" not in sys.modules or chosen not in (None, "distributed", "dask.distributed"):
        return None
    import distributed

    try:
        return distributed.default_client()
    except ValueError:
        return None


def return_freed_memory() -> None:
    """Make Arrow return freed memory to the system, on all current and later workers of the cluster in use.

    By default, Arrow keeps that memory. Dask counts it as used and pauses workers with little memory: during a shuffle
    forever, because a paused worker never frees its rows.
    """
    client = _client()
    if client is None:
        return
    from distributed.diagnostics.plugin import WorkerPlugin

    class SystemMemory(WorkerPlugin):  # type: ignore[misc]
        name = "pdeval: Arrow on the system's memory"
        idempotent = True

        def setup(self, worker: object) -> None:  # noqa: ARG002
            import pyarrow as pa

            pa.set_memory_pool(pa.system_memory_pool())

    client.register_plugin(SystemMemory())


def most_rows(per_row: int, bound: tuple[int, int] | None) -> int | None:
    """Return the maximum number of rows of a partition, from the bytes per row, and the memory and threads of a worker.

    Examples
    --------
    >>> most_rows(MOVED, (512 << 20, 1)), most_rows(MOVED, None)
    (247786, None)
    """
    if (option := dask.config.get(OPTION, None)) is not None:
        return int(option)
    return None if bound is None else max(int(FULL * bound[0] - LOADED) // (per_row * bound[1]), 1)


def check_partitions(rows: np.ndarray, per_row: int) -> None:
    """Raise if a partition of a table is too large for the workers' memory, from the rows of each partition."""
    bound, largest = memory(), int(rows.max(initial=0))
    most = most_rows(per_row, bound)
    if most is None or largest <= most:
        return
    size = (
        ""
        if bound is None
        else f" of {bound[0] >> 20:,} MiB with {bound[1]} thread{'s' if bound[1] > 1 else ''}"
    )
    needed = (LOADED + per_row * largest * (1 if bound is None else bound[1])) / FULL
    raise ValueError(
        f"partition {int(np.argmax(rows))} of the run table has {largest:,} rows, but a worker{size} has memory for "
        f"about {most:,}. Use .repartition(npartitions={int(np.ceil(rows / most).sum())}), give each worker "
        f"{int(needed) >> 20:,} MiB, or raise the limit with dask.config.set({{'{OPTION}': {largest}}})."
    )
