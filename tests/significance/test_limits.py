"""Intervals stay within what a measure can be: of means, of differences and of gaps."""

import numpy as np
import pandas as pd
import pytest

from pdeval.catalog.directions import limits_of


@pytest.fixture
def scores():
    """Two runs on eight queries of four categories in two halves, near both ends of the measure."""
    high = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0]
    parts = {"good": high, "bad": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0]}
    frame = pd.concat(
        [pd.DataFrame({"run": run, "value": values}) for run, values in parts.items()]
    )
    frame = frame.reset_index(names="query_id").assign(measure="RR")
    return frame.assign(part=frame["query_id"] // 4, seed=1)


ENDS = {
    "summary": lambda s: s.ireval.summary(),
    "segments": lambda s: s.ireval.segments(by="part"),
}
DIFFERENCES = {
    "compare": lambda s: s.ireval.compare(),
    "wilcoxon": lambda s: s.ireval.compare(test="wilcoxon"),
    "hsd": lambda s: s.ireval.compare(test="hsd", draws=50),
    "tukey": lambda s: s.ireval.compare(test="tukey"),
    "conclusion": lambda s: s.ireval.meta_analysis(by="part", draws=60),
    "verdict of each": lambda s: s.ireval.meta_analysis(by="part", per="collection"),
    "segments": lambda s: s.ireval.segments(by="part", baseline="bad"),
    "gaps": lambda s: s.ireval.segments.gaps(by="part"),
}


def ends(frame):
    limits = [name for name in frame if str(name).endswith(("_low", "_high"))]
    # those of effect sizes are in another unit: standard deviations
    return frame[[name for name in limits if not name.startswith("effect_")]].to_numpy()


@pytest.mark.parametrize("asked", ENDS)
def test_the_interval_of_a_mean_stays_within_the_measure(scores, asked):
    for table in (scores, scores.assign(measure="P@10")):
        found = ENDS[asked](table)
        low, high = (found[name].to_numpy() for name in ("ci_low", "ci_high"))
        assert np.nanmin(low) == 0.0
        assert np.nanmax(high) == 1.0
        assert ((low <= found["mean"]) & (found["mean"] <= high)).all()


@pytest.mark.parametrize("asked", DIFFERENCES)
def test_the_interval_of_a_difference_stays_within_one_range_of_the_measure(scores, asked):
    found = ends(DIFFERENCES[asked](scores))
    assert np.nanmax(np.abs(found)) <= (
        2.0 if asked == "segments" else 1.0
    )  # a gap of differences has two


def test_a_difference_that_is_nearly_as_large_as_it_can_be_is_cut_at_one(scores):
    few = scores[scores["query_id"].isin([5, 6])]
    assert few.ireval.compare()["ci_low"].item() == -1.0


def test_the_report_shows_intervals_within_the_measure(scores):
    text = str(scores.ireval.report(interval="ci"))
    assert "1.000]" in text
    assert "[0.000" in text
    assert "1.0" not in text.replace("1.000", "")


def test_values_beyond_the_declared_range_and_unknown_measures_have_no_limits(scores):
    plain = scores.ireval.summary()["ci_high"].max()
    percent = scores.assign(value=100 * scores["value"]).ireval.summary()["ci_high"].max()
    own = scores.assign(measure="my own").ireval(higher=True).summary()["ci_high"].max()
    assert plain == 1.0
    assert own > 1
    assert percent == pytest.approx(100 * own, rel=1e-12)
    assert limits_of("ASL", np.array([3.0]))[1] == np.inf
    assert limits_of("RPP", np.array([0.5, np.nan])) == (-1.0, 1.0)


def test_preferences_stay_within_theirs():
    rows = [("a", "b", q, "RPP", v) for q, v in enumerate([1.0, 0.9, 1.0, 0.2])]
    table = pd.DataFrame(rows, columns=["run_a", "run_b", "query_id", "measure", "value"])
    assert table.ireval.compare(test="t")["ci_high"].item() == 1.0


def test_preferences_by_a_measure_stay_within_its_differences():
    rows = [("a", "b", q, "AP", v) for q, v in enumerate([0.9, 0.0, 0.0, 1.0])]
    table = pd.DataFrame(rows, columns=["run_a", "run_b", "query_id", "measure", "value"])
    found = table.ireval.compare().iloc[0]
    # not cut at 0, the smallest value of AP: the difference may be negative
    assert -1.0 < found["ci_low"] < -0.3
    assert found["ci_high"] == 1.0


@pytest.mark.parametrize("asked", ["segments", "gaps"])
def test_28_11_a_gap_between_few_queries_is_cut_at_the_range_of_the_measure(asked):
    values = [1.0, 0.5, 0.0, 0.5]
    table = pd.DataFrame(
        {"run": "a", "query_id": range(4), "measure": "RR", "value": values, "part": [0, 0, 1, 1]}
    )
    verb = table.ireval.segments if asked == "segments" else table.ireval.segments.gaps
    found = verb(by="part")
    names = ["gap_low", "gap_high"] if asked == "segments" else ["ci_low", "ci_high"]
    assert np.nanmax(np.abs(found[names].to_numpy())) == 1.0
