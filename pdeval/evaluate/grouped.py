"""Groups of queries for verbs that combine all groups: meta-analyses, segments, means of collections.

A query is identified by its group and its id, so nothing is paired across groups.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd

from pdeval.catalog import aggregate_of, parse_all
from pdeval.evaluate import groups
from pdeval.evaluate.cube import Preferences, Scores, coded_runs, merged_attrs
from pdeval.evaluate.cube_sources import Averaged, ScoresLike, averaged, sources
from pdeval.evaluate.groups import Join, Metadata, Rows
from pdeval.evaluate.pairs import Pairs
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.summary import over_queries
from pdeval.join import Judged, outside
from pdeval.tables import Table
from pdeval.verbs import verb


@dataclass(frozen=True, eq=False)
class Grouped:
    """Groups and their data.

    Parameters
    ----------
    labels : DataFrame
        One row per group.
    parts : list of Judged or Table
        The data of each group.
    collections : list of str
        The columns of `labels` that identify a collection.
    """

    labels: pd.DataFrame
    parts: list[Any]
    collections: list[str]

    @classmethod
    def of(
        cls,
        data: ScoresLike | Self,
        by: object,
        metadata: Metadata = None,
    ) -> Self:
        """Return the groups of a join or a table, by columns of it or of metadata.

        The groups of stacked collections are divided by collection too, which identifies a query.
        """
        if isinstance(data, Grouped):
            return data
        if not isinstance(data, Judged | Table):
            raise TypeError("by= requires a table or a join; a cube has no columns to group by.")
        collections = _collections(data)
        source = Join(data) if isinstance(data, Judged) else Rows.of_table(data)
        labels, _, parts = source.groups(
            list(dict.fromkeys([*collections, *groups.option_columns(by)])), metadata
        )
        return cls(labels, [part.data for part in parts], collections)

    def by(self, names: list[str]) -> Iterator[tuple[pd.DataFrame, list[int]]]:
        """Yield the label of each group by some of the columns, one row, and the numbers of its parts."""
        divided = groups.groups_of(names, self.labels[names])
        for code in range(len(divided.labels)):
            yield divided.labels.iloc[[code]], np.flatnonzero(divided.codes == code).tolist()


def _collections(data: Judged | Table) -> list[str]:
    """Return the columns of stacked collections that identify a collection."""
    frame = data.frame if isinstance(data, Table) else pd.DataFrame()
    return [name for name in frame.attrs.get("collections", ()) if name in frame.columns]


@dataclass(frozen=True, eq=False)
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
        """Each group as one string."""
        return [" / ".join(map(str, row)) for row in self.by.itertuples(index=False)]

    def slices(self) -> Iterator[slice]:
        """Yield the queries of each group."""
        yield from (slice(int(start), int(end)) for start, end in pairwise(self.ends))


def grouped_cube(
    data: ScoresLike | Grouped,
    measures: object,
    by: object,
    replicate: object = None,
    metadata: Metadata = None,
) -> GroupedCube:
    """Return the values of a table of scores or preferences, or of a join, by the groups of queries of `by`.

    Parameters
    ----------
    measures : str or list, optional
        Measures to compute from a join; for a table, the measures to use, None for all.
    by : str or list of str
        Column(s) of the table, of the joined tables, or of the metadata.
    replicate : str or list of str, optional
        Run column(s) that distinguish replicates; values are averaged over them within each query.
    metadata : DataFrame or list of them, optional
        Table(s) with one row per query, whose columns can be used in `by`.

    Examples
    --------
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"site": ["y", "x", "x"], "run": "a", "query_id": ["1", "1", "2"], "measure": "AP",
    ...                       "value": [0.9, 0.1, 0.2]})
    >>> cube = grouped_cube(read(frame.ireval(run="run"), "scores"), None, "site")
    >>> cube.names, cube.ends.tolist(), cube.source.values[0, :, 0].tolist()
    (['x', 'y'], [0, 2, 3], [0.1, 0.2, 0.9])
    """
    if isinstance(data, Averaged):
        replicate, data = data.replicate, data.data
    names = groups.option_columns(by)
    _check_about_queries(data, names, metadata)
    if isinstance(data, Judged):
        check_one_family(measures)
    cube = _cut_from_one_cube(
        data,
        measures,
        names,
        metadata,
    ) or _merged_from_parts(data, measures, names, metadata)
    if replicate is None:
        return cube
    return replace(cube, source=averaged(cube.source, groups.option_columns(replicate)))


def _merged_from_parts(
    data: ScoresLike | Grouped,
    measures: object,
    names: list[str],
    metadata: Metadata,
) -> GroupedCube:
    """Return the values of all groups, from a cube of each part; groups without values are left out."""
    grouped = Grouped.of(data, names, metadata)
    cubes = dict(
        groups.of_groups(lambda part: cube_of(part, measures), grouped.parts, grouped.labels)
    )
    known = [
        (label, [cubes[at] for at in places if at in cubes]) for label, places in grouped.by(names)
    ]
    known = [(label, of_group) for label, of_group in known if of_group]
    sizes = [sum(len(cube.queries) for cube in of_group) for _, of_group in known]
    return GroupedCube(
        merged([cube for _, of_group in known for cube in of_group]),
        pd.concat([label for label, _ in known], ignore_index=True),
        np.append(0, np.cumsum(sizes)),
    )


def _cut_from_one_cube(
    data: ScoresLike | Grouped, measures: object, names: list[str], metadata: Metadata
) -> GroupedCube | None:
    """Return the same from one cube of all groups, or None if groups differ in runs or measures, or lack values."""
    if not isinstance(data, Judged | Table):
        return None
    try:
        if isinstance(data, Judged):
            divided = groups.of_join(data, names, metadata)
            data.warn_of_missing_queries()
            cube: Any = sources(data, measures)[0]
            labels = divided.labels
            group_of_query = divided.codes[data.queries.get_indexer(cube.queries)]
        else:
            columns = list(dict.fromkeys([*_collections(data), *names]))
            frame = Rows.of_table(data).with_columns(columns, metadata)
            divided = groups.groups_of(names, frame[names])
            part = groups.groups_of(columns, frame[columns]).codes
            n_parts = int(part.max()) + 1
            place = divided.codes * n_parts + part
            cube, place_of_query = groups.cube_of_groups(
                replace(data, frame=frame), place, measures
            )
            labels, group_of_query = divided.labels, place_of_query // n_parts
    except (ValueError, KeyError, TypeError):  # raised again for the group, with its name
        return None
    sizes = np.bincount(group_of_query, minlength=len(labels))
    if isinstance(cube, Pairs) or np.isnan(cube.values).any() or not sizes.all():
        return None
    order = np.argsort(group_of_query, kind="stable")
    queries = pd.RangeIndex(len(order), name=cube.queries.name)
    return GroupedCube(
        replace(cube, queries=queries, values=cube.values[:, order]),
        labels,
        np.append(0, np.cumsum(sizes)),
    )


def _check_about_queries(data: ScoresLike | Grouped, names: list[str], metadata: Metadata) -> None:
    """Raise if a column to group by is about runs."""
    of_runs: list[str] = []
    if isinstance(data, Judged) and not groups.of_join(data, names, metadata).of_queries_alone:
        of_runs = [name for name in names if name in data.runs.columns] or names
    if isinstance(data, Table):
        of_runs = [
            name for name in names if name.removesuffix("_a").removesuffix("_b") in data.run_columns
        ]
    if of_runs:
        raise ValueError(
            f"by={of_runs[0]!r} is about runs. Use a column about queries or collections, or compare() the runs."
        )


def check_one_family(measures: object) -> None:
    """Raise if measures of one ranking and preferences are requested together."""
    families = (
        {}
        if measures is None
        else {one.entry.family == "metric": one for one in parse_all(measures)}
    )
    if len(families) > 1:
        both = " and ".join(map(str, families.values()))
        raise ValueError(
            f"{both} are a measure of one ranking and a preference. Request one kind at a time."
        )


def cube_of(part: Any, measures: object) -> Scores | Preferences:
    """Return the cube of one part, with the queries that count."""
    source = sources(part, measures)[0]
    cube: Any = source.cube() if isinstance(source, Pairs) else source
    counted = ~np.isnan(cube.values).all(axis=(0, 2))
    return (
        cube
        if counted.all()
        else replace(cube, queries=cube.queries[counted], values=cube.values[:, counted])
    )


def merged(cubes: list[Any]) -> Scores | Preferences:
    """Return one cube of several that share no query: NaN where one of them lacks a run, a pair or a measure.

    A pair has the direction of the first cube that has it.

    Examples
    --------
    >>> cubes = [Scores(pd.DataFrame({"run": [run]}), pd.Index(["1"], name="query_id"), ("AP",), np.array([[[value]]]),
    ...                 np.array([True])) for run, value in (("b", 0.1), ("a", 0.2))]
    >>> merged(cubes).values.tolist()
    [[[nan, 0.1], [0.2, nan]]]
    """
    first = cubes[0]
    runs = first.runs
    columns = [np.arange(len(runs))] * len(
        cubes
    )  # the column of the result for each column of a cube
    if any(not cube.runs.equals(runs) for cube in cubes):
        runs, run = coded_runs(
            {name: pd.concat([cube.runs[name] for cube in cubes]) for name in runs.columns}
        )
        columns = np.split(run, np.cumsum([len(cube.runs) for cube in cubes])[:-1])
    n_columns = n_runs = len(runs)
    turned: list[Any] = [False] * len(cubes)  # which pairs have the other direction in the result
    if isinstance(first, Preferences):
        code = np.concatenate(
            [run[cube.a] * n_runs + run[cube.b] for cube, run in zip(cubes, columns)]
        )
        a, b = np.divmod(code, n_runs)
        # one number for a pair in either direction; the direction is that of its first occurrence
        _, at, pair = np.unique(
            np.minimum(a, b) * n_runs + np.maximum(a, b), return_index=True, return_inverse=True
        )
        order = np.argsort(code[at], kind="stable")
        ends = np.cumsum([len(cube.a) for cube in cubes])[:-1]
        columns = np.split(np.argsort(order)[pair], ends)
        turned = np.split(code != code[at][pair], ends)
        # each pair of runs once, in the direction of its first appearance
        a, b = np.divmod(code[at][order], n_runs)
        n_columns = len(a)
    measures = tuple(dict.fromkeys(label for cube in cubes for label in cube.measures))
    ends = np.cumsum([len(cube.queries) for cube in cubes])
    values = np.full((len(measures), ends[-1], n_columns), np.nan)
    for cube, column, back, end in zip(cubes, columns, turned, ends):
        measure = np.array([measures.index(label) for label in cube.measures])
        rows = np.arange(end - len(cube.queries), end)
        # the block of one group; 0 - value instead of -value: no negative zero
        values[np.ix_(measure, rows, column)] = np.where(back, 0.0 - cube.values, cube.values)
    queries = pd.RangeIndex(ends[-1], name=first.queries.name)
    attrs = merged_attrs(cube.attrs for cube in cubes)
    if isinstance(first, Preferences):
        return Preferences(runs, queries, measures, a, b, values, attrs)
    higher = {
        label: bool(one)
        for cube in reversed(cubes)
        for label, one in zip(cube.measures, cube.higher)
    }
    return Scores(
        runs,
        queries,
        measures,
        values,
        np.array([higher[label] for label in measures]),
        attrs,
    )


@verb(on=("scores", "preferences", "judged"), returns=("scores", "preferences"), independent=True)
def collection_means(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the mean of each run on each collection, as scores whose queries are the collections.

    Orderings and tests of the result are over collections, each of which counts once, as in Demsar (2006) over data
    sets: use `friedman()` and `compare(test="nemenyi")`.

    Parameters
    ----------
    by : str or list of str
        Column(s) that identify collections. With several columns, a collection has the name 'x / y'.

    Notes
    -----
    The mean is over the queries of a run; it is the geometric mean or the sum if the measure declares so. There is a
    warning if runs have different queries of a collection: use queries="common" to average over the same queries. The
    result does not contain the uncertainty of the means; see `meta_analysis(by=...)`.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> sixths = scores.assign(collection=scores["query_id"].astype(int) % 6)  # six collections, for the example
    >>> means = sixths.ireval.collection_means(by="collection")
    >>> means.head(3).round(3)
        run query_id measure  value
    0  bm25        0      AP  0.237
    1  bm25        1      AP  0.360
    2  bm25        2      AP  0.333
    >>> means.ireval.friedman()[["test", "n", "runs", "statistic", "p_value"]].round(3)
                 test  n  runs  statistic  p_value
    0        friedman  6    12     59.692      0.0
    1  iman_davenport  6    12     47.317      0.0
    """
    cube = grouped_cube(data, measures, by, replicate, metadata)
    source: Any = cube.source
    scored = isinstance(source, Scores)
    aggregates = [
        aggregate_of(label, source.attrs) if scored else "mean" for label in source.measures
    ]
    values = [
        np.stack([over_queries(of_measure[part], aggregate) for part in cube.slices()])
        for of_measure, aggregate in zip(source.values, aggregates)
    ]
    # along the queries of a collection, a run (or pair) lacks some and has others
    missing = [np.isnan(source.values[:, part]) for part in cube.slices()]
    if partly := [
        name
        for part, name in zip(missing, cube.names)
        if (part.any(axis=1) & ~part.all(axis=1)).any()
    ]:
        examples = ", ".join(map(repr, partly[:3])) + (", ..." if len(partly) > 3 else "")
        warnings.warn(
            f"in {len(partly)} of {len(cube)} collections some runs lack queries: {examples}. Their means are over "
            "different queries; use queries='common' to average over the same queries.",
            UserWarning,
            stacklevel=outside(),
        )
    frame: pd.DataFrame = replace(
        source,
        queries=pd.Index(cube.names, name=source.queries.name),
        values=np.stack(values),
        attrs={
            name: value
            for name, value in source.attrs.items()
            if name not in ("by", "collections", "table")
        },
    ).frame()
    return frame
