"""A Report as plain text, aligned within the width of a terminal; and as a Markdown pipe table that is readable too."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby, zip_longest
from typing import NamedTuple

import numpy as np

from pdeval.report.footnotes import BOLD, BOLD_AND_UNDERLINED, RAISED
from pdeval.report.page_width import column_blocks, total_width
from pdeval.report.report import MIN_WIDTH, Cell, Column, Report, report_format, row_groups
from pdeval.tables import visible

GAP = 2  # spaces between columns
EMPHASIS = {"": "", "best": "*", "second": "_"}
# notes about the print in a paper, and what plain text has instead
NOTES = {
    BOLD_AND_UNDERLINED: "Best with *, second with _.",
    BOLD: "Best with *.",
    RAISED: "Letters after a number:",
}


class TextColumn(NamedTuple):
    """One column of text: header, cells, and a title over neighboring columns; `numeric` is aligned right."""

    header: str
    cells: Sequence[str]
    numeric: bool = False
    group: str = ""

    @property
    def width(self) -> int:
        """The length of the longest text."""
        return max(map(len, (self.header, *self.cells)))


@report_format("text", endings=".txt")
def to_text(report: Report, *, width: int | None = None) -> str:
    """Return aligned columns without markup: * before the best value, _ before the second best, then the marks.

    `print(report)` is this text in the width of the terminal.

    Parameters
    ----------
    width : int, optional
        Largest length of a line, at least 40. Long names continue on the next line, and columns that do not fit follow
        in a second table. By default there is no limit.

    Returns
    -------
    str
        The caption, the table and the notes.

    Examples
    --------
    >>> columns = (Column("run", "System", numeric=False), Column("AP", "AP", higher=True))
    >>> rows = ((Cell("bm25", "bm25"), Cell(0.25, "0.250")), (Cell("lm", "lm"), Cell(0.5, "0.500", "best", "†")))
    >>> print(Report(columns, rows, notes=("Best in bold.",)).to_text())
    System     AP ↑
    ---------------
    bm25     0.250
    lm      *0.500†
    <BLANKLINE>
    Best with *.
    """
    if width is not None and width < MIN_WIDTH:
        raise ValueError(f"width={width} is too narrow for a table. Use at least {MIN_WIDTH}.")
    columns = [
        TextColumn(
            _plain(column.header) + column.arrow,
            _cells([row[i] for row in report.rows]),
            column.numeric,
            _plain(column.group),
        )
        for i, column in enumerate(report.columns)
    ]
    titles = {
        rows[0]: _plain(title)
        for title, rows in row_groups(report, range(len(report.rows)))
        if title is not None and rows
    }
    notes = " ".join(report.notes)
    for printed, text in NOTES.items():
        notes = notes.replace(printed, text)
    paragraphs = [_plain(report.caption or ""), _plain(notes)]
    if width is not None:
        paragraphs = [textwrap.fill(text, width, break_on_hyphens=False) for text in paragraphs]
    paragraphs.insert(1, align(columns, width, titles=titles, rule=True))
    return "\n\n".join(filter(None, paragraphs))


def _plain(text: str) -> str:
    return visible(re.sub(r"[ \t\r\n]+", " ", text))


def _cells(cells: Sequence[Cell]) -> list[str]:
    """Return the cells of a column; numbers, marks and spreads are aligned."""
    numbers = [EMPHASIS[cell.emphasis] + _plain(cell.text) for cell in cells]
    marks = [_plain(cell.marks) for cell in cells]
    spreads = [
        {0: "", 1: f" ± {ends}"}.get(len(cell.spread_text), f" [{ends}]")
        for cell in cells
        for ends in [", ".join(cell.spread_text)]
    ]
    if not any(marks) and not any(spreads):
        return numbers
    longest = [max(map(len, texts)) for texts in (numbers, marks, spreads)]
    return [
        number.rjust(longest[0]) + mark.ljust(longest[1]) + spread.rjust(longest[2])
        for number, mark, spread in zip(numbers, marks, spreads)
    ]


def align(
    columns: Sequence[TextColumn],
    width: int | None = None,
    *,
    titles: Mapping[int, str] | None = None,
    rule: bool = False,
) -> str:
    """Return columns side by side, texts to the left and numbers to the right.

    Parameters
    ----------
    width : int, optional
        Largest length of a line. Long texts continue on the next line. Columns that do not fit follow below, after
        the first columns, which are repeated.
    titles : mapping of int to str, optional
        Titles above rows, by the number of the row.
    rule : bool
        Whether a line separates the header from the rows.

    Examples
    --------
    >>> print(align([TextColumn("run", ["bm25", "ql"]), TextColumn("n", ["50", "8"], numeric=True)]))
    run    n
    bm25  50
    ql     8
    """
    indent = 2 if titles else 0
    widths = [column.width for column in columns]
    blocks = [list(range(len(columns)))]
    if width is not None and total_width(widths, GAP) + indent > width:
        widths = _narrowed(columns, widths, width - indent)
        is_text = [not column.numeric for column in columns]
        blocks = column_blocks(is_text, widths, width - indent, GAP)
    return "\n\n".join(
        _table([columns[i] for i in block], [widths[i] for i in block], titles or {}, rule, indent)
        for block in blocks
    )


def fits(columns: Sequence[TextColumn], width: int) -> bool:
    """Return whether columns side by side have lines of at most `width` characters."""
    return total_width([column.width for column in columns], GAP) <= width


def _narrowed(columns: Sequence[TextColumn], widths: list[int], width: int) -> list[int]:
    """Return smaller widths of columns with long texts; the column with the fewest long texts is narrowed first."""
    n_texts = sum(not column.numeric for column in columns)
    smallest = [
        width // 2
        if column.numeric
        else max(8, width // (n_texts + 1), min(_longest_word(column), width // 4))
        for column in columns
    ]
    lengths = [np.array([*map(len, column.cells)]) for column in columns]
    widths = list(widths)
    while total_width(widths, GAP) > width:
        wide = [i for i in range(len(columns)) if widths[i] > smallest[i]]
        if not wide:
            break
        widths[min(wide, key=lambda i: np.count_nonzero(lengths[i] >= widths[i]))] -= 1
    return widths


def _longest_word(column: TextColumn) -> int:
    """Return the length of the longest word in texts of several words."""
    return max(
        (len(word) for text in column.cells if " " in text for word in text.split()), default=0
    )


def _table(
    columns: Sequence[TextColumn],
    widths: Sequence[int],
    titles: Mapping[int, str],
    rule: bool,
    indent: int,
) -> str:
    header = [
        *_group_titles(columns, widths),
        *_row([column.header for column in columns], columns, widths),
        *(["-" * total_width(widths, GAP)] if rule else []),
    ]
    margin = " " * indent
    lines = [margin + line for line in header]
    for i, row in enumerate(zip(*(column.cells for column in columns))):
        if i in titles:
            lines += textwrap.wrap(titles[i], indent + total_width(widths, GAP)) or [""]
        lines += [margin + line for line in _row(row, columns, widths)]
    return "\n".join(line.rstrip() for line in lines)


def _row(texts: Sequence[str], columns: Sequence[TextColumn], widths: Sequence[int]) -> list[str]:
    parts = [
        [text] if len(text) <= width else textwrap.wrap(text, width)
        for text, width in zip(texts, widths)
    ]
    return [
        (" " * GAP).join(
            text.rjust(width) if column.numeric else text.ljust(width)
            for text, column, width in zip(line, columns, widths)
        )
        for line in zip_longest(*parts, fillvalue="")
    ]


def _group_titles(columns: Sequence[TextColumn], widths: Sequence[int]) -> list[str]:
    """Return lines with the titles of neighboring columns, each centered over its columns."""
    if not any(column.group for column in columns):
        return []
    spans = []
    for title, members in groupby(range(len(columns)), key=lambda i: columns[i].group):
        length = total_width([widths[i] for i in members], GAP)
        parts = textwrap.wrap(title, length) if title else [" " * length]
        spans.append(
            [part.center(length, "-" if len(part) < length - 1 else " ") for part in parts]
        )
    height = max(map(len, spans))
    padded = [[" " * len(span[0])] * (height - len(span)) + span for span in spans]
    return [(" " * GAP).join(line) for line in zip(*padded)]


# an underscore inside a word is plain text to every Markdown reader; at its ends it is not
# and brackets are links, and < is a tag, only before certain characters
_MARKDOWN = re.compile(r"[\\`*|~$]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[])|<(?=[A-Za-z/!?])")


def escape(text: str) -> str:
    r"""Return plain text, escaped for Markdown.

    Examples
    --------
    >>> print(escape("a|b *c* bm25_rm3 _x"))
    a\|b \*c\* bm25_rm3 \_x
    """
    return _MARKDOWN.sub(lambda match: "\\" + match[0], visible(re.sub(r"[ \t\r\n]+", " ", text)))


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
        rows += [[_markdown_cell(cell) for cell in cells] for cells in members]
    widths = [max(3, *map(len, texts)) for texts in zip(header, *rows)]
    rule = "|".join(
        "-" * (width + 1) + ":" if column.numeric else ":" + "-" * (width + 1)
        for column, width in zip(columns, widths)
    )
    table = [
        _markdown_line(header, columns, widths),
        f"|{rule}|",
        *(_markdown_line(row, columns, widths) for row in rows),
    ]
    caption, notes = _paragraph(report.caption or ""), _paragraph(" ".join(report.notes))
    return "\n\n".join(filter(None, [caption, "\n".join(table), notes]))


def _paragraph(text: str) -> str:
    # at the start of a line these are headings, quotes and lists
    return re.sub(r"^(\s*\d*)([#>+.)-])", r"\1\\\2", escape(text))


def _markdown_line(row: list[str], columns: tuple[Column, ...], widths: list[int]) -> str:
    cells = (
        text.rjust(width) if column.numeric else text.ljust(width)
        for text, column, width in zip(row, columns, widths)
    )
    return f"| {' | '.join(cells)} |"


def _markdown_cell(cell: Cell) -> str:
    text = escape(cell.text)
    text = {"": text, "best": f"**{text}**", "second": f"<u>{text}</u>"}[cell.emphasis]
    marks = f"<sup>{escape(cell.marks)}</sup>" if cell.marks else ""
    ends = ", ".join(cell.spread_text)
    return text + marks + {0: "", 1: f" ± {ends}"}.get(len(cell.spread_text), f" [{ends}]")
