"""What runs gave to a pool: items that only they found, what they share, the pool's size against its maximum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from pdeval.collections import teams
from pdeval.collections.pools import Pool
from pdeval.evaluate.cube import all_pairs
from pdeval.kinds.labels import labels
from pdeval.kinds.tables import Table

By = Literal["run", "query", "pair"]
BLOCK = 1 << 21  # cells of the largest temporary array


def summary(
    pool: Pool,
    *,
    by: By = "run",
    qrels: Table | None = None,
    level: float | None = None,
    team: str | Mapping[object, object] | None = None,
    metadata: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return the pool summed up: what each run gave to it, its size by query, or what each two runs share.

    Parameters
    ----------
    by : {'run', 'query', 'pair'}
        `contributions`, `sizes` or `overlap`.
    qrels : Table, optional
        Judgments, for the columns that count judged and relevant items.
    level : float, optional
        The least grade that counts as relevant; by default any positive grade.
    team : str or mapping, optional
        Take the runs of a team together: a column of `metadata`, or the team of each run.
    metadata : DataFrame, optional
        What the runs are, a row a run.

    Examples
    --------
    >>> import pdeval
    >>> from pdeval.collections.pools import pooled
    >>> from pdeval.kinds.tables import read
    >>> pool = pooled(read(pdeval.datasets.sample_runs(), "runs"), 20)
    >>> table = summary(pool, team="family", metadata=pdeval.datasets.sample_metadata())
    >>> table["family"].tolist()
    ['dense', 'fusion', 'lexical', 'reranker', 'sparse']
    """
    if by not in ("run", "query", "pair"):
        raise ValueError(f"by={by!r}: choose 'run', 'query' or 'pair'.")
    if team is None:
        if by == "query":
            return sizes(pool, qrels=qrels, level=level)
        return contributions(pool, qrels=qrels, level=level) if by == "run" else overlap(pool)
    if by == "query":
        raise ValueError("the size of a query's pool does not depend on teams: leave out team=, or choose another by=.")
    found = teams.of(pool.runs, team, metadata)
    together = pool.by_team(found)
    if by == "pair":
        return overlap(together)
    table = contributions(together, qrels=qrels, level=level)
    table.insert(1, "runs", np.bincount(found.of, minlength=len(found.names)))
    return table


def contributions(pool: Pool, *, qrels: Table | None = None, level: float | None = None) -> pd.DataFrame:
    """Return what each run (or team) gave to the pool: contributed, unique[, judged, relevant, unique_relevant].

    Parameters
    ----------
    qrels, level
        As in `summary`.

    Returns
    -------
    DataFrame
        run, queries (answered), contributed (items, over all queries), unique (those that no other run has among its
        first), and with judgments how many were judged, are relevant, and are relevant and unique.

    Examples
    --------
    >>> from pdeval.collections.pools import pooled
    >>> from pdeval.kinds.tables import read
    >>> table = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abbc"), "score": [2, 1, 2, 1]})
    >>> print(contributions(pooled(read(table, "runs"), 2)).to_string(index=False))
    run  queries  contributed  unique
      x        1            2       1
      y        1            2       1
    """
    number = len(pool.runs)
    alone = (pool.count == 1)[pool.item]
    columns: dict[str, Any] = {name: labels(pool.runs[name], np.arange(number)) for name in pool.runs.columns}
    columns["queries"] = (pool.lists > 0).sum(axis=0)
    columns["contributed"] = np.bincount(pool.run, minlength=number)
    columns["unique"] = np.bincount(pool.run[alone], minlength=number)
    if qrels is not None:
        judged, relevant = (which[pool.item] for which in _looked_at(pool, qrels, level))
        columns["judged"] = np.bincount(pool.run[judged], minlength=number)
        columns["relevant"] = np.bincount(pool.run[relevant], minlength=number)
        columns["unique_relevant"] = np.bincount(pool.run[relevant & alone], minlength=number)
    return pd.DataFrame(columns)


def sizes(pool: Pool, *, qrels: Table | None = None, level: float | None = None) -> pd.DataFrame:
    """Return the size of each query's pool, against the most that it could be: depth times the number of runs.

    Parameters
    ----------
    qrels, level
        As in `summary`.

    Returns
    -------
    DataFrame
        query_id, runs (that answered), contributed (items, repeats counted), items (different ones), maximum, share
        (items / maximum)[, judged, relevant].

    Examples
    --------
    >>> from pdeval.collections.pools import pooled
    >>> from pdeval.kinds.tables import read
    >>> table = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abbc"), "score": [2, 1, 2, 1]})
    >>> print(sizes(pooled(read(table, "runs"), 2)).to_string(index=False))
    query_id  runs  contributed  items  maximum  share
           1     2            4      3        4   0.75
    """
    number = len(pool.queries)
    items = np.bincount(pool.query, minlength=number)
    most = pool.depth * len(pool.runs)
    columns: dict[str, Any] = {
        pool.names[0]: labels(pool.queries.index(), np.arange(number)),
        "runs": (pool.lists > 0).sum(axis=1),
        "contributed": pool.lists.sum(axis=1),
        "items": items,
        "maximum": np.full(number, most),
        "share": items / most,
    }
    if qrels is not None:
        judged, relevant = _looked_at(pool, qrels, level)
        columns["judged"] = np.bincount(pool.query[judged], minlength=number)
        columns["relevant"] = np.bincount(pool.query[relevant], minlength=number)
    return pd.DataFrame(columns)


def overlap(pool: Pool) -> pd.DataFrame:
    """Return how much of the pool each two runs (or teams) share.

    Returns
    -------
    DataFrame
        run_a, run_b, shared (items that both have among their first), only_a, only_b, overlap (shared items as a share
        of those that either has); sorted by pair.

    Examples
    --------
    >>> from pdeval.collections.pools import pooled
    >>> from pdeval.kinds.tables import read
    >>> table = pd.DataFrame({"run": list("xxyy"), "query_id": "1", "doc_id": list("abbc"), "score": [2, 1, 2, 1]})
    >>> print(overlap(pooled(read(table, "runs"), 2)).round(3).to_string(index=False))
    run_a run_b  shared  only_a  only_b  overlap
        x     y       1       1       1    0.333
    """
    number = len(pool.runs)
    if number < 2:
        raise ValueError("the overlap of a pool needs two runs or teams; there is one.")
    both = np.zeros((number, number))
    step = max(BLOCK // number, 1)
    for first in range(0, len(pool.query), step):
        low, high = np.searchsorted(pool.item, [first, first + step])
        # single precision counts up to 2^24 exactly, and a block has fewer items
        has = np.zeros((step, number), dtype=np.float32)
        has[pool.item[low:high] - first, pool.run[low:high]] = 1
        both += has.T @ has
    a, b = all_pairs(number)
    shared, own = both[a, b].astype(np.int64), np.diag(both).astype(np.int64)
    columns: dict[str, Any] = {}
    for side, codes in (("a", a), ("b", b)):
        columns |= {f"{name}_{side}": labels(pool.runs[name], codes) for name in pool.runs.columns}
    columns |= {"shared": shared, "only_a": own[a] - shared, "only_b": own[b] - shared}
    return pd.DataFrame({**columns, "overlap": shared / (own[a] + own[b] - shared)})


def _looked_at(pool: Pool, qrels: Table, level: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Return which items of the pool were judged, and which are relevant."""
    grade = pool.grades(qrels)
    return grade >= 0, (grade > 0) & (grade >= (0 if level is None else level))
