"""The table of a page as markup: headers that sort, cells that open; readable and printable without the script."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

import pandas as pd

from pdeval.report.html import escape
from pdeval.report.report import DASH, Cell, Column, Report
from pdeval.tables.labels import visible

ABSENT = DASH
MOST_VALUES = 60  # of a column of metadata that can be filtered by; one with more names systems, and is searched


def table_markup(report: Report) -> str:
    """Return the table element; a number that something is behind is a button that knows its place.

    Examples
    --------
    >>> report = Report((Column("run", "System", numeric=False), Column("AP", "AP")),
    ...                 ((Cell("a<b", "a<b"), Cell(0.5, "0.500", place=(0, 0, 0))),))
    >>> '<button type="button" class="cell" tabindex="-1" data-at="0 0 0">0.500</button>' in table_markup(report)
    True
    """
    parts = [_parts(report, at) for at in range(len(report.columns))]
    heads = (_head(column, at, len(part)) for at, (column, part) in enumerate(zip(report.columns, parts)))
    lines = ['<table id="table" aria-labelledby="title">', "<thead>", *_groups_of_columns(report, parts)]
    lines += [f"<tr>{''.join(heads)}</tr>", "</thead>"]
    titles = iter(report.groups)
    starts = {}
    start = 0
    for group in titles:
        starts[start] = group.title
        start += group.size
    lines.append("<tbody>" if 0 not in starts else "")
    for number, row in enumerate(report.rows):
        if number in starts:
            lines += ["</tbody>"] if number else []
            width = sum(map(len, parts))
            lines.append(
                f'<tbody><tr class="group"><th scope="rowgroup" colspan="{width}">{escape(starts[number])}</th></tr>'
            )
        name = next((at for at, column in enumerate(report.columns) if not column.numeric and column.header), 0)
        cells = (
            _cell(cell, at, part, heading=at == name) for at, (cell, part) in enumerate(zip(row, parts, strict=True))
        )
        lines.append(f'<tr data-row="{number}">{"".join(cells)}</tr>')
    return "\n".join(filter(None, [*lines, "</tbody>", "</table>"]))


def _parts(report: Report, at: int) -> str:
    """The sub-columns of a column: text (t), or number (n) with marks (m) and spreads (s) where any cell has them."""
    if not report.columns[at].numeric:
        return "t"
    marked = any(row[at].marks for row in report.rows)
    spread = any(row[at].spread_text for row in report.rows)
    return "n" + "m" * marked + "s" * spread


def _span(width: int) -> str:
    return f' colspan="{width}"' if width > 1 else ""


def _head(column: Column, at: int, width: int) -> str:
    if not column.header.strip():
        return f'<th scope="col" class="t"{_span(width)}><span class="unseen">{escape(column.name)}</span></th>'
    better = {None: "", True: ("↑", "more is better"), False: ("↓", "less is better")}[column.higher]
    arrow = f' <span class="better" aria-hidden="true">{better[0]}</span>' if better else ""
    title = f' title="{better[1]}"' if better else ""
    kind = "n" if column.numeric else "t"
    return (
        f'<th scope="col" class="{kind}" aria-sort="none" data-column="{at}"{_span(width)}>'
        f'<button type="button" class="sort"{title}>{escape(column.header)}{arrow}</button></th>'
    )


def _groups_of_columns(report: Report, parts: list[str]) -> list[str]:
    if not any(column.group for column in report.columns):
        return []
    cells = []
    for title, members in groupby(range(len(report.columns)), key=lambda at: report.columns[at].group):
        width = sum(len(parts[at]) for at in members)
        kind = ' scope="colgroup" class="over"' if title else ""
        cells.append(f"<th{kind}{_span(width)}>{escape(title)}</th>" if title else f"<td{_span(width)}></td>")
    return [f"<tr>{''.join(cells)}</tr>"]


def _cell(cell: Cell, at: int, parts: str, *, heading: bool) -> str:
    text = escape(cell.text)
    if parts == "t":
        kind = 'th scope="row"' if heading else "td"
        return f'<{kind} class="t" data-column="{at}">{text}</{kind.split(maxsplit=1)[0]}>'
    text = {"": text, "best": f"<b>{text}</b>", "second": f"<u>{text}</u>"}[cell.emphasis]
    if cell.place:
        at_place = " ".join(map(str, cell.place))
        text = f'<button type="button" class="cell" tabindex="-1" data-at="{at_place}">{text}</button>'
    value = "" if not isinstance(cell.value, int | float) else f' data-value="{float(cell.value)!r}"'
    marks = f"<sup>{escape(cell.marks)}</sup>" if cell.marks else ""
    ends = ", ".join(map(escape, cell.spread_text))
    spread = {0: "", 1: f"± {ends}"}.get(len(cell.spread_text), f"[{ends}]")
    shown = {
        "n": f'<td class="n{" marked" if "m" in parts else ""}" data-column="{at}"{value}>{text}</td>',
        "m": f'<td class="m">{marks}</td>',
        "s": f'<td class="s">{spread}</td>',
    }
    return "".join(shown[part] for part in parts)


def facets(report: Report) -> list[dict[str, Any]]:
    """Return what rows can be filtered and grouped by: the groups of the table, then the metadata of its systems.

    Examples
    --------
    >>> import pdeval
    >>> about = pdeval.datasets.load_sample()[2][["run", "family"]]
    >>> report = pdeval.datasets.sample_judged(topics="common").report("AP", metadata=about)
    >>> [(one["name"], one["values"][:2], one["rows"][:3]) for one in facets(report)]
    [('family', ['lexical', 'dense'], [0, 0, 1])]
    """
    found: dict[str, list[str]] = {}
    for at, name in enumerate(report.group_names):
        found[name] = [group.values[at] for group in report.groups for _ in range(group.size)]
    systems = [_system(row) for row in report.rows]
    if all(systems) and report.origins:
        abouts = [origin.about() for origin in report.origins]
        if len(abouts) > 1:  # what all systems of a collection share tells of the collection
            abouts = [about.loc[:, about.nunique(dropna=False) > 1] for about in abouts]
        for name in dict.fromkeys(str(column) for about in abouts for column in about.columns):
            if name not in found:
                column = [_text(abouts[one[0]], name, one[1], report.origins[one[0]].shown) for one in systems if one]
                found[name] = column
    return [_coded(name, values) for name, values in found.items() if 1 < len(set(values)) <= MOST_VALUES]


def _system(row: tuple[Cell, ...]) -> tuple[int, int] | None:
    """The first collection of a row, and the system; None where it is a row of several."""
    places = sorted({(cell.place[0], cell.place[2]) for cell in row if cell.place})
    return places[0] if len({system for _, system in places}) == 1 else None


def _text(about: pd.DataFrame, name: str, system: int, shown: Any) -> str:
    columns = {str(column): column for column in about.columns}
    if name not in columns:
        return ABSENT
    value = about[columns[name]].iloc[system]
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ABSENT
    text = shown(int(value) if isinstance(value, float) and value.is_integer() else value)
    return re.sub(r"\s+", " ", visible(text)).strip() or ABSENT


def _coded(name: str, values: list[str]) -> dict[str, Any]:
    codes, known = pd.factorize(pd.Series(values, dtype=object))
    return {"name": visible(name), "values": list(known), "rows": codes.tolist()}
