"""How a frame differs from the schema of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from pdeval.tables.schemas import KINDS, PAIRED, Schema


def faults(schema: Schema, frame: pd.DataFrame, names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return how a frame differs from its schema: columns missing, unknown, out of order, or of another dtype.

    Parameters
    ----------
    names : mapping of role to columns
        The caller's columns for `run`, `query` and `doc`.

    Examples
    --------
    >>> from pdeval.tables.schemas import SCHEMAS, table
    >>> ties = table("example_ties", "measure tied_fraction:fraction", "table of an example")
    >>> faults(ties, pd.DataFrame({"measure": ["RR"], "tied_fraction": [1]}), {})
    ["'tied_fraction' should hold fraction and is int64"]
    >>> del SCHEMAS["example_ties"]
    """
    if schema.square:
        return [] if list(frame.index) == list(frame.columns) else ["index and columns differ"]
    pairs = {side: [f"{name}{side[3:]}" for name in names.get("run", ("run",))] for side in PAIRED}
    callers = {**names, **pairs}
    expected = [
        (name, column)
        for column in schema.columns
        for name in callers.get(column.name, (column.name,))
    ]
    wanted = [name for name, column in expected if not column.optional or name in frame.columns]
    have = list(map(str, frame.columns))
    differences = [
        *(f"no column {name!r}" for name in wanted if name not in have),
        *(f"unknown column {name!r}" for name in have if name not in wanted),
    ]
    if not differences and have != wanted:
        differences = [f"columns are in the order {have}, not {wanted}"]
    differences += [
        f"{name!r} should hold {column.holds} and is {frame[name].dtype}"
        for name, column in expected
        if name in have and len(frame) and not KINDS[column.holds](frame[name].dtype)
    ]
    if not isinstance(frame.index, pd.RangeIndex):
        differences.append(f"its index is {type(frame.index).__name__}")
    return differences
