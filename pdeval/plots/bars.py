"""How probable it is that runs are better, worse, or equivalent in practice: one bar per pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from pdeval.catalog.directions import known_of
from pdeval.plots import style, text_layout
from pdeval.plots.pairs import stacked_shares
from pdeval.plots.registry import Drawn, drawn, plot
from pdeval.plots.selection import chosen, names, one, pairs

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
    measure : str, optional
        The measure; needed where the frame has several.
    sort : bool
        Sort by better minus worse, the best at the top; else the order of the frame.

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
    ax = style.axes(ax, height=text_layout.list_height(len(rows)))
    share = 100 * rows[["better", "equivalent", "worse"]].to_numpy(float)
    stacked_shares(ax, share, ("better", "equivalent", "worse"))
    said = [f"equivalent: ±{float(rows['rope'].iloc[0]):g}"] if "rope" in rows and rows["rope"].nunique() == 1 else []
    about = ", ".join([name, *said] if name else said)
    style.finish(ax, x="Posterior probability in %" + (f" ({about})" if about else ""))
    style.legend(ax, place=legend, columns=3)
    text_layout.name_list(ax, [f"{runs[i]} − {runs[j]}" for i, j in zip(a, b)], what="Pairs")
    return ax


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
    order : sequence of buckets, optional
        The buckets in their order, the first being the unit; by default that of the frame.
    scale : {"relative", "raw"}
        Multiples of the first bucket's value, or values as they are.

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
        ax.barh(y, np.nan_to_num(value), height=0.92 * thick, label=text_layout.entry(name), **style.fill(i))
        known = ~np.isnan(low + high)
        ax.hlines(y[known], low[known], high[known], color="black", linewidth=1.0, zorder=3)
    ax.set_ylim(len(shown) - 0.45, -0.55)
    ax.set_xlim(left=min(0.0, float(np.nanmin(cube, initial=0.0))))
    if scale == "relative":
        ax.axvline(1, color="black", linewidth=0.6)
    x = f"Value, as a multiple of that of {buckets[0]}" if scale == "relative" else "Value"
    note = f"line: {style.interval(frame)}" if not np.isnan(cube[..., 1:]).all() else ""
    style.finish(ax, x=x, grid="x", note=note)
    text_layout.name_ticks(ax, "y", [_named(name, frame) for name in shown])
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
    measure : str, optional
        The measure; needed where the frame has several.
    value : {"count", "share"}
        What the bars show: the number of collections, or their share.

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
    text_layout.name_ticks(ax, "x", texts)
    return ax


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
    of : {"share", "of_difference"}
        Divide the variance of one value, or that of the difference between the means of two systems, in which queries
        themselves have no part.

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
    ax = style.axes(ax, height=max(1.6, text_layout.list_height(len(shown), row=0.4)))
    ends = np.zeros(len(shown))
    for i, kind in enumerate(pd.unique(source)):
        of_kind = source == kind
        width = np.array([share[of_kind & (np.asarray(measure) == name)].sum() for name in shown])
        if np.isnan(share[of_kind]).all():  # queries have no part in a difference
            continue
        width = np.nan_to_num(width)
        ax.barh(np.arange(len(shown)), width, left=ends, height=0.7, label=text_layout.entry(kind), **style.fill(i))
        ends = ends + width
    ax.set(xlim=(0, 100), ylim=(len(shown) - 0.45, -0.55))
    style.finish(ax, x=LABELS[of], grid="x")
    text_layout.name_list(ax, shown, what="Measures")
    style.legend(ax, place=legend)
    return ax
