"""Search length in two runs: which relevant items one of them finds sooner, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.run_selection import place_of
from pdeval.join.judged import Judged
from pdeval.kernels.search_length import Unretrieved
from pdeval.studies.search_length_items import atoms, chosen, item_columns, rising, tell_depths
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb

SHIFTS = (1, 3, 10, 30, 100, 300, 1000)
LACKING = ("only run_a", "only run_b", "neither")

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


@verb(
    on="judged",
    gives="length_differences",
    family="lengths",
    name="differences",
    needs="relevant",
    formerly="search_length_differences",
)
def differences(judged: Judged, run_a: object, run_b: object, *, unretrieved: Unretrieved = "run") -> pd.DataFrame:
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
    frame, both = _items(judged, run_a, run_b, unretrieved)
    if unretrieved == "run":
        tell_depths(both)
    return frame


def _items(judged: Judged, run_a: object, run_b: object, unretrieved: Unretrieved) -> tuple[pd.DataFrame, Judged]:
    """Return the items with their search lengths in two runs, and the join of these two."""
    a, b = (place_of(judged.runs, run) for run in (run_a, run_b))
    if a == b:
        raise ValueError(f"a run cannot be compared with itself: {run_a!r}.")
    both = chosen(judged, [run_a, run_b])
    rows = atoms(both, unretrieved=unretrieved)
    both.tell()
    mine, theirs = (rows.run == int(a > b)), (rows.run == int(b > a))
    item, at_a, at_b = np.intersect1d(rows.item[mine], rows.item[theirs], assume_unique=True, return_indices=True)
    columns = _run_columns(judged, a, b, len(item))
    columns |= item_columns(judged.positions, judged.positions.judged.topic[item], item)
    value_a, value_b = rows.length[mine][at_a], rows.length[theirs][at_b]
    columns |= {"value_a": value_a, "value_b": value_b, "difference": value_a - value_b}
    found = {"retrieved_a": rows.retrieved[mine][at_a], "retrieved_b": rows.retrieved[theirs][at_b]}
    frame = pd.DataFrame({**columns, **found})
    frame.attrs.update(judged.attrs)
    return frame, both


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
    frame, both = _items(judged, run_a, run_b, "run")
    tell_depths(both)
    difference = frame["difference"].to_numpy()
    found_a, found_b = (frame[f"retrieved_{side}"].to_numpy() for side in "ab")
    size = np.searchsorted(edge, np.abs(difference), side="right")
    place = np.where(difference < 0, len(edge) - size, len(edge) + size)
    lows, highs = edge.tolist(), [*(after - 1 for after in edge[1:].tolist()), np.inf]
    lacking = np.select([found_a & ~found_b, found_b & ~found_a, ~found_a & ~found_b], [1, 2, 3], 0)
    place = np.where(lacking, 2 * len(edge) + lacking, place)
    counts = np.bincount(place, minlength=2 * len(edge) + 1 + len(LACKING))
    unknown = [np.nan] * len(LACKING)
    won = [_turned(low, high) for low, high in zip(lows[::-1], highs[::-1])]
    frame = pd.DataFrame(
        {
            **_run_columns(judged, place_of(judged.runs, run_a), place_of(judged.runs, run_b), len(counts)),
            "class": ["sooner"] * len(edge) + ["same"] + ["later"] * len(edge) + list(LACKING),
            "bucket": [*won, "0", *(_shift(low, high) for low, high in zip(lows, highs)), *LACKING],
            "low": [*(-high for high in highs[::-1]), 0.0, *lows, *unknown],
            "high": [*(-low for low in lows[::-1]), 0.0, *highs, *unknown],
            "count": counts,
            "share": counts / max(counts.sum(), 1),
        }
    )
    frame.attrs.update(judged.attrs)
    return frame


def _run_columns(judged: Judged, a: int, b: int, rows: int) -> dict[str, Any]:
    """Return the columns that name the two runs."""
    return {
        f"{name}_{side}": labels(judged.runs[name], np.full(rows, run))
        for side, run in (("a", a), ("b", b))
        for name in judged.runs.columns
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
