"""What the next recall levels say about the first: lexicographic precision as a model of reciprocal rank.

Where the first relevant item does not tell two rankings apart, the second does, and so on. That it may be trusted
shows in how well it foretells the first, where that one is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.scores import Views
from pdeval.experiments.agreement import Per, about_zero
from pdeval.experiments.deciding import places
from pdeval.judged.judged import Judged
from pdeval.kernels.levels import closer, share
from pdeval.kinds.labels import labels
from pdeval.kinds.schemas import table
from pdeval.mechanics.arguments import one_of, whole
from pdeval.mechanics.equality import NOISE, pairs_of, row_sizes
from pdeval.verbs import verb

CELLS = 1 << 20
PREDICTORS = ("sgnLP", "RR(i=2)")

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
    gives="masked_agreement",
    family="agree",
    name="masked",
    needs="relevant",
    formerly="masked_agreement",
)
def masked(judged: Judged, *, per: Per = "all", baseline: object = None, pairs: object = None) -> pd.DataFrame:
    """Return how often the run with the sooner first relevant item is foretold by the relevant items after it.

    Over pairs whose first relevant items are at different ranks: by `sgnLP`, lexicographic precision of the second
    and later items, and by `RR(i=2)`, the second item alone. A prediction of a tie is a miss.

    Parameters
    ----------
    per : {'all', 'query'}
        Over all queries together, or one row for every query.
    baseline : run, optional
        Only pairs of a run with this one.
    pairs : list of (run_a, run_b), or DataFrame of both, optional
        Only these pairs; by default every pair once.

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
    one_of("per", per, ("all", "query"))
    a, b = chosen_pairs(judged.runs, baseline=baseline, pairs=pairs)
    counts = judged.counted()
    judged.tell(counts, pairs=(a, b))
    found = np.zeros((3, len(judged.queries)), dtype=np.int64)
    for block in Views(judged).blocks("binary", judged.level):
        if block.size == 0:
            continue
        rank, here = block["rank"], counts[block.topics]
        rest = np.zeros(block.shape, dtype=np.int64)
        for rest in places(rank[1:]):  # noqa: B007
            pass
        second = rank[1] if block.size > 1 else rest
        step = max(CELLS // max(block.shape[0], 1), 1)
        for first in range(0, len(a), step):
            x, y = a[first : first + step], b[first : first + step]
            target = closer(rank[0][:, x], rank[0][:, y])
            target[~(here[:, x] & here[:, y])] = 0
            told = target != 0
            found[0, block.topics] += told.sum(axis=1)
            for row, guess in enumerate((rest, second), start=1):
                found[row, block.topics] += (told & (closer(guess[:, x], guess[:, y]) == target)).sum(axis=1)
    kept = np.flatnonzero(counts.any(axis=1))
    found = found[:, kept] if per == "query" else found.sum(axis=1, keepdims=True)
    width = found.shape[1]
    columns: dict[str, Any] = {}
    if per == "query":
        columns[str(judged.queries.name)] = labels(judged.queries[kept], np.tile(np.arange(width), 2))
    columns["measure"] = labels(pd.Index(PREDICTORS), np.repeat([0, 1], width))
    count = np.tile(found[0], 2)
    rate = np.where(count > 0, share(found[1:].ravel(), count), np.nan)
    frame = pd.DataFrame({**columns, "pairs": count, "agreement": rate})
    frame.attrs.update(judged.attrs)
    return frame


@verb(
    on="judged",
    gives=("locality", "locality_regression"),
    family="agree",
    name="locality",
    needs="relevant",
    formerly="locality",
)
def locality(
    judged: Judged, *, kind: Literal["correlation", "regression"] = "correlation", levels: int = 8, ahead: int = 4
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

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 7.

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
    """
    whole("levels", levels, 1, 200)  # moments are levels to the third power
    whole("ahead", ahead, 1)
    one_of("kind", kind, ("correlation", "regression"))
    if levels < 2 or (kind == "regression" and ahead >= levels):
        raise ValueError(f"levels={levels} leaves nothing to compare; give more levels than ahead={ahead}, at least 2.")
    chosen_pairs(judged.runs)
    judged.tell()
    # moments of the queries that have at least so many levels
    moments = np.zeros((levels + 1, levels + 1, levels + 1))
    for size, part in _moments(judged, levels):
        moments[: size + 1, : size + 1, : size + 1] += part
    frame = _correlations(moments) if kind == "correlation" else _regressions(moments, ahead)
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


def _correlations(moments: np.ndarray) -> pd.DataFrame:
    a, b = np.triu_indices(len(moments) - 1, k=1)
    a, b = a + 1, b + 1
    have = moments[b]  # queries that have the deeper of the two levels
    at = np.arange(len(b))
    n = have[:, 0, 0]
    r = about_zero(have[at, a, a], have[at, b, b], have[at, a, b])
    return pd.DataFrame({"recall_a": a, "recall_b": b, "pairs": n.astype(np.int64), "r": r})


def _regressions(moments: np.ndarray, ahead: int) -> pd.DataFrame:
    parts = []
    for i in range(1, len(moments) - ahead):
        whole = moments[i + ahead]
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
