"""Bounds of means that assume nothing of queries without people's labels."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.tables.schemas import SCHEMAS
from tests.schema_faults import faults

RUNS, QRELS, _ = pdeval.datasets.load_sample()
RUNS = RUNS[RUNS["run"].isin(["bm25", "hybrid", "ql"])]
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]
SCORES = RUNS.ireval.measure(HUMAN, ["AP", "P@10"], machine=QRELS, queries="common")
NAMES = {"run": ["run"], "query": ["query_id"]}


def plain(values, measure="AP", run="a"):
    """A table of one run: people's values, missing where they did not label."""
    frame = pd.DataFrame(
        {"run": run, "query_id": range(len(values)), "measure": measure, "value": values}
    )
    return frame.assign(machine=np.linspace(0.1, 0.9, len(values)))


def test_unlabeled_queries_have_the_least_or_the_largest_value():
    found = plain([0.2, 0.4, np.nan, np.nan]).ireval.label_bounds()
    assert found.drop(columns=["run", "measure"]).iloc[0].tolist() == pytest.approx(
        [2, 2, 0.3, 0.15, 0.65, 0.5]
    )


@pytest.mark.broad
@pytest.mark.parametrize("table", ["scores", "preferences"])
def test_bounds_hold_the_mean_of_every_way_to_label_the_rest(table):
    rng = np.random.default_rng(1)
    measure = RUNS.ireval.prefer if table == "preferences" else RUNS.ireval.measure
    held = measure(
        HUMAN,
        ["RPP", "sgnLP"] if table == "preferences" else ["AP", "P@10"],
        machine=QRELS,
        queries="common",
    )
    found = held.ireval.label_bounds()
    assert (
        faults(
            SCHEMAS["pair_label_bounds" if table == "preferences" else "label_bounds"], found, NAMES
        )
        == []
    )
    keys = [name for name in found.columns if name.startswith(("run", "measure"))]
    least = -1.0 if table == "preferences" else 0.0
    for draw in (
        np.full(len(held), least),
        np.ones(len(held)),
        *rng.uniform(least, 1, (5, len(held))),
    ):
        mean = held.assign(value=held["value"].fillna(pd.Series(draw, index=held.index))).groupby(
            keys, sort=False, observed=True
        )
        both = found.merge(mean["value"].mean().reset_index(), on=keys)
        assert len(both) == len(found)
        assert (both["low"] <= both["value"] + 1e-12).all()
        assert (both["value"] <= both["high"] + 1e-12).all()
    ends = [held["value"].fillna(end) for end in (least, 1.0)]
    low, high = (
        held.assign(value=end)
        .groupby(keys, sort=False, observed=True)["value"]
        .mean()
        .reset_index()
        for end in ends
    )
    np.testing.assert_allclose(found.merge(low, on=keys)["value"], found["low"])
    np.testing.assert_allclose(found.merge(high, on=keys)["value"], found["high"])


def test_differences_of_measures_lie_between_minus_one_and_one():
    found = RUNS.ireval.prefer(
        HUMAN, "AP", machine=QRELS, queries="common", baseline="bm25"
    ).ireval.label_bounds()
    assert (found["residual"].round(12) == round(2 * 29 / 48, 12)).all()


def test_intervals_of_random_samples_are_much_narrower():
    bounds, summary = SCORES.ireval.label_bounds(), SCORES.ireval.summary()
    assert (bounds["human"] == summary["human"]).all()
    assert (bounds["low"] < summary["ci_low"]).all()
    assert (summary["ci_high"] < bounds["high"]).all()
    assert (bounds["residual"] > 3 * (summary["ci_high"] - summary["ci_low"])).all()


@pytest.mark.broad
def test_measures_without_limits_are_asked_for_them():
    with pytest.raises(ValueError, match="DCG@10 has no largest value, so its mean has no bounds"):
        plain([0.2, 0.4, np.nan, np.nan], "DCG@10").ireval.label_bounds()
    own = plain([0.2, 0.4, np.nan, np.nan], "my own").ireval(higher=True)
    with pytest.raises(
        ValueError,
        match=r"the range of measure 'my own' is unknown\. Specify it, e\.g\. between=\(0, 1\)",
    ):
        own.label_bounds()
    assert own.label_bounds(between=(-1, 3))[["low", "high"]].iloc[0].tolist() == pytest.approx(
        [-0.35, 1.65]
    )
    with pytest.raises(
        ValueError, match=r"does not contain the value 0\.4 of my own by the human labels"
    ):
        own.label_bounds(between=(0, 0.3))
    for wrong in ((1, 0), (0, np.inf)):
        with pytest.raises(
            ValueError, match="expected the smallest and the largest value of a query"
        ):
            own.label_bounds(between=wrong)
    with pytest.raises(
        ValueError, match="GMAP is a geometric mean over queries, but bounds require means"
    ):
        plain([0.2, 0.4, np.nan, np.nan], "GMAP").ireval.label_bounds()


def test_what_people_never_labeled_may_be_anything_and_what_is_not_there_has_no_bounds():
    two = pd.concat([plain([0.2, 0.4, np.nan, np.nan]), plain([0.1, 0.3, np.nan, np.nan], "P@10")])
    other = plain([np.nan] * 3, run="b")
    found = (
        pd.concat([two, other], ignore_index=True)
        .ireval.label_bounds()
        .set_index(["run", "measure"])
    )
    assert found.loc[("b", "AP"), ["n", "n_machine", "low", "high", "residual"]].tolist() == [
        0,
        3,
        0,
        1,
        1,
    ]
    assert np.isnan(found.loc[("b", "AP"), "human"])
    assert found.loc[("b", "P@10"), ["n", "n_machine"]].tolist() == [0, 0]
    assert found.loc[("b", "P@10"), ["human", "low", "high", "residual"]].isna().all()
    assert found.loc[("a", "P@10")].tolist() == pytest.approx([2, 2, 0.2, 0.1, 0.6, 0.5])


def test_values_may_reach_the_limits_that_were_said_and_not_pass_them():
    own = plain([0.2, 0.4, np.nan, np.nan], "my own").ireval(higher=True)
    assert own.label_bounds(between=(0.2, 0.4))[["low", "high"]].iloc[0].tolist() == pytest.approx(
        [0.25, 0.35]
    )
    with pytest.raises(
        ValueError, match=r"does not contain the value 0\.4 of my own by the human labels\."
    ):
        own.label_bounds(between=(0.2, 0.3))
    with pytest.raises(
        ValueError, match=r"does not contain the value 0\.2 of my own by the human labels\."
    ):
        own.label_bounds(between=(0.3, 0.4))
    with pytest.raises(ValueError, match="expected the smallest and the largest value of a query"):
        own.label_bounds(between=(1, 1))


def test_a_measure_from_minus_one_to_one_differs_by_up_to_two():
    table = (
        plain([0.2, 0.4, np.nan, np.nan, np.nan], "MCC")
        .rename(columns={"run": "run_a"})
        .assign(run_b="b")
    )
    found = table.ireval.label_bounds().iloc[0]
    assert found[["low", "high", "residual"]].tolist() == pytest.approx(
        [(0.6 - 6) / 5, (0.6 + 6) / 5, 12 / 5]
    )
    assert (found["run_a"], found["run_b"]) == ("a", "b")
