"""Propensities of judgments: how probably each relevant item was judged, read only when a measure asks for them."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd

from pdeval.judged import ids
from pdeval.judged.positions import Positions
from pdeval.kinds.tables import Table, numbers


def inverse_propensities(positions: Positions) -> np.ndarray:
    """Return 1 / the propensity of each judged item; 0 where it has no positive grade, and so never counts.

    Examples
    --------
    >>> import pandas as pd, pdeval
    >>> runs = pd.DataFrame({"user_id": "u", "item_id": ["x", "y"], "score": [2, 1]})
    >>> clicks = pd.DataFrame({"user_id": "u", "item_id": ["x", "z"], "propensity": [0.5, 0.25]})
    >>> inverse_propensities(runs.ireval.join(clicks).positions).tolist()
    [2.0, 4.0]
    """
    if positions.source is None:
        raise ValueError("propensities are read from the judgments table, which this join no longer has.")
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
    value = _checked(table, rows)
    key = topic[rows].astype(np.int64) * len(judged.docs) + doc[rows]
    place = np.searchsorted(judged.key(), key)
    known = place < len(judged.topic)  # labels that were taken out since have no place
    known[known] = judged.key()[place[known]] == key[known]
    place, value, rows = place[known], value[known], rows[known]
    weight = np.zeros(len(judged.topic))
    weight[place] = 1.0 / value
    differ = np.flatnonzero(weight[place] != 1.0 / value)
    if len(differ):
        said = _shown(table, rows[differ[0]])
        raise ValueError(f"the judgments have {len(differ):,} items with more than one propensity, e.g. {said}.")
    return weight


def _checked(table: Table, rows: np.ndarray) -> np.ndarray:
    """Return the propensities of some rows, or raise where they are no probabilities above 0."""
    column = table.column("propensity").iloc[rows]
    value = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = np.flatnonzero(~((value > 0) & (value <= 1)))
    if len(bad):
        name, found = table.roles["propensity"], column.iloc[bad].tolist()[0]
        raise ValueError(
            f"the column {name!r} of the judgments holds {len(bad):,} values for relevant items that are no "
            f"probability above 0 and up to 1, e.g. {found!r} for {_shown(table, rows[bad[0]])}. An item that could "
            "never be judged has no estimate: leave it out, or clip propensities from below."
        )
    return value


def _shown(table: Table, row: int) -> tuple[Hashable, ...]:
    names = [table.roles["query"], table.roles["doc"]]
    return next(table.frame[names].iloc[[row]].itertuples(index=False, name=None))
