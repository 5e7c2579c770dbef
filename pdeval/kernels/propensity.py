"""Measures of judgments that were not seen equally often: every relevant item counts 1 / its propensity.

Where a click or a rating is there only if somebody saw the item, popular items are judged more often than others, and
whoever recommends them looks better than it is. The propensity is the probability that a relevant item was judged.
Weighed by its inverse, the sum over judged relevant items is on average the sum over all of them (inverse propensity
scoring, IPS: Schnabel et al. 2016); divided by the sum of the weights it varies less, and its bias vanishes as a user
has more judgments (self-normalised, SNIPS: Yang et al. 2018). All propensities being 1, they are R, DCG and AP.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.graded import Gain, Gains
from pdeval.kernels.primitives import cut, found, inf, running, share, total

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
    """Weighed recall: the share of relevant items found down to rank k, each counting 1 / its propensity.

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
    """Weighed DCG: discounted cumulated gain, each item counting 1 / its propensity.

    On average the DCG of all relevant items, judged or not. `norm="weights"` divides by the weighed gains, which is
    the self-normalised DCG of Yang et al. There is no weighed nDCG: the ideal ranking of items that nobody judged is
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
    """Weighed average precision: the precision at each relevant item, all of them counting 1 / their propensity.

    The precision at an item of rank f is (1 + the weights of the relevant items above it) / f: the item itself is
    there for certain. So the sum, `norm="none"`, is on average that of all relevant items, where one item is judged
    independently of another. Of few judgments with large weights it may be above 1.

    Examples
    --------
    >>> float(wAP(np.array([1.0, 4.0]), np.array([1.0, 1.0])))  # AP
    0.75
    >>> float(wAP(np.array([1.0, 4.0]), np.array([2.0, 1.0])))  # (2 x 1/1 + 1 x 3/4) / 3
    0.9166666666666666
    """
    weight = np.asarray(weight)
    precision = (1.0 + running(weight) - weight) / cut(rank, k)
    return weighed(precision, weight, norm)


@metric(reference=YANG, limits={"items": (1, inf)})
def wAUC(
    rank: np.ndarray,
    weight: np.ndarray,
    retrieved: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    items: float | None = None,
) -> np.ndarray:
    """Weighed AUC: the share of the other items of the catalogue below a relevant one, each counting 1 / propensity.

    Others are all other items, relevant or not, for not all relevant ones are known: of one relevant item it is AUC.
    Items that were not retrieved stand below all others, in any order. `items` is the size of the catalogue; unless
    given, the distinct items of the query in all rankings and among its relevant ones.

    Examples
    --------
    >>> float(wAUC(np.array([1.0, inf]), np.array([1.0, 3.0]), 2, 5))  # 4 of 4 below, and 1 of 4 on average
    0.4375
    """
    size = np.asarray(corpus if items is None else items)
    got = found(rank)
    below = np.where(got, size - rank, (size - retrieved - 1.0) / 2)
    part = np.where(size > 1, share(np.maximum(below, 0.0), np.maximum(size - 1.0, 1.0)), 1.0)
    return weighed(part, weight, "weights")
