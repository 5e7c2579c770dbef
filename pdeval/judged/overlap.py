"""What runs and judgments share with the history: items that a user has already, shown or tested again."""

from __future__ import annotations

import numpy as np

from pdeval.judged.catalogue import alike
from pdeval.judged.ids import Ids, column_ids
from pdeval.judged.positions import Positions
from pdeval.judged.prepared import Rows
from pdeval.kinds.side_tables import read_history


def leaks(rows: Rows, positions: Positions, history: object, level: float | None) -> tuple[np.ndarray, np.ndarray]:
    """Return how many items of each list its user has, and how many relevant items of each topic.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.judged.positions import positions_of
    >>> from pdeval.judged.prepared import rows_of
    >>> from pdeval.kinds.tables import read
    >>> runs = pd.DataFrame({"user_id": "u", "item_id": ["a", "b"], "score": [2, 1]})
    >>> tested = pd.DataFrame({"user_id": "u", "item_id": ["b", "c"], "rating": 1})
    >>> rows = rows_of(read(runs, "runs"), read(tested, "qrels"))
    >>> had = pd.DataFrame({"user_id": ["u", "u"], "item_id": ["a", "c"]})
    >>> [found.tolist() for found in leaks(rows, positions_of(rows), had, None)]
    [[1], [1]]
    """
    table = read_history(history)
    users, user = column_ids(table.user, "history's query").unique()
    items, item = column_ids(table.item, "history's doc").unique()
    keys = np.unique(user.astype(np.int64) * len(items) + item)
    judged, lists = positions.judged, rows.lists
    alike("query", users, lists.queries, "the history", "the runs")
    alike("doc", items, rows.doc, "the history", "the runs")
    of_list = _place(lists.queries, users)[lists.query]
    if not (of_list >= 0).any():
        raise ValueError(
            f"no user of the runs is in the history: the runs have {_some(lists.queries)}, the history {_some(users)}. "
            "Make the ids alike."
        )
    had = rows.doc.probe(items) if rows.lists.order is None else rows.doc.probe(items)[rows.lists.order]
    again = _known(np.repeat(of_list, lists.sizes), had, keys, len(items))
    leaked = np.add.reduceat(again, lists.starts[:-1], dtype=np.int64)
    wanted = np.flatnonzero(positions.relevant(level))
    tested = _known(
        _place(judged.queries, users)[judged.topic[wanted]],
        _place(judged.docs, items)[judged.doc[wanted]],
        keys,
        len(items),
    )
    return leaked, np.bincount(judged.topic[wanted], tested, minlength=len(judged.queries)).astype(np.int64)


def _place(some: Ids, known: Ids) -> np.ndarray:
    return some.probe(known).astype(np.int64)


def _known(user: np.ndarray, item: np.ndarray, keys: np.ndarray, items: int) -> np.ndarray:
    """Return which pairs of a user and an item (-1 where unknown) are among the keys."""
    key = user.astype(np.int64) * items + item
    place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    return (keys[place] == key) & (user >= 0) & (item >= 0)


def _some(ids: Ids) -> str:
    return ", ".join(map(repr, ids.index()[:3].tolist())) + (", ..." if len(ids) > 3 else "")
