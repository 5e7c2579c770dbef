"""Ties between rankings: how many there are under each measure, at each recall level, and given the first item."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.scores import Views
from pdeval.evaluate.sources import Held
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import share
from pdeval.studies.sign_agreement import Per, stream_of, together
from pdeval.tables.equal_values import apart, equal_pairs, pairs_of
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of, whole
from pdeval.verbs.checks import checks_arguments

MEANS = {
    "pairs": "number of (query, pair of runs)",
    "ties": "how many of those pairs are tied",
    "tied": "share of those pairs that is tied, missing where there are none",
}

table(
    "ties",
    "[query] measure pairs:int ties:int tied:share",
    "table of ties",
    row="measure (and query, with per='query')",
    sort="measure query",
    then=".report()",
    means=MEANS,
    undrawn="it is one number per measure; .ties.by_recall() is drawn",
)
table(
    "ties_by_recall",
    "recall:int pairs:int ties:int tied:share",
    "table of ties by recall level",
    row="recall level",
    sort="recall",
    then=".plot()",
    means={"recall": "the recall level, from 1", **MEANS},
    unreported="it has a row per recall level; draw it: .plot()",
)
table(
    "ties_by_first",
    "p1:int pairs:int ties:int tied:share",
    "table of ties by the rank of the first relevant item",
    row="rank of the first relevant item",
    sort="p1",
    then=".plot()",
    means={
        "p1": "the rank of the first relevant item of a run",
        "pairs": "number of (query, run with that rank, other run), so that two runs may count both ways",
        "ties": "how many of the other runs have their first relevant item at that rank too",
        "tied": "share of those pairs that is tied",
    },
    unreported="it has a row per rank; draw it: .plot()",
)


@verb(on=("scores", "preferences", "judged"), gives="ties")
def ties(
    held: Held,
    measures: object = ("RR", "sgnLP"),
    *,
    per: Per = "all",
    baseline: object = None,
    pairs: object = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the share of pairs of runs on the same query that each measure leaves tied.

    Values that differ by rounding only, 1e-12 of their size, are tied.

    Parameters
    ----------
    baseline : run, optional
        Only pairs of a run with this one.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Table 3.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties(["RR", "P@10", "sgnLP"]).round(3)
      measure  pairs  ties   tied
    0      RR   3168  1802  0.569
    1    P@10   3168   516  0.163
    2   sgnLP   3168     0  0.000
    """
    one_of("per", per, ("all", "query"))
    stream = stream_of(held, measures, baseline=baseline, pairs=pairs)
    counts = np.zeros((2, len(stream.measures), len(stream.queries)), dtype=np.int64)
    for block in together(stream, desc="ties", progress=progress):
        for m, values in enumerate(block):
            known = ~np.isnan(values)
            counts[:, m] += known.sum(axis=1), ((values == 0) & known).sum(axis=1)
    if per == "all":
        counts = counts.sum(axis=2, keepdims=True)
    measure, query = (axis.ravel() for axis in np.indices(counts.shape[1:]))
    columns: dict[str, Any] = {} if per == "all" else {str(stream.queries.name): labels(stream.queries, query)}
    columns["measure"] = labels(pd.Index(stream.measures), measure)
    return _rates(columns, counts[0].ravel(), counts[1].ravel(), stream.attrs)


@verb(
    on="judged",
    gives="ties_by_recall",
    family="ties",
    name="by_recall",
    needs="relevant",
    formerly="ties_by_level",
)
def ties_by_recall(judged: Judged, *, levels: int | None = 20) -> pd.DataFrame:
    """Return the share of pairs of runs that are tied at each recall level: both find the i-th relevant item there.

    Two runs that both lack the item are tied. A query has as many recall levels as relevant items, and counts only in
    these.

    Parameters
    ----------
    levels : int or None
        The first so many recall levels; None for all.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties.by_recall(levels=3).round(3)
       recall  pairs  ties   tied
    0       1   3168  1802  0.569
    1       2   3168  1287  0.406
    2       3   3168   815  0.257
    """
    if levels is not None:
        whole("levels", levels, 1)
    counts = judged.counted()
    judged.tell(counts)
    deepest, parts = 0, []
    for block in Views(judged).blocks("binary", judged.level):
        rank = block["rank"][:levels]
        here = counts[block.topics]
        tied = np.array([equal_pairs(apart(row, here)).sum() for row in rank], dtype=np.int64)
        parts.append((tied, pairs_of(here.sum(axis=1)).sum()))
        deepest = max(deepest, len(rank))
    found = np.zeros((2, deepest), dtype=np.int64)
    for tied, total in parts:
        found[0, : len(tied)] += total
        found[1, : len(tied)] += tied
    return _rates({"recall": np.arange(1, deepest + 1)}, found[0], found[1], judged.attrs)


@verb(
    on="judged",
    gives="ties_by_first",
    family="ties",
    name="by_first",
    needs="relevant",
    formerly="ties_by_first",
)
def ties_by_first(judged: Judged) -> pd.DataFrame:
    """Return how likely another run's first relevant item is at the same rank, given the rank of a run's own.

    Runs without a relevant item are never the given one, but may be the other. In theory:
    `pdeval.studies.tie_probability`.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 3.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties.by_first().head(3).round(3)
       p1  pairs  ties   tied
    0   1   4521  3454  0.764
    1   2    858   122  0.142
    2   3    319    16  0.050
    """
    counts = judged.counted()
    judged.tell(counts)
    found = []
    for block in Views(judged).blocks("binary", judged.level):
        if block.size:
            here = counts[block.topics]
            row, run = np.nonzero(here & np.isfinite(block["rank"][0]))
            first = block["rank"][0][row, run].astype(np.int64)
            found.append(np.stack([block.topics[row], first, here.sum(axis=1)[row] - 1]))
    topic, p1, others = np.concatenate([np.zeros((3, 0), dtype=np.int64), *found], axis=1)
    _, cell, alike = np.unique(topic * (p1.max(initial=0) + 1) + p1, return_inverse=True, return_counts=True)
    total, tied = (np.bincount(p1, weights=count) for count in (others, alike[cell] - 1))
    ranks = np.flatnonzero(total)
    return _rates({"p1": ranks}, total[ranks].astype(np.int64), tied[ranks].astype(np.int64), judged.attrs)


def _rates(columns: dict[str, Any], pairs: np.ndarray, tied: np.ndarray, attrs: dict[str, Any]) -> pd.DataFrame:
    rate = np.where(pairs > 0, share(tied, pairs), np.nan)
    frame = pd.DataFrame({**columns, "pairs": pairs, "ties": tied, "tied": rate})
    frame.attrs.update(attrs)
    return frame


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
