"""The dense form of the tidy result tables: what the work floor computes on.

A scores table (run, query, measure, value) is a cube of shape (measures, queries, runs); a preferences
table (query, run_a, run_b, measure, value) is a cube of shape (measures, queries, pairs). Both carry their
labels, so that any array can go back to a tidy frame under the caller's own column names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdeval.tables.arrow import categorical
from pdeval.tables.labels import labels, repeated


@dataclass(frozen=True)
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
        NaN where a query does not count for a run.
    higher : ndarray of bool, shape (measures,)
        Whether more is better.
    attrs : dict
        What the numbers rest on (ties, topics, level, compat), for footnotes. JSON-able.
    machine : ndarray of the shape of values, optional
        The same by the labels of a machine, NaN where a query does not count; `values` are then by people's labels, NaN
        where they did not label the query.
    probability : ndarray of shape (queries,), optional
        The probability with which each query was drawn to be labelled by people, where it differs.
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
        """Return the tidy frame: run, query, measure, value; sorted by run, query, then measures as asked.

        Examples
        --------
        >>> cube = Scores(pd.DataFrame({"run": ["a"]}), pd.Index(["1", "2"], name="query_id"), ("AP",),
        ...               np.array([[[0.5], [1.0]]]), np.array([True]))
        >>> cube.frame()
          run query_id measure  value
        0   a        1      AP    0.5
        1   a        2      AP    1.0
        """
        cells = self.values.transpose(2, 1, 0)
        run, query, measure = (axis.ravel() for axis in np.indices(cells.shape, dtype=np.int32))
        counted, numbers = _value_columns(self, (2, 1, 0))
        if not counted.all():
            run, query, measure = run[counted], query[counted], measure[counted]
        columns = {name: labels(self.runs[name], run) for name in self.runs.columns}
        columns[str(self.queries.name)] = labels(self.queries, query)
        columns["measure"] = labels(pd.Index(self.measures), measure)
        frame = pd.DataFrame({**columns, **numbers}, copy=False)
        frame.attrs.update(self.attrs)
        return frame

    def oriented(self) -> np.ndarray:
        """Return the values with lower-is-better measures turned, so that more is always better."""
        return np.where(self.higher[:, None, None], self.values, -self.values)


@dataclass(frozen=True)
class Preferences:
    """Preferences between pairs of runs for every query: positive where run `a` is the better one.

    Parameters
    ----------
    runs, queries, measures, attrs, machine, probability
        As in `Scores`.
    a, b : ndarray of int, shape (pairs,)
        Rows of `runs`: the two sides of each pair.
    values : ndarray of shape (measures, queries, pairs)
        NaN where the pair has no common ground on that query.
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
        cells = self.values.transpose(1, 2, 0)
        query, pair, measure = (axis.ravel() for axis in np.indices(cells.shape, dtype=np.int32))
        counted, numbers = _value_columns(self, (1, 2, 0))
        if not counted.all():
            query, pair, measure = query[counted], pair[counted], measure[counted]
        columns = {str(self.queries.name): repeated(self.queries, query)}
        for side, codes in (("a", self.a), ("b", self.b)):
            for name in self.runs.columns:
                columns[f"{name}_{side}"] = repeated(self.runs[name], codes[pair])
        columns["measure"] = repeated(pd.Index(self.measures), measure)
        frame = pd.DataFrame({**columns, **numbers}, copy=False)
        frame.attrs.update(self.attrs)
        return frame

    def blocks(self, measure: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, values of shape (queries, pairs in the slice)) for one measure."""
        yield slice(0, len(self.a)), self.values[measure]


class Computed(Preferences):
    """Preferences that a join computed, where differences of equal scores are 0 already."""


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


def stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return frames on top of each other, ids staying categorical and notes kept.

    Examples
    --------
    >>> one, two = (pd.DataFrame({"measure": pd.Categorical([name])}) for name in ("AP", "RR"))
    >>> stacked([one, two])["measure"].cat.categories.tolist()
    ['AP', 'RR']
    """
    if len(frames) == 1:
        return frames[0]
    categories = [_categories(frame) for frame in frames]
    if not any(categories):
        whole = pd.concat(frames, ignore_index=True)
        whole.attrs.update(carried(frame.attrs for frame in frames))
        return whole
    coded = [name for name in frames[0].columns if all(name in own for own in categories)]
    rest = [frame.drop(columns=coded) if coded else frame for frame in frames]
    plain = [{name: object for name in own if name not in coded} for own in categories]
    whole = pd.concat([frame.astype(own) for frame, own in zip(rest, plain)], ignore_index=True)
    for name in whole.columns:
        having = [(frame, own) for frame, own in zip(frames, categories) if name in frame]
        if all(name in own for _, own in having):
            known = dict.fromkeys(one for frame, _ in having for one in frame[name].cat.categories)
            whole[name] = pd.Categorical(whole[name], categories=list(known))
    if coded:
        made = {name: _category([frame[name] for frame in frames]) for name in coded}
        order = dict.fromkeys(name for frame in frames for name in frame.columns)
        whole = pd.DataFrame({name: made[name] if name in made else whole[name].array for name in order}, copy=False)
    whole.attrs.update(carried(frame.attrs for frame in frames))
    return whole


def _categories(frame: pd.DataFrame) -> set[Any]:
    """Return the columns that are categories."""
    return {name for name, dtype in zip(frame.columns, frame.dtypes) if isinstance(dtype, pd.CategoricalDtype)}


def _category(columns: Sequence[pd.Series]) -> pd.Categorical[Any]:
    """Return columns of categories on each other: codes are translated, rows are not looked at."""
    known: dict[Any, int] = {}
    places = [[known.setdefault(one, len(known)) for one in column.cat.categories] for column in columns]
    small = np.min_scalar_type(-len(known) - 1)
    codes = [column.cat.codes.to_numpy() for column in columns]
    codes = [
        code if place == list(range(len(place))) else np.array([*place, -1], dtype=small)[code]  # -1: missing
        for code, place in zip(codes, places)
    ]
    return categorical(np.concatenate(codes, dtype=small), list(known))


def _value_columns(cube: Scores | Preferences, axes: tuple[int, ...]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return which cells count, and the columns of their values: by the machine where it labelled too."""
    arrays = {"value": cube.values} if cube.machine is None else {"value": cube.values, "machine": cube.machine}
    columns = {name: np.ascontiguousarray(values.transpose(axes)).ravel() for name, values in arrays.items()}
    counted = ~np.isnan(columns[[*columns][-1]])
    return counted, columns if counted.all() else {name: values[counted] for name, values in columns.items()}


def carried(several: Iterable[Mapping[Any, Any]]) -> dict[Any, Any]:
    """Return what several tables carry together: rules that none contradicts, what is known of the measures of all.

    Examples
    --------
    >>> carried([{"level": 1, "measures": {"AP": {}}}, {"measures": {"RPP": {}}}])
    {'level': 1, 'measures': {'AP': {}, 'RPP': {}}}
    """
    found = [dict(one) for one in several]
    if len(found) == 1:
        return found[0]
    known = {label: one for attrs in found for label, one in attrs.get("measures", {}).items()}
    rules = {name: said for name, said in found[0].items() if all(one.get(name, said) == said for one in found)}
    return {**rules, **({"measures": known} if known else {})}
