"""Kernels of pairs, of the confusion table and of weighed items, against their definitions over plain lists."""

import math
from itertools import product

import numpy as np
import pytest

from pdeval.kernels import AUC, GAP, MCC, PAP, Accuracy, Fallout, PartialAUC, wAP, wAUC, wDCG, wR

inf = math.inf


def cases(count=60):
    """Yield (list of items, grades of relevant items, weights of them, catalog) of small random collections."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, 9))
        items = list(range(size))
        shown = rng.permutation(size)[: int(rng.integers(0, size + 1))].tolist()
        relevant = rng.permutation(size)[: int(rng.integers(1, size + 1))].tolist()
        grades = {item: float(rng.integers(1, 4)) for item in relevant}
        weights = {item: float(rng.integers(1, 9)) / 2 for item in relevant}
        yield shown, grades, weights, items


def arrays(shown, grades, weights):
    """Return ranks of the relevant items, the best first, and their grades, weights, and ideal grades."""
    rank = {item: shown.index(item) + 1.0 if item in shown else inf for item in grades}
    order = sorted(grades, key=lambda item: (rank[item], item))
    made = (
        [rank[item] for item in order],
        [grades[item] for item in order],
        [weights[item] for item in order],
    )
    return *map(np.array, made), np.array(sorted(grades.values(), reverse=True))


def above(shown, one, other):
    """Return how much one item stands above another: not at all, half where neither is shown, or wholly."""
    if one not in shown and other not in shown:
        return 0.5
    return float(one in shown and (other not in shown or shown.index(one) < shown.index(other)))


def share(part, whole):
    return part / whole if whole else 0.0


@pytest.mark.parametrize("k", [1, 2, 4, inf])
def test_accuracy_is_the_share_of_pairs_of_the_list_that_are_in_order(k):
    for shown, grades, weights, _ in cases():
        rank, *_ = arrays(shown, grades, weights)
        first = shown[: min(k, len(shown))]
        good, bad = (
            [one for one in first if one in grades],
            [one for one in first if one not in grades],
        )
        pairs = [above(first, one, other) for one, other in product(good, bad)]
        expected = (sum(pairs) / len(pairs) if pairs else 1.0) if good else 0.0
        assert Accuracy(rank, len(shown), k=k) == pytest.approx(expected), (shown, grades)


def test_the_area_under_the_curve_is_the_share_of_pairs_of_the_catalog_that_are_in_order():
    for shown, grades, weights, items in cases():
        rank, _, weight, _ = arrays(shown, grades, weights)
        others = [one for one in items if one not in grades]
        pairs = [above(shown, one, other) for one, other in product(grades, others)]
        expected = sum(pairs) / len(pairs) if pairs else 1.0
        assert AUC(rank, len(shown), len(items)) == pytest.approx(expected), (shown, grades)
        assert AUC(rank, len(shown), 99, items=len(items)) == pytest.approx(expected)
        # weighed, against all other items
        each = {
            item: [above(shown, item, other) for other in items if other != item] for item in grades
        }
        made = sum(
            weights[item] * (sum(own) / len(own) if own else 1.0) for item, own in each.items()
        )
        assert wAUC(rank, weight, len(shown), len(items)) == pytest.approx(
            made / sum(weights.values())
        ), (
            shown,
            grades,
        )


@pytest.mark.parametrize("k", [1, 2, 5])
def test_partial_areas_count_the_first_k_others(k):
    for shown, grades, weights, _ in cases():
        rank, *_ = arrays(shown, grades, weights)
        below = []  # of the first k others, those that each relevant item of the list stands above
        for place, item in enumerate(shown):
            if item in grades:
                before = sum(one not in grades for one in shown[:place])
                below.append(max(k - before, 0))
        assert PartialAUC(rank, k=k) == pytest.approx(sum(below) / (k * len(grades))), (
            shown,
            grades,
        )
        assert PAP(rank, k=k) == pytest.approx(sum(below[:k]) / (k * min(k, len(grades)))), (
            shown,
            grades,
        )


@pytest.mark.parametrize("k", [1, 3, inf])
def test_the_confusion_table_is_that_of_the_first_k_items(k):
    for shown, grades, weights, items in cases():
        rank, *_ = arrays(shown, grades, weights)
        first = set(shown[: min(k, len(shown))])
        true, false = len(first & set(grades)), len(first - set(grades))
        missed, rest = len(grades) - true, len(items) - len(first | set(grades))
        assert Fallout(rank, len(shown), len(items), k=k) == pytest.approx(
            share(false, false + rest)
        )
        size = (true + false) * (true + missed) * (rest + false) * (rest + missed)
        expected = share(true * rest - false * missed, math.sqrt(size))
        assert MCC(rank, len(shown), len(items), k=k) == pytest.approx(expected), (shown, grades)


@pytest.mark.parametrize("k", [2, inf])
def test_graded_average_precision_is_that_of_every_level_weighed_by_its_items(k):
    for shown, grades, weights, _ in cases():
        rank, grade, _, ideal = arrays(shown, grades, weights)
        made = best = below = 0.0
        for least in sorted(set(grades.values())):
            good = {item for item, value in grades.items() if value >= least}
            places = [place for place, item in enumerate(shown, 1) if item in good and place <= k]
            made += (least - below) * sum(number / place for number, place in enumerate(places, 1))
            best += (least - below) * len(good)
            below = least
        assert GAP(rank, grade, ideal, k=k) == pytest.approx(made / best), (shown, grades)


@pytest.mark.parametrize("k", [1, 3, inf])
def test_weighed_items_are_added_up_one_by_one(k):
    for shown, grades, weights, _ in cases():
        rank, grade, weight, _ = arrays(shown, grades, weights)
        hits = cumulated = precision = before = 0.0
        for place, item in enumerate(shown, 1):
            if item in grades and place <= k:
                hits += weights[item]
                cumulated += weights[item] * grades[item] / math.log2(place + 1)
                precision += weights[item] * (1 + before) / place
                before += weights[item]
        whole = sum(weights.values())
        gains = sum(weights[item] * grades[item] for item in grades)
        assert wR(rank, weight, k=k) == pytest.approx(hits / whole)
        assert wR(rank, weight, k=k, norm="none") == pytest.approx(hits)
        assert wDCG(rank, grade, weight, k=k) == pytest.approx(cumulated)
        assert wDCG(rank, grade, weight, k=k, norm="weights") == pytest.approx(cumulated / gains)
        assert wAP(rank, weight, k=k) == pytest.approx(precision / whole)
        assert wAP(rank, weight, k=k, norm="none") == pytest.approx(precision)


def test_lists_side_by_side_are_those_of_each_alone():
    rank = np.array([[1.0, 2.0, inf], [3.0, inf, inf]])
    retrieved, corpus = np.array([4.0, 2.0, 0.0]), np.array([6.0, 6.0, 9.0])
    weight = np.array([[1.0, 2.0, 3.0], [4.0, 1.0, 1.0]])
    for made in (
        lambda at: Accuracy(rank[:, at], retrieved[at]),
        lambda at: AUC(rank[:, at], retrieved[at], corpus[at]),
        lambda at: PartialAUC(rank[:, at], k=3),
        lambda at: PAP(rank[:, at], k=1),
        lambda at: Fallout(rank[:, at], retrieved[at], corpus[at], k=3),
        lambda at: MCC(rank[:, at], retrieved[at], corpus[at], k=3),
        lambda at: GAP(rank[:, at], weight[:, at], np.sort(weight[:, at], axis=0)[::-1]),
        lambda at: wAP(rank[:, at], weight[:, at]),
        lambda at: wAUC(rank[:, at], weight[:, at], retrieved[at], corpus[at]),
    ):
        assert made(slice(None)).tolist() == pytest.approx([float(made(at)) for at in range(3)])


@pytest.mark.parametrize("kernel", [AUC, Fallout, MCC])
def test_a_catalog_cannot_be_smaller_than_its_relevant_items(kernel):
    with pytest.raises(
        ValueError,
        match=r"^items=2 is smaller than the number of relevant items \(3\)\. Pass the size of the catalog\.$",
    ):
        kernel(np.array([1.0, 4.0, inf]), 3, items=2)
    kernel(np.array([1.0, 4.0, inf]), 3, items=3)
