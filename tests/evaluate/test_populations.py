"""Who the users are: shares of grades, subtopics and the background, as parameters of a preference."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.scores import Views, populations
from tests import naive

# X ranks B, C, D, A; Y ranks A, D, B, C (methods section 2): grade >= 1 gives +1/3, grade >= 2 gives -1
LISTS = {"X": {"q": ["B", "C", "D", "A"]}, "Y": {"q": ["A", "D", "B", "C"]}}
GRADES = {"q": {"A": 2, "B": 1, "C": 1}}


@pytest.fixture(scope="module")
def joined():
    return naive.table(LISTS).ireval.join(naive.judgments(GRADES))


@pytest.fixture(scope="module")
def subtopics():
    """t1 wants A, t2 wants A, B and C; X finds A at 4, B and C at 1, 2; Y finds A at 1, B and C at 3, 4."""
    rows = [
        ("q", "t1", "A", 1),
        ("q", "t2", "A", 1),
        ("q", "t2", "B", 1),
        ("q", "t2", "C", 1),
        ("q", "t3", "D", 1),
    ]
    qrels = pd.DataFrame(rows, columns=["query_id", "subtopic", "doc_id", "relevance"])
    return naive.table(LISTS).ireval.join(qrels)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("RPP", (3 * (1 / 3) - 1) / 4),
        ("RPP(grades=items)", 0.0),
        ("RPP(grades=uniform)", (1 / 3 - 1) / 2),
        ("RPP(grades={1:3,2:1})", (3 * (1 / 3) - 1) / 4),
        ("RPP(grades={1:1})", 1 / 3),
        ("RPP(grades={1:0,2:1})", -1.0),
        ("invRPP(grades={1:1})", (1 / 2) / (1 + 1 / 2 + 1 / 3)),  # 1, 2, 4 against 1, 3, 4
    ],
)
def test_the_grades_users_want_are_weighed_by_items_equally_or_by_name(joined, measure, value):
    assert joined.prefer(measure, pairs=[("X", "Y")])["value"].tolist() == pytest.approx(
        [value], abs=1e-15
    )


# any: X 1, 2, 3, 4 against Y 1, 2, 3, 4: 0. t1: -1. t2: 1, 2, 4 against 1, 3, 4: +1/3. t3: 3 against 2: -1
@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("ST-RPP", (0 - 1 + 1 - 1) / 9),
        ("ST-RPP(background=0)", (-1 + 1 - 1) / 5),
        ("ST-RPP(background=2)", (0 - 1 + 1 - 1) / 13),
        ("ST-RPP(subtopics=uniform)", (0 - 1 + 1 / 3 - 1) / 4),
        ("ST-RPP(subtopics=uniform,background=0)", (-1 + 1 / 3 - 1) / 3),
        ("ST-RPP(subtopics={'t1':1,'t2':3},background=0)", (-1 + 3 * (1 / 3)) / 4),
        ("ST-RPP(subtopics={'t2':1})", (0 + 1 / 3) / 2),
    ],
)
def test_the_subtopics_users_want_are_weighed_by_items_equally_or_by_name(
    subtopics, measure, value
):
    assert subtopics.prefer(measure, pairs=[("X", "Y")])["value"].tolist() == pytest.approx(
        [value], abs=1e-15
    )


@pytest.mark.parametrize("measure", ["RPP(grades=uniform)", "dcgRPP(grades={1:1,2:5})", "RPP"])
def test_shares_of_a_querys_users_add_up_to_one(measure):
    judged = pdeval.datasets.sample_judged()
    shares = sum(share for _, share, _ in populations(Views(judged), pdeval.parse(measure)))
    np.testing.assert_allclose(shares[judged.counted().any(axis=1)], 1.0, rtol=0, atol=1e-15)


def test_a_query_without_any_of_the_grades_is_a_tie():
    lists = {"x": {"1": ["a"], "2": ["b"]}, "y": {"1": ["n", "a"], "2": ["n", "b"]}}
    judged = naive.table(lists).ireval.join(naive.judgments({"1": {"a": 1}, "2": {"b": 2}}))
    assert judged.prefer("RPP(grades={2:1})")["value"].tolist() == [0.0, 1.0]


def test_win_rates_know_the_populations():
    judged = pdeval.datasets.sample_judged(queries="common")
    orders = judged.order("RPP(grades=uniform)", method="winrate")
    prefs = judged.prefer("RPP(grades=uniform)")
    turned = prefs.assign(run_a=prefs["run_b"], run_b=prefs["run_a"], value=-prefs["value"])
    both = pd.concat([prefs.astype({"run_a": str}), turned.astype({"run_a": str})])
    wins = both.groupby("run_a")["value"].sum() / prefs["query_id"].nunique()
    best = wins.sort_values(ascending=False).index.tolist()
    assert orders.sort_values("rank")["run"].astype(str).tolist() == best


@pytest.mark.parametrize(
    ("measure", "kind", "text"),
    [
        (
            "RPP(grades={1:1,9:1})",
            KeyError,
            "gives a weight to grade 9, which no relevant item has; there are 1, 2",
        ),
        ("RPP(grades=some)", ValueError, "use 'items' .as many users as items., 'uniform', or"),
        (
            "RPP(grades={1:-1})",
            ValueError,
            "weights of users must be non-negative numbers, not all 0",
        ),
        (
            "RPP(grades={1:0})",
            ValueError,
            "weights of users must be non-negative numbers, not all 0",
        ),
        ("RPP(grades={1:'x'})", ValueError, "weights of users must be non-negative numbers"),
        (
            "RPP(grades=uniform,level=1)",
            ValueError,
            "with level=1 relevance is binary, so grades= has no thresholds",
        ),
        ("RPP(background=0)", KeyError, "RPP has no parameter 'background'"),
        ("ST-RPP(background=-1)", ValueError, "expected a number between 0 and inf"),
        ("ST-RPP(subtopics=all)", ValueError, "use 'items'"),
    ],
)
def test_populations_that_nobody_can_be_in_are_refused(joined, measure, kind, text):
    with pytest.raises(kind, match=text):
        joined.prefer(measure)


def test_subtopics_that_are_not_judged_are_refused_by_name(subtopics):
    with pytest.raises(
        KeyError,
        match="gives a weight to subtopic t9, which no relevant item has; there are t1, t2",
    ):
        subtopics.prefer("ST-RPP(subtopics={'t9':1})")


# expected utility


def test_the_expected_precision_of_equally_many_users_is_average_precision():
    judged = pdeval.datasets.sample_judged(level=1, queries="common")
    scores = judged.measure(["AP", "EU"]).pivot(
        index=["run", "query_id"], columns="measure", values="value"
    )
    np.testing.assert_allclose(scores["EU"], scores["AP"], rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        # grade >= 1: X 1, 2, 4; grade >= 2: 4
        ("EU", (3 * ((1 + 1 + 3 / 4) / 3) + 1 / 4) / 4),
        ("EU(grades=uniform)", ((1 + 1 + 3 / 4) / 3 + 1 / 4) / 2),
        ("EU(grades={1:1})", (1 + 1 + 3 / 4) / 3),
        ("EU(utility=reciprocal,grades={1:1})", (1 + 1 / 2 + 1 / 4) / 3),
        ("EU(utility=log,grades={2:1})", 1 / np.log2(5)),
        ("EU(level=2)", 1 / 4),
    ],
)
def test_expected_utility_is_the_mean_over_who_wants_what(joined, measure, value):
    scores = joined.measure(measure)
    assert scores[scores["run"] == "X"]["value"].tolist() == pytest.approx([value], abs=1e-15)


def test_expected_utility_of_subtopics_has_a_background(subtopics):
    # any: 1, 2, 3, 4; t1: 4; t2: 1, 2, 4; t3: 3
    parts = {"any": (1.0, 4), "t1": (1 / 4, 1), "t2": ((1 + 1 + 3 / 4) / 3, 3), "t3": (1 / 3, 1)}
    scores = subtopics.measure(["ST-EU", "ST-EU(background=0)"])
    found = scores[scores["run"] == "X"]["value"].tolist()
    whole = sum(value * n for value, n in parts.values()) / 9
    named = sum(value * n for name, (value, n) in parts.items() if name != "any") / 5
    assert found == pytest.approx([whole, named], abs=1e-15)


def test_a_mean_over_populations_has_no_residual():
    judged = pdeval.datasets.sample_judged(queries="common")
    with pytest.raises(
        ValueError, match="EU has no residual: it is a mean over users who want different items"
    ):
        judged.pool.bounds("EU")
