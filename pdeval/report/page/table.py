"""The table of a page as markup: headers that sort, cells that open; readable and printable without the script."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd

from pdeval.report.html_markup import cell_markup, escape, heading_row, span, sub_columns
from pdeval.report.report import DASH, Cell, Column, Report, row_groups
from pdeval.tables.labels import visible

MAX_FACET_VALUES = (
    60  # a column of metadata with more values names systems: it is searched, not filtered by
)


def table_markup(report: Report) -> str:
    """Return the table element; a number that something is behind is a button that knows its place.

    Examples
    --------
    >>> report = Report((Column("run", "System", numeric=False), Column("AP", "AP")),
    ...                 ((Cell("a<b", "a<b"), Cell(0.5, "0.500", place=(0, 0, 0))),))
    >>> '<button type="button" class="cell" tabindex="-1" data-at="0 0 0">0.500</button>' in table_markup(report)
    True
    """
    parts = sub_columns(report)
    lines = ['<table id="table" aria-labelledby="title">', "<thead>"]
    lines += heading_row(
        report,
        parts,
        heading='<th scope="colgroup" class="over"{span}>{title}</th>',
        empty="<td{span}></td>",
    )
    headers = (_header(column, i, span(len(parts[i]))) for i, column in enumerate(report.columns))
    lines += [f"<tr>{''.join(headers)}</tr>", "</thead>"]
    # the first column of texts with a header names the row
    name = next(
        (i for i, column in enumerate(report.columns) if not column.numeric and column.header), 0
    )
    rows = []
    for number, row in enumerate(report.rows):
        cells = (_cell(cell, i, parts[i], names_row=i == name) for i, cell in enumerate(row))
        rows.append(f'<tr data-row="{number}">{"".join(cells)}</tr>')
    for title, members in row_groups(report, rows):
        if title is None:
            lines.append("<tbody>")
        else:
            width = sum(map(len, parts))
            heading = f'<th scope="rowgroup" colspan="{width}">{escape(title)}</th>'
            lines.append(f'<tbody><tr class="group">{heading}</tr>')
        lines += [*members, "</tbody>"]
    return "\n".join([*lines, "</table>"])


def _header(column: Column, at: int, width: str) -> str:
    if not column.header.strip():
        return f'<th scope="col" class="t"{width}><span class="unseen">{escape(column.name)}</span></th>'
    arrow, title = "", ""
    if column.higher is not None:
        arrow = f' <span class="better" aria-hidden="true">{column.arrow.strip()}</span>'
        title = f' title="{"more" if column.higher else "less"} is better"'
    kind = "n" if column.numeric else "t"
    return (
        f'<th scope="col" class="{kind}" aria-sort="none" data-column="{at}"{width}>'
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
    """Return what rows can be filtered and grouped by: the groups of the table, then the metadata of its systems.

    Examples
    --------
    >>> import pdeval
    >>> about = pdeval.datasets.load_sample()[2][["run", "family"]]
    >>> report = pdeval.datasets.sample_judged(topics="common").report("AP", metadata=about)
    >>> [(one["name"], one["values"][:2], one["rows"][:3]) for one in facets(report)]
    [('family', ['lexical', 'dense'], [0, 0, 1])]
    """
    values_of: dict[str, list[str]] = {}
    for i, name in enumerate(report.group_names):
        values_of[name] = [group.values[i] for group in report.groups for _ in range(group.size)]
    systems = [_system(row) for row in report.rows]
    if all(systems) and report.origins:
        abouts = [origin.about() for origin in report.origins]
        if len(abouts) > 1:  # a column that is constant within a collection is about the collection
            abouts = [about.loc[:, about.nunique(dropna=False) > 1] for about in abouts]
        for name in dict.fromkeys(str(column) for about in abouts for column in about.columns):
            texts = [
                _text(abouts[one[0]], name, one[1], report.origins[one[0]].display_name)
                for one in systems
                if one
            ]
            values_of.setdefault(name, texts)
    result = []
    for name, values in values_of.items():
        if 1 < len(set(values)) <= MAX_FACET_VALUES:
            codes, known = pd.factorize(pd.Series(values, dtype=object))
            result.append({"name": visible(name), "values": list(known), "rows": codes.tolist()})
    return result


def _system(row: tuple[Cell, ...]) -> tuple[int, int] | None:
    """Return the first collection of a row, and the system; None if it is a row of several systems."""
    places = sorted({(cell.place[0], cell.place[2]) for cell in row if cell.place})
    return places[0] if len({system for _, system in places}) == 1 else None


def _text(
    about: pd.DataFrame, name: str, system: int, display_name: Callable[[object], str]
) -> str:
    columns = {str(column): column for column in about.columns}
    value = about[columns[name]].iloc[system] if name in columns else None
    if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
        return DASH
    text = display_name(int(value) if isinstance(value, float) and value.is_integer() else value)
    return re.sub(r"\s+", " ", visible(text)).strip() or DASH
