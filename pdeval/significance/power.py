"""Planning: power of the paired t-test, queries needed, smallest difference that would be found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, Source, each, sources
from pdeval.significance.over_collections import (
    Effects,
    attrs_over_collections,
    blocks_within,
    effects_of,
    pairwise_test,
    read_collections,
)
from pdeval.significance.paired_differences import Pairs, concatenated
from pdeval.tables.equal_values import describe, ratio
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb

MEANS = {
    "n": "number of queries of the pilot",
    "sd": "standard deviation of the differences per query",
    "difference": "the difference asked about, or the observed one",
    "effect_size": "difference / sd",
    "queries": "number of queries of the planned experiment",
    "power": "chance that the paired t-test finds the difference",
}
UNREPORTED = "a plan is read, not printed"
UNDRAWN = "a plan is read, not drawn"
table(
    "power",
    "run_a run_b measure n:int sd:float difference:float effect_size:float alpha:float queries:int power:float",
    "table of power",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means=MEANS,
    unreported=UNREPORTED,
    undrawn=UNDRAWN,
)
table(
    "sample_size",
    "run_a run_b measure n:int sd:float difference:float effect_size:float alpha:float power:float "
    "queries_needed:float",
    "table of queries needed",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means={
        **{name: text for name, text in MEANS.items() if name != "queries"},
        "power": "wanted chance",
        "queries_needed": "fewest that find it; infinite for no difference",
    },
    unreported=UNREPORTED,
    undrawn=UNDRAWN,
)
table(
    "detectable_difference",
    "run_a run_b measure n:int sd:float difference:float alpha:float power:float queries:int effect_size:float "
    "detectable:float",
    "table of detectable differences",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    means={
        **MEANS,
        "difference": "the observed one",
        "power": "wanted chance",
        "effect_size": "the smallest that is found",
        "detectable": "effect_size x sd: the smallest difference that is found",
    },
    unreported=UNREPORTED,
    undrawn=UNDRAWN,
)


@verb(on=("scores", "preferences", "judged"), per_measure=True, gives="power", independent=True)
def power(
    data: Held,
    measures: object = MEASURES,
    *,
    difference: float | None = None,
    queries: int | None = None,
    alpha: float = 0.05,
    baseline: object = None,
) -> pd.DataFrame:
    """Return the chance that the paired t-test finds a difference, per measure and pair of runs.

    What is at hand is the pilot, which gives the standard deviation of the differences per query.

    Parameters
    ----------
    difference : float, optional
        The true difference, in the measure's units. By default the observed one, which makes the power a mere
        restatement of the p-value; name the difference that matters instead.
    queries : int, optional
        Number of queries of the planned experiment; by default as many as there are.
    alpha : float
        Two-sided level. For Bonferroni over m comparisons give 0.05 / m.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> planned = scores.ireval.power(difference=0.02, queries=100, baseline="bm25")
    >>> planned[["run_a", "run_b", "sd", "effect_size", "queries", "power"]].head(3).round(3)
          run_a run_b     sd  effect_size  queries  power
    0  bm25+rm3  bm25  0.102        0.196      100  0.493
    1  dense-s1  bm25  0.169        0.119      100  0.217
    2  dense-s2  bm25  0.183        0.109      100  0.191
    """
    frame = each(_pilot, sources(data, measures), baseline=baseline, difference=difference)
    frame = frame.assign(
        alpha=alpha,
        queries=frame["n"] if queries is None else arguments.whole("queries", queries, 2),
    )
    return frame.assign(
        power=t_power(frame["effect_size"].to_numpy(), frame["queries"].to_numpy(), alpha)
    )


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    gives="sample_size",
    family="power",
    formerly="sample_size",
    independent=True,
)
def sample_size(
    data: Held,
    measures: object = MEASURES,
    *,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline: object = None,
) -> pd.DataFrame:
    """Return the fewest queries with which the paired t-test finds a difference, per measure and pair of runs.

    Parameters
    ----------
    difference : float, optional
        The true difference, in the measure's units. By default the observed one, which chance has made larger or
        smaller; name the difference that matters instead.
    power : float
        Wanted chance of finding the difference.
    alpha : float
        Two-sided level. For Bonferroni over m comparisons give 0.05 / m.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> needed = scores.ireval.power.sample_size(difference=0.02, baseline="bm25")
    >>> needed[["run_a", "run_b", "sd", "effect_size", "power", "queries_needed"]].head(3).round(3)
          run_a run_b     sd  effect_size  power  queries_needed
    0  bm25+rm3  bm25  0.102        0.196    0.8           206.0
    1  dense-s1  bm25  0.169        0.119    0.8           560.0
    2  dense-s2  bm25  0.183        0.109    0.8           661.0
    """
    frame = each(_pilot, sources(data, measures), baseline=baseline, difference=difference)
    return frame.assign(
        alpha=alpha,
        power=power,
        queries_needed=queries_needed(frame["effect_size"].to_numpy(), power, alpha),
    )


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    gives="detectable_difference",
    family="power",
    formerly="detectable_difference",
    independent=True,
)
def detectable_difference(
    data: Held,
    measures: object = MEASURES,
    *,
    power: float = 0.8,
    queries: int | None = None,
    alpha: float = 0.05,
    baseline: object = None,
) -> pd.DataFrame:
    """Return the smallest true difference that the paired t-test finds with the wanted power.

    Parameters
    ----------
    power : float
        Wanted chance of finding it.
    queries : int, optional
        Number of queries of the planned experiment; by default as many as there are.
    alpha : float
        Two-sided level. For Bonferroni over m comparisons give 0.05 / m.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> found = scores.ireval.power.detectable_difference(queries=100, baseline="bm25")
    >>> found[["run_a", "run_b", "sd", "queries", "effect_size", "detectable"]].head(3).round(3)
          run_a run_b     sd  queries  effect_size  detectable
    0  bm25+rm3  bm25  0.102      100        0.283       0.029
    1  dense-s1  bm25  0.169      100        0.283       0.048
    2  dense-s2  bm25  0.183      100        0.283       0.052
    """
    if power <= alpha:
        raise ValueError(f"power={power!r}: give a chance above alpha={alpha!r}.")
    frame = each(_pilot, sources(data, measures), baseline=baseline).drop(columns="effect_size")
    frame = frame.assign(
        alpha=alpha,
        power=power,
        queries=frame["n"] if queries is None else arguments.whole("queries", queries, 2),
    )
    sizes, member = np.unique(frame["queries"].to_numpy(), return_inverse=True)
    effect = np.array([smallest_effect(int(size), power, alpha) for size in sizes])[member]
    return frame.assign(effect_size=effect, detectable=effect * frame["sd"])


def _pilot(source: Source, *, baseline: object, difference: float | None = None) -> pd.DataFrame:
    """Return the pairs of runs: labels, n, sd, difference, effect_size."""
    pairs = Pairs.of(source, baseline=baseline)
    names = ("n", "difference", "sd")
    parts = [
        pairs.gather(
            (numbers, dict(zip(names, describe(D))))
            for numbers, D in pairs.blocks(measure, shared=2)
        )
        for measure in range(len(source.measures))
    ]
    columns = concatenated(parts)
    if difference is not None:
        columns["difference"] = np.full(len(columns["n"]), float(difference))
    columns["effect_size"] = ratio(columns["difference"], columns["sd"])
    return pairs.frame([{name: columns[name] for name in ("n", "sd", "difference", "effect_size")}])


def t_power(effect: np.ndarray, queries: np.ndarray | float, alpha: float) -> np.ndarray:
    """Return the power of the two-sided paired t-test; 1 for an infinite effect.

    Examples
    --------
    >>> t_power(np.array([0.0, 0.5, np.inf]), 50, 0.05).round(4).tolist()
    [0.05, 0.9339, 1.0]
    """
    from scipy import special
    from statsmodels.stats.power import TTestPower

    effect, n = np.broadcast_arrays(np.abs(effect), queries)
    critical, shift = special.stdtrit(n - 1, 1 - alpha / 2), effect * np.sqrt(n)
    # t = (z + shift) / s stays below the critical value only if z < -8.3 or s > (shift - 8.3) / critical;
    # where both have no chance in double precision the power is 1, and the integral behind it may fail
    slack = np.maximum(shift - 8.3, 0.0) / critical
    unsure = special.chdtrc(n - 1, (n - 1) * slack**2) > 1e-16
    larger, smaller = (
        TTestPower().power(effect[unsure], n[unsure], alpha / 2, alternative=side)
        for side in ("larger", "smaller")
    )
    power = np.ones(effect.shape)
    # the chance of a significant difference in the wrong direction underflows to NaN
    power[unsure] = larger + np.nan_to_num(smaller, nan=0.0)
    return power


def queries_needed(effect: np.ndarray, power: float, alpha: float) -> np.ndarray:
    """Return the smallest number of queries, at least 2, with the wanted power; infinity for no effect.

    Examples
    --------
    >>> queries_needed(np.array([0.5, 0.1, 0.0]), 0.8, 0.05).tolist()
    [34.0, 787.0, inf]
    """
    size = np.abs(effect)
    if power <= alpha:
        return np.full(size.shape, 2.0)
    needed = np.where(size == 0, np.inf, 2.0)
    unmet = np.flatnonzero((size > 0) & (t_power(size, 2, alpha) < power))
    # double until all reach the power, then bisect all at once
    high = np.full(len(unmet), 4.0)
    while (short := t_power(size[unmet], high, alpha) < power).any():
        high = np.where(short, 2 * high, high)
    low = high / 2  # too few, always
    while True:
        middle = np.floor((low + high) / 2)
        if not (
            (low < middle) & (middle < high)
        ).any():  # also beyond 2**53, where neighbours are more than 1 apart
            break
        reached = t_power(size[unmet], middle, alpha) >= power
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    needed[unmet] = high
    return needed


def smallest_effect(queries: int, power: float, alpha: float) -> float:
    """Return the smallest effect size that so many queries find with the wanted power.

    Examples
    --------
    >>> round(smallest_effect(50, 0.8, 0.05), 4)
    0.4042
    """
    from scipy import optimize

    def missing(effect: float) -> float:
        return float(t_power(np.array([effect]), queries, alpha)[0]) - power

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
        "collections": "number of collections at hand",
        "sd": "standard deviation of the collections' mean differences",
        "difference": "the macro difference asked about, or the observed one",
        "effect_size": "difference / sd",
        "power": "wanted chance of finding it",
        "collections_needed": "fewest that find it, each with about as many queries; infinite for no difference",
    },
    unreported="a plan is read, not printed",
    undrawn="a plan is read, not drawn",
)


@verb(
    on=("scores", "preferences", "judged"),
    gives="collections_needed",
    family="verdict",
    name="sample_size",
)
def collections_needed(
    data: Held,
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
    """Return how many collections a verdict needs to find a difference, per measure and pair of runs.

    The collections at hand are the pilot: their mean differences give the standard deviation between collections, and
    new ones are taken to be like them, with about as many queries.

    Parameters
    ----------
    by : str or list of str
        The column(s) that tell collections apart.
    difference : float, optional
        The true macro difference, in the measure's units; by default the observed one.
    power : float
        Wanted chance of finding the difference.
    alpha : float
        Two-sided level. For Bonferroni over m comparisons give 0.05 / m.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> sixths = scores.assign(collection=scores["query_id"].astype(int) % 6)  # six collections, for the example
    >>> needed = sixths.ireval.verdict.sample_size(by="collection", difference=0.05, baseline="bm25")
    >>> needed[["run_a", "run_b", "collections", "sd", "effect_size", "collections_needed"]].head(3).round(3)
          run_a run_b  collections     sd  effect_size  collections_needed
    0  bm25+rm3  bm25            6  0.034        1.487                 6.0
    1  dense-s1  bm25            6  0.063        0.789                15.0
    2  dense-s2  bm25            6  0.055        0.912                12.0
    """
    collections, pairs = read_collections(
        data, measures, by, replicate, baseline, "collections", metadata
    )
    t = pairwise_test("t", "", {})
    parts = []
    for measure in range(len(collections.source.measures)):
        effects = (
            (numbers, effects_of(blocks, t, confidence=0.95, draws=1, seed=0))
            for numbers, blocks in blocks_within(collections, pairs, measure)
        )
        columns = pairs.gather((numbers, _spread(one)) for numbers, one in effects)
        if difference is not None:
            columns["difference"] = np.full(len(pairs), arguments.finite("difference", difference))
        effect = ratio(columns["difference"], columns["sd"])
        needed = np.full(len(pairs), np.nan)
        known = ~np.isnan(effect)
        needed[known] = queries_needed(effect[known], power, alpha)
        wanted = {
            "effect_size": effect,
            "alpha": np.full(len(pairs), alpha),
            "power": np.full(len(pairs), power),
        }
        parts.append(columns | wanted | {"collections_needed": needed})
    frame = pairs.frame(parts)
    frame.attrs = attrs_over_collections(collections)
    return frame


def _spread(effects: Effects) -> dict[str, np.ndarray]:
    """Return number, standard deviation and mean of the differences over the collections of each pair."""
    k = effects.there.sum(axis=0)
    with np.errstate(invalid="ignore"):  # nothing of nothing is NaN
        mean = np.where(effects.there, effects.difference, 0.0).sum(axis=0) / k
        away = np.where(effects.there, effects.difference - mean, 0.0)
        sd = np.sqrt(np.square(away).sum(axis=0) / np.where(k > 1, k - 1, np.nan))
    return {"collections": k, "sd": sd, "difference": mean}
