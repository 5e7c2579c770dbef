"""Segments of queries: what the caller's tables, or a table of their own, say of each query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pdeval.judged.judged import Judged
from pdeval.kinds.tables import query_column
from pdeval.kinds.vocabularies import listed

By: TypeAlias = str | Sequence[str] | Mapping[Any, Any] | pd.Series | pd.DataFrame | None


@dataclass(frozen=True, eq=False)
class Segments:
    """Segments of queries: one row of columns each, and the row of every topic."""

    names: pd.DataFrame
    code: np.ndarray


def segments(judged: Judged, by: By) -> Segments:
    """Return the segments that the queries fall into.

    Parameters
    ----------
    by : str or list of str, mapping, Series, or DataFrame
        Column(s) of the judgments or of the run table with one value per query; or what each query is: a mapping, a
        Series with the queries as its index, or a frame with the query column and one or more others.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> found = segments(judged, {query: "early" if query < "120" else "late" for query in judged.queries})
    >>> found.names["segment"].tolist(), np.bincount(found.code).tolist()
    (['early', 'late'], [19, 31])
    """
    table = _said(judged, by)
    table = table[~table.assign(**{" query": table.index}).duplicated().to_numpy()]  # a table has many rows per query
    twice = table.index[table.index.duplicated()].unique()
    if len(twice):
        shown = table.loc[twice[0]].iloc[:2].to_numpy().tolist()
        raise ValueError(
            f"by= needs one {' and '.join(map(str, table.columns))} per query, but {len(twice):,} queries have "
            f"several, e.g. {twice[0]!r}: {shown[0][0]!r} and {shown[1][0]!r}."
        )
    used = np.flatnonzero(judged.counted().any(axis=1))
    row = table.index.get_indexer(pd.Index(judged.queries).astype(object))
    known = (row >= 0) & ~table.isna().any(axis=1).to_numpy()[np.maximum(row, 0)]
    lost = used[~known[used]]
    if len(lost):
        raise ValueError(
            f"{len(lost):,} queries have no {' and '.join(map(str, table.columns))}, e.g. "
            f"{judged.queries[lost[0]]!r}; say to which segment they belong, or leave them out of the judgments."
        )
    kept = table.iloc[np.unique(row[known])].reset_index(drop=True)
    names = kept.drop_duplicates().sort_values(list(kept.columns), kind="stable").reset_index(drop=True)
    place = pd.MultiIndex.from_frame(names).get_indexer(pd.MultiIndex.from_frame(table.loc[:, list(names.columns)]))
    code = np.full(len(row), -1)
    code[known] = place[row[known]]
    return Segments(names, code)


def _said(judged: Judged, by: Any) -> pd.DataFrame:
    """Return what is said of the queries, which are the index."""
    if isinstance(by, Mapping):
        by = pd.Series(dict(by), dtype=object if not by else None)
    if isinstance(by, pd.Series):
        frame = by.to_frame("segment" if by.name is None else by.name)
        return frame.set_axis(by.index.astype(object), axis=0).infer_objects()
    if isinstance(by, pd.DataFrame):
        own = str(judged.queries.name)
        query = own if own in by.columns else query_column(by, {}, needed=False)
        rest = [name for name in by.columns if name != query]
        if query is None or not rest:
            raise ValueError(
                f"by= takes a frame with the query column {own!r} and what it says of queries; found "
                f"{listed(by.columns)}."
            )
        return by[rest].set_axis(pd.Index(by[query]).astype(object), axis=0)
    names = [by] if isinstance(by, str) else list(by)
    for table in reversed(judged.tables):
        if names and all(name in table.frame.columns for name in names):
            return table.frame[names].set_axis(pd.Index(table.column("query")).astype(object), axis=0)
    runs, qrels = (listed(table.frame.columns) for table in judged.tables)
    raise KeyError(
        f"by={by!r}: neither the judgments ({qrels}) nor the run table ({runs}) have it. Give what you know of the "
        "queries: by=pd.Series({query: segment, ...}, name='segment')."
    )
