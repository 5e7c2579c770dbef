"""Precision against recall: interpolated curves averaged over queries, or the points of every query."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate.scores import Topics, Views
from pdeval.judged.positions import Positions
from pdeval.kinds.labels import labels


def curve(
    positions: Positions,
    *,
    points: int | None = 11,
    by_query: bool = False,
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return precision against recall, interpolated at evenly spread recall points, or at every relevant item.

    Parameters
    ----------
    points : int or None
        How many recall points from 0 to 1, where precision is the largest at that recall or beyond; None gives the
        precision at each relevant item that was found, query by query.
    by_query : bool
        Keep queries apart instead of averaging over them.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> curve(joined.positions).columns.tolist(), len(curve(joined.positions))
    (['run', 'recall', 'precision'], 132)
    """
    if points is None:
        return _recall_points(positions, level, topics)
    if isinstance(points, bool) or points != int(points) or points < 2:
        raise ValueError(
            f"points={points!r}: give a whole number of at least 2 recall points, or None for every relevant item."
        )
    recalls = np.linspace(0, 1, points)
    names = [parse_all(f"IPrec@{float(recall):.10g}")[0] for recall in recalls]
    cube = evaluate.scores(positions, names, level=level, topics=topics)
    values = cube.values.transpose(2, 1, 0)
    n_runs = len(values)
    if not by_query:
        with np.errstate(invalid="ignore"):
            mean = np.nansum(values, axis=1) / (~np.isnan(values)).sum(axis=1)
        run, point = np.divmod(np.arange(n_runs * points), points)
        columns = {name: labels(cube.runs[name], run) for name in cube.runs.columns}
        return pd.DataFrame({**columns, "recall": recalls[point], "precision": mean.ravel()})
    run, query, point = (axis.ravel() for axis in np.indices(values.shape))
    kept = ~np.isnan(values.ravel())
    columns = {name: labels(cube.runs[name], run[kept]) for name in cube.runs.columns}
    columns[str(cube.queries.name)] = labels(cube.queries, query[kept])
    return pd.DataFrame({**columns, "recall": recalls[point[kept]], "precision": values.ravel()[kept]})


def _recall_points(positions: Positions, level_: float | None, topics: Topics) -> pd.DataFrame:
    counts = evaluate.counted(positions, topics, level_)
    parts: list[tuple[np.ndarray, ...]] = []
    for block in Views(positions, level_).blocks("binary", level_):
        if block.size:
            rank = block["rank"]
            at, topic, run = np.nonzero(np.isfinite(rank) & counts[block.topics])
            parts.append((run, block.topics[topic], (at + 1) / block.size, (at + 1) / rank[at, topic, run]))
    if not counts.any() or not parts:
        raise ValueError(evaluate.nothing_text(positions, topics, level_))
    evaluate.tell_missing(positions, counts, topics)
    run, topic, recall, precision = (np.concatenate(column) for column in zip(*parts))
    order = np.lexsort((recall, topic, run))
    columns = {name: labels(positions.runs[name], run[order]) for name in positions.runs.columns}
    columns[str(positions.queries.name)] = labels(positions.queries, topic[order])
    return pd.DataFrame({**columns, "recall": recall[order], "precision": precision[order]})
