"""Who prefers a run: what each population and recall level contributes to the difference of two rankings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.pairs import populations
from pdeval.evaluate.scores import Views, attributes
from pdeval.judged.blocks import Block
from pdeval.judged.judged import Judged
from pdeval.kernels.levels import closer
from pdeval.kernels.preferences import weights
from pdeval.kernels.terms import TERMS
from pdeval.kinds.labels import labels, repeated
from pdeval.kinds.schemas import table
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
        "recall": "the recall level, from 1",
        "weight": "of the row: weighted values add up to the preference",
        "value": "positive where run_a gains",
    },
)


@verb(on="judged", gives="contributions", per_query=True)
def disaggregate(
    judged: Judged, measures: object = ("RPP",), *, baseline: object = None, pairs: object = None
) -> pd.DataFrame:
    """Return what each recall level of each population contributes to the difference of two runs.

    `weight * value`, summed over the rows of a query and pair, is what `prefer` gives for the same call. The values are
    those of Diaz & Ferraro 2022, Fig. 4a: RPP sgn(y - x), AP i (1/x - 1/y), RBP p^x - p^y, nDCG the difference of the
    discounted gains, Bpref that of its terms, RR 1/x - 1/y at one level, ISL and TSL y - x at the first and the last
    level, ASL y - x. For search lengths, items that were not retrieved take the last places of the corpus, so that ASL
    adds up to the difference of ASL(unretrieved=corpus). A preference with several positive grades and no level has
    one population per grade; one by subtopics has one per subtopic and one of users who want any relevant item.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Recall-paired preferences (RPP, dcgRPP, ST-RPP, ..., any weight), and AP, RBP, RR, DCG, nDCG, Bpref, ISL, ESL,
        TSL, ASL.
    baseline : run, optional
        Only pairs of a run with this one, which is then run_b.
    pairs : list of (run_a, run_b), or DataFrame of both, optional
        Only these pairs; by default every pair once.

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
    """
    asked = parse_all(measures)
    only_sums(asked)
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    if not counts.any():
        raise judged.nothing_counts()
    judged.tell(counts, pairs=(a, b))
    views = Views(judged)
    cells: dict[str, list[np.ndarray]] = {name: [] for name in CELLS}
    names: dict[str, int] = {}
    for number, measure in enumerate(asked):
        both = views.counted(measure)
        for population, block, weight, value in _parts(views, measure, a, b):
            used = np.broadcast_to((both[:, a] & both[:, b])[block.topics] & (weight[0] > 0), value.shape)
            at, topic, pair = np.nonzero(used)
            code = names.setdefault(population, len(names))
            cells["topic"].append(block.topics[topic])
            cells["pair"].append(pair)
            cells["measure"].append(np.full(len(at), number))
            cells["population"].append(np.full(len(at), code))
            cells["recall"].append(at + 1)
            cells["weight"].append(np.broadcast_to(weight, value.shape)[at, topic, pair])
            cells["value"].append(value[at, topic, pair])
    whole = {name: np.concatenate(values) for name, values in cells.items()}
    order = np.lexsort([whole[name] for name in ("recall", "population", "measure", "pair", "topic")])
    whole = {name: values[order] for name, values in whole.items()}
    columns = {str(judged.queries.name): repeated(judged.queries, whole["topic"])}
    for side, place in (("a", a), ("b", b)):
        for name in judged.runs.columns:
            columns[f"{name}_{side}"] = repeated(judged.runs[name], place[whole["pair"]])
    columns["measure"] = labels(pd.Index([measure.label for measure in asked]), whole["measure"])
    columns["population"] = repeated(pd.Index(list(names)), whole["population"])
    frame = pd.DataFrame({**columns, **{name: whole[name] for name in ("recall", "weight", "value")}})
    frame.attrs.update(attributes(judged, asked))
    return frame


CELLS = ("topic", "pair", "measure", "population", "recall", "weight", "value")


def only_sums(asked: list[Measure]) -> None:
    """Raise where a measure is no sum over recall levels."""
    for measure in asked:
        if measure.entry.path != "recall-paired" and measure.entry.name not in TERMS:
            known = ", ".join(["RPP and its kin", *TERMS])
            raise ValueError(f"{measure.label} is no sum over recall levels; disaggregate knows {known}.")


def _parts(
    views: Views, measure: Measure, a: np.ndarray, b: np.ndarray
) -> Iterator[tuple[str, Block, np.ndarray, np.ndarray]]:
    """Yield (population, block, weights, values), weights and values of shape (levels, topics, pairs) or less."""
    if measure.entry.path == "recall-paired":
        given = measure.parameters.get("weight", measure.entry.weight)
        for name, share, blocks in populations(views, measure):
            for block in filter(lambda block: block.size, blocks):
                rank = block["rank"]
                weight = weights(given, block.size)[:, None, None]
                own = weight if share is None else weight * share[block.topics][:, None]
                yield name, block, own, closer(rank[..., a], rank[..., b]).astype(np.float64)
        return
    function = TERMS[measure.entry.name]
    signature = inspect.signature(function).parameters.values()
    columns = tuple(one.name for one in signature if one.kind is not one.KEYWORD_ONLY)
    own = {one.name for one in signature if one.kind is one.KEYWORD_ONLY}
    given = {name: value for name, value in measure.parameters.items() if name in own}
    for block in views.blocks(measure.kind, views.level(measure)):
        if block.size:
            terms, weight = function(*block.columns(columns), **given)
            value = np.subtract(terms[..., a], terms[..., b])
            yield "relevant", block, np.broadcast_to(weight, (block.shape[0], 1))[None], value
