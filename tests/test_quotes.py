"""Numbers that the replications quote are those of the papers, and every item of a paper is listed.

A replication quotes a table of a paper as text: a string assigned to a name `paper_...`, whose lines must be lines of
the paper. Its last table has the columns item, paper, here and reason; every number in the column "paper" must be
printed in the paper.
"""

from __future__ import annotations

import ast
import html
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks" / "replications"
PAPERS = ROOT.parent / "shared" / "papers"
if not FOLDER.is_dir():
    pytest.skip("the notebooks are not beside these tests", allow_module_level=True)
PAPER_OF = {
    "diaz_ferraro_2022": "000",
    "diaz_2023": "001",
    "shokouhi_2009": "002",
    "alex_2022": "003",
    "worked_examples": "004",
}
every = pytest.mark.parametrize("name", list(PAPER_OF))
# how the text of the papers, converted from pages, spells what a quote spells in plain text
SPELLINGS = (
    (r"\\binom\{1024\}\{2\}", "1024"),
    (r"\\succ", ">"),
    (r"\\pm", "±"),
    (r"\\times", "x"),
    (r"\*\*|</?b>|\$|\|", " "),
    (r"(?<=\d),(?=\d\d\d\b)", ""),
    (r"[–−]", "-"),
    (r"\s+", " "),
)
NUMBER = re.compile(r"(?<![\w.])\d*\.?\d+")


def plain(text):
    for pattern, spelled in SPELLINGS:
        text = re.sub(pattern, spelled, text)
    return text.strip()


def paper_text(name):
    matches = sorted(PAPERS.glob(f"{PAPER_OF[name]}_*.txt"))
    if not matches:
        pytest.skip("the papers are not in ../shared/papers")
    return plain(matches[0].read_text(encoding="utf-8"))


def cells(name):
    path = FOLDER / f"{name}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def quoted_lines(name):
    """Yield the lines of all strings that are assigned to a name `paper_...`."""
    for cell in cells(name):
        for node in ast.walk(ast.parse("".join(cell["source"]))):
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            if node.targets[0].id.startswith("paper_"):
                assert isinstance(node.value, ast.Constant), "quote a table of a paper as text"
                yield from filter(str.strip, node.value.value.splitlines())


def items(name):
    """Return the rows of the last table: item, paper, here, reason."""
    (output,) = cells(name)[-1]["outputs"]
    table = "".join(output["data"]["text/html"])
    assert re.findall(r"<th>([a-z]+)</th>", table) == ["item", "paper", "here", "reason"]
    texts = [html.unescape(text) for text in re.findall(r"<td>(.*?)</td>", table, re.DOTALL)]
    return [texts[start : start + 4] for start in range(0, len(texts), 4)]


def is_printed(number, text):
    """Whether a number is in the paper as a token, with or without its leading zero."""
    bare = number.removeprefix("0") if number.startswith("0.") else number
    return bool(re.search(rf"(?<![\d.])0?{re.escape(bare)}(?!\d|\.\d)", text))


@every
def test_every_quoted_line_of_a_table_is_a_line_of_the_paper(name):
    text = paper_text(name)
    lines = list(quoted_lines(name))
    assert lines
    missing = [line for line in lines if plain(line) not in text]
    assert missing == []


@every
def test_every_number_quoted_in_the_table_of_items_is_printed_in_the_paper(name):
    text = paper_text(name)
    missing = [
        (item, number)
        for item, quote, _, _ in items(name)
        for number in NUMBER.findall(plain(quote))
        if not is_printed(number, text)
    ]
    assert missing == []


@every
def test_the_table_of_items_has_no_empty_cell(name):
    rows = items(name)
    assert len(rows) >= 15
    assert [row for row in rows if not all(text.strip() and text != "nan" for text in row)] == []


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("diaz_ferraro_2022", ("Table", range(1, 5))),
        ("diaz_ferraro_2022", ("Figure", range(1, 8))),
        ("diaz_2023", ("Table", range(1, 5))),
        ("diaz_2023", ("Figure", range(1, 10))),
        ("shokouhi_2009", ("Table", range(1, 2))),
        ("shokouhi_2009", ("Footnote", range(1, 3))),
        ("alex_2022", ("Table", range(1, 3))),
        ("alex_2022", ("Figure", range(1, 7))),
    ],
)
def test_every_table_and_figure_of_the_paper_is_an_item(name, tables):
    word, numbers = tables
    names = " ".join(row[0] for row in items(name))
    assert [
        number
        for number in numbers
        if not re.search(rf"{word} {number}\b|{word} {number}[a-d]", names)
    ] == []


def test_a_number_is_found_as_a_token_only():
    assert is_printed("0.95", "a .95 b")
    assert is_printed(".95", "a 0.95, b")
    assert not is_printed("0.95", "a 10.95 b")
    assert not is_printed("5", "a 0.5 b")
    assert not is_printed("0.9", "a 0.95 b")


THREE = {"RPP": "diaz_ferraro_2022", "Lexiprecision": "diaz_2023", "ASL": "alex_2022"}


def test_the_tables_of_three_papers_have_numbers_that_each_paper_prints_and_no_empty_cell():
    rows = items("tables_of_three_papers")
    assert [row for row in rows if not all(text.strip() and text != "nan" for text in row)] == []
    faults = []
    for item, quote, here, _ in rows:
        paper, _, table = item.partition(", ")
        numbers = NUMBER.findall(plain(quote))
        text = paper_text(THREE[paper])
        faults += [(item, number) for number in numbers if not is_printed(number, text)]
        faults += [(item, "no number")] * (not numbers or not NUMBER.search(here))
        assert table.startswith("Table")
    assert faults == []
    assert {row[0].partition(",")[0] for row in rows} == set(THREE)
