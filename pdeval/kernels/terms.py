"""Measures as sums over recall levels: the term of each level, and the weight by which the terms add up to the measure.

Each function is registered for a measure and selects columns by name, as kernels do. It returns the terms, axis 0 the
recall level, larger where the ranking is better, and their weight: `(weight * terms).sum(axis=0)` is the measure, with
its sign turned if lower is better (Diaz & Ferraro 2022, Fig. 4a).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pdeval.kernels.binary import Norm, denominator, seen
from pdeval.kernels.graded import Discount, Gain, Gains
from pdeval.kernels.preferences import Weight, unscaled
from pdeval.kernels.primitives import closer, cut, found, inf, level, share
from pdeval.kernels.search_length import reached
from pdeval.verbs import Registry

Terms = Callable[..., tuple[np.ndarray, Any]]
TERMS: Registry[Terms] = Registry("terms of a measure")


@TERMS.function("AP")
def average_precision(
    rank: np.ndarray, *, norm: Norm = "m", k: float = inf
) -> tuple[np.ndarray, Any]:
    """Precision at each relevant item, i / f_i, weighted 1/m, or by another norm."""
    return level(rank) / cut(rank, k), 1 / denominator(len(rank), norm, k)


@TERMS.function("P")
def precision(rank: np.ndarray, retrieved: np.ndarray, *, k: float = inf) -> tuple[np.ndarray, Any]:
    """One k-th of each relevant item that is found down to rank k; without a cutoff, of all retrieved items."""
    return share(found(rank, k), seen(retrieved, k)), 1.0


@TERMS.function("R")
def recall(rank: np.ndarray, *, k: float = inf) -> tuple[np.ndarray, Any]:
    """1 for each relevant item that is found down to rank k, weighted 1/m."""
    return found(rank, k).astype(np.float64), 1 / len(rank)


@TERMS.function("RBP")
def rank_biased_precision(
    rank: np.ndarray, *, p: float = 0.8, k: float = inf
) -> tuple[np.ndarray, Any]:
    """p^f_i, weighted (1 - p) / p."""
    return (p ** cut(rank, k), (1 - p) / p) if p else (p ** (cut(rank, k) - 1), 1.0)


@TERMS.function("RR")
def reciprocal_rank(rank: np.ndarray, *, i: int = 1, k: float = inf) -> tuple[np.ndarray, Any]:
    """1 / f_i at the one level that counts."""
    return np.where(level(rank) == i, 1 / cut(rank, k), 0.0), 1.0


@TERMS.function("DCG")
def discounted_gain(
    rank: np.ndarray,
    grade: np.ndarray,
    *,
    discount: Discount = "log2(r+1)",
    base: float = 2.0,
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> tuple[np.ndarray, Any]:
    """The gain of each item divided by the discount of its rank."""
    return Gains(gain, gains, least, discount, base).discounted(grade, cut(rank, k)), 1.0


@TERMS.function("nDCG")
def normalized_gain(
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    *,
    discount: Discount = "log2(r+1)",
    base: float = 2.0,
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> tuple[np.ndarray, Any]:
    """The terms of DCG, weighted by 1 / that of the ideal ranking."""
    graded = Gains(gain, gains, least, discount, base)
    return graded.discounted(grade, cut(rank, k)), share(np.ones(1), graded.best(ideal, k))


@TERMS.function("Bpref")
def bpref(rank: np.ndarray, above: np.ndarray, nonrelevant: np.ndarray) -> tuple[np.ndarray, Any]:
    """1 - min(n, m) / min(N, m) of each relevant item that was found, weighted 1/m."""
    wrong = share(np.minimum(above, len(rank)), np.minimum(nonrelevant, len(rank)))
    return np.where(found(rank), 1.0 - wrong, 0.0), 1 / len(rank)


@TERMS.function("ESL")
def search_length(rank: np.ndarray, corpus: np.ndarray, *, i: int = 1) -> tuple[np.ndarray, Any]:
    """-f_i at level i; items that were not retrieved are at the end of the corpus."""
    return np.where(level(rank) == i, -reached(rank, corpus, "corpus"), 0.0), 1.0


@TERMS.function("ISL")
def initial_search_length(rank: np.ndarray, corpus: np.ndarray) -> tuple[np.ndarray, Any]:
    """-f_1 at the first level; items that were not retrieved are at the end of the corpus."""
    return search_length(rank, corpus)


@TERMS.function("TSL")
def total_search_length(rank: np.ndarray, corpus: np.ndarray) -> tuple[np.ndarray, Any]:
    """-f_m at the last level; items that were not retrieved are at the end of the corpus."""
    return search_length(rank, corpus, i=len(rank))


@TERMS.function("ASL")
def atomized_search_length(
    rank: np.ndarray, corpus: np.ndarray, *, n: float = inf
) -> tuple[np.ndarray, Any]:
    """-(f_i - i + 1) of the first n levels, weighted by their number; what was not retrieved at the corpus' end."""
    first = min(n, len(rank))
    return np.where(
        level(rank) <= first, level(rank) - 1 - reached(rank, corpus, "corpus"), 0.0
    ), 1 / first


@TERMS.function("GAP")
def graded_average_precision(rank: np.ndarray, *, k: float = inf) -> tuple[np.ndarray, Any]:
    """The terms of AP, for the users of one grade."""
    return average_precision(rank, k=k)


@TERMS.function("MAP-IA")
def intent_aware_average_precision(rank: np.ndarray) -> tuple[np.ndarray, Any]:
    """The terms of AP, for the users of one subtopic."""
    return average_precision(rank)


PAIR_TERMS: Registry[Terms] = Registry("terms of a preference")


def decider(terms: np.ndarray) -> np.ndarray:
    """Return 1 at the first cell along axis 0 that is not 0, and 0 elsewhere.

    Examples
    --------
    >>> decider(np.array([0.0, -1.0, 1.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    differ = np.asarray(terms) != 0
    return (
        differ & (np.cumsum(differ, axis=0) == 1)
    ) * 1.0  # the count stays 1 until the second difference


@PAIR_TERMS.function("sgnLP")
def lexicographic_precision(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    """Which ranking is better at each recall level, with all weight at the first level at which they differ."""
    terms = closer(x, y) * 1.0
    return terms, decider(terms)


@PAIR_TERMS.function("rrLP")
def lexicographic_precision_by_how_much(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    """1/x - 1/y at each recall level; all the weight is at the first level where they differ."""
    terms = 1.0 / np.asarray(x) - 1.0 / np.asarray(y)
    return terms, decider(terms)


@PAIR_TERMS.function("sgnLR")
def lexicographic_recall(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    """Which ranking is better at each recall level, with all weight at the last level at which they differ."""
    terms = closer(x, y) * 1.0
    return terms, decider(terms[::-1])[::-1]


@PAIR_TERMS.function("I")
def interleaved(
    x: np.ndarray,
    y: np.ndarray,
    x_retrieved: np.ndarray,
    y_retrieved: np.ndarray,
    *,
    user: Weight = "uniform",
) -> tuple[np.ndarray, Any]:
    """Who has found more relevant items by each rank, from 1 to the end of the longer list."""
    longest = np.maximum(x_retrieved, y_retrieved)
    ranks = np.arange(1.0, np.max(longest, initial=0.0) + 1)
    rank = ranks.reshape(-1, *[1] * np.ndim(longest))
    lead = np.zeros((len(ranks), *longest.shape))
    for one, other in zip(np.asarray(x), np.asarray(y)):
        lead += (one <= rank).astype(np.int8) - (other <= rank)
    mass = unscaled(user, len(ranks), "user").reshape(rank.shape)
    inside = rank <= longest
    total_mass = np.where(inside, mass, 0.0).sum(axis=0)
    weight = np.divide(
        mass, total_mass, out=np.where(inside, 0.0, np.nan), where=inside & (total_mass > 0)
    )
    return np.sign(lead), weight
