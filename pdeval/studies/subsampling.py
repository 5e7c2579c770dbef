"""Thinning a join: which labels or queries are kept where only a part of them is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from pdeval.join.judged import Judged
from pdeval.tables.equal_values import begins

Policy = Literal["random", "pool"]


def streams(draws: int, seed: int | None) -> Iterator[np.random.Generator]:
    """Yield one generator per draw; the numbers of a draw do not depend on how many draws there are.

    Examples
    --------
    >>> first, *_ = streams(3, seed=1)
    >>> again, = streams(1, seed=1)
    >>> bool(first.random() == again.random())
    True
    """
    for child in np.random.SeedSequence(seed).spawn(draws):
        yield np.random.default_rng(child)


def label_order(judged: Judged, rng: np.random.Generator, *, policy: Policy = "random") -> np.ndarray:
    """Return, for every judged item, the share of its query's labels that must be kept for it to be kept.

    Relevant items, other items of positive grade, and the rest are thinned apart, query by query, so that a share of
    the labels is that share of each. At least one relevant item of a query stays, whatever the share.

    Parameters
    ----------
    rng : Generator
        Of the order, by `policy` "random"; of the order of items that equally many runs returned, by "pool".
    policy : {'random', 'pool'}
        Any items first, or those that most runs returned.

    Examples
    --------
    >>> import pdeval
    >>> order = label_order(pdeval.datasets.sample_judged(), np.random.default_rng(0))
    >>> round(float((order <= 0.5).mean()), 3)
    0.506
    """
    positions, items = judged.positions, judged.positions.judged
    count = len(items.topic)
    # items of positive grade draw first: their order is the same where the join holds no others
    positive = items.grade > 0
    chance = np.empty(count)
    chance[positive], chance[~positive] = rng.random(int(positive.sum())), rng.random(int((~positive).sum()))
    found = np.bincount(positions.item, minlength=count) if policy == "pool" else np.zeros(count)
    relevant = positions.relevant(judged.level)
    stratum = items.topic * 3 + np.where(relevant, 0, np.where(positive, 1, 2))
    order = np.lexsort((chance, -found, stratum))
    ranked = stratum[order]
    first = begins(ranked)
    group = np.cumsum(first) - 1
    place = np.arange(count) - np.flatnonzero(first)[group]
    size = np.bincount(group)[group]
    # a share s keeps floor(s * size + 1/2) items: the item at place p, from 0, from a share of (p + 1/2) / size on
    needed = (place + 0.5) / size
    needed[(place == 0) & (ranked % 3 == 0)] = 0.0
    result = np.empty(count)
    result[order] = needed
    return result


def shares(keep: Sequence[float] | None) -> np.ndarray:
    """Return the shares of labels to keep, by default a tenth, two tenths, and so on to all.

    Examples
    --------
    >>> shares(None)[:3].tolist(), shares([0.5]).tolist()
    ([0.1, 0.2, 0.3], [0.5])
    """
    kept = np.round(np.arange(1, 11) / 10, 1) if keep is None else np.atleast_1d(np.asarray(keep, dtype=np.float64))
    if not len(kept) or not ((kept > 0) & (kept <= 1)).all():
        raise ValueError(f"keep={keep!r}: give shares of the labels above 0 and at most 1, e.g. [0.1, 0.5, 1].")
    return kept


def query_counts(keep: Sequence[float] | None, queries: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what was asked for, and the numbers of queries that it means; by default ten even steps to all.

    Numbers from 1 are counts; where all are at most 1 and not whole numbers alone, they are shares of the queries.

    Examples
    --------
    >>> [part.tolist() for part in query_counts([5, 10], 50)], [part.tolist() for part in query_counts([0.1, 1.0], 50)]
    ([[5, 10], [5, 10]], [[0.1, 1.0], [5, 50]])
    """
    if keep is None:
        counts = np.unique(np.maximum(np.round(np.arange(1, 11) / 10 * queries), 1)).astype(np.int64)
        return counts, counts
    asked = np.atleast_1d(np.asarray(keep))
    text = f"keep={keep!r}: give numbers of queries from 1 to {queries}, or shares above 0 and at most 1."
    if not len(asked) or asked.dtype.kind not in "iuf" or not (asked > 0).all():
        raise ValueError(text)
    if asked.dtype.kind == "f" and asked.max() <= 1:
        return asked, np.maximum(np.floor(asked * queries + 0.5), 1).astype(np.int64)
    if (asked != np.floor(asked)).any() or asked.max() > queries:
        raise ValueError(text)
    return asked.astype(np.int64), asked.astype(np.int64)
