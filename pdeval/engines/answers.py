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
from pdeval.engines.parts import Part, Whole, part_of
from pdeval.evaluate import pairs as kernels
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate import winrates
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.scores import Views
from pdeval.judged.positions import Positions
from pdeval.kinds.labels import labels

MEMORY = 1 << 27


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of every partition, and the labels of the answer, which are those of the whole.

    Parameters
    ----------
    measures, level, topics
        As in `evaluate.scores`.
    runs, queries
        The labels of all runs and of the queries that count, as categoricals (numbers stay numbers).
    place : ndarray of shape (topics,)
        Where each topic stands among those queries, or -1.
    attrs : dict
        What the numbers rest on.
    pairs : (ndarray, ndarray) or None
        The two sides of the pairs, for preferences.
    """

    measures: tuple[Measure, ...]
    level: float | None
    topics: evaluate.Topics
    runs: pd.DataFrame
    queries: pd.Index
    place: np.ndarray
    attrs: dict[str, Any]
    pairs: tuple[np.ndarray, np.ndarray] | None = None

    @classmethod
    def of(cls, whole: Positions, kept: np.ndarray, measures: Sequence[Measure], **options: Any) -> Asked:
        """Return the question, with labels that give every partition the dtypes that pandas would give the whole."""
        rows = np.arange(len(whole.runs))
        runs = pd.DataFrame({name: labels(whole.runs[name], rows) for name in whole.runs.columns})
        queries = whole.queries[kept]
        typed = pd.Index(labels(queries, np.arange(len(queries))), name=queries.name)
        place = np.where(kept, np.cumsum(kept) - 1, -1)
        return cls(tuple(measures), runs=runs, queries=typed, place=place, **options)

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


def tidy(
    rows: pd.DataFrame, numbers: pd.DataFrame, judged: pd.DataFrame | None, whole: Whole, asked: Asked
) -> pd.DataFrame:
    """Return the scores or preferences of a partition as a tidy frame."""
    part = part_of(rows, int(numbers["number"].iloc[0]), judged, whole)
    if part is None:
        return asked.empty()
    views = Views(part.positions, asked.level)
    place = asked.place[part.topics]
    if asked.pairs is not None:
        source = kernels.Pairs(part.positions, asked.measures, *asked.pairs, asked.level, asked.topics, MEMORY)
        return asked.frame(source.cube(progress=False).values, place[source.kept], part.runs)
    values = np.stack([views.values(measure) for measure in asked.measures])
    for row, measure in zip(values, asked.measures):
        row[~part.counted(asked.topics, views.level(measure))] = np.nan
    return asked.frame(values[:, place >= 0], place[place >= 0], part.runs)


def cells(part: Part | None, asked: tuple[Sequence[Measure], Sequence[Measure], float | None], runs: int) -> Any:
    """Return the values of measures and the win rates of preferences: (cell of the whole, values of each)."""
    metrics, rates, level = asked
    if part is None:
        return np.zeros(0, dtype=np.int64), np.zeros((len(metrics) + len(rates), 0))
    views = Views(part.positions, level)
    values = [views.values(measure)[part.mine] for measure in metrics]
    values += [winrates.of_measure(views, measure)[part.mine] for measure in rates]
    return (part.topics[:, None] * runs + part.runs)[part.mine], np.stack(values)


def of_pairs(part: Part | None, asked: tuple[Measure, np.ndarray, np.ndarray, float | None]) -> Any:
    """Return the preferences of some pairs: (topics of the whole, values of shape (pairs, topics))."""
    measure, a, b, level = asked
    if part is None:
        return np.zeros(0, dtype=np.int64), np.zeros((len(a), 0))
    return part.topics, kernels.of_pairs(Views(part.positions, level), measure, a, b).T


def beside(pieces: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return pieces of an answer as one: a branch of the tree by which answers are gathered.

    Examples
    --------
    >>> place, values = beside([(np.array([2]), np.array([[0.5]])), (np.array([0]), np.array([[1.0]]))])
    >>> place.tolist(), values.tolist()
    ([2, 0], [[0.5, 1.0]])
    """
    return np.concatenate([place for place, _ in pieces]), np.concatenate([values for _, values in pieces], axis=1)
