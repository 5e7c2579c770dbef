"""Interpolated precision, by hand and against a plain loop over ranks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval import kernels as metrics
from pdeval.kernels.interpolation import RECALLS, counted, interpolated, precision_recall, read_recalls

SLIDES = np.array([1.0, 3.0, 6.0, 10.0, 14.0])


def test_precision_at_the_recall_points_of_the_lecture_slides():
    recall, precision = precision_recall(SLIDES)
    assert recall.tolist() == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert precision.tolist() == [1, 2 / 3, 3 / 6, 4 / 10, 5 / 14]


@pytest.mark.parametrize(
    ("recall", "relevant", "new", "old"),
    [(0.0, 7, 0, 0), (0.1, 5, 1, 1), (0.1, 4, 0, 1), (0.25, 10, 3, 3), (0.2, 6, 1, 2), (0.7, 10, 7, 7), (1.0, 3, 3, 3)],
)
def test_the_two_rules_for_what_a_recall_point_counts(recall, relevant, new, old):
    assert counted(recall, relevant, "round") == new
    assert counted(recall, relevant, "floor") == old


@pytest.mark.parametrize("points", ["round", "floor"])
@given(places=st.sets(st.integers(1, 60), min_size=1, max_size=12), missed=st.integers(0, 5))
def test_interpolated_precision_is_the_best_from_there_on(points, places, missed):
    found = np.array(sorted(places) + [math.inf] * missed, dtype=float)
    for recall, value in zip(RECALLS, interpolated(found, RECALLS, points=points)):
        need = counted(recall, len(found), points)
        hits, best = 0, 0.0
        for rank in range(1, 61):
            hits += rank in places
            if hits >= need:
                best = max(best, hits / rank)
        assert value == (best if len(places) >= need else 0.0)


def test_the_eleven_point_average_is_the_mean_of_eleven_points():
    assert metrics.IPrecAvg(SLIDES) == pytest.approx(interpolated(SLIDES).mean())
    assert metrics.IPrecAvg(SLIDES, recalls=(0.2, 0.5, 0.8)) == pytest.approx((1 + 0.5 + 0.4) / 3)


def test_a_recall_point_that_asks_for_more_than_there_is_scores_zero():
    assert metrics.IPrec(np.array([1.0, math.inf]), recall=1.0) == 0.0
    assert metrics.IPrec(np.array([math.inf]), recall=0.0) == 0.0


@pytest.mark.parametrize("value", ["half", 0.5, ["x"], [], [1.5]])
def test_recall_points_are_a_list_of_shares(value):
    with pytest.raises(ValueError, match="must be a list of numbers between 0 and 1"):
        read_recalls(value, "IPrecAvg")
