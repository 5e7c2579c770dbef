"""One self-contained HTML page of a report: the table, what is behind each cell, and every pair of systems.

data      the data behind the cells of one collection: values per query, pairs, items, within a limit of size
table     the table as markup; it can be read and printed without the script
assets    the style and the script, by subject: core, table, panel, queries, adding, items, matrix, start
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import Any

from pdeval.report.html_markup import escape
from pdeval.report.page.data import json_text, opened
from pdeval.report.page.table import facets, table_markup
from pdeval.report.report import Report
from pdeval.tables.labels import visible

SCRIPTS = ("core", "table", "panel", "queries", "adding", "items", "matrix", "start")
MEGABYTE = 1_000_000
SPARE = 2_000  # bytes for the notes on data that are left out

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
<a class="skip" href="#table">Skip to the table</a>
<header>
<h1 id="title">{title}</h1>
<p id="holds">{holds}</p>
</header>
<div id="tools" role="search" hidden></div>
<div id="views">
<main id="main">
<div class="scroll" id="scroll" tabindex="0" role="region" aria-label="Table of results">
{table}
</div>
<section id="pairs" aria-labelledby="pairs-title" hidden></section>
<div id="notes">{notes}</div>
</main>
<aside id="panel" aria-labelledby="panel-title" hidden></aside>
</div>
<p id="told" class="unseen" role="status" aria-live="polite"></p>
<noscript><p>Sorting and opening cells need JavaScript; the table is complete without it.</p></noscript>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""

_FRAME = (
    '<iframe title="{title}" sandbox="allow-scripts allow-popups allow-modals" width="100%" height="{height}" '
    'style="border: 1px solid #8884; border-radius: 4px; resize: vertical" srcdoc="{page}"></iframe>'
)


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
    """Return the self-contained page of a report, of about at most so many megabytes.

    Examples
    --------
    >>> import pdeval
    >>> page = page_of(pdeval.datasets.sample_judged(topics="common").report(["AP", "nDCG@10"], baseline="bm25"))
    >>> page.startswith("<!DOCTYPE html>"), "https:" in page
    (True, False)
    """
    if isinstance(limit, bool) or not limit > 0:
        raise ValueError(
            f"limit={limit!r}: the megabytes that a page may have are a number above 0, e.g. 5."
        )
    title = report.caption or "Report"
    style, script = asset("page.css"), _script()
    parts = {
        "title": escape(title),
        "style": style,
        "script": script,
        "policy": _policy(style, script),
        "table": table_markup(report),
    }
    data: dict[str, Any] = {"title": visible(title), "facets": facets(report), "origins": []}
    empty = _PAGE.format(**parts, holds="", notes=_notes(report, []), data=json_text(data))
    rest = int(limit * MEGABYTE) - SPARE - len(empty.encode())
    data["origins"] = origins = [
        opened(origin, rest // len(report.origins)) for origin in report.origins
    ]
    holds, notes = escape(_contents(report, origins)), _notes(report, origins)
    return Page(_PAGE.format(**parts, holds=holds, notes=notes, data=json_text(data)))


def _contents(report: Report, origins: list[dict[str, Any]]) -> str:
    """Return the line under the title: the numbers of systems, measures and queries."""
    if not origins:
        return f"{_count(len(report.rows), 'row', 'rows')}, {_count(len(report.columns), 'column', 'columns')}"
    systems = {name for origin in origins for name in origin["systems"]}
    n_queries = sum(origin["of"] for origin in origins)
    counts = [
        _count(len(systems), "system", "systems"),
        _count(len(origins[0]["measures"]), "measure", "measures"),
    ]
    if n_queries:
        words = origins[0]["words"]
        counts.append(_count(n_queries, words["query"], words["queries"]))
    if len(origins) > 1:
        counts.append(f"{len(origins)} collections")
    return " · ".join(counts)


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"


def _notes(report: Report, origins: list[dict[str, Any]]) -> str:
    """Return the footnotes of the report, then the notes on data that the page does not have."""
    lines = [" ".join(report.notes)] if report.notes else []
    if not report.origins:
        lines.append("This table has no values per query behind it: its cells do not open.")
    for note in dict.fromkeys(note for origin in origins for note in origin["said"]):
        titles = [origin["title"] for origin in origins if note in origin["said"]]
        lines.append(f"{', '.join(titles)}: {note}" if len(titles) < len(origins) else note)
    return "\n".join(f"<p>{escape(line)}</p>" for line in lines)


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


@cache
def _script() -> str:
    parts = "\n".join(asset(f"{name}.js") for name in SCRIPTS)
    return f"(() => {{\n'use strict';\n{parts}\n}})();"


def _policy(style: str, script: str) -> str:
    """Return the content security policy: nothing from elsewhere, and only this style and this script."""
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
