"""Checks of arguments, in one tone: what was given, and what to give."""

from __future__ import annotations

import difflib
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

LARGE = 2**61


class TooFew(ValueError):
    """Too few runs, queries or values for an answer: the fault of the data, not of the call."""


def share(name: str, value: float) -> float:
    """Return a share, or raise unless it lies between 0 and 1.

    Examples
    --------
    >>> share("alpha", 5)
    Traceback (most recent call last):
    ValueError: alpha=5: give a share between 0 and 1; 5% is 0.05.
    """
    if not (is_number(value) and 0 < value < 1):
        percent = f"; {value:g}% is {value / 100:g}" if is_number(value) and 1 <= value < 100 else ""
        raise ValueError(f"{name}={shown(value)}: give a share between 0 and 1{percent}.")
    return float(value)


def whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number, or raise where it is none, below the least or above the most.

    Examples
    --------
    >>> whole("draws", 0.5, 1)
    Traceback (most recent call last):
    ValueError: draws=0.5: give a whole number of at least 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        lowest = "" if least < -LARGE else f" of at least {least}"
        raise ValueError(f"{name}={shown(value)}: give a whole number{lowest}.")
    if most is not None and value > most:
        raise ValueError(f"{name}={shown(value)}: give a whole number of at most {most:,}.")
    return int(value)


def number(name: str, value: float, least: float, most: float = np.inf) -> float:
    """Return a number, or raise where it is none, below the least or above the most.

    Examples
    --------
    >>> number("margin", -1, 0)
    Traceback (most recent call last):
    ValueError: margin=-1: give a number of at least 0.
    """
    if not (is_number(value) and value >= least):
        raise ValueError(f"{name}={shown(value)}: give a number of at least {least:g}.")
    if value > most:
        raise ValueError(f"{name}={shown(value)}: give a number of at most {most:g}.")
    return float(value)


def finite(name: str, value: float) -> float:
    """Return a number, or raise where it is none or infinite.

    Examples
    --------
    >>> finite("difference", float("nan"))
    Traceback (most recent call last):
    ValueError: difference=nan: give a finite number.
    """
    if not (is_number(value) and abs(value) <= np.finfo(float).max):
        raise ValueError(f"{name}={shown(value)}: give a finite number.")
    return float(value)


def positive(name: str, value: float) -> float:
    """Return a number, or raise unless it is finite and above zero.

    Examples
    --------
    >>> positive("upper", 0)
    Traceback (most recent call last):
    ValueError: upper=0: give a number above 0.
    """
    if not (is_number(value) and 0 < value <= np.finfo(float).max):
        raise ValueError(f"{name}={shown(value)}: give a number above 0.")
    return float(value)


def one_of(name: str, value: object, choices: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """Return the choice that a text names, under its own name or another; case does not matter.

    Examples
    --------
    >>> one_of("correction", "BH", ["holm", "fdr_bh"], {"bh": "fdr_bh"})
    'fdr_bh'
    >>> one_of("correction", "hol", ["holm", "fdr_bh", "none"])
    Traceback (most recent call last):
    ValueError: correction='hol': choose 'holm', 'fdr_bh' or 'none'. Did you mean 'holm'?
    """
    choices, aliases = tuple(choices), aliases or {}
    text = value.lower() if isinstance(value, str) else value
    text = aliases.get(text, text) if isinstance(text, str) else text
    for choice in choices:
        if isinstance(text, str) and text == choice.lower():
            return choice
    near = difflib.get_close_matches(str(text), [*choices, *aliases], n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(map(repr, choices[:-1])) + (" or " if len(choices) > 1 else "") + repr(choices[-1])
    raise ValueError(f"{name}={shown(value)}: choose {listed}.{hint}")


def several(name: str, value: object) -> list[Any]:
    """Return what may be one or a list of them as a list, or raise where it is empty.

    Examples
    --------
    >>> several("measures", "AP"), several("measures", ("AP", "RR"))
    (['AP'], ['AP', 'RR'])
    >>> several("measures", [])
    Traceback (most recent call last):
    ValueError: measures=[]: it is empty; leave it out, or name at least one.
    """
    found = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if not found:
        raise ValueError(f"{name}={shown(value)}: it is empty; leave it out, or name at least one.")
    return found


def seed(value: object) -> int | None:
    """Return a seed of random draws, None for a new one, or raise where it is neither.

    Examples
    --------
    >>> seed("today")
    Traceback (most recent call last):
    ValueError: seed='today': give a whole number of at least 0, or None for a new one.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ValueError(f"seed={shown(value)}: give a whole number of at least 0, or None for a new one.")
    return int(value)


def is_number(value: object) -> bool:
    """Return whether a value is a real number; True and False are none."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def is_missing(value: object) -> bool:
    """Return whether a value stands for none: None, NaN, NA or NaT."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))  # type: ignore[call-overload]


def shown(value: object) -> str:
    """Return a value as a message shows it: in one line, and not long.

    Examples
    --------
    >>> shown("x"), shown(list(range(100)))
    ("'x'", 'a list of 100')
    """
    if isinstance(value, list | tuple | dict | set) or pd.api.types.is_scalar(value):
        text = repr(value)
        if len(text) <= 80 and "\n" not in text:
            return text
    size = f" of {len(value)}" if hasattr(value, "__len__") else ""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeio' else 'a'} {name}{size}"
