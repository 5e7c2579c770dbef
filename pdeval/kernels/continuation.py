"""Graded measures of a user who goes down the list and continues with some probability.

Expected reciprocal rank, graded rank-biased precision, and compatibility: the rank-biased overlap with an ideal
ranking. The ideal ranking of compatibility has the items of positive grade, the largest grade first. Grades may be any
positive numbers, such as the order that preferences between items give. If grades are equal, the ideal ranking is the
one that is nearest to the ranking: it takes equal grades in the order of the ranking, those not retrieved last.
"""

import numpy as np

from pdeval.catalog import checked_flag, metric
from pdeval.kernels.primitives import cut, inf, level, power_of_two, share, total

CHAPELLE = "Chapelle et al. 2009, Expected reciprocal rank for graded relevance"


def stopping(grade: np.ndarray, top_grade: float, max_grade: float | None = None) -> np.ndarray:
    """Return the probability that an item of that grade satisfies the user: (2^grade - 1) / 2^max_grade.

    Examples
    --------
    >>> stopping(np.array([1.0, 2.0]), 2).tolist()
    [0.25, 0.75]
    """
    highest = top_grade if max_grade is None else _above_zero(max_grade)
    return (power_of_two(np.minimum(grade, highest)) - 1) / power_of_two(highest)


def _above_zero(max_grade: float) -> float:
    if not max_grade > 0:
        raise ValueError(f"max_grade={max_grade!r} must be above 0.")
    return max_grade


def cascade(rank: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return the sum over items of 1/rank times the probability that the user stops there and not before.

    Examples
    --------
    >>> float(cascade(np.array([1.0, 2.0]), np.array([0.5, 0.5])))
    0.625
    """
    going_on = np.multiply.accumulate(1.0 - stop, axis=0)
    # shifted by one item: the probability of looking at an item is that of going on from all above it
    before = np.concatenate([np.ones_like(going_on[:1]), going_on[:-1]])
    return total(stop * before / rank)


@metric(kind="graded", reference=CHAPELLE, aliases=("err",), limits={"max_grade": (0, inf)})
def ERR(
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    *,
    max_grade: float | None = None,
    k: float = inf,
) -> np.ndarray:
    """Expected reciprocal rank: the expected 1/rank at which a user who scans the list is satisfied.

    An item satisfies with probability (2^grade - 1) / 2^max_grade. `max_grade` is the largest grade of the qrels
    unless given; gdeval (and ir_measures) use 4. Higher grades count as `max_grade`.

    Examples
    --------
    >>> float(ERR(np.array([1.0, 2.0]), np.array([1.0, 1.0]), 1))  # 1/2 + 1/2 * 1/2 * 1/2
    0.625
    """
    return cascade(cut(rank, k), stopping(grade, top_grade, max_grade))


@metric(kind="graded", reference=CHAPELLE, aliases=("nerr",), limits={"max_grade": (0, inf)})
def nERR(
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    top_grade: float,
    *,
    max_grade: float | None = None,
    k: float = inf,
) -> np.ndarray:
    """Normalized expected reciprocal rank: ERR divided by that of the ideal ranking, cut at k.

    Examples
    --------
    >>> grades = np.array([1.0, 1.0])
    >>> float(nERR(np.array([1.0, 2.0]), grades, grades, 1)), float(nERR(np.array([inf, inf]), grades, grades, 1))
    (1.0, 0.0)
    """
    best = cascade(cut(level(ideal), k), stopping(ideal, top_grade, max_grade))
    return share(ERR(rank, grade, top_grade, max_grade=max_grade, k=k), best)


@metric(
    kind="graded",
    reference="Moffat & Zobel 2008, Rank-biased precision, section 3.4",
    aliases={"rbp": "gRBP(p=0.9,max_grade='topic')", "rbp_p={p}": "gRBP(p={p},max_grade='topic')"},
    limits={"p": (0, 1)},
)
def gRBP(
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    top_grade: float,
    *,
    p: float = 0.8,
    max_grade: float | str | None = None,
    k: float = inf,
) -> np.ndarray:
    """Graded rank-biased precision: RBP with the gain grade / max_grade.

    (1 - p) times the sum of gain p^(rank - 1). `max_grade` is the largest grade of the qrels unless given;
    "topic" takes the largest grade of the query, as trec_eval 10 does (its `rbp`, p = 0.9).

    Examples
    --------
    >>> ranks, grades = np.array([1.0, 3.0]), np.array([1.0, 2.0])
    >>> float(gRBP(ranks, grades, np.array([2.0, 1.0]), 2, p=0.5))  # (1 - 0.5) (1/2 + 1/4)
    0.375
    """
    if isinstance(max_grade, str) and max_grade != "topic":
        raise ValueError(f"max_grade={max_grade!r} must be a number or 'topic'.")
    highest = (
        top_grade
        if max_grade is None
        else ideal[0]
        if isinstance(max_grade, str)
        else _above_zero(max_grade)
    )
    gain = np.minimum(np.asarray(grade) / highest, 1.0)
    return (1.0 - p) * total(gain * np.power(float(p), cut(rank, k) - 1))


def ideal_place(grade: np.ndarray) -> np.ndarray:
    """Return the place of each item in the ideal ranking that is nearest, given grades in rank order.

    Examples
    --------
    >>> ideal_place(np.array([1.0, 2.0, 1.0, 3.0])).tolist()
    [3, 2, 4, 1]
    """
    best_first = np.argsort(-np.asarray(grade), axis=0, kind="stable")
    # the inverse permutation: the place of each item in the ideal ranking
    return np.argsort(best_first, axis=0, kind="stable") + 1


@metric(
    kind="graded",
    reference="Clarke, Smucker & Vtyurina 2020, Offline evaluation by maximum similarity to an ideal ranking",
    aliases=("compatibility",),
    limits={"p": (0, 1)},
    read={"normalize": checked_flag},
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
    """Compatibility: the rank-biased overlap with the ideal ranking that is closest to this one.

    The sum over depths d of p^(d - 1) times the overlap of the first d items of both rankings, divided by that of
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
    full_overlap = overlap[depth]
    both = np.maximum(rank, ideal_place(grade))
    # an item is in both rankings from the deeper of its places on; beyond the depth that is nothing
    score = total(full_overlap - overlap[np.minimum(both - 1, depth).astype(np.int64)])
    if not normalize:
        return score / weights[depth]
    return share(
        score, total(full_overlap - overlap[np.minimum(level(rank) - 1, depth).astype(np.int64)])
    )
