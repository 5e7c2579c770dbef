"""Statistics of many collections in one line: mean and standard deviation over them, as papers print them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pdeval.tables.dataframes import not_a_table
from pdeval.tables.schemas import table
from pdeval.verbs.checks import checks_arguments

table(
    "over_collections",
    "[step measure measure_old measure_new] statistic collections:int mean:float sd:float low:float high:float",
    "table of means over collections",
    known_by="statistic collections mean sd low high",
    row="statistic, of each measure or pair of measures",
    means={
        "step": "what the step changes",
        "measure_old": "the measure before it",
        "measure_new": "the measure after it",
        "statistic": "the column that was averaged",
        "collections": "number of collections that have it",
        "mean": "mean over collections",
        "sd": "standard deviation over collections, missing where there is one",
        "low": "mean - sd",
        "high": "mean + sd",
    },
    unreported="it is a few numbers per statistic; print the table itself",
    undrawn="it is a few numbers per statistic; print the table itself",
)


@checks_arguments
def spread_over_collections(
    frame: pd.DataFrame, *, by: str = "collection", keys: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return mean and standard deviation over collections of every number of a table that has a row for each.

    Rows of the same collection and keys are averaged first, so that every collection counts alike.

    Parameters
    ----------
    frame : DataFrame
        Any result with a column that names the collection, as `by=` gives it, or `pd.concat` of several.
    by : str
        The column that names the collection.
    keys : list of str, optional
        The columns that tell rows of a collection apart; by default all that hold no numbers. The statistics are the
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
    >>> judged = pdeval.datasets.sample_judged(topics="common")
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
        raise KeyError(f"no column {by!r} in this table; it has {', '.join(map(str, frame.columns))}.")
    floats = [name for name in frame.columns if pd.api.types.is_float_dtype(frame[name].dtype)]
    numbers = [name for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name].dtype)]
    if keys is None:
        keys = [str(name) for name in frame.columns if name != by and name not in numbers]
    keys = list(keys)
    if missing := [name for name in keys if name not in frame.columns]:
        raise KeyError(f"no column {missing[0]!r} in this table; it has {', '.join(map(str, frame.columns))}.")
    statistics = [name for name in floats if name not in (by, *keys)]
    if not statistics or frame.empty:
        raise ValueError("there is nothing to average: the table has no rows, or no column of floats beside its keys.")
    options: dict[str, Any] = {"observed": True, "sort": False, "dropna": False}
    within = frame.groupby([*keys, by], **options)[statistics].mean().reset_index()
    code = within.groupby(list(keys), **options).ngroup().to_numpy() if keys else np.zeros(len(within), dtype=np.int64)
    every = within[list(keys)].iloc[np.unique(code, return_index=True)[1]].reset_index(drop=True)
    parts = []
    for name in statistics:
        found = within[name].groupby(code).agg(["count", "mean", "std"]).set_axis(["collections", "mean", "sd"], axis=1)
        parts.append(pd.concat([every.assign(statistic=name), found.reset_index(drop=True)], axis=1))
    # the statistics of a key stand together, keys in the order of the frame
    result = pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)
    result["low"], result["high"] = result["mean"] - result["sd"], result["mean"] + result["sd"]
    result.attrs["table"] = "over_collections"
    return result
