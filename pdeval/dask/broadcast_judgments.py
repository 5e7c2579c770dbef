"""The judgments of a Dask evaluation: sent to every worker if they are small, else divided as the runs are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.dask.delayed import calls, delayed_parts, is_dask
from pdeval.dask.shuffle import by_number, number_of_id
from pdeval.join.ids import Ids, column_ids
from pdeval.join.judgments import read_judgments
from pdeval.join.lists import ranges
from pdeval.tables import reader
from pdeval.tables.reader import Table, numbers

SMALL = 1 << 20


@dataclass(frozen=True, eq=False)
class Given:
    """The judgments, and a summary of them for the client.

    Parameters
    ----------
    queries : Ids
        The judged queries, sorted.
    best, items : ndarray of shape (topics,)
        The largest grade of each, and its number of items (of rows, if there are too many to send).
    roles : dict
        Which column plays which role.
    frame : DataFrame or None
        All judgments, sorted by topic; `starts` is the first row of each. None if there are too many to send.
    large : Dask DataFrame or None
        The judgments, if there are too many.
    """

    queries: Ids
    best: np.ndarray
    items: np.ndarray
    roles: dict[str, str]
    frame: pd.DataFrame | None
    starts: np.ndarray | None
    large: Any = None

    def relevant_only(self) -> Given:
        """Return the relevant judgments, and the first one of each topic: much less to send."""
        if self.frame is None or self.starts is None or "subtopic" in self.roles:
            return self
        kept = numbers(self.frame[self.roles["grade"]], "judgments' grade") > 0
        kept[self.starts[:-1]] = True  # a topic without judgments would be lost
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        return replace(
            self,
            frame=self.frame[kept].reset_index(drop=True),
            starts=starts,
            items=np.diff(starts),
        )

    def divided(self, home: np.ndarray, count: int) -> Any:
        """Return large judgments, every topic in the partition of that number."""
        options = self.roles["query"], self.queries.index(), home, "judgments' query"
        return by_number(self.large, number_of_id, options, count)

    def different(self, what: str) -> list[object]:
        """Return the positive grades, or the subtopics, sorted; of large judgments the column is read."""
        if what not in self.roles:
            return []
        column = (self.large if self.frame is None else self.frame)[
            self.roles[what]
        ].drop_duplicates()
        column = column.compute() if self.frame is None else column
        if what != "grade":
            return list(column_ids(column, what).unique()[0].index())
        grades = np.unique(numbers(column, "judgments' grade"))
        return grades[grades > 0].tolist()

    def table(self) -> Table:
        """Return all judgments as one table; large ones are gathered."""
        return Table(
            "qrels", self.large.compute() if self.frame is None else self.frame, self.roles
        )


def given(qrels: object, small: int | None = None) -> Given:
    """Return the judgments of a pandas or Dask table; more than `small` rows are not sent to every worker.

    Examples
    --------
    >>> import pdeval
    >>> judged = given(pdeval.datasets.sample_qrels())
    >>> len(judged.queries), int(judged.best.max()), judged.large is None
    (50, 3, True)
    """
    import dask

    small = SMALL if small is None else small
    frame, table = understood(qrels, "qrels")
    columns, roles = list(table.roles.values()), dict(table.roles)
    if not is_dask(frame):
        if len(frame) <= small:
            return sent(Table("qrels", frame[columns], table.roles))
        import dask.dataframe as dd

        frame = dd.from_pandas(frame[columns], npartitions=-(-len(frame) // small), sort=False)
    parts = dask.compute(*calls(best_grades, delayed_parts(frame, columns), shared=(roles,)))
    rows = sum(int(counts.sum()) for _, _, counts in parts)
    if rows == 0:
        raise ValueError("the judgments table is empty; there is nothing to evaluate against.")
    if rows <= small:
        return sent(Table("qrels", frame[columns].compute(), table.roles))
    # a query may be in several parts: the best of its grades, the sum of its rows
    names, grades, counts = zip(*[part for part in parts if len(part[0])])
    queries, topic = column_ids(pd.concat(map(pd.Series, names)), "judgments' query").unique()
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, topic, np.concatenate(grades))
    items = np.bincount(topic, np.concatenate(counts), len(queries)).astype(np.int64)
    return Given(queries, best, items, roles, None, None, frame[columns])


def understood(table: object, kind: reader.Kind) -> tuple[Any, Table]:
    """Return the frame behind a table or a bound accessor, and its roles; only the columns of a Dask frame are read."""
    frame: Any = getattr(table, "_frame", table)
    binding = getattr(table, "_binding", {})
    if is_dask(frame):
        return frame, reader.read(frame._meta, kind, binding)
    read = reader.read(frame, kind, binding)
    return read.frame, read


def best_grades(
    frame: pd.DataFrame, roles: dict[str, str]
) -> tuple[pd.Index, np.ndarray, np.ndarray]:
    """Return the queries of some judgments, the largest grade of each, and the number of rows of each.

    Examples
    --------
    >>> frame = pd.DataFrame({"query_id": [7, 7], "doc_id": ["a", "b"], "relevance": [0, 2]})
    >>> queries, best, counts = best_grades(frame, {"query": "query_id", "doc": "doc_id", "grade": "relevance"})
    >>> queries.tolist(), best.tolist(), counts.tolist()
    ([7], [2.0], [2])
    """
    queries, topic = column_ids(frame[roles["query"]], "judgments' query").unique()
    best = np.full(len(queries), -np.inf)
    np.maximum.at(best, topic, numbers(frame[roles["grade"]], "judgments' grade"))
    return queries.index(), best, np.bincount(topic, minlength=len(queries))


def sent(table: Table) -> Given:
    """Return judgments on pandas, sorted by topic."""
    items = np.bincount(
        read_judgments(table).topic
    )  # raises every fault of the judgments before any work begins
    queries, topic = column_ids(table.column("query"), "judgments' query").unique()
    order = np.argsort(topic, kind="stable")
    # rows of a topic are adjacent now: its judgments are a slice
    starts = np.searchsorted(topic[order], np.arange(len(queries) + 1))
    best = np.maximum.reduceat(
        numbers(table.column("grade"), "judgments' grade")[order], starts[:-1]
    )
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
