"""Incomplete data: what remains of an ordering where only some queries, or some labels, are known.

The join is made once. Dropping labels masks judged items, dropping queries weighs them by 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.catalog.entries import needs_judged
from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.scores import Views, attributes, no_sets
from pdeval.experiments import thinning
from pdeval.experiments.stability import STATISTICS, Full, Kept, Plan
from pdeval.experiments.thinning import Policy
from pdeval.judged.corpus import corpus_sizes
from pdeval.judged.judged import Judged
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.mechanics.arguments import one_of, whole
from pdeval.mechanics.progress import track
from pdeval.orderings.methods import PAPER
from pdeval.verbs import verb

MEANS = {
    "drop": "what is dropped: queries or labels",
    "policy": "which labels are kept: any, or first those of items that most runs returned",
    "keep": "how many queries, or which share of them or of the labels, is kept",
    "statistic": "tau_b: Kendall's tau-b of the ordering with that on all data; ranking_agreement: share of (query, "
    "pair of runs) not tied on all data that is decided alike, over the queries kept; system_agreement: share of pairs "
    "of runs whose mean preference keeps its sign; ties: number of tied (query, pair of runs)",
}

table(
    "incomplete",
    "measure drop policy keep:float draw:int statistic value:float",
    "table of orderings from incomplete data",
    row="measure, size, draw and statistic",
    sort="measure keep draw",
    then=".plot()",
    means={**MEANS, "draw": "number of the random draw, from 0", "value": "the statistic"},
    unreported="it has a row per draw; draw it: .plot()",
)
table(
    "incomplete_summary",
    "measure drop policy keep:float statistic draws:int mean:float sd:float",
    "summary of orderings from incomplete data",
    row="measure, size and statistic",
    sort="measure keep",
    then=".plot()",
    means={
        **MEANS,
        "draws": "number of random draws",
        "mean": "mean of the statistic over draws",
        "sd": "standard deviation of the statistic over draws",
    },
    unreported="it is a curve per measure; draw it: .plot()",
)


@verb(on="judged", gives=("incomplete", "incomplete_summary"), needs="judged")
def incomplete(
    judged: Judged,
    measures: object = ("RPP", "AP", "nDCG", "RR"),
    *,
    drop: Literal["queries", "labels"] = "queries",
    keep: Sequence[float] | None = None,
    draws: int = 10,
    policy: Policy = "random",
    against: object = None,
    method: str | None = PAPER,
    summary: bool = False,
    seed: int | None = 0,
    memory: int = 1 << 28,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how much of an ordering remains with fewer queries or fewer labels.

    Labels are thinned query by query, relevant and other items apart, and at least one relevant item of a query
    stays; an item without label is as one that was never judged. Within a draw, what is kept of less is part of what
    is kept of more. Which queries count is decided by all judgments.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures and preferences.
    drop : {'queries', 'labels'}
        What is dropped.
    keep : list of numbers, optional
        How many queries are kept, or which shares of the queries or labels; by default ten even steps up to all.
    draws : int
        How many random draws of each size.
    policy : {'random', 'pool'}
        Which labels are kept: any, or first those of items that most runs returned, apart among relevant
        items, other items of positive grade, and the rest (draws then differ only in items that equally many returned).
    against : str or Measure, optional
        The measure whose preferences on all data agreement is with, e.g. "RR"; by default each measure's own.
    method : str, optional
        How runs are ordered: "mean", "winrate", "borda", "copeland", "mc4", "bradley-terry" or "leximin"; by default as
        in the figures of Diaz and Ferraro, by the mean of a measure and by the Markov chain MC4 of a preference; None
        takes the default of `order`, which has the win rate of a preference.
    summary : bool
        Return means and standard deviations over draws instead.
    seed : int, optional
        Of the draws; the first draws are the same however many there are.
    memory : int
        How many bytes the work may take at a time, about; changes no result.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    References
    ----------
    Diaz and Ferraro 2022, Figures 6 and 7; Diaz 2023, Best-Case Retrieval Evaluation, Figures 8 and 9.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.incomplete(["AP", "RR"], drop="labels", keep=[0.2], draws=2, summary=True).round(3)
      measure    drop  policy  keep          statistic  draws     mean      sd
    0      AP  labels  random   0.2              tau_b      2    0.697   0.043
    1      AP  labels  random   0.2  ranking_agreement      2    0.655   0.025
    2      AP  labels  random   0.2   system_agreement      2    0.848   0.021
    3      AP  labels  random   0.2               ties      2   19.000  12.728
    4      RR  labels  random   0.2              tau_b      2    0.485   0.129
    5      RR  labels  random   0.2  ranking_agreement      2    0.615   0.023
    6      RR  labels  random   0.2   system_agreement      2    0.742   0.064
    7      RR  labels  random   0.2               ties      2  257.000  21.213
    """
    asked = parse_all(measures)
    no_sets(asked)
    other = None if against is None else parse(against)
    one_of("drop", drop, ("queries", "labels"))
    one_of("policy", policy, ("random", "pool"))
    if policy == "pool" and drop == "queries":
        raise ValueError("policy='pool' chooses among labels; queries are dropped at random.")
    whole("draws", draws, 1)
    judged.tell()
    a, b = chosen_pairs(judged.runs)
    views = Views(judged)
    counts = {m.label: views.counted(m) for m in (asked if other is None else [*asked, other])}
    kept = np.logical_or.reduce([part.any(axis=1) for part in counts.values()])
    if not kept.any():
        raise ValueError(
            f"no query counts under topics={judged.topics!r} and level={judged.level!r}, so there is nothing to drop."
        )
    plan = Plan(method, memory, a, b, kept, {label: part[kept] for label, part in counts.items()})
    generators = list(thinning.streams(draws, seed))
    if drop == "labels":
        sizes = thinning.shares(keep)
        values = _fewer_labels(plan, judged, asked, other, sizes, generators, policy, progress)
    else:
        sizes, numbers = thinning.query_counts(keep, int(kept.sum()))
        values = _fewer_queries(plan, judged, asked, other, numbers, generators, progress)
    frame = _tidy(values, asked, drop, policy, sizes)
    frame.attrs.update(attributes(judged, asked), seed=seed, draws=draws)
    return summarised(frame) if summary else frame


def _groups(plan: Plan, asked: list[Measure]) -> list[list[int]]:
    """Return the measures in groups whose signs on all data are held at once."""
    many = max(plan.memory // max(int(plan.kept.sum()) * len(plan.a), 1), 1)
    return [list(range(first, min(first + many, len(asked)))) for first in range(0, len(asked), many)]


def _fewer_queries(
    plan: Plan,
    judged: Judged,
    asked: list[Measure],
    other: Measure | None,
    numbers: np.ndarray,
    generators: list[np.random.Generator],
    progress: bool | None,
) -> np.ndarray:
    queries = int(plan.kept.sum())
    place = np.stack([np.argsort(rng.permutation(queries)) for rng in generators])
    weights = (place[None] < numbers[:, None, None]).reshape(-1, queries).astype(np.float64)
    views = Views(judged)
    aim = None if other is None else plan.full(views, other)
    values = []
    for measure in track(asked, total=len(asked), desc="fewer queries", progress=progress):
        own = plan.full(views, measure)
        values.append(plan.statistics(views, measure, own.rank, aim or own, weights))
    return np.stack(values).reshape(len(asked), len(numbers), len(generators), len(STATISTICS))


def _fewer_labels(
    plan: Plan,
    judged: Judged,
    asked: list[Measure],
    other: Measure | None,
    sizes: np.ndarray,
    generators: list[np.random.Generator],
    policy: Policy,
    progress: bool | None,
) -> np.ndarray:
    needed = [thinning.label_order(judged, rng, policy=policy) for rng in generators]
    every = asked if other is None else [*asked, other]
    asks = any("corpus" in measure.columns for measure in every)
    corpus = corpus_sizes(judged.positions, judged.level) if asks else None
    if not needs_judged(every):
        positive = judged.positions.judged.grade > 0
        judged, needed = judged.on(judged.positions.keep_items(positive)), [part[positive] for part in needed]
    values = np.empty((len(asked), len(sizes), len(needed), len(STATISTICS)))
    whole = np.ones((1, int(plan.kept.sum())))
    views = Kept(judged, corpus)
    aim = None if other is None else plan.full(views, other)
    groups = _groups(plan, asked)
    steps = [(g, k, s) for g in range(len(groups)) for k in range(len(sizes)) for s in range(len(needed))]
    own: dict[int, Full] = {}
    for g, k, s in track(steps, total=len(steps), desc="fewer labels", progress=progress):
        if k == s == 0:
            own = {m: plan.full(views, asked[m]) for m in groups[g]}
        known = needed[s] <= sizes[k]
        if s and np.array_equal(known, needed[0] <= sizes[k]):  # as always where all are kept
            values[groups[g], k, s] = values[groups[g], k, 0]
            continue
        less = views if known.all() else Kept(judged.on(judged.positions.keep_items(known)), corpus)
        for m in groups[g]:
            values[m, k, s] = plan.statistics(less, asked[m], own[m].rank, aim or own[m], whole)[0]
    return values


def _tidy(values: np.ndarray, asked: list[Measure], drop: str, policy: str, sizes: np.ndarray) -> pd.DataFrame:
    measure, size, draw, statistic = (axis.ravel() for axis in np.indices(values.shape, dtype=np.int32))
    return pd.DataFrame(
        {
            "measure": labels(pd.Index([one.label for one in asked]), measure),
            "drop": labels(pd.Index([drop]), np.zeros_like(measure)),
            "policy": labels(pd.Index([policy]), np.zeros_like(measure)),
            "keep": sizes[size],
            "draw": draw.astype(np.int64),
            "statistic": labels(pd.Index(STATISTICS), statistic),
            "value": values.ravel(),
        }
    )


def summarised(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean and standard deviation over draws of what `incomplete` returns.

    Examples
    --------
    >>> frame = pd.DataFrame({"measure": "AP", "drop": "labels", "policy": "random", "keep": 0.5, "draw": [0, 1],
    ...                       "statistic": "tau_b", "value": [0.5, 0.7]})
    >>> summarised(frame).round(4)
      measure    drop  policy  keep statistic  draws  mean      sd
    0      AP  labels  random   0.5     tau_b      2   0.6  0.1414
    """
    keys = ["measure", "drop", "policy", "keep", "statistic"]
    groups = frame.groupby(keys, observed=True, sort=False)["value"]
    result = groups.agg(draws="size", mean="mean", sd="std").reset_index()
    result.attrs.update(frame.attrs)
    return result
