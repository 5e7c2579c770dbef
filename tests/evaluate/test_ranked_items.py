"""The items of a query with their ranks, judged or not: relevant items first, the same as `explain` gives."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.evaluate.ranked_items import ranked_items

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
    assert found.docs == ["v", "z"]
    assert found.ranks.tolist() == [[np.inf, np.inf], [1, np.inf]]
    assert items.sizes(pd.Index(["2", "1"])).tolist() == [2, 4]


def test_unjudged_items_are_known_down_to_the_depth_and_their_ranks_below_it_too():
    runs = pd.DataFrame(
        {
            "run": ["a"] * 3 + ["b"] * 3,
            "query_id": "1",
            "doc_id": ["u", "x", "w", "x", "v", "u"],
            "score": [3.0, 2.0, 1.0] * 2,
        }
    )
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["x"], "relevance": [1]})
    items = ranked_items(runs.ireval.join(qrels), depth=1)
    found = items.of_query("1")
    assert found.docs == ["x", "u"]
    assert found.ranks.tolist() == [[2, 1], [1, 3]]
    assert np.isnan(found.grades).tolist() == [False, True]
    assert items.unjudged(pd.Index(["1"]), 1).tolist() == [[1, 0]]
    assert ranked_items(runs.ireval.join(qrels)).of_query("1").docs == ["x", "u", "v", "w"]


def test_a_negative_grade_counts_as_unjudged():
    qrels = QRELS.assign(relevance=[1, -2, 2, 0, 1])
    items = ranked_items(RUNS.ireval.join(qrels))
    assert items.unjudged(pd.Index(["1", "2"]), 10).tolist() == [[1, 1], [1, 0]]


def test_part_of_the_queries_and_runs_have_the_ranks_of_all():
    judged = pdeval.datasets.sample_judged(queries="common")
    positions = judged.positions.keep_runs(judged.runs["run"].isin(["bm25", "ql"]).to_numpy())
    positions = positions.keep_topics(np.isin(judged.queries, ["113", "105"]))
    part = ranked_items(judged.on(positions))
    found = part.of_query("113")
    ranks = dict(zip(*(ranked_items(judged).of_query("113")[at] for at in (0, 3))))
    columns = [judged.runs["run"].tolist().index(run) for run in ("bm25", "ql")]
    assert part.runs["run"].tolist() == ["bm25", "ql"]
    assert [ranks[doc][columns].tolist() for doc in found.docs] == found.ranks.tolist()


@pytest.mark.parametrize("rules", [{"judged_only": True}, {"ties": "expected"}])
def test_lists_without_unjudged_items_or_definite_ranks_have_judged_items_only(rules):
    items = ranked_items(RUNS.ireval.join(QRELS, **rules))
    assert items.depth is None
    assert not np.isnan(items.grade).any()


def test_integer_ids_are_kept():
    runs = RUNS.assign(doc_id=[1, 2, 3, 2, 4])
    qrels = QRELS.assign(doc_id=[1, 2, 9, 4, 8])
    assert ranked_items(runs.ireval.join(qrels)).of_query("2").docs == [8, 3]


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
        assert set(found.docs) == set(said.index)
        shown = said.loc[found.docs, items.runs["run"]].to_numpy()
        # explain has ranks of unjudged items down to 10
        judged_or_first = (found.ranks <= 10) | ~np.isnan(found.grades)[:, None]
        assert shown[judged_or_first].tolist() == found.ranks[judged_or_first].tolist()


def test_a_table_of_results_has_no_items():
    assert ranked_items(pdeval.datasets.sample_judged(queries="common").measure("AP")) is None
