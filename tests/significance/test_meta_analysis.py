"""Fixed and random effects against statsmodels, called by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from pdeval.significance.hierarchical_bootstrap import macro_and_micro
from pdeval.significance.over_collections import combined_effects
from pdeval.tables.equal_values import describe
from tests.significance.test_hierarchy import CASES, WITHIN

RANDOM = np.random.default_rng(5)
SE = RANDOM.uniform(0.01, 0.05, size=(9, 40))
SPREAD = RANDOM.normal(0.02, 0.06, size=(9, 40)) + SE * RANDOM.normal(
    size=(9, 40)
)  # collections differ
ALIKE = 0.02 + 0.5 * SE * RANDOM.normal(size=(9, 40))  # less than their queries explain


def meta_analysis(*arrays, **options):
    return SimpleNamespace(**combined_effects(*arrays, **options))


def by_hand(difference, se):
    with np.errstate(invalid="ignore"):  # statsmodels goes on with a negative tau2
        return [combine_effects(d, s**2, method_re="dl") for d, s in zip(difference.T, se.T)]


def effective_df(found):
    """Return the degrees of freedom of random effects: Kish's effective number of collections, minus 1."""
    return 1 / (found.weight**2).sum(axis=0) - 1


def same(left, right):
    np.testing.assert_allclose(left, right, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("confidence", [0.95, 0.9])
def test_both_means_and_intervals_are_those_of_statsmodels(confidence):
    found = meta_analysis(SPREAD, SE, confidence=confidence)
    other = by_hand(SPREAD, SE)
    positive = found.tau2 > 0
    assert positive.sum() > 35
    same(found.fixed, [one.mean_effect_fe for one in other])
    normal = np.array([one.conf_int(alpha=1 - confidence, use_t=False)[0] for one in other])
    same(np.stack([found.fixed_low, found.fixed_high], axis=1), normal)
    same(found.random[positive], np.array([one.mean_effect_re for one in other])[positive])
    student = np.array([one.conf_int(alpha=1 - confidence, use_t=True)[3] for one in other])
    # statsmodels has the standard error of Hartung and Knapp, also if it is below that of DerSimonian and Laird
    ratio = np.array([one.sd_eff_w_re_hksj / one.sd_eff_w_re for one in other])
    wide = positive & (ratio >= 1)
    assert wide.sum() > 10
    # and collections - 1 degrees of freedom, whatever their weights
    level = (1 + confidence) / 2
    expected = (
        (student[:, 1] - student[:, 0])
        * stats.t.ppf(level, effective_df(found))
        / stats.t.ppf(level, 8)
    )
    width, narrow = found.random_high - found.random_low, positive & (ratio < 1)
    same(width[wide], expected[wide])
    assert narrow.sum() > 10
    same(width[narrow], (expected / ratio)[narrow])
    same((found.random_low + found.random_high) / 2, found.random)


def test_collections_of_equal_weight_have_the_interval_of_statsmodels():
    se = np.full_like(SE, 0.02)
    found, other = meta_analysis(SPREAD, se), by_hand(SPREAD, se)
    ratio = np.array([one.sd_eff_w_re_hksj / one.sd_eff_w_re for one in other])
    student = np.array([one.conf_int(alpha=0.05, use_t=True)[3] for one in other])
    wide = (found.tau2 > 0) & (ratio >= 1)
    assert wide.sum() > 10
    same(np.stack([found.random_low, found.random_high], axis=1)[wide], student[wide])


def test_what_is_said_of_the_disagreement_is_that_of_statsmodels():
    found, other = meta_analysis(SPREAD, SE), by_hand(SPREAD, SE)
    positive = found.tau2 > 0
    same(found.q, [one.q for one in other])
    same(found.q_p, [one.test_homogeneity().pvalue for one in other])
    same(found.tau2[positive], np.array([one.tau2 for one in other])[positive])
    same(found.i2[positive], np.array([one.i2 for one in other])[positive])
    same(
        found.weight[:, positive],
        np.stack([one.weights_rel_re for one in other], axis=1)[:, positive],
    )


def test_collections_that_agree_have_no_variance_between_them_and_one_mean():
    found, other = meta_analysis(ALIKE, SE), by_hand(ALIKE, SE)
    none = np.array([one.tau2 for one in other]) < 0
    assert none.sum() > 35
    assert (found.tau2[none] == 0).all()
    assert (found.i2[none] == 0).all()
    same(found.random[none], [one.mean_effect_fe for one, kept in zip(other, none) if kept])


def test_p_values_belong_to_the_intervals():
    found = meta_analysis(SPREAD, SE)
    assert ((found.random_p < 0.05) == ((found.random_low > 0) | (found.random_high < 0))).all()
    assert ((found.fixed_p < 0.05) == ((found.fixed_low > 0) | (found.fixed_high < 0))).all()
    z = found.fixed / np.array([one.sd_eff_w_fe for one in by_hand(SPREAD, SE)])
    same(found.fixed_p, 2 * stats.norm.sf(np.abs(z)))


def test_a_collection_that_lacks_a_pair_does_not_count_for_it():
    difference, se = SPREAD[:, :2].copy(), SE[:, :2].copy()
    difference[3:, 0] = se[3:, 0] = np.nan
    found, alone = meta_analysis(difference, se), meta_analysis(difference[:3, :1], se[:3, :1])
    for name in ("fixed", "random", "random_low", "q", "q_p", "tau2", "i2", "fixed_p", "random_p"):
        assert getattr(found, name)[0] == getattr(alone, name)[0], name
    assert np.isnan(found.weight[3:, 0]).all()


def test_one_collection_or_one_without_variance_gives_no_analysis():
    difference, se = np.array([[0.1, 0.1], [np.nan, 0.2]]), np.array([[0.1, 0.0], [np.nan, 0.1]])
    found = meta_analysis(difference, se)
    for name in (
        "fixed",
        "fixed_low",
        "fixed_p",
        "random",
        "random_high",
        "random_p",
        "q",
        "q_p",
        "i2",
        "tau2",
    ):
        assert np.isnan(getattr(found, name)).all(), name
    assert np.isnan(found.weight).all()


def test_one_collection_without_variance_among_many_gives_no_analysis_and_no_weight():
    difference, se = SPREAD[:, :2].copy(), SE[:, :2].copy()
    se[1, 0] = 0.0
    found, other = meta_analysis(difference, se), meta_analysis(SPREAD[:, 1:2], SE[:, 1:2])
    for name in (
        "fixed",
        "fixed_low",
        "fixed_p",
        "random",
        "random_high",
        "random_p",
        "q",
        "q_p",
        "i2",
        "tau2",
    ):
        assert np.isnan(getattr(found, name)[0]), name
        assert getattr(found, name)[1] == pytest.approx(getattr(other, name)[0], rel=1e-12), name
    assert np.isnan(found.weight[:, 0]).all()


def test_two_collections_suffice():
    found = meta_analysis(SPREAD[:2], SE[:2])
    same(found.fixed, [one.mean_effect_fe for one in by_hand(SPREAD[:2], SE[:2])])
    same(found.q, [one.q for one in by_hand(SPREAD[:2], SE[:2])])
    assert not np.isnan(found.random_p).any()


def test_the_p_value_of_random_effects_is_that_of_student_with_the_effective_number_of_collections():
    found = meta_analysis(SPREAD, SE)
    df = effective_df(found)
    assert ((df > 1) & (df < 8)).all()
    error = (found.random_high - found.random_low) / 2 / stats.t.ppf(0.975, df)
    same(found.random_p, 2 * stats.t.sf(np.abs(found.random) / error, df))


def test_28_17_a_collection_that_outweighs_the_others_leaves_one_degree_of_freedom():
    found = meta_analysis(np.array([[0.2], [0.1]]), np.array([[1e-9], [1.0]]))
    half = stats.t.ppf(0.975, 1) * 1e-9
    same(found.random_high - found.random_low, [2 * half])


def test_collections_that_say_the_very_same_do_not_disagree():
    found = meta_analysis(np.full((4, 1), 0.25), np.array([[0.5], [0.25], [0.5], [1.0]]))
    assert [getattr(found, name).item() for name in ("q", "i2", "tau2", "q_p")] == [0, 0, 0, 1]
    assert [getattr(found, name).item() for name in ("random", "fixed")] == [0.25] * 2
    df = 25**2 / (4**2 + 16**2 + 4**2 + 1) - 1  # Kish's effective number of collections, minus 1
    half = stats.t.ppf(0.975, df) / np.sqrt(
        4 + 16 + 4 + 1
    )  # agreement does not narrow the interval
    same([found.random_low.item(), found.random_high.item()], [0.25 - half, 0.25 + half])
    same(found.fixed_p, 2 * stats.norm.sf(0.25 * np.sqrt(4 + 16 + 4 + 1)))
    same(found.weight[:, 0], np.array([4, 16, 4, 1]) / 25)


@pytest.mark.slow
@pytest.mark.parametrize("between", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("sizes", [(10, 10, 10, 10, 10, 300), (20, 50, 200)])
def test_few_collections_of_unequal_size_keep_the_level(sizes, between):
    random = np.random.default_rng(len(sizes))
    effect = between * random.normal(size=(len(sizes), CASES))
    parts = [
        e + WITHIN * random.normal(size=(n, CASES)) for e, n in zip(effect, sizes, strict=True)
    ]
    n, mean, sd = (np.stack(values) for values in zip(*map(describe, parts)))
    macro, micro = macro_and_micro(parts, draws=999)
    most = stats.binom.ppf(0.999, CASES, 0.05)
    assert (macro["p_value"] < 0.05).sum() <= most
    assert (meta_analysis(mean, sd / np.sqrt(n)).random_p < 0.05).sum() <= most
    assert np.isnan([micro["ci_low"], micro["ci_high"]]).all()
