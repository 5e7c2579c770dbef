"""Verbs of scores and preferences: sum up, order, correlate, report; of run tables too, given judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdeval.accessor import sources
from pdeval.accessor.sources import each
from pdeval.evaluate import means as systems
from pdeval.evaluate import pivot, summary
from pdeval.kinds import tables
from pdeval.orderings import correlation
from pdeval.orderings import order as orderings

if TYPE_CHECKING:
    from pdeval.report import Report


class ResultVerbs:
    """What a table of scores or preferences can do."""

    _frame: pd.DataFrame
    _binding: dict[str, Any]

    def summary(
        self, by: str | Sequence[str] | None = None, *, wide: bool = False, confidence: float = 0.95
    ) -> pd.DataFrame:
        """Return the scores summed up per run and measure: n, mean, sd, ci_low, ci_high.

        Parameters
        ----------
        by : str or list of str, optional
            Column(s) of joined-on metadata to group by instead of the run: each query's values are averaged over
            the group's runs first, so that n counts queries.
        wide : bool
            One row per run, one column per measure, holding the means.
        confidence : float
            Of the interval of the mean (Student's t over queries).

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), ["AP", "RR"])
        >>> scores.ireval.summary(wide=True).round(3).head(2).to_dict("records")
        [{'run': 'bm25', 'AP': 0.328, 'RR': 0.746}, {'run': 'bm25+rm3', 'AP': 0.337, 'RR': 0.744}]
        >>> table = scores.merge(pdeval.datasets.sample_metadata(), on="run")
        >>> table.ireval.summary(by="family").columns.tolist()
        ['family', 'measure', 'n', 'mean', 'sd', 'ci_low', 'ci_high']
        """
        table = tables.read(self, "scores")
        if by is None:
            return summary.summary(pivot.scores(table), confidence=confidence, wide=wide)
        roles = {name: table.roles[name] for name in ("query", "measure", "value")}
        return summary.summary_by(table.frame, by, **roles, confidence=confidence, wide=wide)

    def mean(self) -> pd.DataFrame:
        """Return system-level preferences: the mean over queries of each pair.

        Examples
        --------
        >>> import pdeval
        >>> prefs = pdeval.datasets.sample_runs().ireval.prefer(pdeval.datasets.sample_qrels(), "RPP")
        >>> prefs.ireval.mean().columns.tolist()
        ['run_a', 'run_b', 'measure', 'n', 'mean', 'sd']
        """
        return systems.mean(pivot.preferences(tables.read(self, "preferences")))

    def matrix(self, measure: str | None = None) -> pd.DataFrame:
        """Return the mean preference of row over column as a square frame, antisymmetric.

        Examples
        --------
        >>> import pdeval
        >>> prefs = pdeval.datasets.sample_runs().ireval.prefer(pdeval.datasets.sample_qrels(), "RPP")
        >>> prefs.ireval.matrix().shape
        (12, 12)
        """
        return systems.matrix(pivot.preferences(tables.read(self, "preferences")), measure)

    def order(
        self,
        qrels: object = None,
        measures: object = None,
        *,
        method: Any = None,
        bootstrap: int = 0,
        confidence: float = 0.95,
        seed: int | None = 0,
        compat: Any = None,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return the runs in order: run, measure, method, score, rank[, rank_low, rank_high].

        On scores or preferences the first argument may be the method: `prefs.ireval.order("mc4")`. On a run table
        it is the judgments: `runs.ireval.order(qrels, "RPP")`, where win rates are had without forming pairs.

        Parameters
        ----------
        qrels : DataFrame, optional
            Judgments, for a run table.
        measures : str or list, optional
            For a run table what to compute (default: RPP), else which of the table's measures to use.
        method : str or list of str
            "mean", "winrate", "borda", "copeland", "mc4", "bradley-terry"; by default the mean of scores and the
            win rate of preferences.
        bootstrap : int
            Resamples of the queries for rank intervals.
        compat : 'pref_eval', 'trec_eval-9' or 'trec_eval-10'
            "pref_eval" breaks ties by run name and walks MC4 for ten steps.
        **rules
            level, topics, ties, depth, validate, as in `join`; for run tables.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.order(qrels, "RPP").columns.tolist()
        ['run', 'measure', 'method', 'score', 'rank']
        >>> scores = runs.ireval.measure(qrels, "AP")
        >>> int(scores.ireval.order(["mean", "borda"])["rank"].max())
        12
        """
        if isinstance(qrels, str) or (isinstance(qrels, (list, tuple)) and all(isinstance(q, str) for q in qrels)):
            if method is not None:
                raise TypeError(f"order() got two methods, {qrels!r} and {method!r}; give one, or a list of them.")
            method, qrels = qrels, None
        options = {"method": method, "bootstrap": bootstrap, "confidence": confidence, "seed": seed}
        options |= {"progress": progress, "compat": "pref_eval" if compat == "pref_eval" else None}
        if compat is not None and (qrels is not None or compat != "pref_eval"):
            rules = {**rules, "compat": compat}
        if qrels is not None:
            measures = "RPP" if measures is None else measures
            return sources.joined_of(self, qrels, measures, rules, "order").order(measures, **options)
        return each(orderings.order, sources.of(self, qrels, measures, rules, "order"), **options)

    def correlate(
        self,
        qrels: object = None,
        measures: object = None,
        *,
        coefficients: Any = "tau_b",
        method: Any = None,
        matrix: bool = False,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return how alike the orderings by each two measures are, as a tidy frame or a square matrix.

        Works on orders, scores, preferences, and run tables with judgments.

        Parameters
        ----------
        coefficients : str or list of str
            "tau_a", "tau_b", "tau_ap", "tau_ap_b", "rbo", "spearman", "pearson".
        method : str or list of str, optional
            How to order; see `order`.
        matrix : bool
            Return one coefficient as a square frame.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), ["AP", "RR"])
        >>> scores.ireval.correlate().columns.tolist()
        ['measure_a', 'measure_b', 'coefficient', 'runs', 'value']
        """
        if tables.kind_of(self._frame, self._binding) == "orders":
            return correlation.correlate(self._frame, coefficients=coefficients, method=method, matrix=matrix)
        orders = ResultVerbs.order(self, qrels, measures, method=method, **rules)
        return correlation.correlate(orders, coefficients=coefficients, matrix=matrix)

    def correlate_with(self, others: pd.DataFrame, *, coefficients: Any = "tau_b") -> pd.DataFrame:
        """Return how alike this table of orders and another are, e.g. on all and on fewer queries.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> orders = scores.ireval.order()
        >>> orders.ireval.correlate_with(orders)["value"].round(6).tolist()
        [1.0]
        """
        return correlation.correlate_with(self._frame, others, coefficients=coefficients)

    def headroom(self, collection: str, measures: object = None, *, edges: Any = None) -> pd.DataFrame:
        """Return for how many collections the best run's mean is in each bucket: measure, bucket, ..., count, share.

        Parameters
        ----------
        collection : str
            The column of this scores table that names the collection.
        measures : str or list, optional
            Which of the table's measures to use.
        edges : mapping, optional
            The lower edges of a measure's buckets; see `pdeval.experiments.headroom`, which takes joins too.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> halves = scores.assign(half=["odd" if int(one) % 2 else "even" for one in scores["query_id"]])
        >>> halves.ireval.headroom("half").query("count > 0")[["bucket", "share"]].values.tolist()
        [['[0.5, 0.6)', 1.0]]
        """
        from pdeval import experiments as search_lengths

        if collection not in self._frame.columns:
            raise KeyError(
                f"no column {collection!r} in this table; it has {', '.join(map(str, self._frame.columns))}."
            )
        parts = {}
        for name, part in self._frame.groupby(collection, observed=True, sort=False):
            table = tables.read(part, "scores", self._binding)
            parts[str(name)] = pivot.scores(table if measures is None else sources.only(table, measures))
        return search_lengths.headroom(parts, edges=edges)

    def report(self, **options: Any) -> Report:
        """Return the table as a paper prints it: `.to_latex()`, `.to_html()`, `.to_markdown()`, `.save(path)`.

        Scores and preferences give systems x measures, with significance marks; orders, comparisons, discriminative
        power and agreement tables, and square matrices, give theirs. Options are those of `pdeval.report`.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> scores.ireval.report(baseline="bm25").to_latex().splitlines()[0]
        '\\\\begin{table}[t]'
        """
        from pdeval.accessor.reporting import report

        return report(self, **options)
