"""The pairs of runs that are compared, and per query how much better the first one is: what tests run on."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from pdeval.catalog.directions import limits_of
from pdeval.evaluate.cube import Scores, all_pairs
from pdeval.evaluate.run_selection import baselines_of
from pdeval.evaluate.sources import decided
from pdeval.tables.equal_values import settled, size_of
from pdeval.tables.labels import labels, run_labels
from pdeval.verbs.arguments import TooFew

# Values (queries x pairs) that one block of differences may hold.
BLOCK = 2**20


class PreferenceSource(Protocol):
    """Preferences of pairs of runs, one measure at a time: a `cube.Preferences`, or a stream of blocks."""

    @property
    def runs(self) -> pd.DataFrame: ...
    @property
    def queries(self) -> pd.Index: ...
    @property
    def measures(self) -> tuple[str, ...]: ...
    @property
    def a(self) -> np.ndarray: ...
    @property
    def b(self) -> np.ndarray: ...
    @property
    def attrs(self) -> dict[str, Any]: ...

    def blocks(self, measure: int, /) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield (slice of pairs, values of shape (queries, pairs of the slice))."""
        ...


Source = Scores | PreferenceSource


@dataclass(frozen=True)
class Pairs:
    """The pairs of runs to compare and their per-query differences, positive where run `a` is better.

    Parameters
    ----------
    source : Scores or PreferenceSource
    a, b : ndarray of int, shape (pairs,)
        Rows of `source.runs`. With a baseline, it is the `b` of all its pairs.
    kept : ndarray of int, shape (pairs,)
        The pair of the source that each of these pairs is.
    flipped : ndarray of bool, shape (pairs,)
        Whether the source has the pair the other way round.
    against : ndarray of bool, shape (pairs,)
        Whether `b` is the baseline; all True without one.
    """

    source: Source
    a: np.ndarray
    b: np.ndarray
    kept: np.ndarray
    flipped: np.ndarray
    against: np.ndarray

    @classmethod
    def of(cls, source: Source, *, baseline: Any = None, others: bool = False) -> Pairs:
        """Return the pairs of a table: all of them, or those with the baseline (and the `others` too).

        Several baselines have their pairs one after the other: two of them are compared in both directions.
        """
        check(source)
        a, b = all_pairs(len(source.runs)) if isinstance(source, Scores) else (source.a, source.b)
        if baseline is None:
            return cls(source, a, b, np.arange(len(a)), np.zeros(len(a), bool), np.ones(len(a), bool))
        rows = baselines_of(source.runs, baseline)
        parts = [_with_baseline(a, b, row) for row in rows]
        for row, part in zip(rows, parts, strict=True):
            if not part[-1].any():
                name = run_labels(source.runs.iloc[[row]])[0]
                raise ValueError(f"no pair of the table has the baseline {name!r}: compute its pairs first.")
        if not others:
            parts = [tuple(column[part[-1]] for column in part) for part in parts]
        first, second, kept, flipped, against = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return cls(source, first, second, kept, flipped, against)

    def __len__(self) -> int:
        return len(self.a)

    def name(self, pair: int) -> str:
        """Return the two runs of a pair as text."""
        texts = run_labels(self.source.runs.iloc[[self.a[pair], self.b[pair]]])
        return f"({texts[0]!r}, {texts[1]!r})"

    def columns(self, times: int) -> dict[str, Any]:
        """Return the run columns of both sides of the shown pairs, repeated for each of `times` measures."""
        runs = self.source.runs
        shown = (("a", self.a[self.against]), ("b", self.b[self.against]))
        return {f"{name}_{side}": labels(runs[name], np.tile(rows, times)) for side, rows in shown for name in runs}

    def blocks(self, measure: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (numbers of pairs, differences of shape (queries, those pairs)), NaN where one side is missing.

        Values that differ by rounding only give a difference of exactly 0.
        """
        width = max(1, BLOCK // max(1, len(self.source.queries)))
        if isinstance(self.source, Scores):
            values = settled(finite(self.source.values[measure], self.source.measures[measure]))
            for start in range(0, len(self), width):
                pairs = np.arange(start, min(start + width, len(self)))
                better, worse = (self.a, self.b) if self.source.higher[measure] else (self.b, self.a)
                yield pairs, values[:, better[pairs]] - values[:, worse[pairs]]
            return
        in_turn = np.argsort(self.kept)
        for part, values in decided(self.source, measure):
            finite(values, self.source.measures[measure])
            first, last = np.searchsorted(self.kept[in_turn], [part.start, part.stop])
            for start in range(first, last, width):
                pairs = in_turn[start : min(start + width, last)]
                block = values[:, self.kept[pairs] - part.start]
                # 0 - x and not -x: a tie stays 0.0 and does not become -0.0
                yield pairs, np.where(self.flipped[pairs], 0.0 - block, block)

    def sides(
        self, measure: int, pairs: np.ndarray, counted: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the means of run a and of run b in the measure's own units; NaN where there are only preferences.

        `counted` says which (query, pair) cells count, or, with one axis, which queries do; default: all.
        """
        if not isinstance(self.source, Scores):
            return np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
        values = self.source.values[measure]
        if counted is None or counted.ndim == 1:
            means = values.mean(axis=0) if counted is None else values[counted].mean(axis=0)
            return means[self.a[pairs]], means[self.b[pairs]]
        n = counted.sum(axis=0)
        a, b = (np.where(counted, values[:, side[pairs]], 0.0).sum(axis=0) / n for side in (self.a, self.b))
        return a, b

    def limits(self, measure: int, D: np.ndarray) -> tuple[float, float]:
        """Return the least and the largest difference there can be; `D` are differences of the measure."""
        label, attrs = self.source.measures[measure], self.source.attrs
        if not isinstance(self.source, Scores):
            return limits_of(label, D, attrs)
        low, high = limits_of(label, self.source.values[measure], attrs)
        return low - high, high - low


def _with_baseline(a: np.ndarray, b: np.ndarray, row: int) -> tuple[np.ndarray, ...]:
    """Return a, b, their numbers, whether they are flipped so that the baseline is b, and whether it is."""
    flipped = a == row
    a, b = np.where(flipped, b, a), np.where(flipped, a, b)
    return a, b, np.arange(len(a)), flipped, b == row


def check(source: Source) -> None:
    """Raise unless the table can be tested: two runs, two queries, a measure, a pair."""
    needed = ("runs", "queries", "measures")
    if not all(hasattr(source, name) for name in needed):
        raise TypeError(
            "significance needs scores or preferences (pdeval.evaluate.cube.Scores, Preferences or a stream of their "
            f"blocks), found {type(source).__name__}. On a frame, call the .ireval method."
        )
    if len(source.runs) < 2:
        raise TooFew(f"a comparison needs at least two runs, found {len(source.runs)}.")
    if len(source.queries) < 2:
        raise TooFew(
            f"a significance test needs at least two queries, found {len(source.queries)}: "
            "evaluate more queries before comparing."
        )
    if not len(source.measures):
        raise ValueError("the table has no measure: there is nothing to compare.")
    if not isinstance(source, Scores) and not len(source.a):
        raise ValueError("the preferences table has no pair of runs: there is nothing to compare.")


def finite(values: np.ndarray, measure: str) -> np.ndarray:
    """Return the values, or raise where some are infinite: they have no mean."""
    if np.isinf(values).any():
        raise ValueError(
            f"measure {measure!r} has {int(np.isinf(values).sum())} infinite values, which have no mean. "
            "Choose its variant that gives items never found a finite rank, or compare preferences instead."
        )
    return values


def enough(pairs: Pairs, numbers: np.ndarray, n: np.ndarray, measure: str) -> None:
    """Raise where a pair has fewer than two queries in common."""
    few = np.flatnonzero(n < 2)
    if len(few):
        raise ValueError(
            f"{len(few)} pairs have fewer than two queries in common on {measure!r}, "
            f"e.g. {pairs.name(numbers[few[0]])} with {n[few[0]]}. "
            "Drop those runs, or evaluate with a topics rule that gives every run a value."
        )


def complete(pairs: Pairs, measure: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Return (values, which queries they are): only queries on which every run has a value; `what` needs them.

    The values are scores (queries, runs), more is better, or preferences (queries, runs, runs). Preferences
    that are the differences of some score come back as that score.
    """
    source = pairs.source
    label = source.measures[measure]
    if isinstance(source, Scores):
        values = settled(finite(source.values[measure], label))
        values = values if source.higher[measure] else 0.0 - values
    else:
        values = square(source, measure, what)
    counted = np.asarray(~np.isnan(values.reshape(len(values), -1)).any(axis=1))
    if counted.sum() < 2:
        raise TooFew(
            f"{what} needs at least two queries on which every run has a value; {label!r} has "
            f"{counted.sum()} of {len(counted)}. Use a pairwise test such as test='t', or drop incomplete runs."
        )
    if not counted.all():
        warnings.warn(
            f"{(~counted).sum()} of {len(counted)} queries lack a value of {label!r} for some run; "
            f"{what} uses the {counted.sum()} complete ones.",
            stacklevel=2,
        )
        values = values[counted]
    if values.ndim == 3:
        scores = additive(values)
        values = values if scores is None else settled(scores, least=size_of(scores))
    return values, counted


def square(source: PreferenceSource, measure: int, what: str) -> np.ndarray:
    """Return one measure's preferences as a matrix per query: shape (queries, runs, runs), antisymmetric."""
    n_runs = len(source.runs)
    low, high = np.minimum(source.a, source.b), np.maximum(source.a, source.b)
    found = len(np.unique(low * n_runs + high))
    wanted = n_runs * (n_runs - 1) // 2
    if found < wanted:
        raise ValueError(
            f"{what} needs every pair of runs; the preferences have {found} of the {wanted} pairs. "
            "Compute all pairs (no baseline), or use a pairwise test such as test='t'."
        )
    values = np.zeros((len(source.queries), n_runs, n_runs))
    for part, block in decided(source, measure):
        finite(block, source.measures[measure])
        values[:, source.a[part], source.b[part]] = block
        values[:, source.b[part], source.a[part]] = 0.0 - block
    return values


def additive(values: np.ndarray) -> np.ndarray | None:
    """Return the scores (queries, runs) whose differences the preferences are, or None where there are none.

    Examples
    --------
    >>> x = np.array([[0.5, 0.0, 1.0]])
    >>> additive(x[:, :, None] - x[:, None, :]).tolist()
    [[0.0, -0.5, 0.5]]
    >>> additive(np.sign(x[:, :, None] - x[:, None, :])) is None
    True
    """
    scores = np.ascontiguousarray(values[:, :, 0])
    for row, matrix in zip(scores, values, strict=True):
        gap = np.abs(row[:, None] - row - matrix).max()
        # differences of machine numbers are additive up to their last digits only
        if gap > 1e-14 * np.abs(matrix).max():
            return None
    return scores
