"""Tidy result tables back to cubes: scores and preferences aligned by id, never by row position."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from pdeval.catalog.known import higher_of
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.kinds.labels import run_labels
from pdeval.kinds.recognition import COLLECTIONS, several_collections
from pdeval.kinds.tables import Table, numbers
from pdeval.mechanics.codes import combined_codes, distinct


def scores(table: Table) -> Scores:
    """Return the cube of a scores table.

    Examples
    --------
    >>> from pdeval.kinds.tables import read
    >>> frame = pd.DataFrame({"run": ["b", "a"], "query_id": ["1", "1"], "measure": "AP", "value": [0.2, 0.4]})
    >>> scores(read(frame, "scores")).values.tolist()
    [[[0.4, 0.2]]]
    """
    frame = _not_empty(table)
    runs, run = _runs(frame, {name: frame[name] for name in table.run_columns})
    query, queries = _coded(frame[table.roles["query"]], "query")
    measure, measures = _measures(table)
    value = _values(table)
    shape = (len(measures), len(queries), len(runs))
    cell = np.ravel_multi_index((measure, query, run), shape)
    _once(frame, cell, math.prod(shape), [*table.run_columns, table.roles["query"], table.roles["measure"]], "scores")
    values = np.full(shape, np.nan)
    values.ravel()[cell] = value
    higher = np.array([higher_of(label, frame.attrs, table.higher) for label in measures])
    return Scores(runs, queries.rename(table.roles["query"]), measures, values, higher, dict(frame.attrs))


def preferences(table: Table) -> Preferences:
    """Return the cube of a preferences table; each pair of runs must stand in one direction only.

    Examples
    --------
    >>> from pdeval.kinds.tables import read
    >>> frame = pd.DataFrame({"query_id": [1, 2], "run_a": "x", "run_b": "y", "measure": "RPP", "value": [1.0, 0.0]})
    >>> preferences(read(frame, "preferences")).values.tolist()
    [[[1.0], [0.0]]]
    """
    frame = _not_empty(table)
    both = {name: pd.concat([frame[f"{name}_a"], frame[f"{name}_b"]], ignore_index=True) for name in table.run_columns}
    runs, run = _runs(frame, both)
    one, two = run[: len(frame)], run[len(frame) :]
    if (one == two).any():
        raise ValueError(f"{int((one == two).sum()):,} rows compare a run with itself; drop them.")
    code = one * len(runs) + two
    first, pair = distinct(code)
    pair_code = code[first]
    a, b = pair_code // len(runs), pair_code % len(runs)
    if np.isin(b * len(runs) + a, pair_code).any():
        at = int(np.flatnonzero(np.isin(b * len(runs) + a, pair_code))[0])
        names = run_labels(runs.iloc[[a[at], b[at]]])
        raise ValueError(
            f"the preferences table has pairs in both directions, e.g. {names[0]!r} with {names[1]!r} and the "
            "other way round; keep one direction, positive where run_a is better."
        )
    query, queries = _coded(frame[table.roles["query"]], "query")
    measure, measures = _measures(table)
    value = _values(table)
    shape = (len(measures), len(queries), len(a))
    cell = np.ravel_multi_index((measure, query, pair), shape)
    sides = [f"{name}_{side}" for side in "ab" for name in table.run_columns]
    _once(frame, cell, math.prod(shape), [table.roles["query"], *sides, table.roles["measure"]], "preferences")
    values = np.full(shape, np.nan)
    values.ravel()[cell] = value
    return Preferences(runs, queries.rename(table.roles["query"]), measures, a, b, values, dict(frame.attrs))


def _not_empty(table: Table) -> pd.DataFrame:
    if len(table.frame) == 0:
        raise ValueError(f"the {table.kind} table is empty.")
    return table.frame


def _values(table: Table) -> np.ndarray:
    return numbers(table.column("value"), "value")


def _coded(column: pd.Series, role: str, *, missing: bool = False) -> tuple[np.ndarray, pd.Index]:
    if missing and column.isna().any():  # a hyper-parameter that some runs do not have
        codes, values = pd.factorize(column, sort=True, use_na_sentinel=False)
        return codes.astype(np.int64), pd.Index(values)
    if column.isna().any():
        raise ValueError(f"the {role} column has {int(column.isna().sum()):,} missing ids; drop or fill those rows.")
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, values = _used(column)
        if column.cat.ordered:
            return codes, values
        order = np.asarray(values.argsort())
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return place[codes], values[order]
    codes, values = pd.factorize(column, sort=True)
    return codes.astype(np.int64), pd.Index(values)


def _used(column: pd.Series) -> tuple[np.ndarray, pd.Index]:
    """Return the codes of a column of categories, -1 where missing, and the categories that it uses, none sorted."""
    codes, values = column.cat.codes.to_numpy(), pd.Index(column.cat.categories)
    there = np.zeros(len(values) + 1, dtype=bool)
    there[codes] = True  # the last of them is for what is missing
    there[-1] = False
    number = np.where(there, np.cumsum(there) - 1, -1)
    return number[codes], values[there[:-1]]


def _runs(frame: pd.DataFrame, columns: dict[str, pd.Series]) -> tuple[pd.DataFrame, np.ndarray]:
    if not columns:
        return pd.DataFrame({"run": ["run"]}), np.zeros(len(frame), dtype=np.int64)
    parts = {name: _coded(column, "run", missing=len(columns) > 1) for name, column in columns.items()}
    rows = len(next(iter(columns.values())))
    code = combined_codes([(codes, len(values)) for codes, values in parts.values()], rows)
    first, place = distinct(code)
    return pd.DataFrame({name: values[codes[first]] for name, (codes, values) in parts.items()}), place


def _measures(table: Table) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return codes and labels of the measures, in the order that the table says, else of their first rows."""
    column = table.column("measure")
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, values = _used(column)
    else:
        codes, values = pd.factorize(column.astype(object))
        # a table may say the order in which its measures were asked for; rows may come in any
        said = {label: place for place, label in enumerate(table.frame.attrs.get("measures", ()))}
        order = sorted(range(len(values)), key=lambda at: said.get(values[at], len(said)))
        codes = np.append(np.argsort(order), -1)[codes]
        values = values[order]
    if (codes < 0).any():
        raise ValueError(f"the measure column has {int((codes < 0).sum()):,} missing names.")
    return codes, tuple(map(str, values))


def _once(frame: pd.DataFrame, cell: np.ndarray, cells: int, names: list[str], kind: str) -> None:
    seen = np.zeros(cells, dtype=bool)
    seen[cell] = True
    if np.count_nonzero(seen) < len(cell):
        again = pd.Series(cell).duplicated().to_numpy()
        first = tuple(frame[names].iloc[int(np.flatnonzero(again)[0])])
        told_by = [name for name in COLLECTIONS if name in frame.columns and frame[name].nunique() > 1]
        advice = (
            "If collections stand on each other, give a column that names them, and by=that column; else bind more "
            "columns to the run, df.ireval(run=[...]), or keep one of each."
        )
        advice = several_collections(told_by[0]) if told_by else advice
        raise ValueError(
            f"the {kind} table has {int(again.sum()):,} rows that repeat an earlier ({', '.join(names)}), "
            f"e.g. {first}. {advice}"
        )
