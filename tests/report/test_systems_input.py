"""report(): what it takes, in which forms, and what it refuses."""

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

from pdeval.evaluate.cube import Preferences
from pdeval.report import report
from pdeval.report.systems import report as report_of_systems
from tests.report.test_systems import body, column


def test_a_missing_cell_is_an_error_unless_a_dash_is_wanted(scores):
    values = scores.values.copy()
    values[1, :, 2] = np.nan
    gap = replace(scores, values=values)
    with pytest.raises(ValueError, match=r"1 of 6 cells have no value, e.g. run 'dense' on 'ASL'.*missing='dash'"):
        report(gap, marks=None)
    table = report(gap, marks=None, missing="dash")
    assert body(table)[3] == ["dense", "**0.450**", "–"]
    assert column(table, "ASL")[2].value is None


def test_a_report_cannot_be_changed(scores):
    table = report(scores, marks=None)
    with pytest.raises(FrozenInstanceError):
        table.caption = "other"
    assert replace(table, caption="other").caption == "other"


def test_the_callers_table_is_left_alone(scores, comparisons):
    before, values = comparisons.copy(), scores.values.copy()
    report(scores, comparisons=comparisons, sort="AP", interval="ci")
    pd.testing.assert_frame_equal(comparisons, before)
    np.testing.assert_array_equal(scores.values, values)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"baseline": "bm26"}, KeyError, "no baseline 'bm26'; the runs are 'bm25', 'lm_dir', 'dense'. Did you mean"),
        ({"measures": ["APP"]}, KeyError, r"no measure 'APP' in this table. Did you mean 'AP'\? It has AP, ASL."),
        ({"measures": []}, ValueError, "asks for no measure"),
        ({"sort": "ap"}, KeyError, "sort: no measure 'ap' in this table. .*It has AP, ASL, name."),
        ({"sort": ["bm25", "dense"]}, ValueError, "must name each of the 3 runs once; it leaves out 'lm_dir'"),
        ({"digits": 40}, ValueError, "digits=40: a cell can show 0 to 10 decimals"),
        ({"digits": 2.5}, TypeError, "digits=2.5: the number of decimals must be a whole number"),
        ({"digits": {"P": 2}}, KeyError, "digits names 'P', which is not a column"),
        ({"marks": "stars"}, ValueError, "marks='stars': choose one of 'auto', 'letters', 'daggers' or None"),
        ({"marks": "daggers"}, ValueError, "compare with a baseline; name it with baseline="),
        ({"missing": None}, ValueError, "missing=None: choose one of 'error', 'dash'."),
        ({"interval": "se"}, ValueError, "interval='se': choose one of 'ci', 'sd' or None"),
        ({"alpha": 5}, ValueError, "alpha=5: the significance level is a number between 0 and 1"),
        ({"names": {"bm26": "BM25"}}, KeyError, "names has 'bm26', which is nothing in this table"),
        ({"columns": {"P@10": "Precision"}}, KeyError, "columns has 'P@10', which is not a measure of this table"),
        ({"group": "family"}, KeyError, "no column 'family' to group by; there are run. Give others with metadata="),
        ({"group": "run"}, ValueError, "leaves no column to name a run"),
        ({"label": "tab:50%"}, ValueError, "the label 'tab:50%' has '%'"),
    ],
)
def test_a_wrong_option_says_what_is_wrong(scores, options, error, text):
    with pytest.raises(error, match=text):
        report(scores, **{"marks": None, **options})


def test_an_empty_table_is_refused(scores):
    with pytest.raises(ValueError, match="the table has no rows; there is nothing to report"):
        report(scores.frame().iloc[:0])
    with pytest.raises(ValueError, match="holds 3 runs, 0 queries and 2 measures; there is nothing to report"):
        report(replace(scores, queries=scores.queries[:0], values=scores.values[:, :0]))
    with pytest.raises(TypeError, match=r"takes a scores, preferences or summary table.*not list"):
        report([1, 2])


def test_one_query_has_no_interval_and_no_marks(scores):
    one = replace(scores, queries=scores.queries[:1], values=scores.values[:, :1])
    assert {cell.marks for cell in column(report(one), "AP")} == {""}
    with pytest.raises(ValueError, match="interval='sd' needs at least two queries per run; there is a run with 1"):
        report(one, interval="sd")
    with pytest.raises(ValueError, match="marks='letters' cannot be computed: a run has fewer than two queries"):
        report(one, marks="letters")


def test_more_is_better_unless_something_says_otherwise(scores):
    summary = pd.DataFrame({"run": ["x", "y"], "measure": "my cost", "mean": [1.0, 2.0]})
    assert [cell.emphasis for cell in column(report(summary), "my cost")] == ["", "best"]
    table = report(summary, higher={"my cost": False})
    assert [cell.emphasis for cell in column(table, "my cost")] == ["best", ""]
    assert table.columns[1].higher is False
    turned = report(scores, higher={"AP": False}, measures=["AP"], correction="none")
    assert [(cell.emphasis, cell.marks) for cell in column(turned, "AP")] == [("second", "c"), ("best", "c"), ("", "")]


def test_a_tidy_frame_gives_the_same_table_as_its_cube(scores, comparisons):
    frame = scores.frame().sample(frac=1.0, random_state=1)
    table = report(frame, comparisons=comparisons, sort=["bm25", "lm_dir", "dense"], measures=["AP", "ASL"])
    assert table == report(scores, comparisons=comparisons)


def test_a_bound_frame_is_understood(scores):
    frame = scores.frame().rename(columns={"run": "system", "query_id": "topic_no"})
    frame.attrs.clear()
    table = report(frame.ireval(run="system", query="topic_no"), marks=None, measures=["AP"], digits=2)
    assert body(table) == [["system", "AP ↑"], ["bm25", "<u>0.25</u>"], ["dense", "**0.45**"], ["lm_dir", "0.20"]]


def test_a_tidy_preferences_frame_gives_the_same_table_as_its_cube(scores):
    wins = Preferences(
        scores.runs.sort_values("run", ignore_index=True), scores.queries, ("RPP",), np.array([0, 0, 1]),
        np.array([1, 2, 2]), np.array([[[1.0, -0.5, -1.0], [0.5, -0.5, 1.0], [1.0, 0.5, 0.0], [0.0, 0.25, 0.0]]]),
    )  # fmt: skip
    assert report(wins.frame(), marks=None) == report(wins, marks=None)
    assert report(wins).notes[2].startswith("No difference is significant (paired Student t test")


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda frame: pd.concat([frame, frame[:1]]), "the scores table has 1 rows that repeat an earlier"),
        (lambda frame: frame.assign(value=frame["value"].where(frame.index != 3)), "the value column has 1 missing"),
        (lambda frame: frame.drop(columns="value"), "expected a scores table"),
    ],
)
def test_a_faulty_frame_is_refused(scores, spoil, text):
    with pytest.raises(ValueError, match=text):
        report(spoil(scores.frame()))


def test_a_summary_without_spread_or_queries_says_so():
    summary = pd.DataFrame({"run": ["x", "y"], "measure": "AP", "mean": [1.0, 2.0]})
    with pytest.raises(ValueError, match="interval='sd': the summary has no such column"):
        report(summary, interval="sd")
    with pytest.raises(ValueError, match="a summary has no values per query"):
        report(summary, marks="letters")
    with pytest.raises(ValueError, match=r"1 duplicate \(run, measure\) rows, e.g. \('x', 'AP'\)"):
        report(pd.concat([summary, summary[:1]]))


def test_the_package_and_the_module_offer_one_function():
    assert report is report_of_systems
