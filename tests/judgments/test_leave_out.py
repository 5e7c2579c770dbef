"""Leaving out a run or a team, against scoring on judgments that were cut by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy import stats

import pdeval
from pdeval.judgments.pools import leave_one_out
from tests import naive
from tests.examples import examples
from tests.judgments.test_pools import collections

# x alone found a, y alone found e; b is in both
RUNS = naive.table(
    {"x": {"1": ["a", "b"], "2": ["a", "q"]}, "y": {"1": ["b", "e"], "2": ["c", "a"]}}
)
QRELS = naive.judgments({"1": {"a": 1, "b": 1, "e": 1}, "2": {"a": 1, "z": 1}})


def test_the_worked_example_loses_what_only_it_found():
    found = leave_one_out(RUNS.ireval.join(QRELS), "AP", depth=2)
    assert found.columns.tolist() == [
        "run",
        "measure",
        "method",
        "removed",
        "queries",
        "score",
        "score_without",
        "difference",
        "rank",
        "rank_without",
        "rank_change",
        "tau_b",
    ]
    # x: query 1 (1 + 1)/3, query 2 1/2; without a in query 1: b at 2 of {b, e}: 1/4, and 1/2
    # y: query 1 (1 + 1)/3, query 2 1/4; without e: b at 1 of {a, b}: 1/2, and 1/4
    # without a in query 1, y has b and e at 1 and 2 of {b, e}: 1, and 1/4: y is now ahead of x
    expected = [
        ["x", 1, 2, (2 / 3 + 1 / 2) / 2, (1 / 4 + 1 / 2) / 2, 1, 2, 1, -1.0],
        ["y", 1, 2, (2 / 3 + 1 / 4) / 2, (1 / 2 + 1 / 4) / 2, 2, 2, 0, 1.0],
    ]
    kept = [
        "run",
        "removed",
        "queries",
        "score",
        "score_without",
        "rank",
        "rank_without",
        "rank_change",
        "tau_b",
    ]
    assert found[kept].values.tolist() == expected
    assert found["difference"].tolist() == (found["score_without"] - found["score"]).tolist()


def test_queries_are_those_that_count_for_the_run_itself():  # issue 12, item 29
    runs = RUNS[(RUNS["run"] == "x") | (RUNS["query_id"] == "1")]
    answered = leave_one_out(runs.ireval.join(QRELS, queries="answered"), ["AP", "P@2"], depth=2)
    assert answered.set_index("run")["queries"].to_dict() == {"x": 2, "y": 1}
    assert answered["queries"].tolist() == [2, 1, 2, 1]
    common = leave_one_out(runs.ireval.join(QRELS, queries="common"), "AP", depth=2)
    assert common["queries"].tolist() == [1, 1]


def test_an_item_of_two_runs_of_a_team_belongs_to_the_team_alone():
    runs = pd.concat([RUNS, RUNS[RUNS["run"] == "x"].assign(run="x2")], ignore_index=True)
    judged = runs.ireval.join(QRELS)
    assert leave_one_out(judged, "AP", depth=2)["removed"].tolist() == [0, 0, 1]
    found = leave_one_out(judged, "AP", depth=2, team={"x": "first", "x2": "first", "y": "second"})
    assert found[["run", "team", "removed"]].values.tolist() == [
        ["x", "first", 1],
        ["x2", "first", 1],
        ["y", "second", 1],
    ]


def test_a_shallow_pool_leaves_deep_finds_alone():
    found = leave_one_out(RUNS.ireval.join(QRELS), "AP", depth=1)
    assert found["removed"].tolist() == [2, 1]  # a in both queries; b, which x has at rank 2 only


def test_a_query_with_nothing_left_counts_no_longer():
    qrels = naive.judgments({"1": {"a": 1}, "2": {"a": 1}})
    judged = RUNS.ireval.join(qrels)
    found = leave_one_out(judged, "AP", depth=2)
    assert found["queries"].tolist() == [1, 2]
    assert found["score_without"].tolist() == [1.0, 0.25]
    again = leave_one_out(judged.at(queries="judged"), "AP", depth=2)
    assert again["queries"].tolist() == [2, 2]
    assert again["score_without"].tolist() == [0.5, 0.25]


def test_judgments_that_are_all_one_teams_are_an_error_that_says_so():
    judged = RUNS.ireval.join(naive.judgments({"1": {"a": 1}}))
    with pytest.raises(
        ValueError, match="without the items that only x contributed: no judged query has an item"
    ):
        leave_one_out(judged, "AP", depth=2)


@pytest.mark.parametrize("depth", [0, None, 1.5])
def test_the_depth_is_that_of_a_pool(depth):
    with pytest.raises(ValueError, match="expected an integer of at least 1"):
        RUNS.ireval.join(QRELS).pool.leave_one_out(depth=depth)


def test_the_mean_over_orders_has_no_pool():
    with pytest.raises(
        ValueError, match="ties='expected' gives items no definite rank, so there is no pool"
    ):
        leave_one_out(RUNS.ireval.join(QRELS, ties="expected"))


def cut_by_hand(runs, qrels, run, depth):
    """Return the judgments without those of items that only this run has among its first."""
    first = {}
    for (name, query), docs in naive.lists_of(runs).items():
        for doc in docs[:depth]:
            first.setdefault((query, doc), set()).add(name)
    kept = [first.get(key, set()) != {run} for key in zip(qrels["query_id"], qrels["doc_id"])]
    return qrels[kept]


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:.* judged queries are missing")
@examples(12)
@given(collections())
def test_every_row_equals_scoring_again_on_judgments_cut_by_hand(collection):
    _, runs, qrels = collection
    measures = ["AP", "Bpref", "RPP"]
    names = sorted(runs["run"].unique())
    if len(names) < 2 or not (qrels["relevance"] > 0).any():
        return
    rests = {run: cut_by_hand(runs, qrels, run, 2) for run in names}
    if not all((rest["relevance"] > 0).any() for rest in rests.values()):
        return
    found = leave_one_out(runs.ireval.join(qrels), measures, depth=2).set_index(["run", "measure"])
    full = runs.ireval.order(qrels, measures).set_index(["run", "measure"])
    for run, rest in rests.items():
        part = runs.ireval.order(rest, measures).set_index(["run", "measure"])
        for measure in measures:
            row = found.loc[(run, measure)]
            assert row["score_without"] == pytest.approx(
                part.loc[(run, measure), "score"], abs=1e-12
            )
            assert row["rank_without"] == part.loc[(run, measure), "rank"]
            ranks = [[table.loc[(one, measure), "rank"] for one in names] for table in (full, part)]
            tau = 1.0 if len(rest) == len(qrels) else stats.kendalltau(*ranks).statistic
            assert row["tau_b"] == pytest.approx(tau, nan_ok=True)


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_on_the_sample_no_run_gains_and_families_lose_more_than_single_runs():
    sample = pdeval.datasets.load_sample()
    judged = sample.runs.ireval.join(sample.qrels)
    alone = judged.pool.leave_one_out("AP", depth=20).set_index("run")
    together = judged.pool.leave_one_out(
        "AP", depth=20, team="family", metadata=sample.metadata
    ).set_index("run")
    assert (alone["difference"] <= 1e-12).all()
    assert (together["removed"] >= alone["removed"]).all()
    assert together.groupby("family", observed=True)["removed"].nunique().eq(1).all()
    unique = judged.pool.summary(depth=20)
    np.testing.assert_array_equal(alone["removed"], unique["unique_relevant"])


@pytest.mark.broad
def test_a_team_may_be_a_column_of_the_run_table_itself():
    sample = pdeval.datasets.load_sample()
    runs = sample.runs.merge(sample.metadata[["run", "family"]], on="run")
    found = runs.ireval(run="run").pool.leave_one_out(
        sample.qrels, "AP", depth=20, team="family", queries="common"
    )
    wanted = sample.runs.ireval.pool.leave_one_out(
        sample.qrels, "AP", depth=20, team="family", metadata=sample.metadata, queries="common"
    )
    pd.testing.assert_frame_equal(found, wanted)


@pytest.mark.broad
def test_runs_named_by_several_columns_are_left_out_by_one_of_them():
    sample = pdeval.datasets.load_sample()
    runs = sample.runs.merge(sample.metadata[["run", "model", "seed"]], on="run").drop(
        columns="run"
    )
    found = runs.ireval(run=["model", "seed"]).pool.leave_one_out(
        sample.qrels, "AP", depth=20, team="model", queries="common"
    )
    assert list(found)[:3] == ["model", "seed", "measure"]
    assert found.loc[found["model"] == "dense", "removed"].nunique() == 1


def test_the_table_knows_the_direction_of_its_measures():
    own = pdeval.parse("ASL", label="my length")
    found = leave_one_out(RUNS.ireval.join(QRELS), own, depth=2)
    assert found.attrs["measures"]["my length"]["higher"] is False


def test_28_22_a_series_is_no_team():
    runs, qrels, _ = pdeval.datasets.load_sample()
    with pytest.raises(
        TypeError, match="team= must be a column name or a mapping of runs to teams, found Series"
    ):
        runs.ireval.pool.summary(qrels, team=pd.Series(["a"]))
