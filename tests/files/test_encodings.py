"""Each file in its own encoding: UTF-8 where its bytes are, what the caller says where not, never a guess."""

import gzip
import re

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import pdeval
from pdeval.files import lines, read_qrels, read_run, read_runs

DOCS = ["café", "Ünal", "naïve", "plain"]
RUN = "".join(f"1 Q0 {doc} {rank} {9 - rank} t\n" for rank, doc in enumerate(DOCS, 1))
QRELS = "".join(f"1 0 {doc} 1\n" for doc in DOCS)


def write(path, content):
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return path


def average_precision(runs, qrels):
    return runs.ireval.measure(qrels, "AP")["value"].tolist()


READERS = {
    "run": (lambda path, **given: read_run(path, **given), "a.run", RUN),
    "run by tag": (lambda path, **given: read_run(path, names="tag", **given), "a.run", RUN),
    "run.gz": (lambda path, **given: read_run(path, **given), "a.run.gz", RUN),
    "untidy run": (lambda path, **given: read_run(path, **given), "a.run", RUN.replace(" ", "  ")),
    "runs": (lambda path, **given: read_runs(path, **given), "a.run", RUN),
    "named runs": (lambda path, **given: read_runs({"x": path}, **given), "a.run", RUN),
    "qrels": (lambda path, **given: read_qrels(path, **given), "qrels.txt", QRELS),
    "qrels.gz": (lambda path, **given: read_qrels(path, **given), "qrels.txt.gz", QRELS),
    "untidy qrels": (
        lambda path, **given: read_qrels(path, **given),
        "qrels.txt",
        QRELS.replace(" ", "\t "),
    ),
    "subtopics": (
        lambda path, **given: read_qrels(path, subtopics=True, **given),
        "qrels.txt",
        QRELS,
    ),
}


@pytest.mark.broad
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_refuses_latin_1_at_its_line_and_reads_it_when_told(tmp_path, reader):
    read, name, text = READERS[reader]
    path = write(tmp_path / name, text.encode("latin-1"))
    with pytest.raises(ValueError) as error:
        read(path)
    line = text.split("\n")[0].encode("latin-1")
    assert str(error.value) == (
        f"{path}, line 1: byte {line.index(0xE9) + 1} of the line (0xe9) is not UTF-8: {line!r}. The file is in "
        "another encoding. Save it as UTF-8, or pass its encoding, e.g. encoding='latin-1' or 'cp1252'."
    )
    assert read(path, encoding="latin-1")["doc_id"].tolist() == DOCS


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "cp1252", "mac-roman"]
)
def test_every_reader_gives_the_same_ids_from_every_encoding_it_is_told(tmp_path, reader, codec):
    read, name, text = READERS[reader]
    path = write(tmp_path / name, text.encode(codec))
    assert read(path, encoding=codec)["doc_id"].tolist() == DOCS


@pytest.mark.parametrize("reader", READERS)
def test_one_byte_that_is_not_utf_8_is_refused_and_does_not_touch_the_other_ids(tmp_path, reader):
    read, name, text = READERS[reader]
    path = write(tmp_path / name, text.encode().replace(b"plain", b"pl\xe9in"))
    with pytest.raises(ValueError) as error:
        read(path)
    assert f"{path}, line 4: byte " in str(error.value)
    assert str(error.value).endswith(
        "1 byte is not valid UTF-8, but 3 other characters are: the file is damaged, or was concatenated from files "
        "in different encodings. Repair it, or download it again."
    )
    with pytest.warns(
        UserWarning,
        match=r"is read as latin-1, but 3 of its characters are valid UTF-8 and 1 bytes are not",
    ):
        read(path, encoding="latin-1")


@pytest.mark.parametrize("of_run", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
@pytest.mark.parametrize("of_qrels", ["utf-8", "utf-8-sig", "latin-1", "cp1252"])
def test_runs_and_judgments_in_different_encodings_match(tmp_path, of_run, of_qrels):
    runs = read_runs(write(tmp_path / "a.run", RUN.encode(of_run)), encoding=of_run)
    qrels = read_qrels(write(tmp_path / "qrels.txt", QRELS.encode(of_qrels)), encoding=of_qrels)
    assert average_precision(runs, qrels) == [1.0]


def test_a_folder_of_runs_in_two_encodings_is_read_file_by_file(tmp_path):
    write(tmp_path / "old.run", RUN.encode("latin-1"))
    write(tmp_path / "new.run", RUN.encode())
    qrels = pd.DataFrame({"query_id": "1", "doc_id": DOCS, "relevance": 1})
    with pytest.raises(
        ValueError, match=r"old\.run, line 1: byte 9 of the line \(0xe9\) is not UTF-8"
    ):
        read_runs(tmp_path)
    assert average_precision(read_runs(tmp_path, encoding="latin-1"), qrels) == [1.0, 1.0]


def test_files_on_dask_follow_the_same_rule(tmp_path):
    pytest.importorskip("dask.dataframe")
    write(tmp_path / "a.run", RUN.encode("latin-1"))
    with pytest.raises(
        ValueError, match=r"a\.run, line 1: byte 9 of the line \(0xe9\) is not UTF-8"
    ):
        read_runs(tmp_path, engine="dask").compute()
    told = read_runs(tmp_path, engine="dask", encoding="latin-1").compute()
    assert told["doc_id"].tolist() == DOCS


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (
            RUN.encode("utf-16"),
            None,
            "'{path}' is UTF-16, not UTF-8. Save it as UTF-8, or pass encoding='utf-16'",
        ),
        (
            RUN.encode("utf-32"),
            None,
            "'{path}' is UTF-32, not UTF-8. Save it as UTF-8, or pass encoding='utf-32'",
        ),
        (
            RUN.encode("utf-16-le"),
            None,
            "'{path}' is not a text file in UTF-8: it contains zero bytes.",
        ),
        (
            RUN.encode()[:9],
            None,
            "line 1: byte 9 of the line (0xc3) is half a character: b'1 Q0 caf\\xc3'. The file",
        ),
        (
            b"1 Q0 a 1 2 t\r1 Q0 \x81 1 2 t\r\n",
            "cp1252",
            "line 2: byte 6 of the line (0x81) is not UTF-8, nor cp1252:",
        ),
        (
            b"1 Q0 \xe9 1 2 t\n",
            "utf-8",
            "line 1: byte 6 of the line (0xe9) is not UTF-8: b'1 Q0 \\xe9 1 2 t'.",
        ),
        (
            b"\x7fELF\0\0\xff\n",
            "latin-1",
            "'{path}' is not a text file in latin-1: it contains zero bytes.",
        ),
        (
            b"1 Q0 a 1 2 t\n\xef\xbb\xbf2 Q0 a 1 2 t\n",
            None,
            "line 2: the line starts with a byte order mark, because files were",
        ),
        (
            b"\xef\xbb\xbf\xef\xbb\xbf2 Q0 a 1 2 t\n",
            None,
            "line 1: the line starts with a byte order mark, because files were",
        ),
    ],
)
def test_what_no_encoding_reads_is_an_error_that_says_where(tmp_path, content, encoding, message):
    path = write(tmp_path / "a.run", content)
    with pytest.raises(ValueError, match=re.escape(message.format(path=path))):
        read_run(path, encoding=encoding)


def test_a_byte_far_into_a_long_line_is_shown_in_its_surroundings(tmp_path):
    path = write(tmp_path / "a.run", b"1 Q0 " + b"d" * 500 + b"\xe9 1 2 t\n")
    with pytest.raises(
        ValueError, match=r"byte 506 of the line \(0xe9\) is not UTF-8: b'd{50}\\xe9 1 2 t'\."
    ):
        read_run(path)


def test_a_mark_before_latin_1_does_not_become_part_of_the_query(tmp_path):
    path = write(tmp_path / "a.run", b"\xef\xbb\xbf" + RUN.encode("latin-1"))
    assert read_run(path, encoding="latin-1")["query_id"].unique().tolist() == ["1"]


def test_an_encoding_that_does_not_exist_is_an_error_even_where_it_is_not_needed(tmp_path):
    path = write(tmp_path / "a.run", b"1 Q0 a 1 2 t\n")
    for read in (read_run, read_runs, read_qrels):
        with pytest.raises(
            ValueError, match=r"unknown encoding 'latin-99'. Examples are 'latin-1'"
        ):
            read(path, encoding="latin-99")
        with pytest.raises(ValueError, match="unknown encoding 'hex'"):
            read(path, encoding="hex")
        with pytest.raises(ValueError, match="encoding=1: expected a string or None"):
            read(path, encoding=1)


def test_latin_1_keeps_the_order_of_its_bytes(tmp_path):
    path = write(tmp_path / "a.run", "1 Q0 café 1 2 t\n1 Q0 caf÷ 2 1 t\n".encode("latin-1"))
    docs = pdeval.read_run(path, encoding="latin-1")["doc_id"].tolist()
    assert sorted(docs, key=lambda d: d.encode()) == sorted(docs, key=lambda d: d.encode("latin-1"))


@given(
    st.binary(max_size=40)
    | st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
@example(b"\xed\xa0\x80")
@example(b"\xc0\xaf")
@example(b"\xf4\x90\x80\x80")
def test_utf_8_is_what_python_decodes(data):
    try:
        expected = "\0" not in data.decode()
    except UnicodeDecodeError:
        expected = False
    assert lines.is_utf8(data) == expected
