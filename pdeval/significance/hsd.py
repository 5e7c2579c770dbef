"""Tukey's honestly significant difference: all pairs of runs under one family-wise error rate.

Analytic (studentised range; runs and queries as a two-way layout) for scores; randomised for scores and for
preferences; and the normal limit of the latter, for so many queries that drawing permutations takes minutes. Values are
scores of shape (queries, runs), more is better, or preferences of shape (queries, runs, runs), antisymmetric; nothing
may be missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pdeval.significance.registry import Outcome, described_pairs, significance_test
from pdeval.significance.resampling import chunks, in_threads, share_at_least
from pdeval.tables.equal_values import NOISE, ratio
from pdeval.verbs.progress import track

# Cells (values x outer x inner points) that one block of the double integral may hold.
STUDENTIZED_BLOCK = 2**20


def upper_tail(q: np.ndarray | float, k: int, df: float) -> np.ndarray:
    """Return P(studentised range of k means > q), accurate to about 1e-13.

    Parameters
    ----------
    q : array_like
        Studentised ranges; infinity gives 0.
    k : int
        Number of means, at least 2.
    df : float
        Degrees of freedom of the variance estimate, at least 1; infinite where the variance is known.

    References
    ----------
    Lund and Lund (1983), Algorithm AS 190: probabilities and upper quantiles for the studentized range.

    Examples
    --------
    The textbook's upper 5% point for 3 means and 10 degrees of freedom is 3.877.

    >>> upper_tail(3.8767767, 3, 10).round(6).item()
    0.05
    """
    from scipy import special

    q = np.asarray(q, dtype=float)
    scale, weight = scale_points(df)
    z, density = maximum_points(k)
    below = special.ndtr(z)
    flat, tails = q.ravel(), np.zeros(q.size)
    # the range of k normal values is never above 40 in double precision: beyond, the tail is 0
    finite = np.flatnonzero(np.isfinite(flat))
    rows = max(1, STUDENTIZED_BLOCK // (len(scale) * len(z)))
    for start in range(0, len(finite), rows):
        part = finite[start : start + rows]
        width = np.minimum(flat[part, None] * scale, 40.0)
        inside = np.minimum(special.ndtr(z - width[:, :, None]) / below, 1.0)
        with np.errstate(divide="ignore"):
            exceeds = -np.expm1((k - 1) * np.log1p(-inside)) @ density
        tails[part] = exceeds @ weight
    return np.minimum(tails, 1.0).reshape(q.shape)


def upper_point(p: float, k: int, df: float) -> float:
    """Return the q with P(studentised range of k means > q) = p.

    Examples
    --------
    >>> round(upper_point(0.05, 3, 10), 3)
    3.877
    """
    from scipy import optimize

    high = 4.0
    while upper_tail(high, k, df) > p:
        high *= 2
    return float(
        optimize.brentq(
            lambda q: float(upper_tail(q, k, df)) - p, 0.0, high, xtol=1e-12, rtol=1e-12
        )
    )


def scale_points(df: float) -> tuple[np.ndarray, np.ndarray]:
    """Return points s and weights of the density of sqrt(chi2(df) / df), by the trapezoid rule on log s."""
    if np.isinf(df):
        return np.ones(1), np.ones(1)
    spread = 1 / np.sqrt(2 * df)
    step = min(
        0.03, 0.6 * spread
    )  # H(q s) itself falls over about 0.1 on the log scale when k is large

    # the log density is at most df (t + 1/2) and, right of 0, below -df t^2: no end is cut off
    t = step * np.arange(
        np.floor(-(60 / df + 0.5) / step), np.ceil(max(9 * spread, 1.0) / step) + 1
    )
    log_density = df * (t - np.expm1(2 * t) / 2)
    t, log_density = t[log_density > -60], log_density[log_density > -60]
    weight = np.exp(log_density)
    return np.exp(t), weight / weight.sum()


def maximum_points(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points z and weights of the density of the largest of k normal values, by the trapezoid rule."""
    from scipy import special

    z = np.arange(-10.0, 9.6, 0.1)
    log_density = -(z**2) / 2 - np.log(2 * np.pi) / 2 + np.log(k) + (k - 1) * special.log_ndtr(z)
    counted = log_density > -85
    return z[counted], 0.1 * np.exp(log_density[counted])


# Values (draws x queries x runs) permuted at a time: about the size of the second-level cache.
BLOCK = 2**17
# Cells (draws x pairs) of the preference matrix summed at a time, and its rows gathered in one step.
PAIR_BLOCK = 2**19
TILE = 10


@significance_test(
    name="hsd",
    family_wise=True,
    aliases=("randomised_hsd", "randomized_hsd"),
    reference="Carterette 2012",
    says="randomised Tukey HSD test",
)
def randomised(
    values: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    *,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> Outcome:
    """Return the randomised Tukey HSD test of pairs of runs, from scores or from preferences.

    In every draw the run labels are permuted inside each query and the largest absolute mean preference
    over all pairs is kept; p = (1 + draws whose largest one reaches |observed|) / (1 + draws). For scores
    that is the range of the run means. A draw that falls short by rounding alone (1e-12 of the mean over
    queries of the largest preference) counts as reaching it, so scores and the preferences that are their
    differences give the same p. The statistic is |difference|; the interval takes the same distance from
    every difference, the draws' quantile; the effect size is Cohen's d of the pair's differences.

    References
    ----------
    Carterette (2012), Multiple testing in statistical analysis of systems-based information retrieval
    experiments.

    Examples
    --------
    >>> X = np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]] * 3)
    >>> outcome = randomised(X, np.array([0, 0]), np.array([1, 2]), draws=999)
    >>> bool(outcome.p_value[0] > 0.5), bool(outcome.p_value[1] < 0.01)
    (True, True)
    """
    maxima = score_maxima if values.ndim == 2 else preference_maxima
    largest = maxima(values, draws=draws, seed=seed, progress=progress)
    size = np.ptp(values, axis=1) if values.ndim == 2 else values.max(axis=(1, 2))
    return _against_maxima(values, a, b, largest, float(size.mean()), confidence)


def _against_maxima(
    values: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    largest: np.ndarray,
    scale: float,
    confidence: float,
) -> Outcome:
    """Return the test of all pairs against draws of the largest absolute mean difference."""
    n, mean, sd = described_pairs(values, a, b)
    p = share_at_least(largest, np.abs(mean), scale)
    half = np.quantile(largest, confidence, method="inverted_cdf")
    return Outcome(n, mean, mean - half, mean + half, ratio(mean, sd), np.abs(mean), p)


@significance_test(
    family_wise=True,
    scores_only=True,
    aliases=("tukey_hsd", "analytic_hsd"),
    reference="Tukey 1953",
    says="Tukey HSD test",
)
def tukey(X: np.ndarray, a: np.ndarray, b: np.ndarray, *, confidence: float = 0.95) -> Outcome:
    """Return Tukey's HSD test of pairs of runs, with queries as blocks.

    statistic = |mean_a - mean_b| / sqrt(MSE / queries), where MSE is the residual mean square of the
    two-way table run + query; p is its upper tail in the studentised range distribution of all the runs,
    with (queries - 1)(runs - 1) degrees of freedom. The interval is simultaneous over all pairs. The
    effect size is Cohen's d of the pair's differences. No residual at all: p = 0, or 1 for equal means.

    Examples
    --------
    >>> X = np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]])
    >>> tukey(X, np.array([0, 0]), np.array([1, 2])).p_value.round(4).tolist()
    [0.4555, 0.001]
    """
    queries, runs = X.shape
    n, mean, sd = described_pairs(X, a, b)
    statistic = ratio(np.abs(mean), np.sqrt(residual_mean_square(X) / queries))
    p = upper_tail(statistic, runs, (queries - 1) * (runs - 1))
    half = simultaneous_half(X, confidence)
    return Outcome(n, mean, mean - half, mean + half, ratio(mean, sd), statistic, p)


def simultaneous_half(X: np.ndarray, confidence: float) -> float:
    """Return half the width of the intervals of all differences of means that hold together, by Tukey.

    Examples
    --------
    >>> X = np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]])
    >>> round(simultaneous_half(X, 0.95), 4)
    0.2399
    """
    queries, runs = X.shape
    critical = upper_point(1 - confidence, runs, (queries - 1) * (runs - 1))
    return float(critical * np.sqrt(residual_mean_square(X) / queries))


def residual_mean_square(X: np.ndarray) -> float:
    """Return the residual mean square of the additive table run + query; 0 where it is rounding alone.

    Examples
    --------
    >>> residual_mean_square(np.array([[0.0, 1.0], [0.0, 3.0], [1.0, 0.0]]))
    2.0
    """
    centred = X - X[:, :1]
    residual = centred - centred.mean(axis=1, keepdims=True) - centred.mean(axis=0) + centred.mean()
    total = np.square(residual).sum()
    # a table without residual leaves the rounding of its means, which is not an error to test against
    if total <= NOISE**2 * np.square(centred).sum():
        return 0.0
    return float(total / ((X.shape[0] - 1) * (X.shape[1] - 1)))


def orders(
    shape: tuple[int, int], size: int, block: int, seed: np.random.SeedSequence
) -> Iterator[np.ndarray]:
    """Yield `size` random orders of the runs of every query, (draws, queries, runs), `block` draws at a time.

    Runs are sorted by random 32-bit keys whose low bits hold the run, which sorts faster than a shuffle and lets
    threads work side by side; of two keys that are otherwise equal, at most one pair in 2^20, the lower run comes
    first. More than 4,096 runs take 64-bit keys. The orders depend on the seed alone, not on `block`.
    """
    queries, runs = shape
    kind: type[np.unsignedinteger] = np.uint32 if runs <= 4096 else np.uint64
    low = kind((1 << max(runs - 1, 1).bit_length()) - 1)
    random = np.random.default_rng(seed)
    for start in range(0, size, block):
        count = min(block, size - start)
        key = random.integers(
            0, np.iinfo(kind).max, size=(count, queries, runs), dtype=kind, endpoint=True
        )
        key &= ~low
        key |= np.arange(runs, dtype=kind)
        key.sort(axis=-1)
        key &= low
        yield key


def score_maxima(
    X: np.ndarray,
    *,
    draws: int,
    seed: int | None,
    progress: bool | None = None,
    copies: int | None = None,
    threads: int | None = None,
) -> np.ndarray:
    """Return, for every draw, the range of the run means after permuting the runs inside each query.

    `copies`, the draws made at a time, and `threads` change the speed and nothing else.
    """
    queries, runs = X.shape
    at_a_time = copies or max(1, BLOCK // X.size)
    flat = (X - X.min(axis=1, keepdims=True)).ravel()
    first = (np.arange(queries) * runs)[:, None]

    def chunk(size: int, child: np.random.SeedSequence) -> np.ndarray:
        parts = orders((queries, runs), size, at_a_time, child)
        return np.concatenate(
            [np.ptp(flat[order + first].sum(axis=1), axis=1) / queries for order in parts]
        )

    return _all_draws(chunk, draws, seed, "randomised HSD", progress, threads)


def _all_draws(
    chunk: Callable[[int, np.random.SeedSequence], np.ndarray],
    draws: int,
    seed: int | None,
    title: str,
    progress: bool | None,
    threads: int | None = None,
) -> np.ndarray:
    """Return one value per draw, `chunk` giving those of some draws that share a seed."""
    steps = chunks(draws, seed)
    done = in_threads(lambda step: chunk(*step), steps, threads=threads)
    return np.concatenate(list(track(done, total=len(steps), desc=title, progress=progress)))


def preference_maxima(
    T: np.ndarray,
    *,
    draws: int,
    seed: int | None,
    progress: bool | None = None,
    copies: int | None = None,
    threads: int | None = None,
) -> np.ndarray:
    """Return, for every draw, the largest |mean preference| after permuting the runs inside each query.

    Permuting the runs of a query permutes the rows and the columns of its matrix alike. `copies`, the draws
    made at a time, and `threads` change the speed and nothing else.
    """
    queries, runs, _ = T.shape
    # below 16 draws at a time the inner loops are too short
    at_a_time = copies or int(np.clip(PAIR_BLOCK // (runs * (runs - 1) // 2), 16, 64))
    flat = np.ascontiguousarray(T).reshape(queries, -1)

    def chunk(size: int, child: np.random.SeedSequence) -> np.ndarray:
        parts = orders((queries, runs), size, at_a_time, child)
        return np.concatenate([largest_means(flat, order) for order in parts])

    return _all_draws(chunk, draws, seed, "randomised HSD", progress, threads)


def largest_means(flat: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return max |mean over queries of the permuted preference matrix|, for orders (draws, queries, runs).

    Only the part above the diagonal is summed. Draws are the last axis, where memory is contiguous, so
    that the places in the flat matrix come from one addition of run numbers.
    """
    size, queries, runs = order.shape
    column = np.ascontiguousarray(order.transpose(1, 2, 0)).astype(np.intp)
    row = column * runs
    tiles = [(start, min(start + TILE, runs - 1)) for start in range(0, runs - 1, TILE)]
    sums = [np.zeros((stop - start, runs - start - 1, size)) for start, stop in tiles]
    # all tiles write their places and values to the same memory
    place, value = np.empty(sums[0].size, dtype=np.intp), np.empty(sums[0].size)
    buffers = [(place[: s.size].reshape(s.shape), value[: s.size].reshape(s.shape)) for s in sums]
    for query in range(queries):
        for (start, stop), total, (places, values) in zip(tiles, sums, buffers, strict=True):
            np.add(row[query, start:stop, None], column[query, None, start + 1 :], out=places)
            np.take(flat[query], places, out=values, mode="clip")
            total += values
    return np.max([np.abs(total).max(axis=(0, 1)) for total in sums], axis=0) / queries


CELLS = 1 << 21  # of the matrices of preferences that are looked at at a time
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
        return randomised(
            values, a, b, confidence=confidence, draws=draws, seed=seed, progress=progress
        )
    order, cycle = spreads(values)
    runs = values.shape[1]

    def chunk(size: int, child: np.random.SeedSequence) -> np.ndarray:
        rng = np.random.default_rng(child)
        if values.ndim == 2:
            return np.ptp(rng.standard_normal((size, runs)), axis=1) * order / np.sqrt(runs)
        return _largest(rng.standard_normal((size, runs * (runs - 1) // 2)), runs, order, cycle)

    largest = _all_draws(chunk, draws, seed, "normal HSD", progress)
    largest += step / 2  # a step of the means is the stretch around it of the normal limit
    return _against_maxima(
        values, a, b, largest, float(np.abs(values).max(initial=0.0)), confidence
    )


def _matrices(values: np.ndarray) -> Iterator[np.ndarray]:
    """Yield preferences (queries, runs, runs), some queries at a time; of scores, their differences."""
    block = max(1, CELLS // values.shape[1] ** 2)
    for first in range(0, len(values), block):
        part = values[first : first + block]
        yield part if part.ndim == 3 else part[:, :, None] - part[:, None, :]


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
    for part in _matrices(values):
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
    size, ties = 0.0, False
    for part in map(np.abs, _matrices(values)):
        size = size or float(part.max(initial=0.0))
        zero = part == 0
        if not (zero | (part == size)).all():
            return 0.0
        ties = (
            ties or np.count_nonzero(zero) > len(part) * values.shape[1]
        )  # more than a run with itself
    return (1 if ties else 2) * size / len(values)


def near_normal(values: np.ndarray) -> bool:
    """Return whether permuted means over the queries are near normal, by what single queries add to a fourth moment.

    Examples
    --------
    >>> near_normal(np.random.default_rng(0).random((400, 3))), near_normal(np.random.default_rng(0).random((20, 3)))
    (True, False)
    """
    squares = fourths = 0.0
    for part in map(np.square, _matrices(values)):
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
    cells = cycle * normal + (order - cycle) * (rows[:, a] - rows[:, b])
    return np.asarray(np.abs(cells).max(axis=1))
