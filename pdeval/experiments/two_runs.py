"""Search length in two runs: which relevant items one of them finds sooner, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import place_of
from pdeval.evaluate.scores import Topics, attributes
from pdeval.experiments.search_length_items import atoms, chosen, item_columns, rising
from pdeval.judged.positions import Positions
from pdeval.kernels.search_length import Unretrieved
from pdeval.kinds.labels import labels

SHIFTS = (1, 3, 10, 30, 100, 300, 1000)


def length_differences(
    positions: Positions,
    run_a: object,
    run_b: object,
    *,
    unretrieved: Unretrieved = "run",
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return, for every relevant item, its search length in two runs and the difference, negative where a is sooner.

    Parameters
    ----------
    run_a, run_b
        The two runs.
    unretrieved, level, topics
        As in `search_lengths`.

    Returns
    -------
    DataFrame
        query, doc, run_a, run_b, value_a, value_b, difference; over the queries that count for both.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> length_differences(joined.positions, "bm25", "ql").columns.tolist()
    ['query_id', 'doc_id', 'run_a', 'run_b', 'value_a', 'value_b', 'difference']
    """
    a, b = (place_of(positions.runs, run) for run in (run_a, run_b))
    if a == b:
        raise ValueError(f"a run cannot be compared with itself: {run_a!r}.")
    both = chosen(positions, [run_a, run_b])
    rows = atoms(both, unretrieved=unretrieved, level=level, topics=topics)
    mine, theirs = (rows.run == int(a > b)), (rows.run == int(b > a))
    item, at_a, at_b = np.intersect1d(rows.item[mine], rows.item[theirs], assume_unique=True, return_indices=True)
    columns = item_columns(positions, positions.judged.topic[item], item) | _run_columns(positions, a, b, len(item))
    value_a, value_b = rows.length[mine][at_a], rows.length[theirs][at_b]
    frame = pd.DataFrame({**columns, "value_a": value_a, "value_b": value_b, "difference": value_a - value_b})
    frame.attrs.update(attributes(positions, topics, level))
    return frame


def length_wins(
    positions: Positions,
    run_a: object,
    run_b: object,
    *,
    edges: Sequence[float] = SHIFTS,
    unretrieved: Unretrieved = "run",
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return how many relevant items one run finds sooner than another, by how much, and how many later.

    Parameters
    ----------
    run_a, run_b
        The two runs; negative buckets are wins of a.
    edges : sequence of numbers
        The lower edges of the buckets of wins and of losses, rising from 1.
    unretrieved, level, topics
        As in `search_lengths`.

    Returns
    -------
    DataFrame
        run_a, run_b, bucket, low, high, count, share; from the largest wins of a to its largest losses. `low` and
        `high` are the smallest and the largest whole difference of the bucket.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figure 6.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> length_wins(joined.positions, "bm25", "ql", edges=[1, 10])["bucket"].tolist()
    ['≤ −10', '−9 to −1', '0', '1 to 9', '≥ 10']
    """
    edge = rising(edges)
    table = length_differences(positions, run_a, run_b, unretrieved=unretrieved, level=level, topics=topics)
    difference = table["difference"].to_numpy()
    size = np.searchsorted(edge, np.abs(difference), side="right")
    place = np.where(difference < 0, len(edge) - size, len(edge) + size)
    lows, highs = edge.tolist(), [*(after - 1 for after in edge[1:].tolist()), np.inf]
    counts = np.bincount(place, minlength=2 * len(edge) + 1)
    wins = [_turned(low, high) for low, high in zip(lows[::-1], highs[::-1])]
    frame = pd.DataFrame(
        {
            **_run_columns(positions, place_of(positions.runs, run_a), place_of(positions.runs, run_b), len(counts)),
            "bucket": [*wins, "0", *(_shift(low, high) for low, high in zip(lows, highs))],
            "low": [*(-high for high in highs[::-1]), 0.0, *lows],
            "high": [*(-low for low in lows[::-1]), 0.0, *highs],
            "count": counts,
            "share": counts / max(counts.sum(), 1),
        }
    )
    frame.attrs.update(table.attrs)
    return frame


def _run_columns(positions: Positions, a: int, b: int, rows: int) -> dict:
    """Return the columns that name the two runs."""
    return {
        f"{name}_{side}": labels(positions.runs[name], np.full(rows, run))
        for side, run in (("a", a), ("b", b))
        for name in positions.runs.columns
    }


def _shift(low: float, high: float) -> str:
    """Return the text of a bucket of losses: '1 to 2', '5', '≥ 1000'."""
    if np.isinf(high):
        return f"≥ {low:g}"
    return f"{low:g}" if high == low else f"{low:g} to {high:g}"


def _turned(low: float, high: float) -> str:
    """Return the text of the same bucket of wins: '−2 to −1', '−5', '≤ −1000'."""
    if np.isinf(high):
        return f"≤ −{low:g}"
    return f"−{low:g}" if high == low else f"−{high:g} to −{low:g}"
