"""What a rank is worth: how a measure changes with the place of one relevant item, whatever the runs."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pdeval.catalog import parse_all
from pdeval.catalog.directions import described
from pdeval.evaluate.contributions import disaggregate
from pdeval.evaluate.scores import scores
from pdeval.studies.synthetic_rankings import judged_of
from pdeval.tables.schemas import table
from pdeval.verbs.arguments import whole

SURFACES = ("RBP(p=0.5)", "nDCG", "RPP")
DISCOUNTED = ("DCG(discount=jk)", "P@10", "RBP(p=0.5)", "RBP(p=0.8)")

table(
    "contribution_surface",
    "measure rank_a:int rank_b:int value:float",
    "surface of contributions of one relevant item",
    known_by="rank_a rank_b value",
    row="measure and pair of ranks",
    sort="rank_a rank_b",
    then=".plot()",
    means={
        "rank_a": "rank of the item in the first ranking",
        "rank_b": "its rank in the second",
        "value": "what its recall level contributes to the difference, positive where the first is better",
    },
    unreported="it is a surface; draw it: .plot()",
)
table(
    "discounts",
    "measure rank:int weight:float",
    "table of discounts of ranks",
    known_by="measure rank weight",
    row="measure and rank",
    sort="rank",
    then=".plot()",
    means={
        "rank": "the rank, from 1",
        "weight": "what a relevant item there is worth; the weights of a measure add up to 1",
    },
    unreported="it is a curve; draw it: .plot()",
)


def contribution_surface(measures: object = SURFACES, *, ranks: int = 25, recall: int = 1) -> pd.DataFrame:
    """Return what one recall level contributes to the difference of two rankings, by the item's ranks in both.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures and preferences that `disaggregate` takes, but for search lengths, which depend on a corpus.
    ranks : int
        How many ranks are looked at.
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
    recall, ranks = whole("recall", recall, 1, 999), whole("ranks", ranks, recall + 1, 1000)
    asked = parse_all(measures)
    if lengths := [measure.label for measure in asked if not measure.higher]:
        raise ValueError(f"{lengths[0]} has no surface: search lengths depend on the size of a corpus.")
    lists = np.zeros((ranks - recall + 1, ranks), dtype=bool)
    lists[:, : recall - 1] = True
    lists[np.arange(len(lists)), np.arange(recall - 1, ranks)] = True
    rows = disaggregate(judged_of(lists), asked)
    rows = rows[rows["recall"] == recall]
    at = np.arange(recall, ranks + 1)
    parts = []
    for measure in asked:
        own = rows[rows["measure"] == measure.label]
        square = np.zeros((len(at), len(at)))
        a, b = own["run_a"].to_numpy(int), own["run_b"].to_numpy(int)
        square[a, b], square[b, a] = own["value"], -own["value"]
        columns = {"rank_a": np.repeat(at, len(at)), "rank_b": np.tile(at, len(at)), "value": square.ravel()}
        parts.append(pd.DataFrame({"measure": measure.label, **columns}))
    frame = pd.concat(parts, ignore_index=True)
    frame.attrs = {"measures": described(asked), "table": "contribution_surface"}
    return frame


def discount_curves(measures: object = DISCOUNTED, *, ranks: int = 50) -> pd.DataFrame:
    """Return how much each rank counts in a measure, as shares of all ranks.

    A rank counts as much as a ranking whose only relevant item is there. Of measures that add up ranks, such as DCG,
    P and RBP, that is their discount; the discount of AP depends on the other relevant items.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures of which more is better.
    ranks : int
        How many ranks are looked at, and add up to 1.

    Returns
    -------
    DataFrame
        measure, rank, weight.

    References
    ----------
    Shokouhi, Yilmaz, Craswell and Robertson 2009, Are evaluation metrics identical with binary judgements?, Figure 1.

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
    ranks = whole("ranks", ranks, 1, 5000)
    asked = parse_all(measures)
    lower = [measure.label for measure in asked if measure.entry.family != "metric" or not measure.higher]
    if lower:
        raise ValueError(f"{lower[0]} has no discount: give measures of one ranking of which more is better.")
    values = scores(judged_of(np.eye(ranks, dtype=bool)), asked).values[:, 0]
    total = values.sum(axis=1, keepdims=True)
    weight = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
    names = [measure.label for measure in asked]
    rank = np.tile(np.arange(1, ranks + 1), len(names))
    frame = pd.DataFrame({"measure": np.repeat(names, ranks), "rank": rank, "weight": weight.ravel()})
    frame.attrs = {"measures": described(asked), "table": "discounts"}
    return frame
