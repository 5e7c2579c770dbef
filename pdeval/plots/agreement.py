"""Do two measures prefer the same run? Their differences against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.evaluate.sources import clear_values
from pdeval.kinds.vocabularies import listed
from pdeval.mechanics.arguments import several, shown
from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import index_of, names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("preferences",))
def difference_scatter(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    most: int = 5000,
    seed: int | None = 0,
) -> Axes:
    """Return axes with one point per query and pair of runs: its difference under two measures.

    Diaz and Ferraro (2022), Figure 5. Crosses are pairs on which the two measures do not agree in sign; the
    title gives Pearson's r and the sign agreement: the share of points with equal signs, where two ties
    agree and a tie and a preference do not.

    Parameters
    ----------
    frame : DataFrame
        Preferences (query, run_a, run_b, measure, value) under two measures, or a wide frame with one column
        per measure.
    ax : Axes, optional
        Where to draw; new axes by default.
    measures : (str, str), optional
        The measures of the x and the y axis; needed where the frame has more than two.
    most : int
        Draw at most so many points, a seeded sample; r and agreement are those of all points.
    seed : int or None
        The seed of that sample.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> prefs = pd.DataFrame({"query_id": ["1", "2", "3"] * 2, "run_a": "x", "run_b": "y",
    ...                       "measure": ["RPP"] * 3 + ["AP"] * 3, "value": [1, 0.5, -1, 0.4, -0.1, -0.3]})
    >>> difference_scatter(prefs, ax=Figure().subplots()).get_title()
    "Pearson's r = 0.87, sign agreement = 0.67"
    """
    x_name, y_name, x, y = _two(frame, measures)
    counted = ~(np.isnan(x) | np.isnan(y))
    x, y = (clear_values(*one, frame.attrs) for one in ((x[counted], x_name), (y[counted], y_name)))
    if not len(x):
        raise ValueError(f"{x_name} and {y_name} have no query and pair of runs in common.")
    agrees = np.sign(x) == np.sign(y)
    varied = len(x) > 1 and x.std() > 0 and y.std() > 0
    r = f"{np.corrcoef(x, y)[0, 1]:.2f}" if varied else "undefined"
    title = f"Pearson's r = {r}, sign agreement = {agrees.mean():.2f}"
    if len(x) > most:
        drawn = np.sort(np.random.default_rng(seed).choice(len(x), size=most, replace=False))
        x, y, agrees = x[drawn], y[drawn], agrees[drawn]
    ax = style.axes(ax, width=3.8, height=3.6)
    size, alpha = (14, 0.7) if len(x) <= 500 else (5, 0.4)
    kinds = (
        (agrees, "same sign", style.BLUE, "o", 0.0),
        (~agrees, "different sign", style.VERMILLION, "x", 0.8),
    )
    for points, label, colour, marker, width in kinds:
        ax.scatter(
            x[points], y[points], s=size, c=colour, marker=marker, linewidths=width, alpha=alpha, label=label,
            rasterized=len(x) > 2000, zorder=3,
        )  # fmt: skip
    ax.axhline(0, color="black", linewidth=0.6)
    ax.axvline(0, color="black", linewidth=0.6)
    for axis, values in (("x", x), ("y", y)):
        reach = 1.06 * float(np.abs(values).max()) or 1.0
        (ax.set_xlim if axis == "x" else ax.set_ylim)(-reach, reach)
    style.finish(ax, x=x_name, y=y_name, title=title)
    legibility.few_ticks(ax, float(ax.get_xlim()[1]))
    style.legend(ax)
    return ax


def _two(frame: pd.DataFrame, measures: Sequence[str] | None) -> tuple[str, str, np.ndarray, np.ndarray]:
    """Return the two measures and their values on the same queries and pairs."""
    prefs = drawn(frame, "difference_scatter")
    if measures is not None and len(several("measures", measures)) != 2:
        raise ValueError(f"measures={shown(measures)}: give two names, for x and y.")
    if measures is not None and "measure" not in frame.columns and set(measures) <= set(frame.columns):
        return measures[0], measures[1], frame[measures[0]].to_numpy(float), frame[measures[1]].to_numpy(float)
    prefs.need("measure", "value")
    measure = names(frame, ["measure"])
    present = [str(name) for name in measure.categories]
    if measures is None:
        if len(present) != 2:
            raise ValueError(
                f"difference_scatter() draws two measures; the frame has {len(present)}: {listed(present, 6)}. "
                "Choose: measures=('RPP', 'AP')."
            )
        measures = present
    x_code, y_code = (index_of(name, present, what="measure") for name in measures)
    sides = [f"{stem}_{side}" for side in "ab" for stem in prefs.run_columns]
    keys = sides if prefs.query is None else [prefs.query, *sides]
    parts = [frame.loc[measure.codes == code, [*keys, "value"]] for code in (x_code, y_code)]
    if any(part.duplicated(keys).any() for part in parts):
        raise ValueError(f"difference_scatter() needs one value per measure and ({', '.join(keys)}); some repeat.")
    joined = parts[0].merge(parts[1], on=keys, suffixes=("_x", "_y"))
    x, y = (joined[f"value_{side}"].to_numpy(float) for side in "xy")
    return present[x_code], present[y_code], x, y
