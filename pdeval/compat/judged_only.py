"""Rankings without the documents that nobody judged: those that are left move up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pdeval.judged.positions import Positions


def only_judged(positions: Positions) -> Positions:
    """Return the positions of lists from which documents without a judgment were taken out, as trec_eval's -J does.

    A document of grade -1 counts as one without. The join must hold all judged items.

    Examples
    --------
    >>> import pandas as pd, pdeval
    >>> runs = pd.DataFrame({"query_id": "1", "doc_id": ["x", "y", "z"], "score": [3, 2, 1]})
    >>> qrels = pd.DataFrame({"query_id": "1", "doc_id": ["y", "z"], "relevance": [0, 1]})
    >>> only_judged(runs.ireval.join(qrels).positions).rank.tolist()
    [1.0, 2.0]
    """
    less = positions.keep_items(positions.judged.grade != -1) if (positions.judged.grade == -1).any() else positions
    topic = less.judged.topic[less.item]
    cell = topic * len(less.runs) + less.run
    order = np.lexsort((less.rank, cell))
    begin = np.searchsorted(cell[order], cell[order])
    rank = np.empty(len(order))
    rank[order] = np.arange(len(order)) - begin + 1
    count = np.bincount(cell, minlength=less.retrieved.size).reshape(less.retrieved.shape)
    return replace(less, rank=rank, start=rank - 1, size=np.ones(len(rank)), retrieved=count)
