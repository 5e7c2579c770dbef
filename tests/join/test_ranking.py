"""The rank of every row, against Python's own sort of each list."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdeval.join import ids, ranks
from pdeval.tables import reader
from tests import naive
from tests.examples import examples

RULES = [
    ("docid", "trec_eval-10"),
    ("docid", "trec_eval-9"),
    ("first", "trec_eval-10"),
    ("rank", "trec_eval-10"),
]


@st.composite
def runs(draw):
    rows = []
    for run, query in ((r, q) for r in "ab" for q in "12"):
        docs = draw(
            st.lists(st.sampled_from([f"d{n}" for n in range(12)]), unique=True, max_size=10)
        )
        scores = draw(
            st.lists(
                st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.0]),
                min_size=len(docs),
                max_size=len(docs),
            )
        )
        ranks = draw(st.permutations(range(len(docs))))
        rows += [(run, query, *row) for row in zip(docs, scores, ranks)]
    rows = draw(st.permutations(rows or [("a", "1", "d", 0.0, 0)]))
    return pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score", "rank"])


@pytest.mark.broad
@pytest.mark.parametrize(("ties", "compat"), RULES)
@examples(40)
@given(frame=runs(), depth=st.sampled_from([None, 1, 3, 20]))
def test_the_first_rows_of_every_list_are_those_of_a_plain_sort(ties, compat, frame, depth):
    table = reader.read(frame, "runs")
    lists = naive.lists_of(frame, ties, compat)
    wanted = {
        (*key, doc): rank for key, docs in lists.items() for rank, doc in enumerate(docs[:depth], 1)
    }
    found = ranks.top(table, depth, ties=ties, compat=compat)
    keys = frame[["run", "query_id", "doc_id"]].iloc[found.row].itertuples(index=False, name=None)
    assert dict(zip(keys, found.rank.tolist())) == wanted
    assert (np.diff(found.own) >= 0).all()
    if depth is None:
        every = zip(frame["run"], frame["query_id"], frame["doc_id"])
        assert ranks.ranked(table, ties=ties, compat=compat).tolist() == [
            wanted[row] for row in every
        ]


def test_the_rank_column_serves_where_there_are_no_scores():
    frame = pd.DataFrame({"run": "x", "query_id": 1, "doc_id": ["a", "b"], "rank": [2, 1]})
    assert ranks.ranked(reader.read(frame, "runs")).tolist() == [2, 1]


def test_the_mean_over_orders_has_no_first_rows():
    frame = pd.DataFrame({"run": "x", "query_id": 1, "doc_id": ["a", "b"], "score": [1.0, 1.0]})
    with pytest.raises(
        ValueError, match=r"ties='expected' has no definite ranks\. Use ties='docid'"
    ):
        ranks.ranked(reader.read(frame, "runs"), ties="expected")


def test_duplicate_documents_are_an_error_unless_told_otherwise():
    frame = pd.DataFrame({"run": "x", "query_id": 1, "doc_id": ["a", "a"], "score": [2.0, 1.0]})
    with pytest.raises(ValueError, match="1 duplicate"):
        ranks.ranked(reader.read(frame, "runs"))
    assert ranks.ranked(reader.read(frame, "runs"), validate=False).tolist() == [1, 2]


def test_an_empty_table_has_nothing_to_rank():
    frame = pd.DataFrame({"run": ["x"], "query_id": [1], "doc_id": ["a"], "score": [2.0]}).head(0)
    with pytest.raises(ValueError, match="the run table is empty; there is nothing to rank"):
        ranks.ranked(reader.read(frame, "runs"))


def test_ranks_and_places_are_whole_numbers_under_every_rule():
    frame = pd.DataFrame(
        {
            "run": "a",
            "query_id": "1",
            "doc_id": [f"d{i}" for i in range(40)],
            "score": [1.0, 2.0] * 20,
        }
    )
    frame["rank"] = range(1, 41)
    for ties in ("docid", "rank", "first"):
        table = reader.read(frame, "runs")
        assert ranks.ranked(table, ties=ties).dtype == np.int64
        found = ranks.top(table, 5, ties=ties)
        assert {str(one.dtype) for one in (found.row, found.own, found.rank)} == {"int64"}


def test_of_a_long_list_tied_rows_stay_as_they_stand_where_the_first_counts():
    score = np.random.default_rng(3).integers(0, 3, 900).astype(float)
    frame = pd.DataFrame(
        {"run": "a", "query_id": "q", "doc_id": [f"d{n}" for n in range(900)], "score": score}
    )
    stands = sorted(range(900), key=lambda n: -score[n])  # Python's own sort is stable
    for rank in (1, 40, 333, 334, 620, 900):
        qrels = pd.DataFrame(
            {"query_id": ["q"], "doc_id": [f"d{stands[rank - 1]}"], "relevance": [1]}
        )
        assert frame.ireval.measure(qrels, "RR", ties="first")["value"].item() == 1 / rank


@pytest.mark.parametrize("depth", [1, 3, 7, 50])
@pytest.mark.parametrize("different", [1, 2, 5, 1000])
def test_the_first_rows_are_those_of_all_rows_ranked_wherever_groups_of_ties_are_cut(
    depth, different
):
    rng = np.random.default_rng(depth * different)
    frame = pd.DataFrame(
        {"run": "x", "query_id": rng.integers(0, 9, 200), "doc_id": rng.permutation(200)}
    )
    table = reader.read(frame.assign(score=rng.integers(0, different, 200) * 1.0), "runs")
    rank = ranks.ranked(table)
    found = ranks.top(table, depth)
    assert sorted(found.row.tolist()) == np.flatnonzero(rank <= depth).tolist()
    assert found.rank.tolist() == rank[found.row].tolist()


@pytest.mark.parametrize(("ties", "compat"), RULES)
@pytest.mark.parametrize("shuffled", [False, True])
def test_the_first_rows_of_some_lists_are_those_of_a_plain_sort(ties, compat, shuffled):
    rng = np.random.default_rng(7)
    rows = [
        (run, query, f"d{doc}", rng.choice([0.0, 1.0, 1 + 1e-12, 2.0]), place)
        for run in "ab"
        for query in "12"
        for place, doc in enumerate(rng.permutation(12)[: rng.integers(2, 12)])
    ]
    frame = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score", "rank"])
    frame = frame.sample(frac=1, random_state=1, ignore_index=True) if shuffled else frame
    table = reader.read(frame, "runs")
    lists = naive.lists_of(frame, ties, compat)
    names = list(zip(frame["run"], frame["query_id"], frame["doc_id"]))
    for depth in (1, 2, 5, 30, None):
        wanted = {
            (*key, doc): rank
            for key, docs in lists.items()
            for rank, doc in enumerate(docs[:depth], 1)
        }
        top = ranks.top(table, depth, ties=ties, compat=compat)
        assert {
            names[row]: rank for row, rank in zip(top.row.tolist(), top.rank.tolist())
        } == wanted
        assert len(top.row) == len(top.own) == len(wanted)
        assert [(one, rank) for one, rank in zip(top.own, top.rank)] == sorted(
            zip(top.own, top.rank)
        )
        runs, queries = top.lists.runs["run"].tolist(), top.lists.queries.index()
        own = [(runs[top.lists.run[one]], queries[top.lists.query[one]]) for one in top.own]
        assert own == [names[row][:2] for row in top.row]
        score = ranks.scores_of(table, ties, compat)
        score, order = ranks.sorted_scores(score, top.lists, ties)
        doc = ids.column_ids(table.column("doc"), "doc")
        which = np.array([True, False, False, True])
        place, own, rank = ranks.first_rows(score, order, doc, top.lists, ties, depth, which)
        assert which[own].all()
        held = {
            names[row if order is None else order[row]]: one
            for row, one in zip(place.tolist(), rank.tolist())
        }
        kept = [
            (runs[top.lists.run[one]], queries[top.lists.query[one]])
            for one in np.flatnonzero(which)
        ]
        assert held == {key: one for key, one in wanted.items() if key[:2] in kept}


def test_rules_that_do_not_go_together_are_refused_here_too():
    frame = pd.DataFrame({"run": "x", "query_id": 1, "doc_id": ["a", "b"], "score": [1.0, 1.0]})
    for rules, text in (
        ({"compat": "old"}, "compat='old'"),
        ({"depth": 0}, "depth=0"),
        ({"ties": "rank"}, "needs a rank column"),
    ):
        with pytest.raises(ValueError, match=text):
            ranks.top(reader.read(frame, "runs"), **rules)
    close = reader.read(frame.assign(score=[1 + 1e-12, 1.0]), "runs")
    assert ranks.ranked(close).tolist() == [1, 2]
    assert ranks.ranked(close, compat="trec_eval-9").tolist() == [2, 1]


@pytest.mark.parametrize(
    "scores", [[2, 2, 1, 1, 1, 1], [1, 1, 1, 2, 2, 1], [3, 2, 2, 2, 2, 1], [2, 2, 2, 2, 2, 2]]
)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_cut_goes_to_the_end_of_a_group_also_where_that_ends_the_table(scores, depth):
    frame = pd.DataFrame(
        {"run": "x", "query_id": [1, 1, 1, 2, 2, 2], "doc_id": range(6), "score": scores}
    )
    found = ranks.top(reader.read(frame, "runs"), depth)
    wanted = [
        row
        for first in (0, 3)
        for row in sorted(
            range(first, first + 3), key=lambda row: (scores[row], row), reverse=True
        )[:depth]
    ]
    assert found.row.tolist() == wanted
    assert found.rank.tolist() == [*range(1, depth + 1)] * 2
