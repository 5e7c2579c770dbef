"""The join to keep: runs and judgments brought together once, with the same verbs as the accessor."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from itertools import groupby
from types import EllipsisType
from typing import Any

import pandas as pd

from pdeval import significance
from pdeval.accessor.joined_experiments import JoinedExperiments
from pdeval.catalog import Measure, parse_all
from pdeval.evaluate import contributions, curves, fitting
from pdeval.evaluate import means as systems
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate.pairs import Pairs, select
from pdeval.evaluate.scores import Topics
from pdeval.judged import positions
from pdeval.judged.positions import Positions
from pdeval.kinds import tables
from pdeval.orderings import correlation, standings

MEASURES = ("AP", "nDCG@10", "RR", "P@10", "R@100")


@dataclass(frozen=True, eq=False)
class Joined(JoinedExperiments):
    """Runs joined to judgments; made by `runs.ireval.join(qrels)`.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> joined
    runs joined to judgments: 12 runs x 50 queries; next: .measure(), .prefer(), .order(), .compare()
    """

    positions: Positions
    level: float | None = None
    topics: Topics = "relevant"

    def __repr__(self) -> str:
        runs, queries = len(self.positions.runs), len(self.positions.queries)
        return (
            f"runs joined to judgments: {runs:,} run{'s' * (runs != 1)} x {queries:,} "
            f"quer{'ies' if queries != 1 else 'y'}; next: .measure(), .prefer(), .order(), .compare()"
        )

    def at(self, *, level: float | EllipsisType | None = ..., topics: Topics | EllipsisType = ...) -> Joined:
        """Return the same join under another relevance level or topic rule; nothing is joined again.

        What is not given stays as it is; `level=None` is any positive grade.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.at(level=2).at(topics="common").level
        2
        """
        level = self.level if isinstance(level, EllipsisType) else _checked_level(level)
        return replace(self, level=level, topics=self.topics if isinstance(topics, EllipsisType) else topics)

    def scores(self, measures: object = MEASURES) -> evaluate.Scores:
        """Return the measures' values as a cube (measures, queries, runs).

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.scores("AP").values.shape
        (1, 50, 12)
        """
        measures = MEASURES if measures is None else measures
        return evaluate.scores(self.positions, measures, level=self.level, topics=self.topics)

    def measure(self, measures: object = MEASURES) -> pd.DataFrame:
        """Return what every run scores on every query: run, query, measure, value.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> list(joined.measure("AP"))
        ['run', 'query_id', 'measure', 'value']
        """
        return self.scores(measures).frame()

    def pairs(self, measures: object = ("RPP",), *, baseline: object = None, pairs: object = None) -> Pairs:
        """Return preferences as a source that computes them pair block by pair block.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> len(joined.pairs("RPP").a)
        66
        """
        return select(self.positions, measures, baseline=baseline, pairs=pairs, level=self.level, topics=self.topics)

    def prefer(
        self,
        measures: object = ("RPP",),
        *,
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """Return the preferences between runs on every query: query, run_a, run_b, measure, value.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.prefer(["RPP", "AP"], baseline="bm25").shape
        (1100, 5)
        """
        return self.pairs(measures, baseline=baseline, pairs=pairs).cube(progress).frame()

    def sources(self, measures: object = None) -> list[Any]:
        """Return what significance and orderings work on: scores of the metrics, a stream of the preferences.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> [source.measures for source in joined.sources(["RPP", "AP", "RR"])]
        [('RPP',), ('AP', 'RR')]
        """
        asked = parse_all(MEASURES if measures is None else measures)
        groups = [list(group) for _, group in groupby(asked, key=lambda measure: measure.entry.family)]
        return [self._source(group, tell=number == 0) for number, group in enumerate(groups)]

    def _source(self, measures: list[Measure], *, tell: bool) -> Any:
        make = evaluate.scores if measures[0].entry.family == "metric" else select
        return make(self.positions, measures, level=self.level, topics=self.topics, tell=tell)

    def order(self, measures: object = ("RPP",), *, method: Any = None, **options: Any) -> pd.DataFrame:
        """Return the runs in order; win rates of RPP and lexicographic preferences are had without forming pairs.

        Options are those of `pdeval.orderings.order`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.order(["RPP", "AP"]).groupby("measure", observed=True)["rank"].min().tolist()
        [1, 1]
        """
        return standings.order(self.positions, measures, method=method, level=self.level, topics=self.topics, **options)

    def compare(self, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return one row per pair and measure with its significance; options as in `pdeval.significance.compare`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> len(joined.compare(["RPP", "AP"], baseline="bm25"))
        22
        """
        return significance.compare(self.sources(measures), **options)

    def discriminative_power(self, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return the percentage of pairs that each measure tells apart; options as in `pdeval.significance`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.discriminative_power(["RPP", "AP"], tests=["t"])["measure"].tolist()
        ['RPP', 'AP']
        """
        return significance.discriminative_power(self.sources(measures), **options)

    def p_value_curve(self, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return the sorted p-values of all pairs, per measure; options as in `pdeval.significance.p_value_curve`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> len(joined.p_value_curve(["RPP", "AP"]))
        132
        """
        return significance.p_value_curve(self.sources(measures), **options)

    def mean(self, measures: object = ("RPP",), *, baseline: object = None) -> pd.DataFrame:
        """Return the mean preference of each pair, streaming: run_a, run_b, measure, n, mean, sd.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> len(joined.mean("RPP"))
        66
        """
        return systems.mean(self.pairs(measures, baseline=baseline))

    def matrix(self, measure: object = "RPP") -> pd.DataFrame:
        """Return the mean preference of row over column as a square frame.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.matrix("sgnLP").shape
        (12, 12)
        """
        return systems.matrix(self.pairs([measure]))

    def correlate(self, measures: object = ("RPP", "AP"), *, method: Any = None, **options: Any) -> pd.DataFrame:
        """Return how alike the orderings by each two measures are.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.correlate(["RPP", "AP", "RR"])["measure_b"].tolist()
        ['AP', 'RR', 'RR']
        """
        return correlation.correlate(self.order(measures, method=method), **options)

    def disaggregate(
        self, measures: object = ("RPP",), *, baseline: object = None, pairs: object = None
    ) -> pd.DataFrame:
        """Return what each recall level contributes to the difference of two runs.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.disaggregate("RPP", pairs=[("bm25", "ql")]).columns.tolist()
        ['query_id', 'run_a', 'run_b', 'measure', 'level', 'value']
        """
        rules: dict[str, Any] = {"level": self.level, "topics": self.topics}
        return contributions.disaggregate(self.positions, measures, baseline=baseline, pairs=pairs, **rules)

    def explain(self, query: object, measures: object = MEASURES, *, runs: object = None) -> pd.DataFrame:
        """Return a per-item account of one query: item, grade, rank in each run, what it adds to each measure.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> round(float(joined.explain("101", "AP", runs="bm25")["AP"].sum() - joined.measure("AP")["value"][0]), 9)
        0.0
        """
        return contributions.explain(self.positions, measures, query, runs=runs, level=self.level)

    def curve(self, *, points: int | None = 11, by_query: bool = False) -> pd.DataFrame:
        """Return precision against recall: run, recall, precision; see `pdeval.evaluate.curves.curve`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> len(joined.curve(points=5))
        60
        """
        return curves.curve(self.positions, points=points, by_query=by_query, level=self.level, topics=self.topics)

    def fit_weights(self, labelled: pd.DataFrame, *, penalty: float = 1.0) -> fitting.Weights:
        """Return the weights of recall levels that best reproduce labelled preferences (query, run_a, run_b, winner).

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> prefs = joined.prefer("RPP", pairs=[("bm25", "ql")]).query("value != 0")
        >>> labelled = prefs.assign(winner=["a" if value > 0 else "b" for value in prefs["value"]])
        >>> weights = joined.fit_weights(labelled)
        >>> joined.prefer(pdeval.parse("RPP", weight=weights), baseline="bm25")["measure"].iloc[0]
        'RPP(weight=fitted)'
        """
        query = str(self.positions.queries.name)
        return fitting.fit_weights(self.positions, labelled, query=query, level=self.level, penalty=penalty)


def _checked_level(level: float | None) -> float | None:
    if level is not None and not (isinstance(level, numbers.Real) and level > 0):
        raise ValueError(f"level={level!r}: the least grade that counts as relevant must be a number above 0.")
    return level


def join(
    runs: Any, qrels: object, measures: object = None, *, level: float | None, topics: Topics, **rules: Any
) -> Joined:
    """Return the join of two tables, holding judged non-relevant items only where the measures need them."""
    complete = measures is None or evaluate.needs_judged(parse_all(measures))
    level = _checked_level(level)
    both = tables.together(lambda: tables.read(runs, "runs"), lambda: tables.read(qrels, "qrels"))
    return Joined(positions.join(*both, complete=complete, **rules), level, topics)
