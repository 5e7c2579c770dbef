"""Systems with replicates: how much of a difference is the seed, and is this way of training different?"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import Scores, stacked
from pdeval.evaluate.groups import named, tables_of
from pdeval.evaluate.run_selection import place_of
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import (
    Held,
    group_means,
    replicated_systems,
    sources,
    warn_partial_replicates,
)
from pdeval.join.rules import outside
from pdeval.significance.anova import rows_per_measure
from pdeval.significance.corrections import Correction, adjust, which_correction
from pdeval.significance.paired_differences import Pairs, concatenated, finite
from pdeval.significance.registry import Outcome, with_correction
from pdeval.significance.variance_components import Seeds, fitted, squares_of
from pdeval.tables.equal_values import describe, ratio, settled
from pdeval.tables.labels import run_labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import TooFew

SOURCES = ("query", "system x query", "replicate", "residual")
THIS_TRAINING = "Is this way of training different? Queries and replicates are both random."
TEST = "replicates"  # what comparisons say for the test of the model

table(
    "components",
    "measure source variance:float sd:float share:share of_difference:share",
    "table of variance components",
    known_by="measure source variance of_difference",
    row="measure and source of variance",
    sort="measure",
    then=".report(), .plot()",
    means={
        "source": "'query', 'system x query', 'replicate' (within a system) or 'residual' (replicate x query)",
        "variance": "variance of one value that is due to the source",
        "sd": "its square root, in the measure's own unit",
        "share": "share of the variance of one value",
        "of_difference": "share of the variance of the difference between the means of two systems, each trained once",
    },
)


@verb(on=("scores", "judged"), gives="components")
def replicates(
    data: Held,
    measures: object = MEASURES,
    *,
    replicate: str | Sequence[str] | None = None,
    system: str | Sequence[str] | None = None,
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    deterministic: object = None,
) -> pd.DataFrame:
    """Return how much of the variance of each measure is the query, the system on a query, the replicate, and the rest.

    `of_difference` says how much of a difference between two systems is the seed: of the variance of the difference
    between their means over these queries, each trained once, the share that more seeds would lessen ('replicate') and
    those that more queries would.

    Parameters
    ----------
    replicate : str or list of str, optional
        Column(s) of the run that tell replicates of a system apart; by default those named seed, fold, trial or run_id.
    system : str or list of str, optional
        Column(s) of the run, or of `metadata`, that name the system; by default all others of the run.
    metadata : DataFrame or list of them, optional
        What runs are, one row each, for `system`; and what queries or runs are, for `by`.
    deterministic : system, tuple of ids, or list of them, optional
        Systems without randomness, such as BM25: their one run is what every replicate would be.

    Raises
    ------
    ValueError
        No system has two replicates; fewer than two queries that all runs have; infinite values.

    Notes
    -----
    The mean of a system is fixed; query, system x query, replicate within system and residual are random. Where all
    systems have as many replicates, the components are those of the analysis of variance with expected mean squares;
    else of the restricted likelihood, as of statsmodels' MixedLM. None is negative: what would be is 0, and pooled.
    Queries that some run lacks are left out, with a warning.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> scores = runs.ireval.measure(qrels, "AP", topics="common")
    >>> trained = scores[scores["run"].str.contains("-s[12]")]
    >>> trained.ireval.replicates(system="model", metadata=metadata).round(4)
      measure          source  variance      sd   share  of_difference
    0      AP           query    0.0182  0.1347  0.5749            NaN
    1      AP  system x query    0.0098  0.0988  0.3089         0.7268
    2      AP       replicate    0.0000  0.0000  0.0000         0.0000
    3      AP        residual    0.0037  0.0605  0.1161         0.2732
    """
    frames = []
    for source in _scored(data, measures):
        systems, code = _systems(source, replicate, system, metadata)
        exact = _exact(systems, code, deterministic)
        shares = [
            _shares(*_fit(source, number, code, exact)) for number in range(len(source.measures))
        ]
        frame = rows_per_measure(source, "source", SOURCES, shares)
        frame.attrs.update(_about_systems(systems, code))
        frames.append(frame)
    return stacked(frames)


@verb(on=("scores", "judged"), gives="comparisons", family="replicates", name="compare")
def compare_training(
    data: Held,
    measures: object = MEASURES,
    *,
    replicate: str | Sequence[str] | None = None,
    system: str | Sequence[str] | None = None,
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    deterministic: object = None,
    baseline: object = None,
    correction: Correction | None = "bonferroni",
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Return one row per measure and pair of systems: whether this way of training differs, other seeds included.

    `compare(replicate=...)` asks whether these trained models are different: queries are random, seeds are fixed. Here
    seeds are random too, and a difference that other seeds would not show again is not significant. `attrs["question"]`
    of either result says which question it answers.

    Parameters
    ----------
    replicate : str or list of str, optional
        Column(s) of the run that tell replicates of a system apart; by default those named seed, fold, trial or run_id.
    system : str or list of str, optional
        Column(s) of the run, or of `metadata`, that name the system; by default all others of the run.
    metadata : DataFrame or list of them, optional
        What runs are, one row each, for `system`; and what queries or runs are, for `by`.
    deterministic : system, tuple of ids, or list of them, optional
        Systems without randomness, such as BM25: their one run is what every replicate would be.
    baseline : system, tuple of ids, or list of them, optional
        Only pairs of a system with this one, which is then `run_b`.
    correction : str or None
        ... All rows of a measure are corrected together.
    confidence : float
        ... They are not corrected for the number of comparisons.

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
    system with one replicate is taken to vary as the one that it is compared with; without any replicates the pair has
    no p-value.

    With seeds of one variance the type I error rate at 5% is at most 7%; if the seeds of one system vary five times as
    much as those of the other, it is 6% with five seeds, 7% with three and up to 12% with two.

    References
    ----------
    Satterthwaite (1946), An approximate distribution of estimates of variance components.

    Examples
    --------
    >>> import pdeval
    >>> runs, qrels, metadata = pdeval.datasets.load_sample()
    >>> scores = runs.ireval.measure(qrels, "AP", topics="common")
    >>> trained = scores[scores["run"].str.contains("-s[12]")]
    >>> found = trained.ireval.replicates.compare(system="model", metadata=metadata)
    >>> found[["model_a", "model_b", "n", "difference", "df", "p_value", "significant"]].round(4)
      model_a model_b   n  difference    df  p_value  significant
    0   dense  rerank  48     -0.1226  47.0   0.0000         True
    1   dense  splade  48     -0.0266  47.0   0.2805        False
    2  rerank  splade  48      0.0960  47.0   0.0000         True
    >>> found.attrs["question"]
    'Is this way of training different? Queries and replicates are both random.'
    """
    correction, frames = which_correction(correction), []  # type: ignore[assignment]
    for source in _scored(data, measures):
        systems, code = _systems(source, replicate, system, metadata)
        if len(systems) < 2:
            raise TooFew(f"a comparison needs at least two systems, found {len(systems)}.")
        exact = _exact(systems, code, deterministic)
        _warn_single(systems, code, exact)
        warn_partial_replicates(source, systems, code, ["replicate"])
        averages = replace(
            source, runs=systems, values=group_means(source.values, code, len(systems))
        )
        pairs = Pairs.of(averages, baseline=baseline)
        seeds = [
            Seeds.of(settled(finite(values, label)), code, exact)
            for values, label in zip(source.values, source.measures, strict=True)
        ]
        parts = [
            pairs.gather(_tested(pairs, number, one, confidence))
            for number, one in enumerate(seeds)
        ]
        columns = concatenated(parts)
        family = np.repeat(np.arange(len(parts)), len(pairs))
        adjusted = adjust(columns["p_value"], family, correction=str(correction), alpha=alpha)
        frame = pairs.frame([with_correction(columns, adjusted, alpha)], [TEST] * len(parts))
        frame.attrs.update(_about_systems(systems, code))
        frames.append(frame)
    frame = stacked(frames)
    frame.attrs.update(
        correction=correction,
        family="measure" if baseline is None else "baseline",
        alpha=alpha,
        confidence=confidence,
        question=THIS_TRAINING,
    )
    return frame


def _scored(data: Held, measures: object) -> list[Scores]:
    """Return the scores of a table or a join; preferences have no value per run."""
    cubes = sources(data, measures)
    for cube in cubes:
        if not isinstance(cube, Scores):
            raise ValueError(
                f"replicates need a score per run and query; {cube.measures[0]!r} is a preference between runs. "
                "compare(replicate=...) takes preferences."
            )
    return cubes  # type: ignore[return-value]


def _systems(source: Scores, replicate: Any, system: Any, metadata: Any) -> tuple[Any, np.ndarray]:
    """Return the systems and the system of every run, or raise where none has two replicates."""
    replicate = [] if replicate is None else named(replicate, "replicate")
    system = [] if system is None else named(system, "system")
    systems, code = replicated_systems(source.runs, replicate, system, tables_of(metadata))
    if len(code) == len(systems):
        raise TooFew(
            f"every system has one replicate ({len(code)} runs, {len(systems)} systems): how much seeds vary needs two "
            "of at least one system. compare() takes the runs as they are."
        )
    return systems, code


def _exact(systems: pd.DataFrame, code: np.ndarray, deterministic: object) -> np.ndarray:
    """Return which systems are named as having no randomness."""
    exact = np.zeros(len(systems), dtype=bool)
    if deterministic is None:
        return exact
    several = isinstance(deterministic, list | set | frozenset | np.ndarray | pd.Series | pd.Index)
    for one in deterministic if several else [deterministic]:  # type: ignore[attr-defined]
        place = place_of(systems, one, "deterministic system")
        count = int((code == place).sum())
        if count > 1:
            raise ValueError(
                f"deterministic= names {run_labels(systems)[place]!r}, which has {count} replicates; keep one."
            )
        exact[place] = True
    return exact


def _warn_single(systems: pd.DataFrame, code: np.ndarray, exact: np.ndarray) -> None:
    single = np.flatnonzero((np.bincount(code, minlength=len(systems)) == 1) & ~exact)
    if len(single):
        name = run_labels(systems)[single[0]]
        more = f" and {len(single) - 1} more have" if len(single) > 1 else " has"
        warnings.warn(
            f"{name!r}{more} one replicate, whose variance is taken to be that of the system it is compared with; name "
            "systems without randomness in deterministic=.",
            UserWarning,
            stacklevel=outside(),
        )


def _fit(
    source: Scores, measure: int, code: np.ndarray, exact: np.ndarray
) -> tuple[np.ndarray, int]:
    """Return the variances of one measure, fitted to the queries that all runs have, and the number of these."""
    label = source.measures[measure]
    values = settled(finite(source.values[measure], label))
    counted = ~np.isnan(values).any(axis=1)
    if counted.sum() < 2:
        raise TooFew(
            f"replicates need at least two queries on which every run has a value; {label!r} has {counted.sum()} of "
            f"{len(counted)}. Drop incomplete runs."
        )
    if not counted.all():
        warnings.warn(
            f"{(~counted).sum()} of {len(counted)} queries lack a value of {label!r} for some run; the model uses the "
            f"{counted.sum()} complete ones.",
            UserWarning,
            stacklevel=outside(),
        )
    return fitted(squares_of(values[counted], code, exact)), int(counted.sum())


def _shares(variance: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """Return the columns of one measure: the variances, and what they are shares of."""
    in_means = np.array(
        [0.0, variance[1] / n, variance[2], variance[3] / n]
    )  # a query is the same for both systems
    with np.errstate(invalid="ignore"):
        share, of_difference = variance / variance.sum(), in_means / in_means.sum()
    of_difference[0] = np.nan
    return {
        "variance": variance,
        "sd": np.sqrt(variance),
        "share": share,
        "of_difference": of_difference,
    }


def _tested(
    pairs: Pairs, measure: int, seeds: Seeds, confidence: float
) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """Yield (numbers of pairs, their columns): the t-test of each pair of systems."""
    from scipy import special

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
    """Return what a result says of its systems: their columns, and how many replicates each has."""
    counts = dict(zip(run_labels(systems), np.bincount(code).tolist()))
    return {"run_columns": list(map(str, systems.columns)), "replicates": counts}
