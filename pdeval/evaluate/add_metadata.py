"""Metadata joined on to a table, which keeps what the table says of itself; `merge` would lose it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.tables.metadata import matched_rows
from pdeval.tables.reader import Table
from pdeval.tables.schemas import PAIRED, SCHEMAS, Schema
from pdeval.tables.vocabularies import listed
from pdeval.verbs import verb

RAW = ("qrels", "labels", "clicks")  # what everything starts from, except runs


def annotated(schema: Schema) -> bool:
    """Return whether a table has runs or queries that metadata could be about.

    Examples
    --------
    >>> [name for name in ("runs", "scores", "preferences", "qrels") if annotated(SCHEMAS[name])]
    ['runs', 'scores']
    """
    names = {column.name for column in schema.columns}
    return bool(names & {"run", "query"}) and names.isdisjoint(PAIRED) and schema.name not in RAW


@verb(on=[name for name, schema in SCHEMAS.items() if annotated(schema)], machine=True)
def annotate(
    table: Table, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None
) -> pd.DataFrame:
    """Return the table with columns of metadata about its runs or queries, and all that it says of itself.

    Rows stay as they are; every run (or query) of the table must be in the metadata, once. A column that both have,
    with the same values, is kept once.

    Parameters
    ----------
    metadata : DataFrame
        What the runs (or queries) are, one row each, under the table's own names for them.
    on : str or list of str, optional
        The columns by which rows are matched; by default all that name a run or query in both tables.

    Returns
    -------
    DataFrame
        The same kind of table, with the metadata as further columns on the right.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> known = scores.ireval.annotate(pdeval.datasets.sample_metadata()[["run", "family", "year"]])
    >>> known.head(2)
        run query_id measure     value   family  year
    0  bm25      101      AP  0.346994  lexical  2004
    1  bm25      102      AP  0.289136  lexical  2004
    >>> known.ireval
    scores table: 12 runs x 48 queries, AP; next: .summary(), .order(), .compare(), .report()
    """
    keys = _keys(table, metadata, on)
    row = matched_rows(table.frame, metadata, keys)
    frame = table.frame.copy(deep=False)
    for name in (name for name in metadata.columns if name not in keys):
        column = pd.Series(metadata[name].array.take(row), index=frame.index)
        if name in frame.columns:
            _check_equal(frame[name], column)
        else:
            frame[name] = column
    frame.attrs = {**table.frame.attrs, "table": table.kind}
    if table.run_columns:
        frame.attrs["run_columns"] = list(table.run_columns)
    if "query" in table:
        frame.attrs["query_column"] = table.roles["query"]
    return frame


def _keys(table: Table, metadata: pd.DataFrame, on: str | Sequence[str] | None) -> list[str]:
    """Return the columns by which rows are matched."""
    if on is None:
        ids = [*table.run_columns, *([table.roles["query"]] if "query" in table else [])]
        shared = [name for name in ids if name in metadata.columns]
        if not shared:
            raise ValueError(
                "the metadata share no column that names a run or query with this table: it has "
                f"{listed(ids) or 'none'}, they have {listed(metadata.columns)}. Rename theirs."
            )
        return shared
    requested = [on] if isinstance(on, str) else list(on)
    for name in requested:
        if name not in table.frame.columns:
            raise KeyError(
                f"on={name!r}: no such column in the table, which has {listed(table.frame.columns)}."
            )
        if name not in metadata.columns:
            raise KeyError(
                f"on={name!r}: no such column in the metadata, which have {listed(metadata.columns)}."
            )
    return requested


def _check_equal(column: pd.Series, given: pd.Series) -> None:
    """Raise where a column of the table and one of the metadata differ."""
    one, two = column.astype(object), given.astype(object)
    differ = np.flatnonzero(~((one == two) | (one.isna() & two.isna())).to_numpy(dtype=bool))
    if len(differ):
        at = differ[0]
        raise ValueError(
            f"the table and the metadata both have a column {column.name!r}, which differs in {len(differ):,} rows, "
            f"e.g. {one.iloc[at]!r} and {two.iloc[at]!r}. Rename one of them."
        )
