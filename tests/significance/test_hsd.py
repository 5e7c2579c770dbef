"""Tukey's HSD: the textbook formula, naive loops over the same permutations, scores against preferences."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pdeval.evaluate.cube import all_pairs
from pdeval.evaluate.seeds import chunks
from pdeval.significance import hsd
from pdeval.significance.hsd import (
    orders,
    permuted_maxima,
    randomized,
    residual_mean_square,
    tukey,
)
from tests.examples import examples

# a randomized block design: 6 blocks (queries) and 4 treatments (runs)
X = np.array(
    [
        [0.31, 0.42, 0.38, 0.55],
        [0.10, 0.25, 0.18, 0.22],
        [0.63, 0.60, 0.71, 0.80],
        [0.44, 0.52, 0.41, 0.61],
        [0.05, 0.12, 0.09, 0.30],
        [0.27, 0.33, 0.36, 0.49],
    ]
)


def scores(queries, runs, seed=0):
    random = np.random.default_rng(seed)
    return (
        random.normal(size=(queries, 1))
        + random.normal(size=(queries, runs))
        + 0.3 * np.arange(runs)
    )


def differences(scores):
    return scores[:, :, None] - scores[:, None, :]


def test_the_effect_size_is_the_mean_difference_in_its_standard_deviations():
    X = np.array([[0.2, 0.3, 0.9], [0.1, 0.3, 0.7], [0.3, 0.2, 0.8], [0.2, 0.4, 0.6]])
    D = X[:, [0]] - X[:, [1, 2]]
    found = tukey(X, np.array([0, 0]), np.array([1, 2])).effect_size
    assert found == pytest.approx(D.mean(axis=0) / D.std(axis=0, ddof=1), rel=1e-12)


@pytest.mark.broad
def test_analytic_hsd_is_the_textbook_formula():
    a, b = all_pairs(4)
    residual = X - X.mean(axis=1, keepdims=True) - X.mean(axis=0) + X.mean()
    mse = (residual**2).sum() / (5 * 3)
    q = np.abs(X.mean(axis=0)[a] - X.mean(axis=0)[b]) / np.sqrt(mse / 6)
    outcome = tukey(X, a, b, confidence=0.9)
    half = stats.studentized_range.isf(0.1, 4, 15) * np.sqrt(mse / 6)
    assert outcome.statistic == pytest.approx(q, rel=1e-12)
    assert outcome.p_value == pytest.approx(stats.studentized_range.sf(q, 4, 15), abs=1e-8)
    assert outcome.ci_high - outcome.mean == pytest.approx(np.full(6, half), rel=1e-8)


def test_the_residual_is_that_of_statsmodels():
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    query, run = np.indices(X.shape)
    frame = pd.DataFrame({"query": query.ravel(), "run": run.ravel(), "value": X.ravel()})
    table = anova_lm(ols("value ~ C(run) + C(query)", frame).fit())
    assert residual_mean_square(X) == pytest.approx(table.loc["Residual", "mean_sq"], rel=1e-10)


@pytest.mark.broad
def test_with_query_means_removed_it_is_scipys_one_way_test_but_for_the_degrees_of_freedom():
    # one-way on the centered table has the same residual sum over 20 instead of 15 degrees of freedom
    a, b = all_pairs(4)
    centered = X - X.mean(axis=1, keepdims=True)
    one_way = stats.tukey_hsd(*centered.T)
    q = tukey(X, a, b).statistic * np.sqrt(20 / 15)
    assert stats.studentized_range.sf(q, 4, 20) == pytest.approx(one_way.pvalue[a, b], abs=1e-8)


def test_two_runs_give_the_paired_t_test():
    outcome = tukey(X[:, :2], np.array([0]), np.array([1]))
    expected = stats.ttest_rel(X[:, 0], X[:, 1])
    assert outcome.p_value[0] == pytest.approx(expected.pvalue, abs=1e-10)
    interval = expected.confidence_interval(0.95)
    assert (outcome.ci_low[0], outcome.ci_high[0]) == pytest.approx(
        (interval.low, interval.high), rel=1e-8
    )


def test_runs_that_never_differ_have_p_one():
    equal = np.repeat(X[:, :1], 3, axis=1)
    a, b = all_pairs(3)
    assert tukey(equal, a, b).p_value.tolist() == [1.0, 1.0, 1.0]
    assert randomized(equal, a, b, draws=50).p_value.tolist() == [1.0, 1.0, 1.0]
    assert randomized(differences(equal), a, b, draws=50).p_value.tolist() == [1.0, 1.0, 1.0]


def test_a_difference_without_any_residual_has_p_zero():
    shifted = np.repeat(np.arange(4.0)[:, None], 3, axis=1) + np.array([0.0, 0.0, 1.0])
    a, b = all_pairs(3)
    assert tukey(shifted, a, b).p_value.tolist() == [1.0, 0.0, 0.0]


def naive_maxima(values, draws, seed):
    """The definition, one draw and one query at a time."""
    queries, runs = values.shape[:2]
    largest = []
    for size, child in chunks(draws, seed):
        key = np.random.default_rng(child).integers(
            0, 2**32, size=(size, queries, runs), dtype=np.uint32
        )
        for permuted in np.argsort(
            key >> np.uint32(max(runs - 1, 1).bit_length()), axis=-1, kind="stable"
        ):
            total = np.zeros((runs, runs))
            for order, row in zip(permuted, values, strict=True):
                if values.ndim == 2:
                    total += row[order][:, None] - row[order][None, :]
                else:
                    total += row[order][:, order]
            largest.append(np.abs(total).max() / queries)
    return np.array(largest)


def test_randomized_hsd_equals_a_naive_loop_over_the_same_permutations():
    values = scores(7, 5)
    expected = naive_maxima(values, 150, seed=4)
    assert permuted_maxima(values, draws=150, seed=4) == pytest.approx(expected, rel=1e-12)
    observed = np.abs(values.mean(axis=0)[0] - values.mean(axis=0)[4])
    p = randomized(values, np.array([0]), np.array([4]), draws=150, seed=4).p_value[0]
    assert p == pytest.approx((1 + (expected >= observed).sum()) / 151, rel=1e-15)


@pytest.mark.parametrize("runs", [2, 3, 12, 25])
def test_preference_hsd_equals_a_naive_loop_over_the_same_permutations(runs):
    values = np.sign(differences(scores(6, runs)))
    expected = naive_maxima(values, 70, seed=4)
    assert permuted_maxima(values, draws=70, seed=4) == pytest.approx(expected, rel=1e-12)


@given(
    queries=st.integers(2, 12),
    runs=st.integers(2, 13),
    seed=st.integers(0, 99),
    digits=st.sampled_from([1, 2, 17]),
)
@examples(30)
def test_preferences_that_are_score_differences_give_exactly_the_p_values_of_the_scores(
    queries, runs, seed, digits
):
    # few digits: many draws tie with the observed value on paper, and differ from it by rounding
    values = np.round(scores(queries, runs, seed), digits)
    a, b = all_pairs(runs)
    metric = randomized(values, a, b, draws=130, seed=seed)
    preference = randomized(differences(values), a, b, draws=130, seed=seed)
    assert metric.p_value.tolist() == preference.p_value.tolist()
    assert metric.ci_low == pytest.approx(preference.ci_low, abs=1e-12)


def test_draws_that_tie_with_the_observed_value_count():
    # two queries, two runs, all differences 0.1 on paper: every draw gives 0.1 or 0
    values = np.array([[0.1, 0.2], [0.7, 0.8]])
    assert values[0, 1] - values[0, 0] != values[1, 1] - values[1, 0]
    largest = naive_maxima(values, 500, seed=0)
    p = randomized(values, np.array([0]), np.array([1]), draws=500, seed=0).p_value[0]
    assert p == (1 + (largest > 0.05).sum()) / 501


@pytest.mark.broad
@pytest.mark.parametrize("copies", [1, 7, 64])
def test_block_size_and_threads_never_change_the_answer(copies):
    values = np.sign(differences(scores(9, 14)))
    expected = permuted_maxima(values, draws=200, seed=1)
    for threads in (1, 3):
        got = permuted_maxima(values, draws=200, seed=1, copies=copies, threads=threads)
        assert got.tolist() == expected.tolist()
    expected = permuted_maxima(values[:, :, 0], draws=200, seed=1)
    for threads in (1, 3):
        got = permuted_maxima(values[:, :, 0], draws=200, seed=1, copies=copies, threads=threads)
        assert got.tolist() == expected.tolist()


@pytest.mark.parametrize("runs", [2, 3, 24])
def test_every_run_is_as_likely_in_every_place_and_beside_every_other(runs):
    drawn = np.concatenate(list(orders((40, runs), 1000, 64, np.random.SeedSequence(3)))).reshape(
        -1, runs
    )
    assert (np.sort(drawn, axis=1) == np.arange(runs)).all()
    place = np.stack([np.bincount(drawn[:, at], minlength=runs) for at in range(runs)]) / len(drawn)
    assert np.abs(place - 1 / runs).max() < 5 * np.sqrt(1 / runs / len(drawn))
    follows = np.bincount(drawn[:, 0].astype(int) * runs + drawn[:, 1], minlength=runs**2).reshape(
        runs, runs
    )
    pairs = runs * (runs - 1)
    assert np.abs(follows[~np.eye(runs, dtype=bool)] / len(drawn) - 1 / pairs).max() < 5 * np.sqrt(
        1 / pairs / len(drawn)
    )


@pytest.mark.parametrize(("runs", "bits"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4)])
def test_keys_give_up_no_more_bits_than_the_number_of_a_run_takes(monkeypatch, runs, bits):
    falling = np.arange(runs, dtype=np.uint32)[::-1] << np.uint32(
        bits
    )  # they differ just above the run's bits

    class Falling:
        def integers(self, low, high, *, size, dtype, endpoint):
            assert (low, high, endpoint) == (
                0,
                np.iinfo(dtype).max,
                True,
            )  # every key that the type has
            return np.broadcast_to(falling, size).astype(dtype)

    monkeypatch.setattr(np.random, "default_rng", lambda seed: Falling())
    [found] = orders((1, runs), 2, 5, np.random.SeedSequence(0))
    assert found.tolist() == [[list(range(runs))[::-1]]] * 2
    falling = (
        np.arange(runs, dtype=np.uint32)[::-1] % 2**bits
    )  # and here in the run's own bits alone
    [found] = orders((1, runs), 1, 5, np.random.SeedSequence(0))
    assert found.tolist() == [[list(range(runs))]]


def test_permuting_the_runs_of_the_table_keeps_every_p_value_close():
    values = scores(20, 6)
    a, b = all_pairs(6)
    order = np.array([3, 1, 5, 0, 2, 4])
    place = np.argsort(order)
    one = randomized(values, a, b, draws=4000).p_value
    other = randomized(values[:, order], place[a], place[b], draws=4000).p_value
    assert np.abs(one - other).max() < 0.05


def test_randomized_and_analytic_hsd_agree_where_the_assumptions_hold():
    random = np.random.default_rng(11)
    values = random.normal(size=(60, 1)) + random.normal(size=(60, 8)) + 0.12 * np.arange(8)
    a, b = all_pairs(8)
    difference = randomized(values, a, b, draws=4000).p_value - tukey(values, a, b).p_value
    # the randomization pools the runs' differences into its variance: a little larger p, never much
    assert np.abs(difference).max() < 0.06


def test_the_interval_excludes_zero_where_the_test_is_significant():
    values = scores(15, 6)
    a, b = all_pairs(6)
    for outcome in (tukey(values, a, b), randomized(values, a, b, draws=999)):
        excluded = (outcome.ci_low > 0) | (outcome.ci_high < 0)
        assert 0 < excluded.sum() < len(a)
        assert excluded.tolist() == (outcome.p_value < 0.05).tolist()


@pytest.mark.parametrize("of", ["scores", "preferences"])
def test_every_number_of_the_randomized_test_is_that_of_the_drawn_maxima(of):
    values = (
        scores(9, 4, seed=5) if of == "scores" else np.sign(differences(scores(9, 4, seed=5))) * 3.0
    )
    a, b = np.array([0, 3, 1]), np.array([2, 0, 3])
    outcome = randomized(values, a, b, confidence=0.7, draws=90, seed=2)
    drawn = naive_maxima(values, 90, seed=2)
    D = values[:, a] - values[:, b] if of == "scores" else values[:, a, b]
    mean, half = (
        D.mean(axis=0),
        np.sort(drawn)[63],
    )  # 27 of 90 reach the 64th: p = 28 / 91 is the smallest that is not below 0.3
    np.testing.assert_allclose(outcome.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(outcome.ci_low, mean - half, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(outcome.ci_high, mean + half, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(outcome.effect_size, mean / D.std(axis=0, ddof=1), rtol=1e-12)
    assert outcome.statistic.tolist() == np.abs(outcome.mean).tolist()
    assert outcome.n.tolist() == [9, 9, 9]
    reached = [(1 + (drawn >= one - 1e-9).sum()) / 91 for one in np.abs(mean)]
    np.testing.assert_allclose(outcome.p_value, reached, rtol=1e-12)


def test_analytic_hsd_describes_each_pair_too():
    a, b = np.array([3, 1]), np.array([0, 2])
    outcome = tukey(X, a, b, confidence=0.8)
    D = X[:, a] - X[:, b]
    np.testing.assert_allclose(outcome.mean, D.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(
        outcome.effect_size, D.mean(axis=0) / D.std(axis=0, ddof=1), rtol=1e-12
    )
    np.testing.assert_allclose(
        outcome.mean - outcome.ci_low, outcome.ci_high - outcome.mean, rtol=1e-12
    )
    assert (outcome.ci_low < outcome.mean).all()
    assert outcome.n.tolist() == [6, 6]


@pytest.mark.parametrize("block", [1, 20])
def test_pairs_are_described_however_many_at_a_time(monkeypatch, block):
    monkeypatch.setattr(hsd, "BLOCK", block)
    values = scores(9, 5, seed=8)
    a, b = all_pairs(5)
    for given_values in (values, differences(values)):
        n, mean, sd = hsd.described_pairs(given_values, a, b)
        D = values[:, a] - values[:, b]
        assert n.tolist() == [9] * 10
        np.testing.assert_allclose(mean, D.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(sd, D.std(axis=0, ddof=1), rtol=1e-12)


@pytest.mark.parametrize(("runs", "kind"), [(4096, np.uint32), (4097, np.uint64)])
def test_more_runs_than_4096_take_longer_keys(runs, kind):
    [found] = orders((2, runs), 1, 3, np.random.SeedSequence(1))
    assert found.dtype == kind
    assert (np.sort(found, axis=-1) == np.arange(runs)).all()
    assert (found[0, 0] != found[0, 1]).any()


def test_orders_come_in_blocks_of_which_the_last_may_be_shorter():
    whole = np.concatenate(list(orders((3, 5), 7, 7, np.random.SeedSequence(4))))
    parts = list(orders((3, 5), 7, 3, np.random.SeedSequence(4)))
    assert [len(part) for part in parts] == [3, 3, 1]
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert whole.shape == (7, 3, 5)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_a_residual_is_none_where_it_is_rounding_for_the_size_of_the_differences(size):
    additive = size * (np.arange(4.0)[:, None] / 3 + np.array([0.0, 0.1, 0.7]))
    assert residual_mean_square(additive) == 0.0
    bent = additive.copy()
    bent[1, 1] += 1e-9 * size
    # one cell of 4 x 3 off by d leaves d^2 (1 - 1/4) (1 - 1/3) over 3 * 2 degrees of freedom
    assert residual_mean_square(bent) == pytest.approx((1e-9 * size) ** 2 * 0.5 / 6, rel=1e-4)


def test_queries_that_are_far_apart_hide_no_residual():
    far = 1e6 * np.arange(4.0)[:, None] + np.array([0.0, 0.25, 0.5])
    far[1, 1] += 2.0**-17
    assert residual_mean_square(far) == pytest.approx(2.0**-34 * 0.5 / 6, rel=1e-3)


def test_draws_count_that_fall_short_by_rounding_of_the_mean_of_the_largest_preferences(
    monkeypatch,
):
    # the largest preference of the first query is 5, of the second 1: 3 on average, and rounding is 3e-12
    values = np.array([[0.0, 5.0], [0.0, 1.0]])
    for short, p in ((2.5e-12, 1.0), (3.5e-12, 1 / 5)):
        maxima = np.full(4, 3.0 - short)
        monkeypatch.setattr(hsd, "permuted_maxima", lambda *_, maxima=maxima, **__: maxima)
        for given_values in (values, differences(values)):
            assert randomized(
                given_values, np.array([0]), np.array([1]), draws=4
            ).p_value.tolist() == [p]
