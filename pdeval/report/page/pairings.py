"""Every pair of systems of a report: by how much one is better, on how many queries, and how sure that is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores, all_pairs
from pdeval.evaluate.ranked_items import ranked_items
from pdeval.evaluate.sources import decided, sources
from pdeval.kinds.labels import run_labels
from pdeval.mechanics.equality import settled
from pdeval.report import notes as footnote
from pdeval.report.origins import Origin
from pdeval.report.page.packing import packed, rounded

PREFERENCE = "RPP"  # what a join is asked for beside the measures of the report
COLUMNS = ("difference", "p_value", "p_adjusted")
BLOCK = 2**20  # differences that are held at a time


@dataclass
class Pairings:
    """The pairs of systems by measure, as the page holds them; `said` are sentences on what they are and lack."""

    measures: list[dict[str, Any]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


def pairings(origin: Origin) -> Pairings:
    """Return all pairs of systems, each once, in the order (first, second), (first, third), ... of print.

    Examples
    --------
    >>> import pdeval
    >>> report = pdeval.datasets.sample_judged(topics="common").report(["AP"])
    >>> [one["label"] for one in pairings(report.origins[0]).measures]
    ['AP', 'RPP']
    """
    found = Pairings()
    table = origin.table
    if len(table.runs) < 2:
        found.said.append("There is one system: no pair to compare.")
        return found
    if origin.comparisons is not None:
        for label in table.measures:
            own = origin.comparisons[origin.comparisons["measure"].astype(str) == label]
            _add(found, origin, label, own, None, label)
        found.said.append("Pairs are those of the comparisons that the report was given.")
        return found
    if table.source is None:
        found.said.append("Pairs are not compared: the table has means alone, and no values per query.")
        return found
    for place, label in enumerate(table.measures):
        _compare(found, origin, table.only([place]).source, label, label)
    items = ranked_items(origin.held)
    # where systems are means over replicates, there are no preferences between them
    if items is not None and isinstance(table.source, Scores) and len(items.runs) == len(table.runs):
        with warnings.catch_warnings():  # the report has told of missing queries
            warnings.simplefilter("ignore", UserWarning)
            _compare(found, origin, sources(origin.held, PREFERENCE)[0], PREFERENCE, None)
    return found


def _compare(found: Pairings, origin: Origin, source: Any, label: str, measure: str | None) -> None:
    from pdeval.significance.compare import compare

    how = {name: value for name, value in origin.how.items() if value is not None}
    if measure is None:  # the preference has a test of its own
        how.pop("test", None)
    try:
        table = compare(source, **how, progress=False)
    except ValueError as error:
        found.said.append(f"{label}: pairs are not tested. {str(error)[:1].upper()}{str(error)[1:]}")
        table = None
    _add(found, origin, label, table, source, measure)


def _add(
    found: Pairings, origin: Origin, label: str, table: pd.DataFrame | None, source: Any, measure: str | None
) -> None:
    """Put the pairs of one measure into the order of print, turned where the comparison has them the other way."""
    runs = origin.table.runs
    size = len(runs)
    columns = {name: np.full(size * (size - 1) // 2, np.nan) for name in (*COLUMNS, "won", "lost", "n", "significant")}
    if table is not None and len(table):
        index = _index(runs)
        a, b = (index.get_indexer(_index(_side(table, runs, side))) for side in "ab")
        known = (a >= 0) & (b >= 0) & (a != b)
        at, sign = _places(size, a[known], b[known])
        for name in (*COLUMNS, "n", "significant"):
            if name in table:
                columns[name][at] = table[name].to_numpy(dtype=float)[known] * (sign if name == "difference" else 1)
    if source is not None:
        _count(columns, source, runs)
    if all(np.isnan(columns[name]).all() for name in ("difference", "won")):
        return
    how = "" if table is None else footnote.of_comparisons(table)
    known_p = int((~np.isnan(columns["p_adjusted"])).sum())
    found.measures.append(
        {
            "label": label,
            "measure": measure,
            "how": how,
            "tested": known_p,
            "data": packed(
                {
                    **{name: rounded(columns[name]) for name in COLUMNS},
                    **{name: rounded(columns[name], 9) for name in ("won", "lost", "n", "significant")},
                }
            ),
        }
    )


def _count(columns: dict[str, np.ndarray], source: Any, runs: pd.DataFrame) -> None:
    """Count the queries that each side of a pair wins, and fill in the difference where nothing was tested."""
    place = _index(runs).get_indexer(_index(source.runs[list(runs.columns)]))
    for a, b, better, worse, differences in _differences(source):
        at, sign = _places(len(runs), place[a], place[b])
        columns["won"][at] = np.where(sign > 0, better, worse)
        columns["lost"][at] = np.where(sign > 0, worse, better)
        known = ~np.isnan(differences)
        columns["n"][at] = known.sum(axis=0)
        with np.errstate(invalid="ignore"):  # infinite differences of both signs have no mean
            mean = np.where(known, differences, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        untested = np.isnan(columns["difference"][at]) & np.isfinite(mean) & known.any(axis=0)
        columns["difference"][at[untested]] = (mean * sign)[untested]


def _differences(source: Any) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield blocks of pairs: both runs, queries that the first wins and loses, differences (queries, pairs)."""
    if not isinstance(source, Scores):
        for part, values in decided(source, 0):
            yield source.a[part], source.b[part], (values > 0).sum(axis=0), (values < 0).sum(axis=0), values
        return
    values = settled(source.values[0] if source.higher[0] else 0.0 - source.values[0])
    first, second = all_pairs(len(source.runs))
    width = max(1, BLOCK // max(1, len(values)))
    for start in range(0, len(first), width):
        a, b = first[start : start + width], second[start : start + width]
        x, y = values[:, a], values[:, b]
        with np.errstate(invalid="ignore"):
            differences = np.where((x == y) & np.isinf(x), 0.0, x - y)  # two infinite values are equal
        yield a, b, (x > y).sum(axis=0), (x < y).sum(axis=0), differences


def _places(size: int, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each pair among all pairs, and -1 where it is the other way round."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    return low * (2 * size - low - 1) // 2 + high - low - 1, np.where(a < b, 1, -1)


def _index(runs: pd.DataFrame) -> pd.Index:
    return pd.Index(run_labels(runs)) if runs.shape[1] == 1 else pd.MultiIndex.from_frame(runs.astype(str))


def _side(table: pd.DataFrame, runs: pd.DataFrame, side: str) -> pd.DataFrame:
    """The columns that name one side of each pair, named as the columns of the runs."""
    own = table[[f"{name}_{side}" for name in runs.columns]]
    return own.set_axis(list(runs.columns), axis=1)
