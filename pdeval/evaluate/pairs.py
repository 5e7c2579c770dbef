"""Preferences over pairs of runs, topic by topic, in blocks of bounded memory.

Three ways, one answer: recall-paired preferences compare all runs level by level; lexicographic ones order the runs
of a topic once; any other kernel is called on the two sides of each pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure, parse_all
from pdeval.evaluate import level_pairs, offline_interleaving
from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.cube import Computed
from pdeval.evaluate.populations import check_populations, populations
from pdeval.evaluate.scores import Views, attributes, no_sets, one_number_each
from pdeval.judged.blocks import Block
from pdeval.judged.judged import Judged
from pdeval.kernels.preferences import unscaled, weights
from pdeval.mechanics.progress import track
from pdeval.verbs import verb

CELLS = 1 << 21  # items of pairs that a kernel sees at a time


@verb(
    on="judged",
    gives="preferences",
    core=True,
    command=True,
    per_query=True,
    meant_by={"pairs": "prefer(qrels, 'RPP')"},
)
def prefer(
    judged: Judged,
    measures: object = ("RPP",),
    *,
    baseline: object = None,
    pairs: object = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the preferences between runs on every query, positive where run_a is the better one.

    Parameters
    ----------
    measures : str, Measure, or list of them
        Preferences such as "RPP", "rrLP" or "OI", and measures, which prefer by their difference.
    baseline : run, or list of them, optional
        Only pairs of a run with this one, which is then run_b.
    pairs : list of (run_a, run_b), or DataFrame of both, optional
        Only these pairs; by default every pair once.
    progress : bool, optional
        Show a bar; by default after a second, to a person.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.prefer(["RPP", "AP"], baseline="bm25").head(3)
      query_id     run_a run_b measure     value
    0      101  bm25+rm3  bm25     RPP  0.210526
    1      101  bm25+rm3  bm25      AP  0.050525
    2      101  dense-s1  bm25     RPP  0.421053
    """
    return select(judged, measures, baseline=baseline, pairs=pairs).cube(progress).frame()


@dataclass(frozen=True, eq=False)
class Pairs:
    """A source of preferences that computes them when asked, pair block by pair block.

    Examples
    --------
    >>> import pdeval
    >>> pairs = select(pdeval.datasets.sample_judged(topics="common"), "RPP")
    >>> [values.shape for _, values in pairs.blocks(0)]
    [(48, 66)]
    """

    judged: Judged
    asked: tuple[Measure, ...]
    a: np.ndarray
    b: np.ndarray
    memory: int = 1 << 30

    def __post_init__(self) -> None:
        no_sets(self.asked)

    @property
    def runs(self) -> pd.DataFrame:
        """The runs, as in `cube.Preferences`."""
        return self.judged.runs

    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures."""
        return tuple(measure.label for measure in self.asked)

    @property
    def attrs(self) -> dict[str, Any]:
        """What the numbers rest on."""
        return attributes(self.judged, self.asked)

    @property
    def counts(self) -> np.ndarray:
        """Which (topic, run) count, by the call's level."""
        return self.judged.counted()

    @property
    def kept(self) -> np.ndarray:
        """Which topics count for any run."""
        views = Views(self.judged)
        return np.logical_or.reduce([views.counted(measure).any(axis=1) for measure in self.asked])

    @property
    def queries(self) -> pd.Index:
        """The queries that count."""
        return self.judged.queries[self.kept]

    def step(self) -> int:
        """Return how many pairs are computed at a time, under the memory bound."""
        return max(self.memory // (8 * 4 * max(len(self.judged.queries), 1)), 1)

    def blocks(self, measure: int, progress: bool | None = False) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, preferences of shape (queries, pairs in the slice)) for one measure."""
        views = Views(self.judged)
        kept = self.kept
        starts = range(0, len(self.a), self.step())
        for first in track(starts, total=len(starts), desc=self.asked[measure].label, progress=progress):
            block = slice(first, min(first + self.step(), len(self.a)))
            yield block, self._values(views, self.asked[measure], block)[kept]

    def _values(self, views: Views, measure: Measure, block: slice) -> np.ndarray:
        a, b = self.a[block], self.b[block]
        values = of_pairs(views, measure, a, b)
        counts = views.counted(measure)
        if not counts.all():
            values[~(counts[:, a] & counts[:, b])] = np.nan
        return values

    def cube(self, progress: bool | None = None) -> Computed:
        """Return all preferences at once."""
        views = Views(self.judged)
        kept = self.kept
        values = np.empty((len(self.asked), int(kept.sum()), len(self.a)))
        steps = [(m, s) for m in range(len(self.asked)) for s in range(0, len(self.a), self.step())]
        for m, first in track(steps, total=len(steps), desc="preferences", progress=progress):
            block = slice(first, min(first + self.step(), len(self.a)))
            values[m, :, block] = self._values(views, self.asked[m], block)[kept]
        return Computed(self.runs, self.queries, self.measures, self.a, self.b, values, self.attrs)


def of_pairs(views: Views, measure: Measure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the preferences of pairs of runs on every topic, shape (topics, pairs).

    A metric is a preference through its difference, turned where lower is better.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> of_pairs(Views(judged), pdeval.parse("sgnLP"), np.array([0]), np.array([1])).shape
    (50, 1)
    """
    entry = measure.entry
    if entry.family == "metric":
        return views.differences(measure, a, b)
    if views.positions.rules.get("ties") == "expected":
        raise ValueError(
            f"{measure.label} compares definite rankings; ties='expected' gives none. Choose another ties=."
        )
    result = np.zeros((len(views.positions.queries), len(a)))
    # of equal weights, levels that no run reaches add nothing: topics of about as many items are compared at once
    own = _weight(measure) if entry.path == "recall-paired" else None
    padded = isinstance(own, str) and own == "uniform" and views.positions.rules.get("compat") != "pref_eval"
    for _, share, blocks in populations(views, measure, padded=padded):
        for block in blocks:
            if block.size:
                part = _of_block(block, measure, a, b)
                result[block.topics] += part if share is None else share[block.topics][:, None] * part
    return result


def _weight(measure: Measure) -> Any:
    """Return how a recall-paired preference weighs the levels."""
    return measure.parameters.get("weight", measure.entry.weight)


def _of_block(block: Block, measure: Measure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    path = measure.entry.path
    if path == "recall-paired":
        weight = _weight(measure)
        if block.view.positions.rules.get("compat") == "pref_eval":
            return level_pairs.as_pref_eval(block, unscaled(weight, block.size), a, b)
        return level_pairs.recall_paired(block, weights(weight, block.size), a, b)
    if path in ("first", "last"):
        order = lexicographic(block, path)
        return np.sign(order[:, b] - order[:, a]).astype(np.float64)
    if path == "reciprocal":
        return _first_difference(block, a, b)[0]
    if path == "interleaved":
        return offline_interleaving.of_block(block, measure.parameters["user"], a, b, over=measure.parameters["over"])
    return _by_kernel(block, measure, a, b)


def lexicographic(block: Block, end: str) -> np.ndarray:
    """Return the place of each run in its topic's lexicographic order, (topics, runs); equal rankings share one."""
    rank = block["rank"]
    levels, topics, runs = rank.shape
    rows = np.empty((topics, runs, levels + 1), dtype=">u4")
    rows[..., 0] = np.arange(topics)[:, None]
    whole = np.where(np.isfinite(rank), rank, np.iinfo(np.uint32).max)
    rows[..., 1:] = np.moveaxis(whole if end == "first" else whole[::-1], 0, -1)
    # big-endian rows compare byte by byte as the vectors compare number by number
    flat = rows.reshape(-1, levels + 1).view(np.dtype((np.void, 4 * (levels + 1)))).ravel()
    _, place = np.unique(flat, return_inverse=True)
    return place.reshape(topics, runs).astype(np.int64)


def _first_difference(block: Block, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return 1/x - 1/y at the lowest level where the two differ, and that level (0 where none)."""
    near = 1.0 / block["rank"]
    order = lexicographic(block, "first")
    value = np.zeros((block.shape[0], len(a)))
    decided = np.zeros(value.shape, dtype=np.int32)
    topic, pair = np.nonzero(order[:, a] != order[:, b])
    for level in range(block.size):
        if len(topic) == 0:
            break
        difference = near[level, topic, a[pair]] - near[level, topic, b[pair]]
        here = difference != 0
        value[topic[here], pair[here]] = difference[here]
        decided[topic[here], pair[here]] = level + 1
        topic, pair = topic[~here], pair[~here]
    return value, decided


def both_sides(block: Block, names: Iterable[str], a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    """Return the columns that a kernel of two rankings asks for: `x` and `y` are ranks, `x_NAME` another column."""
    sides, columns = {"x": a, "y": b}, []
    for name in names:
        side, _, own = name.partition("_")
        whole = np.asarray(block[own or "rank"])
        columns.append(whole if whole.shape[-1] == 1 else whole[..., sides[side]])
    return columns


def _by_kernel(block: Block, measure: Measure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    entry = measure.entry
    result = np.empty((block.shape[0], len(a)))
    step = max(CELLS // max(block.size * block.shape[0], 1), 1)
    for first in range(0, len(a), step):
        sides = a[first : first + step], b[first : first + step]
        value = entry.kernel(*both_sides(block, entry.columns, *sides), **measure.parameters)
        shape = (block.shape[0], len(sides[0]))
        result[:, first : first + step] = one_number_each(value, shape, block, measure)
    return result


def select(
    judged: Judged,
    measures: object,
    *,
    baseline: object = None,
    pairs: object = None,
    memory: int = 1 << 30,
    tell: bool = True,
) -> Pairs:
    """Return the preferences asked for as a source that computes them when needed: see `Pairs`.

    Examples
    --------
    >>> import pdeval
    >>> len(select(pdeval.datasets.sample_judged(topics="common"), "RPP", baseline="bm25").a)
    11
    """
    asked = tuple(parse_all(measures))
    for measure in asked:
        if measure.entry.family == "ordering":
            raise ValueError(f"{measure.label} orders runs; it is no preference. Use .ireval.order(method=...).")
    check_populations(judged.positions, asked)
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    source = Pairs(judged, asked, a, b, memory)
    if not source.kept.any():
        raise judged.nothing_counts()
    if judged.topics == "answered" and not _shared(source.counts)[a, b].any():
        raise ValueError("no two of these runs answered the same judged query, so that none can be compared.")
    if tell:
        judged.tell(source.counts, pairs=(a, b))
    return source


def _shared(counts: np.ndarray) -> np.ndarray:
    """Return on how many topics each two runs count, (runs, runs)."""
    whole = counts.astype(np.float64)
    return whole.T @ whole
