"""Duplicate documents in a list: cheap hashes sorted inside each list, and ids only where two of them are equal."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import combinations

import numpy as np

from pdeval.join import ids
from pdeval.join.ids import Ids
from pdeval.join.lists import Lists, dense, ranges
from pdeval.tables.codes import looked_up
from pdeval.tables.reader import Table
from pdeval.tables.recognition import COLLECTIONS, may_name, several_collections
from pdeval.tables.vocabularies import listed


def rows_repeated(doc: Ids, lists: Lists) -> np.ndarray:
    """Return the rows whose document stands earlier in the same list, as rows of the caller's table.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.join.lists import find_lists
    >>> from pdeval.tables.reader import read
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
    sizes = lists.starts[which + 1] - lists.starts[which]
    rows = ranges(lists.starts[which], sizes)
    own = rows if lists.order is None else lists.order[rows]
    held = doc.take(own)
    starts = np.append(0, np.cumsum(sizes))
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
    # runs that were taken for one come first: dropping rows would merge them
    apart = _telling_apart(runs, names)
    if stacked := [name for name in apart if name in COLLECTIONS]:
        return text + several_collections(stacked[0], beside=", with the same column in the judgments,")
    if apart:
        several = [*runs.run_columns, *apart]
        if len(apart) > 1:
            return text + f"The columns {listed(apart)} tell them apart: bind them, df.ireval(run={several!r})."
        return text + (
            f"The column {apart[0]!r} tells them apart: bind it, df.ireval(run={several!r}); if it names collections, "
            f"use by={apart[0]!r}, with the same column in the judgments."
        )
    bound = f"{[*runs.run_columns, '...']!r}" if runs.run_columns else "..."
    return text + (
        f"If the table has several runs, add a column that names them and bind it: df.ireval(run={bound}). If it has "
        "several collections, add a column that names them to runs and judgments, and use by= that column. If each row "
        f"is of the same run, keep the best ones with {best}.drop_duplicates({names}, keep='last')."
    )


def _telling_apart(runs: Table, names: list[str]) -> tuple[str, ...]:
    """Return the fewest columns that make the rows unique together with these; none if no four columns do."""
    known = {*names, *runs.roles.values()}
    frame = runs.frame[runs.frame.duplicated(names, keep=False)]
    every: list[object] = list(frame.columns)
    others = [one for one in every if isinstance(one, str) and one not in known and may_name(frame[one])]
    others = [name for name in others if isinstance(frame[name].iloc[0], Hashable)]
    others.sort(key=lambda one: one not in COLLECTIONS)
    choices = (some for size in range(1, 5) for some in combinations(others, size))
    return next((some for some in choices if not frame.duplicated([*names, *some]).any()), ())
