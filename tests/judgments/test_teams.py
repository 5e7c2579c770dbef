"""Runs by team."""

import pandas as pd
import pytest

from pdeval.judgments.pools import partition

RUNS = pd.DataFrame({"run": ["a", "b", "c"]})
PAIRS = pd.DataFrame({"model": ["m", "m", "n"], "seed": [1, 2, 1]})


def test_a_metadata_column_names_the_teams_whatever_its_row_order():
    metadata = pd.DataFrame({"run": ["c", "z", "a", "b"], "group": ["two", "none", "one", "two"]})
    names, codes = partition(RUNS, "group", metadata)
    assert names.tolist() == ["one", "two"]
    assert names.name == "group"
    assert codes.tolist() == [0, 1, 1]


def test_a_mapping_names_the_teams_of_runs_with_several_columns():
    names, codes = partition(PAIRS, {("m", 1): "x", ("m", 2): "x", ("n", 1): "y"})
    assert (names.name, codes.tolist()) == ("team", [0, 0, 1])


def test_one_of_several_columns_that_name_a_run_may_be_the_team():
    names, codes = partition(PAIRS.astype({"model": "category"}), "model")
    assert (names.tolist(), names.name, codes.tolist()) == (
        ["m", "n"],
        "model",
        [0, 0, 1],
    )


def test_categories_and_years_serve_as_teams():
    metadata = pd.DataFrame({"run": pd.Categorical(["a", "b", "c"]), "year": [2004, 1998, 2004]})
    names, codes = partition(RUNS.astype("category"), "year", metadata)
    assert names.tolist() == [1998, 2004]
    assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("team", "metadata", "kind", "text"),
    [
        (
            "group",
            None,
            ValueError,
            "team='group' is a column of the metadata, which were not passed. Pass metadata=",
        ),
        ("group", pd.DataFrame({"run": ["a"]}), KeyError, "no column 'group'; they have run"),
        (
            "group",
            pd.DataFrame({"name": ["a"], "group": [1]}),
            KeyError,
            "no column 'run'; they have name, group",
        ),
        (
            "run",
            pd.DataFrame({"run": ["a"]}),
            ValueError,
            "team='run' identifies the runs themselves",
        ),
        (
            {"a": 1, "b": 2},
            None,
            ValueError,
            "the mapping gives no team to 1 of the 3 runs, e.g. 'c'",
        ),
        (
            "group",
            pd.DataFrame({"run": ["a", "b", "c"], "group": ["x", None, "y"]}),
            ValueError,
            "the column 'group' gives no team to 1 of the 3 runs, e.g. 'b'",
        ),
        (
            "group",
            pd.DataFrame({"run": ["a", "a", "b", "c"], "group": ["x", "y", "y", "y"]}),
            ValueError,
            "the metadata give 1 runs more than one 'group', e.g. 'a'; keep one row per run",
        ),
    ],
)
def test_faulty_teams_are_errors_that_name_the_fault(team, metadata, kind, text):
    with pytest.raises(kind, match=text.replace("(", r"\(")):
        partition(RUNS, team, metadata)
