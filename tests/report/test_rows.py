"""Order, groups and names of rows."""

from dataclasses import replace

import pandas as pd
import pytest

from pdeval.report import report


def names_of(table):
    return [row[0].text for row in table.rows]


def test_rows_keep_the_order_of_the_scores(scores):
    assert names_of(report(scores, marks=None)) == ["bm25", "lm_dir", "dense"]


def test_rows_are_sorted_best_first_by_a_measure_of_either_direction(scores):
    assert names_of(report(scores, marks=None, sort="AP")) == ["dense", "bm25", "lm_dir"]
    assert names_of(report(scores, marks=None, sort="ASL")) == ["dense", "bm25", "lm_dir"]


def test_rows_are_sorted_by_shown_name_or_by_hand(scores):
    assert names_of(report(scores, marks=None, sort="name", names={"lm_dir": "A"})) == [
        "A",
        "bm25",
        "dense",
    ]
    assert names_of(report(scores, marks=None, sort=["lm_dir", "dense", "bm25"])) == [
        "lm_dir",
        "dense",
        "bm25",
    ]
    with pytest.raises(
        ValueError, match="must contain each of the 3 runs once; it has a run twice"
    ):
        report(scores, marks=None, sort=["lm_dir", "dense", "bm25", "bm25"])


def test_groups_by_two_columns_show_both(scores):
    metadata = scores.runs.assign(family=["s", "s", "n"], year=[2020, 2020, 2021])
    table = report(
        scores, marks=None, metadata=metadata, group=["family", "year"], names={"s": "Sparse"}
    )
    assert [group.title for group in table.groups] == ["Sparse, 2020", "n, 2021"]
    assert table.to_frame()["year"].tolist() == ["2020", "2020", "2021"]


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        (
            {"name": ["bm25"], "f": ["s"]},
            "the metadata have no column 'run' to join the runs on; they have name, f",
        ),
        (
            {"run": ["bm25", "dense"], "f": ["s", "n"]},
            "the metadata have no row for run 'lm_dir'. Add the missing rows.",
        ),
        (
            {"run": ["bm25", "bm25", "dense", "lm_dir"], "f": list("abcd")},
            "the metadata have run 'bm25' more than once. Keep one row per run.",
        ),
        (
            {"run": ["bm25", "dense", "lm_dir"], "f": ["s", "n", None]},
            "the metadata column 'f' is missing for run 'lm_dir'. Fill it in",
        ),
    ],
)
def test_metadata_that_do_not_fit_are_refused(scores, metadata, text):
    with pytest.raises(ValueError, match=text):
        report(scores, marks=None, metadata=pd.DataFrame(metadata), group="f")


def test_integer_run_ids_are_joined_and_found(scores):
    cube = replace(scores, runs=pd.DataFrame({"run": [10, 20, 30]}))
    metadata = pd.DataFrame({"run": [30, 20, 10], "f": ["x", "y", "y"]})
    table = report(
        cube, metadata=metadata, group="f", baseline=20, measures=["AP"], names={"20": "Twenty"}
    )
    assert names_of(table) == ["10", "Twenty", "30"]
    assert "Twenty" in table.notes[1]
