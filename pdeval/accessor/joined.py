"""The join to keep: runs and judgments brought together once, with the same verbs as the accessor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from pdeval import evaluate, positions, tables
from pdeval.catalog import parse_all
from pdeval.evaluate import Topics
from pdeval.pairs import Pairs, select
from pdeval.positions import Positions

MEASURES = ("AP", "nDCG@10", "RR", "P@10", "R@100")


@dataclass(frozen=True, eq=False)
class Joined:
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

    def at(self, *, level: float | None = None, topics: Topics = "relevant") -> Joined:
        """Return the same join under another relevance level or topic rule; nothing is joined again.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.at(level=2).level
        2
        """
        return replace(self, level=level, topics=topics)

    def scores(self, measures: object = MEASURES) -> evaluate.Scores:
        """Return the measures' values as a cube (measures, queries, runs).

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.scores("AP").values.shape
        (1, 50, 12)
        """
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


def join(
    runs: Any, qrels: object, measures: object = None, *, level: float | None, topics: Topics, **rules: Any
) -> Joined:
    """Return the join of two tables, holding judged non-relevant items only where the measures need them."""
    complete = measures is None or evaluate.needs_judged(parse_all(measures))
    if level is not None and not level > 0:
        raise ValueError(f"level={level!r}: the least grade that counts as relevant must be above 0.")
    found = positions.join(tables.read(runs, "runs"), tables.read(qrels, "qrels"), complete=complete, **rules)
    return Joined(found, level, topics)
