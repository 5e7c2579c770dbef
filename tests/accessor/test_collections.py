"""Verbs of pools: the same as the functions behind them, under the caller's own column names."""

import pandas as pd
import pytest

import pdeval
from pdeval.collections import leave_out, pooling, pools, residuals, teams
from pdeval.kinds import tables

pytestmark = pytest.mark.filterwarnings("ignore:.* judged queries are missing")


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.load_sample()


@pytest.fixture(scope="module")
def terrier(sample):
    """The sample collection under PyTerrier's names."""
    runs = sample.runs.rename(columns={"run": "name", "query_id": "qid", "doc_id": "docno"})
    return runs, sample.qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def test_pool_is_that_of_the_function_with_and_without_grades(sample):
    pool = pools.pooled(tables.read(sample.runs, "runs"), 10)
    pd.testing.assert_frame_equal(sample.runs.ireval.pool(10), pools.frame(pool))
    graded = pools.frame(pool, qrels=tables.read(sample.qrels, "qrels"))
    pd.testing.assert_frame_equal(sample.runs.ireval.pool(10, qrels=sample.qrels), graded)
    assert list(sample.runs.ireval.pool(10, by_run=True)) == ["query_id", "doc_id", "run", "rank"]


def test_a_pool_of_depth_20_holds_the_judgments_of_the_runs_that_made_it(sample):
    outside = ["dense-s3", "rerank-s1", "rerank-s2"]
    answered = ~sample.qrels["query_id"].isin(["117", "138"])  # ql gave its answers to the pool, and lost them
    inside = sample.runs[~sample.runs["run"].isin(outside) & ~sample.runs["query_id"].isin(["117", "138"])]
    pool = inside.ireval.pool(20, qrels=sample.qrels, ties="rank")
    assert pool["relevance"].notna().all()
    assert len(pool) == answered.sum()


def test_a_pool_keeps_the_callers_column_names(terrier):
    runs, qrels = terrier
    assert list(runs.ireval.pool(5, qrels=qrels)) == ["qid", "docno", "runs", "rank", "label"]
    assert list(runs.ireval.pool_summary(by="pair", depth=5))[:2] == ["name_a", "name_b"]


@pytest.mark.parametrize("by", ["run", "query", "pair"])
def test_pool_summary_is_that_of_the_function(sample, by):
    pool = pools.pooled(tables.read(sample.runs, "runs"), 20)
    wanted = pooling.summary(pool, by=by, qrels=tables.read(sample.qrels, "qrels"), level=2)
    pd.testing.assert_frame_equal(sample.runs.ireval.pool_summary(sample.qrels, by=by, depth=20, level=2), wanted)


def test_a_team_may_be_a_column_of_the_run_table_itself(sample):
    table = sample.runs.merge(sample.metadata[["run", "family"]], on="run")
    wanted = sample.runs.ireval.pool_summary(team="family", metadata=sample.metadata)
    pd.testing.assert_frame_equal(table.ireval(run="run").pool_summary(team="family"), wanted)
    with pytest.raises(ValueError, match="team='family' names a column of the metadata: pass them as metadata="):
        sample.runs.ireval.pool_summary(team="family")


def test_leave_one_out_is_that_of_the_function(sample):
    joined = sample.runs.ireval.join(sample.qrels, level=2)
    family = teams.of(joined.positions.runs, "family", sample.metadata)
    wanted = leave_out.leave_one_out(joined.positions, ["AP", "RPP"], depth=20, teams=family, level=2)
    found = sample.runs.ireval.leave_one_out(
        sample.qrels, ["AP", "RPP"], depth=20, team="family", metadata=sample.metadata, level=2
    )
    pd.testing.assert_frame_equal(found, wanted)


def test_leave_one_out_works_on_runs_named_by_several_columns(sample):
    table = sample.runs.merge(sample.metadata[["run", "model", "seed"]], on="run").drop(columns="run")
    found = table.ireval(run=["model", "seed"]).leave_one_out(sample.qrels, "AP", depth=20, team="model")
    assert list(found)[:3] == ["model", "seed", "measure"]
    assert found.loc[found["model"] == "dense", "removed"].nunique() == 1


def test_residuals_are_those_of_the_function(sample):
    joined = sample.runs.ireval.join(sample.qrels, topics="common")
    wanted = residuals.residuals(joined.positions, ["AP", "RBP"], depth=5, by_query=True, topics="common")
    found = sample.runs.ireval.residuals(sample.qrels, ["AP", "RBP"], depth=5, by_query=True, topics="common")
    pd.testing.assert_frame_equal(found, wanted)


def test_judged_at_k_per_run_is_a_measure(sample):
    means = sample.runs.ireval.measure(sample.qrels, "Judged@10").ireval.summary().set_index("run")["mean"]
    assert means["splade-s1"] == 1
    assert means["rerank-s1"] < 0.95


@pytest.mark.parametrize("verb", ["leave_one_out", "residuals"])
def test_an_unknown_rule_is_named(sample, verb):
    with pytest.raises(TypeError, match=rf"{verb}\(\) has no option 'topic'; the rules of a join are"):
        getattr(sample.runs.ireval, verb)(sample.qrels, "AP", topic="judged")


def test_a_pool_needs_a_run_table(sample):
    with pytest.raises(ValueError, match="the run table has neither a score nor a rank column"):
        sample.qrels.ireval.pool()
