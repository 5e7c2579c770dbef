"""A Report as an object of the package great_tables, which people style further and show as HTML."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import Any

from pdeval.report.html import escape
from pdeval.report.report import Cell, Report


def to_great_tables(report: Report) -> Any:
    """Return a report as a `GT`: its data are numbers, its cells show them as printed; see `Report.to_great_tables`."""
    try:
        from great_tables import GT, html
    except ImportError:
        raise ImportError("to_great_tables() needs the package great_tables: pip install great_tables.") from None
    import pandas as pd

    data = pd.DataFrame({column.name: [row[i].value for row in report.rows] for i, column in enumerate(report.columns)})
    titles = [group.title for group in report.groups for _ in range(group.size)]
    name = "group"
    while name in data.columns:
        name += "_"
    made = GT(data.assign(**{name: titles}), groupname_col=name) if report.groups else GT(data)
    arrow = {None: "", True: " ↑", False: " ↓"}
    heads: Any = {column.name: html(escape(column.header) + arrow[column.higher]) for column in report.columns}
    made = made.cols_label(cases=heads)
    made = made.cols_align("left", columns=[column.name for column in report.columns if not column.numeric])
    made = made.cols_align("center", columns=[column.name for column in report.columns if column.numeric])
    for title, members in groupby(report.columns, key=lambda column: column.group):
        if title:
            made = made.tab_spanner(html(escape(title)), columns=[column.name for column in members])
    for i, column in enumerate(report.columns):
        for place, row in enumerate(report.rows):
            made = made.fmt(partial(_printed, _shown(row[i])), columns=column.name, rows=[place])
    if report.caption is not None:
        made = made.tab_header(html(escape(report.caption)))
    return made.tab_source_note(html(escape(" ".join(report.notes)))) if report.notes else made


def _printed(text: str, _: object) -> str:
    """What a cell shows, whatever its value is."""
    return text


def _shown(cell: Cell) -> str:
    """A cell as HTML."""
    text = escape(cell.text)
    text = {"": text, "best": f"<b>{text}</b>", "second": f"<u>{text}</u>"}[cell.emphasis]
    marks = f"<sup>{escape(cell.marks)}</sup>" if cell.marks else ""
    ends = ", ".join(map(escape, cell.spread_text))
    return text + marks + {0: "", 1: f" ± {ends}"}.get(len(cell.spread_text), f" [{ends}]")
