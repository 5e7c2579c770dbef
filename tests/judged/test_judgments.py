import pandas as pd
import pytest

from pdeval.judged import judgments
from pdeval.kinds import tables


def of(rows, columns=("query_id", "doc_id", "relevance")):
    return judgments.read_judgments(tables.read(pd.DataFrame(rows, columns=columns), "qrels"))


def items(found):
    queries, docs = found.queries.index(), found.docs.index()
    return [(queries[q], docs[d], g) for q, d, g in zip(found.topic, found.doc, found.grade)]


def test_items_are_sorted_by_query_and_document_whatever_the_order_of_rows():
    rows = [("q2", "b", 1), ("q10", "c", 0), ("q2", "a", 2), ("q1", "b", -1)]
    wanted = [("q1", "b", -1.0), ("q10", "c", 0.0), ("q2", "a", 2.0), ("q2", "b", 1.0)]
    assert items(of(rows)) == items(of(rows[::-1])) == wanted


def test_the_key_rises_with_query_and_document():
    key = of([("q2", "b", 1), ("q1", "b", 1), ("q1", "a", 1)]).key()
    assert (key[1:] > key[:-1]).all()


def test_a_judgment_given_twice_alike_counts_once():
    assert items(of([("q", "a", 1), ("q", "b", 2), ("q", "a", 1)])) == [("q", "a", 1.0), ("q", "b", 2.0)]


def test_grades_may_be_fractions_and_negative():
    assert of([("q", "a", 0.5), ("q", "b", -2)]).grade.tolist() == [0.5, -2.0]


def test_two_grades_for_one_document_are_an_error_that_shows_both():
    text = r"has 1 \(query, doc\) pairs with different grades, e\.g\. \('q', 'a'\) with 1 and 3.*subtopic=.*groupby"
    with pytest.raises(ValueError, match=text):
        of([("q", "a", 1), ("q", "b", 1), ("q", "a", 3)])


SUBTOPIC = ("query_id", "subtopic", "doc_id", "relevance")


def test_an_item_has_the_largest_grade_of_its_subtopics():
    found = of([("q", "2", "a", 1), ("q", "1", "a", 3), ("q", "1", "b", 0), ("p", "1", "a", 1)], SUBTOPIC)
    assert items(found) == [("p", "a", 1.0), ("q", "a", 3.0), ("q", "b", 0.0)]
    assert found.subtopic.T.tolist() == [[0, 0, 1], [1, 0, 3], [1, 1, 1], [2, 0, 0]]


def test_a_subtopic_judgment_given_twice_alike_counts_once():
    assert of([("q", "1", "a", 1), ("q", "1", "a", 1)], SUBTOPIC).subtopic.shape == (3, 1)


def test_two_grades_for_one_document_and_subtopic_are_an_error():
    with pytest.raises(ValueError, match=r"1 \(query, subtopic, doc\) rows with different grades"):
        of([("q", "1", "a", 1), ("q", "2", "a", 1), ("q", "1", "a", 2)], SUBTOPIC)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([], "judgments table is empty; there is nothing to evaluate against"),
        ([("q", "a", None)], "judgments' grade column has 1 missing values"),
        ([("q", "a", "high")], "grade column holds 1 values that are not numbers, e.g. 'high'"),
        ([("q", None, 1)], "the judgments' doc column has 1 missing ids"),
    ],
)
def test_judgments_without_grades_or_ids_are_an_error(rows, text):
    with pytest.raises(ValueError, match=text):
        of(rows)


def test_of_relevant_items_alone_the_others_are_not_even_named():
    table = tables.read(
        pd.DataFrame(
            [("q2", "b", 0), ("q1", "a", 1), ("q3", "c", -1), ("q1", "d", 2)],
            columns=["query_id", "doc_id", "relevance"],
        ),
        "qrels",
    )
    found = judgments.read_judgments(table, complete=False)
    assert items(found) == [("q1", "a", 1.0), ("q1", "d", 2.0)]
    assert found.docs.index().tolist() == ["a", "d"]
    assert found.queries.index().tolist() == ["q1", "q2", "q3"]  # judged all the same


def test_items_judged_twice_or_by_subtopic_are_kept_whatever_their_grade():
    twice = tables.read(
        pd.DataFrame([("q", "a", 0), ("q", "a", 0), ("q", "b", 1)], columns=["query_id", "doc_id", "relevance"]),
        "qrels",
    )
    assert items(judgments.read_judgments(twice, complete=False)) == [("q", "a", 0.0), ("q", "b", 1.0)]
    by_subtopic = tables.read(
        pd.DataFrame([("q", "1", "a", 0), ("q", "1", "b", 1)], columns=["query_id", "subtopic", "doc_id", "relevance"]),
        "qrels",
    )
    assert items(judgments.read_judgments(by_subtopic, complete=False)) == [("q", "a", 0.0), ("q", "b", 1.0)]


def test_of_many_rows_the_two_that_differ_are_shown_in_their_order():
    rows = [("q", f"d{i:02}", 0) for i in range(40)]
    rows[3:3] = [("q", "x", 1)]
    rows[30:30] = [("q", "x", 2)]
    with pytest.raises(ValueError, match=r"has 1 \(query, doc\) pairs with different grades, e\.g\. .* with 1 and 2\."):
        of(rows)
    rows.append(("q", "x", 1))  # 1, 2, 1: it changes twice
    with pytest.raises(ValueError, match=r"has 2 \(query, doc\) pairs"):
        of(rows)
    with pytest.raises(ValueError, match=r"has 2 \(query, subtopic, doc\) rows with different grades"):
        of([(*row, "t") for row in rows], columns=("query_id", "doc_id", "relevance", "subtopic"))
