"""The forest plot: a row per collection, whiskers, weights and diamonds."""

import numpy as np
import pandas as pd
import pytest

from pdeval import plots
from pdeval.significance.over_collections import combined_effects
from tests.plots import frames


def rows_of(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_every_collection_has_a_row_and_each_mean_a_diamond(column_ax):
    frame = frames.effects()
    ax = plots.forest(frame, ax=column_ax)
    assert rows_of(ax) == [*frame["collection"], "Fixed effects", "Random effects"]
    assert (
        ax.get_xlabel().replace("\n", " ")
        == "neural − bm25, difference of AP (with confidence interval, not simultaneous)"
    )
    found = combined_effects(frame[["difference"]].to_numpy(), frame[["se"]].to_numpy())
    for patch, name in zip(ax.patches, ("fixed", "random")):
        x = patch.get_xy()[:, 0]
        assert x.min() == pytest.approx(found[f"{name}_low"].item())
        assert x.max() == pytest.approx(found[f"{name}_high"].item())


def test_heavier_collections_have_larger_points(column_ax):
    frame = frames.effects(3).assign(weight=[0.1, 0.3, 0.6])
    ax = plots.forest(frame, ax=column_ax, combined=[])
    assert (np.diff(ax.collections[-1].get_sizes()) > 0).all()
    assert rows_of(ax) == ["set 0", "set 1", "set 2"]


@pytest.mark.broad
def test_the_macro_mean_of_a_meta_analysis_is_drawn_too(column_ax):
    overall = frames.meta_analyses()
    ax = plots.forest(frames.effects(), ax=column_ax, combined=["random"], overall=overall)
    assert rows_of(ax)[-2:] == ["Random effects", "Macro mean"]
    assert ax.patches[-1].get_xy()[:, 0].max() == 0.11
    with pytest.raises(ValueError, match=r"^no run 'neural' in the frame; it has "):
        plots.forest(frames.effects(), ax=column_ax, overall=overall[1:])
    assert rows_of(plots.forest(overall, ax=column_ax)) == ["neural − bm25", "ql − bm25"]


def test_several_pairs_or_measures_are_asked_for():
    frame = frames.effects()
    both = pd.concat([frame, frame.assign(run_a="ql")], ignore_index=True)
    with pytest.raises(
        ValueError,
        match=r"draws one pair of runs; the frame has several, .* Choose one: runs=\('neural', 'bm25'\)\.$",
    ):
        plots.forest(both)
    with pytest.raises(ValueError, match=r"^no run 'x' in the frame; it has "):
        plots.forest(both, runs=["x", "bm25"])
    two = pd.concat([frame, frame.assign(measure="RR")], ignore_index=True)
    with pytest.raises(
        ValueError, match=r"draws one measure; the frame has 2: AP, RR. Choose one: measure='AP'"
    ):
        plots.forest(two)
    with pytest.raises(ValueError, match=r"^combined='both': choose 'fixed' or 'random'\.$"):
        plots.forest(frame, combined=["both"])
