"""Verbs of interleaving: from runs to wins under the caller's own column names."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval import online
from pdeval.judged import ranking
from pdeval.kinds import tables

PAIRS = [("bm25", "hybrid"), ("ql", "tfidf")]


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.load_sample()


def ranked(runs, **rules):
    return runs.assign(rank=ranking.ranked(tables.read(runs, "runs"), **rules))


@pytest.mark.parametrize("method", ["team-draft", "balanced", "probabilistic"])
def test_interleaved_lists_are_those_of_the_function_on_the_joins_ranking(sample, method):
    found = sample.runs.ireval.interleave(method, pairs=PAIRS, depth=5, draws=2, seed=4)
    wanted = online.interleave(ranked(sample.runs), method=method, pairs=PAIRS, depth=5, draws=2, seed=4)
    pd.testing.assert_frame_equal(found, wanted)


def test_tied_scores_are_shown_in_the_order_that_the_measures_see(sample):
    shown = sample.runs.ireval.interleave(pairs=[("tfidf", "bm25")], depth=None)
    by_rank = sample.runs.ireval.interleave(pairs=[("tfidf", "bm25")], depth=None, ties="rank")
    assert not shown["rank_a"].equals(by_rank["rank_a"])
    own = ranked(sample.runs).query("run == 'tfidf'").set_index(["query_id", "doc_id"])["rank"]
    known = shown[np.isfinite(shown["rank_a"])]
    keys = pd.MultiIndex.from_frame(known[["query_id", "doc_id"]].astype(object))
    own.index = pd.MultiIndex.from_frame(own.index.to_frame().astype(object))
    np.testing.assert_array_equal(known["rank_a"], own.reindex(keys))


def test_multileaved_lists_hold_every_run(sample):
    some = sample.runs[sample.runs["run"].isin(["bm25", "hybrid", "tfidf"])]
    wanted = online.multileave(ranked(some), depth=6, draws=3, seed=1)
    pd.testing.assert_frame_equal(some.ireval.multileave(depth=6, draws=3, seed=1), wanted)


def test_from_runs_to_wins_in_verbs_and_in_functions(sample):
    lists = sample.runs.ireval.interleave(pairs=PAIRS, draws=5)
    log = lists.ireval.simulate_clicks(sample.qrels, "navigational", sessions=2, users=20, seed=3)
    plain = online.simulate(lists, sample.qrels, model="navigational", sessions=2, users=20, seed=3)
    pd.testing.assert_frame_equal(log, plain)
    credits = log.ireval.credit(lists, shared="nobody")
    pd.testing.assert_frame_equal(credits, online.credit(lists, log, shared="nobody"))
    for by in ("query", "user", "impression"):
        pd.testing.assert_frame_equal(credits.ireval.wins(by, alpha=0.01), online.wins(credits, by=by, alpha=0.01))
    pd.testing.assert_frame_equal(credits.ireval.click_preferences(), online.preferences(credits))
    order = credits.ireval.click_preferences().query("run_b == 'hybrid'").ireval.order()
    assert order["run"].tolist() == ["hybrid", "bm25"]


def test_other_vocabularies_and_several_run_columns_go_all_the_way(sample):
    runs = sample.runs.merge(sample.metadata[["run", "model", "seed"]], on="run").drop(columns="run")
    runs = runs.rename(columns={"query_id": "qid", "doc_id": "docno"})
    qrels = sample.qrels.rename(columns={"relevance": "label"})  # judgments may speak another vocabulary
    pairs = [(("splade", 1), ("splade", 2))]
    lists = runs.ireval(run=["model", "seed"]).interleave(pairs=pairs)
    assert list(lists)[:5] == ["model_a", "seed_a", "model_b", "seed_b", "qid"]
    log = lists.ireval.simulate_clicks(qrels)
    table = log.ireval.credit(lists).ireval.wins()
    assert table[["model_a", "seed_a", "model_b", "seed_b"]].values.tolist() == [["splade", 1, "splade", 2]]
    prefs = log.ireval.credit(lists).ireval.click_preferences()
    assert list(prefs)[:2] == ["qid", "model_a"]


def test_runs_become_buckets_and_subtopics_their_best_grade(sample):
    some = sample.runs[sample.runs["run"].isin(["bm25", "hybrid"])]
    with_subtopics = pdeval.datasets.sample_qrels(subtopics=True)
    log = some.ireval.simulate_clicks(with_subtopics)
    assert log["bucket"].unique().tolist() == ["bm25", "hybrid"]
    pd.testing.assert_frame_equal(log, some.ireval.simulate_clicks(sample.qrels))


def test_credit_needs_lists(sample):
    log = sample.runs[sample.runs["run"] == "ql"].ireval.simulate_clicks(sample.qrels)
    with pytest.raises(TypeError, match=r"a pandas DataFrame holding interleaved lists .*, got NoneType"):
        log.ireval.credit(None)
    with pytest.raises(ValueError, match="no query and doc columns among x"):
        log.ireval.credit(pd.DataFrame({"x": [1]}))
