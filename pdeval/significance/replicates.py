"""Systems with replicates: variance components, and comparisons with random replicates."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate import (
    MEASURES,
    Scores,
    ScoresLike,
    finite,
    group_means,
    option_columns,
    place_of,
    replicated_systems,
    sources,
    stacked,
    tables_of,
    warn_partial_replicates,
)
from pdeval.join import outside
from pdeval.significance.anova import rows_per_measure
from pdeval.significance.corrections import (
    Correction,
    adjust,
    single_step_level,
    which_correction,
)
from pdeval.significance.paired_differences import (
    Pairs,
    complete_queries,
    concatenated,
)
from pdeval.significance.registry import Outcome, with_correction
from pdeval.significance.variance_components import Seeds, fitted, squares_of
from pdeval.tables import NOISE, describe, ratio, run_labels, settled, table
from pdeval.verbs import TooFew, special, verb

SOURCES = ("query", "system x query", "replicate", "residual")
THIS_TRAINING = "Is this way of training different? Queries and replicates are both random."
TEST = "replicates"  # name of the test in comparisons

table(
    "components",
    "measure source variance:float sd:float fraction:fraction difference_fraction:fraction",
    "table of variance components",
    recognized_by="measure source variance difference_fraction",
    row="measure and source of variance",
    sort="measure",
    then=".report(), .plot()",
    means={
        "source": "'query', 'system x query', 'replicate' (within a system) or 'residual' (replicate x query)",
        "variance": "variance of one value that is due to the source",
        "sd": "its square root, in the unit of the measure",
        "fraction": "fraction of the variance of one value",
        "difference_fraction": "fraction of the variance of the difference of two systems, each trained once",
    },
)


@verb(on=("scores", "judged"), per_measure=True, returns="components")
def replicates(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    replicate: str | Sequence[str] | None = None,
    system: str | Sequence[str] | None = None,
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    deterministic: object = None,
) -> pd.DataFrame:
    """Return the variance components of each measure: query, system x query, replicate and residual.

    `difference_fraction` splits the variance of the difference of two systems, each trained once: more
    seeds reduce the fraction of 'replicate', more queries the other fractions.

    Parameters
    ----------
    replicate : str or list of str, optional
        Run column(s) that distinguish replicates of a system; by default those named seed, fold, trial or run_id.
    system : str or list of str, optional
        Column(s) of the run, or of `metadata`, that identify the system; by default all other run columns.
    metadata : DataFrame or list of them, optional
        Table(s) with one row per run, for `system`, or per query or run, for `by`.
    deterministic : system, tuple of ids, or list of them, optional
        Deterministic systems, such as BM25, whose replicates would all equal their single run.

    Raises
    ------
    ValueError
        No system has two replicates; fewer than two queries common to all runs; infinite values.

    Notes
    -----
    The mean of a system is fixed; query, system x query, replicate within system and residual are random. If all
    systems have the same number of replicates, the components are those of the analysis of variance with expected mean
    squares; else they maximize the restricted likelihood, as in statsmodels' MixedLM. Negative components are 0 and
    pooled. Queries without a value for some run are dropped, with a warning.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> scores = runs.ireval.measure(qrels, "AP", queries="common")
    >>> trained = scores[scores["run"].str.contains("-s[12]")]
    >>> trained.ireval.replicates(system="model", metadata=metadata).round(4)
      measure          source  variance      sd  fraction  difference_fraction
    0      AP           query    0.0182  0.1347    0.5749                  NaN
    1      AP  system x query    0.0098  0.0988    0.3089               0.7268
    2      AP       replicate    0.0000  0.0000    0.0000               0.0000
    3      AP        residual    0.0037  0.0605    0.1161               0.2732
    """
    frames = []
    for source in _scored(data, measures):
        systems, code, exact = _systems(source, replicate, system, metadata, deterministic)
        shares = [_shares(source, number, code, exact) for number in range(len(source.measures))]
        frame = rows_per_measure(source, "source", SOURCES, shares)
        frame.attrs.update(_about_systems(systems, code))
        frames.append(frame)
    return stacked(frames)


@verb(on=("scores", "judged"), returns="comparisons", family="replicates", name="compare")
def compare_training(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    replicate: str | Sequence[str] | None = None,
    system: str | Sequence[str] | None = None,
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    deterministic: object = None,
    baseline: object = None,
    correction: Correction | None = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return the comparisons of pairs of systems with random replicates, per measure.

    `compare(replicate=...)` tests whether the trained models differ: queries are random, seeds are fixed. Here seeds
    are random too, so a difference that may not occur with other seeds is not significant. `attrs["question"]` of both
    results is the question that they answer.

    Parameters
    ----------
    replicate : str or list of str, optional
        Run column(s) that distinguish replicates of a system; by default those named seed, fold, trial or run_id.
    system : str or list of str, optional
        Column(s) of the run, or of `metadata`, that identify the system; by default all other run columns.
    metadata : DataFrame or list of them, optional
        Table(s) with one row per run, for `system`, or per query or run, for `by`.
    deterministic : system, tuple of ids, or list of them, optional
        Deterministic systems, such as BM25, whose replicates would all equal their single run.
    baseline : system, tuple of ids, or list of them, optional
        Compare each system only with this one, which becomes `run_b`.
    correction : str or None
        ... All rows of a measure are corrected together. Holm's is the default: max-t has random signs of queries, but
        none of replicates.
    confidence : float
        ... They are simultaneous, as in `compare`.

    Raises
    ------
    ValueError
        Fewer than two systems; no system with two replicates; fewer than two queries in common for some pair.

    Notes
    -----
    A t-test with the degrees of freedom of Satterthwaite (`df`). The variance is that of the differences per query, as
    in `compare(replicate=...)`, plus the variance of the replicates of each of the two systems: the result of a pair
    does not depend on other systems, and its interval is never narrower than that of `compare(replicate=...)`. A query
    counts if all runs of both systems have it; `n` counts queries. The effect size is Cohen's d of the differences. A
    system with one replicate is assumed to have the replicate variance of the other system; if both have one, the pair
    has no p-value.

    In simulations, the type I error rate at 5% was 4 to 5% if the seeds of all systems have one variance; if those of
    one system vary five times as much as those of the other, it was 6% with five seeds, 7% with three and 9% with two.

    References
    ----------
    Satterthwaite (1946), An approximate distribution of estimates of variance components.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> scores = runs.ireval.measure(qrels, "AP", queries="common")
    >>> trained = scores[scores["run"].str.contains("-s[12]")]
    >>> result = trained.ireval.replicates.compare(system="model", metadata=metadata)
    >>> result[["model_a", "model_b", "n", "difference", "df", "p_value", "significant"]].round(4)
      model_a model_b   n  difference    df  p_value  significant
    0   dense  rerank  48     -0.1226  47.0   0.0000         True
    1   dense  splade  48     -0.0266  47.0   0.2805        False
    2  rerank  splade  48      0.0960  47.0   0.0000         True
    >>> result.attrs["question"]
    'Is this way of training different? Queries and replicates are both random.'
    """
    correction, frames = which_correction(correction), []  # type: ignore[assignment]
    for source in _scored(data, measures):
        systems, code, exact = _systems(source, replicate, system, metadata, deterministic)
        if len(systems) < 2:
            raise TooFew(f"a comparison needs at least two systems, found {len(systems)}.")
        single = np.flatnonzero((np.bincount(code, minlength=len(systems)) == 1) & ~exact)
        if len(single):
            name = run_labels(systems)[single[0]]
            more = f" and {len(single) - 1} more have" if len(single) > 1 else " has"
            warnings.warn(
                f"{name!r}{more} one replicate; the variance is assumed to be that of the system it is compared with. "
                "Pass deterministic systems as deterministic=.",
                UserWarning,
                stacklevel=outside(),
            )
        warn_partial_replicates(source, systems, code, ["replicate"])
        pairs = Pairs.of(
            replace(source, runs=systems, values=group_means(source.values, code, len(systems))),
            baseline=baseline,
        )
        parts = []
        for number, label in enumerate(source.measures):
            seeds = Seeds.of(settled(finite(source.values[number], label)), code, exact)
            level = single_step_level(str(correction), 1 - confidence, len(pairs))
            parts.append(pairs.gather(_tested(pairs, number, seeds, 1 - level)))
        columns = concatenated(parts)
        family = np.repeat(np.arange(len(parts)), len(pairs))
        adjusted = adjust(columns["p_value"], family, correction=str(correction), alpha=alpha)
        agree = abs(confidence + alpha - 1) < NOISE
        columns = with_correction(columns, adjusted, alpha, agree=agree)
        frame = pairs.frame([columns], [TEST] * len(parts))
        frame.attrs.update(_about_systems(systems, code))
        frames.append(frame)
    frame = stacked(frames)
    frame.attrs.update(
        correction=correction,
        family="measure" if baseline is None else "baseline",
        simultaneous=correction != "none",
        alpha=alpha,
        confidence=confidence,
        question=THIS_TRAINING,
    )
    return frame


def _scored(data: ScoresLike, measures: object) -> list[Scores]:
    """Return the scores of a table or a join, or raise for preferences, which have no value per run."""
    cubes = sources(data, measures)
    for cube in cubes:
        if not isinstance(cube, Scores):
            raise ValueError(
                f"replicates() requires a score per run and query; {cube.measures[0]!r} is a preference between runs. "
                "Use compare(replicate=...), which accepts preferences."
            )
    return cubes  # type: ignore[return-value]


def _systems(
    source: Scores, replicate: Any, system: Any, metadata: Any, deterministic: Any
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Return the systems, the system of every run, and which systems are deterministic."""
    replicate = [] if replicate is None else option_columns(replicate, "replicate")
    system = [] if system is None else option_columns(system, "system")
    systems, code = replicated_systems(source.runs, replicate, system, tables_of(metadata))
    counts = np.bincount(code, minlength=len(systems))
    if len(code) == len(systems):
        raise TooFew(
            f"every system has only one replicate ({len(code)} runs, {len(systems)} systems). At least one system "
            "needs two to estimate the variance between replicates. To compare the runs as they are, use compare()."
        )
    exact = np.zeros(len(systems), dtype=bool)
    several = isinstance(deterministic, list | set | frozenset | np.ndarray | pd.Series | pd.Index)
    for one in deterministic if several else [deterministic]:
        if one is None:
            continue
        position = place_of(systems, one, "deterministic system")
        if counts[position] > 1:
            raise ValueError(
                f"deterministic= contains {run_labels(systems)[position]!r}, which has {counts[position]} replicates. "
                "Keep one of its runs, or omit it from deterministic=."
            )
        exact[position] = True
    return systems, code, exact


def _shares(
    source: Scores, measure: int, code: np.ndarray, exact: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the columns of one measure: its variance components, and the fractions that they are."""
    label = source.measures[measure]
    values = settled(finite(source.values[measure], label))
    counted = complete_queries(values, label, "replicates()")
    variance = fitted(squares_of(values[counted], code, exact))
    # the query is the same for both systems, so it adds nothing to the variance of a difference
    n = counted.sum()
    in_means = np.array([0.0, variance[1] / n, variance[2], variance[3] / n])
    with np.errstate(invalid="ignore"):
        share, of_difference = variance / variance.sum(), in_means / in_means.sum()
    of_difference[0] = np.nan
    return {
        "variance": variance,
        "sd": np.sqrt(variance),
        "fraction": share,
        "difference_fraction": of_difference,
    }


def _tested(
    pairs: Pairs, measure: int, seeds: Seeds, confidence: float
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Yield (numbers of pairs, columns of the t-test of each pair of systems)."""
    for numbers, D in pairs.blocks(measure, shared=2):
        n, mean, sd = describe(D)
        variance, df = seeds.spread(pairs.a[numbers], pairs.b[numbers], n, sd)
        error = np.sqrt(variance)
        statistic = np.where(np.isnan(error), np.nan, ratio(mean, error))
        p = 2 * special.stdtr(df, -np.abs(statistic))
        half = special.stdtrit(df, (1 + confidence) / 2) * error
        outcome = Outcome(
            n, mean, mean - half, mean + half, ratio(mean, sd), statistic, p, {"df": df}
        )
        sides = pairs.sides(measure, numbers, ~np.isnan(D))
        yield numbers, outcome.columns(*sides, pairs.limits(measure, D))


def _about_systems(systems: pd.DataFrame, code: np.ndarray) -> dict[Any, Any]:
    """Return the attrs that describe the systems: their columns, and the number of replicates of each."""
    return {
        "run_columns": list(map(str, systems.columns)),
        "replicates": dict(zip(run_labels(systems), np.bincount(code).tolist())),
    }
