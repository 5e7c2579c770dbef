"""Runs in their order: ranks with intervals, means with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.catalog.known import known_of
from pdeval.evaluate.summary import summary
from pdeval.kinds.tables import read
from pdeval.kinds.vocabularies import listed
from pdeval.plots import legibility, style
from pdeval.plots.critical_differences import mean_rank_diagram
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import chosen, names, one, pairs
from pdeval.report.orders import METHODS
from pdeval.significance.tiers import stretches_alike

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@plot(on=("orders", "leaderboards", "comparisons"), first=("orders", "leaderboards"))
def critical_difference(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    comparisons: pd.DataFrame | None = None,
    measure: str | None = None,
    method: str | None = None,
) -> Axes:
    """Return axes with the runs listed best first, each at its rank with its rank interval.

    With `comparisons`, or of a leaderboard, bars at the right join the runs that cannot be told apart: each bar spans
    the longest stretch of the list in which no two runs differ significantly.

    Of comparisons by a test of mean ranks ('nemenyi', 'conover') it is the diagram of Demsar (2006): mean ranks on a
    line, the best at the left, bars that join the same stretches, and, of Nemenyi's test, the critical difference.

    Parameters
    ----------
    frame : DataFrame
        Orders: run, measure, method, rank, perhaps rank_low and rank_high; or a leaderboard; or comparisons of all
        pairs by a test of mean ranks.
    ax : Axes, optional
        Where to draw; new axes by default, as tall as the list needs.
    comparisons : DataFrame, optional
        Comparisons of all pairs of the runs by the same measure: run_a, run_b, measure, significant.
    measure : str, optional
        The measure; needed where the frame has several.
    method : str, optional
        The method; needed where the frame has several.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> orders = pd.DataFrame({"run": ["lm", "bm25", "rm3"], "rank": [2, 1, 3]})
    >>> tests = pd.DataFrame({"run_a": ["bm25", "bm25", "lm"], "run_b": ["lm", "rm3", "rm3"],
    ...                       "significant": [False, True, True]})
    >>> ax = critical_difference(orders, comparisons=tests, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], groups(orders.sort_values("rank")["run"], tests)
    (['bm25', 'lm', 'rm3'], [(0, 1)])
    """
    whole = drawn(frame, "critical_difference")
    if whole.kind == "comparisons":
        if comparisons is not None or method is not None:
            raise ValueError("comparisons= and method= are for orders; this frame is of comparisons itself.")
        return mean_rank_diagram(whole, ax, measure)
    whole.need("rank")
    orders, name = one(frame, "measure", measure, plot="critical_difference")
    orders, how = one(orders, "method", method, plot="critical_difference")
    ids = np.asarray(whole.keeping(orders).runs(), dtype=object)
    if len(set(ids)) < len(ids):
        raise ValueError("critical_difference() needs one rank per run; some runs repeat. Keep one ordering.")
    best = np.argsort(orders["rank"].to_numpy(float), kind="stable")
    orders, runs = orders.iloc[best], [str(ids[i]) for i in best]
    rank = orders["rank"].to_numpy(float)
    ax = style.axes(ax, height=legibility.list_height(len(runs)))
    place = np.arange(len(runs))
    row = 72 * legibility.inches(ax)[1] / len(runs)
    spread = {"rank_low", "rank_high"} <= set(orders.columns)
    if spread:
        low, high = orders["rank_low"].to_numpy(float), orders["rank_high"].to_numpy(float)
        ax.hlines(place, low, high, color=style.BLUE, linewidth=min(1.6, 0.3 * row))
    ax.scatter(rank, place, s=min(5.0, 0.7 * row) ** 2, color=style.BLACK, zorder=3, linewidths=0)
    joined = _tiers(orders) if comparisons is None else groups(runs, comparisons, measure=name or measure)
    ax.set_ylim(len(runs) - 0.4, -0.6)
    title = "bars join runs without significant difference" if joined else ""
    note = f"line: {style.interval(frame, 'interval of the rank over resampled queries')}" if spread else ""
    style.finish(ax, x=f"Rank{ordered_by(name, how)}", title=title, grid="x", note=note)
    worst = max(float(orders[name].max()) for name in ("rank", "rank_high") if name in orders.columns)
    legibility.recall_ticks(ax, worst)
    legibility.name_list(ax, runs)
    _join(ax, joined)
    return ax


def ordered_by(measure: str, method: str) -> str:
    """Return what ranks rest on, in words.

    Examples
    --------
    >>> ordered_by("RPP", "winrate"), ordered_by("", "")
    (' by RPP (win rate)', '')
    """
    how = METHODS.get(method, method)
    by = [part for part in (measure, f"({how})" if how and measure else how) if part]
    return f" by {' '.join(by)}" if by else ""


def groups(runs: Sequence[object], comparisons: pd.DataFrame, *, measure: str | None = None) -> list[tuple[int, int]]:
    """Return (first, last) of each longest stretch of `runs` in which no two runs differ significantly.

    Examples
    --------
    >>> tests = pd.DataFrame({"run_a": ["a", "a", "b"], "run_b": ["b", "c", "c"], "significant": [False, True, False]})
    >>> groups(["a", "b", "c"], tests)
    [(0, 1), (1, 2)]
    """
    tests = drawn(comparisons, "critical_difference(comparisons=...)", kinds=("comparisons",)).need("significant")
    wanted = measure if "measure" in comparisons.columns else None
    comparisons, _ = one(comparisons, "measure", wanted, plot="critical_difference")
    a, b, known_runs = pairs(comparisons, tests.run_columns)
    where = pd.Index([str(name) for name in runs]).get_indexer(pd.Index(known_runs))
    a, b = where[a], where[b]
    known = (a >= 0) & (b >= 0)
    tested = np.zeros((len(runs), len(runs)), dtype=bool)
    tested[a[known], b[known]] = tested[b[known], a[known]] = True
    if not (tested | np.eye(len(runs), dtype=bool)).all():
        i, j = np.argwhere(~(tested | np.eye(len(runs), dtype=bool)))[0]
        raise ValueError(
            f"comparisons= has no test of {runs[i]!r} against {runs[j]!r}: all pairs of the runs drawn are needed. "
            "Compare without baseline=, or select the runs first."
        )
    differs = np.zeros_like(tested)
    marked = known & comparisons["significant"].to_numpy(bool)
    differs[a[marked], b[marked]] = differs[b[marked], a[marked]] = True
    return [(first, last) for first, last in stretches_alike(differs) if last > first]


def _tiers(orders: pd.DataFrame) -> list[tuple[int, int]]:
    """Return (first, last) of each tier of a leaderboard that has more than one run; of other orders there are none."""
    if "tier" not in orders.columns:
        return []
    low, high = orders["tier"].to_numpy(), orders["tier_last"].to_numpy()
    members = [np.flatnonzero((low <= tier) & (tier <= high)) for tier in range(1, int(high.max()) + 1)]
    return [(int(of[0]), int(of[-1])) for of in members if len(of) > 1]


def _join(ax: Axes, joined: list[tuple[int, int]]) -> None:
    """Draw one upright bar per group in a strip at the right of the axes, in as few columns as do not overlap."""
    if not joined:
        return
    lanes: list[int] = []  # the last row used in each column
    at = []
    for first, last in joined:
        lane = next((i for i, used in enumerate(lanes) if used < first), len(lanes))
        lanes[lane : lane + 1] = [last]
        at.append(lane)
    gap = 0.03 if len(lanes) <= 8 else 0.24 / len(lanes)
    strip = gap * (len(lanes) + 1)
    width = min(2.2, 0.4 * gap * 72 * legibility.inches(ax)[0])
    low, high = ax.get_xlim()
    ax.set_xlim(low, low + (high - low) / (1 - strip))  # the ranks leave the strip free
    for (first, last), lane in zip(joined, at):
        ax.plot(
            [1 - strip + gap * (lane + 1)] * 2, [first - 0.25, last + 0.25], transform=ax.get_yaxis_transform(),
            color="black", linewidth=width, solid_capstyle="butt", label="_group",
        )  # fmt: skip


@plot(on=("summary", "scores"), first=("summary", "scores"))
def summary_bars(
    frame: pd.DataFrame,
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
        scores, which are summed up first.
    ax : Axes, optional
        Where to draw; new axes by default, as tall as the list needs.
    measures : sequence of str, optional
        The measures to draw, in this order; by default all, up to five.
    sort : bool
        Sort the runs by the first measure's mean, the best at the top (the largest, where it is not known whether more
        is better); else the order of the frame.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> means = pd.DataFrame({"run": ["bm25", "lm"], "measure": "AP", "mean": [0.2, 0.3],
    ...                       "ci_low": [0.1, 0.25], "ci_high": [0.3, 0.35]})
    >>> ax = summary_bars(means, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['lm', 'bm25'], 'Mean AP (with confidence interval)')
    """
    means = drawn(frame, "summary_bars")
    if means.kind == "scores":
        means = drawn(summary(read(frame, "scores"), None), "summary_bars")
    ids = means.need("mean").runs()
    table = means.frame
    kind = names(table, ["measure"]) if "measure" in table.columns else pd.Categorical([""] * len(table))
    table = table.assign(_run=ids, _measure=kind)
    if table.duplicated(["_run", "_measure"]).any():
        raise ValueError("summary_bars() needs one mean per run and measure; some repeat.")
    shown = chosen(measures, [str(name) for name in kind.categories])
    if len(shown) > 5:
        raise ValueError(
            f"summary_bars() draws at most 5 measures; the frame has {listed(shown, 6)}. "
            f"Choose some: measures={shown[:2]!r}."
        )
    runs = [str(name) for name in ids.categories]
    if sort:
        first = table[table["_measure"] == shown[0]].set_index("_run")["mean"].reindex(runs).to_numpy(float)
        known = known_of(shown[0], frame.attrs)
        runs = [runs[i] for i in np.argsort(first if known and not known["higher"] else -first, kind="stable")]
    ax = style.axes(ax, height=legibility.list_height(len(runs), row=0.22 if len(shown) == 1 else 0.14 * len(shown)))
    size = min(4.5, 0.6 * 72 * legibility.inches(ax)[1] / (len(runs) * len(shown)))
    for i, name in enumerate(shown):
        rows = table[table["_measure"] == name].set_index("_run").reindex(runs)
        shift = 0.5 * (i - (len(shown) - 1) / 2) / len(shown)
        look = style.line(i)
        spread = _spread(rows)
        ax.errorbar(
            rows["mean"], np.arange(len(runs)) + shift, xerr=spread, label=legibility.entry(name) or "_mean",
            linestyle="none", color=look["color"], marker=look["marker"], markersize=size,
            elinewidth=min(1.3, 0.4 * size),
        )  # fmt: skip
    ax.set_ylim(len(runs) - 0.4, -0.6)
    spreads = {"ci": f" (with {style.interval(table)})", "sd": " (± one standard deviation)", "": ""}
    of = f" {shown[0]}" if len(shown) == 1 and shown[0] else ""
    style.finish(ax, x=f"Mean{of}{spreads[_kind(table)]}", grid="x")
    legibility.name_list(ax, runs)
    style.legend(ax, place=legend if len(shown) > 1 else None)
    return ax


def _kind(table: pd.DataFrame) -> str:
    """Return what spread the frame has: 'ci', 'sd' or ''."""
    if {"ci_low", "ci_high"} <= set(table.columns):
        return "ci"
    return "sd" if "sd" in table.columns else ""


def _spread(rows: pd.DataFrame) -> np.ndarray | None:
    """Return the lengths of the whiskers below and above the means."""
    kind = _kind(rows)
    if kind == "ci":
        return np.maximum(np.vstack([rows["mean"] - rows["ci_low"], rows["ci_high"] - rows["mean"]]).astype(float), 0)
    return np.vstack([rows["sd"], rows["sd"]]).astype(float) if kind == "sd" else None
