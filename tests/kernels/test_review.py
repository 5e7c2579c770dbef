"""Effort of finding all relevant items: WSS, recall at effort and their peers, against asreview-insights; PRES."""

import math

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.catalog import parse

inf = math.inf


def value(name, ranks, size):
    measure = parse(name)
    return float(measure.entry.kernel(np.array(ranks, float), np.array(size), **measure.parameters))


def test_work_saved_at_95_percent_recall():
    # relevant at 1, 2, 5 of 10: all three are needed, (10 - 5) / 10 - 0.05
    assert value("WSS@95", [1, 2, 5], 10.0) == pytest.approx(0.45, abs=1e-15)
    assert parse("WSS@95") == parse("WSS@0.95") == parse("wss_95") == parse("wss_0.95")
    assert value("WSS@100", [1, 2, 5], 10.0) == 0.5
    assert value("WSS(recall=0.6)", [1, 2, 5], 10.0) == pytest.approx(0.8 - 0.4)


def test_items_that_were_not_retrieved_are_read_last():
    assert value("WSS@1", [1, inf], 10.0) == 0.0
    assert value("TNR@1", [1, inf], 10.0) == 0.0
    assert value("ATD", [1, inf, inf], 10.0) == pytest.approx((1 + 9 + 10) / 3)
    assert value("ReviewLoss", [inf, inf], 10.0) == 1.0
    assert value("last_rel", [1, inf], 10.0) == 10.0


# asreview-insights 1.5.1 (pip install asreview-insights==1.5.1 asreview==1.6.6), asreviewcontrib.insights.metrics:
# _wss(labels, 0.8), _recall(labels, 0.25), _erf(labels, 0.25), _loss_value(labels), _tnr(labels, 0.5), mean of
# _time_to_discovery; 300 random reviews of 5 to 199 records agree to the last bit, _tnr to its six decimals. Below the
# first relevant item (a recall below 1 / relevant items), asreview-insights 1.6.1 takes the value of the last one, by
# an index of -1; here the first one counts
ASREVIEW = [
    (37, [1, 3, 12, 17, 23], [0.2702702702702703, 0.4, 0.2, 0.25625, 11.2, 0.96875]),
    (33, [2, 9, 10, 11], [0.36363636363636365, 0.25, 0.0, 0.1896551724137931, 8.0, 0.758621]),
    (6, [1, 2, 3], [0.3333333333333333, 0.3333333333333333, 0.3333333333333333, 0.0, 2.0, 1.0]),
    (
        13,
        [2, 3, 4, 6, 8, 11, 13],
        [
            0.07692307692307693,
            0.2857142857142857,
            0.14285714285714285,
            0.4523809523809524,
            6.714285714285714,
            0.833333,
        ],
    ),
]


@pytest.mark.parametrize(("size", "ranks", "expected"), ASREVIEW)
def test_the_measures_of_asreview_insights(size, ranks, expected):
    names = ["WSS(rule=asreview)@0.8", "EffortRecall@0.25", "ERF@0.25", "ReviewLoss", "ATD"]
    assert [value(name, ranks, float(size)) for name in names] == expected[:5]
    assert value("TNR(rule=asreview)@0.5", ranks, float(size)) == pytest.approx(
        expected[5], abs=5e-7
    )


def test_an_order_without_effort_reads_nothing():
    assert value("EffortRecall@0.05", [1, 2], 10.0) == 0.0
    assert value("ERF@0.05", [1, 2], 10.0) == 0.0
    assert value("ReviewLoss", [1, 2], 2.0) == 0.0
    assert value("TNR", [1, 2], 2.0) == 1.0


def test_a_review_smaller_than_its_relevant_items_is_refused():
    with pytest.raises(ValueError, match=r"items=2 is smaller than the number of relevant items"):
        value("WSS(items=2)", [1, 2, 3], 10.0)


def test_the_size_of_a_review_is_the_number_of_items_in_its_rankings():
    runs = pd.DataFrame(
        {"run": "a", "query_id": "1", "doc_id": list("abcdefghij"), "score": range(10, 0, -1)}
    )
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abe"), "relevance": 1})
    scores = runs.ireval.measure(qrels, ["WSS@95", "EffortRecall@0.2", "WSS(items=100)"])
    assert scores["value"].round(12).tolist() == [0.45, 0.666666666667, 0.9]


# Magdy & Jones 2010, table 1: four relevant items, the first 100 are read
@pytest.mark.parametrize(
    ("ranks", "expected"),
    [([1], 0.25), ([50, 51, 53, 54], 0.505), ([1, 2, 3, 4], 1.0), ([1, 98, 99, 100], 0.28)],
)
def test_pres_of_the_four_systems_of_the_paper(ranks, expected):
    ranks = np.array([*ranks, *[inf] * (4 - len(ranks))])
    assert float(pdeval.kernels.PRES(ranks)) == pytest.approx(expected, abs=1e-12)


def test_pres_does_not_count_items_below_the_cutoff():
    assert float(pdeval.kernels.PRES(np.array([1.0, 11.0]), k=10)) == float(
        pdeval.kernels.PRES(np.array([1.0, inf]), k=10)
    )
