"""Everything that a plot writes lies inside its figure: with few and many runs, short and very long names."""

import pandas as pd
import pytest

from pdeval import plots
from tests.plots import frames, interval_frames, judge_frames
from tests.plots.test_odd_names import renamed
from tests.plots.test_plots import FRAMES

plots_by_name = vars(plots) | {"mean ranks": plots.critical_difference}
LONG = "-with-a-name-that-is-as-long-as-participants-choose-them"
# plots of as many runs, or collections, as there are
COUNTED = {
    "critical_difference": frames.orders,
    "mean ranks": interval_frames.ranked,
    "summary_bars": frames.summary,
    "matrix_heatmap": frames.matrix,
    "intervals": interval_frames.with_intervals,
    "forest": frames.effects,
    "equivalence_bars": interval_frames.equivalences,
    "rank_slopes": interval_frames.several_orders,
    "rank_scatter": interval_frames.several_orders,
    "query_heatmap": interval_frames.scores,
    "judge_dots": judge_frames.judges,
    "judge_scatter": judge_frames.judge_scores,
    "preference_heatmap": lambda runs: frames.preferences(runs, queries=3),
    "p_value_curves": frames.comparisons,
}


def beyond(ax) -> list[float]:
    """By how many inches the figure cuts off what is drawn, where it does: left, below, right, above."""
    figure = ax.figure
    figure.draw_without_rendering()
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    cut = [-drawn.x0, -drawn.y0, drawn.x1 - width, drawn.y1 - height]
    return [round(float(one), 2) for one in cut] if max(cut) > 0.03 else []


def lengthened(frame: pd.DataFrame) -> pd.DataFrame:
    """The same with long names of runs and collections."""
    named = renamed(frame, LONG)
    named.attrs = dict(frame.attrs)
    kept = [name for name in ("measure", "method") if name in frame.columns]
    return named.assign(**{name: frame[name] for name in kept})


@pytest.mark.broad
@pytest.mark.parametrize("name", list(FRAMES))
def test_no_text_is_cut_off(name):
    assert beyond(getattr(plots, name)(FRAMES[name]())) == []


@pytest.mark.broad
@pytest.mark.parametrize(("name", "runs"), [(name, runs) for name in COUNTED for runs in (2, 80)])
def test_no_text_is_cut_off_of_few_and_of_many_runs_with_long_names(name, runs):
    assert beyond(plots_by_name[name](lengthened(COUNTED[name](runs)))) == []


@pytest.mark.broad
@pytest.mark.parametrize(("name", "runs"), [(name, runs) for name in COUNTED for runs in (2, 80)])
def test_no_text_is_cut_off_in_a_column_of_a_paper(name, runs, column_ax):
    assert beyond(plots_by_name[name](COUNTED[name](runs), ax=column_ax)) == []


MEASURE = "an-own-measure-whose-name-is-sixty-letters-long(with=options)"  # as long as measures with options get


def with_long_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """The same with long names of measures."""
    known = [name for name in ("measure", "measure_a", "measure_b") if name in frame.columns]
    named = frame.assign(**{name: MEASURE + frame[name].astype(str) for name in known})
    named.attrs = dict(frame.attrs)
    return named


@pytest.mark.broad
@pytest.mark.parametrize(
    "name", [name for name in FRAMES if "measure" in "".join(map(str, FRAMES[name]().columns))]
)
def test_no_text_is_cut_off_of_measures_with_long_names(name):
    assert beyond(getattr(plots, name)(with_long_measures(FRAMES[name]()))) == []
