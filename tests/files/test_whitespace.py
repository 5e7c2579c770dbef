"""Files as they are: what trec_eval reads is read, whatever the layout; the rest is an error at its line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.files import lines, read_qrels, read_run
from pdeval.files.lines import QRELS, RUN
from tests.examples import examples

TIDY = "301 Q0 d1 1 2.5 t\n301 Q0 d2 2 1.5 t\n302 Q0 d1 1 0.5 t\n"
ROWS = [["301", "d1", 2.5, 1], ["301", "d2", 1.5, 2], ["302", "d1", 0.5, 1]]


@pytest.mark.parametrize(
    "text",
    [
        TIDY,
        TIDY.replace(" ", "\t"),
        TIDY.replace(" ", "   "),
        TIDY.replace(" ", " \t "),
        TIDY.replace(" Q0 ", "\tQ0 "),
        TIDY.replace("1.5", "  1.5").replace(" ", "\t", 5),
        TIDY.replace("\n", "\r\n"),
        TIDY.replace("\n", "\r"),
        TIDY.replace("\n", "\n\n"),
        "\n\n" + TIDY + "\n \n",
        TIDY.replace("301", "  301"),
        TIDY.replace(" t\n", " t \n"),
        TIDY.replace(" t\n", " t more words here\n"),
        TIDY.replace("d2 2 1.5 t", "d2 2 1.5 t more"),
        TIDY.rstrip("\n"),
        "\ufeff" + TIDY,
        "\ufeff" + TIDY.replace(" ", "  "),
        "# a comment\n" + TIDY,
        "# a comment of six columns exactly, well\n#\n" + TIDY + "  # indented\n",
        TIDY.replace("302", "#302 Q0 d7 1 9 t\n302"),
        TIDY.replace(" ", "\v").replace("Q0\v", "Q0\f"),
        TIDY.replace("Q0", "0"),
        TIDY.replace("2.5", "+2.5e0").replace("0.5", ".5"),
    ],
)
def test_every_layout_that_trec_eval_reads_gives_the_same_frame(tmp_path, text):
    (tmp_path / "a.run").write_bytes(text.encode())
    run = read_run(tmp_path / "a.run")
    assert run[["query_id", "doc_id", "score", "rank"]].to_numpy().tolist() == ROWS
    assert run["rank"].dtype == np.int64


def test_tidy_files_do_not_take_the_slow_way_and_others_do(tmp_path):
    def is_tidy(text):
        data, keep = text.encode(), ["query_id", "doc_id", "score", "rank"]
        return lines.tidy(lines.Lines(data, RUN, tmp_path), keep, threads=False) is not None

    assert is_tidy(TIDY)
    assert is_tidy(TIDY.replace(" ", "\t"))
    assert is_tidy(TIDY.replace("\n", "\r\n"))
    assert is_tidy("\ufeff" + TIDY + "\n")
    assert is_tidy(TIDY.replace(" ", "\t").replace("1.5", "  1.5"))
    assert not is_tidy(TIDY.replace("d1", " d1"))
    assert not is_tidy(TIDY.replace("302 Q0", "302\tQ0"))
    assert not is_tidy(TIDY + " \n")


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        (["0", "1", "0"], [0, 1, 0]),
        (["0", "0", "0"], [0, 0, 0]),
        (["1.0", "2.0", "1.0"], [1, 2, 1]),
        (["1.5", "2", "1"], [1.5, 2.0, 1.0]),
        (["-", "2", "x"], [np.nan, 2.0, np.nan]),
    ],
)
def test_ranks_of_any_kind_are_read_since_trec_eval_does_not_look_at_them(
    tmp_path, ranks, expected
):
    text = "".join(f"1 Q0 d{i} {rank} {9 - i} t\n" for i, rank in enumerate(ranks))
    (tmp_path / "a.run").write_text(text)
    assert np.array_equal(read_run(tmp_path / "a.run")["rank"], expected, equal_nan=True)


def test_utf_8_ids_are_read(tmp_path):
    (tmp_path / "a.run").write_text("1 Q0 文書-1 1 2 t\n1  Q0 文書-2 2 1 t\n", encoding="utf-8")
    assert read_run(tmp_path / "a.run")["doc_id"].tolist() == ["文書-1", "文書-2"]


def test_qrels_have_the_same_freedom(tmp_path):
    (tmp_path / "q.txt").write_bytes(b"# judged by hand\r\n051 \t 0  d1   2\r\n\r\n 051 0 d2 0\r\n")
    assert read_qrels(tmp_path / "q.txt").to_numpy().tolist() == [
        ["051", "d1", 2],
        ["051", "d2", 0],
    ]


RUN_NEEDS = " A run has six columns: query, Q0, doc, rank, score, tag."
CUT = " The file ends there, without a newline: it may be truncated."
QRELS_NEEDS = " A qrels file has four columns: query, iteration or subtopic, doc, grade."
BROKEN_RUNS = {
    "five columns": (TIDY.replace(" t\n", "\n"), 1, "5 columns instead of 6: '301 Q0 d1 1 2.5'."),
    "five columns and a space": (
        TIDY.replace(" t\n", " \n"),
        1,
        "5 columns instead of 6: '301 Q0 d1 1 2.5 '.",
    ),
    "five columns, two spaces": ("1 Q0  3 2 0.5\n", 1, "5 columns instead of 6: '1 Q0  3 2 0.5'."),
    "no Q0, two spaces": ("1  3 3 2 0.5\n", 1, "5 columns instead of 6: '1  3 3 2 0.5'."),
    "three columns": ("301 d1 2.5\n", 1, "3 columns instead of 6: '301 d1 2.5'."),
    "comma separated": ("301,Q0,d1,1,2.5,t\n", 1, "1 columns instead of 6: '301,Q0,d1,1,2.5,t'."),
    "a short line": (TIDY + "\n302 Q0\n" + TIDY, 5, "2 columns instead of 6: '302 Q0'."),
    "a line cut at the end": (
        TIDY + "302 Q0 d9 2 0",
        4,
        "5 columns instead of 6: '302 Q0 d9 2 0'.",
    ),
    "text for a score": (
        TIDY.replace("1.5", "high"),
        2,
        "the score 'high' is not a number: '301 Q0 d2 2 high t'.",
    ),
    "text after a comment": (
        "# x\n\n" + TIDY.replace("1.5", "1,5"),
        4,
        "the score '1,5' is not a number: '301 Q0 d2 2 1,5 t'.",
    ),
    "half a number": (
        TIDY.replace("0.5", "0.5abc"),
        3,
        "the score '0.5abc' is not a number: '302 Q0 d1 1 0.5abc t'.",
    ),
    "score and rank swapped": (
        "1 Q0 d 2.5 one t\n",
        1,
        "the score 'one' is not a number: '1 Q0 d 2.5 one t'.",
    ),
    "NaN score": (TIDY.replace("1.5", "nan"), 2, "the score is NaN: '301 Q0 d2 2 nan t'."),
    "NaN score, spaces": (
        TIDY.replace("1.5", "  NaN"),
        2,
        "the score is NaN: '301 Q0 d2 2   NaN t'.",
    ),
    "a header": (
        "qid q0 docno rank score tag\n" + TIDY,
        1,
        "the score 'score' is not a number: 'qid q0 docno rank score tag'.",
    ),
    "a space in a doc id": (
        "1\tQ0\td 1\t1\t2.5\tt\n",
        1,
        "the doc id 'd 1' contains a space: '1\\tQ0\\td 1\\t1\\t2.5\\tt'.",
    ),
    "a space in a query id": (
        "1\tQ0\td1\t1\t2.5\tt\nq 1\tQ0\td1\t1\t2.5\tt\n",
        2,
        "the query id 'q 1' contains a space: 'q 1\\tQ0\\td1\\t1\\t2.5\\tt'.",
    ),
    "a qrels file": ("301 0 d1 1\n", 1, "4 columns instead of 6: '301 0 d1 1'."),
    "a long line": ("x" * 200, 1, "1 columns instead of 6: '" + "x" * 97 + "...'."),
}
BROKEN_QRELS = {
    "three columns": ("301 d1 1\n", 1, "3 columns instead of 4: '301 d1 1'."),
    "five columns": ("301 0 d1 1\n301 0 d2 1 x\n", 2, "5 columns instead of 4: '301 0 d2 1 x'."),
    "text for a grade": (
        "301 0 d1 1\n301 0 d2 yes\n",
        2,
        "the grade 'yes' is not a number: '301 0 d2 yes'.",
    ),
    "NaN grade": ("301 0 d1 nan\n", 1, "the grade is NaN: '301 0 d1 nan'."),
    "infinite grade": ("301 0 d1 0.5\n301 0 d1 inf\n", 2, "the grade is infinite: '301 0 d1 inf'."),
    "a run": (TIDY, 1, "6 columns instead of 4: '301 Q0 d1 1 2.5 t'."),
}


@pytest.mark.parametrize("kind", BROKEN_RUNS)
def test_a_broken_run_is_an_error_with_file_line_and_text(tmp_path, kind):
    text, line, message = BROKEN_RUNS[kind]
    path = tmp_path / "a.run"
    path.write_bytes(text.encode())
    with pytest.raises(ValueError) as error:
        read_run(path)
    assert (
        str(error.value)
        == f"{path}, line {line}: {message}{RUN_NEEDS}{'' if text.endswith(chr(10)) else CUT}"
    )


@pytest.mark.parametrize("kind", BROKEN_QRELS)
def test_a_broken_qrels_file_is_an_error_with_file_line_and_text(tmp_path, kind):
    text, line, message = BROKEN_QRELS[kind]
    path = tmp_path / "qrels.txt"
    path.write_bytes(text.encode())
    with pytest.raises(ValueError) as error:
        read_qrels(path)
    assert str(error.value) == f"{path}, line {line}: {message}{QRELS_NEEDS}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"\x7fELF\x02\x01\x00\x00\x00junk\n",
            "'{path}' is not a text file in UTF-8: it contains zero bytes.",
        ),
        (
            b"301 Q0 d\x00 1 2.5 tag\n",
            "'{path}' is not a text file in UTF-8: it contains zero bytes.",
        ),
        (b"# only\n\n  # comments\n", "'{path}' has only blank lines and comments."),
    ],
)
def test_what_is_no_text_or_holds_no_lines_is_an_error(tmp_path, content, message):
    path = tmp_path / "a.run"
    path.write_bytes(content)
    with pytest.raises(ValueError) as error:
        read_run(path)
    assert message.format(path=path) in str(error.value)


def test_the_fault_of_a_latin_1_crlf_file_with_a_bom_is_at_the_right_line(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes(b"\xef\xbb\xbf# x\r\n1 Q0 caf\xe9 1 2 t\r\n\r\n1 Q0 caf\xe9 two t\r\n")
    with pytest.raises(
        ValueError, match=r"a\.run, line 4: 5 columns instead of 6: '1 Q0 café two t'"
    ):
        read_run(path, encoding="latin-1")


space = st.text(" \t\v\f", min_size=1, max_size=3)
line_end = st.sampled_from(
    ["\n", "\r\n", "\n\n", " \n", "\t\r\n", "\n# a b c d e f\n", "\n  \n #x\n"]
)
word = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=6
)
word = word.filter(lambda w: not any(c in w for c in " \ufeff") and not w.startswith("#"))
number = st.floats(allow_nan=False).map(repr) | st.integers(-(10**6), 10**6).map(str)
words = st.tuples(
    word, word, word, st.integers(-5, 10**12).map(str), number, word, st.lists(word, max_size=2)
)


row = st.tuples(words, st.lists(space, min_size=8, max_size=8), line_end)


@pytest.mark.broad
@given(st.lists(row, min_size=1, max_size=12), st.booleans())
@examples(80)
def test_any_mixture_of_spaces_ends_and_comments_reads_as_the_words_of_each_line(
    tmp_path_factory, rows, tidy
):
    text = ""
    for (*words, more), gaps, end in rows:
        if tidy:
            text += " ".join(words) + "\n"
        else:
            text += gaps[0] + "".join(w + gap for w, gap in zip(words + more, gaps[1:])) + end
    path = tmp_path_factory.mktemp("run") / "a.run"
    path.write_bytes(text.encode())
    run = read_run(path)
    assert run["query_id"].tolist() == [r[0][0] for r in rows]
    assert run["doc_id"].tolist() == [r[0][2] for r in rows]
    assert run["rank"].tolist() == [int(r[0][3]) for r in rows]
    assert run["score"].tolist() == [float(r[0][4]) for r in rows]


def test_pieces_join_to_the_whole_and_end_at_lines(monkeypatch):
    data = b"".join(b"%d 0  d%d\t1 \r\n" % (i, i) for i in range(100)) + b" 7 0 d 1"
    whole = lines.clean(data)
    monkeypatch.setattr(lines, "PIECE", 64)
    assert len(list(lines.pieces(data))) > 10
    assert b"".join(lines.pieces(data)) == data
    assert lines.clean(data) == whole


@pytest.mark.parametrize(
    "text", ["1", "+1", "1.", ".5", "-1.5E-3", "inf", "+inf", "-INF", "Infinity", "1e400", "-0"]
)
def test_scores_are_numbers_as_c_reads_them(tmp_path, text):
    (tmp_path / "a.run").write_text(f"1 Q0 d 1 {text} t\n1 Q0  e 1 {text} t\n")
    assert read_run(tmp_path / "a.run")["score"].tolist() == [float(text)] * 2


@pytest.mark.parametrize("text", ["0x10", "1_000", "1d5", "--1", "e5", ".", "one", "1e", "²"])
def test_scores_that_are_no_numbers_are_errors_in_tidy_and_untidy_files(tmp_path, text):
    for gap in (" ", "  "):
        (tmp_path / "a.run").write_text(f"1 Q0 c 1 5 t\n1 Q0{gap}d 1 {text} t\n", encoding="utf-8")
        with pytest.raises(ValueError, match=r"line 2: the score .* is not a number"):
            read_run(tmp_path / "a.run")


def test_both_ways_give_the_same_table():
    data = "".join(f"{i // 3} 0 d{i} {i % 4}\n" for i in range(50)).encode()
    keep = ["query_id", "doc_id", "relevance", "subtopic"]
    text = lines.Lines(data, QRELS, None)
    quick = lines.tidy(text, keep, threads=False)
    slow = lines.parse_untidy(text, keep)
    assert {k: v.to_pylist() for k, v in quick.items()} == {
        k: v.to_pylist() for k, v in slow.items()
    }


@pytest.mark.parametrize("space", ["\f", "\v"])
def test_form_feeds_and_vertical_tabs_are_white_space_wherever_they_stand(tmp_path, space):
    path = tmp_path / "qrels.txt"
    path.write_text(f"1 0 a 1\n2 {space} b 1\n")
    with pytest.raises(ValueError, match="line 2: 3 columns instead of 4"):
        read_qrels(path)
    path.write_text(f"1 0 a 1\n2{space}0 b 1\n")
    assert read_qrels(path)["query_id"].tolist() == ["1", "2"]
    path.write_text(f"1 0 a 1\n2 0 b{space} 1\n")
    assert read_qrels(path)["doc_id"].tolist() == ["a", "b"]
