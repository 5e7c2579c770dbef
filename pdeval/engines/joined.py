"""The join of a Dask run table with judgments: lazy frames, and what has to be gathered for orderings and tests.

The client holds a join without rows, which knows all runs, all judged queries and which of them each run answered:
topic rules, labels, warnings and faults come from it. Values come from the partitions. Only a matrix of queries and
runs is ever gathered, up a tree, or a block of pairs at a time; sums over queries are then made in the order of the
queries, as on pandas, so that the results are the same to the last bit however the rows are divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from pdeval import significance
from pdeval.catalog import Measure, parse_all
from pdeval.engines import answers, parts
from pdeval.engines.answers import Asked
from pdeval.engines.layout import numbers
from pdeval.engines.parts import Whole
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate import summary, winrates
from pdeval.evaluate.cube import Scores, stacked
from pdeval.evaluate.pairs import Pairs, select
from pdeval.evaluate.scores import Topics, Views
from pdeval.judged.positions import Positions
from pdeval.orderings import order as orderings

MEASURES = ("AP", "nDCG@10", "RR", "P@10", "R@100")
FAN_IN = 16
MEMORY = 1 << 28


@dataclass(frozen=True, eq=False)
class Joined:
    """Runs on Dask joined to judgments; made by `runs.ireval.join(qrels)`.

    Parameters
    ----------
    positions : Positions
        What the client knows: runs, queries, what was answered; no ranks.
    rows : Dask DataFrame
        The run table in partitions of whole queries.
    judged : Dask DataFrame or None
        The judgments in the same partitions, where they are too many to send to every worker.
    whole : Whole
        What each partition is told.
    """

    positions: Positions
    rows: Any
    judged: Any
    whole: Whole
    level: float | None = None
    topics: Topics = "relevant"

    def __repr__(self) -> str:
        runs, queries = len(self.positions.runs), len(self.positions.queries)
        return (
            f"runs on Dask joined to judgments: {runs:,} run{'s' * (runs != 1)} x {queries:,} "
            f"quer{'ies' if queries != 1 else 'y'}, {self.rows.npartitions:,} partitions; "
            "next: .measure(), .prefer(), .summary(), .order(), .compare()"
        )

    @cached_property
    def _told(self) -> Any:
        import dask

        return dask.delayed(self.whole, traverse=False)

    def measure(self, measures: object = MEASURES) -> Any:
        """Return what every run scores on every query, as a lazy Dask frame: run, query, measure, value."""
        asked = parse_all(measures)
        evaluate.only_metrics(asked)
        return self._tidy(asked, self._kept(asked, tell=True))

    def prefer(self, measures: object = ("RPP",), *, baseline: object = None, pairs: object = None) -> Any:
        """Return the preferences between runs on every query, as a lazy Dask frame: query, run_a, run_b, ..."""
        source = select(self.positions, measures, baseline=baseline, pairs=pairs, level=self.level, topics=self.topics)
        return self._tidy(source.asked, source.kept, pairs=(source.a, source.b))

    def _tidy(self, asked: Sequence[Measure], kept: np.ndarray, **options: Any) -> Any:
        import dask

        check(asked, self.positions)
        rules = {"level": self.level, "topics": self.topics, "attrs": self._attrs}
        question = Asked.of(self.positions, kept, asked, **rules, **options)
        told = dask.delayed(question, traverse=False)
        number = numbers(self.rows.npartitions)
        meta = question.empty()
        return self.rows.map_partitions(answers.tidy, number, self.judged, self._told, told, meta=meta)

    @property
    def _attrs(self) -> dict[str, Any]:
        return evaluate.attributes(self.positions, self.topics, self.level)

    def _level(self, measure: Measure) -> float | None:
        return Views(self.positions, self.level).level(measure)

    def _counted(self, measure: Measure) -> np.ndarray:
        return evaluate.counted(self.positions, self.topics, self._level(measure))

    def _kept(self, asked: Sequence[Measure], *, tell: bool) -> np.ndarray:
        """Return which topics count by any of the measures; warn of missing ones, raise where there is none."""
        used = np.logical_or.reduce([self._counted(measure) for measure in asked])
        kept: np.ndarray = np.any(used, axis=1)
        if not kept.any():
            raise ValueError(evaluate.nothing_text(self.positions, self.topics, self.level))
        if tell:
            evaluate.tell_missing(self.positions, used, self.topics)
        return kept

    @cached_property
    def _parts(self) -> list[Any]:
        """The join of each partition, delayed."""
        import dask

        rows = self.rows.simplify().to_delayed(optimize_graph=False)
        judged = [None] * len(rows) if self.judged is None else self.judged.to_delayed()
        make = dask.delayed(parts.part_of)
        return [make(part, at, own, self._told) for at, (part, own) in enumerate(zip(rows, judged, strict=True))]

    def _gathered(
        self, metrics: Sequence[Measure], rates: Sequence[Measure], *, again: bool = False
    ) -> dict[str, np.ndarray]:
        """Return the values of measures and the win rates of preferences, (topics, runs) each, in one pass.

        `again` says that the joins will be asked for more: they are then computed once and kept.
        """
        import dask

        shape = self.positions.retrieved.shape
        if not metrics and not rates:
            return {}
        check([*metrics, *rates], self.positions)
        joins = self._held if again and not asks_corpus(metrics, self.positions.rules) else self._parts
        ask, told = dask.delayed(answers.cells), dask.delayed((metrics, rates, self.level), traverse=False)
        place, values = tree([ask(part, told, shape[1]) for part in joins])
        found = {}
        for row, measure in zip(values, [*metrics, *rates]):
            matrix = np.full(shape, np.nan)
            matrix.ravel()[place] = row
            matrix[~self._counted(measure)] = np.nan
            found[measure.label] = matrix
        return found

    def _scores(self, asked: Sequence[Measure], found: dict[str, np.ndarray], *, tell: bool) -> Scores:
        kept = self._kept(asked, tell=tell)
        values = np.stack([found[measure.label][kept] for measure in asked])
        names = tuple(measure.label for measure in asked)
        higher = np.array([measure.entry.family != "metric" or measure.higher for measure in asked])
        return Scores(self.positions.runs, self.positions.queries[kept], names, values, higher, self._attrs)

    def scores(self, measures: object = MEASURES) -> Scores:
        """Return the measures' values, gathered as a cube (measures, queries, runs)."""
        asked = parse_all(measures)
        evaluate.only_metrics(asked)
        return self._scores(asked, self._gathered(asked, ()), tell=True)

    def summary(self, measures: object = MEASURES, *, confidence: float = 0.95, wide: bool = False) -> pd.DataFrame:
        """Return per run and measure: n, mean, sd, and the confidence interval of the mean."""
        return summary.summary(self.scores(measures), confidence=confidence, wide=wide)

    def order(self, measures: object = ("RPP",), *, method: Any = None, **options: Any) -> pd.DataFrame:
        """Return the runs in order; options are those of `pdeval.orderings.order`."""
        asked = parse_all(measures)
        even = self._even()
        rates = {m.label: m for m in asked if m.entry.family == "preference" and winrates.direct(m) and even}
        metrics = [m for m in asked if m.entry.family == "metric"]
        found = self._gathered(metrics, list(rates.values()), again=len(metrics) + len(rates) < len(asked))
        tables: list[pd.DataFrame] = []
        for measure in asked:
            source = self._source([measure], found, tell=not tables)
            tables.append(orderings.order(source, method=method, winrates=measure.label in rates, **options))
        return stacked(tables)

    def _source(self, group: list[Measure], found: dict[str, np.ndarray], *, tell: bool) -> Any:
        if group[0].label in found:
            return self._scores(group, found, tell=tell)
        return self.pairs(group, tell=tell)

    def _even(self) -> bool:
        """Whether all runs count on the same queries, and pairs need not be formed."""
        if self.positions.rules["compat"] == "pref_eval":
            return False
        counts = evaluate.counted(self.positions, self.topics, self.level)
        return bool((counts.all(axis=1) == counts.any(axis=1)).all())

    def compare(self, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return one row per pair and measure with its significance; options as in `pdeval.significance.compare`."""
        asked = parse_all(MEASURES if measures is None else measures)
        groups = [list(group) for _, group in groupby(asked, key=lambda measure: measure.entry.family)]
        metrics = [m for m in asked if m.entry.family == "metric"]
        found = self._gathered(metrics, (), again=len(metrics) < len(asked))
        sources = [self._source(group, found, tell=number == 0) for number, group in enumerate(groups)]
        return significance.compare(sources, **options)

    def pairs(self, measures: object = ("RPP",), *, tell: bool = True) -> Stream:
        """Return the preferences of all pairs as a source that asks the partitions for a block of pairs at a time."""
        asked = parse_all(measures)
        source = select(self.positions, asked, level=self.level, topics=self.topics, tell=tell)
        check(asked, self.positions)
        joins = self._parts if asks_corpus(asked, self.positions.rules) else self._held
        return Stream(source.positions, source.asked, source.a, source.b, self.level, self.topics, MEMORY, joins)

    @cached_property
    def _held(self) -> tuple[Any, ...]:
        """The joins of all partitions, computed and kept where the workers are; the rows are let go."""
        import dask

        slim = dask.delayed(parts.without_rows)
        return dask.persist(*[slim(part) for part in self._parts])


@dataclass(frozen=True, eq=False)
class Stream(Pairs):
    """Preferences that the partitions compute when asked, pair block by pair block; see `Pairs`."""

    joins: Sequence[Any] = ()

    def _values(self, views: Views, measure: Measure, block: slice) -> np.ndarray:
        import dask

        a, b = self.a[block], self.b[block]
        ask, told = dask.delayed(answers.of_pairs), dask.delayed((measure, a, b, self.level), traverse=False)
        topics, found = tree([ask(part, told) for part in self.joins])
        values = np.empty((len(self.positions.queries), len(a)))
        values[topics] = found.T
        counts = evaluate.counted(self.positions, self.topics, views.level(measure))
        values[~(counts[:, a] & counts[:, b])] = np.nan
        return values


def tree(pieces: list[Any]) -> Any:
    """Return delayed pieces of an answer as one, joined a few at a time, so that no task takes all at once."""
    import dask

    join = dask.delayed(answers.beside)
    while len(pieces) > 1:
        pieces = [join(pieces[first : first + FAN_IN]) for first in range(0, len(pieces), FAN_IN)]
    return pieces[0].compute()


def asks_corpus(asked: Sequence[Measure], rules: dict[str, Any]) -> bool:
    """Return whether a measure counts all items returned or judged, for which it needs the rows of both tables."""
    for measure in asked:
        metric = measure.entry.family == "metric"
        columns = evaluate.call_of(measure, rules)[1] if metric else measure.entry.columns
        if any(name.endswith("corpus") for name in columns):
            return True
    return False


def check(asked: Sequence[Measure], whole: Positions) -> None:
    """Raise on the client what every worker would raise: measures that the judgments or the tie rule rule out."""
    for measure in asked:
        if measure.entry.kind == "subtopic" and whole.judged.subtopic is None:
            from pdeval.judged.blocks import View

            View(whole, "subtopic")
        if measure.entry.family == "metric":
            evaluate.call_of(measure, whole.rules)
        elif whole.rules.get("ties") == "expected":
            raise ValueError(
                f"{measure.label} compares definite rankings; ties='expected' gives none. Choose another ties=."
            )
