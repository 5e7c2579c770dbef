import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import preferences_cube, scores_cube
from pdeval.evaluate.pairs import select
from pdeval.evaluate.scores import scores as scores_of
from pdeval.tables import reader


@pytest.fixture(scope="module")
def joined():
    return (
        pdeval.datasets.sample_runs()
        .ireval.join(pdeval.datasets.sample_qrels())
        .at(queries="answered")
    )


def scores(frame, **binding):
    return scores_cube(reader.read(frame, "scores", binding))


def preferences(frame, **binding):
    return preferences_cube(reader.read(frame, "preferences", binding))


PLAIN = {
    "as it is": lambda frame: frame,
    "shuffled": lambda frame: frame.sample(frac=1, random_state=1),
    "no categories": lambda frame: frame.astype(
        {n: object for n in frame if frame[n].dtype == "category"}
    ),
    "more columns": lambda frame: frame.assign(note=1, mean_a=2),
}


@pytest.mark.parametrize("how", PLAIN)
def test_scores_come_back_as_the_cube_that_they_came_from(joined, how):
    was = scores_of(joined, ["RR", "AP", "ISL"])
    again = scores(PLAIN[how](was.frame()))
    assert (again.measures, again.higher.tolist()) == (("RR", "AP", "ISL"), [True, True, False])
    assert again.queries.tolist() == was.queries.tolist()
    assert again.runs.astype(object).values.tolist() == was.runs.astype(object).values.tolist()
    np.testing.assert_array_equal(again.values, was.values)


@pytest.mark.parametrize("how", ["as it is", "shuffled", "no categories"])
def test_preferences_come_back_as_the_cube_that_they_came_from(joined, how):
    was = select(joined, ["RPP", "AP"], baseline="bm25").cube()
    again = preferences(PLAIN[how](was.frame()))
    assert again.measures == ("RPP", "AP")
    assert [again.runs["run"][i] for i in again.a] == [was.runs["run"][i] for i in was.a]
    assert {again.runs["run"][i] for i in again.b} == {"bm25"}
    assert np.isnan(was.values).any()
    np.testing.assert_array_equal(again.values, was.values)


def test_what_the_numbers_rest_on_is_kept(joined):
    assert scores(scores_of(joined, "AP").frame()).attrs["queries"] == "answered"


def test_runs_of_several_columns_come_back():
    rows = [("x", 1, "q", "AP", 0.1), ("x", 2, "q", "AP", 0.2), ("y", 1, "q", "AP", 0.3)]
    frame = pd.DataFrame(rows, columns=["model", "seed", "qid", "measure", "value"])
    cube = scores(frame, run=["model", "seed"])
    assert cube.runs.values.tolist() == [["x", 1], ["x", 2], ["y", 1]]
    assert cube.values.tolist() == [[[0.1, 0.2, 0.3]]]
    assert cube.queries.name == "qid"


def test_preferences_of_runs_of_several_columns_come_back():
    rows = [("q", "x", 1, "y", 1, "RPP", 0.5), ("q", "x", 2, "y", 1, "RPP", -0.5)]
    names = ["qid", "model_a", "seed_a", "model_b", "seed_b", "measure", "value"]
    cube = preferences(pd.DataFrame(rows, columns=names))
    assert cube.runs.values.tolist() == [["x", 1], ["x", 2], ["y", 1]]
    assert (cube.a.tolist(), cube.b.tolist()) == ([0, 1], [2, 2])


def test_missing_cells_do_not_count():
    rows = [("a", "1", "AP", 0.1), ("b", "2", "AP", 0.2)]
    held = scores(pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"])).values[0]
    assert np.isnan(held).tolist() == [[False, True], [True, False]]


def test_the_direction_of_an_unknown_measure_is_asked_for():
    rows = [("a", "1", "clicks", 3), ("a", "1", "TSL", 3)]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"])
    with pytest.raises(
        ValueError,
        match=r"unknown direction of measure 'clicks'.*df\.ireval\(higher=\{'clicks': True\}\)",
    ):
        scores(frame)
    assert scores(frame, higher={"clicks": False}).higher.tolist() == [False, False]
    assert scores(frame, higher={"clicks": True}).higher.tolist() == [True, False]


def test_ordered_categories_keep_their_order():
    runs = pd.Categorical(["small", "large"], ["small", "large"], ordered=True)
    frame = pd.DataFrame({"run": runs, "query_id": "1", "measure": "AP", "value": [0.1, 0.2]})
    assert scores(frame).runs["run"].tolist() == ["small", "large"]


def test_unordered_categories_are_sorted():
    runs = pd.Categorical(["b", "a"], ["b", "z", "a"])
    frame = pd.DataFrame({"run": runs, "query_id": "1", "measure": "AP", "value": [0.1, 0.2]})
    assert scores(frame).runs["run"].tolist() == ["a", "b"]
    assert scores(frame).values.tolist() == [[[0.2, 0.1]]]


SCORES = [("a", "1", "AP", 0.1), ("a", "2", "AP", 0.2)]
PREFERENCES = [("1", "a", "b", "RPP", 0.5), ("1", "a", "c", "RPP", 0.5)]
BAD_SCORES = {
    "no rows": ([], "the scores table is empty"),
    "a repeated cell": (
        [*SCORES, ("a", "2", "AP", 0.3)],
        r"1 rows that repeat an earlier \(run, query_id, measure\), e\.g\. \('a', '2', 'AP'\).*df\.ireval\(run=",
    ),
    "a missing value": ([*SCORES, ("b", "1", "AP", None)], "value column has 1 missing values"),
    "a missing run": ([*SCORES, (None, "1", "AP", 0.1)], "run column has 1 missing ids"),
    "a missing query": ([*SCORES, ("b", None, "AP", 0.1)], "query column has 1 missing ids"),
    "a missing measure": ([*SCORES, ("b", "1", None, 0.1)], "measure column has 1 missing names"),
    "text": ([("a", "1", "AP", "good")], "value column has 1 values that are not numbers"),
}
BAD_PREFERENCES = {
    "no rows": ([], "the preferences table is empty"),
    "both directions": (
        [*PREFERENCES, ("1", "b", "a", "RPP", -0.5)],
        r"both directions, e\.g\. \('a', 'b'\)",
    ),
    "both directions on different queries": (
        [*PREFERENCES, ("2", "c", "a", "RPP", 0.1)],
        "both directions",
    ),
    "itself": ([*PREFERENCES, ("1", "a", "a", "RPP", 0.0)], "1 rows compare a run with itself"),
    "a repeated cell": (
        [*PREFERENCES, ("1", "a", "b", "RPP", 0.5)],
        "1 rows that repeat an earlier .query_id, run_a, run_b",
    ),
}


@pytest.mark.parametrize("case", BAD_SCORES)
def test_broken_scores_are_refused(case):
    rows, text = BAD_SCORES[case]
    with pytest.raises(ValueError, match=text):
        scores(pd.DataFrame(rows, columns=["run", "query_id", "measure", "value"]))


@pytest.mark.parametrize("case", BAD_PREFERENCES)
def test_broken_preferences_are_refused(case):
    rows, text = BAD_PREFERENCES[case]
    with pytest.raises(ValueError, match=text):
        preferences(pd.DataFrame(rows, columns=["query_id", "run_a", "run_b", "measure", "value"]))
