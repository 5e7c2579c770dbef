"""The text of the page: what it holds, what it says that it does not hold, and that nothing in it can break out."""

import base64
import hashlib
import html.parser
import json
import re

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.report import Cell, Column, Report
from pdeval.report.page import SCRIPTS, Page, asset
from tests.report.page.conftest import (
    ODD,
    data_of,
    items_of,
    odd_tables,
    pairs_of,
    quietly,
    said_under,
    unpacked,
)


class Elements(html.parser.HTMLParser):
    """The elements of a page, and the attributes that would load something."""

    def __init__(self, text):
        super().__init__()
        self.names, self.loads = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        self.loads += [
            (name, value)
            for name, value in attrs
            if name in ("src", "href", "srcset", "data", "action")
        ]


@pytest.mark.broad
def test_the_page_loads_nothing_and_names_no_address(sample_page):
    text = sample_page.read_text(encoding="utf-8")
    found = Elements(text)
    assert found.loads == [("href", "#table")]
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(found.names)
    addresses = set(re.findall(r"https?://[^\s\"'<>)]*", text))
    assert addresses == {"http://www.w3.org/2000/svg"}, "the name of SVG, which no browser loads"
    assert not re.search(
        r"@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket|innerHTML|\beval\(", text
    )


@pytest.mark.broad
def test_the_policy_allows_no_script_or_style_but_the_two_of_the_page(sample_page):
    text = sample_page.read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', text)[1]
    for kind, pattern in (
        ("style", r"<style>(.*?)</style>"),
        ("script", r"<script>(.*?)</script>"),
    ):
        inside = re.findall(pattern, text, re.DOTALL)
        assert len(inside) == 1
        own = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{own}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


@pytest.mark.broad
def test_the_page_holds_every_value_of_the_scores_to_the_last_bit(sample):
    origin = data_of(sample.to_html(interactive=True))["origins"][0]
    runs, qrels, _ = pdeval.datasets.load_sample()
    scores = runs.ireval.measure(qrels, ["AP"], queries="judged")
    wide = scores.pivot(index="query_id", columns="run", values="value")
    held = unpacked(origin["values"][0]).reshape(len(origin["queries"]), len(origin["systems"]))
    assert held.tolist() == wide.loc[origin["queries"], origin["systems"]].to_numpy().tolist()


@pytest.mark.broad
def test_the_pairs_of_the_page_are_those_of_compare_and_their_counts_those_of_the_scores(sample):
    origin = data_of(sample.to_html(interactive=True))["origins"][0]
    runs, qrels, _ = pdeval.datasets.load_sample()
    scores = runs.ireval.measure(qrels, ["RR"], queries="judged")
    table = scores.ireval.compare()
    pairs = pairs_of(origin, "RR")
    systems = origin["systems"]
    places = [(a, b) for a in range(len(systems)) for b in range(a + 1, len(systems))]
    wide = scores.pivot(index="query_id", columns="run", values="value")
    known = table.set_index(["run_a", "run_b"])
    for at, (a, b) in enumerate(places):
        row = known.loc[(systems[a], systems[b])]
        assert pairs["difference"][at] == pytest.approx(row["difference"], rel=1e-5, abs=1e-12)
        assert pairs["p_adjusted"][at] == pytest.approx(row["p_adjusted"], rel=1e-5)
        assert pairs["won"][at] == (wide[systems[a]] > wide[systems[b]]).sum()
        assert pairs["lost"][at] == (wide[systems[a]] < wide[systems[b]]).sum()


@pytest.mark.broad
def test_a_join_adds_preferences_to_the_pairs(sample):
    origin = data_of(sample.to_html(interactive=True))["origins"][0]
    runs, qrels, _ = pdeval.datasets.load_sample()
    means = runs.ireval.summary(qrels, "RPP", queries="judged")
    first = means[(means["run_a"] == "bm25") & (means["run_b"] == "bm25+rm3")]["mean"].item()
    pairs = pairs_of(origin, "RPP")
    assert pairs["difference"][0] == pytest.approx(first, rel=1e-5)


@pytest.mark.broad
def test_the_items_of_a_query_have_the_ranks_that_explain_gives(sample):
    origin = data_of(sample.to_html(interactive=True))["origins"][0]
    runs, qrels, _ = pdeval.datasets.load_sample()
    items = items_of(origin, "113")
    said = runs.ireval.explain(qrels, "113", "AP", queries="judged")
    assert set(items["docs"]) == set(said["doc_id"])
    wide = said.pivot(index="doc_id", columns="run", values="rank").astype(float).fillna(0)
    shown = wide.loc[items["docs"], origin["items"]["runs"]].to_numpy()
    # explain has ranks of unjudged items down to 10, the page all of them
    deep = np.isnan(items["grades"])[:, None] & (items["ranks"] > 10)
    assert np.where(deep, 0, items["ranks"]).tolist() == shown.tolist()
    assert deep.any()


@pytest.mark.broad
def test_unjudged_documents_of_the_top_ten_are_counted(sample):
    origin = data_of(sample.to_html(interactive=True))["origins"][0]
    runs, qrels, _ = pdeval.datasets.load_sample()
    first = runs.ireval.labeled(qrels, top=10)
    counts = first["relevance"].isna().groupby([first["query_id"], first["run"]]).sum().unstack()
    held = unpacked(origin["items"]["unjudged"]).reshape(len(origin["queries"]), -1)
    wanted = counts.reindex(index=origin["queries"], columns=origin["systems"]).fillna(0)
    assert held.tolist() == wanted.to_numpy().tolist()
    assert held.any()


@pytest.mark.broad
def test_a_label_of_its_writers_own_is_not_taken_for_the_measure_of_that_name():
    judged = pdeval.datasets.sample_judged(queries="common")
    strict = [pdeval.parse("AP", level=2, label="AP"), pdeval.parse("RR", label="first"), "RR"]
    origin = data_of(judged.report(strict).to_html(interactive=True))["origins"][0]
    assert origin["adds"][:2] == [None, None]
    assert origin["adds"][2]["only"] == 1


@pytest.mark.broad
def test_what_items_add_is_held_where_items_are(sample):
    origin = data_of(sample.to_html(interactive=True))["origins"][0]
    assert [one["byLevel"] for one in origin["adds"]] == [True, False, False, False]
    assert origin["users"]["label"] == "RPP"
    least = data_of(sample.to_html(interactive=True, limit=0.1))["origins"][0]
    assert "adds" not in least
    packed = len(json.dumps([origin["adds"], origin["users"]]))
    assert packed < 35_000, "it does not grow with systems, and with queries by one number each"


@pytest.mark.broad
def test_names_cannot_break_out_of_the_page():
    runs, qrels = odd_tables()
    about = pd.DataFrame({"run": ODD, "family": ODD[::-1], "kind": ["a", "b"] * 3})
    report = quietly(
        runs.ireval.report,
        qrels,
        ["AP", "RR"],
        metadata=about,
        caption=ODD[0],
        notes=ODD[1],
        marks=None,
    )
    page = report.to_html(interactive=True)
    assert Elements(page).names.count("script") == 2
    assert "img" not in Elements(page).names
    assert page.count("</script>") == 2
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u2028\u202e]", page)
    assert data_of(page)["origins"][0]["systems"] == sorted(ODD) or set(
        data_of(page)["origins"][0]["systems"]
    ) == set(ODD)


@pytest.mark.broad
def test_a_page_keeps_to_its_limit_and_says_what_it_leaves_out(sample):
    whole = sample.to_html(interactive=True)
    assert len(whole.encode()) < 250_000
    less = sample.to_html(interactive=True, limit=0.19)
    assert len(less.encode()) < 190_000 < len(whole.encode())
    assert re.search(
        r"The page has at most \d+ documents per query, relevant ones by grade and then by best rank",
        said_under(less),
    )
    least = sample.to_html(interactive=True, limit=0.15)
    assert re.search(
        r"The page has values of \d+ of 50 queries: those on which the systems differ",
        said_under(least),
    )
    assert len(least.encode()) < 150_000
    origin = data_of(least)["origins"][0]
    assert pairs_of(origin, "AP")["n"][0] == 50, "counts are over all queries"
    table_alone = sample.to_html(interactive=True, limit=0.1)
    assert "Pairs by AP, nDCG@10, RR, P@10, RPP are left out" in said_under(table_alone)
    assert "The documents are left out: the page would be larger than its limit." in said_under(
        table_alone
    )


def test_a_report_of_scores_says_that_it_has_no_items():
    scores = pdeval.datasets.sample_judged(queries="common").measure(["AP"])
    page = scores.ireval.report().to_html(interactive=True)
    assert (
        "The page has no documents of its queries: a report made from the runs and judgments"
        in said_under(page)
    )
    assert data_of(page)["origins"][0].get("items") is None
    assert len(data_of(page)["origins"][0]["queries"]) == 48


def test_a_report_of_a_summary_says_that_it_has_no_queries():
    summary = pdeval.datasets.sample_judged(queries="common").measure(["AP"]).ireval.summary()
    page = summary.ireval.report().to_html(interactive=True)
    assert "made from a summary, which has no values per query" in said_under(page)
    assert (
        "Pairs are not compared: the table has means only, and no values per query."
        in said_under(page)
    )


@pytest.mark.parametrize("kind", ["order", "matrix", "compare"])
def test_every_other_report_is_a_page_whose_cells_do_not_open(kind):
    judged = pdeval.datasets.sample_judged(queries="common")
    table = {"order": lambda: judged.order("RPP"), "compare": lambda: judged.compare("AP", baseline="bm25"),
             "matrix": lambda: judged.matrix("RPP")}[kind]()  # fmt: skip
    page = table.ireval.report().to_html(interactive=True)
    assert "its cells do not open" in said_under(page)
    assert 'class="cell"' not in page.partition("<script>")[0]


@pytest.mark.broad
def test_one_run_one_query_and_nothing_judged_are_pages_too():
    runs = pd.DataFrame(
        {"run": "a", "query_id": ["1", "1"], "doc_id": ["x", "y"], "score": [2.0, 1.0]}
    )
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["y"], "relevance": [1]})
    page = runs.ireval.report(qrels, "RR").to_html(interactive=True)
    assert "There is one system: no pair to compare." in said_under(page)
    both = pd.concat([runs, runs.assign(run="b", score=[1.0, 2.0])])
    page = both.ireval.report(qrels, "RR").to_html(interactive=True)
    assert "RR: pairs are not tested." in said_under(page)
    origin = data_of(page)["origins"][0]
    assert unpacked(origin["values"][0]).tolist() == [0.5, 1]
    assert pairs_of(origin, "RR")["lost"].tolist() == [1]
    nothing = qrels.assign(relevance=0)
    page = quietly(both.ireval.report, nothing, "P@1", queries="judged").to_html(interactive=True)
    assert unpacked(data_of(page)["origins"][0]["values"][0]).tolist() == [0, 0]


@pytest.mark.broad
def test_infinite_values_are_held_and_counted_and_not_tested():
    judged = pdeval.datasets.sample_judged(queries="common")
    page = judged.report(["AP", "TSL"]).to_html(interactive=True)
    assert "TSL: pairs are not tested." in said_under(page)
    origin = data_of(page)["origins"][0]
    values = judged.measure("TSL").pivot(index="query_id", columns="run", values="value")
    a, b = origin["systems"][:2]
    pairs = pairs_of(origin, "TSL")
    assert pairs["won"][0] == (values[a] < values[b]).sum(), "less is better"
    assert np.isnan(pairs["p_value"][0])
    assert np.isinf(unpacked(origin["values"][1])).any()


@pytest.mark.broad
@pytest.mark.parametrize("layout", ["columns", "rows", "groups"])
def test_several_collections_each_open_their_own(layout):
    runs, qrels, _ = pdeval.datasets.load_sample()
    both = [
        frame.assign(collection=np.where(frame["query_id"].astype(str) < "120", "early", "late"))
        for frame in (runs, qrels)
    ]
    report = both[0].ireval.report(
        both[1], ["AP", "RR"], queries="judged", baseline="bm25", by="collection", layout=layout
    )
    page = report.to_html(interactive=True)
    data = data_of(page)
    assert "The page has no documents" not in said_under(page)
    for origin in data["origins"]:
        items = items_of(origin, origin["queries"][0])
        own = qrels[qrels["query_id"].astype(str) == origin["queries"][0]]
        grades = dict(zip(own["doc_id"], own["relevance"].astype(float)))
        wanted = [grades.get(doc, np.nan) for doc in items["docs"]]
        np.testing.assert_array_equal(items["grades"], wanted)
        assert set(grades) <= set(items["docs"])
    assert [one["name"] for one in data["facets"]] == (["collection"] if layout == "groups" else [])
    assert [one["title"] for one in data["origins"]] == ["early", "late"]
    assert sum(len(one["queries"]) for one in data["origins"]) == 50
    assert {cell.place[0] for row in report.rows for cell in row if cell.place} == {0, 1}
    for row in report.rows:
        for cell in row:
            if cell.place:
                origin, measure, system = cell.place
                assert report.origins[origin].table.mean[measure, system] == cell.value


@pytest.mark.broad
@pytest.mark.extras
def test_the_page_of_collections_on_dask_is_that_of_pandas():
    dask = pytest.importorskip("dask.dataframe")
    pytest.importorskip("pdeval.dask.accessor")
    runs, qrels, _ = pdeval.datasets.load_sample()
    both = [
        frame.assign(collection=np.where(frame["query_id"].astype(str) < "120", "early", "late"))
        for frame in (runs[runs["run"].isin(["bm25", "hybrid", "tfidf"])], qrels)
    ]
    given = {"by": "collection", "queries": "judged", "baseline": "bm25"}
    here = both[0].ireval.report(both[1], ["AP"], **given).to_html(interactive=True)
    there = (
        dask.from_pandas(both[0], npartitions=3)
        .ireval.report(both[1], ["AP"], **given)
        .to_html(interactive=True)
    )
    assert "The page has all judged documents and the first 10" in said_under(here)
    assert "The page has only judged documents" in said_under(there), "the rows are on the workers"
    for one, other in zip(data_of(here)["origins"], data_of(there)["origins"]):
        same = ("systems", "measures", "queries", "values", "pairs", "adds", "users")
        assert [one[name] for name in same] == [other[name] for name in same]
        items, others = (items_of(origin, one["queries"][0]) for origin in (one, other))
        judged = items["grades"] >= 0
        assert np.array(items["docs"])[judged].tolist() == others["docs"]
        assert items["ranks"][judged].tolist() == others["ranks"].tolist()


@pytest.mark.broad
def test_preferences_of_several_collections_open_their_items_too():
    runs, qrels, _ = pdeval.datasets.load_sample()
    both = [
        frame.assign(collection=np.where(frame["query_id"].astype(str) < "120", "early", "late"))
        for frame in (runs[runs["run"].isin(["bm25", "hybrid", "tfidf"])], qrels)
    ]
    report = both[0].ireval.report(both[1], "RPP", by="collection", level=2)
    data = data_of(report.to_html(interactive=True))
    for origin in data["origins"]:
        assert origin["items"]["runs"] == ["bm25", "hybrid", "tfidf"]
        items = items_of(origin, origin["queries"][0])
        assert items["grades"][items["relevant"] > 0].min() == 2


@pytest.mark.broad
def test_without_definite_ranks_the_page_has_no_preferences():
    judged = pdeval.datasets.sample_judged(queries="common", ties="expected")
    page = judged.report(["AP", "nDCG@10"]).to_html(interactive=True)
    (origin,) = data_of(page)["origins"]
    assert [pairs["label"] for pairs in origin["pairs"]] == ["AP", "nDCG@10"]
    assert origin["users"] is None
    assert "The page has only judged documents" in said_under(page)


def test_replicates_have_a_column_each_in_their_items():
    runs, qrels, metadata = pdeval.datasets.load_sample()
    named = runs.merge(metadata[["run", "model", "seed"]], on="run").drop(columns="run")
    kept = named[named["model"].isin(["dense", "rerank"])].assign(
        seed=lambda one: one["seed"].astype(int)
    )
    assert len(kept)
    report = quietly(
        kept.ireval(run=["model", "seed"]).report, qrels, "AP", replicate="seed", queries="judged"
    )
    origin = data_of(report.to_html(interactive=True))["origins"][0]
    assert len(origin["items"]["runs"]) > len(origin["systems"])
    assert [one["label"] for one in origin["pairs"]] == ["AP"]


@pytest.mark.broad
def test_a_page_shows_itself_in_a_notebook_and_says_its_size_elsewhere(sample):
    page = sample.to_html(interactive=True)
    assert isinstance(page, Page)
    assert re.fullmatch(r"<Page: 0\.2 MB of HTML; .*>", repr(page))
    frame = page._repr_html_()
    assert frame.startswith('<iframe title="Interactive report" sandbox="allow-scripts')
    assert frame.count("<") == 2, "the page inside it is a text"


@pytest.mark.broad
def test_the_file_is_what_is_returned(sample, tmp_path):
    text = sample.to_html(tmp_path / "page.html", interactive=True)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
    table = sample.to_html(tmp_path / "table.html")
    assert (tmp_path / "table.html").read_text(encoding="utf-8") == table + "\n"


def test_the_parts_of_the_script_are_short():
    for name in (*(f"{one}.js" for one in SCRIPTS), "page.css"):
        assert len(asset(name).splitlines()) < 300, name


def test_a_table_by_hand_is_a_page():
    table = Report((Column("run", "System", numeric=False), Column("AP", "AP", spread=("sd",))),
                   ((Cell("x", "x"), Cell(np.float64(0.5), "0.5", "best", "a", (0.1,), ("0.1",))),))  # fmt: skip
    page = table.to_html(interactive=True)
    assert "1 row, 2 columns" in page
    assert data_of(page)["facets"] == []
    assert 'data-value="0.5"' in page


def test_a_limit_that_is_none_is_refused(sample):
    for limit in (0, -1, True, float("nan")):
        with pytest.raises(ValueError, match=r"limit=.* a number above 0\."):
            sample.to_html(interactive=True, limit=limit)


@pytest.mark.broad
def test_metadata_that_lack_a_run_leave_a_dash(sample):
    runs, qrels, metadata = pdeval.datasets.load_sample()
    some = metadata[metadata["run"] != "ql"]
    page = runs.ireval.report(qrels, "AP", metadata=some, queries="judged").to_html(
        interactive=True
    )
    family = next(one for one in data_of(page)["facets"] if one["name"] == "family")
    systems = data_of(page)["origins"][0]["systems"]
    assert family["values"][family["rows"][systems.index("ql")]] == "–"
