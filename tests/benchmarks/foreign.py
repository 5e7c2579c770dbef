"""What other tables cost: `python -m tests.benchmarks.foreign [--quick]` prints conversions beside `measure`.

One process, repeats interleaved: each repeat measures the pandas table, then converts each of the others. Aims: Polars
at most half a `measure`, DuckDB at most two.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd

import pdeval
from tests.benchmarks.data import SHAPES, make
from tests.benchmarks.jobs import MEASURES, dicts


def timed(work) -> float:
    """Return the seconds that one call takes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def conversions(runs: pd.DataFrame, qrels: pd.DataFrame) -> dict:
    """Return what makes a pandas frame of each library's run table."""
    import duckdb
    import polars
    import pyarrow as pa

    arrow = pa.Table.from_pandas(runs, preserve_index=False)
    on_polars = polars.from_arrow(arrow)
    categories = on_polars.with_columns(polars.col("run", "query_id").cast(polars.Categorical))
    connection = duckdb.connect()
    connection.register("given", arrow)
    connection.execute("CREATE TABLE runs AS SELECT * FROM given")
    relation = connection.table("runs")
    held = dicts(runs, qrels)[1]
    return {
        "PyArrow": lambda: pdeval.frame(arrow),
        "Polars": lambda: pdeval.frame(on_polars),
        "Polars, categories": lambda: pdeval.frame(categories),
        "DuckDB": lambda: pdeval.frame(relation),
        "nested dicts": lambda: pdeval.from_dict(held),
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two repeats")
    repeats = 2 if parser.parse_args().quick else 6
    warnings.simplefilter("ignore")
    rows = []
    for shape in ("one run", "small", "recommender"):
        runs, qrels = make(SHAPES[shape])
        work = {
            "measure": lambda r=runs, q=qrels: r.ireval.measure(q, MEASURES),
            **conversions(runs, qrels),
        }
        spent = {name: [] for name in work}
        for call in work.values():
            call()
        for _ in range(repeats):
            for name, call in work.items():
                spent[name].append(timed(call))
        base = np.array(spent["measure"])
        for name in list(work)[1:]:
            ratio = np.array(spent[name]) / base
            best = min(spent[name]) / base.min()
            rows.append(
                {
                    "shape": shape,
                    "rows": len(runs),
                    "from": name,
                    "ratio": best,
                    "median": np.median(ratio),
                }
            )
    print(pd.DataFrame(rows).to_string(index=False, float_format=lambda value: f"{value:.2f}"))


if __name__ == "__main__":
    main()
