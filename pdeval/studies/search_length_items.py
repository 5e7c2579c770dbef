"""Search length item by item: how many irrelevant items stand above every relevant one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import Views
from pdeval.join.judged import Judged
from pdeval.join.positions import Positions
from pdeval.join.rules import outside
from pdeval.kernels.primitives import found
from pdeval.kernels.search_length import Unretrieved, atomized
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)

table(
    "lengths",
    "run query doc asl:float retrieved:bool",
    "table of search lengths",
    row="run, query and relevant item",
    sort="run query doc",
    then=".plot()",
    means={
        "asl": "atomized search length: 1 + the irrelevant items above the item",
        "retrieved": "whether the run returned the item",
    },
    unreported="it has a row per item; draw it: .plot(), or report scores of ASL",
)
table(
    "length_histogram",
    "run bucket:text low:float high:float count:int share:share",
    "histogram of search lengths",
    known_by="bucket low high count share",
    row="run and bucket of search lengths",
    sort="run low",
    then=".plot()",
    means={
        "bucket": "the search lengths of the bucket, e.g. '2-4'; 'not retrieved' comes last",
        "low": "the smallest search length of the bucket, missing where not retrieved",
        "high": "the lower edge of the next bucket, missing where not retrieved",
        "count": "number of relevant items",
        "share": "share of the run's relevant items",
    },
    unreported="a histogram is drawn: .plot()",
)


class Atoms(NamedTuple):
    """One row per run, query and relevant item, in that order: their places, the search length, whether retrieved."""

    run: np.ndarray
    topic: np.ndarray
    item: np.ndarray
    length: np.ndarray
    retrieved: np.ndarray


def atoms(judged: Judged, *, unretrieved: Unretrieved = "run") -> Atoms:
    """Return the search length of every relevant item in every run, as arrays.

    Examples
    --------
    >>> import pdeval
    >>> rows = atoms(pdeval.datasets.sample_judged(topics="common"))
    >>> float(rows.length[rows.retrieved].min())
    1.0
    """
    one_of("unretrieved", unretrieved, ("run", "corpus"))
    counts = judged.counted()
    # the corpus is counted from the run table, which takes long: only where a list is empty or the rule says so
    corpus = unretrieved == "corpus" or bool((counts & ~judged.positions.answered).any())
    parts: list[list[np.ndarray]] = [[np.zeros(0, dtype=np.int64)] for _ in Atoms._fields]
    for block in Views(judged).blocks("binary", judged.level):
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


@verb(
    on="judged",
    gives="lengths",
    needs="relevant",
    formerly="search_lengths",
)
def lengths(judged: Judged, *, runs: Iterable[object] | None = None, unretrieved: Unretrieved = "run") -> pd.DataFrame:
    """Return the atomized search length of every relevant item in every run: 1 + the irrelevant items above it.

    Parameters
    ----------
    runs : list of runs, optional
        Only these runs; topics="common" then means what all of these answered.
    unretrieved : {'run', 'corpus'}
        An item that was not retrieved has the number of irrelevant items that the run returned; or it stands behind
        all irrelevant items of the query's corpus, as it always does in a run that returned nothing.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, equations 1 to 3.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").lengths(runs=["bm25"]).head(3)
        run query_id     doc_id   asl  retrieved
    0  bm25      101  doc-00012  89.0      False
    1  bm25      101  doc-01689  12.0       True
    2  bm25      101  doc-02291  57.0       True
    """
    judged = chosen(judged, runs)
    frame = items(judged, unretrieved=unretrieved)
    judged.tell()
    if unretrieved == "run":
        tell_depths(judged)
    return frame


def items(judged: Judged, *, unretrieved: Unretrieved = "run") -> pd.DataFrame:
    """Return the search length of every relevant item in every run, without a word about missing queries."""
    rows = atoms(judged, unretrieved=unretrieved)
    columns = {name: labels(judged.runs[name], rows.run) for name in judged.runs.columns}
    columns |= item_columns(judged.positions, rows.topic, rows.item)
    frame = pd.DataFrame({**columns, "asl": rows.length, "retrieved": rows.retrieved})
    frame.attrs.update(judged.attrs)
    return frame


def tell_depths(judged: Judged) -> None:
    """Warn, once for all runs, where relevant items are missing from a list that is shorter than those of other runs.

    By the rule of runs an item that was not retrieved stands at the end of its own list, so short lists look better.
    """
    positions, counts = judged.positions, judged.counted() & judged.positions.answered
    length = positions.retrieved
    longest = np.where(counts, length, 0).max(axis=1, initial=0)
    relevant = positions.relevant(judged.level)
    size = np.bincount(positions.judged.topic[relevant], minlength=len(length))
    hits = relevant[positions.item]
    held = np.zeros(length.shape, dtype=np.int64)
    np.add.at(held, (positions.judged.topic[positions.item[hits]], positions.run[hits]), 1)
    short = counts & (length < longest[:, None]) & (held < size[:, None])
    if not short.any():
        return
    lacks = np.where(short, longest[:, None] - length, 0)
    topic, run = (int(at) for at in np.unravel_index(np.argmax(lacks), short.shape))
    number = int(short.any(axis=1).sum())
    name, query = run_labels(judged.runs)[run], judged.queries[topic]
    warnings.warn(
        f"lists of unequal depth on {number:,} quer{'y' if number == 1 else 'ies'}: e.g. run {name!r} returned "
        f"{length[topic, run]:,} items for {query!r}, another run {longest[topic]:,}. "
        "Search length (ASL) then favours short lists, where an item that was not retrieved "
        'stands behind fewer irrelevant ones. Use unretrieved="corpus", or cut all lists alike with depth=.',
        UserWarning,
        stacklevel=outside(),
    )


def chosen(judged: Judged, runs: Iterable[object] | None) -> Judged:
    """Return the join of some runs; the corpus stays that of all.

    Examples
    --------
    >>> import pdeval
    >>> chosen(pdeval.datasets.sample_judged(), ["bm25", "ql"]).runs["run"].tolist()
    ['bm25', 'ql']
    """
    if runs is None:
        return judged
    names = [runs] if isinstance(runs, str | tuple) else list(runs)
    kept = np.zeros(len(judged.runs), dtype=bool)
    kept[[place_of(judged.runs, name) for name in names]] = True
    return judged.on(judged.positions.keep_runs(kept))


@verb(
    on="judged",
    gives="length_histogram",
    family="lengths",
    name="histogram",
    needs="relevant",
    formerly="search_length_histogram",
)
def histogram(
    judged: Judged,
    *,
    runs: Iterable[object] | None = None,
    edges: Sequence[float] = EDGES,
    unretrieved: Unretrieved = "run",
) -> pd.DataFrame:
    """Return how many relevant items have a search length in each bucket, those that were not retrieved last.

    Parameters
    ----------
    runs : list of runs, optional
        Only these runs; topics="common" then means what all of these answered.
    edges : sequence of numbers
        The lower edges of the buckets, rising from 1.
    unretrieved : {'run', 'corpus'}
        An item that was not retrieved has the number of irrelevant items that the run returned; or it stands behind
        all irrelevant items of the query's corpus. It counts as not retrieved either way.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.lengths.histogram(runs=["bm25"], edges=[1, 2, 10, 100]).round(3)
        run         bucket    low   high  count  share
    0  bm25              1    1.0    2.0     79  0.067
    1  bm25            2-9    2.0   10.0    259  0.221
    2  bm25          10-99   10.0  100.0    507  0.432
    3  bm25           100+  100.0    inf      0  0.000
    4  bm25  not retrieved    NaN    NaN    329  0.280
    """
    edge = rising(edges)
    judged = chosen(judged, runs)
    rows = atoms(judged, unretrieved=unretrieved)
    judged.tell()
    place = np.where(rows.retrieved, np.searchsorted(edge, rows.length, side="right") - 1, len(edge))
    names = [_span(low, high) for low, high in zip(edge, [*edge[1:], np.inf])] + ["not retrieved"]
    counts = np.bincount(rows.run * len(names) + place, minlength=len(judged.runs) * len(names))
    counts = counts.reshape(-1, len(names))
    run, bucket = (axis.ravel() for axis in np.indices(counts.shape))
    columns = {name: labels(judged.runs[name], run) for name in judged.runs.columns}
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
    frame.attrs.update(judged.attrs)
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


def item_columns(positions: Positions, topic: np.ndarray, item: np.ndarray) -> dict[str, Any]:
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
