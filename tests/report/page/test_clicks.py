"""The page in a real browser: clicks, keys, search, filters, links and print; the console stays silent."""

import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import pdeval
from tests.report.page.browser import needs_chromium
from tests.report.page.conftest import ODD, odd_tables, quietly

pytestmark = [needs_chromium, pytest.mark.slow]

NAMES = "#table tbody tr[data-row] th"
OPENED = (
    "!document.getElementById('panel').hidden && document.querySelector('#panel table.queries')"
)


def focused(chromium):
    return chromium.run("document.activeElement.textContent")


def values(chromium, column):
    return [float(text) for text in chromium.texts(f'#table tbody td.n[data-column="{column}"]')]


def cell(system, measure, at=0):
    """The selector of a cell by its place in the report."""
    return f'button.cell[data-at="{at} {measure} {system}"]'


@pytest.fixture
def opened(chromium, sample_page):
    return chromium.open(sample_page)


def test_a_header_sorts_the_best_first_then_the_worst_then_as_reported(opened):
    before = opened.texts(NAMES)
    opened.click('th[data-column="1"] button.sort')
    assert values(opened, 1) == sorted(values(opened, 1), reverse=True)
    assert (
        opened.run("document.querySelector('th[data-column=\"1\"]').getAttribute('aria-sort')")
        == "descending"
    )
    assert opened.texts(NAMES)[0] == "rerank-s1"
    opened.click('th[data-column="1"] button.sort')
    assert values(opened, 1) == sorted(values(opened, 1))
    assert opened.texts("#status") == ["Sorted by AP ↑, ascending."]
    opened.click('th[data-column="1"] button.sort')
    assert opened.texts(NAMES) == before
    assert opened.texts("#status") == ["In the order of the report."]


def test_the_link_to_the_table_moves_the_focus_and_nothing_else(opened):
    opened.click('th[data-column="1"] button.sort')
    opened.run("document.querySelector('a.skip').click()")
    assert opened.run("document.activeElement.id") == "scroll"
    assert opened.texts(NAMES)[0] == "rerank-s1"


def test_a_measure_of_which_less_is_better_sorts_the_least_first(chromium, tmp_path):
    report = pdeval.datasets.sample_judged(queries="common").report(["ISL"])
    report.to_html(tmp_path / "less.html", interactive=True)
    chromium.open(tmp_path / "less.html")
    column = next(at for at, one in enumerate(report.columns) if one.name == "ISL")
    chromium.click(f'th[data-column="{column}"] button.sort')
    assert values(chromium, column) == sorted(values(chromium, column))


def test_rows_are_grouped_and_filtered_by_metadata(opened):
    opened.choose("#group select", "family")
    groups = opened.texts("#table tr.group th")
    assert set(groups) == {"lexical", "dense", "sparse", "fusion", "reranker"} or len(groups) > 2
    assert len(opened.texts(NAMES)) == 12
    opened.choose('[data-facet="family"] select', "dense")
    assert opened.texts("#table tr.group th") == ["dense"]
    assert opened.texts(NAMES) == ["dense-s1", "dense-s2", "dense-s3"]
    assert opened.texts("#left") == ["3 of 12 systems"]


def test_search_narrows_rows_and_finds_queries(opened):
    opened.press("/")
    opened.type("DENSE")
    assert opened.texts(NAMES) == ["dense-s1", "dense-s2", "dense-s3"]
    assert opened.texts("#status") == ["3 of 12 systems"]
    opened.press("Escape")
    assert len(opened.texts(NAMES)) == 12
    opened.type("113")
    assert opened.texts("#status") == ["0 of 12 systems, 1 query found"]
    opened.click("#found button.link")
    opened.wait("document.querySelector('table.items')")
    assert opened.texts("#panel-title") == ["Query 113"]


def test_a_cell_opens_its_queries_against_the_baseline(opened, sample):
    opened.click(cell(2, 0))
    opened.wait(OPENED)
    assert opened.texts("#panel-title") == ["dense-s1, AP"]
    assert focused(opened) == "dense-s1, AP"
    assert (
        opened.run("document.querySelector('#panel select').selectedOptions[0].textContent")
        == "bm25"
    )
    runs, qrels, _ = pdeval.datasets.load_sample()
    wide = runs.ireval.measure(qrels, "AP", queries="judged").pivot(
        index="query_id", columns="run", values="value"
    )
    gap = wide["dense-s1"] - wide["bm25"]
    counts = [(gap > 0).sum(), (gap < 0).sum(), (gap == 0).sum()]
    assert f"{counts[0]} won, {counts[1]} lost, {counts[2]} tied." in opened.texts("#panel p.small")
    assert f"{counts[0]} / {counts[1]} / {counts[2]}" in opened.texts("#panel tr.own td")
    assert opened.texts("#panel table.queries tbody th")[0] == gap.idxmax()
    assert opened.run("document.querySelectorAll('#panel svg rect').length") == 50
    opened.choose('[data-name="sort"] select', "loss")
    assert opened.texts("#panel table.queries tbody th")[0] == gap.idxmin()
    opened.choose('[data-name="result"] select', "tied_fraction")
    assert len(opened.texts("#panel table.queries tbody th")) == counts[2]
    opened.choose('[data-name="result"] select', "all")
    opened.choose('[data-name="sort"] select', "best")
    assert opened.texts("#panel table.queries tbody th")[0] == wide["dense-s1"].idxmax()


def test_a_query_opens_its_items_and_says_who_is_sooner(opened):
    opened.click(cell(2, 0))
    opened.wait(OPENED)
    query = opened.texts("#panel button.link")[0]
    opened.click("#panel button.link")
    opened.wait("document.querySelector('table.items')")
    runs, qrels, _ = pdeval.datasets.load_sample()
    said = runs.ireval.explain(qrels, query, "AP", runs=["dense-s1", "bm25"], queries="judged")
    said["rank"] = said["rank"].astype(float).fillna(np.inf)
    wide = said[said["relevance"] > 0].pivot(index="doc_id", columns="run", values="rank")
    first, second = (wide["dense-s1"] < wide["bm25"]).sum(), (wide["dense-s1"] > wide["bm25"]).sum()
    line = opened.texts("#panel p.line")[0]
    assert f"{first} document" in line
    assert f", {second} by bm25;" in line
    lines = opened.run(
        "[...document.querySelectorAll('table.items tbody tr')].map(tr => [...tr.cells].map(c => c.textContent))"
    )
    for doc, _, a, b, *_, sooner in lines:
        x, y = (wide.loc[doc, run] for run in ("dense-s1", "bm25"))
        assert [a, b] == [("–" if pd.isna(rank) else f"{rank:.0f}") for rank in (x, y)]
        assert sooner == ("dense-s1" if x < y else "bm25" if y < x else "–" if a == "–" else "tie")
    opened.click("#panel input[type=checkbox]")
    opened.wait(
        "document.querySelectorAll('table.items thead th.near').length === 2 && "
        "document.querySelectorAll('table.items thead tr:last-child th').length === 18"
    )
    opened.click("#panel input[type=checkbox]")
    opened.wait("document.querySelectorAll('table.items thead tr:last-child th').length === 8")


def test_queries_of_several_collections_open_the_items_of_their_own(chromium, tmp_path):
    runs, qrels, _ = pdeval.datasets.load_sample()
    runs = runs[runs["run"].isin(["bm25", "hybrid"])]
    strict = qrels.assign(
        relevance=(qrels["relevance"] - 1).clip(lower=0)
    )  # the same ids, other grades
    stacked = [
        pd.concat(
            [first.assign(collection="lenient"), second.assign(collection="strict")],
            ignore_index=True,
        )
        for first, second in ((runs, runs), (qrels, strict))
    ]
    report = stacked[0].ireval.report(
        stacked[1], "AP", by="collection", baseline="bm25", queries="judged"
    )
    report.to_html(tmp_path / "two.html", interactive=True)
    for at, judgments in enumerate((qrels, strict)):
        chromium.open(tmp_path / "two.html")
        chromium.click(cell(1, 0, at))
        chromium.wait(OPENED)
        query = chromium.texts("#panel button.link")[0]
        chromium.click("#panel button.link")
        chromium.wait("document.querySelector('table.items')")
        lines = chromium.run(
            "[...document.querySelectorAll('table.items tbody tr')].map(tr => [...tr.cells].map(c => c.textContent))"
        )
        said = runs.ireval.explain(
            judgments, query, "AP", runs=["hybrid", "bm25"], queries="judged"
        )
        ranks = said[said["relevance"] > 0].pivot(index="doc_id", columns="run", values="rank")
        own = judgments[judgments["query_id"].astype(str) == query].set_index("doc_id")["relevance"]
        assert {line[0] for line in lines} == set(own.index[own > 0])
        for doc, grade, *found in (line[:4] for line in lines):
            assert grade == str(own[doc])
            shown = [
                "–" if pd.isna(rank) else f"{rank:.0f}"
                for rank in ranks.loc[doc, ["hybrid", "bm25"]]
            ]
            assert found == shown


def test_keys_alone_lead_from_the_table_to_the_items_and_back(opened):
    opened.run("document.querySelector('button.cell').focus()")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "End", "Home", "ArrowRight"):
        opened.press(key)
    assert focused(opened) == "0.392"
    assert opened.run("document.querySelectorAll('button.cell[tabindex=\"0\"]').length") == 1
    opened.press("Enter")
    opened.wait(OPENED)
    opened.run("document.querySelector('#panel button.link').focus()")
    query = focused(opened)
    opened.press("Enter")
    opened.wait("document.querySelector('table.items')")
    assert focused(opened) == f"Query {query}"
    opened.press("Escape")
    opened.wait("document.querySelector('#panel table.queries button.link')")
    opened.wait(f"document.activeElement.textContent === {json.dumps(query)}")
    opened.press("Escape")
    assert opened.run("document.getElementById('panel').hidden")
    assert focused(opened) == "0.392", "the focus is back where it came from"
    opened.press("?")
    assert opened.run("document.querySelector('dialog').open")
    opened.press("Escape")
    opened.wait("!document.querySelector('dialog')")


def test_pairs_are_a_square_that_follows_search_and_opens_both_systems(opened):
    opened.press("p")
    opened.wait("document.querySelector('table.square')")
    assert opened.run("document.querySelectorAll('table.square button').length") == 132
    ahead = opened.texts('table.square button[data-pair="7 0"]')[0]
    behind = opened.texts('table.square button[data-pair="0 7"]')[0]
    assert ahead == "+0.234*"
    assert behind == "−0.234*"
    opened.choose('[data-name="shown"] select', "won")
    opened.wait("document.querySelector('table.square button').textContent.includes('%')")
    opened.choose('[data-name="measure"] select', "4")
    opened.wait(
        "document.querySelector('[data-name=measure] select').selectedOptions[0].textContent === 'RPP (preference)'"
    )
    opened.wait("document.activeElement.closest('[data-name=measure]')")
    opened.run("document.activeElement.blur()")
    opened.press("/")
    opened.type("dense")
    opened.wait("document.querySelectorAll('table.square button').length === 6")
    opened.click('table.square button[data-pair="2 3"]')
    opened.wait(OPENED)
    assert opened.texts("#panel-title") == ["dense-s1, AP"]
    assert opened.texts("#panel caption") == ["Against dense-s2"]


def test_the_address_leads_back_to_the_same_view(opened, sample_page):
    opened.click('th[data-column="2"] button.sort')
    opened.click(cell(7, 1))
    opened.wait(OPENED)
    opened.click("#panel button.link")
    opened.wait("document.querySelector('table.items')")
    address, query, order = (
        opened.run("location.hash"),
        opened.texts("#panel-title"),
        opened.texts(NAMES),
    )
    opened.open(sample_page, address)
    opened.wait("document.querySelector('table.items')")
    assert opened.texts("#panel-title") == query
    assert opened.texts(NAMES) == order
    opened.open(sample_page, "#system=nobody&measure=AP&sort=99&view=x&is:family=none")
    assert len(opened.texts(NAMES)) == 12


def test_names_are_shown_as_they_are_and_never_run(chromium, tmp_path):
    runs, qrels = odd_tables()
    about = runs[["run"]].drop_duplicates().assign(family=["<i>x", "</select>", "y"] * 2)
    given = {"metadata": about, "caption": ODD[0], "notes": ODD[1], "baseline": ODD[2]}
    report = quietly(runs.ireval.report, qrels, ["AP", "RR"], **given)
    report.to_html(tmp_path / "odd.html", interactive=True)
    chromium.open(tmp_path / "odd.html")
    assert chromium.texts("h1") == [ODD[0]]
    assert ODD[1] in chromium.texts(NAMES)
    for system in range(len(ODD)):
        chromium.click(cell(system, 0))
        chromium.wait(OPENED)
        chromium.click("#panel button.link")
        chromium.wait("document.querySelector('table.items')")
        chromium.press("Escape")
        chromium.wait(OPENED)
    chromium.press("Escape")
    chromium.press("p")
    chromium.wait("document.querySelector('table.square')")
    assert chromium.run("window.broken === undefined")
    assert (
        chromium.run(
            "document.querySelectorAll('script, img, i, b').length - document.querySelectorAll('td b').length"
        )
        == 2
    )


def test_it_prints_the_table_without_the_tools(opened):
    opened.click(cell(2, 0))
    opened.wait(OPENED)
    opened.sized(800, 1000, media="print")
    shown = "getComputedStyle(document.querySelector('{}')).display"
    assert opened.run(shown.format("#tools")) == "none"
    assert opened.run(shown.format("#table")) == "table"
    assert opened.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert opened.printed().startswith(b"%PDF")


@pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="needs pdftotext (Debian: apt install poppler-utils)"
)
def test_a_long_table_prints_its_header_on_every_page_and_a_sum_once(chromium, tmp_path):
    runs, qrels, _ = pdeval.datasets.load_sample()
    many = pd.concat([runs.assign(run=runs["run"].astype(str) + f" {copy}") for copy in range(8)])
    report = quietly(many.ireval.report, qrels, ["AP", "RR"], queries="judged")
    report.to_html(tmp_path / "long.html", interactive=True)
    chromium.open(tmp_path / "long.html", "#system=bm25 0&measure=AP&query=113")
    chromium.wait("document.querySelector('table.items')")
    (tmp_path / "long.pdf").write_bytes(chromium.printed())
    said = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "long.pdf", "-"], capture_output=True, check=True
    )
    pages = [page for page in said.stdout.decode().split("\f") if page.strip()]
    tables = [page for page in pages if re.search(r"(bm25|hybrid|ql) [1-7]", page)]
    assert len(tables) > 1
    assert all(re.search(r"System +AP.* +RR", page) for page in tables)
    assert sum("Sum " in page for page in pages) == 1


def test_a_narrow_screen_scrolls_the_table_and_not_the_page(chromium, sample_page):
    chromium.sized(360, 700).open(sample_page)
    assert chromium.run("document.documentElement.scrollWidth <= 360")
    chromium.click(cell(2, 0))
    chromium.wait(OPENED)
    assert chromium.run("document.getElementById('panel').getBoundingClientRect().width") == 360
    assert chromium.run("document.getElementById('panel').scrollWidth <= 360")


def test_the_frame_of_a_notebook_shows_the_same_page(chromium, sample, tmp_path):
    frame = sample.to_html(interactive=True)._repr_html_()
    (tmp_path / "notebook.html").write_text(
        f"<!DOCTYPE html><body class=ready>{frame}</body>", encoding="utf-8"
    )
    chromium.open(tmp_path / "notebook.html")
    # the frame has an origin of its own: it is entered by its own session
    targets = chromium.ask("Target.getTargets")["targetInfos"]
    inner = next(one["targetId"] for one in targets if one["type"] == "iframe")
    outer, chromium.session = (
        chromium.session,
        chromium.ask("Target.attachToTarget", targetId=inner, flatten=True)["sessionId"],
    )
    try:
        for domain in ("Runtime", "Log"):
            chromium.ask(f"{domain}.enable")
        chromium.wait("document.body.classList.contains('ready')")
        chromium.run("document.querySelector('button.cell[data-at=\"0 0 2\"]').click()")
        chromium.wait(OPENED)
        assert chromium.texts("#panel-title") == ["dense-s1, AP"]
    finally:
        chromium.session = outer


@pytest.mark.parametrize("kind", ["scores", "summary", "preferences", "order", "one run"])
def test_reports_of_every_kind_open_without_an_error(chromium, tmp_path, kind):
    judged = pdeval.datasets.sample_judged(queries="common")
    scores = judged.measure(["AP", "RR"])
    report = {
        "scores": lambda: scores.ireval.report(),
        "summary": lambda: scores.ireval.summary().ireval.report(),
        "preferences": lambda: judged.report(["RPP"]),
        "order": lambda: judged.order("RPP").ireval.report(),
        "one run": lambda: scores[scores["run"] == "bm25"].ireval.report(),
    }[kind]()
    report.to_html(tmp_path / "page.html", interactive=True)
    chromium.open(tmp_path / "page.html")
    chromium.click("button.sort")
    if kind == "order":
        assert chromium.run("document.querySelectorAll('button.cell').length") == 0
        return
    chromium.click("button.cell")
    chromium.wait("!document.getElementById('panel').hidden")
    if kind == "summary":
        assert "This page has no values per query" in chromium.texts("#panel p")[0]
        return
    chromium.wait(OPENED)
    chromium.click("#panel button.link")
    chromium.wait("document.getElementById('panel-title').textContent.startsWith('Query')")
    if kind != "preferences":
        assert any(
            "holds no documents of this query" in text for text in chromium.texts("#panel p")
        )
