"""Preferences as sums over cells: what each cell says, and its weight.

As in `terms`, a function stands for the preference of its name and asks for columns as its kernel does. It returns the
terms and their weights, axis 0 the cell, positive where x is better: `(weight * terms).sum(axis=0)` is the preference.
A cell that a pair does not have has a weight that is not a number.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pdeval.kernels.levels import closer, log2
from pdeval.kernels.terms import Terms, terms_of

PAIR_TERMS: dict[str, Terms] = {}


def decider(terms: np.ndarray) -> np.ndarray:
    """Return 1 at the first cell along axis 0 that is not 0, and 0 elsewhere.

    Examples
    --------
    >>> decider(np.array([0.0, -1.0, 1.0])).tolist()
    [0.0, 1.0, 0.0]
    """
    differ = np.asarray(terms) != 0
    return (differ & (np.cumsum(differ, axis=0) == 1)) * 1.0


@terms_of("sgnLP", PAIR_TERMS)
def lexicographic_precision(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    """Who is sooner at each recall level; all the weight is at the first level where they differ."""
    terms = closer(x, y) * 1.0
    return terms, decider(terms)


@terms_of("rrLP", PAIR_TERMS)
def lexicographic_precision_by_how_much(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    """1/x - 1/y at each recall level; all the weight is at the first level where they differ."""
    terms = 1.0 / np.asarray(x) - 1.0 / np.asarray(y)
    return terms, decider(terms)


@terms_of("sgnLR", PAIR_TERMS)
def lexicographic_recall(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, Any]:
    """Who is sooner at each recall level; all the weight is at the last level where they differ."""
    terms = closer(x, y) * 1.0
    return terms, decider(terms[::-1])[::-1]


@terms_of("I", PAIR_TERMS)
def interleaved(
    x: np.ndarray,
    y: np.ndarray,
    x_retrieved: np.ndarray,
    y_retrieved: np.ndarray,
    *,
    user: Literal["uniform", "dcg"] = "uniform",
) -> tuple[np.ndarray, Any]:
    """Who has found more relevant items by each rank, from 1 to the end of the longer list."""
    longest = np.maximum(x_retrieved, y_retrieved)
    ranks = np.arange(1.0, np.max(longest, initial=0.0) + 1)
    rank = ranks.reshape(-1, *[1] * np.ndim(longest))
    lead = np.zeros((len(ranks), *longest.shape))
    for one, other in zip(np.asarray(x), np.asarray(y)):
        lead += (one <= rank).astype(np.int8) - (other <= rank)
    mass = (np.ones(len(ranks)) if user == "uniform" else 1 / log2(ranks + 1)).reshape(rank.shape)
    inside = rank <= longest
    whole = np.where(inside, mass, 0.0).sum(axis=0)
    weight = np.divide(mass, whole, out=np.full(inside.shape, np.nan), where=inside)
    return np.sign(lead), weight
