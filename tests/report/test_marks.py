"""Who beats whom, and what stands behind the marks."""

import pandas as pd
import pytest

from pdeval.report import report
from pdeval.report.significance_marks import letters


def test_letters_count_as_spreadsheet_columns_do():
    names = letters(26 + 26 * 26 + 1)
    assert names[:2] + names[25:28] + names[-2:] == ["a", "b", "z", "aa", "ab", "zz", "aaa"]
    assert len(set(names)) == len(names)


def test_pairs_may_stand_in_either_direction(scores, comparisons):
    turned = comparisons.rename(columns={"run_a": "run_b", "run_b": "run_a"})
    turned["difference"] *= -1
    turned.attrs = comparisons.attrs
    assert report(scores, comparisons=turned) == report(scores, comparisons=comparisons)


def test_comparisons_of_more_runs_and_measures_than_shown_are_fine(scores, comparisons):
    more = pd.concat(
        [comparisons, comparisons.assign(run_a="other"), comparisons.assign(measure="RR")]
    )
    more.attrs = comparisons.attrs
    more = more.drop_duplicates(["run_a", "run_b", "measure"])
    assert report(scores, comparisons=more) == report(scores, comparisons=comparisons)


def test_a_baseline_needs_its_own_pairs_only(scores, comparisons):
    own = comparisons[comparisons["run_a"] == "bm25"]
    assert [row[1].marks for row in report(scores, comparisons=own, baseline="bm25").rows] == [
        "",
        "",
        "†",
    ]
    with pytest.raises(
        ValueError,
        match=r"the comparisons lack 2 pairs of this table, e.g. 'lm_dir' with 'dense' on 'AP'",
    ):
        report(scores, comparisons=own)
    with pytest.raises(ValueError, match=r"lack 2 pairs .*e.g. 'lm_dir' with 'dense'"):
        report(scores, comparisons=own, baseline="dense")


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda c: c.drop(columns="significant"), "the comparisons have no column 'significant'"),
        (lambda c: c.drop(columns="run_b"), "the comparisons have no column 'run_b'"),
        (
            lambda c: c[c["measure"] == "AP"],
            "the comparisons lack 3 pairs of this table, e.g. 'bm25' with 'lm_dir' on 'ASL'. Compare all",
        ),
        (
            lambda c: c.assign(run_a=c["run_a"] + "x", run_b=c["run_b"] + "x"),
            "the comparisons lack 6 pairs of this table, e.g. 'bm25' with 'lm_dir' on 'AP'. Compare all",
        ),
        (lambda c: pd.concat([c, c[:2]]), "the comparisons have 2 pairs more than once"),
        (
            lambda c: pd.concat([c, c.assign(test="sign")]),
            "They have the tests sign, t. Choose one with test=",
        ),
    ],
)
def test_comparisons_that_do_not_fit_are_refused(scores, comparisons, spoil, text):
    with pytest.raises(ValueError, match=text):
        report(scores, comparisons=spoil(comparisons))


def test_a_test_can_be_chosen_among_several(scores, comparisons):
    both = pd.concat([comparisons, comparisons.assign(test="sign", significant=False)])
    both.attrs = comparisons.attrs
    assert report(scores, comparisons=both, test="t") == report(scores, comparisons=comparisons)
    assert "sign test, Bonferroni" in report(scores, comparisons=both, test="sign").notes[1]
    with pytest.raises(
        ValueError, match="the comparisons have no test 'hsd'; they have 'sign', 't'"
    ):
        report(scores, comparisons=both, test="hsd")


def test_the_footnote_cannot_contradict_the_comparisons(scores, comparisons):
    with pytest.raises(
        ValueError, match=r"computed with alpha=0.05, not 0.01. Compute them again, or omit alpha=."
    ):
        report(scores, comparisons=comparisons, alpha=0.01)
    with pytest.raises(ValueError, match="computed with correction='bonferroni', not 'holm'"):
        report(scores, comparisons=comparisons, correction="holm")
    silent = comparisons.copy()
    silent.attrs = {}
    assert "(paired Student t test)" in report(scores, comparisons=silent).notes[1]
    said = report(scores, comparisons=silent, correction="holm", alpha=0.01).notes[1]
    assert "(paired Student t test, Holm correction, α = 0.01)" in said


def test_tests_that_differ_by_measure_are_all_named(scores, comparisons):
    mixed = comparisons.assign(test=comparisons["measure"].map({"AP": "t", "ASL": "sign"}))
    mixed.attrs = comparisons.attrs
    assert (
        "paired Student t test for AP, sign test for ASL, Bonf"
        in report(scores, comparisons=mixed).notes[1]
    )


def test_a_randomized_test_says_its_draws(scores):
    said = report(scores, test="hsd", correction="bonferroni").notes[1]
    assert "(randomized Tukey HSD test with 10,000 draws, α = 0.05)" in said
