"""Bias and coverage of measures from samples of items, by design and size: `python -m tests.statistics.item_samples`.

A world of queries is made once, with pools of 100 items that people know all about. Items are drawn again and again;
every simulation draws queries, each with one of its estimates, so that both samples are in the interval. The mean over
the world is the truth.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

import pdeval  # noqa: F401
from pdeval.significance.registry import student_interval
from pdeval.tables.equal_values import describe
from tests.statistics.findings import Finding
from tests.statistics.machine_labels import ITEMS, JUDGES, labeled_by, truth

MEASURES = ("P@10", "RBP", "R@20", "AP")
DESIGNS = ("importance", "stratified", "uniform")
SIZES = (10, 20, 40, 60, 80)  # items of each 100 that are drawn
QUERIES = (25, 50, 200)


@cache
def world(queries: int, hard: bool) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return runs, complete judgments, and true values: (run, measure) by query."""
    grade, systems = truth(np.random.default_rng(0), queries, hard)
    query, doc = np.repeat(np.arange(queries), ITEMS), np.tile(np.arange(ITEMS), queries)
    lists = [
        pd.DataFrame({"run": name, "query_id": query, "doc_id": doc, "score": score.ravel()})
        for name, score in systems.items()
    ]
    runs = pd.concat(lists, ignore_index=True)
    qrels = pd.DataFrame({"query_id": query, "doc_id": doc, "relevance": grade.ravel()})
    return (
        runs,
        qrels,
        by_query(runs.ireval.measure(qrels, list(MEASURES), queries="judged"), queries),
    )


def by_query(scores: pd.DataFrame, queries: int) -> pd.DataFrame:
    """Return values by run and measure, a column for every query; missing where it was left out."""
    wide = scores.pivot(index=["run", "measure"], columns="query_id", values="value")
    return wide.reindex(columns=range(queries)).sort_index()


@cache
def estimates(
    design: str, size: int, *, queries: int, draws: int, hard: bool
) -> tuple[np.ndarray, float]:
    """Return estimates of shape (draws, runs x measures, queries), and the mean number of relevant items drawn."""
    runs, qrels, true = world(queries, hard)
    found, drawn = [], 0
    for seed in range(draws):
        plan = runs.ireval.pool.sample(size * queries, depth=ITEMS, design=design, seed=seed)
        asked = plan[plan["chosen"]].merge(qrels)
        drawn += int((asked["relevance"] > 0).sum())
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="no relevant item of")
            scores = runs.ireval.pool.estimate(asked, list(MEASURES), sample=plan)
        found.append(by_query(scores, queries).loc[true.index].to_numpy())
    return np.array(found), drawn / draws / queries


@dataclass(frozen=True)
class Cell:
    """What simulations of one design, size and measure found; one of the coverages for every number of queries."""

    design: str
    size: int
    measure: str
    hard: bool
    relevant: float
    bias: float
    noise: float
    covered: tuple[Finding, ...]


def cells(
    *,
    cases: int,
    queries: int = 1000,
    draws: int = 8,
    sizes: tuple[int, ...] = SIZES,
    hard: bool = False,
) -> Iterator[Cell]:
    """Yield those of each measure of one run, and of its difference from the other run."""
    true = world(queries, hard)[2]
    for design in DESIGNS:
        for size in sizes:
            made, relevant = estimates(design, size, queries=queries, draws=draws, hard=hard)
            rng = np.random.default_rng([size, DESIGNS.index(design), hard])
            for measure in MEASURES:
                a, b = (true.index.get_loc((run, measure)) for run in "ab")
                apart = made[:, a] - made[:, b], (true.iloc[a] - true.iloc[b]).mean()
                for name, (own, mean) in (
                    (measure, (made[:, a], true.iloc[a].mean())),
                    (f"difference of {measure}", apart),
                ):
                    counts = []
                    for n in QUERIES:
                        query, draw = (
                            rng.integers(0, queries, (n, cases)),
                            rng.integers(0, draws, (n, cases)),
                        )
                        low, high = student_interval(*describe(own[draw, query]), 0.95)
                        hits = int(((low <= mean) & (mean <= high)).sum())
                        counts.append(Finding(name, design, n, cases, hits, 0.95, True))
                    noise = float(np.nanstd(own) / np.sqrt(own.size))
                    yield Cell(
                        design,
                        size,
                        name,
                        hard,
                        relevant,
                        float(np.nanmean(own) - mean),
                        noise,
                        tuple(counts),
                    )


def with_machine(
    design: str, judge: str, *, queries: int, draws: int, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the errors of P@10 of one run, (draws, queries), from items that a machine helps to choose; true values.

    People labeled two items a query before, at random.
    """
    runs, qrels, true = world(queries, False)
    rng = np.random.default_rng(1)
    grade, systems = truth(np.random.default_rng(0), queries, False)
    machine = qrels.assign(relevance=labeled_by(judge, rng, grade, systems).ravel())
    own = true.loc[("a", "P@10")].to_numpy()
    errors = []
    for seed in range(draws):
        pilot = qrels.sample(2 * queries, random_state=seed)
        given = {"size": size * queries, "design": design, "seed": seed}
        plan = runs.ireval.label_next.items(pilot, machine, "P@10", **given)
        asked = plan[plan["chosen"] | plan["labeled"]].merge(qrels)
        scores = runs.ireval.pool.estimate(asked, "P@10", sample=plan)
        errors.append(by_query(scores, queries).loc[("a", "P@10")].to_numpy() - own)
    return np.array(errors), own


def main(cases: int = 10_000) -> int:
    """Print the table of biases and coverages."""
    begin = time.process_time()
    print(
        "| world | design | items of 100 | relevant drawn | measure | bias | covers, n = 25 | 50 | 200 |"
    )
    print("|---|---|--:|--:|---|--:|--:|--:|--:|")
    for hard in (False, True):
        for one in cells(cases=cases, hard=hard):
            shares = " | ".join(f"{part.share:.3f}" for part in one.covered)
            where = f"{'hard' if hard else 'easy'} | {one.design} | {one.size} | {one.relevant:.1f}"
            print(f"| {where} | {one.measure} | {one.bias:+.3f} | {shares} |", flush=True)
    print(
        "\nItems that a machine helps to choose: standard deviation of a query's error in P@10, 10 items of 100.\n"
    )
    print("| judge | importance | all alike |\n|---|--:|--:|")
    for judge in JUDGES:
        errors = [
            with_machine(design, judge, queries=400, draws=8, size=10)[0]
            for design in ("importance", "uniform")
        ]
        print(f"| {judge} | {errors[0].std():.3f} | {errors[1].std():.3f} |")
    for design in DESIGNS:
        made, _ = estimates(design, 10, queries=1000, draws=8, hard=False)
        row = world(1000, False)[2].index.get_loc(("a", "P@10"))
        print(
            f"| none, {design} | {(made[:, row] - world(1000, False)[2].iloc[row].to_numpy()).std():.3f} | |"
        )
    print(f"\n{cases:,} simulations each; {time.process_time() - begin:.0f} s of processor time.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
