"""What the studies share: ranks of relevant items block by block, pairs of runs in parts, columns of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.scores import Views
from pdeval.join.blocks import Block
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import share
from pdeval.tables.labels import labels


def rank_blocks(
    judged: Judged, counts: np.ndarray
) -> Iterator[tuple[Block, np.ndarray, np.ndarray]]:
    """Yield the blocks of queries with relevant items, their ranks (items, queries, runs), and which lists count."""
    # blocks of queries with the same number of relevant items
    for block in Views(judged).blocks("binary", judged.level):
        if block.size:
            yield block, block["rank"], counts[block.topics]


def pair_blocks(a: np.ndarray, b: np.ndarray, step: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the runs of at most `step` pairs at a time."""
    for start in range(0, len(a), max(step, 1)):
        part = slice(start, start + max(step, 1))
        yield a[part], b[part]


def run_columns(runs: pd.DataFrame, run: np.ndarray) -> dict[str, Any]:
    """Return the columns that name the run of each row."""
    return {name: labels(runs[name], run) for name in runs.columns}


def pair_columns(
    runs: pd.DataFrame, a: np.ndarray | int, b: np.ndarray | int, rows: int
) -> dict[str, Any]:
    """Return the columns that name the two runs of each row."""
    return {
        f"{name}_{side}": labels(runs[name], np.broadcast_to(run, rows))
        for side, run in (("a", a), ("b", b))
        for name in runs.columns
    }


def rates(count: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return the fraction of each total; missing if the total is 0."""
    return np.where(total > 0, share(count, total), np.nan)


def result(columns: Mapping[str, Any] | pd.DataFrame, attrs: Mapping[Any, Any]) -> pd.DataFrame:
    """Return the columns as a frame that carries the attributes of its source."""
    frame = pd.DataFrame(columns)
    frame.attrs.update(attrs)
    return frame
