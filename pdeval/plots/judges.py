"""Judges against people as figures: agreement of orderings, and scores by the judge against those by people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.heatmaps import COEFFICIENTS
from pdeval.plots.selection import one
from pdeval.report.orders import METHODS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Number = Literal["tau_b", "tau_ap", "rbo", "overlap_top", "tau_b_top", "kept"]
SAYS = {
    **{name: f"{COEFFICIENTS[name]} with people's ordering" for name in ("tau_b", "tau_ap", "rbo")},
    "overlap_top": "Share of the top runs in common",
    "tau_b_top": "Kendall's τ of people's top runs",
    "kept": "Share of people's significant pairs that are confirmed",
}


@plot(on=("judges",), first=("judges",))
def judge_dots(
    frame: pd.DataFrame, *, ax: Axes | None = None, value: Number = "tau_b", legend: style.Place | None = "above"
) -> Axes:
    """Return axes with one row per judge and one mark per measure: how far the judge agrees with people.

    Parameters
    ----------
    frame : DataFrame
        Judges against people: judge, measure, tau_b, ...
    ax : Axes, optional
        Where to draw; new axes by default, as tall as the list needs.
    value : {'tau_b', 'tau_ap', 'rbo', 'overlap_top', 'tau_b_top', 'kept'}
        The number to draw; the best is 1 for each.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"judge": ["llm", "crowd"], "measure": "AP", "tau_b": [0.9, 0.7], "flipped": 1,
    ...                       "lost": 0, "gained": 0, "kept": 1.0})
    >>> ax = judge_dots(table, ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.lines[0].get_xdata().tolist()
    (['llm', 'crowd'], [0.9, 0.7])
    """
    table = drawn(frame, "judge_dots").need("judge", value)
    if value not in SAYS:
        raise ValueError(f"value={value!r}: choose {', '.join(map(repr, SAYS))}.")
    names = list(dict.fromkeys(frame["judge"].astype(str)))
    keys = [name for name in ("measure", "method") if name in frame.columns]
    several = [name for name in keys if frame[name].nunique() > 1] or keys[:1]
    said = frame[several].astype(str).replace({"method": METHODS})
    label = said.agg(", ".join, axis=1) if several else pd.Series("", index=frame.index)
    if pd.DataFrame({"judge": frame["judge"].astype(str), "label": label}).duplicated().any():
        raise ValueError("judge_dots() needs one row per judge and measure; some repeat.")
    ax = style.axes(ax, height=legibility.list_height(len(names)))
    place = {name: at for at, name in enumerate(names)}
    number = table.column(value).to_numpy(float)
    row = frame["judge"].astype(str).map(place).to_numpy(float)
    texts = list(dict.fromkeys(label))
    for at, text in enumerate(texts):
        own = (label == text).to_numpy()
        look: dict[str, Any] = {**style.line(at), "linestyle": "none", "markersize": 5.5}
        apart = (at - (len(texts) - 1) / 2) * 0.6 / len(texts)  # equal numbers would hide each other
        ax.plot(number[own], row[own] + apart, label=legibility.plain(text) or "_all", zorder=3, **look)
    low = float(np.nanmin(number, initial=1.0))
    ax.set_xlim(min(-1.05 if low < 0 else 0.0, low), 1.05)
    ax.set_ylim(len(names) - 0.4, -0.6)
    style.finish(ax, x=SAYS[value], grid="x")
    legibility.name_list(ax, names, what="Judges")
    style.legend(ax, place=legend if label.nunique() > 1 else None)
    return ax


@plot(on=("judge_scores",), first=("judge_scores",))
def judge_scatter(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one point per run and judge: its score by the judge against its score by people.

    Parameters
    ----------
    frame : DataFrame
        Scores by judges and by people: judge, run, measure, human, machine.
    ax : Axes, optional
        Where to draw; new axes by default.
    measure : str, optional
        The measure; needed where the frame has several.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> table = pd.DataFrame({"judge": "llm", "run": ["lm", "bm25"], "measure": "AP", "human": [0.3, 0.2],
    ...                       "machine": [0.5, 0.3], "rank": [1, 2], "rank_machine": [1, 2], "moved": 0})
    >>> ax = judge_scatter(table, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('AP by people', 'AP by the judge')
    """
    table = drawn(frame, "judge_scatter").need("judge", "human", "machine")
    rows, name = one(frame, "measure", measure, plot="judge_scatter")
    if "method" in rows.columns:
        rows, _ = one(rows, "method", None, plot="judge_scatter", option=False)
    runs = table.keeping(rows).runs()
    judge = rows["judge"].astype(str)
    if pd.DataFrame({"judge": judge.to_numpy(), "run": np.asarray(runs, dtype=object)}).duplicated().any():
        raise ValueError("judge_scatter() needs one row per judge and run; some repeat.")
    ax = style.axes(ax, width=4.2, height=4.2)
    human, machine = (rows[side].to_numpy(float) for side in ("human", "machine"))
    ends = [float(np.nanmin([human, machine])), float(np.nanmax([human, machine]))]
    pad = 0.05 * (ends[1] - ends[0] or 1.0)
    ax.plot(ends, ends, color=style.FADED, linewidth=0.8, zorder=1, label="_equal")
    names = list(dict.fromkeys(judge))
    for at, text in enumerate(names):
        own = (judge == text).to_numpy()
        look: dict[str, Any] = {**style.line(at), "linestyle": "none", "markersize": 4.5, "alpha": 0.8}
        ax.plot(human[own], machine[own], label=legibility.plain(text), zorder=3, **look)
    ax.set(xlim=(ends[0] - pad, ends[1] + pad), ylim=(ends[0] - pad, ends[1] + pad))
    said = name or "Score"
    by = "the judge" if len(names) == 1 else "each judge"
    style.finish(ax, x=f"{said} by people", y=f"{said} by {by}", grid="both")
    style.legend(ax, place=legend if len(names) > 1 else None)
    return ax
