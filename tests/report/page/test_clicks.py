"""The page in a real browser: clicks, keys, search, filters, links and print; the console stays silent."""

import io
import json
import re
import shutil
import subprocess
from urllib.parse import urlencode

import pandas as pd
import pytest

import pdeval
from tests.report.page.browser import needs_chromium
from tests.report.page.conftest import ODD, odd_tables, quietly

pytestmark = [needs_chromium, pytest.mark.slow]

NAMES = "#table tbody tr[data-row] th"
RANKINGS = "document.querySelector('#rankings')"
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


def sorted_by(chromium, column):
    return chromium.run(
        f"document.querySelector('thead th[data-column=\"{column}\"]').getAttribute('aria-sort')"
    )


def test_the_table_opens_ranked_by_the_first_measure(opened, sample):
    assert values(opened, 1) == sorted(values(opened, 1), reverse=True)
    assert sorted_by(opened, 1) == "descending"
    assert opened.texts("#table td.rank") == [str(rank) for rank in range(1, 13)]
    assert opened.run("document.querySelectorAll('#table td.bar').length") == 48
    opened.press("p")
    opened.wait("document.querySelector('table.square')")
    assert opened.texts("table.square tbody th") == opened.texts(NAMES)


def test_a_header_sorts_the_best_first_then_the_worst_then_as_reported(opened, sample):
    opened.click('th[data-column="2"] button.sort')
    assert values(opened, 2) == sorted(values(opened, 2), reverse=True)
    assert sorted_by(opened, 2) == "descending"
    assert opened.texts(NAMES)[0] == "rerank-s2"
    opened.click('th[data-column="2"] button.sort')
    assert values(opened, 2) == sorted(values(opened, 2))
    assert opened.texts("#table td.rank") == [str(rank) for rank in range(12, 0, -1)]
    assert opened.texts("#status") == ["Sorted by nDCG@10 ↑, ascending."]
    opened.click('th[data-column="2"] button.sort')
    assert opened.texts(NAMES) == [row[0].text for row in sample.rows]
    assert opened.texts("#status") == ["In the order of the report."]


def test_the_link_to_the_table_moves_the_focus_and_nothing_else(opened):
    opened.run("document.querySelector('a.skip').click()")
    assert opened.run("document.activeElement.id") == "scroll"
    assert opened.texts(NAMES)[0] == "rerank-s1"


def test_a_measure_of_which_less_is_better_sorts_the_least_first(chromium, tmp_path):
    report = pdeval.datasets.sample_judged(queries="common").report(["ISL"])
    report.to_html(tmp_path / "less.html", interactive=True)
    chromium.open(tmp_path / "less.html")
    column = next(at for at, one in enumerate(report.columns) if one.name == "ISL")
    assert values(chromium, column) == sorted(values(chromium, column))


def test_rows_are_grouped_and_filtered_by_metadata(opened):
    opened.choose('[data-name="group"] select', "family")
    groups = opened.texts("#table tr.group th")
    assert set(groups) == {"lexical", "dense", "sparse", "fusion", "reranker"} or len(groups) > 2
    assert len(opened.texts(NAMES)) == 12
    opened.choose('[data-name="is:family"] select', "dense")
    assert opened.texts("#table tr.group th") == ["dense"]
    assert opened.texts(NAMES) == ["dense-s2", "dense-s1", "dense-s3"]
    assert opened.texts("#left") == ["3 of 12 systems"]


def test_significance_is_shown_against_any_system(opened):
    marks = "#table td.n .mark"
    assert set(opened.texts(marks)) == {""}, "the report has its own marks"
    opened.choose('[data-name="reference"] select', "best")
    opened.wait(
        "document.querySelector('#table .mark').closest('table').classList.contains('reference-marks')"
    )
    runs, qrels, _ = pdeval.datasets.load_sample()
    table = runs.ireval.compare(qrels, "AP", queries="judged")
    for chosen, name in (("best", "rerank-s1"), ("hybrid", "hybrid")):
        opened.choose('[data-name="reference"] select', chosen)
        legend = "document.querySelector('#legend').textContent"
        against = "the best" if chosen == "best" else chosen
        opened.wait(f"{legend}.includes({json.dumps(f'worse than {against}')})")
        pairs = table[table["significant"]]
        better = set(pairs.query(f"run_b == '{name}' and difference > 0")["run_a"]) | set(
            pairs.query(f"run_a == '{name}' and difference < 0")["run_b"]
        )
        worse = set(pairs.query(f"run_b == '{name}' and difference < 0")["run_a"]) | set(
            pairs.query(f"run_a == '{name}' and difference > 0")["run_b"]
        )
        shown = dict(zip(opened.texts(NAMES), opened.texts('#table td[data-column="1"] .mark')))
        assert {run for run, mark in shown.items() if mark == "†"} == better
        assert {run for run, mark in shown.items() if mark == "‡"} == worse
        assert worse


def test_search_finds_systems_queries_and_documents_and_never_empties_the_table(opened):
    opened.press("/")
    opened.type("DENSE")
    assert opened.texts(NAMES) == ["dense-s2", "dense-s1", "dense-s3"]
    opened.press("Escape")
    assert len(opened.texts(NAMES)) == 12
    opened.type("113")
    opened.wait("document.querySelector('#matches button.link')")
    assert len(opened.texts(NAMES)) == 12, "no system has this name"
    assert opened.texts("#matches p:first-child button.link") == ["113"]
    assert opened.texts("#status")[0].startswith("0 systems, 1 query, ")
    opened.click("#matches button.link")
    opened.wait(RANKINGS)
    assert opened.texts("#panel-title") == ["Query 113"]
    opened.press("Escape")
    opened.press("Escape")  # at once: two steps, to all queries and out
    opened.wait("document.getElementById('panel').hidden")
    opened.run("document.getElementById('search').focus()")
    opened.press("Escape")
    opened.type("doc-03516")
    opened.wait(
        "document.querySelector('#matches button.link')?.textContent.startsWith('doc-03516')"
    )
    opened.click("#matches button.link")
    opened.wait(RANKINGS)
    assert "doc-03516" in opened.texts("#rankings li.searched .doc")


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
    assert opened.texts("#tally") == [f"{counts[0]} won, {counts[1]} lost, {counts[2]} tied."]
    assert f"{counts[0]} / {counts[1]} / {counts[2]}" in opened.texts("#panel tr.chosen td")
    first = "document.querySelector('#panel table.queries tbody th').textContent"
    assert opened.run(first) == gap.abs().idxmax()
    assert opened.run("document.querySelectorAll('#panel .scatter circle').length") == 50
    heights = opened.run(
        "[...document.querySelectorAll('#panel .histogram rect title')].map(one => one.textContent)"
    )
    assert sum(int(text.split(": ")[1].split()[0]) for text in heights) == 50
    opened.choose('[data-name="queries"] select', "loss")
    opened.wait(f"{first} === {json.dumps(gap.idxmin())}")
    opened.choose('[data-name="result"] select', "won")
    opened.wait(
        f"document.querySelectorAll('#panel table.queries tbody tr').length === {counts[0]}"
    )
    opened.choose('[data-name="result"] select', "all")
    opened.wait("document.querySelectorAll('#panel table.queries tbody tr').length === 50")
    opened.choose('[data-name="queries"] select', "best")
    opened.wait(f"{first} === {json.dumps(wide['dense-s1'].idxmax())}")


def test_queries_are_filtered_by_unjudged_documents_and_by_metadata(chromium, tmp_path):
    runs, qrels, metadata = pdeval.datasets.load_sample()
    queries = pd.DataFrame({"query_id": qrels["query_id"].unique()})
    queries["kind"] = ["short", "long"] * (len(queries) // 2)
    report = runs.ireval.report(
        qrels, "AP", metadata=[metadata, queries], baseline="bm25", queries="judged"
    )
    report.save(tmp_path / "page.html")
    chromium.open(tmp_path / "page.html", "#system=rerank-s1&measure=AP&against=bm25")
    chromium.wait(OPENED)
    labeled = runs.ireval.labeled(qrels, runs=["rerank-s1", "bm25"], top=10)
    unjudged = set(labeled[labeled["relevance"].isna()]["query_id"])
    shown = "document.querySelectorAll('#panel table.queries tbody tr').length"
    chromium.click('[data-name="unjudged"] input')
    chromium.wait(f"{shown} === {len(unjudged)}")
    assert 0 < len(unjudged) < 50
    assert chromium.run("location.hash").endswith(
        "unjudged=yes&system=rerank-s1&measure=AP&against=bm25"
    )
    chromium.choose('[data-name="query:kind"] select', "short")
    short = unjudged & set(queries[queries["kind"] == "short"]["query_id"])
    chromium.wait(f"{shown} === {len(short)}")
    assert set(chromium.texts("#panel table.queries tbody th")) == short
    chromium.run("history.back()")
    chromium.wait(f"{shown} === {len(unjudged)}")


def test_a_point_of_the_scatter_opens_its_query(opened):
    opened.click(cell(2, 0))
    opened.wait(OPENED)
    query = opened.run("document.querySelector('.scatter circle title').textContent").split(":")[0]
    opened.run(
        "document.querySelector('.scatter circle').dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    opened.wait(RANKINGS)
    assert opened.texts("#panel-title") == [f"Query {query}"]


def entries(chromium, side):
    """Return rank, document and mark of each line of a ranking, and its movement."""
    return chromium.run(
        f"[...document.querySelectorAll('#rankings ol.{side} li')].map(one => [one.value, "
        "one.querySelector('.doc').textContent, one.querySelector('.badge').firstChild.textContent, "
        "one.querySelector('.moved').textContent])"
    )


def test_a_query_opens_both_rankings_side_by_side(opened):
    opened.click(cell(2, 0))
    opened.wait(OPENED)
    opened.click("#panel button.link")
    opened.wait(RANKINGS)
    query = opened.texts("#panel-title")[0].removeprefix("Query ")
    runs, qrels, _ = pdeval.datasets.load_sample()
    two = ["dense-s1", "bm25"]
    table = runs.ireval.labeled(qrels, query=query, runs=two, top=10)
    pair = runs.ireval.labeled(qrels, query=query, runs=two, top=10, layout="side_by_side")
    for side, run in zip(("left", "right"), two):
        shown = entries(opened, side)
        wanted = table[table["run"] == run]
        assert [line[0] for line in shown] == wanted["rank"].tolist()
        assert [line[1] for line in shown] == wanted["doc_id"].tolist()
        grades = ["?" if pd.isna(grade) else str(grade) for grade in wanted["relevance"]]
        assert [line[2] for line in shown] == grades
    moved = {"only here": None, "=": 0}
    texts = [line[3].replace("▲", "").replace("▼", "-") for line in entries(opened, "right")]
    numbers = [moved[text] if text in moved else int(text) for text in texts]
    assert numbers == [None if pd.isna(one) else one for one in pair["moved"]]
    both = set(pair["doc_a"]) & set(pair["doc_b"])
    assert opened.run("document.querySelectorAll('#lines line').length") == len(both)
    said = runs.ireval.explain(qrels, query, "AP", runs=two, queries="judged").attrs["conclusion"]
    assert opened.texts("#conclusion") == [said]


def test_the_name_of_a_system_opens_the_measure_that_sorts_the_table(opened):
    opened.click('tr[data-row="2"] button.system')
    opened.wait(OPENED)
    assert opened.texts("#panel-title") == ["dense-s1, AP"]
    opened.press("Escape")
    opened.wait("document.getElementById('panel').hidden")
    assert focused(opened) == "dense-s1"
    opened.click('th[data-column="2"] button.sort')
    opened.click('tr[data-row="2"] button.system')
    opened.wait(OPENED)
    assert opened.texts("#panel-title") == ["dense-s1, nDCG@10"]


SYSTEMS = "[...document.querySelectorAll('table.systems {} tr')].map(tr => [...tr.cells].map(c => c.textContent))"


def test_a_query_lists_all_systems_also_with_judged_documents_only(opened, sample_page):
    address = {"system": "bm25", "measure": "nDCG@10", "against": "hybrid", "query": "120"}
    opened.open(sample_page, f"#{urlencode(address)}")
    opened.wait(RANKINGS)
    runs, qrels, _ = pdeval.datasets.load_sample()
    own = runs[runs["query_id"].astype(str) == "120"]
    judged = own.merge(qrels[["query_id", "doc_id"]])  # the list without unjudged documents
    values = [
        quietly(part.ireval.measure, qrels, "nDCG@10", queries="answered")
        .query("query_id == '120'")
        .set_index("run")["value"]
        for part in (own, judged)
    ]
    labeled = runs.ireval.labeled(qrels, query="120", top=10)
    unjudged = labeled["relevance"].isna().groupby(labeled["run"]).sum()
    assert opened.run(SYSTEMS.format("thead")) == [
        ["System", "nDCG@10", "Difference", "Judged documents only", "Difference",
         "Unjudged in the top 10"]
    ]  # fmt: skip
    lines = opened.run(SYSTEMS.format("tbody"))
    assert len(lines) == 12
    shown = [float(line[1]) for line in lines]
    assert shown == sorted(shown, reverse=True)
    for name, value, difference, only, only_difference, count in lines:
        assert [value, only] == [f"{one[name]:.3f}" for one in values]
        assert int(count) == unjudged[name]
        wanted = [one["bm25"] - one[name] for one in values]
        for text, number in zip((difference, only_difference), wanted):
            read = float(text.replace("\u2212", "-").replace("+", "") or 0)
            assert read == pytest.approx(number, abs=0.5001e-3)
    ahead = [int((one > one["bm25"]).sum()) for one in values]
    said = f"{ahead[0]} of 11 other systems are better than bm25, {ahead[1]} with judged documents only."
    assert opened.texts("#systems-title + p")[0].startswith(said)
    opened.run(
        "[...document.querySelectorAll('table.systems button.link')]"
        ".find((one) => one.textContent === 'dense-s1').click()"
    )
    opened.wait("document.querySelectorAll('.ranking h3')[1]?.textContent === 'dense-s1'")
    assert opened.run("location.hash").endswith("against=dense-s1&query=120")


def test_a_query_shows_every_measure_with_judged_documents_only(opened, sample_page):
    address = {"system": "bm25", "measure": "AP", "against": "hybrid", "query": "120"}
    opened.open(sample_page, f"#{urlencode(address)}")
    opened.wait(RANKINGS)
    lines = opened.run(SYSTEMS.replace("table.systems {}", "#panel table.account tbody"))
    assert [line[0] for line in lines] == [
        "bm25", "bm25, judged documents only", "hybrid", "hybrid, judged documents only"
    ]  # fmt: skip
    only = {line[0]: line for line in opened.run(SYSTEMS.format("tbody"))}
    assert [lines[1][1], lines[3][1]] == [only["bm25"][3], only["hybrid"][3]]


def test_long_tables_show_their_first_rows_and_copies_have_all(chromium, tmp_path):
    runs, qrels, _ = pdeval.datasets.load_sample()
    many = pd.concat([runs.assign(run=runs["run"].astype(str) + f" {copy}") for copy in range(3)])
    page = quietly(many.ireval.report, qrels, "AP", queries="judged").save(tmp_path / "page.html")
    chromium.open(page, "#view=pairs").run(COPIED)
    chromium.wait("document.querySelectorAll('table.square button').length === 25 * 24")
    assert len(copied(chromium, "main", "Copy table as TSV").split("\n")) == 37
    chromium.click("button.more")
    chromium.wait("document.querySelectorAll('table.square button').length === 36 * 35")
    assert chromium.run("document.activeElement.id") == "square"
    chromium.open(page, "#system=bm25+0&measure=AP&against=hybrid+0&query=113").run(COPIED)
    chromium.wait("document.querySelector('table.items')")
    assert chromium.run("document.querySelectorAll('table.items tbody tr').length") == 50
    size = int(re.search(r"\d+", chromium.texts("button.more")[0])[0])
    assert len(copied(chromium, "panel", "Copy table as TSV").split("\n")) == size + 2
    chromium.show_all()
    assert chromium.run("document.querySelectorAll('table.items tbody tr').length") == size


def test_the_sentence_of_a_query_is_that_of_explain(chromium, tmp_path):
    judged = pdeval.datasets.sample_judged(queries="judged")
    measures = ["R@100", "AP", "nDCG@10", "P@5"]  # the page has 50 documents of each ranking
    page = judged.report(measures).save(tmp_path / "page.html")
    for query, pair in (("120", ["rerank-s1", "bm25"]), ("113", ["bm25", "hybrid"])):
        for measure in measures:
            address = {"system": pair[0], "measure": measure, "against": pair[1], "query": query}
            chromium.open(page, f"#{urlencode(address)}")
            chromium.wait("document.querySelector('#conclusion')")
            top = 50 if measure == "R@100" else None
            frame = judged.explain(query, measure, runs=pair, top=top)
            assert chromium.texts("#conclusion") == [frame.attrs["conclusion"]]
            shown = [line[0] for line in entries(chromium, "left")]
            assert shown == list(range(1, 1 + (top or 10)))
            last = "[...document.querySelectorAll('ol.left li.last')].map((one) => one.value)"
            assert chromium.run(last) == [{"R@100": 50, "P@5": 5}.get(measure, 10)]
    chromium.click('label[data-name="whole"] input')
    chromium.wait("document.querySelectorAll('ol.left li').length > 50")
    # a document that is searched is shown, however deep it is
    deep = judged.labeled(query="120").groupby("doc_id")["rank"].min()
    doc = deep[deep.between(30, 50)].index[0]
    chromium.open(page, f"#search={doc}")
    chromium.wait("document.querySelector('#matches button.link')")
    chromium.click("#matches button.link")
    chromium.wait("document.querySelector('li.searched')")
    assert doc in chromium.texts("li.searched .doc")
    # the documents that are counted are those of the first measure
    frames = [judged.explain("120", one, runs="rerank-s1") for one in (["P@5", "R@100"], "P@5")]
    assert frames[0].attrs["conclusion"] == frames[1].attrs["conclusion"]
    assert "of its top 5 documents" in frames[1].attrs["conclusion"]


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
        chromium.show_all()
        lines = chromium.run(
            "[...document.querySelectorAll('table.items tbody tr')].map(tr => [...tr.cells].map(c => c.textContent))"
        )
        said = runs.ireval.explain(
            judgments, query, "AP", runs=["hybrid", "bm25"], queries="judged"
        )
        ranks = said[said["relevance"] > 0].pivot(index="doc_id", columns="run", values="rank")
        own = judgments[judgments["query_id"].astype(str) == query].set_index("doc_id")["relevance"]
        assert {line[0] for line in lines} >= set(own.index)
        for doc, grade, *found in (line[:4] for line in lines):
            assert grade == (str(own[doc]) if doc in own.index else "unjudged")
            if doc not in ranks.index or not own.get(doc):
                continue
            shown = [
                "–" if pd.isna(rank) else f"{rank:.0f}"
                for rank in ranks.loc[doc, ["hybrid", "bm25"]]
            ]
            assert found == shown


def test_keys_alone_lead_from_the_table_to_the_items_and_back(opened):
    opened.run("document.querySelector('button.cell').focus()")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "End", "Home"):
        opened.press(key)
    assert focused(opened) == opened.texts(NAMES)[1]
    for key in ("ArrowRight", "ArrowRight"):
        opened.press(key)
    start = focused(opened)
    assert start == "0.643"
    stops = "document.querySelectorAll('#table tbody button[tabindex=\"0\"]').length"
    assert opened.run(stops) == 1
    opened.press("Enter")
    opened.wait(OPENED)
    opened.run("document.querySelector('#panel button.link').focus()")
    query = focused(opened)
    opened.press("Enter")
    opened.wait(RANKINGS)
    opened.wait(f"document.activeElement.textContent === {json.dumps(f'Query {query}')}")
    opened.press("Escape")
    opened.wait("document.querySelector('#panel table.queries button.link')")
    opened.wait("document.activeElement.id === 'panel-title'")
    opened.press("Escape")
    opened.wait("document.getElementById('panel').hidden")
    assert focused(opened) == start, "the focus is back where it came from"
    opened.press("?")
    assert opened.run("document.querySelector('dialog').open")
    opened.press("Escape")
    opened.wait("!document.querySelector('dialog')")
    opened.press("q")
    opened.wait("document.querySelector('#query-table')")


def test_back_and_forward_lead_through_the_states(opened):
    opened.click('th[data-column="2"] button.sort')
    order = opened.texts(NAMES)
    opened.click(cell(2, 0))
    opened.wait(OPENED)
    opened.click("#panel button.link")
    opened.wait(RANKINGS)
    title = opened.texts("#panel-title")
    opened.run("history.back()")
    opened.wait(f"{OPENED} && !{RANKINGS}")
    opened.run("history.back()")
    opened.wait("document.getElementById('panel').hidden")
    assert opened.texts(NAMES) == order
    opened.run("history.back()")
    opened.wait("!location.hash")
    assert values(opened, 1) == sorted(values(opened, 1), reverse=True)
    for _ in range(3):
        opened.run("history.forward()")
    opened.wait(RANKINGS)
    assert opened.texts("#panel-title") == title


def test_a_link_has_names_and_opens_the_same_state(opened, sample_page):
    opened.click('th[data-column="2"] button.sort')
    opened.click(cell(7, 1))
    opened.wait(OPENED)
    opened.click("#panel button.link")
    opened.wait(RANKINGS)
    address, query, order = (
        opened.run("decodeURIComponent(location.hash)"),
        opened.texts("#panel-title"),
        opened.texts(NAMES),
    )
    number = query[0].removeprefix("Query ")
    assert address == f"#sort=nDCG@10&system=rerank-s1&measure=nDCG@10&against=bm25&query={number}"
    opened.open(sample_page, address)
    opened.wait(RANKINGS)
    assert opened.texts("#panel-title") == query
    assert opened.texts(NAMES) == order
    opened.open(
        sample_page, "#system=nobody&measure=AP&sort=99&view=x&is:family=none&queries=x&shown=y"
    )
    assert len(opened.texts(NAMES)) == 12


COPIED = """
Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => { window.copied = text; }}});
"""


def copied(chromium, menu, text):
    """Choose an entry of the menu of copies, and return what it copied."""
    chromium.run("window.copied = undefined")
    chromium.click(f'details.menu[data-name="{menu}"] summary')
    chromium.run(
        f"[...document.querySelectorAll('details.menu[data-name={menu}] button')]"
        f".find((one) => one.textContent === {json.dumps(text)}).click()"
    )
    chromium.wait("window.copied !== undefined")
    return chromium.run("window.copied")


def test_the_link_and_the_table_shown_can_be_copied(opened, sample):
    opened.run(COPIED)
    lines = copied(opened, "main", "Copy table as TSV").split("\n")
    assert lines[0] == "Rank\tSystem\tAP\tnDCG@10\tRR\tP@10"
    assert lines[1] == "1\trerank-s1\t0.562 †\t0.631 †\t0.923 †\t0.630 †"
    assert len(lines) == 13
    markdown = copied(opened, "main", "Copy table as Markdown").split("\n")
    assert markdown[1] == "| --- | --- | --- | --- | --- | --- |"
    latex = copied(opened, "main", "Copy table as LaTeX")
    assert latex.startswith("\\begin{tabular}{rlrrrr}\n\\toprule\nRank & System & AP & ")
    assert "1 & rerank-s1 & 0.562 \\dag{} & " in latex
    opened.click(cell(2, 0))
    opened.wait(OPENED)
    assert copied(opened, "panel", "Copy link").endswith("#system=dense-s1&measure=AP&against=bm25")
    queries = copied(opened, "panel", "Copy table as TSV").split("\n")
    assert queries[0].split("\t")[:4] == ["Query", "dense-s1", "bm25", "Difference"]
    assert len(queries) == 51


def test_a_download_has_all_digits(opened, sample):
    opened.run(
        "URL.createObjectURL = (blob) => { window.saved = blob; return 'blob:x'; }; "
        "HTMLAnchorElement.prototype.click = function () { window.file = this.download; }"
    )
    opened.click('details.menu[data-name="main"] summary')
    opened.run(
        "[...document.querySelectorAll('details.menu button')]"
        ".find((one) => one.textContent === 'Download CSV').click()"
    )
    text = opened.run("window.saved.text()").removeprefix("\ufeff")
    table = pd.read_csv(io.StringIO(text))
    assert opened.run("window.file") == "Sample-collection.csv"
    wanted = {row[0].text: row[1].value for row in sample.rows}
    assert table.set_index("System")["AP"].to_dict() == wanted


def test_pairs_are_a_square_that_follows_search_and_opens_both_systems(opened):
    opened.press("p")
    opened.wait("document.querySelector('table.square')")
    assert opened.run("document.querySelectorAll('table.square button').length") == 132
    ahead = opened.texts('table.square button[data-pair="7 0"]')[0]
    behind = opened.texts('table.square button[data-pair="0 7"]')[0]
    assert ahead == "+0.234†"
    assert behind == "−0.234‡"
    opened.choose('[data-name="shown"] select', "won")
    opened.wait("document.querySelector('table.square button').textContent.includes('%')")
    opened.choose('[data-name="pairs"] select', "RPP")
    opened.wait(
        "document.querySelector('[data-name=pairs] select').selectedOptions[0].textContent === 'RPP (preference)'"
    )
    opened.wait("document.activeElement.closest('[data-name=pairs]')")
    opened.run("document.activeElement.blur()")
    opened.press("/")
    opened.type("dense")
    opened.wait("document.querySelectorAll('table.square button').length === 6")
    opened.click('table.square button[data-pair="2 3"]')
    opened.wait(OPENED)
    assert opened.texts("#panel-title") == ["dense-s1, AP"]
    assert opened.texts("#panel caption") == ["Against dense-s2"]


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
        chromium.wait(RANKINGS)
        chromium.press("Escape")
        chromium.wait(f"{OPENED} && !{RANKINGS}")
        chromium.press("Escape")
        chromium.wait("document.getElementById('panel').hidden")
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
    chromium.run("document.querySelector('details.documents').open = true")
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
        chromium.wait("document.querySelector('.ready')")
        chromium.run("document.querySelector('button.cell[data-at=\"0 0 2\"]').click()")
        chromium.wait(OPENED)
        assert chromium.texts("#panel-title") == ["dense-s1, AP"]
    finally:
        chromium.session = outer


def test_a_notebook_has_the_same_table_without_a_page(chromium, sample, tmp_path):
    output = sample._repr_html_()
    page = f"<!DOCTYPE html><body class=ready style='color: white'><i id=table></i>{output}{output}</body>"
    (tmp_path / "notebook.html").write_text(page, encoding="utf-8")
    chromium.open(tmp_path / "notebook.html")
    hosts = "[...document.querySelectorAll('.pdeval-output > div')]"
    assert chromium.run(f"{hosts}.map((one) => one.className)") == ["dark", "dark"]
    shadow = f"{hosts}[1].shadowRoot"
    chromium.wait(f"{shadow}.querySelector('.ready')")
    assert chromium.run(f"{shadow}.querySelectorAll('header, main').length") == 0
    chromium.run(f"{shadow}.querySelector('button.cell[data-at=\"0 0 2\"]').click()")
    chromium.wait(f"{shadow}.querySelector('#panel table.queries')")
    chromium.run(f"{shadow}.querySelector('#panel button.link').click()")
    chromium.wait(f"{shadow}.querySelector('#rankings')")
    assert chromium.run("location.hash") == "", "a notebook keeps its address"
    assert chromium.run(f"{hosts}[0].shadowRoot.querySelector('#panel').hidden")


@pytest.mark.parametrize("kind", ["scores", "summary", "preferences", "mixed", "order", "one run"])
def test_reports_of_every_kind_open_without_an_error(chromium, tmp_path, kind):
    judged = pdeval.datasets.sample_judged(queries="common")
    scores = judged.measure(["AP", "RR"])
    report = {
        "scores": lambda: scores.ireval.report(),
        "summary": lambda: scores.ireval.summary().ireval.report(),
        "preferences": lambda: judged.report(["RPP"]),
        "mixed": lambda: judged.report(["AP", "RPP", "sgnLP"]),
        "order": lambda: judged.order("RPP").ireval.report(),
        "one run": lambda: scores[scores["run"] == "bm25"].ireval.report(),
    }[kind]()
    report.to_html(tmp_path / "page.html", interactive=True)
    chromium.open(tmp_path / "page.html")
    chromium.click("thead button.sort")
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
    if kind in ("scores", "one run"):
        assert any(
            "This page has no documents of this query" in text
            for text in chromium.texts("#panel p")
        )
    else:
        chromium.wait(RANKINGS)
