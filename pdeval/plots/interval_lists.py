"""Numbers with their intervals, one row each: differences, gaps, means or quantiles of any table that has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdeval.kinds.vocabularies import listed
from pdeval.plots import legibility, style
from pdeval.plots.drawing import drawn, plot
from pdeval.plots.selection import one

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
    ax : Axes, optional
        Where to draw; new axes by default, as tall as the list needs.
    measure : str, optional
        The measure; needed where the frame has several.
    sort : bool
        Sort the rows by their value, the largest at the top; by default they stand as in the frame.
    legend : {"inside", "right", "below", "above"} or None
        Where the legend goes.

    Returns
    -------
    Axes
        Those drawn on.

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
    ax = style.axes(ax, height=legibility.list_height(len(rows)))
    middle, low, high = (rows[column].to_numpy(float) for column in (value, "ci_low", "ci_high"))
    place = np.arange(len(rows))
    size = min(4.5, 0.6 * 72 * legibility.inches(ax)[1] / len(rows))
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
    legibility.name_list(ax, texts, what="Rows")
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
