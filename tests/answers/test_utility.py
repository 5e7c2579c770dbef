"""The utility of retrieved passages, some of which distract."""

import math

import pandas as pd
import pytest


def scores(grades, measure, docs="abcde"):
    runs = pd.DataFrame(
        {"run": "r", "query_id": "1", "doc_id": list(docs), "score": range(len(docs), 0, -1)}
    )
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abcde"), "relevance": grades})
    return runs.ireval.measure(qrels, measure)["value"].tolist()


def test_the_published_value_of_the_first_question():
    # github.com/GiovanniTRA/UDCG, commit daeee3b, data/dataset_with_udcg.json: 1 - no_res_prob of the passages, of
    # which the last three are not relevant; the command line has the weight 0.333
    grades = [0.9999979138374329, 0.9999865889549255, -0.8681640625, -0.8187255859375, -0.97918701171875]  # fmt: skip
    assert scores(grades, "UDCG(gamma=0.333)") == [0.5553808928170055]


def test_distractors_count_a_third_and_unjudged_items_nothing():
    grades = [0.5, 1.0, -1.0, 0.0, -0.5]
    assert scores(grades, "UDCG") == pytest.approx([1 / (1 + math.exp(-1.0 / 5))])
    assert scores(grades, "UDCG@2", "axb") == pytest.approx([1 / (1 + math.exp(-0.25))])
    assert scores(grades, "UDCG", "c") == pytest.approx([1 / (1 + math.exp(1 / 3))])
