"""How popular, how new: measures of the items of a list by who had them before.

Axis 0 is the rank; `listed` says where a list has an item. A list without items has no value: NaN, and it does not
count. So it is with the list of a user without a history, where the measure looks at that.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.levels import inf, total

CASTELLS = "Castells, Vargas & Wang 2011; Zhou et al. 2010"


def first(values: np.ndarray, k: float) -> np.ndarray:
    """Return what stands at ranks 1 to k.

    Examples
    --------
    >>> first(np.array([7, 8, 9]), 2).tolist()
    [7, 8]
    """
    return values if k >= len(values) else values[: int(k)]


def mean_listed(values: np.ndarray, listed: np.ndarray, k: float = inf) -> np.ndarray:
    """Return the mean over the items of each list, down to rank k; NaN where it has none.

    Examples
    --------
    >>> mean_listed(np.array([[1.0, 9.0], [3.0, 9.0]]), np.array([[True, False], [True, False]])).tolist()
    [2.0, nan]
    """
    values, listed = first(values, k), first(listed, k)
    n = listed.sum(axis=0)
    whole = total(np.where(listed, values, 0.0))
    return np.divide(whole, n, out=np.full(np.shape(whole), np.nan), where=n > 0)


@metric(
    kind="items",
    range=(0, inf),
    reference=CASTELLS,
    aliases={"MIUF": "Novelty", "MeanInvUserFreq": "Novelty", "SelfInformation": "Novelty"},
)
def Novelty(
    popularity: np.ndarray, listed: np.ndarray, users: float, *, k: float = inf, per: Literal["item", "rank"] = "item"
) -> np.ndarray:
    """Novelty: the mean self-information of the items, -log2 of the share of users that had them before.

    An item that nobody had counts as one that one user had. A list shorter than k is averaged over the items that it
    has; with `per="rank"`, over k ranks.

    Examples
    --------
    >>> float(Novelty(np.array([0.5, 0.25]), np.array([True, True]), 8.0))
    1.5
    """
    surprise = 0.0 - np.log2(np.maximum(popularity, 1.0 / users))  # of an item that all users had, 0 and not -0
    mean = mean_listed(surprise, listed, k)
    # ranks without an item count as 0
    return mean if per == "item" or k == inf else mean * first(listed, k).sum(axis=0) / k


@metric(kind="items", range=(0, 1), reference="Castells, Vargas & Wang 2011; RePlay, Surprisal")
def Surprisal(
    popularity: np.ndarray, listed: np.ndarray, users: float, *, k: float = inf, per: Literal["item", "rank"] = "rank"
) -> np.ndarray:
    """Surprisal: novelty as a share of the largest possible, that of an item which one user had.

    Ranks without an item count as 0; with `per="item"` the mean is over the items that the list has.

    Examples
    --------
    >>> float(Surprisal(np.array([0.5, 0.125]), np.array([True, True]), 8.0, k=2)).__round__(4)
    0.6667
    """
    return Novelty(popularity, listed, users, k=k, per=per) / np.log2(np.maximum(users, 2.0))


@metric(kind="items", range=(0, inf), reference="Castells, Vargas & Wang 2011, item choice; recommenders, novelty")
def ChoiceNovelty(choice: np.ndarray, listed: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Novelty by choice: the mean of -log2 of the share of all interactions that were with the item.

    An item that nobody took has no such share: it counts as the rarest of the list's items that someone took.

    Examples
    --------
    >>> float(ChoiceNovelty(np.array([0.5, 0.125]), np.array([True, True])))
    2.0
    """
    least = np.where(first(choice, k) > 0, first(choice, k), 1.0).min(axis=0)
    return mean_listed(0.0 - np.log2(np.where(choice > 0, choice, least)), listed, k)


@metric(kind="items", higher=False, reference="Yin et al. 2012", aliases=("ARP", "AvgRecPopularity"))
def AvgPopularity(
    popularity: np.ndarray,
    listed: np.ndarray,
    *,
    k: float = inf,
) -> np.ndarray:
    """Average recommendation popularity: the mean share of users that had the items before.

    Examples
    --------
    >>> float(AvgPopularity(np.array([0.5, 0.25]), np.array([True, True])))
    0.375
    """
    return mean_listed(popularity, listed, k)


@metric(kind="items", higher=False, reference="Yin et al. 2012; RecTools, AvgRecPopularity(normalize=True)")
def AvgChoice(choice: np.ndarray, listed: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Average popularity by choice: the mean share of all interactions that were with the items.

    Examples
    --------
    >>> float(AvgChoice(np.array([0.5, 0.25]), np.array([True, True])))
    0.375
    """
    return mean_listed(choice, listed, k)


@metric(kind="items", reference="RecTools, Serendipity")
def PopSerendipity(
    popularity_place: np.ndarray, relevant: np.ndarray, listed: np.ndarray, catalogue: float, *, k: float = inf
) -> np.ndarray:
    """Serendipity by popularity: how much higher relevant items stand than by popularity, as a share of the catalogue.

    A relevant item counts its place by popularity less its rank, where that is positive, divided by the number of
    items; the sum is divided by k. An item that nobody had is last by popularity.

    Examples
    --------
    >>> float(PopSerendipity(np.array([3.0, 1.0]), np.array([True, True]), np.array([True, True]), 4.0, k=2))
    0.25
    """
    place, hit, there = first(popularity_place, k), first(relevant, k), first(listed, k)
    rank = np.arange(1, len(place) + 1).reshape(-1, *[1] * (place.ndim - 1))
    above = np.maximum(np.where(place > 0, place, catalogue + 1.0) - rank, 0.0) / catalogue
    mean = total(np.where(there & hit, above, 0.0)) / (k if k < inf else np.maximum(there.sum(axis=0), 1))
    return np.where(there.any(axis=0), mean, np.nan)


@metric(kind="items", higher=False, reference="Ekstrand et al. 2017; LensKit, MeanPopRank", aliases=("MeanPopRank",))
def PopularityRank(popularity_rank: np.ndarray, listed: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Popularity rank: the mean quantile of the items' popularity, 1 for the most popular, 0 for items nobody had.

    Examples
    --------
    >>> float(PopularityRank(np.array([1.0, 0.5]), np.array([True, True])))
    0.75
    """
    return mean_listed(popularity_rank, listed, k)


@metric(kind="items", range=(-1, inf), higher=False, reference="Abdollahpouri et al. 2019")
def PopularityLift(
    popularity: np.ndarray, listed: np.ndarray, had_popularity: np.ndarray, *, k: float = inf
) -> np.ndarray:
    """Popularity lift: how much more popular the items are than what the user had before, as a share of the latter.

    0 where recommendations are as popular as the history; a user without a history has no value.

    Examples
    --------
    >>> float(PopularityLift(np.array([0.5, 0.25]), np.array([True, True]), 0.25))
    0.5
    """
    mean = mean_listed(popularity, listed, k)
    before = np.broadcast_to(had_popularity, np.shape(mean))
    return np.divide(mean, before, out=np.full(np.shape(mean), np.nan), where=before > 0) - 1.0


@metric(kind="items", reference="Castells, Vargas & Wang 2011; RePlay, Novelty")
def Unseen(seen: np.ndarray, listed: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Unseen items: the share of items that the user did not have before.

    Examples
    --------
    >>> float(Unseen(np.array([True, False]), np.array([True, True])))
    0.5
    """
    return mean_listed(~seen * 1.0, listed, k)
