import pandas as pd
import pytest

import pdeval

RUNS = pd.DataFrame(
    [
        # run r: q1 with a tie and a duplicate, q2 without relevant items, q9 without judgments; q3 missing
        ("r", "q1", "a", 3.0), ("r", "q1", "b", 2.0), ("r", "q1", "b", 2.0), ("r", "q1", "x", 1.0),
        ("r", "q2", "c", 1.0), ("r", "q9", "a", 1.0),
        # run s: q1 and q3
        ("s", "q1", "a", 1.0), ("s", "q3", "d", 2.0), ("s", "q3", "p", 1.0), ("s", "q3", "x", 0.5),
    ],
    columns=["run", "query_id", "doc_id", "score"],
)  # fmt: skip
QRELS = pd.DataFrame(
    [("q1", "a", 1), ("q1", "b", 0), ("q2", "c", 0), ("q3", "d", 2), ("q3", "p", -1)],
    columns=["query_id", "doc_id", "relevance"],
)
COLUMNS = [
    "run",
    "answered",
    "missing",
    "extra",
    "without_relevant",
    "rows",
    "duplicates",
    "tied_fraction",
]
COLUMNS += ["tied_integers", "misranked", "rank_gaps", "judged_fraction"]


@pytest.mark.parametrize("how", ["as it is", "shuffled"])
def test_the_account_of_each_run_by_hand(how):
    runs = RUNS if how == "as it is" else RUNS.sample(frac=1, random_state=4)
    table = runs.ireval.check(QRELS)
    assert list(table) == COLUMNS
    assert table.astype({"run": str}).values.tolist() == [
        # of the 5 rows on judged queries of r, all but x have a judgment
        ["r", 2, 1, 1, 1, 6, 1, 2 / 6, 0, 0, 0, 4 / 5],
        ["s", 2, 0, 0, 0, 4, 0, 0.0, 0, 0, 0, 2 / 4],
    ]


def test_the_level_decides_what_is_missing():
    table = RUNS.ireval.check(QRELS, level=2)
    assert table["missing"].tolist() == [1, 0]
    assert table["without_relevant"].tolist() == [2, 1]


def test_a_table_of_ranks_has_no_tied_scores():
    runs = RUNS.drop(index=2).assign(rank=range(9)).drop(columns="score")
    assert runs.ireval.check(QRELS)["tied_fraction"].tolist() == [0.0, 0.0]


@pytest.mark.filterwarnings("ignore:no item of")
@pytest.mark.parametrize("how", ["as it is", "shuffled"])
def test_tied_integer_ids_are_counted(how):  # issue 12, item 9
    rows = [
        ("r", 1, 99, 1.0),
        ("r", 1, 100, 1.0),
        ("r", 1, 7, 0.5),
        ("r", 2, 1, 1.0),
        ("s", 1, 99, 1.0),
        ("s", 1, 7, 0.5),
    ]
    runs = pd.DataFrame(rows, columns=["run", "query_id", "doc_id", "score"])
    runs = runs if how == "as it is" else runs.sample(frac=1, random_state=4)
    qrels = pd.DataFrame({"query_id": [1, 2], "doc_id": [100, 1], "relevance": 1})
    table = runs.ireval.check(qrels)
    assert table["tied_integers"].tolist() == [2, 0]
    assert table["tied_fraction"].tolist() == [2 / 4, 0.0]
    assert (
        runs.ireval.measure(qrels, "RR", queries="answered").iloc[0]["value"] == 0.5
    )  # 99 stands before 100
    text = runs.astype({"doc_id": str}).ireval.check(qrels.astype({"doc_id": str}))
    assert text["tied_integers"].tolist() == [0, 0]


@pytest.mark.parametrize("how", ["as it is", "shuffled"])
def test_lists_whose_ranks_contradict_their_scores_are_counted(how):  # issue 12, item 9
    ranks = [
        1,
        2,
        3,
        4,
        1,
        1,
        1,
        1,
        3,
        2,
    ]  # the last list has its ranks the wrong way round; ties may have any order
    runs = RUNS.assign(rank=ranks)
    runs = runs if how == "as it is" else runs.sample(frac=1, random_state=4)
    assert runs.ireval.check(QRELS)["misranked"].tolist() == [0, 1]
    assert runs.assign(rank=[1, 3, 2, 4, *ranks[4:]] if how == "as it is" else 1).ireval.check(
        QRELS
    )["misranked"].tolist() == [0, 1 if how == "as it is" else 0]
    assert RUNS.ireval.check(QRELS)["misranked"].tolist() == [0, 0]
    assert runs.assign(rank="?").ireval.check(QRELS)["misranked"].tolist() == [
        0,
        0,
    ]  # it is not read


def test_runs_of_several_columns_keep_their_names():
    runs = RUNS.rename(columns={"run": "model", "query_id": "qid", "doc_id": "docno"}).assign(
        seed=1
    )
    table = runs.ireval(run=["model", "seed"]).check(QRELS)
    assert list(table)[:3] == ["model", "seed", "answered"]


def test_the_sample_collection_lacks_two_queries_of_one_run():
    table = (
        pdeval.datasets.sample_runs().ireval.check(pdeval.datasets.sample_qrels()).set_index("run")
    )
    assert table["missing"].sum() == table.loc["ql", "missing"] == 2
    assert (table["rows"] == 100 * table["answered"]).all()


def test_an_empty_table_is_an_error():
    with pytest.raises(ValueError, match="the run table is empty"):
        RUNS[:0].ireval.check(QRELS)
