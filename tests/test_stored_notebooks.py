"""The notebooks as they are stored: what readers find, and what tests.notebooks takes for another output."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.notebooks import changed, unfit

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
if not FOLDER.is_dir():
    pytest.skip("the notebooks are not beside these tests", allow_module_level=True)
TUTORIALS = sorted(FOLDER.glob("*.ipynb"))
EVERY = [*TUTORIALS, *sorted((FOLDER / "replications").glob("*.ipynb"))]


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source(cell):
    return "".join(cell["source"])


def one(output):
    """A notebook of one cell with one output."""
    return SimpleNamespace(cells=[{"outputs": [output]}])


def html(text):
    return one(
        {"output_type": "execute_result", "data": {"text/html": text, "text/plain": "<Report>"}}
    )


def printed(text):
    return one({"output_type": "stream", "text": text})


def test_a_table_of_another_style_is_another_output():
    assert changed(html("<td>0.5</td>"), html("<td style='text-align: left'>0.5</td>")) == [0]
    assert changed(html("<td>0.5</td>"), html("<td>0.6</td>")) == [0]
    assert changed(printed("0.5"), printed("0.6")) == [0]


def test_times_addresses_and_the_style_of_pandas_are_no_other_output():
    assert changed(printed("in 5.1 s, at 0x7f00aa"), printed("in 4 s, at 0x7f11bb")) == []
    assert (
        changed(
            html("<style scoped>a</style><td>1</td>"), html("<style scoped>b</style>\n<td>1</td>")
        )
        == []
    )


def test_where_what_was_printed_breaks_is_no_other_output():
    broken = SimpleNamespace(
        cells=[{"outputs": [{"name": "stdout", "text": "a\n"}, {"name": "stdout", "text": "b\n"}]}]
    )
    whole = SimpleNamespace(cells=[{"outputs": [{"name": "stdout", "text": "a\nb\n"}]}])
    assert changed(broken, whole) == []


def test_a_figure_may_differ_by_its_fonts():
    old, new = (
        one({"data": {"image/png": data, "text/plain": f"<Figure {data}>"}}) for data in "ab"
    )
    assert changed(old, new) == []


def test_what_readers_do_not_have_is_no_output():
    assert unfit(printed("TREC-COVID is not here."))
    assert unfit(printed("wrote /tmp/abc/page.html"))
    assert not unfit(printed("wrote page.html"))


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_a_notebook_refers_to_what_readers_have(path):
    for cell in read(path):
        text = source(cell)
        assert not re.search(r"\bslides\b|\.\./shared|is not here", text), text
        if cell["cell_type"] == "markdown":
            for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
                assert (path.parent / link).exists(), link


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_begins_with_its_question_and_shows_answers(path):
    cells = read(path)
    title, _, rest = source(cells[0]).partition("\n\n")
    assert title.startswith("# ")
    assert re.match(r"\*\*[^*]+\?\*\*", rest), "the question first, in bold"
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert sum(bool(cell["outputs"]) for cell in code) >= len(code) / 2
    assert len(cells) <= 50


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_has_a_picture(path):
    outputs = [output for cell in read(path) for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_uses_public_names_only(path):
    for cell in read(path):
        if cell["cell_type"] == "code":
            assert not re.search(r"\bimport _[a-z]|\w\._[a-z]", source(cell))


def test_the_newcomers_path_has_fewer_than_ten_lines():
    cells = read(FOLDER / "00_quickstart.ipynb")
    code = next(
        source(cell)
        for cell in cells
        if "interactive=True" in source(cell) and cell["cell_type"] == "code"
    )
    path = code.partition("perf_counter()\n")[2].partition("\nsize")[0]
    lines = [line for line in path.splitlines() if line.strip()]
    assert all(word in path for word in ("read_runs", "page.html", "table.tex", "savefig"))
    assert len(lines) < 10
