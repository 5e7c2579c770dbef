"""Max-t: the distribution of the largest |t| of a family, by random signs of queries."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pdeval.evaluate.seeds import chunks
from pdeval.significance.max_t import critical_value, maxima, tail


def drawn_signs(draws, queries, seed):
    return [
        2.0 * row - 1
        for count, child in chunks(draws, seed)
        for row in np.random.default_rng(child).integers(0, 2, size=(count, queries), dtype=np.int8)
    ]


def test_each_maximum_is_the_largest_t_of_the_centered_differences_with_signs():
    D = np.random.default_rng(1).normal(size=(9, 4))
    D[:3, 1] = np.nan  # other numbers of queries
    expected = []
    for sign in drawn_signs(70, 9, 5):
        flipped = (D - np.nanmean(D, axis=0)) * sign[:, None]
        expected.append(np.abs(stats.ttest_1samp(flipped, 0, nan_policy="omit").statistic).max())
    assert maxima(D, draws=70, seed=5) == pytest.approx(np.array(expected), rel=1e-9)
    one_n = np.delete(D, 1, axis=1)
    flipped = [(one_n - one_n.mean(axis=0)) * s[:, None] for s in drawn_signs(70, 9, 5)]
    largest = [stats.ttest_1samp(one, 0).statistic.max() for one in flipped]
    assert maxima(one_n, draws=70, seed=5, one_sided=True) == pytest.approx(largest, rel=1e-9)


def test_sums_of_runs_give_the_maxima_of_their_differences():
    X = np.random.default_rng(6).random((20, 6))
    X[:, 5] = X[:, 4] + 0.1  # a difference that does not vary
    a, b = np.triu_indices(6, 1)
    D = X[:, a] - X[:, b]
    for one_sided in (False, True):
        plain = maxima(D, draws=150, one_sided=one_sided)
        fast = maxima(D, draws=150, one_sided=one_sided, scores=(X, a, b))
        assert fast == pytest.approx(plain, rel=1e-9)


def test_parts_of_a_family_have_the_same_signs_for_the_same_queries():
    D = np.random.default_rng(2).normal(size=(12, 5))
    rows = np.array([1, 4, 5, 6, 9, 11])
    together = np.full((12, 7), np.nan)
    together[:, :5] = D
    together[rows, 5:] = D[:6, :2]
    parts = [
        maxima(D, draws=99, size=12),
        maxima(D[:6, :2], draws=99, rows=rows, size=12),
    ]
    assert np.maximum(*parts) == pytest.approx(maxima(together, draws=99), rel=1e-9)


def test_several_families_are_the_maxima_of_their_columns():
    D = np.random.default_rng(3).normal(size=(15, 4))
    both = maxima(D, draws=80, families=np.array([[0, 1], [2, 3]]))
    assert both[0] == pytest.approx(maxima(D[:, :2], draws=80), rel=1e-12)
    assert both[1] == pytest.approx(maxima(D[:, 2:], draws=80), rel=1e-12)


def test_the_critical_value_against_a_baseline_is_that_of_dunnett():
    # three systems and a baseline with equal variances: Dunnett's table has 2.35 for infinite degrees of freedom;
    # scipy.stats.dunnett on the same independent groups inverts the same distribution
    X = np.random.default_rng(4).normal(size=(2000, 4))
    D = X[:, 1:] - X[:, :1]
    drawn = maxima(D, draws=10_000, seed=1)
    assert critical_value(drawn, 0.05) == pytest.approx(2.35, abs=0.04)
    t = D.mean(axis=0) / stats.sem(D, axis=0)
    seeded = "rng" if "rng" in inspect.signature(stats.dunnett).parameters else "random_state"
    by_scipy = stats.dunnett(
        *X[:, 1:].T, control=X[:, 0], **{seeded: np.random.default_rng(0)}
    ).pvalue
    assert tail(drawn, np.abs(t)) == pytest.approx(by_scipy, abs=0.03)


def test_equal_columns_are_one_comparison_and_constant_ones_none():
    D = np.random.default_rng(5).normal(size=(20, 1))
    alone = maxima(D, draws=200)
    assert maxima(np.hstack([D, D, -2 * D, np.ones((20, 1))]), draws=200) == pytest.approx(alone)
    assert maxima(np.ones((20, 2)), draws=10).tolist() == [0.0] * 10


@given(st.integers(1, 300), st.floats(0.001, 0.999), st.integers(0, 2**20))
def test_a_p_value_is_below_alpha_exactly_beyond_the_critical_value(draws, alpha, seed):
    drawn = np.random.default_rng(seed).integers(0, 50, size=draws).astype(float)
    c = critical_value(drawn, alpha)
    observed = np.arange(-1.0, 52.0, 0.5)
    assert ((tail(drawn, observed) < alpha - 1e-9) <= (observed > c)).all()
    assert ((observed > c) <= (tail(drawn, observed) < alpha + 1e-9)).all()
