"""Equality to the last bit, and the ways in which a table's rows may be divided."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

SCORES = ["run", "query_id", "measure"]
PREFERENCES = ["query_id", "run_a", "run_b", "measure"]


def same_bits(left: pd.DataFrame, right: pd.DataFrame) -> None:
    """Fail unless two frames have the same columns, dtypes, categories, notes, and the same bits in every number."""
    pd.testing.assert_frame_equal(left, right, check_exact=True)
    assert left.attrs == right.attrs
    for name in left.select_dtypes("float"):
        one, two = (frame[name].to_numpy().view(np.int64) for frame in (left, right))
        np.testing.assert_array_equal(one, two, err_msg=name)


def quiet(function, *args, **options):
    """Return what a function returns, without the warning of queries that some run did not answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return function(*args, **options)


def gathered(lazy, by: list[str]) -> pd.DataFrame:
    """Return a lazy frame with its rows in pandas' order."""
    return lazy.compute().sort_values(by, kind="stable", ignore_index=True)


def divided(frame: pd.DataFrame, parts: int, rows: str = "by run"):
    """Return the frame on Dask, its rows by run, by query, or in no order."""
    import dask.dataframe as dd

    if rows == "by query":
        frame = frame.sort_values("query_id", kind="stable", ignore_index=True)
    elif rows == "mixed":
        frame = frame.sample(frac=1, random_state=3).reset_index(drop=True)
    return dd.from_pandas(frame, npartitions=parts, sort=False)
