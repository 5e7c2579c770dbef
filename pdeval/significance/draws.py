"""Seeded random draws in chunks: the same draws for any block size and any number of threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from pdeval.mechanics.arguments import whole
from pdeval.mechanics.equality import NOISE

T = TypeVar("T")
U = TypeVar("U")

# Draws that share one seed. It is part of the definition of a seeded result: blocks and threads divide the
# work along these chunks or inside them, in order, and never across.
CHUNK = 64


def chunks(draws: int, seed: int | np.random.SeedSequence | None) -> list[tuple[int, np.random.SeedSequence]]:
    """Return (number of draws, seed) for every chunk of draws.

    More draws with the same seed begin with the same draws.

    Examples
    --------
    >>> [size for size, _ in chunks(150, seed=0)]
    [64, 64, 22]
    """
    draws = whole("draws", draws, 1)
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
    # built by hand and not by root.spawn(), which would change `root` and so a second use of it
    starts = range(0, draws, CHUNK)
    return [
        (
            min(CHUNK, draws - start),
            np.random.SeedSequence(root.entropy, spawn_key=(*root.spawn_key, number)),
        )
        for number, start in enumerate(starts)
    ]


def in_threads(function: Callable[[T], U], steps: Sequence[T], *, threads: int | None = None) -> Iterator[U]:
    """Yield `function(step)` for every step, in order, computed by several threads.

    Examples
    --------
    >>> list(in_threads(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    workers = min(threads or available_cores(), len(steps))
    if workers <= 1:
        yield from map(function, steps)
        return
    with ThreadPoolExecutor(workers) as pool:  # where no more is wanted, map cancels what has not begun
        yield from pool.map(function, steps)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_at_least(drawn: np.ndarray, observed: np.ndarray, scale: float | np.ndarray = 0.0) -> np.ndarray:
    """Return (1 + number of draws >= observed) / (1 + draws): a p-value that is never 0.

    A draw that falls short of the observed value by rounding alone, that is by less than 1e-12 of `scale`,
    counts.

    Examples
    --------
    >>> share_at_least(np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.3, 0.0, 9.0])).tolist()
    [0.6, 1.0, 0.2]
    """
    ordered = np.sort(drawn)
    below = np.searchsorted(ordered, observed - NOISE * np.asarray(scale), side="left")
    return (1 + len(ordered) - below) / (1 + len(ordered))
