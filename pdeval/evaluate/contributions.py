"""Contributions to a measure or preference: of each population and recall level, and of each item.

`disaggregate` and `explain` call kernels. A page of a report computes the contribution of an item from its rank, its
grade and its recall level. For some measures it is the product of a weight of the query, a gain of the grade and a
discount of the rank (`factors`). A preference needs the users of each query and the weights of the levels (`users`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.evaluate.cube import described_frame, pair_columns, run_columns, stacked
from pdeval.evaluate.pairs import both_sides, interleaved_stops, of_pairs
from pdeval.evaluate.run_selection import chosen_pairs, place_of_query, places_of_runs
from pdeval.evaluate.scores import (
    MEASURES,
    Population,
    Views,
    arguments_of,
    attributes,
    call_of,
    check_populations,
    grades_of,
    only_metrics,
    populations,
)
from pdeval.evaluate.unjudged import Unjudged, cutoff, integers
from pdeval.join import Block, Judged
from pdeval.kernels.preferences import weights
from pdeval.kernels.primitives import closer, level
from pdeval.kernels.primitives import share as share_of
from pdeval.kernels.terms import PAIR_TERMS, TERMS
from pdeval.tables import (
    PAIR_TEXT_COLUMNS,
    TEXT_COLUMNS,
    labels,
    read_texts,
    repeated,
    run_labels,
    table,
)
from pdeval.verbs import short_repr, verb

FEW_QUERIES = 5  # that are explained if none is chosen

table(
    "contributions",
    "query run_a run_b measure population recall:int weight:float value:float",
    "table of contributions of recall levels",
    row="query, pair of runs, measure, population and recall level",
    sort="query run_a run_b",
    then=".plot()",
    no_report="it has a row per recall level; draw it: .plot()",
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
    no_report="it has a row per recall level",
    no_plot="draw the contributions of the queries themselves: per='query'",
    means={
        "population": "the users: who want any relevant item, items from a grade on, or those of a subtopic",
        "recall": "the recall level, from 1; of I the rank cutoff, of OI the relevant item at which the user stops",
        "n": "number of queries on which both runs count",
        "weight": "mean over these queries of the weight of the cell, 0 where a query has no such cell",
        "value": "weighted mean over them of the value: weighted values add up to the mean preference",
    },
)


@verb(on="judged", returns=("contributions", "mean_contributions"))
def disaggregate(
    judged: Judged,
    measures: object = ("RPP",),
    *,
    per: Literal["query", "pair"] = "query",
    baseline: object = None,
    pairs: object = None,
) -> pd.DataFrame:
    """Return the contribution of each recall level of each population to the difference of two runs.

    The sum of `weight * value` over the rows of a query and pair is the result of `prefer` for the same call. The
    values are those of Diaz & Ferraro 2022, Fig. 4a: RPP sgn(y - x), AP i (1/x - 1/y), RBP p^x - p^y, nDCG the
    difference of the discounted gains, Bpref the difference of its terms, RR 1/x - 1/y at one level, ISL and TSL y - x
    at the first and the last level, ASL y - x. Search lengths are decomposed in the variant in which unretrieved items
    have the last ranks of the corpus; the result has its name, e.g. ASL(unretrieved=corpus). A preference with several
    positive grades and no level has one population per grade. A preference by subtopics has one population per
    subtopic, and one of users who want any relevant item. GAP and MAP-IA have the terms of AP for users of each grade
    and of each subtopic. Lexicographic preferences have all their weight at the level
    that decides, and no weight if the rankings are equal. The cells of I are rank cutoffs. The cells of OI are the
    relevant items at which the user stops, from the top of the interleaved list, averaged over both interleavings.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Preferences of the catalog (RPP, dcgRPP, ST-RPP, ..., any weight, sgnLP, rrLP, sgnLR, I, OI), and AP, P, R, RBP,
        RR, DCG, nDCG, Bpref, ISL, ESL, TSL, ASL, EU, ST-EU, GAP, MAP-IA.
    per : {'query', 'pair'}
        Whether a row is about one query, or the mean over all queries of a pair of runs (of a group, with `by`).
    baseline : run, optional
        Only pairs of a run with this one, which is then run_b.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
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
    judged.check_counted(counts)
    judged.warn_of_missing_queries(counts, pairs=(a, b))
    views = Views(judged)
    cells, names = _cells(views, requested, a, b)
    queries = {str(judged.queries.name): repeated(judged.queries, cells["topic"])}
    if per == "pair":
        cells, queries = _means(cells, views, requested, a, b), {}
    return described_frame(
        {
            **queries,
            **pair_columns(judged.runs, a[cells["pair"]], b[cells["pair"]]),
            "measure": labels(pd.Index([one.label for one in requested]), cells["measure"]),
            "population": repeated(pd.Index(names), cells["population"]),
            **{name: cells[name] for name in ("recall", "n", "weight", "value") if name in cells},
        },
        attributes(judged, requested),
    )


STEPS = 1 << 22  # cells of the largest temporary array of contributions of items
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
    # lexsort: the last key is the primary one
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
    kept = weight > 0  # a level that decides nowhere contributes nothing
    means = dict(zip(KEY[1:], (index[kept] for index in np.unravel_index(code, shape))))
    n_queries = n[means["measure"], means["pair"]]
    return {
        **means,
        "n": n_queries,
        "weight": weight[kept] / n_queries,
        "value": np.bincount(cell, cells["weight"] * cells["value"])[kept] / weight[kept],
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
            names = ", ".join(["RPP and its variants", *TERMS, *PAIR_TERMS, "OI"])
            raise ValueError(
                f"{measure.label} is not a sum over recall levels; disaggregate() supports {names}."
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

    The weight of a population is NaN for topics in which it has no users.
    """
    entry, parameters = measure.entry, measure.parameters
    path = entry.family if entry.family == "metric" else entry.path
    if path == "metric":
        function = TERMS[entry.name]
        columns, term_parameters = arguments_of(function, parameters)
    users_of = populations(views, measure)
    if entry.name == "GAP":  # GAP and MAP-IA are means of AP over users of grades and of subtopics
        users_of = _threshold_users(views.under(measure))
    elif entry.name == "MAP-IA":
        any_subtopic = parse("ST-RPP(subtopics=uniform,background=0)", level=measure.level)
        users_of = populations(views.under(measure), any_subtopic)
    for name, share, blocks in users_of:
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
                value, weight = interleaved_stops(block, user, a, b, over=over)
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


def _threshold_users(views: Views) -> Iterator[Population]:
    """Yield the users of GAP: as many as a grade exceeds the next smaller one, for each item from the grade on."""
    items = views.positions.judged
    grades = grades_of(views.positions)
    counts = np.zeros((len(grades), len(views.positions.queries)))
    relevant = items.grade > 0
    np.add.at(counts, (np.searchsorted(grades, items.grade[relevant]), items.topic[relevant]), 1.0)
    # the next smaller grade of the query, 0 if there is none
    present = np.where(counts > 0, grades[:, None], 0.0)
    below = np.vstack([np.zeros_like(present[:1]), np.maximum.accumulate(present, axis=0)[:-1]])
    at_least = counts[::-1].cumsum(axis=0)[::-1]
    users_of = np.where(counts > 0, (grades[:, None] - below) * at_least, 0.0)
    for grade, n_users in zip(grades.tolist(), users_of):
        fraction = share_of(n_users, users_of.sum(axis=0))
        yield f"grade >= {grade:g}", fraction, views.blocks("binary", grade)


PRODUCTS = ("AP", "RBP", "RR", "DCG", "nDCG", "P", "R")


class Factors(NamedTuple):
    """An item at rank r contributes `weight * gain * discount[r - 1]`, times its recall level if `by_level`.

    `weight` has one number per query, and `gain` one per grade that counts. With `only`, other levels contribute 0.
    """

    weight: np.ndarray
    gain: dict[float, float]
    discount: np.ndarray
    by_level: bool = False
    only: int | None = None

    def added(self, topic: int, grades: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        """Return the contribution of each item of a query in each run, from grades and ranks of shape (items, runs).

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
    """Return the factors of a measure, or None if the contribution of an item is not determined by rank and grade.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> result = factors(judged, pdeval.parse("P@5"))
    >>> result.gain, result.discount.tolist()
    ({1.0: 1.0, 2.0: 1.0, 3.0: 1.0}, [0.2, 0.2, 0.2, 0.2, 0.2])
    >>> factors(judged, pdeval.parse("Bpref")) is None
    True
    """
    name, parameters, rules = measure.entry.name, measure.parameters, judged.positions.rules
    if (
        name not in PRODUCTS
        or rules.get("ties") == "expected"
        or (name == "P" and parameters["k"] == np.inf)
        # other ranks or rules than those of the sum
        or measure.judged_only
        or call_of(measure, rules)[2] != parameters
    ):
        return None
    nothing = np.zeros(0, dtype=np.int64)
    weight, view = np.zeros(len(judged.queries)), None
    for _, block, of_topic, _ in parts_of(Views(judged), measure, nothing, nothing):
        weight[block.topics] = np.broadcast_to(of_topic, (1, len(block.topics), 1))[0, :, 0]
        view = block.view
    if view is None:
        return None
    grades = np.unique(judged.positions.judged.grade[view.items])

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
        by_level=name == "AP",  # the terms of AP, and of no other, contain the recall level
        only=int(parameters["i"]) if name == "RR" else None,
    )


class Users(NamedTuple):
    """One population: the smallest grade of the items that its users want, and the fraction of users of each query."""

    name: str
    least: float
    share: np.ndarray


def users(judged: Judged, measure: Measure) -> tuple[list[Users], dict[int, np.ndarray]] | None:
    """Return the populations of a preference and the weights of m recall levels, or None if it has no such form.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> result, weighed = users(judged, pdeval.parse("RPP"))
    >>> [(one.name, one.share[0].round(3).item()) for one in result], weighed[4].tolist()
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


table(
    "pair_explanation",
    "query run_a run_b measure population recall:int doc_a:any rank_a:int doc_b:any rank_b:int ahead weight:float "
    "value:float running_sum:float " + PAIR_TEXT_COLUMNS,
    "explanation of a preference",
    row="measure, population and recall level",
    sort="query run_a run_b",
    then=".plot()",
    means={
        "population": "the users: who want any relevant item, items from a grade on, or those of a subtopic",
        "recall": "the recall level, from 1; of I the rank cutoff, of OI the relevant item at which the user stops",
        "doc_a": "the item by which run_a reaches the level; missing where it does not, and for I and OI",
        "rank_a": "its rank; missing if run_a does not reach the level",
        "doc_b": "the item by which run_b reaches the level",
        "rank_b": "its rank",
        "ahead": "the run that is ahead, or 'tie'",
        "weight": "of the row: the share of users",
        "value": "positive where run_a is ahead",
        "running_sum": "of weight times value, from the first row of the measure; the last one is the preference",
    },
    no_report="it is a table to read: one row per recall level",
)


def most_different_topics(
    views: Views, measures: list[Measure], a: int, b: int, count: int
) -> list[int]:
    """Return the topics on which two runs differ most by one measure, or on which two measures disagree most.

    With one measure, these are the topics with the largest absolute preferences. With several, the preferences of the
    first two measures are divided by their largest absolute value, and these are the topics with the largest difference
    between them. Equal topics stay in their order.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.queries[most_different_topics(Views(judged), [pdeval.parse("RPP")], 0, 1, 1)].tolist()
    ['111']
    """
    values, used = [], np.ones(len(views.positions.queries), dtype=bool)
    for measure in measures[:2]:
        value = of_pairs(views, measure, np.array([a]), np.array([b]))[:, 0]
        used &= views.counted(measure)[:, [a, b]].all(axis=1)
        finite = np.isfinite(value)
        largest = np.abs(value[finite & used]).max(initial=0.0)
        values.append(np.where(finite, value / (largest or 1.0), np.sign(value)))
    views.judged.check_counted(used)
    size = np.abs(values[0] if len(values) == 1 else values[0] - values[1])
    order = np.argsort(np.where(used, -size, np.inf), kind="stable")
    return order[: min(count, np.count_nonzero(used))].tolist()


def explained_pair(
    judged: Judged,
    measures: list[Measure],
    topic: int,
    a: int,
    b: int,
) -> pd.DataFrame:
    """Return the explanation of a query by recall level: items, ranks, the run that is ahead, the running sum.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> explained_pair(judged, [pdeval.parse("RPP(level=1)")], 0, 0, 1)["running_sum"].tail(1).round(4).tolist()
    [-0.3846]
    """
    check_populations(judged.positions, measures)
    views, runs = Views(judged), run_labels(judged.runs)
    parts: list[dict[str, Any]] = []
    for measure in measures:
        rows: list[dict[str, Any]] = []
        for population, block, weight, value in parts_of(
            views,
            measure,
            np.array([a]),
            np.array([b]),
        ):
            for at in np.flatnonzero(block.topics == topic):
                value = value[:, at, 0]
                weight = np.broadcast_to(weight, (len(value), *block.topics.shape, 1))[:, at, 0]
                used = ~np.isnan(weight)
                columns = {
                    "measure": np.full(len(value), measure.label, dtype=object),
                    "population": np.full(len(value), population, dtype=object),
                    "recall": np.arange(1, len(value) + 1),
                    **_items(block, measure, int(at), a, b),
                    "ahead": np.array([runs[b], "tie", runs[a]], dtype=object)[
                        np.sign(value).astype(int) + 1
                    ],
                    "weight": weight,
                    "value": value,
                }
                rows.append({name: column[used] for name, column in columns.items()})
        if rows:
            part = {name: np.concatenate([one[name] for one in rows]) for name in rows[0]}
            parts.append({**part, "running_sum": np.cumsum(part["weight"] * part["value"])})
    if not parts:
        raise ValueError(
            f"query {judged.queries[topic]!r} has no relevant item, so no run is preferred."
        )
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    columns |= {name: integers(columns[name]) for name in ("rank_a", "rank_b")}
    topics, side_a, side_b = (np.full(len(columns["recall"]), code) for code in (topic, a, b))
    ids = {
        str(judged.queries.name): labels(judged.queries, topics),
        **pair_columns(judged.runs, side_a, side_b, labels),
    }
    texts = dict.fromkeys(("measure", "population", "ahead"), "str")
    return described_frame(
        pd.DataFrame({**ids, **columns}).astype(texts), attributes(judged, measures)
    )


def _items(
    block: Block,
    measure: Measure,
    topic: int,
    a: int,
    b: int,
) -> dict[str, np.ndarray]:
    """Return the item and the rank by which each run reaches each level; none if cells are no recall levels."""
    columns: dict[str, np.ndarray] = {}
    judged = block.view.positions.judged
    size = (
        int(np.max(block["retrieved"][:, [a, b]], initial=0))
        if measure.entry.name == "I"
        else block.size
    )
    for side, run in (("a", a), ("b", b)):
        doc, rank = np.full(size, None, dtype=object), np.full(size, np.nan)
        if measure.entry.name not in ("I", "OI"):
            rank = block["rank"][:, topic, run]
            reached = np.isfinite(rank)
            items = block.view.items[block.rows[reached, topic, run]]
            doc[reached] = np.asarray(judged.docs.take(judged.doc[items]).index(), dtype=object)
        columns |= {f"doc_{side}": doc, f"rank_{side}": rank}
    return columns


table(
    "explanation",
    "run query doc grade:float rank:int " + TEXT_COLUMNS,
    "explanation of a query",
    recognized_by="-",
    row="run and item",
    sort="run rank",
    no_report="it is a table to read: one row per item",
    no_plot="it is a table to read: one row per item",
    means={
        "grade": "the grade, under the caller's column name; missing if the item is unjudged",
        "rank": "the rank; missing if the run did not retrieve the item",
        "query_text": "with texts=: the text of the query; title, text and url: those of the item",
    },
)
table(
    "unjudged_values",
    "run query measure judged:int unjudged:int value:float if_relevant:float if_left_out:float [query_text:any]",
    "table of values under assumptions about unjudged items",
    recognized_by="measure judged unjudged value if_relevant if_left_out",
    row="run and measure",
    sort="run",
    no_report="it is a table to read: one row per run and measure",
    no_plot="it is a table to read: one row per run and measure",
    means={
        "judged": "number of judged items among the first ones of the list",
        "unjudged": "number of unjudged items among them",
        "value": "the value; unjudged items are not relevant",
        "if_relevant": "the value if these unjudged items, of all runs shown, had the largest grade; missing for "
        "measures of subtopics",
        "if_left_out": "the value of the lists without unjudged items, as with judged_only=True",
    },
)


@verb(
    on="judged",
    returns=("explanation", "pair_explanation", "unjudged_values"),
    needs="judged",
    grouped=False,
)
def explain(
    judged: Judged,
    query: object = None,
    measures: object = MEASURES,
    *,
    runs: object = None,
    top: int | None = None,
    per: Literal["item", "run"] = "item",
    texts: object = None,
) -> pd.DataFrame:
    r"""Return the items of one query: grade, rank in each run, and contribution to each measure.

    All judged items are shown, and the unjudged items of each list down to a rank; these have a missing grade and
    contribute 0. `attrs["conclusion"]` is a sentence about the first measure: which run loses, how many of its first
    items are judged, and the result with judged items only. `df.ireval` prints it.

    The contribution of an item is the change of the measure when the item is added to those that the run ranks above
    it. Contributions add up to the value of the measure minus its value without these items (infinity for some search
    lengths).

    A preference between two runs is explained by recall level: the item with which each run reaches the level, both
    ranks, the run that is ahead, and the running sum of `weight * value`, which ends at the result of `prefer`.

    Parameters
    ----------
    query : query id or list of them, optional
        Query to explain, as an integer or a string. By default it is chosen, and the result contains its id. For two
        runs, it is the query with the largest difference; for two measures or preferences of two runs, the query on
        which these disagree most, each relative to its largest difference. For more runs, it is the query with the
        largest range of the first measure; for one run, the query with the worst value. With per='run', it is the first
        five of these queries.
    measures : str, Measure, or list of them
        Measures, with one column each. With a preference, all of them have rows instead.
    runs : run or list of runs, optional
        Runs to show; all by default. A preference needs two runs, and the first one is run_a.
    top : int, optional
        Rank down to which unjudged items are shown; by default the largest cutoff of the measures, or 10.
    per : {'item', 'run'}
        One row per item; or one row per run and measure, with the values if unjudged items were relevant, irrelevant
        or left out.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.explain("101", ["AP", "nDCG@10"], runs="bm25").head(3).round(3)
        run query_id         doc_id  relevance  rank     AP  nDCG@10
    0  bm25      101      doc-03516          2     1  0.077    0.236
    1  bm25      101      doc-03054          1     2  0.077    0.074
    2  bm25      101  news-2021-394          0     3  0.000    0.000

    Are unjudged items the reason for a difference?

    >>> print(*judged.explain(120, "nDCG@10", runs=["rerank-s1", "bm25"]).attrs["conclusion"].split("; "), sep="\n")
    rerank-s1 loses 0.035 nDCG@10 to bm25: 3 of its top 10 documents are judged
    with judged documents only it wins by 0.309.
    >>> judged.explain(120, "nDCG@10", runs=["rerank-s1", "bm25"], per="run").drop(columns="query_id").round(3)
             run  measure  judged  unjudged  value  if_relevant  if_left_out
    0       bm25  nDCG@10      10         0  0.200        0.196        0.200
    1  rerank-s1  nDCG@10       3         7  0.166        0.875        0.509

    Who prefers hybrid to bm25, and why?

    >>> table = judged.explain("101", "RPP", runs=["hybrid", "bm25"])
    >>> table[["population", "recall", "rank_a", "rank_b", "ahead", "weight", "running_sum"]].head(4).round(3)
       population  recall  rank_a  rank_b   ahead  weight  running_sum
    0  grade >= 1       1       1       1     tie   0.053        0.000
    1  grade >= 1       2       2       2     tie   0.053        0.000
    2  grade >= 1       3       3       6  hybrid   0.053        0.053
    3  grade >= 1       4       7       8  hybrid   0.053        0.105

    On which query do two measures disagree most about them?

    >>> judged.explain(measures=["RPP", "RR"], runs=["hybrid", "bm25"])["query_id"].iloc[0]
    '115'
    """
    requested = parse_all(measures)
    if all(measure.judged_only for measure in requested) and not judged.positions.rules.get(
        "judged_only"
    ):
        judged = judged.on(judged.positions.only_judged())  # its ranks are the ones that count
    chosen = list(range(len(judged.runs))) if runs is None else places_of_runs(judged.runs, runs)
    paired = [measure for measure in requested if measure.entry.family == "preference"]
    if paired and len(chosen) != 2:
        raise ValueError(
            f"{paired[0].label} is a preference between two runs, but {len(chosen)} runs are selected. Select two with "
            "runs=[run_a, run_b]."
        )
    if paired and per == "run":
        raise ValueError(
            f"{paired[0].label} is a preference between two runs, so it has no value per run. Use per='item'."
        )
    if paired:
        requested = sums(requested)
    else:
        only_metrics(requested)
    topics = _topics(judged, query, requested, chosen, FEW_QUERIES if per == "run" else 1)
    if paired:
        tables = [explained_pair(judged, requested, topic, *chosen) for topic in topics]
    else:
        kept = np.isin(np.arange(len(judged.runs)), chosen)
        part = judged if runs is None else judged.on(judged.positions.keep_runs(kept))
        depth = cutoff(requested) if top is None else top
        tables = [_explained(part, requested, topic, depth, per) for topic in topics]
    frame = stacked(tables)
    sentences = [table.attrs["conclusion"] for table in tables if "conclusion" in table.attrs]
    if len(sentences) > 1:
        names = [judged.queries[topic] for topic in topics]
        frame.attrs["conclusion"] = "\n".join(
            f"query {name}: {sentence}" for name, sentence in zip(names, sentences)
        )
    docs = {"_a": "doc_a", "_b": "doc_b"} if paired else {"": judged.positions.doc_name}
    return read_texts(texts).added(frame, str(judged.queries.name), {} if per == "run" else docs)


def _explained(
    judged: Judged, measures: list[Measure], topic: int, depth: int, per: str
) -> pd.DataFrame:
    """Return the items of a query, or the values of its runs, with the conclusion in `attrs`."""
    positions = judged.positions
    positions = positions.keep_topics(np.arange(len(positions.queries)) == topic)
    unjudged = Unjudged.of_query(judged.on(positions), depth)
    attrs = {
        **attributes(judged, measures),
        "doc_column": positions.doc_name,
        "conclusion": unjudged.conclusion(measures[0]),
    }
    query_name = str(positions.queries.name)
    if per == "run":
        values = unjudged.values(measures)
        run = values.pop("run").to_numpy()
        topics = labels(positions.queries, np.zeros(len(run), dtype=np.int64))
        return described_frame(
            {**run_columns(positions.runs, run), query_name: topics, **values}, attrs
        )
    items = positions.judged
    n_items = len(items.topic)
    ranks = np.full((len(positions.runs), n_items), np.inf)
    ranks[positions.run, positions.item] = positions.rank
    run, item = np.divmod(np.arange(ranks.size), n_items)
    docs = np.asarray(items.docs.take(items.doc).index(), dtype=object)
    # unjudged items follow the judged ones; the last grade and the last contribution are theirs
    # items with a negative grade are among the judged ones
    more = ~unjudged.pooled & (unjudged.rank <= unjudged.depth)
    doc = np.append(docs[item], unjudged.doc[more])
    rank = np.append(ranks, unjudged.rank[more])
    run = np.append(run, unjudged.run[more])
    item = np.append(item, np.full(np.count_nonzero(more), n_items))
    grade = np.append(items.grade, np.nan)[item]
    # in rank order; then items that were not retrieved, the best grade first
    order = np.lexsort((item, np.where(np.isinf(rank), -grade, 0.0), rank, run))
    run, item = run[order], item[order]
    grade_name = positions.source[1].roles["grade"] if positions.source else "relevance"
    return described_frame(
        {
            **run_columns(positions.runs, run),
            query_name: labels(positions.queries, np.zeros(len(run), dtype=np.int64)),
            positions.doc_name: pd.Index(doc[order]).infer_objects(),
            grade_name: integers(grade[order]),
            "rank": integers(rank[order]),
            **{
                measure.label: np.pad(
                    item_contributions(judged.on(positions), measure), ((0, 0), (0, 1))
                )[run, item]
                for measure in measures
            },
        },
        {**attrs, "grade_column": grade_name},
    )


def _topics(
    judged: Judged, query: object, measures: list[Measure], runs: list[int], count: int
) -> list[int]:
    """Return the topics of queries, or those with the largest differences if none is given."""
    if query is not None:
        wanted = query if np.iterable(query) and not isinstance(query, str) else [query]
        places = [place_of_query(judged.queries, one, "judged query") for one in wanted]
        if not places:
            raise ValueError(f"query={short_repr(query)} is empty. Pass a query id, or omit it.")
        return list(dict.fromkeys(places))
    views = Views(judged)
    if len(runs) == 2:
        return most_different_topics(views, measures, runs[0], runs[1], count)
    first = measures[0]
    value = views.values(first)[:, runs]
    value = np.where(np.isfinite(value), value, np.nan)
    used = views.counted(first)[:, runs].all(axis=1) & ~np.isnan(value).any(axis=1)
    judged.check_counted(used)
    # the largest spread between runs, or the worst value of a single run
    extent = np.ptp(value, axis=1) if len(runs) > 1 else (-value if first.higher else value)[:, 0]
    order = np.argsort(np.where(used, -extent, np.inf), kind="stable")
    return order[: min(count, np.count_nonzero(used))].tolist()


def item_contributions(judged: Judged, measure: Measure) -> np.ndarray:
    """Return the contribution of each judged item, (runs, items); 0 for items that do not belong to the measure.

    The contribution of an item is the change of the measure when it is added to the items that the run ranks above it.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="judged")
    >>> item_contributions(judged, pdeval.parse("AP")).sum(axis=1)[:2].round(2).tolist()
    [16.39, 16.86]
    >>> judged.measure("AP").groupby("run")["value"].sum()[:2].round(2).tolist()
    [16.39, 16.86]
    """
    positions = judged.positions
    added = np.zeros((len(positions.runs), len(positions.judged.topic)))
    kernel, names, parameters = call_of(measure, positions.rules)
    if tuple(names) == (
        "nonrelevant_found",
    ):  # a count of items that are judged and not relevant: each adds itself
        counts = (positions.judged.grade >= 0) & ~positions.relevant(Views(judged).level(measure))
        hits = counts[positions.item]
        added[positions.run[hits], positions.item[hits]] = 1.0
        return added
    runs = np.arange(len(positions.runs))
    sizes = np.bincount(positions.judged.topic, minlength=len(positions.queries))
    # topics in parts: the steps of a topic have the square of its items as cells
    part = np.cumsum(sizes * (sizes + 1) * len(runs)) // STEPS
    for number in np.unique(part):
        kept = part == number
        first = np.flatnonzero(kept[positions.judged.topic])[:1]  # items are sorted by topic
        for _, share, blocks in populations(Views(judged.on(positions.keep_topics(kept))), measure):
            for block in filter(lambda block: block.size, blocks):
                gains = _steps(block, kernel, names, parameters)
                if share is not None:
                    gains = share[block.topics][:, None] * gains
                added[runs, first + block.view.items[block.rows]] += gains
    return added


def _steps(
    block: Block,
    kernel: Callable[..., Any],
    names: Iterable[str],
    parameters: Mapping[str, Any],
) -> np.ndarray:
    """Return the change of a measure with each item, in rank order, (items, topics, runs)."""
    size, (topics, runs), columns = block.size, block.shape, []
    steps = np.arange(size + 1)
    for name in names:
        column = np.asarray(block[name], dtype=np.float64 if name in ("rank", "start") else None)
        if column.ndim > 1:
            # a copy of each topic for every step; step s has only the first s items
            if name in ("rank", "start"):
                column = np.where(
                    level(column)[:, None] <= steps[:, None, None], column[:, None], np.inf
                )
            else:
                column = np.broadcast_to(
                    column[..., None, :, :], (*column.shape[:-2], size + 1, *column.shape[-2:])
                )
            column = column.reshape(*column.shape[:-3], -1, column.shape[-1])
        columns.append(column)
    value = np.broadcast_to(kernel(*columns, **parameters), ((size + 1) * topics, runs))
    value = value.reshape(size + 1, topics, runs)
    # an item that leaves a search length infinite adds nothing to it
    return np.subtract(
        value[1:],
        value[:-1],
        out=np.zeros((size, topics, runs)),
        where=value[1:] != value[:-1],
    )
