"""Replicates: runs of one system that differ in a seed, a fold or a trial, averaged within each query."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Preferences, Scores
from pdeval.join.judged import Judged
from pdeval.join.rules import outside
from pdeval.tables.labels import run_labels
from pdeval.tables.metadata import matched_rows
from pdeval.tables.reader import Table
from pdeval.tables.schemas import SCHEMAS
from pdeval.tables.vocabularies import listed

# columns that tell replicates apart, by what people call them
NAMES = ("seed", "fold", "trial", "run_id")


def systems_of(runs: pd.DataFrame, replicate: Sequence[str]) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the systems that runs are replicates of, one row each, and the system of every run.

    Parameters
    ----------
    replicate : sequence of str
        The columns of the runs that tell replicates apart; the others name the system.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a", "a", "b"], "seed": [1, 2, 1]})
    >>> systems, system = systems_of(runs, ["seed"])
    >>> systems["model"].tolist(), system.tolist()
    (['a', 'b'], [0, 0, 1])
    """
    missing = [name for name in replicate if name not in runs.columns]
    if missing:
        raise KeyError(
            f"replicate={missing[0]!r} is none of the columns that name a run: {listed(runs.columns)}. Bind them: "
            f"df.ireval(run=['model', {missing[0]!r}])."
        )
    own = [name for name in runs.columns if name not in replicate]
    if not own:  # all runs are of one system, which a group names
        return pd.DataFrame(index=range(1)), np.zeros(len(runs), dtype=np.intp)
    system = runs.groupby(own, sort=False, dropna=False, observed=True).ngroup().to_numpy()
    first = np.unique(system, return_index=True)[1]
    return runs[own].iloc[first].reset_index(drop=True), system


def replicated_systems(
    runs: pd.DataFrame, replicate: Sequence[str], system: Sequence[str], metadata: Sequence[pd.DataFrame]
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the systems of runs and the system of every run, named by columns of the runs or of metadata.

    Parameters
    ----------
    replicate : sequence of str
        The columns that tell replicates apart; none for those that have such a name: seed, fold, trial, run_id.
    system : sequence of str
        The columns that name the system; none for all others.

    Examples
    --------
    >>> runs = pd.DataFrame({"run": ["a-1", "a-2", "b-1"]})
    >>> metadata = pd.DataFrame({"run": ["a-1", "a-2", "b-1"], "model": ["a", "a", "b"]})
    >>> replicated_systems(runs, (), ["model"], [metadata])[1].tolist()
    [0, 0, 1]
    >>> replicated_systems(runs, (), (), [])
    Traceback (most recent call last):
    ValueError: none of the columns that name a run (run) is named seed, fold, trial or run_id: say which tells
    replicates of a system apart, with replicate=, or which names the system, with system=.
    """
    for one in metadata:
        own = [name for name in system if name not in runs.columns and name in one.columns]
        keys = [name for name in runs.columns if name in one.columns]
        if own and not keys:
            raise ValueError(
                f"the metadata name no runs: they have {listed(one.columns)}, runs are named by {listed(runs.columns)}."
            )
        if own:
            row = matched_rows(runs, one, keys)
            runs = runs.assign(**{name: one[name].array.take(row) for name in own})
    if not system:
        found = list(replicate) or _named_so(runs)
        if not found:
            raise ValueError(
                f"none of the columns that name a run ({listed(runs.columns)}) is named {', '.join(NAMES[:-1])} or "
                f"{NAMES[-1]}: say which tells replicates of a system apart, with replicate=, or which names the "
                "system, with system=."
            )
        return systems_of(runs, found)
    missing = [name for name in (*system, *replicate) if name not in runs.columns]
    if missing:
        raise KeyError(
            f"no column {missing[0]!r} that says what runs are; there are {listed(runs.columns)}. Give "
            "others as metadata=."
        )
    return systems_of(runs, [name for name in runs.columns if name not in system])


def named_by_metadata(held: Any, replicate: Sequence[str], metadata: Sequence[pd.DataFrame]) -> Any:
    """Return a join or a table with runs that metadata name, where a column of these tells replicates apart.

    The other columns of the metadata name the system, without those that tell no more systems apart.
    """
    if not isinstance(held, Judged | Table):
        return held
    runs = list(held.runs.columns) if isinstance(held, Judged) else list(held.run_columns)
    about = [one for one in metadata if {*runs, *replicate} <= {*one.columns}]
    if not about or not replicate or set(replicate) & set(runs):
        return held
    ends = ("",) if "run" in SCHEMAS[getattr(held, "kind", "scores")].named else ("_a", "_b")
    frame = held.runs if isinstance(held, Judged) else held.frame
    sides = [frame[[f"{name}{end}" for name in runs]].set_axis(runs, axis=1) for end in ends]
    rows = [matched_rows(side, about[0], runs) for side in sides]
    known = about[0].iloc[np.unique(np.concatenate(rows))]
    every = [name for name in known.columns if name not in (*runs, *replicate)]
    own = every
    for name in reversed(every):
        fewer = [one for one in own if one != name]
        if fewer and len(known[fewer].drop_duplicates()) == len(known[every].drop_duplicates()):
            own = fewer
    if not own or len(known[own].drop_duplicates()) == len(known):
        raise ValueError(
            f"no two runs are alike in {listed(every)} of the metadata, so none is a replicate: leave columns out of "
            "metadata= that differ between replicates, and keep those that name the system."
        )
    names = [*own, *replicate]
    if isinstance(held, Judged):
        return held.on(replace(held.positions, runs=about[0][names].iloc[rows[0]].reset_index(drop=True)))
    columns = {f"{name}{end}": about[0][name].array.take(row) for end, row in zip(ends, rows) for name in names}
    made = frame.drop(columns=[f"{name}{end}" for end in ends for name in runs if name not in names]).assign(**columns)
    made.attrs = {**frame.attrs, "run_columns": names}
    return replace(held, frame=made, run_columns=tuple(names))


def _named_so(runs: pd.DataFrame) -> list[str]:
    """Return the columns named as replicates are, where others name the system."""
    found = [str(name) for name in runs.columns if str(name).lower() in NAMES]
    return found if len(found) < len(runs.columns) else []


def tell_replicates(runs: pd.DataFrame) -> None:
    """Warn where runs that differ only in a seed, fold, trial or run_id are taken for independent systems.

    Examples
    --------
    >>> tell_replicates(pd.DataFrame({"model": ["a", "b"], "seed": [1, 1]}))  # one seed each: nothing to tell
    """
    names = _named_so(runs)
    systems = len(systems_of(runs, names)[0]) if names else len(runs)
    if systems < len(runs):
        said = repr(names[0]) if len(names) == 1 else repr(names)
        of = "1 system" if systems == 1 else f"{systems} systems"
        warnings.warn(
            f"{len(runs)} runs of {of} differ only in {listed(names)} and are taken for independent systems; "
            f"replicate={said} averages them within each query.",
            UserWarning,
            stacklevel=outside(),
        )


def averaged(source: Scores | Preferences, replicate: Sequence[str], *, tell: bool = True) -> Scores | Preferences:
    """Return a cube of systems: each query's values averaged over the replicates of a system.

    A query counts for a system where every replicate of it has a value. A preference between two systems is the mean
    over all pairs of their replicates. `tell` warns where systems have more or fewer replicates, and where queries are
    left out.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a", "a", "b"], "seed": [1, 2, 1]})
    >>> cube = Scores(runs, pd.Index(["q"], name="query_id"), ("AP",), np.array([[[0.2, 0.4, 0.5]]]), np.array([True]))
    >>> averaged(cube, ["seed"], tell=False).values.round(3).tolist()
    [[[0.3, 0.5]]]
    """
    systems, system = systems_of(source.runs, replicate)
    size = np.bincount(system, minlength=len(systems))
    if tell and (size != size[0]).any():
        few, most = int(np.argmin(size)), int(np.argmax(size))
        names = run_labels(systems)
        warnings.warn(
            f"{names[few]!r} has {size[few]} of {listed(replicate)} where {names[most]!r} has {size[most]}; each is "
            "averaged over its own.",
            UserWarning,
            stacklevel=outside(),
        )
    attrs = {**source.attrs, "run_columns": list(map(str, systems.columns)), "replicate": list(replicate)}
    if isinstance(source, Scores):
        if tell:
            tell_partial(source, systems, system, replicate)
        averages: dict[str, Any] = {
            name: group_means(values, system, len(systems)) for name, values in _arrays(source).items()
        }
        return replace(source, runs=systems, attrs=attrs, **averages)
    a, b = system[source.a], system[source.b]
    turned = a > b
    low, high = np.minimum(a, b), np.maximum(a, b)
    different = low != high
    if not different.any():
        raise ValueError("all pairs are of replicates of one system; a comparison needs two systems.")
    code, pair = np.unique(low[different] * len(systems) + high[different], return_inverse=True)
    one, two = code // len(systems), code % len(systems)
    # a baseline stays run_b: a pair stands as most of its rows stood
    back = np.bincount(pair, weights=np.where(turned[different], 1, -1), minlength=len(code)) > 0
    sides = np.where(back, two, one), np.where(back, one, two)
    arrays = {}
    for name, array in _arrays(source).items():
        means = group_means(np.where(turned, -array, array)[..., different], pair, len(code))
        arrays[name] = np.where(back, -means, means)
    return Preferences(
        systems, source.queries, source.measures, *sides, attrs=attrs, probability=source.probability, **arrays
    )


def _arrays(source: Scores | Preferences) -> dict[str, Any]:
    """Return the arrays of a cube that are averaged."""
    return {"values": source.values} | ({} if source.machine is None else {"machine": source.machine})


def tell_partial(source: Scores, systems: pd.DataFrame, system: np.ndarray, replicate: Sequence[str]) -> None:
    """Warn where some replicates of a system have a query that others lack."""
    lacking = np.isnan(source.values).all(axis=0)
    if not lacking.any():
        return
    has = np.stack([np.bincount(system, weights=row, minlength=len(systems)) for row in ~lacking])
    partial = ((has > 0) & (has < np.bincount(system, minlength=len(systems)))).sum(axis=0)
    if partial.any():
        worst = int(np.argmax(partial))
        name = run_labels(systems)[worst] if len(systems.columns) else "the system"
        warnings.warn(
            f"{partial[worst]} of {len(source.queries)} queries are missing from some {listed(replicate)} of {name!r}, "
            "and do not count for it.",
            UserWarning,
            stacklevel=outside(),
        )


def sd_over_replicates(of_runs: np.ndarray, system: np.ndarray) -> np.ndarray:
    """Return the standard deviation over the replicates of each system of one number per run, on the last axis.

    It is missing where a system has one replicate.

    Examples
    --------
    >>> sd_over_replicates(np.array([0.25, 0.75, 0.5]), np.array([0, 0, 1])).round(4).tolist()
    [0.3536, nan]
    """
    size = np.bincount(system)
    mean = group_means(of_runs, system, len(size))
    squares = group_means(np.square(of_runs - mean[..., system]), system, len(size))
    return np.sqrt(squares * size / np.where(size > 1, size - 1, np.nan))


def group_means(values: np.ndarray, code: np.ndarray, n: int) -> np.ndarray:
    """Return the mean over the entries of the last axis that have each code; NaN where one of them is."""
    order, size = np.argsort(code, kind="stable"), np.bincount(code, minlength=n)
    total: np.ndarray = np.add.reduceat(values[..., order], np.cumsum(size) - size, axis=-1)
    return total / size
