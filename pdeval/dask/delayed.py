"""Partitions as tasks of Dask: the same call on each of them, and results that are gathered up a tree."""

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from pdeval.join import merge_parts
from pdeval.verbs.lazy_imports import LazyModule

FAN_IN = 16
dask, dd = map(LazyModule, ("dask", "dask.dataframe"))


def delayed_parts(frame: Any, columns: list[str]) -> list[Any]:
    """Return the partitions of these columns as delayed frames, as many as the table has.

    Dask reads several partitions as one if few columns are needed; then one pass would not see the partitions that
    the other sees, and a query that is split might look complete. So columns are selected, and nothing else optimized.
    """
    return frame[list(dict.fromkeys(columns))].simplify().to_delayed(optimize_graph=False)


def frozen(frame: Any, columns: list[str]) -> Any:
    """Return columns of a table in partitions that no optimizer merges: what the first pass counted stays true."""
    return dd.from_delayed(
        delayed_parts(frame, columns), meta=frame[columns]._meta, verify_meta=False
    )


def number(at: int) -> pd.DataFrame:
    """Return the number of a partition as a frame, an argument of `map_partitions`.

    Examples
    --------
    >>> number(3)["number"].tolist()
    [3]
    """
    return pd.DataFrame({"number": [at]})


def numbers(count: int) -> Any:
    """Return a Dask frame whose partitions have their number."""
    return dd.from_map(number, range(count), meta=number(0))


def calls(
    function: Callable[..., Any], *columns: Iterable[Any], shared: tuple[Any, ...] = ()
) -> list[Any]:
    """Return delayed calls of a function, one for each row of the columns; `shared` arguments are sent once."""
    call = dask.delayed(function)
    sent = [dask.delayed(value, traverse=False) for value in shared]
    return [call(*row, *sent) for row in zip(*columns, strict=True)]


def gathered(
    parts: list[Any], function: Callable[..., merge_parts.Piece], *shared: Any
) -> merge_parts.Piece:
    """Return the pieces that a function makes of all parts as one, a few at a time: no task takes all at once."""
    pieces = calls(of_part, parts, shared=(function, *shared))
    while len(pieces) > 1:
        branches = [pieces[first : first + FAN_IN] for first in range(0, len(pieces), FAN_IN)]
        pieces = calls(merge_parts.concatenated, branches)
    return pieces[0].compute()


def of_part(part: Any, function: Callable[..., Any], *options: Any) -> Any:
    """Return what a function makes of a part, or None for a part without judged queries.

    Examples
    --------
    >>> of_part([1, 2], len), of_part(None, len)
    (2, None)
    """
    return None if part is None else function(part, *options)
