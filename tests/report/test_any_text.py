"""Whatever a run is called, every format keeps its structure."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.report import Cell, Column, Report
from tests.examples import examples

# XML, which the test parses HTML with, knows no control characters
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")), max_size=30
)


def table_of(text):
    return Report(
        (Column("run", text, numeric=False), Column("x", text)),
        ((Cell(text, text), Cell(1.0, "1.0", marks=text)), (Cell("b", "b"), Cell(2.0, "2.0"))),
        caption=text,
        notes=(text,),
    )


@pytest.mark.broad
@examples(200)
@given(TEXTS)
def test_latex_braces_are_balanced_and_specials_escaped(text):
    latex = table_of(text).to_latex()
    bare = re.sub(r"\\[\\{}_&%$#]", "", latex)
    assert bare.count("{") == bare.count("}")
    assert bare.count("&") == 3
    assert bare.count("$") % 2 == 0
    assert not re.search(r"[%#~^_]", bare.replace("~", "" if "\u00a0" in text else "~"))


@examples(200)
@given(TEXTS)
def test_markdown_rows_have_as_many_cells_as_columns(text):
    lines = [line for line in table_of(text).to_markdown().splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines} == {3}
    assert len(lines) == 4


@examples(200)
@given(TEXTS)
def test_html_texts_come_back_as_they_were(text):
    html = table_of(text).to_html()
    table = ElementTree.fromstring(
        html[html.index("<table>") : html.index("</table>") + len("</table>")]
    )
    assert "".join(table.find("tbody/tr/td").itertext()) == text
    assert "".join(table.find("caption").itertext()) == text


@pytest.mark.broad
@examples(200)
@given(st.text(max_size=30))
def test_no_cell_of_a_frame_is_a_formula(text):
    assert not table_of(text).to_frame()["run"].iloc[0].startswith(("=", "+", "-", "@", "\t", "\r"))
