"""Tests that may be looked at after every user: asymptotic confidence sequences.

Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2021), Time-uniform central limit theory and asymptotic confidence
sequences, theorem 2.2: with n units so far, an estimate of standard error s, and any rho > 0,

    estimate +- s sqrt( (n rho**2 + 1) / (n rho**2) * log((n rho**2 + 1) / alpha**2) )

holds at all n at once, from a first look of some size on, with probability 1 - alpha. It is Robbins' normal mixture,
the test of which is the mixture sequential probability ratio test (Johari et al. 2017). rho says where the interval is
the tightest; no packaged implementation that is maintained runs beside today's pandas, and it is a closed form.
"""

from __future__ import annotations

import numpy as np

from pdeval.mechanics.equality import gap, size_of
from pdeval.online.samples import NAN, Tested, welch


def always_valid(x: np.ndarray, y: np.ndarray, *, confidence: float, planned: int) -> Tested:
    """Return the sequential test of two means: interval and p-value hold however often they are looked at.

    Parameters
    ----------
    x, y : ndarray
        The units' values so far.
    planned : int
        Number of units, of both samples, at which the interval is the tightest.

    Examples
    --------
    >>> x, y = np.array([1.0, 2, 3, 4] * 25), np.array([2.0, 3, 4, 5] * 25)
    >>> once, always = welch(x, y, confidence=0.95), always_valid(x, y, confidence=0.95, planned=200)
    >>> [round(end, 2) for end in (once.low, once.high, always.low, always.high)]
    [-1.31, -0.69, -1.48, -0.52]
    """
    if len(x) < 2 or len(y) < 2:
        return Tested("sequential", NAN, NAN, NAN, NAN, NAN)
    n, alpha = len(x) + len(y), 1 - confidence
    error = float(np.sqrt(np.var(x, ddof=1) / len(x) + np.var(y, ddof=1) / len(y)))
    difference = float(gap(np.mean(x), np.mean(y), size_of(x, y)))
    plain = welch(x, y, confidence=confidence)
    if np.isnan(plain.statistic) or plain.statistic == 0 == error:  # without spread
        return plain._replace(test="sequential")
    mixed = n * _mixing(planned, alpha) ** 2
    half = error * float(np.sqrt((mixed + 1) / mixed * np.log((mixed + 1) / alpha**2)))
    statistic = difference / error
    evidence = mixed / (2 * (mixed + 1)) * statistic**2 - np.log(mixed + 1) / 2  # logarithm of the mixture's ratio
    p_value = float(np.exp(-max(evidence, 0.0)))
    return Tested("sequential", difference - half, difference + half, plain.effect_size, statistic, p_value)


def _mixing(planned: int, alpha: float) -> float:
    """Return the rho whose interval is about the tightest at a number of units (the paper's appendix B.2)."""
    return float(np.sqrt((-2 * np.log(alpha) + np.log(-2 * np.log(alpha) + 1)) / planned))
