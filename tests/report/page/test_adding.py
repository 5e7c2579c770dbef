"""A query opened: what its items add to a measure, and its recall levels to a preference, is what `explain` gives."""

import json

import numpy as np
import pytest

import pdeval
from pdeval.report.page import asset
from tests.report.page.browser import needs_chromium
from tests.report.page.conftest import data_of, items_of, unpacked

pytestmark = [needs_chromium, pytest.mark.slow]

LINES = "[...document.querySelectorAll('{} tr')].map(tr => [...tr.cells].map(c => c.textContent))"


def number(text):
    return float(text.replace("\u2212", "-").replace("+", ""))


def open_query(chromium, page, measure, query, system="dense-s1", against="bm25"):
    chromium.open(page, f"#system={system}&measure={measure}&against={against}&query={query}")
    chromium.wait("document.querySelector('table.items')")
    chromium.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    chromium.show_all()


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RR", "P@10"])
def test_a_query_tells_what_each_item_adds_to_the_measure_as_explain_does(
    chromium, sample_page, measure
):
    open_query(chromium, sample_page, measure, "113")
    assert chromium.texts("table.items thead tr.over th") == ["Rank in", f"Adds to {measure}"]
    runs, qrels, _ = pdeval.datasets.load_sample()
    said = runs.ireval.explain(qrels, "113", measure, runs=["dense-s1", "bm25"], queries="judged")
    wide = said.pivot(index="doc_id", columns="run", values=measure)[["dense-s1", "bm25"]].fillna(0)
    lines = chromium.run(LINES.format("table.items tbody"))
    assert {line[0] for line in lines} >= set(wide.index)
    wide = wide.reindex([line[0] for line in lines]).fillna(0)
    for doc, *_, a, b, difference in lines:
        wanted = [*wide.loc[doc], wide.loc[doc, "dense-s1"] - wide.loc[doc, "bm25"]]
        assert [number(a), number(b), number(difference)] == pytest.approx(wanted, abs=0.5001e-4)
    assert wide.to_numpy().any()
    sums = [number(text) for text in chromium.texts("table.items tfoot td.n")]
    assert sums == pytest.approx(
        [*wide.sum(), wide["dense-s1"].sum() - wide["bm25"].sum()], abs=0.5001e-4
    )
    chromium.choose('[data-name="items"] select', "adds")
    chromium.wait("document.querySelector('[data-name=items] select').value === 'adds'")
    chromium.wait("document.activeElement.closest('[data-name=items]')")
    differences = [
        abs(number(line[-1])) for line in chromium.run(LINES.format("table.items tbody"))
    ]
    assert differences == sorted(differences, reverse=True)


def test_the_factors_of_the_page_multiply_to_what_explain_gives_to_the_last_bits(
    chromium, sample_page, sample
):
    """The page shows four digits; behind them are all."""
    origin = data_of(sample.to_html(interactive=True))["origins"][0]
    runs, qrels, _ = pdeval.datasets.load_sample()
    chromium.open(sample_page)
    for at, measure in enumerate(["AP", "nDCG@10", "RR", "P@10"]):
        held = origin["adds"][at]
        place = origin["queries"].index("113")
        items = items_of(origin, "113")
        discount = unpacked(held["discount"]).tolist()
        weight = unpacked(held["weight"])[place]
        grades = [None if np.isnan(grade) else grade for grade in items["grades"]]
        shown = {
            "docs": items["docs"],
            "grades": grades,
            "ranks": items["ranks"].T.ravel().tolist(),
        }
        said = runs.ireval.explain(qrels, "113", measure, queries="judged").set_index(
            ["run", "doc_id"]
        )[measure]
        for run in (0, 5):
            factors = (f"{{gain: new Map({json.dumps(held['gain'])}), byLevel: {json.dumps(held['byLevel'])}, "
                       f"only: {json.dumps(held['only'])}, discount: {json.dumps(discount)}, "
                       f"weight: {weight}}}")  # fmt: skip
            found = chromium.run(
                f"(() => {{{asset('documents.js')} return addedIn({json.dumps(shown)}, {run}, {factors}); }})()"
            )
            wanted = said.loc[origin["items"]["runs"][run]].reindex(items["docs"]).fillna(0)
            assert found == pytest.approx(wanted.tolist(), abs=1e-15)


def test_a_query_tells_how_the_preference_comes_about_as_explain_does(chromium, sample_page):
    open_query(chromium, sample_page, "AP", "113")
    runs, qrels, _ = pdeval.datasets.load_sample()
    said = runs.ireval.explain(qrels, "113", "RPP", runs=["dense-s1", "bm25"], queries="judged")
    lines = chromium.run(LINES.format("table.levels tbody"))
    shares = said.groupby("population")["weight"].sum()
    assert [line[0] for line in lines if len(line) == 1] == [
        f"Users who want documents of {name.replace('>=', '≥')}: {100 * share:.0f}%"
        for name, share in shares.items()
    ]
    lines = [line for line in lines if len(line) > 1]
    assert [int(line[0]) for line in lines] == said["recall"].tolist()
    assert [line[3].replace("\u2013", "tie") for line in lines] == said["ahead"].tolist()
    assert [number(line[4]) for line in lines] == pytest.approx(
        said["weight"].tolist(), abs=0.5001e-4
    )
    assert [number(line[5]) for line in lines] == pytest.approx(
        said["running_sum"].tolist(), abs=0.5001e-4
    )
    assert "RPP on this query, recall level by recall level" in chromium.texts("#panel summary")


def test_a_report_by_a_preference_opens_its_account(chromium, tmp_path):
    judged = pdeval.datasets.sample_judged(queries="common")
    judged.report("RPP(grades=uniform)", baseline="bm25").to_html(
        tmp_path / "page.html", interactive=True
    )
    open_query(chromium, tmp_path / "page.html", "RPP(grades%3Duniform)", "113", "hybrid")
    assert chromium.run("document.querySelector('details.levels').open")
    said = judged.explain("113", "RPP(grades=uniform)", runs=["hybrid", "bm25"])
    lines = chromium.run(LINES.format("table.levels tbody"))
    assert number(lines[-1][5]) == pytest.approx(said["running_sum"].iloc[-1], abs=0.5001e-4)
    assert chromium.texts("table.items tfoot td") == []


def test_without_a_baseline_the_reader_names_the_other_system_of_a_preference(chromium, tmp_path):
    judged = pdeval.datasets.sample_judged(queries="common")
    judged.report("RPP").to_html(tmp_path / "page.html", interactive=True)
    open_query(chromium, tmp_path / "page.html", "RPP", "113", "hybrid", "")
    assert chromium.texts("table.levels") == []
    systems = data_of((tmp_path / "page.html").read_text(encoding="utf-8"))["origins"][0]["systems"]
    chromium.choose('#panel [data-name="against"] select', str(systems.index("bm25")))
    chromium.wait("document.querySelector('table.levels')")
    said = judged.explain("113", "RPP", runs=["hybrid", "bm25"])
    lines = chromium.run(LINES.format("table.levels tbody"))
    assert number(lines[-1][5]) == pytest.approx(said["running_sum"].iloc[-1], abs=0.5001e-4)


def test_a_measure_that_ranks_do_not_tell_says_so(chromium, tmp_path):
    judged = pdeval.datasets.sample_judged(queries="common")
    judged.report(["Bpref"], baseline="bm25").to_html(tmp_path / "page.html", interactive=True)
    open_query(chromium, tmp_path / "page.html", "Bpref", "113", "hybrid")
    told = "What each document adds to Bpref does not follow from ranks and grades alone: explain() computes it."
    assert told in chromium.texts("#panel p.small")
    assert chromium.texts("table.items thead tr.over th") == []
