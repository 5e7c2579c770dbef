"""A Report as a frame for spreadsheets, and as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from pdeval.report.spec import Report

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> safe("=1+1"), safe("bm25")
    ("'=1+1", 'bm25')
    """
    return "'" + text if text.startswith(_FORMULA) else text


def frame(report: Report) -> pd.DataFrame:
    """Return the frame of a report; see `Report.to_frame`."""
    columns: dict[str, list] = {}
    for i, name in enumerate(report.group_names):
        columns[safe(name)] = [safe(group.values[i]) for group in report.groups for _ in range(group.size)]
    for i, column in enumerate(report.columns):
        cells = [row[i] for row in report.rows]
        name = safe(column.name)
        columns[name] = [safe(cell.value) if isinstance(cell.value, str) else cell.value for cell in cells]
        if column.numeric:
            columns[name] = [np.nan if value is None else value for value in columns[name]]
        if any(cell.marks for cell in cells):
            columns[f"{name}_marks"] = [safe(cell.marks) for cell in cells]
        for end, suffix in enumerate(column.spread):
            columns[f"{name}_{suffix}"] = [cell.spread[end] if cell.spread else np.nan for cell in cells]
    table = pd.DataFrame(columns)
    table.attrs.update(caption=report.caption, label=report.label, notes=list(report.notes))
    return table


def excel(report: Report, path: Path, sheet_name: str) -> None:
    """Write the frame and its notes; see `Report.to_excel`."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise ImportError("Excel files need openpyxl: pip install openpyxl.") from None
    notes = pd.DataFrame({"notes": [safe(text) for text in (report.caption, *report.notes) if text]})
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        frame(report).to_excel(book, sheet_name=sheet_name, index=False)
        if len(notes):
            notes.to_excel(book, sheet_name="notes" if sheet_name != "notes" else "about", index=False)


def save(report: Report, path: Path) -> Path:
    """Write a report in the format of the file's ending; see `Report.save`."""
    ending = path.suffix.lower()
    if ending == ".xlsx":
        excel(report, path, "report")
        return path
    texts = {
        ".tex": lambda: report.to_latex() + "\n",
        ".html": lambda: report.to_html(standalone=True),
        ".md": lambda: report.to_markdown() + "\n",
        ".csv": lambda: frame(report).to_csv(index=False, lineterminator="\n"),
    }
    if ending not in texts:
        found = f"ends in {ending!r}" if ending else "has no ending"
        raise ValueError(
            f"the file name {path.name!r} {found}; a report can be saved as .tex, .html, .md, .csv or .xlsx."
        )
    path.write_text(texts[ending](), encoding="utf-8", newline="\n")
    return path
