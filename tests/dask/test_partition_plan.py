"""Which partition answers for a query or a run, by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

from pdeval.catalog import parse_all  # noqa: E402
from pdeval.dask.partition_plan import _homes, _homes_of_runs, asks_corpus, needed  # noqa: E402
from pdeval.tables.reader import read  # noqa: E402

CORPUS = "ASL(unretrieved=corpus)"


def test_a_topic_is_at_home_where_its_rows_are_and_unanswered_ones_in_turn_with_the_others():
    # three queries of the runs: in partitions 2, 0 and 1; the second is not judged. Nobody answered 0, 2, 4, 5
    found = SimpleNamespace(first=np.array([2, 0, 1]))
    assert _homes(found, np.array([1, -1, 3]), 6).tolist() == [1, 2, 2, 1, 1, 2]


def test_the_first_partition_is_a_home_too():
    found = SimpleNamespace(first=np.array([0, 3]))
    assert _homes(found, np.array([0, 2]), 4).tolist() == [0, 0, 3, 3]


def test_a_run_is_at_home_where_its_first_judged_list_is():
    known = np.array([True, False, True])  # query 1 is not judged
    pieces = [
        (
            np.array([1]),
            np.array([0, 2]),
            np.array([[4, 4]]),
        ),  # rows of run 0 and 2, of a query that does not count
        (
            np.array([0, 2]),
            np.array([0, 1]),
            np.array([[3, 0], [1, 0]]),
        ),  # run 0, twice; run 1 has no rows here
        (np.array([0, 1]), np.array([1, 0]), np.array([[5, 0], [0, 2]])),  # run 1
    ]
    found = SimpleNamespace(runs=pd.DataFrame({"run": list("abcd")}), pieces=pieces)
    # runs 2 and 3 have no judged list: they go to the first of the homes
    assert _homes_of_runs(found, known).tolist() == [1, 2, 1, 1]
    # where nothing is judged nobody answers: there is no partition of that number
    assert _homes_of_runs(found, np.zeros(3, dtype=bool)).tolist() == [3, 3, 3, 3]


def test_only_the_column_that_orders_the_lists_is_needed():
    frame = pd.DataFrame(
        {"run": "a", "query_id": "1", "doc_id": ["x"], "score": [1.0], "rank": [1]}
    )
    table = read(frame, "runs")
    assert needed(table, "rank").roles == {"query": "query_id", "doc": "doc_id", "rank": "rank"}
    for ties in ("docid", "first", "expected"):
        assert needed(table, ties).roles == {"query": "query_id", "doc": "doc_id", "score": "score"}
    assert needed(table, "docid").run_columns == ("run",)


@pytest.mark.parametrize(
    ("measures", "asks"),
    [
        ("AP", False),
        (["AP", "ASL(unretrieved=corpus)"], True),
        (["ASL(unretrieved=corpus)", "AP"], True),
        ("RPP", False),
    ],
)
def test_the_corpus_is_asked_for_by_the_measures_that_count_it(measures, asks):
    assert asks_corpus(parse_all(measures), {"ties": "docid"}) is asks
