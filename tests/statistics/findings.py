"""One row per check: how often, out of how many, the binomial limits of the stated level, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

SURE = 0.999  # confidence of the limits: hundreds of checks, and hardly any false alarm
Deviation = Literal["", "conservative", "liberal"]


@dataclass(frozen=True)
class Finding:
    """A test's size, an interval's coverage, or the power of a plan, by simulation.

    Parameters
    ----------
    what, null : str
        The test or interval, and the distribution.
    n : int
        Queries, or observations per side.
    cases, hits : int
        Number of simulations, and number of those in which the test rejected, or the interval covered.
    level : float
        The stated fraction of hits.
    covers : bool
        Whether more hits are better: coverage or power, not an error rate.
    known : {'', 'conservative', 'liberal'}
        Known deviation from the level, with its reason in `why`. Any other deviation is a miss.
    """

    what: str
    null: str
    n: int
    cases: int
    hits: int
    level: float
    covers: bool = False
    known: Deviation = ""
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
    def accepted(self) -> tuple[float, float]:
        """The binomial limits of the share if the level is correct; they depend on level and cases only."""
        rest = (1 - SURE) / 2
        low, high = stats.binom.ppf([rest, 1 - rest], self.cases, self.level) / self.cases
        return float(low), float(high)

    @property
    def verdict(self) -> str:
        """'exact' within the binomial limits; beyond them the known deviation, or 'MISSED' if it is not known."""
        low, high = self.accepted
        if low <= self.share <= high:
            return "exact"
        deviation = "conservative" if (self.share > high) == self.covers else "liberal"
        return deviation if deviation == self.known else "MISSED"


HEAD = (
    "| test or interval | distribution | n | simulations | stated | found | 99.9% limits | verdict | reason |\n"
    "|---|---|--:|--:|--:|--:|---|---|---|"
)


def line(one: Finding) -> str:
    """Return a finding as a line of a Markdown table."""
    low, high = one.accepted
    why = "" if one.verdict == "exact" else one.why
    return (
        f"| {one.what} | {one.null} | {one.n} | {one.cases:,} | {one.level:.4g} | {one.share:.4f} "
        f"| {low:.4f} to {high:.4f} | {one.verdict} | {why} |"
    )


def counted(values: np.ndarray) -> tuple[int, int]:
    """Return (cases, hits) of an array of yes and no."""
    return values.size, int(values.sum())
