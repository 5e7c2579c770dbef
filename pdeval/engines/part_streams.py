"""A run table that comes in parts: each read when its turn comes, a query that a border divides put together again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from pdeval.judged import ids
from pdeval.kinds import tables
from pdeval.kinds.tables import Table


def _iterable(parts: Any) -> Iterator[Any]:
    """Return the parts one by one; one table is not an iterable of them, though it may be gone through."""
    one = isinstance(parts, pd.DataFrame) or hasattr(parts, "_frame")
    one = one or (hasattr(parts, "__arrow_c_stream__") and not hasattr(parts, "__next__"))
    if one or isinstance(parts, str | bytes | dict) or not hasattr(parts, "__iter__"):
        raise TypeError(
            f"join_parts() takes an iterable of tables, each with whole queries; this is {type(parts).__name__}. "
            "One table is joined with runs.ireval.join(qrels)."
        )
    return iter(parts)


def _read(parts: Iterator[Any]) -> Iterator[tuple[int, Table]]:
    """Yield the parts as run tables, with their numbers."""
    number = 0
    while True:
        try:
            part = next(parts)
        except StopIteration:
            return
        except Exception as fault:
            fault.add_note(f"while part {number} was read, for join_parts()")
            raise
        try:
            yield number, tables.read(part, "runs")
        except (TypeError, ValueError) as fault:
            raise type(fault)(f"part {number}: {fault}") from fault
        number += 1


def whole_queries_of(parts: Any) -> Iterator[tuple[int, Table]]:
    """Yield the rows of all parts in their order, as run tables, each with the number of the part that it ends in.

    The last query of a part is a table of its own, so that it can be put together with the first rows of the next.

    Examples
    --------
    >>> frame = pd.DataFrame({"query_id": [1, 1, 2, 2], "doc_id": ["a", "b", "a", "b"], "score": 0.5})
    >>> parts = [frame[:1], frame[1:3], frame[3:]]
    >>> [(number, table.column("query").tolist()) for number, table in whole_queries_of(parts)]
    [(1, [1, 1]), (2, [2, 2])]
    """
    held: list[Table] = []
    last = 0
    for number, table in _read(_iterable(parts)):
        rows = len(table.frame)
        if not rows:
            yield number, table  # its columns are looked at
            continue
        query = ids.column_ids(table.column("query"), "query")
        begin = np.concatenate([[0], np.flatnonzero(query.changes()) + 1])
        labels = query.take(begin).index()
        start = 0
        if held and labels[0] == held[0].column("query").iloc[0]:
            start = int(begin[1]) if len(begin) > 1 else rows
            held.append(_rows(table, 0, start))
            last = number
        if held and start < rows:
            yield last, _together(held)
            held = []
        # rows of the last query may go on in the next part, if they all stand at the end of this one
        end = rows
        if start < rows and not (labels[:-1] == labels[-1]).any():
            end = max(int(begin[-1]), start)
            held, last = [_tail(table, end)], number
        if start < end:
            yield number, _rows(table, start, end)
    if held:
        yield last, _together(held)


def _rows(table: Table, start: int, end: int) -> Table:
    return Table("runs", table.frame.iloc[start:end], table.roles, table.run_columns)


def _tail(table: Table, start: int) -> Table:
    """Return the last rows of a part, as a copy: a view would keep all of it in memory."""
    frame = table.frame.take(np.arange(start, len(table.frame))) if start else table.frame
    return Table("runs", frame, table.roles, table.run_columns)


def _together(some: list[Table]) -> Table:
    if len(some) == 1:
        return some[0]
    frame = pd.concat([one.frame for one in some], ignore_index=True)
    return Table("runs", frame, some[0].roles, some[0].run_columns)
