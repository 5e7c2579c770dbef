"""Tables of labels: which columns are the item, the assessor and the label."""

import pandas as pd
import pytest

from pdeval.tables import reader
from pdeval.tables.recognition import kind_of


def frame(*columns):
    return pd.DataFrame({name: ["1"] for name in columns})


ROLES = {
    ("query_id", "doc_id", "assessor", "label"): ("query_id", "doc_id", "assessor", "label"),
    ("qid", "docno", "query", "assessor", "label"): ("qid", "docno", "assessor", "label"),
    ("topic", "doc", "assessor", "rel"): ("topic", "doc", "assessor", "rel"),
    ("doc_id", "assessor", "label"): (None, "doc_id", "assessor", "label"),
    ("item", "assessor", "label"): (None, "item", "assessor", "label"),
    ("item", "doc_id", "assessor", "label"): (None, "doc_id", "assessor", "label"),
    ("query_id", "item", "assessor", "label"): ("query_id", "item", "assessor", "label"),
    ("query_id", "doc_id", "relevance", "assessor", "label"): (
        "query_id",
        "doc_id",
        "assessor",
        "label",
    ),
}


@pytest.mark.parametrize("columns", ROLES, ids=" ".join)
def test_the_roles_of_a_label_table_are_found_by_name(columns):
    held = frame(*columns)
    assert kind_of(held) == "labels"
    found = reader.read(held, "labels")
    assert (
        tuple(found.roles.get(role) for role in ("query", "doc", "assessor", "label"))
        == ROLES[columns]
    )


def test_bound_columns_come_before_known_names_and_play_one_role_only():
    held = frame("page", "user_id", "answer", "label")
    bound = held.ireval(doc="page", assessor="user_id", label="answer")
    assert repr(bound).startswith("labels table: 1 row")
    # a user is a query elsewhere; here the column is the assessor's
    assert reader.read(bound, "labels").roles == {
        "doc": "page",
        "assessor": "user_id",
        "label": "answer",
    }


FAULTS = {
    "no doc": (
        ("assessor", "label"),
        r"expected a labels table \(doc, assessor, label\), but found no doc column .*ireval\(doc=\.\.\.\)",
    ),
    "nobody": (
        ("doc_id", "label"),
        r"no assessor column \(known names: assessor\) among the columns doc_id, label",
    ),
    "nothing": (
        ("x",),
        r"no doc column .* and no assessor column .* and no label column .*label=\.\.\.\)",
    ),
    "two docs": (
        ("doc_id", "docno", "assessor", "label"),
        r"two columns could be the doc: 'doc_id' and 'docno'",
    ),
    "two queries": (
        ("qid", "topic", "doc", "assessor", "label"),
        r"two columns could be the query: 'qid' and 'topic'",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_label_table_that_cannot_be_read_says_what_to_bind(case):
    columns, text = FAULTS[case]
    with pytest.raises(ValueError, match=text):
        reader.read(frame(*columns), "labels")


def test_two_documents_are_no_matter_once_one_is_bound():
    held = frame("doc_id", "docno", "assessor", "label")
    assert reader.read(held.ireval(doc="docno"), "labels").roles["doc"] == "docno"


def test_judgments_with_a_bound_grade_stay_judgments():
    assert (
        kind_of(frame("topic", "docid", "worker", "mark"), {"grade": "mark", "assessor": "worker"})
        == "qrels"
    )


def test_a_table_that_was_read_is_not_read_again():
    table = reader.read(frame("query_id", "doc_id", "relevance"), "qrels")
    assert reader.read(table, "qrels") is table
    with pytest.raises(TypeError, match="expected a pandas DataFrame with a run table"):
        reader.read(table, "runs")
