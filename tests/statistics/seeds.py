"""Size and coverage of the tests of systems with seeds, of both questions, and of two tests that get seeds wrong.

Scores have known standard deviations: 0.2 between queries, 0.08 of a system on a query, 0.05 of a seed on a query, and
what a seed adds to all queries. No system is better: with random seeds on average over them, with fixed seeds of those
that were trained.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats

from pdeval.evaluate import averaged
from pdeval.evaluate.cube import Scores
from pdeval.significance.compare import compare
from pdeval.significance.replicates import compare_training
from tests.statistics.findings import HEAD, Deviation, Finding, counted, line

QUERIES, TABLES = 25, 3000
ALPHAS = (0.05, 0.01)
LAYOUTS = ((3, 3, 3, 3), (5, 5), (10, 10))
SEED_SDS = (0.0, 0.01, 0.03)
FIXED, RANDOM = "compare(replicate=)", "replicates.compare()"
ZERO = "seeds without variance count as if they had some"
FEW = "few seeds: Satterthwaite's degrees of freedom are estimated from as few"
LARGER = (
    0.1,
    0.02,
    0.02,
    0.02,
)  # of a baseline whose seeds vary more than those of the other systems


def tables(
    sizes: tuple[int, ...], seed_sd: float | tuple[float, ...], *, fixed: bool, count: int = TABLES
) -> Scores:
    """Return null scores of systems with so many seeds each; every measure is a simulation.

    With `fixed` seeds the trained models of a system are equal on average; else all that might have been trained are.
    The standard deviation of seeds is that of all systems, or of each.
    """
    each = np.broadcast_to(seed_sd, len(sizes))
    rng = np.random.default_rng([*sizes, *(1000 * np.unique(each)).astype(int), fixed])
    system = np.repeat(np.arange(len(sizes)), sizes)
    seeds = rng.normal(0, each[system], (count, 1, len(system)))
    if fixed:
        for one in range(len(sizes)):
            seeds[..., system == one] -= seeds[..., system == one].mean(axis=-1, keepdims=True)
    values = rng.normal(0, 0.2, (count, QUERIES, 1)) + seeds
    values = values + rng.normal(0, 0.08, (count, QUERIES, len(sizes)))[..., system]
    values += rng.normal(0, 0.05, values.shape)
    runs = pd.DataFrame(
        {"model": system, "seed": np.concatenate([np.arange(size) for size in sizes])}
    )
    names = tuple(f"x{number}" for number in range(count))
    return Scores(
        runs, pd.Index(range(QUERIES), name="query_id"), names, values, np.ones(count, dtype=bool)
    )


def first_pair(found: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the p-values of one pair of each table, which are independent, and whether its interval covers 0."""
    pair = found.groupby("measure", sort=False).head(1)
    return pair["p_value"].to_numpy(), ((pair["ci_low"] <= 0) & (pair["ci_high"] >= 0)).to_numpy()


def findings(
    what: str,
    null: str,
    p: np.ndarray,
    inside: np.ndarray,
    known: Deviation = "",
    why: str = "",
) -> list[Finding]:
    """Return size and coverage, with the known deviation from their levels."""
    return [
        *(
            Finding(what, null, QUERIES, *counted(p < alpha), alpha, False, known, why)
            for alpha in ALPHAS
        ),
        Finding(f"interval of {what}", null, QUERIES, *counted(inside), 0.95, True, known, why),
    ]


def said(sizes: tuple[int, ...], seed_sd: float | tuple[float, ...], *, fixed: bool) -> str:
    """Return the layout in words."""
    spread = " / ".join(f"{one:g}" for one in np.atleast_1d(seed_sd))
    seeds = str(sizes[0]) if len(set(sizes)) == 1 else " / ".join(map(str, sizes))
    return f"{len(sizes)} systems, {seeds} {'fixed' if fixed else 'random'} seeds of sd {spread}"


def these_models(sizes: tuple[int, ...], seed_sd: float, *, fixed: bool = True) -> list[Finding]:
    """Return size and coverage of the t-test of averages over seeds."""
    cube = averaged(tables(sizes, seed_sd, fixed=fixed), ["seed"])
    found = compare(cube, None, test="t", correction=None)
    return findings(FIXED, said(sizes, seed_sd, fixed=fixed), *first_pair(found))


def this_training(
    sizes: tuple[int, ...], seed_sd: float | tuple[float, ...], known: Deviation = "", why: str = ""
) -> list[Finding]:
    """Return size and coverage of the t-test with random seeds, with the known deviation from their levels."""
    known, why = ("conservative", ZERO) if seed_sd == 0 else (known, why)
    found = compare_training(tables(sizes, seed_sd, fixed=False), None, correction=None)
    return findings(RANDOM, said(sizes, seed_sd, fixed=False), *first_pair(found), known, why)


def pooled(sizes: tuple[int, ...], seed_sd: float, *, fixed: bool) -> list[Finding]:
    """Return size and coverage of the t-test that takes each seed of each query for an observation of its own."""
    cube = tables(sizes, seed_sd, fixed=fixed)
    values = cube.values.transpose(1, 2, 0)
    apart = (values[:, : sizes[0]] - values[:, sizes[0] : 2 * sizes[0]]).reshape(
        -1, len(cube.measures)
    )
    t, p = stats.ttest_1samp(apart, 0)
    inside = np.abs(t) <= stats.t.ppf(0.975, len(apart) - 1)
    found = findings("t-test of seeds x queries", said(sizes, seed_sd, fixed=fixed), p, inside)
    return [replace(one, n=len(apart)) for one in found]


def all_seeds() -> Iterator[Finding]:
    """Yield the tests of seeds, which keep what they state."""
    for sizes in LAYOUTS:
        for seed_sd in SEED_SDS:
            yield from these_models(sizes, seed_sd)
            yield from this_training(sizes, seed_sd)
    yield from this_training((2, 2), 0.03, "liberal", FEW)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield from this_training((3, 5, 4), 0.03)
    yield from this_training((10,) * 4, LARGER)
    for seeds in (5, 3, 2):
        yield from this_training((seeds,) * 4, LARGER, "liberal", FEW)


def all_naive() -> Iterator[Finding]:
    """Yield the tests that get seeds wrong: all of them miss."""
    yield from pooled((5, 5), 0.03, fixed=True)
    yield from pooled((5, 5), 0.03, fixed=False)
    yield from these_models((5, 5), 0.03, fixed=False)  # the answer to the other question


def naive_table() -> str:
    """Return what the wrong tests do as text for the documentation."""
    return "\n".join(
        [
            "Tests that get seeds wrong, held against the same limits:",
            "",
            HEAD,
            *map(line, all_naive()),
        ]
    )
