"""Practical equivalence: how probable it is that a run is better, worse, or no different from another in practice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import merged_attrs, stacked
from pdeval.evaluate.scores import MEASURES
from pdeval.evaluate.sources import Held, sources
from pdeval.significance.paired_differences import Pairs, Source, enough
from pdeval.significance.resampling import chunks
from pdeval.significance.test_result import describe
from pdeval.tables.equal_values import NOISE
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import arguments, verb
from pdeval.verbs.progress import track

# Weights (draws x queries) held at a time.
BLOCK = 2**20


def correlated_t(D: np.ndarray, rope: float, correlation: float = 0.0) -> np.ndarray:
    """Return P(mean difference < -rope), P(within), P(> rope) of each column, of shape (3, pairs).

    The posterior of the mean, with a flat prior, is Student's distribution with n - 1 degrees of freedom about the
    observed mean, its variance that of the mean times 1 + n r / (1 - r) for differences with correlation r (Nadeau and
    Bengio). Differences that do not vary have all of it at their mean.

    Examples
    --------
    >>> correlated_t(np.array([[0.1], [0.3], [0.2], [0.4]]), 0.1).round(4).ravel().tolist()
    [0.0062, 0.0452, 0.9486]
    """
    from scipy import special

    n, mean, sd = describe(D)
    scale = sd * np.sqrt(1 / n + correlation / (1 - correlation))
    with np.errstate(divide="ignore", invalid="ignore"):
        worse, better = (special.stdtr(n - 1, far / scale) for far in (-rope - mean, mean - rope))
    worse = np.where(scale == 0, mean < -rope, worse)
    better = np.where(scale == 0, mean > rope, better)
    return np.stack([worse, np.maximum(1.0 - worse - better, 0.0), better])


def signed_rank(
    D: np.ndarray,
    rope: float,
    prior: float,
    draws: int,
    seed: int | None,
    *,
    progress: bool | None = None,
) -> np.ndarray:
    """Return how often most of the mean of two differences is below -rope, within, or above, of shape (3, pairs).

    The differences, and a pseudo-difference 0 of weight `prior`, get Dirichlet weights; in every draw the weight of
    all pairs (i, j) of them with (D_i + D_j) / 2 beyond the region is added up, those at its very end counting half
    for either side. The share is that of the draws in which a region has the most weight; ties are shared.

    Examples
    --------
    >>> D = np.array([[0.1], [0.3], [-0.2], [0.4]])
    >>> signed_rank(D, 0.05, 0.5, 2000, 0).round(2).ravel().tolist()
    [0.1, 0.01, 0.89]
    """
    values = np.vstack([np.zeros(D.shape[1]), D])
    counted = ~np.isnan(values)
    order = np.argsort(np.where(counted, values, np.inf), axis=0, kind="stable")
    ends = [_below(values[order[:, pair], pair], counted[:, pair].sum(), rope) for pair in range(D.shape[1])]
    first = np.ones(len(values))
    first[0] = prior
    won = np.zeros((3, D.shape[1]))
    steps = chunks(draws, seed)
    width = max(1, BLOCK // (len(values) * steps[0][0]))
    blocks = [steps[start : start + width] for start in range(0, len(steps), width)]
    for block in track(blocks, desc="signed-rank posterior", progress=progress):
        # weights of a Dirichlet distribution are gamma variates over their sum, whatever part of them is looked at
        gamma = np.vstack(
            [np.random.default_rng(child).standard_gamma(first, (size, len(first))) for size, child in block]
        )
        for pair, (low, high) in enumerate(ends):
            weight = gamma[:, order[: len(low), pair]]
            weight /= weight.sum(axis=1, keepdims=True)
            cumulative = np.concatenate([np.zeros((len(weight), 1)), np.cumsum(weight, axis=1)], axis=1)
            below, under = ((weight * _mean_of(cumulative, side)).sum(axis=1) for side in (low, high))
            mass = np.stack([below, under - below, 1.0 - under])
            most = mass >= mass.max(axis=0) - NOISE
            won[:, pair] += (most / most.sum(axis=0)).sum(axis=1)
    return won / draws


def _below(ordered: np.ndarray, count: int, rope: float) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each sorted difference, how many others make a mean below -rope, and how many one up to rope.

    Each comes twice, without and with those at the very end of the region.
    """
    z = ordered[:count]
    slack = NOISE * (np.abs(z).max() + rope)
    found = [
        np.stack([np.searchsorted(z, end - z - slack, "left"), np.searchsorted(z, end - z + slack, "right")], axis=1)
        for end in (-2 * rope, 2 * rope)
    ]
    return found[0], found[1]


def _mean_of(cumulative: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the weight up to two places, halved: what lies at the very end counts half."""
    return (cumulative[:, places[:, 0]] + cumulative[:, places[:, 1]]) / 2


Posterior = Literal["correlated_t", "signed_rank"]

table(
    "equivalences",
    "run_a run_b measure test n:int mean_a:float mean_b:float difference:float rope:float "
    "worse:share equivalent:share better:share",
    "table of practical equivalence",
    known_by="run_a run_b measure rope equivalent",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "test": "which posterior: 'correlated_t' or 'signed_rank'",
        "n": "number of queries that both runs have",
        "mean_a": "mean of run_a in the measure's own unit; missing for preferences",
        "mean_b": "mean of run_b",
        "difference": "positive where run_a is better, also where less of the measure is better",
        "rope": "differences up to this, either way, are equivalent in practice",
        "worse": "posterior probability that run_a is worse than run_b by more than rope",
        "equivalent": "that they differ by no more than rope",
        "better": "that run_a is better by more than rope",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    gives="equivalences",
    independent=True,
    meant_by={"rope": "equivalence(rope=...)", "bayes": "equivalence(rope=...)"},
)
def equivalence(
    held: Held,
    measures: object = MEASURES,
    *,
    rope: float,
    test: Posterior = "correlated_t",
    baseline: object = None,
    correlation: float = 0.0,
    prior: float = 0.5,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return, per pair of runs, the posterior probabilities of better, worse, and equivalent in practice.

    A p-value says how surprising the data are if there is no difference at all; it never says that two runs are as
    good as each other. These probabilities do: of a difference within the region of practical equivalence (ROPE), and
    beyond it either way. They add up to 1. They are no p-values, say nothing of error rates over repeated experiments,
    and are not corrected for the number of pairs; they rest on the prior and on the rope, which is yours to argue for.

    Parameters
    ----------
    rope : float
        The largest difference that makes no difference in practice, in the measure's own unit; 0.01 is usual for
        measures between 0 and 1. There is no default. With 0 nothing is equivalent.
    test : {'correlated_t', 'signed_rank'}
        'correlated_t': the mean difference has Student's distribution about the observed one, in closed form; it is
        about the mean. 'signed_rank': queries are weighted by a Dirichlet process, and each draw says in which of the
        three regions most means of two differences lie; the probabilities are the shares of the draws. It is about
        the typical query, and blind to how large the differences beyond the rope are.
    correlation : float
        Of the differences, for 'correlated_t': 0 for queries, which are independent; for the folds of a
        cross-validation the share of a test fold, such as 0.1.
    prior : float
        For 'signed_rank': how many queries the pseudo-query with difference 0 counts for.
    draws : int
        For 'signed_rank'; the standard error of a probability is at most 0.5 / sqrt(draws).

    Raises
    ------
    ValueError
        Fewer than two runs, two queries, or two queries in common for some pair; a negative rope.

    References
    ----------
    Benavoli, Corani, Demsar and Zaffalon (2017), Time for a change: a tutorial for comparing multiple classifiers
    through Bayesian analysis; Corani and Benavoli (2015), for the correlated t-test; Benavoli, Mangili, Corani,
    Zaffalon and Ruggeri (2014), for the signed-rank test.

    Examples
    --------
    >>> import pdeval
    >>> scores = pdeval.datasets.sample_judged(topics="common").measure("AP")
    >>> found = scores.ireval.equivalence(rope=0.01, baseline="bm25")
    >>> found[["run_a", "run_b", "difference", "worse", "equivalent", "better"]].head(3).round(3)
          run_a run_b  difference  worse  equivalent  better
    0  bm25+rm3  bm25       0.011  0.076       0.385   0.539
    1  dense-s1  bm25       0.108  0.000       0.000   1.000
    2  dense-s2  bm25       0.114  0.000       0.000   1.000
    """
    if not np.isfinite(rope) or rope < 0:
        raise ValueError(f"rope={rope!r}: give the largest difference that makes none in practice, 0 or more.")
    if not 0 <= correlation < 1:
        raise ValueError(f"correlation={correlation!r}: give a number from 0 up to, but not including, 1.")
    if not prior > 0:
        raise ValueError(f"prior={prior!r}: give how many queries it counts for, more than 0.")
    test = arguments.one_of("test", test, ("correlated_t", "signed_rank"))  # type: ignore[assignment]
    draws = arguments.whole("draws", draws, 1)
    arguments.seed(seed)
    if seed is None:
        seed = int(np.random.default_rng().integers(2**63))
    found = sources(held, measures)

    def shares_of(D: np.ndarray) -> np.ndarray:
        if test == "correlated_t":
            return correlated_t(D, rope, correlation)
        return signed_rank(D, rope, prior, draws, seed, progress=progress)

    frame = stacked([_of_source(one, shares_of, rope, test, baseline) for one in found])
    frame.attrs.update(merged_attrs(one.attrs for one in found))
    frame.attrs.update({"correlation": correlation} if test == "correlated_t" else {"prior": prior, "draws": draws})
    frame.attrs["seed"] = seed
    return frame


def _of_source(
    source: Source, shares_of: Callable[[np.ndarray], np.ndarray], rope: float, test: str, baseline: object
) -> pd.DataFrame:
    pairs = Pairs.of(source, baseline=baseline)
    measures = len(source.measures)
    n = np.empty((measures, len(pairs)), dtype=np.int64)
    numbers = np.empty((6, measures, len(pairs)))
    for measure, label in enumerate(source.measures):
        for at, D in pairs.blocks(measure):
            counted = ~np.isnan(D)
            enough(pairs, at, counted.sum(axis=0), label)
            sides = pairs.sides(measure, at, None if counted.all() else counted)
            size, mean, _ = describe(D)
            n[measure, at] = size
            numbers[:, measure, at] = np.vstack([*sides, mean, *shares_of(D)])
    mean_a, mean_b, difference, worse, equivalent, better = numbers.reshape(6, -1)
    head = pairs.columns(measures)
    head["measure"] = labels(pd.Index(source.measures), np.repeat(np.arange(measures), len(pairs)))
    return pd.DataFrame(
        {
            **head,
            "test": test,
            "n": n.ravel(),
            "mean_a": mean_a,
            "mean_b": mean_b,
            "difference": difference,
            "rope": float(rope),
            "worse": worse,
            "equivalent": equivalent,
            "better": better,
        }
    )
