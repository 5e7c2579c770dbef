"""The judgments of a Dask evaluation: sent to every worker where they are small, divided as the runs are where not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.dask.partition_ids import delayed_parts
from pdeval.dask.shuffle import by_number, is_dask
from pdeval.join import ids, judgments
from pdeval.join.ids import Ids
from pdeval.join.lists import ranges
from pdeval.tables import reader
from pdeval.tables.reader import Table, numbers

SMALL = 1 << 20


@dataclass(frozen=True, eq=False)
class Given:
    """The judgments, and what the client knows of them.

    Parameters
    ----------
    queries : Ids
        The judged queries, sorted.
    best, items : ndarray of shape (topics,)
        The largest grade of each, and how many items it has, or rows where they are too many to send.
    roles : dict
        Which column plays which role.
    frame : DataFrame or None
        All judgments, sorted by topic; `starts` is where each topic begins. None where they are too many to send.
    large : Dask DataFrame or None
        The judgments, where they are too many.
    """

    queries: Ids
    best: np.ndarray
    items: np.ndarray
    roles: dict[str, str]
    frame: pd.DataFrame | None
    starts: np.ndarray | None
    large: Any = None

    def relevant_only(self) -> Given:
        """Return the judgments without those of no relevance, but for one of each topic: much less to send."""
        if self.frame is None or self.starts is None or "subtopic" in self.roles:
            return self
        kept = numbers(self.frame[self.roles["grade"]], "judgments' grade") > 0
        kept[self.starts[:-1]] = True
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        return replace(self, frame=self.frame[kept].reset_index(drop=True), starts=starts, items=np.diff(starts))

    def divided(self, home: np.ndarray, count: int) -> Any:
        """Return large judgments, every topic in the partition of that number."""
        known = self.queries.index()
        query = self.roles["query"]
        return by_number(self.large, _numbered, (query, known, home), count)

    def different(self, what: str) -> list[object]:
        """Return the positive grades, or the subtopics, sorted; of large judgments the column is read."""
        if what not in self.roles:
            return []
        column = (self.large if self.frame is None else self.frame)[self.roles[what]].drop_duplicates()
        column = column.compute() if self.frame is None else column
        found = (
            numbers(column, "judgments' grade") if what == "grade" else ids.column_ids(column, what).unique()[0].index()
        )
        return np.unique(found[found > 0]).tolist() if what == "grade" else list(found)

    def table(self) -> Table:
        """Return all judgments as one table; large ones are gathered."""
        return Table("qrels", self.large.compute() if self.frame is None else self.frame, self.roles)


def given(qrels: object, small: int | None = None) -> Given:
    """Return the judgments of a pandas or Dask table; more than `small` rows are not sent to every worker.

    Examples
    --------
    >>> import pdeval
    >>> judged = given(pdeval.datasets.sample_qrels())
    >>> len(judged.queries), int(judged.best.max()), judged.large is None
    (50, 3, True)
    """
    small = SMALL if small is None else small
    frame, table = understood(qrels, "qrels")
    columns = list(table.roles.values())
    if not is_dask(frame):
        if len(frame) <= small:
            return sent(Table("qrels", frame[columns], table.roles))
        import dask.dataframe as dd

        frame = dd.from_pandas(frame[columns], npartitions=-(-len(frame) // small), sort=False)
    import dask

    count = dask.delayed(best_grades)
    found = dask.compute(*[count(part, dict(table.roles)) for part in delayed_parts(frame, columns)])
    rows = sum(int(counts.sum()) for _, _, counts in found)
    if rows == 0:
        raise ValueError("the judgments table is empty; there is nothing to evaluate against.")
    if rows <= small:
        return sent(Table("qrels", frame[columns].compute(), table.roles))
    full = [one for one in found if len(one[0])]
    queries, topic = ids.column_ids(pd.concat([pd.Series(one) for one, _, _ in full]), "judgments' query").unique()
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, topic, np.concatenate([grades for _, grades, _ in full]))
    items = np.bincount(topic, np.concatenate([counts for _, _, counts in full]), len(queries)).astype(np.int64)
    return Given(queries, best, items, dict(table.roles), None, None, frame[columns])


def understood(table: object, kind: reader.Kind) -> tuple[Any, Table]:
    """Return the frame behind a table or a bound accessor, and its roles; only the columns of a Dask frame are read."""
    frame: Any = getattr(table, "_frame", table)
    binding = getattr(table, "_binding", {})
    if is_dask(frame):
        return frame, reader.read(frame._meta, kind, binding)
    read = reader.read(frame, kind, binding)
    return read.frame, read


def best_grades(frame: pd.DataFrame, roles: dict[str, str]) -> tuple[pd.Index, np.ndarray, np.ndarray]:
    """Return the queries of some judgments, the largest grade of each, and the number of rows of each.

    Examples
    --------
    >>> frame = pd.DataFrame({"query_id": [7, 7], "doc_id": ["a", "b"], "relevance": [0, 2]})
    >>> queries, best, counts = best_grades(frame, {"query": "query_id", "doc": "doc_id", "grade": "relevance"})
    >>> queries.tolist(), best.tolist(), counts.tolist()
    ([7], [2.0], [2])
    """
    queries, topic = ids.column_ids(frame[roles["query"]], "judgments' query").unique()
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, topic, numbers(frame[roles["grade"]], "judgments' grade"))
    return queries.index(), best, np.bincount(topic, minlength=len(queries))


def sent(table: Table) -> Given:
    """Return judgments on pandas, sorted by topic."""
    # every fault of the judgments is told before any work begins
    items = np.bincount(judgments.read_judgments(table).topic)
    queries, topic = ids.column_ids(table.column("query"), "judgments' query").unique()
    order = np.argsort(topic, kind="stable")
    starts = np.searchsorted(topic[order], np.arange(len(queries) + 1))
    best = np.maximum.reduceat(numbers(table.column("grade"), "judgments' grade")[order], starts[:-1])
    frame = table.frame.iloc[order].reset_index(drop=True)
    return Given(queries, best, items, dict(table.roles), frame, starts)


def of_topics(frame: pd.DataFrame, starts: np.ndarray, topics: np.ndarray) -> pd.DataFrame:
    """Return the judgments of some topics, of judgments sorted by topic that begin at `starts`.

    Examples
    --------
    >>> frame = pd.DataFrame({"query_id": [6, 7, 7]})
    >>> of_topics(frame, np.array([0, 1, 3]), np.array([1]))["query_id"].tolist()
    [7, 7]
    """
    return frame.iloc[ranges(starts[topics], starts[topics + 1] - starts[topics])]


def _numbered(frame: pd.DataFrame, query: str, known: pd.Index, home: np.ndarray) -> np.ndarray:
    return home[ids.column_ids(frame[query], "judgments' query").probe(ids.column_ids(pd.Series(known), "query"))]
