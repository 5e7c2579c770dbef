"""The lists of a run table: which rows belong to which (run, query), without hashing every row.

Rows of one list are usually adjacent, so lists are found by comparing neighbors, and only one id per list is looked up.
Rows that are not adjacent are brought together by sorting small integers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pdeval.join.ids import Ids, column_ids
from pdeval.tables import Table, combined_codes, distinct, grouped

SAMPLE = 1 << 12  # rows that show whether those of a list are adjacent


@dataclass(frozen=True, eq=False)
class Lists:
    """Every list of a run table, in the order of its rows.

    Parameters
    ----------
    starts : ndarray
        First row of each list, and at the end the number of rows.
    run, query : ndarray
        Codes of each list's run and query.
    runs : DataFrame
        The identifying columns of the runs, one row per run.
    queries : Ids
        The different query ids.
    order : ndarray or None
        Rows of the caller's table in the order of `starts`, if that is not their order.
    list_of_row : ndarray or None
        The list of each row of the caller's table, if `order` is given.
    """

    starts: np.ndarray
    run: np.ndarray
    query: np.ndarray
    runs: pd.DataFrame
    queries: Ids
    order: np.ndarray | None
    list_of_row: np.ndarray | None = None

    @property
    def sizes(self) -> np.ndarray:
        """The number of rows of each list."""
        return np.diff(self.starts)

    def of_rows(self, rows: np.ndarray) -> np.ndarray:
        """Return the list of each row."""
        if len(rows) and (rows[1:] >= rows[:-1]).all():
            # rising rows: search the few starts among the rows, not every row among the starts
            first, last = np.searchsorted(self.starts, rows[[0, -1]], side="right") - 1
            begin = np.searchsorted(rows, self.starts[first + 1 : last + 1])
            return np.repeat(
                np.arange(first, last + 1), np.diff(begin, prepend=0, append=len(rows))
            )
        if (
            8 * len(rows) > self.starts[-1]
        ):  # many rows in any order: a table of all rows is cheaper than a search
            return np.repeat(np.arange(len(self.starts) - 1), self.sizes)[rows]
        return np.searchsorted(self.starts, rows, side="right") - 1

    def of_given(self, rows: np.ndarray) -> np.ndarray:
        """Return the list of each of these rows of the caller's table."""
        return self.of_rows(rows) if self.list_of_row is None else self.list_of_row[rows]


def find_lists(table: Table) -> Lists:
    """Return the lists of a run table.

    Examples
    --------
    >>> from pdeval.tables import reader
    >>> frame = pd.DataFrame({"run": ["b", "a", "a", "b"], "query_id": 1, "doc_id": 7, "score": 0.5})
    >>> lists = find_lists(reader.read(frame, "runs"))
    >>> lists.starts.tolist(), lists.order.tolist(), lists.runs["run"].tolist()
    ([0, 2, 4], [1, 2, 0, 3], ['a', 'b'])
    """
    count = len(table.frame)
    names: dict[str, Ids] = {}
    parameters: dict[str, Any] = {}
    for name in table.run_columns:
        column = table.frame[name]
        if len(table.run_columns) > 1 and is_parameter(column):
            codes, parameters[name] = pd.factorize(column, sort=True, use_na_sentinel=False)
            names[name] = Ids(numbers=codes.astype(np.int64))
        else:
            names[name] = column_ids(column, "run")
    query = column_ids(table.column("query"), "query")
    begin = None
    if 2 * len(_begins([query, *names.values()], SAMPLE)) < min(count, SAMPLE):
        # one id per stretch of adjacent rows of a list; rows in any order are looked up one by one
        begin = _begins([query, *names.values()], count)
        query, names = (
            query.take(begin),
            {name: column.take(begin) for name, column in names.items()},
        )
    queries, query_code = query.unique(narrow=True, natural=True)
    runs, run_code = _runs(names, len(query))
    for name, values in parameters.items():
        runs[name] = pd.Index(values).take(runs[name].to_numpy())
    code = combined_codes(
        [(run_code, len(runs)), (query_code, len(queries))], len(query), narrow=True
    )
    del run_code, query_code  # one number per row is enough: the memory is needed for the order
    order, sizes, place, codes = grouped(code)
    run_of_list, query_of_list = np.divmod(codes.astype(np.int64), max(len(queries), 1))
    if len(sizes) == len(place):  # every list is one stretch
        starts = np.arange(count + 1) if begin is None else np.append(begin, count)
        return Lists(starts, run_of_list[place], query_of_list[place], runs, queries, None)
    if begin is not None:  # back from stretches to rows
        first = np.cumsum(sizes) - sizes
        lengths = np.diff(np.append(begin, count))
        place, lengths = np.repeat(place, lengths), lengths[order]
        order, sizes = ranges(begin[order], lengths), np.add.reduceat(lengths, first)
    if count < 2**31:  # half the memory, and less to read later
        order = order.astype(np.int32, copy=False)
        place = place if place.itemsize < 4 else place.astype(np.int32, copy=False)
    return Lists(
        np.append(0, np.cumsum(sizes)), run_of_list, query_of_list, runs, queries, order, place
    )


def _begins(columns: list[Ids], count: int) -> np.ndarray:
    """Return the rows, among the first `count`, that differ from the row before."""
    first = np.zeros(min(count, len(columns[0])), dtype=bool)
    first[:1] = True
    for column in columns:
        first[1:] |= column.part(0, len(first)).changes()
    return np.flatnonzero(first)


def is_parameter(column: pd.Series) -> bool:
    """Return whether one of several run columns is a hyper-parameter: any number, or with missing values.

    Examples
    --------
    >>> is_parameter(pd.Series([0.5])), is_parameter(pd.Series(["bm25"])), is_parameter(pd.Series(["bm25", None]))
    (True, False, True)
    """
    return bool(column.isna().any()) or pd.api.types.is_float_dtype(column.dtype)


def _runs(names: dict[str, Ids], count: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the different runs, sorted, and each stretch's run; a table without a run column is one run."""
    if not names:
        return pd.DataFrame({"run": ["run"]}), np.zeros(count, dtype=np.int64)
    parts = {name: column.unique(narrow=True) for name, column in names.items()}
    if len(parts) == 1:
        ((name, (values, inverse)),) = parts.items()
        return pd.DataFrame({name: values.index()}), inverse
    first, place = distinct(
        combined_codes([(inverse, len(values)) for values, inverse in parts.values()], count)
    )
    return pd.DataFrame(
        {name: values.take(inverse[first]).index() for name, (values, inverse) in parts.items()}
    ), place


def ranges(begin: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return begin[0], begin[0] + 1, ... (sizes[0] numbers), begin[1], ...

    Examples
    --------
    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    shift = np.repeat(
        begin - (np.cumsum(sizes) - sizes), sizes
    )  # from places in the result to the numbers
    return np.arange(len(shift)) + shift


def dense(
    starts: np.ndarray, which: np.ndarray | None = None, *, most: int = 1 << 21
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield the lists as dense blocks: (lists, rows of shape (lists, width), mask of true rows).

    Lists of about one length share a block; the padding repeats a list's first row and is masked.

    Examples
    --------
    >>> for lists, rows, real in dense(np.array([0, 2, 5])):
    ...     print(lists.tolist(), rows.tolist(), real.tolist())
    [0, 1] [[0, 1, 0], [2, 3, 4]] [[True, True, False], [True, True, True]]
    """
    sizes = np.diff(starts)
    by_size = np.arange(len(sizes)) if which is None else which
    if len(by_size) and sizes[by_size].min() < sizes[by_size].max():
        by_size = by_size[np.argsort(sizes[by_size], kind="stable")]
    at = 0
    while at < len(by_size):
        width = max(int(sizes[by_size[at]]), 1)
        lists = by_size[at : at + max(most // (width + width // 2), 1)]
        # a block ends where its longest list would make more than a third of it padding
        lists = lists[sizes[lists] <= width + width // 2 + 8]
        width = int(sizes[lists].max())
        rows = starts[lists][:, None] + np.arange(width)
        real = rows < starts[lists + 1][:, None]
        yield (
            lists,
            rows if sizes[lists].min() == width else np.where(real, rows, rows[:, :1]),
            real,
        )
        at += len(lists)
