"""Which items one run finds sooner than another."""

import numpy as np
import pytest

from pdeval.experiments.two_runs import differences, wins
from pdeval.plots.search_length import asl_wins
from tests.experiments.rankings import inf, judged

pytestmark = pytest.mark.filterwarnings("ignore:.*judged queries are missing")

# search lengths: a 1, 1, 8; b 2, 4, 18 (18 irrelevant items retrieved); query s: a 5, b 5
FOUND = judged({"q": {"a": [1, 2, 10], "b": [2, 5, inf], "c": [1, 2, 3]}, "s": {"a": [5], "b": [5], "c": None}})


def test_differences_are_negative_where_the_first_run_is_sooner():
    table = differences(FOUND, "a", "b")
    assert table.columns.tolist() == ["run_a", "run_b", "query_id", "doc_id", "value_a", "value_b", "difference"]
    assert table["doc_id"].tolist() == ["r0", "r1", "r2", "r0"]
    assert table["value_a"].tolist() == [1, 1, 8, 5]
    assert table["value_b"].tolist() == [2, 4, 18, 5]
    assert table["difference"].tolist() == [-1, -3, -10, 0]


def test_differences_turn_with_the_runs():
    one, other = differences(FOUND, "a", "b"), differences(FOUND, "b", "a")
    assert one["difference"].tolist() == (0 - other["difference"]).tolist()
    assert other["run_a"].unique().tolist() == ["b"]


def test_only_queries_that_count_for_both_runs():
    assert len(differences(FOUND.at(topics="answered"), "a", "c")) == 3
    assert len(differences(FOUND, "a", "c")) == 4


def test_wins_and_losses_fall_into_buckets_that_mirror_each_other():
    table = wins(FOUND, "a", "b", edges=[1, 3, 10])
    assert table["bucket"].tolist() == ["≤ −10", "−9 to −3", "−2 to −1", "0", "1 to 2", "3 to 9", "≥ 10"]
    assert table["count"].tolist() == [1, 1, 1, 1, 0, 0, 0]
    assert table["share"].tolist() == [0.25] * 4 + [0] * 3
    assert table["low"].tolist() == [-np.inf, -9, -2, 0, 1, 3, 10]
    assert table["high"].tolist() == [-10, -3, -1, 0, 2, 9, np.inf]
    turned = wins(FOUND, "b", "a", edges=[1, 3, 10])
    assert turned["count"].tolist() == table["count"].tolist()[::-1]


def test_the_buckets_are_those_that_the_plot_makes_of_the_differences():
    Figure = pytest.importorskip("matplotlib.figure").Figure

    axes = [asl_wins(frame, ax=Figure().subplots()) for frame in (wins(FOUND, "a", "b"), differences(FOUND, "a", "b"))]
    heights = [[bar.get_height() for bar in ax.patches] for ax in axes]
    names = [[label.get_text() for label in ax.get_xticklabels()] for ax in axes]
    assert heights[0] == heights[1]
    assert names[0] == names[1]


def test_a_run_is_not_compared_with_itself():
    with pytest.raises(ValueError, match=r"a run cannot be compared with itself: 'a'."):
        differences(FOUND, "a", "a")
