"""Measures of what a list holds, by the features of its items, against plain loops and scipy's distances."""

import math

import numpy as np
import pytest
from scipy.spatial import distance as scipys

from pdeval.kernels.beyond_accuracy import (
    DISTANCES,
    ILD,
    Calibration,
    Serendipity,
    Unexpectedness,
    units,
)

RNG = np.random.default_rng(0)
FEATURES = np.concatenate([RNG.integers(0, 2, (11, 5)) * 1.0, np.zeros((1, 5))])
FEATURES[10] = 0.0  # an item without features; the last row is of places without an item
LISTS = np.stack([RNG.permutation(11)[:6] for _ in range(8)], axis=1)
LISTS[3:, 1] = LISTS[1:, 2] = LISTS[:, 3] = -1


def cosine(x, y):
    both = math.sqrt((x @ x) * (y @ y))
    return 1.0 - (x @ y / both if both else 0.0)


OTHERS = {
    "cosine": cosine,
    "jaccard": lambda x, y: scipys.jaccard(x > 0, y > 0) if (x > 0).any() or (y > 0).any() else 1.0,
    "hamming": lambda x, y: scipys.hamming(x, y) * len(x),
    "euclidean": scipys.euclidean,
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("k", [np.inf, 4, 1])
def test_the_distance_of_a_list_is_the_mean_of_that_of_its_pairs(name, k):
    found = ILD(LISTS, FEATURES, k=k, distance=name)
    assert found.dtype == np.float64
    for at in range(8):
        items = [one for one in LISTS[: int(min(k, 6)), at] if one >= 0]
        pairs = [
            OTHERS[name](FEATURES[x], FEATURES[y])
            for n, x in enumerate(items)
            for y in items[n + 1 :]
        ]
        wanted = np.nan if not items else np.mean(pairs) if pairs else 0.0
        assert found[at] == pytest.approx(wanted, nan_ok=True), at


@pytest.mark.parametrize("name", ["jaccard", "hamming", "euclidean"])
def test_two_items_are_as_far_apart_as_scipy_says_also_by_numbers(name):
    x, y = np.array([2.0, 0.0, 1.0]), np.array([1.0, 3.0, 1.0])
    by_number = {
        "jaccard": 1 - (1 + 0 + 1) / (2 + 3 + 1),
        "hamming": 2.0,
        "euclidean": math.sqrt(1 + 9),
    }
    found = DISTANCES[name](x, y)
    assert np.asarray(found).dtype == np.float64
    assert float(found) == pytest.approx(by_number[name])


@pytest.mark.parametrize("alpha", [0.01, 0.3])
@pytest.mark.parametrize("k", [np.inf, 3])
def test_miscalibration_is_the_divergence_of_shares(alpha, k):
    profile = RNG.dirichlet(np.ones(5), 8).T
    profile[0, :2] = 0.0
    had = np.array([3.0, 3, 3, 3, 0, 1, 2, 5])
    found = Calibration(LISTS, FEATURES, profile, had, k=k, alpha=alpha)
    for at in range(8):
        items = [one for one in LISTS[: int(min(k, 6)), at] if one >= 0 and FEATURES[one].any()]
        if not items or not had[at]:
            assert np.isnan(found[at])
            continue
        q = np.mean([FEATURES[one] / FEATURES[one].sum() for one in items], axis=0)
        terms = [
            p * math.log(p / ((1 - alpha) * r + alpha * p))
            for p, r in zip(profile[:, at], q)
            if p > 0
        ]
        assert found[at] == pytest.approx(max(sum(terms), 0.0))


@pytest.mark.parametrize("k", [np.inf, 3])
def test_surprise_is_one_minus_the_mean_cosine_to_what_the_user_had(k):
    history = [RNG.choice(10, 3, replace=False) for _ in range(8)]
    unit = FEATURES / np.maximum(np.linalg.norm(FEATURES, axis=1, keepdims=True), 1e-300)
    taste = np.stack([unit[those].mean(axis=0) for those in history], axis=1)
    had = np.array([3.0, 3, 3, 3, 0, 3, 3, 3])
    relevant = RNG.random(LISTS.shape) < 0.5
    surprise = Unexpectedness(LISTS, FEATURES, taste, had, k=k)
    serendipity = Serendipity(LISTS, FEATURES, taste, had, relevant, k=k)
    for at in range(8):
        rows = [row for row in range(int(min(k, 6))) if LISTS[row, at] >= 0]
        if not rows or not had[at]:
            assert np.isnan(surprise[at])
            assert np.isnan(serendipity[at])
            continue
        own = [
            1 - np.mean([unit[LISTS[row, at]] @ unit[one] for one in history[at]]) for row in rows
        ]
        assert surprise[at] == pytest.approx(np.mean(own))
        assert serendipity[at] == pytest.approx(
            np.mean([x * relevant[row, at] for x, row in zip(own, rows)])
        )


def every(items, profile, had, k):
    relevant = items % 2 == 0
    return [
        *(ILD(items, FEATURES, k=k, distance=name) for name in OTHERS),
        Calibration(items, FEATURES, profile, had, k=k),
        Unexpectedness(items, FEATURES, profile, had, k=k),
        Serendipity(items, FEATURES, profile, had, relevant, k=k),
    ]


@pytest.mark.parametrize("k", [np.inf, 4, 6, 9])
def test_topics_and_runs_side_by_side_are_those_of_each_alone(k):
    profile = np.random.default_rng(5).dirichlet(np.ones(5), 8).T
    had = np.array([3.0, 0, 1, 3, 2, 1, 2, 5])
    flat = every(LISTS, profile, had, k)
    fold = every(LISTS.reshape(6, 2, 4), profile.reshape(5, 2, 4), had.reshape(2, 4), k)
    for number, (together, alone) in enumerate(zip(fold, flat, strict=True)):
        assert together.shape == (2, 4), number
        assert together.ravel().tolist() == pytest.approx(alone.tolist(), nan_ok=True), number
    for number, none in enumerate(every(LISTS[:, :0], profile[:, :0], had[:0], k)):
        assert none.shape == (0,), number


def test_features_that_are_numbers_of_either_sign_or_whole_count_as_they_are():
    features = np.array([[3, -4, 0], [0, 2, 0], [-1, -1, 2], [0, 0, 0], [0, 0, 0]])
    scaled = [[0.6, -0.8, 0], [0, 1, 0], np.array([-1, -1, 2]) / math.sqrt(6), [0] * 3, [0] * 3]
    np.testing.assert_allclose(units(features), scaled, rtol=1e-14)
    lists = np.array([[0, 3], [1, 2], [2, -1]])
    for name in ("cosine", "hamming", "euclidean"):
        pairs = [OTHERS[name](features[x], features[y]) for x, y in ((0, 1), (0, 2), (1, 2))]
        wanted = [np.mean(pairs), OTHERS[name](features[3], features[2])]
        assert ILD(lists, features, distance=name).tolist() == pytest.approx(wanted)
    # the smaller of each feature by the larger: 1 - (0 - 4 + 0) / (3 + 2 + 0)
    assert float(DISTANCES["jaccard"](features[0], features[1])) == pytest.approx(1 + 4 / 5)
    assert DISTANCES["jaccard"](features[3], features[4]) == 1.0  # nothing in common


def test_a_list_as_the_history_is_calibrated_and_alpha_is_mixed_in_from_one_end_to_the_other():
    features = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    half = np.array([0.5, 0.5])
    assert float(Calibration(np.array([0, 1]), features, half, 1.0)) == 0.0
    assert float(Calibration(np.array([0, 0]), features, half, 1.0, alpha=1.0)) == 0.0
    assert float(Calibration(np.array([0, 0]), features, half, 1.0, alpha=0.0)) == math.inf
    assert np.isnan(Calibration(np.array([2, -1]), features, half, 1.0))  # no item with features
