"""What users did in each bucket, as bars with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from pdeval.catalog.known import known_of
from pdeval.plots import legibility, style
from pdeval.plots.drawing import Drawn, drawn, plot
from pdeval.plots.selection import chosen, names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("behaviour",), first=("behaviour",))
def behaviour_bars(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    order: Sequence[object] | None = None,
    scale: Literal["relative", "raw"] = "relative",
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with a group of bars for each behaviour measure, one bar per bucket with its confidence interval.

    Radlinski, Kurup and Joachims (2008), the absolute metrics of ArXiv.org. Measures have different units, so that by
    default all are shown as multiples of the first bucket's value; an arrow says where better results should lead.

    Parameters
    ----------
    frame : DataFrame
        Behaviour of users: bucket, measure, value, ci_low, ci_high. Without a bucket column there is one bucket.
    ax : Axes, optional
        Where to draw; new axes by default.
    measures : sequence of str, optional
        The measures to draw, in this order; by default all.
    order : sequence of buckets, optional
        The buckets in their order, the first being the unit; by default that of the frame.
    scale : {"relative", "raw"}
        Multiples of the first bucket's value, or values as they are.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> log = pd.DataFrame({"bucket": ["A", "B"], "measure": "abandonment_rate", "aggregate": "mean", "n": 9,
    ...                     "value": [0.5, 0.6], "ci_low": [0.4, 0.5], "ci_high": [0.6, 0.7]})
    >>> ax = behaviour_bars(log, ax=Figure().subplots())
    >>> [round(float(bar.get_width()), 2) for bar in ax.patches]
    [1.0, 1.2]
    """
    table = drawn(frame, "behaviour_bars").need("measure", "value")
    measure = names(frame, ["measure"])
    present = [str(name) for name in measure.categories]
    shown = chosen(measures, present)
    bucket, buckets = _buckets(table, order)
    columns = [name for name in ("value", "ci_low", "ci_high") if name in frame.columns]
    cube = np.full((len(shown), len(buckets), 3), np.nan)
    at = pd.Index(shown).get_indexer(pd.Index(np.asarray(present, dtype=object)[measure.codes]))
    kept = (at >= 0) & (bucket >= 0)
    if pd.DataFrame({"at": at[kept], "bucket": bucket[kept]}).duplicated().any():
        raise ValueError("behaviour_bars() needs one value for each bucket and measure; some repeat.")
    for k, name in enumerate(columns):
        cube[at[kept], bucket[kept], k] = frame[name].to_numpy(float)[kept]
    if scale == "relative":
        first = cube[:, :1, :1].copy()
        cube = np.divide(cube, first, out=np.full_like(cube, np.nan), where=first != 0)
    ax = style.axes(ax, width=5.4, height=1.1 + 0.14 * len(shown) * (1 + len(buckets)))
    thick, place = 0.82 / len(buckets), np.arange(len(shown))
    for i, name in enumerate(buckets):
        y = place + (i - (len(buckets) - 1) / 2) * thick
        value, low, high = cube[:, i].T
        ax.barh(y, np.nan_to_num(value), height=0.92 * thick, label=legibility.entry(name), **style.fill(i))
        known = ~np.isnan(low + high)
        ax.hlines(y[known], low[known], high[known], color="black", linewidth=1.0, zorder=3)
    ax.set_ylim(len(shown) - 0.45, -0.55)
    ax.set_xlim(left=min(0.0, float(np.nanmin(cube, initial=0.0))))
    if scale == "relative":
        ax.axvline(1, color="black", linewidth=0.6)
    x = f"Value, as a multiple of that of {buckets[0]}" if scale == "relative" else "Value"
    note = f"line: {style.interval(frame)}" if not np.isnan(cube[..., 1:]).all() else ""
    style.finish(ax, x=x, grid="x", note=note)
    legibility.name_ticks(ax, "y", [_named(name, frame) for name in shown])
    style.legend(ax, place=legend if len(buckets) > 1 else None)
    return ax


def _named(measure: str, frame: pd.DataFrame) -> str:
    """Return a measure in words, with where better results lead; what is not known stays as it is."""
    known = known_of(measure, frame.attrs)
    return measure if known is None else measure.replace("_", " ") + (" ↑" if known["higher"] else " ↓")


def _buckets(table: Drawn, order: Sequence[object] | None) -> tuple[np.ndarray, list[str]]:
    """Return the bucket of each row as a number, -1 where it is not drawn, and their names."""
    frame = table.frame
    column = str(frame.attrs.get("bucket_column", "bucket"))
    if column not in frame.columns:
        others = [name for name in frame.columns if name not in table.schema.named]
        column = str(others[0]) if len(others) == 1 else column
    if column not in frame.columns:
        return np.zeros(len(frame), dtype=np.int64), ["all"]
    own = names(frame, [column])
    present = [str(name) for name in own.categories]
    shown = chosen(None if order is None else [str(name) for name in order], present)
    at = pd.Index(shown).get_indexer(pd.Index(present))
    return at[own.codes], shown
