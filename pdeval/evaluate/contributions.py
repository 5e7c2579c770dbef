"""Who prefers a run: what each population and recall level contributes to the difference of two rankings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.evaluate import offline_interleaving
from pdeval.evaluate.pairs import both_sides
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import Views, attributes, check_populations, populations
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
    asked = sums(measures)
    check_populations(judged.positions, asked)
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    if not counts.any():
        raise judged.nothing_counts()
    judged.tell(counts, pairs=(a, b))
    views = Views(judged)
    cells, names = _cells(views, asked, a, b)
    columns: dict[str, Any] = {}
    if per == "query":
        columns[str(judged.queries.name)] = repeated(judged.queries, cells["topic"])
    else:
        cells = _means(cells, views, asked, a, b)
    for side, place in (("a", a), ("b", b)):
        for name in judged.runs.columns:
            columns[f"{name}_{side}"] = repeated(judged.runs[name], place[cells["pair"]])
    columns["measure"] = labels(pd.Index([measure.label for measure in asked]), cells["measure"])
    columns["population"] = repeated(pd.Index(names), cells["population"])
    columns.update({one: cells[one] for one in ("recall", "n", "weight", "value") if one in cells})
    frame = pd.DataFrame(columns)
    frame.attrs.update(attributes(judged, asked))
    return frame


KEY = ("topic", "pair", "measure", "population", "recall")
Cells = dict[str, np.ndarray]


def _cells(views: Views, asked: list[Measure], a: np.ndarray, b: np.ndarray) -> tuple[Cells, list[str]]:
    """Return the cells of all measures as columns, sorted by `KEY`, and the names of the populations."""
    parts: dict[str, list[np.ndarray]] = {name: [] for name in (*KEY, "weight", "value")}
    names: dict[str, int] = {}
    for number, measure in enumerate(asked):
        both = views.counted(measure)
        for population, block, weight, value in parts_of(views, measure, a, b):
            used = (both[:, a] & both[:, b])[block.topics] & ~np.isnan(weight)
            at, topic, pair = np.nonzero(np.broadcast_to(used, value.shape))
            code = names.setdefault(population, len(names))
            parts["topic"].append(block.topics[topic])
            parts["pair"].append(pair)
            parts["measure"].append(np.full(len(at), number))
            parts["population"].append(np.full(len(at), code))
            parts["recall"].append(at + 1)
            parts["weight"].append(np.broadcast_to(weight, value.shape)[at, topic, pair])
            parts["value"].append(value[at, topic, pair])
    whole = {name: np.concatenate(values) for name, values in parts.items()}
    order = np.lexsort([whole[name] for name in reversed(KEY)])
    return {name: values[order] for name, values in whole.items()}, list(names)


def _means(cells: Cells, views: Views, asked: list[Measure], a: np.ndarray, b: np.ndarray) -> Cells:
    """Return the means of the cells over all queries."""
    counts = [views.counted(measure) for measure in asked]
    n = np.array([(both[:, a] & both[:, b]).sum(axis=0) for both in counts])
    # one number for each cell, rising in the order of the key
    top = [int(cells[name].max(initial=0)) + 1 for name in KEY[1:]]
    key = np.ravel_multi_index([cells[name] for name in KEY[1:]], top)
    found, place = np.unique(key, return_inverse=True)
    weight, value = (np.bincount(place, one) for one in (cells["weight"], cells["weight"] * cells["value"]))
    held = weight > 0  # a level that decides nowhere contributes nothing
    merged = dict(zip(KEY[1:], (part[held] for part in np.unravel_index(found, top))))
    queries = n[merged["measure"], merged["pair"]]
    return {**merged, "n": queries, "weight": weight[held] / queries, "value": value[held] / weight[held]}


def sums(measures: object) -> list[Measure]:
    """Return the measures as sums over recall levels; of search lengths this is the variant with `unretrieved=corpus`.

    Examples
    --------
    >>> sums("AP, ASL@g1-5")
    [AP, ASL(unretrieved=corpus)@g1-5]
    """
    asked = parse_all(measures)
    for measure in asked:
        if measure.entry.path not in ("recall-paired", "interleaved") and measure.entry.name not in {
            *TERMS,
            *PAIR_TERMS,
        }:
            known = ", ".join(["RPP and its kin", *TERMS, *PAIR_TERMS, "OI"])
            raise ValueError(f"{measure.label} is no sum over recall levels; disaggregate knows {known}.")
    placed = [measure.parameters.get("unretrieved", "corpus") != "corpus" for measure in asked]
    return parse_all([parse(one, unretrieved="corpus") if new else one for one, new in zip(asked, placed)])


def parts_of(
    views: Views, measure: Measure, a: np.ndarray, b: np.ndarray
) -> Iterator[tuple[str, Block, np.ndarray, np.ndarray]]:
    """Yield (population, block, weights, values), weights and values of shape (levels, topics, pairs) or less.

    A topic that a population has no share in has a weight that is not a number.
    """
    entry, parameters = measure.entry, measure.parameters
    if entry.family == "metric":
        yield from _terms(views, measure, a, b)
        return
    for name, share, blocks in populations(views, measure):
        for block in filter(lambda block: block.size, blocks):
            if entry.path == "interleaved":
                user, over = parameters["user"], parameters["over"]
                value, weight = offline_interleaving.stops_of_block(block, user, a, b, over=over)
            elif entry.path == "recall-paired":
                weight = weights(parameters.get("weight", entry.weight), block.size)[:, None, None]
                value = closer(block["rank"][..., a], block["rank"][..., b]).astype(np.float64)
            else:
                function = PAIR_TERMS[entry.name]
                value, weight = function(*both_sides(block, entry.columns, a, b), **parameters)
            yield name, block, _of_population(weight, share, block), value


def _terms(
    views: Views, measure: Measure, a: np.ndarray, b: np.ndarray
) -> Iterator[tuple[str, Block, np.ndarray, np.ndarray]]:
    """Yield the same of a measure: the difference of its terms."""
    function = TERMS[measure.entry.name]
    signature = inspect.signature(function).parameters.values()
    columns = tuple(one.name for one in signature if one.kind is not one.KEYWORD_ONLY)
    own = {one.name for one in signature if one.kind is one.KEYWORD_ONLY}
    given = {name: value for name, value in measure.parameters.items() if name in own}
    for name, share, blocks in populations(views, measure):
        for block in filter(lambda block: block.size, blocks):
            terms, weight = function(*block.columns(columns), **given)
            value = np.subtract(terms[..., a], terms[..., b])
            weight = weight if np.ndim(weight) == 3 else np.broadcast_to(weight, (block.shape[0], 1))[None]
            yield name, block, _of_population(weight, share, block), value


def _of_population(weight: np.ndarray, share: np.ndarray | None, block: Block) -> np.ndarray:
    """Return the weights of a population's cells on the topics of a block; not a number where it has no share."""
    return weight if share is None else weight * np.where(share > 0, share, np.nan)[block.topics][:, None]
