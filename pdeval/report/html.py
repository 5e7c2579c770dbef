"""A Report as HTML with its own style and the colors of the page, light or dark; or as a great_tables object."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from pdeval.files.atomic_write import replacing
from pdeval.report.html_markup import cell_markup, escape, heading_row, span, sub_columns
from pdeval.report.page import page_of
from pdeval.report.report import (
    Cell,
    Column,
    Report,
    headings,
    report_format,
    report_method,
    row_groups,
)

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
    text: str = page_of(report, limit=limit) if interactive else _table(report)
    if standalone and not interactive:
        text = _PAGE.format(title=escape(report.caption or "pdeval report"), table=text)
    if path is not None:
        with replacing(path) as beside:
            beside.write_text(
                text if text.endswith("\n") else f"{text}\n", encoding="utf-8", newline="\n"
            )
    return text


def _table(report: Report) -> str:
    parts = sub_columns(report)
    lines = ["<table>"]
    if report.caption is not None:
        lines.append(f"<caption>{escape(report.caption)}</caption>")
    lines.append("<thead>")
    lines += heading_row(
        report,
        parts,
        heading='<th scope="colgroup" class="n g"{span}>{title}</th>',
        empty="<th{span}></th>",
    )
    headers = (_header(column, span(len(part))) for column, part in zip(report.columns, parts))
    lines += [f"<tr>{''.join(headers)}</tr>", "</thead>"]
    rows = [
        "<tr>" + "".join(_cell(cell, part) for cell, part in zip(row, parts)) + "</tr>"
        for row in report.rows
    ]
    for title, members in row_groups(report, rows):
        lines.append("<tbody>")
        if title is not None:
            width = span(sum(map(len, parts)))
            lines.append(f'<tr><th class="t" scope="rowgroup"{width}>{escape(title)}</th></tr>')
        lines += [*members, "</tbody>"]
    lines.append("</table>")
    if report.notes:
        lines.append(f"<p>{' '.join(map(escape, report.notes))}</p>")
    anchor = f' id="{escape(report.label)}"' if report.label else ""
    return "\n".join([f'<div class="pdeval-report"{anchor}>', STYLE, *lines, "</div>"])


def _header(column: Column, width: str) -> str:
    kind = ' class="n"' if column.numeric else ""
    return f'<th scope="col"{kind}{width}>{escape(column.header)}{column.arrow}</th>'


def _cell(cell: Cell, parts: str) -> str:
    markup = cell_markup(cell)
    if parts == "t":
        return f"<td>{markup['t']}</td>"
    return "".join(f'<td class="{part}">{markup[part]}</td>' for part in parts)


@report_method
def to_great_tables(report: Report) -> Any:
    """Return the table as an object of the package great_tables, to be styled further and shown as HTML.

    Returns
    -------
    great_tables.GT
        Its data are the numbers of `to_frame()`; cells show them as the report prints them.

    Examples
    --------
    >>> from pdeval.report import Cell, Column
    >>> table = Report((Column("AP", "AP"),), ((Cell(0.25, "0.250"),),))
    >>> table.to_great_tables().as_raw_html()  # doctest: +SKIP
    """
    try:
        from great_tables import GT, html
    except ImportError:
        raise ImportError(
            "to_great_tables() needs the package great_tables: pip install great_tables."
        ) from None
    import pandas as pd

    columns = report.columns
    data = pd.DataFrame(
        {column.name: [row[i].value for row in report.rows] for i, column in enumerate(columns)}
    )
    if report.groups:
        name = "group"
        while name in data.columns:
            name += "_"
        titles = [group.title for group in report.groups for _ in range(group.size)]
        table = GT(data.assign(**{name: titles}), groupname_col=name)
    else:
        table = GT(data)
    headers: Any = {column.name: html(escape(column.header) + column.arrow) for column in columns}
    table = table.cols_label(cases=headers)
    table = table.cols_align(
        "left", columns=[column.name for column in columns if not column.numeric]
    )
    table = table.cols_align(
        "center", columns=[column.name for column in columns if column.numeric]
    )
    for title, members in headings(report):
        if title:
            table = table.tab_spanner(
                html(escape(title)), columns=[columns[i].name for i in members]
            )
    for i, column in enumerate(columns):
        for place, row in enumerate(report.rows):
            # a cell shows its printed text, whatever its value
            markup = cell_markup(row[i])
            text = markup["n"] + markup["m"] + (f" {markup['s']}" if markup["s"] else "")
            table = table.fmt(partial(_constant, text), columns=column.name, rows=[place])
    if report.caption is not None:
        table = table.tab_header(html(escape(report.caption)))
    return table.tab_source_note(html(escape(" ".join(report.notes)))) if report.notes else table


def _constant(text: str, _: object) -> str:
    return text
