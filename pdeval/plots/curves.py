"""Precision-recall curves, one line per run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import columns, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GET = "A table of precision at recall points per run is what the precision-recall curves of .ireval give."


def precision_recall(
    curve: pd.DataFrame,
    *,
    ax: Axes | None = None,
    run: columns.Names = None,
    query: str | None = None,
    value: str = "precision",
    highlight: Sequence[object] | int = 6,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with precision against recall, one line per run.

    Parameters
    ----------
    curve : DataFrame
        Columns run, recall, precision; with a query column too, the mean over queries is drawn, and the
        queries must share their recall points (interpolated curves do). A column `interpolated` of booleans
        marks interpolated rows: where a frame has both kinds, these are drawn; a column `interpolated` of
        numbers can be drawn with ``value="interpolated"``.
    ax : Axes, optional
        Where to draw; new axes by default.
    run, query : str, optional
        The run column(s) and the query column, where they have other names.
    value : str
        The column on the y axis.
    highlight : int or sequence of runs
        With more runs than this many, the best ones by mean precision get colour and name and the others
        stay grey; or the runs to show in colour.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> curve = pd.DataFrame({"run": ["bm25", "bm25", "lm", "lm"], "recall": [0.0, 1.0, 0.0, 1.0],
    ...                       "precision": [0.9, 0.2, 0.8, 0.3]})
    >>> ax = precision_recall(curve, ax=Figure(figsize=(3.3, 2.4)).subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['bm25', 'lm']
    """
    columns.require(curve, ["recall", value], plot="precision_recall", get=GET)
    runs = columns.run_columns(curve, run, plot="precision_recall", get=GET)
    curve = _one_kind(curve, value)
    points = _mean_curve(curve, runs, columns.query_column(curve, query, plot="precision_recall"), value)
    ax = style.axes(ax)
    coloured = _coloured(points, highlight)
    rest = [column for column in points.columns if column not in coloured]
    for i, name in enumerate(rest):
        label = f"{len(rest)} other runs" if i == 0 else None
        ax.plot(points.index, points[name], color=style.FADED, linewidth=0.6, label=label, zorder=1)
    for i, name in enumerate(coloured):
        line = points[name].dropna()
        gap = max(1, len(line) // 11)  # long curves get about eleven markers
        ax.plot(line.index, line, label=name, markevery=(i % gap, gap), zorder=3, **style.line(i))
    _legend_last(ax, len(rest) > 0)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    style.finish(ax, x="Recall", y="Interpolated precision" if value != "precision" else "Precision", grid="both")
    style.legend(ax, place=legend)
    return ax


def _one_kind(curve: pd.DataFrame, value: str) -> pd.DataFrame:
    """Keep the interpolated rows where a frame marks both kinds."""
    if value == "interpolated" or "interpolated" not in curve.columns:
        return curve
    if not pd.api.types.is_bool_dtype(curve["interpolated"].dtype) or not curve["interpolated"].any():
        return curve
    return curve[curve["interpolated"].astype(bool)]


def _mean_curve(curve: pd.DataFrame, runs: list[str], query: str | None, value: str) -> pd.DataFrame:
    """Return the precision as a frame of recall points x runs, averaged over queries."""
    name = pd.CategoricalIndex(columns.names(curve, runs))
    keys = [curve["recall"].to_numpy(), name]
    grouped = curve[value].groupby(keys, observed=True)
    if query is not None and curve[query].nunique() > 1:
        held = grouped.count().unstack()
        answered = curve[query].groupby(name, observed=True).nunique()
        if (held.fillna(0).to_numpy() != answered.reindex(held.columns).to_numpy()).any():
            raise ValueError(
                f"precision_recall() averages over queries only at shared recall points; here the points differ "
                f"between the {curve[query].nunique()} queries. Draw one query, "
                f"curve[curve[{query!r}] == {curve[query].iloc[0]!r}], or interpolate first."
            )
        return grouped.mean().unstack()
    ordered = pd.DataFrame({"recall": keys[0], "run": name, "precision": curve[value].to_numpy()})
    if ordered.duplicated(["recall", "run"]).any():
        # one ranking has several precisions at a recall point: the best of them stands where the item was found
        ordered = ordered.groupby(["recall", "run"], observed=True)["precision"].max().reset_index()
    return ordered.pivot(index="recall", columns="run", values="precision")


def _coloured(points: pd.DataFrame, highlight: Sequence[object] | int) -> list[str]:
    """Return the runs that get a colour of their own, best first."""
    present = [str(name) for name in points.columns]
    if not isinstance(highlight, int):
        return [present[columns.index_of(name, present)] for name in highlight]
    if len(present) <= max(highlight, 0):
        return present
    best = points.mean().to_numpy()
    return [present[i] for i in np.argsort(-best, kind="stable")[:highlight]]


def _legend_last(ax: Axes, others: bool) -> None:
    """Move the legend entry of the grey lines behind those of the named runs."""
    if others and len(ax.lines) > 1:
        grey = next(line for line in ax.lines if str(line.get_label()).endswith("other runs"))
        label = grey.get_label()
        grey.set_label("_others")
        ax.plot([], [], color=style.FADED, linewidth=0.6, label=label)
