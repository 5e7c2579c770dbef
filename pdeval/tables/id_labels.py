"""Ids and names in result tables: repeated in the dtype of the caller, joined if several columns identify a run."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd


def labels(values: pd.Series | pd.Index, codes: np.ndarray) -> Any:
    """Return `values[codes]` in the dtype of the values: strings stay strings, categories categories.

    Examples
    --------
    >>> labels(pd.Index(["bm25", "lm"]), np.array([0, 0, 1])).tolist()
    ['bm25', 'bm25', 'lm']
    """
    taken = values.array.take(codes)
    return taken if pd.api.types.is_extension_array_dtype(values.dtype) else taken.to_numpy()


def repeated(values: pd.Series | pd.Index, codes: np.ndarray) -> Any:
    """Return `values[codes]` for tables of pairs of runs: strings as a small categorical.

    Examples
    --------
    >>> repeated(pd.Index(["bm25", "lm"]), np.array([0, 0, 1])).categories.tolist()
    ['bm25', 'lm']
    """
    index = pd.Index(values)
    if isinstance(index.dtype, pd.CategoricalDtype):
        return pd.Categorical(index).take(codes)
    if pd.api.types.is_numeric_dtype(index.dtype):
        return index.to_numpy()[codes]
    if not index.is_unique:  # one of several id columns of runs
        place, index = pd.factorize(index, sort=True)
        codes = place[codes]
    return pd.Categorical.from_codes(codes, categories=index)


def run_labels(runs: pd.DataFrame) -> list[str]:
    """Return one text per run: its id, or its ids joined by ' / ' if it has several.

    Examples
    --------
    >>> run_labels(pd.DataFrame({"model": ["bm25", "lm"], "seed": [1, 1]}))
    ['bm25 / 1', 'lm / 1']
    """
    return [" / ".join(map(str, row)) for row in runs.itertuples(index=False, name=None)]


# control characters of terminals, changes of the reading direction, line breaks, lone surrogates
CONTROLS = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")


def visible(text: str, kept: str = "") -> str:
    r"""Return a text with escaped control characters, except those that are kept.

    Examples
    --------
    >>> visible("a\x1b[2Jb\n", kept="\n")
    'a\\x1b[2Jb\n'
    """
    if text.isprintable():
        return text
    return CONTROLS.sub(
        lambda sign: sign[0] if sign[0] in kept else sign[0].encode("unicode_escape").decode(), text
    )


DIGITS = re.compile(r"(\d+)")


def natural(name: object) -> tuple[Any, ...]:
    """Return a sort key that orders numbers within names by value.

    Examples
    --------
    >>> sorted(["run10", "run2", "Run1", "run"], key=natural)
    ['Run1', 'run', 'run2', 'run10']
    """
    parts = DIGITS.split(str(name))
    return tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), str(name)


def natural_places(names: Sequence[object]) -> list[int]:
    """Return the positions of names in natural order if they are sorted as text; otherwise in their present order.

    Any other order was chosen by the caller and is kept. Names of several parts are tuples.

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
    """Return whether rows are sorted by their texts or by their values."""
    if all(a <= b for a, b in pairwise([tuple(map(str, row)) for row in rows])):
        return True
    try:
        return all(a <= b for a, b in pairwise(rows))
    except TypeError:
        return False


def naturally(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the rows of a frame in natural order of some columns, if they are sorted by their texts.

    Examples
    --------
    >>> naturally(pd.DataFrame({"query_id": ["1", "10", "2"]}), ["query_id"])["query_id"].tolist()
    ['1', '2', '10']
    """
    if not columns:
        return frame
    at = natural_places(list(frame[list(columns)].itertuples(index=False, name=None)))
    return frame if at == list(range(len(at))) else frame.iloc[at].reset_index(drop=True)
