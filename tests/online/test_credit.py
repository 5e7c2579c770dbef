"""Credit of clicks: teams own their documents; balanced lists are credited by rank; odd clicks are left out loudly."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pdeval
from pdeval.tables import reader
from tests.examples import examples

LISTS = pd.DataFrame(
    {
        "run_a": "x",
        "run_b": "y",
        "query_id": [1, 1, 1, 2, 2],
        "position": [1, 2, 3, 1, 2],
        "doc_id": ["d", "e", "f", "e", "g"],
        "team": ["a", "b", "a", "b", "a"],
        "shared": [True, False, False, False, False],
    }
)
CLICKS = pd.DataFrame(
    [
        ("s", "ann", 1, "d"),
        ("s", "ann", 1, "e"),
        ("t", "ann", 1, "f"),
        ("t", "ann", 2, "g"),
        ("u", "bob", 2, "e"),
    ],
    columns=["session", "user", "query_id", "doc_id"],
)
OUTCOME = ["session", "query_id", "clicks", "credit_a", "credit_b", "winner"]


def credit(lists, log, **options):
    return log.ireval.credit(lists, **options)


def outcomes(lists, log, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return credit(lists, log, **options)[OUTCOME].to_numpy().tolist()


EXPECTED = [
    ["s", 1, 2, 1, 1, "tie"],
    ["t", 1, 1, 1, 0, "a"],
    ["t", 2, 1, 1, 0, "a"],
    ["u", 2, 1, 0, 1, "b"],
]


def test_the_owner_of_a_clicked_result_is_credited():
    assert outcomes(LISTS, CLICKS) == EXPECTED
    assert credit(LISTS, CLICKS)["user"].tolist() == ["ann", "ann", "ann", "bob"]


def test_ranks_serve_as_well_as_documents():
    ranked = CLICKS.assign(rank=[1, 2, 3, 2, 1], action="click")
    assert outcomes(LISTS, ranked.drop(columns="doc_id")) == EXPECTED
    some = ranked.assign(doc_id=["d", None, "f", None, "e"])  # each click by what it has
    assert outcomes(LISTS, some) == EXPECTED


def test_row_order_and_repeated_clicks_change_nothing():
    again = pd.concat([CLICKS, CLICKS.iloc[[0, 0, 4]]]).sample(frac=1, random_state=2)
    assert outcomes(LISTS, again) == EXPECTED


def test_shared_ranks_can_be_left_out():
    assert outcomes(LISTS, CLICKS, shared="nobody")[0] == ["s", 1, 2, 0, 1, "b"]
    with pytest.raises(ValueError, match="shared='both': choose 'team' or 'nobody'"):
        credit(LISTS, CLICKS, shared="both")


def test_impressions_without_clicks_are_kept_without_a_winner():
    shown = pd.DataFrame(
        {"session": ["s", "v"], "user": ["ann", "cy"], "query_id": [1, 2], "doc_id": None}
    )
    log = pd.concat([CLICKS.assign(action="click"), shown.assign(action="impression")])
    found = credit(LISTS, log)
    assert len(found) == 5
    assert found[found["session"] == "v"][
        ["clicks", "credit_a", "credit_b"]
    ].to_numpy().tolist() == [[0, 0, 0]]
    assert found["winner"].isna().tolist() == (found["clicks"] == 0).tolist()


def test_no_clicks_at_all_is_an_empty_table_of_the_same_form():
    empty = credit(LISTS, CLICKS.iloc[:0])
    assert len(empty) == 0
    assert empty.columns.tolist() == credit(LISTS, CLICKS).columns.tolist()


def test_clicks_on_unknown_queries_and_results_are_left_out_with_a_warning():
    odd = pd.concat(
        [
            CLICKS,
            pd.DataFrame([("s", "ann", 9, "d"), ("u", "bob", 2, "zzz")], columns=CLICKS.columns),
        ]
    )
    with pytest.warns(
        UserWarning,
        match="dropped 1 clicks on queries without an interleaved list and 1 clicks on results that are",
    ):
        found = credit(LISTS, odd)
    assert found[OUTCOME].to_numpy().tolist() == EXPECTED


def test_several_lists_per_query_need_a_log_that_tells_them_apart():
    twice = pd.concat([LISTS.assign(draw=0), LISTS.assign(draw=1)])
    with pytest.raises(ValueError, match=r"several for query_id 1\. Add draw to the log"):
        credit(twice, CLICKS)
    found = credit(twice, CLICKS.assign(draw=[0, 1, 0, 1, 1]))
    assert found[["draw", "session"]].to_numpy().tolist() == [
        [0, "s"],
        [0, "t"],
        [1, "s"],
        [1, "t"],
        [1, "u"],
    ]


def test_every_fault_of_both_tables_is_named_at_once():
    unread = CLICKS.drop(columns="doc_id").assign(action="click", query_id=[None, 1, 1, 2, 2])
    with pytest.raises(ValueError, match="clicks cannot be credited") as caught:
        credit(LISTS.assign(method="balanced", team=[None, "a", "a", "b", "b"]), unread)
    for fault in (
        "the interleaved lists have rows without a team",
        "balanced lists need the columns rank_a, rank_b",
        "the log has 1 rows without a query_id",
        "the log has neither doc_id nor rank",
    ):
        assert fault in str(caught.value)
    with pytest.raises(
        ValueError, match="column 'query_id' has numbers in one table and text in the other"
    ):
        credit(LISTS, CLICKS.assign(query_id=CLICKS["query_id"].astype(str)))


def naive_balanced(a: str, b: str, shown: str, clicked: set[str]) -> tuple[int, int]:
    """Joachims' rule, one click at a time; documents of the shared prefix count for neither."""
    lowest = max(clicked, key=shown.index)
    k = min(docs.index(lowest) + 1 for docs in (a, b) if lowest in docs)
    prefix = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return tuple(
        len({doc for doc in clicked if doc in docs[:k]} - set(a[:prefix])) for docs in (a, b)
    )


ranking = st.permutations("abcdef").map("".join)


@pytest.mark.broad
@given(ranking, ranking, st.sets(st.integers(1, 6), min_size=1), st.integers(0, 99))
@examples(50)
def test_balanced_lists_are_credited_by_rank_and_shared_prefixes_credit_nobody(
    a, b, positions, seed
):
    rows = [
        (run, 1, doc, rank)
        for run, docs in (("x", a), ("y", b))
        for rank, doc in enumerate(docs, start=1)
    ]
    table = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "rank"])
    lists = table.ireval.interleave(method="balanced", seed=seed)
    shown = "".join(lists["doc_id"])
    clicked = {shown[position - 1] for position in positions if position <= len(shown)}
    if not clicked:
        return
    log = pd.DataFrame({"session": 1, "query_id": 1, "doc_id": sorted(clicked)})
    found = credit(lists, log).iloc[0]
    assert (found["credit_a"], found["credit_b"]) == naive_balanced(a, b, shown, clicked)
    shared = set(lists.loc[lists["shared"], "doc_id"])
    if clicked <= shared:
        assert found[["credit_a", "credit_b", "winner"]].tolist() == [0, 0, "tie"]


def test_multileaved_credit_compares_every_pair_of_runs():
    rows = [(run, 1, f"{run}{rank}", rank) for run in "xyz" for rank in (1, 2)]
    lists = pd.DataFrame(
        rows, columns=["run", "query_id", "doc_id", "rank"]
    ).ireval.interleave.many(depth=3)
    log = pd.DataFrame({"session": [1, 1, 2], "query_id": 1, "doc_id": ["x1", "z1", "z1"]})
    found = credit(lists, log)
    columns = ["run_a", "run_b", "session", "credit_a", "credit_b", "winner"]
    assert found[columns].to_numpy().tolist() == [
        ["x", "y", 1, 1, 0, "a"], ["x", "y", 2, 0, 0, "tie"],
        ["x", "z", 1, 1, 1, "tie"], ["x", "z", 2, 0, 1, "b"],
        ["y", "z", 1, 0, 1, "b"], ["y", "z", 2, 0, 1, "b"],
    ]  # fmt: skip


def test_runs_of_several_columns_keep_their_names():
    named = LISTS.rename(columns={"run_a": "model_a", "run_b": "model_b"}).assign(
        seed_a=1, seed_b=2
    )
    found = credit(named.ireval(run=["model", "seed"]), CLICKS)
    assert found.columns.tolist()[:4] == ["model_a", "seed_a", "model_b", "seed_b"]
    np.testing.assert_array_equal(found["credit_a"], [1, 1, 1, 0])


def test_the_log_and_the_lists_may_name_their_queries_differently():
    renamed = CLICKS.rename(
        columns={"session": "sid", "user": "uid", "query_id": "q", "doc_id": "page"}
    )
    found = renamed.ireval(session="sid", user="uid", query="q", doc="page").credit(LISTS)
    assert list(found)[:5] == ["run_a", "run_b", "query_id", "sid", "uid"]
    assert found["winner"].tolist() == ["tie", "a", "a", "b"]
    assert found.ireval.wins(per="user")["n"].tolist() == [2]  # the credits know who the user is


def test_a_log_without_sessions_counts_every_list_once():
    log = reader.Table(
        "clicks", CLICKS[["query_id", "doc_id"]], {"query": "query_id", "doc": "doc_id"}
    )
    found = pdeval.online.credit.credit(log, LISTS)
    assert found[["query_id", "clicks", "credit_a", "credit_b"]].to_numpy().tolist() == [
        [1, 3, 2, 1],
        [2, 2, 1, 1],
    ]


def test_credit_needs_lists():
    with pytest.raises(
        TypeError, match=r"a pandas DataFrame with a table of interleaved lists .*, got NoneType"
    ):
        credit(None, CLICKS)
    with pytest.raises(
        ValueError,
        match=r"expected a table of interleaved lists \(run_a, run_b, query, position, doc",
    ):
        credit(LISTS.drop(columns="team"), CLICKS)
