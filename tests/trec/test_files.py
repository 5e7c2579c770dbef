import bz2
import gzip
from pathlib import Path

import pyarrow as pa
import pytest

from pdeval.trec import files, read_run, read_runs, run_name

LINE = b"301 Q0 d1 1 2.5 tag\n"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("bm25", "bm25"),
        ("bm25.run", "bm25"),
        ("bm25.txt", "bm25"),
        ("bm25.res", "bm25"),
        ("bm25.trec", "bm25"),
        ("bm25.parquet", "bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.bz2", "bm25"),
        ("bm25.res.zst", "bm25"),
        ("BM25.RUN.GZ", "BM25"),
        ("input.bm25", "bm25"),
        ("input.bm25.txt.gz", "bm25"),
        ("folder.run/bm25+rm3.v2", "bm25+rm3.v2"),
        ("CUNI_EN_Run.2.run.gz", "CUNI_EN_Run.2"),
        (".run", ".run"),
        ("input.", "input."),
    ],
)
def test_a_run_is_called_by_its_file_less_endings_and_input(file, name):
    assert run_name(file) == name
    assert run_name(Path("some") / file) == name


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".run", bytes),
        (".run.gz", gzip.compress),
        (".run.bz2", bz2.compress),
        (".run.zst", lambda raw: pa.compress(raw, "zstd", asbytes=True)),
        (".run.gz", lambda raw: gzip.compress(raw[:10]) + gzip.compress(raw[10:])),
    ],
    ids=["plain", "gz", "bz2", "zst", "gz of two members"],
)
def test_files_are_decompressed_by_their_ending(tmp_path, ending, pack):
    path = tmp_path / f"bm25{ending}"
    path.write_bytes(pack(LINE * 3))
    assert files.load(path) == LINE * 3


def gz_cut_short() -> bytes:
    return gzip.compress(b"".join(b"301 Q0 d%d 1 %d x\n" % (i, i * i) for i in range(1000)))[:-900]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (
            "a.run.gz",
            LINE,
            "the name of '{path}' ends in .gz, but the content is not compressed; it begins with b'301 Q0 d1 1 2.5 tag",
        ),
        ("a.run.bz2", gzip.compress(LINE, mtime=0), "ends in .bz2, but the content is gzip-compressed. Rename it."),
        (
            "a.run",
            gzip.compress(LINE, mtime=0),
            "'{path}' is gzip-compressed, but its name does not end in .gz. Rename it.",
        ),
        ("a.run", bz2.compress(LINE), "'{path}' is bz2-compressed, but its name does not end in .bz2. Rename it."),
        (
            "a.run",
            b"PK\x03\x04....",
            "'{path}' is zip-compressed; pdeval reads .gz, .bz2, .zst and plain files. Unpack it first.",
        ),
        ("a.run.gz", gz_cut_short(), "'{path}' cannot be decompressed as gzip; it is damaged or cut short"),
        ("a.run", b"", "'{path}' is empty: it has no lines."),
        ("a.run", b" \n\n", "'{path}' is empty: it has no lines."),
        ("a.run.gz", b"", "'{path}' is empty: it has no lines."),
        ("a.run.gz", gzip.compress(b"", mtime=0), "'{path}' is empty: it has no lines."),
    ],
)
def test_wrong_or_broken_compression_and_emptiness_are_errors_that_say_so(tmp_path, file, content, message):
    path = tmp_path / file
    path.write_bytes(content)
    with pytest.raises(ValueError) as error:
        read_run(path)
    assert message.format(path=path) in str(error.value)


def test_a_plain_file_whose_first_query_begins_like_bz2_is_read(tmp_path):
    (tmp_path / "a.run").write_bytes(b"BZh9 Q0 d1 1 2.5 tag\n")
    assert read_run(tmp_path / "a.run")["query_id"].tolist() == ["BZh9"]


def test_a_missing_file_is_an_error_with_the_nearest_name(tmp_path):
    (tmp_path / "bm25.run.gz").write_bytes(gzip.compress(LINE))
    with pytest.raises(FileNotFoundError) as error:
        read_run(tmp_path / "bm25.run")
    assert str(error.value) == f"no file '{tmp_path / 'bm25.run'}'. Did you mean '{tmp_path / 'bm25.run.gz'}'?"
    with pytest.raises(FileNotFoundError, match=r"^no file 'nowhere/x\.run'\.$"):
        read_runs(["nowhere/x.run"])


def test_a_folder_is_not_a_run(tmp_path):
    with pytest.raises(ValueError, match=r"is a folder, not a file\. pdeval\.read_runs reads all the runs of a folder"):
        read_run(tmp_path)


def test_folders_and_patterns_without_runs_are_errors(tmp_path):
    (tmp_path / "2020").mkdir()
    (tmp_path / ".hidden").write_bytes(LINE)
    with pytest.raises(FileNotFoundError) as error:
        read_runs(tmp_path)
    assert str(error.value) == (
        f"no run files in the folder '{tmp_path}'. To look into its folders: '{tmp_path}/**/*.run'."
    )
    with pytest.raises(FileNotFoundError, match=r"^no run files in the folder '[^']*2020'\.$"):
        read_runs(tmp_path / "2020")
    with pytest.raises(FileNotFoundError, match=r"no file matches '.*\*\.run'"):
        read_runs(str(tmp_path / "*.run"))
    with pytest.raises(ValueError, match="no run files were given: the list is empty"):
        read_runs([])


def test_paths_folders_and_patterns_name_the_same_files_in_sorted_order(tmp_path):
    for name in ("b.run", "a.run", "c.txt"):
        (tmp_path / name).write_bytes(LINE)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "d.run").write_bytes(LINE)
    assert [p.name for p in files.expand(tmp_path)] == ["a.run", "b.run", "c.txt"]
    assert [p.name for p in files.expand(str(tmp_path / "*.run"))] == ["a.run", "b.run"]
    assert [p.name for p in files.expand(str(tmp_path / "**/*.run"))] == ["a.run", "b.run", "d.run"]
    assert [p.name for p in files.expand([tmp_path / "b.run", tmp_path / "a.run"])] == ["b.run", "a.run"]
    assert [p.name for p in files.expand([tmp_path / "c.txt", str(tmp_path / "*.run")])] == ["c.txt", "a.run", "b.run"]


def test_a_file_with_a_pattern_character_in_its_name_is_that_file(tmp_path):
    (tmp_path / "bm25[k1=1.2].run").write_bytes(LINE)
    assert read_runs(str(tmp_path / "bm25[k1=1.2].run"))["run"].tolist() == ["bm25[k1=1.2]"]
