"""What means could be, whatever people would say of the queries that they did not label: bounds that assume nothing.

An interval of `summary` holds because people's queries are a random sample. Where they are not, or nobody knows, the
mean over all queries still lies between two numbers: every query without people's labels has the least value that the
measure can have, or the largest. With half of the queries labelled, half of the range is open: so much do random
samples buy. Within labelled queries, `pool.residuals` bounds what unjudged items can do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog.directions import aggregate_of
from pdeval.catalog.entries import parse
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.sources import machine_cube
from pdeval.judgments.labeling_plan import each_row
from pdeval.tables.reader import Table
from pdeval.tables.schemas import table
from pdeval.verbs import verb

_COLUMNS = "measure n:int n_machine:int human:float low:float high:float residual:float"
_MEANS = {
    "n": "queries that people labelled",
    "n_machine": "queries that only the machine labelled",
    "human": "the mean of the n queries by people",
    "low": "the lowest mean over all queries that is possible by people's labels",
    "high": "the highest mean over all queries that is possible by people's labels",
    "residual": "high - low",
}
table(
    "label_bounds",
    f"run {_COLUMNS}",
    "bounds of means",
    known_by="measure human low high residual",
    row="run and measure",
    sort="run",
    means=_MEANS,
    unreported="it is a table to read: one range per run and measure",
    undrawn="it is a table to read: one range per run and measure",
)
table(
    "pair_label_bounds",
    f"run_a run_b {_COLUMNS}",
    "bounds of mean preferences",
    known_by="run_a run_b measure human low high residual",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means=_MEANS,
    unreported="it is a table to read: one range per pair and measure",
    undrawn="it is a table to read: one range per pair and measure",
)


@verb(on=("scores", "preferences"), machine=True, gives=("label_bounds", "pair_label_bounds"), name="bounds")
def label_bounds(held: Table, measures: object = None, *, between: tuple[float, float] | None = None) -> pd.DataFrame:
    """Return the lowest and highest mean over all queries, whatever people would say of those that they did not label.

    Nothing is assumed: neither that people's queries are a random sample, nor anything of the machine. The mean is that
    over the queries of the table. Compare it with the interval of `summary` to see what a random sample is worth.

    Parameters
    ----------
    between : (float, float), optional
        The least and the largest value of a query, where pdeval does not know the measure.

    Examples
    --------
    >>> import pdeval
    >>> runs, machine, _ = pdeval.datasets.load_sample()
    >>> human = machine[machine["query_id"].astype(int) < 141]
    >>> scores = runs.ireval.measure(human, "AP", machine=machine, topics="common")
    >>> scores.ireval.bounds().head(2).round(3)
            run measure   n  n_machine  human    low   high  residual
    0      bm25      AP  38         10  0.325  0.257  0.466     0.208
    1  bm25+rm3      AP  38         10  0.330  0.261  0.469     0.208
    """
    found = machine_cube(held, measures)
    columns: dict[str, list[np.ndarray]] = {}
    for number, label in enumerate(found.measures):
        least, most = _limits(found, label, between)
        people, judge = found.values[number], found.machine[number]
        n, whole = (~np.isnan(people)).sum(axis=0), (~np.isnan(judge)).sum(axis=0)
        total = np.nansum(people, axis=0)
        with np.errstate(invalid="ignore"):  # nothing of nothing is NaN
            human, low, high = total / n, (total + (whole - n) * least) / whole, (total + (whole - n) * most) / whole
        own = {"n": n, "n_machine": whole - n, "human": human, "low": low, "high": high, "residual": high - low}
        for name, values in own.items():
            columns.setdefault(name, []).append(values)
    return each_row(found, columns)


def _limits(found: Any, label: str, between: tuple[float, float] | None) -> tuple[float, float]:
    """Return the least and the largest value that a query can have by a measure, or by its difference."""
    if (way := aggregate_of(label, found.attrs)) != "mean":
        raise ValueError(f"{label} is a {way} over queries; bounds are of means. Choose another measure.")
    if between is not None:
        least, most = map(float, between)
        if not least < most or not np.isfinite([least, most]).all():
            raise ValueError(f"between={between!r}: give the least and the largest value of a query, e.g. (0, 1).")
        people = found.values[found.measures.index(label)]
        if np.nanmin(people) < least or np.nanmax(people) > most:
            off = np.nanmin(people) if np.nanmin(people) < least else np.nanmax(people)
            raise ValueError(f"between={between!r}: people's labels give {label} a value of {off:g}.")
        return least, most
    try:
        entry = parse(label).entry
    except (KeyError, ValueError):
        raise ValueError(
            f"no measure {label!r} is known, nor between which values it lies. Say it, e.g. between=(0, 1)."
        ) from None
    least, most = map(float, entry.range)
    if not np.isfinite([least, most]).all():
        raise ValueError(
            f"{label} has no largest value, so that nothing bounds its mean. Choose a measure that has, e.g. nDCG, or "
            "say one that you know of: between=(0, 1)."
        )
    if entry.family == "metric" and not isinstance(found, Scores):  # a difference of two
        return least - most, most - least
    return least, most
