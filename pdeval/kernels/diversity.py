"""Diversity and novelty: measures over the subtopics of a query, as the TREC Web track's ndeval computes them.

An item belongs to the subtopics that it is relevant to. The gain of a subtopic is multiplied by 1 - alpha for
every item of it seen before. Only subtopics with a relevant item count.
"""

import math

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.primitives import cut, found, inf, level, log2, share, total

CLARKE = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation"
NRBP_PAPER = "Clarke, Kolla & Vechtomova 2009, An effectiveness measure for ambiguous and underspecified queries"
AGRAWAL = "Agrawal et al. 2009, Diversifying search results"
LIMITS = {"alpha": (0, 1), "beta": (0, 1)}


def novelty(member: np.ndarray, alpha: float) -> np.ndarray:
    """Return what each item adds: the sum over its subtopics of (1 - alpha)^(items of the subtopic above it).

    Examples
    --------
    >>> novelty(np.array([[True, False], [True, True]]), 0.5).tolist()
    [1.0, 1.5]
    """
    member = np.asarray(member)
    before = (
        np.add.accumulate(member, axis=0, dtype=np.int32) - member
    )  # items of the subtopic above each item
    return np.where(member, np.power(1.0 - alpha, before), 0.0).sum(axis=1)


def greedy(belongs: np.ndarray, alpha: float, depth: float) -> np.ndarray:
    """Return the gain of each rank of a greedy ideal ranking: the item with the largest gain, of ties the last id.

    The best ranking is expensive to compute; ndeval uses this one, whose value can be slightly lower.

    Examples
    --------
    >>> greedy(np.array([[True, False], [True, True], [False, True]]), 0.5, 2).tolist()
    [2.0, 0.5]
    """
    belongs = np.asarray(belongs)
    items = len(belongs)
    gain, left = np.ones(belongs.shape[1:]), np.ones((items, *belongs.shape[2:]), dtype=bool)
    added = np.zeros((int(min(depth, items)), *belongs.shape[2:]))
    for rank in range(len(added)):
        value = np.zeros(left.shape)
        # one subtopic after the other: no array of items x subtopics x lists is made
        for subtopic in range(len(gain)):
            value += belongs[:, subtopic] * gain[subtopic]
        value[~left] = -1.0  # items are taken once
        best = (
            items - 1 - np.argmax(value[::-1], axis=0)
        )  # argmax of the reversed array: the last of equal values
        added[rank] = np.take_along_axis(value, best[None], axis=0)[0]
        np.put_along_axis(left, best[None], False, axis=0)
        chosen = np.take_along_axis(belongs, best[None, None], axis=0)[0]
        gain = np.where(chosen, gain * (1.0 - alpha), gain)
    return added


def shrinking(factor: float, most: float) -> int:
    """Return the number of ranks, at most `most`, after which a weight that shrinks by `factor` is negligible.

    Examples
    --------
    >>> shrinking(0.5, inf), shrinking(0.5, 20)
    (60, 20)
    """
    if factor >= 1:
        if most == inf:
            raise ValueError("alpha=0 requires a cutoff. Add one, e.g. '@20'.")
        return int(most)
    return int(min(most, 1 if factor <= 0 else math.ceil(math.log(1e-18) / math.log(factor))))


def best_possible(subtopics: np.ndarray, alpha: float, k: float, discount: str) -> np.ndarray:
    """Return the sum for a list whose every item belongs to all subtopics: ndeval's first normalization.

    Examples
    --------
    >>> float(best_possible(2, 0.5, 2, "rank"))  # 2 + 1/2
    2.5
    """
    rank = np.arange(1.0, shrinking(1.0 - alpha, k) + 1)
    weight = np.power(1.0 - alpha, rank - 1) / (log2(rank + 1) if discount == "log2" else rank)
    return np.asarray(subtopics) * total(weight)


def discounted(added: np.ndarray, rank: np.ndarray, discount: str) -> np.ndarray:
    """Return the sum of what items add, divided by log2(rank + 1) or by the rank.

    Examples
    --------
    >>> float(discounted(np.array([1.0, 1.0]), np.array([1.0, 2.0]), "rank"))
    1.5
    """
    return total(added / (log2(rank + 1) if discount == "log2" else rank))


@metric(
    name="alpha-DCG",
    kind="subtopic",
    reference=CLARKE,
    aliases=("alpha_DCG", "α_DCG", "α-DCG"),
    limits=LIMITS,
)
def alpha_DCG(
    rank: np.ndarray,
    member: np.ndarray,
    subtopics: np.ndarray,
    *,
    alpha: float = 0.5,
    k: float = 20,
) -> np.ndarray:
    """alpha-DCG: novelty-biased discounted cumulated gain, divided by that of items that cover all subtopics.

    The sum over the first k items of what each adds, divided by log2(rank + 1).

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> round(float(alpha_DCG(np.array([1.0, 2.0]), member, 2, k=2)), 4)  # (1 + 1.5/1.585) / (2 + 1/1.585)
    0.7398
    """
    value = discounted(novelty(member, alpha), cut(rank, k), "log2")
    return share(value, best_possible(subtopics, alpha, k, "log2"))


@metric(
    name="alpha-nDCG",
    kind="subtopic",
    reference=CLARKE,
    aliases=("alpha_nDCG", "α_nDCG", "α-nDCG"),
    limits=LIMITS,
)
def alpha_nDCG(
    rank: np.ndarray, member: np.ndarray, belongs: np.ndarray, *, alpha: float = 0.5, k: float = 20
) -> np.ndarray:
    """alpha-nDCG: novelty-biased discounted cumulated gain, divided by that of a greedy ideal ranking.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> round(float(alpha_nDCG(np.array([1.0, 2.0]), member, member)), 4)  # 1.9464 / (2 + 0.5/1.585)
    0.8406
    """
    added = greedy(belongs, alpha, k)
    value = discounted(novelty(member, alpha), cut(rank, k), "log2")
    return share(value, discounted(added, level(added), "log2"))


@metric(
    name="ERR-IA",
    kind="subtopic",
    reference="Chapelle et al. 2009; " + AGRAWAL,
    aliases=("ERR_IA",),
    limits=LIMITS,
)
def ERR_IA(
    rank: np.ndarray,
    member: np.ndarray,
    subtopics: np.ndarray,
    *,
    alpha: float = 0.5,
    k: float = 20,
) -> np.ndarray:
    """Intent-aware expected reciprocal rank, divided by that of items that cover all subtopics.

    The sum over the first k items of what each adds, divided by its rank.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> float(ERR_IA(np.array([1.0, 2.0]), member, 2, k=2))  # (1 + 1.5/2) / (2 + 1/2)
    0.7
    """
    value = discounted(novelty(member, alpha), cut(rank, k), "rank")
    return share(value, best_possible(subtopics, alpha, k, "rank"))


@metric(
    name="nERR-IA",
    kind="subtopic",
    reference="Chapelle et al. 2009; " + AGRAWAL,
    aliases=("nERR_IA",),
    limits=LIMITS,
)
def nERR_IA(
    rank: np.ndarray, member: np.ndarray, belongs: np.ndarray, *, alpha: float = 0.5, k: float = 20
) -> np.ndarray:
    """Intent-aware expected reciprocal rank, divided by that of a greedy ideal ranking.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> round(float(nERR_IA(np.array([1.0, 2.0]), member, member)), 4)  # 1.75 / (2 + 0.5/2)
    0.7778
    """
    added = greedy(belongs, alpha, k)
    value = discounted(novelty(member, alpha), cut(rank, k), "rank")
    return share(value, discounted(added, level(added), "rank"))


@metric(name="P-IA", kind="subtopic", reference=AGRAWAL, aliases=("P_IA",))
def P_IA(
    rank: np.ndarray, member: np.ndarray, subtopics: np.ndarray, *, k: float = 20
) -> np.ndarray:
    """Intent-aware precision: the mean over subtopics of the fraction of their items among the first k.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> float(P_IA(np.array([1.0, 2.0]), member, 2, k=5))  # (2/5 + 1/5) / 2
    0.3
    """
    here = np.asarray(member) & found(rank, k)[:, None]
    return share(here.sum(axis=(0, 1)), k * np.asarray(subtopics))


@metric(name="MAP-IA", kind="subtopic", reference=AGRAWAL, aliases=("MAP_IA", "AP_IA", "AP-IA"))
def MAP_IA(rank: np.ndarray, member: np.ndarray, subtopics: np.ndarray) -> np.ndarray:
    """Intent-aware average precision: the mean over subtopics of their average precision.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> float(MAP_IA(np.array([1.0, 2.0]), member, 2))  # ((1 + 1)/2 + 1/2) / 2
    0.75
    """
    member = np.asarray(member)
    precision = np.add.accumulate(member, axis=0) / np.asarray(rank)[:, None]
    average = share(total(np.where(member, precision, 0.0)), member.sum(axis=0))
    return share(total(average), subtopics)


@metric(kind="subtopic", reference=NRBP_PAPER, aliases=("nrbp",), limits=LIMITS)
def NRBP(
    rank: np.ndarray,
    member: np.ndarray,
    subtopics: np.ndarray,
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> np.ndarray:
    """Novelty- and rank-biased precision: the novelty-biased gains of the items, weighted by beta^(rank - 1).

    The sum is multiplied by (1 - (1 - alpha) beta) / number of subtopics.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> float(NRBP(np.array([1.0, 2.0]), member, 2))  # (1 + 1.5/2) 0.75 / 2
    0.65625
    """
    value = total(novelty(member, alpha) * np.power(float(beta), np.asarray(rank) - 1))
    return share(value * (1.0 - (1.0 - alpha) * beta), subtopics)


@metric(kind="subtopic", reference=NRBP_PAPER, aliases=("nnrbp",), limits=LIMITS)
def nNRBP(
    rank: np.ndarray,
    member: np.ndarray,
    belongs: np.ndarray,
    *,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> np.ndarray:
    """Novelty- and rank-biased precision, divided by that of a greedy ideal ranking.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> round(float(nNRBP(np.array([1.0, 2.0]), member, member)), 4)  # 1.75 / (2 + 0.5/2)
    0.7778
    """
    added = greedy(belongs, alpha, shrinking(beta, len(belongs)))
    value = total(novelty(member, alpha) * np.power(float(beta), np.asarray(rank) - 1))
    return share(value, total(added * np.power(float(beta), level(added) - 1)))


@metric(
    kind="subtopic",
    reference="Zhai, Cohen & Lafferty 2003, Beyond independent relevance",
    aliases=("StRecall", "S-recall", "ST-R", "I-rec"),
)
def strec(
    rank: np.ndarray, member: np.ndarray, subtopics: np.ndarray, *, k: float = 20
) -> np.ndarray:
    """Subtopic recall: the fraction of the subtopics that the first k items cover.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> float(strec(np.array([1.0, 25.0]), member, 2))
    0.5
    """
    return share((np.asarray(member) & found(rank, k)[:, None]).any(axis=0).sum(axis=0), subtopics)


SAKAI = "Sakai & Song 2011, Evaluating diversified search results using per-intent graded relevance"


@metric(name="D-nDCG", kind="subtopic", reference=SAKAI, aliases=("D_nDCG",))
def D_nDCG(rank: np.ndarray, global_gain: np.ndarray, *, k: float = 10) -> np.ndarray:
    """D-nDCG: nDCG by global gain, the sum of the grades of an item over the subtopics.

    Subtopics are equally probable. If they are not, multiply grades by the probabilities of the subtopics.

    Examples
    --------
    >>> float(D_nDCG(np.array([2.0, inf]), np.array([3.0, 1.0])).round(4))  # (3/1.585) / (3 + 1/1.585)
    0.5213
    """
    gain = np.asarray(global_gain)
    ideal = -np.sort(-gain, axis=0)
    return share(
        discounted(gain, cut(rank, k), "log2"), discounted(ideal, cut(level(ideal), k), "log2")
    )


@metric(
    name="D#-nDCG",
    kind="subtopic",
    reference=SAKAI,
    aliases=("Dsharp-nDCG", "D♯-nDCG"),
    limits={"gamma": (0, 1)},
)
def D_sharp_nDCG(
    rank: np.ndarray,
    global_gain: np.ndarray,
    member: np.ndarray,
    subtopics: np.ndarray,
    *,
    gamma: float = 0.5,
    k: float = 10,
) -> np.ndarray:
    """D#-nDCG: the mean of subtopic recall (I-rec) and D-nDCG, weighted by gamma and 1 - gamma.

    Examples
    --------
    >>> member = np.array([[True, False], [True, True]])  # items x subtopics, in rank order
    >>> float(D_sharp_nDCG(np.array([2.0, inf]), np.array([3.0, 1.0]), member, 2).round(4))  # (0.5 + 0.5213) / 2
    0.5106
    """
    recall = strec(rank, member, subtopics, k=k)
    return gamma * recall + (1.0 - gamma) * D_nDCG(rank, global_gain, k=k)
