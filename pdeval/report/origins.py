"""What the numbers of a table of systems were computed from, so that a page can open them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from pdeval.report.means import STATISTICS, Means, baselines_of
from pdeval.report.report import Cell
from pdeval.report.rows import own_metadata
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table


@dataclass(frozen=True, eq=False)
class Origin:
    """One collection of a report: its join or table, and how its numbers were made.

    Parameters
    ----------
    title : str
        The name of the collection; empty where there is one.
    held : Held
        The join or the table.
    table : Means
        Systems in the order of print, with the values that significance is computed from.
    digits : tuple of int
        The decimals of each measure.
    baseline, metadata, comparisons, how, names
        What `report` was given; `how` are test, correction and alpha.
    """

    title: str
    held: Any = field(repr=False)
    table: Means = field(repr=False)
    digits: tuple[int, ...]
    baseline: object = None
    metadata: pd.DataFrame | None = None
    comparisons: pd.DataFrame | None = None
    how: Mapping[str, Any] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def systems(self) -> list[str]:
        """The systems as they are printed, each by all of its columns."""
        rows = self.table.runs.itertuples(index=False, name=None)
        return [" / ".join(map(self.display_name, row)) for row in rows]

    @property
    def baselines(self) -> list[int]:
        """The places of the baselines."""
        return baselines_of(self.table.runs, self.baseline)

    def display_name(self, value: object) -> str:
        """Return the display name of a value."""
        return self.names.get(str(value), str(value))

    def about(self) -> pd.DataFrame:
        """Return what is known of each system: the columns of its id where there are several, and its metadata.

        Of a table those columns count as well that were merged to it, with one value per run.
        """
        runs = self.table.runs
        known = runs.astype(object) if runs.shape[1] > 1 else runs.iloc[:, :0]
        given = self.metadata
        if isinstance(self.held, Table):
            given = _merged(self.held, list(runs.columns), given)
        if given is None or not set(runs.columns) <= set(given.columns):
            return known
        at = pd.Index(run_labels(given[list(runs.columns)])).drop_duplicates().get_indexer(pd.Index(run_labels(runs)))
        first = given[~given.duplicated(list(runs.columns))].reset_index(drop=True)
        # what differs between replicates is about none of their systems
        varies = given.groupby(list(runs.columns), observed=True).nunique(dropna=False).gt(1).any()
        extra = [name for name in given.columns if name not in runs.columns and not varies[name]]
        # a run that the metadata lack has missing values
        found = first[extra].reindex(at).reset_index(drop=True)
        return pd.concat([known.reset_index(drop=True), found], axis=1)


def _merged(held: Table, runs: list[str], given: pd.DataFrame | None) -> pd.DataFrame | None:
    """Return the metadata with those columns of a table of results that have one value per run."""
    frame, roles = held.frame, set(held.roles.values())
    if not set(runs) <= set(frame.columns):  # of pairs of runs, whose columns are about two
        return given
    counted = frame.groupby(runs, observed=True, sort=False)
    others = [
        name for name in frame.columns if name not in (*runs, *roles, *STATISTICS) and not _is_number(frame[name])
    ]
    own = [name for name in others if (counted[name].nunique(dropna=False) == 1).all()]
    return own_metadata(frame, runs, own, given) if own else given


def _is_number(values: pd.Series) -> bool:
    return bool(pd.api.types.is_float_dtype(values.dtype))


def placed(cells: Sequence[Sequence[Cell]], origin: int) -> list[list[Cell]]:
    """Return the number cells of one collection, system by system, each knowing where it comes from.

    Examples
    --------
    >>> placed([[Cell(0.5, "0.5"), Cell(0.2, "0.2")]], 0)[0][1].place
    (0, 1, 0)
    """
    return [
        [replace(cell, place=(origin, measure, system)) for measure, cell in enumerate(row)]
        for system, row in enumerate(cells)
    ]
