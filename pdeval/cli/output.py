"""A frame or a report as text or as a file: an aligned table, or any declared format of reports."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from pdeval.cli import UsageError
from pdeval.report import FORMATS, Report, listing

TABLE = ("table", ".txt")  # for people who read on a screen: the only format that is the shell's own
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
    ('table', 'csv', 'excel', 'html', 'json', 'latex', 'markdown', 'parquet')
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
    content: pd.DataFrame | Report, kind: str, path: str | None, *, digits: int = 4, standalone: bool = False
) -> None:
    """Write a frame or a report to a file, or print it."""
    if path is None or not is_binary(kind):
        send([rendered(content, kind, digits=digits, standalone=standalone)], path)
    elif kind == "parquet" and isinstance(content, pd.DataFrame):
        table = content.copy()
        table.attrs = {}
        table.to_parquet(path, index=False)
    else:
        report = content if isinstance(content, Report) else listed(content, digits)
        Path(path).write_bytes(FORMATS[kind].file(report))


def send(lines: list[str], path: str | None) -> None:
    """Write lines to a file, or print them."""
    text = "".join(line + "\n" for line in lines)
    if path is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        Path(path).write_text(text, encoding="utf-8", newline="\n")


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
            return content.to_csv(index=False, lineterminator="\n").rstrip("\n")
        if kind == "json":
            return str(content.to_json(orient="records", indent=1, double_precision=15))
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
    parts = [listing.any_column(str(name), str(name), frame[name], digits) for name in frame.columns]
    return listing.assemble(parts, listing.About())


def aligned(frame: pd.DataFrame, digits: int) -> str:
    """Return a frame as columns side by side, texts to the left and numbers to the right.

    Examples
    --------
    >>> print(aligned(pd.DataFrame({"pair": ["a-b"], "n": [50], "p_value": [1.2e-9], "significant": [True]}), 4))
    pair   n  p_value  significant
    a-b   50  1.2e-09  yes
    """
    shown = []
    for name in map(str, frame.columns):
        texts, right = _texts(frame[name], digits)
        width = max(map(len, [name, *texts]))
        shown.append([text.rjust(width) if right else text.ljust(width) for text in (name, *texts)])
    return "\n".join("  ".join(line).rstrip() for line in zip(*shown))


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
