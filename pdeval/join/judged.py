"""`Judged`: runs joined to judgments, with the rules by which they are read. All work takes it whole."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from types import EllipsisType
from typing import Any, Self

import numpy as np
import pandas as pd

from pdeval.join import positions as joining
from pdeval.join.id_mismatch import partly_unlike
from pdeval.join.ids import column_ids
from pdeval.join.item_catalog import catalogue_of
from pdeval.join.list_columns import join_lists
from pdeval.join.positions import Positions
from pdeval.join.query_rules import Topics, counted, nothing_text, of_runs, outside, tell_missing
from pdeval.tables import reader
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table
from pdeval.verbs.arguments import TooFew, is_finite, shown


@dataclass(frozen=True, eq=False)
class Judged:
    """Runs joined to judgments: where every run found every judged item, and what counts.

    Parameters
    ----------
    positions : Positions
        The ranks of the judged items.
    level : float, optional
        The least grade that counts as relevant; by default any positive grade.
    topics : {'relevant', 'judged', 'answered', 'common'}
        Which queries count.
    """

    positions: Positions
    level: float | None = None
    topics: Topics = "relevant"
    said: set[str] = field(default_factory=set, repr=False)

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
            raise ValueError("this needs the run table itself, which this join no longer has.")
        return self.positions.source

    @property
    def attrs(self) -> dict[str, Any]:
        """What numbers of this join rest on, for footnotes and later verbs. JSON-able."""
        rules = {"topics": self.topics, "level": self.level, **self.positions.rules}
        names = {"run_columns": list(map(str, self.runs.columns)), "query_column": str(self.queries.name)}
        return {**rules, **names, "doc_column": self.positions.doc_name}

    def at(self, *, level: float | EllipsisType | None = ..., topics: Topics | EllipsisType = ...) -> Self:
        """Return the same join under another relevance level or topic rule; nothing is joined again.

        Parameters
        ----------
        level : float, optional
            The least grade that counts as relevant; None is any positive grade. Not given, it stays.
        topics : {'relevant', 'judged', 'answered', 'common'}, optional
            Which queries count. Not given, it stays.

        Examples
        --------
        >>> import pdeval
        >>> judged = pdeval.datasets.sample_judged()
        >>> judged.at(level=2).at(topics="common").level
        2
        """
        level = self.level if isinstance(level, EllipsisType) else checked_level(level)
        if isinstance(topics, EllipsisType):
            return replace(self, level=level)
        return replace(self, level=level, topics=topics, said={*self.said, "missing queries"})

    def on(self, positions: Positions) -> Judged:
        """Return other positions under the same rules."""
        return Judged(positions, self.level, self.topics, self.said)

    def apart(self) -> Judged:
        """Return the join with tables of its own, to be kept: later edits of the caller's frames do not reach it.

        Copied as a whole: pandas' copying on write knows nothing of what is written through `.array`. Text of Arrow,
        whose memory is never written, is shared all the same.
        """
        if self.positions.source is None:
            return self
        runs, qrels = (replace(table, frame=table.frame.copy()) for table in self.positions.source)
        return self.on(replace(self.positions, source=(runs, qrels)))

    def counted(self, level: float | None = None) -> np.ndarray:
        """Return which (topic, run) cells count, by the join's level or by another."""
        return counted(self.positions, self.topics, self.level if level is None else level)

    def tell(self, used: np.ndarray | None = None, *, pairs: tuple[np.ndarray, np.ndarray] | None = None) -> None:
        """Warn, once for a join, where queries that count are missing from runs: all runs, or those of some pairs.

        Nothing is said where the caller chose which queries count.
        """
        if "missing queries" in self.said:
            return
        used = self.counted() if used is None else used
        if tell_missing(self.positions, used if pairs is None else of_runs(used, *pairs), self.topics):
            self.said.add("missing queries")

    def tell_once(self, what: str, text: str) -> None:
        """Warn of something, once for a join."""
        if what not in self.said:
            self.said.add(what)
            warnings.warn(text, UserWarning, stacklevel=outside())

    def nothing_counts(self) -> ValueError:
        """Return the error that says why no topic counts."""
        return TooFew(nothing_text(self.positions, self.topics, self.level))


def checked_level(level: Any) -> float | None:
    """Return a relevance level, or raise where it is none.

    Examples
    --------
    >>> checked_level(2)
    2
    """
    if level is not None and not (is_finite(level) and level > 0):
        raise ValueError(f"level={shown(level)}: the least grade that counts as relevant must be a number above 0.")
    found: float | None = level
    return found


def join(
    runs: object,
    qrels: object,
    *,
    level: float | None = None,
    topics: Topics = "relevant",
    items: object = None,
    history: object = None,
    **rules: Any,
) -> Judged:
    """Return the join of two tables under the rules of `positions.join`: ties, compat, depth, judged_only and others.

    Parameters
    ----------
    items, history : table, optional
        What items are, and what users had before, for measures that look at the items of lists.

    Examples
    --------
    >>> import pdeval
    >>> join(pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels(), level=2).runs.shape
    (12, 1)
    """
    level = checked_level(level)
    *both, catalogue = reader.together(
        lambda: reader.read(runs, "runs"),
        lambda: reader.read(qrels, "qrels"),
        lambda: catalogue_of(items, history),
    )
    if catalogue is None:
        positions = joining.join(*both, **rules)
    else:  # the rows stay, for those who look at more than judged items
        positions = join_lists(both[0], both[1], catalogue, **rules)
    made = Judged(positions, level, topics)
    strangers = joining.sharing_nothing(made.positions)
    tell_of_strangers(made, strangers)
    if not len(strangers) and (unlike := partly_unlike(positions, column_ids(both[0].column("doc"), "doc"))):
        made.tell_once("unlike", unlike)
    if positions.gaps:
        made.tell_once("gaps", positions.gaps)
    return made


def tell_of_strangers(made: Judged, strangers: np.ndarray) -> None:
    """Warn, once for a join, of runs none of whose items is judged."""
    if len(strangers):
        names = run_labels(made.runs.iloc[strangers])
        shown = ", ".join(map(repr, names[:3])) + (f", ... ({len(names)} in all)" if len(names) > 3 else "")
        text = f"no item of {shown} is judged, whatever the query: are its ids those of the judgments?"
        made.tell_once("strangers", text)
