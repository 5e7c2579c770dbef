"""What remains of an ordering with fewer queries or fewer labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import Drawn, drawn, plot
from pdeval.plots.selection import chosen, names, one

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATISTICS = {
    "tau_b": "Kendall's τ with the full data",
    "ranking_agreement": "Ranking agreement with the full data",
    "system_agreement": "System agreement with the full data",
    "ties": "Tied pairs",
}


@plot(on=("incomplete", "incomplete_summary"), first=("incomplete", "incomplete_summary"))
def incomplete(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    statistic: str | None = None,
    measures: Sequence[str] | None = None,
    band: bool = True,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with a statistic against how many queries or labels are kept, mean and sd over draws.

    Diaz and Ferraro (2022), Figures 6 and 7; Diaz (2023), Figures 8 and 9.

    Parameters
    ----------
    frame : DataFrame
        An experiment with incomplete data: measure, keep, draw, statistic, value; or its summary: measure, keep,
        statistic, mean, sd. A column `drop` ("queries" or "labels") names the x axis.
    ax : Axes, optional
        Where to draw; new axes by default.
    statistic : str, optional
        The statistic; by default the only one, or "tau_b".
    measures : sequence of str, optional
        The measures to draw, in this order; by default all.
    band : bool
        Shade one standard deviation on either side.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": "AP", "keep": [10, 10, 50, 50], "draw": [0, 1, 0, 1],
    ...                       "statistic": "tau_b", "value": [0.5, 0.7, 0.9, 1.0]})
    >>> ax = incomplete(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().round(2).tolist(), ax.get_xlabel().splitlines()[0]
    ([0.6, 0.95], 'Queries kept')
    """
    rows, what = _rows(drawn(frame, "incomplete"), statistic)
    for column in ("drop", "policy"):
        rows, _ = one(rows, column, None, plot="incomplete", option=False)
    groups = rows.assign(measure=names(rows, ["measure"])).groupby(["keep", "measure"], observed=True)
    if "mean" in rows.columns:
        if groups.ngroups < len(rows):
            raise ValueError("incomplete() needs one mean for each (measure, keep); some repeat.")
        mean = groups["mean"].first().unstack()
        sd = groups["sd"].first().unstack() if "sd" in rows.columns else mean * np.nan
    else:
        mean, sd = groups["value"].mean().unstack(), groups["value"].std(ddof=1).unstack()
    shown = chosen(measures, [str(name) for name in mean.columns])
    ax = style.axes(ax)
    keep = mean.index.to_numpy(float)
    for i, name in enumerate(shown):
        look, centre = style.line(i), mean[name].to_numpy(float)
        ax.plot(keep, centre, label=legibility.entry(name), **look)
        width = sd[name].to_numpy(float)
        if band and not np.isnan(width).all():
            spread = np.nan_to_num(width)
            ax.fill_between(
                keep, centre - spread, centre + spread, color=look["color"], alpha=0.13, linewidth=0, zorder=1
            )
    dropped = str(rows["drop"].iloc[0]) if "drop" in rows.columns else "queries" if keep.max() > 1 else "data"
    share = "Share of " if keep.max() <= 1 else ""
    note = "band: ± one standard deviation over draws" if ax.collections else ""
    x = f"{share}{dropped} kept".capitalize()
    style.finish(ax, x=x, y=STATISTICS.get(what, what), grid="both", note=note)
    if keep.max() > 1:
        legibility.whole_numbers(ax)
    style.legend(ax, place=legend)
    return ax


def _rows(table: Drawn, statistic: str | None) -> tuple[pd.DataFrame, str]:
    """Return (the rows of one statistic, with a value or a mean column; its name)."""
    rows = table.need("measure", "keep", "mean|value").frame
    rows, what = one(rows, "statistic", statistic, plot="incomplete", default="tau_b")
    return rows, what or ("mean" if "mean" in rows.columns else "value")
