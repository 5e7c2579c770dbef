"""The frames go into the plots that they are for."""

import numpy as np
import pytest

import pdeval
from pdeval import plots, studies

Figure = pytest.importorskip("matplotlib.figure").Figure

pytestmark = pytest.mark.filterwarnings("ignore:2 of 50 judged queries")


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.sample_judged()


@pytest.fixture
def ax():
    return Figure().subplots()


@pytest.mark.broad
def test_agreement_is_a_heatmap(sample, ax):
    plots.correlation_heatmap(sample.agree(["AP", "RPP", "RR"]), ax=ax)
    assert {text.get_text() for text in ax.get_xticklabels()} == {"AP", "RPP", "RR"}


@pytest.mark.broad
def test_locality_is_a_heatmap_of_levels(sample, ax):
    plots.correlation_heatmap(sample.agree.locality(levels=4), ax=ax)
    assert {text.get_text() for text in ax.get_xticklabels()} == {"1", "2", "3", "4"}


def test_ties_by_recall_level_are_a_line(sample, ax):
    table = sample.ties.by_recall(levels=5)
    plots.ties_by_recall(table, ax=ax)
    assert ax.lines[0].get_ydata().tolist() == table["tied_fraction"].tolist()


def test_ties_given_the_first_rank_are_a_line(sample, ax):
    table = sample.ties.by_first()
    plots.tie_probability(table, ax=ax)
    seen = table[table["tied_fraction"] > 0]
    assert ax.lines[0].get_xdata().tolist() == seen["p1"].tolist()
    assert ax.lines[0].get_ydata().tolist() == seen["tied_fraction"].tolist()


@pytest.mark.broad
def test_ties_in_theory_are_a_line_for_every_number_of_relevant_items(ax):
    plots.tie_probability(studies.tie_probability(50_000, [1, 10, 100], [1, 10, 100, 1000]), ax=ax)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "m = 1",
        "m = 10",
        "m = 100",
    ]


def test_the_deciding_level_is_a_cumulative_line_from_either_frame(sample):
    first, second = (Figure().subplots() for _ in range(2))
    plots.decided_by_recall(sample.ties.deciding_ecdf(), ax=first)
    plots.decided_by_recall(sample.ties.deciding_levels()[["recall"]], ax=second)
    x, y = (ax.lines[0].get_ydata() for ax in (first, second))
    levels = second.lines[0].get_xdata().astype(int)
    np.testing.assert_allclose(x[levels - 1], y)


@pytest.mark.parametrize("summary", [True, False])
def test_incomplete_data_are_lines_with_bands(sample, ax, summary):
    table = sample.robustness(["AP", "RR"], to="labels", keep=[0.2, 0.6], draws=3, summary=summary)
    plots.robustness(table, ax=ax, statistic="ties")
    assert ax.get_xlabel() == "Fraction of labels kept\nBand: ± one standard deviation over draws"
    assert len(ax.collections) == 2
