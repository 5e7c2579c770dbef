"""The recipe for rows beyond memory: Parquet files of whole queries, joined in parts by several engines."""

import pyarrow.parquet as pq
import pytest

from tests.benchmarks import out_of_core


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of Dask's reader
def test_files_of_complete_queries_give_the_values_of_all_rows_whatever_reads_them(
    tmp_path, monkeypatch
):
    for engine in ("duckdb", "polars", "dask.dataframe"):
        pytest.importorskip(engine)
    monkeypatch.setattr(out_of_core, "QUERIES", 6)
    monkeypatch.setattr(out_of_core, "DEPTH", 400)
    for at in range(3):
        pq.write_table(out_of_core.part(at), tmp_path / f"{at}.parquet")
    qrels = out_of_core.judgments(3)
    expected = out_of_core.memory(tmp_path, qrels)
    assert expected["mean"].max() > 0
    for way in (out_of_core.files, out_of_core.duckdb, out_of_core.polars, out_of_core.dask):
        assert way(tmp_path, qrels)["mean"].tolist() == expected["mean"].tolist(), way.__name__
