"""Which recall levels make the difference between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import chosen, names, one_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("contributions",), first=("contributions",))
def recall_levels(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    pair: Sequence[object] | None = None,
    measures: Sequence[str] | None = None,
    scale: Literal["share", "raw"] = "share",
    levels: int | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the contribution of each recall level to the difference of two runs, a line per measure.

    Diaz and Ferraro (2022), Figure 4b: top-heavy measures spend their weight on the first levels, ASL on the
    last ones, RPP the same on each.

    Parameters
    ----------
    frame : DataFrame
        Contributions of recall levels: query, run_a, run_b, measure, recall, value. One query is drawn as it is, of
        several the mean at each level over the queries that have it. Without columns of runs the frame is one pair.
    ax : Axes, optional
        Where to draw; new axes by default.
    pair : (run, run), optional
        The two runs; needed where the frame has more than one pair. Either direction will do.
    measures : sequence of str, optional
        The measures to draw, in this order; by default all.
    scale : {"share", "raw"}
        "share" divides each measure's values by the sum of their sizes, so that measures in different units
        compare; "raw" leaves them.
    levels : int, optional
        Draw only the first so many recall levels.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> parts = pd.DataFrame({"query_id": "1", "run_a": "x", "run_b": "y", "measure": ["AP"] * 2 + ["RPP"] * 2,
    ...                       "recall": [1, 2, 1, 2], "value": [0.6, -0.2, 1.0, -1.0]})
    >>> ax = recall_levels(parts, ax=Figure().subplots())
    >>> [line.get_ydata().round(2).tolist() for line in ax.lines if line.get_label() in ("AP", "RPP")]
    [[0.75, -0.25], [0.5, -0.5]]
    """
    parts = drawn(frame, "recall_levels").need("measure", "recall", "value")
    if stems := parts.run_columns:
        rows, sign, a, b = one_pair(frame, pair, stems, plot="recall_levels")
        title = f"above 0: {a} better, below 0: {b} better"
    else:
        rows, sign, title = frame, np.ones(len(frame)), ""
    table = pd.DataFrame(
        {
            "measure": names(rows, ["measure"]),
            "recall": rows["recall"].to_numpy(),
            "value": rows["value"].to_numpy(float) * sign,
        }
    )
    if "weight" in rows.columns:  # what the populations of a query contribute adds up
        table["value"] *= rows["weight"].to_numpy(float)
        table["query"] = 0 if parts.query is None else rows[parts.query].to_numpy()
        key = ["query", "recall", "measure"]
        table = table.groupby(key, observed=True, sort=False)["value"].sum().reset_index()
    means = table.groupby(["recall", "measure"], observed=True)["value"].mean().unstack()
    shown = chosen(measures, [str(name) for name in means.columns])
    if scale == "share":
        sizes = means.abs().sum()
        means = means / sizes.where(sizes > 0, 1.0)
    if levels is not None:
        means = means[means.index <= levels]
    ax = style.axes(ax)
    ax.axhline(0, color="black", linewidth=0.6, label="_zero")
    for i, name in enumerate(shown):
        line = means[name].dropna()
        gap = max(1, len(line) // 15)
        ax.plot(line.index.to_numpy(), line.to_numpy(), label=legibility.entry(name), markevery=gap, **style.line(i))
    legibility.recall_ticks(ax, means.index.max())
    what = "Share of the difference" if scale == "share" else "Contribution to the difference"
    style.finish(ax, x="Recall level (relevant items found)", y=what, title=title, grid="y")
    style.legend(ax, place=legend)
    return ax
