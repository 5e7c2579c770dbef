"""Where the variance of replicated runs comes from: the query, the system on a query, the replicate, the rest."""

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

LABELS = {
    "share": "% of the variance of a value",
    "of_difference": "% of the variance of a difference, each system trained once",
}


@plot(on=("components",), first=("components",))
def variance_components(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    of: Literal["share", "of_difference"] = "of_difference",
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one bar per measure, divided by where its variance comes from.

    Parameters
    ----------
    frame : DataFrame
        Variance components: measure, source, share, of_difference.
    ax : Axes, optional
        Where to draw; new axes by default.
    of : {"share", "of_difference"}
        Divide the variance of one value, or that of the difference between the means of two systems, in which queries
        themselves have no part.
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
    >>> frame = pd.DataFrame({"measure": "AP", "source": ["query", "replicate", "residual"], "variance": [2.0, 1, 1],
    ...                       "share": [0.5, 0.25, 0.25], "of_difference": [np.nan, 0.75, 0.25]})
    >>> ax = variance_components(frame, ax=Figure().subplots())
    >>> [(bars.get_label(), float(bars[0].get_width())) for bars in ax.containers]
    [('replicate', 75.0), ('residual', 25.0)]
    """
    parts = drawn(frame, "variance_components").need("measure", "source")
    share = 100 * parts.column(of).to_numpy(float)
    measure = names(frame, ["measure"])
    shown = chosen(measures, [str(name) for name in measure.categories])
    source = frame["source"].astype(str).to_numpy(object)
    if pd.DataFrame({"measure": measure, "source": source}).duplicated().any():
        raise ValueError("variance_components() needs one row per measure and source; some repeat.")
    ax = style.axes(ax, height=max(1.6, legibility.list_height(len(shown), row=0.4)))
    ends = np.zeros(len(shown))
    for i, kind in enumerate(pd.unique(source)):
        of_kind = source == kind
        width = np.array([share[of_kind & (np.asarray(measure) == name)].sum() for name in shown])
        if np.isnan(share[of_kind]).all():  # queries have no part in a difference
            continue
        width = np.nan_to_num(width)
        ax.barh(np.arange(len(shown)), width, left=ends, height=0.7, label=legibility.entry(kind), **style.fill(i))
        ends = ends + width
    ax.set(xlim=(0, 100), ylim=(len(shown) - 0.45, -0.55))
    style.finish(ax, x=LABELS[of], grid="x")
    legibility.name_list(ax, shown, what="Measures")
    style.legend(ax, place=legend)
    return ax
