"""Standings: the same numbers as the verbs that order."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.orderings.order import RunOrders, run_orders

MEASURES = ["AP", "RPP", "rrLP", "ASL"]


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
@pytest.mark.parametrize("queries", ["relevant", "answered"])
def test_a_standing_holds_what_order_returns(queries):
    joined = pdeval.datasets.sample_runs().ireval.join(
        pdeval.datasets.sample_qrels(), queries=queries
    )
    found = run_orders(joined, MEASURES)
    orders = joined.order(MEASURES)
    assert found.keys == list(dict.fromkeys(zip(orders["measure"], orders["method"])))
    for row, (measure, _) in enumerate(found.keys):
        part = (
            orders[orders["measure"] == measure].set_index("run").loc[joined.positions.runs["run"]]
        )
        np.testing.assert_array_equal(found.score[row], part["score"])
        np.testing.assert_array_equal(found.rank[row], part["rank"])


@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_several_methods_are_several_rows_and_levels_have_their_own_queries():
    joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    found = run_orders(joined, ["AP", "AP(level=3)"], method=["mean", "borda"])
    assert found.keys == [
        ("AP", "mean"),
        ("AP", "borda"),
        ("AP(level=3)", "mean"),
        ("AP(level=3)", "borda"),
    ]
    top = pdeval.datasets.sample_qrels().query("relevance == 3")["query_id"].nunique()
    assert found.queries.tolist() == [50, 50, top, top]


def test_a_measure_with_more_queries_than_the_call_may_be_answered_unevenly():
    runs = pd.DataFrame(
        [("a", "1", "d", 2.0), ("a", "2", "e", 1.0), ("b", "1", "e", 2.0)],
        columns=["run", "query_id", "doc_id", "score"],
    )
    qrels = pd.DataFrame(
        [("1", "d", 2), ("2", "e", 1)], columns=["query_id", "doc_id", "relevance"]
    )
    joined = runs.ireval.join(qrels, level=2, queries="answered")
    order = joined.order(["RPP", "RPP(level=1)"])
    assert order["run"].tolist() == ["a", "b", "a", "b"]
    assert order["score"].tolist() == [1.0, -1.0, 1.0, -1.0]


@pytest.mark.broad
def test_a_warning_about_missing_queries_is_given_once_or_not_at_all(recwarn):
    joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels())
    run_orders(joined, MEASURES, warn=False)
    assert len(recwarn) == 0
    run_orders(joined, MEASURES)
    assert len(recwarn) == 1


def test_the_columns_of_a_standing_name_the_measure_and_method_of_each_key():
    held = RunOrders(
        [("AP", "mean"), ("RPP", "mc4")], np.array([3, 3]), np.zeros((2, 1)), np.ones((2, 1))
    )
    found = held.columns(np.array([1, 0, 1]))
    assert {name: list(column) for name, column in found.items()} == {
        "measure": ["RPP", "AP", "RPP"],
        "method": ["mc4", "mean", "mc4"],
    }


def test_a_query_counts_that_any_run_answered():
    runs = pd.DataFrame(
        [("a", "1", "d", 2.0), ("a", "2", "e", 1.0), ("b", "1", "e", 2.0)],
        columns=["run", "query_id", "doc_id", "score"],
    )
    qrels = pd.DataFrame({"query_id": ["1", "2", "3"], "doc_id": ["d", "e", "f"], "relevance": 1})
    found = run_orders(runs.ireval.join(qrels, queries="answered"), ["AP", "RR"])
    assert found.queries.tolist() == [2, 2]
    assert found.score.tolist() == [[1.0, 0.0], [1.0, 0.0]]


def test_a_standing_is_not_changed_afterwards():
    held = RunOrders([("AP", "mean")], np.array([3]), np.zeros((1, 1)), np.ones((1, 1)))
    with pytest.raises(AttributeError):
        held.keys = []
