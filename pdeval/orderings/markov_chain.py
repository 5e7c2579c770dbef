"""Stationary distributions and Laplacian systems, solved by eliminating one run after the other."""

import numpy as np


def leave_out(weight: np.ndarray) -> np.ndarray:
    """Return the weights between runs after eliminating one run after the other, from the last.

    Row k, left of the diagonal, has the weights of run k when it was eliminated; above the diagonal are the fractions
    of it that each earlier run takes over. Nothing is subtracted, so small numbers are as exact as large ones
    (Grassmann, Taksar and Heyman 1985). LAPACK is much slower for many small systems on busy cores, due to its threads.
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
    """Eliminate the runs from `start` to `end`, in halves: matrix products for many samples, equal to 1e-15."""
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
    """Return the stationary distribution of random walks with these transition probabilities between runs."""
    move = leave_out(move)
    # back substitution: run k gets the mass that earlier runs pass to it
    mass: np.ndarray = np.ones(move.shape[:-1])
    for k in range(1, mass.shape[-1]):
        mass[..., k] = (mass[..., :k] * move[..., :k, k]).sum(axis=-1)
    return mass / mass.sum(axis=-1, keepdims=True)


def balance(weight: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return x with sum_b weight[a, b] * (x[a] - x[b]) = right[a] for every run a."""
    weight = leave_out(weight)
    right = right.copy()
    x = np.zeros_like(right)
    for last in range(x.shape[-1] - 1, 1, -1):  # the equation of the first run is redundant
        right[..., :last] += weight[..., :last, last] * right[..., last, None]
    for k in range(1, x.shape[-1]):
        # the equation of run k among earlier runs, whose values are known
        row = weight[..., k, :k]
        x[..., k] = (right[..., k] + (row * x[..., :k]).sum(axis=-1)) / row.sum(axis=-1)
    return x - x.mean(axis=-1, keepdims=True)
