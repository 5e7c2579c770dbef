"""Recall curves of reviews, and stopping rules against plain loops over the ranking."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.kernels.review import stop_after_irrelevant, stop_at_knee
from tests.examples import examples

REVIEWS = st.integers(1, 120).flatmap(
    lambda size: st.tuples(st.just(size), st.sets(st.integers(1, size), min_size=1))
)


def irrelevant_in_a_row(relevant, size, most):
    row = 0
    for place in range(1, size + 1):
        row = 0 if place in relevant else row + 1
        if row == most:
            return place
    return size


def knee(relevant, size, least):
    read, batch = 0, 1
    while read < size:
        read += batch
        batch += -(-batch // 10)
        seen = sorted(place for place in relevant if place <= read)
        if read < least or not seen:
            continue
        n = len(seen)
        distance = [(i - n * place / read, -i) for i, place in enumerate(seen, start=1)]
        i = -max(distance)[1]
        ratio = (i / seen[i - 1]) * max(read - seen[i - 1], 1) / (1 + n - i)
        if ratio >= 156 - min(n, 150):
            return min(read, size)
    return size


@given(REVIEWS, st.integers(1, 30))
@examples(60)
def test_a_review_stops_after_irrelevant_items_in_a_row(review, most):
    size, relevant = review
    ranks = np.array(sorted(relevant), float)
    found = stop_after_irrelevant(ranks, np.array(float(size)), most)
    assert float(found) == irrelevant_in_a_row(relevant, size, most)


@pytest.mark.parametrize(
    ("first", "others"), [(200, ()), (3, (40, 90)), (160, (400, 900)), (1, ()), (0, (40, 90))]
)
def test_a_review_stops_at_the_knee(first, others):
    relevant = [*range(1, first + 1), *others]
    for size, least in [(1000, 10), (5000, 500)]:
        found = stop_at_knee(np.array(relevant, float), np.array(float(size)), least)
        assert float(found) == knee(relevant, size, least)


RUNS = pd.DataFrame(
    [("a", query, f"d{place}", -place) for query in "12" for place in range(1, 11)],
    columns=["run", "query_id", "doc_id", "score"],
)
QRELS = pd.DataFrame(
    [("1", "d1"), ("1", "d2"), ("1", "d9"), ("2", "d2")], columns=["query_id", "doc_id"]
).assign(relevance=1)


def test_stopping_rules_are_compared_by_recall_and_effort():
    rules = ["effort@0.5", "irrelevant@3", "irrelevant@9"]
    found = RUNS.ireval.stopping(QRELS, rules)
    assert found["recall"].tolist() == pytest.approx([5 / 6, 5 / 6, 1.0])
    assert found["effort"].tolist() == [0.5, 0.5, 1.0]
    assert found["reached"].tolist() == [0.5, 0.5, 1.0]
    own = RUNS.ireval.stopping(QRELS, {"mine": lambda rank, size: np.full(rank.shape[1:], 2.0)})
    assert own[["rule", "effort"]].to_numpy().tolist() == [["mine", 0.2]]
    with pytest.raises(ValueError, match="unknown stopping rule 'patience@3'"):
        RUNS.ireval.stopping(QRELS, "patience@3")


def test_the_recall_curve_is_the_mean_over_reviews_with_its_interval():
    found = RUNS.ireval.recall_curve(QRELS, points=11)
    assert found["mean"].tolist()[:3] == pytest.approx([0.0, 1 / 6, 5 / 6])
    scores = RUNS.ireval.measure(QRELS, "EffortRecall@0.2")["value"]
    half = (
        12.706204736174698 * scores.std() / np.sqrt(2)
    )  # Student's quantile with one degree of freedom
    row = found.loc[2]
    assert [row["ci_low"], row["ci_high"]] == [
        max(scores.mean() - half, 0),
        min(scores.mean() + half, 1),
    ]


@pytest.mark.extras
def test_the_recall_curve_is_drawn_with_a_random_order():
    ax = RUNS.ireval.recall_curve(QRELS, points=11).ireval.plot()
    assert [line.get_label() for line in ax.lines] == ["a", "_random"]
