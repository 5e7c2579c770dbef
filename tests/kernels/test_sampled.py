"""Estimates from ranks among sampled candidates: against ranks among all items that are known."""

import numpy as np
import pytest

from pdeval.kernels.sampled import corrected_for_sampling

N, NEGATIVES = 500, 50
RANK = np.arange(1, N + 1)
MEASURES = {"R@10": (RANK <= 10) * 1.0, "nDCG@10": np.where(RANK <= 10, 1 / np.log2(RANK + 1), 0.0)}


def sampled(rank, rng):
    """The ranks among candidates drawn with replacement."""
    return rng.binomial(NEGATIVES, (rank - 1) / (N - 1))


@pytest.mark.parametrize("name", MEASURES)
def test_the_correction_is_nearer_to_the_measure_of_all_items_than_sampled_ranks_are(name):
    rng = np.random.default_rng(0)
    of_rank = MEASURES[name]
    rank = np.minimum(rng.geometric(0.02, size=20_000), N)
    true = of_rank[rank - 1].mean()
    at = sampled(rank, rng)
    plain = of_rank[at].mean()  # as if the candidates were all items
    better = corrected_for_sampling(of_rank, NEGATIVES, gamma=0.01)[at].mean()
    assert plain > 1.8 * true  # sampled ranks flatter
    assert abs(better - true) < 0.2 * abs(plain - true)


def test_with_no_weight_of_variance_the_bias_is_least():
    from scipy import stats

    of_rank = MEASURES["R@10"]
    likely = stats.binom.pmf(np.arange(NEGATIVES + 1), NEGATIVES, (RANK[:, None] - 1) / (N - 1))

    def bias(gamma):
        return np.square(likely @ corrected_for_sampling(of_rank, NEGATIVES, gamma=gamma) - of_rank).sum()

    assert bias(0.001) < bias(0.1) < bias(1.0)


def test_the_unbiased_rank_is_the_rank_itself_where_all_items_are_candidates():
    assert corrected_for_sampling(1.0 / np.arange(1, 6), 4, estimator="unbiased rank").tolist() == [
        1,
        1 / 2,
        1 / 3,
        1 / 4,
        1 / 5,
    ]
    with pytest.raises(ValueError, match="negatives=0"):
        corrected_for_sampling(np.ones(3), 0)
