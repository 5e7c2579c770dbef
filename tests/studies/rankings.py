"""Rankings written as the ranks of their relevant items, joined: what the agreement tests are made of."""

import math

import numpy as np
import pandas as pd

import pdeval  # noqa: F401
from pdeval.join.judged import Judged

inf = math.inf


def judged(queries: dict[str, dict[str, list[float]]], *, length: int = 20) -> Judged:
    """Join rankings given as {query: {run: sorted ranks of its relevant items}}; infinity is not retrieved.

    A run without ranks (None) did not answer.
    """
    rows, items = [], []
    for query, runs in queries.items():
        m = max(len(ranks) for ranks in runs.values() if ranks is not None)
        items += [(query, f"r{i}", 1) for i in range(m)]
        for run, ranks in runs.items():
            if ranks is None:
                continue
            at = {rank: f"r{i}" for i, rank in enumerate(ranks) if rank < inf}
            rows += [
                (run, query, at.get(rank, f"{run}-{rank}"), -rank) for rank in range(1, length + 1)
            ]
    table = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    qrels = pd.DataFrame(items, columns=["query_id", "doc_id", "relevance"])
    return table.ireval.join(qrels)


def random_judged(rng: np.random.Generator, *, queries: int, runs: int, length: int = 8) -> Judged:
    """Join random rankings, short enough that many of their ranks are equal."""
    made = {}
    for query in range(queries):
        m = int(rng.integers(1, 5))
        made[f"q{query}"] = {
            f"run{run}": sorted(
                float(rank) if rng.random() < 0.8 else inf
                for rank in rng.choice(length, m, replace=False) + 1
            )
            for run in range(runs)
        }
    return judged(made, length=length)
