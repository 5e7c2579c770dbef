"""Readers who go down the list: when they stop, and what grades beyond the scale count as."""

import numpy as np
import pytest

from pdeval.kernels.continuation import ERR, cascade, gRBP, nERR, stopping

inf = np.inf


def test_a_grade_beyond_the_scale_satisfies_as_its_top_does():
    # (2^grade - 1) / 2^top, a grade of at most the top
    assert stopping(np.array([0.0, 1.0, 2.0, 3.0]), 2).tolist() == [0.0, 0.25, 0.75, 0.75]
    assert stopping(np.array([0.0, 1.0, 2.0, 3.0]), 3, max_grade=1).tolist() == [0.0, 0.5, 0.5, 0.5]
    assert stopping(np.array([1.0, 3.0]), 1, max_grade=4).tolist() == [1 / 16, 7 / 16]


def test_a_reader_comes_to_an_item_only_when_not_satisfied_before():
    # 1/2 at rank 1; 1/2 * 3/4 at rank 3; 1/2 * 1/4 * 1/4 at rank 4; what is not found adds nothing
    ranks, stop = np.array([1.0, 3.0, 4.0, inf]), np.array([0.5, 0.75, 0.25, 0.5])
    assert float(cascade(ranks, stop)) == 1 / 2 + 3 / 8 / 3 + 1 / 32 / 4
    both = cascade(np.stack([ranks, ranks[[3, 3, 3, 3]]], axis=1), stop[:, None])
    assert both.tolist() == [1 / 2 + 3 / 8 / 3 + 1 / 32 / 4, 0.0]


def test_err_with_a_smaller_scale_than_the_grades():
    ranks, grades = np.array([1.0, 2.0]), np.array([3.0, 1.0])
    assert float(ERR(ranks, grades, 3.0, max_grade=1)) == 1 / 2 + 1 / 2 * 1 / 2 / 2
    assert float(ERR(ranks, grades, 3.0, max_grade=1, k=1)) == 1 / 2


def test_nerr_is_1_for_the_ideal_ranking_under_its_own_scale_and_cutoff():
    grades, ideal = np.array([1.0, 3.0]), np.array([3.0, 1.0])
    assert float(nERR(np.array([1.0, 2.0]), ideal, ideal, 3.0, max_grade=2, k=1)) == 1.0
    # the item of grade 1 first: 1/8 of the best, 7/8, at cutoff 1; with 2^1 for the scale both stop half of the readers
    assert float(nERR(np.array([1.0, 2.0]), grades, ideal, 3.0, k=1)) == pytest.approx(
        1 / 7, abs=1e-15
    )
    assert float(nERR(np.array([1.0, 2.0]), grades, ideal, 3.0, max_grade=1)) == 1.0


def test_a_gain_is_at_most_1():
    ranks, grades, ideal = np.array([1.0, 2.0]), np.array([3.0, 1.0]), np.array([3.0, 1.0])
    assert float(gRBP(ranks, grades, ideal, 3.0, p=0.5, max_grade=2)) == 0.5 * (1 + 0.5 * 0.5)
    assert float(gRBP(ranks, grades, ideal, 4.0, p=0.5, max_grade="topic")) == pytest.approx(
        0.5 * (1 + 0.5 / 3)
    )
    assert float(gRBP(ranks, grades, ideal, 4.0, p=0.5)) == 0.5 * (3 / 4 + 0.5 / 4)
    assert float(gRBP(ranks, grades, ideal, 4.0, p=0.5, k=1)) == 0.5 * 3 / 4


RANK = np.array([[1.0, 2.0, inf], [3.0, 5.0, inf], [4.0, inf, inf]])
GRADE = np.array([[1.0, 3.0, 2.0], [2.0, 1.0, 2.0], [3.0, 2.0, 1.0]])
IDEAL = -np.sort(-GRADE, axis=0)


def satisfied(rank, grade, top, k):
    """Return the mean of 1 / rank over where one reader stops, who looks at one item after the other."""
    here, value = 1.0, 0.0
    for f, g in sorted(zip(rank, grade)):
        stop = (2 ** min(g, top) - 1) / 2**top
        value += here * stop / f if f <= k else 0.0
        here *= 1 - stop
    return value


@pytest.mark.parametrize("k", [inf, 3, 1])
@pytest.mark.parametrize("top", [None, 2, 4.0])
def test_many_lists_are_read_one_by_one(top, k):
    highest = 5.0 if top is None else top
    plain, share = (
        ERR(RANK, GRADE, 5.0, max_grade=top, k=k),
        nERR(RANK, GRADE, IDEAL, 5.0, max_grade=top, k=k),
    )
    biased = gRBP(RANK, GRADE, IDEAL, 5.0, p=0.7, max_grade=top, k=k)
    of_topic = gRBP(RANK, GRADE, IDEAL, 5.0, p=0.7, max_grade="topic", k=k)
    for at in range(3):
        wanted, best = (
            satisfied(rank, grade, highest, k)
            for rank, grade in ((RANK[:, at], GRADE[:, at]), ([1, 2, 3], IDEAL[:, at]))
        )
        assert plain[at] == pytest.approx(wanted, rel=1e-12)
        assert share[at] == pytest.approx(wanted / best, rel=1e-12)
        found = [(f, g) for f, g in zip(RANK[:, at], GRADE[:, at]) if f <= k and f < inf]
        for value, most in ((biased, highest), (of_topic, IDEAL[0, at])):
            assert value[at] == pytest.approx(
                0.3 * sum(min(g / most, 1) * 0.7 ** (f - 1) for f, g in found), rel=1e-12
            )
    assert (
        float(
            gRBP(
                RANK[:, 0].tolist(), GRADE[:, 0].tolist(), IDEAL[:, 0], 5, p=0.7, max_grade=top, k=k
            )
        )
        == biased[0]
    )


@pytest.mark.parametrize("grade", [0, 0.0, -1])
def test_a_scale_without_a_grade_above_zero_is_refused(grade):
    for made in (
        lambda: stopping(np.ones(2), 1, max_grade=grade),
        lambda: gRBP(np.ones(1), np.ones(1), np.ones(1), 1, max_grade=grade),
    ):
        with pytest.raises(ValueError, match=r"max_grade=.* must be above 0\.$"):
            made()
    assert stopping(np.array([0.5]), 1, max_grade=0.5).tolist() == pytest.approx([1 - 0.5**0.5])


def test_the_only_word_for_a_largest_grade_is_topic():
    with pytest.raises(ValueError, match="max_grade='query' must be a number or 'topic'"):
        gRBP(np.ones(1), np.ones(1), np.ones(1), 1, max_grade="query")
