"""The scatter matrix of recall levels."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.plots import level_scatter
from tests.plots import frames


@pytest.mark.broad
def test_correlations_are_those_of_locality(column_ax):
    judged = pdeval.datasets.sample_judged(queries="common", level=1)
    ax = level_scatter(judged.disaggregate("EU(utility=reciprocal)"), levels=4, ax=column_ax)
    told = judged.agree.locality(levels=4)["r"]
    assert [text.get_text() for text in ax.texts] == [f"{r:.2f}" for r in told]


def test_there_is_a_cell_of_points_and_a_fit_for_each_two_levels(column_ax):
    ax = level_scatter(frames.disaggregated().query("measure == 'ASL'"), levels=3, ax=column_ax)
    assert len(ax.collections) == 3
    first = ax.collections[0].get_offsets()
    assert np.allclose(
        first, [[0.5 + 0.44, 1.5 - 0.44]]
    )  # one pair: the largest difference of both levels
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]


def parts(*values):
    """Contributions of one pair at two recall levels, of a query for each two values."""
    return pd.concat(
        pd.DataFrame(
            {
                "query_id": str(query),
                "run_a": "a",
                "run_b": "b",
                "measure": "AP",
                "recall": [1, 2],
                "value": value,
            }
        )
        for query, value in enumerate(values)
    )


def test_fits_stay_in_their_cells(column_ax):
    ax = level_scatter(parts([0.1, 1.0], [-1.0, 0.0], [0.01, 0.5]), ax=column_ax)
    fit = ax.lines[0]
    assert (np.abs(fit.get_xdata() - 0.5) <= 0.45).all()
    assert (np.abs(fit.get_ydata() - 1.5) <= 0.45).all()


def test_the_area_of_a_point_is_the_number_of_queries_that_it_stands_for(column_ax):
    ax = level_scatter(parts([1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [-1.0, 0.5]), ax=column_ax)
    points = ax.collections[0]
    assert len(points.get_offsets()) == 2
    assert sorted(points.get_sizes() / points.get_sizes().min()) == [1.0, 3.0]


def test_points_are_drawn_up_to_the_most(column_ax):
    frame = parts(*([value, value**2] for value in range(50)))
    ax = level_scatter(frame, most=30, ax=column_ax)
    assert len(ax.collections[0].get_offsets()) == 30


def test_one_level_alone_is_refused(column_ax):
    with pytest.raises(ValueError, match="the frame has 1 up to 1"):
        level_scatter(frames.disaggregated().query("measure == 'AP'"), levels=1, ax=column_ax)


def test_repeated_cells_are_refused(column_ax):
    one = frames.disaggregated().query("measure == 'AP'")
    with pytest.raises(ValueError, match="some repeat"):
        level_scatter(pd.concat([one, one]), ax=column_ax)
