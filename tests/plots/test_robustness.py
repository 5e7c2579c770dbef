"""Tau against what is kept."""

import numpy as np
import pandas as pd
import pytest

from pdeval.plots import robustness
from tests.plots import frames


def test_a_line_and_a_band_per_measure(column_ax):
    frame = frames.degraded()
    ax = robustness(frame, ax=column_ax)
    assert [line.get_label() for line in ax.lines] == frames.MEASURES
    assert len(ax.collections) == len(frames.MEASURES)
    rows = frame[frame["measure"] == "AP"].groupby("keep")["value"]
    line = ax.lines[frames.MEASURES.index("AP")]
    np.testing.assert_allclose(line.get_ydata(), rows.mean())
    assert line.get_xdata().tolist() == list(range(5, 51, 5))


def test_the_band_is_one_standard_deviation_wide(column_ax):
    frame = pd.DataFrame(
        {"measure": "AP", "keep": [1, 1, 2, 2], "draw": [0, 1] * 2, "value": [0.4, 0.6, 0.8, 0.8]}
    )
    corners = robustness(frame, ax=column_ax).collections[0].get_paths()[0].vertices
    at_one = corners[corners[:, 0] == 1][:, 1]
    sd = np.std([0.4, 0.6], ddof=1)
    assert (at_one.min(), at_one.max()) == pytest.approx((0.5 - sd, 0.5 + sd))


def test_means_and_deviations_already_taken_draw_the_same(column_ax):
    frame = frames.degraded()
    long = robustness(frame, ax=column_ax)
    taken = (
        frame.groupby(["measure", "keep", "statistic"], sort=False)["value"]
        .agg(mean="mean", sd="std")
        .reset_index()
    )
    short = robustness(taken)
    for left, right in zip(long.lines, short.lines):
        np.testing.assert_allclose(left.get_ydata(), right.get_ydata())
    for left, right in zip(long.collections, short.collections):
        np.testing.assert_allclose(left.get_paths()[0].vertices, right.get_paths()[0].vertices)


@pytest.mark.broad
def test_tau_is_drawn_where_nothing_else_is_asked_for(column_ax):
    frame = pd.concat([frames.degraded(), frames.degraded().assign(statistic="ties", value=3)])
    ax = robustness(frame, ax=column_ax)
    assert ax.get_ylabel() == "Kendall's τ with the full data"
    assert ax.lines[0].get_ydata().max() <= 1


@pytest.mark.parametrize(
    ("frame", "label"),
    [
        (frames.degraded("queries"), "Queries kept"),
        (frames.degraded("labels"), "Fraction of labels kept"),
        (frames.degraded("labels").drop(columns="to"), "Fraction of data kept"),
    ],
)
def test_the_x_axis_says_what_was_kept(frame, label, column_ax):
    assert robustness(frame, ax=column_ax).get_xlabel().splitlines()[0] == label


def test_the_band_is_explained_where_there_is_one(column_ax):
    said = "Band: ± one standard deviation over draws"
    assert said in robustness(frames.degraded(), ax=column_ax).get_xlabel()
    assert said not in robustness(frames.degraded(), band=False).get_xlabel()


def test_measures_are_drawn_in_the_order_asked_for(column_ax):
    ax = robustness(frames.degraded(), measures=["RR", "AP"], band=False, ax=column_ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["RR", "AP"]
    assert len(ax.collections) == 0


def test_two_policies_ask_for_a_choice(column_ax):
    both = pd.concat([frames.degraded().assign(policy=policy) for policy in ("random", "pool")])
    with pytest.raises(
        ValueError,
        match=r"draws one policy; the frame has 2: random, pool\. Choose one: frame\[frame\['policy'\]",
    ):
        robustness(both, ax=column_ax)
