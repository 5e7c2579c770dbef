"""How lists are drafted: arithmetic on documents as numbers, all lists at once; the only loop is over positions."""

from __future__ import annotations

import numpy as np

NONE = -2  # no document: the list has ended


def draft(ranked: np.ndarray, picker: np.ndarray) -> np.ndarray:
    """Return the documents picked when, at every position, one team takes its best document not yet taken.

    A list ends as soon as some team has nothing left to take.

    Parameters
    ----------
    ranked : ndarray of int, shape (lists, teams, depth)
        Documents in each team's order; -1 past the end.
    picker : ndarray of int, shape (lists, positions)
        Which team picks.

    Examples
    --------
    >>> draft(np.array([[[7, 8, 9], [7, 9, 5]]]), np.array([[0, 1, 1, 0]])).tolist()
    [[7, 9, 5, -2]]
    """
    n_lists, n_teams, _ = ranked.shape
    padded = np.concatenate([ranked, np.full((n_lists, n_teams, 1), -1)], axis=2)
    chosen = np.full(picker.shape, NONE, dtype=np.int64)
    at = np.zeros((n_lists, n_teams, 1), dtype=np.int64)
    open_ = np.ones(n_lists, dtype=bool)
    for position in range(picker.shape[1]):
        best = np.take_along_axis(padded, at, axis=2)
        while (taken := (chosen[:, None, :position] == best).any(axis=2)).any():
            at[taken] += 1
            best = np.take_along_axis(padded, at, axis=2)
        open_ &= (best >= 0).all(axis=(1, 2))
        if not open_.any():
            break
        pick = np.take_along_axis(best[:, :, 0], picker[:, position, None], axis=1)[:, 0]
        chosen[open_, position] = pick[open_]
    return chosen


def draft_in_turn(ranked: np.ndarray, turn: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the documents and teams when teams take turns, and one that has nothing left is passed over.

    Parameters
    ----------
    ranked : ndarray of int, shape (lists, teams, depth)
        Documents in each team's order; -1 past the end.
    turn : ndarray of int, shape (lists, turns)
        Whose turn it is.
    length : int
        Where lists end.

    Examples
    --------
    >>> chosen, team = draft_in_turn(np.array([[[7, -1, -1], [7, 9, 5]]]), np.array([[1, 0, 0, 1, 1, 0]]), 4)
    >>> chosen.tolist(), team.tolist()
    ([[7, 9, 5, -2]], [[1, 1, 1, -1]])
    """
    n_lists, n_teams, _ = ranked.shape
    padded = np.concatenate([ranked, np.full((n_lists, n_teams, 1), -1)], axis=2)
    chosen, team = np.full((n_lists, length), NONE, dtype=np.int64), np.full((n_lists, length), -1, dtype=np.int64)
    at = np.zeros((n_lists, n_teams), dtype=np.int64)
    lists, filled = np.arange(n_lists), np.zeros(n_lists, dtype=np.int64)
    for own in turn.T:
        best = padded[lists, own, at[lists, own]]
        while (taken := (chosen[:, : filled.max(initial=0)] == best[:, None]).any(axis=1)).any():
            at[lists[taken], own[taken]] += 1
            best = padded[lists, own, at[lists, own]]
        picks = np.flatnonzero((best >= 0) & (filled < length))
        chosen[picks, filled[picks]], team[picks, filled[picks]] = best[picks], own[picks]
        filled[picks] += 1
        if (filled == length).all():
            break
    return chosen, team


def balance(
    a: np.ndarray, b: np.ndarray, a_in_b: np.ndarray, b_in_a: np.ndarray, a_first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return balanced lists and their teams (0 or 1): both runs read in turn, known documents passed over.

    Parameters
    ----------
    a, b : ndarray of int, shape (lists, depth)
        Documents in rank order; -1 past the end.
    a_in_b, b_in_a : ndarray of float, same shape
        The rank of a's documents in b, and of b's in a; infinity where absent.
    a_first : ndarray of bool, shape (lists,)
        Who is read first.

    Examples
    --------
    >>> a, b, inf = np.array([[7, 8, 9]]), np.array([[7, 9, 5]]), np.inf
    >>> chosen, team = balance(a, b, np.array([[1, inf, 2]]), np.array([[1, 3, inf]]), np.array([True]))
    >>> chosen.tolist(), team[chosen >= 0].tolist()
    ([[7, 8, 9, -2, -2, -2]], [0, 0, 1])
    """
    n_lists, depth = a.shape
    turn = np.stack([~a_first, a_first], axis=1).astype(np.float64)[:, :, None]
    slot = 2 * np.arange(depth) + turn  # when a's, b's document of this rank is read: (lists, 2, depth)
    other = 2 * (np.stack([a_in_b, b_in_a], axis=1) - 1) + turn[:, ::-1]
    docs = np.stack([a, b], axis=1)
    end = np.where(docs >= 0, slot, -1).max(axis=2).min(axis=1)  # reading stops where the first run ends
    kept = (docs >= 0) & (slot < other) & (slot <= end[:, None, None])
    order = np.where(kept, slot, np.inf).reshape(n_lists, -1).argsort(axis=1)
    chosen = np.where(kept, docs, NONE).reshape(n_lists, -1)
    return np.take_along_axis(chosen, order, axis=1), order // depth


def shuffled(ranked: np.ndarray, length: int, tau: float, rng: np.random.Generator) -> np.ndarray:
    """Return each team's first documents of a random order: one after the other with probability ~ rank ** -tau.

    Exponential waiting times with those rates do it at once; as they have no memory, taking out what the other team
    has picked leaves the order of the rest as if it had been drawn afterwards. A list of some length needs no more
    documents of either team than that.

    Examples
    --------
    >>> shuffled(np.array([[[7, 8, 9]]]), 2, 50.0, np.random.default_rng(0)).tolist()
    [[[7, 8]]]
    """
    rank = np.arange(1, ranked.shape[2] + 1, dtype=np.float64)
    wait = rng.standard_exponential(ranked.shape) * rank**tau
    wait[ranked < 0] = np.inf
    if length < ranked.shape[2]:
        soon = np.argpartition(wait, length - 1, axis=2)[:, :, :length]
        ranked, wait = np.take_along_axis(ranked, soon, axis=2), np.take_along_axis(wait, soon, axis=2)
    return np.take_along_axis(ranked, wait.argsort(axis=2, kind="stable"), axis=2)


def draw_any(docs: np.ndarray, best: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Return lists in which every position has any of the documents that some run ranks as high, not yet in the list.

    Parameters
    ----------
    docs : ndarray of int, shape (lists, documents)
        The documents of each list's runs; -1 past the end.
    best : ndarray of float, same shape
        The best rank that any run gives them.
    uniform : ndarray of float, shape (lists, positions)
        Random numbers in [0, 1): which of the documents is taken.

    Examples
    --------
    >>> draw_any(np.array([[7, 8, 9]]), np.array([[1.0, 1, 2]]), np.array([[0.9, 0.4, 0.0, 0.5]])).tolist()
    [[8, 7, 9, -2]]
    """
    chosen = np.full(uniform.shape, NONE, dtype=np.int64)
    free = docs >= 0
    lists = np.arange(len(docs))
    for position in range(uniform.shape[1]):
        count = np.cumsum(free & (best <= position + 1), axis=1)
        if not docs.shape[1] or not count[:, -1].any():
            break
        wanted = (uniform[:, position] * count[:, -1]).astype(np.int64)
        at = np.argmax(count > wanted[:, None], axis=1)
        open_ = count[:, -1] > 0
        chosen[open_, position] = docs[lists, at][open_]
        free[lists[open_], at[open_]] = False
    return chosen
