"""Verbs of click logs: the same as the functions behind them."""

import pandas as pd
import pytest

import pdeval
from pdeval import online


@pytest.fixture(scope="module")
def log():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    some = runs[runs["run"].isin(["hybrid", "bm25", "tfidf"])]
    return online.simulate(some, qrels, model="navigational", sessions=4, reformulate=0.5, seed=2)


ORDER = ["hybrid", "bm25", "tfidf"]


@pytest.mark.parametrize("verb", ["check_log", "per_query", "per_session", "behaviour", "compare_buckets"])
def test_verbs_return_what_the_functions_do(log, verb):
    pd.testing.assert_frame_equal(getattr(log.ireval, verb)(), getattr(online, verb)(log))


def test_options_reach_the_functions(log):
    found = log.ireval.behaviour(["clicks_per_query"], aggregate="median", unit="session", confidence=0.9)
    wanted = online.behaviour(log, ["clicks_per_query"], aggregate="median", unit="session", confidence=0.9)
    pd.testing.assert_frame_equal(found, wanted)
    pd.testing.assert_frame_equal(log.ireval.verdict(ORDER, alpha=0.01), online.verdict(log, ORDER, alpha=0.01))


def test_columns_are_bound_in_the_call_or_on_the_accessor(log):
    other = log.rename(columns={"session": "sid", "query_id": "qid", "doc_id": "docno"})
    found = other.ireval(query="qid", doc="docno").per_query(session="sid")
    wanted = log.ireval.per_query().rename(columns={"session": "sid", "query_id": "qid"})
    pd.testing.assert_frame_equal(found, wanted)


def test_an_unknown_role_is_named(log):
    with pytest.raises(TypeError, match="a click log has no role 'sesion'"):
        log.ireval.per_query(sesion="sid")
