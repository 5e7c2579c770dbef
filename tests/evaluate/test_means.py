import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate import cube
from pdeval.evaluate import mean_preferences as systems

RUNS = pd.DataFrame({"run": list("abc")})
A, B = cube.all_pairs(3)
VALUES = np.array(
    [[[1.0, 0.5, 0.0], [0.0, np.nan, -1.0], [0.5, -0.5, np.nan]], np.full((3, 3), 2.0)]
)


@pytest.fixture
def source():
    return cube.Preferences(
        RUNS, pd.Index([1, 2, 3], name="qid"), ("RPP", "AP"), A, B, VALUES, {"level": 2}
    )


class Stream:
    """A source without values, which yields one pair at a time."""

    def __init__(self, whole):
        self.runs, self.queries, self.measures = whole.runs, whole.queries, whole.measures
        self.a, self.b, self.attrs, self._whole = whole.a, whole.b, whole.attrs, whole

    def blocks(self, measure):
        for pair in range(len(self.a)):
            yield slice(pair, pair + 1), self._whole.values[measure][:, pair : pair + 1]


def test_the_mean_preference_of_each_pair_with_its_spread(source):
    frame = systems.mean_preferences(source)
    assert list(frame) == ["run_a", "run_b", "measure", "n", "mean", "sd"]
    rpp = frame[frame["measure"] == "RPP"]
    assert rpp["run_a"].tolist() == ["a", "a", "b"]
    assert rpp["run_b"].tolist() == ["b", "c", "c"]
    assert rpp["n"].tolist() == [3, 2, 2]
    assert rpp["mean"].tolist() == [0.5, 0.0, -0.5]
    assert rpp["sd"].tolist() == pytest.approx([0.5, np.sqrt(0.5), np.sqrt(0.5)], abs=1e-15)
    assert frame["mean"].tolist()[3:] == [2.0, 2.0, 2.0]
    assert frame.attrs == {"level": 2}


def test_a_pair_without_common_queries_has_no_mean():
    values = np.full((1, 2, 1), np.nan)
    held = cube.Preferences(
        RUNS[:2], pd.Index([1, 2], name="qid"), ("RPP",), np.array([0]), np.array([1]), values
    )
    frame = systems.mean_preferences(held)
    assert frame["n"].tolist() == [0]
    assert frame[["mean", "sd"]].isna().all(axis=None)


def test_one_query_has_a_mean_and_no_spread():
    held = cube.Preferences(
        RUNS[:2],
        pd.Index([1], name="qid"),
        ("RPP",),
        np.array([0]),
        np.array([1]),
        np.array([[[0.25]]]),
    )
    frame = systems.mean_preferences(held)
    assert frame["mean"].tolist() == [0.25]
    assert frame["sd"].isna().all()


def test_the_matrix_is_antisymmetric(source):
    square = systems.matrix(source, "RPP")
    assert square.values.tolist() == [[0, 0.5, 0], [-0.5, 0, -0.5], [0, 0.5, 0]]
    assert (square.index.tolist(), square.columns.tolist()) == (list("abc"), list("abc"))
    assert (square.index.name, square.columns.name) == ("run_a", "run_b")
    assert square.attrs == {"level": 2, "measure": "RPP"}
    assert not np.signbit(square.values[square.values == 0]).any()


def test_pairs_that_were_not_compared_are_missing_from_the_matrix():
    a, b = cube.all_pairs(3, baseline=0)
    held = cube.Preferences(
        RUNS, pd.Index([1], name="qid"), ("RPP",), a, b, np.array([[[0.25, 0.5]]])
    )
    square = systems.matrix(held)
    assert square.loc["b", "a"] == 0.25
    assert square.loc["a", "c"] == -0.5
    assert np.isnan(square.loc["b", "c"])
    assert np.isnan(square.loc["c", "b"])


def test_streams_give_the_same_tables(source):
    pd.testing.assert_frame_equal(
        systems.mean_preferences(Stream(source)), systems.mean_preferences(source)
    )
    pd.testing.assert_frame_equal(
        systems.matrix(Stream(source), "AP"), systems.matrix(source, "AP")
    )


def test_runs_of_several_columns_have_joined_labels():
    runs = pd.DataFrame({"model": ["x", "x"], "seed": [1, 2]})
    held = cube.Preferences(
        runs,
        pd.Index([1], name="qid"),
        ("RPP",),
        np.array([0]),
        np.array([1]),
        np.array([[[0.25]]]),
    )
    assert systems.matrix(held).index.tolist() == ["x / 1", "x / 2"]
    assert list(systems.mean_preferences(held))[:4] == ["model_a", "seed_a", "model_b", "seed_b"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("function", [systems.mean_preferences, systems.matrix])
def test_infinite_preferences_have_no_mean(function):
    values = np.array([[[np.inf], [-np.inf], [1.0]]])
    held = cube.Preferences(
        RUNS[:2], pd.Index([1, 2, 3], name="qid"), ("TSL",), np.array([0]), np.array([1]), values
    )
    with pytest.raises(ValueError, match="'TSL' has 2 infinite preferences, which have no mean"):
        function(held)


def test_a_matrix_is_of_one_known_measure(source):
    with pytest.raises(
        ValueError,
        match=r"a matrix shows one measure; the table has RPP, AP\. Specify it, e\.g\. matrix\('RPP'\)",
    ):
        systems.matrix(source)
    with pytest.raises(KeyError, match="no measure 'RR' in this table; it has 'RPP', 'AP'"):
        systems.matrix(source, "RR")
