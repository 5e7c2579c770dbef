"""Ranks and means with their intervals."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.plots import critical_difference, summary_bars
from pdeval.plots.orderings import groups
from tests.examples import examples
from tests.plots import frames


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def bars(ax):
    """Return (column, first row, last row) of the bars that join runs."""
    ends = [
        (line.get_xdata()[0], line.get_ydata()[0] + 0.25, line.get_ydata()[1] - 0.25)
        for line in ax.lines
    ]
    return [(round(float(lane), 3), round(first), round(last)) for lane, first, last in ends]


def longest_stretches(significant: np.ndarray) -> list[tuple[int, int]]:
    """The definition, pair by pair."""
    size = len(significant)
    fine = [
        (i, j)
        for i in range(size)
        for j in range(i + 1, size)
        if not any(significant[a, b] for a, b in itertools.combinations(range(i, j + 1), 2))
    ]
    return [s for s in fine if not any(o != s and o[0] <= s[0] and s[1] <= o[1] for o in fine)]


@pytest.mark.broad
@examples(60)
@given(st.integers(2, 7), st.integers(0, 2**21 - 1))
def test_groups_are_the_longest_stretches_without_a_significant_pair(size, bits):
    a, b = np.triu_indices(size, 1)
    significant = np.zeros((size, size), dtype=bool)
    significant[a, b] = [bool(bits >> i & 1) for i in range(len(a))]
    tests = pd.DataFrame(
        {"run_a": a.astype(str), "run_b": b.astype(str), "significant": significant[a, b]}
    )
    assert groups([str(i) for i in range(size)], tests) == longest_stretches(significant)


def test_runs_are_listed_best_first_at_their_ranks(column_ax):
    ax = critical_difference(frames.orders(8), ax=column_ax)
    assert names(ax) == frames.run_names(8)
    points = ax.collections[-1].get_offsets()
    assert points[:, 0].tolist() == list(range(1, 9))
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_xlabel().startswith("Rank by RPP (MC4)\nLine: interval of the rank\nover")


def test_intervals_reach_from_low_to_high(column_ax):
    orders = pd.DataFrame(
        {"run": ["b", "a"], "rank": [2, 1], "rank_low": [1, 1], "rank_high": [2, 1.5]}
    )
    ax = critical_difference(orders, ax=column_ax)
    spans = [segment[:, 0].tolist() for segment in ax.collections[0].get_segments()]
    assert spans == [[1, 1.5], [1, 2]]


def test_ticks_reach_the_worst_rank_also_where_some_runs_are_left_out(column_ax):
    orders = pd.DataFrame(
        {"run": ["lm", "bm25", "rm3"], "rank": [1, 20, 40], "rank_low": [1, 15, 30]}
    )
    ax = critical_difference(orders, ax=column_ax)
    assert ax.get_xticks().tolist() == [1, 10, 20, 30, 40]
    ax = critical_difference(orders.assign(rank_high=[9, 26, 52]), ax=column_ax)
    assert ax.get_xticks().tolist() == [1, 10, 20, 30, 40, 50]


def test_bars_join_the_runs_that_do_not_differ_in_columns_that_do_not_overlap(column_ax):
    ax = critical_difference(
        frames.orders(6), comparisons=frames.comparisons(6, near=2), ax=column_ax
    )
    found = bars(ax)
    assert [(first, last) for _, first, last in found] == [(0, 2), (1, 3), (2, 4), (3, 5)]
    lanes = [lane for lane, *_ in found]
    assert lanes[0] == lanes[3]
    assert len(set(lanes)) == 3


def test_tests_of_other_measures_are_left_alone(column_ax):
    both = pd.concat([frames.comparisons(5, 1, "AP"), frames.comparisons(5, 4, "RPP")])
    assert len(bars(critical_difference(frames.orders(5), comparisons=both, ax=column_ax))) == 1


def test_runs_that_were_not_compared_are_an_error(column_ax):
    tests = frames.comparisons(5).query("run_a == 'bm25'")
    with pytest.raises(
        ValueError,
        match=r"^the comparisons have no test of .*, but all pairs of the runs drawn are needed\. "
        r"Compare without baseline=, or select the runs first\.$",
    ):
        critical_difference(frames.orders(5), comparisons=tests, ax=column_ax)


def test_several_orderings_ask_for_a_choice(column_ax):
    both = pd.concat([frames.orders(3), frames.orders(3, method="borda")])
    with pytest.raises(
        ValueError,
        match=r"draws one method; the frame has 2: mc4, borda\. Choose one: method='mc4'",
    ):
        critical_difference(both, ax=column_ax)
    assert (
        critical_difference(both, method="borda", ax=column_ax)
        .get_xlabel()
        .startswith("Rank by RPP (Borda)")
    )


def test_a_run_with_two_ranks_is_refused(column_ax):
    orders = pd.DataFrame({"run": ["a", "a"], "rank": [1, 2]})
    with pytest.raises(ValueError, match="needs one rank per run; some repeat"):
        critical_difference(orders, ax=column_ax)


@pytest.mark.broad
@pytest.mark.parametrize("size", [None, (3.3, 7.0), (6.4, 4.8)])
def test_the_names_of_79_runs_do_not_overlap(size):
    from matplotlib.figure import Figure

    ax = None if size is None else Figure(figsize=size, layout="constrained").subplots()
    ax = critical_difference(frames.orders(79), comparisons=frames.comparisons(79, 9), ax=ax)
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert len(boxes) >= 39
    assert all(upper.y0 >= lower.y1 - 2 for upper, lower in itertools.pairwise(boxes))


def test_means_are_dots_with_whiskers_largest_first(column_ax):
    summary = pd.DataFrame(
        {
            "run": ["x", "y"],
            "measure": "AP",
            "mean": [0.2, 0.3],
            "ci_low": [0.1, 0.25],
            "ci_high": [0.25, 0.4],
        }
    )
    ax = summary_bars(summary, ax=column_ax)
    assert names(ax) == ["y", "x"]
    dots, _, (whiskers,) = ax.containers[0]
    assert dots.get_xdata().tolist() == [0.3, 0.2]
    np.testing.assert_allclose(
        [s[:, 0] for s in whiskers.get_segments()], [[0.25, 0.4], [0.1, 0.25]]
    )


@pytest.mark.broad
def test_the_order_of_the_frame_is_kept_on_request(column_ax):
    assert names(summary_bars(frames.summary(5), sort=False, ax=column_ax)) == frames.run_names(5)


@pytest.mark.broad
def test_without_an_interval_the_deviation_is_drawn_and_named(column_ax):
    summary = frames.summary(3).drop(columns=["ci_low", "ci_high"])
    ax = summary_bars(summary, ax=column_ax)
    assert ax.get_xlabel() == "Mean AP (± one standard deviation)"
    assert summary_bars(summary.drop(columns="sd")).get_xlabel() == "Mean AP"


def test_measures_share_the_rows_with_a_marker_each(column_ax):
    ax = summary_bars(frames.summary(4, ("AP", "RR")), measures=["RR", "AP"], ax=column_ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["RR", "AP"]
    first, second = (container[0] for container in ax.containers)
    assert first.get_marker() != second.get_marker()
    assert np.abs(first.get_ydata() - second.get_ydata()).max() < 0.5


def test_too_many_measures_ask_for_a_choice(column_ax):
    with pytest.raises(
        ValueError,
        match=r"at most 5 measures; the frame has .* Choose some: measures=\['RPP', 'invRPP'\]",
    ):
        summary_bars(frames.summary(3, frames.MEASURES), ax=column_ax)


def test_tiers_are_looked_at_as_often_as_there_are_any():
    from pdeval.plots.orderings import _tiers

    orders = pd.DataFrame({"tier": [1, 1, 2, 10**13], "last_tier": [1, 2, 2, 10**13]})
    assert _tiers(orders) == [(0, 1), (1, 2)]
