"""Exposure of stochastic rankings and of groups of items: worked values, and those of expeval."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval import kernels

QRELS = pd.DataFrame({"query_id": "q", "doc_id": list("abc"), "relevance": [1, 1, 0]})
GRADED = pd.DataFrame({"query_id": "q", "doc_id": list("abcd"), "relevance": [2, 1, 1, 0]})


def samples(*rankings, run="r"):
    rows = [
        (run, sample, "q", doc, rank)
        for sample, ranking in enumerate(rankings)
        for rank, doc in enumerate(ranking, start=1)
    ]
    frame = pd.DataFrame(rows, columns=["run", "sample", "query_id", "doc_id", "rank"])
    return frame.ireval(run=["run", "sample"])


def values(runs, qrels, **options):
    return runs.expected_exposure(qrels, **options)["value"].tolist()


@pytest.mark.parametrize(
    ("rankings", "qrels", "patience", "expected"),
    [
        (["abc"], QRELS, 0.5, [0.125, 1.3125, 1.1875]),
        (["abc", "bac"], QRELS, 0.5, [0, 1.1875, 1.1875]),
        (["baxc", "acbd"], GRADED, 0.8, [0.192032, 2.080672, 2.093792]),
    ],
)
def test_expected_exposure_of_worked_rankings(rankings, qrels, patience, expected):
    found = values(samples(*rankings), qrels, model="rbp", patience=patience)
    assert found == pytest.approx(expected, abs=1e-12)


# github.com/diazf/expeval, commit 69ab070, on the rankings b a x c and a c b d, grades a 2, b 1, c 1, d 0, and groups
# a 1, b 1|2, c 2, d 2: python expeval.py -u MODEL -p .8 -r .3 [-G] [-C] [-U] q.qrels q.run
EXPEVAL = [
    (
        {"model": "rbp", "G": False, "complete": False, "normalize": None},
        [0.192032, 2.080672, 1.96272],
    ),
    (
        {"model": "rbp", "G": False, "complete": True, "normalize": "expeval"},
        [0.392633, -0.735192, 0.138538],
    ),
    (
        {"model": "rbp", "G": True, "complete": True, "normalize": None},
        [0.0484, 5.958224, 6.339264],
    ),
    (
        {"model": "gerr", "G": False, "complete": False, "normalize": "expeval"},
        [0.048225, 0.445127, 0.900403],
    ),
    (
        {"model": "gerr", "G": False, "complete": True, "normalize": None},
        [0.13008, 1.236464, 1.259407],
    ),
    (
        {"model": "gerr", "G": True, "complete": False, "normalize": "expeval"},
        [0.010285, -0.020467, 1.0],
    ),
    (
        {"model": "gerr", "G": True, "complete": True, "normalize": None},
        [0.010167, 3.387005, 3.271043],
    ),
]
GROUPS = pd.DataFrame({"doc_id": list("abcd"), "group": ["1", "1|2", "2", "2"]})


@pytest.mark.parametrize(("options", "expected"), EXPEVAL)
def test_the_values_of_expeval(options, expected):
    groups = GROUPS if options.pop("G") else None
    found = values(
        samples("baxc", "acbd"), GRADED, patience=0.8, utility=0.3, groups=groups, **options
    )
    assert found == pytest.approx(expected, abs=5.1e-7)  # it prints six decimals


def test_rows_in_any_order_and_runs_of_one_ranking_give_the_same():
    frame = samples("baxc", "acbd")._frame
    shuffled = frame.sample(frac=1, random_state=3).ireval(run=["run", "sample"])
    assert values(shuffled, GRADED) == values(frame.ireval(run=["run", "sample"]), GRADED)
    single = frame[frame["sample"] == 0].drop(columns="sample")
    assert values(single.ireval, GRADED) == values(samples("baxc"), GRADED)
    named = frame.rename(columns={"sample": "seed"}).ireval(run=["run", "seed"])
    assert values(named, GRADED, sample="seed") == values(samples("baxc", "acbd"), GRADED)


def test_an_unanswered_query_has_all_disparity_and_no_relevance():
    qrels = pd.concat([QRELS, QRELS.assign(query_id="z")])
    with pytest.warns(UserWarning, match="1 of 2 judged queries are missing"):
        found = values(samples("abc"), qrels, model="rbp", complete=False)
    assert found[3:] == pytest.approx([1.125, 4 / 3, 0.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patience": 1.0}, "patience=1.0 must be from 0 to below 1"),
        ({"measures": "AP"}, "AP is not one of the measures of this verb: EE-L, EE-D, EE-R"),
        ({"judged_only": True}, "exposure needs all items of a list"),
        (
            {"groups": pd.DataFrame({"doc_id": ["zz"], "g": ["x"]})},
            "no item of the runs or the judgments is in",
        ),
    ],
)
def test_what_has_no_exposure_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        samples("abc").expected_exposure(QRELS, **options)


def test_measures_of_exposure_need_their_verb():
    judged = pdeval.datasets.sample_judged(queries="common")
    with pytest.raises(
        ValueError, match=r"EE-L is a measure of exposure\. Use .ireval.expected_exposure"
    ):
        judged.measure("EE-L")


def test_attention_of_groups_against_equal_shares():
    # f m m m: shares .3194 and .6806 (TREC Fair Ranking 2021)
    runs = pd.DataFrame({"run": "a", "query_id": "q", "doc_id": list("wxyz"), "rank": [1, 2, 3, 4]})
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["w", "x"], "relevance": 1})
    groups = pd.DataFrame({"doc_id": list("vwxyz"), "gender": ["f", "f", "m", "m", "m"]})
    shares = runs.ireval.exposure_shares(qrels, groups)
    assert shares["exposure"].round(4).tolist() == [0.3194, 0.6806]
    assert shares["relevant"].tolist() == [0.5, 0.5]
    assert shares["catalog"].tolist() == [0.4, 0.6]
    target = {"f": 0.5, "m": 0.5}
    for same in (target, "uniform", "relevant"):
        found = runs.ireval.awrf(qrels, groups, target=same)["value"].tolist()
        assert found[0] == pytest.approx(0.9755, abs=5e-5)
        assert found[1] == found[0]  # nDCG is 1
    (catalog,) = runs.ireval.awrf(qrels, groups, "AWRF", target="catalog")["value"]
    expected = kernels.AWRF(np.array([1, 2.1309297535714573]), np.array([0.4, 0.6]))
    assert catalog == pytest.approx(float(expected), abs=1e-15)


def test_queries_that_do_not_count_have_no_fairness():
    runs = pd.DataFrame(
        {"run": ["a", "a", "b"], "query_id": ["1", "2", "2"], "doc_id": "x", "rank": 1}
    )
    qrels = pd.DataFrame({"query_id": ["1", "2", "2"], "doc_id": ["y", "x", "y"], "relevance": 1})
    groups = pd.DataFrame({"doc_id": ["x", "y"], "genre": ["a", "b"]})
    wanted = runs.ireval.awrf(qrels[1:], groups, queries="common")
    found = runs.ireval.awrf(qrels, groups, queries="common")
    assert found["query_id"].unique().tolist() == ["2"]
    assert found["value"].tolist() == wanted["value"].tolist()


def test_items_in_several_groups_share_their_attention():
    runs = pd.DataFrame({"run": "a", "query_id": "q", "doc_id": ["x", "y"], "rank": [1, 2]})
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["x"], "relevance": 1})
    groups = pd.DataFrame({"doc_id": ["x", "x", "y"], "genre": ["a", "b", "b"]})
    shares = runs.ireval.exposure_shares(qrels, groups)
    assert shares["exposure"].tolist() == [0.25, 0.75]
    # a query without a relevant item in a group has no target
    assert runs.ireval.awrf(qrels, groups.tail(1)).empty
    # items without a group do not count
    shares = runs.ireval.exposure_shares(qrels, groups.head(2))
    assert shares["exposure"].tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        (
            {"x": 1.0},
            KeyError,
            "target= has the group 'x', which no item has; the groups are 'a', 'b'",
        ),
        (
            {"a": 0.5},
            ValueError,
            "the fractions of target= sum to 0.5. They must be 0 or more and sum to 1",
        ),
    ],
)
def test_a_target_that_is_no_distribution_over_the_groups_is_refused(target, error, message):
    groups = pd.DataFrame({"doc_id": ["a", "b"], "genre": ["a", "b"]})
    with pytest.raises(error, match=message):
        samples("abc").awrf(QRELS, groups, target=target)


def test_targets_of_attention_may_differ_by_query():
    runs = pd.DataFrame({"run": "a", "query_id": ["p"] * 4 + ["q"] * 4})
    runs = runs.assign(doc_id=list("wxyz") * 2, rank=[1, 2, 3, 4] * 2)
    qrels = pd.DataFrame({"query_id": ["p", "q"], "doc_id": "w", "relevance": 1})
    groups = pd.DataFrame({"doc_id": list("wxyz"), "gender": ["f", "m", "m", "m"]})
    rows = [("q", "f", 0.2), ("q", "m", 0.8), ("p", "f", 0.5), ("p", "m", 0.5), ("other", "f", 1.0)]
    target = pd.DataFrame(rows, columns=["query_id", "group", "fraction"])
    both = runs.ireval.awrf(qrels, groups, "AWRF", target=target)["value"].tolist()
    each = [
        runs[runs["query_id"] == query]
        .ireval.awrf(qrels[qrels["query_id"] == query], groups, "AWRF", target={"f": f, "m": 1 - f})
        .loc[0, "value"]
        for query, f in (("p", 0.5), ("q", 0.2))
    ]
    assert both == each
    for wrong, message in (
        (target.iloc[1:], "sum to 0.8 for query 'q'"),
        (target.iloc[:2], "sum to 0 for query 'p'"),
        (target.assign(fraction="x"), "the fraction column has 5 values that are not numbers"),
        (target.head(0), "target=a DataFrame of 0 is empty"),
        (target.drop(columns="group"), "no column 'group'"),
        (target.iloc[[0, 0, 1, 2, 3]], "several fractions of a query and group"),
    ):
        with pytest.raises(ValueError, match=message):
            runs.ireval.awrf(qrels, groups, target=wrong)


def tradeoff_scores():
    rows = [
        ("a", 1, [1, 0.5]),
        ("a", 2, [2, 0.7]),
        ("b", 1, [1, 0.2]),
        ("b", 2, [3, 0.6]),
    ]
    frames = [
        pd.DataFrame(
            {"run": run, "t": t, "query_id": "q", "measure": ["EE-D", "EE-R"], "value": pair}
        )
        for run, t, pair in rows
    ]
    return pd.concat(frames)


def test_the_area_under_relevance_against_disparity():
    scores = tradeoff_scores()
    found = scores.ireval(run=["run", "t"]).exposure_tradeoff(parameter="t")
    assert found["area"].round(12).tolist() == [0.6, 0.6, 0.8, 0.8]
    with pytest.raises(ValueError, match="the scores have no measure 'EE-R'"):
        scores[scores["measure"] == "EE-D"].ireval(run=["run", "t"]).exposure_tradeoff()


@pytest.mark.extras
def test_the_tradeoff_is_drawn_with_its_areas():
    found = tradeoff_scores().ireval(run=["run", "t"]).exposure_tradeoff(parameter="t")
    ax = found.ireval.plot()
    labels = [line.get_label() for line in ax.lines]
    assert labels == ["a / 1 to a / 2: area 0.600", "b / 1 to b / 2: area 0.800"]
