"""Ties: where two rankings cannot be told apart, and the level at which they can."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdeval.plots import style, text_layout
from pdeval.plots.registry import Drawn, drawn, plot
from pdeval.plots.selection import names
from pdeval.tables.equal_values import NOISE
from pdeval.tables.vocabularies import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GROUPS = ("measure", "collection", "dataset", "benchmark", "run", "query_id")


@plot(on=("ties_by_recall",), first=("ties_by_recall",))
def ties_by_recall(
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
        Ties by recall level: recall, tied, and perhaps a column that tells lines apart (measure, collection, dataset,
        benchmark).
    levels : int or None
        Draw the first so many recall levels; None draws all.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"recall": [1, 2, 3], "tied": [0.5, 0.2, 0.1]})
    >>> ties_by_recall(frame, ax=Figure().subplots()).lines[0].get_ydata().tolist()
    [0.5, 0.2, 0.1]
    """
    table, _ = _lines(drawn(frame, "ties_by_recall"), "recall", value, group)
    if levels is not None:
        table = table[table.index <= levels]
    ax = _drawn(ax, table)
    text_layout.recall_ticks(ax, table.index.max())
    ax.set_ylim(bottom=0)
    style.finish(ax, x="Recall level", y="Share of pairs tied", grid="both")
    style.legend(ax, place=legend if len(table.columns) > 1 else None)
    return ax


@plot(on=("ties_by_first", "tie_probability"), first=("ties_by_first", "tie_probability"))
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
        Ties by the rank of the first relevant item: p1, tied, and perhaps a column that tells lines apart (measure,
        collection, dataset, benchmark); or probabilities in theory: n, m, p1, probability, where n names the title.
    log : bool
        Logarithmic axes; probabilities of 0 are left out, and the y axis ends eight decades below the largest.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"n": 4, "m": [1, 1, 2, 2], "p1": [1, 2, 1, 2], "probability": [0.25, 0.25, 0.5, 0.33]})
    >>> ax = tie_probability(frame, ax=Figure().subplots())
    >>> [text.get_text() for text in ax.get_legend().get_texts()], ax.get_xscale()
    (['m = 1', 'm = 2'], 'log')
    """
    ties = drawn(frame, "tie_probability").need("p1")
    if group is None and "m" in frame.columns and not any(name in frame.columns for name in GROUPS[:4]):
        group = "m"
    several_n = "n" in frame.columns and frame["n"].nunique() > 1
    if several_n:
        raise ValueError(
            f"tie_probability() draws one n; the frame has {listed(sorted(frame['n'].unique()))}. "
            f"Choose one: frame[frame['n'] == {frame['n'].iloc[0]}]."
        )
    table, name = _lines(ties, "p1", value, group)
    if name == "m":
        table.columns = [f"m = {label}" for label in table.columns]
    if log:
        table = table.where(table > 0).dropna(how="all")
        if table.empty:
            raise ValueError(
                "there is nothing to draw on a logarithmic axis: no probability is above 0; give log=False."
            )
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


@plot(on=("decided", "deciding"), first=("decided", "deciding"))
def decided_by_recall(
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
        recall and the cumulative share of pairs decided by then; or one row per pair and query, whose deciding recall
        level is missing or 0 where the pair is tied for good. A column that tells lines apart (measure, collection,
        dataset, benchmark) makes several lines.
    levels : int, optional
        Draw the first so many recall levels.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"recall": [1, 1, 2, 5]})
    >>> ax = decided_by_recall(frame, ax=Figure().subplots())
    >>> ax.lines[0].get_xdata().tolist(), ax.lines[0].get_ydata().tolist()
    ([1, 2, 5], [0.5, 0.75, 1.0])
    """
    pairs = drawn(frame, "decided_by_recall").need("recall")
    given = value or pairs.holding("share")
    if given is None:
        table = _ecdf(pairs, group)
    else:
        table, _ = _lines(pairs, "recall", given, group)
        falls = table.ffill().diff().min()
        if (falls < -NOISE).any():
            raise ValueError(
                f"decided_by_recall() draws cumulative shares; {given!r} falls with the recall level"
                f"{'' if len(table.columns) == 1 else f' in {falls.idxmin()!r}'}. "
                f"Add up first: frame.sort_values('recall').groupby(...)[{given!r}].cumsum()."
            )
    if levels is not None:
        table = table[table.index <= levels]
    ax = style.axes(ax)
    for i, name in enumerate(table.columns):
        line = table[name].dropna()
        look = style.line(i) | {"drawstyle": "steps-post", "markevery": max(1, len(line) // 12)}
        ax.plot(line.index.to_numpy(), line.to_numpy(), label=text_layout.entry(name) or "_share", **look)
    text_layout.recall_ticks(ax, table.index.max())
    ax.set_ylim(0, 1.03)
    style.finish(ax, x="Recall level", y="Share of pairs decided", grid="both")
    style.legend(ax, place=legend if len(table.columns) > 1 else None)
    return ax


def _group(table: Drawn, group: str | None) -> str | None:
    """Return the column that tells lines apart, or None."""
    if group is not None:
        return str(table.column(group).name)
    known = [name for name in GROUPS if name in table.frame.columns]
    return next((name for name in known if table.frame[name].nunique() > 1), known[0] if known else None)


def _lines(ties: Drawn, x: str, value: str | None, group: str | None) -> tuple[pd.DataFrame, str | None]:
    """Return (a frame of x by lines, the column that tells them apart)."""
    found = value or ties.holding("share") or ("probability" if x == "p1" else "tied")
    by = _group(ties.need(x, found), group)
    label = names(ties.frame, [by]) if by else pd.Categorical([""] * len(ties.frame))
    values = ties.column(found).to_numpy(float)
    table = pd.DataFrame({"x": ties.column(x).to_numpy(), "line": label, "value": values})
    if table.duplicated(["x", "line"]).any():
        raise ValueError(
            f"{ties.what} needs one {found!r} for each ({x}{', ' + by if by else ''}); some repeat. "
            "Name the column that tells lines apart with group=, or average first."
        )
    return table.pivot(index="x", columns="line", values="value").sort_index(), by


def _ecdf(pairs: Drawn, group: str | None) -> pd.DataFrame:
    """Return the cumulative share of pairs by recall level; those without one stay undecided."""
    by = _group(pairs, group)
    label = names(pairs.frame, [by]) if by else pd.Categorical([""] * len(pairs.frame))
    level = pairs.column("recall").to_numpy(float)
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
        ax.plot(line.index.to_numpy(), line.to_numpy(), label=text_layout.entry(name) or "_share", **look)
    return ax
