"""Two runs on one query: who prefers which, and why."""

import numpy as np
import pytest

import pdeval
from pdeval.catalog import ENTRIES
from tests import naive

inf = np.inf
# q1: x finds the relevant items at 1, 3, never; y at 2, 3, 4; of grade 2 is b, at 3 for both. q2: x 1, y 2
LISTS = {
    "x": {"q1": ["a", "n1", "b", "n2"], "q2": ["e"]},
    "y": {"q1": ["n3", "c", "b", "a", "n4", "n5"], "q2": ["f", "e"]},
    "z": {"q1": ["n3"], "q2": ["f"]},
}
GRADES = {"q1": {"a": 1, "b": 2, "c": 1}, "q2": {"e": 1}, "q3": {"w": 0}}
PREFERENCES = [
    name
    for name, entry in ENTRIES.items()
    if entry.family == "preference" and entry.kind != "subtopic" and name != "p-MRR"
]


@pytest.fixture(scope="module")
def joined():
    return naive.table(LISTS).ireval.join(naive.judgments(GRADES))


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.sample_judged(queries="common")


def test_each_recall_level_says_which_items_at_which_ranks_and_who_is_sooner(joined):
    found = joined.explain("q1", "RPP", runs=["x", "y"])
    assert found["population"].tolist() == ["grade >= 1"] * 3 + ["grade >= 2"]
    assert found["recall"].tolist() == [1, 2, 3, 1]
    assert found["doc_a"].fillna("").tolist() == ["a", "b", "", "b"]
    assert found["rank_a"].dtype == "Int64"
    assert found["rank_a"].fillna(-1).tolist() == [1, 3, -1, 3]
    assert found["doc_b"].tolist() == ["c", "b", "a", "b"]
    assert found["rank_b"].tolist() == [2, 3, 4, 3]
    assert found["ahead"].tolist() == ["x", "tie", "y", "tie"]
    assert found["running_sum"].tolist() == [0.25, 0.25, 0.0, 0.0]


def test_the_first_run_named_is_run_a(joined):
    found = joined.explain("q1", "RPP(level=1)", runs=["y", "x"])
    assert (found["run_a"].unique().tolist(), found["run_b"].unique().tolist()) == (["y"], ["x"])
    assert found["value"].tolist() == [-1.0, 0.0, 1.0]


def test_a_mean_over_items_is_no_sum_over_recall_levels(sample):
    with pytest.raises(ValueError, match="p-MRR is not a sum over recall levels"):
        sample.explain("101", ["RPP", "p-MRR"], runs=["ql", "bm25"])


@pytest.mark.broad
@pytest.mark.parametrize("measure", [*PREFERENCES, "AP", "bpref", "nDCG"])
def test_the_running_sum_ends_at_the_preference(sample, measure):
    prefs = sample.prefer(measure, pairs=[("ql", "bm25")]).set_index("query_id")["value"]
    for query in ("101", "118", "147"):
        found = sample.explain(query, ["RPP", measure], runs=["ql", "bm25"])
        last = found[found["measure"] == measure]["running_sum"].iloc[-1]
        assert last == pytest.approx(prefs[query], abs=1e-12)


def test_subtopics_are_populations_too():
    judged = pdeval.datasets.sample_judged(subtopics=True, queries="common")
    found = judged.explain("101", "ST-RPP", runs=["ql", "bm25"])
    prefs = judged.prefer("ST-RPP", pairs=[("ql", "bm25")]).set_index("query_id")["value"]
    assert found["running_sum"].iloc[-1] == pytest.approx(prefs["101"], abs=1e-12)
    assert "any subtopic" in set(found["population"])
    assert (found["rank_a"].notna() == found["doc_a"].notna()).all()


def test_without_a_query_the_one_with_the_largest_preference_is_taken(sample):
    prefs = sample.prefer("RPP", pairs=[("hybrid", "bm25")])
    wanted = prefs["query_id"].iloc[prefs["value"].abs().argmax()]
    assert sample.explain(measures="RPP", runs=["hybrid", "bm25"])[
        "query_id"
    ].unique().tolist() == [wanted]


def test_without_a_query_that_on_which_two_measures_disagree_most_is_taken(sample):
    prefs = sample.prefer(["RPP", "AP"], pairs=[("hybrid", "bm25")])
    values = prefs.astype({"query_id": str}).pivot(
        index="query_id", columns="measure", values="value"
    )
    scaled = values / values.abs().max()
    wanted = (scaled["RPP"] - scaled["AP"]).abs().idxmax()
    found = sample.explain(measures=["RPP", "AP"], runs=["hybrid", "bm25"])
    assert found["query_id"].unique().tolist() == [wanted]


def test_measures_without_a_query_look_at_the_largest_difference_spread_or_the_worst(sample):
    scores = sample.measure("AP").pivot(index="query_id", columns="run", values="value")
    assert set(sample.explain(measures="AP")["query_id"]) == {
        (scores.max(axis=1) - scores.min(axis=1)).idxmax()
    }
    assert set(sample.explain(measures="AP", runs="bm25")["query_id"]) == {scores["bm25"].idxmin()}
    two = (scores["ql"] - scores["bm25"]).abs().idxmax()
    assert set(sample.explain(measures="AP", runs=["ql", "bm25"])["query_id"]) == {two}


@pytest.mark.parametrize(
    ("query", "measures", "runs", "kind", "text"),
    [
        (
            "q1",
            "RPP",
            None,
            ValueError,
            "RPP is a preference between two runs, but 3 runs are selected. Select two",
        ),
        ("q1", ["AP", "sgnLP"], "x", ValueError, "sgnLP is a preference.*but 1 runs are selected"),
        ("q9", "RPP", ["x", "y"], KeyError, "no judged query 'q9'"),
        ("q3", "RPP", ["x", "y"], ValueError, "query 'q3' has no relevant item"),
        ("q1", ["RPP", "F@5"], ["x", "y"], ValueError, "F@5 is not a sum over recall levels"),
    ],
)
def test_an_account_that_cannot_be_given_is_refused(joined, query, measures, runs, kind, text):
    with pytest.raises(kind, match=text):
        joined.explain(query, measures, runs=runs)


def test_the_table_is_recognized(joined):
    assert repr(joined.explain("q1", "RPP", runs=["x", "y"]).ireval).startswith(
        "explanation of a preference"
    )
