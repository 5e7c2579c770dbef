"""Folders of collections: two frames with a column that tells collections apart."""

import gzip

import pandas as pd
import pytest

import pdeval

RUN = "301 Q0 d1 1 2.5 x\n302 Q0 d2 1 1.5 x\n"
QRELS = "301 0 d1 1\n302 0 d1 2\n"


def collection(folder, name, *, run=RUN, qrels=QRELS, called="qrels.txt"):
    (folder / name / "runs").mkdir(parents=True)
    (folder / name / "runs" / "bm25.run").write_text(run)
    if qrels is not None:
        (folder / name / called).write_text(qrels)
    return folder / name


def test_a_folder_of_collections_is_read_in_natural_order(tmp_path):
    for name in ("web10", "web9"):
        collection(tmp_path, name)
    (tmp_path / "notes").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "readme.txt").write_text("")
    runs, qrels = pdeval.read_collections(tmp_path)
    assert list(runs) == ["collection", "run", "query_id", "doc_id", "score", "rank"]
    assert list(qrels) == ["collection", "query_id", "doc_id", "relevance"]
    assert runs["collection"].tolist() == ["web9", "web9", "web10", "web10"]
    for frame in (runs, qrels):
        assert frame["collection"].cat.categories.tolist() == ["web9", "web10"]
        assert frame.attrs["collections"] == ["collection"]
    alone = pdeval.read_runs(tmp_path / "web9" / "runs")
    mine = runs[runs["collection"] == "web9"].drop(columns="collection").reset_index(drop=True)
    pd.testing.assert_frame_equal(mine, alone, check_categorical=False, check_dtype=False)


def test_a_mapping_gives_names_in_its_order_and_any_places(tmp_path):
    one = collection(tmp_path, "one")
    packed = tmp_path / "judged.txt.gz"
    packed.write_bytes(gzip.compress(QRELS.encode()))
    table = tmp_path / "other.parquet"
    pdeval.read_runs(one / "runs").to_parquet(table)
    runs, qrels = pdeval.read_collections(
        {"z": one, "a": (table, packed), "list": ([table], packed)}
    )
    assert runs["collection"].cat.categories.tolist() == ["z", "a", "list"]
    assert qrels.groupby("collection", observed=True)["relevance"].sum().tolist() == [3, 3, 3]


@pytest.mark.parametrize("called", ["qrels", "qrels.txt.gz", "qrels.parquet", "qrels.trec"])
def test_judgments_may_be_compressed_or_a_table(tmp_path, called):
    place = collection(tmp_path, "one", qrels=None)
    if called.endswith(".gz"):
        (place / called).write_bytes(gzip.compress(QRELS.encode()))
    elif called.endswith(".parquet"):
        (place / "x.txt").write_text(QRELS)
        pdeval.read_qrels(place / "x.txt").to_parquet(place / called)
    else:
        (place / called).write_text(QRELS)
    assert pdeval.read_collections(tmp_path)[1]["relevance"].tolist() == [1, 2]


def test_subtopics_of_some_collections_are_missing_in_the_others(tmp_path):
    collection(tmp_path, "news")
    collection(tmp_path, "web", qrels="301 1 d1 1\n301 2 d1 1\n302 1 d2 0\n")
    runs, qrels = pdeval.read_collections(tmp_path, subtopics="web")
    assert qrels["subtopic"].isna().tolist() == [True, True, False, False, False]
    found = runs.ireval.describe(qrels, by="collection", queries="judged")
    assert found["subtopics_per_query"].tolist() == [0.0, 1.5]
    assert runs.ireval.measure(qrels, "AP", by="collection", queries="judged")[
        "value"
    ].tolist() == [
        1.0,
        0.0,
        1.0,
        0.0,
    ]
    with pytest.raises(
        KeyError,
        match=r"subtopics= has 'robust', which is not a collection. Collections: news, web",
    ):
        pdeval.read_collections(tmp_path, subtopics=["robust"])


def test_grades_and_ranks_of_different_kinds_are_floats(tmp_path):
    collection(tmp_path, "a", qrels="301 0 d1 0.5\n")
    collection(tmp_path, "b", run="301 Q0 d1 none 2.5 x\n")
    runs, qrels = pdeval.read_collections(tmp_path)
    assert qrels["relevance"].tolist() == [0.5, 1.0, 2.0]
    assert runs["rank"].isna().tolist() == [False, False, True]


def test_what_is_read_is_asked_collection_by_collection(tmp_path):
    for name in ("a", "b"):
        collection(tmp_path, name)
    runs, qrels = pdeval.read_collections(tmp_path)
    scores = runs.ireval.measure(qrels, "AP", by="collection")
    assert scores["collection"].tolist() == ["a", "a", "b", "b"]
    with pytest.raises(
        ValueError, match=r"several collections \(collection\).*measure\(by='collection'\)"
    ):
        runs.ireval.measure(qrels, "AP")


def test_a_fault_is_told_with_its_collection(tmp_path):
    good = collection(tmp_path / "x", "good")
    bad = collection(tmp_path / "x", "bad", run="301 Q0 d1 1 high x\n")
    with pytest.raises(ValueError, match=r"in the collection 'bad': .*bm25.run.*high"):
        pdeval.read_collections(tmp_path / "x")
    (bad / "qrels.txt").unlink()
    with pytest.raises(
        FileNotFoundError, match=r"in the collection 'bad': no judgments 'qrels.txt' in"
    ):
        pdeval.read_collections(tmp_path / "x")
    (bad / "qrels.new.txt").write_text(QRELS)
    with pytest.raises(
        FileNotFoundError,
        match=r"It has qrels.new.txt. Specify the file: \{'bad': \(runs, qrels\)\}",
    ):
        pdeval.read_collections(tmp_path / "x")
    (good / "qrels").write_text(QRELS)
    with pytest.raises(
        ValueError,
        match=r"in the collection 'good': qrels and qrels.txt could both be the judgments",
    ):
        pdeval.read_collections({"good": good})
    (tmp_path / "y" / "alone").mkdir(parents=True)
    with pytest.raises(
        FileNotFoundError, match=r"no collection in .* A collection is a folder with its run files"
    ):
        pdeval.read_collections(tmp_path / "y")
    (tmp_path / "y" / "alone" / "qrels.txt").write_text(QRELS)
    with pytest.raises(FileNotFoundError, match="in the collection 'alone': no folder 'runs'"):
        pdeval.read_collections(tmp_path / "y")
    with pytest.raises(
        FileNotFoundError, match=r"in the collection 'z': the folder '.*z' does not exist"
    ):
        pdeval.read_collections({"z": tmp_path / "z"})
    with pytest.raises(FileNotFoundError, match=r"does not exist\. Pass a folder of collections"):
        pdeval.read_collections(tmp_path / "z")
    with pytest.raises(
        TypeError, match=r"the collection 'z' is 3\. Pass its folder, or \(runs, qrels\)"
    ):
        pdeval.read_collections({"z": 3})
    with pytest.raises(
        ValueError, match=r"collections=\{\} is empty: expected a string, a path or a mapping"
    ):
        pdeval.read_collections({})
