"""`labeled`: every document of the lists with its grade, judged or not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.tables.schemas import SCHEMAS
from tests import naive
from tests.schema_faults import faults

LISTS = {
    "x": {"1": ["a", "n", "b"], "2": ["e", "z"]},
    "y": {"1": ["b", "m", "o", "a"], "3": ["s"]},
}
NAMES = {"query": ["query_id"], "doc": ["doc_id"], "grade": ["relevance"]}
GRADES = {"1": {"a": 1, "b": 2, "o": 0}, "2": {"e": 1, "z": -1}}


@pytest.fixture(scope="module")
def runs():
    return naive.table(LISTS)


@pytest.fixture(scope="module")
def qrels():
    return naive.judgments(GRADES)


def plain(frame, *columns):
    return frame[list(columns)].astype(object).where(frame[list(columns)].notna(), None)


def test_every_document_has_its_rank_grade_and_gain(runs, qrels):
    frame = runs.ireval.labeled(qrels)
    rows = plain(frame, "run", "query_id", "rank", "doc_id", "relevance", "gain").values.tolist()
    assert rows == [
        ["x", "1", 1, "a", 1, 1.0],
        ["x", "1", 2, "n", None, 0.0],
        ["x", "1", 3, "b", 2, 2.0],
        ["x", "2", 1, "e", 1, 1.0],
        ["x", "2", 2, "z", -1, 0.0],
        ["y", "1", 1, "b", 2, 2.0],
        ["y", "1", 2, "m", None, 0.0],
        ["y", "1", 3, "o", 0, 0.0],
        ["y", "1", 4, "a", 1, 1.0],
        ["y", "3", 1, "s", None, 0.0],  # a query without judgments
    ]
    assert frame["relevance"].dtype == "Int64"
    assert faults(SCHEMAS["labeled"], frame, NAMES) == []


def test_contributions_are_worked_by_hand_and_missing_for_queries_without_judgments(runs, qrels):
    frame = runs.ireval.labeled(qrels, ["AP", "P@2"])
    # AP of x on query 1: (1/1 + 2/3) / 2; on query 2: 1. AP of y on query 1: (1/1 + 2/4) / 2
    added = [1 / 2, 0, 1 / 3, 1, 0, 1 / 2, 0, 0, 1 / 4, np.nan]
    np.testing.assert_allclose(frame["AP"], added, rtol=1e-15)
    np.testing.assert_array_equal(frame["P@2"], [0.5, 0, 0, 0.5, 0, 0.5, 0, 0, 0, np.nan])


def test_rows_runs_and_queries_may_be_chosen(runs, qrels):
    frame = runs.ireval.labeled(qrels, "AP", query=[1, "2"], runs="x", top=1)
    assert frame["doc_id"].tolist() == ["a", "e"]
    assert frame["AP"].tolist() == [0.5, 1.0]  # of the whole list, not of the first document
    assert runs.ireval.labeled(qrels, query="3")["doc_id"].tolist() == ["s"]


def test_a_query_id_may_be_a_number_or_a_text(runs, qrels):
    numbered = [frame.astype({"query_id": int}) for frame in (runs, qrels)]
    for query in (1, "1"):
        text = runs.ireval.labeled(qrels, query=query)
        number = numbered[0].ireval.labeled(numbered[1], query=query)
        assert number["doc_id"].tolist() == text["doc_id"].tolist() == list("anbbmoa")
        assert number["query_id"].unique().tolist() == [1]


def test_side_by_side_shows_two_rankings_and_what_moved(runs, qrels):
    frame = runs.ireval.labeled(qrels, query="1", runs=["x", "y"], layout="side_by_side")
    rows = plain(frame, "rank", "doc_a", "grade_a", "doc_b", "grade_b", "moved").values.tolist()
    assert rows == [
        [1, "a", 1, "b", 2, 2],
        [2, "n", None, "m", None, None],
        [3, "b", 2, "o", 0, None],
        [4, None, None, "a", 1, -3],
    ]
    assert frame[["run_a", "run_b"]].values.tolist() == [["x", "y"]] * 4
    assert faults(SCHEMAS["labeled_pair"], frame, NAMES) == []
    turned = runs.ireval.labeled(qrels, query="1", runs=["y", "x"], top=1, layout="side_by_side")
    assert turned["moved"].tolist() == [3]  # a stands at rank 4 of y, below the first


def test_the_rules_of_a_join_hold(runs, qrels):
    judged = runs.ireval.join(qrels, judged_only=True)
    frame = judged.labeled("P@2", query="1", runs="y")
    assert plain(frame, "rank", "doc_id", "P@2").values.tolist() == [
        [1, "b", 0.5],
        [2, "o", 0.0],
        [3, "a", 0.0],
    ]
    assert runs.ireval.join(qrels, depth=1).labeled()["rank"].tolist() == [1, 1, 1, 1]
    strict = runs.ireval.labeled(qrels, "AP", level=2, query="1", runs="x")
    assert strict["AP"].tolist() == [0, 0, 1 / 3]


def test_grades_that_are_not_integers_stay_as_they_are(runs, qrels):
    frame = runs.ireval.labeled(qrels.assign(relevance=qrels["relevance"] / 2), query="1", runs="x")
    np.testing.assert_array_equal(frame["relevance"], [0.5, np.nan, 1.0])


@given(st.randoms(use_true_random=False), st.sampled_from(["docid", "first"]))
def test_grades_are_those_of_a_merge_and_contributions_add_up(random, ties):
    docs = [f"d{number}" for number in range(8)]
    lists = [
        (run, query, doc, random.randint(0, 3))
        for run in "ab"
        for query in (1, 2)
        for doc in random.sample(docs, random.randint(1, 8))
    ]
    table = pd.DataFrame(lists, columns=["run", "query_id", "doc_id", "score"])
    labels = [
        (query, doc, random.randint(0, 2)) for query in (1, 2) for doc in random.sample(docs, 4)
    ]
    qrels = pd.DataFrame(labels, columns=["query_id", "doc_id", "relevance"])
    frame = table.ireval.labeled(qrels, ["AP", "nDCG@3"], ties=ties)
    merged = frame.drop(columns="relevance").merge(qrels, how="left", on=["query_id", "doc_id"])
    assert frame["relevance"].astype("Float64").equals(merged["relevance"].astype("Float64"))
    assert len(frame) == len(table)
    assert (
        frame.groupby(["run", "query_id"])["score"].apply(lambda s: s.is_monotonic_decreasing).all()
    )
    sums = frame.groupby(["run", "query_id"])[["AP", "nDCG@3"]].sum()
    wide = table.ireval.measure(qrels, ["AP", "nDCG@3"], ties=ties, queries="judged")
    values = wide.pivot(index=["run", "query_id"], columns="measure", values="value")
    pd.testing.assert_frame_equal(sums, values[["AP", "nDCG@3"]], check_names=False, rtol=1e-12)
    if ties == "docid":  # any order of rows gives the same table
        shuffled = table.sample(frac=1, random_state=random.randint(0, 9))
        again = shuffled.ireval.labeled(qrels, ["AP", "nDCG@3"], ties=ties)
        pd.testing.assert_frame_equal(again, frame, check_exact=True)


TEXTS = {
    "queries": {1: "the first query"},
    "docs": pd.DataFrame({"docno": ["a", "b"], "title": ["A", "<b>"], "body": ["x" * 300, None]}),
}


def test_texts_of_queries_and_documents_are_shown(runs, qrels):
    frame = runs.ireval.labeled(qrels, texts=TEXTS, query=[1, 2], runs="x")
    assert list(frame)[-3:] == ["query_text", "title", "text"]
    rows = plain(frame, "doc_id", "query_text", "title", "text").values.tolist()
    assert rows == [
        ["a", "the first query", "A", "x" * 199 + "…"],
        ["n", "the first query", None, None],
        ["b", "the first query", "<b>", None],
        ["e", None, None, None],
        ["z", None, None, None],
    ]
    assert faults(SCHEMAS["labeled"], frame, NAMES) == []
    assert frame.attrs["grade_column"] == "relevance"
    frame = runs.ireval.labeled(qrels, texts=TEXTS, query=1, layout="side_by_side", top=1)
    assert plain(frame, "title_a", "title_b").values.tolist() == [["A", "<b>"]]
    assert faults(SCHEMAS["labeled_pair"], frame, NAMES) == []


def test_texts_do_not_change_the_other_columns(runs, qrels):
    frame = runs.ireval.labeled(qrels, "AP")
    shown = runs.ireval.labeled(qrels, "AP", texts={"a": "one text"})
    assert list(shown)[len(frame.columns) :] == ["text"]  # no id of a query is among them
    pd.testing.assert_frame_equal(shown[list(frame)], frame)


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"texts": 7}, TypeError, "texts=7: expected a table"),
        ({"query": "9"}, KeyError, "no query '9'; the queries are '1', '2', '3'"),
        ({"query": ["1", "9"]}, KeyError, "no query '9'"),
        ({"runs": "z"}, KeyError, "no run 'z'; the runs are 'x', 'y'"),
        ({"measures": "RPP"}, ValueError, "RPP"),
        ({"ties": "expected"}, ValueError, "ties='expected' has no definite ranks"),
        ({"layout": "wide"}, ValueError, "layout='wide': choose 'long' or 'side_by_side'"),
        (
            {"layout": "side_by_side", "runs": "x"},
            ValueError,
            r"shows two runs, but 1 is selected. Select two with runs=\[run_a, run_b\]",
        ),
        ({"top": 0}, ValueError, "top=0: expected an integer of at least 1"),
        ({"k": 3}, TypeError, "has no option 'k'.*Did you mean 'top'"),
    ],
)
def test_bad_input_is_answered_by_text(runs, qrels, options, kind, text):
    with pytest.raises(kind, match=text):
        runs.ireval.labeled(qrels, **options)


def test_the_other_spelling_leads_here(runs):
    with pytest.raises(AttributeError, match="labeled"):
        runs.ireval.labelled(None)


def test_the_fraction_of_judged_documents_is_that_of_the_measure():
    judged = pdeval.datasets.sample_judged(queries="answered")
    frame = judged.labeled(top=10)
    fraction = frame["relevance"].notna().groupby([frame["run"], frame["query_id"]]).sum() / 10
    values = judged.measure("Judged@10").set_index(["run", "query_id"])["value"]
    assert 0 < values.mean() < 1
    pd.testing.assert_series_equal(fraction[values.index], values, check_names=False)
