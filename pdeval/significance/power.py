"""Planning: power of the paired t-test, queries needed, smallest difference that would be found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdeval.kinds.labels import labels
from pdeval.significance.compare import check_share, pair_labels
from pdeval.significance.differences import Pairs, Source, enough
from pdeval.significance.outcome import describe, ratio


def power(
    source: Source,
    *,
    difference: float | None = None,
    queries: int | None = None,
    alpha: float = 0.05,
    baseline: Any = None,
) -> pd.DataFrame:
    """Return the chance that the paired t-test finds a difference, per measure and pair.

    Parameters
    ----------
    source : Scores, Preferences or a stream of preference blocks
        A pilot experiment; it gives the standard deviation of the per-query differences.
    difference : float, optional
        The true difference, in the measure's units. Default: the observed one, which makes the power a
        mere restatement of the p-value; name the difference that matters instead.
    queries : int, optional
        Number of queries of the planned experiment. Default: as many as there are.
    alpha : float, default 0.05
        Two-sided level. For Bonferroni over m comparisons pass 0.05 / m.
    baseline : run id, or tuple of ids, optional
        Only pairs with this run.

    Returns
    -------
    DataFrame
        run_a, run_b, measure, n, sd, difference, effect_size (difference / sd), alpha, queries, power.

    Examples
    --------
    >>> from pdeval.evaluate.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> planned = power(scores, difference=0.05, queries=50, baseline="bm25")
    >>> planned["power"].round(4).tolist()
    [0.6882, 0.7657]
    """
    check_share("alpha", alpha)
    frame = planned(source, baseline, difference)
    frame["alpha"] = alpha
    frame["queries"] = frame["n"] if queries is None else whole_queries(queries)
    frame["power"] = t_power(frame["effect_size"].to_numpy(), frame["queries"].to_numpy(), alpha)
    return frame


def sample_size(
    source: Source,
    *,
    difference: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    baseline: Any = None,
) -> pd.DataFrame:
    """Return the fewest queries with which the paired t-test finds a difference, per measure and pair.

    Parameters
    ----------
    source, difference, alpha, baseline
        As in `power`.
    power : float, default 0.8
        Wanted chance of finding the difference.

    Returns
    -------
    DataFrame
        run_a, run_b, measure, n, sd, difference, effect_size, alpha, power, queries. No difference can be
        found by no number of queries: infinity.

    Examples
    --------
    >>> from pdeval.evaluate.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> sample_size(scores, difference=0.05, baseline="bm25")["queries"].tolist()
    [65.0, 55.0]
    """
    check_share("alpha", alpha)
    check_share("power", power)
    frame = planned(source, baseline, difference)
    frame["alpha"] = alpha
    frame["power"] = power
    frame["queries"] = queries_needed(frame["effect_size"].to_numpy(), power, alpha)
    return frame


def detectable_difference(
    source: Source,
    *,
    power: float = 0.8,
    queries: int | None = None,
    alpha: float = 0.05,
    baseline: Any = None,
) -> pd.DataFrame:
    """Return the smallest true difference that the paired t-test finds with the wanted power.

    Parameters
    ----------
    source, queries, alpha, baseline
        As in `power`.
    power : float, default 0.8
        Wanted chance of finding it.

    Returns
    -------
    DataFrame
        run_a, run_b, measure, n, sd, difference (observed), alpha, power, queries, effect_size (smallest),
        detectable (effect_size x sd).

    Examples
    --------
    >>> from pdeval.evaluate.cube import Scores
    >>> values = np.array([[[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]]])
    >>> scores = Scores(pd.DataFrame({"run": ["bm25", "lm", "bert"]}), pd.Index([1, 2, 3, 4], name="query_id"),
    ...                 ("AP",), values, np.array([True]))
    >>> detectable_difference(scores, queries=50, baseline="bm25")["detectable"].round(4).tolist()
    [0.0572, 0.0522]
    """
    check_share("alpha", alpha)
    check_share("power", power)
    if power <= alpha:
        raise ValueError(f"power must be above alpha, found power {power!r} and alpha {alpha!r}.")
    frame = planned(source, baseline, None)
    frame = frame.drop(columns="effect_size")
    frame["alpha"] = alpha
    frame["power"] = power
    frame["queries"] = frame["n"] if queries is None else whole_queries(queries)
    sizes, member = np.unique(frame["queries"].to_numpy(), return_inverse=True)
    frame["effect_size"] = np.array([smallest_effect(int(size), power, alpha) for size in sizes])[member]
    frame["detectable"] = frame["effect_size"] * frame["sd"]
    return frame


def planned(source: Source, baseline: Any, difference: float | None) -> pd.DataFrame:
    """Return the frame of the pairs: labels, n, sd, difference, effect_size."""
    pairs = Pairs.of(source, baseline=baseline)
    count = len(source.measures)
    n, mean, sd = np.zeros((count, len(pairs)), np.int64), *np.zeros((2, count, len(pairs)))
    for measure, label in enumerate(source.measures):
        for numbers, D in pairs.blocks(measure):
            n[measure, numbers], mean[measure, numbers], sd[measure, numbers] = describe(D)
            enough(pairs, numbers, n[measure, numbers], label)
    frame = pd.DataFrame(pair_labels(pairs, count), copy=False)
    frame["measure"] = labels(pd.Index(source.measures), np.repeat(np.arange(count), len(pairs)))
    wanted = mean.ravel() if difference is None else np.full(mean.size, float(difference))
    frame["n"], frame["sd"], frame["difference"] = n.ravel(), sd.ravel(), wanted
    frame["effect_size"] = ratio(wanted, sd.ravel())
    frame.attrs.update(getattr(source, "attrs", {}))
    return frame


def t_power(effect: np.ndarray, queries: np.ndarray | float, alpha: float) -> np.ndarray:
    """Return the power of the two-sided paired t-test; 1 for an infinite effect.

    Examples
    --------
    >>> t_power(np.array([0.0, 0.5, np.inf]), 50, 0.05).round(4).tolist()
    [0.05, 0.9339, 1.0]
    """
    from scipy import special
    from statsmodels.stats.power import TTestPower

    effect, n = np.broadcast_arrays(np.abs(np.asarray(effect, dtype=float)), np.asarray(queries, dtype=float))
    critical, shift = special.stdtrit(n - 1, 1 - alpha / 2), effect * np.sqrt(n)
    # t = (z + shift) / s stays below the critical value only if z < -8.3 or s > (shift - 8.3) / critical;
    # where both have no chance in double precision the power is 1, and the integral behind it may fail
    slack = np.maximum(shift - 8.3, 0.0) / critical
    unsure = special.chdtrc(n - 1, (n - 1) * slack**2) > 1e-16
    result = np.ones(effect.shape)
    sides = [
        TTestPower().power(effect[unsure], n[unsure], alpha / 2, alternative=side) for side in ("larger", "smaller")
    ]
    # the chance of a significant difference in the wrong direction underflows to NaN
    result[unsure] = sides[0] + np.nan_to_num(sides[1], nan=0.0)
    return result


def queries_needed(effect: np.ndarray, power: float, alpha: float) -> np.ndarray:
    """Return the smallest number of queries, at least 2, with the wanted power; infinity for no effect.

    Examples
    --------
    >>> queries_needed(np.array([0.5, 0.1, 0.0]), 0.8, 0.05).tolist()
    [34.0, 787.0, inf]
    """
    from scipy import special

    size = np.abs(np.asarray(effect, dtype=float))
    needed = np.where(size == 0, np.inf, 2.0)
    sought = np.flatnonzero((size > 0) & (t_power(size, 2, alpha) < power))
    if power <= alpha or not len(sought):
        return np.where(power <= alpha, 2.0, needed)
    # the normal approximation asks for too few; the t-test for a few more, the more the smaller alpha is
    low = np.maximum(2.0, np.floor(((special.ndtri(1 - alpha / 2) + special.ndtri(power)) / size[sought]) ** 2) - 1)
    low = np.where(t_power(size[sought], low, alpha) < power, low, 2.0)
    step = np.full(len(sought), 4.0)
    high = low + step
    while (short := t_power(size[sought], high, alpha) < power).any():
        step[short] *= 2
        high[short] += step[short]
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        reached = t_power(size[sought], middle, alpha) >= power
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    needed[sought] = high
    return needed


def smallest_effect(queries: int, power: float, alpha: float) -> float:
    """Return the smallest effect size that so many queries find with the wanted power.

    Examples
    --------
    >>> round(smallest_effect(50, 0.8, 0.05), 4)
    0.4042
    """
    from scipy import optimize

    def missing(effect: float) -> float:
        return float(t_power(np.array([effect]), queries, alpha)[0]) - power

    high = 1.0
    while missing(high) < 0:
        high *= 2
    return float(optimize.brentq(missing, 0.0, high, xtol=1e-10))


def whole_queries(queries: int) -> int:
    """Return the number of queries, or raise unless it is a whole number of at least 2."""
    if isinstance(queries, bool) or not isinstance(queries, int | np.integer) or queries < 2:
        raise ValueError(f"queries must be a whole number of at least 2, found {queries!r}.")
    return int(queries)
