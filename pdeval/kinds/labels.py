"""Ids and names in result tables: repeated in the caller's own dtype, and joined where several columns name a run."""

from __future__ import annotations

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
    taken = pd.Index(values).take(codes)
    return taken.array if pd.api.types.is_extension_array_dtype(taken.dtype) else taken.to_numpy()


def repeated(values: pd.Series | pd.Index, codes: np.ndarray) -> Any:
    """Return `values[codes]` for tables that grow with the square of the runs: strings as a small categorical.

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
    if not index.is_unique:  # one of several columns that name a run together
        place, index = pd.factorize(index, sort=True)
        codes = place[codes]
    return pd.Categorical.from_codes(codes, categories=index)


def run_labels(runs: pd.DataFrame) -> list[str]:
    """Return one text per run: its id, or its ids joined by ' / ' where several columns name it.

    Examples
    --------
    >>> run_labels(pd.DataFrame({"model": ["bm25", "lm"], "seed": [1, 1]}))
    ['bm25 / 1', 'lm / 1']
    """
    return [" / ".join(map(str, row)) for row in runs.itertuples(index=False, name=None)]
