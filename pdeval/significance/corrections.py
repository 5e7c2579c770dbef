"""Corrections of p-values for the number of comparisons, over declared families."""

from __future__ import annotations

import numpy as np

from pdeval.significance.names import which_correction


def adjust(
    p_values: np.ndarray, family: np.ndarray, *, correction: str = "bonferroni", alpha: float = 0.05
) -> np.ndarray:
    """Return the adjusted p-values, each corrected among those of the same family.

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
    from statsmodels.stats.multitest import multipletests

    for number in range(int(family.max()) + 1):
        members = np.flatnonzero(family == number)
        if len(members):
            with np.errstate(divide="ignore"):  # p = 1 in the logarithms of some methods
                adjusted[members] = multipletests(adjusted[members], alpha=alpha, method=name)[1]
    return np.minimum(adjusted, 1.0)
