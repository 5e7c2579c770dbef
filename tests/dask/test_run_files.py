"""Run files on Dask, and what is imported when."""

import subprocess
import sys

import pandas as pd
import pytest

import pdeval
from tests.dask.bits import PREFERENCES, SCORES, gathered, quiet, same_bits

pytest.importorskip("dask")
pytestmark = pytest.mark.extras


@pytest.fixture
def folder(some, tmp_path):
    pdeval.write_runs(some, tmp_path)
    return tmp_path


def test_a_file_is_a_partition_and_nothing_is_read_before_it_must(folder):
    (folder / "zz.run").write_text("this is no run\n")
    table = pdeval.read_runs(folder, engine="dask")
    assert table.npartitions == 6
    assert list(table.columns) == ["run", "query_id", "doc_id", "score", "rank"]
    with pytest.raises(ValueError, match=r"zz\.run"):
        table.compute()


@pytest.mark.broad
def test_the_frame_is_that_of_pandas_but_for_float_ranks(folder):
    expected = pdeval.read_runs(folder)
    found = pdeval.read_runs(folder, engine="dask").compute().reset_index(drop=True)
    ids = {"run": object, "query_id": object, "doc_id": object}
    expected = expected.astype({**ids, "rank": float})
    pd.testing.assert_frame_equal(found.astype(ids), expected)


@pytest.mark.broad
def test_files_are_evaluated_as_on_pandas(folder, qrels):
    expected, table = pdeval.read_runs(folder), pdeval.read_runs(folder, engine="dask")
    for measures in (["AP", "nDCG@10"], ["AP", "ASL"]):
        same_bits(
            quiet(expected.ireval.measure, qrels, measures),
            gathered(quiet(table.ireval.measure, qrels, measures), SCORES),
        )
    same_bits(
        quiet(expected.ireval.prefer, qrels, "RPP"),
        gathered(quiet(table.ireval.prefer, qrels, "RPP"), PREFERENCES),
    )


@pytest.mark.broad
def test_parquet_files_may_lack_ranks_and_have_more_columns(some, qrels, tmp_path):
    for run, part in some.groupby("run", observed=True):
        frame = part.drop(columns="rank").astype({"run": str, "query_id": str}).assign(note="x")
        frame.to_parquet(tmp_path / f"{run}.parquet")
    table = pdeval.read_runs(tmp_path, engine="dask")
    assert table.compute()["rank"].isna().all()
    same_bits(
        quiet(some.ireval.measure, qrels, "AP"),
        gathered(quiet(table.ireval.measure, qrels, "AP"), SCORES),
    )


def test_runs_cannot_be_named_by_what_is_not_yet_read(folder):
    with pytest.raises(
        ValueError, match="names='tag' requires reading all files, which engine='dask' does later"
    ):
        pdeval.read_runs(folder, engine="dask", names="tag")


def test_an_unknown_engine_is_an_error(folder):
    with pytest.raises(ValueError, match="engine='spark': choose 'pandas' or 'dask'"):
        pdeval.read_runs(folder, engine="spark")


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.broad
def test_importing_pdeval_does_not_import_dask():
    done = python(
        "import pdeval, sys; print([name for name in sys.modules if name.split('.')[0] == 'dask'])"
    )
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.broad
def test_reading_with_dask_registers_the_accessor(folder):
    code = f"import pdeval; print(pdeval.read_runs({str(folder)!r}, engine='dask').ireval)"
    assert python(code).stdout.startswith("run table on Dask: 5 partitions")


@pytest.mark.broad
def test_without_dask_the_error_says_what_to_install(folder):
    code = f"import sys; sys.modules['dask'] = None; import pdeval; pdeval.read_runs({str(folder)!r}, engine='dask')"
    done = python(code)
    assert done.stderr.strip().endswith(
        "ImportError: the Dask engine needs dask: pip install 'pdeval[dask]'."
    )
