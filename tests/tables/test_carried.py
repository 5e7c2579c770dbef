"""What a table carries survives what people do to it: what is known of its measures, its run columns, its rules."""

import subprocess
import sys

import pandas as pd
import pytest

import pdeval
from pdeval.catalog.directions import SESSION, aggregate_of, higher_of, known_of
from pdeval.tables import reader

LENGTH = pdeval.parse("ASL", label="my length")


@pytest.fixture(scope="module")
def judged():
    return pdeval.datasets.sample_judged(queries="common")


@pytest.fixture(scope="module")
def scores(judged):
    return judged.measure([LENGTH, "AP"])


def through_csv(frame, folder):
    frame.to_csv(folder / "scores.csv", index=False)
    return pd.read_csv(folder / "scores.csv", dtype={"query_id": str})


def through_parquet(frame, folder):
    frame.to_parquet(folder / "scores.parquet")
    return pd.read_parquet(folder / "scores.parquet")


WAYS = {
    "as it is": lambda frame, folder: frame,
    "filter": lambda frame, folder: frame[frame["run"] != "ql"],
    "query": lambda frame, folder: frame.query("value >= 0"),
    "sort": lambda frame, folder: frame.sort_values("value"),
    "assign": lambda frame, folder: frame.assign(note="x"),
    "merge": lambda frame, folder: frame.merge(pdeval.datasets.sample_metadata(), on="run"),
    "concat": lambda frame, folder: pd.concat(
        [frame[frame["run"] == "ql"], frame[frame["run"] != "ql"]]
    ),
    "csv": through_csv,
    "parquet": through_parquet,
}


@pytest.mark.parametrize("way", WAYS)
def test_the_direction_of_measures_survives(scores, tmp_path, way):
    held = reader.read(WAYS[way](scores, tmp_path), "scores")
    assert not higher_of("my length", held.frame.attrs)
    assert higher_of("AP", held.frame.attrs)
    assert held.run_columns == ("run",)


def test_tables_of_different_measures_may_be_stacked(judged, scores):
    whole = pd.concat([scores, judged.measure(["RR", "GMAP"])])
    assert "measures" not in whole.attrs
    assert [higher_of(label, whole.attrs) for label in ("my length", "AP", "RR")] == [
        False,
        True,
        True,
    ]
    assert aggregate_of("GMAP", whole.attrs) == "geometric mean"


@pytest.mark.broad
def test_runs_of_several_columns_survive_a_merge(judged):
    runs = (
        pdeval.datasets.sample_runs()
        .merge(pdeval.datasets.sample_metadata(), on="run")
        .drop(columns="run")
    )
    table = runs.ireval(run=["model", "seed"]).measure(
        pdeval.datasets.sample_qrels(), "AP", queries="common"
    )
    merged = table.merge(pd.DataFrame({"model": table["model"].unique(), "cost": 1.5}), on="model")
    assert merged.attrs == {}
    assert repr(merged.ireval).startswith("scores table: 12 runs x 48 queries, AP;")


def test_a_label_that_has_meant_two_things_is_asked_about():
    pdeval.datasets.sample_judged(queries="common").measure([pdeval.parse("AP", label="mixed")])
    pdeval.datasets.sample_judged(queries="common").measure([pdeval.parse("ASL", label="mixed")])
    assert known_of("mixed") is None
    with pytest.raises(
        ValueError,
        match=r"unknown direction of measure 'mixed'.*the label has several meanings in this session",
    ):
        higher_of("mixed")
    assert (
        higher_of(
            "mixed",
            {"measures": {"mixed": {"higher": False, "aggregate": "mean", "family": "metric"}}},
        )
        is False
    )
    del SESSION["mixed"]


def test_a_label_that_hides_another_measure_is_asked_about():
    pdeval.datasets.sample_judged(queries="common").measure([pdeval.parse("ASL", label="RR@7")])
    with pytest.raises(ValueError, match="unknown direction of measure 'RR@7'"):
        higher_of("RR@7")
    del SESSION["RR@7"]


@pytest.mark.broad
def test_a_new_process_asks_for_what_it_cannot_know(scores, tmp_path):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    code = (
        "import sys, pandas as pd, pdeval\n"
        "scores = pd.read_csv(sys.argv[1], dtype={'query_id': str})\n"
        "try: scores.ireval.order()\n"
        "except ValueError as error: print(error)\n"
        "print(scores.ireval(higher={'my length': False}).order()['rank'].max())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "scores.csv")],
        capture_output=True,
        text=True,
        check=True,
    )
    asked, rank = done.stdout.splitlines()
    assert asked.startswith("unknown direction of measure 'my length'")
    assert "df.ireval(higher={'my length': True})" in asked
    assert int(rank) == 12
