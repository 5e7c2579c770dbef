"""Query by query bars; wins, ties and losses."""

from itertools import pairwise

import pandas as pd
import pytest

from pdeval.plots import query_differences, style, win_loss_tie
from tests.plots import frames

PREFS = pd.DataFrame(
    {
        "query_id": ["1", "2", "3", "4"],
        "run_a": "lm",
        "run_b": "bm25",
        "measure": "RPP",
        "value": [0.25, -0.5, 0.0, 0.75],
    }
)
PAIRS = pd.DataFrame(
    {
        "query_id": ["1", "2", "1", "2", "1", "2"],
        "run_a": ["a", "a", "a", "a", "b", "b"],
        "run_b": ["b", "b", "c", "c", "c", "c"],
        "measure": "RPP",
        "value": [1.0, 1.0, -1.0, 0.0, -1.0, 1.0],
    }
)


def bars(ax):
    return [float(bar.get_height()) for bar in ax.patches]


def rows(ax):
    """Return {name: (win, tie, loss in percent)}."""
    widths = [[float(bar.get_width()) for bar in kind] for kind in ax.containers]
    return dict(zip([label.get_text() for label in ax.get_yticklabels()], zip(*widths)))


def test_bars_are_sorted_from_best_to_worst_and_colored_by_sign(column_ax):
    from matplotlib.colors import to_hex

    ax = query_differences(PREFS, ax=column_ax)
    assert bars(ax) == [0.75, 0.25, 0.0, -0.5]
    assert to_hex(ax.patches[0].get_facecolor()).upper() == style.WIN
    assert to_hex(ax.patches[3].get_facecolor()).upper() == style.LOSS
    assert [label.get_text() for label in ax.get_xticklabels()] == ["4", "1", "3", "2"]


def test_the_title_counts_and_the_legend_gives_the_mean(column_ax):
    ax = query_differences(PREFS, ax=column_ax)
    assert ax.get_title() == "lm better: 2, tied: 1, bm25 better: 1"
    assert ax.get_legend().get_texts()[0].get_text() == "mean +0.125"
    assert ax.get_ylabel() == "RPP: lm − bm25"
    assert query_differences(PREFS, mean=False).get_legend() is None


def test_the_other_direction_turns_the_bars_over(column_ax):
    assert bars(query_differences(PREFS, pair=("bm25", "lm"), ax=column_ax)) == [
        0.5,
        0.0,
        -0.25,
        -0.75,
    ]


def test_a_query_without_value_has_no_bar(column_ax):
    holed = PREFS.assign(value=[0.25, None, 0.0, 0.75])
    assert bars(query_differences(holed, ax=column_ax)) == [0.75, 0.25, 0.0]


def test_many_queries_are_counted_instead_of_named(column_ax):
    ax = query_differences(frames.preferences(2, 1000), ax=column_ax)
    assert (len(ax.patches), len(ax.collections)) == (0, 2)
    assert (ax.get_xticks().tolist(), ax.get_xlabel()) == ([], "1000 queries, sorted")


def test_repeated_queries_are_refused(column_ax):
    twice = pd.concat([PREFS, PREFS])
    with pytest.raises(ValueError, match="needs one row per query; some repeat"):
        query_differences(twice, ax=column_ax)


def test_other_column_names_are_bound(column_ax):
    renamed = PREFS.rename(columns={"query_id": "topic_no", "run_a": "model_a", "run_b": "model_b"})
    assert bars(renamed.ireval(query="topic_no").plot.query_differences(ax=column_ax)) == [
        0.75,
        0.25,
        0.0,
        -0.5,
    ]


def test_a_frame_without_queries_or_runs_is_refused(column_ax):
    with pytest.raises(
        ValueError, match=r"needs a preferences table \(query, .*; 'query' is missing"
    ):
        query_differences(PREFS.drop(columns="query_id"), ax=column_ax)
    with pytest.raises(ValueError, match=r"'run_a' is missing \(found: query_id, run_b"):
        query_differences(PREFS.drop(columns="run_a"), ax=column_ax)


def test_pairs_are_counted_and_sorted_by_lead(column_ax):
    ax = win_loss_tie(PAIRS, ax=column_ax)
    assert rows(ax) == {"a vs b": (100, 0, 0), "b vs c": (50, 0, 50), "a vs c": (0, 50, 50)}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["win", "tie", "loss"]


def test_against_a_baseline_the_other_run_wins(column_ax):
    ax = win_loss_tie(PAIRS, baseline="a", ax=column_ax)
    assert rows(ax) == {"c": (50, 50, 0), "b": (0, 0, 100)}
    assert ax.get_xlabel() == "RPP: % of queries against a\nIn the bars: number of queries"


def test_per_run_all_opponents_are_added_up(column_ax):
    ax = win_loss_tie(PAIRS, per="run", ax=column_ax)
    assert list(rows(ax).items()) == [("a", (50, 25, 25)), ("c", (50, 25, 25)), ("b", (25, 0, 75))]
    assert (
        ax.get_xlabel()
        == "RPP: % of queries x opponents\nIn the bars: number of queries x opponents"
    )


@pytest.mark.broad
def test_more_than_forty_pairs_are_drawn_per_run(column_ax):
    ax = win_loss_tie(frames.preferences(12), ax=column_ax)
    assert len(ax.containers[0]) == 12


@pytest.mark.broad
def test_counted_tables_are_taken_as_they_are(column_ax):
    counts = pd.DataFrame({"run": ["x", "y"], "wins": [1, 3], "ties": [1, 0], "losses": [2, 1]})
    assert rows(win_loss_tie(counts, ax=column_ax)) == {"y": (75, 0, 25), "x": (25, 25, 50)}
    pairs = pd.DataFrame({"run_a": ["x"], "run_b": ["y"], "wins": [1], "ties": [1], "losses": [2]})
    assert rows(win_loss_tie(pairs, baseline="x")) == {"y": (50, 25, 25)}


def test_counts_are_written_where_they_fit(column_ax):
    written = [text.get_text() for text in win_loss_tie(PAIRS, ax=column_ax).texts]
    assert sorted(written) == ["1", "1", "1", "1", "2"]


def test_the_order_of_the_frame_is_kept_on_request(column_ax):
    assert list(rows(win_loss_tie(PAIRS, sort=False, ax=column_ax))) == [
        "a vs b",
        "a vs c",
        "b vs c",
    ]


@pytest.mark.broad
def test_79_runs_do_not_write_over_each_other():
    ax = win_loss_tie(frames.preferences(79, 10))
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) == 79
    assert all(upper.y0 >= lower.y1 - 2 for upper, lower in pairwise(boxes))


def test_wins_of_interleaved_runs_are_drawn_as_counts(column_ax):
    wins = pd.DataFrame(
        {
            "run_a": ["lm"],
            "run_b": ["bm25"],
            "by": "query",
            "a_wins": [3],
            "b_wins": [1],
            "ties": [4],
        }
    )
    ax = win_loss_tie(wins, ax=column_ax)
    assert [round(bar.get_width(), 1) for bar in ax.patches] == [37.5, 50.0, 12.5]
