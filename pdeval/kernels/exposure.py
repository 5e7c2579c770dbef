"""Which items are shown, and to how many: measures of all lists of a run together.

Axis 0 is the item of the catalogue; `exposure` counts the lists that show it down to rank k. Further axes are resamples
of the users. With `patience` below 1 an item counts patience ** (rank - 1), as readers look at it.
"""

from __future__ import annotations

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.levels import inf

PATIENCE = {"patience": (0.0, 1.0)}


@metric(
    kind="set",
    reference="Ge et al. 2010; Shani & Gunawardana 2011",
    aliases=("CatalogCoverage", "catalog_coverage", "ItemCoverage"),
    limits={"least": (1, inf)},
)
def Coverage(exposure: np.ndarray, *, k: float = inf, least: int = 1) -> np.ndarray:  # noqa: ARG001 - lists are cut
    """Catalogue coverage: the share of items that could be recommended and are, in at least so many lists.

    Examples
    --------
    >>> float(Coverage(np.array([3.0, 0.0, 1.0, 0.0])))
    0.5
    """
    return (exposure >= least).mean(axis=0)


@metric(kind="set", reference="Ge et al. 2010; Shani & Gunawardana 2011", limits={"least": (1, inf)})
def UserCoverage(lengths: np.ndarray, *, k: float = inf, least: int = 1) -> np.ndarray:
    """User coverage: the share of users that get at least so many items.

    `lengths` are the numbers of users whose lists have 0, 1, 2, ... items down to rank k.

    Examples
    --------
    >>> float(UserCoverage(np.array([2.0, 0.0, 6.0])))
    0.75
    """
    least = int(min(least, k))
    enough, users = lengths[least:].sum(axis=0), lengths.sum(axis=0)
    return np.divide(enough, users, out=np.zeros(np.shape(users)), where=users > 0)


@metric(
    kind="set",
    higher=False,
    reference="Gini 1912; Fleder & Hosanagar 2009",
    limits=PATIENCE,
    aliases={"ListGini": "Gini", "ExposureGini": "Gini(patience=0.85)"},
)
def Gini(exposure: np.ndarray, *, k: float = inf, patience: float = 1.0) -> np.ndarray:  # noqa: ARG001
    """Gini coefficient of exposure: 0 where every item of the catalogue is shown as often, near 1 where few are.

    Examples
    --------
    >>> float(Gini(np.array([1.0, 1.0, 1.0]))), round(float(Gini(np.array([0.0, 0.0, 3.0]))), 4)
    (0.0, 0.6667)
    """
    n = len(exposure)
    rising = np.sort(exposure, axis=0)
    place = np.arange(1, n + 1).reshape(-1, *[1] * (exposure.ndim - 1))
    total = rising.sum(axis=0)
    weighed = ((2 * place - n - 1) * rising).sum(axis=0)
    return np.divide(weighed, n * total, out=np.zeros(np.shape(total)), where=total > 0)


@metric(
    kind="set",
    range=(0, inf),
    reference="Shannon 1948; Shani & Gunawardana 2011",
    aliases=("distributional_coverage",),
    limits=PATIENCE,
)
def Entropy(exposure: np.ndarray, *, k: float = inf, patience: float = 1.0, normalised: bool = False) -> np.ndarray:  # noqa: ARG001
    """Shannon entropy of exposure, in bits: log2 of the catalogue where every item is shown as often.

    `normalised=true` divides by that, so that 1 is even.

    Examples
    --------
    >>> float(Entropy(np.array([2.0, 2.0, 0.0, 0.0]))), float(Entropy(np.array([2.0, 2.0, 0.0, 0.0]), normalised=True))
    (1.0, 0.5)
    """
    total = exposure.sum(axis=0)
    share = np.divide(exposure, total, out=np.zeros(np.shape(exposure)), where=total > 0)
    bits = -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=0) + 0.0
    return bits / np.log2(max(len(exposure), 2)) if normalised else bits


@metric(kind="set", reference="Abdollahpouri et al. 2017", limits={"head": (0, 1)}, aliases=("APLT",))
def TailShare(exposure: np.ndarray, popularity: np.ndarray, *, k: float = inf, head: float = 0.2) -> np.ndarray:  # noqa: ARG001
    """Tail share: the share of all that is shown that is not among the most popular items of the catalogue.

    The head is the most popular `head` of the items, one fifth by default.

    Examples
    --------
    >>> float(TailShare(np.array([6.0, 1.0, 1.0, 0.0, 0.0]), np.array([0.9, 0.2, 0.1, 0.1, 0.0])))
    0.25
    """
    by = np.argsort(-popularity.reshape(-1), kind="stable")
    tail = by[int(np.ceil(head * len(by))) :]
    total = exposure.sum(axis=0)
    return np.divide(exposure[tail].sum(axis=0), total, out=np.zeros(np.shape(total)), where=total > 0)
