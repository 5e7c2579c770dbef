"""Over many collections: what their best systems reach, and the mean and spread of any statistic."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pdeval.catalog import Known, parse
from pdeval.evaluate import Scores, described_frame, only, option_columns, scores_cube
from pdeval.evaluate.scores import scores
from pdeval.join import Judged
from pdeval.studies.search_length import EDGES, largest_value, rising
from pdeval.tables import NOISE, Table, not_a_table, reader, run_labels, settled, table
from pdeval.verbs import checks_arguments, verb

MEASURES = ("P@20", "ASL@g1-10", "AP", "ASL")
TENTHS = tuple(np.round(np.arange(10) / 10, 1).tolist())

Collection: TypeAlias = Judged | Scores | pd.DataFrame
Edges: TypeAlias = Mapping[str, Sequence[float]]

table(
    "best_systems",
    "collection measure run value:float",
    "table of the best systems",
    recognized_by="collection measure value",
    row="collection and measure",
    then=".report()",
    means={
        "collection": "the collection, as it was named",
        "value": "mean over queries of the best run",
    },
    no_plot="draw how the best are spread: pdeval.studies.headroom_of(...).ireval.plot()",
)
table(
    "headroom",
    "measure bucket:text low:float high:float count:int fraction:fraction",
    "table of headroom",
    recognized_by="measure bucket low high count fraction",
    row="measure and bucket",
    sort="measure low",
    then=".report(), .plot()",
    means={
        "bucket": "the means of the bucket, e.g. '[0.3, 0.4)'",
        "low": "lower edge of the bucket; the first bucket includes smaller values",
        "high": "the upper edge of the bucket",
        "count": "number of collections whose best run is in the bucket",
        "fraction": "fraction of collections whose best run is in the bucket",
    },
)
table(
    "over_collections",
    "[step measure measure_old measure_new] statistic collections:int mean:float sd:float low:float high:float",
    "table of means over collections",
    recognized_by="statistic collections mean sd low high",
    row="statistic, of each measure or pair of measures",
    then=".report()",
    means={
        "step": "change of this step",
        "measure_old": "the measure before it",
        "measure_new": "the measure after it",
        "statistic": "the column that was averaged",
        "collections": "number of collections that have it",
        "mean": "mean over collections",
        "sd": "standard deviation over collections, missing where there is one",
        "low": "mean - sd",
        "high": "mean + sd",
    },
    no_plot="it is a few numbers per statistic; print the table itself",
)


@checks_arguments
def best_systems(
    collections: Mapping[str, Collection], measures: object = MEASURES
) -> pd.DataFrame:
    """Return the best run of each collection by each measure, and its mean.

    Parameters
    ----------
    collections : mapping
        Names of collections to a join of runs and judgments, with its level and query rule, or to scores:
        a cube or a table.
    measures : str, Measure, or list of them
        Measures to compute for joins; a table of scores has its measures.

    Returns
    -------
    DataFrame
        collection, measure, run, value; in the order given.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> best_systems({"all": judged, "strict": judged.at(level=2)}, ["AP", "ASL"]).round(3)
      collection measure        run   value
    0        all      AP  rerank-s1   0.560
    1        all     ASL  rerank-s1  20.262
    2     strict      AP  rerank-s1   0.533
    3     strict     ASL  rerank-s1  15.901
    """
    return _best(collections, measures)[0]


@checks_arguments
def headroom_of(
    collections: Mapping[str, Collection],
    measures: object = MEASURES,
    *,
    edges: Edges | None = None,
) -> pd.DataFrame:
    """Return the number of collections by the mean of their best run, in buckets.

    Parameters
    ----------
    collections : mapping
        Names of collections to a join of runs and judgments, with its level and query rule, or to scores:
        a cube or a table.
    measures : str, Measure, or list of them
        Measures to compute for joins; a table of scores has its measures.
    edges : mapping, optional
        Lower edges of the buckets, by measure. By default tenths for a measure of which higher values are better, and
        1, 2, 5, 10, 20, ... 1000 for a search length.

    Returns
    -------
    DataFrame
        measure, bucket, low, high, count, fraction: number and fraction of collections. A value below the
        first edge is in the first bucket.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figures 1 to 4.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> headroom_of({"all": judged, "strict": judged.at(level=2)}, "P@20", edges={"P@20": [0, 0.25, 0.5, 0.75]})
      measure       bucket   low  high  count  fraction
    0    P@20    [0, 0.25)  0.00  0.25      0       0.0
    1    P@20  [0.25, 0.5)  0.25  0.50      1       0.5
    2    P@20  [0.5, 0.75)  0.50  0.75      1       0.5
    3    P@20    [0.75, 1]  0.75  1.00      0       0.0
    """
    return _count_buckets(*_best(collections, measures), edges)


@verb(on="scores", returns="headroom", family="search_lengths", name="headroom")
def headroom(
    table: Table, measures: object = None, *, by: str | Sequence[str], edges: Edges | None = None
) -> pd.DataFrame:
    """Return the number of collections by the mean of their best run, in buckets.

    Several joins, each a collection, go into `pdeval.studies.headroom_of`.

    Parameters
    ----------
    by : str or list of str
        The column(s) that name the collection of a row.
    edges : mapping, optional
        Lower edges of the buckets, by measure. By default tenths for a measure of which higher values are better, and
        1, 2, 5, 10, 20, ... 1000 for a search length.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Figures 1 to 4.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("P@20")
    >>> tens = scores.assign(ten=[query[:2] for query in scores["query_id"]])
    >>> tens.ireval.search_lengths.headroom(by="ten").query("count > 0")
      measure      bucket  low  high  count  fraction
    4    P@20  [0.4, 0.5)  0.4   0.5      2  0.333333
    5    P@20  [0.5, 0.6)  0.5   0.6      3  0.500000
    6    P@20  [0.6, 0.7)  0.6   0.7      1  0.166667
    """
    names = option_columns(by)
    if missing := [name for name in names if name not in table.frame.columns]:
        raise _no_column(missing[0], table.frame)
    selected = table if measures is None else only(table, measures)
    parts = {}
    for name, part in selected.frame.groupby(names, observed=True, sort=False):
        rows = Table(selected.kind, part, selected.roles, selected.run_columns, selected.higher)
        parts[" / ".join(map(str, name))] = scores_cube(rows)
    return described_frame(_count_buckets(*_best(parts, None), edges), table.frame.attrs)


def _no_column(name: str, frame: pd.DataFrame) -> KeyError:
    """Return the error of a column that a table does not have."""
    return KeyError(
        f"no column {name!r} in this table; it has {', '.join(map(str, frame.columns))}."
    )


def _best(
    collections: Mapping[str, Collection], measures: object
) -> tuple[pd.DataFrame, dict[str, bool]]:
    """Return the best run of each collection by each measure, and whether higher values of a measure are better."""
    rows: list[tuple[str, str, str, float]] = []
    higher: dict[str, bool] = {}
    known: dict[str, Known] = {}
    for name, source in collections.items():
        cube = _scores(source, measures)
        known |= cube.attrs.get("measures", {})
        texts = run_labels(cube.runs)
        for m, label in enumerate(cube.measures):
            higher[label] = bool(cube.higher[m])
            # over queries
            means = np.nanmean(cube.values[m], axis=0)
            best = int(
                np.nanargmax(settled(means if higher[label] else -means))
            )  # of equals the first
            rows.append((name, label, texts[best], float(means[best])))
    frame = pd.DataFrame(rows, columns=["collection", "measure", "run", "value"])
    return described_frame(frame, {"measures": known, "table": "best_systems"}), higher


def _scores(source: Collection, measures: object) -> Scores:
    """Return the scores of one collection."""
    if isinstance(source, Scores):
        return source
    if isinstance(source, Judged):
        return scores(source, measures)
    if isinstance(source, pd.DataFrame):
        return scores_cube(reader.read(source, "scores"))
    raise TypeError(
        f"a collection must be a join of runs and judgments, or scores; found {type(source).__name__}."
    )


def _count_buckets(
    best: pd.DataFrame, higher: dict[str, bool], edges: Edges | None
) -> pd.DataFrame:
    """Return the number of collections in each bucket, for each measure."""
    # labels as the table has them: 'AP', also for other spellings of it
    edges_of = {
        name if name in higher else parse(name).label: values
        for name, values in (edges or {}).items()
    }
    if unknown := [name for name in edges_of if name not in higher]:
        raise ValueError(
            f"edges= contains {unknown[0]!r}, which is not one of the measures {', '.join(higher)}."
        )
    parts = []
    for name, more in higher.items():
        edge = rising(f"edges[{name!r}]", edges_of.get(name, TENTHS if more else EDGES))
        values = best["value"].to_numpy()[(best["measure"] == name).to_numpy()]
        # a mean of 0.3 may come out as 0.29999999999999993
        noise = NOISE * np.abs(np.where(np.isfinite(values), values, 0.0))
        place = np.clip(np.searchsorted(edge, values + noise, side="right") - 1, 0, None)
        count = np.bincount(place, minlength=len(edge))
        top = largest_value(name, unknown=np.inf)
        high = np.array([*edge[1:], top if top > edge[-1] else np.inf])
        ends = [*[")"] * (len(edge) - 1), "]" if np.isfinite(high[-1]) else ")"]
        parts.append(
            pd.DataFrame(
                {
                    "measure": name,
                    "bucket": [f"[{low:g}, {to:g}{end}" for low, to, end in zip(edge, high, ends)],
                    "low": edge,
                    "high": high,
                    "count": count,
                    "fraction": count / len(values),
                }
            )
        )
    return described_frame(pd.concat(parts, ignore_index=True), best.attrs | {"table": "headroom"})


@checks_arguments
def spread_over_collections(
    frame: pd.DataFrame, *, by: str = "collection", keys: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return mean and standard deviation over collections of every number of a table that has a row for each.

    Rows of the same collection and keys are averaged first, so every collection has the same weight.

    Parameters
    ----------
    frame : DataFrame
        Any result with a column that names the collection, as `by=` gives it, or `pd.concat` of several.
    by : str
        The column that names the collection.
    keys : list of str, optional
        Columns that identify the rows of a collection; by default all non-numeric columns. The statistics are the
        columns of floats among the others.

    Returns
    -------
    DataFrame
        The keys, statistic, collections, mean, sd, low, high.

    References
    ----------
    Alex, Hall and Metzler 2022, Atomized search length: beyond user models, Table 2 ("(mean - stddev) - (mean +
    stddev)") and section 3.3 (57% +- 16).

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> sites = {"all": judged, "strict": judged.at(level=2)}
    >>> both = pd.concat([one.delta_sort("ASL").assign(collection=name) for name, one in sites.items()])
    >>> spread_over_collections(both).drop(columns=["low", "high"]).round(3)
      measure_old measure_new    statistic  collections   mean     sd
    0          AP         ASL   delta_sort            2  8.333  0.000
    1          AP         ASL        tau_b            2  0.955  0.021
    2          AP         ASL  delta_value            2  0.094  0.016
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(not_a_table(frame, "a result with a row for each collection"))
    if by not in frame.columns:
        raise _no_column(by, frame)
    numeric = [name for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name].dtype)]
    keys = (
        [str(name) for name in frame.columns if name != by and name not in numeric]
        if keys is None
        else list(keys)
    )
    if missing := [name for name in keys if name not in frame.columns]:
        raise _no_column(missing[0], frame)
    floats = [name for name in frame.columns if pd.api.types.is_float_dtype(frame[name].dtype)]
    statistics = [name for name in floats if name not in (by, *keys)]
    if not statistics or frame.empty:
        raise ValueError(
            "there is nothing to average: the table has no rows, or no float column besides its keys."
        )
    options: dict[str, Any] = {"observed": True, "sort": False, "dropna": False}
    # first within each collection, so that all count alike
    within = frame.groupby([*keys, by], **options)[statistics].mean().reset_index()
    code = (
        within.groupby(keys, **options).ngroup().to_numpy()
        if keys
        else np.zeros(len(within), dtype=np.int64)
    )
    every = within[keys].iloc[np.unique(code, return_index=True)[1]].reset_index(drop=True)
    parts = []
    for name in statistics:
        spread = within[name].groupby(code).agg(collections="count", mean="mean", sd="std")
        parts.append(
            pd.concat([every.assign(statistic=name), spread.reset_index(drop=True)], axis=1)
        )
    # the statistics of a key stand together, keys in the order of the frame
    table = pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)
    table["low"] = table["mean"] - table["sd"]
    table["high"] = table["mean"] + table["sd"]
    return described_frame(table, {"table": "over_collections"})
