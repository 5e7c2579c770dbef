"""Run tables as rankings: order, ranks of documents, faults."""

import numpy as np
import pandas as pd
import pytest

from pdeval.online.rankings import rankings

RUNS = pd.DataFrame(
    [("x", 1, "a", 1), ("x", 1, "b", 2), ("x", 2, "c", 1), ("y", 1, "b", 1), ("y", 1, "c", 2), ("y", 1, "a", 3)],
    columns=["run", "query_id", "doc_id", "rank"],
)


def documents(found, run, query):
    codes = found.top(np.array([run]), np.array([query]), 3)[0]
    return [None if code < 0 else found.docs[code] for code in codes]


def test_lists_come_out_in_rank_order_whatever_the_order_of_rows():
    for seed in range(3):
        found = rankings(RUNS.sample(frac=1, random_state=seed))
        assert documents(found, 0, 0) == ["a", "b", None]
        assert documents(found, 1, 0) == ["b", "c", "a"]
        assert documents(found, 1, 1) == [None, None, None]  # y did not answer query 2


def test_without_ranks_scores_decide_and_equal_scores_go_by_doc_id_descending():
    scored = pd.DataFrame({"run": "r", "query_id": 1, "doc_id": ["a", "c", "b"], "score": [0.5, 0.5, 0.9]})
    assert documents(rankings(scored), 0, 0) == ["b", "c", "a"]


def test_rank_of_a_document_is_infinite_where_it_is_absent():
    found = rankings(RUNS)
    run, query, doc = np.array([0, 1, 1, 0]), np.array([0, 0, 0, 1]), np.array([1, 0, 2, 0])
    assert found.rank(run, query, doc).tolist() == [2, 3, 2, np.inf]


def test_gaps_and_ranks_from_zero_are_closed():
    gaps = RUNS.assign(rank=RUNS["rank"] * 10 - 10)
    assert rankings(gaps).places.tolist() == rankings(RUNS).places.tolist()


def test_runs_are_found_by_id_or_by_a_tuple_of_ids():
    two = RUNS.assign(seed=1).rename(columns={"run": "model"})
    found = rankings(two, run=["model", "seed"])
    assert found.find([("y", 1)]).tolist() == [1]
    assert rankings(RUNS).find(["y", "x"]).tolist() == [1, 0]
    with pytest.raises(KeyError, match=r"no run 'z' in the run table; it has 2 runs, e.g. x, y"):
        rankings(RUNS).find(["z"])


def test_every_fault_of_a_run_table_is_named_at_once():
    bad = pd.concat([RUNS, RUNS.iloc[[0]], pd.DataFrame([("y", 1, None, 9)], columns=RUNS.columns)])
    with pytest.raises(ValueError, match="the run table cannot be ranked") as caught:
        rankings(bad)
    for fault in ("1 rows without a doc_id", "1 duplicate (run, query, doc) rows, e.g. ('x', 1, 'a')", "1 equal ranks"):
        assert fault in str(caught.value)
    with pytest.raises(ValueError, match="no column run, rank or score; it has query_id, doc_id"):
        rankings(RUNS[["query_id", "doc_id"]])
    with pytest.raises(ValueError, match="it has no rows"):
        rankings(RUNS.iloc[:0])
    with pytest.raises(ValueError, match="not numbers"):
        rankings(RUNS.assign(rank=RUNS["rank"].astype(str)))
