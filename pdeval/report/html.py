"""A Report as HTML that carries its own style and takes the colours of the page, light or dark."""

from __future__ import annotations

import html
from itertools import groupby
from pathlib import Path

from pdeval.files.atomic_write import replacing
from pdeval.report.formats import report_format
from pdeval.report.report import Cell, Column, Report
from pdeval.tables.labels import visible

# the class stands twice so that these rules outweigh a notebook's own for tables
STYLE = """<style>
.pdeval-report { font-variant-numeric: tabular-nums lining-nums; max-width: 100%; overflow-x: auto; color: inherit; }
.pdeval-report table { border-collapse: collapse; margin: 0.5em 0; border: 0; color: inherit; background: none; }
.pdeval-report caption { caption-side: top; text-align: left; padding: 0 0 0.4em 0; color: inherit; }
.pdeval-report th, .pdeval-report td { border: 0; padding: 0.15em 0.35em; background: none; color: inherit;
  text-align: left; font-weight: normal; white-space: nowrap; vertical-align: baseline; }
.pdeval-report tr { background: none !important; }
.pdeval-report thead tr:first-child th { border-top: 2px solid currentColor; }
.pdeval-report thead tr:last-child th { border-bottom: 1px solid currentColor; }
.pdeval-report thead th.n { text-align: center; padding-left: 0.9em; }
.pdeval-report thead th.g { border-bottom: 1px solid currentColor; }
.pdeval-report tbody td.n { text-align: right; padding-left: 0.9em; padding-right: 0; }
.pdeval-report tbody td.m { padding-left: 0; padding-right: 0; }
.pdeval-report tbody td.s { padding-right: 0; }
.pdeval-report tbody th.t { font-style: italic; }
.pdeval-report tbody + tbody tr:first-child > * { border-top: 1px solid currentColor; }
.pdeval-report tbody:last-of-type tr:last-child > * { border-bottom: 2px solid currentColor; }
.pdeval-report b { font-weight: bold; }
.pdeval-report u { text-underline-offset: 0.15em; }
.pdeval-report sup { line-height: 0; font-size: 0.75em; }
.pdeval-report p { margin: 0.2em 0; font-size: 0.85em; max-width: 60em; }
</style>""".replace(".pdeval-report ", ".pdeval-report.pdeval-report ")

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
</head>
<body style="font-family: system-ui, sans-serif">
{table}
</body>
</html>
"""


def escape(text: str) -> str:
    r"""Return plain text as HTML; control characters, which no page may hold, are spelled out.

    Examples
    --------
    >>> print(escape("a<b\x00"))
    a&lt;b\x00
    """
    return html.escape(visible(text, kept="\n\t"))


@report_format("html", endings=".html", as_file={"standalone": True})
def to_html(
    report: Report,
    path: str | Path | None = None,
    *,
    standalone: bool = False,
    interactive: bool = False,
    limit: float = 5.0,
) -> str:
    """Return an HTML table that carries its own style and takes the colours of the page, light or dark.

    The interactive page is one file that needs no network: the table sorts, groups, filters and is searched; a cell
    opens its queries, with their differences from another system; a query opens its items, with their rank in every
    run, what each adds to the measure and how the preference comes about; and every pair of systems is compared. It
    says what it does not hold: a report made from a join holds most, one from scores no items, one from a summary no
    queries.

    Parameters
    ----------
    path : str or Path, optional
        Where to write it too.
    standalone : bool
        A whole page instead of the table alone.
    interactive : bool
        The interactive page; a notebook shows it as it is.
    limit : float
        About how many megabytes the interactive page may have: beyond it, it holds fewer items of each query, then
        none, then fewer queries.

    Returns
    -------
    str
        The table, or the page.

    Examples
    --------
    >>> table = Report((Column("run", "System", numeric=False),), ((Cell("a<b", "a<b"),),))
    >>> "<td>a&lt;b</td>" in table.to_html()
    True

    From a folder of runs to a page, a table and a figure:

    >>> import pdeval, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> _ = pdeval.write_runs(runs, f"{folder}/runs"), pdeval.write_qrels(qrels, f"{folder}/qrels.txt")

    >>> runs, qrels = pdeval.read_runs(f"{folder}/runs"), pdeval.read_qrels(f"{folder}/qrels.txt")
    >>> report = runs.ireval.report(qrels, ["AP", "nDCG@10"], baseline="bm25", topics="judged")
    >>> report.to_html(f"{folder}/page.html", interactive=True)
    <Page: ... of HTML; write it to a file, or show it in a notebook>
    >>> report.save(f"{folder}/table.tex").name
    'table.tex'
    >>> figure = runs.ireval.order(qrels, "RPP", topics="judged").ireval.plot().figure    # doctest: +SKIP
    >>> figure.savefig(f"{folder}/figure.pdf")    # doctest: +SKIP
    """
    if interactive:
        from pdeval.report.page import page_of

        text: str = page_of(report, limit=limit)
    else:
        text = _table_or_page(report, standalone=standalone)
    if path is not None:
        with replacing(path) as beside:
            beside.write_text(text if text.endswith("\n") else f"{text}\n", encoding="utf-8", newline="\n")
    return text


def _table_or_page(report: Report, *, standalone: bool) -> str:
    columns = report.columns
    parts = [_parts(report, i) for i in range(len(columns))]
    widths = list(map(len, parts))
    lines = ["<table>"]
    if report.caption is not None:
        lines.append(f"<caption>{escape(report.caption)}</caption>")
    lines += ["<thead>", *_header_groups(columns, widths)]
    headers = (
        f'<th scope="col"{_class(column)}{_span(width)}>{_header(column)}</th>'
        for column, width in zip(columns, widths)
    )
    lines += [f"<tr>{''.join(headers)}</tr>", "</thead>", *_body(report, parts), "</table>"]
    lines += [f"<p>{' '.join(map(escape, report.notes))}</p>"] if report.notes else []
    anchor = f' id="{escape(report.label)}"' if report.label else ""
    table = "\n".join([f'<div class="pdeval-report"{anchor}>', STYLE, *lines, "</div>"])
    return _PAGE.format(title=escape(report.caption or "pdeval report"), table=table) if standalone else table


def _parts(report: Report, i: int) -> str:
    """The sub-columns of a column: numbers (n), then marks (m) and spreads (s) where any cell has them."""
    if not report.columns[i].numeric:
        return "t"
    marked = any(row[i].marks for row in report.rows)
    spread = any(row[i].spread_text for row in report.rows)
    return "n" + "m" * marked + "s" * spread


def _class(column: Column) -> str:
    return ' class="n"' if column.numeric else ""


def _span(width: int) -> str:
    return f' colspan="{width}"' if width > 1 else ""


def _header(column: Column) -> str:
    return escape(column.header) + {None: "", True: " ↑", False: " ↓"}[column.higher]


def _header_groups(columns: tuple[Column, ...], widths: list[int]) -> list[str]:
    if not any(column.group for column in columns):
        return []
    cells = []
    for title, members in groupby(range(len(columns)), key=lambda i: columns[i].group):
        width = sum(widths[i] for i in members)
        kind = ' scope="colgroup" class="n g"' if title else ""
        cells.append(f"<th{kind}{_span(width)}>{escape(title)}</th>")
    return [f"<tr>{''.join(cells)}</tr>"]


def _body(report: Report, parts: list[str]) -> list[str]:
    rows = ["<tr>" + "".join(_cell(cell, part) for cell, part in zip(row, parts)) + "</tr>" for row in report.rows]
    if not report.groups:
        return ["<tbody>", *rows, "</tbody>"]
    lines, start = [], 0
    for group in report.groups:
        title = f'<tr><th class="t" scope="rowgroup"{_span(sum(map(len, parts)))}>{escape(group.title)}</th></tr>'
        lines += ["<tbody>", title, *rows[start : start + group.size], "</tbody>"]
        start += group.size
    return lines


def _cell(cell: Cell, parts: str) -> str:
    text = escape(cell.text)
    text = {"": text, "best": f"<b>{text}</b>", "second": f"<u>{text}</u>"}[cell.emphasis]
    marks = f"<sup>{escape(cell.marks)}</sup>" if cell.marks else ""
    ends = ", ".join(map(escape, cell.spread_text))
    spread = {0: "", 1: f"± {ends}"}.get(len(cell.spread_text), f"[{ends}]")
    if parts == "t":
        return f"<td>{text}</td>"
    return "".join(f'<td class="{part}">{ {"n": text, "m": marks, "s": spread}[part] }</td>' for part in parts)
