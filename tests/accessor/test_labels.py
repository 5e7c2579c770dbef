"""Verbs of label tables."""

import numpy as np
import pandas as pd
import pytest

import pdeval
from pdeval.collections import assessors, swaps
from pdeval.kinds import tables

pytestmark = pytest.mark.filterwarnings("ignore:.* judged queries are missing")


@pytest.fixture(scope="module")
def labels():
    """The slides' two judges, who agree on 300 and 70 items and differ on 20 and 10."""
    one = np.repeat(["yes", "yes", "no", "no"], [300, 20, 10, 70])
    two = np.repeat(["yes", "no", "yes", "no"], [300, 20, 10, 70])
    frame = pd.DataFrame({"query_id": "1", "doc_id": np.arange(400), "judge 1": one, "judge 2": two})
    return frame.melt(["query_id", "doc_id"], var_name="assessor", value_name="label")


def test_the_slides_kappa_comes_from_a_table_of_queries_and_documents(labels):
    row = labels.ireval.assessor_agreement("scott").iloc[0]
    assert row[["observed", "expected", "value"]].tolist() == pytest.approx([0.925, 0.665, 0.776], abs=5e-4)


def test_an_item_column_comes_before_queries_and_documents(labels):
    table = labels.assign(item=labels["doc_id"]).rename(columns={"assessor": "who", "label": "said"})
    found = table.ireval.assessor_agreement("scott", assessor="who", label="said")
    pd.testing.assert_frame_equal(found, labels.ireval.assessor_agreement("scott"))


def test_bound_roles_name_the_columns(labels):
    table = labels.set_axis(["topic", "docid", "worker", "mark"], axis=1)
    found = table.ireval(assessor="worker", grade="mark").assessor_pairs()
    assert found.columns.tolist()[:2] == ["worker_a", "worker_b"]
    assert found["scott"].round(3).tolist() == [0.776]


def test_pairs_come_as_a_table_or_as_a_matrix(labels):
    names = {"item": ["query_id", "doc_id"]}
    pd.testing.assert_frame_equal(labels.ireval.assessor_pairs(), assessors.pairwise(labels, **names))
    wanted = assessors.pairwise_matrix(labels, "scott", **names)
    pd.testing.assert_frame_equal(labels.ireval.assessor_pairs("scott"), wanted)


def test_tasks_are_kept_apart(labels):
    table = pd.concat([labels.assign(task="a"), labels.assign(task="b")])
    assert table.ireval.assessor_agreement("percent", by="task")["value"].tolist() == [0.925, 0.925]


def test_missing_columns_are_named():
    with pytest.raises(ValueError, match="the label table has no column 'item', 'assessor'"):
        pd.DataFrame({"label": [1]}).ireval.assessor_agreement()


def test_swapped_assessors_order_runs_as_the_function_does():
    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    parts = [qrels.assign(assessor=str(least), label=(qrels["relevance"] >= least) * 1) for least in (1, 2, 3)]
    labels = pd.concat(parts).drop(columns="relevance")
    wanted = swaps.swap_assessors(tables.read(runs, "runs"), labels, ["AP", "RPP"])
    pd.testing.assert_frame_equal(runs.ireval.swap_assessors(labels, ["AP", "RPP"]), wanted)
    other = labels.rename(columns={"query_id": "qid", "doc_id": "docno", "assessor": "who"})
    pd.testing.assert_frame_equal(runs.ireval.swap_assessors(other.ireval(assessor="who"), ["AP", "RPP"]), wanted)
    against = runs.ireval.swap_assessors(labels, "AP", qrels=qrels, how="draw", draws=2, seed=5)
    assert against["judgments"].tolist() == [0, 1]


def test_labels_must_be_a_table_of_queries_and_documents():
    runs = pdeval.datasets.sample_runs()
    with pytest.raises(
        TypeError, match=r"a pandas DataFrame holding a labels table \(item, assessor, label\), got list"
    ):
        runs.ireval.swap_assessors([1])
    with pytest.raises(ValueError, match="no query and doc columns among assessor, label"):
        runs.ireval.swap_assessors(pd.DataFrame({"assessor": ["a"], "label": [1]}))
