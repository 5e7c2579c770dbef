"""TREC-shaped tables of any size, from a seed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd


class Shape(NamedTuple):
    """How large a table is: runs x queries x depth, and what is judged."""

    runs: int
    queries: int
    depth: int
    relevant: int
    judged: int = 400
    pool: int = 4000
    documents: int = 528_155


SHAPES = {
    "one run": Shape(1, 50, 1000, 70),
    "small": Shape(20, 50, 1000, 70),
    "medium": Shape(110, 249, 1000, 70),
    "recommender": Shape(21, 6005, 100, 19, judged=40, pool=600, documents=3706),
}


def make(shape: Shape, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a run table and judgments; every fourth run has tied scores, and better runs find relevant items sooner.

    Each query draws its own pool of documents; a run ranks the pool by a noisy signal of relevance.
    """
    rng = np.random.default_rng(seed)
    names = np.array([f"FT{911 + i % 84}-{i:06d}" for i in range(shape.documents)], dtype=object)
    query_ids = np.array([f"{301 + q}" for q in range(shape.queries)], dtype=object)
    quality = np.linspace(0.4, 1.6, shape.runs) if shape.runs > 1 else np.ones(1)
    docs, scores, judged = [], [], []
    for query in range(shape.queries):
        pool = rng.choice(len(names), size=shape.pool, replace=False)
        relevant = np.zeros(shape.pool)
        count = max(1, int(rng.gamma(1.5, shape.relevant / 1.5)))
        count = min(count, shape.judged - 1)
        relevant[:count] = rng.integers(1, 4, size=count)
        judged.append(
            pd.DataFrame(
                {"query": query, "doc": pool[: shape.judged], "grade": relevant[: shape.judged]}
            )
        )
        signal = quality[:, None] * (relevant > 0) + rng.normal(size=(shape.runs, shape.pool))
        top = np.argpartition(-signal, shape.depth - 1, axis=1)[:, : shape.depth]
        value = np.take_along_axis(signal, top, axis=1)
        order = np.argsort(-value, axis=1)
        docs.append(pool[np.take_along_axis(top, order, axis=1)])
        scores.append(np.take_along_axis(value, order, axis=1))
    score = np.stack(scores, axis=1)
    score[::4] = np.round(score[::4], 2)
    doc = np.stack(docs, axis=1)
    run, query = np.divmod(
        np.repeat(np.arange(shape.runs * shape.queries), shape.depth), shape.queries
    )
    runs = pd.DataFrame(
        {
            "run": _texts(np.array([f"run{i:03d}" for i in range(shape.runs)], dtype=object), run),
            "query_id": _texts(query_ids, query),
            "doc_id": _texts(names, doc.ravel()),
            "score": np.round(score.ravel(), 6),
        }
    )
    table = pd.concat(judged, ignore_index=True)
    qrels = pd.DataFrame(
        {
            "query_id": _texts(query_ids, table["query"].to_numpy()),
            "doc_id": _texts(names, table["doc"].to_numpy()),
            "relevance": table["grade"].astype(int),
        }
    )
    return runs, qrels


def _texts(names: np.ndarray, codes: np.ndarray) -> pd.Series:
    """Return names[codes] as the text type that pandas gives by default."""
    import pyarrow as pa

    taken = pa.array(names).take(pa.array(codes))
    if pd.__version__ < "3":
        return taken.to_pandas()
    return pd.Series(pd.array(taken.cast(pa.large_string()), dtype="str"))
