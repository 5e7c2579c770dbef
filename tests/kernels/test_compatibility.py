"""Compatibility: the published program in plain Python, all permutations of ties, and another tool."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.kernels.continuation import Compat, ideal_place
from tests.examples import examples
from tests.kernels.lists import value

inf = math.inf


def overlap(ranking, ideal, p, depth):
    """Rank-biased overlap down to a depth, as the definition reads."""
    weights = [p ** (d - 1) for d in range(1, depth + 1)]
    shares = [len(set(ranking[:d]) & set(ideal[:d])) / d for d in range(1, depth + 1)]
    return sum(w * s for w, s in zip(weights, shares, strict=True)) / sum(weights)


def ideals(grades):
    """Every order of the items of positive grade that puts larger grades first."""
    groups = [
        [d for d in sorted(grades) if grades[d] == g]
        for g in sorted(set(grades.values()), reverse=True)
        if g > 0
    ]
    for orders in itertools.product(*map(itertools.permutations, groups)):
        yield [item for order in orders for item in order]


RANKINGS = st.permutations("abcdef").flatmap(
    lambda items: st.integers(0, 6).map(lambda n: items[:n])
)
GRADES = st.dictionaries(
    st.sampled_from("abcdefg"), st.sampled_from([-1, 0, 1, 1, 2, 2.5]), min_size=1
)


@given(
    ranking=RANKINGS,
    grades=GRADES,
    p=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    k=st.sampled_from([inf, 1, 3, 20]),
)
@examples(150)
def test_compatibility_is_the_largest_overlap_with_any_ideal_ranking(ranking, grades, p, k):
    every = list(ideals(grades))
    if not every[0]:
        return
    depth = max(len(ranking), len(every[0])) if k == inf else k
    best = max(overlap(ranking, ideal, p, depth) for ideal in every)
    name = f"Compat(p={p},normalize=false)" + (f"@{k}" if k < inf else "")
    assert value(name, ranking, grades) == pytest.approx(best, abs=1e-12)
    itself = overlap(every[0], every[0], p, depth)
    assert value(name.replace(",normalize=false", ""), ranking, grades) == pytest.approx(
        best / itself, abs=1e-12
    )


def test_compatibility_by_hand():
    # ranking a b x c, grades b 2, a 1, c 1; nearest ideal b a c; p = 1/2, depths 1 to 4
    ranking, ideal = [0, 1, 2 / 3, 3 / 4], [1, 1, 1, 3 / 4]
    weight = [1, 1 / 2, 1 / 4, 1 / 8]
    wanted = np.dot(ranking, weight) / np.dot(ideal, weight)
    assert value("Compat(p=0.5)", "abxc", {"b": 2, "a": 1, "c": 1}) == pytest.approx(
        wanted, abs=1e-15
    )


def test_an_ideal_ranking_has_one_and_items_not_found_come_last_in_it():
    assert value("Compat", "bac", {"b": 2, "a": 1, "c": 1}) == pytest.approx(1.0, abs=1e-15)
    assert value("Compat", "bca", {"b": 2, "a": 1, "c": 1}) == pytest.approx(1.0, abs=1e-15)
    found = value("Compat(normalize=false)@2", "bc", {"b": 2, "a": 1, "c": 1})
    assert found == pytest.approx(1.0, abs=1e-15)


def test_a_parameter_that_is_neither_true_nor_false_is_refused():
    assert pdeval.parse("Compat(normalize=False)").parameters["normalize"] is False
    with pytest.raises(
        ValueError, match=r"^'maybe' in 'Compat\(normalize=maybe\)': expected True or False"
    ):
        pdeval.parse("Compat(normalize=maybe)")


def test_many_lists_of_different_lengths_equal_each_alone():
    rank = np.array([[1.0, 2.0], [3.0, inf]])
    grade = np.array([[1.0, 2.0], [2.0, 1.0]])
    together = Compat(rank, grade, np.array([3.0, 900.0]))
    assert together.tolist() == [
        float(Compat(rank[:, i], grade[:, i], n)) for i, n in enumerate((3.0, 900.0))
    ]


@pytest.mark.extras
@pytest.mark.parametrize("name", ["Compat", "Compat(p=0.8)", "Compat(p=0.8,normalize=False)"])
def test_compatibility_equals_ir_measures(name):
    other = pytest.importorskip("ir_measures")
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    one = runs[runs["run"] == "bm25"]
    # distinct scores above 0: ties have another order there, and an item that was not found has score 0
    one = one.assign(score=one.groupby("query_id", observed=True)["score"].rank(method="first"))
    found = one.ireval.measure(qrels, name, queries="answered").set_index("query_id")["value"]
    theirs = other.iter_calc(
        [other.parse_measure(name)],
        qrels.astype({"query_id": str, "doc_id": str}),
        one.astype({"query_id": str, "doc_id": str}),
    )
    wanted = pd.Series({metric.query_id: metric.value for metric in theirs})
    assert len(found) > 40
    np.testing.assert_allclose(found, wanted.loc[found.index.astype(str)], rtol=0, atol=1e-12)


def test_of_many_items_of_one_grade_the_first_found_is_first_in_the_ideal_ranking():
    grades = np.array([1.0, 2.0] * 20)
    assert ideal_place(grades).tolist() == [place for i in range(20) for place in (21 + i, 1 + i)]


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("k", [inf, 1, 2, 9])
def test_topics_and_runs_side_by_side_are_those_of_each_alone(normalize, k):
    rank = np.array([[1, 2, 4, inf], [3, inf, 5, inf], [4, inf, 6, inf]]).reshape(3, 2, 2)
    grade = np.array([[1, 3, 2, 1], [2, 1, 1, 1], [3, 2, 1, 2]]).reshape(3, 2, 2)
    retrieved = np.array([[4, 2], [900, 0]])
    together = Compat(rank, grade, retrieved, p=0.7, normalize=normalize, k=k)
    assert together.shape == (2, 2)
    for at in itertools.product(range(2), range(2)):
        one = (slice(None), *at)
        alone = Compat(rank[one], grade[one], retrieved[at], p=0.7, normalize=normalize, k=k)
        assert together[at] == pytest.approx(float(alone), rel=1e-12)
    assert Compat(rank[:, :0], grade[:, :0], retrieved[:0], normalize=normalize, k=k).shape == (
        0,
        2,
    )
    assert ideal_place(grade[:, 0, 0].tolist()).tolist() == [3, 2, 1]
