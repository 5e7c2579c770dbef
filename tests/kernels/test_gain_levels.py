"""trec_eval's measures of gain at several ranks, against their definitions over plain lists."""

import math

import numpy as np
import pytest

from pdeval.kernels.graded import G, RnDCG, nDCGrel
from tests.kernels.test_plain_lists import arrays, cases

GAINS = [None, {1.0: 2.0, 2.0: 0.0, 3.0: 5.0}, {1.0: 0.0, 2.0: 0.5, 3.0: 4.0}]


def told(shown, grades, gains):
    """Return the gain at each rank of the list, and the gains of the ideal ranking."""
    worth = {item: grade if gains is None else gains[grade] for item, grade in grades.items()}
    return [worth.get(item, 0.0) for item in shown], sorted(worth.values(), reverse=True)


def dcg(values, depth):
    return sum(
        value / math.log2(place + 1) for place, value in enumerate(values, 1) if place <= depth
    )


def share(part, whole):
    return part / whole if whole else 0.0


@pytest.mark.parametrize("gains", GAINS)
def test_items_of_positive_gain_are_averaged_each_at_its_rank(gains):
    for shown, grades, weights, _ in cases():
        rank, grade, _, ideal = arrays(shown, grades, weights)
        here, best = told(shown, grades, gains)
        wanted = sum(value > 0 for value in best)
        at_items = [
            dcg(here, place) / dcg(best, place) for place, value in enumerate(here, 1) if value > 0
        ]
        lost = (wanted - len(at_items)) * share(dcg(here, len(here)), dcg(best, len(best)))
        expected = share(sum(at_items) + lost, wanted)
        assert nDCGrel(rank, grade, ideal, gains=gains) == pytest.approx(expected), (shown, grades)


@pytest.mark.parametrize("gains", GAINS)
def test_cutoffs_are_where_the_ideal_ranking_comes_to_a_lower_gain_and_the_end_of_the_run(gains):
    for shown, grades, weights, _ in cases():
        rank, grade, _, ideal = arrays(shown, grades, weights)
        here, best = told(shown, grades, gains)
        cutoffs = [place for place, value in enumerate(best, 1) if value != ([*best, 0.0])[place]]
        values = [dcg(here, cutoff) / dcg(best, cutoff) for cutoff in cutoffs]
        if len(shown) > sum(value > 0 for value in best) + 1:
            values.append(share(dcg(here, len(here)), dcg(best, len(best))))
        expected = share(sum(values), len(values))
        found = RnDCG(rank, grade, ideal, len(shown), len(grades), gains=gains)
        assert found == pytest.approx(expected), (shown, grades)
        assert RnDCG(rank, grade, ideal, len(shown), 0, gains=gains) == 0.0


@pytest.mark.parametrize("gains", GAINS)
def test_gains_are_divided_by_what_was_missed_down_to_their_rank(gains):
    for shown, grades, weights, _ in cases():
        rank, grade, _, ideal = arrays(shown, grades, weights)
        here, best = told(shown, grades, gains)
        made = 0.0
        for place, value in enumerate(here, 1):
            cost = sum(max(one, 1.0) for one in best[:place]) + max(place - len(best), 0)
            made += value / math.log2(2 + cost - sum(here[:place]))
        assert G(rank, grade, ideal, gains=gains) == pytest.approx(share(made, sum(best))), (
            shown,
            grades,
        )


def test_lists_side_by_side_are_those_of_each_alone():
    rank = np.array([[1.0, 2.0, np.inf], [3.0, np.inf, np.inf]])
    grade, ideal = (
        np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 3.0]]),
        np.array([[2.0, 2.0, 3.0], [1.0, 1.0, 1.0]]),
    )
    retrieved = np.array([9.0, 3.0, 0.0])
    for made in (
        lambda at: nDCGrel(rank[:, at], grade[:, at], ideal[:, at]),
        lambda at: RnDCG(rank[:, at], grade[:, at], ideal[:, at], retrieved[at], 2),
        lambda at: G(rank[:, at], grade[:, at], ideal[:, at]),
    ):
        assert made(slice(None)).tolist() == pytest.approx([float(made(at)) for at in range(3)])


def test_no_lists_have_no_values():
    none, lists = np.zeros((2, 0)), np.zeros(0)
    assert nDCGrel(none, none, none).shape == (0,)
    assert RnDCG(none, none, none, lists, lists).shape == (0,)
    assert G(none, none, none).shape == (0,)


@pytest.mark.parametrize("gains", GAINS)
def test_topics_with_other_ideals_and_runs_side_by_side_are_those_of_each_alone(gains):
    rng = np.random.default_rng(6)
    rank = np.sort(
        rng.permuted(np.tile([1.0, 2, 3, 5, 8, np.inf, np.inf], (12, 1)), axis=1)[:, :4], axis=1
    )
    rank, grade = rank.T.reshape(4, 4, 3), rng.integers(1, 4, (4, 4, 1)) * np.ones((4, 4, 3))
    ideal, retrieved = -np.sort(-grade[:, :, :1], axis=0), rng.integers(3, 9, (4, 3)) * 1.0
    together = [
        nDCGrel(rank, grade, ideal, gains=gains),
        G(rank, grade, ideal, gains=gains),
        RnDCG(rank, grade, ideal, retrieved, np.full((4, 1), 4), gains=gains),
    ]
    for topic in range(4):
        for run in range(3):
            one = (rank[:, topic, run], grade[:, topic, run], ideal[:, topic, 0])
            alone = [
                nDCGrel(*one, gains=gains),
                G(*one, gains=gains),
                RnDCG(*one, retrieved[topic, run], 4, gains=gains),
            ]
            assert [float(all_[topic, run]) for all_ in together] == pytest.approx(
                [float(own) for own in alone]
            )
