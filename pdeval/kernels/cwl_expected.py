"""What readers of a user model gain in all, how far they go and what that costs; see `pdeval.kernels.cwl`."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from pdeval.catalog import metric, parse
from pdeval.catalog.parameters import same
from pdeval.kernels.cwl import DEPTH, FRAMEWORK, LIMITS, MODELS, of_ranks, scaled
from pdeval.kernels.levels import inf

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
        raise ValueError(f"model={value} in {text!r} is no user model; there are {', '.join(MODELS)}.")
    own, defaults = MODELS[meant.entry.name].parameters, meant.entry.parameters
    other = [name for name, told in meant.parameters.items() if name not in own and not same(told, defaults[name])]
    if other or meant.level is not None or meant.judged_only:
        what = ", ".join(own) or "no parameters"
        raise ValueError(f"model={value} in {text!r}: how its readers go on has {what}; say all else outside of it.")
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
    own = {name: meant.parameters[name] for name in MODELS[meant.entry.name].parameters}
    gains = (np.asarray(grade) > 0) * 1.0 if gain == "binary" else scaled(grade, top_grade, max_grade, min_grade)
    return of_ranks(meant.entry.name, value, rank, gains, n=int(n), cost=cost, **own)


@metric(kind="graded", reference=FRAMEWORK, range=(0, inf), limits=LIMITS, read={"model": read_model}, padded=True)
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
    own: dict[str, Any] = {"max_grade": max_grade, "min_grade": min_grade, "n": n}
    return _of_model("total_utility", rank, grade, top_grade, model=model, gain=gain, **own)


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
    own: dict[str, Any] = {"max_grade": max_grade, "min_grade": min_grade, "n": n}
    return _of_model("depth", rank, grade, top_grade, model=model, gain=gain, **own)


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
    own: dict[str, Any] = {"max_grade": max_grade, "min_grade": min_grade, "n": n, "cost": cost}
    return _of_model("total_cost", rank, grade, top_grade, model=model, gain=gain, **own)
