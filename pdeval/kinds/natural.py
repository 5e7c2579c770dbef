"""The order in which people look for names: run2 before run10, topic 2 before topic 10."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

DIGITS = re.compile(r"(\d+)")


def natural(name: object) -> tuple[Any, ...]:
    """Return the key that sorts names with the numbers in them as numbers.

    Examples
    --------
    >>> sorted(["run10", "run2", "Run1", "run"], key=natural)
    ['Run1', 'run', 'run2', 'run10']
    """
    parts = DIGITS.split(str(name))
    return tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), str(name)


def natural_places(names: Sequence[object]) -> list[int]:
    """Return the places of names in natural order where they stand in the order of text, else as they stand.

    An order that is not that of the names is the caller's own, and stays. Names of several parts are tuples.

    Examples
    --------
    >>> natural_places(["run1", "run10", "run2"]), natural_places(["run2", "run10", "run1"])
    ([0, 2, 1], [0, 1, 2])
    """
    rows = [name if isinstance(name, tuple) else (name,) for name in names]
    if not _by_name(rows):
        return list(range(len(rows)))
    keys = [tuple(natural(part) for part in row) for row in rows]
    return sorted(range(len(rows)), key=keys.__getitem__)


def _by_name(rows: Sequence[tuple[object, ...]]) -> bool:
    """Whether rows stand in the order of their texts, or of their values."""
    texts = [tuple(map(str, row)) for row in rows]
    if all(a <= b for a, b in pairwise(texts)):
        return True
    try:
        return all(a <= b for a, b in pairwise(rows))
    except TypeError:
        return False


def naturally(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows of a frame in natural order of some columns, where they stand in the order of their texts.

    Examples
    --------
    >>> naturally(pd.DataFrame({"query_id": ["1", "10", "2"]}), ["query_id"])["query_id"].tolist()
    ['1', '2', '10']
    """
    if not columns:
        return frame
    at = natural_places(list(frame[list(columns)].itertuples(index=False, name=None)))
    return frame if at == list(range(len(at))) else frame.iloc[at].reset_index(drop=True)
