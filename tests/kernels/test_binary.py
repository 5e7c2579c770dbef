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
        (
            "E(beta=2)@5",
            5 * 0.4 * 0.5 / (4 * 0.4 + 0.5),
        ),  # the lecture slides' E is F with another weight
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
    assert value(name, ranking, {"A": 1, "B": 1, "C": 1, "D": 1}) == pytest.approx(
        expected, abs=1e-15
    )


@pytest.mark.parametrize(
    "name", ["AP", "RR", "P@5", "R@5", "F@5", "Success@5", "Rprec", "RelP@5", "RBP", "BinG"]
)
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


LISTS = np.array([[1.0, 2.0, 4.0, inf], [3.0, 5.0, inf, inf], [6.0, inf, inf, inf]])
RETRIEVED = np.array([8.0, 5.0, 4.0, 0.0])


@pytest.mark.parametrize("k", [inf, 3, 1])
def test_many_lists_are_measured_one_by_one(k):
    found = {
        "AP": metrics.AP(LISTS, k=k),
        "min": metrics.AP(LISTS, k=k, norm="min"),
        "RR": metrics.RR(LISTS, k=k),
        "second": metrics.RR(LISTS, i=2, k=k),
        "fourth": metrics.RR(LISTS, i=4, k=k),
        "P": metrics.P(LISTS, RETRIEVED, k=k),
        "R": metrics.R(LISTS, k=k),
        "F": metrics.F(LISTS, RETRIEVED, beta=2.0, k=k),
        "Success": metrics.Success(LISTS, k=k),
        "RelP": metrics.RelP(LISTS, k=k),
        "RBP": metrics.RBP(LISTS, p=0.7, k=k),
        "Rprec": metrics.Rprec(LISTS),
        "GMAP": metrics.GMAP(LISTS),
        "BinG": metrics.BinG(LISTS),
    }
    for at in range(4):
        every = [f for f in LISTS[:, at].tolist() if f < inf]
        seen = [f for f in every if f <= k]
        precisions = sum(i / f for i, f in enumerate(seen, start=1))
        whole = RETRIEVED[at] if k == inf else k
        p, r = len(seen) / whole if whole else 0.0, len(seen) / 3
        wanted = {
            "AP": precisions / 3,
            "min": precisions / min(k, 3),
            "RR": 1 / seen[0] if seen else 0.0,
            "second": 1 / seen[1] if len(seen) > 1 else 0.0,
            "fourth": 0.0,
            "P": p,
            "R": r,
            "F": 5 * p * r / (4 * p + r) if seen else 0.0,
            "Success": float(bool(seen)),
            "RelP": len(seen) / min(k, 3),
            "RBP": 0.3 * sum(0.7 ** (f - 1) for f in seen),
            "Rprec": sum(f <= 3 for f in every) / 3,
            "GMAP": max(sum(i / f for i, f in enumerate(every, start=1)) / 3, 1e-5),
            "BinG": sum(1 / math.log2(2 + f - i) for i, f in enumerate(every, start=1)) / 3,
        }
        assert {name: float(one[at]) for name, one in found.items()} == pytest.approx(
            wanted, rel=1e-12
        )


def test_padded_lists_have_as_many_relevant_items_as_is_said():
    m = np.array([3, 2, 2, 1])
    assert metrics.AP(LISTS, m).tolist() == pytest.approx((3 * metrics.AP(LISTS) / m).tolist())
    assert metrics.AP(LISTS, m, norm="min", k=2).tolist() == pytest.approx([1 / 2, 1 / 4, 0.0, 0.0])
    assert metrics.R(LISTS, m).tolist() == [1.0, 1.0, 0.5, 0.0]
    assert metrics.RelP(LISTS, m, k=2).tolist() == [1 / 2, 1 / 2, 0.0, 0.0]
    assert metrics.F(LISTS, RETRIEVED, m).tolist() == pytest.approx([6 / 11, 4 / 7, 2 / 6, 0.0])
    assert metrics.BinG(LISTS, m).tolist() == pytest.approx((3 * metrics.BinG(LISTS) / m).tolist())


def test_whole_numbers_and_plain_lists_are_ranks_too():
    plain = [1, 3, 6]
    assert float(metrics.AP(plain)) == metrics.AP(ranks(*plain))
    assert float(metrics.RR(plain, i=2)) == float(metrics.RR(plain[:2], i=2)) == 1 / 3
    assert metrics.Success(LISTS).dtype == np.float64
    with pytest.raises(
        ValueError, match="norm='k' divides by the cutoff, but the measure has no cutoff"
    ):
        metrics.AP(plain, norm="k")
    assert float(metrics.RBP(plain, p=1)) == 0.0
    assert float(metrics.RBP(plain, p=0)) == 1.0
    assert metrics.RR(np.zeros((0, 2, 3))).tolist() == [[0.0] * 3] * 2
    assert metrics.RR(ranks(2, 4), i=2.0) == 0.25
