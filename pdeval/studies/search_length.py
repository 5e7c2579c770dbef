"""Search length item by item, in all runs and in two: how many irrelevant items are above every relevant one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.evaluate.run_selection import place_of
from pdeval.join.judged import Judged
from pdeval.join.positions import Positions
from pdeval.join.rules import outside
from pdeval.kernels.primitives import found as is_retrieved
from pdeval.kernels.search_length import Unretrieved, atomized
from pdeval.studies.blocks import pair_columns, rank_blocks, result, run_columns
from pdeval.tables.labels import labels, run_labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SHIFTS = (1, 3, 10, 30, 100, 300, 1000)
NOT_IN_BOTH = ("only run_a", "only run_b", "neither")

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
table(
    "length_differences",
    "run_a run_b query doc value_a:float value_b:float difference:float retrieved_a:bool retrieved_b:bool",
    "table of search lengths in two runs",
    known_by="run_a run_b query doc value_a value_b difference",
    row="query and relevant item",
    sort="query doc",
    then=".plot()",
    means={
        "value_a": "the item's search length in run_a",
        "value_b": "the item's search length in run_b",
        "difference": "value_a - value_b: negative where run_a finds it sooner",
        "retrieved_a": "whether run_a returned the item",
        "retrieved_b": "whether run_b returned the item",
    },
    unreported="it has a row per item; draw it: .plot()",
)
table(
    "length_wins",
    "run_a run_b class bucket:text low:float high:float count:int share:share",
    "table of wins in search length",
    known_by="run_a run_b bucket low high count share",
    row="bucket of differences, from the largest wins of run_a to its largest losses; then items that a run lacks",
    sort="low",
    then=".plot()",
    means={
        "class": "items that both runs retrieved: run_a 'sooner', the 'same', or 'later'; and those that 'only run_a', "
        "'only run_b' or 'neither' retrieved",
        "bucket": "the differences of the bucket, e.g. '1 to 2'; negative ones are wins of run_a; or the class of "
        "items that a run lacks",
        "low": "the smallest whole difference of the bucket, missing where a run lacks the items",
        "high": "the largest whole difference of the bucket, missing where a run lacks the items",
        "count": "number of relevant items",
        "share": "share of the relevant items of the queries that count for both runs",
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
    counts = judged.counted()
    # the corpus is counted from the run table, which takes long: only if a list is empty or the rule needs it
    needs_corpus = unretrieved == "corpus" or bool((counts & ~judged.positions.answered).any())
    parts = [Atoms(*(np.zeros(0, dtype=np.int64) for _ in Atoms._fields))]
    for block, rank, counted in rank_blocks(judged, counts):
        corpus = block["corpus"] if needs_corpus else np.zeros(1)
        length = atomized(rank, block["retrieved"], corpus, unretrieved=unretrieved)
        cell = np.nonzero(np.broadcast_to(counted, rank.shape))  # item, query and run of each row
        item = block.view.items[block.rows[cell]]
        parts.append(
            Atoms(cell[2], block.topics[cell[1]], item, length[cell], is_retrieved(rank)[cell])
        )
    run, topic, item, length, retrieved = map(np.concatenate, zip(*parts))
    order = np.lexsort((item, run))  # by run, then item; items are sorted by topic, then document
    return Atoms(
        run[order],
        topic[order],
        item[order],
        length[order].astype(float),
        retrieved[order].astype(bool),
    )


@verb(
    on="judged",
    gives="lengths",
    needs="relevant",
    formerly="search_lengths",
)
def lengths(
    judged: Judged, *, runs: Iterable[object] | None = None, unretrieved: Unretrieved = "run"
) -> pd.DataFrame:
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
    judged = selected_runs(judged, runs)
    frame = items(judged, unretrieved=unretrieved)
    judged.tell()
    if unretrieved == "run":
        warn_of_depths(judged)
    return frame


def items(judged: Judged, *, unretrieved: Unretrieved = "run") -> pd.DataFrame:
    """Return the search length of every relevant item in every run, without warnings."""
    rows = atoms(judged, unretrieved=unretrieved)
    columns = run_columns(judged.runs, rows.run) | item_columns(
        judged.positions, rows.topic, rows.item
    )
    return result({**columns, "asl": rows.length, "retrieved": rows.retrieved}, judged.attrs)


def item_columns(positions: Positions, topic: np.ndarray, item: np.ndarray) -> dict[str, Any]:
    """Return the query and document columns of some judged items."""
    docs = positions.judged.docs.index()
    return {
        str(positions.queries.name): labels(positions.queries, topic),
        positions.doc_name: labels(docs, positions.judged.doc[item]),
    }


def warn_of_depths(judged: Judged) -> None:
    """Warn, once for all runs, where relevant items are missing from a list that is shorter than those of other runs.

    By the rule of runs an item that was not retrieved stands at the end of its own list, so short lists look better.
    """
    positions = judged.positions
    counts = judged.counted() & positions.answered
    length = positions.retrieved
    longest = np.where(counts, length, 0).max(axis=1, initial=0)
    relevant = positions.relevant(judged.level)
    hits = relevant[positions.item]
    # relevant items of each query, and those that each list retrieved
    total = np.bincount(positions.judged.topic[relevant], minlength=len(length))
    retrieved = np.zeros(length.shape, dtype=np.int64)
    np.add.at(retrieved, (positions.judged.topic[positions.item[hits]], positions.run[hits]), 1)
    # shorter than another list, and relevant items are missing
    short = counts & (length < longest[:, None]) & (retrieved < total[:, None])
    if not short.any():
        return
    missing = np.where(short, longest[:, None] - length, 0)
    topic, run = (int(at) for at in np.unravel_index(np.argmax(missing), short.shape))
    number = int(short.any(axis=1).sum())
    warnings.warn(
        f"lists of unequal depth on {number:,} quer{'y' if number == 1 else 'ies'}: "
        f"e.g. run {run_labels(judged.runs)[run]!r} returned "
        f"{length[topic, run]:,} items for {judged.queries[topic]!r}, another run {longest[topic]:,}. "
        "Search length (ASL) then favours short lists, where an item that was not retrieved "
        'stands behind fewer irrelevant ones. Use unretrieved="corpus", or cut all lists alike with depth=.',
        UserWarning,
        stacklevel=outside(),
    )


def selected_runs(judged: Judged, runs: Iterable[object] | None) -> Judged:
    """Return the join of some runs; the corpus stays that of all.

    Examples
    --------
    >>> import pdeval
    >>> selected_runs(pdeval.datasets.sample_judged(), ["bm25", "ql"]).runs["run"].tolist()
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
    judged = selected_runs(judged, runs)
    rows = atoms(judged, unretrieved=unretrieved)
    judged.tell()
    place = np.where(
        rows.retrieved, np.searchsorted(edge, rows.length, side="right") - 1, len(edge)
    )
    names = [_span(low, high) for low, high in zip(edge, [*edge[1:], np.inf])] + ["not retrieved"]
    # one cell per run and bucket
    counts = np.bincount(rows.run * len(names) + place, minlength=len(judged.runs) * len(names))
    counts = counts.reshape(-1, len(names))
    run, bucket = (axis.ravel() for axis in np.indices(counts.shape))
    return result(
        {
            **run_columns(judged.runs, run),
            "bucket": labels(pd.Index(names), bucket),
            "low": np.array([*edge, np.nan])[bucket],
            "high": np.array([*edge[1:], np.inf, np.nan])[bucket],
            "count": counts.ravel(),
            "share": (counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)).ravel(),
        },
        judged.attrs,
    )


def rising(edges: Sequence[float]) -> np.ndarray:
    """Return the lower edges of buckets, checked: they rise from 1.

    Examples
    --------
    >>> rising([1, 10]).tolist()
    [1.0, 10.0]
    """
    edge = np.asarray(edges, dtype=np.float64)
    if edge.ndim != 1 or not len(edge) or edge[0] != 1 or (np.diff(edge) <= 0).any():
        raise ValueError(
            f"edges={list(edges)!r}: give the lower edges of the buckets, rising from 1."
        )
    return edge


def _span(low: float, high: float) -> str:
    """Return the text of a bucket of whole numbers: '1', '2-4', '1000+'."""
    if np.isinf(high):
        return f"{low:g}+"
    return f"{low:g}" if high - low == 1 else f"{low:g}-{high - 1:g}"


@verb(
    on="judged",
    gives="length_differences",
    family="lengths",
    name="differences",
    needs="relevant",
    formerly="search_length_differences",
)
def differences(
    judged: Judged, run_a: object, run_b: object, *, unretrieved: Unretrieved = "run"
) -> pd.DataFrame:
    """Return, for every relevant item, its search length in two runs and the difference, negative where a is sooner.

    Over the queries that count for both runs. The search length of an item that a run did not retrieve is that of the
    end of its list, so differences mean little there: see the columns `retrieved_a` and `retrieved_b`.

    Parameters
    ----------
    run_a, run_b : run
        The two runs; topics="common" means what both of them answered.
    unretrieved : {'run', 'corpus'}
        An item that was not retrieved has the number of irrelevant items that the run returned; or it stands behind
        all irrelevant items of the query's corpus, as it always does in a run that returned nothing.

    Examples
    --------
    >>> import pdeval
    >>> found = pdeval.datasets.sample_judged(topics="common").lengths.differences("bm25", "ql")
    >>> found.drop(columns=["run_a", "run_b"]).head(3)
      query_id     doc_id  value_a  value_b  difference  retrieved_a  retrieved_b
    0      101  doc-00012     89.0     55.0        34.0        False         True
    1      101  doc-01689     12.0     10.0         2.0         True         True
    2      101  doc-02291     57.0      6.0        51.0         True         True
    """
    a, b = (place_of(judged.runs, run) for run in (run_a, run_b))
    if a == b:
        raise ValueError(f"a run cannot be compared with itself: {run_a!r}.")
    both = selected_runs(judged, [run_a, run_b])
    rows = atoms(both, unretrieved=unretrieved)
    both.tell()
    in_a, in_b = rows.run == int(a > b), rows.run == int(b > a)
    # the items of the queries that count for both runs, and their rows in each
    item, at_a, at_b = np.intersect1d(
        rows.item[in_a], rows.item[in_b], assume_unique=True, return_indices=True
    )
    value_a, value_b = rows.length[in_a][at_a], rows.length[in_b][at_b]
    if unretrieved == "run":
        warn_of_depths(both)
    return result(
        {
            **pair_columns(judged.runs, a, b, len(item)),
            **item_columns(judged.positions, judged.positions.judged.topic[item], item),
            "value_a": value_a,
            "value_b": value_b,
            "difference": value_a - value_b,
            "retrieved_a": rows.retrieved[in_a][at_a],
            "retrieved_b": rows.retrieved[in_b][at_b],
        },
        judged.attrs,
    )


@verb(
    on="judged",
    gives="length_wins",
    family="lengths",
    name="wins",
    needs="relevant",
    formerly="search_length_wins",
)
def wins(
    judged: Judged,
    run_a: object,
    run_b: object,
    *,
    edges: Sequence[float] = SHIFTS,
) -> pd.DataFrame:
    """Return how many relevant items one run finds sooner than another, by how much, and how many only one finds.

    Sooner and later are said of items that both runs retrieved. Those that only one of them retrieved, or neither, are
    classes of their own: they have no place in a list, so that no difference is known.

    Parameters
    ----------
    run_a, run_b : run
        The two runs; negative buckets are wins of run_a. topics="common" means what both of them answered.
    edges : sequence of numbers
        The lower edges of the buckets of wins and of losses, rising from 1.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figure 6.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").lengths.wins("bm25", "ql", edges=[1, 10]).round(3)
      run_a run_b       class      bucket   low  high  count  share
    0  bm25    ql      sooner       ≤ −10  -inf -10.0    215  0.188
    1  bm25    ql      sooner    −9 to −1  -9.0  -1.0    127  0.111
    2  bm25    ql        same           0   0.0   0.0     30  0.026
    3  bm25    ql       later      1 to 9   1.0   9.0    108  0.094
    4  bm25    ql       later        ≥ 10  10.0   inf    185  0.162
    5  bm25    ql  only run_a  only run_a   NaN   NaN    159  0.139
    6  bm25    ql  only run_b  only run_b   NaN   NaN    149  0.130
    7  bm25    ql     neither     neither   NaN   NaN    172  0.150
    """
    edge = rising(edges)
    frame = differences(judged, run_a, run_b)
    difference = frame["difference"].to_numpy()
    in_a, in_b = (frame[f"retrieved_{side}"].to_numpy() for side in "ab")
    size = np.searchsorted(edge, np.abs(difference), side="right")
    # wins of run a, from the largest, at 0, 1, ...; then 0; its losses; and the items that a run lacks
    place = np.where(difference < 0, len(edge) - size, len(edge) + size)
    missing_class = np.select([in_a & ~in_b, in_b & ~in_a, ~in_a & ~in_b], [1, 2, 3], 0)
    place = np.where(missing_class, 2 * len(edge) + missing_class, place)
    counts = np.bincount(place, minlength=2 * len(edge) + 1 + len(NOT_IN_BOTH))
    lows, highs = edge.tolist(), [*(after - 1 for after in edge[1:].tolist()), np.inf]
    buckets = list(zip(lows, highs))
    unknown = [np.nan] * len(NOT_IN_BOTH)
    a, b = (place_of(judged.runs, run) for run in (run_a, run_b))
    return result(
        {
            **pair_columns(judged.runs, a, b, len(counts)),
            "class": ["sooner"] * len(edge) + ["same"] + ["later"] * len(edge) + list(NOT_IN_BOTH),
            "bucket": [
                *(_win(*ends) for ends in buckets[::-1]),
                "0",
                *(_loss(*ends) for ends in buckets),
                *NOT_IN_BOTH,
            ],
            "low": [*(-high for high in highs[::-1]), 0.0, *lows, *unknown],
            "high": [*(-low for low in lows[::-1]), 0.0, *highs, *unknown],
            "count": counts,
            "share": counts / max(counts.sum(), 1),
        },
        judged.attrs,
    )


def _loss(low: float, high: float) -> str:
    """Return the text of a bucket of losses: '1 to 2', '5', '≥ 1000'."""
    if np.isinf(high):
        return f"≥ {low:g}"
    return f"{low:g}" if high == low else f"{low:g} to {high:g}"


def _win(low: float, high: float) -> str:
    """Return the text of the same bucket of wins: '−2 to −1', '−5', '≤ −1000'."""
    if np.isinf(high):
        return f"≤ −{low:g}"
    return f"−{low:g}" if high == low else f"−{high:g} to −{low:g}"
