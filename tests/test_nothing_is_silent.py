"""No silent answers: what is unknown is asked for, what is left out is said; by the numbers of the list of seams."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pdeval
from tests import naive


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.load_sample()


def told(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [str(one.message) for one in caught]


def test_1_contributions_add_up_to_the_preference_of_the_same_call(sample):
    judged = sample.runs.ireval.join(sample.qrels, queries="common")
    rows = judged.disaggregate("RPP", pairs=[("hybrid", "bm25")]).query("query_id == '101'")
    assert float((rows["weight"] * rows["value"]).sum()) == pytest.approx(0.6842, abs=5e-5)
    assert judged.prefer("RPP", pairs=[("hybrid", "bm25")])["value"][0] == pytest.approx(
        0.6842, abs=5e-5
    )


def test_4_a_user_who_wants_items_that_neither_run_found_is_indifferent():
    lists = {"x": {"q": ["a", "n1"]}, "y": {"q": ["n2", "a"]}}
    judged = naive.table(lists).ireval.join(
        naive.judgments({"q": {"a": 1, "b": 1, "c": 1, "d": 1}})
    )
    values = judged.prefer(["OI", "OI(over=found)"]).set_index("measure")["value"]
    assert (values["OI"], values["OI(over=found)"]) == (0.25, 1.0)


def test_8_a_level_that_gains_do_not_follow_is_told_once_and_can_be_followed():
    grades = {"q": {"a": 1, "b": 2, "c": 3}}
    runs, qrels = naive.table({"r": {"q": ["a", "b", "c"]}}), naive.judgments(grades)
    judged = runs.ireval.join(qrels, level=2)
    [text] = told(lambda: judged.measure(["nDCG", "AP"]))
    assert text.startswith(
        "level=2 does not change the gains of nDCG: every positive grade has a gain, as in trec_eval."
    )
    assert told(lambda: judged.measure("nDCG")) == []
    assert (
        told(
            lambda: runs.ireval.measure(
                qrels, ["nDCG(binary=true)", "nDCG(least=2)", "AP"], level=2
            )
        )
        == []
    )
    binary, least = judged.measure(["nDCG(binary=true)", "nDCG(least=2)"])["value"]
    ideal = 1 + 1 / np.log2(3)
    assert binary == pytest.approx((1 / np.log2(3) + 1 / 2) / ideal, abs=1e-15)
    assert least == pytest.approx((2 / np.log2(3) + 3 / 2) / (3 + 2 / np.log2(3)), abs=1e-15)


def test_10_runs_and_judgments_that_share_no_item_are_an_error_that_shows_both(sample):
    other = sample.runs.assign(doc_id="x" + sample.runs["doc_id"].astype(str))
    with pytest.raises(
        ValueError, match=r"no item of the runs is judged: the runs have 'x.*the judgments '"
    ):
        other.ireval.measure(sample.qrels, "AP")


def test_10_a_run_that_shares_no_item_is_told(sample):
    runs = sample.runs.astype({"run": str, "doc_id": str})
    runs.loc[runs["run"] == "ql", "doc_id"] = "x" + runs["doc_id"]
    [text] = told(lambda: runs.ireval.measure(sample.qrels, "AP", queries="common"))
    assert text.startswith("no item of 'ql' is judged for any query")


def test_10_whole_floats_are_integers():
    runs = pd.DataFrame({"query_id": [1.0, 1.0], "doc_id": [7.0, 8.0], "score": [2.0, 1.0]})
    qrels = pd.DataFrame({"query_id": [1], "doc_id": [8], "relevance": [1]})
    assert runs.ireval.measure(qrels, "RR")["value"].tolist() == [0.5]


def test_14_search_lengths_of_the_corpus_rule_have_a_mean():
    lists = {"x": {"q": ["d1", "n1", "n2"]}, "y": {"q": ["d1", "d2", "d3"]}}
    judged = naive.table(lists).ireval.join(
        naive.judgments({"q": {"d1": 1, "d2": 1, "d3": 1, "z": 0}})
    )
    names = ["ISL(unretrieved=corpus)", "ESL(i=2, unretrieved=corpus)", "TSL(unretrieved=corpus)"]
    values = judged.summary(names).set_index(["run", "measure"])["mean"]
    assert [values["x", name] for name in names] == [1.0, 4.0, 5.0]
    assert [values["y", name] for name in names] == [1.0, 2.0, 3.0]
    assert judged.measure("TSL")["value"].tolist() == [np.inf, 3.0]


def test_16_feedback_without_grades_counts_as_grade_1_and_says_so():
    used = pd.DataFrame({"user_id": [1, 1], "item_id": [5, 6], "timestamp": [10, 20]})
    assert repr(used.ireval).startswith(
        "judgments table: 1 query, 2 items, without grades: all have grade 1"
    )
    runs = pd.DataFrame({"run": "r", "user_id": 1, "item_id": [6, 9], "score": [2.0, 1.0]})
    assert runs.ireval.measure(used, "R@2")["value"].tolist() == [0.5]


def test_16_a_column_that_might_be_the_grade_is_asked_about():
    used = pd.DataFrame({"user_id": [1], "item_id": [5], "stars": [4]})
    runs = pd.DataFrame({"run": "r", "user_id": 1, "item_id": [5], "score": [2.0]})
    with pytest.raises(
        ValueError, match=r"the judgments table has no grade column .*user_id, item_id, stars"
    ):
        runs.ireval.measure(used, "AP")


def test_16_a_missing_hyper_parameter_is_a_value_of_its_own():
    runs = pd.DataFrame(
        {
            "model": ["a", "b", "b"],
            "rate": [np.nan, 0.1, 0.2],
            "query_id": "q",
            "doc_id": ["d", "d", "n"],
            "score": 1.0,
        }
    )
    qrels = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["d", "n"], "relevance": [1, 0]})
    scores = runs.ireval(run=["model", "rate"]).measure(qrels, "RR")
    assert scores["value"].tolist() == [1.0, 1.0, 0.0]
    assert scores["rate"].isna().tolist() == [True, False, False]
    assert scores.ireval.summary()["mean"].tolist() == [1.0, 1.0, 0.0]


def test_17_the_column_that_tells_duplicates_apart_is_named_before_rows_are_dropped():
    runs = pd.DataFrame({"model": ["a", "b"], "query_id": "q", "doc_id": "d", "score": 1.0})
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1]})
    with pytest.raises(
        ValueError, match=r"The column 'model' distinguishes them: use df\.ireval\(run="
    ):
        runs.ireval.measure(qrels, "AP")


def test_18_several_names_in_one_text_are_several_measures(sample):
    judged = sample.runs.ireval.join(sample.qrels, queries="common")
    assert judged.measure("AP, RR")["measure"].unique().tolist() == ["AP", "RR"]


def test_19_results_have_no_ghost_categories(sample):
    scores = sample.runs.ireval.measure(sample.qrels, ["AP", "RR"], queries="common")
    assert len(scores[scores["run"] == "bm25"]["run"].value_counts()) == 1
    assert len(scores[scores["measure"] == "AP"]["measure"].value_counts()) == 1
