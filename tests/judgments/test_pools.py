"""Pools: their items, who has them, and the corpus of a query."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.join.blocks import corpus_sizes
from pdeval.judgments import pools
from pdeval.judgments.pools import partition
from pdeval.tables import reader
from tests import naive
from tests.examples import examples

RUNS = naive.table(
    {
        "x": {"1": ["a", "b", "c"], "2": ["a"]},
        "y": {"1": ["b", "d", "e"]},
        "z": {"1": ["f", "b", "a"], "2": ["b", "c"]},
    }
)
QRELS = naive.judgments({"1": {"a": 2, "b": 0, "d": 1, "q": 3}, "3": {"a": 1}})


def pool(frame=RUNS, depth=2, **rules):
    return pools.pooled(reader.read(frame, "runs"), depth, **rules)


def test_a_pool_holds_the_first_items_of_every_run_once():
    found = pools.frame(pool())
    assert found.values.tolist() == [
        ["1", "a", 1, 1],
        ["1", "b", 3, 1],
        ["1", "d", 1, 2],
        ["1", "f", 1, 1],
        ["2", "a", 1, 1],
        ["2", "b", 1, 1],
        ["2", "c", 1, 2],
    ]
    assert found.columns.tolist() == ["query_id", "doc_id", "runs", "rank"]


def test_who_contributed_what_has_one_row_per_item_and_run():
    found = pools.frame(pool(), per="run")
    assert found.loc[found["doc_id"] == "b"].values.tolist() == [
        ["1", "b", "x", 2],
        ["1", "b", "y", 1],
        ["1", "b", "z", 2],
        ["2", "b", "z", 1],
    ]


def test_grades_of_pooled_items_are_missing_where_nobody_judged():
    found = pools.frame(pool(), qrels=reader.read(QRELS, "qrels"))
    held = {(row.query_id, row.doc_id): row.relevance for row in found.itertuples()}
    judged = {key: grade for key, grade in held.items() if grade == grade}
    assert judged == {("1", "a"): 2.0, ("1", "b"): 0.0, ("1", "d"): 1.0}


def test_grades_keep_the_name_of_their_column():
    qrels = reader.read(QRELS.rename(columns={"relevance": "label"}), "qrels")
    assert pools.frame(pool(), qrels=qrels).columns[-1] == "label"


def test_tied_scores_enter_the_pool_by_document_id_descending():
    frame = pd.DataFrame(
        {"run": "x", "query_id": "1", "doc_id": ["a", "b", "c"], "score": [1.0, 1.0, 1.0]}
    )
    assert pools.frame(pool(frame, 1))["doc_id"].tolist() == ["c"]
    assert pools.frame(pool(frame, 1, ties="first"))["doc_id"].tolist() == ["a"]


def test_the_runs_of_a_team_bring_an_item_once_at_their_best_rank():
    found = pool()
    grouped = found.by_team(*partition(found.runs, {"x": "one", "y": "two", "z": "one"}))
    table = pools.frame(grouped, per="run")
    assert table.loc[table["doc_id"] == "b"].values.tolist() == [
        ["1", "b", "one", 2],
        ["1", "b", "two", 1],
        ["2", "b", "one", 1],
    ]
    assert grouped.lists.tolist() == [[3, 2], [3, 0]]


@pytest.mark.parametrize("depth", [0, 2.5, True])
def test_a_depth_is_a_whole_number(depth):
    with pytest.raises(ValueError, match=f"depth={depth!r}: expected an integer of at least 1"):
        pool(depth=depth)


def test_a_pool_needs_a_depth():
    with pytest.raises(ValueError, match="depth=None: expected an integer of at least 1"):
        RUNS.ireval.pool(depth=None)


def test_judgments_of_another_type_of_ids_are_an_error():
    qrels = reader.read(QRELS.assign(query_id=[1, 1, 1, 1, 3]), "qrels")
    with pytest.raises(
        ValueError, match="the query ids are strings in the run table and integers in the judgments"
    ):
        pool().grades(qrels)


@st.composite
def collections(draw):
    docs = [f"d{n}" for n in range(8)]
    lists = {
        run: {query: draw(st.permutations(docs))[: draw(st.integers(0, 6))] for query in "12"}
        for run in ("x", "y", "z")
    }
    frame = naive.table(lists)
    if not len(frame):
        frame = naive.table({"x": {"1": ["d0"]}})
    grades = {
        query: dict(zip(docs, draw(st.lists(st.integers(-1, 2), min_size=5, max_size=5))))
        for query in "12"
    }
    return draw(st.permutations(range(len(frame)))), frame, naive.judgments(grades)


@pytest.mark.broad
@examples(60)
@given(collections(), st.integers(1, 7))
def test_pools_equal_sets_of_first_items(collection, depth):
    order, frame, _ = collection
    lists = naive.lists_of(frame)
    wanted = {}
    for (_, query), docs in lists.items():
        for rank, doc in enumerate(docs[:depth], 1):
            wanted.setdefault((query, doc), []).append(rank)
    found = pools.frame(pool(frame.iloc[list(order)], depth))
    keys = list(zip(found["query_id"], found["doc_id"]))
    assert keys == sorted(wanted)
    assert found["runs"].tolist() == [len(wanted[key]) for key in keys]
    assert found["rank"].tolist() == [min(wanted[key]) for key in keys]


@pytest.mark.broad
@examples(60)
@given(collections())
def test_the_corpus_of_a_query_holds_what_was_retrieved_or_is_relevant(collection):
    from pdeval.join.positions import join

    _, frame, qrels = collection
    relevant = qrels[qrels["relevance"] > 0]
    seen = {query: set(relevant.loc[relevant["query_id"] == query, "doc_id"]) for query in "12"}
    for query in "12":
        seen[query] |= set(frame.loc[frame["query_id"] == query, "doc_id"])
    for complete in (True, False):  # a join of relevant items alone has the same corpus
        found = join(reader.read(frame, "runs"), reader.read(qrels, "qrels"), complete=complete)
        assert corpus_sizes(found).tolist() == [len(seen[query]) for query in found.queries]


def test_the_corpus_needs_the_tables_that_were_joined():
    import dataclasses

    from pdeval.join.positions import join

    found = join(reader.read(RUNS, "runs"), reader.read(QRELS, "qrels"))
    with pytest.raises(ValueError, match="counted in the run table, which this join no longer has"):
        corpus_sizes(dataclasses.replace(found, source=None))


def test_pools_of_integer_and_categorical_ids_hold_the_callers_ids():
    frame = RUNS.assign(query_id=RUNS["query_id"].astype(int), run=RUNS["run"].astype("category"))
    found = pools.frame(pool(frame), per="run")
    assert found["query_id"].dtype == np.int64
    plain = pools.frame(pool(RUNS), per="run")
    assert found["run"].tolist() == plain["run"].tolist()
    assert plain["run"].dtype == RUNS["run"].dtype


@pytest.mark.broad
def test_a_pool_of_real_runs_equals_sets_of_first_items(shared_data):
    import pdeval

    folder = shared_data / "dl-hard-doc"
    runs = pdeval.read_runs(sorted((folder / "runs").glob("*.gz")))
    lists = naive.lists_of(runs[runs["query_id"].isin(runs["query_id"].unique()[:3])])
    wanted = {(query, doc) for (_, query), docs in lists.items() for doc in docs[:10]}
    found = pools.frame(pool(runs, 10))
    some = found[found["query_id"].isin({query for query, _ in wanted})]
    assert set(zip(some["query_id"], some["doc_id"])) == wanted
