"""Recall-paired preferences of a block: who reaches each level sooner, all runs against each other or pair by pair."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view as sliding

from pdeval.judged.blocks import Block
from pdeval.kernels.levels import closer

CELLS = 1 << 21  # compared at a time, of one level
SLAB = 1 << 17  # compared at a time, of several levels
NEAR = 1 << 15  # weighed at a time


def recall_paired(block: Block, weight: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the weights of the levels that a reaches sooner less those of b, shape (topics, pairs).

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.evaluate.scores import Views
    >>> block = Views(pdeval.datasets.sample_judged()).blocks("binary", 1)[-1]
    >>> recall_paired(block, np.full(block.size, 1 / block.size), np.array([0]), np.array([1])).shape[1]
    1
    """
    rank = block.cut(block.view.small)
    levels, topics, runs = rank.shape
    even = weight.min() == weight.max()
    if 2 * len(a) >= runs * runs // 2:
        return _levels_ahead(rank, a, b) / block["m"] if even else _weights_ahead(rank, weight, a, b)
    result = np.empty((topics, len(a)))
    # sums of weights take more room than counts, and are quick only inside the cache
    step = max((CELLS if even else SLAB) // max(len(a), 1), 1)
    for first in range(0, topics, step):
        part = rank[:, first : first + step]
        slab = max(SLAB // (max(len(a), 1) * part.shape[1]), 1)
        sooner = later = None
        for i in range(0, levels, slab):
            x, y = part[i : i + slab][:, :, a], part[i : i + slab][:, :, b]
            sooner = _added(sooner, x < y, weight[i : i + slab], even)
            later = _added(later, x > y, weight[i : i + slab], even)
        np.subtract(sooner, later, out=result[first : first + step], dtype=np.float64)  # type: ignore[arg-type]
    return result / block["m"] if even else result


def _levels_ahead(rank: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return on how many levels more a is ahead of b than behind, shape (topics, pairs).

    Run i meets run i + s, counted in a circle, for every shift s up to half the runs: all pairs are the same numbers
    beside themselves some places further, compared in long stretches, and nothing is gathered but what is counted.
    """
    levels, topics, runs = rank.shape
    half = runs // 2
    result = np.empty((topics, len(a)))
    apart = (b - a) % runs
    near = apart <= half  # a comes s places before b, else after it
    shift_of = np.maximum(np.where(near, apart, runs - apart), 1)
    pair = (shift_of - 1) * runs + np.where(near, a, b)
    side = np.where(near, np.sign(apart), -1)  # whole numbers, whose zero has no sign; a run leads itself nowhere
    step = max(NEAR // (16 * max(runs, 1)), 1)
    for first in range(0, topics, step):
        part = rank[:, first : first + step].transpose(0, 2, 1)
        circle = np.concatenate((part, part[:, :half]), axis=1)
        width = part.shape[2]
        lead = np.zeros((max(half, 1), runs * width), dtype=np.int32)
        slab = min(max(SLAB // (runs * width), 1), levels, np.iinfo(np.int16).max)
        shifts = max(SLAB // (slab * runs * width), 1)
        for i in range(0, levels, slab):
            own = circle[i : i + slab].reshape(-1, (runs + half) * width)
            beside = sliding(own, runs * width, axis=1)[:, ::width]
            for shift in range(1, half + 1, shifts):
                x, y = own[:, None, : runs * width], beside[:, shift : shift + shifts]
                ahead = np.subtract(y, x)
                np.sign(ahead, out=ahead)
                lead[shift - 1 : shift - 1 + shifts] += np.add.reduce(ahead, axis=0, dtype=np.int16)
        np.multiply(lead.reshape(-1, width)[pair].T, side, out=result[first : first + step])
    return result


def _weights_ahead(rank: np.ndarray, weight: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the weights of the levels where a is ahead of b less those where b is, each added level after level.

    The sign of a difference of ranks, as bits, cuts the weight out of its own bits: no comparison becomes a number.
    """
    _, topics, runs = rank.shape
    result = np.empty((topics, len(a)))
    bits = weight.astype(np.float64).view(np.int64)
    step = max(NEAR // (runs * runs), 1)
    for first in range(0, topics, step):
        part = rank[:, first : first + step].astype(np.int64)
        sooner = np.zeros((part.shape[1], runs, runs))
        term = np.empty(sooner.shape, dtype=np.int64)
        for level, own in zip(part, bits):
            np.subtract(level[:, :, None], level[:, None, :], out=term)
            np.right_shift(term, 63, out=term)
            np.bitwise_and(term, own, out=term)
            sooner += term.view(np.float64)
        np.subtract(sooner[:, a, b], sooner[:, b, a], out=result[first : first + step])
    return result


def as_pref_eval(block: Block, weight: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the same with the additions in that tool's order, so that its rounding and thus its ties are its own."""
    rank = block.cut(block.view.small)
    weight = weight / np.add.accumulate(weight)[-1]
    total = np.zeros((rank.shape[1], len(a)))
    for i in range(len(rank)):
        total += closer(rank[i][:, a], rank[i][:, b]) * weight[i]
    return len(rank) * total / len(rank)


def _added(total: np.ndarray | None, ahead: np.ndarray, weight: np.ndarray, even: bool) -> np.ndarray:
    """Return the total plus the weights of the levels that are ahead, added level after level.

    Whatever the blocks and slabs, the additions are the same, so every way of cutting gives the same bits.
    """
    if even:
        counted = ahead.sum(axis=0, dtype=np.int32)
        return counted if total is None else np.add(total, counted, out=total)
    if len(ahead) == 1:
        term = ahead[0] * weight[0]
        return term if total is None else np.add(total, term, out=total)
    terms = ahead * weight[:, None, None]
    if total is not None:
        terms[0] += total
    return np.add.accumulate(terms, axis=0, out=terms)[-1]
