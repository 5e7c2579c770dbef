"""Off-policy estimates: which are unbiased, and whose intervals cover, near the logging policy and far from it."""

import pytest

from tests.statistics.off_policy import cells

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def simulated():
    # the table in the documentation is of seed 0
    return {(one.estimator, one.world, one.covered.n): one for one in cells(cases=3000, seed=7)}


def test_weighted_estimates_have_no_bias(simulated):
    for (estimator, _, _), one in simulated.items():
        if estimator in ("IPS", "DR"):
            assert abs(one.bias) < 4 * one.noise, one


def test_the_bias_of_self_normalization_vanishes_with_the_number_of_rounds(simulated):
    for world in ("near", "far"):
        one = simulated["SNIPS", world, 1000]
        assert abs(one.bias) < 4 * one.noise, one


def test_clipping_and_wrong_reward_tables_have_a_bias(simulated):
    assert simulated["ClippedIPS", "far", 1000].bias < -0.02
    assert simulated["DM", "near", 1000].bias == pytest.approx(0.1, abs=0.002)


def test_intervals_cover_near_the_logging_policy(simulated):
    for estimator in ("IPS", "SNIPS", "DR"):
        for n in (200, 1000):
            assert simulated[estimator, "near", n].covered.verdict == "exact"


def test_doubly_robust_intervals_cover_far_from_it_too_and_weights_alone_do_not(simulated):
    for n in (200, 1000):
        assert simulated["DR", "far", n].covered.verdict == "exact"
        assert simulated["IPS", "far", n].covered.limits[1] < 0.95
