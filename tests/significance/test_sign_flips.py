"""The exact randomization test: all signs, none drawn."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pdeval
from pdeval.significance import paired_tests
from pdeval.significance.paired_tests import (
    MOST,
    exact_randomization,
    randomization,
    share_reaching,
)

SCORES = pdeval.datasets.sample_judged(queries="common").measure("AP")
FEW = SCORES[SCORES["query_id"].isin([str(number) for number in range(101, 113)])]


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=10))
def test_p_is_the_share_of_all_signs_whose_mean_is_as_far_from_0(values):
    D = np.array(values, dtype=float)
    flips = itertools.product((1, -1), repeat=len(D))
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, values, strict=True))) for signs in flips
    ]
    expected = np.mean([one >= abs(sum(values)) for one in sums])
    assert exact_randomization(D[:, None]).p_value[0] == expected


@pytest.mark.broad
@pytest.mark.parametrize("queries", [3, 8, 13])
def test_p_is_that_of_scipy_over_all_permutations(queries):
    D = np.random.default_rng(queries).normal(0.4, 1.0, (queries, 4))
    for column, p in enumerate(exact_randomization(D).p_value):
        theirs = stats.permutation_test(
            (D[:, column],),
            np.mean,
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        )
        assert p == pytest.approx(theirs.pvalue, rel=1e-14)


def test_wilcoxon_on_ranks_is_the_same_test():
    ranks = np.array([1.0, -2, 3, 4, -5, 6, 7, 8, 9, 10, 11, 12])
    ours = exact_randomization(ranks[:, None]).p_value[0]
    assert ours == pytest.approx(stats.wilcoxon(ranks, method="exact").pvalue, rel=1e-14)


def test_draws_come_near_it():
    D = np.random.default_rng(1).normal(0.3, 1.0, (24, 20))
    exact, drawn = exact_randomization(D).p_value, randomization(D, draws=20_000).p_value
    # four standard errors of a share of 20,000 draws
    assert (np.abs(exact - drawn) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4).all()


def test_everything_but_p_is_that_of_the_test_that_draws():
    D = np.random.default_rng(2).normal(0.3, 1.0, (9, 5))
    D[3, 1] = np.nan
    ours, theirs = exact_randomization(D), randomization(D, draws=9)
    for name in ("n", "mean", "effect_size", "statistic"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()


def test_missing_and_equal_queries_change_nothing():
    D = np.array([[0.3], [0.2], [-0.1], [0.5]])
    more = np.vstack([D, [[np.nan], [0.0], [np.nan]]])
    assert (
        exact_randomization(more).p_value.tolist()
        == exact_randomization(D).p_value.tolist()
        == [0.25]
    )
    assert exact_randomization(np.zeros((4, 1))).p_value.tolist() == [1.0]


@pytest.mark.broad
def test_the_least_p_is_two_of_all_signs():
    assert exact_randomization(np.full((6, 1), 0.1)).p_value.tolist() == [2 / 64]
    assert share_reaching(np.full(MOST, 1.0), float(MOST)) == 2 / 2**MOST


@pytest.mark.broad
def test_sums_of_forty_differences_are_counted_one_by_one():
    # of equal sizes the share is that of a binomial
    n, positive = 40, 28
    D = np.where(np.arange(n) < positive, 0.1, -0.1)[:, None]
    expected = 2 * stats.binom.cdf(n - positive, n, 0.5)
    assert exact_randomization(D).p_value[0] == pytest.approx(expected, rel=1e-12)


def test_comparisons_say_that_the_test_was_exact():
    found = FEW.ireval.compare(test="exact")
    assert found["test"].unique().tolist() == ["exact_randomization"]
    assert (found["p_value"] * 2**12).round(9).mod(1).eq(0).all()
    assert (
        "exact paired randomization test"
        in FEW.ireval.report(test="exact", marks="letters").to_markdown()
    )


def test_more_differences_than_can_be_tried_are_refused():
    with pytest.raises(
        ValueError,
        match=r"at most 40 nonzero differences; a pair has 48\. Use test='randomization'",
    ):
        SCORES.ireval.compare(test="exact_randomization")


def test_the_test_that_draws_is_as_it_was():
    D = np.array([[0.1, -0.2], [0.3, 0.1], [0.2, 0.05], [0.4, 0.3]])
    # as before there was an exact test
    assert randomization(D, draws=999, seed=1).p_value.tolist() == [0.112, 0.613]


def test_rounding_is_that_of_the_sizes_of_each_column():
    small = np.array([3.0, -1.0, 2.0, 1.5]) * 1e-13
    both = np.stack([small, [4e3, 1e3, -2e3, 5e3]], axis=1)
    alone = [exact_randomization(both[:, [column]]).p_value[0] for column in (0, 1)]
    assert exact_randomization(both).p_value.tolist() == alone
    assert alone[0] == 0.25  # of 16 sums, 5.5 and 7.5, on both sides of 0


def test_differences_of_0_are_not_counted_among_those_that_can_be_tried(monkeypatch):
    monkeypatch.setattr(paired_tests, "MOST", 3)
    D = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, np.nan], [4.0, 0.0]])
    assert exact_randomization(D).p_value.tolist() == [0.25, 1.0]
    D[2, 0] = 8.0
    with pytest.raises(ValueError, match="at most 3 nonzero differences; a pair has 4"):
        exact_randomization(D)
    assert exact_randomization(np.zeros((5, 0))).p_value.tolist() == []
