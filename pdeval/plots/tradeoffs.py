"""Trade-offs: two numbers of each run, and the area under their curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import style
from pdeval.plots.lines import draw_lines
from pdeval.plots.registry import PlotTable, plot
from pdeval.plots.scatter import draw_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("exposure_tradeoff",), first=("exposure_tradeoff",), needs=("disparity", "relevance"))
def exposure_curve(
    table: PlotTable, *, ax: Axes | None = None, legend: style.Place | None = "above"
) -> Axes:
    """Return axes with the relevance of runs against their disparity, and a shaded area under each curve.

    Diaz et al. (2020), Figure 3. Runs with the same area form a curve; the legend gives the area.

    Parameters
    ----------
    frame : DataFrame
        Disparity and relevance of runs: run, disparity, relevance, area.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"run": ["a", "b"], "disparity": [1.0, 2.0], "relevance": [0.5, 0.7], "area": 0.6})
    >>> exposure_curve(frame, ax=Figure().subplots()).get_xlabel()
    'Disparity (EE-D)'
    """
    ax = style.axes(ax)
    area = pd.Series(table.numbers("area"))
    runs = pd.Series(list(table.runs()))
    points = pd.Series(table.numbers("relevance"), index=table.numbers("disparity"))
    curves = {}
    for value in area.unique():
        rows = (area == value).to_numpy()
        curves[f"{runs[rows].iloc[0]}: area {value:.3f}"] = points[rows].sort_index()
    draw_lines(ax, curves)
    for number, curve in enumerate(curves.values()):
        ax.fill_between(
            curve.index, curve, color=style.line(number)["color"], alpha=0.12, linewidth=0
        )
    ax.set_ylim(bottom=0)
    return style.finish(ax, x="Disparity (EE-D)", y="Relevance (EE-R)", grid="both", place=legend)


@plot(on=("reproduction",), first=("reproduction",), needs=("effect_ratio", "delta_ri"))
def effect_scatter(
    table: PlotTable, *, ax: Axes | None = None, legend: style.Place | None = "above"
) -> Axes:
    """Return axes with one point per run and measure: its effect ratio against delta RI.

    Breuer et al. (2020), Figure 4. A perfect reproduction has the effect ratio 1 and delta RI 0, where the lines cross.
    The effect is smaller than the original one in the region of smaller ratios and positive delta RI.

    Parameters
    ----------
    frame : DataFrame
        Reproduced runs: run, measure, effect_ratio, delta_ri.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"run": "a", "measure": ["AP", "RR"], "original": 0.3, "mean": 0.3, "rmse": 0.1,
    ...                       "effect_ratio": [0.9, 1.1], "delta_ri": [0.02, -0.01]})
    >>> effect_scatter(frame, ax=Figure().subplots()).get_xlabel()
    'Effect ratio'
    """
    ratio, delta = table.numbers("effect_ratio"), table.numbers("delta_ri")
    known = ~(np.isnan(ratio) | np.isnan(delta))
    if not known.any():
        raise ValueError(
            "there is no effect to draw. Call .ireval.reproduce(qrels, original, baseline=...)."
        )
    ax = style.axes(ax, width=4.2, height=3.6)
    ax.axvline(1, color=style.FADED, linewidth=0.8, zorder=1)
    ax.axhline(0, color=style.FADED, linewidth=0.8, zorder=1)
    group = table.frame["measure"].astype(str)[known]
    groups = draw_groups(ax, ratio[known], delta[known], group, markersize=5)
    return style.finish(
        ax, x="Effect ratio", y="ΔRI", grid="both", place=legend if groups > 1 else None
    )


@plot(on=("recall_curve",), first=("recall_curve",), needs=("effort", "mean"))
def recall_effort(
    table: PlotTable, *, ax: Axes | None = None, legend: style.Place | None = "inside"
) -> Axes:
    """Return axes with the mean recall of reviews against effort, a line per run with the band of its interval.

    The dashed line is the expected recall of a random order.

    Parameters
    ----------
    frame : DataFrame
        Recall curves: run, effort, mean, ci_low, ci_high.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"run": "a", "effort": [0.0, 1.0], "n": 2, "mean": [0.0, 1.0], "ci_low": [0.0, 1.0],
    ...                       "ci_high": [0.0, 1.0]})
    >>> recall_effort(frame, ax=Figure().subplots()).get_ylabel()
    'Recall'
    """
    ax = style.axes(ax)
    runs = table.runs()
    rows = {
        run: table.rows(np.asarray(runs == run)).frame.sort_values("effort")
        for run in runs.categories
    }
    draw_lines(ax, {run: part.set_index("effort")["mean"] for run, part in rows.items()}, marks=8)
    for number, part in enumerate(rows.values()):
        if {"ci_low", "ci_high"} <= {*part.columns}:
            color = style.line(number)["color"]
            ax.fill_between(
                part["effort"],
                part["ci_low"],
                part["ci_high"],
                color=color,
                alpha=0.15,
                linewidth=0,
            )
    ax.plot([0, 1], [0, 1], color=style.FADED, linestyle="--", linewidth=0.8, label="_random")
    ax.set(xlim=(0, 1), ylim=(0, 1.02))
    return style.finish(
        ax, x="Effort: fraction of items read", y="Recall", grid="both", place=legend
    )
