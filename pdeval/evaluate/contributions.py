"""Contributions to a measure or preference: of each population and recall level, and of each item.

`disaggregate` and `explain` call kernels. A page computes what an item adds by itself, from its rank, its grade and its
recall level: for some measures it is a product of a weight of the query, a gain of the grade and a discount of the rank
(`factors`); a preference needs the users of each query and the weights of levels (`users`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.evaluate import offline_interleaving
from pdeval.evaluate.cube import described_frame, pair_columns
from pdeval.evaluate.pairs import both_sides
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import (
    Views,
    arguments_of,
    attributes,
    call_of,
    check_populations,
    populations,
)
from pdeval.join.blocks import Block
from pdeval.join.judged import Judged
from pdeval.kernels.preferences import weights
from pdeval.kernels.primitives import closer
from pdeval.kernels.terms import PAIR_TERMS, TERMS
from pdeval.tables.labels import labels, repeated
from pdeval.tables.schemas import table
from pdeval.verbs import verb

table(
    "contributions",
    "query run_a run_b measure population recall:int weight:float value:float",
    "table of contributions of recall levels",
    row="query, pair of runs, measure, population and recall level",
    sort="query run_a run_b",
    then=".plot()",
    unreported="it has a row per recall level; draw it: .plot()",
    means={
        "population": "the users: who want any relevant item, items from a grade on, or those of a subtopic",
        "recall": "the recall level, from 1; of I the rank cutoff, of OI the relevant item at which the user stops",
        "weight": "of the row: weighted values add up to the preference",
        "value": "positive where run_a gains",
    },
)
table(
    "mean_contributions",
    "run_a run_b measure population recall:int n:int weight:float value:float",
    "table of mean contributions",
    row="pair of runs, measure, population and recall level",
    sort="run_a run_b",
    unreported="it has a row per recall level",
    undrawn="draw the contributions of the queries themselves: per='query'",
    means={
        "population": "the users: who want any relevant item, items from a grade on, or those of a subtopic",
        "recall": "the recall level, from 1; of I the rank cutoff, of OI the relevant item at which the user stops",
        "n": "number of queries on which both runs count",
        "weight": "mean over these queries of the weight of the cell, 0 where a query has no such cell",
        "value": "weighted mean over them of the value: weighted values add up to the mean preference",
    },
)


@verb(on="judged", gives=("contributions", "mean_contributions"))
def disaggregate(
    judged: Judged,
    measures: object = ("RPP",),
    *,
    per: Literal["query", "pair"] = "query",
    baseline: object = None,
    pairs: object = None,
) -> pd.DataFrame:
    """Return what each recall level of each population contributes to the difference of two runs.

    `weight * value`, summed over the rows of a query and pair, is what `prefer` gives for the same call. The values are
    those of Diaz & Ferraro 2022, Fig. 4a: RPP sgn(y - x), AP i (1/x - 1/y), RBP p^x - p^y, nDCG the difference of the
    discounted gains, Bpref that of its terms, RR 1/x - 1/y at one level, ISL and TSL y - x at the first and the last
    level, ASL y - x. Of search lengths the variant is decomposed, and named in the result, in which items that were not
    retrieved take the last places of the corpus: ASL(unretrieved=corpus). A preference with several positive grades and
    no level has one population per grade; one by subtopics has one per subtopic and one of users who want any relevant
    item. Lexicographic preferences have all their weight at the level that decides, and none where the rankings are
    equal; the cells of I are rank cutoffs, and those of OI the relevant items at which the user stops, from the top of
    the interleaved list, with the mean over both interleavings.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Every preference of the catalog (RPP, dcgRPP, ST-RPP, ..., any weight, sgnLP, rrLP, sgnLR, I, OI), and AP, P, R,
        RBP, RR, DCG, nDCG, Bpref, ISL, ESL, TSL, ASL, EU, ST-EU.
    per : {'query', 'pair'}
        Whether a row is about one query, or the mean over all queries of a pair of runs (of a group, with `by`).
    baseline : run, optional
        Only pairs of a run with this one, which is then run_b.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> table = judged.disaggregate("RPP", pairs=[("hybrid", "bm25")])
    >>> table.head(3).round(4)
      query_id   run_a run_b measure  population  recall  weight  value
    0      101  hybrid  bm25     RPP  grade >= 1       1  0.0526    0.0
    1      101  hybrid  bm25     RPP  grade >= 1       2  0.0526    0.0
    2      101  hybrid  bm25     RPP  grade >= 1       3  0.0526    1.0
    >>> first = table[table["query_id"] == "101"]
    >>> round(float((first["weight"] * first["value"]).sum()), 4)
    0.6842
    >>> judged.prefer("RPP", pairs=[("hybrid", "bm25")]).head(1).round(4)
      query_id   run_a run_b measure   value
    0      101  hybrid  bm25     RPP  0.6842

    Where do two runs differ on the queries of each group?

    >>> parity = pd.DataFrame({"query_id": judged.queries}).assign(parity=["odd", "even"] * 25)
    >>> pair = [("hybrid", "bm25")]
    >>> judged.disaggregate("sgnLP", per="pair", by="parity", metadata=parity, pairs=pair).head(3).round(3)
      parity   run_a run_b measure population  recall   n  weight  value
    0   even  hybrid  bm25   sgnLP   relevant       1  24   0.500  0.167
    1   even  hybrid  bm25   sgnLP   relevant       2  24   0.083 -1.000
    2   even  hybrid  bm25   sgnLP   relevant       3  24   0.250  1.000
    """
    requested = sums(measures)
    check_populations(judged.positions, requested)
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    if not counts.any():
        raise judged.nothing_counts()
    judged.tell(counts, pairs=(a, b))
    views = Views(judged)
    cells, names = _cells(views, requested, a, b)
    columns: dict[str, Any] = {}
    if per == "query":
        columns[str(judged.queries.name)] = repeated(judged.queries, cells["topic"])
    else:
        cells = _means(cells, views, requested, a, b)
    columns |= pair_columns(judged.runs, a[cells["pair"]], b[cells["pair"]])
    columns["measure"] = labels(
        pd.Index([measure.label for measure in requested]), cells["measure"]
    )
    columns["population"] = repeated(pd.Index(names), cells["population"])
    columns |= {name: cells[name] for name in ("recall", "n", "weight", "value") if name in cells}
    return described_frame(columns, attributes(judged, requested))


KEY = ("topic", "pair", "measure", "population", "recall")
Cells = dict[str, np.ndarray]


def _cells(
    views: Views,
    measures: list[Measure],
    a: np.ndarray,
    b: np.ndarray,
) -> tuple[Cells, list[str]]:
    """Return the cells of all measures as columns, sorted by `KEY`, and the names of the populations."""
    parts: list[Cells] = []
    names: dict[str, int] = {}
    for number, measure in enumerate(measures):
        counts = views.counted(measure)
        for population, block, weight, value in parts_of(views, measure, a, b):
            used = (counts[:, a] & counts[:, b])[block.topics] & ~np.isnan(weight)
            level, topic, pair = np.nonzero(np.broadcast_to(used, value.shape))
            code = names.setdefault(population, len(names))
            parts.append(
                {
                    "topic": block.topics[topic],
                    "pair": pair,
                    "measure": np.full(len(level), number),
                    "population": np.full(len(level), code),
                    "recall": level + 1,
                    "weight": np.broadcast_to(weight, value.shape)[level, topic, pair],
                    "value": value[level, topic, pair],
                }
            )
    columns = {
        name: np.concatenate([part[name] for part in parts]) for name in (*KEY, "weight", "value")
    }
    order = np.lexsort([columns[name] for name in reversed(KEY)])
    return {name: values[order] for name, values in columns.items()}, list(names)


def _means(
    cells: Cells,
    views: Views,
    measures: list[Measure],
    a: np.ndarray,
    b: np.ndarray,
) -> Cells:
    """Return the means of the cells over all queries."""
    counts = [views.counted(measure) for measure in measures]
    n = np.array([(of_run[:, a] & of_run[:, b]).sum(axis=0) for of_run in counts])
    # one number for each cell, rising in the order of the key
    shape = [int(cells[name].max(initial=0)) + 1 for name in KEY[1:]]
    code, cell = np.unique(
        np.ravel_multi_index([cells[name] for name in KEY[1:]], shape), return_inverse=True
    )
    weight = np.bincount(cell, cells["weight"])
    value = np.bincount(cell, cells["weight"] * cells["value"])
    kept = weight > 0  # a level that decides nowhere contributes nothing
    means = dict(zip(KEY[1:], (index[kept] for index in np.unravel_index(code, shape))))
    n_queries = n[means["measure"], means["pair"]]
    return {
        **means,
        "n": n_queries,
        "weight": weight[kept] / n_queries,
        "value": value[kept] / weight[kept],
    }


def sums(measures: object) -> list[Measure]:
    """Return the measures as sums over recall levels; of search lengths this is the variant with `unretrieved=corpus`.

    Examples
    --------
    >>> sums("AP, ASL@g1-5")
    [AP, ASL(unretrieved=corpus)@g1-5]
    """
    requested = parse_all(measures)
    known = {*TERMS, *PAIR_TERMS}
    for measure in requested:
        if (
            measure.entry.path not in ("recall-paired", "interleaved")
            and measure.entry.name not in known
        ):
            names = ", ".join(["RPP and its kin", *TERMS, *PAIR_TERMS, "OI"])
            raise ValueError(
                f"{measure.label} is no sum over recall levels; disaggregate knows {names}."
            )
    return parse_all(
        [
            measure
            if measure.parameters.get("unretrieved", "corpus") == "corpus"
            else parse(measure, unretrieved="corpus")
            for measure in requested
        ]
    )


def parts_of(
    views: Views, measure: Measure, a: np.ndarray, b: np.ndarray
) -> Iterator[tuple[str, Block, np.ndarray, np.ndarray]]:
    """Yield (population, block, weights, values), weights and values of shape (levels, topics, pairs) or less.

    A topic that a population has no share in has a weight that is not a number.
    """
    entry, parameters = measure.entry, measure.parameters
    path = entry.family if entry.family == "metric" else entry.path
    if path == "metric":
        function = TERMS[entry.name]
        columns, term_parameters = arguments_of(function, parameters)
    for name, share, blocks in populations(views, measure):
        for block in filter(lambda block: block.size, blocks):
            if path == "metric":  # the difference of its terms
                terms, weight = function(*block.columns(columns), **term_parameters)
                value = np.subtract(terms[..., a], terms[..., b])
                weight = (
                    weight
                    if np.ndim(weight) == 3
                    else np.broadcast_to(weight, (block.shape[0], 1))[None]
                )
            elif path == "interleaved":
                user, over = parameters["user"], parameters["over"]
                value, weight = offline_interleaving.stops_of_block(block, user, a, b, over=over)
            elif path == "recall-paired":
                weight = weights(parameters.get("weight", entry.weight), block.size)[:, None, None]
                value = closer(block["rank"][..., a], block["rank"][..., b]).astype(np.float64)
            else:
                value, weight = PAIR_TERMS[entry.name](
                    *both_sides(block, entry.columns, a, b), **parameters
                )
            if share is not None:
                weight = weight * np.where(share > 0, share, np.nan)[block.topics][:, None]
            yield name, block, weight, value


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
        rank = np.minimum(np.where(counts, ranks, deepest), deepest).astype(np.int64)
        added = self.weight[topic] * np.nan_to_num(gain) * np.append(self.discount, 0.0)[rank - 1]
        # the rank of a rank among those of the items that count: argsort of argsort
        level = (
            np.argsort(np.argsort(np.where(counts, ranks, np.inf), axis=0, kind="stable"), axis=0)
            + 1
        )
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
    name, parameters, rules = measure.entry.name, measure.parameters, judged.positions.rules
    if (
        name not in PRODUCTS
        or rules.get("ties") == "expected"
        or (name == "P" and parameters["k"] == np.inf)
    ):
        return None
    if (
        measure.judged_only or call_of(measure, rules)[2] != parameters
    ):  # other ranks or rules than those of the sum
        return None
    nothing = np.zeros(0, dtype=np.int64)
    weight, grades = np.zeros(len(judged.queries)), np.zeros(0)
    for _, block, of_topic, _ in parts_of(Views(judged), measure, nothing, nothing):
        weight[block.topics] = np.broadcast_to(of_topic, (1, len(block.topics), 1))[0, :, 0]
        grades = np.unique(judged.positions.judged.grade[block.view.items])
    if not len(grades):
        return None

    def terms(rank: np.ndarray, grade: float) -> np.ndarray:
        """Return the terms of lists of one item, retrieved at each of these ranks."""
        known = {
            "rank": rank[None],
            "grade": np.full((1, len(rank)), grade),
            "ideal": np.ones((1, 1)),
            "retrieved": 1,
        }
        columns, options = arguments_of(
            TERMS[name], {**parameters, **({"i": 1} if name == "RR" else {})}
        )
        return np.asarray(
            TERMS[name](*(known[column] for column in columns), **options)[0][0], dtype=np.float64
        )

    discount = terms(np.arange(1.0, int(judged.positions.rank.max(initial=1)) + 1), grades[-1])
    gain = dict.fromkeys(grades.tolist(), 1.0)
    if "grade" in measure.columns:
        gain = {grade: float(terms(np.ones(1), grade)[0]) for grade in gain}
        if not discount[0]:
            return None
        discount = discount / discount[0]
    return Factors(
        weight,
        gain,
        np.trim_zeros(discount, "b"),
        by_level=name == MULTIPLIED,
        only=int(parameters["i"]) if name == "RR" else None,
    )


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
    of_populations, sizes = [], set()
    for name, share, blocks in populations(Views(judged), measure):
        grades = judged.positions.judged.grade[blocks[0].view.items] if blocks else np.zeros(0)
        if len(grades):
            share = np.ones(len(judged.queries)) if share is None else share
            of_populations.append(Users(name, float(grades.min()), share))
            sizes |= {block.size for block in blocks if block.size}
    if not of_populations:
        return None
    weight = measure.parameters.get("weight", entry.weight)
    return of_populations, {size: weights(weight, size) for size in sorted(sizes)}


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
        # lexsort: the last key is the primary one
        best = np.full(len(positions.judged.topic), np.inf)
        np.minimum.at(best, positions.item, positions.rank)
        return np.lexsort((best, -positions.judged.grade, positions.judged.topic))

    @cached_property
    def _relevant(self) -> np.ndarray:
        return self.judged.positions.relevant(self.judged.level)

    def of_query(self, query: object, most: int | None = None) -> QueryItems:
        """Return the items of a query, at most so many."""
        positions, judged = self.judged.positions, self.judged.positions.judged
        topic = int(self.judged.queries.get_indexer(pd.Index([query]))[0])
        first, last = np.searchsorted(judged.topic, [topic, topic + 1])
        items = self._order[first:last][
            :most
        ]  # items are sorted by topic: the order keeps each in its stretch
        place = np.full(last - first, -1)
        place[items - first] = np.arange(len(items))
        hits = slice(*np.searchsorted(positions.item, [first, last]))
        row = place[positions.item[hits] - first]
        kept = row >= 0
        ranks = np.full((len(items), len(self.runs)), np.inf)
        ranks[row[kept], positions.run[hits][kept]] = positions.rank[hits][kept]
        return QueryItems(
            judged.docs.take(judged.doc[items]).index().tolist(),
            judged.grade[items],
            self._relevant[items],
            ranks,
            int(last - first),
        )


def ranked_items(data: object) -> RankedItems | None:
    """Return the items of a join; None of anything else, which has none.

    Examples
    --------
    >>> ranked_items(pd.DataFrame()) is None
    True
    """
    return RankedItems(data) if isinstance(data, Judged) else None
