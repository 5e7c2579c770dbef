"""Values of a table that no call can work with, looked for when a call fails: sound tables cost nothing."""

from __future__ import annotations

import dis
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from numbers import Number

import numpy as np
import pandas as pd

from pdeval.verbs.arguments import MOST_BITS, is_missing, shown

FAILURES = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    NotImplementedError,
)
LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "matplotlib")
RAISE = dis.opmap["RAISE_VARARGS"]


@contextmanager
def explained(values: Iterable[object]) -> Iterator[None]:
    """Name the fault of a table among some values, where Python, numpy, pandas or Arrow failed on it.

    Examples
    --------
    >>> table = pd.DataFrame({"run": [["a"], ["b"]]})
    >>> with explained([table]):
    ...     table["run"].unique()
    Traceback (most recent call last):
    ValueError: the column 'run' holds a list, e.g. ['a']; give texts or numbers, as .astype(str) does.
    """
    try:
        yield
    except FAILURES as error:
        if _says_what_is_wrong(error):
            raise
        tables = [getattr(value, "_frame", value) for value in values]
        faults = [_fault(table, error) for table in tables if isinstance(table, pd.DataFrame)]
        if fault := next(filter(None, faults), ""):
            raise ValueError(fault) from error
        raise


def _says_what_is_wrong(error: Exception) -> bool:
    """Return whether a raise statement of pdeval, or of a measure that a user declared, gave an error."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if (
        place is None
        or str(place.tb_frame.f_globals.get("__name__")).partition(".")[0] in LIBRARIES
    ):
        return False
    return place.tb_frame.f_code.co_code[place.tb_lasti] == RAISE


def _fault(table: pd.DataFrame, error: Exception) -> str:
    """Return what is wrong with the labels of a table or with its first unsound column, or nothing."""
    labels: list[object] = list(table.columns)
    if odd := [name for name in labels if not isinstance(name, str)]:
        return f"a column is named {odd[0]!r}, which is no text; rename it."
    for find in (_odd_values, _odd_column):
        for name, column in table.items():
            if fault := find(column, error):
                return f"the column {name!r} {fault}"
    return ""


def _odd_values(column: pd.Series, error: Exception) -> str:
    """Return which of its objects a column should not hold, or nothing."""
    values = column.cat.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    for value in values if values.dtype == object else ():
        if isinstance(value, bytes):
            return f"holds bytes, e.g. {shown(value)}; decode them with .str.decode('utf-8')."
        if isinstance(error, UnicodeError) and isinstance(value, str) and not _is_text(value):
            return f"holds half of a character (a lone surrogate), e.g. {shown(value)}; mend it."
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            return "holds a whole number of more than 300 digits; convert it with .astype(str)."
        if not isinstance(value, str | Number) and not is_missing(value):
            kind = type(value).__name__
            example = f"{'an' if kind[0] in 'aeio' else 'a'} {kind}, e.g. {shown(value)}"
            return f"holds {example}; give texts or numbers, as .astype(str) does."
    return ""


def _odd_column(column: pd.Series, _: Exception) -> str:
    """Return what most results of pdeval do not have: missing and infinite values, numbers that are no floats."""
    number = pd.api.types.is_numeric_dtype(column.dtype)
    if number and str(column.dtype) in ("float16", "float128", "bool", "complex128"):
        return f"holds {column.dtype} values; convert it with .astype(float)."
    if missing := int(column.isna().sum()):
        return f"has {missing:,} missing values; drop or fill those rows."
    if number and np.isinf(column.to_numpy(dtype=np.float64)).any():
        return "has infinite values; drop those rows."
    kinds = sorted({type(value).__name__ for value in column}) if column.dtype == object else []
    return (
        f"holds values of type {', '.join(kinds)}; make them all texts or all numbers."
        if len(kinds) > 1
        else ""
    )


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
