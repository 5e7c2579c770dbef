"""Strengths of Bradley and Terry: expected wins are those that were had, for one table of games and for many."""

import numpy as np
import pytest

from pdeval.orderings import bradley_terry as room
from pdeval.orderings.bradley_terry import inverse_curvature, many_strengths, strengths


def played(seed, *, resamples, runs, uneven):
    """Return symmetric numbers of games, and wins that no run has all or none of."""
    rng = np.random.default_rng(seed)
    games = (
        rng.integers(1, 12, (resamples, runs, runs)).astype(float)
        if uneven
        else np.full((resamples, runs, runs), 8.0)
    )
    games = np.triu(games, 1)
    wins = rng.binomial(games.astype(int), rng.random((runs, runs))) * 0.9 + 0.05 * games
    won = wins.sum(axis=-1) + (np.triu(games, 1) - wins).sum(axis=-2)
    return games + games.transpose(0, 2, 1), won


def expected_wins(games, strength):
    odds = np.exp(strength)
    return (games * odds[..., :, None] / (odds[..., :, None] + odds[..., None, :])).sum(axis=-1)


@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize(("runs", "resamples"), [(2, 3), (5, 40), (9, 7), (3, 1)])
def test_expected_wins_are_those_that_were_had(runs, resamples, uneven):
    for seed in range(5):
        games, won = played(seed, resamples=resamples, runs=runs, uneven=uneven)
        many = many_strengths(games, won)
        np.testing.assert_allclose(expected_wins(games, many), won, atol=1e-6)
        np.testing.assert_allclose(many.mean(axis=-1), 0.0, atol=1e-12)
        one = strengths(games[0], won[0])
        np.testing.assert_allclose(expected_wins(games[0], one), won[0], atol=1e-9)
        np.testing.assert_allclose(many[0], one, atol=1e-7)
        np.testing.assert_allclose(strengths(games, won), many, atol=1e-7)


def test_resamples_that_are_far_from_their_mean_are_solved_all_the_same():
    games, won = played(0, resamples=30, runs=4, uneven=True)
    games[3], won[3] = games[3] * 1e-3, won[3] * 1e-3  # hardly a game
    won[7] = (
        games[7].sum(axis=-1) / 2
        + np.array([1.0, 1.0, -1.0, -1.0]) * 0.499 * games[7].sum(axis=-1).min()
    )
    found = many_strengths(games, won)
    np.testing.assert_allclose(
        expected_wins(games, found) / games.sum(axis=-1), won / games.sum(axis=-1), atol=1e-6
    )


def test_the_curvature_times_its_inverse_is_one_but_for_the_mean():
    games, won = played(2, resamples=1, runs=5, uneven=True)
    strength = strengths(games[0], won[0])
    odds = np.exp(strength)
    chance = odds[:, None] / (odds[:, None] + odds)
    weight = games[0] * chance * (1 - chance)
    curvature = np.diag(weight.sum(axis=1)) - weight
    found = inverse_curvature(games[0], strength)
    np.testing.assert_allclose(found @ curvature, np.eye(5) - 0.2, atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 0.0, atol=1e-12)
    assert (found == found.T).all()


@pytest.mark.parametrize("cells", [1, 60])
@pytest.mark.parametrize("uneven", [False, True])
def test_how_many_resamples_are_worked_on_at_once_changes_nothing(monkeypatch, cells, uneven):
    games, won = played(4, resamples=7, runs=5, uneven=uneven)
    whole = many_strengths(games, won)
    monkeypatch.setattr(room, "CELLS", cells)
    np.testing.assert_allclose(many_strengths(games, won), whole, atol=1e-8)


def test_of_no_resamples_there_are_no_strengths():
    assert strengths(np.zeros((0, 3, 3)), np.zeros((0, 3))).shape == (0, 3)


def test_games_that_differ_in_some_resamples_are_not_taken_for_even():
    pairs = [(0, 1), (0, 2), (1, 2)]
    for numbers in ([(4, 5, 6), (4, 4, 6)], [(4, 4, 4), (4, 4, 5)], [(4, 4, 4), (7, 7, 7)]):
        games = np.zeros((2, 3, 3))
        for one, counts in zip(games, numbers, strict=True):
            for (a, b), count in zip(pairs, counts, strict=True):
                one[a, b] = one[b, a] = count
        won = games.sum(axis=-1) * [0.5, 0.6, 0.0]
        won[:, 2] = games.sum(axis=(1, 2)) / 2 - won[:, :2].sum(axis=1)
        found = many_strengths(games, won)
        np.testing.assert_allclose(expected_wins(games, found), won, atol=1e-6)


@pytest.mark.parametrize(("uneven", "steps"), [(False, 10), (True, 13)])
def test_resamples_of_many_games_settle_in_a_few_steps_with_one_curvature(
    monkeypatch, uneven, steps
):
    def never(games, won):
        raise AssertionError(f"{len(won)} resamples did not settle")

    rng = np.random.default_rng(8)
    strength = np.array([0.8, 0.3, 0.0, -0.4, -0.7])
    games = np.triu(rng.integers(30, 60, (6, 5, 5)) if uneven else np.full((6, 5, 5), 40), 1)
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    wins = rng.binomial(games, chance)
    won = (wins.sum(axis=-1) + (games - wins).sum(axis=-2)) * 1.0
    games = (games + games.transpose(0, 2, 1)) * 1.0
    alone = strengths(games, won)
    monkeypatch.setattr(room, "strengths", never)
    monkeypatch.setattr(room, "STEPS", steps)
    found = many_strengths(games, won)
    np.testing.assert_allclose(found, alone, atol=2e-8)
    assert np.abs(found).max() > 0.5
