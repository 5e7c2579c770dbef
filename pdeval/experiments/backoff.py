"""What the next recall levels say about the first: lexicographic precision as a model of reciprocal rank.

Where the first relevant item does not tell two rankings apart, the second does, and so on. That it may be trusted
shows in how well it foretells the first, where that one is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd

from pdeval.evaluate.choice import chosen_pairs
from pdeval.evaluate.scores import Topics, Views, attributes, counted
from pdeval.experiments.deciding import places
from pdeval.judged.positions import Positions
from pdeval.kernels.levels import closer, share
from pdeval.kinds.labels import labels

CELLS = 1 << 20


def masked_agreement(
    positions: Positions,
    *,
    by: Literal["overall", "query"] = "overall",
    baseline: object = None,
    pairs: object = None,
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return how often the ranking with the sooner first relevant item is foretold by the relevant items after it.

    Over pairs whose first relevant items are at different ranks: by `sgnLP`, lexicographic precision of the second
    and later items, and by `RR(i=2)`, the second item alone. A prediction of a tie is a miss.

    Parameters
    ----------
    by : {'overall', 'query'}
        Over all pairs together, or a row for every query.
    baseline, pairs, level, topics
        Which pairs of runs, and what counts, as in `prefer`.

    Returns
    -------
    DataFrame
        measure[, query], pairs, agreement.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Table 2.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = masked_agreement(joined.positions)
    >>> table["measure"].tolist(), bool(table["agreement"].iloc[0] > table["agreement"].iloc[1])
    (['sgnLP', 'RR(i=2)'], True)
    """
    if by not in ("overall", "query"):
        raise ValueError(f"by={by!r}: choose 'overall' or 'query'.")
    a, b = chosen_pairs(positions.runs, baseline=baseline, pairs=pairs)
    counts = counted(positions, topics, level)
    found = np.zeros((3, len(positions.queries)), dtype=np.int64)
    for block in Views(positions, level).blocks("binary", level):
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
    found = found[:, kept] if by == "query" else found.sum(axis=1, keepdims=True)
    width = found.shape[1]
    columns = {"measure": labels(pd.Index(["sgnLP", "RR(i=2)"]), np.repeat([0, 1], width))}
    if by == "query":
        columns[str(positions.queries.name)] = labels(positions.queries[kept], np.tile(np.arange(width), 2))
    count = np.tile(found[0], 2)
    rate = np.where(count > 0, share(found[1:].ravel(), count), np.nan)
    frame = pd.DataFrame({**columns, "pairs": count, "agreement": rate})
    frame.attrs.update(attributes(positions, topics, level))
    return frame


def locality(
    positions: Positions,
    *,
    kind: Literal["correlation", "regression"] = "correlation",
    levels: int = 8,
    ahead: int = 4,
    level: float | None = None,
    topics: Topics = "relevant",
) -> pd.DataFrame:
    """Return how the differences of reciprocal rank at one recall level go with those at others.

    The difference at level i is 1/f_i - 1/f'_i over all pairs of runs, the one that comes first in the table of runs
    less the other. A query counts at the levels that it has, as many as it has relevant items.

    Parameters
    ----------
    kind : {'correlation', 'regression'}
        Pearson's r between every two of the first `levels` levels; or ordinary least squares of each level i on
        i + 1 .. i + `ahead`, for the levels where i + ahead is at most `levels`.
    levels, ahead : int
        How many levels.
    level, topics
        What counts, as in `measure`.

    Returns
    -------
    DataFrame
        "correlation": level_a, level_b, pairs, r. "regression": level, ahead, pairs, coefficient, std_error, intercept,
        r_squared; the standard error takes pairs as independent, which they are not.

    References
    ----------
    Diaz 2023, Best-Case Retrieval Evaluation, Figure 7.

    Examples
    --------
    >>> import pdeval
    >>> joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    >>> table = locality(joined.positions, levels=3)
    >>> table[["level_a", "level_b"]].to_numpy().tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    for name, value in (("levels", levels), ("ahead", ahead)):
        if value != int(value) or value < 1:
            raise ValueError(f"{name}={value!r}: give a whole number of at least 1.")
    if kind not in ("correlation", "regression"):
        raise ValueError(f"kind={kind!r}: choose 'correlation' or 'regression'.")
    if levels < 2 or (kind == "regression" and ahead >= levels):
        raise ValueError(f"levels={levels} leaves nothing to compare; give more levels than ahead={ahead}, at least 2.")
    chosen_pairs(positions.runs)
    # moments of the queries that have at least so many levels
    moments = np.zeros((levels + 1, levels + 1, levels + 1))
    for size, part in _moments(positions, levels, level, topics):
        moments[: size + 1, : size + 1, : size + 1] += part
    frame = _correlations(moments) if kind == "correlation" else _regressions(moments, ahead)
    frame.attrs.update(attributes(positions, topics, level))
    return frame


def _moments(
    positions: Positions, levels: int, level: float | None, topics: Topics
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield, for queries with so many levels, the sums over pairs of products of (1, d_1, ..., d_size).

    From the runs' own values, without forming pairs: over a < b of n runs, the sum of (x_a - x_b)(y_a - y_b) is
    n sum(xy) - sum(x) sum(y), and the sum of x_a - x_b weighs the k-th run, from 0, by n - 1 - 2k.
    """
    counts = counted(positions, topics, level)
    for block in Views(positions, level).blocks("binary", level):
        if block.size == 0:
            continue
        size = min(block.size, levels)
        here = counts[block.topics]
        near = np.where(here, 1.0 / block["rank"][:size], 0.0)
        n = here.sum(axis=1)
        turn = np.where(here, n[:, None] - 1 - 2 * (np.cumsum(here, axis=1) - 1), 0)
        part = np.empty((size + 1, size + 1))
        part[0, 0] = (n * (n - 1) // 2).sum()
        part[0, 1:] = part[1:, 0] = (near * turn).sum(axis=(1, 2))
        sums = near.sum(axis=2)
        # centred first: products of the means would cost digits
        centred = np.where(here, near - (sums / np.maximum(n, 1))[..., None], 0.0)
        part[1:, 1:] = np.einsum("itr,jtr,t->ij", centred, centred, n.astype(np.float64))
        yield size, part


def _correlations(moments: np.ndarray) -> pd.DataFrame:
    a, b = np.triu_indices(len(moments) - 1, k=1)
    a, b = a + 1, b + 1
    have = moments[b]  # queries that have the deeper of the two levels
    at = np.arange(len(b))
    n = have[:, 0, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        cov, var_a, var_b = (
            have[at, i, j] / n - have[at, 0, i] * have[at, 0, j] / n**2 for i, j in ((a, b), (a, a), (b, b))
        )
        r = cov / np.sqrt(var_a * var_b)
    return pd.DataFrame({"level_a": a, "level_b": b, "pairs": n.astype(np.int64), "r": r})


def _regressions(moments: np.ndarray, ahead: int) -> pd.DataFrame:
    parts = []
    for i in range(1, len(moments) - ahead):
        whole = moments[i + ahead]
        given = np.array([0, *range(i + 1, i + ahead + 1)])
        inside, cross = whole[np.ix_(given, given)], whole[given, i]
        n = whole[0, 0]
        if n <= len(given) or np.linalg.matrix_rank(inside) < len(given):
            weight, error, fit = np.full(len(given), np.nan), np.full(len(given), np.nan), np.nan
        else:
            weight = np.linalg.solve(inside, cross)
            left = whole[i, i] - weight @ cross
            error = np.sqrt(np.diag(np.linalg.inv(inside)) * max(left, 0.0) / (n - len(given)))
            spread = whole[i, i] - whole[0, i] ** 2 / n
            fit = 1 - left / spread if spread > 0 else np.nan
        parts.append(
            pd.DataFrame(
                {
                    "level": i,
                    "ahead": np.arange(1, ahead + 1),
                    "pairs": int(n),
                    "coefficient": weight[1:],
                    "std_error": error[1:],
                    "intercept": weight[0],
                    "r_squared": fit,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)
