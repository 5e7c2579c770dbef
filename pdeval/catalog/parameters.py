"""The parameters of a measure: what they may be, when two are the same, and how a name says them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import pandas as pd

from pdeval.verbs.arguments import is_finite, refuse_unusable, shown

if TYPE_CHECKING:
    from pdeval.catalog import Entry


def checked_level(entry: Entry, level: Any, text: str) -> float | None:
    """Return the level that a name asks for, or an error where it is no grade above 0."""
    if level is not None and not (is_finite(level) and level > 0):
        hint = entry.level_hint
        raise ValueError(f"level={shown(level)} in {text!r}: the least grade that counts as relevant is above 0.{hint}")
    found: float | None = level
    return found


def checked_flag(said: Any, text: str) -> bool:
    """Return what a name says by True or False, or an error where it says neither.

    Examples
    --------
    >>> checked_flag("true", "AP(judged_only=true)")
    True
    """
    if str(said) not in ("True", "true", "False", "false"):
        raise ValueError(f"{said!r} in {text!r} must be True or False.")
    return str(said) in ("True", "true")


def checked_label(label: Any, text: str) -> str:
    """Return what results are to call a measure, or an error where that is no text.

    Examples
    --------
    >>> checked_label("patient RPP", "RPP")
    'patient RPP'
    """
    if not isinstance(label, str) or not label.strip():
        raise ValueError(f"label={shown(label)} of {text!r}: give a text, what results are to call it.")
    return label


@cache
def _hints(kernel: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(kernel)


def checked(entry: Entry, name: str, value: Any, text: str) -> Any:
    """Return the value of a measure's parameter, or an error that says what it may be.

    Examples
    --------
    >>> from pdeval.catalog import find
    >>> checked(find("RBP"), "p", 2, "RBP(p=2)")
    Traceback (most recent call last):
    ValueError: p=2 in 'RBP(p=2)' must be between 0 and 1.
    """
    default = entry.parameters[name]
    if value is default:
        return value
    refuse_unusable(name, value)
    if value is pd.NA:
        raise ValueError(f"{name}={value!r} of {text!r} says nothing; leave it out, or give a value.")
    if name in entry.read:
        return entry.read[name](value, text)
    hint = _hints(entry.kernel).get(name)
    if get_origin(hint) is Literal and not any(same(value, one) for one in get_args(hint)):
        raise ValueError(
            f"{name}={value!r} in {text!r}: {entry.name} takes one of {', '.join(map(repr, get_args(hint)))}."
        )
    if name == "k" and not (
        isinstance(value, (int, float)) and value >= 1 and (value == math.inf or value == int(value))
    ):
        raise ValueError(f"the cutoff in {text!r} is {value!r}; it must be a whole number of at least 1.")
    if name != "k" and type(default) is int and not (isinstance(value, (int, float)) and value == value // 1):
        raise ValueError(f"{name}={value!r} in {text!r} must be a whole number.")
    if isinstance(default, float) and name != "k" and not isinstance(value, (int, float)):
        raise ValueError(f"{name}={value!r} in {text!r} must be a number.")
    if name in entry.limits:
        low, high = entry.limits[name]
        if not (isinstance(value, (int, float)) and low <= value <= high):
            raise ValueError(f"{name}={value!r} in {text!r} must be between {low:g} and {high:g}.")
    return value


def label_of(entry: Entry, parameters: Mapping[str, Any], level: float | None, judged_only: bool = False) -> str:
    """Return the name of a measure with what it sets that is not its default.

    Examples
    --------
    >>> from pdeval.catalog import find
    >>> label_of(find("RBP"), {"p": 0.9, "k": 10}, None)
    'RBP(p=0.9)@10'
    """
    told = {
        n: v
        for n, v in parameters.items()
        if n != entry.at and n not in entry.compat_only and not same(v, entry.parameters[n])
    }
    if level is not None:
        told["level"] = level
    if judged_only:
        told["judged_only"] = True
    inside = ",".join(f"{name}={said(value)}" for name, value in told.items())
    text = f"{entry.name}({inside})" if inside else entry.name
    at = parameters.get(entry.at)
    if at is not None and not at == math.inf == entry.parameters[entry.at]:
        text += f"@{entry.at_prefix}{said(at)}"
    return text


def same(a: Any, b: Any) -> bool:
    """Return whether two parameters are equal, also where they are arrays.

    Examples
    --------
    >>> import numpy as np
    >>> same(np.ones(2), np.ones(2)), same(np.ones(2), "uniform"), same(1, 1.0)
    (True, False, True)
    """
    if hasattr(a, "shape") or hasattr(b, "shape"):
        return a is b or (getattr(a, "shape", None) == getattr(b, "shape", None) and bool((a == b).all()))
    return bool(a == b)


def said(value: Any) -> str:
    """Return the value of a parameter as it stands in a name.

    Examples
    --------
    >>> said(0.5), said({1: 3.0}), said("exp")
    ('0.5', '{1:3}', 'exp')
    """
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{said(k)}:{said(v)}" for k, v in value.items()) + "}"
    scalar = isinstance(value, str) or getattr(value, "shape", None) == ()
    if hasattr(value, "__len__") and not scalar:
        short = len(value) <= (8 if hasattr(value, "shape") else 16)
        return "[" + ",".join(map(said, value)) + "]" if short else "array"
    return str(value)
