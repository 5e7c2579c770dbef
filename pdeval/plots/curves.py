"""Precision-recall curves, one line per run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import Drawn, drawn, plot
from pdeval.plots.selection import index_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("curve",), first=("curve",))
def precision_recall(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    highlight: Sequence[object] | int = 6,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with precision against recall, one line per run.

    Of curves for every query the mean over queries is drawn, where the queries share their recall points, as
    interpolated curves do.

    Parameters
    ----------
    frame : DataFrame
        A precision-recall table: run, [query], recall, precision.
    ax : Axes, optional
        Where to draw; new axes by default.
    highlight : int or sequence of runs
        With more runs than this many, the best ones by mean precision get colour and name and the others stay grey; or
        the runs to show in colour.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> curve = pd.DataFrame({"run": ["bm25", "bm25", "lm", "lm"], "recall": [0.0, 1.0, 0.0, 1.0],
    ...                       "precision": [0.9, 0.2, 0.8, 0.3]})
    >>> ax = precision_recall(curve, ax=Figure(figsize=(3.3, 2.4)).subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['bm25', 'lm']
    """
    points = _mean_curve(drawn(frame, "precision_recall").need("recall", "precision"))
    ax = style.axes(ax)
    coloured = _coloured(points, highlight)
    rest = [column for column in points.columns if column not in coloured]
    for i, name in enumerate(rest):
        label = f"{len(rest)} other runs" if i == 0 else None
        ax.plot(points.index, points[name], color=style.FADED, linewidth=0.6, label=label, zorder=1)
    for i, name in enumerate(coloured):
        line = points[name].dropna()
        gap = max(1, len(line) // 11)  # long curves get about eleven markers
        ax.plot(line.index, line, label=legibility.entry(name), markevery=(i % gap, gap), zorder=3, **style.line(i))
    _legend_last(ax, len(rest) > 0)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    style.finish(ax, x="Recall", y="Precision", grid="both")
    style.legend(ax, place=legend)
    return ax


def _mean_curve(curve: Drawn) -> pd.DataFrame:
    """Return the precision as a frame of recall points x runs, averaged over queries."""
    name, query, frame = pd.CategoricalIndex(curve.runs()), curve.query, curve.frame
    recall, precision = curve.column("recall"), curve.column("precision")
    if query is not None and frame[query].nunique() > 1:
        grouped = precision.groupby([recall.to_numpy(), name], observed=True)
        held = grouped.count().unstack()
        answered = frame[query].groupby(name, observed=True).nunique()
        if (held.fillna(0).to_numpy() != answered.reindex(held.columns).to_numpy()).any():
            raise ValueError(
                f"precision_recall() averages over queries only at shared recall points; here the points differ "
                f"between the {frame[query].nunique()} queries. Draw one query, "
                f"curve[curve[{query!r}] == {frame[query].iloc[0]!r}], or interpolate first."
            )
        return grouped.mean().unstack()
    points = pd.DataFrame({"recall": recall.to_numpy(), "run": name, "precision": precision.to_numpy()})
    return points.pivot(index="recall", columns="run", values="precision")


def _coloured(points: pd.DataFrame, highlight: Sequence[object] | int) -> list[str]:
    """Return the runs that get a colour of their own, best first."""
    present = [str(name) for name in points.columns]
    if not isinstance(highlight, int):
        return [present[index_of(name, present)] for name in highlight]
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
