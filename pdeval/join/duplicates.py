"""Duplicate documents in a list: cheap hashes sorted inside each list, and ids only where two of them are equal."""

from collections.abc import Hashable, Iterator
from itertools import combinations

import numpy as np

from pdeval.join import ids
from pdeval.join.ids import Ids
from pdeval.join.lists import Lists, dense, ranges
from pdeval.tables import COLLECTIONS, Table, listed, may_name, noun, several_collections


def rows_repeated(doc: Ids, lists: Lists) -> np.ndarray:
    """Return the rows whose document occurs earlier in the same list, as rows of the caller's table.

    Examples
    --------
    >>> import pandas as pd
    >>> from pdeval.join.lists import find_lists
    >>> from pdeval.tables.reader import read
    >>> frame = pd.DataFrame({"query_id": [1, 1, 1, 2], "doc_id": ["a", "b", "a", "a"], "score": 0.0})
    >>> rows_repeated(ids.column_ids(frame["doc_id"], "doc"), find_lists(read(frame, "runs"))).tolist()
    [2]
    """
    which = _suspects(doc.marks, lists.starts, lists.order)
    if not len(which):
        return which
    parts = np.array_split(
        which, -(-len(which) // 4096)
    )  # parts bound the memory of the exact comparison
    return np.sort(np.concatenate([_exact(doc, lists, part) for part in parts]))


def _suspects(mark: np.ndarray, starts: np.ndarray, order: np.ndarray | None = None) -> np.ndarray:
    """Return the lists in which two numbers are equal; `order` has the row of each place, if they differ."""
    suspects = [np.zeros(0, dtype=np.int64)]
    for which, block in _number_blocks(mark, starts, order):
        block.sort(axis=-1)  # equal numbers are adjacent now
        suspects.append(which[(block[:, 1:] == block[:, :-1]).any(axis=1)])
    return np.concatenate(suspects)


def _number_blocks(
    mark: np.ndarray, starts: np.ndarray, order: np.ndarray | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield (lists, their numbers as a dense block), the padding made of large numbers that are all different."""
    sizes, dtype = np.diff(starts), np.promote_types(mark.dtype, np.uint32)
    if len(sizes) and sizes.min() == sizes.max():  # adjacent rows are a dense block already
        step = max(_BLOCK // max(int(sizes[0]), 1), 1)
        for first in range(0, len(sizes), step):
            which = np.arange(first, min(first + step, len(sizes)))
            adjacent = np.s_[starts[first] : starts[which[-1] + 1]]
            block = mark[adjacent] if order is None else mark.take(order[adjacent], mode="clip")
            yield which, block.astype(dtype).reshape(len(which), -1)
        return
    for which, rows, real in dense(starts, most=_BLOCK):
        block = mark[rows if order is None else order[rows]].astype(dtype)
        block[~real] = np.iinfo(dtype).max - np.arange(np.count_nonzero(~real), dtype=dtype)
        yield which, block


_BLOCK = 1 << 18


def _exact(doc: Ids, lists: Lists, which: np.ndarray) -> np.ndarray:
    """Return the repeated rows of lists, by their hashes and then by comparing the ids themselves."""
    sizes = lists.starts[which + 1] - lists.starts[which]
    sorted_rows = ranges(lists.starts[which], sizes)
    rows = sorted_rows if lists.order is None else lists.order[sorted_rows]
    docs = doc.take(rows)
    again = _suspects(ids.fingerprints(docs), np.append(0, np.cumsum(sizes)))
    if len(again) < len(which):  # other lists were suspects only because 32 bits are few
        return _exact(doc, lists, which[again]) if len(again) else again
    _, code = docs.unique()
    key = lists.of_rows(sorted_rows) * (int(code.max()) + 1) + code
    order = np.lexsort((rows, key))  # by list and id, then in the order of the table
    return rows[order[np.flatnonzero(np.diff(key[order]) == 0) + 1]]


def no_duplicates(runs: Table, doc: Ids, lists: Lists) -> None:
    """Raise if a list has a document twice."""
    again = rows_repeated(doc, lists)
    if len(again):
        raise ValueError(_duplicate_text(runs, again))


def _duplicate_text(runs: Table, rows: np.ndarray) -> str:
    names = [*runs.run_columns, runs.roles["query"], runs.roles["doc"]]
    examples = runs.frame[names].iloc[np.sort(rows)[:3]].itertuples(index=False, name=None)
    best = f".sort_values({runs.roles['score']!r})" if "score" in runs else ""
    ids_of_rows = [noun(role, runs.roles[role]) for role in ("query", "doc")]
    key = f"({', '.join([*(['run'] if runs.run_columns else []), *ids_of_rows])})"
    text = f"the run table has {len(rows):,} duplicate {key} rows, e.g. {', '.join(map(repr, examples))}.\n"
    # columns that could name runs come first: dropping rows would merge different runs
    columns = _distinguishing_columns(runs, names)
    if stacked := [name for name in columns if name in COLLECTIONS]:
        return text + several_collections(
            stacked[0], beside=", with the same column in the judgments,"
        )
    several = [*runs.run_columns, *columns]
    if len(columns) > 1:
        return (
            text
            + f"The columns {listed(columns)} distinguish them: use df.ireval(run={several!r})."
        )
    if columns:
        return text + (
            f"The column {columns[0]!r} distinguishes them: use df.ireval(run={several!r}). If it identifies "
            f"collections, use by={columns[0]!r}, with the same column in the judgments."
        )
    bound = f"{[*runs.run_columns, '...']!r}" if runs.run_columns else "..."
    return text + (
        f"If the table has several runs, add a column that names them and bind it: df.ireval(run={bound}). If it has "
        "several collections, add a column that names them to runs and judgments, and use by= that column. If each row "
        f"is of the same run, keep the best ones with {best}.drop_duplicates({names}, keep='last')."
    )


def _distinguishing_columns(runs: Table, names: list[str]) -> tuple[str, ...]:
    """Return the fewest columns that make the rows unique together with these; none if no four columns do."""
    known = {*names, *runs.roles.values()}
    frame = runs.frame[runs.frame.duplicated(names, keep=False)]
    columns: list[object] = list(frame.columns)
    others = [
        name
        for name in columns
        if isinstance(name, str)
        and name not in known
        and may_name(frame[name])
        and isinstance(frame[name].iloc[0], Hashable)
    ]
    others.sort(key=lambda name: name not in COLLECTIONS)
    choices = (choice for size in range(1, 5) for choice in combinations(others, size))
    return next((choice for choice in choices if not frame.duplicated([*names, *choice]).any()), ())
