"""Replicates: runs of one system that differ in a seed, a fold or a trial, averaged within each query."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Preferences, Scores
from pdeval.judged.topics import outside
from pdeval.kinds.labels import run_labels
from pdeval.kinds.vocabularies import listed


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
    system = runs.groupby(own, sort=False, dropna=False).ngroup().to_numpy()
    first = np.unique(system, return_index=True)[1]
    return runs[own].iloc[first].reset_index(drop=True), system


def averaged(source: Scores | Preferences, replicate: Sequence[str]) -> Scores | Preferences:
    """Return a cube of systems: each query's values averaged over the replicates of a system.

    A query counts for a system where every replicate of it has a value. A preference between two systems is the mean
    over all pairs of their replicates.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a", "a", "b", "b"], "seed": [1, 2, 1, 2]})
    >>> values = np.array([[[0.2, 0.4, 0.5, 0.7]]])
    >>> cube = Scores(runs, pd.Index(["q"], name="query_id"), ("AP",), values, np.array([True]))
    >>> averaged(cube, ["seed"]).values.round(3).tolist()
    [[[0.3, 0.6]]]
    """
    systems, system = systems_of(source.runs, replicate)
    size = np.bincount(system, minlength=len(systems))
    if (size != size[0]).any():
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
        return replace(source, runs=systems, values=_means(source.values, system, len(systems)), attrs=attrs)
    a, b = system[source.a], system[source.b]
    turned = a > b
    low, high = np.minimum(a, b), np.maximum(a, b)
    different = low != high
    if not different.any():
        raise ValueError("all pairs are of replicates of one system; a comparison needs two systems.")
    code, pair = np.unique(low[different] * len(systems) + high[different], return_inverse=True)
    values = np.where(turned, -source.values, source.values)[..., different]
    means = _means(values, pair, len(code))
    one, two = code // len(systems), code % len(systems)
    # a baseline stays run_b: a pair stands as most of its rows stood
    back = np.bincount(pair, weights=np.where(turned[different], 1, -1), minlength=len(code)) > 0
    sides = np.where(back, two, one), np.where(back, one, two)
    means = np.where(back, -means, means)
    return Preferences(systems, source.queries, source.measures, *sides, means, attrs)


def _means(values: np.ndarray, code: np.ndarray, n: int) -> np.ndarray:
    """Return the mean over the entries of the last axis that have each code; NaN where one of them is."""
    order, size = np.argsort(code, kind="stable"), np.bincount(code, minlength=n)
    total: np.ndarray = np.add.reduceat(values[..., order], np.cumsum(size) - size, axis=-1)
    return total / size
