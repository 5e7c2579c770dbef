"""A frame or a report as text or as a file: an aligned table, or any declared format of reports."""

import inspect
import os
import pydoc
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pdeval.cli import UsageError
from pdeval.files.atomic_write import replacing
from pdeval.report import FORMATS, Report, columns
from pdeval.report.report import safe, terminal_width
from pdeval.report.spreadsheet import json_records
from pdeval.report.text import TextColumn, align, fits, to_text
from pdeval.tables import naturally, visible

UNSORTED = ("measure", "method", "name")  # in the order of the request
STANDALONE = r"""\documentclass{{article}}
\usepackage{{booktabs}}
\begin{{document}}
{table}
\end{{document}}"""


def formats() -> tuple[str, ...]:
    """Return the names of the formats.

    Examples
    --------
    >>> formats()
    ('table', 'csv', 'excel', 'html', 'json', 'latex', 'markdown', 'parquet', 'typst')
    """
    return ("table", *sorted(set(FORMATS) - {"text"}))


def endings() -> dict[str, str]:
    """Return the formats of file endings."""
    names = formats()[1:]
    return {".txt": "table", **{ending: name for name in names for ending in FORMATS[name].endings}}


def chosen(given: str | None, path: str | None, default: str) -> str:
    """Return the requested format, the format of the file ending, or the default.

    Examples
    --------
    >>> chosen(None, "table.tex", "table"), chosen("csv", "scores.txt", "table"), chosen(None, None, "table")
    ('latex', 'csv', 'table')
    """
    if given is None and path is not None:
        ending = Path(path).suffix.lower()
        given = endings().get(ending)
        if given is None:
            fault = f"ends in {ending!r}" if ending else "has no ending"
            raise UsageError(
                f"the file name {Path(path).name!r} {fault}. Specify the format with --format, or use one of the "
                f"endings {', '.join(endings())}."
            )
    if given is not None and path is None and is_binary(given):
        raise UsageError(
            f"{given} is a binary format. Write it to a file with -o FILE{FORMATS[given].endings[0]}."
        )
    return given or default


def is_binary(kind: str) -> bool:
    """Return whether a format is binary, so that it needs a file.

    Examples
    --------
    >>> is_binary("parquet"), is_binary("latex"), is_binary("table")
    (True, False, False)
    """
    return kind in FORMATS and inspect.signature(FORMATS[kind].function).return_annotation in (
        bytes,
        "bytes",
    )


def write(
    content: pd.DataFrame | Report,
    kind: str,
    path: str | None,
    *,
    digits: int = 4,
    standalone: bool = False,
    interactive: bool = False,
    optional: Collection[str] = (),
) -> None:
    """Write a frame or a report to a file, or print it; `optional` columns are omitted on a narrow terminal."""
    if interactive and isinstance(content, Report):
        content.to_html(path, interactive=True)
        return
    if path is None or not is_binary(kind):
        width = terminal_width() if path is None and sys.stdout.isatty() else None
        text = rendered(
            content, kind, digits=digits, standalone=standalone, width=width, optional=optional
        )
        send([text], path)
        return
    with replacing(path) as beside:
        if kind == "parquet" and isinstance(content, pd.DataFrame):
            table = content.copy()
            table.attrs = {}
            table.to_parquet(beside, index=False)
        else:
            beside.write_bytes(FORMATS[kind].file(_report(content, digits)))


def send(lines: list[str], path: str | None) -> None:
    """Write lines to a file, or print them; more lines than the terminal has are displayed by its pager."""
    text = "".join(line + "\n" for line in lines)
    if path is not None:
        with replacing(path) as beside:
            beside.write_text(text, encoding="utf-8", newline="\n")
        return
    is_terminal = sys.stdout.isatty()
    text = visible(text, kept="\n\t") if is_terminal else text
    if is_terminal and text.count("\n") >= shutil.get_terminal_size().lines:
        os.environ.setdefault("LESS", "FRX")  # as git does: the text stays on the screen
        pydoc.pager(text)
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def rendered(
    content: pd.DataFrame | Report,
    kind: str,
    *,
    digits: int = 4,
    standalone: bool = False,
    width: int | None = None,
    optional: Collection[str] = (),
) -> str:
    """Return a frame or a report as text; see `aligned` for `width` and `optional`.

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
    if isinstance(content, pd.DataFrame) and kind == "table":
        return aligned(content, digits, width, optional)
    if isinstance(content, pd.DataFrame) and kind in TEXTS:
        return TEXTS[kind](content)
    report = _report(content, digits)
    if kind == "table":
        return to_text(report, width=width)
    if kind == "latex":
        table = report.to_latex(environment="table" if isinstance(content, Report) else "tabular")
        return STANDALONE.format(table=table) if standalone else table
    declared = FORMATS[kind]
    options = {"standalone": standalone} if "standalone" in declared.options else {}
    return str(declared.function(report, **options)).rstrip("\n")


def _report(content: pd.DataFrame | Report, digits: int) -> Report:
    """Return a report unchanged, or a report of all columns of a frame."""
    if isinstance(content, Report):
        return content
    return columns.assemble(
        [
            columns.any_column(str(name), str(name), content[name], digits)
            for name in content.columns
        ]
    )


def aligned(
    frame: pd.DataFrame, digits: int, width: int | None = None, optional: Collection[str] = ()
) -> str:
    """Return a frame as columns side by side, texts to the left and numbers to the right.

    If lines are longer than `width`, constant columns become a note, and `optional` columns are omitted if needed.

    Examples
    --------
    >>> print(aligned(pd.DataFrame({"pair": ["a-b"], "n": [50], "p_value": [1.2e-9], "significant": [True]}), 4))
    pair   n  p_value  significant
    a-b   50  1.2e-09  yes
    """
    frame = natural(frame)
    text_columns = []
    for name in frame.columns:
        dtype = frame[name].dtype
        numeric = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
        cells = [visible(text) for text in _texts(frame[name], digits)]
        text_columns.append(TextColumn(visible(str(name)), cells, numeric))
    if width is None or fits(text_columns, width):
        return align(text_columns, width)
    first, *others = text_columns
    constant = [column for column in others if len(frame) > 1 and len(set(column.cells)) == 1]
    shown = [first, *(column for column in others if column not in constant)]
    notes = ""
    if constant:
        values = ", ".join(f"{column.header}={column.cells[0]}" for column in constant)
        notes = f"The same in every row: {values}. "
    hidden = [column.header for column in shown if column.header in optional]
    if hidden and not fits(shown, width):
        shown = [column for column in shown if column.header not in hidden]
        notes += f"Not shown: {', '.join(hidden)}. Use --all-columns to print all columns."
    return "\n\n".join(
        filter(None, [align(shown, width), textwrap.fill(notes, width, break_on_hyphens=False)])
    )


def guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without texts that spreadsheets interpret as formulas, as in reports.

    Examples
    --------
    >>> guarded(pd.DataFrame({"run": ["=1+1", "bm25"], "AP": [-0.5, 0.5]})).values.tolist()
    [["'=1+1", -0.5], ['bm25', 0.5]]
    """
    copy = frame.copy()
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            copy[name] = [safe(one) if isinstance(one, str) else one for one in frame[name]]
    return copy.rename(columns=lambda name: safe(name) if isinstance(name, str) else name)


# frames as text for other programs, by format
TEXTS: dict[str, Callable[[pd.DataFrame], str]] = {
    "csv": lambda frame: guarded(frame).to_csv(index=False, lineterminator="\n").rstrip("\n"),
    "json": json_records,
}


def natural(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose rows, if sorted by ids as text, are in natural order: 2 before 10.

    Any other order is kept, such as the best run first, or the requested order of measures.

    Examples
    --------
    >>> natural(pd.DataFrame({"run": ["r1", "r10", "r2"], "AP": [0.1, 0.2, 0.3]}))["run"].tolist()
    ['r1', 'r2', 'r10']
    """
    ids: list[Any] = []
    for name in frame.columns:
        if str(name) in UNSORTED or pd.api.types.is_numeric_dtype(frame[name].dtype):
            break
        texts = zip(*(frame[column].astype(str) for column in [*ids, name]))
        if not all(one <= other for one, other in pairwise(texts)):
            break
        ids.append(name)
    if not ids:
        return frame
    table = naturally(frame, ids)
    rows = table[ids[0]].astype(str).tolist()
    # a square matrix: its columns have the order of its rows
    if len(rows) > 1 and sorted(rows) == sorted(map(str, frame.columns[1:])):
        table = table[
            [frame.columns[0], *sorted(frame.columns[1:], key=lambda name: rows.index(str(name)))]
        ]
    return table


def _texts(values: pd.Series, digits: int) -> list[str]:
    if pd.api.types.is_bool_dtype(values.dtype):
        return ["yes" if value else "no" for value in values]
    if not pd.api.types.is_float_dtype(values.dtype):
        return [str(value) for value in values]
    numbers = values.to_numpy()
    # a p-value of 1e-9 is not 0
    tiny = (numbers != 0) & (np.abs(numbers) < 0.5 * 10.0**-digits)
    texts = [
        f"{value:.1e}" if small else f"{value:.{digits}f}" for value, small in zip(numbers, tiny)
    ]
    return ["-" if missing else text for text, missing in zip(texts, np.isnan(numbers))]
