"""Diversity: by hand, and against a plain walk down the list in the manner of ndeval."""

import math

import numpy as np
import pandas as pd
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
    assert measured(f"nNRBP(alpha={alpha})", *pair) == pytest.approx(
        nrbp(down) / nrbp(best), abs=1e-12
    )


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
    belongs = np.array(
        [[True, True, False, False], [True, False, True, False], [False, True, False, True]]
    )
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
    with pytest.raises(ValueError, match=r"alpha=0 requires a cutoff\. Add one"):
        measured("alpha-DCG(alpha=0)@inf", [{1}], [])


def test_a_weight_that_does_not_shrink_counts_down_to_the_cutoff():
    assert shrinking(1.0, 20) == 20


def every(rank, member, belongs, subtopics, k):
    return [
        metrics.alpha_DCG(rank, member, subtopics, alpha=0.3, k=k),
        metrics.alpha_nDCG(rank, member, belongs, alpha=0.3, k=k),
        metrics.ERR_IA(rank, member, subtopics, alpha=0.3, k=k),
        metrics.nERR_IA(rank, member, belongs, alpha=0.3, k=k),
        metrics.P_IA(rank, member, subtopics, k=k),
        metrics.MAP_IA(rank, member, subtopics),
        metrics.NRBP(rank, member, subtopics, alpha=0.3, beta=0.7),
        metrics.nNRBP(rank, member, belongs, alpha=0.3, beta=0.7),
        metrics.strec(rank, member, subtopics, k=k),
    ]


@pytest.mark.parametrize("k", [1, 3, 20])
def test_topics_and_runs_side_by_side_are_those_of_each_alone(k):
    rng = np.random.default_rng(5)
    belongs = rng.random((4, 3, 5, 1)) < 0.5
    belongs[:, 0] |= ~belongs.any(
        axis=1
    )  # every item has a subtopic, and the last topic has no items at all
    belongs[:, :, 4] = False
    order = rng.permuted(np.tile(np.arange(4)[:, None, None], (1, 5, 2)), axis=0)
    member = np.take_along_axis(np.broadcast_to(belongs, (4, 3, 5, 2)), order[:, None], axis=0)
    rank = np.sort(
        rng.permuted(np.tile([1.0, 2, 3, 5, 9, math.inf], (10, 1)), axis=1)[:, :4], axis=1
    )
    rank, subtopics = rank.T.reshape(4, 5, 2), belongs.any(axis=0).sum(axis=0) * 1.0
    together = every(rank, member, belongs, subtopics, k)
    for topic, run in np.ndindex(5, 2):
        one = (
            rank[:, topic, run],
            member[:, :, topic, run],
            belongs[:, :, topic, 0],
            subtopics[topic, 0],
        )
        for number, (all_, alone) in enumerate(zip(together, every(*one, k), strict=True)):
            assert all_.shape == (5, 2), number
            assert all_[topic, run] == pytest.approx(float(alone), abs=1e-12), number
    plain = every(*[part.tolist() for part in one[:3]], 2, k)
    assert [float(value) for value in plain] == [0.0] * 9
    none = every(rank[:, :0], member[:, :, :0], belongs[:, :, :0], subtopics[:0], k)
    assert {value.shape for value in none} == {(0, 2)}


def test_membership_may_be_written_in_ones_and_zeros():
    rank, member = [1, 2, 4], [[1, 0], [1, 1], [0, 1]]
    arrays = np.array(rank, dtype=float), np.array(member, dtype=bool)
    for k in (2, 20):
        for number, (plain, made) in enumerate(
            zip(every(rank, member, member, 2, k), every(*arrays, arrays[1], 2, k))
        ):
            assert float(plain) == float(made), number


@pytest.mark.parametrize(
    ("factor", "most", "ranks"),
    [
        (0.0, 9, 1),
        (-0.5, math.inf, 1),
        (1.0, 7, 7),
        (1.5, 7.0, 7),
        (0.5, 59, 59),
        (0.5, 60, 60),
        (0.5, 61, 60),
    ],
)
def test_ranks_count_until_their_weight_no_longer_shows(factor, most, ranks):
    assert shrinking(factor, most) == ranks


def test_all_novelty_gone_after_the_first_item_or_none_ever():
    listed = [{1, 2}, {1, 2}, {1}]
    for alpha, best in ((1.0, [2, 0, 0]), (0.0, [2, 2, 2])):
        down = [sum((1 - alpha) ** min(i, 99) for _ in one) for i, one in enumerate(listed)]
        wanted = sum(v / (i + 1) for i, v in enumerate(down)) / sum(
            v / (i + 1) for i, v in enumerate(best)
        )
        assert measured(f"ERR-IA(alpha={alpha})@3", listed, []) == pytest.approx(wanted)
    assert measured("NRBP(alpha=0,beta=0)", listed, []) == 1.0
    assert measured("nNRBP(beta=0)", [{1}, {1, 2}], []) == 0.5
    assert measured("nNRBP(beta=1,alpha=0)", [{1}, {1, 2}], []) == 1.0


# subtopics i and j; grades a: i 3, b: i 1 and j 2, c: j 1; global gains 3, 3, 1 (Sakai & Song 2011, equations 3 to 6)
GRADED = pd.DataFrame(
    [("1", "i", "a", 3), ("1", "i", "b", 1), ("1", "j", "b", 2), ("1", "j", "c", 1)],
    columns=["query_id", "subtopic", "doc_id", "relevance"],
)


def d_measures(docs, qrels=GRADED):
    runs = pd.DataFrame(
        {"run": "r", "query_id": "1", "doc_id": docs, "score": range(len(docs), 0, -1)}
    )
    names = ["D-nDCG@2", "I-rec@2", "D#-nDCG@2", "D#-nDCG(gamma=0.2)@2"]
    return runs.ireval.measure(qrels, names)["value"].tolist()


def test_d_sharp_is_the_mean_of_subtopic_recall_and_of_ndcg_by_global_gain():
    log3 = np.log2(3)
    gain = (3 + 1 / log3) / (3 + 3 / log3)
    assert d_measures(["a", "c"]) == pytest.approx([gain, 1, (gain + 1) / 2, 0.2 + 0.8 * gain])
    assert d_measures(["a", "x"])[1] == 0.5
    assert d_measures(["b", "a"]) == pytest.approx([1.0] * 4)


def test_probabilities_of_subtopics_are_factors_of_the_grades():
    weighted = GRADED.assign(
        relevance=GRADED["relevance"] * GRADED["subtopic"].map({"i": 0.8, "j": 0.2})
    )
    # global gains: a 2.4, b 1.2, c 0.2
    best = 2.4 + 1.2 / np.log2(3)
    assert d_measures(["b", "a"], weighted)[0] == pytest.approx((1.2 + 2.4 / np.log2(3)) / best)
