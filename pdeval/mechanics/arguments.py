"""Checks of arguments, in one tone: what was given, and what to give."""

from __future__ import annotations

import difflib
import numbers
from collections.abc import Iterable, Mapping

import numpy as np


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
    if not (_is_number(value) and 0 < value < 1):
        percent = f"; {value:g}% is {value / 100:g}" if _is_number(value) and 1 <= value < 100 else ""
        raise ValueError(f"{name}={value!r}: give a share between 0 and 1{percent}.")
    return float(value)


def whole(name: str, value: object, least: int) -> int:
    """Return a whole number, or raise where it is none or below the least.

    Examples
    --------
    >>> whole("draws", 0.5, 1)
    Traceback (most recent call last):
    ValueError: draws=0.5: give a whole number of at least 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name}={value!r}: give a whole number of at least {least}.")
    return int(value)


def number(name: str, value: float, least: float) -> float:
    """Return a number, or raise where it is none or below the least.

    Examples
    --------
    >>> number("margin", -1, 0)
    Traceback (most recent call last):
    ValueError: margin=-1: give a number of at least 0.
    """
    if not (_is_number(value) and value >= least):
        raise ValueError(f"{name}={value!r}: give a number of at least {least:g}.")
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
        if text == choice.lower():
            return choice
    near = difflib.get_close_matches(str(text), [*choices, *aliases], n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    listed = ", ".join(map(repr, choices[:-1])) + (" or " if len(choices) > 1 else "") + repr(choices[-1])
    raise ValueError(f"{name}={value!r}: choose {listed}.{hint}")


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
        raise ValueError(f"seed={value!r}: give a whole number of at least 0, or None for a new one.")
    return int(value)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
