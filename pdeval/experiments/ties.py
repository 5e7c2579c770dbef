"""Ties between rankings: how many there are under each measure, at each recall level, and given the first item."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.scores import Topics, Views, attributes, counted
from pdeval.experiments.differences import signs, source_of, together
from pdeval.judged.positions import Positions
from pdeval.kernels.levels import share
from pdeval.kinds.labels import labels


def ties(
    source: Any,
    measures: object = None,
    *,
    by: Literal["overall", "query"] = "overall",
    baseline: object = None,
    pairs: object = None,
    level: float | None = None,
    topics: Topics = "relevant",
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the share of pairs of rankings of the same query that each measure leaves tied.

    Differences below 1e-12 are rounding and count as ties.

    Parameters
    ----------
    source : Positions, Scores, Preferences or a stream of preferences
        A join and the `measures`, or a table of results that has them.
    measures : names, optional
        Where `source` is a join; by default reciprocal rank and lexicographic precision.
    by : {'overall', 'query'}
        Over all pairs together, or a row for every query.
    baseline, pairs, level, topics
        Which pairs of runs, and what counts, as in `prefer`.
    progress : bool, optional
        Whether to show a bar; by default only to a person, and after a second.

    Returns
    -------
    DataFrame
        measure[, query], pairs, ties, tied. `pairs` counts (query, pair of runs), `tied` is the share of `ties`.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Table 3.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = ties(joined.positions).set_index("measure")
    >>> bool(table.loc["sgnLP", "tied"] < table.loc["RR", "tied"] / 10)
    True
    """
    if by not in ("overall", "query"):
        raise ValueError(f"by={by!r}: choose 'overall' or 'query'.")
    if isinstance(source, Positions) and measures is None:
        measures = ("RR", "sgnLP")
    stream = source_of(source, measures, baseline=baseline, pairs=pairs, level=level, topics=topics)
    counts = np.zeros((2, len(stream.measures), len(stream.queries)), dtype=np.int64)
    for block in together(stream, desc="ties", progress=progress):
        for m, values in enumerate(block):
            known = ~np.isnan(values)
            counts[:, m] += known.sum(axis=1), ((signs(values) == 0) & known).sum(axis=1)
    if by == "overall":
        counts = counts.sum(axis=2, keepdims=True)
    measure, query = (axis.ravel() for axis in np.indices(counts.shape[1:]))
    columns: dict[str, Any] = {"measure": labels(pd.Index(stream.measures), measure)}
    if by == "query":
        columns[str(stream.queries.name)] = labels(stream.queries, query)
    return _rates(columns, counts[0].ravel(), counts[1].ravel(), stream.attrs)


def ties_by_level(
    positions: Positions, *, levels: int | None = 20, level: float | None = None, topics: Topics = "relevant"
) -> pd.DataFrame:
    """Return the share of pairs of rankings that are tied at each recall level: who finds the i-th relevant item where.

    Two rankings that both lack the item are tied. A query has as many levels as relevant items, and counts only in
    these.

    Parameters
    ----------
    levels : int or None
        The first so many levels; None for all.
    level, topics
        What counts, as in `measure`.

    Returns
    -------
    DataFrame
        level, pairs, ties, tied.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = ties_by_level(joined.positions, levels=5)
    >>> table["level"].tolist(), bool(table["tied"].iloc[0] > table["tied"].iloc[4])
    ([1, 2, 3, 4, 5], True)
    """
    if levels is not None and (levels != int(levels) or levels < 1):
        raise ValueError(f"levels={levels!r}: give a whole number of at least 1, or None for all.")
    counts = counted(positions, topics, level)
    deepest, parts = 0, []
    for block in Views(positions, level).blocks("binary", level):
        rank = block["rank"][:levels]
        here = counts[block.topics]
        tied = np.array([equal_pairs(apart(row, here)).sum() for row in rank], dtype=np.int64)
        parts.append((tied, pairs_of(here.sum(axis=1)).sum()))
        deepest = max(deepest, len(rank))
    found = np.zeros((2, deepest), dtype=np.int64)
    for tied, total in parts:
        found[0, : len(tied)] += total
        found[1, : len(tied)] += tied
    return _rates({"level": np.arange(1, deepest + 1)}, found[0], found[1], attributes(positions, topics, level))


def ties_by_first(positions: Positions, *, level: float | None = None, topics: Topics = "relevant") -> pd.DataFrame:
    """Return how likely another run's first relevant item is at the same rank, given the rank of a run's own.

    Rankings without a relevant item are never the given one, but may be the other.

    Parameters
    ----------
    level, topics
        What counts, as in `measure`.

    Returns
    -------
    DataFrame
        p1, pairs, ties, tied; `pairs` counts each two runs both ways.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 3.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = ties_by_first(joined.positions)
    >>> int(table["p1"].iloc[0]), bool(table["tied"].iloc[0] == table["tied"].max())
    (1, True)
    """
    counts = counted(positions, topics, level)
    found = []
    for block in Views(positions, level).blocks("binary", level):
        if block.size:
            here = counts[block.topics]
            row, run = np.nonzero(here & np.isfinite(block["rank"][0]))
            first = block["rank"][0][row, run].astype(np.int64)
            found.append(np.stack([block.topics[row], first, here.sum(axis=1)[row] - 1]))
    topic, p1, others = np.concatenate([np.zeros((3, 0), dtype=np.int64), *found], axis=1)
    _, cell, alike = np.unique(topic * (p1.max(initial=0) + 1) + p1, return_inverse=True, return_counts=True)
    total, tied = (np.bincount(p1, weights=count) for count in (others, alike[cell] - 1))
    ranks = np.flatnonzero(total)
    return _rates(
        {"p1": ranks}, total[ranks].astype(np.int64), tied[ranks].astype(np.int64), attributes(positions, topics, level)
    )


def pairs_of(count: np.ndarray) -> np.ndarray:
    """Return how many pairs so many things make.

    Examples
    --------
    >>> pairs_of(np.array([1, 2, 4])).tolist()
    [0, 1, 6]
    """
    return count * (count - 1) // 2


def apart(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the values with each one that does not count made different from all others.

    Examples
    --------
    >>> apart(np.array([3.0, 3.0, 3.0]), np.array([True, False, True])).tolist()
    [3.0, -2.0, 3.0]
    """
    return values if counts.all() else np.where(counts, values, -1.0 - np.arange(values.shape[-1]))


def equal_pairs(values: np.ndarray) -> np.ndarray:
    """Return how many pairs along the last axis are equal, without forming them.

    Examples
    --------
    >>> equal_pairs(np.array([[1.0, 2.0, 1.0, 1.0], [1.0, 2.0, 3.0, 3.0]])).tolist()
    [3, 1]
    """
    ordered = np.sort(values, axis=-1)
    again = np.zeros(values.shape, dtype=bool)
    again[..., 1:] = ordered[..., 1:] == ordered[..., :-1]
    place = np.arange(values.shape[-1])
    start = np.maximum.accumulate(np.where(again, 0, place), axis=-1)
    # the j-th of a group of equals is equal to j - 1 before it
    return (place - start).sum(axis=-1)


def _rates(columns: dict[str, Any], pairs: np.ndarray, tied: np.ndarray, attrs: dict) -> pd.DataFrame:
    rate = np.where(pairs > 0, share(tied, pairs), np.nan)
    frame = pd.DataFrame({**columns, "pairs": pairs, "ties": tied, "tied": rate})
    frame.attrs.update(attrs)
    return frame
