"""What ranks are worth: surfaces of contributions, how these are spread over real pairs, and discounts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import style, text_layout
from pdeval.plots.heatmaps import draw_scale
from pdeval.plots.registry import drawn, plot
from pdeval.plots.selection import chosen, names, one

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("contribution_surface",), first=("contribution_surface",))
def contribution_surface(
    frame: pd.DataFrame, *, ax: Axes | None = None, measure: str | None = None, scale: bool = True
) -> Axes:
    """Return axes with the contribution of one relevant item to a difference, by its ranks in two rankings.

    Diaz and Ferraro (2022), Figure 2, left. The lines are drawn where the contribution is a quarter, a half and three
    quarters of the largest.

    Parameters
    ----------
    frame : DataFrame
        A surface: measure, rank_a, rank_b, value.
    measure : str, optional
        The measure; needed where the frame has several.
    scale : bool
        Draw the scale of the colours.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> signs = {"measure": "RPP", "rank_a": [1, 1, 2, 2], "rank_b": [1, 2, 1, 2], "value": [0, 1, -1, 0]}
    >>> contribution_surface(pd.DataFrame(signs), ax=Figure().subplots()).images[0].get_array().tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    drawn(frame, "contribution_surface").need("rank_a", "rank_b", "value")
    rows, name = one(frame, "measure", measure, plot="contribution_surface")
    if rows.duplicated(["rank_a", "rank_b"]).any():
        raise ValueError("contribution_surface() needs one value for each pair of ranks; some repeat.")
    square = rows.pivot(index="rank_a", columns="rank_b", values="value").astype(float)
    values = square.to_numpy()
    across, down = square.columns.to_numpy(int), square.index.to_numpy(int)
    ax = style.axes(ax, width=4.2, height=3.4)
    top = float(np.nanmax(np.abs(values))) or 1.0
    ends = (across[0] - 0.5, across[-1] + 0.5, down[-1] + 0.5, down[0] - 0.5)
    ax.imshow(values, extent=ends, aspect="equal", cmap=style.diverging(), vmin=-top, vmax=top, interpolation="nearest")
    if len(np.unique(values)) > 3 and min(values.shape) > 1:  # a sign has no slope
        heights = top * np.array([-0.75, -0.5, -0.25, 0.25, 0.5, 0.75])
        ax.contour(across, down, values, levels=heights, colors="black", linewidths=0.5)
    style.finish(ax, x="Rank in run b", y="Rank in run a", title=name or "")
    ax.spines[["top", "right"]].set_visible(True)
    for axis, ranks in ((ax.xaxis, across), (ax.yaxis, down)):
        few = [ranks[0], *ranks[(ranks % 5 == 0) & (ranks - ranks[0] > 2)]]
        axis.set_ticks(ranks if len(ranks) <= 10 else few)
    if scale:
        draw_scale(ax, "a better")
    return ax


@plot(on=("contribution_ecdf",), first=("contribution_ecdf",))
def contribution_ecdf(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the distribution of the contributions of recall levels, a line per measure.

    Diaz and Ferraro (2022), Figure 2, right: a line that rises at 0 alone is a measure to which most levels contribute
    almost nothing.

    Parameters
    ----------
    frame : DataFrame
        A distribution: measure, value, ecdf.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> signs = pd.DataFrame({"measure": "RPP", "value": [-1.0, 0.0, 1.0], "ecdf": [0.4, 0.6, 1.0]})
    >>> contribution_ecdf(signs, ax=Figure().subplots()).lines[0].get_ydata().tolist()
    [0.0, 0.4, 0.6, 1.0]
    """
    table = drawn(frame, "contribution_ecdf").need("measure", "value", "ecdf")
    ax = style.axes(ax)
    shown = _lines(ax, table.frame, "value", "ecdf", measures)
    for line in ax.lines[len(ax.lines) - len(shown) :]:
        x, y = map(np.asarray, line.get_data())
        line.set_data(np.append(x[:1], x), np.append(0.0, y))  # a step from 0 at the least difference
        line.set(drawstyle="steps-post", marker="")
    ax.set_ylim(-0.02, 1.02)
    title = shown[0] if len(shown) == 1 else ""
    style.finish(
        ax, x="Difference at one recall level", y="Share with at most that difference", title=title, grid="both"
    )
    style.legend(ax, place=legend if len(shown) > 1 else None)
    return ax


@plot(on=("discounts",), first=("discounts",))
def discount_curves(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    log: bool = False,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with what each rank is worth, a line per measure.

    Shokouhi, Yilmaz, Craswell and Robertson (2009), Figure 1.

    Parameters
    ----------
    frame : DataFrame
        Discounts: measure, rank, weight.
    log : bool
        A logarithmic axis of ranks.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> precision = pd.DataFrame({"measure": "P@2", "rank": [1, 2, 3], "weight": [0.5, 0.5, 0.0]})
    >>> discount_curves(precision, ax=Figure().subplots()).lines[0].get_ydata().tolist()
    [0.5, 0.5, 0.0]
    """
    table = drawn(frame, "discount_curves").need("measure", "rank", "weight")
    ax = style.axes(ax)
    _lines(ax, table.frame, "rank", "weight", measures)
    if log:
        ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    style.finish(ax, x="Rank", y="Share of all weight", grid="both")
    if not log:
        text_layout.recall_ticks(ax, float(table.frame["rank"].max()))
    style.legend(ax, place=legend)
    return ax


def _lines(ax: Axes, frame: pd.DataFrame, x: str, y: str, measures: Sequence[str] | None) -> list[str]:
    """Draw a line per measure, in the order of the frame or of those asked for; return their names."""
    measure = names(frame, ["measure"])
    present = [str(name) for name in measure.categories]
    shown = chosen(measures, present)
    for i, name in enumerate(shown):
        own = frame[measure.codes == present.index(name)].sort_values(x, kind="stable")
        gap = max(1, len(own) // 10)
        place = (own[x].to_numpy(float), own[y].to_numpy(float))
        ax.plot(*place, label=text_layout.entry(name), markevery=(i % gap, gap), **style.line(i))
    return shown
