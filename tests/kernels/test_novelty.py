"""How new listed items are: many lists at once, against plain loops over the items of one."""

import math

import numpy as np
import pandas as pd
import pytest

from pdeval import kernels
from pdeval.kernels import beyond_accuracy

RNG = np.random.default_rng(2)
POPULARITY = RNG.choice([0.0, 0.125, 0.25, 0.5, 0.75], (6, 9))
CHOICE = RNG.choice([0.0, 0.01, 0.05, 0.2], (6, 9))
PLACE = RNG.integers(0, 12, (6, 9)) * 1.0
RELEVANT, SEEN = RNG.random((6, 9)) < 0.6, RNG.random((6, 9)) < 0.4
LISTED = np.arange(6)[:, None] < np.array([6, 6, 5, 4, 3, 2, 1, 0, 6])
HAD = np.array([0.2, 0.5, 0.0, 0.1, 0.3, 0.25, 0.5, 0.2, 1.0])
CUTOFFS = [np.inf, 4.0, 1.0]


def rows(at, k):
    return [row for row in range(int(min(k, 6))) if LISTED[row, at]]


def mean(values, at, k):
    own = [float(values[row, at]) for row in rows(at, k)]
    return sum(own) / len(own) if own else math.nan


@pytest.mark.parametrize("k", CUTOFFS)
@pytest.mark.parametrize("per", ["item", "rank"])
def test_novelty_and_surprisal_are_means_of_self_information(k, per):
    found = beyond_accuracy.Novelty(POPULARITY, LISTED, 16.0, k=k, per=per)
    share = beyond_accuracy.Surprisal(POPULARITY, LISTED, 16.0, k=k, per=per)
    for at in range(9):
        own = [-math.log2(max(POPULARITY[row, at], 1 / 16)) for row in rows(at, k)]
        over = len(own) if per == "item" or k == np.inf else k
        wanted = sum(own) / over if own else math.nan
        assert found[at] == pytest.approx(wanted, nan_ok=True)
        assert share[at] == pytest.approx(wanted / 4, nan_ok=True)
    assert float(beyond_accuracy.Surprisal(np.array([1.0]), np.array([True]), 1.0, k=1)) == 0.0


@pytest.mark.parametrize("k", CUTOFFS)
def test_an_item_that_nobody_took_counts_as_the_rarest_of_its_list(k):
    found = beyond_accuracy.ChoiceNovelty(CHOICE, LISTED, k=k)
    for at in range(9):
        # places below a list hold nothing that anyone took
        held = [CHOICE[row, at] for row in range(int(min(k, 6)))]
        least = min([one for one in held if one > 0], default=1.0)
        own = [-math.log2(CHOICE[row, at] or least) for row in rows(at, k)]
        assert found[at] == pytest.approx(sum(own) / len(own) if own else math.nan, nan_ok=True)


@pytest.mark.parametrize("k", CUTOFFS)
def test_means_over_the_listed_items(k):
    cases = [
        (beyond_accuracy.AvgPopularity(POPULARITY, LISTED, k=k), POPULARITY),
        (beyond_accuracy.AvgChoice(CHOICE, LISTED, k=k), CHOICE),
        (beyond_accuracy.PopularityRank(POPULARITY, LISTED, k=k), POPULARITY),
        (beyond_accuracy.Unseen(SEEN, LISTED, k=k), ~SEEN),
    ]
    for found, values in cases:
        assert found.tolist() == pytest.approx(
            [mean(values, at, k) for at in range(9)], nan_ok=True
        )
    lift = beyond_accuracy.PopularityLift(POPULARITY, LISTED, HAD, k=k)
    for at in range(9):
        wanted = mean(POPULARITY, at, k) / HAD[at] - 1 if HAD[at] else math.nan
        assert lift[at] == pytest.approx(wanted, nan_ok=True)


@pytest.mark.parametrize("k", CUTOFFS)
def test_relevant_items_count_how_far_they_rose_above_their_place_by_popularity(k):
    found = beyond_accuracy.PopSerendipity(PLACE, RELEVANT, LISTED, 12.0, k=k)
    for at in range(9):
        rise = [
            max((PLACE[row, at] or 13) - (row + 1), 0) / 12
            for row in rows(at, k)
            if RELEVANT[row, at]
        ]
        over = k if k < np.inf else len(rows(at, k))
        wanted = sum(rise) / over if rows(at, k) else math.nan
        assert found[at] == pytest.approx(wanted, nan_ok=True)
        one = beyond_accuracy.PopSerendipity(
            PLACE[:, at], RELEVANT[:, at], LISTED[:, at], 12.0, k=k
        )
        assert float(one) == pytest.approx(wanted, nan_ok=True)


def every(k, at):
    """Return what each measure says of some of the lists."""
    return [
        beyond_accuracy.Novelty(POPULARITY[at], LISTED[at], 16.0, k=k),
        beyond_accuracy.Novelty(POPULARITY[at], LISTED[at], 16.0, k=k, per="rank"),
        beyond_accuracy.Surprisal(POPULARITY[at], LISTED[at], 16.0, k=k),
        beyond_accuracy.ChoiceNovelty(CHOICE[at], LISTED[at], k=k),
        beyond_accuracy.AvgPopularity(POPULARITY[at], LISTED[at], k=k),
        beyond_accuracy.PopSerendipity(PLACE[at], RELEVANT[at], LISTED[at], 12.0, k=k),
        beyond_accuracy.PopularityLift(POPULARITY[at], LISTED[at], HAD[at[1:]], k=k),
        beyond_accuracy.Unseen(SEEN[at], LISTED[at], k=k),
    ]


@pytest.mark.parametrize("k", [*CUTOFFS, 6.0, 20.0])
def test_topics_and_runs_side_by_side_are_those_of_each_alone(k):
    fold = (slice(None), np.arange(9).reshape(3, 3))
    flat = every(k, (slice(None), slice(None)))
    for number, (together, apart) in enumerate(zip(every(k, fold), flat, strict=True)):
        assert together.shape == (3, 3), number
        assert together.ravel().tolist() == pytest.approx(apart.tolist(), nan_ok=True), number
    for number, none in enumerate(every(k, (slice(None), slice(0)))):
        assert none.shape == (0,), number


def test_the_first_items_are_all_where_the_cutoff_is_at_or_beyond_the_end():
    values = np.arange(4)
    assert [beyond_accuracy.first(values, k).tolist() for k in (1, 3, 4, 5, np.inf)] == [
        [0],
        [0, 1, 2],
        [0, 1, 2, 3],
        [0, 1, 2, 3],
        [0, 1, 2, 3],
    ]
    assert beyond_accuracy.mean_listed(np.array([1, 2]), np.array([True, True])).dtype == np.float64


def test_one_user_and_an_item_that_all_had_surprise_nobody():
    alone = beyond_accuracy.Novelty(np.array([1.0, 0.0]), np.array([True, True]), 1.0)
    assert float(alone) == 0.0
    assert math.copysign(1, float(alone)) == 1
    # of one user the largest possible is that of two, so that nothing is divided by 0
    assert float(beyond_accuracy.Surprisal(np.array([0.5]), np.array([True]), 1.0, k=1)) == 0.0
    assert (
        float(
            beyond_accuracy.Surprisal(
                np.array([0.5, 0.25]), np.array([True, True]), 2.0, per="item"
            )
        )
        == 1.0
    )


def test_personalization_is_the_mean_difference_between_two_lists():
    # lists ab, bc, cd of three users: two of three pairs share one of two items
    runs = pd.DataFrame(
        {"run": "r", "user_id": list("uuvvww"), "item_id": list("abbccd"), "score": [2, 1] * 3}
    )
    items = pd.DataFrame({"item_id": list("abcd"), "genre": ["x|y", "x", "z", "z"]})
    found = runs.ireval.beyond_accuracy(["Personalization@2", "Categories@2"], items=items)
    assert found["mean"].tolist() == pytest.approx([1 - 2 / 6, (2 + 2 + 1) / 3])


def test_the_popularity_complement_weighs_ranks_by_their_discount():
    popularity, listed = np.array([0.5, 0.0, 0.9]), np.array([True, True, False])
    assert float(kernels.EPC(popularity, listed)) == 0.75
    third = 1 / np.log2(3)
    expected = (0.5 + third) / (1 + third)
    assert float(kernels.EPC(popularity, listed, discount="log2", k=2)) == pytest.approx(expected)
