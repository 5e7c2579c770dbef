"""Size of every significance test, and coverage of its intervals, where no run and no bucket is better."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd

import pdeval  # noqa: F401
from pdeval.evaluate.cube import Preferences, Scores, all_pairs
from pdeval.online.two_sample_tests import bootstrap_medians, mann_whitney, two_rates, welch
from pdeval.significance.anova import anova, friedman
from pdeval.significance.compare import compare
from pdeval.significance.registry import TESTS, SignificanceTest
from tests.statistics.findings import Finding, counted
from tests.statistics.known import expected
from tests.statistics.nulls import NULLS, RATES, scores

ALPHAS = (0.05, 0.01)
QUERIES, PAIRS, BATCHES = (
    25,
    200,
    15,
)  # tests of one pair at a time: batches with draws of their own
RUNS, TABLES, ROUNDS = 4, 20, 25  # tests of a whole table
SIDES, BUCKETS = (40, 60), 1000


def pairwise(test: SignificanceTest, null: str) -> Iterator[Finding]:
    """Yield the size of a test of one pair at a time and the coverage of its interval of the difference, which is 0."""
    rng = np.random.default_rng(list(NULLS).index(null))
    p, covers = [], []
    for batch in range(BATCHES if test.drawn else 1):
        pairs = PAIRS if test.drawn else PAIRS * BATCHES
        values = scores(rng, null, (pairs, QUERIES, 2))
        runs = pd.DataFrame({"run": np.arange(2 * pairs)})
        a = np.arange(0, 2 * pairs, 2)  # no run is in two pairs: they are independent
        cube = Preferences(
            runs,
            pd.Index(range(QUERIES), name="query_id"),
            ("x",),
            a,
            a + 1,
            (values[..., 0] - values[..., 1]).T[None],
        )
        found = compare(
            cube, test=test.name, correction=None, draws=1000, seed=batch, progress=False
        )
        p.append(found["p_value"].to_numpy())
        covers.append(((found["ci_low"] <= 0) & (found["ci_high"] >= 0)).to_numpy())
    yield from sized(test.name, null, QUERIES, np.concatenate(p))
    yield covered(f"interval of {test.name}", null, QUERIES, np.concatenate(covers))


def family_wise(
    test: SignificanceTest, null: str, *, preferences: bool = False
) -> Iterator[Finding]:
    """Yield how often a test of all pairs finds any difference, and how often all its intervals cover 0."""
    rng = np.random.default_rng(100 + list(NULLS).index(null))
    a, b = all_pairs(RUNS)
    baseline = "a" if test.family == "baseline" else None
    runs, queries = pd.DataFrame({"run": list("abcd")}), pd.Index(range(QUERIES), name="query_id")
    names = tuple(f"x{number}" for number in range(TABLES))
    p, covers = [], []
    for batch in range(ROUNDS):
        values = scores(rng, null, (TABLES, QUERIES, RUNS))
        cube: Scores | Preferences = Scores(
            runs, queries, names, values, np.ones(TABLES, dtype=bool)
        )
        if preferences:  # that are no differences of scores
            apart = values[:, :, a] - values[:, :, b]
            cube = Preferences(runs, queries, names, a, b, np.sign(apart) * np.sqrt(np.abs(apart)))
        options = {"baseline": baseline, "draws": 200, "seed": batch, "progress": False}
        found = compare(cube, test=test.name, **options)
        p.append(found["p_value"].to_numpy().reshape(TABLES, -1).min(axis=1))
        inside = ((found["ci_low"] <= 0) & (found["ci_high"] >= 0)).to_numpy()
        covers.append(inside.reshape(TABLES, -1).all(axis=1))
    name = f"{test.name} of preferences" if preferences else test.name
    yield from sized(name, null, QUERIES, np.concatenate(p))
    yield covered(f"interval of {name}", null, QUERIES, np.concatenate(covers))


def ranked(null: str) -> Iterator[Finding]:
    """Yield the size of Friedman's tests, and of Conover's of one pair, whose error is that of all runs."""
    rng = np.random.default_rng(600 + list(NULLS).index(null))
    tables = TABLES * ROUNDS * 4
    names = tuple(f"x{number}" for number in range(tables))
    runs, queries = pd.DataFrame({"run": list("abcd")}), pd.Index(range(QUERIES), name="query_id")
    values = scores(rng, null, (tables, QUERIES, RUNS))
    cube = Scores(runs, queries, names, values, np.ones(tables, dtype=bool))
    found = friedman(cube, None)
    for name in ("friedman", "iman_davenport"):
        yield from sized(
            name, null, QUERIES, found.loc[found["test"] == name, "p_value"].to_numpy()
        )
    first = (
        compare(cube, test="conover", correction=None)
        .groupby("measure", sort=False, observed=True)
        .head(1)
    )
    yield from sized("conover", null, QUERIES, first["p_value"].to_numpy())
    inside = ((first["ci_low"] <= 0) & (first["ci_high"] >= 0)).to_numpy()
    yield covered("interval of conover", null, QUERIES, inside)


def variance(null: str) -> Iterator[Finding]:
    """Yield the size of the two F tests of the analysis of variance."""
    rng = np.random.default_rng(200 + list(NULLS).index(null))
    tables = TABLES * ROUNDS
    names = tuple(f"x{number}" for number in range(tables))
    runs, queries = pd.DataFrame({"run": list("abcd")}), pd.Index(range(QUERIES), name="query_id")
    for source in ("run", "query"):
        # no query is harder where the queries are tested
        shape = (tables, QUERIES, RUNS)
        values = scores(rng, null, shape) if source == "run" else NULLS[null](rng, shape)
        found = anova(Scores(runs, queries, names, values, np.ones(tables, dtype=bool)), None)
        yield from sized(
            f"anova, {source}",
            null,
            QUERIES,
            found.loc[found["source"] == source, "p_value"].to_numpy(),
        )


def interleaved(null: str) -> Iterator[Finding]:
    """Yield the size of the binomial test of interleaved runs: many pairs in one table of credits."""
    rng = np.random.default_rng(300 + list(NULLS).index(null))
    pairs = PAIRS * BATCHES
    credit = scores(rng, null, (pairs, QUERIES, 2))
    credits = pd.DataFrame(
        {
            "run_a": np.repeat([f"a{number:05d}" for number in range(pairs)], QUERIES),
            "run_b": "z",
            "query_id": np.tile([f"q{number}" for number in range(QUERIES)], pairs),
            "impression": np.arange(pairs * QUERIES),
            "clicks": 1,
            "credit_a": credit[..., 0].ravel(),
            "credit_b": credit[..., 1].ravel(),
        }
    )
    yield from sized(
        "wins", null, QUERIES, credits.ireval.wins(correction=None)["p_value"].to_numpy()
    )


def buckets(null: str) -> Iterator[Finding]:
    """Yield size and coverage of the tests of two buckets of different size."""
    rng = np.random.default_rng(400 + list(NULLS).index(null))
    n, m = SIDES
    found: dict[str, list] = {"welch": [], "mann-whitney": []}
    for _ in range(BUCKETS):
        x, y = NULLS[null](rng, (n,)), NULLS[null](rng, (m,))
        drawn = bootstrap_medians(x, 500, rng), bootstrap_medians(y, 500, rng)
        found["welch"].append(welch(x, y, confidence=0.95))
        found["mann-whitney"].append(mann_whitney(x, y, confidence=0.95, drawn=drawn))
    for name, tested in found.items():
        yield from sized(name, null, n, np.array([one.p_value for one in tested]))
        if (
            name == "welch" or null != "discrete"
        ):  # two medians of a discrete distribution are one of four values
            yield covered(
                f"interval of {name}",
                null,
                n,
                np.array([one.low <= 0 <= one.high for one in tested]),
            )


def rates(null: str) -> Iterator[Finding]:
    """Yield size and coverage of the test of two rates, for five rates."""
    rng = np.random.default_rng(500 + list(RATES).index(null))
    n, m = SIDES
    tested = [
        two_rates(rng.random(n) < RATES[null], rng.random(m) < RATES[null], confidence=0.95)
        for _ in range(BUCKETS)
    ]
    yield from sized("z", null, n, np.array([one.p_value for one in tested]))
    yield covered("interval of z", null, n, np.array([one.low <= 0 <= one.high for one in tested]))


def sized(what: str, null: str, n: int, p: np.ndarray) -> Iterator[Finding]:
    """Yield how often a p-value is below each alpha."""
    for alpha in ALPHAS:
        yield Finding(what, null, n, *counted(p < alpha), alpha, False, *expected(what, null))


def covered(what: str, null: str, n: int, inside: np.ndarray, level: float = 0.95) -> Finding:
    """Return how often an interval covers."""
    return Finding(what, null, n, *counted(inside), level, True, *expected(what, null))


def tests_under(null: str) -> Iterator[Finding]:
    """Yield each declared test under one distribution."""
    for test in TESTS.values():
        if test.family_wise or not test.joint:
            yield from family_wise(test, null) if test.family_wise else pairwise(test, null)
        if test.family_wise and not test.scores_only:
            yield from family_wise(test, null, preferences=True)
    yield from ranked(null)
    yield from variance(null)
    yield from interleaved(null)
    yield from buckets(null)


CELLS: tuple[Callable[[], Iterator[Finding]], ...] = (
    *(partial(tests_under, null) for null in NULLS),
    *(partial(rates, null) for null in RATES),
)
