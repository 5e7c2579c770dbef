"""Measures of graded relevance: cumulated gain, plain, discounted and normalized, and the Q-measure.

The level, the smallest relevant grade, does not affect gains: every positive grade has a gain, as in trec_eval.
`gain="binary"` gives 1 to each item that is relevant at the level and 0 to the others; `least=2` gives none to grades
below 2. `gains={0: 1, 2: 9}` sets gains by grade: that of grade 0 applies to items judged non-relevant, in the
list and in the ideal ranking; unjudged items have no gain. A grade that is not listed keeps its gain.
"""

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.primitives import (
    cut,
    found,
    inf,
    level,
    log2,
    power_of_two,
    running,
    share,
    total,
)

Discount = Literal["log2(r+1)", "jk", "zipf"]
Gain = Literal["linear", "exp", "binary"]
JARVELIN = "Järvelin & Kekäläinen 2002, Cumulated gain-based evaluation of IR techniques"
DCG_SYNONYMS: dict[str, dict[Any, dict[str, Any]]] = {
    "dcg": {"log2": {}, "exp-log2": {"gain": "exp"}},
    "binary": {"true": {"gain": "binary"}, True: {"gain": "binary"}, "false": {}, False: {}},
    "discount": {"1/r": {"discount": "zipf"}},
}


def read_gains(value: Any, text: str) -> dict[float, float]:
    """Return gains by grade, from a mapping or from trec_eval's "1=3,2=9".

    Examples
    --------
    >>> read_gains("1=3,2=9,4=4.5", "ndcg_1=3,2=9,4=4.5")
    {1: 3, 2: 9, 4: 4.5}
    """
    pairs = (
        value.items()
        if isinstance(value, Mapping)
        else [pair.split("=") for pair in str(value).split(",")]
    )
    try:
        gains = {float(grade): float(gain) for grade, gain in pairs}
        plain = [
            (int(number) if number == int(number) else number)
            for pair in gains.items()
            for number in pair
        ]
    except (TypeError, ValueError, OverflowError):  # infinity overflows
        raise ValueError(
            f"gains={value!r} in {text!r} must be a gain for each grade, e.g. {{1:3,2:9}}."
        ) from None
    if low := [grade for grade in gains if grade < 0 and gains[grade] != 0]:
        raise ValueError(
            f"gains={value!r} in {text!r} gives a gain to grade {low[0]:g}, but items of negative grade are "
            "unjudged. Use grades of at least 0 in the judgments."
        )
    return dict(zip(plain[::2], plain[1::2]))


def read_base(value: Any, text: str) -> float:
    """Return the base of a logarithm, a number above 1.

    Examples
    --------
    >>> read_base(10, "DCG(base=10)")
    10.0
    """
    if not (isinstance(value, int | float) and not isinstance(value, bool) and 1 < value < inf):
        raise ValueError(
            f"base={value!r} in {text!r}: the base of the logarithm must be a number above 1."
        )
    return float(value)


GAINS = {"gains": read_gains}
DISCOUNTED = {**GAINS, "base": read_base}


class Gains(NamedTuple):
    """The gains of grades, and their discount by rank.

    Parameters
    ----------
    gain : {'linear', 'exp', 'binary'}
        The grade, 2^grade - 1, or 1.
    gains : mapping of grade to gain, optional
        Gains of single grades, which replace these.
    least : float
        The smallest grade with a gain.
    discount : {'log2(r+1)', 'jk', 'zipf'}
        Gains are divided by log2(rank + 1), max(1, log2(rank)), or the rank.
    base : float
        The base of the logarithm.

    Examples
    --------
    >>> Gains("exp").of(np.array([0.0, 1.0, 3.0])).tolist(), Gains(gains={1: 3}).of(np.array([1.0, 2.0])).tolist()
    ([0.0, 1.0, 7.0], [3.0, 2.0])
    """

    gain: Gain = "linear"
    gains: Mapping[float, float] | None = None
    least: float = 0.0
    discount: Discount = "log2(r+1)"
    base: float = 2.0

    def of(self, grade: np.ndarray) -> np.ndarray:
        """Return the gains of grades."""
        grade = np.asarray(grade, dtype=np.float64)
        gains = self.gains or {}
        if self.gain == "binary" and gains.get(0):
            raise ValueError(
                f"gains={dict(gains)} gives a gain to grade 0, which is never relevant, but gain='binary' counts "
                "relevant items only. Drop one of them."
            )
        value = grade
        if self.gain == "exp":
            value = power_of_two(grade) - 1
        elif self.gain == "binary":
            value = (grade > 0) * 1.0
        for listed, listed_gain in gains.items():
            value = np.where(grade == listed, float(listed_gain), value)
        return np.where(grade >= self.least, value, 0.0) if self.least else value

    def ideal(self, ideal: np.ndarray) -> np.ndarray:
        """Return the gains of the ideal ranking, largest first, negative ones left out.

        Examples
        --------
        >>> Gains(gains={1: 9}).ideal(np.array([2.0, 1.0, 1.0])).tolist()
        [9.0, 9.0, 2.0]
        """
        value = self.of(ideal)
        # grades are sorted, and so are their gains unless `gains` changes the order
        return value if not self.gains else np.maximum(-np.sort(-value, axis=0), 0.0)

    def divisor(self, rank: np.ndarray) -> np.ndarray:
        """Return what gains are divided by at a rank.

        Examples
        --------
        >>> rank = np.array([1.0, 8.0, 1000.0])
        >>> [Gains(discount="jk", base=base).divisor(rank).round(2).tolist() for base in (2.0, 10.0)]
        [[1.0, 3.0, 9.97], [1.0, 1.0, 3.0]]
        """
        if self.discount == "zipf":
            return np.asarray(rank, dtype=np.float64)
        logarithm = log2(rank + 1 if self.discount == "log2(r+1)" else rank)
        if self.base != 2:
            logarithm = logarithm / math.log2(self.base)
        return logarithm if self.discount == "log2(r+1)" else np.maximum(1.0, logarithm)

    def discounted(self, grade: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """Return the gains of items, each divided by the discount of its rank.

        Examples
        --------
        >>> Gains(discount="jk").discounted(np.array([3.0, 3.0]), np.array([1.0, 4.0])).tolist()
        [3.0, 1.5]
        """
        return self.of(grade) / self.divisor(rank)

    def best(self, ideal: np.ndarray, k: float) -> np.ndarray:
        """Return the DCG of the ideal ranking, cut at k.

        Examples
        --------
        >>> float(Gains(discount="jk").best(np.array([4.0, 2.0, 1.0]), 2))
        6.0
        """
        value = self.ideal(ideal)
        return total(value / self.divisor(cut(level(value), k)))


@metric(
    kind="graded",
    range=(0, inf),
    reference=JARVELIN,
    aliases=("cg",),
    synonyms=DCG_SYNONYMS,
    read=GAINS,
    padded=True,
)
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
    return total(np.where(found(rank, k), Gains(gain, gains, least).of(grade), 0.0))


@metric(
    kind="graded",
    range=(0, inf),
    reference=JARVELIN,
    padded=True,
    aliases={"dcg": "DCG", "dcg_burges": "DCG(gain=exp)", "dcg_burges@{k}": "DCG(gain=exp)@{k}"},
    synonyms=DCG_SYNONYMS,
    read=DISCOUNTED,
)
def DCG(
    rank: np.ndarray,
    grade: np.ndarray,
    *,
    discount: Discount = "log2(r+1)",
    base: float = 2.0,
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> np.ndarray:
    """Discounted cumulated gain: the sum of the gains of the first k items, each divided by its rank's discount.

    The discount is log2(rank + 1), as in trec_eval; `discount="jk"` divides by max(1, log2(rank)), as Järvelin and
    Kekäläinen did, `discount="zipf"` (or `'1/r'`) by the rank. `base` is that of the logarithm: with "jk" the first
    ranks up to it have no discount, with log(rank + 1) it multiplies all values by the same number.

    The gain is the grade; `gain="exp"` takes 2^grade - 1, `gain="binary"` (or `binary=true`) 1 for each item that is
    relevant at the level; `gains={1: 3, 2: 9}` sets it by grade, that of judged items of grade 0 included, and grades
    that are not listed keep theirs; grades below `least` and unjudged items have none.

    Examples
    --------
    >>> float(DCG(np.array([1.0, 2.0, 4.0]), np.array([4.0, 2.0, 1.0]), discount="jk"))
    6.5
    """
    return total(Gains(gain, gains, least, discount, base).discounted(grade, cut(rank, k)))


@metric(
    kind="graded",
    reference=JARVELIN,
    padded=True,
    aliases={
        "NDCG": "nDCG",
        "ndcg": "nDCG",
        "ndcg_cut_{k}": "nDCG@{k}",
        "ndcg_{gains}": "nDCG(gains='{gains}')",
        "ndcg_burges": "nDCG(gain=exp)",
        "ndcg_burges@{k}": "nDCG(gain=exp)@{k}",
    },
    synonyms=DCG_SYNONYMS,
    read=DISCOUNTED,
)
def nDCG(
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    *,
    discount: Discount = "log2(r+1)",
    base: float = 2.0,
    gain: Gain = "linear",
    gains: Mapping[float, float] | None = None,
    least: float = 0.0,
    k: float = inf,
) -> np.ndarray:
    """Normalized discounted cumulated gain: DCG divided by that of the ideal ranking.

    The ideal ranking has every judged item of positive grade (with a gain of grade 0, every judged item), best first,
    cut at `k` if there is a cutoff, never at the length of the run: trec_eval's ndcg and ndcg_cut. Parameters as
    in DCG; gdeval's nDCG is `gain="exp"`.

    Examples
    --------
    >>> grades = np.array([4.0, 2.0, 1.0])
    >>> round(float(nDCG(np.array([1.0, 2.0, 4.0]), grades, grades, discount="jk")), 2)  # 6.5 / 6.63
    0.98
    """
    graded = Gains(gain, gains, least, discount, base)
    return share(total(graded.discounted(grade, cut(rank, k))), graded.best(ideal, k))


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
    """Q-measure: average precision with the blended ratio of gain and precision instead of precision.

    At a relevant item of rank r: (C(r) + beta cg(r)) / (r + beta cg*(r)); C counts relevant items, cg cumulates
    gains (the grades), cg* those of the ideal ranking. The mean over all relevant items; beta = 0 is AP.

    Examples
    --------
    >>> ranks, grades = np.array([1.0, 3.0]), np.array([1.0, 2.0])
    >>> round(float(Q(ranks, grades, np.array([2.0, 1.0]), np.array([True, True]), 2)), 4)  # (2/3 + 5/6) / 2
    0.75
    """
    ideal_here = at_rank(np.broadcast_to(running(ideal), np.shape(rank)), rank)
    blended = (running(relevant) + beta * running(grade)) / (cut(rank, k) + beta * ideal_here)
    return share(total(np.where(relevant, blended, 0.0)), relevants)


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
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    *,
    gains: Mapping[float, float] | None = None,
) -> np.ndarray:
    """nDCG averaged over items of positive gain: each at its rank, those not retrieved at the end of the run.

    Examples
    --------
    >>> grades = np.array([1.0, 1.0])
    >>> float(nDCGrel(np.array([1.0, np.inf]), grades, grades).round(4))  # (1 + 1/1.6309) / 2
    0.8066
    """
    gain = Gains(gains=gains).of(grade)
    best = Gains(gains=gains).ideal(ideal)
    here = found(rank) & (gain > 0)
    # items that were not retrieved count with the DCG of the whole run, dcg[-1]
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
    """nDCG averaged over the ranks at which the gain of the ideal ranking decreases, and the end of the run.

    The end of the run counts if it lies more than one item beyond the last item of positive gain in the ideal
    ranking. 0 for a query without relevant items at the level. Both as in trec_eval's Rndcg.

    Examples
    --------
    >>> float(RnDCG(np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.array([2.0, 1.0]), 3, 2).round(4))
    0.44
    """
    gain = Gains(gains=gains).of(grade)
    best = Gains(gains=gains).ideal(ideal)
    best_dcg = running(best / log2(level(best) + 1))
    following = np.concatenate(
        [best[1:], np.zeros_like(best[:1])]
    )  # the gain of the next ideal item, 0 after the last
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
    rank: np.ndarray,
    grade: np.ndarray,
    ideal: np.ndarray,
    *,
    gains: Mapping[float, float] | None = None,
) -> np.ndarray:
    """Normalized gain: each gain divided by log2(2 + the gain that was missed down to its rank).

    The missed gain is the cumulated gain of the ideal ranking, at least 1 per item, minus that of this ranking. The sum
    is divided by the sum of all gains.

    Examples
    --------
    >>> float(G(np.array([1.0, 4.0]), np.array([1.0, 1.0]), np.array([1.0, 1.0])))  # (1/log2(2) + 1/log2(4)) / 2
    0.75
    """
    gain = Gains(gains=gains).of(grade)
    best = Gains(gains=gains).ideal(ideal)
    cost = at_rank(running(np.maximum(best, 1.0)), rank) + np.maximum(rank - len(best), 0.0)
    missed = np.where(found(rank), cost - running(gain), np.inf)
    return share(total(gain / np.log2(2 + missed)), total(best))
