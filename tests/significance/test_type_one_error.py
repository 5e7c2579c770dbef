"""On data without any difference, each test finds one in about alpha of the cases."""

import numpy as np
import pytest
from scipy import stats

from pdeval.evaluate.cube import all_pairs
from pdeval.significance.hsd import randomized, tukey
from pdeval.significance.paired_tests import (
    bootstrap,
    randomization,
    rank_sum_distribution,
    sign,
    student,
    wilcoxon,
)

ALPHA, TABLES = 0.05, 3000


def within_binomial_limits(found, cases, level):
    """Whether so many of the cases are what a level gives, in 99.9% of experiments."""
    low, high = stats.binom.interval(0.999, cases, level)
    return low <= found <= high


def sign_level(queries):
    """The largest level at or below alpha that a discrete sign test can have."""
    wins = np.arange(queries + 1)
    p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(wins, queries - wins), queries, 0.5))
    return stats.binom.pmf(wins, queries, 0.5)[p < ALPHA].sum()


def rank_level(queries):
    below = rank_sum_distribution(queries)
    return 2 * below[2 * below < ALPHA].max()


@pytest.mark.large
@pytest.mark.slow
@pytest.mark.parametrize("queries", [12, 40])
@pytest.mark.parametrize("shape", ["normal", "uniform", "tied_fraction"])
@pytest.mark.parametrize("test", [student, wilcoxon, sign, randomization, bootstrap])
def test_pairwise_tests_err_as_often_as_they_say(test, shape, queries):
    random = np.random.default_rng(queries)
    size = (2, queries, TABLES)
    values = {
        "normal": lambda: random.normal(size=size),
        "uniform": lambda: random.random(size),
        "tied_fraction": lambda: random.integers(0, 11, size) / 10,
    }[shape]()
    options = {"draws": 999} if test in (randomization, bootstrap) else {}
    # independent columns, so that the cases are independent
    found = int((test(values[0] - values[1], **options).p_value < ALPHA).sum())
    level = ALPHA
    if shape != "tied_fraction" and test in (sign, wilcoxon):
        level = sign_level(queries) if test is sign else rank_level(queries)
    if shape == "tied_fraction" and test is sign:
        # the number of ties, and with it the level, differs from pair to pair
        assert found <= stats.binom.ppf(0.999, TABLES, ALPHA)
    else:
        assert within_binomial_limits(found, TABLES, level), found / TABLES


def null_tables(kind, count, queries, runs):
    """Scores of equal runs, or preferences without any order behind them."""
    random = np.random.default_rng(1)
    for _ in range(count):
        if kind == "preferences":
            noise = random.normal(size=(queries, runs, runs))
            yield noise - noise.transpose(0, 2, 1)
        else:
            yield random.normal(size=(queries, 1)) + random.normal(size=(queries, runs))


@pytest.mark.large
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tukey", "scores", "preferences"])
def test_hsd_finds_any_difference_at_all_in_alpha_of_the_tables(kind):
    a, b = all_pairs(6)
    found, count = 0, 600
    for number, values in enumerate(null_tables(kind, count, 15, 6)):
        if kind == "tukey":
            p = tukey(values, a, b).p_value
        else:
            p = randomized(values, a, b, draws=319, seed=number).p_value
        found += p.min() < ALPHA
    # with 319 draws p < 0.05 means at most 15 / 320
    level = ALPHA if kind == "tukey" else 15 / 320
    assert within_binomial_limits(found, count, level), found / count
