"""Precision against recall: the points of a ranking, and precision interpolated at given recall."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from pdeval.catalog import metric
from pdeval.kernels.primitives import found, level

Points = Literal["round", "floor"]
RECALLS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
COMPAT = {"trec_eval-9": {"points": "floor"}}
REFERENCE = "Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, 8.4"


def precision_recall(rank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return recall and precision at each recall level: where each relevant item is found.

    Recall i / m, precision i / f_i; both 0 if the item was not found. Arrays of the shape of `rank`.

    Examples
    --------
    >>> recall, precision = precision_recall(np.array([1.0, 3.0, 6.0, 10.0, np.inf]))
    >>> recall.tolist(), precision.round(3).tolist()
    ([0.2, 0.4, 0.6, 0.8, 0.0], [1.0, 0.667, 0.5, 0.4, 0.0])
    """
    return np.where(found(rank), level(rank) / len(rank), 0.0), level(rank) / rank


def counted(recall: float, relevant: int, points: Points = "round") -> int:
    """Return the number of relevant items at the recall point.

    "round": p R, halves away from zero (trec_eval 10); "floor": floor(p R + 0.9) (trec_eval 9).

    Examples
    --------
    >>> counted(0.25, 10), counted(0.2, 6), counted(0.2, 6, "floor")
    (3, 1, 2)
    """
    exact = recall * relevant
    if points == "floor":
        return math.floor(exact + 0.9)
    # rounds half up, unlike round()
    return math.floor(exact) + (exact - math.floor(exact) >= 0.5)


def interpolated(
    rank: np.ndarray, recalls: Sequence[float] = RECALLS, *, points: Points = "round"
) -> np.ndarray:
    """Return the interpolated precision at each recall point, stacked along axis 0.

    Examples
    --------
    >>> interpolated(np.array([1.0, 3.0, 6.0, 10.0, 14.0]), [0.0, 0.4, 1.0]).round(3).tolist()
    [1.0, 0.667, 0.357]
    """
    rank = np.asarray(rank)
    # the largest precision from each level on: a running maximum from the last level back
    best = np.maximum.accumulate((level(rank) / rank)[::-1], axis=0)[::-1]
    where = [counted(recall, len(rank), points) for recall in recalls]
    beyond = np.zeros(rank.shape[1:])
    return np.stack([best[max(c, 1) - 1] if c <= len(rank) else beyond for c in where])


def read_recalls(value: Any, text: str) -> tuple[float, ...]:
    """Return the recall points of a name as a tuple.

    Examples
    --------
    >>> read_recalls([0.25, 0.5], "IPrecAvg(recalls=[0.25,0.5])")
    (0.25, 0.5)
    """
    try:
        points = tuple(float(point) for point in value)
    except (TypeError, ValueError):
        points = ()
    if not points or not all(0 <= point <= 1 for point in points):
        raise ValueError(
            f"recalls={value!r} in {text!r} must be a list of numbers between 0 and 1, e.g. [0.2,0.5,0.8]."
        )
    return points


@metric(
    at="recall",
    reference=REFERENCE,
    aliases={"iprec_at_recall_{recall}": "IPrec@{recall}", "iprec": "IPrec"},
    limits={"recall": (0, 1)},
    compat=COMPAT,
)
def IPrec(rank: np.ndarray, *, recall: float = 0.0, points: Points = "round") -> np.ndarray:
    """Interpolated precision: the largest precision at or below the rank at which the recall is reached.

    0 if it is not reached. Recall p of m relevant items is reached at item round(p m), or floor(p m + 0.9) under
    `compat="trec_eval-9"`, which is what `points` follows.

    Examples
    --------
    >>> float(IPrec(np.array([3.0, 4.0, 10.0, np.inf]), recall=0.1))  # 2/4 is better than 1/3
    0.5
    """
    return interpolated(rank, [recall], points=points)[0]


@metric(
    reference=REFERENCE,
    aliases={
        "11pt_avg": "IPrecAvg",
        "11-pt_avg": "IPrecAvg",
        "11pt_avg_{recalls}": "IPrecAvg(recalls=[{recalls}])",
    },
    compat=COMPAT,
    read={"recalls": read_recalls},
)
def IPrecAvg(
    rank: np.ndarray, *, recalls: Sequence[float] = RECALLS, points: Points = "round"
) -> np.ndarray:
    """Average interpolated precision: its mean over recall points, by default the eleven 0, 0.1, ... 1.

    Examples
    --------
    >>> round(float(IPrecAvg(np.array([1.0, 3.0, 6.0, 10.0, 14.0]))), 4)
    0.6225
    """
    # adds from the highest recall down, as trec_eval does
    values = interpolated(rank, sorted(recalls, reverse=True), points=points)
    return np.add.accumulate(values, axis=0)[-1] / len(recalls)
