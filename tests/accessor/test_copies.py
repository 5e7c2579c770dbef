"""Accessors, joins and families of verbs can be pickled and copied, as joblib and multiprocessing require."""

import copy
import multiprocessing
import operator
import pickle

import pandas as pd
import pytest

import pdeval
from pdeval.accessor import ACCESSORS, Joined

COPIES = {
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(params=COPIES.values(), ids=COPIES)
def copied(request):
    return request.param


@pytest.fixture(scope="module")
def judged():
    return pdeval.datasets.sample_judged(queries="common")


@pytest.fixture(scope="module")
def scores(judged):
    return judged.measure(["AP", "RR"])


def test_a_copied_accessor_gives_the_same_results(copied, scores):
    again = copied(scores.ireval)
    assert type(again) is ACCESSORS["scores"]
    pd.testing.assert_frame_equal(again.summary(), scores.ireval.summary())


def test_a_copied_accessor_keeps_its_binding(copied):
    runs = pdeval.datasets.sample_runs().rename(columns={"query_id": "topic_no"})
    bound = runs.ireval(query="topic_no")
    assert copied(bound)._binding == {"query": "topic_no"}
    qrels = pdeval.datasets.sample_qrels()
    assert (
        copied(bound)
        .measure(qrels, "AP", queries="common")
        .equals(bound.measure(qrels, "AP", queries="common"))
    )


def test_a_copied_accessor_is_bound_apart_from_the_first(copied, scores):
    bound = scores.ireval(run="run")
    copied(bound)._binding["query"] = "run"
    assert bound._binding == {"run": "run"}


def test_an_accessor_of_a_table_that_is_not_recognized_is_copied(copied):
    frame = pd.DataFrame({"x": [1]})
    assert repr(copied(frame.ireval)) == repr(frame.ireval)


def test_only_a_shallow_copy_shares_the_table(scores):
    assert copy.copy(scores.ireval)._frame is scores
    assert copy.deepcopy(scores.ireval)._frame is not scores


def test_a_copied_join_gives_the_same_results(copied, judged):
    again = copied(judged)
    assert type(again) is Joined
    pd.testing.assert_frame_equal(again.measure("AP"), judged.measure("AP"))


def test_copied_families_and_verbs_give_the_same_results(copied, judged, scores):
    pd.testing.assert_frame_equal(copied(judged.ties)(), judged.ties())
    pd.testing.assert_frame_equal(copied(judged.ties.by_first)(), judged.ties.by_first())
    pd.testing.assert_frame_equal(copied(scores.ireval.compare)("AP"), scores.ireval.compare("AP"))
    assert repr(copied(scores.ireval.plot)) == repr(scores.ireval.plot)


@pytest.mark.extras
def test_a_copied_accessor_of_dask_gives_the_same_results(copied):
    dd = pytest.importorskip("dask.dataframe")
    import pdeval.dask.accessor

    runs, qrels = pdeval.datasets.sample_runs(), pdeval.datasets.sample_qrels()
    accessor = dd.from_pandas(runs, npartitions=2).ireval
    again = copied(accessor)
    assert type(again) is type(accessor)
    pd.testing.assert_frame_equal(
        again.summary(qrels, "AP", queries="common"),
        accessor.summary(qrels, "AP", queries="common"),
    )
    join = accessor.join(qrels, queries="common")
    pd.testing.assert_frame_equal(copied(join).summary("AP"), join.summary("AP"))


@pytest.mark.broad
def test_another_process_gives_the_same_results(judged, scores):
    """As joblib's: nothing is inherited, everything is sent."""
    verbs = [judged.order, scores.ireval.order, scores.ireval.plot.__repr__]
    with multiprocessing.get_context("spawn").Pool(1) as workers:
        orders, of_scores, families = workers.map(operator.call, verbs)
    pd.testing.assert_frame_equal(orders, judged.order())
    pd.testing.assert_frame_equal(of_scores, scores.ireval.order())
    assert families == repr(scores.ireval.plot)
