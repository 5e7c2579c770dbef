"""Which queries count, by hand, and what is said of those that runs did not answer."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pdeval.join import positions
from pdeval.join.judged import Judged
from pdeval.join.rules import outside
from pdeval.tables import reader
from tests import naive

# a answers 1, 2 and 4, b answers 1 and 3, c answers 1; 3 has nothing relevant at 2, 4 nothing at all
LISTS = {
    "a": {"1": ["x"], "2": ["x"], "4": ["x"]},
    "b": {"1": ["x"], "3": ["x"]},
    "c": {"1": ["y"]},
}
GRADES = {"1": {"x": 2}, "2": {"x": 3}, "3": {"x": 1, "y": 0}, "4": {"x": 0}}
Y, N = True, False


@pytest.fixture(scope="module")
def found():
    return positions.join(
        reader.read(naive.table(LISTS), "runs"), reader.read(naive.judgments(GRADES), "qrels")
    )


def counted(found, topics, level):
    return Judged(found, level, topics).counted()


def nothing_text(found, topics, level):
    return str(Judged(found, level, topics).nothing_counts())


def warn_missing(found, used, topics):
    judged = Judged(found, None, topics)
    judged.warn_of_missing_queries(used)
    return judged.warned == {"missing queries"}


@pytest.mark.parametrize(
    ("topics", "level", "wanted"),
    [
        ("relevant", None, [[Y, Y, Y], [Y, Y, Y], [Y, Y, Y], [N, N, N]]),
        ("relevant", 2, [[Y, Y, Y], [Y, Y, Y], [N, N, N], [N, N, N]]),
        ("judged", None, [[Y, Y, Y], [Y, Y, Y], [Y, Y, Y], [Y, Y, Y]]),
        ("answered", None, [[Y, Y, Y], [Y, N, N], [N, Y, N], [Y, N, N]]),
        ("common", None, [[Y, Y, Y], [N, N, N], [N, N, N], [N, N, N]]),
    ],
)
def test_which_queries_count_for_which_run(found, topics, level, wanted):
    used = counted(found, topics, level)
    assert used.dtype == bool
    assert used.tolist() == wanted


def test_only_queries_missing_from_the_runs_of_the_pairs_are_counted(found):
    with pytest.warns(UserWarning, match=r"^2 of 3 .* from run 'c', and some from 1 other run;"):
        Judged(found).warn_of_missing_queries(pairs=(np.array([0]), np.array([2])))


def told(found, queries="relevant"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = warn_missing(found, counted(found, queries, None), queries)
    assert said == bool(caught)
    return [(str(one.message), one.filename) for one in caught]


def test_the_run_with_most_missing_queries_is_named_where_it_was_asked(found):
    text = (
        "2 of 3 judged queries are missing from run 'c', and some from 2 other runs; "
        "they get the worst possible score."
    )
    assert told(found) == [(text, __file__)]
    two = found.keep_runs(np.array([Y, N, Y]))
    assert told(two)[0][0].startswith(
        "2 of 3 judged queries are missing from run 'c', and some from 1 other run;"
    )
    one = found.keep_runs(np.array([Y, N, N]))
    assert told(one)[0][0].startswith("1 of 3 judged queries are missing from run 'a';")


@pytest.mark.parametrize("topics", ["answered", "common"])
def test_nothing_is_said_where_what_is_missing_does_not_count(found, topics):
    assert told(found, topics) == []
    assert told(found.keep_topics(np.array([Y, N, N, N]))) == []


def test_why_no_query_counts_is_said(found):
    assert nothing_text(found, "common", None).startswith(
        "no judged query was answered by all runs"
    )
    assert nothing_text(found, "relevant", 9) == (
        "no judged query has an item with a grade of at least 9 (the largest grade is 3), "
        "so there is no query to evaluate."
    )
    assert "has an item with a positive grade (the largest grade is 3)" in nothing_text(
        found, "relevant", None
    )


@pytest.mark.parametrize(("many", "more"), [(3, ""), (5, r", \.\.\. \(5 in all\)")])
def test_of_runs_without_a_judged_item_three_are_named(many, more):
    rows = [(f"x{run}", "q", f"other{n}", -n) for run in range(many) for n in range(12)] + [
        ("y", "q", "d", 1)
    ]
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1]})
    with pytest.warns(UserWarning, match=f"no item of 'x0', 'x1', 'x2'{more} is judged"):
        runs.ireval.join(qrels).measure("AP")


def test_a_rule_that_there_is_not_is_refused(found):
    with pytest.raises(
        ValueError, match="queries='all': choose 'relevant', 'judged', 'answered' or 'common'"
    ):
        counted(found, "all", None)


def test_a_list_of_which_nothing_is_left_is_an_answer(found):
    assert (
        counted(found.only_judged(), "answered", None).tolist()
        == counted(found, "answered", None).tolist()
    )


def test_only_queries_that_count_are_missing(found):
    used = np.zeros((4, 3), dtype=bool)
    used[1:3, 0] = True  # of queries 2 and 3, a answers the first
    with pytest.warns(
        UserWarning,
        match=r"^1 of 2 judged queries are missing from run 'a'; they get the worst possible score",
    ):
        assert warn_missing(found, used, "relevant")
    used[2] = False
    assert not warn_missing(found, used, "judged")
    used[3] = [True, True, True]
    used[2, 2] = True
    with pytest.warns(
        UserWarning,
        match=r"^2 of 3 judged queries are missing from run 'c', and some from 1 other run;",
    ):
        assert warn_missing(found, used, "judged")
    same = np.array([[N, N, N], [N, Y, Y], [N, N, N], [N, N, N]])
    with pytest.warns(
        UserWarning, match=r"missing from run 'b', and some from 1 other run;"
    ):  # of equals the first
        assert warn_missing(found, same, "relevant")


def test_the_largest_grade_that_is_said_is_0_where_none_is_positive(found):
    none = found.keep_topics(np.array([N, N, N, Y])).keep_items(np.array([False]))
    assert "(the largest grade is 0)" in nothing_text(none, "judged", None)
    assert "a grade of at least 0.5 (" in nothing_text(found, "answered", 0.5)


def test_the_first_frame_outside_of_the_package_is_counted():
    assert outside() == 1
    scope = {"__name__": "pdeval.some.room", "outside": outside}
    exec("def inner():\n    return outside()\ndef outer():\n    return inner()", scope)
    assert (scope["inner"](), scope["outer"]()) == (2, 3)
    other = {"__name__": "pdeval_of_others", "outside": outside}
    exec("def inner():\n    return outside()", other)
    assert other["inner"]() == 1
