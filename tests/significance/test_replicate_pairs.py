"""Comparisons of ways of training: each pair by the variances of its own two systems."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pdeval.significance.replicates import compare_training
from tests.significance.test_replicated import cube
from tests.significance.test_variance_components import simulated


@pytest.mark.parametrize("missing", [False, True])
def test_the_result_of_a_pair_does_not_depend_on_other_systems(missing):
    values, _ = simulated([3, 4, 2, 3], 12, 8)
    values[:, 7:9] += np.random.default_rng(0).normal(0, 3, (12, 2))
    if missing:
        values[:4, 11] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        table = compare_training(cube(values, [3, 4, 2, 3]), None, correction=None)
        alone = compare_training(cube(values[:, :7], [3, 4]), None, correction=None)
    pair = (table["model_a"] == "m0") & (table["model_b"] == "m1")
    pd.testing.assert_frame_equal(
        table[pair].reset_index(drop=True), alone, check_exact=True, check_categorical=False
    )


@pytest.mark.parametrize("replicate", [0.0, 0.01, 0.06])
@pytest.mark.parametrize("seed", range(5))
def test_an_interval_is_never_narrower_than_that_of_these_trained_models(seed, replicate):
    values, _ = simulated([2, 3, 5], 9, seed, replicate)
    table = cube(values, [2, 3, 5]).frame().assign(measure="AP")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        these = table.ireval.compare(replicate="seed", correction="none")
        training = table.ireval.replicates.compare(correction="none")
    rounding = 1e-15
    assert (training["ci_low"] <= these["ci_low"] + rounding).all()
    assert (training["ci_high"] >= these["ci_high"] - rounding).all()
    assert (training["p_value"] >= these["p_value"] - rounding).all()
    np.testing.assert_array_equal(training["effect_size"], these["effect_size"])


def test_a_pair_without_any_replicates_has_no_p_value():
    values, _ = simulated([1, 1, 3], 9, 1)
    with pytest.warns(UserWarning, match="'m0' and 1 more have one replicate"):
        found = compare_training(cube(values, [1, 1, 3]), None, correction="bonferroni")
    assert found["p_value"].isna().tolist() == [True, False, False]
    assert not found["significant"].iloc[0]
    assert found["p_adjusted"].iloc[1] == pytest.approx(
        min(1, 2 * found["p_value"].iloc[1])
    )  # two were tested
