"""How a preference adds up on one query."""

import pandas as pd
import pytest

from pdeval.plots import running_sum
from tests.plots import frames


def lines(ax):
    return {
        line.get_label(): line.get_ydata()
        for line in ax.lines
        if not line.get_label().startswith("_")
    }


def test_a_line_rises_with_the_first_run_and_ends_at_the_preference(column_ax):
    ax = running_sum(frames.explained(), ax=column_ax)
    assert lines(ax)["RPP"].tolist() == [0, 0.25, 0.25, 0.0, 0.25]
    assert "lm compared with bm25" in ax.get_title()
    assert "rises where lm is ahead" in ax.get_xlabel().replace("\n", " ")


def test_populations_are_set_apart(column_ax):
    ax = running_sum(frames.explained(), ax=column_ax)
    assert [line.get_xdata()[0] for line in ax.lines if line.get_label() == "_population"] == [3.5]


def test_measures_may_be_chosen(column_ax):
    both = pd.concat([frames.explained(), frames.explained().assign(measure="AP", value=-1.0)])
    assert list(lines(running_sum(both, measures=["AP"], ax=column_ax))) == ["AP"]


def test_several_queries_are_refused(column_ax):
    both = pd.concat([frames.explained(), frames.explained().assign(query_id="2")])
    with pytest.raises(ValueError, match=r"draws one query_id; the frame has 2: 1, 2. Choose one"):
        running_sum(both, ax=column_ax)
