"""What an item adds to a measure, told by its rank, its grade and its recall level: what a page computes by itself.

`explain` asks the kernels. These measures need no kernel: what an item adds is a product of a weight of the query, a
gain of its grade and a discount of its rank. A preference needs the users of each query and the weights of levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate.contributions import parts_of
from pdeval.evaluate.scores import Views, call_of, populations
from pdeval.join.judged import Judged
from pdeval.kernels.preferences import weights
from pdeval.kernels.terms import TERMS

MULTIPLIED = "AP"  # by the recall level, which the other measures do not ask for
PRODUCTS = (MULTIPLIED, "RBP", "RR", "DCG", "nDCG", "P", "R")


@dataclass(frozen=True, eq=False)
class Factors:
    """An item at rank r adds `weight * gain * discount[r - 1]`, times its recall level where `by_level`.

    `weight` has one number per query, `gain` one per grade that counts; with `only`, nothing is added at other levels.
    """

    weight: np.ndarray
    gain: dict[float, float]
    discount: np.ndarray
    by_level: bool = False
    only: int | None = None

    def added(self, topic: int, grades: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        """Return what each item of a query adds in each run, from grades of its items and ranks (items, runs).

        Examples
        --------
        >>> half = Factors(np.array([0.5]), {1.0: 1.0}, 1 / np.arange(1, 4), by_level=True)
        >>> half.added(0, np.array([1.0, 0.0, 1.0]), np.array([[3.0], [2.0], [1.0]])).round(3).tolist()
        [[0.333], [0.0], [0.5]]
        """
        gain = np.array([self.gain.get(grade, np.nan) for grade in grades.tolist()])[:, None]
        counts = np.isfinite(ranks) & ~np.isnan(gain)
        deepest = len(self.discount) + 1  # from there on an item adds nothing
        place = np.minimum(np.where(counts, ranks, deepest), deepest).astype(np.int64)
        added = self.weight[topic] * np.nan_to_num(gain) * np.append(self.discount, 0.0)[place - 1]
        level = np.argsort(np.argsort(np.where(counts, ranks, np.inf), axis=0, kind="stable"), axis=0) + 1
        if self.by_level:
            added = added * level
        return np.where(counts & ((level == self.only) | (self.only is None)), added, 0.0)


def factors(judged: Judged, measure: Measure) -> Factors | None:
    """Return the factors of a measure, or None where ranks and grades do not tell what an item adds.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> found = factors(judged, pdeval.parse("P@5"))
    >>> found.gain, found.discount.tolist()
    ({1.0: 1.0, 2.0: 1.0, 3.0: 1.0}, [0.2, 0.2, 0.2, 0.2, 0.2])
    >>> factors(judged, pdeval.parse("Bpref")) is None
    True
    """
    name, given, rules = measure.entry.name, measure.parameters, judged.positions.rules
    if name not in PRODUCTS or rules.get("ties") == "expected" or (name == "P" and given["k"] == np.inf):
        return None
    if measure.judged_only or call_of(measure, rules)[2] != given:  # other ranks, or other rules than those of the sum
        return None
    views, none = Views(judged), np.zeros(0, dtype=np.int64)
    weight, grades = np.zeros(len(judged.queries)), np.zeros(0)
    for _, block, own, _ in parts_of(views, measure, none, none):
        weight[block.topics] = np.broadcast_to(own, (1, len(block.topics), 1))[0, :, 0]
        grades = np.unique(judged.positions.judged.grade[block.view.items])
    if not len(grades):
        return None
    deepest = int(judged.positions.rank.max(initial=1))
    discount = _terms(measure, np.arange(1.0, deepest + 1), grades[-1])
    gain = dict.fromkeys(grades.tolist(), 1.0)
    if "grade" in measure.columns:
        gain = {grade: float(_terms(measure, np.ones(1), grade)[0]) for grade in gain}
        if not discount[0]:
            return None
        discount = discount / discount[0]
    only = int(given["i"]) if name == "RR" else None
    return Factors(weight, gain, np.trim_zeros(discount, "b"), name == MULTIPLIED, only)


def _terms(measure: Measure, rank: np.ndarray, grade: float) -> np.ndarray:
    """Return the terms of lists of one item, found at each of these ranks."""
    first = {"i": 1} if measure.entry.name == "RR" else {}
    known = {"rank": rank[None], "grade": np.full((1, len(rank)), grade), "ideal": np.ones((1, 1)), "retrieved": 1}
    function: Any = TERMS[measure.entry.name]
    columns = [known[name] for name in function.__code__.co_varnames[: function.__code__.co_argcount]]
    told = {name: value for name, value in measure.parameters.items() if name in function.__kwdefaults__}
    return np.asarray(function(*columns, **{**told, **first})[0][0], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Users:
    """One population: the least grade of the items that its users want, and the share of users of each query."""

    name: str
    least: float
    share: np.ndarray


def users(judged: Judged, measure: Measure) -> tuple[list[Users], dict[int, np.ndarray]] | None:
    """Return the populations of a preference and the weights of m recall levels; None where ranks do not tell them.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> found, weighed = users(judged, pdeval.parse("RPP"))
    >>> [(one.name, one.share[0].round(3).item()) for one in found], weighed[4].tolist()
    ([('grade >= 1', 0.684), ('grade >= 2', 0.263), ('grade >= 3', 0.053)], [0.25, 0.25, 0.25, 0.25])
    """
    entry = measure.entry
    if entry.path != "recall-paired" or entry.population == "subtopics" or measure.judged_only:
        return None
    found, sizes = [], set()
    for name, share, blocks in populations(Views(judged), measure):
        wanted = judged.positions.judged.grade[blocks[0].view.items] if blocks else np.zeros(0)
        if len(wanted):
            share = np.ones(len(judged.queries)) if share is None else share
            found.append(Users(name, float(wanted.min()), share))
            sizes |= {block.size for block in blocks if block.size}
    weight = measure.parameters.get("weight", entry.weight)
    return (found, {size: weights(weight, size) for size in sorted(sizes)}) if found else None


class QueryItems(NamedTuple):
    """The items of one query: ids, grades, whether each is relevant, ranks of shape (items, runs), and how many of all.

    An item that a run did not find has an infinite rank; `of` counts the judged items of the query.
    """

    docs: list[object]
    grades: np.ndarray
    relevant: np.ndarray
    ranks: np.ndarray
    of: int


@dataclass(frozen=True, eq=False)
class RankedItems:
    """The judged items of a join, the most telling of each query first: by grade, then by the best rank in any run.

    Examples
    --------
    >>> import pdeval
    >>> items = RankedItems(pdeval.datasets.sample_judged())
    >>> found = items.of_query("101", most=2)
    >>> found.docs, found.grades.tolist(), found.ranks[:, :3].tolist()
    (['news-2015-373', 'doc-03516'], [3.0, 2.0], [[8.0, 1.0, 14.0], [1.0, 32.0, 1.0]])
    """

    judged: Judged

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, in the order of the ranks."""
        return self.judged.runs

    @property
    def complete(self) -> bool:
        """Whether items that were judged and are not relevant are among them."""
        return self.judged.positions.complete

    def sizes(self, queries: pd.Index) -> np.ndarray:
        """Return the number of items of each of some queries."""
        sizes = np.bincount(self.judged.positions.judged.topic, minlength=len(self.judged.queries))
        return sizes[self.judged.queries.get_indexer(queries)]

    @cached_property
    def _order(self) -> np.ndarray:
        positions = self.judged.positions
        best = np.full(len(positions.judged.topic), np.inf)
        np.minimum.at(best, positions.item, positions.rank)
        return np.lexsort((best, -positions.judged.grade, positions.judged.topic))

    @cached_property
    def _relevant(self) -> np.ndarray:
        return self.judged.positions.relevant(self.judged.level)

    def of_query(self, query: object, most: int | None = None) -> QueryItems:
        """Return the items of a query, at most so many."""
        positions, topic = self.judged.positions, int(self.judged.queries.get_indexer(pd.Index([query]))[0])
        first, last = np.searchsorted(positions.judged.topic, [topic, topic + 1])
        items = self._order[first:last][:most]  # items are sorted by topic: the order keeps each in its stretch
        place = np.full(last - first, -1)
        place[items - first] = np.arange(len(items))
        hits = slice(*np.searchsorted(positions.item, [first, last]))
        row = place[positions.item[hits] - first]
        ranks = np.full((len(items), len(self.runs)), np.inf)
        kept = row >= 0
        ranks[row[kept], positions.run[hits][kept]] = positions.rank[hits][kept]
        docs = positions.judged.docs.take(positions.judged.doc[items]).index().tolist()
        return QueryItems(docs, positions.judged.grade[items], self._relevant[items], ranks, int(last - first))


def ranked_items(held: object) -> RankedItems | None:
    """Return the items of a join; None of anything else, which has none.

    Examples
    --------
    >>> ranked_items(pd.DataFrame()) is None
    True
    """
    return RankedItems(held) if isinstance(held, Judged) else None
