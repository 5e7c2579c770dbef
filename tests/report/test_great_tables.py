"""great_tables: numbers as data, cells as printed."""

import sys

import pytest

from pdeval.report import Cell, Column, Report, report
from tests.report.test_formats import TABLE


@pytest.mark.broad
def test_the_data_are_numbers_and_the_cells_as_printed():
    pytest.importorskip("great_tables")
    made = TABLE.to_great_tables()
    html = made.as_raw_html()
    # a cell without a mark has the width of one: digits and spreads are aligned
    hidden = '<span style="visibility: hidden"><sup>†</sup></span>'
    assert f"<b>0.500</b>{hidden} ± 0.200" in html
    assert "<u>0.250</u><sup>†</sup> ± 0.100" in html
    assert "&lt;c&gt;" in html
    assert "<c>" not in html
    for text in ("AP ↑", "Precision", "N.", ">C<", ">one<", ">two<"):
        assert text in html
    assert made._tbl_data["AP"].tolist()[:2] == [0.25, 0.5]


@pytest.mark.broad
def test_numbers_of_different_lengths_and_marks_are_as_wide_as_each_other():
    pytest.importorskip("great_tables")
    cells = [Cell(1.5, "1.5", marks="a"), Cell(10.25, "10.25", marks="bc")]
    html = Report((Column("x", "X"),), tuple((cell,) for cell in cells)).to_great_tables()
    zero = '<span style="visibility: hidden">0</span>'
    mark = '<span style="display: inline-block; width: 0; white-space: nowrap"><sup>a</sup></span>'
    longest = '<span style="visibility: hidden"><sup>bc</sup></span>'
    assert f"{zero}1.5{zero}{mark}{longest}</td>" in html.as_raw_html()
    assert ">10.25<sup>bc</sup></td>" in html.as_raw_html()


@pytest.mark.broad
def test_a_report_of_systems_is_shown_whole(scores, comparisons):
    pytest.importorskip("great_tables")
    table = report(scores, comparisons=comparisons, caption="Systems.")
    html = table.to_great_tables().as_raw_html()
    assert all(cell.text in html for row in table.rows for cell in row)
    assert "Raised letters" in html


@pytest.mark.broad
def test_a_column_named_group_is_kept_beside_the_groups():
    pytest.importorskip("great_tables")
    from dataclasses import replace

    table = replace(TABLE, columns=(Column("group", "G", numeric=False), TABLE.columns[1]))
    assert "a_b" in table.to_great_tables().as_raw_html()


def test_without_the_package_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "great_tables", None)
    table = Report((Column("AP", "AP"),), ((Cell(0.5, "0.5"),),))
    with pytest.raises(
        ImportError, match="needs the package great_tables: pip install great_tables"
    ):
        table.to_great_tables()
