"""What every plot does: returns its axes, leaves rcParams and the frame alone, says what it lacks."""

import re
import sys

import numpy as np
import pandas as pd
import pytest

from pdeval import plots
from pdeval.plots.registry import obtained
from pdeval.verbs import VERBS
from tests.plots import frames, interval_frames, judge_frames


def differences():
    items = frames.items(("neural", "bm25"), 300).pivot(index="doc_id", columns="run", values="asl")
    return pd.DataFrame(
        {
            "run_a": "neural",
            "run_b": "bm25",
            "difference": (items["neural"] - items["bm25"]).to_numpy(),
        }
    )


def tie_table():
    return pd.DataFrame(
        {"n": 100, "m": [1, 1, 2, 2], "p1": [1, 2, 1, 2], "probability": [0.01, 0.01, 0.02, 0.0198]}
    )


FRAMES = {
    "precision_recall": frames.curves,
    "effect_scatter": frames.KINDS["reproduction"],
    "recall_effort": frames.KINDS["recall_curve"],
    "exposure_curve": frames.KINDS["exposure_tradeoff"],
    "query_differences": lambda: frames.preferences(2),
    "win_loss_tie": frames.preferences,
    "preference_heatmap": frames.preferences,
    "recall_levels": frames.disaggregated,
    "level_scatter": lambda: frames.disaggregated().query("measure == 'AP'"),
    "running_sum": frames.explained,
    "contribution_surface": frames.surface,
    "contribution_ecdf": frames.spread,
    "discount_curves": frames.discounts,
    "headroom_bars": frames.headroom,
    "behavior_bars": frames.behavior,
    "difference_scatter": lambda: frames.preferences(4, measures=("RPP", "AP")),
    "robustness": frames.degraded,
    "p_value_curves": frames.p_values,
    "ties_by_recall": frames.tied_levels,
    "tie_probability": tie_table,
    "decided_by_recall": lambda: pd.DataFrame({"recall": [1, 1, 2, 7]}),
    "asl_histogram": frames.items,
    "asl_wins": differences,
    "critical_difference": frames.orders,
    "equivalence_bars": interval_frames.equivalences,
    "forest": frames.effects,
    "correlation_heatmap": frames.correlations,
    "matrix_heatmap": frames.matrix,
    "summary_bars": frames.summary,
    "variance_components": frames.components,
    "intervals": interval_frames.with_intervals,
    "rank_slopes": interval_frames.several_orders,
    "rank_scatter": interval_frames.several_orders,
    "query_heatmap": interval_frames.scores,
    "confusion_heatmap": judge_frames.confusion,
    "judge_dots": judge_frames.judges,
    "judge_scatter": judge_frames.judge_scores,
}
every_plot = pytest.mark.parametrize("name", list(FRAMES))


def test_every_plot_of_a_frame_is_tested_here():
    drawn_from_joins = {name for name in plots.__all__ if name.endswith("_figure")}
    assert set(FRAMES) | {"hasse"} == set(plots.__all__) - drawn_from_joins


@every_plot
def test_a_plot_returns_the_axes_it_was_given(name, column_ax):
    assert getattr(plots, name)(FRAMES[name](), ax=column_ax) is column_ax


@pytest.mark.broad
@every_plot
def test_a_plot_makes_axes_of_a_new_figure_each_time(name):
    first, second = (getattr(plots, name)(FRAMES[name]()) for _ in range(2))
    assert first.figure is not second.figure


@every_plot
def test_a_plot_leaves_rcparams_and_the_frame_alone(name, column_ax):
    import matplotlib as mpl

    frame, settings = FRAMES[name](), dict(mpl.rcParams)
    before = frame.copy()
    getattr(plots, name)(frame, ax=column_ax)
    assert dict(mpl.rcParams) == settings
    pd.testing.assert_frame_equal(frame, before)


@every_plot
def test_a_plot_of_a_wrong_frame_says_what_was_found_and_what_to_call(name, column_ax):
    frame = pd.DataFrame({"color": ["red"], "weight": [1.0]})
    verb = next(verbs[f"plot.{name}"] for verbs in VERBS.values() if f"plot.{name}" in verbs)
    advice = re.escape(obtained(verb.on))
    with pytest.raises(
        ValueError, match=rf"{name}\(\) needs an? .*\(found: color, weight\)\.{advice}$"
    ):
        getattr(plots, name)(frame, ax=column_ax)


@every_plot
def test_a_plot_of_no_frame_says_so(name, column_ax):
    with pytest.raises(TypeError, match=rf"{name}\(\) draws a DataFrame; found dict\."):
        getattr(plots, name)({"run": ["a"]}, ax=column_ax)


@every_plot
def test_a_plot_of_a_frame_without_rows_says_so(name, column_ax):
    with pytest.raises(
        ValueError, match=rf"{name}\(\) needs a frame with rows; found an empty one\."
    ):
        getattr(plots, name)(FRAMES[name]().iloc[:0], ax=column_ax)


def extents(patch):
    """Where a bar or a diamond lies, in the numbers of the axes."""
    return patch.get_patch_transform().transform_path(patch.get_path()).get_extents().bounds


@pytest.mark.broad
@pytest.mark.parametrize("name", [name for name in FRAMES if name != "matrix_heatmap"])
def test_a_plot_does_not_depend_on_the_index_of_the_frame(name, column_ax):
    from matplotlib.figure import Figure

    frame, plot = FRAMES[name](), getattr(plots, name)
    plain = plot(frame, ax=column_ax)
    second = Figure(figsize=(3.3, 2.4), layout="constrained").subplots()
    odd = plot(frame.set_axis(np.full(len(frame), 7), axis=0), ax=second)
    assert [t.get_text() for t in plain.get_yticklabels()] == [
        t.get_text() for t in odd.get_yticklabels()
    ]
    for left, right in zip(plain.lines, odd.lines):
        np.testing.assert_array_equal(left.get_ydata(), right.get_ydata())
    for left, right in zip(plain.patches, odd.patches):
        assert extents(left) == extents(right)


@every_plot
def test_a_plot_takes_categorical_columns(name, column_ax):
    frame = FRAMES[name]()
    texts = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c].dtype)]
    assert (
        getattr(plots, name)(frame.astype(dict.fromkeys(texts, "category")), ax=column_ax)
        is column_ax
    )


@every_plot
def test_without_matplotlib_a_plot_says_what_to_install(name, monkeypatch):
    for module in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        ImportError, match=r"^plots need matplotlib: pip install 'pdeval\[plots\]'\.$"
    ):
        getattr(plots, name)(FRAMES[name]())


@pytest.mark.broad
def test_importing_the_plots_does_not_import_matplotlib():
    import subprocess

    code = "import sys, pdeval.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_several_axes_instead_of_one_are_refused_with_the_way_out():
    from matplotlib.figure import Figure

    with pytest.raises(
        TypeError, match=r"ax must be one matplotlib Axes; found ndarray\. .* then ax=left\."
    ):
        plots.precision_recall(frames.curves(), ax=Figure().subplots(1, 2))
