"""Joins and explanations in a notebook: the component of the page, without a kernel; plain tables without scripts."""

import pickle
import sys
import warnings

import pandas as pd
import pytest

import pdeval
from tests import naive
from tests.report.page.browser import needs_chromium
from tests.report.page.conftest import HOSTILE_TEXTS, ODD, quietly

PAIR = ["rerank-s1", "bm25"]
SHADOW = "document.querySelector('.pdeval-output > div').shadowRoot"


@pytest.fixture(scope="module")
def judged():
    return pdeval.datasets.sample_judged(queries="common")


def plain_of(html):
    """Return the part that is shown if scripts do not run."""
    return html.partition('<div class="pdeval-plain">')[2].partition("<template>")[0]


def test_an_explanation_is_a_frame_that_displays_rankings(judged):
    frame = judged.explain(120, "nDCG@10", runs=PAIR)
    html = frame._repr_html_()
    assert html == frame.ireval._repr_html_()
    assert html.startswith('<div class="pdeval-output"')
    assert frame.attrs["conclusion"] in plain_of(html)
    assert "system=rerank-s1\\u0026against=bm25\\u0026query=120" in html
    assert type(frame.head()) is type(frame.copy()) is type(frame[["rank"]]) is pd.DataFrame
    assert frame.head().attrs == frame.attrs


def test_a_join_without_rows_and_a_report_beyond_accuracy_are_displayed():
    runs, qrels, _ = pdeval.datasets.load_sample()
    by_parts = quietly(pdeval.join_parts, [runs], qrels)
    assert by_parts._repr_html_().startswith('<div class="pdeval-output"')
    books = pdeval.datasets.load_recommendations()
    join = books.runs.ireval.join(books.ratings, items=books.items, history=books.history)
    html = quietly(join.report, ["AP", "Novelty@10"])._repr_html_()
    assert "Novelty@10" in html


def test_other_explanations_and_stored_ones_are_tables(judged):
    for frame in (
        judged.explain(120, "nDCG@10", runs=PAIR, per="run"),
        judged.explain(120, "nDCG@10", runs=PAIR).head(),
        pickle.loads(pickle.dumps(judged.explain(120, "nDCG@10", runs=PAIR))),
    ):
        assert "<script" not in frame.ireval._repr_html_()


def test_an_explanation_of_many_runs_opens_the_worst_and_the_best(judged):
    html = judged.explain(113, ["AP", "RR"])._repr_html_()
    values = judged.measure("AP").query("query_id == '113'").set_index("run")["value"]
    assert f"system={values.idxmin()}\\u0026against={values.idxmax()}" in html


def test_a_join_displays_its_report_and_keeps_its_warning(monkeypatch):
    joined = pdeval.datasets.sample_judged()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        html = joined._repr_html_()
    assert html.startswith('<div class="pdeval-output"')
    assert "runs joined to judgments: 12 runs x 50 queries" in plain_of(html)
    with pytest.warns(UserWarning, match="2 of 50 judged queries are missing from run 'ql'"):
        joined.measure("AP")
    monkeypatch.setattr(sys.modules["pdeval.accessor.describe"], "MAX_RUNS", 11)
    assert plain_of(html) == joined._repr_html_() + "</div>\n"


def test_a_join_without_a_query_that_counts_is_a_table():
    runs = naive.table({"x": {"1": ["a"]}})
    joined = runs.ireval.join(naive.judgments({"1": {"a": 0}}))
    assert joined._repr_html_().startswith("<div><p>runs joined to judgments")


def opened(chromium, tmp_path, html):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><body class=ready>{html}</body>", encoding="utf-8")
    chromium.open(path)
    chromium.wait(f"{SHADOW}.querySelector('.ready')")


@needs_chromium
@pytest.mark.slow
def test_the_rankings_of_an_explanation_need_no_kernel(chromium, tmp_path, judged):
    frame = judged.explain([120, 113], "nDCG@10", runs=PAIR)
    opened(chromium, tmp_path, frame._repr_html_())
    chromium.wait(f"{SHADOW}.querySelector('#rankings')")
    first, second = (line.split(": ", 1)[1] for line in frame.attrs["conclusion"].split("\n"))
    sentence = f"{SHADOW}.querySelector('#conclusion').textContent"
    assert chromium.run(sentence) == first
    assert chromium.run("scrollY") == 0, "a stored notebook does not scroll when it is opened"
    step = f"[...{SHADOW}.querySelectorAll('#panel .controls button')]"
    chromium.run(f"{step}.find((one) => !one.disabled).click()")
    chromium.wait(f"{sentence} === {second!r}")
    chromium.run(f"{SHADOW}.querySelector('#panel .close').click()")
    chromium.wait(f"{SHADOW}.querySelector('#panel').hidden")
    shown = f"[...{SHADOW}.querySelectorAll('#table tbody th')].map((one) => one.textContent)"
    assert sorted(chromium.run(shown)) == sorted(PAIR)


@needs_chromium
@pytest.mark.slow
def test_hostile_texts_of_an_explanation_do_nothing(chromium, tmp_path):
    runs, qrels, _ = pdeval.datasets.load_sample()
    hostile = [*ODD, *HOSTILE_TEXTS]
    docs = runs["doc_id"].unique()
    texts = {
        "queries": dict.fromkeys(["120", 120], hostile[0]),
        "docs": {doc: hostile[i % len(hostile)] for i, doc in enumerate(docs)},
    }
    frame = quietly(runs.ireval.explain, qrels, 120, "nDCG@10", runs=PAIR, texts=texts)
    html = frame._repr_html_()
    assert html.count("</script>") == 2
    assert "\u202e" not in html
    opened(chromium, tmp_path, html)
    chromium.wait(f"{SHADOW}.querySelector('#rankings .doc-text')")
    lengths = f"[...{SHADOW}.querySelectorAll('#rankings .doc-text')].map((one) => one.textContent.length)"
    assert max(chromium.run(lengths)) <= 300
    assert chromium.run(f"{SHADOW}.querySelectorAll('#rankings img, #rankings b').length") == 0
    assert chromium.run("window.broken === undefined")
