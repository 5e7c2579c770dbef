"""Coverage of prediction-powered intervals over judges good and bad: `python -m tests.statistics.machine_labels`.

A world of queries is made once: two systems rank the items of each query, people say which are relevant, and so do
five judges. Every simulation draws queries from it, of which people labeled n; the mean over the world is the truth.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

import pdeval  # noqa: F401
from pdeval.evaluate.pairs import select
from pdeval.evaluate.ppi import powered
from pdeval.evaluate.scores import scores
from pdeval.join.judged import join
from pdeval.significance.registry import student_interval
from pdeval.tables.equal_values import describe
from tests.statistics.findings import Finding

ITEMS = 100
MEASURES = ("AP", "nDCG@10", "P@10")
JUDGES = ("random", "biased", "partial", "perfect", "adversarial")
LABELED = (20, 50, 100, 200)
ALONE = 400


def truth(
    rng: np.random.Generator, queries: int, hard: bool
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return grades 0 to 2 of every item, and the scores that two systems give, the first a little better.

    Where it is hard, a query has few relevant items and systems are weak: most values are small, and a few large.
    """
    relevant = (1 + rng.geometric(0.4, queries) if hard else 3 + rng.geometric(0.15, queries)).clip(
        max=40
    )
    grade = np.where(
        np.arange(ITEMS) < relevant[:, None], 1 + (rng.random((queries, ITEMS)) < 0.3), 0
    )
    ease = rng.normal(0.0, 0.23, (queries, 1))
    systems = {}
    for name, skill in (("a", 0.6), ("b", 0.5)) if hard else (("a", 1.2), ("b", 1.08)):
        systems[name] = (grade > 0) * np.maximum(skill + ease, 0) + rng.normal(size=grade.shape)
    return grade, systems


def labeled_by(
    judge: str, rng: np.random.Generator, grade: np.ndarray, systems: dict[str, np.ndarray]
) -> np.ndarray:
    """Return the grades that a judge gives."""
    chance = rng.random(grade.shape)
    if judge == "random":  # as many relevant items as people find, anywhere
        return (chance < (grade > 0).mean()) * (1 + (rng.random(grade.shape) < 0.3))
    if judge == "biased":  # misses a quarter of what is relevant and adds a twelfth of the rest
        return np.where(grade > 0, grade * (chance >= 0.25), chance < 0.08)
    if judge == "partial":  # likes what system b puts first
        place = np.argsort(np.argsort(-systems["b"], axis=1), axis=1)
        return np.where(place < 10, np.maximum(grade, chance < 0.4), grade * (chance >= 0.25))
    if judge == "adversarial":  # finds relevant what is not, and nothing else
        return (grade == 0) * (chance < 0.4) * 1
    return grade


@cache
def world(queries: int, seed: int = 0, *, hard: bool = False) -> dict[str, dict[str, np.ndarray]]:
    """Return the values of all queries, by who labeled and by measure: those of one system, differences, RPP."""
    rng = np.random.default_rng(seed)
    grade, systems = truth(rng, queries, hard)
    query, doc = np.repeat(np.arange(queries), ITEMS), np.tile(np.arange(ITEMS), queries)
    lists = [
        pd.DataFrame({"run": name, "query_id": query, "doc_id": doc, "score": score.ravel()})
        for name, score in systems.items()
    ]
    runs = pd.concat(lists, ignore_index=True)
    found = {}
    for who in ("people", *JUDGES):
        own = grade if who == "people" else labeled_by(who, rng, grade, systems)
        qrels = pd.DataFrame({"query_id": query, "doc_id": doc, "relevance": own.ravel()})
        judged = join(runs, qrels, queries="judged", validate=False)
        cube = scores(judged, list(MEASURES))
        values = {name: cube.values[place, :, 0] for place, name in enumerate(MEASURES)}
        apart = {
            f"difference of {name}": -np.diff(cube.values[place])[:, 0]
            for place, name in enumerate(MEASURES)
        }
        found[who] = {**values, **apart, "RPP": select(judged, "RPP").cube(False).values[0, :, 0]}
    return found


@dataclass(frozen=True)
class Cell:
    """What simulations of one judge, measure and number of labeled queries found."""

    judge: str
    measure: str
    n: int
    covered: Finding
    people: Finding
    alone: Finding
    width: float
    against_people: float
    against_all: float
    lam: float
    worth: float


def cell(
    judge: str,
    measure: str,
    n: int,
    *,
    cases: int,
    alone: int = ALONE,
    size: int = 20_000,
    hard: bool = False,
) -> Cell:
    """Return how often three intervals cover the truth, and how wide that of both labels is beside the others."""
    values = world(size, hard=hard)
    human, machine = values["people"][measure], values[judge][measure]
    rng = np.random.default_rng([n, JUDGES.index(judge), list(values["people"]).index(measure)])
    both, rest = rng.integers(0, size, (n, cases)), rng.integers(0, size, (alone, cases))
    drawn = np.concatenate([both, rest])
    h = np.where(np.arange(n + alone)[:, None] < n, human[drawn], np.nan)
    made = powered(h, machine[drawn])
    ends = {"covered": made.interval(0.95)}
    ends["people"] = student_interval(*describe(human[both]), 0.95)
    ends["alone"] = student_interval(*describe(machine[drawn]), 0.95)
    everyone = student_interval(*describe(human[drawn]), 0.95)
    hits = {
        who: int(((low <= human.mean()) & (human.mean() <= high)).sum())
        for who, (low, high) in ends.items()
    }
    found = {who: Finding(measure, judge, n, cases, hit, 0.95, True) for who, hit in hits.items()}
    width = float((ends["covered"][1] - ends["covered"][0]).mean())
    others = [float((high - low).mean()) for low, high in (ends["people"], everyone)]
    return Cell(
        judge,
        measure,
        n,
        **found,
        width=width,
        against_people=width / others[0],
        against_all=width / others[1],
        lam=float(made.lam.mean()),
        worth=float(np.median(made.effective_n)),
    )


def cells(*, cases: int, size: int = 20_000) -> Iterator[Cell]:
    """Yield all of them."""
    for judge in JUDGES:
        for measure in world(size)["people"]:
            for n in LABELED:
                yield cell(judge, measure, n, cases=cases, size=size)


def main(cases: int = 10_000) -> int:
    """Print the table of coverages, and return 1 where one is outside of 93 to 97%, or wider than people by 5%."""
    begin = time.process_time()
    found = list(cells(cases=cases))
    print(
        "| judge | measure | n | covers | people alone | judge alone | lambda | width / people's | / all by people's |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for one in found:
        shares = " | ".join(f"{part.share:.3f}" for part in (one.covered, one.people, one.alone))
        ratios = f"{one.lam:.2f} | {one.against_people:.3f} | {one.against_all:.3f}"
        print(f"| {one.judge} | {one.measure} | {one.n} | {shares} | {ratios} |")
    low, high = (end(one.covered.share for one in found) for end in (min, max))
    wide = max(one.against_people for one in found)
    print(
        f"\n{len(found)} cells of {cases:,} simulations: coverage {low:.3f} to {high:.3f}; at most {wide:.3f} times as"
    )
    print(
        f"wide as people alone, on average. {time.process_time() - begin:.0f} s of processor time."
    )
    print(
        "\nWhere most values are small (AP .15 on average, skewness 1.9), biased judge, both labels and people alone:"
    )
    for measure in ("AP", "nDCG@10", "P@10", "difference of AP", "RPP"):
        hard = [cell("biased", measure, n, cases=cases, hard=True) for n in LABELED]
        shown = ", ".join(
            f"n = {one.n}: {one.covered.share:.3f} and {one.people.share:.3f}" for one in hard
        )
        print(f"{measure}: {shown}")
    one = cell("biased", "AP", 50, cases=cases, alone=550)
    print(
        f"\n600 queries, 50 labeled, biased judge, AP: width {one.width / one.against_people:.3f} and coverage ",
        end="",
    )
    print(
        f"{one.people.share:.2f} from people alone, coverage {one.alone.share:.2f} from the judge alone, width ",
        end="",
    )
    print(
        f"{one.width:.3f} and coverage {one.covered.share:.2f} together, worth {one.worth:.0f} queries."
    )
    return int(low < 0.93 or high > 0.97 or wide > 1.05)


if __name__ == "__main__":
    sys.exit(main())
