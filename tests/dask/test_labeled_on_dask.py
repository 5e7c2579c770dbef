"""`labeled` on Dask: lazy, partition by partition, with the rows of pandas."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.dask import first_pass
from tests.dask.bits import divided, gathered, same_bits

pytest.importorskip("dask")
pytestmark = pytest.mark.extras

import dask  # noqa: E402

import pdeval.dask.accessor  # noqa: E402
from pdeval.dask.collect import Gathered  # noqa: E402

SORTED = ["run", "query_id"]


def some_rows(runs):
    """Return the rows of some runs, also of a query without judgments."""
    kept = runs["run"].isin(["bm25", "ql", "rerank-s1"]) & (runs["query_id"].astype(str) > "130")
    rows = runs[kept].reset_index(drop=True)
    stray = rows.head(5).assign(query_id="no such query")
    return pd.concat([rows, stray], ignore_index=True)


@pytest.fixture(scope="module")
def rows():
    return some_rows(pdeval.datasets.sample_runs())


def on_pandas(table):
    """Return the rows in memory, with the dtypes of Dask."""
    return table.compute().reset_index(drop=True)


@pytest.fixture(scope="module")
def qrels():
    return pdeval.datasets.sample_qrels()


@pytest.mark.broad
@pytest.mark.parametrize(
    ("parts", "order"), [(1, "by run"), (3, "by run"), (4, "mixed"), (30, "by query")]
)
@pytest.mark.parametrize(
    "options",
    [
        {"measures": ["AP", "nDCG@10", "bpref", "ERR"]},
        {"query": [140, "no such query"], "runs": "ql", "top": 3},
        {"judged_only": True, "depth": 20, "level": 2, "measures": "RBP"},
        {"ties": "first", "measures": "ASL(unretrieved=corpus)"},
    ],
)
def test_the_rows_are_those_of_pandas_to_the_last_bit(rows, qrels, parts, order, options):
    table = divided(rows, parts, order)
    expected = on_pandas(table).ireval.labeled(qrels, **options)
    lazy = table.ireval.labeled(qrels, **options)
    assert hasattr(lazy, "npartitions")
    same_bits(expected, gathered(lazy, SORTED))


@pytest.mark.parametrize("order", ["by run", "by query"])
def test_two_runs_are_aligned_lazily(rows, qrels, order):
    options = {"runs": ["rerank-s1", "bm25"], "layout": "side_by_side", "top": 5}
    texts = {"queries": {140: "a query"}, "docs": pd.DataFrame({"docno": ["x"], "title": ["X"]})}
    table = divided(rows, 5, order)
    expected = on_pandas(table).ireval.labeled(qrels, **options, texts=texts)
    lazy = table.ireval.labeled(qrels, **options, texts=texts)
    pd.testing.assert_frame_equal(gathered(lazy, ["query_id", "rank"]), expected)
    assert lazy["query_text"].compute().dropna().unique().tolist() == ["a query"]


def test_a_join_has_it_and_nothing_is_gathered(rows, qrels, monkeypatch):
    table = divided(rows, 4, "by query")
    same = on_pandas(table).ireval.join(qrels, depth=5).labeled("P@5")
    for name in ("runs", "positions"):
        monkeypatch.delattr(Gathered, name)
    lazy = table.ireval.join(qrels, depth=5).labeled("P@5")
    pd.testing.assert_frame_equal(gathered(lazy, SORTED), same)
    assert lazy.npartitions == 4


def test_judgments_that_are_too_many_to_send_are_divided(rows, qrels, monkeypatch):
    monkeypatch.setattr(first_pass, "SMALL", 10)
    table = divided(rows, 4, "mixed")
    expected = on_pandas(table).ireval.labeled(qrels, "AP")
    lazy = table.ireval.labeled(qrels, "AP")
    pd.testing.assert_frame_equal(gathered(lazy, SORTED), expected)


def test_grades_have_one_dtype_in_all_partitions(rows, qrels):
    halves = qrels.assign(relevance=np.where(qrels["query_id"] == "131", 0.5, 1.0))
    table = divided(rows, 30, "by query")
    lazy = table.ireval.labeled(halves)
    expected = on_pandas(table).ireval.labeled(halves)
    assert {part.dtypes["relevance"] for part in dask.compute(*lazy.to_delayed())} == {
        np.dtype("float64")
    }
    pd.testing.assert_frame_equal(gathered(lazy, SORTED), expected)
    one = rows.ireval.labeled(halves, query=140)  # has no half, and the same dtype
    assert one.dtypes["relevance"] == "float64"


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"query": "9"}, KeyError, "no query '9'"),
        ({"runs": "z"}, KeyError, "no run 'z'"),
        ({"texts": {"a": "x"}}, ValueError, "on Dask, texts= is sent to every partition"),
        ({"texts": {"docs": iter([{"_id": "a", "text": "x"}])}}, ValueError, "an iterator"),
        ({"ties": "expected"}, ValueError, "no definite ranks"),
    ],
)
def test_bad_input_is_answered_before_any_work(rows, qrels, options, kind, text):
    with pytest.raises(kind, match=text):
        divided(rows, 3).ireval.labeled(qrels, **options)
