"""Incomplete data: what remains of an ordering where only some queries, or some labels, are known.

The join is made once. Dropping labels masks judged items, dropping queries weighs them by 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.scores import Topics, Views, attributes, counted, needs_judged
from pdeval.experiments import thinning
from pdeval.experiments.stability import STATISTICS, Full, Kept, Plan
from pdeval.experiments.thinning import Policy
from pdeval.judged.corpus import corpus_sizes
from pdeval.judged.positions import Positions
from pdeval.kinds.labels import labels
from pdeval.mechanics.progress import track
from pdeval.orderings.order import Method


def incomplete(
    positions: Positions,
    measures: object = ("RPP", "AP", "nDCG", "RR"),
    *,
    drop: Literal["queries", "labels"] = "queries",
    keep: Sequence[float] | None = None,
    samples: int = 10,
    policy: Policy = "random",
    against: object = None,
    method: Method | None = None,
    summary: bool = False,
    level: float | None = None,
    topics: Topics = "relevant",
    seed: int | None = 0,
    memory: int = 1 << 28,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return how much of an ordering remains with fewer queries or fewer labels: sample, statistic, value.

    Labels are thinned query by query, relevant and other items apart, and at least one relevant item of a query
    stays; an item without label is as one that was never judged. Within a sample, what is kept of less is part of
    what is kept of more.

    Parameters
    ----------
    positions : Positions
        A join of runs and judgments; nothing is joined again.
    measures : names
        Metrics and preferences.
    drop : {'queries', 'labels'}
        What is dropped.
    keep : list of numbers, optional
        How many queries are kept, or which shares of the queries or labels; by default ten even steps up to all.
    samples : int
        How many samples of each size.
    policy : {'random', 'pool'}
        Which labels are kept: any, or first those of items that most runs returned (samples then differ only in
        items that equally many returned).
    against : name, optional
        The measure whose preferences on all data agreement is with, e.g. "RR"; by default each measure's own.
    method : str, optional
        How runs are ordered, as in `order`; by default by the mean of a metric, by the win rate of a preference.
    summary : bool
        Return means and standard deviations over samples instead.
    level, topics
        What counts, as in `measure`; by all judgments.
    seed : int, optional
        Of the samples; the first samples are the same however many are drawn.
    memory : int
        How many bytes the work may take at a time, about; changes no result.
    progress : bool, optional
        Whether to show a bar; by default only to a person, and after a second.

    Returns
    -------
    DataFrame
        measure, drop, policy, keep, sample, statistic, value; or measure, drop, policy, keep, statistic, samples, mean,
        sd. The statistics: "tau", Kendall's tau-b of the ordering with that on all data; "ranking_agreement", the share
        of (query, pair of runs) not tied on all data that is decided alike, over the queries kept; "system_agreement",
        the share of pairs of runs whose mean preference keeps its sign; "ties", the number of tied (query, pair).

    References
    ----------
    Diaz and Ferraro 2022, Figures 6 and 7; Diaz 2023, Best-Case Retrieval Evaluation, Figures 8 and 9.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = incomplete(joined.positions, ["AP", "RR"], drop="labels", keep=[0.2, 1], samples=2)
    >>> table.query("keep == 1 and statistic == 'tau'")["value"].round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    asked = parse_all(measures)
    other = None if against is None else parse(against)
    _check(drop, policy, samples)
    a, b = chosen_pairs(positions.runs)
    every = asked if other is None else [*asked, other]
    counts = {m.label: counted(positions, topics, level if m.level is None else m.level) for m in every}
    kept = np.logical_or.reduce([part.any(axis=1) for part in counts.values()])
    if not kept.any():
        raise ValueError(f"no query counts under topics={topics!r} and level={level!r}, so there is nothing to drop.")
    plan = Plan(level, method, memory, a, b, kept, {label: part[kept] for label, part in counts.items()})
    generators = list(thinning.streams(samples, seed))
    if drop == "labels":
        sizes = thinning.shares(keep)
        values = _fewer_labels(plan, positions, asked, other, sizes, generators, policy, progress)
    else:
        sizes, numbers = thinning.query_counts(keep, int(kept.sum()))
        values = _fewer_queries(plan, positions, asked, other, numbers, generators, progress)
    frame = _tidy(values, asked, drop, policy, sizes)
    frame.attrs.update(attributes(positions, topics, level), seed=seed, samples=samples)
    return summarised(frame) if summary else frame


def _check(drop: str, policy: str, samples: int) -> None:
    if drop not in ("queries", "labels"):
        raise ValueError(f"drop={drop!r}: choose 'queries' or 'labels'.")
    if policy not in ("random", "pool"):
        raise ValueError(f"policy={policy!r}: choose 'random' or 'pool'.")
    if policy == "pool" and drop == "queries":
        raise ValueError("policy='pool' chooses among labels; queries are dropped at random.")
    if samples != int(samples) or samples < 1:
        raise ValueError(f"samples={samples!r}: give a whole number of at least 1.")


def _groups(plan: Plan, asked: list[Measure]) -> list[list[int]]:
    """Return the measures in groups whose signs on all data are held at once."""
    many = max(plan.memory // max(int(plan.kept.sum()) * len(plan.a), 1), 1)
    return [list(range(first, min(first + many, len(asked)))) for first in range(0, len(asked), many)]


def _fewer_queries(
    plan: Plan,
    positions: Positions,
    asked: list[Measure],
    other: Measure | None,
    numbers: np.ndarray,
    generators: list[np.random.Generator],
    progress: bool | None,
) -> np.ndarray:
    queries = int(plan.kept.sum())
    place = np.stack([np.argsort(rng.permutation(queries)) for rng in generators])
    weights = (place[None] < numbers[:, None, None]).reshape(-1, queries).astype(np.float64)
    views = Views(positions, plan.level)
    aim = None if other is None else plan.full(views, other)
    values = []
    for measure in track(asked, total=len(asked), desc="fewer queries", progress=progress):
        own = plan.full(views, measure)
        values.append(plan.statistics(views, measure, own.rank, aim or own, weights))
    return np.stack(values).reshape(len(asked), len(numbers), len(generators), len(STATISTICS))


def _fewer_labels(
    plan: Plan,
    positions: Positions,
    asked: list[Measure],
    other: Measure | None,
    sizes: np.ndarray,
    generators: list[np.random.Generator],
    policy: Policy,
    progress: bool | None,
) -> np.ndarray:
    needed = [thinning.label_order(positions, rng, policy=policy, level=plan.level) for rng in generators]
    every = asked if other is None else [*asked, other]
    corpus = corpus_sizes(positions) if any("corpus" in measure.entry.columns for measure in every) else None
    if not needs_judged(every):
        positive = positions.judged.grade > 0
        positions, needed = positions.keep_items(positive), [part[positive] for part in needed]
    values = np.empty((len(asked), len(sizes), len(needed), len(STATISTICS)))
    whole = np.ones((1, int(plan.kept.sum())))
    views = Kept(positions, plan.level, corpus)
    aim = None if other is None else plan.full(views, other)
    groups = _groups(plan, asked)
    steps = [(g, k, s) for g in range(len(groups)) for k in range(len(sizes)) for s in range(len(needed))]
    own: dict[int, Full] = {}
    for g, k, s in track(steps, total=len(steps), desc="fewer labels", progress=progress):
        if k == s == 0:
            own = {m: plan.full(views, asked[m]) for m in groups[g]}
        less = Kept(positions.keep_items(needed[s] <= sizes[k]), plan.level, corpus)
        for m in groups[g]:
            values[m, k, s] = plan.statistics(less, asked[m], own[m].rank, aim or own[m], whole)[0]
    return values


def _tidy(values: np.ndarray, asked: list[Measure], drop: str, policy: str, sizes: np.ndarray) -> pd.DataFrame:
    measure, size, sample, statistic = (axis.ravel() for axis in np.indices(values.shape, dtype=np.int32))
    return pd.DataFrame(
        {
            "measure": labels(pd.Index([one.label for one in asked]), measure),
            "drop": labels(pd.Index([drop]), np.zeros_like(measure)),
            "policy": labels(pd.Index([policy]), np.zeros_like(measure)),
            "keep": sizes[size],
            "sample": sample.astype(np.int64),
            "statistic": labels(pd.Index(STATISTICS), statistic),
            "value": values.ravel(),
        }
    )


def summarised(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean and standard deviation over samples of what `incomplete` returns.

    Examples
    --------
    >>> frame = pd.DataFrame({"measure": "AP", "drop": "labels", "policy": "random", "keep": 0.5, "sample": [0, 1],
    ...                       "statistic": "tau", "value": [0.5, 0.7]})
    >>> print(summarised(frame).round(4).to_string(index=False))
    measure   drop policy  keep statistic  samples  mean     sd
         AP labels random   0.5       tau        2   0.6 0.1414
    """
    keys = ["measure", "drop", "policy", "keep", "statistic"]
    groups = frame.groupby(keys, observed=True, sort=False)["value"]
    result = groups.agg(samples="size", mean="mean", sd="std").reset_index()
    result.attrs.update(frame.attrs)
    return result
