"""Sorted p-values."""

import pandas as pd
import pytest

from pdeval.plots import p_value_curves
from tests.plots import frames

FRAME = pd.DataFrame(
    {
        "run_a": ["a", "a", "b"] * 2,
        "run_b": ["b", "c", "c"] * 2,
        "measure": ["AP"] * 3 + ["RPP"] * 3,
        "p_value": [0.2, 0.04, 0.5, 0.01, 0.03, 0.05],
        "p_adjusted": [0.6, 0.12, 1.0, 0.03, 0.09, 0.15],
    }
)


def test_p_values_are_sorted_and_the_legend_gives_the_share_below_alpha(column_ax):
    ax = p_value_curves(FRAME, ax=column_ax)
    assert ax.lines[0].get_ydata().tolist() == [0.04, 0.2, 0.5]
    assert ax.lines[1].get_ydata().tolist() == [0.01, 0.03, 0.05]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "AP (33.3%)",
        "RPP (66.7%)",
        "α = 0.05 (% below it)",
    ]


def test_another_level_moves_line_share_and_reach(column_ax):
    ax = p_value_curves(FRAME, alpha=0.1, ax=column_ax)
    assert ax.lines[0].get_label() == "AP (33.3%)"
    assert ax.lines[1].get_label() == "RPP (100.0%)"
    assert ax.lines[2].get_ydata() == [0.1, 0.1]
    assert ax.get_ylim() == (0, 0.4)
    assert p_value_curves(FRAME, upper=1).get_ylim() == (0, 1)


def test_adjusted_values_can_be_drawn(column_ax):
    ax = p_value_curves(FRAME, p="p_adjusted", measures=["RPP"], ax=column_ax)
    assert ax.lines[0].get_ydata().tolist() == [0.03, 0.09, 0.15]
    assert ax.get_ylabel() == "p-value, corrected"


def test_every_test_has_its_line(column_ax):
    both = pd.concat([frames.p_values(20, ["AP"]).assign(test=test) for test in ("t", "hsd")])
    labels = [
        text.get_text().split(" (")[0]
        for text in p_value_curves(both, ax=column_ax).get_legend().get_texts()
    ]
    assert labels == ["AP, t", "AP, hsd", "α = 0.05"]


def test_pairs_without_a_p_value_are_left_out(column_ax):
    holed = FRAME.assign(p_value=[0.2, None, 0.5, 0.01, 0.03, 0.05])
    assert p_value_curves(holed, ax=column_ax).lines[0].get_ydata().tolist() == [0.2, 0.5]


def test_unknown_measures_are_named(column_ax):
    with pytest.raises(ValueError, match=r"no measure 'RR' in the frame; it has AP, RPP\."):
        p_value_curves(FRAME, measures=["RR"], ax=column_ax)
