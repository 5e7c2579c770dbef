"""Coverage of the intervals that no test gives, and whether planned experiments have the power that was planned."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import stats

from pdeval.evaluate.cube import Scores
from pdeval.evaluate.summary import of_scores
from pdeval.online.two_sample_tests import clustered_rate, estimate, linearized, ratio_of
from pdeval.orderings.order import ordered
from pdeval.significance.compare import compare
from pdeval.significance.power import detectable_difference, power, sample_size
from tests.statistics.findings import Finding, counted
from tests.statistics.known import expected
from tests.statistics.nulls import MEANS, NULLS, RATES, medians
from tests.statistics.sizes import BUCKETS, QUERIES, covered

RUNS = 4000  # runs of one table, each a simulation
TRUTHS = 400  # tables whose runs are ordered


def cube_of(values: np.ndarray, aggregate: str = "mean") -> Scores:
    """Return values of shape (measures, queries, runs) as scores, whose measures are summed up in this way."""
    names = tuple(f"x{number}" for number in range(len(values)))
    known = {"higher": True, "aggregate": aggregate, "family": "metric", "test": "t"}
    return Scores(
        pd.DataFrame({"run": [f"r{number:05d}" for number in range(values.shape[2])]}),
        pd.Index(range(values.shape[1]), name="query_id"),
        names,
        values,
        np.ones(len(values), dtype=bool),
        {"measures": dict.fromkeys(names, known)},
    )


def means(null: str) -> Iterator[Finding]:
    """Yield the coverage of a run's mean by its interval in the summary."""
    rng = np.random.default_rng(600 + list(NULLS).index(null))
    found = of_scores(cube_of(NULLS[null](rng, (1, QUERIES, RUNS))))
    inside = ((found["ci_low"] <= MEANS[null]) & (found["ci_high"] >= MEANS[null])).to_numpy()
    yield covered("summary", null, QUERIES, inside)
    if null == "lognormal":  # whose logarithms are normal with mean 0
        found = of_scores(cube_of(NULLS[null](rng, (1, QUERIES, RUNS)), "geometric mean"))
        inside = ((found["ci_low"] <= 1) & (found["ci_high"] >= 1)).to_numpy()
        yield covered("summary, geometric mean", null, QUERIES, inside)


def behavior(null: str) -> Iterator[Finding]:
    """Yield the coverage of the mean and the median of a bucket."""
    rng = np.random.default_rng(700 + list(NULLS).index(null))
    truth = {"mean": MEANS[null], "median": medians(null)}
    for kind, true in truth.items():
        if (
            kind == "median" and null == "discrete"
        ):  # between two values: any number there is a median
            continue
        found = [
            estimate(NULLS[null](rng, (40,)), kind, confidence=0.95, draws=500, rng=rng)  # type: ignore[arg-type]
            for _ in range(BUCKETS)
        ]
        yield covered(
            f"behavior, {kind}", null, 40, np.array([one.low <= true <= one.high for one in found])
        )


def shares(null: str) -> Finding:
    """Return the coverage of a rate by Wilson's interval."""
    rng = np.random.default_rng(800 + list(RATES).index(null))
    found = [
        estimate((rng.random(40) < RATES[null]) * 1.0, "rate", confidence=0.95, draws=0, rng=rng)
        for _ in range(BUCKETS)
    ]
    return covered(
        "behavior, rate", null, 40, np.array([one.low <= RATES[null] <= one.high for one in found])
    )


def ratios(null: str) -> Iterator[Finding]:
    """Yield the coverage of rates and counts over queries, of which users have several and differ."""
    rng, rate = np.random.default_rng(850 + list(RATES).index(null)), RATES[null]
    inside = np.zeros((BUCKETS, 2), dtype=bool)
    for number in range(BUCKETS):
        queries = rng.geometric(0.2, 100).astype(float)
        own = rng.beta(4 * rate, 4 * (1 - rate), 100)
        yes, count = (
            draw.astype(float)
            for draw in (rng.binomial(queries.astype(int), own), rng.poisson(queries * own))
        )
        found = clustered_rate(ratio_of(yes, queries), linearized(yes, queries), 0.95)
        other = estimate(linearized(count, queries), "mean", confidence=0.95, draws=0, rng=rng)
        inside[number] = [one.low <= rate <= one.high for one in (found, other)]
    yield covered("behavior, rate over queries", null, 100, inside[:, 0])
    yield covered("behavior, ratio", null, 100, inside[:, 1])


def places(null: str) -> Iterator[Finding]:
    """Yield the coverage of a run's true rank by its interval: five runs, each better than the next."""
    rng = np.random.default_rng(900 + list(NULLS).index(null))
    spread = float(np.std(NULLS[null](rng, (100_000,))))
    values = NULLS[null](rng, (TRUTHS, 40, 5)) - 0.3 * spread * np.arange(5)
    for method in ("mean", "winrate"):
        found = ordered(cube_of(values), method=method, draws=200, progress=False)
        true = found["run"].astype(str).str[1:].astype(int).to_numpy() + 1
        inside = ((found["rank_low"] <= true) & (found["rank_high"] >= true)).to_numpy()
        # the ranks of one table hang together: one run of each counts
        yield covered(f"rank by {method}", null, 40, inside[true == 2])


def planned() -> Iterator[Finding]:
    """Yield how often the t-test finds what it was planned to find, of normal differences of known spread."""
    rng = np.random.default_rng(1000)
    pilot = stats.norm.ppf((np.arange(1, 101) - 0.5) / 100)
    pilot = pilot / pilot.std(ddof=1)
    cube = cube_of(np.stack([pilot, np.zeros(100)], axis=1)[None])
    plans = []
    for effect, queries in ((0.3, 25), (0.5, 25), (0.3, 60)):
        plans.append(
            (
                "power",
                effect,
                queries,
                power(cube, None, difference=effect, n_queries=queries)["power"].item(),
            )
        )
    for effect in (0.25, 0.4):
        needed = int(sample_size(cube, None, difference=effect, power=0.8)["queries_needed"].item())
        plans.append(("power.sample_size", effect, needed, 0.8))
    for queries in (20, 50):
        found = detectable_difference(cube, None, power=0.8, n_queries=queries)
        plans.append(("power.detectable_difference", found["detectable"].item(), queries, 0.8))
    for what, effect, queries, level in plans:
        drawn = rng.normal(effect, 1.0, (queries, RUNS))
        found = compare(cube_of(np.concatenate([drawn, np.zeros((queries, 1))], axis=1)[None]), baseline=f"r{RUNS:05d}",
                        correction=None)  # fmt: skip
        hits = counted((found["p_value"] < 0.05).to_numpy())
        yield Finding(
            what,
            f"normal, {effect:.2f} sd",
            queries,
            *hits,
            level,
            True,
            *expected(what, ""),
        )


def all_intervals() -> Iterator[Finding]:
    """Yield everything of this file."""
    for null in NULLS:
        yield from means(null)
        yield from behavior(null)
        yield from places(null)
    for null in RATES:
        yield shares(null)
        yield from ratios(null)
    yield from planned()
