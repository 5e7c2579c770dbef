"""The columns of blocks against plain loops over the lists."""

import pandas as pd
import pytest

from pdeval.join import positions
from pdeval.join.blocks import BLOCK_COLUMNS, ITEM_COLUMNS, TOPIC_COLUMNS, View
from pdeval.tables import reader
from tests.join.plain_columns import OF_TOPICS, Plain, drawn, every_cell, every_subtopic, joined


@pytest.mark.parametrize(
    ("kind", "level"), [("binary", None), ("binary", 2), ("graded", 2), ("judged", 2)]
)
@pytest.mark.parametrize(
    ("seed", "most", "padded"), [(0, 1 << 21, False), (1, 60, False), (2, 60, True)]
)
def test_every_cell_is_that_of_its_topic_run_and_item(seed, most, padded, kind, level):
    lists, grades = drawn(seed)
    found = joined(lists, grades)
    every_cell(
        found, Plain(lists, grades, level), View(found, kind, level, padded=padded), kind, most
    )


@pytest.mark.parametrize("level", [None, 2])
@pytest.mark.parametrize("most", [1, 1 << 21])
def test_subtopics_belong_to_items_by_name_and_in_rank_order(level, most):
    lists, grades = drawn(4)
    found = joined(lists, grades)
    every_subtopic(found, Plain(lists, grades, level), View(found, "subtopic", level), most)


def test_a_column_is_registered_by_its_name():
    tied = {"start", "size"}
    graded = {"grade", "weight", "relevant", "global_gain"}
    assert {"rank", "above", "pooled", "items", *tied, *graded} == {*ITEM_COLUMNS}
    assert {*OF_TOPICS, "ideal", "belongs", "member", "subtopics"} == {
        *TOPIC_COLUMNS,
        *BLOCK_COLUMNS,
    }


def test_ranks_are_no_column_where_orders_are_averaged():
    runs = pd.DataFrame({"run": "r", "query_id": "q", "doc_id": list("ab"), "score": 1.0})
    qrels = pd.DataFrame({"query_id": "q", "doc_id": ["a"], "relevance": [1]})
    found = positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"), ties="expected")
    with pytest.raises(
        ValueError, match=r"ties='expected' has no definite ranks\. Use another ties="
    ):
        next(View(found, "binary").blocks())["rank"]


def test_where_no_subtopic_has_a_relevant_item_there_is_one_without_members():
    both = joined(*drawn(4))
    [block] = View(both, "subtopic", 9).blocks(empty=True)
    assert block["subtopics"].tolist() == [[0.0]] * len(both.queries)
    assert block["belongs"].shape == (0, 1, len(both.queries), 1)
