"""Lexicographic precision and recall as numbers: the quantile of a ranking among all possible rankings.

Comparing rankings from the first relevant item on (sgnLP), or from the last one back (sgnLR), gives a
total order. With m relevant items and n ranks there are C(N, m) rankings, N = n + m: items that were not retrieved have
the last m ranks, below all others, as in search lengths over a corpus. The fraction of rankings that are worse is a
number from 0 (nothing retrieved) to 1, so means and t-tests are defined. It is computed with the combinatorial number
system, in which every ranking is a sum of binomial coefficients, here divided by C(N, m) term by term: nothing
overflows, and no small number is the difference of large ones.

The precision of doubles is the limit: two values are equal if their relative difference is at most 1e-12. All rankings
have different values if C(N, m) is below 1e12: with n = 50,000 up to m = 2, with n = 1,000 up to m = 4, with n = 100 up
to m = 8. With more, some rankings that sgnLP and sgnLR distinguish have equal values; values that are not equal are
always in the order of sgnLP (sgnLR). Few of all possible rankings are good, so the values of good rankings are close:
with m = 100 and n = 1,000 all rankings that retrieve 70 items by rank 700 have the same LR to about 13 digits.
Use sgnLR in such cases.
"""

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.preferences import LP_PAPER
from pdeval.kernels.primitives import cut, found, inf, level, total

UNSEEN = 1e-18  # what is less than this share of a sum does not change it


def placed(
    rank: np.ndarray, corpus: np.ndarray | float | None, k: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of the items, of shape (m, lists), and the number N of all places, of shape (lists,).

    Examples
    --------
    >>> places, size = placed(np.array([1.0, 4.0, inf]), 8.0, inf)
    >>> places.ravel().tolist(), size.tolist()
    ([1.0, 4.0, 11.0], [11.0])
    """
    m, lists = len(rank), int(np.prod(np.shape(rank)[1:]))
    n = np.broadcast_to(np.asarray(k if k < inf else corpus), np.shape(rank)[1:])
    # items that were not found take the last m places, in order
    at = cut(rank, k)
    return np.where(found(at), at, n + level(rank)).reshape(m, lists), n.ravel() + m


def _factors(size: np.ndarray, many: int) -> np.ndarray:
    """Return size - 0, size - 1, ..., of shape (many, lists)."""
    return size - np.arange(many, dtype=np.float64)[:, None]


def _share(worse: np.ndarray, size: np.ndarray, m: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return ways that are worse, as a part of all C(N, m), as a share of the others."""
    factors = (m - np.arange(m, dtype=np.float64))[:, None] / _factors(size, m)
    # one factor after the other: many lists at once give what each gives alone
    one = np.multiply.accumulate(factors, axis=0)[-1]
    return np.minimum(worse / (1.0 - one), 1.0).reshape(shape)


@metric(reference=LP_PAPER, aliases=("metricLP",))
def LP(rank: np.ndarray, corpus: np.ndarray | None = None, *, k: float = inf) -> np.ndarray:
    """Lexicographic precision as a number: the fraction of rankings that sgnLP ranks below this one.

    Of all ways to place the m relevant items at n places, or after them: n is k, or without a cutoff the number of
    items of the query's corpus (in any ranking, or relevant). Values are in the order of sgnLP wherever they are not
    equal, to 1e-12; with many items that is not everywhere, see `pdeval.kernels.lexicographic`.

    Examples
    --------
    >>> LP(np.array([[1.0, 2.0, 3.0, 4.0, inf]]), k=4).round(4).tolist()  # five rankings of one item
    [1.0, 0.75, 0.5, 0.25, 0.0]
    >>> round(float(LP(np.array([1.0, 8.0]), k=8)), 4), round(float(LP(np.array([1.0, 4.0]), k=8)), 4)
    (0.8636, 0.9545)
    """
    m = len(rank)
    place, size = placed(rank, corpus, k)
    worse, weight = np.zeros(size.shape), np.ones(size.shape)
    before = np.zeros(size.shape)
    for i in range(m):
        left = m - i  # items that are placed after the one before
        places_left = size - place[i] - left + 1.0
        on = np.flatnonzero((places_left > 0) & (weight > UNSEEN * worse))
        if not len(on):
            break
        # of the ways to place them, those that begin later: C(N - f_i, left) / C(N - f_(i-1), left)
        rest = _factors(size[on] - before[on], left)
        factors = (rest - (place[i, on] - before[on])) / rest
        later = weight[on] * np.multiply.accumulate(factors, axis=0)[-1]
        worse[on] += later
        new = np.zeros(size.shape)
        new[on] = later * left / places_left[on]  # C(N - f_i, left - 1)
        weight, before = new, place[i]
    return _share(worse, size, m, np.shape(rank)[1:])


@metric(
    reference="Diaz, Ekstrand & Mitra 2023, Recall, robustness, and lexicographic evaluation",
    aliases=("metricLR",),
)
def LR(rank: np.ndarray, corpus: np.ndarray | None = None, *, k: float = inf) -> np.ndarray:
    """Lexicographic recall as a number: the fraction of rankings that sgnLR ranks below this one.

    Of all ways to place the m relevant items at n places, or after them: n is k, or without a cutoff the number of
    items of the query's corpus (in any ranking, or relevant). Values are in the order of sgnLR wherever they are not
    equal, to 1e-12; with many items that is not everywhere, see `pdeval.kernels.lexicographic`.

    Examples
    --------
    >>> ranks = np.array([[1.0, 5.0], [9.0, 8.0], [inf, inf]])  # two rankings
    >>> LR(ranks, k=10).round(4).tolist()
    [0.1298, 0.1404]
    """
    m = len(rank)
    place, size = placed(rank, corpus, k)
    worse, weight = np.zeros(size.shape), np.ones(size.shape)
    places_left = size.copy()  # places before the next item
    for i in range(m, 0, -1):
        here = place[i - 1]
        same = np.ones(size.shape)
        on = np.flatnonzero((here < places_left) & (weight > UNSEEN * worse))
        if len(on):
            # of the ways to place i items there, those that end no later: C(f_i, i) / C(room, i), and the others,
            # which are added up one by one because the first may be next to all
            parts = (places_left[on] - here[on]) / _factors(places_left[on], i)
            no_later = np.multiply.accumulate(1.0 - parts, axis=0)
            others = parts * np.concatenate([np.ones((1, len(on))), no_later[:-1]])
            worse[on] += weight[on] * total(others)
            same[on] = no_later[-1]
        weight, places_left = weight * same * i / here, here - 1.0  # C(f_i - 1, i - 1)
    return _share(worse, size, m, np.shape(rank)[1:])
