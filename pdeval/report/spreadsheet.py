"""A Report as files of data frames: CSV, JSON, Parquet and Excel."""

import gc
import io
import json
import math
import sys

import pandas as pd

from pdeval.report.report import Report, report_format, safe


def json_records(table: pd.DataFrame) -> str:
    """Return a frame as JSON, one object per row; numbers with all digits, null if missing or infinite.

    Examples
    --------
    >>> json_records(pd.DataFrame({"p_value": [3e-20]})).split()
    ['[', '{', '"p_value":3e-20', '}', ']']
    """
    # pandas writes 15 digits, but a double needs 17: all values but floats are taken from its rows
    rows = json.loads(str(table.to_json(orient="records")))
    for place, name in enumerate(table.columns):
        for row, value in zip(rows, table.iloc[:, place].tolist()):
            if isinstance(value, float):
                row[str(name)] = value if math.isfinite(value) else None
    return json.dumps(rows, indent=1, separators=(",", ":"))


@report_format("csv", endings=".csv")
def to_csv(report: Report) -> str:
    """Return `to_frame()` as comma-separated values.

    Returns
    -------
    str
        One line per row, after the names of the columns.

    Examples
    --------
    >>> from pdeval.report import Cell, Column
    >>> print(Report((Column("AP", "AP"),), ((Cell(0.12345, "0.123"),),)).to_csv())
    AP
    0.12345
    """
    return report.to_frame().to_csv(index=False, lineterminator="\n").rstrip("\n")


@report_format("json", endings=".json")
def to_json(report: Report) -> str:
    """Return `to_frame()` as JSON, one object per row.

    Returns
    -------
    str
        A list of objects.

    Examples
    --------
    >>> from pdeval.report import Cell, Column
    >>> Report((Column("AP", "AP"),), ((Cell(0.25, "0.250"),),)).to_json().split()
    ['[', '{', '"AP":0.25', '}', ']']
    """
    return json_records(report.to_frame())


@report_format("parquet", endings=".parquet")
def to_parquet(report: Report) -> bytes:
    """Return `to_frame()` as a Parquet file.

    Returns
    -------
    bytes
        Content of the file.

    Examples
    --------
    >>> from pdeval.report import Cell, Column
    >>> Report((Column("AP", "AP"),), ((Cell(0.25, "0.250"),),)).to_parquet()[:4]  # doctest: +SKIP
    b'PAR1'
    """
    table = report.to_frame()
    table.attrs = {}
    return bytes(table.to_parquet(None, index=False, engine="pyarrow"))


@report_format("excel", endings=".xlsx")
def to_excel(report: Report, *, sheet_name: str = "report") -> bytes:
    """Return `to_frame()` as an Excel file, the caption and the notes on a second sheet; needs openpyxl.

    Parameters
    ----------
    sheet_name : str, default "report"
        The name of the first sheet.

    Returns
    -------
    bytes
        Content of the file; `save("table.xlsx")` writes it.

    Examples
    --------
    >>> from pdeval.report import Cell, Column
    >>> Report((Column("AP", "AP"),), ((Cell(0.25, "0.250"),),)).to_excel()[:2]  # doctest: +SKIP
    b'PK'
    """
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise ImportError("Excel files need openpyxl: pip install openpyxl.") from None
    before, sys.unraisablehook = sys.unraisablehook, lambda *_: None
    try:
        try:
            return _book(report, sheet_name)
        except OSError as error:
            fault = error.errno, error.strerror
        gc.collect()  # openpyxl's temporary files on a full disk would each print a traceback when they go, later
    finally:
        sys.unraisablehook = before
    raise OSError(*fault)


def _book(report: Report, sheet_name: str) -> bytes:
    notes = pd.DataFrame(
        {"notes": [safe(text, kept="\n") for text in (report.caption, *report.notes) if text]}
    )
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as book:
        report.to_frame().to_excel(book, sheet_name=sheet_name, index=False)
        if len(notes):
            notes.to_excel(
                book, sheet_name="notes" if sheet_name != "notes" else "about", index=False
            )
    return buffer.getvalue()
