"""One ordering of the runs against another: slopes from rank to rank, and ranks as points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.plots import style, text_layout
from pdeval.plots.heatmaps import axis_texts
from pdeval.plots.orderings import ordered_by
from pdeval.plots.registry import drawn, plot
from pdeval.tables.vocabularies import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = 5  # runs that the scatter names: those that move most


class Two(NamedTuple):
    """The runs, their ranks in both orderings, and how these are made."""

    runs: list[str]
    first: np.ndarray
    second: np.ndarray
    by: list[str]

    @property
    def alike(self) -> str:
        """How alike the orderings are."""
        from scipy import stats

        tau = float(stats.kendalltau(self.first, self.second).statistic)
        return "" if np.isnan(tau) else f"Kendall's τ = {tau:.2f}"


@plot(on=("orders",))
def rank_slopes(frame: pd.DataFrame, *, ax: Axes | None = None, orderings: Sequence[object] | None = None) -> Axes:
    """Return axes with the runs in one order at the left, in another at the right, and a line from rank to rank.

    Blue lines rise, dashed vermilion ones fall, grey ones stay.

    Parameters
    ----------
    frame : DataFrame
        Orders by two measures, or by two methods: run, measure, method, rank.
    orderings : sequence of two, optional
        The two orderings, each by its measure, its method, or (measure, method); needed where the frame has more.

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
    two = _two(frame, "rank_slopes", orderings)
    count = len(two.runs)
    left, right = np.lexsort((two.second, two.first)), np.lexsort((two.first, two.second))
    ax = style.axes(ax, width=5.4, height=text_layout.list_height(count))
    places = [np.argsort(order) for order in (left, right)]
    gain = two.first - two.second
    row = 72 * text_layout.inches(ax)[1] / count
    for run in range(count):
        look: dict[str, Any] = {"color": style.FADED, "linestyle": "-"}
        if gain[run]:
            rises = gain[run] > 0
            look = {"color": style.BLUE if rises else style.VERMILLION, "linestyle": "-" if rises else (0, (5, 1.5))}
        ends = [places[0][run], places[1][run]]
        ax.plot([0, 1], ends, marker="o", markersize=min(3.5, 0.5 * row), linewidth=min(1.3, 0.2 * row), **look)
    ax.set(xlim=(-0.04, 1.04), ylim=(count - 0.4, -0.6))
    style.finish(ax, title=two.alike, note="blue rises, dashed falls" if gain.any() else "")
    ax.spines[["left", "bottom"]].set_visible(False)
    size = text_layout.text_size(ax)
    room = 0.3 * text_layout.allotted(ax)[0]
    ax.set_xticks([0, 1], [text_layout.wrapped(f"Rank{by}", room, size) for by in two.by], fontsize=0.9 * size)
    ax.tick_params(axis="x", length=0)
    names = [[two.runs[i] for i in order] for order in (left, right)]
    other: Any = ax.secondary_yaxis("right")
    step = text_layout.name_ticks(ax, "y", names[0], share=0.24)
    for _ in range(2):  # again when the layout has left the axes their room
        step = text_layout.name_ticks(ax, "y", names[0], share=0.24)
        ticks = list(range(0, count, step))
        length = int(0.24 * text_layout.allotted(ax)[0] * 72 / (0.55 * size))
        short = text_layout.shorten([text_layout.plain(name) for name in names[1]], length)
        shown = ax.get_yticklabels()[0].get_fontsize() if ticks else size
        other.set_yticks(ticks, [short[i] for i in ticks], fontsize=shown)
        other.tick_params(length=0)
        text_layout.settle(ax)
    other.spines["right"].set_visible(False)
    if step > 1:
        ax.set_ylabel("Runs" + text_layout.every(step), fontsize=size)
    return ax


@plot(on=("orders",))
def rank_scatter(frame: pd.DataFrame, *, ax: Axes | None = None, orderings: Sequence[object] | None = None) -> Axes:
    """Return axes with a point per run: its rank in one order against its rank in another; those that move most named.

    Parameters
    ----------
    frame : DataFrame
        Orders by two measures, or by two methods: run, measure, method, rank.
    orderings : sequence of two, optional
        The two orderings, each by its measure, its method, or (measure, method); needed where the frame has more.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> orders = pd.DataFrame({"run": ["lm", "bm25"] * 2, "measure": ["AP"] * 2 + ["RR"] * 2, "method": "mean",
    ...                        "rank": [1, 2, 2, 1]})
    >>> ax = rank_scatter(orders, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('Rank by AP (mean)', 'Rank by RR (mean)')
    """
    two = _two(frame, "rank_scatter", orderings)
    last = float(max(two.first.max(), two.second.max()))
    ax = style.axes(ax, width=4.2, height=4.2)
    ax.plot([1, last], [1, last], color=style.FADED, linewidth=0.8, zorder=1)
    size = 3.2 if len(two.runs) > 40 else 4.5
    ax.plot(two.first, two.second, "o", color=style.BLUE, markersize=size, markeredgewidth=0, alpha=0.8, zorder=3)
    pad = 0.06 * max(last - 1, 1)
    ax.set(xlim=(1 - pad, last + pad), ylim=(1 - pad, last + pad))
    style.finish(ax, x=f"Rank{two.by[0]}", y=f"Rank{two.by[1]}", title=two.alike, grid="both")
    text_layout.recall_ticks(ax, last)
    ax.set_yticks(ax.get_xticks())
    _name_movers(ax, two, last)
    return ax


def _name_movers(ax: Axes, two: Two, last: float) -> None:
    """Name the runs that move most, on the side of their point where there is room, none over another."""
    moved = np.abs(two.first - two.second)
    taken: list[tuple[float, float]] = []
    size = 0.8 * text_layout.text_size(ax)
    for run in np.argsort(-moved, kind="stable"):
        x, y = float(two.first[run]), float(two.second[run])
        apart = all(abs(y - other) > 0.06 * last or abs(x - beside) > 0.5 * last for beside, other in taken)
        if not moved[run] or len(taken) == NAMED or not apart:
            continue
        taken.append((x, y))
        right = x < (1 + last) / 2
        text = text_layout.shorten([two.runs[run]], int(0.42 * 72 * text_layout.inches(ax)[0] / (0.55 * size)))[0]
        ax.annotate(
            text_layout.plain(text), (x, y), xytext=(5 if right else -5, 0), textcoords="offset points",
            ha="left" if right else "right", va="center", fontsize=size,
        )  # fmt: skip


def _two(frame: pd.DataFrame, what: str, orderings: Sequence[object] | None) -> Two:
    """Return the runs that both orderings have, with their ranks."""
    table = drawn(frame, what).need("rank", "measure")
    method = frame["method"].astype(str) if "method" in frame.columns else pd.Series("", index=frame.index)
    key = pd.MultiIndex.from_arrays([frame["measure"].astype(str), method], names=["measure", "method"])
    held = key.drop_duplicates()
    if orderings is None:
        if len(held) < 2:
            raise ValueError(
                f"{what}() draws two orderings; the frame has {axis_texts(held)[0]} alone. Order by two measures or "
                "methods, e.g. order(['AP', 'RPP'])."
            )
        if len(held) > 2:
            offered = listed(axis_texts(held), 6)
            example = tuple(map(str, held[0])), tuple(map(str, held[-1]))
            raise ValueError(
                f"{what}() draws two orderings; the frame has {len(held)}: {offered}. "
                f"Choose two: orderings={list(example)!r}."
            )
        chosen = [tuple(map(str, one)) for one in held]
    else:
        asked = list(orderings)
        if isinstance(orderings, str) or len(asked) != 2:
            raise ValueError(f"orderings={orderings!r}: name two, e.g. orderings={list(map(tuple, held[:2]))!r}.")
        chosen = [_found(one, held, what) for one in asked]
    ids = np.asarray(table.runs(), dtype=object)
    ranks = []
    for one in chosen:
        rows = np.asarray([tuple(map(str, own)) == one for own in key])
        if len(set(ids[rows])) < rows.sum():
            raise ValueError(f"{what}() needs one rank per run; some runs repeat in {', '.join(one)}.")
        ranks.append(dict(zip(ids[rows], frame["rank"].to_numpy(float)[rows])))
    runs = [run for run in ranks[0] if run in ranks[1]]
    if not runs:
        raise ValueError(f"{what}(): the two orderings have no run in common.")
    first, second = (np.array([own[run] for run in runs]) for own in ranks)
    return Two([str(run) for run in runs], first, second, [ordered_by(*one) for one in chosen])


def _found(asked: object, held: pd.MultiIndex, what: str) -> tuple[str, ...]:
    """Return the ordering that a measure, a method, or both name."""
    wanted = tuple(map(str, asked)) if isinstance(asked, tuple | list) else (str(asked),)
    own = [tuple(map(str, one)) for one in held]
    found = [one for one in own if wanted == one or (len(wanted) == 1 and wanted[0] in one)]
    if len(found) != 1:
        raise ValueError(
            f"{what}(): {', '.join(wanted)!r} names {len(found)} orderings; there are {listed(map(', '.join, own), 6)}."
        )
    return found[0]
