"""Correlation coefficients of two orderings of the same runs: Kendall's tau and variants, RBO, Spearman, Pearson.

Every coefficient takes two vectors over the same runs, higher is better. Runs with equal numbers, up to rounding (1e-12
of their size), are tied.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from pdeval.evaluate import cube
from pdeval.orderings.votes import ranks
from pdeval.tables import settled
from pdeval.verbs import Registry, first_line, lookup, several, stats


@dataclass(frozen=True, eq=False)
class Coefficient:
    """One declared coefficient.

    Parameters
    ----------
    function : callable
        Function of two vectors over the same runs, higher is better.
    looks_at : {'ranks', 'scores'}
        Whether it compares the ranks of the runs, or their scores.
    """

    name: str
    function: Callable[..., float]
    looks_at: Literal["ranks", "scores"] = "ranks"
    aliases: tuple[str, ...] = ()
    reference: str = ""

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return first_line(self.function)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The options of the function, in addition to the two vectors."""
        return tuple(inspect.signature(self.function).parameters)[2:]


COEFFICIENTS: Registry[Coefficient] = Registry("coefficient")
FEW = 256  # runs whose pairs are counted one by one
Function = TypeVar("Function", bound=Callable[..., float])


@overload
def coefficient(function: Function) -> Function: ...
@overload
def coefficient(
    *,
    name: str | None = None,
    looks_at: Literal["ranks", "scores"] = "ranks",
    aliases: Sequence[str] = (),
    reference: str = "",
) -> Callable[[Function], Function]: ...
def coefficient(
    function: Callable[..., float] | None = None,
    *,
    name: str | None = None,
    looks_at: Literal["ranks", "scores"] = "ranks",
    aliases: Sequence[str] = (),
    reference: str = "",
) -> Any:
    """Declare a coefficient of two orderings for `correlate(coefficients=...)`.

    Parameters
    ----------
    function : callable
        Function of two arrays over the same runs, higher is better and equal numbers are ties; it returns a number. The
        first array is the reference.
    name : str, optional
        Name of the coefficient; by default the name of the function.
    looks_at : {'ranks', 'scores'}
        Values of the arrays: negated ranks, or scores, which are negated if lower is better.
    aliases : sequence of str
        Other names of the coefficient.
    reference : str
        Publication of the coefficient.

    Examples
    --------
    >>> import pdeval
    >>> @coefficient(reference="an example")
    ... def same_winner(x, y):
    ...     "Whether both orderings put the same run first."
    ...     return float(np.argmax(x) == np.argmax(y))
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.correlate(["AP", "RR"], coefficients="same_winner")
      measure_a measure_b  coefficient  runs  value
    0        AP        RR  same_winner    12    0.0
    >>> del COEFFICIENTS["same_winner"]
    """

    def declare(given: Callable[..., float]) -> Callable[..., float]:
        made = Coefficient(name or given.__name__, given, looks_at, tuple(aliases), reference)
        if len(inspect.signature(given).parameters) < 2:
            raise TypeError(
                f"the coefficient {made.name!r} must take two arrays, one for each ordering."
            )
        COEFFICIENTS.add(made.name, made, given.__module__)
        return given

    return declare if function is None else declare(function)


def which_coefficients(names: str | Sequence[str]) -> list[Coefficient]:
    """Return the coefficients of these names, each once.

    Examples
    --------
    >>> [one.name for one in which_coefficients(["kendall", "tau_b", "rbo"])]
    ['tau_b', 'rbo']
    """
    texts = map(str, several("coefficients", names))
    coefficients = (lookup("coefficient", text, COEFFICIENTS) for text in texts)
    return list({one.name: one for one in coefficients}.values())


def _of_numbers(function: Callable[..., float]) -> Callable[..., float]:
    """Return a coefficient whose arrays are equal up to rounding where they should be; NaN if a value is NaN."""

    @wraps(function)
    def of_settled(x: ArrayLike, y: ArrayLike, **options: float) -> float:
        one, other = (settled(np.asarray(values, dtype=np.float64)) for values in (x, y))
        if one.shape != other.shape:
            raise ValueError(
                f"two orderings of the same runs must have equal lengths, got {one.size} and {other.size}."
            )
        return (
            float("nan")
            if np.isnan(one).any() or np.isnan(other).any()
            else function(one, other, **options)
        )

    return of_settled


@coefficient(reference="Kendall 1938")
@_of_numbers
def tau_a(x: np.ndarray, y: np.ndarray) -> float:
    """Return Kendall's tau-a: concordant minus discordant pairs, divided by the number of pairs; ties are neither.

    Examples
    --------
    >>> tau_a([3, 2, 1], [3, 1, 1])
    0.6666666666666666
    """
    a, b = cube.all_pairs(len(x))
    return float(np.mean(np.sign(x[a] - x[b]) * np.sign(y[a] - y[b])))


@coefficient(aliases=("kendall", "kendall_tau"), reference="Kendall 1945")
@_of_numbers
def tau_b(x: np.ndarray, y: np.ndarray) -> float:
    """Return Kendall's tau-b: tau over the pairs that are not tied; NaN if all runs are tied in one ordering.

    Examples
    --------
    >>> round(tau_b([3, 2, 1], [3, 1, 1]), 4)
    0.8165
    """
    if len(x) > FEW:
        return float(stats.kendalltau(x, y).statistic)
    # the sums and divisions of scipy, which also computes a p-value, in ten times the time
    of_x, of_y = (
        (one[:, None] > one).view(np.int8) - (one[:, None] < one).view(np.int8) for one in (x, y)
    )
    decided_x, decided_y = np.count_nonzero(of_x) // 2, np.count_nonzero(of_y) // 2
    if not decided_x or not decided_y:
        return float("nan")
    surplus = int((of_x * of_y).sum()) // 2
    return float(min(1.0, max(-1.0, surplus / np.sqrt(decided_x) / np.sqrt(decided_y))))


@coefficient(aliases=("ap_correlation",), reference="Yilmaz, Aslam and Robertson 2008")
@_of_numbers
def tau_ap(x: np.ndarray, y: np.ndarray) -> float:
    """Return the AP correlation of the ordering `y` with the reference `x`: tau with the top of `y` weighing most.

    The mean, over all runs of `y` below the first, of the fraction of runs above it that are above it in `x` too,
    scaled to [-1, 1]. With ties in either ordering it is the mean over all ways to break them (for ties only in `y`:
    tau_AP,a of Urbano and Marrero). Yilmaz, Aslam and Robertson 2008.

    Examples
    --------
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.3333, 0.7778)
    """
    above, belongs = _above(x, y)
    before, tied = above.sum(axis=1), np.equal.outer(y, y).sum(axis=1)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, len(before)))))
    # a tied run is at any rank of its group: the mean of 1 / (rank - 1) over these
    weight = (harmonic[before + tied - 1] - harmonic[before - 1]) / tied
    return float(((above * belongs).sum(axis=1) * weight)[before > 0].sum() / (len(before) - 1))


@coefficient(reference="Urbano and Marrero 2017")
@_of_numbers
def tau_ap_b(x: np.ndarray, y: np.ndarray) -> float:
    """Return the AP correlation between two orderings without a reference; NaN if all runs are tied in one.

    The mean of both directions. Each run below the first tied group contributes the fraction of runs above its group
    that are above it in the other ordering too; ties there do not count. Urbano and Marrero 2017, tau_AP,b.

    Examples
    --------
    >>> round(tau_ap_b([4, 3, 2, 1], [3, 4, 2, 1]), 4), tau_ap_b([3, 2, 2, 1], [3, 2, 2, 1])
    (0.3333, 1.0)
    """
    halves = []
    for one, other in ((x, y), (y, x)):
        above, belongs = _above(one, other)
        before = above.sum(axis=1)
        below = before > 0
        if not below.any():
            return float("nan")
        # fraction of the runs above each run that are above it in both orderings
        right = (above & (belongs > 0)).sum(axis=1)[below] / before[below]
        halves.append(2.0 * right.mean() - 1.0)
    return float(np.mean(halves))


def _above(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each run (rows), which runs are above it in `y`, and 1 or -1 if they are above or below in `x`."""
    return y[None, :] > y[:, None], np.sign(x[None, :] - x[:, None])


@coefficient(reference="Webber, Moffat and Zobel 2010, eq. 32")
@_of_numbers
def rbo(x: np.ndarray, y: np.ndarray, *, p: float = 0.9) -> float:
    """Return extrapolated rank-biased overlap: the mean overlap of the tops, with weight p^(d-1) at depth d.

    Tied runs all enter at the best rank of their group. The overlap at a depth is twice the number of common runs,
    divided by the number of runs in both tops; it is 1 below the last run. Webber, Moffat and Zobel 2010, eq. 32.

    Examples
    --------
    >>> round(rbo([5, 4, 3, 2, 1], [2, 5, 4, 3, 1]), 5), rbo([2, 2, 1], [2, 2, 1])
    (0.828, 1.0)
    """
    first, second = ranks(x), ranks(y)
    n = len(first)
    # sizes[d], common[d]: total number of runs in both tops at depth d + 1, and number of common runs
    sizes = np.cumsum(np.bincount(first, minlength=n + 1) + np.bincount(second, minlength=n + 1))[
        1:
    ]
    common = np.cumsum(np.bincount(np.maximum(first, second), minlength=n + 1))[1:]
    # fraction of the tops at each depth that is in one of them only
    distinct = 1.0 - 2.0 * common / sizes
    return float(1.0 - (1.0 - p) * (p ** np.arange(n) * distinct).sum())


@coefficient(aliases=("rho",), reference="Spearman 1904")
@_of_numbers
def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Return Spearman's rho: Pearson's r of the ranks, with average ranks of ties; NaN if all runs are tied in one.

    Examples
    --------
    >>> round(spearman([3, 2, 1], [2, 3, 1]), 4)
    0.5
    """
    return pearson(stats.rankdata(x), stats.rankdata(y))


@coefficient(looks_at="scores", reference="Pearson 1895")
@_of_numbers
def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Return Pearson's r of the scores; NaN if one of them is constant.

    Examples
    --------
    >>> round(pearson([3.0, 2.0, 1.0], [6.0, 5.0, 1.0]), 4)
    0.9449
    """
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(stats.pearsonr(x, y).statistic)
