"""The rows of a table of systems: their order, their groups by metadata, their display names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.run_selection import place_of
from pdeval.report import numbers as decimals
from pdeval.report.footnotes import words
from pdeval.report.means import Means, find_measure
from pdeval.report.report import DASH, Cell, Emphasis, Group
from pdeval.report.significance_marks import Verdict
from pdeval.tables.labels import natural, natural_places, run_labels

Names = Mapping[str, str]


@dataclass(frozen=True)
class Rows:
    """`order` are the runs in the order of print; `stub` are the columns that name a run (without group columns).

    `group_texts` are the group columns and values before display names.
    """

    order: np.ndarray
    stub: tuple[str, ...]
    groups: tuple[Group, ...] = ()
    group_names: tuple[str, ...] = ()
    group_texts: tuple[str, ...] = ()


def arrange(
    table: Means,
    *,
    group: str | Sequence[str] | None,
    metadata: pd.DataFrame | None,
    sort: str | Sequence[object] | None,
    names: Names,
) -> Rows:
    """Return the rows: groups in the order in which they appear, runs inside them as `sort` says.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["lm", "lm", "bm25"], "seed": [2, 1, 1]})
    >>> zero = np.zeros((1, 3))
    >>> table = Means(runs, ("AP",), np.array([[0.1, 0.3, 0.2]]), zero, zero, zero, zero, zero, (True,))
    >>> rows = arrange(table, group="model", metadata=None, sort="AP", names={})
    >>> rows.order.tolist(), [(g.title, g.size) for g in rows.groups], rows.stub
    ([1, 0, 2], [('lm', 2), ('bm25', 1)], ('seed',))
    """
    order = _sorted(table, sort, names)
    columns = tuple(table.runs.columns)
    if group is None:
        return Rows(order, columns)
    wanted = (group,) if isinstance(group, str) else tuple(group)
    values = _group_values(table.runs, wanted, metadata)
    first: dict[tuple[str, ...], int] = {}
    place = np.empty(len(values), dtype=int)
    for i in natural_places(_ids(table.runs)):
        place[i] = first.setdefault(values[i], len(first))
    order = order[np.argsort(place[order], kind="stable")]
    sizes = np.bincount(place)
    groups = tuple(
        Group(", ".join(shown), int(sizes[i]), shown)
        for i, value in enumerate(first)
        for shown in [tuple(names.get(part, part) for part in value)]
    )
    stub = tuple(name for name in columns if name not in wanted)
    if not stub:
        raise ValueError(
            f"the rows are grouped by {', '.join(wanted)}, which leaves no column to name a run; group by less."
        )
    texts = tuple(part for value in first for part in value)
    return Rows(order, stub, groups, tuple(names.get(name, name) for name in wanted), (*wanted, *texts))


def _ids(runs: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(runs.itertuples(index=False, name=None))


def _sorted(table: Means, sort: str | Sequence[object] | None, names: Names) -> np.ndarray:
    n_runs = len(table.runs)
    if sort is None:
        return np.array(natural_places(_ids(table.runs)))
    if not isinstance(sort, str):
        order = [place_of(table.runs, run) for run in sort]
        if sorted(order) != list(range(n_runs)):
            left = [text for i, text in enumerate(table.labels) if i not in order]
            found = f"leaves out {left[0]!r}" if left else "names a run twice"
            raise ValueError(f"sort= as a list must name each of the {n_runs} runs once; it {found}.")
        return np.array(order)
    if sort == "name":
        shown = [[names.get(str(value), str(value)) for value in row] for row in table.runs.itertuples(index=False)]
        return np.array(sorted(range(n_runs), key=lambda i: [natural(text) for text in shown[i]]))
    measure = find_measure(sort, table.measures, "sort: no measure", also=("name",))
    value = table.mean[measure] if table.higher[measure] else -table.mean[measure]
    return np.argsort(-value, kind="stable")


def own_metadata(
    frame: pd.DataFrame, runs: Sequence[str], group: str | Sequence[str] | None, metadata: pd.DataFrame | None
) -> pd.DataFrame | None:
    """Return the metadata with those columns to group by that the table itself has, one row per run.

    Examples
    --------
    >>> scores = pd.DataFrame({"run": ["a", "a", "b"], "family": ["dense", "dense", "lexical"], "value": [1, 2, 3]})
    >>> own_metadata(scores, ["run"], "family", None).values.tolist()
    [['a', 'dense'], ['b', 'lexical']]
    """
    wanted = [group] if isinstance(group, str) else list(group or ())
    given = () if metadata is None else metadata.columns
    own = [name for name in wanted if name in frame.columns and name not in runs and name not in given]
    if not own or not runs:
        return metadata
    found = frame[[*runs, *own]].drop_duplicates().reset_index(drop=True)
    found.attrs = {}
    for name in own:
        several = found[[*runs, name]].drop_duplicates()
        twice = several[several.duplicated(list(runs))]
        if len(twice):
            run = run_labels(twice[list(runs)])[0]
            same = (several[list(runs)].astype(object) == twice[list(runs)].astype(object).iloc[0]).all(axis=1)
            values = ", ".join(map(repr, map(str, several[name][same][:2])))
            raise ValueError(
                f"group={name!r} must be the same in all rows of a run; run {run!r} has {values}. "
                "It is of no run but of its rows: sum up its parts one by one."
            )
    if metadata is None:
        return found
    at = pd.Index(run_labels(found[list(runs)])).get_indexer(pd.Index(run_labels(metadata[list(runs)])))
    kept = metadata[at >= 0].reset_index(drop=True)
    return pd.concat([kept, found[own].iloc[at[at >= 0]].reset_index(drop=True)], axis=1)


def _group_values(runs: pd.DataFrame, wanted: tuple[str, ...], metadata: pd.DataFrame | None) -> list[tuple[str, ...]]:
    known, others = runs.astype(object), [] if metadata is None else list(metadata.columns)
    if metadata is not None:
        named = {*runs.columns} <= {*others}  # if not, the error lists all columns
        used = [name for name in others if name in (*runs.columns, *wanted) or not named]
        known = pd.concat([known, _joined(runs, metadata[used].drop_duplicates())], axis=1)
    for name in wanted:
        if name not in known.columns:
            raise KeyError(
                f"no column {name!r} to group by; there are {', '.join(map(str, dict.fromkeys([*known, *others])))}."
                + ("" if metadata is not None else " Give others with metadata=, or merge them to the table.")
            )
        if known[name].isna().any():
            run = run_labels(runs[known[name].isna()])[0]
            raise ValueError(f"the metadata column {name!r} is missing for run {run!r}; fill it in.")
    return [tuple(map(str, row)) for row in known[list(wanted)].itertuples(index=False)]


def _joined(runs: pd.DataFrame, metadata: pd.DataFrame) -> pd.DataFrame:
    absent = [name for name in runs.columns if name not in metadata.columns]
    if absent:
        raise ValueError(
            f"the metadata have no column {absent[0]!r} to join the runs on; "
            f"they have {', '.join(map(str, metadata.columns))}."
        )
    keys = pd.Index(run_labels(metadata[list(runs.columns)]))
    repeated = keys[keys.duplicated()]
    if len(repeated):
        raise ValueError(f"the metadata have {len(repeated) + 1} rows for run {repeated[0]!r}; give one per run.")
    at = keys.get_indexer(pd.Index(run_labels(runs)))
    if (at < 0).any():
        missing = np.flatnonzero(at < 0)
        raise ValueError(
            f"the metadata lack {len(missing)} of {len(runs)} runs, e.g. {run_labels(runs)[missing[0]]!r}."
        )
    extra = [name for name in metadata.columns if name not in runs.columns]
    return metadata[extra].iloc[at].reset_index(drop=True)


Interval = Literal["ci", "sd", "replicates", "none"]
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
