"""The C/W/L framework: what readers gain and spend follows from one function, the probability that they go on.

A user model tells C(i), the probability that a reader who looked at rank i looks at rank i + 1. From it follow V(i),
the probability of looking at rank i (the product of C above it), W(i) = V(i) / sum of V, the share of attention that
rank i has, and L(i) = V(i) (1 - C(i)), the probability that rank i is the last one. Then

    expected utility            sum of W gain           the measure of the model's name: gain per item looked at
    expected total utility      sum of L (gains so far)
    expected cost               sum of W cost
    expected total cost         sum of L (costs so far)
    expected depth              1 / W(1)

Axis 0 of every array is the rank, from 1 to the depth n, beyond which nobody looks (Moffat, Bailey, Scholer & Thomas
2017; Azzopardi, Thomas & Moffat 2019, cwl_eval).
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar, overload

import numpy as np

from pdeval.catalog import metric, parse
from pdeval.catalog.measures import same
from pdeval.kernels.primitives import inf, running, share, total
from pdeval.verbs.registry import Registry

FRAMEWORK = (
    "Azzopardi, Thomas & Moffat 2019, cwl_eval: an evaluation tool for information retrieval"
)
Going = TypeVar("Going", bound=Callable[..., Any])
DEPTH = 1000
LIMITS = {"max_grade": (0, inf), "min_grade": (0, inf), "n": (1, inf)}
CELLS = 1 << 18  # ranks times lists that are looked at together
COLUMNS = ("rank", "gain", "total", "cost", "spent")
MODELS: Registry[Model] = Registry("user model", replace="always")


class Model(NamedTuple):
    """A user model: how readers go on, the columns that this depends on, and its parameters with their defaults."""

    name: str
    going_on: Callable[..., Any]
    columns: tuple[str, ...]
    parameters: Mapping[str, Any]


class Expected(NamedTuple):
    """What readers gain and spend, each of the shape of the lists."""

    utility: np.ndarray
    total_utility: np.ndarray
    cost: np.ndarray
    total_cost: np.ndarray
    depth: np.ndarray


def expectations(
    model: str, gain: np.ndarray, cost: np.ndarray | float = 1.0, **parameters: Any
) -> Expected:
    """Return what the readers of a user model gain and spend on lists whose gains and costs are known rank by rank.

    Parameters
    ----------
    model : str
        The name of a user model, such as "INST".
    gain : ndarray of shape (n, ...)
        The gain of the item at each rank, from 0 to 1; further axes are lists.
    cost : float or ndarray of shape (n, ...)
        What looking at the item at each rank costs.
    **parameters
        Of the model.

    Examples
    --------
    A reader who goes on with probability 1/2 looks at two items, if the list never ends.

    >>> found = expectations("RBP", np.array([1.0, 0.0, 1.0] + [0.0] * 50), p=0.5)
    >>> float(found.utility.round(9)), float(found.total_utility.round(9)), float(found.depth.round(9))
    (0.625, 1.25, 2.0)
    """
    known = MODELS[model]
    gain = np.asarray(gain, dtype=np.float64)
    cost = np.broadcast_to(np.asarray(cost, dtype=np.float64), gain.shape)
    rank = np.arange(1.0, len(gain) + 1).reshape(-1, *[1] * (gain.ndim - 1))
    columns = {
        "rank": rank,
        "gain": gain,
        "cost": cost,
        "total": running(gain),
        "spent": running(cost),
    }
    going_on = known.going_on(
        *[columns[name] for name in known.columns], **{**known.parameters, **parameters}
    )
    going_on = np.broadcast_to(np.asarray(going_on, dtype=np.float64), gain.shape)
    # V(i): everybody looks at rank 1, and at rank i with the product of C above it
    seen = np.concatenate([np.ones_like(gain[:1]), np.multiply.accumulate(going_on[:-1], axis=0)])
    looks, last = total(seen), seen * (1.0 - going_on)
    return Expected(
        total(seen * gain) / looks,
        total(last * columns["total"]),
        total(seen * cost) / looks,
        total(last * columns["spent"]),
        looks,
    )


def of_ranks(
    model: str,
    value: str,
    rank: np.ndarray,
    gain: np.ndarray,
    *,
    n: int,
    cost: float = 1.0,
    **parameters: Any,
) -> np.ndarray:
    """Return one of the expectations of lists that are given by the ranks of their items with a gain, down to rank n.

    Where the model has a cutoff `k` of ranks, those beyond it are left out.

    Examples
    --------
    >>> float(of_ranks("RBP", "utility", np.array([1.0, 3.0]), np.array([1.0, 1.0]), n=50, p=0.5).round(9))
    0.625
    """
    rank = np.asarray(rank)
    shape, lists = rank.shape[1:], math.prod(rank.shape[1:])
    depth = int(n if "spent" in MODELS[model].columns else min(n, parameters.get("k", inf)))
    rank, gain = (
        rank.reshape(len(rank), lists),
        np.broadcast_to(gain, rank.shape).reshape(len(rank), lists),
    )
    result = np.empty(lists)
    step = max(CELLS // depth, 1)  # lists at a time, to bound memory
    for first in range(0, lists, step):
        part = slice(first, first + step)
        near, near_gain = rank[:, part], gain[:, part]
        # from sparse (rank, gain) to gains at every rank
        dense = np.zeros((depth, near.shape[1]))
        item, place = np.nonzero(near <= depth)
        dense[near[item, place].astype(np.int64) - 1, place] = near_gain[item, place]
        result[part] = getattr(expectations(model, dense, cost, **parameters), value)
    return result.reshape(shape)


def scaled(
    grade: np.ndarray, top_grade: float, max_grade: float | None = None, min_grade: float = 0.0
) -> np.ndarray:
    """Return grades as gains from 0 to 1: (grade - min_grade) / (max_grade - min_grade), those outside as its ends.

    Examples
    --------
    >>> scaled(np.array([1.0, 2.0, 3.0]), 3, max_grade=2).tolist()
    [0.5, 1.0, 1.0]
    """
    highest = top_grade if max_grade is None else max_grade
    if max_grade is not None and not max_grade > min_grade:
        raise ValueError(
            f"max_grade={max_grade!r} must be above min_grade={min_grade!r}: no item has a gain otherwise."
        )
    gain = share(
        np.asarray(grade, dtype=np.float64) - min_grade, float(max(highest - min_grade, 0.0))
    )
    return np.clip(gain, 0.0, 1.0)


@overload
def user_model(function: Going, /) -> Callable[..., Any]: ...
@overload
def user_model(
    function: None = None,
    /,
    *,
    name: str | None = None,
    reference: str = FRAMEWORK,
    aliases: Mapping[str, str] | Iterable[str] = (),
    limits: Mapping[str, tuple[float, float]] | None = None,
    synonyms: Mapping[str, Mapping[Any, Mapping[str, Any]]] | None = None,
    measure: bool = True,
) -> Callable[[Going], Callable[..., Any]]: ...
def user_model(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    reference: str = FRAMEWORK,
    aliases: Mapping[str, str] | Iterable[str] = (),
    limits: Mapping[str, tuple[float, float]] | None = None,
    synonyms: Mapping[str, Mapping[Any, Mapping[str, Any]]] | None = None,
    measure: bool = True,
) -> Any:
    """Register a function as a user model of the C/W/L framework, and its expected utility as a measure.

    Parameters
    ----------
    function : callable
        The probability of going on from each rank to the next. It asks by name for arrays whose axis 0 is the rank:
        `rank`, from 1; `gain`, from 0 to 1; `total`, the gains so far; `cost`; `spent`, the costs so far. Keyword-only
        parameters with defaults are its own; `k`, which `@10` sets, is a rank beyond which nobody looks.
    name : str, optional
        The name where it is not the function's.
    reference : str
        Where it was published.
    aliases, limits, synonyms
        As of `pdeval.metric`.
    measure : bool
        Whether its expected utility becomes a measure of that name.

    Examples
    --------
    >>> import pdeval
    >>> @pdeval.user_model(reference="an example")
    ... def Hurried(rank, total, *, T: float = 1.0):
    ...     "Reader in a hurry, who goes on with probability 1/2 until the gain is T."
    ...     return np.where(total < T, 0.5, 0.0)
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.measure(["Hurried", "ED(model=Hurried)"]).head(2).round(4)
        run query_id            measure   value
    0  bm25      101            Hurried  0.5556
    1  bm25      101  ED(model=Hurried)  1.5000
    >>> from pdeval.catalog import ENTRIES
    >>> del ENTRIES["Hurried"], MODELS["Hurried"]
    """

    def declare(going_on: Going) -> Callable[..., Any]:
        label = name or going_on.__name__
        parameters = inspect.signature(going_on).parameters.values()
        columns = tuple(one.name for one in parameters if one.kind is not one.KEYWORD_ONLY)
        if unknown := [one for one in columns if one not in COLUMNS]:
            raise TypeError(
                f"a user model has no column {unknown[0]!r}; it may ask for {', '.join(COLUMNS)}."
            )
        keywords = [one for one in parameters if one.kind is one.KEYWORD_ONLY]
        MODELS.add(
            label, Model(label, going_on, columns, {one.name: one.default for one in keywords})
        )
        if not measure:
            return going_on
        kernel = _kernel(label, going_on, keywords)
        return metric(
            kernel,
            name=label,
            kind="graded",
            reference=reference,
            aliases=aliases,
            limits={**LIMITS, **(limits or {})},
            synonyms=synonyms or {},
            padded=True,
        )

    return declare if function is None else declare(function)


def _kernel(
    name: str, going_on: Callable[..., Any], keywords: list[inspect.Parameter]
) -> Callable[..., Any]:
    """Return the kernel of a model's expected utility, with the model's parameters among its own."""

    def kernel(
        rank: np.ndarray,
        grade: np.ndarray,
        top_grade: float,
        *,
        max_grade: float | None = None,
        min_grade: float = 0.0,
        n: int = DEPTH,
        **parameters: Any,
    ) -> np.ndarray:
        gain = scaled(grade, top_grade, max_grade, min_grade)
        return of_ranks(name, "utility", rank, gain, n=int(n), **parameters)

    # the kernel shows the parameters of the model as its own: the catalog reads its signature
    written = inspect.signature(kernel)
    parameters_written = [
        one for one in written.parameters.values() if one.kind is not one.VAR_KEYWORD
    ]
    last = [one for one in keywords if one.name == "k"]
    columns, rest = parameters_written[:3], parameters_written[3:]
    keywords = [one for one in keywords if one.name != "k"]
    kernel.__signature__ = written.replace(parameters=[*columns, *keywords, *rest, *last])  # type: ignore[attr-defined]
    kernel.__annotations__ = {**kernel.__annotations__, **going_on.__annotations__}
    kernel.__annotations__.pop("parameters")
    for about in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(kernel, about, getattr(going_on, about))
    return kernel


Gain = Literal["graded", "binary"]


def read_model(value: Any, text: str) -> str:
    """Return the name of a user model with its parameters, as pdeval writes it.

    Examples
    --------
    >>> read_model("INST(T=2.0)", "ETU(model=INST(T=2.0))"), read_model("BPM @ 20", "ETU(model=BPM@20)")
    ('INST(T=2)', 'BPM@20')
    >>> read_model("nDCG", "ETU(model=nDCG)")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: model=nDCG in 'ETU(model=nDCG)' is no user model; there are INST, INSQ, BPM, ...
    """
    meant = parse(str(value))
    if meant.entry.name not in MODELS:
        raise ValueError(
            f"model={value} in {text!r} is no user model; there are {', '.join(MODELS)}."
        )
    model_parameters, defaults = MODELS[meant.entry.name].parameters, meant.entry.parameters
    other = [
        name
        for name, value_set in meant.parameters.items()
        if name not in model_parameters and not same(value_set, defaults[name])
    ]
    if other or meant.level is not None or meant.judged_only:
        what = ", ".join(model_parameters) or "no parameters"
        raise ValueError(
            f"model={value} in {text!r}: how its readers go on has {what}; say all else outside of it."
        )
    return meant.spelled


def _of_model(
    value: str,
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    *,
    model: str,
    gain: Gain,
    max_grade: float | None,
    min_grade: float,
    n: int,
    cost: float = 1.0,
) -> np.ndarray:
    meant = parse(model)
    model_parameters = {
        name: meant.parameters[name] for name in MODELS[meant.entry.name].parameters
    }
    gains = (
        (np.asarray(grade) > 0) * 1.0
        if gain == "binary"
        else scaled(grade, top_grade, max_grade, min_grade)
    )
    return of_ranks(meant.entry.name, value, rank, gains, n=int(n), cost=cost, **model_parameters)


@metric(
    kind="graded",
    reference=FRAMEWORK,
    range=(0, inf),
    limits=LIMITS,
    read={"model": read_model},
    padded=True,
)
def ETU(
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    *,
    model: str = "INST",
    gain: Gain = "graded",
    max_grade: float | None = None,
    min_grade: float = 0.0,
    n: int = DEPTH,
) -> np.ndarray:
    """Expected total utility: what a reader of a user model gains in all, ETU(model=INST(T=2)).

    The sum over ranks of the gains so far times the probability that the reader stops there. Gains are grades, divided
    by `max_grade`; `gain="binary"` has 1 for each relevant item.

    Examples
    --------
    >>> float(ETU(np.array([1.0, 3.0]), np.array([1.0, 1.0]), 1, model="P@3"))
    2.0
    """
    scale: dict[str, Any] = {"max_grade": max_grade, "min_grade": min_grade, "n": n}
    return _of_model("total_utility", rank, grade, top_grade, model=model, gain=gain, **scale)


COSTS: dict[str, Any] = {"kind": "graded", "reference": FRAMEWORK, "higher": False, "empty": True}


@metric(**COSTS, range=(1, inf), limits=LIMITS, read={"model": read_model})
def ED(
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    *,
    model: str = "INST",
    gain: Gain = "graded",
    max_grade: float | None = None,
    min_grade: float = 0.0,
    n: int = DEPTH,
) -> np.ndarray:
    """Expected depth: how many items a reader of a user model looks at, ED(model=INST(T=2)).

    Less is better: the reader was satisfied sooner. Gains as in ETU.

    Examples
    --------
    >>> float(ED(np.array([4.0, 9.0]), np.array([1.0, 1.0]), 1, model="RR"))
    4.0
    """
    scale: dict[str, Any] = {"max_grade": max_grade, "min_grade": min_grade, "n": n}
    return _of_model("depth", rank, grade, top_grade, model=model, gain=gain, **scale)


@metric(**COSTS, range=(0, inf), limits={**LIMITS, "cost": (0, inf)}, read={"model": read_model})
def ETC(
    rank: np.ndarray,
    grade: np.ndarray,
    top_grade: float,
    *,
    model: str = "INST",
    gain: Gain = "graded",
    cost: float = 1.0,
    max_grade: float | None = None,
    min_grade: float = 0.0,
    n: int = DEPTH,
) -> np.ndarray:
    """Expected total cost: what a reader of a user model spends in all, where looking at an item costs `cost`.

    The sum over ranks of the costs so far times the probability that the reader stops there. Gains as in ETU. For costs
    that differ by item there is `pdeval.kernels.expectations`.

    Examples
    --------
    >>> float(ETC(np.array([4.0, 9.0]), np.array([1.0, 1.0]), 1, model="RR", cost=2.0))
    8.0
    """
    scale: dict[str, Any] = {"max_grade": max_grade, "min_grade": min_grade, "n": n, "cost": cost}
    return _of_model("total_cost", rank, grade, top_grade, model=model, gain=gain, **scale)
