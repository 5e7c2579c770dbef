"""Metadata added to a table as columns; the attributes of the table are kept, which `merge` would lose."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.tables import PAIRED, SCHEMAS, Schema, Table, listed, matched_rows
from pdeval.verbs import verb

RAW = ("qrels", "labels", "clicks")  # input tables other than runs


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
def add_metadata(
    table: Table, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None
) -> pd.DataFrame:
    """Return the table with the columns of metadata about its runs or queries, and its attributes.

    The rows do not change. Each run (or query) of the table must occur exactly once in the metadata. A column that both
    tables have with the same values is kept once.

    Parameters
    ----------
    metadata : DataFrame
        Table with one row per run (or query), whose id columns have the same names as in this table.
    on : str or list of str, optional
        Columns to match rows by; by default all id columns of runs and queries that both tables have.

    Returns
    -------
    DataFrame
        The same kind of table, with the metadata as additional columns on the right.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> known = scores.ireval.add_metadata(pdeval.datasets.sample_metadata()[["run", "family", "year"]])
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
    ids = {"run_columns": list(table.run_columns), "query_column": table.roles.get("query")}
    frame.attrs = {**table.frame.attrs, "table": table.kind}
    frame.attrs.update({name: columns for name, columns in ids.items() if columns})
    return frame


def _keys(table: Table, metadata: pd.DataFrame, on: str | Sequence[str] | None) -> list[str]:
    """Return the columns by which rows are matched."""
    if on is None:
        ids = [*table.run_columns, *([table.roles["query"]] if "query" in table else [])]
        shared = [name for name in ids if name in metadata.columns]
        if not shared:
            raise ValueError(
                f"the metadata have none of the id columns of this table ({listed(ids) or 'none'}); their columns are "
                f"{listed(metadata.columns)}. Rename the id columns of the metadata."
            )
        return shared
    requested = [on] if isinstance(on, str) else list(on)
    for what, frame in (("table", table.frame), ("metadata", metadata)):
        if missing := [name for name in requested if name not in frame.columns]:
            raise KeyError(
                f"on={missing[0]!r}: the {what} has no such column; the columns are {listed(frame.columns)}."
            )
    return requested


def _check_equal(column: pd.Series, other: pd.Series) -> None:
    """Raise if a column of the table and one of the metadata differ."""
    one, two = column.astype(object), other.astype(object)
    differ = np.flatnonzero(~((one == two) | (one.isna() & two.isna())).to_numpy(dtype=bool))
    if len(differ):
        at = differ[0]
        raise ValueError(
            f"the table and the metadata both have a column {column.name!r}, which differs in {len(differ):,} rows, "
            f"e.g. {one.iloc[at]!r} and {two.iloc[at]!r}. Rename one of them."
        )
