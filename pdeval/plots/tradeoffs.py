"""Trade-offs: two numbers of each run, and the area under their curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pdeval.plots import style
from pdeval.plots.lines import draw_lines
from pdeval.plots.registry import PlotTable, plot

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
