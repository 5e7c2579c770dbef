"""The strengths of Bradley and Terry: what best explains how often each run won its games, one table or many.

`games[a, b]` is how often two runs met, symmetric with a diagonal of zeros, and `won` how many games each run won, a
tie as a half. Strengths are logarithms with mean zero: a wins against b with the odds exp(strength of a - that of b).
Every two runs must be joined by games, and no run may win all its games (a few tied ones in each pair see to that).
"""

from __future__ import annotations

import numpy as np

from pdeval.orderings.markov_chain import balance

STEPS, SETTLED = 40, 1e-9  # of resamples, well within the tolerance of ties; more steps would tell of slow ones
NEAR = 1e-6  # a step so short that its logarithm is itself
CELLS = 1 << 17  # of the pairs that are worked on at once: they stay near the processor


def strengths(games: np.ndarray, won: np.ndarray) -> np.ndarray:
    """Return the strengths that explain how often each run won its games, by Newton's method from equal ones.

    Examples
    --------
    >>> np.exp(strengths(np.array([[0.0, 4.0], [4.0, 0.0]]), np.array([3.0, 1.0]))).round(4).tolist()  # odds of 3 to 1
    [1.7321, 0.5774]
    """
    strength = np.zeros(won.shape)
    for _ in range(200):
        chance = 0.5 + 0.5 * np.tanh((strength[..., :, None] - strength[..., None, :]) / 2.0)
        expected = games * chance
        # a chance that rounds to 1 must not cut a pair apart
        weight = np.maximum(expected * (1.0 - chance), 1e-17 * games)
        step = balance(weight, won - expected.sum(axis=-1))
        reach = np.ptp(step, axis=-1, keepdims=True)
        strength += step * _damped(reach)
        if reach.max(initial=0.0) < 1e-6:  # the error is now of the order of its square
            break
    return strength


def _damped(reach: np.ndarray) -> np.ndarray:
    """Return the part of a step to take: over one that moves a pair by d, its curvature changes by e^d at most."""
    return np.where(reach > NEAR, np.log1p(reach) / np.maximum(reach, NEAR), 1.0)


def many_strengths(games: np.ndarray, won: np.ndarray) -> np.ndarray:
    """Return the strengths of many resamples of the same games, of shape (resamples, runs), to 1e-8.

    The mean of the resamples is solved first. Each then starts there and takes Newton's steps with the curvature of
    the mean, whose inverse is one matrix for all: a step costs no more than the chances of all pairs. What does not
    settle so is solved by itself.

    Examples
    --------
    >>> games = np.array([[[0.0, 4.0], [4.0, 0.0]], [[0.0, 2.0], [2.0, 0.0]]])
    >>> np.exp(many_strengths(games, np.array([[3.0, 1.0], [1.0, 1.0]]))).round(4).tolist()
    [[1.7321, 0.5774], [1.0, 1.0]]
    """
    start, inverse = _of_mean(games.mean(axis=0), won.mean(axis=0))
    even = bool((games == games[:, :1, 1:2]).sum() == games.size - won.size)  # all but a run with itself
    found = np.empty(won.shape)
    settled = np.empty(len(won), dtype=bool)
    played = games.sum(axis=-1)
    # where runs have fewer games than in the mean, the true step is longer than that with the mean's curvature
    longer = np.maximum((played.mean(axis=0) / played).max(axis=-1), 1.0)
    height = max(1, CELLS // games[0].size)
    for first in range(0, len(won), height):
        part = slice(first, first + height)
        own = games[part, :1, 1] if even else games[part]
        found[part], settled[part] = _with_one_curvature(own, won[part], start, inverse, longer[part])
    if not settled.all():
        found[~settled] = strengths(games[~settled], won[~settled])
    return found


def _of_mean(games: np.ndarray, won: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return strengths to start from, and the inverse of the curvature there, by Newton's method on one table."""
    strength = np.zeros(won.shape)
    for _ in range(200):
        inverse = inverse_curvature(games, strength)
        expected = (games * _chances(strength)).sum(axis=-1)
        step = inverse @ (won - expected)
        reach = np.ptp(step)
        strength = strength + step * _damped(reach)
        if reach < 0.01:  # near enough for a start, and its curvature as good as that of the mean itself
            break
    return strength, inverse


def inverse_curvature(games: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """Return the inverse of the curvature of the likelihood, among strengths of mean zero.

    Examples
    --------
    >>> inverse_curvature(np.array([[0.0, 4.0], [4.0, 0.0]]), np.zeros(2)).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """
    chance = 0.5 + 0.5 * np.tanh((strength[:, None] - strength[None, :]) / 2.0)
    weight = np.maximum(games * chance * (1.0 - chance), 1e-17 * games)
    size = len(strength)
    curvature = np.diag(weight.sum(axis=1)) - weight
    scale = max(float(np.trace(curvature)) / size, np.finfo(float).tiny)
    # a level for the mean, which the likelihood leaves open, and which is taken away again
    found: np.ndarray = np.linalg.inv(curvature + scale / size) - 1.0 / (scale * size)
    return (found + found.T) / 2.0


def _with_one_curvature(
    games: np.ndarray, won: np.ndarray, start: np.ndarray, inverse: np.ndarray, longer: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the strengths of some resamples, and which have settled; `games` is a column where all pairs have as many.

    A step that grows has the wrong curvature: such resamples are left to others.
    """
    strength, settled = np.repeat(start[None], len(won), axis=0), np.zeros(len(won), dtype=bool)
    left, now, gone, before = np.arange(len(won)), strength.copy(), np.zeros(won.shape), np.zeros(won.shape)
    least = np.full(len(won), np.inf)
    for turn in range(STEPS):
        chance = _chances(now)
        if games.ndim == 2:
            expected = games * (chance.sum(axis=-1) - 0.5)  # a run has no games with itself
        else:
            expected = np.einsum("rij,rij->ri", games, chance)
        step = (won - expected) @ inverse
        reach = np.ptp(step, axis=1)
        move = step * _damped(reach)[:, None]
        if turn:  # along the last move, as far as the change of the step tells that it should have gone (Anderson 1965)
            change = step - before
            share = (step * change).sum(axis=1) / np.maximum((change * change).sum(axis=1), np.finfo(float).tiny)
            move = np.where(reach[:, None] < 0.5, step - share[:, None] * (gone + change), move)
        now, gone, before = now + move, move, step
        done, least = reach * longer < SETTLED, np.minimum(least, reach)
        settled[left[done]], strength[left[done]] = True, now[done]
        keep = ~done & (reach <= 10.0 * least)
        if keep.all():
            continue
        left, now, gone, before, least, longer, won, games = (
            each[keep] for each in (left, now, gone, before, least, longer, won, games)
        )
        if not len(left):
            break
    return strength - strength.mean(axis=1, keepdims=True), settled


def _chances(strength: np.ndarray) -> np.ndarray:
    """Return the chance that a run (rows) wins against another (columns)."""
    odds = np.exp(strength - strength.mean(axis=-1, keepdims=True))
    chance: np.ndarray = odds[..., :, None] + odds[..., None, :]
    return np.divide(odds[..., :, None], chance, out=chance)
