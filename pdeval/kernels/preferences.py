"""Preferences between two rankings of one query: positive if the first is better.

`x` and `y` are the sorted ranks of the relevant items in two runs, infinity for items that were not retrieved; axis 0
is the recall level. `x_NAME` and `y_NAME` request another column of either side.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from pdeval.catalog import preference
from pdeval.kernels.primitives import closer, first_nonzero, inf, log2, total, weighted_mean

Weight = (
    Callable[[np.ndarray], np.ndarray]
    | np.ndarray
    | Mapping[int, float]
    | Literal["uniform", "dcg", "inverse"]
)

Users = Literal["items", "uniform"] | Mapping[Any, float]

RPP_PAPER = "Diaz & Ferraro 2022, Offline Retrieval Evaluation Without Evaluation Metrics"
LP_PAPER = "Diaz 2023, Best-Case Retrieval Evaluation"


def weights(weight: Weight, m: int) -> np.ndarray:
    """Return the weights of recall levels 1..m, summing to 1; see `unscaled`.

    Examples
    --------
    >>> weights("inverse", 2).round(3).tolist()
    [0.667, 0.333]
    """
    given = unscaled(weight, m)
    total = given.sum()
    return given / total if total else given


def unscaled(weight: Weight, m: int, name: str = "weight") -> np.ndarray:
    """Return the weights of recall levels (or ranks) 1..m, checked and not normalized.

    Parameters
    ----------
    weight : {'uniform', 'dcg', 'inverse'}, array, mapping, or callable of the levels 1..m
        1, 1/log2(i + 1), 1/i, the first m numbers of an array, a mapping of level to weight (0 for other levels; all
        may be 0), or the values of a function of all levels at once, or of one level.
    name : str
        Name of the parameter, for messages.

    Examples
    --------
    >>> unscaled("inverse", 2).tolist()
    [1.0, 0.5]
    """
    level = np.arange(1.0, m + 1)
    if isinstance(weight, str):
        # functions of the levels, so that only one of them is computed
        functions: dict[str, Callable[[np.ndarray], np.ndarray]] = {
            "uniform": np.ones_like,
            "dcg": lambda i: 1 / log2(i + 1),
            "inverse": np.reciprocal,
        }
        if weight not in functions:
            raise ValueError(
                f"{name}={weight!r}: choose 'uniform', 'dcg', 'inverse', an array, a mapping or a function."
            )
        given = functions[weight](level)
    elif isinstance(weight, Mapping):
        given = _mapped(weight, m, name)
    elif callable(weight):
        given = _called(weight, level)
    else:
        given = np.asarray(weight, dtype=np.float64)
        if given.ndim != 1 or len(given) < m:
            raise ValueError(
                f"{name}= is an array of shape {given.shape}, but a query needs {m} weights. "
                f"Pass an array of at least {m} weights, a mapping or a function."
            )
        given = given[:m]
    if np.isnan(given).any() or (given < 0).any():
        raise ValueError(
            f"the weights of the recall levels must not be negative or NaN, found {given.min():g}."
        )
    total = given.sum()
    if m and not 0 < total < inf and not (isinstance(weight, Mapping) and total == 0):
        raise ValueError(
            f"the weights of the first {m} recall levels sum to {total:g}; the sum must be positive and finite."
        )
    return given


def _mapped(weight: Mapping[int, float], m: int, name: str) -> np.ndarray:
    """Return the weights of levels 1..m from a mapping of level to weight."""
    try:
        levels = np.array([int(level) for level in weight], dtype=np.int64)
        values = np.array([float(value) for value in weight.values()])
    except (TypeError, ValueError):
        levels, values = np.zeros(1, dtype=np.int64), np.zeros(1)
    if not len(levels) or levels.min() < 1 or not values.sum() > 0:
        raise ValueError(
            f"{name}={dict(weight)!r}: expected {{level: weight, ...}} with levels from 1 on and weights that are not "
            "all 0."
        )
    given = np.zeros(m)
    inside = levels <= m
    given[levels[inside] - 1] = values[inside]
    return given


def _called(weight: Callable[..., Any], level: np.ndarray) -> np.ndarray:
    """Return the values of a function of the levels, which takes all of them at once or one by one."""
    try:
        return np.broadcast_to(np.asarray(weight(level), dtype=np.float64), level.shape)
    except (TypeError, ValueError):
        return np.array([weight(one) for one in level.tolist()], dtype=np.float64)


def users(given: Any, text: str) -> Any:
    """Return the checked weights of the users of each grade or subtopic: 'items', 'uniform' or a mapping.

    Examples
    --------
    >>> users({1: 0.2, 2: 0.8}, "RPP(grades={1:0.2,2:0.8})")
    {1: 0.2, 2: 0.8}
    >>> users("some", "RPP(grades=some)")
    Traceback (most recent call last):
    ValueError: 'some' in 'RPP(grades=some)': use 'items' (as many users as items), 'uniform', or {name: weight, ...}.
    """
    if isinstance(given, str) and given in ("items", "uniform"):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(
            f"{given!r} in {text!r}: use 'items' (as many users as items), 'uniform', or {{name: weight, ...}}."
        )
    numbers = [value for value in given.values() if isinstance(value, int | float | np.number)]
    if (
        len(numbers) < len(given)
        or not all(0 <= one < inf for one in numbers)
        or not sum(numbers) > 0
    ):
        raise ValueError(
            f"{dict(given)!r} in {text!r}: weights of users must be non-negative numbers, not all 0."
        )
    return given


_GRADES: dict[str, Any] = {
    "population": "grades",
    "path": "recall-paired",
    "reference": RPP_PAPER,
    "read": {"grades": users},
}
_SUBTOPICS: dict[str, Any] = {
    "kind": "subtopic",
    "population": "subtopics",
    "path": "recall-paired",
    "reference": RPP_PAPER,
    "read": {"subtopics": users},
    "limits": {"background": (0, inf)},
}


@preference(**_GRADES, weight="uniform", aliases=("rpp",))
def RPP(
    x: np.ndarray,
    y: np.ndarray,
    *,
    weight: Weight = "uniform",
    grades: Users = "items",  # noqa: ARG001
) -> np.ndarray:
    """Recall-paired preference: net fraction of recall levels at which x is ahead, averaged over grade thresholds.

    A user who wants i relevant items prefers the ranking that has them at a better rank; items that neither ranking
    retrieved are ties. With several positive grades and no `level`, users with different thresholds are weighted by the
    number of items that satisfy them (equation 5), or by `grades`: equally, or by a mapping of grade to weight; a query
    that has none of its grades is then a tie. `level=1` is the binary variant, which treats all positive grades alike.
    A kernel sees the items of one such population.

    Examples
    --------
    >>> round(float(RPP(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0]))), 4)
    0.3333
    """
    return weighted_mean(closer(x, y), weights(weight, len(x)))


@preference(**_GRADES, weight="dcg", aliases=("dcgrpp",))
def dcgRPP(x: np.ndarray, y: np.ndarray, *, grades: Users = "items") -> np.ndarray:  # noqa: ARG001
    """Recall-paired preference with recall level i weighted by 1 / log2(i + 1).

    Examples
    --------
    >>> round(float(dcgRPP(np.array([1.0, 4.0]), np.array([2.0, 3.0]))), 4)
    0.2263
    """
    return RPP(x, y, weight="dcg")


@preference(**_GRADES, weight="inverse", aliases=("invrpp",))
def invRPP(x: np.ndarray, y: np.ndarray, *, grades: Users = "items") -> np.ndarray:  # noqa: ARG001
    """Recall-paired preference with recall level i weighted by 1 / i.

    Examples
    --------
    >>> round(float(invRPP(np.array([1.0, 4.0]), np.array([2.0, 3.0]))), 4)
    0.3333
    """
    return RPP(x, y, weight="inverse")


@preference(name="ST-RPP", **_SUBTOPICS, weight="uniform", aliases=("st-rpp",))
def ST_RPP(
    x: np.ndarray,
    y: np.ndarray,
    *,
    weight: Weight = "uniform",
    subtopics: Users = "items",  # noqa: ARG001
    background: float = 1.0,  # noqa: ARG001
    per_item: bool = False,  # noqa: ARG001
) -> np.ndarray:
    """Subtopic RPP: RPP averaged over the users of each subtopic and of any relevant item, weighted by their items.

    `subtopics` weighs the subtopics by their items, equally, or by a mapping of subtopic to weight. `background` is
    how many times its usual weight the population that any relevant item satisfies has (the number of relevant items,
    or that of one subtopic of weight 1); 0 leaves it out. With `per_item`, the weights of a mapping are per item: they
    are multiplied by the number of items of the subtopic, and the background by the number of relevant items.

    Examples
    --------
    >>> float(ST_RPP(np.array([1.0]), np.array([2.0])))
    1.0
    """
    return RPP(x, y, weight=weight)


@preference(name="ST-dcgRPP", **_SUBTOPICS, weight="dcg", aliases=("st-dcgRPP",))
def ST_dcgRPP(
    x: np.ndarray,
    y: np.ndarray,
    *,
    subtopics: Users = "items",  # noqa: ARG001
    background: float = 1.0,  # noqa: ARG001
) -> np.ndarray:
    """Subtopic RPP with recall level i weighted by 1 / log2(i + 1).

    Examples
    --------
    >>> float(ST_dcgRPP(np.array([1.0]), np.array([2.0])))
    1.0
    """
    return RPP(x, y, weight="dcg")


@preference(name="ST-invRPP", **_SUBTOPICS, weight="inverse", aliases=("st-invRPP",))
def ST_invRPP(
    x: np.ndarray,
    y: np.ndarray,
    *,
    subtopics: Users = "items",  # noqa: ARG001
    background: float = 1.0,  # noqa: ARG001
) -> np.ndarray:
    """Subtopic RPP with recall level i weighted by 1 / i.

    Examples
    --------
    >>> float(ST_invRPP(np.array([1.0]), np.array([2.0])))
    1.0
    """
    return RPP(x, y, weight="inverse")


@preference(reference=LP_PAPER, path="first", test="sign", aliases=("lexiprecision", "sgnlp"))
def sgnLP(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Lexicographic precision: which ranking is better at the lowest recall level at which they differ.

    A total preorder on rankings, which breaks the ties of reciprocal rank.

    Examples
    --------
    >>> int(sgnLP(np.array([1.0, 8.0]), np.array([1.0, 4.0])))
    -1
    """
    return first_nonzero(closer(x, y)).astype(np.float64)


@preference(reference=LP_PAPER, path="reciprocal", aliases=("rrlexiprecision", "rrlp"))
def rrLP(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Lexicographic precision with its size: 1/x - 1/y at the lowest recall level at which the rankings differ.

    Examples
    --------
    >>> float(rrLP(np.array([1.0, 8.0]), np.array([1.0, 4.0])))
    -0.125
    """
    return first_nonzero(1.0 / np.asarray(x) - 1.0 / np.asarray(y))


@preference(
    reference="Diaz 2023 (worst case); Diaz, Ekstrand & Mitra 2023, lexirecall",
    path="last",
    test="sign",
    aliases=("lexirecall", "sgnlr"),
)
def sgnLR(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Lexicographic recall: which ranking is better at the highest recall level at which they differ.

    More relevant items retrieved wins; then the rank of the last retrieved one, and so on upwards.

    Examples
    --------
    >>> int(sgnLR(np.array([1.0, 9.0, inf]), np.array([5.0, 8.0, inf])))
    -1
    """
    return first_nonzero(closer(x, y)[::-1]).astype(np.float64)


def _mass(user: Weight, k: np.ndarray) -> np.ndarray:
    """Return the sum of the weights of the ranks 1..k."""
    if isinstance(user, str) and user == "uniform":
        return k
    deepest = int(np.max(k, initial=1.0))
    return np.append(0.0, np.cumsum(unscaled(user, deepest, "user")))[k.astype(np.int64)]


@preference(name="I", reference=RPP_PAPER + ", equation 2")
def interleaving(
    x: np.ndarray,
    y: np.ndarray,
    x_retrieved: np.ndarray,
    y_retrieved: np.ndarray,
    *,
    user: Weight = "uniform",
) -> np.ndarray:
    """Interleaving preference: the fraction of cutoffs at which x has more relevant items, minus that of y.

    Cutoffs run from 1 to the end of the longer list. `user` weighs them: equally, by 1 / log2(k + 1) ("dcg"), 1 / k
    ("inverse"), an array, a mapping of rank to weight, or a function of the rank.

    Examples
    --------
    >>> float(interleaving(np.array([1.0]), np.array([3.0]), np.array(4), np.array(4)))
    0.5
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    longest = np.maximum(x_retrieved, y_retrieved)
    events = np.concatenate([np.minimum(x, longest + 1), np.minimum(y, longest + 1)])
    gain = np.concatenate([np.ones(x.shape), -np.ones(y.shape)])
    order = np.argsort(events, axis=0)
    events = np.take_along_axis(events, order, axis=0)
    lead = np.sign(np.cumsum(np.take_along_axis(gain, order, axis=0), axis=0))
    # the lead holds from an event's rank up to the rank before the next event
    until = np.concatenate([events[1:], (longest + 1)[None] * np.ones_like(events[:1])])
    won = (lead * (_mass(user, until - 1) - _mass(user, events - 1))).sum(axis=0)
    total_mass = _mass(user, longest)
    return np.divide(won, total_mass, out=np.zeros_like(won), where=total_mass > 0)


@preference(name="OI", reference=RPP_PAPER + ", section 6.1", path="interleaved")
def offline_interleaving(
    x_items: np.ndarray,
    y_items: np.ndarray,
    *,
    user: Weight = "uniform",
    over: Literal["all", "found"] = "all",
) -> np.ndarray:
    """Offline interleaving: the expected winner of a balanced interleaving, read by a simulated user.

    `x_items` and `y_items` hold the ranks of the same items on both sides. The user clicks every relevant item down
    to the j-th of the interleaved list. `user` is the distribution of j over all relevant items of the query: uniform,
    proportional to 1 / log2(j + 1) ("dcg") or 1 / j ("inverse"), an array, a mapping of j to weight, or a function of
    j. A user who wants more items than the list holds prefers neither ranking. With `over="found"` j is drawn from the
    items that the list holds. Both interleavings count.

    Examples
    --------
    >>> float(offline_interleaving(np.array([1.0, 5.0]), np.array([2.0, 6.0])))
    1.0
    """
    x, y = np.asarray(x_items, dtype=np.float64), np.asarray(y_items, dtype=np.float64)
    return (_one_interleaving(x, y, user, over) - _one_interleaving(y, x, user, over)) / 2


def _one_interleaving(x: np.ndarray, y: np.ndarray, user: Weight, over: str) -> np.ndarray:
    """Return the expected sign of x's credit less y's, where x is drawn from first."""
    # balanced interleaving takes x1, y1, x2, y2, ... and skips repeats: an item appears at its earliest turn
    turn = np.minimum(2 * x - 1, 2 * y)
    cutoff = np.minimum(x, y)
    seen = np.isfinite(turn)
    # place: the rank of an item among the relevant items of the interleaved list
    place = np.zeros(turn.shape)
    credit = np.zeros(turn.shape)
    for item in range(len(turn)):
        clicked = turn[item] <= turn
        place += clicked
        credit += clicked * ((x[item] <= cutoff) * 1.0 - (y[item] <= cutoff))
    mass = unscaled(user, len(turn), "user")
    weight = np.where(seen, mass[np.where(seen, place, 1).astype(np.int64) - 1], 0.0)
    won = (weight * np.sign(credit)).sum(axis=0)
    total = mass.sum() if over == "all" else weight.sum(axis=0)
    return np.divide(won, total, out=np.zeros_like(won), where=total > 0)


@preference(name="p-MRR", reference="Weller et al. 2024, FollowIR", aliases=("pMRR",))
def p_MRR(
    x_items: np.ndarray, y_items: np.ndarray, x_retrieved: np.ndarray, y_retrieved: np.ndarray
) -> np.ndarray:
    """Pairwise MRR: how much higher x ranks the relevant items than y, the mean of 1 - better rank / worse rank.

    For following instructions: x is the run for the original instruction, y the run for the changed one, and the
    judgments are the items that the change made irrelevant. Positive if y ranks them lower. An item that was not
    retrieved has the rank after the last. `x_items` and `y_items` are ranks of the same items.

    Examples
    --------
    >>> float(p_MRR(np.array([1.0]), np.array([4.0]), 4, 4))
    0.75
    """
    x = np.minimum(x_items, np.asarray(x_retrieved, dtype=np.float64) + 1.0)
    y = np.minimum(y_items, np.asarray(y_retrieved, dtype=np.float64) + 1.0)
    return total(closer(x, y) * (1.0 - np.minimum(x, y) / np.maximum(x, y))) / len(x)
