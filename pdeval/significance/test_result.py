"""What a test says about many pairs of runs at once, and the description every test begins with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdeval.tables.equal_values import describe, ratio

__all__ = [
    "Outcome",
    "completed",
    "describe",
    "described_pairs",
    "direction",
    "ratio",
    "student_interval",
    "with_correction",
]

BLOCK = 2**17  # differences (queries x pairs) that are described at a time


@dataclass(frozen=True)
class Outcome:
    """One value per pair: number of queries, mean difference and its interval, effect, statistic, p-value.

    The sign of the effect size is the direction of the test: positive if it favors run a, whatever the mean is.
    `more` has what only some tests know, under the name of the column of the comparisons that it fills.
    """

    n: np.ndarray
    mean: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    effect_size: np.ndarray
    statistic: np.ndarray
    p_value: np.ndarray
    more: dict[str, np.ndarray] = field(default_factory=dict)

    def columns(
        self, mean_a: np.ndarray, mean_b: np.ndarray, limits: tuple[float, float]
    ) -> dict[str, np.ndarray]:
        """Return the columns of the comparisons that a test fills; intervals stay within the limits of a difference."""
        return {
            "n": self.n.astype(np.int64),
            "mean_a": mean_a,
            "mean_b": mean_b,
            "difference": self.mean,
            "ci_low": np.clip(self.ci_low, *limits),
            "ci_high": np.clip(self.ci_high, *limits),
            "effect_size": self.effect_size,
            "statistic": self.statistic,
            "p_value": self.p_value,
            **self.more,
        }


def with_correction(
    columns: dict[str, np.ndarray], adjusted: np.ndarray, alpha: float
) -> dict[str, np.ndarray]:
    """Return the columns with the corrected p-values after the p-values; what only some tests have comes last."""
    names = list(columns)
    end = names.index("p_value") + 1
    return {
        **{name: columns[name] for name in names[:end]},
        "p_adjusted": adjusted,
        "significant": adjusted < alpha,
        **{name: columns[name] for name in names[end:]},
    }


def described_pairs(
    values: np.ndarray, a: np.ndarray, b: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return number, mean and deviation of each pair's differences, from scores or matrices of preferences."""
    width = max(1, BLOCK // len(values))
    parts = []
    for start in range(0, len(a), width):
        left, right = a[start : start + width], b[start : start + width]
        parts.append(
            describe(
                values[:, left] - values[:, right] if values.ndim == 2 else values[:, left, right]
            )
        )
    n, mean, sd = map(np.concatenate, zip(*parts, strict=True))
    return n, mean, sd


def direction(comparisons: pd.DataFrame) -> np.ndarray:
    """Return 1 for each comparison in which the test favors the first side, -1 for the second, 0 for neither.

    It is the sign of the effect size, which has that of the test's statistic: a rank or sign test may favor the run
    with the smaller mean. The sign of the difference if there is no effect size, NaN if both are missing.

    Examples
    --------
    >>> direction(pd.DataFrame({"difference": [-0.03, 0.1, -0.2], "effect_size": [0.8, 0.2, np.nan]})).tolist()
    [1.0, 1.0, -1.0]
    """
    mean = comparisons["difference"].to_numpy(dtype=float)
    effect = (
        comparisons["effect_size"].to_numpy(dtype=float) if "effect_size" in comparisons else np.nan
    )
    return np.sign(np.where(np.isnan(effect), mean, effect))


def student_interval(
    n: np.ndarray, mean: np.ndarray, sd: np.ndarray, confidence: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Student's t interval of a mean.

    Examples
    --------
    >>> low, high = student_interval(np.array([10]), np.array([1.0]), np.array([2.0]), 0.95)
    >>> round(low.item(), 4), round(high.item(), 4)
    (-0.4307, 2.4307)
    """
    from scipy import special

    half = special.stdtrit(n - 1, (1 + confidence) / 2) * sd / np.sqrt(n)
    return mean - half, mean + half


def completed(
    returned: Any,
    described: Callable[[], tuple[np.ndarray, np.ndarray, np.ndarray]],
    *,
    name: str,
    pairs: int,
    confidence: float,
) -> Outcome:
    """Return what a test said as an outcome: p-values alone, or with their statistic, are completed.

    Number, mean and interval (Student's) are those of the differences, the effect size is Cohen's d.

    Parameters
    ----------
    returned : Outcome, array, or (statistic, p-value)
        What the test returned, one value per pair.
    described : callable
        Gives number, mean and standard deviation of the differences, where they are needed.
    name : str
        The test, for messages.
    pairs : int
        How many pairs there are.
    confidence : float
        Of the interval.

    Examples
    --------
    >>> D = np.array([[0.1], [0.3], [0.2]])
    >>> completed([0.07], lambda: describe(D), name="mine", pairs=1, confidence=0.95).effect_size.round(3).tolist()
    [2.0]
    """
    if isinstance(returned, Outcome):
        return returned
    statistic: Any = None
    if hasattr(returned, "pvalue"):
        statistic, returned = getattr(returned, "statistic", None), returned.pvalue
    elif isinstance(returned, tuple) and len(returned) == 2:
        statistic, returned = returned
    p = np.asarray(returned, dtype=np.float64)
    if p.shape != (pairs,):
        raise ValueError(
            f"the test {name!r} gave p-values of shape {p.shape} for {pairs} pairs; it gives one for each column of "
            "the differences: reduce axis 0, the queries."
        )
    wrong = p[~((p >= 0) & (p <= 1))]
    if len(wrong):
        raise ValueError(
            f"the test {name!r} gave {len(wrong):,} p-values that are not between 0 and 1, e.g. {wrong[0]!r}; a pair "
            "that never differs has p = 1."
        )
    n, mean, sd = described()
    statistic = (
        np.full(pairs, np.nan) if statistic is None else np.asarray(statistic, dtype=np.float64)
    )
    return Outcome(
        n, mean, *student_interval(n, mean, sd, confidence), ratio(mean, sd), statistic, p
    )
