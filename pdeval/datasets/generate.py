"""Makes the sample collection of `pdeval.datasets` from a seed.

Every system scores every candidate of a query by `skill * topicality + noise`; the noise is shared within
its family and its model, so that relatives agree more than strangers. Only sums, products, roundings and stable
sorts of seeded draws are used: the tables are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.mechanics.whole_files import replacing

SEED = 2024
QUERIES = [str(n) for n in range(101, 151)]
COLLECTION, CANDIDATES, DEPTH = 6000, 400, 100
POOL_DEPTH = 20
MISSING = {"ql": ("117", "138")}

# run, model, family, seed, year, skill, scores as offset + scale * utility, decimals kept, in the pool
SYSTEMS = pd.DataFrame(
    [
        ("tfidf", "tfidf", "lexical", 0, 1998, 0.46, 6.0, 2.0, 1, True),
        ("ql", "ql", "lexical", 0, 2004, 0.62, -7.0, 0.4, 4, True),
        ("bm25", "bm25", "lexical", 0, 2004, 0.65, 18.0, 4.0, 1, True),
        ("bm25+rm3", "bm25+rm3", "lexical", 0, 2008, 0.73, 18.0, 4.0, 1, True),
        ("splade-s1", "splade", "sparse", 1, 2022, 0.97, 22.0, 4.0, 2, True),
        ("splade-s2", "splade", "sparse", 2, 2022, 0.94, 22.0, 4.0, 2, True),
        ("dense-s1", "dense", "dense", 1, 2021, 0.84, 0.72, 0.04, 4, True),
        ("dense-s2", "dense", "dense", 2, 2021, 0.86, 0.72, 0.04, 4, True),
        ("dense-s3", "dense", "dense", 3, 2021, 0.80, 0.72, 0.04, 4, False),
        ("hybrid", "hybrid", "fusion", 0, 2023, 1.06, 0.5, 0.1, 4, True),
        ("rerank-s1", "rerank", "reranker", 1, 2024, 1.30, 0.0, 2.0, 3, False),
        ("rerank-s2", "rerank", "reranker", 2, 2024, 1.26, 0.0, 2.0, 3, False),
    ],
    columns=["run", "model", "family", "seed", "year", "skill", "offset", "scale", "decimals", "pooled"],
).sort_values("run", ignore_index=True)


def tables(seed: int = SEED) -> dict[str, pa.Table]:
    """Return the tables of the sample collection by name: runs, qrels (with subtopics), metadata.

    Examples
    --------
    >>> tables()["metadata"].num_rows
    12
    """
    rng = np.random.default_rng(seed)
    docs = doc_ids(rng)
    candidates = np.argsort(rng.random((len(QUERIES), COLLECTION)), axis=1, kind="stable")[:, :CANDIDATES]
    topicality = rng.standard_normal((len(QUERIES), CANDIDATES))
    utility = utilities(rng, topicality)
    order = np.argsort(-utility, axis=2, kind="stable")[:, :, :DEPTH]
    runs = run_table(order, utility, candidates, docs)
    grades = subtopic_grades(rng, topicality)
    qrels = qrels_table(order, grades, candidates, docs)
    return {"runs": runs, "qrels": qrels, "metadata": metadata_table()}


def write(folder: Path) -> list[Path]:
    """Write the tables as parquet files and return their paths."""
    return written(folder, tables())


def written(folder: Path, made: Mapping[str, pa.Table]) -> list[Path]:
    """Write tables as parquet files, by name, and return their paths."""
    import pyarrow.parquet as pq

    folder.mkdir(exist_ok=True)
    paths = []
    for name, table in made.items():
        paths.append(folder / f"{name}.parquet")
        with replacing(paths[-1]) as beside:
            pq.write_table(table, beside, compression="zstd", compression_level=19)
    return paths


def doc_ids(rng: np.random.Generator) -> np.ndarray:
    """Return the ids of the collection: three sources, each with its own style of numbering."""
    source = rng.random(COLLECTION)
    number = np.argsort(rng.random(COLLECTION), kind="stable")
    styles = ["doc-{0:05d}", "news-{1}-{2:03d}", "web{3:02d}.{0}"]
    style = (source > 0.5).astype(int) + (source > 0.8)
    return np.array([styles[s].format(n, 2015 + n % 9, n // 9, n % 12) for s, n in zip(style, number)], dtype=object)


def utilities(rng: np.random.Generator, topicality: np.ndarray) -> np.ndarray:
    """Return how much each system likes each candidate: (systems, queries, candidates)."""
    noise = np.zeros((len(SYSTEMS), *topicality.shape))
    for column, weight in (("family", 0.55), ("model", 0.5), ("run", 0.45)):
        code, names = pd.factorize(SYSTEMS[column], sort=True)
        noise += weight * rng.standard_normal((len(names), *topicality.shape))[code]
    # some queries are hard for everyone, and each family finds some harder than others do
    ease = 1 + 0.35 * rng.standard_normal((1, len(QUERIES), 1))
    code, names = pd.factorize(SYSTEMS["family"], sort=True)
    own = 0.15 * rng.standard_normal((len(names), len(QUERIES), 1))[code]
    skill = SYSTEMS["skill"].to_numpy()[:, None, None]
    return skill * np.maximum(ease + own, 0.1) * topicality + noise


def run_table(order: np.ndarray, utility: np.ndarray, candidates: np.ndarray, docs: np.ndarray) -> pa.Table:
    """Return the rankings as a table: run, query_id, doc_id, score, rank."""
    system, query, place = axes(order.shape)
    chosen = utility[system, query, order]
    parts = []
    for s, (offset, scale, decimals) in enumerate(SYSTEMS[["offset", "scale", "decimals"]].itertuples(index=False)):
        parts.append(np.round(offset + scale * chosen[s], int(decimals)))
    kept = np.ones(order.shape, dtype=bool)
    for run, queries in MISSING.items():
        kept[SYSTEMS["run"].tolist().index(run), np.isin(QUERIES, queries)] = False
    return pa.table(
        {
            "run": repeated(SYSTEMS["run"], system[kept]),
            "query_id": repeated(QUERIES, query[kept]),
            "doc_id": pa.array(docs[candidates[query, order]][kept], pa.large_string()),
            "score": np.stack(parts)[kept],
            "rank": place[kept] + 1,
        }
    )


def subtopic_grades(rng: np.random.Generator, topicality: np.ndarray) -> np.ndarray:
    """Return the true grades: (queries, subtopics, candidates); -1 for a subtopic the query does not have."""
    n_queries, n_candidates = topicality.shape
    count = 2 + whole(4 * rng.random(n_queries))
    relevant = 8 + whole(64 * rng.random(n_queries) ** 2)
    place = np.argsort(np.argsort(-topicality, axis=1, kind="stable"), axis=1, kind="stable")
    share = (place + 3 * rng.random(place.shape)) / relevant[:, None]
    grade = (share < 1.0).astype(int) + (share < 0.45) + (share < 0.18)
    first = whole(count[:, None] * rng.random(place.shape) ** 2)
    second = whole(count[:, None] * rng.random(place.shape))
    lesser = whole(grade * rng.random(place.shape))
    grades = np.zeros((n_queries, count.max(), n_candidates), dtype=np.int64)
    query, candidate = axes(place.shape)
    grades[query, second, candidate] = lesser
    grades[query, first, candidate] = grade
    grades[np.arange(count.max()) >= count[:, None]] = -1
    return grades


def qrels_table(order: np.ndarray, grades: np.ndarray, candidates: np.ndarray, docs: np.ndarray) -> pa.Table:
    """Return the judgments of the pooled items: query_id, doc_id, relevance, subtopic."""
    pooled = np.zeros(candidates.shape, dtype=bool)
    top = order[SYSTEMS["pooled"].to_numpy(), :, :POOL_DEPTH]
    pooled[axes(top.shape)[1], top] = True
    query, subtopic, candidate = np.nonzero((grades >= 0) & pooled[:, None, :])
    doc = docs[candidates[query, candidate]]
    sort = pd.DataFrame({"query": query, "doc": doc, "subtopic": subtopic}).sort_values(["query", "doc", "subtopic"])
    query, subtopic, candidate, doc = (a[sort.index] for a in (query, subtopic, candidate, doc))
    return pa.table(
        {
            "query_id": repeated(QUERIES, query),
            "doc_id": pa.array(doc, pa.large_string()),
            "relevance": grades[query, subtopic, candidate],
            "subtopic": repeated([str(t + 1) for t in range(grades.shape[1])], subtopic),
        }
    )


def axes(shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return the index of every cell along each axis."""
    return list(np.indices(shape, dtype=np.int64))


def whole(values: Any) -> np.ndarray:
    """Return the values cut to whole numbers."""
    return values.astype(np.int64)


def metadata_table() -> pa.Table:
    """Return what the systems are as a table: run, model, family, seed, year."""
    texts = {name: pa.array(SYSTEMS[name].tolist(), pa.large_string()) for name in ("run", "model", "family")}
    return pa.table({**texts, **{name: pa.array(SYSTEMS[name].tolist(), pa.int64()) for name in ("seed", "year")}})


def repeated(names: Iterable[str], codes: np.ndarray) -> pa.DictionaryArray:
    """Return `names[codes]` as an Arrow dictionary: a pandas categorical."""
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(list(names), pa.string()))
