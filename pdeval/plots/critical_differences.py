"""Demsar's diagram: mean ranks on a line, bars that join what a test does not tell apart, the critical difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import Drawn
from pdeval.plots.selection import one, pairs
from pdeval.significance.mean_ranks import critical_difference_of
from pdeval.significance.registry import TESTS
from pdeval.significance.tiers import stretches_alike

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
        ax.set_xlabel(ax.get_xlabel() + legibility.every(step))
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
    legibility.settle(ax)
    legibility.fit_label(ax)
    legibility.settle(ax)
    points = 72 * legibility.inches(ax)[1]
    above = (3.4 if stick else 1.8) * 0.9 * legibility.text_size(ax)
    row = (points - above) / bottom
    ax.set_ylim(bottom, -above / row)
    return row


def _named(ax: Axes, names: list[str], rank: np.ndarray, start: float, ends: tuple[int, int], row: float) -> int:
    """Write the names at both sides, each with a line to its rank, and return every how many-th has one."""
    wide, _ = legibility.inches(ax)
    step = int(np.ceil(legibility.LEAST_LABEL * 1.05 / row))
    size = min(0.9 * legibility.text_size(ax), row * step / 1.05)
    letters = 72 / (0.6 * size)  # of an inch
    short = legibility.shorten(names, int((SHARE * wide - 0.1) * letters) - 9)
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
            legibility.plain(texts[at]), (end, y), (away, 0), textcoords="offset points", fontsize=size,
            ha="right" if left else "left", va="center",
        )  # fmt: skip
    return step


def _ruler(ax: Axes, rank: np.ndarray, ends: tuple[int, int], row: float) -> None:
    """Draw the line of ranks with its numbers above, and the runs on it."""
    size = 0.9 * legibility.text_size(ax)
    ax.plot(ends, [0, 0], color=style.BLACK, linewidth=0.9, label="_ruler")
    low, high = ax.get_xlim()
    points = 72 * legibility.inches(ax)[0] / (high - low)  # of a rank
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if s * points > 1.8 * size or s == 1000)
    for tick in range(-(-ends[0] // step) * step, ends[1] + 1, step):
        ax.plot([tick, tick], [-3 / row, 0], color=style.BLACK, linewidth=0.9, label="_tick")
        ax.annotate(str(tick), (tick, 0), (0, 4), textcoords="offset points", ha="center", fontsize=size)
    ax.scatter(rank, np.zeros(len(rank)), s=min(14.0, row**2), color=style.BLUE, zorder=3, linewidths=0)


def _measure_stick(ax: Axes, limit: float, ends: tuple[int, int], row: float) -> None:
    """Draw the critical difference as a stick above the line; one that is longer than the line is said alone."""
    size = 0.9 * legibility.text_size(ax)
    y = -2.7 * size / row
    text = f"CD = {limit:.2f}"
    if limit > ends[1] - ends[0]:
        ax.annotate(f"{text}, more than the line is long", (ends[0], y), fontsize=size, va="center")
        return
    ax.errorbar(ends[0] + limit / 2, y, xerr=limit / 2, color=style.VERMILLION, linewidth=1.4, capsize=3, capthick=1.2)
    ax.annotate(text, (ends[0] + limit, y), (6, 0), textcoords="offset points", fontsize=size, va="center")
