"""Stability: how far what a measure says on part of the data agrees with what it says on all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate.cube import Scores
from pdeval.evaluate.scores import Views
from pdeval.experiments.side_by_side import clear_pairs
from pdeval.judged.blocks import Block
from pdeval.judged.judged import Judged
from pdeval.kernels.levels import share
from pdeval.mechanics.equality import NOISE, signs
from pdeval.orderings import order as orderings
from pdeval.orderings import votes
from pdeval.orderings.coefficients import tau_b
from pdeval.orderings.methods import PAPER

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
