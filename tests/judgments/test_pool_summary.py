"""What runs gave to a pool, by run, team, query and pair."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.judgments import pools
from tests import naive
from tests.examples import examples
from tests.judgments.test_pools import QRELS, RUNS, collections

TEAMS = {"x": "one", "y": "two", "z": "one"}


def summary(frame=RUNS, depth=2, qrels=None, **options):
    return frame.ireval.pool.summary(qrels, depth=depth, **options)


def test_each_run_is_credited_with_what_only_it_found():
    found = summary(qrels=QRELS)
    assert found.columns.tolist() == [
        "run",
        "queries",
        "contributed",
        "unique",
        "judged",
        "relevant",
        "unique_relevant",
    ]
    assert found.values.tolist() == [
        ["x", 2, 3, 2, 2, 1, 1],
        ["y", 1, 2, 1, 2, 1, 1],
        ["z", 2, 4, 3, 1, 0, 0],
    ]


def test_a_level_says_what_is_relevant():
    assert summary(qrels=QRELS, level=2)["unique_relevant"].tolist() == [1, 0, 0]


def test_a_team_is_credited_with_what_none_of_the_others_found():
    found = summary(qrels=QRELS, team=TEAMS)
    assert found.columns.tolist()[:3] == ["team", "runs", "queries"]
    assert found[["team", "runs", "contributed", "unique", "unique_relevant"]].values.tolist() == [
        ["one", 2, 6, 5, 1],
        ["two", 1, 2, 1, 1],
    ]


def test_the_size_of_a_pool_is_held_against_depth_times_the_runs_that_answered():  # issue 12, item 29
    found = summary(per="query", qrels=QRELS)
    assert found.columns.tolist() == [
        "query_id",
        "runs",
        "contributed",
        "items",
        "maximum",
        "filled",
        "judged",
        "relevant",
    ]
    assert found.values.tolist() == [["1", 3, 6, 4, 6, 4 / 6, 3, 2], ["2", 2, 3, 3, 4, 0.75, 0, 0]]


def test_two_runs_overlap_by_the_items_that_both_have():
    assert summary(per="pair").values.tolist() == [
        ["x", "y", 1, 2, 1, 0.25],
        ["x", "z", 1, 2, 3, 1 / 6],
        ["y", "z", 1, 1, 3, 0.2],
    ]
    assert summary(per="pair", team=TEAMS).values.tolist() == [["one", "two", 1, 5, 1, 1 / 7]]


def test_runs_named_by_several_columns_stay_so():
    frame = RUNS.assign(model="m", seed=RUNS["run"]).drop(columns="run")
    found = frame.ireval(run=["model", "seed"]).pool.summary(per="pair", depth=2)
    assert found.columns.tolist()[:4] == ["model_a", "seed_a", "model_b", "seed_b"]


def test_the_size_of_a_pool_does_not_depend_on_teams():
    with pytest.raises(ValueError, match=r"does not depend on teams. Omit team="):
        summary(per="query", team=TEAMS)
    with pytest.raises(ValueError, match="per='team': choose 'run', 'query' or 'pair'"):
        summary(per="team")
    with pytest.raises(ValueError, match="requires at least two runs or teams, found one"):
        summary(per="pair", team=dict.fromkeys("xyz", "all"))


@pytest.mark.broad
@examples(40)
@given(collections(), st.integers(1, 6), st.sampled_from([1, 1 << 21]))
def test_contributions_and_overlaps_equal_those_of_sets(collection, depth, block):
    _, frame, qrels = collection
    held, grades = {}, naive.grades_of(qrels)
    for (run, query), docs in naive.lists_of(frame).items():
        held.setdefault(run, set()).update((query, doc) for doc in docs[:depth])
    found = summary(frame, depth, qrels)
    for row in found.itertuples():
        others = set().union(*(items for run, items in held.items() if run != row.run))
        relevant = {key for key in held[row.run] if grades.get(key[0], {}).get(key[1], 0) > 0}
        assert (row.contributed, row.unique) == (len(held[row.run]), len(held[row.run] - others))
        assert (row.relevant, row.unique_relevant) == (len(relevant), len(relevant - others))
    if len(held) > 1:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pools, "BLOCK", block)
            pairs = summary(frame, depth, per="pair")
        wanted = [len(held[a] & held[b]) for a, b in itertools.combinations(sorted(held), 2)]
        assert pairs["shared"].tolist() == wanted
