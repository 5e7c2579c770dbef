"""Expected values of measures over the orders of tied items, in closed form (ties="expected").

Items of equal score form a group: `start` items are ranked above it and `size` items are in it, so that a member is
at each of the ranks start + 1 ... start + size equally often. An item that was not retrieved has start infinity.
Reference: McSherry & Najork 2008, Computing information retrieval performance measures efficiently in the presence
of tied scores.
"""

from collections.abc import Callable, Mapping

import numpy as np

from pdeval.catalog import expected_of
from pdeval.kernels.binary import Norm, denominator, f_measure, seen
from pdeval.kernels.graded import Discount, Gain, Gains
from pdeval.kernels.primitives import inf, level, share, total


def drawn(start: np.ndarray, size: np.ndarray, k: float = inf) -> np.ndarray:
    """Return the number of items of each item's tie group among the first k; 0 if it was not retrieved.

    Examples
    --------
    >>> drawn(np.array([0.0, 3.0, inf]), np.array([3.0, 4.0, 1.0]), 5).tolist()
    [3.0, 2.0, 0.0]
    """
    start = np.asarray(start)
    return np.clip(np.subtract(k, start, out=np.zeros(start.shape), where=start < inf), 0.0, size)


def chance(start: np.ndarray, size: np.ndarray, k: float = inf) -> np.ndarray:
    """Return the probability that each item is among the first k.

    Examples
    --------
    >>> chance(np.array([0.0, 3.0, inf]), np.array([3.0, 4.0, 1.0]), 5).tolist()
    [1.0, 0.5, 0.0]
    """
    return drawn(start, size, k) / size


def group_places(start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each item, the number of items of its group before it in the array, and the size of the group.

    Examples
    --------
    >>> [part.tolist() for part in group_places(np.array([0.0, 3.0, 3.0]))]
    [[0, 0, 1], [1, 2, 2]]
    """
    at = np.broadcast_to(np.arange(len(start)).reshape(-1, *[1] * (start.ndim - 1)), start.shape)
    edge = np.ones_like(start[:1], dtype=bool)
    # begins[i]: item i is the first of its group; ends[i]: the last
    begins = np.concatenate([edge, start[1:] != start[:-1]])
    ends = np.concatenate([start[1:] != start[:-1], edge])
    # the place where the group begins, carried on to its other items; the same from the end
    first = np.maximum.accumulate(np.where(begins, at, 0), axis=0)
    last = np.minimum.accumulate(np.where(ends, at, len(start))[::-1], axis=0)[::-1]
    return at - first, last - first + 1


def mean_over_ranks(
    start: np.ndarray, size: np.ndarray, k: float, weight: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return the mean of weight(rank) over the ranks of each item's group; ranks beyond k have weight 0.

    Examples
    --------
    >>> mean_over_ranks(np.array([0.0, 1.0]), np.array([1.0, 2.0]), inf, lambda rank: 1 / rank).round(4).tolist()
    [1.0, 0.4167]
    """
    number = drawn(start, size, k).astype(np.int64)
    begin = np.where(number > 0, start, 0.0).astype(np.int64)
    ranks = np.arange(1.0, (begin + number).max(initial=0) + 1)
    sums = np.concatenate(
        [[0.0], np.cumsum(weight(ranks))]
    )  # a sum over a stretch of ranks is a difference of two
    alone = weight(begin + 1.0)  # exact where there is no tie
    return np.where(
        number == 0, 0.0, np.where(size == 1, alone, (sums[begin + number] - sums[begin]) / size)
    )


@expected_of("P")
def expected_P(
    start: np.ndarray, size: np.ndarray, retrieved: np.ndarray, *, k: float = inf
) -> np.ndarray:
    """Return the expected precision: the sum of the items' chances, divided by k.

    Examples
    --------
    >>> float(expected_P(np.array([0.0, 3.0]), np.array([1.0, 4.0]), 20, k=5))  # (1 + 2/4) / 5
    0.3
    """
    return share(total(chance(start, size, k)), seen(retrieved, k))


@expected_of("R")
def expected_R(start: np.ndarray, size: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Return the expected recall: the mean of the items' chances.

    Examples
    --------
    >>> float(expected_R(np.array([0.0, 3.0]), np.array([1.0, 4.0]), k=5))
    0.75
    """
    return total(chance(start, size, k)) / len(start)


@expected_of("F")
def expected_F(
    start: np.ndarray, size: np.ndarray, retrieved: np.ndarray, *, beta: float = 1.0, k: float = inf
) -> np.ndarray:
    """Return the expected F: at a given rank it grows in proportion to the number of hits, as P and R do.

    Examples
    --------
    >>> round(float(expected_F(np.array([0.0, 3.0]), np.array([1.0, 4.0]), 20, k=5)), 4)
    0.4286
    """
    precision, recall = expected_P(start, size, retrieved, k=k), expected_R(start, size, k=k)
    return f_measure(precision, recall, beta * beta)


@expected_of("Success")
def expected_Success(start: np.ndarray, size: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Return the expected success: 1 - the probability that no relevant item is among the first k.

    The j-th relevant item of a group is missed, given that those before it were, by (size - drawn - j) / (size - j).

    Examples
    --------
    >>> round(float(expected_Success(np.array([3.0, 3.0]), np.array([4.0, 4.0]), k=5)), 4)  # 1 - 2/4 * 1/3
    0.8333
    """
    before, _ = group_places(start)
    number = drawn(start, size, k)
    lost = np.where(number > 0, np.maximum(size - number - before, 0.0), 1.0)
    return 1.0 - np.multiply.reduce(lost / np.where(number > 0, size - before, 1.0), axis=0)


@expected_of("RR")
def expected_RR(start: np.ndarray, size: np.ndarray, *, i: int = 1, k: float = inf) -> np.ndarray:
    """Return the expected reciprocal rank of the i-th relevant item.

    It is the j-th of the r relevant items in its group of n; it is the t-th of the group with probability
    C(t - 1, j - 1) C(n - t, r - j) / C(n, r).

    Examples
    --------
    >>> round(float(expected_RR(np.array([1.0, 1.0]), np.array([3.0, 3.0]))), 4)  # 2/3 * 1/2 + 1/3 * 1/3
    0.4444
    """
    if i > len(start):
        return np.zeros(np.shape(start)[1:])
    before, relevant = group_places(start)
    here = np.asarray(start)[int(i) - 1] < inf
    n = np.where(here, size[int(i) - 1], 1.0)
    s = np.where(here, start[int(i) - 1], 0.0)
    j = np.where(here, before[int(i) - 1] + 1.0, 1.0)
    r = np.where(here, relevant[int(i) - 1], 1.0)
    # in logarithms: the chance of the foremost place underflows in large groups
    log_chance = np.zeros(np.shape(n))
    for u in range(int(j.max(initial=1))):
        log_chance = log_chance + np.log(np.where(u < j, r - u, 1.0) / np.where(u < j, n - u, 1.0))
    value, last = np.zeros(np.shape(n)), n - r + j
    for step in range(int((n - r).max(initial=0)) + 1):
        t = j + step
        value = value + np.where((t <= last) & (s + t <= k), np.exp(log_chance) / (s + t), 0.0)
        onward = np.where(
            t < last, t / (t - j + 1) * (last - t) / np.where(t < last, n - t, 1.0), 1.0
        )
        log_chance = log_chance + np.log(onward)
    return np.where(here, value, 0.0)


@expected_of("AP")
def expected_AP(
    start: np.ndarray, size: np.ndarray, *, norm: Norm = "m", k: float = inf
) -> np.ndarray:
    """Return the expected average precision.

    An item at place t of a group of n with r relevant items, A of them above the group, has on average
    A + 1 + (t - 1) (r - 1) / (n - 1) relevant items down to its rank start + t.

    Examples
    --------
    >>> round(float(expected_AP(np.array([0.0, 0.0]), np.array([3.0, 3.0]))), 4)  # (1 + 5/6 + 7/12) / 3
    0.8056
    """
    before, relevant = group_places(start)
    first = level(start) - before  # the item's recall level, were it the first of its group
    others = share(relevant - 1, size - 1)
    number = drawn(start, size, k)
    begin = np.where(number > 0, start, 0.0)
    inverse = mean_over_ranks(start, size, k, lambda rank: 1.0 / rank)
    # sum of (t - 1) / (start + t) = number - (start + 1) times the sum of 1 / (start + t)
    tied = first * inverse + others * (number / size - (begin + 1) * inverse)
    alone = np.where(number > 0, first / (begin + 1), 0.0)
    return total(np.where(size == 1, alone, tied)) / denominator(len(start), norm, k)


@expected_of("RBP")
def expected_RBP(
    start: np.ndarray, size: np.ndarray, *, p: float = 0.8, k: float = inf
) -> np.ndarray:
    """Return the expected rank-biased precision.

    Examples
    --------
    >>> float(expected_RBP(np.array([0.0]), np.array([2.0]), p=0.5))  # (1 - 0.5) (1 + 0.5) / 2
    0.375
    """
    return (1.0 - p) * total(
        mean_over_ranks(start, size, k, lambda rank: np.power(float(p), rank - 1))
    )


@expected_of("CG")
def expected_CG(
    start: np.ndarray,
    size: np.ndarray,
    grade: np.ndarray,
    *,
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> np.ndarray:
    """Return the expected cumulated gain: each gain times the item's chance.

    Examples
    --------
    >>> float(expected_CG(np.array([0.0]), np.array([2.0]), np.array([3.0]), k=1))
    1.5
    """
    return total(Gains(gain, gains, least).of(grade) * chance(start, size, k))


@expected_of("DCG")
def expected_DCG(
    start: np.ndarray,
    size: np.ndarray,
    grade: np.ndarray,
    *,
    discount: Discount = "log2(r+1)",
    base: float = 2.0,
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> np.ndarray:
    """Return the expected discounted cumulated gain: each gain times the mean discount of its group's ranks.

    Examples
    --------
    >>> round(float(expected_DCG(np.array([0.0]), np.array([2.0]), np.array([1.0]))), 4)  # (1 + 1/1.585) / 2
    0.8155
    """
    return _mean_dcg(start, size, grade, Gains(gain, gains, least, discount, base), k)


def _mean_dcg(
    start: np.ndarray, size: np.ndarray, grade: np.ndarray, graded: Gains, k: float
) -> np.ndarray:
    value = graded.of(grade)
    tied = value * mean_over_ranks(start, size, k, lambda rank: 1.0 / graded.divisor(rank))
    number = drawn(start, size, k)
    begin = np.where(number > 0, start, 0.0)
    # an item without ties: the same division as in DCG, to the last bit
    alone = np.where(number > 0, value / graded.divisor(begin + 1), 0.0)
    return total(np.where(size == 1, alone, tied))


@expected_of("nDCG")
def expected_nDCG(
    start: np.ndarray,
    size: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    *,
    discount: Discount = "log2(r+1)",
    base: float = 2.0,
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> np.ndarray:
    """Return the expected nDCG: the ideal ranking has no ties, so the expected DCG is divided by it.

    Examples
    --------
    >>> round(float(expected_nDCG(np.array([0.0]), np.array([2.0]), np.array([1.0]), np.array([1.0]))), 4)
    0.8155
    """
    graded = Gains(gain, gains, least, discount, base)
    return share(_mean_dcg(start, size, grade, graded, k), graded.best(ideal, k))
