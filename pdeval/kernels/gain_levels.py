"""trec_eval's experimental measures of gain: nDCG averaged over ranks that differ by query, and G.

nDCG rises wherever the ideal ranking comes to a lower grade, so its value at one cutoff is hard to compare between
queries; these average it at relevant items or at those steps.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.graded import GAINS, gain_of, ideal_gain
from pdeval.kernels.levels import found, level, log2, running, share, total

BUCKLEY = "trec_eval (Buckley 2008)"


def at_rank(values: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return values of the ideal ranking at given ranks; its last value beyond its end.

    Examples
    --------
    >>> at_rank(np.array([5.0, 7.0]), np.array([1.0, 9.0])).tolist()
    [5.0, 7.0]
    """
    return np.take_along_axis(values, (np.minimum(rank, len(values)) - 1).astype(np.intp), axis=0)


@metric(
    kind="graded",
    reference=BUCKLEY,
    aliases={"ndcg_rel": "nDCGrel", "ndcg_rel_{gains}": "nDCGrel(gains='{gains}')"},
    read=GAINS,
)
def nDCGrel(
    rank: np.ndarray, grade: np.ndarray, ideal: np.ndarray, *, gains: Mapping[float, float] | None = None
) -> np.ndarray:
    """nDCG averaged over items of positive gain: each at its rank, those not retrieved at the end of the run.

    Examples
    --------
    >>> grades = np.array([1.0, 1.0])
    >>> float(nDCGrel(np.array([1.0, np.inf]), grades, grades).round(4))  # (1 + 1/1.6309) / 2
    0.8066
    """
    gain, best = gain_of(grade, gains=gains), ideal_gain(ideal, gains=gains)
    here = found(rank) & (gain > 0)
    dcg = running(gain / log2(rank + 1))
    best_dcg = running(best / log2(level(best) + 1))
    at_items = total(np.where(here, share(dcg, at_rank(best_dcg, rank)), 0.0))
    relevant = (best > 0).sum(axis=0)
    return share(at_items + share((relevant - here.sum(axis=0)) * dcg[-1], best_dcg[-1]), relevant)


@metric(
    kind="graded",
    reference=BUCKLEY,
    aliases={"Rndcg": "RnDCG", "Rndcg_{gains}": "RnDCG(gains='{gains}')"},
    read=GAINS,
)
def RnDCG(
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    retrieved: np.ndarray,
    relevants: np.ndarray,
    *,
    gains: Mapping[float, float] | None = None,
) -> np.ndarray:
    """nDCG averaged over the cutoffs where the ideal ranking comes to a lower gain, and the end of the run.

    The end of the run counts if it lies more than one item beyond the last item of positive gain in the ideal
    ranking. 0 for a query with nothing relevant at the level, whatever its gains. Both as in trec_eval's Rndcg.

    Examples
    --------
    >>> float(RnDCG(np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.array([2.0, 1.0]), 3, 2).round(4))
    0.44
    """
    gain, best = gain_of(grade, gains=gains), ideal_gain(ideal, gains=gains)
    best_dcg = running(best / log2(level(best) + 1))
    following = np.concatenate([best[1:], np.zeros_like(best[:1])])
    steps = best != following
    worth, order = gain / log2(rank + 1), running(steps)
    value = np.zeros(np.shape(rank)[1:])
    for number in range(1, int(order.max(initial=0)) + 1):  # once for each gain that a query has
        step = steps & (order == number)
        cutoff = np.argmax(step, axis=0)
        dcg = total(np.where(rank <= cutoff + 1, worth, 0.0))
        best_here = np.take_along_axis(best_dcg, cutoff[None], axis=0)[0]
        value = value + np.where(step.any(axis=0), share(dcg, best_here), 0.0)
    beyond = retrieved > (best > 0).sum(axis=0) + 1
    value = value + np.where(beyond, share(total(worth), best_dcg[-1]), 0.0)
    return np.where(np.asarray(relevants) > 0, share(value, order[-1] + beyond), 0.0)


@metric(kind="graded", reference=BUCKLEY, aliases={"G_{gains}": "G(gains='{gains}')"}, read=GAINS)
def G(
    rank: np.ndarray, grade: np.ndarray, ideal: np.ndarray, *, gains: Mapping[float, float] | None = None
) -> np.ndarray:
    """Normalised gain: each gain divided by log2(2 + the gain that was missed down to its rank).

    The missed gain is what the ideal ranking has cumulated there, at least 1 an item, less what this one has. The sum
    is divided by the sum of all gains.

    Examples
    --------
    >>> float(G(np.array([1.0, 4.0]), np.array([1.0, 1.0]), np.array([1.0, 1.0])))  # (1/log2(2) + 1/log2(4)) / 2
    0.75
    """
    gain, best = gain_of(grade, gains=gains), ideal_gain(ideal, gains=gains)
    cost = at_rank(running(np.maximum(best, 1.0)), rank) + np.maximum(rank - len(best), 0.0)
    missed = np.where(found(rank), cost - running(gain), np.inf)
    return share(total(gain / np.log2(2 + missed)), total(best))
