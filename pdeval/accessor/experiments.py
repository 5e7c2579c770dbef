"""Verbs of the papers' experiments on run tables: each joins the judgments and asks the join."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval.accessor.sources import joined_of
from pdeval.experiments import search_length_items as items
from pdeval.experiments import two_runs


class ExperimentVerbs:
    """What a run table tells about measures, given judgments. `**rules` are those of `join`."""

    def agree(
        self,
        qrels: object,
        measures: object = ("RPP", "AP"),
        *,
        fuzziness: Any = 0.0,
        by: Any = "overall",
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return how often each two measures prefer the same run of a pair: measure_a, measure_b, ..., agreement, r.

        With a share of 1 the signs of the two differences are always equal; with `fuzziness` D, only opposite signs of
        differences both above D disagree. `r` is Pearson's correlation. `by="query"` keeps queries apart.
        The figure: `pdeval.plots.difference_scatter`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.agree(qrels, ["RPP", "AP"]).columns.tolist()
        ['measure_a', 'measure_b', 'fuzziness', 'pairs', 'agreement', 'r']
        """
        return joined_of(self, qrels, measures, rules, "agree").agree(
            measures, fuzziness=fuzziness, by=by, baseline=baseline, pairs=pairs, progress=progress
        )

    def ties(
        self,
        qrels: object,
        measures: object = ("RR", "sgnLP"),
        *,
        by: Any = "overall",
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return the share of pairs of runs that each measure leaves tied: measure, pairs, ties, tied.

        `by="query"` keeps queries apart.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.ties(qrels, ["RR", "sgnLP"]).columns.tolist()
        ['measure', 'pairs', 'ties', 'tied']
        """
        return joined_of(self, qrels, measures, rules, "ties").ties(
            measures, by=by, baseline=baseline, pairs=pairs, progress=progress
        )

    def ties_by_level(self, qrels: object, *, levels: int | None = 20, **rules: Any) -> pd.DataFrame:
        """Return the share of pairs of runs tied at each recall level: level, pairs, ties, tied.

        The figure: `pdeval.plots.ties_by_level`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.ties_by_level(qrels).columns.tolist()
        ['level', 'pairs', 'ties', 'tied']
        """
        return joined_of(self, qrels, "AP", rules, "ties_by_level").ties_by_level(levels=levels)

    def ties_by_first(self, qrels: object, **rules: Any) -> pd.DataFrame:
        """Return the share of pairs tied in reciprocal rank, by the first relevant item's rank: p1, pairs, ties, tied.

        Beside it, in theory: `pdeval.experiments.tie_probability`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.ties_by_first(qrels).columns.tolist()
        ['p1', 'pairs', 'ties', 'tied']
        """
        return joined_of(self, qrels, "AP", rules, "ties_by_first").ties_by_first()

    def decided_by_level(self, qrels: object, **rules: Any) -> pd.DataFrame:
        """Return how many pairs of rankings each recall level decides, and the ECDF: level, decided, pairs, ecdf.

        The figure: `pdeval.plots.deciding_level`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.decided_by_level(qrels).columns.tolist()
        ['level', 'decided', 'pairs', 'ecdf']
        """
        return joined_of(self, qrels, "AP", rules, "decided_by_level").decided_by_level()

    def deciding_levels(
        self, qrels: object, *, baseline: object = None, pairs: object = None, **rules: Any
    ) -> pd.DataFrame:
        """Return the recall level at which lexicographic precision decides each pair on each query; 0 where it is tied.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.deciding_levels(qrels, baseline="bm25").columns.tolist()
        ['query_id', 'run_a', 'run_b', 'level']
        """
        return joined_of(self, qrels, "AP", rules, "deciding_levels").deciding_levels(baseline=baseline, pairs=pairs)

    def masked_agreement(
        self, qrels: object, *, by: Any = "overall", baseline: object = None, pairs: object = None, **rules: Any
    ) -> pd.DataFrame:
        """Return how often later relevant items foretell who is first: sgnLP and RR_2 without the first relevant item.

        Over pairs that differ in the rank of their first relevant item (Diaz 2023, Table 2).

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.masked_agreement(qrels).columns.tolist()
        ['measure', 'pairs', 'agreement']
        """
        return joined_of(self, qrels, "AP", rules, "masked_agreement").masked_agreement(
            by=by, baseline=baseline, pairs=pairs
        )

    def locality(
        self, qrels: object, *, kind: Any = "correlation", levels: int = 8, ahead: int = 4, **rules: Any
    ) -> pd.DataFrame:
        """Return how differences at neighbouring recall levels go together, as correlations or regressions.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.locality(qrels).columns.tolist()
        ['level_a', 'level_b', 'pairs', 'r']
        """
        return joined_of(self, qrels, "AP", rules, "locality").locality(kind=kind, levels=levels, ahead=ahead)

    def incomplete(
        self,
        qrels: object,
        measures: object = ("RPP", "AP", "nDCG", "RR"),
        *,
        drop: Any = "queries",
        keep: Any = None,
        samples: int = 10,
        policy: Any = "random",
        against: object = None,
        method: Any = None,
        summary: bool = False,
        seed: int | None = 0,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return how much of an ordering remains with fewer queries or labels: ..., keep, sample, statistic, value.

        `drop="queries"` or `"labels"`; `keep`: the numbers of queries or the shares of labels to keep; `policy="pool"`
        keeps the labels that most runs retrieve. Statistics: Kendall's tau with the full ordering, ranking and system
        agreement, number of ties. Positions are masked, nothing is joined again. The figure: `pdeval.plots.incomplete`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.incomplete(qrels, "AP", keep=[25], samples=2).columns.tolist()
        ['measure', 'drop', 'policy', 'keep', 'sample', 'statistic', 'value']
        """
        return joined_of(self, qrels, measures, rules, "incomplete").incomplete(
            measures,
            drop=drop,
            keep=keep,
            samples=samples,
            policy=policy,
            against=against,
            method=method,
            summary=summary,
            seed=seed,
            progress=progress,
        )

    def search_lengths(
        self, qrels: object, *, runs: Any = None, unretrieved: Any = "run", **rules: Any
    ) -> pd.DataFrame:
        """Return the atomized search length of every relevant item in every run: run, query, doc, asl, retrieved.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.search_lengths(qrels, runs=["bm25"]).columns.tolist()
        ['run', 'query_id', 'doc_id', 'asl', 'retrieved']
        """
        return joined_of(self, qrels, None, rules, "search_lengths").search_lengths(runs=runs, unretrieved=unretrieved)

    def search_length_histogram(
        self, qrels: object, *, runs: Any = None, edges: Any = items.EDGES, unretrieved: Any = "run", **rules: Any
    ) -> pd.DataFrame:
        """Return how many relevant items fall into each bucket of search lengths, the last for unretrieved ones.

        The figure: `pdeval.plots.asl_histogram`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.search_length_histogram(qrels, runs=["bm25"]).columns.tolist()
        ['run', 'bucket', 'low', 'high', 'count', 'share']
        """
        return joined_of(self, qrels, None, rules, "search_length_histogram").search_length_histogram(
            runs=runs, edges=edges, unretrieved=unretrieved
        )

    def search_length_wins(
        self,
        qrels: object,
        run_a: object,
        run_b: object,
        *,
        edges: Any = two_runs.SHIFTS,
        unretrieved: Any = "run",
        **rules: Any,
    ) -> pd.DataFrame:
        """Return how many relevant items run_a finds sooner or later than run_b, by how much, in buckets.

        The figure: `pdeval.plots.asl_wins`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.search_length_wins(qrels, "bm25", "ql").columns.tolist()
        ['run_a', 'run_b', 'bucket', 'low', 'high', 'count', 'share']
        """
        joined = joined_of(self, qrels, None, rules, "search_length_wins")
        return joined.search_length_wins(run_a, run_b, edges=edges, unretrieved=unretrieved)

    def search_length_differences(
        self, qrels: object, run_a: object, run_b: object, *, unretrieved: Any = "run", **rules: Any
    ) -> pd.DataFrame:
        """Return both runs' search lengths of every relevant item, and the difference.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> len(runs.ireval.search_length_differences(qrels, "bm25", "ql"))
        1174
        """
        joined = joined_of(self, qrels, None, rules, "search_length_differences")
        return joined.search_length_differences(run_a, run_b, unretrieved=unretrieved)

    def effective_shares(self, qrels: object, **rules: Any) -> pd.DataFrame:
        """Return the share of items that averaging precision effectively reads: run, query, items, share.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.effective_shares(qrels).columns.tolist()
        ['run', 'query_id', 'items', 'share']
        """
        return joined_of(self, qrels, None, rules, "effective_shares").effective_shares()

    def rrie(
        self, qrels: object, run_a: object, run_b: object, measures: object = ("AP", "P@10", "ASL"), **rules: Any
    ) -> pd.DataFrame:
        """Return the relative reduction in error of run_b over run_a, measure by measure.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.rrie(qrels, "bm25", "ql").columns.tolist()
        ['measure', 'run_a', 'run_b', 'mean_a', 'mean_b', 'rrie']
        """
        return joined_of(self, qrels, None, rules, "rrie").rrie(run_a, run_b, measures)

    def ablation(
        self, qrels: object, *, margin: float = 0.1, alpha: float = 0.05, unretrieved: Any = "run", **rules: Any
    ) -> pd.DataFrame:
        """Return the steps from MAP to ASL with DeltaSort, Kendall's tau and DeltaValue (Alex et al. 2022, Table 2).

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> len(runs.ireval.ablation(qrels))
        4
        """
        return joined_of(self, qrels, None, rules, "ablation").ablation(
            margin=margin, alpha=alpha, unretrieved=unretrieved
        )
