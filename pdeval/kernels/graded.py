"""Measures of graded relevance: cumulated gain, plain, discounted and normalised, and the Q-measure.

The level, the least grade that counts as relevant, does not touch gains: every positive grade has one, as in trec_eval.
`gain="binary"` gives 1 to each item that is relevant at the level and 0 to the others; `least=2` gives none to grades
below 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.levels import cut, found, inf, level, log2, running, share, total

Discount = Literal["log2(r+1)", "jk"]
Gain = Literal["linear", "exp", "binary"]
JARVELIN = "Järvelin & Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques"
DCG_SYNONYMS: dict[str, dict[Any, dict[str, Any]]] = {
    "dcg": {"log2": {}, "exp-log2": {"gain": "exp"}},
    "binary": {"true": {"gain": "binary"}, True: {"gain": "binary"}, "false": {}, False: {}},
}


def read_gains(value: Any, text: str) -> dict[float, float]:
    """Return gains by grade, from a mapping or from trec_eval's "1=3,2=9".

    Examples
    --------
    >>> read_gains("1=3,2=9,4=4.5", "ndcg_1=3,2=9,4=4.5")
    {1: 3, 2: 9, 4: 4.5}
    """
    pairs = value.items() if isinstance(value, Mapping) else [pair.split("=") for pair in str(value).split(",")]
    try:
        gains = {float(grade): float(gain) for grade, gain in pairs}
    except (TypeError, ValueError):
        raise ValueError(f"gains={value!r} in {text!r} must be a gain for each grade, e.g. {{1:3,2:9}}.") from None
    if low := [grade for grade in gains if grade <= 0 and gains[grade] != 0]:
        raise ValueError(
            f"gains={value!r} in {text!r} gives a gain to grade {low[0]:g}; only positive grades have one."
        )
    plain = [(int(number) if number == int(number) else number) for pair in gains.items() for number in pair]
    return dict(zip(plain[::2], plain[1::2]))


GAINS = {"gains": read_gains}


def gain_of(
    grade: np.ndarray, gain: Gain = "linear", gains: Mapping[float, float] | None = None, least: float = 0.0
) -> np.ndarray:
    """Return the gains of grades: the grade, 2^grade - 1, or 1, but for those that `gains` lists; 0 below `least`.

    Examples
    --------
    >>> gain_of(np.array([0.0, 1.0, 3.0]), "exp").tolist(), gain_of(np.array([1.0, 2.0]), gains={1: 3}).tolist()
    ([0.0, 1.0, 7.0], [3.0, 2.0])
    """
    grade = np.asarray(grade, dtype=np.float64)
    value = np.exp2(grade) - 1 if gain == "exp" else (grade > 0) * 1.0 if gain == "binary" else grade
    for listed, own in (gains or {}).items():
        value = np.where(grade == listed, float(own), value)
    return np.where(grade >= least, value, 0.0) if least else value


def ideal_gain(
    ideal: np.ndarray, gain: Gain = "linear", gains: Mapping[float, float] | None = None, least: float = 0.0
) -> np.ndarray:
    """Return the gains of the ideal ranking, largest first, negative ones left out.

    Examples
    --------
    >>> ideal_gain(np.array([2.0, 1.0, 1.0]), gains={1: 9}).tolist()
    [9.0, 9.0, 2.0]
    """
    value = gain_of(ideal, gain, gains, least)
    return value if not gains else np.maximum(-np.sort(-value, axis=0), 0.0)


def discounted(value: np.ndarray, rank: np.ndarray, discount: Discount = "log2(r+1)") -> np.ndarray:
    """Return gains divided by the discount of their rank.

    Examples
    --------
    >>> discounted(np.array([3.0, 3.0]), np.array([1.0, 4.0]), "jk").tolist()
    [3.0, 1.5]
    """
    return value / (log2(rank + 1) if discount == "log2(r+1)" else np.maximum(1.0, log2(rank)))


def best_dcg(
    ideal: np.ndarray,
    k: float,
    discount: Discount,
    gain: Gain,
    gains: Mapping[float, float] | None,
    least: float = 0.0,
) -> np.ndarray:
    """Return the DCG of the ideal ranking, cut at k.

    Examples
    --------
    >>> float(best_dcg(np.array([4.0, 2.0, 1.0]), 2, "jk", "linear", None))
    6.0
    """
    value = ideal_gain(ideal, gain, gains, least)
    return total(discounted(value, cut(level(value), k), discount))


@metric(kind="graded", range=(0, inf), reference=JARVELIN, aliases=("cg",), synonyms=DCG_SYNONYMS, read=GAINS)
def CG(
    rank: np.ndarray,
    grade: np.ndarray,
    *,
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> np.ndarray:
    """Cumulated gain: the sum of the gains of the first k items.

    Examples
    --------
    >>> float(CG(np.array([1.0, 2.0, 7.0]), np.array([3.0, 2.0, 1.0]), k=5))
    5.0
    """
    return total(np.where(found(rank, k), gain_of(grade, gain, gains, least), 0.0))


@metric(
    kind="graded",
    range=(0, inf),
    reference=JARVELIN,
    aliases={"dcg": "DCG", "dcg_burges": "DCG(gain=exp)", "dcg_burges@{k}": "DCG(gain=exp)@{k}"},
    synonyms=DCG_SYNONYMS,
    read=GAINS,
)
def DCG(
    rank: np.ndarray,
    grade: np.ndarray,
    *,
    discount: Discount = "log2(r+1)",
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> np.ndarray:
    """Discounted cumulated gain: the sum of the gains of the first k items, each divided by its rank's discount.

    The discount is log2(rank + 1), as in trec_eval; `discount="jk"` divides by max(1, log2(rank)), as Järvelin and
    Kekäläinen did. The gain is the grade; `gain="exp"` takes 2^grade - 1, `gain="binary"` (or `binary=true`) 1 for each
    item that is relevant at the level; `gains={1: 3, 2: 9}` sets it by grade; grades below `least` have none.

    Examples
    --------
    >>> float(DCG(np.array([1.0, 2.0, 4.0]), np.array([4.0, 2.0, 1.0]), discount="jk"))
    6.5
    """
    return total(discounted(gain_of(grade, gain, gains, least), cut(rank, k), discount))


@metric(
    kind="graded",
    reference=JARVELIN,
    aliases={
        "NDCG": "nDCG",
        "ndcg": "nDCG",
        "ndcg_cut_{k}": "nDCG@{k}",
        "ndcg_{gains}": "nDCG(gains='{gains}')",
        "ndcg_burges": "nDCG(gain=exp)",
        "ndcg_burges@{k}": "nDCG(gain=exp)@{k}",
    },
    synonyms=DCG_SYNONYMS,
    read=GAINS,
)
def nDCG(
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    *,
    discount: Discount = "log2(r+1)",
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> np.ndarray:
    """Normalised discounted cumulated gain: DCG divided by that of the ideal ranking.

    The ideal ranking holds every judged item of positive grade, best first, cut at `k` if there is a cutoff, never at
    the length of the run: trec_eval's ndcg and ndcg_cut. Parameters as in DCG; gdeval's nDCG is `gain="exp"`.

    Examples
    --------
    >>> grades = np.array([4.0, 2.0, 1.0])
    >>> round(float(nDCG(np.array([1.0, 2.0, 4.0]), grades, grades, discount="jk")), 2)  # 6.5 / 6.63
    0.98
    """
    value = DCG(rank, grade, discount=discount, gain=gain, gains=gains, least=least, k=k)
    return share(value, best_dcg(ideal, k, discount, gain, gains, least))


@metric(
    kind="graded",
    reference="Sakai 2004, New performance metrics based on multigrade relevance",
    aliases=("Qmeasure", "Q-measure"),
    limits={"beta": (0, inf)},
)
def Q(
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    relevant: np.ndarray,
    relevants: np.ndarray,
    *,
    beta: float = 1.0,
    k: float = inf,
) -> np.ndarray:
    """Q-measure: average precision with the blended ratio of gain and precision in the place of precision.

    At a relevant item of rank r: (C(r) + beta cg(r)) / (r + beta cg*(r)); C counts relevant items, cg cumulates
    gains (the grades), cg* those of the ideal ranking. The mean over all relevant items; beta = 0 is AP.

    Examples
    --------
    >>> ranks, grades = np.array([1.0, 3.0]), np.array([1.0, 2.0])
    >>> round(float(Q(ranks, grades, np.array([2.0, 1.0]), np.array([True, True]), 2)), 4)  # (2/3 + 5/6) / 2
    0.75
    """
    best = np.broadcast_to(running(ideal), np.shape(rank))
    ideal_here = np.take_along_axis(best, (np.minimum(rank, len(rank)) - 1).astype(np.intp), axis=0)
    blended = (running(relevant) + beta * running(grade)) / (cut(rank, k) + beta * ideal_here)
    return share(total(np.where(relevant, blended, 0.0)), relevants)
