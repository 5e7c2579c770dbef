"""Tables that fit the width of a page: estimated widths, a compact layout, and columns continued below."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from pdeval.report.numbers import Marks, marks_below
from pdeval.report.report import Column, Report

# widths of characters in em, of usual serif fonts; other characters are as wide as a digit
_WIDTHS = {
    **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ@%+=<>±−", 0.75),
    **dict.fromkeys("MWmw↑↓—", 0.9),
    **dict.fromkeys("ijl.,:;'|![]()ft", 0.35),
}
Width = TypeVar("Width", int, float)
_DIGIT = 0.5
_RAISED = 0.7  # size of raised marks
_BOLD = 1.15


def layout(
    report: Report,
    marks: Marks | None,
    compact: bool | None,
    width: float | None,
    points: Callable[[bool], tuple[float, float]],
) -> tuple[bool, bool, list[Report]]:
    """Return whether a table is compact, whether its marks are below its numbers, and its parts below each other.

    Parameters
    ----------
    compact : bool, optional
        Whether the table is compact; by default if it is too wide otherwise.
    width : float, optional
        Width of the page in points. By default there is no limit.
    points : callable
        Size of the font and space between two columns in points, of a compact table or another.

    Examples
    --------
    >>> from pdeval.report.report import Cell
    >>> columns = (Column("run", "System", numeric=False), Column("AP", "AP"), Column("RR", "RR"))
    >>> table = Report(columns, ((Cell("bm25", "bm25"), Cell(0.5, "0.500"), Cell(0.6, "0.600")),))
    >>> [len(part.columns) for part in layout(table, None, None, 60, lambda compact: (10, 6))[2]]
    [2, 2]
    """
    if width is None:
        compact = bool(compact)
        return compact, marks_below(report, marks, compact), [report]
    for choice in [False, True] if compact is None else [compact]:
        below = marks_below(report, marks, choice)
        em, gap = points(choice)
        widths = [em * _column_width(report, i, below) for i in range(len(report.columns))]
        if total_width(widths, gap) <= width:
            return choice, below, [report]
    is_text = [not column.numeric for column in report.columns]
    blocks = column_blocks(is_text, widths, width, gap)
    # as many blocks of a smaller width have nearly equal numbers of columns
    for percent in range(95, 50, -5):
        narrower = column_blocks(is_text, widths, width * percent / 100, gap)
        if len(narrower) > len(blocks):
            break
        blocks = narrower
    return choice, below, [_columns_of(report, block) for block in blocks]


def n_rows(parts: Sequence[Report], below: bool) -> int:
    """Return the number of rows of a table; of parts below each other, with their headers and marks."""
    rows = len(parts[0].rows)
    return rows if len(parts) == 1 else len(parts) * (3 + rows * (1 + below))


def _columns_of(report: Report, block: Sequence[int]) -> Report:
    rows = tuple(tuple(row[i] for i in block) for row in report.rows)
    return replace(report, columns=tuple(report.columns[i] for i in block), rows=rows)


def total_width(widths: Sequence[Width], gap: Width) -> Width:
    """Return the width of columns with gaps between them."""
    return sum(widths) + gap * (len(widths) - 1)


def column_blocks(
    is_text: Sequence[bool], widths: Sequence[float], width: float, gap: float
) -> list[list[int]]:
    """Return the columns of each block that fits a width.

    Every block begins with the first columns of text, which identify the rows, as far as another column fits beside
    them.

    Examples
    --------
    >>> column_blocks([True, False, False], [4, 5, 5], 12, gap=2)
    [[0, 1], [0, 2]]
    >>> column_blocks([True, True, False, False], [4, 4, 5, 5], 18, gap=2)
    [[0, 1, 2], [0, 1, 3]]
    """
    keys = [0]
    for i in range(1, len(widths)):
        columns = [*(widths[key] for key in [*keys, i]), max(widths[i + 1 :], default=0)]
        if not is_text[i] or total_width(columns, gap) > width:
            break
        keys.append(i)
    blocks = [keys]
    for i in range(len(keys), len(widths)):
        if blocks[-1] != keys and total_width([widths[j] for j in [*blocks[-1], i]], gap) > width:
            blocks.append(keys)
        blocks[-1] = [*blocks[-1], i]
    return blocks


def _column_width(report: Report, i: int, below: bool) -> float:
    """Return the width of a column in em."""
    column: Column = report.columns[i]
    cells = [row[i] for row in report.rows]
    numbers = max(
        (text_width(cell.text) * (_BOLD if cell.emphasis == "best" else 1) for cell in cells),
        default=0.0,
    )
    marks = _RAISED * max((text_width(cell.marks) for cell in cells), default=0.0)
    spreads = max(
        (text_width(" [, ]" + "".join(cell.spread_text)) for cell in cells if cell.spread_text),
        default=0.0,
    )
    body = max(numbers + spreads, marks) if below else numbers + marks + spreads
    return max(text_width(column.header + column.arrow), body)


def text_width(text: str) -> float:
    """Return the approximate width of a text in em.

    Examples
    --------
    >>> text_width("0.5"), text_width("AP ↑")
    (1.35, 2.9)
    """
    return round(sum(_WIDTHS.get(character, _DIGIT) for character in text), 3)
