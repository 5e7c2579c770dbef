"""The same values as pingouin, R, scipy and statsmodels; the command of each literal is in its test.

pingouin 0.7.0; R 4.2.2, base packages. multcomp and metafor, which need a download, were not compared.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multicomp import pairwise_tukeyhsd

import pdeval  # noqa: F401
from pdeval.significance.hsd import dunnett, dunnett_tail, upper_point, upper_tail
from pdeval.significance.over_collections import combined_effects
from pdeval.significance.paired_tests import wilcoxon

D = [0.1, -0.05, 0.2, 0.15, 0.02, 0.3, -0.1, 0.25]
UNTIED = [0.12, 0.07, -0.03, 0.21, 0.05, -0.11, 0.09, 0.17, 0.02, 0.14, -0.06, 0.08]


def compared(differences, **options):
    """Compare a run whose scores are the differences with a run whose scores are 0."""
    n = len(differences)
    frame = pd.DataFrame(
        {
            "run": ["a"] * n + ["b"] * n,
            "query_id": [*range(n)] * 2,
            "measure": "x",
            "value": [*differences, *[0.0] * n],
        }
    )
    return frame.ireval(higher={"x": True}).compare(baseline="b", **options).iloc[0]


@pytest.mark.parametrize(("margin", "p"), [(0.05, 0.85823490856075), (0.2, 0.05711168106093569)])
def test_equivalence_is_the_tost_of_pingouin(margin, p):
    # pingouin.tost(d, 0, bound=margin)["pval"]
    assert compared(D, margin=margin)["p_equivalent"] == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize(
    ("margin", "lower", "upper"),
    [
        (0.05, 0.00820830956660539, 0.85823490856075024),
        (0.2, 0.000244634952481058, 0.057111681060935650),
    ],
)
def test_one_sided_tests_against_a_margin_are_those_of_r(margin, lower, upper):
    # t.test(d, mu=-m, alternative="greater")$p.value and t.test(d, mu=m, alternative="less")$p.value
    found = compared(D, margin=margin)
    assert found["p_noninferior"] == pytest.approx(lower, rel=1e-12)
    assert found["p_equivalent"] == pytest.approx(max(lower, upper), rel=1e-12)


def test_wilcoxons_test_and_effect_size_are_those_of_pingouin():
    # pingouin.wilcoxon(d, np.zeros(8))[["W_val", "p_val", "RBC"]]
    found = compared(D, test="wilcoxon")
    values = [found["statistic"], found["p_value"], found["effect_size"]]
    assert values == pytest.approx([5.5, 0.0859375, 0.6944444444444444], rel=1e-12)


def test_the_interval_of_hodges_and_lehmann_is_that_of_r():
    # wilcox.test(d, conf.int=TRUE, exact=TRUE, conf.level=.9)[c("estimate", "conf.int", "p.value")]
    found = wilcoxon(np.array(UNTIED)[:, None], confidence=0.9)
    values = [found.estimate, found.ci_low, found.ci_high, found.p_value]
    assert [one.item() for one in values] == pytest.approx([0.07, 0.01, 0.115, 0.05224609375])


def test_students_test_and_cohens_d_are_those_of_pingouin():
    # pingouin.ttest(d, 0)[["T", "p_val", "cohen_d"]]
    found = compared(D, test="t")
    values = [found["statistic"], found["p_value"], found["effect_size"]]
    expected = [2.1499042905484678, 0.06862332460554177, 0.7601059513744376]
    assert values == pytest.approx(expected, rel=1e-12)


def test_the_studentized_range_is_that_of_r():
    # ptukey(3.5, 4, 20, lower.tail=FALSE), ptukey(4.2, 10, 441, lower.tail=FALSE), qtukey(.95, 5, 12)
    found = [upper_tail(3.5, 4, 20), upper_tail(4.2, 10, 441), upper_point(0.05, 5, 12)]
    expected = [0.0949584505485567, 0.0904072135397710, 4.5077099196570387]
    assert found == pytest.approx(expected, rel=1e-8)


def test_dunnetts_distribution_is_that_of_an_integral_in_r():
    # dun <- function(q, k, df) { inner <- function(s) sapply(s, function(s) integrate(function(z) dnorm(z) *
    #   (pnorm(z + sqrt(2)*q*s) - pnorm(z - sqrt(2)*q*s))^k, -Inf, Inf, rel.tol=1e-12)$value)
    #   1 - integrate(function(s) inner(s)*2*df*s*dchisq(df*s*s, df), 0, Inf, rel.tol=1e-10)$value }
    # dun(2.5, 3, 16), dun(2.1, 9, 20), dun(3, 5, 196)
    found = [dunnett_tail(2.5, 3, 16), dunnett_tail(2.1, 9, 20), dunnett_tail(3.0, 5, 196)]
    expected = [0.0597734991496592, 0.2472688000226485, 0.0135432846240188]
    assert found == pytest.approx(expected, rel=1e-9)


def test_dunnetts_distribution_is_that_of_scipy_on_independent_data():
    rng = np.random.default_rng(0)
    for size, means in ((8, (0, 0.5, 1, 1.5)), (20, (0, 0.1, 0.2, 0.4, 0.8, 0.0))):
        control, *others = (rng.normal(mean, 1, size) for mean in means)
        # quasi-Monte Carlo integration, accurate to about 1e-4
        other = stats.dunnett(*others, control=control, random_state=1)
        df = len(means) * (size - 1)
        found = dunnett_tail(np.abs(other.statistic), len(others), df)
        assert found == pytest.approx(other.pvalue, abs=3e-4)
        ends = other.confidence_interval()
        half = upper_point(0.05, len(others), df, dunnett_tail) * np.sqrt(
            2 / size * np.mean([np.var(one, ddof=1) for one in (control, *others)])
        )
        assert (ends.high - ends.low) / 2 == pytest.approx(half, rel=2e-3)


def test_one_comparison_of_dunnett_is_students_and_tukeys_of_two_runs():
    q = np.array([0.5, 1.0, 2.0, 3.0, 6.0])
    assert dunnett_tail(q, 1, 12) == pytest.approx(2 * stats.t.sf(q, 12), rel=1e-10)
    assert dunnett_tail(q, 1, 12) == pytest.approx(upper_tail(np.sqrt(2) * q, 2, 12), rel=1e-10)


def test_dunnetts_test_lies_between_students_and_tukeys():
    X = np.random.default_rng(1).normal(size=(20, 6)) + np.linspace(0, 0.8, 6)
    found = dunnett(X, np.arange(1, 6), np.zeros(5, dtype=int))
    t = found.statistic
    assert (found.p_value > 2 * stats.t.sf(t, 19 * 5)).all()
    assert (found.p_value < upper_tail(np.sqrt(2) * t, 6, 19 * 5)).all()
    assert ((found.ci_low > 0) | (found.ci_high < 0)).tolist() == (found.p_value < 0.05).tolist()


def test_tukeys_test_of_independent_samples_is_that_of_statsmodels():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(4, 12)) + np.array([0, 0.3, 0.6, 1.2])[:, None]
    other = pairwise_tukeyhsd(values.ravel(), np.repeat(list("abcd"), 12))
    error = np.sqrt(values.var(axis=1, ddof=1).mean() / 12)
    found = upper_tail(np.abs(other.meandiffs) / error, 4, 44)
    assert found == pytest.approx(other.pvalues, abs=1e-7)


def test_random_effects_are_those_of_hartung_and_knapp_in_r():
    # y <- c(.10,.02,.06,.08); se <- c(.02,.01,.01,.03); w <- 1/se^2; Q <- sum(w*(y-sum(w*y)/sum(w))^2)
    # tau2 <- max(0, (Q-3)/(sum(w)-sum(w^2)/sum(w))); v <- 1/(se^2+tau2); mu <- sum(v*y)/sum(v)
    # hk <- sqrt(sum(v*(y-mu)^2)/3/sum(v)); c(tau2, mu, hk)
    y, se = np.array([0.10, 0.02, 0.06, 0.08]), np.array([0.02, 0.01, 0.01, 0.03])
    found = combined_effects(y[:, None], se[:, None])
    assert found["tau2"].item() == pytest.approx(0.000956349206349206, rel=1e-12)
    assert found["random"].item() == pytest.approx(0.060756796703777073, rel=1e-12)
    # the interval has the degrees of freedom of the effective number of collections, fewer than 3
    error = 0.017488501740465470
    plain = 1 / np.sqrt((1 / (se**2 + found["tau2"].item())).sum())
    df = np.clip(1 / np.square(found["weight"]).sum() - 1, 1, 3)
    half = stats.t.ppf(0.975, df) * max(error, plain)
    assert found["random_high"].item() - found["random"].item() == pytest.approx(half, rel=1e-12)
