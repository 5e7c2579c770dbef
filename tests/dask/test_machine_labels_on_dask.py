"""Labels by people and by a machine on Dask: the answers of pandas, and what a join there says."""

import pandas as pd
import pytest

import pdeval

dd = pytest.importorskip("dask.dataframe")
pytestmark = pytest.mark.extras

import pdeval.dask.accessor  # noqa: E402

RUNS, QRELS, _ = pdeval.datasets.load_sample()
HUMAN = QRELS[QRELS["query_id"].astype(int) < 121]


@pytest.mark.broad
@pytest.mark.parametrize("verb", ["measure", "summary", "compare", "order"])
def test_a_run_table_answers_as_on_pandas(verb):
    divided = dd.from_pandas(RUNS, npartitions=3)
    given = {"measures": "AP", "machine": QRELS, "queries": "common"}
    here, there = (getattr(table.ireval, verb)(HUMAN, **given) for table in (RUNS, divided))
    pd.testing.assert_frame_equal(here, there)


def test_a_join_sends_to_the_run_table():
    joined = dd.from_pandas(RUNS, npartitions=2).ireval.join(HUMAN)
    with pytest.raises(
        ValueError,
        match=r"Call the verb on the run table: runs\.ireval\.summary\(qrels, \.\.\., machine=",
    ):
        joined.summary("AP", machine=QRELS)


@pytest.mark.broad
def test_stacked_collections_answer_as_on_pandas():
    runs, human, machine = (
        pd.concat([table.assign(collection=name) for name in ("x", "y")])
        for table in (RUNS, HUMAN, QRELS)
    )
    divided = dd.from_pandas(runs.reset_index(drop=True), npartitions=3)
    given = {"measures": "AP", "machine": machine, "queries": "common", "by": "collection"}
    here, there = (table.ireval.summary(human, **given) for table in (runs, divided))
    pd.testing.assert_frame_equal(
        here.astype({"collection": str}), there.astype({"collection": str})
    )  # Dask's strings
