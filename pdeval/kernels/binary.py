"""Measures of the ranks at which the relevant items were found: precision, recall and their averages.

Every kernel takes the sorted ranks of the relevant items, infinity for an item that was not found, in an array of
shape (m, ...): one ranking or many at once.
"""

from typing import Any, Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.primitives import cut, found, inf, items, level, log2, share, total

Norm = Literal["m", "min", "k"]
BUCKLEY = "Buckley & Voorhees 2005, Retrieval System Evaluation"


def hits(rank: np.ndarray, k: float = inf) -> np.ndarray:
    """Return the number of relevant items found down to rank `k`.

    Examples
    --------
    >>> int(hits(np.array([1.0, 4.0, inf]), 3))
    1
    """
    return found(rank, k).sum(axis=0)


def seen(retrieved: np.ndarray, k: float = inf) -> np.ndarray | float:
    """Return what precision divides by: the cutoff, also of a shorter list; all retrieved items without one.

    Examples
    --------
    >>> seen(7, 10), seen(7)
    (10, 7)
    """
    return retrieved if k == inf else k


@metric(
    reference=BUCKLEY,
    aliases={"map": "AP", "MAP": "AP", "map_cut": "AP", "map_cut_{k}": "AP@{k}"},
    padded=True,
)
def AP(
    rank: np.ndarray, m: np.ndarray | None = None, *, norm: Norm = "m", k: float = inf
) -> np.ndarray:
    """Average precision: the mean over relevant items of the precision at their ranks.

    The sum of i / f_i over the relevant items i found down to rank `k`, divided by the number of relevant items m:
    trec_eval's map and map_cut. Recommender libraries divide by min(m, k), `norm="min"`, or by k, `norm="k"`.

    Examples
    --------
    >>> round(float(AP(np.array([1.0, 3.0, inf]))), 4)  # (1/1 + 2/3 + 0) / 3
    0.5556
    """
    return total(level(rank) / cut(rank, k)) / denominator(items(rank, m), norm, k)


def denominator(relevant: np.ndarray | int, norm: Norm, k: float) -> Any:
    """Return the denominator of average precision: the number of relevant items, at most the cutoff.

    Examples
    --------
    >>> [float(denominator(20, norm, 10)) for norm in ("m", "min", "k")]
    [20.0, 10.0, 10.0]
    """
    if norm == "k" and k == inf:
        raise ValueError(
            "norm='k' divides by the cutoff, but the measure has no cutoff. Use e.g. 'AP(norm=k)@10'."
        )
    return {"m": relevant, "min": np.minimum(relevant, k), "k": k}[norm]


@metric(
    range=(1e-5, 1),
    aggregate="geometric mean",
    reference="Robertson 2006, On GMAP",
    aliases={"gm_map": "GMAP", "gm_ap": "GMAP"},
    empty=True,
)
def GMAP(rank: np.ndarray) -> np.ndarray:
    """Average precision of at least 0.00001, to be averaged by the geometric mean.

    The mean over queries is exp(mean of ln max(AP, 0.00001)): trec_eval's gm_map. A query without relevant items
    counts as 0.00001.

    Examples
    --------
    >>> float(GMAP(np.array([2.0, 4.0]))), float(GMAP(np.array([inf])))
    (0.5, 1e-05)
    """
    return np.maximum(share(total(level(rank) / rank), len(rank)), 1e-5)


@metric(
    reference="Voorhees 1999, TREC-8 Question Answering Track",
    aliases=("mrr", "MRR", "recip_rank"),
    limits={"i": (1, inf)},
    padded=True,
)
def RR(rank: np.ndarray, *, i: int = 1, k: float = inf) -> np.ndarray:
    """Reciprocal rank: 1 / the rank of the first relevant item, 0 if there is none down to rank k.

    `i` selects the i-th relevant item instead (RR_i of lexiprecision, Diaz 2023); 0 if there are fewer.

    Examples
    --------
    >>> ranks = np.array([2.0, 4.0, inf])
    >>> float(RR(ranks)), float(RR(ranks, i=2)), float(RR(ranks, k=1))
    (0.5, 0.25, 0.0)
    """
    return np.zeros(np.shape(rank)[1:]) if i > len(rank) else 1.0 / cut(rank, k)[int(i) - 1]


@metric(
    reference="Cleverdon 1967",
    aliases={"precision": "P", "Precision": "P", "P_{k}": "P@{k}"},
    padded=True,
)
def P(rank: np.ndarray, retrieved: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Precision: the fraction of relevant items among the first k.

    Divides by `k` also if fewer items were retrieved, as trec_eval does. Without a cutoff, the fraction among all
    retrieved items.

    Examples
    --------
    >>> float(P(np.array([1.0, 3.0, 9.0]), 20, k=5))
    0.4
    """
    return share(hits(rank, k), seen(retrieved, k))


@metric(
    reference="Cleverdon 1967",
    aliases={"recall": "R", "Recall": "R", "recall_{k}": "R@{k}"},
    padded=True,
)
def R(rank: np.ndarray, m: np.ndarray | None = None, *, k: float = inf) -> np.ndarray:
    """Recall: the fraction of the relevant items among the first k.

    Examples
    --------
    >>> float(R(np.array([1.0, 3.0, 9.0, inf]), k=5))
    0.5
    """
    return hits(rank, k) / items(rank, m)


@metric(
    reference="van Rijsbergen 1979, Information Retrieval, chapter 7",
    aliases={"f1": "F", "F1": "F", "E": "F"},
    limits={"beta": (0, inf)},
    padded=True,
)
def F(
    rank: np.ndarray,
    retrieved: np.ndarray,
    m: np.ndarray | None = None,
    *,
    beta: float = 1.0,
    k: float = inf,
) -> np.ndarray:
    """F measure: the harmonic mean of precision and recall at rank k, with recall weighted beta squared times as much.

    (1 + b^2) P R / (b^2 P + R), 0 if nothing relevant is found. Some call it `E`, as in E(beta=2); the E of van
    Rijsbergen is 1 minus it.

    Examples
    --------
    >>> round(float(F(np.array([1.0, 3.0, inf, inf]), 20, k=5)), 4)  # P = 2/5, R = 1/2
    0.4444
    """
    return f_measure(P(rank, retrieved, k=k), R(rank, m, k=k), beta * beta)


def f_measure(precision: np.ndarray, recall: np.ndarray, x: float) -> np.ndarray:
    """Return (x + 1) P R / (x P + R), x being beta squared.

    Examples
    --------
    >>> round(float(f_measure(1 / 3, 1 / 4, 1)), 4)
    0.2857
    """
    return share((x + 1.0) * precision * recall, x * precision + recall)


@metric(
    reference="Allan et al. 2005, TREC Robust/HARD tracks",
    aliases={
        "success_{k}": "Success@{k}",
        **dict.fromkeys(("success", "hit_rate", "HitRate", "HR", "Hit"), "Success"),
    },
    padded=True,
)
def Success(rank: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Success: 1 if a relevant item is among the first k, else 0.

    Examples
    --------
    >>> float(Success(np.array([4.0, 6.0]), k=5)), float(Success(np.array([6.0]), k=5))
    (1.0, 0.0)
    """
    return found(rank, k)[0] * 1.0


@metric(
    reference=BUCKLEY,
    aliases={
        "RPrec": "Rprec",
        "r-precision": "Rprec",
        "R-prec": "Rprec",
        "Rprec_mult_{mult}": "Rprec(mult={mult})",
    },
    limits={"mult": (0, 1e9)},
)
def Rprec(rank: np.ndarray, *, mult: float = 1.0) -> np.ndarray:
    """R-precision: precision after as many items as there are relevant ones.

    `mult` sets the cutoff to floor(mult * m + 0.9) items, trec_eval's Rprec_mult; 0 if the cutoff is 0.

    Examples
    --------
    >>> round(float(Rprec(np.array([1.0, 3.0, 9.0]))), 4), float(Rprec(np.array([1.0, 3.0]), mult=2))
    (0.6667, 0.5)
    """
    # rounded up, but for a fraction below 0.1, as trec_eval does
    cutoff = int(mult * len(rank) + 0.9)
    return share(hits(rank, cutoff), cutoff)


@metric(
    reference="trec_eval, relative_P",
    aliases={"relative_P": "RelP", "relative_P_{k}": "RelP@{k}"},
    padded=True,
)
def RelP(rank: np.ndarray, m: np.ndarray | None = None, *, k: float = inf) -> np.ndarray:
    """Relative precision: precision at k divided by the largest possible value.

    Relevant items found down to rank `k`, divided by min(k, m): precision up to m, recall after it.

    Examples
    --------
    >>> float(RelP(np.array([1.0, 9.0]), k=5))
    0.5
    """
    return hits(rank, k) / np.minimum(k, items(rank, m))


@metric(
    reference="Moffat & Zobel 2008, Rank-biased precision",
    aliases={"rbp.{p}": "RBP(p=0.{p})"},
    limits={"p": (0, 1)},
    padded=True,
)
def RBP(rank: np.ndarray, *, p: float = 0.8, k: float = inf) -> np.ndarray:
    """Rank-biased precision: relevant items seen by a user who continues to the next item with probability p.

    (1 - p) times the sum of p^(f_i - 1) over relevant items. gRBP weights items by grade; trec_eval's `rbp` means
    that one, with p = 0.9.

    Examples
    --------
    >>> float(RBP(np.array([1.0, 3.0, inf]), p=0.5))  # (1 - 0.5) (1 + 0.25)
    0.625
    """
    return (1.0 - p) * total(np.power(float(p), cut(rank, k) - 1))


@metric(reference="trec_eval, binG (Buckley 2008)", aliases=("binG",), padded=True)
def BinG(rank: np.ndarray, m: np.ndarray | None = None) -> np.ndarray:
    """Binary G: the mean over relevant items of 1 / log2(2 + non-relevant items above).

    Examples
    --------
    >>> float(BinG(np.array([1.0, 4.0])))  # (1/log2(2) + 1/log2(4)) / 2
    0.75
    """
    return total(1.0 / log2(2 + rank - level(rank))) / items(rank, m)
