"""Runs joined to judgments, with the rules by which they are read."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.join import judged
from pdeval.verbs.arguments import TooFew
from tests import naive

LISTS = {"a": {"1": ["x", "y"], "2": ["x"]}, "b": {"1": ["y"]}}
GRADES = {"1": {"x": 2, "y": 0}, "2": {"x": 1}, "3": {"x": 3}}


def joined(lists=LISTS, **options):
    return judged.join(naive.table(lists), naive.judgments(GRADES), **options)


def test_a_join_names_its_runs_queries_tables_and_rules():
    made = joined(level=2, queries="common", depth=5, ties="first")
    assert made.runs["run"].tolist() == ["a", "b"]
    assert (made.queries.tolist(), made.queries.name) == (["1", "2", "3"], "query_id")
    assert [len(table.frame) for table in made.tables] == [4, 4]
    assert made.attrs == {
        "queries": "common",
        "level": 2,
        "ties": "first",
        "compat": "trec_eval-10",
        "depth": 5,
        "run_columns": ["run"],
        "query_column": "query_id",
        "doc_column": "doc_id",
    }
    with pytest.raises(
        ValueError, match="this verb needs the run table, which this join no longer has"
    ):
        _ = made.on(replace(made.positions, source=None)).tables


def test_another_level_or_rule_joins_nothing_again():
    made = joined(level=2)
    assert (
        made.query_rule,
        made.at().level,
        made.at(level=None).level,
        made.at(level=1).level,
    ) == (
        "relevant",
        2,
        None,
        1,
    )
    other = made.at(queries="common")
    assert (other.level, other.query_rule, other.positions is made.positions) == (2, "common", True)
    assert other.warned == {
        "missing queries"
    }  # who chose the queries is not told which are missing
    assert made.at(level=1).warned == made.warned == set()
    both = made.at(level=None, queries="judged")
    assert (both.level, both.query_rule) == (None, "judged")
    assert made.at(level=1).query_rule == "relevant"
    moved = made.on(made.positions.keep_runs(np.array([True, False])))
    assert (moved.level, moved.query_rule, len(moved.runs), moved.warned is made.warned) == (
        2,
        "relevant",
        1,
        True,
    )


@pytest.mark.parametrize("level", [0, -1, "2", True - 1, np.nan])
def test_a_level_that_is_no_number_above_0_is_refused(level):
    text = "the smallest relevant grade must be a number above 0"
    with pytest.raises(ValueError, match=text):
        judged.checked_level(level)
    with pytest.raises(ValueError, match=text):
        joined().at(level=level)
    with pytest.raises(ValueError, match=text):
        joined(level=level)
    assert [judged.checked_level(one) for one in (None, 1, 0.5, np.float32(2))] == [None, 1, 0.5, 2]


def test_queries_count_by_the_level_of_the_join_or_another():
    made = joined(level=2)
    assert made.counted().tolist() == [[True, True], [False, False], [True, True]]
    assert made.counted(1).tolist() == [[True, True]] * 3
    assert made.at(queries="answered").counted().tolist() == [
        [True, True],
        [True, False],
        [False, False],
    ]
    error = made.nothing_counts()
    assert isinstance(error, TooFew)
    assert str(error).startswith(
        "no judged query has an item with a grade of at least 2 (the largest grade is 3)"
    )


def told(ask):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ask()
    return [(str(one.message), one.filename) for one in caught]


def test_missing_queries_are_told_once_for_a_join():
    made = joined()
    text = (
        "2 of 3 judged queries are missing from run 'b', and some from 1 other run; "
        "they get the worst possible score."
    )
    assert told(made.warn_of_missing_queries) == [(text, __file__)]
    assert told(made.warn_of_missing_queries) == []
    assert made.warned == {"missing queries"}
    assert told(made.at(queries="relevant").warn_of_missing_queries) == []
    one = joined()
    assert told(lambda: one.warn_of_missing_queries(pairs=(np.array([0]), np.array([0])))) == [
        (
            "1 of 3 judged queries are missing from run 'a'; they get the worst possible score.",
            __file__,
        )
    ]
    none = joined()
    assert told(lambda: none.warn_of_missing_queries(np.zeros((3, 2), dtype=bool))) == []
    assert none.warned == set()
    assert told(lambda: none.warn_once("this", "look")) == [("look", __file__)]
    assert told(lambda: none.warn_once("this", "look")) == []


def test_a_join_that_is_kept_has_tables_of_its_own():
    made = joined(level=2, queries="judged")
    kept = made.with_copied_tables()
    assert (kept.level, kept.query_rule, kept.warned is made.warned) == (2, "judged", True)
    for one, other in zip(kept.tables, made.tables):
        pd.testing.assert_frame_equal(one.frame, other.frame)
        assert one.frame is not other.frame
        assert not np.shares_memory(
            one.frame.iloc[:, -1].to_numpy(), other.frame.iloc[:, -1].to_numpy()
        )
    bare = made.on(replace(made.positions, source=None))
    assert bare.with_copied_tables() is bare


@pytest.mark.parametrize(
    ("strangers", "shown"),
    [(1, "'n0'"), (3, "'n0', 'n1', 'n2'"), (4, "'n0', 'n1', 'n2', ... (4 in all)")],
)
def test_runs_none_of_whose_items_is_judged_are_told(strangers, shown):
    lists = LISTS | {f"n{at}": {"1": ["other"]} for at in range(strangers)}
    text = f"no item of {shown} is judged for any query. Check that its ids are those of the judgments."
    assert told(lambda: joined(lists)) == [(text, __file__)]
    assert told(joined) == []


def test_side_tables_are_joined_too():
    items = pd.DataFrame({"doc_id": ["x", "y"]})
    history = pd.DataFrame({"query_id": ["1"], "doc_id": ["x"]})
    assert joined().positions.listed is None
    with_items = joined(items=items, judged_only=True)
    assert with_items.positions.listed.catalog.given == (items, None)
    assert with_items.positions.rules["judged_only"]
    assert joined(history=history).positions.listed.catalog.given == (None, history)


def test_messages_speak_of_users_if_the_table_does():
    runs = pd.DataFrame({"run": "a", "user_id": ["1"], "item_id": ["x"], "score": [1.0]})
    clicks = pd.DataFrame({"user_id": ["1", "2"], "item_id": "x", "rating": 1})
    with pytest.warns(UserWarning, match="1 of 2 judged users are missing from run 'a'"):
        runs.ireval.measure(clicks, "AP")
    with pytest.raises(ValueError, match="no judged user has an item with a grade of at least 3"):
        runs.ireval.measure(clicks, "AP", level=3)


def halves():
    join = pdeval.datasets.sample_judged()
    first = np.arange(len(join.queries)) < 20
    computed = {}
    return [join.keep_topics(kept, computed) for kept in (first, ~first)]


def test_an_array_of_topics_is_computed_once_for_all_groups():
    calls = []

    def retrieved(judged):
        calls.append(len(judged.queries))
        return judged.positions.retrieved

    for part in halves():
        assert (part.per_topic("sizes", retrieved) == part.positions.retrieved).all()
    assert calls == [50]


def test_rows_of_relevant_items_are_those_of_the_group_at_its_level():
    def grades(judged):
        return judged.positions.judged.grade[judged.positions.relevant(judged.level)]

    for part in (half.at(level=2) for half in halves()):
        assert (part.per_topic("grades", grades, of_relevant=True) == grades(part)).all()


def test_what_fails_for_all_topics_is_computed_for_each_group():
    def sizes(judged):
        if len(judged.queries) == 50:
            raise ValueError("query 7 of another group is odd")
        return judged.positions.retrieved

    for part in halves():
        assert (part.per_topic("sizes", sizes) == part.positions.retrieved).all()


def test_a_change_of_the_join_of_all_groups_is_a_change_of_each():
    kept = np.arange(12) % 2 == 0
    for part in halves():
        changed = part.changed("even", lambda one: one.on(one.positions.keep_runs(kept)))
        expected = part.positions.keep_runs(kept)
        assert changed.queries.equals(expected.queries)
        assert changed.runs.equals(expected.runs)
        assert (changed.positions.rank == expected.rank).all()
        assert (changed.positions.item == expected.item).all()
