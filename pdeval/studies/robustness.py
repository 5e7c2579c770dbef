"""Incomplete data: what remains of an ordering where only some queries, or some labels, are known.

The join is made once. Dropping labels masks judged items, dropping queries weighs them by 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse, parse_all
from pdeval.catalog.measures import needs_judged
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import Views, attributes, no_sets
from pdeval.join.blocks import Block
from pdeval.join.judged import Judged
from pdeval.join.table_lookups import corpus_sizes
from pdeval.kernels.primitives import share
from pdeval.orderings import order as orderings
from pdeval.orderings import votes
from pdeval.orderings.coefficients import tau_b
from pdeval.orderings.methods import PAPER
from pdeval.studies import subsampling
from pdeval.studies.sign_agreement import clear_pairs
from pdeval.studies.subsampling import Policy
from pdeval.tables.equal_values import NOISE, signs
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of, whole
from pdeval.verbs.progress import track

NEAR = 1 << 16  # preferences looked at together
STATISTICS = ("tau_b", "ranking_agreement", "system_agreement", "ties")


class Kept(Views):
    """Views of a part of the judgments; the corpus of a query stays what it was."""

    def __init__(self, judged: Judged, corpus: np.ndarray | None) -> None:
        super().__init__(judged)
        self.corpus = corpus

    def blocks(self, kind: str, level: float | None, *, padded: bool = False, together: bool = False) -> list[Block]:
        """Return the blocks of a kind of items, empty topics included."""
        found = super().blocks(kind, level, padded=padded, together=together)
        if self.corpus is not None and found:
            found[0].view.made.setdefault("corpus", self.corpus)
        return found


@dataclass
class Full:
    """What a measure says with all data: signs by query and pair, signs by pair, and the runs' ranks."""

    sign: np.ndarray
    mean: np.ndarray
    rank: np.ndarray


@dataclass(frozen=True)
class Plan:
    """What stays the same over all draws."""

    method: str | None
    memory: int
    a: np.ndarray
    b: np.ndarray
    kept: np.ndarray
    counts: dict[str, np.ndarray]

    def preferences(self, views: Views, measure: Measure) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, preferences of shape (queries, pairs)) of a measure."""
        counts = self.counts[measure.label]
        step = max(self.memory // (8 * 8 * len(self.kept)), 1)
        for first in range(0, len(self.a), step):
            block = slice(first, min(first + step, len(self.a)))
            a, b = self.a[block], self.b[block]
            values = clear_pairs(views, measure, a, b)
            values = values if self.kept.all() else values[self.kept]
            if np.isinf(values).any():
                raise ValueError(
                    f"{measure.label} is infinite where an item was not found, and has no mean; "
                    "use its reciprocal, e.g. RR for ISL and TSE for TSL."
                )
            if not counts.all():
                values[~(counts[:, a] & counts[:, b])] = np.nan
            yield block, values

    def merit(self, views: Views, measure: Measure, look: Callable[[slice, np.ndarray], None]) -> np.ndarray:
        """Return what orders the runs on each query, the measure or win rates, and look at all pairs on the way."""

        step = max(NEAR // max(int(self.kept.sum()), 1), 1)

        def looked_at() -> Iterator[tuple[slice, np.ndarray]]:
            for block, values in self.preferences(views, measure):
                for first in range(0, values.shape[1], step):
                    near = slice(first, min(first + step, values.shape[1]))
                    look(slice(block.start + near.start, block.start + near.stop), values[:, near])
                yield block, values

        if measure.entry.family == "metric":
            for _ in looked_at():
                pass
            values = views.values(measure)[self.kept]
            return np.where(self.counts[measure.label], values if measure.higher else -values, np.nan)
        runs = self.counts[measure.label].shape[1]
        sums, _, _ = votes.win_rates(looked_at(), self.a, self.b, queries=int(self.kept.sum()), runs=runs)
        return np.where(self.counts[measure.label], sums, np.nan)

    def ranks(self, merit: np.ndarray, weights: np.ndarray, measure: Measure) -> np.ndarray:
        """Return the ranks of the runs, one row for each row of weights over queries."""
        preference = measure.entry.family == "preference"
        if self.method in (None, *(("winrate",) if preference else ("mean", PAPER))):
            known = ~np.isnan(merit)
            with np.errstate(invalid="ignore"):  # a run may have none of the queries
                mean = (weights @ np.where(known, merit, 0.0)) / (weights @ known.astype(np.float64))
            return votes.ranks(mean, NOISE * np.nanmax(np.abs(merit), initial=0.0))
        runs = pd.DataFrame({"run": np.arange(merit.shape[1])})
        rows = []
        for used in weights > 0:
            queries = pd.Index(np.flatnonzero(used), name="query_id")
            cube = Scores(runs, queries, (measure.label,), merit[used][None], np.array([True]))
            rows.append(ordered(cube, self.method, winrates=preference))
        return np.stack(rows)

    def full(self, views: Views, measure: Measure) -> Full:
        """Return what a measure says with all data."""
        sign = np.zeros((int(self.kept.sum()), len(self.a)), dtype=np.int8)
        mean = np.zeros(len(self.a), dtype=np.int8)
        whole = np.ones((1, len(sign)))

        def look(block: slice, values: np.ndarray) -> None:
            sign[:, block], mean[block] = np.nan_to_num(np.sign(values)), mean_signs(values, whole)[0]

        merit = self.merit(views, measure, look)
        return Full(sign, mean, self.ranks(merit, whole, measure)[0])

    def statistics(
        self, views: Views, measure: Measure, rank: np.ndarray, target: Full, weights: np.ndarray
    ) -> np.ndarray:
        """Return the statistics of a measure, one row for each row of weights over queries."""
        tied, told, right = np.zeros((3, int(self.kept.sum())))
        systems = np.zeros(len(weights))

        def look(block: slice, values: np.ndarray) -> None:
            wanted, mean = target.sign[:, block], target.mean[block]
            counts = ~np.isnan(values) & (wanted != 0)
            tied[:] += np.count_nonzero(values == 0, axis=1)
            told[:] += np.count_nonzero(counts, axis=1)
            right[:] += np.count_nonzero(counts & (signs(values, 0.0) == wanted), axis=1)
            systems[:] += ((mean_signs(values, weights) == mean) & (mean != 0)).sum(axis=1)

        merit = self.merit(views, measure, look)
        taus = [tau_b(rank, row) for row in self.ranks(merit, weights, measure)]
        decided, pairs = (target.mean != 0).sum(), weights @ told
        ranking = np.where(pairs > 0, share(weights @ right, pairs), np.nan)
        system = systems / decided if decided else np.full(len(weights), np.nan)
        return np.stack([taus, ranking, system, weights @ tied], axis=1)


def mean_signs(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the signs of the means over queries, NaN left out, one row for each row of weights.

    Examples
    --------
    >>> mean_signs(np.array([[0.5, -0.5], [-0.1, np.nan]]), np.array([[1.0, 1.0], [0.0, 1.0]])).tolist()
    [[1, -1], [-1, 0]]
    """
    known = ~np.isnan(values)
    if known.all():
        filled, count = values, weights.sum(axis=1, keepdims=True)
    else:
        filled, count = np.where(known, values, 0.0), weights @ known.astype(np.float64)
    return signs(share(weights @ filled, count), share(weights @ np.abs(filled), count))


def ordered(cube: Scores, method: str | None, *, winrates: bool) -> np.ndarray:
    """Return the ranks of the runs of a cube of one measure, or of its win rates, by a method of ordering."""
    frame = orderings.ordered(cube, method=method, winrates=winrates, progress=False)
    return frame.set_index("run")["rank"].reindex(cube.runs["run"]).to_numpy()


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
        ... The first draws are the same for any number of draws.
    memory : int
        How many bytes the work may take at a time, about; changes no result.

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
    generators = list(subsampling.streams(draws, seed))
    if drop == "labels":
        sizes = subsampling.shares(keep)
        values = _fewer_labels(plan, judged, asked, other, sizes, generators, policy, progress)
    else:
        sizes, numbers = subsampling.query_counts(keep, int(kept.sum()))
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
    needed = [subsampling.label_order(judged, rng, policy=policy) for rng in generators]
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
