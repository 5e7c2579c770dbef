"""What a row costs at any size, beside other tools: `python -m tests.benchmarks --sizes [--peers PYTHON]`.

From one to a hundred million rows (100 queries x 1,000 items for each run of 100,000 rows), for ids as strings,
integers and categories, rows sorted by run, by query, or shuffled, with and without the duplicate check: nanoseconds of
processor time per row of nDCG@10, the least of three calls (of one beyond 27 million rows), and the peak of memory
beyond the input. Each table is made in a process of its own. `--peers` names a Python with ranx or RecTools, which may
need other versions of pandas.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import time
import warnings
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

QUERIES, DEPTH, POOL, JUDGED = 100, 1000, 9973, 100
FIGURE = Path("notebooks/figures/cost_per_row.svg")
SIZES = (1, 10, 27, 100)
IDS = ("strings", "integers", "categories")
ORDERS = ("by run", "by query", "shuffled")
OURS = ("pdeval", "pdeval, unchecked")
PEERS = ("Polars", "DuckDB", "pytrec_eval", "ranx", "RecTools")
LARGEST = {"pytrec_eval": 1, "ranx": 1, "RecTools": 10}  # million rows; beyond, it takes minutes


def tables(million: int, ids: str, order: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return runs of that many million rows, and judgments of a hundred queries."""
    runs = 10 * million
    lists = runs * QUERIES
    random = np.random.default_rng(0)
    # the columns of a list (rows) of numbers below 2**31; items differ within it, since POOL is a prime
    first, step = random.integers(0, POOL, (2, lists, 1)).astype(np.int32)
    rank = np.arange(DEPTH, dtype=np.int32)
    doc = (first + rank * np.maximum(step, 1)) % POOL
    run, query = np.divmod(np.arange(lists), QUERIES)
    columns = {
        "run": np.repeat(run.astype(np.int16), DEPTH),
        "query_id": np.repeat(query.astype(np.int32), DEPTH),
        "doc_id": doc.ravel(),
        "score": np.tile((DEPTH - rank).astype(np.float32), lists),
    }
    if order != "by run":
        by_query = order == "by query"
        rows = np.argsort(columns["query_id"], kind="stable") if by_query else _shuffled(lists)
        columns = {name: column[rows] for name, column in columns.items()}
    judged = np.arange(QUERIES * JUDGED)
    qrels = {
        "query_id": judged // JUDGED,
        "doc_id": judged * 97 % POOL,
        "relevance": judged % 3,
    }
    names = {
        "run": [f"run{one:04d}" for one in range(runs)],
        "query_id": [f"{301 + one}" for one in range(QUERIES)],
        "doc_id": [f"FT{911 + one % 84}-{one:06d}" for one in range(POOL)],
    }
    for table in (columns, qrels):
        for name in {*names} & {*table} if ids != "integers" else ():
            coded = pd.Categorical.from_codes(table[name], pd.Index(names[name], dtype="str"))
            table[name] = coded if ids == "categories" else coded.astype("str")
    return pd.DataFrame(columns, copy=False), pd.DataFrame(qrels)


def _shuffled(lists: int) -> np.ndarray:
    return np.random.default_rng(1).permutation(np.arange(lists * DEPTH, dtype=np.int32))


def ours(runs: pd.DataFrame, qrels: pd.DataFrame, checked: bool) -> Any:
    """Return nDCG@10 of every list by pdeval."""
    import pdeval  # noqa: F401 - registers .ireval

    return runs.ireval.measure(qrels, "nDCG@10", validate=checked)


def on_polars(runs: pd.DataFrame, qrels: pd.DataFrame) -> Any:
    """Return what computes nDCG@10 from Polars tables; ties keep their order, nothing is checked."""
    import polars as pl

    rows, judged = pl.from_pandas(runs), pl.from_pandas(qrels)
    discount = lambda rank: 1 / (rank + 1).log(2)  # noqa: E731

    def work() -> Any:
        list_of = ["run", "query_id"]
        rank = pl.col("score").rank("ordinal", descending=True).over(list_of)
        best = rows.with_columns(rank.alias("rank")).filter(pl.col("rank") <= 10)
        gain = (pl.col("relevance") * discount(pl.col("rank"))).sum()
        hits = best.join(judged, on=["query_id", "doc_id"]).group_by(list_of).agg(gain.alias("dcg"))
        ranked = pl.col("relevance").sort(descending=True).head(10)
        ideal = (ranked * discount(pl.int_range(1, 11))).sum().alias("ideal")
        values = judged.group_by("query_id").agg(ideal).join(hits, on="query_id")
        return values.with_columns(pl.col("dcg") / pl.col("ideal"))

    return work


SQL = """
WITH best AS (SELECT run, query_id, doc_id, row_number() OVER (PARTITION BY run, query_id ORDER BY score DESC) AS rank
              FROM runs QUALIFY rank <= 10),
     top AS (SELECT query_id, relevance, row_number() OVER (PARTITION BY query_id ORDER BY relevance DESC) AS place
             FROM qrels QUALIFY place <= 10),
     ideal AS (SELECT query_id, sum(relevance / log2(place + 1)) AS ideal FROM top GROUP BY query_id),
     dcg AS (SELECT run, query_id, sum(relevance / log2(rank + 1)) AS dcg FROM best JOIN qrels USING (query_id, doc_id)
             GROUP BY run, query_id)
SELECT run, query_id, dcg / ideal FROM dcg JOIN ideal USING (query_id)
"""


def on_duckdb(runs: pd.DataFrame, qrels: pd.DataFrame) -> Any:
    """Return what computes nDCG@10 from DuckDB tables."""
    import duckdb

    connection = duckdb.connect()
    for name, table in (("given_runs", runs), ("given_qrels", qrels)):
        connection.register(name, table)
        connection.execute(f"CREATE TABLE {name.partition('_')[2]} AS SELECT * FROM {name}")
    return lambda: connection.execute(SQL).fetchall()


def on_dicts(runs: pd.DataFrame, qrels: pd.DataFrame) -> Any:
    """Return what computes nDCG@10 by pytrec_eval from dicts that are ready."""
    import pytrec_eval

    from tests.benchmarks.jobs import dicts

    judged, lists = dicts(runs, qrels)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut_10"})
    return lambda: [evaluator.evaluate(one) for one in lists.values()]


def on_ranx(runs: pd.DataFrame, qrels: pd.DataFrame) -> Any:
    """Return what computes nDCG@10 by ranx, from its compiled tables."""
    from ranx import Qrels, Run, evaluate

    ids = {"q_id_col": "query_id", "doc_id_col": "doc_id"}
    plain = {"query_id": object, "doc_id": object}
    judged = Qrels.from_df(qrels.astype(plain), **ids, score_col="relevance")
    parts = [
        Run.from_df(part.astype(plain).astype({"score": float}), **ids, score_col="score")
        for _, part in runs.groupby("run", sort=False)
    ]
    return lambda: [evaluate(judged, one, "ndcg@10", make_comparable=True) for one in parts]


def on_rectools(runs: pd.DataFrame, qrels: pd.DataFrame) -> Any:
    """Return what computes nDCG@10 of each run by RecTools, which takes ranks."""
    from rectools.metrics import NDCG

    names = {"query_id": "user_id", "doc_id": "item_id"}
    rank = runs.groupby(["run", "query_id"])["score"].rank(ascending=False, method="first")
    rows = runs.rename(columns=names).assign(rank=rank.astype(int))
    judged = qrels[qrels["relevance"] > 0].rename(columns=names)
    parts = [part for _, part in rows.groupby("run", sort=False)]
    return lambda: [NDCG(k=10).calc_per_user(one, judged) for one in parts]


WORKS = dict(zip(PEERS, (on_polars, on_duckdb, on_dicts, on_ranx, on_rectools)))


def costs(million: int, ids: str, order: str, *tools: str) -> dict[str, dict[str, float]]:
    """Return nanoseconds per row of each tool, and the peak of memory beyond the input as a fraction of it."""
    warnings.simplefilter("ignore")
    runs, qrels = tables(million, ids, order)
    size = int(runs.memory_usage(deep=True, index=False).sum())
    result = {}
    for tool in tools:
        if tool in OURS:
            work = partial(ours, runs, qrels, tool == "pdeval")
            ours(runs.head(1000), qrels, True)  # imports
        else:
            work = WORKS[tool](runs, qrels)
        ctypes.CDLL(None).malloc_trim(0)  # memory that was freed goes back to the system
        Path("/proc/self/clear_refs").write_text("5")  # the peak starts at the memory in use
        before, spent = _status("VmRSS"), []
        for _ in range(1 if million > 27 else 3):
            begin = time.process_time()
            work()
            spent.append(time.process_time() - begin)
        beyond = (_status("VmHWM") - before) * 1024
        result[tool] = {"ns": min(spent) * 1000 / million, "memory": beyond / size}
    return result


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(name))


def measured(python: str, million: int, ids: str, order: str, *tools: str) -> list[dict[str, Any]]:
    """Return the rows of a table, run in a process of its own; NaN if a tool is not installed there."""
    command = [python, "-m", "tests.benchmarks.sizes", "--one", str(million), ids, order, *tools]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1:], file=sys.stderr)
    costs = {} if done.returncode else json.loads(done.stdout.splitlines()[-1])
    nothing = {"ns": np.nan, "memory": np.nan}
    table = {"million rows": million, "ids": ids, "rows": order}
    rows = [{**table, "tool": tool, **costs.get(tool, nothing)} for tool in tools]
    print(pd.DataFrame(rows).to_string(header=False, index=False), flush=True)
    return rows


def show(largest: int, peers: str | None) -> None:
    """Print the table of costs, and draw its chart."""
    rows = []
    for million in [size for size in SIZES if size <= largest]:
        for ids, order in product(IDS, ORDERS):
            rows += measured(sys.executable, million, ids, order, *OURS)
        for tool in PEERS:
            python = peers or sys.executable if tool in ("ranx", "RecTools") else sys.executable
            for order in ("by run", "shuffled")[: 2 if tool in ("Polars", "DuckDB") else 1]:
                if million <= LARGEST.get(tool, largest):
                    rows += measured(python, million, "strings", order, tool)
    table = pd.DataFrame(rows)
    wide = table.pivot(index=["tool", "ids", "rows"], columns="million rows", values="ns")
    wide["largest / 1"] = wide.ffill(axis=1).iloc[:, -1] / wide[1]
    largest_tables = table.sort_values("million rows").groupby(["tool", "ids", "rows"])
    wide["memory / input"] = largest_tables["memory"].last()
    print(wide.to_string(float_format=lambda value: f"{value:.2f}", na_rep=""))
    chart(table)


def chart(table: pd.DataFrame) -> None:
    """Draw nanoseconds per row by the number of rows, both on logarithmic axes."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "pdeval", "svg.fonttype": "none"})
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
    for ax, order in zip(axes, ("by run", "shuffled")):
        part = table[(table["rows"] == order) & table["ns"].notna()]
        for (tool, ids), line in part.groupby(["tool", "ids"]):
            name = f"{tool}, {ids}" if tool in OURS else tool
            style = "-" if tool in OURS else ":"
            ax.plot(line["million rows"], line["ns"], style, marker="o", ms=4, label=name)
        ax.set(xscale="log", yscale="log", xlabel="million rows", title=f"rows {order}")
        ax.set_xticks(SIZES, map(str, SIZES))
        ax.legend(fontsize=7, ncols=2, loc="upper left")
    axes[0].set_ylabel("processor time per row (ns)")
    axes[0].set_ylim(top=2e5)
    figure.savefig(FIGURE, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs="+", required=True)
    size, *case = parser.parse_args().one
    print(json.dumps(costs(int(size), *case)))
