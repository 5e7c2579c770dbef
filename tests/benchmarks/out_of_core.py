"""Rows beyond memory on one machine: `python -m tests.benchmarks.out_of_core [--million 200] [--ways files duckdb]`.

Writes a run table as Parquet files of two million rows (20 runs x 100 queries x 1,000 items, string ids), each with all
rows of its queries, and evaluates it in several ways, each in a process of its own: AP and nDCG@10 of every run. Prints
the processor time for each million rows and the peak memory of the process. The files are deleted at the end.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import pdeval

RUNS, QUERIES, DEPTH, POOL, JUDGED = 20, 100, 1000, 9973, 40
MEASURES = ["AP", "nDCG@10"]
COLUMNS = ["run", "query_id", "doc_id", "score"]
NAMES = pa.array([f"clueweb22-en{at % 90:04d}-{at:07d}" for at in range(POOL)])


def part(at: int) -> pa.Table:
    """Return a hundred queries of twenty runs, rows sorted by query, run and score."""
    random = np.random.default_rng(at)
    query, run, rank = np.indices((QUERIES, RUNS, DEPTH)).reshape(3, -1).astype(np.int32)
    first = random.integers(0, POOL, (QUERIES, RUNS))[query, run]
    doc = (first + rank * (run + 1)) % POOL  # different within a list, since POOL is a prime
    ids = pa.array([f"q{at * QUERIES + one:07d}" for one in range(QUERIES)])
    names = pa.array([f"run{one:02d}" for one in range(RUNS)])
    score = (DEPTH - rank // 2).astype(np.float32)  # two items tie
    columns = [names.take(pa.array(run)), ids.take(pa.array(query)), NAMES.take(pa.array(doc))]
    return pa.table([*columns, pa.array(score)], COLUMNS)


def judgments(parts: int) -> pd.DataFrame:
    """Return forty judged items of every query, half of them relevant."""
    random = np.random.default_rng(12345)
    query = np.repeat([f"q{one:07d}" for one in range(parts * QUERIES)], JUDGED)
    start = np.repeat(random.integers(0, POOL, parts * QUERIES), JUDGED)
    doc = (start + 31 * np.tile(np.arange(JUDGED), parts * QUERIES)) % POOL
    names = NAMES.take(pa.array(doc)).to_pandas()
    return pd.DataFrame({"query_id": query, "doc_id": names, "relevance": np.arange(len(doc)) % 2})


def files(folder: Path, qrels: pd.DataFrame) -> pd.DataFrame:
    """Join the files one after the other."""

    tables = (pq.read_table(path) for path in sorted(folder.glob("*.parquet")))
    return pdeval.join_parts(tables, qrels).summary(MEASURES)


def duckdb(folder: Path, qrels: pd.DataFrame) -> pd.DataFrame:
    """Join record batches of a DuckDB query; rows are in the order of the files, so queries are adjacent."""
    import duckdb as engine

    rows = engine.sql(f"SELECT {', '.join(COLUMNS)} FROM '{folder}/*.parquet'")
    return pdeval.join_parts(rows.to_arrow_reader(2_000_000), qrels).summary(MEASURES)


def polars(folder: Path, qrels: pd.DataFrame) -> pd.DataFrame:
    """Join batches of a streaming Polars query."""
    import polars as engine

    plan = engine.scan_parquet(f"{folder}/*.parquet").select(COLUMNS)
    batches = plan.collect_batches(chunk_size=2_000_000, maintain_order=True)
    return pdeval.join_parts(batches, qrels).summary(MEASURES)


def dask(folder: Path, qrels: pd.DataFrame) -> pd.DataFrame:
    """Evaluate a lazy table on Dask's scheduler with one thread."""
    import dask as engine
    import dask.dataframe as dd

    import pdeval.dask.accessor  # noqa: F401 - registers .ireval

    with engine.config.set(scheduler="synchronous"):
        return dd.read_parquet(f"{folder}/*.parquet").ireval.summary(qrels, MEASURES)


def memory(folder: Path, qrels: pd.DataFrame) -> pd.DataFrame:
    """Evaluate all rows at once."""

    rows = pd.read_parquet(sorted(folder.glob("*.parquet")))
    return rows.ireval.summary(qrels, MEASURES)


WAYS = {function.__name__: function for function in (files, duckdb, polars, dask, memory)}


def one(way: str, folder: Path) -> dict[str, Any]:
    """Return the processor seconds, the peak of memory in GiB and the values of one way, in this process."""
    warnings.simplefilter("ignore")
    qrels = pd.read_parquet(folder / "judgments")
    begin, clock = time.process_time(), time.perf_counter()
    result = WAYS[way](folder, qrels)
    spent, clock = time.process_time() - begin, time.perf_counter() - clock
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(float(line.split()[1]) for line in status if line.startswith("VmHWM")) / 2**20
    return {"cpu": spent, "clock": clock, "peak": peak, "values": result["mean"].tolist()}


def main() -> None:
    """Write the files, and evaluate them in each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", type=int, default=20, help="million rows; an even number")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--one", nargs=2, help="one way and a folder, in this process")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.one[0], Path(given.one[1]))))
        return
    rows = []
    with tempfile.TemporaryDirectory(prefix="pdeval-out-of-core-") as name:
        folder, count = Path(name), given.million // 2
        for at in range(count):
            pq.write_table(part(at), folder / f"{at:05d}.parquet", compression="lz4")
        judgments(count).to_parquet(folder / "judgments")
        size = sum(path.stat().st_size for path in folder.glob("*.parquet")) / 2**30
        print(f"{given.million} million rows, {count} files, {size:.1f} GiB on disk", flush=True)
        for way in given.ways:
            command = [sys.executable, "-m", "tests.benchmarks.out_of_core", "--one", way, name]
            done = json.loads(subprocess.run(command, stdout=-1, check=True, text=True).stdout)
            rows.append({"way": way, **done})
            per_million = 1000 * done["cpu"] / given.million
            print(
                f"{way:8} {done['cpu']:7.1f} s, {per_million:5.0f} ms per million rows, peak {done['peak']:.2f} GiB"
                f" ({done['clock']:.0f} s on the clock)",
                flush=True,
            )
    if any(row["values"] != rows[0]["values"] for row in rows):
        sys.exit("the ways differ")
    print("all ways give the same values")


if __name__ == "__main__":
    main()
