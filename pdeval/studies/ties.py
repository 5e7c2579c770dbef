"""Ties between rankings: their number, the deciding recall level, and the similarity of recall levels.

Lexicographic precision uses the second relevant item if the first items are tied, and so on. The more similar two
recall levels are, the better this is justified.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate import (
    ScoresLike,
    all_pairs,
    chosen_pairs,
    described_frame,
    pair_columns,
    select,
)
from pdeval.evaluate.pairs import lexicographic
from pdeval.join import Judged
from pdeval.kernels.primitives import closer, share
from pdeval.studies.sign_agreement import (
    Per,
    about_zero,
    pair_blocks,
    rank_blocks,
    stream_of,
    together,
)
from pdeval.tables import (
    NOISE,
    begins,
    equal_pairs,
    labels,
    pairs_of,
    repeated,
    row_sizes,
    separate_uncounted,
    table,
)
from pdeval.verbs import checks_arguments, integer, special, verb

MEANS = {
    "pairs": "number of (query, pair of runs)",
    "ties": "number of these pairs that are tied",
    "tied_fraction": "fraction of these pairs that are tied; missing if there are none",
}

table(
    "ties",
    "[query] measure pairs:int ties:int tied_fraction:fraction",
    "table of ties",
    row="measure (and query, with per='query')",
    sort="measure query",
    then=".report()",
    means=MEANS,
    no_plot="it is one number per measure; .ties.by_recall() is drawn",
)
table(
    "ties_by_recall",
    "recall:int pairs:int ties:int tied_fraction:fraction",
    "table of ties by recall level",
    row="recall level",
    sort="recall",
    then=".plot()",
    means={"recall": "the recall level, from 1", **MEANS},
    no_report="it has a row per recall level; draw it: .plot()",
)
table(
    "ties_by_first",
    "p1:int pairs:int ties:int tied_fraction:fraction",
    "table of ties by the rank of the first relevant item",
    row="rank of the first relevant item",
    sort="p1",
    then=".plot()",
    means={
        "p1": "the rank of the first relevant item of a run",
        "pairs": "number of (query, run with that rank, other run), so that two runs may count both ways",
        "ties": "number of other runs with their first relevant item at the same rank",
        "tied_fraction": "fraction of these pairs that are tied",
    },
    no_report="it has a row per rank; draw it: .plot()",
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
        "m": "number of them that are relevant",
        "p1": "the rank of the first relevant item",
        "probability": "chance that a random ranking has its first relevant item there",
    },
    no_report="it is a curve; draw it: .plot()",
)
table(
    "value_growth",
    "n:int m:int k:int growth:float log10_growth:float",
    "table of how the values of lexicographic precision grow",
    row="number of relevant items, and number added",
    sort="m k",
    means={
        "n": "number of items",
        "m": "number of them that are relevant",
        "k": "number of relevant items that are added",
        "growth": "factor by which the number of different values grows; infinite beyond 1e308",
        "log10_growth": "its decimal logarithm",
    },
    no_report="it is theory, not a result; print the table itself",
    no_plot="it is theory, not a result; print the table itself",
)
table(
    "distinct_values",
    "n:int m:int reciprocal_rank:int lexiprecision:float log10_lexiprecision:float",
    "table of the number of distinct values",
    row="number of relevant items",
    sort="m",
    means={
        "n": "number of items",
        "m": "how many of them are relevant",
        "reciprocal_rank": "number of values of reciprocal rank: n - m + 1",
        "lexiprecision": "number of values of lexicographic precision: C(n, m); infinite beyond 1e308",
        "log10_lexiprecision": "its decimal logarithm",
    },
    no_report="it is theory, not a result; print the table itself",
    no_plot="it is theory, not a result; print the table itself",
)
table(
    "deciding_levels",
    "run_a run_b query recall:int",
    "table of deciding recall levels",
    row="pair of runs and query",
    sort="run_a run_b query",
    then=".plot()",
    means={
        "recall": "the lowest recall level at which the two runs differ, from 1; 0 where they never do"
    },
    no_report="it has a row per query and pair; report or draw .ties.deciding_ecdf()",
)
table(
    "deciding_ecdf",
    "recall:int decided:int pairs:int ecdf:fraction",
    "table of pairs decided by recall level",
    row="recall level",
    sort="recall",
    then=".plot()",
    means={
        "recall": "the recall level, from 1",
        "decided": "number of (query, pair of runs) that differ at this level and at none before",
        "pairs": "number of (query, pair of runs) in all",
        "ecdf": "fraction of pairs decided at or before this level; the remaining pairs after the last level are tied",
    },
    no_report="it has a row per recall level; draw it: .plot()",
)


@verb(on=("scores", "preferences", "judged"), per_measure=True, returns="ties")
def ties(
    data: ScoresLike,
    measures: object = ("RR", "sgnLP"),
    *,
    per: Per = "all",
    baseline: object = None,
    pairs: object = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Return the fraction of pairs of runs on the same query that are tied by each measure.

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
    >>> pdeval.datasets.sample_judged(queries="common").ties(["RR", "P@10", "sgnLP"]).round(3)
      measure  pairs  ties  tied_fraction
    0      RR   3168  1802          0.569
    1    P@10   3168   516          0.163
    2   sgnLP   3168     0          0.000
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
    returns="ties_by_recall",
    family="ties",
    name="by_recall",
    needs="relevant",
)
def ties_by_recall(judged: Judged, *, levels: int | None = 20) -> pd.DataFrame:
    """Return the fraction of pairs of runs tied at each recall level: the i-th relevant item has the same rank.

    Two runs that both lack the item are tied. A query has as many recall levels as relevant items, and counts only in
    these.

    Parameters
    ----------
    levels : int or None
        Number of recall levels; None for all.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 5.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").ties.by_recall(levels=3).round(3)
       recall  pairs  ties  tied_fraction
    0       1   3168  1802          0.569
    1       2   3168  1287          0.406
    2       3   3168   815          0.257
    """
    counts = judged.counted()
    judged.warn_of_missing_queries(counts)
    pairs, tied = [], []
    for _, rank, counted in rank_blocks(judged, counts):
        tied.append(
            np.array(
                [equal_pairs(separate_uncounted(row, counted)).sum() for row in rank[:levels]],
                dtype=np.int64,
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
    returns="ties_by_first",
    family="ties",
    name="by_first",
    needs="relevant",
)
def ties_by_first(judged: Judged) -> pd.DataFrame:
    """Return the probability that another run has its first relevant item at the same rank, by that rank.

    Runs without a relevant item are never the given one, but may be the other. In theory:
    `pdeval.studies.tie_probability`.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 3.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").ties.by_first().head(3).round(3)
       p1  pairs  ties  tied_fraction
    0   1   4521  3454          0.764
    1   2    858   122          0.142
    2   3    319    16          0.050
    """
    counts = judged.counted()
    judged.warn_of_missing_queries(counts)
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
    return described_frame(
        {**columns, "pairs": pairs, "ties": tied, "tied_fraction": share(tied, pairs, np.nan)},
        attrs,
    )


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
    returns="deciding_levels",
    family="ties",
    name="deciding_levels",
    needs="relevant",
)
def deciding_levels(
    judged: Judged, *, baseline: object = None, pairs: object = None
) -> pd.DataFrame:
    """Return the recall level that decides between two runs on each query: the lowest where they differ.

    It is the level at which lexicographic precision prefers one of them.

    Parameters
    ----------
    baseline : run, optional
        Only pairs of a run with this one, which is then run_b.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").ties.deciding_levels(baseline="bm25").head(3)
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
    columns = pair_columns(judged.runs, a[pair], b[pair])
    columns[str(judged.queries.name)] = repeated(judged.queries, topic)
    return described_frame({**columns, "recall": level[topic, pair]}, judged.attrs)


@verb(
    on="judged",
    returns="deciding_ecdf",
    family="ties",
    name="deciding_ecdf",
    needs="relevant",
)
def deciding_ecdf(judged: Judged) -> pd.DataFrame:
    """Return the fraction of pairs of runs decided at or before each recall level.

    Computed from groups of equal rankings, without forming pairs.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 6.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").ties.deciding_ecdf().head(3).round(3)
       recall  decided  pairs   ecdf
    0       1     1366   3168  0.431
    1       2      597   3168  0.620
    2       3      532   3168  0.788
    """
    chosen_pairs(judged.runs)
    counts = judged.counted()
    judged.warn_of_missing_queries(counts)
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
    return described_frame(
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
    m_of, p_of = (
        axis.ravel() for axis in np.meshgrid(np.asarray(m), np.asarray(p1), indexing="ij")
    )
    if any((values < 1).any() or (values > n).any() for values in (m_of, p_of)):
        raise ValueError(
            f"tie_probability() requires integers 1 <= m <= n and 1 <= p1 <= n; found n={n}, m={m}, p1={p1}."
        )
    possible = n - p_of >= m_of - 1
    log = log_choose(n - p_of, np.where(possible, m_of - 1, 0)) - log_choose(
        np.full(len(m_of), n), m_of
    )
    chance = np.where(possible, np.exp(log), 0.0)
    return described_frame(
        {"n": int(n), "m": m_of, "p1": p_of, "probability": chance}, {"table": "tie_probability"}
    )


@checks_arguments
def distinct_values(n: int, m: int | Iterable[int]) -> pd.DataFrame:
    """Return the number of distinct values of reciprocal rank and of lexicographic precision.

    All n items are ranked. The first relevant item has n - m + 1 possible ranks, and the relevant items have C(n, m).

    Parameters
    ----------
    n : int
        The number of items.
    m : int or several
        The number of relevant items, at least 1.

    Returns
    -------
    DataFrame
        n, m, reciprocal_rank, lexiprecision, log10_lexiprecision.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 1 and section 3.3.

    Examples
    --------
    >>> distinct_values(10, [1, 5]).round(3)
        n  m  reciprocal_rank  lexiprecision  log10_lexiprecision
    0  10  1               10           10.0                1.000
    1  10  5                6          252.0                2.401
    """
    relevant = np.atleast_1d(np.asarray(m))
    if not relevant.size or relevant.min() < 1 or relevant.max() > n:
        raise ValueError(f"distinct_values() requires integers 1 <= m <= n; found n={n}, m={m}.")
    return described_frame(
        {
            "n": int(n),
            "m": relevant,
            "reciprocal_rank": n - relevant + 1,
            "lexiprecision": special.comb(n, relevant),
            "log10_lexiprecision": log_choose(np.full(len(relevant), n), relevant) / np.log(10),
        },
        {"table": "distinct_values"},
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
        Number of added relevant items; every m with every k.

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
    m_of, k_of = (axis.ravel() for axis in np.meshgrid(np.asarray(m), np.asarray(k), indexing="ij"))
    if not m_of.size or min(m_of.min(), k_of.min()) < 0 or (m_of + k_of).max() > n:
        raise ValueError(
            f"value_growth() requires non-negative integers m and k with m + k <= n; found n={n}, m={m}, k={k}."
        )
    items = np.full(len(m_of), n)
    log = log_choose(items, m_of + k_of) - log_choose(items, m_of)
    with np.errstate(over="ignore"):
        growth = np.exp(log)
    return described_frame(
        {
            "n": int(n),
            "m": m_of,
            "k": k_of,
            "growth": growth,
            "log10_growth": log / np.log(10),
        },
        {"table": "value_growth"},
    )


def log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Return the logarithm of the number of ways to choose k of n.

    Examples
    --------
    >>> round(float(np.exp(log_choose(5, 2))), 6)
    10.0
    """
    return np.asarray(special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))


CELLS = 1 << 20
Values = Literal["difference", "sign"]
PREDICTORS = ("sgnLP", "RR(i=2)")

table(
    "locality",
    "recall_a:int recall_b:int pairs:int r:float",
    "table of correlations between recall levels",
    row="pair of recall levels",
    sort="recall_a recall_b",
    then=".report(), .plot()",
    means={
        "recall_a": "the smaller recall level, from 1",
        "recall_b": "the larger recall level",
        "pairs": "number of (query, pair of runs) that have both levels",
        "r": "correlation about zero of the differences in reciprocal rank at the two levels, missing where all are 0",
    },
)
table(
    "locality_regression",
    "recall:int ahead:int pairs:int coefficient:float std_error:float r_squared:float",
    "table of regressions between recall levels",
    row="recall level and level ahead of it",
    sort="recall ahead",
    then=".report()",
    means={
        "recall": "the recall level that is explained, from 1",
        "ahead": "distance of the explaining level",
        "pairs": "number of (query, pair of runs) that have all these levels",
        "coefficient": "weight of the explaining level, by ordinary least squares through zero",
        "std_error": "its standard error, which takes pairs as independent, and they are not",
        "r_squared": "fraction of the sum of squares explained by the regression",
    },
    no_plot="the correlations are drawn: kind='correlation'",
)

table(
    "masked_agreement",
    "[query] measure pairs:int agreement:fraction",
    "table of agreement without the first relevant item",
    row="measure (and query, with per='query')",
    sort="measure query",
    then=".report()",
    means={
        "measure": "what foretells: lexicographic precision of the later items, or the second item alone",
        "pairs": "number of (query, pair of runs) whose first relevant items are at different ranks",
        "agreement": "fraction of these pairs that are predicted correctly; missing if there are none",
    },
    no_plot="it is two numbers; print the table itself",
)


@verb(
    on="judged",
    returns=("locality", "locality_regression"),
    family="agree",
    name="locality",
    needs="relevant",
)
def locality(
    judged: Judged,
    *,
    kind: Literal["correlation", "regression"] = "correlation",
    levels: int = 8,
    ahead: int = 4,
    values: Values = "difference",
    cascaded: bool = False,
) -> pd.DataFrame:
    """Return how differences in reciprocal rank correlate between recall levels.

    The difference at level i is 1/f_i - 1/f'_i over all pairs of runs. A pair has no first run, so correlations are
    taken about zero and regressions pass through it: nothing depends on which of the two is subtracted from the other.
    A query counts at each of its recall levels, one per relevant item.

    Parameters
    ----------
    kind : {'correlation', 'regression'}
        r = sum xy / sqrt(sum x^2 sum y^2) between every two of the first `levels` recall levels; or ordinary least
        squares, without intercept, of each level i on i + 1 .. i + `ahead`, for the levels where i + ahead is at most
        `levels`.
    levels : int
        Number of recall levels.
    ahead : int
        Number of later levels that explain a level, for regressions.
    values : {'difference', 'sign'}
        Values to compare at all levels: differences in reciprocal rank, or their signs.
    cascaded : bool
        For regressions: whether the regression of level i uses only the pairs that are tied at all previous levels,
        which lexicographic precision decides at level i or later.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 7; section 3.6 for cascaded data and for signs.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(queries="common")
    >>> judged.agree.locality(levels=3).round(3)
       recall_a  recall_b  pairs      r
    0         1         2   3168  0.697
    1         1         3   3168  0.533
    2         2         3   3168  0.769
    >>> judged.agree.locality(kind="regression", levels=3, ahead=1).round(3)
       recall  ahead  pairs  coefficient  std_error  r_squared
    0       1      1   3168        1.532      0.028      0.486
    1       2      1   3168        1.226      0.018      0.592
    >>> judged.agree.locality(kind="regression", levels=3, ahead=1, cascaded=True).round(3)
       recall  ahead  pairs  coefficient  std_error  r_squared
    0       1      1   3168        1.532      0.028      0.486
    1       2      1   1802        0.781      0.024      0.372
    """
    integer("levels", levels, 1, 200)  # moments are levels to the third power
    if cascaded and kind == "correlation":
        raise ValueError("cascaded=True requires kind='regression'.")
    if levels < 2 or (kind == "regression" and ahead >= levels):
        raise ValueError(
            f"levels={levels} leaves nothing to compare. Use at least 2 levels, and more than ahead={ahead}."
        )
    chosen_pairs(judged.runs)
    judged.warn_of_missing_queries()
    # moments of the queries that have at least so many levels; of cascaded data [i] is what regresses level i
    moments = np.zeros((levels + 1, levels + 1, levels + 1))
    if cascaded:
        for difference, sign in _differences(judged, levels, values):
            tied = np.ones(sign.shape[1], dtype=bool)  # the pairs that are tied before level i
            for i in range(1, len(sign) - ahead + 1):
                cells = difference[: i + ahead, tied]
                part = _with_count(cells @ cells.T, cells.shape[1])
                moments[i, : len(part), : len(part)] += part
                tied &= sign[i - 1] == 0
    else:
        products = (
            _with_count(sign @ sign.T, sign.shape[1])
            for sign, _ in _differences(judged, levels, "sign")
        )
        for part in _moments(judged, levels) if values == "difference" else products:
            moments[: len(part), : len(part), : len(part)] += part
    frame = (
        _correlations(moments)
        if kind == "correlation"
        else _regressions(moments, ahead, 0 if cascaded else ahead)
    )
    return described_frame(frame, judged.attrs)


def _moments(judged: Judged, levels: int) -> Iterator[np.ndarray]:
    """Yield, for queries with so many levels, their pairs at [0, 0] and the sums over them of d_i d_j at [i, j].

    From the runs' own values, without forming pairs: over pairs of n runs, the sum of (x_a - x_b)(y_a - y_b) is
    n sum(xy) - sum(x) sum(y).
    """
    for _, rank, counted in rank_blocks(judged, judged.counted()):
        near = np.where(counted, 1.0 / rank[:levels], 0.0)
        n = counted.sum(axis=1)
        # centered first: products of the means would cost digits
        means = near.sum(axis=2) / np.maximum(n, 1)
        centered = np.where(counted, near - means[..., None], 0.0)
        centered[np.abs(centered) <= NOISE * row_sizes(near)] = (
            0.0  # what rounding leaves of equal ranks
        )
        # the sum over pairs of d_i d_j is n times the sum over runs of centered products
        yield _with_count(
            np.einsum("itr,jtr,t->ij", centered, centered, n.astype(np.float64)), pairs_of(n).sum()
        )


def _differences(
    judged: Judged, levels: int, values: Values
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the differences of pairs of runs at the first levels, shape (levels, cells), and the same as signs.

    A cell is a query and a pair that counts on it. Signs are taken of ranks: they do not depend on rounding.
    """
    for _, rank, counted in rank_blocks(judged, judged.counted()):
        rank = rank[:levels]
        for x, y in pair_blocks(*all_pairs(len(judged.runs)), CELLS // rank[..., 0].size):
            used = counted[:, x] & counted[:, y]
            sign = closer(rank[..., x], rank[..., y])[:, used].astype(np.float64)
            if values == "sign":
                yield sign, sign
            else:
                yield (
                    np.where(sign != 0, (1.0 / rank[..., x] - 1.0 / rank[..., y])[:, used], 0.0),
                    sign,
                )


def _with_count(products: np.ndarray, count: float) -> np.ndarray:
    """Return sums of products of two levels at [i, j], levels from 1, and the number of cells at [0, 0]."""
    moments = np.pad(products, ((1, 0), (1, 0)))
    moments[0, 0] = count
    return moments


def _correlations(moments: np.ndarray) -> pd.DataFrame:
    """Return the correlation of every two levels."""
    a, b = (level + 1 for level in np.triu_indices(len(moments) - 1, k=1))
    have = moments[b]  # queries that have the deeper of the two levels
    row = np.arange(len(b))
    r = about_zero(have[row, a, a], have[row, b, b], have[row, a, b])
    return pd.DataFrame(
        {"recall_a": a, "recall_b": b, "pairs": have[:, 0, 0].astype(np.int64), "r": r}
    )


def _regressions(moments: np.ndarray, ahead: int, further: int) -> pd.DataFrame:
    """Return the regression of each level i on the next ones, from the moments that stand at i and so much further."""
    parts = []
    for i in range(1, len(moments) - ahead):
        moment = moments[i + further]
        n, total = moment[0, 0], moment[i, i]
        next_levels = np.arange(i + 1, i + ahead + 1)
        inside, cross = moment[np.ix_(next_levels, next_levels)], moment[next_levels, i]
        weight = error = np.full(ahead, np.nan)
        fit = np.nan
        if n > ahead and np.linalg.matrix_rank(inside) == ahead:
            # ordinary least squares from sums of squares and products
            weight = np.linalg.solve(inside, cross)
            residual = total - weight @ cross
            error = np.sqrt(np.diag(np.linalg.inv(inside)) * max(residual, 0.0) / (n - ahead))
            fit = 1 - residual / total if total > 0 else np.nan
        parts.append(
            pd.DataFrame(
                {
                    "recall": i,
                    "ahead": np.arange(1, ahead + 1),
                    "pairs": int(n),
                    "coefficient": weight,
                    "std_error": error,
                    "r_squared": fit,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


@verb(
    on="judged",
    returns="masked_agreement",
    family="agree",
    name="masked",
    needs="relevant",
)
def masked(
    judged: Judged, *, per: Per = "all", baseline: object = None, pairs: object = None
) -> pd.DataFrame:
    """Return how often later relevant items predict the run whose first relevant item is at the better rank.

    Over pairs whose first relevant items are at different ranks: by `sgnLP`, lexicographic precision of the second
    and later items, and by `RR(i=2)`, the second item alone. A prediction of a tie is a miss.

    Parameters
    ----------
    baseline : run, optional
        Only pairs of a run with this one.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Table 2.

    Examples
    --------
    >>> import pdeval
    >>> pdeval.datasets.sample_judged(queries="common").agree.masked().round(3)
       measure  pairs  agreement
    0    sgnLP   1366      0.865
    1  RR(i=2)   1366      0.832
    """
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    judged.warn_of_missing_queries(counts, pairs=(a, b))
    # by query: pairs whose first items differ, and those that each predictor decides alike
    totals = np.zeros((3, len(judged.queries)), dtype=np.int64)
    for block, rank, counted in rank_blocks(judged, counts):
        rest = lexicographic(rank[1:], "first")
        second = rank[1] if block.size > 1 else rest
        for x, y in pair_blocks(a, b, CELLS // max(block.shape[0], 1)):
            target = closer(rank[0][:, x], rank[0][:, y])
            target[~(counted[:, x] & counted[:, y])] = 0
            predicted = [closer(ranks[:, x], ranks[:, y]) == target for ranks in (rest, second)]
            alike = [np.ones_like(target, dtype=bool), *predicted]
            totals[:, block.topics] += [((target != 0) & cells).sum(axis=1) for cells in alike]
    columns: dict[str, Any] = {}
    if per == "query":
        kept = np.flatnonzero(counts.any(axis=1))
        totals = totals[:, kept]
        columns[str(judged.queries.name)] = labels(
            judged.queries[kept], np.tile(np.arange(len(kept)), 2)
        )
    else:
        totals = totals.sum(axis=1, keepdims=True)
    columns["measure"] = labels(pd.Index(PREDICTORS), np.repeat([0, 1], totals.shape[1]))
    count = np.tile(totals[0], 2)
    return described_frame(
        {**columns, "pairs": count, "agreement": share(totals[1:].ravel(), count, np.nan)},
        judged.attrs,
    )
