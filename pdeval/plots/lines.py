"""Precision-recall curves, one line per run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd

from pdeval.plots import style, text_layout
from pdeval.plots.registry import Drawn, drawn, plot
from pdeval.plots.selection import chosen, index_of, names, one, one_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("curve",), first=("curve",))
def precision_recall(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    highlight: Sequence[object] | int = 6,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with precision against recall, one line per run.

    Of curves for every query the mean over queries is drawn, where the queries share their recall points, as
    interpolated curves do.

    Parameters
    ----------
    frame : DataFrame
        A precision-recall table: run, [query], recall, precision.
    highlight : int or sequence of runs
        With more runs than this many, the best ones by mean precision get colour and name and the others stay grey; or
        the runs to show in colour.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> curve = pd.DataFrame({"run": ["bm25", "bm25", "lm", "lm"], "recall": [0.0, 1.0, 0.0, 1.0],
    ...                       "precision": [0.9, 0.2, 0.8, 0.3]})
    >>> ax = precision_recall(curve, ax=Figure(figsize=(3.3, 2.4)).subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['bm25', 'lm']
    """
    points = _mean_curve(drawn(frame, "precision_recall").need("recall", "precision"))
    ax = style.axes(ax)
    coloured = _coloured(points, highlight)
    rest = [column for column in points.columns if column not in coloured]
    for i, name in enumerate(rest):
        label = f"{len(rest)} other runs" if i == 0 else None
        ax.plot(points.index, points[name], color=style.FADED, linewidth=0.6, label=label, zorder=1)
    for i, name in enumerate(coloured):
        line = points[name].dropna()
        gap = max(1, len(line) // 11)  # long curves get about eleven markers
        ax.plot(line.index, line, label=text_layout.entry(name), markevery=(i % gap, gap), zorder=3, **style.line(i))
    _legend_last(ax, len(rest) > 0)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    style.finish(ax, x="Recall", y="Precision", grid="both")
    style.legend(ax, place=legend)
    return ax


def _mean_curve(curve: Drawn) -> pd.DataFrame:
    """Return the precision as a frame of recall points x runs, averaged over queries."""
    name, query, frame = pd.CategoricalIndex(curve.runs()), curve.query, curve.frame
    recall, precision = curve.column("recall"), curve.column("precision")
    if query is not None and frame[query].nunique() > 1:
        grouped = precision.groupby([recall.to_numpy(), name], observed=True)
        held = grouped.count().unstack()
        answered = frame[query].groupby(name, observed=True).nunique()
        if (held.fillna(0).to_numpy() != answered.reindex(held.columns).to_numpy()).any():
            raise ValueError(
                f"precision_recall() averages over queries only at shared recall points; here the points differ "
                f"between the {frame[query].nunique()} queries. Draw one query, "
                f"curve[curve[{query!r}] == {frame[query].iloc[0]!r}], or interpolate first."
            )
        return grouped.mean().unstack()
    points = pd.DataFrame({"recall": recall.to_numpy(), "run": name, "precision": precision.to_numpy()})
    if points.duplicated(["recall", "run"]).any():
        raise ValueError("precision_recall() needs one precision per run and recall; some repeat.")
    return points.pivot(index="recall", columns="run", values="precision")


def _coloured(points: pd.DataFrame, highlight: Sequence[object] | int) -> list[str]:
    """Return the runs that get a colour of their own, best first."""
    present = [str(name) for name in points.columns]
    if not isinstance(highlight, int):
        return [present[index_of(name, present)] for name in highlight]
    if len(present) <= max(highlight, 0):
        return present
    best = points.mean().to_numpy()
    return [present[i] for i in np.argsort(-best, kind="stable")[:highlight]]


def _legend_last(ax: Axes, others: bool) -> None:
    """Move the legend entry of the grey lines behind those of the named runs."""
    if others and len(ax.lines) > 1:
        grey = next(line for line in ax.lines if str(line.get_label()).endswith("other runs"))
        label = grey.get_label()
        grey.set_label("_others")
        ax.plot([], [], color=style.FADED, linewidth=0.6, label=label)


@plot(on=("contributions",), first=("contributions",))
def recall_levels(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    pair: Sequence[object] | None = None,
    measures: Sequence[str] | None = None,
    scale: Literal["share", "raw"] = "share",
    levels: int | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the contribution of each recall level to the difference of two runs, a line per measure.

    Diaz and Ferraro (2022), Figure 4b: top-heavy measures spend their weight on the first levels, ASL on the
    last ones, RPP the same on each.

    Parameters
    ----------
    frame : DataFrame
        Contributions of recall levels: query, run_a, run_b, measure, recall, value. One query is drawn as it is, of
        several the mean at each level over the queries that have it. Without columns of runs the frame is one pair.
    pair : (run, run), optional
        The two runs; needed where the frame has more than one pair. Either direction will do.
    scale : {"share", "raw"}
        "share" divides each measure's values by the sum of their sizes, so that measures in different units
        compare; "raw" leaves them.
    levels : int, optional
        Draw only the first so many recall levels.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> parts = pd.DataFrame({"query_id": "1", "run_a": "x", "run_b": "y", "measure": ["AP"] * 2 + ["RPP"] * 2,
    ...                       "recall": [1, 2, 1, 2], "value": [0.6, -0.2, 1.0, -1.0]})
    >>> ax = recall_levels(parts, ax=Figure().subplots())
    >>> [line.get_ydata().round(2).tolist() for line in ax.lines if line.get_label() in ("AP", "RPP")]
    [[0.75, -0.25], [0.5, -0.5]]
    """
    parts = drawn(frame, "recall_levels").need("measure", "recall", "value")
    if stems := parts.run_columns:
        rows, sign, a, b = one_pair(frame, pair, stems, plot="recall_levels")
        title = f"above 0: {a} better, below 0: {b} better"
    else:
        rows, sign, title = frame, np.ones(len(frame)), ""
    table = pd.DataFrame(
        {
            "measure": names(rows, ["measure"]),
            "recall": rows["recall"].to_numpy(),
            "value": rows["value"].to_numpy(float) * sign,
        }
    )
    if "weight" in rows.columns:  # what the populations of a query contribute adds up
        table["value"] *= rows["weight"].to_numpy(float)
        table["query"] = 0 if parts.query is None else rows[parts.query].to_numpy()
        key = ["query", "recall", "measure"]
        table = table.groupby(key, observed=True, sort=False)["value"].sum().reset_index()
    means = table.groupby(["recall", "measure"], observed=True)["value"].mean().unstack()
    shown = chosen(measures, [str(name) for name in means.columns])
    if scale == "share":
        sizes = means.abs().sum()
        means = means / sizes.where(sizes > 0, 1.0)
    if levels is not None:
        means = means[means.index <= levels]
    ax = style.axes(ax)
    ax.axhline(0, color="black", linewidth=0.6, label="_zero")
    for i, name in enumerate(shown):
        line = means[name].dropna()
        gap = max(1, len(line) // 15)
        ax.plot(line.index.to_numpy(), line.to_numpy(), label=text_layout.entry(name), markevery=gap, **style.line(i))
    text_layout.recall_ticks(ax, means.index.max())
    what = "Share of the difference" if scale == "share" else "Contribution to the difference"
    style.finish(ax, x="Recall level (relevant items found)", y=what, title=title, grid="y")
    style.legend(ax, place=legend)
    return ax


STATISTICS = {
    "tau_b": "Kendall's τ with the full data",
    "ranking_agreement": "Ranking agreement with the full data",
    "system_agreement": "System agreement with the full data",
    "ties": "Tied pairs",
}


@plot(on=("incomplete", "incomplete_summary"), first=("incomplete", "incomplete_summary"))
def incomplete(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    statistic: str | None = None,
    measures: Sequence[str] | None = None,
    band: bool = True,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with a statistic against how many queries or labels are kept, mean and sd over draws.

    Diaz and Ferraro (2022), Figures 6 and 7; Diaz (2023), Figures 8 and 9.

    Parameters
    ----------
    frame : DataFrame
        An experiment with incomplete data: measure, keep, draw, statistic, value; or its summary: measure, keep,
        statistic, mean, sd. A column `drop` ("queries" or "labels") names the x axis.
    statistic : str, optional
        The statistic; by default the only one, or "tau_b".
    band : bool
        Shade one standard deviation on either side.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": "AP", "keep": [10, 10, 50, 50], "draw": [0, 1, 0, 1],
    ...                       "statistic": "tau_b", "value": [0.5, 0.7, 0.9, 1.0]})
    >>> ax = incomplete(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().round(2).tolist(), ax.get_xlabel().splitlines()[0]
    ([0.6, 0.95], 'Queries kept')
    """
    rows, what = _rows(drawn(frame, "incomplete"), statistic)
    for column in ("drop", "policy"):
        rows, _ = one(rows, column, None, plot="incomplete", option=False)
    groups = rows.assign(measure=names(rows, ["measure"])).groupby(["keep", "measure"], observed=True)
    if "mean" in rows.columns:
        if groups.ngroups < len(rows):
            raise ValueError("incomplete() needs one mean for each (measure, keep); some repeat.")
        mean = groups["mean"].first().unstack()
        sd = groups["sd"].first().unstack() if "sd" in rows.columns else mean * np.nan
    else:
        mean, sd = groups["value"].mean().unstack(), groups["value"].std(ddof=1).unstack()
    shown = chosen(measures, [str(name) for name in mean.columns])
    ax = style.axes(ax)
    keep = mean.index.to_numpy(float)
    for i, name in enumerate(shown):
        look, centre = style.line(i), mean[name].to_numpy(float)
        ax.plot(keep, centre, label=text_layout.entry(name), **look)
        width = sd[name].to_numpy(float)
        if band and not np.isnan(width).all():
            spread = np.nan_to_num(width)
            ax.fill_between(
                keep, centre - spread, centre + spread, color=look["color"], alpha=0.13, linewidth=0, zorder=1
            )
    dropped = str(rows["drop"].iloc[0]) if "drop" in rows.columns else "queries" if keep.max() > 1 else "data"
    share = "Share of " if keep.max() <= 1 else ""
    note = "band: ± one standard deviation over draws" if ax.collections else ""
    x = f"{share}{dropped} kept".capitalize()
    style.finish(ax, x=x, y=STATISTICS.get(what, what), grid="both", note=note)
    if keep.max() > 1:
        text_layout.whole_numbers(ax)
    style.legend(ax, place=legend)
    return ax


def _rows(table: Drawn, statistic: str | None) -> tuple[pd.DataFrame, str]:
    """Return (the rows of one statistic, with a value or a mean column; its name)."""
    rows = table.need("measure", "keep", "mean|value").frame
    rows, what = one(rows, "statistic", statistic, plot="incomplete", default="tau_b")
    return rows, what or ("mean" if "mean" in rows.columns else "value")


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
        title = text_layout.plain(f"rises: {a} sooner, falls: {b} sooner")
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
            np.arange(len(line)),
            line,
            label=text_layout.entry(name),
            markevery=max(1, len(line) // 15),
            **style.line(i),
        )
        if i == 0:
            population = frame["population"].astype(str).to_numpy()[mine]
            for border in np.flatnonzero(population[1:] != population[:-1]) + 1:
                ax.axvline(border + 0.5, color="grey", linewidth=0.6, linestyle=":", label="_population")
    text_layout.recall_ticks(ax, longest)
    ax.set_xlim(0, longest)
    x = "Users (recall level, population after population)"
    style.finish(ax, x=x, y="Preference so far", title=title, grid="y")
    style.legend(ax, place=legend)
    return ax


WORDS = {"p_value": "p-value", "p_adjusted": "p-value, corrected"}


@plot(on=("comparisons", "discriminative_curve"), first=("comparisons", "discriminative_curve"))
def p_value_curves(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    p: Literal["p_value", "p_adjusted"] = "p_value",
    alpha: float = 0.05,
    upper: float | None = None,
    measures: Sequence[str] | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the p-values of all pairs of runs, sorted, one line per measure and test.

    Where a line crosses alpha is its discriminative power (Sakai, 2006): the legend gives the percentage of
    pairs below alpha.

    Parameters
    ----------
    frame : DataFrame
        Comparisons or sorted p-values: measure, [test], p_value, one row per pair of runs. Several tests have a line
        each.
    p : {"p_value", "p_adjusted"}
        The column of p-values.
    alpha : float
        Draw this level as a line.
    upper : float, optional
        The top of the y axis; by default four times alpha.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"measure": ["AP"] * 4, "test": "t", "p_value": [0.2, 0.01, 0.6, 0.04]})
    >>> ax = p_value_curves(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_ydata().tolist(), ax.lines[0].get_label()
    ([0.01, 0.04, 0.2, 0.6], 'AP (50.0%)')
    """
    value = drawn(frame, "p_value_curves").need("measure").column(p).to_numpy(float)
    measure = names(frame, ["measure"])
    shown = chosen(measures, [str(name) for name in measure.categories])
    tests = [""]
    test = np.full(len(frame), "", dtype=object)
    if "test" in frame.columns and frame["test"].nunique() > 1:
        test = frame["test"].astype(str).to_numpy(object)
        tests = list(pd.unique(test))
    ax = style.axes(ax)
    upper = min(1.0, 4 * alpha) if upper is None else upper
    longest = 0
    lines = [(name, kind) for name in shown for kind in tests]
    for i, (name, kind) in enumerate(lines):
        rows = np.asarray(measure == name) & (test == kind) & ~np.isnan(value)
        if not rows.any():
            continue
        curve = np.sort(value[rows])
        longest = max(longest, len(curve))
        label = f"{name}, {kind}" if kind else name
        style_of = style.line(i) | {"markevery": max(1, len(curve) // 12), "markersize": 3.0}
        ax.plot(
            np.arange(1, len(curve) + 1),
            curve,
            label=text_layout.entry(f"{label} ({100 * float((curve < alpha).mean()):.1f}%)"),
            **style_of,
        )
    ax.axhline(alpha, color="black", linewidth=0.7, linestyle=":", label=f"α = {float(alpha):g} (% below it)")
    ax.set(xlim=(0, longest + 1), ylim=(0, float(upper)))
    text_layout.whole_numbers(ax)
    style.finish(ax, x="Pairs of runs, sorted by p", y=WORDS.get(p, p), grid="y")
    style.legend(ax, place=legend)
    return ax
