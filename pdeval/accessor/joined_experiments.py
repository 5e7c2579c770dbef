"""Verbs of the papers' experiments: agreement, ties, incomplete data, search lengths; on the join and on run tables."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval import experiments as agreement
from pdeval import experiments as search_lengths
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.scores import Topics
from pdeval.experiments import incomplete, two_runs
from pdeval.experiments import search_length_items as items
from pdeval.judged.positions import Positions


class JoinedExperiments:
    """The experiments on a join."""

    positions: Positions
    level: float | None
    topics: Topics

    def _rules(self) -> dict[str, Any]:
        """Return the rules of the join."""
        return {"level": self.level, "topics": self.topics}

    def _told(self, runs: Any = None, pairs: object = None) -> dict[str, Any]:
        """Return the rules of the join, after telling which queries are missing from the runs that are asked for."""
        at = items.chosen(self.positions, runs)
        used = evaluate.counted(at, self.topics, self.level)
        if pairs is not None:
            used = evaluate.of_runs(used, *chosen_pairs(at.runs, pairs=pairs))
        evaluate.tell_missing(at, used, self.topics)
        return self._rules()

    def agree(
        self,
        measures: object = ("RPP", "AP"),
        *,
        fuzziness: Any = 0.0,
        by: Any = "overall",
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """Return how often each two measures prefer the same run of a pair: measure_a, measure_b, ..., agreement, r.

        With a share of 1 the signs of the two differences are always equal; with `fuzziness` D, only opposite signs of
        differences both above D disagree. `r` is Pearson's correlation. `by="query"` keeps queries apart.
        The figure: `pdeval.plots.difference_scatter`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.agree(["RPP", "AP"]).columns.tolist()
        ['measure_a', 'measure_b', 'fuzziness', 'pairs', 'agreement', 'r']
        """
        return agreement.agree(
            self.positions,
            measures,
            fuzziness=fuzziness,
            by=by,
            baseline=baseline,
            pairs=pairs,
            progress=progress,
            **self._rules(),
        )

    def ties(
        self,
        measures: object = ("RR", "sgnLP"),
        *,
        by: Any = "overall",
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
    ) -> pd.DataFrame:
        """Return the share of pairs of runs that each measure leaves tied: measure, pairs, ties, tied.

        `by="query"` keeps queries apart.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.ties(["RR", "sgnLP"]).columns.tolist()
        ['measure', 'pairs', 'ties', 'tied']
        """
        return agreement.ties(
            self.positions, measures, by=by, baseline=baseline, pairs=pairs, progress=progress, **self._rules()
        )

    def ties_by_level(self, *, levels: int | None = 20) -> pd.DataFrame:
        """Return the share of pairs of runs tied at each recall level: level, pairs, ties, tied.

        The figure: `pdeval.plots.ties_by_level`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.ties_by_level().columns.tolist()
        ['level', 'pairs', 'ties', 'tied']
        """
        return agreement.ties_by_level(self.positions, levels=levels, **self._told())

    def ties_by_first(self) -> pd.DataFrame:
        """Return the share of pairs tied in reciprocal rank, by the first relevant item's rank: p1, pairs, ties, tied.

        Beside it, in theory: `pdeval.experiments.tie_probability`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.ties_by_first().columns.tolist()
        ['p1', 'pairs', 'ties', 'tied']
        """
        return agreement.ties_by_first(self.positions, **self._told())

    def decided_by_level(self) -> pd.DataFrame:
        """Return how many pairs of rankings each recall level decides, and the ECDF: level, decided, pairs, ecdf.

        The figure: `pdeval.plots.deciding_level`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.decided_by_level().columns.tolist()
        ['level', 'decided', 'pairs', 'ecdf']
        """
        return agreement.decided_by_level(self.positions, **self._told())

    def deciding_levels(self, *, baseline: object = None, pairs: object = None) -> pd.DataFrame:
        """Return the recall level at which lexicographic precision decides each pair on each query; 0 where it is tied.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.deciding_levels(baseline="bm25").columns.tolist()
        ['query_id', 'run_a', 'run_b', 'level']
        """
        return agreement.deciding_levels(self.positions, baseline=baseline, pairs=pairs, **self._rules())

    def masked_agreement(self, *, by: Any = "overall", baseline: object = None, pairs: object = None) -> pd.DataFrame:
        """Return how often later relevant items foretell who is first: sgnLP and RR_2 without the first relevant item.

        Over pairs that differ in the rank of their first relevant item (Diaz 2023, Table 2).

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.masked_agreement().columns.tolist()
        ['measure', 'pairs', 'agreement']
        """
        given: dict[str, Any] = {"baseline": baseline, "pairs": pairs}
        return agreement.masked_agreement(self.positions, by=by, **given, **self._told(pairs=pairs))

    def locality(self, *, kind: Any = "correlation", levels: int = 8, ahead: int = 4) -> pd.DataFrame:
        """Return how differences at neighbouring recall levels go together, as correlations or regressions.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.locality().columns.tolist()
        ['level_a', 'level_b', 'pairs', 'r']
        """
        return agreement.locality(self.positions, kind=kind, levels=levels, ahead=ahead, **self._told())

    def incomplete(
        self,
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
    ) -> pd.DataFrame:
        """Return how much of an ordering remains with fewer queries or labels: ..., keep, sample, statistic, value.

        `drop="queries"` or `"labels"`; `keep`: the numbers of queries or the shares of labels to keep; `policy="pool"`
        keeps the labels that most runs retrieve. Statistics: Kendall's tau with the full ordering, ranking and system
        agreement, number of ties. Positions are masked, nothing is joined again. The figure: `pdeval.plots.incomplete`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.incomplete("AP", keep=[25], samples=2).columns.tolist()
        ['measure', 'drop', 'policy', 'keep', 'sample', 'statistic', 'value']
        """
        return incomplete.incomplete(
            self.positions,
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
            **self._told(),
        )

    def search_lengths(self, *, runs: Any = None, unretrieved: Any = "run") -> pd.DataFrame:
        """Return the atomized search length of every relevant item in every run: run, query, doc, asl, retrieved.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.search_lengths(runs=["bm25"]).columns.tolist()
        ['run', 'query_id', 'doc_id', 'asl', 'retrieved']
        """
        return search_lengths.search_lengths(self.positions, runs=runs, unretrieved=unretrieved, **self._told(runs))

    def search_length_histogram(
        self, *, runs: Any = None, edges: Any = items.EDGES, unretrieved: Any = "run"
    ) -> pd.DataFrame:
        """Return how many relevant items fall into each bucket of search lengths, the last for unretrieved ones.

        The figure: `pdeval.plots.asl_histogram`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.search_length_histogram(runs=["bm25"]).columns.tolist()
        ['run', 'bucket', 'low', 'high', 'count', 'share']
        """
        given = {"runs": runs, "edges": edges, "unretrieved": unretrieved}
        return search_lengths.histogram(self.positions, **given, **self._told(runs))

    def search_length_wins(
        self, run_a: object, run_b: object, *, edges: Any = two_runs.SHIFTS, unretrieved: Any = "run"
    ) -> pd.DataFrame:
        """Return how many relevant items run_a finds sooner or later than run_b, by how much, in buckets.

        The figure: `pdeval.plots.asl_wins`.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.search_length_wins("bm25", "ql").columns.tolist()
        ['run_a', 'run_b', 'bucket', 'low', 'high', 'count', 'share']
        """
        given = {"edges": edges, "unretrieved": unretrieved}
        return search_lengths.length_wins(self.positions, run_a, run_b, **given, **self._told([run_a, run_b]))

    def search_length_differences(self, run_a: object, run_b: object, *, unretrieved: Any = "run") -> pd.DataFrame:
        """Return both runs' search lengths of every relevant item, and the difference.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.search_length_differences("bm25", "ql").columns.tolist()
        ['query_id', 'doc_id', 'run_a', 'run_b', 'value_a', 'value_b', 'difference']
        """
        given = {"unretrieved": unretrieved}
        return search_lengths.length_differences(self.positions, run_a, run_b, **given, **self._told([run_a, run_b]))

    def effective_shares(self) -> pd.DataFrame:
        """Return the share of items that averaging precision effectively reads: run, query, items, share.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.effective_shares().columns.tolist()
        ['run', 'query_id', 'items', 'share']
        """
        return search_lengths.effective_shares(self.positions, **self._told())

    def rrie(self, run_a: object, run_b: object, measures: object = ("AP", "P@10", "ASL")) -> pd.DataFrame:
        """Return the relative reduction in error of run_b over run_a, measure by measure.

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> joined.rrie("bm25", "ql").columns.tolist()
        ['measure', 'run_a', 'run_b', 'mean_a', 'mean_b', 'rrie']
        """
        return search_lengths.rrie(self.positions, run_a, run_b, measures, **self._rules())

    def ablation(self, *, margin: float = 0.1, alpha: float = 0.05, unretrieved: Any = "run") -> pd.DataFrame:
        """Return the steps from MAP to ASL with DeltaSort, Kendall's tau and DeltaValue (Alex et al. 2022, Table 2).

        Examples
        --------
        >>> import pdeval
        >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
        >>> len(joined.ablation())
        4
        """
        return search_lengths.ablation(
            self.positions, margin=margin, alpha=alpha, unretrieved=unretrieved, **self._told()
        )
