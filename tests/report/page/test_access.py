"""Whether everybody can use the page: axe-core finds no fault in light, in dark, on a phone, whatever is open."""

from importlib import resources

import pytest

from tests.report.page.browser import needs_chromium

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
SHOWN = {
    "table": "table tbody button.cell",
    "queries": "#panel table.queries",
    "items": "table.items",
    "pairs": "table.square",
    "hard queries": "#query-table",
    "found": "#found button.link",
    "reference": "#table.own-marks",
}


@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (1280, True), (380, False)], ids=["light", "dark", "narrow"]
)
@pytest.mark.parametrize("view", OPEN)
def test_no_serious_fault_of_accessibility(chromium, sample_page, view, width, dark):
    chromium.sized(width, 900, dark=dark).open(sample_page, OPEN[view])
    chromium.wait(f"document.querySelector('{SHOWN[view]}')")
    chromium.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    script = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    chromium.run(f"{script}; 0")
    found = chromium.run(
        "axe.run().then((said) => said.violations.map((one) => "
        "[one.impact, one.id, one.nodes.slice(0, 3).map((node) => node.html + node.failureSummary)]))"
    )
    assert [one for one in found if one[0] in ("serious", "critical")] == []
    assert [one[1] for one in found] == []
