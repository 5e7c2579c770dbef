"""Measures of the popularity, novelty and diversity of the items of a list, and of the coverage of all lists.

Axis 0 is the rank; `listed` is True for ranks with an item. A list without items has the value NaN
and does not count; nor does the list of a user without a history, if the measure uses the history.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.primitives import inf, level, log2, share, total


def first(values: np.ndarray, k: float) -> np.ndarray:
    """Return the items at ranks 1 to k.

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
    return share(total(np.where(listed, values, 0.0)), listed.sum(axis=0), np.nan)


@metric(
    kind="items",
    range=(0, inf),
    reference="Castells, Vargas & Wang 2011; Zhou et al. 2010",
    aliases={"MIUF": "Novelty", "MeanInvUserFreq": "Novelty", "SelfInformation": "Novelty"},
)
def Novelty(
    popularity: np.ndarray,
    listed: np.ndarray,
    users: float,
    *,
    k: float = inf,
    per: Literal["item", "rank"] = "item",
) -> np.ndarray:
    """Novelty: the mean self-information of the items, -log2 of the fraction of users that had them before.

    An item without users counts as one that one user had. A list shorter than k is averaged over the items that it
    has; with `per="rank"`, over k ranks.

    Examples
    --------
    >>> float(Novelty(np.array([0.5, 0.25]), np.array([True, True]), 8.0))
    1.5
    """
    surprise = 0.0 - np.log2(
        np.maximum(popularity, 1.0 / users)
    )  # of an item that all users had, 0 and not -0
    mean = mean_listed(surprise, listed, k)
    # ranks without an item count as 0
    return mean if per == "item" or k == inf else mean * first(listed, k).sum(axis=0) / k


@metric(kind="items", range=(0, 1), reference="Castells, Vargas & Wang 2011; RePlay, Surprisal")
def Surprisal(
    popularity: np.ndarray,
    listed: np.ndarray,
    users: float,
    *,
    k: float = inf,
    per: Literal["item", "rank"] = "rank",
) -> np.ndarray:
    """Surprisal: novelty divided by the largest possible value, that of an item of one user.

    Ranks without an item count as 0; with `per="item"` the mean is over the items that the list has.

    Examples
    --------
    >>> float(Surprisal(np.array([0.5, 0.125]), np.array([True, True]), 8.0, k=2)).__round__(4)
    0.6667
    """
    return Novelty(popularity, listed, users, k=k, per=per) / np.log2(np.maximum(users, 2.0))


@metric(
    kind="items",
    range=(0, inf),
    reference="Castells, Vargas & Wang 2011, item choice; recommenders, novelty",
    aliases=("EFD",),
)
def ChoiceNovelty(choice: np.ndarray, listed: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Novelty by choice: the mean of -log2 of the fraction of all interactions that were with the item.

    An item without interactions counts as the rarest item of the list that has interactions.

    Examples
    --------
    >>> float(ChoiceNovelty(np.array([0.5, 0.125]), np.array([True, True])))
    2.0
    """
    # an item without interactions counts as the rarest item of the list
    least = np.where(first(choice, k) > 0, first(choice, k), 1.0).min(axis=0)
    return mean_listed(0.0 - np.log2(np.where(choice > 0, choice, least)), listed, k)


@metric(
    kind="items", reference="Vargas & Castells 2011, Rank and relevance in novelty and diversity"
)
def EPC(
    popularity: np.ndarray,
    listed: np.ndarray,
    *,
    discount: Literal["none", "log2"] = "none",
    k: float = inf,
) -> np.ndarray:
    """Expected popularity complement: the mean fraction of users that did not have the items before.

    With `discount="log2"` the weight of rank i is 1 / log2(i + 1).

    Examples
    --------
    >>> popularity, listed = np.array([0.5, 0.25]), np.array([True, True])
    >>> float(EPC(popularity, listed)), float(EPC(popularity, listed, discount="log2").round(4))
    (0.625, 0.5967)
    """
    near, there = first(popularity, k), first(listed, k)
    weight = 1.0 / log2(level(near) + 1) if discount == "log2" else np.ones_like(level(near))
    weight = np.where(there, weight, 0.0)
    return share(total(weight * (1.0 - near)), total(weight), np.nan)


@metric(
    kind="items", higher=False, reference="Yin et al. 2012", aliases=("ARP", "AvgRecPopularity")
)
def AvgPopularity(
    popularity: np.ndarray,
    listed: np.ndarray,
    *,
    k: float = inf,
) -> np.ndarray:
    """Average recommendation popularity: the mean fraction of users that had the items before.

    Examples
    --------
    >>> float(AvgPopularity(np.array([0.5, 0.25]), np.array([True, True])))
    0.375
    """
    return mean_listed(popularity, listed, k)


@metric(
    kind="items",
    higher=False,
    reference="Yin et al. 2012; RecTools, AvgRecPopularity(normalize=True)",
)
def AvgChoice(choice: np.ndarray, listed: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Average popularity by choice: the mean fraction of all interactions that were with the items.

    Examples
    --------
    >>> float(AvgChoice(np.array([0.5, 0.25]), np.array([True, True])))
    0.375
    """
    return mean_listed(choice, listed, k)


@metric(kind="items", reference="RecTools, Serendipity")
def PopSerendipity(
    popularity_place: np.ndarray,
    relevant: np.ndarray,
    listed: np.ndarray,
    catalog: float,
    *,
    k: float = inf,
) -> np.ndarray:
    """Serendipity by popularity: the ranks that relevant items gain over the order by popularity, as a quantile.

    The gain of a relevant item is its rank by popularity minus its rank in the list, if that is positive, divided by
    the number of items; the sum is divided by k. An item without users is last by popularity.

    Examples
    --------
    >>> float(PopSerendipity(np.array([3.0, 1.0]), np.array([True, True]), np.array([True, True]), 4.0, k=2))
    0.25
    """
    place, hit, there = first(popularity_place, k), first(relevant, k), first(listed, k)
    # an item without a place, which nobody had, comes after all others by popularity
    above = np.maximum(np.where(place > 0, place, catalog + 1.0) - level(place), 0.0) / catalog
    mean = total(np.where(there & hit, above, 0.0)) / (
        k if k < inf else np.maximum(there.sum(axis=0), 1)
    )
    return np.where(there.any(axis=0), mean, np.nan)


@metric(
    kind="items",
    higher=False,
    reference="Ekstrand et al. 2017; LensKit, MeanPopRank",
    aliases=("MeanPopRank",),
)
def PopularityRank(
    popularity_rank: np.ndarray, listed: np.ndarray, *, k: float = inf
) -> np.ndarray:
    """Popularity rank: the mean quantile of the items' popularity, 1 for the most popular, 0 for items without users.

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
    """Popularity lift: the popularity of the items relative to that of the items that the user had before, minus 1.

    0 if recommendations are as popular as the history; a user without a history has no value.

    Examples
    --------
    >>> float(PopularityLift(np.array([0.5, 0.25]), np.array([True, True]), 0.25))
    0.5
    """
    return share(mean_listed(popularity, listed, k), had_popularity, np.nan) - 1.0


@metric(kind="items", reference="Castells, Vargas & Wang 2011; RePlay, Novelty")
def Unseen(seen: np.ndarray, listed: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Unseen items: the fraction of items that the user did not have before.

    Examples
    --------
    >>> float(Unseen(np.array([True, False]), np.array([True, True])))
    0.5
    """
    return mean_listed(~seen * 1.0, listed, k)


PATIENCE = {"patience": (0.0, 1.0)}


@metric(
    kind="set",
    reference="Ge et al. 2010; Shani & Gunawardana 2011",
    aliases=("CatalogCoverage", "catalog_coverage", "ItemCoverage"),
    limits={"least": (1, inf)},
)
def Coverage(exposure: np.ndarray, *, k: float = inf, least: int = 1) -> np.ndarray:  # noqa: ARG001 - lists are cut
    """Catalog coverage: the fraction of the items of the catalog that are in at least `least` lists.

    Examples
    --------
    >>> float(Coverage(np.array([3.0, 0.0, 1.0, 0.0])))
    0.5
    """
    return (exposure >= least).mean(axis=0)


@metric(
    kind="set", reference="Ge et al. 2010; Shani & Gunawardana 2011", limits={"least": (1, inf)}
)
def UserCoverage(lengths: np.ndarray, *, k: float = inf, least: int = 1) -> np.ndarray:
    """User coverage: the fraction of users that get at least `least` items.

    `lengths` are the numbers of users whose lists have 0, 1, 2, ... items down to rank k.

    Examples
    --------
    >>> float(UserCoverage(np.array([2.0, 0.0, 6.0])))
    0.75
    """
    least = int(min(least, k))
    # lengths[i] is the number of users whose list has i items
    return share(lengths[least:].sum(axis=0), lengths.sum(axis=0))


@metric(kind="set", reference="Zhou et al. 2010; recmetrics, personalization")
def Personalization(exposure: np.ndarray, lengths: np.ndarray, *, k: float = inf) -> np.ndarray:  # noqa: ARG001
    """Personalization: 1 - the mean number of items that the lists of two users share, divided by their mean length.

    Of lists of one length this is 1 - the mean cosine of two lists.

    Examples
    --------
    >>> float(Personalization(np.array([2.0, 1.0, 1.0]), np.array([0.0, 0.0, 2.0])))  # two lists share one of two items
    0.5
    """
    users = lengths.sum(axis=0)
    items = (np.arange(len(lengths)).reshape((-1, *[1] * (lengths.ndim - 1))) * lengths).sum(axis=0)
    # an item in n lists is shared by n (n - 1) / 2 pairs of users
    return 1.0 - share((exposure * (exposure - 1.0)).sum(axis=0), (users - 1.0) * items)


@metric(
    kind="set",
    higher=False,
    reference="Gini 1912; Fleder & Hosanagar 2009",
    limits=PATIENCE,
    aliases={"ListGini": "Gini", "ExposureGini": "Gini(patience=0.85)"},
)
def Gini(exposure: np.ndarray, *, k: float = inf, patience: float = 1.0) -> np.ndarray:  # noqa: ARG001
    """Gini coefficient of exposure: 0 if all items of the catalog are shown equally often, near 1 if few are shown.

    Examples
    --------
    >>> float(Gini(np.array([1.0, 1.0, 1.0]))), round(float(Gini(np.array([0.0, 0.0, 3.0]))), 4)
    (0.0, 0.6667)
    """
    n = len(exposure)
    rising = np.sort(exposure, axis=0)
    place = np.arange(1, n + 1).reshape(-1, *[1] * (exposure.ndim - 1))
    # the mean absolute difference of all pairs is a weighted sum of the sorted values
    return share(((2 * place - n - 1) * rising).sum(axis=0), n * rising.sum(axis=0))


@metric(
    kind="set",
    range=(0, inf),
    reference="Shannon 1948; Shani & Gunawardana 2011",
    aliases=("distributional_coverage",),
    limits=PATIENCE,
)
def Entropy(
    exposure: np.ndarray,
    *,
    k: float = inf,  # noqa: ARG001
    patience: float = 1.0,  # noqa: ARG001
    normalized: bool = False,
) -> np.ndarray:
    """Shannon entropy of exposure, in bits: log2 of the catalog size if all items are shown equally often.

    `normalized=true` divides by this value, so 1 is an even distribution.

    Examples
    --------
    >>> float(Entropy(np.array([2.0, 2.0, 0.0, 0.0]))), float(Entropy(np.array([2.0, 2.0, 0.0, 0.0]), normalized=True))
    (1.0, 0.5)
    """
    chance = share(exposure, exposure.sum(axis=0))
    # an item that is never shown adds 0 log 0 = 0; + 0.0 turns -0.0 into 0.0
    bits = -(chance * np.log2(np.where(chance > 0, chance, 1.0))).sum(axis=0) + 0.0
    return bits / np.log2(max(len(exposure), 2)) if normalized else bits


@metric(
    kind="set", reference="Abdollahpouri et al. 2017", limits={"head": (0, 1)}, aliases=("APLT",)
)
def TailShare(
    exposure: np.ndarray,
    popularity: np.ndarray,
    *,
    k: float = inf,  # noqa: ARG001
    head: float = 0.2,
) -> np.ndarray:
    """Tail share: the fraction of the recommended items that are not among the most popular items of the catalog.

    The head is the most popular `head` of the items, one fifth by default.

    Examples
    --------
    >>> float(TailShare(np.array([6.0, 1.0, 1.0, 0.0, 0.0]), np.array([0.9, 0.2, 0.1, 0.1, 0.0])))
    0.25
    """
    most_popular_first = np.argsort(-popularity.reshape(-1), kind="stable")
    tail = most_popular_first[int(np.ceil(head * len(most_popular_first))) :]
    return share(exposure[tail].sum(axis=0), exposure.sum(axis=0))


Distance = Literal["cosine", "jaccard", "hamming", "euclidean"]


def units(features: np.ndarray) -> np.ndarray:
    """Return features scaled to length 1; an item without features keeps none.

    Examples
    --------
    >>> units(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    return share(features, np.sqrt((features**2).sum(axis=-1, keepdims=True)))


# distances between items, by features along the last axis
DISTANCES: dict[Distance, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "cosine": lambda x, y: 1.0 - (x * y).sum(axis=-1),  # of features scaled to length 1
    "hamming": lambda x, y: (x != y).sum(axis=-1) * 1.0,
    "euclidean": lambda x, y: np.sqrt(((x - y) ** 2).sum(axis=-1)),
    # sums of the smaller and of the larger values are the sizes of intersection and union
    "jaccard": lambda x, y: (
        1.0 - share(np.minimum(x, y).sum(axis=-1), np.maximum(x, y).sum(axis=-1))
    ),
}


@metric(
    kind="items",
    range=(0, inf),
    reference="Ziegler et al. 2005; Smyth & McClave 2001",
    aliases=("IntraListDiversity",),
)
def ILD(
    item: np.ndarray, features: np.ndarray, *, k: float = inf, distance: Distance = "cosine"
) -> np.ndarray:
    """Intra-list distance: the mean distance of two items of the list, by their features.

    The distance is 1 minus the cosine, in [0, 1] where features are not negative; "jaccard", the number of features in
    which two items differ ("hamming"), or "euclidean". An item without features is at cosine distance 1 from all. The
    distance of a list of one item is 0.

    Examples
    --------
    >>> genres = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> round(float(ILD(np.array([0, 1, 2]), genres)), 4)
    0.6667
    """
    item = first(item, k)
    table = units(features) if distance == "cosine" else features
    distances = np.zeros(np.shape(item)[1:])
    for at in range(len(item) - 1):  # rank by rank: each item with all items below it
        below, there = table[item[at + 1 :]], item[at + 1 :] >= 0
        distances += total(np.where(there, DISTANCES[distance](table[item[at]], below), 0.0))
    n = (item >= 0).sum(axis=0)
    return np.where(n > 0, distances / np.maximum(n * (n - 1) / 2.0, 1.0), np.nan)


@metric(kind="items", range=(0, inf), reference="Vargas & Castells 2011, subtopic recall of genres")
def Categories(item: np.ndarray, features: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Categories per list: the number of different features of the items.

    Examples
    --------
    >>> genres = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    >>> float(Categories(np.array([0, 1]), genres)), float(Categories(np.array([0, -1]), genres))
    (2.0, 1.0)
    """
    items = first(item, k)
    # the last row of features, of no item, is 0
    covered = (features[items] != 0).any(axis=0).sum(axis=-1)
    return np.where((items >= 0).any(axis=0), covered * 1.0, np.nan)


@metric(
    kind="items", higher=False, range=(0, inf), reference="Steck 2018", limits={"alpha": (0, 1)}
)
def Calibration(
    item: np.ndarray,
    features: np.ndarray,
    profile: np.ndarray,
    had: np.ndarray,
    *,
    k: float = inf,
    alpha: float = 0.01,
) -> np.ndarray:
    """Miscalibration: the Kullback-Leibler divergence of the list's features from those of the user's history.

    Each item has the same weight, divided over its features; `alpha` of the user's distribution is mixed into
    those of the list, so that the divergence is finite. In nats; 0 is best. Users without a history have no value.

    Examples
    --------
    >>> genres = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> round(float(Calibration(np.array([0, 0]), genres, np.array([0.5, 0.5]), 2.0)), 4)
    1.9585
    """
    item = first(item, k)
    sizes = features.sum(axis=-1, keepdims=True)
    # items without features say nothing of the list
    listed = (item >= 0) & (sizes[..., 0] != 0)[item]
    n = listed.sum(axis=0)
    sums = total(np.where(listed[..., None], share(features, sizes)[item], 0.0))
    q = np.moveaxis(
        sums / np.maximum(n, 1.0)[..., None], -1, 0
    )  # features on axis 0, as in the profile
    p = np.broadcast_to(profile, q.shape)
    # q is mixed with a little of p, so that a feature that the list lacks does not give infinity
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p / ((1.0 - alpha) * q + alpha * p)), 0.0)
    return np.where((n > 0) & (had > 0), np.maximum(total(terms), 0.0), np.nan)


def unlike(item: np.ndarray, features: np.ndarray, taste: np.ndarray) -> np.ndarray:
    """Return how unlike the user's history each item is: 1 minus its mean cosine to the items that the user had.

    Examples
    --------
    >>> unlike(np.array([0, 1]), np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), np.array([1.0, 0.0])).tolist()
    [0.0, 1.0]
    """
    return 1.0 - (units(features)[item] * np.moveaxis(taste, 0, -1)).sum(axis=-1)


@metric(
    kind="items", range=(0, 2), reference="Zhang et al. 2012; recommenders, serendipity of any item"
)
def Unexpectedness(
    item: np.ndarray, features: np.ndarray, taste: np.ndarray, had: np.ndarray, *, k: float = inf
) -> np.ndarray:
    """Unexpectedness: how unlike the user's history the items are, 1 minus the mean cosine of their features.

    Examples
    --------
    >>> genres = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> float(Unexpectedness(np.array([0, 1]), genres, np.array([1.0, 0.0]), 3.0))
    0.5
    """
    return np.where(had > 0, mean_listed(unlike(item, features, taste), item >= 0, k), np.nan)


@metric(
    kind="items",
    range=(0, 2),
    reference="Ge et al. 2010; Zhang et al. 2012; recommenders, serendipity",
)
def Serendipity(
    item: np.ndarray,
    features: np.ndarray,
    taste: np.ndarray,
    had: np.ndarray,
    relevant: np.ndarray,
    *,
    k: float = inf,
) -> np.ndarray:
    """Serendipity: the mean unexpectedness of the items; irrelevant items count as 0.

    Examples
    --------
    >>> genres = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> float(Serendipity(np.array([0, 1]), genres, np.array([1.0, 0.0]), 3.0, np.array([True, False])))
    0.0
    """
    surprising = unlike(item, features, taste) * relevant
    return np.where(had > 0, mean_listed(surprising, item >= 0, k), np.nan)
