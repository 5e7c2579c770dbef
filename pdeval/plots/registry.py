"""Plots are verbs of the family `plot`: `df.ireval.plot()` is the first of a kind of table, `.plot.NAME()` any of them.

    @plot(on=("orders",), first=("orders",))
    def critical_difference(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
        orders = drawn(frame, "critical_difference")
        rank = orders.column("rank")

What a plot cannot find in a frame it asks for in the words of the schemas that it draws.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import pandas as pd

from pdeval.plots.selection import by_name, names
from pdeval.tables.reader import plain, query_column
from pdeval.tables.recognition import kind_of, runs_of
from pdeval.tables.schemas import SCHEMAS, Schema
from pdeval.tables.vocabularies import listed
from pdeval.verbs import VERBS, verb
from pdeval.verbs.checks import checks_arguments
from pdeval.verbs.registry import Registry

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Plot:
    """One declared plot: what draws it, and the kinds of table that have it."""

    name: str
    function: Callable[..., Any]
    on: tuple[str, ...]
    first: tuple[str, ...]


PLOTS: Registry[Plot] = Registry("plot", replace="always")


def plot(*, on: Iterable[str], first: Iterable[str] = ()) -> Callable[[Function], Function]:
    """Declare a function as a plot of some kinds of table.

    Parameters
    ----------
    on : list of str
        The kinds that have it, by the names of their schemas.
    first : list of str
        Those of them that `.plot()` draws like this.

    Examples
    --------
    >>> @plot(on=("example",), first=("example",))
    ... def dots(frame: pd.DataFrame, *, ax=None): ...
    >>> "plot.dots" in VERBS.pop("example"), PLOTS.pop("dots").first
    (True, ('example',))
    """
    on, first = tuple(on), tuple(first)

    def declare(function: Function) -> Function:
        PLOTS.add(function.__name__, Plot(function.__name__, function, on, first))
        verb(on=on, family="plot")(function)
        if first:
            verb(on=first, name="plot", family="plot", core=True)(function)
        checked = checks_arguments(function)

        @functools.wraps(checked)
        def draw(frame: Any, *args: Any, **options: Any) -> Any:
            table = isinstance(frame, pd.DataFrame)
            return checked(plain(frame, kind_of(frame)) if table else frame, *args, **options)

        return cast("Function", draw)

    return declare


@dataclass(frozen=True, eq=False)
class Drawn:
    """A frame that a plot reads, as one of the tables that it draws."""

    what: str
    frame: pd.DataFrame
    kinds: tuple[str, ...]
    kind: str

    @property
    def schema(self) -> Schema:
        """What the frame is read as."""
        return SCHEMAS[self.kind]

    def keeping(self, frame: pd.DataFrame) -> Drawn:
        """Return other rows of the same table."""
        return Drawn(self.what, frame, self.kinds, self.kind)

    def need(self, *columns: str) -> Drawn:
        """Return the same, or raise where a column is missing; `a|b` where either will do."""
        for column in columns:
            if not set(column.split("|")) & set(self.frame.columns):
                raise self.lacks(column.partition("|")[0])
        return self

    def column(self, name: str) -> pd.Series:
        """Return a column that must be there."""
        return self.need(name).frame[name]

    def holding(self, holds: str) -> str | None:
        """Return the first column of the schema that holds such values ('share', 'float', ...) and is there."""
        found = (column.name for column in self.schema.columns if column.holds == holds)
        return next((name for name in found if name in self.frame.columns), None)

    def lacks(self, column: str) -> ValueError:
        """Return the error that says what is missing, what was found, and what to call."""
        others = [SCHEMAS[kind].says for kind in self.kinds if kind in SCHEMAS and kind != self.kind]
        wanted = ", or a ".join([self.schema.article, *others])
        found = listed(self.frame.columns)
        return ValueError(f"{self.what} needs {wanted}; {column!r} is missing (found: {found}).{obtained(self.kinds)}")

    @property
    def query(self) -> str | None:
        """The query column, or None."""
        return query_column(self.frame, {}, needed=False)

    @property
    def run_columns(self) -> tuple[str, ...]:
        """The columns that name a run; of pairs, without `_a` and `_b`."""
        return runs_of(self.frame, self.schema)

    def runs(self) -> Any:
        """Return the run of every row as one text, in natural order; an empty one where the only run has no name."""
        columns = self.run_columns
        return by_name(names(self.frame, columns)) if columns else pd.Categorical([""] * len(self.frame))


def drawn(frame: object, what: str, *, kinds: Iterable[str] | None = None) -> Drawn:
    """Return a frame as one of the tables that a plot draws, or an error that says what it draws.

    Parameters
    ----------
    what : str
        The plot, or the option of a plot that takes the frame.
    kinds : list of str, optional
        The tables that it may be; by default those of the plot.

    Examples
    --------
    >>> drawn([1], "precision_recall")
    Traceback (most recent call last):
    TypeError: precision_recall() draws a DataFrame; found list. Call .ireval.curve(qrels) first.
    """
    own = PLOTS[what].on if kinds is None else tuple(kinds)
    said = what if "(" in what else f"{what}()"
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{said} draws a DataFrame; found {type(frame).__name__}.{obtained(own)}")
    if frame.empty:
        raise ValueError(f"{said} was given a frame without rows.{obtained(own)}")
    declared = [kind for kind in own if kind in SCHEMAS]
    kind = kind_of(frame, among=declared)
    return Drawn(said, frame, own, kind or declared[0])


def obtained(kinds: Iterable[str]) -> str:
    """Return the advice how to get a table of these kinds: the verb, core verbs first, that gives one of them.

    Examples
    --------
    >>> import pdeval
    >>> obtained(["curve"]), obtained(["summary"])
    (' Call .ireval.curve(qrels) first.', ' Call .ireval.summary() first.')
    """
    verbs = sorted((one for of_kind in VERBS.values() for one in of_kind.values()), key=lambda one: not one.core)
    for kind in kinds:
        for one in verbs:
            if kind in one.gives:
                return f" Call .ireval.{one.name}({'qrels' if one.on == ('judged',) else ''}) first."
    return ""
