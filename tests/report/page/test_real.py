"""The page of real collections in a real browser: 79 systems on 40 queries, and two losses by missing labels."""

import json

import pandas as pd
import pytest

from tests.report.page.browser import needs_chromium
from tests.report.page.conftest import DATA, collection, quietly
from tests.report.page.test_clicks import COPIED, NAMES, OPENED, RANKINGS, copied, entries

pytestmark = [
    needs_chromium,
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs the real collections at ../shared/data"),
]


def click_cell(chromium, system, measure):
    chromium.run(
        "(() => { const row = [...document.querySelectorAll('#table tbody tr[data-row]')]"
        f".find((one) => one.querySelector('th').textContent === {json.dumps(system)}); "
        f"row.querySelectorAll('button.cell')[{measure}].click(); }})()"
    )


def click_query(chromium, query):
    chromium.wait(OPENED)
    chromium.run(
        "[...document.querySelectorAll('#panel table.queries button.link')]"
        f".find((one) => one.textContent === {json.dumps(query)}).click()"
    )
    chromium.wait(RANKINGS)


CASES = [
    ("dl-hard-doc", "705609", "bm25+rm3", "bm25+electra-mp", ["0.620", "none of its top 10", "wins by 0.010"]),
    ("trec-covid-r3", "36", "ucd_cs_r2", "udel_fang_FB2", ["0.968", "its top 10", "wins by 0.032"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "query", "loser", "winner", "parts"), CASES)
def test_two_clicks_show_that_a_loss_comes_from_missing_labels(
    chromium, tmp_path, name, query, loser, winner, parts
):
    runs, qrels = collection(name)
    report = quietly(runs.ireval.report, qrels, ["nDCG@10"], baseline=winner)
    report.save(tmp_path / "page.html")
    chromium.open(tmp_path / "page.html")
    click_cell(chromium, loser, 0)
    click_query(chromium, query)
    (sentence,) = chromium.texts("#conclusion")
    assert sentence.startswith(f"{loser} loses {parts[0]} nDCG@10 to {winner}: ")
    assert all(part in sentence for part in parts)
    said = quietly(runs.ireval.explain, qrels, query, "nDCG@10", runs=[loser, winner])
    assert sentence == said.attrs["conclusion"]
    # without a baseline: two clicks from the pairs, or from the table once a system is chosen for its marks
    report = quietly(runs.ireval.report, qrels, ["nDCG@10"])
    report.save(tmp_path / "plain.html")
    systems = report.origins[0].systems
    pair = f"{systems.index(loser)} {systems.index(winner)}"
    chromium.open(tmp_path / "plain.html", "#view=pairs")
    chromium.wait("document.querySelector('table.square')")
    chromium.show_all()
    chromium.click(f'button.pair[data-pair="{pair}"]')
    click_query(chromium, query)
    assert chromium.texts("#conclusion") == [sentence]
    chromium.open(tmp_path / "plain.html")
    chromium.choose('label[data-name="reference"] select', winner)
    click_cell(chromium, loser, 0)
    click_query(chromium, query)
    assert chromium.texts("#conclusion") == [sentence]


def systems_shown(chromium):
    """Return value, difference, both with judged documents only, and unjudged documents, by system."""
    lines = chromium.run(
        "[...document.querySelectorAll('table.systems tbody tr')]"
        ".map((line) => [...line.cells].map((cell) => cell.textContent))"
    )
    return {line[0]: line[1:] for line in lines}


def test_a_default_page_answers_in_two_clicks_why_a_system_lost_to_any_other(
    chromium, covid_page, tmp_path
):
    chromium.open(covid_page)
    click_cell(chromium, "ucd_cs_r2", 1)
    click_query(chromium, "36")
    assert chromium.texts("#conclusion") == [
        "ucd_cs_r2 loses 0.945 nDCG@10 to covidex.r3.t5_lr: none of its top 10 documents is judged; "
        "with judged documents only it wins by 0.055."
    ]
    shown = systems_shown(chromium)
    assert len(shown) == 79
    assert shown["ucd_cs_r2"] == ["0.000", "", "1.000", "", "10"]
    assert shown["udel_fang_FB2"] == ["0.968", "\u22120.968", "0.968", "+0.032", "0"]
    said = "77 of 78 other systems are better than ucd_cs_r2, 0 with judged documents only."
    assert chromium.texts("#systems-title + p")[0].startswith(said)
    # the name of the system opens the measure that sorts the table; the query has all measures
    chromium.open(covid_page)
    names = chromium.texts("#table tbody button.system")
    chromium.click("#table tbody button.system", names.index("ucd_cs_r2"))
    click_query(chromium, "36")
    measures = chromium.run(
        "[...document.querySelectorAll('#panel table.account tr')]"
        ".map((line) => [line.cells[0].textContent, line.cells[2].textContent])"
    )
    assert measures[:3] == [
        ["", "nDCG@10"], ["ucd_cs_r2", "0.000"], ["ucd_cs_r2, judged documents only", "1.000"]
    ]  # fmt: skip
    # two clicks of the other collection
    runs, qrels = collection("dl-hard-doc")
    quietly(runs.ireval.report, qrels).save(tmp_path / "page.html")
    chromium.open(tmp_path / "page.html")
    click_cell(chromium, "bm25+rm3", 1)
    click_query(chromium, "705609")
    assert chromium.texts("#conclusion") == [
        "bm25+rm3 loses 0.620 nDCG@10 to bm25+electra-mp: none of its top 10 documents is judged; "
        "with judged documents only it wins by 0.010."
    ]
    assert systems_shown(chromium)["bm25+electra-mp"][:4] == [
        "0.620", "\u22120.620", "0.990", "+0.010"
    ]  # fmt: skip


def test_the_queries_view_has_the_reasons_of_hard_queries(chromium, covid_page, covid):
    chromium.open(covid_page, "#view=queries&by=AP")
    chromium.wait("document.querySelector('#query-table')")
    table = quietly(covid[0].ireval.hard_queries, covid[1], "AP")
    shown = chromium.run(
        "Object.fromEntries([...document.querySelectorAll('#query-table tbody tr')].map((line) => "
        "[line.querySelector('button').textContent, "
        "[...line.querySelectorAll('td.why p')].map((one) => one.textContent)]))"
    )
    reasons = {}
    for row in table.itertuples():
        text = f"{row.problem.capitalize()}: {row.reason}"
        reasons.setdefault(str(row.query_id), []).append(text)
    assert {query: texts for query, texts in shown.items() if texts} == reasons
    # the first queries are those of the first places
    places = table.groupby("query_id", sort=False)["place"].min()
    first = chromium.texts("#query-table tbody button.link")[: len(places)]
    assert [places[query] for query in first] == sorted(places)
    differs = table[table["problem"] == "runs differ"].iloc[0]
    chromium.run(
        "[...document.querySelectorAll('#query-table button.link')]"
        f".find((one) => one.textContent === {json.dumps(str(differs['query_id']))}).click()"
    )
    chromium.wait(RANKINGS)
    assert chromium.texts("#panel .ranking h3") == [differs["worst"], differs["best"]]


def test_79_systems_are_ranked_and_marked(chromium, covid_page, covid):
    chromium.open(covid_page)
    chromium.wait(
        "document.querySelector('#table.reference-marks') && !document.querySelector('#legend').hidden"
    )
    means = quietly(covid[0].ireval.summary, covid[1], "AP").sort_values("mean", ascending=False)
    assert chromium.texts(NAMES)[0] == means["run"].iloc[0]
    assert len(chromium.texts(NAMES)) == 79
    assert chromium.texts("#table td.rank")[0] == "1"
    assert "‡" in chromium.texts('#table td[data-column="1"] .mark')
    shown = "getComputedStyle(document.querySelector('#notes .unmarked')).display"
    assert chromium.run(shown) == "none", "the note on missing marks would contradict them"
    chromium.press("p")
    chromium.wait("document.querySelectorAll('table.square button').length === 25 * 24")
    chromium.show_all()
    chromium.wait("document.querySelectorAll('table.square button').length === 79 * 78")
    assert [
        text.split(" ", 1)[1] for text in chromium.texts("table.square tbody th")
    ] == chromium.texts(NAMES)


def test_back_links_copies_search_and_rankings_of_79_systems(chromium, covid_page, covid):
    runs, qrels = covid
    chromium.open(covid_page).run(COPIED)
    chromium.press("/")
    chromium.type("36")
    chromium.wait("document.querySelector('#matches button.link')")
    assert chromium.texts("#matches p:first-child button.link") == ["36"]
    chromium.run("document.getElementById('search').value = ''")
    chromium.press("Escape")
    assert len(chromium.texts(NAMES)) == 79
    click_cell(chromium, "ucd_cs_r2", 1)
    click_query(chromium, "36")
    two = chromium.run(
        "[...document.querySelectorAll('#panel .ranking h3')].map((one) => one.textContent)"
    )
    table = quietly(runs.ireval.labeled, qrels, query=36, runs=two, top=10)
    for side, run in zip(("left", "right"), two):
        wanted = table[table["run"] == run]
        grades = ["?" if pd.isna(grade) else str(grade) for grade in wanted["relevance"]]
        shown = entries(chromium, side)
        assert [line[1] for line in shown] == wanted["doc_id"].tolist()
        assert [line[2] for line in shown] == grades
    link = copied(chromium, "panel", "Copy link")
    address = f"#system=ucd_cs_r2&measure=nDCG%4010&against={two[1]}&query=36"
    assert link.endswith(address)
    chromium.run("history.back()")
    chromium.wait(f"{OPENED} && !{RANKINGS}")
    chromium.run("history.back()")
    chromium.wait("document.getElementById('panel').hidden")
    chromium.open(covid_page, address)
    chromium.wait(RANKINGS)
    assert chromium.texts("#panel-title") == ["Query 36"]
    doc = table["doc_id"].iloc[0]
    chromium.open(covid_page)
    chromium.press("/")
    chromium.type(doc)
    chromium.wait(
        f"document.querySelector('#matches button.link')?.textContent.startsWith({json.dumps(doc)})"
    )
