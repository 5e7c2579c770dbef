"""The seams of plots: no rows are merged silently, labels can be read, nothing is drawn outside."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval import plots


@pytest.fixture(scope="module")
def seeds():
    """The sample with runs that two columns name: model and seed."""
    runs, qrels, metadata = pdeval.datasets.load_sample()
    named = runs.merge(metadata[["run", "model", "seed"]]).drop(columns="run")
    return named.ireval(run=["model", "seed"]).join(qrels, queries="common")


@pytest.fixture
def ax():
    from matplotlib.figure import Figure

    return Figure(figsize=(5, 4), layout="constrained").subplots()


def ticks(ax, axis="y"):
    return [label.get_text() for label in getattr(ax, f"get_{axis}ticklabels")()]


@pytest.mark.broad
@pytest.mark.parametrize("kept", [True, False])
def test_7_a_line_per_run_of_several_columns(seeds, ax, kept):
    curve = seeds.curve()
    if not kept:
        curve.attrs = {}
    lines = plots.precision_recall(curve, ax=ax, highlight=20).lines
    assert [line.get_label() for line in lines] == [
        f"{r.model} / {r.seed}" for r in seeds.runs.itertuples()
    ]
    dense = curve[(curve["model"] == "dense") & (curve["seed"] == 2)]["precision"]
    assert next(
        line for line in lines if line.get_label() == "dense / 2"
    ).get_ydata() == pytest.approx(dense)


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:12 runs of 8 systems differ only in seed")
def test_7_lists_of_runs_of_several_columns(seeds, ax):
    plots.critical_difference(seeds.order("RPP"), comparisons=seeds.compare("RPP"), ax=ax)
    assert len(ticks(ax)) == len(seeds.runs)
    assert "dense / 3" in ticks(ax)


@pytest.mark.broad
def test_7_means_of_runs_of_several_columns(seeds, ax):
    plots.summary_bars(seeds.measure("AP"), ax=ax)
    assert len(ticks(ax)) == len(seeds.runs)


@pytest.mark.broad
def test_7_histograms_of_runs_of_several_columns(seeds, ax):
    chosen = seeds.search_lengths()
    chosen = chosen[chosen["model"] == "dense"]
    texts = [
        text.get_text() for text in plots.asl_histogram(chosen, ax=ax).get_legend().get_texts()
    ]
    assert texts == ["dense / 1", "dense / 2", "dense / 3"]


def test_7_populations_of_contributions_are_weighted_and_added_up(ax):
    rows = [("1", "any", 1, 0.75, 1.0), ("1", "2", 1, 0.25, -1.0), ("2", "any", 1, 1.0, 1.0)]
    frame = pd.DataFrame(rows, columns=["query_id", "population", "recall", "weight", "value"])
    frame = frame.assign(run_a="x", run_b="y", measure="RPP")
    lines = plots.recall_levels(frame, scale="raw", ax=ax).lines
    assert [line.get_ydata().tolist() for line in lines if line.get_label() == "RPP"] == [[0.75]]


@pytest.mark.broad
@pytest.mark.parametrize(
    ("measures", "methods", "labels"),
    [
        (["RPP", "AP", "RR"], None, ["RPP", "AP", "RR"]),
        (["RPP"], ["winrate", "mc4"], ["mean preference", "MC4"]),
        (
            ["RPP", "dcgRPP"],
            ["winrate", "mc4"],
            ["RPP, mean preference", "RPP, MC4", "dcgRPP, mean preference", "dcgRPP, MC4"],
        ),
    ],
)
@pytest.mark.parametrize("matrix", [True, False])
def test_21_correlations_of_orders_have_readable_labels(ax, measures, methods, labels, matrix):
    judged = pdeval.datasets.sample_judged(queries="common")
    orders = judged.order(measures, **({} if methods is None else {"method": methods}))
    found = orders.ireval.correlate(matrix=matrix)
    plots.correlation_heatmap(found, ax=ax)
    assert sorted(ticks(ax)) == sorted(ticks(ax, "x")) == sorted(labels)
    square = np.asarray(ax.images[0].get_array())
    assert np.diag(square) == pytest.approx(1.0)
    assert not np.isnan(square).any()


@pytest.mark.broad
def test_21_critical_differences_stay_inside_their_axes(ax):
    judged = pdeval.datasets.sample_judged(queries="common")
    orders = judged.order("RPP", draws=50)
    plots.critical_difference(orders, comparisons=judged.compare("RPP"), ax=ax)
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    bars = [line for line in ax.lines if line.get_label() == "_group"]
    assert bars
    for line in bars:
        drawn = line.get_window_extent()
        assert box.x0 <= drawn.x0 <= drawn.x1 <= box.x1
        assert box.y0 <= drawn.y0 <= drawn.y1 <= box.y1
    left = min(line.get_window_extent().x0 for line in bars)
    reach = ax.transData.transform((orders["rank_high"].max(), 0))[0]
    assert reach < left, "the bars do not cover the ranks"
    assert ax.get_xlabel().startswith(
        "Rank by RPP (mean preference)\nLine: 95% interval of the rank over"
    )


def test_21_the_score_of_a_win_rate_is_explained():
    orders = pdeval.datasets.sample_judged(queries="common").order("RPP")
    assert "the mean preference over the 11 other systems" in " ".join(orders.ireval.report().notes)
    assert "sum of preferences" not in " ".join(orders.ireval.report(show="rank").notes)


def test_20_ticks_are_in_natural_order(ax):
    means = pd.DataFrame(
        {"run": sorted(f"run{i}" for i in range(1, 12)), "measure": "AP", "mean": 0.5}
    )
    plots.summary_bars(means, ax=ax)
    assert ticks(ax) == [f"run{i}" for i in range(1, 12)]


@pytest.mark.broad
@pytest.mark.parametrize("count", [3, 300])
def test_19_axes_speak_of_users_where_the_table_does(ax, count):
    users = [f"u{i}" for i in range(count)]
    prefs = pd.DataFrame(
        {"user_id": users, "run_a": "x", "run_b": "y", "measure": "RPP", "value": 0.5}
    )
    assert plots.query_differences(prefs, ax=ax).get_xlabel() == (
        "User" if count == 3 else "300 users, sorted"
    )
    assert "users" in plots.win_loss_tie(prefs, ax=ax).get_xlabel()


def test_19_votes_of_users_are_not_called_queries(ax):
    wins = pd.DataFrame(
        {"run_a": ["x"], "run_b": ["y"], "per": "user", "n": 9, "a_wins": 5, "b_wins": 3, "ties": 1}
    )
    wins = wins.assign(
        a_win_rate=5 / 9, b_win_rate=3 / 9, p_value=0.5, p_adjusted=0.5, significant=False
    )
    assert "% of users" in plots.win_loss_tie(wins, ax=ax).get_xlabel()
