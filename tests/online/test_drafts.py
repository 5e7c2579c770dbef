"""The arithmetic of drafting, by hand."""

import numpy as np

from pdeval.online.interleaving import NONE, balance, draft, draft_in_turn, shuffled


def test_a_team_takes_its_best_document_that_is_left():
    ranked = np.array([[[1, 2, 3], [1, 3, 4]], [[5, 6, -1], [6, 5, -1]]])
    picker = np.array([[0, 1, 1, 0], [1, 0, 0, 1]])
    # the second list: b takes 6, a takes 5, then neither has anything left
    assert draft(ranked, picker).tolist() == [[1, 3, 4, NONE], [6, 5, NONE, NONE]]


def test_balanced_reading_passes_over_what_is_there_already():
    a, b = np.array([[1, 2, 3], [1, 2, 3]]), np.array([[2, 4, 1], [2, 4, 1]])
    a_in_b, b_in_a = np.array([[3, 1, np.inf]] * 2), np.array([[2, np.inf, 1]] * 2)
    chosen, team = balance(a, b, a_in_b, b_in_a, np.array([True, False]))
    # a first: 1 2 (2) 4 3; reading ends with a.  b first: 2 1 4 (2) (1); reading ends with b, before a's 3
    assert chosen[0, :4].tolist() == [1, 2, 4, 3]
    assert team[0, :4].tolist() == [0, 1, 1, 0]
    assert chosen[1, :4].tolist() == [2, 1, 4, NONE]
    assert team[1, :3].tolist() == [1, 0, 1]


def test_a_random_order_keeps_every_document_and_the_end_last():
    ranked = np.array([[[4, 5, 6, -1]]] * 50)
    found = shuffled(ranked, 4, 1.0, np.random.default_rng(0))
    assert (np.sort(found[:, :, :3], axis=2) == [4, 5, 6]).all()
    assert (found[:, :, 3] == -1).all()
    assert len(set(found[:, 0, 0].tolist())) == 3


def test_the_beginning_of_a_random_order_is_that_of_the_whole():
    ranked = np.arange(40).reshape(1, 2, 20)
    whole = shuffled(ranked, 20, 1.0, np.random.default_rng(1))
    np.testing.assert_array_equal(
        shuffled(ranked, 5, 1.0, np.random.default_rng(1)), whole[:, :, :5]
    )


def test_a_team_with_nothing_left_is_passed_over():
    ranked = np.array([[[1, -1, -1], [1, 3, 4]], [[5, 6, 7], [6, 5, 8]]])
    turn = np.array([[1, 0, 0, 1, 1, 0], [0, 1, 1, 0, 0, 1]])
    chosen, team = draft_in_turn(ranked, turn, 4)
    assert chosen.tolist() == [[1, 3, 4, NONE], [5, 6, 8, 7]]
    assert team.tolist() == [[1, 1, 1, -1], [0, 1, 1, 0]]
    assert draft_in_turn(ranked, turn, 2)[0].tolist() == [[1, 3], [5, 6]]
