"""Ranked rows ready to be shown: the join's ranking, the rank of any document in any list."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.join import ranks
from pdeval.online.interleaving import rankings
from pdeval.tables.reader import read

RUNS = pd.DataFrame(
    [
        ("x", 1, "a", 1),
        ("x", 1, "b", 2),
        ("x", 2, "c", 1),
        ("y", 1, "b", 1),
        ("y", 1, "c", 2),
        ("y", 1, "a", 3),
    ],
    columns=["run", "query_id", "doc_id", "rank"],
)


def found_in(frame, **rules):
    return rankings(read(frame, "runs"), **rules)


def documents(found, run, query):
    codes = found.top(np.array([run]), np.array([query]), 3)[0]
    return [None if code < 0 else found.docs[code] for code in codes]


def test_lists_come_out_in_rank_order_whatever_the_order_of_rows():
    for seed in range(3):
        found = found_in(RUNS.sample(frac=1, random_state=seed))
        assert documents(found, 0, 0) == ["a", "b", None]
        assert documents(found, 1, 0) == ["b", "c", "a"]
        assert documents(found, 1, 1) == [None, None, None]  # y did not answer query 2


def test_scores_decide_and_equal_scores_go_by_doc_id_descending():
    scored = pd.DataFrame(
        {"run": "r", "query_id": 1, "doc_id": ["a", "c", "b"], "score": [0.5, 0.5, 0.9]}
    )
    assert documents(found_in(scored), 0, 0) == ["b", "c", "a"]
    assert documents(found_in(scored, ties="first"), 0, 0) == ["b", "a", "c"]


def test_every_rank_is_that_of_the_join():
    runs = pdeval.datasets.sample_runs().sample(frac=0.3, random_state=1)
    table = read(runs, "runs")
    for ties in ("docid", "first"):
        found, rank = rankings(table, ties=ties), ranks.ranked(table, ties=ties)
        run = pd.Index(found.runs["run"]).get_indexer(runs["run"].astype(str))
        query, doc = (
            found.queries.get_indexer(runs["query_id"].astype(str)),
            found.docs.get_indexer(runs["doc_id"]),
        )
        np.testing.assert_array_equal(found.rank(run, query, doc), rank)


def test_rank_of_a_document_is_infinite_where_it_is_absent():
    found = found_in(RUNS)
    run, query, doc = np.array([0, 1, 1, 0]), np.array([0, 0, 0, 1]), np.array([1, 0, 2, 0])
    assert found.rank(run, query, doc).tolist() == [2, 3, 2, np.inf]


def test_gaps_and_ranks_from_zero_are_closed():
    gaps = RUNS.assign(rank=RUNS["rank"] * 10 - 10)
    with pytest.warns(UserWarning, match="the ranks of 2 of 3 lists have gaps"):
        closed = found_in(gaps)
    assert closed.places.tolist() == found_in(RUNS).places.tolist()


def test_faults_of_a_run_table_are_those_that_the_join_names():
    with pytest.raises(
        ValueError, match=r"1 duplicate \(run, query, doc\) rows, e\.g\. \('x', 1, 'a'\)"
    ):
        found_in(pd.concat([RUNS, RUNS.iloc[[0]].assign(rank=9)]))
    with pytest.raises(ValueError, match="1 rows have the same rank as another row of their list"):
        found_in(RUNS.assign(rank=[1, 1, 1, 1, 2, 3]))
    with pytest.raises(ValueError, match="the doc column has 1 missing ids"):
        found_in(pd.concat([RUNS, pd.DataFrame([("y", 1, None, 9)], columns=RUNS.columns)]))
    with pytest.raises(ValueError, match="the run table is empty"):
        found_in(RUNS.iloc[:0])
    with pytest.raises(ValueError, match="'expected' has no definite ranks"):
        found_in(RUNS.assign(score=0.5), ties="expected")


def test_keys_do_not_grow_with_lists_that_nobody_answered():
    """13.5: sixty runs of sixty queries with one list each, whose keys are below rows x documents."""
    frame = pd.DataFrame({"run": range(60), "query_id": range(60), "doc_id": "d", "score": 1.0})
    found = found_in(frame)
    assert found.keys.max() < len(frame) * len(found.docs)
    run, query = np.indices((60, 60)).reshape(2, -1)
    assert (
        np.isfinite(found.rank(run, query, np.zeros(3600, dtype=np.int64))).reshape(60, 60).sum()
        == 60
    )
