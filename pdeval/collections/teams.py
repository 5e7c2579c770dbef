"""Runs grouped by what is known about them: the team that sent them in, the model, the family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from pdeval.kinds.labels import run_labels
from pdeval.kinds.tables import Table

Team: TypeAlias = str | Mapping[object, object]


@dataclass(frozen=True)
class Teams:
    """A partition of runs: `codes` holds each run's team as a place in `names`, which bear the column's name."""

    names: pd.Index
    codes: np.ndarray


def partition(
    runs: pd.DataFrame, team: Team, metadata: pd.DataFrame | None = None, table: Table | None = None
) -> Teams:
    """Return the team of each run.

    Parameters
    ----------
    runs : DataFrame
        One row per run: the column(s) that identify it.
    team : str or mapping
        A column of `metadata`; one of several columns that name a run; or the team of each run id (of a tuple of ids,
        where several columns name a run).
    metadata : DataFrame
        What the runs are, with the columns that identify them.
    table : Table, optional
        The run table, whose own columns serve as metadata where there are none.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": ["bm25", "lm", "dense"]})
    >>> found = partition(runs, {"bm25": "old", "lm": "old", "dense": "new"})
    >>> found.names.tolist(), found.codes.tolist()
    (['new', 'old'], [1, 1, 0])
    """
    if metadata is None and table is not None and isinstance(team, str) and team in table.frame.columns:
        metadata = table.frame
    if isinstance(team, str) and team in runs.columns and len(runs.columns) > 1:
        code, names = pd.factorize(runs[team], sort=True)
        return Teams(pd.Index(names, name=team), code.astype(np.int64))
    known = dict(team) if isinstance(team, Mapping) else _column(runs, team, metadata)
    keys = list(runs.astype(object).itertuples(index=False, name=None))
    if isinstance(team, Mapping) and len(runs.columns) == 1:
        known = {one if isinstance(one, tuple) else (one,): name for one, name in known.items()}
    given = pd.Series([known.get(key) for key in keys], dtype=object)
    missing = np.flatnonzero(given.isna())
    if len(missing):
        shown = ", ".join(repr(run_labels(runs)[place]) for place in missing[:3])
        source = "the mapping" if isinstance(team, Mapping) else f"the column {team!r}"
        raise ValueError(f"{source} gives no team to {len(missing)} of the {len(runs)} runs, e.g. {shown}.")
    code, names = pd.factorize(given.infer_objects(), sort=True)
    return Teams(pd.Index(names, name="team" if isinstance(team, Mapping) else team), code.astype(np.int64))


def _column(runs: pd.DataFrame, team: object, metadata: pd.DataFrame | None) -> dict[tuple[object, ...], object]:
    names = list(runs.columns)
    if not isinstance(team, str):
        raise TypeError(f"team= takes the name of a metadata column or a mapping of runs, not {type(team).__name__}.")
    if not isinstance(metadata, pd.DataFrame):
        raise ValueError(f"team={team!r} names a column of the metadata: pass them as metadata=, one row per run.")
    absent = [name for name in [*names, team] if name not in metadata.columns]
    if absent:
        have = ", ".join(map(str, metadata.columns))
        raise KeyError(f"the metadata have no column {absent[0]!r}; they have {have}.")
    if team in names:
        raise ValueError(f"team={team!r} already names the run; leave out team= to look at single runs.")
    rows = metadata[[*names, team]].drop_duplicates()
    twice = rows.duplicated(names)
    if twice.any():
        example = run_labels(rows.loc[twice, names])[0]
        raise ValueError(
            f"the metadata give {int(twice.sum())} runs more than one {team!r}, e.g. {example!r}; keep one row per run."
        )
    columns = rows.astype(object)
    return dict(zip(columns[names].itertuples(index=False, name=None), columns[team]))
