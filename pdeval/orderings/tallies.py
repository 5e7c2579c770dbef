"""The tally of who is above whom over all queries, and by how much each run leads: what Borda, MC4 and others count."""

from __future__ import annotations

import numpy as np

BLOCK = 1 << 21


def tally(rank: np.ndarray, known: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each resample, by how many queries a is above b more than below, and how many have both.

    Parameters
    ----------
    rank, known : ndarray of shape (queries, runs)
        The ranks inside each query, and where they count.
    weights : ndarray of shape (resamples, queries)
        How often each query is drawn.

    Examples
    --------
    >>> net, shared = tally(np.array([[1, 2], [1, 1], [1, 2]]), np.ones((3, 2), dtype=bool), np.array([[1, 1, 1]]))
    >>> net.tolist(), shared.tolist()
    ([[[0.0, 2.0], [-2.0, 0.0]]], [[[0.0, 3.0], [3.0, 0.0]]])
    """
    n_queries, n_runs = rank.shape
    whole = bool(known.all())
    rank, weights = rank.astype(np.float32), weights.astype(np.float32)  # whole numbers: exact, at half the memory
    net, shared = np.zeros((2, len(weights), n_runs * n_runs))
    height = max(1, BLOCK // max(1, n_runs * n_runs))
    for start in range(0, n_queries, height):
        part = slice(start, start + height)
        above = rank[part][:, None, :] - rank[part][:, :, None]
        np.sign(above, out=above)
        if not whole:
            both = known[part][:, None, :] & known[part][:, :, None]
            above *= both
            shared += weights[:, part] @ both.reshape(len(above), -1).astype(np.float32)
        net += weights[:, part] @ above.reshape(len(above), -1)
    net, shared = net.reshape(-1, n_runs, n_runs), shared.reshape(-1, n_runs, n_runs)
    if whole:
        shared[:] = weights.sum(axis=1, dtype=np.float64)[:, None, None]
    shared[:, np.arange(n_runs), np.arange(n_runs)] = 0.0  # no run has a pair with itself
    return net, shared


def surplus(rank: np.ndarray, known: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return, for each resample and run, the sum over opponents of the share of queries that it leads them by.

    Parameters
    ----------
    rank, known : ndarray of shape (queries, runs)
        The ranks inside each query, as `ranks` gives them, and where they count.
    weights : ndarray of shape (resamples, queries)
        How often each query is drawn.

    Notes
    -----
    Where every run has every query, no pairs are formed: a query says by how many runs more a run is above than below.

    Examples
    --------
    >>> surplus(np.array([[1, 2, 3], [1, 1, 3]]), np.ones((2, 3), dtype=bool), np.array([[1, 1]])).tolist()
    [[1.5, 0.5, -2.0]]
    """
    if known.all():
        n_queries, n_runs = rank.shape
        cell = np.arange(n_queries)[:, None] * (n_runs + 1) + rank
        equals = np.bincount(cell.ravel())[cell]
        lead = n_runs + 2.0 - 2 * rank - equals  # rank - 1 are above; below are all but these and its equals
        return (weights @ lead) / np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    return surplus_of_pairs(*tally(rank, known, weights))


def surplus_of_pairs(net: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Return the sum of net / shared over the opponents, where some pairs may share fewer queries than others.

    Examples
    --------
    >>> surplus_of_pairs(np.array([[0.0, 1.0], [-1.0, 0.0]]), np.array([[0.0, 2.0], [2.0, 0.0]])).tolist()
    [0.5, -0.5]
    """
    most = shared.max(axis=(-1, -2), keepdims=True, initial=1.0)
    # whole numbers first, then what incomplete pairs add, which is zero for complete data: ties stay exact
    return net.sum(axis=-1) / most[..., 0] + (net * (1.0 / np.maximum(shared, 1.0) - 1.0 / most)).sum(axis=-1)
