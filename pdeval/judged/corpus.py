"""The corpus of a query, as far as it is known: the items that any run returned, and its relevant items."""

from __future__ import annotations

from typing import Any

import numpy as np

from pdeval.judged import ids
from pdeval.judged import lists as list_index
from pdeval.judged.positions import Positions


def corpus_sizes(positions: Positions, level: float | None = None) -> np.ndarray:
    """Return, for every topic, the number of different items in all rankings of it and among its relevant items.

    Judged non-relevant items that no run returned do not count (Diaz & Ferraro 2022, section 5.5).

    Examples
    --------
    >>> import pdeval
    >>> judged = pdeval.datasets.sample_judged()
    >>> bool((corpus_sizes(judged.positions) >= 100).all())
    True
    """
    size, returned = items_returned(positions)
    # relevant items that no run returned come on top
    never = positions.judged.topic[positions.relevant(level) & ~returned]
    return size + np.bincount(never, minlength=len(size))


def items_returned(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    """Return how many different items the rankings of every topic hold, and which judged items are among them.

    Examples
    --------
    >>> import pdeval
    >>> size, returned = items_returned(pdeval.datasets.sample_judged().positions)
    >>> len(size), bool(returned.mean() > 0.5)
    (50, True)
    """
    if positions.source is None:
        raise ValueError("the number of items of a query is counted from the run table, which this join no longer has.")
    size, returned = _counted(positions)
    if positions.rules.get("judged_only"):  # the others were taken out of the rankings
        returned = returned & (positions.judged.grade >= 0)
        size = np.bincount(positions.judged.topic[returned], minlength=len(size))
    return size, returned


def _counted(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    elsewhere: Any = getattr(positions.source, "returned", None)
    if elsewhere is not None:  # the rows are somewhere else, and were counted there
        found: tuple[np.ndarray, np.ndarray] = elsewhere.of_join(positions)
        return found
    runs, _ = positions.source  # type: ignore[misc]
    judged = positions.judged
    found_lists = list_index.find_lists(runs)
    topic = found_lists.queries.probe(judged.queries)[found_lists.query]
    docs, code = ids.column_ids(runs.column("doc"), "doc").unique()
    code = code if found_lists.order is None else code[found_lists.order]
    row_topic = np.repeat(topic, found_lists.sizes)
    known = row_topic >= 0
    ranked = np.unique(row_topic[known].astype(np.int64) * len(docs) + code[known])
    size = np.bincount(ranked // len(docs), minlength=len(judged.queries))
    place = judged.docs.probe(docs)[judged.doc]
    returned = place >= 0
    returned[returned] = np.isin(judged.topic[returned].astype(np.int64) * len(docs) + place[returned], ranked)
    return size, returned
