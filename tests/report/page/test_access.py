"""Whether everybody can use the page: axe-core finds no fault in light, in dark, on a phone, whatever is open."""

from importlib import resources

import pytest

import pdeval
from tests.report.page.browser import needs_chromium

PATIENCE = 300.0  # axe-core compares the colors of every text with all boxes behind it

axe = pytest.importorskip("axe_core_python", reason="axe-core comes with axe-core-python")
pytestmark = [needs_chromium, pytest.mark.slow, pytest.mark.extras]

OPEN = {
    "table": "",
    "queries": "#system=dense-s1&measure=AP&against=bm25",
    "items": "#system=dense-s1&measure=AP&against=bm25&query=113",
    "pairs": "#view=pairs",
    "hard queries": "#view=queries",
    "found": "#search=113",
    "reference": "#reference=best",
}
OF_79_SYSTEMS = {
    "table": "",
    "queries": "#system=ucd_cs_r2&measure=nDCG%4010&against=udel_fang_FB2",
    "items": "#system=ucd_cs_r2&measure=nDCG%4010&against=udel_fang_FB2&query=36",
    "pairs": "#view=pairs",
    "hard queries": "#view=queries",
    "found": "#search=36",
    "reference": "#reference=ucd_cs_r2",
}
COMPONENTS = ("join", "explanation", "nuggets")
SHOWN = {
    "table": "table tbody button.cell",
    "queries": "#panel table.queries",
    "items": "table.items",
    "pairs": "table.square",
    "hard queries": "#query-table",
    "found": "#matches button.link",
    "reference": "#table.reference-marks",
}


@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (1280, True), (380, False)], ids=["light", "dark", "narrow"]
)
@pytest.mark.parametrize("view", OPEN)
def test_no_serious_fault_of_accessibility(chromium, sample_page, view, width, dark):
    chromium.sized(width, 900, dark=dark).open(sample_page, OPEN[view])
    chromium.wait(f"document.querySelector('{SHOWN[view]}')")
    check(chromium)


@pytest.mark.parametrize(
    ("width", "dark"),
    [
        pytest.param(1280, False, id="light"),
        pytest.param(1280, True, id="dark", marks=pytest.mark.large),
        pytest.param(380, False, id="narrow", marks=pytest.mark.large),
    ],
)
@pytest.mark.parametrize("view", OF_79_SYSTEMS)
def test_no_fault_of_accessibility_with_79_systems(chromium, covid_page, view, width, dark):
    chromium.sized(width, 900, dark=dark).open(covid_page, OF_79_SYSTEMS[view])
    chromium.wait(f"document.querySelector('{SHOWN[view]}')")
    check(chromium)


@pytest.mark.parametrize("kind", COMPONENTS)
def test_no_fault_of_accessibility_in_notebooks_and_nuggets(chromium, tmp_path, kind):
    judged = pdeval.datasets.sample_judged(queries="common")
    nuggets = pdeval.datasets.load_answers().nuggets
    scores = nuggets.drop(columns="machine").dropna().ireval.measure()
    parts = {
        "join": lambda: judged,
        "explanation": lambda: judged.explain(120, "nDCG@10", runs=["rerank-s1", "bm25"]),
        "nuggets": lambda: scores.ireval.report(answers=nuggets),
    }
    path = tmp_path / "page.html"
    address, start = "", "<!DOCTYPE html><html lang=en><title>x</title><body class=ready><main>"
    if kind == "nuggets":
        parts[kind]().save(path)
        address = "#system=rerank%2Blarge&measure=NuggetAll&against=bm25%2Bsmall&query=q01"
    else:
        path.write_text(f"{start}<h1>x</h1>{parts[kind]()._repr_html_()}</main>", encoding="utf-8")
    chromium.open(path, address)
    if kind == "nuggets":
        chromium.wait("document.querySelector('#answers')")
    else:
        chromium.wait(
            "document.querySelector('.pdeval-output > div').shadowRoot.querySelector('.ready')"
        )
    check(chromium)


def check(chromium):
    chromium.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    script = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    chromium.run(f"{script}; 0")
    found = chromium.run(
        "axe.run().then((said) => said.violations.map((one) => "
        "[one.impact, one.id, one.nodes.slice(0, 3).map((node) => node.html + node.failureSummary)]))",
        patience=PATIENCE,
    )
    assert [one for one in found if one[0] in ("serious", "critical")] == []
    assert [one[1] for one in found] == []
