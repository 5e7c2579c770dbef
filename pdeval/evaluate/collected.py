"""One cube of several groups of queries: collections that stand on each other in a table, or segments of a join.

A query is told apart by its group and its id, so that nothing is ever paired across groups.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate import groups, pivot, replicates
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.groups import Metadata
from pdeval.evaluate.pairs import Pairs
from pdeval.evaluate.sources import Held, only, sources
from pdeval.judged.judged import Judged
from pdeval.kinds.metadata import with_metadata
from pdeval.kinds.tables import Table
from pdeval.kinds.vocabularies import listed


@dataclass(frozen=True)
class Collected:
    """The values of a table, the queries of each group next to each other.

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


def collected(
    held: Held, measures: object, by: object, replicate: object = None, metadata: Metadata = None
) -> Collected:
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
    >>> from pdeval.kinds.tables import read
    >>> frame = pd.DataFrame({"site": ["y", "x", "x"], "run": "a", "query_id": ["1", "1", "2"], "measure": "AP",
    ...                       "value": [0.9, 0.1, 0.2]})
    >>> found = collected(read(frame.ireval(run="run"), "scores"), None, "site")
    >>> found.names, found.ends.tolist(), found.source.values[0, :, 0].tolist()
    (['x', 'y'], [0, 2, 3], [0.1, 0.2, 0.9])
    """
    names = groups.named(by)
    if isinstance(held, Judged):
        return _of_join(held, measures, names, replicate, metadata)
    if not isinstance(held, Table):
        raise TypeError("by= names columns of a table or of a join; this is a cube, which has none.")
    table, about = held, groups.tables_of(metadata)
    if about:
        binding = {**table.roles, "run": list(table.run_columns)}
        frame = with_metadata(table.frame, binding, table.kind, names, about)
        table = replace(table, frame=frame)
    _check(table, names)
    table = table if measures is None else only(table, measures)
    frame, query = table.frame, table.roles["query"]
    found = groups.groups_of(names, frame[names], pd.DataFrame(index=[0]))
    place = np.empty(len(found.query), dtype=np.int64)
    place[found.query] = np.arange(len(place))
    group = place[found.queries]
    ids, known = pd.factorize(frame[query])
    if (ids < 0).any():
        raise ValueError(f"the query column has {int((ids < 0).sum()):,} missing ids; drop or fill those rows.")
    # the queries of segments of stacked collections are told apart by their collection too
    further = [name for name in frame.attrs.get("collections", ()) if name in frame.columns and name not in names]
    if further:
        ids, known = pd.factorize(
            frame[further].assign(_query=ids).groupby([*further, "_query"], sort=False, observed=True).ngroup()
        )
    _once(table, [*names, *further])
    own = frame.assign(**{query: group * len(known) + ids})
    own.attrs = dict(frame.attrs)
    made = Table(table.kind, own, table.roles, table.run_columns, table.higher)
    source: Any = pivot.scores(made) if table.kind == "scores" else pivot.preferences(made)
    if replicate is not None:
        source = replicates.averaged(source, groups.named(replicate))
    size = np.bincount(source.queries.to_numpy() // len(known), minlength=len(place))
    return Collected(source, found.labels, np.append(0, np.cumsum(size)))


def _of_join(judged: Judged, measures: object, names: list[str], replicate: object, metadata: Metadata) -> Collected:
    """Return the values of a join, the queries of each group next to each other."""
    found = groups.of_join(judged, names, metadata)
    if not found.of_queries_alone:
        of_runs = [name for name in names if name in judged.runs.columns] or names
        raise ValueError(
            f"by={of_runs[0]!r} is about runs; group by what is about queries or collections, and compare() the runs."
        )
    several = sources(judged, measures)
    if len(several) > 1:
        both = " and ".join(one.measures[0] for one in several[:2])
        raise ValueError(f"measures of one ranking or preferences, not both: {both}.")
    source: Any = several[0].cube() if isinstance(several[0], Pairs) else several[0]
    place = np.empty(len(found.query), dtype=np.intp)
    place[found.query] = np.arange(len(place))
    group = place[found.queries[judged.queries.get_indexer(source.queries)]]
    counted = ~np.isnan(source.values).all(axis=(0, 2))
    order = np.flatnonzero(counted)[np.argsort(group[counted], kind="stable")]
    values = np.ascontiguousarray(source.values[:, order])
    source = replace(source, queries=pd.Index(order, name=source.queries.name), values=values)
    if replicate is not None:
        source = replicates.averaged(source, groups.named(replicate))
    size = np.bincount(group[counted], minlength=len(place))
    there = size > 0
    return Collected(source, found.labels[there].reset_index(drop=True), np.append(0, np.cumsum(size[there])))


def _once(table: Table, names: list[str]) -> None:
    """Raise where a row repeats another within its group."""
    ends = ("",) if table.kind == "scores" else ("_a", "_b")
    runs = [f"{name}{end}" for name in table.run_columns for end in ends]
    key = [*names, *runs, table.roles["query"], table.roles["measure"]]
    again = table.frame.duplicated(key).to_numpy()
    if again.any():
        first = ", ".join(map(repr, table.frame[key].iloc[int(np.flatnonzero(again)[0])].tolist()))
        raise ValueError(
            f"the {table.kind} table has {int(again.sum()):,} rows that repeat an earlier ({', '.join(key)}), e.g. "
            f"({first}). Group by the column that tells them apart too, or bind it to the run: df.ireval(run=[...])."
        )


def _check(table: Table, names: list[str]) -> None:
    """Raise where a column to group by is missing, or says what else a row is."""
    columns = table.frame.columns
    missing = [name for name in names if name not in columns]
    if missing:
        raise KeyError(
            f"no column {missing[0]!r} to group by; the table has {listed(columns)}. Join metadata to it with "
            ".ireval.annotate(metadata), or compute it with .ireval.measure(qrels, by=...)."
        )
    taken = {column: role for role, column in table.roles.items()}
    ends = ("",) if table.kind == "scores" else ("_a", "_b")
    taken |= {f"{name}{end}": "run" for name in table.run_columns for end in ends}
    for name in names:
        if name in taken:
            raise ValueError(f"by={name!r} is the {taken[name]} of the table; name a column of metadata.")
