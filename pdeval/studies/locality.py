"""How near recall levels are to each other: whether a difference of two runs at one level shows at the next ones too.

Lexicographic precision takes the second relevant item for the first where that one is tied, and so on. The nearer two
levels are alike, the more that is justified.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.cube import all_pairs
from pdeval.evaluate.run_selection import chosen_pairs
from pdeval.evaluate.scores import Views
from pdeval.join.judged import Judged
from pdeval.kernels.primitives import closer
from pdeval.studies.sign_agreement import about_zero
from pdeval.tables.equal_values import NOISE, pairs_of, row_sizes
from pdeval.tables.schemas import table
from pdeval.verbs import verb
from pdeval.verbs.arguments import one_of, whole

CELLS = 1 << 20
Values = Literal["difference", "sign"]

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
    whole("ahead", ahead, 1)
    one_of("kind", kind, ("correlation", "regression"))
    one_of("values", values, ("difference", "sign"))
    if cascaded and kind == "correlation":
        raise ValueError("cascaded=True is for regressions, whose level has levels before it; add kind='regression'.")
    if levels < 2 or (kind == "regression" and ahead >= levels):
        raise ValueError(f"levels={levels} leaves nothing to compare; give more levels than ahead={ahead}, at least 2.")
    chosen_pairs(judged.runs)
    judged.tell()
    # moments of the queries that have at least so many levels; of cascaded data [i] is what regresses level i
    moments = np.zeros((levels + 1, levels + 1, levels + 1))
    if cascaded:
        for i, part in _cascaded(judged, levels, ahead, values):
            moments[i, : len(part), : len(part)] += part
    else:
        for size, part in _moments(judged, levels) if values == "difference" else _sign_moments(judged, levels):
            moments[: size + 1, : size + 1, : size + 1] += part
    frame = _correlations(moments) if kind == "correlation" else _regressions(moments, ahead, 0 if cascaded else ahead)
    frame.attrs.update(judged.attrs)
    return frame


def _moments(judged: Judged, levels: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield, for queries with so many levels, their pairs at [0, 0] and the sums over them of d_i d_j at [i, j].

    From the runs' own values, without forming pairs: over pairs of n runs, the sum of (x_a - x_b)(y_a - y_b) is
    n sum(xy) - sum(x) sum(y).
    """
    counts = judged.counted()
    for block in Views(judged).blocks("binary", judged.level):
        if block.size == 0:
            continue
        size = min(block.size, levels)
        here = counts[block.topics]
        near = np.where(here, 1.0 / block["rank"][:size], 0.0)
        n = here.sum(axis=1)
        part = np.zeros((size + 1, size + 1))
        part[0, 0] = pairs_of(n).sum()
        sums = near.sum(axis=2)
        # centred first: products of the means would cost digits
        centred = np.where(here, near - (sums / np.maximum(n, 1))[..., None], 0.0)
        centred[np.abs(centred) <= NOISE * row_sizes(near)] = 0.0  # what rounding leaves of equal ranks
        part[1:, 1:] = np.einsum("itr,jtr,t->ij", centred, centred, n.astype(np.float64))
        yield size, part


def _differences(judged: Judged, levels: int, values: Values) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the differences of pairs of runs at the first levels, shape (levels, cells), and the same as signs.

    A cell is a query and a pair that counts on it. Signs are taken of ranks: they do not depend on rounding.
    """
    counts = judged.counted()
    a, b = all_pairs(len(judged.runs))
    for block in Views(judged).blocks("binary", judged.level):
        if block.size == 0:
            continue
        rank, here = block["rank"][:levels], counts[block.topics]
        step = max(CELLS // rank[..., 0].size, 1)
        for first in range(0, len(a), step):
            x, y = a[first : first + step], b[first : first + step]
            used = here[:, x] & here[:, y]
            sign = closer(rank[..., x], rank[..., y])[:, used].astype(np.float64)
            if values == "sign":
                yield sign, sign
                continue
            yield np.where(sign != 0, (1.0 / rank[..., x] - 1.0 / rank[..., y])[:, used], 0.0), sign


def _sign_moments(judged: Judged, levels: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the same as `_moments`, of the signs of the differences."""
    for sign, _ in _differences(judged, levels, "sign"):
        yield len(sign), _products(sign)


def _cascaded(judged: Judged, levels: int, ahead: int, values: Values) -> Iterator[tuple[int, np.ndarray]]:
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
    a, b = np.triu_indices(len(moments) - 1, k=1)
    a, b = a + 1, b + 1
    have = moments[b]  # queries that have the deeper of the two levels
    at = np.arange(len(b))
    n = have[:, 0, 0]
    r = about_zero(have[at, a, a], have[at, b, b], have[at, a, b])
    return pd.DataFrame({"recall_a": a, "recall_b": b, "pairs": n.astype(np.int64), "r": r})


def _regressions(moments: np.ndarray, ahead: int, further: int) -> pd.DataFrame:
    """Return the regression of each level i on the next ones, from the moments that stand at i and so much further."""
    parts = []
    for i in range(1, len(moments) - ahead):
        whole = moments[i + further]
        given = np.arange(i + 1, i + ahead + 1)
        inside, cross = whole[np.ix_(given, given)], whole[given, i]
        n = whole[0, 0]
        if n <= len(given) or np.linalg.matrix_rank(inside) < len(given):
            weight, error, fit = np.full(len(given), np.nan), np.full(len(given), np.nan), np.nan
        else:
            weight = np.linalg.solve(inside, cross)
            left = whole[i, i] - weight @ cross
            error = np.sqrt(np.diag(np.linalg.inv(inside)) * max(left, 0.0) / (n - len(given)))
            fit = 1 - left / whole[i, i] if whole[i, i] > 0 else np.nan
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
