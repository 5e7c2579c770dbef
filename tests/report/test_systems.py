"""report(): systems x measures, checked as the text that a reader sees."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pdeval.evaluate.cube import Preferences, Scores
from pdeval.report import report

BASIS = (
    "4 queries; tied scores ordered by document id; queries without a relevant document do not count; "
    "conventions of trec_eval-10."
)


def body(table):
    """The rows of the Markdown table, without its caption and notes, spaces collapsed."""
    lines = [line for line in table.to_markdown().splitlines() if line.startswith("|")]
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in [lines[0], *lines[2:]]
    ]


def column(table, name):
    at = [col.name for col in table.columns].index(name)
    return [row[at] for row in table.rows]


def test_the_best_is_bold_and_the_second_underlined_in_each_direction(scores):
    assert body(report(scores, marks=None)) == [
        ["System", "AP ↑", "ASL ↓"],
        ["bm25", "<u>0.250</u>", "<u>13.000</u>"],
        ["lm_dir", "0.200", "21.000"],
        ["dense", "**0.450**", "**3.000**"],
    ]


def test_letters_name_the_systems_that_are_beaten(scores, comparisons):
    assert body(report(scores, comparisons=comparisons, digits=2)) == [
        ["", "System", "AP ↑", "ASL ↓"],
        ["a", "bm25", "<u>0.25</u>", "<u>13.00</u><sup>b</sup>"],
        ["b", "lm_dir", "0.20", "21.00"],
        ["c", "dense", "**0.45**<sup>ab</sup>", "**3.00**<sup>ab</sup>"],
    ]


def test_letters_follow_the_order_of_the_rows(scores, comparisons):
    table = report(scores, comparisons=comparisons, sort="AP")
    assert body(table)[1:] == [
        ["a", "dense", "**0.450**<sup>bc</sup>", "**3.000**<sup>bc</sup>"],
        ["b", "bm25", "<u>0.250</u>", "<u>13.000</u><sup>c</sup>"],
        ["c", "lm_dir", "0.200", "21.000"],
    ]


def test_daggers_compare_with_the_baseline_in_both_directions(scores, comparisons):
    table = report(scores, comparisons=comparisons, baseline="bm25", measures=["ASL"], digits=0)
    assert body(table) == [
        ["System", "ASL ↓"],
        ["bm25", "<u>13</u>"],
        ["lm_dir", "21<sup>‡</sup>"],
        ["dense", "**3**<sup>†</sup>"],
    ]
    assert table.notes[1] == (
        "† significantly better, ‡ significantly worse than bm25 "
        "(paired Student t test, Bonferroni correction, α = 0.05)."
    )


def test_the_footnote_names_test_correction_alpha_queries_ties_and_topics(scores, comparisons):
    assert report(scores, comparisons=comparisons).notes == (
        "Best in bold, second underlined.",
        "Raised letters: significantly better than the system of that letter "
        "(paired Student t test, Bonferroni correction, α = 0.05).",
        BASIS,
    )


def test_the_footnote_says_so_where_nothing_is_significant(scores, comparisons):
    nothing = comparisons.assign(significant=False)
    nothing.attrs = comparisons.attrs
    assert (
        report(scores, comparisons=nothing)
        .notes[1]
        .startswith("No difference is significant (paired Student t")
    )
    said = report(scores, comparisons=nothing, baseline="bm25").notes[1]
    assert said.startswith("No difference to bm25 is significant (")


def test_footnotes_can_be_left_out_and_notes_added(scores):
    assert report(scores, marks=None, footnotes=False, notes="Mine.").notes == ("Mine.",)
    assert report(scores, marks=None, notes=["One.", "Two."]).notes[-2:] == ("One.", "Two.")


def test_comparisons_are_computed_where_none_are_given(scores):
    # t of dense - bm25 on AP: the differences are all 0.2, on lm_dir: 0.1 to 0.4, p = 0.0305, times 3
    table = report(scores, measures=["AP"])
    assert [cell.marks for cell in column(table, "AP")] == ["", "", "a"]
    assert "paired Student t test, Holm correction of 3 comparisons, α = 0.05" in table.notes[1]
    uncorrected = report(scores, measures=["AP"], correction="none")
    assert [cell.marks for cell in column(uncorrected, "AP")] == ["", "", "ab"]
    assert "no correction" in uncorrected.notes[1]


def test_a_baseline_is_corrected_for_its_own_pairs_only(scores):
    # dense against lm_dir on AP: p = 0.0305, times 2 pairs with the baseline is not below 0.05, but below 0.1
    table = report(scores, measures=["AP"], baseline="lm_dir", alpha=0.1)
    assert [cell.marks for cell in column(table, "AP")] == ["", "", "†"]
    assert "α = 0.1" in table.notes[1]


def test_preferences_show_the_mean_over_opponents(scores):
    wins = Preferences(
        scores.runs, scores.queries[:2], ("RPP",), np.array([0, 0, 1]), np.array([1, 2, 2]),
        np.array([[[1.0, -0.5, -1.0], [0.5, -0.5, -1.0]]]),
    )  # fmt: skip
    table = report(wins, marks=None)
    # bm25: (1 + .5)/2 over lm_dir, -.5 over dense; mean .125
    assert [cell.value for cell in column(table, "RPP")] == [0.125, -0.875, 0.75]
    assert [cell.text for cell in column(table, "RPP")] == ["0.125", "−0.875", "0.750"]
    assert table.notes[0] == "Cells are mean preferences over all other systems."


def test_preferences_against_a_baseline_show_it_as_zero(scores):
    wins = Preferences(
        scores.runs, scores.queries[:2], ("RPP",), np.array([0, 1]), np.array([2, 2]),
        np.array([[[1.0, -0.5], [0.5, -0.5]]]),
    )  # fmt: skip
    table = report(wins, marks=None, baseline="dense")
    assert [cell.value for cell in column(table, "RPP")] == [0.75, -0.5, 0.0]
    with pytest.raises(ValueError, match="run 'bm25' met 1 of 2 opponents"):
        report(wins, marks=None)


def test_a_summary_is_shown_as_it_is(scores):
    summary = pd.DataFrame(
        {"run": ["x", "y"], "measure": "AP", "n": [48, 50], "mean": [0.1, 0.2], "sd": [0.01, 0.02],
         "ci_low": [0.08, 0.1], "ci_high": [0.12, 0.3]}
    )  # fmt: skip
    table = summary.ireval.report(interval="ci", digits=2)
    assert body(table)[1:] == [["x", "0.10 [0.08, 0.12]"], ["y", "**0.20** [0.10, 0.30]"]]
    assert table.notes == (
        "Best in bold.",
        "In brackets the confidence interval of the mean.",
        "48 to 50 queries per system.",
    )


def test_an_interval_is_that_of_the_mean_over_queries(scores):
    # sd of .1 .2 .3 .4 is .1291; t(.975, 3 df) = 3.1824; .25 -+ 3.1824 * .1291 / 2
    table = report(scores, interval="ci", marks=None, measures=["AP"])
    oracle = stats.t.interval(0.95, 3, 0.25, stats.sem([0.1, 0.2, 0.3, 0.4]))
    assert column(table, "AP")[0].spread == pytest.approx(oracle, rel=1e-12)
    assert body(table)[1] == ["bm25", "<u>0.250</u> [0.045, 0.455]"]
    assert "95% confidence interval of the mean (Student t)" in " ".join(table.notes)
    narrow = report(scores, interval="ci", marks=None, measures=["AP"], alpha=0.5)
    assert "50% confidence interval" in " ".join(narrow.notes)


def test_the_standard_deviation_divides_by_n_minus_one(scores):
    table = report(scores, interval="sd", marks=None, measures=["AP"])
    assert body(table)[1] == ["bm25", "<u>0.250</u> ± 0.129"]


def test_values_that_print_alike_are_marked_alike(scores):
    values = scores.values.copy()
    values[0, :, 1] = 0.4496
    table = report(replace(scores, values=values), marks=None, digits=2, measures=["AP"])
    assert body(table)[1:] == [
        ["bm25", "<u>0.25</u>"],
        ["lm_dir", "**0.45**"],
        ["dense", "**0.45**"],
    ]


def test_two_systems_have_a_best_and_no_second(scores):
    two = replace(scores, runs=scores.runs[:2], values=scores.values[:, :, :2])
    assert body(report(two, marks=None))[1:] == [
        ["bm25", "**0.250**", "**13.000**"],
        ["lm_dir", "0.200", "21.000"],
    ]


def test_where_all_are_equal_none_is_best(scores):
    table = report(replace(scores, values=np.ones_like(scores.values)), marks=None)
    assert {cell.emphasis for cell in column(table, "AP")} == {""}
    assert table.notes == (BASIS,)


def test_one_system_is_not_the_best_of_anything(scores):
    one = replace(scores, runs=scores.runs[:1], values=scores.values[:, :, :1])
    assert body(report(one))[1:] == [["bm25", "0.250", "13.000"]]


def test_rows_are_grouped_by_metadata(scores):
    metadata = pd.DataFrame(
        {"run": ["dense", "bm25", "lm_dir"], "family": ["neural", "sparse", "sparse"]}
    )
    table = report(
        scores, metadata=metadata, group="family", sort="AP", marks=None, measures=["AP"]
    )
    assert body(table) == [
        ["System", "AP ↑"],
        ["*sparse*", ""],
        ["bm25", "<u>0.250</u>"],
        ["lm_dir", "0.200"],
        ["*neural*", ""],
        ["dense", "**0.450**"],
    ]
    assert table.to_frame()["family"].tolist() == ["sparse", "sparse", "neural"]


def test_the_best_can_be_looked_for_inside_groups(scores):
    metadata = pd.DataFrame(
        {"run": ["dense", "bm25", "lm_dir"], "family": ["neural", "sparse", "sparse"]}
    )
    table = report(
        scores, metadata=metadata, group="family", best="group", marks=None, measures=["AP"]
    )
    assert [cell.emphasis for cell in column(table, "AP")] == ["best", "", ""]
    assert {cell.emphasis for cell in column(report(scores, best=None, marks=None), "AP")} == {""}


def test_a_run_of_several_columns_can_be_grouped_by_one(scores):
    runs = pd.DataFrame({"model": ["lm", "lm", "bm25"], "seed": [1, 2, 1]})
    table = report(replace(scores, runs=runs), group="model", marks=None, measures=["AP"], digits=2)
    assert body(table) == [
        ["seed", "AP ↑"], ["*lm*", ""], ["1", "<u>0.25</u>"], ["2", "0.20"], ["*bm25*", ""], ["1", "**0.45**"],
    ]  # fmt: skip


def test_a_run_of_several_columns_can_be_the_baseline(scores):
    runs = pd.DataFrame({"model": ["lm", "lm", "bm25"], "seed": [1, 2, 1]})
    pairs = pd.DataFrame(
        {"model_a": ["lm", "bm25"], "seed_a": [1, 1], "model_b": ["lm", "lm"], "seed_b": [2, 2], "measure": "ASL",
         "difference": [8.0, 18.0], "significant": [True, False]}
    )  # fmt: skip
    table = report(
        replace(scores, runs=runs), baseline=("lm", 2), measures=["ASL"], comparisons=pairs
    )
    assert [cell.marks for cell in column(table, "ASL")] == ["†", "", ""]
    assert table.notes[1] == "† significantly better than lm / 2."


def test_headings_stand_over_measures_and_names_replace_ids(scores):
    table = report(
        scores,
        marks=None,
        columns={"AP": "Precision", "ASL": "Search length"},
        names={"bm25": "BM25", "AP": "MAP", "run": "Run"},
        arrows=False,
    )
    assert body(table)[:2] == [
        ["Run", "Precision: MAP", "Search length: ASL"],
        ["BM25", "<u>0.250</u>", "<u>13.000</u>"],
    ]


def test_digits_can_differ_by_measure(scores):
    assert body(report(scores, marks=None, digits={"ASL": 1}))[1] == [
        "bm25",
        "<u>0.250</u>",
        "<u>13.0</u>",
    ]


def test_sums_are_whole_numbers_and_geometric_means_have_a_floor():
    cube = Scores(
        pd.DataFrame({"run": ["a", "b"]}), pd.Index([1, 2]), ("NumRel", "GMAP"),
        np.array([[[3.0, 3.0], [4.0, 4.0]], [[0.5, 1e-5], [0.5, 0.1]]]), np.array([True, True]),
    )  # fmt: skip
    table = report(cube, marks=None)
    assert [cell.text for cell in column(table, "NumRel")] == ["7", "7"]
    # sqrt(.5 * .5), sqrt(.00001 * .1)
    assert [cell.text for cell in column(table, "GMAP")] == ["0.500", "0.001"]


def test_an_infinite_mean_is_printed_and_not_tested(scores):
    values = scores.values.copy()
    values[1, 0, 1] = np.inf
    table = report(replace(scores, values=values))
    assert [cell.text for cell in column(table, "ASL")] == ["13.000", "∞", "3.000"]
    assert [cell.emphasis for cell in column(table, "ASL")] == ["second", "", "best"]
    assert [cell.marks for cell in column(table, "AP")] == ["", "", "a"]
    assert table.notes[2] == "ASL: not tested, has infinite values."
    alone = report(replace(scores, values=values), measures=["ASL"])
    assert alone.columns[0].name == "run"


def test_many_systems_get_two_letter_names_with_commas(scores):
    n = 28
    runs = pd.DataFrame({"run": [f"r{i:02d}" for i in range(n)]})
    values = np.broadcast_to(np.arange(n) / 100.0, (1, 4, n)) + np.arange(4)[:, None] / 1000
    cube = Scores(runs, scores.queries, ("AP",), values, np.array([True]))
    a, b = np.triu_indices(n, k=1)
    pairs = pd.DataFrame(
        {"run_a": runs["run"].to_numpy()[a], "run_b": runs["run"].to_numpy()[b], "measure": "AP",
         "difference": -1.0, "significant": b == n - 1}
    )  # fmt: skip
    table = report(cube, comparisons=pairs)
    assert table.rows[-1][0].text == "ab"
    marks = column(table, "AP")[-1].marks
    assert marks.startswith("a,b,c,")
    assert marks.endswith("y,z,aa")
    # without comparisons, "auto" would print more letters than numbers
    assert {cell.marks for cell in column(report(cube), "AP")} == {""}
