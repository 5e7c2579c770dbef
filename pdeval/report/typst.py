"""A Report as Typst: a figure with a table, rules as in books, decimals aligned by hidden digits, no package.

Every text is escaped so that Typst prints it as it is; a number is padded with `hide` to the width of its column.
"""

import re

from pdeval.report.footnotes import placed
from pdeval.report.numbers import (
    Marks,
    Markup,
    aligned_cells,
    check_length,
)
from pdeval.report.page_width import layout, n_rows
from pdeval.report.report import Report, headings, report_format, row_groups
from pdeval.tables import visible

# always special; then special only next to certain characters, or at the start of a string
_SPECIAL = re.compile(
    r"""[\\*_`$#<>@~\[\]'"]|-(?=[-?])|(?<=-)-|(?<![^\W_])-(?=\d)|(?<=\.)\.|(?<=/)/|^[-+/=]|(?<=^ )[-+/=]"""
)
_NUMBERED = re.compile(r"^( ?\d+)\.(?= |$)")
_OUTER, _INNER = "0.08em", "0.05em"
EM = 11.0  # points of the font of Typst
PAGE_WIDTH = 450.0  # points of the text on an A4 page of Typst
PAGE_ROWS = 40  # rows of a table that fit a page


def escape(text: str) -> str:
    r"""Return plain text as Typst markup that prints it: no markup, label, reference, list, dash or quote is made.

    Examples
    --------
    >>> print(escape("bm25_rm3 #1 @k -- 'x'"))
    bm25\_rm3 \#1 \@k \-\- \'x\'
    """
    escaped = _SPECIAL.sub(lambda match: "\\" + match[0], visible(re.sub(r"[ \t\r\n]+", " ", text)))
    return _NUMBERED.sub(r"\1\.", escaped)


def _joined(*parts: str) -> str:
    """Return joined markup; a semicolon prevents text after an expression from being parsed as its argument."""
    text = ""
    for part in parts:
        text += ";" if text.endswith("]") and part.startswith(("(", "[", ".", ";")) else ""
        text += part
    return text


_MARKUP = Markup(
    escape,
    {"": "%s", "best": "#strong[%s]", "second": "#underline[%s]"},
    hidden="#hide[%s]",
    raised="#super[%s]",
    overlaid="#box(width: 0pt, align(left)[%s])",
    brackets=r"\[%s, %s\]",
    join=_joined,
)


@report_format("typst", endings=".typ")
def to_typst(
    report: Report,
    *,
    bare: bool = False,
    wide: bool = False,
    long: bool | None = None,
    marks: Marks | None = None,
    compact: bool | None = None,
    resize: bool = False,
    size: str | None = None,
    width: float | None = None,
) -> str:
    r"""Return Typst markup that needs no package, to be included or pasted.

    Parameters
    ----------
    bare : bool
        Whether to return only the table, without figure, caption and notes.
    wide : bool
        Whether to place the figure at the top, across all columns of the page.
    long : bool, optional
        Whether the table can span pages, with its header on each; by default if it has more than 40 rows, or tables
        below each other have.
    marks : {"raised", "below"}, optional
        Position of significance marks: raised after the number, or on a separate line below it, which is narrower. By
        default raised; with `compact`, below if they are longer than three letters.
    compact : bool, optional
        Whether to use a smaller font and less space between columns; by default if a figure is wider than the text.
    resize : bool
        Whether to shrink a table that is wider than the column.
    size : str, optional
        Font size, e.g. '8pt' or '0.8em'.
    width : float, optional
        Width of the text in points, at a font size of 11pt; columns of a figure that do not fit, by an estimate, follow
        in a table below. The default, 450, is an A4 page. Infinity keeps all columns beside each other. It does not
        apply to `bare` and `resize`.

    Returns
    -------
    str
        The figure, or the table.

    Examples
    --------
    >>> from pdeval.report import Cell, Column
    >>> table = Report((Column("run", "System", numeric=False), Column("AP", "AP")),
    ...                ((Cell("bm25_rm3", "bm25_rm3"), Cell(0.5, "0.500", "best", "a")),))
    >>> print(table.to_typst(bare=True))
    #table(
      columns: 2,
      align: (left, center),
      stroke: none,
      inset: (x: 0.5em, y: 0.25em),
      table.header(
        table.hline(stroke: 0.08em),
        [System], [AP],
        table.hline(stroke: 0.05em),
      ),
      [bm25\_rm3], [#strong[0.500]#super[a]],
      table.hline(stroke: 0.08em),
    )
    """
    if size is not None:
        check_length("size", size, "pt|em|mm|cm|in", "Typst", "0.8em")
    if long and (wide or resize):
        raise ValueError(
            f"long=True cannot be combined with {'resize' if resize else 'wide'}=True. Use one of them."
        )

    def points(compact: bool) -> tuple[float, float]:
        em = 0.85 * EM if compact else EM
        return em, 0.5 * em if compact else em

    limit = None if bare or resize else PAGE_WIDTH if width is None else width
    compact, below, parts = layout(report, marks, compact, limit, points)
    if long is None:
        long = n_rows(parts, below) > PAGE_ROWS and not (wide or resize)
    table = [line for part in parts for line in _table(part, below, compact)]
    if bare:
        return "\n".join(["#" + table[0], *table[1:]])
    size = size or ("0.85em" if compact else None)
    if resize:  # scales the table to the width of the column if it is wider
        table = [
            "layout(room => {",
            f"  let shown = {table[0]}",
            *_in(table[1:]),
            "  let width = measure(shown).width",
            "  if width > room.width { scale(room.width / width * 100%, reflow: true, shown) } else { shown }",
            "})",
        ]
    notes = " ".join(map(escape, placed(report.notes, below=below)))
    of_notes = f"align(left, text(size: {'1em' if size else '0.85em'})[{notes}])"
    body = [
        *([f"set text(size: {size})"] if size else []),
        'set text(number-width: "tabular")',
        "set par(leading: 0.45em, justify: false)",
        *table,
        *([of_notes] if report.notes else []),
    ]
    caption = f"caption: figure.caption(position: top)[{escape(report.caption or '')}],"
    options = [
        "kind: table,",
        *(['placement: top, scope: "parent",'] if wide else []),
        *([caption] if report.caption is not None else []),
    ]
    lines = ["#figure(", *_in(options), "  {", *_in(_in(body)), "  },", ")"]
    if report.label is not None:
        lines[-1] += f" <{report.label}>"
    if long:  # the rule applies to this figure only
        lines = ["#[", "  #show figure: set block(breakable: true)", *_in(lines), "]"]
    return "\n".join(lines)


def _in(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _table(report: Report, below: bool, compact: bool) -> list[str]:
    aligned = ", ".join("center" if column.numeric else "left" for column in report.columns)
    aligned += "," * (len(report.columns) == 1)
    columns = [
        aligned_cells(cells, _MARKUP, numeric=column.numeric, below=below)
        for column, cells in zip(report.columns, zip(*report.rows), strict=False)
    ]
    rows_of_cells = [list(cells) for cells in zip(*columns)]
    if below:  # on a separate line of the cell
        for texts, cells in zip(rows_of_cells, report.rows):
            for i, cell in enumerate(cells):
                texts[i] += rf" \ #text(size: 0.8em)[{escape(cell.marks)}]" if cell.marks else ""
    body: list[str] = []
    for title, rows in row_groups(report, [_row(cells) for cells in rows_of_cells]):
        body += [f"table.hline(stroke: {_INNER}),"] if body else []
        if title is not None:
            body.append(
                f"table.cell(colspan: {len(report.columns)}, align: left)[#emph[{escape(title)}]],"
            )
        body += rows
    header = [
        f"table.hline(stroke: {_OUTER}),",
        *_heading_rows(report),
        _row([escape(column.header) + column.arrow for column in report.columns]),
        f"table.hline(stroke: {_INNER}),",
    ]
    return [
        "table(",
        f"  columns: {len(report.columns)},",
        f"  align: ({aligned}),",
        "  stroke: none,",
        f"  inset: (x: {'0.25em' if compact else '0.5em'}, y: 0.25em),",
        "  table.header(",
        *_in(_in(header)),
        "  ),",
        *_in(body),
        f"  table.hline(stroke: {_OUTER}),",
        ")",
    ]


def _row(cells: list[str]) -> str:
    return ", ".join(f"[{cell}]" for cell in cells) + ","


def _heading_rows(report: Report) -> list[str]:
    over = headings(report)
    cells = [
        f"table.cell(colspan: {len(members)}, align: center)[{escape(title)}]"
        for title, members in over
    ]
    rules = [
        f"table.hline(start: {members[0]}, end: {members[-1] + 1}, stroke: {_INNER}),"
        for title, members in over
        if title
    ]
    return [", ".join(cells) + ",", *rules] if cells else []
