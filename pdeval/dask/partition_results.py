"""What a partition answers: tidy frames under the labels of the whole, or plain numbers to be gathered.

Like `parts`, nothing here knows Dask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.dask.partition import Part, Whole, part_of
from pdeval.evaluate import mean_preferences
from pdeval.evaluate import pairs as kernels
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.scores import Views, attributes
from pdeval.join import merge_parts
from pdeval.join.judged import Judged
from pdeval.join.list_columns import lists_of
from pdeval.join.rules import Topics
from pdeval.tables.labels import repeated

MEMORY = 1 << 27


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of every partition, and the labels of the answer, which are those of the whole.

    Parameters
    ----------
    measures : tuple of Measure
        What to compute.
    level : float, optional
        The least grade that counts as relevant.
    topics : {'relevant', 'judged', 'answered', 'common'}
        Which queries count.
    runs, queries
        The labels of all runs and of the queries that count.
    place : ndarray of shape (topics,)
        Where each topic stands among those queries, or -1.
    attrs : dict
        What the numbers rest on.
    pairs : (ndarray, ndarray) or None
        The two sides of the pairs, for preferences.
    """

    measures: tuple[Measure, ...]
    level: float | None
    topics: Topics
    runs: pd.DataFrame
    queries: pd.Index
    place: np.ndarray
    attrs: dict[str, Any]
    pairs: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The labels of the measures."""
        return tuple(measure.label for measure in self.measures)

    def frame(self, values: np.ndarray, queries: np.ndarray, runs: np.ndarray) -> pd.DataFrame:
        """Return values, (measures, queries, runs or pairs), as the tidy frame of these queries and runs."""
        labelled = self.queries.take(queries)
        if self.pairs is None:
            higher = np.array([measure.higher for measure in self.measures])
            return Scores(self.runs.iloc[runs], labelled, self.names, values, higher, self.attrs).frame()
        return Preferences(self.runs, labelled, self.names, *self.pairs, values, self.attrs).frame()

    def empty(self) -> pd.DataFrame:
        """Return the frame without rows: the exact meta."""
        wide = len(self.runs) if self.pairs is None else len(self.pairs[0])
        none = np.zeros(0, dtype=np.int64)
        return self.frame(np.zeros((len(self.measures), 0, wide)), none, np.arange(len(self.runs)))


def question(
    known: Judged,
    kept: np.ndarray,
    measures: Sequence[Measure],
    table: str,
    pairs: tuple[np.ndarray, np.ndarray] | None = None,
) -> Asked:
    """Return a question to all partitions, with labels that give their answers the dtypes that pandas gives the whole.

    Parameters
    ----------
    known : Judged
        What the client knows of the join.
    kept : ndarray of bool, shape (topics,)
        The topics that count.
    table : {'scores', 'preferences'}
        What the answers make together.
    pairs : (ndarray, ndarray), optional
        The two sides of the pairs, for preferences.
    """
    runs, queries = known.runs, known.queries[kept]
    if pairs is not None:  # categories of the whole, which a partition that holds few of them would not know
        rows = np.arange(len(runs))
        runs = pd.DataFrame({name: repeated(runs[name], rows) for name in runs.columns})
        queries = pd.Index(repeated(queries, np.arange(len(queries))), name=queries.name)
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    attrs = {**attributes(known, measures), "table": table}
    return Asked(tuple(measures), known.level, known.topics, runs, queries, place, attrs, pairs)


def tidy(
    rows: pd.DataFrame, numbers: pd.DataFrame, judged: pd.DataFrame | None, whole: Whole, asked: Asked
) -> pd.DataFrame:
    """Return the scores or preferences of a partition as a tidy frame."""
    part = part_of(rows, int(numbers["number"].iloc[0]), judged, whole)
    if part is None:
        return asked.empty()
    own = part.under(asked.level, asked.topics)
    place = asked.place[part.topics]
    if asked.pairs is not None:
        source = kernels.Pairs(own, asked.measures, *asked.pairs, MEMORY)
        return asked.frame(source.cube(progress=False).values, place[source.kept], part.runs)
    views = Views(own)
    values = np.stack([views.values(measure) for measure in asked.measures])
    for row, measure in zip(values, asked.measures):
        counts = part.counted(asked.topics, views.level(measure))
        row[~(counts & part.positions.answered if measure.kind == "items" else counts)] = np.nan
    return asked.frame(values[:, place >= 0], place[place >= 0], part.runs)


def cells(part: Part | None, asked: tuple[Sequence[Measure], Sequence[Measure], float | None], runs: int) -> Any:
    """Return the values of measures and the win rates of preferences: (cell of the whole, values of each)."""
    metrics, rates, level = asked
    if part is None:
        return np.zeros(0, dtype=np.int64), np.zeros((len(metrics) + len(rates), 0))
    views = Views(part.under(level))
    values = [views.values(measure)[part.mine] for measure in metrics]
    values += [mean_preferences.of_measure(views, measure)[part.mine] for measure in rates]
    return (part.topics[:, None] * runs + part.runs)[part.mine], np.stack(values)


def of_pairs(part: Part | None, asked: tuple[Measure, np.ndarray, np.ndarray, float | None]) -> Any:
    """Return the preferences of some pairs: (topics of the whole, values of shape (pairs, topics))."""
    measure, a, b, level = asked
    if part is None:
        return np.zeros(0, dtype=np.int64), np.zeros((len(a), 0))
    return part.topics, kernels.of_pairs(Views(part.under(level)), measure, a, b).T


def codes(part: Part | None, depth: int, runs: int) -> merge_parts.Piece:
    """Return the first items of the lists of a partition: (cell of the whole, codes of the catalogue rank by rank)."""
    if part is None:
        return np.zeros(0, dtype=np.int64), np.zeros((depth, 0), dtype=np.int32)
    there = part.mine & part.positions.answered
    top = lists_of(part.positions, "this").top(depth)[:, there]
    found = np.full((depth, top.shape[1]), -1, dtype=np.int32)
    found[: len(top)] = top
    return (part.topics[:, None] * runs + part.runs)[there], found


def part_hits(part: Part | None) -> merge_parts.Piece:
    """Return the judged items that a partition found, as `pieces.hits` names them."""
    if part is None:
        return np.zeros(0, dtype=np.int64), np.zeros((4, 0))
    return merge_parts.hits(part.positions, part.topics, part.runs)


def part_items(part: Part | None) -> merge_parts.Piece:
    """Return what the rankings of a partition hold, as `pieces.items` says it."""
    if part is None:
        return np.zeros(0, dtype=np.int64), np.zeros((1, 0))
    return merge_parts.items(part.positions, part.topics)
