"""The description of a collection: Table 1 of papers."""

import numpy as np
import pandas as pd
import pytest

import pdeval

RUNS = pd.DataFrame(
    [
        *[("x", "1", doc, 9.0 - i) for i, doc in enumerate("abcd")],
        *[("x", "2", doc, 9.0 - i) for i, doc in enumerate("ab")],
        *[("y", "1", doc, 9.0 - i) for i, doc in enumerate("ab")],
        *[("x", "3", doc, 9.0 - i) for i, doc in enumerate("a")],
    ],
    columns=["run", "query_id", "doc_id", "score"],
)
QRELS = pd.DataFrame(
    [("1", "a", 2), ("1", "b", 0), ("1", "z", 1), ("2", "a", 1), ("3", "a", 0)],
    columns=["query_id", "doc_id", "relevance"],
)


def described(runs=RUNS, qrels=QRELS, **options):
    return runs.ireval.describe(qrels, **options).iloc[0].to_dict()


@pytest.mark.filterwarnings("ignore:.* judged queries are missing")
def test_lists_and_items_are_counted_over_the_queries_that_count():
    assert described() == {
        "queries": 2,  # the third has nothing relevant
        "runs": 2,
        "docs_per_query": 8 / 3,  # y did not answer query 2
        "judged_per_query": 2.0,
        "relevant_per_query": 1.5,
        "subtopics_per_query": 0.0,
        "grades": "0, 1, 2",
    }
    assert described(queries="judged")["queries"] == 3
    assert described(queries="judged")["judged_per_query"] == 5 / 3
    assert described(level=2)["queries"] == 1
    assert described(level=2)["relevant_per_query"] == 1.0


def test_an_item_judged_for_several_subtopics_is_one_item():
    qrels = pd.DataFrame(
        [("1", "s1", "a", 1), ("1", "s2", "a", 1), ("1", "s2", "b", 0), ("2", "s1", "a", 1)],
        columns=["query_id", "subtopic", "doc_id", "relevance"],
    )
    found = described(RUNS[RUNS["run"] == "x"], qrels)
    assert (
        found["judged_per_query"],
        found["relevant_per_query"],
        found["subtopics_per_query"],
    ) == (1.5, 1.0, 1.5)


def test_many_grades_are_told_by_their_ends():
    qrels = pd.DataFrame(
        {"query_id": "1", "doc_id": list("abcdefghij"), "relevance": np.arange(10) / 2}
    )
    assert described(RUNS[RUNS["run"] == "x"], qrels)["grades"] == "0 to 4.5 (10 different)"


@pytest.mark.broad
def test_collections_have_a_row_each_and_a_report():
    runs, qrels, _ = pdeval.datasets.load_sample()
    both = [
        frame.assign(collection=frame["query_id"].astype(int) % 2).copy() for frame in (runs, qrels)
    ]
    found = both[0].ireval.describe(both[1], by="collection", queries="answered")
    assert found["collection"].tolist() == [0, 1]
    assert found["queries"].tolist() == [25, 25]
    alone = (
        both[0]
        .query("collection == 1")
        .ireval.describe(both[1].query("collection == 1"), queries="answered")
    )
    pd.testing.assert_frame_equal(
        found.iloc[[1], 1:].reset_index(drop=True), alone, check_like=False
    )
    shown = found.ireval.report(digits=2).to_markdown()
    assert "| Collection | Queries | Runs | Docs/query |" in shown
    assert "tied scores" not in shown.lower()


def test_nothing_to_describe_is_an_error():
    with pytest.raises(ValueError, match="so there is no query to evaluate"):
        RUNS.ireval.describe(QRELS.assign(relevance=0))
