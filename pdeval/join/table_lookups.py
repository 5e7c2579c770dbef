"""Lookups of a join in its two tables: the items returned for each query, and the propensities of judgments."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from pdeval.join import ids
from pdeval.join.lists import find_lists
from pdeval.join.positions import Positions
from pdeval.tables.reader import Table, numbers


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
    """Return the number of different items in the rankings of every topic, and which judged items are among them.

    Examples
    --------
    >>> import pdeval
    >>> size, returned = items_returned(pdeval.datasets.sample_judged().positions)
    >>> len(size), bool(returned.mean() > 0.5)
    (50, True)
    """
    if positions.source is None:
        raise ValueError(
            "the number of items of a query is counted from the run table, which this join no longer has."
        )
    elsewhere: Any = getattr(positions.source, "returned", None)  # counted where the rows are
    size, returned = _count_items(positions) if elsewhere is None else elsewhere.of_join(positions)
    if positions.rules.get("judged_only"):  # the others were taken out of the rankings
        returned = returned & (positions.judged.grade >= 0)
        size = np.bincount(positions.judged.topic[returned], minlength=len(size))
    return size, returned


def _count_items(positions: Positions) -> tuple[np.ndarray, np.ndarray]:
    runs, _ = positions.source  # type: ignore[misc]
    judged, lists = positions.judged, find_lists(runs)
    docs, code = ids.column_ids(runs.column("doc"), "doc").unique()
    code = code if lists.order is None else code[lists.order]
    topic = np.repeat(lists.queries.probe(judged.queries)[lists.query], lists.sizes)
    # (topic, doc) as one integer per row
    pairs = np.unique(topic[topic >= 0].astype(np.int64) * len(docs) + code[topic >= 0])
    place = judged.docs.probe(docs)[judged.doc]
    returned = place >= 0
    returned[returned] = np.isin(
        judged.topic[returned].astype(np.int64) * len(docs) + place[returned], pairs
    )
    return np.bincount(pairs // len(docs), minlength=len(judged.queries)), returned


def inverse_propensities(positions: Positions) -> np.ndarray:
    """Return 1 / the propensity of each judged item; 0 without a positive grade, which never counts.

    Examples
    --------
    >>> import pandas as pd, pdeval
    >>> runs = pd.DataFrame({"user_id": "u", "item_id": ["x", "y"], "score": [2, 1]})
    >>> clicks = pd.DataFrame({"user_id": "u", "item_id": ["x", "z"], "propensity": [0.5, 0.25]})
    >>> inverse_propensities(runs.ireval.join(clicks).positions).tolist()
    [2.0, 4.0]
    """
    if positions.source is None:
        raise ValueError(
            "propensities are read from the judgments table, which this join no longer has."
        )
    table = positions.source[1]
    if "propensity" not in table:
        raise ValueError(
            "this measure counts every relevant item 1 / its propensity, and the judgments have no propensity column. "
            "Give them one, the probability that the item was judged, or bind it: qrels.ireval(propensity=...)."
        )
    judged = positions.judged
    grade = numbers(table.column("grade"), "judgments' grade")
    topic = ids.column_ids(table.column("query"), "judgments' query").probe(judged.queries)
    doc = ids.column_ids(table.column("doc"), "judgments' doc").probe(judged.docs)
    rows = np.flatnonzero((grade > 0) & (topic >= 0) & (doc >= 0))
    value = _check_propensities(table, rows)
    key = topic[rows].astype(np.int64) * len(judged.docs) + doc[rows]
    place = np.searchsorted(judged.key(), key)
    known = place < len(judged.topic)  # labels that were taken out since have no place
    known[known] = judged.key()[place[known]] == key[known]
    place, weight = place[known], 1.0 / value[known]
    weights = np.zeros(len(judged.topic))
    weights[place] = weight
    # of several rows of an item the last was written; others that differ from it show
    differ = np.flatnonzero(weights[place] != weight)
    if len(differ):
        example = _query_and_doc(table, rows[known][differ[0]])
        raise ValueError(
            f"the judgments have {len(differ):,} items with more than one propensity, e.g. {example}."
        )
    return weights


def _check_propensities(table: Table, rows: np.ndarray) -> np.ndarray:
    """Return the propensities of rows, or raise if they are not probabilities above 0."""
    column = table.column("propensity").iloc[rows]
    value = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.flatnonzero(~((value > 0) & (value <= 1)))
    if len(bad):
        raise ValueError(
            f"the column {table.roles['propensity']!r} of the judgments holds {len(bad):,} values for relevant items "
            f"that are no probability above 0 and up to 1, e.g. {column.iloc[bad].tolist()[0]!r} for "
            f"{_query_and_doc(table, rows[bad[0]])}. An item that could never be judged has no estimate: leave it out, "
            "or clip propensities from below."
        )
    return value


def _query_and_doc(table: Table, row: int) -> tuple[Hashable, ...]:
    names = [table.roles["query"], table.roles["doc"]]
    return next(table.frame[names].iloc[[row]].itertuples(index=False, name=None))
