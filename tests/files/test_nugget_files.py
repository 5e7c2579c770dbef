"""Files of nuggets: both JSON formats, the round trip, and messages."""

import json

import pandas as pd
import pytest

import pdeval

# fields as in the README of nuggetizer 0.0.6
LINE = {
    "query": "What is Python?",
    "qid": "q1",
    "answer_text": "Python is a language.",
    "response_length": 4,
    "run_id": "run-123",
    "nuggets": [
        {"text": "Python is a language", "importance": "vital", "assignment": "support"},
        {"text": "Python is old", "importance": "okay", "assignment": "not_support"},
        {"text": "Python is old", "importance": "okay", "assignment": "partial_support"},
    ],
}


def written(folder, name, *lines):
    path = folder / name
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_assignments_of_the_nuggetizer_are_a_table_of_nuggets(tmp_path):
    table = pdeval.read_nuggets(written(tmp_path, "rag.jsonl", LINE))
    assert table.columns.tolist() == [
        *("run", "query_id", "nugget", "importance", "assignment", "length"),
    ]
    assert table["nugget"].tolist() == [
        *("Python is a language", "Python is old", "Python is old (2)"),
    ]
    assert table["run"].unique().tolist() == ["run-123"]
    assert table["length"].unique().tolist() == [21]
    assert table.ireval.measure("NuggetAll")["value"].tolist() == [0.5]


def test_runs_are_named_after_their_files_or_by_the_caller(tmp_path):
    line = {name: value for name, value in LINE.items() if name != "run_id"}
    first = written(tmp_path, "first.jsonl", line)
    written(tmp_path, "second.jsonl", line)
    assert pdeval.read_nuggets(tmp_path)["run"].unique().tolist() == ["first", "second"]
    assert pdeval.read_nuggets({"mine": first})["run"].unique().tolist() == ["mine"]


def test_lines_of_single_nuggets_are_read_as_open_nuggetizer_writes_them(tmp_path):
    lines = [
        {"qid": 1, "nugget_id": f"1_{n}", "nugget": "x", "importance": 1, "assignment": 0.5}
        for n in range(2)
    ]
    table = pdeval.read_nuggets(written(tmp_path, "rag.jsonl", *lines))
    assert table.columns.tolist() == [
        *("run", "query_id", "nugget_id", "nugget", "importance", "assignment"),
    ]
    assert table["query_id"].tolist() == ["1", "1"]
    assert table.ireval.measure("NuggetWeighted")["value"].tolist() == [0.5]


def test_nuggets_without_assignments_are_further_nuggets(tmp_path):
    only = [{name: one[name] for name in ("text", "importance")} for one in LINE["nuggets"]]
    nuggets = pdeval.read_nuggets(
        written(tmp_path, "nuggets.jsonl", {"qid": "q1", "nuggets": only})
    )
    assert nuggets.columns.tolist() == ["query_id", "nugget", "importance"]
    table = pdeval.read_nuggets(written(tmp_path, "rag.jsonl", LINE))
    with pytest.warns(UserWarning, match="2 of 3 nuggets of answers have no assignment"):
        scores = table.head(1).ireval.measure("NuggetVital, NuggetAll", nuggets=nuggets)
    assert scores["value"].tolist() == [1.0, 1 / 3]


def test_what_is_written_is_read_again(tmp_path):
    other = {**LINE, "qid": "q2", "run_id": "b", "answer_text": "Ünïcode"}
    table = pdeval.read_nuggets(written(tmp_path, "rag.jsonl", LINE, other))
    shuffled = table.sample(frac=1, random_state=1).sort_values("query_id", kind="stable")
    pdeval.write_nuggets(shuffled, tmp_path / "again.jsonl")
    again = pdeval.read_nuggets(tmp_path / "again.jsonl")
    key = ["run", "query_id", "nugget"]
    pd.testing.assert_frame_equal(
        again.sort_values(key, ignore_index=True), table.sort_values(key, ignore_index=True)
    )


def test_assignments_by_a_machine_and_missing_ones_are_read_again(tmp_path):
    table = pdeval.datasets.load_answers().nuggets.astype(
        dict.fromkeys(("run", "query_id", "nugget", "importance", "machine"), object)
    )
    pdeval.write_nuggets(table, tmp_path / "all.jsonl")
    again = pdeval.read_nuggets(tmp_path / "all.jsonl")
    columns = table.columns.tolist()
    # one kind of missing value on both sides
    same = [
        frame[columns].astype(object).where(frame[columns].notna(), None)
        for frame in (again, table)
    ]
    pd.testing.assert_frame_equal(*same)
    scores = again.ireval.measure("NuggetAll")
    assert scores["machine"].tolist() == table.ireval.measure("NuggetAll")["machine"].tolist()


def test_ids_and_texts_of_nuggets_are_read_again(tmp_path):
    table = pd.DataFrame(
        {
            "run": "a",
            "query_id": "1",
            "nugget_id": ["x", "y"],
            "nugget": ["same text", "same text"],
            "assignment": [0.5, 1.0],
        }
    )
    pdeval.write_nuggets(table, tmp_path / "a.jsonl")
    pd.testing.assert_frame_equal(
        pdeval.read_nuggets(tmp_path / "a.jsonl"), table, check_dtype=False
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1 is not an answer with nuggets .JSONDecodeError"),
        ('{"nuggets": []}', "line 1 is not an answer with nuggets .KeyError: 'qid'"),
        ('\n{"qid": "1", "nuggets": [{"importance": "vital"}]}', "line 2 .*KeyError: 'text'"),
        ("[]", "line 1 is not an answer with nuggets"),
        ("", "is empty"),
        ('{"qid": "1", "nuggets": []}', "has no nuggets"),
    ],
)
def test_what_is_not_a_file_of_nuggets_is_named_with_its_line(tmp_path, text, message):
    path = tmp_path / "rag.jsonl"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        pdeval.read_nuggets(path)


def test_several_run_columns_must_be_joined_before_they_are_written(tmp_path):
    table = pdeval.read_nuggets(written(tmp_path, "rag.jsonl", LINE)).assign(seed=1)
    table.attrs = {"run_columns": ["run", "seed"]}
    with pytest.raises(ValueError, match="2 columns identify the runs"):
        pdeval.write_nuggets(table, tmp_path / "again.jsonl")
