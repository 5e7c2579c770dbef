"""Non-inferiority and equivalence: one-sided t-tests against a margin, corrected over families."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import DescrStatsW

import pdeval
from pdeval.significance.corrections import CORRECTIONS
from pdeval.significance.noninferiority import margin_of, margin_power, queries_for_margin

D = np.array([0.1, -0.05, 0.2, 0.15, 0.02, 0.3, -0.1, 0.25])
SCORES = pdeval.datasets.sample_judged(queries="common").measure(["AP", "P@10"])


def two_runs(D, level=0.5):
    queries = np.arange(len(D))
    runs = {"new": level + D, "old": np.full(len(D), level)}
    parts = [
        pd.DataFrame({"run": run, "query_id": queries, "measure": "AP", "value": values})
        for run, values in runs.items()
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(
    ("margin", "p_noninferior", "p_equivalent"), [(0.05, 0.0082, 0.858), (0.2, 0.00024, 0.0571)]
)
def test_two_one_sided_tests_are_those_of_statsmodels(margin, p_noninferior, p_equivalent):
    found = two_runs(D).ireval.compare(baseline="old", margin=margin).iloc[0]
    p, (_, p_lower, _), (_, p_upper, _) = DescrStatsW(D).ttost_mean(-margin, margin)
    assert found["p_noninferior"] == pytest.approx(p_lower)
    assert found["p_equivalent"] == pytest.approx(p) == pytest.approx(max(p_lower, p_upper))
    assert found["p_noninferior"] == pytest.approx(p_noninferior, rel=0.02)
    assert found["p_equivalent"] == pytest.approx(p_equivalent, rel=0.001)
    low, high = stats.ttest_1samp(D, 0).confidence_interval(0.9)
    assert (found["lower"], found["upper"]) == pytest.approx((low, high))


def test_a_percentage_is_of_the_mean_of_the_baseline():
    found = two_runs(D).ireval.compare(baseline="old", margin="10%")
    assert found["margin"].tolist() == pytest.approx([0.05])
    many = SCORES.ireval.compare("AP", baseline="bm25", margin="10%")
    assert many["margin"].tolist() == pytest.approx((0.1 * many["mean_b"]).tolist())


@pytest.mark.parametrize("correction", [*CORRECTIONS, "max-t"])
def test_limits_agree_with_the_verdicts(correction):
    options = {"correction": correction, "margin": 0.04}
    for more in ({}, {"family": "all"}, {"baseline": "ql"}):
        found = SCORES.ireval.compare(**options, **more)
        assert 0 < found["noninferior"].sum() < len(found)
        assert (found["noninferior"] == (found["p_noninferior"] < 0.05)).all()
        lower, upper = found["lower"] + found["margin"], found["margin"] - found["upper"]
        assert (lower[found["noninferior"]] >= 0).all()
        assert (lower[~found["noninferior"]] <= 0).all()
        assert (np.minimum(lower, upper)[found["equivalent"]] >= 0).all()
        assert (np.minimum(lower, upper)[~found["equivalent"]] <= 1e-12).all()


def test_corrected_p_values_are_larger_and_those_of_max_t_smaller_than_bonferronis():
    p = {
        name: SCORES.ireval.compare("AP", baseline="bm25", margin=0.02, correction=name)
        for name in ("none", "max-t", "bonferroni")
    }
    plain, joint, wide = (one["p_noninferior"].to_numpy() for one in p.values())
    assert (plain <= joint).all()
    assert wide == pytest.approx(np.minimum(11 * plain, 1))
    assert (joint <= wide + 0.01).all()


@pytest.mark.parametrize("margin", [0, -0.1, "x", "-5%", float("inf"), "%"])
def test_a_margin_is_positive(margin):
    with pytest.raises(ValueError, match=r"margin=.*expected a"):
        SCORES.ireval.compare("AP", margin=margin)


def test_margins_need_the_t_test_and_percentages_means_of_runs():
    with pytest.raises(ValueError, match="margin= requires test='t'; 'AP' has test='sign'"):
        SCORES.ireval.compare("AP", margin=0.1, test="sign")
    judged = pdeval.datasets.sample_judged(queries="common")
    with pytest.raises(ValueError, match="'RPP' is a preference, which has none"):
        judged.compare("RPP", margin="5%")
    assert judged.compare("RPP", margin=0.05, baseline="bm25")["noninferior"].any()


def test_the_power_of_non_inferiority_is_that_of_a_one_sided_t_test():
    effect, margin, n = np.array([0.0, 0.1, -0.2]), np.array([0.4, 0.3, 0.5]), np.array([50, 20, 9])
    expected = [
        TTestPower().power(e + m, k, 0.05, alternative="larger")
        for e, m, k in zip(effect, margin, n, strict=True)
    ]
    assert margin_power(effect, margin, n, 0.05) == pytest.approx(expected, abs=1e-8)
    needed = queries_for_margin(effect, margin, 0.8, 0.05)
    for e, m, k in zip(effect, margin, needed, strict=True):
        assert margin_power(np.array([e]), np.array([m]), k, 0.05) >= 0.8
        assert margin_power(np.array([e]), np.array([m]), k - 1, 0.05) < 0.8


def test_the_power_of_equivalence_is_the_share_of_samples_within_the_margin():
    random = np.random.default_rng(0)
    samples = random.normal(0.1, 1, size=(20_000, 30))
    mean, error = samples.mean(axis=1), stats.sem(samples, axis=1)
    half = stats.t.ppf(0.95, 29) * error
    share = ((mean - half > -0.6) & (mean + half < 0.6)).mean()
    power = margin_power(np.array([0.1]), np.array([0.6]), 30, 0.05, "equivalence")[0]
    assert power == pytest.approx(share, abs=4 * np.sqrt(0.25 / 20_000))
    assert queries_for_margin(np.array([0.7]), np.array([0.6]), 0.8, 0.05, "equivalence") == np.inf


def test_plans_take_a_margin():
    planned = SCORES.ireval.power.sample_size("AP", margin=0.02, baseline="bm25")
    assert planned["difference"].unique().tolist() == [0.0]
    n = planned["queries_needed"].iloc[0]
    at = {"margin": 0.02, "baseline": "bm25"}
    power = SCORES.ireval.power("AP", n_queries=int(n), **at)["power"].iloc[0]
    assert 0.8 <= power < 0.81
    both = SCORES.ireval.power.sample_size("AP", goal="equivalence", **at)
    assert (both["queries_needed"] > planned["queries_needed"]).all()


def test_reports_show_the_margin():
    found = SCORES.ireval.compare("AP", baseline="bm25", margin=0.02)
    text = found.ireval.report().to_markdown()
    assert "p non-inferior" in text
    assert "worse by less than the margin (0.02)" in text


@pytest.mark.extras
def test_a_plot_of_intervals_shows_the_margin():
    ax = SCORES.ireval.compare("AP", baseline="bm25", margin=0.02).ireval.plot.intervals()
    bands = [bar.get_width() for bar in ax.patches]
    assert bands == pytest.approx([0.04] * 11)
    assert "simultaneous 95% confidence interval" in ax.get_xlabel().replace("\n", " ")


def test_margins_by_group_are_those_of_each_group():
    parted = SCORES.assign(half=SCORES["query_id"].astype(int) % 2)
    found = parted.ireval.compare("AP", by="half", baseline="bm25", margin=0.03)
    alone = parted[parted["half"] == 1].ireval.compare("AP", baseline="bm25", margin=0.03)
    one = found[found["half"] == 1]["p_noninferior"].tolist()
    assert one == alone["p_noninferior"].tolist()


def test_margin_of_a_number_is_absolute():
    assert margin_of(0.3, np.array([np.nan, 2.0])).tolist() == [0.3, 0.3]
    assert margin_of("50%", np.array([-2.0])).tolist() == [1.0]
