"""Checks of arguments: an error names the argument, its value, and what was expected."""

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
# lone surrogates, except those that stand for bytes of file names that are not UTF-8
HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
MOST_BITS = 1023  # of the integers that a float can represent


class TooFew(ValueError):
    """Too few runs, queries or values for a result: a fault of the data, not of the call."""


def _require(valid: bool, name: str, value: object, expected: str) -> None:
    """Raise if an argument is not valid."""
    if not valid:
        raise ValueError(f"{name}={shown(value)}: expected {expected}.")


def share(name: str, value: float) -> float:
    """Return a fraction; raise unless it is between 0 and 1.

    Examples
    --------
    >>> share("alpha", 5)
    Traceback (most recent call last):
    ValueError: alpha=5: expected a fraction between 0 and 1; 5% is 0.05.
    """
    percent = f"; {value:g}% is {value / 100:g}" if is_number(value) and 1 <= value < 100 else ""
    valid = is_number(value) and 0 < value < 1
    _require(valid, name, value, f"a fraction between 0 and 1{percent}")
    return float(value)


def whole(name: str, value: Any, least: int, most: float = np.inf) -> int:
    """Return an integer; raise if it is not one, is below the least or above the most.

    Examples
    --------
    >>> whole("draws", 0.5, 1)
    Traceback (most recent call last):
    ValueError: draws=0.5: expected an integer of at least 1.
    """
    lowest = "" if least < -LARGE else f" of at least {least}"
    _require(is_whole(value) and value >= least, name, value, f"an integer{lowest}")
    _require(value <= most, name, value, f"an integer of at most {most:,}")
    return int(value)


def number(name: str, value: float, least: float, most: float = np.inf) -> float:
    """Return a number; raise if it is not one, is below the least or above the most.

    Examples
    --------
    >>> number("margin", -1, 0)
    Traceback (most recent call last):
    ValueError: margin=-1: expected a number of at least 0.
    """
    _require(is_number(value) and value >= least, name, value, f"a number of at least {least:g}")
    _require(value <= most, name, value, f"a number of at most {most:g}")
    return float(value)


def finite(name: str, value: float) -> float:
    """Return a number; raise if it is not one or not finite.

    Examples
    --------
    >>> finite("difference", float("nan"))
    Traceback (most recent call last):
    ValueError: difference=nan: expected a finite number.
    """
    _require(is_finite(value), name, value, "a finite number")
    return float(value)


def positive(name: str, value: float) -> float:
    """Return a number; raise unless it is finite and above 0.

    Examples
    --------
    >>> positive("upper", 0)
    Traceback (most recent call last):
    ValueError: upper=0: expected a number above 0.
    """
    _require(is_finite(value) and value > 0, name, value, "a number above 0")
    return float(value)


def one_of(
    name: str,
    value: object,
    choices: Iterable[str],
    aliases: Mapping[str, str] | None = None,
    meant: Mapping[str, str] | None = None,
) -> str:
    """Return the choice of that name or alias; case does not matter.

    A name in `meant` is not accepted, but the error suggests the choice that it means.

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
    """Return one value or an iterable of values as a list; raise if it is empty.

    Examples
    --------
    >>> several("measures", "AP"), several("measures", ("AP", "RR"))
    (['AP'], ['AP', 'RR'])
    >>> several("measures", [])
    Traceback (most recent call last):
    ValueError: measures=[] is empty. Pass at least one, or omit the argument.
    """
    values = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if not values:
        raise ValueError(
            f"{name}={shown(value)} is empty. Pass at least one, or omit the argument."
        )
    return values


def seed(value: Any) -> int | None:
    """Return a random seed, or None for a new one; raise if it is neither.

    Examples
    --------
    >>> seed("today")
    Traceback (most recent call last):
    ValueError: seed='today': expected a non-negative integer, or None for a random seed.
    """
    valid = value is None or (is_whole(value) and value >= 0)
    _require(valid, "seed", value, "a non-negative integer, or None for a random seed")
    return None if value is None else int(value)


def is_number(value: object) -> bool:
    """Return whether a value is a real number; True and False are not."""
    # numpy counts timedeltas among the integers
    return isinstance(value, numbers.Real) and not isinstance(
        value, bool | np.bool_ | np.timedelta64
    )


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that a float can represent: neither infinite nor missing."""
    try:
        return is_number(value) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer of hundreds of digits
        return False


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer; True and False are not."""
    return is_number(value) and isinstance(value, int | np.integer)


def refuse_unusable(name: str, value: object) -> None:
    """Raise if no option accepts a value: an array without dimensions, an integer beyond every float.

    Examples
    --------
    >>> refuse_unusable("alpha", np.array(0.05))
    Traceback (most recent call last):
    ValueError: alpha= is an array without dimensions. Pass its value: array.item().
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        raise ValueError(f"{name}= is an array without dimensions. Pass its value: array.item().")
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ValueError(f"{name}= is an integer of more than 300 digits. Pass a smaller one.")
    texts = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(one, str) and not one.isprintable() and HALVES.search(one) for one in texts):
        raise ValueError(
            f"{name}={shown(value)} contains half of a character (a lone surrogate). Remove it."
        )
    if name in ("path", "paths", "folder") and any(
        isinstance(one, str) and "\0" in one for one in texts
    ):
        raise ValueError(
            f"{name}={shown(value)} contains the character NUL, which file names cannot contain."
        )


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN, NA or NaT."""
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))  # type: ignore[call-overload]


def shown(value: object) -> str:
    """Return a short text of a value for a message, in one line.

    Examples
    --------
    >>> shown("x"), shown(list(range(100)))
    ("'x'", 'a list of 100')
    """
    if isinstance(value, list | tuple | dict | set) or pd.api.types.is_scalar(value):
        try:
            text = repr(value)
        except ValueError:  # Python does not print integers of thousands of digits
            text = ""
        if 0 < len(text) <= 80 and "\n" not in text:
            return text
    size = f" of {len(value)}" if hasattr(value, "__len__") and np.ndim(value) else ""  # type: ignore[arg-type]
    return f"{with_article(type(value).__name__)}{size}"


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article.

    Examples
    --------
    >>> with_article("list"), with_article("int")
    ('a list', 'an int')
    """
    return f"{'an' if noun[0].lower() in 'aeio' else 'a'} {noun}"
