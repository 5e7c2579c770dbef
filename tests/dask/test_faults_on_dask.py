"""What is wrong with a question or with rows on Dask is told as on pandas, before the work where it can be."""

import pandas as pd
import pytest

import pdeval
from tests.dask.bits import SCORES, divided, gathered, quiet, same_bits

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

import pdeval.dask.accessor  # noqa: E402

MIXED = ["AP", "nDCG@10", "bpref", "ERR", "GMAP", "ASL"]


@pytest.mark.broad
def test_faults_of_the_question_are_told_before_any_work(runs, qrels):
    table = divided(runs, 3)
    cases = [
        ("level=0: the smallest relevant grade", {"level": 0}, "AP"),
        ("ties='coin': choose 'docid'", {"ties": "coin"}, "AP"),
        ("queries='odd': choose", {"queries": "odd"}, "AP"),
        ("RPP is a preference, not a measure of one ranking", {}, "RPP"),
        ("has no closed form over the orders of tied items", {"ties": "expected"}, "bpref"),
        ("a grade of at least 9", {"level": 9}, "AP"),
    ]
    for text, rules, measure in cases:
        with pytest.raises(ValueError, match=text):
            quiet(table.ireval.measure, qrels, measure, **rules)
    with pytest.raises(ValueError, match="RPP compares definite rankings"):
        quiet(table.ireval.prefer, qrels, "RPP", ties="expected")
    with pytest.raises(
        ValueError, match="needs subtopics, but the judgments have no subtopic column"
    ):
        quiet(table.ireval.measure, pdeval.datasets.sample_qrels(), "alpha-nDCG@10")
    with pytest.raises(
        TypeError,
        match=r"measure\(\) has no option 'tie'\. Its options are qrels, measures, .* Did you mean 'ties'?",
    ):
        table.ireval.measure(qrels, "AP", tie="rank")
    with pytest.raises(KeyError, match="no baseline 'bm52'"):
        quiet(table.ireval.prefer, qrels, "RPP", baseline="bm52")


@pytest.mark.broad
def test_ids_that_would_never_match_are_an_error(runs, qrels):
    table = divided(runs, 3)
    wrong = qrels.assign(query_id=qrels["query_id"].astype(str).astype(int))
    with pytest.raises(
        ValueError, match="the query ids are strings in the run table and integers in the judg"
    ):
        table.ireval.measure(wrong, "AP")
    with pytest.raises(
        ValueError, match="no query of the runs is judged: the runs have '101', '102', '103',"
    ):
        table.ireval.measure(qrels.assign(query_id="q" + qrels["query_id"].astype(str)), "AP")


@pytest.mark.broad
def test_faults_of_the_rows_are_told_by_their_ids_also_after_a_shuffle(few, qrels):
    twice = pd.concat([few, few.head(1)], ignore_index=True)
    for rows in ("by query", "mixed"):
        lazy = quiet(divided(twice, 3, rows).ireval.measure, qrels, "ASL")
        with pytest.raises(
            ValueError, match=r"1 duplicate \(run, query, doc\) rows, e.g. \('bm25', '110',"
        ):
            lazy.compute()


def test_an_empty_table_is_an_error(few, qrels):
    with pytest.raises(ValueError, match="the run table is empty; there is nothing to evaluate"):
        divided(few.iloc[:0], 1).ireval.measure(qrels, "AP")
    with pytest.raises(ValueError, match="the judgments table is empty"):
        divided(few, 2).ireval.measure(qrels.iloc[:0], "AP")


def test_a_verb_of_results_on_a_run_table_says_what_to_call(runs):
    table = divided(runs, 2)
    with pytest.raises(TypeError, match="summary\\(\\) of a run table needs judgments"):
        table.ireval.summary()
    with pytest.raises(AttributeError, match=r"no verb 'evaluate'. Use .measure\(qrels"):
        table.ireval.evaluate()


@pytest.mark.broad
def test_empty_partitions_do_no_harm(few, qrels):
    table = divided(few, 4, "by query")
    table = table[table["query_id"] > "115"]
    expected = quiet(few[few["query_id"] > "115"].ireval.measure, qrels, MIXED)
    same_bits(expected, gathered(quiet(table.ireval.measure, qrels, MIXED), SCORES))
