"""The randomisation test with all its permutations and none drawn: for few queries."""

from __future__ import annotations

import numpy as np

from pdeval.mechanics.equality import NOISE
from pdeval.mechanics.progress import track
from pdeval.significance.outcome import Outcome, describe, ratio, student_interval
from pdeval.significance.registry import significance_test

# Differences other than 0 up to which all signs are tried: 2^40 of them, by the sums of two halves, 2^20 each.
MOST = 40


@significance_test(
    aliases=("exact_randomization", "exact_permutation", "exact"),
    reference="Fisher 1935; Pitman 1937",
    says="exact paired randomisation test",
)
def exact_randomisation(D: np.ndarray, *, confidence: float = 0.95, progress: bool | None = None) -> Outcome:
    """Return the paired randomisation test of each column over all ways to swap the two runs: nothing is drawn.

    p is the share of all 2^n signs of the n differences that are not 0 (zeros change nothing) whose mean is at least
    as far from 0 as the observed one, to rounding. The smallest p there is, is 2 / 2^n: with 5 queries no difference
    is significant at 0.05. At most 40 differences; for more of them draw, by 'randomisation', whose p this is the limit
    of. Statistic, effect size and interval are those of 'randomisation'.

    References
    ----------
    Fisher (1935), The design of experiments, section 21; Smucker, Allan and Carterette (2007), A comparison of
    statistical significance tests for IR evaluation.

    Examples
    --------
    >>> exact_randomisation(np.array([[0.1], [0.3], [0.2], [0.4]])).p_value.tolist()
    [0.125]
    """
    n, mean, sd = describe(D)
    size = np.where(np.isnan(D), 0.0, np.abs(D))
    # in sums, not means: the number of queries of a pair is the same for all signs
    least = np.abs(np.nan_to_num(D, nan=0.0).sum(axis=0)) - NOISE * size.sum(axis=0)
    count = (size > 0).sum(axis=0)
    if len(count) and count.max() > MOST:
        raise ValueError(
            f"test='exact_randomisation' tries all signs of at most {MOST} differences; a pair has {count.max()}. "
            "Use test='randomisation', which draws some of them."
        )
    reached = np.ones(D.shape[1])
    columns = np.flatnonzero(count)
    for column in track(columns, total=len(columns), desc="exact randomisation test", progress=progress):
        values = size[:, column]
        reached[column] = share_reaching(values[values > 0], least[column])
    return Outcome(n, mean, *student_interval(n, mean, sd, confidence), ratio(mean, sd), mean, reached)


def share_reaching(size: np.ndarray, least: float) -> float:
    """Return the share of all signs of some numbers whose sum is at least so far from 0.

    The signs of one half of the numbers make sums that are sorted; for each sum of the other half a search tells how
    many of them reach the limit. So 2^n signs take 2^(n/2) steps.

    Examples
    --------
    >>> share_reaching(np.array([0.1, 0.2, 0.4]), 0.5)
    0.5
    """
    first, second = (np.sort(_sums(part)) for part in (size[: len(size) // 2], size[len(size) // 2 :]))
    # a sum and its negative reach alike: above is half of all
    above = len(second) - np.searchsorted(second, least - first, side="left")
    return min(1.0, 2.0 * float(above.sum()) / 2.0 ** len(size))


def _sums(size: np.ndarray) -> np.ndarray:
    """Return the sums of some numbers with all of their signs."""
    sums = np.zeros(1)
    for one in size:
        sums = np.concatenate([sums - one, sums + one])
    return sums
