"""Each pairwise test against scipy, on random, tied, incomplete and degenerate differences."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from pdeval.evaluate.seeds import chunks
from pdeval.significance import paired_tests
from pdeval.significance.paired_tests import (
    bootstrap,
    randomization,
    rank_sum_distribution,
    sign,
    student,
    wilcoxon,
)
from pdeval.tables.equal_values import describe
from tests.examples import examples

SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))

TESTS = [student, sign, wilcoxon, randomization, bootstrap]


def continuous(queries=30, pairs=6, seed=0):
    return np.random.default_rng(seed).normal(0.2, 1.0, size=(queries, pairs))


def tied(queries=40, pairs=6, seed=1):
    """Differences of measures with few values: many zeros, many equal sizes."""
    return np.random.default_rng(seed).integers(-2, 4, size=(queries, pairs)) / 10


def holed(seed=2):
    D = continuous(seed=seed)
    D[np.random.default_rng(seed).random(D.shape) < 0.2] = np.nan
    return D


@pytest.mark.parametrize(
    "D", [continuous(), tied(), holed()], ids=["continuous", "tied_fraction", "holed"]
)
def test_student_is_scipys_one_sample_t_test(D):
    outcome = student(D, confidence=0.9)
    for column, d in enumerate(D.T):
        expected = stats.ttest_1samp(d[~np.isnan(d)], 0)
        interval = expected.confidence_interval(0.9)
        assert outcome.n[column] == (~np.isnan(d)).sum()
        assert outcome.statistic[column] == pytest.approx(expected.statistic, rel=1e-12)
        assert outcome.p_value[column] == pytest.approx(expected.pvalue, rel=1e-10)
        assert (outcome.ci_low[column], outcome.ci_high[column]) == pytest.approx(
            interval, rel=1e-10
        )
        assert outcome.effect_size[column] == pytest.approx(
            np.nanmean(d) / np.nanstd(d, ddof=1), rel=1e-12
        )


@pytest.mark.parametrize(
    "D", [continuous(), tied(), holed()], ids=["continuous", "tied_fraction", "holed"]
)
def test_sign_is_scipys_binomial_test_without_ties(D):
    outcome = sign(D)
    for column, d in enumerate(D.T):
        wins, losses = int((d > 0).sum()), int((d < 0).sum())
        assert outcome.p_value[column] == pytest.approx(
            stats.binomtest(wins, wins + losses).pvalue, rel=1e-12
        )
        assert outcome.statistic[column] == wins
        assert outcome.effect_size[column] == pytest.approx((wins - losses) / (wins + losses))


@pytest.mark.parametrize("queries", [2, 7, 25, 50])
def test_wilcoxon_is_scipys_exact_test_without_ties(queries):
    D = continuous(queries)
    outcome = wilcoxon(D)
    for column, d in enumerate(D.T):
        expected = stats.wilcoxon(d, method="exact")
        assert outcome.statistic[column] == expected.statistic
        assert outcome.p_value[column] == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize(
    "D", [tied(), tied(22), continuous(80)], ids=["tied_fraction", "few", "many"]
)
def test_wilcoxon_is_scipys_approximation_with_ties_or_many_queries(D):
    outcome = wilcoxon(D)
    for column, d in enumerate(D.T):
        expected = stats.wilcoxon(d, zero_method="wilcox", correction=False, method="approx")
        assert outcome.statistic[column] == expected.statistic
        assert outcome.p_value[column] == pytest.approx(expected.pvalue, rel=1e-12)


def test_wilcoxon_drops_missing_queries():
    D = holed()
    outcome = wilcoxon(D)
    expected = [stats.wilcoxon(d[~np.isnan(d)], method="exact").pvalue for d in D.T]
    assert outcome.p_value == pytest.approx(expected, rel=1e-12)


def test_the_wilcoxon_effect_is_the_rank_biserial_correlation():
    # sizes 1, 2, 3, 4 with -2: W+ = 1 + 3 + 4, W- = 2
    assert wilcoxon(np.array([[1.0], [-2.0], [3.0], [4.0]])).effect_size.tolist() == [0.6]


def test_the_signed_rank_distribution_counts_subsets():
    # of the 8 subsets of {1, 2, 3}: sums 0, 1, 2, 3 (twice), 4, 5, 6
    assert (rank_sum_distribution(3) * 8).tolist() == [1, 2, 3, 5, 6, 7, 8]


def test_randomization_approaches_the_exact_share_of_sign_patterns():
    D = continuous(10, 4, seed=5)
    patterns = 1 - 2 * ((np.arange(1024)[:, None] >> np.arange(10)) & 1)
    exact = (np.abs(patterns @ D) >= np.abs(D.sum(axis=0)) - 1e-12).mean(axis=0)
    p = randomization(D, draws=20_000).p_value
    assert np.abs(p - exact).max() < 4 * np.sqrt(0.25 / 20_000)


def test_randomization_equals_a_naive_loop_over_the_same_swaps():
    D, draws = tied(15, 5), 300
    reached = np.zeros(5)
    for size, child in chunks(draws, 7):
        for row in np.random.default_rng(child).integers(0, 2, size=(size, 15), dtype=np.int8):
            swapped = np.where(row == 1, 1, -1)[:, None] * D
            reached += np.round(np.abs(swapped.sum(axis=0)), 9) >= np.round(
                np.abs(D.sum(axis=0)), 9
            )
    assert randomization(D, draws=draws, seed=7).p_value == pytest.approx(
        (1 + reached) / (1 + draws), rel=1e-15
    )


@pytest.mark.broad
def test_bootstrap_equals_a_naive_loop_over_the_same_samples():
    D, draws = continuous(12, 3, seed=8), 200
    t = np.abs(stats.ttest_1samp(D, 0).statistic)
    drawn = []
    for size, child in chunks(draws, 9):
        for row in np.random.default_rng(child).integers(0, 12, size=(size, 12)):
            drawn.append(np.abs(stats.ttest_1samp((D - D.mean(axis=0))[row], 0).statistic))
    outcome = bootstrap(D, draws=draws, seed=9, confidence=0.9)
    reached = (np.array(drawn) >= t).sum(axis=0)
    # 20 of 200 reach this one: p = 21 / 201 is the smallest that is not below 0.1
    half = np.sort(drawn, axis=0)[draws - 20] * D.std(axis=0, ddof=1) / np.sqrt(12)
    assert outcome.p_value == pytest.approx((1 + reached) / (1 + draws), rel=1e-15)
    assert outcome.ci_high - D.mean(axis=0) == pytest.approx(half, rel=1e-9)


def test_bootstrap_agrees_with_t_on_many_normal_differences():
    D = continuous(200, 8, seed=3)
    assert np.abs(bootstrap(D, draws=4000).p_value - student(D).p_value).max() < 0.03


def test_a_pair_with_missing_queries_bootstraps_over_its_own_queries():
    D = continuous(20, 3)
    D[4, 1] = np.nan
    alone = bootstrap(np.delete(D[:, [1]], 4, axis=0), draws=500)
    together = bootstrap(D, draws=500)
    assert together.p_value[1] == alone.p_value[0]
    assert together.p_value[[0, 2]].tolist() == bootstrap(D[:, [0, 2]], draws=500).p_value.tolist()


@pytest.mark.parametrize("test", TESTS)
def test_all_zero_differences_have_p_one_and_no_effect(test):
    outcome = test(np.zeros((10, 2)))
    assert outcome.p_value.tolist() == [1.0, 1.0]
    assert outcome.statistic.tolist() == [0.0, 0.0]
    assert outcome.effect_size.tolist() == [0.0, 0.0]
    assert outcome.ci_low.tolist() == outcome.ci_high.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("test", "statistic", "p", "low"),
    [
        (student, np.inf, 0.0, 0.1),
        # Clopper and Pearson's interval of the wins, times the size of the differences
        (sign, 10, 2 / 2**10, 0.1 * (2 * 0.025**0.1 - 1)),
        (bootstrap, np.inf, 1 / 1001, 0.1),
        (wilcoxon, 0, 2 / 2**10, 0.1),
    ],
)
def test_constant_differences_have_a_documented_value(test, statistic, p, low):
    options = {"draws": 1000} if test is bootstrap else {}
    outcome = test(np.full((10, 1), 0.1), **options)
    assert outcome.statistic.tolist() == [statistic]
    assert outcome.p_value == pytest.approx([p], rel=1e-12)
    assert outcome.ci_low == pytest.approx([low], rel=1e-14)
    assert outcome.ci_high.tolist() == [0.1]


@pytest.mark.parametrize("test", TESTS)
def test_a_query_that_does_not_count_changes_nothing_else(test):
    D = continuous(20, 3)
    gap = np.insert(D, 20, np.nan, axis=0)
    assert test(gap).n.tolist() == [20, 20, 20]
    if test is not randomization:  # its swaps are drawn for all queries of the table
        assert test(gap).p_value == pytest.approx(test(D).p_value, rel=1e-12)


@pytest.mark.parametrize("test", [randomization, bootstrap])
def test_the_seed_decides_the_p_values(test):
    D = continuous(20, 3)
    assert (
        test(D, draws=500, seed=1).p_value.tolist() == test(D, draws=500, seed=1).p_value.tolist()
    )
    assert (
        test(D, draws=500, seed=1).p_value.tolist() != test(D, draws=500, seed=2).p_value.tolist()
    )


@pytest.mark.parametrize("test", [randomization, bootstrap])
def test_p_values_of_a_pair_do_not_depend_on_its_neighbors(test, monkeypatch):
    D = tied(20, 9)
    whole = test(D, draws=400).p_value
    single = np.concatenate([test(D[:, [column]], draws=400).p_value for column in range(9)])
    monkeypatch.setattr("pdeval.significance.paired_tests.BOOTSTRAP_PAIRS", 2)
    assert whole.tolist() == single.tolist() == test(D, draws=400).p_value.tolist()


def test_differences_that_are_the_same_but_for_rounding_are_as_sure_as_constant_ones():
    D = np.array([[0.1 + 0.2], [0.3], [0.3]])
    found = bootstrap(D, draws=99)
    assert (found.p_value.tolist(), found.statistic.tolist()) == ([0.01], [np.inf])
    assert found.ci_low.tolist() == found.ci_high.tolist() == found.mean.tolist()


def test_an_unusual_difference_has_the_smallest_p_value_there_is():
    assert randomization(np.full((40, 1), 0.3), draws=99).p_value.tolist() == [0.01]


numbers = hnp.arrays(
    float,
    st.tuples(st.integers(2, 12), st.integers(1, 4)),
    elements=st.integers(-5, 5).map(lambda k: k / 4),
)


@pytest.mark.parametrize("test", TESTS)
@given(D=numbers)
@examples(25)
def test_swapping_the_runs_turns_the_sign_and_keeps_p(test, D):
    options = {"draws": 50} if test in (randomization, bootstrap) else {}
    one, other = test(D, **options), test(-D, **options)
    assert (one.p_value >= (0 if test is student else 1e-300)).all()
    assert (one.p_value <= 1).all()
    assert one.p_value == pytest.approx(other.p_value, rel=1e-12)
    assert one.mean == pytest.approx(-other.mean, abs=1e-15)
    assert one.effect_size == pytest.approx(-other.effect_size, rel=1e-12)
    assert (one.ci_low <= one.mean).all()
    assert (one.mean <= one.ci_high).all()


def test_description_matches_numpy():
    D = holed()
    n, mean, sd = describe(D)
    assert n.tolist() == (~np.isnan(D)).sum(axis=0).tolist()
    assert mean == pytest.approx(np.nanmean(D, axis=0), rel=1e-13)
    assert sd == pytest.approx(np.nanstd(D, axis=0, ddof=1), rel=1e-13)


@pytest.mark.broad
def test_wilcoxon_with_ties_and_few_queries_is_exact():
    # the normal approximation gives .0473, below .05. By hand: four sizes of .1 have rank 2.5, the
    # negative one is among them; of the 128 signs only none and one of these four add up to 2.5 or less
    D = np.array([0.1, -0.1, 0.2, 0.1, 0.0, 0.3, 0.1, 0.3])
    assert wilcoxon(D[:, None]).p_value.tolist() == [2 * 5 / 128]
    if SCIPY >= (1, 15):  # earlier versions use the normal approximation if differences are 0
        assert stats.wilcoxon(D).pvalue == 2 * 5 / 128


@pytest.mark.broad
@pytest.mark.parametrize("n", range(2, 14))
def test_exact_wilcoxon_with_ties_is_that_of_every_sign_pattern(n):
    rng = np.random.default_rng(n)
    D = rng.integers(-3, 4, size=(n, 25)) / 10
    D[:, 1] = 0.1  # all of one size
    D[0, 2] = np.nan
    found = wilcoxon(D)
    for column, p in zip(D.T, found.p_value, strict=True):
        kept = column[~np.isnan(column) & (column != 0)]
        if not len(kept):
            assert p == 1.0
            continue
        rank = stats.rankdata(np.abs(kept).round(9))
        least = min(rank[kept > 0].sum(), rank[kept < 0].sum())
        sums = [np.dot(signs, rank) for signs in itertools.product([0, 1], repeat=len(kept))]
        assert p == pytest.approx(min(1.0, 2 * np.mean([one <= least for one in sums])), abs=1e-15)


@pytest.mark.slow
@pytest.mark.skipif(
    SCIPY < (1, 13), reason="scipy has permutations of Wilcoxon's test from 1.13 on"
)
def test_exact_wilcoxon_with_ties_is_scipys_permutation():
    D = np.random.default_rng(5).integers(-3, 6, size=(12, 30)) / 10
    D[D == 0] = 0.1
    exact = stats.wilcoxon(D, method=stats.PermutationMethod(n_resamples=np.inf), axis=0).pvalue
    assert wilcoxon(D).p_value == pytest.approx(exact, abs=1e-12)


def test_wilcoxon_with_ties_and_14_differences_is_the_normal_approximation():
    D = np.tile([0.1, 0.2, -0.1, 0.3, 0.2, 0.1, 0.4], 2)[:, None]
    expected = stats.wilcoxon(
        D[:, 0], zero_method="wilcox", correction=False, method="approx"
    ).pvalue
    assert wilcoxon(D).p_value == pytest.approx([expected])


def test_blocks_of_pairs_do_not_change_exact_wilcoxon(monkeypatch):
    D = np.random.default_rng(6).integers(-2, 4, size=(9, 40)) / 10
    whole = wilcoxon(D).p_value
    monkeypatch.setattr(paired_tests, "PATTERNS", 1)
    assert wilcoxon(D).p_value.tolist() == whole.tolist()


def test_wilcoxons_ranks_do_not_depend_on_the_unit_where_queries_are_dropped():
    D = np.array([[0.0], [1.0], [2.0], [-3.0], [4.0], [np.nan]])
    whole, tiny = wilcoxon(D), wilcoxon(D * 2.0**-50)
    assert (whole.statistic.tolist(), tiny.statistic.tolist()) == (
        [3.0],
        [3.0],
    )  # of ranks 1, 2, 3, 4 the third
    assert (
        tiny.p_value.tolist() == whole.p_value.tolist() == [0.625]
    )  # 5 of 16 ways reach at most 3, twice
    assert tiny.effect_size.tolist() == whole.effect_size.tolist()


def test_effect_and_statistic_of_the_bootstrap_are_those_of_the_t_test():
    D = np.random.default_rng(4).normal(0.1, 1.0, (12, 3))
    found, expected = bootstrap(D, draws=50), student(D)
    np.testing.assert_array_equal(found.effect_size, expected.effect_size)
    np.testing.assert_array_equal(found.statistic, expected.statistic)
    np.testing.assert_allclose(found.statistic, found.effect_size * np.sqrt(12), rtol=1e-12)


@pytest.mark.parametrize("gap", [False, True])
def test_a_pair_that_always_differs_by_the_same_has_no_deviation_whatever_the_others_do(gap):
    rng = np.random.default_rng(1)
    D = np.column_stack([rng.normal(-5, 1, 7), np.full(7, 0.1), rng.normal(5, 1, 7)])
    if gap:
        D[3, 1] = np.nan
    n, mean, sd = describe(D)
    assert (n[1], mean[1], sd[1]) == (7 - gap, 0.1, 0.0)
    assert (sd[[0, 2]] > 0).all()
    for column in range(3):
        alone = describe(D[:, [column]])
        assert [one[column] for one in (n, mean, sd)] == [one[0] for one in alone]


def test_wilcoxon_is_exact_up_to_50_differences_and_approximate_from_51_on():
    for queries, method in ((50, "exact"), (51, "approx")):
        D = continuous(queries, 3, seed=4)
        expected = [stats.wilcoxon(d, correction=False, method=method).pvalue for d in D.T]
        assert wilcoxon(D).p_value == pytest.approx(expected, rel=1e-9)


WHOLE = np.array([[0, 3, 2, 1], [0, 3, -5, 1], [3, 3, 1, 1], [1, 3, 1, -1], [-2, 3, 4, -1]])
HOLES = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]], dtype=bool)


def t_squared(values):
    """Return t squared of whole numbers without rounding: 0 over 0 is 0, else over 0 infinite."""
    n, total = len(values), sum(values)
    spread = n * sum(v * v for v in values) - total**2
    return Fraction(total**2 * (n - 1), spread) if spread else np.inf if total else 0


@pytest.mark.parametrize("unit", [1.0, 0.1, 1e-7])
@pytest.mark.parametrize("few", [False, True])
def test_the_bootstrap_in_any_unit_is_that_of_whole_numbers_without_rounding(unit, few):
    # of few queries some draws are one of them throughout, and some are as far out as what was seen
    whole, holes = (WHOLE[2:], HOLES[:3] & False) if few else (WHOLE, HOLES)
    whole = np.where(np.arange(4) == 3, [[0], [0], [3]], whole) if few else whole
    D, draws = np.where(holes, np.nan, whole), 100
    found = bootstrap(D * unit, draws=draws, seed=2, confidence=0.9)
    for pair in range(4):
        own = whole[~holes[:, pair], pair].tolist()
        n = len(own)
        centered = [n * v - sum(own) for v in own]
        rows = [
            row
            for size, child in chunks(draws, 2)
            for row in np.random.default_rng(child).integers(0, n, size=(size, n))
        ]
        drawn = [t_squared([centered[k] for k in row]) for row in rows]
        reached = sum(one >= t_squared(own) for one in drawn)
        assert found.p_value[pair] == pytest.approx((1 + reached) / (1 + draws), rel=1e-15)
        error = np.std(own, ddof=1) / np.sqrt(n)
        half = np.sqrt(float(sorted(drawn)[89])) * error if error else 0.0
        ends = [(np.mean(own) - half) * unit, (np.mean(own) + half) * unit]
        assert [found.ci_low[pair], found.ci_high[pair]] == pytest.approx(
            ends, rel=1e-9, abs=1e-12 * unit
        )


@pytest.mark.parametrize("unit", [1.0, 0.1, 1e-7])
def test_the_randomization_in_any_unit_is_that_of_whole_numbers_without_rounding(unit):
    draws, whole = 100, np.where(HOLES, 0, WHOLE)
    swaps = [
        2 * np.random.default_rng(child).integers(0, 2, size=(size, 5), dtype=np.int8).astype(int)
        - 1
        for size, child in chunks(draws, 2)
    ]
    reached = (np.abs(np.concatenate(swaps) @ whole) >= np.abs(whole.sum(axis=0))).sum(axis=0)
    found = randomization(
        np.where(HOLES, np.nan, WHOLE) * unit, draws=draws, seed=2, confidence=0.8
    )
    assert found.p_value == pytest.approx((1 + reached) / (1 + draws), rel=1e-15)
    plain = student(np.where(HOLES, np.nan, WHOLE) * unit, confidence=0.8)
    for name in ("n", "effect_size"):
        assert getattr(found, name).tolist() == getattr(plain, name).tolist()
    assert found.statistic.tolist() == found.mean.tolist() == plain.mean.tolist()
    exact = randomization(np.where(HOLES, np.nan, WHOLE), draws=draws, seed=2, confidence=0.8)
    for name in ("ci_low", "ci_high"):
        expected = getattr(exact, name) * unit
        np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-9, atol=1e-12 * unit)


@pytest.mark.parametrize(
    ("test", "said"), [(randomization, "randomization test"), (bootstrap, "bootstrap test")]
)
def test_a_bar_says_what_it_is_of(test, said, capsys):
    test(continuous(4, 2), draws=5, progress=True)
    assert said in capsys.readouterr().err
