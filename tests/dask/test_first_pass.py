"""The first pass: what each partition holds, seen partition by partition."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.dask import first_pass
from tests.join.test_prepared import GAPS, with_gaps

pytest.importorskip("dask")
pytestmark = pytest.mark.extras


def counted(*frames):
    return first_pass.combined(
        [first_pass.holding(pd.DataFrame(frame), "query_id", ("run",)) for frame in frames]
    )


def test_lists_are_counted_over_partitions():
    found = counted(
        {"run": ["b", "a", "b"], "query_id": ["2", "2", "1"]},
        {"run": ["c", "a"], "query_id": ["3", "2"]},
    )
    assert found.runs["run"].tolist() == ["a", "b", "c"]
    assert found.queries.index().tolist() == ["1", "2", "3"]
    assert found.rows.tolist() == [[0, 1, 0], [2, 1, 0], [0, 0, 1]]
    assert found.parts.tolist() == [1, 2, 1]
    assert found.first.tolist() == [0, 0, 1]


def test_a_list_in_two_partitions_is_split_and_a_query_of_two_lists_is_not():
    whole = counted({"run": ["a", "a"], "query_id": [1, 2]}, {"run": ["b"], "query_id": [1]})
    split = counted({"run": ["a", "a"], "query_id": [1, 2]}, {"run": ["a"], "query_id": [1]})
    assert not whole.split(np.array([True, True]))
    assert split.split(np.array([True, True]))
    assert not split.split(np.array([False, True]))  # the one that is split is not asked about


def test_partitions_without_rows_hold_nothing():
    none = pd.DataFrame(
        {"run": pd.Series([], dtype=object), "query_id": pd.Series([], dtype=object)}
    )
    found = counted(none, {"run": ["a"], "query_id": ["1"]}, none)
    assert found.first.tolist() == [1]
    assert [len(query) for query, _, _ in found.pieces] == [0, 1, 0]


def test_runs_of_several_columns_are_sorted_as_on_pandas():
    frame = pd.DataFrame({"model": ["lm", "bm25", "lm"], "seed": [2, 7, 1], "query_id": 1})
    found = first_pass.combined(
        [first_pass.holding(frame.iloc[[at]], "query_id", ("model", "seed")) for at in range(3)]
    )
    assert found.runs.to_dict("records") == [
        {"model": "bm25", "seed": 7},
        {"model": "lm", "seed": 1},
        {"model": "lm", "seed": 2},
    ]
    assert found.rows.tolist() == [[1, 1, 1]]


def test_ids_of_two_types_are_an_error():
    with pytest.raises(
        ValueError, match="the query ids are integers in some parts and strings in others"
    ):
        counted({"run": ["a"], "query_id": [1]}, {"run": ["a"], "query_id": ["1"]})


def test_runs_with_parameters_are_found_in_any_order_and_also_where_one_is_not_set():
    # 10 stands before 5 in the column, and one run has no depth at all
    runs = pd.DataFrame({"model": ["a", "b", "b", "b"], "depth": [10.0, 5.0, 10.0, np.nan]})
    assert first_pass.places(runs.iloc[[3, 1, 0, 2, 2]], runs).tolist() == [3, 1, 0, 2, 2]


def test_a_run_that_was_not_there_at_first_is_an_error():
    with pytest.raises(
        RuntimeError, match="the run table changed after the first pass: it had no run 'c'"
    ):
        first_pass.places(pd.DataFrame({"run": ["a", "c"]}), pd.DataFrame({"run": ["a", "b"]}))


@pytest.mark.broad
@pytest.mark.parametrize("filesystem", ["fsspec", "arrow"])
def test_the_pass_over_two_columns_sees_the_partitions_of_the_whole_table(tmp_path, filesystem):
    import dask.dataframe as dd

    # Dask reads narrow columns of small files several files at a time: a query split over them would look whole
    wide = {f"more_{at}": "x" * 50 for at in range(20)}
    for at in range(9):
        frame = pd.DataFrame(
            {
                "run": "a",
                "query_id": ["1", "2"],
                "doc_id": [f"d{at}", f"e{at}"],
                "score": 0.5,
                **wide,
            }
        )
        frame.to_parquet(tmp_path / f"{at}.parquet")
    table = dd.read_parquet(str(tmp_path), filesystem=filesystem)
    fused = table[["run", "query_id"]].map_partitions(len, meta=(None, int)).compute()
    assert len(fused) < 9
    assert first_pass.take(table, "query_id", ("run",)).parts.tolist() == [9, 9]


def test_runs_of_ten_columns_with_128_values_each_are_found_again():
    values = pd.DataFrame({f"c{i}": np.arange(128) for i in range(10)})
    twins = pd.DataFrame({f"c{i}": [0, 64] if i == 0 else [7, 7] for i in range(10)})
    runs = pd.concat([values, twins]).sort_values(list(values.columns), ignore_index=True)
    assert first_pass.places(runs, runs).tolist() == list(range(130))
    assert first_pass.places(runs.iloc[::-1], runs).tolist() == list(range(130))[::-1]


def test_known_names_in_a_new_combination_are_an_error():
    runs = pd.DataFrame({"model": ["a", "b"], "seed": [1, 2]})
    with pytest.raises(
        RuntimeError, match=r"the run table changed after the first pass: it had no run \('a', 2\)"
    ):
        first_pass.places(pd.DataFrame({"model": ["a"], "seed": [2]}), runs)


@pytest.mark.parametrize("engine", ["dask", "parts"])
def test_gaps_in_ranks_are_told_as_of_one_table_however_it_is_divided(engine):
    runs, qrels = with_gaps()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        if engine == "parts":
            pdeval.join_parts(
                [part for _, part in runs.groupby("query_id")], qrels, queries="answered"
            ).measure("AP")
        else:
            import dask.dataframe as dd

            # rows of one list in two partitions
            judged = dd.from_pandas(runs, chunksize=3, sort=False).ireval.join(
                qrels, queries="answered"
            )
            judged.measure("AP").compute()
    assert [str(one.message) for one in told] == [GAPS]
    whole = pd.concat([runs[runs["rank"] < 3], runs.iloc[:0]])
    whole = whole[whole["query_id"] != "3"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pdeval.join_parts(
            [part for _, part in whole.groupby("query_id")], qrels, queries="answered"
        )
