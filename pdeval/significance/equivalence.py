"""Practical equivalence: how probable it is that a run is better, worse, or no different from another in practice."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import MEASURES, ScoresLike, Source, chunks, each, new_seed, sources
from pdeval.significance.paired_differences import Pairs
from pdeval.tables import NOISE, describe, table
from pdeval.verbs import arguments, special, track, verb

# Weights (draws x queries) in memory at a time.
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
    """Return the fractions of draws in which most means of two differences are below -rope, within, or above.

    The result has shape (3, pairs). The differences, and a pseudo-difference 0 of weight `prior`, get Dirichlet
    weights. In every draw, the weights of all pairs (i, j) with (D_i + D_j) / 2 beyond the region are summed; a pair
    exactly at its end counts half on either side. A draw counts for the region with the largest weight; tied regions
    count equally.

    Examples
    --------
    >>> D = np.array([[0.1], [0.3], [-0.2], [0.4]])
    >>> signed_rank(D, 0.05, 0.5, 2000, 0).round(2).ravel().tolist()
    [0.1, 0.01, 0.89]
    """
    values = np.vstack([np.zeros(D.shape[1]), D])
    n = (~np.isnan(values)).sum(axis=0)
    order = np.argsort(values, axis=0, kind="stable")  # NaN come last
    ends = [_below(values[order[: n[pair], pair], pair], rope) for pair in range(D.shape[1])]
    concentration = np.ones(len(values))
    concentration[0] = prior
    won = np.zeros((3, D.shape[1]))
    steps = chunks(draws, seed)
    width = max(1, BLOCK // (len(values) * steps[0][0]))
    blocks = [steps[start : start + width] for start in range(0, len(steps), width)]
    for block in track(blocks, desc="signed-rank posterior", progress=progress):
        # Dirichlet weights are gamma variates divided by their sum, also for a subset of them
        gamma = np.vstack(
            [
                np.random.default_rng(child).standard_gamma(concentration, (size, len(values)))
                for size, child in block
            ]
        )
        for pair, end in enumerate(ends):
            weight = gamma[:, order[: n[pair], pair]]
            weight /= weight.sum(axis=1, keepdims=True)
            cumulative = np.concatenate(
                [np.zeros((len(weight), 1)), np.cumsum(weight, axis=1)], axis=1
            )
            # values exactly at the end of the region count half
            halves = ((cumulative[:, left] + cumulative[:, right]) / 2 for left, right in end)
            below, under = ((weight * half).sum(axis=1) for half in halves)
            mass = np.stack([below, under - below, 1.0 - under])
            most = mass >= mass.max(axis=0) - NOISE
            won[:, pair] += (most / most.sum(axis=0)).sum(axis=1)
    return won / draws


def _below(z: np.ndarray, rope: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, for each sorted difference, the number of others with which its mean is below -rope, and up to rope.

    Each number comes twice, without and with means exactly at the end of the region.
    """
    slack = NOISE * (np.abs(z).max() + rope)
    return [
        # (z_i + z_j) / 2 < end / 2 means z_j < end - z_i: counted by bisection, not by pairs
        (np.searchsorted(z, end - z - slack, "left"), np.searchsorted(z, end - z + slack, "right"))
        for end in (-2 * rope, 2 * rope)
    ]


table(
    "equivalences",
    "run_a run_b measure test n:int mean_a:float mean_b:float difference:float rope:float "
    "worse:fraction equivalent:fraction better:fraction",
    "table of practical equivalence",
    recognized_by="run_a run_b measure rope equivalent",
    row="pair of runs and measure",
    sort="measure run_a run_b",
    then=".report(), .plot()",
    means={
        "test": "posterior: 'correlated_t' or 'signed_rank'",
        "n": "number of queries that both runs have",
        "mean_a": "mean of run_a in the measure's own unit; missing for preferences",
        "mean_b": "mean of run_b",
        "difference": "positive if run_a is better, also if lower values of the measure are better",
        "rope": "absolute differences up to this value are equivalent in practice",
        "worse": "posterior probability that run_a is worse than run_b by more than rope",
        "equivalent": "posterior probability that they differ by at most rope",
        "better": "posterior probability that run_a is better by more than rope",
    },
)


@verb(
    on=("scores", "preferences", "judged"),
    per_measure=True,
    returns="equivalences",
    independent=True,
    other_names={"rope": "equivalence(rope=...)", "bayes": "equivalence(rope=...)"},
)
def equivalence(
    data: ScoresLike,
    measures: object = MEASURES,
    *,
    rope: float,
    test: Literal["correlated_t", "signed_rank"] = "correlated_t",
    baseline: object = None,
    correlation: float = 0.0,
    prior: float = 0.5,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return, per pair of runs, the posterior probabilities of better, worse, and equivalent in practice.

    A large p-value is not evidence that two runs are equally good. These probabilities are: they are the posterior
    probabilities of a difference within the region of practical equivalence (ROPE), and beyond it on either side. They
    sum to 1. They are not p-values, do not control error rates over repeated experiments, and are not corrected for
    the number of pairs. They depend on the prior and on the rope; justify your choice of both.

    Parameters
    ----------
    rope : float
        Largest difference that does not matter in practice, in the unit of the measure; 0.01 is common for measures
        between 0 and 1. There is no default. With 0, no difference is equivalent.
    test : {'correlated_t', 'signed_rank'}
        'correlated_t': the posterior of the mean difference is Student's distribution around the observed mean, in
        closed form. 'signed_rank': queries are weighted by a Dirichlet process, each draw determines which of the
        three regions contains most means of two differences, and the probabilities are fractions of draws. It
        describes the typical query and ignores the size of differences beyond the rope.
    correlation : float
        Correlation of the differences, for 'correlated_t': 0 for queries, which are independent; for the folds of a
        cross-validation the fraction of the data in a test fold, such as 0.1.
    prior : float
        Weight of the pseudo-query with difference 0, in queries, for 'signed_rank'.
    draws : int
        Number of draws of 'signed_rank'. The standard error of a probability is at most 0.5 / sqrt(draws).

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
    >>> scores = pdeval.datasets.sample_judged(queries="common").measure("AP")
    >>> result = scores.ireval.equivalence(rope=0.01, baseline="bm25")
    >>> result[["run_a", "run_b", "difference", "worse", "equivalent", "better"]].head(3).round(3)
          run_a run_b  difference  worse  equivalent  better
    0  bm25+rm3  bm25       0.011  0.076       0.385   0.539
    1  dense-s1  bm25       0.108  0.000       0.000   1.000
    2  dense-s2  bm25       0.114  0.000       0.000   1.000
    """
    if not 0 <= correlation < 1:
        raise ValueError(f"correlation={correlation!r}: expected a number in [0, 1).")
    test = arguments.one_of("test", test, ("correlated_t", "signed_rank"))  # type: ignore[assignment]
    seed = new_seed() if seed is None else seed
    posterior = partial(correlated_t, rope=rope, correlation=correlation)
    settings: dict[Any, Any] = {"correlation": correlation}
    if test == "signed_rank":
        posterior = partial(
            signed_rank, rope=rope, prior=prior, draws=draws, seed=seed, progress=progress
        )
        settings = {"prior": prior, "draws": draws}
    frame = each(
        _of_source,
        sources(data, measures),
        posterior=posterior,
        rope=rope,
        test=test,
        baseline=baseline,
    )
    frame.attrs.update({**settings, "seed": seed})
    return frame


def _of_source(
    source: Source,
    *,
    posterior: Callable[[np.ndarray], np.ndarray],
    rope: float,
    test: str,
    baseline: object,
) -> pd.DataFrame:
    pairs = Pairs.of(source, baseline=baseline)

    def columns(measure: int, numbers: np.ndarray, D: np.ndarray) -> dict[str, np.ndarray]:
        n, mean, _ = describe(D)
        mean_a, mean_b = pairs.sides(measure, numbers, ~np.isnan(D))
        return {
            "n": n,
            "mean_a": mean_a,
            "mean_b": mean_b,
            "difference": mean,
            "rope": np.full(len(numbers), float(rope)),
            **dict(zip(("worse", "equivalent", "better"), posterior(D), strict=True)),
        }

    parts = [
        pairs.gather(
            (numbers, columns(measure, numbers, D))
            for numbers, D in pairs.blocks(measure, shared=2)
        )
        for measure in range(len(source.measures))
    ]
    return pairs.frame(parts, [test] * len(parts))
