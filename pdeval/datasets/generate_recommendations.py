"""Makes the recommendations of `pdeval.datasets` from a seed: users with tastes, items of genres, models that guess.

Users take items by taste and by a power law of popularity. A model scores the items of a user by popularity, by taste
as far as it knows it, and by noise: shared by all runs of a model, and each run's own. Only sums, products,
divisions, roundings and stable sorts of seeded draws are used: the tables are the same on every machine.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.datasets.generate import repeated, written

SEED = 2026
USERS, ITEMS, DEPTH, TESTED = 240, 400, 20, 5
GENRES = ("action", "comedy", "crime", "documentary", "drama", "family", "horror", "romance", "sci-fi", "war")
# share of users, least and most items that they had
GROUPS = {"new": (0.25, 4, 8), "casual": (0.5, 10, 25), "fan": (0.25, 40, 80)}
AGES = ("18-29", "30-49", "50+")
# model, factors, seed, weight of popularity, of taste, of noise, whether it also shows what the user has
SYSTEMS = pd.DataFrame(
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


def recommendation_tables(seed: int = SEED) -> dict[str, pa.Table]:
    """Return the tables by name: recommendations, ratings (tested), history, items and users.

    Examples
    --------
    >>> {name: table.num_rows for name, table in recommendation_tables().items() if name in ("items", "users")}
    {'items': 400, 'users': 240}
    """
    rng = np.random.default_rng(seed)
    genres = item_genres(rng)
    group = np.searchsorted(np.cumsum([share for share, _, _ in GROUPS.values()]), rng.random(USERS), side="right")
    affinity = np.zeros((USERS, ITEMS))  # how much a user likes an item, about 0 to 2; added up genre by genre
    for likes, having in zip(tastes(rng).T, genres.T / genres.sum(axis=1), strict=True):
        affinity += likes[:, None] * having
    appeal = 1.0 / (np.argsort(np.argsort(rng.random(ITEMS), kind="stable"), kind="stable") + 6.0)  # a power law
    liked = (affinity - 0.9) * 1.1 + 0.45 * rng.standard_normal((USERS, ITEMS))
    rating = np.clip(np.round(3.2 + liked), 1, 5).astype(np.int64)
    # the soonest of exponential times at these rates: taken without replacement, in order
    when = rng.exponential(size=(USERS, ITEMS)) / (appeal * (0.1 + affinity * affinity))
    order = np.argsort(when, axis=1, kind="stable")
    least, most = (np.array([one[at] for one in GROUPS.values()])[group] for at in (1, 2))
    had = least + np.floor((most - least + 1) * rng.random(USERS)).astype(np.int64)
    place = np.arange(ITEMS)
    before, after = (place < had[:, None]), (place >= had[:, None]) & (place < had[:, None] + TESTED)
    users, items = [f"u{at:03d}" for at in range(1, USERS + 1)], [f"i{at:03d}" for at in range(1, ITEMS + 1)]
    ages = np.floor(3 * rng.random(USERS)).astype(np.int64)
    taken = {name: np.nonzero(mask) for name, mask in (("history", before), ("ratings", after))}
    rated = {name: (user, order[user, at]) for name, (user, at) in taken.items()}
    return {
        "recommendations": _recommended(rng, affinity, appeal, rated["history"], users, items),
        **{name: _rated(user, item, rating, users, items) for name, (user, item) in rated.items()},
        "items": pa.table(
            {
                "item_id": pa.array(items, pa.large_string()),
                "genre": pa.array(["|".join(np.array(GENRES)[row > 0]) for row in genres], pa.large_string()),
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
    """Return which genres each item has: one to three, some more usual than others."""
    usual = 1.0 / (np.arange(len(GENRES)) + 2.0)
    order = np.argsort(rng.exponential(size=(ITEMS, len(GENRES))) / usual, axis=1, kind="stable")
    many = 1 + np.floor(3 * rng.random(ITEMS) ** 2).astype(np.int64)
    genres = np.zeros((ITEMS, len(GENRES)))
    item, place = np.nonzero(np.arange(len(GENRES)) < many[:, None])
    genres[item, order[item, place]] = 1.0
    return genres


def tastes(rng: np.random.Generator) -> np.ndarray:
    """Return how much each user likes each genre: two or three very much, the others little."""
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
    """Return what each run shows each user: model, factors, seed, user_id, item_id, score."""
    known = 2.0 * np.argsort(np.argsort(appeal, kind="stable"), kind="stable") / ITEMS
    shared = {model: rng.standard_normal((USERS, ITEMS)) for model in dict.fromkeys(SYSTEMS["model"])}
    parts = []
    for model, popularity, taste, noisy, repeats in zip(
        *(SYSTEMS[name].tolist() for name in ("model", "popularity", "taste", "noise", "repeats")), strict=True
    ):
        noise = 0.6 * shared[model] + 0.8 * rng.standard_normal((USERS, ITEMS))
        score = popularity * known * known + taste * affinity + noisy * noise
        if not repeats:
            score[history] = -9.0
        order = np.argsort(-score, axis=1, kind="stable")[:, :DEPTH]
        parts.append((order, np.round(np.take_along_axis(score, order, axis=1), 3)))
    item, score = (np.stack(side) for side in zip(*parts, strict=True))
    run, user, _ = (axis.ravel() for axis in np.indices(item.shape))
    return pa.table(
        {
            "model": repeated(dict.fromkeys(SYSTEMS["model"]), pd.factorize(SYSTEMS["model"])[0][run]),
            "factors": pa.array(SYSTEMS["factors"].to_numpy()[run]),
            "seed": pa.array(SYSTEMS["seed"].to_numpy()[run]),
            "user_id": repeated(users, user),
            "item_id": repeated(items, item.ravel()),
            "score": pa.array(score.ravel()),
        }
    )


def _rated(user: np.ndarray, item: np.ndarray, rating: np.ndarray, users: list[str], items: list[str]) -> pa.Table:
    return pa.table(
        {"user_id": repeated(users, user), "item_id": repeated(items, item), "rating": pa.array(rating[user, item])}
    )


def write_recommendations(folder: Path) -> list[Path]:
    """Write the tables as parquet files and return their paths."""
    return written(folder, recommendation_tables())
