"""Measures of the retrieved set, whatever its order, and counts.

What trec_eval calls set_P, set_recall, set_F, set_map, set_relative_P, utility and num_*. Counts are summed over
queries, everything else is averaged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pdeval.catalog import metric
from pdeval.catalog.parameters import checked_flag
from pdeval.kernels.binary import f_measure, hits
from pdeval.kernels.levels import inf, share

TREC_EVAL = "trec_eval"
COUNT: dict[str, Any] = {"aggregate": "sum", "range": (0, inf), "reference": TREC_EVAL, "empty": True}


@metric(reference=TREC_EVAL, aliases=("set_P",), read={"relative": checked_flag})
def SetP(rank: np.ndarray, retrieved: np.ndarray, *, relative: bool = False) -> np.ndarray:
    """Set precision: the share of relevant items among all retrieved ones; `relative=True` is SetRelP.

    Examples
    --------
    >>> float(SetP(np.array([1.0, 3.0, inf]), 4))
    0.5
    """
    return SetRelP(rank, retrieved) if relative else share(hits(rank), retrieved)


@metric(reference=TREC_EVAL, aliases=("set_recall",))
def SetR(rank: np.ndarray) -> np.ndarray:
    """Set recall: the share of the relevant items that was retrieved.

    Examples
    --------
    >>> float(SetR(np.array([1.0, inf])))
    0.5
    """
    return hits(rank) / len(rank)


@metric(
    reference="van Rijsbergen 1979; trec_eval, set_F",
    aliases={"set_F": "SetF", "set_F_{x}": "SetF(x={x})"},
    limits={"beta": (0, inf), "x": (0, inf)},
)
def SetF(rank: np.ndarray, retrieved: np.ndarray, *, beta: float = 1.0, x: float | None = None) -> np.ndarray:
    """Set F: the harmonic mean of set precision and set recall, recall weighing beta squared times as much.

    `x` is beta squared, which is what trec_eval's set_F.x (and ir_measures' SetF(beta=x)) takes; it replaces `beta`.

    Examples
    --------
    >>> round(float(SetF(np.array([1.0, inf, inf, inf]), 3)), 4)  # P = 1/3, R = 1/4
    0.2857
    """
    return f_measure(SetP(rank, retrieved), SetR(rank), beta * beta if x is None else x)


@metric(
    reference=TREC_EVAL,
    aliases={"set_relative_P": "SetRelP", "SetP(relative=True)": "SetRelP"},
    synonyms={"relative": {True: {}, "true": {}}},
)
def SetRelP(rank: np.ndarray, retrieved: np.ndarray) -> np.ndarray:
    """Relative set precision: set precision divided by the best that is possible for a set of that size.

    Examples
    --------
    >>> float(SetRelP(np.array([1.0, inf]), 8))
    0.5
    """
    return share(hits(rank), np.minimum(retrieved, len(rank)))


@metric(reference=TREC_EVAL, aliases=("set_map",))
def SetAP(rank: np.ndarray, retrieved: np.ndarray) -> np.ndarray:
    """Set average precision: set precision times set recall.

    Relevant items retrieved, squared, divided by retrieved times relevant items.

    Examples
    --------
    >>> float(SetAP(np.array([1.0, inf]), 4))
    0.125
    """
    number = hits(rank).astype(np.float64)
    return share(number * number, np.asarray(retrieved, dtype=np.float64) * len(rank))


@metric(
    reference=TREC_EVAL,
    range=(-inf, inf),
    aliases={
        "utility": "Utility",
        "utility_{hit},{noise},{miss},{rest}": "Utility(hit={hit},noise={noise},miss={miss},rest={rest})",
    },
    empty=True,
)
def Utility(
    rank: np.ndarray,
    retrieved: np.ndarray,
    corpus: np.ndarray,
    *,
    hit: float = 1.0,
    noise: float = -1.0,
    miss: float = 0.0,
    rest: float = 0.0,
) -> np.ndarray:
    """Utility: a worth for each item, by whether it is relevant and whether it was retrieved.

    `hit` for a relevant item retrieved, `noise` for any other item retrieved, `miss` for a relevant item not
    retrieved, `rest` for the others of the corpus: the distinct items of the query in all rankings and judgments
    (trec_eval takes the size of the collection from its option -N).

    Examples
    --------
    >>> float(Utility(np.array([1.0, 3.0, inf]), 10, 100, hit=2.0))  # 2 * 2 - 8
    -4.0
    """
    relevant, number = len(rank), hits(rank)
    others = corpus - relevant - retrieved + number
    return hit * number + noise * (retrieved - number) + miss * (relevant - number) + rest * others


@metric(**COUNT, aliases=("num_q",))
def NumQ(retrieved: np.ndarray) -> np.ndarray:
    """Number of queries: 1 for each, to be summed.

    Examples
    --------
    >>> float(NumQ(10))
    1.0
    """
    return np.ones(np.shape(retrieved))


@metric(**COUNT, aliases=("num_ret",))
def NumRet(retrieved: np.ndarray) -> np.ndarray:
    """Number of items retrieved.

    Examples
    --------
    >>> float(NumRet(10))
    10.0
    """
    return np.asarray(retrieved, dtype=np.float64)


@metric(**COUNT, aliases=("num_rel",))
def NumRel(rank: np.ndarray, retrieved: np.ndarray) -> np.ndarray:
    """Number of relevant items.

    Examples
    --------
    >>> float(NumRel(np.array([1.0, inf]), 10))
    2.0
    """
    return np.full(np.shape(retrieved), float(len(rank)))


@metric(
    **COUNT,
    aliases={"num_rel_ret": "NumRelRet", "hits": "NumRelRet", "NumRet(rel={level})": "NumRelRet(level={level})"},
)
def NumRelRet(rank: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Number of relevant items retrieved, down to rank k.

    Examples
    --------
    >>> float(NumRelRet(np.array([1.0, 3.0, inf])))
    2.0
    """
    return hits(rank, k).astype(np.float64)


@metric(**{**COUNT, "higher": False}, aliases=("num_nonrel_judged_ret",))
def NumNonrelRet(nonrelevant_found: np.ndarray) -> np.ndarray:
    """Number of items retrieved that were judged and are not relevant.

    Examples
    --------
    >>> float(NumNonrelRet(3))
    3.0
    """
    return np.asarray(nonrelevant_found, dtype=np.float64)
