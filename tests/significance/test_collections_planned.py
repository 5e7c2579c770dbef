"""How many collections a meta-analysis needs: from the differences of those at hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from pdeval.significance.hierarchical_bootstrap import macro_and_micro
from pdeval.significance.power import queries_needed
from tests.significance.test_over_collections import PARTED, SMALL, scores_of


def test_more_collections_are_needed_for_less():
    needed = PARTED.ireval.meta_analysis.sample_size(
        "AP", by="collection", baseline="bm25", difference=0.05
    )
    spread = PARTED.ireval.meta_analysis("AP", by="collection", baseline="bm25", per="collection")
    sd = spread.groupby("run_a")["difference"].std()
    np.testing.assert_allclose(needed["sd"], sd.reindex(needed["run_a"]))
    less = PARTED.ireval.meta_analysis.sample_size(
        "AP", by="collection", baseline="bm25", difference=0.01
    )
    assert (less["collections_needed"] > needed["collections_needed"]).all()
    none = PARTED.ireval.meta_analysis.sample_size(
        "AP", by="collection", baseline="bm25", difference=0.0
    )
    assert np.isinf(none["collections_needed"]).all()


def test_a_plan_is_made_from_the_differences_of_the_collections_at_hand():
    means = {"x": 0.2, "y": 0.05, "z": -0.15}
    rows = scores_of(SMALL)
    plan = {"by": "collection", "power": 0.9, "alpha": 0.1}
    [row] = rows.ireval.meta_analysis.sample_size(**plan).to_dict("records")
    sd = np.std(list(means.values()), ddof=1)
    assert (row["run_a"], row["run_b"], row["measure"], row["collections"]) == ("a", "b", "AP", 3)
    assert row["difference"] == pytest.approx(0.1 / 3)  # the observed one
    assert (row["sd"], row["effect_size"]) == pytest.approx((sd, 0.1 / 3 / sd))
    assert (row["alpha"], row["power"]) == (0.1, 0.9)
    # one more than the t-test needs
    assert row["collections_needed"] == queries_needed(np.array([0.1 / 3 / sd]), 0.9, 0.1) + 1
    [asked] = rows.ireval.meta_analysis.sample_size(difference=0.3, **plan).to_dict("records")
    assert (asked["difference"], asked["effect_size"]) == pytest.approx((0.3, 0.3 / sd))
    assert asked["collections_needed"] == queries_needed(np.array([0.3 / sd]), 0.9, 0.1) + 1


def test_a_pair_is_planned_by_the_collections_that_both_runs_have():
    third = {name: {**runs, "c": [0.5] * len(runs["a"])} for name, runs in SMALL.items()}
    del third["z"]["c"]
    found = (
        scores_of(third)
        .ireval.meta_analysis.sample_size(by="collection")
        .set_index(["run_a", "run_b"])
    )
    assert found["collections"].to_dict() == {("a", "b"): 3, ("a", "c"): 2, ("b", "c"): 2}
    both = [0.2, -0.2]  # of a less 0.5, in x and y
    assert found.loc[("a", "c"), ["sd", "difference"]].tolist() == pytest.approx(
        [np.std(both, ddof=1), 0.0], abs=1e-12
    )
    del third["y"]["c"]
    once = (
        scores_of(third)
        .ireval.meta_analysis.sample_size(by="collection")
        .set_index(["run_a", "run_b"])
    )
    assert once.loc[("a", "c"), "collections"] == 1
    assert np.isnan(
        once.loc[("a", "c"), ["sd", "effect_size", "collections_needed"]].astype(float)
    ).all()


def test_one_collection_more_than_the_t_test_needs():
    found = PARTED.ireval.meta_analysis.sample_size(
        "AP", by="collection", baseline="bm25", difference=0.05, power=0.7
    )
    for _, row in found.iterrows():
        few, enough = (
            TTestPower().power(0.05 / row["sd"], row["collections_needed"] - less, 0.05)
            for less in (2, 1)
        )
        assert few < 0.7 <= enough


def test_pairs_that_share_no_collection_have_no_plan():
    values = {**SMALL, "far": {"d": [0.1, 0.5], "e": [0.3, 0.4]}}
    rows = scores_of(values)
    found = rows.ireval.meta_analysis.sample_size(by="collection").set_index(["run_a", "run_b"])
    assert found["collections"].dtype == np.int64
    assert found["collections"].to_dict() == {
        ("a", "b"): 3,
        ("d", "e"): 1,
        **dict.fromkeys([("a", "d"), ("a", "e"), ("b", "d"), ("b", "e")], 0),
    }
    assert (
        found.loc[("a", "d"), ["sd", "difference", "effect_size", "collections_needed"]]
        .isna()
        .all()
    )
    assert found.loc[("d", "e"), "difference"] == pytest.approx(-0.05)
    asked = rows.ireval.meta_analysis.sample_size(by="collection", difference=0.3).set_index(
        ["run_a", "run_b"]
    )
    assert (asked["difference"] == 0.3).all()
    assert asked["collections_needed"].notna().tolist() == [
        key == ("a", "b") for key in asked.index
    ]


@pytest.mark.broad
def test_measures_are_planned_one_after_the_other_and_seeds_are_averaged():
    both = PARTED.ireval.meta_analysis.sample_size(by="collection", baseline="ql")
    assert both["measure"].tolist() == ["AP"] * 11 + ["ASL"] * 11
    assert both.index.tolist() == list(range(22))
    assert both.attrs["meta_analysis_by"] == ["collection"]
    for measure in ("AP", "ASL"):
        alone = PARTED.ireval.meta_analysis.sample_size(measure, by="collection", baseline="ql")
        pd.testing.assert_frame_equal(
            both[both["measure"] == measure].reset_index(drop=True), alone
        )
    seeds = pd.concat(
        [PARTED.assign(seed=1), PARTED.assign(seed=2, value=PARTED["value"] + 0.1)],
        ignore_index=True,
    )
    seeds.attrs["run_columns"] = ["run", "seed"]
    found = seeds.ireval.meta_analysis.sample_size(
        "AP", by="collection", baseline="ql", replicate="seed"
    )
    np.testing.assert_allclose(found["sd"], both["sd"][:11], rtol=1e-9)
    for wrong in ({"alpha": 0}, {"power": 1}, {"difference": np.nan}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            PARTED.ireval.meta_analysis.sample_size("AP", by="collection", **wrong)


@pytest.mark.slow
@pytest.mark.parametrize("effect", [2.4, 1.8, 1.5, 1.0])
def test_so_many_collections_have_the_wanted_power(effect):
    needed = int(queries_needed(np.array([effect]), 0.8, 0.05).item()) + 1
    rng = np.random.default_rng(needed)
    # the means of 30 queries have variance 1, most of it between collections
    means = effect + rng.normal(0, np.sqrt(0.7), (needed, 1, 600))
    parts = list(means + rng.normal(0, 3.0, (needed, 30, 600)))
    macro, _ = macro_and_micro(parts, draws=500)
    hits = int((macro["p_value"] < 0.05).sum())
    assert stats.binom.cdf(hits, 600, 0.8) > 0.001
    assert hits / 600 < 0.96
