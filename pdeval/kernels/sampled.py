"""Ranks among sampled candidates: measures of the rank among all items, estimated from it.

Where an item is ranked against n negatives drawn from N, its rank among all is not n / N times larger: measures of
the first ranks are badly biased (Krichene & Rendle 2020). `corrected_for_sampling` gives, for each sampled rank, the
estimate of a measure of the rank among all items.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

Estimator = Literal["unbiased rank", "least variance"]


def corrected_for_sampling(
    of_rank: np.ndarray, negatives: int, *, estimator: Estimator = "least variance", gamma: float = 0.1
) -> np.ndarray:
    """Return what each rank among sampled candidates says of a measure of the rank among all items.

    Parameters
    ----------
    of_rank : ndarray of shape (N,)
        The measure at ranks 1 to N among all items, e.g. 1 / log2(rank + 1) for nDCG of one relevant item.
    negatives : int
        How many of the other N - 1 items were drawn, with replacement, beside the relevant one.
    estimator : {'unbiased rank', 'least variance'}
        The measure at the unbiased estimate of the rank; or the values of all sampled ranks together that make squared
        bias plus `gamma` times variance least, every rank among all items being as likely (both Krichene & Rendle 2020;
        the second is their trade-off of bias and variance).
    gamma : float
        The weight of variance.

    Returns
    -------
    ndarray of shape (negatives + 1,)
        The corrected measure at sampled ranks 1 to negatives + 1: the mean over users of what stands at their ranks
        is the estimate.

    Examples
    --------
    >>> recall_at_2 = (np.arange(1, 11) <= 2) * 1.0  # 10 items in all
    >>> corrected_for_sampling(recall_at_2, 3, gamma=0.01).round(2)
    array([ 1.11, -0.62,  0.13,  0.  ])
    """
    n_items = len(of_rank)
    if negatives < 1:
        raise ValueError(f"negatives={negatives!r}: give the number of items that were drawn, at least 1.")
    if estimator == "unbiased rank":
        rank = 1 + np.arange(negatives + 1) * (n_items - 1) / negatives
        return np.interp(rank, np.arange(1, n_items + 1), of_rank)
    likely = _likely(n_items, negatives)
    # squared bias + gamma * variance, summed over ranks, is least where (A'A + gamma (D - A'A)) f = A'm
    square = likely.T @ likely
    spread = np.diag(likely.sum(axis=0)) - square
    solved: np.ndarray = np.linalg.solve(square + gamma * spread, likely.T @ of_rank)
    return solved


def _likely(n_items: int, negatives: int) -> np.ndarray:
    """Return the probability of each sampled rank given each rank among all: (items, negatives + 1), binomial."""
    from scipy import stats

    above = np.arange(n_items) / max(n_items - 1, 1)
    likely: np.ndarray = stats.binom.pmf(np.arange(negatives + 1), negatives, above[:, None])
    return likely
