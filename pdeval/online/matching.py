"""Rows of one table found in another by their key columns, whatever the columns' types."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd


def places(known: Sequence[pd.Series], wanted: Sequence[pd.Series]) -> np.ndarray:
    """Return, for every wanted row, the row of `known` with the same key, or -1.

    Parameters
    ----------
    known, wanted : sequences of Series
        The key columns of the two tables, pairwise. The known keys are all different.

    Examples
    --------
    >>> known = pd.DataFrame({"q": pd.Categorical(["a", "a", "b"]), "d": [1, 2, 1]})
    >>> wanted = pd.DataFrame({"q": ["b", "c", "a"], "d": [1, 1, 2]})
    >>> places([known.q, known.d], [wanted.q, wanted.d]).tolist()
    [2, -1, 1]
    """
    n_known = len(known[0])
    code = np.zeros(n_known + len(wanted[0]), dtype=np.int64)
    found = np.ones(len(wanted[0]), dtype=bool)
    for left, right in zip(known, wanted, strict=True):
        own, values = pd.factorize(left)
        other, sought = pd.factorize(right)
        _same_kind(pd.Index(values), pd.Index(sought), left.name)
        place = pd.Index(values).astype(object).get_indexer(pd.Index(sought).astype(object))
        there = np.where(other >= 0, np.append(place, -1)[other], -1)
        found &= there >= 0
        # numbered anew after each column, so that the product cannot overflow
        code = pd.factorize(code * (len(values) + 1) + np.concatenate([own, there]) + 1)[0].astype(np.int64)
    row = np.full(int(code.max(initial=-1)) + 1, -1, dtype=np.int64)
    row[code[:n_known]] = np.arange(n_known)
    return np.where(found, row[code[n_known:]], -1)


def numeric(column: pd.Series | pd.Index) -> bool:
    """Return whether a column holds numbers, also as the categories of a categorical.

    Examples
    --------
    >>> numeric(pd.Series(pd.Categorical([3]))), numeric(pd.Series(["3"]))
    (True, False)
    """
    values = column.dtype.categories if isinstance(column.dtype, pd.CategoricalDtype) else column
    if pd.api.types.is_object_dtype(values.dtype):
        return pd.api.types.infer_dtype(values, skipna=True) in ("integer", "floating", "mixed-integer-float")
    return bool(pd.api.types.is_numeric_dtype(values.dtype))


def _same_kind(left: pd.Index, right: pd.Index, name: object) -> None:
    if len(left) and len(right) and numeric(left) != numeric(right):
        kinds = ["numbers" if numeric(side) else "text" for side in (left, right)]
        raise ValueError(
            f"{name} holds {kinds[0]} in one table and {kinds[1]} in the other, so nothing would match; "
            "convert one of them with .astype(str)."
        )
