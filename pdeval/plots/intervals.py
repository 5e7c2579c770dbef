"""Numbers with their intervals, one row each: means, differences, gaps, quantiles, and forest plots of collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import known_of
from pdeval.evaluate.summary import summary
from pdeval.plots import style
from pdeval.plots.registry import PlotTable, plot, plot_table
from pdeval.significance.over_collections import combined_effects
from pdeval.tables import listed, read
from pdeval.verbs import one_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEGMENTED = ("segments", "segment_differences", "segment_gaps", "segment_difference_gaps")
VALUES = {
    "estimate": "Estimated difference of",
    "difference": "Difference of",
    "mean": "Mean",
    "value": "Value of",
    "gap": "Gap in",
    "favor": "Favor",
}
NAMES = (
    "run",
    "run_a",
    "run_b",
    "bucket_a",
    "bucket_b",
    "segment_a",
    "segment_b",
    "statistic",
    "fraction",
)
MAX_ROWS = 200
MAX_MEASURES = 5
Combined = Literal["fixed", "random"]
EFFECTS = {"fixed": "Fixed effects", "random": "Random effects"}


def whiskers(frame: pd.DataFrame, mean: str) -> np.ndarray:
    """Return the lengths of the intervals below and above the means, shape (2, rows)."""
    ends = np.vstack([frame[mean] - frame["ci_low"], frame["ci_high"] - frame[mean]])
    return np.maximum(ends.astype(float), 0)


def marker_size(ax: Axes, rows: int) -> float:
    """Return the size in points of a marker in a list of this many rows."""
    return min(4.5, 0.6 * 72 * style.inches(ax)[1] / rows)


@plot(on=("summary", "scores"), first=("summary", "scores"))
def summary_bars(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    sort: bool = True,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the mean of every run as a dot with its confidence interval, best first.

    Parameters
    ----------
    frame : DataFrame
        A summary: run, measure, mean, perhaps ci_low and ci_high (or sd, then drawn as mean plus and minus sd); or
        scores, which are averaged first.
    measures : sequence of str, optional
        The measures to draw, in this order; by default all, up to five.
    sort : bool
        Sort the runs by the first measure's mean, the best at the top (the largest, if the direction of the measure is
        unknown); else the order of the frame.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> means = pd.DataFrame({"run": ["bm25", "lm"], "measure": "AP", "mean": [0.2, 0.3],
    ...                       "ci_low": [0.1, 0.25], "ci_high": [0.3, 0.35]})
    >>> ax = summary_bars(means, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['lm', 'bm25'], 'Mean AP (with confidence interval)')
    """
    attrs = table.frame.attrs
    if table.kind == "scores":
        table = plot_table(summary(read(table.frame, "scores"), None), "summary_bars", table.kinds)
    table.need("mean")
    run = table.runs()
    measure, selected = table.measures(measures)
    table.unique("mean per run and measure", run, measure)
    table.at_most(MAX_MEASURES, "measures", selected, f"Choose some: measures={selected[:2]!r}.")
    runs = [str(name) for name in run.categories]
    # a row per run for each measure, missing if a run has none
    by_run = table.frame.set_index(np.asarray(run, dtype=object))
    means = [by_run[measure == name].reindex(runs) for name in selected]
    if sort:
        first = means[0]["mean"].to_numpy(float)
        known = known_of(selected[0], attrs)
        order = np.argsort(first if known and not known["higher"] else -first, kind="stable")
        runs = [runs[i] for i in order]
        means = [rows.iloc[order] for rows in means]
    ax = style.axes(ax, height=style.list_height(len(runs), row=max(0.22, 0.14 * len(selected))))
    size = marker_size(ax, len(runs) * len(selected))
    spread, text = None, ""
    for i, (name, rows) in enumerate(zip(selected, means)):
        if {"ci_low", "ci_high"} <= set(rows.columns):
            spread, text = whiskers(rows, "mean"), f" (with {style.interval(table.frame)})"
        elif "sd" in rows.columns:
            spread, text = rows["sd"].to_numpy(float), " (± one standard deviation)"
        look = style.line(i)
        ax.errorbar(
            rows["mean"],
            np.arange(len(runs)) + 0.5 * (i - (len(selected) - 1) / 2) / len(selected),
            xerr=spread,
            label=style.entry(name) or "_mean",
            linestyle="none",
            color=look["color"],
            marker=look["marker"],
            markersize=size,
            elinewidth=min(1.3, 0.4 * size),
        )
    ax.set_ylim(len(runs) - 0.4, -0.6)
    of = f" {selected[0]}" if len(selected) == 1 and selected[0] else ""
    return style.finish(
        ax,
        x=f"Mean{of}{text}",
        grid="x",
        rows=runs,
        place=legend if len(selected) > 1 else None,
    )


@plot(
    on=("comparisons", "bucket_comparisons", "quantiles", "judge_bias", *SEGMENTED),
    first=("bucket_comparisons", "quantiles", "judge_bias", *SEGMENTED),
    needs=("ci_low", "ci_high"),
)
def intervals(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    sort: bool = False,
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval.

    If the table has a column `significant`, markers of significant rows are filled and the others hollow. A margin is
    drawn as a band, and the one-sided limits that are compared with it as a thicker line.

    Parameters
    ----------
    frame : DataFrame
        A table with ci_low and ci_high: comparisons of runs or buckets, segments, gaps, quantiles, biases of judges.
    measure : str, optional
        The measure; required if the frame has several.
    sort : bool
        Sort the rows by their value, the largest at the top; by default the order of the frame.

    Examples
    --------
    >>> import pdeval
    >>> from matplotlib.figure import Figure
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> result = scores.ireval.compare(baseline="bm25")
    >>> ax = result.ireval.plot.intervals(ax=Figure().subplots())
    >>> ax.get_yticklabels()[0].get_text(), ax.get_xlabel().split()[:3]
    ('bm25+rm3 − bm25', ['Difference', 'of', 'AP'])
    """
    rows, name = table.one("measure", measure)
    value = next((column for column in VALUES if column in rows.frame.columns), None)
    if value is None:
        raise table.missing("difference")
    rows.at_most(MAX_ROWS, "rows")
    frame = rows.frame.sort_values(value, ascending=False, kind="stable") if sort else rows.frame
    texts = _row_names(
        frame, table.frame.attrs.get("run_columns") or ["run"]
    )  # segments have several rows per run
    place = np.arange(len(frame))
    ax = style.axes(ax, height=style.list_height(len(frame)))
    size = marker_size(ax, len(frame))
    ax.hlines(
        place, frame["ci_low"], frame["ci_high"], color=style.BLUE, linewidth=min(1.3, 0.4 * size)
    )
    tested = "significant" in frame.columns
    significant = frame["significant"].to_numpy(bool) if tested else np.ones(len(frame), dtype=bool)
    for keep, face, label in (
        (significant, style.BLUE, "significant"),
        (~significant, ax.get_facecolor(), "not significant"),
    ):
        if keep.any():
            ax.plot(
                frame[value].to_numpy(float)[keep],
                place[keep],
                "o",
                label=label if tested else "_all",
                zorder=3,
                markersize=size,
                markerfacecolor=face,
                markeredgecolor=style.BLUE,
                color=style.BLUE,
            )
    if "margin" in frame.columns:  # a band, and the one-sided limits as a thicker line
        margin, limits = frame["margin"], frame[["lower", "upper"]].to_numpy().T
        ax.barh(place, 2 * margin, left=-margin, height=1.0, color=style.FADED, zorder=0)
        ax.hlines(place, *limits, color=style.BLUE, linewidth=2.6, zorder=2)
    if value in ("estimate", "difference", "gap", "favor"):  # 0 means no difference
        ax.axvline(0, color=style.foreground(), linewidth=0.7, linestyle=":")
    ax.set_ylim(len(frame) - 0.4, -0.6)
    return style.finish(
        ax,
        x=f"{VALUES[value]} {name}".rstrip() + f" (with {style.interval(table.frame)})",
        grid="x",
        rows=texts,
        what="Rows",
        place=legend if tested else None,
    )


def _row_names(rows: pd.DataFrame, runs: Sequence[str]) -> list[str]:
    """Return a name for each row from what differs between rows: groups, runs, pairs as 'a − b', statistics."""
    by = [name for name in rows.attrs.get("by", ()) if name in rows.columns]
    others = [str(name) for name in rows.columns if str(name) not in NAMES]
    segment = [
        name
        for name in others[:1]
        if not pd.api.types.is_numeric_dtype(rows[name].dtype) and name != "measure"
    ]
    quantiles = (
        ["statistic", "fraction"] if "fraction" in rows.columns else []
    )  # in other tables the statistic is that of a test
    columns = [
        name for name in dict.fromkeys([*by, *segment, *runs, *quantiles]) if name in rows.columns
    ]
    parts = [rows[name].astype(str) for name in columns if rows[name].nunique() > 1]
    for stem in dict.fromkeys([*runs, "bucket", "segment"]):
        if {f"{stem}_a", f"{stem}_b"} <= set(rows.columns):
            parts.append(rows[f"{stem}_a"].astype(str) + " − " + rows[f"{stem}_b"].astype(str))
    parts = parts or [rows[name].astype(str) for name in columns[:1]]
    if not parts:
        raise ValueError(
            f"intervals() found no column that names the rows; the frame has {listed(rows.columns)}."
        )
    return [", ".join(row) for row in zip(*parts)]


@plot(
    on=("collection_effects", "meta_analysis"),
    first=("collection_effects", "meta_analysis"),
)
def forest(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    runs: Sequence[str] | None = None,
    measure: str | None = None,
    combined: Sequence[Combined] = ("fixed", "random"),
    overall: pd.DataFrame | None = None,
) -> Axes:
    """Return axes with one row per collection: the difference, its interval, its weight; below, their means.

    For a table of `meta_analysis` there is one row per pair of runs: the macro difference with its interval.

    Parameters
    ----------
    frame : DataFrame
        Differences per collection, from `meta_analysis(by=..., per="collection")`, or its result per pair.
    runs : sequence of two str, optional
        The pair of runs, a and b, to draw; required if the frame has several.
    measure : str, optional
        The measure to draw; required if the frame has several.
    combined : sequence of {'fixed', 'random'}
        Means of the collections to draw as diamonds, as wide as their intervals.
    overall : DataFrame, optional
        Result of `meta_analysis` over the same collections, whose macro difference gets a diamond too.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"site": ["x", "y"], "run_a": "lm", "run_b": "bm25", "measure": "AP", "test": "t", "n": 9,
    ...                       "difference": [0.1, 0.2], "se": [0.05, 0.05], "ci_low": [0.0, 0.1],
    ...                       "ci_high": [0.2, 0.3], "p_value": 0.1, "weight": 0.5})
    >>> frame.attrs["by"] = ["site"]
    >>> ax = forest(frame, ax=Figure().subplots(), combined=["random"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x', 'y', 'Random effects']
    """
    table, name = table.one("measure", measure)
    if "macro" not in table.frame.columns:
        return _forest_of_collections(table, runs, ax, combined, overall)
    if runs is not None:
        table, *_ = table.one_pair(runs, option="runs", directed=True)
    a, b, ids = table.pairs()
    names = [f"{ids[i]} − {ids[j]}" for i, j in zip(a, b)]
    ax = style.axes(ax, height=style.list_height(len(names)))
    return _finish_forest(
        ax, table, "macro", np.ones(len(names)), names, f"Macro difference of {name}"
    )


def _forest_of_collections(
    table: PlotTable,
    runs: Sequence[str] | None,
    ax: Axes | None,
    combined: Sequence[Combined],
    overall: pd.DataFrame | None,
) -> Axes:
    """Draw a row per collection, and a diamond for each mean of them."""
    table, _, a, b = table.one_pair(runs, option="runs", directed=True)
    frame = table.frame
    by = [name for name in frame.attrs.get("by", ()) if name in frame.columns] or [
        str(frame.columns[0])
    ]
    names = [" / ".join(map(str, row)) for row in frame[by].itertuples(index=False)]
    measure = str(frame["measure"].iloc[0])
    effects = [one_of("combined", name, EFFECTS) for name in combined]
    values = frame[["difference", "se"]].to_numpy(float)
    pooled = combined_effects(
        values[:, :1], values[:, 1:], confidence=frame.attrs.get("confidence", 0.95)
    )
    # lower end, mean and upper end of each mean of the collections
    diamonds = {
        EFFECTS[name]: [pooled[f"{name}{end}"].item() for end in ("_low", "", "_high")]
        for name in effects
    }
    if overall is not None:
        analyses = plot_table(overall, "forest(overall=...)", ["meta_analysis"])
        rows, *_ = analyses.one("measure", measure)[0].one_pair((a, b), directed=True)
        diamonds["Macro mean"] = rows.frame[["ci_low", "macro", "ci_high"]].to_numpy(float)[0]
    diamonds = {name: ends for name, ends in diamonds.items() if not np.isnan(ends).any()}
    ax = style.axes(ax, height=style.list_height(len(frame) + len(diamonds)))
    for row, (low, mean, high) in enumerate(diamonds.values(), start=len(frame)):
        ax.fill(
            [low, mean, high, mean],
            [row, row - 0.32, row, row + 0.32],
            facecolor=style.VERMILLION,
            edgecolor=style.foreground(),
            linewidth=0.6,
            zorder=3,
        )
    if diamonds:
        ax.axhline(len(frame) - 0.5, color=style.FADED, linewidth=0.7)
    # areas are proportional to weights; unknown ones are equal
    weight = frame["weight"].fillna(1 / len(frame)).to_numpy(float)
    return _finish_forest(
        ax,
        table,
        "difference",
        np.sqrt(weight / weight.max()),
        [*names, *diamonds],
        f"{a} − {b}, difference of {measure}",
    )


def _finish_forest(
    ax: Axes, table: PlotTable, value: str, sizes: np.ndarray, names: list[str], label: str
) -> Axes:
    """Draw points as large as their weight, with whiskers, and name the rows."""
    mean = table.numbers(value)
    place = np.arange(len(mean))
    ax.errorbar(
        mean,
        place,
        xerr=np.nan_to_num(whiskers(table.frame, value)),
        linestyle="none",
        color=style.BLUE,
        elinewidth=1.1,
        zorder=2,
    )
    ax.scatter(
        mean,
        place,
        s=(6.0 * sizes) ** 2,
        marker="s",
        color=style.BLUE,
        linewidths=0,
        zorder=3,
    )
    ax.axvline(0, color=style.foreground(), linewidth=0.7, linestyle=":")
    ax.set_ylim(len(names) - 0.4, -0.6)
    return style.finish(
        ax,
        x=f"{label} (with {style.interval(table.frame)})",
        grid="x",
        rows=names,
        what="Rows",
    )
