"""The recall level that decides, by hand and against lexicographic preferences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdeval.evaluate.pairs import select
from pdeval.experiments import decided_by_level, deciding_levels
from pdeval.experiments.deciding import places
from tests.experiments.rankings import inf, positions, random_positions

FOUND = positions(
    {
        "q": {"a": [1, 3, 9], "b": [1, 4, inf], "c": [1, 3, inf], "d": [1, 3, 9]},
        "s": {"a": [2], "b": [inf], "c": [inf], "d": [2]},
    }
)


def test_the_deciding_level_is_the_lowest_at_which_ranks_differ():
    table = deciding_levels(FOUND)
    assert table.columns.tolist() == ["query_id", "run_a", "run_b", "level"]
    q = table[table["query_id"] == "q"]
    assert (q["run_a"].astype(str) + q["run_b"].astype(str)).tolist() == ["ab", "ac", "ad", "bc", "bd", "cd"]
    assert q["level"].tolist() == [2, 3, 0, 2, 2, 3]
    assert table[table["query_id"] == "s"]["level"].tolist() == [1, 1, 0, 0, 1, 1]


def test_decided_pairs_add_up_and_what_stays_tied_is_missing_to_one():
    table = decided_by_level(FOUND)
    assert table["decided"].tolist() == [4, 3, 2]
    assert table["pairs"].tolist() == [12] * 3
    assert table["ecdf"].tolist() == pytest.approx([4 / 12, 7 / 12, 9 / 12])


def test_runs_that_do_not_count_are_in_no_pair():
    found = positions({"q": {"a": [1], "b": [1], "c": None}, "s": {"a": [2], "b": [3], "c": [4]}})
    table = decided_by_level(found, topics="answered")
    assert table[["decided", "pairs"]].to_numpy().tolist() == [[3, 4]]
    assert len(deciding_levels(found, topics="answered")) == 4


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(2, 6))
def test_both_ways_of_counting_agree_and_zero_means_a_lexicographic_tie(seed, queries, runs):
    found = random_positions(np.random.default_rng(seed), queries=queries, runs=runs)
    levels = deciding_levels(found)["level"].to_numpy()
    table = decided_by_level(found)
    assert [int((levels == i).sum()) for i in table["level"]] == table["decided"].tolist()
    assert int((levels > 0).sum()) == table["decided"].sum()
    preferred = select(found, "sgnLP").cube().values[0].ravel()
    assert ((levels == 0) == (preferred == 0)).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_the_last_place_is_the_lexicographic_order(seed):
    rank = np.sort(np.random.default_rng(seed).integers(1, 4, size=(3, 1, 6)).astype(float), axis=0)
    *_, last = places(rank)
    rows = [tuple(rank[:, 0, run]) for run in range(6)]
    for x, y in itertools.permutations(range(6), 2):
        assert (last[0, x] < last[0, y]) == (rows[x] < rows[y])


def test_one_run_has_no_pairs():
    with pytest.raises(ValueError, match=r"a preference needs two runs; there is one: 'a'."):
        decided_by_level(positions({"q": {"a": [1]}}))
