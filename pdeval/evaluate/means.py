"""System-level preferences: the mean over queries, as a tidy table or as a square."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.kinds.labels import labels, run_labels


def mean(source: Any) -> pd.DataFrame:
    """Return the mean preference of each pair over the queries: run_a, run_b, measure, n, mean, sd.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> mean(joined.pairs("RPP")).columns.tolist()
    ['run_a', 'run_b', 'measure', 'n', 'mean', 'sd']
    """
    n_pairs = len(source.a)
    parts = []
    for number in range(len(source.measures)):
        part = {name: np.zeros(n_pairs) for name in ("n", "mean", "sd")}
        for block, values in source.blocks(number):
            known = ~np.isnan(values)
            _finite(values, source.measures[number])
            n = known.sum(axis=0)
            filled = np.where(known, values, 0.0)
            with np.errstate(invalid="ignore", divide="ignore"):
                average = np.add.accumulate(filled, axis=0)[-1] / n
                away = np.where(known, (filled - average) ** 2, 0.0).sum(axis=0)
                part["sd"][block] = np.sqrt(away / np.where(n > 1, n - 1, np.nan))
            part["n"][block], part["mean"][block] = n, average
        parts.append(part)
    pair, measure = np.tile(np.arange(n_pairs), len(parts)), np.repeat(np.arange(len(parts)), n_pairs)
    columns = {}
    for side, place in (("a", source.a), ("b", source.b)):
        for name in source.runs.columns:
            columns[f"{name}_{side}"] = labels(source.runs[name], place[pair])
    columns["measure"] = labels(pd.Index(source.measures), measure)
    for name in ("n", "mean", "sd"):
        values = np.concatenate([part[name] for part in parts])
        columns[name] = values.astype(np.int64) if name == "n" else values
    frame = pd.DataFrame(columns)
    frame.attrs.update(source.attrs)
    return frame


def _finite(values: np.ndarray, measure: str) -> None:
    endless = int(np.isinf(values).sum())
    if endless:
        raise ValueError(
            f"{measure!r} has {endless:,} infinite preferences, which have no mean: one run never found the item. "
            "Choose a measure with a finite worst case."
        )


def matrix(source: Any, measure: str | None = None) -> pd.DataFrame:
    """Return the mean preference of row over column as a square frame, antisymmetric, 0 on the diagonal.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> square = matrix(joined.pairs("RPP"))
    >>> bool((square + square.T == 0).all(axis=None)), square.shape
    (True, (12, 12))
    """
    names = list(source.measures)
    if measure is None:
        if len(names) > 1:
            raise ValueError(
                f"a matrix shows one measure; the table has {', '.join(names)}. Say which: matrix({names[0]!r})."
            )
        measure = names[0]
    if measure not in names:
        raise KeyError(f"no measure {measure!r} in this table; it has {', '.join(map(repr, names))}.")
    square = np.full((len(source.runs), len(source.runs)), np.nan)
    np.fill_diagonal(square, 0.0)
    for block, values in source.blocks(names.index(measure)):
        _finite(values, measure)
        with np.errstate(invalid="ignore"):
            average = np.nansum(values, axis=0) / (~np.isnan(values)).sum(axis=0)
        a, b = source.a[block], source.b[block]
        square[a, b] = average
        square[b, a] = 0.0 - average
    runs = pd.Index(run_labels(source.runs))
    frame = pd.DataFrame(square, index=runs.rename("run_a"), columns=runs.rename("run_b"))
    frame.attrs.update({**source.attrs, "measure": measure})
    return frame
