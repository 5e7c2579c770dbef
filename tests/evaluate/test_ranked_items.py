"""The judged items of a query with their ranks: the most telling first, the same as `explain` gives."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.contributions import ranked_items

RUNS = pd.DataFrame(
    {
        "run": ["a", "a", "a", "b", "b"],
        "query_id": ["1", "1", "2", "1", "1"],
        "doc_id": ["x", "y", "z", "y", "w"],
        "score": [3.0, 2.0, 1.0, 2.0, 1.0],
    }
)
QRELS = pd.DataFrame(
    {
        "query_id": ["1", "1", "1", "1", "2"],
        "doc_id": ["x", "y", "u", "w", "v"],
        "relevance": [1, 1, 2, 0, 1],
    }
)


def test_items_stand_by_grade_and_then_by_their_best_rank_in_any_run():
    found = ranked_items(RUNS.ireval.join(QRELS)).of_query("1")
    assert found.docs == ["u", "x", "y", "w"]
    assert found.grades.tolist() == [2, 1, 1, 0]
    assert found.relevant.tolist() == [True, True, True, False]
    assert found.ranks.tolist() == [[np.inf, np.inf], [1, np.inf], [2, 1], [np.inf, 2]]
    assert found.of == 4


def test_a_limit_keeps_the_first_items_and_says_how_many_there_are():
    found = ranked_items(RUNS.ireval.join(QRELS)).of_query("1", most=2)
    assert found.docs == ["u", "x"]
    assert found.ranks.shape == (2, 2)
    assert found.of == 4


def test_a_query_that_nobody_found_anything_for_has_its_items_still():
    items = ranked_items(RUNS.ireval.join(QRELS))
    found = items.of_query("2")
    assert found.docs == ["v"]
    assert np.isinf(found.ranks).all()
    assert items.sizes(pd.Index(["2", "1"])).tolist() == [1, 4]


def test_the_level_of_the_join_says_what_is_relevant():
    found = ranked_items(RUNS.ireval.join(QRELS, level=2)).of_query("1")
    assert found.relevant.tolist() == [True, False, False, False]


@pytest.mark.broad
def test_the_ranks_are_those_of_explain():
    judged = pdeval.datasets.sample_judged(queries="common")
    items = ranked_items(judged)
    for query in judged.queries[:5]:
        found = items.of_query(query)
        said = (
            judged.explain(query, "AP")
            .pivot(index="doc_id", columns="run", values="rank")
            .astype(float)
            .fillna(np.inf)
        )
        assert found.ranks.tolist() == said.loc[found.docs, items.runs["run"]].to_numpy().tolist()


def test_a_table_of_results_has_no_items():
    assert ranked_items(pdeval.datasets.sample_judged(queries="common").measure("AP")) is None
