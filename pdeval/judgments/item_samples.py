"""Judgments of a sample of items: which (query, item) pairs to label, and what measures are worth from them.

A pool is too large to judge, so some of its items are drawn, each with a chance that is known. A relevant item that was
drawn with chance p stands for 1 / p of them (Horvitz and Thompson): sums over relevant items are estimated without
bias, whatever the chances. infAP draws all items with one chance, xinfAP those of a stratum; any other plan will do.

With labels by a machine, an item is worth a label where it moves the measures and the machine is in doubt. How far
measures move is the item's weight at its ranks. The doubt is that of people: of the items that the machine labels
alike, a share q was found relevant by people, so that the next one has standard deviation sqrt(q (1 - q)). Chances in
proportion to the product make the variance of the estimates least (Neyman). They are known, so `pool.estimate` stays
right on average however wrong the machine is: it takes q for every item, and adds what people say of the drawn ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import attributes, only_metrics
from pdeval.join.judged import Judged, join
from pdeval.join.rules import Compat, Ties, checked_level, outside
from pdeval.judgments.partial_labels import Design, chances, systematic
from pdeval.judgments.pools import Pool, pooled
from pdeval.tables.equal_values import NOISE
from pdeval.tables.reader import Table, numbers, read
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew, whole

EDGES = (5, 10, 20, 50, 100, 200, 500, 1000)  # best ranks at which a stratum ends
# the part of the chances that all items share alike: none is impossible, and surprises do not weigh too much
EVEN = 0.1


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
    pool = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    size, count = whole("size", size, 1), len(pool.query)
    if size > count:
        raise TooFew(
            f"size={size:,}: the pool has {count:,} items down to rank {pool.depth}; draw fewer."
        )
    stratum = np.searchsorted(EDGES, pool.best)
    weight = np.ones(count)
    if design != "uniform":
        weight = np.bincount(pool.item, 1.0 / pool.rank, minlength=count) / len(pool.runs)
    if design == "stratified":  # the mean of the stratum
        weight = (np.bincount(stratum, weight) / np.maximum(np.bincount(stratum), 1))[stratum]
    labelled = np.zeros(count, dtype=bool)
    chance = chances(weight, labelled, size)
    chosen = draw(chance, labelled, seed, stratum if design == "stratified" else None)
    return pool.frame(
        {"rank": pool.best, "probability": chance, "chosen": chosen}, design=design, seed=seed
    )


def draw(
    chance: np.ndarray, labelled: np.ndarray, seed: int | None, stratum: np.ndarray | None = None
) -> np.ndarray:
    """Return which items a systematic draw in random order takes, of those that are not labelled."""
    rng = np.random.default_rng(seed)
    order = np.flatnonzero(~labelled)[rng.permutation(int((~labelled).sum()))]
    if stratum is not None:
        order = order[np.argsort(stratum[order], kind="stable")]
    return np.isin(np.arange(len(chance)), systematic(chance, order, rng.random()))


@verb(on="runs", gives="item_sample", family="label_next", name="items", own="depth", grouped=False)
def label_items(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = ("P@10",),
    *,
    size: int = 100,
    of: Literal["means", "differences"] = "means",
    depth: int = 100,
    design: Literal["importance", "uniform"] = "importance",
    seed: int | None = 0,
    level: float | None = None,
    ties: Ties | None = None,
    compat: Compat = "trec_eval-10",
    validate: bool = True,
) -> pd.DataFrame:
    """Return which (query, item) pairs people should label next, drawn where their labels narrow intervals most.

    Chances are in proportion to how far an item moves the measures, times how much people differ about items that the
    machine labels as it does. Label the chosen ones, and give all of people's labels to `pool.estimate`, with this
    table as `sample`: it uses the machine's labels too.

    Parameters
    ----------
    qrels : DataFrame or bound accessor
        People's judgments so far, of whichever items. They show what the machine's labels are worth.
    machine : DataFrame or bound accessor
        The machine's judgments; items that it did not label are a kind of their own.
    measures : str, Measure, or list of them
        Sums over items: P with a cutoff, and RBP.
    size : int
        How many items to draw, over all queries.
    of : {'means', 'differences'}
        Narrow the intervals of what each run scores; or of differences between runs, to which an item that all runs
        rank alike adds nothing.
    depth : int
        How far down each list is read.
    design : {'importance', 'uniform'}
        Chances as above; or the same for all items.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, _ = pdeval.datasets.load_sample()
    >>> machine = qrels.assign(relevance=(qrels["relevance"] > 1) * 1)  # too strict
    >>> people = qrels.sample(300, random_state=0)
    >>> plan = runs.ireval.label_next.items(people, machine, "P@10", size=200, depth=20)
    >>> plan[plan["chosen"]].head(3).round(3)
       query_id     doc_id  rank  labelled  predicted  effect  probability  chosen
    8       101  doc-00864     6     False      0.137   2.190        0.103    True
    27      101  doc-03242     9     False      0.137   1.264        0.061    True
    38      101  doc-04990     7     False      0.137   1.264        0.061    True
    """
    parsed = parse_all(measures)
    only_metrics(parsed)
    pool = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    size = whole("size", size, 1)
    for measure in parsed:
        name = measure.entry.name
        if name not in WEIGHTS or (name == "P" and not np.isfinite(measure.parameters["k"])):
            raise ValueError(
                f"{measure.label} is no sum over items; items are chosen for P with a cutoff and RBP. For R and AP "
                "draw with .pool.sample(size, design='uniform')."
            )
    people, judge = (pool.grades(read(table, "qrels")) for table in (qrels, machine))
    labelled = people >= 0
    relevant = labelled & (people > 0) & (people >= (checked_level(level) or 0.0))
    predicted = agreed(relevant, labelled, judge)
    n_open = int((~labelled).sum())
    if size > n_open:
        raise TooFew(
            f"size={size:,}: people have not labelled {n_open:,} of the {len(people):,} items; draw fewer."
        )
    effect = effects(pool, parsed, of)
    if not effect[~labelled].any():
        raise TooFew(
            "no item that people did not label moves these measures: there is nothing to gain by labels."
        )
    effect = effect / effect[~labelled].mean()
    weight = np.ones(len(effect))
    if design == "importance":
        doubt = effect * np.sqrt(predicted * (1 - predicted))
        weight = EVEN + (1 - EVEN) * doubt / doubt[~labelled].mean()
    chance = np.where(labelled, 1.0, chances(weight, labelled, size))
    columns = {
        "rank": pool.best,
        "labelled": labelled,
        "predicted": predicted,
        "effect": effect,
        "probability": chance,
        "chosen": draw(chance, labelled, seed),
    }
    return pool.frame(columns, design=design, seed=seed)


def agreed(relevant: np.ndarray, labelled: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """Return the chance that people find each item relevant, by those that the machine labels alike.

    With r of n found relevant it is (r + 1/2) / (n + 1), so that few labels leave doubt.

    Examples
    --------
    >>> judge = np.array([1.0, 1.0, 1.0, 0.0, 0.0, np.nan])
    >>> agreed(np.array([1, 1, 0, 0, 0, 0]) > 0, np.array([1, 1, 0, 1, 0, 0]) > 0, judge).round(3).tolist()
    [0.833, 0.833, 0.833, 0.25, 0.25, 0.5]
    """
    if not (labelled & ~np.isnan(judge)).any():
        raise ValueError(
            f"people labelled {labelled.sum():,} items of the pool and the machine {(~np.isnan(judge)).sum():,}, none "
            "of them in common: nothing tells what the machine's labels are worth. Are queries and items named alike?"
        )
    # items without a label of the machine are a kind of their own, the last
    kind, kinds = pd.factorize(judge, use_na_sentinel=True)
    kind = np.where(kind < 0, len(kinds), kind)
    n = np.bincount(kind[labelled], minlength=len(kinds) + 1)
    r = np.bincount(kind[labelled], relevant[labelled], minlength=len(kinds) + 1)
    return np.asarray(((r + 0.5) / (n + 1.0))[kind])


def effects(pool: Pool, measures: list[Measure], of: str = "means") -> np.ndarray:
    """Return how far each item of a pool moves the measures: root mean squares over runs (or pairs) and measures.

    Examples
    --------
    >>> lists = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abac"), "score": [2, 1, 2, 1]})
    >>> pool = pooled(read(lists, "runs"), 2)
    >>> effects(pool, parse_all("P@2")).round(3).tolist()
    [1.225, 0.866, 0.866]
    >>> effects(pool, parse_all("P@2"), "differences").round(3).tolist()  # both have a at the top
    [0.0, 1.225, 1.225]
    """
    count, runs = len(pool.query), len(pool.runs)
    squares = np.zeros(count)
    for measure in measures:
        weight = WEIGHTS[measure.entry.name](pool.rank, measure.parameters)
        square = np.bincount(pool.item, weight**2, minlength=count) / runs
        if (
            of == "differences"
        ):  # the mean squared difference of two runs is twice the variance over runs
            square -= (np.bincount(pool.item, weight, minlength=count) / runs) ** 2
            # what rounding left of a difference of 0
            square[square < NOISE * square.max(initial=0.0)] = 0.0
        squares += square / max(float(square.mean()), np.finfo(float).tiny)
    return np.asarray(np.sqrt(squares / len(measures)))


# the weight of an item at a rank, up to a factor
WEIGHTS: dict[str, Callable[[np.ndarray, Mapping[str, Any]], np.ndarray]] = {
    "P": lambda rank, parameters: (rank <= parameters["k"]) * 1.0,
    "RBP": lambda rank, parameters: (
        (rank <= parameters["k"]) * np.power(float(parameters["p"]), rank - 1.0)
    ),
}


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
    plan, parsed = read(sample, "item_sample"), parse_all(measures)
    only_metrics(parsed)
    for measure in parsed:
        if measure.entry.name not in ESTIMATES:
            raise ValueError(
                f"{measure.label} is not estimated from a sample of items; {', '.join(ESTIMATES)} are, with cutoffs."
            )
    places, weight, relevant, guess = _known(plan, read(qrels, "qrels"), checked_level(level))
    judged = join(
        runs, places, topics="judged", ties=ties, compat=compat, depth=depth, validate=validate
    )
    plain, guessed = (
        Sampled(judged, weight, relevant, one) for one in (np.zeros(len(guess)), guess)
    )
    ratios = [measure.label for measure in parsed if measure.entry.name in RATIOS]
    n_unknown = int(plain.unknown.sum())
    if ratios and n_unknown:
        warnings.warn(
            f"no relevant item of {n_unknown:,} of {len(plain.unknown):,} queries was drawn: they are left out of "
            f"{' and '.join(ratios)}. A larger sample leaves out fewer.",
            UserWarning,
            stacklevel=outside(),
        )
    values = [
        ESTIMATES[one.entry.name](plain if one.label in ratios else guessed, one) for one in parsed
    ]
    attrs = {**attributes(judged, parsed), "level": level, "judgments": "sampled"}
    return Scores(
        judged.runs,
        judged.queries,
        tuple(measure.label for measure in parsed),
        np.stack(values),
        np.array([measure.higher for measure in parsed]),
        attrs,
    ).frame()


def _known(
    sample: Table, qrels: Table, level: float | None
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Return the items of a sample as judgments graded by place; their weights, whether relevant, and predictions."""
    names, frame = [sample.roles["query"], sample.roles["doc"]], sample.frame
    if frame["chosen"].isna().any():
        raise ValueError(
            "the chosen column has missing values; True is an item that was drawn, False one that was not."
        )
    known, chance = (
        frame["chosen"].to_numpy(dtype=bool),
        numbers(frame["probability"], "probability"),
    )
    if "labelled" in frame.columns:  # known for sure
        labelled = frame["labelled"].to_numpy(dtype=bool)
        known, chance = known | labelled, np.where(labelled, 1.0, chance)
    chance = np.where(known, chance, 1.0)
    if ((chance <= 0) | (chance > 1)).any():
        raise ValueError(
            "the sample has items that were drawn with a chance of 0, or above 1: it is not a plan."
        )
    judgments = qrels.frame[[qrels.roles["query"], qrels.roles["doc"]]].set_axis(names, axis=1)
    judgments = judgments.assign(_grade=numbers(qrels.column("grade"), "judgments' grade"))
    try:
        judgments = judgments.astype(frame.dtypes[names].to_dict()).drop_duplicates(names)
    except (ValueError, TypeError):
        raise ValueError(
            f"the ids in {' and '.join(names)} are of other types in the sample than in the judgments."
        ) from None
    # a left merge keeps the order of the sample
    grade = frame[names].merge(judgments, on=names, how="left")["_grade"].to_numpy(dtype=float)
    missing = np.flatnonzero(known & np.isnan(grade))
    if len(missing):
        raise ValueError(
            f"{len(missing):,} of the {known.sum():,} items that were drawn have no judgment, e.g. "
            f"{tuple(frame[names].iloc[missing[0]])}. Judge them: the estimate is for all that were drawn."
        )
    relevant = (grade > 0) & (grade >= (0.0 if level is None else level))
    guess = (
        numbers(frame["predicted"], "predicted")
        if "predicted" in frame.columns
        else np.zeros(len(frame))
    )
    places = frame[names].assign(relevance=np.arange(1.0, len(frame) + 1))
    return places, np.where(known, 1.0 / chance, 0.0), relevant, guess


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

    def __init__(
        self, judged: Judged, weight: np.ndarray, relevant: np.ndarray, guess: np.ndarray
    ) -> None:
        positions = judged.positions
        error = relevant - guess
        value, variance = guess + weight * error, weight * np.maximum(weight - 1.0, 0.0) * error**2
        place, topic = positions.judged.grade.astype(np.int64) - 1, positions.judged.topic
        # hits sorted by list, (query, run) as one number, and rank
        self.shape = positions.retrieved.shape
        cell = topic[positions.item].astype(np.int64) * self.shape[1] + positions.run
        order = np.lexsort((positions.rank, cell))
        self.cell, self.rank = cell[order], positions.rank[order].astype(np.float64)
        self.value, self.variance = (one[place[positions.item[order]]] for one in (value, variance))
        # of all items of each query, retrieved or not
        self.relevant, self.doubt = (
            np.bincount(topic, one[place], minlength=self.shape[0]) for one in (value, variance)
        )

    @property
    def unknown(self) -> np.ndarray:
        """Which queries have no relevant item that is known of."""
        return self.relevant <= 0

    def total(self, terms: np.ndarray) -> np.ndarray:
        """Return the sums of terms over each list, (queries, runs)."""
        return np.bincount(self.cell, terms, minlength=int(np.prod(self.shape))).reshape(self.shape)

    def above(self, terms: np.ndarray) -> np.ndarray:
        """Return the sum of terms over the items ranked above each item in its list."""
        before = np.r_[0.0, np.cumsum(terms)[:-1]][: len(terms)]
        # the running sum where a list begins is not its own
        first = np.flatnonzero(np.diff(self.cell, prepend=-1))
        return before - np.repeat(before[first], np.diff(np.r_[first, len(terms)]))

    def ratio(self, sums: np.ndarray, covariance: np.ndarray) -> np.ndarray:
        """Return sums over the number of relevant items, as Tin estimates it; NaN where none is known of.

        Parameters
        ----------
        covariance : ndarray of shape (queries, runs)
            That of the sums and the estimated number of relevant items.
        """
        relevant = np.where(self.unknown, np.nan, self.relevant)[:, None]
        return (sums + covariance / relevant - sums * self.doubt[:, None] / relevant**2) / relevant


def _precision(sampled: Sampled, measure: Measure) -> np.ndarray:
    k = measure.parameters["k"]
    if not np.isfinite(k):
        raise ValueError(
            f"{measure.label} is not estimated from a sample of items; P with a cutoff is: P@10."
        )
    return sampled.total(sampled.value * (sampled.rank <= k)) / k


def _rank_biased(sampled: Sampled, measure: Measure) -> np.ndarray:
    p, k = float(measure.parameters["p"]), measure.parameters["k"]
    return sampled.total(
        sampled.value * (sampled.rank <= k) * (1 - p) * np.power(p, sampled.rank - 1)
    )


def _recall(sampled: Sampled, measure: Measure) -> np.ndarray:
    in_cutoff = sampled.rank <= measure.parameters["k"]
    return sampled.ratio(
        sampled.total(sampled.value * in_cutoff), sampled.total(sampled.variance * in_cutoff)
    )


def _average_precision(sampled: Sampled, measure: Measure) -> np.ndarray:
    # a sum over pairs of relevant items, one above the other: each of both covaries with the number of relevant items
    share, above = (sampled.rank <= measure.parameters["k"]) / sampled.rank, sampled.above
    up_to = 1 + above(sampled.value)
    covariance = sampled.total(
        share * (sampled.variance * up_to + sampled.value * above(sampled.variance))
    )
    return sampled.ratio(sampled.total(share * sampled.value * up_to), covariance)


ESTIMATES: dict[str, Callable[[Sampled, Measure], np.ndarray]] = {
    "P": _precision,
    "RBP": _rank_biased,
    "R": _recall,
    "AP": _average_precision,
}
RATIOS = ("R", "AP")
