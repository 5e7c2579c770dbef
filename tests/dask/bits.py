"""Equality to the last bit, and the ways in which a table's rows may be divided."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd

# measures stay in the order asked for
SCORES = ["run", "query_id"]
PREFERENCES = ["query_id", "run_a", "run_b"]


def same_bits(left: pd.DataFrame, right: pd.DataFrame) -> None:
    """Fail unless two frames have the same columns, dtypes, categories, notes, and the same bits in every number."""
    pd.testing.assert_frame_equal(left, right, check_exact=True)
    assert left.attrs == right.attrs
    for name in left.select_dtypes("float"):
        one, two = (frame[name].to_numpy().view(np.int64) for frame in (left, right))
        np.testing.assert_array_equal(one, two, err_msg=name)


def same_positions(left, right) -> None:
    """Fail unless two joins hold the same arrays, in dtype and to the last bit, and know the same of themselves."""
    for name in ("item", "run", "rank", "start", "size", "retrieved"):
        one, two = getattr(left, name), getattr(right, name)
        assert one.dtype == two.dtype, name
        np.testing.assert_array_equal(one, two, err_msg=name)
    for name in ("topic", "doc", "grade", "subtopic"):
        one, two = getattr(left.judged, name), getattr(right.judged, name)
        assert (one is None) == (two is None)
        if one is not None:
            assert one.dtype == two.dtype, name
            np.testing.assert_array_equal(one, two, err_msg=name)
    for name in ("queries", "docs"):
        pd.testing.assert_index_equal(
            getattr(left.judged, name).index(), getattr(right.judged, name).index()
        )
    pd.testing.assert_frame_equal(left.runs, right.runs)
    pd.testing.assert_index_equal(left.queries, right.queries)
    for name in ("doc_name", "rules", "complete", "extra", "top_grade"):
        assert getattr(left, name) == getattr(right, name), name


def by_run(positions):
    """Return positions with the hits of one item in the order of the runs, whatever the order of the rows was."""
    order = np.lexsort((positions.run, positions.item))
    return replace(
        positions,
        **{
            name: getattr(positions, name)[order]
            for name in ("item", "run", "rank", "start", "size")
        },
    )


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
