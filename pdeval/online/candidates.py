"""Optimised multileaving: which lists may be shown, and with what probabilities.

Schuth, Sietsma, Whiteson, Lefortier and de Rijke (2014), after Radlinski and Craswell (2013). A list may be shown if
each of its documents is, where it stands, some run's best that is not yet in the list. A clicked document earns a run
the inverse of the rank that it has there. The probabilities of the lists are chosen so that

    random clicks on the first k results earn every run the same, for every k, as nearly as these lists allow; and then
    the lists tell runs apart best: the expected variance of the runs' credit within a list, under clicks on rank i with
    weight 1/i, is the least.

Both are linear in the probabilities. Where none earn all runs the same, the largest distance from their mean is the
least.
"""

from __future__ import annotations

import numpy as np

from pdeval.online.drafts import draft_in_turn


def possible(ranked: np.ndarray, length: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return the lists that may be shown, each once, sorted; where there are more than `most`, so many drawn lists.

    Parameters
    ----------
    ranked : ndarray of int, shape (runs, depth)
        Documents of one query in each run's order; -1 past the end.
    length : int
        Where lists end.

    Examples
    --------
    >>> possible(np.array([[7, 8], [9, 7]]), 2, 99, np.random.default_rng(0)).tolist()
    [[7, 8], [7, 9], [9, 7]]
    """
    n_runs, depth = ranked.shape
    length = min(length, len(np.unique(ranked[ranked >= 0])))
    lists = np.zeros((1, 0), dtype=np.int64)
    for _ in range(length):
        taken = (ranked[None, :, :, None] == lists[:, None, None, :]).any(axis=3) | (ranked < 0)
        left = ~taken.all(axis=2)
        best = ranked[np.arange(n_runs), np.argmin(taken, axis=2)]
        row, run = np.nonzero(left)
        lists = np.unique(np.concatenate([lists[row], best[row, run][:, None]], axis=1), axis=0)
        if len(lists) > most:
            break
    if lists.shape[1] == length and len(lists) <= most:
        return lists
    turns = rng.integers(0, n_runs, (most, length * n_runs))  # one that has nothing left is passed over
    turns = np.concatenate([turns, np.tile(np.arange(n_runs), (most, depth))], axis=1)
    drawn, _ = draft_in_turn(np.broadcast_to(ranked, (most, n_runs, depth)), turns, length)
    return np.unique(drawn, axis=0)


def inverse_ranks(ranks: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the credit of a click on each document for each run: 1 / its rank, 1 / (size + 1) where it is not there.

    Parameters
    ----------
    ranks : ndarray of float, shape (runs, ...)
        Ranks of documents in every run; infinity where absent.
    sizes : ndarray of int, shape (runs,)
        How many documents each run has.

    Examples
    --------
    >>> inverse_ranks(np.array([[1.0, np.inf], [2.0, 4.0]]), np.array([3, 5])).tolist()
    [[1.0, 0.25], [0.5, 0.25]]
    """
    absent = (sizes + 1.0).reshape(-1, *[1] * (ranks.ndim - 1))
    found: np.ndarray = 1 / np.where(np.isinf(ranks), absent, ranks)
    return found


def distribution(credit: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the probability of every list, and by how much random clicks still earn some run more than another.

    Parameters
    ----------
    credit : ndarray, shape (runs, lists, positions)
        What a click on each position of each list earns each run.

    Examples
    --------
    >>> one = [[[1.0, 0.5], [0.5, 1.0]], [[0.5, 1.0], [1.0, 0.5]]]
    >>> chance, bias = distribution(np.array(one))
    >>> chance.round(6).tolist(), round(bias, 6)
    ([0.5, 0.5], 0.0)
    """
    from scipy.optimize import linprog

    _, n_lists, length = credit.shape
    if n_lists == 1:
        return np.ones(1), _uneven(np.ones(1), credit)
    prefix = np.cumsum(credit, axis=2)
    apart = (prefix - prefix.mean(axis=0)).transpose(0, 2, 1).reshape(-1, n_lists)  # of the runs' mean, for every k
    spread = float(np.abs(apart).max(initial=0.0))
    if spread == 0:
        return np.full(n_lists, 1 / n_lists), 0.0
    apart = apart / spread
    both = np.concatenate([apart, -apart])
    with_slack = np.concatenate([both, -np.ones((len(both), 1))], axis=1)
    least = linprog(
        np.append(np.zeros(n_lists), 1.0),
        A_ub=with_slack,
        b_ub=np.zeros(len(both)),
        A_eq=np.append(np.ones(n_lists), 0.0)[None],
        b_eq=[1.0],
        method="highs",
    )
    seen = credit @ (1 / np.arange(1, length + 1))  # credit of each list, where rank i is clicked with weight 1/i
    variance = ((seen - seen.mean(axis=0)) ** 2).sum(axis=0)
    best = linprog(
        variance / max(float(variance.max()), 1e-300),
        A_ub=both,
        b_ub=np.full(len(both), float(least.fun) + 1e-9),
        A_eq=np.ones((1, n_lists)),
        b_eq=[1.0],
        method="highs",
    )
    chance = np.maximum(best.x if best.status == 0 else least.x[:n_lists], 0.0)
    chance = chance / chance.sum()
    return chance, _uneven(chance, credit)


def _uneven(chance: np.ndarray, credit: np.ndarray) -> float:
    """Return the largest difference between two runs' expected credit in the first k results."""
    expected = np.einsum("rlk,l->rk", np.cumsum(credit, axis=2), chance)
    return float(np.ptp(expected, axis=0).max())
