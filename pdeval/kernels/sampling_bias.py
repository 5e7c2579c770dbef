"""Measures corrected for sampling: judgments that were not seen equally often, and sampled candidates.

Propensities: if a click or a rating exists only if the user saw the item, popular items are judged more often than
others, and systems that recommend them look better than they are. The propensity is the probability that a relevant
item was judged. Weighted by its inverse, the sum over judged relevant items is on average the sum over all relevant
items (inverse propensity scoring, IPS: Schnabel et al. 2016). Divided by the sum of the weights it varies less, and its
bias vanishes as a user has more judgments (self-normalized, SNIPS: Yang et al. 2018). If all propensities are 1, the
measures are R, DCG and AP.

Sampled candidates: if an item is ranked against n negatives drawn from N items, its rank among all items is not n / N
times larger, and measures of the first ranks are badly biased (Krichene & Rendle 2020). `corrected_for_sampling`
returns, for each sampled rank, the estimate of a measure of the rank among all items. The measure `Sampled` applies it
to runs of one held-out item and n negatives per user. With many users, `rank_distribution` estimates the distribution
of their ranks among all items (Jin et al. 2021).
"""

from functools import lru_cache
from typing import Any, Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.graded import Gain, Gains
from pdeval.kernels.primitives import cut, found, inf, log2, running, share, total

Norm = Literal["weights", "none"]
YANG = (
    "Yang et al. 2018, Unbiased offline recommender evaluation for missing-not-at-random implicit feedback; "
    "Schnabel et al. 2016, Recommendations as treatments"
)


def weighed(value: np.ndarray, weight: np.ndarray, norm: Norm) -> np.ndarray:
    """Return the weighed sum of what items are worth, divided by the sum of their weights or as it is.

    Examples
    --------
    >>> value, weight = np.array([1.0, 0.0]), np.array([1.0, 4.0])
    >>> float(weighed(value, weight, "weights")), float(weighed(value, weight, "none"))
    (0.2, 1.0)
    """
    weighted = total(weight * value)
    return weighted if norm == "none" else share(weighted, total(weight))


@metric(reference=YANG, range=(0, inf))
def wR(
    rank: np.ndarray, weight: np.ndarray, *, norm: Norm = "weights", k: float = inf
) -> np.ndarray:
    """Weighted recall: the fraction of relevant items among the first k, weighted by 1 / propensity.

    The judgments need a column `propensity`. `norm="none"` leaves the sum, which is on average the number of relevant
    items down to rank k, judged or not.

    Examples
    --------
    >>> ranks, weights = np.array([1.0, 3.0, inf]), 1 / np.array([0.5, 1.0, 0.2])
    >>> float(wR(ranks, weights)), float(wR(ranks, weights, norm="none", k=2))
    (0.375, 2.0)
    """
    return weighed(found(rank, k) * 1.0, weight, norm)


@metric(kind="graded", reference=YANG, range=(0, inf))
def wDCG(
    rank: np.ndarray,
    grade: np.ndarray,
    weight: np.ndarray,
    *,
    norm: Norm = "none",
    gain: Gain = "linear",
    k: float = inf,
) -> np.ndarray:
    """Weighted DCG: discounted cumulated gain, each item counting 1 / its propensity.

    On average the DCG of all relevant items, judged or not. `norm="weights"` divides by the weighed gains, which is
    the self-normalized DCG of Yang et al. There is no weighed nDCG: the ideal ranking of unjudged items is
    not known.

    Examples
    --------
    >>> ranks, grades, weights = np.array([1.0, 3.0]), np.array([1.0, 1.0]), np.array([1.0, 4.0])
    >>> float(wDCG(ranks, grades, weights)), float(wDCG(ranks, grades, weights, norm="weights"))
    (3.0, 0.6)
    """
    graded = Gains(gain)
    dcg = total(weight * graded.discounted(grade, cut(rank, k)))
    return dcg if norm == "none" else share(dcg, total(weight * graded.of(grade)))


@metric(reference=YANG, range=(0, inf))
def wAP(
    rank: np.ndarray, weight: np.ndarray, *, norm: Norm = "weights", k: float = inf
) -> np.ndarray:
    """Weighted average precision: the precision at each relevant item, weighted by 1 / propensity.

    The precision at an item of rank f is (1 + the weights of the relevant items above it) / f: the item itself is
    observed. If items are judged independently, the expectation of the sum, `norm="none"`, is the sum over all relevant
    items. With few judgments and large weights it may be above 1.

    Examples
    --------
    >>> float(wAP(np.array([1.0, 4.0]), np.array([1.0, 1.0])))  # AP
    0.75
    >>> float(wAP(np.array([1.0, 4.0]), np.array([2.0, 1.0])))  # (2 x 1/1 + 1 x 3/4) / 3
    0.9166666666666666
    """
    weight = np.asarray(weight)
    return weighed((1.0 + running(weight) - weight) / cut(rank, k), weight, norm)


@metric(reference=YANG, limits={"items": (1, inf)})
def wAUC(
    rank: np.ndarray,
    weight: np.ndarray,
    retrieved: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    items: float | None = None,
) -> np.ndarray:
    """Weighted AUC: the fraction of the other items of the catalog below a relevant item, weighted by 1 / propensity.

    Others are all other items, relevant or not, for not all relevant ones are known: of one relevant item it is AUC.
    Items that were not retrieved rank below all others, in any order. `items` is the size of the catalog; unless
    given, the distinct items of the query in all rankings and among its relevant ones.

    Examples
    --------
    >>> float(wAUC(np.array([1.0, inf]), np.array([1.0, 3.0]), 2, 5))  # 4 of 4 below, and 1 of 4 on average
    0.4375
    """
    size = np.asarray(corpus if items is None else items)
    below = np.where(found(rank), size - rank, (size - retrieved - 1.0) / 2)
    part = np.where(size > 1, share(np.maximum(below, 0.0), np.maximum(size - 1.0, 1.0)), 1.0)
    return weighed(part, weight, "weights")


Estimator = Literal["BV", "rank", "MLE"]
Of = Literal["R", "nDCG", "AP", "AUC"]
STEP = 1 << 22  # cells of probabilities at a time
MOST = 1 << 27  # and of those that are looked at again and again
ENOUGH = 1e-5  # of the mean log-likelihood: a step that gains less is the last


@metric(
    reference=(
        "Krichene & Rendle 2020, On sampled metrics for item recommendation; "
        "Li et al. 2020, On sampling top-k recommendation evaluation; "
        "Jin et al. 2021, On estimating recommendation evaluation metrics under sampling"
    ),
    range=(-inf, inf),
    limits={"negatives": (1, inf), "items": (1, inf), "gamma": (0, inf)},
    together={"estimator": "MLE"},
)
def Sampled(
    rank: np.ndarray,
    retrieved: np.ndarray,
    *,
    of: Of = "R",
    negatives: int | None = None,
    items: int | None = None,
    estimator: Estimator = "BV",
    gamma: float = 0.1,
    k: float = inf,
) -> np.ndarray:
    """Measure among all items, estimated from the rank of one relevant item among sampled negatives.

    `Sampled(of=nDCG,negatives=100,items=20000)@10`: every list has the held-out item and 100 of the 19,999 others.
    Both numbers are required. `of` is R (the hit rate), nDCG, AP (the reciprocal rank) or AUC, of one relevant item.
    Estimates of single users vary widely and can be below 0 or above 1; use their mean over users. The default
    minimizes squared bias plus `gamma` times variance. `estimator=rank` evaluates the measure at the expected rank,
    1 + (rank - 1) (items - 1) / negatives, a linear mapping of ranks as Li et al. map cutoffs; it is unbiased for AUC
    only. `estimator=MLE` estimates the distribution of the ranks of a run's users among all items by maximum likelihood
    and evaluates the measure on this distribution, which has a smaller variance. The value of a user is this estimate
    plus the influence of the user's rank (delta method), so means and intervals over users are valid.

    Examples
    --------
    >>> rank, retrieved = np.array([[1.0, 3.0]]), np.array([101.0, 101.0])  # two users
    >>> Sampled(rank, retrieved, of="AUC", negatives=100, items=10_001, estimator="rank").tolist()
    [1.0, 0.98]
    >>> Sampled(rank, retrieved, of="R", negatives=100, items=10_001, k=10).round(3).tolist()  # the plain ones are 1, 1
    [0.235, -0.02]
    """
    if negatives is None or items is None:
        raise ValueError(
            "Sampled requires the number of negatives of each list and the number of items. Use e.g. "
            "'Sampled(of=nDCG,negatives=100,items=20000)@10'."
        )
    rank, there = np.asarray(rank), np.broadcast_to(np.asarray(retrieved) > 0, np.shape(rank)[1:])
    if len(rank) > 1:
        raise ValueError(
            f"Sampled requires one relevant item per list, but a list has {len(rank)}. Hold out one item per user."
        )
    if negatives >= items:
        raise ValueError(f"negatives={negatives} must be smaller than items={items}.")
    if lost := int((there & (rank[0] == inf)).sum()):
        raise ValueError(
            f"the relevant item is not among the candidates of {lost:,} lists, so its rank is unknown. Pass "
            "complete lists, with the held-out item and without depth=."
        )
    deepest = float(np.max(retrieved, initial=0.0))
    if deepest > negatives + 1:
        raise ValueError(
            f"a list has {deepest:.0f} items, but negatives={negatives} implies at most {negatives + 1}. Pass the "
            "number of negatives that were drawn."
        )
    above = np.where(there, rank[0] - 1, 0).astype(np.intp)
    if estimator == "MLE":
        worth = _of_distributions(_worth(of, int(items), float(k)), int(negatives), above, there)
        return np.where(there, np.take_along_axis(worth, above, axis=0), 0.0)
    worth = _corrected(of, int(negatives), int(items), estimator, float(gamma), float(k))
    return np.where(there, worth[above], 0.0)


def _of_distributions(
    of_rank: np.ndarray, negatives: int, above: np.ndarray, there: np.ndarray
) -> np.ndarray:
    """Return the corrected measure at each sampled rank, from the ranks of each run's users: (negatives + 1, runs).

    The mean over a run's users is the measure of the distribution of their ranks. The value of a user is this mean plus
    the influence of the user's rank, so the standard error is that of the delta method.
    """
    runs = above.shape[-1]
    cell = (above * runs + np.arange(runs))[there]
    counts = np.bincount(cell, minlength=(negatives + 1) * runs).reshape(negatives + 1, runs)
    worth, likely = np.zeros(counts.shape), _chances(len(of_rank), negatives)
    for run in np.flatnonzero(counts.any(axis=0)):
        seen = counts[:, run] > 0
        often = counts[seen, run] / counts[:, run].sum()
        spread, slope = _maximized(likely[:, seen], often)
        rise = of_rank @ slope
        worth[seen, run] = of_rank @ spread + rise - often @ rise
    return worth


def rank_distribution(counts: np.ndarray, items: int) -> np.ndarray:
    """Return the distribution of ranks among all items, estimated from ranks among sampled candidates.

    Maximum likelihood: a sampled rank is binomial given the rank among all items, so sampled ranks are a mixture of
    binomials, whose weights are fitted by expectation maximization. It starts from equal weights and stops when a step
    adds less than 0.00001 to the mean log-likelihood: further steps would fit the noise of the sample.

    Parameters
    ----------
    counts : ndarray of shape (negatives + 1,)
        Number of users with each sampled rank, from 1 to negatives + 1.
    items : int
        The number of items, the relevant one among them.

    Returns
    -------
    ndarray of shape (items,)
        Fraction of users whose item has rank 1, 2, ... among all items.

    Examples
    --------
    >>> spread = rank_distribution(np.array([60, 25, 10, 5]), 8)  # of 100 users, 60 with an item above 3 of 7 others
    >>> spread.round(2).tolist(), round(float(spread[:2].sum()), 2)  # and the hit rate at 2
    ([0.29, 0.34, 0.2, 0.08, 0.03, 0.01, 0.01, 0.02], 0.63)
    """
    counts = np.asarray(counts, dtype=np.float64)
    likely, seen = _chances(items, len(counts) - 1), counts > 0
    return _maximized(likely[:, seen], counts[seen] / counts.sum())[0]


def _chances(items: int, negatives: int) -> np.ndarray:
    """Return the probability of each sampled rank given each rank among all, or raise if there are too many."""
    if items * (negatives + 1) > MOST:
        raise ValueError(
            f"{items:,} items and {negatives:,} negatives need {items * (negatives + 1):,} probabilities, more than "
            f"the limit of {MOST:,}. Use estimator=BV."
        )
    return _likely(np.arange(items), items, negatives)


def _maximized(likely: np.ndarray, often: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights of ranks under which shares of sampled ranks are likely, and how each share moves them."""
    spread, slope = np.full(len(likely), 1.0 / len(likely)), np.zeros(likely.shape)
    before, gained = -inf, inf
    while gained >= ENOUGH:
        mixed = spread @ likely
        fit = float(often @ np.log(mixed))
        gained, before = fit - before, fit
        step = likely @ (often / mixed)
        turned = np.diag(1 / mixed) - (often / mixed**2)[:, None] * (likely.T @ slope)
        slope = slope * step[:, None] + spread[:, None] * (likely @ turned)
        spread = spread * step
    return spread, slope


def _worth(of: Of, items: int, k: float) -> np.ndarray:
    """Return a measure of one relevant item at ranks 1 to items."""
    rank = np.arange(1.0, items + 1)
    worth = {
        "R": np.ones(items),
        "nDCG": 1 / log2(rank + 1),
        "AP": 1 / rank,
        "AUC": (items - rank) / (items - 1),
    }[of]
    return np.where(rank <= k, worth, 0.0)


@lru_cache(maxsize=64)
def _corrected(
    of: Of, negatives: int, items: int, estimator: Any, gamma: float, k: float
) -> np.ndarray:
    """Return the corrected measure at each sampled rank, the same for all blocks and runs."""
    return corrected_for_sampling(_worth(of, items, k), negatives, estimator=estimator, gamma=gamma)


def corrected_for_sampling(
    of_rank: np.ndarray,
    negatives: int,
    *,
    estimator: Literal["BV", "rank"] = "BV",
    gamma: float = 0.1,
) -> np.ndarray:
    """Return the estimate of a measure over all items at each rank among sampled candidates.

    Parameters
    ----------
    of_rank : ndarray of shape (N,)
        The measure at ranks 1 to N among all items, e.g. 1 / log2(rank + 1) for nDCG of one relevant item.
    negatives : int
        Number of the other N - 1 items drawn with replacement, in addition to the relevant one.
    estimator : {'BV', 'rank'}
        The values of all sampled ranks together that make squared bias plus `gamma` times variance least, every rank
        among all items being as likely, which is the trade-off of bias and variance; or the measure at the unbiased
        estimate of the rank (both Krichene & Rendle 2020).
    gamma : float
        The weight of variance.

    Returns
    -------
    ndarray of shape (negatives + 1,)
        The corrected measure at sampled ranks 1 to negatives + 1: the mean over users of the values at their ranks
        is the estimate.

    Examples
    --------
    >>> recall_at_2 = (np.arange(1, 11) <= 2) * 1.0  # 10 items in all
    >>> corrected_for_sampling(recall_at_2, 3, gamma=0.01).round(2)
    array([ 1.11, -0.62,  0.13,  0.  ])
    """
    n_items = len(of_rank)
    if negatives < 1:
        raise ValueError(
            f"negatives={negatives!r}: expected the number of items that were drawn, at least 1."
        )
    if estimator == "rank":
        rank = 1 + np.arange(negatives + 1) * (n_items - 1) / negatives
        return np.interp(rank, np.arange(1, n_items + 1), of_rank)
    square, aimed, often = (
        np.zeros((negatives + 1, negatives + 1)),
        np.zeros(negatives + 1),
        np.zeros(negatives + 1),
    )
    for at in range(0, n_items, step := max(STEP // (negatives + 1), 1)):
        likely = _likely(np.arange(at, min(at + step, n_items)), n_items, negatives)
        square += likely.T @ likely
        aimed += likely.T @ of_rank[at : at + step]
        often += likely.sum(axis=0)
    # squared bias + gamma * variance, summed over ranks, is least where (A'A + gamma (D - A'A)) f = A'm
    return np.asarray(np.linalg.solve(square + gamma * (np.diag(often) - square), aimed))


def _likely(above: np.ndarray, n_items: int, negatives: int) -> np.ndarray:
    """Return the probability of each sampled rank given the items above among all: (ranks, negatives + 1), binomial."""
    from scipy import stats

    chance = above[:, None] / max(n_items - 1, 1)
    return np.asarray(stats.binom.pmf(np.arange(negatives + 1), negatives, chance))
