"""Diversity: by hand, and against a plain walk down the list in the manner of ndeval."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval import kernels as metrics
from pdeval.kernels.diversity import greedy, shrinking
from tests.examples import examples
from tests.kernels.lists import value

# subtopics of the items down a list (empty: not relevant), and of relevant items that it misses
LISTS = st.tuples(
    st.lists(st.sets(st.integers(1, 4)), min_size=1, max_size=12),
    st.lists(st.sets(st.integers(1, 5), min_size=1), max_size=4),
).filter(lambda pair: any(pair[0] + pair[1]))


def measured(name, listed, missed):
    ranking = [f"d{i:02}" for i in range(len(listed))]
    subtopics = {d: s for d, s in zip(ranking, listed) if s}
    subtopics.update({f"m{i:02}": s for i, s in enumerate(missed)})
    return value(name, ranking, {}, subtopics=subtopics)


def added(items, alpha):
    """Return what each item adds, going down the list with a gain for each subtopic."""
    gain, values = {}, []
    for item in items:
        values.append(sum(gain.get(s, 1.0) for s in item))
        gain.update({s: gain.get(s, 1.0) * (1 - alpha) for s in item})
    return values


def ideal_list(listed, missed, alpha):
    """Return the greedy ranking; of items that add the same the one with the largest id comes first."""
    left = [s for s in listed if s] + missed
    chosen = []
    while left:
        scores = [added([*chosen, item], alpha)[-1] for item in left]
        best = max(range(len(left)), key=lambda i: (round(scores[i], 12), i))
        chosen.append(left.pop(best))
    return chosen


@given(LISTS, st.sampled_from([0.5, 0.25]))
@examples(60)
def test_every_measure_is_the_walk_down_the_list(pair, alpha):
    listed, missed = pair
    topics = set().union(*listed, *missed)
    ideal = ideal_list(listed, missed, alpha)
    down, best = added(listed, alpha), added(ideal, alpha)
    for k in (2, 20):

        def dcg(values, k=k):
            return sum(v / math.log2(i + 2) for i, v in enumerate(values[:k]))

        def err(values, k=k):
            return sum(v / (i + 1) for i, v in enumerate(values[:k]))

        everything = [len(topics) * (1 - alpha) ** i for i in range(k)]
        expected = {
            f"alpha-DCG(alpha={alpha})@{k}": dcg(down) / dcg(everything),
            f"alpha-nDCG(alpha={alpha})@{k}": dcg(down) / dcg(best),
            f"ERR-IA(alpha={alpha})@{k}": err(down) / err(everything),
            f"nERR-IA(alpha={alpha})@{k}": err(down) / err(best),
            f"P-IA@{k}": sum(map(len, listed[:k])) / k / len(topics),
            f"strec@{k}": len(set().union(*listed[:k])) / len(topics),
            f"ST-R@{k}": len(set().union(*listed[:k])) / len(topics),
        }
        for name, number in expected.items():
            assert measured(name, *pair) == pytest.approx(number, abs=1e-12), name

    def nrbp(values):
        return sum(v * 0.5**i for i, v in enumerate(values)) * (1 - (1 - alpha) * 0.5) / len(topics)

    assert measured(f"NRBP(alpha={alpha})", *pair) == pytest.approx(nrbp(down), abs=1e-12)
    assert measured(f"nNRBP(alpha={alpha})", *pair) == pytest.approx(nrbp(down) / nrbp(best), abs=1e-12)


@given(LISTS)
@examples(40)
def test_intent_aware_average_precision_is_the_mean_over_subtopics(pair):
    listed, missed = pair
    topics = set().union(*listed, *missed)
    per_topic = [measured_ap([t in s for s in listed], sum(t in s for s in missed)) for t in topics]
    assert measured("MAP-IA", *pair) == pytest.approx(np.mean(per_topic), abs=1e-12)


def measured_ap(relevant, missed):
    found = [rank for rank, is_relevant in enumerate(relevant, start=1) if is_relevant]
    return float(metrics.AP(np.array(found + [math.inf] * missed, dtype=float)))


def test_ties_in_the_ideal_ranking_go_to_the_last_document_id():
    # all three add 2 at first; whoever begins with the middle one or the last covers everything in two items
    belongs = np.array([[True, True, False, False], [True, False, True, False], [False, True, False, True]])
    assert greedy(belongs, 0.5, 3).tolist() == [2.0, 2.0, 1.0]
    assert greedy(belongs[::-1], 0.5, 3).tolist() == [2.0, 1.5, 1.5]


def test_the_greedy_ideal_serves_many_topics_at_once():
    rng = np.random.default_rng(3)
    belongs = rng.random((9, 4, 5, 1)) < 0.4
    together = greedy(belongs, 0.5, 6)
    for topic in range(5):
        assert together[:, topic, 0].tolist() == greedy(belongs[:, :, topic, 0], 0.5, 6).tolist()


def test_subtopics_without_relevant_items_change_nothing():
    rank, member = np.array([1.0, 3.0]), np.array([[True, False], [True, True]])
    padded = np.concatenate([member, np.zeros((2, 2), dtype=bool)], axis=1)
    for name in ("alpha_nDCG", "nERR_IA", "nNRBP"):
        kernel = getattr(metrics, name)
        assert kernel(rank, member, member) == kernel(rank, padded, padded)
    assert metrics.MAP_IA(rank, member, 2.0) == metrics.MAP_IA(rank, padded, 2.0)


def test_without_a_cutoff_the_whole_list_counts():
    listed = [set()] * 30 + [{1}]
    assert measured("alpha-nDCG@20", listed, []) == 0.0
    assert measured("alpha-nDCG@inf", listed, []) == pytest.approx(1 / math.log2(32))
    assert measured("alpha-DCG@inf", [{1}], []) < 1


def test_no_novelty_without_a_cutoff_has_no_limit():
    with pytest.raises(ValueError, match="alpha=0 has no limit without a cutoff; add one"):
        measured("alpha-DCG(alpha=0)@inf", [{1}], [])


def test_a_weight_that_does_not_shrink_counts_down_to_the_cutoff():
    assert shrinking(1.0, 20) == 20
