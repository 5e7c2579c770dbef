"""Demsar's diagram of mean ranks."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.plots import critical_difference, style
from pdeval.significance.mean_ranks import critical_difference_of
from tests.plots import interval_frames
from tests.plots.test_style import luminance

SCORES = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])


def drawn(ax):
    """The dots, the bars and the texts of a diagram."""
    bars = [tuple(line.get_xdata()) for line in ax.lines if line.get_label() == "_group"]
    return (
        next(one for one in ax.collections if len(one.get_offsets()) > 1)
        .get_offsets()[:, 0]
        .tolist(),
        bars,
        [text.get_text() for text in ax.texts],
    )


def mean_ranks(measure):
    wide = SCORES[SCORES["measure"] == measure].pivot(
        index="query_id", columns="run", values="value"
    )
    return wide.rank(axis=1, ascending=False).mean().sort_values()


def test_dots_stand_at_the_mean_ranks_and_names_beside_them(column_ax):
    ax = critical_difference(SCORES.ireval.compare(test="nemenyi"), measure="AP", ax=column_ax)
    dots, _, texts = drawn(ax)
    expected = mean_ranks("AP")
    np.testing.assert_allclose(sorted(dots), expected.to_numpy(), rtol=1e-12)
    for run, rank in expected.items():
        assert f"{run} ({rank:.2f})" in texts


def test_bars_join_what_nemenyi_does_not_tell_apart_and_none_is_longer_than_the_critical_difference(
    column_ax,
):
    found = SCORES.ireval.compare("AP", test="nemenyi")
    _, bars, texts = drawn(critical_difference(found, ax=column_ax))
    limit = critical_difference_of(12, 48)
    assert f"CD = {limit:.2f}" in texts
    rank = mean_ranks("AP").to_numpy()
    alike = [(rank[i], rank[rank <= rank[i] + limit].max()) for i in range(12)]
    longest = [
        one
        for one in alike
        if one[0] < one[1] and not any(o[0] < one[0] and o[1] >= one[1] for o in alike)
    ]
    np.testing.assert_allclose(sorted(bars), longest, rtol=1e-12)


def test_the_stick_is_as_long_as_the_critical_difference(column_ax):
    ax = critical_difference(SCORES.ireval.compare("AP", test="nemenyi", alpha=0.1), ax=column_ax)
    (stick,) = ax.containers[0].lines[2]
    ends = stick.get_segments()[0][:, 0]
    assert np.ptp(ends) == pytest.approx(critical_difference_of(12, 48, 0.1), rel=1e-12)
    assert "α=0.1" in ax.get_xlabel().replace("\n", " ")


def test_conover_has_bars_but_no_single_critical_difference(column_ax):
    ax = critical_difference(SCORES.ireval.compare("RR", test="conover"), ax=column_ax)
    assert drawn(ax)[1]
    assert not [text for text in drawn(ax)[2] if "CD" in text]
    assert "Friedman-Conover test" in ax.get_xlabel().replace("\n", " ")


def test_a_critical_difference_longer_than_the_line_is_said(column_ax):
    rng = np.random.default_rng(0)
    few = pd.DataFrame(
        {
            "run": list("abcd") * 2,
            "query_id": np.repeat(["1", "2"], 4),
            "measure": "AP",
            "value": rng.random(8),
        }
    )
    ax = critical_difference(few.ireval.compare(test="nemenyi"), ax=column_ax)
    assert f"CD = {critical_difference_of(4, 2):.2f}, more than the line is long" in drawn(ax)[2]


@pytest.mark.broad
def test_eighty_runs_in_a_column_are_named_as_far_as_there_is_room(column_ax):
    ax = critical_difference(interval_frames.ranked(80), ax=column_ax)
    assert "named)" in ax.get_xlabel()
    assert len([text for text in drawn(ax)[2] if "(" in text]) < 80


def test_lines_bars_and_stick_differ_in_gray():
    shades = sorted(luminance(color) for color in (style.BLACK, style.VERMILLION, style.FADED))
    assert min(np.diff(shades)) > 0.15


def test_what_has_no_mean_ranks_or_not_all_of_them_is_refused(column_ax):
    with pytest.raises(
        ValueError, match=r"draws mean ranks, which these comparisons do not have\. Use compare"
    ):
        critical_difference(SCORES.ireval.compare("AP"), ax=column_ax)
    with pytest.raises(
        ValueError,
        match=r"^the comparisons have no test of .*, but all pairs of the runs drawn are needed\. "
        r"Compare without baseline=, or select the runs first\.$",
    ):
        critical_difference(
            SCORES.ireval.compare("AP", test="nemenyi", baseline="bm25"), ax=column_ax
        )
    found = SCORES.ireval.compare("AP", test="nemenyi")
    some = found[~found["run_a"].eq("bm25") & ~found["run_b"].eq("bm25")]
    with pytest.raises(
        ValueError, match="the mean ranks were computed among more runs than the 11 in this table"
    ):
        critical_difference(some, ax=column_ax)
    with pytest.raises(
        ValueError, match="comparisons= and method= require orders, but this frame has comparisons"
    ):
        critical_difference(found, comparisons=found, ax=column_ax)
    with pytest.raises(ValueError, match="draws one measure; the frame has 2"):
        critical_difference(SCORES.ireval.compare(test="nemenyi"), ax=column_ax)
