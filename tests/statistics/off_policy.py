"""Bias and coverage of off-policy estimates, by simulation: `python -m tests.statistics.off_policy`.

A world has contexts, a logging policy, a policy to evaluate and reward probabilities; the truth is known. Every case is
a log of n rounds. The cases are the columns of one `Weighted` log, so all logs are estimated at once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pdeval.online.off_policy import ESTIMATORS, Weighted
from pdeval.significance.registry import student_interval
from pdeval.tables.equal_values import describe
from tests.statistics.findings import Finding

NAMES = ("IPS", "SNIPS", "ClippedIPS", "DM", "DR")
SIZES = (50, 200, 1000)
CONTEXTS, ACTIONS, CLIP = 20, 5, 10.0
# how far the logging policy is from the policy: largest weights of 2.3 and 34
WORLDS = {"near": 1.0, "far": 4.0}


@dataclass(frozen=True)
class Cell:
    """Bias of an estimator, its standard error, and the coverage of Student's interval of its mean."""

    estimator: str
    world: str
    bias: float
    noise: float
    covered: Finding


def world(sharpness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the probabilities of both policies and of a reward, of shape (contexts, actions)."""
    rng = np.random.default_rng(1)
    logging, target = rng.random((2, CONTEXTS, ACTIONS)) * sharpness
    policies = [np.exp(one) / np.exp(one).sum(axis=1, keepdims=True) for one in (logging, target)]
    return policies[0], policies[1], rng.uniform(0.05, 0.6, (CONTEXTS, ACTIONS))


def cells(cases: int = 4000, seed: int = 0) -> Iterator[Cell]:
    """Yield bias and coverage of every estimator, world and number of rounds."""
    for name, sharpness in WORLDS.items():
        logging, target, chance = world(sharpness)
        truth = float((target * chance).sum(axis=1).mean())
        model = np.clip(chance + 0.1, 0, 1)  # a reward table that is off by .1
        for n in SIZES:
            rng = np.random.default_rng((seed, n))
            context = rng.integers(CONTEXTS, size=(n, cases))
            below = rng.random((n, cases, 1)) > np.cumsum(logging, axis=1)[context]
            action = np.minimum(below.sum(axis=2), ACTIONS - 1)
            at = context, action
            log = Weighted(
                weight=target[at] / logging[at],
                reward=(rng.random((n, cases)) < chance[at]) * 1.0,
                expected=model[at],
                direct=(target * model).sum(axis=1)[context],
                round=np.arange(n),
                rank=np.zeros(n, dtype=np.int64),
                clip=CLIP,
            )
            for estimator in NAMES:
                count, mean, sd = describe(ESTIMATORS[estimator](log))
                low, high = student_interval(count, mean, sd, 0.95)
                hits = int(((low <= truth) & (truth <= high)).sum())
                finding = Finding(estimator, name, n, cases, hits, 0.95, covers=True)
                noise = float(mean.std(ddof=1) / np.sqrt(cases))
                yield Cell(estimator, name, float(mean.mean()) - truth, noise, finding)


def main() -> int:
    """Print the table."""
    print("| estimator | policies | n | bias | noise | coverage |\n|---|---|--:|--:|--:|--:|")
    for one in cells():
        print(
            f"| {one.estimator} | {one.world} | {one.covered.n:,} | {one.bias:+.4f} | {one.noise:.4f} | "
            f"{one.covered.share:.3f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
