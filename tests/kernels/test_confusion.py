"""Relevant items against the others: worked by hand, and the definitions of recommender libraries."""

import numpy as np
import pytest

import pdeval
from pdeval.kernels import AP, AUC, GAP, MCC, PAP, Accuracy, Fallout, PartialAUC, SetP, SetRelP
from pdeval.kernels.expected import expected_AP
from pdeval.kernels.terms import average_precision

inf = np.inf
RANK = np.array([1.0, 4.0, inf])


def test_average_precision_is_divided_by_what_the_name_says():
    assert AP(RANK, k=2) == 1 / 3
    assert AP(RANK, k=2, norm="min") == 1 / 2
    assert AP(RANK, k=4, norm="min") == AP(RANK, k=4) == (1 + 2 / 4) / 3
    assert AP(RANK, k=5, norm="k") == (1 + 2 / 4) / 5
    with pytest.raises(ValueError, match="norm='k' divides by the cutoff, and there is none"):
        AP(RANK, norm="k")
    assert pdeval.parse("AP(norm=min)@10").spelled == "AP(norm=min)@10"


@pytest.mark.parametrize("norm", ["m", "min", "k"])
def test_terms_and_expected_ties_know_the_norm(norm):
    value = AP(RANK, k=2, norm=norm)
    terms, weight = average_precision(RANK, norm=norm, k=2)
    assert (weight * terms).sum() == pytest.approx(value)
    assert expected_AP(RANK - 1, np.ones(3), norm=norm, k=2) == pytest.approx(value)


def test_accuracy_counts_pairs_of_the_list_that_are_in_order():
    assert Accuracy(RANK, 5) == pytest.approx(4 / 6)
    assert Accuracy(RANK, 5, k=1) == 1.0
    assert Accuracy(np.array([inf]), 5) == 0.0


def test_items_that_were_not_retrieved_are_in_any_order_for_the_area_under_the_curve():
    # 2 relevant and 4 others; x stands first, y nowhere, as two of the others
    assert AUC(np.array([1.0, inf]), 3, 6) == (4 + 2 / 2) / 8
    assert AUC(np.array([1.0, inf]), 3, items=6) == AUC(np.array([1.0, inf]), 3, 6)
    assert AUC(np.array([inf]), 0, 9) == 0.5
    assert AUC(np.array([1.0, 2.0]), 2, 2) == 1.0


def test_partial_areas_look_at_the_first_others():
    assert PartialAUC(np.array([1.0, 3.0]), k=2) == (2 + 1) / 4
    assert PartialAUC(np.array([9.0, inf]), k=2) == 0.0
    assert PAP(np.array([1.0, 3.0, 4.0]), k=2) == (2 + 1) / 4
    assert PartialAUC(np.array([1.0, 3.0, 4.0]), k=2) == (2 + 1 + 1) / 6


def test_fall_out_and_correlation_take_the_size_of_the_catalogue():
    rank = np.array([1.0, 4.0])
    assert Fallout(rank, 10, 22, k=5) == Fallout(rank, 10, items=22, k=5) == 3 / 20
    assert MCC(rank, 10, items=22, k=5) == pytest.approx(34 / np.sqrt(5 * 2 * 20 * 17))
    assert MCC(rank, 2, items=2) == 0.0
    judged = pdeval.datasets.sample_judged(topics="common")
    found = judged.measure(["Fallout@10", "Fallout(items=100000)@10", "MCC@10", "AUC", "AUC(items=100000)"])
    assert found["value"].between(-1, 1).all()


def test_graded_average_precision_is_that_of_binary_grades_and_weighs_levels_by_their_items():
    grades = np.ones(3)
    assert GAP(RANK, grades, grades) == pytest.approx(AP(RANK))
    grade = np.array([1.0, 3.0, 2.0])
    levels = [AP(RANK), AP(np.array([4.0, inf])), AP(np.array([4.0]))]
    assert GAP(RANK, grade, np.array([3.0, 2.0, 1.0])) == pytest.approx((3 * levels[0] + 2 * levels[1] + levels[2]) / 6)


def test_relative_set_precision_has_two_spellings():
    assert SetP(RANK, 8, relative=True) == SetRelP(RANK, 8)
    assert pdeval.parse("SetP(relative=True)").spelled == "SetRelP"
    assert pdeval.parse("SetP(relative=true,rel=2)").spelled == "SetP(relative=True,level=2)"
