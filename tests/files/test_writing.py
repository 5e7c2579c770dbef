import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval import datasets
from pdeval.files import read_qrels, read_run, read_runs, write_qrels, write_run, write_runs
from tests.examples import examples


def frame(**columns):
    return pd.DataFrame(
        {"query_id": ["301", "301"], "doc_id": ["d1", "d2"], "score": [0.5, 1.5], **columns}
    )


def plain(table):
    """The values without the types that pandas versions and storage choose."""
    return {name: table[name].tolist() for name in table.columns}


def test_a_run_is_written_in_six_columns_in_row_order(tmp_path):
    write_run(frame(run="bm25", rank=[2, 1]), tmp_path / "x.run")
    assert (tmp_path / "x.run").read_text() == "301 Q0 d1 2 0.5 bm25\n301 Q0 d2 1 1.5 bm25\n"


@pytest.mark.broad
def test_the_tag_is_the_given_name_or_the_run_or_the_file(tmp_path):
    path = tmp_path / "x.run"
    for name, table, tag in [
        ("given", frame(run="bm25"), "given"),
        (None, frame(run="bm25"), "bm25"),
        (None, frame(), "x"),
        (None, frame(run=pd.Categorical(["b", "b"], categories=["a", "b"])), "b"),
        (None, frame(name="pt").rename(columns={"query_id": "qid", "doc_id": "docno"}), "pt"),
    ]:
        write_run(table, path, name=name)
        assert read_run(path, names="tag")["run"].tolist() == [tag, tag]


def test_missing_ranks_are_counted_by_falling_score_then_falling_doc_id(tmp_path):
    table = pd.DataFrame(
        {
            "query_id": ["2", "1", "2", "2", "1"],
            "doc_id": list("abcda"),
            "score": [1.0, 5.0, 1.0, 7.0, 6.0],
        }
    )
    write_run(table, tmp_path / "a.run")
    assert read_run(tmp_path / "a.run")["rank"].tolist() == [3, 2, 2, 1, 1]
    write_run(table.assign(rank=[np.nan, 1, 2, 3, 4]), tmp_path / "a.run")
    assert read_run(tmp_path / "a.run")["rank"].tolist() == [3, 2, 2, 1, 1]


def test_without_scores_minus_the_rank_is_written(tmp_path):
    write_run(frame(rank=[1, 2]).drop(columns="score"), tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == "301 Q0 d1 1 -1 a\n301 Q0 d2 2 -2 a\n"


def test_integer_ids_are_written_as_their_digits(tmp_path):
    write_run(frame(query_id=[301, 301], doc_id=[7, 8]), tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == "301 Q0 7 2 0.5 a\n301 Q0 8 1 1.5 a\n"


@pytest.mark.parametrize("ending", ["", ".run", ".run.gz", ".run.bz2", ".run.zst", ".parquet"])
def test_every_ending_reads_back_the_same(tmp_path, ending):
    sample = datasets.sample_runs().head(5000)
    write_run(sample, tmp_path / f"bm25{ending}")
    assert plain(read_run(tmp_path / f"bm25{ending}")) == plain(sample)
    qrels = datasets.sample_qrels(subtopics=True)
    write_qrels(qrels, tmp_path / f"qrels{ending}")
    assert plain(read_qrels(tmp_path / f"qrels{ending}", subtopics=True)) == plain(qrels)
    assert read_qrels(tmp_path / f"qrels{ending}").columns.tolist() == [
        "query_id",
        "doc_id",
        "relevance",
    ]


def test_compressed_files_hold_the_plain_lines(tmp_path):
    write_run(frame(), tmp_path / "a.run.gz")
    write_run(frame(), tmp_path / "a.run")
    assert (
        gzip.decompress((tmp_path / "a.run.gz").read_bytes()) == (tmp_path / "a.run").read_bytes()
    )


@pytest.mark.broad
def test_many_runs_go_to_a_file_each_and_come_back(tmp_path):
    sample = datasets.sample_runs()
    paths = write_runs(sample, tmp_path / "new" / "runs", ending=".run.zst")
    assert len(paths) == 12
    assert paths[0].name == "bm25.run.zst"
    assert plain(read_runs(tmp_path / "new" / "runs")) == plain(sample)


def test_runs_whose_rows_do_not_stand_together_keep_the_order_of_their_rows(tmp_path):
    shuffled = datasets.sample_runs().head(20_000).sample(frac=1, random_state=0)
    write_runs(shuffled, tmp_path)
    assert plain(read_runs(tmp_path)) == plain(shuffled.sort_values("run", kind="stable"))


@pytest.mark.broad
def test_many_runs_go_to_one_parquet_file_and_come_back(tmp_path):
    sample = datasets.sample_runs()
    write_run(sample, tmp_path / "all.parquet")
    assert plain(read_runs(tmp_path / "all.parquet")) == plain(sample)


def test_a_run_named_by_several_columns_is_called_by_their_values(tmp_path):
    table = frame(model=["dense", "dense"], seed=[1, 2])
    table.attrs["run_columns"] = ["model", "seed"]
    assert [path.name for path in write_runs(table, tmp_path)] == ["dense-1.run", "dense-2.run"]
    write_run(table, tmp_path / "all.parquet")
    back = read_run(tmp_path / "all.parquet")
    assert back["run"].tolist() == ["dense-1", "dense-2"]
    assert back["seed"].tolist() == [1, 2]


def test_qrels_are_written_in_four_columns(tmp_path):
    qrels = pd.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "label": [2, 0]})
    write_qrels(qrels, tmp_path / "q")
    assert (tmp_path / "q").read_text() == "1 0 a 2\n1 0 b 0\n"
    write_qrels(qrels.assign(subtopic=["x", "y"], label=[0.5, 1.0]), tmp_path / "q")
    assert (tmp_path / "q").read_text() == "1 x a 0.5\n1 y b 1\n"


def test_the_callers_frame_is_not_changed(tmp_path):
    table = frame(run="a")
    before = table.copy(deep=True)
    write_run(table, tmp_path / "a.run")
    write_run(table, tmp_path / "a.parquet")
    write_runs(table, tmp_path)
    pd.testing.assert_frame_equal(table, before)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"run": ["a", "b"]},
            "the table has 2 runs, e.g. 'a', 'b', but a TREC file has one. Use write_runs",
        ),
        (
            {"run": "my run"},
            "the run name 'my run' contains white space: white space separates the columns of TREC files.",
        ),
        (
            {"doc_id": ["d1", "d 2"]},
            "the doc id 'd 2' contains white space: white space separates the columns",
        ),
        ({"doc_id": ["d1", "d\x0b2"]}, r"the doc id 'd\x0b2' contains white space"),
        ({"doc_id": ["d1", ""]}, "the doc id '' is empty: white space separates the columns"),
        ({"query_id": ["a\tb", "c"]}, r"the query id 'a\tb' contains white space"),
        ({"query_id": ["#1", "2"]}, "the query id '#1' starts like a comment"),
        ({"doc_id": ["d1", None]}, "the doc column has 1 missing ids"),
        ({"score": [1.0, np.nan]}, "the score column has 1 missing values (NaN), first in row 1."),
    ],
)
def test_what_cannot_stand_in_a_run_file_is_an_error_and_no_file_is_made(
    tmp_path, columns, message
):
    with pytest.raises(ValueError) as error:
        write_run(frame(**columns), tmp_path / "a.run")
    assert message in str(error.value)
    assert not (tmp_path / "a.run").exists()


def test_other_faults_of_writing_are_errors(tmp_path):
    with pytest.raises(ValueError, match=r"the table has no rows to write to '.*a\.run'"):
        write_run(frame().head(0), tmp_path / "a.run")
    with pytest.raises(ValueError, match="the table has no run column for the file names"):
        write_runs(frame(), tmp_path)
    with pytest.raises(ValueError, match="the run name 'a/b' cannot be a file name"):
        write_runs(frame(run="a/b"), tmp_path)
    with pytest.raises(
        ValueError, match="the grade column has infinite values; grades must be finite"
    ):
        write_qrels(
            pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [np.inf]}),
            tmp_path / "q",
        )
    with pytest.raises(TypeError, match="expected a pandas DataFrame"):
        write_run([1, 2], tmp_path / "a.run")


word = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00\t\n\v\f\r "), min_size=1, max_size=8
)
query = word.filter(lambda w: not w.startswith(("#", "\ufeff")))
row = st.tuples(query, word, st.floats(allow_nan=False), st.integers(0, 2**40))


@given(st.lists(row, min_size=1, max_size=20), query, st.sampled_from([".run", ".gz", ".parquet"]))
@examples(60)
def test_reading_what_was_written_gives_the_same_table(tmp_path_factory, rows, tag, ending):
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "rank"])
    table.insert(0, "run", tag)
    path = tmp_path_factory.mktemp("run") / f"a{ending}"
    write_run(table, path)
    assert plain(read_run(path, names="tag")) == plain(table)


@pytest.mark.broad
@given(
    st.lists(
        st.tuples(
            query,
            word,
            st.integers(-127, 127) | st.floats(allow_nan=False, allow_infinity=False),
            word,
        ),
        min_size=1,
        max_size=20,
    )
)
@examples(60)
def test_reading_judgments_that_were_written_gives_the_same_table(tmp_path_factory, rows):
    table = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "subtopic"])
    path = tmp_path_factory.mktemp("qrels") / "qrels.txt"
    write_qrels(table, path)
    assert plain(read_qrels(path, subtopics=True)) == plain(table)
