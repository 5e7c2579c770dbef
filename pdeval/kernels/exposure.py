"""Exposure: how much attention items get under a model of users, against the attention that they should get.

Axis 0 of `exposure` and `target` is the item, or the group of items; further axes are topics and runs. `target` has one
column for all runs.
"""

from typing import Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.primitives import inf, log2, share, total

UserModel = Literal["rbp", "gerr"]
_EXPECTED = "Diaz et al. 2020, Evaluating stochastic rankings with expected exposure"
_FAIR = (
    "Ekstrand et al. 2022, Overview of the TREC 2021 fair ranking track; Sapiezynski et al. 2019"
)


@metric(
    name="EE-L",
    kind="exposure",
    range=(0, inf),
    higher=False,
    reference=_EXPECTED,
    aliases=("EEL",),
)
def EE_L(exposure: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Expected exposure loss: the squared distance between the exposure of items and their target exposure.

    Examples
    --------
    >>> float(EE_L(np.array([1.0, 0.5, 0.25]), np.array([0.75, 0.75, 0.25])))
    0.125
    """
    return total((np.asarray(exposure) - target) ** 2)


@metric(
    name="EE-D",
    kind="exposure",
    range=(0, inf),
    higher=False,
    reference=_EXPECTED,
    aliases=("EED",),
)
def EE_D(exposure: np.ndarray) -> np.ndarray:
    """Expected exposure disparity: the squared norm of the exposure of items.

    Examples
    --------
    >>> float(EE_D(np.array([1.0, 0.5, 0.25])))
    1.3125
    """
    return total(np.asarray(exposure) ** 2)


@metric(name="EE-R", kind="exposure", range=(0, inf), reference=_EXPECTED, aliases=("EER",))
def EE_R(exposure: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Expected exposure relevance: the inner product of the exposure of items and their target exposure.

    Examples
    --------
    >>> float(EE_R(np.array([1.0, 0.5, 0.25]), np.array([0.75, 0.75, 0.0])))
    1.125
    """
    return total(np.asarray(exposure) * target)


@metric(kind="exposure", reference=_FAIR)
def AWRF(exposure: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Attention-weighted rank fairness: 1 - the Jensen-Shannon divergence of the exposure of groups from the target.

    Both are normalized to sum to 1; the divergence is in bits. 0 if no item of a group is exposed; NaN if the target
    is empty.

    Examples
    --------
    >>> float(AWRF(np.array([1.0, 2.1309]), np.array([0.5, 0.5])).round(4))
    0.9755
    """
    p = share(exposure, total(exposure))
    q = share(target, total(target))
    mean = (p + q) / 2
    divergence = (_information(p, mean) + _information(q, mean)) / 2
    fairness = np.where(total(exposure) > 0, 1.0 - divergence, 0.0)
    return np.where(total(target) > 0, fairness, np.nan)


def _information(p: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return the Kullback-Leibler divergence of `p` from `mean` in bits; 0 log 0 is 0."""
    ratio = share(p, mean)
    return total(p * np.log2(np.where(ratio > 0, ratio, 1.0)))


@metric(name="AWRF*nDCG", kind="exposure", reference=_FAIR, aliases=("AWRF x nDCG",))
def AWRF_nDCG(exposure: np.ndarray, target: np.ndarray, ndcg: np.ndarray) -> np.ndarray:
    """AWRF times nDCG, the score of the TREC Fair Ranking tracks of 2021 and 2022.

    Examples
    --------
    >>> float(AWRF_nDCG(np.array([1.0, 1.0]), np.array([0.5, 0.5]), 0.5))
    0.5
    """
    return AWRF(exposure, target) * ndcg


def attention(rank: np.ndarray) -> np.ndarray:
    """Return the attention of ranks in the TREC Fair Ranking track: 1 / log2(max(rank, 2)).

    Examples
    --------
    >>> attention(np.array([1, 2, 4])).tolist()
    [1.0, 1.0, 0.5]
    """
    return 1.0 / log2(np.maximum(rank, 2))


def rank_exposure(
    rank: np.ndarray, relevant_above: np.ndarray, model: UserModel, patience: float, utility: float
) -> np.ndarray:
    """Return the exposure of ranks: p^(rank - 1), under GERR times (1 - u)^(relevant items above).

    Examples
    --------
    >>> rank_exposure(np.array([1.0, 2.0]), np.array([0, 1]), "gerr", 0.5, 0.5).tolist()
    [1.0, 0.25]
    """
    exposure: np.ndarray = patience ** (np.asarray(rank) - 1.0)
    return exposure if model == "rbp" else exposure * (1.0 - utility) ** np.asarray(relevant_above)


def target_exposure(
    above: np.ndarray,
    same: np.ndarray,
    relevant: np.ndarray,
    model: UserModel,
    patience: float,
    utility: float,
) -> np.ndarray:
    """Return the target exposure of items: items of one grade share what an ideal ranking gives them.

    (p^b - p^(b + m)) / (m (1 - p)), with `above` b items of higher grade and `same` m items of this grade. Under GERR
    p is multiplied by 1 - u for relevant items; below them, (1 - u)^b multiplies the exposure of the others.

    Examples
    --------
    >>> target_exposure(np.array([0, 2]), np.array([2, 1]), np.array([True, False]), "rbp", 0.5, 0.5).tolist()
    [0.75, 0.25]
    """
    stay = np.where(relevant & (model == "gerr"), patience * (1.0 - utility), patience)
    passed = np.where(relevant | (model == "rbp"), 1.0, (1.0 - utility) ** above)
    return passed * (stay**above - stay ** (above + same)) / (same * (1.0 - stay))


def series(ratio: float, n: np.ndarray) -> np.ndarray:
    """Return the geometric series 1 + ratio + ... of n terms, which may be infinitely many.

    Examples
    --------
    >>> series(0.5, np.array([1.0, 2.0, inf])).tolist()
    [1.0, 1.5, 2.0]
    """
    return (1.0 - ratio ** np.asarray(n, dtype=np.float64)) / (1.0 - ratio)


def expeval_bounds(
    target: np.ndarray,
    n: np.ndarray,
    levels: np.ndarray,
    model: UserModel,
    patience: float,
    utility: float,
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the least and the largest values by which expeval normalizes EE-L, EE-D and EE-R of items.

    `n` is the number of items that are ranked, infinity unless all are judged; `levels` is the number of different
    grades of the target.

    Examples
    --------
    >>> bounds = expeval_bounds(np.array([0.75, 0.75]), np.array(inf), np.array(1), "rbp", 0.5, 0.5)
    >>> [float(bound) for bound in bounds["EE-D"]]
    [0.0, 1.3333333333333333]
    """
    # expeval multiplies by u here, not by 1 - u
    stay = patience if model == "rbp" else patience * utility
    norm = total(target**2)
    ranked = np.isfinite(n)
    falling = -np.sort(-target, axis=0)
    # the static ranking of all n judged items in reverse order of relevance; padding has no place
    place = (
        np.where(ranked, n, 0.0)
        - 1.0
        - np.arange(len(target)).reshape(-1, *[1] * (target.ndim - 1))
    )
    reverse = np.where(place >= 0, stay ** np.maximum(place, 0.0), 0.0)
    even = series(stay, np.where(ranked, n, 1.0)) ** 2 / np.where(ranked, n, 1.0)
    several = levels > 1
    return {
        "EE-D": (np.where(ranked, even, 0.0), series(patience**2, n)),
        "EE-R": (np.where(several, total(reverse * falling), 0.0), np.where(several, norm, 0.0)),
        "EE-L": (
            np.zeros_like(norm),
            np.where(ranked, total((reverse - falling) ** 2), norm + series(stay, n)),
        ),
    }


def expeval_group_bounds(
    target: np.ndarray,
    relevants: np.ndarray,
    groups: np.ndarray,
    model: UserModel,
    patience: float,
    utility: float,
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the least and the largest values by which expeval normalizes EE-L, EE-D and EE-R of groups.

    `relevants` is the number of relevant items, `groups` which groups the query has. The bounds of EE-R, and under RBP
    those of EE-D, are equal, so expeval gives 1 and 0 for all rankings.

    Examples
    --------
    >>> bounds = expeval_group_bounds(
    ...     np.array([0.75, 0.75]), np.array(2.0), np.array([True, True]), "rbp", 0.5, 0.5)
    >>> [float(bound) for bound in bounds["EE-L"]]
    [0.0, 1.125]
    """
    stay = patience if model == "rbp" else patience * utility
    most = series(patience, relevants)
    count = groups.sum(axis=0)
    count = np.where(count > 1, count, 0.0)
    loss = np.maximum(total(target**2), total(np.where(groups, (most - target) ** 2, 0.0)))
    nothing = np.zeros_like(loss)
    return {
        "EE-D": (count * series(stay, relevants) ** 2, count * most**2),
        "EE-R": (nothing, nothing),
        "EE-L": (nothing, loss),
    }
