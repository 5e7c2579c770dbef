"""Checks of arguments, in one tone: what was given, and what to give."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from pdeval.verbs.spelling import nearest

LARGE = 2**61
HALVES = re.compile(
    "[\ud800-\udc7f\udd00-\udfff]"
)  # the others stand for bytes of file names that are not UTF-8
MOST_BITS = 1023  # of the whole numbers that a float can hold


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
        percent = (
            f"; {value:g}% is {value / 100:g}" if is_number(value) and 1 <= value < 100 else ""
        )
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
    if not is_whole(value) or value < least:
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
    if not is_finite(value):
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
    if not (is_finite(value) and value > 0):
        raise ValueError(f"{name}={shown(value)}: give a number above 0.")
    return float(value)


def one_of(
    name: str,
    value: object,
    choices: Iterable[str],
    aliases: Mapping[str, str] | None = None,
    meant: Mapping[str, str] | None = None,
) -> str:
    """Return the choice that a text names, under its own name or another; case does not matter.

    A text that `meant` has is no name of a choice, but the error suggests the choice that it means.

    Examples
    --------
    >>> one_of("correction", "BH", ["holm", "fdr_bh"], {"bh": "fdr_bh"})
    'fdr_bh'
    >>> one_of("correction", "hlom", ["holm", "fdr_bh", "none"])
    Traceback (most recent call last):
    ValueError: correction='hlom': choose 'holm', 'fdr_bh' or 'none'. Did you mean 'holm'?
    """
    choices = tuple(choices)
    aliases = aliases or {}
    text: Any = value
    if isinstance(value, str):
        text = aliases.get(value.lower(), value.lower())
        for choice in choices:
            if text == choice.lower():
                return choice
    near = (meant or {}).get(shown(text).strip("'")) or nearest(
        text, dict(zip(choices, choices)) | dict(aliases)
    )
    hint = f" Did you mean {near!r}?" if near else ""
    listed = (
        ", ".join(map(repr, choices[:-1]))
        + (" or " if len(choices) > 1 else "")
        + repr(choices[-1])
    )
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
    values = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if not values:
        raise ValueError(f"{name}={shown(value)}: it is empty; leave it out, or name at least one.")
    return values


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
    if not is_whole(value) or value < 0:
        raise ValueError(
            f"seed={shown(value)}: give a whole number of at least 0, or None for a new one."
        )
    return int(value)


def is_number(value: object) -> bool:
    """Return whether a value is a real number; True and False are none."""
    # numpy counts a span of time among the whole numbers
    return isinstance(value, numbers.Real) and not isinstance(
        value, bool | np.bool_ | np.timedelta64
    )


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that a float can hold: neither infinite nor missing."""
    try:
        return is_number(value) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:  # a whole number of hundreds of digits
        return False


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is a whole number; True and False are none."""
    return is_number(value) and isinstance(value, int | np.integer)


def refuse_unusable(name: str, value: object) -> None:
    """Raise where no option can mean a value: an array without dimensions, a whole number beyond every float.

    Examples
    --------
    >>> refuse_unusable("alpha", np.array(0.05))
    Traceback (most recent call last):
    ValueError: alpha= is an array without dimensions; give its value: array.item().
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        raise ValueError(f"{name}= is an array without dimensions; give its value: array.item().")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError(f"{name}= is a whole number of more than 300 digits; give a smaller one.")
    texts = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(one, str) and not one.isprintable() and HALVES.search(one) for one in texts):
        raise ValueError(
            f"{name}={shown(value)} holds half of a character (a lone surrogate); give another text."
        )
    if name in ("path", "paths", "folder") and any(
        isinstance(one, str) and "\0" in one for one in texts
    ):
        raise ValueError(f"{name}={shown(value)} holds the character NUL, which no file name can.")


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
        try:
            text = repr(value)
        except ValueError:  # Python does not print whole numbers of thousands of digits
            text = ""
        if 0 < len(text) <= 80 and "\n" not in text:
            return text
    size = f" of {len(value)}" if hasattr(value, "__len__") and np.ndim(value) else ""  # type: ignore[arg-type]
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeio' else 'a'} {name}{size}"
