"""Plots are verbs of the family `plot`: `df.ireval.plot()` is the first of a kind of table, `.plot.NAME()` any of them.

    @plot(on=("orders",), first=("orders",), needs=("rank",))
    def critical_difference(table: PlotTable, *, ax: Axes | None = None) -> Axes:
        rank = table.column("rank")

Users pass a DataFrame; the plot gets it as a `PlotTable`, read as one of the kinds of table that it draws.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
import pandas as pd

from pdeval.evaluate import groups_of, option_columns
from pdeval.plots import style
from pdeval.tables import (
    SCHEMAS,
    Schema,
    kind_of,
    listed,
    natural_places,
    plain,
    query_column,
    run_labels,
    runs_of,
)
from pdeval.verbs import (
    VERBS,
    Verb,
    checks_arguments,
    describes_parameters,
    several,
    short_repr,
    verb,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class PlotTable:
    """A frame that a plot reads, as one of the tables that it draws."""

    what: str  # the plot, as a call: "forest()"
    frame: pd.DataFrame
    kinds: tuple[str, ...]  # that the plot draws
    kind: str  # of this frame

    @property
    def schema(self) -> Schema:
        """The schema of the frame."""
        return SCHEMAS[self.kind]

    @property
    def query(self) -> str | None:
        """The query column, or None."""
        return query_column(self.frame, {}, needed=False)

    @property
    def run_columns(self) -> tuple[str, ...]:
        """The columns that name a run; of pairs, without `_a` and `_b`."""
        return runs_of(self.frame, self.schema)

    def need(self, *columns: str) -> PlotTable:
        """Return the same, or raise if a column is missing; `a|b` if one of them is enough."""
        for column in columns:
            if not set(column.split("|")) & set(self.frame.columns):
                raise self.missing(column.partition("|")[0])
        return self

    def missing(self, column: str) -> ValueError:
        """Return the error with the missing column, the columns of the frame, and the verb to call."""
        others = [
            SCHEMAS[kind].description
            for kind in self.kinds
            if kind in SCHEMAS and kind != self.kind
        ]
        expected = ", or a ".join([self.schema.article, *others])
        return ValueError(
            f"{self.what} needs {expected}; {column!r} is missing (found: {listed(self.frame.columns)})."
            f"{obtained(self.kinds)}"
        )

    def column(self, name: str) -> pd.Series:
        """Return a column, or raise if it is missing."""
        return self.need(name).frame[name]

    def numbers(self, name: str) -> np.ndarray:
        """Return a column as floats, or raise if it is missing."""
        return self.column(name).to_numpy(float)

    def holding(self, holds: str) -> str | None:
        """Return the first column of the schema with values of a type ('share', 'float', ...) in the frame, or None."""
        columns = (column.name for column in self.schema.columns if column.holds == holds)
        return next((name for name in columns if name in self.frame.columns), None)

    def names(self, column: str) -> pd.Categorical:
        """Return a column as strings; empty strings if the frame has no such column."""
        return names(self.frame, [column] if column in self.frame.columns else [])

    def measures(self, selected: Sequence[object] | None) -> tuple[pd.Categorical, list[str]]:
        """Return the measure of every row, and the measures to draw: those selected, or all."""
        measure = self.names("measure")
        return measure, chosen(selected, list(measure.categories))

    def runs(self) -> Any:
        """Return the run of every row as a string, in natural order; empty if no column names the run."""
        return by_name(names(self.frame, self.run_columns))

    def pairs(self) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Return (codes of run a, codes of run b, names of the runs), or raise if no columns name them."""
        if not self.run_columns:
            raise self.missing("run_a")
        # one set of categories for both sides
        sides = [
            names(self.frame, [f"{stem}_{side}" for stem in self.run_columns]) for side in "ab"
        ]
        both = by_name(pd.api.types.union_categoricals(sides))
        a, b = np.split(both.codes.astype(np.intp), 2)
        return a, b, list(both.categories)

    def rows(self, keep: Any) -> PlotTable:
        """Return the rows of a mask, or at positions, as a table of the same kind."""
        kept = self.frame[keep] if np.asarray(keep).dtype == bool else self.frame.iloc[keep]
        kept.attrs = dict(self.frame.attrs)
        return replace(self, frame=kept)

    def one(
        self, column: str, value: object, *, default: object = None, option: bool = True
    ) -> tuple[PlotTable, str]:
        """Return (the rows with one value of `column`, that value as a string); all rows and '' if it is missing.

        Parameters
        ----------
        value : object
            The value; required if there are several, unless `default` is one of them.
        option : bool
            Whether the plot has an option of that name, which errors then suggest.
        """
        if column not in self.frame.columns:
            if value is not None:
                raise ValueError(
                    f"{column}={value!r}: the frame has no column {column!r}. Omit {column}=."
                )
            return self, ""
        values = self.frame[column].astype(object)
        present = list(pd.unique(values))
        if value is None and len(present) > 1 and default not in present:
            choice = (
                f"{column}={present[0]!r}"
                if option
                else f"frame[frame[{column!r}] == {present[0]!r}]"
            )
            raise ValueError(
                f"{self.what} draws one {column}; the frame has {len(present)}: {listed(present, 6)}. "
                f"Choose one: {choice}."
            )
        if value is None:
            value = present[0] if len(present) == 1 else default
        if not pd.api.types.is_scalar(value):
            raise ValueError(
                f"{column}={short_repr(value)}: {self.what} draws one; the frame has {listed(present, 6)}."
            )
        kept = self.rows((values == value).to_numpy(bool))
        if kept.frame.empty:
            raise ValueError(f"no {column} {value!r} in the frame; it has {listed(present, 6)}.")
        return kept, str(value)

    def one_pair(
        self, pair: Sequence[object] | None, *, option: str = "pair", directed: bool = False
    ) -> tuple[PlotTable, np.ndarray, str, str]:
        """Return (rows of one pair of runs, +1 or -1 by their direction, name of a, name of b).

        Parameters
        ----------
        option : str
            Name of the option that selects the pair, for errors.
        directed : bool
            Whether to raise if rows compare the runs in the other direction.
        """
        a, b, runs = self.pairs()
        left, right = int(a[0]), int(b[0])
        if pair is not None:
            if len(pair) != 2 or isinstance(pair, str):
                raise ValueError(f"{option}={short_repr(pair)}: expected two runs.")
            left, right = (index_of(side, runs) for side in pair)
        forward = (a == left) & (b == right)
        rows = forward | ((a == right) & (b == left))
        if pair is None and not rows.all():
            other = int(np.flatnonzero(~rows)[0])
            raise ValueError(
                f"{self.what} draws one pair of runs; the frame has several, e.g. ({runs[left]}, {runs[right]}) "
                f"and ({runs[a[other]]}, {runs[b[other]]}). Choose one: {option}=({runs[left]!r}, {runs[right]!r})."
            )
        if not rows.any():
            raise ValueError(f"the frame does not compare {runs[left]!r} with {runs[right]!r}.")
        if directed and not forward[rows].all():
            raise ValueError(
                f"the frame has {runs[right]} minus {runs[left]}: pass {option}=({runs[right]!r}, {runs[left]!r})."
            )
        return self.rows(rows), np.where(forward[rows], 1.0, -1.0), runs[left], runs[right]

    def at_most(
        self,
        most: int,
        unit: str,
        names: Sequence[str] | None = None,
        advice: str = "Keep some of them, e.g. those of a baseline.",
    ) -> None:
        """Raise if there are more rows, or more of these names, than a plot can show."""
        count = len(self.frame if names is None else names)
        if count > most:
            raise ValueError(
                f"{self.what} draws at most {most} {unit}; the frame has {count:,}"
                f"{f': {listed(names, 6)}' if names else ''}. {advice}"
            )

    def unique(self, what: str, *keys: Any, advice: str = "") -> None:
        """Raise if two rows have the same keys."""
        if pd.DataFrame(dict(enumerate(map(np.asarray, keys)))).duplicated().any():
            raise ValueError(f"{self.what} needs one {what}; some repeat.{advice}")

    def wide(
        self, what: str, index: Any, columns: Any, values: Any, *, advice: str = ""
    ) -> pd.DataFrame:
        """Return values as a frame of index x columns; raise if two rows have the same cell."""
        self.unique(what, index, columns, advice=advice)
        cells = pd.DataFrame({"index": index, "columns": columns, "values": values})
        return cells.pivot(index="index", columns="columns", values="values")


def plot_table(frame: object, what: str, kinds: Iterable[str]) -> PlotTable:
    """Return a frame as one of the tables that a plot draws, or raise an error that names them.

    Parameters
    ----------
    what : str
        Name of the plot, or of its option that takes the frame.
    kinds : list of str
        Kinds of table that are accepted.

    Examples
    --------
    >>> plot_table([1], "precision_recall", ["curve"])
    Traceback (most recent call last):
    TypeError: precision_recall() draws a DataFrame; found list. Call .ireval.curve(qrels) first.
    """
    kinds = tuple(kinds)
    what = what if "(" in what else f"{what}()"
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} draws a DataFrame; found {type(frame).__name__}.{obtained(kinds)}")
    if frame.empty:
        raise ValueError(f"{what} needs a frame with rows; found an empty one.{obtained(kinds)}")
    declared = [kind for kind in kinds if kind in SCHEMAS]
    return PlotTable(what, frame, kinds, kind_of(frame, among=declared) or declared[0])


def obtained(kinds: Iterable[str]) -> str:
    """Return how to get a table of these kinds: the first verb that returns one, core verbs first.

    Examples
    --------
    >>> import pdeval
    >>> obtained(["curve"]), obtained(["summary"])
    (' Call .ireval.curve(qrels) first.', ' Call .ireval.summary() first.')
    """
    verbs = sorted(
        (one for of_kind in VERBS.values() for one in of_kind.values()),
        key=lambda one: not one.core,
    )
    first = next((one for kind in kinds for one in verbs if kind in one.returns), None)
    if first is None:
        return ""
    return f" Call .ireval.{first.name}({'qrels' if first.on == ('judged',) else ''}) first."


def names(frame: pd.DataFrame, columns: Sequence[str]) -> pd.Categorical:
    """Return one string per row from one or several id columns, in order of appearance (or of categories).

    Examples
    --------
    >>> names(pd.DataFrame({"model": ["lm", "bm25"], "seed": [1, 2]}), ["model", "seed"]).tolist()
    ['lm / 1', 'bm25 / 2']
    """
    if not columns:
        return pd.Categorical(np.full(len(frame), "", dtype=object))
    if len(columns) > 1:
        # numbered in order of appearance; -1 if an id is missing
        codes = frame.groupby(list(columns), sort=False, observed=True).ngroup().to_numpy()
        ids, first = np.unique(codes, return_index=True)
        labels = run_labels(frame[list(columns)].iloc[first[ids >= 0]])
        return pd.Categorical.from_codes(codes, categories=pd.Index(labels, dtype=object))
    column = frame[columns[0]]
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        codes, values = column.cat.codes.to_numpy(), column.cat.categories
    else:
        codes, values = pd.factorize(column)
    return pd.Categorical.from_codes(
        codes, categories=pd.Index([str(v) for v in values], dtype=object)
    )


def by_name(texts: pd.Categorical) -> pd.Categorical:
    """Return names with their categories in natural order: run2 before run10.

    Examples
    --------
    >>> by_name(pd.Categorical(["run1", "run10", "run2"])).categories.tolist()
    ['run1', 'run2', 'run10']
    """
    present = list(texts.categories)
    return texts.reorder_categories([present[i] for i in natural_places(present)])


def significant_pairs(
    comparisons: pd.DataFrame, plot: str, measure: str | None, runs: Iterable[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the indices of both runs of each comparison in `runs`, -1 if absent, and which are significant."""
    tests = plot_table(comparisons, f"{plot}(comparisons=...)", ["comparisons"]).need("significant")
    tests, _ = replace(tests, what=f"{plot}()").one(
        "measure", measure if "measure" in comparisons.columns else None
    )
    a, b, tested = tests.pairs()
    place = pd.Index(list(runs)).get_indexer(pd.Index(tested))
    return place[a], place[b], tests.frame["significant"].to_numpy(bool)


def index_of(run: object, runs: Sequence[str], *, what: str = "run") -> int:
    """Return the index of a run (or measure) in `runs`; several ids of a run may be a tuple or a joined string.

    Examples
    --------
    >>> index_of(("t5", 2), ["t5 / 1", "t5 / 2"])
    1
    """
    text = " / ".join(map(str, run)) if isinstance(run, tuple | list) else str(run)
    if text not in runs:
        raise ValueError(f"no {what} {text!r} in the frame; it has {listed(runs, 6)}.")
    return list(runs).index(text)


def chosen(measures: Sequence[object] | None, present: Sequence[str]) -> list[str]:
    """Return the selected measures, or all for None; raise if one is missing.

    Examples
    --------
    >>> chosen(None, ["AP", "RR"]), chosen(["RR"], ["AP", "RR"])
    (['AP', 'RR'], ['RR'])
    """
    if measures is None:
        return list(present)
    return [
        present[index_of(name, present, what="measure")] for name in several("measures", measures)
    ]


MAX_PANELS = 24
Options = ParamSpec("Options")
Result = TypeVar("Result")


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
        Kinds of table that have the plot, by the names of their schemas.
    first : list of str
        Kinds of table for which `.plot()` draws it.
    needs : list of str
        Columns that the table must have; `a|b` if one of them is enough.

    Examples
    --------
    >>> @plot(on=("example_points",), first=("example_points",))
    ... def dots(table: PlotTable, *, ax=None): ...
    >>> from pdeval.verbs import VERBS
    >>> list(VERBS.pop("example_points"))
    ['plot.dots', 'plot', 'plot.panels']
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
        verb(on=on, family="plot")(describes_parameters(draw))
        if first:
            verb(on=first, name="plot", family="plot", core=True)(draw)
            verb(on=first, family="plot")(panels)
        # the accessor checks arguments itself; the function of `pdeval.plots` does it here
        checked = checks_arguments(draw)

        @functools.wraps(draw)
        def draw_checked(frame: Any, *args: Any, **options: Any) -> Any:
            if isinstance(frame, pd.DataFrame):
                frame = plain(frame, kind_of(frame))
            return checked(frame, *args, **options)

        return cast("Callable[Concatenate[pd.DataFrame, Options], Result]", draw_checked)

    return declare


def panels(
    frame: pd.DataFrame,
    *,
    by: str | Sequence[str] | None = None,
    plot: str | None = None,
    columns: int = 3,
    options: Mapping[str, Any] | None = None,
) -> Figure:
    """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale.

    Parameters
    ----------
    by : str or list of str, optional
        Column(s) with one panel per value, at most 24; by default those by which the table was grouped.
    plot : str, optional
        Name of the plot in `.plot`; by default that of `.plot()`.
    columns : int, default 3
        Number of panels per row.
    options : mapping of str to any, optional
        Options of the plot, for every panel, e.g. {"measure": "AP"}.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; its `axes` are the panels. A legend that is the same in all panels is drawn once.

    Examples
    --------
    >>> import pdeval
    >>> orders = pdeval.datasets.sample_judged(queries="common").order("AP")
    >>> both = pd.concat([orders.assign(collection=name) for name in ("robust", "core")], ignore_index=True)
    >>> [ax.get_title() for ax in both.ireval.plot.panels(by="collection").axes]
    ['core', 'robust']
    """
    names = option_columns(by) if by is not None else list(frame.attrs.get("by", ()))
    if missing := [name for name in names if name not in frame.columns]:
        raise KeyError(f"by={missing[0]!r}: no such column; the frame has {listed(frame.columns)}.")
    if not names:
        raise ValueError(
            "cannot determine which column identifies the collections; specify it with by=."
        )
    draw = _plot_of(frame, plot)
    labels, parts = _parts(frame, names)
    if len(parts) > MAX_PANELS:
        raise ValueError(
            f"{len(parts):,} panels by {listed(names)} are too many to read; at most {MAX_PANELS} are drawn. "
            f"Keep some, e.g. df[df[{names[0]!r}].isin([...])], or draw one column of them at a time."
        )
    across = max(1, min(columns, len(parts)))
    down = -(-len(parts) // across)  # rounded up
    figure: Figure = style.pyplot().figure(figsize=(3.4 * across, 2.8 * down), layout="constrained")
    axes = [figure.add_subplot(down, across, place) for place, _ in enumerate(parts, start=1)]
    for ax, label, part in zip(axes, labels, parts):
        draw(part, **{**(options or {}), "ax": ax})
        title = ax.get_title()
        ax.set_title(f"{label}: {title}" if title else label, fontsize=1.1 * style.text_size(ax))
    _share_scales(axes)
    _label_once(axes, across)
    # the longest list of names sets the height
    ticks = max(len(ax.get_yticks()) if _has_names(ax.yaxis) else 0 for ax in axes)
    figure.set_size_inches(3.4 * across, max(2.8, 0.17 * ticks + 0.9) * down)
    return figure


def _plot_of(frame: pd.DataFrame, name: str | None) -> Any:
    """Return the function that draws one panel."""
    verbs: Mapping[str, Verb] = VERBS.get(str(kind_of(frame)), {})
    if name is None and "plot" in verbs:
        return verbs["plot"].function
    plots = sorted(
        key.partition(".")[2] for key in verbs if key.startswith("plot.") and key != "plot.panels"
    )
    if name not in plots:
        raise KeyError(f"plot={name!r} is not a plot of this table; it has {listed(plots)}.")
    return verbs[f"plot.{name}"].function


def _parts(frame: pd.DataFrame, names: list[str]) -> tuple[list[str], list[pd.DataFrame]]:
    """Return the title and the rows of each panel; categories in their order, other values in natural order."""
    groups = groups_of(names, frame[names], pd.DataFrame(index=[0]))
    rows = list(groups.labels.itertuples(index=False, name=None))
    order = natural_places(rows)
    parts = [frame[groups.queries == groups.query[at]].reset_index(drop=True) for at in order]
    for part in parts:
        part.attrs = {
            key: value for key, value in frame.attrs.items() if key not in ("by", "collections")
        }
    return [", ".join(map(str, rows[at])) for at in order], parts


def _has_names(axis: Any) -> bool:
    """Return whether an axis has names instead of a scale."""
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    return isinstance(axis.get_major_formatter(), FixedFormatter | FuncFormatter)


def _share_scales(axes: Sequence[Axes]) -> None:
    """Set one scale for all panels on each axis, unless it has names."""
    for side in "xy":
        if any(_has_names(getattr(ax, f"{side}axis")) for ax in axes):
            continue
        ends = [getattr(ax, f"get_{side}lim")() for ax in axes]
        low, high = min(map(min, ends)), max(map(max, ends))
        for ax, (first, last) in zip(axes, ends):
            # an inverted axis stays inverted
            getattr(ax, f"set_{side}lim")(*((low, high) if first <= last else (high, low)))


def _label_once(axes: Sequence[Axes], across: int) -> None:
    """Label the outer axes only, and draw one legend, if all panels have the same."""
    for side in "xy":
        if len({getattr(ax, f"get_{side}label")() for ax in axes}) > 1:
            continue
        for place, ax in enumerate(axes):
            outer = place % across == 0 if side == "y" else place + across >= len(axes)
            if not outer:
                getattr(ax, f"set_{side}label")("")
    legends = [ax.get_legend() for ax in axes]
    texts = {
        tuple(text.get_text() for text in legend.get_texts()) if legend else ()
        for legend in legends
    }
    if len(texts) == 1:
        for legend in filter(None, legends[1:]):
            legend.remove()
