"""Tidy result tables back to cubes: scores and preferences aligned by id, never by row position."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.directions import higher_of
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.tables.codes import combined_codes, distinct
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table, numbers
from pdeval.tables.recognition import COLLECTIONS, several_collections


def scores(table: Table) -> Scores:
    """Return the cube of a scores table.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"run": ["b", "a"], "query_id": ["1", "1"], "measure": "AP", "value": [0.2, 0.4]})
    >>> scores(read(frame, "scores")).values.tolist()
    [[[0.4, 0.2]]]
    """
    frame = _not_empty(table)
    runs, run = _runs(frame, {name: frame[name] for name in table.run_columns})
    query, queries = coded(frame[table.roles["query"]], "query")
    measure, measures = _measures(table)
    shape = (len(measures), len(queries), len(runs))
    cell = np.ravel_multi_index((measure, query, run), shape)
    _once(frame, cell, math.prod(shape), [*table.run_columns, table.roles["query"], table.roles["measure"]], "scores")
    higher = np.array([higher_of(label, frame.attrs, table.higher) for label in measures])
    values, *machine = _arrays(table, queries, shape, cell)
    ids, attrs = queries.rename(table.roles["query"]), _attributes(table, values)
    return Scores(runs, ids, measures, values, higher, attrs, *machine)


def preferences(table: Table) -> Preferences:
    """Return the cube of a preferences table; each pair of runs must stand in one direction only.

    Examples
    --------
    >>> from pdeval.tables.reader import read
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
    query, queries = coded(frame[table.roles["query"]], "query")
    measure, measures = _measures(table)
    shape = (len(measures), len(queries), len(a))
    cell = np.ravel_multi_index((measure, query, pair), shape)
    sides = [f"{name}_{side}" for side in "ab" for name in table.run_columns]
    _once(frame, cell, math.prod(shape), [table.roles["query"], *sides, table.roles["measure"]], "preferences")
    values, *machine = _arrays(table, queries, shape, cell)
    ids, attrs = queries.rename(table.roles["query"]), _attributes(table, values)
    return Preferences(runs, ids, measures, a, b, values, attrs, *machine)


def _attributes(table: Table, values: np.ndarray) -> dict[Any, Any]:
    """Return what the table carries, as far as its rows bear it out.

    Rows may be a selection, or put together of several tables: where a run has other queries than the others, what
    counts is not what every run answered.
    """
    said = {**table.frame.attrs, "query_column": str(table.roles["query"])}
    if said.get("topics") == "common" and len(table.frame) < values.size:
        said["topics"] = None
    return said


def _not_empty(table: Table) -> pd.DataFrame:
    if len(table.frame) == 0:
        raise ValueError(f"the {table.kind} table is empty.")
    return table.frame


def _arrays(table: Table, queries: pd.Index, shape: tuple[int, ...], cell: np.ndarray) -> tuple[Any, ...]:
    """Return the values as an array, NaN where there is no row; of tables with machine labels also the machine's, and
    the probability of each query."""

    def filled(numbers: np.ndarray) -> np.ndarray:
        array = np.full(shape, np.nan)
        array.ravel()[cell] = numbers
        return array

    if "machine" not in table.roles:
        return (filled(numbers(table.column("value"), "value")),)
    value = table.column("value")
    known = value.notna().to_numpy()
    people = np.full(len(value), np.nan)  # missing where people did not label the query
    people[known] = numbers(value[known], "value")
    machine = filled(numbers(table.column("machine"), "machine"))
    return filled(people), machine, _probability(table, queries)


def _probability(table: Table, queries: pd.Index) -> np.ndarray | None:
    """Return the probability of each query, where the table has it."""
    if "probability" not in table.roles:
        return None
    name, query = table.roles["probability"], table.roles["query"]
    values = pd.Series(numbers(table.frame[name], name), index=table.frame.index)
    wrong = values[~values.between(0, 1) | (values == 0)]
    if len(wrong):
        raise ValueError(
            f"the {name} column has {len(wrong):,} values that are no chance of being drawn, e.g. {wrong.iloc[0]:g}; a "
            "query that people labelled had one above 0, and none has more than 1."
        )
    each = values.groupby(table.frame[query], observed=True).agg(["min", "max"])
    if (each["min"] != each["max"]).any():
        first = each.index[each["min"] != each["max"]][0]
        raise ValueError(f"query {first!r} has several values in the {name} column; a query is drawn with one chance.")
    return each["min"].reindex(queries).to_numpy(dtype=float)


def coded(column: pd.Series, role: str, *, missing: bool = False) -> tuple[np.ndarray, pd.Index]:
    """Return codes and ids of a column, sorted, or raise where some are missing.

    Examples
    --------
    >>> codes, ids = coded(pd.Series(["q2", "q1", "q2"]), "query")
    >>> codes.tolist(), ids.tolist()
    ([1, 0, 1], ['q1', 'q2'])
    """
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
    return coded_runs(columns)


def coded_runs(columns: dict[str, pd.Series]) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the different runs, sorted, one row each, and which of them each row is."""
    parts = {name: coded(column, "run", missing=len(columns) > 1) for name, column in columns.items()}
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
    none_missing(codes < 0)
    return codes, tuple(map(str, values))


def none_missing(missing: np.ndarray) -> None:
    """Raise where rows name no measure."""
    if missing.any():
        raise ValueError(f"the measure column has {int(missing.sum()):,} missing names; drop or fill those rows.")


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
