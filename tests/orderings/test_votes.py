"""Votes: ranks inside a query, and win rates from pairs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from pdeval.evaluate import cube
from pdeval.orderings import votes
from pdeval.orderings.votes import (
    check_pairs,
    ranks,
    ranks_by_name,
    ranks_of_means,
    ranks_within,
    votes_of,
    win_rates,
)

grades = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def tables(queries=(1, 6), runs=(2, 6)):
    shape = st.tuples(st.integers(*queries), st.integers(*runs))
    return shape.flatmap(lambda s: arrays(np.float64, s, elements=grades))


def test_tied_scores_share_the_better_rank():
    assert ranks(np.array([[3.0, 1.0, 3.0, 2.0], [1.0, 1.0, 1.0, 1.0]])).tolist() == [
        [1, 4, 1, 3],
        [1, 1, 1, 1],
    ]


def test_scores_within_the_tolerance_are_tied_in_a_chain():
    assert ranks(np.array([1.0, 1.0 + 1e-13, 1.0 + 2e-13, 0.5]), 1.5e-13).tolist() == [1, 1, 1, 4]


def test_a_missing_score_ranks_last():
    assert ranks(np.array([np.nan, -5.0, np.nan])).tolist() == [2, 1, 2]


def test_names_break_every_tie():
    assert ranks_by_name(np.array([1.0, 2.0, 1.0]), np.array([2, 1, 0])).tolist() == [3, 1, 2]


@given(tables())
def test_ranks_count_the_runs_above(x):
    assert (ranks(x) == 1 + (x[:, None, :] > x[:, :, None]).sum(axis=2)).all()


@given(tables(), st.integers(1, 5))
def test_win_rates_are_sums_over_all_opponents_however_the_pairs_are_cut(x, width):
    a, b = cube.all_pairs(x.shape[1])
    difference = x[:, a] - x[:, b]
    blocks = [(slice(k, k + width), difference[:, k : k + width]) for k in range(0, len(a), width)]
    sums, opponents, largest = win_rates(iter(blocks), a, b, queries=len(x), runs=x.shape[1])
    np.testing.assert_array_equal(sums, (x[:, :, None] - x[:, None, :]).sum(axis=2))
    assert (opponents == x.shape[1] - 1).all()
    np.testing.assert_array_equal(largest, np.abs(difference).max(axis=1))


def test_win_rates_do_not_depend_on_the_memory_block(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = cube.all_pairs(7)
    values = rng.normal(size=(5, len(a)))
    whole = win_rates([(slice(0, len(a)), values)], a, b, queries=5, runs=7)[0]
    monkeypatch.setattr(votes, "BLOCK", 1)
    np.testing.assert_array_equal(
        win_rates([(slice(0, len(a)), values)], a, b, queries=5, runs=7)[0], whole
    )


def test_a_pair_that_does_not_count_is_no_opponent():
    a, b = cube.all_pairs(3)
    values = np.array([[1.0, np.nan, np.nan]])
    sums, opponents, _ = win_rates([(slice(0, 3), values)], a, b, queries=1, runs=3)
    assert sums.tolist() == [[1.0, -1.0, 0.0]]
    assert opponents.tolist() == [[1, 1, 0]]


def scores(values, higher=True):
    values = np.array(values, dtype=float)
    runs = pd.DataFrame({"run": list("abcdefgh")[: values.shape[1]]})
    queries = pd.Index([str(q + 1) for q in range(len(values))], name="query_id")
    return cube.Scores(runs, queries, ("AP",), values[None], np.array([higher]))


def preferences(pairs, values, label="RPP"):
    a, b = (np.array(side) for side in zip(*pairs))
    values = np.array(values, dtype=float)
    runs = pd.DataFrame({"run": list("abcdefgh")[: max(a.max(), b.max()) + 1]})
    queries = pd.Index([str(q + 1) for q in range(len(values))], name="query_id")
    return cube.Preferences(runs, queries, (label,), a, b, values[None])


def test_scores_vote_by_their_value_and_win_by_their_differences():
    found = votes_of(scores([[0.5, 0.25, 0.25]]), 0)
    assert found.rank.tolist() == [[1, 2, 2]]
    assert found.wins.tolist() == [[0.5, -0.25, -0.25]]


def test_less_is_better_is_turned():
    assert votes_of(scores([[10.0, 30.0, 20.0]], higher=False), 0).rank.tolist() == [[1, 3, 2]]


def test_a_query_that_does_not_count_for_a_run_has_fewer_opponents():
    found = votes_of(scores([[0.5, 0.25, np.nan], [0.5, 0.25, 0.0]]), 0)
    np.testing.assert_array_equal(found.wins, [[0.25, -0.25, np.nan], [0.75, 0.0, -0.75]])


def test_win_rates_that_differ_by_rounding_are_tied():
    thirds = preferences([(0, 1), (0, 2), (1, 2)], [[0.0, 0.1 + 0.2, 0.3]])
    found = votes_of(thirds, 0)
    assert found.wins[0, 0] != found.wins[0, 1]
    assert found.rank.tolist() == [[1, 1, 3]]


def test_tiny_preferences_still_rank_a_query_where_nothing_says_that_they_are_rounding():
    assert votes_of(preferences([(0, 1)], [[-8e-22]], "own"), 0).rank.tolist() == [[2, 1]]


def test_a_preference_that_is_rounding_for_its_measure_ranks_nobody():  # issue 13, item 1
    assert votes_of(preferences([(0, 1)], [[-1.1e-16]]), 0).rank.tolist() == [[1, 1]]
    assert votes_of(preferences([(0, 1)], [[-1.1e-16], [0.5]], "own"), 0).rank.tolist() == [
        [1, 1],
        [1, 2],
    ]


def test_a_pair_in_both_directions_is_an_error():
    with pytest.raises(
        ValueError, match=r"pair \('a', 'b'\) more than once.*Keep each unordered pair once"
    ):
        check_pairs(preferences([(0, 1), (1, 0)], [[1.0, -1.0]]))


def test_a_run_against_itself_is_an_error():
    with pytest.raises(ValueError, match=r"\('b', 'b'\).*of a run with itself"):
        check_pairs(preferences([(0, 1), (1, 1)], [[1.0, 0.0]]))


def test_missing_pairs_are_an_error_that_names_one():
    with pytest.raises(
        ValueError,
        match=r"4 of 6 pairs of runs; an ordering needs all, e.g. \('a', 'd'\) is missing",
    ):
        check_pairs(preferences([(0, 1), (0, 2), (1, 3), (2, 3)], [[1.0, 1.0, 1.0, 1.0]]))


def test_the_first_two_runs_may_be_what_is_missing():
    with pytest.raises(
        ValueError,
        match=r"5 of 6 pairs of runs; an ordering needs all, e.g. \('a', 'b'\) is missing",
    ):
        check_pairs(preferences([(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], [[1.0] * 5]))


def test_few_pairs_against_several_runs_are_an_error_that_names_no_baseline():
    with pytest.raises(
        ValueError,
        match=r"2 of 6 pairs of runs; an ordering needs all, e.g. \('a', 'c'\) is missing",
    ):
        check_pairs(preferences([(0, 1), (2, 3)], [[1.0, 1.0]]))
    with pytest.raises(
        ValueError,
        match=r"4 of 6 pairs of runs; an ordering needs all, e.g. \('b', 'd'\) is missing",
    ):
        check_pairs(preferences([(0, 1), (0, 2), (0, 3), (1, 2)], [[1.0, 1.0, 1.0, 1.0]]))


def test_pairs_against_a_baseline_only_are_an_error_that_names_it():
    with pytest.raises(
        ValueError,
        match=r"2 of 3 pairs of runs, all against 'b'.*without baseline= or pairs=",
    ):
        check_pairs(preferences([(0, 1), (2, 1)], [[1.0, 1.0]]))


def test_a_gap_inside_a_query_is_an_error_that_names_the_query():
    table = preferences([(0, 1), (0, 2), (1, 2)], [[1.0, 1.0, 1.0], [1.0, 1.0, np.nan]])
    with pytest.raises(
        ValueError,
        match=r"'RPP' lack pairs of runs on 1 of 2 queries, e.g. '2', but win rates need all pairs",
    ):
        votes_of(table, 0)


def test_a_run_without_any_query_is_an_error_that_names_it():
    with pytest.raises(ValueError, match="1 of 3 runs have no value of 'AP' on any query: 'b'"):
        votes_of(scores([[0.5, np.nan, 0.1], [0.5, np.nan, 0.1]]), 0)


def test_runs_without_a_common_query_are_an_error_that_names_them():
    with pytest.raises(ValueError, match="runs 'a' and 'c' have no common query for 'AP'"):
        votes_of(scores([[0.5, 0.2, np.nan], [np.nan, 0.2, 0.1]]), 0)


def test_infinite_scores_are_an_error():
    with pytest.raises(ValueError, match=r"measure 'AP' has 1 infinite values, which have no mean"):
        votes_of(scores([[0.5, np.inf]]), 0)


def test_infinite_preferences_are_an_error():
    runs, queries = pd.DataFrame({"run": ["a", "b"]}), pd.Index(["1", "2"], name="query_id")
    a, b = cube.all_pairs(2)
    source = cube.Preferences(runs, queries, ("RPP",), a, b, np.array([[[0.5], [-np.inf]]]))
    with pytest.raises(ValueError, match="measure 'RPP' has 1 infinite values, which have no mean"):
        votes_of(source, 0)


def test_breaking_ties_by_name_needs_every_run_on_every_query():
    with pytest.raises(
        ValueError,
        match="compat='pref_eval' needs all runs on all queries; 'b' has no 'AP' on query '2'",
    ):
        votes_of(scores([[0.5, 0.2], [0.5, np.nan]]), 0, name=np.array([1, 0]))


def test_the_size_of_what_win_rates_are_sums_of_is_that_of_the_largest_query():
    rates = np.array([[0.5, 0.5], [0.25, 0.75]])
    held = votes.Votes.of(None, rates, votes.NOISE * np.array([[2.0], [8.0]]), None)
    assert held.size == pytest.approx(8.0)


def test_pairs_in_any_order_have_the_sums_opponents_and_largest_of_pairs_in_order():
    random = np.random.default_rng(3)
    a, b = np.triu_indices(5, k=1)
    values = random.normal(size=(7, 10)) * np.arange(1, 8)[:, None]
    values[random.random(values.shape) < 0.2] = np.nan
    turned = random.permutation(10)
    wanted = win_rates([(slice(0, 10), values)], a, b, queries=7, runs=5)
    found = win_rates([(slice(0, 10), values[:, turned])], a[turned], b[turned], queries=7, runs=5)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(found[1], wanted[1])
    np.testing.assert_array_equal(found[2], wanted[2])
    assert found[2].tolist() == np.nanmax(np.abs(values), axis=1).tolist()


def test_runs_without_any_preference_are_named_at_most_three():
    runs, queries = pd.DataFrame({"run": list("abcdef")}), pd.Index(["1", "2"], name="query_id")
    a, b = cube.all_pairs(6)
    values = np.where((a < 2) & (b < 2), 0.5, np.nan)[None, None] * np.ones((1, 2, 1))
    source = cube.Preferences(runs, queries, ("RPP",), a, b, values)
    with pytest.raises(
        ValueError, match=r"4 of 6 runs have no value of 'RPP' on any query: 'c', 'd', 'e'\. Drop"
    ):
        votes_of(source, 0)


def test_one_run_alone_meets_nobody():
    none = np.array([], dtype=np.int64)
    found = win_rates([(slice(0, 0), np.zeros((3, 0)))], none, none, queries=3, runs=1)
    assert [one.tolist() for one in found] == [[[0.0]] * 3, [[0]] * 3, [0.0] * 3]


def plain_win_rates(values, a, b, runs):
    """Pair by pair, query by query."""
    sums, opponents, largest = (
        np.zeros((len(values), runs)),
        np.zeros((len(values), runs), dtype=int),
        np.zeros(len(values)),
    )
    for query, row in enumerate(values):
        for one, two, value in zip(a, b, row, strict=True):
            if not np.isnan(value):
                sums[query, one] += value
                sums[query, two] -= value
                opponents[query, [one, two]] += 1
                largest[query] = max(largest[query], abs(value))
    return sums, opponents, largest


@pytest.mark.parametrize("block", [1, 40, 1 << 21])
@pytest.mark.parametrize("order", ["by first run", "by second run", "any, some twice"])
def test_win_rates_are_those_of_a_loop_over_pairs_in_any_order(monkeypatch, order, block):
    monkeypatch.setattr(votes, "BLOCK", block)
    for seed, runs in enumerate((2, 3, 4, 5, 6)):
        random = np.random.default_rng(seed)
        a, b = np.triu_indices(runs, k=1)
        if order == "by second run":
            a, b = (side[np.lexsort((a, b))] for side in (a, b))
        if order == "any, some twice":
            chosen, turned = random.integers(0, len(a), len(a) + 2), random.random(len(a) + 2) < 0.5
            a, b = np.where(turned, b[chosen], a[chosen]), np.where(turned, a[chosen], b[chosen])
        values = random.integers(-8, 9, (3, len(a))) / 4.0  # quarters, whose sums are exact
        if seed % 2:
            values[random.random(values.shape) < 0.3] = np.nan
        width = 1 + seed
        blocks = [(slice(k, k + width), values[:, k : k + width]) for k in range(0, len(a), width)]
        found = win_rates(iter(blocks), a, b, queries=3, runs=runs)
        for ours, wanted in zip(found, plain_win_rates(values, a, b, runs), strict=True):
            assert ours.tolist() == wanted.tolist()
            assert ours.dtype == wanted.dtype


def test_a_pair_that_stands_twice_counts_twice():
    twice = np.array([0, 0]), np.array([1, 1])
    sums, opponents, largest = win_rates(
        [(slice(0, 2), np.array([[1.0, 0.5]]))], *twice, queries=1, runs=2
    )
    assert (sums.tolist(), opponents.tolist(), largest.tolist()) == ([[1.5, -1.5]], [[2, 2]], [1.0])


def test_runs_rank_by_their_means_the_better_way_to_within_rounding_of_the_values():
    values = np.array([[10.0, 30.0, 20.0], [20.0, np.nan, 20.0]])
    assert ranks_of_means(values).tolist() == [3, 1, 2]
    assert ranks_of_means(values, higher=False).tolist() == [1, 3, 2]
    large = 1e6 * np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1 + 1e-14]])  # 1e-8 apart, of a million
    assert ranks_of_means(large).tolist() == [1, 1]
    assert ranks_of_means(large - [[0.0, 1e-3]]).tolist() == [1, 2]
    assert ranks_of_means(np.array([[1e-13, 3e-13]])).tolist() == [2, 1]
    assert ranks_of_means(np.zeros((3, 0))).tolist() == []


def sets_by_hand(score, drawn, n, confidence, kind):
    """Simultaneous tests of every pair, one by one."""
    runs = range(len(score))
    spread = {
        (a, b): np.sqrt(np.mean((drawn[:, a] - drawn[:, b] - score[a] + score[b]) ** 2))
        for a in runs
        for b in runs
        if a != b
    }
    largest = [
        [
            max(abs(row[a] - row[b] - score[a] + score[b]) / spread[a, b] for b in runs if b != a)
            for row in drawn
        ]
        for a in runs
    ]
    if kind == "joint":
        largest = [[max(row) for row in zip(*largest)]] * len(runs)
    ends = []
    for a in runs:
        normal = sorted(largest[a])[int(np.ceil(confidence * len(drawn) - 1e-9)) - 1]
        critical = stats.t.isf(stats.norm.sf(normal), n - 1) * np.sqrt(n / (n - 1))
        gaps = [(score[b] - score[a]) / spread[a, b] for b in runs if b != a]
        above, below = (
            sum(gap > critical for gap in gaps),
            sum(gap < -critical for gap in gaps),
        )
        ends.append((1 + above, len(score) - below))
    return np.array(ends).T


@pytest.mark.parametrize("kind", ["marginal", "joint"])
@pytest.mark.parametrize("n", [8, 60])
def test_rank_intervals_are_those_of_simultaneous_tests_of_pairs(kind, n):
    rng = np.random.default_rng(n)
    score = np.array([0.0, 0.1, 0.4, 0.5, 1.5])
    drawn = score + rng.normal(0, 0.11, (200, 5)) + rng.normal(0, 1, (200, 1))
    found = ranks_within(score, drawn, ranks(drawn), 0.9, n=n, kind=kind)
    assert found.tolist() == sets_by_hand(score, drawn, n, 0.9, kind).tolist()
    assert found[0, -1] == found[1, -1] == 1  # far ahead of all others


def test_joint_intervals_contain_marginal_ones_and_both_contain_the_rank():
    rng = np.random.default_rng(3)
    score = rng.normal(size=12)
    drawn = score + rng.normal(0, 0.3, (300, 12))
    ends = {
        kind: ranks_within(score, drawn, ranks(drawn), 0.95, n=20, kind=kind)
        for kind in ("marginal", "joint")
    }
    assert (ends["joint"][0] <= ends["marginal"][0]).all()
    assert (ends["joint"][1] >= ends["marginal"][1]).all()
    assert (ends["marginal"][0] <= ranks(score)).all()
    assert (ends["marginal"][1] >= ranks(score)).all()


def test_runs_with_equal_values_share_their_rank_interval():
    rng = np.random.default_rng(4)
    drawn = np.repeat(rng.normal([1.0, 0.0], 0.05, (200, 2)), 2, axis=1)
    score = np.array([1.0, 1.0, 0.0, 0.0])
    found = ranks_within(score, drawn, ranks(drawn), 0.95, n=50)
    assert found.tolist() == [[1, 1, 3, 3], [1, 1, 3, 3]]
