"""A frame or a report as text or as a file: an aligned table, or any declared format of reports."""

from __future__ import annotations

import inspect
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdeval.cli import UsageError
from pdeval.files.atomic_write import replacing
from pdeval.report import FORMATS, Report, columns
from pdeval.report.report import safe
from pdeval.report.spreadsheet import json_records
from pdeval.tables.labels import visible

TABLE = ("table", ".txt")  # for people who read on a screen: the only format that is the shell's own
UNSORTED = ("measure", "method", "name")  # they stand as they were asked for
STANDALONE = r"""\documentclass{{article}}
\usepackage{{booktabs}}
\begin{{document}}
{table}
\end{{document}}"""


def formats() -> tuple[str, ...]:
    """Return the formats that can be asked for.

    Examples
    --------
    >>> formats()
    ('table', 'csv', 'excel', 'html', 'json', 'latex', 'markdown', 'parquet', 'typst')
    """
    return (TABLE[0], *sorted(FORMATS))


def endings() -> dict[str, str]:
    """Return the formats that file endings mean."""
    declared = {ending: name for name in sorted(FORMATS) for ending in FORMATS[name].endings}
    return {TABLE[1]: TABLE[0], **declared}


def chosen(given: str | None, path: str | None, default: str) -> str:
    """Return the format that was asked for, or that a file's ending says, or the default.

    Examples
    --------
    >>> chosen(None, "table.tex", "table"), chosen("csv", "scores.txt", "table"), chosen(None, None, "table")
    ('latex', 'csv', 'table')
    """
    if given is None and path is not None:
        ending = Path(path).suffix.lower()
        known = endings()
        if ending not in known:
            found = f"ends in {ending!r}" if ending else "has no ending"
            raise UsageError(
                f"the file name {Path(path).name!r} {found}; say the format with --format, or end the name in "
                f"{', '.join(known)}."
            )
        given = known[ending]
    if given is not None and path is None and is_binary(given):
        raise UsageError(
            f"{given} is not for reading on a screen; say where to write it with -o FILE{FORMATS[given].endings[0]}."
        )
    return given or default


def is_binary(kind: str) -> bool:
    """Return whether a format is bytes, which only a file can hold.

    Examples
    --------
    >>> is_binary("parquet"), is_binary("latex"), is_binary("table")
    (True, False, False)
    """
    return kind in FORMATS and inspect.signature(FORMATS[kind].function).return_annotation in (bytes, "bytes")


def write(
    content: pd.DataFrame | Report,
    kind: str,
    path: str | None,
    *,
    digits: int = 4,
    standalone: bool = False,
    interactive: bool = False,
) -> None:
    """Write a frame or a report to a file, or print it."""
    if interactive and isinstance(content, Report):
        content.to_html(path, interactive=True)
    elif path is None or not is_binary(kind):
        send([rendered(content, kind, digits=digits, standalone=standalone)], path)
    elif kind == "parquet" and isinstance(content, pd.DataFrame):
        table = content.copy()
        table.attrs = {}
        with replacing(path) as beside:
            table.to_parquet(beside, index=False)
    else:
        report = content if isinstance(content, Report) else listed(content, digits)
        with replacing(path) as beside:  # the format may need room on a disk too
            beside.write_bytes(FORMATS[kind].file(report))


def send(lines: list[str], path: str | None) -> None:
    """Write lines to a file, or print them."""
    text = "".join(line + "\n" for line in lines)
    if path is None:
        try:
            sys.stdout.write(visible(text, kept="\n\t") if sys.stdout.isatty() else text)
            sys.stdout.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard output") from None
    else:
        with replacing(path) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")


def rendered(content: pd.DataFrame | Report, kind: str, *, digits: int = 4, standalone: bool = False) -> str:
    """Return a frame or a report as text.

    Examples
    --------
    >>> frame = pd.DataFrame({"run": ["bm25", "ql"], "AP": [0.25, 0.3333333]})
    >>> print(rendered(frame, "table"))
    run       AP
    bm25  0.2500
    ql    0.3333
    >>> print(rendered(frame, "markdown", digits=2))
    | run  |   AP |
    |:-----|-----:|
    | bm25 | 0.25 |
    | ql   | 0.33 |
    """
    if isinstance(content, pd.DataFrame):
        if kind == "table":
            return aligned(content, digits)
        if kind == "csv":
            return guarded(content).to_csv(index=False, lineterminator="\n").rstrip("\n")
        if kind == "json":
            return json_records(content)
    report = content if isinstance(content, Report) else listed(content, digits)
    if kind == "latex":
        table = report.to_latex(environment="table" if isinstance(content, Report) else "tabular")
        return STANDALONE.format(table=table) if standalone else table
    declared = FORMATS["markdown" if kind == "table" else kind]
    options = {"standalone": standalone} if "standalone" in declared.options else {}
    return str(declared.function(report, **options)).rstrip("\n")


def listed(frame: pd.DataFrame, digits: int) -> Report:
    """Return a plain report of a frame: every column as it is.

    Examples
    --------
    >>> listed(pd.DataFrame({"run": ["a"], "n": [3]}), 2).rows[0][1].text
    '3'
    """
    parts = [columns.any_column(str(name), str(name), frame[name], digits) for name in frame.columns]
    return columns.assemble(parts, columns.About())


def aligned(frame: pd.DataFrame, digits: int) -> str:
    """Return a frame as columns side by side, texts to the left and numbers to the right.

    Examples
    --------
    >>> print(aligned(pd.DataFrame({"pair": ["a-b"], "n": [50], "p_value": [1.2e-9], "significant": [True]}), 4))
    pair   n  p_value  significant
    a-b   50  1.2e-09  yes
    """
    frame = natural(frame)
    shown = []
    for name in frame.columns:
        texts, right = _texts(frame[name], digits)
        name, texts = visible(str(name)), [visible(text) for text in texts]
        width = max(map(len, [name, *texts]))
        shown.append([text.rjust(width) if right else text.ljust(width) for text in (name, *texts)])
    return "\n".join("  ".join(line).rstrip() for line in zip(*shown))


def guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with no text that a spreadsheet takes for a formula, as reports have it.

    Examples
    --------
    >>> guarded(pd.DataFrame({"run": ["=1+1", "bm25"], "AP": [-0.5, 0.5]})).values.tolist()
    [["'=1+1", -0.5], ['bm25', 0.5]]
    """
    found = frame.copy()
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            found[name] = [safe(one) if isinstance(one, str) else one for one in frame[name]]
    return found.rename(columns=lambda name: safe(name) if isinstance(name, str) else name)


def natural(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose rows stand in the order of ids as text in the order that people expect: 2 before 10.

    What is in another order, as the best run first, stays as it is; so do measures, which stand as they were asked.

    Examples
    --------
    >>> natural(pd.DataFrame({"run": ["r1", "r10", "r2"], "AP": [0.1, 0.2, 0.3]}))["run"].tolist()
    ['r1', 'r2', 'r10']
    """
    ids: list[Any] = []
    for name in frame.columns:
        if str(name) in UNSORTED or pd.api.types.is_numeric_dtype(frame[name].dtype):
            break
        if not _as_text(frame, [*ids, name]):
            break
        ids.append(name)
    if not ids:
        return frame
    keys = [tuple(map(natural_key, row)) for row in zip(*(frame[name].astype(str) for name in ids))]
    found = frame.iloc[sorted(range(len(frame)), key=keys.__getitem__)]
    rows = found[ids[0]].astype(str).tolist()
    if len(rows) > 1 and sorted(rows) == sorted(map(str, frame.columns[1:])):  # a square: its columns as its rows
        found = found[[frame.columns[0], *sorted(frame.columns[1:], key=lambda name: rows.index(str(name)))]]
    return found


def _as_text(frame: pd.DataFrame, names: list[Any]) -> bool:
    rows = list(zip(*(frame[name].astype(str) for name in names)))
    return all(one <= other for one, other in pairwise(rows))


def natural_key(text: str) -> list[str | int]:
    """Return what sorts texts with their numbers as numbers.

    Examples
    --------
    >>> sorted(["q10", "q9", "q"], key=natural_key)
    ['q', 'q9', 'q10']
    """
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"([0-9]+)", text))]


def _texts(values: pd.Series, digits: int) -> tuple[list[str], bool]:
    """Return the texts of a column, and whether they are numbers."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return ["yes" if value else "no" for value in values], False
    if pd.api.types.is_integer_dtype(values.dtype):
        return [str(value) for value in values], True
    if pd.api.types.is_float_dtype(values.dtype):
        return [_number(value, digits) for value in values.to_numpy()], True
    return [str(value) for value in values], False


def _number(value: float, digits: int) -> str:
    if np.isnan(value):
        return "-"
    # a p-value of 1e-9 is not 0
    if value != 0 and abs(value) < 0.5 * 10.0**-digits:
        return f"{value:.1e}"
    return f"{value:.{digits}f}"
