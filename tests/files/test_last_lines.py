"""Files cut short: an error wherever the cut shows, and never one where a file merely has no last newline."""

import bz2
import gzip
import re

import pyarrow as pa
import pytest

from pdeval.files import read_qrels, read_run

LINES = [f"30{i} Q0 d{i} 1 {9 - i}.25 bm25+rm3" for i in range(5)]
RUN = "\n".join(LINES).encode()


def write(path, content):
    path.write_bytes(content)
    return path


@pytest.mark.broad
@pytest.mark.parametrize("gap", [" ", "\t", "  "])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_run_cut_at_any_byte_is_an_error_unless_the_cut_leaves_whole_lines(tmp_path, gap, end):
    text = (end.join(LINES) + end).replace(" ", gap)
    whole = {
        len(end.join(LINES[:n]).replace(" ", gap)) + k
        for n in range(1, 6)
        for k in range(len(end) + 1)
    }
    for size in range(len(LINES[0].replace(" ", gap)), len(text) + 1):
        path = write(tmp_path / "a.run", text[:size].encode())
        if size in whole:
            # the last line is complete: whether lines are missing after it cannot be told
            assert len(read_run(path)) == text[:size].count("bm25+rm3")
        else:
            with pytest.raises(ValueError, match=r"a\.run, line \d: .*truncated"):
                read_run(path)


@pytest.mark.parametrize(
    ("last", "message"),
    [
        (
            "1 Q0 d9 2",
            "line 6: 4 columns instead of 6: '1 Q0 d9 2'. A run has six columns: query, Q0, doc, rank, ",
        ),
        ("1 Q0 d9 2 0", "The file ends there, without a newline: it may be truncated."),
        (
            "1 Q0 d9 2 0.5 bm25",
            "line 6: the file ends inside the tag 'bm25', which is 'bm25+rm3' in the line before: it is truncated. "
            "Download it again; if it is complete, add a newline at the end.",
        ),
    ],
)
def test_a_last_line_that_stops_early_is_named(tmp_path, last, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read_run(write(tmp_path / "a.run", RUN + b"\n" + last.encode()))


@pytest.mark.parametrize(
    "last",
    [
        "1 Q0 d9 2 0.5 bm25+rm3",
        "1 Q0 d9 2 0.5 other",
        "1 Q0 d9 2 0.5 bm25+rm3+x",
        "1 Q0 d9 2 0.5 bm\n",
        "# bm",
        "  ",
    ],
)
def test_a_last_line_that_may_be_complete_is_read(tmp_path, last):
    content = RUN + b"\n" + last.encode()
    assert len(read_run(write(tmp_path / "a.run", content))) == 5 + last.startswith("1")


def test_a_shorter_tag_that_other_lines_have_is_no_cut(tmp_path):
    content = b"1 Q0 a 1 3 bm25\n1 Q0 b 2 2 bm25+rm3\n1 Q0 c 3 1 bm25"
    assert len(read_run(write(tmp_path / "a.run", content))) == 3


def test_words_after_the_tag_show_a_cut_too(tmp_path):
    path = write(tmp_path / "a.run", b"1 Q0 a 1 3 t seen 2020\n1 Q0 b 2 2 t seen 20")
    with pytest.raises(
        ValueError,
        match="line 2: the file ends inside the tag 't seen 20', which is 't seen 2020' in",
    ):
        read_run(path)


@pytest.mark.broad
def test_judgments_cut_inside_a_line_or_at_the_point_of_a_grade_are_errors(tmp_path):
    for text in ("1 0 a 0.5\n1 0 b", "1 0 a 0.5\n1 0 b -", "1 0 a 0.5\n1 0 b 1."):
        with pytest.raises(ValueError, match=r"qrels, line 2: .*truncated"):
            read_qrels(write(tmp_path / "qrels", text.encode()))
    for text in (
        "1 0 a 1\n1 0 b 1",
        "1 0 a 0.5\n1 0 b 1",
        "1 0 a 1.\n1 0 b 1.",
        "1 0 a 0\n1 0 b 1.\n",
    ):
        assert len(read_qrels(write(tmp_path / "qrels", text.encode()))) == 2


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".zst", lambda raw: pa.compress(raw, "zstd", asbytes=True)),
    ],
)
def test_a_compressed_file_cut_at_any_byte_is_an_error_that_names_it(tmp_path, ending, pack):
    packed = pack(RUN)
    for size in range(1, len(packed)):
        path = write(tmp_path / f"a.run{ending}", packed[:size])
        with pytest.raises(
            ValueError,
            match=rf"'.*a\.run{ending}' cannot be decompressed as .* damaged or truncated",
        ):
            read_run(path)
