"""Precision against recall: interpolated curves averaged over queries, or the points of every query."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from pdeval.catalog import parse
from pdeval.evaluate.cube import described_frame, run_columns
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


@verb(
    on="judged",
    gives="curve",
    needs="relevant",
    meant_by={"plot_pr": "curve(qrels).ireval.plot()"},
)
def curve(
    judged: Judged, *, points: int | None = 11, per: Literal["run", "query"] = "run"
) -> pd.DataFrame:
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
    cube = scores(judged, [parse(f"IPrec@{float(recall):.10g}") for recall in recalls])
    values = cube.values.transpose(2, 1, 0)
    if per == "run":
        with np.errstate(invalid="ignore"):
            values = np.nansum(values, axis=1) / (~np.isnan(values)).sum(axis=1)
        run, point = np.divmod(np.arange(values.size), points)
        return described_frame(
            {
                **run_columns(cube.runs, run),
                "recall": recalls[point],
                "precision": values.ravel(),
            },
            judged.attrs,
        )
    kept = ~np.isnan(values)
    run, query, point = np.nonzero(kept)
    return _points(judged, run, cube.queries, query, recalls[point], values[kept])


def _recall_points(judged: Judged) -> pd.DataFrame:
    """Return the precision at each relevant item that a run retrieved."""
    counts = judged.counted()
    parts: list[tuple[np.ndarray, ...]] = []
    for block in Views(judged).blocks("binary", judged.level):
        if block.size:
            rank = block["rank"]
            # the item at index i of a list is its relevant item number i + 1
            item, topic, run = np.nonzero(np.isfinite(rank) & counts[block.topics])
            parts.append(
                (
                    run,
                    block.topics[topic],
                    (item + 1) / block.size,
                    (item + 1) / rank[item, topic, run],
                )
            )
    if not counts.any() or not parts:
        raise judged.nothing_counts()
    judged.tell(counts)
    run, topic, recall, precision = (np.concatenate(column) for column in zip(*parts))
    order = np.lexsort((recall, topic, run))
    return _points(
        judged,
        run[order],
        judged.queries,
        topic[order],
        recall[order],
        precision[order],
    )


def _points(
    judged: Judged,
    run: np.ndarray,
    queries: pd.Index,
    query: np.ndarray,
    recall: np.ndarray,
    precision: np.ndarray,
) -> pd.DataFrame:
    return described_frame(
        {
            **run_columns(judged.runs, run),
            str(queries.name): labels(queries, query),
            "recall": recall,
            "precision": precision,
        },
        judged.attrs,
    )
