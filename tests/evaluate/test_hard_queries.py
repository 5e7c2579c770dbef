"""`hard_queries`: the queries that deserve a look, and why."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.tables.schemas import SCHEMAS
from tests import naive
from tests.schema_faults import faults

# q1: both runs are good. q2: both fail. q3: y has only unjudged documents, and x is good
LISTS = {
    "x": {"q1": ["a", "b"], "q2": ["n", "o"], "q3": ["e", "f"]},
    "y": {"q1": ["b", "a"], "q2": ["o", "n"], "q3": ["u", "v", "e"]},
}
GRADES = {
    "q1": {"a": 1, "b": 1},
    "q2": {"n": 0, "o": 0, "missed": 1},
    "q3": {"e": 1, "f": 1},
}


@pytest.fixture(scope="module")
def joined():
    return naive.table(LISTS).ireval.join(naive.judgments(GRADES))


def test_the_hardest_query_of_each_problem_is_worked_by_hand(joined):
    frame = joined.hard_queries("P@2", top=1)
    assert faults(SCHEMAS["hard_queries"], frame, {"query": ["query_id"]}) == []
    assert frame.drop(columns=["measure", "reason"]).values.tolist() == [
        ["q2", "all fail", 1, 0.0, "x", "x"],
        ["q3", "runs differ", 1, 1.0, "x", "y"],
        ["q3", "few labels", 1, 0.5, "x", "y"],
    ]
    assert frame["reason"].tolist() == [
        "no run has more than 0.000 P@2; 0 of 1 relevant documents are among the first 2 of any run.",
        "y loses 1.000 P@2 to x: none of its top 2 documents is judged; with judged documents only it loses "
        "by 0.500.",
        "1.0 of the first 2 documents are judged on average, 0 in y; 2 relevant documents are known.",
    ]


def test_queries_on_which_all_runs_are_equal_do_not_differ(joined):
    frame = joined.hard_queries("P@2", top=9)
    assert frame.groupby("problem", sort=False)["query_id"].apply(list).to_dict() == {
        "all fail": ["q2", "q1", "q3"],
        "runs differ": ["q3"],
        "few labels": ["q3", "q1", "q2"],
    }
    assert frame["place"].tolist() == [1, 2, 3, 1, 1, 2, 3]


def test_a_measure_that_is_better_if_low_fails_at_its_largest_values(joined):
    frame = joined.hard_queries("ISL(unretrieved=corpus)", top=1).set_index("problem")
    assert frame.loc["all fail", "query_id"] == "q2"
    assert frame.loc["all fail", "value"] > 0
    assert frame.loc["all fail", "reason"].startswith("no run has less than")


def test_a_single_run_has_no_differences_and_texts_are_shown(joined):
    frame = joined.hard_queries("P@2", runs="y", top=1, texts={"queries": {"q3": "third"}})
    assert frame["problem"].tolist() == ["all fail", "few labels"]
    assert frame["query_id"].tolist() == ["q2", "q3"]
    assert frame["query_text"].isna().tolist() == [True, False]
    assert frame["query_text"].iloc[1] == "third"


@pytest.mark.parametrize("measures", [["nDCG@10", "AP"], ["RR"]])
def test_the_queries_are_those_of_the_scores(measures):
    sample = pdeval.datasets.sample_judged(queries="common")
    frame = sample.hard_queries(measures, top=4)
    scores = sample.measure(measures)
    for measure in measures:
        wide = scores[scores["measure"] == measure].pivot(
            index="query_id", columns="run", values="value"
        )
        keys = {
            "all fail": wide.max(axis=1),
            "runs differ": wide.min(axis=1) - wide.max(axis=1),
        }
        for problem, key in keys.items():
            rows = frame[(frame["measure"] == measure) & (frame["problem"] == problem)]
            expected = key.sort_values(kind="stable").head(4)
            assert rows["query_id"].tolist() == expected.index.tolist()
            np.testing.assert_array_equal(rows["value"], expected.abs())


def test_groups_of_queries_have_their_own_lists():
    sample = pdeval.datasets.sample_judged(queries="common")
    half = pd.DataFrame({"query_id": sample.queries, "part": np.arange(len(sample.queries)) % 2})
    frame = sample.hard_queries(top=1, by="part", metadata=half)
    assert frame["part"].tolist() == [0, 0, 0, 1, 1, 1]


def test_the_report_has_the_reasons():
    frame = pdeval.datasets.sample_judged(queries="common").hard_queries(top=1)
    text = frame.ireval.report(footnotes=False).to_html()
    assert "no run has more than" in text


def test_bad_input_is_answered_by_text(joined):
    with pytest.raises(ValueError, match="RPP is a preference, not a measure of one ranking"):
        joined.hard_queries("RPP")
    with pytest.raises(KeyError, match="no run 'z'; the runs are 'x', 'y'"):
        joined.hard_queries("AP", runs="z")
    with pytest.raises(ValueError, match="top=0: expected an integer of at least 1"):
        joined.hard_queries("AP", top=0)
