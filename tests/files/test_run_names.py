"""Runs come back from files under the names they went with, or are refused before anything is written."""

import os
import re
import sys

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pdeval.files import (
    read_qrels,
    read_run,
    read_runs,
    write_qrels,
    write_run,
    write_runs,
    writing,
)
from tests.examples import examples


def named(*names):
    return pd.DataFrame(
        {
            "run": names,
            "query_id": "1",
            "doc_id": [f"d{i}" for i in range(len(names))],
            "score": 1.0,
        }
    )


def by_columns(*pairs):
    runs = (
        named(*(["x"] * len(pairs)))
        .drop(columns="run")
        .assign(model=[a for a, _ in pairs], seed=[b for _, b in pairs])
    )
    runs.attrs["run_columns"] = ["model", "seed"]
    return runs


def back(runs):
    return dict(zip(runs["doc_id"], runs["run"]))


def refusal(write, *args, **options):
    """What is said where nothing is written, or None."""
    try:
        write(*args, **options)
    except ValueError as error:
        return str(error)
    return None


ODD = [
    ".h", "..", ".", ".run", ".gz", "input.", "input.x", "input.input.x", "INPUT.x", "input..h", "x.run", "x.gz",
    "x.run.gz", "x.RUN.GZ", "x.parquet", "x.", "-", "~", "#x", "*", "[a]", "a\\b", "stdin", "run", "文書", "e\u0301",
    "é", "BM25", "bm25", "a-b", "x\u00a0y", "\u200b", "\ufeffx", "nan", "None", "007", "7",
]  # fmt: skip


@pytest.mark.broad
@pytest.mark.parametrize("ending", [".run", ".txt", ".res.gz", ".trec.zst", ".RUN", ".run.bz2"])
def test_odd_names_come_back_as_they_went(tmp_path, ending):
    runs = named(*ODD)
    paths = write_runs(runs, tmp_path, ending=ending)
    assert len({path.name for path in paths}) == len(ODD)
    assert back(read_runs(tmp_path)) == back(runs)
    assert back(read_runs(tmp_path, names="tag")) == back(runs)


part = st.sampled_from(
    [".", "..", "input.", ".run", ".txt", ".res", ".trec", ".parquet", ".gz", ".bz2", ".zst", "-"]
)
letters = st.text(st.characters(codec="utf-8"), max_size=4)
name = st.lists(
    part | st.sampled_from(["x", "/", " ", "\n", "\0", "X", "é"]) | letters, max_size=5
).map("".join)
endings = st.sampled_from([".run", ".txt.gz", "", ".gz", ".res.zst", ".RUN"])


@pytest.mark.broad
@given(st.lists(name, min_size=1, max_size=4, unique=True), endings)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example([".h", "input.x"], ".run")
@example(["x.gz"], "")
@example(["x" * 300], ".run")
@example(["é" * 126], ".run")
@example(["a", "b c"], ".run")
@example([""], ".run")
def test_runs_written_are_read_back_by_name_or_nothing_is_written(tmp_path_factory, names, ending):
    folder, runs = tmp_path_factory.mktemp("runs") / "new", named(*names)
    if refusal(write_runs, runs, folder, ending=ending):
        assert not folder.exists()
        # without .run, .txt, .res or .trec at its end, a name that ends in one of them cannot come back
        impossible = [n for n in names if not n or len(n) > 50 or set(n) & set("/\0 \t\n\v\f\r")]
        assert impossible or ending in ("", ".gz")
    else:
        assert back(read_runs(folder)) == back(runs)


word = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00\t\n\v\f\r "), min_size=1, max_size=6
)


@pytest.mark.broad
@given(name, st.sampled_from([".run", ".run.gz", ".parquet"]))
@examples(60)
def test_a_run_is_read_back_by_its_tag_or_nothing_is_written(tmp_path_factory, run, ending):
    path, runs = tmp_path_factory.mktemp("run") / f"a{ending}", named(run)
    if refused := refusal(write_run, runs, path):
        assert "the run name" in refused
        assert ending != ".parquet"
        assert not path.exists()
    else:
        assert back(read_run(path, names="tag")) == back(runs)


@given(
    st.lists(st.tuples(name, name, word), min_size=1, max_size=5),
    st.sampled_from(["", ".txt", ".gz", ".parquet"]),
)
@examples(60)
def test_judgments_are_read_back_as_they_went_or_nothing_is_written(tmp_path_factory, rows, ending):
    path = tmp_path_factory.mktemp("qrels") / f"qrels{ending}"
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "subtopic"]).assign(
        relevance=range(len(rows))
    )
    if refused := refusal(write_qrels, qrels, path):
        assert re.search(" id ['\"]", refused)
        assert ending != ".parquet"
        assert not path.exists()
    else:
        read = read_qrels(path, subtopics=True)
        assert all(read[column].tolist() == qrels[column].tolist() for column in qrels)


pieces = st.text("ab-_", min_size=1, max_size=4)


@pytest.mark.broad
@given(st.lists(st.tuples(pieces, pieces), min_size=1, max_size=8, unique=True))
@examples(40)
@example([("a-b", "c"), ("a", "b-c")])
def test_runs_of_several_columns_stay_as_many_as_they_are(tmp_path_factory, pairs):
    folder, joined = tmp_path_factory.mktemp("runs") / "new", ["-".join(pair) for pair in pairs]
    if len(set(joined)) == len(joined):
        assert len(write_runs(by_columns(*pairs), folder)) == len(pairs)
        assert back(read_runs(folder)) == {f"d{i}": run for i, run in enumerate(joined)}
    else:
        with pytest.raises(ValueError, match="would both be named"):
            write_runs(by_columns(*pairs), folder)
        assert not folder.exists()


def test_runs_that_join_to_one_name_are_refused_and_the_advice_works(tmp_path):
    runs = by_columns(("a-b", "c"), ("a_b", "c"), ("a", "b-c"))
    message = (
        "the runs ('a-b', 'c') and ('a', 'b-c') would both be named 'a-b-c'. Join their columns with another "
        "separator: runs.assign(run=runs['model'].astype(str) + '+' + runs['seed'].astype(str)).ireval(run='run')."
    )
    for write, to in ((write_runs, "folder"), (write_run, "a.run"), (write_run, "a.parquet")):
        with pytest.raises(ValueError) as error:
            write(runs, tmp_path / to)
        assert str(error.value) == message
        assert not (tmp_path / to).exists()
    advised = runs.assign(run=runs["model"].astype(str) + "+" + runs["seed"].astype(str)).ireval(
        run="run"
    )
    assert [path.name for path in write_runs(advised, tmp_path)] == [
        "a-b+c.run",
        "a_b+c.run",
        "a+b-c.run",
    ]


@pytest.mark.parametrize(
    ("names", "ending", "message"),
    [
        (
            ["good", "a/b"],
            ".run",
            "the run name 'a/b' cannot be a file name. Rename the run, or use write_run.",
        ),
        (["good", "my run"], ".run", "the run name 'my run' contains white space"),
        (["good", ""], ".run", "the run name '' is empty"),
        (
            ["good", "x" * 252],
            ".run",
            "xxx...' would have 256 bytes, but at most 255 are allowed. Rename",
        ),
        (
            ["good", "x.gz"],
            "",
            "the run 'x.gz' would be read from 'input.x.gz' as 'x'. Rename the run, or use another",
        ),
        (
            ["good"],
            ".parquet",
            "write_runs writes TREC files; write_run(runs, 'all.parquet') writes all runs to one",
        ),
        (["good"], "/x", "the run name 'good' cannot be a file name"),
    ],
)
def test_all_names_are_checked_before_the_first_file_is_written(tmp_path, names, ending, message):
    with pytest.raises(ValueError) as error:
        write_runs(named(*names), tmp_path / "new", ending=ending)
    assert message in str(error.value)
    assert not (tmp_path / "new").exists()


def test_the_longest_names_are_written(tmp_path):
    runs = named("x" * 251, "é" * 125)
    write_runs(runs, tmp_path)
    assert back(read_runs(tmp_path)) == back(runs)


def test_names_that_differ_in_case_alone_are_refused_where_files_do_not(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "FOLDS_CASE", True)
    with pytest.raises(
        ValueError,
        match=r"the runs 'BM25' and 'bm25' would both be written to '.*bm25\.run'. Rename",
    ):
        write_runs(named("BM25", "bm25"), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_ending_that_reading_does_not_know_stays_on_the_name_but_not_on_the_tag(tmp_path):
    write_runs(named("a", "input.b"), tmp_path, ending=".out")
    assert read_runs(tmp_path, names="tag")["run"].tolist() == ["a", "input.b"]


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="file names are text there")
def test_a_file_name_that_is_no_text_names_no_run_but_is_read_under_a_given_one(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.run")
    with open(path, "wb") as file:
        file.write(b"1 Q0 a 1 2 t\n")
    for read, paths in ((read_run, path), (read_runs, path), (read_runs, tmp_path)):
        with pytest.raises(
            ValueError,
            match=r"the file name b'.*caf\\xe9\.run' is not UTF-8, so it cannot name a run",
        ):
            read(paths)
    assert read_run(path, name="x")["run"].tolist() == ["x"]
    assert read_run(path, names="tag")["run"].tolist() == ["t"]
    assert read_runs({"x": path})["run"].tolist() == ["x"]
