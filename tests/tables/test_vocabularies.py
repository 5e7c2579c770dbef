"""Every declared vocabulary is understood as it stands, in run tables and in judgments."""

import pandas as pd
import pytest

from pdeval.tables import reader
from pdeval.tables.vocabularies import VOCABULARIES


@pytest.mark.parametrize("name", VOCABULARIES)
def test_runs_in_a_declared_vocabulary_are_read_by_its_words(name):
    words = VOCABULARIES[name]
    frame = pd.DataFrame(
        {words["run"]: ["a"], words["query"]: ["1"], words["doc"]: ["x"], "score": [1.0]}
    )
    table = reader.read(frame, "runs")
    assert (table.roles["query"], table.roles["doc"], table.run_columns) == (
        words["query"],
        words["doc"],
        (words["run"],),
    )
    assert reader.kind_of(frame) == "runs"


@pytest.mark.parametrize("name", VOCABULARIES)
def test_judgments_in_a_declared_vocabulary_are_read_by_its_words(name):
    words = VOCABULARIES[name]
    frame = pd.DataFrame({words["query"]: ["1"], words["doc"]: ["x"], "relevance": [1]})
    table = reader.read(frame, "qrels")
    assert (table.roles["query"], table.roles["doc"]) == (words["query"], words["doc"])
    assert reader.kind_of(frame) == "qrels"


# what tools write as it stands: the columns of a table, and the roles that they play
RUNS_OF_TOOLS = {
    "ir_measures": (
        "query_id doc_id score",
        {"query": "query_id", "doc": "doc_id", "score": "score"},
        (),
    ),
    "PyTerrier": (
        "qid docid docno rank score query name",
        {"query": "qid", "doc": "docno", "score": "score", "rank": "rank"},
        ("name",),
    ),
    "ranx": ("q_id doc_id score", {"query": "q_id", "doc": "doc_id", "score": "score"}, ()),
    "trectools": (
        "query q0 docid rank score system",
        {"query": "query", "doc": "docid", "score": "score", "rank": "rank"},
        ("system",),
    ),
    "LensKit": (
        "user_id item_id rank score",
        {"query": "user_id", "doc": "item_id", "score": "score", "rank": "rank"},
        (),
    ),
    "RecTools": (
        "user_id item_id rank weight",
        {"query": "user_id", "doc": "item_id", "rank": "rank"},
        (),
    ),
    "Microsoft": (
        "userID itemID prediction",
        {"query": "userID", "doc": "itemID", "score": "prediction"},
        (),
    ),
    "Spark": ("user item prediction", {"query": "user", "doc": "item", "score": "prediction"}, ()),
    "Surprise": ("uid iid r_ui est details", {"query": "uid", "doc": "iid", "score": "est"}, ()),
    "MovieLens": (
        "userId movieId score",
        {"query": "userId", "doc": "movieId", "score": "score"},
        (),
    ),
    "mixed": (
        "qid doc_id score name",
        {"query": "qid", "doc": "doc_id", "score": "score"},
        ("name",),
    ),
    "mixed, its score too": (
        "topic item_id est",
        {"query": "topic", "doc": "item_id", "score": "est"},
        (),
    ),
    "a text beside": (
        "query_id query doc_id score",
        {"query": "query_id", "doc": "doc_id", "score": "score"},
        (),
    ),
    "a user beside": (
        "query_id user doc_id score",
        {"query": "query_id", "doc": "doc_id", "score": "score"},
        (),
    ),
}
JUDGMENTS_OF_TOOLS = {
    "ir_datasets": ("query_id doc_id relevance iteration", ("query_id", "doc_id", "relevance")),
    "PyTerrier": ("qid docno label", ("qid", "docno", "label")),
    "ranx": ("q_id doc_id score", ("q_id", "doc_id", "score")),
    "BEIR": ("query-id corpus-id score", ("query-id", "corpus-id", "score")),
    "trectools": ("query q0 docid rel", ("query", "docid", "rel")),
    "RecTools": ("user_id item_id weight datetime", ("user_id", "item_id", "weight")),
    "Microsoft": ("userID itemID rating timestamp", ("userID", "itemID", "rating")),
    "MovieLens": ("userId movieId rating timestamp", ("userId", "movieId", "rating")),
    "Spark": ("user item rating", ("user", "item", "rating")),
    "Surprise": ("uid iid r_ui est details", ("uid", "iid", "r_ui")),
    "mixed": ("qid doc_id rel", ("qid", "doc_id", "rel")),
}


def frame(names):
    return pd.DataFrame({name: [1] for name in names.split()})


@pytest.mark.parametrize("tool", RUNS_OF_TOOLS)
def test_run_tables_are_understood_as_tools_write_them(tool):
    names, roles, runs = RUNS_OF_TOOLS[tool]
    table = reader.read(frame(names), "runs")
    assert (table.roles, table.run_columns) == (roles, runs)
    assert reader.kind_of(frame(names)) == "runs"


@pytest.mark.parametrize("tool", JUDGMENTS_OF_TOOLS)
def test_judgments_are_understood_as_tools_write_them(tool):
    names, roles = JUDGMENTS_OF_TOOLS[tool]
    table = reader.read(frame(names), "qrels")
    assert (table.roles["query"], table.roles["doc"], table.roles["grade"]) == roles
    # what also has a score may be a run as well, and is one where nothing else is said
    assert reader.kind_of(frame(names)) == (
        "runs" if {"score", "est"} & set(names.split()) else "qrels"
    )


def test_a_score_under_another_name_does_not_take_the_place_of_a_rank():
    assert "score" not in reader.read(frame("query_id doc_id rank prediction"), "runs")


def test_a_table_of_scores_with_a_user_beside_the_query_is_read_by_the_query():
    scores = frame("run query_id user measure value").assign(measure="AP")
    assert reader.read(scores, "scores").roles["query"] == "query_id"


def test_tables_of_two_tools_are_joined():
    runs = pd.DataFrame({"userID": [1, 1], "itemID": [7, 8], "prediction": [0.2, 0.9]})
    qrels = pd.DataFrame({"userId": [1], "movieId": [7], "rating": [5.0]})
    scores = runs.ireval.measure(qrels, "RR")
    assert scores.columns.tolist() == ["run", "userID", "measure", "value"]
    assert scores["value"].tolist() == [0.5]
