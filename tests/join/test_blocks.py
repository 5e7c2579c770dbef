"""The columns that kernels ask for, worked by hand on two runs and four queries."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from pdeval.join import blocks, positions
from pdeval.join.blocks import View
from pdeval.tables import reader
from tests import naive
from tests.join.plain_columns import Plain, drawn, every_cell, every_subtopic, joined

inf = np.inf
GRADES = {
    "q1": {"a": 1, "b": 0, "c": 2, "p": -1},
    "q2": {"a": 2, "x": 1, "b": 0},
    "q3": {"z": 0},
    "q4": {"c": 3},
}
LISTS = {
    "r": {"q1": ["b", "p", "c", "u", "a"], "q2": ["x", "a"], "q3": ["z"]},
    "s": {"q1": ["a", "b"], "q2": ["u", "b", "x"], "q4": ["u", "c"]},
}


@pytest.fixture(scope="module")
def found():
    return positions.join(
        reader.read(naive.table(LISTS), "runs"),
        reader.read(naive.judgments(GRADES), "qrels"),
        ties="docid",
    )


def cells(found, kind, name, level=None, most=1 << 21):
    """Return {query: the column, axis 0 the item, last axis the run}, gathered from all blocks."""
    gathered = {}
    for block in View(found, kind, level).blocks(empty=True, most=most):
        column = np.asarray(block[name])
        for place, topic in enumerate(block.topics):
            axis = column.ndim - 2
            gathered[found.queries[topic]] = (
                np.take(column, place, axis=axis).tolist() if column.ndim > 1 else column
            )
    return gathered


COLUMNS = [
    # kind, level, column, {query: expected}
    ("binary", None, "rank", {"q1": [[3, 1], [5, inf]], "q2": [[1, 3], [2, inf]], "q3": [], "q4": [[inf, 2]]}),
    ("binary", 2, "rank", {"q1": [[3, inf]], "q2": [[2, inf]], "q3": [], "q4": [[inf, 2]]}),
    ("graded", 2, "rank", {"q1": [[3, 1], [5, inf]], "q2": [[1, 3], [2, inf]], "q3": [], "q4": [[inf, 2]]}),
    ("judged", None, "rank", {
        "q1": [[1, 1], [3, 2], [5, inf]], "q2": [[1, 2], [2, 3], [inf, inf]], "q3": [[1, inf]], "q4": [[inf, 2]],
    }),
    ("graded", None, "grade", {"q1": [[2, 1], [1, 2]], "q2": [[1, 1], [2, 2]], "q3": [], "q4": [[3, 3]]}),
    ("graded", None, "ideal", {"q1": [[2], [1]], "q2": [[2], [1]], "q3": [], "q4": [[3]]}),
    ("judged", 2, "relevant", {
        "q1": [[False, False], [True, False], [False, True]],
        "q2": [[False, False], [True, False], [False, True]],
        "q3": [[False, False]],
        "q4": [[True, True]],
    }),
    ("judged", 2, "relevants", {"q1": [1], "q2": [1], "q3": [0], "q4": [1]}),
    ("binary", None, "retrieved", {"q1": [5, 2], "q2": [2, 3], "q3": [1, 0], "q4": [0, 2]}),
    ("binary", None, "above", {"q1": [[1, 0], [1, inf]], "q2": [[0, 1], [0, inf]], "q3": [], "q4": [[inf, 0]]}),
    ("binary", 2, "above", {"q1": [[1, inf]], "q2": [[1, inf]], "q3": [], "q4": [[inf, 0]]}),
    ("binary", None, "pooled", {"q1": [[1, 0], [1, inf]], "q2": [[0, 0], [0, inf]], "q3": [], "q4": [[inf, 0]]}),
    ("binary", None, "nonrelevant", {"q1": [1], "q2": [1], "q3": [1], "q4": [0]}),
    ("binary", 2, "nonrelevant", {"q1": [2], "q2": [2], "q3": [1], "q4": [0]}),
    ("binary", None, "nonrelevant_found", {"q1": [1, 1], "q2": [0, 1], "q3": [1, 0], "q4": [0, 0]}),
    ("binary", None, "corpus", {"q1": [5], "q2": [4], "q3": [1], "q4": [2]}),
    ("binary", None, "items", {"q1": [[5, 1], [3, inf]], "q2": [[2, inf], [1, 3]], "q3": [], "q4": [[inf, 2]]}),
]  # fmt: skip


@pytest.mark.parametrize("most", [1, 1 << 21])
@pytest.mark.parametrize(
    ("kind", "level", "name", "wanted"), COLUMNS, ids=lambda value: str(value)[:20]
)
def test_columns_hold_what_their_names_say(found, most, kind, level, name, wanted):
    assert cells(found, kind, name, level, most) == wanted


def test_the_largest_grade_is_that_of_all_queries(found):
    assert {block["top_grade"] for block in View(found, "graded").blocks()} == {3.0}


def test_topics_without_items_come_only_when_asked_for(found):
    assert sorted(t for block in View(found, "binary").blocks() for t in block.topics) == [0, 1, 3]
    assert sorted(
        t for block in View(found, "binary").blocks(empty=True) for t in block.topics
    ) == [0, 1, 2, 3]


def test_an_unknown_column_is_an_error_that_lists_the_known_ones(found):
    block = next(View(found, "binary").blocks())
    with pytest.raises(
        KeyError, match="no column 'ranks'; the columns of a kernel are above, belongs, corpus"
    ):
        block["ranks"]


def test_columns_of_judged_items_need_a_complete_join():
    runs, qrels = (
        reader.read(naive.table(LISTS), "runs"),
        reader.read(naive.judgments(GRADES), "qrels"),
    )
    block = next(View(positions.join(runs, qrels, complete=False), "binary").blocks())
    with pytest.raises(RuntimeError, match="Join again with complete=True"):
        block["above"]


SUBTOPICS = pd.DataFrame(
    [
        ("q1", "s1", "a", 1),
        ("q1", "s2", "a", 1),
        ("q1", "s2", "b", 2),
        ("q1", "s3", "c", 0),
        ("q2", "s9", "b", 1),
    ],
    columns=["query_id", "subtopic", "doc_id", "relevance"],
)


@pytest.fixture(scope="module")
def diverse():
    runs = naive.table({"r": {"q1": ["b", "a"], "q2": ["b"]}, "s": {"q1": ["a", "c"]}})
    return positions.join(reader.read(runs, "runs"), reader.read(SUBTOPICS, "qrels"))


def test_membership_of_subtopics_is_in_rank_order_and_by_document(diverse):
    # a belongs to s1 and s2, b to s2; s3 has no relevant item
    member = cells(diverse, "subtopic", "member")
    assert np.asarray(member["q1"])[..., 0].tolist() == [[False, True], [True, True]]
    assert np.asarray(member["q1"])[..., 1].tolist() == [[True, True], [False, True]]
    assert np.asarray(cells(diverse, "subtopic", "belongs")["q1"])[..., 0].tolist() == [
        [True, True],
        [False, True],
    ]
    assert cells(diverse, "subtopic", "subtopics") == {"q1": [2.0], "q2": [1.0]}


def test_the_level_holds_for_subtopics_too(diverse):
    assert cells(diverse, "subtopic", "rank", 2) == {"q1": [[1, inf]], "q2": []}
    assert cells(diverse, "subtopic", "subtopics", 2)["q1"] == [1.0]


def test_subtopics_must_be_there(found):
    with pytest.raises(ValueError, match=r"needs subtopics.*read_qrels\(path, subtopics=True\)"):
        View(found, "subtopic")


def test_tie_groups_are_columns_where_orders_are_averaged():
    runs = pd.DataFrame(
        {"run": "r", "query_id": "q", "doc_id": list("abcd"), "score": [1.0, 2.0, 1.0, 1.0]}
    )
    qrels = naive.judgments({"q": {"a": 1, "d": 1, "z": 1}})
    found = positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"), ties="expected")
    assert cells(found, "binary", "start") == {"q": [[1], [1], [inf]]}
    assert cells(found, "binary", "size") == {"q": [[3], [3], [1]]}


def test_topics_with_equally_many_items_stay_in_their_order():
    names = [f"q{i:02}" for i in range(40)]
    runs = naive.table({"a": {name: ["d"] for name in names}})
    qrels = naive.judgments({name: {"d": 1, "e": int(i % 2)} for i, name in enumerate(names)})
    found = positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"))
    assert [group.topics.tolist() for group in View(found, "binary").groups] == [
        list(range(0, 40, 2)),
        list(range(1, 40, 2)),
    ]


def test_an_item_is_no_member_of_a_subtopic_that_it_was_judged_not_relevant_to():
    rows = [
        ("q", "a", "s", 1),
        ("q", "a", "t", 0),
        ("q", "b", "s", 0),
        ("q", "b", "t", -1),
        ("q", "c", "t", 2),
    ]
    qrels = reader.read(
        pd.DataFrame(rows, columns=["query_id", "doc_id", "subtopic", "relevance"]), "qrels"
    )
    runs = reader.read(naive.table({"x": {"q": ["b", "c", "a"]}}), "runs")
    found = positions.join(runs, qrels)
    assert View(found, "subtopic").member_rows.tolist() == [[0, 2], [0, 1]]
    assert View(found, "subtopic", level=2).member_rows.tolist() == [[2], [1]]
    assert View(found, "subtopic", level=0).member_rows.tolist() == [[0, 2], [0, 1]]


def test_topics_of_one_size_are_one_block_unless_there_are_too_many_cells():
    names = [f"q{i}" for i in range(5)]
    runs = naive.table({run: {name: ["d"] for name in names} for run in "ab"})
    qrels = naive.judgments({name: {"d": 1, "e": 1} for name in names[:4]} | {"q4": {"d": 0}})
    view = View(positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels")), "binary")

    def topics(**options):
        return [block.topics.tolist() for block in view.blocks(**options)]

    assert topics() == [[0, 1, 2, 3]]
    assert topics(empty=True) == [[4], [0, 1, 2, 3]]
    assert topics(most=8) == [[0, 1], [2, 3]]  # two items of two runs each
    assert topics(most=12) == [[0, 1, 2], [3]]
    assert topics(most=7) == topics(most=1) == [[0], [1], [2], [3]]


def two_lists(rank):
    """Return a join of two runs that found two of three items, one of them at a given rank."""
    runs = naive.table({"r": {"q": ["b", "c"]}, "s": {"q": ["c", "b"], "p": ["a"]}})
    qrels = naive.judgments({"q": {"a": 1, "b": 2, "c": 1}, "p": {"a": 1}})
    found = positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"))
    return replace(found, rank=np.where(found.rank == 2, float(rank), found.rank))


@pytest.mark.parametrize(
    "rank", [2, (1 << 29) - 3, (1 << 29) - 2, (1 << 29) - 1, 1 << 29, (1 << 29) + 1, 1 << 33]
)
def test_ranks_of_any_size_are_sorted_and_no_rank_is_taken_for_infinity(rank):
    view = View(two_lists(rank), "binary")
    few, many = view.blocks()
    assert few["rank"].tolist() == [[[inf, 1]]]
    assert many["rank"][:, 0].tolist() == [[1, 1], [rank, rank], [inf, inf]]
    assert many["grade"][:, 0].tolist() == [[2, 1], [1, 2], [1, 1]]
    assert many["items"][:, 0].tolist() == [[inf, inf], [1, rank], [rank, 1]]


@pytest.mark.parametrize(
    ("rank", "kind"),
    [
        (2, np.int8),
        (126, np.int8),
        (127, np.int16),
        (32766, np.int16),
        (32767, np.int32),
        (1 << 29, np.int32),
    ],
)
@pytest.mark.parametrize("padded", [False, True])
def test_small_ranks_are_held_in_few_bits_and_the_largest_number_is_infinity(rank, kind, padded):
    view = View(two_lists(rank), "binary", padded=padded)
    assert view.small.dtype == kind
    wide = view.column("rank")
    assert view.small.tolist() == np.where(wide == inf, np.iinfo(kind).max, wide).tolist()


@pytest.mark.parametrize("ties", ["docid", "expected"])
def test_where_orders_are_averaged_items_stand_by_what_is_above_them(ties):
    runs = pd.DataFrame(
        {"run": "r", "query_id": "q", "doc_id": list("abcde"), "score": [1.0, 2.0, 1.0, 3.0, 1.0]}
    )
    qrels = naive.judgments({"q": {"a": 1, "b": 2, "e": 3, "z": 4}})
    found = positions.join(reader.read(runs, "runs"), reader.read(qrels, "qrels"), ties=ties)
    order = (
        [[2], [1], [3], [4]] if ties == "expected" else [[2], [3], [1], [4]]
    )  # of a and e, e comes first by name
    assert cells(found, "graded", "grade") == {"q": order}
    assert cells(found, "graded", "start") == {"q": [[1], [2], [2], [inf]]}


def test_the_items_of_some_users_are_looked_at_alone(found):
    kept = np.isin(np.arange(len(found.judged.topic)), [0, 2, 4])  # a and c of q1, a of q2
    view = View(found, "binary", None, kept)
    assert view.items.tolist() == [0, 2, 4]
    assert view.count.tolist() == [2, 1, 0, 0]
    assert view.first.tolist() == [0, 2, 3, 3]
    assert view.slot.tolist() == [0, -1, 1, -1, 0, -1, -1, -1, -1]
    [few, many] = view.blocks()
    assert many["rank"][:, 0].tolist() == [[3, 1], [5, inf]]
    assert few["rank"][:, 0].tolist() == [[2, inf]]


@pytest.mark.parametrize(
    ("sizes", "small", "groups"),
    [
        ([8, 10, 11, 20, 0], 0, [[0], [8, 10], [11], [20]]),  # up to a fourth more
        ([4, 5, 6, 7, 0], 0, [[0], [4, 5], [6, 7]]),
        ([1, 2, 3, 4, 9], 3, [[1, 2, 3], [4], [9]]),
        ([1, 2, 3, 4, 9], 4, [[1, 2, 3, 4], [9]]),
        ([0, 1, 2, 9, 9], 9, [[0], [1, 2, 9, 9]]),
        ([3, 3, 0, 0, 3], 0, [[0, 0], [3, 3, 3]]),
    ],
)
def test_padded_topics_of_about_as_many_items_share_a_group(monkeypatch, sizes, small, groups):
    runs = naive.table({"a": {f"q{i}": ["d0"] for i in range(5)}, "b": {"q0": ["d0"]}})
    grades = {
        f"q{i}": {"never": 0} | {f"d{at}": 1 for at in range(size)} for i, size in enumerate(sizes)
    }
    found = positions.join(reader.read(runs, "runs"), reader.read(naive.judgments(grades), "qrels"))
    monkeypatch.setattr(blocks, "SMALL", small * 10)  # of five topics and two runs
    made = View(found, "binary", padded=True).groups
    assert [[sizes[topic] for topic in group.topics] for group in made] == groups
    assert [group.size for group in made] == [max(group) for group in groups]
    ends = np.cumsum([max(group) * len(group) * 2 for group in groups]).tolist()
    assert [(group.cells.start, group.cells.stop) for group in made] == [*zip([0, *ends], ends)]


@pytest.mark.parametrize(("kind", "level"), [("binary", None), ("graded", 2), ("judged", 2)])
@pytest.mark.parametrize(("padded", "small"), [(False, 0), (True, 0), (True, 3), (True, 1 << 16)])
def test_every_cell_of_topics_that_share_a_block_is_that_of_a_plain_loop(
    monkeypatch, kind, level, padded, small
):
    lists, grades = drawn(3)
    both = joined(lists, grades)
    monkeypatch.setattr(blocks, "SMALL", small * both.retrieved.size)
    every_cell(both, Plain(lists, grades, level), View(both, kind, level, padded=padded), kind, 60)


def test_items_of_subtopics_are_those_with_a_relevant_one():
    lists, grades = drawn(6)
    both = joined(lists, grades)
    every_subtopic(both, Plain(lists, grades, 2), View(both, "subtopic", 2), 1 << 21)
