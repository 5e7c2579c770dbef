import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pdeval.join import ids, judgments
from pdeval.tables import reader


def of(rows, columns=("query_id", "doc_id", "relevance")):
    return judgments.read_judgments(reader.read(pd.DataFrame(rows, columns=columns), "qrels"))


def items(found):
    queries, docs = found.queries.index(), found.docs.index()
    return [(queries[q], docs[d], g) for q, d, g in zip(found.topic, found.doc, found.grade)]


def test_items_are_sorted_by_query_and_document_whatever_the_order_of_rows():
    rows = [("q2", "b", 1), ("q10", "c", 0), ("q2", "a", 2), ("q1", "b", -1)]
    wanted = [("q1", "b", -1.0), ("q2", "a", 2.0), ("q2", "b", 1.0), ("q10", "c", 0.0)]
    assert items(of(rows)) == items(of(rows[::-1])) == wanted


def test_the_key_rises_with_query_and_document():
    key = of([("q2", "b", 1), ("q1", "b", 1), ("q1", "a", 1)]).key()
    assert (key[1:] > key[:-1]).all()


def test_a_judgment_given_twice_alike_counts_once():
    assert items(of([("q", "a", 1), ("q", "b", 2), ("q", "a", 1)])) == [
        ("q", "a", 1.0),
        ("q", "b", 2.0),
    ]


def test_grades_may_be_fractions_and_negative():
    assert of([("q", "a", 0.5), ("q", "b", -2)]).grade.tolist() == [0.5, -2.0]


def test_two_grades_for_one_document_are_an_error_that_shows_both():
    text = r"has 1 \(query, doc\) pairs with different grades, e\.g\. \('q', 'a'\) with 1 and 3.*subtopic=.*groupby"
    with pytest.raises(ValueError, match=text):
        of([("q", "a", 1), ("q", "b", 1), ("q", "a", 3)])


SUBTOPIC = ("query_id", "subtopic", "doc_id", "relevance")


def test_an_item_has_the_largest_grade_of_its_subtopics():
    found = of(
        [("q", "2", "a", 1), ("q", "1", "a", 3), ("q", "1", "b", 0), ("p", "1", "a", 1)], SUBTOPIC
    )
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
        ([("q", "a", "high")], "grade column has 1 values that are not numbers, e.g. 'high'"),
        ([("q", None, 1)], "the judgments' doc column has 1 missing ids"),
    ],
)
def test_judgments_without_grades_or_ids_are_an_error(rows, text):
    with pytest.raises(ValueError, match=text):
        of(rows)


def test_of_relevant_items_alone_the_others_are_not_even_named():
    table = reader.read(
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
    twice = reader.read(
        pd.DataFrame(
            [("q", "a", 0), ("q", "a", 0), ("q", "b", 1)],
            columns=["query_id", "doc_id", "relevance"],
        ),
        "qrels",
    )
    assert items(judgments.read_judgments(twice, complete=False)) == [
        ("q", "a", 0.0),
        ("q", "b", 1.0),
    ]
    by_subtopic = reader.read(
        pd.DataFrame(
            [("q", "1", "a", 0), ("q", "1", "b", 1)],
            columns=["query_id", "subtopic", "doc_id", "relevance"],
        ),
        "qrels",
    )
    assert items(judgments.read_judgments(by_subtopic, complete=False)) == [
        ("q", "a", 0.0),
        ("q", "b", 1.0),
    ]


def test_of_many_rows_the_two_that_differ_are_shown_in_their_order():
    rows = [("q", f"d{i:02}", 0) for i in range(40)]
    rows[3:3] = [("q", "x", 1)]
    rows[30:30] = [("q", "x", 2)]
    with pytest.raises(
        ValueError,
        match=r"has 1 \(query, doc\) pairs with different grades, e\.g\. .* with 1 and 2\.",
    ):
        of(rows)
    rows.append(("q", "x", 1))  # 1, 2, 1: it changes twice
    with pytest.raises(ValueError, match=r"has 2 \(query, doc\) pairs"):
        of(rows)
    with pytest.raises(
        ValueError, match=r"has 2 \(query, subtopic, doc\) rows with different grades"
    ):
        of([(*row, "t") for row in rows], columns=("query_id", "doc_id", "relevance", "subtopic"))


@pytest.mark.parametrize("dtype", [object, "category", "int64"])
def test_judgments_are_those_of_a_plain_table_whatever_the_order_and_type(dtype):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = {
            (f"{rng.integers(4)}", f"{rng.integers(5)}"): float(rng.integers(-1, 3))
            for _ in range(9)
        }
        rows = [(*key, grade) for key, grade in table.items()]
        rows += rows[: rng.integers(0, 3)]  # said twice alike
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]).sample(
            frac=1, random_state=seed
        )
        for kept in ("query_id", "doc_id"):
            frame[kept] = frame[kept].astype(dtype)
        read = reader.read(frame, "qrels")
        found = judgments.read_judgments(read)
        assert [(str(query), str(doc), grade) for query, doc, grade in items(found)] == sorted(
            (*key, grade) for key, grade in table.items()
        )
        assert {str(one.dtype) for one in (found.topic, found.doc)} == {"int64"}
        assert found.grade.dtype == np.float64
        assert found.key().tolist() == [
            t * len(found.docs) + d for t, d in zip(found.topic, found.doc)
        ]
        positive = judgments.read_judgments(read, complete=False)
        good = [one for one in items(positive) if one[2] > 0]
        assert good == [one for one in items(found) if one[2] > 0]
        if len(rows) == len(table):
            assert len(items(positive)) == len(good)
        assert positive.queries.index().tolist() == found.queries.index().tolist()


def test_subtopics_are_those_of_a_plain_table_whatever_the_order():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        table = {
            (f"q{rng.integers(3)}", f"d{rng.integers(4)}", f"s{rng.integers(3)}"): float(
                rng.integers(-1, 3)
            )
            for _ in range(14)
        }
        rows = [(*key, grade) for key, grade in table.items()] * 2
        frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "subtopic", "relevance"])
        found = judgments.read_judgments(
            reader.read(frame.sample(frac=1, random_state=seed), "qrels")
        )
        best = {}
        for (query, doc, _), grade in table.items():
            best[query, doc] = max(grade, best.get((query, doc), -9))
        assert items(found) == sorted((*key, grade) for key, grade in best.items())
        names, parts = [one[:2] for one in items(found)], found.subtopics.index()
        held = [
            (*names[int(item)], parts[int(code)], grade) for item, code, grade in found.subtopic.T
        ]
        assert held == sorted((*key, grade) for key, grade in table.items())
        assert found.subtopic.dtype == np.float64
        assert {str(one.dtype) for one in (found.topic, found.doc)} == {"int64"}


@pytest.mark.parametrize(
    "docs", [np.array([0, 0, 1, 2**40]), pa.array(["a", "a", "b", "c"])], ids=["numbers", "text"]
)
def test_two_rows_of_one_query_and_document_are_told_by_their_hashes(docs):
    of = ids.Ids(numbers=docs) if isinstance(docs, np.ndarray) else ids.Ids(text=docs)
    assert judgments._all_different(np.array([0, 1, 0, 0]), of)
    assert judgments._all_different(np.array([0, 1, 1, 1]), of)
    assert not judgments._all_different(np.array([1, 1, 0, 0]), of)
    assert judgments._all_different(
        np.zeros(0, dtype=np.int64), of.take(np.zeros(0, dtype=np.int64))
    )


def test_a_column_that_names_collections_is_advised_where_it_tells_grades_apart():
    rows = [("q", "a", 1, "one"), ("q", "a", 3, "two")]
    for name, advised in (("dataset", True), ("note", False)):
        with pytest.raises(ValueError, match="different grades") as caught:
            of(rows, ("query_id", "doc_id", "relevance", name))
        assert ("by='dataset'" in str(caught.value)) == advised
        assert ("subtopic=..." in str(caught.value)) != advised
    with pytest.raises(ValueError, match=r"bind that column: qrels\.ireval\(subtopic=\.\.\.\)"):
        of([(*row[:3], "one") for row in rows], ("query_id", "doc_id", "relevance", "dataset"))


def test_ids_that_are_numbers_are_shown_as_numbers():
    with pytest.raises(ValueError, match=r"e\.g\. \(3, 4\) with 1 and 2\."):
        of([(3, 4, 1), (3, 4, 2)])


def test_one_document_of_many_queries_and_none_at_all_have_keys():
    one = of([("q", "a", 1), ("p", "a", 2), ("r", "a", 0)])
    assert items(one) == [("p", "a", 2.0), ("q", "a", 1.0), ("r", "a", 0.0)]
    assert one.key().tolist() == [0, 1, 2]
    by_subtopic = of([("q", "s", "a", 1), ("p", "s", "a", 2), ("p", "t", "a", 2)], SUBTOPIC)
    assert items(by_subtopic) == [("p", "a", 2.0), ("q", "a", 1.0)]
    assert by_subtopic.key().tolist() == [0, 1]
    table = reader.read(
        pd.DataFrame({"query_id": ["p", "q"], "doc_id": "a", "relevance": 0}), "qrels"
    )
    none = judgments.read_judgments(table, complete=False)
    assert (len(none.docs), none.topic.tolist(), none.key().tolist()) == (0, [], [])
