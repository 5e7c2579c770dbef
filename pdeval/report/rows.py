"""The rows of a table of systems: their order, their groups by metadata, their display names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.run_selection import place_of
from pdeval.report import numbers as decimals
from pdeval.report.columns import column_names
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
    if group is None:
        return Rows(order, tuple(table.runs.columns))
    group_columns = column_names(group)
    values = _group_values(table.runs, group_columns, metadata)
    # groups are numbered as they appear in the natural order of the runs
    natural_order = natural_places(_ids(table.runs))
    number = {
        value: i for i, value in enumerate(dict.fromkeys(values[run] for run in natural_order))
    }
    code = np.array([number[value] for value in values])
    groups = []
    for value, size in zip(number, np.bincount(code)):
        labels = tuple(names.get(text, text) for text in value)
        groups.append(Group(", ".join(labels), int(size), labels))
    stub = tuple(name for name in table.runs.columns if name not in group_columns)
    if not stub:
        raise ValueError(
            f"the rows are grouped by {', '.join(group_columns)}, which leaves no column to name a run; group by less."
        )
    return Rows(
        order=order[np.argsort(code[order], kind="stable")],
        stub=stub,
        groups=tuple(groups),
        group_names=tuple(names.get(name, name) for name in group_columns),
        group_texts=(*group_columns, *(text for value in number for text in value)),
    )


def _ids(runs: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(runs.itertuples(index=False, name=None))


def _sorted(table: Means, sort: str | Sequence[object] | None, names: Names) -> np.ndarray:
    """Return the runs in the order of print, before they are grouped."""
    n_runs = len(table.runs)
    if sort is None:
        return np.array(natural_places(_ids(table.runs)))
    if not isinstance(sort, str):
        order = [place_of(table.runs, run) for run in sort]
        if sorted(order) != list(range(n_runs)):
            left_out = [text for i, text in enumerate(table.labels) if i not in order]
            fault = f"leaves out {left_out[0]!r}" if left_out else "names a run twice"
            raise ValueError(
                f"sort= as a list must name each of the {n_runs} runs once; it {fault}."
            )
        return np.array(order)
    if sort == "name":
        labels = [
            [natural(names.get(str(value), str(value))) for value in row]
            for row in _ids(table.runs)
        ]
        return np.array(sorted(range(n_runs), key=labels.__getitem__))
    measure = find_measure(sort, table.measures, "sort: no measure", also=("name",))
    value = table.mean[measure]
    return np.argsort(-value if table.higher[measure] else value, kind="stable")


def with_table_columns(
    frame: pd.DataFrame,
    runs: Sequence[str],
    group: str | Sequence[str] | None,
    metadata: pd.DataFrame | None,
) -> pd.DataFrame | None:
    """Return the metadata with those columns to group by that the table itself has, one row per run.

    Examples
    --------
    >>> scores = pd.DataFrame({"run": ["a", "a", "b"], "family": ["dense", "dense", "lexical"], "value": [1, 2, 3]})
    >>> with_table_columns(scores, ["run"], "family", None).values.tolist()
    [['a', 'dense'], ['b', 'lexical']]
    """
    given = () if metadata is None else metadata.columns
    columns = [
        name
        for name in column_names(group)
        if name in frame.columns and name not in runs and name not in given
    ]
    if not columns or not runs:
        return metadata
    runs = list(runs)
    values = frame[[*runs, *columns]].drop_duplicates().reset_index(drop=True)
    values.attrs = {}
    for name in columns:
        distinct = values[[*runs, name]].drop_duplicates()
        repeated = distinct.loc[distinct.duplicated(runs), runs]
        if len(repeated):
            same = (distinct[runs].astype(object) == repeated.astype(object).iloc[0]).all(axis=1)
            examples = ", ".join(map(repr, map(str, distinct[name][same][:2])))
            run = run_labels(repeated)[0]
            raise ValueError(
                f"group={name!r} must be the same in all rows of a run; run {run!r} has {examples}. "
                "It is of no run but of its rows: sum up its parts one by one."
            )
    if metadata is None:
        return values
    place = pd.Index(run_labels(values[runs])).get_indexer(pd.Index(run_labels(metadata[runs])))
    present = place >= 0
    added = values[columns].iloc[place[present]].reset_index(drop=True)
    return pd.concat([metadata[present].reset_index(drop=True), added], axis=1)


def _group_values(
    runs: pd.DataFrame, group_columns: Sequence[str], metadata: pd.DataFrame | None
) -> list[tuple[str, ...]]:
    """Return the values of the group columns, from the ids of the runs or from the metadata, as texts."""
    known = runs.astype(object)
    others = [] if metadata is None else list(metadata.columns)
    if metadata is not None:
        # with all columns if those of the runs are missing: the error lists them
        has_runs = {*runs.columns} <= {*others}
        used = [name for name in others if name in (*runs.columns, *group_columns) or not has_runs]
        known = pd.concat([known, _joined(runs, metadata[used].drop_duplicates())], axis=1)
    for name in group_columns:
        if name not in known.columns:
            raise KeyError(
                f"no column {name!r} to group by; there are {', '.join(map(str, dict.fromkeys([*known, *others])))}."
                + (
                    ""
                    if metadata is not None
                    else " Give others with metadata=, or merge them to the table."
                )
            )
        if known[name].isna().any():
            run = run_labels(runs[known[name].isna()])[0]
            raise ValueError(
                f"the metadata column {name!r} is missing for run {run!r}; fill it in."
            )
    return [tuple(map(str, row)) for row in _ids(known[list(group_columns)])]


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
        raise ValueError(
            f"the metadata have {len(repeated) + 1} rows for run {repeated[0]!r}; give one per run."
        )
    labels = run_labels(runs)
    place = keys.get_indexer(pd.Index(labels))
    missing = np.flatnonzero(place < 0)
    if len(missing):
        raise ValueError(
            f"the metadata lack {len(missing)} of {len(runs)} runs, e.g. {labels[missing[0]]!r}."
        )
    extra = [name for name in metadata.columns if name not in runs.columns]
    return metadata[extra].iloc[place].reset_index(drop=True)


Interval = Literal["ci", "sd", "replicates", "none"]
Best = Literal["table", "group"]


def spread_names(table: Means, measure: int, interval: Interval | None) -> tuple[str, ...]:
    """Return the frame columns of a measure's spread; none if it has no spread (a sum, a geometric mean)."""
    if np.isnan(_spread(table, interval)[:, measure]).all():
        return ()
    return {"sd": ("sd",), "replicates": ("sd_replicates",)}.get(
        str(interval), ("ci_low", "ci_high")
    )


def _spread(table: Means, interval: Interval | None) -> np.ndarray:
    """Return the spread, or both ends of an interval, of shape (1 or 2, measures, runs); NaN without an interval."""
    arrays = {"sd": [table.sd], "replicates": [table.varied], "ci": [table.low, table.high]}
    return np.array(arrays.get(str(interval), [np.full(table.mean.shape, np.nan)]))


def number_cells(
    table: Means,
    rows: Rows,
    verdict: Verdict,
    interval: Interval | None,
    digits: list[int],
    best: Best | None,
) -> list[list[Cell]]:
    """Return the cells of the measures, run by run, best and second marked as they print."""
    spread = _spread(table, interval)
    if interval is not None and np.isnan(spread).all():
        _refuse_interval(table, interval)
    # best and second are those of the table, or of each group
    ends = np.cumsum([group.size for group in rows.groups] if best == "group" else [])
    columns = []
    for i, places in enumerate(digits):
        printed = decimals.printed(table.mean[i], places)
        stress: list[Emphasis] = [""] * len(printed)
        if best is not None:
            stress = [
                word
                for part in np.split(printed, ends[:-1])
                for word in decimals.emphases(part, table.higher[i])
            ]
        has_spread = not np.isnan(spread[:, i]).all()
        cells = []
        for run, value in enumerate(table.mean[i].tolist()):
            bounds = tuple(spread[:, i, run].tolist()) if has_spread else ()
            if interval == "replicates" and np.isnan(bounds).all():
                bounds = ()  # one replicate has no spread
            texts = tuple(decimals.number(bound, places) for bound in bounds)
            cell = Cell(
                value,
                decimals.number(value, places),
                stress[run],
                verdict.marks[run][i],
                bounds,
                texts,
            )
            cells.append(Cell(None, DASH) if np.isnan(value) else cell)
        columns.append(cells)
    return [list(row) for row in zip(*columns)]


def _refuse_interval(table: Means, interval: Interval) -> None:
    if interval == "replicates":
        raise ValueError(
            "interval='replicates' needs a system with two replicates; name the column that tells them apart, with "
            "replicate=, e.g. replicate='seed'."
        )
    if table.source is None:
        raise ValueError(f"interval={interval!r}: the summary has no such column.")
    queries = words(table.attrs).queries
    least = int(table.n.min())
    raise ValueError(
        f"interval={interval!r} needs at least two {queries} per run; there is a run with {least}."
    )
