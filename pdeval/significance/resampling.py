"""Seeded random draws in chunks: the same draws for any block size and any number of threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from pdeval.evaluate.seeds import CHUNK, chunks
from pdeval.tables.equal_values import NOISE

__all__ = ["CHUNK", "available_cores", "chunks", "in_threads", "new_seed", "share_at_least"]

T = TypeVar("T")
U = TypeVar("U")


def new_seed() -> int:
    """Return a random seed, for all blocks and measures of a call without one."""
    return int(np.random.default_rng().integers(2**63))


def in_threads(
    function: Callable[[T], U], steps: Sequence[T], *, threads: int | None = None
) -> Iterator[U]:
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
    with ThreadPoolExecutor(
        workers
    ) as pool:  # where no more is wanted, map cancels what has not begun
        yield from pool.map(function, steps)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_at_least(
    drawn: np.ndarray, observed: np.ndarray, scale: float | np.ndarray = 0.0
) -> np.ndarray:
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
