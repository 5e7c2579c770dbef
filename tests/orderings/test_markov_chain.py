"""Leaving out one run after the other: many systems at once, each as if it was alone."""

import numpy as np
import pytest

from pdeval.orderings.markov_chain import balance, leave_out, stationary


@pytest.mark.parametrize("runs", [2, 3, 4, 7])
def test_many_systems_are_solved_as_each_alone(runs):
    weight = np.random.default_rng(runs).random((5, runs, runs))
    weight[:, np.arange(runs), np.arange(runs)] = 0.0
    below = np.tril_indices(runs, k=-1)
    above = np.triu_indices(runs, k=1)
    for one, found in zip(weight, leave_out(weight)):
        alone = leave_out(one)
        np.testing.assert_allclose(found[below], alone[below], rtol=1e-12)
        np.testing.assert_allclose(found[above], alone[above], rtol=1e-12)
    np.testing.assert_allclose(stationary(weight), [stationary(one) for one in weight], rtol=1e-12)


def systems(seed, runs, count):
    weight = np.random.default_rng(seed).random((count, runs, runs))
    weight[:, np.arange(runs), np.arange(runs)] = 0.0
    return weight


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("runs", [1, 2, 3, 6])
def test_a_walk_is_as_often_at_each_run_after_a_move_as_before(runs, count):
    move = systems(runs, runs, count) / (2 * runs)
    kept = move.copy()
    for found in (stationary(move), np.stack([stationary(one) for one in move])):
        assert found.sum(axis=-1) == pytest.approx(np.ones(count))
        assert (found > 0).all()
        moved = found + np.einsum("sa,sab->sb", found, move) - found * move.sum(axis=-1)
        np.testing.assert_allclose(moved, found, rtol=1e-12)
    assert (move == kept).all()


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("runs", [1, 2, 3, 6])
def test_a_balance_gives_every_run_what_it_should_have(runs, count):
    weight = systems(runs, runs, count)
    weight = weight + weight.transpose(0, 2, 1)
    right = np.random.default_rng(9).normal(size=(count, runs))
    right -= right.mean(axis=-1, keepdims=True)
    kept = right.copy()
    for found in (
        balance(weight, right),
        np.stack([balance(*one) for one in zip(weight, right, strict=True)]),
    ):
        apart = found[:, :, None] - found[:, None, :]
        np.testing.assert_allclose((weight * apart).sum(axis=-1), right, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(found.sum(axis=-1), 0.0, atol=1e-12)
    assert (right == kept).all()


def test_one_row_of_several_systems_is_solved_as_each_alone():
    weight = systems(4, 5, 3)
    np.testing.assert_allclose(
        stationary(weight[None])[0], [stationary(one) for one in weight], rtol=1e-12
    )
    even = weight + weight.transpose(0, 2, 1)
    right = np.random.default_rng(2).normal(size=(3, 5))
    right -= right.mean(axis=-1, keepdims=True)
    alone = [balance(*one) for one in zip(even, right, strict=True)]
    np.testing.assert_allclose(balance(even[None], right[None])[0], alone, rtol=1e-9, atol=1e-12)
