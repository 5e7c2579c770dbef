"""13.10: whatever a run is called, no format obeys its name, hides a part of it, or fails for it."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pandas as pd
import pytest

import pdeval
from pdeval.report import FORMATS
from pdeval.tables.id_labels import CONTROLS, visible

NAMES = {
    "formula": "=1+1",
    "at": "@SUM(A1)",
    "minus": "-2+3",
    "tab and formula": "\t=1",
    "zero": "a\x00b",
    "escape": "\x1b[31m",
    "line": "x\ny",
    "return": "x\ry",
    "right to left": "\u202etxt",
    "line separator": "x\u2028y",
    "next line": "x\x85y",
    "pipe": "a|b",
    "tag": "<b>",
    "script": "<script>x</script>",
    "entity": "&amp;",
    "dollar": "$x",
    "macro": "\\fooling",
    "percent": "50%",
    "quote": 'a"b,c',
    "star": "*x*",
}
LOST = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]"
)  # what must not be in any text


def report_of(name):
    """The report of two runs, of whom one and the measure, the caption and a note have an odd name."""
    scores = pd.DataFrame(
        {"run": [name, name, "b", "b"], "query_id": ["1", "2"] * 2, "measure": "AP"}
    )
    scores["value"] = [0.1, 0.2, 0.3, 0.5]
    return scores.ireval.report(
        higher={"AP": True},
        names={"AP": name},
        caption=f"Of {name}.",
        notes=f"It is {name}.",
        marks=None,
    )


@pytest.fixture(params=list(NAMES))
def name(request):
    return NAMES[request.param]


def written(report, kind):
    if kind == "excel":
        pytest.importorskip("openpyxl")
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    return FORMATS[kind].file(report)


@pytest.mark.parametrize("kind", ["csv", "html", "json", "latex", "markdown", "text", "typst"])
def test_no_text_holds_what_a_terminal_obeys(kind, name):
    text = written(report_of(name), kind).decode()
    assert not LOST.search(text)
    assert not CONTROLS.search(text.replace("\n", "").replace("\t", ""))


def test_every_format_is_walked():
    texts = {"csv", "html", "json", "latex", "markdown", "text", "typst"}
    assert set(FORMATS) == {*texts, "excel", "parquet"}


def test_csv_has_no_formula_and_every_name(name):
    rows = list(csv.reader(io.StringIO(written(report_of(name), "csv").decode())))
    assert len(rows) == 3
    assert not any(
        cell.startswith(("=", "+", "@", "-", "\t", "\r")) for row in rows for cell in row[:1]
    )
    assert visible(name) in {
        rows[1][0],
        rows[1][0].removeprefix("'"),
        rows[2][0],
        rows[2][0].removeprefix("'"),
    }


def test_json_is_read_back(name):
    rows = json.loads(written(report_of(name), "json"))
    assert visible(name) in {row["run"].removeprefix("'") for row in rows}


def test_markdown_has_a_line_for_every_row(name):
    lines = [
        line
        for line in written(report_of(name), "markdown").decode().split("\n")
        if line.startswith("|")
    ]
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines} == {3}
    assert len(lines) == 4
    bare = re.sub(r"\\[\\`*|~$_<\]]", "", "\n".join(lines))
    assert not re.search(r"[$`]|<[a-z]", bare)


def test_html_shows_the_name_and_nothing_else(name):
    cells, inside = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            inside.append(tag)
            if tag == "td":
                cells.append("")

        def handle_endtag(self, tag):
            while inside and inside.pop() != tag:
                pass

        def handle_data(self, data):
            if "td" in inside:
                cells[-1] += data

    html = report_of(name).to_html()
    Reader().feed(html)
    assert visible(name, kept="\n\t") in cells
    assert "<script" not in html


def test_latex_has_no_macro_and_as_many_cells(name):
    latex = report_of(name).to_latex()
    bare = re.sub(r"\\[\\{}_&%$#]", "", latex)
    assert bare.count("{") == bare.count("}")
    assert bare.count("&") == 3
    assert bare.count("$") % 2 == 0
    assert "%" not in bare
    assert r"\fooling" not in latex


@pytest.mark.broad
def test_excel_has_texts_and_no_formulas(name):
    held = written(report_of(name), "excel")
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(held))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert not any(cell.data_type == "f" for cell in cells)
    assert visible(name) in {str(cell.value).removeprefix("'") for cell in cells}


def test_parquet_is_read_back(name):
    held = written(report_of(name), "parquet")
    assert visible(name) in {
        one.removeprefix("'") for one in pd.read_parquet(io.BytesIO(held))["run"]
    }


@pytest.mark.parametrize("kind", ["table", "csv", "html", "json", "latex", "markdown", "typst"])
def test_the_command_line_prints_such_names_as_reports_do(kind, name):
    from pdeval.cli.output import rendered

    frame = pd.DataFrame({"run": [name, "b"], "AP": [0.1, 0.2]})
    text = rendered(frame, kind)
    assert not LOST.search(text)
    if kind == "csv":
        assert [row[0].removeprefix("'") for row in csv.reader(io.StringIO(text))][1] == visible(
            name
        )


def test_a_plain_table_of_any_kind_too(name):
    means = pdeval.datasets.sample_judged(queries="common").summary("RPP", baseline="bm25").head(2)
    odd = means.assign(run_a=[name, "b"])
    assert not LOST.search(odd.ireval.report().to_markdown())
