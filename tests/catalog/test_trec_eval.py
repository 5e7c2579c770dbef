"""trec_eval's own spelling of measures, in the API (12.22)."""

import pytest

import pdeval
from pdeval.catalog import parse, parse_all


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("ndcg_cut.10", ["nDCG@10"]),
        ("P.5,10", ["P@5", "P@10"]),
        (["P.5,10", "map"], ["P@5", "P@10", "AP"]),
        ("AP, P.5,10, RR", ["AP", "P@5", "P@10", "RR"]),
        ("utility.2,-1,0,0", ["Utility(hit=2)"]),
        ("iprec_at_recall..125", ["IPrec@0.125"]),
        ("P.1000000", ["P@1000000"]),
        ("rbp.95", ["RBP(p=0.95)"]),  # ranx'
        ("rbp.p=0.5", ["gRBP(p=0.5,max_grade=topic)"]),
    ],
)
def test_names_with_dots_are_the_measures_that_they_mean(asked, meant):
    assert [measure.spelled for measure in parse_all(asked)] == meant


def test_sets_are_all_their_measures():
    runs, qrels, _ = pdeval.datasets.load_sample()
    scores = runs.ireval.measure(qrels, "official", queries="common")
    assert scores["measure"].nunique() == 29
    assert len(parse_all("all_trec")) == 98  # the lines of trec_eval less runid


def test_results_are_called_as_trec_eval_prints_them():
    assert [measure.label for measure in parse_all("P.5,10")] == ["P_5", "P_10"]
    assert parse("ndcg_cut.10").label == "ndcg_cut_10"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("P.5,10", "'P.5,10' stands for 2 measures, 'P_5' to 'P_10'. Pass one of them."),
        ("map.5", "map has no parameters"),
        ("relstring.5", "relstring is a text, not a measure"),
        ("prefs", "preference judgments"),
    ],
)
def test_what_is_no_single_measure_is_told(asked, told):
    with pytest.raises(ValueError) as caught:
        parse(asked)
    assert told in str(caught.value)
