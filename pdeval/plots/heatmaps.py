"""Square tables as colours: preferences between runs, correlations between measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.catalog.directions import known_of
from pdeval.plots import style, text_layout
from pdeval.plots.registry import Drawn, drawn, obtained, plot
from pdeval.plots.selection import by_name, chosen, index_of, names, one, pairs
from pdeval.report.orderings import METHODS
from pdeval.tables.reader import assessor_column
from pdeval.tables.vocabularies import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def is_square(frame: pd.DataFrame) -> bool:
    """Say whether the rows and the columns of a frame carry the same names."""
    return len(frame) == len(frame.columns) and set(map(text_of, frame.index)) == set(map(text_of, frame.columns))


def text_of(label: object) -> str:
    """Return a label as text; several ids of a run are joined by a slash."""
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a square frame with texts as labels, in the same order on both sides."""
    words = dict(zip(frame.index, axis_texts(frame.index)))
    square = frame.astype(float).set_axis([words[label] for label in frame.index])
    square.columns = pd.Index([words.get(label, text_of(label)) for label in frame.columns])
    return square[list(square.index)]


def axis_texts(labels: pd.Index) -> list[str]:
    """Return the labels of a square as texts; of (measure, method), what is needed to tell them apart.

    Examples
    --------
    >>> both = pd.MultiIndex.from_tuples([("RPP", "winrate"), ("RPP", "mc4"), ("AP", "mean")],
    ...                                  names=["measure", "method"])
    >>> axis_texts(both), axis_texts(both[1:]), axis_texts(both[:2])
    (['RPP, win rate', 'RPP, MC4', 'AP, mean'], ['RPP', 'AP'], ['win rate', 'MC4'])
    """
    if list(labels.names) != ["measure", "method"]:
        return [text_of(label) for label in labels]
    measures = [str(label[0]) for label in labels]
    methods = [METHODS.get(str(label[1]), str(label[1])) for label in labels]
    if len(set(measures)) == len(measures):
        return measures
    if len(set(measures)) == 1:
        return methods
    return [f"{measure}, {method}" for measure, method in zip(measures, methods)]


def fill_cells(ax: Axes, square: pd.DataFrame, colours: Any, low: float, high: float) -> None:
    """Draw the cells; those without a value stay grey."""
    values = np.ma.masked_invalid(square.to_numpy(float))
    ax.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="equal", interpolation="nearest")
    ax.set_facecolor("#EEEEEE")


def write_numbers(ax: Axes, square: pd.DataFrame, annotate: bool | None, form: str) -> None:
    """Write the values into the cells where they fit or are wanted."""
    room = 72 * min(text_layout.inches(ax)) / max(len(square), 1)
    size = min(0.85 * text_layout.text_size(ax), room / (0.62 * len(format(0.5, form)) + 0.9))
    if annotate is None:
        annotate = size >= 5.0
    if not annotate:
        return
    values = square.to_numpy(float)
    ink = style.ink(ax.images[0].to_rgba(np.nan_to_num(values)))
    for row, column in np.argwhere(~np.isnan(values)):
        text = format(values[row, column], form).replace("-", "−")
        ax.text(column, row, text, ha="center", va="center_baseline", fontsize=size, color=ink[row, column])


def draw_scale(ax: Axes, label: str, *, below: bool = False) -> Axes:
    """Draw the colour scale right of the axes or below them, exactly as long as their side, and return its axes."""
    size = text_layout.text_size(ax)
    text_layout.settle(ax)
    wide, high = text_layout.inches(ax)
    thick, away = 0.08, (0.04 if not below else 2.0 * size / 72)  # inches
    place = (0.0, -(away + thick) / high, 1.0, thick / high) if below else (1 + away / wide, 0.0, thick / wide, 1.0)
    bar = ax.figure.colorbar(ax.images[0], cax=ax.inset_axes(place), orientation="horizontal" if below else "vertical")
    if below:
        bar.set_label(text_layout.wrapped(label, 1.1 * wide, size), fontsize=size)
        bar.ax.xaxis.label.set_label(label)
    else:  # above the bar and to its left: beside it, the text would run into the next axes
        bar.ax.set_title(label, fontsize=size, loc="right", pad=3)
    bar.ax.tick_params(labelsize=0.9 * size, length=2)
    bar.outline.set_visible(False)
    return bar.ax


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


@plot(on=("preferences", "means", "matrix"), first=("preferences", "means"))
def preference_heatmap(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    order: pd.DataFrame | Sequence[object] | None = None,
    comparisons: pd.DataFrame | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
) -> Axes:
    """Return axes with the mean preference of every run (row) over every other (column) as colours.

    Parameters
    ----------
    frame : DataFrame
        Preferences (query, run_a, run_b, measure, value), whose mean over queries is drawn; or mean preferences
        (run_a, run_b, measure, mean); or a square matrix, runs x runs.
    measure : str, optional
        The measure; needed where a frame has several.
    order : DataFrame or sequence of runs, optional
        The runs, best first: an orders table (run, rank) or a list. By default by mean preference.
    comparisons : DataFrame, optional
        Comparisons (run_a, run_b, measure, significant): significant pairs get a dot.
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
    square, name = _preference_matrix(drawn(frame, "preference_heatmap"), measure)
    square = _ordered(square, order, name or measure)
    runs = list(square.index)
    side = min(2.2 + 0.16 * len(runs), 11.0)
    ax = style.axes(ax, width=side + 0.9, height=side)
    largest = float(np.nanmax(np.abs(square.to_numpy()), initial=0.0)) or 1.0
    fill_cells(ax, square, style.diverging(), -largest, largest)
    title = name if comparisons is None else f"{name} (dot: significant)".strip()
    style.finish(ax, title=title)
    # rows carry name and place, columns the place alone: names twice would leave the cells no room
    text_layout.number_ticks(ax, len(runs))
    scale = draw_scale(ax, "Mean preference for the row over the column", below=True) if colorbar else None
    text_layout.name_list(ax, [f"{name}  {place}" for place, name in enumerate(runs, 1)], share=0.36)
    if scale is not None:
        text_layout.fit_label(ax, scale.xaxis.label, share=1.1)
    text_layout.number_ticks(ax, len(runs))
    write_numbers(ax, square, annotate, "+.2f")
    if comparisons is not None:
        _mark(ax, square, comparisons, name or measure)
    return ax


@plot(
    on=("correlations", "sign_agreement", "locality", "matrix"),
    first=("correlations", "sign_agreement", "locality"),
)
def correlation_heatmap(
    frame: pd.DataFrame,
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
    frame : DataFrame
        Correlations or agreement of measures (measure_a, measure_b, value; one triangle is enough), correlations of
        recall levels (recall_a, recall_b, r), or a square matrix.
    value : str, optional
        The column of values; by default value, agreement or r.
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
    table = drawn(frame, "correlation_heatmap")
    if is_square(frame):
        square, what = labelled(frame), value or ""
    else:
        what = value or next((name for name in VALUES if name in frame.columns), "value")
        rows, kind = one(frame, "coefficient", coefficient, plot="correlation_heatmap")
        ids = _sides(frame)
        table.need(f"{ids}_a", f"{ids}_b", what)
        square, what = _mirrored(rows, ids, what), COEFFICIENTS.get(kind, kind) or VALUES.get(what, what)
    if order is not None:
        asked = chosen(order, list(square.index))
        square = square.loc[asked, asked]
    labels = list(square.index)
    side = min(2.2 + 0.3 * len(labels), 9.0)
    ax = style.axes(ax, width=side + 0.9, height=side)
    signed = bool((square.to_numpy() < 0).any())
    colours = style.diverging() if signed else style.rising()
    fill_cells(ax, square, colours, -1.0 if signed else 0.0, 1.0)
    style.finish(ax)
    if colorbar:
        draw_scale(ax, label if label is not None else text_layout.plain(what))  # a label may hold a formula
    text_layout.name_ticks(ax, "x", labels)
    text_layout.name_list(ax, labels, what="")
    text_layout.name_ticks(ax, "x", labels)
    write_numbers(ax, square, annotate, ".2f")
    return ax


@plot(on=("matrix",), first=("matrix",))
def matrix_heatmap(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    order: Sequence[object] | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
) -> Axes:
    """Return axes with a square matrix as colours: preferences, or correlations where it is symmetric.

    Parameters
    ----------
    frame : DataFrame
        The same labels as index and columns.
    order : sequence, optional
        The labels in the order wanted; by default preferences stand best first, correlations as they are.
    annotate : bool, optional
        Write the values into the cells; by default where they fit.
    colorbar : bool
        Draw the scale.

    Examples
    --------
    >>> import pdeval
    >>> from matplotlib.figure import Figure
    >>> matrix = pdeval.datasets.sample_judged(topics="common").matrix("RPP")
    >>> ax = matrix.ireval.plot(ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()][:2]
    ['rerank-s1  1', 'rerank-s2  2']
    """
    table = drawn(frame, "matrix_heatmap")
    if not is_square(frame):
        raise ValueError(
            f"matrix_heatmap() needs a square matrix, the same labels as index and columns (found: "
            f"{listed(frame.columns)}).{obtained(table.kinds)}"
        )
    values = frame.to_numpy(float)
    draw: Any = correlation_heatmap if np.allclose(values, values.T, equal_nan=True) else preference_heatmap
    return draw(frame, ax=ax, order=order, annotate=annotate, colorbar=colorbar)


def _preference_matrix(prefs: Drawn, measure: str | None) -> tuple[pd.DataFrame, str]:
    """Return (mean preferences, runs x runs, the measure)."""
    if is_square(prefs.frame):
        square = labelled(prefs.frame)
        return square.where(~np.eye(len(square), dtype=bool)), measure or ""  # a run is not compared with itself
    value = "mean" if "mean" in prefs.frame.columns else "value"
    frame, name = one(prefs.need(value).frame, "measure", measure, plot="preference_heatmap")
    stems = prefs.run_columns
    if not stems:
        raise prefs.lacks("run_a")
    a, b, runs = pairs(frame, stems)
    cell, preference = a * len(runs) + b, frame[value].to_numpy(float)
    counted = ~np.isnan(preference)
    size = len(runs) ** 2
    total = np.bincount(cell[counted], weights=preference[counted], minlength=size).reshape(len(runs), -1)
    number = np.bincount(cell[counted], minlength=size).reshape(len(runs), -1)
    number = number + number.T
    mean = np.where(number > 0, (total - total.T) / np.maximum(number, 1), np.nan)
    np.fill_diagonal(mean, np.nan)
    return pd.DataFrame(mean, index=runs, columns=runs), name


def _ordered(square: pd.DataFrame, order: pd.DataFrame | Sequence[object] | None, measure: str | None) -> pd.DataFrame:
    """Return the square frame with its best run first."""
    runs = list(square.index)
    if order is None:
        means = np.nan_to_num(square.to_numpy()).sum(axis=1) / np.maximum(square.notna().sum(axis=1).to_numpy(), 1)
        asked = [runs[i] for i in np.argsort(-means, kind="stable")]
    elif isinstance(order, pd.DataFrame):
        if "measure" in order.columns and measure in set(order["measure"].astype(object)):
            order = order[order["measure"].astype(object) == measure]
        given = drawn(order, "preference_heatmap(order=...)", kinds=("orders",)).need("rank")
        ids = given.runs()
        if ids.codes.max() + 1 < len(order):
            raise ValueError(
                "order= ranks some runs more than once: choose one measure and method, "
                "e.g. order[order['method'] == 'mc4']."
            )
        ranked = np.argsort(order["rank"].to_numpy(), kind="stable")
        asked = [runs[index_of(ids[i], runs)] for i in ranked if str(ids[i]) in square.index]
    else:
        asked = [runs[index_of(name, runs)] for name in order]
    return square.loc[asked, asked]


def _mirrored(frame: pd.DataFrame, ids: str, value: str) -> pd.DataFrame:
    """Return the symmetric square of a table of pairs; 1 on the diagonal where nothing is said."""
    columns = [ids, "method"] if ids == "measure" and {"method_a", "method_b"} <= set(frame.columns) else [ids]
    sides = [frame[[f"{name}_{side}" for name in columns]].set_axis(columns, axis=1) for side in "ab"]
    codes, found = pd.factorize(pd.MultiIndex.from_frame(pd.concat(sides).astype(object)))
    labels = axis_texts(found.set_names(columns)) if len(columns) > 1 else [str(label[0]) for label in found]
    a, b = codes[: len(frame)], codes[len(frame) :]
    if len(np.unique(np.minimum(a, b) * len(labels) + np.maximum(a, b))) < len(frame):
        raise ValueError(
            f"correlation_heatmap() draws one value for each ({ids}_a, {ids}_b); some pairs repeat. "
            "Keep one kind of row, e.g. one coefficient or one query, or average first."
        )
    square = np.full((len(labels), len(labels)), np.nan)
    square[b, a] = frame[value].to_numpy(float)
    square[a, b] = frame[value].to_numpy(float)
    diagonal = np.diagonal(square)
    np.fill_diagonal(square, np.where(np.isnan(diagonal), 1.0, diagonal))
    return pd.DataFrame(square, index=labels, columns=labels)


def _sides(frame: pd.DataFrame) -> str:
    """Return X of the columns X_a, X_b that name what is correlated; 'measure' where there is none."""
    texts = [str(c) for c in frame.columns]
    found = [c[:-2] for c in texts if c.endswith("_a") and f"{c[:-2]}_b" in texts]
    return found[0] if found and "measure" not in found else "measure"


def _mark(ax: Axes, square: pd.DataFrame, comparisons: pd.DataFrame, measure: str | None) -> None:
    """Put a dot on the pairs that differ significantly."""
    tests = drawn(comparisons, "preference_heatmap(comparisons=...)", kinds=("comparisons",)).need("significant")
    comparisons, _ = one(
        comparisons, "measure", measure if "measure" in comparisons.columns else None, plot="preference_heatmap"
    )
    a, b, runs = pairs(comparisons, tests.run_columns)
    place = pd.Index(square.index).get_indexer(pd.Index(runs))
    rows, cols = place[a], place[b]
    marked = comparisons["significant"].to_numpy(bool) & (rows >= 0) & (cols >= 0)
    x, y = np.concatenate([cols[marked], rows[marked]]), np.concatenate([rows[marked], cols[marked]])
    room = 72 * min(text_layout.inches(ax)) / max(len(square), 1)
    low = bool(ax.texts)  # numbers stand in the middle of the cell: the dot goes to its corner
    shift = 0.36 if low else 0.0
    shades = style.ink(ax.images[0].to_rgba(np.nan_to_num(square.to_numpy(float))))[y, x]
    ax.scatter(
        x + shift, y - shift, s=max(0.7, (0.12 if low else 0.24) * room) ** 2, c=shades, linewidths=0,
        label="significant",
    )  # fmt: skip


@plot(on=("confusions",), first=("confusions",))
def confusion_heatmap(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    assessor: str | None = None,
    annotate: bool | None = None,
    colorbar: bool = True,
) -> Axes:
    """Return axes with the share of each label (column) among the items of each label of the reference (row).

    Parameters
    ----------
    frame : DataFrame
        Confusions: assessor, reference, label, n, share.
    assessor : str, optional
        The assessor; needed where the frame has several.
    annotate : bool, optional
        Write the shares into the cells; by default where they fit.
    colorbar : bool
        Draw the scale.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"assessor": "llm", "reference": [0, 0, 1, 1], "label": [0, 1, 0, 1], "n": [3, 1, 0, 2],
    ...                       "share": [0.75, 0.25, 0.0, 1.0]})
    >>> ax = confusion_heatmap(table, ax=Figure().subplots())
    >>> ax.get_xlabel(), [text.get_text() for text in ax.texts]
    ('Label by llm', ['0.75', '0.25', '0.00', '1.00'])
    """
    drawn(frame, "confusion_heatmap").need("reference", "label", "n", "share")
    rows, name = one(frame, assessor_column(frame), assessor, plot="confusion_heatmap")
    if rows.duplicated(["reference", "label"]).any():
        raise ValueError("confusion_heatmap() needs one share per label of the reference and label; some repeat.")
    values = list(dict.fromkeys(rows["reference"]))
    wide = rows.set_index(["reference", "label"])
    square = wide["share"].unstack().reindex(index=values, columns=values).astype(float)
    total = wide["n"].unstack().reindex(index=values).sum(axis=1)
    side = min(2.2 + 0.4 * len(values), 9.0)
    ax = style.axes(ax, width=side + 0.9, height=side)
    fill_cells(ax, square, style.rising(), 0.0, 1.0)
    reference = str(frame.attrs.get("reference", "reference"))
    known = {"reference": "Label of the reference", "true label": "True label"}.get(reference, f"Label by {reference}")
    style.finish(ax, x=f"Label by {name}", y=f"{known} (items)")
    if colorbar:
        draw_scale(ax, "Share of the row")
    texts = [f"{value} ({count:,.0f})" for value, count in total.items()]
    text_layout.name_ticks(ax, "x", [str(value) for value in values])
    text_layout.name_ticks(ax, "y", texts)
    write_numbers(ax, square, annotate, ".2f")
    return ax


@plot(on=("scores",))
def query_heatmap(
    frame: pd.DataFrame, *, ax: Axes | None = None, measure: str | None = None, colorbar: bool = True
) -> Axes:
    """Return axes with the value of every run (row) on every query (column): the best run on top, the hardest first.

    Parameters
    ----------
    frame : DataFrame
        Scores: run, query, measure, value.
    measure : str, optional
        The measure; needed where the frame has several.
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
    table = drawn(frame, "query_heatmap").need("value")
    rows, name = one(frame, "measure", measure, plot="query_heatmap")
    query = table.query
    if query is None:
        raise table.lacks("query_id")
    runs, queries = table.keeping(rows).runs(), by_name(names(rows, [query]))
    if pd.DataFrame({"run": runs.codes, "query": queries.codes}).duplicated().any():
        raise ValueError("query_heatmap() needs one value per run and query; some repeat.")
    values = np.full((len(runs.categories), len(queries.categories)), np.nan)
    values[runs.codes, queries.codes] = rows["value"].to_numpy(float)
    known = known_of(name, frame.attrs) if name else None
    sign = -1.0 if known is not None and not known["higher"] else 1.0
    better = sign * np.where(np.isfinite(values), values, np.nan)
    down = np.argsort(-_means(better, 1), kind="stable")
    across = np.argsort(_means(better, 0), kind="stable")
    shown = np.ma.masked_invalid(values[np.ix_(down, across)])
    ax = style.axes(ax, width=6.4, height=text_layout.list_height(len(down)))
    ax.imshow(shown, cmap=style.rising(), aspect="auto", interpolation="nearest")
    ax.set_facecolor("#EEEEEE")
    count = len(across)
    style.finish(ax, x=f"{count} {'query' if count == 1 else 'queries'}, the hardest at the left", title=name)
    ax.set_xticks([])
    if colorbar:
        draw_scale(ax, text_layout.plain(name) or "Value")
        ax.set_title("")
    text_layout.name_list(ax, [str(runs.categories[i]) for i in down])
    if count <= 30:
        text_layout.name_ticks(ax, "x", [str(queries.categories[i]) for i in across])
    return ax


def _means(values: np.ndarray, axis: int) -> np.ndarray:
    """The means of what is known; the worst where nothing is."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.where(known.any(axis=axis), total / np.maximum(known.sum(axis=axis), 1), -np.inf)
