"""Expected utility of a population: users who want i relevant items, each with a measure of how well that went.

A partial recall measure mu_i looks at the rank f_i of the i-th relevant item alone. Its mean over users who want
different numbers of items, E_i[mu_i], is a measure; users may want items of some grade or subtopic (Diaz & Ferraro
2022, section 3.2).
"""

from typing import Any, Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.preferences import RPP_PAPER, Users, Weight, users, weights
from pdeval.kernels.primitives import inf, level, log2, weighted_mean
from pdeval.kernels.terms import TERMS

Utility = Literal["precision", "reciprocal", "log"]


def utility_of(rank: np.ndarray, utility: Utility) -> np.ndarray:
    """Return the utility of each recall level for users who want that number of items: i/f_i, 1/f_i or 1/log2(f_i + 1).

    Examples
    --------
    >>> utility_of(np.array([1.0, 4.0, inf]), "precision").tolist()
    [1.0, 0.5, 0.0]
    """
    rank = np.asarray(rank, dtype=np.float64)
    if utility == "log":
        return 1.0 / log2(rank + 1)
    return (level(rank) if utility == "precision" else 1.0) / rank


_REFERENCE = RPP_PAPER + ", section 3.2"


@metric(name="EU", population="grades", reference=_REFERENCE, read={"grades": users})
def expected_utility(
    rank: np.ndarray,
    *,
    utility: Utility = "precision",
    weight: Weight = "uniform",
    grades: Users = "items",  # noqa: ARG001
) -> np.ndarray:
    """Expected utility: the mean, over users who want i relevant items, of the utility at the rank of the i-th.

    `utility` is the precision where they stop (i/f_i; with uniform weights and one grade the mean is AP), the
    reciprocal rank 1/f_i, or 1/log2(f_i + 1). `weight` is the fraction of users who want i items; `grades`, with
    several positive grades and no level, that of users with each threshold, as for RPP.

    Examples
    --------
    >>> round(float(expected_utility(np.array([1.0, 4.0, inf]))), 4)
    0.5
    >>> round(float(expected_utility(np.array([1.0, 4.0, inf]), utility="reciprocal", weight="inverse")), 4)
    0.6136
    """
    return weighted_mean(utility_of(rank, utility), weights(weight, len(rank)))


@metric(
    name="ST-EU",
    kind="subtopic",
    population="subtopics",
    reference=_REFERENCE,
    read={"subtopics": users},
    limits={"background": (0, inf)},
)
def expected_utility_of_subtopics(
    rank: np.ndarray,
    *,
    utility: Utility = "precision",
    weight: Weight = "uniform",
    subtopics: Users = "items",  # noqa: ARG001
    background: float = 1.0,  # noqa: ARG001
) -> np.ndarray:
    """Expected utility of the users of each subtopic and of any relevant item, weighted by their items; see EU.

    Examples
    --------
    >>> round(float(expected_utility_of_subtopics(np.array([1.0, 4.0, inf]))), 4)
    0.5
    """
    return expected_utility(rank, utility=utility, weight=weight)


@TERMS.function("EU")
@TERMS.function("ST-EU")
def _terms(
    rank: np.ndarray, *, utility: Utility = "precision", weight: Weight = "uniform"
) -> tuple[np.ndarray, Any]:
    """Return the utility of each recall level, and the fraction of users who want that number of items."""
    return utility_of(rank, utility), weights(weight, len(rank))[:, None, None]
