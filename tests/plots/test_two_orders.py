"""One ordering against another, and every run on every query."""

import pandas as pd
import pytest

from pdeval import plots
from tests.plots import interval_frames

ORDERS = pd.DataFrame(
    {
        "run": ["a", "b", "c", "d"] * 2,
        "measure": ["AP"] * 4 + ["RPP"] * 4,
        "method": ["mean"] * 4 + ["winrate"] * 4,
        "rank": [1, 2, 3, 4, 2, 1, 3, 4],
    }
)


@pytest.mark.broad
def test_slopes_lead_from_rank_to_rank(column_ax):
    ax = plots.rank_slopes(ORDERS, ax=column_ax)
    assert [line.get_ydata().tolist() for line in ax.lines] == [[0, 1], [1, 0], [2, 2], [3, 3]]
    assert ax.lines[0].get_linestyle() == "--"  # a falls
    assert ax.lines[1].get_color() == "#0072B2"  # b rises
    assert ax.get_title() == "Kendall's τ = 0.67"  # one of six pairs is turned: (5 - 1) / 6
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c", "d"]
    assert [label.get_text() for label in ax.child_axes[0].get_yticklabels()] == [
        "b",
        "a",
        "c",
        "d",
    ]
    assert [label.get_text().replace("\n", " ") for label in ax.get_xticklabels()] == [
        "Rank by AP (mean)",
        "Rank by RPP (mean preference)",
    ]


def test_the_scatter_names_those_that_move(column_ax):
    ax = plots.rank_scatter(ORDERS, ax=column_ax)
    assert {text.get_text() for text in ax.texts} <= {"a", "b"}
    assert ax.get_xticks().tolist() == ax.get_yticks().tolist() == [1, 2, 3, 4]
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "Rank by AP (mean)",
        "Rank by RPP (mean preference)",
    )


@pytest.mark.broad
@pytest.mark.parametrize("draw", [plots.rank_slopes, plots.rank_scatter])
def test_two_orderings_are_chosen_of_several(draw):
    three = pd.concat([ORDERS, ORDERS[:4].assign(measure="RR")], ignore_index=True)
    with pytest.raises(
        ValueError, match=r"draws two orderings; the frame has 3: .* Choose two: orderings=\[\('AP'"
    ):
        draw(three)
    with pytest.raises(
        ValueError,
        match=r"draws two orderings; the frame has only AP\. Order by two measures or",
    ):
        draw(ORDERS[:4])
    assert draw(three, orderings=["RPP", ("RR", "mean")]).get_title() == "Kendall's τ = 0.67"
    with pytest.raises(ValueError, match=r"'mean' matches 2 orderings; there are AP, mean"):
        draw(three, orderings=["mean", "RPP"])
    with pytest.raises(ValueError, match=r"orderings='AP': expected two"):
        draw(three, orderings="AP")


@pytest.mark.broad
def test_runs_of_one_ordering_alone_are_left_out(column_ax):
    ax = plots.rank_slopes(ORDERS[:7], ax=column_ax)
    assert len(ax.lines) == 3


@pytest.mark.broad
def test_the_heat_map_has_the_best_run_on_top_and_the_hardest_query_at_the_left(column_ax):
    frame = interval_frames.scores(3, 4)
    ax = plots.query_heatmap(frame, ax=column_ax)
    means = frame.groupby("run")["value"].mean().sort_values(ascending=False)
    assert [label.get_text() for label in ax.get_yticklabels()] == means.index.tolist()
    shown = ax.images[0].get_array()
    assert (shown.mean(axis=0)[1:] >= shown.mean(axis=0)[:-1]).all()
    assert len(ax.get_xticklabels()) == 4


@pytest.mark.broad
def test_less_is_better_and_what_is_missing_stays_gray(column_ax):
    frame = pd.DataFrame(
        {
            "run": ["a", "a", "b"],
            "query_id": ["1", "2", "1"],
            "measure": "ASL",
            "value": [5.0, 9, 2],
        }
    )
    ax = plots.query_heatmap(frame, ax=column_ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "a"]
    assert ax.images[0].get_array().mask.sum() == 1
    with pytest.raises(ValueError, match="needs one value per run and query; some repeat"):
        plots.query_heatmap(pd.concat([frame, frame]))
