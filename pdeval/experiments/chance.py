"""Ties by chance: what theory says about the first relevant item, and about how many rankings can be told apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from pdeval.kinds.schemas import table
from pdeval.mechanics.declared import checks_arguments

table(
    "tie_probability",
    "n:int m:int p1:int probability:float",
    "table of chances of a tie",
    row="number of relevant items and rank of the first",
    sort="m p1",
    then=".plot()",
    means={
        "n": "number of items",
        "m": "how many of them are relevant",
        "p1": "the rank of the first relevant item",
        "probability": "chance that a random ranking has its first relevant item there",
    },
    unreported="it is a curve; draw it: .plot()",
)
table(
    "value_growth",
    "n:int m:int k:int growth:float log10_growth:float",
    "table of how the values of lexicographic precision grow",
    row="number of relevant items and how many are added",
    sort="m k",
    means={
        "n": "number of items",
        "m": "how many of them are relevant",
        "k": "how many relevant items are added",
        "growth": "factor by which the number of different values grows; infinite beyond 1e308",
        "log10_growth": "its decimal logarithm",
    },
    unreported="it is theory, not a result; print the table itself",
    undrawn="it is theory, not a result; print the table itself",
)


@checks_arguments
def tie_probability(n: int, m: int | Iterable[int], p1: int | Iterable[int]) -> pd.DataFrame:
    """Return how likely a random ranking has its first relevant item at rank p1, and so ties with one that does.

    C(n - p1, m - 1) / C(n, m), for a corpus of n items of which m are relevant.

    Parameters
    ----------
    n : int
        The number of items.
    m : int or several
        The number of relevant items.
    p1 : int or several
        The rank of the first relevant item; every m with every p1.

    Returns
    -------
    DataFrame
        n, m, p1, probability.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, section 2 and Figure 2.

    Examples
    --------
    >>> tie_probability(4, [1, 2], [1, 2]).round(4)
       n  m  p1  probability
    0  4  1   1       0.2500
    1  4  1   2       0.2500
    2  4  2   1       0.5000
    3  4  2   2       0.3333
    """
    relevant, first = (np.atleast_1d(np.asarray(given)) for given in (m, p1))
    if (relevant < 1).any() or (relevant > n).any() or (first < 1).any() or (first > n).any():
        raise ValueError(
            f"tie_probability() needs whole numbers 1 <= m <= n and 1 <= p1 <= n; found n={n}, m={m}, p1={p1}."
        )
    m_of, p_of = (axis.ravel() for axis in np.meshgrid(relevant, first, indexing="ij"))
    possible = n - p_of >= m_of - 1
    log = log_choose(n - p_of, np.where(possible, m_of - 1, 0)) - log_choose(np.full(len(m_of), n), m_of)
    chance = np.where(possible, np.exp(log), 0.0)
    frame = pd.DataFrame({"n": int(n), "m": m_of, "p1": p_of, "probability": chance})
    frame.attrs["table"] = "tie_probability"
    return frame


@checks_arguments
def value_growth(n: int, m: int | Iterable[int], k: int | Iterable[int]) -> pd.DataFrame:
    """Return by what factor the different values of lexicographic precision grow with k more relevant items.

    C(n, m + k) / C(n, m): there are as many values as sets of ranks.

    Parameters
    ----------
    n : int
        The number of items.
    m : int or several
        The number of relevant items.
    k : int or several
        How many relevant items are added; every m with every k.

    Returns
    -------
    DataFrame
        n, m, k, growth, log10_growth; `growth` is infinite where it is beyond 1e308.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, equation 1.

    Examples
    --------
    >>> value_growth(10, 2, [1, 2]).round(4)
        n  m  k  growth  log10_growth
    0  10  2  1  2.6667         0.426
    1  10  2  2  4.6667         0.669
    """
    relevant, more = (np.atleast_1d(np.asarray(given)) for given in (m, k))
    if (
        not relevant.size
        or not more.size
        or (relevant < 0).any()
        or (more < 0).any()
        or relevant.max() + more.max() > n
    ):
        raise ValueError(
            f"value_growth() needs whole numbers m and k of 0 or more with m + k <= n; found n={n}, m={m}, k={k}."
        )
    m_of, k_of = (axis.ravel() for axis in np.meshgrid(relevant, more, indexing="ij"))
    whole = np.full(len(m_of), n)
    log = log_choose(whole, m_of + k_of) - log_choose(whole, m_of)
    with np.errstate(over="ignore"):
        growth = np.exp(log)
    frame = pd.DataFrame({"n": int(n), "m": m_of, "k": k_of, "growth": growth, "log10_growth": log / np.log(10)})
    frame.attrs["table"] = "value_growth"
    return frame


def log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the logarithm of the number of ways to choose k of n.

    Examples
    --------
    >>> round(float(np.exp(log_choose(5, 2))), 6)
    10.0
    """
    from scipy.special import gammaln

    n, k = np.asarray(n, dtype=np.float64), np.asarray(k, dtype=np.float64)
    log: np.ndarray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return log
