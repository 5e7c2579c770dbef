"""What a page computes from ranks and grades is what `explain` gives, item by item."""

import numpy as np
import pytest

import pdeval
from pdeval.evaluate.contributions import PRODUCTS, factors, users
from pdeval.evaluate.ranked_items import ranked_items

ASKED = [
    "AP", "AP@10", "AP(norm=min)@5", "AP(level=2)", "P@5", "P(level=2)@10", "R@20", "R", "RBP", "RBP(p=0.5)@4",
    "RBP(p=0)", "RR", "RR(i=2)", "RR@3", "DCG@10", "DCG(discount=jk,base=5)", "nDCG", "nDCG@10", "nDCG(gain=exp)@5",
    "nDCG(level=2)", "nDCG(discount=zipf)",
]  # fmt: skip
UNKNOWN = ["Bpref", "F@10", "P", "ERR", "TSL", "AP(judged_only=true)", "Success@5", "GMAP"]


@pytest.fixture(scope="module")
def judged():
    return pdeval.datasets.sample_judged(queries="common")


def explained(judged, query, measure):
    """Return what explain says that each item adds, (items, runs) in the order of the items of a page."""
    items = ranked_items(judged).of_query(query)
    said = judged.explain(query, measure).pivot(index="doc_id", columns="run", values=measure)
    return said.reindex(items.docs)[judged.runs["run"]].fillna(0.0).to_numpy(), items


@pytest.mark.broad
@pytest.mark.parametrize("measure", ASKED)
def test_what_items_add_is_what_explain_gives(judged, measure):
    found = factors(judged, pdeval.parse(measure, label=measure))
    for query in ("101", "113", "137"):
        wanted, items = explained(judged, query, measure)
        topic = judged.queries.get_loc(query)
        np.testing.assert_allclose(
            found.added(topic, items.grades, items.ranks), wanted, rtol=0, atol=1e-14
        )
        assert wanted.any()


def test_every_product_is_tried_here():
    assert {pdeval.parse(measure).entry.name for measure in ASKED} == set(PRODUCTS)


@pytest.mark.parametrize("measure", UNKNOWN)
def test_what_ranks_do_not_tell_has_no_factors(judged, measure):
    assert factors(judged, pdeval.parse(measure)) is None


def test_the_level_of_the_call_counts():
    strict = pdeval.datasets.sample_judged(queries="common", level=2)
    assert factors(strict, pdeval.parse("AP")).gain == {2.0: 1.0, 3.0: 1.0}
    wanted, items = explained(strict, "113", "AP")
    found = factors(strict, pdeval.parse("AP")).added(
        strict.queries.get_loc("113"), items.grades, items.ranks
    )
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14)


def test_expected_values_over_ties_have_no_factors():
    runs, qrels, _ = pdeval.datasets.load_sample()
    joined = runs.ireval.join(qrels, ties="expected", queries="common")
    assert factors(joined, pdeval.parse("AP")) is None


@pytest.mark.parametrize(
    "measure", ["RPP", "RPP(grades=uniform)", "dcgRPP", "RPP(level=2)", "invRPP(grades={2:1})"]
)
def test_users_and_weights_are_those_of_the_explanation(judged, measure):
    found, weighed = users(judged, pdeval.parse(measure, label=measure))
    said = judged.explain("113", measure, runs=["hybrid", "bm25"])
    topic = judged.queries.get_loc("113")
    items = ranked_items(judged).of_query("113")
    wanted = {}
    for one in found:
        if one.share[topic]:
            size = int((items.grades >= one.least).sum())
            wanted[one.name] = (one.share[topic] * weighed[size]).tolist()
    assert list(wanted) == said["population"].drop_duplicates().tolist()
    for name, own in said.groupby("population"):
        assert own["weight"].tolist() == pytest.approx(wanted[name], abs=1e-15)


@pytest.mark.parametrize("measure", ["sgnLP", "ST-RPP", "OI", "RPP(judged_only=true)"])
def test_other_preferences_are_not_told_by_ranks(measure):
    judged = pdeval.datasets.sample_judged(subtopics=True, queries="common")
    assert users(judged, pdeval.parse(measure)) is None
