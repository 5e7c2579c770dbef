"""Pairwise tests, computed for all pairs at once: t, Wilcoxon, sign, randomization, bootstrap.

Every test takes D of shape (queries, pairs): the differences between run a and run b. NaN means that the query does
not count for the pair. All tests are two-sided and need at least two queries in every column. A pair whose differences
are all 0 has p = 1, statistic 0 and effect size 0. Rounding errors are set to 0 in `paired_differences.Pairs.blocks`.

The interval of a test is the set of shifts that it does not reject at 1 - confidence, so it includes 0 exactly if the
p-value is not below that level. The level may be an array with one value per pair.
"""

import numpy as np

from pdeval.evaluate import chunks, draw_blocks, powered
from pdeval.significance.max_t import critical_value
from pdeval.significance.registry import (
    Outcome,
    significance_test,
    student_interval,
    student_test,
)
from pdeval.tables import NOISE, average_ranks, describe, ratio
from pdeval.verbs import special, track

# Columns whose bootstrap draws are in memory at the same time.
BOOTSTRAP_PAIRS = 256
# Walsh averages (pairs of queries x columns) in memory at a time; above so many queries they are bisected.
WALSH_BLOCK = 2**22
MOST_WALSH = 1000
# Largest number of tied differences for which Wilcoxon's test tries all signs; sums in memory at a time.
MOST_TIED = 13
PATTERNS = 2**20
# Values of the noncentrality that are computed together, and the finest grid of their integrals.
NONCENTRAL_BLOCK = 2**10
MOST_HALVINGS = 4


@significance_test(
    name="t",
    aliases=("student", "ttest", "t-test"),
    reference="Student 1908",
    description="paired Student t test",
)
def student(D: np.ndarray, *, confidence: float | np.ndarray = 0.95) -> Outcome:
    """Return the paired t-test of each column: the one-sample t-test of the per-query differences.

    The effect size is Cohen's d of the differences, mean / standard deviation; its interval inverts the noncentral t
    distribution. If all differences are equal and not 0, the statistic is infinite and p = 0.

    Examples
    --------
    >>> outcome = student(np.array([[0.1], [0.3], [0.2], [0.4]]))
    >>> outcome.statistic.round(4).tolist(), outcome.p_value.round(4).tolist()
    ([3.873], [0.0305])
    """
    n, mean, sd = describe(D)
    t, p = student_test(n, mean, sd)
    effect_low, effect_high = cohen_interval(n, t, confidence)
    more = {
        "se": sd / np.sqrt(n),
        "df": n - 1.0,
        "effect_low": effect_low,
        "effect_high": effect_high,
    }
    interval = student_interval(n, mean, sd, confidence)
    return Outcome(n, mean, *interval, ratio(mean, sd), t, p, more)


def cohen_interval(
    n: np.ndarray, t: np.ndarray, confidence: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the interval of Cohen's d of differences, from t: the noncentral t distribution, inverted.

    References
    ----------
    Cumming and Finch (2001), A primer on the understanding, use, and calculation of confidence intervals.

    Examples
    --------
    >>> low, high = cohen_interval(np.array([10]), np.array([1.5811]), 0.95)
    >>> round(low.item(), 4), round(high.item(), 4)
    (-0.1723, 1.1482)
    """
    tail_share = (1 - np.broadcast_to(confidence, t.shape)) / 2
    # the lower end is the negative upper end of -t, so both have the small share
    both = np.concatenate([-t, t])
    negative_low, high = np.split(
        noncentrality(np.tile(n - 1.0, 2), both, np.tile(tail_share, 2)), 2
    )
    return -negative_low / np.sqrt(n), high / np.sqrt(n)


def noncentrality(df: np.ndarray, t: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the noncentrality of the t distribution with the fraction `share`, at most 1/2, at or below t.

    P(T <= t) is the mean of ndtr(t * s - noncentrality) over s = chi / sqrt(df). With s as a function of a standard
    normal variable, the error of the trapezoidal rule decreases exponentially with the number of its nodes. It is
    below 1e-10 for a share of at least 1e-6; `nctdtrinc` of scipy is used if t is very large, more than 6 for df = 1
    and more than 20 * sqrt(df) for df > 7. Each value depends on its own arguments only.

    Examples
    --------
    >>> noncentrality(np.array([9.0, 49.0]), np.array([0.0, 3.0]), np.array([0.025, 0.025])).round(4).tolist()
    [1.96, 5.0335]
    """
    result = np.where(np.isinf(t), t, np.where(share == 0, np.inf, np.nan))
    # the integrand is steep for large t, so the step of the grid is halved
    steepness = np.abs(t) / np.sqrt(df) * (0.5 + 2 / df)
    halvings = np.where(np.isnan(result), np.ceil(np.log2(np.maximum(steepness, 1.0))), np.inf)
    for number in range(MOST_HALVINGS + 1):
        members = np.flatnonzero(halvings == number)
        width = NONCENTRAL_BLOCK >> number
        for start in range(0, len(members), width):
            part = members[start : start + width]
            # shares that are too small for double precision become NaN
            with np.errstate(all="ignore"):
                result[part] = _noncentrality(df[part], t[part], share[part], number)
    other = np.flatnonzero(np.isnan(result))
    result[other] = special.nctdtrinc(df[other], share[other], t[other])
    return result


def _noncentrality(df: np.ndarray, t: np.ndarray, share: np.ndarray, halvings: int) -> np.ndarray:
    """Return the noncentrality by Halley's method, on a grid with step 2^-halvings / 2."""
    scores = np.arange(-17 << halvings, (17 << halvings) + 1) / (2 << halvings)
    degrees, member = np.unique(df, return_inverse=True)
    half = degrees[:, None] / 2
    # quantiles of chi^2 / 2, from the nearer end of its distribution
    below = special.gammaincinv(half, special.ndtr(scores[scores < 0]))
    above = special.gammainccinv(half, special.ndtr(-scores[scores >= 0]))
    s = np.sqrt(np.hstack([below, above]) / half)[member]
    target = special.ndtri(share)
    # start with the normal approximation
    result = t * (1 - 1 / (4 * df)) - target * np.sqrt(1 + t**2 / (2 * df))
    # the first step needs every other node only
    for every in (2, *[1] * (1 + halvings)):
        nodes = scores[::every]
        weight = np.exp(-(nodes**2) / 2)
        weight /= weight.sum()
        gap = t[:, None] * s[:, ::every] - result[:, None]
        # in place: arrays of this size are slow to allocate
        density = np.square(gap)
        density *= -0.5
        density = np.multiply(weight, np.exp(density, out=density), out=density)
        # sums over the last axis: their order does not depend on the number of values
        score = special.ndtri((weight * special.ndtr(gap)).sum(axis=1))
        scale = np.exp(score**2 / 2)
        # the normal score is nearly linear in the noncentrality; these are its derivatives
        slope = -scale * density.sum(axis=1)
        curvature = score * slope**2 - scale * (density * gap).sum(axis=1)
        newton = (score - target) / slope
        result -= newton / (1 - newton * curvature / (2 * slope))
    return result


@significance_test(reference="Wilcoxon 1945", description="Wilcoxon signed-rank test")
def wilcoxon(D: np.ndarray, *, confidence: float | np.ndarray = 0.95) -> Outcome:
    """Return Wilcoxon's signed-rank test of each column; zero differences are dropped.

    Differences of the same size up to rounding (1e-12 of the largest of the column) get their average rank. The
    statistic is the smaller rank sum. The p-value is exact with at most 50 nonzero differences without ties, and
    with at most 13 if there are ties: the fraction of all assignments of signs to the ranks. Otherwise it is from
    the normal approximation with the variance corrected for ties. The effect size is the rank-biserial correlation,
    (W+ - W-) / (W+ + W-). The estimate is that of Hodges and Lehmann, the median of the Walsh averages (means of two
    nonzero differences, or of one with itself); two of them are the ends of the interval. Differences with ties get
    the interval of differences without ties if there are at most 50.

    References
    ----------
    Hodges and Lehmann (1963), Estimates of location based on rank tests.

    Examples
    --------
    >>> outcome = wilcoxon(np.array([[0.1], [-0.05], [0.2], [0.15], [0.02], [0.3], [-0.1], [0.25]]))
    >>> outcome.statistic.tolist(), outcome.p_value.round(4).tolist()
    ([5.5], [0.0859])
    >>> [end.round(3).item() for end in (outcome.estimate, outcome.ci_low, outcome.ci_high)]
    [0.105, -0.04, 0.25]
    """
    n, mean, _ = describe(D)
    dropped = np.isnan(D) | (D == 0)
    size = np.where(dropped, np.inf, np.abs(D))
    order = np.argsort(size, axis=0)
    rounding = NOISE * np.where(dropped, 0.0, size).max(axis=0)[:, None]
    rank, groups = average_ranks(
        np.take_along_axis(size, order, axis=0), axis=0, tolerance=rounding
    )
    signs = np.take_along_axis(np.where(dropped, 0.0, np.sign(D)), order, axis=0)
    plus, minus = (rank * (signs > 0)).sum(axis=0), (rank * (signs < 0)).sum(axis=0)
    kept = (~dropped).sum(axis=0)
    smaller = np.minimum(plus, minus)
    # each member of a group of g equal sizes adds g^2 - 1, so the group adds g^3 - g
    tied = ((groups**2 - 1) * (signs != 0)).sum(axis=0)

    level = (1 - np.broadcast_to(confidence, mean.shape)) / 2
    k = kept.astype(float)
    center = k * (k + 1) / 4
    error = np.sqrt(k * (k + 1) * (2 * k + 1) / 24 - tied / 48)
    p = 2 * special.ndtr(ratio(smaller - center, error))
    # the smallest rank sum that is not significant
    least = center + error * special.ndtri(level)
    for count in np.flatnonzero(np.bincount(kept)[:51]):
        few, exact = kept == count, (kept == count) & (tied == 0)
        below = rank_sum_distribution(int(count))
        p[exact] = 2 * below[smaller[exact].astype(int)]
        # shifted differences have no ties
        least[few] = np.searchsorted(below, level[few] * (1 - NOISE))
    for count in np.flatnonzero(np.bincount(kept[tied > 0])[: MOST_TIED + 1]):
        exact = np.flatnonzero((kept == count) & (tied > 0))
        p[exact] = 2 * share_of_signs(rank[:count, exact], smaller[exact])
    # the first `least` Walsh averages are below the interval: their number is the rank sum of the smaller values
    number = (k * (k + 1) / 2).astype(np.int64)
    low, high = walsh_averages(
        np.where(dropped, np.nan, D), np.stack([np.ceil(least), number + 1 - np.ceil(least)])
    )
    middle = walsh_averages(
        np.where(dropped, np.nan, D), np.stack([(number + 1) // 2, number // 2 + 1])
    )
    return Outcome(
        n,
        mean,
        ci_low=low,
        ci_high=high,
        effect_size=ratio(plus - minus, plus + minus),
        statistic=smaller,
        p_value=np.where(kept == 0, 1.0, np.minimum(p, 1.0)),
        estimate=np.where(kept == 0, 0.0, middle.mean(axis=0)),
    )


def walsh_averages(D: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return the Walsh averages of each column at some places of their order, from 1; infinite beyond the ends.

    Walsh averages are the means of two values, or of one with itself.

    Parameters
    ----------
    D : ndarray of shape (queries, pairs)
        Values; NaN if they do not count. Columns without values have 0.
    place : ndarray of shape (places, pairs)

    Examples
    --------
    >>> walsh_averages(np.array([[1.0], [3.0], [np.nan]]), np.array([[1], [2], [3], [4]])).ravel().tolist()
    [1.0, 2.0, 3.0, inf]
    """
    n = (~np.isnan(D)).sum(axis=0)
    number = n * (n + 1) // 2
    inside = np.clip(place, 1, np.maximum(number, 1)).astype(np.int64) - 1
    values = np.zeros(place.shape)
    if len(D) > MOST_WALSH:
        values = _bisected(D, inside)
    else:
        i, j = np.triu_indices(len(D))
        width = max(1, WALSH_BLOCK // len(i))
        for start in range(0, D.shape[1], width):
            part = slice(start, start + width)
            # NaN are sorted to the end
            averages = np.sort((D[i, part] + D[j, part]) / 2, axis=0)
            values[:, part] = np.take_along_axis(averages, inside[:, part], axis=0)
    values = np.where(place < 1, -np.inf, np.where(place > number, np.inf, values))
    return np.where(n == 0, 0.0, values)


def _bisected(D: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return the Walsh averages at the places, from 0, by bisection: for many queries, whose averages are too many."""
    values = np.zeros(place.shape)
    for column in range(D.shape[1]):
        ordered = np.sort(D[~np.isnan(D[:, column]), column])
        ends = (ordered[0], ordered[-1]) if len(ordered) else (0.0, 0.0)
        low, high = (np.full(len(place), end) for end in ends)
        # 60 halves are below the last digit of a double
        for _ in range(60):
            middle = (low + high) / 2
            # all ordered pairs, and each value with itself: every average of two is counted twice
            others = np.searchsorted(ordered, 2 * middle[:, None] - ordered, side="right")
            paired = others.sum(axis=1) + np.searchsorted(ordered, middle, side="right")
            reached = paired // 2 > place[:, column]
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        values[:, column] = high
    return values


def share_of_signs(rank: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Return, for each column of ranks, the fraction of all 2^n signs whose positive ranks sum to at most `most`.

    Examples
    --------
    >>> share_of_signs(np.array([[1.5], [1.5], [3.0]]), np.array([1.5])).tolist()
    [0.375]
    """
    n, columns = rank.shape
    # row i has the binary digits of i: all subsets of positive ranks
    signs = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(float)
    width = max(1, PATTERNS // 2**n)
    parts = [slice(start, start + width) for start in range(0, columns, width)]
    # average ranks are multiples of 1/2, so their sums are exact
    return np.concatenate([(signs @ rank[:, part] <= most[part]).mean(axis=0) for part in parts])


def rank_sum_distribution(n: int) -> np.ndarray:
    """Return P(W <= w) for w = 0, 1, ...: the signed-rank sum of n differences under the null hypothesis.

    Examples
    --------
    >>> rank_sum_distribution(2).tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    # ways[w]: number of subsets of the ranks so far that sum to w; a rank is in the subset or not
    ways = np.ones(1)
    for rank in range(1, n + 1):
        ways = np.concatenate([ways, np.zeros(rank)]) + np.concatenate([np.zeros(rank), ways])
    return np.cumsum(ways) / 2.0**n


@significance_test(aliases=("binomial",), reference="Arbuthnot 1710")
def sign(D: np.ndarray, *, confidence: float | np.ndarray = 0.95) -> Outcome:
    """Return the exact sign (binomial) test of each column; ties are dropped.

    The statistic is the number of queries that run a wins, the effect size (wins - losses) / (wins + losses); its
    interval is that of Clopper and Pearson. The estimate is the median of the nonzero differences, and two of them are
    the ends of its interval. If all nonzero differences have the same size, as those of sgnLP, the estimate is the
    mean, and its interval is that of the effect size times the size and the fraction of queries without a tie.

    Examples
    --------
    >>> outcome = sign(np.array([[1.0], [1.0], [1.0], [0.0], [1.0], [1.0]]))
    >>> outcome.statistic.tolist(), outcome.p_value.tolist()
    ([5.0], [0.0625])
    """
    n, mean, _ = describe(D)
    wins, losses = (D > 0).sum(axis=0), (D < 0).sum(axis=0)
    decided, fewer = wins + losses, np.minimum(wins, losses)
    # P(X <= fewer) for X binomial(decided, 1/2), as a regularized incomplete beta function
    below = special.betainc(np.maximum(decided, 1) - fewer, fewer + 1, 0.5)
    level = (1 - np.broadcast_to(confidence, mean.shape)) / 2
    effect_low, effect_high = (2 * end - 1 for end in binomial_interval(wins, decided, level))
    ordered = np.sort(np.where(D == 0, np.nan, D), axis=0)  # NaN come last
    # the smallest number of losses that is not significant: so many differences are below the interval
    # most pairs share few numbers of queries, and quantiles are slow
    arguments, inverse = np.unique([level, np.maximum(decided, 1)], axis=1, return_inverse=True)
    least = special.bdtrik(*arguments, 0.5)[inverse.ravel()]
    least = np.where(np.abs(least - np.rint(least)) < 1e-9, np.rint(least), np.ceil(least))
    least = np.maximum(least, 0.0).astype(np.int64)
    places = np.stack([least, decided + 1 - least, (decided + 1) // 2, decided // 2 + 1])
    inside = np.clip(places - 1, 0, np.maximum(decided - 1, 0))
    low, high, *middle = np.take_along_axis(ordered, inside, axis=0)
    low, high = np.where(least < 1, -np.inf, low), np.where(least < 1, np.inf, high)
    size = np.nan_to_num(np.abs(ordered)[0])
    one_size = (np.isnan(ordered) | (np.abs(ordered) == size)).all(axis=0)
    scale = size * decided / n
    return Outcome(
        n,
        mean,
        np.where(one_size, effect_low * scale, low),
        np.where(one_size, effect_high * scale, high),
        effect_size=ratio((wins - losses).astype(float), decided),
        statistic=wins.astype(float),
        p_value=np.minimum(1.0, 2 * below),
        more={"effect_low": effect_low, "effect_high": effect_high},
        estimate=np.where(one_size, mean, (middle[0] + middle[1]) / 2),
    )


def binomial_interval(
    wins: np.ndarray, n: np.ndarray, level: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Clopper and Pearson's interval of a proportion, with `level` beyond each end.

    Examples
    --------
    >>> low, high = binomial_interval(np.array([8]), np.array([10]), 0.025)
    >>> round(low.item(), 4), round(high.item(), 4)
    (0.4439, 0.9748)
    """
    losses = n - wins
    low = special.betaincinv(np.maximum(wins, 1), losses + 1, level)
    high = special.betaincinv(wins + 1, np.maximum(losses, 1), 1 - np.asarray(level))
    return np.where(wins == 0, 0.0, low), np.where(losses == 0, 1.0, high)


@significance_test(
    aliases=("randomization", "permutation"),
    reference="Smucker, Allan and Carterette 2007",
    description="paired randomization test",
)
def randomization(
    D: np.ndarray,
    *,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> Outcome:
    """Return the paired randomization (permutation) test of each column.

    In each draw, the two runs are swapped on each query with probability 1/2, which changes the sign of the
    difference; p = (1 + number of draws whose mean is at least as far from 0 as the observed one) / (1 + draws).
    All pairs use the same swaps. The statistic is the mean difference, the effect size Cohen's d. The interval inverts
    the test: it has the shifts of the differences whose p-value, with the same swaps, is at least 1 - confidence.

    References
    ----------
    Smucker, Allan and Carterette (2007), A comparison of statistical significance tests for IR evaluation.

    Examples
    --------
    >>> outcome = randomization(np.array([[0.1], [0.3], [0.2], [0.4]]), draws=999, seed=1)
    >>> bool(abs(outcome.p_value[0] - 2 / 16) < 0.03)
    True
    """
    n, mean, sd = describe(D)
    swaps = np.concatenate(
        [
            np.random.default_rng(child).integers(0, 2, size=(size, len(D)), dtype=np.int8)
            for size, child in chunks(draws, seed)
        ]
    )
    level = 1 - np.broadcast_to(confidence, mean.shape)
    p, low, high = np.ones(mean.shape), np.zeros(mean.shape), np.zeros(mean.shape)
    starts = range(0, D.shape[1], BOOTSTRAP_PAIRS)
    for start in track(starts, total=len(starts), desc="randomization test", progress=progress):
        part = slice(start, start + BOOTSTRAP_PAIRS)
        p[part], low[part], high[part] = _swapped(D[:, part], swaps, level[part])
    return Outcome(n, mean, low, high, ratio(mean, sd), mean, p)


def _swapped(
    D: np.ndarray, swaps: np.ndarray, level: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the p-value of each column and the ends of the interval, from swaps (draws, queries) of the two runs.

    A swap is as far from 0 as the observed mean for a shift below the mean if the mean of the swapped or that of the
    other differences is at most the shift. So the ends are order statistics of these means.
    """
    counted = ~np.isnan(D)
    filled = np.nan_to_num(D, nan=0.0)
    total, n = filled.sum(axis=0), counted.sum(axis=0)
    swapped = swaps.astype(float)
    moved = swapped @ filled
    number = swapped.sum(axis=1, keepdims=True) if counted.all() else swapped @ counted
    # sums instead of means: the number of queries of a pair is the same in every draw
    least = np.abs(total) - NOISE * np.abs(filled).sum(axis=0)
    p = (1 + (np.abs(total - 2 * moved) >= least).sum(axis=0)) / (1 + len(swaps))
    with np.errstate(divide="ignore", invalid="ignore"):
        one = moved / number
        two = (total - moved) / (n - number)
    rounding = NOISE * np.abs(filled).max(axis=0, initial=0.0)
    one, two = (np.where(np.abs(mean) <= rounding, 0.0, mean) for mean in (one, two))
    nothing = np.isnan(one) | np.isnan(two)  # all or no queries are swapped
    smaller = np.where(nothing, -np.inf, np.fmin(one, two))
    larger = np.where(nothing, np.inf, np.fmax(one, two))
    return p, -critical_value(-smaller, level), critical_value(larger, level)


@significance_test(reference="Sakai 2006", description="paired bootstrap test")
def bootstrap(
    D: np.ndarray,
    *,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int | None = 0,
    progress: bool | None = None,
) -> Outcome:
    """Return the studentized bootstrap test of each column.

    Queries are drawn with replacement from the differences shifted to mean 0;
    p = (1 + number of draws with |t*| >= |t|) / (1 + draws). The statistic is t, the effect size Cohen's d, and
    the interval the symmetric bootstrap-t interval, from the same draws. If all differences are equal and not 0,
    the p-value is the smallest possible, 1 / (1 + draws).

    References
    ----------
    Sakai (2006), Evaluating evaluation metrics based on the bootstrap. Efron and Tibshirani (1993), ch. 16.

    Examples
    --------
    >>> D = np.random.default_rng(0).normal(0.3, 1.0, size=(50, 1))
    >>> outcome = bootstrap(D, draws=999)
    >>> bool(abs(outcome.p_value[0] - student(D).p_value[0]) < 0.05)
    True
    """
    n, mean, sd = describe(D)
    error = sd / np.sqrt(n)
    t = ratio(mean, error)
    p, critical = np.ones(D.shape[1]), np.zeros(D.shape[1])
    # pairs with the same missing queries use the same draws; without missing queries these are all pairs
    level = 1 - np.broadcast_to(confidence, mean.shape)
    patterns, member = np.unique(np.isnan(D), axis=1, return_inverse=True)
    member = member.ravel()
    jobs = [
        columns[start : start + BOOTSTRAP_PAIRS]
        for columns in (np.flatnonzero(member == number) for number in range(patterns.shape[1]))
        for start in range(0, len(columns), BOOTSTRAP_PAIRS)
    ]
    for columns in track(jobs, desc="bootstrap test", progress=progress):
        values = D[:, columns]
        values = values[~np.isnan(values[:, 0])]
        # differences that are all equal up to rounding are all at their mean
        drawn = resampled_t(np.where(sd[columns] == 0, 0.0, values - mean[columns]), draws, seed)
        p[columns] = (1 + (drawn >= np.abs(t[columns]) * (1 - NOISE)).sum(axis=0)) / (1 + draws)
        critical[columns] = critical_value(drawn, level[columns])
    half = np.where(error == 0, 0.0, critical * np.where(error == 0, 1.0, error))
    return Outcome(n, mean, mean - half, mean + half, ratio(mean, sd), t, p)


def resampled_t(centered: np.ndarray, draws: int, seed: int | None) -> np.ndarray:
    """Return |t| of every bootstrap sample: shape (draws, pairs), from differences with mean 0."""
    n = len(centered)
    parts = []
    picks = draw_blocks(
        lambda rng, size: rng.integers(0, n, size=(size, n)), draws, seed, centered.shape
    )
    for picked in picks:
        # times[draw, query]: how often a query is drawn; sums over a sample become a product of matrices
        size = len(picked)
        picked += n * np.arange(size)[:, None]
        times = np.bincount(picked.ravel(), minlength=size * n).reshape(size, n).astype(float)
        mean, total = times @ centered / n, times @ np.square(centered)
        spread = total - n * mean**2
        # a sample of equal values has no variance except rounding
        spread[spread <= NOISE * total] = 0.0
        parts.append(np.abs(ratio(mean, np.sqrt(spread / (n - 1) / n))))
    return np.concatenate(parts)


@significance_test(
    name="ppi",
    machine=True,
    reference="Angelopoulos, Duchi and Zrnic 2023, PPI++",
    description="prediction-powered Student t test",
)
def prediction_powered(
    people: np.ndarray,
    machine: np.ndarray,
    probability: np.ndarray | None,
    *,
    confidence: float = 0.95,
) -> Outcome:
    """Student's test of the prediction-powered mean difference, from human and machine labels."""
    estimate = powered(people, machine, probability=probability)
    return Outcome(
        estimate.n,
        estimate.mean,
        *estimate.interval(confidence),
        effect_size=ratio(estimate.mean, estimate.human_sd),
        statistic=estimate.statistic,
        p_value=estimate.p_value,
        more={
            "df": estimate.df,
            "n_machine": estimate.n_machine.astype(np.int64),
            "lam": estimate.lam,
            "effective_n": estimate.effective_n,
        },
    )


# Largest number of nonzero differences for which all signs are tried: 2^40, as sums of two halves, 2^20 each.
MOST = 40


@significance_test(
    aliases=("exact_randomization", "exact_permutation", "exact"),
    reference="Fisher 1935; Pitman 1937",
    description="exact paired randomization test",
)
def exact_randomization(
    D: np.ndarray, *, confidence: float = 0.95, progress: bool | None = None
) -> Outcome:
    """Return the paired randomization test of each column over all ways to swap the two runs, without draws.

    The p-value is the fraction of all 2^n signs of the n nonzero differences whose mean is at least as far from 0 as
    the observed one, up to rounding. The smallest possible p-value is 2 / 2^n: with 5 queries no difference is
    significant at 0.05. The test allows at most 40 nonzero differences; for more, use 'randomization', whose p-value
    converges to this one. Statistic and effect size are those of 'randomization'. The interval is too, from all swaps
    of at most 13 queries and from 10,000 random ones of more.

    References
    ----------
    Fisher (1935), The design of experiments, section 21; Smucker, Allan and Carterette (2007), A comparison of
    statistical significance tests for IR evaluation.

    Examples
    --------
    >>> exact_randomization(np.array([[0.1], [0.3], [0.2], [0.4]])).p_value.tolist()
    [0.125]
    """
    n, mean, sd = describe(D)
    size = np.where(np.isnan(D), 0.0, np.abs(D))
    # sums instead of means: the number of queries of a pair is the same for all signs
    least = np.abs(np.nan_to_num(D, nan=0.0).sum(axis=0)) - NOISE * size.sum(axis=0)
    count = (size > 0).sum(axis=0)
    if len(count) and count.max() > MOST:
        raise ValueError(
            f"test='exact_randomization' allows at most {MOST} nonzero differences; a pair has {count.max()}. "
            "Use test='randomization', which draws random signs."
        )
    reached = np.ones(D.shape[1])
    columns = np.flatnonzero(count)
    for column in track(
        columns, total=len(columns), desc="exact randomization test", progress=progress
    ):
        values = size[:, column]
        reached[column] = share_reaching(values[values > 0], least[column])
    if len(D) <= MOST_TIED:
        # all but the first, which swaps no query
        swaps = (np.arange(1, 2 ** len(D))[:, None] >> np.arange(len(D)) & 1).astype(np.int8)
    else:
        swaps = np.random.default_rng(0).integers(0, 2, size=(10_000, len(D)), dtype=np.int8)
    level = 1 - np.broadcast_to(confidence, mean.shape)
    _, low, high = _swapped(D, swaps, level)
    return Outcome(n, mean, low, high, ratio(mean, sd), mean, reached)


def share_reaching(size: np.ndarray, least: float) -> float:
    """Return the fraction of all signs of some numbers whose sum is at least `least` away from 0.

    The sums of one half of the numbers, over all signs, are sorted. For each sum of the other half, a binary search
    counts those that reach the limit, so 2^n signs take 2^(n/2) steps.

    Examples
    --------
    >>> share_reaching(np.array([0.1, 0.2, 0.4]), 0.5)
    0.5
    """
    first, second = (
        np.sort(_sums(part)) for part in (size[: len(size) // 2], size[len(size) // 2 :])
    )
    # a sum and its negative are equally far from 0: `above` is half of all
    above = len(second) - np.searchsorted(second, least - first, side="left")
    return min(1.0, 2.0 * float(above.sum()) / 2.0 ** len(size))


def _sums(size: np.ndarray) -> np.ndarray:
    """Return the sums of some numbers for all combinations of signs."""
    sums = np.zeros(1)
    for one in size:
        sums = np.concatenate([sums - one, sums + one])
    return sums
