"""Preference by recall level."""

import numpy as np
import pandas as pd
import pytest

from pdeval.plots import recall_levels
from tests.plots import frames


def lines(ax):
    return {
        line.get_label(): line.get_ydata()
        for line in ax.lines
        if not line.get_label().startswith("_")
    }


def test_a_line_per_measure_with_shares_of_its_difference(column_ax):
    ax = recall_levels(frames.disaggregated(), ax=column_ax)
    drawn = lines(ax)
    assert list(drawn) == ["RBP", "AP", "NDCG", "RR", "ASL", "RPP"]
    for values in drawn.values():
        assert np.abs(values).sum() == pytest.approx(1)
    assert drawn["RPP"] == pytest.approx(np.array([1, 1, -1, -1, -1, 1]) / 6)
    assert drawn["RR"].tolist() == [1, 0, 0, 0, 0, 0]
    assert ax.get_xticks().tolist() == [1, 2, 3, 4, 5, 6]


def test_raw_values_stay_as_they_are(column_ax):
    drawn = lines(
        recall_levels(frames.disaggregated(), measures=["ASL"], scale="raw", ax=column_ax)
    )
    assert drawn["ASL"].tolist() == [2, 2, -3, -4, -8, 19]


def test_queries_are_averaged_over_those_that_have_the_level(column_ax):
    parts = pd.DataFrame(
        {
            "query_id": ["1", "1", "2"],
            "run_a": "a",
            "run_b": "b",
            "measure": "RPP",
            "recall": [1, 2, 1],
            "value": [1.0, -1.0, 0.0],
        }
    )
    assert lines(recall_levels(parts, scale="raw", ax=column_ax))["RPP"].tolist() == [0.5, -1.0]


def test_the_other_direction_turns_the_lines_over(column_ax):
    ax = recall_levels(
        frames.disaggregated(), pair=("b", "a"), measures=["RPP"], scale="raw", ax=column_ax
    )
    assert lines(ax)["RPP"].tolist() == [-1, -1, 1, 1, 1, -1]
    assert ax.get_title() == "Above 0: b better, below 0: a better"


def test_a_frame_without_runs_is_one_pair(column_ax):
    parts = frames.disaggregated()[["measure", "recall", "value"]]
    assert len(lines(recall_levels(parts, ax=column_ax))) == 6


def test_the_first_levels_alone(column_ax):
    drawn = lines(recall_levels(frames.disaggregated(), levels=2, scale="raw", ax=column_ax))
    assert drawn["RPP"].tolist() == [1, 1]


def test_a_measure_that_sees_no_difference_is_a_flat_line(column_ax):
    parts = pd.DataFrame({"measure": "RR", "recall": [1, 2], "value": [0.0, 0.0]})
    assert lines(recall_levels(parts, ax=column_ax))["RR"].tolist() == [0, 0]
