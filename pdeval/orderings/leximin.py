"""What every run has on its queries from the worst up, and runs in the order of that: the pessimistic view."""

from __future__ import annotations

import numpy as np

from pdeval.tables.equal_values import firsts, settled


def worst_first(value: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Return the values of each run from the worst query up: shape (resamples, runs, queries).

    Parameters
    ----------
    value : ndarray of shape (queries, runs)
        More is better; every run has every query.
    weights : ndarray of int, shape (resamples, queries), optional
        How often each query is drawn, in all as often as there are queries; by default each once.

    Examples
    --------
    >>> value = np.array([[0.3, 0.2], [0.1, 0.4]])
    >>> worst_first(value).tolist()
    [[[0.1, 0.3], [0.2, 0.4]]]
    >>> worst_first(value, np.array([[2, 0]])).tolist()
    [[[0.3, 0.3], [0.2, 0.2]]]
    """
    if np.isnan(value).any():
        query, run = np.isnan(value).any(axis=1).sum(), np.isnan(value).any(axis=0).sum()
        raise ValueError(
            f"{run} of {value.shape[1]} runs lack one or more of {query} of the {len(value)} queries, and runs are "
            "compared from the worst query up only where all have the same queries. Evaluate with topics='relevant', "
            "where a missing query is the worst case, or with topics='common'."
        )
    upward = np.argsort(value.T, axis=-1)
    ordered = np.take_along_axis(value.T, upward, axis=-1)
    if weights is None:
        return ordered[None]
    times = weights[:, upward]
    # every run of a resample has as many values as there are queries, so that the repeats are a block again
    repeated = np.repeat(np.broadcast_to(ordered, times.shape).ravel(), times.ravel())
    return repeated.reshape(times.shape)


def settled_all(value: np.ndarray, size: float = 0.0) -> np.ndarray:
    """Return the values with those of any query and run that differ by rounding only made the same.

    Examples
    --------
    >>> settled_all(np.array([[0.3, 0.5], [0.7, 0.1 + 0.2]])).tolist()
    [[0.3, 0.5], [0.7, 0.3]]
    """
    return settled(value.ravel(), size).reshape(value.shape)


def behind(rows: np.ndarray) -> np.ndarray:
    """Return, for each row, how many rows of its block are less than it, the first number that differs deciding.

    Parameters
    ----------
    rows : ndarray of shape (..., rows, numbers)

    Examples
    --------
    >>> behind(np.array([[0.1, 0.9], [0.1, 0.2], [0.0, 1.0], [0.1, 0.2]])).tolist()
    [3, 1, 0, 1]
    """
    bits = (np.asarray(rows, dtype=np.float64) + 0.0).view(np.int64)  # -0 becomes 0
    # doubles as whole numbers of the same order, whose bytes, largest first, compare as they do
    whole = np.where(bits < 0, ~bits, bits ^ np.int64(-(2**63))).astype(">i8")
    text = whole.view(f"V{8 * whole.shape[-1]}")[..., 0]
    upward = np.argsort(text, axis=-1)
    ordered = np.take_along_axis(whole, upward[..., None], axis=-2)
    new = np.ones(upward.shape, dtype=bool)
    new[..., 1:] = (ordered[..., 1:, :] != ordered[..., :-1, :]).any(axis=-1)
    found = np.empty(upward.shape, dtype=np.int64)
    np.put_along_axis(found, upward, firsts(new), axis=-1)
    return found
