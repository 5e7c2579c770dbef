"""What lists hold, rank by rank, against plain lists of items."""

import numpy as np
import pandas as pd
import pytest

from pdeval.join import positions
from pdeval.join.item_catalog import catalog_of
from pdeval.tables import reader
from tests import naive

ITEMS = pd.DataFrame({"item_id": list("fedcba")})
LISTS = {
    "one": {"u": ["a", "b", "c", "d"], "v": ["f"], "x": ["z"]},  # nobody judged x, nor knows z
    "two": {"u": ["d"], "w": ["e", "a", "b"]},
    "two again": {"v": ["b", "a"]},
}
GRADES = {"u": {"a": 1, "b": 0}, "v": {"c": 1}, "w": {"e": 2}}
USERS, RUNS = sorted(GRADES), sorted(LISTS)


def read(shuffled=False, lists=LISTS):
    frame = naive.table(lists)
    frame = frame.sample(frac=1, random_state=3, ignore_index=True) if shuffled else frame
    names = {"query_id": "user_id", "doc_id": "item_id"}
    return reader.read(frame.rename(columns=names), "runs"), reader.read(
        naive.judgments(GRADES).rename(columns={**names, "relevance": "rating"}), "qrels"
    )


def joined(items=ITEMS, history=None, shuffled=False, lists=LISTS, **rules):
    return positions.join(*read(shuffled, lists), catalog=catalog_of(items, history), **rules)


def wanted(k, users=USERS, runs=RUNS):
    """Return the codes of the items at ranks 1 to k, -1 beyond the end of a list, as a nested list."""
    codes = {item: at for at, item in enumerate(ITEMS["item_id"])}
    held = [[LISTS.get(run, {}).get(user, []) for run in runs] for user in users]
    return [
        [[codes[own[at]] if at < len(own) else -1 for own in row] for row in held]
        for at in range(k)
    ]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("ties", ["docid", "rank", "first"])
def test_the_items_at_the_first_ranks_are_those_of_each_list(shuffled, ties):
    found = joined(shuffled=shuffled, ties=ties).listed
    for k in (2, 1, 3, 4, 99, np.inf, 2):  # less, more, and less again
        top = found.top(k)
        assert top.tolist() == wanted(int(min(k, 4)))
        assert top.dtype == np.int32
    assert found.deepest() == 4
    assert [*found.made] == [4]  # the deepest that was asked for serves the others
    kept = found.made[4]
    assert found.top(4).tolist() == wanted(4)
    assert found.made[4] is kept
    assert found.top(0.5).tolist() == wanted(1)


@pytest.mark.parametrize(("depth", "deepest"), [(None, 4), (2, 2), (4, 4), (9, 4)])
def test_no_item_beyond_the_depth_of_the_join_is_looked_at(depth, deepest):
    at = joined(depth=depth)
    assert at.rules["depth"] == depth
    assert at.listed.deepest() == deepest
    assert at.listed.top(9).tolist() == wanted(deepest)
    assert at.retrieved.max() == deepest


def test_some_topics_and_runs_are_looked_at_alone():
    at = joined()
    some = at.keep_topics(np.array([True, False, True])).keep_runs(np.array([False, True, True]))
    assert some.listed.top(3).tolist() == wanted(3, ["u", "w"], ["two", "two again"])
    assert at.listed.top(3).tolist() == wanted(3)
    placed = at.listed.placed(np.array([3, -1, 0]), 5)
    assert placed.runs.tolist() == [2, -1, -1, 0, -1]
    assert placed.top(2).tolist() == wanted(2, runs=["two again", "none", "none", "one", "none"])


def test_the_place_of_each_user_in_the_history_is_looked_up_once_for_all():
    history = pd.DataFrame({"user_id": list("wtu"), "item_id": list("abc")})
    found = joined(history=history).listed
    assert found.users().tolist() == [1, -1, 2]  # of t, u, w
    assert found.keep_topics(np.array([1])).users().tolist() == [-1]
    assert len(found.user) == 1


@pytest.mark.parametrize("more", [0, 1])
def test_recommended_items_that_nobody_knows_are_named(more):
    strange = LISTS | {"two": {"u": ["z", "y", "x", "w"][: 3 + more], "v": ["z"]}}
    shown = "'w', 'x', 'y', ..." if more else "'x', 'y', 'z'"
    with pytest.raises(ValueError) as caught:
        joined(lists=strange).listed.top(9)
    assert str(caught.value) == (
        f"{3 + more} recommended items are not in items=: {shown}; add the missing items to items=, which must have "
        "every item that could be recommended."
    )
    history = pd.DataFrame({"user_id": "u", "item_id": list("abcdef")})
    with pytest.raises(
        ValueError,
        match=r"not in history=: .*; pass items= with every item that could be recommended",
    ):
        joined(None, history, lists=strange).listed.top(9)
    with pytest.raises(
        ValueError, match="the doc ids are strings in the run table and integers in items="
    ):
        joined(pd.DataFrame({"item_id": [1, 2]})).listed.top(1)


@pytest.mark.broad
def test_the_join_with_lists_is_the_join_without_under_every_rule():
    for rules in (
        {},
        {"ties": "first"},
        {"depth": 2},
        {"judged_only": True},
        {"complete": False},
        {"validate": False},
    ):
        plain, with_lists = (
            positions.join(*read(shuffled=True), **rules),
            joined(shuffled=True, **rules),
        )
        for name in ("item", "run", "rank", "start", "size", "retrieved", "list_sizes"):
            assert getattr(plain, name).tolist() == getattr(with_lists, name).tolist()
        assert (plain.rules, plain.complete) == (with_lists.rules, with_lists.complete)
        assert plain.judged.grade.tolist() == with_lists.judged.grade.tolist()
    asked = joined(judged_only=True, complete=False)
    assert asked.complete
    with pytest.raises(ValueError, match="1 duplicate"):
        joined(lists=LISTS | {"two": {"u": ["a", "a"]}})


@pytest.mark.parametrize(("ties", "first"), [("docid", "fedcb"), ("first", "bfced")])
def test_tied_items_stand_by_the_rule_of_the_join(ties, first):
    frame = pd.DataFrame({"user_id": "u", "item_id": list("bfcaed"), "score": [2.0, 2, 2, 1, 2, 2]})
    tested = pd.DataFrame({"user_id": ["u"], "item_id": ["a"], "rating": [1]})
    for rows in (
        frame,
        frame.sort_values("score", kind="stable"),
    ):  # sorted already but for one, and turned about
        runs = reader.read(rows.reset_index(drop=True), "runs")
        found = positions.join(
            runs, reader.read(tested, "qrels"), catalog=catalog_of(ITEMS, None), ties=ties
        ).listed
        for k in (2, 5):
            codes = found.top(k)[:, 0, 0]
            assert "".join(ITEMS["item_id"].iloc[codes]) == first[:k]
