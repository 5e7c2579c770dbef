"""The dense form of result tables: cubes of scores and of preferences, from tidy tables and back.

A scores table (run, query, measure, value) is a cube of shape (measures, queries, runs); a preferences table (query,
run_a, run_b, measure, value) is a cube of shape (measures, queries, pairs). Both carry their labels, so any array can
go back to a tidy frame under the caller's column names. Tables are aligned by id, never by row position.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from pdeval.catalog import higher_of
from pdeval.join import natural_order
from pdeval.tables import (
    COLLECTIONS,
    Table,
    categorical,
    combined_codes,
    distinct,
    labels,
    numbers,
    repeated,
    run_labels,
    several_collections,
)


@dataclass(frozen=True, eq=False)
class Scores:
    """Values of measures for every (query, run), with their labels.

    Parameters
    ----------
    runs : DataFrame
        One row per run: the column(s) that identify it, in result order.
    queries : Index
        The query ids, named as the caller's query column.
    measures : tuple of str
        Labels of the measures.
    values : ndarray of shape (measures, queries, runs)
        NaN if a query does not count for a run.
    higher : ndarray of bool, shape (measures,)
        Whether more is better.
    attrs : dict
        The rules of the evaluation (ties, topics, level, compat), for footnotes. JSON-able.
    machine : ndarray of the shape of values, optional
        The values by machine labels, NaN if a query does not count. `values` are then by human labels, NaN if the query
        has none.
    probability : ndarray of shape (queries,), optional
        The probability of each query of being sampled for human labels, if it is not constant.
    """

    runs: pd.DataFrame
    queries: pd.Index
    measures: tuple[str, ...]
    values: np.ndarray
    higher: np.ndarray
    attrs: dict[Any, Any] = field(default_factory=dict)
    machine: np.ndarray | None = None
    probability: np.ndarray | None = None

    def frame(self) -> pd.DataFrame:
        """Return the tidy frame: run, query, measure, value; sorted by run, query, then measures as requested.

        Examples
        --------
        >>> cube = Scores(pd.DataFrame({"run": ["a"]}), pd.Index(["1", "2"], name="query_id"), ("AP",),
        ...               np.array([[[0.5], [1.0]]]), np.array([True]))
        >>> cube.frame()
          run query_id measure  value
        0   a        1      AP    0.5
        1   a        2      AP    1.0
        """
        (run, query, measure), values = _cells(self, (2, 1, 0))
        return described_frame(
            {
                **run_columns(self.runs, run),
                str(self.queries.name): labels(self.queries, query),
                "measure": labels(pd.Index(self.measures), measure),
                **values,
            },
            self.attrs,
        )

    def oriented(self) -> np.ndarray:
        """Return the values with lower-is-better measures negated, so that more is always better."""
        return np.where(self.higher[:, None, None], self.values, -self.values)


@dataclass(frozen=True, eq=False)
class Preferences:
    """Preferences between pairs of runs for every query: positive if run `a` is better.

    Parameters
    ----------
    runs, queries, measures, attrs, machine, probability
        As in `Scores`.
    a, b : ndarray of int, shape (pairs,)
        Rows of `runs`: the two sides of each pair.
    values : ndarray of shape (measures, queries, pairs)
        NaN if the query does not count for both runs.
    """

    runs: pd.DataFrame
    queries: pd.Index
    measures: tuple[str, ...]
    a: np.ndarray
    b: np.ndarray
    values: np.ndarray
    attrs: dict[Any, Any] = field(default_factory=dict)
    machine: np.ndarray | None = None
    probability: np.ndarray | None = None

    def frame(self) -> pd.DataFrame:
        """Return the tidy frame: query, run_a, run_b, measure, value; sorted by query, pair, measure.

        Examples
        --------
        >>> cube = Preferences(pd.DataFrame({"run": ["a", "b"]}), pd.Index(["1"], name="query_id"), ("RPP",),
        ...                    np.array([0]), np.array([1]), np.array([[[0.5]]]))
        >>> cube.frame()
          query_id run_a run_b measure  value
        0        1     a     b     RPP    0.5
        """
        (query, pair, measure), values = _cells(self, (1, 2, 0))
        return described_frame(
            {
                str(self.queries.name): repeated(self.queries, query),
                **pair_columns(self.runs, self.a[pair], self.b[pair]),
                "measure": repeated(pd.Index(self.measures), measure),
                **values,
            },
            self.attrs,
        )

    def blocks(self, measure: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, values of shape (queries, pairs in the slice)) for one measure."""
        yield slice(0, len(self.a)), self.values[measure]


class Computed(Preferences):
    """Preferences computed by a join: differences of equal scores are exactly 0."""


def _cells(
    cube: Scores | Preferences, axes: tuple[int, ...]
) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """Return the index on each axis, and the value(s), of the cells that count, in the order of these axes."""
    arrays = (
        {"value": cube.values}
        if cube.machine is None
        else {"value": cube.values, "machine": cube.machine}
    )
    columns = {
        name: np.ascontiguousarray(values.transpose(axes)).ravel()
        for name, values in arrays.items()
    }
    indices = [
        index.ravel() for index in np.indices(cube.values.transpose(axes).shape, dtype=np.int32)
    ]
    # machine labels, if there are any, exist for every query that counts
    counted = ~np.isnan(columns[[*columns][-1]])
    if counted.all():
        return indices, columns
    return [index[counted] for index in indices], {
        name: values[counted] for name, values in columns.items()
    }


def run_columns(runs: pd.DataFrame, codes: np.ndarray) -> dict[str, Any]:
    """Return the id columns of the runs with these codes."""
    return {name: labels(runs[name], codes) for name in runs.columns}


def pair_columns(
    runs: pd.DataFrame,
    a: np.ndarray,
    b: np.ndarray,
    take: Callable[[pd.Series, np.ndarray], Any] = repeated,
) -> dict[str, Any]:
    """Return the id columns of pairs of runs, first all of run_a, then all of run_b."""
    sides = (("a", a), ("b", b))
    return {
        f"{name}_{side}": take(runs[name], codes) for side, codes in sides for name in runs.columns
    }


def described_frame(columns: Any, attrs: Mapping[Any, Any]) -> pd.DataFrame:
    """Return a frame of new columns that carries these attributes."""
    frame = pd.DataFrame(columns, copy=False)
    frame.attrs.update(attrs)
    return frame


def all_pairs(n_runs: int, baseline: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the index arrays (a, b) of each unordered pair once, or of every run against a baseline.

    Examples
    --------
    >>> [side.tolist() for side in all_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    >>> [side.tolist() for side in all_pairs(3, baseline=1)]
    [[0, 2], [1, 1]]
    """
    if baseline is None:
        return np.triu_indices(n_runs, k=1)
    others = np.delete(np.arange(n_runs), baseline)
    return others, np.full(len(others), baseline)


def pairs_of_measures(n: int, attrs: Mapping[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return the index arrays (a, b) of the pairs of n measures or orderings.

    If groups are computed together, each has an equal part of them, and pairs are within groups.

    Examples
    --------
    >>> grouped = {"measures": {"0": {"group": 0}, "1": {"group": 0}, "2": {"group": 1}, "3": {"group": 1}}}
    >>> [side.tolist() for side in pairs_of_measures(4, grouped)]
    [[0, 2], [1, 3]]
    """
    n_groups = len({known.get("group") for known in attrs.get("measures", {}).values()})
    size = n // max(n_groups, 1)
    first = np.arange(0, n, max(size, 1))[:, None]
    a, b = ((first + side).ravel() for side in all_pairs(size))
    return a, b


def stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return stacked frames: categorical ids stay categorical, and attributes are kept.

    Examples
    --------
    >>> one, two = (pd.DataFrame({"measure": pd.Categorical([name])}) for name in ("AP", "RR"))
    >>> stacked([one, two])["measure"].cat.categories.tolist()
    ['AP', 'RR']
    """
    if len(frames) == 1:
        return frames[0]
    attrs = merged_attrs(frame.attrs for frame in frames)
    # without attributes, which pandas copies with every column
    frames = [pd.DataFrame(frame) for frame in frames]
    names = dict.fromkeys(name for frame in frames for name in frame.columns)
    arrays = [{name: column.array for name, column in frame.items()} for frame in frames]
    columns = {name: _stacked_column([one.get(name) for one in arrays]) for name in names}
    # columns that are categorical in each frame that has them; a column that is so only in some is stacked as objects
    columns |= {
        name: _stacked_categories(frames, name)
        for name in names
        if all(isinstance(one.get(name, pd.Categorical([])), pd.Categorical) for one in arrays)
    }
    if others := [name for name in names if columns[name] is None]:
        parts = [
            pd.DataFrame(
                {
                    name: one[name].astype(object)
                    if isinstance(one[name], pd.Categorical)
                    else one[name]
                    for name in others
                    if name in one
                },
                index=range(len(frame)),
            )
            for frame, one in zip(frames, arrays)
        ]
        result = pd.concat(parts, ignore_index=True)
        columns |= {name: result[name].array for name in others}
    return described_frame(columns, attrs)


def _stacked_column(arrays: Sequence[Any]) -> Any:
    """Return a column of all frames; None if it is categorical, of several types, or missing in a frame."""
    first = arrays[0]
    if (
        first is None
        or isinstance(first, pd.Categorical)
        or any(one is None or one.dtype != first.dtype for one in arrays)
    ):
        return None
    return type(first)._concat_same_type(arrays)


def _stacked_categories(frames: Sequence[pd.DataFrame], name: str) -> pd.Categorical[Any]:
    """Return a categorical column of all frames, missing in frames without it: only codes are translated."""
    known: dict[Any, int] = {}
    codes: list[np.ndarray] = []
    for frame in frames:
        code: np.ndarray = np.full(len(frame), -1, dtype=np.int8)
        if name in frame:
            ids = frame[name].cat.categories
            new_code = [known.setdefault(one, len(known)) for one in ids]
            code = frame[name].cat.codes.to_numpy()
            if new_code != list(range(len(ids))):
                code = np.array([*new_code, -1])[
                    code
                ]  # the code -1 takes the last, of missing values
        codes.append(code)
    return categorical(
        np.concatenate(codes, dtype=np.min_scalar_type(-len(known) - 1)), list(known)
    )


def merged_attrs(several: Iterable[Mapping[Any, Any]]) -> dict[Any, Any]:
    """Return the attributes of several tables: those without different values, and the measures of all tables.

    Examples
    --------
    >>> merged_attrs([{"level": 1, "measures": {"AP": {}}}, {"measures": {"RPP": {}}}])
    {'level': 1, 'measures': {'AP': {}, 'RPP': {}}}
    """
    tables = [dict(attrs) for attrs in several]
    if len(tables) == 1:
        return tables[0]
    measures = {
        label: known for attrs in tables for label, known in attrs.get("measures", {}).items()
    }
    return {
        **{
            name: value
            for name, value in tables[0].items()
            if all(attrs.get(name, value) == value for attrs in tables)
        },
        **({"measures": measures} if measures else {}),
    }


def scores_cube(table: Table) -> Scores:
    """Return the cube of a scores table.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"run": ["b", "a"], "query_id": ["1", "1"], "measure": "AP", "value": [0.2, 0.4]})
    >>> scores_cube(read(frame, "scores")).values.tolist()
    [[[0.4, 0.2]]]
    """
    frame = table.frame
    if table.run_columns:
        runs, run = coded_runs({name: frame[name] for name in table.run_columns})
    else:
        runs, run = pd.DataFrame({"run": ["run"]}), np.zeros(len(frame), dtype=np.int64)
    queries, measures, arrays, attrs = _dense(
        table, run, len(runs), [*table.run_columns, table.roles["query"], table.roles["measure"]]
    )
    return Scores(
        runs,
        queries,
        measures,
        higher=np.array([higher_of(label, frame.attrs, table.higher) for label in measures]),
        attrs=attrs,
        **arrays,
    )


def preferences_cube(table: Table) -> Preferences:
    """Return the cube of a preferences table; each pair of runs must have one direction only.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"query_id": [1, 2], "run_a": "x", "run_b": "y", "measure": "RPP", "value": [1.0, 0.0]})
    >>> preferences_cube(read(frame, "preferences")).values.tolist()
    [[[1.0], [0.0]]]
    """
    frame = table.frame
    names = table.run_columns
    runs, run = coded_runs(
        {
            name: pd.concat([frame[f"{name}_a"], frame[f"{name}_b"]], ignore_index=True)
            for name in names
        }
    )
    run_a, run_b = run[: len(frame)], run[len(frame) :]
    if (run_a == run_b).any():
        raise ValueError(
            f"{int((run_a == run_b).sum()):,} rows compare a run with itself. Drop them."
        )
    # a pair of runs as one number
    code = run_a * len(runs) + run_b
    first, pair = distinct(code)
    a, b = np.divmod(code[first], len(runs))
    reverse = np.isin(b * len(runs) + a, code[first])
    if reverse.any():
        at = int(np.flatnonzero(reverse)[0])
        example = run_labels(runs.iloc[[a[at], b[at]]])
        raise ValueError(
            f"the preferences table has pairs in both directions, e.g. ({example[0]!r}, {example[1]!r}). Keep one "
            "direction, with positive values if run_a is better."
        )
    sides = [f"{name}_{side}" for side in "ab" for name in names]
    queries, measures, arrays, attrs = _dense(
        table, pair, len(a), [table.roles["query"], *sides, table.roles["measure"]]
    )
    return Preferences(runs, queries, measures, a, b, attrs=attrs, **arrays)


def _dense(
    table: Table, column: np.ndarray, n_columns: int, ids: list[str]
) -> tuple[pd.Index, tuple[str, ...], dict[str, Any], dict[Any, Any]]:
    """Return queries, measures, arrays (measures, queries, columns) and attributes; `column` is that of every row."""
    if len(table.frame) == 0:
        raise ValueError(f"the {table.kind} table is empty.")
    query, queries = coded(table.frame[table.roles["query"]], "query")
    measure, measures = _measures(table)
    shape = (len(measures), len(queries), n_columns)
    cell = np.ravel_multi_index((measure, query, column), shape)
    _check_unique(table, cell, math.prod(shape), ids)
    attrs = {**table.frame.attrs, "query_column": str(table.roles["query"])}
    # rows may be a selection, or of several tables: then the queries are not those that every run answered
    if attrs.get("queries") == "common" and len(table.frame) < math.prod(shape):
        attrs["queries"] = None

    def filled(numbers: np.ndarray, cell: np.ndarray) -> np.ndarray:
        array = np.full(shape, np.nan)
        array.ravel()[cell] = numbers
        return array

    value = table.column("value")
    # human values may be missing; a cell without a row is missing too
    known = value.notna().to_numpy() if "machine" in table.roles else slice(None)
    arrays: dict[str, Any] = {"values": filled(numbers(value[known], "value"), cell[known])}
    if "machine" in table.roles:
        arrays["machine"] = filled(numbers(table.column("machine"), "machine"), cell)
        arrays["probability"] = _probability(table, queries)
    return queries.rename(table.roles["query"]), measures, arrays, attrs


def _probability(table: Table, queries: pd.Index) -> np.ndarray | None:
    """Return the sampling probability of each query, if the table has it."""
    if "probability" not in table.roles:
        return None
    name = table.roles["probability"]
    values = pd.Series(numbers(table.frame[name], name), index=table.frame.index)
    wrong = values[~values.between(0, 1) | (values == 0)]
    if len(wrong):
        raise ValueError(
            f"column {name!r} has {len(wrong):,} sampling probabilities outside (0, 1], e.g. {wrong.iloc[0]:g}."
        )
    limits = values.groupby(table.frame[table.roles["query"]], observed=True).agg(["min", "max"])
    several = limits.index[limits["min"] != limits["max"]]
    if len(several):
        raise ValueError(
            f"query {several[0]!r} has several values in column {name!r}. A query has one sampling probability."
        )
    return limits["min"].reindex(queries).to_numpy(dtype=float)


def coded(column: pd.Series, role: str, *, missing: bool = False) -> tuple[np.ndarray, pd.Index]:
    """Return codes and ids of a column, sorted (queries in natural order), or raise if some are missing.

    Examples
    --------
    >>> codes, ids = coded(pd.Series(["q10", "q2", "q10"]), "query")
    >>> codes.tolist(), ids.tolist()
    ([1, 0, 1], ['q2', 'q10'])
    """
    has_missing = column.hasnans
    if has_missing and not missing:  # else it is a hyper-parameter that some runs do not have
        raise ValueError(
            f"the {role} column has {int(column.isna().sum()):,} missing ids; drop or fill those rows."
        )
    categorical = isinstance(column.dtype, pd.CategoricalDtype) and not has_missing
    if categorical:
        codes, values = _used_categories(column)
        if column.cat.ordered:
            return codes, values
    else:
        # strings of queries are sorted below
        sort = role != "query" or not isinstance(column.dtype, pd.StringDtype)
        codes, uniques = pd.factorize(column, sort=sort, use_na_sentinel=not has_missing)
        codes, values = codes.astype(np.int64), pd.Index(uniques)
    if role == "query" and pd.api.types.is_string_dtype(values):
        order = natural_order(pa.array(values, pa.large_string()))
    elif categorical:
        order = np.asarray(values.argsort())
    else:
        return codes, values
    return np.argsort(order)[codes], values.take(
        order
    )  # the inverse permutation gives the new codes


def _used_categories(column: pd.Series) -> tuple[np.ndarray, pd.Index]:
    """Return the codes of a categorical column, -1 where missing, and the categories in use, not sorted."""
    codes, values = column.cat.codes.to_numpy(), pd.Index(column.cat.categories)
    used = np.zeros(len(values) + 1, dtype=bool)
    used[codes] = True  # the code -1, of missing values, marks the last entry
    used[-1] = False
    new_code = np.where(used, np.cumsum(used) - 1, -1)
    return new_code[codes], values[used[:-1]]


def coded_runs(columns: dict[str, pd.Series]) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the different runs, sorted, one row each, and the run of each row."""
    parts = {
        name: coded(column, "run", missing=len(columns) > 1) for name, column in columns.items()
    }
    n_rows = len(next(iter(columns.values())))
    first, run = distinct(
        combined_codes([(codes, len(values)) for codes, values in parts.values()], n_rows)
    )
    return pd.DataFrame(
        {name: values[codes[first]] for name, (codes, values) in parts.items()}
    ), run


def _measures(table: Table) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return codes and labels of the measures, in the order of the table's attributes, else of their first rows."""
    column = table.column("measure")
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, values = _used_categories(column)
    else:
        codes, values = pd.factorize(column)
        # attributes keep the order in which measures were requested; rows may come in any order
        place = {
            label: number for number, label in enumerate(table.frame.attrs.get("measures", ()))
        }
        order = sorted(range(len(values)), key=lambda at: place.get(values[at], len(place)))
        codes = np.append(np.argsort(order), -1)[codes]
        values = values.take(order)
    check_measure_names(codes < 0)
    return codes, tuple(map(str, values))


def check_measure_names(missing: np.ndarray) -> None:
    """Raise if rows have no name of a measure."""
    if missing.any():
        raise ValueError(
            f"the measure column has {int(missing.sum()):,} missing names; drop or fill those rows."
        )


def _check_unique(
    table: Table,
    cell: np.ndarray,
    n_cells: int,
    ids: list[str],
) -> None:
    """Raise if two rows fill the same cell."""
    seen = np.zeros(n_cells, dtype=bool)
    seen[cell] = True
    if np.count_nonzero(seen) == len(cell):
        return
    frame = table.frame
    again = pd.Series(cell).duplicated().to_numpy()
    example = tuple(frame[ids].iloc[int(np.flatnonzero(again)[0])])
    collections = [
        name for name in COLLECTIONS if name in frame.columns and frame[name].nunique() > 1
    ]
    advice = (
        "If the table stacks several collections, add a column that identifies them and pass it as by=. Otherwise bind "
        "more columns to the run, df.ireval(run=[...]), or drop the duplicates."
    )
    raise ValueError(
        f"the {table.kind} table has {int(again.sum()):,} rows that repeat an earlier ({', '.join(ids)}), "
        f"e.g. {example}. {several_collections(collections[0]) if collections else advice}"
    )


def mean_and_sd(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the number, the mean and the standard deviation over the queries, the last axis but one, without NaN."""
    known = ~np.isnan(values)
    n = known.sum(axis=-2)
    # x + -0.0 is x for every x: missing values change no bit of a sum
    filled = np.where(known, values, -0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        # adds query after query, in any layout: equal systems stay exactly equal, alone or among others
        average = np.add.accumulate(filled, axis=-2)[..., -1, :] / n
        squares = np.where(known, (filled - average[..., None, :]) ** 2, 0.0)
        squares = np.add.accumulate(squares, axis=-2)[..., -1, :]
        return n, average, np.sqrt(squares / np.where(n > 1, n - 1, np.nan))


def finite(values: np.ndarray, measure: str) -> np.ndarray:
    """Return the values, or raise if some are infinite."""
    if np.isinf(values).any():
        raise ValueError(
            f"measure {measure!r} has {np.isinf(values).sum()} infinite values, which have no mean. Use a variant of "
            "the measure with a finite worst case, compare preferences instead, or drop these queries."
        )
    return values
