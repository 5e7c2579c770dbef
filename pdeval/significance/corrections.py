"""Corrections of p-values for the number of comparisons, over declared families."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from pdeval.mechanics.arguments import one_of

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

# what tables say for a test that already accounts for all pairs
NOT_NEEDED = "none needed"


def which_correction(correction: str | None) -> str:
    """Return the name of a correction as pdeval writes it.

    Examples
    --------
    >>> which_correction("BH"), which_correction(None)
    ('fdr_bh', 'none')
    """
    return "none" if correction is None else one_of("correction", correction, CORRECTIONS, CORRECTION_ALIASES)


def adjust(
    p_values: np.ndarray, family: np.ndarray, *, correction: str = "bonferroni", alpha: float = 0.05
) -> np.ndarray:
    """Return the adjusted p-values, each corrected among those of the same family; NaN stays and does not count.

    Parameters
    ----------
    p_values : ndarray
    family : ndarray of int
        Number of the family of each p-value, from 0.
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
    if name == "bonferroni":
        size = np.bincount(family[~np.isnan(adjusted)], minlength=int(family.max()) + 1)
        return np.minimum(adjusted * size[family], 1.0)
    from statsmodels.stats.multitest import multipletests

    for number in range(int(family.max()) + 1):
        members = np.flatnonzero((family == number) & ~np.isnan(adjusted))
        if len(members):
            with np.errstate(divide="ignore"):  # p = 1 in the logarithms of some methods
                adjusted[members] = multipletests(adjusted[members], alpha=alpha, method=name)[1]
    return np.minimum(adjusted, 1.0)
