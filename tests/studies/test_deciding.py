"""The recall level that decides, by hand and against lexicographic preferences."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.evaluate.pairs import select
from pdeval.studies.ties import deciding_ecdf as decided
from pdeval.studies.ties import deciding_levels as deciding
from pdeval.studies.ties import places
from tests.examples import examples
from tests.studies.rankings import inf, judged, random_judged

FOUND = judged(
    {
        "q": {"a": [1, 3, 9], "b": [1, 4, inf], "c": [1, 3, inf], "d": [1, 3, 9]},
        "s": {"a": [2], "b": [inf], "c": [inf], "d": [2]},
    }
)


def test_the_deciding_level_is_the_lowest_at_which_ranks_differ():
    table = deciding(FOUND)
    assert table.columns.tolist() == ["run_a", "run_b", "query_id", "recall"]
    q = table[table["query_id"] == "q"]
    assert (q["run_a"].astype(str) + q["run_b"].astype(str)).tolist() == [
        "ab",
        "ac",
        "ad",
        "bc",
        "bd",
        "cd",
    ]
    assert q["recall"].tolist() == [2, 3, 0, 2, 2, 3]
    assert table[table["query_id"] == "s"]["recall"].tolist() == [1, 1, 0, 0, 1, 1]


def test_decided_pairs_add_up_and_what_stays_tied_is_missing_to_one():
    table = decided(FOUND)
    assert table["decided"].tolist() == [4, 3, 2]
    assert table["pairs"].tolist() == [12] * 3
    assert table["ecdf"].tolist() == pytest.approx([4 / 12, 7 / 12, 9 / 12])


def test_runs_that_do_not_count_are_in_no_pair():
    found = judged({"q": {"a": [1], "b": [1], "c": None}, "s": {"a": [2], "b": [3], "c": [4]}})
    table = decided(found.at(queries="answered"))
    assert table[["decided", "pairs"]].to_numpy().tolist() == [[3, 4]]
    assert len(deciding(found.at(queries="answered"))) == 4


@examples(25)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(2, 6))
def test_both_ways_of_counting_agree_and_zero_means_a_lexicographic_tie(seed, queries, runs):
    found = random_judged(np.random.default_rng(seed), queries=queries, runs=runs)
    levels = deciding(found).sort_values(["query_id", "run_a", "run_b"])["recall"].to_numpy()
    table = decided(found)
    assert [int((levels == i).sum()) for i in table["recall"]] == table["decided"].tolist()
    assert int((levels > 0).sum()) == table["decided"].sum()
    preferred = select(found, "sgnLP").cube().values[0].ravel()
    assert ((levels == 0) == (preferred == 0)).all()


@examples(25)
@given(st.integers(0, 10_000))
def test_the_last_place_is_the_lexicographic_order(seed):
    rank = np.sort(np.random.default_rng(seed).integers(1, 4, size=(3, 1, 6)).astype(float), axis=0)
    *_, last = places(rank)
    rows = [tuple(rank[:, 0, run]) for run in range(6)]
    for x, y in itertools.permutations(range(6), 2):
        assert (last[0, x] < last[0, y]) == (rows[x] < rows[y])


def test_one_run_has_no_pairs():
    with pytest.raises(ValueError, match=r"a preference needs two runs; there is one: 'a'."):
        decided(judged({"q": {"a": [1]}}))
