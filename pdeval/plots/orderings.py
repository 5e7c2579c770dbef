"""Runs in their order: ranks with intervals, means with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.catalog.directions import known_of
from pdeval.evaluate.summary import summary
from pdeval.plots import style, text_layout
from pdeval.plots.registry import Drawn, drawn, plot
from pdeval.plots.selection import chosen, names, one, pairs
from pdeval.report.orderings import METHODS
from pdeval.significance.leaderboard import stretches_alike
from pdeval.significance.mean_ranks import critical_difference_of
from pdeval.significance.registry import TESTS
from pdeval.tables.reader import read
from pdeval.tables.vocabularies import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARE = 0.34  # of the width, at most, for the names at each side
LANE = 0.45  # the height of a bar, where a name has 1


def mean_rank_diagram(table: Drawn, ax: Axes | None, measure: str | None) -> Axes:
    """Return axes with the mean ranks of comparisons of all pairs of runs, the best at the left.

    Parameters
    ----------
    table : Drawn
        Comparisons by a test of mean ranks, without a baseline.
    ax : Axes, optional
        Where to draw; new axes by default.
    measure : str, optional
        The measure; needed where the frame has several.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> ax = scores.ireval.compare(test="nemenyi").ireval.plot.critical_difference()
    >>> [text.get_text() for text in ax.texts if "CD" in text.get_text()]
    ['CD = 2.41']
    """
    if "rank_a" not in table.frame.columns:
        raise ValueError(
            "critical_difference() of comparisons draws mean ranks, which these have none of: compare(test='nemenyi') "
            "or compare(test='conover') first. For other tests draw orders, with comparisons=."
        )
    frame, label = one(table.frame, "measure", measure, plot="critical_difference")
    frame, test = one(frame, "test", None, plot="critical_difference", option=False)
    names, rank, differs = _ranked(frame, table)
    joined = [(first, last) for first, last in stretches_alike(differs) if last > first]
    lanes, deep = _lanes(joined)
    alpha = frame.attrs.get("alpha")
    limit = None
    if test == "nemenyi" and alpha is not None:
        limit = critical_difference_of(len(names), int(frame["n"].iloc[0]), float(alpha))
    half = (len(names) + 1) // 2  # the better half is named at the left
    start = 0.7 + LANE * deep
    ax = style.axes(ax, width=5.5, height=1.4 + 0.2 * (start + half))
    said = TESTS[test].says if test in TESTS else test
    about = f"Mean rank by {label}" if label else "Mean rank"
    level = "" if alpha is None else f", α={float(alpha):g}"
    style.finish(ax, x=f"{about}; bars join runs without significant difference ({said}{level})")
    row = _frame(ax, start + half - 0.3, limit is not None)
    ends = int(np.floor(rank[0])), max(int(np.ceil(rank[-1])), int(np.floor(rank[0])) + 1)
    step = _named(ax, names, rank, start, ends, row)
    _ruler(ax, rank, ends, row)
    for (first, last), lane in zip(joined, lanes):
        y, width = 0.55 + LANE * lane, min(2.6, 0.55 * LANE * row)
        ax.plot([rank[first], rank[last]], [y, y], color=style.BLACK, linewidth=width, label="_group")
    if limit is not None:
        _measure_stick(ax, limit, ends, row)
    if step > 1:
        ax.set_xlabel(ax.get_xlabel() + text_layout.every(step))
    return ax


def _ranked(frame: pd.DataFrame, table: Drawn) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the runs in order of their mean ranks, these, and which of them differ; or raise where a pair lacks."""
    a, b, runs = pairs(frame, table.run_columns)
    count = len(runs)
    rank = np.empty(count)
    rank[a], rank[b] = frame["rank_a"].to_numpy(float), frame["rank_b"].to_numpy(float)
    tested, differs = np.eye(count, dtype=bool), np.zeros((count, count), dtype=bool)
    tested[a, b] = tested[b, a] = True
    if not tested.all():
        i, j = np.argwhere(~tested)[0]
        raise ValueError(
            f"the comparisons have no test of {runs[i]!r} against {runs[j]!r}: all pairs are needed. Compare without "
            "baseline=."
        )
    if abs(rank.mean() - (count + 1) / 2) > 1e-9:
        raise ValueError(
            f"the mean ranks are not those of these {count} runs alone, but among others that the table lacks. Compare "
            "the runs that are to be drawn."
        )
    marked = frame["significant"].to_numpy(bool)
    differs[a[marked], b[marked]] = differs[b[marked], a[marked]] = True
    order = np.argsort(rank, kind="stable")
    return [runs[i] for i in order], rank[order], differs[np.ix_(order, order)]


def _lanes(joined: list[tuple[int, int]]) -> tuple[list[int], int]:
    """Return the lane of each bar, so that none touches another, and how many there are."""
    used: list[int] = []  # the last run under each lane
    found = []
    for first, last in joined:
        lane = next((i for i, end in enumerate(used) if end < first), len(used))
        used[lane : lane + 1] = [last]
        found.append(lane)
    return found, len(used)


def _frame(ax: Axes, bottom: float, stick: bool) -> float:
    """Leave nothing of the axes but their label, and return the points of a row; names are below 0, numbers above."""
    ax.set(yticks=[], xticks=[])
    for spine in ax.spines.values():
        spine.set_visible(False)
    text_layout.settle(ax)
    text_layout.fit_label(ax)
    text_layout.settle(ax)
    points = 72 * text_layout.inches(ax)[1]
    above = (3.4 if stick else 1.8) * 0.9 * text_layout.text_size(ax)
    row = (points - above) / bottom
    ax.set_ylim(bottom, -above / row)
    return row


def _named(ax: Axes, names: list[str], rank: np.ndarray, start: float, ends: tuple[int, int], row: float) -> int:
    """Write the names at both sides, each with a line to its rank, and return every how many-th has one."""
    wide, _ = text_layout.inches(ax)
    step = int(np.ceil(text_layout.LEAST_LABEL * 1.05 / row))
    size = min(0.9 * text_layout.text_size(ax), row * step / 1.05)
    letters = 72 / (0.6 * size)  # of an inch
    short = text_layout.shorten(names, int((SHARE * wide - 0.1) * letters) - 9)
    texts = [f"{name} ({place:.2f})" for name, place in zip(short, rank)]
    half = (len(names) + 1) // 2
    room = [min(SHARE * wide, max(map(len, side)) / letters + 0.1) for side in (texts[:half], texts[half:])]
    unit = (wide - sum(room)) / (ends[1] - ends[0])  # inches of a rank
    ax.set_xlim(ends[0] - room[0] / unit, ends[1] + room[1] / unit)
    for at in range(0, len(names), step):
        left = at < half
        y = start + (at if left else len(names) - 1 - at)
        end, away = (ends[0], -4) if left else (ends[1], 4)
        ax.plot([rank[at], rank[at], end], [0, y, y], color=style.FADED, linewidth=0.8, zorder=1, label="_name")
        ax.annotate(
            text_layout.plain(texts[at]), (end, y), (away, 0), textcoords="offset points", fontsize=size,
            ha="right" if left else "left", va="center",
        )  # fmt: skip
    return step


def _ruler(ax: Axes, rank: np.ndarray, ends: tuple[int, int], row: float) -> None:
    """Draw the line of ranks with its numbers above, and the runs on it."""
    size = 0.9 * text_layout.text_size(ax)
    ax.plot(ends, [0, 0], color=style.BLACK, linewidth=0.9, label="_ruler")
    low, high = ax.get_xlim()
    points = 72 * text_layout.inches(ax)[0] / (high - low)  # of a rank
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if s * points > 1.8 * size or s == 1000)
    for tick in range(-(-ends[0] // step) * step, ends[1] + 1, step):
        ax.plot([tick, tick], [-3 / row, 0], color=style.BLACK, linewidth=0.9, label="_tick")
        ax.annotate(str(tick), (tick, 0), (0, 4), textcoords="offset points", ha="center", fontsize=size)
    ax.scatter(rank, np.zeros(len(rank)), s=min(14.0, row**2), color=style.BLUE, zorder=3, linewidths=0)


def _measure_stick(ax: Axes, limit: float, ends: tuple[int, int], row: float) -> None:
    """Draw the critical difference as a stick above the line; one that is longer than the line is said alone."""
    size = 0.9 * text_layout.text_size(ax)
    y = -2.7 * size / row
    text = f"CD = {limit:.2f}"
    if limit > ends[1] - ends[0]:
        ax.annotate(f"{text}, more than the line is long", (ends[0], y), fontsize=size, va="center")
        return
    ax.errorbar(ends[0] + limit / 2, y, xerr=limit / 2, color=style.VERMILLION, linewidth=1.4, capsize=3, capthick=1.2)
    ax.annotate(text, (ends[0] + limit, y), (6, 0), textcoords="offset points", fontsize=size, va="center")


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

    With `comparisons` bars at the right join the runs that cannot be told apart: each bar spans the longest stretch of
    the list in which no two runs differ significantly. Of a leaderboard they join the runs of a tier.

    Of comparisons by a test of mean ranks ('nemenyi', 'conover') it is the diagram of Demsar (2006): mean ranks on a
    line, the best at the left, bars that join the same stretches, and, of Nemenyi's test, the critical difference.

    Parameters
    ----------
    frame : DataFrame
        Orders: run, measure, method, rank, perhaps rank_low and rank_high; or a leaderboard; or comparisons of all
        pairs by a test of mean ranks.
    comparisons : DataFrame, optional
        Comparisons of all pairs of the runs by the same measure: run_a, run_b, measure, significant.
    measure : str, optional
        The measure; needed where the frame has several.
    method : str, optional
        The method; needed where the frame has several.

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
    ax = style.axes(ax, height=text_layout.list_height(len(runs)))
    place = np.arange(len(runs))
    row = 72 * text_layout.inches(ax)[1] / len(runs)
    spread = {"rank_low", "rank_high"} <= set(orders.columns)
    if spread:
        low, high = orders["rank_low"].to_numpy(float), orders["rank_high"].to_numpy(float)
        ax.hlines(place, low, high, color=style.BLUE, linewidth=min(1.6, 0.3 * row))
    ax.scatter(rank, place, s=min(5.0, 0.7 * row) ** 2, color=style.BLACK, zorder=3, linewidths=0)
    joined = _tiers(orders) if comparisons is None else groups(runs, comparisons, measure=name or measure)
    ax.set_ylim(len(runs) - 0.4, -0.6)
    title = "bars join runs of a tier" if comparisons is None else "bars join runs without significant difference"
    note = f"line: {style.interval(frame, 'interval of the rank over resampled queries')}" if spread else ""
    style.finish(ax, x=f"Rank{ordered_by(name, how)}", title=title if joined else "", grid="x", note=note)
    worst = max(float(orders[name].max()) for name in ("rank", "rank_high") if name in orders.columns)
    text_layout.recall_ticks(ax, worst)
    text_layout.name_list(ax, runs)
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
    members = [np.flatnonzero((low <= tier) & (tier <= high)) for tier in np.unique(high)]
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
    width = min(2.2, 0.4 * gap * 72 * text_layout.inches(ax)[0])
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
    measures : sequence of str, optional
        The measures to draw, in this order; by default all, up to five.
    sort : bool
        Sort the runs by the first measure's mean, the best at the top (the largest, where it is not known whether more
        is better); else the order of the frame.

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
    ax = style.axes(ax, height=text_layout.list_height(len(runs), row=0.22 if len(shown) == 1 else 0.14 * len(shown)))
    size = min(4.5, 0.6 * 72 * text_layout.inches(ax)[1] / (len(runs) * len(shown)))
    for i, name in enumerate(shown):
        rows = table[table["_measure"] == name].set_index("_run").reindex(runs)
        shift = 0.5 * (i - (len(shown) - 1) / 2) / len(shown)
        look = style.line(i)
        spread = _spread(rows)
        ax.errorbar(
            rows["mean"], np.arange(len(runs)) + shift, xerr=spread, label=text_layout.entry(name) or "_mean",
            linestyle="none", color=look["color"], marker=look["marker"], markersize=size,
            elinewidth=min(1.3, 0.4 * size),
        )  # fmt: skip
    ax.set_ylim(len(runs) - 0.4, -0.6)
    spreads = {"ci": f" (with {style.interval(table)})", "sd": " (± one standard deviation)", "": ""}
    of = f" {shown[0]}" if len(shown) == 1 and shown[0] else ""
    style.finish(ax, x=f"Mean{of}{spreads[_kind(table)]}", grid="x")
    text_layout.name_list(ax, runs)
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
