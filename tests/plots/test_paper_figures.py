"""The figures of the papers: panels, their titles, and what they are computed from."""

import numpy as np
import pytest

import pdeval
from pdeval import plots

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.sample_judged(queries="common")


@pytest.fixture(autouse=True)
def closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


def test_contributions_have_a_surface_and_a_distribution_for_each_collection(sample):
    named = {"all": sample, "strict": sample.at(level=2)}
    figure = plots.contribution_figure(named, ["nDCG", "RPP(level=1)"])
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[:6] == ["nDCG", "all", "strict", "RPP(level=1)", "all", "strict"]
    steps = figure.axes[4].lines[0].get_ydata()
    table = sample.disaggregate.ecdf("RPP(level=1)")
    assert np.max(steps) == table["ecdf"].max() == 1.0


def test_agreement_has_a_panel_for_each_measure_in_rows_of_three(sample):
    figure = plots.agreement_figure({"sample": sample}, ["AP", "nDCG", "RR", "OI"], pairs=66)
    assert len(figure.axes) == 4
    rates = sample.agree(["RPP", "RR"], progress=False)
    title = figure.axes[2].get_title()
    expected = f"sample: RR\nr about zero = {rates['r'][0]:.2f}, sign agreement = {rates['agreement'][0]:.2f}"
    assert title == expected


def test_the_pairs_of_the_agreement_are_drawn_by_the_seed(sample):
    titles = [
        plots.agreement_figure(sample, ["AP"], pairs=5, seed=seed).axes[0].get_title()
        for seed in (0, 0, 1)
    ]
    assert titles[0] == titles[1] != titles[2]


@pytest.mark.broad
def test_incomplete_data_has_a_column_for_each_collection(sample):
    named = {"all": sample, "strict": sample.at(level=2)}
    figure = plots.incomplete_data_figure(named, draws=1, progress=False)
    assert [ax.get_title() for ax in figure.axes] == ["all", "strict"] * 3
    assert [ax.get_xlabel().splitlines()[0] for ax in figure.axes[::2]] == [
        "Fraction of labels kept",
        "Fraction of labels kept",
        "Queries kept",
    ]
    # with all data, reciprocal rank agrees with itself
    assert all(ax.lines[0].get_ydata()[-1] == 1.0 for ax in figure.axes)


def test_ties_are_counted_as_labels_are_removed(sample):
    figure = plots.incomplete_data_figure(sample, ["RR"], show="ties", draws=1, progress=False)
    tied = int(sample.prefer("RR")["value"].eq(0).sum())
    assert figure.axes[0].lines[0].get_ydata()[-1] == tied


@pytest.mark.parametrize(
    "figure", [plots.contribution_figure, plots.agreement_figure, plots.incomplete_data_figure]
)
def test_what_is_no_join_is_refused(figure):
    with pytest.raises(TypeError, match=r"expected a join of runs and judgments, found DataFrame"):
        figure({"sample": pdeval.datasets.sample_runs()})
    with pytest.raises(ValueError, match=r"there is no collection to draw\. Pass a join, or"):
        figure({})
