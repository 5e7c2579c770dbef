"""Tallies: who is above whom over all queries, and by how much each run leads, counted pair by pair."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pdeval.orderings import votes
from pdeval.orderings.votes import ranks, surplus, surplus_of_pairs, tally
from tests.examples import examples

grades = st.sampled_from([0.0, 0.25, 0.5, 1.0])


def tables(queries=(1, 6), runs=(2, 6)):
    shape = st.tuples(st.integers(*queries), st.integers(*runs))
    return shape.flatmap(lambda s: arrays(np.float64, s, elements=grades))


def test_the_tally_does_not_depend_on_the_memory_block(monkeypatch):
    rng = np.random.default_rng(1)
    rank, known, weights = (
        rng.integers(1, 5, (9, 5)),
        rng.random((9, 5)) > 0.2,
        rng.integers(0, 3, (4, 9)),
    )
    whole = tally(rank, known, weights)
    monkeypatch.setattr(votes, "BLOCK", 1)
    np.testing.assert_array_equal(tally(rank, known, weights), whole)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("block", [1, 30, 1 << 21])
def test_every_vote_of_every_resample_is_counted_however_many_queries_are_looked_at_at_a_time(
    monkeypatch, gaps, block
):
    monkeypatch.setattr(votes, "BLOCK", block)
    for seed, (queries, runs) in enumerate([(1, 1), (1, 4), (7, 2), (5, 5)]):
        rng = np.random.default_rng(seed)
        rank = ranks(rng.integers(0, 4, (queries, runs)) * 1.0)
        known = rng.random((queries, runs)) > 0.3 if gaps else np.ones((queries, runs), dtype=bool)
        weights = rng.integers(0, 4, (3, queries))
        net, shared = np.zeros((2, 3, runs, runs))
        for draw, q, i, j in itertools.product(range(3), range(queries), range(runs), range(runs)):
            if i != j and known[q, i] and known[q, j]:
                net[draw, i, j] += weights[draw, q] * (
                    (rank[q, i] < rank[q, j]) - int(rank[q, i] > rank[q, j])
                )
                shared[draw, i, j] += weights[draw, q]
        found = tally(rank, known, weights)
        assert [one.tolist() for one in found] == [net.tolist(), shared.tolist()]
        assert {one.dtype for one in found} == {np.dtype(np.float64)}
        lead = np.divide(net, shared, out=np.zeros(net.shape), where=shared > 0).sum(axis=-1)
        np.testing.assert_allclose(surplus(rank, known, weights), lead, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(surplus_of_pairs(net, shared), lead, rtol=1e-12, atol=1e-14)


def test_the_surplus_of_pairs_with_few_or_no_games_is_a_sum_of_quotients():
    net = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 2.0], [0.0, -2.0, 0.0]])
    shared = np.array(
        [[0.0, 4.0, 0.0], [4.0, 0.0, 5.0], [0.0, 5.0, 0.0]]
    )  # the first and the third never met
    assert surplus_of_pairs(net, shared).tolist() == pytest.approx(
        [0.25, -0.25 + 0.4, -0.4], abs=1e-15
    )
    assert surplus_of_pairs(np.zeros((2, 0, 0)), np.zeros((2, 0, 0))).shape == (2, 0)
    drawn = surplus_of_pairs(np.stack([net, 0 * net]), np.stack([shared, 0 * shared]))
    assert drawn[1].tolist() == [0.0, 0.0, 0.0]
    assert drawn[0].tolist() == surplus_of_pairs(net, shared).tolist()
    # of complete data nothing is added to whole numbers: equal leads are equal to the last bit
    thirds = surplus_of_pairs(
        np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0]]), 3.0 * (1 - np.eye(3))
    )
    assert thirds.tolist() == [1.0, 0.0, -1.0]


def test_runs_of_equal_leads_are_equal_to_the_last_bit_in_every_resample():
    net = np.array([[0, 7, 0, 0], [3, 0, 4, 0], [1, 2, 0, 4], [9, -1, -1, 0]]) * 1.0
    queries = np.arange(10, 60)  # a share of them, such as 7 / 49, is no exact number
    found = surplus_of_pairs(np.stack([net] * 50), queries[:, None, None] * (1.0 - np.eye(4)))
    assert (found == found[:, :1]).all()
    np.testing.assert_allclose(found[:, 0], 7 / queries, rtol=1e-14)


def test_a_resample_without_a_query_of_a_run_has_no_lead():
    rank, known = np.array([[1, 2], [2, 1]]), np.ones((2, 2), dtype=bool)
    assert surplus(rank, known, np.array([[0, 0], [3, 1]])).tolist() == [[0.0, 0.0], [0.5, -0.5]]


@examples(20)
@given(tables(), st.data())
def test_the_tally_counts_votes_over_the_queries_that_have_both(x, data):
    known = data.draw(arrays(np.bool_, x.shape))
    weights = data.draw(arrays(np.int64, (2, len(x)), elements=st.integers(0, 3)))
    net, shared = tally(ranks(x), known, weights)
    for r, i, j in itertools.product(range(2), range(x.shape[1]), range(x.shape[1])):
        both = known[:, i] & known[:, j] & (i != j)
        assert net[r, i, j] == (weights[r] * np.sign(x[:, i] - x[:, j]))[both].sum()
        assert shared[r, i, j] == weights[r][both].sum()


@examples(20)
@given(tables(), st.data())
def test_the_surplus_is_that_of_the_pairs_to_the_last_bit(x, data):
    weights = data.draw(arrays(np.int64, (2, len(x)), elements=st.integers(0, 3)))
    known = np.ones(x.shape, dtype=bool)
    net, shared = tally(ranks(x), known, weights)
    most = np.maximum(weights.sum(axis=1), 1.0)
    assert surplus(ranks(x), known, weights).tolist() == (net.sum(axis=-1) / most[:, None]).tolist()
    gaps = known & data.draw(arrays(np.bool_, x.shape))
    net, shared = tally(ranks(x), gaps, weights)
    quotients = (net / np.maximum(shared, 1)).sum(axis=-1)
    np.testing.assert_allclose(surplus(ranks(x), gaps, weights), quotients, atol=1e-14)
