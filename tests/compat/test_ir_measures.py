"""The provider of ir_measures: the values of ir_measures' own to the last bit, from every form of table."""

import itertools
import sys

import pandas as pd
import pytest

import pdeval
from pdeval.compat import pytrec_eval as ours
from tests.compat.test_pytrec_eval import drawn
from tests.parity.test_ir_measures import drawn as drawn_frames

ir_measures = pytest.importorskip("ir_measures")
pytest.importorskip("pytrec_eval")
pytestmark = pytest.mark.extras

from pdeval.compat.ir_measures import NOT_PROVIDED, SPELLED, provider  # noqa: E402

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
    rows = [
        (query, doc, float(score)) for query, docs in run.items() for doc, score in docs.items()
    ]
    return (
        pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]),
    )


@pytest.mark.broad
def test_every_measure_is_that_of_ir_measures_to_the_last_bit():
    own = ir_measures.pytrec_eval
    for seed in range(6):
        qrels, run = drawn(seed)
        assert told(provider.iter_calc(MEASURES, qrels, run)) == told(
            own.iter_calc(MEASURES, qrels, run)
        )
        assert provider.calc_aggregate(MEASURES, qrels, run) == own.calc_aggregate(
            MEASURES, qrels, run
        )


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
    with pytest.raises(
        ValueError, match=r"unsupported measure RBP\. Check measures with provider\.supports"
    ):
        provider.evaluator([ir_measures.RBP], {"q": {"d": 1}})


# values to try of every parameter in ir_measures' registry; None leaves it out
TRIED = {
    "cutoff": [None, 10], "rel": [None, 2], "judged_only": [None, True], "max_rel": [4], "min_rel": [None, 1],
    "T": [None, 2.0], "p": [None, 0.6], "alpha": [None, 0.2], "beta": [None, 0.8], "gains": [None, {1: 2, 2: 5}],
    "dcg": [None, "exp-log2"], "recall": [0.3], "relative": [None, True], "normalize": [None, False],
}  # fmt: skip
NAMES = sorted({measure.NAME for measure in ir_measures.measures.registry.values()})


def spellings(name):
    """Return the valid spellings of a measure, with every combination of the values to try."""
    bare = ir_measures.measures.registry[name]
    names = list(bare.SUPPORTED_PARAMS)
    for values in itertools.product(*(TRIED[parameter] for parameter in names)):
        made = bare(
            **{parameter: value for parameter, value in zip(names, values) if value is not None}
        )
        try:
            made.validate_params()
        except AssertionError:
            continue
        yield made


def without_definition(measure):
    """Return whether no provider of ir_measures' pipeline computes a measure, or the one that claims to fails."""
    if measure.NAME == "RBP":
        return measure["rel"] is NOT_PROVIDED
    if measure.NAME == "nDCG":
        return measure["dcg"] == "exp-log2" and measure["gains"] is not NOT_PROVIDED
    if not ir_measures.pyndeval.supports(measure):
        return False
    known = measure.SUPPORTED_PARAMS
    no_cutoff = "cutoff" in known and measure["cutoff"] is NOT_PROVIDED
    return no_cutoff or ("judged_only" in known and measure["judged_only"])


def test_every_spelling_of_the_registry_that_has_a_definition_is_supported():
    asked = [measure for name in NAMES for measure in spellings(name)]
    assert len(asked) > 150
    refused = {measure for measure in asked if not provider.supports(measure)}
    assert refused == {measure for measure in asked if without_definition(measure)}


@pytest.mark.broad
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    "name", [name for name in NAMES if name not in SPELLED or name in ("RR", "nDCG")]
)
def test_every_spelling_has_the_value_of_ir_measures(name, ties):
    if name == "Compat" and ties:
        pytest.skip(
            "ir_measures orders equal items of the ideal ranking as the judgments are ordered"
        )
    compared = 0
    for measure in spellings(name):
        tool = next(
            (one for one in ir_measures.DefaultPipeline.providers if one.supports(measure)), None
        )
        if tool is None or without_definition(measure) or not tool.is_available():
            continue
        exact = (
            {"abs": 0.5000001e-5} if tool is ir_measures.gdeval else {"rel": 1e-12, "abs": 1e-14}
        )
        for seed in range(2):
            runs, qrels = drawn_frames(seed, tool is ir_measures.pyndeval)
            if ties:
                runs["score"] = runs["score"] % 7
            if tool is ir_measures.pyndeval:
                qrels["relevance"] = 1 + qrels.index % 2
            expected = {one.query_id: one.value for one in tool.iter_calc([measure], qrels, runs)}
            found = {one.query_id: one.value for one in provider.iter_calc([measure], qrels, runs)}
            assert found == pytest.approx(expected, **exact), measure
            compared += 1
    if not compared:
        pytest.skip(f"ir_measures cannot compute {name} here: what it calls is not installed")


def test_measures_without_trec_eval_take_dicts_and_unanswered_queries_too():
    qrels, run = (
        {"q1": {"a": 1, "b": 0}, "q2": {"b": 1}, "q3": {"c": 1}},
        {"q1": {"b": 2.0, "a": 1.0}, "q3": {"x": 1.0}},
    )
    asked = [
        ir_measures.parse_measure(name)
        for name in ("RR@10", "Judged@5", "Compat", "RBP(rel=1)", "Accuracy")
    ]
    found = {
        (one.query_id, str(one.measure)): one.value for one in provider.iter_calc(asked, qrels, run)
    }
    assert found == {
        (one.query_id, str(one.measure)): pytest.approx(one.value, rel=1e-12)
        for measure in asked
        for one in ir_measures.iter_calc([measure], qrels, run)
    }
    assert found["q2", "RR@10"] == 0.0
    assert ("q2", "Accuracy") not in found  # ir_measures leaves out lists without a relevant item
    assert provider.calc_aggregate(asked[-1:], qrels, run) == ir_measures.calc_aggregate(
        asked[-1:], qrels, run
    )
    assert provider.calc_aggregate(asked[:1], qrels, {"other": {"a": 1.0}}) == {asked[0]: 0.0}


def test_ir_measures_takes_the_module_in_place_of_pytrec_eval(monkeypatch):
    monkeypatch.setitem(sys.modules, "pytrec_eval", ours)
    tool = type(ir_measures.pytrec_eval)()
    assert tool.is_available()  # which asks for __version__
    qrels, run = drawn(1)
    assert told(tool.iter_calc(MEASURES, qrels, run)) == told(
        ir_measures.pytrec_eval.iter_calc(MEASURES, qrels, run)
    )


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
