"""Peak memory of one evaluation beyond its input, in a process of its own, for every way to store ids (Linux)."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd

from tests.benchmarks import jobs
from tests.benchmarks.data import SHAPES, make

IDS = ("strings", "integers", "categories")

PEAK = """
import ctypes, sys, warnings
warnings.simplefilter("ignore")
import pyarrow as pa
import numpy as np
import pandas as pd
import pdeval
runs, qrels = (pd.read_parquet(path) for path in sys.argv[1:3])
if sys.argv[3] == "integers":
    for table in (runs, qrels):
        for name in ("query_id", "doc_id"):
            table[name] = table[name].str.replace(r"\\D", "", regex=True).astype(np.int64)
    runs["run"] = runs["run"].astype("category")
if sys.argv[3] == "categories":
    runs = runs.astype({"run": "category", "query_id": "category", "doc_id": "category", "score": np.float32})
runs.head(1000).ireval.measure(qrels)
def status(name):
    return next(float(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))
# what reading left behind goes back first: it would be used again, and hide what the evaluation takes
pa.default_memory_pool().release_unused()
ctypes.CDLL(None).malloc_trim(0)
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
runs.ireval.measure(qrels, ["AP", "nDCG@10", "RR", "P@10", "R@100"])
print(runs.memory_usage(deep=True, index=False).sum() / 1024, before, status("VmHWM"))
"""


def peaks(shapes: list[str]) -> pd.DataFrame:
    """Return the peak of an evaluation with the duplicate check, as a share of the run table."""
    rows = []
    for shape in shapes:
        with jobs.temporary() as folder:
            paths = [f"{folder}/runs.parquet", f"{folder}/qrels.parquet"]
            for table, path in zip(make(SHAPES[shape]), paths):
                table.to_parquet(path)
            for ids in IDS:
                done = subprocess.run(
                    [sys.executable, "-c", PEAK, *paths, ids],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                size, before, after = (float(word) / 1024 for word in done.stdout.split())
                row = {"shape": shape, "ids": ids, "input MB": size, "beyond it MB": after - before}
                rows.append({**row, "fraction": (after - before) / size})
    return pd.DataFrame(rows)
