"""How a preference between two runs adds up on one query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import chosen, names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("pair_explanation",), first=("pair_explanation",))
def running_sum(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the running sum of a preference over populations and recall levels, a line per measure.

    A line rises where the first run is sooner and falls where the second is; it ends at the preference. Dotted lines
    stand between the populations of the first measure.

    Parameters
    ----------
    frame : DataFrame
        An explanation of a preference on one query: measure, population, recall, weight, value.
    ax : Axes, optional
        Where to draw; new axes by default.
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
    >>> parts = pd.DataFrame({"query_id": "1", "run_a": "x", "run_b": "y", "measure": "RPP", "population": "relevant",
    ...                       "recall": [1, 2, 3], "weight": 0.25, "value": [1.0, 1.0, -1.0]})
    >>> ax = running_sum(parts, ax=Figure().subplots())
    >>> [line.get_ydata().tolist() for line in ax.lines if line.get_label() == "RPP"]
    [[0.0, 0.25, 0.5, 0.25]]
    """
    parts = drawn(frame, "running_sum").need("measure", "population", "weight", "value")
    if parts.query is not None and frame[parts.query].nunique() > 1:
        raise ValueError(
            f"running_sum() draws one query, and the frame has {frame[parts.query].nunique()}; choose one, e.g. "
            f"frame[frame[{parts.query!r}] == {frame[parts.query].iloc[0]!r}]."
        )
    title = ""
    if stems := parts.run_columns:
        a, b = (names(frame, [f"{stem}_{side}" for stem in stems])[0] for side in "ab")
        title = legibility.plain(f"rises: {a} sooner, falls: {b} sooner")
    measure = names(frame, ["measure"])
    added = frame["weight"].to_numpy(float) * frame["value"].to_numpy(float)
    ax = style.axes(ax)
    ax.axhline(0, color="black", linewidth=0.6, label="_zero")
    longest = 1
    for i, name in enumerate(chosen(measures, list(measure.categories))):
        mine = np.asarray(measure == name)
        line = np.concatenate([[0.0], np.cumsum(added[mine])])
        longest = max(longest, len(line) - 1)
        ax.plot(
            np.arange(len(line)), line, label=legibility.entry(name), markevery=max(1, len(line) // 15), **style.line(i)
        )
        if i == 0:
            population = frame["population"].astype(str).to_numpy()[mine]
            for border in np.flatnonzero(population[1:] != population[:-1]) + 1:
                ax.axvline(border + 0.5, color="grey", linewidth=0.6, linestyle=":", label="_population")
    legibility.recall_ticks(ax, longest)
    ax.set_xlim(0, longest)
    x = "Users (recall level, population after population)"
    style.finish(ax, x=x, y="Preference so far", title=title, grid="y")
    style.legend(ax, place=legend)
    return ax
