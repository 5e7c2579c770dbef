"""Plots as verbs: every plot draws every kind of table that it names, and every table is drawn or says why not."""

import inspect

import pandas as pd
import pytest

import pdeval
from pdeval import plots
from pdeval.plots.registry import plot_table
from pdeval.tables.recognition import kind_of
from pdeval.tables.schemas import SCHEMAS
from pdeval.verbs import VERBS
from tests.plots import frames, interval_frames, judge_frames

KINDS = frames.KINDS | interval_frames.KINDS | judge_frames.KINDS
FIGURES = sorted(name for name in plots.__all__ if name.endswith("_figure"))  # drawn from joins
PLOTS = sorted(set(plots.__all__) - {"hasse"} - set(FIGURES))
DRAWN = [(name, kind) for kind in VERBS for name in PLOTS if f"plot.{name}" in VERBS[kind]]
FIRST = [(kind, VERBS[kind]["plot"]) for kind in VERBS if "plot" in VERBS[kind]]


@pytest.mark.parametrize(("name", "kind"), DRAWN)
def test_a_plot_draws_every_kind_that_it_names(name, kind, column_ax):
    frame = interval_frames.several_orders() if name.startswith("rank_") else KINDS[kind]()
    if (name, kind) == ("critical_difference", "comparisons"):
        frame = interval_frames.ranked()
    assert kind_of(frame) == kind, (
        "give the frame in tests/plots/frames.py the columns of its schema"
    )
    options = (
        {"pair": tuple(frame.loc[0, ["run_a", "run_b"]])}
        if name in ("query_differences", "recall_levels")
        else {}
    )
    if name == "level_scatter" or (
        kind == "preferences" and name not in ("difference_scatter", "recall_levels")
    ):
        options["measure"] = "RPP"
    assert getattr(frame.ireval.plot, name)(ax=column_ax, **options) is column_ax
    assert column_ax.has_data() or column_ax.images


@pytest.mark.parametrize(("kind", "first"), FIRST)
def test_the_first_plot_of_a_kind_is_what_plot_draws(kind, first):
    assert VERBS[kind][f"plot.{first.function.__name__}"].function is first.function
    assert first.core
    assert callable(KINDS[kind]().ireval.plot)


@pytest.mark.parametrize("kind", sorted(SCHEMAS))
def test_a_table_is_drawn_or_says_why_not(kind):
    assert "plot" in VERBS.get(kind, {}) or SCHEMAS[kind].no_plot, (
        f"{kind}: declare a plot, or say no_plot="
    )


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_documented_and_importable(name):
    function = next(
        verbs[f"plot.{name}"] for verbs in VERBS.values() if f"plot.{name}" in verbs
    ).function
    assert inspect.unwrap(getattr(plots, name)) is inspect.unwrap(function)
    text, signature = inspect.getdoc(function), inspect.signature(function)
    assert text.startswith("Return axes with ")
    assert "Returns\n" in text
    assert "Examples\n" in text
    for option in signature.parameters:
        assert f"\n{option} : " in text, f"document {option}"
    kinds = [p.kind for p in list(signature.parameters.values())[1:]]
    assert set(kinds) == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_documented(name):
    function = getattr(plots, name)
    text, signature = inspect.getdoc(function), inspect.signature(function)
    assert text.startswith("Return a figure of ")
    assert "Examples\n" in text
    for option in signature.parameters:
        assert f"\n{option} : " in text, f"document {option}"


def test_a_table_that_is_not_drawn_says_why():
    with pytest.raises(
        AttributeError, match=r"a judgments table.* has no plot: judgments are raw data"
    ):
        pdeval.datasets.sample_qrels().ireval.plot()


def test_runs_of_several_columns_are_never_merged(column_ax):
    summary = (
        frames.summary(4)
        .assign(model=["t5", "t5", "bm25", "bm25"], seed=[1, 2, 1, 2])
        .drop(columns="run")
    )
    with pytest.raises(
        ValueError, match=r"needs one mean per run and measure; some repeat|could identify the runs"
    ):
        summary.drop(columns="seed").ireval.plot(ax=column_ax)
    ax = summary.ireval(run=["model", "seed"]).plot(sort=False, ax=column_ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "t5 / 1",
        "t5 / 2",
        "bm25 / 1",
        "bm25 / 2",
    ]


@pytest.mark.broad
def test_scores_are_summed_up_and_the_best_stands_first(column_ax):
    judged = pdeval.datasets.sample_judged(queries="common")
    scores = judged.measure(pdeval.parse("ASL", label="my length"))
    best = scores.groupby("run")["value"].mean().idxmin()
    for frame in (
        scores,
        scores.ireval.summary(),
        scores.merge(pdeval.datasets.sample_metadata(), on="run"),
    ):
        ax = frame.ireval.plot(ax=column_ax)
        assert ax.get_yticklabels()[0].get_text() == best


@pytest.mark.broad
def test_a_symmetric_matrix_is_drawn_as_correlations(column_ax):
    ax = frames.pivoted().ireval.plot(ax=column_ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == frames.MEASURES
    assert ax.images[0].get_clim() == (0.0, 1.0)


@pytest.mark.broad
def test_a_matrix_of_runs_with_several_columns_is_labeled_by_all_of_them(column_ax):
    index = pd.MultiIndex.from_tuples([("lm", 1), ("lm", 2)])
    ax = pd.DataFrame([[0.0, 0.5], [-0.5, 0.0]], index=index, columns=index).ireval.plot(
        ax=column_ax
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == ["lm / 1  1", "lm / 2  2"]


def test_what_is_missing_is_asked_for_in_the_words_of_the_schema():
    curve = plot_table(frames.curves(), "precision_recall", ["curve"])
    assert curve.kind == "curve"
    with pytest.raises(
        ValueError, match=r"precision-recall table \(run, recall, precision\); 'rank' is missing"
    ):
        curve.column("rank")
