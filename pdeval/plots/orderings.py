"""Runs in their order: ranks with intervals, mean ranks on a line, and one ordering against another."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.plots import style
from pdeval.plots.heatmaps import axis_texts
from pdeval.plots.registry import PlotTable, plot, significant_pairs
from pdeval.report.orderings import METHODS
from pdeval.significance.leaderboard import stretches_alike
from pdeval.significance.mean_ranks import critical_difference_of
from pdeval.significance.registry import TESTS
from pdeval.tables import listed
from pdeval.verbs import checks_arguments, one_of, stats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


NAME_SHARE = 0.37  # of the width, at most, for the names at each side
LANE = 0.45  # the height of a bar, in rows of names
MAX_NAMES = 5  # runs that the scatter names: those that move most
MAX_VECTORS = 84  # of a Hasse diagram
HASSE_ORDERS = {
    "RR": "by reciprocal rank",
    "LP": "by lexicographic precision",
    "dominance": "by dominance",
}


@plot(on=("orders", "leaderboards", "comparisons"), first=("orders", "leaderboards"))
def critical_difference(
    table: PlotTable,
    *,
    ax: Axes | None = None,
    comparisons: pd.DataFrame | None = None,
    measure: str | None = None,
    method: str | None = None,
) -> Axes:
    """Return axes with the runs listed best first, each at its rank with its rank interval.

    With `comparisons` bars at the right join runs that do not differ significantly: each bar spans a longest stretch of
    the list in which no two runs differ significantly. For a leaderboard, bars join the runs of a tier.

    For comparisons by a test of mean ranks ('nemenyi', 'conover') it draws the diagram of Demsar (2006): mean ranks on
    a line, the best at the left, bars that join the same stretches and, for Nemenyi's test, the critical difference.

    Parameters
    ----------
    frame : DataFrame
        Orders: run, measure, method, rank, perhaps rank_low and rank_high; or a leaderboard; or comparisons of all
        pairs by a test of mean ranks.
    comparisons : DataFrame, optional
        Comparisons of all pairs of the runs by the same measure: run_a, run_b, measure, significant.
    measure : str, optional
        The measure; required if the frame has several.
    method : str, optional
        The method; required if the frame has several.

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
    if table.kind == "comparisons":
        if comparisons is not None or method is not None:
            raise ValueError(
                "comparisons= and method= require orders, but this frame has comparisons. Omit them."
            )
        return mean_rank_diagram(table, ax, measure)
    rows, name = table.need("rank").one("measure", measure)
    rows, how = rows.one("method", method)
    rows = rows.rows(np.argsort(rows.numbers("rank"), kind="stable"))
    runs = [str(run) for run in rows.runs()]
    rows.unique("rank per run", runs, advice=" Keep one ordering.")
    joined, title = _tiers(rows.frame), "Bars join runs of a tier"
    if comparisons is not None:
        joined = groups(runs, comparisons, measure=name or measure)
        title = "Bars join runs without significant difference"
    place = np.arange(len(runs))
    ax = style.axes(ax, height=style.list_height(len(runs)))
    row = 72 * style.inches(ax)[1] / len(runs)  # points
    note = ""
    if {"rank_low", "rank_high"} <= set(rows.frame.columns):
        low, high = rows.numbers("rank_low"), rows.numbers("rank_high")
        ax.hlines(place, low, high, color=style.BLUE, linewidth=min(1.6, 0.3 * row))
        note = f"Line: {style.interval(table.frame, 'interval of the rank over resampled queries')}"
    ax.scatter(
        rows.numbers("rank"),
        place,
        s=min(5.0, 0.7 * row) ** 2,
        color=style.foreground(),
        zorder=3,
        linewidths=0,
    )
    ax.set_ylim(len(runs) - 0.4, -0.6)
    style.recall_ticks(
        ax, max(rows.frame[rank].max() for rank in ("rank", "rank_high") if rank in rows.frame)
    )
    style.finish(
        ax,
        x=f"Rank{ordered_by(name, how)}",
        title=title if joined else "",
        grid="x",
        note=note,
        rows=runs,
    )
    _join(ax, joined)
    return ax


def ordered_by(measure: str, method: str) -> str:
    """Return the measure and method of ranks in words.

    Examples
    --------
    >>> ordered_by("RPP", "winrate"), ordered_by("", "")
    (' by RPP (mean preference)', '')
    """
    how = METHODS.get(method, method)
    by = [part for part in (measure, f"({how})" if how and measure else how) if part]
    return f" by {' '.join(by)}" if by else ""


def groups(
    runs: Sequence[object], comparisons: pd.DataFrame, *, measure: str | None = None
) -> list[tuple[int, int]]:
    """Return (first, last) of each longest stretch of `runs` in which no two runs differ significantly.

    Examples
    --------
    >>> tests = pd.DataFrame({"run_a": ["a", "a", "b"], "run_b": ["b", "c", "c"], "significant": [False, True, False]})
    >>> groups(["a", "b", "c"], tests)
    [(0, 1), (1, 2)]
    """
    a, b, significant = significant_pairs(
        comparisons, "critical_difference", measure, [str(run) for run in runs]
    )
    return _stretches(runs, a, b, significant)


def _stretches(
    runs: Sequence[object], a: np.ndarray, b: np.ndarray, significant: np.ndarray
) -> list[tuple[int, int]]:
    """Return (first, last) of each longest stretch of several runs in which no two differ significantly.

    Pairs are given by the places of their runs, -1 if a run is not drawn; all pairs of the runs have to be tested.
    """
    known = (a >= 0) & (b >= 0)
    a, b, significant = a[known], b[known], significant[known]
    tested = np.eye(len(runs), dtype=bool)
    tested[a, b] = tested[b, a] = True
    if not tested.all():
        i, j = np.argwhere(~tested)[0]
        raise ValueError(
            f"the comparisons have no test of {runs[i]!r} against {runs[j]!r}, but all pairs of the runs drawn are "
            "needed. Compare without baseline=, or select the runs first."
        )
    differs = np.zeros(tested.shape, dtype=bool)
    differs[a[significant], b[significant]] = True
    return [(first, last) for first, last in stretches_alike(differs | differs.T) if last > first]


def _tiers(orders: pd.DataFrame) -> list[tuple[int, int]]:
    """Return (first, last) of each tier of a leaderboard that has more than one run; empty for other orders."""
    if "tier" not in orders.columns:
        return []
    # a run may belong to several tiers, from its first to its last
    low, high = orders["tier"].to_numpy(), orders["last_tier"].to_numpy()
    members = [np.flatnonzero((low <= tier) & (tier <= high)) for tier in np.unique(high)]
    return [(int(of[0]), int(of[-1])) for of in members if len(of) > 1]


def _lanes(joined: list[tuple[int, int]]) -> list[int]:
    """Return the lane of each bar, in as few lanes as do not overlap."""
    ends: list[int] = []  # of the last bar in each lane
    lanes = []
    for first, last in joined:
        lane = next((i for i, end in enumerate(ends) if end < first), len(ends))
        ends[lane : lane + 1] = [last]
        lanes.append(lane)
    return lanes


def _join(ax: Axes, joined: list[tuple[int, int]]) -> None:
    """Draw one upright bar per group in a strip at the right of the axes."""
    if not joined:
        return
    lanes = _lanes(joined)
    count = max(lanes) + 1
    # fractions of the width of the axes
    gap = 0.03 if count <= 8 else 0.24 / count
    strip = gap * (count + 1)
    width = min(2.2, 0.4 * gap * 72 * style.inches(ax)[0])
    low, high = ax.get_xlim()
    ax.set_xlim(low, low + (high - low) / (1 - strip))  # the ranks leave the strip free
    for (first, last), lane in zip(joined, lanes):
        ax.plot(
            [1 - strip + gap * (lane + 1)] * 2,
            [first - 0.25, last + 0.25],
            transform=ax.get_yaxis_transform(),
            color=style.foreground(),
            linewidth=width,
            solid_capstyle="butt",
            label="_group",
        )


def mean_rank_diagram(table: PlotTable, ax: Axes | None, measure: str | None) -> Axes:
    """Return axes with the mean ranks of comparisons of all pairs of runs, the best at the left.

    Parameters
    ----------
    table : PlotTable
        Comparisons by a test of mean ranks, without a baseline.
    ax : Axes, optional
        Axes to draw on; new axes by default.
    measure : str, optional
        The measure; required if the frame has several.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> ax = scores.ireval.compare(test="nemenyi").ireval.plot.critical_difference()
    >>> [text.get_text() for text in ax.texts if "CD" in text.get_text()]
    ['CD = 2.41']
    """
    if "rank_a" not in table.frame.columns:
        raise ValueError(
            "critical_difference() draws mean ranks, which these comparisons do not have. Use compare(test='nemenyi') "
            "or compare(test='conover'). For other tests, draw orders with comparisons=."
        )
    rows, label = table.one("measure", measure)
    rows, test = rows.one("test", None, option=False)
    runs, rank, joined = _mean_ranks(rows)
    lanes = _lanes(joined)
    alpha = rows.frame.attrs.get("alpha")
    limit = (
        critical_difference_of(len(runs), int(rows.frame["n"].iloc[0]), float(alpha))
        if test == "nemenyi" and alpha is not None
        else None
    )
    half = (len(runs) + 1) // 2  # the better half is named at the left
    start = 0.7 + LANE * (max(lanes, default=-1) + 1)
    ax = style.axes(ax, width=5.5, height=1.4 + 0.2 * (start + half))
    title = TESTS[test].description if test in TESTS else test
    about = f"Mean rank by {label}" if label else "Mean rank"
    level = "" if alpha is None else f", α={float(alpha):g}"
    style.finish(ax, x=f"{about}; bars join runs without significant difference ({title}{level})")
    row = _clear_axes(ax, start + half - 0.3, limit is not None)
    ends = int(np.floor(rank[0])), max(int(np.ceil(rank[-1])), int(np.floor(rank[0])) + 1)
    step = _write_names(ax, runs, rank, start, ends, row)
    _draw_ruler(ax, rank, ends, row)
    for (first, last), lane in zip(joined, lanes):
        ax.plot(
            rank[[first, last]],
            [0.55 + LANE * lane] * 2,
            color=style.foreground(),
            linewidth=min(2.6, 0.55 * LANE * row),
            label="_group",
        )
    if limit is not None:
        _draw_limit(ax, limit, ends, row)
    if step > 1:
        ax.set_xlabel(ax.get_xlabel() + style.every(step))
    return ax


def _mean_ranks(table: PlotTable) -> tuple[list[str], np.ndarray, list[tuple[int, int]]]:
    """Return the runs in order of their mean ranks, these, and the stretches that do not differ."""
    a, b, runs = table.pairs()
    count = len(runs)
    rank = np.empty(count)
    rank[a], rank[b] = table.numbers("rank_a"), table.numbers("rank_b")
    if abs(rank.mean() - (count + 1) / 2) > 1e-9:
        raise ValueError(
            f"the mean ranks were computed among more runs than the {count} in this table. Run compare() on the runs "
            "to be plotted."
        )
    order = np.argsort(rank, kind="stable")
    place = np.argsort(order)  # inverse permutation
    ranked = [runs[i] for i in order]
    significant = table.frame["significant"].to_numpy(bool)
    return ranked, rank[order], _stretches(ranked, place[a], place[b], significant)


def _clear_axes(ax: Axes, bottom: float, has_limit: bool) -> float:
    """Remove all of the axes except their label, and return the points of a row; names are below 0, numbers above."""
    ax.set(yticks=[], xticks=[])
    ax.spines[:].set_visible(False)
    style.settle(ax)
    style.fit_label(ax)
    style.settle(ax)
    above = (3.4 if has_limit else 1.8) * 0.9 * style.text_size(ax)
    row = (72 * style.inches(ax)[1] - above) / bottom
    ax.set_ylim(bottom, -above / row)
    return row


def _write_names(
    ax: Axes, runs: list[str], rank: np.ndarray, start: float, ends: tuple[int, int], row: float
) -> int:
    """Write the names at both sides, each with a line to its rank, and return the step between named runs."""
    wide, _ = style.inches(ax)
    step = int(np.ceil(style.LEAST_LABEL * 1.05 / row))
    size = min(0.9 * style.text_size(ax), row * step / 1.05)
    letters = 72 / (0.6 * size)  # of an inch
    texts = [
        f"{name} ({place:.2f})"
        for name, place in zip(
            style.shorten(runs, int((NAME_SHARE * wide - 0.1) * letters) - 9), rank
        )
    ]
    half = (len(runs) + 1) // 2
    margins = [
        min(NAME_SHARE * wide, max(map(len, side)) / letters + 0.1)
        for side in (texts[:half], texts[half:])
    ]
    unit = (wide - sum(margins)) / (ends[1] - ends[0])  # inches of a rank
    ax.set_xlim(ends[0] - margins[0] / unit, ends[1] + margins[1] / unit)
    for at in range(0, len(runs), step):
        left = at < half
        y = start + (at if left else len(runs) - 1 - at)
        end = ends[0] if left else ends[1]
        ax.plot(
            [rank[at], rank[at], end],
            [0, y, y],
            color=style.FADED,
            linewidth=0.8,
            zorder=1,
            label="_name",
        )
        ax.annotate(
            style.plain(texts[at]),
            (end, y),
            (-4 if left else 4, 0),
            textcoords="offset points",
            fontsize=size,
            ha="right" if left else "left",
            va="center",
        )
    return step


def _draw_ruler(ax: Axes, rank: np.ndarray, ends: tuple[int, int], row: float) -> None:
    """Draw the line of ranks with its numbers above, and the runs on it."""
    size = 0.9 * style.text_size(ax)
    ax.plot(ends, [0, 0], color=style.foreground(), linewidth=0.9, label="_ruler")
    low, high = ax.get_xlim()
    points = 72 * style.inches(ax)[0] / (high - low)  # of a rank
    step = style.round_step(1.8 * size / points)
    for tick in range(-(-ends[0] // step) * step, ends[1] + 1, step):
        ax.plot(
            [tick, tick],
            [-3 / row, 0],
            color=style.foreground(),
            linewidth=0.9,
            label="_tick",
        )
        ax.annotate(
            str(tick),
            (tick, 0),
            (0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=size,
        )
    ax.scatter(
        rank,
        np.zeros(len(rank)),
        s=min(14.0, row**2),
        color=style.BLUE,
        zorder=3,
        linewidths=0,
    )


def _draw_limit(ax: Axes, limit: float, ends: tuple[int, int], row: float) -> None:
    """Draw the critical difference as a stick above the line; only its text if it is longer than the line."""
    size = 0.9 * style.text_size(ax)
    y = -2.7 * size / row
    text = f"CD = {limit:.2f}"
    if limit > ends[1] - ends[0]:
        ax.annotate(f"{text}, more than the line is long", (ends[0], y), fontsize=size, va="center")
        return
    ax.errorbar(
        ends[0] + limit / 2,
        y,
        xerr=limit / 2,
        color=style.VERMILLION,
        linewidth=1.4,
        capsize=3,
        capthick=1.2,
    )
    ax.annotate(
        text,
        (ends[0] + limit, y),
        (6, 0),
        textcoords="offset points",
        fontsize=size,
        va="center",
    )


@plot(on=("orders",), needs=("rank", "measure"))
def rank_slopes(
    table: PlotTable, *, ax: Axes | None = None, orderings: Sequence[object] | None = None
) -> Axes:
    """Return axes with the runs in one order at the left, in another at the right, and a line from rank to rank.

    Blue lines rise, dashed vermilion ones fall, gray ones stay.

    Parameters
    ----------
    frame : DataFrame
        Orders by two measures, or by two methods: run, measure, method, rank.
    orderings : sequence of two, optional
        The two orderings, each by its measure, its method, or (measure, method); required if the frame has more.

    Returns
    -------
    Axes
        Those drawn on; its first `child_axes` has the names at the right.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> orders = pd.DataFrame({"run": ["lm", "bm25"] * 2, "measure": ["AP"] * 2 + ["RR"] * 2, "method": "mean",
    ...                        "rank": [1, 2, 2, 1]})
    >>> ax = rank_slopes(orders, ax=Figure().subplots())
    >>> ax.get_title(), [label.get_text() for label in ax.get_yticklabels()]
    ("Kendall's τ = -1.00", ['lm', 'bm25'])
    """
    runs, (first, second), by, tau = _two_orderings(table, orderings)
    count = len(runs)
    gain = first - second
    # lexsort: the last key is the primary one; runs with one rank stand as in the other ordering
    left, right = np.lexsort((second, first)), np.lexsort((first, second))
    ax = style.axes(ax, width=5.4, height=style.list_height(count))
    row = 72 * style.inches(ax)[1] / count  # points
    looks: dict[int, dict[str, Any]] = {
        0: {"color": style.FADED, "linestyle": "-"},
        1: {"color": style.BLUE, "linestyle": "-"},
        -1: {"color": style.VERMILLION, "linestyle": (0, (5, 1.5))},
    }
    for ends, sign in zip(np.column_stack([np.argsort(left), np.argsort(right)]), np.sign(gain)):
        ax.plot(
            [0, 1],
            ends,
            marker="o",
            markersize=min(3.5, 0.5 * row),
            linewidth=min(1.3, 0.2 * row),
            **looks[int(sign)],
        )
    ax.set(xlim=(-0.04, 1.04), ylim=(count - 0.4, -0.6))
    style.finish(ax, title=tau, note="Blue lines rise, dashed ones fall" if gain.any() else "")
    ax.spines[["left", "bottom"]].set_visible(False)
    size, width = style.text_size(ax), style.allotted(ax)[0]
    ax.set_xticks(
        [0, 1],
        [style.wrapped(f"Rank{text}", 0.3 * width, size) for text in by],
        fontsize=0.9 * size,
    )
    ax.tick_params(axis="x", length=0)
    other: Any = ax.secondary_yaxis("right")
    for _ in range(2):  # again when the layout has left the axes their size
        step = style.name_ticks(ax, "y", [runs[i] for i in left], share=0.24)
        texts = [style.plain(runs[i]) for i in right]
        short = style.shorten(texts, int(0.24 * width * 72 / (0.55 * size)))
        other.set_yticks(
            range(0, count, step), short[::step], fontsize=ax.get_yticklabels()[0].get_fontsize()
        )
        other.tick_params(length=0)
        style.settle(ax)
    other.spines["right"].set_visible(False)
    if step > 1:
        ax.set_ylabel("Runs" + style.every(step), fontsize=size)
    return ax


@plot(on=("orders",), needs=("rank", "measure"))
def rank_scatter(
    table: PlotTable, *, ax: Axes | None = None, orderings: Sequence[object] | None = None
) -> Axes:
    """Return axes with a point per run: its rank in one order against its rank in another; those that move most named.

    Parameters
    ----------
    frame : DataFrame
        Orders by two measures, or by two methods: run, measure, method, rank.
    orderings : sequence of two, optional
        The two orderings, each by its measure, its method, or (measure, method); required if the frame has more.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> orders = pd.DataFrame({"run": ["lm", "bm25"] * 2, "measure": ["AP"] * 2 + ["RR"] * 2, "method": "mean",
    ...                        "rank": [1, 2, 2, 1]})
    >>> ax = rank_scatter(orders, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('Rank by AP (mean)', 'Rank by RR (mean)')
    """
    runs, (first, second), by, tau = _two_orderings(table, orderings)
    last = float(max(first.max(), second.max()))
    ax = style.axes(ax, width=4.2, height=4.2)
    ax.plot([1, last], [1, last], color=style.FADED, linewidth=0.8, zorder=1)
    ax.plot(
        first,
        second,
        "o",
        color=style.BLUE,
        markersize=3.2 if len(runs) > 40 else 4.5,
        markeredgewidth=0,
        alpha=0.8,
        zorder=3,
    )
    pad = 0.06 * max(last - 1, 1)
    ax.set(xlim=(1 - pad, last + pad), ylim=(1 - pad, last + pad))
    style.finish(
        ax,
        x=f"Rank{by[0]}",
        y=f"Rank{by[1]}",
        title=tau,
        grid="both",
    )
    style.recall_ticks(ax, last)
    ax.set_yticks(ax.get_xticks())
    _name_movers(ax, runs, first, second)
    return ax


def _name_movers(ax: Axes, runs: list[str], first: np.ndarray, second: np.ndarray) -> None:
    """Name the runs that move most, on the side of their point that has space, none over another."""
    last = float(max(first.max(), second.max()))
    moved = np.abs(first - second)
    taken: list[tuple[float, float]] = []
    size = 0.8 * style.text_size(ax)
    letters = int(0.42 * 72 * style.inches(ax)[0] / (0.55 * size))
    for run in np.argsort(-moved, kind="stable"):
        x, y = float(first[run]), float(second[run])
        overlaps = any(
            abs(y - up) <= 0.06 * last and abs(x - across) <= 0.5 * last for across, up in taken
        )
        if not moved[run] or len(taken) == MAX_NAMES or overlaps:
            continue
        taken.append((x, y))
        right = x < (1 + last) / 2
        ax.annotate(
            style.plain(style.shorten([runs[run]], letters)[0]),
            (x, y),
            xytext=(5 if right else -5, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize=size,
        )


def _two_orderings(
    table: PlotTable, orderings: Sequence[object] | None
) -> tuple[list[str], np.ndarray, list[str], str]:
    """Return the runs that both orderings have, their ranks (2, runs), what each orders by, and Kendall's tau."""
    keys = list(zip(map(str, table.frame["measure"]), map(str, table.names("method"))))
    present = list(dict.fromkeys(keys))
    chosen = _chosen_orderings(table.what, present, orderings)
    ordering = np.array([present.index(key) for key in keys])
    columns = [present.index(key) for key in chosen]
    rows = np.isin(ordering, columns)
    ids = np.asarray(table.runs(), dtype=object)[rows]
    ranks = table.wide("rank per run", ids, ordering[rows], table.numbers("rank")[rows])
    both = ranks[columns].reindex(pd.unique(ids)).dropna()
    if both.empty:
        raise ValueError(f"{table.what}: the two orderings have no run in common.")
    tau = float(stats.kendalltau(*both.to_numpy().T).statistic)
    return (
        list(map(str, both.index)),
        both.to_numpy().T,
        [ordered_by(*one) for one in chosen],
        ("" if np.isnan(tau) else f"Kendall's τ = {tau:.2f}"),
    )


def _chosen_orderings(
    what: str, present: list[tuple[str, str]], orderings: Sequence[object] | None
) -> list[tuple[str, str]]:
    """Return two orderings, each as (measure, method)."""
    if orderings is not None:
        if isinstance(orderings, str) or len(orderings) != 2:
            raise ValueError(
                f"orderings={orderings!r}: expected two, e.g. orderings={present[:2]!r}."
            )
        return [_matching_ordering(what, present, ordering) for ordering in orderings]
    texts = axis_texts(pd.MultiIndex.from_tuples(present, names=["measure", "method"]))
    if len(present) < 2:
        raise ValueError(
            f"{what} draws two orderings; the frame has only {texts[0]}. Order by two measures or "
            "methods, e.g. order(['AP', 'RPP'])."
        )
    if len(present) > 2:
        raise ValueError(
            f"{what} draws two orderings; the frame has {len(present)}: {listed(texts, 6)}. "
            f"Choose two: orderings={[present[0], present[-1]]!r}."
        )
    return present


def _matching_ordering(
    what: str, present: list[tuple[str, str]], ordering: object
) -> tuple[str, str]:
    """Return the only ordering with this measure, this method, or both."""
    key = tuple(map(str, ordering)) if isinstance(ordering, tuple | list) else (str(ordering),)
    matches = [one for one in present if key == one or (len(key) == 1 and key[0] in one)]
    if len(matches) != 1:
        raise ValueError(
            f"{what}: {', '.join(key)!r} matches {len(matches)} orderings; "
            f"there are {listed(map(', '.join, present), 6)}."
        )
    return matches[0]


@checks_arguments
def hasse(
    n: int, m: int, *, order: Literal["RR", "LP", "dominance"] = "RR", ax: Axes | None = None
) -> Axes:
    """Return axes with the Hasse diagram of all positions of m relevant items among n, the best at the top.

    Diaz (2023), Figure 1: reciprocal rank ties all vectors with the same first position, lexiprecision ties
    none, and each order preserves the weaker ones.

    Parameters
    ----------
    n, m : int
        The number of positions and of relevant items; at most 84 vectors (n = 9, m = 3) can be read.
    order : {"RR", "LP", "dominance"}
        "RR": by the first position alone, one row per value (left of the figure). "LP": lexiprecision, a
        single chain (right of the figure). "dominance": no item lower and one item higher, the partial order
        that every sensible measure respects.
    ax : Axes, optional
        Axes to draw on; new axes by default.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = hasse(4, 2, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts]
    ['(1,2)', '(1,3)', '(1,4)', '(2,3)', '(2,4)', '(3,4)']
    >>> len(ax.collections[0].get_segments())  # 3 x 2 lines from the first row, 2 x 1 from the second
    8
    """
    if not 1 <= m <= n:
        raise ValueError(f"hasse() needs integers 1 <= m <= n; found n={n}, m={m}.")
    if comb(n, m) > MAX_VECTORS:
        raise ValueError(
            f"hasse({n}, {m}) has {comb(n, m):,} position vectors; at most {MAX_VECTORS} can be read. "
            "Choose a smaller n or m."
        )
    vectors = np.array(list(combinations(range(1, n + 1), m)))
    # the row of each vector, 0 for the best
    row = {
        "RR": vectors[:, 0] - 1,
        "LP": np.arange(len(vectors)),
        "dominance": vectors.sum(axis=1) - vectors[0].sum(),
    }[one_of("order", order, ("RR", "LP", "dominance"))]
    # pairs (better, worse) with nothing in between are in rows next to each other
    below = row[None, :] - row[:, None] == 1
    if order == "dominance":
        below &= (vectors[None, :, :] >= vectors[:, None, :]).all(axis=2)
    width = np.bincount(row)
    # each row is centered; within it the vectors are in lexicographic order
    nth = pd.Series(row).groupby(row).cumcount().to_numpy()
    points = np.column_stack([nth - (width[row] - 1) / 2, -row.astype(float)])
    label_width = 0.1 + 0.085 * (2 * m + 1)  # inches
    ax = style.axes(
        ax,
        width=max(2.4, 0.6 + label_width * width.max()),
        height=max(2.2, 0.8 + 0.42 * len(width)),
    )
    from matplotlib.collections import LineCollection

    edges = np.argwhere(below)
    # a weak order joins every vector of a row with every one of the next: many lines, so faint ones
    gray, width_of_line = ("#888888", 0.7) if len(edges) <= 40 else ("#C4C4C4", 0.4)
    lines = LineCollection(list(points[edges]), colors=gray, linewidths=width_of_line, zorder=1)
    ax.add_collection(lines)
    names = [f"({','.join(map(str, vector))})" for vector in vectors]
    left, bottom = points.min(axis=0)
    right, top = points.max(axis=0)
    wide, high = style.inches(ax)
    # points that a label has across and down
    across = 72 * wide / (right - left + 1.2)
    down = 72 * high / (top - bottom + 1.0)
    size = max(3.5, min(style.text_size(ax), across / (0.6 * max(map(len, names))), 0.62 * down))
    for name, (x, y) in zip(names, points):
        ax.text(
            x,
            y,
            name,
            ha="center",
            va="center",
            fontsize=size,
            zorder=2,
            bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.8},
        )
    ax.set(xlim=(left - 0.6, right + 0.6), ylim=(bottom - 0.5, top + 0.5))
    ax.set_axis_off()
    items = "item" if m == 1 else "items"
    title = f"Ranks of {m} relevant {items} among {n}, {HASSE_ORDERS[order]}; better rankings above"
    return style.finish(ax, title=title)
