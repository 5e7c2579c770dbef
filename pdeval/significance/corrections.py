"""Corrections of p-values for the number of comparisons, over declared families."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from pdeval.verbs import one_of

Correction = Literal[
    "bonferroni",
    "sidak",
    "holm",
    "holm-sidak",
    "simes-hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
    "fdr_tsbh",
    "fdr_tsbky",
    "fdr_gbs",
    "none",
]
CORRECTIONS = get_args(Correction)
# those of differences per query as well; "auto" is max-t or Holm's
JointCorrection = Literal["auto", "max-t", Correction]
JOINT_CORRECTIONS = get_args(JointCorrection)
CORRECTION_ALIASES = {
    "b": "bonferroni",
    "bonf": "bonferroni",
    "s": "sidak",
    "h": "holm",
    "hs": "holm-sidak",
    "sh": "simes-hochberg",
    "hochberg": "simes-hochberg",
    "ho": "hommel",
    "bh": "fdr_bh",
    "by": "fdr_by",
}
CORRECTIONS_MEANT = {
    "fdr": "fdr_bh",
    "benjamini-hochberg": "fdr_bh",
    "benjamini_hochberg": "fdr_bh",
    "benjamini-yekutieli": "fdr_by",
    "benjamini_yekutieli": "fdr_by",
}

MAX_T = "max-t"  # see pdeval.significance.max_t
# the correction of a test that already accounts for all pairs, as tables show it
NOT_NEEDED = "none needed"


def which_correction(correction: str | None, names: Sequence[str] = CORRECTIONS) -> str:
    """Return the name of a correction, one of `names`, as pdeval writes it.

    Examples
    --------
    >>> which_correction("BH"), which_correction(None)
    ('fdr_bh', 'none')
    """
    return (
        "none"
        if correction is None
        else one_of("correction", correction, names, CORRECTION_ALIASES, CORRECTIONS_MEANT)
    )


def single_step_level(correction: str, alpha: float, size: int) -> float:
    """Return the level of each of `size` simultaneous intervals: of the correction, or of the one that it refines.

    Holm, Hochberg, Hommel and the false discovery rate of Benjamini and Hochberg refine Bonferroni's correction,
    Holm-Sidak refines Sidak's. That of Benjamini and Yekutieli divides by 1 + 1/2 + ... + 1/size, too.

    Examples
    --------
    >>> [round(single_step_level(name, 0.05, 10), 5) for name in ("none", "holm", "sidak", "fdr_by")]
    [0.05, 0.005, 0.00512, 0.00171]
    """
    if correction == "none":
        return alpha
    if correction in ("sidak", "holm-sidak"):
        return float(-np.expm1(np.log1p(-alpha) / size))
    if correction == "fdr_by":
        return alpha / size / float((1 / np.arange(1, size + 1)).sum())
    return alpha / size


def adjust(
    p_values: np.ndarray,
    family: np.ndarray | int = 0,
    *,
    correction: str = "bonferroni",
    alpha: float = 0.05,
) -> np.ndarray:
    """Return the adjusted p-values, each corrected within its family; NaN stays and does not count.

    Parameters
    ----------
    p_values : ndarray
    family : ndarray of int, default 0
        Number of the family of each p-value, from 0; by default all are one family.
    correction : str, default "bonferroni"
        A method of statsmodels' `multipletests`, or "none".
    alpha : float, default 0.05
        Used by the two-stage methods, whose adjusted values depend on it.

    Examples
    --------
    >>> adjust(np.array([0.01, 0.02, 0.04]), np.array([0, 0, 1])).tolist()
    [0.02, 0.04, 0.04]
    """
    name = which_correction(correction)
    adjusted = np.array(p_values, dtype=float)
    if name == "none" or not len(adjusted):
        return adjusted
    family = np.broadcast_to(family, adjusted.shape)
    if name == "bonferroni":
        size = np.bincount(family, weights=~np.isnan(adjusted))
        return np.minimum(adjusted * size[family], 1.0)
    known = np.flatnonzero(~np.isnan(adjusted))
    by_family = known[np.argsort(family[known], kind="stable")]
    ends = np.flatnonzero(np.diff(family[by_family])) + 1
    families: Any = np.split(by_family, ends) if len(by_family) else []
    if name == "holm" and len({len(members) for members in families}) == 1:
        families = [np.stack(families)]  # families of one size are adjusted together
    for members in families:
        adjusted[members] = _adjust_family(adjusted[members], name, alpha)
    return np.minimum(adjusted, 1.0)


def _adjust_family(p_values: np.ndarray, name: str, alpha: float) -> np.ndarray:
    # the result of statsmodels, which collects garbage in every call: a tenth of a second
    if name == "holm":
        order = np.argsort(p_values, axis=-1)
        steps = np.take_along_axis(p_values, order, axis=-1) * np.arange(order.shape[-1], 0, -1)
        # the inverse permutation puts each value back in its place
        return np.take_along_axis(np.maximum.accumulate(steps, axis=-1), order.argsort(axis=-1), -1)
    from statsmodels.stats.multitest import multipletests

    with np.errstate(divide="ignore"):  # log(1 - p) of p = 1 in some methods
        return np.asarray(multipletests(p_values, alpha=alpha, method=name)[1])
