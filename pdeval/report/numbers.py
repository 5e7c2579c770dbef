"""How numbers are printed: digits, signs, p-values; the same text for every renderer."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from pdeval.report.report import DASH, Cell, Emphasis, Report
from pdeval.verbs import integer, one_of

MAX_DIGITS = 10
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
    """Return the values rounded as they are printed, so that values with the same text are equal.

    Examples
    --------
    >>> printed(np.array([0.1234, 0.1226]), 2).tolist()
    [0.12, 0.12]
    """
    return np.array([float(f"{value:.{digits}f}") for value in values])


def emphases(values: np.ndarray, higher: bool) -> list[Emphasis]:
    """Return which printed values are best and, if there are at least three, second best; ties have the same emphasis.

    If all are equal, none is best.

    Examples
    --------
    >>> emphases(np.array([0.3, 0.1, 0.3, 0.2]), higher=True)
    ['best', '', 'best', 'second']
    >>> emphases(np.array([3.0, 1.0]), higher=False)
    ['', 'best']
    """
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    if len(distinct) < 2:
        return [""] * len(values)
    best, second = distinct[[-1, -2]] if higher else distinct[:2]
    words: dict[float, Emphasis] = {float(best): "best"}
    if len(known) > 2:
        words[float(second)] = "second"
    return [words.get(value, "") for value in values.tolist()]


def p_value(value: float, digits: int) -> str:
    """Return a p-value, "<0.001" if it would print as zero.

    Examples
    --------
    >>> p_value(0.04321, 3), p_value(1e-9, 3), p_value(0.0, 2)
    ('0.043', '<0.001', '<0.01')
    """
    if digits > 0 and 0 <= value < 0.5 * 10.0**-digits:
        return "<" + number(10.0**-digits, digits)
    return number(value, digits)


def per_column(digits: int | Mapping[str, int], columns: list[str], default: int = 3) -> list[int]:
    """Return the number of decimals of each column, from one number or from a mapping.

    Examples
    --------
    >>> per_column(2, ["AP", "ASL"]), per_column({"ASL": 1}, ["AP", "ASL"])
    ([2, 2], [3, 1])
    """
    if not isinstance(digits, Mapping):
        return [digits] * len(columns)
    if unknown := [name for name in digits if name not in columns]:
        raise KeyError(
            f"digits= has {unknown[0]!r}, which is not a column of this table; the columns are {', '.join(columns)}."
        )
    return [
        integer(f"digits[{name!r}]", digits.get(name, default), 0, MAX_DIGITS) for name in columns
    ]


_NUMBER = re.compile(r"([−<]?)(\d+)(\.\d+|)")


class Padding(NamedTuple):
    """The invisible characters that align a number with others: a sign, leading digits, the point and decimals."""

    sign: str = ""
    digits: str = ""
    decimals: str = ""


def paddings(texts: Sequence[str]) -> list[Padding]:
    """Return the padding of each number of a column; other strings have no padding.

    Examples
    --------
    >>> [tuple(one) for one in paddings(["1.5", "−10.25", "–"])]
    [('−', '0', '0'), ('', '', ''), ('', '', '')]
    """
    matches = [_NUMBER.fullmatch(text) for text in texts]
    numbers = [match for match in matches if match]
    sign = next((match[1] for match in numbers if match[1]), "")
    before = max((len(match[2]) for match in numbers), default=0)
    after = max((len(match[3]) for match in numbers), default=0)
    fraction = ("." + "0" * after)[:after]  # decimals that a number does not have are padded
    return [
        Padding("" if match[1] else sign, "0" * (before - len(match[2])), fraction[len(match[3]) :])
        if match
        else Padding()
        for match in matches
    ]


class Markup(NamedTuple):
    """The markup of a format.

    Parameters
    ----------
    escape : callable
        From plain text to markup.
    emphasis : mapping of emphasis to str
        Templates of best and second values.
    hidden, raised, overlaid : str
        Templates of markup that is invisible, raised, and without a width.
    spread : str
        Template of a standard deviation.
    brackets : str
        Template of an interval.
    join : callable
        From parts of markup to one.
    """

    escape: Callable[[str], str]
    emphasis: Mapping[str, str]
    hidden: str
    raised: str
    overlaid: str
    spread: str = " ± %s"
    brackets: str = "[%s, %s]"
    join: Callable[..., str] = lambda *parts: "".join(parts)


def aligned_cells(
    cells: Sequence[Cell], markup: Markup, *, numeric: bool, below: bool = False
) -> list[str]:
    """Return the cells of a column; numbers, marks and spreads have the same width in all cells of a numeric one.

    Marks that are set `below` the numbers are left out.

    Examples
    --------
    >>> markup = Markup(str, {"": "%s"}, hidden="(%s)", raised="^%s", overlaid="|%s|")
    >>> aligned_cells([Cell(1.5, "1.5", marks="a"), Cell(10.25, "10.25", marks="bc")], markup, numeric=True)
    ['(0)1.5(0)|^a|(^bc)', '10.25^bc']
    """
    texts = [markup.emphasis[cell.emphasis] % markup.escape(cell.text) for cell in cells]
    if not numeric:
        return texts

    def hidden(text: str) -> str:
        return markup.hidden % markup.escape(text) if text else ""

    def padded(text: str, padding: Padding) -> str:
        return markup.join(hidden(padding.sign + padding.digits), text, hidden(padding.decimals))

    def spread(ends: tuple[str, ...], *padding: Padding) -> str:
        texts = [markup.escape(end) for end in ends]
        if len(ends) == 1:
            return markup.spread % padded(texts[0], padding[0])
        # padding outside the brackets is invisible
        outside = [hidden(pad.sign + pad.digits) for pad in padding]
        return " " + markup.join(outside[0], markup.brackets % tuple(texts), outside[1])

    marks = ["" if below else cell.marks for cell in cells]
    raised = [markup.raised % markup.escape(mark) if mark else "" for mark in marks]
    longest = raised[marks.index(max(marks, key=len))]
    # a shorter mark has no width, and the invisible longest one has its own
    marked = [
        text
        if text == longest
        else (markup.overlaid % text if text else "") + markup.hidden % longest
        for text in raised
    ]
    spreads = [cell.spread_text for cell in cells]
    n_ends = max(map(len, spreads))
    ends = [paddings([one[i] if one else DASH for one in spreads]) for i in range(n_ends)]
    numbers = map(padded, texts, paddings([cell.text for cell in cells]))
    after = [spread(one, *pads) if one else "" for one, *pads in zip(spreads, *ends)]
    return [
        text if cell.value is None else markup.join(number, mark, end)
        for cell, text, number, mark, end in zip(cells, texts, numbers, marked, after)
    ]


Marks = Literal["raised", "below"]
MAX_RAISED = 3  # marks of more letters are set below the numbers of compact tables


def marks_below(report: Report, marks: Marks | None, compact: bool) -> bool:
    """Return whether marks are set on a line below the numbers: on request, or if long and the table is compact.

    Examples
    --------
    >>> from pdeval.report.report import Cell, Column
    >>> table = Report((Column("AP", "AP"),), ((Cell(0.5, "0.5", marks="abcd"),),))
    >>> marks_below(table, None, compact=True), marks_below(table, None, compact=False)
    (True, False)
    """
    longest = max((len(cell.marks) for row in report.rows for cell in row), default=0)
    default = "below" if compact and longest > MAX_RAISED else "raised"
    position = default if marks is None else one_of("marks", marks, get_args(Marks))
    return longest > 0 and position == "below"


def check_length(option: str, length: str, units: str, language: str, example: str) -> None:
    """Raise if a string is not a length in one of the units.

    Examples
    --------
    >>> check_length("size", "8", "pt|em", "Typst", "8pt")
    Traceback (most recent call last):
    ValueError: size='8': expected a length of Typst, e.g. '8pt'.
    """
    if not re.fullmatch(rf"\d+(\.\d+)?({units})", length):
        raise ValueError(f"{option}={length!r}: expected a length of {language}, e.g. {example!r}.")
