"""13.3: a table that is written to a folder is all that the folder holds, and what pdeval did not write stays."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import pdeval
from pdeval.dask import files
from tests.dask.bits import divided

pytest.importorskip("dask")
pytestmark = [
    pytest.mark.extras,
    pytest.mark.filterwarnings("ignore:The inplace keyword"),
]  # of Dask

import pdeval.dask.accessor  # noqa: E402


def table(queries: int, parts: int, depth: int = 2):
    frame = pd.DataFrame(
        [
            ("bm25", str(query), f"d{doc}", 1.0 / doc)
            for query in range(queries)
            for doc in range(1, depth + 1)
        ],
        columns=["run", "query_id", "doc_id", "score"],
    )
    return divided(frame, parts, "mixed")


def rows(folder) -> int:
    import dask.dataframe as dd

    return len(dd.read_parquet(folder))


def names(folder) -> list[str]:
    return sorted(file.name for file in Path(folder).iterdir())


@pytest.mark.broad
def test_a_folder_that_was_used_is_refused_by_default_and_named(tmp_path):
    folder = tmp_path / "runs"
    table(16, 8).ireval.to_parquet(folder)
    assert rows(folder) == 32
    message = (
        r"the folder '.*runs' already contains a table: 'part.0.parquet', 'part.1.parquet', 'part.2.parquet', "
        r"... \(8 in all\). Write to another folder, or replace the table with overwrite=True."
    )
    with pytest.raises(FileExistsError, match=message):
        table(4, 2).ireval.to_parquet(folder)
    assert rows(folder) == 32
    assert names(tmp_path) == ["runs"]


def test_a_folder_that_was_used_is_refused_before_any_row_is_read(tmp_path):
    folder = tmp_path / "runs"
    table(4, 2).ireval.to_parquet(folder)
    seen = []

    def read(part):
        seen.append(len(part))
        return part

    watched = table(4, 2)
    watched = watched.map_partitions(read, meta=watched._meta)
    with pytest.raises(FileExistsError, match="already contains a table"):
        watched.ireval.to_parquet(folder)
    assert seen == []


@pytest.mark.broad
def test_overwrite_replaces_all_of_it(tmp_path):
    folder = tmp_path / "runs"
    table(16, 8).ireval.to_parquet(folder)
    assert rows(folder) == 32
    table(4, 2).ireval.to_parquet(folder, overwrite=True)
    assert rows(folder) == 8
    assert names(folder) == ["part.0.parquet", "part.1.parquet"]
    assert names(tmp_path) == ["runs"]


@pytest.mark.broad
def test_a_table_may_replace_the_folder_that_it_is_read_from(tmp_path):
    import dask.dataframe as dd

    table(16, 8).ireval.to_parquet(tmp_path)
    read = dd.read_parquet(tmp_path)
    read[read["query_id"].isin(["1", "2"])].ireval.to_parquet(tmp_path, overwrite=True)
    assert rows(tmp_path) == 4


def test_folders_above_are_made_and_text_is_a_path(tmp_path):
    table(4, 2).ireval.to_parquet(str(tmp_path / "a" / "b"))
    assert rows(tmp_path / "a" / "b") == 8


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_of_a_link_the_folder_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    table(4, 2).ireval.to_parquet(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert rows(tmp_path / "data") == 8


@pytest.mark.broad
@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize(
    "name", ["notes.txt", "part.9.parquet", "all.parquet", ".hidden", "part.0.parquet/"]
)
def test_what_pdeval_did_not_write_is_never_removed(name, overwrite, tmp_path):
    foreign = tmp_path / "runs" / name.rstrip("/")
    table(4, 2).ireval.to_parquet(tmp_path / "runs")
    if name.endswith("/"):
        foreign.unlink()
        foreign.mkdir()
    elif name.endswith(".parquet"):
        pd.DataFrame({"run": ["x"]}).to_parquet(foreign)
    else:
        foreign.write_text("keep me")
    before = {file: file.read_bytes() for file in (tmp_path / "runs").iterdir() if file.is_file()}
    message = (
        "contains files that pdeval did not write and will not delete: "
        rf"'{foreign.name}'. Write to another folder."
    )
    with pytest.raises(FileExistsError, match=message):
        table(4, 2).ireval.to_parquet(tmp_path / "runs", overwrite=overwrite)
    assert {
        file: file.read_bytes() for file in (tmp_path / "runs").iterdir() if file.is_file()
    } == before


def test_a_damaged_file_under_a_name_of_pdevals_is_not_its_own(tmp_path):
    (tmp_path / "part.0.parquet").write_text("PAR1 or not")
    with pytest.raises(FileExistsError, match=r"did not write.*'part.0.parquet'"):
        table(4, 2).ireval.to_parquet(tmp_path, overwrite=True)


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_file_is_no_folder(overwrite, tmp_path):
    (tmp_path / "runs").write_text("keep me")
    with pytest.raises(
        FileExistsError,
        match=r"'.*runs' is a file, but a folder is to be written. Use another name.",
    ):
        table(4, 2).ireval.to_parquet(tmp_path / "runs", overwrite=overwrite)
    assert (tmp_path / "runs").read_text() == "keep me"


@pytest.mark.broad
def test_what_fails_half_way_leaves_the_old_table(tmp_path, monkeypatch):
    ready, calls = files.shuffle._ready, []

    def full(part, by):
        calls.append(1)
        if len(calls) == 4:
            assert any(
                names(beside) for beside in tmp_path.glob(".pdeval-*")
            )  # others are written by now
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return ready(part, by)

    table(16, 8).ireval.to_parquet(tmp_path / "runs")
    monkeypatch.setattr(files.shuffle, "_ready", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*runs'"):
        table(4, 4).ireval.to_parquet(tmp_path / "runs", overwrite=True)
    assert rows(tmp_path / "runs") == 32
    assert names(tmp_path) == ["runs"]


def test_workers_that_write_elsewhere_are_noticed(tmp_path, monkeypatch):
    import dask.dataframe as dd

    monkeypatch.setattr(dd.DataFrame, "to_parquet", lambda frame, path, **options: None)
    with pytest.raises(
        OSError,
        match=r"only 0 of 2 partitions were written next to '.*runs': the workers do not share",
    ):
        table(4, 2).ireval.to_parquet(tmp_path / "runs")
    assert names(tmp_path) == []


def test_what_came_meanwhile_is_not_removed(tmp_path, monkeypatch):
    together = files.shuffle.lists_together

    def slowly(frame, table):
        (tmp_path / "notes.txt").write_text("keep me")
        return together(frame, table)

    monkeypatch.setattr(files.shuffle, "lists_together", slowly)
    with pytest.raises(FileExistsError, match=r"notes\.txt"):
        table(4, 2).ireval.to_parquet(tmp_path)
    assert names(tmp_path) == ["notes.txt"]


@pytest.mark.broad
def test_a_store_behind_a_url_has_the_same_rules():
    import fsspec

    store, place = fsspec.filesystem("memory"), "memory://pdeval-table"
    table(16, 8).ireval.to_parquet(place)
    assert rows(place) == 32
    with pytest.raises(FileExistsError, match="already contains a table"):
        table(4, 2).ireval.to_parquet(place)
    table(4, 2).ireval.to_parquet(place, overwrite=True)
    assert rows(place) == 8
    store.pipe("/pdeval-table/notes.txt", b"keep me")
    with pytest.raises(FileExistsError, match=r"notes\.txt"):
        table(4, 2).ireval.to_parquet(place, overwrite=True)
    store.rm("/pdeval-table", recursive=True)


KILLED = """
import os, signal, sys
import dask, pdeval.dask.accessor
from pdeval.files import atomic_write
from tests.dask.test_parquet_folders import table
atomic_write._flush_folder = lambda folder: os.kill(os.getpid(), signal.SIGKILL)
with dask.config.set(scheduler="synchronous"):
    table(4, 2).ireval.to_parquet(sys.argv[1], overwrite=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_program_that_is_killed_leaves_the_old_table(tmp_path):
    table(16, 8).ireval.to_parquet(tmp_path / "runs")
    here = str(Path(pdeval.__file__).parent.parent)
    words = [sys.executable, "-c", KILLED, str(tmp_path / "runs")]
    assert (
        subprocess.run(words, env={**os.environ, "PYTHONPATH": here}, timeout=120).returncode
        == -signal.SIGKILL
    )
    assert rows(tmp_path / "runs") == 32
    assert [name[:8] for name in names(tmp_path)] == [".pdeval-", "runs"]
