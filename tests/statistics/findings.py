"""One row per check: how often, out of how many, within which exact limits, and what that says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

SURE = 0.999  # confidence of the limits: hundreds of checks, and hardly any false alarm


@dataclass(frozen=True)
class Finding:
    """A test's size, or an interval's coverage, found by simulation.

    Parameters
    ----------
    what, null : str
        The test or interval, and the distribution.
    n : int
        Queries, or observations per side.
    cases, hits : int
        How many simulations there were, and in how many of them the test rejected, or the interval covered.
    level : float
        What the share of hits is to be.
    bound : float, optional
        Where it is known to be something else: the most that a test, the least that an interval may have.
    """

    what: str
    null: str
    n: int
    cases: int
    hits: int
    level: float
    covers: bool = False
    bound: float | None = None
    why: str = ""

    @property
    def share(self) -> float:
        """The share of hits."""
        return self.hits / self.cases

    @property
    def limits(self) -> tuple[float, float]:
        """The exact limits of the true share, by Clopper and Pearson."""
        rest = (1 - SURE) / 2
        low = stats.beta.ppf(rest, self.hits, self.cases - self.hits + 1) if self.hits else 0.0
        high = (
            stats.beta.ppf(1 - rest, self.hits + 1, self.cases - self.hits)
            if self.hits < self.cases
            else 1.0
        )
        return float(low), float(high)

    @property
    def verdict(self) -> str:
        """'exact' or what the known deviation is; 'MISSED' where the limits leave out what was stated."""
        low, high = self.limits
        if self.bound is None:
            return "exact" if low <= self.level <= high else "MISSED"
        kept = high >= self.bound if self.covers else low <= self.bound
        if not kept:
            return "MISSED"
        return f"at {'least' if self.covers else 'most'} {self.bound:g}"


HEAD = (
    "| test or interval | distribution | n | simulations | stated | found | 99.9% limits | verdict | reason |\n"
    "|---|---|--:|--:|--:|--:|---|---|---|"
)


def line(one: Finding) -> str:
    """Return a finding as a line of a Markdown table."""
    low, high = one.limits
    return (
        f"| {one.what} | {one.null} | {one.n} | {one.cases:,} | {one.level:.4g} | {one.share:.4f} "
        f"| {low:.4f} to {high:.4f} | {one.verdict} | {one.why} |"
    )


def counted(values: np.ndarray) -> tuple[int, int]:
    """Return (cases, hits) of an array of yes and no."""
    return values.size, int(values.sum())
