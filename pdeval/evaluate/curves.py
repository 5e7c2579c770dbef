"""Precision against recall: interpolated curves averaged over queries, or the points of every query."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.evaluate.scores import Views, scores
from pdeval.join.judged import Judged
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb

table(
    "curve",
    "run [query] recall:float precision:float",
    "precision-recall table",
    row="run and recall point",
    sort="run query recall",
    then=".plot()",
    unreported="a curve is drawn: .plot()",
)


@verb(on="judged", gives="curve", needs="relevant", meant_by={"plot_pr": "curve(qrels).ireval.plot()"})
def curve(judged: Judged, *, points: int | None = 11, per: Literal["run", "query"] = "run") -> pd.DataFrame:
    """Return precision against recall, interpolated at evenly spread recall points, or at every relevant item.

    Parameters
    ----------
    points : int or None
        How many recall points from 0 to 1, where precision is the largest from the c-th relevant item on; c is the
        recall point times the number of relevant items, rounded to the nearest whole number as trec_eval 10 does
        (compat="trec_eval-9" rounds up from a tenth), so that with few relevant items a point may stand for a
        smaller recall. None gives the precision at each relevant item that was found, query by query.
    per : {'run', 'query'}
        The mean over queries, or a curve for every query.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").curve(points=3).head(3)
        run  recall  precision
    0  bm25     0.0   0.776156
    1  bm25     0.5   0.332346
    2  bm25     1.0   0.015568
    """
    if points is None:
        return _recall_points(judged)
    if isinstance(points, bool) or points != int(points) or points < 2:
        raise ValueError(
            f"points={points!r}: give a whole number of at least 2 recall points, or None for every relevant item."
        )
    recalls = np.linspace(0, 1, points)
    names = [parse_all(f"IPrec@{float(recall):.10g}")[0] for recall in recalls]
    cube = scores(judged, names)
    values = cube.values.transpose(2, 1, 0)
    n_runs = len(values)
    if per == "run":
        with np.errstate(invalid="ignore"):
            mean = np.nansum(values, axis=1) / (~np.isnan(values)).sum(axis=1)
        run, point = np.divmod(np.arange(n_runs * points), points)
        columns = {name: labels(cube.runs[name], run) for name in cube.runs.columns}
        return _carrying(judged, {**columns, "recall": recalls[point], "precision": mean.ravel()})
    run, query, point = (axis.ravel() for axis in np.indices(values.shape))
    kept = ~np.isnan(values.ravel())
    columns = {name: labels(cube.runs[name], run[kept]) for name in cube.runs.columns}
    columns[str(cube.queries.name)] = labels(cube.queries, query[kept])
    return _carrying(judged, {**columns, "recall": recalls[point[kept]], "precision": values.ravel()[kept]})


def _recall_points(judged: Judged) -> pd.DataFrame:
    positions, counts = judged.positions, judged.counted()
    parts: list[tuple[np.ndarray, ...]] = []
    for block in Views(judged).blocks("binary", judged.level):
        if block.size:
            rank = block["rank"]
            at, topic, run = np.nonzero(np.isfinite(rank) & counts[block.topics])
            parts.append((run, block.topics[topic], (at + 1) / block.size, (at + 1) / rank[at, topic, run]))
    if not counts.any() or not parts:
        raise judged.nothing_counts()
    judged.tell(counts)
    run, topic, recall, precision = (np.concatenate(column) for column in zip(*parts))
    order = np.lexsort((recall, topic, run))
    columns = {name: labels(positions.runs[name], run[order]) for name in positions.runs.columns}
    columns[str(positions.queries.name)] = labels(positions.queries, topic[order])
    return _carrying(judged, {**columns, "recall": recall[order], "precision": precision[order]})


def _carrying(judged: Judged, columns: dict[str, Any]) -> pd.DataFrame:
    frame = pd.DataFrame(columns)
    frame.attrs.update(judged.attrs)
    return frame
