"""Square tables as colors."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from pdeval.plots import confusion_heatmap, correlation_heatmap, preference_heatmap
from tests.plots import frames, judge_frames

PREFS = pd.DataFrame(
    {
        "query_id": ["1", "2", "1", "2", "1", "2"],
        "run_a": ["a", "a", "a", "a", "b", "b"],
        "run_b": ["b", "b", "c", "c", "c", "c"],
        "measure": "RPP",
        "value": [-0.5, -0.5, 0.5, 0.0, 1.0, 0.5],
    }
)
nan = np.nan


def cells(ax):
    return np.ma.filled(ax.images[0].get_array(), np.nan)


def labels(ax):
    return [label.get_text().split("  ")[0] for label in ax.get_yticklabels()]


@pytest.mark.broad
def test_means_are_mirrored_with_the_opposite_sign_and_the_best_run_stands_first(column_ax):
    ax = preference_heatmap(PREFS, ax=column_ax)
    assert labels(ax) == ["b", "a", "c"]
    np.testing.assert_allclose(
        cells(ax), [[nan, 0.5, 0.75], [-0.5, nan, 0.25], [-0.75, -0.25, nan]]
    )


@pytest.mark.broad
def test_rows_carry_name_and_place_and_columns_the_place(column_ax):
    ax = preference_heatmap(PREFS, ax=column_ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b  1", "a  2", "c  3"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3"]


@pytest.mark.broad
def test_the_scale_is_symmetric_around_zero(column_ax):
    image = preference_heatmap(PREFS, ax=column_ax).images[0]
    assert image.get_clim() == (-0.75, 0.75)


@pytest.mark.broad
def test_an_averaged_table_a_square_and_the_long_table_draw_the_same(column_ax):
    long = cells(preference_heatmap(PREFS, ax=column_ax))
    mean = (
        PREFS.groupby(["run_a", "run_b"], as_index=False)["value"]
        .mean()
        .rename(columns={"value": "mean"})
    )
    np.testing.assert_allclose(cells(preference_heatmap(mean)), long)
    square = pd.DataFrame(
        [[0, -0.5, 0.25], [0.5, 0, 0.75], [-0.25, -0.75, 0]], list("abc"), list("abc")
    )
    np.testing.assert_allclose(cells(preference_heatmap(square)), long)
    np.testing.assert_allclose(cells(preference_heatmap(square[["c", "a", "b"]])), long)


@pytest.mark.broad
@pytest.mark.parametrize(
    "order",
    [
        ["c", "a", "b"],
        pd.DataFrame({"run": ["a", "b", "c"], "rank": [2, 3, 1]}),
        pd.DataFrame(
            {"run": list("abcabc"), "measure": ["AP"] * 3 + ["RPP"] * 3, "rank": [1, 2, 3, 2, 3, 1]}
        ),
    ],
)
def test_the_order_can_be_a_list_or_an_orders_table(order, column_ax):
    ax = preference_heatmap(PREFS, order=order, ax=column_ax)
    assert labels(ax) == ["c", "a", "b"]
    assert cells(ax)[0, 1] == pytest.approx(-0.25)


def test_an_ordering_that_ranks_runs_twice_is_refused(column_ax):
    order = pd.DataFrame({"run": ["a", "a"], "method": ["mc4", "mean"], "rank": [1, 1]})
    with pytest.raises(
        ValueError, match=r"needs one rank per run; some repeat\. Choose one measure and method"
    ):
        preference_heatmap(PREFS, order=order, ax=column_ax)


@pytest.mark.broad
def test_significant_pairs_get_a_dot_in_both_cells(column_ax):
    tests = pd.DataFrame({"run_a": ["a", "b"], "run_b": ["b", "c"], "significant": [False, True]})
    ax = preference_heatmap(PREFS, comparisons=tests, annotate=False, ax=column_ax)
    assert sorted(map(tuple, ax.collections[0].get_offsets().tolist())) == [(0.0, 2.0), (2.0, 0.0)]
    assert ax.get_title() == "RPP (dot: significant)"


@pytest.mark.broad
def test_dots_come_from_the_measure_that_is_drawn(column_ax):
    tests = pd.concat([frames.comparisons(5, 2, "RPP"), frames.comparisons(5, 0, "AP")])
    ax = preference_heatmap(frames.preferences(5), comparisons=tests, ax=column_ax)
    assert len(ax.collections[0].get_offsets()) == 2 * 3


@pytest.mark.broad
def test_values_are_written_where_they_fit(column_ax):
    assert sorted(
        text.get_text() for text in preference_heatmap(PREFS, ax=column_ax).texts
    ) == sorted(["+0.50", "+0.75", "−0.50", "+0.25", "−0.75", "−0.25"])
    assert len(preference_heatmap(frames.preferences(30, 5)).texts) == 0


@pytest.mark.broad
def test_the_names_of_79_runs_do_not_overlap_on_a_paper_column():
    from matplotlib.figure import Figure

    ax = Figure(figsize=(3.3, 2.9), layout="constrained").subplots()
    preference_heatmap(frames.preferences(79, 5), ax=ax)
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) >= 15
    assert all(upper.y0 >= lower.y1 - 2 for upper, lower in pairwise(boxes))
    assert "named)" in ax.get_ylabel()


@pytest.mark.broad
def test_the_scale_is_as_long_as_the_side_and_can_be_left_out(column_ax):
    ax = preference_heatmap(PREFS, ax=column_ax)
    ax.figure.draw_without_rendering()
    scale = ax.child_axes[0]
    assert scale.get_xlabel().replace("\n", " ") == "Mean preference for the row over the column"
    assert scale.get_window_extent().width == pytest.approx(ax.get_window_extent().width, rel=0.01)
    assert preference_heatmap(PREFS, colorbar=False).child_axes == []


@pytest.mark.broad
def test_correlations_are_mirrored_with_ones_on_the_diagonal(column_ax):
    table = pd.DataFrame(
        {
            "measure_a": ["RPP", "RPP", "AP"],
            "measure_b": ["AP", "RR", "RR"],
            "value": [0.9, 0.5, 0.6],
        }
    )
    ax = correlation_heatmap(table, ax=column_ax)
    assert labels(ax) == ["RPP", "AP", "RR"]
    np.testing.assert_allclose(cells(ax), [[1, 0.9, 0.5], [0.9, 1, 0.6], [0.5, 0.6, 1]])
    assert ax.child_axes[0].get_title("right") == "Correlation"


@pytest.mark.broad
def test_agreement_tables_and_squares_draw_too(column_ax):
    table = frames.correlations().rename(columns={"value": "agreement"})
    long = cells(correlation_heatmap(table, ax=column_ax))
    square = pd.DataFrame(long, index=frames.MEASURES, columns=frames.MEASURES)
    np.testing.assert_allclose(cells(correlation_heatmap(square)), long)


@pytest.mark.broad
def test_correlations_of_recall_levels_are_drawn_too(column_ax):
    table = pd.DataFrame({"recall_a": [1, 1, 2], "recall_b": [2, 3, 3], "r": [0.4, 0.2, 0.5]})
    ax = correlation_heatmap(table, ax=column_ax)
    assert labels(ax) == ["1", "2", "3"]
    assert ax.child_axes[0].get_title("right") == "r about zero"


@pytest.mark.broad
def test_negative_correlations_get_the_diverging_colors(column_ax):
    table = pd.DataFrame({"measure_a": ["RPP"], "measure_b": ["AP"], "value": [-0.2]})
    assert correlation_heatmap(table, ax=column_ax).images[0].get_clim() == (-1.0, 1.0)
    table["value"] = 0.2
    assert correlation_heatmap(table).images[0].get_clim() == (0.0, 1.0)


@pytest.mark.broad
def test_the_scale_is_named_after_the_coefficient_and_several_ask_for_a_choice(column_ax):
    table = pd.concat([frames.correlations().assign(coefficient=name) for name in ("tau_b", "rbo")])
    ax = correlation_heatmap(table, coefficient="tau_b", ax=column_ax)
    assert ax.child_axes[0].get_title("right") == "Kendall's τ"
    with pytest.raises(ValueError, match=r"draws one coefficient; the frame has 2: tau_b, rbo"):
        correlation_heatmap(table)


def test_repeated_pairs_are_refused(column_ax):
    table = pd.DataFrame({"measure_a": ["RPP"] * 2, "measure_b": ["AP"] * 2, "value": [0.1, 0.2]})
    with pytest.raises(
        ValueError,
        match=r"needs one value for each \(measure_a, measure_b\); some repeat",
    ):
        correlation_heatmap(table, ax=column_ax)


@pytest.mark.broad
def test_the_name_of_the_scale_stays_clear_of_the_next_axes():
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3))
    left, right = figure.subplots(1, 2)
    names = ["AP", "RR"]
    correlation_heatmap(pd.DataFrame(0.5, index=names, columns=names), label="Kendall's τ", ax=left)
    figure.draw_without_rendering()
    scale = left.child_axes[0]
    title = next(
        text for text in scale.get_children() if getattr(text, "get_text", str)() == "Kendall's τ"
    )
    assert title.get_window_extent().x1 <= scale.get_window_extent().x1 + 1
    assert title.get_window_extent().x1 < right.get_window_extent().x0


@pytest.mark.broad
def test_a_confusion_names_both_sides_at_its_axes(column_ax):
    from matplotlib.figure import Figure

    frame = judge_frames.confusion()
    frame.attrs["reference"] = "people"
    ax = confusion_heatmap(frame, ax=column_ax)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == (
        "Label by llm",
        "Label by people (items)",
        "",
    )
    for told, shown in (
        ("true label", "True label (items)"),
        ("reference", "Label of the reference (items)"),
    ):
        frame.attrs["reference"] = told
        assert confusion_heatmap(frame, ax=Figure().subplots()).get_ylabel() == shown
