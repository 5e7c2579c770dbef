"""A gain of grade 0 counts for items that were judged and found not relevant; what nobody judged has none."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.catalog import parse, parse_all
from pdeval.catalog.measures import needs_judged
from tests.examples import examples

RUNS = pd.DataFrame({"query_id": "1", "doc_id": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]})
QRELS = pd.DataFrame({"query_id": "1", "doc_id": ["b", "c", "e", "f"], "relevance": [0, 2, 0, -1]})


def asked(measures, runs=RUNS, qrels=QRELS, **rules):
    return runs.ireval.measure(qrels, measures, **rules)["value"].tolist()


def test_judged_items_of_grade_0_have_the_gain_unjudged_and_pooled_ones_none():
    assert asked("CG(gains={0: 1})") == [1 + 2]
    assert asked("DCG(gains={0: 1})") == [1 / math.log2(3) + 2 / math.log2(4)]


def test_the_ideal_ranking_has_them_too():
    best = 2 + 1 / math.log2(3) + 1 / math.log2(4)  # c, then b and e, both of grade 0
    assert asked("nDCG(gains={0: 1})") == [(1 / math.log2(3) + 1) / best]
    assert asked("nDCG(gains={0: 1})@2") == [1 / math.log2(3) / (2 + 1 / math.log2(3))]


def test_a_grade_that_is_not_listed_keeps_its_own_gain():
    assert asked("CG(gains={0: 1, 7: 3})") == asked("CG(gains={0: 1, 2: 2})") == [3.0]


def test_a_negative_gain_of_grade_0_is_a_penalty_and_no_part_of_the_ideal_ranking():
    assert asked("nDCG(gains={0: -1})") == [(-1 / math.log2(3) + 1) / 2]


def test_only_a_measure_that_looks_at_grade_0_is_given_all_judged_items():
    assert parse("nDCG(gains={0: 1})").kind == "judged"
    assert parse("nDCG(gains={0: 0, 1: 3})").kind == parse("nDCG(gains={1: 3})").kind == "graded"
    assert needs_judged(parse_all("G(gains={0: 1})"))
    assert not needs_judged(parse_all("G(gains={0: 0})"))


def test_the_level_is_left_alone():
    assert asked("nDCG(gains={0: 1})", level=2) == asked("nDCG(gains={0: 1})")


def test_a_query_of_grades_0_alone_counts_where_every_judged_query_does():
    qrels = pd.concat(
        [QRELS, pd.DataFrame({"query_id": "2", "doc_id": ["a", "b"], "relevance": 0})]
    )
    runs = pd.concat([RUNS, RUNS.assign(query_id="2")])
    assert asked("nDCG(gains={0: 1})", runs, qrels, queries="judged")[1] == 1.0
    assert len(asked("nDCG(gains={0: 1})", runs, qrels)) == 1


def test_binary_gains_are_those_of_the_level_and_grade_0_has_none():
    with pytest.raises(
        ValueError,
        match=r"gives a gain to grade 0, which is never relevant, but gain='binary' counts relevant items only",
    ):
        asked("nDCG(gain=binary, gains={0: 1})")


def test_preferences_and_contributions_see_them():
    runs = pd.concat([RUNS.assign(run="x"), RUNS.assign(run="y", score=[1.0, 2.0, 3.0, 4.0])])
    measure = "nDCG(gains={0: 1})"
    x, y = asked(measure, runs)
    assert runs.ireval.prefer(QRELS, measure)["value"].tolist() == [x - y]
    parts = runs.ireval.disaggregate(QRELS, measure)
    assert (parts["weight"] * parts["value"]).sum() == pytest.approx(x - y, rel=1e-12)


def test_a_residual_of_them_is_refused():
    with pytest.raises(
        ValueError,
        match=r"has no residual: grade 0 has a gain, but a residual is about which items",
    ):
        RUNS.ireval.pool.bounds(QRELS, "nDCG(gains={0: 1})")


def plain(docs, grades, gains, k, normalized):
    """Return DCG or nDCG by a loop over one list."""
    gain = {
        doc: float(gains.get(grade, max(grade, 0))) for doc, grade in grades.items() if grade >= 0
    }
    dcg = sum(gain.get(doc, 0.0) / math.log2(rank + 1) for rank, doc in enumerate(docs[:k], 1))
    best = sorted((max(one, 0.0) for one in gain.values()), reverse=True)
    ideal = sum(one / math.log2(rank + 1) for rank, one in enumerate(best[:k], 1))
    return dcg if not normalized else dcg / ideal if ideal else 0.0


@examples(60)
@given(st.data())
def test_a_loop_over_lists_gives_the_same(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    gains = data.draw(
        st.dictionaries(st.integers(0, 4), st.integers(-1, 5), min_size=1, max_size=4)
    ) | {0: 2}
    k = data.draw(st.sampled_from([1, 2, 5, 50]))
    lists, rows, labels = {}, [], []
    for query in map(
        str, range(1, data.draw(st.integers(1, 6)) + 1)
    ):  # of different numbers of judged items
        docs = [f"d{number + 10}" for number in rng.permutation(12)[: rng.integers(1, 12)]]
        known = rng.permutation(15)[: rng.integers(1, 15)]
        grades = {f"d{number + 10}": int(rng.integers(-1, 5)) for number in known} | {"d99": 1}
        lists[query] = docs, grades
        rows += [(query, doc, float(-rank)) for rank, doc in enumerate(docs)]
        labels += [(query, doc, grade) for doc, grade in grades.items()]
    runs = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    qrels = pd.DataFrame(labels, columns=["query_id", "doc_id", "relevance"])
    names = [f"DCG(gains={gains})@{k}", f"nDCG(gains={gains})@{k}"]
    expected = [
        plain(*lists[query], gains, k, normed)
        for query in sorted(lists)
        for normed in (False, True)
    ]
    for ties in ("docid", "expected"):  # no two scores are equal
        assert asked(names, runs, qrels, ties=ties) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.broad
def test_many_queries_at_once_are_each_alone():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    measures = [
        "nDCG(gains={0: 0.5})@10",
        "nDCGrel(gains={0: 1})",
        "RnDCG(gains={0: 1})",
        "G(gains={0: 1})",
        "AP",
    ]
    whole = runs.ireval.measure(qrels, measures, queries="common")
    for query in whole["query_id"].unique()[:4]:
        own = runs[runs["query_id"] == query].ireval.measure(
            qrels[qrels["query_id"] == query], measures
        )
        assert own["value"].tolist() == whole.loc[whole["query_id"] == query, "value"].tolist()
