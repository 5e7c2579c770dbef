"""Nuggets on the page: a query opens the nuggets of two answers, with importance and assignment; texts do nothing."""

import pandas as pd
import pytest

import pdeval
from pdeval.answers.nuggets import ASSIGNMENTS
from tests.report.page.browser import needs_chromium
from tests.report.page.conftest import HOSTILE_TEXTS, data_of, said_under, unpacked

ROWS = [
    ("a", "1", "It rains.", "vital", "support", "support"),
    ("a", "1", "It snows.", "okay", "not_support", "support"),
    ("b", "1", "It snows.", "okay", "partial_support", "partial_support"),
    ("b", "1", "It rains.", "vital", "not_support", "not_support"),
    ("a", "2", "It rains.", "vital", "not_support", "not_support"),
    ("b", "2", "It rains.", "vital", "support", "support"),
    ("b", "2", "Sun.", "okay", "support", "not_support"),
    ("a", "2", "Sun.", "okay", None, "not_support"),
]
COLUMNS = ["run", "query_id", "nugget", "importance", "assignment", "machine"]


@pytest.fixture
def nuggets():
    return pd.DataFrame(ROWS, columns=COLUMNS)


def page_of(table, **options):
    people = table.drop(columns="machine").dropna()
    scores = people.ireval.measure(["NuggetAll", "NuggetWeighted"], nuggets=people)
    return scores.ireval.report(**options).to_html(interactive=True)


@pytest.mark.filterwarnings("ignore:1 of 8 nuggets")
def test_the_page_has_the_nuggets_of_every_answer(nuggets):
    origin = data_of(page_of(nuggets, answers=nuggets))["origins"][0]
    data = origin["answers"]
    assert unpacked(data["texts"]) == ["It rains.", "It snows.", "It rains.", "Sun."]
    assert unpacked(data["attributes"]["importance"]) == ["vital", "okay", "vital", "okay"]
    assert unpacked(data["sizes"]).tolist() == [2, 2]
    assert dict(zip(data["labels"], data["values"])) == {**ASSIGNMENTS, "": None, "–": None}
    for name, part in (("assignment", "human"), ("machine", "machine")):
        # by query, nugget and system
        labels = [data["labels"][code] for code in unpacked(data[part])]
        rows = nuggets.fillna("–").set_index(["query_id", "run", "nugget"])[name]
        places = [
            (query, run, nugget)
            for query, texts in (("1", ["It rains.", "It snows."]), ("2", ["It rains.", "Sun."]))
            for nugget in texts
            for run in "ab"
        ]
        assert labels == [rows[place] for place in places]


@pytest.mark.filterwarnings("ignore:1 of 8 nuggets")
def test_rows_in_any_order_and_of_other_systems_give_the_same_nuggets(nuggets):
    other = nuggets.assign(run="c")
    shuffled = pd.concat([nuggets, other]).sample(frac=1, random_state=0)
    first, second = (
        data_of(page_of(nuggets, answers=table))["origins"][0]["answers"]
        for table in (nuggets, shuffled)
    )

    def assigned(data):
        texts, sizes = unpacked(data["texts"]), unpacked(data["sizes"])
        labels = iter(data["labels"][code] for code in unpacked(data["human"]))
        rows, start = [], 0
        for query, size in enumerate(sizes.tolist()):
            for text in texts[start : start + size]:
                rows += [(query, system, text, next(labels)) for system in range(2)]
            start += size
        return sorted(rows)

    assert assigned(first) == assigned(second)


@pytest.mark.filterwarnings("ignore:1 of 8 nuggets")
def test_a_page_without_nuggets_or_without_space_for_them_says_so(nuggets):
    remedy = "The page has no nuggets of its queries: report(answers=nuggets) has them."
    assert remedy in said_under(page_of(nuggets))
    assert "no nuggets" not in said_under(page_of(nuggets, answers=nuggets))
    answers = pdeval.datasets.load_answers().nuggets
    table = answers.assign(nugget=[f"{text} {i}" * 40 for i, text in enumerate(answers["nugget"])])
    report = answers.drop(columns="machine").dropna().ireval.measure("NuggetAll").ireval.report
    small = report(answers=table).to_html(interactive=True, limit=0.11)
    assert "The nuggets are left out" in said_under(small)


@needs_chromium
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:1 of 8 nuggets")
def test_an_answer_opens_its_nuggets(chromium, nuggets, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(page_of(nuggets, answers=nuggets), encoding="utf-8")
    chromium.open(path)
    chromium.click("button.cell")
    chromium.wait("document.querySelector('#panel button.link')")
    chromium.run(
        "[...document.querySelectorAll('#panel button.link')].find((one) => one.textContent === '1').click()"
    )
    chromium.wait("document.querySelector('#answers')")
    systems = chromium.texts("#answers thead th")[2:]
    lines = chromium.run(
        "[...document.querySelectorAll('#answers tbody tr')].map((line) => "
        "[...line.cells].map((cell) => cell.textContent))"
    )
    rows = nuggets.set_index(["query_id", "run", "nugget"])
    for text, importance, *cells in lines:
        for system, shown in zip(systems, cells):
            row = rows.loc["1", system, text]
            assert importance == row["importance"]
            assert shown == f"{row['assignment']} machine: {row['machine']}".replace("_", " ")
    assert len(lines) == 2
    # people and the machine disagree about one assignment
    assert chromium.run("document.querySelectorAll('#answers td.differs').length") == 1


@needs_chromium
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:1 of 8 nuggets")
def test_hostile_nuggets_are_texts(chromium, nuggets, tmp_path):
    texts = dict(zip(nuggets["nugget"].unique(), HOSTILE_TEXTS))
    hostile = nuggets.assign(nugget=nuggets["nugget"].map(texts))
    path = tmp_path / "page.html"
    path.write_text(page_of(nuggets, answers=hostile), encoding="utf-8")
    chromium.open(path, "#system=a&measure=NuggetAll&against=b&query=2")
    chromium.wait("document.querySelector('#answers')")
    assert max(map(len, chromium.texts("#answers tbody th"))) <= 300
    assert chromium.run("document.querySelectorAll('#answers img, #answers script').length") == 0
    assert chromium.run("window.broken === undefined")
