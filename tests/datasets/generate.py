"""Generator of the sample collection of `pdeval.datasets`, from a seed: `python -m tests.datasets.generate`.

The score of a candidate is `skill * topicality + noise`. Systems of one family and of one model share noise, so their
rankings are more similar. Only sums, products, rounding and stable sorts of seeded draws are used, so the tables are
the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.datasets.sample import FOLDER
from pdeval.files.atomic_write import replacing

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
    columns=[
        "run",
        "model",
        "family",
        "seed",
        "year",
        "skill",
        "offset",
        "scale",
        "decimals",
        "pooled",
    ],
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
    candidates = np.argsort(rng.random((len(QUERIES), COLLECTION)), axis=1, kind="stable")[
        :, :CANDIDATES
    ]
    topicality = rng.standard_normal((len(QUERIES), CANDIDATES))
    utility = utilities(rng, topicality)
    # (systems, queries, ranks): the candidate at each rank
    order = np.argsort(-utility, axis=2, kind="stable")[:, :, :DEPTH]
    return {
        "runs": run_table(order, utility, candidates, docs),
        "qrels": qrels_table(order, subtopic_grades(rng, topicality), candidates, docs),
        "metadata": pa.table(
            {
                **{
                    name: pa.array(SYSTEMS[name].tolist(), pa.large_string())
                    for name in ("run", "model", "family")
                },
                **{name: pa.array(SYSTEMS[name].tolist(), pa.int64()) for name in ("seed", "year")},
            }
        ),
    }


def write(folder: Path, tables: Mapping[str, pa.Table]) -> list[Path]:
    """Write tables as parquet files, and return their paths."""
    import pyarrow.parquet as pq

    folder.mkdir(exist_ok=True)
    paths = []
    for name, table in tables.items():
        paths.append(folder / f"{name}.parquet")
        with replacing(paths[-1]) as beside:
            pq.write_table(table, beside, compression="zstd", compression_level=19)
    return paths


def doc_ids(rng: np.random.Generator) -> np.ndarray:
    """Return the ids of the collection: three sources with different styles of numbering."""
    source = rng.random(COLLECTION)
    number = np.argsort(rng.random(COLLECTION), kind="stable")
    styles = ["doc-{0:05d}", "news-{1}-{2:03d}", "web{3:02d}.{0}"]
    style = (source > 0.5).astype(int) + (source > 0.8)
    return np.array(
        [styles[s].format(n, 2015 + n % 9, n // 9, n % 12) for s, n in zip(style, number)],
        dtype=object,
    )


def utilities(rng: np.random.Generator, topicality: np.ndarray) -> np.ndarray:
    """Return the utility of each candidate to each system: (systems, queries, candidates)."""
    noise = np.zeros((len(SYSTEMS), *topicality.shape))
    # systems of a family, a model and a run share noise
    for column, weight in (("family", 0.55), ("model", 0.5), ("run", 0.45)):
        code, names = pd.factorize(SYSTEMS[column], sort=True)
        noise += weight * rng.standard_normal((len(names), *topicality.shape))[code]
    # some queries are hard for all systems, and some only for one family
    ease = 1 + 0.35 * rng.standard_normal((1, len(QUERIES), 1))
    code, names = pd.factorize(SYSTEMS["family"], sort=True)
    family_ease = 0.15 * rng.standard_normal((len(names), len(QUERIES), 1))[code]
    skill = SYSTEMS["skill"].to_numpy()[:, None, None]
    return skill * np.maximum(ease + family_ease, 0.1) * topicality + noise


def run_table(
    order: np.ndarray, utility: np.ndarray, candidates: np.ndarray, docs: np.ndarray
) -> pa.Table:
    """Return the rankings as a table: run, query_id, doc_id, score, rank."""
    system, query, place = np.meshgrid(*map(np.arange, order.shape), indexing="ij")
    retrieved = utility[system, query, order]
    scales = SYSTEMS[["offset", "scale", "decimals"]].itertuples(index=False)
    scores = [
        np.round(offset + scale * values, int(decimals))
        for values, (offset, scale, decimals) in zip(retrieved, scales)
    ]
    kept = np.ones(order.shape, dtype=bool)
    for run, queries in MISSING.items():
        kept[SYSTEMS["run"].tolist().index(run), np.isin(QUERIES, queries)] = False
    return pa.table(
        {
            "run": repeated(SYSTEMS["run"], system[kept]),
            "query_id": repeated(QUERIES, query[kept]),
            "doc_id": pa.array(docs[candidates[query, order]][kept], pa.large_string()),
            "score": np.stack(scores)[kept],
            "rank": place[kept].astype(np.int64) + 1,
        }
    )


def subtopic_grades(rng: np.random.Generator, topicality: np.ndarray) -> np.ndarray:
    """Return the true grades: (queries, subtopics, candidates); -1 for a subtopic that a query does not have."""
    n_queries, n_candidates = topicality.shape
    count = 2 + (4 * rng.random((n_queries,))).astype(np.int64)
    relevant = 8 + (64 * rng.random((n_queries,)) ** 2).astype(np.int64)
    # argsort of argsort: the rank of each candidate
    place = np.argsort(np.argsort(-topicality, axis=1, kind="stable"), axis=1, kind="stable")
    share = (place + 3 * rng.random(place.shape)) / relevant[:, None]
    grade = (share < 1.0).astype(int) + (share < 0.45) + (share < 0.18)
    first = (count[:, None] * rng.random(place.shape) ** 2).astype(np.int64)
    second = (count[:, None] * rng.random(place.shape)).astype(np.int64)
    grades = np.zeros((n_queries, count.max(), n_candidates), dtype=np.int64)
    query, candidate = np.indices(place.shape)
    # a smaller grade for a second subtopic, unless it is the first
    grades[query, second, candidate] = (grade * rng.random(place.shape)).astype(np.int64)
    grades[query, first, candidate] = grade
    grades[np.arange(count.max()) >= count[:, None]] = -1
    return grades


def qrels_table(
    order: np.ndarray, grades: np.ndarray, candidates: np.ndarray, docs: np.ndarray
) -> pa.Table:
    """Return the judgments of the pooled items: query_id, doc_id, relevance, subtopic."""
    pooled = np.zeros(candidates.shape, dtype=bool)
    top = order[SYSTEMS["pooled"].to_numpy(), :, :POOL_DEPTH]
    pooled[np.indices(top.shape)[1], top] = True
    query, subtopic, candidate = np.nonzero((grades >= 0) & pooled[:, None, :])
    rows = pd.DataFrame(
        {
            "query": query,
            "doc": docs[candidates[query, candidate]],
            "subtopic": subtopic,
            "grade": grades[query, subtopic, candidate],
        }
    ).sort_values(["query", "doc", "subtopic"])
    return pa.table(
        {
            "query_id": repeated(QUERIES, rows["query"].to_numpy()),
            "doc_id": pa.array(rows["doc"].tolist(), pa.large_string()),
            "relevance": rows["grade"].to_numpy(),
            "subtopic": repeated(
                [str(t + 1) for t in range(grades.shape[1])], rows["subtopic"].to_numpy()
            ),
        }
    )


def repeated(names: Iterable[str], codes: np.ndarray) -> pa.DictionaryArray:
    """Return `names[codes]` as an Arrow dictionary: a pandas categorical."""
    return pa.DictionaryArray.from_arrays(
        pa.array(codes.astype(np.int32)), pa.array(list(names), pa.string())
    )


RECOMMENDATION_SEED = 2026
USERS, ITEMS, RECOMMENDATION_DEPTH, TESTED = 240, 400, 20, 5
GENRES = (
    "action",
    "comedy",
    "crime",
    "documentary",
    "drama",
    "family",
    "horror",
    "romance",
    "sci-fi",
    "war",
)
# fraction of users, smallest and largest number of items in their history
GROUPS = {"new": (0.25, 4, 8), "casual": (0.5, 10, 25), "fan": (0.25, 40, 80)}
AGES = ("18-29", "30-49", "50+")
# model, factors, seed, weights of popularity, taste and noise, whether items of the history are recommended too
RECOMMENDERS = pd.DataFrame(
    [
        ("popular", 0, 0, 1.0, 0.00, 0.00, False),
        ("itemknn", 20, 0, 0.6, 0.25, 0.40, True),
        ("itemknn", 100, 0, 0.7, 0.40, 0.35, False),
        *(("als", 16, seed, 0.4, 0.50, 0.45, False) for seed in (1, 2, 3)),
        *(("als", 64, seed, 0.3, 0.62, 0.45, False) for seed in (1, 2, 3)),
        *(("neural", 64, seed, 0.2, 0.75, 0.45, False) for seed in (1, 2, 3)),
    ],
    columns=["model", "factors", "seed", "popularity", "taste", "noise", "repeats"],
).sort_values(["model", "factors", "seed"], ignore_index=True)


def recommendation_tables(seed: int = RECOMMENDATION_SEED) -> dict[str, pa.Table]:
    """Return the tables by name: recommendations, ratings (tested), history, items and users.

    Examples
    --------
    >>> {name: table.num_rows for name, table in recommendation_tables().items() if name in ("items", "users")}
    {'items': 400, 'users': 240}
    """
    rng = np.random.default_rng(seed)
    genres = item_genres(rng)
    group = np.searchsorted(
        np.cumsum([share for share, _, _ in GROUPS.values()]), rng.random(USERS), side="right"
    )
    affinity = np.zeros(
        (USERS, ITEMS)
    )  # how much a user likes an item, about 0 to 2; added up genre by genre
    for likes, having in zip(tastes(rng).T, genres.T / genres.sum(axis=1), strict=True):
        affinity += likes[:, None] * having
    appeal = 1.0 / (
        np.argsort(np.argsort(rng.random(ITEMS), kind="stable"), kind="stable") + 6.0
    )  # a power law
    liked = (affinity - 0.9) * 1.1 + 0.45 * rng.standard_normal((USERS, ITEMS))
    rating = np.clip(np.round(3.2 + liked), 1, 5).astype(np.int64)
    # the earliest of exponential times at these rates: drawn without replacement, in order
    when = rng.exponential(size=(USERS, ITEMS)) / (appeal * (0.1 + affinity * affinity))
    order = np.argsort(when, axis=1, kind="stable")
    least, most = (np.array([limits[side] for limits in GROUPS.values()])[group] for side in (1, 2))
    had = (least + np.floor((most - least + 1) * rng.random(USERS)).astype(np.int64))[:, None]
    place = np.arange(ITEMS)
    masks = {"history": place < had, "ratings": (place >= had) & (place < had + TESTED)}
    users = [f"u{number:03d}" for number in range(1, USERS + 1)]
    items = [f"i{number:03d}" for number in range(1, ITEMS + 1)]
    ages = np.floor(3 * rng.random(USERS)).astype(np.int64)
    places = {name: np.nonzero(mask) for name, mask in masks.items()}
    rated = {name: (user, order[user, at]) for name, (user, at) in places.items()}
    return {
        "recommendations": _recommended(rng, affinity, appeal, rated["history"], users, items),
        **{
            name: pa.table(
                {
                    "user_id": repeated(users, user),
                    "item_id": repeated(items, item),
                    "rating": pa.array(rating[user, item]),
                }
            )
            for name, (user, item) in rated.items()
        },
        "items": pa.table(
            {
                "item_id": pa.array(items, pa.large_string()),
                "genre": pa.array(
                    ["|".join(np.array(GENRES)[row > 0]) for row in genres], pa.large_string()
                ),
                "year": pa.array(1980 + np.floor(45 * rng.random(ITEMS)).astype(np.int64)),
            }
        ),
        "users": pa.table(
            {
                "user_id": pa.array(users, pa.large_string()),
                "group": repeated(GROUPS, group),
                "age": repeated(AGES, ages),
            }
        ),
    }


def item_genres(rng: np.random.Generator) -> np.ndarray:
    """Return the genres of each item as a matrix of 0 and 1: one to three per item, some more frequent."""
    usual = 1.0 / (np.arange(len(GENRES)) + 2.0)
    order = np.argsort(rng.exponential(size=(ITEMS, len(GENRES))) / usual, axis=1, kind="stable")
    many = 1 + np.floor(3 * rng.random(ITEMS) ** 2).astype(np.int64)
    genres = np.zeros((ITEMS, len(GENRES)))
    item, place = np.nonzero(np.arange(len(GENRES)) < many[:, None])
    genres[item, order[item, place]] = 1.0
    return genres


def tastes(rng: np.random.Generator) -> np.ndarray:
    """Return the preference of each user for each genre: large for two or three genres, small for the others."""
    order = np.argsort(rng.random((USERS, len(GENRES))), axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    return 2.0 / (1.0 + rank) + 0.2 * rng.random((USERS, len(GENRES)))


def _recommended(
    rng: np.random.Generator,
    affinity: np.ndarray,
    appeal: np.ndarray,
    history: tuple[np.ndarray, np.ndarray],
    users: list[str],
    items: list[str],
) -> pa.Table:
    """Return the recommendations of each run: model, factors, seed, user_id, item_id, score."""
    known = 2.0 * np.argsort(np.argsort(appeal, kind="stable"), kind="stable") / ITEMS
    shared = {
        model: rng.standard_normal((USERS, ITEMS)) for model in dict.fromkeys(RECOMMENDERS["model"])
    }
    parts = []
    for model, popularity, taste, noisy, repeats in zip(
        *(
            RECOMMENDERS[name].tolist()
            for name in ("model", "popularity", "taste", "noise", "repeats")
        ),
        strict=True,
    ):
        noise = 0.6 * shared[model] + 0.8 * rng.standard_normal((USERS, ITEMS))
        score = popularity * known * known + taste * affinity + noisy * noise
        if not repeats:
            score[history] = -9.0
        order = np.argsort(-score, axis=1, kind="stable")[:, :RECOMMENDATION_DEPTH]
        parts.append((order, np.round(np.take_along_axis(score, order, axis=1), 3)))
    item, score = (np.stack(side) for side in zip(*parts, strict=True))
    run, user, _ = (axis.ravel() for axis in np.indices(item.shape))
    return pa.table(
        {
            "model": repeated(
                dict.fromkeys(RECOMMENDERS["model"]), pd.factorize(RECOMMENDERS["model"])[0][run]
            ),
            "factors": pa.array(RECOMMENDERS["factors"].to_numpy()[run]),
            "seed": pa.array(RECOMMENDERS["seed"].to_numpy()[run]),
            "user_id": repeated(users, user),
            "item_id": repeated(items, item.ravel()),
            "score": pa.array(score.ravel()),
        }
    )


if __name__ == "__main__":
    for path in write(FOLDER, {**tables(), **recommendation_tables()}):
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
