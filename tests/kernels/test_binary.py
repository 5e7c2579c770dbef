"""Precision, recall and their averages, against values worked by hand and the field's textbook examples."""

import math

import numpy as np
import pytest

from pdeval import kernels as metrics
from tests.kernels.lists import value

inf = math.inf


def ranks(*places):
    return np.array(places, dtype=float)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (ranks(1, 3, 4, 5, 6, 10), 0.775),
        (ranks(2, 5, 6, 7, 9, 10), 0.521),
        (ranks(1, 3, 6, 9, 10), 0.622),
        (ranks(2, 5, 7), 0.443),
    ],
)
def test_average_precision_of_the_lecture_slides(found, expected):
    assert metrics.AP(found) == pytest.approx(expected, abs=5e-4)


def test_mean_average_precision_of_the_lecture_slides():
    both = [metrics.AP(ranks(1, 3, 6, 9, 10)), metrics.AP(ranks(2, 5, 7))]
    assert np.mean(both) == pytest.approx(0.533, abs=5e-4)


def test_precision_recall_and_f_of_the_lecture_slides():
    # 20 relevant and 40 other items retrieved, 60 relevant ones missed
    found = np.concatenate([np.arange(1.0, 21), np.full(60, inf)])
    assert metrics.P(found, 60) == pytest.approx(1 / 3, abs=1e-15)
    assert metrics.R(found) == 1 / 4
    assert metrics.F(found, 60) == pytest.approx(2 / 7, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # relevant at 2, 4 and 9, a fourth one not retrieved, ten retrieved
        ("AP", (1 / 2 + 2 / 4 + 3 / 9) / 4),
        ("AP@4", (1 / 2 + 2 / 4) / 4),
        ("AP@1", 0.0),
        ("GMAP", (1 / 2 + 2 / 4 + 3 / 9) / 4),
        ("RR", 1 / 2),
        ("RR@1", 0.0),
        ("RR(i=3)", 1 / 9),
        ("RR(i=3)@8", 0.0),
        ("RR(i=4)", 0.0),
        ("RR(i=5)", 0.0),
        ("P@5", 2 / 5),
        ("P@100", 3 / 100),
        ("P", 3 / 10),
        ("R@5", 2 / 4),
        ("R", 3 / 4),
        ("F@5", 2 * 0.4 * 0.5 / 0.9),
        ("F(beta=2)@5", 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)),
        ("E(beta=2)@5", 5 * 0.4 * 0.5 / (4 * 0.4 + 0.5)),  # the lecture slides' E is F with another weight
        ("E@5", 2 * 0.4 * 0.5 / (0.4 + 0.5)),
        ("F@1", 0.0),
        ("Success@1", 0.0),
        ("Success@2", 1.0),
        ("Rprec", 2 / 4),
        ("Rprec(mult=2)", 2 / 8),
        ("Rprec(mult=0.3)", 1 / 2),  # floor(1.2 + 0.9) = 2 items
        ("Rprec(mult=0.02)", 0.0),  # floor(0.08 + 0.9) = 0 items
        ("RelP@2", 1 / 2),
        ("RelP@5", 2 / 4),
        ("RBP(p=0.5)", 0.5 * (1 / 2 + 1 / 8 + 1 / 256)),
        ("RBP(p=0.5)@4", 0.5 * (1 / 2 + 1 / 8)),
        ("RBP(p=0)", 0.0),
        ("BinG", (1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(8)) / 4),
    ],
)
def test_a_ranking_worked_by_hand(name, expected):
    ranking = ["x1", "A", "x2", "B", "x3", "x4", "x5", "x6", "C", "x7"]
    assert value(name, ranking, {"A": 1, "B": 1, "C": 1, "D": 1}) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("name", ["AP", "RR", "P@5", "R@5", "F@5", "Success@5", "Rprec", "RelP@5", "RBP", "BinG"])
def test_an_empty_ranking_scores_zero(name):
    assert value(name, [], {"A": 1, "B": 2}) == 0.0


def test_precision_of_a_run_that_retrieved_nothing_is_zero_and_not_undefined():
    assert metrics.P(ranks(inf), 0) == 0.0


def test_geometric_means_never_see_zero():
    assert metrics.GMAP(ranks(inf, inf)) == 1e-5
    assert metrics.GMAP(np.zeros((0, 2, 3))).tolist() == np.full((2, 3), 1e-5).tolist()


def test_cutoffs_do_not_shrink_the_number_of_relevant_items():
    # AP@2 with three relevant items divides by 3, not by 2
    assert metrics.AP(ranks(1, 2, 3), k=2) == pytest.approx(2 / 3)


def test_sums_run_in_rank_order_so_equal_rankings_score_exactly_the_same():
    found = ranks(*np.cumsum(np.random.default_rng(1).integers(1, 50, 200)))
    plain = 0.0
    for i, f in enumerate(found, start=1):
        plain += i / f
    assert metrics.AP(found) == plain / 200
    many = np.repeat(found[:, None], 3, axis=1)
    assert metrics.AP(many).tolist() == [plain / 200] * 3
