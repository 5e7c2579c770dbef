"""Groups of queries in one cube: runs, pairs and measures that differ from group to group."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import Preferences
from pdeval.evaluate.grouped import Grouped, grouped_cube, merged
from pdeval.tables.reader import read

RUNS, QRELS, _ = pdeval.datasets.load_sample()
RUNS = RUNS[RUNS["run"].isin(["bm25", "ql", "hybrid"])]
IDS = QRELS["query_id"].unique()
THIRDS = pd.DataFrame(
    {"query_id": IDS, "third": np.array(["x", "y", "z"])[np.arange(len(IDS)) % 3]}
)


def preferences(runs, a, b, values, measure="RPP"):
    queries = pd.Index(range(len(values)), name="query_id")
    frame = pd.DataFrame({"run": list(runs)})
    return Preferences(
        frame, queries, (measure,), np.array(a), np.array(b), np.array([values], dtype=float)
    )


def test_a_pair_stands_as_in_the_first_group_that_has_it():
    one = preferences("ac", [0], [1], [[0.1], [0.2]])
    two = preferences("abc", [2, 1, 1], [0, 0, 2], [[0.3, 0.4, 0.0]])
    cube = merged([one, two])
    assert cube.runs["run"].tolist() == ["a", "b", "c"]
    assert list(zip(cube.a, cube.b)) == [(0, 2), (1, 0), (1, 2)]
    expected = [[0.1, np.nan, np.nan], [0.2, np.nan, np.nan], [-0.3, 0.4, 0.0]]
    np.testing.assert_array_equal(cube.values[0], expected)
    assert not np.signbit(cube.values[0, 2, 2])


def test_a_group_without_a_measure_has_no_values_of_it():
    cube = merged(
        [preferences("ab", [0], [1], [[0.1]]), preferences("ab", [0], [1], [[0.2]], "sgnLP")]
    )
    assert cube.measures == ("RPP", "sgnLP")
    np.testing.assert_array_equal(cube.values[..., 0], [[0.1, np.nan], [np.nan, 0.2]])


@pytest.mark.parametrize(("verb", "measure"), [("measure", "AP"), ("prefer", "RPP")])
def test_a_join_and_its_table_have_the_same_groups_and_values(verb, measure):
    judged = RUNS.ireval.join(QRELS, queries="common")
    of_join = grouped_cube(judged, measure, "third", metadata=THIRDS)
    table = read(getattr(judged, verb)(measure), "scores" if verb == "measure" else "preferences")
    of_table = grouped_cube(table, measure, "third", metadata=THIRDS)
    assert of_join.names == of_table.names == ["x", "y", "z"]
    assert of_join.ends.tolist() == of_table.ends.tolist()
    np.testing.assert_array_equal(of_join.source.values, of_table.source.values)


def test_collections_that_share_ids_of_queries_are_one_group_with_queries_of_their_own():
    runs, qrels = (
        pd.concat([frame.assign(collection=name) for name in "ab"]) for frame in (RUNS, QRELS)
    )
    kinds = pd.DataFrame({"collection": ["a", "b"], "kind": ["news", "news"]})
    scores = runs.ireval.measure(qrels, "AP", by="collection", queries="common")
    cube = grouped_cube(read(scores, "scores"), None, "kind", metadata=kinds)
    assert (cube.names, cube.ends.tolist()) == (["news"], [0, 96])


def test_the_report_of_collections_is_made_of_their_joins():
    runs, qrels = (
        pd.concat([frame.assign(collection=name) for name in "ab"]) for frame in (RUNS, QRELS)
    )
    report = runs.ireval.report(qrels, "AP", by="collection", queries="common")
    assert [len(origin.data.queries) for origin in report.origins] == [50, 50]


def test_what_has_no_columns_cannot_be_grouped():
    with pytest.raises(
        TypeError, match="by= requires a table or a join; a cube has no columns to group by"
    ):
        Grouped.of(preferences("ab", [0], [1], [[0.1]]), "third")


@pytest.mark.parametrize("verb", ["meta_analysis", "segments", "collection_means"])
def test_28_22_a_table_without_rows_has_no_group_with_an_answer(verb):
    prefs = pdeval.datasets.sample_judged(queries="common").prefer("RPP").assign(part="x").head(0)
    with pytest.raises(ValueError, match="the table to group has no rows"):
        getattr(prefs.ireval, verb)(by="part")
