"""Numbers with their intervals, one row each: differences, gaps, means or quantiles of any table that has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from pdeval.plots import style, text_layout
from pdeval.plots.registry import Drawn, drawn, plot
from pdeval.plots.selection import one
from pdeval.significance.meta_analysis import meta_analysis
from pdeval.tables.vocabularies import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SEGMENTED = ("segments", "segment_differences", "segment_gaps", "segment_difference_gaps")
VALUES = {"difference": "Difference of", "mean": "Mean", "value": "Value of", "gap": "Gap in", "favour": "Favour"}
NAMES = ("run", "run_a", "run_b", "bucket_a", "bucket_b", "segment_a", "segment_b", "statistic", "share")
MOST = 200


@plot(
    on=("comparisons", "bucket_comparisons", "quantiles", "judge_bias", *SEGMENTED),
    first=("bucket_comparisons", "quantiles", "judge_bias", *SEGMENTED),
)
def intervals(
    frame: pd.DataFrame,
    *,
    ax: Axes | None = None,
    measure: str | None = None,
    sort: bool = False,
    legend: style.Place | None = "above",
) -> Axes:
    """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval.

    Of a table that says which rows are significant, those are filled and the others hollow.

    Parameters
    ----------
    frame : DataFrame
        A table with ci_low and ci_high: comparisons of runs or buckets, segments, gaps, quantiles, biases of judges.
    measure : str, optional
        The measure; needed where the frame has several.
    sort : bool
        Sort the rows by their value, the largest at the top; by default they stand as in the frame.

    Examples
    --------
    >>> import pdeval
    >>> from matplotlib.figure import Figure
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> found = scores.ireval.compare(baseline="bm25")
    >>> ax = found.ireval.plot.intervals(ax=Figure().subplots())
    >>> ax.get_yticklabels()[0].get_text(), ax.get_xlabel().split()[:3]
    ('bm25+rm3 − bm25', ['Difference', 'of', 'AP'])
    """
    table = drawn(frame, "intervals").need("ci_low", "ci_high")
    rows, name = one(frame, "measure", measure, plot="intervals")
    value = next((column for column in VALUES if column in rows.columns), None)
    if value is None:
        raise table.lacks("difference")
    if len(rows) > MOST:
        raise ValueError(
            f"intervals() draws at most {MOST} rows; the frame has {len(rows):,}. Keep some of them, e.g. those of a "
            "baseline."
        )
    if sort:
        rows = rows.sort_values(value, ascending=False, kind="stable")
    texts = _names(rows, frame.attrs.get("run_columns") or ["run"])  # of segments a run has several rows
    ax = style.axes(ax, height=text_layout.list_height(len(rows)))
    middle, low, high = (rows[column].to_numpy(float) for column in (value, "ci_low", "ci_high"))
    place = np.arange(len(rows))
    size = min(4.5, 0.6 * 72 * text_layout.inches(ax)[1] / len(rows))
    ax.hlines(place, low, high, color=style.BLUE, linewidth=min(1.3, 0.4 * size))
    sure = rows["significant"].to_numpy(bool) if "significant" in rows.columns else None
    for filled, label in ((True, "significant"), (False, "not significant")):
        chosen = np.full(len(rows), filled) if sure is None else sure == filled
        if chosen.any():
            face = style.BLUE if filled else "white"
            look: dict[str, Any] = {
                "markersize": size,
                "markerfacecolor": face,
                "markeredgecolor": style.BLUE,
                "color": style.BLUE,
            }
            ax.plot(middle[chosen], place[chosen], "o", label=label if sure is not None else "_all", zorder=3, **look)
    if value in ("difference", "gap", "favour"):
        ax.axvline(0, color="black", linewidth=0.7, linestyle=":")
    ax.set_ylim(len(rows) - 0.4, -0.6)
    style.finish(ax, x=f"{VALUES[value]} {name}".rstrip() + f" (with {style.interval(frame)})", grid="x")
    text_layout.name_list(ax, texts, what="Rows")
    style.legend(ax, place=legend if sure is not None else None)
    return ax


def _names(rows: pd.DataFrame, runs: Sequence[str]) -> list[str]:
    """Name each row by what tells it apart: groups, runs, pairs as 'a − b', statistics."""
    by = [name for name in rows.attrs.get("by", ()) if name in rows.columns]
    others = [str(name) for name in rows.columns if str(name) not in NAMES]
    segment = [name for name in others[:1] if not pd.api.types.is_numeric_dtype(rows[name].dtype) and name != "measure"]
    stems = [*runs, "bucket", "segment"]
    quantiles = ["statistic", "share"] if "share" in rows.columns else []  # elsewhere a statistic is that of a test
    columns = list(dict.fromkeys([*by, *segment, *runs, *quantiles]))
    parts = [rows[name].astype(str) for name in columns if name in rows.columns and rows[name].nunique() > 1]
    for stem in dict.fromkeys(stems):
        sides = [f"{stem}_{side}" for side in "ab"]
        if set(sides) <= set(rows.columns):
            parts.append(rows[sides[0]].astype(str) + " − " + rows[sides[1]].astype(str))
    if not parts:
        parts = [rows[name].astype(str) for name in columns if name in rows.columns][:1]
    if not parts:
        raise ValueError(f"intervals() finds nothing that names the rows; there are {listed(rows.columns)}.")
    return [", ".join(row) for row in zip(*parts)]


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
    runs : sequence of two str, optional
        The pair of runs, a and b, to draw; needed where the frame has several.
    measure : str, optional
        The measure to draw; needed where the frame has several.
    combined : sequence of {'fixed', 'random'}
        Which means of the collections to draw as diamonds, as wide as their intervals.
    verdict : DataFrame, optional
        The verdict over the same collections, whose macro difference gets a diamond too.

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
    ax = style.axes(ax, height=text_layout.list_height(len(own)))
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
    ax = style.axes(ax, height=text_layout.list_height(len(own) + len(diamonds)))
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
    text_layout.name_list(ax, names, what="Rows")
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
