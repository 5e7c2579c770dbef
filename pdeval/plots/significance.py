"""How many differences a measure can tell: its sorted p-values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import chosen, names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


WORDS = {"p_value": "p-value", "p_adjusted": "p-value, corrected"}


@plot(on=("comparisons", "discriminative_curve"), first=("comparisons", "discriminative_curve"))
def p_value_curves(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    p: Literal["p_value", "p_adjusted"] = "p_value",
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
        Comparisons or sorted p-values: measure, [test], p_value, one row per pair of runs. Several tests have a line
        each.
    ax : Axes, optional
        Where to draw; new axes by default.
    p : {"p_value", "p_adjusted"}
        The column of p-values.
    alpha : float
        Draw this level as a line.
    upper : float, optional
        The top of the y axis; by default four times alpha.
    measures : sequence of str, optional
        The measures to draw, in this order; by default all.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": ["AP"] * 4, "test": "t", "p_value": [0.2, 0.01, 0.6, 0.04]})
    >>> ax = p_value_curves(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist(), ax.lines[0].get_label()
    ([0.01, 0.04, 0.2, 0.6], 'AP (50.0%)')
    """
    value = drawn(frame, "p_value_curves").need("measure").column(p).to_numpy(float)
    measure = names(frame, ["measure"])
    shown = chosen(measures, [str(name) for name in measure.categories])
    tests = [""]
    test = np.full(len(frame), "", dtype=object)
    if "test" in frame.columns and frame["test"].nunique() > 1:
        test = frame["test"].astype(str).to_numpy(object)
        tests = list(pd.unique(test))
    ax = style.axes(ax)
    upper = min(1.0, 4 * alpha) if upper is None else upper
    longest = 0
    lines = [(name, kind) for name in shown for kind in tests]
    for i, (name, kind) in enumerate(lines):
        rows = np.asarray(measure == name) & (test == kind) & ~np.isnan(value)
        if not rows.any():
            continue
        curve = np.sort(value[rows])
        longest = max(longest, len(curve))
        label = f"{name}, {kind}" if kind else name
        style_of = style.line(i) | {"markevery": max(1, len(curve) // 12), "markersize": 3.0}
        ax.plot(
            np.arange(1, len(curve) + 1),
            curve,
            label=legibility.entry(f"{label} ({100 * float((curve < alpha).mean()):.1f}%)"),
            **style_of,
        )
    ax.axhline(alpha, color="black", linewidth=0.7, linestyle=":", label=f"α = {alpha:g} (% below it)")
    ax.set(xlim=(0, longest + 1), ylim=(0, float(upper)))
    legibility.whole_numbers(ax)
    style.finish(ax, x="Pairs of runs, sorted by p", y=WORDS.get(p, p), grid="y")
    style.legend(ax, place=legend)
    return ax
