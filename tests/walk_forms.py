"""Broken and unusual tables: forms that every table of the walk is given, of its ids, its numbers, its columns.

A form changes all ids or all numbers of a table at once: what a reader does not check is met somewhere in a verb.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa

Form = Callable[[pd.DataFrame], pd.DataFrame]
SURROGATE = "\ud800"
LARGE = 10**400


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(
        column.dtype
    )


def _over(wanted: Callable[[pd.Series], bool], change: Callable[[pd.Series], object]) -> Form:
    """Return the form that changes the columns of one sort, and nothing else of a table."""

    def form(table: pd.DataFrame) -> pd.DataFrame:
        made = table.copy()
        for name in table.columns:
            if wanted(table[name]):
                made[name] = pd.Series(change(table[name]), index=table.index)
        made.attrs = table.attrs
        return made

    return form


def numbers(change: Callable[[pd.Series], object]) -> Form:
    """Return the form that changes the columns of numbers."""
    return _over(_is_number, change)


def names(change: Callable[[pd.Series], object]) -> Form:
    """Return the form that changes the columns of ids and names."""
    return _over(lambda column: not _is_number(column), change)


def objects(make: Callable[[object], object]) -> Callable[[pd.Series], object]:
    """Return the change of each value of a column into another object."""
    return lambda column: pd.Series([make(one) for one in column], index=column.index, dtype=object)


def first(value: object) -> Callable[[pd.Series], object]:
    """Return the change of the first value of a column alone, the others as objects."""

    def change(column: pd.Series) -> pd.Series:
        values = list(column)
        values[:1] = [value]
        made = pd.Series(dtype=object, index=column.index)
        for at, one in enumerate(values):
            made.iat[at] = one
        return made

    return change


def attributes(**attrs: object) -> Form:
    """Return the form that says something else of the table than it is."""

    def form(table: pd.DataFrame) -> pd.DataFrame:
        made = table.copy()
        made.attrs = {**table.attrs, **attrs}
        return made

    return form


def renamed(at: int, name: object) -> Form:
    """Return the form whose column at a place has another name."""

    def form(table: pd.DataFrame) -> pd.DataFrame:
        made = table.copy()
        columns = list(table.columns)
        columns[at if abs(at) < len(columns) else 0] = name
        made.columns = pd.Index(columns, dtype=object, tupleize_cols=False)
        return made

    return form


def _inserted(name: object, value: object) -> Form:
    def form(table: pd.DataFrame) -> pd.DataFrame:
        made = table.copy()
        made.insert(0, name, pd.Series([value] * len(table), index=table.index, dtype=object))
        return made

    return form


FORMS: dict[str, Form] = {
    # numbers
    "numbers: Float64": numbers(lambda column: column.astype("Float64")),
    "numbers: Float64 with NA": numbers(
        lambda column: column.astype("Float64").mask(column.index == column.index[:1].max())
    ),
    "numbers: Int64": numbers(lambda column: column.fillna(0).clip(-9, 9).round().astype("Int64")),
    "numbers: Arrow": numbers(lambda column: column.astype(pd.ArrowDtype(pa.float64()))),
    "numbers: Arrow with null": numbers(
        lambda column: pd.array([None, *column[1:]], dtype=pd.ArrowDtype(pa.float64()))[
            : len(column)
        ]
    ),
    "numbers: Arrow decimals": numbers(
        lambda column: pd.array(
            [Decimal(1)] * len(column), dtype=pd.ArrowDtype(pa.decimal128(9, 3))
        )
    ),
    "numbers: objects": numbers(lambda column: column.astype(object)),
    "numbers: objects with None": numbers(first(None)),
    "numbers: objects with NA": numbers(first(pd.NA)),
    "numbers: objects with text": numbers(first("x")),
    "numbers: text": numbers(lambda column: column.astype(str)),
    "numbers: decimals": numbers(objects(lambda one: Decimal("0.5"))),
    "numbers: fractions": numbers(objects(lambda one: Fraction(1, 3))),
    "numbers: complex": numbers(lambda column: column.fillna(0).astype(complex)),
    "numbers: true and false": numbers(lambda column: column > 0),
    "numbers: missing": numbers(lambda column: np.nan),
    "numbers: one missing": numbers(
        lambda column: column.astype(float).where(np.arange(len(column)) > 0)
    ),
    "numbers: infinite": numbers(lambda column: np.inf),
    "numbers: one infinite": numbers(
        lambda column: column.astype(float).where(np.arange(len(column)) > 0, -np.inf)
    ),
    "numbers: negative": numbers(lambda column: -1 - column.abs()),
    "numbers: zero": numbers(lambda column: column * 0),
    "numbers: huge": numbers(lambda column: column * 0 + 1e100),
    "numbers: 400 digits": numbers(objects(lambda one: LARGE)),
    "numbers: one of 400 digits": numbers(first(LARGE)),
    "numbers: dates": numbers(lambda column: pd.Timestamp("2024-01-01")),
    "numbers: lists": numbers(objects(lambda one: [one])),
    "numbers: arrays without dimensions": numbers(objects(np.array)),
    "numbers: categories": numbers(lambda column: column.astype("category")),
    "numbers: float16": numbers(lambda column: column.clip(-9, 9).astype(np.float16)),
    "numbers: long double": numbers(lambda column: column.astype(np.longdouble)),
    "numbers: sparse": numbers(
        lambda column: column.astype(float).astype(pd.SparseDtype(float, np.nan))
    ),
    # ids and names
    "names: lone surrogates": names(objects(lambda one: f"{one}{SURROGATE}")),
    "names: one lone surrogate": names(first(SURROGATE)),
    "names: lists": names(objects(lambda one: [one])),
    "names: one list": names(first(["x"])),
    "names: dicts": names(objects(lambda one: {"x": one})),
    "names: sets": names(objects(lambda one: {str(one)})),
    "names: tuples": names(objects(lambda one: (one, one))),
    "names: arrays without dimensions": names(objects(np.array)),
    "names: missing": names(lambda column: None),
    "names: one missing": names(first(None)),
    "names: one NaN": names(first(float("nan"))),
    "names: one NA": names(first(pd.NA)),
    "names: one number": names(first(7)),
    "names: numbers": names(lambda column: pd.factorize(column.astype(str))[0]),
    "names: halves": names(lambda column: pd.factorize(column.astype(str))[0] + 0.5),
    "names: 400 digits": names(objects(lambda one: LARGE)),
    "names: bytes": names(objects(lambda one: str(one).encode())),
    "names: not UTF-8": names(objects(lambda one: b"\xff" + str(one).encode())),
    "names: dates": names(lambda column: pd.Timestamp("2024-01-01")),
    "names: one date": names(first(pd.Timestamp("2024-01-01"))),
    "names: true and false": names(lambda column: True),
    "names: complex": names(lambda column: 1j),
    "names: categories": names(
        lambda column: column.astype(str).astype("category").cat.add_categories(["unused"])
    ),
    "names: Arrow": names(lambda column: column.astype(str).astype(pd.ArrowDtype(pa.string()))),
    "names: empty": names(lambda column: ""),
    "names: NUL": names(objects(lambda one: f"{one}\0")),
    "names: long": names(lambda column: column.astype(str) + "x" * 5000),
    "names: objects": names(objects(lambda one: object())),
    # columns
    "columns: one named None": renamed(0, None),
    "columns: last named None": renamed(-1, None),
    "columns: None beside": _inserted(None, "x"),
    "columns: NaN beside": _inserted(float("nan"), "x"),
    "columns: lists beside": _inserted("more", ["x"]),
    "columns: one named by a surrogate": renamed(0, SURROGATE),
    "columns: one named by a number": renamed(0, 3),
    "columns: one named by a tuple": renamed(0, ("x", "y")),
    "columns: last named by a tuple": renamed(-1, ("x", "y")),
    "columns: one twice": lambda table: pd.concat([table, table[table.columns[:1]]], axis=1),
    "columns: last twice": lambda table: pd.concat([table, table[table.columns[-1:]]], axis=1),
    "columns: numbers": lambda table: table.set_axis(range(table.shape[1]), axis=1),
    "columns: two levels": lambda table: table.set_axis(
        pd.MultiIndex.from_product([["x"], table.columns]), axis=1
    ),
    "columns: categories": lambda table: table.set_axis(pd.CategoricalIndex(table.columns), axis=1),
    "columns: none": lambda table: table[[]],
    "columns: without the first": lambda table: table[table.columns[1:]],
    "columns: without the last": lambda table: table[table.columns[:-1]],
    "columns: without the third": lambda table: table.drop(columns=table.columns[2:3]),
    # rows
    "rows: none": lambda table: table.iloc[:0],
    "rows: one": lambda table: table.iloc[:1],
    "rows: two": lambda table: table.iloc[:2],
    "rows: twice": lambda table: pd.concat([table, table]),
    "rows: in another order": lambda table: table.sample(frac=1, random_state=0),
    "rows: one label": lambda table: table.set_axis(["x"] * len(table)),
    "rows: two levels": lambda table: table.set_axis(
        pd.MultiIndex.from_arrays([range(len(table))] * 2, names=["run", "query_id"])
    ),
    # what a table says of itself
    "attributes: no runs": attributes(run_columns=5),
    "attributes: lost runs": attributes(run_columns=["lost"]),
    "attributes: lists as runs": attributes(run_columns=[["run"]]),
    "attributes: no query": attributes(query_column=["query_id"]),
    "attributes: another table": attributes(table="scores"),
    "attributes: no table": attributes(table=["scores"]),
    "attributes: no measures": attributes(measures=3),
    "attributes: broken measures": attributes(measures={"AP": None, "RR": {"higher": "x"}}),
}
