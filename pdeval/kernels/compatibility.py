"""Compatibility: how near a ranking is to an ideal one, by rank-biased overlap.

The ideal ranking holds the items of positive grade, the largest grade first. Grades may be any positive numbers, such
as the order that people's preferences between items give. Equal grades leave the order open: then the ideal ranking is
the one that is most like the ranking, which takes them in the order in which it found them, and those that it did not
find last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.primitives import inf, level, share, total


def ideal_place(grade: np.ndarray) -> np.ndarray:
    """Return the place of each item in the ideal ranking that is nearest, given grades in rank order.

    Examples
    --------
    >>> ideal_place(np.array([1.0, 2.0, 1.0, 3.0])).tolist()
    [3, 2, 4, 1]
    """
    best_first = np.argsort(-np.asarray(grade), axis=0, kind="stable")
    # the inverse permutation: the place of each item in the ideal ranking
    place = np.empty(best_first.shape, dtype=np.int64)
    np.put_along_axis(
        place,
        best_first,
        np.broadcast_to(level(best_first), best_first.shape).astype(np.int64),
        axis=0,
    )
    return place


def read_yes(value: Any, text: str) -> bool:
    """Return what a name says by true or false.

    Examples
    --------
    >>> read_yes("false", "Compat(normalize=false)")
    False
    """
    if str(value).lower() not in ("true", "false"):
        raise ValueError(f"normalize={value!r} in {text!r}: say true or false.")
    return str(value).lower() == "true"


@metric(
    kind="graded",
    reference="Clarke, Smucker & Vtyurina 2020, Offline evaluation by maximum similarity to an ideal ranking",
    aliases=("compatibility",),
    limits={"p": (0, 1)},
    read={"normalize": read_yes},
)
def Compat(
    rank: np.ndarray,
    grade: np.ndarray,
    retrieved: np.ndarray,
    *,
    p: float = 0.95,
    normalize: bool = True,
    k: float = inf,
) -> np.ndarray:
    """Compatibility: the rank-biased overlap with the ideal ranking that is nearest to this one.

    The sum over depths d of p^(d - 1) times the share of the first d places that both rankings hold, divided by that of
    the ideal ranking with itself, so that an ideal ranking has 1 (`normalize=false` divides by the sum of p^(d - 1)
    instead). Depths go down to the end of the longer of both rankings, as in ir_measures, or to the cutoff k, also
    where both end before it; nothing is extrapolated beyond.

    Examples
    --------
    >>> ranks, grades = np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 1.0])  # ideal: the second first
    >>> round(float(Compat(ranks, grades, 4, p=0.5)), 4)
    0.4124
    >>> float(Compat(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 1.0]), 3))
    1.0
    """
    m = len(rank)
    depth = np.broadcast_to(np.maximum(retrieved, m) if k == inf else k, np.shape(rank)[1:]).astype(
        np.int64
    )
    # what depths 1..d weigh, and what an item weighs that both rankings hold at depths 1..d; 0 for no depth
    deepest = max(int(depth.max(initial=0)), m)
    weight = np.multiply.accumulate(np.append(1.0, np.full(deepest - 1, float(p))))
    weights, overlap = (
        np.append(0.0, np.add.accumulate(one)) for one in (weight, weight / level(weight))
    )
    whole = overlap[depth]
    both = np.maximum(rank, ideal_place(grade))
    # an item is in both rankings from the deeper of its places on; beyond the depth that is nothing
    score = total(whole - overlap[np.minimum(both - 1, depth).astype(np.int64)])
    if not normalize:
        return score / weights[depth]
    return share(score, total(whole - overlap[np.minimum(level(rank) - 1, depth).astype(np.int64)]))
