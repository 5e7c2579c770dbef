"""Judgments of a sample of items: which (query, item) pairs to label, and what measures are worth from them.

A pool is too large to judge, so some of its items are drawn, each with a chance that is known. A relevant item that was
drawn with chance p stands for 1 / p of them (Horvitz and Thompson): sums over relevant items are estimated without
bias, whatever the chances. infAP draws all items with one chance, xinfAP those of a stratum; any other plan will do.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import attributes, only_metrics
from pdeval.join.judged import Judged, checked_level, join
from pdeval.join.query_rules import outside
from pdeval.join.ranks import Ties
from pdeval.join.run_lists import Compat
from pdeval.judgments.labeling_plan import chances, systematic
from pdeval.judgments.pools import Pool, pooled
from pdeval.tables.labels import labels
from pdeval.tables.reader import Table, numbers, read
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew


class Hits:
    """Items of the lists of queries and runs, sorted by list and rank.

    Parameters
    ----------
    shape : (int, int)
        How many queries and runs there are.
    query, run, rank : ndarray of shape (hits,)
        Which list has an item, and where.

    Examples
    --------
    >>> hits = Hits((1, 2), np.array([0, 0, 0]), np.array([1, 0, 1]), np.array([2, 1, 1]))
    >>> hits.order.tolist(), hits.total(np.array([5.0, 1.0, 2.0])).tolist()
    ([1, 2, 0], [[5.0, 3.0]])
    >>> hits.above(np.array([5.0, 1.0, 2.0])).tolist()
    [0.0, 0.0, 1.0]
    """

    def __init__(self, shape: tuple[int, int], query: np.ndarray, run: np.ndarray, rank: np.ndarray) -> None:
        cell = query.astype(np.int64) * shape[1] + run
        self.shape, self.order = shape, np.lexsort((rank, cell))
        self.cell, self.rank = cell[self.order], rank[self.order].astype(np.float64)
        self._begins = np.r_[True, self.cell[1:] != self.cell[:-1]] if len(cell) else np.zeros(0, dtype=bool)

    def total(self, terms: np.ndarray) -> np.ndarray:
        """Return the sums of terms over each list, (queries, runs)."""
        return np.bincount(self.cell, terms, minlength=int(np.prod(self.shape))).reshape(self.shape)

    def above(self, terms: np.ndarray) -> np.ndarray:
        """Return the sum of terms over what stands above each item in its list."""
        whole = np.r_[0.0, np.cumsum(terms)[:-1]][: len(terms)]
        first = np.flatnonzero(self._begins)  # a list's own sum begins where it does
        return whole - np.repeat(whole[first], np.diff(np.r_[first, len(terms)]))


class Sampled:
    """The items of a join, each with the number that it stands for and the variance of that number.

    Parameters
    ----------
    judged : Judged
        Runs joined to all items of a sample; the grade of an item is its place in the arrays, counted from 1.
    weight : ndarray of shape (items,)
        1 / the chance of an item that is known, 0 for others.
    relevant : ndarray of bool
        Whether a known item is relevant.
    guess : ndarray
        What is predicted of every item, from 0 to 1.
    """

    def __init__(self, judged: Judged, weight: np.ndarray, relevant: np.ndarray, guess: np.ndarray) -> None:
        at = judged.positions
        error = relevant - guess
        value, variance = guess + weight * error, weight * np.maximum(weight - 1.0, 0.0) * error**2
        place, topic = at.judged.grade.astype(np.int64) - 1, at.judged.topic
        self.hits = Hits(at.retrieved.shape, topic[at.item], at.run, at.rank)
        found = place[at.item[self.hits.order]]
        self.rank, self.value, self.variance = self.hits.rank, value[found], variance[found]
        self.relevant = np.bincount(topic, value[place], minlength=self.hits.shape[0])
        self.doubt = np.bincount(topic, variance[place], minlength=self.hits.shape[0])

    @property
    def unknown(self) -> np.ndarray:
        """Which queries have no relevant item that is known of."""
        return self.relevant <= 0

    def ratio(self, sums: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        """Return sums over the number of relevant items, as Tin estimates it; NaN where none is known of.

        Parameters
        ----------
        covariance : ndarray of shape (queries, runs)
            That of the sums and the estimated number of relevant items.
        """
        whole = np.where(self.unknown, np.nan, self.relevant)[:, None]
        return (sums + covariance / whole - sums * self.doubt[:, None] / whole**2) / whole


def _precision(held: Sampled, measure: Measure) -> np.ndarray:
    k = measure.parameters["k"]
    if not np.isfinite(k):
        raise ValueError(f"{measure.label} is not estimated from a sample of items; P with a cutoff is: P@10.")
    return held.hits.total(held.value * (held.rank <= k)) / k


def _rank_biased(held: Sampled, measure: Measure) -> np.ndarray:
    p, k = float(measure.parameters["p"]), measure.parameters["k"]
    return held.hits.total(held.value * (held.rank <= k) * (1 - p) * np.power(p, held.rank - 1))


def _recall(held: Sampled, measure: Measure) -> np.ndarray:
    here = held.rank <= measure.parameters["k"]
    return held.ratio(held.hits.total(held.value * here), held.hits.total(held.variance * here))


def _average_precision(held: Sampled, measure: Measure) -> np.ndarray:
    # a sum over pairs of relevant items, one above the other: each of both covaries with the number of relevant items
    share, above = (held.rank <= measure.parameters["k"]) / held.rank, held.hits.above
    up_to = 1 + above(held.value)
    covariance = held.hits.total(share * (held.variance * up_to + held.value * above(held.variance)))
    return held.ratio(held.hits.total(share * held.value * up_to), covariance)


ESTIMATES: dict[str, Any] = {"P": _precision, "RBP": _rank_biased, "R": _recall, "AP": _average_precision}
RATIOS = ("R", "AP")


Design = Literal["importance", "stratified", "uniform"]
EDGES = (5, 10, 20, 50, 100, 200, 500, 1000)  # best ranks at which a stratum ends
table(
    "item_sample",
    "query doc rank:int [labelled:bool] [predicted:share] [effect:float] probability:float chosen:bool",
    "sample of items",
    known_by="query doc probability chosen",
    row="item of the pool",
    sort="query doc",
    means={
        "rank": "the best rank that any run gives it",
        "labelled": "whether people labelled it already: it is known, and not drawn",
        "predicted": "the chance that people find it relevant, by what they say of items that the machine labels alike",
        "effect": "how far measures move where it is relevant and not irrelevant: over runs, 1 is the average item",
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
    stratum = np.searchsorted(EDGES, found.best)
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
            "rank": found.best,
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

    Every relevant item counts 1 / its chance times. P and RBP, sums over items, are estimated without bias. R and AP
    divide by an estimated number of relevant items: they leave out queries of which no relevant item was drawn, and
    need a sample that is large or uniform (Notes). Queries are independent: `.summary()` and `.compare()` of the result
    have intervals that know of both samples, of queries and of items. For bounds that assume nothing of unjudged items
    see `pool.residuals`.

    Parameters
    ----------
    measures : str, Measure, or list of them
        P, RBP, R and AP, with cutoffs.
    sample : DataFrame
        What `pool.sample` gave: query, doc, probability, chosen. Judgments of other items are not used. That of
        `label_next.items` has items that were labelled before, which count as they are, and what a machine predicts of
        all items: P and RBP are the better for it, and as free of bias.

    Notes
    -----
    What 95% intervals cover, simulated with pools of 100 items (`python -m tests.statistics.item_samples`): of P and
    RBP 93 to 97%, from 50 queries and 20 drawn items each on (RBP by the uniform design from 40); of differences
    between runs 93 to 97%, by all measures and designs, with up to 50 queries; with 200 queries at least .91.

    R by the uniform design has no bias and is covered in 93 to 97%. AP by the uniform design has a bias of at most .014
    and is skewed: with 50 queries .81 to .89 are covered from 10 items each, .89 to .93 from 20 or 40, .92 to .95 from
    80. By the other designs R and AP are too large, because relevant items far down are seldom drawn: R@20 by .06 to
    .19 from 20 items of 100, .02 to .10 from 40 and .01 from 80; AP by .03 to .09, .01 to .03 and less than .01. For
    them draw with design='uniform', draw most of the pool, or compare runs.

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
    places, weight, relevant, guess = _known(made, read(qrels, "qrels"), checked_level(level))
    judged = join(runs, places, topics="judged", ties=ties, compat=compat, depth=depth, validate=validate)
    plain, guessed = (Sampled(judged, weight, relevant, one) for one in (np.zeros(len(guess)), guess))
    ratios = [measure.label for measure in asked if measure.entry.name in RATIOS]
    _tell(plain, ratios)
    values = np.stack([ESTIMATES[one.entry.name](plain if one.label in ratios else guessed, one) for one in asked])
    names = tuple(measure.label for measure in asked)
    higher = np.array([measure.higher for measure in asked])
    attrs = {**attributes(judged, asked), "level": level, "judgments": "sampled"}
    return Scores(judged.runs, judged.queries, names, values, higher, attrs).frame()


def _tell(held: Sampled, ratios: list[str]) -> None:
    """Warn where R and AP have no estimate for a query."""
    none = int(held.unknown.sum())
    if ratios and none:
        warnings.warn(
            f"no relevant item of {none:,} of {len(held.unknown):,} queries was drawn: they are left out of "
            f"{' and '.join(ratios)}. A larger sample leaves out fewer.",
            UserWarning,
            stacklevel=outside(),
        )


def _known(sample: Table, qrels: Table, level: float | None) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Return the items of a sample as judgments graded by place; their weights, whether relevant, and predictions."""
    names, frame = [sample.roles["query"], sample.roles["doc"]], sample.frame
    if frame["chosen"].isna().any():
        raise ValueError(
            "the chosen column has missing values; True is an item that was drawn, False one that was not."
        )
    known, chance = frame["chosen"].to_numpy(dtype=bool), numbers(frame["probability"], "probability")
    if "labelled" in frame.columns:
        before = frame["labelled"].to_numpy(dtype=bool)
        known, chance = known | before, np.where(before, 1.0, chance)
    chance = np.where(known, chance, 1.0)
    if ((chance <= 0) | (chance > 1)).any():
        raise ValueError("the sample has items that were drawn with a chance of 0, or above 1: it is not a plan.")
    own = qrels.frame[[qrels.roles["query"], qrels.roles["doc"]]].set_axis(names, axis=1)
    own = own.assign(_grade=numbers(qrels.column("grade"), "judgments' grade"))
    try:
        own = own.astype(frame.dtypes[names].to_dict()).drop_duplicates(names)
    except (ValueError, TypeError):
        raise ValueError(
            f"the ids in {' and '.join(names)} are of other types in the sample than in the judgments."
        ) from None
    judged = frame[names].merge(own, on=names, how="left")["_grade"].to_numpy(dtype=float)
    missing = np.flatnonzero(known & np.isnan(judged))
    if len(missing):
        first = tuple(frame[names].iloc[missing[0]])
        raise ValueError(
            f"{len(missing):,} of the {known.sum():,} items that were drawn have no judgment, e.g. {first}. Judge "
            "them: the estimate is for all that were drawn."
        )
    relevant = (judged > 0) & (judged >= (0.0 if level is None else level))
    guess = numbers(frame["predicted"], "predicted") if "predicted" in frame.columns else np.zeros(len(frame))
    places = frame[names].assign(relevance=np.arange(1.0, len(frame) + 1))
    return places, np.where(known, 1.0 / chance, 0.0), relevant, guess
