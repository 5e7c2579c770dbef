"""The provider of ir_measures: the values of ir_measures' own to the last bit, from every form of table."""

import pandas as pd
import pytest

import pdeval
from tests.compat.test_pytrec_eval import drawn

ir_measures = pytest.importorskip("ir_measures")
pytest.importorskip("pytrec_eval")
pytestmark = pytest.mark.extras

from pdeval.compat.ir_measures import SPELLED, provider  # noqa: E402

ASKED = [
    "AP AP@10 AP(rel=2) AP(judged_only=True) nDCG nDCG@5 nDCG(gains={0:0,1:2,2:7})@10 P@5 P(rel=2)@3 RR RR(rel=3)",
    "Rprec R@3 R(rel=2)@20 Bpref Bpref(rel=2) NumRet NumRet(rel=1) NumQ NumRel SetP SetP(relative=True) SetR SetF",
    "SetF(beta=0.5) SetF(beta=2.0,rel=2) SetAP Success@1 Success(rel=2)@5 IPrec@0.1 IPrec@0.5 infAP infAP(rel=2)",
]
MEASURES = [ir_measures.parse_measure(name) for line in ASKED for name in line.split()]


def told(metrics):
    return sorted((metric.query_id, str(metric.measure), metric.value) for metric in metrics)


def frames(qrels, run):
    judged = [(query, doc, grade) for query, docs in qrels.items() for doc, grade in docs.items()]
    rows = [(query, doc, float(score)) for query, docs in run.items() for doc, score in docs.items()]
    return (
        pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]),
    )


@pytest.mark.broad
def test_every_measure_is_that_of_ir_measures_to_the_last_bit():
    own = ir_measures.pytrec_eval
    for seed in range(6):
        qrels, run = drawn(seed)
        assert told(provider.iter_calc(MEASURES, qrels, run)) == told(own.iter_calc(MEASURES, qrels, run))
        assert provider.calc_aggregate(MEASURES, qrels, run) == own.calc_aggregate(MEASURES, qrels, run)


@pytest.mark.broad
def test_dicts_frames_and_named_tuples_give_the_same():
    qrels, run = drawn(4)
    judged, rows = frames(qrels, run)
    expected = told(provider.iter_calc(MEASURES, qrels, run))
    assert told(provider.iter_calc(MEASURES, judged, rows.assign(rank=1, run="a"))) == expected
    tuples = [ir_measures.Qrel(*row) for row in judged.itertuples(index=False)]
    lists = [ir_measures.ScoredDoc(*row) for row in rows.itertuples(index=False)]
    assert told(provider.iter_calc(MEASURES, iter(tuples), iter(lists))) == expected


def test_it_is_registered_and_answers_for_what_it_supports():
    assert ir_measures.providers.registry["pdeval"] is provider
    assert provider.is_available()
    assert all(provider.supports(measure) for measure in MEASURES)
    assert not provider.supports(ir_measures.parse_measure("ERR@20"))
    assert {type(measure).NAME for measure in provider.SUPPORTED_MEASURES} == set(SPELLED)
    with pytest.raises(ValueError, match="unsupported measure ERR@20"):
        provider.evaluator([ir_measures.parse_measure("ERR@20")], {"q": {"d": 1}})


def test_a_query_that_the_run_did_not_answer_has_the_value_of_nothing():
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}, "other": {"b": 1.0}}
    found = provider.calc([ir_measures.AP, ir_measures.P @ 1], qrels, run)
    assert found.aggregated == {ir_measures.AP: 0.5, ir_measures.P @ 1: 0.5}
    assert ("q2", "AP", 0.0) in told(found.per_query)


@pytest.mark.broad
def test_an_evaluator_serves_many_runs():
    qrels = pdeval.datasets.sample_qrels()
    runs = pdeval.datasets.sample_runs()
    asked = [ir_measures.AP, ir_measures.nDCG @ 10]
    ours, theirs = (tool.evaluator(asked, qrels) for tool in (provider, ir_measures.pytrec_eval))
    for name in ("bm25", "dense-s1"):
        rows = runs[runs["run"] == name].astype({"query_id": str})
        assert told(ours.iter_calc(rows)) == told(theirs.iter_calc(rows))


def test_an_item_twice_in_a_list_is_an_error_and_not_the_last_one_silently():
    rows = pd.DataFrame({"query_id": "q", "doc_id": ["a", "a"], "score": [1.0, 2.0]})
    with pytest.raises(ValueError, match="duplicate"):
        provider.calc_aggregate([ir_measures.AP], {"q": {"a": 1}}, rows)
