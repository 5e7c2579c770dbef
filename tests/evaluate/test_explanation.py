import math
from dataclasses import replace

import numpy as np
import pytest

import pdeval
from pdeval.catalog import ENTRIES, parse
from pdeval.evaluate.explain import explain
from pdeval.evaluate.scores import Views
from pdeval.join.blocks import View
from pdeval.join.judged import Judged
from tests import naive
from tests.plain_measures import METRICS

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


SAMPLED = METRICS
CUT = [
    f"{name}@5" for name in SAMPLED if ENTRIES[name].at == "k" and "k" in ENTRIES[name].parameters
]

ENDLESS = {"ISL", "ESL", "TSL"}  # infinite when nothing is found, so that no sum reaches them


@pytest.fixture(scope="module")
def sample():
    return pdeval.datasets.sample_runs().ireval.join(pdeval.datasets.sample_qrels(subtopics=True))


def of_nothing(positions, measure):
    """Return the value of every run on every query, were none of the items found that the measure looks at."""
    kind = "judged" if measure == "NumNonrelRet" else parse(measure).entry.kind
    seen = np.isin(positions.item, View(positions, kind).items)
    rest = {
        name: getattr(positions, name)[~seen] for name in ("item", "run", "rank", "start", "size")
    }
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


@pytest.mark.parametrize("level", [None, 2])
def test_items_judged_not_relevant_add_themselves_to_their_number(
    sample, level
):  # issue 12, item 29
    judged = sample.at(level=level, topics="answered")
    frame = judged.explain("101", "NumNonrelRet", runs="bm25")
    value = (
        judged.measure("NumNonrelRet").query("run == 'bm25' and query_id == '101'")["value"].item()
    )
    assert frame["NumNonrelRet"].sum() == value > 0
    added = frame[frame["NumNonrelRet"] > 0]
    assert added["relevance"].between(0, (level or 1) - 1).all()
    assert np.isfinite(added["rank"]).all()


@pytest.mark.filterwarnings("error")
def test_the_item_that_ends_an_endless_search_stands_out(joined):
    frame = explain(joined, "q1", ["ISL", "TSL"])
    assert frame["ISL"].tolist() == [-inf, 0, 0, -inf, 0, 0]
    assert frame["TSL"].tolist() == [0, 0, 0, 0, 0, -inf]


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@10", "RR", "RBP"])
def test_contributions_to_expected_values_add_up_too(measure):
    joined = pdeval.datasets.sample_runs().ireval.join(
        pdeval.datasets.sample_qrels(), ties="expected"
    )
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
    qrels = naive.judgments(GRADES).rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    )
    frame = runs.ireval.explain(qrels, "q1", "AP")
    assert list(frame) == ["run", "qid", "docno", "label", "rank", "AP"]


@pytest.mark.parametrize(
    ("query", "measures", "kind", "text"),
    [
        ("q9", "AP", KeyError, "no judged query 'q9'; the judged queries are 'q1', 'q2', 'q3'"),
        (1, "AP", KeyError, "no judged query 1"),
    ],
)
def test_an_account_of_nothing_is_refused(joined, query, measures, kind, text):
    with pytest.raises(kind, match=text):
        explain(joined, query, measures)


def test_an_account_for_an_unknown_run_is_refused(joined):
    with pytest.raises(KeyError, match="no run 'z'"):
        explain(joined, "q1", "AP", runs="z")


def test_items_stand_in_rank_order_and_those_not_found_by_grade():
    lists = {"y": {"q": ["c", "n", "a"]}, "x": {"q": ["f"]}}
    grades = {"q": {"a": 1, "b": 2, "c": 0, "d": 3, "e": 2, "f": 1, "g": 0}}
    frame = explain(naive.table(lists).ireval.join(naive.judgments(grades)), "q", "AP")
    rows = frame.groupby("run", observed=True)["doc_id"].agg("".join).to_dict()
    # what is found by rank, whatever its grade; then the best grades first, equal ones by id
    assert rows == {"x": "fdbeacg", "y": "cadbefg"}
    assert frame["run"].tolist() == ["x"] * 7 + ["y"] * 7
    assert frame.index.tolist() == list(range(14))
