"""A measure's direction travels with it: whatever people do to a table, order() and compare() name the same winner."""

import subprocess
import sys

import pandas as pd
import pytest

import pdeval

LENGTH = pdeval.parse("ASL", label="my length")
JUDGED = pdeval.datasets.sample_judged(queries="common")
SCORES = JUDGED.measure(LENGTH)
METADATA = pdeval.datasets.sample_metadata()
WAYS = {
    "as it is": SCORES,
    "merged with metadata": SCORES.merge(METADATA, on="run"),
    "on top of other scores": pd.concat([SCORES, JUDGED.measure(["AP", "RR"])], ignore_index=True),
    "shuffled and filtered": SCORES.sample(frac=1, random_state=1).query("value >= 0"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_join_and_its_scores_name_the_same_winner(way):
    theirs = JUDGED.order(LENGTH)
    mine = WAYS[way].ireval.order("my length")
    assert mine["run"].tolist() == theirs["run"].tolist()
    assert mine["score"].tolist() == pytest.approx(theirs["score"].tolist())
    assert mine["score"].is_monotonic_increasing  # the shortest search comes first


@pytest.mark.parametrize("way", WAYS)
def test_the_join_and_its_scores_compare_with_the_same_sign(way):
    theirs = JUDGED.compare(LENGTH, baseline="bm25").set_index("run_a")["difference"]
    mine = WAYS[way].ireval.compare("my length", baseline="bm25").set_index("run_a")["difference"]
    assert mine.to_dict() == pytest.approx(theirs.to_dict())
    means = SCORES.groupby("run")["value"].mean()
    shorter = means < means["bm25"]
    assert ((mine > 0) == shorter[mine.index]).all()


def test_metadata_does_not_change_who_the_runs_are():
    found = WAYS["merged with metadata"].ireval.order()
    assert list(found.columns) == ["run", "measure", "method", "score", "rank"]
    assert len(found) == 12


@pytest.mark.parametrize("verb", ["order", "compare", "anova", "discriminative_power", "correlate"])
def test_an_unknown_measure_is_asked_about_and_never_taken_for_more_is_better(tmp_path, verb):
    frame = pd.concat([SCORES, SCORES.assign(measure="your length")]).assign(
        measure=lambda f: f["measure"].str.replace("length", "unheard-of length")
    )
    frame.to_csv(tmp_path / "scores.csv", index=False)
    read = pd.read_csv(tmp_path / "scores.csv", dtype={"query_id": str})
    with pytest.raises(
        ValueError,
        match=r"unknown direction of measure 'my unheard-of length'.*df.ireval\(higher=\{",
    ):
        getattr(read.ireval, verb)()


def test_what_the_caller_says_of_an_unknown_measure_gives_the_right_winner(tmp_path):
    SCORES.assign(measure="unheard-of").to_csv(tmp_path / "scores.csv", index=False)
    read = pd.read_csv(tmp_path / "scores.csv", dtype={"query_id": str})
    told = read.ireval(higher={"unheard-of": False})
    assert told.order()["run"].tolist() == JUDGED.order(LENGTH)["run"].tolist()
    signs = told.compare(baseline="bm25")["difference"]
    assert signs.tolist() == pytest.approx(
        JUDGED.compare(LENGTH, baseline="bm25")["difference"].tolist()
    )


@pytest.mark.broad
def test_a_session_that_does_not_know_the_label_asks(tmp_path):
    SCORES.to_csv(tmp_path / "scores.csv", index=False)
    code = (
        "import pandas as pd, pdeval\n"
        f"frame = pd.read_csv({str(tmp_path / 'scores.csv')!r}, dtype={{'query_id': str}})\n"
        "try:\n    frame.ireval.order()\nexcept ValueError as error:\n    print(error)\n"
        "print(frame.ireval(higher={'my length': False}).order()['run'].iloc[0])\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert said[0].startswith("unknown direction of measure 'my length'")
    assert "df.ireval(higher={'my length': True})" in said[0]
    assert said[1] == JUDGED.order(LENGTH)["run"].iloc[0]


def test_measures_of_both_kinds_stay_known_in_one_table_of_results():
    both = JUDGED.compare(["RPP", LENGTH], baseline="bm25")
    assert both.attrs["measures"]["my length"]["higher"] is False
    assert both.attrs["measures"]["RPP"]["family"] == "preference"
    assert list(JUDGED.order(["RPP", LENGTH]).attrs["measures"]) == ["RPP", "my length"]
