"""Ties: where two rankings cannot be told apart, and the level at which they can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import columns, layout, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GET = "Call .ireval.ties(qrels) first."
SHARES = ("tied", "share", "ties", "probability", "value", "ecdf", "cumulative")
GROUPS = ("measure", "collection", "dataset", "benchmark", "run", "query_id")


def ties_by_level(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    group: str | None = None,
    levels: int | None = 20,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the share of tied pairs at each recall level, one line per measure or collection.

    Diaz (2023), Figure 5.

    Parameters
    ----------
    frame : DataFrame
        level, a share column (tied, share, ties, probability or value) and perhaps a grouping column
        (measure, collection, dataset, benchmark).
    ax : Axes, optional
        Where to draw; new axes by default.
    value, group : str, optional
        The share column and the grouping column, where they have other names.
    levels : int or None
        Draw the first so many levels; None draws all.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"level": [1, 2, 3], "tied": [0.5, 0.2, 0.1]})
    >>> ties_by_level(frame, ax=Figure().subplots()).lines[0].get_ydata().tolist()
    [0.5, 0.2, 0.1]
    """
    columns.require(frame, ["level"], plot="ties_by_level", get=GET)
    table, _ = _lines(frame, "level", value, group, plot="ties_by_level")
    if levels is not None:
        table = table[table.index <= levels]
    ax = _drawn(ax, table)
    layout.level_ticks(ax, table.index.max())
    ax.set_ylim(bottom=0)
    style.finish(ax, x="Recall level", y="Share of pairs tied", grid="both")
    style.legend(ax, place=legend if len(table.columns) > 1 else None)
    return ax


def tie_probability(
    frame: pd.DataFrame,
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
        p1, a column of probabilities (probability, share, tied, ties or value) and the column that tells lines
        apart: m, or collection, measure, dataset, benchmark. With a column n of one value it names the title.
    ax : Axes, optional
        Where to draw; new axes by default.
    value, group : str, optional
        The probability column and the grouping column, where they have other names.
    log : bool
        Logarithmic axes; probabilities of 0 are left out, and the y axis ends eight decades below the largest.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"n": 4, "m": [1, 1, 2, 2], "p1": [1, 2, 1, 2], "probability": [0.25, 0.25, 0.5, 0.33]})
    >>> ax = tie_probability(frame, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.get_xscale()
    (['m = 1', 'm = 2'], 'log')
    """
    columns.require(
        frame, ["p1"], plot="tie_probability", get="Call pdeval.experiments.tie_probability(n, m, p1) first."
    )
    if group is None and "m" in frame.columns and not any(name in frame.columns for name in GROUPS[:4]):
        group = "m"
    several_n = "n" in frame.columns and frame["n"].nunique() > 1
    if several_n:
        raise ValueError(
            f"tie_probability() draws one n; the frame has {columns.listed(sorted(frame['n'].unique()))}. "
            f"Choose one: frame[frame['n'] == {frame['n'].iloc[0]}]."
        )
    table, name = _lines(frame, "p1", value, group, plot="tie_probability")
    if name == "m":
        table.columns = [f"m = {label}" for label in table.columns]
    if log:
        table = table.where(table > 0).dropna(how="all")
    ax = _drawn(ax, table, sparse=True)
    if log:
        top = float(table.max().max())
        ax.set(xscale="log", yscale="log", ylim=(max(float(table.min().min()), top * 1e-8) / 2, top * 2))
        ax.xaxis.set_major_formatter("{x:,.0f}")  # ranks as they are, not as 2 x 10^0
        ax.xaxis.set_minor_formatter("{x:.0f}" if table.index.max() < 10 else "")
    title = f"n = {int(frame['n'].iloc[0]):,}" if "n" in frame.columns else ""
    style.finish(ax, x="Rank of the first relevant item", y="Probability of a tie", title=title, grid="both")
    style.legend(ax, place=legend if len(table.columns) > 1 else None)
    return ax


def deciding_level(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    value: str | None = None,
    group: str | None = None,
    levels: int | None = None,
    legend: style.Place | None = "inside",
) -> Axes:
    """Return axes with the share of pairs decided at or before each recall level (an ECDF).

    Diaz (2023), Figure 6.

    Parameters
    ----------
    frame : DataFrame
        level and the cumulative share (share, ecdf, cumulative or value) of pairs decided by then; or only
        level, one row per pair: its deciding level, missing or 0 where the pair is tied for good. A grouping
        column (measure, collection, dataset, benchmark) makes several lines.
    ax : Axes, optional
        Where to draw; new axes by default.
    value, group : str, optional
        The share column and the grouping column, where they have other names.
    levels : int, optional
        Draw the first so many levels.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"level": [1, 1, 2, 5]})
    >>> ax = deciding_level(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
    ([1, 2, 5], [0.5, 0.75, 1.0])
    """
    columns.require(frame, ["level"], plot="deciding_level", get=GET)
    given = value or next((name for name in SHARES if name in frame.columns), None)
    if given is None:
        table = _ecdf(frame, group)
    else:
        table, _ = _lines(frame, "level", given, group, plot="deciding_level")
        falls = table.ffill().diff().min()
        if (falls < -1e-12).any():
            raise ValueError(
                f"deciding_level() draws cumulative shares; {given!r} falls with the level"
                f"{'' if len(table.columns) == 1 else f' in {falls.idxmin()!r}'}. "
                f"Add up first: frame.sort_values('level').groupby(...)[{given!r}].cumsum()."
            )
    if levels is not None:
        table = table[table.index <= levels]
    ax = style.axes(ax)
    for i, name in enumerate(table.columns):
        line = table[name].dropna()
        look = style.line(i) | {"drawstyle": "steps-post", "markevery": max(1, len(line) // 12)}
        ax.plot(line.index.to_numpy(), line.to_numpy(), label=name or "_share", **look)
    layout.level_ticks(ax, table.index.max())
    ax.set_ylim(0, 1.03)
    style.finish(ax, x="Recall level", y="Share of pairs decided", grid="both")
    style.legend(ax, place=legend if len(table.columns) > 1 else None)
    return ax


def _group(frame: pd.DataFrame, group: str | None, plot: str) -> str | None:
    """Return the column that tells lines apart, or None."""
    if group is not None:
        columns.require(frame, [group], plot=plot, get="Name the column that tells lines apart with group=.")
        return group
    known = [name for name in GROUPS if name in frame.columns]
    return next((name for name in known if frame[name].nunique() > 1), known[0] if known else None)


def _lines(
    frame: pd.DataFrame, x: str, value: str | None, group: str | None, *, plot: str
) -> tuple[pd.DataFrame, str | None]:
    """Return (a frame of x by lines, the grouping column)."""
    found = value or next((name for name in SHARES if name in frame.columns), "share")
    columns.require(frame, [x, found], plot=plot, get=GET)
    by = _group(frame, group, plot)
    label = columns.names(frame, [by]) if by else pd.Categorical([""] * len(frame))
    table = pd.DataFrame({"x": frame[x].to_numpy(), "line": label, "value": frame[found].to_numpy(float)})
    if table.duplicated(["x", "line"]).any():
        raise ValueError(
            f"{plot}() needs one {found!r} for each ({x}{', ' + by if by else ''}); some repeat. "
            "Name the column that tells lines apart with group=, or average first."
        )
    return table.pivot(index="x", columns="line", values="value").sort_index(), by


def _ecdf(frame: pd.DataFrame, group: str | None) -> pd.DataFrame:
    """Return the cumulative share of rows by level; rows without a level stay undecided."""
    by = _group(frame, group, "deciding_level")
    label = columns.names(frame, [by]) if by else pd.Categorical([""] * len(frame))
    level = frame["level"].to_numpy(float)
    decided = np.isfinite(level) & (level > 0)
    table = pd.crosstab(level[decided].astype(int), np.asarray(label)[decided])
    table = table[[name for name in label.categories if name in table.columns]]
    totals = pd.Series(np.asarray(label)).value_counts().reindex(table.columns)
    return table.cumsum().div(totals, axis=1)


def _drawn(ax: Axes | None, table: pd.DataFrame, *, sparse: bool = False) -> Axes:
    """Draw one line per column."""
    ax = style.axes(ax)
    for i, name in enumerate(table.columns):
        line = table[name].dropna()
        look = style.line(i)
        if sparse:
            look["markevery"] = 0.12  # by distance along the line: even on logarithmic axes
        ax.plot(line.index.to_numpy(), line.to_numpy(), label=name or "_share", **look)
    return ax
