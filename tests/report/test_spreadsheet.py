"""Frames and files: numbers as numbers, no formulas, the format by the ending."""

import numpy as np
import pandas as pd
import pytest

from pdeval.report import Cell, Column, Report, report


def test_numbers_are_not_rounded_and_marks_have_their_own_columns(scores, comparisons):
    frame = report(
        scores, comparisons=comparisons, interval="sd", measures=["AP"], digits=0
    ).to_frame()
    assert frame.columns.tolist() == ["letter", "run", "AP", "AP_marks", "AP_sd"]
    assert frame["run"].tolist() == ["bm25", "lm_dir", "dense"]
    assert frame["AP"].tolist() == pytest.approx([0.25, 0.2, 0.45], rel=1e-12)
    assert frame["AP_marks"].tolist() == ["", "", "ab"]
    assert frame["AP_sd"].dtype == np.float64


def test_caption_and_notes_travel_with_the_frame(scores):
    frame = report(scores, marks=None, caption="C", label="tab:x", notes="N").to_frame()
    assert frame.attrs["caption"] == "C"
    assert frame.attrs["notes"][-1] == "N"


@pytest.mark.parametrize("text", ["=1+1", "+x", "-x", "@x"])
def test_no_text_can_be_a_formula(text):
    table = Report(
        (Column(text, text, numeric=False), Column("x", "x")),
        ((Cell(text, text), Cell(-1.5, "−1.5")),),
    )
    frame = table.to_frame()
    assert frame.columns.tolist() == ["'" + text, "x"]
    assert frame.iloc[0].tolist() == ["'" + text, -1.5]


@pytest.mark.parametrize("text", ["\t=1", "\r=1", "\x00=1"])
def test_what_a_spreadsheet_would_skip_before_a_formula_is_spelled_out(text):
    frame = Report((Column("run", "run", numeric=False),), ((Cell(text, text),),)).to_frame()
    assert frame["run"].tolist() == [text.encode("unicode_escape").decode()]


def test_a_missing_cell_is_nan_in_the_frame():
    frame = Report((Column("x", "x"),), ((Cell(None, "–"),), (Cell(2, "2"),))).to_frame()
    assert frame["x"].isna().tolist() == [True, False]


def test_files_are_written_by_their_ending(scores, comparisons, tmp_path):
    table = report(scores, comparisons=comparisons, caption="Ünïcode")
    assert table.save(tmp_path / "t.tex").read_text(encoding="utf-8") == table.to_latex() + "\n"
    assert (
        table.save(str(tmp_path / "t.md")).read_text(encoding="utf-8") == table.to_markdown() + "\n"
    )
    assert table.save(tmp_path / "t.HTML").read_text(encoding="utf-8") == table.to_html(
        interactive=True
    )
    by_hand = Report((Column("x", "x"),), ((Cell(2, "2"),),))
    plain = by_hand.save(tmp_path / "plain.html").read_text(encoding="utf-8")
    assert plain == by_hand.to_html(standalone=True), "there are no data behind its cells"
    read = pd.read_csv(table.save(tmp_path / "t.csv"), keep_default_na=False)
    pd.testing.assert_frame_equal(read, table.to_frame(), check_dtype=False)


@pytest.mark.broad
def test_an_excel_file_holds_the_table_and_its_notes(scores, comparisons, tmp_path):
    pytest.importorskip("openpyxl", reason="writing Excel files needs openpyxl")
    table = report(scores, comparisons=comparisons, caption="=1+1", names={"bm25": "=cmd"})
    path = table.save(tmp_path / "t.xlsx")
    sheets = pd.read_excel(path, sheet_name=None, keep_default_na=False)
    assert sheets["report"]["run"].tolist() == ["'=cmd", "lm_dir", "dense"]
    assert sheets["report"]["ASL"].tolist() == [13.0, 21.0, 3.0]
    assert sheets["notes"]["notes"].tolist()[:2] == ["'=1+1", "Best in bold, second underlined."]


@pytest.mark.parametrize(("name", "found"), [("t.docx", "ends in '.docx'"), ("t", "has no ending")])
def test_another_ending_is_refused(scores, tmp_path, name, found):
    with pytest.raises(
        ValueError, match=f"{found}; a report can be saved as .csv, .html, .json, .md, "
    ):
        report(scores, marks=None).save(tmp_path / name)
