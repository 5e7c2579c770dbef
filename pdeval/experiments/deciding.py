"""The recall level that decides: the lowest at which two rankings find their relevant items at different ranks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.pairs import select
from pdeval.evaluate.scores import Topics, Views, attributes, counted
from pdeval.experiments.ties import pairs_of
from pdeval.judged.blocks import Block
from pdeval.judged.positions import Positions
from pdeval.kinds.labels import labels


def places(rank: np.ndarray) -> Iterator[np.ndarray]:
    """Yield, level by level, the place of each run in the order by all levels so far, shape (topics, runs).

    Runs with equal ranks so far share a place. The last one is the lexicographic order.

    Examples
    --------
    >>> rank = np.array([[[1.0, 2.0, 1.0]], [[3.0, 4.0, 2.0]]])
    >>> [place.tolist() for place in places(rank)]
    [[[0, 2, 0]], [[1, 2, 0]]]
    """
    topics, runs = rank.shape[1:]
    place = np.zeros((topics, runs), dtype=np.int64)
    number = np.arange(runs)
    for row in rank:
        order = np.lexsort((row, place), axis=-1)
        ranked, before = np.take_along_axis(row, order, axis=-1), np.take_along_axis(place, order, axis=-1)
        new = np.ones((topics, runs), dtype=bool)
        new[:, 1:] = (ranked[:, 1:] != ranked[:, :-1]) | (before[:, 1:] != before[:, :-1])
        place = np.empty_like(place)
        np.put_along_axis(place, order, np.maximum.accumulate(np.where(new, number, 0), axis=-1), axis=-1)
        yield place


def deciding_levels(
    positions: Positions,
    *,
    baseline: object = None,
    pairs: object = None,
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return the recall level that decides between two runs on each query: the lowest where they differ, 0 where none.

    Parameters
    ----------
    baseline, pairs, level, topics
        Which pairs of runs, and what counts, as in `prefer`.

    Returns
    -------
    DataFrame
        query, run_a, run_b, level.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = deciding_levels(joined.positions, pairs=[("bm25", "ql")])
    >>> table.columns.tolist(), len(table)
    (['query_id', 'run_a', 'run_b', 'level'], 50)
    """
    source = select(positions, "sgnLP", baseline=baseline, pairs=pairs, level=level, topics=topics)
    counts = counted(positions, topics, level)
    decided = np.zeros((len(positions.queries), len(source.a)), dtype=np.int32)
    for block in Views(positions, level).blocks("binary", level):
        decided[block.topics] = _decided(block, source.a, source.b)
    topic, pair = np.nonzero(counts[:, source.a] & counts[:, source.b])
    columns = {str(positions.queries.name): labels(positions.queries, topic)}
    for side, at in (("a", source.a), ("b", source.b)):
        for name in positions.runs.columns:
            columns[f"{name}_{side}"] = labels(positions.runs[name], at[pair])
    frame = pd.DataFrame({**columns, "level": decided[topic, pair]})
    frame.attrs.update(source.attrs)
    return frame


def _decided(block: Block, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the deciding level of each pair on the topics of a block; only pairs still tied are looked at again."""
    level = np.zeros((block.shape[0], len(a)), dtype=np.int32)
    topic, pair = np.nonzero(np.ones(level.shape, dtype=bool))
    for i, row in enumerate(block["rank"]):
        differs = row[topic, a[pair]] != row[topic, b[pair]]
        level[topic[differs], pair[differs]] = i + 1
        topic, pair = topic[~differs], pair[~differs]
        if not len(topic):
            break
    return level


def decided_by_level(positions: Positions, *, level: float | None = None, topics: Topics = "relevant") -> pd.DataFrame:
    """Return the share of pairs of rankings that is decided at or before each recall level.

    Computed from groups of equal rankings, without forming pairs.

    Parameters
    ----------
    level, topics
        What counts, as in `measure`.

    Returns
    -------
    DataFrame
        level, decided, pairs, ecdf: the pairs decided at that level, all pairs, and the share decided by then. What
        is missing to 1 at the last level is tied for good.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 6.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = decided_by_level(joined.positions)
    >>> bool(table["ecdf"].is_monotonic_increasing), bool(table["ecdf"].iloc[9] > 0.9)
    (True, True)
    """
    chosen_pairs(positions.runs)
    counts = counted(positions, topics, level)
    parts, deepest, total = [], 0, 0
    for block in Views(positions, level).blocks("binary", level):
        here = counts[block.topics]
        pairs = int(pairs_of(here.sum(axis=1)).sum())
        total += pairs
        tied = [pairs]
        for place in places(block["rank"]):
            tied.append(_sharing(place, here))
            if not tied[-1]:
                break
        parts.append(-np.diff(tied))
        deepest = max(deepest, len(parts[-1]))
    decided = np.zeros(deepest, dtype=np.int64)
    for part in parts:
        decided[: len(part)] += part
    last = np.flatnonzero(decided)
    decided = decided[: last[-1] + 1] if len(last) else decided[:0]
    ecdf = np.cumsum(decided) / max(total, 1)
    frame = pd.DataFrame({"level": np.arange(1, len(decided) + 1), "decided": decided, "pairs": total, "ecdf": ecdf})
    frame.attrs.update(attributes(positions, topics, level))
    return frame


def _sharing(place: np.ndarray, counts: np.ndarray) -> int:
    """Return how many pairs of runs that count share a place."""
    runs = place.shape[1]
    cell = (np.arange(len(place))[:, None] * runs + place)[counts]
    return int(pairs_of(np.bincount(cell)).sum())
