"""Ties between rankings: how many there are, at each recall level, given the first item; and the level that decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from pdeval.evaluate.pairs import select
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.sources import Held
from pdeval.join.judged import Judged
from pdeval.studies.blocks import rank_blocks, rates, result
from pdeval.studies.sign_agreement import Per, stream_of, together
from pdeval.tables.equal_values import apart, begins, equal_pairs, pairs_of
from pdeval.tables.labels import labels, repeated
from pdeval.tables.schemas import table
from pdeval.verbs import verb
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
table(
    "deciding",
    "run_a run_b query recall:int",
    "table of deciding recall levels",
    row="pair of runs and query",
    sort="run_a run_b query",
    then=".plot()",
    means={
        "recall": "the lowest recall level at which the two runs differ, from 1; 0 where they never do"
    },
    unreported="it has a row per query and pair; report or draw .ties.decided()",
)
table(
    "decided",
    "recall:int decided:int pairs:int ecdf:share",
    "table of pairs decided by recall level",
    row="recall level",
    sort="recall",
    then=".plot()",
    means={
        "recall": "the recall level, from 1",
        "decided": "number of (query, pair of runs) that differ at this level and at none before",
        "pairs": "number of (query, pair of runs) in all",
        "ecdf": "share of pairs decided at or before this level; what is missing to 1 at the last is tied for good",
    },
    unreported="it has a row per recall level; draw it: .plot()",
)


@verb(on=("scores", "preferences", "judged"), gives="ties")
def ties(
    data: Held,
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
    stream = stream_of(data, measures, baseline=baseline, pairs=pairs)
    counts = np.zeros(
        (2, len(stream.measures), len(stream.queries)), dtype=np.int64
    )  # all pairs, and tied ones
    for block in together(stream, desc="ties", progress=progress):
        for m, values in enumerate(block):
            counts[:, m] += (~np.isnan(values)).sum(axis=1), (values == 0).sum(axis=1)
    if per == "all":
        counts = counts.sum(axis=2, keepdims=True)
    measure, query = (axis.ravel() for axis in np.indices(counts.shape[1:]))
    columns: dict[str, Any] = (
        {} if per == "all" else {str(stream.queries.name): labels(stream.queries, query)}
    )
    columns["measure"] = labels(pd.Index(stream.measures), measure)
    return _tie_rates(columns, counts[0].ravel(), counts[1].ravel(), stream.attrs)


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
    counts = judged.counted()
    judged.tell(counts)
    pairs, tied = [], []
    for _, rank, counted in rank_blocks(judged, counts):
        tied.append(
            np.array(
                [equal_pairs(apart(row, counted)).sum() for row in rank[:levels]], dtype=np.int64
            )
        )
        pairs.append(np.full(len(tied[-1]), pairs_of(counted.sum(axis=1)).sum()))
    total = _add_levels(pairs)
    return _tie_rates(
        {"recall": np.arange(1, len(total) + 1)}, total, _add_levels(tied), judged.attrs
    )


def _add_levels(parts: list[np.ndarray]) -> np.ndarray:
    """Return the sums over blocks of counts per recall level; blocks have different numbers of levels."""
    total = np.zeros(max(map(len, parts), default=0), dtype=np.int64)
    for part in parts:
        total[: len(part)] += part
    return total


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
    parts = [np.zeros((3, 0), dtype=np.int64)]
    for block, rank, counted in rank_blocks(judged, counts):
        row, run = np.nonzero(counted & np.isfinite(rank[0]))
        parts.append(
            np.stack(
                [
                    block.topics[row],
                    rank[0][row, run].astype(np.int64),
                    counted.sum(axis=1)[row] - 1,
                ]
            )
        )
    topic, p1, others = np.concatenate(parts, axis=1)
    # runs of a query with the same first rank share a cell
    _, cell, size = np.unique(
        topic * (p1.max(initial=0) + 1) + p1, return_inverse=True, return_counts=True
    )
    total, tied = (
        np.bincount(p1, weights=count).astype(np.int64) for count in (others, size[cell] - 1)
    )
    ranks = np.flatnonzero(total)
    return _tie_rates({"p1": ranks}, total[ranks], tied[ranks], judged.attrs)


def _tie_rates(
    columns: dict[str, Any], pairs: np.ndarray, tied: np.ndarray, attrs: dict[str, Any]
) -> pd.DataFrame:
    """Return the number of pairs and of ties, and the fraction of ties."""
    return result({**columns, "pairs": pairs, "ties": tied, "tied": rates(tied, pairs)}, attrs)


def places(rank: np.ndarray) -> Iterator[np.ndarray]:
    """Yield, level by level, the place of each run in the order by all levels so far, shape (topics, runs).

    Runs with equal ranks so far share a place. The last one is the lexicographic order.

    Examples
    --------
    >>> rank = np.array([[[1.0, 2.0, 1.0]], [[3.0, 4.0, 2.0]]])
    >>> [place.tolist() for place in places(rank)]
    [[[0, 2, 0]], [[1, 2, 0]]]
    """
    place = np.zeros(rank.shape[1:], dtype=np.int64)
    number = np.arange(rank.shape[2])
    for row in rank:
        order = np.lexsort((row, place), axis=-1)
        ranked, before = (
            np.take_along_axis(row, order, axis=-1),
            np.take_along_axis(place, order, axis=-1),
        )
        # a run takes the place at which the stretch of its equals begins
        start = np.maximum.accumulate(np.where(begins(ranked, before), number, 0), axis=-1)
        place = np.empty_like(place)
        np.put_along_axis(place, order, start, axis=-1)
        yield place


@verb(
    on="judged",
    gives="deciding",
    family="ties",
    name="deciding",
    needs="relevant",
    formerly="deciding_levels",
)
def deciding(judged: Judged, *, baseline: object = None, pairs: object = None) -> pd.DataFrame:
    """Return the recall level that decides between two runs on each query: the lowest where they differ.

    It is the level at which lexicographic precision prefers one of them.

    Parameters
    ----------
    baseline : run, optional
        Only pairs of a run with this one, which is then run_b.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties.deciding(baseline="bm25").head(3)
          run_a run_b query_id  recall
    0  bm25+rm3  bm25      101       2
    1  bm25+rm3  bm25      102       1
    2  bm25+rm3  bm25      103       2
    """
    counts = judged.counted()
    source = select(judged, "sgnLP", baseline=baseline, pairs=pairs)
    a, b = source.a, source.b
    level = np.zeros((len(judged.queries), len(a)), dtype=np.int32)
    for block, rank, _ in rank_blocks(judged, counts):
        # the cells (query, pair) that are tied so far
        topic, pair = (axis.ravel() for axis in np.indices((rank.shape[1], len(a))))
        for i, row in enumerate(rank, start=1):
            differs = row[topic, a[pair]] != row[topic, b[pair]]
            level[block.topics[topic[differs]], pair[differs]] = i
            topic, pair = topic[~differs], pair[~differs]
            if not len(topic):
                break
    pair, topic = np.nonzero((counts[:, a] & counts[:, b]).T)  # by pair, then query
    columns = {
        f"{name}_{side}": repeated(judged.runs[name], run[pair])
        for side, run in (("a", a), ("b", b))
        for name in judged.runs.columns
    }
    columns[str(judged.queries.name)] = repeated(judged.queries, topic)
    return result({**columns, "recall": level[topic, pair]}, judged.attrs)


@verb(
    on="judged",
    gives="decided",
    family="ties",
    name="decided",
    needs="relevant",
    formerly="decided_by_level",
)
def decided(judged: Judged) -> pd.DataFrame:
    """Return the share of pairs of runs that is decided at or before each recall level.

    Computed from groups of equal rankings, without forming pairs.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 6.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(topics="common").ties.decided().head(3).round(3)
       recall  decided  pairs   ecdf
    0       1     1366   3168  0.431
    1       2      597   3168  0.620
    2       3      532   3168  0.788
    """
    chosen_pairs(judged.runs)
    counts = judged.counted()
    judged.tell(counts)
    parts = []
    for _, rank, counted in rank_blocks(judged, counts):
        tied = [int(pairs_of(counted.sum(axis=1)).sum())]
        for place in places(rank):
            # runs of a query that share a place are tied
            cell = (np.arange(len(place))[:, None] * place.shape[1] + place)[counted]
            tied.append(int(pairs_of(np.bincount(cell)).sum()))
            if not tied[-1]:
                break
        parts.append(-np.diff(tied))
    newly_decided = np.trim_zeros(_add_levels(parts), "b")
    pairs = int(pairs_of(counts.sum(axis=1)).sum())
    return result(
        {
            "recall": np.arange(1, len(newly_decided) + 1),
            "decided": newly_decided,
            "pairs": pairs,
            "ecdf": np.cumsum(newly_decided) / max(pairs, 1),
        },
        judged.attrs,
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
    relevant, first = (np.atleast_1d(np.asarray(values)) for values in (m, p1))
    if any((values < 1).any() or (values > n).any() for values in (relevant, first)):
        raise ValueError(
            f"tie_probability() needs whole numbers 1 <= m <= n and 1 <= p1 <= n; found n={n}, m={m}, p1={p1}."
        )
    m_of, p_of = (axis.ravel() for axis in np.meshgrid(relevant, first, indexing="ij"))
    possible = n - p_of >= m_of - 1
    log = log_choose(n - p_of, np.where(possible, m_of - 1, 0)) - log_choose(
        np.full(len(m_of), n), m_of
    )
    chance = np.where(possible, np.exp(log), 0.0)
    return result(
        {"n": int(n), "m": m_of, "p1": p_of, "probability": chance}, {"table": "tie_probability"}
    )


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
    relevant, more = (np.atleast_1d(np.asarray(values)) for values in (m, k))
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
    items = np.full(len(m_of), n)
    log = log_choose(items, m_of + k_of) - log_choose(items, m_of)
    with np.errstate(over="ignore"):
        growth = np.exp(log)
    columns = {
        "n": int(n),
        "m": m_of,
        "k": k_of,
        "growth": growth,
        "log10_growth": log / np.log(10),
    }
    return result(columns, {"table": "value_growth"})


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
