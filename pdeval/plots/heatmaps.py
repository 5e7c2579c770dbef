"""Heat maps: preferences between runs, correlations of measures, labels, queries, and contributions of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.catalog import known_of
from pdeval.plots import style
from pdeval.plots.registry import (
    PlotTable,
    by_name,
    chosen,
    index_of,
    obtained,
    plot,
    plot_table,
    significant_pairs,
)
from pdeval.report.orderings import METHODS
from pdeval.tables import assessor_column, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COEFFICIENTS = {
    "tau_a": "Kendall's τ (a)",
    "tau_b": "Kendall's τ",
    "tau_ap": "τ AP",
    "tau_ap_b": "τ AP (b)",
    "rbo": "RBO",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
}
VALUES = {"value": "Correlation", "agreement": "Equal signs", "r": "r about zero"}
REFERENCES = {"reference": "Label of the reference", "true label": "True label"}


def draw_cells(ax: Axes, values: np.ndarray, *, colors: Any, **options: Any) -> None:
    """Draw the cells of an array; cells without a value are gray."""
    options = {"aspect": "equal", "interpolation": "nearest", **options}
    ax.imshow(np.ma.masked_invalid(values), cmap=colors, **options)
    ax.set_facecolor("#EEEEEE")


def square_axes(ax: Axes | None, cells: int, cell: float, most: float = 9.0) -> Axes:
    """Return axes for a square of cells of `cell` inches each, with a color scale."""
    side = min(2.2 + cell * cells, most)
    return style.axes(ax, width=side + 0.9, height=side)


def write_numbers(ax: Axes, square: pd.DataFrame, annotate: bool | None, form: str) -> None:
    """Write the values into the cells; by default if they fit."""
    points = 72 * min(style.inches(ax)) / max(len(square), 1)  # of a cell
    size = min(0.85 * style.text_size(ax), points / (0.62 * len(format(0.5, form)) + 0.9))
    if annotate is False or (annotate is None and size < 5.0):
        return
    values = square.to_numpy(float)
    ink = style.ink(ax.images[0].to_rgba(np.nan_to_num(values)))
    for row, column in np.argwhere(~np.isnan(values)):
        ax.text(
            column,
            row,
            format(values[row, column], form).replace("-", "−"),
            ha="center",
            va="center_baseline",
            fontsize=size,
            color=ink[row, column],
        )


def draw_scale(ax: Axes, label: str, *, below: bool = False) -> Axes:
    """Draw the color scale right of the axes or below them, exactly as long as their side, and return its axes."""
    size = style.text_size(ax)
    style.settle(ax)
    wide, high = style.inches(ax)
    thick = 0.08  # inches, as the distance from the axes
    place = (
        (0.0, -(2.0 * size / 72 + thick) / high, 1.0, thick / high)
        if below
        else (1 + 0.04 / wide, 0.0, thick / wide, 1.0)
    )
    bar = ax.figure.colorbar(
        ax.images[0], cax=ax.inset_axes(place), orientation="horizontal" if below else "vertical"
    )
    if below:
        bar.set_label(style.wrapped(label, 1.1 * wide, size), fontsize=size)
        bar.ax.xaxis.label.set_label(label)
    else:  # above the bar and to its left: to its right, the text would run into the next axes
        bar.ax.set_title(label, fontsize=size, loc="right", pad=3)
    bar.ax.tick_params(labelsize=0.9 * size, length=2)
    bar.outline.set_visible(False)
    return bar.ax


@plot(on=("preferences", "means", "matrix"), first=("preferences", "means"))
def preference_heatmap(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    order: pd.DataFrame | Sequence[object] | None = None,
    comparisons: pd.DataFrame | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
) -> Axes:
    """Return axes with the mean preference of every run (row) over every other (column) as colors.

    Parameters
    ----------
    frame : DataFrame
        Preferences (query, run_a, run_b, measure, value), whose mean over queries is drawn; or mean preferences
        (run_a, run_b, measure, mean); or a square matrix, runs x runs.
    measure : str, optional
        The measure; required if the frame has several.
    order : DataFrame or sequence of runs, optional
        The runs, best first: an orders table (run, rank) or a list. By default by mean preference.
    comparisons : DataFrame, optional
        Comparisons (run_a, run_b, measure, significant): significant pairs get a dot.
    annotate : bool, optional
        Write the values into the cells; by default if they fit.
    colorbar : bool
        Draw the scale.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> prefs = pd.DataFrame({"query_id": ["1", "2"], "run_a": "lm", "run_b": "bm25", "measure": "RPP",
    ...                       "value": [-0.2, 0.6]})
    >>> ax = preference_heatmap(prefs, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.images[0].get_array().round(2).tolist()
    (['lm  1', 'bm25  2'], [[None, 0.2], [-0.2, None]])
    """
    square, name = _preference_matrix(table, measure)
    runs = _best_first(square, order, name or measure)
    square = square.loc[runs, runs]
    ax = square_axes(ax, len(runs), 0.16, most=11.0)
    largest = float(np.nanmax(np.abs(square.to_numpy()), initial=0.0)) or 1.0
    draw_cells(
        ax,
        square.to_numpy(),
        colors=style.color_map(signed=True),
        vmin=-largest,
        vmax=largest,
    )
    style.finish(ax, title=name if comparisons is None else f"{name} (dot: significant)".strip())
    # rows have name and rank, columns the rank alone: names twice would leave little space for the cells
    style.number_ticks(ax, len(runs))
    scale = (
        draw_scale(ax, "Mean preference for the row over the column", below=True)
        if colorbar
        else None
    )
    style.name_list(ax, [f"{run}  {rank}" for rank, run in enumerate(runs, 1)], share=0.36)
    if scale is not None:
        style.fit_label(ax, scale.xaxis.label, share=1.1)
    style.number_ticks(ax, len(runs))
    write_numbers(ax, square, annotate, "+.2f")
    if comparisons is not None:
        _mark_significant(ax, square, comparisons, name or measure)
    return ax


def _preference_matrix(table: PlotTable, measure: str | None) -> tuple[pd.DataFrame, str]:
    """Return (mean preferences, runs x runs, the measure)."""
    if is_square(table.frame):
        square = labeled(table.frame)
        return square.where(
            ~np.eye(len(square), dtype=bool)
        ), measure or ""  # a run is not compared with itself
    value = "mean" if "mean" in table.frame.columns else "value"
    rows, name = table.need(value).one("measure", measure)
    a, b, runs = rows.pairs()
    preference = rows.numbers(value)
    known = ~np.isnan(preference)
    shape = (len(runs), len(runs))
    total, number = np.zeros(shape), np.zeros(shape)
    np.add.at(total, (a[known], b[known]), preference[known])
    np.add.at(number, (a[known], b[known]), 1)
    # a pair may be in the frame in either direction, or in both
    number = number + number.T
    mean = np.where(number > 0, (total - total.T) / np.maximum(number, 1), np.nan)
    np.fill_diagonal(mean, np.nan)
    return pd.DataFrame(mean, index=runs, columns=runs), name


def _best_first(
    square: pd.DataFrame, order: pd.DataFrame | Sequence[object] | None, measure: str | None
) -> list[str]:
    """Return the runs of a square of preferences, the best first."""
    runs = list(square.index)
    if order is None:
        means = np.ma.masked_invalid(square).mean(axis=1).filled(0.0)
        return [runs[i] for i in np.argsort(-means, kind="stable")]
    if not isinstance(order, pd.DataFrame):
        return [runs[index_of(name, runs)] for name in order]
    if "measure" in order.columns and measure in set(order["measure"].astype(object)):
        order = order[order["measure"].astype(object) == measure]
    orders = plot_table(order, "preference_heatmap(order=...)", ["orders"]).need("rank")
    ids = orders.runs()
    advice = " Choose one measure and method, e.g. order[order['method'] == 'mc4']."
    orders.unique("rank per run", ids, advice=advice)
    ranked = [str(ids[i]) for i in np.argsort(order["rank"].to_numpy(), kind="stable")]
    return [run for run in ranked if run in square.index]


def _mark_significant(
    ax: Axes, square: pd.DataFrame, comparisons: pd.DataFrame, measure: str | None
) -> None:
    """Put a dot on the pairs that differ significantly."""
    a, b, significant = significant_pairs(comparisons, "preference_heatmap", measure, square.index)
    known = (a >= 0) & (b >= 0) & significant
    x = np.concatenate([b[known], a[known]])
    y = np.concatenate([a[known], b[known]])
    points = 72 * min(style.inches(ax)) / max(len(square), 1)  # of a cell
    has_numbers = bool(ax.texts)  # in the middle of the cell: the dot goes to its corner
    shift = 0.36 if has_numbers else 0.0
    ax.scatter(
        x + shift,
        y - shift,
        s=max(0.7, (0.12 if has_numbers else 0.24) * points) ** 2,
        c=style.ink(ax.images[0].to_rgba(np.nan_to_num(square.to_numpy(float))))[y, x],
        linewidths=0,
        label="significant",
    )


@plot(
    on=("correlations", "sign_agreement", "locality", "matrix"),
    first=("correlations", "sign_agreement", "locality"),
)
def correlation_heatmap(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    coefficient: str | None = None,
    order: Sequence[object] | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
    label: str | None = None,
) -> Axes:
    """Return axes with a correlation or agreement for every two measures as colors and numbers.

    Parameters
    ----------
    frame : DataFrame
        Correlations or agreement of measures (measure_a, measure_b, value; one triangle is enough), correlations of
        recall levels (recall_a, recall_b, r), or a square matrix.
    value : str, optional
        The column of values; by default value, agreement or r.
    coefficient : str, optional
        The coefficient; required if the column `coefficient` has several values.
    order : sequence, optional
        The measures to draw, in this order.
    annotate : bool, optional
        Write the values into the cells; by default if they fit.
    colorbar : bool
        Draw the scale.
    label : str, optional
        Label of the scale; by default the coefficient, or the name of the value column.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"measure_a": ["RPP", "RPP"], "measure_b": ["AP", "RR"], "value": [0.9, 0.5]})
    >>> ax = correlation_heatmap(table, order=["RPP", "AP", "RR"], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '0.90', '0.50', '0.90', '1.00', '0.50', '1.00']
    """
    square, what = _correlation_matrix(table, value, coefficient)
    if order is not None:
        selected = chosen(order, list(square.index))
        square = square.loc[selected, selected]
    names = list(square.index)
    ax = square_axes(ax, len(names), 0.3)
    signed = bool((square.to_numpy() < 0).any())
    draw_cells(
        ax,
        square.to_numpy(),
        colors=style.color_map(signed=signed),
        vmin=-1.0 if signed else 0.0,
        vmax=1.0,
    )
    style.finish(ax)
    if colorbar:
        draw_scale(
            ax, label if label is not None else style.plain(what)
        )  # a label may have a formula
    # the names of the rows change the width of the axes: fit those of the columns again
    style.name_ticks(ax, "x", names)
    style.name_list(ax, names, what="")
    style.name_ticks(ax, "x", names)
    write_numbers(ax, square, annotate, ".2f")
    return ax


def _correlation_matrix(
    table: PlotTable, value: str | None, coefficient: str | None
) -> tuple[pd.DataFrame, str]:
    """Return the symmetric square of a table of pairs, with 1 on an empty diagonal, and the label of its values."""
    if is_square(table.frame):
        return labeled(table.frame), value or ""
    columns = [str(name) for name in table.frame.columns]
    value = value or next((name for name in VALUES if name in columns), "value")
    rows, kind = table.one("coefficient", coefficient)
    stems = [name[:-2] for name in columns if name.endswith("_a") and f"{name[:-2]}_b" in columns]
    ids = stems[0] if stems and "measure" not in stems else "measure"
    table.need(f"{ids}_a", f"{ids}_b", value)
    keys = [ids, "method"] if ids == "measure" and "method" in stems else [ids]
    sides = [
        rows.frame[[f"{name}_{side}" for name in keys]].set_axis(keys, axis=1) for side in "ab"
    ]
    codes, distinct = pd.factorize(pd.MultiIndex.from_frame(pd.concat(sides).astype(object)))
    labels = (
        axis_texts(distinct.set_names(keys))
        if len(keys) > 1
        else [str(label[0]) for label in distinct]
    )
    a, b = np.split(codes, 2)
    rows.unique(
        f"value for each ({ids}_a, {ids}_b)",
        np.minimum(a, b),
        np.maximum(a, b),
        advice=" Keep one row per pair, e.g. one coefficient or one query, or average first.",
    )
    square = np.full((len(labels), len(labels)), np.nan)
    square[b, a] = square[a, b] = rows.numbers(value)
    # a measure agrees with itself
    diagonal = np.diagonal(square)
    np.fill_diagonal(square, np.where(np.isnan(diagonal), 1.0, diagonal))
    return (
        pd.DataFrame(square, index=labels, columns=labels),
        COEFFICIENTS.get(kind, kind) or VALUES.get(value, value),
    )


@plot(on=("matrix",), first=("matrix",))
def matrix_heatmap(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    order: Sequence[object] | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
) -> Axes:
    """Return axes with a square matrix as colors: preferences, or correlations if it is symmetric.

    Parameters
    ----------
    frame : DataFrame
        The same labels as index and columns.
    order : sequence, optional
        The labels to draw, in this order; by default preferences are sorted best first, correlations are not sorted.
    annotate : bool, optional
        Write the values into the cells; by default if they fit.
    colorbar : bool
        Draw the scale.

    Examples
    --------
    >>> import pdeval
    >>> from matplotlib.figure import Figure
    >>> matrix = pdeval.datasets.sample_judged(queries="common").matrix("RPP")
    >>> ax = matrix.ireval.plot(ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['rerank-s1  1', 'rerank-s2  2']
    """
    frame = table.frame
    if not is_square(frame):
        raise ValueError(
            f"matrix_heatmap() needs a square matrix, the same labels as index and columns (found: "
            f"{listed(frame.columns)}).{obtained(table.kinds)}"
        )
    values = frame.to_numpy(float)
    draw: Any = (
        correlation_heatmap if np.allclose(values, values.T, equal_nan=True) else preference_heatmap
    )
    return draw(
        frame,
        ax=ax,
        order=order,
        annotate=annotate,
        colorbar=colorbar,
    )


def is_square(frame: pd.DataFrame) -> bool:
    """Return whether the rows and the columns of a frame have the same names."""
    return len(frame) == len(frame.columns) and set(map(text_of, frame.index)) == set(
        map(text_of, frame.columns)
    )


def text_of(label: object) -> str:
    """Return a label as text; several ids of a run are joined by a slash."""
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def labeled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a square frame with texts as labels, in the same order on both sides."""
    texts = dict(zip(frame.index, axis_texts(frame.index)))
    square = frame.astype(float).set_axis([texts[label] for label in frame.index])
    square.columns = pd.Index([texts.get(label, text_of(label)) for label in frame.columns])
    return square[list(square.index)]


def axis_texts(labels: pd.Index) -> list[str]:
    """Return the labels of a square as strings; of (measure, method), the parts that distinguish them.

    Examples
    --------
    >>> both = pd.MultiIndex.from_tuples([("RPP", "winrate"), ("RPP", "mc4"), ("AP", "mean")],
    ...                                  names=["measure", "method"])
    >>> axis_texts(both), axis_texts(both[1:]), axis_texts(both[:2])
    (['RPP, mean preference', 'RPP, MC4', 'AP, mean'], ['RPP', 'AP'], ['mean preference', 'MC4'])
    """
    if list(labels.names) != ["measure", "method"]:
        return [text_of(label) for label in labels]
    measures = [str(label[0]) for label in labels]
    methods = [METHODS.get(str(label[1]), str(label[1])) for label in labels]
    if len(set(measures)) == len(measures):
        return measures
    both = [f"{measure}, {method}" for measure, method in zip(measures, methods)]
    return methods if len(set(measures)) == 1 else both


@plot(on=("confusions",), first=("confusions",), needs=("reference", "label", "n", "fraction"))
def confusion_heatmap(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    assessor: str | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
) -> Axes:
    """Return axes with the fraction of each label (column) among the items of each label of the reference (row).

    Parameters
    ----------
    frame : DataFrame
        Confusions: assessor, reference, label, n, fraction.
    assessor : str, optional
        The assessor; required if the frame has several.
    annotate : bool, optional
        Write the fractions into the cells; by default if they fit.
    colorbar : bool
        Draw the scale.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"assessor": "llm", "reference": [0, 0, 1, 1], "label": [0, 1, 0, 1], "n": [3, 1, 0, 2],
    ...                       "fraction": [0.75, 0.25, 0.0, 1.0]})
    >>> ax = confusion_heatmap(table, ax=Figure().subplots())
    >>> ax.get_xlabel(), [text.get_text() for text in ax.texts]
    ('Label by llm', ['0.75', '0.25', '0.00', '1.00'])
    """
    rows, name = table.one(assessor_column(table.frame), assessor)
    frame = rows.frame
    table.unique("share per label of the reference and label", frame["reference"], frame["label"])
    values = list(dict.fromkeys(frame["reference"]))
    wide = frame.set_index(["reference", "label"])
    square = wide["fraction"].unstack().reindex(index=values, columns=values).astype(float)
    items = wide["n"].unstack().reindex(index=values).sum(axis=1)
    ax = square_axes(ax, len(values), 0.4)
    draw_cells(
        ax,
        square.to_numpy(),
        colors=style.color_map(signed=False),
        vmin=0.0,
        vmax=1.0,
    )
    reference = str(table.frame.attrs.get("reference", "reference"))
    style.finish(
        ax, x=f"Label by {name}", y=f"{REFERENCES.get(reference, f'Label by {reference}')} (items)"
    )
    if colorbar:
        draw_scale(ax, "Fraction of the row")
    style.name_ticks(ax, "x", [str(value) for value in values])
    style.name_ticks(ax, "y", [f"{value} ({count:,.0f})" for value, count in items.items()])
    write_numbers(ax, square, annotate, ".2f")
    return ax


@plot(on=("scores",), needs=("value",))
def query_heatmap(
    table: PlotTable, *, ax: Axes | None = None, measure: str | None = None, colorbar: bool = True
) -> Axes:
    """Return axes with the value of every run (row) on every query (column); best run and hardest query first.

    Parameters
    ----------
    frame : DataFrame
        Scores: run, query, measure, value.
    measure : str, optional
        The measure; required if the frame has several.
    colorbar : bool
        Draw the scale.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> scores = pd.DataFrame({"run": ["lm", "lm", "bm25", "bm25"], "query_id": ["1", "2"] * 2, "measure": "AP",
    ...                        "value": [0.5, 0.1, 0.25, 0.0]})
    >>> ax = query_heatmap(scores, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.images[0].get_array().tolist()
    (['lm', 'bm25'], [[0.1, 0.5], [0.0, 0.25]])
    """
    rows, name = table.one("measure", measure)
    if table.query is None:
        raise table.missing("query_id")
    runs, queries = rows.runs(), by_name(rows.names(table.query))
    table.unique("value per run and query", runs.codes, queries.codes)
    values = np.full((len(runs.categories), len(queries.categories)), np.nan)
    values[runs.codes, queries.codes] = rows.numbers("value")
    known = known_of(name, table.frame.attrs) if name else None
    better = np.ma.masked_invalid(-values if known and not known["higher"] else values)
    # the best run on top, the hardest query at the left; without any value, as if it were the worst
    down = np.argsort(-better.mean(axis=1).filled(-np.inf), kind="stable")
    across = np.argsort(better.mean(axis=0).filled(-np.inf), kind="stable")
    ax = style.axes(ax, width=6.4, height=style.list_height(len(down)))
    draw_cells(
        ax, values[np.ix_(down, across)], colors=style.color_map(signed=False), aspect="auto"
    )
    count = len(across)
    style.finish(
        ax, x=f"{count} {'query' if count == 1 else 'queries'}, the hardest at the left", title=name
    )
    ax.set_xticks([])
    if colorbar:
        draw_scale(ax, style.plain(name) or "Value")
        ax.set_title("")
    style.name_list(ax, [str(runs.categories[i]) for i in down])
    if count <= 30:
        style.name_ticks(ax, "x", [str(queries.categories[i]) for i in across])
    return ax


@plot(
    on=("contribution_surface",),
    first=("contribution_surface",),
    needs=("rank_a", "rank_b", "value"),
)
def contribution_surface(
    table: PlotTable, *, ax: Axes | None = None, measure: str | None = None, scale: bool = True
) -> Axes:
    """Return axes with the contribution of one relevant item to a difference, by its ranks in two rankings.

    Diaz and Ferraro (2022), Figure 2, left. The lines are drawn where the contribution is a quarter, a half and three
    quarters of the largest.

    Parameters
    ----------
    frame : DataFrame
        A surface: measure, rank_a, rank_b, value.
    measure : str, optional
        The measure; required if the frame has several.
    scale : bool
        Draw the color scale.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> signs = {"measure": "RPP", "rank_a": [1, 1, 2, 2], "rank_b": [1, 2, 1, 2], "value": [0, 1, -1, 0]}
    >>> contribution_surface(pd.DataFrame(signs), ax=Figure().subplots()).images[0].get_array().tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    rows, name = table.one("measure", measure)
    rank_a, rank_b = (rows.frame[f"rank_{side}"].to_numpy() for side in "ab")
    square = rows.wide("value for each pair of ranks", rank_a, rank_b, rows.numbers("value"))
    values = square.to_numpy()
    across, down = square.columns.to_numpy(int), square.index.to_numpy(int)
    top = float(np.nanmax(np.abs(values))) or 1.0
    ax = style.axes(ax, width=4.2, height=3.4)
    ax.imshow(
        values,
        extent=(across[0] - 0.5, across[-1] + 0.5, down[-1] + 0.5, down[0] - 0.5),
        aspect="equal",
        cmap=style.color_map(signed=True),
        vmin=-top,
        vmax=top,
        interpolation="nearest",
    )
    if len(np.unique(values)) > 3 and min(values.shape) > 1:  # a sign has no slope
        ax.contour(
            across,
            down,
            values,
            levels=top * np.array([-0.75, -0.5, -0.25, 0.25, 0.5, 0.75]),
            colors="black",
            linewidths=0.5,
        )
    style.finish(
        ax,
        x="Rank in run b",
        y="Rank in run a",
        title=f"Contribution of one relevant item to a difference in {name}",
    )
    ax.spines[["top", "right"]].set_visible(True)
    for axis, ticks in ((ax.xaxis, across), (ax.yaxis, down)):
        # of many ranks the first and every fifth, unless that is too near to the first
        fifths = ticks[(ticks % 5 == 0) & (ticks - ticks[0] > 2)]
        axis.set_ticks(ticks if len(ticks) <= 10 else [ticks[0], *fifths])
    if scale:
        draw_scale(ax, "a better")
    return ax
