"""Lines, one per run or measure: precision and recall, contributions, ties, discounts, p-values, incomplete data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.plots import style
from pdeval.plots.registry import PlotTable, chosen, index_of, names, plot
from pdeval.tables import NOISE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATISTICS = {
    "tau_b": "Kendall's τ with the full data",
    "ranking_agreement": "Ranking agreement with the full data",
    "system_agreement": "System agreement with the full data",
    "ties": "Tied pairs",
}
P_VALUES = {"p_value": "p-value", "p_adjusted": "p-value, corrected"}
GROUPS = ("measure", "collection", "dataset", "benchmark", "run", "query_id")


def draw_lines(
    ax: Axes,
    curves: Mapping[str, pd.Series],
    *,
    marks: int = 0,
    staggered: bool = False,
    bands: Mapping[str, tuple[Any, Any]] | None = None,
    **look: Any,
) -> None:
    """Draw one line per curve, whose index is x; with about `marks` markers on each, or one at every point.

    `bands` has the lower and upper end of the shaded area of a curve.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> draw_lines(ax, {"AP": pd.Series([0.5, 0.2], index=[1, 2])})
    >>> ax.lines[0].get_label(), ax.lines[0].get_xydata().tolist()
    ('AP', [[1.0, 0.5], [2.0, 0.2]])
    """
    for i, (name, curve) in enumerate(curves.items()):
        gap = max(1, len(curve) // marks) if marks else 1
        # staggered markers of lines that run together do not hide each other
        ax.plot(
            curve.index.to_numpy(),
            curve.to_numpy(),
            label=style.entry(name) or "_line",
            **(style.line(i) | {"markevery": (i % gap if staggered else 0, gap)} | look),
        )
        if bands and name in bands:
            low, high = bands[name]
            x = curve.index.to_numpy(float)
            ax.fill_between(x, low, high, color=style.color(i), alpha=0.13, linewidth=0, zorder=1)


@plot(on=("curve",), first=("curve",), needs=("recall", "precision"))
def precision_recall(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    highlight: Sequence[object] | int = 6,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with precision against recall, one line per run.

    Curves per query are averaged over queries. The queries need common recall points, as interpolated curves have.

    Parameters
    ----------
    frame : DataFrame
        A precision-recall table: run, [query], recall, precision.
    highlight : int or sequence of runs
        Number of runs to draw in color, the best by mean precision, or the runs themselves. The others are gray.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> curve = pd.DataFrame({"run": ["bm25", "bm25", "lm", "lm"], "recall": [0.0, 1.0, 0.0, 1.0],
    ...                       "precision": [0.9, 0.2, 0.8, 0.3]})
    >>> ax = precision_recall(curve, ax=Figure(figsize=(3.3, 2.4)).subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['bm25', 'lm']
    """
    points = _mean_curve(table)
    present = [str(name) for name in points.columns]
    colored = present
    if not isinstance(highlight, int):
        colored = [present[index_of(name, present)] for name in highlight]
    elif len(present) > highlight:  # the best first
        best = np.argsort(-points.mean().to_numpy(), kind="stable")
        colored = [present[i] for i in best[:highlight]]
    others = [column for column in present if column not in colored]
    gray: dict[str, Any] = {"color": style.FADED, "linewidth": 0.6}
    ax = style.axes(ax)
    if others:
        ax.plot(
            points.index,
            points[others].to_numpy(),
            label="_others",
            zorder=1,
            **gray,
        )
    draw_lines(
        ax,
        {name: points[name].dropna() for name in colored},
        marks=11,
        staggered=True,
        zorder=3,
    )
    if others:  # a line without points puts them at the end of the legend
        ax.plot([], [], label=f"{len(others)} other runs", **gray)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    return style.finish(
        ax,
        x="Recall",
        y="Precision",
        grid="both",
        place=legend,
    )


def _mean_curve(table: PlotTable) -> pd.DataFrame:
    """Return the precision as a frame of recall points x runs, averaged over queries."""
    query, frame = table.query, table.frame
    recall = frame["recall"].to_numpy()
    if query is None or frame[query].nunique() <= 1:
        return table.wide(
            "precision per run and recall", recall, table.runs(), frame["precision"].to_numpy()
        )
    run = pd.CategoricalIndex(table.runs())
    at_point = frame["precision"].groupby([recall, run], observed=True)
    counts = at_point.count().unstack()
    queries = frame[query].groupby(run, observed=True).nunique().reindex(counts.columns)
    # every query of a run must have a precision at every recall point
    if (counts.fillna(0).to_numpy() != queries.to_numpy()).any():
        raise ValueError(
            f"precision_recall() averages over queries only at common recall points, but the points differ "
            f"between the {frame[query].nunique()} queries. Draw one query, "
            f"curve[curve[{query!r}] == {frame[query].iloc[0]!r}], or interpolate first."
        )
    return at_point.mean().unstack()


@plot(on=("contributions",), first=("contributions",), needs=("measure", "recall", "value"))
def recall_levels(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    pair: Sequence[object] | None = None,
    measures: Sequence[str] | None = None,
    scale: Literal["fraction", "raw"] = "fraction",
    levels: int | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the contribution of each recall level to the difference of two runs, a line per measure.

    Diaz and Ferraro (2022), Figure 4b: the weight of top-heavy measures is on the first levels, that of ASL on the
    last ones, and that of RPP is the same on each.

    Parameters
    ----------
    frame : DataFrame
        Contributions of recall levels: query, run_a, run_b, measure, recall, value. Values
        are averaged at each level over the queries that have it. Without columns of runs the frame is one pair.
    pair : (run, run), optional
        The two runs; required if the frame has several pairs. In either direction.
    scale : {"fraction", "raw"}
        "fraction" divides the values of each measure by the sum of their absolute values, which makes measures with
        different units comparable; "raw" does not change them.
    levels : int, optional
        Number of recall levels to draw; by default all.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> parts = pd.DataFrame({"query_id": "1", "run_a": "x", "run_b": "y", "measure": ["AP"] * 2 + ["RPP"] * 2,
    ...                       "recall": [1, 2, 1, 2], "value": [0.6, -0.2, 1.0, -1.0]})
    >>> ax = recall_levels(parts, ax=Figure().subplots())
    >>> [line.get_ydata().round(2).tolist() for line in ax.lines if line.get_label() in ("AP", "RPP")]
    [[0.75, -0.25], [0.5, -0.5]]
    """
    rows, sign, title = table, np.ones(len(table.frame)), ""
    if table.run_columns:
        rows, sign, a, b = table.one_pair(pair)
        title = f"Above 0: {a} better, below 0: {b} better"
    parts = pd.DataFrame(
        {
            "measure": rows.names("measure"),
            "recall": rows.frame["recall"].to_numpy(),
            "value": rows.numbers("value") * sign,
        }
    )
    if "weight" in rows.frame.columns:  # contributions of the populations of a query are added
        parts["value"] *= rows.numbers("weight")
        parts["query"] = 0 if table.query is None else rows.frame[table.query].to_numpy()
        parts = (
            parts.groupby(["query", "recall", "measure"], observed=True, sort=False)["value"]
            .sum()
            .reset_index()
        )
    means = parts.groupby(["recall", "measure"], observed=True)["value"].mean().unstack()
    selected = chosen(measures, [str(name) for name in means.columns])
    if scale == "fraction":
        sizes = means.abs().sum()  # of a measure over all levels
        means = means / sizes.where(sizes > 0, 1.0)
    if levels is not None:
        means = means[means.index <= levels]
    ax = style.axes(ax)
    ax.axhline(0, color=style.foreground(), linewidth=0.6, label="_zero")
    draw_lines(ax, {name: means[name].dropna() for name in selected}, marks=15)
    style.recall_ticks(ax, means.index.max())
    return style.finish(
        ax,
        x="Recall level (relevant items found)",
        y="Fraction of the difference" if scale == "fraction" else "Contribution to the difference",
        title=title,
        grid="y",
        place=legend,
    )


@plot(
    on=("pair_explanation",),
    first=("pair_explanation",),
    needs=("measure", "population", "weight", "value"),
)
def running_sum(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the running sum of a preference over populations and recall levels, a line per measure.

    A line rises at levels where the first run ranks higher and falls where the second does; it ends at the preference.
    Dotted lines separate the populations of the first measure.

    Parameters
    ----------
    frame : DataFrame
        An explanation of a preference on one query: measure, population, recall, weight, value.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> parts = pd.DataFrame({"query_id": "1", "run_a": "x", "run_b": "y", "measure": "RPP", "population": "relevant",
    ...                       "recall": [1, 2, 3], "weight": 0.25, "value": [1.0, 1.0, -1.0]})
    >>> ax = running_sum(parts, ax=Figure().subplots())
    >>> [line.get_ydata().tolist() for line in ax.lines if line.get_label() == "RPP"]
    [[0.0, 0.25, 0.5, 0.25]]
    """
    frame = table.frame
    _, query = table.one(str(table.query), None, option=False)
    title = query and f"Query {query}"
    note = ""
    if stems := table.run_columns:
        a, b = (names(frame, [f"{stem}_{side}" for stem in stems])[0] for side in "ab")
        title = style.plain(f"{title}: {a} compared with {b}".removeprefix(": "))
        note = style.plain(f"The line rises where {a} is ahead and falls where {b} is")
    measure, selected = table.measures(measures)
    added = table.numbers("weight") * table.numbers("value")
    curves = {name: pd.Series([0.0, *np.cumsum(added[measure == name])]) for name in selected}
    ax = style.axes(ax)
    ax.axhline(0, color=style.foreground(), linewidth=0.6, label="_zero")
    # the populations of the first measure; border i is between the users i and i + 1
    population = frame["population"].astype(str).to_numpy()[measure == selected[0]]
    for border in np.flatnonzero(population[1:] != population[:-1]) + 1:
        ax.axvline(
            border + 0.5,
            color="gray",
            linewidth=0.6,
            linestyle=":",
            label="_population",
        )
    draw_lines(ax, curves, marks=15)
    last = max(1, *(len(curve) - 1 for curve in curves.values()))
    style.recall_ticks(ax, last)
    ax.set_xlim(0, last)
    return style.finish(
        ax,
        x="Recall level" if len(set(population)) == 1 else "Recall level, by population",
        y="Sum of contributions",
        title=title,
        note=note,
        grid="y",
        place=legend,
    )


@plot(on=("robustness", "robustness_summary"), first=("robustness", "robustness_summary"))
def robustness(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    statistic: str | None = None,
    measures: Sequence[str] | None = None,
    band: bool = True,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with a statistic against the number of queries, labels or ranks kept, mean and sd over draws.

    Diaz and Ferraro (2022), Figures 6 and 7; Diaz (2023), Figures 8 and 9.

    Parameters
    ----------
    frame : DataFrame
        An experiment with incomplete data: measure, keep, draw, statistic, value; or its summary: measure, keep,
        statistic, mean, sd. A column `to` ("queries" or "labels") names the x axis.
    statistic : str, optional
        The statistic; by default the only one, or "tau_b".
    band : bool
        Shade one standard deviation on either side.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": "AP", "keep": [10, 10, 50, 50], "draw": [0, 1, 0, 1],
    ...                       "statistic": "tau_b", "value": [0.5, 0.7, 0.9, 1.0]})
    >>> ax = robustness(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().round(2).tolist(), ax.get_xlabel().splitlines()[0]
    ([0.6, 0.95], 'Queries kept')
    """
    rows, what = table.need("measure", "keep", "mean|value").one(
        "statistic", statistic, default="tau_b"
    )
    for column in ("to", "policy"):
        rows, _ = rows.one(column, None, option=False)
    frame = rows.frame.assign(measure=rows.names("measure"))
    cells = frame.groupby(["keep", "measure"], observed=True)
    if "mean" in frame.columns:
        table.unique("mean for each (measure, keep)", frame["keep"], frame["measure"])
        mean = cells["mean"].first().unstack()
        sd = cells["sd"].first().unstack() if "sd" in frame.columns else mean * np.nan
    else:
        mean = cells["value"].mean().unstack()
        sd = cells["value"].std(ddof=1).unstack()
    selected = chosen(measures, [str(name) for name in mean.columns])
    low, high = mean - sd.fillna(0.0), mean + sd.fillna(0.0)
    known = [name for name in selected if band and sd[name].notna().any()]
    ax = style.axes(ax)
    draw_lines(
        ax,
        {name: mean[name] for name in selected},
        bands={name: (low[name], high[name]) for name in known},
    )
    what = what or ("mean" if "mean" in frame.columns else "value")
    unit, share = "data", "Fraction of "
    if mean.index.max() > 1:  # numbers above 1 count queries; others are fractions
        unit, share = "queries", ""
        ax.locator_params("x", integer=True)
    dropped = str(frame["to"].iloc[0]) if "to" in frame.columns else unit
    if dropped == "depth":
        dropped = "ranks"
        ax.set_xscale("log")
    return style.finish(
        ax,
        x=f"{share}{dropped} kept".capitalize(),
        y=STATISTICS.get(what, what),
        grid="both",
        note="Band: ± one standard deviation over draws" if known else "",
        place=legend,
    )


@plot(
    on=("comparisons", "discriminative_curve"),
    first=("comparisons", "discriminative_curve"),
    needs=("measure",),
)
def p_value_curves(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    p: Literal["p_value", "p_adjusted"] = "p_value",
    alpha: float = 0.05,
    upper: float | None = None,
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the p-values of all pairs of runs, sorted, one line per measure and test.

    A line crosses alpha at its discriminative power (Sakai, 2006): the legend has the percentage of
    pairs below alpha.

    Parameters
    ----------
    frame : DataFrame
        Comparisons or sorted p-values: measure, [test], p_value, one row per pair of runs. Several tests have a line
        each.
    p : {"p_value", "p_adjusted"}
        The column of p-values.
    alpha : float
        Significance level, drawn as a line.
    upper : float, optional
        Upper limit of the y axis; by default four times alpha.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": ["AP"] * 4, "test": "t", "p_value": [0.2, 0.01, 0.6, 0.04]})
    >>> ax = p_value_curves(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist(), ax.lines[0].get_label()
    ([0.01, 0.04, 0.2, 0.6], 'AP (50.0%)')
    """
    value = table.numbers(p)
    measure, selected = table.measures(measures)
    test = table.names("test")
    curves = {}
    for name, kind in product(selected, test.categories):
        curve = np.sort(value[(measure == name) & (test == kind) & ~np.isnan(value)])
        if len(curve):
            below = f"({100 * float((curve < alpha).mean()):.1f}%)"
            label = f"{name}{', ' + kind if len(test.categories) > 1 else ''} {below}"
            curves[label] = pd.Series(curve, index=np.arange(1, len(curve) + 1))
    longest = max(map(len, curves.values()), default=0)
    ax = style.axes(ax)
    draw_lines(ax, curves, marks=12, markersize=3.0)
    ax.axhline(
        alpha,
        color=style.foreground(),
        linewidth=0.7,
        linestyle=":",
        label=f"α = {float(alpha):g} (% below it)",
    )
    ax.set(xlim=(0, longest + 1), ylim=(0, min(1.0, 4 * alpha) if upper is None else float(upper)))
    ax.locator_params("x", integer=True)
    return style.finish(
        ax,
        x="Pairs of runs, sorted by p",
        y=P_VALUES[p],
        grid="y",
        place=legend,
    )


@plot(on=("contribution_ecdf",), first=("contribution_ecdf",), needs=("measure", "value", "ecdf"))
def contribution_ecdf(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the distribution of the contributions of recall levels, a line per measure.

    Diaz and Ferraro (2022), Figure 2, right: if a line rises only at 0, most levels contribute almost nothing to the
    measure.

    Parameters
    ----------
    frame : DataFrame
        A distribution: measure, value, ecdf.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> signs = pd.DataFrame({"measure": "RPP", "value": [-1.0, 0.0, 1.0], "ecdf": [0.4, 0.6, 1.0]})
    >>> contribution_ecdf(signs, ax=Figure().subplots()).lines[0].get_ydata().tolist()
    [0.0, 0.4, 0.6, 1.0]
    """
    curves = _curves(table, "value", "ecdf", measures)
    # a step from 0 at the smallest difference
    steps = {
        name: pd.concat([pd.Series(0.0, index=curve.index[:1]), curve])
        for name, curve in curves.items()
    }
    ax = style.axes(ax)
    draw_lines(ax, steps, drawstyle="steps-post", marker="")
    ax.set_ylim(-0.02, 1.02)
    return style.finish(
        ax,
        x="Difference at one recall level",
        y="Fraction with at most that difference",
        title=next(iter(curves)) if len(curves) == 1 else "",
        grid="both",
        place=legend if len(curves) > 1 else None,
    )


@plot(on=("discounts",), first=("discounts",), needs=("measure", "rank", "weight"))
def discount_curves(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    measures: Sequence[str] | None = None,
    log: bool = False,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the weight of each rank, a line per measure.

    Shokouhi, Yilmaz, Craswell and Robertson (2009), Figure 1.

    Parameters
    ----------
    frame : DataFrame
        Discounts: measure, rank, weight.
    log : bool
        A logarithmic axis of ranks.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> precision = pd.DataFrame({"measure": "P@2", "rank": [1, 2, 3], "weight": [0.5, 0.5, 0.0]})
    >>> discount_curves(precision, ax=Figure().subplots()).lines[0].get_ydata().tolist()
    [0.5, 0.5, 0.0]
    """
    ax = style.axes(ax)
    draw_lines(ax, _curves(table, "rank", "weight", measures), marks=10, staggered=True)
    ax.set_ylim(bottom=0)
    if log:
        ax.set_xscale("log")
    else:
        style.recall_ticks(ax, float(table.frame["rank"].max()))
    return style.finish(
        ax,
        x="Rank",
        y="Fraction of all weight",
        grid="both",
        place=legend,
    )


@plot(on=("exposure_tradeoff",), first=("exposure_tradeoff",), needs=("disparity", "relevance"))
def exposure_curve(
    table: PlotTable, *, ax: Axes | None = None, legend: style.Place | None = "above"
) -> Axes:
    """Return axes with the relevance of runs against their disparity, and a shaded area under each curve.

    Diaz et al. (2020), Figure 3. Runs with the same area form a curve; the legend gives its first and last run, and
    the area.

    Parameters
    ----------
    frame : DataFrame
        Disparity and relevance of runs: run, disparity, relevance, area.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"run": ["a", "b"], "disparity": [1.0, 2.0], "relevance": [0.5, 0.7], "area": 0.6})
    >>> ax = exposure_curve(frame, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_legend().get_texts()[0].get_text()
    ('Disparity (EE-D)', 'a to b: area 0.600')
    """
    ax = style.axes(ax)
    area = pd.Series(table.numbers("area"))
    runs = pd.Series(list(table.runs()))
    points = pd.Series(table.numbers("relevance"), index=table.numbers("disparity"))
    curves = {
        f"{' to '.join(runs[part.index[[0, -1]]].unique())}: area {value:.3f}": points.iloc[
            part.index
        ].sort_index()
        for value, part in area.groupby(area, sort=False)
    }
    draw_lines(ax, curves, bands={name: (0.0, curve) for name, curve in curves.items()})
    ax.set_ylim(bottom=0)
    return style.finish(ax, x="Disparity (EE-D)", y="Relevance (EE-R)", grid="both", place=legend)


@plot(on=("recall_curve",), first=("recall_curve",), needs=("effort", "mean"))
def recall_effort(
    table: PlotTable, *, ax: Axes | None = None, legend: style.Place | None = "inside"
) -> Axes:
    """Return axes with the mean recall of reviews against effort, a line per run with the band of its interval.

    The dashed line is the expected recall of a random order.

    Parameters
    ----------
    frame : DataFrame
        Recall curves: run, effort, mean, ci_low, ci_high.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"run": "a", "effort": [0.0, 1.0], "n": 2, "mean": [0.0, 1.0], "ci_low": [0.0, 1.0],
    ...                       "ci_high": [0.0, 1.0]})
    >>> recall_effort(frame, ax=Figure().subplots()).get_ylabel()
    'Recall'
    """
    ax = style.axes(ax)
    runs = table.runs()
    frame = table.frame.set_index("effort")
    rows = {run: frame[np.asarray(runs == run)].sort_index() for run in runs.categories}
    has_interval = {"ci_low", "ci_high"} <= {*frame.columns}
    draw_lines(
        ax,
        {run: part["mean"] for run, part in rows.items()},
        marks=8,
        bands={run: (part["ci_low"], part["ci_high"]) for run, part in rows.items()}
        if has_interval
        else None,
    )
    ax.plot([0, 1], [0, 1], color=style.FADED, linestyle="--", linewidth=0.8, label="_random")
    ax.set(xlim=(0, 1), ylim=(0, 1.02))
    return style.finish(
        ax,
        x="Effort: fraction of items read",
        y="Recall",
        grid="both",
        note=f"Band: {style.interval(table.frame)}" if has_interval else "",
        place=legend,
    )


def _curves(
    table: PlotTable, x: str, y: str, measures: Sequence[str] | None
) -> dict[str, pd.Series]:
    """Return a curve for each measure, in the order of the frame or of `measures`."""
    measure, selected = table.measures(measures)
    curve = pd.Series(table.numbers(y), index=table.numbers(x))
    return {name: curve[measure == name].sort_index(kind="stable") for name in selected}


@plot(on=("ties_by_recall",), first=("ties_by_recall",))
def ties_by_recall(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    group: str | None = None,
    levels: int | None = 20,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the fraction of tied pairs at each recall level, one line per measure or collection.

    Diaz (2023), Figure 5.

    Parameters
    ----------
    frame : DataFrame
        Ties by recall level: recall, tied, and optionally a column that distinguishes lines (measure, collection,
        dataset, benchmark).
    levels : int or None
        Number of recall levels to draw; None draws all.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"recall": [1, 2, 3], "tied_fraction": [0.5, 0.2, 0.1]})
    >>> ties_by_recall(frame, ax=Figure().subplots()).lines[0].get_ydata().tolist()
    [0.5, 0.2, 0.1]
    """
    lines = _ties(table, "recall", value or table.holding("fraction") or "tied_fraction", group)
    ax = _lines_by_recall(ax, lines, levels)
    ax.set_ylim(bottom=0)
    return style.finish(
        ax,
        x="Recall level",
        y="Fraction of pairs tied",
        grid="both",
        place=legend if len(lines.columns) > 1 else None,
    )


@plot(
    on=("ties_by_first", "tie_probability"),
    first=("ties_by_first", "tie_probability"),
    needs=("p1",),
)
def tie_probability(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    group: str | None = None,
    log: bool = True,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the probability of a tie given the position of the first relevant item.

    Diaz (2023), Figure 2 (in theory: one line per number of relevant items m) and Figure 3 (as observed: one
    line per collection).

    Parameters
    ----------
    frame : DataFrame
        Ties by the rank of the first relevant item: p1, tied, and optionally a column that distinguishes lines
        (measure, collection, dataset, benchmark); or probabilities in theory: n, m, p1, probability; n is the title.
    log : bool
        Logarithmic axes; probabilities of 0 are not drawn, and the y axis ends eight decades below the largest.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"n": 4, "m": [1, 1, 2, 2], "p1": [1, 2, 1, 2], "probability": [0.25, 0.25, 0.5, 0.33]})
    >>> ax = tie_probability(frame, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.get_xscale()
    (['m = 1', 'm = 2'], 'log')
    """
    frame = table.frame
    if (
        group is None
        and "m" in frame.columns
        and not any(name in frame.columns for name in GROUPS[:4])
    ):
        group = "m"
    _, n = table.one("n", None, option=False)
    lines = _ties(table, "p1", value or table.holding("fraction") or "probability", group)
    if group == "m":
        lines.columns = [f"m = {label}" for label in lines.columns]
    if log:
        lines = lines.where(lines > 0).dropna(how="all")
        if lines.empty:
            raise ValueError(
                "there is nothing to draw on a logarithmic axis: no probability is above 0. Use log=False."
            )
    ax = style.axes(ax)
    # markers by distance along the line: even on logarithmic axes
    draw_lines(ax, {name: lines[name].dropna() for name in lines.columns}, markevery=0.12)
    if log:
        top = float(lines.max().max())
        ax.set(
            xscale="log",
            yscale="log",
            ylim=(max(float(lines.min().min()), top * 1e-8) / 2, top * 2),
        )
        ax.xaxis.set_major_formatter("{x:,.0f}")  # ranks as they are, not as 2 x 10^0
        ax.xaxis.set_minor_formatter("{x:.0f}" if lines.index.max() < 10 else "")
    return style.finish(
        ax,
        x="Rank of the first relevant item",
        y="Probability of a tie",
        title=n and f"n = {int(n):,}",
        grid="both",
        place=legend if len(lines.columns) > 1 else None,
    )


@plot(
    on=("deciding_ecdf", "deciding_levels"),
    first=("deciding_ecdf", "deciding_levels"),
    needs=("recall",),
)
def decided_by_recall(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    group: str | None = None,
    levels: int | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the fraction of pairs decided at or before each recall level (an ECDF).

    Diaz (2023), Figure 6.

    Parameters
    ----------
    frame : DataFrame
        recall and the cumulative fraction of pairs decided by then; or one row per pair and query, whose deciding
        recall level is missing or 0 if the pair is tied at all levels. A column that distinguishes lines (measure,
        collection, dataset, benchmark) makes several lines.
    levels : int, optional
        Number of recall levels to draw.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"recall": [1, 1, 2, 5]})
    >>> ax = decided_by_recall(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
    ([1, 2, 5], [0.5, 0.75, 1.0])
    """
    share = value or table.holding("fraction")
    lines = _ecdf(table, group) if share is None else _ties(table, "recall", share, group)
    falls = lines.ffill().diff().min()
    if (falls < -NOISE).any():
        raise ValueError(
            f"decided_by_recall() draws cumulative fractions, but {share!r} decreases with the recall level"
            f"{'' if len(lines.columns) == 1 else f' in {falls.idxmin()!r}'}. "
            f"Add up first: frame.sort_values('recall').groupby(...)[{share!r}].cumsum()."
        )
    ax = _lines_by_recall(ax, lines, levels, marks=12, drawstyle="steps-post")
    ax.set_ylim(0, 1.03)
    return style.finish(
        ax,
        x="Recall level",
        y="Fraction of pairs decided",
        grid="both",
        place=legend if len(lines.columns) > 1 else None,
    )


def _lines_by_recall(
    ax: Axes | None, lines: pd.DataFrame, levels: int | None, **options: Any
) -> Axes:
    """Draw one line per column over the first recall levels."""
    lines = lines if levels is None else lines[lines.index <= levels]
    ax = style.axes(ax)
    draw_lines(ax, {name: lines[name].dropna() for name in lines.columns}, **options)
    style.recall_ticks(ax, lines.index.max())
    return ax


def _group_column(table: PlotTable, group: str | None) -> str:
    """Return the column with a value for each line: by default the first known one that varies; '' if there is none."""
    if group is not None:
        return str(table.column(group).name)
    known = [name for name in GROUPS if name in table.frame.columns]
    # max returns the first of equals: the first column that varies, else the first known one
    return max(known, key=lambda name: table.frame[name].nunique() > 1, default="")


def _ties(table: PlotTable, x: str, value: str, group: str | None) -> pd.DataFrame:
    """Return a frame of x by lines."""
    by = _group_column(table.need(x, value), group)
    return table.wide(
        f"{value!r} for each ({x}{', ' + by if by else ''})",
        table.frame[x].to_numpy(),
        table.names(by),
        table.numbers(value),
        advice=" Specify the column that distinguishes lines with group=, or average first.",
    ).sort_index()


def _ecdf(table: PlotTable, group: str | None) -> pd.DataFrame:
    """Return the cumulative fraction of pairs by recall level; pairs without one are undecided."""
    line = table.names(_group_column(table, group))
    level = table.numbers("recall")
    decided = np.isfinite(level) & (level > 0)
    counts = pd.crosstab(level[decided].astype(int), np.asarray(line)[decided])
    counts = counts[[name for name in line.categories if name in counts.columns]]
    return counts.cumsum().div(line.value_counts().reindex(counts.columns), axis=1)
