"""Measures for incomplete judgments: measures of judged items only, and the fraction of judged items.

An item of grade 0 is judged and not relevant; one of negative grade is pooled but unjudged; any other unjudged.
"""

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.binary import seen
from pdeval.kernels.primitives import found, inf, level, share, total

BPREF = "Buckley & Voorhees 2004, Retrieval evaluation with incomplete information"


@metric(reference=BPREF, aliases=("bpref", "BPref"))
def Bpref(rank: np.ndarray, above: np.ndarray, nonrelevant: np.ndarray) -> np.ndarray:
    """Bpref: the fraction of judged non-relevant items ranked below each relevant item.

    The sum over relevant items retrieved of 1 - min(n, m) / min(N, m), divided by m; n judged non-relevant items are
    ranked above the item, N were judged in all. The term is 1 if n = 0.

    Examples
    --------
    >>> float(Bpref(np.array([1.0, 4.0]), np.array([0.0, 1.0]), 5))  # (1 + (1 - 1/2)) / 2
    0.75
    """
    relevant = len(rank)
    # only the first m judged non-relevant items count, m being the number of relevant ones
    wrong = share(np.minimum(above, relevant), np.minimum(nonrelevant, relevant))
    return total(np.where(found(rank), 1.0 - wrong, 0.0)) / relevant


@metric(
    range=(1e-5, 1),
    aggregate="geometric mean",
    reference=BPREF,
    aliases=("gm_bpref",),
    empty=True,
)
def GMbpref(rank: np.ndarray, above: np.ndarray, nonrelevant: np.ndarray) -> np.ndarray:
    """Bpref of at least 0.00001, to be averaged by the geometric mean.

    A query without relevant items counts as 0.00001.

    Examples
    --------
    >>> float(GMbpref(np.array([inf]), np.array([0.0]), 5))
    1e-05
    """
    if len(rank) == 0:
        return np.full(np.shape(rank)[1:], 1e-5)
    return np.maximum(Bpref(rank, above, nonrelevant), 1e-5)


@metric(
    reference="Yilmaz & Aslam 2006, Estimating average precision with incomplete and imperfect judgments",
    aliases=("infap",),
)
def infAP(rank: np.ndarray, above: np.ndarray, pooled: np.ndarray) -> np.ndarray:
    """Inferred average precision: average precision estimated from a pool of which a sample was judged.

    For a relevant item at rank j + 1 with r relevant, n judged non-relevant and u pooled, unjudged items above it, the
    expected precision is 1/(j+1) + (j/(j+1)) ((r+n+u)/j) ((r+e)/(r+n+2e)), e = 0.00001; 1 at the first rank. Summed
    over the relevant items retrieved and divided by m, as trec_eval does.

    Examples
    --------
    >>> round(float(infAP(np.array([1.0, 4.0]), np.array([0.0, 1.0]), np.array([0.0, 1.0]))), 4)
    0.8125
    """
    e = 1e-5
    here = found(rank)
    j = np.where(here, rank, 1.0) - 1  # items above the relevant one, of any judgment
    above, pooled = np.where(here, above, 0.0), np.where(here, pooled, 0.0)
    r = level(rank) - 1  # relevant items above it
    # precision above it: share of pooled items, times the share of relevant ones among those judged, smoothed by e
    inferred = 1.0 / (j + 1.0) + (j / (j + 1.0)) * ((r + above + pooled) / np.maximum(j, 1.0)) * (
        (r + e) / (r + above + 2 * e)
    )
    return total(np.where(here, inferred, 0.0)) / len(rank)


@metric(kind="judged", reference="fraction of judged items", aliases=("judged",), empty=True)
def Judged(rank: np.ndarray, retrieved: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Judged: the fraction of judged items among the first k.

    Divides by the number of items there are, if that is less than `k` (ir_measures' Judged); 0 for an empty list.

    Examples
    --------
    >>> float(Judged(np.array([1.0, 2.0, 9.0, inf]), 4, k=10)), float(Judged(np.array([1.0, 9.0]), 40, k=5))
    (0.75, 0.2)
    """
    return share(found(rank, k).sum(axis=0), np.minimum(retrieved, k))


@metric(
    kind="judged",
    higher=False,
    reference="trec_eval, unj",
    aliases={"unj": "Unjudged", "unj_{k}": "Unjudged@{k}"},
    empty=True,
)
def Unjudged(rank: np.ndarray, retrieved: np.ndarray, *, k: float = inf) -> np.ndarray:
    """Unjudged: the number of unjudged items among the first k, divided by k.

    Divides by `k` also if fewer items were retrieved (trec_eval's unj); by the number retrieved without a cutoff.

    Examples
    --------
    >>> float(Unjudged(np.array([1.0, 2.0, inf]), 4, k=10))
    0.2
    """
    return share(np.minimum(retrieved, k) - found(rank, k).sum(axis=0), seen(retrieved, k))


@metric(
    kind="judged",
    higher=False,
    reference="Moffat & Zobel 2008, Rank-biased precision; trec_eval, rbp_resid",
    aliases={"rbp_resid": "RBPresidual(p=0.9)", "rbp_resid_p={p}": "RBPresidual(p={p})"},
    limits={"p": (0, 1)},
    empty=True,
)
def RBPresidual(rank: np.ndarray, retrieved: np.ndarray, *, p: float = 0.8) -> np.ndarray:
    """Residual of rank-biased precision: by how much it would rise if every unjudged item were fully relevant.

    1 - (1 - p) times the sum of p^(rank - 1) over judged items: what lies beyond the end of the list counts as
    unjudged. 0 if every retrieved item is judged, also for an empty list (trec_eval's rbp_resid).

    Examples
    --------
    >>> float(RBPresidual(np.array([1.0, inf]), 2, p=0.5)), float(RBPresidual(np.array([1.0, 2.0]), 2, p=0.5))
    (0.5, 0.0)
    """
    weight = (1.0 - p) * total(np.power(float(p), rank - 1))
    return np.where(found(rank).sum(axis=0) < retrieved, 1.0 - weight, 0.0)
