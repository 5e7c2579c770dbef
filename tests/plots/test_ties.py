"""Tie curves."""

import pandas as pd
import pytest

from pdeval.plots import decided_by_recall, tie_probability, ties_by_recall
from tests.plots import frames


def lines(ax):
    return {
        line.get_label(): (line.get_xdata().tolist(), line.get_ydata().tolist())
        for line in ax.lines
    }


def test_ties_have_a_line_per_collection_up_to_level_twenty(column_ax):
    drawn = lines(ties_by_recall(frames.tied_levels(), ax=column_ax))
    assert list(drawn) == ["robust", "web", "deep-pass 2021", "ml-1m"]
    assert drawn["web"][0] == list(range(1, 21))
    assert drawn["web"][1][0] == pytest.approx(0.35)
    assert len(lines(ties_by_recall(frames.tied_levels(), levels=None))["web"][0]) == 30


def test_one_line_needs_no_legend(column_ax):
    frame = pd.DataFrame({"measure": "RR", "recall": [2, 1], "tied_fraction": [0.1, 0.5]})
    ax = ties_by_recall(frame, ax=column_ax)
    assert lines(ax)["RR"] == ([1, 2], [0.5, 0.1])
    assert ax.get_legend() is None


def test_columns_can_be_named(column_ax):
    frame = pd.DataFrame({"track": ["a", "b"], "recall": [1, 1], "how_many": [0.1, 0.5]})
    drawn = lines(ties_by_recall(frame, value="how_many", group="track", ax=column_ax))
    assert drawn == {"a": ([1], [0.1]), "b": ([1], [0.5])}


def test_lines_that_cannot_be_told_apart_are_refused(column_ax):
    frame = pd.DataFrame({"track": ["a", "b"], "recall": [1, 1], "tied_fraction": [0.1, 0.5]})
    with pytest.raises(
        ValueError,
        match=r"needs one 'tied_fraction' for each \(recall\); some repeat\. .* with group=",
    ):
        ties_by_recall(frame, ax=column_ax)


def test_theory_has_a_line_per_number_of_relevant_items(column_ax):
    frame = pd.DataFrame(
        {
            "n": 50000,
            "m": [10, 10, 100, 100],
            "p1": [1, 10, 1, 10],
            "probability": [2e-4, 1.9e-4, 2e-3, 1e-3],
        }
    )
    ax = tie_probability(frame, ax=column_ax)
    assert lines(ax)["m = 10"] == ([1, 10], [2e-4, 1.9e-4])
    assert (ax.get_title(), ax.get_xscale(), ax.get_yscale()) == ("n = 50,000", "log", "log")
    assert tie_probability(frame, log=False).get_yscale() == "linear"


def test_observed_ties_have_a_line_per_collection_without_zeros(column_ax):
    frame = pd.DataFrame(
        {
            "collection": ["a", "a", "b", "b"],
            "p1": [1, 2, 1, 2],
            "tied_fraction": [0.5, 0.0, 0.25, 0.125],
        }
    )
    drawn = lines(tie_probability(frame, ax=column_ax))
    assert drawn == {"a": ([1], [0.5]), "b": ([1, 2], [0.25, 0.125])}


def test_vanishing_probabilities_do_not_stretch_the_axis(column_ax):
    frame = pd.DataFrame({"m": 5, "p1": [1, 2], "probability": [0.5, 1e-300]})
    assert tie_probability(frame, ax=column_ax).get_ylim()[0] > 1e-10


def test_two_sizes_of_corpus_ask_for_a_choice(column_ax):
    frame = pd.DataFrame({"n": [10, 20], "m": 1, "p1": 1, "probability": [0.1, 0.05]})
    with pytest.raises(
        ValueError,
        match=r"draws one n; the frame has 2: 10, 20\. Choose one: frame\[frame\['n'\] == 10\]",
    ):
        tie_probability(frame, ax=column_ax)


def test_decided_by_recalls_of_pairs_are_accumulated_and_ties_stay_undecided(column_ax):
    frame = pd.DataFrame({"collection": ["a"] * 4 + ["b"] * 2, "recall": [1, 1, 3, None, 2, 0]})
    drawn = lines(decided_by_recall(frame, ax=column_ax))
    assert drawn == {"a": ([1, 2, 3], [0.5, 0.5, 0.75]), "b": ([1, 2, 3], [0.0, 0.5, 0.5])}


def test_cumulative_shares_are_drawn_as_steps(column_ax):
    frame = pd.DataFrame({"recall": [1, 2, 3], "fraction": [0.4, 0.7, 0.95]})
    ax = decided_by_recall(frame, value="fraction", ax=column_ax)
    assert ax.lines[0].get_ydata().tolist() == [0.4, 0.7, 0.95]
    assert ax.lines[0].get_drawstyle() == "steps-post"
    assert decided_by_recall(frame, value="fraction", levels=2).lines[0].get_xdata().tolist() == [
        1,
        2,
    ]


def test_shares_that_are_not_cumulative_are_refused(column_ax):
    frame = pd.DataFrame({"recall": [1, 2, 3], "fraction": [0.6, 0.3, 0.1]})
    with pytest.raises(
        ValueError,
        match=r"draws cumulative fractions, but 'fraction' decreases with the recall level\. Add up",
    ):
        decided_by_recall(frame, value="fraction", ax=column_ax)


@pytest.mark.broad
def test_a_few_ranks_are_written_as_they_are(column_ax):
    frame = pd.DataFrame({"p1": [1, 2, 3, 5], "tied_fraction": [0.8, 0.2, 0.1, 0.05]})
    ax = tie_probability(frame, ax=column_ax)
    ax.figure.draw_without_rendering()
    texts = [text.get_text() for text in [*ax.get_xticklabels(), *ax.get_xticklabels(minor=True)]]
    assert {"1", "2", "3"} <= set(texts)
    assert not any("10^" in text for text in texts)
