"""The corpus of a query, as far as it is known: the items that any run returned, and its relevant items."""

from __future__ import annotations

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
    if positions.source is None:
        raise ValueError("the number of items of a query is counted from the run table, which this join no longer has.")
    runs, _ = positions.source
    judged = positions.judged
    found = list_index.find_lists(runs)
    topic = found.queries.probe(judged.queries)[found.query]
    docs, code = ids.column_ids(runs.column("doc"), "doc").unique()
    code = code if found.order is None else code[found.order]
    row_topic = np.repeat(topic, found.sizes)
    known = row_topic >= 0
    key = row_topic[known].astype(np.int64) * len(docs) + code[known]
    ranked, _ = np.unique(key, return_inverse=True)
    size = np.bincount(ranked // len(docs), minlength=len(judged.queries))
    # relevant items that no run returned come on top
    relevant = np.flatnonzero(positions.relevant(level))
    place = judged.docs.probe(docs)[judged.doc[relevant]]
    seen = place >= 0
    own = judged.topic[relevant]
    seen[seen] = np.isin(own[seen].astype(np.int64) * len(docs) + place[seen], ranked)
    return size + np.bincount(own[~seen], minlength=len(judged.queries))
