"""Texts of queries and documents on the page: shown, searched, cut, and never run."""

import json

import pandas as pd
import pytest

import pdeval
from tests.report.page.browser import needs_chromium
from tests.report.page.conftest import HOSTILE_TEXTS, ODD, data_of, quietly, said_under, unpacked
from tests.report.page.test_clicks import OPENED, RANKINGS

HOSTILE = [*ODD, *HOSTILE_TEXTS]


@pytest.fixture(scope="module")
def report():
    runs, qrels, _ = pdeval.datasets.load_sample()
    docs = runs["doc_id"].drop_duplicates().reset_index(drop=True)
    hostile = pd.Series(HOSTILE)
    text = hostile.iloc[docs.index % len(HOSTILE)].reset_index(drop=True)
    corpus = pd.DataFrame({"doc_id": docs, "title": text, "text": text, "url": text})
    corpus.loc[corpus.index % 7 == 0, "url"] = "https://example.org/?a=1&b=<x>"
    queries = pd.DataFrame({"query_id": qrels["query_id"].unique()})
    queries["text"] = hostile.iloc[queries.index % len(HOSTILE)].to_numpy()
    texts = {"queries": queries, "docs": corpus}
    return quietly(runs.ireval.report, qrels, "AP", texts=texts, queries="judged")


@pytest.mark.broad
def test_texts_are_cut_and_packed_for_the_documents_of_the_page_only(report):
    page = report.to_html(interactive=True)
    origin = data_of(page)["origins"][0]
    assert max(map(len, filter(None, origin["queryTexts"]))) <= 300
    titles, place = unpacked(origin["texts"]["title"]), unpacked(origin["texts"]["place"])
    docs = unpacked(origin["items"]["docs"])
    assert len(titles) == len(set(docs)), "one text per document, however many queries have it"
    assert len(place) == len(docs)
    assert max(map(len, filter(None, titles))) <= 300
    assert {url for url in unpacked(origin["texts"]["url"]) if url} == {
        "https://example.org/?a=1&b=<x>"
    }
    assert page.count("</script>") == 2
    small = report.to_html(interactive=True, limit=0.2)
    assert "left out: the page would be larger than its limit" in said_under(small)
    assert len(small.encode()) < 200_000


def test_texts_without_texts_are_an_error_of_the_report_not_of_its_page():
    judged = pdeval.datasets.sample_judged(queries="common")
    with pytest.raises(ValueError, match="texts= has no column of texts"):
        judged.report("AP", texts=pd.DataFrame({"query_id": ["101"], "type": ["fact"]}))


@needs_chromium
@pytest.mark.slow
def test_hostile_texts_are_shown_and_do_nothing(chromium, report, tmp_path):
    report.save(tmp_path / "page.html")
    chromium.open(tmp_path / "page.html", "#system=hybrid&measure=AP&against=bm25")
    chromium.wait(OPENED)
    assert "<!--<script>" in chromium.texts("#panel .query-text")
    for query in chromium.texts("#panel table.queries button.link")[:4]:
        chromium.run(
            f"location.hash = {json.dumps(f'#system=hybrid&measure=AP&against=bm25&query={query}')}"
        )
        chromium.wait(
            f"document.getElementById('panel-title').textContent === {json.dumps(f'Query {query}')}"
        )
        chromium.wait(RANKINGS)
    height = "Math.max(...[...document.querySelectorAll('.doc-text')].map(one => one.offsetHeight))"
    short = chromium.run(height)
    chromium.click('label[data-name="long"] input')
    chromium.wait(f"{height} > {short}")
    texts = chromium.texts("#rankings .doc-text")
    assert texts
    assert max(map(len, texts)) <= 300
    assert (
        chromium.run(
            "document.querySelectorAll('#rankings img, #rankings script, #rankings b').length"
        )
        == 0
    )
    links = chromium.run(
        "[...document.querySelectorAll('#rankings a')].map((one) => [one.protocol, one.rel])"
    )
    assert all(link == ["https:", "noopener noreferrer"] for link in links)
    assert chromium.run("window.broken === undefined")
    assert chromium.run("document.documentElement.scrollWidth <= innerWidth")


@needs_chromium
@pytest.mark.slow
def test_queries_and_documents_are_found_by_their_texts(chromium, tmp_path):
    runs, qrels, _ = pdeval.datasets.load_sample()
    texts = {
        "queries": {"113": "Zebra crossings"},
        "docs": {"doc-03516": {"title": "Striped horses"}},
    }
    quietly(runs.ireval.report, qrels, "AP", texts=texts, queries="judged").save(
        tmp_path / "page.html"
    )
    chromium.open(tmp_path / "page.html", "#search=zebra")
    chromium.wait("document.querySelector('#matches button.link')")
    assert chromium.texts("#matches button.link") == ["113: Zebra crossings"]
    chromium.open(tmp_path / "page.html", "#search=striped horses")
    chromium.wait("document.querySelector('#matches button.link')")
    chromium.click("#matches button.link")
    chromium.wait(RANKINGS)
    assert "Striped horses" in chromium.texts("#rankings li.searched .doc-title")
