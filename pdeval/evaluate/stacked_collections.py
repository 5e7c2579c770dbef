"""One value per run and collection: scores in which collections stand where queries did."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.directions import known_of
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.grouped import grouped_cube
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held
from pdeval.evaluate.summary import over_queries
from pdeval.join.rules import outside
from pdeval.verbs import verb


@verb(on=("scores", "preferences", "judged"), gives=("scores", "preferences"), independent=True)
def collection_means(
    held: Held,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the mean of each run on each collection, as scores whose queries are the collections.

    What then ranks, tests or compares, does so over collections, each of which counts once: as Demsar (2006) does over
    data sets, with `friedman()` and `compare(test="nemenyi")`.

    Parameters
    ----------
    by : str or list of str
        The column(s) that tell collections apart. Of several, a collection is named 'x / y'.

    Notes
    -----
    The mean is over the queries that a run has, the geometric mean or the sum where the measure says so. Where runs
    have not the same queries of a collection, a warning says so: evaluate with topics="common" to compare like with
    like. The result knows nothing of how sure each mean is; for that see `verdict(by=...)`.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> sixths = scores.assign(collection=scores["query_id"].astype(int) % 6)  # six collections, for the example
    >>> means = sixths.ireval.collection_means(by="collection")
    >>> means.head(3).round(3)
        run query_id measure  value
    0  bm25        0      AP  0.237
    1  bm25        1      AP  0.360
    2  bm25        2      AP  0.333
    >>> means.ireval.friedman()[["test", "n", "runs", "statistic", "p_value"]].round(3)
                 test  n  runs  statistic  p_value
    0        friedman  6    12     59.692      0.0
    1  iman_davenport  6    12     47.317      0.0
    """
    found = grouped_cube(held, measures, by, replicate, metadata)
    source: Any = found.source
    scored = isinstance(source, Scores)
    known = [known_of(label, source.attrs) for label in source.measures]
    ways = ["mean" if one is None or not scored else one["aggregate"] for one in known]
    parts = [
        np.stack([over_queries(values[part], way) for part in found.slices()])
        for values, way in zip(source.values, ways)
    ]
    _tell(np.isnan(source.values), list(found.slices()), found.names)
    queries = pd.Index(found.names, name=source.queries.name)
    left = {name: value for name, value in source.attrs.items() if name not in ("by", "collections", "table")}
    made = replace(source, queries=queries, values=np.stack(parts), attrs=left)
    frame: pd.DataFrame = made.frame()
    return frame


def _tell(missing: np.ndarray, slices: list[slice], names: list[str]) -> None:
    """Warn where some run, or pair, has only some of the queries of a collection."""
    partly = [name for part, name in zip(slices, names) if _differs(missing[:, part])]
    if partly:
        shown = ", ".join(map(repr, partly[:3])) + (", ..." if len(partly) > 3 else "")
        warnings.warn(
            f"{len(partly)} of {len(names)} collections have runs with only some of their queries: {shown}; their "
            "means are of what they have. Evaluate with topics='common' to compare like with like.",
            UserWarning,
            stacklevel=outside(),
        )


def _differs(missing: np.ndarray) -> bool:
    """Return whether some column of a collection lacks queries that it has others of."""
    return bool((missing.any(axis=1) & ~missing.all(axis=1)).any())
