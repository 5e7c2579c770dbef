"""Both tables made ready: the rules that go together, the errors of those that do not, and the order of scores."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import pdeval  # noqa: F401 - registers .ireval
from pdeval.join import id_mismatch, lists, positions, ranks
from pdeval.join import rules as join_rules
from pdeval.tables import reader
from tests import naive

SCORED = reader.read(pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]}), "runs")
RANKED = reader.read(pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "rank": [1]}), "runs")
BOTH = reader.read(
    pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "rank": [1], "score": [1.0]}), "runs"
)


@pytest.mark.parametrize("compat", ["trec_eval-10", "trec_eval-9", "pref_eval"])
@pytest.mark.parametrize("depth", [None, 1, 2, np.int64(1)])
def test_the_order_inside_a_list_is_by_document_where_there_are_scores_and_else_by_rank(
    compat, depth
):
    assert join_rules.checked_rules(None, compat, depth, SCORED) == "docid"
    assert join_rules.checked_rules(None, compat, depth, BOTH) == "docid"
    assert join_rules.checked_rules(None, compat, depth, RANKED) == "rank"
    for ties in ("docid", "rank", "first"):
        assert join_rules.checked_rules(ties, compat, depth, BOTH) == ties
    assert join_rules.checked_rules("expected", compat, None, SCORED) == "expected"


@pytest.mark.parametrize(
    ("ties", "compat", "depth", "table", "text"),
    [
        (
            None,
            "trec_eval",
            None,
            SCORED,
            "compat='trec_eval': choose 'trec_eval-10', 'trec_eval-9' or 'pref_eval'",
        ),
        (
            "random",
            "pref_eval",
            None,
            SCORED,
            "ties='random': choose 'docid', 'rank', 'first' or 'expected'",
        ),
        *[
            (
                None,
                "trec_eval-9",
                wrong,
                SCORED,
                f"depth={wrong!r}: expected an integer of at least 1",
            )
            for wrong in (0, -1, 1.0, "3", True)
        ],
        (None, "trec_eval-9", 2**63, SCORED, "expected an integer of at most"),
        (
            "rank",
            "trec_eval-10",
            None,
            SCORED,
            r"ties='rank' needs a rank column; bind one with df\.ireval\(rank=",
        ),
        ("docid", "trec_eval-10", None, RANKED, "ties='docid' needs a score column"),
        ("first", "trec_eval-10", None, RANKED, "ties='first' needs a score column"),
        ("expected", "trec_eval-10", None, RANKED, "ties='expected' needs a score column"),
        (
            "expected",
            "trec_eval-10",
            3,
            SCORED,
            "depth= cannot be combined with ties='expected', because tied items have no definite rank. Drop depth=",
        ),
    ],
)
def test_rules_that_do_not_go_together_are_refused(ties, compat, depth, table, text):
    with pytest.raises(ValueError, match=text):
        join_rules.checked_rules(ties, compat, depth, table)


def test_lists_are_sorted_by_what_the_rules_say():
    frame = pd.DataFrame(
        {"query_id": "q", "doc_id": list("ab"), "score": [1 + 1e-12, 1.0], "rank": [4, 2]}
    )
    table = reader.read(frame, "runs")
    assert ranks.scores_of(table, "rank", "trec_eval-9").tolist() == [-4, -2]
    for compat in ("trec_eval-10", "pref_eval"):
        assert ranks.scores_of(table, "docid", compat).tolist() == [1 + 1e-12, 1.0]
    old = ranks.scores_of(table, "docid", "trec_eval-9")
    assert (old.tolist(), old.dtype) == ([1.0, 1.0], np.float32)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_scores_come_list_after_list_with_the_row_of_each(shuffled, turned):
    frame = naive.table({run: {query: list("wxyz") for query in "12"} for run in "ab"})
    frame = frame.assign(score=-frame["score"]) if turned else frame
    frame = frame.sample(frac=1, random_state=2, ignore_index=True) if shuffled else frame
    found = lists.find_lists(reader.read(frame, "runs"))
    step, order = ranks.sorted_scores(frame["score"].to_numpy(), found, "docid")
    if not shuffled and not turned:
        assert order is None
    rows = np.arange(len(frame)) if order is None else order
    score = frame["score"].iloc[rows].tolist()
    assert score == ([4, 3, 2, 1] if turned else [-1, -2, -3, -4]) * 4
    if order is None:
        assert step.tolist() == score
    assert [one == two for at in range(0, 16, 4) for one, two in pairwise(step[at : at + 4])] == [
        False
    ] * 12
    names = list(zip(frame["run"].iloc[rows], frame["query_id"].iloc[rows]))
    assert all(len(set(names[at : at + 4])) == 1 for at in range(0, 16, 4))
    assert len(set(names)) == 4


def equal_ranks(given):
    rows = [
        ("m", 1, "p", "x", 1),
        ("m", 1, "p", "y", 2),
        *(("m", 2, "q", f"d{at}", rank) for at, rank in enumerate(given)),
    ]
    frame = pd.DataFrame(
        [*rows, ("n", 1, "q", "x", 1)], columns=["model", "seed", "query_id", "doc_id", "rank"]
    )
    table = reader.read(frame, "runs", {"run": ["model", "seed"]})
    return ranks.sorted_scores(
        ranks.scores_of(table, "rank", "pref_eval"), lists.find_lists(table), "rank"
    )


def test_a_rank_given_twice_in_a_list_is_refused_with_the_list():
    assert len(equal_ranks([2, 1, 3])[0]) == 6
    for given, many in (([1, 2, 2], 1), ([3, 3, 3], 2), ([5, 1, 5], 1)):
        with pytest.raises(
            ValueError,
            match=rf"^{many} rows have the same rank .* in run 'm / 2', query 'q', so the rank column",
        ):
            equal_ranks(given)


def test_a_query_that_is_a_number_is_shown_as_one():
    table = reader.read(
        pd.DataFrame({"query_id": [1, 7, 7], "doc_id": list("abc"), "rank": [1, 1, 1]}), "runs"
    )
    with pytest.raises(
        ValueError, match=r"^1 rows have the same rank .* in run 'run', query 7, so the rank column"
    ):
        ranks.sorted_scores(
            ranks.scores_of(table, "rank", "pref_eval"), lists.find_lists(table), "rank"
        )


QRELS = naive.judgments({"q": {"a": 1, "b": 0}, "p": {"a": 0}})


def rows(runs, qrels=QRELS, **rules):
    return positions.rows_of(reader.read(runs, "runs"), reader.read(qrels, "qrels"), **rules)


def test_lists_of_queries_that_nobody_judged_have_no_topic():
    runs = naive.table({"x": {"q": ["a", "c"], "zz": ["a"], "p": ["b"]}})
    made = rows(runs)
    names = made.judged.queries.index()
    own = made.lists.queries.index()[made.lists.query]
    assert [names[at] if at >= 0 else None for at in made.topic] == [
        one if one != "zz" else None for one in own
    ]
    assert (made.ties, len(made.doc), len(made.score)) == ("docid", 4, 4)
    assert len(rows(runs, complete=False).judged.topic) == 1
    assert rows(runs.drop(columns="score")).ties == "rank"
    assert rows(runs[:1], ties="first", compat="trec_eval-9").score.dtype == np.float32


def test_tables_that_cannot_be_joined_are_refused():
    runs = naive.table({"x": {"q": ["a", "c"]}})
    with pytest.raises(ValueError, match="the run table is empty; there is nothing to evaluate"):
        rows(runs.head(0))
    with pytest.raises(ValueError, match="depth= cannot be combined with ties='expected'"):
        rows(runs, ties="expected", depth=2)
    with pytest.raises(ValueError, match="depth=0: expected an integer"):
        rows(runs, depth=0)
    with pytest.raises(ValueError, match="compat='old': choose"):
        rows(runs, compat="old")
    with pytest.raises(
        ValueError, match="the query ids are integers in the run table and strings in the judgments"
    ):
        rows(runs.assign(query_id=1))
    with pytest.raises(
        ValueError, match="the doc ids are integers in the run table and strings in the judgments"
    ):
        rows(runs.assign(doc_id=[1, 2]))
    with pytest.raises(ValueError, match="1 duplicate"):
        rows(runs.assign(doc_id="a"))
    assert len(rows(runs.assign(doc_id="a"), validate=False).doc) == 2


@pytest.mark.parametrize(("many", "more"), [(3, ""), (4, ", ...")])
def test_where_no_query_is_judged_three_of_each_table_are_named(many, more):
    runs = naive.table({"x": {f"n{at}": ["a"] for at in range(many)}})
    qrels = naive.judgments({f"j{at}": {"a": 1} for at in range(many)})
    with pytest.raises(id_mismatch.NothingJudged) as caught:
        rows(runs, qrels)
    wanted = f"the runs have 'n0', 'n1', 'n2'{more}, the judgments 'j0', 'j1', 'j2'{more}"
    assert (
        str(caught.value)
        == f"no query of the runs is judged: {wanted}. Use the same ids in both tables."
    )
    assert (caught.value.role, caught.value.some) == ("query", wanted)


def test_scores_are_held_in_the_bits_that_they_came_in_and_huge_ones_are_infinite_in_trec_eval_9():
    frame = pd.DataFrame({"query_id": "q", "doc_id": list("ab"), "score": [1e300, -1e300]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ranks.scores_of(reader.read(frame, "runs"), "first", "trec_eval-9").tolist() == [
            np.inf,
            -np.inf,
        ]
    narrow = reader.read(frame.assign(score=np.array([2, 1], dtype=np.float32)), "runs")
    assert ranks.scores_of(narrow, "docid", "trec_eval-10").dtype == np.float32


def test_one_list_of_the_first_query_is_enough():
    assert rows(naive.table({"x": {"p": ["a"]}})).topic.tolist() == [0]


GAPS = (
    "the ranks of 2 of 5 lists have gaps, e.g. 9 to 9 for 1 item in run 'a', query '3'; the gaps are closed, so these "
    "items have ranks 1 to 1."
)


def with_gaps():
    """Return five lists, of which two have gaps in their ranks, and judgments of their first items."""
    rows = [
        *[
            ("a", "1", "d1", 1),
            ("a", "1", "d2", 2),
            ("a", "2", "d1", 0),
            ("a", "2", "d2", 1),
            ("a", "3", "d1", 9),
        ],
        *[("b", "1", "d2", 4), ("b", "1", "d1", 1), ("b", "2", "d1", 1)],
    ]
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "rank"])
    return runs, pd.DataFrame({"query_id": ["1", "2", "3"], "doc_id": "d1", "relevance": 1})


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5, 6, 7], [7, 4, 0, 6, 2, 5, 3, 1]])
def test_gaps_in_ranks_are_closed_with_one_warning_and_accounted_for(order):
    runs, qrels = with_gaps()
    runs = runs.iloc[order]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        judged = runs.ireval.join(qrels, queries="answered")
        values = judged.measure(["RR@1"])["value"]
        judged.measure(["AP"])
    assert [str(one.message) for one in told] == [GAPS]
    assert values.tolist() == [1.0] * 5
    assert runs.ireval.check(qrels)["rank_gaps"].tolist() == [1, 1]
    assert runs.assign(score=-runs["rank"]).ireval.check(qrels)["rank_gaps"].tolist() == [1, 1]
    assert runs.drop(columns="rank").assign(score=1.0).ireval.check(qrels)[
        "rank_gaps"
    ].tolist() == [0, 0]


@pytest.mark.parametrize(
    "work",
    [
        lambda runs: runs.ireval.pool(depth=1),
        lambda runs: runs.ireval.beyond_accuracy(
            ["Coverage"], items=pd.DataFrame({"doc_id": ["d1", "d2"]})
        ),
    ],
)
def test_what_needs_no_judgments_warns_of_gaps_in_ranks_too(work):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        work(with_gaps()[0])
    assert [str(one.message) for one in told] == [GAPS]


def test_ranks_without_gaps_and_ranks_beside_scores_are_taken_without_a_warning():
    runs, qrels = with_gaps()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runs[runs["run"] == "b"].query("query_id == '2'").ireval.join(qrels, queries="answered")
        runs.assign(score=-runs["rank"]).ireval.join(qrels, queries="answered")
        runs.iloc[:4].ireval.join(qrels, queries="answered")
