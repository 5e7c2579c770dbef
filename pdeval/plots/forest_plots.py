"""Forest plots: a difference per collection with its interval, and what all of them say together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.kinds.vocabularies import listed
from pdeval.plots import legibility, style
from pdeval.plots.drawing import Drawn, drawn, plot
from pdeval.significance.meta_analysis import meta_analysis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Combined = Literal["fixed", "random"]
SAID = {"fixed": "Fixed effects", "random": "Random effects"}


@plot(on=("collection_effects", "collection_verdicts"), first=("collection_effects", "collection_verdicts"))
def forest(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    runs: Sequence[str] | None = None,
    measure: str | None = None,
    combined: Sequence[Combined] = ("fixed", "random"),
    verdict: pd.DataFrame | None = None,
) -> Axes:
    """Return axes with one row per collection: the difference, its interval, its weight; below, all of them together.

    Of a table of verdicts there is one row per pair of runs: the macro difference with its interval.

    Parameters
    ----------
    frame : DataFrame
        What each collection says, from `verdict(by=..., per="collection")`; or a table of verdicts.
    ax : Axes, optional
        Where to draw; new axes by default, as tall as the list needs.
    runs : sequence of two str, optional
        The pair of runs, a and b, to draw; needed where the frame has several.
    measure : str, optional
        The measure to draw; needed where the frame has several.
    combined : sequence of {'fixed', 'random'}
        Which means of the collections to draw as diamonds, as wide as their intervals.
    verdict : DataFrame, optional
        The verdict over the same collections, whose macro difference gets a diamond too.

    Returns
    -------
    Axes
        Those drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> frame = pd.DataFrame({"site": ["x", "y"], "run_a": "lm", "run_b": "bm25", "measure": "AP", "test": "t", "n": 9,
    ...                       "difference": [0.1, 0.2], "se": [0.05, 0.05], "ci_low": [0.0, 0.1],
    ...                       "ci_high": [0.2, 0.3], "p_value": 0.1, "weight": 0.5})
    >>> frame.attrs["by"] = ["site"]
    >>> ax = forest(frame, ax=Figure().subplots(), combined=["random"])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['x', 'y', 'Random effects']
    """
    table = _one_measure(drawn(frame, "forest"), measure)
    if "macro" in table.frame.columns:
        return _of_pairs(table, ax, runs)
    return _of_collections(_one_pair(table, runs), ax, combined, verdict)


def _of_pairs(table: Drawn, ax: Axes | None, runs: Sequence[str] | None) -> Axes:
    """Draw a row per pair of runs."""
    table = table if runs is None else _one_pair(table, runs)
    own = table.frame
    names = [f"{a} − {b}" for a, b in zip(*_sides(table))]
    ax = style.axes(ax, height=legibility.list_height(len(own)))
    _rows(ax, own["macro"], own["ci_low"], own["ci_high"], np.full(len(own), 1.0), np.zeros(len(own)))
    return _finished(ax, table, names, "Macro difference of", len(own))


def _of_collections(table: Drawn, ax: Axes | None, combined: Sequence[Combined], verdict: pd.DataFrame | None) -> Axes:
    """Draw a row per collection, and a diamond for each mean of them."""
    own = table.frame
    by = [name for name in own.attrs.get("by", ()) if name in own.columns] or [str(own.columns[0])]
    names = [" / ".join(map(str, row)) for row in own[by].itertuples(index=False)]
    unknown = [one for one in combined if one not in SAID]
    if unknown:
        raise ValueError(f"combined={unknown[0]!r}: choose of {listed(SAID)}.")
    diamonds = _diamonds(own, combined) + _macro(table, verdict)
    diamonds = [one for one in diamonds if not np.isnan(one[1:]).any()]
    ax = style.axes(ax, height=legibility.list_height(len(own) + len(diamonds)))
    weight = own["weight"].to_numpy(float)
    weight = np.where(np.isnan(weight), 1 / len(own), weight)
    _rows(ax, own["difference"], own["ci_low"], own["ci_high"], np.sqrt(weight / weight.max()), np.zeros(len(own)))
    for row, (_, low, mean, high) in enumerate(diamonds, start=len(own)):
        look: dict[str, Any] = {"facecolor": style.VERMILLION, "edgecolor": style.BLACK, "linewidth": 0.6, "zorder": 3}
        ax.fill([low, mean, high, mean], [row, row - 0.32, row, row + 0.32], **look)
    if diamonds:
        ax.axhline(len(own) - 0.5, color=style.FADED, linewidth=0.7)
    a, b = (side[0] for side in _sides(table))
    names += [one[0] for one in diamonds]
    return _finished(ax, table, names, f"{a} − {b}, difference of", len(names))


def _rows(ax: Axes, mean: Any, low: Any, high: Any, size: np.ndarray, first: np.ndarray) -> None:
    """Draw points as large as their weight, with whiskers."""
    place = np.arange(len(size)) + first
    mean, low, high = (np.asarray(values, dtype=float) for values in (mean, low, high))
    spread = np.nan_to_num(np.maximum(np.vstack([mean - low, high - mean]), 0))
    ax.errorbar(mean, place, xerr=spread, linestyle="none", color=style.BLUE, elinewidth=1.1, zorder=2)
    ax.scatter(mean, place, s=(6.0 * size) ** 2, marker="s", color=style.BLUE, linewidths=0, zorder=3)


def _finished(ax: Axes, table: Drawn, names: list[str], said: str, rows: int) -> Axes:
    ax.axvline(0, color="black", linewidth=0.7, linestyle=":")
    ax.set_ylim(rows - 0.4, -0.6)
    measure = table.frame["measure"].iloc[0]
    style.finish(ax, x=f"{said} {measure} (with {style.interval(table.frame)})", grid="x")
    legibility.name_list(ax, names, what="Rows")
    return ax


def _diamonds(own: pd.DataFrame, combined: Sequence[Combined]) -> list[tuple[str, float, float, float]]:
    """Return name, lower end, mean and upper end of each mean of the collections."""
    values = own[["difference", "se"]].to_numpy(float)
    found = meta_analysis(values[:, :1], values[:, 1:], confidence=own.attrs.get("confidence", 0.95))
    parts = {one: [getattr(found, f"{one}{end}").item() for end in ("_low", "", "_high")] for one in combined}
    return [(SAID[one], *ends) for one, ends in parts.items()]


def _macro(table: Drawn, verdict: pd.DataFrame | None) -> list[tuple[str, float, float, float]]:
    if verdict is None:
        return []
    whole = drawn(verdict, "forest(verdict=...)", kinds=["collection_verdicts"])
    a, b = (side[0] for side in _sides(table))
    same = [(x, y) == (a, b) for x, y in zip(*_sides(whole))]
    rows = whole.frame[np.array(same) & (whole.frame["measure"] == table.frame["measure"].iloc[0]).to_numpy()]
    if len(rows) != 1:
        raise ValueError(f"the verdict has {len(rows)} rows of ({a!r}, {b!r}) and this measure; one is needed.")
    low, mean, high = rows[["ci_low", "macro", "ci_high"]].to_numpy(float)[0]
    return [("Macro mean", float(low), float(mean), float(high))]


def _sides(table: Drawn) -> list[list[str]]:
    """Return the runs a and the runs b of all rows as texts."""
    columns = [[f"{name}_{side}" for name in table.run_columns] for side in "ab"]
    return [[" / ".join(map(str, row)) for row in table.frame[own].itertuples(index=False)] for own in columns]


def _one_measure(table: Drawn, measure: str | None) -> Drawn:
    held = list(dict.fromkeys(table.column("measure").astype(str)))
    if measure is None and len(held) > 1:
        raise ValueError(f"forest() draws one measure; the frame has {listed(held)}. Choose one: measure={held[0]!r}.")
    if measure is not None and measure not in held:
        raise KeyError(f"no measure {measure!r} in this table; it has {listed(held)}.")
    return _keeping(table, (table.column("measure").astype(str) == (measure or held[0])).to_numpy())


def _one_pair(table: Drawn, runs: Sequence[str] | None) -> Drawn:
    held = list(zip(*_sides(table)))
    distinct = list(dict.fromkeys(held))
    if runs is None and len(distinct) > 1:
        raise ValueError(
            f"forest() draws one pair of runs; the frame has {len(distinct)}. Choose one: runs={list(distinct[0])!r}."
        )
    chosen = distinct[0] if runs is None else tuple(map(str, runs))
    if chosen not in distinct:
        raise KeyError(f"no pair {chosen!r} in this table; it has {distinct[0]!r} and {len(distinct) - 1} others.")
    return _keeping(table, np.array([one == chosen for one in held]))


def _keeping(table: Drawn, rows: np.ndarray) -> Drawn:
    kept = table.frame[rows]
    kept.attrs = dict(table.frame.attrs)
    return table.keeping(kept)
