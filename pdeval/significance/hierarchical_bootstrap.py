"""The hierarchical bootstrap: means over collections and their queries, with intervals for both levels.

Each draw is studentized: its distance from the observed mean is divided by its own standard error. Drawing collections
and then queries counts the variance of the queries twice, in the means of the collections and in the drawn queries. So
does the standard error of each draw, so the ratio has the correct level. Percentiles of the means would be too wide.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Self, TypeAlias

import numpy as np

from pdeval.evaluate import chunks
from pdeval.significance.max_t import critical_value
from pdeval.tables import NOISE, describe, ratio
from pdeval.verbs import track

Over = Literal["collections", "queries"]
Estimate: TypeAlias = dict[
    str, np.ndarray
]  # mean, se, ci_low, ci_high, p_value: one value per pair
WIDTH = 512  # pairs that are drawn together: their draws stay in the cache


def macro_and_micro(
    parts: Sequence[np.ndarray],
    *,
    over: Over = "collections",
    confidence: float = 0.95,
    draws: int = 2000,
    seed: int | None = 0,
    progress: bool | None = False,
) -> tuple[Estimate, Estimate]:
    """Return the mean over collections of their means, and the mean over all queries, for each column.

    Parameters
    ----------
    parts : list of ndarray of shape (queries, pairs)
        Differences in each collection, NaN if a query does not count for a pair. A collection counts for a pair if at
        least two of its queries do.
    over : {'collections', 'queries'}
        Whether to draw collections and then queries of each, or only queries of the given collections.

    Notes
    -----
    Over collections, the mean over all queries is descriptive: its interval and p-value are NaN. If a draw has none of
    the queries of a pair in a collection, the mean of the pair in this collection is the observed one.

    Examples
    --------
    >>> parts = [np.array([[0.1], [0.3]]), np.array([[0.0], [0.2], [0.1]]), np.array([[0.4], [0.2]])]
    >>> macro, micro = macro_and_micro(parts)
    >>> macro["mean"].round(3).tolist(), micro["mean"].round(3).tolist(), (macro["ci_low"] < 0).tolist()
    ([0.2], [0.186], [True])
    """
    n, mean, sd = map(np.stack, zip(*map(describe, parts), strict=True))
    there = n > 1
    n, mean = np.where(there, n, 0), np.where(there, mean, 0.0)
    variance = np.where(there, np.square(sd) / np.maximum(n, 1), 0.0)
    # macro weighs collections equally, micro by their queries
    weights = [there.astype(np.float64), n.astype(np.float64)]
    centers = [
        np.where(there.any(axis=0), ratio((w * mean).sum(axis=0), w.sum(axis=0)), np.nan)
        for w in weights
    ]
    if over == "collections" or (n == n.max(axis=0)).all():
        # only macro is drawn; macro and micro are equal if all collections have the same size
        weights = weights[:1]
    errors = [_standard_error(weight, mean, variance, there, over) for weight in weights]
    distance = np.full((len(weights), draws, there.shape[1]), np.nan)
    # pairs with the same collections are drawn together; most tables have one or a few such sets
    patterns, member = np.unique(there, axis=1, return_inverse=True)
    sets = [
        (np.flatnonzero(patterns[:, i]), np.flatnonzero(member.ravel() == i))
        for i in range(patterns.shape[1])
    ]
    blocks = [
        (kept, pairs[at : at + WIDTH])
        for kept, pairs in sets
        if len(kept) > (over == "collections")
        for at in range(0, len(pairs), WIDTH)
    ]
    for kept, pairs in track(blocks, desc="conclusion", progress=progress):
        collections = [
            _Part.of(parts[c][:, pairs], mean[c, pairs], n[c, pairs]) for c in kept.tolist()
        ]
        drawn = []
        for size, chunk in chunks(draws, seed):
            rng = np.random.default_rng(chunk)
            drawn.append(
                _drawn_collections(collections, size, rng)[None]
                if over == "collections"
                else _drawn_queries(collections, size, rng, len(weights))
            )
        distance[:, :, pairs] = np.concatenate(drawn, axis=1)
    made = [_estimate(*one, confidence) for one in zip(centers, errors, distance)]
    if over == "collections":
        # few large collections dominate the micro mean, so no interval of it has the correct level
        unknown = np.full(there.shape[1], np.nan)
        return made[0], dict.fromkeys(made[0], unknown) | {"mean": centers[1]}
    return made[0], made[-1]


class _Part(NamedTuple):
    """The differences of some pairs in one collection minus their mean; 0 if a query does not count."""

    away: np.ndarray
    counted: np.ndarray | None
    mean: np.ndarray
    size: np.ndarray

    @classmethod
    def of(cls, differences: np.ndarray, mean: np.ndarray, size: np.ndarray) -> Self:
        counted = ~np.isnan(differences)
        away = np.where(counted, differences - mean, 0.0)
        return cls(away, None if counted.all() else counted * 1.0, mean, size)

    def drawn(
        self, times: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray | float, np.ndarray]:
        """Return the means (times, pairs) of drawn queries, the number of queries, and how often each was drawn."""
        queries = len(self.away)
        # often[t, q]: how often draw t has query q; one bincount over all (draw, query) cells
        place = rng.integers(queries, size=(times, queries)) + queries * np.arange(times)[:, None]
        often = (
            np.bincount(place.ravel(), minlength=times * queries)
            .reshape(times, queries)
            .astype(np.float64)
        )
        n = float(queries) if self.counted is None else np.maximum(often @ self.counted, 1.0)
        return often @ self.away / n, n, often


def _standard_error(
    weight: np.ndarray, mean: np.ndarray, variance: np.ndarray, there: np.ndarray, over: Over
) -> np.ndarray:
    """Return the standard error of the weighted mean of collections; NaN if there are too few.

    Over collections it is the standard error of a ratio of two sums; with equal weights, of a mean.
    """
    k, total = there.sum(axis=0), weight.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if over == "queries":
            return np.sqrt((np.square(weight) * variance).sum(axis=0)) / total
        center = (weight * mean).sum(axis=0) / total
        square = np.square(weight * (mean - center)).sum(axis=0)
        return np.sqrt(k / (k - 1) * square) / total


def _drawn_collections(parts: list[_Part], draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return studentized distances (draws, pairs) of the macro mean; collections are drawn, then their queries."""
    k = len(parts)
    place = rng.integers(k, size=(draws, k))
    observed = np.stack([part.mean for part in parts]).sum(axis=0) / k
    total, squares = np.zeros((2, draws, len(observed)))
    for c, part in enumerate(parts):
        times = (place == c).sum(axis=1)
        # the queries of all draws of this collection are drawn at once; those of a draw begin at `first`
        with_it = np.flatnonzero(times)
        first = np.append(0, np.cumsum(times[with_it]))[:-1]
        means = part.mean + part.drawn(int(times.sum()), rng)[0]
        away = _settled(means - observed, observed)
        total[with_it] += np.add.reduceat(away, first, axis=0)
        squares[with_it] += np.add.reduceat(np.square(away), first, axis=0)
    center = total / k
    # the sum of squared distances from the mean of the draw, as in `_standard_error`
    spread = np.maximum(squares - 2 * center * total + np.square(center) * k, 0.0)
    return ratio(center, np.sqrt(k / (k - 1) * spread) / k)


def _drawn_queries(
    parts: list[_Part], draws: int, rng: np.random.Generator, weights: int
) -> np.ndarray:
    """Return studentized distances (weights, draws, pairs); the queries of every collection are drawn."""
    distance, error = np.zeros((2, weights, draws, len(parts[0].mean)))
    total = np.sum([part.size for part in parts], axis=0)
    size = np.max([np.abs(part.mean) for part in parts], axis=0)
    for part in parts:
        away, n, often = part.drawn(draws, rng)
        # variance of the drawn queries about their own mean, over n - 1
        spread = np.maximum(often @ np.square(part.away) / n - np.square(away), 0.0) / np.maximum(
            n - 1, 1.0
        )
        for number in range(weights):
            weight = part.size / total if number else 1 / len(parts)
            distance[number] += weight * away
            error[number] += np.square(weight) * spread
    return ratio(_settled(distance, size), np.sqrt(error))


def _settled(distance: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the distances, with rounding errors set to 0."""
    return np.where(np.abs(distance) <= NOISE * np.abs(size), 0.0, distance)


def _estimate(mean: np.ndarray, se: np.ndarray, drawn: np.ndarray, confidence: float) -> Estimate:
    """Return the symmetric interval and its p-value."""
    size = np.abs(drawn)
    unknown = np.isnan(mean) | np.isnan(se) | np.isnan(drawn).any(axis=0)
    # the interval excludes 0 exactly if p < 1 - confidence; infinite with too few draws
    critical = critical_value(size, 1 - confidence)
    with np.errstate(invalid="ignore"):
        half = np.where(se == 0, 0.0, critical * se)
    p = (1 + (size >= np.abs(ratio(mean, se)) * (1 - NOISE)).sum(axis=0)) / (1 + len(drawn))
    none = np.where(unknown, np.nan, 0.0)
    return {
        "mean": mean,
        "se": se,
        "ci_low": mean - half + none,
        "ci_high": mean + half + none,
        "p_value": p + none,
    }
