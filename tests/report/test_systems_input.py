"""report(): what it takes, in which forms, and what it refuses."""

import re
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import Preferences
from pdeval.report import report
from pdeval.report.systems import report as report_of_systems
from tests.report.test_systems import body, column


def test_a_missing_cell_is_an_error_unless_a_dash_is_wanted(scores):
    values = scores.values.copy()
    values[1, :, 2] = np.nan
    gap = replace(scores, values=values)
    with pytest.raises(
        ValueError, match=r"1 of 6 cells have no value, e.g. run 'dense' on 'ASL'.*missing='dash'"
    ):
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
        (
            {"baseline": "bm26"},
            KeyError,
            "no baseline 'bm26'; the runs are 'bm25', 'lm_dir', 'dense'. Did you mean",
        ),
        (
            {"measures": ["ASLL"]},
            KeyError,
            r"no measure 'ASLL' in this table. Did you mean 'ASL'\? It has AP, ASL.",
        ),
        ({"measures": []}, ValueError, " is empty. Pass at least one, or omit the argument."),
        ({"sort": "ap"}, KeyError, "sort: no measure 'ap' in this table. .*It has AP, ASL, name."),
        (
            {"sort": ["bm25", "dense"]},
            ValueError,
            "must contain each of the 3 runs once; it lacks 'lm_dir'",
        ),
        ({"digits": 40}, ValueError, "digits=40: .* of at most 10\\."),
        (
            {"digits": {"P": 2}},
            KeyError,
            "digits= has 'P', which is not a column of this table; the columns are AP",
        ),
        (
            {"marks": "daggers"},
            ValueError,
            "marks='daggers' requires a baseline. Specify it with baseline=",
        ),
        (
            {"names": {"bm26": "BM25"}},
            KeyError,
            "names has 'bm26', which is not in this table; known are AP, ASL, run",
        ),
        (
            {"columns": {"P@10": "Precision"}},
            KeyError,
            "columns has 'P@10', which is not a measure of this table",
        ),
        (
            {"group": "family"},
            KeyError,
            "no column 'family' to group by; there are run. Add columns with metadata=, or merge them to the table.",
        ),
        ({"group": "run"}, ValueError, "so no column identifies a run. Group by fewer columns"),
        ({"label": "tab:50%"}, ValueError, "the label 'tab:50%' has '%'"),
    ],
)
def test_a_wrong_option_says_what_is_wrong(scores, options, error, text):
    with pytest.raises(error, match=text):
        report(scores, **{"marks": None, **options})


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"digits": 2.5}, "digits=2.5: expected an integer of at least 0."),
        ({"marks": "stars"}, "marks='stars': choose 'auto', 'letters' or 'daggers'."),
        ({"missing": None}, "missing=None: choose 'error' or 'dash'."),
        ({"interval": "se"}, "interval='se': choose 'ci', 'sd', 'replicates' or 'none'."),
        ({"alpha": 5}, "alpha=5: expected a fraction between 0 and 1; 5% is 0.05."),
    ],
)
def test_an_option_of_another_type_is_refused_at_the_call(scores, options, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        scores.frame().ireval.report(**options)


def test_an_empty_table_is_refused(scores):
    with pytest.raises(ValueError, match="the scores table is empty"):
        scores.frame().iloc[:0].ireval.report()
    summary = scores.frame().ireval.summary()
    with pytest.raises(ValueError, match="the summary has no rows; there is nothing to report"):
        summary.iloc[:0].ireval.report()
    with pytest.raises(
        ValueError,
        match="the table has 3 runs, 0 queries and 2 measures; there is nothing to report",
    ):
        report(replace(scores, queries=scores.queries[:0], values=scores.values[:, :0]))
    with pytest.raises(
        TypeError,
        match=r"takes runs joined to judgments, a scores.*not DataFrame\. For a frame, call ",
    ):
        report(scores.frame())


def test_one_query_has_no_interval_and_no_marks(scores):
    one = replace(scores, queries=scores.queries[:1], values=scores.values[:, :1])
    assert {cell.marks for cell in column(report(one), "AP")} == {""}
    with pytest.raises(
        ValueError, match="interval='sd' needs at least two queries per run; there is a run with 1"
    ):
        report(one, interval="sd")
    with pytest.raises(
        ValueError, match="marks='letters' cannot be computed: a run has fewer than two queries"
    ):
        report(one, marks="letters")


def test_a_measure_that_nobody_knows_is_asked_about():
    summary = pd.DataFrame({"run": ["x", "y"], "measure": "my cost", "mean": [1.0, 2.0]})
    with pytest.raises(
        ValueError,
        match=r"unknown direction of measure 'my cost'.* df\.ireval\(higher=\{'my cost': True\}\)",
    ):
        summary.ireval.report()
    for table in (
        summary.ireval.report(higher={"my cost": False}),
        summary.ireval(higher={"my cost": False}).report(),
        summary.ireval(higher=False).report(),
    ):
        assert [cell.emphasis for cell in column(table, "my cost")] == ["best", ""]
        assert table.columns[1].higher is False


def test_what_the_caller_says_of_a_direction_comes_first(scores):
    turned = report(scores, higher={"AP": False}, measures=["AP"], correction="none")
    assert [(cell.emphasis, cell.marks) for cell in column(turned, "AP")] == [
        ("second", "c"),
        ("best", "c"),
        ("", ""),
    ]


@pytest.mark.broad
def test_a_label_of_ones_own_does_not_turn_the_table_over():
    judged = pdeval.datasets.sample_judged(queries="common")
    lengths = judged.measure(pdeval.parse("ASL", label="my length"))
    metadata = pdeval.datasets.load_sample().metadata
    plain, named = lengths.ireval.report(), lengths.merge(metadata, on="run").ireval.report()
    smallest = lengths.groupby("run")["value"].mean().idxmin()
    for table in (plain, named, judged.report(pdeval.parse("ASL", label="my length"))):
        bold = [row[1].value for row in table.rows if row[2].emphasis == "best"]
        assert bold == [smallest]
        assert table.columns[2].higher is False
        assert [row[1].value for row in table.rows if row[2].marks == ""]
    assert [row[2].marks for row in plain.rows] == [row[2].marks for row in named.rows]


def test_an_aggregate_follows_its_label():
    judged = pdeval.datasets.sample_judged(queries="common")
    own, known = (
        judged.report(
            pdeval.parse(name, label=label), marks=None, interval="sd" if not label else None
        )
        for name, label in (("GMAP", "my mean"), ("AP", None))
    )
    oracle = judged.summary("GMAP")["mean"].tolist()
    assert [cell.value for cell in column(own, "my mean")] == pytest.approx(oracle, rel=1e-12)
    assert known.columns[1].spread == ("sd",)
    counts = judged.report(pdeval.parse("NumRel", label="all of them"), marks=None)
    assert "." not in column(counts, "all of them")[0].text


@pytest.mark.broad
def test_a_join_and_a_run_table_report_what_they_score():
    runs, qrels, _ = pdeval.datasets.load_sample()
    judged = runs.ireval.join(qrels, queries="common")
    table = judged.report(["AP", "RR"], baseline="bm25", caption="C")
    assert table == judged.measure(["AP", "RR"]).ireval.report(baseline="bm25", caption="C")
    assert table == runs.ireval.report(
        qrels, ["AP", "RR"], baseline="bm25", caption="C", queries="common"
    )
    assert [one.name for one in judged.report(marks=None).columns[1:]] == [
        "AP",
        "nDCG@10",
        "RR",
        "P@10",
        "R@100",
    ]


@pytest.mark.broad
def test_preferences_of_a_join_are_those_of_their_table():
    judged = pdeval.datasets.sample_judged(queries="common")
    assert judged.report(["RPP", "sgnLP"], marks=None) == judged.prefer(
        ["RPP", "sgnLP"]
    ).ireval.report(marks=None)
    assert (
        judged.report("RPP", marks="letters").rows[0][-1].marks
        == judged.prefer("RPP").ireval.report().rows[0][-1].marks
    )


@pytest.mark.parametrize("options", [{}, {"baseline": "bm25"}, {"marks": None}])
def test_measures_and_preferences_are_columns_of_one_table(options):
    judged = pdeval.datasets.sample_judged(queries="common")
    mixed = judged.report(["AP", "RPP", "nDCG@10"], **options)
    for measures in (["AP", "nDCG@10"], ["RPP"]):
        alone = judged.report(measures, **options)
        for name in measures:
            column, other = (
                [one.name for one in table.columns].index(name) for table in (mixed, alone)
            )
            assert [row[column] for row in mixed.rows] == [row[other] for row in alone.rows]
    assert mixed.notes[0].startswith("RPP: cells are mean preferences over ")


def test_measures_and_preferences_of_replicates_are_averaged():
    runs, qrels, metadata = pdeval.datasets.load_sample()
    dense = metadata[metadata["model"].isin(["splade", "rerank"])]
    kept = runs[runs["run"].isin(dense["run"])]
    options = {
        "replicate": "seed",
        "metadata": dense[["run", "model", "seed"]],
        "queries": "common",
        "marks": None,
    }
    mixed = kept.ireval.report(qrels, ["AP", "RPP"], **options)
    assert [row[0].text for row in mixed.rows] == ["rerank", "splade"]
    alone = kept.ireval.report(qrels, ["RPP"], **options)
    assert [row[2].value for row in mixed.rows] == [row[1].value for row in alone.rows]


def test_runs_of_several_columns_stay_apart_after_a_merge(scores):
    runs = pd.DataFrame({"model": ["lm", "lm", "bm25"], "seed": [1, 2, 1]})
    frame = replace(
        scores, runs=runs, attrs={**scores.attrs, "run_columns": ["model", "seed"]}
    ).frame()
    metadata = pd.DataFrame({"model": ["lm", "bm25"], "family": ["neural", "sparse"]})
    merged = frame.merge(metadata, on="model")
    assert merged.attrs.get("run_columns") is None
    table = merged.ireval(run=["model", "seed"]).report(marks=None, measures="AP")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["bm25", "1", "0.450"], ["lm", "1", "0.250"], ["lm", "2", "0.200"]
    ]  # fmt: skip


def test_a_tidy_frame_gives_the_same_table_as_its_cube(scores, comparisons):
    frame = scores.frame().sample(frac=1.0, random_state=1)
    table = frame.ireval.report(
        comparisons=comparisons, sort=["bm25", "lm_dir", "dense"], measures=["AP", "ASL"]
    )
    assert table == report(scores, comparisons=comparisons)


def test_a_bound_frame_is_understood(scores):
    frame = scores.frame().rename(columns={"run": "system", "query_id": "topic_no"})
    frame.attrs.clear()
    table = frame.ireval(run="system", query="topic_no").report(
        marks=None, measures=["AP"], digits=2
    )
    assert body(table) == [
        ["system", "AP ↑"],
        ["bm25", "<u>0.25</u>"],
        ["dense", "**0.45**"],
        ["lm_dir", "0.20"],
    ]


def test_a_tidy_preferences_frame_gives_the_same_table_as_its_cube(scores):
    wins = Preferences(
        scores.runs.sort_values("run", ignore_index=True), scores.queries, ("RPP",), np.array([0, 0, 1]),
        np.array([1, 2, 2]), np.array([[[1.0, -0.5, -1.0], [0.5, -0.5, 1.0], [1.0, 0.5, 0.0], [0.0, 0.25, 0.0]]]),
    )  # fmt: skip
    assert wins.frame().ireval.report(marks=None) == report(wins, marks=None)
    assert report(wins).notes[2].startswith("No difference is significant (paired Student t test")


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (
            lambda frame: pd.concat([frame, frame[:1]]),
            "the scores table has 1 rows that repeat an earlier",
        ),
        (
            lambda frame: frame.assign(value=frame["value"].where(frame.index != 3)),
            "the value column has 1 missing",
        ),
        (
            lambda frame: frame.drop(columns="value"),
            r"report\(\): expected a scores table",
        ),
    ],
)
def test_a_faulty_frame_is_refused(scores, spoil, text):
    with pytest.raises(ValueError, match=text):
        spoil(scores.frame()).ireval.report()


def test_a_summary_without_spread_or_queries_says_so():
    summary = pd.DataFrame({"run": ["x", "y"], "measure": "AP", "mean": [1.0, 2.0]})
    with pytest.raises(
        ValueError, match="interval='sd' has no values: the summary has no such column"
    ):
        summary.ireval.report(interval="sd")
    with pytest.raises(ValueError, match="a summary has no values per query"):
        summary.ireval.report(marks="letters")
    with pytest.raises(ValueError, match=r"1 duplicate \(run, measure\) rows, e.g. \('x', 'AP'\)"):
        pd.concat([summary, summary[:1]]).ireval.report()


def test_the_package_and_the_module_offer_one_function():
    assert report is report_of_systems
