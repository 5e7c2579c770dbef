"""A Report as Typst: a figure with a table, rules as in books, decimals aligned by hidden digits, no package.

Every text is escaped so that Typst prints it as it is; a number is padded with `hide` to the width of its column.
"""

from __future__ import annotations

import re

from pdeval.report.footnotes import placed
from pdeval.report.numbers import (
    Marks,
    Padding,
    aligned_spreads,
    check_length,
    marks_below,
    paddings,
)
from pdeval.report.report import Cell, Column, Report, headings, report_format, row_groups
from pdeval.tables.labels import visible

# always special; then what is special only beside certain characters, or where a text begins
_SPECIAL = re.compile(
    r"""[\\*_`$#<>@~\[\]'"]|-(?=[-?])|(?<=-)-|(?<![^\W_])-(?=\d)|(?<=\.)\.|(?<=/)/|^[-+/=]|(?<=^ )[-+/=]"""
)
_NUMBERED = re.compile(r"^( ?\d+)\.(?= |$)")
_OUTER, _INNER = "0.08em", "0.05em"


def escape(text: str) -> str:
    r"""Return plain text as Typst markup that prints it: no markup, label, reference, list, dash or quote is made.

    Examples
    --------
    >>> print(escape("bm25_rm3 #1 @k -- 'x'"))
    bm25\_rm3 \#1 \@k \-\- \'x\'
    """
    escaped = _SPECIAL.sub(lambda match: "\\" + match[0], visible(re.sub(r"[ \t\r\n]+", " ", text)))
    return _NUMBERED.sub(r"\1\.", escaped)


@report_format("typst", endings=".typ")
def to_typst(
    report: Report,
    *,
    bare: bool = False,
    wide: bool = False,
    long: bool = False,
    marks: Marks | None = None,
    compact: bool = False,
    resize: bool = False,
    size: str | None = None,
) -> str:
    r"""Return Typst markup that needs no package, to be included or pasted.

    Parameters
    ----------
    bare : bool
        The table alone, without figure, caption and notes.
    wide : bool
        A figure at the top, over all columns of the page.
    long : bool
        A table that may go on over pages, its header on each.
    marks : {"raised", "below"}, optional
        Where significance marks stand: after the number, or on a line of their own below it, which is narrower. By
        default raised; with `compact` below, where they are longer than three letters.
    compact : bool
        Smaller letters and less room between columns.
    resize : bool
        Makes a table that is too wide as small as the column.
    size : str, optional
        The size of the letters, e.g. '8pt' or '0.8em'.

    Returns
    -------
    str
        The figure, or the table.

    Examples
    --------
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
            f"long=True: a table over pages cannot be {'resized' if resize else 'wide'} too; choose one."
        )
    below = marks_below(report, marks, compact)
    table = _table(report, below, compact)
    if bare:
        return "\n".join(["#" + table[0], *table[1:]])
    size = size or ("0.85em" if compact else None)
    body = [f"set text(size: {size})"] if size else []
    body += ['set text(number-width: "tabular")', "set par(leading: 0.45em, justify: false)"]
    body += _resized(table) if resize else table
    if report.notes:
        notes = " ".join(map(escape, placed(report.notes, below=below)))
        body.append(f"align(left, text(size: {'1em' if size else '0.85em'})[{notes}])")
    options = ["kind: table,"] + (['placement: top, scope: "parent",'] if wide else [])
    if report.caption is not None:
        options.append(f"caption: figure.caption(position: top)[{escape(report.caption)}],")
    lines = ["#figure(", *_in(options), "  {", *_in(_in(body)), "  },", ")"]
    if report.label is not None:
        lines[-1] += f" <{report.label}>"
    if long:  # the rule holds for this figure alone
        lines = ["#[", "  #show figure: set block(breakable: true)", *_in(lines), "]"]
    return "\n".join(lines)


def _in(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _resized(table: list[str]) -> list[str]:
    """Scale the table to the room there is, where it is wider."""
    return [
        "layout(room => {",
        f"  let shown = {table[0]}",
        *_in(table[1:]),
        "  let width = measure(shown).width",
        "  if width > room.width { scale(room.width / width * 100%, reflow: true, shown) } else { shown }",
        "})",
    ]


def _table(report: Report, below: bool, compact: bool) -> list[str]:
    aligned = ", ".join("center" if column.numeric else "left" for column in report.columns)
    aligned += "," * (len(report.columns) == 1)
    columns = [
        _cells(column, cells, below)
        for column, cells in zip(report.columns, zip(*report.rows), strict=False)
    ]
    body: list[str] = []
    for title, rows in row_groups(report, [_row(list(cells)) for cells in zip(*columns)]):
        body += [_rule(_INNER)] if body else []
        if title is not None:
            body.append(
                f"table.cell(colspan: {len(report.columns)}, align: left)[#emph[{escape(title)}]],"
            )
        body += rows
    header = [
        _rule(_OUTER),
        *_heading_rows(report),
        _row([escape(column.header) + column.arrow for column in report.columns]),
        _rule(_INNER),
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
        f"  {_rule(_OUTER)}",
        ")",
    ]


def _rule(stroke: str) -> str:
    return f"table.hline(stroke: {stroke}),"


def _row(cells: list[str]) -> str:
    return ", ".join(f"[{cell}]" for cell in cells) + ","


def _heading_rows(report: Report) -> list[str]:
    cells = []
    rules = []
    for title, members in headings(report):
        cells.append(f"table.cell(colspan: {len(members)}, align: center)[{escape(title)}]")
        if title:
            rules.append(
                f"table.hline(start: {members[0]}, end: {members[-1] + 1}, stroke: {_INNER}),"
            )
    return [", ".join(cells) + ",", *rules] if cells else []


def _cells(column: Column, cells: tuple[Cell, ...], below: bool) -> list[str]:
    if not column.numeric:
        return [_emphasized(cell) for cell in cells]
    longest = max((cell.marks for cell in cells), key=len, default="")
    padding = paddings([cell.text for cell in cells])
    spreads = aligned_spreads([cell.spread_text for cell in cells], _deviation, _interval)
    result = []
    for cell, pad, spread in zip(cells, padding, spreads):
        if cell.value is None:
            result.append(escape(cell.text))
            continue
        mark = _marks(cell.marks, longest, below)
        number = [_before(pad), _emphasized(cell), _hidden(pad.decimals)]
        result.append(_joined(*number, *([spread, mark] if below else [mark, spread])))
    return result


def _joined(*parts: str) -> str:
    """Join markup; a semicolon keeps what follows an expression from being read as its argument."""
    text = ""
    for part in parts:
        text += ";" if text.endswith("]") and part.startswith(("(", "[", ".", ";")) else ""
        text += part
    return text


def _before(padding: Padding) -> str:
    return _hidden(padding.sign + padding.digits)


def _hidden(text: str) -> str:
    return f"#hide[{escape(text)}]" if text else ""


def _emphasized(cell: Cell) -> str:
    text = escape(cell.text)
    return {"": text, "best": f"#strong[{text}]", "second": f"#underline[{text}]"}[cell.emphasis]


def _marks(mark: str, longest: str, below: bool) -> str:
    """Raise the marks, all of a column in the width of the longest; or set them on a line of their own."""
    if below:
        return f" \\ #text(size: 0.8em)[{escape(mark)}]" if mark else ""
    raised = f"#super[{escape(mark)}]" if mark else ""
    if mark == longest:
        return raised
    box = f"#box(width: 0pt, align(left)[{raised}])" if mark else ""
    return f"{box}#hide[#super[{escape(longest)}]]"


def _deviation(spread: tuple[str, ...], padding: Padding) -> str:
    return f" ± {_joined(_before(padding), escape(spread[0]), _hidden(padding.decimals))}"


def _interval(spread: tuple[str, ...], low: Padding, high: Padding) -> str:
    # the padding is outside the brackets, where it is not seen
    return " " + _joined(
        _before(low), rf"\[{escape(spread[0])}, {escape(spread[1])}\]", _before(high)
    )
