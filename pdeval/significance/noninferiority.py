"""Non-inferiority and equivalence: one-sided t-tests of a mean difference against a margin.

Run a is not inferior if the lower limit of the difference is above -margin, and equivalent if both one-sided limits are
within the margin (two one-sided tests, TOST). Limits and p-values are one-sided and simultaneous over a family.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pdeval.significance.corrections import MAX_T, adjust, single_step_level
from pdeval.significance.hsd import scale_points
from pdeval.significance.max_t import critical_value, tail
from pdeval.tables import ratio
from pdeval.verbs import special

Columns = dict[str, np.ndarray]
KINDS = ("noninferiority", "equivalence")


def margin_of(margin: float | str, mean: np.ndarray, label: str = "") -> np.ndarray:
    """Return the margin in the unit of the measure: a number, or a percentage of the means of the baseline.

    Examples
    --------
    >>> margin_of("5%", np.array([0.5, 1.0])).tolist(), margin_of(0.02, np.array([0.5])).tolist()
    ([0.025, 0.05], [0.02])
    """
    text = str(margin).strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        number = np.nan
    if not number > 0 or not np.isfinite(number) or isinstance(margin, bool):
        raise ValueError(
            f"margin={margin!r}: expected a positive number in the unit of the measure, or a percentage of the "
            "baseline's mean such as '5%'."
        )
    if not text.endswith("%"):
        return np.full(len(mean), number)
    if np.isnan(mean).any():
        raise ValueError(
            f"margin={margin!r} requires means of runs; {label!r} is a preference, which has none. Use an absolute "
            "margin such as margin=0.05."
        )
    return number / 100 * np.abs(mean)


def against_margin(
    parts: Sequence[Mapping[str, np.ndarray]],
    margins: Sequence[np.ndarray],
    drawn: Mapping[int, np.ndarray],
    *,
    correction: str,
    family: np.ndarray,
    size: np.ndarray,
    alpha: float,
    few: int = 0,
) -> list[Columns]:
    """Return the columns of the one-sided tests of each part: margin, limits, p-values, verdicts.

    Parameters
    ----------
    parts : sequence of mapping
        Columns n, difference and se of each part of the families.
    margins : sequence of ndarray
        Margin of each comparison of each part.
    drawn : mapping of part to ndarray
        Draws of the largest t of the family of each part, for max-t.
    family, size : ndarray of shape (parts,)
        Family of each part and its number of comparisons.
    few : int
        Comparisons with fewer queries get Bonferroni's correction in place of max-t.

    Examples
    --------
    >>> d = np.array([0.1, -0.05, 0.2, 0.15, 0.02, 0.3, -0.1, 0.25])
    >>> part = {"n": np.array([8]), "difference": d[None].mean(axis=1), "se": np.array([d.std(ddof=1) / 8**0.5])}
    >>> one = {"correction": "none", "family": np.zeros(1, int), "size": np.ones(1), "alpha": 0.05}
    >>> result = against_margin([part], [np.array([0.05])], {}, **one)[0]
    >>> result["p_noninferior"].round(4).tolist(), result["p_equivalent"].round(3).tolist()
    ([0.0082], [0.858])
    """
    n, mean, se = (
        np.concatenate([part[key] for part in parts]) for key in ("n", "difference", "se")
    )
    margin = np.concatenate(margins)
    part_of = np.repeat(np.arange(len(parts)), [len(one) for one in margins])
    single_step = "none" if correction == MAX_T else correction
    levels = np.array([single_step_level(single_step, alpha, int(m)) for m in size])
    # against a loss and against a gain of the margin
    steps = np.stack([ratio(mean + margin, se), ratio(margin - mean, se)])
    p = special.stdtr(n - 1, -steps)
    critical = special.stdtrit(n - 1.0, 1 - levels[part_of])
    for number, draws in drawn.items():
        rows = part_of == number
        times = np.where(n[rows] < few, size[number], 1)
        single = special.stdtrit(n[rows] - 1.0, 1 - alpha / times)
        critical[rows] = np.maximum(single, critical_value(draws, alpha))
        p[:, rows] = np.maximum(np.minimum(times * p[:, rows], 1.0), tail(draws, steps[:, rows]))
    p = np.stack([p[0], p.max(axis=0)])
    if correction != MAX_T:
        options: dict[str, Any] = {"correction": correction, "alpha": alpha}
        p = np.stack([adjust(one, family[part_of], **options) for one in p])
    noninferior, within = p < alpha
    half = np.where(se == 0, 0.0, critical * np.where(se == 0, 1.0, se))
    low, high = mean - half, mean + half
    # limits of the single-step correction agree with the verdict of a stepwise one
    low = np.where(noninferior, np.maximum(low, -margin), np.minimum(low, -margin))
    high = np.where(within, np.minimum(high, margin), high)
    high = np.where(noninferior & ~within, np.maximum(high, margin), high)
    columns = {
        "margin": margin,
        "lower": low,
        "upper": high,
        "p_noninferior": p[0],
        "noninferior": noninferior,
        "p_equivalent": p[1],
        "equivalent": within,
    }
    return [
        {key: values[part_of == number] for key, values in columns.items()}
        for number in range(len(parts))
    ]


def fewest_queries(
    reaches: Callable[[np.ndarray, np.ndarray], np.ndarray],
    count: int,
    most: float = np.inf,
    guess: float | np.ndarray = 2.0,
) -> np.ndarray:
    """Return the smallest number, at least 2, that reaches a goal, for each of `count` cases at once.

    Parameters
    ----------
    reaches : callable
        Function of the numbers and of the cases that they belong to; returns which of them reach the goal. Larger
        numbers than one that does must reach it too.
    most : float
        Result if this number is too small: larger ones are hardly tried.
    guess : float or ndarray
        Numbers to begin with: the closer, the fewer calls.

    Examples
    --------
    >>> goal = np.array([1.0, 5.0, 700.0])
    >>> fewest_queries(lambda number, case: number >= goal[case], 3).tolist()
    [2.0, 5.0, 700.0]
    """
    number = np.broadcast_to(np.clip(np.floor(guess), 2.0, 2.0**52), count).copy()
    step = np.maximum(np.spacing(number), 1.0)
    low, high = np.ones(count), np.full(count, np.inf)  # too few, and enough
    case = np.arange(count)
    while len(case):
        reached = reaches(number[case], case)
        high[case[reached]] = number[case[reached]]
        low[case[~reached]] = number[case[~reached]]
        # steps that double until both ends are known, then bisection
        down = np.maximum(high - step, 2.0)
        number = np.where(low > 1, np.floor((low + high) / 2), down)
        number = np.where(np.isinf(high), low + step, number)
        step *= 2
        # ends also beyond 2**53, where neighboring doubles differ by more than 1
        case = np.flatnonzero((low < number) & (number < high) & ((low < most) | np.isfinite(high)))
    return np.where(np.isinf(high), most, high)


def margin_power(
    effect: np.ndarray,
    margin: np.ndarray,
    queries: np.ndarray | float,
    alpha: float,
    kind: str = "noninferiority",
) -> np.ndarray:
    """Return the power of the one-sided t-tests against a margin; effect and margin are in standard deviations.

    The power is exact: an integral over the distribution of the standard deviation.

    Examples
    --------
    >>> margin_power(np.zeros(1), np.array([0.4]), 50, 0.05).round(4).tolist()
    [0.8737]
    >>> margin_power(np.zeros(1), np.array([0.4]), 50, 0.05, "equivalence").round(4).tolist()
    [0.7474]
    """
    effect, margin, n = np.broadcast_arrays(np.asarray(effect, dtype=float), margin, queries)
    power = np.ones(effect.shape)
    for count in np.unique(n):
        rows = n == count
        scale, weight = scale_points(float(count) - 1)
        critical = special.stdtrit(count - 1.0, 1 - alpha) * scale
        root = np.sqrt(count)
        below = special.ndtr((effect[rows] + margin[rows])[:, None] * root - critical)
        if kind == "equivalence":
            above = special.ndtr((effect[rows] - margin[rows])[:, None] * root + critical)
            below = np.maximum(below - above, 0.0)
        power[rows] = below @ weight
    return power


def queries_for_margin(
    effect: np.ndarray, margin: np.ndarray, power: float, alpha: float, kind: str = "noninferiority"
) -> np.ndarray:
    """Return the smallest number of queries with the required power; infinite if the effect is beyond the margin.

    Examples
    --------
    >>> queries_for_margin(np.array([0.0, -0.5]), np.array([0.4, 0.4]), 0.8, 0.05).tolist()
    [41.0, inf]
    """
    effect, margin = np.broadcast_arrays(np.asarray(effect, dtype=float), margin)
    possible = (margin + effect > 0) & ((kind != "equivalence") | (margin - effect > 0))
    effect, margin = effect[possible], margin[possible]
    needed = np.full(len(possible), np.inf)
    needed[possible] = fewest_queries(
        lambda n, case: margin_power(effect[case], margin[case], n, alpha, kind) >= power,
        len(effect),
        most=2.0**40,
    )
    return needed
