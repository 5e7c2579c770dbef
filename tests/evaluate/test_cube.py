import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate import cube
from pdeval.tables import labels, repeated


def scores(values, runs=None, queries=("1", "2"), measures=("AP",)):
    runs = pd.DataFrame({"run": ["a", "b"]}) if runs is None else runs
    index = pd.Index(list(queries), name="query_id")
    return cube.Scores(
        runs,
        index,
        measures,
        np.asarray(values),
        np.ones(len(measures), dtype=bool),
        {"queries": "x"},
    )


def test_scores_become_a_tidy_frame_sorted_by_run_query_and_measure():
    frame = scores([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], measures=("RR", "AP")).frame()
    assert frame.astype({"run": str, "query_id": str, "measure": str}).values.tolist() == [
        ["a", "1", "RR", 1], ["a", "1", "AP", 5], ["a", "2", "RR", 3], ["a", "2", "AP", 7],
        ["b", "1", "RR", 2], ["b", "1", "AP", 6], ["b", "2", "RR", 4], ["b", "2", "AP", 8],
    ]  # fmt: skip
    assert isinstance(frame.index, pd.RangeIndex)
    assert all(
        pd.api.types.is_string_dtype(frame[name].dtype) for name in ("run", "query_id", "measure")
    )
    assert frame.attrs == {"queries": "x"}


def test_cells_that_do_not_count_have_no_row():
    frame = scores([[[1.0, np.nan], [np.nan, 4.0]]]).frame()
    assert frame["value"].tolist() == [1.0, 4.0]
    assert frame["query_id"].astype(str).tolist() == ["1", "2"]


def test_runs_of_several_columns_keep_each():
    runs = pd.DataFrame({"model": ["x", "x"], "seed": [1, 2]})
    frame = scores([[[1.0, 2.0], [3.0, 4.0]]], runs).frame()
    assert list(frame) == ["model", "seed", "query_id", "measure", "value"]
    assert frame["seed"].tolist() == [1, 1, 2, 2]
    assert pd.api.types.is_integer_dtype(frame["seed"].dtype)


def test_measures_where_less_is_better_are_turned():
    held = scores([[[1.0, 2.0], [3.0, 4.0]]])
    turned = cube.Scores(held.runs, held.queries, ("ISL",), held.values, np.array([False]))
    assert turned.oriented().tolist() == [[[-1.0, -2.0], [-3.0, -4.0]]]
    assert held.oriented().tolist() == held.values.tolist()


def test_preferences_become_a_tidy_frame_sorted_by_query_pair_and_measure():
    runs = pd.DataFrame({"run": list("abc")})
    a, b = cube.all_pairs(3)
    values = np.arange(12.0).reshape(2, 2, 3)
    values[0, 1, 2] = np.nan
    held = cube.Preferences(runs, pd.Index([7, 9], name="qid"), ("RPP", "AP"), a, b, values)
    rows = held.frame().astype({"run_a": str, "run_b": str, "measure": str}).values.tolist()
    assert rows == [
        [7, "a", "b", "RPP", 0], [7, "a", "b", "AP", 6], [7, "a", "c", "RPP", 1], [7, "a", "c", "AP", 7],
        [7, "b", "c", "RPP", 2], [7, "b", "c", "AP", 8], [9, "a", "b", "RPP", 3], [9, "a", "b", "AP", 9],
        [9, "a", "c", "RPP", 4], [9, "a", "c", "AP", 10], [9, "b", "c", "AP", 11],
    ]  # fmt: skip
    [(block, part)] = held.blocks(1)
    assert block == slice(0, 3)
    assert part.tolist() == values[1].tolist()


@pytest.mark.parametrize("values", [["x", "y"], [3, 4], [0.5, 1.5]])
def test_labels_keep_the_dtype_of_ids_and_only_quadratic_tables_have_categories(values):
    kept, small = (
        function(pd.Index(values), np.array([1, 1, 0])) for function in (labels, repeated)
    )
    assert list(kept) == list(small) == [values[1], values[1], values[0]]
    assert kept.dtype == pd.Index(values).dtype
    assert isinstance(small.dtype, pd.CategoricalDtype) == isinstance(values[0], str)


def test_labels_of_categories_stay_categories():
    held = pd.Series(["x", "y"], dtype=pd.CategoricalDtype(["y", "x"]))
    assert labels(held, np.array([0, 0, 1])).categories.tolist() == ["y", "x"]


def test_pairs_stand_once_or_face_the_baseline():
    assert [side.tolist() for side in cube.all_pairs(4)] == [[0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3]]
    assert [side.tolist() for side in cube.all_pairs(3, baseline=0)] == [[1, 2], [0, 0]]


def test_frames_are_stacked_with_the_union_of_their_categories():
    one = pd.DataFrame({"run": pd.Categorical(["b"], ["b", "z"]), "n": [1]})
    two = pd.DataFrame({"run": pd.Categorical(["a"]), "n": [2]})
    one.attrs["level"] = 2
    whole = cube.stacked([one, two])
    assert whole["run"].tolist() == ["b", "a"]
    assert whole["run"].cat.categories.tolist() == ["b", "z", "a"]
    assert (whole["n"].tolist(), whole.attrs, whole.index.tolist()) == (
        [1, 2],
        {"level": 2},
        [0, 1],
    )
