"""The studentised range distribution, for many values at once.

The range of k standard normal values divided by an independent estimate s of their standard deviation with
df degrees of freedom. With H(w) = P(range > w) and f the density of s,

    P(q) = integral of f(s) H(q s) ds,
    H(w) = k integral of phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z - w))^(k-1)) dz.

Both integrands are analytic and die off at both ends, the outer one as a function of log s, so the plain
trapezoid rule converges faster than any power of its step; the tests hold it against scipy's adaptive
integration, which takes one value at a time.
"""

from __future__ import annotations

import numpy as np

# Cells (values x outer x inner points) that one block of the double integral may hold.
BLOCK = 2**20


def upper_tail(q: np.ndarray | float, k: int, df: float) -> np.ndarray:
    """Return P(studentised range of k means > q), accurate to about 1e-13.

    Parameters
    ----------
    q : array_like
        Studentised ranges; infinity gives 0.
    k : int
        Number of means, at least 2.
    df : float
        Degrees of freedom of the variance estimate, at least 1; infinite where the variance is known.

    References
    ----------
    Lund and Lund (1983), Algorithm AS 190: probabilities and upper quantiles for the studentized range.

    Examples
    --------
    The textbook's upper 5% point for 3 means and 10 degrees of freedom is 3.877.

    >>> upper_tail(3.8767767, 3, 10).round(6).item()
    0.05
    """
    from scipy import special

    q = np.asarray(q, dtype=float)
    scale, weight = scale_points(df)
    z, density = maximum_points(k)
    below = special.ndtr(z)
    flat, tails = q.ravel(), np.zeros(q.size)
    # the range of k normal values is never above 40 in double precision: beyond, the tail is 0
    finite = np.flatnonzero(np.isfinite(flat))
    rows = max(1, BLOCK // (len(scale) * len(z)))
    for start in range(0, len(finite), rows):
        part = finite[start : start + rows]
        width = np.minimum(flat[part, None] * scale, 40.0)
        inside = np.minimum(special.ndtr(z - width[:, :, None]) / below, 1.0)
        with np.errstate(divide="ignore"):
            exceeds = -np.expm1((k - 1) * np.log1p(-inside)) @ density
        tails[part] = exceeds @ weight
    return np.minimum(tails, 1.0).reshape(q.shape)


def upper_point(p: float, k: int, df: float) -> float:
    """Return the q with P(studentised range of k means > q) = p.

    Examples
    --------
    >>> round(upper_point(0.05, 3, 10), 3)
    3.877
    """
    from scipy import optimize

    high = 4.0
    while upper_tail(high, k, df) > p:
        high *= 2
    return float(optimize.brentq(lambda q: float(upper_tail(q, k, df)) - p, 0.0, high, xtol=1e-12, rtol=1e-12))


def scale_points(df: float) -> tuple[np.ndarray, np.ndarray]:
    """Return points s and weights of the density of sqrt(chi2(df) / df), by the trapezoid rule on log s."""
    if np.isinf(df):
        return np.ones(1), np.ones(1)
    spread = 1 / np.sqrt(2 * df)
    step = min(0.03, 0.6 * spread)  # H(q s) itself falls over about 0.1 on the log scale when k is large

    # the log density is at most df (t + 1/2) and, right of 0, below -df t^2: no end is cut off
    t = step * np.arange(np.floor(-(60 / df + 0.5) / step), np.ceil(max(9 * spread, 1.0) / step) + 1)
    log_density = df * (t - np.expm1(2 * t) / 2)
    t, log_density = t[log_density > -60], log_density[log_density > -60]
    weight = np.exp(log_density)
    return np.exp(t), weight / weight.sum()


def maximum_points(k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points z and weights of the density of the largest of k normal values, by the trapezoid rule."""
    from scipy import special

    z = np.arange(-10.0, 9.6, 0.1)
    log_density = -(z**2) / 2 - np.log(2 * np.pi) / 2 + np.log(k) + (k - 1) * special.log_ndtr(z)
    counted = log_density > -85
    weight = 0.1 * np.exp(log_density[counted])
    return z[counted], weight
