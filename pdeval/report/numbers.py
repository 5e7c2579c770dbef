"""How numbers are printed: digits, signs, p-values; the same text for every renderer."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from pdeval.report.report import DASH, Report

MOST = 10
MINUS = "−"


def number(value: float, digits: int) -> str:
    """Return a number as a table prints it: fixed digits, a true minus sign, never a negative zero.

    Examples
    --------
    >>> number(0.12345, 3), number(-0.0001, 3), number(-1.5, 1), number(float("inf"), 3), number(float("nan"), 3)
    ('0.123', '0.000', '−1.5', '∞', '–')
    """
    if math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0 else MINUS + "∞"
    text = f"{abs(value):.{digits}f}"
    return MINUS + text if value < 0 and float(text) != 0 else text


def printed(values: np.ndarray, digits: int) -> np.ndarray:
    """Return the values as a reader sees them, so that what prints alike is equal.

    Examples
    --------
    >>> printed(np.array([0.1234, 0.1226]), 2).tolist()
    [0.12, 0.12]
    """
    return np.array([float(f"{value:.{digits}f}") for value in values])


def p_value(value: float, digits: int) -> str:
    """Return a p-value: "<0.001" where the digits would show zero.

    Examples
    --------
    >>> p_value(0.04321, 3), p_value(1e-9, 3), p_value(0.0, 2)
    ('0.043', '<0.001', '<0.01')
    """
    if digits > 0 and 0 <= value < 0.5 * 10.0**-digits:
        return "<" + number(10.0**-digits, digits)
    return number(value, digits)


def share(value: float) -> str:
    """Return a level such as alpha in its shortest form.

    Examples
    --------
    >>> share(0.05), share(95.0)
    ('0.05', '95')
    """
    return f"{value:.10g}"


def check(digits: object, name: str = "digits") -> int:
    """Return `digits` if it is a sensible number of decimals.

    Examples
    --------
    >>> check(3)
    3
    >>> check(40)
    Traceback (most recent call last):
    ValueError: digits=40: a cell can show 0 to 10 decimals.
    """
    if isinstance(digits, bool) or not isinstance(digits, (int, np.integer)):
        raise TypeError(f"{name}={digits!r}: the number of decimals must be a whole number, e.g. 3.")
    if not 0 <= digits <= MOST:
        raise ValueError(f"{name}={digits}: a cell can show 0 to {MOST} decimals.")
    return int(digits)


def per_column(digits: int | Mapping[str, int], columns: list[str], default: int = 3) -> list[int]:
    """Return the decimals of each column, from one number or from a mapping of some columns.

    Examples
    --------
    >>> per_column(2, ["AP", "ASL"]), per_column({"ASL": 1}, ["AP", "ASL"])
    ([2, 2], [3, 1])
    """
    if not isinstance(digits, Mapping):
        return [check(digits)] * len(columns)
    unknown = [name for name in digits if name not in columns]
    if unknown:
        raise KeyError(f"digits names {unknown[0]!r}, which is not a column of this table: {', '.join(columns)}.")
    return [check(digits.get(name, default), f"digits[{name!r}]") for name in columns]


class Lacking(NamedTuple):
    """What a number lacks beside others: a sign, digits before the point, the point and digits after it."""

    sign: str = ""
    digits: str = ""
    decimals: str = ""


def lacking(texts: Sequence[str]) -> list[Lacking]:
    """Return what each number of a column lacks; texts that are no numbers lack nothing.

    Examples
    --------
    >>> [tuple(one) for one in lacking(["1.5", "−10.25", "–"])]
    [('−', '0', '0'), ('', '', ''), ('', '', '')]
    """
    parts = [_split(text) for text in texts]
    signs = [sign for sign, _, _ in parts if sign]
    before = max((len(whole) for _, whole, _ in parts), default=0)
    after = max((len(rest) for _, whole, rest in parts if whole), default=0)
    found = []
    for sign, whole, rest in parts:
        if not whole:
            found.append(Lacking())
            continue
        behind = after - len(rest)
        point = "." * (not rest and behind > 0)
        found.append(
            Lacking(
                signs[0] if signs and not sign else "", "0" * (before - len(whole)), point + "0" * (behind - len(point))
            )
        )
    return found


def _split(text: str) -> tuple[str, str, str]:
    found = re.fullmatch(r"([−<]?)(\d+)(\.\d+)?", text)
    return (found[1], found[2], found[3] or "") if found else ("", "", text)


def widest(marks: Sequence[str]) -> str:
    """Return the longest marks of a column, which all others are given the room of.

    Examples
    --------
    >>> widest(["a", "", "bc"])
    'bc'
    """
    return max(marks, key=len, default="")


Marks = Literal["raised", "below"]
MOST_RAISED = 3  # letters that a number still carries where room is short


def marks_below(report: Report, marks: Marks | None, compact: bool) -> bool:
    """Return whether marks stand on a line of their own below the numbers: where asked for, or where room is short.

    Examples
    --------
    >>> from pdeval.report.report import Cell, Column
    >>> table = Report((Column("AP", "AP"),), ((Cell(0.5, "0.5", marks="abcd"),),))
    >>> marks_below(table, None, compact=True), marks_below(table, None, compact=False)
    (True, False)
    """
    if marks is not None and marks not in get_args(Marks):
        raise ValueError(f"marks={marks!r}: significance marks stand 'raised' or 'below' their numbers.")
    longest = max((len(cell.marks) for row in report.rows for cell in row), default=0)
    return longest > 0 and (marks == "below" or (marks is None and compact and longest > MOST_RAISED))


def check_length(option: str, given: str, units: str, language: str, example: str) -> None:
    """Refuse what is no length.

    Examples
    --------
    >>> check_length("size", "8", "pt|em", "Typst", "8pt")
    Traceback (most recent call last):
    ValueError: size='8': give a length that Typst knows, e.g. '8pt'.
    """
    if not re.fullmatch(rf"\d+(\.\d+)?({units})", given):
        raise ValueError(f"{option}={given!r}: give a length that {language} knows, e.g. {example!r}.")
