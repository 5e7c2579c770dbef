"""The number cells of a table of systems: text, spread, marks, best and second."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np

from pdeval.report import digits as decimals
from pdeval.report.means import Means
from pdeval.report.notes import words
from pdeval.report.rows import Rows
from pdeval.report.spec import DASH, Cell, Emphasis
from pdeval.report.verdict import Verdict

Interval = Literal["ci", "sd", "replicates"]
Best = Literal["table", "group"]


def spread_names(table: Means, measure: int, interval: Interval | None) -> tuple[str, ...]:
    """Return the frame columns of a measure's spread; none where it has no spread (a sum, a geometric mean)."""
    if interval is None or np.isnan(_spread(table, interval)[:, measure]).all():
        return ()
    return {"sd": ("sd",), "replicates": ("sd_replicates",)}.get(interval, ("ci_low", "ci_high"))


def _spread(table: Means, interval: str) -> np.ndarray:
    if interval == "replicates":
        return np.stack([table.varied])
    return np.stack([table.sd]) if interval == "sd" else np.stack([table.low, table.high])


def number_cells(
    table: Means,
    rows: Rows,
    verdict: Verdict,
    interval: Interval | None,
    digits: list[int],
    best: Best | None,
) -> list[list[Cell]]:
    """Return the cells of the measures, run by run, best and second marked as they print."""
    if interval is not None and np.isnan(_spread(table, interval)).all():
        if interval == "replicates":
            raise ValueError(
                "interval='replicates' needs a system with two replicates; name the column that tells them apart, with "
                "replicate=, e.g. replicate='seed'."
            )
        least = int(table.n.min())
        queries = words(table.attrs).queries
        raise ValueError(
            f"interval={interval!r} needs at least two {queries} per run; there is a run with {least}."
            if table.source is not None
            else f"interval={interval!r}: the summary has no such column."
        )
    bounds = np.cumsum([0, *(group.size for group in rows.groups)]) if best == "group" and rows.groups else None
    spans = [(0, len(table.runs))] if bounds is None else list(pairwise(bounds.tolist()))
    out: list[list[Cell]] = [[] for _ in range(len(table.runs))]
    for i in range(len(table.measures)):
        texts = [decimals.number(value, digits[i]) for value in table.mean[i]]
        stress: list[Emphasis] = [""] * len(texts)
        if best is not None:
            printed = decimals.printed(table.mean[i], digits[i])
            for start, stop in spans:
                stress[start:stop] = emphases(printed[start:stop], table.higher[i])
        spreads = None if not spread_names(table, i, interval) else _spread(table, str(interval))[:, i].T
        for run, text in enumerate(texts):
            if text == DASH:
                out[run].append(Cell(None, DASH))
                continue
            spread = () if spreads is None else tuple(map(float, spreads[run]))
            spread = () if interval == "replicates" and np.isnan(spread).all() else spread  # one replicate: no spread
            shown = tuple(decimals.number(value, digits[i]) for value in spread)
            value = float(table.mean[i, run])
            out[run].append(Cell(value, text, stress[run], verdict.marks[run][i], spread, shown))
    return out


def emphases(values: np.ndarray, higher: bool) -> list[Emphasis]:
    """Return which of the printed values is best and, from three values on, which is second; equals share.

    Where all are equal, none is best.

    Examples
    --------
    >>> emphases(np.array([0.3, 0.1, 0.3, 0.2]), higher=True)
    ['best', '', 'best', 'second']
    >>> emphases(np.array([3.0, 1.0]), higher=False)
    ['', 'best']
    """
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    ranked = distinct[::-1] if higher else distinct
    named: list[Emphasis] = [""] * len(values)
    if len(distinct) < 2:
        return named
    for i, value in enumerate(values):
        if value == ranked[0]:
            named[i] = "best"
        elif value == ranked[1] and len(known) > 2:
            named[i] = "second"
    return named
