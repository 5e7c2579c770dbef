"""Measures of the retrieved set, independent of its order, and counts.

What trec_eval calls set_P, set_recall, set_F, set_map, set_relative_P, utility and num_*. Counts are summed over
queries, everything else is averaged.
"""

from typing import Any

import numpy as np

from pdeval.catalog import checked_flag, metric
from pdeval.kernels.binary import f_measure, hits
from pdeval.kernels.primitives import cut, found, inf, level, running, share, total

TREC_EVAL = "trec_eval"
COUNT: dict[str, Any] = {
    "aggregate": "sum",
    "range": (0, inf),
    "reference": TREC_EVAL,
    "empty": True,
}


@metric(reference=TREC_EVAL, aliases=("set_P",), read={"relative": checked_flag})
def SetP(rank: np.ndarray, retrieved: np.ndarray, *, relative: bool = False) -> np.ndarray:
    """Set precision: the fraction of relevant items among all retrieved items; `relative=True` is SetRelP.

    Examples
    --------
    >>> float(SetP(np.array([1.0, 3.0, inf]), 4))
    0.5
    """
    return SetRelP(rank, retrieved) if relative else share(hits(rank), retrieved)


@metric(reference=TREC_EVAL, aliases=("set_recall",))
def SetR(rank: np.ndarray) -> np.ndarray:
    """Set recall: the fraction of the relevant items that was retrieved.

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
def SetF(
    rank: np.ndarray, retrieved: np.ndarray, *, beta: float = 1.0, x: float | None = None
) -> np.ndarray:
    """Set F: the harmonic mean of set precision and set recall, with recall weighted beta squared times as much.

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
    """Relative set precision: set precision divided by the largest possible value for a set of this size.

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
    """Utility: the sum of a value per item, which depends on whether it is relevant and retrieved.

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
    aliases={
        "num_rel_ret": "NumRelRet",
        "hits": "NumRelRet",
        "NumRet(rel={level})": "NumRelRet(level={level})",
    },
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


PARTIAL = (
    "Hiranandani et al. 2020, Optimization and analysis of the pAp@k metric for recommender systems"
)
CATALOG = {"items": (1, inf)}


def catalog(corpus: np.ndarray | None, items: float | None, relevant: float) -> np.ndarray:
    """Return the number of non-relevant items of the catalog, or of the known items without a catalog size.

    Examples
    --------
    >>> float(catalog(np.array(40.0), None, 3)), float(catalog(np.array(40.0), 1000, 3))
    (37.0, 997.0)
    """
    if items is not None and items < relevant:
        raise ValueError(
            f"items={items:g} is smaller than the number of relevant items ({relevant:g}). "
            "Pass the size of the catalog."
        )
    return np.maximum(np.asarray(corpus if items is None else items) - relevant, 0.0)


@metric(reference="ir_measures, Accuracy")
def Accuracy(rank: np.ndarray, retrieved: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Accuracy: the probability that a relevant item of the list is ranked above one of its other items.

    Only the first k items of the list count; items that were not retrieved do not. 1 if all of these are relevant, 0 if
    none is. ir_measures leaves out lists without a relevant item, and fails if all are.

    Examples
    --------
    >>> round(float(Accuracy(np.array([1.0, 4.0, inf]), 5)), 4)  # of 2 x 3 pairs, 4 are in order
    0.6667
    """
    number = hits(rank, k).astype(np.float64)
    others = np.minimum(retrieved, k) - number
    # rank - level: non-relevant items above each relevant one
    above = total(np.where(found(rank, k), rank - level(rank), 0.0))
    return np.where(number > 0, 1.0 - share(above, number * others), 0.0)


@metric(
    reference="Hanley & McNeil 1982, The meaning and use of the area under a ROC curve",
    aliases=("auc", "AUROC", "ROC_AUC", "roc_auc"),
    limits=CATALOG,
)
def AUC(
    rank: np.ndarray,
    retrieved: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    items: float | None = None,
) -> np.ndarray:
    """Area under the ROC curve: the probability that a relevant item is ranked above another item of the catalog.

    Items that were not retrieved stand below all others, in any order: of two of them each is above the other half of
    the time. 1 if the catalog has relevant items only.

    Examples
    --------
    >>> float(AUC(np.array([1.0, inf]), 3, 6))  # the first is above all 4 others, the second on 1 of them on average
    0.625
    """
    relevant = len(rank)
    others = catalog(corpus, items, relevant)
    got = found(rank)
    # rank - level counts the non-relevant items above an item
    missed = np.maximum(
        others - (retrieved - got.sum(axis=0)), 0.0
    )  # others that were not retrieved
    below = np.where(got, others - (rank - level(rank)), missed / 2)
    return np.where(others > 0, share(total(np.maximum(below, 0.0)), relevant * others), 1.0)


@metric(reference=PARTIAL, aliases=("PAUC", "pAUC"))
def PartialAUC(rank: np.ndarray, *, k: float = 10) -> np.ndarray:
    """Partial AUC: the probability that a relevant item is ranked above one of the first k non-relevant items.

    Relevant items that were not retrieved rank below them. `k` counts non-relevant items.

    Examples
    --------
    >>> float(PartialAUC(np.array([1.0, 3.0]), k=2))  # above 2 and above 1 of the first 2 others
    0.75
    """
    above = np.where(found(rank), rank - level(rank), inf)
    return total(np.maximum(k - above, 0.0)) / (k * len(rank))


@metric(reference=PARTIAL, aliases=("pAp",))
def PAP(rank: np.ndarray, *, k: float = 10) -> np.ndarray:
    """Partial AUC and precision: PartialAUC of the first k relevant items only.

    Examples
    --------
    >>> float(PAP(np.array([1.0, 3.0, inf]), k=2))
    0.75
    """
    first = np.where(level(rank) <= k, rank, inf)
    above = np.where(found(first), first - level(rank), inf)
    return total(np.maximum(k - above, 0.0)) / (k * min(k, len(rank)))


@metric(
    reference="van Rijsbergen 1979, Information Retrieval",
    higher=False,
    aliases=("fall_out", "FallOut"),
    limits=CATALOG,
)
def Fallout(
    rank: np.ndarray,
    retrieved: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    items: float | None = None,
    k: float = inf,
) -> np.ndarray:
    """Fall-out: the fraction of the non-relevant items that are among the first k.

    Examples
    --------
    >>> float(Fallout(np.array([1.0, 4.0]), 10, 22, k=5))  # 3 of 20
    0.15
    """
    return share(np.minimum(retrieved, k) - hits(rank, k), catalog(corpus, items, len(rank)))


@metric(
    reference="Matthews 1975, Comparison of the predicted and observed secondary structure of T4 phage lysozyme",
    range=(-1, 1),
    limits=CATALOG,
)
def MCC(
    rank: np.ndarray,
    retrieved: np.ndarray,
    corpus: np.ndarray | None = None,
    *,
    items: float | None = None,
    k: float = inf,
) -> np.ndarray:
    """Matthews correlation: between being relevant and being among the first k, over the items of the catalog.

    0 if one of them holds for all items or for none. RecTools takes a list shorter than k for one of k.

    Examples
    --------
    >>> float(MCC(np.array([1.0, 4.0]), 10, 22, k=5).round(4))
    0.5831
    """
    good = hits(rank, k).astype(np.float64)
    noise = np.minimum(retrieved, k) - good
    missed, others = len(rank) - good, catalog(corpus, items, len(rank))
    rest = np.maximum(others - noise, 0.0)
    size = (good + noise) * (good + missed) * (rest + noise) * (rest + missed)
    return share(good * rest - noise * missed, np.asarray(np.sqrt(size)))


@metric(
    kind="graded",
    reference="Robertson, Kanoulas & Yilmaz 2010, Extending average precision to graded relevance judgments",
    aliases=("gAP", "graded_AP"),
)
def GAP(rank: np.ndarray, grade: np.ndarray, ideal: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Graded average precision: the mean AP over users whose smallest relevant grade is each of the grades.

    The mean of AP at every level, weighted by the number of items that are relevant there; AP if grades are binary.

    Examples
    --------
    >>> ranks, grades = np.array([1.0, 2.0]), np.array([1.0, 2.0])
    >>> float(GAP(ranks, grades, np.array([2.0, 1.0])))  # AP is 1 from grade 1 on (2 items), 1/2 from grade 2 (1 item)
    0.8333333333333334
    """
    near, grade, ideal = cut(rank, k), np.asarray(grade), np.asarray(ideal)
    seen, best, below = np.zeros(near.shape), np.zeros(ideal.shape[1:]), 0.0
    for least in np.unique(ideal[ideal > 0]).tolist():
        wanted = grade >= least
        # whole numbers until the division, so that grades of other queries leave no trace
        seen = seen + (least - below) * np.where(wanted, running(wanted), 0.0)
        best = best + (least - below) * (ideal >= least).sum(axis=0)
        below = least
    return share(total(seen / near), best)
