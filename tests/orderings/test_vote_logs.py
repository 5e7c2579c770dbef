"""Logs of votes as preferences: both directions, repeats, ties, judges; and what is wrong with a log."""

import pandas as pd
import pyarrow as pa
import pytest

import pdeval


def log(*rows, columns=("a", "b", "winner")):
    return pd.DataFrame(rows, columns=list(columns))


def rows(frame):
    return frame.astype(object).values.tolist()


def test_votes_in_both_directions_and_repeated_are_of_one_pair():
    made = pdeval.votes(log(("x", "y", "a"), ("y", "x", "a"), ("x", "y", "x"), ("y", "x", "b")))
    assert rows(made) == [["all", "x", "y", "votes", 0.5]]  # three of four for x


def test_a_tie_of_any_kind_counts_for_neither():
    ties = ["tie", "both bad", "Tie (bothbad)", "neither", "draw"]
    made = pdeval.votes(log(*(("x", "y", word) for word in ties), ("x", "y", "a")))
    assert made["value"].tolist() == [1 / 6]


def test_queries_are_kept_apart_or_pooled():
    held = log(
        ("x", "y", "x", "q1"),
        ("x", "y", "y", "q2"),
        ("x", "y", "y", "q2"),
        columns=("a", "b", "winner", "qid"),
    )
    assert rows(pdeval.votes(held)) == [
        ["q1", "x", "y", "votes", 1.0],
        ["q2", "x", "y", "votes", -1.0],
    ]
    assert pdeval.votes(held).columns[0] == "qid"
    assert pdeval.votes(held, per="all")["value"].tolist() == [-1 / 3]


def test_an_unknown_column_of_queries_is_asked_for():
    """Its votes were pooled as the query 'all'."""
    held = log(
        ("x", "y", "x", "who?"),
        ("x", "y", "y", "what?"),
        columns=("a", "b", "winner", "user_input"),
    )
    with pytest.raises(
        ValueError,
        match=r"cannot determine the query column among a, b, winner, user_input\. Specify it: .*'\), or",
    ):
        pdeval.votes(held)
    assert pdeval.votes(held, query="user_input")["user_input"].tolist() == ["what?", "who?"]
    assert rows(pdeval.votes(held, per="all")) == [["all", "x", "y", "votes", 0.0]]


def test_judges_are_counted_where_they_are_named():
    held = log(
        ("x", "y", "x", "ann"),
        ("x", "y", "x", "ann"),
        ("x", "y", "y", "bob"),
        columns=("a", "b", "winner", "judge"),
    )
    assert pdeval.votes(held)["value"].tolist() == [1 / 3]
    by_judge = pdeval.votes(held, query="judge")
    assert rows(by_judge) == [["ann", "x", "y", "votes", 1.0], ["bob", "x", "y", "votes", -1.0]]
    assert by_judge.ireval.compare()["n"].tolist() == [2]


def test_votes_are_ordered_compared_and_drawn_as_preferences():
    beats = [("z", "y"), ("z", "x"), ("y", "x")]
    held = log(
        *((one, two, one, q) for one, two in beats for q in "123"),
        columns=("a", "b", "winner", "query_id"),
    )
    made = pdeval.votes(held)
    assert made.ireval.order()["run"].tolist() == ["z", "y", "x"]
    assert made.ireval.matrix("votes").loc["z", "x"] == 1.0
    assert repr(made.ireval).startswith("preferences table: 3 pairs x 3 queries")


def test_the_columns_of_an_arena_are_understood():
    held = pd.DataFrame(
        {
            "model_a": ["m1", "m2", "m1"],
            "model_b": ["m2", "m1", "m2"],
            "response_a": "text",
            "response_b": "text",
            "winner_model_a": [1, 0, 0],
            "winner_model_b": [0, 0, 1],
            "winner_tie": [0, 1, 0],
        }
    )
    assert rows(pdeval.votes(held)) == [["all", "m1", "m2", "votes", 0.0]]
    named = held.assign(winner=["model_a", "tie", "model_b"])
    assert rows(pdeval.votes(named)) == rows(pdeval.votes(held))
    assert rows(pdeval.votes(pa.Table.from_pandas(named))) == rows(pdeval.votes(held))


def test_runs_are_numbered_as_people_read_them_and_keep_their_type():
    made = pdeval.votes(log((10, 2, 10), (2, 10, 10)))
    assert rows(made) == [["all", 2, 10, "votes", -1.0]]


def test_the_order_of_votes_does_not_matter():
    held = log(("x", "y", "x"), ("y", "z", "z"), ("z", "x", "tie"), ("y", "x", "y"))
    for seed in range(3):
        mixed = held.sample(frac=1, random_state=seed)
        assert rows(pdeval.votes(mixed)) == rows(pdeval.votes(held))
        by_query = [pdeval.votes(one.assign(qid=one.index % 2)) for one in (mixed, held)]
        assert rows(by_query[0]) == rows(by_query[1])
        assert by_query[0]["qid"].is_monotonic_increasing


GOOD = log(("x", "y", "x"), ("y", "z", "tie"))
THREE = pd.DataFrame(
    {"a": ["x", "x"], "b": ["y", "y"], "winner_a": [1, 1], "winner_b": [0, 1], "winner_tie": [0, 0]}
)
FAULTS = {
    "an unknown system": (
        lambda: pdeval.votes(log(("x", "y", "x"), ("x", "y", "w"))),
        r"1 votes have an unknown winner, first in row 1: 'w', between 'x' and 'y'\. Use the name of",
    ),
    "a system of another vote": (
        lambda: pdeval.votes(log(("x", "y", "z"), ("y", "z", "y"))),
        "first in row 0: 'z'",
    ),
    "a system that is no run": (
        lambda: pdeval.votes(GOOD, runs=["x", "y"]),
        r"1 systems of the log are not in runs=, e\.g\. 'z'; runs= has x, y\. Drop their votes, or add",
    ),
    "no winner": (
        lambda: pdeval.votes(log(("x", "y", "x"), ("x", "y", None))),
        r"1 votes have no winner, first in row 1. Drop them with .dropna\(subset=\['winner'\]\)",
    ),
    "no system": (
        lambda: pdeval.votes(log(("x", None, "x"))),
        r"1 votes have no system, first in row 0\. Drop them\.",
    ),
    "itself": (
        lambda: pdeval.votes(log(("x", "x", "x"))),
        r"1 votes compare a system with itself, first in row 0: 'x'\. Drop them\.",
    ),
    "contradictory columns": (
        lambda: pdeval.votes(THREE),
        r"1 votes are contradictory, first in row 1: winner_a=1, winner_b=1, winner_tie=0\. Exactly",
    ),
    "a system called b": (
        lambda: pdeval.votes(log(("b", "c", "b"))),
        "1 votes have a winner that is both the name of a system and a word for a side or a tie,",
    ),
    "no winner column": (
        lambda: pdeval.votes(GOOD[["a", "b"]]),
        r"no column 'winner' of winners, nor winner_a, winner_b, winner_tie; the log has a, b\.",
    ),
    "no sides": (
        lambda: pdeval.votes(GOOD[["a", "winner"]]),
        r"cannot determine the columns of the two systems among a, winner; candidates: none\.",
    ),
    "two kinds of sides": (
        lambda: pdeval.votes(
            pd.DataFrame(columns=["x_a", "x_b", "y_a", "y_b", "winner"], data=[list("abcda")])
        ),
        "cannot determine the columns of the two systems among x_a, x_b, y_a, y_b, winner;",
    ),
    "one side": (
        lambda: pdeval.votes(GOOD, a="a"),
        r"a= and b= must be passed together\. Pass both columns of systems\.",
    ),
    "a lost column": (
        lambda: pdeval.votes(GOOD, a="a", b="c"),
        "no column 'c'; the log has a, b, winner",
    ),
    "a lost query": (lambda: pdeval.votes(GOOD, query="q"), "no column 'q'; the log has"),
    "a missing query": (
        lambda: pdeval.votes(GOOD.assign(qid=["1", None])),
        r"column 'qid' has 1 missing values\. Drop these votes\.",
    ),
    "two queries": (
        lambda: pdeval.votes(GOOD.assign(qid="1", topic="1")),
        r"ambiguous query column: 'qid' or 'topic'\. Specify it, e\.g\. query='qid'\.",
    ),
    "no votes": (lambda: pdeval.votes(GOOD.head(0)), "the log has no votes"),
    "another word": (
        lambda: pdeval.votes(GOOD, per="judge"),
        "per='judge': choose 'query', 'all' or 'vote'",
    ),
    "no table": (lambda: pdeval.votes([("x", "y", "x")]), "expected a log of votes, got list"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_is_wrong_with_a_log_is_told(case):
    call, text = FAULTS[case]
    with pytest.raises((ValueError, KeyError, TypeError), match=text):
        call()


def test_the_log_is_not_changed():
    before = GOOD.copy(deep=True)
    pdeval.votes(GOOD)
    pd.testing.assert_frame_equal(GOOD, before)
