"""How much is left to win: what the best systems of many collections reach, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import one

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("headroom",), first=("headroom",))
def headroom_bars(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    value: Literal["count", "share"] = "count",
) -> Axes:
    """Return axes with a bar for each bucket: of how many collections the best run's mean is there.

    Alex, Hall and Metzler (2022), Figures 1 to 4.

    Parameters
    ----------
    frame : DataFrame
        Headroom: measure, bucket, low, high, count, share.
    ax : Axes, optional
        Where to draw; new axes by default.
    measure : str, optional
        The measure; needed where the frame has several.
    value : {"count", "share"}
        What the bars show: the number of collections, or their share.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> room = pd.DataFrame({"measure": "ASL", "bucket": ["[1, 10)", "[10, inf)"], "low": [1.0, 10.0],
    ...                      "high": [10.0, np.inf], "count": [1, 3], "share": [0.25, 0.75]})
    >>> ax = headroom_bars(room, ax=Figure().subplots())
    >>> [int(bar.get_height()) for bar in ax.patches], [label.get_text() for label in ax.get_xticklabels()]
    ([1, 3], ['1–10', '10+'])
    """
    drawn(frame, "headroom_bars").need("low", "high", value)
    rows, name = one(frame, "measure", measure, plot="headroom_bars")
    if rows["low"].duplicated().any():
        raise ValueError("headroom_bars() needs one row for each bucket; some repeat.")
    rows = rows.sort_values("low", kind="stable")
    heights = rows[value].tolist()
    ax = style.axes(ax, width=4.4, height=3.0)
    ax.bar(np.arange(len(rows)), heights, width=0.85, **style.fill(0))
    ax.set_ylim(0, 1.08 * max(*heights, 1e-9))
    y = "Collections" if value == "count" else "Share of collections"
    style.finish(ax, x=f"Best mean {name or ''}".rstrip(), y=y, grid="y")
    if value == "count":
        ax.locator_params(axis="y", integer=True)
    texts = [f"{low:g}+" if np.isinf(high) else f"{low:g}–{high:g}" for low, high in zip(rows["low"], rows["high"])]
    legibility.name_ticks(ax, "x", texts)
    return ax
