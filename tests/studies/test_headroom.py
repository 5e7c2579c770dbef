"""Headroom: the best systems of many collections."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate import scores as evaluate
from pdeval.evaluate.cube import Scores
from pdeval.studies import best_systems, headroom_of

RUNS = pd.DataFrame({"run": ["bm25", "neural"]})
MEASURES = ("P@20", "ASL@g1-10", "AP", "ASL")


def scores(*means, measures=MEASURES):
    """Return scores on one query."""
    higher = np.array([not name.startswith("ASL") for name in measures])
    return Scores(
        RUNS, pd.Index(["1"], name="query_id"), measures, np.array(means)[:, None, :], higher
    )


COLLECTIONS = {
    "one": scores((0.35, 0.30), (30.0, 12.0), measures=("P@20", "ASL")),
    "two": scores((0.1, 1.0), (3.0, 700.0), measures=("P@20", "ASL")),
    "three": scores((0.1 + 0.2, 0.2), (4000.0, 1500.0), measures=("P@20", "ASL")),
}


def test_the_best_system_has_the_highest_precision_or_the_lowest_search_length():
    table = best_systems(COLLECTIONS)
    assert table.to_numpy().tolist() == [
        ["one", "P@20", "bm25", 0.35],
        ["one", "ASL", "neural", 12.0],
        ["two", "P@20", "neural", 1.0],
        ["two", "ASL", "bm25", 3.0],
        ["three", "P@20", "bm25", pytest.approx(0.3)],
        ["three", "ASL", "neural", 1500.0],
    ]


def test_headroom_is_the_share_of_collections_in_each_bucket():
    table = headroom_of(COLLECTIONS)
    assert table.columns.tolist() == ["measure", "bucket", "low", "high", "count", "fraction"]
    filled = table[table["count"] > 0].set_index(["measure", "bucket"])["count"].to_dict()
    assert filled == {
        ("P@20", "[0.3, 0.4)"): 2,
        ("P@20", "[0.9, 1]"): 1,
        ("ASL", "[2, 5)"): 1,
        ("ASL", "[10, 20)"): 1,
        ("ASL", "[1000, inf)"): 1,
    }
    assert table.groupby("measure", observed=True)["fraction"].sum().tolist() == pytest.approx(
        [1, 1]
    )


def test_buckets_can_be_chosen_by_measure():
    table = headroom_of(COLLECTIONS, edges={"ASL": [1, 100]})
    assert table[table["measure"] == "ASL"]["count"].tolist() == [2, 1]
    assert len(table[table["measure"] == "P@20"]) == 10
    with pytest.raises(
        ValueError, match="edges= contains 'AP', which is not one of the measures P@20, ASL"
    ):
        headroom_of(COLLECTIONS, edges={"AP": [0, 1]})
    with pytest.raises(
        ValueError, match=r"edges\['ASL'\]=\[5, 1\]: expected increasing lower edges of buckets"
    ):
        headroom_of(COLLECTIONS, edges={"ASL": [5, 1]})


def test_headroom_needs_collections():
    for empty in ([], {}):
        with pytest.raises(ValueError, match=r"collections=.*a mapping"):
            headroom_of(empty)
    with pytest.raises(
        TypeError, match="a collection must be a join of runs and judgments, or scores; found list"
    ):
        headroom_of({"one": []})


@pytest.mark.broad
@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_a_collection_is_a_join_or_its_scores():
    joined = pdeval.datasets.sample_judged(level=2)
    measures = ["AP", "ASL"]
    sources = [joined, evaluate.scores(joined, measures), joined.measure(measures)]
    values = [best_systems({"one": source}, measures)["value"].tolist() for source in sources]
    assert values[0] == values[1] == values[2]


@pytest.mark.filterwarnings("ignore:2 of 50 judged queries")
def test_the_sample_collection_has_headroom():
    joined = pdeval.datasets.sample_judged()
    table = headroom_of({"sample": joined}, ["P@20", "ASL"])
    assert table.groupby("measure", observed=True)["count"].sum().to_dict() == {"P@20": 1, "ASL": 1}


def test_the_column_that_names_the_collection_is_given_by_name():
    frames = [cube.frame().assign(collection=name, half="x") for name, cube in COLLECTIONS.items()]
    table = pd.concat(frames, ignore_index=True)
    table.attrs["run_columns"] = ["run"]
    expected = headroom_of(COLLECTIONS)
    pd.testing.assert_frame_equal(table.ireval.search_lengths.headroom(by="collection"), expected)
    pd.testing.assert_frame_equal(
        table.ireval.search_lengths.headroom(by=["half", "collection"]), expected
    )
    only = table.ireval.search_lengths.headroom("ASL", by="collection", edges={"ASL": [1, 100]})
    assert only["count"].tolist() == [2, 1]
    with pytest.raises(
        KeyError, match="no column 'track' in this table; it has run, query_id, measure, value"
    ):
        table.ireval.search_lengths.headroom(by="track")


def test_measures_under_labels_of_their_own_have_their_direction_and_no_known_end():
    found = pdeval.datasets.sample_judged(queries="common")
    own, known = (
        found.measure(one).assign(part="x")
        for one in (pdeval.parse("ASL", label="my length"), "ASL")
    )
    mine, theirs = (table.ireval.search_lengths.headroom(by="part") for table in (own, known))
    assert mine["count"].tolist() == theirs["count"].tolist()
    assert mine["high"].iloc[-1] == np.inf


@pytest.mark.parametrize("edges", [[], [1, 1], [1, 5, 5], [5, 1], [[1, 2], [3, 4]], 3])
def test_edges_that_are_no_rising_row_of_numbers_are_refused(edges):
    edges = {"ASL": np.array(edges)} if np.ndim(edges) else {"ASL": np.array([edges, edges])}
    with pytest.raises(
        ValueError, match=r"edges\['ASL'\]=.*: expected increasing lower edges of buckets"
    ):
        headroom_of(COLLECTIONS, edges=edges)


def test_one_edge_is_one_bucket_and_lower_values_are_in_it():
    table = headroom_of(COLLECTIONS, edges={"ASL": [100], "P@20": [0.5, 1]})
    length = table[table["measure"] == "ASL"]
    assert length[["bucket", "count"]].to_numpy().tolist() == [["[100, inf)", 3]]
    # the largest precision is 1: no bucket ends there that begins there
    assert table[table["measure"] == "P@20"]["bucket"].tolist() == ["[0.5, 1)", "[1, inf)"]
    assert table[table["measure"] == "P@20"]["count"].tolist() == [2, 1]


def test_a_value_that_is_an_edge_but_for_rounding_is_above_it():
    near = {
        "one": scores((100 - 1e-11, 500.0), measures=("ASL",)),
        "two": scores((100 - 1e-9, 500.0), measures=("ASL",)),
    }
    table = headroom_of(near, edges={"ASL": [1, 100]})
    assert table["count"].tolist() == [1, 1]
    zero = {"one": scores((0.0, -2.0), measures=("Utility",))}
    assert headroom_of(zero, edges={"Utility": [-1, 0, 1]})["count"].tolist() == [0, 1, 0]


def test_the_buckets_of_several_measures_stand_on_each_other_and_say_what_they_are():
    table = headroom_of(COLLECTIONS)
    assert table.index.tolist() == list(range(len(table)))
    assert table.attrs["table"] == "headroom"
