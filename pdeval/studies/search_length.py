"""Search length: of every relevant item, in two runs, and the steps to it from average precision.

The atomized search length (ASL) of a relevant item is 1 plus the number of irrelevant items above it. An average of
precisions weights each search length by its reciprocal, so large search lengths hardly count.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from pdeval.catalog import known_of, parse
from pdeval.evaluate import (
    Scores,
    ScoresLike,
    described_frame,
    pair_columns,
    place_of,
    run_columns,
    sources,
)
from pdeval.evaluate.scores import scores
from pdeval.join import Judged, Positions, outside
from pdeval.kernels.primitives import found as is_retrieved
from pdeval.kernels.primitives import level as levels_of
from pdeval.kernels.search_length import Unretrieved, atomized, relative_reduction_in_error
from pdeval.significance.delta_sort import moved_along
from pdeval.studies.sign_agreement import rank_blocks
from pdeval.tables import NOISE, labels, run_labels, table
from pdeval.verbs import short_repr, verb

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SHIFTS = (1, 3, 10, 30, 100, 300, 1000)
NOT_IN_BOTH = ("only run_a", "only run_b", "neither")

table(
    "search_lengths",
    "run query doc asl:float retrieved:bool",
    "table of search lengths",
    row="run, query and relevant item",
    sort="run query doc",
    then=".plot()",
    means={
        "asl": "atomized search length: 1 + the irrelevant items above the item",
        "retrieved": "whether the run returned the item",
    },
    no_report="it has a row per item; draw it: .plot(), or report scores of ASL",
)
table(
    "search_length_histogram",
    "run bucket:text low:float high:float count:int fraction:fraction",
    "histogram of search lengths",
    recognized_by="bucket low high count fraction",
    row="run and bucket of search lengths",
    sort="run low",
    then=".plot()",
    means={
        "bucket": "the search lengths of the bucket, e.g. '2-4'; 'not retrieved' comes last",
        "low": "the smallest search length of the bucket, missing where not retrieved",
        "high": "the lower edge of the next bucket, missing where not retrieved",
        "count": "number of relevant items",
        "fraction": "fraction of the relevant items of the run",
    },
    no_report="a histogram is drawn: .plot()",
)
table(
    "search_length_differences",
    "run_a run_b query doc value_a:float value_b:float difference:float retrieved_a:bool retrieved_b:bool",
    "table of search lengths in two runs",
    recognized_by="run_a run_b query doc value_a value_b difference",
    row="query and relevant item",
    sort="query doc",
    then=".plot()",
    means={
        "value_a": "the item's search length in run_a",
        "value_b": "the item's search length in run_b",
        "difference": "value_a - value_b: negative if run_a ranks it earlier",
        "retrieved_a": "whether run_a returned the item",
        "retrieved_b": "whether run_b returned the item",
    },
    no_report="it has a row per item; draw it: .plot()",
)
table(
    "search_length_wins",
    "run_a run_b class bucket:text low:float high:float count:int fraction:fraction",
    "table of wins in search length",
    recognized_by="run_a run_b bucket low high count fraction",
    row="bucket of differences, from the largest wins of run_a to its largest losses; then items that a run lacks",
    sort="low",
    then=".plot()",
    means={
        "class": "items that both runs retrieved: run_a 'earlier', the 'same' or 'later'; items that 'only run_a', "
        "'only run_b' or 'neither' retrieved",
        "bucket": "the differences of the bucket, e.g. '1 to 2'; negative ones are wins of run_a; or the class of "
        "items that a run lacks",
        "low": "the smallest whole difference of the bucket, missing where a run lacks the items",
        "high": "the largest whole difference of the bucket, missing where a run lacks the items",
        "count": "number of relevant items",
        "fraction": "fraction of the relevant items of the queries that count for both runs",
    },
    no_report="a histogram is drawn: .plot()",
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
    >>> rows = atoms(pdeval.datasets.sample_judged(queries="common"))
    >>> float(rows.length[rows.retrieved].min())
    1.0
    """

    def of_relevant(judged: Judged) -> np.ndarray:
        """Return the search length and whether it was retrieved, of shape (relevant items, 2, runs)."""
        positions, counts = judged.positions, judged.counted()
        # the corpus is counted from the run table, which takes long: only if a list is empty or the rule needs it
        needs_corpus = unretrieved == "corpus" or bool((counts & ~positions.answered).any())
        run = np.arange(len(positions.runs))
        values = np.zeros((np.count_nonzero(positions.relevant(judged.level)), 2, len(run)))
        for block, rank, _ in rank_blocks(judged, counts):
            corpus = block["corpus"] if needs_corpus else np.zeros(1)
            values[block.rows, 0, run] = atomized(
                rank, block["retrieved"], corpus, unretrieved=unretrieved
            )
            values[block.rows, 1, run] = is_retrieved(rank)
        return values

    values = judged.per_topic(("search lengths", unretrieved), of_relevant, of_relevant=True)
    relevant = np.flatnonzero(judged.positions.relevant(judged.level))
    topic = judged.positions.judged.topic[relevant]
    run, row = np.nonzero(judged.counted()[topic].T)  # items are sorted by topic, then document
    length, retrieved = values[row, :, run].T
    return Atoms(run, topic[row], relevant[row], length, retrieved.astype(bool))


@verb(
    on="judged",
    returns="search_lengths",
    needs="relevant",
)
def search_lengths(
    judged: Judged, *, runs: Iterable[object] | None = None, unretrieved: Unretrieved = "run"
) -> pd.DataFrame:
    """Return the atomized search length of every relevant item in every run: 1 + the irrelevant items above it.

    Parameters
    ----------
    runs : list of runs, optional
        Runs to use; queries="common" then selects the queries that all of these answered.
    unretrieved : {'run', 'corpus'}
        Search length of an item that was not retrieved: the number of irrelevant items that the run returned, or
        the number of irrelevant items of the corpus of the query, which is always used for an empty list.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, equations 1 to 3.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").search_lengths(runs=["bm25"]).head(3)
        run query_id     doc_id   asl  retrieved
    0  bm25      101  doc-00012  89.0      False
    1  bm25      101  doc-01689  12.0       True
    2  bm25      101  doc-02291  57.0       True
    """
    judged = selected_runs(judged, runs)
    frame = items(judged, unretrieved=unretrieved)
    judged.warn_of_missing_queries()
    warn_of_depths(judged, unretrieved)
    return frame


def items(judged: Judged, *, unretrieved: Unretrieved = "run") -> pd.DataFrame:
    """Return the search length of every relevant item in every run, without warnings."""
    rows = atoms(judged, unretrieved=unretrieved)
    return described_frame(
        {
            **run_columns(judged.runs, rows.run),
            **item_columns(judged.positions, rows.topic, rows.item),
            "asl": rows.length,
            "retrieved": rows.retrieved,
        },
        judged.attrs,
    )


def item_columns(positions: Positions, topic: np.ndarray, item: np.ndarray) -> dict[str, Any]:
    """Return the query and document columns of some judged items."""
    return {
        str(positions.queries.name): labels(positions.queries, topic),
        positions.doc_name: labels(positions.judged.docs.index(), positions.judged.doc[item]),
    }


def warn_of_depths(judged: Judged, unretrieved: Unretrieved) -> None:
    """Warn, once for all runs, if relevant items are missing from a list that is shorter than those of other runs.

    With unretrieved='run' an item that was not retrieved is at the end of the list, so short lists have an advantage.
    """
    positions = judged.positions
    counts = judged.counted() & positions.answered
    length = positions.retrieved
    longest = np.where(counts, length, 0).max(axis=1, initial=0)
    short = counts & (length < longest[:, None])  # than another list
    if unretrieved == "corpus" or not short.any():
        return
    incomplete = np.zeros(length.shape, dtype=bool)  # lists that lack relevant items
    for block, rank, _ in rank_blocks(judged, counts):
        incomplete[block.topics] = np.isinf(rank).any(axis=0)
    short &= incomplete
    if not short.any():
        return
    missing = np.where(short, longest[:, None] - length, 0)
    topic, run = (int(at) for at in np.unravel_index(np.argmax(missing), short.shape))
    number = int(short.any(axis=1).sum())
    warnings.warn(
        f"lists have unequal depth for {number:,} quer{'y' if number == 1 else 'ies'}, "
        f"e.g. run {run_labels(judged.runs)[run]!r} returned "
        f"{length[topic, run]:,} items for {judged.queries[topic]!r} and another run {longest[topic]:,}. "
        "ASL then favors short lists, because an unretrieved item is placed below fewer irrelevant items. "
        'Use unretrieved="corpus", or truncate all lists with depth=.',
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
    return judged.changed(
        ("runs", kept.tobytes()), lambda one: one.on(one.positions.keep_runs(kept))
    )


@verb(
    on="judged",
    returns="search_length_histogram",
    family="search_lengths",
    name="histogram",
    needs="relevant",
)
def histogram(
    judged: Judged,
    *,
    runs: Iterable[object] | None = None,
    edges: Sequence[float] = EDGES,
    unretrieved: Unretrieved = "run",
) -> pd.DataFrame:
    """Return the number of relevant items by search length, in buckets; items that were not retrieved come last.

    Parameters
    ----------
    runs : list of runs, optional
        Runs to use; queries="common" then selects the queries that all of these answered.
    edges : sequence of numbers
        The lower edges of the buckets, rising from 1.
    unretrieved : {'run', 'corpus'}
        Search length of an item that was not retrieved: the number of irrelevant items that the run returned, or
        that of the corpus of the query. The item counts as not retrieved in both cases.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.search_lengths.histogram(runs=["bm25"], edges=[1, 2, 10, 100]).round(3)
        run         bucket    low   high  count  fraction
    0  bm25              1    1.0    2.0     79     0.067
    1  bm25            2-9    2.0   10.0    259     0.221
    2  bm25          10-99   10.0  100.0    507     0.432
    3  bm25           100+  100.0    inf      0     0.000
    4  bm25  not retrieved    NaN    NaN    329     0.280
    """
    edge = rising("edges", edges, 1)
    judged = selected_runs(judged, runs)
    rows = atoms(judged, unretrieved=unretrieved)
    judged.warn_of_missing_queries()
    names, counts = count_lengths(rows.run, len(judged.runs), rows.length, rows.retrieved, edge)
    run, bucket = (axis.ravel() for axis in np.indices(counts.shape))
    return described_frame(
        {
            **run_columns(judged.runs, run),
            "bucket": labels(pd.Index(names), bucket),
            "low": np.array([*edge, np.nan])[bucket],
            "high": np.array([*edge[1:], np.inf, np.nan])[bucket],
            "count": counts.ravel(),
            "fraction": (counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)).ravel(),
        },
        judged.attrs,
    )


def count_lengths(
    run: np.ndarray, n_runs: int, length: np.ndarray, retrieved: np.ndarray, edge: np.ndarray
) -> tuple[list[str], np.ndarray]:
    """Return the names of the buckets, and the number of items per run and bucket; items not retrieved come last.

    Examples
    --------
    >>> count_lengths(np.zeros(3, int), 1, np.array([1, 4, 9]), np.array([True, True, False]), np.array([1, 2]))
    (['1', '2+', 'not retrieved'], array([[1, 1, 1]]))
    """
    place = np.maximum(np.searchsorted(edge, length, side="right") - 1, 0)
    names = [_span(low, high) for low, high in zip(edge, [*edge[1:], np.inf])] + ["not retrieved"]
    # one cell per run and bucket
    cell = run * len(names) + np.where(retrieved, place, len(edge))
    return names, np.bincount(cell, minlength=n_runs * len(names)).reshape(-1, len(names))


def rising(option: str, edges: object, first: float | None = None) -> np.ndarray:
    """Return the lower edges of buckets, or raise unless they increase, from `first` if that is given.

    Examples
    --------
    >>> rising("edges", [1, 10], 1).tolist()
    [1.0, 10.0]
    """
    try:
        edge = np.asarray(edges, dtype=np.float64)
    except (TypeError, ValueError):
        edge = np.zeros(0)
    if (
        edge.ndim != 1
        or not len(edge)
        or first not in (None, edge[0])
        or (np.diff(edge) <= 0).any()
    ):
        start = "" if first is None else f" that start at {first:g}"
        raise ValueError(
            f"{option}={short_repr(np.asarray(edges).tolist())}: expected increasing lower edges of buckets{start}."
        )
    return edge


def _span(low: float, high: float) -> str:
    """Return the text of a bucket of integers: '1', '2-4', '1000+'."""
    if np.isinf(high):
        return f"{low:g}+"
    return f"{low:g}" if high - low == 1 else f"{low:g}-{high - 1:g}"


@verb(
    on="judged",
    returns="search_length_differences",
    family="search_lengths",
    name="differences",
    needs="relevant",
)
def differences(
    judged: Judged, run_a: object, run_b: object, *, unretrieved: Unretrieved = "run"
) -> pd.DataFrame:
    """Return the search lengths of every relevant item in two runs and their difference, negative if run_a is better.

    Over the queries that count for both runs. The search length of an item that a run did not retrieve is that of the
    end of its list, so differences mean little there: see the columns `retrieved_a` and `retrieved_b`.

    Parameters
    ----------
    run_a, run_b : run
        The two runs; queries="common" means what both of them answered.
    unretrieved : {'run', 'corpus'}
        Search length of an item that was not retrieved: the number of irrelevant items that the run returned, or
        the number of irrelevant items of the corpus of the query, which is always used for an empty list.

    Examples
    --------
    >>> import pdeval
    >>> result = pdeval.datasets.sample_judged(queries="common").search_lengths.differences("bm25", "ql")
    >>> result.drop(columns=["run_a", "run_b"]).head(3)
      query_id     doc_id  value_a  value_b  difference  retrieved_a  retrieved_b
    0      101  doc-00012     89.0     55.0        34.0        False         True
    1      101  doc-01689     12.0     10.0         2.0         True         True
    2      101  doc-02291     57.0      6.0        51.0         True         True
    """
    item, columns = _differences(judged, run_a, run_b, unretrieved)
    a, b = (np.full(len(item), place_of(judged.runs, run)) for run in (run_a, run_b))
    return described_frame(
        {
            **pair_columns(judged.runs, a, b, labels),
            **item_columns(judged.positions, judged.positions.judged.topic[item], item),
            **columns,
        },
        judged.attrs,
    )


def _differences(
    judged: Judged, run_a: object, run_b: object, unretrieved: Unretrieved
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the relevant items of the queries that count for both runs, and the columns of their search lengths."""
    a, b = (place_of(judged.runs, run) for run in (run_a, run_b))
    if a == b:
        raise ValueError(f"a run cannot be compared with itself: {run_a!r}.")
    both = selected_runs(judged, [run_a, run_b])
    rows = atoms(both, unretrieved=unretrieved)
    both.warn_of_missing_queries()
    in_a, in_b = rows.run == int(a > b), rows.run == int(b > a)
    # the rows of each item in both runs
    item, at_a, at_b = np.intersect1d(
        rows.item[in_a], rows.item[in_b], assume_unique=True, return_indices=True
    )
    value_a, value_b = rows.length[in_a][at_a], rows.length[in_b][at_b]
    warn_of_depths(both, unretrieved)
    return item, {
        "value_a": value_a,
        "value_b": value_b,
        "difference": value_a - value_b,
        "retrieved_a": rows.retrieved[in_a][at_a],
        "retrieved_b": rows.retrieved[in_b][at_b],
    }


@verb(
    on="judged",
    returns="search_length_wins",
    family="search_lengths",
    name="wins",
    needs="relevant",
)
def wins(
    judged: Judged,
    run_a: object,
    run_b: object,
    *,
    edges: Sequence[float] = SHIFTS,
) -> pd.DataFrame:
    """Return the number of relevant items that one run ranks earlier than another, and that only one retrieves.

    Classes 'earlier' and 'later' are of items that both runs retrieved. Items that one or none of them retrieved are
    separate classes, because their difference is unknown.

    Parameters
    ----------
    run_a, run_b : run
        The two runs; negative buckets are wins of run_a. queries="common" means what both of them answered.
    edges : sequence of numbers
        The lower edges of the buckets of wins and of losses, rising from 1.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figure 6.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").search_lengths.wins("bm25", "ql", edges=[1, 10]).round(3)
      run_a run_b       class      bucket   low  high  count  fraction
    0  bm25    ql     earlier       ≤ −10  -inf -10.0    215     0.188
    1  bm25    ql     earlier    −9 to −1  -9.0  -1.0    127     0.111
    2  bm25    ql        same           0   0.0   0.0     30     0.026
    3  bm25    ql       later      1 to 9   1.0   9.0    108     0.094
    4  bm25    ql       later        ≥ 10  10.0   inf    185     0.162
    5  bm25    ql  only run_a  only run_a   NaN   NaN    159     0.139
    6  bm25    ql  only run_b  only run_b   NaN   NaN    149     0.130
    7  bm25    ql     neither     neither   NaN   NaN    172     0.150
    """
    edge = rising("edges", edges, 1)
    _, columns = _differences(judged, run_a, run_b, "run")
    counts = count_differences(columns, edge)
    a, b = (np.full(len(counts), place_of(judged.runs, run)) for run in (run_a, run_b))
    return described_frame(
        {
            **pair_columns(judged.runs, a, b, labels),
            **counts,
            "fraction": counts["count"].to_numpy() / max(counts["count"].sum(), 1),
        },
        judged.attrs,
    )


def count_differences(
    frame: pd.DataFrame | Mapping[str, np.ndarray], edge: np.ndarray
) -> pd.DataFrame:
    """Return the number of items in each bucket of differences in search length, with its class and ends.

    Parameters
    ----------
    frame : DataFrame or mapping
        One row per item: difference, retrieved_a, retrieved_b.
    edge : ndarray
        Lower edges of the buckets of wins and of losses.

    Examples
    --------
    >>> frame = pd.DataFrame({"difference": [-3, 0, 9], "retrieved_a": True, "retrieved_b": [True, True, False]})
    >>> count_differences(frame, np.array([1.0]))["count"].tolist()
    [1, 1, 0, 1, 0, 0]
    """
    difference = np.asarray(frame["difference"], dtype=float)
    in_a, in_b = (np.asarray(frame[f"retrieved_{side}"], dtype=bool) for side in "ab")
    size = np.searchsorted(edge, np.abs(difference), side="right")
    # wins of run a, from the largest, at 0, 1, ...; then 0; its losses; and the items that a run lacks
    place = np.where(difference < 0, len(edge) - size, len(edge) + size)
    missing_class = np.select([in_a & ~in_b, in_b & ~in_a, ~in_a & ~in_b], [1, 2, 3], 0)
    place = np.where(missing_class, 2 * len(edge) + missing_class, place)
    lows, highs = edge.tolist(), [*(after - 1 for after in edge[1:].tolist()), np.inf]
    buckets = list(zip(lows, highs))
    unknown = [np.nan] * len(NOT_IN_BOTH)
    return pd.DataFrame(
        {
            "class": ["earlier"] * len(edge) + ["same"] + ["later"] * len(edge) + list(NOT_IN_BOTH),
            "bucket": [
                *(_range(low, high, "−") for low, high in buckets[::-1]),
                "0",
                *(_range(low, high) for low, high in buckets),
                *NOT_IN_BOTH,
            ],
            "low": [*(-high for high in highs[::-1]), 0.0, *lows, *unknown],
            "high": [*(-low for low in lows[::-1]), 0.0, *highs, *unknown],
            "count": np.bincount(place, minlength=2 * len(edge) + 1 + len(NOT_IN_BOTH)),
        }
    )


def _range(low: float, high: float, minus: str = "") -> str:
    """Return the text of a bucket of losses, '1 to 2', '5' or '≥ 1000', or of wins, '−2 to −1', '−5' or '≤ −1000'."""
    if np.isinf(high):
        return f"{'≤' if minus else '≥'} {minus}{low:g}"
    ends = [f"{minus}{end:g}" for end in dict.fromkeys((low, high))]
    return " to ".join(ends[::-1] if minus else ends)


table(
    "implicit_weights",
    "length:float precision:float weight:float",
    "table of implicit weights",
    row="search length, in the order given",
    means={
        "length": "the search length; its mean under `weight` is `average_length`",
        "precision": "its reciprocal",
        "weight": "fraction of the sum of precisions",
    },
    no_report="it is arithmetic on given lengths; print the table itself",
    no_plot="it is arithmetic on given lengths; print the table itself",
)
table(
    "effective_fractions",
    "run query items:int fraction:fraction",
    "table of effective shares",
    row="run and query",
    sort="run query",
    means={
        "items": "number of relevant items",
        "fraction": "fraction of them that average precision effectively uses; missing if no item was retrieved",
    },
    no_report="it has a row per run and query; report its means",
    no_plot="it has a row per run and query; draw its means",
)
table(
    "rrie",
    "run_a run_b measure mean_a:float mean_b:float rrie:float",
    "table of error reduction",
    row="measure",
    sort="measure",
    then=".report()",
    means={
        "run_a": "the old run",
        "run_b": "the new run",
        "mean_a": "mean of the old run over the queries",
        "mean_b": "mean of the new run over the queries",
        "rrie": "relative reduction in error, negative for a loss, missing where the old run is perfect",
    },
    no_plot="it is one number per measure; print the table itself",
)
table(
    "ablation",
    "step measure_old measure_new runs:int delta_sort:float tau_b:float delta_value:float",
    "table of the steps from MAP to search length",
    row="step from one measure to the next, the last from the first to the last at once",
    then=".report()",
    means={
        "step": "change of this step",
        "measure_old": "the measure before it",
        "measure_new": "the measure after it",
        "runs": "number of systems",
        "delta_sort": "largest change of rank of a system, out of 100",
        "delta_value": "mean over systems of new / old value; a search length counts with its reciprocal",
    },
    no_plot="it is four rows; print the table itself",
)


def average_length(lengths: ArrayLike) -> np.ndarray:
    """Return the search length that is equivalent to the average precision: n / sum(1 / SL), the harmonic mean.

    Along axis 0; infinite where nothing was found.

    Examples
    --------
    >>> float(average_length([1, 1000]).round(3))
    1.998
    """
    values = _checked_lengths(lengths)
    with np.errstate(divide="ignore"):
        mean: np.ndarray = len(values) / (1.0 / values).sum(axis=0)
    return mean


def _checked_lengths(lengths: ArrayLike) -> np.ndarray:
    """Return search lengths as an array; raise if they are invalid."""
    try:
        values = np.array(lengths, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"lengths={short_repr(lengths)}: expected an array of search lengths, which are above 0."
        ) from None
    if values.ndim == 0 or not len(values) or not (values > 0).all():
        raise ValueError(
            "expected at least one search length, and only values above 0 (infinity if not retrieved)."
        )
    return values


def implicit_weights(lengths: ArrayLike) -> pd.DataFrame:
    """Return the weight that each search length has in an average of precisions: 1 / SL, normalized to sum 1.

    Returns
    -------
    DataFrame
        length, precision, weight; in the order given. The mean of `length` under `weight` is `average_length`.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, equations 14 and 15.

    Examples
    --------
    >>> implicit_weights([1, 2, 4]).round(3)
       length  precision  weight
    0     1.0       1.00   0.571
    1     2.0       0.50   0.286
    2     4.0       0.25   0.143
    """
    values = _checked_lengths(lengths)
    if values.ndim > 1:
        raise ValueError(
            f"lengths= has {values.ndim} dimensions. Pass the search lengths of one list."
        )
    precision = 1.0 / values
    weight = precision / precision.sum() if precision.sum() > 0 else np.full(len(values), np.nan)
    return described_frame(
        {"length": values, "precision": precision, "weight": weight}, {"table": "implicit_weights"}
    )


def swap_out(lengths: ArrayLike) -> np.ndarray:
    """Return search lengths whose arithmetic mean is equivalent to the average precision of the given ones.

    v = mu + 1 - mu / SL, with mu = `average_length`: small lengths move a little, large ones all shrink to mu + 1.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, appendix A.1.

    Examples
    --------
    >>> swap_out([1, 1, 1, 2, 4, 5, 10, 10000, 10000]).round(2).tolist()
    [1.0, 1.0, 1.0, 2.11, 2.67, 2.78, 3.0, 3.22, 3.22]
    """
    mean = average_length(lengths)
    return np.asarray(mean + 1.0 - mean / np.asarray(lengths, dtype=np.float64))


def effective_fraction(lengths: ArrayLike) -> np.ndarray:
    """Return the fraction of items, best first, whose arithmetic mean search length is nearest to that of the average.

    What an average of precisions effectively reads. Along axis 0; NaN where nothing was found.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, appendix A.1.

    Examples
    --------
    >>> float(effective_fraction([1, 1, 1, 2, 4, 5, 10, 10000, 10000]).round(3))
    0.667
    """
    values = np.sort(_checked_lengths(lengths), axis=0)
    count = levels_of(values)
    # row i: the mean search length of the first i + 1 items
    mean = np.add.accumulate(values, axis=0) / count
    target = average_length(values)
    with np.errstate(invalid="ignore"):
        gap = np.abs(mean - target)
        smallest = np.nanmin(np.where(np.isnan(gap), np.inf, gap), axis=0)
        near = (gap - smallest <= NOISE * np.maximum(mean, target)) & np.isfinite(gap)
    # of equally near ones the most items: if all lengths are equal, all are read
    return np.where(np.isfinite(target), (near * count).max(axis=0) / len(values), np.nan)


@verb(
    on="judged",
    returns="effective_fractions",
    family="search_lengths",
    name="effective_fractions",
    needs="relevant",
)
def effective_fractions(
    judged: Judged, *, precision: Literal["item", "atomized"] = "item"
) -> pd.DataFrame:
    """Return the fraction of relevant items that average precision effectively uses, for every run and query.

    For this fraction of the items, best first, the arithmetic mean search length is nearest to the one equivalent to
    the average precision.

    Parameters
    ----------
    precision : {'item', 'atomized'}
        Precision that is averaged: the precision at each item, as in AP, which is 0 for an item not retrieved; or
        1 / ASL of the item.

    References
    ----------
    Alex, Hall and Metzler 2022, appendix A.1: 57% of the items, over 76 TREC tracks.

    Examples
    --------
    >>> import pdeval
    >>> table = pdeval.datasets.sample_judged(queries="common").search_lengths.effective_fractions()
    >>> table.head(3).round(3)
        run query_id  items  fraction
    0  bm25      101     13     0.615
    1  bm25      102     44     0.614
    2  bm25      103     50     0.560
    >>> round(float(table["fraction"].mean()), 3)
    0.736
    """
    counts = judged.counted()
    judged.warn_of_missing_queries(counts)
    relevant = np.zeros(len(counts), dtype=np.int64)
    share = np.full(counts.shape, np.nan)
    for block, rank, _ in rank_blocks(judged, counts):
        lengths = rank / levels_of(rank)
        if precision == "atomized":
            # a list of relevant items only has 0 for those it lacks; at best a search takes one step
            lengths = np.maximum(atomized(rank, block["retrieved"], block["corpus"]), 1.0)
        relevant[block.topics] = block.size
        share[block.topics] = effective_fraction(lengths)
    run, topic = np.nonzero(counts.T)  # by run, then query
    columns = run_columns(judged.runs, run)
    columns[str(judged.queries.name)] = labels(judged.queries, topic)
    return described_frame(
        {**columns, "items": relevant[topic], "fraction": share[topic, run]}, judged.attrs
    )


@verb(
    on=("scores", "judged"),
    per_measure=True,
    returns="rrie",
    family="search_lengths",
    name="rrie",
)
def rrie(
    data: ScoresLike,
    run_a: object,
    run_b: object,
    measures: object = ("P@20", "ASL@g1-10", "AP", "ASL"),
) -> pd.DataFrame:
    """Return the relative reduction in error from one run to another, by each measure.

    The error is the distance to the best value, 1 both for precision-like measures and for search lengths:
    ((1 - a) - (1 - b)) / (1 - a), and ((a - 1) - (b - 1)) / (a - 1). On runs, queries="common" means what both runs
    answered.

    Parameters
    ----------
    run_a : run
        The old run.
    run_b : run
        The new run.
    measures : str, Measure, or list of them, optional
        ... Their best value has to be 1.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Table 1, equations 11 and 12.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").search_lengths.rrie("bm25", "bm25+rm3").round(3)
      run_a     run_b    measure  mean_a  mean_b   rrie
    0  bm25  bm25+rm3       P@20   0.381   0.373 -0.013
    1  bm25  bm25+rm3  ASL@g1-10  16.916  16.487  0.027
    2  bm25  bm25+rm3         AP   0.328   0.337  0.014
    3  bm25  bm25+rm3        ASL  37.664  35.865  0.049
    """
    cube = (
        scores(selected_runs(data, [run_a, run_b]), measures)
        if isinstance(data, Judged)
        else sources(data, measures)[0]
    )
    if not isinstance(cube, Scores):
        raise ValueError("error reduction requires measures of one ranking, not preferences.")
    for name, higher in zip(cube.measures, cube.higher):
        if higher and largest_value(name, cube.attrs, unknown=1.0) != 1:
            raise ValueError(
                f"{name} has no best value of 1, so its error is undefined. Use e.g. nDCG instead of DCG."
            )
    a, b = (place_of(cube.runs, run) for run in (run_a, run_b))
    means = np.nanmean(cube.values, axis=1)  # measures x runs
    count = len(cube.measures)
    return described_frame(
        {
            **pair_columns(cube.runs, np.full(count, a), np.full(count, b), labels),
            "measure": labels(pd.Index(cube.measures), np.arange(count)),
            "mean_a": means[:, a],
            "mean_b": means[:, b],
            "rrie": relative_reduction_in_error(means[:, a], means[:, b]),
        },
        cube.attrs,
    )


def largest_value(label: str, attrs: Mapping[Any, Any] | None = None, *, unknown: float) -> float:
    """Return the largest possible value of a measure; `unknown` if the measure is not in the catalog."""
    known = known_of(label, attrs)
    if known is not None and "range" in known:  # of a group
        return known["range"][1]
    try:
        return float(parse(label).entry.range[1])
    except (KeyError, ValueError):
        return unknown


@verb(
    on="judged",
    returns="ablation",
    family="search_lengths",
    name="ablation",
    needs="relevant",
)
def ablation(
    judged: Judged, *, margin: float = 0.1, alpha: float = 0.05, unretrieved: Unretrieved = "run"
) -> pd.DataFrame:
    """Return how systems move along the steps from mean average precision to atomized search length.

    MAP; the mean of 1 / ASL over items; the harmonic mean within the query, 1 / ASL of the query; the harmonic mean
    over queries, 1 / ASL; and from the first to the last at once. A list of relevant items only has a search length
    of 0 for those it lacks; it counts as 1 here, which has a reciprocal.

    Parameters
    ----------
    margin : float
        A system is better than another if its mean is better by at least this fraction of the other's mean, and the
        difference is significant.
    alpha : float
        Significance level: the two-sided paired t-test gives a p-value of at most this.
    unretrieved : {'run', 'corpus'}
        Search length of an item that was not retrieved: the number of irrelevant items that the run returned, or
        the number of irrelevant items of the corpus of the query, which is always used for an empty list.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, section 4.4 and Table 2.

    Examples
    --------
    >>> import pdeval
    >>> table = pdeval.datasets.sample_judged(queries="common").search_lengths.ablation()
    >>> table[["step", "delta_sort", "tau_b", "delta_value"]].round(3)
                           step  delta_sort  tau_b  delta_value
    0         atomize precision      16.667  0.970        0.500
    1    aggregate within query      16.667  0.939        0.212
    2  aggregate across queries      16.667  1.000        0.790
    3                cumulative       8.333  0.970        0.083
    """
    precision = scores(judged, "AP")

    def of_topics(judged: Judged) -> np.ndarray:
        """Return the means of ASL and of 1 / ASL of each list, of shape (topics, runs, 2)."""
        rows, n_topics = atoms(judged, unretrieved=unretrieved), len(judged.queries)
        length = np.maximum(rows.length, 1.0)
        lists = (
            rows.run * n_topics + rows.topic
        )  # ascending, on which the order of additions depends
        of_lists = pd.DataFrame({"asl": length, "precision": 1 / length}).groupby(lists).mean()
        values = np.full((len(judged.runs) * n_topics, 2), np.nan)
        values[of_lists.index] = of_lists
        return values.reshape(-1, n_topics, 2).swapaxes(0, 1)

    means = judged.per_topic("means of lengths", of_topics)[judged.counted().any(axis=1)]
    # sums of a run add the values of its queries in their order in memory
    asl, inverse = (np.asfortranarray(means[:, :, number]) for number in (0, 1))
    return described_frame(
        moved_along(precision, asl, inverse, margin=margin, alpha=alpha), precision.attrs
    )
