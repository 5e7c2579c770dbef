import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import ENTRIES, parse
from pdeval.evaluate.contributions import disaggregate, explain
from pdeval.evaluate.scores import Views
from pdeval.judged.blocks import View
from pdeval.judged.judged import Judged
from tests import naive
from tests.ruled import ruled

inf = math.inf
# q1: x finds the relevant items at 1, 3, never; y at 2, 3, 4. The pool of q1 has 8 items: a, b, c, five others
LISTS = {
    "x": {"q1": ["a", "n1", "b", "n2"], "q2": ["e"]},
    "y": {"q1": ["n3", "c", "b", "a", "n4", "n5"], "q2": ["f", "e"]},
}
GRADES = {"q1": {"a": 1, "b": 2, "c": 1}, "q2": {"e": 1}, "q3": {"z": 0}}


@pytest.fixture(scope="module")
def joined():
    return naive.table(LISTS).ireval.join(naive.judgments(GRADES))


LG = math.log2
TERMS = {
    "RBP(p=0.5)": [0.5 - 0.25, 0.0, 0 - 0.5**4],
    "AP": [1 - 1 / 2, 0.0, 3 * (0 - 1 / 4)],
    "AP@3": [1 - 1 / 2, 0.0, 0.0],
    "nDCG": [1 - 1 / LG(3), 0.0, -1 / LG(5)],
    "DCG@3": [1 - 1 / LG(3), 0.0, 0.0],
    "RR": [1 / 2, 0.0, 0.0],
    "RR(i=3)": [0.0, 0.0, -1 / 4],
    "ISL": [1.0, 0.0, 0.0],
    "TSL": [0.0, 0.0, 4.0 - 8.0],
    "ASL": [1.0, 0.0, 4.0 - 8.0],
    "RPP": [1.0, 0.0, -1.0],
}


@pytest.mark.parametrize("measure", TERMS)
def test_each_recall_level_contributes_its_term(joined, measure):
    frame = ruled(disaggregate)(joined.positions, measure)
    q1 = frame[frame["query_id"] == "q1"]
    assert q1["value"].tolist() == pytest.approx(TERMS[measure], abs=1e-15)
    assert q1["recall"].tolist() == [1, 2, 3]
    assert set(q1["measure"]) == {measure}


def test_the_frame_is_tidy_and_sorted(joined):
    frame = ruled(disaggregate)(joined.positions, ["RPP", "AP"])
    assert list(frame) == ["query_id", "run_a", "run_b", "measure", "recall", "value"]
    keys = frame.astype({"query_id": str, "measure": str})[["query_id", "measure", "recall"]].values.tolist()
    assert keys == [
        ["q1", "RPP", 1], ["q1", "RPP", 2], ["q1", "RPP", 3], ["q1", "AP", 1], ["q1", "AP", 2], ["q1", "AP", 3],
        ["q2", "RPP", 1], ["q2", "AP", 1],
    ]  # fmt: skip
    assert frame.attrs["topics"] == "relevant"


def test_terms_add_up_to_the_difference_of_the_measure():
    joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels()).at(level=1, topics="common")
    names = ["AP", "RR", "RPP"]
    terms = joined.disaggregate(names, baseline="bm25")
    sums = terms.groupby(["query_id", "run_a", "measure"], observed=True, sort=False)["value"].sum()
    sizes = terms.groupby(["query_id", "run_a", "measure"], observed=True, sort=False)["recall"].max()
    parts = np.where(sums.index.get_level_values("measure") == "RR", sums, sums / sizes)
    wanted = joined.prefer(names, baseline="bm25").set_index(["query_id", "run_a", "measure"])["value"]
    np.testing.assert_allclose(pd.Series(parts, sums.index).loc[wanted.index], wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("choice", [{"baseline": "x"}, {"pairs": [("y", "x")]}])
def test_pairs_may_be_chosen(joined, choice):
    frame = ruled(disaggregate)(joined.positions, "RPP", **choice)
    assert frame["value"].tolist() == [-1.0, 0.0, 1.0, -1.0]
    assert (set(frame["run_a"]), set(frame["run_b"])) == ({"y"}, {"x"})


def test_the_level_chooses_the_items(joined):
    assert ruled(disaggregate)(joined.positions, "RPP", level=2)["value"].tolist() == [0.0]


@pytest.mark.parametrize(
    ("measures", "rules", "text"),
    [
        ("bpref", {}, r"Bpref is no sum over recall levels; disaggregate knows RBP, AP, nDCG"),
        ("nDCG(gain=exp)", {}, r"nDCG\(gain=exp\).*binary relevance.*leave out gain"),
        (parse("RPP", weight=[1, 2, 3]), {}, "leave out weight"),
        ("ASL@g1-2", {}, "leave out n"),
        ("RPP", {"level": 9}, "no judged query has an item with a grade of at least 9"),
    ],
)
def test_what_is_no_sum_over_levels_is_refused(joined, measures, rules, text):
    with pytest.raises(ValueError, match=text):
        ruled(disaggregate)(joined.positions, measures, **rules)


# explain


def test_an_account_of_one_query_by_hand(joined):
    frame = explain(joined, "q1", ["AP", "RR", "P@2"])
    assert list(frame) == ["run", "query_id", "doc_id", "relevance", "rank", "AP", "RR", "P@2"]
    rows = frame.astype({"run": str, "query_id": str}).values.tolist()
    assert rows == [
        ["x", "q1", "a", 1, 1.0, pytest.approx(1 / 3), 1.0, 0.5],
        ["x", "q1", "b", 2, 3.0, pytest.approx(2 / 9), 0.0, 0.0],
        ["x", "q1", "c", 1, inf, 0.0, 0.0, 0.0],
        ["y", "q1", "c", 1, 2.0, pytest.approx(1 / 6), 0.5, 0.5],
        ["y", "q1", "b", 2, 3.0, pytest.approx(2 / 9), 0.0, 0.0],
        ["y", "q1", "a", 1, 4.0, pytest.approx(1 / 4), 0.0, 0.0],
    ]


SAMPLED = [name for name, entry in ENTRIES.items() if entry.family == "metric"]
CUT = [f"{name}@5" for name in SAMPLED if ENTRIES[name].at == "k" and "k" in ENTRIES[name].parameters]

ENDLESS = {"ISL", "ESL", "TSL"}  # infinite when nothing is found, so that no sum reaches them


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels(subtopics=True))


def of_nothing(positions, measure):
    """Return the value of every run on every query, were none of the items found that the measure looks at."""
    seen = np.isin(positions.item, View(positions, parse(measure).entry.kind).items)
    rest = {name: getattr(positions, name)[~seen] for name in ("item", "run", "rank", "start", "size")}
    return Views(Judged(replace(positions, **rest))).values(parse(measure))


@pytest.mark.parametrize("measure", [name for name in [*SAMPLED, *CUT] if name not in ENDLESS])
def test_contributions_add_up_to_the_measure_less_its_value_when_nothing_is_found(sample, measure):
    values = Views(sample).values(parse(measure))
    nothing = of_nothing(sample.positions, measure)
    for query in ("101", "118", "150"):
        at = sample.positions.queries.get_loc(query)
        frame = sample.explain(query, measure)
        sums = frame.groupby("run", observed=True)[parse(measure).label].sum().to_numpy()
        np.testing.assert_allclose(sums, values[at] - nothing[at], rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("error")
def test_the_item_that_ends_an_endless_search_stands_out(joined):
    frame = explain(joined, "q1", ["ISL", "TSL"])
    assert frame["ISL"].tolist() == [-inf, 0, 0, -inf, 0, 0]
    assert frame["TSL"].tolist() == [0, 0, 0, 0, 0, -inf]


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@10", "RR", "RBP"])
def test_contributions_to_expected_values_add_up_too(measure):
    joined = pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels(), ties="expected")
    values = Views(joined).values(parse(measure))
    at = joined.positions.queries.get_loc("101")
    sums = joined.explain("101", measure).groupby("run", observed=True)[measure].sum().to_numpy()
    np.testing.assert_allclose(sums, values[at], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("runs", "wanted"),
    [("bm25", ["bm25"]), (["ql", "bm25"], ["bm25", "ql"]), (None, 12), (("ql",), ["ql"])],
)
def test_runs_may_be_chosen(sample, runs, wanted):
    held = sample.explain("101", "AP", runs=runs)["run"].unique().tolist()
    assert held == wanted or len(held) == wanted


def test_the_level_changes_what_counts_as_relevant(sample):
    whole = sample.explain("101", "AP", runs="bm25")
    strict = sample.at(level=3).explain("101", "AP", runs="bm25")
    assert (strict.loc[strict["relevance"] < 3, "AP"] == 0).all()
    assert len(whole) == len(strict)


def test_the_callers_names_are_kept():
    runs = naive.table(LISTS).rename(columns={"query_id": "qid", "doc_id": "docno"})
    qrels = naive.judgments(GRADES).rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    frame = runs.ireval.explain(qrels, "q1", "AP")
    assert list(frame) == ["run", "qid", "docno", "label", "rank", "AP"]


@pytest.mark.parametrize(
    ("query", "measures", "kind", "text"),
    [
        ("q9", "AP", KeyError, "no judged query 'q9'; the judged queries are 'q1', 'q2', 'q3'"),
        (1, "AP", KeyError, "no judged query 1"),
        ("q1", "RPP", ValueError, "RPP is a preference, not a measure of one ranking"),
    ],
)
def test_an_account_of_nothing_is_refused(joined, query, measures, kind, text):
    with pytest.raises(kind, match=text):
        explain(joined, query, measures)


def test_an_account_for_an_unknown_run_is_refused(joined):
    with pytest.raises(KeyError, match="no run 'z'"):
        explain(joined, "q1", "AP", runs="z")
