"""Offline interleaving of many pairs at once, from counts of relevant items that each run has by each rank.

In a balanced interleaving that draws from x first, an item at rank k of x appears at turn 2k - 1, one at rank k of y
at turn 2k, whichever comes first. So when an item that x contributes at rank k is clicked last, x is credited with
all its relevant items down to k, and y with those above k, and with the one at k if x has it too by then.
"""

from __future__ import annotations

import numpy as np

from pdeval.join.blocks import Block
from pdeval.kernels.preferences import stopping_mass
from pdeval.kernels.primitives import log2

CELLS = 1 << 20


def of_block(
    block: Block,
    user: str,
    a: np.ndarray,
    b: np.ndarray,
    *,
    over: str = "all",
) -> np.ndarray:
    """Return the preferences of pairs of runs on the topics of a block, shape (topics, pairs).

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.evaluate.scores import Views
    >>> judged = pdeval.datasets.sample_judged()
    >>> block = Views(judged).blocks("binary", None)[0]
    >>> of_block(block, "uniform", np.array([0]), np.array([1])).shape == (block.shape[0], 1)
    True
    """
    ranked = _Ranked(block)
    result = np.empty((block.shape[0], len(a)))
    step = max(CELLS // max(block.size * block.shape[0], 1), 1)
    for first in range(0, len(a), step):
        left, right = a[first : first + step], b[first : first + step]
        one, other = (
            _expected(ranked, *pair, user, over) for pair in ((left, right), (right, left))
        )
        result[:, first : first + step] = (one - other) / 2
    return result


def stops_of_block(
    block: Block, user: str, a: np.ndarray, b: np.ndarray, *, over: str = "all"
) -> tuple[np.ndarray, np.ndarray]:
    """Return who wins where the user stops at the j-th relevant item, mean of both interleavings, and the weight of j.

    Both of shape (items, topics, pairs); weighted and summed, they are what `of_block` gives.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.evaluate.scores import Views
    >>> block = Views(pdeval.datasets.sample_judged()).blocks("binary", None)[0]
    >>> won, weight = stops_of_block(block, "dcg", np.array([0]), np.array([1]))
    >>> whole = of_block(block, "dcg", np.array([0]), np.array([1]))
    >>> bool(np.allclose((won * weight).sum(axis=0), whole, rtol=0, atol=1e-15))
    True
    """
    ranked = _Ranked(block)
    by_place = []
    for left, right in ((a, b), (b, a)):
        won, seen, sides = _stops(ranked, left, right)
        order = np.argsort(_turns(seen, sides), axis=0, kind="stable")
        by_place.append(np.take_along_axis(np.where(seen, won, 0), order, axis=0))
    place = np.arange(1, block.size + 1)[:, None, None]
    mass = np.ones(place.shape) if user == "uniform" else 1 / log2(place + 1)
    weight = np.broadcast_to(mass, by_place[0].shape)
    if over == "all":
        return (by_place[0] - by_place[1]) / 2, weight / stopping_mass(user, block.size)
    weight = np.where(
        place <= seen.sum(axis=0), weight, 0.0
    )  # `seen` is the same for both interleavings
    whole = weight.sum(axis=0)
    return (by_place[0] - by_place[1]) / 2, np.divide(
        weight,
        whole,
        out=np.zeros(weight.shape),
        where=whole > 0,
    )


class _Ranked:
    """The ranks of a block's items as whole numbers, and what each run has by and at each rank."""

    def __init__(self, block: Block) -> None:
        finite = np.isfinite(block["items"])
        self.beyond = int(block["items"][finite].max(initial=0)) + 1
        self.rank = np.where(finite, block["items"], self.beyond).astype(np.int64)
        self.by_rank, self.holder = _tables(self.rank, self.beyond)


def _tables(rank: np.ndarray, beyond: int) -> tuple[np.ndarray, np.ndarray]:
    """Return, for (topic, run, rank): relevant items down to that rank, and the item there (the last number: none)."""
    items, topics, runs = rank.shape
    # flat tables of shape (topics, runs, ranks + 1); the last rank stands for items that were not retrieved
    cell = (np.arange(topics)[:, None] * runs + np.arange(runs)) * (beyond + 1) + rank
    holder = np.full(topics * runs * (beyond + 1), items)
    holder[cell.ravel()] = np.repeat(np.arange(items), topics * runs)
    holder = holder.reshape(-1, beyond + 1)
    holder[:, beyond] = items
    return np.cumsum(holder < items, axis=1).ravel(), holder.ravel()


def _stops(
    ranked: _Ranked, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Return who has more credit where each item is clicked last, whether it is in the list, its ranks in a and b.

    The list draws from a first.
    """
    rank, by_rank, holder, beyond = ranked.rank, ranked.by_rank, ranked.holder, ranked.beyond
    topics, runs = rank.shape[1:]
    x, y = rank[:, :, a], rank[:, :, b]
    k = np.minimum(x, y)
    seen = k < beyond
    from_a = x <= y
    topic = np.arange(topics)[:, None] * runs
    of_a, of_b = (topic + a) * (beyond + 1), (topic + b) * (beyond + 1)
    credit = by_rank[of_a + k] - by_rank[of_b + np.maximum(k - from_a, 0)]
    # the item that b has at rank k counts where a has it by then
    there = holder[of_b + k]
    known = np.concatenate([x, np.full((1, *x.shape[1:]), beyond + 1)])
    credit -= from_a & (np.take_along_axis(known, there, axis=0) <= k)
    return np.sign(credit), seen, (x, y)


def _turns(seen: np.ndarray, sides: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the turn at which each item enters the list that draws from the first side; the rest come last."""
    x, y = sides
    return np.where(seen, np.minimum(2 * x - 1, 2 * y), np.iinfo(np.int64).max)


def _expected(
    ranked: _Ranked,
    a: np.ndarray,
    b: np.ndarray,
    user: str,
    over: str,
) -> np.ndarray:
    """Return the expected sign of a's credit less b's, where a is drawn from first."""
    won, seen, sides = _stops(ranked, a, b)
    items = len(seen)
    if user == "uniform":
        total, whole = np.where(seen, won, 0).sum(axis=0), seen.sum(axis=0)
        return _shared_out(total, whole, user, over, items)
    turn = _turns(seen, sides)
    place = np.empty(turn.shape, dtype=np.int64)
    order = np.argsort(turn, axis=0, kind="stable")
    np.put_along_axis(
        place,
        order,
        np.broadcast_to(np.arange(1, items + 1)[:, None, None], turn.shape),
        axis=0,
    )
    weight = np.where(seen, 1 / log2(place + 1), 0.0)
    total, whole = (weight * won).sum(axis=0), weight.sum(axis=0)
    return _shared_out(total, whole, user, over, items)


def _shared_out(
    total: np.ndarray,
    whole: np.ndarray,
    user: str,
    over: str,
    items: int,
) -> np.ndarray:
    """Return the total over the weight of all stopping items, or of those in the list."""
    if over == "all":
        return total / stopping_mass(user, items)
    return np.divide(total, whole, out=np.zeros(whole.shape), where=whole > 0)
