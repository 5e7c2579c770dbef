"""Generalizability theory and topic-set size: published values, statsmodels, and simulations."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import FTestAnovaPower, TTestPower

import pdeval
from pdeval.significance.reliability import decisions, queries_for

SCORES = pdeval.datasets.sample_judged(queries="common").measure(["AP", "RR"])


def test_the_published_example_of_gt4ireval():
    """Its tests (version 2.0): Tables 6.2 and 6.5 of Brennan 2001, `dstudy(gstudy(synthetic4), alpha = .1)`."""
    found = decisions(10.2963, 11.6273, 2.7872, 10, 12, np.array([12]), confidence=0.8)
    components = [found[name] for name in ("var_run", "var_query", "var_residual")]
    assert components == pytest.approx([0.6258, 0.8840, 2.7872], abs=6e-5)
    values = {name: one.item() for name, one in found.items() if name.startswith(("erho2", "phi"))}
    assert values == pytest.approx(
        {
            "erho2": 0.729,
            "erho2_low": 0.541,
            "erho2_high": 0.876,
            "phi": 0.672,
            "phi_low": 0.457,
            "phi_high": 0.845,
        },
        abs=6e-4,
    )


def test_the_published_plan_of_gt4ireval():
    """The variance components of its vignette, TREC-3: .0028, .0281 and .0102, 30 systems, 50 queries.

    The vignette has 69 queries for erho2 = .95 and 259 for phi = .95, from components with more digits.
    """
    run, query, residual = 0.0028, 0.0281, 0.0102
    squares = (residual + 50 * run, residual + 30 * query, residual)
    found = decisions(*squares, 30, 50, np.array([50]))
    assert found["erho2"].item() == pytest.approx(0.93265, abs=0.002)
    assert found["phi"].item() == pytest.approx(0.78613, abs=0.005)
    assert found["queries_for_erho2"] == pytest.approx(69, abs=2)
    assert found["queries_for_phi"] == pytest.approx(259, abs=5)


def test_so_many_queries_have_the_wanted_reliability_and_one_less_has_not():
    found = SCORES.ireval.reliability(wanted=0.9)
    for column, rows in (("erho2", found), ("phi", found)):
        for _, row in rows.iterrows():
            needed = int(row[f"queries_for_{column}"])
            again = SCORES.ireval.reliability(row["measure"], n_queries=[needed - 1, needed])
            few, enough = again[column]
            assert few < 0.9 <= enough


def test_the_components_are_those_of_the_mean_squares_of_anova():
    table = SCORES.ireval.anova("AP").set_index("source")["mean_sq"]
    row = SCORES.ireval.reliability("AP").iloc[0]
    assert row["var_run"] == pytest.approx((table["run"] - table["residual"]) / 48)
    assert row["var_query"] == pytest.approx((table["query"] - table["residual"]) / 12)
    assert row["var_residual"] == pytest.approx(table["residual"])
    assert (row["runs"], row["n"], row["n_queries"]) == (12, 48, 48)


def test_equal_systems_have_no_reliability_and_no_number_of_queries():
    one = SCORES[(SCORES["run"] == "bm25") & (SCORES["measure"] == "AP")]
    noise = np.random.default_rng(0).normal(0, 1e-3, len(one))
    both = pd.concat([one, one.assign(run="twin", value=one["value"] + noise - noise.mean())])
    row = both.ireval.reliability().iloc[0]
    assert (row["erho2"], row["phi"], row["erho2_low"]) == (0.0, 0.0, 0.0)
    assert np.isinf([row["queries_for_erho2"], row["queries_for_phi"]]).all()
    with pytest.raises(ValueError, match="wanted"):
        SCORES.ireval.reliability(wanted=1.0)
    with pytest.raises(ValueError, match="n_queries"):
        SCORES.ireval.reliability(n_queries=0)


@pytest.mark.slow
def test_the_intervals_of_reliability_cover():
    rng = np.random.default_rng(2)
    runs, queries, hits = 10, 30, np.zeros(2)
    for _ in range(1000):
        X = (
            rng.normal(0, 1, runs)
            + rng.normal(0, 2, (queries, 1))
            + rng.normal(0, 3, (queries, runs))
        )
        run, query = X.mean(0).var(ddof=1) * queries, X.mean(1).var(ddof=1) * runs
        left = X - X.mean(0) - X.mean(1, keepdims=True) + X.mean()
        residual = (left**2).sum() / (runs - 1) / (queries - 1)
        found = decisions(run, query, residual, runs, queries, np.array([queries]))
        truth = {"erho2": 1 / (1 + 9 / queries), "phi": 1 / (1 + 13 / queries)}
        hits += [
            found[f"{k}_low"].item() <= v <= found[f"{k}_high"].item() for k, v in truth.items()
        ]
    low, high = stats.binom.ppf([0.0005, 0.9995], 1000, 0.95)
    assert (hits >= low).all()
    assert (hits <= high).all()


@pytest.mark.parametrize("runs", [3, 10])
@pytest.mark.parametrize("difference", [0.05, 0.2])
def test_one_way_designs_are_those_of_statsmodels(runs, difference):
    variance = 0.06
    found = queries_for(np.array([variance]), difference, runs, "one-way", 0.8, 0.05).item()
    # half of the squared range, over all systems
    effect = np.sqrt(difference**2 / 2 / variance / runs)
    few, enough = (
        FTestAnovaPower().power(effect, runs * n, 0.05, k_groups=runs) for n in (found - 1, found)
    )
    assert few < 0.8 <= enough


def test_designs_of_the_t_test_are_those_of_statsmodels():
    found = queries_for(np.array([0.06]), 0.1, 7, "t", 0.9, 0.05).item()
    effect = 0.1 / np.sqrt(2 * 0.06)
    few, enough = (TTestPower().power(effect, n, 0.05) for n in (found - 1, found))
    assert few < 0.9 <= enough


def test_the_expected_width_of_the_interval_is_the_wanted_one():
    found = int(queries_for(np.array([0.06]), 0.1, 2, "interval", 0.8, 0.05).item())
    rng = np.random.default_rng(3)
    for n, narrow in ((found, True), (found - 3, False)):
        sd = rng.normal(0, np.sqrt(0.12), (20_000, n)).std(axis=1, ddof=1)
        width = (2 * stats.t.ppf(0.975, n - 1) * sd / np.sqrt(n)).mean()
        assert (width <= 0.1001) == narrow


@pytest.mark.slow
def test_the_two_way_design_has_its_power_in_the_least_favorable_configuration():
    runs, n = 6, int(queries_for(np.ones(1), 1.0, 6, "two-way", 0.8, 0.05).item())
    rng = np.random.default_rng(4)
    means = np.zeros(runs)
    means[:2] = -0.5, 0.5
    X = means + rng.normal(0, 2, (2000, n, 1)) + rng.normal(0, 1, (2000, n, runs))
    left = X - X.mean(axis=1, keepdims=True) - X.mean(axis=2, keepdims=True)
    left += X.mean(axis=(1, 2), keepdims=True)
    residual = (left**2).sum(axis=(1, 2)) / ((runs - 1) * (n - 1))
    F = n * X.mean(axis=1).var(axis=1, ddof=1) / residual
    hits = (stats.f.sf(F, runs - 1, (runs - 1) * (n - 1)) < 0.05).sum()
    low, high = stats.binom.ppf([0.001, 0.999], 2000, [0.8, 0.84])
    assert low <= hits <= high


def test_a_plan_for_more_systems_needs_more_queries():
    few, many = (
        SCORES.ireval.anova.sample_size("AP", difference=0.1, runs=runs, design="two-way")
        for runs in (3, 40)
    )
    assert few["queries_needed"].item() < many["queries_needed"].item()
    with pytest.raises(ValueError, match=r"difference=0.0: expected a number above 0"):
        SCORES.ireval.anova.sample_size(difference=0)
