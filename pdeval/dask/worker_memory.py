"""How large a partition may be: what one needs of a worker's memory, and what the workers have.

Measured on two workers of 512 MiB: with the libraries loaded and a shuffle's buffers a worker takes 256 MiB, and for
every row of the partition that it moves 650 bytes more (340 MiB at 125,000 rows, 417 at 250,000; with 500,000 it was
stopped over and over). A partition that stays where it is needs half of that. Dask stops giving work to a worker at
80% of its memory.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

LOADED = 256 << 20
MOVED, KEPT = 650, 325  # bytes of a row
FULL = 0.8
OPTION = "pdeval.partition-rows"


def memory() -> tuple[int, int] | None:
    """Return the memory of the smallest worker of the cluster in use, and its threads; None without such a bound."""
    client = _client()
    if client is None:
        return None
    workers = client.scheduler_info()["workers"].values()
    bounds = [(int(one["memory_limit"]), int(one["nthreads"])) for one in workers if one.get("memory_limit")]
    return min(bounds, key=lambda bound: bound[0] / bound[1], default=None)


def _client() -> Any:
    """Return the client of the cluster in use; None where the work is done in this process."""
    import dask

    chosen = dask.config.get("scheduler", None)  # a client sets its own name here
    if "distributed" not in sys.modules or chosen not in (None, "distributed", "dask.distributed"):
        return None
    import distributed

    try:
        return distributed.default_client()
    except ValueError:
        return None


def return_freed_memory() -> None:
    """Have Arrow give freed memory back on every worker of the cluster in use, and on those that join it later.

    By default it keeps that memory for itself; Dask takes it for used, and stops giving work to a worker that has
    little: in the middle of a shuffle for good, since a worker that is stopped never frees what it holds.
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
    """Return how many rows of so many bytes a partition may have, for workers of some memory and threads.

    Examples
    --------
    >>> most_rows(MOVED, (512 << 20, 1)), most_rows(MOVED, None)
    (247786, None)
    """
    import dask

    said = dask.config.get(OPTION, None)
    if said is not None:
        return int(said)
    return None if bound is None else max(int(FULL * bound[0] - LOADED) // (per_row * bound[1]), 1)


def check_partitions(rows: np.ndarray, per_row: int) -> None:
    """Raise where a partition of a table, of so many rows each, is too large for the workers' memory."""
    bound = memory()
    most = most_rows(per_row, bound)
    if most is None or int(rows.max(initial=0)) <= most:
        return
    large, parts = int(np.argmax(rows)), int(np.ceil(rows / most).sum())
    have = "" if bound is None else f" of {bound[0] >> 20:,} MiB with {bound[1]} thread{'s' if bound[1] > 1 else ''}"
    needed = (LOADED + per_row * int(rows.max()) * (1 if bound is None else bound[1])) / FULL
    raise ValueError(
        f"partition {large} of the run table has {int(rows.max()):,} rows, and a worker{have} has room for "
        f"about {most:,}. "
        f"Divide it, e.g. with .repartition(npartitions={parts}), give every worker {int(needed) >> 20:,} MiB, or set "
        f"the bound yourself: dask.config.set({{'{OPTION}': {int(rows.max())}}})."
    )
