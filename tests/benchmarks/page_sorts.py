"""How large a page is and how long it takes to sort, measured inside the browser.

    python -m tests.benchmarks.page_sorts ../shared/data/trec-covid-r3

The folder has runs/ and qrels.txt. Times are of the script and the layout together, for each header twice.
"""

import sys
import tempfile
import warnings
from pathlib import Path
from statistics import median

import pdeval
from tests.report.page.browser import Browser

SORTS = """(() => {
  const heads = [...document.querySelectorAll("button.sort")];
  return [...heads, ...heads].map((head) => {
    const start = performance.now();
    head.click();
    document.body.offsetHeight;
    return performance.now() - start;
  });
})()"""


def busy(browser):
    """Return the seconds of processor time that the page has taken: its script, styles and layout."""
    said = {one["name"]: one["value"] for one in browser.ask("Performance.getMetrics")["metrics"]}
    return said["TaskDuration"]


def main(folder):
    """Print the size of the page of a collection, and the times of its sorts in milliseconds."""
    warnings.simplefilter("ignore", UserWarning)
    runs, qrels = (
        pdeval.read_runs(folder / "runs", progress=False),
        pdeval.read_qrels(folder / "qrels.txt"),
    )
    report = runs.ireval.report(qrels, ["nDCG@10", "AP", "RR", "P@5", "R@100"])
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "page.html"
        report.to_html(path, interactive=True)
        browser = Browser()
        try:
            browser.ask("Performance.enable", timeDomain="threadTicks")
            browser.sized(1400, 900).open(path)
            before = busy(browser)
            times = browser.run(SORTS)
            own = 1000 * (busy(browser) - before) / len(times)
        finally:
            browser.close()
        print(f"{len(report.rows)} systems, {path.stat().st_size / 1e6:.2f} MB")
    print(
        f"a sort: {own:.0f} ms of processor time; {median(times):.0f} ms on the clock, slowest {max(times):.0f} ms"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
