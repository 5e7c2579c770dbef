"""Precision-recall curves."""

import pandas as pd
import pytest

from pdeval.plots import precision_recall, style
from tests.plots import frames


def named(ax):
    return {
        line.get_label(): line
        for line in ax.lines
        if not line.get_label().startswith("_") and len(line.get_xdata())
    }


def test_one_line_per_run_with_its_points(column_ax):
    curve = frames.curves(3)
    ax = precision_recall(curve, ax=column_ax)
    lines = named(ax)
    assert list(lines) == curve["run"].unique().tolist()
    for run, line in lines.items():
        rows = curve[curve["run"] == run]
        assert line.get_xdata().tolist() == rows["recall"].tolist()
        assert line.get_ydata().tolist() == rows["precision"].tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Recall", "Precision")


def test_queries_are_averaged_at_shared_recall_points(column_ax):
    curve = pd.DataFrame(
        {
            "run": "a",
            "query_id": ["1", "1", "2", "2"],
            "recall": [0, 1, 0, 1],
            "precision": [1.0, 0.4, 0.5, 0.2],
        }
    )
    assert precision_recall(curve, ax=column_ax).lines[0].get_ydata() == pytest.approx([0.75, 0.3])


def test_queries_with_different_recall_points_are_not_averaged(column_ax):
    curve = pd.DataFrame(
        {
            "run": "a",
            "qid": ["1", "1", "2", "2"],
            "recall": [0.5, 1, 0.3, 1],
            "precision": [1.0, 0.4, 0.5, 0.2],
        }
    )
    with pytest.raises(
        ValueError,
        match=r"points differ between the 2 queries\. Draw one query, curve\[curve\['qid'\]",
    ):
        precision_recall(curve, ax=column_ax)
    assert len(precision_recall(curve[curve["qid"] == "1"], ax=column_ax).lines[0].get_xdata()) == 2


def test_the_best_of_many_runs_get_color_and_the_others_stay_gray(column_ax):
    curve = frames.curves(79)
    ax = precision_recall(curve, highlight=5, ax=column_ax)
    best = curve.groupby("run")["precision"].mean().nlargest(5).index.tolist()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [*best, "74 other runs"]
    gray = [line for line in ax.lines if line.get_color() == style.FADED and len(line.get_xdata())]
    assert len(gray) == 74


def test_runs_can_be_chosen_for_color(column_ax):
    ax = precision_recall(frames.curves(9), highlight=["bm25"], ax=column_ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["bm25", "8 other runs"]


def test_a_run_named_by_two_columns_is_one_line(column_ax):
    curve = pd.DataFrame(
        {
            "model": "t5",
            "seed": [1, 1, 2, 2],
            "recall": [0, 1, 0, 1],
            "precision": [0.9, 0.1, 0.8, 0.2],
        }
    )
    ax = curve.ireval(run=["model", "seed"]).plot(ax=column_ax)
    assert list(named(ax)) == ["t5 / 1", "t5 / 2"]


def test_no_legend_on_request(column_ax):
    assert precision_recall(frames.curves(), legend=None, ax=column_ax).get_legend() is None
