"""What a row costs as tables grow: `python -m tests.benchmarks.per_row [--quick]`, a process for each size.

From 20 runs x 50 queries x 1,000 items to 110 x 249 x 1,000, string ids, rows sorted: milliseconds of processor time
for each million rows, the best of three calls of `measure`, after one small call. The number to look at is the cost at
the largest size over that at one million, at most 1.2.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import warnings

import pandas as pd

from tests.benchmarks.data import SHAPES, make
from tests.benchmarks.jobs import MEASURES

SIZES = [
    (20, 50),
    (45, 111),
    (70, 157),
    (110, 249),
]  # runs and queries of 1, 5, 11 and 27 million rows
OPTIONS = {"checked": {}, "validate=False": {"validate": False}}


def cost(count: int, queries: int) -> list[float]:
    """Return the milliseconds that a million rows cost, for each of the options."""
    import pdeval  # noqa: F401 - registers .ireval

    warnings.simplefilter("ignore")
    runs, qrels = make(SHAPES["medium"]._replace(runs=count, queries=queries))
    runs.head(1000).ireval.measure(qrels, MEASURES)
    found = []
    for options in OPTIONS.values():
        spent = []
        for _ in range(3):
            begin = (
                time.process_time()
            )  # of the processor: other work on the machine does not count
            runs.ireval.measure(qrels, MEASURES, **options)
            spent.append(time.process_time() - begin)
        found.append(min(spent) * 1e9 / len(runs))
    return found


def table(quick: bool) -> pd.DataFrame:
    """Return the cost of a row by size, and in the last column that of the largest over that of the smallest."""
    sizes = SIZES[:2] if quick else SIZES
    command = [sys.executable, "-m", "tests.benchmarks.per_row", "--one"]
    done = [
        subprocess.run(
            [*command, *map(str, one)], stdout=subprocess.PIPE, text=True, check=True
        ).stdout
        for one in sizes
    ]
    names = [f"{count * queries / 1000:.0f} million" for count, queries in sizes]
    found = pd.DataFrame(
        [[float(word) for word in text.split()] for text in done],
        index=names,
        columns=list(OPTIONS),
    )
    rows = found.T
    return rows.assign(**{"largest / 1 million": rows.iloc[:, -1] / rows.iloc[:, 0]})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="up to five million rows")
    parser.add_argument(
        "--one", type=int, nargs=2, help="runs and queries of one size, in this process"
    )
    given = parser.parse_args()
    if given.one:
        print(*cost(*given.one))
    else:
        print(table(given.quick).to_string(float_format=lambda value: f"{value:.2f}"))
