import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pdeval.files import read_qrels, read_run, read_runs, reading
from pdeval.tables.dataframes import text_dtype


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_run_has_its_columns_types_and_rows_in_file_order(tmp_path):
    run = read_run(
        write(tmp_path / "bm25.run", "051 Q0 d2 1 2.5 x\n051 Q0 d1 2 2.25 x\n007 Q0 d1 1 -1e-3 x\n")
    )
    assert run.columns.tolist() == ["run", "query_id", "doc_id", "score", "rank"]
    assert run.to_numpy().tolist() == [
        ["bm25", "051", "d2", 2.5, 1],
        ["bm25", "051", "d1", 2.25, 2],
        ["bm25", "007", "d1", -0.001, 1],
    ]
    assert isinstance(run["run"].dtype, pd.CategoricalDtype)
    assert isinstance(run["query_id"].dtype, pd.CategoricalDtype)
    assert run["doc_id"].dtype == text_dtype()
    assert (run["score"].dtype, run["rank"].dtype) == (np.float64, np.int64)
    assert run.index.equals(pd.RangeIndex(3))


def test_numeric_looking_ids_stay_text(tmp_path):
    run = read_run(
        write(tmp_path / "a.run", "051 Q0 00017 1 2.5 x\n051 Q0 1e5 2 2 x\n051 Q0 NaN 3 1 x\n")
    )
    assert run["query_id"].tolist() == ["051"] * 3
    assert run["doc_id"].tolist() == ["00017", "1e5", "NaN"]


def test_ids_may_hold_quotes_commas_and_backslashes(tmp_path):
    run = read_run(write(tmp_path / "a.run", '1 Q0 "a",b 1 2 x\n1 Q0 c\\" 2 1 x\n'))
    assert run["doc_id"].tolist() == ['"a",b', 'c\\"']


def test_infinite_scores_are_read(tmp_path):
    run = read_run(write(tmp_path / "a.run", "1 Q0 a 1 inf x\n1 Q0 b 2 -Infinity x\n"))
    assert run["score"].tolist() == [np.inf, -np.inf]


def test_queries_that_do_not_stand_together_keep_their_rows(tmp_path):
    run = read_run(write(tmp_path / "a.run", "1 Q0 a 1 3 x\n2 Q0 b 1 2 x\n1 Q0 c 2 1 x\n"))
    assert run["query_id"].tolist() == ["1", "2", "1"]
    assert run["query_id"].cat.categories.tolist() == ["1", "2"]


@pytest.mark.broad
def test_a_file_of_many_blocks_is_read_whole(tmp_path):
    text = "".join(
        f"{i // 1000} Q0 document-{i:07d} {i % 1000} {i / 7} tag\n" for i in range(60_000)
    )
    run = read_run(write(tmp_path / "a.run", text))
    assert len(text) > 2 << 20
    assert run["doc_id"].tolist() == [f"document-{i:07d}" for i in range(60_000)]
    assert run["score"].tolist() == [i / 7 for i in range(60_000)]
    assert run["query_id"].astype(int).tolist() == [i // 1000 for i in range(60_000)]


def test_a_run_can_be_named_by_the_caller_or_its_tag(tmp_path):
    path = write(tmp_path / "a.run", "1 Q0 a 1 2 mine\n")
    assert read_run(path)["run"].tolist() == ["a"]
    assert read_run(path, name="other")["run"].tolist() == ["other"]
    assert read_run(path, names="tag")["run"].tolist() == ["mine"]


def test_the_tag_is_one_word_even_in_a_tab_separated_file(tmp_path):
    path = write(tmp_path / "a.run", "1\tQ0\ta\t1\t2\tmine and more\n1\tQ0\tb\t2\t1\tmine\n")
    assert read_run(path, names="tag")["run"].tolist() == ["mine", "mine"]


def test_two_tags_in_a_file_are_an_error_when_runs_are_named_by_tag(tmp_path):
    path = write(tmp_path / "a.run", "1 Q0 a 1 2 mine\n\n1 Q0 b 2 1 yours\n")
    assert read_run(path)["run"].tolist() == ["a", "a"]
    with pytest.raises(ValueError) as error:
        read_run(path, names="tag")
    assert str(error.value) == (
        f"{path}, line 3: the tag 'yours' is not 'mine', the tag of the lines above: '1 Q0 b 2 1 yours'. "
        "A run has six columns: query, Q0, doc, rank, score, tag. "
        "names='tag' requires one tag per file. Use names='file'."
    )


def test_many_files_become_one_frame_file_after_file(tmp_path):
    write(tmp_path / "b.run", "1 Q0 x 1 2 t\n2 Q0 y 1 2 t\n")
    write(tmp_path / "a.txt", "2 Q0 z 1 3 t\n")
    write(tmp_path / "input.c", "3 Q0 z 1 3 t\n")
    runs = read_runs(tmp_path)
    assert runs[["run", "query_id", "doc_id"]].to_numpy().tolist() == [
        ["a", "2", "z"],
        ["b", "1", "x"],
        ["b", "2", "y"],
        ["c", "3", "z"],
    ]
    assert runs["run"].cat.categories.tolist() == ["a", "b", "c"]
    assert read_runs([tmp_path / "b.run", tmp_path / "a.txt"])["run"].tolist() == ["b", "b", "a"]
    assert read_runs({"new": tmp_path / "b.run"})["run"].tolist() == ["new", "new"]
    assert read_runs(tmp_path / "b.run")["run"].tolist() == ["b", "b"]


def test_runs_can_be_named_by_their_tags(tmp_path):
    write(tmp_path / "1.run", "1 Q0 x 1 2 bm25\n")
    write(tmp_path / "2.run", "1 Q0 x 1 2 ql\n")
    assert read_runs(tmp_path, names="tag")["run"].tolist() == ["bm25", "ql"]


def test_two_runs_of_one_name_are_an_error_that_names_both_files(tmp_path):
    one, two = (
        write(tmp_path / "bm25.run", "1 Q0 x 1 2 t\n"),
        write(tmp_path / "bm25.txt", "1 Q0 x 1 2 t\n"),
    )
    with pytest.raises(ValueError) as error:
        read_runs(tmp_path)
    assert str(error.value) == (
        f"two runs are named 'bm25': '{one}' and '{two}'. Rename a file, or pass names: "
        "read_runs({'bm25': ..., 'bm25-2': ...})."
    )
    with pytest.raises(ValueError, match="two runs are named 't'"):
        read_runs(tmp_path, names="tag")
    with pytest.raises(ValueError, match="two runs are named 'bm25'"):
        read_runs([one, one])


def test_the_first_faulty_file_is_named(tmp_path):
    for name in "abcdefgh":
        write(tmp_path / f"{name}.run", "1 Q0 x 1 2 t\n" if name < "e" else "1 Q0 x 1 t\n")
    with pytest.raises(ValueError, match=r"e\.run, line 1: 5 columns instead of 6: '1 Q0 x 1 t'"):
        read_runs(tmp_path)


def test_unknown_choices_are_errors(tmp_path):
    path = write(tmp_path / "a.run", "1 Q0 x 1 2 t\n")
    with pytest.raises(ValueError, match=r"^engine='polars': choose 'pandas' or 'dask'"):
        read_runs(path, engine="polars")
    with pytest.raises(ValueError, match=r"^names='folder': choose 'file' or 'tag'"):
        read_runs(path, names="folder")
    with pytest.raises(ValueError, match=r"^names='folder': choose 'file' or 'tag'"):
        read_run(path, names="folder")


def test_an_engine_can_add_itself(tmp_path, monkeypatch):
    path = write(tmp_path / "a.run", "1 Q0 x 1 2 t\n")
    monkeypatch.setitem(reading.ENGINES, "count", lambda files, progress: len(files))
    assert read_runs([path], engine="count") == 1


def test_a_bar_shows_the_files_that_are_read(tmp_path, capsys):
    for name in "abc":
        write(tmp_path / f"{name}.run", "1 Q0 x 1 2 t\n")
    read_runs(tmp_path, progress=True)
    assert "reading runs" in capsys.readouterr().err
    read_runs(tmp_path, progress=False)
    assert capsys.readouterr().err == ""


def test_one_text_rank_among_many_files_makes_the_rank_column_float(tmp_path):
    write(tmp_path / "a.run", "1 Q0 x 1 2 t\n")
    write(tmp_path / "b.run", "1 Q0 x - 2 t\n")
    rank = read_runs(tmp_path)["rank"]
    assert rank.iloc[0] == 1.0
    assert np.isnan(rank.iloc[1])


def test_qrels_have_whole_grades_where_all_are_whole(tmp_path):
    qrels = read_qrels(write(tmp_path / "q.txt", "051 0 d1 2\n051 0 d2 -2\n"))
    assert qrels.columns.tolist() == ["query_id", "doc_id", "relevance"]
    assert qrels.to_numpy().tolist() == [["051", "d1", 2], ["051", "d2", -2]]
    assert qrels["relevance"].dtype == np.int64
    assert (
        read_qrels(write(tmp_path / "q.txt", "1 0 d1 2.0\n1 0 d2 1\n"))["relevance"].dtype
        == np.int64
    )
    halves = read_qrels(write(tmp_path / "q.txt", "1 0 d1 0.5\n1 0 d2 1\n"))
    assert halves["relevance"].dtype == np.float64
    assert halves["relevance"].tolist() == [0.5, 1.0]


def test_the_second_column_of_qrels_is_a_subtopic_only_on_request(tmp_path):
    path = write(tmp_path / "q.txt", "1 2.5 d1 1\n1 b d1 0\n")
    assert "subtopic" not in read_qrels(path)
    kept = read_qrels(path, subtopics=True)
    assert kept.columns.tolist() == ["query_id", "doc_id", "relevance", "subtopic"]
    assert kept["subtopic"].tolist() == ["2.5", "b"]


def test_parquet_runs_keep_their_run_column_and_get_text_ids(tmp_path):
    frame = pd.DataFrame(
        {"run": ["a", "b"], "query_id": [1, 2], "doc_id": ["x", "y"], "score": [1, 2], "lang": "en"}
    )
    frame.to_parquet(tmp_path / "all.parquet")
    runs = read_runs(tmp_path)
    assert runs["run"].tolist() == ["a", "b"]
    assert runs["query_id"].tolist() == ["1", "2"]
    assert runs["score"].dtype == np.float64
    assert runs["lang"].tolist() == ["en", "en"]
    frame.iloc[:1].drop(columns="run").to_parquet(tmp_path / "one.parquet")
    assert read_run(tmp_path / "one.parquet")["run"].tolist() == ["one"]
    assert read_run(tmp_path / "one.parquet", name="x")["run"].tolist() == ["x"]
    with pytest.raises(
        ValueError, match=r"contains 2 runs, so it cannot be read as the single run 'x'"
    ):
        read_run(tmp_path / "all.parquet", name="x")


def test_parquet_and_trec_files_can_be_read_together(tmp_path):
    pd.DataFrame({"query_id": ["1"], "doc_id": ["x"], "score": [1.0]}).to_parquet(
        tmp_path / "a.parquet"
    )
    write(tmp_path / "b.run", "1 Q0 x 1 2 t\n")
    runs = read_runs(tmp_path)
    assert runs["run"].tolist() == ["a", "b"]
    assert runs["rank"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"question_no": ["1"], "doc_id": ["x"], "score": [1.0]},
            "has no query column (known names: query_id, qid, q_id, topic, ",
        ),
        (
            {"query_id": [1.5], "doc_id": ["x"], "score": [1.0]},
            "the column 'query_id' of '{path}' has double values; ids must be strings",
        ),
        (
            {"query_id": ["1"], "doc_id": [None], "score": [1.0]},
            "the column 'doc_id' of '{path}' has 1 missing ids. Drop those rows.",
        ),
        (
            {"query_id": ["1"], "doc_id": ["x"], "score": ["high"]},
            "the column 'score' of '{path}' has string values, not numbers.",
        ),
        (
            {"query_id": ["1"], "doc_id": ["x"], "score": [float("nan")]},
            "the column 'score' of '{path}' has missing values (NaN)",
        ),
    ],
)
def test_broken_parquet_runs_are_errors(tmp_path, columns, message):
    path = tmp_path / "a.parquet"
    if columns["doc_id"] == [None]:
        columns = {**columns, "doc_id": pa.array([None], pa.string())}
    pq.write_table(pa.table(columns), path)
    with pytest.raises(ValueError) as error:
        read_run(path)
    assert message.format(path=path) in str(error.value)


def test_a_file_that_is_not_parquet_is_an_error(tmp_path):
    path = write(tmp_path / "a.parquet", "1 Q0 x 1 2 t\n")
    with pytest.raises(ValueError, match=r"cannot be read as parquet"):
        read_run(path)
    with pytest.raises(FileNotFoundError, match="no file"):
        read_qrels(tmp_path / "nothing.parquet")
