import bz2
import gzip
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from pdeval.files import file_io, read_qrels, read_run, read_runs, run_name

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
    assert b"".join(text for _, text in file_io.contents(path)) == LINE * 3


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
        (
            "a.run.bz2",
            gzip.compress(LINE, mtime=0),
            "ends in .bz2, but the content is gzip-compressed. Rename it.",
        ),
        (
            "a.run",
            gzip.compress(LINE, mtime=0),
            "'{path}' is gzip-compressed, but its name does not end in .gz. Rename it.",
        ),
        (
            "a.run",
            bz2.compress(LINE),
            "'{path}' is bz2-compressed, but its name does not end in .bz2. Rename it.",
        ),
        (
            "a.run",
            b"PK\x03\x04....",
            "'{path}' is zip-compressed; supported are .gz, .bz2, .zst and plain files. Decompress it first.",
        ),
        (
            "a.run.gz",
            gz_cut_short(),
            "'{path}' cannot be decompressed as gzip; it is damaged or truncated",
        ),
        ("a.run", b"", "'{path}' is empty."),
        ("a.run", b" \n\n", "'{path}' is empty."),
        ("a.run.gz", b"", "'{path}' is empty."),
        ("a.run.gz", gzip.compress(b"", mtime=0), "'{path}' is empty."),
    ],
)
def test_wrong_or_broken_compression_and_emptiness_are_errors_that_say_so(
    tmp_path, file, content, message
):
    path = tmp_path / file
    path.write_bytes(content)
    with pytest.raises(ValueError) as error:
        read_run(path)
    assert message.format(path=path) in str(error.value)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(file_io, "PIECE", 20_000)


def packed(tmp_path, raw, name="a.run.gz"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(raw, mtime=0))
    assert len(raw) > file_io.MULTIPLE * path.stat().st_size
    return path


MANY = b"".join(b"%d Q0 d%d %d 1 tag\n" % (i // 5000, i % 4, i % 4) for i in range(20_000))


@pytest.mark.broad
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_what_expands_beyond_20_times_its_size_is_read_in_pieces_with_the_same_result(
    tmp_path, small_pieces, end
):
    raw = MANY.replace(b"\n", end)
    path = packed(tmp_path, raw)
    (tmp_path / "plain.run").write_bytes(raw)
    pieces = list(file_io.contents(path))
    assert len(pieces) > 10
    assert b"".join(text for _, text in pieces) == raw
    sizes = [text.count(end) for _, text in pieces]
    assert [line for line, _ in pieces] == [sum(sizes[:place]) for place in range(len(sizes))]
    pd.testing.assert_frame_equal(read_run(path), read_run(tmp_path / "plain.run", name="a"))
    assert read_run(path, names="tag")["run"].unique().tolist() == ["tag"]


@pytest.mark.broad
def test_a_fault_in_a_later_piece_has_its_own_line_number(tmp_path, small_pieces):
    faults = {
        b"4 Q0 x\n": r"line 20,001: 3 columns instead of 6: '4 Q0 x'",
        b"4 Q0 x 1 high tag\n": r"line 20,001: the score 'high' is not a number",
        b"4 Q0 x 1 nan tag\n": r"line 20,001: the score is NaN",
        b"4 Q0 \xe9 1 2 tag\n": r"line 20,001: byte 6 of the line \(0xe9\) is not UTF-8",
        b"\xef\xbb\xbf4 Q0 x 1 2 tag\n": r"line 20,001: the line starts with a byte order mark",
        b"4 Q0 x 1 2 ta": r"line 20,001: the file ends inside the tag 'ta'",
        b"4 Q0 x 1 2 other\n": r"line 20,001: the tag 'other' is not 'tag', the tag of the lines above: .*names='tag'",
    }
    for line, message in faults.items():
        with pytest.raises(ValueError, match=message):
            read_run(
                packed(tmp_path, MANY + line + (MANY if line.endswith(b"\n") else b"")), names="tag"
            )


def test_pieces_of_whole_and_broken_numbers_blank_lines_and_comments_make_one_table(
    tmp_path, small_pieces
):
    raw = b"\n" * 50_000 + b"1 0 a 1\n" * 5000 + b"# x\n" * 20_000 + b"2 0 b 0.5\n" * 5000
    qrels = read_qrels(packed(tmp_path, raw, "qrels.txt.gz"))
    assert qrels["relevance"].tolist() == [1.0] * 5000 + [0.5] * 5000
    assert qrels["query_id"].tolist() == ["1"] * 5000 + ["2"] * 5000
    with pytest.raises(ValueError, match="is empty"):
        read_qrels(packed(tmp_path, b"\n" * 50_000, "qrels.txt.gz"))
    with pytest.raises(ValueError, match="has only blank lines and comments"):
        read_qrels(packed(tmp_path, b"# \n" * 50_000, "qrels.txt.gz"))


def test_what_expands_to_no_lines_is_refused_before_it_fills_the_memory(tmp_path, small_pieces):
    with pytest.raises(
        ValueError, match=r"has a line of more than 20,060 bytes, so it contains neither runs nor"
    ):
        read_run(packed(tmp_path, b"x" * 1_000_000))
    with pytest.raises(
        ValueError,
        match=r"is decompressed in pieces, which requires UTF-8\. Decompress it and save it",
    ):
        read_run(packed(tmp_path, MANY + b"1 Q0 \xe9 1 2 tag\n" + MANY), encoding="latin-1")
    path = packed(tmp_path, MANY)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(
        ValueError, match="cannot be decompressed as gzip; it is damaged or truncated"
    ):
        read_run(path)


@pytest.mark.slow
def test_a_small_file_that_expands_to_half_a_gigabyte_is_read_in_less_memory_than_its_text(
    tmp_path,
):
    pytest.importorskip("resource")
    line = b"1 Q0 d 1 2 " + b"t" * 500 + b"\n"
    with gzip.open(tmp_path / "a.run.gz", "wb", compresslevel=1) as file:
        for _ in range(1000):
            file.write(line * 1000)
    script = (
        "import resource, sys, pdeval\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(len(pdeval.read_run(sys.argv[1])))\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "a.run.gz"], check=True, capture_output=True
    )
    rows, memory = map(int, done.stdout.split())
    assert rows == 1_000_000
    assert memory < len(line) * rows


def test_a_plain_file_whose_first_query_begins_like_bz2_is_read(tmp_path):
    (tmp_path / "a.run").write_bytes(b"BZh9 Q0 d1 1 2.5 tag\n")
    assert read_run(tmp_path / "a.run")["query_id"].tolist() == ["BZh9"]


def test_a_missing_file_is_an_error_with_the_nearest_name(tmp_path):
    (tmp_path / "bm25.run.gz").write_bytes(gzip.compress(LINE))
    with pytest.raises(FileNotFoundError) as error:
        read_run(tmp_path / "bm25.run")
    assert (
        str(error.value)
        == f"no file '{tmp_path / 'bm25.run'}'. Did you mean '{tmp_path / 'bm25.run.gz'}'?"
    )
    with pytest.raises(FileNotFoundError, match=r"^no file 'nowhere/x\.run'\.$"):
        read_runs(["nowhere/x.run"])


def test_a_folder_is_not_a_run(tmp_path):
    with pytest.raises(
        ValueError,
        match=r"is a folder, not a file\. pdeval\.read_runs reads all the runs of a folder",
    ):
        read_run(tmp_path)


def test_folders_and_patterns_without_runs_are_errors(tmp_path):
    (tmp_path / "2020").mkdir()
    (tmp_path / ".hidden").write_bytes(LINE)
    with pytest.raises(FileNotFoundError) as error:
        read_runs(tmp_path)
    assert str(error.value) == (
        f"no run files in the folder '{tmp_path}'. To read its subfolders: '{tmp_path}/**/*.run'."
    )
    with pytest.raises(FileNotFoundError, match=r"^no run files in the folder '[^']*2020'\.$"):
        read_runs(tmp_path / "2020")
    with pytest.raises(FileNotFoundError, match=r"no file matches '.*\*\.run'"):
        read_runs(str(tmp_path / "*.run"))
    with pytest.raises(ValueError, match="the list of run files is empty"):
        read_runs([])


def test_paths_folders_and_patterns_name_the_same_files_in_sorted_order(tmp_path):
    for name in ("b.run", "a.run", "c.txt"):
        (tmp_path / name).write_bytes(LINE)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "d.run").write_bytes(LINE)
    assert [p.name for p in file_io.expand(tmp_path)] == ["a.run", "b.run", "c.txt"]
    assert [p.name for p in file_io.expand(str(tmp_path / "*.run"))] == ["a.run", "b.run"]
    assert [p.name for p in file_io.expand(str(tmp_path / "**/*.run"))] == [
        "a.run",
        "b.run",
        "d.run",
    ]
    assert [p.name for p in file_io.expand([tmp_path / "b.run", tmp_path / "a.run"])] == [
        "b.run",
        "a.run",
    ]
    assert [p.name for p in file_io.expand([tmp_path / "c.txt", str(tmp_path / "*.run")])] == [
        "c.txt",
        "a.run",
        "b.run",
    ]


def test_a_file_with_a_pattern_character_in_its_name_is_that_file(tmp_path):
    (tmp_path / "bm25[k1=1.2].run").write_bytes(LINE)
    assert read_runs(str(tmp_path / "bm25[k1=1.2].run"))["run"].tolist() == ["bm25[k1=1.2]"]
