"""Small multiples: one panel for each collection, in natural order, on one scale."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.plots.registry import MAX_PANELS

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.extras


def stacked(count=3):
    """Return scores of the sample as so many collections, two runs of it."""
    scores = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])
    scores = scores[scores["run"].isin(["bm25", "hybrid"])]
    return scores.assign(
        collection=(scores["query_id"].astype(int) % count + 9).map("set {}".format)
    )


@pytest.fixture(scope="module")
def summary():
    return stacked().ireval.summary("AP", by="collection")


@pytest.mark.broad
def test_panels_stand_in_natural_order_on_one_scale(summary):
    figure = summary.ireval.plot.panels()
    assert [ax.get_title() for ax in figure.axes] == ["set 9", "set 10", "set 11"]
    assert len({ax.get_xlim() for ax in figure.axes}) == 1
    low, high = figure.axes[0].get_xlim()
    assert low <= summary["ci_low"].min()
    assert high >= summary["ci_high"].max()


@pytest.mark.broad
def test_each_panel_is_the_plot_of_its_part(summary):
    figure = summary.ireval.plot.panels(columns=2)
    for ax, name in zip(figure.axes, ("set 9", "set 10", "set 11")):
        alone = summary[summary["collection"] == name].drop(columns="collection").ireval.plot()
        assert [text.get_text() for text in ax.get_yticklabels()] == [
            t.get_text() for t in alone.get_yticklabels()
        ]
        for one, other in zip(ax.lines, alone.lines, strict=True):
            np.testing.assert_array_equal(one.get_xdata(), other.get_xdata())


@pytest.mark.broad
def test_categories_stand_in_their_own_order(summary):
    own = pd.CategoricalDtype(["set 11", "set 9", "set 10"])
    figure = summary.astype({"collection": own}).ireval.plot.panels(by="collection")
    assert [ax.get_title() for ax in figure.axes] == ["set 11", "set 9", "set 10"]


@pytest.mark.broad
def test_labels_and_legends_that_are_the_same_are_said_once():
    runs, qrels = pdeval.datasets.load_sample()[:2]
    runs = runs[runs["run"].isin(["bm25", "hybrid"])]
    parts = [one.assign(half=one["query_id"].astype(int) % 2) for one in (runs, qrels)]
    figure = parts[0].ireval.curve(parts[1], by="half", queries="common").ireval.plot.panels()
    assert [ax.get_legend() is not None for ax in figure.axes] == [True, False]
    assert [ax.get_ylabel() for ax in figure.axes] == ["Precision", ""]


@pytest.mark.broad
def test_another_plot_and_its_options_are_asked_for_by_name():
    prefs = pdeval.datasets.sample_judged(queries="common").prefer(["RPP", "AP"], baseline="bm25")
    halves = prefs.assign(half=prefs["query_id"].astype(int) % 2)
    figure = halves.ireval.plot.panels(by="half", plot="win_loss_tie", options={"measure": "AP"})
    assert [ax.get_title()[:1] for ax in figure.axes] == ["0", "1"]
    with pytest.raises(
        KeyError, match=r"plot='bars' is not a plot of this table; it has .*win_loss_tie"
    ):
        halves.ireval.plot.panels(by="half", plot="bars")


@pytest.mark.broad
def test_too_many_panels_say_what_to_do():
    many = stacked(MAX_PANELS + 1).ireval.summary("AP", by="collection")
    with pytest.raises(
        ValueError,
        match=r"25 panels by collection are too many .*at most 24 .*df\[df\['collection'\]",
    ):
        many.ireval.plot.panels()


def test_the_column_is_asked_for(summary):
    bare = pd.DataFrame(summary.to_dict("list"))
    with pytest.raises(
        ValueError,
        match="cannot determine which column identifies the collections; specify it with by=",
    ):
        bare.ireval.plot.panels()
    with pytest.raises(KeyError, match="by='site': no such column; the frame has collection, run"):
        bare.ireval.plot.panels(by="site")
    with pytest.raises(
        TypeError,
        match=r"plot\(\) has no option 'by'.* Use \.plot\.panels\(by=",
    ):
        bare.ireval.plot(by="collection")
