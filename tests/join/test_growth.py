"""What a part of the rows costs must not depend on how many rows there are beside it."""

import itertools
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pdeval.join import blocks, duplicates, ids, lists, ranks
from pdeval.join.list_columns import ListBlock
from pdeval.tables import reader

LISTS, DEPTH = 40, 20


def peak(work):
    """Return the bytes that a call allocates on top of what there is; numpy's arrays count, and no clock is read."""
    work()
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def table(count, dtype="str", **columns):
    """Return a run table of `count` lists whose rows are all tied, and its lists."""
    doc = pd.Series([f"document-{row % 997:05d}" for row in range(count * DEPTH)], dtype=dtype)
    frame = pd.DataFrame(
        {"query_id": np.repeat(np.arange(count), DEPTH), "doc_id": doc, "score": 1.0, **columns}
    )
    return frame, lists.find_lists(reader.read(frame, "runs"))


@pytest.mark.parametrize("ties", ["first", "expected", "docid"])
@pytest.mark.parametrize("dtype", ["category", "str"])
def test_where_some_rows_stand_takes_no_look_at_the_ids_of_all_others(ties, dtype):
    spent = []
    for count in (LISTS, 50 * LISTS):
        frame, found = table(count, dtype)
        doc, score = ids.column_ids(frame["doc_id"], "doc"), np.ones(len(frame))
        some = np.arange(LISTS * DEPTH), score, doc, found, ties
        spent.append(peak(lambda some=some: ranks.of_rows(*some)))
    assert spent[1] < 1.1 * spent[0]


@pytest.mark.parametrize("shown", ["scores", "duplicates"])
def test_lists_are_measured_as_often_whatever_their_number(monkeypatch, shown):
    asked = []
    sizes = lists.Lists.sizes.fget
    monkeypatch.setattr(lists.Lists, "sizes", property(lambda one: asked.append(one) or sizes(one)))
    for count in (LISTS, 9000):
        frame, found = table(count)
        asked.append(None)
        if shown == "scores":  # rising in the last bit alone, list by list
            score = np.tile(1 + np.arange(DEPTH) * np.finfo(float).eps, count)
            wanted = np.arange(len(frame)).reshape(count, -1)[:, ::-1]
            assert np.array_equal(ranks.sort_lists(score, found)[1].reshape(count, -1), wanted)
        else:
            frame["doc_id"] = frame["doc_id"].where(
                np.arange(len(frame)) % DEPTH > 0, frame["doc_id"].shift(-1)
            )
            again = duplicates.rows_repeated(ids.column_ids(frame["doc_id"], "doc"), found)
            assert again.tolist() == list(range(1, len(frame), DEPTH))
    assert len(asked) == 2


def subtopics(count):
    """Return the join of one run that answers `count` queries, each with three items of two subtopics."""
    query = np.repeat(np.arange(count), 3)
    doc = np.tile(["a", "b", "c"], count)
    frame = pd.DataFrame({"query_id": query, "doc_id": doc})
    grades = {"relevance": np.tile([1, 0, 2], count), "subtopic": np.tile([1, 1, 2], count)}
    return frame.assign(score=1.0).ireval.join(frame.assign(**grades)).positions


@pytest.mark.parametrize("column", ["nonrelevant_found", "member", "belongs", "ideal"])
def test_a_block_takes_no_look_at_the_items_of_all_others(column):
    spent = []
    for count in (LISTS, 50 * LISTS):
        view = blocks.View(
            subtopics(count), "subtopic" if column in ("member", "belongs") else "judged"
        )
        view.column("rank")
        first, *_ = view.blocks(most=30)
        first[column]  # what all blocks share is made once

        def work(view=view):
            next(itertools.islice(view.blocks(most=30), 1, None))[column]

        spent.append(peak(work))
    assert spent[1] < 1.1 * spent[0]


def test_the_grades_of_some_lists_take_no_look_at_the_hits_of_all_others():
    spent = []
    for count in (LISTS, 50 * LISTS):
        frame, _ = table(count)
        qrels = frame[["query_id", "doc_id"]].assign(relevance=1)
        history = pd.DataFrame({"query_id": 0, "doc_id": frame["doc_id"].unique()})
        at = frame.ireval.join(qrels, history=history).positions
        some = ListBlock(at, None, "Novelty", np.arange(LISTS), DEPTH)

        def work(some=some):
            some.made.clear()
            return some["grade"]

        assert work().sum() == LISTS * DEPTH
        spent.append(peak(work))
    assert spent[1] < 1.1 * spent[0]


def test_neighbors_are_compared_without_a_copy_of_the_column():
    taken = pa.array([f"query{one:02d}" for one in range(100)]).take(
        pa.array(np.repeat(np.arange(100), 5000))
    )
    column = ids.Ids(text=taken)
    assert np.flatnonzero(column.changes()).tolist() == list(range(4999, len(column) - 1, 5000))
    assert peak(column.changes) < 2 * len(
        column
    )  # a byte for each row, of which the texts take seven
