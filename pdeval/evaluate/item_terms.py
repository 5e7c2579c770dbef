"""What an item adds to a measure, told by its rank, its grade and its recall level: what a page computes by itself.

`explain` asks the kernels. These measures need no kernel: what an item adds is a product of a weight of the query, a
gain of its grade and a discount of its rank. A preference needs the users of each query and the weights of levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pdeval.catalog import Measure
from pdeval.evaluate.contributions import parts_of
from pdeval.evaluate.populations import populations
from pdeval.evaluate.scores import Views, call_of
from pdeval.judged.judged import Judged
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
