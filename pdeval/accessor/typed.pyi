"""The verbs of every accessor, for static tools. Written by `python -m tests.stubs`; do not edit."""
# fmt: off
# ruff: noqa: E501, PYI021

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pdeval.accessor import Ireval, Joined
from pdeval.evaluate.preference_learning import Population, Weights
from pdeval.join.judged import Judged
from pdeval.online.simulation import ClickModel
from pdeval.report.report import Report

class JudgedVerbs(Judged):
    """The verbs of a join."""

    def abstention(
        self,
        answerable: pd.DataFrame,
        measures: object = None,
        *,
        threshold: float | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return whether each run was right to answer each query, or not to answer it."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Agree:
        """Verbs of agree."""

        def __call__(
            self,
            measures: object = ...,
            *,
            fuzziness: float | Sequence[float] = 0.0,
            relative: bool = False,
            per: Literal["all", "query"] = "all",
            baseline: object = None,
            pairs: object = None,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return how often two measures prefer the same run of a pair on the same query, for all pairs of measures."""

        def labels(self, labeled: object, measures: object = ..., *, confidence: float = 0.95) -> pd.DataFrame:
            """Return how often each measure agrees with labeled preferences of users or assessors."""

        def locality(
            self,
            *,
            kind: Literal["correlation", "regression"] = "correlation",
            levels: int = 8,
            ahead: int = 4,
            values: Literal["difference", "sign"] = "difference",
            cascaded: bool = False,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return how differences in reciprocal rank correlate between recall levels."""

        def masked(
            self,
            *,
            per: Literal["all", "query"] = "all",
            baseline: object = None,
            pairs: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return how often later relevant items predict the run whose first relevant item is at the better rank."""

    @property
    def agree(self) -> _Agree: ...

    class _Anova:
        """Verbs of anova."""

        def __call__(
            self,
            measures: object = ...,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the two-way analysis of variance, run and query, of each measure, with one observation per cell."""

        def sample_size(
            self,
            measures: object = ...,
            *,
            difference: float,
            runs: int | None = None,
            design: Literal["two-way", "one-way", "t", "interval"] | Sequence[Literal["two-way", "one-way", "t", "interval"]] = ...,
            power: float = 0.8,
            alpha: float = 0.05,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the number of queries that a comparison of many systems needs, per measure and design."""

    @property
    def anova(self) -> _Anova: ...

    def awrf(
        self,
        groups: object,
        measures: object = ...,
        *,
        target: Literal["uniform", "relevant", "catalog"] | Mapping[str, float] | pd.DataFrame = "relevant",
        sample: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the attention-weighted rank fairness of every run on every query."""

    def best_average_worst(
        self,
        average: object = "RPP",
        *,
        per: Literal["pair", "query"] = "pair",
        baseline: object = None,
        pairs: object = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the best, the average and the worst case of every pair of runs, and where they disagree."""

    class _BeyondAccuracy:
        """Verbs of beyond_accuracy."""

        def __call__(
            self,
            measures: object = ...,
            *,
            items: object = None,
            history: object = None,
            per: Literal["run", "query"] = "run",
            confidence: float = 0.95,
            draws: int = 200,
            seed: int | None = 0,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the novelty, diversity, popularity and coverage of the lists of each run."""

        def compare(
            self,
            measures: object = ...,
            *,
            items: object = None,
            history: object = None,
            baseline: object = None,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            confidence: float | None = None,
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the differences of measures of items between runs, with intervals over users."""

    @property
    def beyond_accuracy(self) -> _BeyondAccuracy: ...

    def check(
        self,
        *,
        history: object = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the number of missing queries, duplicates, ties and unjudged items of each run."""

    def collapse(
        self,
        *,
        doc: str | Mapping[str, str] | None = None,
        separator: str | None = None,
        score: Literal["max", "first", "sum", "mean"] = "max",
    ) -> pd.DataFrame:
        """Return the run table of documents, from a run table of their chunks."""

    def collection_means(
        self,
        measures: object = ...,
        *,
        by: str | Sequence[str],
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the mean of each run on each collection, as scores whose queries are the collections."""

    def compare(
        self,
        measures: object = ...,
        *,
        test: str | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        baseline: object = None,
        alpha: float = 0.05,
        family: Literal["measure", "baseline", "all", "groups", "all_groups"] | None = None,
        margin: float | str | None = None,
        confidence: float | None = None,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        machine: object = None,
    ) -> pd.DataFrame:
        """Return one row per measure and pair of runs: the difference, its interval and its significance."""

    def correlate(
        self,
        measures: object = ...,
        *,
        coefficients: str | Sequence[str] = "tau_b",
        method: str | Sequence[str] | None = None,
        matrix: bool = False,
        runs: Literal["same", "common"] = "same",
        p: float = 0.9,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the correlations of the orderings by all pairs of measures, as a tidy frame or a square matrix."""

    def curve(
        self,
        *,
        points: int | None = 11,
        per: Literal["run", "query"] = "run",
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the precision at evenly spaced recall points, interpolated, or at every relevant item."""

    def delta_sort(
        self,
        new: object,
        *,
        old: object = "AP",
        margin: float = 0.1,
        alpha: float = 0.05,
        per: Literal["all", "run"] = "all",
        replicate: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return how far systems move when one measure replaces another: DeltaSort, Kendall's tau-b and DeltaValue."""

    def describe(
        self,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return one row that describes the collection: queries, runs, list lengths, judged and relevant items, grades."""

    class _Disaggregate:
        """Verbs of disaggregate."""

        def __call__(
            self,
            measures: object = ...,
            *,
            per: Literal["query", "pair"] = "query",
            baseline: object = None,
            pairs: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the contribution of each recall level of each population to the difference of two runs."""

        def ecdf(
            self,
            measures: object = ...,
            *,
            per: Literal["value", "measure"] = "value",
            points: int = 100,
            least: float = 0.01,
            baseline: object = None,
            pairs: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the distribution of the contributions of recall levels to the differences of all pairs of runs."""

    @property
    def disaggregate(self) -> _Disaggregate: ...

    class _DiscriminativePower:
        """Verbs of discriminative_power."""

        def __call__(
            self,
            measures: object = ...,
            *,
            tests: str | Sequence[str | None] = ...,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs that differ significantly, for each measure and test."""

        def curve(
            self,
            measures: object = ...,
            *,
            tests: str | Sequence[str | None] = ...,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the sorted p-values of all pairs, per measure and test: Sakai's curve of achieved significance levels."""

    @property
    def discriminative_power(self) -> _DiscriminativePower: ...

    def equivalence(
        self,
        measures: object = ...,
        *,
        rope: float,
        test: Literal["correlated_t", "signed_rank"] = "correlated_t",
        baseline: object = None,
        correlation: float = 0.0,
        prior: float = 0.5,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return, per pair of runs, the posterior probabilities of better, worse, and equivalent in practice."""

    def expected_exposure(
        self,
        measures: object = ...,
        *,
        sample: str | Sequence[str] | None = None,
        model: Literal["rbp", "gerr"] = "gerr",
        patience: float = 0.5,
        utility: float = 0.5,
        groups: object = None,
        complete: bool = True,
        normalize: Literal["expeval"] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the expected exposure loss, disparity and relevance of stochastic rankings on every query."""

    def explain(
        self,
        query: object = None,
        measures: object = ...,
        *,
        runs: object = None,
        top: int | None = None,
        per: Literal["item", "run"] = "item",
        texts: object = None,
    ) -> pd.DataFrame:
        """Return the items of one query: grade, rank in each run, and contribution to each measure."""

    def exposure_shares(
        self,
        groups: object,
        *,
        sample: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the fraction of exposure of each group of items, compared with its relevant items and with the catalog."""

    def fit_population(
        self,
        labeled: object,
        over: Literal["recall", "grades", "subtopics", "cutoffs"] | Sequence[Literal["recall", "grades", "subtopics", "cutoffs"]] = "recall",
        *,
        penalty: float = 1.0,
        folds: int = 5,
        draws: int = 100,
        confidence: float = 0.95,
        seed: int | None = 0,
    ) -> Population:
        """Return the population of users whose preferences best reproduce labeled preferences."""

    def fit_weights(self, labeled: object, *, penalty: float = 1.0) -> Weights:
        """Return the weights of recall levels that best reproduce labeled preferences."""

    def friedman(
        self,
        measures: object = ...,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return Friedman's test of each measure: whether the runs rank differently over the queries at all."""

    def gate(
        self,
        candidate: object,
        baseline: object,
        measures: object = ...,
        *,
        margin: float | str | None = None,
        require: Literal["no_loss", "noninferiority"] | None = None,
        protect: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        alpha: float = 0.05,
        power: float = 0.8,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return, per measure and group of queries, whether a candidate may replace the baseline, and why."""

    def hard_queries(
        self,
        measures: object = ...,
        *,
        runs: object = None,
        top: int = 5,
        texts: object = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return queries that deserve a look, with the reason: all runs fail, two runs differ most, few labels."""

    class _Interleave:
        """Verbs of interleave."""

        def __call__(
            self,
            *,
            method: Literal["team-draft", "balanced", "probabilistic"] = "team-draft",
            pairs: Sequence[tuple[object, object]] | None = None,
            depth: int | None = 10,
            draws: int = 1,
            seed: int | None = 0,
            tau: float = 3.0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return interleaved lists of pairs of runs, for every query that both answered: one row per position."""

        def many(
            self,
            *,
            method: Literal["team-draft", "optimized", "pairwise"] = "team-draft",
            depth: int | None = 10,
            draws: int = 1,
            seed: int | None = 0,
            candidates: int = 200,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return lists of all runs at once, for every query that all of them answered: one row per position."""

    @property
    def interleave(self) -> _Interleave: ...

    class _Judges:
        """Verbs of judges."""

        def __call__(
            self,
            machine: object,
            measures: object = ...,
            *,
            query_set: Literal["common", "each", "all"] | None = None,
            top: int = 10,
            p: float = 0.9,
            method: str | Sequence[str] | None = None,
            test: str | None = None,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            grades: Mapping[object, float] | None = None,
            scale: Sequence[float] | None = None,
        ) -> pd.DataFrame:
            """Return the agreement of judges with human assessors: orderings, scores and significant differences."""

        def bias(
            self,
            machine: object,
            *,
            depth: int = 10,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            grades: Mapping[object, float] | None = None,
            scale: Sequence[float] | None = None,
        ) -> pd.DataFrame:
            """Return the bias of each judge for the items of each run, relative to human assessors."""

        def pairs(
            self,
            machine: object,
            measures: object = ...,
            *,
            query_set: Literal["common", "each", "all"] | None = None,
            test: str | None = None,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            grades: Mapping[object, float] | None = None,
            scale: Sequence[float] | None = None,
        ) -> pd.DataFrame:
            """Return the tests of every pair of runs with the human judgments and with those of each judge."""

        def scores(
            self,
            machine: object,
            measures: object = ...,
            *,
            query_set: Literal["common", "each", "all"] | None = None,
            method: str | Sequence[str] | None = None,
            grades: Mapping[object, float] | None = None,
            scale: Sequence[float] | None = None,
        ) -> pd.DataFrame:
            """Return the score and the rank of every run with the human judgments and with those of each judge."""

    @property
    def judges(self) -> _Judges: ...

    class _LabelNext:
        """Verbs of label_next."""

        def items(
            self,
            machine: object,
            measures: object = ...,
            *,
            size: int = 100,
            of: Literal["means", "differences"] = "means",
            depth: int = 100,
            design: Literal["importance", "uniform"] = "importance",
            seed: int | None = 0,
        ) -> pd.DataFrame:
            """Return the (query, item) pairs to label next, drawn so that the intervals become as narrow as possible."""

    @property
    def label_next(self) -> _LabelNext: ...

    def labeled(
        self,
        measures: object = None,
        *,
        query: object = None,
        runs: object = None,
        top: int | None = None,
        layout: Literal["long", "side_by_side"] = "long",
        texts: object = None,
    ) -> pd.DataFrame:
        """Return the documents of each list in rank order, with their grades; the grade of an unjudged document is missing."""

    def leaderboard(
        self,
        measures: object = ...,
        *,
        method: str | Sequence[str] | None = None,
        test: str | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        alpha: float = 0.05,
        resample: str | Sequence[str] | None = None,
        scale: Literal["own", "elo"] = "own",
        draws: int = 1000,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the runs in order, with intervals of rank and score, and tiers of runs that do not differ."""

    def matrix(self, measure: object = None) -> pd.DataFrame:
        """Return the mean preference of row over column as a square frame, antisymmetric."""

    def measure(
        self,
        measures: object = ...,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        machine: object = None,
    ) -> pd.DataFrame:
        """Return the scores of every run on every query."""

    def measure_spans(
        self,
        spans: object,
        measures: object = None,
        *,
        chunks: pd.DataFrame | None = None,
        overlap: Literal["once", "each"] = "once",
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the scores of every list of chunks by the characters of relevant spans that it covers."""

    class _MetaAnalysis:
        """Verbs of meta_analysis."""

        def __call__(
            self,
            measures: object = ...,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            over: Literal["collections", "queries"] = "collections",
            baseline: object = None,
            per: Literal["pair", "collection"] = "pair",
            test: str | None = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
            draws: int = 2000,
            seed: int | None = 0,
            progress: bool | None = None,
        ) -> pd.DataFrame:
            """Return the mean difference over collections with its interval, and the number of collections won."""

        def sample_size(
            self,
            measures: object = ...,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            difference: float | None = None,
            power: float = 0.8,
            alpha: float = 0.05,
            baseline: object = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the number of collections that a meta-analysis needs, per measure and pair of runs."""

    @property
    def meta_analysis(self) -> _MetaAnalysis: ...

    def order(
        self,
        measures: object = ...,
        *,
        method: str | Sequence[str] | None = None,
        compat: Literal["pref_eval"] | None = None,
        draws: int = 0,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        machine: object = None,
    ) -> pd.DataFrame:
        """Return the runs in order, for each measure and method."""

    class _Pool:
        """Verbs of pool."""

        def __call__(
            self,
            depth: int = 100,
            *,
            per: Literal["item", "run"] = "item",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the pool of the runs: the items that any of them has among its first `depth`."""

        def bounds(
            self,
            measures: object = ...,
            *,
            depth: int | None = 100,
            assume: Literal["any", "all"] = "any",
            include: Literal["judged", "all"] = "judged",
            per: Literal["run", "query"] = "run",
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the lowest and highest value of measures if unjudged items of each list have the largest grade."""

        def estimate(self, measures: object = ..., *, sample: pd.DataFrame, depth: int | None = None) -> pd.DataFrame:
            """Return the score of every run on every query, estimated from judgments of a sample of items."""

        def leave_one_out(
            self,
            measures: object = ...,
            *,
            depth: int = 100,
            team: str | Mapping[object, object] | None = None,
            metadata: pd.DataFrame | None = None,
            method: str | Sequence[str] | None = None,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the score of each run with the judgments that would exist without it, or without its team."""

        def sample(
            self,
            size: int,
            *,
            depth: int = 100,
            design: Literal["importance", "stratified", "uniform"] = "importance",
            seed: int | None = 0,
        ) -> pd.DataFrame:
            """Return the (query, item) pairs of the pool to label, drawn with known probabilities."""

        def summary(
            self,
            *,
            per: Literal["run", "query", "pair"] = "run",
            depth: int = 100,
            team: str | Mapping[object, object] | None = None,
            metadata: pd.DataFrame | None = None,
            by: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the contribution of each run to the pool, its size per query, or the overlap of pairs of runs."""

    @property
    def pool(self) -> _Pool: ...

    class _Power:
        """Verbs of power."""

        def __call__(
            self,
            measures: object = ...,
            *,
            difference: float | None = None,
            n_queries: int | None = None,
            margin: float | None = None,
            goal: Literal["noninferiority", "equivalence"] = "noninferiority",
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the power of the paired t-test, per measure and pair of runs."""

        def detectable_difference(
            self,
            measures: object = ...,
            *,
            power: float = 0.8,
            n_queries: int | None = None,
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the smallest true difference that the paired t-test detects with the required power."""

        def sample_size(
            self,
            measures: object = ...,
            *,
            difference: float | None = None,
            power: float = 0.8,
            margin: float | None = None,
            goal: Literal["noninferiority", "equivalence"] = "noninferiority",
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the number of queries that the paired t-test needs, per measure and pair of runs."""

    @property
    def power(self) -> _Power: ...

    def prefer(
        self,
        measures: object = ...,
        *,
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        machine: object = None,
    ) -> pd.DataFrame:
        """Return the preferences between runs on every query, positive if run_a is better."""

    def quantiles(
        self,
        measures: object = ...,
        *,
        at: float | Sequence[float] | None = ...,
        worst: float | Sequence[float] | None = ...,
        draws: int = 1000,
        confidence: float = 0.95,
        seed: int | None = 0,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return quantiles of the scores of each run, and means of its worst queries."""

    def recall_curve(
        self,
        *,
        points: int = 21,
        n_items: float | None = None,
        confidence: float = 0.95,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the mean recall of reviews at equally spaced efforts, with intervals over the reviews."""

    def reliability(
        self,
        measures: object = ...,
        *,
        n_queries: int | Sequence[int] | None = None,
        wanted: float = 0.95,
        confidence: float = 0.95,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the reliability of means over queries, and the number of queries for a required reliability."""

    class _Replicates:
        """Verbs of replicates."""

        def __call__(
            self,
            measures: object = ...,
            *,
            replicate: str | Sequence[str] | None = None,
            system: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            deterministic: object = None,
            by: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the variance components of each measure: query, system x query, replicate and residual."""

        def compare(
            self,
            measures: object = ...,
            *,
            replicate: str | Sequence[str] | None = None,
            system: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            deterministic: object = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            by: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the comparisons of pairs of systems with random replicates, per measure."""

    @property
    def replicates(self) -> _Replicates: ...

    def report(
        self,
        measures: object = ...,
        *,
        baseline: object = None,
        marks: Literal["auto", "letters", "daggers"] | None = "auto",
        comparisons: pd.DataFrame | None = None,
        test: str | None = None,
        correction: str | None = None,
        alpha: float | None = None,
        interval: Literal["ci", "sd", "replicates", "none"] | None = None,
        replicate: str | Sequence[str] | None = None,
        digits: int | Mapping[str, int] = 3,
        group: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        columns: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        sort: str | Sequence[object] | None = None,
        best: Literal["table", "group"] | None = "table",
        arrows: bool = True,
        higher: Mapping[str, bool] | None = None,
        missing: Literal["error", "dash"] = "error",
        by: str | Sequence[str] | None = None,
        layout: Literal["columns", "rows", "groups"] | None = None,
        average: Literal["mean", "rank", "both"] | None = "mean",
        texts: object = None,
        answers: pd.DataFrame | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
        machine: object = None,
    ) -> Report:
        """Return the table of systems and measures as a paper prints it."""

    def reproduce(
        self,
        original: object,
        measures: object = ...,
        *,
        baseline: object = None,
        pairs: Mapping[Any, Any] | None = None,
        per: Literal["run", "query"] = "run",
        p: float = 0.9,
        rbo_ties: Literal["a", "b", "w"] = "b",
        union: Literal["original", "id"] = "original",
    ) -> pd.DataFrame:
        """Return how close runs are to the original runs: scores, effects, or with `per="query"` the order of items."""

    def robustness(
        self,
        measures: object = ...,
        *,
        to: Literal["queries", "labels", "depth"],
        keep: Sequence[float] | None = None,
        draws: int = 10,
        policy: Literal["random", "pool"] = "random",
        against: object = None,
        method: str | None = "paper",
        summary: bool = False,
        seed: int | None = 0,
        memory: int = 268435456,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the correlation of the order of runs on all data with orders from fewer queries, labels or ranks."""

    class _SearchLengths:
        """Verbs of search_lengths."""

        def __call__(
            self,
            *,
            runs: Iterable[object] | None = None,
            unretrieved: Literal["run", "corpus"] = "run",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the atomized search length of every relevant item in every run: 1 + the irrelevant items above it."""

        def ablation(
            self,
            *,
            margin: float = 0.1,
            alpha: float = 0.05,
            unretrieved: Literal["run", "corpus"] = "run",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return how systems move along the steps from mean average precision to atomized search length."""

        def differences(
            self,
            run_a: object,
            run_b: object,
            *,
            unretrieved: Literal["run", "corpus"] = "run",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the search lengths of every relevant item in two runs and their difference, negative if run_a is better."""

        def effective_fractions(
            self,
            *,
            precision: Literal["item", "atomized"] = "item",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the fraction of relevant items that average precision effectively uses, for every run and query."""

        def histogram(
            self,
            *,
            runs: Iterable[object] | None = None,
            edges: Sequence[float] = ...,
            unretrieved: Literal["run", "corpus"] = "run",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the number of relevant items by search length, in buckets; items that were not retrieved come last."""

        def rrie(
            self,
            run_a: object,
            run_b: object,
            measures: object = ...,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the relative reduction in error from one run to another, by each measure."""

        def wins(
            self,
            run_a: object,
            run_b: object,
            *,
            edges: Sequence[float] = ...,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the number of relevant items that one run ranks earlier than another, and that only one retrieves."""

    @property
    def search_lengths(self) -> _SearchLengths: ...

    class _Segments:
        """Verbs of segments."""

        def __call__(
            self,
            measures: object = ...,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the mean of each segment of the queries or users, and its gap to all other queries."""

        def gaps(
            self,
            measures: object = ...,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the gaps between all pairs of segments: of the means of each run, or of the differences of two runs."""

    @property
    def segments(self) -> _Segments: ...

    def simulate_clicks(
        self,
        model: str | ClickModel = "perfect",
        *,
        sessions: int = 1,
        users: int | None = None,
        reformulate: float = 0.0,
        max_queries: int = 10,
        graded: bool = False,
        depth: int | None = None,
        seconds_per_result: float = 5.0,
        seconds_per_click: float = 30.0,
        start: str = "2024-01-01",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the click log of simulated users of interleaved lists, or of runs as the buckets of an A/B test."""

    def stopping(
        self,
        rules: str | Sequence[str] | Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = ...,
        *,
        target: float = 0.95,
        n_items: float | None = None,
        confidence: float = 0.95,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the recall and the effort of reviews that stop by a rule, for each run and rule."""

    def summary(
        self,
        measures: object = ...,
        *,
        wide: bool = False,
        per: Literal["run", "group"] = "run",
        baseline: object = None,
        confidence: float = 0.95,
        interval: Literal["student", "bootstrap-t", "bca"] = "student",
        replicate: str | Sequence[str] | None = None,
        draws: int | None = None,
        seed: int | None = 0,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        machine: object = None,
    ) -> pd.DataFrame:
        """Return the mean of each measure per run, with intervals; of preferences, the mean per pair of runs."""

    def swap_assessors(
        self,
        labels: object,
        measures: object = ...,
        *,
        qrels: object = None,
        orders: bool = False,
        how: Literal["assessor", "draw"] = "assessor",
        per: Literal["item", "query"] = "item",
        draws: int = 100,
        seed: int | None = 0,
        grades: Mapping[object, float] | None = None,
        method: str | Sequence[str] | None = None,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return Kendall's tau-b of the orderings of the runs under the judgments of different assessors."""

    class _Ties:
        """Verbs of ties."""

        def __call__(
            self,
            measures: object = ...,
            *,
            per: Literal["all", "query"] = "all",
            baseline: object = None,
            pairs: object = None,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs on the same query that are tied by each measure."""

        def by_first(
            self,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the probability that another run has its first relevant item at the same rank, by that rank."""

        def by_recall(
            self,
            *,
            levels: int | None = 20,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs tied at each recall level: the i-th relevant item has the same rank."""

        def deciding_ecdf(
            self,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs decided at or before each recall level."""

        def deciding_levels(
            self,
            *,
            baseline: object = None,
            pairs: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the recall level that decides between two runs on each query: the lowest where they differ."""

    @property
    def ties(self) -> _Ties: ...

    mean = summary

class AaTestsIreval(Ireval):
    """The verbs of a table of the kind 'aa_tests'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class AblationIreval(Ireval):
    """The verbs of a table of the kind 'ablation'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class AccountingIreval(Ireval):
    """The verbs of a table of the kind 'accounting'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class AgreementByQueryIreval(Ireval):
    """The verbs of a table of the kind 'agreement_by_query'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class AgreementOfAssessorsIreval(Ireval):
    """The verbs of a table of the kind 'agreement_of_assessors'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class AnswersToLabelIreval(Ireval):
    """The verbs of a table of the kind 'answers_to_label'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class BehaviorIreval(Ireval):
    """The verbs of a table of the kind 'behavior'."""

    def ab_report(
        self,
        *,
        order: Sequence[str] | None = None,
        digits: int = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of an A/B test: the value of each measure in each bucket, with its interval as ± half its width."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            order: Sequence[object] | None = None,
            scale: Literal["relative", "raw"] = "relative",
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with a group of bars for each behavior measure, one bar per bucket with its confidence interval."""

        def behavior_bars(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            order: Sequence[object] | None = None,
            scale: Literal["relative", "raw"] = "relative",
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with a group of bars for each behavior measure, one bar per bucket with its confidence interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class BestAverageWorstIreval(Ireval):
    """The verbs of a table of the kind 'best_average_worst'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class BestSystemsIreval(Ireval):
    """The verbs of a table of the kind 'best_systems'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class BucketComparisonsIreval(Ireval):
    """The verbs of a table of the kind 'bucket_comparisons'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def intervals(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class ChangesIreval(Ireval):
    """The verbs of a table of the kind 'changes'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class CitationsIreval(Ireval):
    """The verbs of a table of the kind 'citations'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def measure(
        self,
        measures: object = None,
        *,
        first: bool = False,
        qrels: object = None,
        runs: object = None,
        level: float | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the scores of every answer by the support that its citations give to its sentences."""

class ClicksIreval(Ireval):
    """The verbs of a table of the kind 'clicks'."""

    def ab_report(
        self,
        *,
        order: Sequence[str] | None = None,
        digits: int = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of an A/B test: the value of each measure in each bucket, with its interval as ± half its width."""

    def add_sessions(self, *, gap: float = 1800.0) -> pd.DataFrame:
        """Return a log with sessions: a user's events with at most `gap` seconds between two of them."""

    def behavior(
        self,
        measures: Sequence[str] | str | None = None,
        *,
        aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
        unit: Literal["query", "session", "user"] | None = None,
        winsorize: float | None = None,
        interval: Literal["auto", "bootstrap"] = "auto",
        confidence: float = 0.95,
        draws: int = 10000,
        seed: int | None = 0,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the behavior measures of every bucket, with confidence intervals."""

    def check(
        self,
        *,
        shares: Mapping[object, float] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the problems of a click log and how they are handled, one row per problem."""

    def check_order(
        self,
        order: Sequence[object],
        measures: Sequence[str] | str | None = None,
        *,
        aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
        unit: Literal["query", "session", "user"] | None = None,
        test: Literal["auto", "welch", "delta", "mann-whitney", "bootstrap"] = "auto",
        correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
        alpha: float = 0.05,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return, per behavior measure, whether the buckets follow a hypothesized order from best to worst."""

    class _CompareBuckets:
        """Verbs of compare_buckets."""

        def __call__(
            self,
            measures: Sequence[str] | str | None = None,
            *,
            order: Sequence[object] | None = None,
            aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
            unit: Literal["query", "session", "user"] | None = None,
            test: Literal["auto", "welch", "delta", "mann-whitney", "bootstrap"] = "auto",
            pre: object = None,
            covariate: str | None = None,
            sequential: int | None = None,
            winsorize: float | None = None,
            lift: Literal["delta", "fieller"] | None = None,
            shares: Mapping[object, float] | None = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return a two-sample test of every pair of buckets on every behavior measure."""

        def aa_test(
            self,
            measures: Sequence[str] | str | None = None,
            *,
            aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
            unit: Literal["query", "session", "user"] | None = None,
            test: Literal["auto", "welch", "delta", "mann-whitney", "bootstrap"] = "auto",
            pre: object = None,
            covariate: str | None = None,
            sequential: int | None = None,
            share: float = 0.5,
            alpha: float = 0.05,
            confidence: float = 0.95,
            draws: int = 1000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the type I error rate of the tests of two buckets, one row per measure."""

        def sample_size(
            self,
            measures: Sequence[str] | str | None = None,
            *,
            difference: float | None = None,
            lift: float | None = None,
            aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
            unit: Literal["query", "session", "user"] | None = None,
            winsorize: float | None = None,
            share: float = 0.5,
            alpha: float = 0.05,
            power: float = 0.8,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the number of users that a test of two buckets needs, and the difference that the log can detect."""

    @property
    def compare_buckets(self) -> _CompareBuckets: ...

    def credit(
        self,
        lists: object,
        *,
        shared: Literal["team", "nobody"] = "team",
        runs: object = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the clicks that each run earned, for every impression of an interleaved list."""

    def per_query(
        self,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the behavior after every issued query: clicks, abandonment, reciprocal ranks, times."""

    def per_session(
        self,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the number of queries issued in every session."""

    def per_user(
        self,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the sessions, queries, impressions, clicks, other events and the total value of every user."""

    def sample_ratio(
        self,
        *,
        shares: Mapping[object, float] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the observed and expected number of users of each bucket, with the test of a sample-ratio mismatch."""

class CollectionEffectsIreval(Ireval):
    """The verbs of a table of the kind 'collection_effects'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            runs: Sequence[str] | None = None,
            measure: str | None = None,
            combined: Sequence[Literal["fixed", "random"]] = ...,
            overall: pd.DataFrame | None = None,
        ) -> Axes:
            """Return axes with one row per collection: the difference, its interval, its weight; below, their means."""

        def forest(
            self,
            *,
            ax: Axes | None = None,
            runs: Sequence[str] | None = None,
            measure: str | None = None,
            combined: Sequence[Literal["fixed", "random"]] = ...,
            overall: pd.DataFrame | None = None,
        ) -> Axes:
            """Return axes with one row per collection: the difference, its interval, its weight; below, their means."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class ComparisonsIreval(Ireval):
    """The verbs of a table of the kind 'comparisons'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            p: Literal["p_value", "p_adjusted"] = "p_value",
            alpha: float = 0.05,
            upper: float | None = None,
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the p-values of all pairs of runs, sorted, one line per measure and test."""

        def critical_difference(
            self,
            *,
            ax: Axes | None = None,
            comparisons: pd.DataFrame | None = None,
            measure: str | None = None,
            method: str | None = None,
        ) -> Axes:
            """Return axes with the runs listed best first, each at its rank with its rank interval."""

        def intervals(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def p_value_curves(
            self,
            *,
            ax: Axes | None = None,
            p: Literal["p_value", "p_adjusted"] = "p_value",
            alpha: float = 0.05,
            upper: float | None = None,
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the p-values of all pairs of runs, sorted, one line per measure and test."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        digits: int = 3,
        only_significant: bool = False,
        by: str | Sequence[str] | None = None,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the list of compared pairs: difference with its interval, effect size, p-values; * if significant."""

class ComponentsIreval(Ireval):
    """The verbs of a table of the kind 'components'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            of: Literal["fraction", "difference_fraction"] = "difference_fraction",
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one bar per measure, divided by the sources of its variance."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def variance_components(
            self,
            *,
            ax: Axes | None = None,
            of: Literal["fraction", "difference_fraction"] = "difference_fraction",
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one bar per measure, divided by the sources of its variance."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class ConfusionsIreval(Ireval):
    """The verbs of a table of the kind 'confusions'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            assessor: str | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with the fraction of each label (column) among the items of each label of the reference (row)."""

        def confusion_heatmap(
            self,
            *,
            ax: Axes | None = None,
            assessor: str | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with the fraction of each label (column) among the items of each label of the reference (row)."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        digits: int = 1,
        counts: bool = False,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of confusion: reference labels in rows, assigned labels in columns, percentages of rows."""

class ConsensusIreval(Ireval):
    """The verbs of a table of the kind 'consensus'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class ContributionEcdfIreval(Ireval):
    """The verbs of a table of the kind 'contribution_ecdf'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the distribution of the contributions of recall levels, a line per measure."""

        def contribution_ecdf(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the distribution of the contributions of recall levels, a line per measure."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class ContributionFractionsIreval(Ireval):
    """The verbs of a table of the kind 'contribution_fractions'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class ContributionSurfaceIreval(Ireval):
    """The verbs of a table of the kind 'contribution_surface'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(self, *, ax: Axes | None = None, measure: str | None = None, scale: bool = True) -> Axes:
            """Return axes with the contribution of one relevant item to a difference, by its ranks in two rankings."""

        def contribution_surface(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            scale: bool = True,
        ) -> Axes:
            """Return axes with the contribution of one relevant item to a difference, by its ranks in two rankings."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class ContributionsIreval(Ireval):
    """The verbs of a table of the kind 'contributions'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            pair: Sequence[object] | None = None,
            measures: Sequence[str] | None = None,
            scale: Literal["fraction", "raw"] = "fraction",
            levels: int | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the contribution of each recall level to the difference of two runs, a line per measure."""

        def level_scatter(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            levels: int = 8,
            most: int = 500,
            seed: int | None = 0,
        ) -> Axes:
            """Return axes with a square of recall levels: below the diagonal points and their fit, above it the correlation."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def recall_levels(
            self,
            *,
            ax: Axes | None = None,
            pair: Sequence[object] | None = None,
            measures: Sequence[str] | None = None,
            scale: Literal["fraction", "raw"] = "fraction",
            levels: int | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the contribution of each recall level to the difference of two runs, a line per measure."""

    @property
    def plot(self) -> _Plot: ...

class CorrelationsIreval(Ireval):
    """The verbs of a table of the kind 'correlations'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            coefficient: str | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
            label: str | None = None,
        ) -> Axes:
            """Return axes with a correlation or agreement for every two measures as colors and numbers."""

        def correlation_heatmap(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            coefficient: str | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
            label: str | None = None,
        ) -> Axes:
            """Return axes with a correlation or agreement for every two measures as colors and numbers."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: str | None = None,
        value: str | None = None,
        digits: int = 3,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        layout: Literal["list", "rows", "triangle"] | None = None,
        average: bool = False,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
    ) -> Report:
        """Return the table of the agreement of pairs of measures, or of the correlation of their orders of runs."""

class CorrelationsByMeasureIreval(Ireval):
    """The verbs of a table of the kind 'correlations_by_measure'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class CreditsIreval(Ireval):
    """The verbs of a table of the kind 'credits'."""

    def preferences(
        self,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the outcome of every query as a preference: the mean sign of credit_a - credit_b over its impressions."""

    def wins(
        self,
        *,
        per: Literal["query", "user", "impression"] = "query",
        alternative: Literal["two-sided", "greater", "less"] = "two-sided",
        correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
        alpha: float = 0.05,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the number of queries or users that each run of a pair won, one row per pair."""

class CurveIreval(Ireval):
    """The verbs of a table of the kind 'curve'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            highlight: Sequence[object] | int = 6,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with precision against recall, one line per run."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def precision_recall(
            self,
            *,
            ax: Axes | None = None,
            highlight: Sequence[object] | int = 6,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with precision against recall, one line per run."""

    @property
    def plot(self) -> _Plot: ...

class DecidingEcdfIreval(Ireval):
    """The verbs of a table of the kind 'deciding_ecdf'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            levels: int | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the fraction of pairs decided at or before each recall level (an ECDF)."""

        def decided_by_recall(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            levels: int | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the fraction of pairs decided at or before each recall level (an ECDF)."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class DecidingLevelsIreval(Ireval):
    """The verbs of a table of the kind 'deciding_levels'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            levels: int | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the fraction of pairs decided at or before each recall level (an ECDF)."""

        def decided_by_recall(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            levels: int | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the fraction of pairs decided at or before each recall level (an ECDF)."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class DeltaSortIreval(Ireval):
    """The verbs of a table of the kind 'delta_sort'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class DeltaSortRunsIreval(Ireval):
    """The verbs of a table of the kind 'delta_sort_runs'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class DescriptionIreval(Ireval):
    """The verbs of a table of the kind 'description'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class DiscountsIreval(Ireval):
    """The verbs of a table of the kind 'discounts'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            log: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the weight of each rank, a line per measure."""

        def discount_curves(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            log: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the weight of each rank, a line per measure."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class DiscriminativeCurveIreval(Ireval):
    """The verbs of a table of the kind 'discriminative_curve'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            p: Literal["p_value", "p_adjusted"] = "p_value",
            alpha: float = 0.05,
            upper: float | None = None,
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the p-values of all pairs of runs, sorted, one line per measure and test."""

        def p_value_curves(
            self,
            *,
            ax: Axes | None = None,
            p: Literal["p_value", "p_adjusted"] = "p_value",
            alpha: float = 0.05,
            upper: float | None = None,
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the p-values of all pairs of runs, sorted, one line per measure and test."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class DiscriminativePowerIreval(Ireval):
    """The verbs of a table of the kind 'discriminative_power'."""

    def report(
        self,
        *,
        digits: int = 1,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        average: bool = False,
        against: str | None = None,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of discriminative power: the percentage of pairs that differ significantly, measures x tests."""

class EffectiveFractionsIreval(Ireval):
    """The verbs of a table of the kind 'effective_fractions'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class EquivalencesIreval(Ireval):
    """The verbs of a table of the kind 'equivalences'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one bar per pair of runs: the probabilities of better, equivalent in practice, and worse."""

        def equivalence_bars(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one bar per pair of runs: the probabilities of better, equivalent in practice, and worse."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class ExplanationIreval(Ireval):
    """The verbs of a table of the kind 'explanation'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class ExposureSharesIreval(Ireval):
    """The verbs of a table of the kind 'exposure_shares'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class ExposureTradeoffIreval(Ireval):
    """The verbs of a table of the kind 'exposure_tradeoff'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with the relevance of runs against their disparity, and a shaded area under each curve."""

        def exposure_curve(
            self,
            *,
            ax: Axes | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with the relevance of runs against their disparity, and a shaded area under each curve."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class FeedbackIreval(Ireval):
    """The verbs of a table of the kind 'feedback'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _OffPolicy:
        """Verbs of off_policy."""

        def __call__(
            self,
            policies: pd.DataFrame | str | Sequence[str],
            estimators: Sequence[str] | str | None = None,
            *,
            rewards: pd.DataFrame | None = None,
            clip: float = 10.0,
            logging: pd.DataFrame | None = None,
            per: Literal["round", "query"] = "round",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the estimated value of policies on every round of a log that another policy made."""

        def weights(
            self,
            policies: pd.DataFrame | str | Sequence[str],
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the weights of the logged actions under policies: how much of the log an estimate uses."""

    @property
    def off_policy(self) -> _OffPolicy: ...

class FriedmanIreval(Ireval):
    """The verbs of a table of the kind 'friedman'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class GatesIreval(Ireval):
    """The verbs of a table of the kind 'gates'."""

    def report(
        self,
        *,
        digits: int = 3,
        by: str | Sequence[str] | None = None,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the requirements of a gate: measure and group, difference with its limits, result in words."""

class HardQueriesIreval(Ireval):
    """The verbs of a table of the kind 'hard_queries'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class HeadroomIreval(Ireval):
    """The verbs of a table of the kind 'headroom'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            value: Literal["count", "fraction"] = "count",
        ) -> Axes:
            """Return axes with a bar for each bucket: the number of collections whose best run's mean is in it."""

        def headroom_bars(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            value: Literal["count", "fraction"] = "count",
        ) -> Axes:
            """Return axes with a bar for each bucket: the number of collections whose best run's mean is in it."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class IssuedQueriesIreval(Ireval):
    """The verbs of a table of the kind 'issued_queries'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class ItemSampleIreval(Ireval):
    """The verbs of a table of the kind 'item_sample'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class JudgeBiasIreval(Ireval):
    """The verbs of a table of the kind 'judge_bias'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def intervals(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class JudgePairsIreval(Ireval):
    """The verbs of a table of the kind 'judge_pairs'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class JudgeScoresIreval(Ireval):
    """The verbs of a table of the kind 'judge_scores'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one point per run and judge: its score by the judge against its score by human assessors."""

        def judge_scatter(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one point per run and judge: its score by the judge against its score by human assessors."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class JudgesIreval(Ireval):
    """The verbs of a table of the kind 'judges'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: Literal["tau_b", "tau_ap", "rbo", "overlap_top", "tau_b_top", "fraction_confirmed"] = "tau_b",
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per judge and one mark per measure: the agreement of the judge with human assessors."""

        def judge_dots(
            self,
            *,
            ax: Axes | None = None,
            value: Literal["tau_b", "tau_ap", "rbo", "overlap_top", "tau_b_top", "fraction_confirmed"] = "tau_b",
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per judge and one mark per measure: the agreement of the judge with human assessors."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class LabelAgreementIreval(Ireval):
    """The verbs of a table of the kind 'label_agreement'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class LabelBoundsIreval(Ireval):
    """The verbs of a table of the kind 'label_bounds'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class LabeledIreval(Ireval):
    """The verbs of a table of the kind 'labeled'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class LabelsIreval(Ireval):
    """The verbs of a table of the kind 'labels'."""

    class _Agreement:
        """Verbs of agreement."""

        def __call__(
            self,
            coefficients: str | Sequence[str] | None = None,
            *,
            order: Sequence[object] | None = None,
            by: str | Sequence[str] | None = None,
            draws: int = 0,
            resample: Literal["query", "item"] | None = None,
            confidence: float = 0.95,
            seed: int | None = 0,
        ) -> pd.DataFrame:
            """Return the agreement of assessors beyond chance, by several coefficients."""

        def by_query(
            self,
            coefficients: str | Sequence[str] | None = None,
            *,
            order: Sequence[object] | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the agreement of assessors on each query."""

        def confusion(
            self,
            reference: object,
            *,
            order: Sequence[object] | None = None,
            draws: int = 0,
            resample: Literal["query", "item"] | None = None,
            confidence: float = 0.95,
            seed: int | None = 0,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the confusion of each assessor with a reference: counts and fractions of pairs of labels."""

        def pairs(
            self,
            matrix: Literal["observed", "scott", "cohen"] | None = None,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the agreement of every two assessors who labeled an item in common."""

    @property
    def agreement(self) -> _Agreement: ...

    class _Assessors:
        """Verbs of assessors."""

        def __call__(
            self,
            *,
            order: Sequence[object] | None = None,
            repeats: bool = False,
            steps: int = 1000,
            draws: int = 0,
            resample: Literal["query", "item"] | None = None,
            confidence: float = 0.95,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the accuracy of each assessor, estimated from the labels alone by the model of Dawid and Skene."""

        def errors(
            self,
            *,
            order: Sequence[object] | None = None,
            repeats: bool = False,
            steps: int = 1000,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the error rates of each assessor for each true label, by the model of Dawid and Skene."""

        def posteriors(
            self,
            *,
            order: Sequence[object] | None = None,
            repeats: bool = False,
            steps: int = 1000,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the posterior probability of each label of each item, one row per item and label."""

    @property
    def assessors(self) -> _Assessors: ...

    def consensus(
        self,
        *,
        method: Literal["majority", "dawid_skene"] = "majority",
        ties: Literal["lowest", "highest"] | None = None,
        grades: Mapping[object, float] | None = None,
        repeats: bool = False,
        steps: int = 1000,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return one grade for each item from the labels of all assessors, as a table of judgments."""

class LabelsNeededIreval(Ireval):
    """The verbs of a table of the kind 'labels_needed'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class LeaderboardsIreval(Ireval):
    """The verbs of a table of the kind 'leaderboards'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            comparisons: pd.DataFrame | None = None,
            measure: str | None = None,
            method: str | None = None,
        ) -> Axes:
            """Return axes with the runs listed best first, each at its rank with its rank interval."""

        def critical_difference(
            self,
            *,
            ax: Axes | None = None,
            comparisons: pd.DataFrame | None = None,
            measure: str | None = None,
            method: str | None = None,
        ) -> Axes:
            """Return axes with the runs listed best first, each at its rank with its rank interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        show: Literal["rank", "score", "both"] | None = None,
        digits: int = 3,
        by: str | Sequence[str] | None = None,
        average: bool = True,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of an ordering, best run first: ranks, their intervals, tiers, scores."""

class LeftOutIreval(Ireval):
    """The verbs of a table of the kind 'left_out'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class ListsIreval(Ireval):
    """The verbs of a table of the kind 'lists'."""

    def simulate_clicks(
        self,
        qrels: object,
        model: str | ClickModel = "perfect",
        *,
        sessions: int = 1,
        users: int | None = None,
        reformulate: float = 0.0,
        max_queries: int = 10,
        level: float | None = None,
        graded: bool = False,
        depth: int | None = None,
        seconds_per_result: float = 5.0,
        seconds_per_click: float = 30.0,
        start: str = "2024-01-01",
        seed: int | None = 0,
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the click log of simulated users of interleaved lists, or of runs as the buckets of an A/B test."""

class LocalityIreval(Ireval):
    """The verbs of a table of the kind 'locality'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            coefficient: str | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
            label: str | None = None,
        ) -> Axes:
            """Return axes with a correlation or agreement for every two measures as colors and numbers."""

        def correlation_heatmap(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            coefficient: str | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
            label: str | None = None,
        ) -> Axes:
            """Return axes with a correlation or agreement for every two measures as colors and numbers."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class LocalityRegressionIreval(Ireval):
    """The verbs of a table of the kind 'locality_regression'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class MaskedAgreementIreval(Ireval):
    """The verbs of a table of the kind 'masked_agreement'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class MatrixIreval(Ireval):
    """The verbs of a table of the kind 'matrix'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with a square matrix as colors: preferences, or correlations if it is symmetric."""

        def correlation_heatmap(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            coefficient: str | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
            label: str | None = None,
        ) -> Axes:
            """Return axes with a correlation or agreement for every two measures as colors and numbers."""

        def matrix_heatmap(
            self,
            *,
            ax: Axes | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with a square matrix as colors: preferences, or correlations if it is symmetric."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def preference_heatmap(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            order: pd.DataFrame | Sequence[object] | None = None,
            comparisons: pd.DataFrame | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with the mean preference of every run (row) over every other (column) as colors."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        comparisons: pd.DataFrame | None = None,
        measure: str | None = None,
        digits: int = 3,
        triangle: Literal["full", "upper", "lower"] = "full",
        headers: Literal["names", "letters"] | None = None,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the square matrix of pairs (mean preferences, correlations) as a table, row against column."""

class MeansIreval(Ireval):
    """The verbs of a table of the kind 'means'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            order: pd.DataFrame | Sequence[object] | None = None,
            comparisons: pd.DataFrame | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with the mean preference of every run (row) over every other (column) as colors."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def preference_heatmap(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            order: pd.DataFrame | Sequence[object] | None = None,
            comparisons: pd.DataFrame | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with the mean preference of every run (row) over every other (column) as colors."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class MetaAnalysisIreval(Ireval):
    """The verbs of a table of the kind 'meta_analysis'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            runs: Sequence[str] | None = None,
            measure: str | None = None,
            combined: Sequence[Literal["fixed", "random"]] = ...,
            overall: pd.DataFrame | None = None,
        ) -> Axes:
            """Return axes with one row per collection: the difference, its interval, its weight; below, their means."""

        def forest(
            self,
            *,
            ax: Axes | None = None,
            runs: Sequence[str] | None = None,
            measure: str | None = None,
            combined: Sequence[Literal["fixed", "random"]] = ...,
            overall: pd.DataFrame | None = None,
        ) -> Axes:
            """Return axes with one row per collection: the difference, its interval, its weight; below, their means."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class MultileavedListsIreval(Ireval):
    """The verbs of a table of the kind 'multileaved_lists'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def simulate_clicks(
        self,
        qrels: object,
        model: str | ClickModel = "perfect",
        *,
        sessions: int = 1,
        users: int | None = None,
        reformulate: float = 0.0,
        max_queries: int = 10,
        level: float | None = None,
        graded: bool = False,
        depth: int | None = None,
        seconds_per_result: float = 5.0,
        seconds_per_click: float = 30.0,
        start: str = "2024-01-01",
        seed: int | None = 0,
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the click log of simulated users of interleaved lists, or of runs as the buckets of an A/B test."""

class NuggetsIreval(Ireval):
    """The verbs of a table of the kind 'nuggets'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Judges:
        """Verbs of judges."""

        def bias(
            self,
            *,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
        ) -> pd.DataFrame:
            """Return the bias of the assignments by the machine for each run, and which runs it favors."""

        def labels(self) -> pd.DataFrame:
            """Return the nuggets that human assessors and the machine both labeled, as a table of labels."""

    @property
    def judges(self) -> _Judges: ...

    def label_next(
        self,
        *,
        n_answers: int | None = 10,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the answers that human assessors should label next: those on which the machine is least reliable."""

    def measure(
        self,
        measures: object = None,
        *,
        nuggets: pd.DataFrame | None = None,
        compat: Literal["nuggetizer"] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the scores of every answer by the nuggets that it contains."""

class OrderChecksIreval(Ireval):
    """The verbs of a table of the kind 'order_checks'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class OrdersIreval(Ireval):
    """The verbs of a table of the kind 'orders'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Correlate:
        """Verbs of correlate."""

        def __call__(
            self,
            measures: object = None,
            *,
            coefficients: str | Sequence[str] = "tau_b",
            method: str | Sequence[str] | None = None,
            matrix: bool = False,
            runs: Literal["same", "common"] = "same",
            p: float = 0.9,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the correlations of the orderings by all pairs of measures, as a tidy frame or a square matrix."""

        def against(
            self,
            others: object,
            measures: object = None,
            *,
            coefficients: str | Sequence[str] = "tau_b",
            runs: Literal["same", "common"] = "same",
            p: float = 0.9,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the correlations of two tables of orders, for each measure and method in both."""

    @property
    def correlate(self) -> _Correlate: ...

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            comparisons: pd.DataFrame | None = None,
            measure: str | None = None,
            method: str | None = None,
        ) -> Axes:
            """Return axes with the runs listed best first, each at its rank with its rank interval."""

        def critical_difference(
            self,
            *,
            ax: Axes | None = None,
            comparisons: pd.DataFrame | None = None,
            measure: str | None = None,
            method: str | None = None,
        ) -> Axes:
            """Return axes with the runs listed best first, each at its rank with its rank interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def rank_scatter(self, *, ax: Axes | None = None, orderings: Sequence[object] | None = None) -> Axes:
            """Return axes with a point per run: its rank in one order against its rank in another; those that move most named."""

        def rank_slopes(self, *, ax: Axes | None = None, orderings: Sequence[object] | None = None) -> Axes:
            """Return axes with the runs in one order at the left, in another at the right, and a line from rank to rank."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        show: Literal["rank", "score", "both"] | None = None,
        digits: int = 3,
        by: str | Sequence[str] | None = None,
        average: bool = True,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of an ordering, best run first: ranks, their intervals, tiers, scores."""

class OverCollectionsIreval(Ireval):
    """The verbs of a table of the kind 'over_collections'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class PairExplanationIreval(Ireval):
    """The verbs of a table of the kind 'pair_explanation'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the running sum of a preference over populations and recall levels, a line per measure."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def running_sum(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the running sum of a preference over populations and recall levels, a line per measure."""

    @property
    def plot(self) -> _Plot: ...

class PolicyWeightsIreval(Ireval):
    """The verbs of a table of the kind 'policy_weights'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class PoolIreval(Ireval):
    """The verbs of a table of the kind 'pool'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class PoolBoundsIreval(Ireval):
    """The verbs of a table of the kind 'pool_bounds'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class PoolByRunIreval(Ireval):
    """The verbs of a table of the kind 'pool_by_run'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class PoolPairsIreval(Ireval):
    """The verbs of a table of the kind 'pool_pairs'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class PoolQueriesIreval(Ireval):
    """The verbs of a table of the kind 'pool_queries'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class PoolRunsIreval(Ireval):
    """The verbs of a table of the kind 'pool_runs'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class PosteriorsIreval(Ireval):
    """The verbs of a table of the kind 'posteriors'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class PreferencesIreval(Ireval):
    """The verbs of a table of the kind 'preferences'."""

    def agree(
        self,
        measures: object = None,
        *,
        fuzziness: float | Sequence[float] = 0.0,
        relative: bool = False,
        per: Literal["all", "query"] = "all",
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return how often two measures prefer the same run of a pair on the same query, for all pairs of measures."""

    def anova(
        self,
        measures: object = None,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the two-way analysis of variance, run and query, of each measure, with one observation per cell."""

    def collection_means(
        self,
        measures: object = None,
        *,
        by: str | Sequence[str],
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the mean of each run on each collection, as scores whose queries are the collections."""

    def compare(
        self,
        measures: object = None,
        *,
        test: str | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        baseline: object = None,
        alpha: float = 0.05,
        family: Literal["measure", "baseline", "all", "groups", "all_groups"] | None = None,
        margin: float | str | None = None,
        confidence: float | None = None,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return one row per measure and pair of runs: the difference, its interval and its significance."""

    def correlate(
        self,
        measures: object = None,
        *,
        coefficients: str | Sequence[str] = "tau_b",
        method: str | Sequence[str] | None = None,
        matrix: bool = False,
        runs: Literal["same", "common"] = "same",
        p: float = 0.9,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the correlations of the orderings by all pairs of measures, as a tidy frame or a square matrix."""

    class _DiscriminativePower:
        """Verbs of discriminative_power."""

        def __call__(
            self,
            measures: object = None,
            *,
            tests: str | Sequence[str | None] = ...,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs that differ significantly, for each measure and test."""

        def curve(
            self,
            measures: object = None,
            *,
            tests: str | Sequence[str | None] = ...,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the sorted p-values of all pairs, per measure and test: Sakai's curve of achieved significance levels."""

    @property
    def discriminative_power(self) -> _DiscriminativePower: ...

    def equivalence(
        self,
        measures: object = None,
        *,
        rope: float,
        test: Literal["correlated_t", "signed_rank"] = "correlated_t",
        baseline: object = None,
        correlation: float = 0.0,
        prior: float = 0.5,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return, per pair of runs, the posterior probabilities of better, worse, and equivalent in practice."""

    def friedman(
        self,
        measures: object = None,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return Friedman's test of each measure: whether the runs rank differently over the queries at all."""

    def gate(
        self,
        candidate: object,
        baseline: object,
        measures: object = None,
        *,
        margin: float | str | None = None,
        require: Literal["no_loss", "noninferiority"] | None = None,
        protect: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        alpha: float = 0.05,
        power: float = 0.8,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return, per measure and group of queries, whether a candidate may replace the baseline, and why."""

    def label_bounds(
        self,
        measures: object = None,
        *,
        between: tuple[float, float] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the lowest and highest possible mean over all queries, for any labels of the unlabeled queries."""

    class _LabelNext:
        """Verbs of label_next."""

        def __call__(
            self,
            measures: object = None,
            *,
            n_queries: int = 10,
            design: Literal["importance", "stratified", "uniform"] = "importance",
            seed: int | None = 0,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the queries to label next, drawn so that the intervals become as narrow as possible."""

        def sample_size(
            self,
            measures: object = None,
            *,
            width: float,
            confidence: float = 0.95,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the number of queries that need human labels for intervals of a required width."""

    @property
    def label_next(self) -> _LabelNext: ...

    def leaderboard(
        self,
        measures: object = None,
        *,
        method: str | Sequence[str] | None = None,
        test: str | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        alpha: float = 0.05,
        resample: str | Sequence[str] | None = None,
        scale: Literal["own", "elo"] = "own",
        draws: int = 1000,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the runs in order, with intervals of rank and score, and tiers of runs that do not differ."""

    def matrix(self, measure: object = None) -> pd.DataFrame:
        """Return the mean preference of row over column as a square frame, antisymmetric."""

    class _MetaAnalysis:
        """Verbs of meta_analysis."""

        def __call__(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            over: Literal["collections", "queries"] = "collections",
            baseline: object = None,
            per: Literal["pair", "collection"] = "pair",
            test: str | None = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
            draws: int = 2000,
            seed: int | None = 0,
            progress: bool | None = None,
        ) -> pd.DataFrame:
            """Return the mean difference over collections with its interval, and the number of collections won."""

        def sample_size(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            difference: float | None = None,
            power: float = 0.8,
            alpha: float = 0.05,
            baseline: object = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the number of collections that a meta-analysis needs, per measure and pair of runs."""

    @property
    def meta_analysis(self) -> _MetaAnalysis: ...

    def order(
        self,
        measures: object = None,
        *,
        method: str | Sequence[str] | None = None,
        compat: Literal["pref_eval"] | None = None,
        draws: int = 0,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the runs in order, for each measure and method."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            order: pd.DataFrame | Sequence[object] | None = None,
            comparisons: pd.DataFrame | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with the mean preference of every run (row) over every other (column) as colors."""

        def difference_scatter(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            most: int = 5000,
            seed: int | None = 0,
        ) -> Axes:
            """Return axes with one point per query and pair of runs: its difference under two measures."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def preference_heatmap(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            order: pd.DataFrame | Sequence[object] | None = None,
            comparisons: pd.DataFrame | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
        ) -> Axes:
            """Return axes with the mean preference of every run (row) over every other (column) as colors."""

        def query_differences(
            self,
            *,
            ax: Axes | None = None,
            pair: Sequence[object] | None = None,
            measure: str | None = None,
            mean: bool = True,
        ) -> Axes:
            """Return axes with one bar per query, the preference of run a over run b, sorted from best to worst."""

        def win_loss_tie(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            baseline: object = None,
            per: Literal["pair", "run"] | None = None,
            sort: bool = True,
        ) -> Axes:
            """Return axes with one horizontal bar per pair or run: the percentages of queries won, tied and lost."""

    @property
    def plot(self) -> _Plot: ...

    class _Power:
        """Verbs of power."""

        def __call__(
            self,
            measures: object = None,
            *,
            difference: float | None = None,
            n_queries: int | None = None,
            margin: float | None = None,
            goal: Literal["noninferiority", "equivalence"] = "noninferiority",
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the power of the paired t-test, per measure and pair of runs."""

        def detectable_difference(
            self,
            measures: object = None,
            *,
            power: float = 0.8,
            n_queries: int | None = None,
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the smallest true difference that the paired t-test detects with the required power."""

        def sample_size(
            self,
            measures: object = None,
            *,
            difference: float | None = None,
            power: float = 0.8,
            margin: float | None = None,
            goal: Literal["noninferiority", "equivalence"] = "noninferiority",
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the number of queries that the paired t-test needs, per measure and pair of runs."""

    @property
    def power(self) -> _Power: ...

    def report(
        self,
        measures: object = None,
        *,
        baseline: object = None,
        marks: Literal["auto", "letters", "daggers"] | None = "auto",
        comparisons: pd.DataFrame | None = None,
        test: str | None = None,
        correction: str | None = None,
        alpha: float | None = None,
        interval: Literal["ci", "sd", "replicates", "none"] | None = None,
        replicate: str | Sequence[str] | None = None,
        digits: int | Mapping[str, int] = 3,
        group: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        columns: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        sort: str | Sequence[object] | None = None,
        best: Literal["table", "group"] | None = "table",
        arrows: bool = True,
        higher: Mapping[str, bool] | None = None,
        missing: Literal["error", "dash"] = "error",
        by: str | Sequence[str] | None = None,
        layout: Literal["columns", "rows", "groups"] | None = None,
        average: Literal["mean", "rank", "both"] | None = "mean",
        texts: object = None,
        answers: pd.DataFrame | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of systems and measures as a paper prints it."""

    class _Segments:
        """Verbs of segments."""

        def __call__(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the mean of each segment of the queries or users, and its gap to all other queries."""

        def gaps(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the gaps between all pairs of segments: of the means of each run, or of the differences of two runs."""

    @property
    def segments(self) -> _Segments: ...

    def summary(
        self,
        measures: object = None,
        *,
        baseline: object = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the mean preference of each pair of runs over the queries."""

    def ties(
        self,
        measures: object = None,
        *,
        per: Literal["all", "query"] = "all",
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the fraction of pairs of runs on the same query that are tied by each measure."""

    mean = summary

class QuantilesIreval(Ireval):
    """The verbs of a table of the kind 'quantiles'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def intervals(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class RecallCurveIreval(Ireval):
    """The verbs of a table of the kind 'recall_curve'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the mean recall of reviews against effort, a line per run with the band of its interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def recall_effort(
            self,
            *,
            ax: Axes | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the mean recall of reviews against effort, a line per run with the band of its interval."""

    @property
    def plot(self) -> _Plot: ...

class ReproducedOrderIreval(Ireval):
    """The verbs of a table of the kind 'reproduced_order'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class ReproductionIreval(Ireval):
    """The verbs of a table of the kind 'reproduction'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one point per run and measure: its effect ratio against delta RI."""

        def effect_scatter(
            self,
            *,
            ax: Axes | None = None,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one point per run and measure: its effect ratio against delta RI."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class RiskCoverageIreval(Ireval):
    """The verbs of a table of the kind 'risk_coverage'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class RiskCoverageCurveIreval(Ireval):
    """The verbs of a table of the kind 'risk_coverage_curve'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class RobustnessIreval(Ireval):
    """The verbs of a table of the kind 'robustness'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            statistic: str | None = None,
            measures: Sequence[str] | None = None,
            band: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with a statistic against the number of queries, labels or ranks kept, mean and sd over draws."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def robustness(
            self,
            *,
            ax: Axes | None = None,
            statistic: str | None = None,
            measures: Sequence[str] | None = None,
            band: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with a statistic against the number of queries, labels or ranks kept, mean and sd over draws."""

    @property
    def plot(self) -> _Plot: ...

class RobustnessSummaryIreval(Ireval):
    """The verbs of a table of the kind 'robustness_summary'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            statistic: str | None = None,
            measures: Sequence[str] | None = None,
            band: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with a statistic against the number of queries, labels or ranks kept, mean and sd over draws."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def robustness(
            self,
            *,
            ax: Axes | None = None,
            statistic: str | None = None,
            measures: Sequence[str] | None = None,
            band: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with a statistic against the number of queries, labels or ranks kept, mean and sd over draws."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class RrieIreval(Ireval):
    """The verbs of a table of the kind 'rrie'."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class RunsIreval(Ireval):
    """The verbs of a table of the kind 'runs'."""

    def join(
        self,
        qrels: object,
        *,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
        validate: bool = True,
        items: object = None,
        history: object = None,
    ) -> Joined:
        """Return the join of these runs with judgments, which has the verbs of this accessor."""

    def abstention(
        self,
        answerable: pd.DataFrame,
        measures: object = None,
        *,
        threshold: float | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return whether each run was right to answer each query, or not to answer it."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Agree:
        """Verbs of agree."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            fuzziness: float | Sequence[float] = 0.0,
            relative: bool = False,
            per: Literal["all", "query"] = "all",
            baseline: object = None,
            pairs: object = None,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return how often two measures prefer the same run of a pair on the same query, for all pairs of measures."""

        def labels(
            self,
            qrels: object,
            labeled: object,
            measures: object = ...,
            *,
            confidence: float = 0.95,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return how often each measure agrees with labeled preferences of users or assessors."""

        def locality(
            self,
            qrels: object,
            *,
            kind: Literal["correlation", "regression"] = "correlation",
            levels: int = 8,
            ahead: int = 4,
            values: Literal["difference", "sign"] = "difference",
            cascaded: bool = False,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return how differences in reciprocal rank correlate between recall levels."""

        def masked(
            self,
            qrels: object,
            *,
            per: Literal["all", "query"] = "all",
            baseline: object = None,
            pairs: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return how often later relevant items predict the run whose first relevant item is at the better rank."""

    @property
    def agree(self) -> _Agree: ...

    class _Anova:
        """Verbs of anova."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the two-way analysis of variance, run and query, of each measure, with one observation per cell."""

        def sample_size(
            self,
            qrels: object,
            measures: object = ...,
            *,
            difference: float,
            runs: int | None = None,
            design: Literal["two-way", "one-way", "t", "interval"] | Sequence[Literal["two-way", "one-way", "t", "interval"]] = ...,
            power: float = 0.8,
            alpha: float = 0.05,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the number of queries that a comparison of many systems needs, per measure and design."""

    @property
    def anova(self) -> _Anova: ...

    def awrf(
        self,
        qrels: object,
        groups: object,
        measures: object = ...,
        *,
        target: Literal["uniform", "relevant", "catalog"] | Mapping[str, float] | pd.DataFrame = "relevant",
        sample: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the attention-weighted rank fairness of every run on every query."""

    def best_average_worst(
        self,
        qrels: object,
        average: object = "RPP",
        *,
        per: Literal["pair", "query"] = "pair",
        baseline: object = None,
        pairs: object = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the best, the average and the worst case of every pair of runs, and where they disagree."""

    class _BeyondAccuracy:
        """Verbs of beyond_accuracy."""

        def __call__(
            self,
            measures: object = ...,
            *,
            items: object = None,
            history: object = None,
            per: Literal["run", "query"] = "run",
            confidence: float = 0.95,
            draws: int = 200,
            seed: int | None = 0,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            validate: bool = True,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the novelty, diversity, popularity and coverage of the lists of each run."""

        def compare(
            self,
            measures: object = ...,
            *,
            items: object = None,
            history: object = None,
            baseline: object = None,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            confidence: float | None = None,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            validate: bool = True,
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the differences of measures of items between runs, with intervals over users."""

    @property
    def beyond_accuracy(self) -> _BeyondAccuracy: ...

    def check(
        self,
        qrels: object,
        *,
        level: float | None = None,
        history: object = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the number of missing queries, duplicates, ties and unjudged items of each run."""

    def collapse(
        self,
        *,
        doc: str | Mapping[str, str] | None = None,
        separator: str | None = None,
        score: Literal["max", "first", "sum", "mean"] = "max",
    ) -> pd.DataFrame:
        """Return the run table of documents, from a run table of their chunks."""

    def collection_means(
        self,
        qrels: object,
        measures: object = ...,
        *,
        by: str | Sequence[str],
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the mean of each run on each collection, as scores whose queries are the collections."""

    def compare(
        self,
        qrels: object,
        measures: object = ...,
        *,
        test: str | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        baseline: object = None,
        alpha: float = 0.05,
        family: Literal["measure", "baseline", "all", "groups", "all_groups"] | None = None,
        margin: float | str | None = None,
        confidence: float | None = None,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        machine: object = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
        validate: bool = True,
        items: object = None,
        history: object = None,
    ) -> pd.DataFrame:
        """Return one row per measure and pair of runs: the difference, its interval and its significance."""

    def correlate(
        self,
        qrels: object,
        measures: object = ...,
        *,
        coefficients: str | Sequence[str] = "tau_b",
        method: str | Sequence[str] | None = None,
        matrix: bool = False,
        runs: Literal["same", "common"] = "same",
        p: float = 0.9,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the correlations of the orderings by all pairs of measures, as a tidy frame or a square matrix."""

    def curve(
        self,
        qrels: object,
        *,
        points: int | None = 11,
        per: Literal["run", "query"] = "run",
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the precision at evenly spaced recall points, interpolated, or at every relevant item."""

    def delta_sort(
        self,
        qrels: object,
        new: object,
        *,
        old: object = "AP",
        margin: float = 0.1,
        alpha: float = 0.05,
        per: Literal["all", "run"] = "all",
        replicate: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return how far systems move when one measure replaces another: DeltaSort, Kendall's tau-b and DeltaValue."""

    def describe(
        self,
        qrels: object,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return one row that describes the collection: queries, runs, list lengths, judged and relevant items, grades."""

    class _Disaggregate:
        """Verbs of disaggregate."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            per: Literal["query", "pair"] = "query",
            baseline: object = None,
            pairs: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the contribution of each recall level of each population to the difference of two runs."""

        def ecdf(
            self,
            qrels: object,
            measures: object = ...,
            *,
            per: Literal["value", "measure"] = "value",
            points: int = 100,
            least: float = 0.01,
            baseline: object = None,
            pairs: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the distribution of the contributions of recall levels to the differences of all pairs of runs."""

    @property
    def disaggregate(self) -> _Disaggregate: ...

    class _DiscriminativePower:
        """Verbs of discriminative_power."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            tests: str | Sequence[str | None] = ...,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs that differ significantly, for each measure and test."""

        def curve(
            self,
            qrels: object,
            measures: object = ...,
            *,
            tests: str | Sequence[str | None] = ...,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the sorted p-values of all pairs, per measure and test: Sakai's curve of achieved significance levels."""

    @property
    def discriminative_power(self) -> _DiscriminativePower: ...

    def equivalence(
        self,
        qrels: object,
        measures: object = ...,
        *,
        rope: float,
        test: Literal["correlated_t", "signed_rank"] = "correlated_t",
        baseline: object = None,
        correlation: float = 0.0,
        prior: float = 0.5,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return, per pair of runs, the posterior probabilities of better, worse, and equivalent in practice."""

    def expected_exposure(
        self,
        qrels: object,
        measures: object = ...,
        *,
        sample: str | Sequence[str] | None = None,
        model: Literal["rbp", "gerr"] = "gerr",
        patience: float = 0.5,
        utility: float = 0.5,
        groups: object = None,
        complete: bool = True,
        normalize: Literal["expeval"] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the expected exposure loss, disparity and relevance of stochastic rankings on every query."""

    def explain(
        self,
        qrels: object,
        query: object = None,
        measures: object = ...,
        *,
        runs: object = None,
        top: int | None = None,
        per: Literal["item", "run"] = "item",
        texts: object = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the items of one query: grade, rank in each run, and contribution to each measure."""

    def exposure_shares(
        self,
        qrels: object,
        groups: object,
        *,
        sample: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the fraction of exposure of each group of items, compared with its relevant items and with the catalog."""

    def fit_population(
        self,
        qrels: object,
        labeled: object,
        over: Literal["recall", "grades", "subtopics", "cutoffs"] | Sequence[Literal["recall", "grades", "subtopics", "cutoffs"]] = "recall",
        *,
        penalty: float = 1.0,
        folds: int = 5,
        draws: int = 100,
        confidence: float = 0.95,
        seed: int | None = 0,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> Population:
        """Return the population of users whose preferences best reproduce labeled preferences."""

    def fit_weights(
        self,
        qrels: object,
        labeled: object,
        *,
        penalty: float = 1.0,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> Weights:
        """Return the weights of recall levels that best reproduce labeled preferences."""

    def friedman(
        self,
        qrels: object,
        measures: object = ...,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return Friedman's test of each measure: whether the runs rank differently over the queries at all."""

    def gate(
        self,
        qrels: object,
        candidate: object,
        baseline: object,
        measures: object = ...,
        *,
        margin: float | str | None = None,
        require: Literal["no_loss", "noninferiority"] | None = None,
        protect: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        alpha: float = 0.05,
        power: float = 0.8,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        replicate: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return, per measure and group of queries, whether a candidate may replace the baseline, and why."""

    def hard_queries(
        self,
        qrels: object,
        measures: object = ...,
        *,
        runs: object = None,
        top: int = 5,
        texts: object = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return queries that deserve a look, with the reason: all runs fail, two runs differ most, few labels."""

    class _Interleave:
        """Verbs of interleave."""

        def __call__(
            self,
            *,
            method: Literal["team-draft", "balanced", "probabilistic"] = "team-draft",
            pairs: Sequence[tuple[object, object]] | None = None,
            depth: int | None = 10,
            draws: int = 1,
            seed: int | None = 0,
            tau: float = 3.0,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return interleaved lists of pairs of runs, for every query that both answered: one row per position."""

        def many(
            self,
            *,
            method: Literal["team-draft", "optimized", "pairwise"] = "team-draft",
            depth: int | None = 10,
            draws: int = 1,
            seed: int | None = 0,
            candidates: int = 200,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return lists of all runs at once, for every query that all of them answered: one row per position."""

    @property
    def interleave(self) -> _Interleave: ...

    class _Judges:
        """Verbs of judges."""

        def __call__(
            self,
            qrels: object,
            machine: object,
            measures: object = ...,
            *,
            query_set: Literal["common", "each", "all"] | None = None,
            top: int = 10,
            p: float = 0.9,
            method: str | Sequence[str] | None = None,
            test: str | None = None,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            grades: Mapping[object, float] | None = None,
            scale: Sequence[float] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
        ) -> pd.DataFrame:
            """Return the agreement of judges with human assessors: orderings, scores and significant differences."""

        def bias(
            self,
            qrels: object,
            machine: object,
            *,
            depth: int = 10,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            grades: Mapping[object, float] | None = None,
            scale: Sequence[float] | None = None,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
        ) -> pd.DataFrame:
            """Return the bias of each judge for the items of each run, relative to human assessors."""

        def pairs(
            self,
            qrels: object,
            machine: object,
            measures: object = ...,
            *,
            query_set: Literal["common", "each", "all"] | None = None,
            test: str | None = None,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            grades: Mapping[object, float] | None = None,
            scale: Sequence[float] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
        ) -> pd.DataFrame:
            """Return the tests of every pair of runs with the human judgments and with those of each judge."""

        def scores(
            self,
            qrels: object,
            machine: object,
            measures: object = ...,
            *,
            query_set: Literal["common", "each", "all"] | None = None,
            method: str | Sequence[str] | None = None,
            grades: Mapping[object, float] | None = None,
            scale: Sequence[float] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
        ) -> pd.DataFrame:
            """Return the score and the rank of every run with the human judgments and with those of each judge."""

    @property
    def judges(self) -> _Judges: ...

    class _LabelNext:
        """Verbs of label_next."""

        def items(
            self,
            qrels: object,
            machine: object,
            measures: object = ...,
            *,
            size: int = 100,
            of: Literal["means", "differences"] = "means",
            depth: int = 100,
            design: Literal["importance", "uniform"] = "importance",
            seed: int | None = 0,
            level: float | None = None,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
        ) -> pd.DataFrame:
            """Return the (query, item) pairs to label next, drawn so that the intervals become as narrow as possible."""

    @property
    def label_next(self) -> _LabelNext: ...

    def labeled(
        self,
        qrels: object,
        measures: object = None,
        *,
        query: object = None,
        runs: object = None,
        top: int | None = None,
        layout: Literal["long", "side_by_side"] = "long",
        texts: object = None,
        level: float | None = None,
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the documents of each list in rank order, with their grades; the grade of an unjudged document is missing."""

    def leaderboard(
        self,
        qrels: object,
        measures: object = ...,
        *,
        method: str | Sequence[str] | None = None,
        test: str | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        alpha: float = 0.05,
        resample: str | Sequence[str] | None = None,
        scale: Literal["own", "elo"] = "own",
        draws: int = 1000,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the runs in order, with intervals of rank and score, and tiers of runs that do not differ."""

    def matrix(
        self,
        qrels: object,
        measure: object = None,
        *,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the mean preference of row over column as a square frame, antisymmetric."""

    def measure(
        self,
        qrels: object,
        measures: object = ...,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        machine: object = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
        validate: bool = True,
        items: object = None,
        history: object = None,
    ) -> pd.DataFrame:
        """Return the scores of every run on every query."""

    def measure_spans(
        self,
        spans: object,
        measures: object = None,
        *,
        chunks: pd.DataFrame | None = None,
        overlap: Literal["once", "each"] = "once",
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the scores of every list of chunks by the characters of relevant spans that it covers."""

    class _MetaAnalysis:
        """Verbs of meta_analysis."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            over: Literal["collections", "queries"] = "collections",
            baseline: object = None,
            per: Literal["pair", "collection"] = "pair",
            test: str | None = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
            draws: int = 2000,
            seed: int | None = 0,
            progress: bool | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the mean difference over collections with its interval, and the number of collections won."""

        def sample_size(
            self,
            qrels: object,
            measures: object = ...,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            difference: float | None = None,
            power: float = 0.8,
            alpha: float = 0.05,
            baseline: object = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the number of collections that a meta-analysis needs, per measure and pair of runs."""

    @property
    def meta_analysis(self) -> _MetaAnalysis: ...

    def order(
        self,
        qrels: object,
        measures: object = ...,
        *,
        method: str | Sequence[str] | None = None,
        draws: int = 0,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        machine: object = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
        validate: bool = True,
        items: object = None,
        history: object = None,
    ) -> pd.DataFrame:
        """Return the runs in order, for each measure and method."""

    class _Pool:
        """Verbs of pool."""

        def __call__(
            self,
            depth: int = 100,
            *,
            qrels: object = None,
            per: Literal["item", "run"] = "item",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the pool of the runs: the items that any of them has among its first `depth`."""

        def bounds(
            self,
            qrels: object,
            measures: object = ...,
            *,
            depth: int | None = 100,
            assume: Literal["any", "all"] = "any",
            include: Literal["judged", "all"] = "judged",
            per: Literal["run", "query"] = "run",
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the lowest and highest value of measures if unjudged items of each list have the largest grade."""

        def estimate(
            self,
            qrels: object,
            measures: object = ...,
            *,
            sample: pd.DataFrame,
            level: float | None = None,
            depth: int | None = None,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
        ) -> pd.DataFrame:
            """Return the score of every run on every query, estimated from judgments of a sample of items."""

        def leave_one_out(
            self,
            qrels: object,
            measures: object = ...,
            *,
            depth: int = 100,
            team: str | Mapping[object, object] | None = None,
            metadata: pd.DataFrame | None = None,
            method: str | Sequence[str] | None = None,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the score of each run with the judgments that would exist without it, or without its team."""

        def sample(
            self,
            size: int,
            *,
            depth: int = 100,
            design: Literal["importance", "stratified", "uniform"] = "importance",
            seed: int | None = 0,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
        ) -> pd.DataFrame:
            """Return the (query, item) pairs of the pool to label, drawn with known probabilities."""

        def summary(
            self,
            qrels: object = None,
            *,
            per: Literal["run", "query", "pair"] = "run",
            depth: int = 100,
            team: str | Mapping[object, object] | None = None,
            metadata: pd.DataFrame | None = None,
            level: float | None = None,
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            validate: bool = True,
            by: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the contribution of each run to the pool, its size per query, or the overlap of pairs of runs."""

    @property
    def pool(self) -> _Pool: ...

    class _Power:
        """Verbs of power."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            difference: float | None = None,
            n_queries: int | None = None,
            margin: float | None = None,
            goal: Literal["noninferiority", "equivalence"] = "noninferiority",
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the power of the paired t-test, per measure and pair of runs."""

        def detectable_difference(
            self,
            qrels: object,
            measures: object = ...,
            *,
            power: float = 0.8,
            n_queries: int | None = None,
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the smallest true difference that the paired t-test detects with the required power."""

        def sample_size(
            self,
            qrels: object,
            measures: object = ...,
            *,
            difference: float | None = None,
            power: float = 0.8,
            margin: float | None = None,
            goal: Literal["noninferiority", "equivalence"] = "noninferiority",
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the number of queries that the paired t-test needs, per measure and pair of runs."""

    @property
    def power(self) -> _Power: ...

    def prefer(
        self,
        qrels: object,
        measures: object = ...,
        *,
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        machine: object = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
        validate: bool = True,
        items: object = None,
        history: object = None,
    ) -> pd.DataFrame:
        """Return the preferences between runs on every query, positive if run_a is better."""

    def quantiles(
        self,
        qrels: object,
        measures: object = ...,
        *,
        at: float | Sequence[float] | None = ...,
        worst: float | Sequence[float] | None = ...,
        draws: int = 1000,
        confidence: float = 0.95,
        seed: int | None = 0,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return quantiles of the scores of each run, and means of its worst queries."""

    def recall_curve(
        self,
        qrels: object,
        *,
        points: int = 21,
        n_items: float | None = None,
        confidence: float = 0.95,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the mean recall of reviews at equally spaced efforts, with intervals over the reviews."""

    def reliability(
        self,
        qrels: object,
        measures: object = ...,
        *,
        n_queries: int | Sequence[int] | None = None,
        wanted: float = 0.95,
        confidence: float = 0.95,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the reliability of means over queries, and the number of queries for a required reliability."""

    class _Replicates:
        """Verbs of replicates."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            replicate: str | Sequence[str] | None = None,
            system: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            deterministic: object = None,
            by: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the variance components of each measure: query, system x query, replicate and residual."""

        def compare(
            self,
            qrels: object,
            measures: object = ...,
            *,
            replicate: str | Sequence[str] | None = None,
            system: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            deterministic: object = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            by: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the comparisons of pairs of systems with random replicates, per measure."""

    @property
    def replicates(self) -> _Replicates: ...

    def report(
        self,
        qrels: object,
        measures: object = ...,
        *,
        baseline: object = None,
        marks: Literal["auto", "letters", "daggers"] | None = "auto",
        comparisons: pd.DataFrame | None = None,
        test: str | None = None,
        correction: str | None = None,
        alpha: float | None = None,
        interval: Literal["ci", "sd", "replicates", "none"] | None = None,
        replicate: str | Sequence[str] | None = None,
        digits: int | Mapping[str, int] = 3,
        group: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        columns: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        sort: str | Sequence[object] | None = None,
        best: Literal["table", "group"] | None = "table",
        arrows: bool = True,
        higher: Mapping[str, bool] | None = None,
        missing: Literal["error", "dash"] = "error",
        by: str | Sequence[str] | None = None,
        layout: Literal["columns", "rows", "groups"] | None = None,
        average: Literal["mean", "rank", "both"] | None = "mean",
        texts: object = None,
        answers: pd.DataFrame | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
        machine: object = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
        validate: bool = True,
        items: object = None,
        history: object = None,
    ) -> Report:
        """Return the table of systems and measures as a paper prints it."""

    def reproduce(
        self,
        qrels: object,
        original: object,
        measures: object = ...,
        *,
        baseline: object = None,
        pairs: Mapping[Any, Any] | None = None,
        per: Literal["run", "query"] = "run",
        p: float = 0.9,
        rbo_ties: Literal["a", "b", "w"] = "b",
        union: Literal["original", "id"] = "original",
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return how close runs are to the original runs: scores, effects, or with `per="query"` the order of items."""

    def robustness(
        self,
        qrels: object,
        measures: object = ...,
        *,
        to: Literal["queries", "labels", "depth"],
        keep: Sequence[float] | None = None,
        draws: int = 10,
        policy: Literal["random", "pool"] = "random",
        against: object = None,
        method: str | None = "paper",
        summary: bool = False,
        seed: int | None = 0,
        memory: int = 268435456,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the correlation of the order of runs on all data with orders from fewer queries, labels or ranks."""

    class _SearchLengths:
        """Verbs of search_lengths."""

        def __call__(
            self,
            qrels: object,
            *,
            runs: Iterable[object] | None = None,
            unretrieved: Literal["run", "corpus"] = "run",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the atomized search length of every relevant item in every run: 1 + the irrelevant items above it."""

        def ablation(
            self,
            qrels: object,
            *,
            margin: float = 0.1,
            alpha: float = 0.05,
            unretrieved: Literal["run", "corpus"] = "run",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return how systems move along the steps from mean average precision to atomized search length."""

        def differences(
            self,
            qrels: object,
            run_a: object,
            run_b: object,
            *,
            unretrieved: Literal["run", "corpus"] = "run",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the search lengths of every relevant item in two runs and their difference, negative if run_a is better."""

        def effective_fractions(
            self,
            qrels: object,
            *,
            precision: Literal["item", "atomized"] = "item",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the fraction of relevant items that average precision effectively uses, for every run and query."""

        def histogram(
            self,
            qrels: object,
            *,
            runs: Iterable[object] | None = None,
            edges: Sequence[float] = ...,
            unretrieved: Literal["run", "corpus"] = "run",
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the number of relevant items by search length, in buckets; items that were not retrieved come last."""

        def rrie(
            self,
            qrels: object,
            run_a: object,
            run_b: object,
            measures: object = ...,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the relative reduction in error from one run to another, by each measure."""

        def wins(
            self,
            qrels: object,
            run_a: object,
            run_b: object,
            *,
            edges: Sequence[float] = ...,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the number of relevant items that one run ranks earlier than another, and that only one retrieves."""

    @property
    def search_lengths(self) -> _SearchLengths: ...

    class _Segments:
        """Verbs of segments."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the mean of each segment of the queries or users, and its gap to all other queries."""

        def gaps(
            self,
            qrels: object,
            measures: object = ...,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the gaps between all pairs of segments: of the means of each run, or of the differences of two runs."""

    @property
    def segments(self) -> _Segments: ...

    def simulate_clicks(
        self,
        qrels: object,
        model: str | ClickModel = "perfect",
        *,
        sessions: int = 1,
        users: int | None = None,
        reformulate: float = 0.0,
        max_queries: int = 10,
        level: float | None = None,
        graded: bool = False,
        depth: int | None = None,
        seconds_per_result: float = 5.0,
        seconds_per_click: float = 30.0,
        start: str = "2024-01-01",
        seed: int | None = 0,
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the click log of simulated users of interleaved lists, or of runs as the buckets of an A/B test."""

    def stopping(
        self,
        qrels: object,
        rules: str | Sequence[str] | Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = ...,
        *,
        target: float = 0.95,
        n_items: float | None = None,
        confidence: float = 0.95,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
    ) -> pd.DataFrame:
        """Return the recall and the effort of reviews that stop by a rule, for each run and rule."""

    def summary(
        self,
        qrels: object,
        measures: object = ...,
        *,
        wide: bool = False,
        per: Literal["run", "group"] = "run",
        baseline: object = None,
        confidence: float = 0.95,
        interval: Literal["student", "bootstrap-t", "bca"] = "student",
        replicate: str | Sequence[str] | None = None,
        draws: int | None = None,
        seed: int | None = 0,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        machine: object = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        depth: int | None = None,
        judged_only: bool = False,
        validate: bool = True,
        items: object = None,
        history: object = None,
    ) -> pd.DataFrame:
        """Return the mean of each measure per run, with intervals; of preferences, the mean per pair of runs."""

    def swap_assessors(
        self,
        labels: object,
        measures: object = ...,
        *,
        qrels: object = None,
        orders: bool = False,
        how: Literal["assessor", "draw"] = "assessor",
        per: Literal["item", "query"] = "item",
        draws: int = 100,
        seed: int | None = 0,
        grades: Mapping[object, float] | None = None,
        method: str | Sequence[str] | None = None,
        level: float | None = None,
        queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
        ties: Literal["docid", "rank", "first", "expected"] | None = None,
        compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
        judged_only: bool = False,
        validate: bool = True,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return Kendall's tau-b of the orderings of the runs under the judgments of different assessors."""

    class _Ties:
        """Verbs of ties."""

        def __call__(
            self,
            qrels: object,
            measures: object = ...,
            *,
            per: Literal["all", "query"] = "all",
            baseline: object = None,
            pairs: object = None,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs on the same query that are tied by each measure."""

        def by_first(
            self,
            qrels: object,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the probability that another run has its first relevant item at the same rank, by that rank."""

        def by_recall(
            self,
            qrels: object,
            *,
            levels: int | None = 20,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs tied at each recall level: the i-th relevant item has the same rank."""

        def deciding_ecdf(
            self,
            qrels: object,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs decided at or before each recall level."""

        def deciding_levels(
            self,
            qrels: object,
            *,
            baseline: object = None,
            pairs: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            level: float | None = None,
            queries: Literal["relevant", "judged", "answered", "common"] = "relevant",
            ties: Literal["docid", "rank", "first", "expected"] | None = None,
            compat: Literal["trec_eval-10", "trec_eval-9", "pref_eval"] = "trec_eval-10",
            depth: int | None = None,
            judged_only: bool = False,
        ) -> pd.DataFrame:
            """Return the recall level that decides between two runs on each query: the lowest where they differ."""

    @property
    def ties(self) -> _Ties: ...

    mean = summary

class ScoresIreval(Ireval):
    """The verbs of a table of the kind 'scores'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def agree(
        self,
        measures: object = None,
        *,
        fuzziness: float | Sequence[float] = 0.0,
        relative: bool = False,
        per: Literal["all", "query"] = "all",
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return how often two measures prefer the same run of a pair on the same query, for all pairs of measures."""

    class _Anova:
        """Verbs of anova."""

        def __call__(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the two-way analysis of variance, run and query, of each measure, with one observation per cell."""

        def sample_size(
            self,
            measures: object = None,
            *,
            difference: float,
            runs: int | None = None,
            design: Literal["two-way", "one-way", "t", "interval"] | Sequence[Literal["two-way", "one-way", "t", "interval"]] = ...,
            power: float = 0.8,
            alpha: float = 0.05,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the number of queries that a comparison of many systems needs, per measure and design."""

    @property
    def anova(self) -> _Anova: ...

    def collection_means(
        self,
        measures: object = None,
        *,
        by: str | Sequence[str],
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the mean of each run on each collection, as scores whose queries are the collections."""

    def compare(
        self,
        measures: object = None,
        *,
        test: str | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        baseline: object = None,
        alpha: float = 0.05,
        family: Literal["measure", "baseline", "all", "groups", "all_groups"] | None = None,
        margin: float | str | None = None,
        confidence: float | None = None,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return one row per measure and pair of runs: the difference, its interval and its significance."""

    def correlate(
        self,
        measures: object = None,
        *,
        coefficients: str | Sequence[str] = "tau_b",
        method: str | Sequence[str] | None = None,
        matrix: bool = False,
        runs: Literal["same", "common"] = "same",
        p: float = 0.9,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the correlations of the orderings by all pairs of measures, as a tidy frame or a square matrix."""

    def delta_sort(
        self,
        new: object,
        *,
        old: object = "AP",
        margin: float = 0.1,
        alpha: float = 0.05,
        per: Literal["all", "run"] = "all",
        replicate: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return how far systems move when one measure replaces another: DeltaSort, Kendall's tau-b and DeltaValue."""

    class _DiscriminativePower:
        """Verbs of discriminative_power."""

        def __call__(
            self,
            measures: object = None,
            *,
            tests: str | Sequence[str | None] = ...,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the fraction of pairs of runs that differ significantly, for each measure and test."""

        def curve(
            self,
            measures: object = None,
            *,
            tests: str | Sequence[str | None] = ...,
            correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
            draws: int = 10000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the sorted p-values of all pairs, per measure and test: Sakai's curve of achieved significance levels."""

    @property
    def discriminative_power(self) -> _DiscriminativePower: ...

    def equivalence(
        self,
        measures: object = None,
        *,
        rope: float,
        test: Literal["correlated_t", "signed_rank"] = "correlated_t",
        baseline: object = None,
        correlation: float = 0.0,
        prior: float = 0.5,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return, per pair of runs, the posterior probabilities of better, worse, and equivalent in practice."""

    def exposure_tradeoff(
        self,
        *,
        parameter: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the mean disparity and relevance of runs, and the area under the curve of each system."""

    def friedman(
        self,
        measures: object = None,
        *,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return Friedman's test of each measure: whether the runs rank differently over the queries at all."""

    def gate(
        self,
        candidate: object,
        baseline: object,
        measures: object = None,
        *,
        margin: float | str | None = None,
        require: Literal["no_loss", "noninferiority"] | None = None,
        protect: str | Sequence[str] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        alpha: float = 0.05,
        power: float = 0.8,
        draws: int = 10000,
        seed: int | None = 0,
        progress: bool | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return, per measure and group of queries, whether a candidate may replace the baseline, and why."""

    def label_bounds(
        self,
        measures: object = None,
        *,
        between: tuple[float, float] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the lowest and highest possible mean over all queries, for any labels of the unlabeled queries."""

    class _LabelNext:
        """Verbs of label_next."""

        def __call__(
            self,
            measures: object = None,
            *,
            n_queries: int = 10,
            design: Literal["importance", "stratified", "uniform"] = "importance",
            seed: int | None = 0,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the queries to label next, drawn so that the intervals become as narrow as possible."""

        def sample_size(
            self,
            measures: object = None,
            *,
            width: float,
            confidence: float = 0.95,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the number of queries that need human labels for intervals of a required width."""

    @property
    def label_next(self) -> _LabelNext: ...

    def leaderboard(
        self,
        measures: object = None,
        *,
        method: str | Sequence[str] | None = None,
        test: str | None = None,
        correction: Literal["auto", "max-t", "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "auto",
        alpha: float = 0.05,
        resample: str | Sequence[str] | None = None,
        scale: Literal["own", "elo"] = "own",
        draws: int = 1000,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the runs in order, with intervals of rank and score, and tiers of runs that do not differ."""

    class _MetaAnalysis:
        """Verbs of meta_analysis."""

        def __call__(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            over: Literal["collections", "queries"] = "collections",
            baseline: object = None,
            per: Literal["pair", "collection"] = "pair",
            test: str | None = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
            draws: int = 2000,
            seed: int | None = 0,
            progress: bool | None = None,
        ) -> pd.DataFrame:
            """Return the mean difference over collections with its interval, and the number of collections won."""

        def sample_size(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            difference: float | None = None,
            power: float = 0.8,
            alpha: float = 0.05,
            baseline: object = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the number of collections that a meta-analysis needs, per measure and pair of runs."""

    @property
    def meta_analysis(self) -> _MetaAnalysis: ...

    def order(
        self,
        measures: object = None,
        *,
        method: str | Sequence[str] | None = None,
        compat: Literal["pref_eval"] | None = None,
        draws: int = 0,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the runs in order, for each measure and method."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            sort: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the mean of every run as a dot with its confidence interval, best first."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def query_heatmap(self, *, ax: Axes | None = None, measure: str | None = None, colorbar: bool = True) -> Axes:
            """Return axes with the value of every run (row) on every query (column); best run and hardest query first."""

        def summary_bars(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            sort: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the mean of every run as a dot with its confidence interval, best first."""

    @property
    def plot(self) -> _Plot: ...

    class _Power:
        """Verbs of power."""

        def __call__(
            self,
            measures: object = None,
            *,
            difference: float | None = None,
            n_queries: int | None = None,
            margin: float | None = None,
            goal: Literal["noninferiority", "equivalence"] = "noninferiority",
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the power of the paired t-test, per measure and pair of runs."""

        def detectable_difference(
            self,
            measures: object = None,
            *,
            power: float = 0.8,
            n_queries: int | None = None,
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the smallest true difference that the paired t-test detects with the required power."""

        def sample_size(
            self,
            measures: object = None,
            *,
            difference: float | None = None,
            power: float = 0.8,
            margin: float | None = None,
            goal: Literal["noninferiority", "equivalence"] = "noninferiority",
            alpha: float = 0.05,
            baseline: object = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the number of queries that the paired t-test needs, per measure and pair of runs."""

    @property
    def power(self) -> _Power: ...

    def quantiles(
        self,
        measures: object = None,
        *,
        at: float | Sequence[float] | None = ...,
        worst: float | Sequence[float] | None = ...,
        draws: int = 1000,
        confidence: float = 0.95,
        seed: int | None = 0,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return quantiles of the scores of each run, and means of its worst queries."""

    def reliability(
        self,
        measures: object = None,
        *,
        n_queries: int | Sequence[int] | None = None,
        wanted: float = 0.95,
        confidence: float = 0.95,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the reliability of means over queries, and the number of queries for a required reliability."""

    class _Replicates:
        """Verbs of replicates."""

        def __call__(
            self,
            measures: object = None,
            *,
            replicate: str | Sequence[str] | None = None,
            system: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            deterministic: object = None,
            by: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the variance components of each measure: query, system x query, replicate and residual."""

        def compare(
            self,
            measures: object = None,
            *,
            replicate: str | Sequence[str] | None = None,
            system: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            deterministic: object = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            by: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the comparisons of pairs of systems with random replicates, per measure."""

    @property
    def replicates(self) -> _Replicates: ...

    def report(
        self,
        measures: object = None,
        *,
        baseline: object = None,
        marks: Literal["auto", "letters", "daggers"] | None = "auto",
        comparisons: pd.DataFrame | None = None,
        test: str | None = None,
        correction: str | None = None,
        alpha: float | None = None,
        interval: Literal["ci", "sd", "replicates", "none"] | None = None,
        replicate: str | Sequence[str] | None = None,
        digits: int | Mapping[str, int] = 3,
        group: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        columns: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        sort: str | Sequence[object] | None = None,
        best: Literal["table", "group"] | None = "table",
        arrows: bool = True,
        higher: Mapping[str, bool] | None = None,
        missing: Literal["error", "dash"] = "error",
        by: str | Sequence[str] | None = None,
        layout: Literal["columns", "rows", "groups"] | None = None,
        average: Literal["mean", "rank", "both"] | None = "mean",
        texts: object = None,
        answers: pd.DataFrame | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of systems and measures as a paper prints it."""

    class _RiskCoverage:
        """Verbs of risk_coverage."""

        def __call__(
            self,
            confidence: pd.DataFrame,
            measures: object = None,
            *,
            compat: Literal["mteb"] | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the area under the risk-coverage curve of each run, normalized between random and oracle."""

        def curve(
            self,
            confidence: pd.DataFrame,
            measures: object = None,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the mean score of the answered queries of each run, by coverage."""

    @property
    def risk_coverage(self) -> _RiskCoverage: ...

    class _SearchLengths:
        """Verbs of search_lengths."""

        def headroom(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            edges: Mapping[str, Sequence[float]] | None = None,
        ) -> pd.DataFrame:
            """Return the number of collections by the mean of their best run, in buckets."""

        def rrie(
            self,
            run_a: object,
            run_b: object,
            measures: object = None,
            *,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the relative reduction in error from one run to another, by each measure."""

    @property
    def search_lengths(self) -> _SearchLengths: ...

    class _Segments:
        """Verbs of segments."""

        def __call__(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the mean of each segment of the queries or users, and its gap to all other queries."""

        def gaps(
            self,
            measures: object = None,
            *,
            by: str | Sequence[str],
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
            baseline: object = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            confidence: float = 0.95,
            replicate: str | Sequence[str] | None = None,
        ) -> pd.DataFrame:
            """Return the gaps between all pairs of segments: of the means of each run, or of the differences of two runs."""

    @property
    def segments(self) -> _Segments: ...

    def summary(
        self,
        measures: object = None,
        *,
        wide: bool = False,
        per: Literal["run", "group"] = "run",
        baseline: object = None,
        confidence: float = 0.95,
        interval: Literal["student", "bootstrap-t", "bca"] = "student",
        replicate: str | Sequence[str] | None = None,
        draws: int | None = None,
        seed: int | None = 0,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the mean of each measure per run, with intervals; of preferences, the mean per pair of runs."""

    def ties(
        self,
        measures: object = None,
        *,
        per: Literal["all", "query"] = "all",
        baseline: object = None,
        pairs: object = None,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        replicate: str | Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """Return the fraction of pairs of runs on the same query that are tied by each measure."""

    mean = summary

class SearchLengthDifferencesIreval(Ireval):
    """The verbs of a table of the kind 'search_length_differences'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            pair: Sequence[object] | None = None,
            value: str | None = None,
            edges: Sequence[float] = ...,
        ) -> Axes:
            """Return axes with the number of relevant items in each bucket of the difference in search length of two runs."""

        def asl_wins(
            self,
            *,
            ax: Axes | None = None,
            pair: Sequence[object] | None = None,
            value: str | None = None,
            edges: Sequence[float] = ...,
        ) -> Axes:
            """Return axes with the number of relevant items in each bucket of the difference in search length of two runs."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class SearchLengthHistogramIreval(Ireval):
    """The verbs of a table of the kind 'search_length_histogram'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            edges: Sequence[float] = ...,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the number of relevant items in each bucket of search length; items not retrieved are last."""

        def asl_histogram(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            edges: Sequence[float] = ...,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the number of relevant items in each bucket of search length; items not retrieved are last."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class SearchLengthWinsIreval(Ireval):
    """The verbs of a table of the kind 'search_length_wins'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            pair: Sequence[object] | None = None,
            value: str | None = None,
            edges: Sequence[float] = ...,
        ) -> Axes:
            """Return axes with the number of relevant items in each bucket of the difference in search length of two runs."""

        def asl_wins(
            self,
            *,
            ax: Axes | None = None,
            pair: Sequence[object] | None = None,
            value: str | None = None,
            edges: Sequence[float] = ...,
        ) -> Axes:
            """Return axes with the number of relevant items in each bucket of the difference in search length of two runs."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class SearchLengthsIreval(Ireval):
    """The verbs of a table of the kind 'search_lengths'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            edges: Sequence[float] = ...,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the number of relevant items in each bucket of search length; items not retrieved are last."""

        def asl_histogram(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            edges: Sequence[float] = ...,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the number of relevant items in each bucket of search length; items not retrieved are last."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

class SegmentDifferenceGapsIreval(Ireval):
    """The verbs of a table of the kind 'segment_difference_gaps'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def intervals(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class SegmentDifferencesIreval(Ireval):
    """The verbs of a table of the kind 'segment_differences'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def intervals(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class SegmentGapsIreval(Ireval):
    """The verbs of a table of the kind 'segment_gaps'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def intervals(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class SegmentsIreval(Ireval):
    """The verbs of a table of the kind 'segments'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def intervals(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            sort: bool = False,
            legend: Literal["inside", "right", "below", "above"] | None = "above",
        ) -> Axes:
            """Return axes with one row per row of the table: its difference, gap or value as a dot with its interval."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class SignAgreementIreval(Ireval):
    """The verbs of a table of the kind 'sign_agreement'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            coefficient: str | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
            label: str | None = None,
        ) -> Axes:
            """Return axes with a correlation or agreement for every two measures as colors and numbers."""

        def correlation_heatmap(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            coefficient: str | None = None,
            order: Sequence[object] | None = None,
            annotate: bool | None = None,
            colorbar: bool = True,
            label: str | None = None,
        ) -> Axes:
            """Return axes with a correlation or agreement for every two measures as colors and numbers."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: str | None = None,
        value: str | None = None,
        digits: int = 3,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        layout: Literal["list", "rows", "triangle"] | None = None,
        average: bool = False,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
    ) -> Report:
        """Return the table of the agreement of pairs of measures, or of the correlation of their orders of runs."""

class StoppingIreval(Ireval):
    """The verbs of a table of the kind 'stopping'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class SummaryIreval(Ireval):
    """The verbs of a table of the kind 'summary'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            sort: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the mean of every run as a dot with its confidence interval, best first."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def summary_bars(
            self,
            *,
            ax: Axes | None = None,
            measures: Sequence[str] | None = None,
            sort: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the mean of every run as a dot with its confidence interval, best first."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        measures: object = None,
        *,
        baseline: object = None,
        marks: Literal["auto", "letters", "daggers"] | None = "auto",
        comparisons: pd.DataFrame | None = None,
        test: str | None = None,
        correction: str | None = None,
        alpha: float | None = None,
        interval: Literal["ci", "sd", "replicates", "none"] | None = None,
        replicate: str | Sequence[str] | None = None,
        digits: int | Mapping[str, int] = 3,
        group: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        columns: Mapping[str, str] | None = None,
        names: Mapping[str, str] | None = None,
        sort: str | Sequence[object] | None = None,
        best: Literal["table", "group"] | None = "table",
        arrows: bool = True,
        higher: Mapping[str, bool] | None = None,
        missing: Literal["error", "dash"] = "error",
        by: str | Sequence[str] | None = None,
        layout: Literal["columns", "rows", "groups"] | None = None,
        average: Literal["mean", "rank", "both"] | None = "mean",
        texts: object = None,
        answers: pd.DataFrame | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table of systems and measures as a paper prints it."""

class SwappedOrdersIreval(Ireval):
    """The verbs of a table of the kind 'swapped_orders'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class TieProbabilityIreval(Ireval):
    """The verbs of a table of the kind 'tie_probability'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            log: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the probability of a tie given the position of the first relevant item."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def tie_probability(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            log: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the probability of a tie given the position of the first relevant item."""

    @property
    def plot(self) -> _Plot: ...

class TiesIreval(Ireval):
    """The verbs of a table of the kind 'ties'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""

class TiesByFirstIreval(Ireval):
    """The verbs of a table of the kind 'ties_by_first'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            log: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the probability of a tie given the position of the first relevant item."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def tie_probability(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            log: bool = True,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the probability of a tie given the position of the first relevant item."""

    @property
    def plot(self) -> _Plot: ...

class TiesByRecallIreval(Ireval):
    """The verbs of a table of the kind 'ties_by_recall'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            levels: int | None = 20,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the fraction of tied pairs at each recall level, one line per measure or collection."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def ties_by_recall(
            self,
            *,
            ax: Axes | None = None,
            value: str | None = None,
            group: str | None = None,
            levels: int | None = 20,
            legend: Literal["inside", "right", "below", "above"] | None = "inside",
        ) -> Axes:
            """Return axes with the fraction of tied pairs at each recall level, one line per measure or collection."""

    @property
    def plot(self) -> _Plot: ...

class ToLabelIreval(Ireval):
    """The verbs of a table of the kind 'to_label'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class UnjudgedValuesIreval(Ireval):
    """The verbs of a table of the kind 'unjudged_values'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class UsersIreval(Ireval):
    """The verbs of a table of the kind 'users'."""

    def behavior(
        self,
        measures: Sequence[str] | str | None = None,
        *,
        aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
        unit: Literal["query", "session", "user"] | None = None,
        winsorize: float | None = None,
        interval: Literal["auto", "bootstrap"] = "auto",
        confidence: float = 0.95,
        draws: int = 10000,
        seed: int | None = 0,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the behavior measures of every bucket, with confidence intervals."""

    def check_order(
        self,
        order: Sequence[object],
        measures: Sequence[str] | str | None = None,
        *,
        aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
        unit: Literal["query", "session", "user"] | None = None,
        test: Literal["auto", "welch", "delta", "mann-whitney", "bootstrap"] = "auto",
        correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
        alpha: float = 0.05,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return, per behavior measure, whether the buckets follow a hypothesized order from best to worst."""

    class _CompareBuckets:
        """Verbs of compare_buckets."""

        def __call__(
            self,
            measures: Sequence[str] | str | None = None,
            *,
            order: Sequence[object] | None = None,
            aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
            unit: Literal["query", "session", "user"] | None = None,
            test: Literal["auto", "welch", "delta", "mann-whitney", "bootstrap"] = "auto",
            pre: object = None,
            covariate: str | None = None,
            sequential: int | None = None,
            winsorize: float | None = None,
            lift: Literal["delta", "fieller"] | None = None,
            shares: Mapping[object, float] | None = None,
            correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
            alpha: float = 0.05,
            draws: int = 10000,
            seed: int | None = 0,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return a two-sample test of every pair of buckets on every behavior measure."""

        def aa_test(
            self,
            measures: Sequence[str] | str | None = None,
            *,
            aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
            unit: Literal["query", "session", "user"] | None = None,
            test: Literal["auto", "welch", "delta", "mann-whitney", "bootstrap"] = "auto",
            pre: object = None,
            covariate: str | None = None,
            sequential: int | None = None,
            share: float = 0.5,
            alpha: float = 0.05,
            confidence: float = 0.95,
            draws: int = 1000,
            seed: int | None = 0,
            progress: bool | None = None,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the type I error rate of the tests of two buckets, one row per measure."""

        def sample_size(
            self,
            measures: Sequence[str] | str | None = None,
            *,
            difference: float | None = None,
            lift: float | None = None,
            aggregate: Literal["mean", "median", "ratio"] | Mapping[str, Literal["mean", "median", "ratio"]] | None = None,
            unit: Literal["query", "session", "user"] | None = None,
            winsorize: float | None = None,
            share: float = 0.5,
            alpha: float = 0.05,
            power: float = 0.8,
            by: str | Sequence[str] | None = None,
            metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
        ) -> pd.DataFrame:
            """Return the number of users that a test of two buckets needs, and the difference that the log can detect."""

    @property
    def compare_buckets(self) -> _CompareBuckets: ...

    def sample_ratio(
        self,
        *,
        shares: Mapping[object, float] | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the observed and expected number of users of each bucket, with the test of a sample-ratio mismatch."""

class VotesIreval(Ireval):
    """The verbs of a table of the kind 'votes'."""

    def leaderboard(
        self,
        *,
        method: str | Sequence[str] = "bradley-terry(prior=0.01)",
        correction: Literal["bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", "fdr_bh", "fdr_by", "fdr_tsbh", "fdr_tsbky", "fdr_gbs", "none"] | None = "holm",
        alpha: float = 0.05,
        resample: str | Sequence[str] | None = None,
        errors: Literal["bootstrap", "sandwich"] = "bootstrap",
        scale: Literal["own", "elo"] = "own",
        draws: int = 1000,
        confidence: float = 0.95,
        rank_interval: Literal["marginal", "joint", "percentile"] = "marginal",
        seed: int | None = 0,
        progress: bool | None = None,
        by: str | Sequence[str] | None = None,
        metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """Return the systems of a vote log in order, with intervals of rank and score, and tiers."""

class WideSummaryIreval(Ireval):
    """The verbs of a table of the kind 'wide_summary'."""

    def add_metadata(self, metadata: pd.DataFrame, *, on: str | Sequence[str] | None = None) -> pd.DataFrame:
        """Return the table with the columns of metadata about its runs or queries, and its attributes."""

class WinsIreval(Ireval):
    """The verbs of a table of the kind 'wins'."""

    class _Plot:
        """Verbs of plot."""

        def __call__(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            baseline: object = None,
            per: Literal["pair", "run"] | None = None,
            sort: bool = True,
        ) -> Axes:
            """Return axes with one horizontal bar per pair or run: the percentages of queries won, tied and lost."""

        def panels(
            self,
            *,
            by: str | Sequence[str] | None = None,
            plot: str | None = None,
            columns: int = 3,
            options: Mapping[str, Any] | None = None,
        ) -> Figure:
            """Return a figure with a panel for each collection or segment of a table, in natural order, on one scale."""

        def win_loss_tie(
            self,
            *,
            ax: Axes | None = None,
            measure: str | None = None,
            baseline: object = None,
            per: Literal["pair", "run"] | None = None,
            sort: bool = True,
        ) -> Axes:
            """Return axes with one horizontal bar per pair or run: the percentages of queries won, tied and lost."""

    @property
    def plot(self) -> _Plot: ...

    def report(
        self,
        *,
        columns: Sequence[str] | None = None,
        group: str | None = None,
        by: str | Sequence[str] | None = None,
        across: str | Sequence[str] | None = None,
        value: str | None = None,
        average: Literal["row", "mean", "range"] | None = None,
        percent: bool = False,
        digits: int | Mapping[str, int] = 3,
        names: Mapping[str, str] | None = None,
        caption: str | None = None,
        label: str | None = None,
        notes: str | Sequence[str] | None = None,
        footnotes: bool = True,
    ) -> Report:
        """Return the table as a paper prints it, every column under its header and numbers aligned."""
