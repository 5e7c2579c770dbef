"""Arrow tables as pandas frames: ids stay text, repeated ids become categoricals, nothing is copied twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa


def text_dtype() -> Any:
    """Return pandas' text type over Arrow memory: the default `str` of pandas 3, its nearest kin before.

    Examples
    --------
    >>> pd.Series(["051"], dtype=text_dtype()).tolist()
    ['051']
    """
    try:
        return pd.StringDtype("pyarrow", na_value=np.nan)
    except TypeError:  # pandas 2.2
        return pd.StringDtype("pyarrow")


def frame(table: pa.Table) -> pd.DataFrame:
    """Return the table as a frame: text in Arrow memory, dictionaries as categoricals, numbers as numpy.

    Text is not copied. Numbers and codes are, where Arrow would only lend them: the frame is the caller's to change.

    Examples
    --------
    >>> frame(pa.table({"query_id": ["051"], "score": [1.5]}))
      query_id  score
    0      051    1.5
    """
    return pd.DataFrame({name: series(column) for name, column in zip(table.column_names, table.columns)}, copy=False)


def series(column: pa.ChunkedArray) -> Any:
    """Return one column of `frame`: a text array, a categorical or numbers."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        whole = column.unify_dictionaries().combine_chunks()
        codes = whole.indices.fill_null(-1) if whole.null_count else whole.indices
        return categorical(codes.to_numpy(zero_copy_only=False), whole.dictionary.to_pylist())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return text_dtype().__from_arrow__(column)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return column.to_pandas()
    values = column.to_numpy()
    return values if values.flags.writeable else values.copy()


def categorical(codes: np.ndarray, names: list[str]) -> pd.Categorical[str]:
    """Return `names[codes]` as a categorical, its codes as small as the number of names allows.

    Examples
    --------
    >>> categorical(np.array([0, 0, 1]), ["bm25", "ql"]).tolist()
    ['bm25', 'bm25', 'ql']
    """
    # -1 is pandas' missing value, so that the type must hold the number of names as a signed integer
    return pd.Categorical.from_codes(
        np.array(codes, dtype=np.min_scalar_type(-len(names) - 1)), categories=pd.Index(names), validate=False
    )
