"""One self-contained HTML page of a report: the table, the data behind each cell, and every pair of systems.

The table can be read and printed without the script. The markup of cells is shared with the plain HTML table.

data      the data behind the cells of one collection: values per query, pairs, items, within a limit of size
assets    the style and the script, by subject; `SCRIPTS` are its parts in order
"""

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from typing import Any

from pdeval.report.footnotes import UNMARKED
from pdeval.report.page.data import attribute_text, facet_list, json_text, opened
from pdeval.report.report import Cell, Column, Report, headings, row_groups
from pdeval.tables import visible
from pdeval.verbs import html, positive

SCRIPTS = (
    "core",
    "address",
    "export",
    "table",
    "marks",
    "panel",
    "documents",
    "charts",
    "queries",
    "items",
    "answers",
    "systems",
    "rankings",
    "matrix",
    "hard_queries",
    "search",
    "start",
)
MEGABYTE = 1_000_000
SPARE = 5_000  # bytes for the frame of the page, and for the notes on data that are left out

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="pdeval">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="app">
<a class="skip" href="#table">Skip to the table</a>
<header>
<h1 id="title">{title}</h1>
<p id="contents">{contents}</p>
</header>
<main>
{component}
</main>
<noscript><p>Sorting and opening cells need JavaScript; the table is complete without it.</p></noscript>
</div>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""

_COMPONENT = """<div id="tools" role="search" hidden></div>
<div id="views">
<div id="main">
<div class="scroll" id="scroll" tabindex="0" role="region" aria-label="Table of results">
{table}
</div>
<section id="pairs" aria-labelledby="pairs-title" hidden></section>
<section id="queries" aria-labelledby="queries-title" hidden></section>
<p id="legend" class="small" hidden></p>
<div id="notes">{notes}</div>
</div>
<section id="panel" aria-labelledby="panel-title" hidden></section>
</div>
<p id="status" class="unseen" role="status" aria-live="polite"></p>"""

_FRAME = (
    '<iframe title="{title}" sandbox="allow-scripts allow-popups allow-modals" width="100%" height="{height}" '
    'style="border: 1px solid #8884; border-radius: 4px; resize: vertical" srcdoc="{page}"></iframe>'
)


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


def table_lines(
    report: Report,
    parts: list[str],
    headers: list[str],
    rows: list[str],
    *,
    heading: str,
    empty: str,
    group: str,
) -> list[str]:
    """Return the head, the bodies and the end of a table from its headers and rows.

    `heading` is the template of the headings over columns, `empty` of columns without one, `group` of titles over rows.
    """
    lines = ["<thead>"]
    over = [
        (heading if title else empty).format(
            span=span(sum(len(parts[i]) for i in members)), title=escape(title)
        )
        for title, members in headings(report)
    ]
    lines += [f"<tr>{''.join(cells)}</tr>" for cells in (over, headers) if cells]
    lines.append("</thead>")
    for title, members in row_groups(report, rows):
        lines.append("<tbody>")
        if title is not None:
            lines.append(group.format(span=span(sum(map(len, parts))), title=escape(title)))
        lines += [*members, "</tbody>"]
    return [*lines, "</table>"]


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
    return {
        "t": text,
        "n": text,
        "m": f"<sup>{escape(cell.marks)}</sup>" if cell.marks else "",
        "s": {0: "", 1: f"± {ends}"}.get(len(cell.spread_text), f"[{ends}]"),
    }


class Page(str):
    """The text of a page; a notebook shows it as the page itself, in a frame.

    Examples
    --------
    >>> Page("<!DOCTYPE html><title>x</title>")
    <Page: 31 bytes of HTML; write it to a file, or show it in a notebook>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        size = len(self.encode())
        text = f"{size:,} bytes" if size < MEGABYTE // 10 else f"{size / MEGABYTE:.1f} MB"
        return f"<Page: {text} of HTML; write it to a file, or show it in a notebook>"

    def _repr_html_(self) -> str:
        return _FRAME.format(title="Interactive report", height=640, page=escape(str(self)))


def page_of(report: Report, *, limit: float = 5.0) -> Page:
    """Return the self-contained page of a report, of about `limit` megabytes at most.

    Examples
    --------
    >>> import pdeval
    >>> page = page_of(pdeval.datasets.sample_judged(queries="common").report(["AP", "nDCG@10"], baseline="bm25"))
    >>> page.startswith("<!DOCTYPE html>"), "https:" in page
    (True, False)
    """
    positive("limit", limit)
    title = report.caption or "Report"
    style = asset("page.css")
    script = (
        f"({program()})(document, JSON.parse(document.getElementById('data').textContent), false);"
    )
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    ]
    parts = {
        "title": escape(title),
        "style": style,
        "script": script,
        # nothing from elsewhere, and only this style and this script
        "policy": (
            f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    }
    component, data = _component(report, limit * MEGABYTE - SPARE - len((style + script).encode()))
    contents = escape(_contents(report, data["origins"]))
    return Page(_PAGE.format(**parts, contents=contents, component=component, data=json_text(data)))


def _component(report: Report, limit: float, start: str = "") -> tuple[str, dict[str, Any]]:
    """Return the table and its notes as markup, and the data behind its cells, in about `limit` bytes.

    `start` is the address of the state in which a notebook shows it.
    """
    table = table_markup(report)
    title = report.caption or "Report"
    data: dict[str, Any] = {"title": visible(title), "facets": facets(report), "origins": []}
    data |= {"start": start} if start else {}
    rest = int(limit) - len(table.encode()) - len(json_text(data)) - len(_notes(report, []))
    data["origins"] = [opened(origin, rest // len(report.origins)) for origin in report.origins]
    return _COMPONENT.format(table=table, notes=_notes(report, data["origins"])), data


@cache
def program() -> str:
    """Return the script as a function of its root, its data, and whether it is embedded in a notebook.

    Indentation and lines that are comments are left out.
    """
    parts = "\n".join(asset(f"{name}.js") for name in SCRIPTS)
    parts = re.sub(r"(?m)^\s+", "", parts)
    parts = re.sub(r"(?m)^//.*\n", "", parts)
    return f"function (root, DATA, embedded) {{\n'use strict';\n{parts}\n}}"


# in a shadow root: styles and ids do not meet those of the notebook
_EMBEDDED = """<div class="pdeval-output" data-pdeval="{key}">
<div class="pdeval-plain">{plain}</div>
<template><div id="app">{component}</div></template>
<script type="application/json">{data}</script>
<script>(() => {{
const start = {script};
for (const box of document.querySelectorAll('[data-pdeval="{key}"]:not([data-ready])')) {{
box.dataset.ready = "yes";
const host = document.createElement("div");
const shadow = host.attachShadow({{ mode: "open" }});
const style = document.createElement("style");
style.textContent = {style};
shadow.append(style, box.querySelector("template").content.cloneNode(true));
const ink = getComputedStyle(box).color.match(/[\\d.]+/g).slice(0, 3).map(Number);
if (Math.max(...ink) > 140) host.className = "dark";
box.querySelector(".pdeval-plain").replaceWith(host);
start(shadow, JSON.parse(box.querySelector("script").textContent), true);
}}
}})();</script>
</div>"""


def component_of(report: Report, plain: str, *, limit: float = 1.0, start: str = "") -> str:
    """Return the interactive table for the output of a notebook; `plain` is shown if scripts do not run.

    `start` is the address of the state that is shown first, as in a link to the page.

    Examples
    --------
    >>> import pdeval
    >>> report = pdeval.datasets.sample_judged(queries="common").report("AP")
    >>> component_of(report, "<p>AP</p>").startswith('<div class="pdeval-output" data-pdeval="')
    True
    """
    style, script = asset("page.css"), program()
    size = len((style + script).encode())
    component, data = _component(report, limit * MEGABYTE - SPARE - size, start)
    text = json_text(data)
    # the same output has the same key, so that a notebook that runs again does not change
    key = hashlib.sha256((component + text).encode()).hexdigest()[:16]
    return _EMBEDDED.format(
        key=key, plain=plain, component=component, data=text, script=script, style=json_text(style)
    )


def _contents(report: Report, origins: list[dict[str, Any]]) -> str:
    """Return the line under the title: the numbers of systems, measures and queries."""
    if not origins:
        return f"{_count(len(report.rows), 'row', 'rows')}, {_count(len(report.columns), 'column', 'columns')}"
    systems = {name for origin in origins for name in origin["systems"]}
    n_queries = sum(origin["of"] for origin in origins)
    words = origins[0]["words"]
    counts = [
        _count(len(systems), "system", "systems"),
        _count(len(origins[0]["measures"]), "measure", "measures"),
        _count(n_queries, words["query"], words["queries"]) if n_queries else "",
        f"{len(origins)} collections" if len(origins) > 1 else "",
    ]
    return " · ".join(filter(None, counts))


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def _notes(report: Report, origins: list[dict[str, Any]]) -> str:
    """Return the footnotes of the report, then the notes on data that the page does not have."""
    # the script marks every pair that was tested; without it, the note on missing marks is true
    marked = any(pairs["tested"] for origin in origins for pairs in origin["pairs"])
    notes = [
        f'<span class="unmarked">{escape(note)}</span>'
        if marked and note.startswith(UNMARKED)
        else escape(note)
        for note in report.notes
    ]
    closed = "This table has no values per query behind it: its cells do not open."
    lines = [] if report.origins else [closed]
    for note in dict.fromkeys(note for origin in origins for note in origin["notes"]):
        titles = [origin["title"] for origin in origins if note in origin["notes"]]
        lines.append(f"{', '.join(titles)}: {note}" if len(titles) < len(origins) else note)
    lines = [" ".join(notes), *map(escape, lines)]
    return "\n".join(f"<p>{line}</p>" for line in lines if line)


@cache
def asset(name: str) -> str:
    """Return an asset of the page: its style, or a part of its script.

    Examples
    --------
    >>> "prefers-color-scheme" in asset("page.css")
    True
    """
    return (
        resources.files("pdeval.report.page").joinpath("assets", name).read_text(encoding="utf-8")
    )


def table_markup(report: Report) -> str:
    """Return the table element; a number with data behind it is a button with its place.

    Examples
    --------
    >>> report = Report((Column("run", "System", numeric=False), Column("AP", "AP")),
    ...                 ((Cell("a<b", "a<b"), Cell(0.5, "0.500", place=(0, 0, 0))),))
    >>> '<button type="button" class="cell" tabindex="-1" data-at="0 0 0">0.500</button>' in table_markup(report)
    True
    """
    parts = sub_columns(report)
    headers = [_header(column, i, span(len(parts[i]))) for i, column in enumerate(report.columns)]
    # the first column of texts with a header names the row
    name = next(
        (i for i, column in enumerate(report.columns) if not column.numeric and column.header), 0
    )
    rows = []
    for number, row in enumerate(report.rows):
        cells = (_cell(cell, i, parts[i], names_row=i == name) for i, cell in enumerate(row))
        rows.append(f'<tr data-row="{number}">{"".join(cells)}</tr>')
    lines = table_lines(
        report,
        parts,
        headers,
        rows,
        heading='<th scope="colgroup" class="over"{span}>{title}</th>',
        empty="<td{span}></td>",
        group='<tr class="group"><th scope="rowgroup"{span}>{title}</th></tr>',
    )
    return "\n".join(['<table id="table" aria-labelledby="title">', *lines])


def _header(column: Column, at: int, width: str) -> str:
    if not column.header.strip():
        return f'<th scope="col" class="t"{width}><span class="unseen">{escape(column.name)}</span></th>'
    arrow, title = "", ""
    if column.higher is not None:
        arrow = f' <span class="better" aria-hidden="true">{column.arrow.strip()}</span>'
        title = f' title="{"more" if column.higher else "less"} is better"'
    kind = "n" if column.numeric else "t"
    return (
        f'<th scope="col" class="{kind}" aria-sort="none" data-column="{at}" data-name="{escape(column.name)}"{width}>'
        f'<button type="button" class="sort"{title}>{escape(column.header)}{arrow}</button></th>'
    )


def _cell(cell: Cell, at: int, parts: str, *, names_row: bool) -> str:
    if parts == "t":
        tag, scope = ("th", ' scope="row"') if names_row else ("td", "")
        return f'<{tag}{scope} class="t" data-column="{at}">{escape(cell.text)}</{tag}>'
    markup = cell_markup(cell)
    number = markup["n"]
    if cell.place:
        place = " ".join(map(str, cell.place))
        number = (
            f'<button type="button" class="cell" tabindex="-1" data-at="{place}">{number}</button>'
        )
    value = f' data-value="{float(cell.value)!r}"' if isinstance(cell.value, int | float) else ""
    marked = " marked" if "m" in parts else ""
    first = f'<td class="n{marked}" data-column="{at}"{value}>{number}</td>'
    return first + "".join(f'<td class="{part}">{markup[part]}</td>' for part in parts[1:])


def facets(report: Report) -> list[dict[str, Any]]:
    """Return the attributes to filter and group rows by: the groups of the table, then the metadata of its systems.

    Examples
    --------
    >>> import pdeval
    >>> about = pdeval.datasets.load_sample()[2][["run", "family"]]
    >>> report = pdeval.datasets.sample_judged(queries="common").report("AP", metadata=about)
    >>> [(one["name"], one["values"][:2], one["rows"][:3]) for one in facets(report)]
    [('family', ['lexical', 'dense'], [0, 0, 1])]
    """
    values_of = {
        name: [group.values[i] for group in report.groups for _ in range(group.size)]
        for i, name in enumerate(report.group_names)
    }
    # the first collection and the system of each row, unless it is a row of several systems
    places = [
        sorted({(cell.place[0], cell.place[2]) for cell in row if cell.place})
        for row in report.rows
    ]
    if report.origins and all(len({system for _, system in row}) == 1 for row in places):
        abouts = [origin.about() for origin in report.origins]
        if len(abouts) > 1:  # a column that is constant within a collection is about the collection
            abouts = [about.loc[:, about.nunique(dropna=False) > 1] for about in abouts]
        rows = [abouts[row[0][0]].iloc[row[0][1]] for row in places]
        names_of = [report.origins[row[0][0]].display_name for row in places]
        for name in dict.fromkeys(column for about in abouts for column in about.columns):
            texts = [attribute_text(row.get(name), shown) for row, shown in zip(rows, names_of)]
            values_of.setdefault(str(name), texts)
    return facet_list(values_of)
