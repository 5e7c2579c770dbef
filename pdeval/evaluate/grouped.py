"""Groups of queries for verbs whose answer is about all of them together: verdicts, segments, means of collections.

A query is identified by its group and its id, so that nothing is paired across groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.measures import parse_all
from pdeval.evaluate import groups, pivot, replicates
from pdeval.evaluate.cube import Preferences, Scores, carried
from pdeval.evaluate.groups import Metadata
from pdeval.evaluate.pairs import Pairs
from pdeval.evaluate.sources import Held, Join, Rows, sources
from pdeval.join.judged import Judged
from pdeval.tables.reader import Table


@dataclass(frozen=True)
class Grouped:
    """Groups and their data.

    Parameters
    ----------
    labels : DataFrame
        One row per group.
    parts : list of Judged or Table
        What the values of each group are computed from.
    collections : list of str
        The columns of `labels` that identify a collection.
    """

    labels: pd.DataFrame
    parts: list[Any]
    collections: list[str]

    @classmethod
    def of(cls, data: Held | Grouped, by: object, metadata: Metadata = None) -> Grouped:
        """Return the groups of a join or a table, by columns of it or of metadata.

        The groups of stacked collections are divided by collection too, which identifies a query.
        """
        if isinstance(data, Grouped):
            return data
        names, collections = groups.named(by), []
        if isinstance(data, Judged):
            source: Join | Rows = Join(data)
        elif isinstance(data, Table):
            collections = [name for name in data.frame.attrs.get("collections", ()) if name in data.frame.columns]
            source = Rows.of_table(data)
        else:
            raise TypeError("by= names columns of a table or of a join; this is a cube, which has none.")
        labels, _, parts = source.groups(list(dict.fromkeys([*collections, *names])), metadata)
        return cls(labels, [part.data for part in parts], collections)

    def by(self, names: list[str]) -> Iterator[tuple[pd.DataFrame, list[int]]]:
        """Yield the label of each group by some of the columns, one row, and the places of its parts."""
        divided = groups.groups_of(names, self.labels[names], pd.DataFrame(index=[0]))
        for code in range(len(divided.labels)):
            yield divided.labels.iloc[[code]], np.flatnonzero(divided.codes == code).tolist()


@dataclass(frozen=True)
class GroupedCube:
    """The values of all groups in one cube, the queries of each group next to each other.

    Parameters
    ----------
    source : Scores or Preferences
        Its queries are numbers: one for each group and query id.
    by : DataFrame
        The labels of the groups, one row each, sorted.
    ends : ndarray of int, shape (groups + 1,)
        The queries of group g are those from `ends[g]` up to `ends[g + 1]`.
    """

    source: Scores | Preferences
    by: pd.DataFrame
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.by)

    @property
    def names(self) -> list[str]:
        """Each group as one text."""
        return [" / ".join(map(str, row)) for row in self.by.itertuples(index=False)]

    def slices(self) -> Iterator[slice]:
        """Yield the queries of each group."""
        yield from (slice(int(first), int(last)) for first, last in zip(self.ends, self.ends[1:]))


def grouped_cube(
    data: Held | Grouped, measures: object, by: object, replicate: object = None, metadata: Metadata = None
) -> GroupedCube:
    """Return the values of a table of scores or preferences, or of a join, by the groups of queries that `by` names.

    Parameters
    ----------
    measures : str or list, optional
        What to compute of a join; which of a table's measures, None for all.
    by : str or list of str
        Column(s) of the table, of the joined tables, or of the metadata.
    replicate : str or list of str, optional
        Columns of the run whose values are averaged over, within each query.
    metadata : DataFrame or list of them, optional
        What queries are, one row each, with columns to group by.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"site": ["y", "x", "x"], "run": "a", "query_id": ["1", "1", "2"], "measure": "AP",
    ...                       "value": [0.9, 0.1, 0.2]})
    >>> cube = grouped_cube(read(frame.ireval(run="run"), "scores"), None, "site")
    >>> cube.names, cube.ends.tolist(), cube.source.values[0, :, 0].tolist()
    (['x', 'y'], [0, 2, 3], [0.1, 0.2, 0.9])
    """
    names = groups.named(by)
    _check_about_queries(data, names, metadata)
    if isinstance(data, Judged):
        check_one_family(measures)
    grouped = Grouped.of(data, names, metadata)
    cubes = dict(groups.of_groups(lambda part: cube_of(part, measures), grouped.parts, grouped.labels))
    labels, order, sizes = [], [], []
    for label, places in grouped.by(names):
        known = [at for at in places if at in cubes]
        if known:
            labels.append(label)
            order += known
            sizes.append(sum(len(cubes[at].queries) for at in known))
    source = merged([cubes[at] for at in order])
    if replicate is not None:
        source = replicates.averaged(source, groups.named(replicate))
    return GroupedCube(source, pd.concat(labels, ignore_index=True), np.append(0, np.cumsum(sizes)))


def _check_about_queries(data: Held | Grouped, names: list[str], metadata: Metadata) -> None:
    """Raise where a column to group by is about runs."""
    of_runs: list[str] = []
    if isinstance(data, Judged) and not groups.of_join(data, names, metadata).of_queries_alone:
        of_runs = [name for name in names if name in data.runs.columns] or names
    if isinstance(data, Table):
        of_runs = [name for name in names if name.removesuffix("_a").removesuffix("_b") in data.run_columns]
    if of_runs:
        raise ValueError(
            f"by={of_runs[0]!r} is about runs; group by what is about queries or collections, and compare() the runs."
        )


def check_one_family(measures: object) -> None:
    """Raise where measures of one ranking and preferences are requested together."""
    families = {} if measures is None else {one.entry.family == "metric": one for one in parse_all(measures)}
    if len(families) > 1:
        both = " and ".join(map(str, families.values()))
        raise ValueError(f"measures of one ranking or preferences, not both: {both}.")


def cube_of(part: Any, measures: object) -> Scores | Preferences:
    """Return the cube of one part, of the queries that count."""
    several = sources(part, measures)
    cube: Any = several[0].cube() if isinstance(several[0], Pairs) else several[0]
    counted = ~np.isnan(cube.values).all(axis=(0, 2))
    return cube if counted.all() else replace(cube, queries=cube.queries[counted], values=cube.values[:, counted])


def merged(cubes: list[Any]) -> Scores | Preferences:
    """Return one cube of several that share no query: NaN where one of them lacks a run, a pair or a measure.

    A pair stands as it does in the first cube that has it.

    Examples
    --------
    >>> cubes = [Scores(pd.DataFrame({"run": [run]}), pd.Index(["1"], name="query_id"), ("AP",), np.array([[[value]]]),
    ...                 np.array([True])) for run, value in (("b", 0.1), ("a", 0.2))]
    >>> merged(cubes).values.tolist()
    [[[nan, 0.1], [0.2, nan]]]
    """
    first = cubes[0]
    runs = first.runs
    places = [np.arange(len(runs))] * len(cubes)
    if any(not cube.runs.equals(runs) for cube in cubes):
        runs, place = pivot.coded_runs({name: pd.concat([cube.runs[name] for cube in cubes]) for name in runs.columns})
        places = np.split(place, np.cumsum([len(cube.runs) for cube in cubes])[:-1])
    turned: list[Any] = [False] * len(cubes)
    a = b = np.zeros(0, dtype=np.int64)
    width = len(runs)
    if isinstance(first, Preferences):
        sides = [(place[cube.a], place[cube.b]) for cube, place in zip(cubes, places)]
        key = np.concatenate([np.minimum(one, two) * width + np.maximum(one, two) for one, two in sides])
        code = np.concatenate([one * width + two for one, two in sides])
        _, at, pair = np.unique(key, return_index=True, return_inverse=True)
        order = np.argsort(code[at], kind="stable")
        a, b = np.divmod(code[at][order], width)
        place = np.argsort(order)[pair]
        ends = np.cumsum([len(cube.a) for cube in cubes])[:-1]
        places = np.split(place, ends)
        turned = np.split(code != code[at][pair], ends)
        width = len(a)
    measures = tuple(dict.fromkeys(label for cube in cubes for label in cube.measures))
    values = np.full((len(measures), sum(len(cube.queries) for cube in cubes), width), np.nan)
    row = 0
    for cube, place, back in zip(cubes, places, turned):
        measure = np.array([measures.index(label) for label in cube.measures])
        block = np.where(back, 0.0 - cube.values, cube.values) if np.any(back) else cube.values
        rows = np.arange(row, row + len(cube.queries))
        values[np.ix_(measure, rows, place)] = block
        row += len(cube.queries)
    queries, attrs = pd.RangeIndex(row, name=first.queries.name), carried(cube.attrs for cube in cubes)
    if isinstance(first, Preferences):
        return Preferences(runs, queries, measures, a, b, values, attrs)
    higher = {label: bool(one) for cube in reversed(cubes) for label, one in zip(cube.measures, cube.higher)}
    return Scores(runs, queries, measures, values, np.array([higher[label] for label in measures]), attrs)
