"""Planning: power of the paired t-test, number of queries needed, smallest detectable difference."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import MEASURES, ScoresLike, Source, described_frame, each, sources
from pdeval.significance.noninferiority import (
    KINDS,
    fewest_queries,
    margin_of,
    margin_power,
    queries_for_margin,
)
from pdeval.significance.over_collections import (
    attrs_over_collections,
    blocks_within,
    effects_of,
    read_collections,
)
from pdeval.significance.paired_differences import Pairs
from pdeval.significance.registry import TESTS
from pdeval.tables import describe, ratio, table
from pdeval.verbs import arguments, optimize, special, verb

Goal = Literal["noninferiority", "equivalence"]
MEANS = {
    "n": "number of queries of the pilot",
    "sd": "standard deviation of the differences per query",
    "difference": "the given true difference, or the observed one",
    "effect_size": "difference / sd",
    "margin": "margin of non-inferiority or equivalence",
    "n_queries": "number of queries of the planned experiment",
    "power": "probability that the paired t-test detects the difference",
}
UNREPORTED = "a plan is read, not printed"
UNDRAWN = "a plan is read, not drawn"
table(
    "power",
    "run_a run_b measure n:int sd:float difference:float effect_size:float [margin:float] alpha:float n_queries:int "
    "power:float",
    "table of power",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means=MEANS,
    no_report=UNREPORTED,
    no_plot=UNDRAWN,
)
table(
    "sample_size",
    "run_a run_b measure n:int sd:float difference:float effect_size:float [margin:float] alpha:float power:float "
    "queries_needed:float",
    "table of queries needed",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means={
        **{name: text for name, text in MEANS.items() if name != "n_queries"},
        "power": "required power",
        "queries_needed": "smallest number of queries with this power; infinite for no difference",
    },
    no_report=UNREPORTED,
    no_plot=UNDRAWN,
)
table(
    "detectable_difference",
    "run_a run_b measure n:int sd:float difference:float alpha:float power:float n_queries:int effect_size:float "
    "detectable:float",
    "table of detectable differences",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means={
        **{name: text for name, text in MEANS.items() if name != "margin"},
        "difference": "the observed one",
        "power": "required power",
        "effect_size": "smallest detectable effect size",
        "detectable": "effect_size x sd: the smallest detectable difference",
    },
    no_report=UNREPORTED,
    no_plot=UNDRAWN,
)


@verb(on=("scores", "preferences", "judged"), per_measure=True, returns="power", independent=True)
def power(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    difference: float | None = None,
    n_queries: int | None = None,
    margin: float | None = None,
    goal: Goal = "noninferiority",
    alpha: float = 0.05,
    baseline: object = None,
) -> pd.DataFrame:
    """Return the power of the paired t-test, per measure and pair of runs.

    The given data are the pilot study, which estimates the standard deviation of the differences per query.

    Parameters
    ----------
    difference : float, optional
        True difference, in the unit of the measure. By default the observed difference, for which the power only
        restates the p-value. Specify the smallest difference that matters in practice.
    n_queries : int, optional
        Number of queries of the planned experiment; by default the number in the data.
    margin : float, optional
        Margin in the unit of the measure. The power is then that of the test of non-inferiority or equivalence of
        `compare(margin=...)`, for a true difference of 0 unless `difference` is given.
    goal : {'noninferiority', 'equivalence'}
        Which test against the margin.
    alpha : float
        Significance level, two-sided without a margin and one-sided with one. For a Bonferroni correction of m
        comparisons, use 0.05 / m.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> planned = scores.ireval.power(difference=0.02, n_queries=100, baseline="bm25")
    >>> planned[["run_a", "run_b", "sd", "effect_size", "n_queries", "power"]].head(3).round(3)
          run_a run_b     sd  effect_size  n_queries  power
    0  bm25+rm3  bm25  0.102        0.196        100  0.493
    1  dense-s1  bm25  0.169        0.119        100  0.217
    2  dense-s2  bm25  0.183        0.109        100  0.191
    """
    frame, effect, far = _planned(data, measures, baseline, difference, margin, goal)
    frame = frame.assign(
        alpha=alpha,
        n_queries=frame["n"] if n_queries is None else arguments.integer("n_queries", n_queries, 2),
    )
    queries = frame["n_queries"].to_numpy()
    return frame.assign(
        power=t_power(effect, queries, alpha)
        if far is None
        else margin_power(effect, far, queries, alpha, goal)
    )


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    returns="sample_size",
    family="power",
    independent=True,
)
def sample_size(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    difference: float | None = None,
    power: float = 0.8,
    margin: float | None = None,
    goal: Goal = "noninferiority",
    alpha: float = 0.05,
    baseline: object = None,
) -> pd.DataFrame:
    """Return the number of queries that the paired t-test needs, per measure and pair of runs.

    Parameters
    ----------
    difference : float, optional
        True difference, in the unit of the measure. By default the observed difference, which is subject to chance.
        Specify the smallest difference that matters in practice.
    power : float
        Required probability of detecting the difference, or of showing non-inferiority or equivalence.
    margin : float, optional
        Margin in the unit of the measure. The power is then that of the test of non-inferiority or equivalence of
        `compare(margin=...)`, for a true difference of 0 unless `difference` is given.
    goal : {'noninferiority', 'equivalence'}
        Which test against the margin.
    alpha : float
        Significance level, two-sided without a margin and one-sided with one. For a Bonferroni correction of m
        comparisons, use 0.05 / m.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> needed = scores.ireval.power.sample_size(difference=0.02, baseline="bm25")
    >>> needed[["run_a", "run_b", "sd", "effect_size", "power", "queries_needed"]].head(3).round(3)
          run_a run_b     sd  effect_size  power  queries_needed
    0  bm25+rm3  bm25  0.102        0.196    0.8           206.0
    1  dense-s1  bm25  0.169        0.119    0.8           560.0
    2  dense-s2  bm25  0.183        0.109    0.8           661.0
    """
    frame, effect, far = _planned(data, measures, baseline, difference, margin, goal)
    needed = (
        queries_needed(effect, power, alpha)
        if far is None
        else queries_for_margin(effect, far, power, alpha, goal)
    )
    return frame.assign(alpha=alpha, power=power, queries_needed=needed)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    returns="detectable_difference",
    family="power",
    independent=True,
)
def detectable_difference(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    power: float = 0.8,
    n_queries: int | None = None,
    alpha: float = 0.05,
    baseline: object = None,
) -> pd.DataFrame:
    """Return the smallest true difference that the paired t-test detects with the required power.

    Parameters
    ----------
    power : float
        Required probability of detecting the difference.
    n_queries : int, optional
        Number of queries of the planned experiment; by default the number in the data.
    alpha : float
        Two-sided significance level. For a Bonferroni correction of m comparisons, use 0.05 / m.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> result = scores.ireval.power.detectable_difference(n_queries=100, baseline="bm25")
    >>> result[["run_a", "run_b", "sd", "n_queries", "effect_size", "detectable"]].head(3).round(3)
          run_a run_b     sd  n_queries  effect_size  detectable
    0  bm25+rm3  bm25  0.102        100        0.283       0.029
    1  dense-s1  bm25  0.169        100        0.283       0.048
    2  dense-s2  bm25  0.183        100        0.283       0.052
    """
    if power <= alpha:
        raise ValueError(f"power={power!r}: expected a probability above alpha={alpha!r}.")
    frame = each(_pilot, sources(data, measures), baseline=baseline).drop(columns="effect_size")
    frame = frame.assign(
        alpha=alpha,
        power=power,
        n_queries=frame["n"] if n_queries is None else arguments.integer("n_queries", n_queries, 2),
    )
    sizes, member = np.unique(frame["n_queries"].to_numpy(), return_inverse=True)
    effect = np.array([smallest_effect(int(size), power, alpha) for size in sizes])[member]
    return frame.assign(effect_size=effect, detectable=effect * frame["sd"])


def _planned(
    data: ScoresLike,
    measures: object,
    baseline: object,
    difference: float | None,
    margin: float | None,
    goal: str,
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """Return the pilot, the effect size, and the margin in standard deviations, None without a margin."""
    arguments.one_of("goal", goal, KINDS)
    if margin is not None and difference is None:
        difference = 0.0
    frame = each(_pilot, sources(data, measures), baseline=baseline, difference=difference)
    effect = frame["effect_size"].to_numpy()
    if margin is None:
        return frame, effect, None
    width = margin_of(margin, np.full(len(frame), np.nan))
    return frame.assign(margin=width), effect, ratio(width, frame["sd"].to_numpy())


def _pilot(source: Source, *, baseline: object, difference: float | None = None) -> pd.DataFrame:
    """Return the pairs of runs: labels, n, sd, difference, effect_size."""
    pairs = Pairs.of(source, baseline=baseline)
    described = np.empty((3, len(source.measures), len(pairs)))
    for measures, numbers, D in pairs.blocks_of(range(len(source.measures)), shared=2):
        # contiguous columns: the sum of a pair is the same for any number of measures
        columns = describe(D.swapaxes(1, 2).reshape(-1, D.shape[1]).T)
        described[:, np.array(measures)[:, None], numbers] = np.reshape(
            columns, (3, len(measures), -1)
        )
    n, mean, sd = described.reshape(3, -1)
    part = {"difference": mean, "sd": sd}
    return pairs.frame([{"n": n.astype(np.int64), **_with_effect(part, difference)}])


def _with_effect(columns: dict[str, np.ndarray], difference: float | None) -> dict[str, np.ndarray]:
    """Return sd, the difference (the observed one by default) and the effect size, one value per pair."""
    sd = columns["sd"]
    mean = columns["difference"] if difference is None else np.full(len(sd), float(difference))
    return {"sd": sd, "difference": mean, "effect_size": ratio(mean, sd)}


def t_power(effect: np.ndarray, queries: np.ndarray | float, alpha: float) -> np.ndarray:
    """Return the power of the two-sided paired t-test; 1 for an infinite effect.

    Examples
    --------
    >>> t_power(np.array([0.0, 0.5, np.inf]), 50, 0.05).round(4).tolist()
    [0.05, 0.9339, 1.0]
    """
    from statsmodels.stats.power import TTestPower

    effect, n = np.broadcast_arrays(np.abs(effect), queries)
    critical, shift = special.stdtrit(n - 1, 1 - alpha / 2), effect * np.sqrt(n)
    # t = (z + shift) / s is below the critical value only if z < -8.3 or s > (shift - 8.3) / critical;
    # if both probabilities are 0 in double precision, the power is 1, and its numerical integral may fail
    slack = np.maximum(shift - 8.3, 0.0) / critical
    unsure = special.chdtrc(n - 1, (n - 1) * slack**2) > 1e-16
    larger, smaller = (
        TTestPower().power(effect[unsure], n[unsure], alpha / 2, alternative=side)
        for side in ("larger", "smaller")
    )
    power = np.ones(effect.shape)
    # the probability of a significant difference in the wrong direction underflows to NaN
    power[unsure] = larger + np.nan_to_num(smaller, nan=0.0)
    return power


def queries_needed(effect: np.ndarray, power: float, alpha: float) -> np.ndarray:
    """Return the smallest number of queries, at least 2, with the required power; infinity for no effect.

    Examples
    --------
    >>> queries_needed(np.array([0.5, 0.1, 0.0]), 0.8, 0.05).tolist()
    [34.0, 787.0, inf]
    """
    size = np.abs(effect)
    if power <= alpha:
        return np.full(size.shape, 2.0)
    needed = np.where(size == 0, np.inf, 2.0)
    nonzero = size[size > 0]
    # that of a normal distribution, and one that corrects for the estimated variance
    critical = special.ndtri(1 - alpha / 2)
    guess = ((critical + special.ndtri(power)) / nonzero) ** 2 + critical**2 / 2
    needed[size > 0] = fewest_queries(
        lambda n, case: t_power(nonzero[case], n, alpha) >= power, len(nonzero), guess=guess
    )
    return needed


def smallest_effect(n_queries: int, power: float, alpha: float) -> float:
    """Return the smallest effect size that is detected with the required power.

    Examples
    --------
    >>> round(smallest_effect(50, 0.8, 0.05), 4)
    0.4042
    """

    def missing(effect: float) -> float:
        return float(t_power(np.array([effect]), n_queries, alpha)[0]) - power

    high = 1.0
    while missing(high) < 0:
        high *= 2
    return float(optimize.brentq(missing, 0.0, high, xtol=1e-10))


table(
    "collections_needed",
    "run_a run_b measure collections:int sd:float difference:float effect_size:float alpha:float power:float "
    "collections_needed:float",
    "table of collections needed",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means={
        "collections": "number of collections in the data",
        "sd": "standard deviation of the collections' mean differences",
        "difference": "the given true macro difference, or the observed one",
        "effect_size": "difference / sd",
        "power": "required power",
        "collections_needed": "smallest number of collections with this power; infinite for no difference",
    },
    no_report="a plan is read, not printed",
    no_plot="a plan is read, not drawn",
)


@verb(
    on=("scores", "preferences", "judged"),
    returns="collections_needed",
    family="meta_analysis",
    name="sample_size",
)
def collections_needed(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    by: str | Sequence[str],
    metadata: pd.DataFrame | Sequence[pd.DataFrame] | None = None,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline: object = None,
    replicate: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the number of collections that a meta-analysis needs, per measure and pair of runs.

    The given collections are the pilot study: their mean differences estimate the standard deviation between
    collections. New collections are assumed to be similar, with about the same number of queries. The number is one
    more than a t-test of their means needs: the hierarchical bootstrap of `meta_analysis` has less power. In
    simulations with 5, 7 and 11 collections, the power was 0.93, 0.87 and 0.83 for a wanted 0.8.

    Parameters
    ----------
    by : str or list of str
        Column(s) that identify collections.
    difference : float, optional
        True macro difference, in the unit of the measure; by default the observed one.
    power : float
        Required probability of detecting the difference.
    alpha : float
        Two-sided significance level. For a Bonferroni correction of m comparisons, use 0.05 / m.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> sixths = scores.assign(collection=scores["query_id"].astype(int) % 6)  # six collections, for the example
    >>> needed = sixths.ireval.meta_analysis.sample_size(by="collection", difference=0.05, baseline="bm25")
    >>> needed[["run_a", "run_b", "collections", "sd", "effect_size", "collections_needed"]].head(3).round(3)
          run_a run_b  collections     sd  effect_size  collections_needed
    0  bm25+rm3  bm25            6  0.034        1.487                 7.0
    1  dense-s1  bm25            6  0.063        0.789                16.0
    2  dense-s2  bm25            6  0.055        0.912                13.0
    """
    collections, pairs = read_collections(
        data, measures, by, replicate, baseline, "collections", metadata
    )
    parts = []
    for measure in range(len(collections.source.measures)):
        effects = (
            (numbers, effects_of(blocks, TESTS["t"], confidence=0.95, draws=1, seed=0))
            for numbers, blocks in blocks_within(collections, pairs, measure)
        )
        columns = pairs.gather(
            (numbers, dict(zip(("n", "difference", "sd"), describe(one["difference"]))))
            for numbers, one in effects
        )
        columns = {"collections": columns["n"], **_with_effect(columns, difference)}
        effect = columns["effect_size"]
        needed = np.full(len(pairs), np.nan)
        known = ~np.isnan(effect)
        needed[known] = queries_needed(effect[known], power, alpha) + 1
        wanted = {"alpha": alpha, "power": power}
        columns |= {name: np.full(len(pairs), value) for name, value in wanted.items()}
        parts.append(columns | {"collections_needed": needed})
    return described_frame(pairs.frame(parts), attrs_over_collections(collections))
