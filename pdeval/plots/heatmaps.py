"""Square tables as colours: preferences between runs, correlations between measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.plots import columns, layout, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GET = "Call .ireval.prefer(qrels) first."
COEFFICIENTS = {
    "tau_a": "Kendall's τ (a)",
    "tau_b": "Kendall's τ",
    "tau_ap": "τ AP",
    "tau_ap_b": "τ AP (b)",
    "rbo": "RBO",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
}
CORRELATIONS = ("value", "tau", "correlation", "agreement", "r", "rho")


def preference_heatmap(
    prefs: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    order: pd.DataFrame | Sequence[object] | None = None,
    comparisons: pd.DataFrame | None = None,
    run: columns.Names = None,
    annotate: bool | None = None,
    colorbar: bool = True,
) -> Axes:
    """Return axes with the mean preference of every run (row) over every other (column) as colours.

    Parameters
    ----------
    prefs : DataFrame
        Preferences (query, run_a, run_b, measure, value), whose mean over queries is drawn; or the same
        already averaged, without a query column; or a square frame, runs x runs.
    ax : Axes, optional
        Where to draw; new axes by default, larger for more runs.
    measure : str, optional
        The measure; needed where a frame has several.
    order : DataFrame or sequence of runs, optional
        The runs, best first: an orders table (run, rank) or a list. By default by mean preference.
    comparisons : DataFrame, optional
        Comparisons (run_a, run_b, measure, significant): significant pairs get a dot.
    run : str or sequence, optional
        The run column(s), without _a and _b, where they have other names.
    annotate : bool, optional
        Write the values into the cells; by default where they fit.
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
    columns.require(prefs, [], plot="preference_heatmap", get=GET)
    square, name = _preference_matrix(prefs, measure, run)
    square = _ordered(square, order, name or measure, run)
    runs = list(square.index)
    side = min(2.2 + 0.16 * len(runs), 11.0)
    ax = style.axes(ax, width=side + 0.9, height=side)
    largest = float(np.nanmax(np.abs(square.to_numpy()), initial=0.0)) or 1.0
    _colours(ax, square, style.diverging(), -largest, largest)
    title = name if comparisons is None else f"{name} (dot: significant)".strip()
    style.finish(ax, title=title)
    # rows carry name and place, columns the place alone: names twice would leave the cells no room
    layout.number_ticks(ax, len(runs))
    if colorbar:
        _scale(ax, "Mean preference for the row over the column", below=True)
    layout.name_list(ax, [f"{name}  {place}" for place, name in enumerate(runs, 1)], share=0.36)
    layout.number_ticks(ax, len(runs))
    _numbers(ax, square, annotate, "+.2f")
    if comparisons is not None:
        _mark(ax, square, comparisons, name or measure, run)
    return ax


def correlation_heatmap(
    correlations: pd.DataFrame,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    coefficient: str | None = None,
    order: Sequence[object] | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
    label: str | None = None,
) -> Axes:
    """Return axes with a correlation or agreement for every two measures as colours and numbers.

    Parameters
    ----------
    correlations : DataFrame
        measure_a, measure_b, value (one triangle is enough), or a square frame, measures x measures. Any
        other two columns X_a, X_b will do: levels, collections.
    ax : Axes, optional
        Where to draw; new axes by default.
    value : str, optional
        The column of values; by default value, tau, correlation, agreement, r or rho.
    coefficient : str, optional
        The coefficient; needed where a column `coefficient` has several.
    order : sequence, optional
        The measures in the order wanted.
    annotate : bool, optional
        Write the values into the cells; by default where they fit.
    colorbar : bool
        Draw the scale.
    label : str, optional
        The text beside the scale; by default the coefficient, or the name of the value column.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"measure_a": ["RPP", "RPP"], "measure_b": ["AP", "RR"], "value": [0.9, 0.5]})
    >>> ax = correlation_heatmap(table, order=["RPP", "AP", "RR"], ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['1.00', '0.90', '0.50', '0.90', '1.00', '0.50', '1.00']
    """
    plot, get = "correlation_heatmap", "Call .ireval.agree(...) or .ireval.correlate(...) first."
    columns.require(correlations, [], plot=plot, get=get)
    if _is_square(correlations):
        square, what = correlations.astype(float), value or ""
        square.index, square.columns = square.index.map(str), square.columns.map(str)
        square = square[list(square.index)]
    else:
        what = value or next((name for name in CORRELATIONS if name in correlations.columns), "value")
        correlations, kind = columns.one(correlations, "coefficient", coefficient, plot=plot)
        ids = _sides(correlations)
        columns.require(correlations, [f"{ids}_a", f"{ids}_b", what], plot=plot, get=get)
        square, what = _mirrored(correlations, ids, what), COEFFICIENTS.get(kind, kind) or what
    if order is not None:
        asked = columns.chosen(order, list(square.index))
        square = square.loc[asked, asked]
    names = list(square.index)
    side = min(2.2 + 0.3 * len(names), 9.0)
    ax = style.axes(ax, width=side + 0.9, height=side)
    signed = bool((square.to_numpy() < 0).any())
    colours = style.diverging() if signed else style.rising()
    _colours(ax, square, colours, -1.0 if signed else 0.0, 1.0)
    style.finish(ax)
    if colorbar:
        _scale(ax, label if label is not None else what)
    layout.name_ticks(ax, "x", names)
    layout.name_list(ax, names, what="")
    layout.name_ticks(ax, "x", names)
    _numbers(ax, square, annotate, ".2f")
    return ax


def _is_square(frame: pd.DataFrame) -> bool:
    """Say whether the rows and the columns of a frame carry the same names."""
    return len(frame) == len(frame.columns) and set(map(str, frame.index)) == set(map(str, frame.columns))


def _preference_matrix(prefs: pd.DataFrame, measure: str | None, run: columns.Names) -> tuple[pd.DataFrame, str]:
    """Return (mean preferences, runs x runs, the measure)."""
    if _is_square(prefs):
        square = prefs.astype(float)
        square.index, square.columns = square.index.map(str), square.columns.map(str)
        square = square[list(square.index)]
        return square.where(~np.eye(len(square), dtype=bool)), measure or ""  # a run is not compared with itself
    value = next((name for name in ("value", "difference", "mean") if name in prefs.columns), "value")
    columns.require(prefs, [value], plot="preference_heatmap", get=GET)
    prefs, name = columns.one(prefs, "measure", measure, plot="preference_heatmap")
    a, b, runs = columns.pairs(prefs, run, plot="preference_heatmap", get=GET)
    cell, preference = a * len(runs) + b, prefs[value].to_numpy(float)
    counted = ~np.isnan(preference)
    size = len(runs) ** 2
    total = np.bincount(cell[counted], weights=preference[counted], minlength=size).reshape(len(runs), -1)
    number = np.bincount(cell[counted], minlength=size).reshape(len(runs), -1)
    number = number + number.T
    mean = np.where(number > 0, (total - total.T) / np.maximum(number, 1), np.nan)
    np.fill_diagonal(mean, np.nan)
    return pd.DataFrame(mean, index=runs, columns=runs), name


def _ordered(
    square: pd.DataFrame, order: pd.DataFrame | Sequence[object] | None, measure: str | None, run: columns.Names
) -> pd.DataFrame:
    """Return the square frame with its best run first."""
    runs = list(square.index)
    if order is None:
        means = np.nan_to_num(square.to_numpy()).sum(axis=1) / np.maximum(square.notna().sum(axis=1).to_numpy(), 1)
        asked = [runs[i] for i in np.argsort(-means, kind="stable")]
    elif isinstance(order, pd.DataFrame):
        columns.require(order, ["rank"], plot="preference_heatmap", get="Make order= with .ireval.order().")
        if "measure" in order.columns and measure in set(order["measure"].astype(object)):
            order = order[order["measure"].astype(object) == measure]
        ids = columns.names(order, columns.run_columns(order, run, plot="preference_heatmap", get=GET))
        if ids.codes.max() + 1 < len(order):
            raise ValueError(
                "order= ranks some runs more than once: choose one measure and method, "
                "e.g. order[order['method'] == 'mc4']."
            )
        ranked = np.argsort(order["rank"].to_numpy(), kind="stable")
        asked = [runs[columns.index_of(ids[i], runs)] for i in ranked if str(ids[i]) in square.index]
    else:
        asked = [runs[columns.index_of(name, runs)] for name in order]
    return square.loc[asked, asked]


def _mirrored(frame: pd.DataFrame, ids: str, value: str) -> pd.DataFrame:
    """Return the symmetric square of a table of pairs; 1 on the diagonal where nothing is said."""
    both = pd.api.types.union_categoricals([columns.names(frame, [f"{ids}_{side}"]) for side in "ab"])
    names, codes = [str(c) for c in both.categories], both.codes.astype(np.intp)
    a, b = codes[: len(frame)], codes[len(frame) :]
    if len(np.unique(a * len(names) + b)) < len(frame):
        raise ValueError(
            f"correlation_heatmap() draws one value for each ({ids}_a, {ids}_b); some pairs repeat. "
            "Keep one kind of row, e.g. one coefficient or one query, or average first."
        )
    square = np.full((len(names), len(names)), np.nan)
    square[b, a] = frame[value].to_numpy(float)
    square[a, b] = frame[value].to_numpy(float)
    diagonal = np.diagonal(square)
    np.fill_diagonal(square, np.where(np.isnan(diagonal), 1.0, diagonal))
    return pd.DataFrame(square, index=names, columns=names)


def _sides(frame: pd.DataFrame) -> str:
    """Return X of the columns X_a, X_b that name what is correlated; 'measure' where there is none."""
    texts = [str(c) for c in frame.columns]
    found = [c[:-2] for c in texts if c.endswith("_a") and f"{c[:-2]}_b" in texts]
    return found[0] if found and "measure" not in found else "measure"


def _colours(ax: Axes, square: pd.DataFrame, colours: Any, low: float, high: float) -> None:
    """Draw the cells; those without a value stay grey."""
    values = np.ma.masked_invalid(square.to_numpy(float))
    ax.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="equal", interpolation="nearest")
    ax.set_facecolor("#EEEEEE")


def _numbers(ax: Axes, square: pd.DataFrame, annotate: bool | None, form: str) -> None:
    """Write the values into the cells where they fit or are wanted."""
    room = 72 * min(layout.inches(ax)) / max(len(square), 1)
    size = min(0.85 * layout.text_size(ax), room / (0.62 * len(format(0.5, form)) + 0.9))
    if annotate is None:
        annotate = size >= 5.0
    if not annotate:
        return
    values = square.to_numpy(float)
    ink = style.ink(ax.images[0].to_rgba(np.nan_to_num(values)))
    for row, column in np.argwhere(~np.isnan(values)):
        text = format(values[row, column], form).replace("-", "−")
        ax.text(column, row, text, ha="center", va="center_baseline", fontsize=size, color=ink[row, column])


def _mark(ax: Axes, square: pd.DataFrame, comparisons: pd.DataFrame, measure: str | None, run: columns.Names) -> None:
    """Put a dot on the pairs that differ significantly."""
    get = "Make comparisons= with .ireval.compare()."
    columns.require(comparisons, ["significant"], plot="preference_heatmap", get=get)
    comparisons, _ = columns.one(
        comparisons, "measure", measure if "measure" in comparisons.columns else None, plot="preference_heatmap"
    )
    a, b, runs = columns.pairs(comparisons, run, plot="preference_heatmap", get=get)
    place = pd.Index(square.index).get_indexer(pd.Index(runs))
    rows, cols = place[a], place[b]
    marked = comparisons["significant"].to_numpy(bool) & (rows >= 0) & (cols >= 0)
    x, y = np.concatenate([cols[marked], rows[marked]]), np.concatenate([rows[marked], cols[marked]])
    room = 72 * min(layout.inches(ax)) / max(len(square), 1)
    low = bool(ax.texts)  # numbers stand in the middle of the cell: the dot goes to its corner
    shift = 0.36 if low else 0.0
    shades = style.ink(ax.images[0].to_rgba(np.nan_to_num(square.to_numpy(float))))[y, x]
    ax.scatter(
        x + shift, y - shift, s=max(0.7, (0.12 if low else 0.24) * room) ** 2, c=shades, linewidths=0,
        label="significant",
    )  # fmt: skip


def _scale(ax: Axes, label: str, *, below: bool = False) -> None:
    """Draw the colour scale right of the axes or below them, exactly as long as their side."""
    size = layout.text_size(ax)
    layout.settle(ax)
    wide, high = layout.inches(ax)
    thick, away = 0.08, (0.04 if not below else 2.0 * size / 72)  # inches
    place = (0.0, -(away + thick) / high, 1.0, thick / high) if below else (1 + away / wide, 0.0, thick / wide, 1.0)
    bar = ax.figure.colorbar(ax.images[0], cax=ax.inset_axes(place), orientation="horizontal" if below else "vertical")
    if below:
        bar.set_label(label, fontsize=size)
    else:  # above the bar and to its left: beside it, the text would run into the next axes
        bar.ax.set_title(label, fontsize=size, loc="right", pad=3)
    bar.ax.tick_params(labelsize=0.9 * size, length=2)
    bar.outline.set_visible(False)  # type: ignore[operator]
