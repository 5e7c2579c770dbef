"""CSV and TSV with a header line: ids as text, columns in the words of any tool, faults with the file's name."""

import gzip

import pytest

import pdeval


def rows(frame):
    return frame.astype(object).to_dict("records")


def test_judgments_of_beir_are_read(tmp_path):
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nPLAIN-2\tMED-2427\t2\nPLAIN-2\t010\t0\n")
    assert rows(pdeval.read_qrels(path)) == [
        {"query_id": "PLAIN-2", "doc_id": "MED-2427", "relevance": 2},
        {"query_id": "PLAIN-2", "doc_id": "010", "relevance": 0},
    ]


def test_ids_that_look_like_numbers_stay_text(tmp_path):
    path = tmp_path / "bm25.csv"
    path.write_text("qid,docno,score\n051,007,1.5\n1e5,NA,0.5\n")
    frame = pdeval.read_run(path)
    assert frame["query_id"].tolist() == ["051", "1e5"]
    assert frame["doc_id"].tolist() == ["007", "NA"]
    assert set(frame["run"]) == {"bm25"}


def test_several_runs_in_a_file_keep_their_names_and_quotes_are_understood(tmp_path):
    path = tmp_path / "all.csv.gz"
    text = 'name,qid,docno,score,query\na,1,"x,y",2,"what, and ""why"""\nb,1,z,1,q\n'
    path.write_bytes(gzip.compress(text.encode()))
    frame = pdeval.read_runs(path)
    assert frame["run"].tolist() == ["a", "b"]
    assert frame["doc_id"].tolist() == ["x,y", "z"]


def test_a_tsv_without_a_header_is_a_trec_file(tmp_path):
    path = tmp_path / "qrels.dev.tsv"
    path.write_text("1\t0\td\t1\n")
    assert rows(pdeval.read_qrels(path)) == [{"query_id": "1", "doc_id": "d", "relevance": 1}]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
def test_trec_files_come_back_whatever_their_ending(tmp_path, name):
    runs = pdeval.from_dict({"a": {"1": {"x": 2.0, "y": 1.0}}})
    pdeval.write_run(runs, tmp_path / name)
    assert pdeval.read_run(tmp_path / name)["doc_id"].tolist() == ["x", "y"]
    pdeval.write_qrels(pdeval.from_dict({"1": {"x": 2}}), tmp_path / name)
    assert pdeval.read_qrels(tmp_path / name)["relevance"].tolist() == [2]


def test_interactions_without_a_rating_are_relevant_as_in_a_frame(tmp_path):
    path = tmp_path / "test.csv"
    path.write_text("userId,movieId,timestamp\n1,7,99\n")
    assert rows(pdeval.read_qrels(path))[0]["relevance"] == 1


def test_runs_with_ranks_alone_are_ranked_by_them(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("user_id,item_id,rank\n1,7,2\n1,8,1\n")
    scores = pdeval.read_run(path).ireval.measure({"1": {"7": 1}}, "RR")
    assert scores["value"].tolist() == [0.5]


def test_another_encoding_is_read_where_it_is_said(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("qid,docno,score\n1,café,1\n".encode("latin-1"))
    assert pdeval.read_run(path, encoding="latin-1")["doc_id"].tolist() == ["café"]
    with pytest.raises(ValueError, match="not UTF-8"):
        pdeval.read_run(path)


FAULTS = {
    "": "is empty",
    "qid,docno,score\n": "has a header line and no rows",
    "qid,topic,doc_id,score\n1,1,d,1\n": "two columns could be the query: 'qid' and 'topic'",
    "qid,docno,note\n1,d,x\n": "has neither a score nor a rank column; it has qid, docno, note",
    "qid,docno,score\n1,d,high\n": "has string values, not numbers",
    "qid,docno,score\n1,d,\n": "has missing values",
    "qid,docno,score\n1,d\n": "cannot be read as columns separated by ','",
    "qid,docno,score,score\n1,d,1,2\n": "the column name 'score' more than once",
    "a,b\n1,2\n": r"no query column \(known names: .*\) and no doc column",
    "run,name,qid,docno,score\na,b,1,d,1\n": "two columns could be the run: 'run' and 'name'",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults_name_the_file(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=FAULTS[text]) as error:
        pdeval.read_run(path)
    assert "a.csv" in str(error.value)


def test_judgments_without_a_grade_are_told_the_names_that_are_known(tmp_path):
    path = tmp_path / "q.csv"
    path.write_text("qid,docno,useful\n1,d,1\n")
    with pytest.raises(ValueError, match=r"q\.csv' has no grade column \(known names: relevance"):
        pdeval.read_qrels(path)
