"""13.10: names of runs, queries and measures are drawn as they are, whatever matplotlib would make of them."""

import io

import pandas as pd
import pytest

from pdeval import plots
from pdeval.plots import heatmaps, style
from pdeval.tables import visible
from tests.plots import frames
from tests.plots.test_plots import FRAMES

NAMES = (
    "$$",
    "$x",
    "a_$b$",
    "$",
    r"\alpha",
    r"a\$b",
    "$\\frac$",
    "x\n y",
    "\x1b[2J",
    "\x00",
    "\u202e",
    "_hidden",
    " ",
    "^{",
)
IDS = (
    "run",
    "run_a",
    "run_b",
    "query_id",
    "measure",
    "measure_a",
    "measure_b",
    "collection",
    "method",
    "test",
)
NAMELESS = (
    "tie_probability",
    "decided_by_recall",
    "difference_scatter",
)  # no run or query is written in them


def renamed(frame: pd.DataFrame, odd: str) -> pd.DataFrame:
    """Return a table in which the first name is the odd one and every other ends in it."""
    if frame.index.dtype.kind in "OT":  # a square
        return frame.set_axis(odd_names(frame.index, odd), axis=0).set_axis(
            odd_names(frame.columns, odd), axis=1
        )
    found = frame.copy()
    groups = [
        [name for name in IDS if name.startswith(stem) and name in frame.columns]
        for stem in ("run", "measure")
    ]
    for columns in [*groups, ["query_id"], ["collection"], ["method"], ["test"], ["assessor"]]:
        present = [name for name in columns if name in frame.columns]
        values = pd.unique(pd.concat([frame[name] for name in present])) if present else []
        known = dict(zip(values, odd_names(values, odd)))
        for name in present:
            found[name] = frame[name].map(known)
    return found


def odd_names(values, odd: str) -> list[str]:
    return [odd if place == 0 else f"{value}{odd}" for place, value in enumerate(values)]


def texts(ax) -> list:
    from matplotlib.text import Text

    ax.figure.canvas.draw()
    return [text for text in ax.findobj(Text) if text.get_visible() and text.get_text()]


@pytest.mark.broad
@pytest.mark.parametrize("odd", NAMES)
@pytest.mark.parametrize("name", list(FRAMES))
def test_every_plot_draws_odd_names_as_they_are(name, odd):
    ax = getattr(plots, name)(renamed(FRAMES[name](), odd))
    shown = [text._preprocess_math(text.get_text()) for text in texts(ax)]
    if name != "tie_probability":  # whose ticks are powers of ten, formulas of matplotlib's own
        assert not any(kind for _, kind in shown)
    if name not in NAMELESS:
        assert any(visible(odd).strip() in text for text, _ in shown)
    assert not any("\x1b" in text or "\x00" in text for text, _ in shown)
    ax.figure.savefig(io.BytesIO(), format="svg")


@pytest.mark.broad
@pytest.mark.parametrize("odd", ["$$", "x\n y"])
def test_names_of_several_columns_and_dots_of_significance_too(odd):
    prefs = renamed(frames.preferences(), odd)
    tests = renamed(frames.comparisons(), odd)
    ax = heatmaps.preference_heatmap(prefs, comparisons=tests)
    shown = [text._preprocess_math(text.get_text()) for text in texts(ax)]
    assert (f"{visible(odd)} (dot: significant)", False) in shown


def test_a_run_whose_name_begins_with_an_underscore_is_in_the_legend():
    ax = plots.precision_recall(renamed(frames.curves(2), "_x"))
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [" _x", "covidex.t5.1_x"]


@pytest.mark.broad
def test_a_label_that_the_caller_writes_may_be_a_formula():
    ax = plots.correlation_heatmap(frames.correlations(), label=r"$\tau_b$")
    assert r"$\tau_b$" in [text.get_text() for text in texts(ax)]


def test_a_long_name_is_not_cut_between_the_parts_of_an_escape(column_ax):
    names = ["$" * length for length in (90, 91)] + ["a$" * 45]
    style.name_ticks(column_ax, "y", names)
    shown = [label._preprocess_math(label.get_text()) for label in column_ax.get_yticklabels()]
    assert not any(kind or "\\" in text for text, kind in shown)


def test_axes_that_were_given_keep_their_own_formulas(column_ax):
    column_ax.plot([0, 1], [0, 1], label=r"$\alpha$")
    plots.precision_recall(renamed(frames.curves(2), "$$"), ax=column_ax)
    assert column_ax.get_legend().get_texts()[0].get_text() == r"$\alpha$"


@pytest.mark.broad
@pytest.mark.parametrize("name", ["win_loss_tie", "query_differences", "preference_heatmap"])
def test_long_names_that_are_spelled_out_leave_the_axes_their_room(name):
    ax = getattr(plots, name)(
        renamed(FRAMES[name](), "\x1b[31m\u202e" * 20)
    )  # a collapsed layout warns
    ax.figure.canvas.draw()
    box = ax.get_position()
    assert min(box.width, box.height) > 0.2
