"""Duplicate documents in a list: found by hashing each id once and sorting the hashes inside each list."""

from __future__ import annotations

import numpy as np

from pdeval import ids
from pdeval.ids import Ids
from pdeval.lists import Lists, dense, ranges


def rows_repeated(doc: Ids, lists: Lists) -> np.ndarray:
    """Return the rows whose document stands earlier in the same list, as rows of the caller's table.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.lists import find
    >>> from pdeval.tables import read
    >>> frame = pd.DataFrame({"query_id": [1, 1, 1, 2], "doc_id": ["a", "b", "a", "a"], "score": 0.0})
    >>> rows_repeated(ids.of(frame["doc_id"], "doc"), find(read(frame, "runs"))).tolist()
    [2]
    """
    mark = ids.fingerprints(doc)
    mark = mark if lists.order is None else mark[lists.order]
    suspects = []
    for which, rows, real in dense(lists.starts):
        if real.all() and np.array_equal(which, np.arange(which[0], which[0] + len(which))):
            held = mark[rows[0, 0] : rows[-1, -1] + 1].reshape(rows.shape)
        else:
            held = mark[rows]
            # padding becomes different numbers, so that it never equals itself
            held[~real] = np.arange(np.count_nonzero(~real), dtype=np.uint64)
        held = np.sort(held, axis=1)
        equal = (held[:, 1:] == held[:, :-1]).any(axis=1)
        suspects.append(which[equal])
    found = [_exact(doc, lists, which) for which in suspects if len(which)]
    return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


def _exact(doc: Ids, lists: Lists, which: np.ndarray) -> np.ndarray:
    """Return the repeated rows of the lists in which two hashes were equal, by comparing the ids themselves."""
    found = []
    for block in np.array_split(which, max(len(which) // 4096, 1)):
        rows = ranges(lists.starts[block], lists.sizes[block])
        own = rows if lists.order is None else lists.order[rows]
        _, code = doc.take(own).unique()
        key = lists.of_rows(rows) * (int(code.max()) + 1) + code
        order = np.argsort(key, kind="stable")
        again = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
        found.append(own[order[again]])
    return np.concatenate(found)
