"""Differences under two measures."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.pairs import prefer
from pdeval.plots import difference_scatter
from pdeval.studies.sign_agreement import agree
from tests.plots import frames
from tests.studies.rankings import random_judged

PREFS = pd.DataFrame(
    {
        "query_id": ["1", "2", "3", "4"] * 2,
        "run_a": "x",
        "run_b": "y",
        "measure": ["RPP"] * 4 + ["RR"] * 4,
        "value": [1.0, 0.5, -1.0, 0.0, 0.4, -0.1, 0.0, 0.0],
    }
)


def test_points_that_disagree_in_sign_are_a_group_of_their_own(column_ax):
    ax = difference_scatter(PREFS, ax=column_ax)
    same, different = (group.get_offsets().tolist() for group in ax.collections)
    assert same == [[1.0, 0.4], [0.0, 0.0]]
    assert different == [[0.5, -0.1], [-1.0, 0.0]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "same sign",
        "different sign",
    ]


def test_the_title_gives_the_correlation_and_the_sign_agreement_of_agree(column_ax):
    judged = random_judged(np.random.default_rng(3), queries=12, runs=5)
    told = agree(judged, ["RPP", "AP"]).iloc[0]
    ax = difference_scatter(prefer(judged, ["RPP", "AP"]), measures=("RPP", "AP"), ax=column_ax)
    assert (
        ax.get_title()
        == f"r about zero = {told['r']:.2f}, sign agreement = {told['agreement']:.2f}"
    )
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Difference in RPP", "Difference in AP")


@pytest.mark.parametrize("turned", [[1, -1, 1, -1], [-1, 1, 1, 1], [-1, -1, -1, -1]])
def test_the_title_does_not_depend_on_which_run_of_a_pair_comes_first(column_ax, turned):
    prefs = PREFS.assign(value=PREFS["value"] * (turned * 2))
    assert (
        difference_scatter(prefs, ax=column_ax).get_title()
        == "r about zero = 0.57, sign agreement = 0.50"
    )


def test_row_order_does_not_matter(column_ax):
    title = difference_scatter(PREFS, ax=column_ax).get_title()
    shuffled = PREFS.sample(frac=1, random_state=5)
    assert difference_scatter(shuffled, measures=("RPP", "RR")).get_title() == title


def test_wide_frames_are_taken(column_ax):
    wide = pd.DataFrame({"RPP": [1.0, -1.0, 0.5], "AP": [0.2, -0.1, -0.3]})
    ax = difference_scatter(wide, measures=("RPP", "AP"), ax=column_ax)
    assert ax.collections[1].get_offsets().tolist() == [[0.5, -0.3]]


def test_zero_stands_in_the_middle_of_both_axes(column_ax):
    ax = difference_scatter(PREFS, ax=column_ax)
    assert sum(ax.get_xlim()) == pytest.approx(0)
    assert sum(ax.get_ylim()) == pytest.approx(0)


@pytest.mark.broad
def test_many_points_are_sampled_with_a_seed_and_counted_in_full():
    prefs = frames.preferences(8, 50, ("RPP", "AP"))
    full, drawn, again, other = (
        difference_scatter(prefs, most=most, seed=seed)
        for most, seed in ((5000, 0), (100, 0), (100, 0), (100, 1))
    )
    assert drawn.get_title() == full.get_title()
    assert sum(len(group.get_offsets()) for group in drawn.collections) == 100
    first, second, third = (
        ax.collections[0].get_offsets().tolist() for ax in (drawn, again, other)
    )
    assert first == second
    assert first != third


def test_a_measure_that_is_always_tied_has_no_correlation(column_ax):
    prefs = PREFS.assign(value=[1.0] * 4 + [0.0] * 4)
    assert (
        difference_scatter(prefs, ax=column_ax).get_title()
        == "r about zero = undefined,\nsign agreement = 0.00"
    )


def test_a_third_measure_asks_for_a_choice(column_ax):
    with pytest.raises(
        ValueError, match=r"draws two measures; the frame has 3: RPP, AP, RR\. Choose: measures="
    ):
        difference_scatter(frames.preferences(3, 5, ("RPP", "AP", "RR")), ax=column_ax)


def test_measures_without_a_pair_in_common_are_refused(column_ax):
    apart = PREFS.assign(query_id=list("12345678"))
    with pytest.raises(ValueError, match="RPP and RR have no query and pair of runs in common"):
        difference_scatter(apart, ax=column_ax)


def test_repeated_rows_are_refused(column_ax):
    with pytest.raises(
        ValueError,
        match=r"needs one value per measure and \(query_id, run_a, run_b\); some repeat\.$",
    ):
        difference_scatter(pd.concat([PREFS, PREFS]), ax=column_ax)


@pytest.mark.broad
def test_numbers_in_the_thousands_stay_apart(column_ax):
    wide = pd.DataFrame({"TSL": [-5200.0, 4100.0, 12.0], "AP": [-0.3, 0.2, 0.1]})
    ax = difference_scatter(wide, measures=("TSL", "AP"), ax=column_ax)
    ax.figure.draw_without_rendering()
    low, high = ax.get_xlim()
    shown = [
        text for tick, text in zip(ax.get_xticks(), ax.get_xticklabels()) if low <= tick <= high
    ]
    boxes = sorted((text.get_window_extent() for text in shown), key=lambda box: box.x0)
    assert len(boxes) >= 3
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("make", [np.array, pd.Series])
def test_28_22_measures_of_a_scatter_may_be_an_array(make):
    prefs = pdeval.datasets.sample_judged(queries="common").prefer(["RPP", "AP"])
    with pytest.raises(ValueError, match="no measure 'x' in the frame; it has RPP, AP"):
        pdeval.plots.difference_scatter(prefs, measures=make(["x", "y"]))
