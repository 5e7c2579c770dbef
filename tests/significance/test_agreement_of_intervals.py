"""Interval and verdict agree: for every test, correction and family."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pdeval.evaluate.cube import Scores
from pdeval.significance.compare import compare
from pdeval.significance.corrections import CORRECTIONS, JOINT_CORRECTIONS
from pdeval.significance.paired_tests import (
    binomial_interval,
    cohen_interval,
    noncentrality,
    randomization,
    sign,
    walsh_averages,
    wilcoxon,
)
from pdeval.significance.registry import TESTS, direction

D8 = np.array([[0.1, -0.05, 0.2, 0.15, 0.02, 0.3, -0.1, 0.25]]).T


def cube(seed, queries=12, runs=5, decimals=2, missing=0.0, measures=("AP", "P@5")):
    random = np.random.default_rng(seed)
    shift = random.normal(0, 0.1, size=(1, runs))
    values = random.normal(0.5, 0.15, size=(len(measures), queries, runs)) + shift
    values = np.clip(values, 0, 1).round(decimals)
    values[random.random(values.shape) < missing] = np.nan
    names = pd.DataFrame({"run": [f"r{i}" for i in range(runs)]})
    higher = (True,) * len(measures)
    return Scores(names, pd.Index(range(queries), name="query_id"), measures, values, higher)


def disagreements(found):
    low, high = found["ci_low"].to_numpy(), found["ci_high"].to_numpy()
    significant = found["significant"].to_numpy()
    wrong = np.where(significant, (low < 0) & (high > 0), (low > 0) | (high < 0))
    sign = direction(found)
    wrong |= significant & (np.where(sign > 0, low, -high) < 0)
    return int(wrong.sum())


FAMILIES = [
    (None, None),
    ("r1", None),
    ("r1", "measure"),
    (["r0", "r2"], "baseline"),
    (None, "all"),
    (["r0", "r2"], "all"),
]


def every_family(test, decimals=None):
    """Yield the results of a test with all corrections and all families that it has."""
    for number, (correction, (baseline, family)) in enumerate(product(JOINT_CORRECTIONS, FAMILIES)):
        if TESTS[test].family_wise:
            family = None if baseline is None else TESTS[test].family
            baseline = (baseline or "r0") if TESTS[test].family == "baseline" else baseline
        if correction == "max-t" and test != "t":
            continue
        data = cube(number, decimals=decimals or 1 + number % 2)
        options = {"correction": correction, "baseline": baseline, "family": family}
        yield options, compare(data, test=test, draws=199, progress=False, **options)


@pytest.mark.parametrize("test", sorted(TESTS))
def test_an_interval_that_excludes_zero_is_never_beside_a_difference_that_is_not_significant(test):
    found = [(disagreements(frame), options) for options, frame in every_family(test)]
    assert [options for wrong, options in found if wrong] == []
    assert len(found) >= len(FAMILIES) * (len(JOINT_CORRECTIONS) - 1)


SINGLE_STEP = ("none", "bonferroni", "sidak", "max-t")


def excluded(found):
    """Return how many intervals of differences that are not significant exclude 0."""
    outside = (found["ci_low"] > 0) | (found["ci_high"] < 0)
    return int((outside & ~found["significant"]).sum())


def unaided(test):
    """Return the faults of each correction without the rule that makes stepwise corrections agree."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pdeval.significance.registry.agreeing", lambda columns: columns)
        found = [(one["correction"], frame) for one, frame in every_family(test, decimals=6)]
    return {
        name: sum(
            (disagreements if name in SINGLE_STEP else excluded)(frame)
            for correction, frame in found
            if correction == name
        )
        for name in dict(found)
    }


@pytest.mark.parametrize("test", sorted(TESTS))
def test_only_stepwise_corrections_need_ends_at_zero(test):
    faults = unaided(test)
    del faults[
        "fdr_tsbky"
    ]  # multiplies p by 1 + alpha: it may be stricter than Bonferroni's correction
    assert set(faults.values()) == {0}


@pytest.mark.parametrize(
    ("rule", "other", "wrong"),
    [
        ("single_step_level", lambda correction, alpha, size: alpha, {"bonferroni", "sidak"}),
        ("critical_value", lambda drawn, alpha: np.float64(2.2), {"max-t"}),
    ],
)
def test_intervals_without_the_level_of_the_correction_disagree(rule, other, wrong, monkeypatch):
    monkeypatch.setattr(f"pdeval.significance.compare.{rule}", other)
    found = unaided("t")
    assert wrong <= {name for name, faults in found.items() if faults}


def test_intervals_of_stepwise_corrections_disagree_without_ends_at_zero(monkeypatch):
    monkeypatch.setattr("pdeval.significance.registry.agreeing", lambda columns: columns)
    found = [(one["correction"], disagreements(frame)) for one, frame in every_family("t")]
    assert {"holm", "hommel", "fdr_bh"} <= {correction for correction, wrong in found if wrong}


@pytest.mark.broad
@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([name for name, test in TESTS.items() if not test.joint]),
    st.sampled_from(JOINT_CORRECTIONS),
    st.sampled_from(FAMILIES),
    st.integers(0, 10_000),
    st.integers(3, 16),
    st.sampled_from([0.01, 0.05, 0.2]),
    st.booleans(),
)
def test_interval_and_verdict_agree_whatever_the_data(
    test, correction, family, seed, queries, alpha, holes
):
    if correction == "max-t" and test != "t":
        return
    baseline, together = family
    data = cube(seed, queries + 8 * holes, decimals=seed % 3 + 1, missing=0.15 * holes)
    options = {"baseline": baseline, "family": together, "alpha": alpha, "draws": 199}
    if correction == "max-t" and len(data.queries) < 8:
        with pytest.raises(ValueError, match="requires at least 8 queries"):
            compare(data, test=test, correction=correction, **options)
        return
    assert disagreements(compare(data, test=test, correction=correction, **options)) == 0


@pytest.mark.parametrize("test", [name for name, one in TESTS.items() if name != "normal_hsd"])
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_the_interval_of_a_test_includes_zero_exactly_if_it_is_not_significant(test, confidence):
    # the tests themselves, without the rule that makes stepwise corrections agree
    random = np.random.default_rng(7)
    for decimals in (1, 6):
        X = (random.normal(size=(13, 9)) + np.linspace(0, 1.5, 9)).round(decimals)
        a, b = np.triu_indices(9, 1)
        if TESTS[test].family == "baseline":
            a, b = np.arange(1, 9), np.zeros(8, dtype=int)
        arrays = (X, a, b) if TESTS[test].joint else (X[:, a] - X[:, b],)
        if test == "wilcoxon" and decimals == 1:
            continue  # ties: the p-value accounts for them, the interval does not
        found = TESTS[test].result(*arrays, confidence=confidence, draws=499, seed=1)
        significant = found.p_value < 1 - confidence - 1e-9
        inside = (found.ci_low < 0) & (found.ci_high > 0)
        outside = (found.ci_low > 0) | (found.ci_high < 0)
        assert 2 < significant.sum() < 34
        # ends at exactly 0 belong to either
        assert not (significant & inside).any()
        assert not (~significant & outside & (np.abs(found.p_value - 1 + confidence) > 1e-9)).any()


@pytest.mark.parametrize("correction", [*CORRECTIONS, "max-t"])
def test_only_stepwise_corrections_end_intervals_at_zero(correction):
    found = compare(cube(3, queries=30, runs=8, measures=("AP",)), correction=correction)
    at_zero = (found["ci_low"] == 0) | (found["ci_high"] == 0)
    assert at_zero.any() <= (correction not in ("bonferroni", "sidak", "max-t", "none"))
    assert found["significant"].any()
    assert not found["significant"].all()


def test_wilcoxons_interval_is_that_of_hodges_and_lehmann():
    # R: wilcox.test(d, conf.int = TRUE) without its ties: estimate .105, interval -.04 to .25
    found = wilcoxon(D8)
    assert found.p_value.round(4).tolist() == [0.0859]
    ends = [found.estimate[0], found.ci_low[0], found.ci_high[0]]
    assert ends == pytest.approx([0.105, -0.04, 0.25])


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_many_queries_bisect_the_walsh_averages_that_few_sort(queries, seed):
    random = np.random.default_rng(seed)
    D = random.normal(size=(queries, 3)).round(seed % 4 + 1)
    place = random.integers(0, queries * (queries + 1) // 2 + 2, size=(4, 3))
    values = walsh_averages(D, place)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pdeval.significance.paired_tests.MOST_WALSH", 1)
        np.testing.assert_allclose(walsh_averages(D, place), values, rtol=1e-12, atol=1e-12)


def test_the_sign_tests_interval_has_differences_as_ends_or_is_of_the_mean_of_signs():
    values = np.array([[3.0, -1, 4, 1, -5, 9, 2, 6, 5, 3, 0, 7]]).T
    found = sign(values)
    # 11 nonzero differences: P(X <= 1) = .0059, P(X <= 2) = .0327 > .025, so the second from either end
    assert [found.estimate[0], found.ci_low[0], found.ci_high[0]] == [3.0, -1.0, 7.0]
    signs = sign(np.array([[1.0] * 8 + [-1.0] * 2 + [0.0] * 10]).T)
    by_scipy = stats.binomtest(8, 10).proportion_ci()
    assert signs.estimate.tolist() == signs.mean.tolist() == [0.3]
    assert (signs.ci_low[0], signs.ci_high[0]) == pytest.approx(
        ((2 * by_scipy.low - 1) / 2, (2 * by_scipy.high - 1) / 2)
    )
    for wins in range(11):
        low, high = binomial_interval(np.array([wins]), np.array([10]), 0.025)
        assert (low[0], high[0]) == pytest.approx(tuple(stats.binomtest(wins, 10).proportion_ci()))


def test_the_randomization_interval_has_the_shifts_that_the_test_does_not_reject():
    random = np.random.default_rng(3)
    D = random.normal(0.3, 1, size=(9, 4))
    D[:2, 1] = np.nan
    options = {"draws": 299, "seed": 4, "confidence": 0.9}
    found = randomization(D, **options)
    for end, inward in ((found.ci_low, 1e-6), (found.ci_high, -1e-6)):
        assert (randomization(D - end - inward, **options).p_value >= 0.1).all()
        assert (randomization(D - end + inward, **options).p_value < 0.1).all()


def test_the_interval_of_cohens_d_inverts_the_noncentral_t_distribution():
    low, high = cohen_interval(np.array([10, 40]), np.array([1.58, -3.0]), np.array([0.95, 0.9]))
    for n, t, confidence, ends in (
        (10, 1.58, 0.95, (low[0], high[0])),
        (40, -3, 0.9, (low[1], high[1])),
    ):
        shares = stats.nct.cdf(t, n - 1, np.array(ends) * np.sqrt(n))
        assert shares == pytest.approx([(1 + confidence) / 2, (1 - confidence) / 2])
    assert cohen_interval(np.array([5]), np.array([np.inf]), 0.95)[0].tolist() == [np.inf]


@pytest.mark.parametrize(
    ("df", "t", "share", "expected"),
    [
        (49.0, 0.3, 0.0001, 4.01919443664017),
        (49.0, -0.5, 0.0001, 3.2262491443051995),
        (4.0, 12.0, 0.025, 20.230370015964585),
        (1.0, 5.0, 0.001, 16.778460013875858),
        (1.0, -5.0, 0.001, 2.1100029560749816),
        (248.0, 4.0, 2.6e-05, 8.1077494108066),
        (49.0, -60.0, 0.001, -41.6928464934928),
    ],
)
def test_the_noncentrality_of_small_shares_is_exact(df, t, share, expected):
    # mpmath 1.3, 30 digits: findroot of the integral of the chi density times ncdf(t * s - noncentrality)
    arrays = np.array([df]), np.array([t]), np.array([share])
    assert noncentrality(*arrays)[0] == pytest.approx(expected, abs=1e-10)


def test_the_interval_of_cohens_d_of_a_pair_does_not_depend_on_other_pairs():
    random = np.random.default_rng(0)
    n, t = random.integers(2, 60, 300), random.normal(0, 6, 300)
    low, high = cohen_interval(n, t, 0.99)
    for pair in range(300):
        one = cohen_interval(n[[pair]], t[[pair]], 0.99)
        assert one == (low[[pair]], high[[pair]])


def test_the_interval_of_cohens_d_has_no_gap_between_grids():
    t = np.linspace(-300, 300, 20_001)
    for n in (2, 5, 50):
        low, high = cohen_interval(np.full(t.shape, n), t, 0.95)
        assert (np.diff(low) > 0).all()
        assert (np.diff(high) > 0).all()
        assert (low < high).all()


def test_simultaneous_intervals_have_the_level_of_the_correction():
    data = cube(1, queries=20, runs=4, decimals=6, measures=("AP",))
    D = data.values[0][:, 1] - data.values[0][:, 0]
    for correction, level in (
        ("none", 0.05),
        ("bonferroni", 0.05 / 6),
        ("sidak", 1 - 0.95 ** (1 / 6)),
    ):
        found = compare(data, correction=correction).iloc[0]
        expected = stats.ttest_1samp(-D, 0).confidence_interval(1 - level)
        assert (found["ci_low"], found["ci_high"]) == pytest.approx(tuple(expected))
    assert found["se"] == pytest.approx(stats.sem(D))
    assert found["df"] == 19


def test_one_comparison_is_not_corrected_and_maxima_never_help():
    data = cube(2, queries=10, runs=2, measures=("AP",))
    found = compare(data)
    assert found.attrs["correction"] == "max-t"
    assert found["p_adjusted"].tolist() == found["p_value"].tolist()
    several = compare(cube(2, queries=9, runs=6), draws=99)
    assert (several["p_adjusted"] >= several["p_value"]).all()


def test_a_family_of_one_comparison_keeps_its_own_interval_beside_larger_families():
    two = cube(3, queries=20, runs=2, decimals=6, measures=("P@5",))
    found = compare([cube(1, queries=20, measures=("AP",)), two])
    expected = compare(two)
    columns = ["p_adjusted", "ci_low", "ci_high"]
    last = found[found["measure"] == "P@5"].reset_index(drop=True)
    pd.testing.assert_frame_equal(last[columns], expected[columns])


def test_measures_together_are_one_family_with_the_same_signs():
    data = cube(5, queries=15, runs=3)
    twice = Scores(
        data.runs, data.queries, ("AP", "P@5"), np.stack([data.values[0]] * 2), (True, True)
    )
    alone = compare(twice)
    together = compare(twice, family="all")
    columns = ["p_adjusted", "ci_low", "ci_high"]
    # the second measure repeats the first, so the largest |t| stays the same
    pd.testing.assert_frame_equal(alone[columns], together[columns])
    assert together.attrs["comparisons"] == [6]
    different = compare(data, family="all")
    assert (different["p_adjusted"] >= compare(data)["p_adjusted"]).all()


def test_max_t_needs_eight_queries():
    # with fewer, its family-wise error rate exceeds alpha: .8 for 10 runs on 3 queries
    few = cube(1, queries=7)
    assert compare(few).attrs["correction"] == "holm"
    with pytest.raises(ValueError, match="'max-t' requires at least 8 queries, found 7"):
        compare(few, correction="max-t")
    data = cube(4, queries=12, runs=3, decimals=6, measures=("AP",))
    data.values[0, 5:, 0] = np.nan
    found = compare(data)
    assert found["n"].tolist() == [5, 5, 12]
    assert (found["p_adjusted"] >= np.minimum(3 * found["p_value"], 1))[:2].all()
    assert disagreements(found) == 0


def test_max_t_is_for_t_tests():
    with pytest.raises(
        ValueError, match=r"correction='max-t' requires test='t'; 'AP' has test='sign'"
    ):
        compare(cube(1), test="sign", correction="max-t")
    assert compare(cube(1), test="sign").attrs["correction"] == "holm"
    assert compare(cube(1, runs=31)).attrs["correction"] == "holm"
    assert compare(cube(1, runs=31), baseline="r1", draws=50).attrs["correction"] == "max-t"
