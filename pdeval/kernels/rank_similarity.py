"""Similarity of two rankings of different items: Kendall's tau union and rank-biased overlap.

Axis 0 of `start_x`, `end_x`, `start_y`, `end_y` is the item of either ranking; `start` and `end` are the first and the
last rank of the item's group of tied items, infinity for an item that the ranking does not have.
"""

from typing import Literal, NamedTuple

import numpy as np

from pdeval.kernels.primitives import share

Ties = Literal["a", "b", "w"]


class Overlap(NamedTuple):
    """Rank-biased overlap: extrapolated, and the residual, the width of the interval that unseen items leave."""

    extrapolated: np.ndarray
    residual: np.ndarray


def tau_union(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return Kendall's tau of two sequences, place by place along axis 0; places with NaN do not count.

    The sequences are the places of the items of two rankings in the union of both. NaN with fewer than two places.
    Breuer et al. 2020, How to measure the reproducibility of system-oriented IR experiments.

    Examples
    --------
    >>> float(tau_union(np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 2.0])).round(4))
    0.3333
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    known = ~(np.isnan(x) | np.isnan(y))
    surplus = np.zeros(x.shape[1:])
    for place in range(len(x) - 1):  # each place with all places below it
        signs = np.sign(x[place + 1 :] - x[place]) * np.sign(y[place + 1 :] - y[place])
        surplus += np.where(known[place] & known[place + 1 :], signs, 0.0).sum(axis=0)
    n = known.sum(axis=0)
    return share(surplus, n * (n - 1) / 2.0, np.nan)


def rank_biased_overlap(
    start_x: np.ndarray,
    end_x: np.ndarray,
    start_y: np.ndarray,
    end_y: np.ndarray,
    *,
    p: float = 0.9,
    ties: Ties = "a",
) -> Overlap:
    """Return extrapolated rank-biased overlap of two rankings, and its residual.

    The weight of depth d is (1 - p) p^(d - 1). The agreement at a depth is the number of common items divided by the
    depth. Webber, Moffat and Zobel 2010, equations 30 and 32. Ties as in Corsi and Urbano 2024: "a" is the mean over
    the orders of tied items; "b" divides by the agreement of each ranking with itself, so that equal rankings have 1;
    "w" puts all tied items at the first rank of their group.

    Examples
    --------
    >>> rank = np.arange(1.0, 6.0)
    >>> other = np.array([2.0, 3.0, 4.0, 1.0, 5.0])
    >>> overlap = rank_biased_overlap(rank, rank, other, other)
    >>> float(overlap.extrapolated.round(5)), float(overlap.residual.round(5))
    (0.828, 0.32801)
    """
    x, y = _Side(start_x, end_x), _Side(start_y, end_y)
    short, long = np.minimum(x.length, y.length), np.maximum(x.length, y.length)
    total, common, at_short = np.zeros((3, *short.shape))
    for d in range(1, int(long.max(initial=0)) + 1):
        active_x, active_y = x.active(d, ties), y.active(d, ties)
        common = np.where(d <= long, (active_x * active_y).sum(axis=0), common)
        at_short = np.where(d <= short, common, at_short)
        if ties == "a":
            size = np.full(short.shape, float(d))
        elif ties == "b":
            size = np.sqrt((active_x**2).sum(axis=0) * (active_y**2).sum(axis=0))
        else:
            size = (active_x.sum(axis=0) + active_y.sum(axis=0)) / 2
        # below the end of the shorter ranking, its unseen items agree as those above did
        unseen = common / d + share(at_short * (d - short), short * d)
        agreement = np.where(d <= short, share(common, size), unseen)
        total += np.where(d <= long, p ** (d - 1) * agreement, 0.0)
    tail = share(common - at_short, long) + share(at_short, short)
    extrapolated = (1.0 - p) * total + tail * p**long
    return Overlap(np.where(long > 0, extrapolated, np.nan), _residual(short, long, common, p))


class _Side:
    """One ranking: the groups of ties of its items, and its length."""

    def __init__(self, start: np.ndarray, end: np.ndarray) -> None:
        self.start, self.end = (
            np.asarray(start, dtype=np.float64),
            np.asarray(end, dtype=np.float64),
        )
        self.length = np.isfinite(self.start).sum(axis=0).astype(np.float64)

    def active(self, depth: int, ties: Ties) -> np.ndarray:
        """Return the fraction of the orders of tied items that have each item at this depth or above."""
        if ties == "w":
            return (self.start <= depth) * 1.0
        known = np.isfinite(self.start)
        start, end = np.where(known, self.start, 0.0), np.where(known, self.end, 0.0)
        return np.where(known, np.clip((depth - start + 1) / (end - start + 1), 0.0, 1.0), 0.0)


def _residual(short: np.ndarray, long: np.ndarray, common: np.ndarray, p: float) -> np.ndarray:
    """Return the residual of rank-biased overlap: the largest minus the smallest value with unseen items."""
    last = long + short - common
    # sums[d]: sum of p^i / i for i = 1 to d
    depth = np.arange(1.0, np.max(last, initial=0.0) + 1)
    sums = np.concatenate([[0.0], np.cumsum(p**depth / depth)])
    at_short, at_long, at_last = (
        sums[np.rint(one).astype(np.int64)] for one in (short, long, last)
    )
    beyond = np.log(1.0 / (1.0 - p)) - at_last
    inner = short * (at_last - at_short) + long * (at_last - at_long) + common * beyond
    return p**short + p**long - p**last - (1.0 - p) / p * inner
