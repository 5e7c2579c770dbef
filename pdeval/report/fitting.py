"""What makes a wide table fit its column, for every format that is printed."""

from __future__ import annotations

import re
from typing import Literal, get_args

from pdeval.report.spec import Report

Marks = Literal["raised", "below"]
MOST_RAISED = 3  # letters that a number still carries where room is short


def marks_below(report: Report, marks: Marks | None, compact: bool) -> bool:
    """Return whether marks stand on a line of their own below the numbers: where asked for, or where room is short.

    Examples
    --------
    >>> from pdeval.report.spec import Cell, Column
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
