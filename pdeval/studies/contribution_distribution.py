"""How large the contributions of single recall levels are: a few large ones at the top, or as many as there are levels.

Top-heavy measures collapse most differences between rankings to almost nothing. What is counted here are the values of
`disaggregate`, over every query, pair of runs and recall level, without a table of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate.contributions import parts_of, sums
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import Views, attributes, check_populations
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import share
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import number, one_of, whole

MEASURES = ("RBP(p=0.5)", "nDCG", "RPP")
CELLS = 1 << 21

table(
    "contribution_ecdf",
    "measure value:float ecdf:share",
    "distribution of contributions of recall levels",
    row="measure and value",
    then=".plot()",
    means={
        "value": "a difference at one recall level",
        "ecdf": "share of (query, pair of runs, recall level) with at most that difference, each pair both ways",
    },
    unreported="it is a curve; draw it: .plot()",
)
table(
    "contribution_shares",
    "measure cells:int found:share differ:share small:share",
    "table of how often recall levels contribute",
    row="measure",
    then=".report()",
    means={
        "cells": "number of (query, pair of runs, population, recall level) with a weight",
        "found": "share of them where at least one of the two runs found so many items",
        "differ": "share of them where the two differ",
        "small": "share of them that differ, but by less than `least`",
    },
    undrawn="it is a few numbers per measure; draw their distribution: per='value'",
)


@verb(on="judged", gives=("contribution_ecdf", "contribution_shares"), family="disaggregate", name="ecdf")
def contribution_ecdf(
    judged: Judged,
    measures: object = MEASURES,
    *,
    per: Literal["value", "measure"] = "value",
    points: int = 100,
    least: float = 0.01,
    baseline: object = None,
    pairs: object = None,
) -> pd.DataFrame:
    """Return the distribution of what single recall levels contribute to the differences of all pairs of runs.

    The values are those of `disaggregate`, unweighted, at the levels that have a weight. A pair has no first run, so
    each counts both ways and the distribution is symmetric. Where neither run found i items, the two are equal there.

    Parameters
    ----------
    measures : str, Measure, or list of them
        What `disaggregate` takes, but for I and OI, whose parts are no recall levels.
    per : {'value', 'measure'}
        The distribution; or one row per measure: how often runs differ at a level at all, and how often by little.
    points : int
        At how many values on either side of 0 the distribution is given, evenly spaced up to the largest.
    least : float
        The difference that `small` takes as the least to be seen.
    baseline : run, optional
        Only pairs of a run with this one.

    References
    ----------
    Diaz & Ferraro 2022, Offline retrieval evaluation without evaluation metrics, Figure 2: on the runs of the TREC
    2019 Deep Learning document track, about 93% of the ranks differ.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common", level=1)
    >>> judged.disaggregate.ecdf(["RBP(p=0.5)", "RPP"], per="measure").round(3)
          measure  cells  found  differ  small
    0  RBP(p=0.5)  75570  0.847   0.759  0.651
    1         RPP  75570  0.847   0.759  0.000
    >>> judged.disaggregate.ecdf("RPP", points=1).round(3)
      measure  value  ecdf
    0     RPP   -1.0  0.38
    1     RPP    0.0  0.62
    2     RPP    1.0  1.00
    """
    one_of("per", per, ("value", "measure"))
    whole("points", points, 1, 100_000)
    asked = sums(measures)
    if other := [measure.label for measure in asked if measure.entry.name in ("I", "OI")]:
        raise ValueError(f"the parts of {other[0]} are no recall levels, and have no distribution over them.")
    least = number("least", least, 0)
    check_populations(judged.positions, asked)
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    if not counts.any():
        raise judged.nothing_counts()
    judged.tell(counts, pairs=(a, b))
    views = Views(judged)
    rows = [
        _shares(views, measure, a, b, least) if per == "measure" else _curve(views, measure, a, b, points)
        for measure in asked
    ]
    frame = pd.concat(rows, ignore_index=True)
    frame.attrs.update(attributes(judged, asked))
    return frame


def _sizes(views: Views, measure: Measure, a: np.ndarray, b: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the sizes of the differences of cells that have a weight, and whether a run found so many items."""
    both = views.counted(measure)
    largest = max((block.size * block.shape[0] for block in views.blocks("binary", views.judged.level)), default=1)
    step = max(CELLS // max(largest, 1), 1)
    for first in range(0, len(a), step):
        x, y = a[first : first + step], b[first : first + step]
        for _, block, weight, value in parts_of(views, measure, x, y):
            used = (both[:, x] & both[:, y])[block.topics] & (weight > 0)  # not a number where there is no share
            used = np.broadcast_to(used, value.shape)
            rank = block["rank"]
            yield np.abs(value[used]), np.isfinite(np.minimum(rank[..., x], rank[..., y])[used])


def _shares(views: Views, measure: Measure, a: np.ndarray, b: np.ndarray, least: float) -> pd.DataFrame:
    """Return how many cells there are, and the shares of those found, different, and different by little."""
    total = np.zeros(4, dtype=np.int64)
    for size, found in _sizes(views, measure, a, b):
        total += [len(size), found.sum(), (size > 0).sum(), ((size > 0) & (size < least)).sum()]
    found, differ, small = share(total[1:], total[:1]).tolist()
    return pd.DataFrame(
        {"measure": [measure.label], "cells": total[:1], "found": found, "differ": differ, "small": small}
    )


def _curve(views: Views, measure: Measure, a: np.ndarray, b: np.ndarray, points: int) -> pd.DataFrame:
    """Return the distribution over both directions, from sizes alone: of v and -v one is above any t > 0, if |v| is."""
    top = max((float(size.max(initial=0.0)) for size, _ in _sizes(views, measure, a, b)), default=0.0) or 1.0
    grid = np.linspace(0.0, top, points + 1)
    within, at = np.zeros((2, points + 1), dtype=np.int64)  # sizes up to each value of the grid, and on it
    for size, _ in _sizes(views, measure, a, b):
        place = np.minimum(np.searchsorted(grid, size), points)
        within += np.bincount(place, minlength=points + 1)
        at += np.bincount(place[grid[place] == size], minlength=points + 1)
    within = np.cumsum(within)
    n = max(int(within[-1]), 1)
    above = (n - within) / n
    from_here = (n - within + at) / n
    ecdf = np.concatenate([from_here[:0:-1] / 2, 1 - above / 2])
    return pd.DataFrame({"measure": measure.label, "value": np.concatenate([-grid[:0:-1], grid]), "ecdf": ecdf})
