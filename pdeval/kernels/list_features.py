"""How varied, how surprising, how fitting: measures of the items of a list by their features.

`features` are those of all items, the last row of no item, so that `features[item]` are those of the lists: (ranks,
topics, runs, features).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.levels import inf, total
from pdeval.kernels.novelty import first, mean_listed

Distance = Literal["cosine", "jaccard", "hamming", "euclidean"]


def units(features: np.ndarray) -> np.ndarray:
    """Return features scaled to length 1; an item without features keeps none.

    Examples
    --------
    >>> units(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    size = np.sqrt((features**2).sum(axis=-1, keepdims=True))
    return np.divide(features, size, out=np.zeros(features.shape), where=size > 0)


def apart(x: np.ndarray, y: np.ndarray, distance: Distance) -> np.ndarray:
    """Return how far items are from each other, by features along the last axis (scaled to 1 for the cosine).

    Examples
    --------
    >>> float(apart(np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0]), "jaccard"))
    0.5
    """
    if distance == "cosine":
        return 1.0 - (x * y).sum(axis=-1)
    if distance == "hamming":
        return (x != y).sum(axis=-1) * 1.0
    if distance == "euclidean":
        return np.sqrt(((x - y) ** 2).sum(axis=-1))
    both, either = np.minimum(x, y).sum(axis=-1), np.maximum(x, y).sum(axis=-1)
    return 1.0 - np.divide(both, either, out=np.zeros(np.shape(both)), where=either != 0)


@metric(
    kind="items",
    range=(0, inf),
    reference="Ziegler et al. 2005; Smyth & McClave 2001",
    aliases=("IntraListDiversity", "ILS"),
)
def ILD(item: np.ndarray, features: np.ndarray, *, k: float = inf, distance: Distance = "cosine") -> np.ndarray:
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
    whole = np.zeros(np.shape(item)[1:])
    for at in range(len(item) - 1):  # rank by rank: each with all that stand below it
        below, there = table[item[at + 1 :]], item[at + 1 :] >= 0
        whole += total(np.where(there, apart(table[item[at]], below, distance), 0.0))
    n = (item >= 0).sum(axis=0)
    mean = whole / np.maximum(n * (n - 1) / 2.0, 1.0)
    return np.where(n > 0, mean, np.nan)


@metric(kind="items", higher=False, range=(0, inf), reference="Steck 2018", limits={"alpha": (0, 1)})
def Calibration(
    item: np.ndarray, features: np.ndarray, profile: np.ndarray, had: np.ndarray, *, k: float = inf, alpha: float = 0.01
) -> np.ndarray:
    """Miscalibration: the Kullback-Leibler divergence of the list's features from those of the user's history.

    Each item spreads over its features, and every item counts as much; `alpha` of the user's own shares is mixed into
    those of the list, so that the divergence is finite. In nats; 0 is best. Users without a history have no value.

    Examples
    --------
    >>> genres = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> round(float(Calibration(np.array([0, 0]), genres, np.array([0.5, 0.5]), 2.0)), 4)
    1.9585
    """
    item = first(item, k)
    whole = features.sum(axis=-1, keepdims=True)
    shares = np.divide(features, whole, out=np.zeros(features.shape), where=whole != 0)
    listed = (item >= 0) & (whole[..., 0] != 0)[item]
    n = listed.sum(axis=0)
    sums = total(np.where(listed[..., None], shares[item], 0.0))
    q = np.moveaxis(sums / np.maximum(n, 1.0)[..., None], -1, 0)
    p = np.broadcast_to(profile, q.shape)
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


@metric(kind="items", range=(0, 2), reference="Zhang et al. 2012; recommenders, serendipity of any item")
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


@metric(kind="items", range=(0, 2), reference="Ge et al. 2010; Zhang et al. 2012; recommenders, serendipity")
def Serendipity(
    item: np.ndarray, features: np.ndarray, taste: np.ndarray, had: np.ndarray, relevant: np.ndarray, *, k: float = inf
) -> np.ndarray:
    """Serendipity: the mean over items of their unexpectedness where they are relevant, and 0 where they are not.

    Examples
    --------
    >>> genres = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> float(Serendipity(np.array([0, 1]), genres, np.array([1.0, 0.0]), 3.0, np.array([True, False])))
    0.0
    """
    surprising = unlike(item, features, taste) * relevant
    return np.where(had > 0, mean_listed(surprising, item >= 0, k), np.nan)
