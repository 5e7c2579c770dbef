"""What ranks and recall levels contribute: one item to a difference, ranks to a measure, levels over real pairs.

Top-heavy measures collapse most differences between rankings to almost nothing. The distributions are those of the
values of `disaggregate`, over every query, pair of runs and recall level, without a table of them.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, described, parse_all
from pdeval.evaluate import (
    Views,
    attributes,
    check_populations,
    chosen_pairs,
    described_frame,
    disaggregate,
    parts_of,
    sums,
)
from pdeval.evaluate.scores import scores
from pdeval.join import Judged
from pdeval.kernels.primitives import share
from pdeval.studies.sign_agreement import pair_blocks
from pdeval.studies.synthetic_rankings import judged_of
from pdeval.tables import labels, table
from pdeval.verbs import integer, number, verb

MEASURES = ("RBP(p=0.5)", "nDCG", "RPP")
DISCOUNTED = ("DCG(discount=jk)", "P@10", "RBP(p=0.5)", "RBP(p=0.8)")
CELLS = 1 << 21

table(
    "contribution_ecdf",
    "measure value:float ecdf:fraction",
    "distribution of contributions of recall levels",
    row="measure and value",
    then=".plot()",
    means={
        "value": "a difference at one recall level",
        "ecdf": "fraction of (query, ordered pair of runs, recall level) with at most that difference",
    },
    no_report="it is a curve; draw it: .plot()",
)
table(
    "contribution_fractions",
    "measure cells:int found:fraction differ:fraction small:fraction",
    "table of how often recall levels contribute",
    row="measure",
    then=".report()",
    means={
        "cells": "number of (query, pair of runs, population, recall level) with a weight",
        "found": "fraction of them in which at least one of the two runs retrieved that number of items",
        "differ": "fraction of them in which the two runs differ",
        "small": "fraction of them that differ by less than `least`",
    },
    no_plot="it is a few numbers per measure; draw their distribution: per='value'",
)
table(
    "contribution_surface",
    "measure rank_a:int rank_b:int value:float",
    "surface of contributions of one relevant item",
    recognized_by="rank_a rank_b value",
    row="measure and pair of ranks",
    sort="rank_a rank_b",
    then=".plot()",
    means={
        "rank_a": "rank of the item in the first ranking",
        "rank_b": "its rank in the second",
        "value": "what its recall level contributes to the difference, positive where the first is better",
    },
    no_report="it is a surface; draw it: .plot()",
)
table(
    "discounts",
    "measure rank:int weight:float",
    "table of discounts of ranks",
    recognized_by="measure rank weight",
    row="measure and rank",
    sort="rank",
    then=".plot()",
    means={
        "rank": "the rank, from 1",
        "weight": "weight of a relevant item at this rank; the weights of a measure add up to 1",
    },
    no_report="it is a curve; draw it: .plot()",
)


@verb(
    on="judged",
    returns=("contribution_ecdf", "contribution_fractions"),
    family="disaggregate",
    name="ecdf",
)
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
    """Return the distribution of the contributions of recall levels to the differences of all pairs of runs.

    The values are those of `disaggregate`, unweighted, at the levels that have a weight. A pair has no first run, so
    each counts both ways and the distribution is symmetric. Where neither run found i items, the two are equal there.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures and preferences that `disaggregate` supports, except I and OI, whose parts are not recall levels.
    per : {'value', 'measure'}
        The distribution; or one row per measure: how often runs differ at a level at all, and how often by little.
    points : int
        Number of values on either side of 0 at which the distribution is computed, equally spaced up to the largest.
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
    >>> judged = pdeval.datasets.sample_judged(queries="common", level=1)
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
    parsed = sums(measures)
    if other := [measure.label for measure in parsed if measure.entry.name in ("I", "OI")]:
        raise ValueError(
            f"the parts of {other[0]} are not recall levels, so they have no distribution over recall levels."
        )
    least = number("least", least, 0)
    check_populations(judged.positions, parsed)
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    judged.check_counted(counts)
    judged.warn_of_missing_queries(counts, pairs=(a, b))
    views = Views(judged)
    rows = [
        _shares(views, measure, a, b, least)
        if per == "measure"
        else _curve(views, measure, a, b, points)
        for measure in parsed
    ]
    code = np.repeat(np.arange(len(parsed)), [len(next(iter(row.values()))) for row in rows])
    columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    label = labels(pd.Index([measure.label for measure in parsed]), code)
    return described_frame({"measure": label, **columns}, attributes(judged, parsed))


class _Cells(NamedTuple):
    """Recall levels of pairs of runs on some topics: arrays of shape (levels, topics, pairs)."""

    used: np.ndarray
    value: np.ndarray
    a: np.ndarray
    b: np.ndarray


def _cells(views: Views, measure: Measure, a: np.ndarray, b: np.ndarray) -> Iterator[_Cells]:
    """Yield which cells have a weight, the differences, and the ranks of both runs."""
    counted = views.counted(measure)
    blocks = views.blocks("binary", views.judged.level)
    largest = max((block.size * block.shape[0] for block in blocks), default=1)
    for x, y in pair_blocks(a, b, CELLS // max(largest, 1)):
        both = counted[:, x] & counted[:, y]
        for _, block, weight, value in parts_of(views, measure, x, y):
            # not a number if there is no share
            used = np.broadcast_to(both[block.topics] & (weight > 0), value.shape)
            yield _Cells(used, value, block["rank"][..., x], block["rank"][..., y])


def _shares(
    views: Views, measure: Measure, a: np.ndarray, b: np.ndarray, least: float
) -> dict[str, np.ndarray]:
    """Return the number of cells, and the fractions that are retrieved, different, and different by little."""
    total = np.zeros(4, dtype=np.int64)
    for cells in _cells(views, measure, a, b):
        size = np.abs(cells.value[cells.used])
        retrieved = np.isfinite(np.minimum(cells.a, cells.b)[cells.used])
        total += [len(size), retrieved.sum(), (size > 0).sum(), ((size > 0) & (size < least)).sum()]
    names = ("found", "differ", "small")
    fractions = dict(zip(names, share(total[1:], total[:1])[:, None]))
    return {"cells": total[:1], **fractions}


def _sizes(views: Views, measure: Measure, a: np.ndarray, b: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the absolute differences of cells with a weight, many at a time."""
    parts, n = [np.empty(0)], 0
    for cells in _cells(views, measure, a, b):
        parts.append(np.abs(cells.value[cells.used]))
        n += len(parts[-1])
        if n > CELLS:
            yield np.concatenate(parts)
            parts, n = [np.empty(0)], 0
    yield np.concatenate(parts)


def _curve(
    views: Views, measure: Measure, a: np.ndarray, b: np.ndarray, points: int
) -> dict[str, np.ndarray]:
    """Return the distribution over both directions, from sizes alone: of v and -v one is above any t > 0, if |v| is."""
    top, n_arrays = 0.0, 0
    for kept in _sizes(views, measure, a, b):
        top, n_arrays = max(top, float(kept.max(initial=0.0))), n_arrays + 1
    grid = np.linspace(0.0, top or 1.0, points + 1)
    within, at = np.zeros(
        (2, points + 1), dtype=np.int64
    )  # sizes up to each value of the grid, and on it
    # a single array is kept, several are computed again
    for size in [kept] if n_arrays == 1 else _sizes(views, measure, a, b):
        place = np.minimum(np.searchsorted(grid, size), points)
        within += np.bincount(place, minlength=points + 1)
        at += np.bincount(place[grid[place] == size], minlength=points + 1)
    within = np.cumsum(within)
    n = max(int(within[-1]), 1)
    above = (n - within) / n
    from_here = (n - within + at) / n
    # at -t half of the sizes of t and more, at t all but half of those above
    ecdf = np.concatenate([from_here[:0:-1] / 2, 1 - above / 2])
    return {"value": np.concatenate([-grid[:0:-1], grid]), "ecdf": ecdf}


def contribution_surface(
    measures: object = MEASURES, *, ranks: int = 25, recall: int = 1
) -> pd.DataFrame:
    """Return what one recall level contributes to the difference of two rankings, by the item's ranks in both.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures and preferences that `disaggregate` takes, but for search lengths, which depend on a corpus.
    ranks : int
        Number of ranks.
    recall : int
        The recall level; the items before it hold the first ranks of both rankings.

    Returns
    -------
    DataFrame
        measure, rank_a, rank_b, value.

    References
    ----------
    Diaz & Ferraro 2022, Offline retrieval evaluation without evaluation metrics, Figure 2, left.

    Examples
    --------
    >>> contribution_surface(["RBP(p=0.5)", "RPP"], ranks=2)
          measure  rank_a  rank_b  value
    0  RBP(p=0.5)       1       1   0.00
    1  RBP(p=0.5)       1       2   0.25
    2  RBP(p=0.5)       2       1  -0.25
    3  RBP(p=0.5)       2       2   0.00
    4         RPP       1       1   0.00
    5         RPP       1       2   1.00
    6         RPP       2       1  -1.00
    7         RPP       2       2   0.00
    """
    recall = integer("recall", recall, 1, 999)
    ranks = integer("ranks", ranks, recall + 1, 1000)
    parsed = parse_all(measures)
    if lengths := [measure.label for measure in parsed if not measure.higher]:
        raise ValueError(
            f"{lengths[0]} has no surface, because search lengths depend on the corpus size."
        )
    # list i has its first relevant items on top, and the last one at rank recall + i
    lists = np.zeros((ranks - recall + 1, ranks), dtype=bool)
    lists[:, : recall - 1] = True
    lists[np.arange(len(lists)), np.arange(recall - 1, ranks)] = True
    rows = disaggregate(judged_of(lists), parsed)
    rows = rows[rows["recall"] == recall]
    a, b = rows["run_a"].to_numpy(int), rows["run_b"].to_numpy(int)
    names = [measure.label for measure in parsed]
    measure = pd.Index(names).get_indexer(pd.Index(rows["measure"].astype(str)))
    cube = np.zeros((len(names), len(lists), len(lists)))
    cube[measure, a, b] = rows["value"]
    cube[measure, b, a] = -rows["value"]
    name, rank_a, rank_b = (axis.ravel() for axis in np.indices(cube.shape))
    return described_frame(
        {
            "measure": np.array(names, dtype=object)[name],
            "rank_a": rank_a + recall,
            "rank_b": rank_b + recall,
            "value": cube.ravel(),
        },
        {"measures": described(parsed), "table": "contribution_surface"},
    )


def discount_curves(measures: object = DISCOUNTED, *, ranks: int = 50) -> pd.DataFrame:
    """Return how much each rank counts in a measure, as shares of all ranks.

    A rank counts as much as a ranking whose only relevant item is there. Of measures that add up ranks, such as DCG,
    P and RBP, that is their discount; the discount of AP depends on the other relevant items.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures of which more is better.
    ranks : int
        Number of ranks, whose weights add up to 1.

    Returns
    -------
    DataFrame
        measure, rank, weight.

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Are evaluation metrics identical with binary judgments?, Figure 1.

    Examples
    --------
    >>> discount_curves(["RBP(p=0.5)", "P@2"], ranks=3).round(3)
          measure  rank  weight
    0  RBP(p=0.5)     1   0.571
    1  RBP(p=0.5)     2   0.286
    2  RBP(p=0.5)     3   0.143
    3         P@2     1   0.500
    4         P@2     2   0.500
    5         P@2     3   0.000
    """
    ranks = integer("ranks", ranks, 1, 5000)
    parsed = parse_all(measures)
    if lower := [
        measure.label
        for measure in parsed
        if measure.entry.family != "metric" or not measure.higher
    ]:
        raise ValueError(
            f"{lower[0]} has no discount. Use measures of one ranking of which higher values are better."
        )
    # list i has one relevant item, at rank i + 1
    values = scores(judged_of(np.eye(ranks, dtype=bool)), parsed).values[:, 0]
    return described_frame(
        {
            "measure": np.repeat([measure.label for measure in parsed], ranks),
            "rank": np.tile(np.arange(1, ranks + 1), len(parsed)),
            "weight": share(values, values.sum(axis=1, keepdims=True)).ravel(),
        },
        {"measures": described(parsed), "table": "discounts"},
    )
