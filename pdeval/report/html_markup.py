"""The pieces of HTML that the table, the interactive page and great_tables share."""

from __future__ import annotations

import html

from pdeval.report.report import Cell, Report, headings
from pdeval.tables.labels import visible


def escape(text: str) -> str:
    r"""Return plain text as HTML; control characters, which no page may hold, are spelled out.

    Examples
    --------
    >>> print(escape("a<b\x00"))
    a&lt;b\x00
    """
    return html.escape(visible(text, kept="\n\t"))


def sub_columns(report: Report) -> list[str]:
    """Return the sub-columns of each column: text (t), or number (n) and, if any cell has them, marks (m), spreads (s).

    Examples
    --------
    >>> from pdeval.report.report import Column
    >>> columns = (Column("run", "System", numeric=False), Column("AP", "AP"))
    >>> sub_columns(Report(columns, ((Cell("bm25", "bm25"), Cell(0.5, "0.5", marks="a")),)))
    ['t', 'nm']
    """
    parts = []
    for i, column in enumerate(report.columns):
        marked = any(row[i].marks for row in report.rows)
        spread = any(row[i].spread_text for row in report.rows)
        parts.append("n" + "m" * marked + "s" * spread if column.numeric else "t")
    return parts


def span(width: int) -> str:
    """Return the attribute of a cell over several columns."""
    return f' colspan="{width}"' if width > 1 else ""


def heading_row(report: Report, parts: list[str], *, heading: str, empty: str) -> list[str]:
    """Return the row of headings over columns, if there are any; the cells are made from two templates."""
    cells = []
    for title, members in headings(report):
        width = span(sum(len(parts[i]) for i in members))
        cells.append((heading if title else empty).format(span=width, title=escape(title)))
    return [f"<tr>{''.join(cells)}</tr>"] if cells else []


def cell_markup(cell: Cell) -> dict[str, str]:
    """Return the markup of a cell by sub-column: its text or number, its marks, its spread.

    Examples
    --------
    >>> cell_markup(Cell(0.5, "0.5", "best", "a", (0.1,), ("0.1",)))
    {'t': '<b>0.5</b>', 'n': '<b>0.5</b>', 'm': '<sup>a</sup>', 's': '± 0.1'}
    """
    text = escape(cell.text)
    text = {"": text, "best": f"<b>{text}</b>", "second": f"<u>{text}</u>"}[cell.emphasis]
    ends = ", ".join(map(escape, cell.spread_text))
    spread = {0: "", 1: f"± {ends}"}.get(len(cell.spread_text), f"[{ends}]")
    return {
        "t": text,
        "n": text,
        "m": f"<sup>{escape(cell.marks)}</sup>" if cell.marks else "",
        "s": spread,
    }
