"""The pairs of runs to compare and their differences per query: the input of significance tests."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from pdeval.catalog import known_of, limits_of, range_of
from pdeval.evaluate import Pairs as Stream
from pdeval.evaluate import (
    Preferences,
    Scores,
    Source,
    all_pairs,
    baselines_of,
    decided,
    decided_cube,
    finite,
)
from pdeval.join import outside
from pdeval.tables import labels, run_labels, settled, size_of
from pdeval.verbs import TooFew

# Values (queries x pairs) in one block of differences.
BLOCK = 2**20


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of runs to compare and their per-query differences, positive if run `a` is better.

    Parameters
    ----------
    source : Scores, Preferences, or a stream of blocks of preferences
    a, b : ndarray of int, shape (pairs,)
        Rows of `source.runs`. With a baseline, it is the `b` of all its pairs.
    kept : ndarray of int, shape (pairs,)
        Number of each pair in the source.
    flipped : ndarray of bool, shape (pairs,)
        Whether the source has the pair in the other direction.
    against : ndarray of bool, shape (pairs,)
        Whether `b` is the baseline; all True without a baseline.
    """

    source: Source
    a: np.ndarray
    b: np.ndarray
    kept: np.ndarray
    flipped: np.ndarray
    against: np.ndarray

    @classmethod
    def of(cls, source: Source, *, baseline: Any = None, others: bool = False) -> Self:
        """Return all pairs of a table, or those with the baseline (and with `others` all other pairs too).

        The pairs of several baselines are concatenated; two baselines are compared in both directions.
        """
        check(source)
        a, b = all_pairs(len(source.runs)) if isinstance(source, Scores) else (source.a, source.b)
        number = np.arange(len(a))
        if baseline is None:
            return cls(source, a, b, number, np.zeros(len(a), bool), np.ones(len(a), bool))
        parts = []
        for row in baselines_of(source.runs, baseline):
            flipped = a == row  # the baseline is always b
            against = flipped | (b == row)
            if not against.any():
                name = run_labels(source.runs.iloc[[row]])[0]
                raise ValueError(
                    f"no pair of the table has the baseline {name!r}. Compute its pairs first."
                )
            kept = slice(None) if others else against
            columns = (np.where(flipped, b, a), np.where(flipped, a, b), number, flipped, against)
            parts.append([column[kept] for column in columns])
        return cls(source, *map(np.concatenate, zip(*parts, strict=True)))

    def __len__(self) -> int:
        return len(self.a)

    @cached_property
    def n_queries(self) -> list[int]:
        """The number of queries of each measure: if groups are computed together, only the first are of its group."""
        known, n = self.source.attrs.get("measures", {}), len(self.source.queries)
        return [known.get(name, {}).get("n_queries", n) for name in self.source.measures]

    def name(self, pair: int) -> str:
        """Return the labels of both runs of a pair, for messages."""
        texts = run_labels(self.source.runs.iloc[[self.a[pair], self.b[pair]]])
        return f"({texts[0]!r}, {texts[1]!r})"

    def run_columns(self, pairs: np.ndarray) -> dict[str, Any]:
        """Return the run columns of both sides of some pairs."""
        runs = self.source.runs
        sides = (("a", self.a[pairs]), ("b", self.b[pairs]))
        return {f"{name}_{side}": labels(runs[name], rows) for side, rows in sides for name in runs}

    def frame(
        self, parts: Sequence[dict[str, np.ndarray]], tests: Sequence[str] = ()
    ) -> pd.DataFrame:
        """Return one row per measure and pair with the baseline: the runs, the measure, its test, then the columns.

        `parts` are the columns of each measure, or one part with the columns of all measures, concatenated.
        """
        measures = self.source.measures
        pairs = np.flatnonzero(self.against)
        head = self.run_columns(np.tile(pairs, len(measures)))
        measure = np.repeat(np.arange(len(measures)), len(pairs))
        head["measure"] = labels(pd.Index(measures), measure)
        if tests:
            head["test"] = labels(pd.Index(tests), measure)
        frame = pd.DataFrame({**head, **concatenated(parts)}, copy=False)
        frame.attrs.update(self.source.attrs)
        return frame

    def blocks(self, measure: int, *, shared: int = 0) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (numbers of pairs, differences of shape (queries, those pairs)), NaN if one side is missing.

        The difference of values that differ only by rounding is exactly 0. Raise if a pair has fewer than `shared`
        queries in common.
        """
        for _, numbers, D in self.blocks_of([measure], shared=shared):
            yield numbers, D[0]

    def blocks_of(
        self, measures: Sequence[int], *, shared: int = 0
    ) -> Iterator[tuple[Sequence[int], np.ndarray, np.ndarray]]:
        """Yield (measures, numbers of pairs, differences of shape (measures, queries, those pairs)).

        The measures have equally many queries; small ones are together in a block.
        """
        source, n, step = self.source, self.n_queries[measures[0]], 1
        if isinstance(source, Scores | Preferences):
            step = max(1, BLOCK // max(1, n * max(len(self), source.values.shape[-1])))
        for start in range(0, len(measures), step):
            part = measures[start : start + step]
            for numbers, D in self._differences(part, n):
                count = np.count_nonzero(~np.isnan(D), axis=1)
                few = count < shared
                if few.any():
                    number = int(few.any(axis=1).argmax())  # the first such measure
                    example = np.flatnonzero(few[number])[0]
                    raise ValueError(
                        f"{few[number].sum()} pairs have fewer than two common queries for "
                        f"{source.measures[part[number]]!r}, "
                        f"e.g. {self.name(numbers[example])} with {count[number, example]}. "
                        "Drop these runs, or evaluate with queries='relevant', which gives every run a value."
                    )
                yield part, numbers, D

    def _differences(
        self, measures: Sequence[int], n: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        source: Any = self.source
        width = max(1, BLOCK // max(1, n))
        if isinstance(source, Scores):
            scores = (self.scores(measure) for measure in measures)
            values = np.stack(
                [one if source.higher[m] else -one for m, one in zip(measures, scores)]
            )
            for start in range(0, len(self), width):
                pairs = np.arange(start, min(start + width, len(self)))
                yield pairs, values[..., self.a[pairs]] - values[..., self.b[pairs]]
            return
        parts: Iterable[tuple[slice, np.ndarray]] = (
            [(slice(0, len(source.a)), decided_cube(source, measures))]
            if len(measures) > 1
            else ((part, block[None]) for part, block in decided(source, measures[0]))
        )
        # the source yields its pairs in order; a pair with two baselines is taken twice
        in_turn = np.argsort(self.kept)
        for part, values in parts:
            for measure, of_measure in zip(measures, values):
                finite(of_measure, source.measures[measure])
            first, last = np.searchsorted(self.kept[in_turn], [part.start, part.stop])
            for start in range(first, last, width):
                pairs = in_turn[start : min(start + width, last)]
                block = values[:, :n, self.kept[pairs] - part.start]
                # 0 - x and not -x: a tie stays 0.0 and does not become -0.0
                yield pairs, np.where(self.flipped[pairs], 0.0 - block, block)

    def scores(self, measure: int) -> np.ndarray:
        """Return the scores of a measure (queries, runs), those that differ only by rounding made equal."""
        source: Any = self.source
        values = finite(source.values[measure], source.measures[measure])
        # the tolerance of scores of both signs depends on the largest score of the measure
        values = settled(values) if self._settled is None else self._settled[measure]
        return values[: self.n_queries[measure]]

    @cached_property
    def _settled(self) -> np.ndarray | None:
        """The scores of all measures, None if some are negative."""
        values = self.source.values  # type: ignore[union-attr]
        return None if np.fmin.reduce(values, axis=None) < 0 else settled(values)

    def gather(
        self, blocks: Iterable[tuple[np.ndarray, dict[str, np.ndarray]]]
    ) -> dict[str, np.ndarray]:
        """Return columns over all pairs, the last axis, from (numbers of pairs, columns of these pairs)."""
        gathered: dict[str, np.ndarray] = {}
        for numbers, columns in blocks:
            if np.array_equal(numbers, np.arange(len(self))):
                return columns
            for key, values in columns.items():
                column = gathered.setdefault(
                    key, np.empty((*values.shape[:-1], len(self)), dtype=values.dtype)
                )
                column[..., numbers] = values
        return gathered

    def sides(
        self, measure: int, pairs: np.ndarray, counted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the means of run a and of run b in the unit of the measure; NaN for preferences.

        `counted` is a mask of the (query, pair) cells that count, or, with one axis, of the queries.
        """
        a, b = self.a[pairs], self.b[pairs]
        if not isinstance(self.source, Scores):
            return (np.full(len(pairs), np.nan),) * 2
        values = self.source.values[measure][: self.n_queries[measure]]
        if counted.ndim == 1 or counted.all():
            means = values[counted].mean(axis=0) if counted.ndim == 1 else values.mean(axis=0)
            return means[a], means[b]
        # means over the cells that count, pair by pair
        n = counted.sum(axis=0)
        mean_a, mean_b = (
            np.where(counted, values[:, side], 0.0).sum(axis=0) / n for side in (a, b)
        )
        return mean_a, mean_b

    def limits(self, measure: int, D: np.ndarray) -> tuple[float, float]:
        """Return the smallest and largest possible difference; `D` are differences of the measure."""
        label, attrs = self.source.measures[measure], self.source.attrs
        if isinstance(self.source, Scores):
            low, high = limits_of(label, self.source.values[measure], attrs)
            return low - high, high - low
        known = known_of(label, attrs)
        if known is None or known["family"] == "preference":
            return limits_of(label, D, attrs)
        # the preference is a difference of two values of the measure
        low, high = range_of(label, attrs)
        inside = np.isnan(D) | (np.abs(D) <= high - low)
        return (low - high, high - low) if inside.all() else (-np.inf, np.inf)


def concatenated(parts: Sequence[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the columns of all parts, concatenated; NaN if only other parts have a column."""
    keys = max(parts, key=len)
    missing = dict.fromkeys(key for part in parts for key in part if key not in keys)
    # the estimate of most tests is the difference
    other = {"estimate": "difference"}
    return {
        key: np.concatenate(
            [
                part[name]
                if (name := key if key in part else other.get(key, "")) in part
                else np.full(len(next(iter(part.values()))), np.nan)
                for part in parts
            ]
        )
        for key in (*keys, *missing)
    }


def check(source: Source) -> None:
    """Raise unless the table has two runs and two queries."""
    if len(source.runs) < 2:
        raise TooFew(f"a comparison needs at least two runs, found {len(source.runs)}.")
    if len(source.queries) < 2:
        raise TooFew(
            f"a significance test needs at least two queries, found {len(source.queries)}. "
            "Evaluate more queries before you compare."
        )


def complete(pairs: Pairs, measure: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of the queries on which every run has one, and which queries these are.

    The values are scores (queries, runs), higher is better, or preferences (queries, runs, runs). Preferences
    that are the differences of some score are returned as that score.

    Parameters
    ----------
    what : str
        Name of the analysis, for messages.
    """
    source = pairs.source
    label = source.measures[measure]
    if isinstance(source, Scores):
        values = pairs.scores(measure)
        values = values if source.higher[measure] else 0.0 - values
    else:
        values = square(source, measure, what)[: pairs.n_queries[measure]]
    counted = complete_queries(values, label, what)
    values = values if counted.all() else values[counted]
    if values.ndim == 3:
        scores = additive(values)
        values = values if scores is None else settled(scores, least=size_of(scores))
    return values, counted


def complete_queries(values: np.ndarray, label: str, what: str) -> np.ndarray:
    """Return which queries, the first axis, have no missing value; warn about the others.

    Raise if fewer than two queries remain.
    """
    counted = np.asarray(~np.isnan(values.reshape(len(values), -1)).any(axis=1))
    if counted.sum() < 2:
        raise TooFew(
            f"{what} needs at least two queries on which every run has a value; {label!r} has "
            f"{counted.sum()} of {len(counted)}. Use a pairwise test such as test='t', or drop incomplete runs."
        )
    if not counted.all():
        warnings.warn(
            f"{(~counted).sum()} of {len(counted)} queries have no {label!r} value for at least one run; "
            f"{what} uses the remaining {counted.sum()} queries.",
            UserWarning,
            stacklevel=outside(),
        )
    return counted


def square(source: Preferences | Stream, measure: int, what: str) -> np.ndarray:
    """Return one measure's preferences as a matrix per query: shape (queries, runs, runs), antisymmetric."""
    n_runs = len(source.runs)
    n_pairs = len(
        np.unique(np.minimum(source.a, source.b) * n_runs + np.maximum(source.a, source.b))
    )
    if n_pairs < n_runs * (n_runs - 1) // 2:
        raise ValueError(
            f"{what} needs all pairs of runs; the preferences have {n_pairs} of the {n_runs * (n_runs - 1) // 2} "
            "pairs. Compute all pairs (without baseline=), or use a pairwise test such as test='t'."
        )
    values = np.zeros((len(source.queries), n_runs, n_runs))
    for part, block in decided(source, measure):
        finite(block, source.measures[measure])
        values[:, source.a[part], source.b[part]] = block
        values[:, source.b[part], source.a[part]] = 0.0 - block
    return values


def additive(values: np.ndarray) -> np.ndarray | None:
    """Return scores (queries, runs) whose differences equal the preferences, or None if there are none.

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
        # differences of machine numbers are additive up to their last digits only
        if np.abs(row[:, None] - row - matrix).max() > 1e-14 * np.abs(matrix).max():
            return None
    return scores
