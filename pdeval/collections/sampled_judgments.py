"""Judgments of a sample of items: which (query, item) pairs to label, and what measures are worth from them.

A pool is too large to judge, so some of its items are drawn, each with a chance that is known. A relevant item that was
drawn with chance p stands for 1 / p of them (Horvitz and Thompson): sums over relevant items are estimated without
bias, whatever the chances. infAP draws all items with one chance, xinfAP those of a stratum; any other plan will do.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.collections.pools import Pool, pooled
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import attributes, only_metrics
from pdeval.judged.judged import Judged, checked_level, join
from pdeval.judged.prepared import Compat
from pdeval.judged.ranks import Ties
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.kinds.tables import Table, numbers, read
from pdeval.mechanics import arguments
from pdeval.mechanics.arguments import TooFew
from pdeval.significance.label_next import chances, systematic
from pdeval.verbs import verb

Design = Literal["importance", "stratified", "uniform"]
EDGES = (5, 10, 20, 50, 100, 200, 500, 1000)  # best ranks at which a stratum ends
table(
    "item_sample",
    "query doc rank:int probability:float chosen:bool",
    "sample of items",
    known_by="query doc probability chosen",
    row="item of the pool",
    sort="query doc",
    means={
        "rank": "the best rank that any run gives it",
        "probability": "the chance with which it was drawn",
        "chosen": "whether it was drawn, and is to be labelled",
    },
    unreported="a plan is read, not printed",
    undrawn="a plan is read, not drawn",
)


@verb(on="runs", gives="item_sample", family="pool", name="sample", own="depth", grouped=False)
def sample_items(
    runs: Table,
    size: int,
    *,
    depth: int = 100,
    design: Design = "importance",
    seed: int | None = 0,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return which (query, item) pairs of the pool to label, drawn with known chances.

    Label the items that are `chosen`, and nothing else; `pool.estimate(judgments, measures, sample=plan)` then gives
    what every run scores.

    Parameters
    ----------
    size : int
        How many to draw, over all queries.
    depth : int
        How far down each list is read.
    design : {'importance', 'stratified', 'uniform'}
        Chances in proportion to what an item can add to precision at its ranks, the mean over runs of 1 / rank; the
        same for all items of a stratum of best ranks (xinfAP's way); or the same for all (infAP's).
    seed : int or None
        Of the draw; None for a new one.

    Examples
    --------
    >>> import pdeval
    >>> plan = pdeval.datasets.sample_runs().ireval.pool.sample(500, depth=20)
    >>> plan[plan["chosen"]].head(3).round(3)
       query_id     doc_id  rank  probability  chosen
    8       101  doc-00864     6        0.136    True
    10      101  doc-00929     1        0.276    True
    26      101  doc-03054     1        0.618    True
    """
    found = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    wanted, count = arguments.whole("size", size, 1), len(found.query)
    arguments.seed(seed)
    if wanted > count:
        raise TooFew(f"size={wanted:,}: the pool has {count:,} items down to rank {found.depth}; draw fewer.")
    best = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(best, found.item, found.rank)
    stratum = np.searchsorted(EDGES, best)
    chance = chances(_sizes(found, stratum, design), np.zeros(count, dtype=bool), wanted)
    rng = np.random.default_rng(seed)
    order = rng.permutation(count)
    if design == "stratified":
        order = order[np.argsort(stratum[order], kind="stable")]
    query, doc = found.names
    frame = pd.DataFrame(
        {
            query: labels(found.queries.index(), found.query),
            doc: found.docs.index().take(found.doc),
            "rank": best,
            "probability": chance,
            "chosen": np.isin(np.arange(count), systematic(chance, order, rng.random())),
        },
        copy=False,
    )
    frame.attrs.update({**found.attrs, "design": design, "seed": seed})
    return frame


def _sizes(found: Pool, stratum: np.ndarray, design: str) -> np.ndarray:
    """Return what the chance of each item is in proportion to."""
    own = np.bincount(found.item, 1.0 / found.rank, minlength=len(stratum)) / len(found.runs)
    if design == "importance":
        return own
    if design == "uniform":
        return np.ones(len(stratum))
    count = np.bincount(stratum)
    return (np.bincount(stratum, own) / np.maximum(count, 1))[stratum]


@verb(on="runs", gives="scores", family="pool", name="estimate", own="depth", grouped=False)
def estimate_sampled(
    runs: Table,
    qrels: object,
    measures: object = ("P@10", "RBP"),
    *,
    sample: pd.DataFrame,
    level: float | None = None,
    depth: int | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return what every run scores on every query, estimated from judgments of a sample of items.

    Every relevant item counts 1 / its chance times. P and RBP, sums over items, are estimated without bias; R and AP
    divide by an estimated number of relevant items, and are right for many judged items a query only. Queries are
    independent: `.summary()` and `.compare()` of the result have intervals that know of both samples, of queries and
    of items. For bounds that assume nothing of unjudged items see `pool.residuals`.

    Parameters
    ----------
    measures : str, Measure, or list of them
        P, RBP, R and AP, with cutoffs.
    sample : DataFrame
        What `pool.sample` gave: query, doc, probability, chosen. Judgments of other items are not used.
    level : float, optional
        The least grade that counts as relevant; by default any positive grade.
    depth : int, optional
        Look only at the first `depth` items of each list.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> plan = runs.ireval.pool.sample(1500, depth=20)
    >>> asked = plan[plan["chosen"]].merge(qrels, how="left").fillna({"relevance": 0})  # by people
    >>> runs.ireval.pool.estimate(asked, "P@10", sample=plan).ireval.summary().head(2).round(3)
            run measure   n   mean     sd  ci_low  ci_high
    0      bm25    P@10  50  0.452  0.275   0.374    0.531
    1  bm25+rm3    P@10  50  0.464  0.337   0.368    0.560
    """
    made, asked = read(sample, "item_sample"), parse_all(measures)
    only_metrics(asked)
    for measure in asked:
        if measure.entry.name not in ESTIMATES:
            raise ValueError(
                f"{measure.label} is not estimated from a sample of items; {', '.join(ESTIMATES)} are, with cutoffs."
            )
    weighed = _weighed(made, read(qrels, "qrels"), checked_level(level))
    judged = join(runs, weighed, topics="judged", ties=ties, compat=compat, depth=depth, validate=validate)
    hits = _Hits(judged)
    values = np.stack([ESTIMATES[measure.entry.name](hits, measure) for measure in asked])
    names = tuple(measure.label for measure in asked)
    higher = np.array([measure.higher for measure in asked])
    attrs = {**attributes(judged, asked), "level": level, "judgments": "sampled"}
    return Scores(judged.runs, judged.queries, names, values, higher, attrs).frame()


def _weighed(sample: Table, qrels: Table, level: float | None) -> pd.DataFrame:
    """Return judgments of the items that were drawn, whose grade is how many items each relevant one stands for."""
    names = [sample.roles["query"], sample.roles["doc"]]
    chosen = sample.frame[sample.frame["chosen"].astype(bool)]
    chance = numbers(chosen["probability"], "probability")
    if ((chance <= 0) | (chance > 1)).any():
        raise ValueError("the sample has items that were drawn with a chance of 0, or above 1: it is not a plan.")
    grade = qrels.roles["grade"]
    own = qrels.frame[[qrels.roles["query"], qrels.roles["doc"], grade]].set_axis([*names, grade], axis=1)
    own = own.astype(chosen.dtypes[names].to_dict()).drop_duplicates(names)
    both = chosen[names].assign(_chance=chance).merge(own, on=names, how="left")
    missing = both[both[grade].isna()]
    if len(missing):
        first = tuple(missing[names].iloc[0])
        raise ValueError(
            f"{len(missing):,} of the {len(both):,} items that were drawn have no judgment, e.g. {first}. Judge them: "
            "the estimate is for all that were drawn."
        )
    least = 0.0 if level is None else level
    relevant = (both[grade] > 0) & (both[grade] >= least)
    drawn = both[names].assign(relevance=np.where(relevant, 1.0 / both["_chance"], 0.0))
    # what was not drawn stands for nothing, and keeps its query: one without a drawn item counts as 0
    rest = sample.frame.loc[~sample.frame["chosen"].astype(bool), names].assign(relevance=0.0)
    return pd.concat([drawn, rest], ignore_index=True)


class _Hits:
    """The drawn relevant items that runs found, list by list from the top, with what each stands for."""

    def __init__(self, judged: Judged) -> None:
        at = judged.positions
        self.shape = at.retrieved.shape
        weight = np.maximum(at.judged.grade, 0.0)
        topic = at.judged.topic
        self.relevant = np.bincount(topic, weight, minlength=self.shape[0])
        cell = topic[at.item] * self.shape[1] + at.run
        order = np.lexsort((at.rank, cell))
        self.cell, self.rank, self.weight = cell[order], at.rank[order], weight[at.item[order]]

    def total(self, terms: np.ndarray) -> np.ndarray:
        """Return the sums of terms over the items of each list, (topics, runs)."""
        return np.bincount(self.cell, terms, minlength=int(np.prod(self.shape))).reshape(self.shape)

    def above(self) -> np.ndarray:
        """Return how many relevant items stand above each, as estimated."""
        whole = np.cumsum(self.weight) - self.weight
        begins = np.r_[True, self.cell[1:] != self.cell[:-1]]
        return whole - np.maximum.accumulate(np.where(begins, whole, 0.0))

    def share(self, sums: np.ndarray) -> np.ndarray:
        """Return sums over the number of relevant items, as estimated; 0 where none was drawn."""
        known = self.relevant[:, None]
        return np.divide(sums, known, out=np.zeros(self.shape), where=known > 0)


def _precision(hits: _Hits, measure: Measure) -> np.ndarray:
    k = measure.parameters["k"]
    if not np.isfinite(k):
        raise ValueError(f"{measure.label} is not estimated from a sample of items; P with a cutoff is: P@10.")
    return hits.total(hits.weight * (hits.rank <= k)) / k


def _rank_biased(hits: _Hits, measure: Measure) -> np.ndarray:
    p, k = float(measure.parameters["p"]), measure.parameters["k"]
    return hits.total(hits.weight * (hits.rank <= k) * (1 - p) * np.power(p, hits.rank - 1))


def _recall(hits: _Hits, measure: Measure) -> np.ndarray:
    return hits.share(hits.total(hits.weight * (hits.rank <= measure.parameters["k"])))


def _average_precision(hits: _Hits, measure: Measure) -> np.ndarray:
    here = hits.rank <= measure.parameters["k"]
    return hits.share(hits.total(hits.weight * here * (1 + hits.above()) / hits.rank))


ESTIMATES: dict[str, Any] = {"P": _precision, "RBP": _rank_biased, "R": _recall, "AP": _average_precision}
