"""Systems of runs that pass weight to each other, solved by leaving out one run after the other: walks and balances."""

from __future__ import annotations

import numpy as np


def leave_out(weight: np.ndarray) -> np.ndarray:
    """Return the weights between runs with one run after the other, from the last, made up for by those before it.

    Row k, left of the diagonal, keeps what run k had when it went; above the diagonal are the shares of it that each
    run before it takes over. Nothing is subtracted, so that small numbers stay as exact as large ones (Grassmann,
    Taksar and Heyman 1985); and LAPACK's threads make many small systems many times slower on busy cores.
    """
    weight, runs = weight.copy(), weight.shape[-1]
    if weight.ndim > 2 and min(len(weight), runs) > 1:
        _leave(weight, 1, runs)
        return weight
    for last in range(runs - 1, 0, -1):
        weight[..., :last, last] /= weight[..., last, :last].sum(axis=-1)[..., None]
        weight[..., :last, :last] += weight[..., :last, last, None] * weight[..., None, last, :last]
    return weight


def _leave(weight: np.ndarray, start: int, end: int) -> None:
    """Let the runs from `start` to `end` go, in halves: products of matrices, for many resamples, to 1e-15 the same."""
    if end - start <= 1:
        weight[..., :start, start] /= weight[..., start, :start].sum(axis=-1)[..., None]
        return
    half = (start + end) // 2
    _leave(weight, half, end)
    weight[..., :half, start:half] += (
        weight[..., :half, half:end] @ weight[..., half:end, start:half]
    )
    weight[..., start:half, :start] += (
        weight[..., start:half, half:end] @ weight[..., half:end, :start]
    )
    _leave(weight, start, half)


def stationary(move: np.ndarray) -> np.ndarray:
    """Return the share of time at each run of walks with these chances of moving, which stay put otherwise."""
    move = leave_out(move)
    # back substitution: run k gets what the runs before it pass on to it
    mass: np.ndarray = np.ones(move.shape[:-1])
    for k in range(1, mass.shape[-1]):
        mass[..., k] = (mass[..., :k] * move[..., :k, k]).sum(axis=-1)
    return mass / mass.sum(axis=-1, keepdims=True)


def balance(weight: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return x where, for every run, the sum over the others of weight * (x - x of the other) is `right`."""
    weight = leave_out(weight)
    right = right.copy()
    x = np.zeros_like(right)
    for last in range(x.shape[-1] - 1, 1, -1):  # what the first run has to have is not looked at
        right[..., :last] += weight[..., :last, last] * right[..., last, None]
    for k in range(1, x.shape[-1]):
        # the balance of run k among the runs before it, whose values are known
        row = weight[..., k, :k]
        x[..., k] = (right[..., k] + (row * x[..., :k]).sum(axis=-1)) / row.sum(axis=-1)
    return x - x.mean(axis=-1, keepdims=True)
