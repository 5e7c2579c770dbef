"""Interpolated precision, by hand and against a plain loop over ranks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval import kernels as metrics
from pdeval.kernels.interpolation import (
    RECALLS,
    counted,
    interpolated,
    precision_recall,
    read_recalls,
)

SLIDES = np.array([1.0, 3.0, 6.0, 10.0, 14.0])


def test_precision_at_the_recall_points_of_the_lecture_slides():
    recall, precision = precision_recall(SLIDES)
    assert recall.tolist() == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert precision.tolist() == [1, 2 / 3, 3 / 6, 4 / 10, 5 / 14]


@pytest.mark.parametrize(
    ("recall", "relevant", "new", "old"),
    [
        (0.0, 7, 0, 0),
        (0.1, 5, 1, 1),
        (0.1, 4, 0, 1),
        (0.25, 10, 3, 3),
        (0.2, 6, 1, 2),
        (0.7, 10, 7, 7),
        (1.0, 3, 3, 3),
    ],
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


def test_recall_points_may_be_the_ends_and_none_may_lie_outside():
    assert read_recalls(["0", 1], "IPrecAvg") == (0.0, 1.0)
    for value in ([0.5, 1.5], [-0.5, 0.5]):
        with pytest.raises(ValueError, match="must be a list of numbers between 0 and 1"):
            read_recalls(value, "IPrecAvg")


def test_the_older_rule_asks_for_more_items():
    rank = np.array([1.0, 10.0, 40.0, 60.0])
    assert (
        metrics.IPrec(rank, recall=0.3) == 1.0
    )  # 1.2 items are 1 by the newer rule, 2 by the older
    assert metrics.IPrec(rank, recall=0.3, points="floor") == 2 / 10
    assert metrics.IPrecAvg(rank, recalls=(0.3, 1.0)) == pytest.approx((1 + 4 / 60) / 2)
    assert metrics.IPrecAvg(rank, recalls=(0.3, 1.0), points="floor") == pytest.approx(
        (2 / 10 + 4 / 60) / 2
    )


def test_plain_lists_of_ranks_and_points_beyond_all_items_are_taken_too():
    recall, precision = precision_recall([1, 4, math.inf])
    assert recall.tolist() == [1 / 3, 2 / 3, 0.0]
    assert precision.tolist() == [1.0, 0.5, 0.0]
    assert interpolated([1, 4], [1.0, 1.5]).tolist() == [0.5, 0.0]
    together = interpolated(np.array([[1.0, 2.0], [4.0, math.inf]]), [0.5, 1.0, 1.5])
    assert together.tolist() == [[1.0, 0.5], [0.5, 0.0], [0.0, 0.0]]


def test_the_average_adds_from_the_highest_recall_down():
    rank = np.array([1.0, 2.0, 3.0, 4.0, 7.0])
    down, up = 0.0, 0.0
    for low, high in zip(interpolated(rank).tolist(), interpolated(rank)[::-1].tolist()):
        up, down = up + low, down + high
    assert float(metrics.IPrecAvg(rank)) == down / 11
    assert down / 11 != up / 11
