"""The judgments of a Dask evaluation: sent to every worker where they are small, divided as the runs are where not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.engines.census import partitions
from pdeval.engines.layout import by_number, is_dask
from pdeval.judged import ids, judgments
from pdeval.judged.ids import Ids
from pdeval.kinds import tables
from pdeval.kinds.tables import Table, numbers

SMALL = 1 << 20


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgments, and what the client knows of them.

    Parameters
    ----------
    queries : Ids
        The judged queries, sorted.
    best : ndarray of shape (topics,)
        The largest grade of each.
    roles : dict
        Which column plays which role.
    frame : DataFrame or None
        All judgments, sorted by topic; `starts` is where each topic begins. None where they are too many to send.
    large : Dask DataFrame or None
        The judgments, where they are too many.
    """

    queries: Ids
    best: np.ndarray
    roles: dict[str, str]
    frame: pd.DataFrame | None
    starts: np.ndarray | None
    large: Any = None

    def relevant_only(self) -> Judged:
        """Return the judgments without those of no relevance, but for one of each topic: much less to send."""
        if self.frame is None or self.starts is None or "subtopic" in self.roles:
            return self
        kept = numbers(self.frame[self.roles["grade"]], "judgments' grade") > 0
        kept[self.starts[:-1]] = True
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        return replace(self, frame=self.frame[kept].reset_index(drop=True), starts=starts)

    def divided(self, home: np.ndarray, count: int) -> Any:
        """Return large judgments, every topic in the partition of that number."""
        known = self.queries.index()
        query = self.roles["query"]
        return by_number(self.large, _numbered, (query, known, home), count)


def of(qrels: object, small: int | None = None) -> Judged:
    """Return the judgments of a pandas or Dask table; more than `small` rows are not sent to every worker.

    Examples
    --------
    >>> import pdeval
    >>> judged = of(pdeval.datasets.sample_qrels())
    >>> len(judged.queries), int(judged.best.max()), judged.large is None
    (50, 3, True)
    """
    import dask.dataframe as dd

    small = SMALL if small is None else small
    frame, table = understood(qrels, "qrels")
    columns = list(table.roles.values())
    if not is_dask(frame):
        if len(frame) <= small:
            return _sent(Table("qrels", frame[columns], table.roles))
        frame = dd.from_pandas(frame[columns], npartitions=-(-len(frame) // small), sort=False)
    import dask

    count = dask.delayed(best_grades)
    found = dask.compute(*[count(part, dict(table.roles)) for part in partitions(frame, columns)])
    rows = sum(rows for _, _, rows in found)
    if rows == 0:
        raise ValueError("the judgments table is empty; there is nothing to evaluate against.")
    if rows <= small:
        return _sent(Table("qrels", frame[columns].compute(), table.roles))
    full = [(queries, best) for queries, best, rows in found if rows]
    queries, topic = ids.of(pd.concat([pd.Series(queries) for queries, _ in full]), "judgments' query").unique()
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, topic, np.concatenate([grades for _, grades in full]))
    return Judged(queries, best, dict(table.roles), None, None, frame[columns])


def understood(table: object, kind: tables.Kind) -> tuple[Any, Table]:
    """Return the frame behind a table or a bound accessor, and its roles; only the columns of a Dask frame are read."""
    frame: Any = getattr(table, "_frame", table)
    binding = getattr(table, "_binding", {})
    return frame, tables.read(frame._meta if is_dask(frame) else frame, kind, binding)


def best_grades(frame: pd.DataFrame, roles: dict[str, str]) -> tuple[pd.Index, np.ndarray, int]:
    """Return the queries of some judgments, the largest grade of each, and the number of rows.

    Examples
    --------
    >>> frame = pd.DataFrame({"query_id": [7, 7], "doc_id": ["a", "b"], "relevance": [0, 2]})
    >>> queries, best, rows = best_grades(frame, {"query": "query_id", "doc": "doc_id", "grade": "relevance"})
    >>> queries.tolist(), best.tolist(), rows
    ([7], [2.0], 2)
    """
    queries, topic = ids.of(frame[roles["query"]], "judgments' query").unique()
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, topic, numbers(frame[roles["grade"]], "judgments' grade"))
    return queries.index(), best, len(frame)


def _sent(table: Table) -> Judged:
    judgments.of(table)  # every fault of the judgments is told before any work begins
    queries, topic = ids.of(table.column("query"), "judgments' query").unique()
    order = np.argsort(topic, kind="stable")
    starts = np.searchsorted(topic[order], np.arange(len(queries) + 1))
    best = np.maximum.reduceat(numbers(table.column("grade"), "judgments' grade")[order], starts[:-1])
    return Judged(queries, best, dict(table.roles), table.frame.iloc[order].reset_index(drop=True), starts)


def _numbered(frame: pd.DataFrame, query: str, known: pd.Index, home: np.ndarray) -> np.ndarray:
    return home[ids.of(frame[query], "judgments' query").probe(ids.of(pd.Series(known), "query"))]
