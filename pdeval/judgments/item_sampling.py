"""Which (query, item) pairs people should label next, given what a machine says of all of them.

An item is worth a label where it moves the measures and the machine is in doubt. How far measures move is the item's
weight at its ranks. The doubt is that of people: of the items that the machine labels alike, a share q was found
relevant by people, so that the next one has standard deviation sqrt(q (1 - q)). Chances in proportion to the product
make the variance of the estimates least (Neyman). They are known, so `pool.estimate` stays right on average however
wrong the machine is: it takes q for every item, and adds what people say of the drawn ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate.scores import only_metrics
from pdeval.join.judged import checked_level
from pdeval.join.ranks import Ties
from pdeval.join.run_lists import Compat
from pdeval.judgments.labeling_plan import chances, systematic
from pdeval.judgments.pools import Pool, pooled
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels
from pdeval.tables.reader import Table, read
from pdeval.verbs import arguments, verb
from pdeval.verbs.arguments import TooFew

# the part of the chances that all items share alike: none is impossible, and surprises do not weigh too much
EVEN = 0.1
For = Literal["means", "differences"]


@verb(on="runs", gives="item_sample", family="label_next", name="items", own="depth", grouped=False)
def label_items(
    runs: Table,
    qrels: object,
    machine: object,
    measures: object = ("P@10",),
    *,
    size: int = 100,
    of: For = "means",
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
    asked = parse_all(measures)
    only_metrics(asked)
    found = pooled(runs, depth, ties=ties, compat=compat, validate=validate)
    wanted, _ = arguments.whole("size", size, 1), arguments.seed(seed)
    _check(asked, of, design)
    people, judge = (found.grades(read(one, "qrels")) for one in (qrels, machine))
    least = checked_level(level) or 0.0
    labelled = people >= 0
    relevant = labelled & (people > 0) & (people >= least)
    predicted = agreed(relevant, labelled, judge)
    open_ = int((~labelled).sum())
    if wanted > open_:
        raise TooFew(f"size={wanted:,}: people have not labelled {open_:,} of the {len(people):,} items; draw fewer.")
    effect = effects(found, asked, of)
    if not effect[~labelled].any():
        raise TooFew("no item that people did not label moves these measures: there is nothing to gain by labels.")
    effect = effect / effect[~labelled].mean()
    chance = np.where(labelled, 1.0, chances(_sizes(effect, predicted, labelled, design), labelled, wanted))
    rng = np.random.default_rng(seed)
    order = np.flatnonzero(~labelled)[rng.permutation(open_)]
    query, doc = found.names
    frame = pd.DataFrame(
        {
            query: labels(found.queries.index(), found.query),
            doc: found.docs.index().take(found.doc),
            "rank": found.best,
            "labelled": labelled,
            "predicted": predicted,
            "effect": effect,
            "probability": chance,
            "chosen": np.isin(np.arange(len(people)), systematic(chance, order, rng.random())),
        },
        copy=False,
    )
    frame.attrs.update({**found.attrs, "design": design, "seed": seed})
    return frame


def _check(asked: list[Measure], of: str, design: str) -> None:
    for measure in asked:
        if measure.entry.name not in WEIGHTS or (
            measure.entry.name == "P" and not np.isfinite(measure.parameters["k"])
        ):
            raise ValueError(
                f"{measure.label} is no sum over items; items are chosen for P with a cutoff and RBP. For R and AP "
                "draw with .pool.sample(size, design='uniform')."
            )
    if of not in ("means", "differences"):
        raise ValueError(f"of={of!r}: choose 'means' or 'differences'.")
    if design not in ("importance", "uniform"):
        raise ValueError(f"design={design!r}: choose 'importance' or 'uniform'.")


def _sizes(effect: np.ndarray, predicted: np.ndarray, labelled: np.ndarray, design: str) -> np.ndarray:
    """Return what chances are in proportion to; 1 for the average item that is not labelled."""
    if design == "uniform":
        return np.ones(len(effect))
    own = effect * np.sqrt(predicted * (1 - predicted))
    return EVEN + (1 - EVEN) * own / own[~labelled].mean()


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
    kind, kinds = pd.factorize(judge)
    kind = np.where(kind < 0, len(kinds), kind)
    n = np.bincount(kind[labelled], minlength=len(kinds) + 1)
    r = np.bincount(kind[labelled], relevant[labelled], minlength=len(kinds) + 1)
    return np.asarray(((r + 0.5) / (n + 1.0))[kind])


def effects(found: Pool, asked: list[Measure], of: str = "means") -> np.ndarray:
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
    count, runs = len(found.query), len(found.runs)
    squares = np.zeros(count)
    for measure in asked:
        weight = WEIGHTS[measure.entry.name](found.rank, measure.parameters)
        own = np.bincount(found.item, weight**2, minlength=count) / runs
        if of == "differences":  # the mean squared difference of two runs is twice the variance over runs
            own -= (np.bincount(found.item, weight, minlength=count) / runs) ** 2
            own[own < NOISE * own.max(initial=0.0)] = 0.0
        squares += own / max(float(own.mean()), np.finfo(float).tiny)
    return np.asarray(np.sqrt(squares / len(asked)))


def _precise(rank: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    return (rank <= parameters["k"]) * 1.0


def _rank_biased(rank: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
    return (rank <= parameters["k"]) * np.power(float(parameters["p"]), rank - 1.0)


WEIGHTS: dict[str, Any] = {"P": _precise, "RBP": _rank_biased}  # of an item at a rank, in proportion
