"""Wide tables that fit, and long ones that go on over pages: the logs of LaTeX say so, in one column and in two."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.cube import Scores
from pdeval.report import report
from tests.report.compiling import compiled, too_high, too_wide
from tests.report.test_typst import compiled as compiled_typst

MEASURES = ("AP", "nDCG@10", "P@10", "RR")


def systems(count, name="rerank-s{}"):
    """Systems that are all told apart, so that the first beats all others: marks are as long as they can be."""
    noise = np.random.default_rng(0).normal(0, 0.002, (len(MEASURES), 30, count))
    values = np.linspace(0.9, 0.1, count) + noise
    runs = pd.DataFrame({"run": [name.format(i) for i in range(count)]})
    queries = pd.Index(range(30), name="query_id")
    return Scores(runs, queries, MEASURES, values, np.ones(len(MEASURES), dtype=bool))


@pytest.fixture(scope="module")
def ten():
    return report(systems(10), caption="Ten systems.")


@pytest.fixture(scope="module")
def named():
    return report(systems(10, "rerank-depth-{}00"), caption="Ten systems with longer names.")


def test_letters_are_as_long_as_there_are_others(ten):
    assert {cell.marks for cell in ten.rows[0][2:]} == {"bcdefghij"}


@pytest.mark.broad
def test_all_pairs_of_ten_systems_are_too_wide_without_a_limit(named, tmp_path):
    assert compiled(tmp_path, [named.to_latex(width=np.inf)]) == ""
    assert max(too_wide(tmp_path)) > 10  # what the default and the options below mend


@pytest.fixture(scope="module")
def twelve_by_eight():
    measures = ["AP", "nDCG@10", "RR", "P@10", "R@100", "RBP(p=0.9)", "ASL", "Bpref"]
    return pdeval.datasets.sample_judged(queries="common").report(measures)


def test_columns_that_do_not_fit_follow_in_a_table_below(twelve_by_eight):
    text = twelve_by_eight.to_latex()
    assert text.count(r"\begin{tabular}") == 2
    assert text.count("rerank-s1") == 2  # the systems are repeated
    assert r"\footnotesize" in text
    assert twelve_by_eight.to_latex(width=1000).count(r"\begin{tabular}") == 1
    assert twelve_by_eight.to_latex(environment="tabular").count(r"\begin{tabular}") == 1
    typst = twelve_by_eight.to_typst()
    assert typst.count("table(\n") == 1
    assert "set text(size: 0.85em)" in typst
    assert twelve_by_eight.to_typst(width=240).count(" table(\n") == 3


@pytest.mark.broad
@pytest.mark.parametrize(("paper", "width"), [("article", None), ("twocolumn", 229)])
def test_twelve_systems_by_eight_measures_fit(twelve_by_eight, tmp_path, paper, width):
    assert compiled(tmp_path, [twelve_by_eight.to_latex(width=width)], paper) == ""
    assert too_wide(tmp_path) == []
    assert too_high(tmp_path) == []


def test_tables_that_do_not_fit_a_page_together_are_floats_of_one_number(twelve_by_eight):
    table = replace(twelve_by_eight, caption="Means.", label="tab:means")
    text = table.to_latex(width=229)
    assert text.count(r"\begin{table}[t]") == text.count(r"\end{table}") == 3
    assert text.count(r"\caption{Means.}") == text.count(r"\label{tab:means}") == 1
    assert text.count(r"\addtocounter{table}{-1}\caption{Means. (continued)}") == 2
    assert text.count(r"\begin{minipage}") == 1  # the notes, after the last
    daggers = pdeval.datasets.sample_judged(queries="common").report(baseline="bm25")
    assert daggers.to_latex(width=180).count(r"\begin{tabular}") > 1
    assert daggers.to_latex(width=180).count(r"\begin{table}") == 1
    breakable = "#show figure: set block(breakable: true)"
    assert breakable in table.to_typst(width=240)
    assert breakable not in table.to_typst()


def test_a_float_of_many_rows_warns_and_names_the_remedy():
    table = report(systems(60), marks=None)
    with pytest.warns(UserWarning, match="60 rows, and a float does not continue .*longtable"):
        table.to_latex()
    assert table.to_latex(environment="longtable")  # without a warning


FITTING = {
    "marks below": ("article", {"marks": "below"}),
    "compact": ("article", {"compact": True}),
    "resized": ("pages", {"resize": True}),
    "compact in one of two columns": ("twocolumn", {"compact": True}),
    "resized in one of two columns": ("twocolumn", {"resize": True}),
    "over two columns": ("twocolumn", {"environment": "table*"}),
    "compact in a column of acmart": ("acmart", {"compact": True}),
    "resized in a column of acmart": ("acmart", {"resize": True}),
    "over both columns of acmart": ("acmart", {"environment": "table*"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", FITTING)
def test_all_pairs_of_ten_systems_fit(ten, named, tmp_path, case):
    paper, options = FITTING[case]
    narrow = paper != "article" and "resize" not in options and "environment" not in options
    tables = [table.to_latex(**options) for table in ([ten] if narrow else [ten, named])]
    assert compiled(tmp_path, tables, paper) == ""
    assert too_wide(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["twocolumn", "acmart"])
def test_daggers_fit_a_column_as_they_are(tmp_path, paper):
    table = report(systems(10, "s{}"), baseline=["s9", "s8"], caption="Daggers of two baselines.")
    assert compiled(tmp_path, [table.to_latex(compact=True)], paper) == ""
    assert too_wide(tmp_path) == []


@pytest.mark.slow
def test_a_long_table_goes_on_over_pages_with_its_header(tmp_path):
    table = report(
        systems(90), marks=None, caption="Ninety systems.", label="tab:ninety", notes="The end."
    )
    assert compiled(tmp_path, [table.to_latex(environment="longtable")], "pages") == ""
    log = (tmp_path / "paper.log").read_text(errors="replace")
    assert int(re.search(r"Output written on paper.pdf \((\d+) pages", log)[1]) >= 2
    assert too_wide(tmp_path) == []


def test_a_longtable_says_its_header_twice_and_its_caption_once():
    table = report(
        systems(2), marks=None, caption="C.", label="tab:x", notes="End.", footnotes=False
    )
    text = table.to_latex(environment="longtable")
    assert text.count(r"\toprule") == 2
    assert text.count(r"\caption{C.}\label{tab:x} \\") == 1
    assert r"\noindent\footnotesize\raggedright End.\par" in text
    assert report(systems(2), marks=None).to_latex(environment="longtable").count(r"\toprule") == 1


def test_letters_below_have_a_line_of_their_own(ten):
    lines = ten.to_latex(marks="below", environment="tabular").splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("a & rerank-s0"))
    assert lines[at].endswith(r"\\")
    assert lines[at + 1] == " &  & " + " & ".join([r"\scriptsize bcdefghij"] * 4) + r" \\[0.4ex]"
    assert lines[-3].startswith("j & rerank-s9")  # it beats none: no line
    assert "Letters below a number:" in ten.to_latex(marks="below")


def test_compact_keeps_what_is_asked_for(ten):
    text = ten.to_latex(compact=True, size="tiny", separation="2pt", marks="raised")
    assert "\\tiny\n\\setlength{\\tabcolsep}{2pt}" in text
    assert "scriptsize" not in text


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.broad
def test_a_long_table_in_typst_goes_on_over_pages():
    table = report(systems(120), marks=None, caption="Many systems.")
    assert pages(compiled_typst(table.to_typst())) > 1  # by default, as it has many rows
    assert pages(compiled_typst(table.to_typst(long=False))) == 1  # cut off, as a figure is


@pytest.mark.broad
def test_a_wide_table_in_typst_is_as_small_as_its_column(ten):
    typst = pytest.importorskip("typst", reason="needs the Typst compiler: pip install typst")
    drawn = {}
    for resize in (False, True):
        page = "#set page(width: 7cm, margin: 0pt, height: auto)\n" + ten.to_typst(resize=resize)
        svg = typst.compile(page.encode(), format="svg").decode()
        drawn[resize] = "scale(" in svg or re.search(r"matrix\(0\.\d+ 0 0 0\.\d+", svg) is not None
    assert drawn == {False: False, True: True}
