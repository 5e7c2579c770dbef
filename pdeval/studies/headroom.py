"""How much is left to win: what the best systems of many collections reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from pdeval.catalog import parse
from pdeval.catalog.directions import Known
from pdeval.evaluate.cube import Scores, scores_cube
from pdeval.evaluate.groups import named
from pdeval.evaluate.scores import scores
from pdeval.evaluate.sources import only
from pdeval.join.judged import Judged
from pdeval.studies.search_length_items import EDGES
from pdeval.tables import reader
from pdeval.tables.equal_values import NOISE, settled
from pdeval.tables.labels import run_labels
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import shown

MEASURES = ("P@20", "ASL@g1-10", "AP", "ASL")
TENTHS = tuple(np.round(np.arange(10) / 10, 1).tolist())

Collection: TypeAlias = Judged | Scores | pd.DataFrame
Edges: TypeAlias = Mapping[str, Sequence[float]]

table(
    "best_systems",
    "collection measure run value:float",
    "table of the best systems",
    known_by="collection measure value",
    row="collection and measure",
    then=".report()",
    means={"collection": "the collection, as it was named", "value": "mean over queries of the best run"},
    undrawn="draw how the best are spread: pdeval.studies.headroom_of(...).ireval.plot()",
)
table(
    "headroom",
    "measure bucket:text low:float high:float count:int share:share",
    "table of headroom",
    known_by="measure bucket low high count share",
    row="measure and bucket",
    sort="measure low",
    then=".report(), .plot()",
    means={
        "bucket": "the means of the bucket, e.g. '[0.3, 0.4)'",
        "low": "the lower edge of the bucket; the first one holds what is below it too",
        "high": "the upper edge of the bucket",
        "count": "number of collections whose best run is in the bucket",
        "share": "share of collections whose best run is in the bucket",
    },
)


def best_systems(collections: Mapping[str, Collection], measures: object = MEASURES) -> pd.DataFrame:
    """Return the best run of each collection by each measure, and its mean.

    Parameters
    ----------
    collections : mapping
        Names of collections to a join of runs and judgments, which keeps its own level and topic rule, or to scores:
        a cube or a table.
    measures : str, Measure, or list of them
        What to compute where joins are given; scores have their own.

    Returns
    -------
    DataFrame
        collection, measure, run, value; in the order given.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> best_systems({"all": judged, "strict": judged.at(level=2)}, ["AP", "ASL"]).round(3)
      collection measure        run   value
    0        all      AP  rerank-s1   0.560
    1        all     ASL  rerank-s1  20.262
    2     strict      AP  rerank-s1   0.533
    3     strict     ASL  rerank-s1  15.901
    """
    return _best(collections, measures)[0]


def headroom_of(
    collections: Mapping[str, Collection], measures: object = MEASURES, *, edges: Edges | None = None
) -> pd.DataFrame:
    """Return for how many collections the best run's mean is in each bucket.

    Parameters
    ----------
    collections : mapping
        Names of collections to a join of runs and judgments, which keeps its own level and topic rule, or to scores:
        a cube or a table.
    measures : str, Measure, or list of them
        What to compute where joins are given; scores have their own.
    edges : mapping, optional
        The lower edges of a measure's buckets, by its name. By default tenths for a measure where more is better, and
        1, 2, 5, 10, 20, ... 1000 for a search length.

    Returns
    -------
    DataFrame
        measure, bucket, low, high, count, share: of collections. A value below the first edge is in the first bucket.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figures 1 to 4.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> headroom_of({"all": judged, "strict": judged.at(level=2)}, "P@20", edges={"P@20": [0, 0.25, 0.5, 0.75]})
      measure       bucket   low  high  count  share
    0    P@20    [0, 0.25)  0.00  0.25      0    0.0
    1    P@20  [0.25, 0.5)  0.25  0.50      1    0.5
    2    P@20  [0.5, 0.75)  0.50  0.75      1    0.5
    3    P@20    [0.75, 1]  0.75  1.00      0    0.0
    """
    if edges is not None and not isinstance(edges, Mapping):
        raise ValueError(f"edges={shown(edges)}: give the lower edges of measures, e.g. {{'AP': [0, 0.25, 0.5]}}.")
    best, higher = _best(collections, measures)
    return _buckets(best, higher, edges)


@verb(on="scores", gives="headroom", family="lengths", name="headroom", formerly="headroom")
def headroom(
    table: Table, measures: object = None, *, by: str | Sequence[str], edges: Edges | None = None
) -> pd.DataFrame:
    """Return for how many collections the best run's mean is in each bucket.

    Several joins, each a collection, go into `pdeval.studies.headroom_of`.

    Parameters
    ----------
    by : str or list of str
        The column(s) that name the collection of a row.
    edges : mapping, optional
        The lower edges of a measure's buckets, by its name. By default tenths for a measure where more is better, and
        1, 2, 5, 10, 20, ... 1000 for a search length.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figures 1 to 4.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("P@20")
    >>> tens = scores.assign(ten=[query[:2] for query in scores["query_id"]])
    >>> tens.ireval.lengths.headroom(by="ten").query("count > 0")
      measure      bucket  low  high  count     share
    4    P@20  [0.4, 0.5)  0.4   0.5      2  0.333333
    5    P@20  [0.5, 0.6)  0.5   0.6      3  0.500000
    6    P@20  [0.6, 0.7)  0.6   0.7      1  0.166667
    """
    names = named(by)
    missing = [name for name in names if name not in table.frame.columns]
    if missing:
        raise KeyError(f"no column {missing[0]!r} in this table; it has {', '.join(map(str, table.frame.columns))}.")
    whole = table if measures is None else only(table, measures)
    parts = {}
    for name, part in whole.frame.groupby(names, observed=True, sort=False):
        held = Table(whole.kind, part, whole.roles, whole.run_columns, whole.higher)
        parts[" / ".join(map(str, name))] = scores_cube(held)
    best, higher = _best(parts, None)
    frame = _buckets(best, higher, edges)
    frame.attrs.update(table.frame.attrs)
    return frame


def _buckets(best: pd.DataFrame, higher: dict[str, bool], edges: Edges | None) -> pd.DataFrame:
    given = {_label(name, higher): values for name, values in (edges or {}).items()}
    unknown = [name for name in given if name not in higher]
    if unknown:
        raise ValueError(f"edges= names {unknown[0]!r}, which is not among the measures {', '.join(higher)}.")
    parts = []
    for name, more in higher.items():
        try:
            edge = np.asarray(given.get(name, TENTHS if more else EDGES), dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"the edges of {name} must be numbers, found {shown(given[name])}.") from None
        if edge.ndim != 1 or not len(edge) or (np.diff(edge) <= 0).any():
            raise ValueError(f"the edges of {name} must rise, found {edge.tolist()}.")
        values = best["value"].to_numpy()[(best["measure"] == name).to_numpy()]
        # a mean of 0.3 may come out as 0.29999999999999993
        noise = NOISE * np.abs(np.where(np.isfinite(values), values, 0.0))
        place = np.clip(np.searchsorted(edge, values + noise, side="right") - 1, 0, None)
        count = np.bincount(place, minlength=len(edge))
        top = _largest(name)
        high = np.array([*edge[1:], top if top > edge[-1] else np.inf])
        close = "]" if np.isfinite(high[-1]) else ")"
        ends = [*[")"] * (len(edge) - 1), close]
        parts.append(
            pd.DataFrame(
                {
                    "measure": name,
                    "bucket": [f"[{low:g}, {to:g}{end}" for low, to, end in zip(edge, high, ends)],
                    "low": edge,
                    "high": high,
                    "count": count,
                    "share": count / len(values),
                }
            )
        )
    frame = pd.concat(parts, ignore_index=True)
    frame.attrs = {**best.attrs, "table": "headroom"}
    return frame


def _label(name: str, higher: dict[str, bool]) -> str:
    """Return the label that a name of a measure has in the table."""
    return name if name in higher else parse(name).label


def _largest(label: str) -> float:
    """Return the largest value that a measure can have, infinity where its label does not tell."""
    try:
        return float(parse(label).entry.range[1])
    except (KeyError, ValueError):
        return np.inf


def _best(collections: Mapping[str, Collection], measures: object) -> tuple[pd.DataFrame, dict[str, bool]]:
    if not isinstance(collections, Mapping) or not collections:  # type: ignore[redundant-expr]
        raise TypeError("headroom is over collections: give a mapping of their names to joins or scores, not empty.")
    rows: list[tuple[str, str, str, float]] = []
    higher: dict[str, bool] = {}
    known: dict[str, Known] = {}
    for name, source in collections.items():
        cube = _scores(source, measures)
        known |= cube.attrs.get("measures", {})
        texts = run_labels(cube.runs)
        for m, label in enumerate(cube.measures):
            higher[label] = bool(cube.higher[m])
            means = np.nanmean(cube.values[m], axis=0)
            best = int(np.nanargmax(settled(means if higher[label] else -means)))  # of equals the first
            rows.append((name, label, texts[best], float(means[best])))
    frame = pd.DataFrame(rows, columns=["collection", "measure", "run", "value"])
    frame.attrs.update(measures=known, table="best_systems")
    return frame, higher


def _scores(source: Collection, measures: object) -> Scores:
    if isinstance(source, Scores):
        return source
    if isinstance(source, Judged):
        return scores(source, measures)
    if isinstance(source, pd.DataFrame):
        return scores_cube(reader.read(source, "scores"))
    raise TypeError(f"a collection is a join of runs and judgments, or scores; found {type(source).__name__}.")
