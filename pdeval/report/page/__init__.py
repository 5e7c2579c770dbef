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
SPARE = 2_000  # for sentences on what is left out

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
        shown = f"{size:,} bytes" if size < MEGABYTE // 10 else f"{size / MEGABYTE:.1f} MB"
        return f"<Page: {shown} of HTML; write it to a file, or show it in a notebook>"

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
        raise ValueError(f"limit={limit!r}: the megabytes that a page may have are a number above 0, e.g. 5.")
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
    bare = _PAGE.format(**parts, holds="", notes=_notes(report, []), data=json_text(data))
    room = int(limit * MEGABYTE) - SPARE - len(bare.encode())
    origins = [opened(origin, room // len(report.origins)) for origin in report.origins]
    data["origins"] = origins
    said = {"holds": escape(_holds(report, origins)), "notes": _notes(report, origins)}
    return Page(_PAGE.format(**parts, **said, data=json_text(data)))


def _holds(report: Report, origins: list[dict[str, Any]]) -> str:
    """One line under the title: how many systems, queries and measures."""
    if not origins:
        return f"{_count(len(report.rows), 'row', 'rows')}, {_count(len(report.columns), 'column', 'columns')}"
    systems = list(dict.fromkeys(name for one in origins for name in one["systems"]))
    words, measures = origins[0]["words"], origins[0]["measures"]
    total = sum(one["of"] for one in origins)
    said = [_count(len(systems), "system", "systems"), _count(len(measures), "measure", "measures")]
    said += [_count(total, words["query"], words["queries"])] if total else []
    said += [f"{len(origins)} collections"] if len(origins) > 1 else []
    return " · ".join(said)


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _notes(report: Report, origins: list[dict[str, Any]]) -> str:
    """The footnotes of the report, then what the page does not hold."""
    lines = [f"<p>{' '.join(map(escape, report.notes))}</p>"] if report.notes else []
    if not report.origins:
        lines.append("<p>This table has no values per query behind it: its cells do not open.</p>")
    for sentence in dict.fromkeys(sentence for one in origins for sentence in one["said"]):
        where = [one["title"] for one in origins if sentence in one["said"]]
        named = f"{', '.join(where)}: " if len(where) < len(origins) else ""
        lines.append(f"<p>{escape(named + sentence)}</p>")
    return "\n".join(lines)


@cache
def asset(name: str) -> str:
    """Return a file of the page's own: its style, or a part of its script.

    Examples
    --------
    >>> "prefers-color-scheme" in asset("page.css")
    True
    """
    return resources.files("pdeval.report.page").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    parts = "\n".join(asset(f"{name}.js") for name in SCRIPTS)
    return f"(() => {{\n'use strict';\n{parts}\n}})();"


def _policy(style: str, script: str) -> str:
    """What the page may load and run: nothing from elsewhere, and no style or script but its own two."""
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
