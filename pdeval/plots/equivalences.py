"""How probable it is that runs are better, worse, or equivalent in practice: one bar per pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.pairs import stacked_shares
from pdeval.plots.selection import one, pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 80


@plot(on=("equivalences",), first=("equivalences",))
def equivalence_bars(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    sort: bool = True,
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one bar per pair of runs: the probabilities of better, equivalent in practice, and worse.

    Parameters
    ----------
    frame : DataFrame
        Practical equivalence: run_a, run_b, measure, rope, worse, equivalent, better.
    ax : Axes, optional
        Where to draw; new axes by default, as tall as the bars need.
    measure : str, optional
        The measure; needed where the frame has several.
    sort : bool
        Sort by better minus worse, the best at the top; else the order of the frame.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> found = pd.DataFrame({"run_a": ["lm"], "run_b": ["bm25"], "measure": "AP", "test": "correlated_t", "n": 50,
    ...                       "rope": 0.01, "worse": 0.05, "equivalent": 0.2, "better": 0.75})
    >>> ax = equivalence_bars(found, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], [round(bar.get_width()) for bar in ax.patches]
    (['lm − bm25'], [75, 20, 5])
    """
    table = drawn(frame, "equivalence_bars").need("better", "equivalent", "worse")
    rows, name = one(frame, "measure", measure, plot="equivalence_bars")
    rows, _ = one(rows, "test", None, plot="equivalence_bars", option=False)
    if len(rows) > MOST:
        raise ValueError(
            f"equivalence_bars() draws at most {MOST} pairs; the frame has {len(rows):,}. Keep some of them, e.g. "
            "those of a baseline."
        )
    if sort:
        rows = rows.iloc[np.argsort((rows["worse"] - rows["better"]).to_numpy(float), kind="stable")]
    a, b, runs = pairs(rows, table.run_columns)
    ax = style.axes(ax, height=legibility.list_height(len(rows)))
    share = 100 * rows[["better", "equivalent", "worse"]].to_numpy(float)
    stacked_shares(ax, share, ("better", "equivalent", "worse"))
    said = [f"equivalent: ±{float(rows['rope'].iloc[0]):g}"] if "rope" in rows and rows["rope"].nunique() == 1 else []
    about = ", ".join([name, *said] if name else said)
    style.finish(ax, x="Posterior probability in %" + (f" ({about})" if about else ""))
    style.legend(ax, place=legend, columns=3)
    legibility.name_list(ax, [f"{runs[i]} − {runs[j]}" for i, j in zip(a, b)], what="Pairs")
    return ax
