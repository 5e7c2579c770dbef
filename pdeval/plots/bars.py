"""Bars: percentages of wins, probabilities, differences of queries, histograms of search length, headroom, behavior."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import known_of
from pdeval.evaluate import clear_values
from pdeval.plots import style
from pdeval.plots.registry import PlotTable, chosen, index_of, names, plot, plot_table
from pdeval.report.footnotes import words
from pdeval.studies.search_length import (
    EDGES,
    NOT_IN_BOTH,
    SHIFTS,
    count_differences,
    count_lengths,
)
from pdeval.tables import run_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_PAIRS = 80
MAX_BARS = 400  # with more queries one filled outline replaces the bars
MAX_RUNS = 5  # side by side in a histogram
COUNTS = ["wins", "ties", "losses"]
VARIANCES = {
    "fraction": "a value",
    "difference_fraction": "a difference between two systems, each trained once",
}


def draw_shares(ax: Axes, share: np.ndarray, labels: tuple[str, str, str]) -> np.ndarray:
    """Draw one bar per row of percentages (better, neither, worse), and return the end of each part.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> draw_shares(Figure().subplots(), np.array([[50.0, 20.0, 30.0]]), ("win", "tie", "loss")).tolist()
    [[50.0, 70.0, 100.0]]
    """
    ends = share.cumsum(axis=1)
    for part, (label, color, hatch) in enumerate(
        zip(labels, (style.WIN, style.TIE, style.LOSS), ("", "", "////"))
    ):
        ax.barh(
            np.arange(len(share)),
            share[:, part],
            left=ends[:, part] - share[:, part],
            height=0.8,
            label=label,
            color=color,
            hatch=hatch,
            edgecolor="white",
            linewidth=0,
        )
    ax.set(xlim=(0, 100), ylim=(len(share) - 0.45, -0.55))
    return ends


@plot(on=("equivalences",), first=("equivalences",), needs=("better", "equivalent", "worse"))
def equivalence_bars(
    table: PlotTable,
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
        The measure; required if the frame has several.
    sort : bool
        Sort by better minus worse, the best at the top; else the order of the frame.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"run_a": ["lm"], "run_b": ["bm25"], "measure": "AP", "test": "correlated_t", "n": 50,
    ...                       "rope": 0.01, "worse": 0.05, "equivalent": 0.2, "better": 0.75})
    >>> ax = equivalence_bars(table, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], [round(bar.get_width()) for bar in ax.patches]
    (['lm − bm25'], [75, 20, 5])
    """
    rows, name = table.one("measure", measure)
    rows, _ = rows.one("test", None, option=False)
    rows.at_most(MAX_PAIRS, "pairs")
    if sort:
        rows = rows.rows(np.argsort(rows.numbers("worse") - rows.numbers("better"), kind="stable"))
    a, b, runs = rows.pairs()
    frame = rows.frame
    ax = style.axes(ax, height=style.list_height(len(frame)))
    draw_shares(
        ax,
        100 * frame[["better", "equivalent", "worse"]].to_numpy(float),
        ("better", "equivalent", "worse"),
    )
    about = [name] if name else []
    if "rope" in frame and frame["rope"].nunique() == 1:
        about.append(f"equivalent: ±{float(frame['rope'].iloc[0]):g}")
    return style.finish(
        ax,
        x="Posterior probability in %" + (f" ({', '.join(about)})" if about else ""),
        rows=[f"{runs[i]} − {runs[j]}" for i, j in zip(a, b)],
        what="Pairs",
        place=legend,
    )


@plot(on=("preferences", "wins"), first=("wins",))
def win_loss_tie(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    baseline: object = None,
    per: Literal["pair", "run"] | None = None,
    sort: bool = True,
) -> Axes:
    """Return axes with one horizontal bar per pair or run: the percentages of queries won, tied and lost.

    Parameters
    ----------
    frame : DataFrame
        Preferences (query, run_a, run_b, measure, value), counted here; wins of interleaved runs (run_a, run_b,
        a_wins, b_wins, ties); or other counts: run_a, run_b (or run), wins, ties, losses, seen from run_a.
    measure : str, optional
        The measure; required if the frame has several.
    baseline : run, optional
        Draw every other run against this one.
    per : {"pair", "run"}, optional
        One bar per pair, or one per run against all others. By default pairs, up to 40 of them.
    sort : bool
        Sort by wins minus losses, the best at the top; else the order of the frame.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> prefs = pd.DataFrame({"query_id": ["1", "2", "3"], "run_a": "lm", "run_b": "bm25", "measure": "RPP",
    ...                       "value": [-0.2, 0.5, 0.0]})
    >>> ax = win_loss_tie(prefs, baseline="bm25", ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], [round(bar.get_width()) for bar in ax.patches]
    (['lm'], [33, 33, 33])
    """
    rows, name = table.one("measure", measure)
    counts, against = _counts(rows, name, baseline, per)
    counts = counts[counts.sum(axis=1) > 0]
    if sort:
        lead = (counts["wins"] - counts["losses"]) / counts.sum(axis=1)
        counts = counts.iloc[np.argsort(-lead.to_numpy(), kind="stable")]
    share = 100 * counts.div(counts.sum(axis=1), axis=0).to_numpy()
    units = words({"query_column": table.query, **table.frame.attrs}).queries
    voters = set(table.names("per"))  # of interleaved runs: the unit that votes
    if len(voters) == 1:
        units = {"user": "users", "impression": "impressions"}.get(voters.pop(), units)
    opponent = f" against {against}" if against else ""
    if against == "all other runs":
        units, opponent = f"{units} x opponents", ""
    ax = style.axes(ax, height=style.list_height(len(counts)))
    ends = draw_shares(ax, share, ("win", "tie", "loss"))
    style.finish(
        ax,
        x=f"{name + ': ' if name else ''}% of {units}{opponent}",
        note=f"In the bars: number of {units}",
        rows=[str(label) for label in counts.index],
        place="above",
    )
    _write_counts(ax, counts.to_numpy(), ends - share / 2, share)
    return ax


def _write_counts(ax: Axes, counts: np.ndarray, middle: np.ndarray, width: np.ndarray) -> None:
    """Write the counts into the segments that are wide enough for them."""
    wide, high = style.inches(ax)
    size = min(0.85 * style.text_size(ax), 0.75 * 72 * high / max(len(counts), 1))
    if size < style.LEAST_LABEL:
        return
    digits = np.floor(np.log10(np.maximum(counts, 1))) + 1
    # widths are percentages of the axes; a digit is 0.62 of its size wide
    fits = (counts > 0) & (width > (digits + 0.7) * 100 * 0.62 * size / (72 * wide))
    on_hatch = {"facecolor": style.LOSS, "edgecolor": "none", "pad": 0.6}
    for row, part in np.argwhere(fits):
        ax.text(
            middle[row, part],
            row,
            f"{counts[row, part]:.0f}",
            ha="center",
            va="center_baseline",
            fontsize=size,
            color="white" if part == 0 else "black",
            bbox=on_hatch if part == 2 else None,
        )


def _counts(
    table: PlotTable, name: str, baseline: object, per: str | None
) -> tuple[pd.DataFrame, str]:
    """Return (wins, ties, losses per bar, the opponent)."""
    frame = table.frame
    if "wins" not in frame.columns:  # of interleaved runs
        frame = frame.rename(columns={"a_wins": "wins", "b_wins": "losses"})
    counted = all(kind in frame.columns for kind in COUNTS)
    if counted and not table.run_columns:
        columns = run_columns(frame, [], {}, taken=COUNTS)
        counts = (
            frame[COUNTS].groupby(pd.CategoricalIndex(names(frame, columns)), observed=True).sum()
        )
        return counts, "" if baseline is None else str(baseline)
    if counted:
        wins = frame[COUNTS].to_numpy(float)
    else:
        value = clear_values(table.numbers("value"), name, frame.attrs)
        wins = np.column_stack([value > 0, value == 0, value < 0]).astype(float)
    a, b, runs = table.pairs()
    # a number for each ordered pair of runs
    code = a * len(runs) + b
    against = ""
    labels = runs
    if baseline is not None:
        base = index_of(baseline, runs)
        against = runs[base]
        # seen from the other run: wins and losses are exchanged if the baseline is run a
        wins = np.where((a == base)[:, None], wins[:, ::-1], wins)
        rows = (a == base) ^ (b == base)
        wins, group = wins[rows], np.where(a == base, b, a)[rows]
    elif per == "pair" or (per is None and len(pd.unique(code)) <= 40):
        group, bars = pd.factorize(code)
        labels = [f"{runs[pair // len(runs)]} vs {runs[pair % len(runs)]}" for pair in bars]
    else:  # every comparison counts for both of its runs
        against, group = "all other runs", np.concatenate([a, b])
        wins = np.concatenate([wins, wins[:, ::-1]])
    totals = pd.DataFrame(wins, columns=COUNTS).groupby(group).sum()
    return totals.set_axis([labels[i] for i in totals.index]), against


@plot(on=("preferences",), needs=("value",))
def query_differences(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    pair: Sequence[object] | None = None,
    measure: str | None = None,
    mean: bool = True,
) -> Axes:
    """Return axes with one bar per query, the preference of run a over run b, sorted from best to worst.

    Parameters
    ----------
    frame : DataFrame
        Preferences: query, run_a, run_b, measure, value.
    pair : (run, run), optional
        The two runs; required if the frame has several pairs. In either direction.
    measure : str, optional
        The measure; required if the frame has several.
    mean : bool
        Draw the mean as a dashed line.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> prefs = pd.DataFrame({"query_id": ["1", "2", "3"], "run_a": "lm", "run_b": "bm25", "measure": "RPP",
    ...                       "value": [-0.2, 0.5, 0.0]})
    >>> ax = query_differences(prefs, ax=Figure().subplots())
    >>> [round(float(bar.get_height()), 2) for bar in ax.patches], ax.get_title()
    ([0.5, 0.0, -0.2], 'lm better: 1, tied: 1, bm25 better: 1')
    """
    if (query := table.query) is None:
        raise table.missing("query")
    rows, name = table.one("measure", measure)
    rows, sign, a, b = rows.one_pair(pair)
    value = clear_values(rows.numbers("value") * sign, name, table.frame.attrs)
    rows.unique("row per query", rows.frame[query], advice=" Keep e.g. one measure or one level.")
    bars = (
        pd.Series(value, index=rows.frame[query].astype(str))
        .dropna()
        .sort_values(ascending=False, kind="stable")
    )
    value, ids = bars.to_numpy(), list(bars.index)
    place = np.arange(len(value))
    ax = style.axes(ax)
    if len(value) <= MAX_BARS:
        ax.bar(
            place,
            value,
            width=0.85,
            color=np.where(value < 0, style.LOSS, style.WIN),
            linewidth=0,
        )
    else:
        for limit, color in ((np.maximum, style.WIN), (np.minimum, style.LOSS)):
            ax.fill_between(place, limit(value, 0), step="mid", color=color, linewidth=0)
    ax.axhline(0, color=style.foreground(), linewidth=0.6)
    if mean and len(value):
        at = float(value.mean())
        ax.axhline(
            at,
            color=style.foreground(),
            linewidth=0.9,
            linestyle="--",
            label=f"mean {at:+.3f}",
        )
    ax.set_xlim(-0.7, len(value) - 0.3)
    won, lost = int((value > 0).sum()), int((value < 0).sum())
    title = f"{a} better: {won}, tied: {len(value) - won - lost}, {b} better: {lost}"
    style.finish(
        ax, y=f"{name + ': ' if name else ''}{a} − {b}", title=title, grid="y", place="inside"
    )
    unit = words({"query_column": query})
    width = 72 * style.inches(ax)[0] / max(len(ids), 1)  # points for each name
    label = unit.query.capitalize()
    if width < 1.3 * style.LEAST_LABEL or max(map(len, ids), default=0) > 14:
        ax.set_xticks([])
        label = f"{len(ids)} {unit.queries}, sorted"
    else:
        style.name_ticks(ax, "x", ids)
    ax.set_xlabel(label, fontsize=style.text_size(ax))
    return ax


@plot(on=("behavior",), first=("behavior",), needs=("measure", "value"))
def behavior_bars(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    order: Sequence[object] | None = None,
    scale: Literal["relative", "raw"] = "relative",
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with a group of bars for each behavior measure, one bar per bucket with its confidence interval.

    Radlinski, Kurup and Joachims (2008), the absolute metrics of ArXiv.org. Measures have different units, so by
    default all are multiples of the first bucket's value. An arrow shows the direction of better results.

    Parameters
    ----------
    frame : DataFrame
        Behavior of users: bucket, measure, value, ci_low, ci_high. Without a bucket column there is one bucket.
    order : sequence of buckets, optional
        The buckets in their order, the first being the unit; by default that of the frame.
    scale : {"relative", "raw"}
        Multiples of the first bucket's value, or values as they are.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> log = pd.DataFrame({"bucket": ["A", "B"], "measure": "abandonment_rate", "aggregate": "mean", "n": 9,
    ...                     "value": [0.5, 0.6], "ci_low": [0.4, 0.5], "ci_high": [0.6, 0.7]})
    >>> ax = behavior_bars(log, ax=Figure().subplots())
    >>> [round(float(bar.get_width()), 2) for bar in ax.patches]
    [1.0, 1.2]
    """
    frame = table.frame
    measure, selected = table.measures(measures)
    bucket, buckets = _buckets_of_users(table, order)
    row = pd.Index(selected).get_indexer(measure.categories)[measure.codes]
    kept = (row >= 0) & (bucket >= 0)
    table.unique("value for each bucket and measure", row[kept], bucket[kept])
    cube = np.full(
        (len(selected), len(buckets), 3), np.nan
    )  # value, lower and upper end of the interval
    for k, name in enumerate(("value", "ci_low", "ci_high")):
        if name in frame.columns:
            cube[row[kept], bucket[kept], k] = table.numbers(name)[kept]
    x = "Value"
    if scale == "relative":
        x = f"Value, as a multiple of that of {buckets[0]}"
        unit = cube[:, :1, :1].copy()
        cube = np.divide(cube, unit, out=np.full_like(cube, np.nan), where=unit != 0)
    ax = style.axes(ax, width=5.4, height=1.1 + 0.14 * len(selected) * (1 + len(buckets)))
    thick = 0.82 / len(buckets)  # of a row of bars, which is 1 high
    for i, name in enumerate(buckets):
        y = np.arange(len(selected)) + (i - (len(buckets) - 1) / 2) * thick
        value, low, high = cube[:, i].T
        ax.barh(
            y,
            np.nan_to_num(value),
            height=0.92 * thick,
            label=style.entry(name),
            **style.fill(i),
        )
        known = ~np.isnan(low + high)
        ax.hlines(
            y[known],
            low[known],
            high[known],
            color=style.foreground(),
            linewidth=1.0,
            zorder=3,
        )
    left = min(0.0, float(np.nanmin(cube, initial=0.0)))
    ax.set(xlim=(left, None), ylim=(len(selected) - 0.45, -0.55))
    if scale == "relative":
        ax.axvline(1, color=style.foreground(), linewidth=0.6)
    style.finish(
        ax,
        x=x,
        grid="x",
        note="" if np.isnan(cube[..., 1:]).all() else f"Line: {style.interval(frame)}",
        place=legend if len(buckets) > 1 else None,
    )
    # with the direction of better results, if it is known
    directions = [known_of(name, frame.attrs) for name in selected]
    texts = [
        name.replace("_", " ") + (" ↑" if known["higher"] else " ↓") if known else name
        for name, known in zip(selected, directions)
    ]
    style.name_ticks(ax, "y", texts)
    return ax


def _buckets_of_users(
    table: PlotTable, order: Sequence[object] | None
) -> tuple[np.ndarray, list[str]]:
    """Return the bucket of each row as a number, -1 if it is not drawn, and their names."""
    frame = table.frame
    column = str(frame.attrs.get("bucket_column", "bucket"))
    others = [str(name) for name in frame.columns if name not in table.schema.named]
    if column not in frame.columns and len(others) == 1:
        column = others[0]
    if column not in frame.columns:
        return np.zeros(len(frame), dtype=np.int64), ["all"]
    bucket = table.names(column)
    present = [str(name) for name in bucket.categories]
    selected = chosen(None if order is None else [str(name) for name in order], present)
    return pd.Index(selected).get_indexer(pd.Index(present))[bucket.codes], selected


@plot(on=("headroom",), first=("headroom",), needs=("low", "high"))
def headroom_bars(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    value: Literal["count", "fraction"] = "count",
) -> Axes:
    """Return axes with a bar for each bucket: the number of collections whose best run's mean is in it.

    Alex, Hall and Metzler (2022), Figures 1 to 4.

    Parameters
    ----------
    frame : DataFrame
        Headroom: measure, bucket, low, high, count, fraction.
    measure : str, optional
        The measure; required if the frame has several.
    value : {"count", "fraction"}
        Height of the bars: the number of collections, or their fraction.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> headroom = pd.DataFrame({"measure": "ASL", "bucket": ["[1, 10)", "[10, inf)"], "low": [1.0, 10.0],
    ...                          "high": [10.0, np.inf], "count": [1, 3], "fraction": [0.25, 0.75]})
    >>> ax = headroom_bars(headroom, ax=Figure().subplots())
    >>> [int(bar.get_height()) for bar in ax.patches], [label.get_text() for label in ax.get_xticklabels()]
    ([1, 3], ['1–10', '10+'])
    """
    rows, name = table.need(value).one("measure", measure)
    table.unique("row for each bucket", rows.frame["low"])
    frame = rows.frame.sort_values("low", kind="stable")
    heights = frame[value].tolist()
    ax = style.axes(ax, width=4.4, height=3.0)
    ax.bar(np.arange(len(frame)), heights, width=0.85, **style.fill(0))
    ax.set_ylim(0, 1.08 * max(*heights, 1e-9))
    if value == "count":
        ax.locator_params(axis="y", integer=True)
    return style.finish(
        ax,
        x=f"Best mean {name}".rstrip(),
        y="Collections" if value == "count" else "Fraction of collections",
        grid="y",
        columns=[
            f"{low:g}+" if np.isinf(high) else f"{low:g}–{high:g}"
            for low, high in zip(frame["low"], frame["high"])
        ],
    )


@plot(on=("components",), first=("components",), needs=("measure", "source"))
def variance_components(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    of: Literal["fraction", "difference_fraction"] = "difference_fraction",
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one bar per measure, divided by the sources of its variance.

    Parameters
    ----------
    frame : DataFrame
        Variance components: measure, source, fraction, difference_fraction.
    of : {"fraction", "difference_fraction"}
        Divide the variance of one value, or that of the difference between the means of two systems, to which queries
        do not contribute.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": "AP", "source": ["query", "replicate", "residual"], "variance": [2.0, 1, 1],
    ...                       "fraction": [0.5, 0.25, 0.25], "difference_fraction": [np.nan, 0.75, 0.25]})
    >>> ax = variance_components(frame, ax=Figure().subplots())
    >>> [(bars.get_label(), float(bars[0].get_width())) for bars in ax.containers]
    [('replicate', 75.0), ('residual', 25.0)]
    """
    measure, selected = table.measures(measures)
    source = table.names("source")
    share = (
        table.wide("row per measure and source", measure, source, 100 * table.numbers(of))
        .reindex(index=selected, columns=source.categories)
        .dropna(axis=1, how="all")
        .fillna(0.0)
    )
    ends = share.cumsum(axis=1)  # of the bars so far; queries do not contribute to a difference
    ax = style.axes(ax, height=max(1.6, style.list_height(len(selected), row=0.4)))
    for kind in share.columns:
        ax.barh(
            np.arange(len(selected)),
            share[kind],
            left=ends[kind] - share[kind],
            height=0.7,
            label=style.entry(kind),
            **style.fill(list(source.categories).index(kind)),
        )
    ax.set(xlim=(0, 100), ylim=(len(selected) - 0.45, -0.55))
    return style.finish(
        ax,
        x="% of the variance",
        title=f"Sources of the variance of {VARIANCES[of]}",
        grid="x",
        rows=selected,
        what="Measures",
        place=legend,
    )


@plot(
    on=("search_lengths", "search_length_histogram"),
    first=("search_lengths", "search_length_histogram"),
)
def asl_histogram(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    edges: Sequence[float] = EDGES,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the number of relevant items in each bucket of search length; items not retrieved are last.

    Alex, Hall and Metzler (2022), Figure 5. Empty buckets at both ends are omitted.

    Parameters
    ----------
    frame : DataFrame
        A histogram: run, bucket and count or fraction, buckets in their order, the last one for items not retrieved
        (its name contains "retrieved" or "found"); or search lengths, one row per relevant item. Without a run column
        the frame is one run. Up to five runs are drawn side by side.
    value : str, optional
        Column of the heights; by default count or fraction.
    edges : sequence of numbers
        Lower edges of the buckets, if the frame has none.
    legend : {"inside", "right", "below", "above"} or None
        ... A single run goes into the title instead.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> items = pd.DataFrame({"run": "bm25", "query_id": "1", "doc_id": list("abcde"), "asl": [1, 1, 4, 30, 999],
    ...                       "retrieved": [True] * 4 + [False]})
    >>> ax = asl_histogram(items, edges=(1, 2, 10), ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_xticklabels()], [int(bar.get_height()) for bar in ax.patches]
    (['1', '2-9', '10+', 'not retrieved'], [2, 1, 1, 1])
    """
    frame = table.frame
    if "bucket" not in frame.columns:
        value = "count"
        frame = _count_items(table, edges)
    table = plot_table(frame, "asl_histogram", ["search_length_histogram"])
    height = value or table.holding("int") or table.holding("fraction") or "count"
    bucket = table.need(height).names("bucket")
    heights = table.wide(
        f"{height!r} for each run and bucket", bucket, table.runs(), table.numbers(height)
    ).fillna(0.0)
    order = sorted(bucket.categories, key=_not_retrieved)  # stable: those not retrieved come last
    heights = heights.reindex(order)
    outside = _empty_ends(heights.sum(axis=1).to_numpy(), np.array([*map(_not_retrieved, order)]))
    heights = heights[~outside]
    order, runs = list(heights.index), list(heights.columns)
    advice = f"Select some, e.g. frame[frame['run'] == {str(runs[0])!r}]."
    table.at_most(MAX_RUNS, "runs side by side", runs, advice)
    ax = style.axes(ax)
    width = 0.85 / len(runs)  # of a bar; the bars of a bucket are centered
    for i, run in enumerate(runs):
        ax.bar(
            np.arange(len(order)) + (i - (len(runs) - 1) / 2) * width,
            heights[run],
            width=width * 0.95,
            label=style.entry(str(run)),
            **style.fill(i),
        )
    retrieved = sum(not _not_retrieved(name) for name in order)
    if len(order) > 1 and retrieved < len(order):
        ax.axvline(retrieved - 0.5, color=style.foreground(), linewidth=0.6, linestyle=":")
    return style.finish(
        ax,
        x="Search length of the item (ASL)",
        y="Fraction of relevant items" if height == "fraction" else "Relevant items",
        title=str(runs[0]) if len(runs) == 1 else "",
        grid="y",
        columns=[str(name) for name in order],
        place=legend if len(runs) > 1 else None,
    )


def _empty_ends(heights: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return which buckets are empty as are all before them, or all after them, except those that are kept."""
    empty = (heights == 0) & ~kept
    ends = [np.logical_and.accumulate((empty | kept)[::step])[::step] for step in (1, -1)]
    return empty & (ends[0] | ends[1])


def _count_items(table: PlotTable, edges: Sequence[float]) -> pd.DataFrame:
    """Return the number of items per run and bucket of search length; items not retrieved come last."""
    run = table.runs()
    buckets, counts = count_lengths(
        run.codes.astype(np.intp),
        len(run.categories),
        table.numbers(table.holding("float") or "asl"),
        table.column("retrieved").to_numpy(bool),
        np.asarray(edges, dtype=float),
    )
    return pd.DataFrame(
        {
            "run": np.repeat(np.asarray(run.categories, dtype=object), len(buckets)),
            "bucket": buckets * len(run.categories),
            "count": counts.ravel(),
        }
    )


def _not_retrieved(bucket: object) -> bool:
    """Return whether a bucket is the one of items that were not retrieved."""
    return bool(
        re.search(r"retrieved|found|missing|\binf", str(bucket), re.IGNORECASE)
    ) and "," not in str(bucket)


@plot(
    on=("search_length_wins", "search_length_differences"),
    first=("search_length_wins", "search_length_differences"),
    needs=("bucket|difference",),
)
def asl_wins(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    pair: Sequence[object] | None = None,
    value: str | None = None,
    edges: Sequence[float] = SHIFTS,
) -> Axes:
    """Return axes with the number of relevant items in each bucket of the difference in search length of two runs.

    Alex, Hall and Metzler (2022), Figure 6: run a minus run b. Bars left of the middle are items that a ranks higher.
    Empty buckets at both ends are omitted.

    Parameters
    ----------
    frame : DataFrame
        bucket and count or fraction, buckets from the largest win of run a (negative) to its largest loss, with
        run_a and run_b if known, and with the `class` of items that only one run retrieved, or neither; or one row
        per relevant item with a column `difference`, ASL of a minus ASL of b, and `retrieved_a` and `retrieved_b`
        if known.
    pair : (run, run), optional
        The two runs; required if the frame has several pairs.
    value : str, optional
        Column of the heights; by default count or fraction.
    edges : sequence of numbers
        Lower edges of the buckets of wins and of losses, if the frame has none.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> items = pd.DataFrame({"difference": [-20, -1, 0, 3, 4]})
    >>> ax = asl_wins(items, edges=(1, 10), ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_xticklabels()], [int(bar.get_height()) for bar in ax.patches]
    (['≤ −10', '−9 to −1', '0', '1 to 9'], [1, 1, 1, 2])
    """
    a, b = "the first run", "the second run"
    if table.run_columns:
        table, _, a, b = table.one_pair(pair, directed=True)
    if "bucket" not in table.frame.columns:
        value = "count"
        known = {"retrieved_a", "retrieved_b"} <= set(table.frame.columns)
        items = table.frame if known else table.frame.assign(retrieved_a=True, retrieved_b=True)
        counts = count_differences(items, np.asarray(edges, dtype=float))
        table = replace(
            table, frame=counts if known else counts[~counts["class"].isin(NOT_IN_BOTH)]
        )
    height = value or table.holding("int") or table.holding("fraction") or "count"
    frame = table.need("bucket", height).frame
    classes = frame["class"].astype(str).tolist() if "class" in frame.columns else [""] * len(frame)
    # -1, 0 or 1: a win of run a, a tie, a loss; 2, 3 or 4 for items that runs lack
    side = np.array(
        [_side(bucket, kind) for bucket, kind in zip(frame["bucket"], classes)], dtype=float
    )
    heights = table.numbers(height)
    inside = ~_empty_ends(heights, side > 1)
    side, heights = side[inside], heights[inside]
    place = np.arange(len(heights))
    looks: dict[int, Any] = {
        -1: (f"{a} earlier", style.WIN, ""),
        0: ("same", style.TIE, ""),
        1: (f"{b} earlier", style.LOSS, "////"),
        2: (f"only {a} has it", style.WIN, "...."),
        3: (f"only {b} has it", style.LOSS, "xxxx"),
        4: ("neither has it", style.FADED, "----"),
    }
    ax = style.axes(ax)
    for kind, (label, color, hatch) in looks.items():
        rows = side == kind
        total = heights[rows].sum()
        if rows.any():
            ax.bar(
                place[rows],
                heights[rows],
                0.85,
                color=color,
                hatch=hatch,
                edgecolor="white",
                linewidth=0,
                label=style.entry(
                    f"{label}: {total:,.0f}" if height == "count" else f"{label}: {total:.2f}"
                ),
            )
    # the legend says which one; a long name would leave no height for the bars
    texts = dict(zip(NOT_IN_BOTH, ("only one", "only one", "neither")))
    style.finish(
        ax,
        x="Change of the item's search length (ASL)",
        y="Fraction of relevant items" if height == "fraction" else "Relevant items",
        grid="y",
        columns=[texts.get(str(name), str(name)) for name in frame["bucket"][inside]],
    )
    if (side <= 1).any() and (side > 1).any():
        ax.axvline(place[side > 1][0] - 0.5, color=style.foreground(), linewidth=0.6, linestyle=":")
    longest = max(map(len, ax.get_legend_handles_labels()[1]))
    # inside it would hide bars, which are high in the middle and at the right
    style.legend(ax, place="above", columns=2 if longest < 28 else 1)
    return ax


def _side(bucket: object, kind: str) -> float:
    """Return the side of one bucket, from its class, its interval, or the numbers in its text."""
    if kind in NOT_IN_BOTH:
        return 2.0 + NOT_IN_BOTH.index(kind)
    if isinstance(bucket, pd.Interval):
        return 0.0 if bucket.left < 0 < bucket.right else float(np.sign(bucket.left + bucket.right))
    numbers = re.findall(r"(?<![\d.])-?\d+(?:\.\d+)?", str(bucket).replace("−", "-"))
    if not numbers:
        raise ValueError(
            f"asl_wins() reads wins and losses from the numbers of a bucket, but {str(bucket)!r} has none. "
            "Name buckets like '-9 to -1'."
        )
    return float(np.sign(sum(np.sign(float(number)) for number in numbers)))
