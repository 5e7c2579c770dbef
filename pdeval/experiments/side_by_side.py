"""Several measures side by side: their differences over the same pairs of rankings, pair block by pair block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from pdeval.catalog import Measure
from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.cube import Preferences, Scores
from pdeval.evaluate.pairs import Pairs, of_pairs, select
from pdeval.evaluate.scores import Views
from pdeval.evaluate.sources import Held, decided, sources
from pdeval.judged.judged import Judged
from pdeval.mechanics.equality import cleared, gap, size_of
from pdeval.mechanics.progress import track

CELLS = 1 << 20


@dataclass(frozen=True, eq=False)
class Differences:
    """Scores as a source of preferences: their differences, turned where lower is better."""

    scores: Scores
    a: np.ndarray
    b: np.ndarray

    @property
    def runs(self) -> pd.DataFrame:
        """The runs."""
        return self.scores.runs

    @property
    def queries(self) -> pd.Index:
        """The queries."""
        return self.scores.queries

    @property
    def measures(self) -> tuple[str, ...]:
        """The labels of the measures."""
        return self.scores.measures

    @property
    def attrs(self) -> dict[str, Any]:
        """What the numbers rest on."""
        return self.scores.attrs

    def blocks(self, measure: int) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, differences of shape (queries, pairs in the slice))."""
        values = self.scores.values[measure] if self.scores.higher[measure] else -self.scores.values[measure]
        both = np.nanmin(values, initial=0.0) < 0 < np.nanmax(values, initial=0.0)
        least = size_of(values) if both else 0.0
        step = max(CELLS // max(len(values), 1), 1)
        for first in range(0, len(self.a), step):
            block = slice(first, min(first + step, len(self.a)))
            # of both signs, values near 0 are what is left of larger ones
            yield block, gap(values[:, self.a[block]], values[:, self.b[block]], least)


Stream: TypeAlias = Preferences | Pairs | Differences


def stream_of(held: Held, measures: object, *, baseline: object = None, pairs: object = None) -> Stream:
    """Return a stream of preferences: of a join and the measures asked for, of scores, or of preferences.

    Examples
    --------
    >>> import pdeval
    >>> len(stream_of(pdeval.datasets.sample_judged(topics="common"), ["AP", "RPP"]).a)
    66
    """
    if isinstance(held, Judged):
        return select(held, measures, baseline=baseline, pairs=pairs)
    found = sources(held, measures)
    source = found[0]
    if len(found) != 1 or not isinstance(source, Scores | Preferences | Pairs | Differences):
        raise TypeError(f"this needs a join, scores or preferences; it got {type(source).__name__}.")
    if isinstance(source, Scores):
        return Differences(source, *chosen_pairs(source.runs, baseline=baseline, pairs=pairs))
    if baseline is not None or pairs is not None:
        raise ValueError("baseline= and pairs= choose among runs; a table of preferences has its own pairs.")
    return source


def of_all_measures(judged: Judged, given: dict[str, Any]) -> list[Any]:
    """Return the stream of a join for groups of its queries; nothing where values are needed beside differences."""
    if given.get("relative"):
        return []
    return [select(judged, given["measures"], baseline=given.pop("baseline", None), pairs=given.pop("pairs", None))]


def together(source: Stream, *, desc: str = "", progress: bool | None = None) -> Iterator[list[np.ndarray]]:
    """Yield, block of pairs by block of pairs, the differences of every measure, each of shape (queries, pairs).

    What is rounding is 0: two runs are tied where their difference is 0.

    Examples
    --------
    >>> import pdeval
    >>> stream = stream_of(pdeval.datasets.sample_judged(topics="common"), ["RPP", "AP"])
    >>> [[values.shape for values in block] for block in together(stream)]
    [[(48, 66), (48, 66)]]
    """
    if isinstance(source, Pairs):
        yield from _of_join(source, desc, progress)
        return
    of_scores = isinstance(source, Differences)
    streams = [source.blocks(m) if of_scores else decided(source, m) for m in range(len(source.measures))]
    for parts in track(zip(*streams, strict=True), desc=desc, progress=progress):
        yield [values for _, values in parts]


def larger_values(source: Stream) -> Callable[[slice], list[np.ndarray]]:
    """Return what gives, for a slice of the pairs, the larger of both values of every measure, each (queries, pairs).

    Examples
    --------
    >>> import pdeval
    >>> stream = stream_of(pdeval.datasets.sample_judged(topics="common"), ["P@10", "RR"])
    >>> [values[0].tolist() for values in larger_values(stream)(slice(0, 3))]
    [[0.4, 0.5, 0.6], [1.0, 1.0, 1.0]]
    """
    if isinstance(source, Differences):
        values = list(np.abs(source.scores.values))
    else:
        asked = source.asked if isinstance(source, Pairs) else ()
        valued = {one.label for one in asked if one.entry.family == "metric"}
        lacking = [label for label in source.measures if label not in valued]
        if not isinstance(source, Pairs) or lacking:
            raise ValueError(
                f"{lacking[0]} is a preference between two rankings, which have no values of their own that a "
                "difference could be a share of. Give measures of one ranking, or fuzziness as a difference."
            )
        views = Views(source.judged)
        values = [np.abs(views.values(one))[source.kept] for one in asked]
    return lambda part: [np.maximum(one[:, source.a[part]], one[:, source.b[part]]) for one in values]


def clear_pairs(views: Views, measure: Measure, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the preferences of pairs of runs on every topic, shape (topics, pairs), with what is rounding made 0."""
    values = of_pairs(views, measure, a, b)
    return values if measure.entry.family == "metric" else cleared(values, 1.0)


def _of_join(source: Pairs, desc: str, progress: bool | None) -> Iterator[list[np.ndarray]]:
    """Yield the blocks of a join, whose columns are made once for all measures."""
    views, kept = Views(source.judged), source.kept
    # all measures are held at once, so each has its part of the memory
    step = max(source.step() // (2 * len(source.asked)), 1)
    starts = range(0, len(source.a), step)
    for first in track(starts, total=len(starts), desc=desc, progress=progress):
        a, b = source.a[first : first + step], source.b[first : first + step]
        block = []
        for measure in source.asked:
            values = clear_pairs(views, measure, a, b)
            counts = views.counted(measure)
            if not counts.all():
                values[~(counts[:, a] & counts[:, b])] = np.nan
            block.append(values[kept])
        yield block
