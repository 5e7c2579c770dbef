"""Coefficients of how alike two orderings of the same runs are: Kendall's tau and its kin, RBO, Spearman, Pearson.

Every coefficient takes two vectors over the same runs, more is better; runs with equal numbers are tied, also where
rounding, 1e-12 of their size, tells them apart.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from pdeval.evaluate import cube
from pdeval.orderings.votes import ranks
from pdeval.tables.equal_values import settled
from pdeval.verbs.registry import Registry, first_line, lookup


@dataclass(frozen=True)
class Coefficient:
    """One declared coefficient.

    Parameters
    ----------
    function : callable
        Of two vectors over the same runs, more is better.
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
        """The options that it takes beside the two vectors."""
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
    """Declare a coefficient of two orderings, which `correlate(coefficients=...)` then knows.

    Parameters
    ----------
    function : callable
        Of two arrays over the same runs, more is better and equal numbers are ties; returns a number. The first array
        is that of the reference.
    name : str, optional
        Its name where it is not the function's.
    looks_at : {'ranks', 'scores'}
        What the arrays hold: ranks, negated so that more is better, or the scores, turned where less is better.
    aliases : sequence of str
        Other names for it.
    reference : str
        Where it comes from.

    Examples
    --------
    >>> import pdeval
    >>> @coefficient(reference="an example")
    ... def same_winner(x, y):
    ...     "Whether both orderings put the same run first."
    ...     return float(np.argmax(x) == np.argmax(y))
    >>> judged = pdeval.datasets.sample_judged(topics="common")
    >>> judged.correlate(["AP", "RR"], coefficients="same_winner")
      measure_a measure_b  coefficient  runs  value
    0        AP        RR  same_winner    12    0.0
    >>> del COEFFICIENTS["same_winner"]
    """

    def declare(given: Callable[..., float]) -> Callable[..., float]:
        made = Coefficient(name or given.__name__, given, looks_at, tuple(aliases), reference)
        if len(inspect.signature(given).parameters) < 2:
            raise TypeError(
                f"the coefficient {made.name!r} has to take two arrays, one for each ordering."
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
    texts = names if isinstance(names, list | tuple) else [names]
    coefficients = [lookup("coefficient", str(text), COEFFICIENTS) for text in texts]
    if not coefficients:
        raise ValueError(
            f"no coefficient was asked for; name at least one of {', '.join(COEFFICIENTS)}."
        )
    return list({one.name: one for one in coefficients}.values())


def _of_numbers(function: Callable[..., float]) -> Callable[..., float]:
    """Return a coefficient of what the runs score, made equal where rounding alone tells it apart; NaN of a NaN."""

    @wraps(function)
    def of_settled(x: ArrayLike, y: ArrayLike, **options: float) -> float:
        one, other = (settled(np.asarray(values, dtype=np.float64)) for values in (x, y))
        if one.shape != other.shape:
            raise ValueError(
                f"two orderings of the same runs have as many values: {one.size} and {other.size} found."
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
    """Return Kendall's tau-a: concordant less discordant pairs, as a share of all pairs; a tied pair is neither.

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
    """Return Kendall's tau-b: tau over the pairs that are not tied; NaN where one ordering ties all runs.

    Examples
    --------
    >>> round(tau_b([3, 2, 1], [3, 1, 1]), 4)
    0.8165
    """
    if len(x) > FEW:
        from scipy import stats

        return float(stats.kendalltau(x, y).statistic)
    # scipy's sums and divisions: it also works out a p-value, for ten times the time of the rest
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

    Below the first, each run of `y` gives the share of the runs above it that belong above it, from -1 to 1; the
    mean of these. With ties in either ordering it is the mean over all ways to break them (for ties in `y` alone
    Urbano and Marrero's tau_AP,a). Yilmaz, Aslam and Robertson 2008.

    Examples
    --------
    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.3333, 0.7778)
    """
    above, belongs = _above(x, y)
    before, tied = above.sum(axis=1), np.equal.outer(y, y).sum(axis=1)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, len(before)))))
    # a run tied with others is at any of their places: the mean of 1 / (place - 1) over these
    weight = (harmonic[before + tied - 1] - harmonic[before - 1]) / tied
    return float(((above * belongs).sum(axis=1) * weight)[before > 0].sum() / (len(before) - 1))


@coefficient(reference="Urbano and Marrero 2017")
@_of_numbers
def tau_ap_b(x: np.ndarray, y: np.ndarray) -> float:
    """Return the AP correlation between two orderings where neither is the reference; NaN if one ties all runs.

    The mean of both directions. Each run below the first tied group gives the share of the runs above its own group
    that belong above it; those tied in the other ordering do not. Urbano and Marrero 2017, tau_AP,b.

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
        # of the runs above each run, the share that both orderings put above it
        right = (above & (belongs > 0)).sum(axis=1)[below] / before[below]
        halves.append(2.0 * right.mean() - 1.0)
    return float(np.mean(halves))


def _above(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, for each run (rows), which runs `y` puts above it, and whether `x` does too (1), or below (-1)."""
    return y[None, :] > y[:, None], np.sign(x[None, :] - x[:, None])


@coefficient(reference="Webber, Moffat and Zobel 2010, eq. 32")
@_of_numbers
def rbo(x: np.ndarray, y: np.ndarray, *, p: float = 0.9) -> float:
    """Return rank-biased overlap, extrapolated: the mean share in common of the tops, depth d weighing p^(d-1).

    Tied runs all enter at the best rank of their group, and the share in common at a depth is twice the overlap by
    the number of runs in both tops; below the last run all is common. Webber, Moffat and Zobel 2010, eq. 32.

    Examples
    --------
    >>> round(rbo([5, 4, 3, 2, 1], [2, 5, 4, 3, 1]), 5), rbo([2, 2, 1], [2, 2, 1])
    (0.828, 1.0)
    """
    first, second = ranks(x), ranks(y)
    n = len(first)
    # sizes[d], common[d]: runs in both tops down to depth d + 1, counted twice, and those in common
    sizes = np.cumsum(np.bincount(first, minlength=n + 1) + np.bincount(second, minlength=n + 1))[
        1:
    ]
    common = np.cumsum(np.bincount(np.maximum(first, second), minlength=n + 1))[1:]
    distinct = (
        1.0 - 2.0 * common / sizes
    )  # the share of the tops at each depth that is in one of them only
    return float(1.0 - (1.0 - p) * (p ** np.arange(n) * distinct).sum())


@coefficient(aliases=("rho",), reference="Spearman 1904")
@_of_numbers
def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Return Spearman's rho: Pearson's r of the ranks, tied runs at their average; NaN if one ties all runs.

    Examples
    --------
    >>> round(spearman([3, 2, 1], [2, 3, 1]), 4)
    0.5
    """
    from scipy import stats

    return pearson(stats.rankdata(x), stats.rankdata(y))


@coefficient(looks_at="scores", reference="Pearson 1895")
@_of_numbers
def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Return Pearson's r of the scores; NaN where one of them is constant.

    Examples
    --------
    >>> round(pearson([3.0, 2.0, 1.0], [6.0, 5.0, 1.0]), 4)
    0.9449
    """
    from scipy import stats

    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(stats.pearsonr(x, y).statistic)
