"""Pages of the sample collection, and the browser that opens them."""

import base64
import json
import re
import warnings
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.report.page.data import COLUMNS, COUNTS
from tests.report.page.browser import Browser


@pytest.fixture(scope="session")
def sample():
    """The report of the sample: twelve systems with metadata, four measures, a baseline."""
    runs, qrels, metadata = pdeval.datasets.load_sample()
    given = {
        "baseline": "bm25",
        "metadata": metadata,
        "queries": "judged",
        "caption": "Sample collection",
    }
    return runs.ireval.report(qrels, ["AP", "nDCG@10", "RR", "P@10"], **given)


@pytest.fixture(scope="session")
def sample_page(sample, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "sample.html"
    sample.to_html(path, interactive=True)
    return path


DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


def collection(name):
    """Return runs and judgments of a real collection."""
    return pdeval.read_runs(DATA / name / "runs"), pdeval.read_qrels(DATA / name / "qrels.txt")


@pytest.fixture(scope="session")
def covid():
    if not DATA.is_dir():
        pytest.skip("needs the real collections at ../shared/data")
    return collection("trec-covid-r3")


@pytest.fixture(scope="session")
def covid_page(covid, tmp_path_factory):
    """The default report: 79 systems, 40 queries, five measures."""
    report = quietly(covid[0].ireval.report, covid[1], caption="TREC-COVID")
    return report.save(tmp_path_factory.mktemp("covid") / "page.html")


@pytest.fixture(scope="session")
def browser():
    one = Browser()
    yield one
    one.close()


@pytest.fixture
def chromium(browser):
    """The browser, of the usual size; at the end its console must have said nothing and it asked for its file alone."""
    yield browser.sized(1280, 900)
    assert browser.told == []
    assert [url for url in browser.asked if not url.startswith(("file:", "about:", "data:"))] == []


def data_of(page):
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[
        1
    ]
    return json.loads(text)


def unpacked(text):
    """Return the data of a packed text: JSON, or an array whose bytes are sorted by significance."""
    content = zlib.decompress(base64.b64decode(text[2:]))
    if text[:2] == "js":
        return json.loads(content)
    planes = np.frombuffer(content, dtype=np.uint8).reshape(int(text[1]), -1)
    return np.ascontiguousarray(planes.T).view(f"<{text[:2]}").ravel()


def pairs_of(origin, label):
    """Return the pairs of one measure as columns."""
    data = unpacked(next(one["data"] for one in origin["pairs"] if one["label"] == label))
    return dict(zip((*COLUMNS, *COUNTS), data.reshape(len(COLUMNS) + len(COUNTS), -1)))


def items_of(origin, query):
    """Return ids, grades, relevance and ranks (items, runs) of one query."""
    items = origin["items"]
    sizes = unpacked(items["sizes"]).astype(int)
    place = origin["queries"].index(query)
    first, last = sizes[:place].sum(), sizes[: place + 1].sum()
    n_runs = len(items["runs"])
    ranks = unpacked(items["ranks"])[first * n_runs : last * n_runs].reshape(n_runs, -1).T
    arrays = {name: unpacked(items[name])[first:last] for name in ("docs", "grades", "relevant")}
    return {**arrays, "ranks": ranks, "of": items["of"][place]}


def said_under(page):
    """Return the sentences under the table of a page."""
    notes = page.partition('<div id="notes">')[2].partition("</div>")[0]
    return " ".join(re.findall(r"<p>(.*?)</p>", notes, re.DOTALL))


def quietly(call, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return call(*args, **options)


ODD = [
    "</script><script>window.broken = 1</script>",
    "<img src=x onerror='window.broken = 1'>",
    "\"'`&amp; <b>",
    "a\x00b\x1b[2J\u2028\u202e",
    "<!--<script>",
    "]]>{{}}${window.broken = 1}",
]

HOSTILE_TEXTS = [
    "<img src=x onerror='window.broken = 1'>" + "<b>word</b> " * 9000,  # 108 kB
    "\u0645\u0631\u062d\u0628\u0627 \u202eabc \u05e9\u05dc\u05d5\u05dd",
    "javascript:window.broken = 1",
    "<svg onload='window.broken = 1'>",
]


def odd_tables():
    """Return runs and judgments whose ids are what a careless page would run."""
    runs = [(name, f"q{query}{name}", f"{item}{name}", 10.0 - item - (place + query) % 2 * item)
            for place, name in enumerate(ODD) for query in range(3) for item in range(4)]  # fmt: skip
    frame = pd.DataFrame(runs, columns=["run", "query_id", "doc_id", "score"])
    queries = frame[["query_id", "doc_id"]].drop_duplicates()
    whole = pd.concat([queries.assign(run=name, score=range(len(queries), 0, -1)) for name in ODD])
    qrels = queries.assign(relevance=[1, 0, 2, 0] * (len(queries) // 4))
    return whole[["run", "query_id", "doc_id", "score"]], qrels
