"""Two runs query by query, and wins, ties and losses of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.sources import clear_values
from pdeval.plots import style, text_layout
from pdeval.plots.registry import Drawn, drawn, plot
from pdeval.plots.selection import index_of, names, one, one_pair, pairs
from pdeval.report.footnotes import Words, words
from pdeval.tables.reader import query_column
from pdeval.tables.recognition import run_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BARS = 400  # above this many queries one filled outline stands for the bars


@plot(on=("preferences",))
def query_differences(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    pair: Sequence[object] | None = None,
    measure: str | None = None,
    mean: bool = True,
) -> Axes:
    """Return axes with one bar per query, the preference of run a over run b, sorted from best to worst.

    Parameters
    ----------
    frame : DataFrame
        Preferences: query, run_a, run_b, measure, value.
    pair : (run, run), optional
        The two runs; needed where the frame has more than one pair. Either direction will do.
    measure : str, optional
        The measure; needed where the frame has several.
    mean : bool
        Draw the mean as a dashed line.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> prefs = pd.DataFrame({"query_id": ["1", "2", "3"], "run_a": "lm", "run_b": "bm25", "measure": "RPP",
    ...                       "value": [-0.2, 0.5, 0.0]})
    >>> ax = query_differences(prefs, ax=Figure().subplots())
    >>> [round(float(bar.get_height()), 2) for bar in ax.patches], ax.get_title()
    ([0.5, 0.0, -0.2], 'lm better: 1, tied: 1, bm25 better: 1')
    """
    prefs = drawn(frame, "query_differences").need("value")
    if not prefs.run_columns:
        raise prefs.lacks("run_a")
    if (ids := prefs.query) is None:
        raise prefs.lacks("query")
    rows, name = one(frame, "measure", measure, plot="query_differences")
    rows, sign, a, b = one_pair(rows, pair, prefs.run_columns, plot="query_differences")
    value = clear_values(rows["value"].to_numpy(float) * sign, name or "", frame.attrs)
    query_ids = rows[ids].astype(str).to_numpy()
    if len(set(query_ids)) < len(query_ids):
        raise ValueError(
            f"query_differences() draws one value per query; {len(query_ids) - len(set(query_ids))} queries "
            "repeat. Keep one kind of row, e.g. one measure or one level."
        )
    order = np.argsort(-value, kind="stable")
    order = order[~np.isnan(value[order])]
    value, query_ids = value[order], query_ids[order]
    ax = style.axes(ax)
    place = np.arange(len(value))
    if len(value) <= MOST_BARS:
        colours = np.where(value < 0, style.LOSS, style.WIN)
        ax.bar(place, value, width=0.85, color=colours, linewidth=0)
    else:
        for side, colour in ((np.maximum(value, 0), style.WIN), (np.minimum(value, 0), style.LOSS)):
            ax.fill_between(place, side, step="mid", color=colour, linewidth=0)
    ax.axhline(0, color="black", linewidth=0.6)
    if mean and len(value):
        at = float(value.mean())
        ax.axhline(at, color="black", linewidth=0.9, linestyle="--", label=f"mean {at:+.3f}")
        style.legend(ax)
    ax.set_xlim(-0.7, len(value) - 0.3)
    won, lost = int((value > 0).sum()), int((value < 0).sum())
    title = f"{a} better: {won}, tied: {len(value) - won - lost}, {b} better: {lost}"
    measured = f"{name}: " if name else ""
    style.finish(ax, y=f"{measured}{a} − {b}", title=title, grid="y")
    _name_queries(ax, query_ids, words({"query_column": ids}))
    return ax


def _name_queries(ax: Axes, query_ids: np.ndarray, said: Words) -> None:
    """Name the bars where the names can be read; else say how many queries there are."""
    room = 72 * text_layout.inches(ax)[0] / max(len(query_ids), 1)
    if room < 1.3 * text_layout.LEAST_LABEL or max(map(len, query_ids), default=0) > 14:
        ax.set_xticks([])
        ax.set_xlabel(f"{len(query_ids)} {said.queries}, sorted", fontsize=text_layout.text_size(ax))
        return
    text_layout.name_ticks(ax, "x", list(query_ids))
    ax.set_xlabel(said.query.capitalize(), fontsize=text_layout.text_size(ax))


@plot(on=("preferences", "wins"), first=("wins",))
def win_loss_tie(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    baseline: object = None,
    per: Literal["pair", "run"] | None = None,
    sort: bool = True,
) -> Axes:
    """Return axes with one horizontal bar per pair or run: the shares of queries won, tied and lost.

    Parameters
    ----------
    frame : DataFrame
        Preferences (query, run_a, run_b, measure, value), counted here; wins of interleaved runs (run_a, run_b,
        a_wins, b_wins, ties); or other counts: run_a, run_b (or run), wins, ties, losses, seen from run_a.
    measure : str, optional
        The measure; needed where the frame has several.
    baseline : run, optional
        Draw every other run against this one.
    per : {"pair", "run"}, optional
        One bar per pair, or per run against all others together. By default pairs, up to 40 of them.
    sort : bool
        Sort by wins minus losses, the best at the top; else the order of the frame.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> prefs = pd.DataFrame({"query_id": ["1", "2", "3"], "run_a": "lm", "run_b": "bm25", "measure": "RPP",
    ...                       "value": [-0.2, 0.5, 0.0]})
    >>> ax = win_loss_tie(prefs, baseline="bm25", ax=Figure().subplots())
    >>> [label.get_text() for label in ax.get_yticklabels()], [round(bar.get_width()) for bar in ax.patches]
    (['lm'], [33, 33, 33])
    """
    prefs = drawn(frame, "win_loss_tie")
    rows, name = one(frame, "measure", measure, plot="win_loss_tie")
    counts, against = _counts(prefs.keeping(rows), name, baseline, per)
    counts = counts[counts.sum(axis=1) > 0]
    if sort:
        lead = (counts["wins"] - counts["losses"]) / counts.sum(axis=1)
        counts = counts.iloc[np.argsort(-lead.to_numpy(), kind="stable")]
    share = 100 * counts.div(counts.sum(axis=1), axis=0)
    ax = style.axes(ax, height=text_layout.list_height(len(counts)))
    ends = stacked_shares(ax, share.to_numpy(), ("win", "tie", "loss"))
    units = words({"query_column": query_column(frame, {}, needed=False), **frame.attrs}).queries
    if "per" in frame.columns and frame["per"].nunique() == 1:  # interleaved runs: who votes
        units = {"user": "users", "impression": "impressions"}.get(str(frame["per"].iloc[0]), units)
    units += "" if against != "all other runs" else " x opponents"
    facing = f" against {against}" if against and against != "all other runs" else ""
    note = f"in the bars: number of {units}"
    style.finish(ax, x=f"{name + ': ' if name else ''}% of {units}{facing}", note=note)
    style.legend(ax, place="above", columns=3)
    text_layout.name_list(ax, [str(label) for label in counts.index])
    _write_counts(ax, counts.to_numpy(), ends - share.to_numpy() / 2, share.to_numpy())
    return ax


def stacked_shares(ax: Axes, share: np.ndarray, names: tuple[str, str, str]) -> np.ndarray:
    """Draw one bar per row of percentages (better, neither, worse), and return where each part ends.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> stacked_shares(Figure().subplots(), np.array([[50.0, 20.0, 30.0]]), ("win", "tie", "loss")).tolist()
    [[50.0, 70.0, 100.0]]
    """
    looks = ((style.WIN, ""), (style.TIE, ""), (style.LOSS, "////"))
    ends = share.cumsum(axis=1)
    for kind, (label, (colour, hatch)) in enumerate(zip(names, looks)):
        width = share[:, kind]
        look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        ax.barh(np.arange(len(share)), width, left=ends[:, kind] - width, height=0.8, label=label, **look)
    ax.set(xlim=(0, 100), ylim=(len(share) - 0.45, -0.55))
    return ends


def _write_counts(ax: Axes, counts: np.ndarray, middle: np.ndarray, width: np.ndarray) -> None:
    """Write the counts into the segments that are wide enough for them."""
    wide, high = text_layout.inches(ax)
    size = min(0.85 * text_layout.text_size(ax), 0.75 * 72 * high / max(len(counts), 1))
    if size < text_layout.LEAST_LABEL:
        return
    digits = np.floor(np.log10(np.maximum(counts, 1))) + 1
    fits = (counts > 0) & (width > (digits + 0.7) * 100 * 0.62 * size / (72 * wide))
    on_hatch = {"facecolor": style.LOSS, "edgecolor": "none", "pad": 0.6}
    for row, kind in np.argwhere(fits):
        ax.text(
            middle[row, kind], row, f"{counts[row, kind]:.0f}", ha="center", va="center_baseline", fontsize=size,
            color="white" if kind == 0 else "black", bbox=on_hatch if kind == 2 else None,
        )  # fmt: skip


def _counts(prefs: Drawn, name: str | None, baseline: object, per: str | None) -> tuple[pd.DataFrame, str]:
    """Return (wins, ties, losses per bar, whom they are against)."""
    kinds = ["wins", "ties", "losses"]
    frame = prefs.frame
    if "wins" not in frame.columns:  # of interleaved runs
        frame = frame.rename(columns={"a_wins": "wins", "b_wins": "losses"})
    counted = all(kind in frame.columns for kind in kinds)
    stems = prefs.run_columns
    if counted and not stems:
        ids = names(frame, run_columns(frame, [], {}, taken=kinds))
        counts = frame[kinds].groupby(pd.CategoricalIndex(ids), observed=True).sum()
        return counts, "" if baseline is None else str(baseline)
    if not counted:
        prefs.need("value")
    if not stems:
        raise prefs.lacks("run_a")
    a, b, runs = pairs(frame, stems)
    if counted:
        table = frame[kinds].to_numpy(float)
    else:
        value = clear_values(frame["value"].to_numpy(float), name or "", frame.attrs)
        table = np.column_stack([value > 0, value == 0, value < 0]).astype(float)
    if baseline is not None:
        base = index_of(baseline, runs)
        table = np.where((a == base)[:, None], table[:, ::-1], table)
        rows, other = (a == base) ^ (b == base), np.where(a == base, b, a)
        return _total(table[rows], other[rows], runs), runs[base]
    code = a * len(runs) + b
    bars = pd.unique(code)
    if per is None:
        per = "pair" if len(bars) <= 40 else "run"
    if per == "run":
        both = np.concatenate([table, table[:, ::-1]])
        return _total(both, np.concatenate([a, b]), runs), "all other runs"
    titles = [f"{runs[c // len(runs)]} vs {runs[c % len(runs)]}" for c in bars]
    return _total(table, pd.Index(bars).get_indexer(pd.Index(code)), titles), ""


def _total(table: np.ndarray, group: np.ndarray, names: Sequence[str]) -> pd.DataFrame:
    """Add up the rows of each group."""
    sums = [np.bincount(group, weights=table[:, kind], minlength=len(names)) for kind in range(3)]
    return pd.DataFrame(np.column_stack(sums), index=list(names), columns=["wins", "ties", "losses"])
