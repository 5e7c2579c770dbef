"""A Report as HTML with its own style and the colors of the page, light or dark; or as a great_tables object."""

from pathlib import Path
from typing import Any

from pdeval.files.atomic_write import replacing
from pdeval.report.numbers import Markup, aligned_cells
from pdeval.report.page import (
    cell_markup,
    component_of,
    escape,
    page_of,
    span,
    sub_columns,
    table_lines,
)
from pdeval.report.report import (
    Cell,
    Report,
    headings,
    report_format,
)
from pdeval.verbs import elapsed_time

# the class is repeated, so that these rules take precedence over those of a notebook
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

NOTEBOOK_LIMIT = 1.0  # megabytes of the output of a notebook

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


@report_format("html", endings=".html", as_file={"standalone": True, "interactive": None})
def to_html(
    report: Report,
    path: str | Path | None = None,
    *,
    standalone: bool = False,
    interactive: bool | None = False,
    embedded: bool = False,
    limit: float = 5.0,
) -> str:
    """Return an HTML table that includes its style and uses the colors of the page, light or dark.

    The interactive page is one file that needs no network. The table is sorted by its first measure; it can be sorted,
    grouped, filtered and searched, and its marks compare with any system. A cell opens its queries, with their
    differences from another system. A query opens both rankings side by side: grades, unjudged items, texts, and what
    each item adds to the measure. Every pair of systems is compared. Each state has a link; tables can be copied and
    downloaded. A report of runs and judgments has all of these data, a report of scores has no items, and a report of a
    summary has no queries; the page lists what is missing.

    Parameters
    ----------
    path : str or Path, optional
        File to write as well.
    standalone : bool
        Whether to return a complete page instead of a table element.
    interactive : bool or None
        Whether to return the interactive page; a notebook displays it. None: if there are data behind its cells.
    embedded : bool
        Whether to return the interactive table without a page, for the output of a notebook. It needs no kernel; if
        scripts do not run, the plain table is shown. A notebook displays a report this way.
    limit : float
        Approximate maximum size in megabytes. A larger page has fewer items per query, then no items, then fewer
        queries.

    Returns
    -------
    str
        The table, or the page.

    Examples
    --------
    >>> from pdeval.report import Cell, Column
    >>> table = Report((Column("run", "System", numeric=False),), ((Cell("a<b", "a<b"),),))
    >>> "<td>a&lt;b</td>" in table.to_html()
    True

    From a folder of runs to a page, a table and a figure:

    >>> import pdeval, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> _ = pdeval.write_runs(runs, f"{folder}/runs"), pdeval.write_qrels(qrels, f"{folder}/qrels.txt")

    >>> runs, qrels = pdeval.read_runs(f"{folder}/runs"), pdeval.read_qrels(f"{folder}/qrels.txt")
    >>> report = runs.ireval.report(qrels, ["AP", "nDCG@10"], baseline="bm25", queries="judged")
    >>> report.to_html(f"{folder}/page.html", interactive=True)
    <Page: ... of HTML; write it to a file, or show it in a notebook>
    >>> report.save(f"{folder}/table.tex").name
    'table.tex'
    >>> figure = runs.ireval.order(qrels, "RPP", queries="judged").ireval.plot().figure    # doctest: +SKIP
    >>> figure.savefig(f"{folder}/figure.pdf")    # doctest: +SKIP
    """
    has_data = bool(report.origins)
    interactive = has_data if interactive is None else interactive
    with elapsed_time("interactive page" if interactive else "table"):
        text: str = page_of(report, limit=limit) if interactive else _table(report)
        if embedded and has_data and not interactive:
            text = component_of(report, text, limit=min(limit, NOTEBOOK_LIMIT))
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
    classes = {True: ' class="n"', False: ""}
    lines = table_lines(
        report,
        parts,
        [
            f'<th scope="col"{classes[column.numeric]}{span(len(part))}>{escape(column.header)}{column.arrow}</th>'
            for column, part in zip(report.columns, parts)
        ],
        [
            "<tr>" + "".join(_cell(cell, part) for cell, part in zip(row, parts)) + "</tr>"
            for row in report.rows
        ],
        heading='<th scope="colgroup" class="n g"{span}>{title}</th>',
        empty="<th{span}></th>",
        group='<tr><th class="t" scope="rowgroup"{span}>{title}</th></tr>',
    )
    anchor = f' id="{escape(report.label)}"' if report.label else ""
    caption = [] if report.caption is None else [f"<caption>{escape(report.caption)}</caption>"]
    return "\n".join(
        [
            f'<div class="pdeval-report"{anchor}>',
            STYLE,
            "<table>",
            *caption,
            *lines,
            *([f"<p>{' '.join(map(escape, report.notes))}</p>"] if report.notes else []),
            "</div>",
        ]
    )


def _cell(cell: Cell, parts: str) -> str:
    tags = {"t": "<td>", "n": '<td class="n">', "m": '<td class="m">', "s": '<td class="s">'}
    markup = cell_markup(cell)
    return "".join(f"{tags[part]}{markup[part]}</td>" for part in parts)


_MARKUP = Markup(
    escape,
    {"": "%s", "best": "<b>%s</b>", "second": "<u>%s</u>"},
    hidden='<span style="visibility: hidden">%s</span>',
    raised="<sup>%s</sup>",
    overlaid='<span style="display: inline-block; width: 0; white-space: nowrap">%s</span>',
)


def to_great_tables(report: Report) -> Any:
    """Return the table as a great_tables object, for further styling.

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
    titles = [group.title for group in report.groups for _ in range(group.size)]
    # longer than the name of any other column
    name = "_".join(["group", *(column.name for column in columns)]) if titles else None
    headers: Any = {column.name: html(escape(column.header) + column.arrow) for column in columns}
    table = (
        GT(data.assign(**{name: titles}) if name else data, groupname_col=name)
        .cols_label(cases=headers)
        .cols_align("left", columns=[column.name for column in columns if not column.numeric])
        .cols_align("center", columns=[column.name for column in columns if column.numeric])
        .tab_options(table_additional_css="td { font-variant-numeric: tabular-nums; }")
    )
    for title, members in headings(report):
        if title:
            table = table.tab_spanner(
                html(escape(title)), columns=[columns[i].name for i in members]
            )
    for column, cells in zip(columns, zip(*report.rows)):
        for place, text in enumerate(aligned_cells(cells, _MARKUP, numeric=column.numeric)):
            # a cell shows its printed text, whatever its value
            table = table.fmt(lambda _, text=text: text, columns=column.name, rows=[place])  # type: ignore[misc]
    if report.caption is not None:
        table = table.tab_header(html(escape(report.caption)))
    return table.tab_source_note(html(escape(" ".join(report.notes)))) if report.notes else table


Report.to_great_tables = to_great_tables  # type: ignore[attr-defined]
