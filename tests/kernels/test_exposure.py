"""How exposure spreads over a catalog: many runs at once, against plain loops over the items of one."""

import math

import numpy as np
import pytest

from pdeval.kernels.beyond_accuracy import Coverage, Entropy, Gini, TailShare, UserCoverage

RNG = np.random.default_rng(1)
EXPOSURE = RNG.integers(0, 6, (13, 4)) * 1.0
EXPOSURE[:, 3] = 0.0  # a run that shows nothing
POPULARITY = RNG.random(13).round(1)


def alone(kernel, **own):
    return [float(kernel(EXPOSURE[:, at], **own)) for at in range(4)]


@pytest.mark.parametrize("least", [1, 3])
def test_coverage_counts_items_shown_often_enough(least):
    wanted = [sum(one >= least for one in EXPOSURE[:, at]) / 13 for at in range(4)]
    assert Coverage(EXPOSURE, least=least).tolist() == pytest.approx(wanted)
    assert alone(Coverage, least=least) == pytest.approx(wanted)


def test_the_users_covered_have_at_least_so_many_items_or_all_that_the_cutoff_leaves():
    lengths = np.array([[2.0, 0, 0], [1, 5, 0], [3, 0, 0], [4, 5, 0]])
    assert UserCoverage(lengths).tolist() == pytest.approx([0.8, 1.0, 0.0])
    assert UserCoverage(lengths, least=3).tolist() == pytest.approx([0.4, 0.5, 0.0])
    # no list goes beyond rank 2: two items are all there can be
    assert UserCoverage(lengths[:3], k=2, least=3).tolist() == pytest.approx([0.5, 0.0, 0.0])


def test_gini_is_half_the_mean_difference_over_the_mean():
    wanted = []
    for at in range(4):
        x = EXPOSURE[:, at]
        apart = sum(abs(a - b) for a in x for b in x) / 13**2
        wanted.append(apart / (2 * x.mean()) if x.any() else 0.0)
    assert Gini(EXPOSURE).tolist() == pytest.approx(wanted)
    assert alone(Gini) == pytest.approx(wanted)
    assert Gini(EXPOSURE.reshape(13, 2, 2)).ravel().tolist() == pytest.approx(wanted)


@pytest.mark.parametrize("normalized", [False, True])
def test_entropy_is_in_bits_or_a_share_of_the_most_there_can_be(normalized):
    wanted = []
    for at in range(4):
        shares = [one / EXPOSURE[:, at].sum() for one in EXPOSURE[:, at] if one]
        wanted.append(
            -sum(one * math.log2(one) for one in shares) / (math.log2(13) if normalized else 1.0)
        )
    assert Entropy(EXPOSURE, normalized=normalized).tolist() == pytest.approx(wanted)
    assert alone(Entropy, normalized=normalized) == pytest.approx(wanted)
    assert math.copysign(1, float(Entropy(np.array([4.0, 0.0])))) == 1
    assert float(Entropy(np.array([4.0]), normalized=True)) == 0.0


@pytest.mark.parametrize("head", [0.2, 0.5, 0.0])
def test_the_tail_is_what_is_left_of_the_catalog_by_popularity(head):
    by = sorted(range(13), key=lambda one: (-POPULARITY[one], one))
    tail = by[math.ceil(head * 13) :]
    sums = [(sum(EXPOSURE[one, at] for one in tail), EXPOSURE[:, at].sum()) for at in range(4)]
    wanted = [part / whole if whole else 0.0 for part, whole in sums]
    assert TailShare(EXPOSURE, POPULARITY[:, None], head=head).tolist() == pytest.approx(wanted)
    assert TailShare(EXPOSURE, POPULARITY, head=head).tolist() == pytest.approx(wanted)


def test_one_item_shown_to_one_user_or_half_looked_at_is_enough():
    for seen in (1.0, 0.5):
        exposure = np.array([[seen, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
        assert Gini(exposure).tolist() == [0.75, 0.0]
        assert Entropy(exposure).tolist() == [0.0, 0.0]
        assert TailShare(exposure, np.array([0.1, 0.2, 0.3, 0.4]), head=0.25).tolist() == [1.0, 0.0]
    assert (
        Entropy(np.array([0.25, 0.25])) == Entropy(np.array([0.25, 0.25]), normalized=True) == 1.0
    )
    assert UserCoverage(np.array([[0.0, 1.0], [1.0, 0.0]])).tolist() == [1.0, 0.0]


def test_of_items_that_are_equally_popular_the_first_are_the_head():
    exposure, equal = np.arange(40.0), np.full(40, 0.5)
    assert TailShare(exposure, equal, head=0.5) == pytest.approx(
        sum(range(20, 40)) / sum(range(40))
    )
    assert TailShare(exposure, equal[:, None], head=1.0) == 0.0


def test_runs_and_resamples_side_by_side_are_those_of_each_alone():
    fold = EXPOSURE.reshape(13, 2, 2)
    for kernel in (Coverage, Gini, Entropy, lambda one: TailShare(one, POPULARITY)):
        assert kernel(fold).shape == (2, 2)
        assert kernel(fold).ravel().tolist() == pytest.approx(kernel(EXPOSURE).tolist())
