"""What `by=` costs: `python -m tests.benchmarks.grouped [--quick]` prints ratios, side by side in one process.

Collections: each verb with by="collection" against the sum of the calls on single collections (at most 1.3).
Segments: 20,000 users in 500 segments, against the call without groups.
Stacked: the same rows as 500 collections whose query ids repeat, against these rows with ids of their own.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd

import pdeval  # noqa: F401 - registers .ireval
from tests.benchmarks.data import Shape, make

VERBS = {
    "measure": lambda door, *q, **o: door.measure(*q, ["AP", "nDCG@10"], **o),
    "summary": lambda door, *q, **o: door.summary(*q, ["AP", "nDCG@10"], **o),
    "compare": lambda door, *q, **o: door.compare(*q, ["AP"], **o),
    "order AP": lambda door, *q, **o: door.order(*q, ["AP"], **o),
    "order RPP": lambda door, *q, **o: door.order(*q, ["RPP"], **o),
    "mean RPP": lambda door, *q, **o: door.mean(*q, ["RPP"], **o),
    "prefer AP": lambda door, *q, **o: door.prefer(*q, ["AP"], **o),
    "correlate": lambda door, *q, **o: door.correlate(*q, ["AP", "RR"], **o),
    "ties": lambda door, *q, **o: door.ties(*q, **o),
    "agree": lambda door, *q, **o: door.agree(*q, ["AP", "RR"], **o),
    "quantiles": lambda door, *q, **o: door.quantiles(*q, ["AP"], **o),
    "power t": lambda door, *q, **o: door.discriminative_power(*q, ["AP", "RR"], tests="t", **o),
    "describe": lambda door, *q, **o: door.describe(*q, **o),
    "check": lambda door, *q, **o: door.check(*q, **o),
}


def timed(verb, *args, **options) -> float:
    """Return the seconds that one call takes."""
    begin = time.process_time()  # of the processor: other work on the machine does not count
    verb(*args, **options)
    return time.process_time() - begin


def collections(n: int, runs: int, queries: int, depth: int) -> None:
    """Print the cost of by="collection" against a loop by hand."""
    parts = [make(Shape(runs, queries, depth, 20, 60, 150, 20_000), seed=seed) for seed in range(n)]
    both = [
        pd.concat(
            [part[i].assign(collection=f"c{at:02d}") for at, part in enumerate(parts)],
            ignore_index=True,
        )
        for i in (0, 1)
    ]
    print(f"\n{n} collections, {len(both[0]):,} rows")
    for name, verb in VERBS.items():
        verb(parts[0][0].ireval, parts[0][1])
        single = whole = np.inf
        for _ in range(2):  # the better of two, one after the other
            single = min(single, sum(timed(verb, r.ireval, q) for r, q in parts))
            whole = min(whole, timed(verb, both[0].ireval, both[1], by="collection"))
        print(
            f"{name:10}  single {single:6.2f} s  by {whole:6.2f} s  ratio {whole / single:.2f}",
            flush=True,
        )


def segments(users: int, n: int) -> None:
    """Print the cost of groups of users against the call without groups."""
    runs, qrels = make(Shape(5, users, 20, 5, 20, 60, 4000))
    ids = pd.Series(qrels["query_id"].unique())
    about = pd.DataFrame(
        {"query_id": ids, "segment": np.random.default_rng(0).integers(0, n, len(ids))}
    )
    print(f"\n{users:,} users in {n} segments, {len(runs):,} rows")
    for name, verb in VERBS.items():
        verb(runs.ireval, qrels)
        whole = grouped = np.inf
        for _ in range(2):
            whole = min(whole, timed(verb, runs.ireval, qrels))
            grouped = min(grouped, timed(verb, runs.ireval, qrels, by="segment", metadata=about))
        print(
            f"{name:10}  whole {whole:6.2f} s  by {grouped:6.2f} s  ratio {grouped / whole:.2f}",
            flush=True,
        )


def stacked(users: int, n: int) -> None:
    """Print the cost of many small collections with the same query ids against the call without groups."""
    runs, qrels = make(Shape(5, users, 20, 5, 20, 60, 4000))
    place = pd.Series(np.arange(users), index=qrels["query_id"].unique())
    size = users // n
    parts = [
        frame.assign(
            collection=(at := place.loc[frame["query_id"]].to_numpy()) // size, query_id=at % size
        )
        for frame in (runs, qrels)
    ]
    print(f"\n{n} stacked collections of {size} queries, {len(runs):,} rows")
    for name in ("measure", "summary", "compare", "order RPP"):
        whole = timed(VERBS[name], runs.ireval, qrels)
        grouped = timed(VERBS[name], parts[0].ireval, parts[1], by="collection")
        print(
            f"{name:10}  whole {whole:6.2f} s  by {grouped:6.2f} s  ratio {grouped / whole:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller tables")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    segments(*((2_000, 50) if quick else (20_000, 500)))
    stacked(*((2_000, 50) if quick else (20_000, 500)))
    collections(*((4, 20, 50, 40) if quick else (18, 60, 100, 46)))
