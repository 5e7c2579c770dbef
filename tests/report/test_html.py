"""HTML: literal rows, escaping, and one style that takes the colors of the page."""

import re
from xml.etree import ElementTree

import pytest

from pdeval.report import Cell, Column, Report, report
from pdeval.report.html import STYLE


def table_of(text):
    """The <table> element, parsed; fails on tags that do not close."""
    return ElementTree.fromstring(re.search(r"<table>.*</table>", text, flags=re.DOTALL)[0])


def test_a_table_with_letters_groups_and_headings(scores, comparisons):
    family = scores.runs.assign(family=["sparse", "sparse", "neural"])
    table = report(
        scores,
        comparisons=comparisons,
        metadata=family,
        group="family",
        columns={"AP": "Precision"},
        measures=["AP"],
        digits=2,
        footnotes=False,
        caption="Systems & costs.",
        label="tab:main",
        notes="a < b",
    )
    assert table.to_html().replace(STYLE + "\n", "") == (
        '<div class="pdeval-report" id="tab:main">\n'
        "<table>\n"
        "<caption>Systems &amp; costs.</caption>\n"
        "<thead>\n"
        '<tr><th colspan="2"></th><th scope="colgroup" class="n g" colspan="2">Precision</th></tr>\n'
        '<tr><th scope="col"></th><th scope="col">System</th><th scope="col" class="n" colspan="2">AP ↑</th></tr>\n'
        "</thead>\n"
        "<tbody>\n"
        '<tr><th class="t" scope="rowgroup" colspan="4">sparse</th></tr>\n'
        '<tr><td>a</td><td>bm25</td><td class="n"><u>0.25</u></td><td class="m"></td></tr>\n'
        '<tr><td>b</td><td>lm_dir</td><td class="n">0.20</td><td class="m"></td></tr>\n'
        "</tbody>\n"
        "<tbody>\n"
        '<tr><th class="t" scope="rowgroup" colspan="4">neural</th></tr>\n'
        '<tr><td>c</td><td>dense</td><td class="n"><b>0.45</b></td><td class="m"><sup>ab</sup></td></tr>\n'
        "</tbody>\n"
        "</table>\n"
        "<p>a &lt; b</p>\n"
        "</div>"
    )


@pytest.mark.parametrize(("interval", "spread"), [("sd", "± 0.13"), ("ci", "[0.04, 0.46]")])
def test_a_spread_has_a_column_of_its_own(scores, interval, spread):
    table = table_of(
        report(scores, marks=None, interval=interval, digits=2, measures=["AP"]).to_html()
    )
    first = table.find("tbody/tr")
    assert ["".join(cell.itertext()) for cell in first] == ["bm25", "0.25", spread]
    assert [cell.get("colspan") for cell in table.find("thead/tr")] == [None, "2"]


def test_every_row_is_as_wide_as_its_header(scores, comparisons):
    table = table_of(report(scores, comparisons=comparisons, interval="ci").to_html())
    widths = {sum(int(cell.get("colspan", 1)) for cell in row) for row in table.iter("tr")}
    assert widths == {8}


def test_texts_cannot_become_markup():
    bad = '<script>alert("x")</script>'
    table = Report(
        (Column(bad, bad, group=bad, numeric=False), Column("x", "x")),
        ((Cell(bad, bad), Cell(1.0, bad, "best", bad, (1.0, 2.0), (bad, bad))),),
        caption=bad,
        notes=(bad,),
    )
    text = table.to_html(standalone=True)
    assert "<script" not in text
    assert text.count("&lt;script&gt;") == 10


def test_a_notebook_shows_the_interactive_table_and_without_scripts_the_plain_one(scores):
    table = report(scores, marks=None)
    assert table.to_html().startswith('<div class="pdeval-report">')
    shown = table._repr_html_()
    assert f'<div class="pdeval-plain">{table.to_html()}</div>' in shown
    assert shown == table.to_html(embedded=True) == table._repr_html_()
    by_hand = Report((Column("x", "x"),), ((Cell(1.0, "1"),),))
    assert by_hand._repr_html_() == by_hand.to_html(), "there are no data behind its cells"


def test_a_page_is_complete_and_follows_dark_mode(scores):
    text = report(scores, marks=None, caption="A & B").to_html(standalone=True)
    assert text.startswith("<!DOCTYPE html>")
    assert '<meta name="color-scheme" content="light dark">' in text
    assert "<title>A &amp; B</title>" in text


def test_the_style_is_its_own_and_names_no_color():
    rules = [line for line in STYLE.splitlines() if "{" in line]
    assert all(line.startswith(".pdeval-report") for line in rules)
    assert "http" not in STYLE
    assert not re.search(r"#[0-9a-fA-F]{3}|rgb|white(?!-)|black", STYLE)
