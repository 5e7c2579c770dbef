"""Partitions of whole queries: kept, shuffled into being, and written."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from pdeval.catalog import parse_all
from pdeval.dask import first_pass, shuffle
from tests.dask.bits import SCORES, divided, gathered, quiet, same_bits

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

import pdeval.dask.accessor  # noqa: E402, F401


class TestBalance:
    def test_partitions_get_about_equally_many_rows(self):
        home = shuffle.balanced(np.full(100, 10), 7)
        assert np.bincount(home).tolist() == [14, 15, 14, 14, 14, 15, 14]
        assert (np.diff(home) >= 0).all()

    def test_a_large_query_has_a_partition_of_its_own(self):
        assert shuffle.balanced(np.array([1, 100, 1, 1]), 2).tolist() == [0, 0, 1, 1]
        assert shuffle.balanced(np.array([100, 1, 1]), 50).tolist() == [0, 1, 1]

    def test_no_partition_is_without_rows(self):
        for rows in ([0, 0, 5, 0, 5], [5, 0, 0, 0, 5], [0, 3], [3, 0]):
            home = shuffle.balanced(np.array(rows), 4)
            assert np.bincount(home, weights=rows).all()
            assert len(home) == len(rows)


class TestShuffle:
    @pytest.mark.broad
    def test_rows_stay_where_every_query_is_in_one_partition(self, some, qrels):
        import dask.dataframe as dd

        parts = [part for _, part in some.groupby("query_id", observed=True)]
        table = dd.from_map(lambda at: parts[at], range(30), meta=some.iloc[:0])
        division = table.ireval.join(qrels).plan.division(pairs=True)
        assert not division.context.coded
        assert division.context.lists is None
        assert division.rows.npartitions == 30

    @pytest.mark.broad
    def test_rows_stay_where_lists_are_whole_and_measures_look_at_lists(self, some, qrels):
        import dask.dataframe as dd

        parts = [part for _, part in some.groupby("run", observed=True)]
        table = dd.from_map(lambda at: parts[at], range(5), meta=some.iloc[:0])
        plan = table.ireval.join(qrels).plan
        assert plan.division(parse_all(["AP", "bpref"])).context.lists is not None
        assert plan.division().context.lists is not None  # positions are those of single lists
        assert plan.division(
            parse_all(["AP", "ASL"])
        ).context.coded  # ASL counts what all runs returned for the query
        assert plan.division(parse_all(["AP", "RPP"])).context.coded
        assert plan.division(parse_all("AP"), pairs=True).context.coded

    @pytest.mark.broad
    def test_shuffled_rows_are_codes_of_judged_queries_alone(self, some, qrels):
        stray = some.head(2).assign(query_id="no such query")
        frame = pd.concat([some.astype({"query_id": object}), stray], ignore_index=True)
        rows = (
            divided(frame, 3, "mixed").ireval.join(qrels).plan.division(pairs=True).rows.compute()
        )
        assert rows.dtypes.astype(str).to_dict() | {"doc": ""} == {
            "run": "int32",
            "query": "int32",
            "doc": "",
            "score": "float64",
        }
        assert len(rows) == len(some)

    @pytest.mark.broad
    def test_categoricals_of_integers_and_of_text_survive_a_shuffle(self, some, qrels):
        frame = some.assign(doc_id=some["doc_id"].astype("category"))
        expected = quiet(frame.ireval.measure, qrels, ["AP", "ASL"])
        found = quiet(divided(frame, 4, "mixed").ireval.measure, qrels, ["AP", "ASL"])
        same_bits(expected, gathered(found, SCORES))


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask
class TestParquet:
    @pytest.mark.broad
    def test_what_is_written_holds_whole_queries_and_needs_no_shuffle(self, some, qrels, tmp_path):
        import dask.dataframe as dd

        divided(some, 4, "mixed").ireval.to_parquet(tmp_path)
        files = sorted(tmp_path.glob("*.parquet"))
        assert len(files) == 4
        assert [pq.ParquetFile(file).num_row_groups for file in files] == [1] * 4
        table = dd.read_parquet(tmp_path)
        assert first_pass.take(table, "query_id", ("run",)).parts.max() == 1
        assert not table.ireval.join(qrels).plan.division(pairs=True).context.coded
        same_bits(
            quiet(some.ireval.measure, qrels, ["AP", "ASL"]),
            gathered(quiet(table.ireval.measure, qrels, ["AP", "ASL"]), SCORES),
        )

    @pytest.mark.broad
    def test_every_row_and_column_is_written_lists_together(self, some, tmp_path):
        import dask.dataframe as dd

        frame = some.assign(note=np.arange(len(some)))
        divided(frame, 3, "mixed").ireval.to_parquet(tmp_path)
        found = dd.read_parquet(tmp_path).compute().reset_index(drop=True)
        assert list(found.columns) == list(frame.columns)
        keys = (found["query_id"] + "/" + found["run"]).astype(object)
        assert (keys != keys.shift()).sum() == keys.nunique()
        found = found.sort_values("note", ignore_index=True).astype(
            {"run": object, "query_id": object}
        )
        expected = frame.astype({"run": object, "query_id": object})
        pd.testing.assert_frame_equal(
            found.astype({"doc_id": object}), expected.astype({"doc_id": object})
        )

    @pytest.mark.broad
    def test_a_table_of_whole_queries_is_written_as_it_is_divided(self, some, tmp_path):
        import dask.dataframe as dd

        parts = [part for _, part in some.groupby("query_id", observed=True)]
        table = dd.from_map(lambda at: parts[at], range(30), meta=some.iloc[:0])
        table.ireval.to_parquet(tmp_path)
        assert len(list(tmp_path.glob("*.parquet"))) == 30

    @pytest.mark.broad
    def test_row_groups_that_divide_a_query_are_noticed(self, some, qrels, tmp_path):
        import dask.dataframe as dd

        by_query = some.sort_values("query_id", kind="stable", ignore_index=True)
        by_query.to_parquet(tmp_path / "all.parquet", row_group_size=1234)
        table = dd.read_parquet(tmp_path, split_row_groups=1)
        assert table.npartitions > 5
        same_bits(
            quiet(some.ireval.measure, qrels, ["AP", "RR"]),
            gathered(quiet(table.ireval.measure, qrels, ["AP", "RR"]), SCORES),
        )


def test_rows_to_be_written_stand_by_query_and_run_with_ids_as_text():
    frame = pd.DataFrame(
        {"run": list("ba") * 20, "query_id": ["1"] * 40, "n": range(40)}, index=range(40, 0, -1)
    )
    found = shuffle._ready(frame.astype({"run": "category"}), ["query_id", "run"])
    assert not isinstance(found["run"].dtype, pd.CategoricalDtype)
    assert found["run"].tolist() == ["a"] * 20 + ["b"] * 20
    assert found["n"].tolist() == [*range(1, 40, 2), *range(0, 40, 2)]
    assert found.index.tolist() == list(range(40))


@pytest.mark.broad
def test_queries_are_made_whole_where_only_one_of_them_is_divided():
    import dask.dataframe as dd

    rows = [
        ("a", query, f"d{n}", 1.0)
        for query, n in (("1", 1), ("1", 2), ("2", 1), ("2", 2), ("3", 1), ("3", 2))
    ]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    table = dd.from_pandas(frame, npartitions=2, sort=False)
    whole, home = shuffle.whole_queries(
        table, "query_id", shuffle.take(table, "query_id", ("run",))
    )
    assert len(home) == 3
    parts = [whole.partitions[at].compute() for at in range(whole.npartitions)]
    assert sorted(query for part in parts for query in part["query_id"].unique()) == ["1", "2", "3"]
    assert sum(map(len, parts)) == 6
