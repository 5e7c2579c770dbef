"""Duplicate documents in a list: cheap hashes sorted inside each list, and ids only where two of them are equal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from pdeval.judged import ids
from pdeval.judged.ids import Ids
from pdeval.judged.lists import Lists, dense, ranges
from pdeval.kinds.recognition import COLLECTIONS, several_collections
from pdeval.kinds.tables import Table
from pdeval.mechanics.codes import looked_up


def rows_repeated(doc: Ids, lists: Lists) -> np.ndarray:
    """Return the rows whose document stands earlier in the same list, as rows of the caller's table.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.judged.lists import find_lists
    >>> from pdeval.kinds.tables import read
    >>> frame = pd.DataFrame({"query_id": [1, 1, 1, 2], "doc_id": ["a", "b", "a", "a"], "score": 0.0})
    >>> rows_repeated(ids.column_ids(frame["doc_id"], "doc"), find_lists(read(frame, "runs"))).tolist()
    [2]
    """
    mark = ids.marks(doc)
    which = _suspects(mark if lists.order is None else looked_up(mark, lists.order), lists.starts)
    found = [_exact(doc, lists, part) for part in np.array_split(which, -(-len(which) // 4096))] if len(which) else []
    return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)


def _suspects(mark: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the lists in which two numbers are equal."""
    found = []
    for which, held in _held(mark, starts):
        held.sort(axis=-1)
        found.append(which[(held[:, 1:] == held[:, :-1]).any(axis=1)])
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def _held(mark: np.ndarray, starts: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield (lists, their numbers as a dense block), the padding made of large numbers that are all different."""
    sizes, wide = np.diff(starts), np.promote_types(mark.dtype, np.uint32)
    if len(sizes) and sizes.min() == sizes.max():
        step = max(_BLOCK // max(int(sizes[0]), 1), 1)
        for first in range(0, len(sizes), step):
            which = np.arange(first, min(first + step, len(sizes)))
            yield which, mark[starts[first] : starts[which[-1] + 1]].astype(wide).reshape(len(which), -1)
        return
    for which, rows, real in dense(starts, most=_BLOCK):
        held = mark[rows].astype(wide)
        held[~real] = np.iinfo(wide).max - np.arange(np.count_nonzero(~real), dtype=wide)
        yield which, held


_BLOCK = 1 << 18


def _exact(doc: Ids, lists: Lists, which: np.ndarray) -> np.ndarray:
    """Return the repeated rows of lists, by their hashes and then by comparing the ids themselves."""
    rows = ranges(lists.starts[which], lists.sizes[which])
    own = rows if lists.order is None else lists.order[rows]
    held = doc.take(own)
    starts = np.append(0, np.cumsum(lists.sizes[which]))
    again = _suspects(ids.fingerprints(held), starts)
    if len(again) < len(which):
        return _exact(doc, lists, which[again]) if len(again) else again
    _, code = held.unique()
    key = lists.of_rows(rows) * (int(code.max()) + 1) + code
    order = np.argsort(key, kind="stable")
    equal = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
    return own[order[equal]]


def no_duplicates(runs: Table, doc: Ids, found: Lists) -> None:
    """Raise where a list holds a document twice, and say what to do first."""
    again = rows_repeated(doc, found)
    if len(again):
        raise ValueError(_duplicate_text(runs, again))


def _duplicate_text(runs: Table, rows: np.ndarray) -> str:
    names = [*runs.run_columns, runs.roles["query"], runs.roles["doc"]]
    shown = [tuple(row) for row in runs.frame[names].iloc[np.sort(rows)[:3]].itertuples(index=False, name=None)]
    best = f".sort_values({runs.roles['score']!r})" if "score" in runs else ""
    key = "(run, query, doc)" if runs.run_columns else "(query, doc)"
    text = f"the run table has {len(rows):,} duplicate {key} rows, e.g. {', '.join(map(repr, shown))}.\n"
    # systems that were taken for one come first: dropping rows would merge them
    apart = _telling_apart(runs, names)
    if apart:
        several = [*runs.run_columns, apart]
        if apart in COLLECTIONS:
            return text + several_collections(apart, beside=", with the same column in the judgments,")
        return text + (
            f"The column {apart!r} tells them apart: bind it, df.ireval(run={several!r}); where it names collections, "
            f"give by={apart!r}, with the same column in the judgments."
        )
    hint = "" if runs.run_columns else " If the table holds several runs, bind their column: df.ireval(run=...)."
    return text + (
        "If collections stand on each other, give runs and judgments a column that names them, and by=that column. "
        f"Keep the best with {best}.drop_duplicates({names}, keep='last').{hint}"
    )


def _telling_apart(runs: Table, names: list[str]) -> str | None:
    """Return a column that makes the rows unique together with these, or None."""
    known = {*names, *runs.roles.values()}
    others = [str(one) for one in runs.frame.columns if one not in known]
    for name in sorted(others, key=lambda one: one not in COLLECTIONS):
        if not pd.api.types.is_float_dtype(runs.frame[name].dtype) and not runs.frame.duplicated([*names, name]).any():
            return name
    return None
