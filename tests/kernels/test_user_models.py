"""Readers who go down the list: when they stop, and what grades beyond the scale count as."""

import numpy as np
import pytest

from pdeval.kernels.user_models import ERR, cascade, gRBP, nERR, stopping

inf = np.inf


def test_a_grade_beyond_the_scale_satisfies_as_its_top_does():
    # (2^grade - 1) / 2^top, a grade of at most the top
    assert stopping(np.array([0.0, 1.0, 2.0, 3.0]), 2).tolist() == [0.0, 0.25, 0.75, 0.75]
    assert stopping(np.array([0.0, 1.0, 2.0, 3.0]), 3, max_grade=1).tolist() == [0.0, 0.5, 0.5, 0.5]
    assert stopping(np.array([1.0, 3.0]), 1, max_grade=4).tolist() == [1 / 16, 7 / 16]


def test_a_reader_comes_to_an_item_only_when_not_satisfied_before():
    # 1/2 at rank 1; 1/2 * 3/4 at rank 3; 1/2 * 1/4 * 1/4 at rank 4; what is not found adds nothing
    ranks, stop = np.array([1.0, 3.0, 4.0, inf]), np.array([0.5, 0.75, 0.25, 0.5])
    assert float(cascade(ranks, stop)) == 1 / 2 + 3 / 8 / 3 + 1 / 32 / 4
    both = cascade(np.stack([ranks, ranks[[3, 3, 3, 3]]], axis=1), stop[:, None])
    assert both.tolist() == [1 / 2 + 3 / 8 / 3 + 1 / 32 / 4, 0.0]


def test_err_with_a_smaller_scale_than_the_grades():
    ranks, grades = np.array([1.0, 2.0]), np.array([3.0, 1.0])
    assert float(ERR(ranks, grades, 3.0, max_grade=1)) == 1 / 2 + 1 / 2 * 1 / 2 / 2
    assert float(ERR(ranks, grades, 3.0, max_grade=1, k=1)) == 1 / 2


def test_nerr_is_1_for_the_ideal_ranking_under_its_own_scale_and_cutoff():
    grades, ideal = np.array([1.0, 3.0]), np.array([3.0, 1.0])
    assert float(nERR(np.array([1.0, 2.0]), ideal, ideal, 3.0, max_grade=2, k=1)) == 1.0
    # the item of grade 1 first: 1/8 of the best, 7/8, at cutoff 1; with 2^1 for the scale both stop half of the readers
    assert float(nERR(np.array([1.0, 2.0]), grades, ideal, 3.0, k=1)) == pytest.approx(1 / 7, abs=1e-15)
    assert float(nERR(np.array([1.0, 2.0]), grades, ideal, 3.0, max_grade=1)) == 1.0


def test_a_gain_is_at_most_1():
    ranks, grades, ideal = np.array([1.0, 2.0]), np.array([3.0, 1.0]), np.array([3.0, 1.0])
    assert float(gRBP(ranks, grades, ideal, 3.0, p=0.5, max_grade=2)) == 0.5 * (1 + 0.5 * 0.5)
    assert float(gRBP(ranks, grades, ideal, 4.0, p=0.5, max_grade="topic")) == pytest.approx(0.5 * (1 + 0.5 / 3))
    assert float(gRBP(ranks, grades, ideal, 4.0, p=0.5)) == 0.5 * (3 / 4 + 0.5 / 4)
    assert float(gRBP(ranks, grades, ideal, 4.0, p=0.5, k=1)) == 0.5 * 3 / 4
