"""Measures weighed by inverse propensities: against the values of all relevant items, which a simulation knows."""

import numpy as np
import pytest

from pdeval.kernels import AP, AUC, DCG, R, wAP, wAUC, wDCG, wR
from pdeval.kernels.primitives import inf

USERS, ITEMS = 4_000, 300


def feedback(seed=0, relevant=60):
    """Ranks of relevant items of equally many users, the propensity of each, and which of them were judged.

    The model prefers popular items, and popular items are seen, and so judged, more often: missing not at random.
    """
    rng = np.random.default_rng(seed)
    popularity = np.arange(1, ITEMS + 1) ** -0.7
    propensity = 0.9 * popularity**0.8
    score = popularity + 0.3 * rng.random((USERS, ITEMS))
    rank = np.argsort(np.argsort(-score, axis=1), axis=1) + 1.0
    wanted = np.argsort(rng.random((USERS, ITEMS)), axis=1)[:, :relevant]
    ranks = np.take_along_axis(rank, wanted, axis=1)
    chance = propensity[wanted]
    order = np.argsort(ranks, axis=1)
    ranks, chance = (
        np.take_along_axis(ranks, order, axis=1).T,
        np.take_along_axis(chance, order, axis=1).T,
    )
    return ranks, chance, rng.random(chance.shape) < chance


def judged_only(ranks, chance, seen):
    """Ranks and weights of what was judged, a column per user; what was not has infinite rank and no weight."""
    rank, weight = np.where(seen, ranks, inf), np.where(seen, 1 / chance, 0.0)
    order = np.argsort(rank, axis=0, kind="stable")
    return np.take_along_axis(rank, order, axis=0), np.take_along_axis(weight, order, axis=0)


SUMS = {
    "hits@10": (
        lambda rank: 60 * R(rank, k=10),
        lambda rank, weight: wR(rank, weight, norm="none", k=10),
    ),
    "DCG": (
        lambda rank: DCG(rank, np.ones(rank.shape)),
        lambda rank, weight: wDCG(rank, np.ones(rank.shape), weight),
    ),
    "AP": (lambda rank: 60 * AP(rank), lambda rank, weight: wAP(rank, weight, norm="none")),
}


@pytest.mark.broad
@pytest.mark.parametrize("name", SUMS)
def test_weighed_sums_are_on_average_those_of_all_relevant_items(name):
    whole, estimate = SUMS[name]
    ranks, chance, seen = feedback()
    found = estimate(*judged_only(ranks, chance, seen)) - whole(ranks)
    error = found.std() / np.sqrt(USERS)
    assert abs(found.mean()) < 4 * error
    # the test can tell: what was judged alone is far off, and weights that are a tenth wrong are seen
    assert abs((whole(judged_only(ranks, chance, seen)[0]) - whole(ranks)).mean()) > 20 * error
    wrong = estimate(*judged_only(ranks, np.minimum(0.9 * chance, 1), seen)) - whole(ranks)
    assert abs(wrong.mean()) > 4 * wrong.std() / np.sqrt(USERS)


@pytest.mark.broad
def test_self_normalized_recall_is_near_to_that_of_all_relevant_items_and_plain_recall_is_not():
    ranks, chance, seen = feedback()
    rank, weight = judged_only(ranks, chance, seen)
    whole = R(ranks, k=50).mean()
    counted = seen.any(axis=0)  # a user without a judgment does not count
    plain = ((rank <= 50).sum(axis=0)[counted] / seen.sum(axis=0)[counted]).mean()
    snips = wR(rank, weight, k=50)[counted].mean()
    assert plain > 1.9 * whole
    assert abs(snips - whole) < 0.2 * abs(plain - whole)


@pytest.mark.broad
def test_the_bias_of_a_self_normalized_value_vanishes_as_users_have_more_judgments():
    def bias(relevant):
        ranks, chance, seen = feedback(relevant=relevant)
        return abs(wR(*judged_only(ranks, chance, seen), k=50).mean() - R(ranks, k=50).mean())

    assert bias(60) > 4 * bias(240)


def test_equal_propensities_change_nothing():
    rank = np.array([[1.0, 2.0], [3.0, 9.0], [inf, inf]])
    ones, fours = np.ones(rank.shape), np.full(rank.shape, 4.0)
    assert wR(rank, fours, k=5).tolist() == R(rank, k=5).tolist()
    assert wDCG(rank, ones, ones, k=5).tolist() == DCG(rank, ones, k=5).tolist()
    assert wAP(rank, ones).tolist() == AP(rank).tolist()
    assert wAUC(rank[:1], fours[:1], 9.0, 20.0).tolist() == AUC(rank[:1], 9.0, 20.0).tolist()


def test_the_weighed_auc_counts_all_other_items_whether_they_are_relevant_or_not():
    assert float(wAUC(np.array([1.0, 2.0]), np.ones(2), 3.0, 5.0)) == (4 / 4 + 3 / 4) / 2
    assert float(wAUC(np.array([1.0]), np.ones(1), 1.0, 1.0)) == 1.0
    assert float(wAUC(np.array([4.0]), np.ones(1), 4.0, items=10)) == 6 / 9


RANK = np.array([[1.0, 2.0, 3.0, inf], [3.0, 6.0, inf, inf], [4.0, inf, inf, inf]])
WEIGHT = np.array([[2.0, 1.0, 5.0, 4.0], [1.0, 4.0, 3.0, 1.0], [8.0, 2.0, 1.0, 2.0]])
GRADE = np.array([[1.0, 3.0, 2.0, 1.0], [2.0, 1.0, 1.0, 3.0], [3.0, 2.0, 1.0, 1.0]])
RETRIEVED = np.array([7.0, 6.0, 3.0, 0.0])


@pytest.mark.parametrize("k", [inf, 3, 1])
@pytest.mark.parametrize("norm", ["weights", "none"])
def test_every_list_is_weighed_item_by_item(norm, k):
    recall, precision = wR(RANK, WEIGHT, norm=norm, k=k), wAP(RANK, WEIGHT, norm=norm, k=k)
    linear, steep = (
        wDCG(RANK, GRADE, WEIGHT, norm=norm, gain=gain, k=k) for gain in ("linear", "exp")
    )
    for at in range(4):
        items = list(zip(RANK[:, at], WEIGHT[:, at], GRADE[:, at], strict=True))
        found = [(f, w, g) for f, w, g in items if f <= k and f < inf]
        above = {f: sum(w for other, w, _ in items if other < f) for f, _, _ in found}
        wanted = [
            sum(w for _, w, _ in found),
            sum(w * (1 + above[f]) / f for f, w, _ in found),
            sum(w * g / np.log2(f + 1) for f, w, g in found),
            sum(w * (2**g - 1) / np.log2(f + 1) for f, w, g in found),
        ]
        if norm == "weights":
            whole = sum(w for _, w, _ in items)
            gains = [sum(w * g for _, w, g in items), sum(w * (2**g - 1) for _, w, g in items)]
            wanted = [one / by for one, by in zip(wanted, [whole, whole, *gains], strict=True)]
        assert [float(one[at]) for one in (recall, precision, linear, steep)] == pytest.approx(
            wanted, rel=1e-12
        )
    plain = [one[:, 0].astype(int).tolist() for one in (RANK, WEIGHT)]
    assert float(wAP(*plain, norm=norm, k=k)) == precision[0]


@pytest.mark.parametrize("size", [7, 12])
def test_the_weighed_auc_is_the_share_of_other_items_below_each_relevant_one(size):
    by_corpus, by_number = (
        wAUC(RANK, WEIGHT, RETRIEVED, np.full(4, size)),
        wAUC(RANK, WEIGHT, RETRIEVED, items=size),
    )
    for at in range(4):
        made = 0.0
        for f, w in zip(RANK[:, at], WEIGHT[:, at]):
            below = (
                size - f if f < inf else (size - RETRIEVED[at] - 1) / 2
            )  # of those not retrieved half on average
            made += w * max(below, 0.0) / (size - 1)
        assert by_corpus[at] == pytest.approx(made / WEIGHT[:, at].sum(), rel=1e-12)
        assert by_number[at] == by_corpus[at]
    assert float(wAUC([2], [3], 2, 2)) == 0.0
    assert float(wAUC([1], [3], 2, 2)) == 1.0
    assert float(wAUC([3.0], [1.0], 3.0, items=2)) == 0.0  # a list that is longer than the catalog
    assert wAUC(
        np.array([[1.0, 1.0]]), np.ones((1, 2)), np.ones(2), np.array([1.0, 3.0])
    ).tolist() == [1.0, 1.0]
