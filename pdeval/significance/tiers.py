"""Tiers: the groups of neighbours in an order that no test tells apart."""

from __future__ import annotations

import numpy as np

from pdeval.mechanics.stretches import begins


def stretches_alike(differs: np.ndarray) -> list[tuple[int, int]]:
    """Return (first, last) of each longest stretch of places, no two of which differ; some may share places.

    Parameters
    ----------
    differs : ndarray of bool, shape (places, places)
        Symmetric; whether a test tells two places apart; the diagonal is not looked at.

    Examples
    --------
    >>> differs = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> stretches_alike(differs)
    [(0, 1), (1, 2)]
    """
    count = len(differs)
    later = np.triu(differs, k=1)
    # the first place further down that differs from i; a stretch from i ends before the nearest such end of its members
    first = np.where(later.any(axis=1), later.argmax(axis=1), count)
    ends = np.minimum.accumulate(first[::-1])[::-1] - 1
    longest = np.flatnonzero(np.concatenate([[True], ends[1:] > ends[:-1]]))
    return [(int(place), int(ends[place])) for place in longest]


def tiers(rank: np.ndarray, differs: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the first and the last tier of each run, from 1, and whether it is told apart from no run at the top.

    Runs of equal rank stand at one place, which differs from another where any of their runs do: tiers then depend
    neither on the order of rows nor on names.

    Parameters
    ----------
    rank : ndarray of shape (runs,)
    differs : ndarray of bool, shape (runs, runs)
        Symmetric; whether a test tells two runs apart.

    Examples
    --------
    >>> differs = np.zeros((4, 4), dtype=bool)
    >>> differs[0, 2:] = differs[2:, 0] = True
    >>> [found.tolist() for found in tiers(np.array([1, 2, 3, 3]), differs)]
    [[1, 1, 2, 2], [1, 2, 2, 2], [True, True, False, False]]
    """
    down = np.argsort(rank, kind="stable")
    place = np.empty(len(rank), dtype=np.int64)
    place[down] = np.cumsum(begins(np.asarray(rank)[down])) - 1
    at_places = np.zeros((int(place.max()) + 1,) * 2, dtype=bool)
    np.logical_or.at(at_places, (place[:, None], place[None, :]), differs)
    found = np.array(stretches_alike(at_places))  # runs at one place are alike there
    lowest = np.searchsorted(found[:, 1], place) + 1  # stretches end one after the other, as they begin
    highest = np.searchsorted(found[:, 0], place, side="right")
    beaten = np.logical_or.reduce(differs[:, rank == np.min(rank)], axis=1)
    return lowest, highest, ~beaten
