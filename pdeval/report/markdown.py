"""A Report as a Markdown pipe table, padded so that the source is readable too."""

from __future__ import annotations

import re

from pdeval.report.formats import report_format
from pdeval.report.report import Cell, Column, Report
from pdeval.tables.labels import visible

# an underscore inside a word is plain text to every Markdown reader; at its ends it is not
# and brackets are links, and < is a tag, only before certain characters
_SPECIAL = re.compile(r"[\\`*|~$]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[])|<(?=[A-Za-z/!?])")


def escape(text: str) -> str:
    r"""Return plain text so that Markdown shows it as it is.

    Examples
    --------
    >>> print(escape("a|b *c* bm25_rm3 _x"))
    a\|b \*c\* bm25_rm3 \_x
    """
    return _SPECIAL.sub(lambda found: "\\" + found[0], visible(re.sub(r"[ \t\r\n]+", " ", text)))


@report_format("markdown", endings=".md")
def to_markdown(report: Report) -> str:
    """Return a pipe table, readable as it is and rendered by GitHub, notebooks and pandoc.

    Returns
    -------
    str
        The caption, the table and the notes.

    Examples
    --------
    >>> print(Report((Column("run", "System", numeric=False),), ((Cell("a|b", "a|b"),),)).to_markdown())
    | System |
    |:-------|
    | a\\|b   |
    """
    header = [_header(column) for column in report.columns]
    rows = [[_cell(cell) for cell in cells] for cells in report.rows]
    if report.groups:
        rows = _with_titles(report, rows)
    widths = [max(3, *(len(row[i]) for row in [header, *rows])) for i in range(len(header))]
    rule = "|".join(
        "-" * (width + 1) + ":" if column.numeric else ":" + "-" * (width + 1)
        for column, width in zip(report.columns, widths)
    )
    lines = [_line(header, report.columns, widths), f"|{rule}|"]
    lines += [_line(row, report.columns, widths) for row in rows]
    parts = ["\n".join(lines)]
    if report.caption is not None:
        parts.insert(0, _paragraph(report.caption))
    if report.notes:
        parts.append(_paragraph(" ".join(report.notes)))
    return "\n\n".join(parts)


def _paragraph(text: str) -> str:
    # at the start of a line these are headings, quotes and lists
    return re.sub(r"^(\s*\d*)([#>+.)-])", r"\1\\\2", escape(text))


def _with_titles(report: Report, rows: list[list[str]]) -> list[list[str]]:
    out, start = [], 0
    place = next((i for i, column in enumerate(report.columns) if column.header), 0)
    for group in report.groups:
        out.append(["" for _ in report.columns])
        out[-1][place] = f"*{escape(group.title)}*"
        out += rows[start : start + group.size]
        start += group.size
    return out


def _line(row: list[str], columns: tuple[Column, ...], widths: list[int]) -> str:
    cells = (
        text.rjust(width) if column.numeric else text.ljust(width) for text, column, width in zip(row, columns, widths)
    )
    return f"| {' | '.join(cells)} |"


def _header(column: Column) -> str:
    title = f"{column.group}: {column.header}" if column.group else column.header
    return escape(title) + {None: "", True: " ↑", False: " ↓"}[column.higher]


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    text = {"": text, "best": f"**{text}**", "second": f"<u>{text}</u>"}[cell.emphasis]
    if cell.marks:
        text += f"<sup>{escape(cell.marks)}</sup>"
    if len(cell.spread_text) == 1:
        text += f" ± {cell.spread_text[0]}"
    elif cell.spread_text:
        text += f" [{', '.join(cell.spread_text)}]"
    return text
