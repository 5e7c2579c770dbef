"""Nested dicts, named tuples and ranx' objects as tables."""

from collections import OrderedDict
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import pdeval

RUN = {"q1": {"d1": 1.5, "d2": 0.5}, "q2": {"d9": 3}}
QRELS = {"q1": {"d1": 0, "d2": 2}, "q2": {"d9": 1}}


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class TrecSubQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    subtopic_id: str


class Doc(NamedTuple):
    doc_id: str
    text: str


TUPLES = [Qrel("q1", "d2", 2), Qrel("q1", "d1", 0), Qrel("q2", "d9", 1)]


def rows(frame):
    return list(frame.itertuples(index=False, name=None))


def test_whole_numbers_are_grades_and_all_others_scores():
    assert rows(pdeval.from_dict(QRELS)) == [("q1", "d1", 0), ("q1", "d2", 2), ("q2", "d9", 1)]
    assert pdeval.from_dict(QRELS).columns.tolist() == ["query_id", "doc_id", "relevance"]
    assert rows(pdeval.from_dict(RUN)) == [("q1", "d1", 1.5), ("q1", "d2", 0.5), ("q2", "d9", 3.0)]
    assert pdeval.from_dict(RUN).columns.tolist() == ["query_id", "doc_id", "score"]


def test_what_is_said_comes_before_what_numbers_look_like():
    assert pdeval.from_dict(QRELS, what="runs").columns.tolist() == ["query_id", "doc_id", "score"]
    graded = pdeval.from_dict(RUN, what="qrels")
    assert graded["relevance"].tolist() == [1.5, 0.5, 3.0]
    assert pdeval.from_dict(QRELS, run="bm25")["score"].dtype == np.float64


def test_runs_are_named_by_the_outer_dict_or_by_the_caller():
    runs = pdeval.from_dict({"a": RUN, "b": {"q1": {"d2": 1.0}}})
    assert rows(runs)[2:] == [("a", "q2", "d9", 3.0), ("b", "q1", "d2", 1.0)]
    assert set(pdeval.from_dict(RUN, run="bm25")["run"]) == {"bm25"}


def test_ids_keep_their_type_and_text_ids_are_text():
    assert pdeval.from_dict({1: {7: 0.5}}).dtypes.astype(str).tolist() == [
        "int64",
        "int64",
        "float64",
    ]
    assert pdeval.from_dict({"051": {"01": 0.5}})["query_id"].tolist() == ["051"]


def test_any_mapping_and_any_real_number_will_do():
    table = OrderedDict(q1={"d1": np.float32(0.5), "d2": np.int64(1), "d3": 2})
    assert pdeval.from_dict(table)["score"].tolist() == [0.5, 1.0, 2.0]
    assert pdeval.from_dict({"q": {"d": True, "e": np.bool_(False)}})["relevance"].tolist() == [
        1,
        0,
    ]


def test_a_query_without_documents_has_no_rows_and_counts_as_unanswered():
    runs = pdeval.from_dict({"a": {"q1": {"d2": 1.0}, "q2": {}}})
    with pytest.warns(UserWarning, match="1 of 2 judged queries are missing from run 'a'"):
        scores = runs.ireval.measure(QRELS, "RR")
    assert scores["value"].tolist() == [1.0, 0.0]


def test_named_tuples_are_rows():
    qrels = [Qrel("q1", "d2", 2, "0"), Qrel("q1", "d1", 0, "0")]
    assert rows(pdeval.from_dict(qrels)) == [("q1", "d2", 2), ("q1", "d1", 0)]
    assert pdeval.from_dict(iter(qrels), subtopics=True)["subtopic"].tolist() == ["0", "0"]
    run = [ScoredDoc("q1", "d2", 2), ScoredDoc("q1", "d1", 1)]
    assert pdeval.from_dict(run, run="a").columns.tolist() == ["run", "query_id", "doc_id", "score"]


def test_the_subtopic_of_ir_datasets_is_kept():
    made = pdeval.from_dict([TrecSubQrel("1", "d", 1, "3")])
    assert rows(made[["query_id", "doc_id", "relevance", "subtopic"]]) == [("1", "d", 1, "3")]


@pytest.mark.parametrize(
    "form", [QRELS, [Qrel("q1", "d2", 2, "0"), Qrel("q1", "d1", 0, "0"), Qrel("q2", "d9", 1, "0")]]
)
def test_judgments_are_taken_in_these_forms_at_every_accessor(form):
    runs = pdeval.from_dict({"a": RUN, "b": {"q1": {"d2": 1.0}, "q2": {"d9": 1.0}}})
    expected = runs.ireval.measure(pdeval.from_dict(QRELS), ["AP", "nDCG@10"])
    pd.testing.assert_frame_equal(runs.ireval.measure(form, ["AP", "nDCG@10"]), expected)
    pd.testing.assert_frame_equal(runs.ireval.join(form).measure(["AP", "nDCG@10"]), expected)
    assert len(runs.ireval.check(form)) == len(runs.ireval.check(pdeval.from_dict(QRELS)))


def test_an_iterator_of_tuples_is_read_once_by_a_verb():
    runs = pdeval.from_dict({"a": RUN})
    rows = (
        Qrel(query, doc, grade, "0") for query, docs in QRELS.items() for doc, grade in docs.items()
    )
    assert runs.ireval.measure(rows, "RR")["value"].tolist() == [0.5, 1.0]
    with pytest.raises(ValueError, match=r"there are no rows\. An iterator can be read only once"):
        runs.ireval.measure(rows, "RR")


FAULTS = {
    "nothing": ({}, ValueError, "the dict is empty: expected query -> doc -> number"),
    "no document": ({"q": {}, "r": {}}, ValueError, "no documents: all 2 queries are empty"),
    "an empty run": ({"a": {"q": {"d": 1.0}}, "b": {}}, ValueError, "the run 'b' is empty"),
    "a ranked list": (
        {"q": ["d1", "d2"]},
        TypeError,
        "has a list under 'q': expected a dict of doc to number",
    ),
    "a list further on": ({"q": {"d": 1}, "r": 3}, TypeError, "has a int under 'r'"),
    "a list in a run": (
        {"a": {"q": {"d": 1.0}, "r": ["d"]}},
        ValueError,
        r"\['a'\]\['q'\] is a dict, \['a'\]\['r'\] a number",
    ),
    "mixed depth": (
        {"q": {"d": 1}, "r": {"d": {"x": 1}}},
        ValueError,
        r"\['r'\]\['d'\] is a dict, \['q'\]\['d'\] a number",
    ),
    "a text for a score": (
        {"q": {"d": 1.0, "e": "0.5"}},
        ValueError,
        r"'e' of query 'q' is '0.5' \(str\)",
    ),
    "no score": ({"q": {"d": None}}, ValueError, "document 'd' of query 'q' is None"),
    "complex": ({"q": {"d": 1j}}, ValueError, r"is 1j \(complex\): expected a number"),
    "ids of two types": (
        {"q": {"d": 1, 7: 1}},
        ValueError,
        "the document ids have several types: int, str",
    ),
    "ids that are floats": (
        {1.5: {"d": 1}},
        ValueError,
        "the query ids have the type float, e.g. 1.5. Convert them to strings",
    ),
    "a huge grade": ({"q": {"d": 10**30}}, ValueError, "too large"),
    "frames": (
        {"a": pd.DataFrame()},
        TypeError,
        r"has a DataFrame under 'a'. Stack the frames: pandas.concat",
    ),
    "plain tuples": (
        [("q", "d", 1)],
        TypeError,
        "got a list of tuple. Convert rows with pandas.DataFrame",
    ),
    "no rows": ([], ValueError, "there are no rows"),
    "two kinds of row": (
        [ScoredDoc("q", "d", 1), Qrel("q", "d", 1, 0)],
        ValueError,
        "several types: ScoredDoc, Qrel",
    ),
    "other fields": ([Doc("d", "x")], ValueError, "Doc has no field 'query_id'"),
    "a text in a row": (
        [ScoredDoc("q", "d", "1")],
        ValueError,
        "the score of document 'd' of query 'q' is '1'",
    ),
    "a path": ("run.txt", TypeError, "expected nested dicts or named tuples, got str"),
    "a table": (pd.DataFrame(), TypeError, "got DataFrame"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_is_ragged_or_ill_typed_is_told_with_its_place(case):
    table, kind, text = FAULTS[case]
    with pytest.raises(kind, match=text):
        pdeval.from_dict(table)


def test_options_that_contradict_the_dict_are_told():
    with pytest.raises(ValueError, match="these dicts have three levels, but judgments have two"):
        pdeval.from_dict({"a": RUN}, what="qrels")
    with pytest.raises(ValueError, match="run='x': the dicts already have names of runs, 'a'"):
        pdeval.from_dict({"a": RUN}, run="x")
    with pytest.raises(ValueError, match="ScoredDoc has a score, so the rows are not qrels"):
        pdeval.from_dict([ScoredDoc("q", "d", 1)], what="qrels")
    with pytest.raises(ValueError, match=r"run='x': judgments have no run. Omit the argument"):
        pdeval.from_dict(QRELS, what="qrels", run="x")
    with pytest.raises(ValueError, match="what='run': expected 'runs' or 'qrels'"):
        pdeval.from_dict(RUN, what="run")


def test_the_dict_is_not_changed():
    before = {query: dict(docs) for query, docs in QRELS.items()}
    pdeval.from_dict({"a": RUN}).ireval.measure(QRELS)
    assert before == QRELS


@pytest.mark.extras
def test_the_named_tuples_of_ir_measures_are_understood():
    ir_measures = pytest.importorskip("ir_measures")
    qrels = [ir_measures.Qrel("q1", "d2", 2), ir_measures.Qrel("q2", "d9", 1)]
    run = [ir_measures.ScoredDoc("q1", "d1", 1.5), ir_measures.ScoredDoc("q1", "d2", 0.5)]
    scores = pdeval.from_dict(run).ireval.measure(qrels, "RR", queries="answered")
    assert scores["value"].tolist() == [0.5]


@pytest.mark.extras
def test_the_objects_of_ranx_are_understood():
    ranx = pytest.importorskip("ranx")
    runs = pdeval.from_dict(ranx.Run(RUN, name="bm25"))
    assert set(runs["run"]) == {"bm25"}
    scores = runs.ireval.measure(ranx.Qrels(QRELS), "RR")
    assert scores["value"].tolist() == [0.5, 1.0]
    with pytest.raises(ValueError, match=r"a ranx\.Run holds runs, not qrels"):
        runs.ireval.measure(ranx.Run(RUN, name="bm25"))
