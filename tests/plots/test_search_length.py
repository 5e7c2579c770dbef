"""Search length item by item."""

import pandas as pd
import pytest

from pdeval.plots import asl_histogram, asl_wins
from tests.plots import frames

BUCKETS = pd.DataFrame(
    {
        "run": ["bm25"] * 3 + ["t5"] * 3,
        "bucket": ["unretrieved", "1-10", "11+"] * 2,
        "count": [30, 50, 20, 10, 80, 10],
    }
)


def names(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


def heights(ax):
    return [[float(bar.get_height()) for bar in kind] for kind in ax.containers]


def test_runs_stand_side_by_side_and_what_was_not_found_stands_last(column_ax):
    ax = asl_histogram(BUCKETS, ax=column_ax)
    assert names(ax) == ["1-10", "11+", "unretrieved"]
    assert heights(ax) == [[50, 20, 30], [80, 10, 10]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["bm25", "t5"]
    first, second = ax.containers[0][0], ax.containers[1][0]
    assert first.get_x() + first.get_width() <= second.get_x() + 1e-9
    assert first.get_hatch() != second.get_hatch()


def test_one_run_is_named_in_the_title(column_ax):
    ax = asl_histogram(BUCKETS[BUCKETS["run"] == "t5"], ax=column_ax)
    assert (ax.get_title(), ax.get_legend()) == ("t5", None)


def test_items_are_counted_into_buckets(column_ax):
    lengths = [1, 1, 2, 4, 5, 999, 1000, 7]
    items = pd.DataFrame(
        {
            "run": "a",
            "query_id": "1",
            "doc_id": range(8),
            "asl": lengths,
            "retrieved": [True] * 7 + [False],
        }
    )
    ax = asl_histogram(items, ax=column_ax)
    assert names(ax) == [
        "1", "2-4", "5-9", "10-19", "20-49", "50-99", "100-199", "200-499", "500-999", "1000+", "not retrieved"
    ]  # fmt: skip
    assert heights(ax) == [[2, 2, 1, 0, 0, 0, 0, 0, 1, 1, 1]]


def test_every_item_is_in_one_bucket(column_ax):
    items = frames.items(("a", "b", "c"), 500)
    assert [sum(kind) for kind in heights(asl_histogram(items, ax=column_ax))] == [500, 500, 500]


def test_shares_and_categorical_buckets_in_their_order(column_ax):
    bucket = pd.Categorical(
        ["11+", "1-10", "not found"], categories=["1-10", "11+", "not found"], ordered=True
    )
    ax = asl_histogram(
        pd.DataFrame({"bucket": bucket, "fraction": [0.25, 0.5, 0.25]}), ax=column_ax
    )
    assert names(ax) == ["1-10", "11+", "not found"]
    assert heights(ax) == [[0.5, 0.25, 0.25]]
    assert ax.get_ylabel() == "Fraction of relevant items"


def test_interval_buckets_are_named_as_intervals(column_ax):
    buckets = pd.IntervalIndex.from_breaks([0, 10, float("inf")])
    ax = asl_histogram(pd.DataFrame({"bucket": buckets, "count": [5, 2]}), ax=column_ax)
    assert names(ax) == ["(0.0, 10.0]", "(10.0, inf]"]


def test_too_many_runs_ask_for_a_choice(column_ax):
    with pytest.raises(ValueError, match=r"at most 5 runs side by side; the frame has 6: r0, r1"):
        asl_histogram(frames.items([f"r{i}" for i in range(6)], 10), ax=column_ax)


def test_repeated_buckets_are_refused(column_ax):
    with pytest.raises(ValueError, match="needs one 'count' for each run and bucket; some repeat"):
        asl_histogram(pd.concat([BUCKETS, BUCKETS]), ax=column_ax)


def test_wins_losses_and_ties_are_bars_of_their_own(column_ax):
    table = pd.DataFrame(
        {
            "run_a": "t5",
            "run_b": "bm25",
            "bucket": ["< -100", "-100 to -1", "0", "1 to 100", "> 100"],
            "count": [7, 20, 5, 15, 2],
        }
    )
    ax = asl_wins(table, ax=column_ax)
    assert heights(ax) == [[7, 20], [5], [15, 2]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "t5 earlier: 27",
        "same: 5",
        "bm25 earlier: 17",
    ]


def test_differences_are_counted_into_mirrored_buckets(column_ax):
    items = pd.DataFrame({"difference": [-300, -10, -9, -1, 0, 0, 1, 9, 10]})
    ax = asl_wins(items, edges=(1, 10, 100), ax=column_ax)
    assert names(ax) == ["≤ −100", "−99 to −10", "−9 to −1", "0", "1 to 9", "10 to 99"]
    assert heights(ax) == [[1, 1, 2], [2], [2, 1]]


def test_empty_buckets_are_omitted_at_the_ends_and_kept_between_others(column_ax):
    bucket = ["1", "2-9", "10-99", "100-999", "1000+", "not retrieved"]
    table = pd.DataFrame({"bucket": bucket, "count": [0, 4, 0, 2, 0, 0]})
    ax = asl_histogram(table, ax=column_ax)
    assert names(ax) == ["2-9", "10-99", "100-999", "not retrieved"]
    assert heights(ax) == [[4, 0, 2, 0]]


def test_items_that_a_run_lacks_are_bars_of_their_own(column_ax):  # issue 12, item 5
    table = pd.DataFrame(
        {
            "run_a": "t5",
            "run_b": "bm25",
            "class": ["ahead", "same", "later", "only run_a", "only run_b", "neither"],
            "bucket": ["≤ −1", "0", "≥ 1", "only run_a", "only run_b", "neither"],
            "count": [20, 5, 15, 2, 3, 4],
        }
    )
    ax = asl_wins(table, ax=column_ax)
    assert heights(ax) == [[20], [5], [15], [2], [3], [4]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "t5 earlier: 20",
        "same: 5",
        "bm25 earlier: 15",
        "only t5 has it: 2",
        "only bm25 has it: 3",
        "neither has it: 4",
    ]
    assert names(ax) == ["≤ −1", "0", "≥ 1", "only one", "only one", "neither"]


def test_intervals_know_their_side(column_ax):
    buckets = pd.IntervalIndex.from_breaks([-100, -10, 0, 10, 100])
    ax = asl_wins(pd.DataFrame({"bucket": buckets, "fraction": [0.1, 0.4, 0.3, 0.2]}), ax=column_ax)
    assert heights(ax) == [[0.1, 0.4], [0.3, 0.2]]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "the first run earlier: 0.50",
        "the second run earlier: 0.50",
    ]


def test_the_other_direction_is_refused_with_the_call_to_write(column_ax):
    table = pd.DataFrame({"run_a": ["t5"], "run_b": ["bm25"], "difference": [1]})
    with pytest.raises(
        ValueError, match=r"the frame has t5 minus bm25: pass pair=\('t5', 'bm25'\)"
    ):
        asl_wins(table, pair=("bm25", "t5"), ax=column_ax)


def test_buckets_without_numbers_are_refused(column_ax):
    with pytest.raises(
        ValueError,
        match="reads wins and losses from the numbers of a bucket, but 'big win' has none",
    ):
        asl_wins(pd.DataFrame({"bucket": ["big win"], "count": [1]}), ax=column_ax)


def test_a_frame_without_runs_has_no_title(column_ax):
    items = pd.DataFrame(
        {"query_id": "1", "doc_id": range(3), "asl": [1, 4, 30], "retrieved": [True, True, False]}
    )
    ax = asl_histogram(items, ax=column_ax)
    assert ax.get_title() == ""
    assert ax.get_legend() is None
