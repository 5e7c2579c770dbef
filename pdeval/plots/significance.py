"""How many differences a measure can tell: its sorted p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import columns, layout, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GET = "Call .ireval.compare() first."


def p_value_curves(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    p: str | None = None,
    alpha: float = 0.05,
    upper: float | None = None,
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the p-values of all pairs of runs, sorted, one line per measure and test.

    Where a line crosses alpha is its discriminative power (Sakai, 2006): the legend gives the percentage of
    pairs below alpha.

    Parameters
    ----------
    frame : DataFrame
        measure, p_value, one row per pair of runs: a comparisons table, or any frame with these columns. With
        a column `test` of several values each test has its line.
    ax : Axes, optional
        Where to draw; new axes by default.
    p : str, optional
        The column of p-values; by default p_value.
    alpha : float
        Draw this level as a line.
    upper : float, optional
        The top of the y axis; by default four times alpha.
    measures : sequence of str, optional
        The measures to draw, in this order; by default all.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": ["AP"] * 4, "test": "t", "p_value": [0.2, 0.01, 0.6, 0.04]})
    >>> ax = p_value_curves(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist(), ax.lines[0].get_label()
    ([0.01, 0.04, 0.2, 0.6], 'AP (50.0%)')
    """
    p = p or "p_value"
    columns.require(frame, ["measure", p], plot="p_value_curves", get=GET)
    measure = columns.names(frame, ["measure"])
    present = [str(name) for name in measure.categories]
    chosen = columns.chosen(measures, present)
    tests = [""]
    test = np.full(len(frame), "", dtype=object)
    if "test" in frame.columns and frame["test"].nunique() > 1:
        test = frame["test"].astype(str).to_numpy(object)
        tests = list(pd.unique(test))
    value = frame[p].to_numpy(float)
    ax = style.axes(ax)
    upper = min(1.0, 4 * alpha) if upper is None else upper
    longest = 0
    lines = [(name, kind) for name in chosen for kind in tests]
    for i, (name, kind) in enumerate(lines):
        rows = (np.asarray(measure) == name) & (test == kind) & ~np.isnan(value)
        if not rows.any():
            continue
        curve = np.sort(value[rows])
        longest = max(longest, len(curve))
        label = f"{name}, {kind}" if kind else name
        style_of = style.line(i) | {"markevery": max(1, len(curve) // 12), "markersize": 3.0}
        ax.plot(
            np.arange(1, len(curve) + 1),
            curve,
            label=f"{label} ({100 * float((curve < alpha).mean()):.1f}%)",
            **style_of,
        )
    ax.axhline(alpha, color="black", linewidth=0.7, linestyle=":", label=f"α = {alpha:g}")
    ax.set(xlim=(0, longest + 1), ylim=(0, upper))
    layout.whole_numbers(ax)
    style.finish(ax, x="Pairs of runs, sorted by p", y="p" if p == "p_value" else p.replace("_", " "), grid="y")
    style.legend(ax, place=legend)
    return ax
