"""The normal limit of the randomised HSD: for so many queries that drawing permutations takes minutes."""

from __future__ import annotations

import numpy as np

from pdeval.significance.hsd import described_pairs, randomised
from pdeval.significance.registry import significance_test
from pdeval.significance.resampling import chunks, in_threads, share_at_least
from pdeval.significance.test_result import Outcome, ratio
from pdeval.verbs.progress import track

CELLS = 1 << 21
FEW = 200  # queries, below which the means of signs move in steps that are too large
LIMIT = 0.03  # of the fourth moment of a mean, in units of its squared variance, that single queries bring in


@significance_test(
    family_wise=True,
    aliases=("hsd_normal",),
    reference="Carterette 2012",
    says="randomised Tukey HSD (normal limit) test",
)
def normal_hsd(
    values: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    *,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> Outcome:
    """Return the randomised Tukey HSD test with means of permuted queries drawn from their normal limit.

    The mean over many queries of matrices whose runs are permuted at random is a normal matrix, of which two numbers
    say everything: the variance of the sums of its rows, and that of its cells, both known from the queries. It is
    drawn instead of the permutations, which takes no longer for more queries. Where queries are few (signs: fewer than
    200), or a few outweigh the rest (fourth moment of a mean above 0.03), means are not near normal, and all is as in
    'hsd'.

    Notes
    -----
    Where 'hsd' (40,000 draws; 10 runs; preferences from flat to heavy-tailed, just within what is accepted) gives p =
    .1, .05 and .01, this gives .092 to .101, .045 to .051, and .0085 to .0102: more often too small a p than too large.
    On other data (5 and 10 runs, 50 to 5,000 queries, 5,000 to 20,000 draws, whose own noise at p = .01 is a twelfth) p
    was within 12% where preferences take many values, as RPP does. Where they are signs alone (with or without ties;
    differences of yes and no), means move in steps, and half a step is added to what is drawn, without which p was too
    small by up to a third. With it, p of 5, 10 and 20 runs was off by -9 to +10% with 200 queries, and with 1,000 by -6
    to +8% at .1 and .05 and -10 to +17% at .01 (10,000 draws, whose own noise is 3, 4 and 10%). With 50 queries it
    would be too large by up to a half: signs on fewer than 200 queries are permuted, as in 'hsd'.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((400, 3)) + [0.0, 0.01, 0.2]
    >>> outcome = normal_hsd(X, np.array([0, 0]), np.array([1, 2]), draws=999)
    >>> bool(outcome.p_value[0] > 0.1), bool(outcome.p_value[1] < 0.01)
    (True, True)
    """
    step = step_of_signs(values)
    if (step and len(values) < FEW) or not near_normal(values):
        return randomised(values, a, b, confidence=confidence, draws=draws, seed=seed, progress=progress)
    order, cycle = spreads(values)
    runs = values.shape[1]

    def chunk(part: tuple[int, np.random.SeedSequence]) -> np.ndarray:
        size, child = part
        rng = np.random.default_rng(child)
        if values.ndim == 2:
            return np.ptp(rng.standard_normal((size, runs)), axis=1) * order / np.sqrt(runs)
        return _largest(rng.standard_normal((size, runs * (runs - 1) // 2)), runs, order, cycle)

    steps = chunks(draws, seed)
    done = in_threads(chunk, steps)
    largest = np.concatenate(list(track(done, total=len(steps), desc="normal HSD", progress=progress)))
    largest += step / 2  # a step of the means is the stretch around it of the normal limit
    n, mean, sd = described_pairs(values, a, b)
    p = share_at_least(largest, np.abs(mean), float(np.abs(values).max(initial=0.0)))
    half = np.quantile(largest, confidence, method="inverted_cdf")
    return Outcome(n, mean, mean - half, mean + half, ratio(mean, sd), np.abs(mean), p)


def spreads(values: np.ndarray) -> tuple[float, float]:
    """Return the deviation of what a permuted mean matrix says of an order, and of what it says in circles.

    An antisymmetric matrix is the sum of differences of numbers of the runs, its row means, and of what is left, whose
    rows add up to nothing; permuting the runs at random mixes neither into the other.

    Examples
    --------
    >>> [round(one, 4) for one in spreads(np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]]))]  # scores have no circles
    [0.866, 0.0]
    """
    queries, runs = values.shape[:2]
    if values.ndim == 2:
        rows = runs * (values - values.mean(axis=1, keepdims=True))
        return float(np.sqrt(np.square(rows).sum() / runs / (runs - 1))) / queries, 0.0
    rows = cells = 0.0
    step = max(1, CELLS // runs**2)
    for first in range(0, queries, step):
        part = values[first : first + step]
        rows += float(np.square(part.sum(axis=2)).sum())
        cells += float(np.square(part).sum())
    order = rows / runs / (runs - 1)
    left = cells / (runs * (runs - 1)) - order * 2 / runs
    cycle = left / (1 - 2 / runs) if runs > 2 else 0.0
    return float(np.sqrt(order)) / queries, float(np.sqrt(max(cycle, 0.0))) / queries


def step_of_signs(values: np.ndarray) -> float:
    """Return the steps in which a mean over the queries moves where all differences are of one size, else 0.

    Examples
    --------
    >>> step_of_signs(np.array([[0.0, 1.0], [1.0, 0.0]])), step_of_signs(np.array([[0.0, 1.0], [1.0, 1.0]]))
    (1.0, 0.5)
    >>> step_of_signs(np.array([[0.0, 1.0], [1.0, 0.5]]))
    0.0
    """
    runs = values.shape[1]
    size, ties = 0.0, False
    block = max(1, CELLS // runs**2)
    for first in range(0, len(values), block):
        part = values[first : first + block]
        part = np.abs(part if part.ndim == 3 else part[:, :, None] - part[:, None, :])
        size = size or float(part.max(initial=0.0))
        zero = part == 0
        if not (zero | (part == size)).all():
            return 0.0
        ties = ties or np.count_nonzero(zero) > len(part) * runs
    return (1 if ties else 2) * size / len(values)


def near_normal(values: np.ndarray) -> bool:
    """Return whether permuted means over the queries are near normal, by what single queries add to a fourth moment.

    Examples
    --------
    >>> near_normal(np.random.default_rng(0).random((400, 3))), near_normal(np.random.default_rng(0).random((20, 3)))
    (True, False)
    """
    squares = fourths = 0.0
    step = max(1, CELLS // values[0].size)
    for first in range(0, len(values), step):
        part = values[first : first + step]
        part = np.square(part if part.ndim == 3 else part[:, :, None] - part[:, None, :])
        squares += float(part.sum())
        fourths += float(np.square(part).sum())
    pairs = values.shape[1] * (values.shape[1] - 1)
    return fourths * pairs <= LIMIT * squares**2


def _largest(normal: np.ndarray, runs: int, order: float, cycle: float) -> np.ndarray:
    """Return the largest absolute cell of matrices with these deviations, from normal numbers above the diagonal."""
    a, b = np.triu_indices(runs, k=1)
    square = np.zeros((len(normal), runs, runs))
    square[:, a, b] = normal
    rows = (square.sum(axis=2) - square.sum(axis=1)) / runs
    found: np.ndarray = np.abs(cycle * normal + (order - cycle) * (rows[:, a] - rows[:, b])).max(axis=1)
    return found
