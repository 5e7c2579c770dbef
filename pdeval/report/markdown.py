"""A Report as a Markdown pipe table, padded so that the source is readable too."""

from __future__ import annotations

import re

from pdeval.report.report import Cell, Column, Report, report_format, row_groups
from pdeval.tables.labels import visible

# an underscore inside a word is plain text to every Markdown reader; at its ends it is not
# and brackets are links, and < is a tag, only before certain characters
_SPECIAL = re.compile(r"[\\`*|~$]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[])|<(?=[A-Za-z/!?])")


def escape(text: str) -> str:
    r"""Return plain text, escaped for Markdown.

    Examples
    --------
    >>> print(escape("a|b *c* bm25_rm3 _x"))
    a\|b \*c\* bm25_rm3 \_x
    """
    return _SPECIAL.sub(lambda match: "\\" + match[0], visible(re.sub(r"[ \t\r\n]+", " ", text)))


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
    columns = report.columns
    header = [escape(f"{c.group}: {c.header}" if c.group else c.header) + c.arrow for c in columns]
    # titles of groups are in the first column that has a header
    first = next((i for i, column in enumerate(columns) if column.header), 0)
    rows = []
    for title, members in row_groups(report, report.rows):
        if title is not None:
            rows.append([f"*{escape(title)}*" if i == first else "" for i in range(len(columns))])
        rows += [[_cell(cell) for cell in cells] for cells in members]
    widths = [max(3, *map(len, texts)) for texts in zip(header, *rows)]
    rule = "|".join(
        "-" * (width + 1) + ":" if column.numeric else ":" + "-" * (width + 1)
        for column, width in zip(columns, widths)
    )
    table = [
        _line(header, columns, widths),
        f"|{rule}|",
        *(_line(row, columns, widths) for row in rows),
    ]
    paragraphs = ["\n".join(table)]
    if report.caption is not None:
        paragraphs.insert(0, _paragraph(report.caption))
    if report.notes:
        paragraphs.append(_paragraph(" ".join(report.notes)))
    return "\n\n".join(paragraphs)


def _paragraph(text: str) -> str:
    # at the start of a line these are headings, quotes and lists
    return re.sub(r"^(\s*\d*)([#>+.)-])", r"\1\\\2", escape(text))


def _line(row: list[str], columns: tuple[Column, ...], widths: list[int]) -> str:
    cells = (
        text.rjust(width) if column.numeric else text.ljust(width)
        for text, column, width in zip(row, columns, widths)
    )
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    text = escape(cell.text)
    text = {"": text, "best": f"**{text}**", "second": f"<u>{text}</u>"}[cell.emphasis]
    marks = f"<sup>{escape(cell.marks)}</sup>" if cell.marks else ""
    ends = ", ".join(cell.spread_text)
    return text + marks + {0: "", 1: f" ± {ends}"}.get(len(cell.spread_text), f" [{ends}]")
