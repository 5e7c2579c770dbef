"""Leaving out one run after the other: many systems at once, each as if it was alone."""

import numpy as np
import pytest

from pdeval.orderings.elimination import leave_out, stationary


@pytest.mark.parametrize("runs", [2, 3, 4, 7])
def test_many_systems_are_solved_as_each_alone(runs):
    weight = np.random.default_rng(runs).random((5, runs, runs))
    weight[:, np.arange(runs), np.arange(runs)] = 0.0
    below = np.tril_indices(runs, k=-1)
    above = np.triu_indices(runs, k=1)
    for one, found in zip(weight, leave_out(weight)):
        alone = leave_out(one)
        np.testing.assert_allclose(found[below], alone[below], rtol=1e-12)
        np.testing.assert_allclose(found[above], alone[above], rtol=1e-12)
    np.testing.assert_allclose(stationary(weight), [stationary(one) for one in weight], rtol=1e-12)
