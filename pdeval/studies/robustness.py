"""Orderings from incomplete data: fewer queries, fewer labels or shorter lists.

The join is made once. Removed labels are masked, removed queries have weight 0, and lists are cut at a rank.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, needs_judged, parse, parse_all
from pdeval.evaluate import (
    Scores,
    Views,
    attributes,
    chosen_pairs,
    described_frame,
    no_sets,
    numerators,
)
from pdeval.join import Block, Judged, corpus_sizes
from pdeval.kernels.primitives import share
from pdeval.orderings import order as orderings
from pdeval.orderings import votes
from pdeval.orderings.coefficients import tau_b
from pdeval.orderings.methods import PAPER
from pdeval.significance.hsd import available_cores, in_threads
from pdeval.tables import NOISE, begins, cleared, labels, signs, table
from pdeval.verbs import integer, track, verb

NEAR = 1 << 16  # preferences looked at together
Policy = Literal["random", "pool"]
STATISTICS = ("tau_b", "ranking_agreement", "system_agreement", "ties")


class Kept(Views):
    """Views of a part of the judgments; the corpus of a query does not change."""

    def __init__(self, judged: Judged, corpus: np.ndarray | None) -> None:
        super().__init__(judged)
        self.corpus = corpus
        self.evaluated: dict[str, np.ndarray] = {}

    def values(self, measure: Measure) -> np.ndarray:
        """Return the values of a metric, shape (topics, runs), computed once: pairs and means need them."""
        if measure.label not in self.evaluated:
            self.evaluated[measure.label] = super().values(measure)
        return self.evaluated[measure.label]

    def blocks(
        self, kind: str, level: float | None, *, padded: bool = False, together: bool = False
    ) -> list[Block]:
        """Return the blocks of a kind of items, empty topics included."""
        blocks = super().blocks(kind, level, padded=padded, together=together)
        if self.corpus is not None and blocks:
            blocks[0].view.made.setdefault("corpus", self.corpus)
        return blocks


class Full(NamedTuple):
    """A measure on all data: signs by query and pair, signs by pair, and ranks of the runs."""

    sign: np.ndarray
    mean: np.ndarray
    rank: np.ndarray


class Plan(NamedTuple):
    """Settings that are the same for all draws."""

    measures: list[Measure]
    reference: (
        Measure | None
    )  # the measure whose signs on all data are the target; None is each measure itself
    method: str | None
    memory: int
    a: np.ndarray
    b: np.ndarray
    kept: np.ndarray
    counts: dict[str, np.ndarray]

    def preferences(self, views: Views, measure: Measure) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, preferences of shape (queries, pairs)) of a measure, in parts."""
        counts = self.counts[measure.label]
        near = max(NEAR // len(self.kept), 1)
        differences = views.differences(measure) if measure.entry.family == "metric" else None
        # kernels of preferences are faster on many pairs at once
        step = near if differences else max(self.memory // (8 * 8 * len(self.kept)), 1)
        for start in range(0, len(self.a), step):
            a, b = self.a[start : start + step], self.b[start : start + step]
            preferences, divisors = (
                (differences(a, b), 1.0) if differences else numerators(views, measure, a, b)
            )
            for first in range(0, len(a), near):
                part = slice(first, min(first + near, len(a)))
                values = preferences[:, part]
                values = cleared(values, 1.0) if divisors is None else values / divisors
                values = values if self.kept.all() else values[self.kept]
                if np.isinf(values).any():
                    raise ValueError(
                        f"{measure.label} is infinite for unretrieved items and has no mean. "
                        "Use its reciprocal, e.g. RR for ISL and TSE for TSL."
                    )
                if not counts.all():
                    values[~(counts[:, a[part]] & counts[:, b[part]])] = np.nan
                yield slice(start + part.start, start + part.stop), values

    def merit(
        self, views: Views, measure: Measure, look: Callable[[slice, np.ndarray], None]
    ) -> np.ndarray:
        """Return the values that order the runs on each query (the measure or win rates); call `look` for all pairs."""
        counts = self.counts[measure.label]
        preference = measure.entry.family == "preference"
        merit = np.zeros(counts.shape, order="F")
        for block, values in self.preferences(views, measure):
            look(block, values)
            if preference:
                won = values if counts.all() else np.nan_to_num(values)
                # pairs with the same first run are adjacent, and their second runs follow each other
                begin = np.flatnonzero(begins(self.a[block]))
                first, second = self.a[block][begin], self.b[block][begin]
                for one, other, part in zip(first, second, np.split(won, begin[1:], axis=1)):
                    merit[:, one] += part.sum(axis=1)
                    merit[:, other : other + part.shape[1]] -= part
        if not preference:
            values = views.values(measure)[self.kept]
            merit = values if measure.higher else -values
        return np.where(counts, merit, np.nan)

    def ranks(self, merit: np.ndarray, weights: np.ndarray, measure: Measure) -> np.ndarray:
        """Return the ranks of the runs, one row for each row of weights over queries."""
        preference = measure.entry.family == "preference"
        if self.method in (None, *(("winrate",) if preference else ("mean", PAPER))):
            known = ~np.isnan(merit)
            with np.errstate(invalid="ignore"):  # a run may have none of the queries
                mean = (weights @ np.where(known, merit, 0.0)) / (
                    weights @ known.astype(np.float64)
                )
            return votes.ranks(mean, NOISE * np.nanmax(np.abs(merit), initial=0.0))
        runs = pd.DataFrame({"run": np.arange(merit.shape[1])})
        rows = []
        for used in weights > 0:
            queries = pd.Index(np.flatnonzero(used), name="query_id")
            cube = Scores(runs, queries, (measure.label,), merit[used][None], np.array([True]))
            order = orderings.orders_of(cube, method=self.method, winrates=preference).columns
            rows.append(order["rank"][np.argsort(order["run"])])
        return np.stack(rows)

    def full(self, views: Views, measure: Measure) -> Full:
        """Return a measure on all data."""
        sign = np.zeros((int(self.kept.sum()), len(self.a)), dtype=np.int8, order="F")
        mean = np.zeros(len(self.a), dtype=np.int8)
        weights = np.ones((1, len(sign)))

        def look(block: slice, values: np.ndarray) -> None:
            sign[:, block] = signs(values, 0.0)  # the sign of NaN is 0
            mean[block] = mean_signs(values, weights)[0]

        merit = self.merit(views, measure, look)
        return Full(sign, mean, self.ranks(merit, weights, measure)[0])

    def statistics(
        self, views: Views, measure: Measure, rank: np.ndarray, target: Full, weights: np.ndarray
    ) -> np.ndarray:
        """Return the statistics of a measure, one row for each row of weights over queries."""
        # queries of equal weight are counted together, which is faster
        axis = None if (weights == 1).all() else 1
        counted = weights[:, :1] if axis is None else weights
        tied, decided, right = np.zeros((3, counted.shape[1]))  # pairs of runs
        systems = np.zeros(len(weights))  # pairs of runs whose mean keeps its sign

        def look(block: slice, values: np.ndarray) -> None:
            sign, mean = target.sign[:, block], target.mean[block]
            now = signs(values, 0.0)
            tied[:] += np.count_nonzero(now == 0, axis=axis)
            decided[:] += np.count_nonzero(sign, axis=axis)
            right[:] += np.count_nonzero(now * sign == 1, axis=axis)
            if np.isnan(values.max()):
                missing = np.isnan(values)  # their sign is 0
                tied[:] -= np.count_nonzero(missing, axis=axis)
                decided[:] -= np.count_nonzero(missing & (sign != 0), axis=axis)
            systems[:] += ((mean_signs(values, weights) == mean) & (mean != 0)).sum(axis=1)

        merit = self.merit(views, measure, look)
        taus = [tau_b(rank, row) for row in self.ranks(merit, weights, measure)]
        ranking = share(counted @ right, counted @ decided, np.nan)
        system = share(systems, (target.mean != 0).sum(), np.nan)
        return np.stack([taus, ranking, system, counted @ tied], axis=1)


def mean_signs(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the signs of the means over queries, NaN left out, one row for each row of weights.

    Examples
    --------
    >>> mean_signs(np.array([[0.5, -0.5], [-0.1, np.nan]]), np.array([[1.0, 1.0], [0.0, 1.0]])).tolist()
    [[1, -1], [-1, 0]]
    """
    largest = np.maximum(values.max(initial=0.0), -values.min(initial=0.0))  # NaN if one is missing
    sums = weights @ values
    sign = signs(sums, 0.0)
    # only small sums may be rounding, and only they are compared with the sums of the absolute values
    near = (~(np.abs(sums) > NOISE * weights.sum() * largest)).any(axis=0)
    if near.any():
        known = ~np.isnan(values[:, near])
        filled, count = np.where(known, values[:, near], 0.0), weights @ known.astype(np.float64)
        sign[:, near] = signs(
            share(weights @ filled, count), share(weights @ np.abs(filled), count)
        )
    return sign


MEANS = {
    "to": "what is removed: queries, labels, or the end of each list (depth)",
    "policy": "what is kept: random labels or queries, the labels of items that most runs returned (pool), or the "
    "first ranks (top)",
    "keep": "number or fraction of queries, fraction of labels, or number of ranks that is kept",
    "statistic": "tau_b: Kendall's tau-b with the ordering on all data; ranking_agreement: fraction of (query, pair of "
    "runs) not tied on all data whose preference has the same sign, over the queries kept; system_agreement: fraction "
    "of pairs of runs whose mean preference has the same sign; ties: number of tied (query, pair of runs)",
}

table(
    "robustness",
    "measure to policy keep:float draw:int statistic value:float",
    "table of orderings from incomplete data",
    row="measure, size, draw and statistic",
    sort="measure keep draw",
    then=".plot()",
    means={**MEANS, "draw": "number of the random draw, from 0", "value": "the statistic"},
    no_report="it has a row per draw; report the means over draws: robustness(..., summary=True).ireval.report()",
)
table(
    "robustness_summary",
    "measure to policy keep:float statistic draws:int mean:float sd:float",
    "summary of orderings from incomplete data",
    row="measure, size and statistic",
    sort="measure keep",
    then=".report(), .plot()",
    means={
        **MEANS,
        "draws": "number of random draws",
        "mean": "mean of the statistic over draws",
        "sd": "standard deviation of the statistic over draws",
    },
)


@verb(on="judged", returns=("robustness", "robustness_summary"), needs="judged")
def robustness(
    judged: Judged,
    measures: object = ("RPP", "AP", "nDCG", "RR"),
    *,
    to: Literal["queries", "labels", "depth"],
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
    """Return the correlation of the order of runs on all data with orders from fewer queries, labels or ranks.

    Labels are removed separately for the relevant and the other items of each query, and at least one relevant item
    of a query is kept. An item without its label is unjudged. Within a draw, a smaller sample is part of every larger
    one. The queries that count are those that count with all judgments.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Measures and preferences.
    to : {'queries', 'labels', 'depth'}
        What is removed: random queries, random labels within queries, or the items of each list below a rank.
    keep : list of numbers, optional
        Numbers or fractions of the queries, fractions of the labels, or ranks. By default ten equal steps up to all
        queries or labels, and the ranks 1, 2, 5, 10, 20, 50, ... up to the longest list.
    draws : int
        Number of random draws of each size. Shorter lists are not random and have one draw.
    policy : {'random', 'pool'}
        Labels that are kept: random ones, or those of the items that most runs returned, separately for relevant
        items, other items of positive grade, and the remaining items. With 'pool', draws differ only in the order of
        items that the same number of runs returned.
    against : str or Measure, optional
        Measure whose preferences on all data are compared with, e.g. "RR"; by default each measure itself.
    method : str, optional
        Method that orders the runs: "mean", "winrate", "borda", "copeland", "mc4", "bradley-terry" or "leximin". By
        default as in the figures of Diaz and Ferraro: the mean of a measure and the Markov chain MC4 of a preference.
        None is the default of `order`: the win rate of a preference.
    summary : bool
        Whether to return means and standard deviations over draws.
    seed : int, optional
        ... The first draws are the same for any number of draws.
    memory : int
        Approximate limit of the memory in use at a time, in bytes. It does not change the result.

    References
    ----------
    Diaz and Ferraro 2022, Figures 6 and 7; Diaz 2023, Best-Case Retrieval Evaluation, Figures 8 and 9.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.robustness(["AP", "RR"], to="labels", keep=[0.2], draws=2, summary=True).round(3)
      measure      to  policy  keep          statistic  draws     mean      sd
    0      AP  labels  random   0.2              tau_b      2    0.697   0.043
    1      AP  labels  random   0.2  ranking_agreement      2    0.655   0.025
    2      AP  labels  random   0.2   system_agreement      2    0.848   0.021
    3      AP  labels  random   0.2               ties      2   19.000  12.728
    4      RR  labels  random   0.2              tau_b      2    0.485   0.129
    5      RR  labels  random   0.2  ranking_agreement      2    0.615   0.023
    6      RR  labels  random   0.2   system_agreement      2    0.742   0.064
    7      RR  labels  random   0.2               ties      2  257.000  21.213
    """
    parsed = parse_all(measures)
    no_sets(parsed)
    reference = None if against is None else parse(against)
    if policy == "pool" and to != "labels":
        raise ValueError(f"policy='pool' selects labels, found to={to!r}. Use to='labels'.")
    integer("draws", draws, 1)
    judged.warn_of_missing_queries()
    views = Views(judged)
    counts = {
        m.label: views.counted(m) for m in (parsed if reference is None else [*parsed, reference])
    }
    kept = np.logical_or.reduce([part.any(axis=1) for part in counts.values()])
    if not kept.any():
        raise ValueError(
            f"no query counts with queries={judged.query_rule!r} and level={judged.level!r}, so there is nothing to "
            "remove. Use queries='judged' or a smaller level."
        )
    counts = {label: part[kept] for label, part in counts.items()}
    plan = Plan(parsed, reference, method, memory, *chosen_pairs(judged.runs), kept, counts)
    generators = list(streams(draws, seed))
    if to == "labels":
        sizes = shares(keep)
        values = _fewer_labels(plan, judged, sizes, generators, policy, progress)
    elif to == "depth":
        sizes = depths(keep, int(judged.positions.retrieved.max(initial=1)))
        values = _shorter_lists(plan, judged, sizes, progress)
    else:
        sizes, numbers = query_counts(keep, int(kept.sum()))
        values = _fewer_queries(plan, judged, numbers, generators, progress)
    measure, size, draw, statistic = (
        axis.ravel() for axis in np.indices(values.shape, dtype=np.int32)
    )
    frame = described_frame(
        {
            "measure": labels(pd.Index([measure.label for measure in parsed]), measure),
            "to": labels(pd.Index([to]), np.zeros_like(measure)),
            "policy": labels(
                pd.Index(["top" if to == "depth" else policy]), np.zeros_like(measure)
            ),
            "keep": sizes[size],
            "draw": draw.astype(np.int64),
            "statistic": labels(pd.Index(STATISTICS), statistic),
            "value": values.ravel(),
        },
        {**attributes(judged, parsed), "seed": seed, "draws": values.shape[2]},
    )
    if not summary:
        return frame
    cells = frame.groupby(
        ["measure", "to", "policy", "keep", "statistic"], observed=True, sort=False
    )["value"]
    return described_frame(
        cells.agg(draws="size", mean="mean", sd="std").reset_index(), frame.attrs
    )


def _fewer_queries(
    plan: Plan,
    judged: Judged,
    numbers: np.ndarray,
    generators: list[np.random.Generator],
    progress: bool | None,
) -> np.ndarray:
    """Return the statistics, shape (measures, sizes, draws, statistics)."""
    queries = int(plan.kept.sum())
    # a draw is a random order of the queries; a row of weights is 1 for the first ones
    place = np.stack([np.argsort(rng.permutation(queries)) for rng in generators])
    weights = (place[None] < numbers[:, None, None]).reshape(-1, queries).astype(np.float64)
    views = Views(judged)
    target = None if plan.reference is None else plan.full(views, plan.reference)
    values = []
    for measure in track(
        plan.measures, total=len(plan.measures), desc="fewer queries", progress=progress
    ):
        full = plan.full(views, measure)
        values.append(plan.statistics(views, measure, full.rank, target or full, weights))
    return np.stack(values).reshape(len(values), len(numbers), len(generators), len(STATISTICS))


def _shorter_lists(
    plan: Plan, judged: Judged, depths: np.ndarray, progress: bool | None
) -> np.ndarray:
    """Return the statistics, shape (measures, depths, 1, statistics)."""
    views = Views(judged)
    target = None if plan.reference is None else plan.full(views, plan.reference)
    full = [plan.full(views, measure) for measure in plan.measures]
    weights = np.ones((1, int(plan.kept.sum())))
    parts = []
    for depth in track(depths, total=len(depths), desc="shorter lists", progress=progress):
        top = Views(judged.on(judged.positions.keep_depth(int(depth))))
        parts.append(
            [
                plan.statistics(top, measure, all_data.rank, target or all_data, weights)
                for measure, all_data in zip(plan.measures, full)
            ]
        )
    return np.stack(parts, axis=1)


def _fewer_labels(
    plan: Plan,
    judged: Judged,
    sizes: np.ndarray,
    generators: list[np.random.Generator],
    policy: Policy,
    progress: bool | None,
) -> np.ndarray:
    """Return the statistics, shape (measures, sizes, draws, statistics)."""
    needed = [label_order(judged, rng, policy=policy) for rng in generators]
    every = plan.measures if plan.reference is None else [*plan.measures, plan.reference]
    needs_corpus = any("corpus" in measure.columns for measure in every)
    corpus = corpus_sizes(judged.positions, judged.level) if needs_corpus else None
    if not needs_judged(every):
        positive = judged.positions.judged.grade > 0
        judged = judged.on(judged.positions.keep_items(positive))
        needed = [part[positive] for part in needed]
    values = np.empty((len(plan.measures), len(sizes), len(needed), len(STATISTICS)))
    weights = np.ones((1, int(plan.kept.sum())))
    views = Kept(judged, corpus)
    target = None if plan.reference is None else plan.full(views, plan.reference)
    # measures whose signs on all data fit into memory together
    many = max(plan.memory // max(weights.size * len(plan.a), 1), 1)
    groups = [range(start, min(start + many, len(values))) for start in range(0, len(values), many)]
    # draws that keep the labels of the first draw, as always if all are kept, get its statistics
    new = np.array(
        [
            [
                not s or not np.array_equal(part <= size, needed[0] <= size)
                for s, part in enumerate(needed)
            ]
            for size in sizes
        ]
    )
    steps = np.argwhere(new).tolist()
    # the join of a draw and its columns take about 32 bytes for each judged item and run
    most = plan.memory // (32 * max(len(judged.positions.judged.topic) * len(judged.runs), 1))
    workers = max(min(available_cores(), len(steps), most), 1)
    plan = plan._replace(memory=plan.memory // workers)

    def compute(full: dict[int, Full], step: tuple[int, int]) -> None:
        k, s = step
        known = needed[s] <= sizes[k]
        fewer = (
            views if known.all() else Kept(judged.on(judged.positions.keep_items(known)), corpus)
        )
        for m, of_measure in full.items():
            values[m, k, s] = plan.statistics(
                fewer, plan.measures[m], of_measure.rank, target or of_measure, weights
            )[0]

    def computed() -> Iterator[None]:
        for group in groups:
            full = {m: plan.full(views, plan.measures[m]) for m in group}
            yield from in_threads(partial(compute, full), steps, threads=workers)

    for _ in track(
        computed(), total=len(groups) * len(steps), desc="fewer labels", progress=progress
    ):
        pass
    return np.where(new[:, :, None], values, values[:, :, :1])


def streams(draws: int, seed: int | None) -> Iterator[np.random.Generator]:
    """Yield one generator per draw; the numbers of a draw do not depend on the number of draws.

    Examples
    --------
    >>> first, *_ = streams(3, seed=1)
    >>> again, = streams(1, seed=1)
    >>> bool(first.random() == again.random())
    True
    """
    for child in np.random.SeedSequence(seed).spawn(draws):
        yield np.random.default_rng(child)


def label_order(
    judged: Judged, rng: np.random.Generator, *, policy: Policy = "random"
) -> np.ndarray:
    """Return, for every judged item, the smallest fraction of the labels of its query with which it is kept.

    The fraction is the same for relevant items, other items of positive grade, and the remaining items of a query. At
    least one relevant item of a query is kept at any fraction.

    Parameters
    ----------
    rng : Generator
        Random generator of the order: of all items for "random", of items that the same number of runs returned for
        "pool".
    policy : {'random', 'pool'}
        Items that are kept first: random ones, or those that most runs returned.

    Examples
    --------
    >>> import pdeval
    >>> order = label_order(pdeval.datasets.sample_judged(), np.random.default_rng(0))
    >>> round(float((order <= 0.5).mean()), 3)
    0.506
    """
    positions, items = judged.positions, judged.positions.judged
    count = len(items.topic)
    # items of positive grade draw first: their order is the same if the join has no others
    positive = items.grade > 0
    chance = np.empty(count)
    chance[positive], chance[~positive] = (
        rng.random(int(positive.sum())),
        rng.random(int((~positive).sum())),
    )
    runs = np.bincount(positions.item, minlength=count) if policy == "pool" else np.zeros(count)
    # relevant items, others of positive grade, and all else of a query are thinned separately
    stratum = items.topic * 3 + np.select([positions.relevant(judged.level), positive], [0, 1], 2)
    order = np.lexsort((chance, -runs, stratum))  # the last key is the primary one
    ranked = stratum[order]
    first = begins(ranked)
    group = np.cumsum(first) - 1
    place = np.arange(count) - np.flatnonzero(first)[group]
    size = np.bincount(group)[group]
    # a fraction f keeps floor(f * size + 1/2) items, so the item at place p, from 0, needs f = (p + 1/2) / size
    share = (place + 0.5) / size
    share[(place == 0) & (ranked % 3 == 0)] = 0.0  # one relevant item is always kept
    needed = np.empty(count)
    needed[order] = share
    return needed


def depths(keep: Sequence[float] | None, longest: int) -> np.ndarray:
    """Return the ranks at which lists are cut, by default 1, 2, 5, 10, 20, 50, ... up to the longest list.

    Examples
    --------
    >>> depths(None, 100).tolist(), depths([10, 20], 100).tolist()
    ([1, 2, 5, 10, 20, 50, 100], [10, 20])
    """
    if keep is None:
        steps = np.outer(10 ** np.arange(len(str(longest))), [1, 2, 5]).ravel()
        return np.append(steps[steps < longest], longest)
    ranks = np.atleast_1d(np.asarray(keep))
    if not len(ranks) or ranks.dtype.kind not in "iuf" or (ranks < 1).any() or (ranks % 1).any():
        raise ValueError(f"keep={keep!r}: expected ranks of at least 1, e.g. [10, 100].")
    return ranks.astype(np.int64)


def shares(keep: Sequence[float] | None) -> np.ndarray:
    """Return the fractions of labels to keep, by default 0.1, 0.2, ..., 1.

    Examples
    --------
    >>> shares(None)[:3].tolist(), shares([0.5]).tolist()
    ([0.1, 0.2, 0.3], [0.5])
    """
    kept = (
        np.round(np.arange(1, 11) / 10, 1)
        if keep is None
        else np.atleast_1d(np.asarray(keep, dtype=np.float64))
    )
    if not len(kept) or not ((kept > 0) & (kept <= 1)).all():
        raise ValueError(
            f"keep={keep!r}: expected fractions of the labels in (0, 1], e.g. [0.1, 0.5, 1]."
        )
    return kept


def query_counts(keep: Sequence[float] | None, queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes and the numbers of queries that they stand for; by default ten equal steps up to all.

    Floats of at most 1 are fractions of the queries; other numbers are counts.

    Examples
    --------
    >>> [part.tolist() for part in query_counts([5, 10], 50)], [part.tolist() for part in query_counts([0.1, 1.0], 50)]
    ([[5, 10], [5, 10]], [[0.1, 1.0], [5, 50]])
    """
    if keep is None:
        counts = np.unique(np.maximum(np.round(np.arange(1, 11) / 10 * queries), 1)).astype(
            np.int64
        )
        return counts, counts
    sizes = np.atleast_1d(np.asarray(keep))
    text = (
        f"keep={keep!r}: expected numbers of queries from 1 to {queries}, or fractions in (0, 1]."
    )
    if not len(sizes) or sizes.dtype.kind not in "iuf" or not (sizes > 0).all():
        raise ValueError(text)
    if sizes.dtype.kind == "f" and sizes.max() <= 1:
        return sizes, np.maximum(np.floor(sizes * queries + 0.5), 1).astype(np.int64)
    if (sizes != np.floor(sizes)).any() or sizes.max() > queries:
        raise ValueError(text)
    return sizes.astype(np.int64), sizes.astype(np.int64)
