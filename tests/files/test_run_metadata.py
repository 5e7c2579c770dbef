"""Headers of run files are kept as metadata; what contradicts itself is an error with file and line."""

import datetime
import gzip
import sys

import pytest

import pdeval

pytest.importorskip("yaml")


HEADER = """\
# ir_metadata.start
# schema version: 0.1
# platform:
#   hardware:
#     cpu:
#       model: 'Intel Xeon Gold 6144 CPU @ 3.50GHz'
#       number of cores: 16
#     ram: '64 GB'
#   software:
#     libraries:
#       python:
#         - 'scikit-learn==0.20.1'
#         - numpy==1.15.4
# implementation:
#   source:
#     commit: '121f6bd'   # of the repository
#     lang: [python, c]
# research goal:
#   description: >
#     Shows that the header
#     may be long.
# method:
#   automatic: true
#   retrieval:
#     - name: bm25
#       method: org.apache.lucene.search.similarities.BM25Similarity
#       b: 0.4
#       k1: 0.9
#     - name: reranking
#       reranks: bm25
# actor:
#   name: "Jimmy \\"J\\" Lin"
#   orcid: 0000-0002-0661-7189
#   fields:
#   - 'H.3.3'
#   team: ~
# ir_metadata.end
"""
ROWS = "301 Q0 d1 1 2.5 x\n301 Q0 d2 2 1.5 x\n"


def write(folder, **runs):
    for run, text in runs.items():
        (folder / f"{run}.run").write_text(text)
    return folder


def test_a_header_becomes_one_row_of_metadata(tmp_path):
    runs, metadata = pdeval.read_runs(write(tmp_path, bm25=HEADER + ROWS), metadata=True)
    assert runs["doc_id"].tolist() == ["d1", "d2"]
    row = metadata.iloc[0].to_dict()
    assert row["run"] == "bm25"
    assert row["platform.hardware.cpu.model"] == "Intel Xeon Gold 6144 CPU @ 3.50GHz"
    assert row["platform.hardware.cpu.number of cores"] == 16
    assert row["platform.software.libraries.python"] == "scikit-learn==0.20.1, numpy==1.15.4"
    assert row["method.automatic"]
    assert (row["method.retrieval.1.k1"], row["method.retrieval.2.reranks"]) == (0.9, "bm25")
    assert row["implementation.source.commit"] == "121f6bd"
    assert row["actor.fields"] == "H.3.3"


def test_values_have_their_types_and_mappings_may_be_in_braces(tmp_path):
    lines = ["method: {k1: 0.9, name: 'bm25'}", "date: 2021-05-01"]
    _, metadata = pdeval.read_runs(write(tmp_path, a=headed(*lines)), metadata=True)
    assert metadata.to_dict("records") == [
        {
            "run": "a",
            "method.k1": 0.9,
            "method.name": "bm25",
            "date": datetime.date(2021, 5, 1),
        }
    ]


def test_without_pyyaml_only_files_with_a_header_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    write(tmp_path, a=ROWS, b=HEADER + ROWS)
    assert len(pdeval.read_runs(tmp_path / "a.run", metadata=True)[1]) == 1
    with pytest.raises(ImportError, match=r"b.run' has an .* needs PyYAML: pip install pyyaml\."):
        pdeval.read_runs(tmp_path, metadata=True)


def test_metadata_group_runs_in_every_verb(tmp_path):
    texts = {
        run: f"# ir_metadata.start\n# method:\n#   family: {family}\n# ir_metadata.end\n{ROWS}"
        for run, family in (("a", "lexical"), ("b", "dense"), ("c", "dense"))
    }
    runs, metadata = pdeval.read_runs(write(tmp_path, **texts), metadata=True)
    summary = runs.ireval.summary({"301": {"d2": 1}}, "RR", by="method.family", metadata=metadata)
    assert summary["method.family"].tolist() == ["dense", "dense", "lexical"]


def test_runs_without_a_header_have_missing_values_and_their_row(tmp_path):
    write(tmp_path, a=ROWS, b=HEADER + ROWS)
    (tmp_path / "c.run.gz").write_bytes(gzip.compress((HEADER + ROWS).encode()))
    _, metadata = pdeval.read_runs(tmp_path, metadata=True)
    assert metadata["run"].tolist() == ["a", "b", "c"]
    assert metadata["actor.name"].isna().tolist() == [True, False, False]
    _, none = pdeval.read_runs(tmp_path / "a.run", metadata=True)
    assert none.columns.tolist() == ["run"]


def test_other_comments_are_not_metadata_and_names_may_be_tags(tmp_path):
    write(
        tmp_path,
        a="# a comment: with a colon\n# ir_metadata.start\n# tag: x\n# ir_metadata.end\n" + ROWS,
    )
    _, metadata = pdeval.read_runs(tmp_path, names="tag", metadata=True)
    assert metadata.to_dict("records") == [{"run": "x", "tag": "x"}]


@pytest.mark.broad
def test_a_long_header_is_read_to_its_end(tmp_path):
    many = "".join(f"# key{i}: a value that is long enough to fill pieces\n" for i in range(3000))
    write(tmp_path, a=f"# ir_metadata.start\n{many}# ir_metadata.end\n{ROWS}")
    _, metadata = pdeval.read_runs(tmp_path, metadata=True)
    assert len(metadata.columns) == 3001


@pytest.mark.extras
def test_the_metadata_of_runs_on_dask(tmp_path):
    pytest.importorskip("dask")
    write(tmp_path, a=HEADER + ROWS, b=HEADER + ROWS)
    runs, metadata = pdeval.read_runs(tmp_path, engine="dask", metadata=True)
    assert metadata["run"].tolist() == ["a", "b"]
    assert len(runs) == 4


def headed(*lines):
    return "\n".join(
        ["# ir_metadata.start", *(f"# {line}" for line in lines), "# ir_metadata.end", ROWS]
    )


FAULTS = {
    "a key twice": (
        headed("tag: x", "tag: y"),
        r"a.run', line 3, in the ir_metadata header: the key 'tag' occurs twice",
    ),
    "two headers": (
        headed("actor: me").replace(ROWS, "") + headed("actor: you"),
        r"line 4: actor is 'you' in a second header, but 'me' in the first one\. Keep one",
    ),
    "another tag": (headed("tag: other"), r"the tag is 'other' in the header, but 'x' in the rows"),
    "no end": (
        "# ir_metadata.start\n# tag: x\n" + ROWS,
        r"line 1: '# ir_metadata.start' has no '# ir_metadata.end'",
    ),
    "no key": (headed("just words"), "line 2: .* must have keys and values, not 'just words'"),
    "open quotes": (
        headed("tag: 'x"),
        "line 2, in the ir_metadata header: found unexpected end of stream",
    ),
    "indentation": (
        headed("a:", "    b: 1", "  c: 2"),
        "line 4, in the ir_metadata header: expected <block end>",
    ),
    "a list as key": (headed("? [a, b]", ": x"), "line 2, .* header: found unhashable key"),
    "a list": (headed("- a", "- b"), "must have keys and values, not a list"),
    "a tab": (headed("a:", "\tb: 1"), r"line 3, .* found character '\\t' that cannot start any"),
    "a character": (headed("a: \x01"), "line 2, .* special characters are not allowed"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_headers_that_contradict_themselves_or_are_not_understood_are_errors(tmp_path, case):
    text, message = FAULTS[case]
    write(tmp_path, a=text)
    assert len(pdeval.read_runs(tmp_path)) == 2  # the rows alone can be read
    with pytest.raises(ValueError, match=message):
        pdeval.read_runs(tmp_path, metadata=True)


def test_a_pipe_cannot_be_read_twice():
    from pdeval.files.ir_metadata import metadata_of
    from pdeval.files.reading import RunFile

    with pytest.raises(
        ValueError, match="'-' can be read only once, but metadata=True requires reading it twice"
    ):
        metadata_of([RunFile(pdeval.files.file_io.Path("-"), "a")])
