"""Tables of pairs: matrices and comparisons."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.report import report_comparisons, report_matrix


@pytest.fixture
def matrix():
    runs = ["bm25", "lm_dir", "dense"]
    return pd.DataFrame(
        [[0.0, 0.05, -0.2], [-0.05, 0.0, -0.25], [0.2, 0.25, 0.0]], index=runs, columns=runs
    )


def test_a_matrix_has_dashes_on_its_diagonal_and_daggers_for_wins(matrix, comparisons):
    assert report_matrix(matrix, comparisons=comparisons, measure="AP", digits=2).to_markdown() == (
        "|        |             bm25 |           lm_dir | dense |\n"
        "|:-------|-----------------:|-----------------:|------:|\n"
        "| bm25   |                – |             0.05 | −0.20 |\n"
        "| lm_dir |            −0.05 |                – | −0.25 |\n"
        "| dense  | 0.20<sup>†</sup> | 0.25<sup>†</sup> |     – |\n\n"
        "† the row is significantly better than the column "
        "(paired Student t test, Bonferroni correction, α = 0.05)."
    )


def test_less_is_better_does_not_turn_the_marks_of_a_matrix(matrix, comparisons):
    table = report_matrix(matrix, comparisons=comparisons, measure="ASL")
    assert [[cell.marks for cell in row[1:]] for row in table.rows] == [
        ["", "†", ""],
        ["", "", ""],
        ["†", "†", ""],
    ]


def test_a_triangle_leaves_the_other_half_empty(matrix):
    upper = report_matrix(matrix, triangle="upper", names={"bm25": "BM25"})
    assert [[cell.text for cell in row] for row in upper.rows] == [
        ["BM25", "–", "0.050", "−0.200"], ["lm_dir", "", "–", "−0.250"], ["dense", "", "", "–"],
    ]  # fmt: skip
    lower = report_matrix(matrix, triangle="lower")
    assert [cell.text for cell in lower.rows[2]] == ["dense", "0.200", "0.250", "–"]
    assert lower.to_frame().loc[0, ["bm25", "lm_dir", "dense"]].isna().all()


def test_the_footnote_of_a_matrix_names_its_measure_and_rules():
    judged = pdeval.datasets.sample_judged(queries="judged")
    assert judged.matrix("RPP").ireval.report().notes == (
        "Mean preference by RPP for the row over the column.",
        "Tied scores ordered by document id; queries without a relevant document count too; RPP averaged over grade "
        "thresholds (level=1: binary); conventions of trec_eval-10.",
    )


def test_a_large_matrix_has_letters_over_its_columns():
    names = [f"run{i}" for i in range(6)]
    table = report_matrix(pd.DataFrame(np.ones((6, 6)), index=names, columns=names))
    assert [column.header for column in table.columns] == ["", "", "a", "b", "c", "d", "e", "f"]
    assert [cell.text for cell in table.rows[1][:2]] == ["b", "run1"]
    named = report_matrix(
        pd.DataFrame(np.ones((6, 6)), index=names, columns=names), headers="names"
    )
    assert [column.header for column in named.columns] == ["", *names]


def test_runs_of_several_columns_in_a_matrix():
    index = pd.MultiIndex.from_tuples([("lm", 1), ("lm", 2)])
    pairs = pd.DataFrame(
        {"model_a": ["lm"], "seed_a": [1], "model_b": ["lm"], "seed_b": [2], "measure": ["AP"], "difference": [-1.0],
         "significant": [True]}
    )  # fmt: skip
    table = report_matrix(
        pd.DataFrame(np.zeros((2, 2)), index=index, columns=index), comparisons=pairs
    )
    assert [row[0].text for row in table.rows] == ["lm / 1", "lm / 2"]
    assert table.rows[1][1].marks == "†"


@pytest.mark.parametrize(
    ("spoil", "options", "error", "text"),
    [
        (lambda m: m.iloc[:2], {}, ValueError, r"it has 2 rows \(bm25, lm_dir\) and 3 columns"),
        (lambda m: m.iloc[:0, :0], {}, ValueError, "the matrix has no rows"),
        (
            lambda m: m.to_numpy(),
            {},
            TypeError,
            "the matrix must be a pandas DataFrame, not ndarray.",
        ),
        (
            lambda m: m.replace(-0.25, np.nan),
            {},
            ValueError,
            "no value for 'lm_dir' against 'dense'",
        ),
        (
            lambda m: m.rename({"lm_dir": "bm25"}).rename(columns={"lm_dir": "bm25"}),
            {},
            ValueError,
            "'bm25' more than",
        ),
    ],
)
def test_a_matrix_that_cannot_be_shown_is_refused(matrix, spoil, options, error, text):
    with pytest.raises(error, match=text):
        report_matrix(spoil(matrix), **options)


def test_a_choice_that_does_not_exist_is_refused_at_the_call(matrix):
    with pytest.raises(ValueError, match="triangle='left': choose 'full', 'upper' or 'lower'"):
        matrix.ireval.report(triangle="left")
    with pytest.raises(ValueError, match="headers='ids': choose 'names' or 'letters'"):
        matrix.ireval.report(headers="ids")


def test_comparisons_of_several_measures_need_a_choice(matrix, comparisons):
    with pytest.raises(
        ValueError,
        match=r"the comparisons have several measures: AP, ASL\. Choose one with measure=",
    ):
        report_matrix(matrix, comparisons=comparisons)
    with pytest.raises(KeyError, match="no measure 'P' in the comparisons; they have AP, ASL"):
        report_matrix(matrix, comparisons=comparisons, measure="P")


def test_comparisons_are_listed_with_intervals_and_small_p_values(comparisons):
    pairs = comparisons.assign(
        ci_low=[-0.1, -0.3, -0.35, 5.0, -12.0, -20.0], ci_high=[0.2, -0.1, -0.15, 11, -8, -16]
    )
    pairs.attrs = {**comparisons.attrs, "confidence": 0.95}
    table = report_comparisons(pairs[pairs["measure"] == "AP"], digits=2, names={"dense": "Dense"})
    assert table.to_markdown() == (
        "| System A | System B |           Difference |         p adjusted |\n"
        "|:---------|:---------|---------------------:|-------------------:|\n"
        "| bm25     | lm_dir   |   0.05 [−0.10, 0.20] |               0.90 |\n"
        "| bm25     | Dense    | −0.20 [−0.30, −0.10] | <0.01<sup>\\*</sup> |\n"
        "| lm_dir   | Dense    | −0.25 [−0.35, −0.15] | <0.01<sup>\\*</sup> |\n\n"
        "AP. \\* significant (paired Student t test, Bonferroni correction, α = 0.05). "
        "In brackets the 95% confidence interval of the difference. 4 queries."
    )


def test_measures_become_groups_and_only_significant_pairs_can_be_kept(comparisons):
    table = report_comparisons(comparisons, only_significant=True)
    assert [(group.title, group.size) for group in table.groups] == [("AP", 2), ("ASL", 3)]
    assert table.to_frame()["difference"].tolist() == [-0.2, -0.25, 8.0, -10.0, -18.0]
    nothing = report_comparisons(comparisons.assign(significant=False), only_significant=True)
    assert nothing.rows == ()
    assert "No difference is significant" in nothing.to_latex()
    assert len(nothing.to_frame()) == 0


def test_a_row_against_nothing_is_refused(comparisons):
    with pytest.raises(
        ValueError, match="the comparisons have no columns of pairs of runs; they have run_b"
    ):
        report_comparisons(comparisons.drop(columns=["run_a"]))
    with pytest.raises(ValueError, match="the comparisons have no column 'significant'"):
        report_comparisons(comparisons.drop(columns="significant"))
    with pytest.raises(ValueError, match=r"have 1 duplicate \(run_a, run_b, measure, test\) rows"):
        report_comparisons(pd.concat([comparisons, comparisons[:1]]))
