"""Surfaces, distributions and discounts as figures."""

import numpy as np
import pandas as pd
import pytest

from pdeval.plots import contribution_ecdf, contribution_surface, discount_curves
from tests.plots import frames


@pytest.mark.broad
def test_the_surface_has_the_ranks_of_the_first_ranking_downwards(column_ax):
    ax = contribution_surface(frames.surface(), ax=column_ax)
    image = np.asarray(ax.images[0].get_array())
    assert image[0].tolist() == [0, 0.5, 1 - 1 / 3, 0.75]
    assert ax.images[0].get_extent() == [0.5, 4.5, 4.5, 0.5]
    assert ax.images[0].norm.vmax == -ax.images[0].norm.vmin == 0.75
    assert ax.get_title().endswith("a difference in RR")


def test_a_surface_of_several_measures_asks_which(column_ax):
    two = pd.concat([frames.surface(), frames.surface().assign(measure="AP")])
    with pytest.raises(ValueError, match="measure="):
        contribution_surface(two, ax=column_ax)
    assert contribution_surface(two, measure="AP", ax=column_ax).get_title().endswith("in AP")


def test_a_surface_with_two_values_for_a_pair_of_ranks_is_refused(column_ax):
    with pytest.raises(ValueError, match="one value for each pair of ranks"):
        contribution_surface(pd.concat([frames.surface()] * 2), ax=column_ax)


def test_a_distribution_is_drawn_in_steps_from_0(column_ax):
    ax = contribution_ecdf(frames.spread(), ax=column_ax)
    assert [line.get_drawstyle() for line in ax.lines] == ["steps-post"] * 2
    assert [line.get_ydata()[0] for line in ax.lines] == [0, 0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["RPP", "AP"]


def test_one_measure_goes_into_the_title(column_ax):
    ax = contribution_ecdf(frames.spread(), measures=["AP"], ax=column_ax)
    assert (ax.get_title(), ax.get_legend()) == ("AP", None)


def test_discounts_are_lines_in_the_order_asked_for(column_ax):
    ax = discount_curves(frames.discounts(), measures=["RBP(p=0.5)", "P@2"], log=True, ax=column_ax)
    assert [line.get_label() for line in ax.lines] == ["RBP(p=0.5)", "P@2"]
    assert ax.lines[1].get_ydata().tolist() == [0.5, 0.5, 0.0]
    assert ax.get_xscale() == "log"
