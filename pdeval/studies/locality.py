"""How near recall levels are to each other: whether a difference of two runs at one level shows at the next ones too.

Lexicographic precision takes the second relevant item for the first where that one is tied, and so on. The nearer two
levels are alike, the more that is justified.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import closer
from pdeval.studies.blocks import pair_blocks, rank_blocks, rates, result
from pdeval.studies.sign_agreement import Per, about_zero
from pdeval.studies.ties import places
from pdeval.tables.equal_values import NOISE, pairs_of, row_sizes
from pdeval.tables.labels import labels
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import whole

CELLS = 1 << 20
Values = Literal["difference", "sign"]
PREDICTORS = ("sgnLP", "RR(i=2)")

table(
    "locality",
    "recall_a:int recall_b:int pairs:int r:float",
    "table of correlations between recall levels",
    row="pair of recall levels",
    sort="recall_a recall_b",
    then=".plot()",
    means={
        "recall_a": "the smaller recall level, from 1",
        "recall_b": "the larger recall level",
        "pairs": "number of (query, pair of runs) that have both levels",
        "r": "correlation about zero of the differences in reciprocal rank at the two levels, missing where all are 0",
    },
    unreported="it is a picture of many numbers; draw it: .plot()",
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
        "ahead": "how many levels further the explaining one is",
        "pairs": "number of (query, pair of runs) that have all these levels",
        "coefficient": "weight of the explaining level, by ordinary least squares through zero",
        "std_error": "its standard error, which takes pairs as independent, and they are not",
        "r_squared": "share of the sum of squares that the regression explains",
    },
    undrawn="the correlations are drawn: kind='correlation'",
)

table(
    "masked_agreement",
    "[query] measure pairs:int agreement:share",
    "table of agreement without the first relevant item",
    row="measure (and query, with per='query')",
    sort="measure query",
    then=".report()",
    means={
        "measure": "what foretells: lexicographic precision of the later items, or the second item alone",
        "pairs": "number of (query, pair of runs) whose first relevant items are at different ranks",
        "agreement": "share of those pairs that are foretold rightly, missing where there are none",
    },
    undrawn="it is two numbers; print the table itself",
)


@verb(
    on="judged",
    gives=("locality", "locality_regression"),
    family="agree",
    name="locality",
    needs="relevant",
    formerly="locality",
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
    """Return how the differences of two runs in reciprocal rank at one recall level go with those at others.

    The difference at level i is 1/f_i - 1/f'_i over all pairs of runs. A pair has no first run, so correlations are
    taken about zero and regressions pass through it: nothing depends on which of the two is subtracted from the other.
    A query counts at the levels that it has, as many as it has relevant items.

    Parameters
    ----------
    kind : {'correlation', 'regression'}
        r = sum xy / sqrt(sum x^2 sum y^2) between every two of the first `levels` recall levels; or ordinary least
        squares, without intercept, of each level i on i + 1 .. i + `ahead`, for the levels where i + ahead is at most
        `levels`.
    levels : int
        How many recall levels are looked at.
    ahead : int
        How many later levels explain a level, for regressions.
    values : {'difference', 'sign'}
        What is looked at: the differences in reciprocal rank, or their signs alone, at all levels.
    cascaded : bool
        For regressions: level i only over pairs that are tied at all levels before it, where lexicographic precision
        gets to it.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 7; section 3.6 for cascaded data and for signs.

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged(topics="common")
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
    whole("levels", levels, 1, 200)  # moments are levels to the third power
    if cascaded and kind == "correlation":
        raise ValueError(
            "cascaded=True is for regressions, whose level has levels before it; add kind='regression'."
        )
    if levels < 2 or (kind == "regression" and ahead >= levels):
        raise ValueError(
            f"levels={levels} leaves nothing to compare; give more levels than ahead={ahead}, at least 2."
        )
    chosen_pairs(judged.runs)
    judged.tell()
    # moments of the queries that have at least so many levels; of cascaded data [i] is what regresses level i
    moments = np.zeros((levels + 1, levels + 1, levels + 1))
    if cascaded:
        for i, part in _cascaded(judged, levels, ahead, values):
            moments[i, : len(part), : len(part)] += part
    else:
        parts = (
            _moments(judged, levels) if values == "difference" else _sign_moments(judged, levels)
        )
        for part in parts:
            moments[: len(part), : len(part), : len(part)] += part
    frame = (
        _correlations(moments)
        if kind == "correlation"
        else _regressions(moments, ahead, 0 if cascaded else ahead)
    )
    frame.attrs.update(judged.attrs)
    return frame


def _moments(judged: Judged, levels: int) -> Iterator[np.ndarray]:
    """Yield, for queries with so many levels, their pairs at [0, 0] and the sums over them of d_i d_j at [i, j].

    From the runs' own values, without forming pairs: over pairs of n runs, the sum of (x_a - x_b)(y_a - y_b) is
    n sum(xy) - sum(x) sum(y).
    """
    for _, rank, counted in rank_blocks(judged, judged.counted()):
        near = np.where(counted, 1.0 / rank[:levels], 0.0)
        n = counted.sum(axis=1)
        # centred first: products of the means would cost digits
        means = near.sum(axis=2) / np.maximum(n, 1)
        centred = np.where(counted, near - means[..., None], 0.0)
        centred[np.abs(centred) <= NOISE * row_sizes(near)] = (
            0.0  # what rounding leaves of equal ranks
        )
        # the sum over pairs of d_i d_j is n times the sum over runs of centred products
        part = np.zeros((len(near) + 1, len(near) + 1))
        part[0, 0] = pairs_of(n).sum()
        part[1:, 1:] = np.einsum("itr,jtr,t->ij", centred, centred, n.astype(np.float64))
        yield part


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


def _sign_moments(judged: Judged, levels: int) -> Iterator[np.ndarray]:
    """Yield the same as `_moments`, of the signs of the differences."""
    for sign, _ in _differences(judged, levels, "sign"):
        yield _products(sign)


def _cascaded(
    judged: Judged, levels: int, ahead: int, values: Values
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield, for each level i that has `ahead` others after it, the moments of the pairs that are tied before it."""
    for difference, sign in _differences(judged, levels, values):
        tied = np.ones(sign.shape[1], dtype=bool)
        for i in range(1, len(sign) - ahead + 1):
            yield i, _products(difference[: i + ahead, tied])
            tied &= sign[i - 1] == 0


def _products(values: np.ndarray) -> np.ndarray:
    """Return the number of cells at [0, 0], and the sums of products of the values at two levels."""
    part = np.zeros((len(values) + 1, len(values) + 1))
    part[0, 0] = values.shape[1]
    part[1:, 1:] = values @ values.T
    return part


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
        columns = {
            "recall": i,
            "ahead": np.arange(1, ahead + 1),
            "pairs": int(n),
            "coefficient": weight,
            "std_error": error,
            "r_squared": fit,
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


@verb(
    on="judged",
    gives="masked_agreement",
    family="agree",
    name="masked",
    needs="relevant",
    formerly="masked_agreement",
)
def masked(
    judged: Judged, *, per: Per = "all", baseline: object = None, pairs: object = None
) -> pd.DataFrame:
    """Return how often the run with the sooner first relevant item is foretold by the relevant items after it.

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
    >>> pdeval.datasets.sample_judged(topics="common").agree.masked().round(3)
       measure  pairs  agreement
    0    sgnLP   1366      0.865
    1  RR(i=2)   1366      0.832
    """
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    judged.tell(counts, pairs=(a, b))
    # by query: pairs whose first items differ, and those that each predictor decides alike
    totals = np.zeros((3, len(judged.queries)), dtype=np.int64)
    for block, rank, counted in rank_blocks(judged, counts):
        rest = np.zeros(block.shape, dtype=np.int64)
        for rest in places(rank[1:]):  # noqa: B007 - the last one is the order by all later items
            pass
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
    return result(
        {**columns, "pairs": count, "agreement": rates(totals[1:].ravel(), count)}, judged.attrs
    )
