"""Chunks collapsed to documents: scores worked by hand, other ways to state documents, and messages."""

import numpy as np
import pandas as pd
import pytest

CHUNKS = pd.DataFrame(
    {
        "run": "a",
        "query_id": "1",
        "doc_id": ["x#10", "x#2", "y#1", "y#3", "z#1"],
        "score": [5.0, 1.0, 4.0, 2.0, 1.0],
    }
)


@pytest.mark.parametrize(
    ("score", "docs", "scores"),
    [
        ("max", ["x", "y", "z"], [5.0, 4.0, 1.0]),
        ("first", ["y", "z", "x"], [4.0, 1.0, 1.0]),  # x#2 is before x#10; ties by id descending
        ("sum", ["y", "x", "z"], [6.0, 6.0, 1.0]),
        ("mean", ["y", "x", "z"], [3.0, 3.0, 1.0]),
    ],
)
def test_the_score_of_a_document_is_that_of_its_chunks(score, docs, scores):
    result = CHUNKS.ireval.collapse(separator="#", score=score)
    assert result.columns.tolist() == ["run", "query_id", "doc_id", "score", "rank"]
    assert result["doc_id"].tolist() == docs
    assert result["score"].tolist() == scores
    assert result["rank"].tolist() == [1, 2, 3]


def test_documents_come_from_a_separator_a_column_a_mapping_or_the_ids():
    expected = CHUNKS.ireval.collapse(separator="#")
    document = CHUNKS["doc_id"].str[0]
    mapping = dict(zip(CHUNKS["doc_id"], document))
    for result in (
        CHUNKS.assign(document=document).ireval.collapse(doc="document"),
        CHUNKS.ireval.collapse(doc=mapping),
        CHUNKS.assign(doc_id=document).ireval.collapse(),
    ):
        pd.testing.assert_frame_equal(result, expected)


def test_every_list_is_collapsed_and_ranked_by_itself_in_any_order_of_rows():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "run": rng.choice(["a", "b"], 600),
            "query_id": rng.integers(0, 4, 600),
            "doc_id": [f"d{doc}#{part}" for doc, part in rng.integers(0, 20, (600, 2))],
            "score": rng.random(600),
        }
    ).drop_duplicates(["run", "query_id", "doc_id"])
    key = ["run", "query_id", "doc_id"]
    for score in ("max", "sum", "mean"):
        result = table.ireval.collapse(separator="#", score=score)
        shuffled = table.sample(frac=1, random_state=1).ireval.collapse(separator="#", score=score)
        pd.testing.assert_frame_equal(result, shuffled, check_exact=True)
        whole = table.assign(doc_id=table["doc_id"].str.split("#").str[0])
        expected = whole.groupby(key)["score"].agg(score)
        np.testing.assert_allclose(
            result.set_index(key)["score"].sort_index(), expected, rtol=1e-13
        )
        ranks = result.groupby(["run", "query_id"])["score"].rank(ascending=False)
        assert (ranks == result["rank"]).all()


def test_documents_are_evaluated_by_their_own_judgments():
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["y"], "relevance": [1]})
    documents = CHUNKS.ireval.collapse(separator="#")
    assert documents.ireval.measure(qrels, "RR")["value"].tolist() == [0.5]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (CHUNKS, {"separator": "::"}, "5 of 5 chunks do not contain the separator '::', e.g."),
        (CHUNKS, {"doc": {"x#2": "x"}}, "4 of 5 chunks are missing from doc="),
        (CHUNKS, {"doc": {}, "separator": "#"}, "Pass one of them"),
        (CHUNKS, {"score": "first"}, "score='first' needs the ids of chunks"),
        (pd.concat([CHUNKS, CHUNKS]), {"separator": "#"}, "has 5 rows that repeat an earlier"),
        (
            CHUNKS.drop(columns="score").assign(rank=range(5)),
            {"separator": "#"},
            "needs scores, but the run table has only ranks",
        ),
    ],
)
def test_what_cannot_be_collapsed_is_answered_by_its_fault(table, options, message):
    with pytest.raises(ValueError, match=message):
        table.ireval.collapse(**options)


def test_a_column_that_is_missing_is_named():
    with pytest.raises(KeyError, match="no column 'document'; the table has run, query_id"):
        CHUNKS.ireval.collapse(doc="document")
