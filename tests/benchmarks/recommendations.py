"""What measures of items cost: `python -m tests.benchmarks.recommendations [--quick]` prints ratios of processor time.

12.6 million rows (21 runs x 6,005 users x 100 items): accuracy alone, and with popularity and coverage beside it (at
most twice the time), with intervals of all measures.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd

import pdeval  # noqa: F401 - registers .ireval
from tests.benchmarks.data import SHAPES, make

ACCURACY = ["AP", "nDCG@10", "RR", "P@10", "R@100"]
BEYOND = ["Novelty@10", "AvgPopularity@10", "Coverage@10"]


def timed(work) -> float:
    """Return the processor seconds that a call takes."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main(quick: bool) -> None:
    """Print both times and their ratio."""
    shape = SHAPES["recommender"]
    runs, qrels = make(shape._replace(queries=600) if quick else shape)
    rng = np.random.default_rng(0)
    items = runs[["doc_id"]].drop_duplicates(ignore_index=True)
    share = 1.0 / np.arange(1, len(items) + 1)
    users = qrels["query_id"].unique()
    picked = rng.choice(
        len(items), size=160 * len(users), p=share / share.sum()
    )  # a million at full size
    history = pd.DataFrame(
        {"query_id": np.repeat(users, 160), "doc_id": items["doc_id"].to_numpy()[picked]}
    )
    print(f"{len(runs):,} rows, {len(history):,} interactions, {len(items):,} items")
    works = {
        "accuracy": lambda: runs.ireval.summary(qrels, ACCURACY),
        "and beyond": lambda: runs.ireval.summary(
            qrels, [*ACCURACY, *BEYOND], items=items, history=history
        ),
    }
    best = dict.fromkeys(works, np.inf)
    for _ in range(3):  # side by side, the best of three
        for name, work in works.items():
            best[name] = min(best[name], timed(work))
    for name, seconds in best.items():
        print(f"{name:10}  {seconds:6.2f} s  ratio {seconds / best['accuracy']:.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    warnings.simplefilter("ignore")
    main(parser.parse_args().quick)
