"""Verbs of significance: compare runs, discriminative power, sample size; on scores, preferences and run tables."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pdeval import significance
from pdeval.accessor import sources
from pdeval.accessor.sources import each
from pdeval.evaluate import pivot
from pdeval.kinds import tables


class SignificanceVerbs:
    """What tests say about a table of scores or preferences."""

    _frame: pd.DataFrame
    _binding: dict[str, Any]

    def compare(
        self,
        qrels: object = None,
        measures: object = None,
        *,
        test: Any = None,
        correction: Any = "bonferroni",
        baseline: Any = None,
        alpha: float = 0.05,
        family: Any = None,
        confidence: float = 0.95,
        draws: int = 10_000,
        seed: int | None = 0,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return one row per pair and measure: the difference, its interval, effect size, p-value, significance.

        Parameters
        ----------
        qrels, measures
            As in `order`.
        test : str, optional
            "t", "wilcoxon", "sign", "randomisation", "bootstrap", "hsd" (randomised Tukey HSD), "tukey" (analytic);
            by default the sign test for sgnLP and sgnLR and the t-test for the rest.
        correction : str
            Any of statsmodels' multipletests, or "none".
        baseline : run, optional
            Only pairs with this run.
        family : {'measure', 'baseline', 'all'}, optional
            What is corrected together: all pairs of a measure, its pairs with the baseline, or all rows, of metrics
            and preferences alike.
        alpha, confidence, draws, seed, progress
            As in `pdeval.significance.compare`.
        **rules
            level, topics, ties, compat, depth, validate, as in `join`; for run tables.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> table = scores.ireval.compare(baseline="bm25")
        >>> len(table), table["significant"].dtype == bool
        (11, True)
        """
        found = sources.of(self, qrels, measures, rules, "compare")
        options = {"test": test, "correction": correction, "baseline": baseline, "alpha": alpha, "family": family}
        options |= {"confidence": confidence, "draws": draws, "seed": seed, "progress": progress}
        return significance.compare(found, **options)

    def discriminative_power(
        self,
        qrels: object = None,
        measures: object = None,
        *,
        tests: Any = ("default", "hsd"),
        correction: Any = "bonferroni",
        alpha: float = 0.05,
        draws: int = 10_000,
        seed: int | None = 0,
        progress: bool | None = None,
        **rules: Any,
    ) -> pd.DataFrame:
        """Return the percentage of pairs of runs that each measure tells apart: measure, test, ..., detected, percent.

        Parameters
        ----------
        tests : list of str
            Tests as in `compare`; "default" is the sign test for sgnLP and sgnLR and the t-test for the rest.
        qrels, measures, correction, alpha, draws, seed, progress, **rules
            As in `compare`.

        Examples
        --------
        >>> import pdeval
        >>> runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
        >>> runs.ireval.discriminative_power(qrels, ["RPP", "AP", "RR"], tests=["t"])["pairs"].tolist()
        [66, 66, 66]
        """
        found = sources.of(self, qrels, measures, rules, "discriminative_power")
        options = {"tests": tests, "correction": correction, "alpha": alpha, "draws": draws, "seed": seed}
        return significance.discriminative_power(found, **options, progress=progress)

    def p_value_curve(self, qrels: object = None, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return the sorted p-values of all pairs, per measure: the achieved-significance-level curve.

        Options are those of `pdeval.significance.p_value_curve` and, for run tables, of `join`.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> len(scores.ireval.p_value_curve())
        66
        """
        rules = {name: options.pop(name) for name in sources.RULES if name in options}
        return significance.p_value_curve(sources.of(self, qrels, measures, rules, "p_value_curve"), **options)

    def anova(self, qrels: object = None, measures: object = None, **rules: Any) -> pd.DataFrame:
        """Return the two-way analysis of variance, run and query, per measure.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> scores.ireval.anova()["source"].tolist()
        ['run', 'query', 'residual', 'total']
        """
        return each(significance.anova, sources.of(self, qrels, measures, rules, "anova"))

    def power(self, qrels: object = None, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return the chance of finding a difference with so many queries; see `pdeval.significance.power`.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> scores.ireval.power(difference=0.05, baseline="bm25").shape[0]
        11
        """
        rules = {name: options.pop(name) for name in sources.RULES if name in options}
        return each(significance.power, sources.of(self, qrels, measures, rules, "power"), **options)

    def sample_size(self, qrels: object = None, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return how many queries a wanted difference and power need; see `pdeval.significance.sample_size`.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> scores.ireval.sample_size(difference=0.05, baseline="bm25").shape[0]
        11
        """
        rules = {name: options.pop(name) for name in sources.RULES if name in options}
        return each(significance.sample_size, sources.of(self, qrels, measures, rules, "sample_size"), **options)

    def detectable_difference(self, qrels: object = None, measures: object = None, **options: Any) -> pd.DataFrame:
        """Return the smallest difference that so many queries can show; see `pdeval.significance`.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), "AP")
        >>> scores.ireval.detectable_difference(baseline="bm25").shape[0]
        11
        """
        rules = {name: options.pop(name) for name in sources.RULES if name in options}
        found = sources.of(self, qrels, measures, rules, "detectable_difference")
        return each(significance.detectable_difference, found, **options)

    def delta_sort(self, new: str, *, old: str = "AP", margin: float = 0.1, alpha: float = 0.05) -> pd.DataFrame:
        """Return how far systems move when one measure replaces another (DeltaSort), with Kendall tau and DeltaValue.

        Examples
        --------
        >>> import pdeval
        >>> scores = pdeval.datasets.sample_runs().ireval.measure(pdeval.datasets.sample_qrels(), ["AP", "RR"])
        >>> len(scores.ireval.delta_sort("RR"))
        1
        """
        table = tables.read(self, "scores")
        before, after = (pivot.scores(sources.only(table, one)) for one in (old, new))
        return significance.delta_sort(before, after, margin=margin, alpha=alpha)
