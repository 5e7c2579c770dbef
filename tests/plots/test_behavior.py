"""Behavior of users as bars."""

import pandas as pd
import pytest

import pdeval
from pdeval.plots import behavior_bars
from tests.plots import frames


def widths(ax):
    return [round(float(bar.get_width()), 10) for bar in ax.patches]


def test_bars_are_multiples_of_the_first_bucket(column_ax):
    ax = behavior_bars(frames.behavior(), ax=column_ax)
    assert widths(ax) == [1, 1, 1.2, 0.75, 1.4, 0.5]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["orig", "flat", "rand"]
    low, high = ax.collections[1].get_segments()[0][:, 0]
    assert (low, high) == (pytest.approx(1.0), pytest.approx(1.4))  # .5 and .7 as multiples of .5


def test_another_order_has_another_unit(column_ax):
    ax = behavior_bars(
        frames.behavior(), order=["rand", "orig"], measures=["clicks_per_query"], ax=column_ax
    )
    assert widths(ax) == [1, 2]


def test_raw_values_stay_as_they_are(column_ax):
    ax = behavior_bars(frames.behavior(), scale="raw", ax=column_ax)
    assert widths(ax) == [0.5, 4, 0.6, 3, 0.7, 2]


@pytest.mark.broad
def test_arrows_say_where_better_results_lead(column_ax):
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    log = runs[runs["run"].isin(["bm25", "tfidf"])].ireval.simulate_clicks(qrels)
    ax = log.ireval.behavior(["abandonment_rate", "clicks_per_query"]).ireval.plot(ax=column_ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "abandonment rate ↓",
        "clicks per query ↑",
    ]


def test_a_log_without_buckets_is_one_bucket(column_ax):
    one = frames.behavior().iloc[:2].drop(columns="bucket")
    ax = behavior_bars(one, scale="raw", ax=column_ax)
    assert (widths(ax), ax.get_legend()) == ([0.5, 4], None)


def test_a_first_bucket_of_zero_has_no_multiples(column_ax):
    frame = frames.behavior().assign(value=[0.0, 4, 1, 3, 1, 2])
    assert widths(behavior_bars(frame, ax=column_ax)) == [0, 1, 0, 0.75, 0, 0.5]


def test_repeated_values_are_refused(column_ax):
    with pytest.raises(ValueError, match="one value for each bucket and measure"):
        behavior_bars(pd.concat([frames.behavior()] * 2), ax=column_ax)
