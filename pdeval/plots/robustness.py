"""What remains of an ordering with fewer queries or fewer labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import columns, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GET = "Call .ireval.incomplete(qrels, drop='queries') first."
STATISTICS = {
    "tau": "Kendall's τ with the full data",
    "ranking_agreement": "Ranking agreement with the full data",
    "system_agreement": "System agreement with the full data",
    "ties": "Tied pairs",
}


def incomplete(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    statistic: str | None = None,
    measures: Sequence[str] | None = None,
    band: bool = True,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with a statistic against how many queries or labels are kept, mean and sd over samples.

    Diaz and Ferraro (2022), Figures 6 and 7; Diaz (2023), Figures 8 and 9.

    Parameters
    ----------
    frame : DataFrame
        measure, keep, sample, statistic, value (one row per sample); or measure, keep, mean, sd, with or
        without a statistic column; or measure, keep, sample and one column per statistic. A column `drop`
        ("queries" or "labels") names the x axis.
    ax : Axes, optional
        Where to draw; new axes by default.
    statistic : str, optional
        The statistic; by default the only one, or "tau".
    measures : sequence of str, optional
        The measures to draw, in this order; by default all.
    band : bool
        Shade one standard deviation on either side.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": "AP", "keep": [10, 10, 50, 50], "sample": [0, 1, 0, 1],
    ...                       "statistic": "tau", "value": [0.5, 0.7, 0.9, 1.0]})
    >>> ax = incomplete(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().round(2).tolist(), ax.get_xlabel()
    ([0.6, 0.95], 'Queries kept')
    """
    columns.require(frame, ["measure", "keep"], plot="incomplete", get=GET)
    rows, what = _rows(frame, statistic)
    for column in ("drop", "policy"):
        rows, _ = columns.one(rows, column, None, plot="incomplete")
    measure = columns.names(rows, ["measure"])
    groups = rows.assign(measure=measure).groupby(["keep", "measure"], observed=True)
    if "mean" in rows.columns:
        if groups.ngroups < len(rows):
            raise ValueError("incomplete() needs one mean for each (measure, keep); some repeat.")
        mean = groups["mean"].first().unstack()
        sd = groups["sd"].first().unstack() if "sd" in rows.columns else mean * np.nan
    else:
        mean, sd = groups["value"].mean().unstack(), groups["value"].std(ddof=1).unstack()
    present = [str(name) for name in mean.columns]
    chosen = columns.chosen(measures, present)
    ax = style.axes(ax)
    keep = mean.index.to_numpy(float)
    for i, name in enumerate(chosen):
        look, centre = style.line(i), mean[name].to_numpy(float)
        ax.plot(keep, centre, label=name, **look)
        width = sd[name].to_numpy(float)
        if band and not np.isnan(width).all():
            spread = np.nan_to_num(width)
            ax.fill_between(
                keep, centre - spread, centre + spread, color=look["color"], alpha=0.13, linewidth=0, zorder=1
            )
    dropped = str(rows["drop"].iloc[0]) if "drop" in rows.columns else "queries" if keep.max() > 1 else "data"
    share = "Share of " if keep.max() <= 1 else ""
    style.finish(ax, x=f"{share}{dropped} kept".capitalize(), y=STATISTICS.get(what, what), grid="both")
    style.legend(ax, place=legend)
    return ax


def _rows(frame: pd.DataFrame, statistic: str | None) -> tuple[pd.DataFrame, str]:
    """Return (the rows of one statistic, with a value or a mean column; its name)."""
    if "statistic" in frame.columns:
        rows, what = columns.one(frame, "statistic", statistic, plot="incomplete", default="tau")
        if "mean" not in rows.columns:
            columns.require(rows, ["value"], plot="incomplete", get=GET)
        return rows, what
    if "mean" in frame.columns:
        return frame, statistic or "mean"
    if "value" in frame.columns and statistic is None:
        return frame, "value"
    what = statistic or "tau"
    columns.require(frame, [what], plot="incomplete", get=GET)
    return frame.assign(value=frame[what]), what
