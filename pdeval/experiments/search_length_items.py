"""Search length item by item: how many irrelevant items stand above every relevant one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import place_of
from pdeval.evaluate.scores import Topics, Views, attributes, counted
from pdeval.judged.positions import Positions
from pdeval.kernels.levels import found
from pdeval.kernels.search_length import Unretrieved, atomized
from pdeval.kinds.labels import labels

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class Atoms(NamedTuple):
    """A row per run, query and relevant item, in that order: their places, the search length, whether retrieved."""

    run: np.ndarray
    topic: np.ndarray
    item: np.ndarray
    length: np.ndarray
    retrieved: np.ndarray


def atoms(
    positions: Positions,
    *,
    unretrieved: Unretrieved = "run",
    level: float | None = None,
    topics: Topics = "relevant",
) -> Atoms:
    """Return the search length of every relevant item in every run, as arrays.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> rows = atoms(joined.positions)
    >>> bool(rows.length[rows.retrieved].min() == 1)
    True
    """
    if unretrieved not in ("run", "corpus"):
        raise ValueError(f"unretrieved={unretrieved!r}: choose 'run' or 'corpus'.")
    counts = counted(positions, topics, level)
    # the corpus is counted from the run table, which takes long: only where a list is empty or the rule says so
    corpus = unretrieved == "corpus" or bool((counts & ~positions.answered).any())
    parts: list[list[np.ndarray]] = [[np.zeros(0, dtype=np.int64)] for _ in Atoms._fields]
    for block in Views(positions, level).blocks("binary", level):
        if block.size == 0:
            continue
        rank = block["rank"]
        size = block["corpus"] if corpus else np.zeros(1)
        length = atomized(rank, block["retrieved"], size, unretrieved=unretrieved)
        at, topic, run = np.nonzero(np.broadcast_to(counts[block.topics], rank.shape))
        item = block.view.items[block.rows[at, topic, run]]
        row = (run, block.topics[topic], item, length[at, topic, run], found(rank)[at, topic, run])
        for part, values in zip(parts, row):
            part.append(values)
    run, topic, item, length, retrieved = (np.concatenate(part) for part in parts)
    order = np.lexsort((item, run))  # items are sorted by topic, then document
    return Atoms(run[order], topic[order], item[order], length[order].astype(float), retrieved[order].astype(bool))


def search_lengths(
    positions: Positions,
    *,
    runs: Iterable[object] | None = None,
    unretrieved: Unretrieved = "run",
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return the atomized search length of every relevant item in every run: 1 + the irrelevant items above it.

    Parameters
    ----------
    runs : list, optional
        Only these runs.
    unretrieved : {'run', 'corpus'}
        An item that was not retrieved has the number of irrelevant items that the run returned; or it stands behind
        all irrelevant items of the query's corpus, as it always does in a run that returned nothing.
    level, topics
        What counts, as in `measure`.

    Returns
    -------
    DataFrame
        run, query, doc, asl, retrieved; sorted by run, query, doc.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, equations 1 to 3.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> search_lengths(joined.positions, runs=["bm25"]).columns.tolist()
    ['run', 'query_id', 'doc_id', 'asl', 'retrieved']
    """
    positions = chosen(positions, runs)
    rows = atoms(positions, unretrieved=unretrieved, level=level, topics=topics)
    columns = {name: labels(positions.runs[name], rows.run) for name in positions.runs.columns}
    columns |= item_columns(positions, rows.topic, rows.item)
    frame = pd.DataFrame({**columns, "asl": rows.length, "retrieved": rows.retrieved})
    frame.attrs.update(attributes(positions, topics, level))
    return frame


def chosen(positions: Positions, runs: Iterable[object] | None) -> Positions:
    """Return the positions of some runs; the corpus stays that of all.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> len(chosen(joined.positions, ["bm25", "ql"]).runs)
    2
    """
    if runs is None:
        return positions
    names = [runs] if isinstance(runs, str | tuple) else list(runs)
    kept = np.zeros(len(positions.runs), dtype=bool)
    kept[[place_of(positions.runs, name) for name in names]] = True
    return positions.keep_runs(kept)


def histogram(
    positions: Positions,
    *,
    runs: Iterable[object] | None = None,
    edges: Sequence[float] = EDGES,
    unretrieved: Unretrieved = "run",
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return how many relevant items have a search length in each bucket, those that were not retrieved last.

    Parameters
    ----------
    edges : sequence of numbers
        The lower edges of the buckets, rising from 1.
    runs, unretrieved, level, topics
        As in `search_lengths`.

    Returns
    -------
    DataFrame
        run, bucket, low, high, count, share; `high` is the next edge, and the last bucket, "not retrieved", has none.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> histogram(joined.positions, runs=["bm25"], edges=[1, 2, 10, 100])["bucket"].tolist()
    ['1', '2-9', '10-99', '100+', 'not retrieved']
    """
    edge = rising(edges)
    positions = chosen(positions, runs)
    rows = atoms(positions, unretrieved=unretrieved, level=level, topics=topics)
    place = np.where(rows.retrieved, np.searchsorted(edge, rows.length, side="right") - 1, len(edge))
    names = [_span(low, high) for low, high in zip(edge, [*edge[1:], np.inf])] + ["not retrieved"]
    counts = np.bincount(rows.run * len(names) + place, minlength=len(positions.runs) * len(names))
    counts = counts.reshape(-1, len(names))
    run, bucket = (axis.ravel() for axis in np.indices(counts.shape))
    columns = {name: labels(positions.runs[name], run) for name in positions.runs.columns}
    frame = pd.DataFrame(
        {
            **columns,
            "bucket": labels(pd.Index(names), bucket),
            "low": np.array([*edge, np.nan])[bucket],
            "high": np.array([*edge[1:], np.inf, np.nan])[bucket],
            "count": counts.ravel(),
            "share": (counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)).ravel(),
        }
    )
    frame.attrs.update(attributes(positions, topics, level))
    return frame


def rising(edges: Sequence[float]) -> np.ndarray:
    """Return the lower edges of buckets, checked: they rise from 1.

    Examples
    --------
    >>> rising([1, 10]).tolist()
    [1.0, 10.0]
    """
    edge = np.asarray(edges, dtype=np.float64)
    if edge.ndim != 1 or not len(edge) or edge[0] != 1 or (np.diff(edge) <= 0).any():
        raise ValueError(f"edges={list(edges)!r}: give the lower edges of the buckets, rising from 1.")
    return edge


def item_columns(positions: Positions, topic: np.ndarray, item: np.ndarray) -> dict:
    """Return the query and document columns of some judged items."""
    docs = positions.judged.docs.index()
    return {
        str(positions.queries.name): labels(positions.queries, topic),
        positions.doc_name: labels(docs, positions.judged.doc[item]),
    }


def _span(low: float, high: float) -> str:
    """Return the text of a bucket of whole numbers: '1', '2-4', '1000+'."""
    if np.isinf(high):
        return f"{low:g}+"
    return f"{low:g}" if high - low == 1 else f"{low:g}-{high - 1:g}"
