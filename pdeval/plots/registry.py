"""Plots are verbs of the family `plot`: `df.ireval.plot()` is the first of a kind of table, `.plot.NAME()` any of them.

    @plot(on=("orders",), first=("orders",), needs=("rank",))
    def critical_difference(table: PlotTable, *, ax: Axes | None = None) -> Axes:
        rank = table.column("rank")

Users pass a DataFrame; the plot gets it as a `PlotTable`, read as one of the kinds of table that it draws.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import pandas as pd

from pdeval.plots.selection import PlotTable, plot_table
from pdeval.tables.reader import plain
from pdeval.tables.recognition import kind_of
from pdeval.verbs import verb
from pdeval.verbs.checks import checks_arguments
from pdeval.verbs.registry import Registry

Options = ParamSpec("Options")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Plot:
    """One declared plot: what draws it, and the kinds of table that have it."""

    name: str
    function: Callable[..., Any]
    on: tuple[str, ...]
    first: tuple[str, ...]


PLOTS: Registry[Plot] = Registry("plot", replace="always")


def plot(
    *, on: Iterable[str], first: Iterable[str] = (), needs: Iterable[str] = ()
) -> Callable[
    [Callable[Concatenate[PlotTable, Options], Result]],
    Callable[Concatenate[pd.DataFrame, Options], Result],
]:
    """Declare a function as a plot of some kinds of table.

    Parameters
    ----------
    on : list of str
        The kinds that have it, by the names of their schemas.
    first : list of str
        Those of them that `.plot()` draws like this.
    needs : list of str
        Columns that the table must have; `a|b` if either will do.

    Examples
    --------
    >>> @plot(on=("example",), first=("example",))
    ... def dots(table: PlotTable, *, ax=None): ...
    >>> from pdeval.verbs import VERBS
    >>> "plot.dots" in VERBS.pop("example"), PLOTS.pop("dots").first
    (True, ('example',))
    """
    on, first = tuple(on), tuple(first)

    def declare(
        function: Callable[Concatenate[PlotTable, Options], Result],
    ) -> Callable[Concatenate[pd.DataFrame, Options], Result]:
        name = function.__name__

        @functools.wraps(function)
        def draw(frame: pd.DataFrame, *args: Options.args, **options: Options.kwargs) -> Result:
            return function(plot_table(frame, name, on).need(*needs), *args, **options)

        # users see a DataFrame as the first parameter
        signature = inspect.signature(function)
        _, *others = signature.parameters.values()
        frame_parameter = inspect.Parameter(
            "frame", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="pd.DataFrame"
        )
        draw.__signature__ = signature.replace(parameters=[frame_parameter, *others])  # type: ignore[attr-defined]
        PLOTS.add(name, Plot(name, draw, on, first))
        verb(on=on, family="plot")(draw)
        if first:
            verb(on=first, name="plot", family="plot", core=True)(draw)
        # the accessor checks arguments itself; the function of `pdeval.plots` does it here
        checked = checks_arguments(draw)

        @functools.wraps(draw)
        def draw_checked(frame: Any, *args: Any, **options: Any) -> Any:
            table = isinstance(frame, pd.DataFrame)
            return checked(plain(frame, kind_of(frame)) if table else frame, *args, **options)

        return cast("Callable[Concatenate[pd.DataFrame, Options], Result]", draw_checked)

    return declare
