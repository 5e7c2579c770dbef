"""Posteriors of a difference between two runs: how much of each lies below, within and above a region."""

from __future__ import annotations

import numpy as np

from pdeval.mechanics.equality import NOISE
from pdeval.mechanics.progress import track
from pdeval.significance.draws import chunks
from pdeval.significance.outcome import describe

# Weights (draws x queries) held at a time.
BLOCK = 2**20


def correlated_t(D: np.ndarray, rope: float, correlation: float = 0.0) -> np.ndarray:
    """Return P(mean difference < -rope), P(within), P(> rope) of each column, of shape (3, pairs).

    The posterior of the mean, with a flat prior, is Student's distribution with n - 1 degrees of freedom about the
    observed mean, its variance that of the mean times 1 + n r / (1 - r) for differences with correlation r (Nadeau and
    Bengio). Differences that do not vary have all of it at their mean.

    Examples
    --------
    >>> correlated_t(np.array([[0.1], [0.3], [0.2], [0.4]]), 0.1).round(4).ravel().tolist()
    [0.0062, 0.0452, 0.9486]
    """
    from scipy import special

    n, mean, sd = describe(D)
    scale = sd * np.sqrt(1 / n + correlation / (1 - correlation))
    with np.errstate(divide="ignore", invalid="ignore"):
        worse, better = (special.stdtr(n - 1, far / scale) for far in (-rope - mean, mean - rope))
    worse = np.where(scale == 0, mean < -rope, worse)
    better = np.where(scale == 0, mean > rope, better)
    return np.stack([worse, np.maximum(1.0 - worse - better, 0.0), better])


def signed_rank(
    D: np.ndarray,
    rope: float,
    prior: float,
    draws: int,
    seed: int | None,
    *,
    progress: bool | None = None,
) -> np.ndarray:
    """Return how often most of the mean of two differences is below -rope, within, or above, of shape (3, pairs).

    The differences, and a pseudo-difference 0 of weight `prior`, get Dirichlet weights; in every draw the weight of
    all pairs (i, j) of them with (D_i + D_j) / 2 beyond the region is added up, those at its very end counting half
    for either side. The share is that of the draws in which a region has the most weight; ties are shared.

    Examples
    --------
    >>> D = np.array([[0.1], [0.3], [-0.2], [0.4]])
    >>> signed_rank(D, 0.05, 0.5, 2000, 0).round(2).ravel().tolist()
    [0.1, 0.01, 0.89]
    """
    values = np.vstack([np.zeros(D.shape[1]), D])
    counted = ~np.isnan(values)
    order = np.argsort(np.where(counted, values, np.inf), axis=0, kind="stable")
    ends = [_below(values[order[:, pair], pair], counted[:, pair].sum(), rope) for pair in range(D.shape[1])]
    first = np.ones(len(values))
    first[0] = prior
    won = np.zeros((3, D.shape[1]))
    steps = chunks(draws, seed)
    width = max(1, BLOCK // (len(values) * steps[0][0]))
    blocks = [steps[start : start + width] for start in range(0, len(steps), width)]
    for block in track(blocks, desc="signed-rank posterior", progress=progress):
        # weights of a Dirichlet distribution are gamma variates over their sum, whatever part of them is looked at
        gamma = np.vstack(
            [np.random.default_rng(child).standard_gamma(first, (size, len(first))) for size, child in block]
        )
        for pair, (low, high) in enumerate(ends):
            weight = gamma[:, order[: len(low), pair]]
            weight /= weight.sum(axis=1, keepdims=True)
            cumulative = np.concatenate([np.zeros((len(weight), 1)), np.cumsum(weight, axis=1)], axis=1)
            below, under = ((weight * _mean_of(cumulative, side)).sum(axis=1) for side in (low, high))
            mass = np.stack([below, under - below, 1.0 - under])
            most = mass >= mass.max(axis=0) - NOISE
            won[:, pair] += (most / most.sum(axis=0)).sum(axis=1)
    return won / draws


def _below(ordered: np.ndarray, count: int, rope: float) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each sorted difference, how many others make a mean below -rope, and how many one up to rope.

    Each comes twice, without and with those at the very end of the region.
    """
    z = ordered[:count]
    slack = NOISE * (np.abs(z).max() + rope)
    found = [
        np.stack([np.searchsorted(z, end - z - slack, "left"), np.searchsorted(z, end - z + slack, "right")], axis=1)
        for end in (-2 * rope, 2 * rope)
    ]
    return found[0], found[1]


def _mean_of(cumulative: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the weight up to two places, halved: what lies at the very end counts half."""
    return (cumulative[:, places[:, 0]] + cumulative[:, places[:, 1]]) / 2
