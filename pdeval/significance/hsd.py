"""Tukey's honestly significant difference: all pairs of runs under one family-wise error rate.

Analytic (studentised range; runs and queries as a two-way layout) for scores, and randomised for scores
and for preferences. Values are scores of shape (queries, runs), more is better, or preferences of shape
(queries, runs, runs), antisymmetric; nothing may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pdeval.significance.registry import significance_test
from pdeval.significance.resampling import chunks, in_threads, share_at_least
from pdeval.significance.test_result import Outcome, describe, ratio
from pdeval.tables.equal_values import NOISE
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
    return float(optimize.brentq(lambda q: float(upper_tail(q, k, df)) - p, 0.0, high, xtol=1e-12, rtol=1e-12))


def scale_points(df: float) -> tuple[np.ndarray, np.ndarray]:
    """Return points s and weights of the density of sqrt(chi2(df) / df), by the trapezoid rule on log s."""
    if np.isinf(df):
        return np.ones(1), np.ones(1)
    spread = 1 / np.sqrt(2 * df)
    step = min(0.03, 0.6 * spread)  # H(q s) itself falls over about 0.1 on the log scale when k is large

    # the log density is at most df (t + 1/2) and, right of 0, below -df t^2: no end is cut off
    t = step * np.arange(np.floor(-(60 / df + 0.5) / step), np.ceil(max(9 * spread, 1.0) / step) + 1)
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
    weight = 0.1 * np.exp(log_density[counted])
    return z[counted], weight


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
    if values.ndim == 2:
        largest = score_maxima(values, draws=draws, seed=seed, progress=progress)
        scale = float(np.ptp(values, axis=1).mean())
    else:
        largest = preference_maxima(values, draws=draws, seed=seed, progress=progress)
        scale = float(values.max(axis=(1, 2)).mean())
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
    df = (queries - 1) * (runs - 1)
    error = np.sqrt(residual_mean_square(X) / queries)
    n, mean, sd = described_pairs(X, a, b)
    statistic = ratio(np.abs(mean), error)
    half = simultaneous_half(X, confidence)
    return Outcome(n, mean, mean - half, mean + half, ratio(mean, sd), statistic, upper_tail(statistic, runs, df))


def simultaneous_half(X: np.ndarray, confidence: float) -> float:
    """Return half the width of the intervals of all differences of means that hold together, by Tukey.

    Examples
    --------
    >>> X = np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]])
    >>> round(simultaneous_half(X, 0.95), 4)
    0.2399
    """
    queries, runs = X.shape
    df = (queries - 1) * (runs - 1)
    return float(upper_point(1 - confidence, runs, df) * np.sqrt(residual_mean_square(X) / queries))


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


def described_pairs(values: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return number, mean and deviation of each pair's differences."""
    width = max(1, BLOCK // len(values))
    parts = []
    for start in range(0, len(a), width):
        left, right = a[start : start + width], b[start : start + width]
        D = values[:, left] - values[:, right] if values.ndim == 2 else values[:, left, right]
        parts.append(describe(D))
    n, mean, sd = (np.concatenate(column) for column in zip(*parts, strict=True))
    return n, mean, sd


def orders(shape: tuple[int, int], size: int, block: int, seed: np.random.SeedSequence) -> Iterator[np.ndarray]:
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
        key = random.integers(0, np.iinfo(kind).max, size=(count, queries, runs), dtype=kind, endpoint=True)
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

    def chunk(step: tuple[int, np.random.SeedSequence]) -> np.ndarray:
        size, child = step
        parts = orders((queries, runs), size, at_a_time, child)
        return np.concatenate([np.ptp(flat[order + first].sum(axis=1), axis=1) / queries for order in parts])

    steps = chunks(draws, seed)
    done = in_threads(chunk, steps, threads=threads)
    return np.concatenate(list(track(done, total=len(steps), desc="randomised HSD", progress=progress)))


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

    def chunk(step: tuple[int, np.random.SeedSequence]) -> np.ndarray:
        size, child = step
        parts = [largest_means(flat, order) for order in orders((queries, runs), size, at_a_time, child)]
        return np.concatenate(parts)

    steps = chunks(draws, seed)
    done = in_threads(chunk, steps, threads=threads)
    return np.concatenate(list(track(done, total=len(steps), desc="randomised HSD", progress=progress)))


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
    place, value = np.empty(sums[0].size, dtype=np.intp), np.empty(sums[0].size)
    room = [(place[: s.size].reshape(s.shape), value[: s.size].reshape(s.shape)) for s in sums]
    for query in range(queries):
        for (start, stop), total, (where, found) in zip(tiles, sums, room, strict=True):
            np.add(row[query, start:stop, None], column[query, None, start + 1 :], out=where)
            np.take(flat[query], where, out=found, mode="clip")
            total += found
    return np.max([np.abs(total).max(axis=(0, 1)) for total in sums], axis=0) / queries
