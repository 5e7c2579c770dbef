"""`Judged`: runs joined to judgments, with the level and the topic rule under which they are evaluated."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from pdeval.join import positions as joining
from pdeval.join.id_mismatch import partly_unlike, sharing_nothing
from pdeval.join.ids import Ids, column_ids
from pdeval.join.item_catalog import catalog_of
from pdeval.join.positions import Positions
from pdeval.join.rules import QueryRule, checked_level, outside
from pdeval.tables import Spans, Table, noun, reader, run_labels
from pdeval.verbs import TooFew


class Part(NamedTuple):
    """The join to which a group of queries belongs, if all groups of a call have its runs.

    Parameters
    ----------
    source : Judged
        The join of all groups.
    topics : ndarray of int
        The topics of the group in that join.
    computed : dict
        Arrays of all topics and other joins of them, which all groups of the call use.
    """

    source: Judged
    topics: np.ndarray
    computed: dict[Hashable, Any]


@dataclass(frozen=True, eq=False)
class Judged:
    """Runs joined to judgments: the ranks of the judged items, and which queries count.

    Parameters
    ----------
    positions : Positions
        The ranks of the judged items.
    level : float, optional
        The smallest relevant grade; by default any positive grade.
    queries : {'relevant', 'judged', 'answered', 'common'}
        Which queries count.
    part : Part, optional
        The join of all groups, if this is one group of a call.
    """

    positions: Positions
    level: float | None = None
    query_rule: QueryRule = "relevant"
    warned: set[str] = field(default_factory=set, repr=False)
    part: Part | None = field(default=None, repr=False)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, one row each: the caller's column(s) that name them."""
        return self.positions.runs

    @property
    def queries(self) -> pd.Index:
        """All judged queries, named as the caller's query column."""
        return self.positions.queries

    @property
    def tables(self) -> tuple[Table, Table]:
        """The run table and the judgments that were joined."""
        if self.positions.source is None:
            raise ValueError("this verb needs the run table, which this join no longer has.")
        return self.positions.source

    @property
    def attrs(self) -> dict[str, Any]:
        """The rules and column names behind results, for footnotes and later verbs. JSON-able."""
        return {
            "queries": self.query_rule,
            "level": self.level,
            **self.positions.rules,
            "run_columns": list(map(str, self.runs.columns)),
            "query_column": str(self.queries.name),
            "doc_column": self.positions.doc_name,
        }

    def at(
        self, *, level: float | EllipsisType | None = ..., queries: QueryRule | EllipsisType = ...
    ) -> Self:
        """Return the same join under another relevance level or topic rule; nothing is joined again.

        Parameters
        ----------
        level : float, optional
            The smallest relevant grade; None is any positive grade. By default unchanged.
        queries : {'relevant', 'judged', 'answered', 'common'}, optional
            Which queries count. By default unchanged.

        Examples
        --------
        >>> import pdeval
        >>> judged = pdeval.datasets.sample_judged()
        >>> judged.at(level=2).at(queries="common").level
        2
        """
        level = self.level if isinstance(level, EllipsisType) else checked_level(level)
        if isinstance(queries, EllipsisType):
            return replace(self, level=level)
        return replace(
            self, level=level, query_rule=queries, warned={*self.warned, "missing queries"}
        )

    def on(self, positions: Positions) -> Judged:
        """Return other positions under the same rules."""
        return Judged(positions, self.level, self.query_rule, self.warned)

    def keep_topics(self, kept: np.ndarray, computed: dict[Hashable, Any]) -> Judged:
        """Return the part with these topics (a mask); the parts of a call share `computed`."""
        positions = self.positions if kept.all() else self.positions.keep_topics(kept)
        return replace(
            self.on(positions), part=Part(self.on(self.positions), np.flatnonzero(kept), computed)
        )

    def changed(self, key: Hashable, change: Callable[[Judged], Judged]) -> Judged:
        """Return the join after a change of every topic by itself, made once for all groups of a call."""
        if self.part is None:
            return change(self)
        source, topics, computed = self.part
        if key not in computed:
            computed[key] = change(replace(source, level=self.level)), {}
        changed, shared = computed[key]
        return changed.keep_topics(np.isin(np.arange(len(changed.queries)), topics), shared)

    def per_topic(
        self, key: Hashable, compute: Callable[[Judged], np.ndarray], *, of_relevant: bool = False
    ) -> np.ndarray:
        """Return an array with one row per topic (or relevant item), computed once for all groups of a call.

        A row must not depend on other topics. `key` identifies the array among those of the call.
        """
        if self.part is None:
            return compute(self)
        source, rows, computed = self.part
        key = (key, self.level)
        if key not in computed:
            topic = source.positions.judged.topic[source.positions.relevant(self.level)]
            try:
                computed[key] = compute(replace(source, level=self.level)), topic
            except (ValueError, KeyError):  # raised again by the group that has the fault
                computed[key] = None, topic
        array, topic_of_item = computed[key]
        if array is None:
            return compute(self)
        if of_relevant:  # items are sorted by topic
            rows = Spans.of(topic_of_item, rows, rows + 1).rows
        return array[rows]

    def with_copied_tables(self) -> Judged:
        """Return the join with copies of its tables, to be kept: later edits of the caller's frames do not reach it.

        The copy is deep: pandas' copy-on-write does not see what is written through `.array`. Arrow text, whose memory
        is never written, is shared all the same.
        """
        if self.positions.source is None:
            return self
        source: list[Table] = []
        for table in self.positions.source:
            frame = table.frame.copy(deep=False)
            for place in range(
                frame.shape[1]
            ):  # a copy of all columns at once would merge them first
                frame.isetitem(place, table.frame.iloc[:, place].copy())  # type: ignore[arg-type]
            source.append(replace(table, frame=frame))
        return self.on(replace(self.positions, source=(source[0], source[1])))

    def counted(self, level: float | None = None) -> np.ndarray:
        """Return which (topic, run) cells count under the topic rule, by the join's level or by another."""
        positions, answered = self.positions, self.positions.answered
        if self.query_rule == "answered":
            return answered
        if self.query_rule == "relevant":
            relevant = positions.relevant(self.level if level is None else level)
            counts = np.bincount(positions.judged.topic[relevant], minlength=len(answered)) > 0
        elif self.query_rule == "judged":
            counts = np.ones(len(answered), dtype=bool)
        elif self.query_rule == "common":
            counts = np.logical_and.reduce(answered, axis=1)
        else:
            raise ValueError(
                f"queries={self.query_rule!r}: choose 'relevant', 'judged', 'answered' or 'common'."
            )
        return np.broadcast_to(counts[:, None], answered.shape)

    def noun(self, count: int = 2) -> str:
        """Return what the judgments call a query, for messages: users if the query column says so."""
        word = noun("query", self.queries.name)
        return word if count == 1 else {"query": "queries"}.get(word, "users")

    def warn_of_missing_queries(
        self, used: np.ndarray | None = None, *, pairs: tuple[np.ndarray, np.ndarray] | None = None
    ) -> None:
        """Warn, once for a join, if queries that count are missing from runs: all runs, or those of these pairs.

        There is no warning if the caller chose which queries count, or if missing queries do not count.
        """
        if "missing queries" in self.warned or self.query_rule in ("answered", "common"):
            return
        used = self.counted() if used is None else used
        if pairs is not None:
            used = used & np.isin(np.arange(used.shape[1]), np.concatenate(pairs))
        missing = (used & ~self.positions.answered).sum(axis=0)  # queries of each run
        others = np.count_nonzero(missing) - 1
        if others < 0:
            return
        worst = int(np.argmax(missing))
        more = f", and some from {others} other run{'s' if others > 1 else ''}" if others else ""
        self.warn_once(
            "missing queries",
            f"{missing[worst]} of {used.any(axis=1).sum()} judged {self.noun()} are missing from run "
            f"{run_labels(self.runs)[worst]!r}{more}; they get the worst possible score.",
        )

    def warn_once(self, what: str, text: str) -> None:
        """Warn, once for a join and subject."""
        if what not in self.warned:
            self.warned.add(what)
            warnings.warn(text, UserWarning, stacklevel=outside())

    def warn_of_ids(self, strangers: np.ndarray, doc: Callable[[], Ids | None]) -> None:
        """Warn, once for a join, of runs without a judged item, of ids that cannot match, and of ranks with gaps.

        Parameters
        ----------
        strangers : ndarray
            The places of runs none of whose items is judged.
        doc : callable
            Returns the items of the runs, row by row, or None if the rows are gone.
        """
        if len(strangers):
            names = run_labels(self.runs.iloc[strangers])
            runs = ", ".join(map(repr, names[:3])) + (
                f", ... ({len(names)} in all)" if len(names) > 3 else ""
            )
            text = f"no item of {runs} is judged for any {self.noun(1)}. Check that its ids are those of the judgments."
            self.warn_once("strangers", text)
        elif unlike := partly_unlike(self.positions, doc):
            self.warn_once("unlike", unlike)
        if self.positions.gaps:
            self.warn_once("gaps", self.positions.gaps)

    def check_counted(self, counted: np.ndarray) -> None:
        """Raise if no topic counts."""
        if not counted.any():
            raise self.nothing_counts()

    def nothing_counts(self) -> ValueError:
        """Return the error if no topic counts."""
        if self.query_rule == "common":
            return TooFew(
                f"no judged {self.noun(1)} was answered by all runs, so queries='common' leaves no {self.noun(1)} to "
                "evaluate."
            )
        least = "a positive grade" if self.level is None else f"a grade of at least {self.level:g}"
        return TooFew(
            f"no judged {self.noun(1)} has an item with {least} (the largest grade is "
            f"{self.positions.judged.grade.max(initial=0):g}), so there is no {self.noun(1)} to evaluate."
        )


def join(
    runs: object,
    qrels: object,
    *,
    level: float | None = None,
    queries: QueryRule = "relevant",
    items: object = None,
    history: object = None,
    **rules: Any,
) -> Judged:
    """Return the join of two tables under the rules of `positions.join`: ties, compat, depth, judged_only and others.

    Parameters
    ----------
    items, history : table, optional
        Side tables for measures of the items of lists: the items, and the items that users had before.

    Examples
    --------
    >>> import pdeval
    >>> join(pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels(), level=2).runs.shape
    (12, 1)
    """
    level = checked_level(level)
    run_table, judgments, catalog = reader.together(
        lambda: reader.read(runs, "runs"),
        lambda: reader.read(qrels, "qrels"),
        lambda: None if items is None and history is None else catalog_of(items, history),
    )
    positions = joining.join(run_table, judgments, catalog=catalog, **rules)
    judged = Judged(positions, level, queries)
    judged.warn_of_ids(
        sharing_nothing(positions), lambda: column_ids(run_table.column("doc"), "doc")
    )
    return judged
